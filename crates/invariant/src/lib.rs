//! What stands where a state cannot occur.
//!
//! The problem: code that must not panic needs a value even where there can be none to give. `index.get(i).unwrap_or(0)`
//! is harmless in a release, but it also hides the mistake in every test and fuzzing run. The method: say that the state
//! is impossible. With debug assertions (tests, fuzzing) that panics at the caller's line; without them it gives the same
//! harmless value as before, at the same cost.
//!
//! ```
//! use isaglot_invariant::Impossible as _;
//!
//! let squares = [0, 1, 4, 9];
//! // The index is checked before: there is always such an element.
//! assert_eq!(squares.get(2).copied().or_impossible(0), 4);
//! ```
//!
//! Use it only where the fallback is not a real default: an absent option of a user has a default, an index that was
//! checked before has none.

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
