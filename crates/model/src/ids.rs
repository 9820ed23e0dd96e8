//! Typed ids: indices into the vectors of an [`Isa`](crate::Isa). They order like the description.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into the slice of its kind.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A [`Space`](crate::Space).
    SpaceId;
    /// An [`Encoding`](crate::Encoding).
    EncodingId;
    /// An [`Expr`](crate::Expr). Two uses of one named expression share one id: the rules for recursion depend on it.
    ExprId;
    /// A [`Template`](crate::Template).
    TemplateId;
    /// An [`EnumType`](crate::EnumType).
    EnumId;
    /// A [`RegisterFile`](crate::RegisterFile).
    RegisterFileId;
    /// A [`Feature`](crate::Feature).
    FeatureId;
    /// A [`Table`](crate::Table).
    TableId;
}
