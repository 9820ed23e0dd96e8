//! Lists that many parts of a model have alike.
//!
//! Problem: a target of LLVM has instructions by the ten thousand, and most of them have the fields, operands and refused words of many others.
//! Invariant: a list never changes, so who holds it cannot see who else does. Method: a counted reference; a clone is the same list. Texts
//! that occur often are `Arc<str>` for the same reason.

use std::ops::Deref;
use std::sync::Arc;

/// A list that is cheap to clone. It reads like a slice.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Shared<T>(Arc<[T]>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        Shared(Arc::clone(&self.0))
    }
}

impl<T> Default for Shared<T> {
    fn default() -> Shared<T> {
        Shared(Arc::default())
    }
}

impl<T> Deref for Shared<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> From<Vec<T>> for Shared<T> {
    fn from(list: Vec<T>) -> Shared<T> {
        if list.is_empty() { Shared::default() } else { Shared(list.into()) }
    }
}

impl<T: Clone> From<&[T]> for Shared<T> {
    fn from(list: &[T]) -> Shared<T> {
        Shared(list.into())
    }
}

impl<T> FromIterator<T> for Shared<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Shared<T> {
        items.into_iter().collect::<Vec<T>>().into()
    }
}

impl<'a, T> IntoIterator for &'a Shared<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> std::slice::Iter<'a, T> {
        self.0.iter()
    }
}

#[cfg(feature = "compiled")]
impl<T: serde::Serialize> serde::Serialize for Shared<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

#[cfg(feature = "compiled")]
impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Shared<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Shared<T>, D::Error> {
        Vec::deserialize(deserializer).map(Shared::from)
    }
}
