//! The operators by number, with their spelling.

/// An enum of operators, each with its spelling.
macro_rules! operators {
    ($(#[$doc:meta])* $op:ident: $($variant:ident $name:literal)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum $op {
            $($variant,)*
        }

        impl $op {
            /// All of them, by number.
            pub(crate) const ALL: &[($op, &str)] = &[$(($op::$variant, $name)),*];

            /// The operator of a node; nodes are only made from operators.
            pub(crate) fn of(code: u8) -> $op {
                $op::ALL[usize::from(code) % $op::ALL.len()].0
            }

            pub(crate) fn name(self) -> &'static str {
                $op::ALL[self as usize].1
            }
        }
    };
}

operators! {
    /// Operators of one operand.
    UnOp:
    Cast "!cast"
    Not "!not"
    Head "!head"
    Tail "!tail"
    Size "!size"
    Empty "!empty"
    GetDagOp "!getdagop"
    LogTwo "!logtwo"
    Repr "!repr"
    ToLower "!tolower"
    ToUpper "!toupper"
    ListFlatten "!listflatten"
    Initialized "!initialized"
    Instances "!instances"
    GetDagOpName "!getdagopname"
}

operators! {
    /// Operators of two operands.
    BinOp:
    Add "!add"
    Sub "!sub"
    Mul "!mul"
    Div "!div"
    And "!and"
    Or "!or"
    Xor "!xor"
    Shl "!shl"
    Sra "!sra"
    Srl "!srl"
    ListConcat "!listconcat"
    ListSplat "!listsplat"
    ListRemove "!listremove"
    ListElem "[]"
    ListSlice "[,]"
    RangeClosed "..."
    StrConcat "!strconcat"
    Interleave "!interleave"
    Con "!con"
    Eq "!eq"
    Ne "!ne"
    Le "!le"
    Lt "!lt"
    Ge "!ge"
    Gt "!gt"
    GetDagArg "!getdagarg"
    GetDagName "!getdagname"
    SetDagOp "!setdagop"
    Match "!match"
    SetDagOpName "!setdagopname"
}

operators! {
    /// Operators of three operands.
    TernOp:
    Subst "!subst"
    Foreach "!foreach"
    Filter "!filter"
    If "!if"
    Dag "!dag"
    Range "!range"
    Substr "!substr"
    Find "!find"
    SetDagArg "!setdagarg"
    SetDagName "!setdagname"
    Sort "!sort"
}

impl UnOp {
    /// Whether the final resolution tries it again though no operand changed.
    pub(crate) fn waits(self) -> bool {
        matches!(self, UnOp::Cast | UnOp::Initialized | UnOp::Instances)
    }
}

impl TernOp {
    /// Whether the first operand is a name that the third may use.
    pub(crate) fn binds(self) -> bool {
        matches!(self, TernOp::Foreach | TernOp::Filter | TernOp::Sort)
    }
}
