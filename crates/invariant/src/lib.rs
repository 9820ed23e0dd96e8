//! A value for a state that cannot occur.
#![doc = include_str!("../README.md")]
#![no_std]

/// Something that holds a value, by an invariant of the caller.
pub trait Impossible {
    /// The value that it holds.
    type Value;

    /// The value; if there is none, a panic with debug assertions, `harmless` without.
    #[track_caller]
    fn or_impossible(self, harmless: Self::Value) -> Self::Value;

    /// The value; if there is none, a panic with debug assertions, an empty one without.
    #[track_caller]
    fn or_impossible_default(self) -> Self::Value
    where
        Self::Value: Default;
}

impl<T> Impossible for Option<T> {
    type Value = T;

    #[inline]
    #[track_caller]
    fn or_impossible(self, harmless: T) -> T {
        match self {
            Some(value) => value,
            None => impossible(harmless),
        }
    }

    #[inline]
    #[track_caller]
    fn or_impossible_default(self) -> T
    where
        T: Default,
    {
        match self {
            Some(value) => value,
            None => impossible(T::default()),
        }
    }
}

impl<T, E> Impossible for Result<T, E> {
    type Value = T;

    #[inline]
    #[track_caller]
    fn or_impossible(self, harmless: T) -> T {
        self.ok().or_impossible(harmless)
    }

    #[inline]
    #[track_caller]
    fn or_impossible_default(self) -> T
    where
        T: Default,
    {
        self.ok().or_impossible_default()
    }
}

/// A place that is never reached: a panic with debug assertions, `harmless` without.
///
/// ```should_panic
/// # if !cfg!(debug_assertions) { panic!("a release gives 7") }
/// isaglot_invariant::impossible(7);
/// ```
#[inline]
#[track_caller]
pub fn impossible<T>(harmless: T) -> T {
    debug_assert!(false, "a state that cannot occur: an invariant of this program is broken");
    harmless
}
