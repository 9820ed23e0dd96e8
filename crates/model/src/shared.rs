//! Lists that many parts of a model have alike.
//!
//! Problem: a target of LLVM has instructions by the ten thousand, and most of them have the fields, operands and refused words of many others.
//! Invariant: a list never changes, so who holds it cannot see who else does. Method: a counted reference to a list, and the part of it that
//! is meant: a compiled description has all lists of a kind one after the other, in memory too. A clone is the same list. Texts
//! that occur often are `Arc<str>` for the same reason.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A list that is cheap to clone. It reads like a slice.
pub struct Shared<T> {
    /// `None` where it is empty.
    all: Option<Arc<Vec<T>>>,
    from: u32,
    to: u32,
}

impl<T> Shared<T> {
    /// A part of a list; an empty one if the list has no such part.
    pub(crate) fn part(all: &Arc<Vec<T>>, from: usize, to: usize) -> Shared<T> {
        match (u32::try_from(from), u32::try_from(to)) {
            (Ok(from), Ok(to)) if from < to && to as usize <= all.len() => {
                Shared { all: Some(Arc::clone(all)), from, to }
            }
            _ => Shared::default(),
        }
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        Shared { all: self.all.clone(), from: self.from, to: self.to }
    }
}

impl<T> Default for Shared<T> {
    fn default() -> Shared<T> {
        Shared { all: None, from: 0, to: 0 }
    }
}

impl<T> Deref for Shared<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        let part = self.all.as_ref().and_then(|all| all.get(self.from as usize..self.to as usize));
        part.unwrap_or_default()
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Shared<T>) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Shared<T> {}

impl<T: Hash> Hash for Shared<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T> From<Vec<T>> for Shared<T> {
    fn from(list: Vec<T>) -> Shared<T> {
        let length = list.len();
        Shared::part(&Arc::new(list), 0, length)
    }
}

impl<T: Clone> From<&[T]> for Shared<T> {
    fn from(list: &[T]) -> Shared<T> {
        list.to_vec().into()
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
        self.iter()
    }
}
