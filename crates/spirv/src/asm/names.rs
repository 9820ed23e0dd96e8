//! The names of a text with the ids that they got: twelve bytes each, the names themselves stay in the text.

use std::borrow::Cow;

use isaglot_invariant::Impossible as _;

use super::ids::{Ids, Name};
use crate::number::print::decimal;

/// Names of ids, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameList {
    /// By id: where the name stands in the text, its length, the id. Of length 0 is a name that is a number.
    list: Vec<(u32, u32, u32)>,
}

impl NameList {
    /// The names of a table, with the numbers that ids got in the end.
    pub(super) fn new(ids: &Ids<'_>, to: Option<&[u32]>) -> NameList {
        let mut list = Vec::new();
        list.reserve_exact(ids.iter().count());
        list.extend(ids.iter().map(|(name, id)| {
            let id = to.and_then(|to| to.get(id as usize).copied()).unwrap_or(id);
            match name {
                Name::Decimal(n) => (n, 0, id),
                Name::Text { at, text } => (at, text.len() as u32, id),
            }
        }));
        // Several names of one id are rare.
        let text = ids.text();
        list.sort_unstable_by(|a, b| a.2.cmp(&b.2).then_with(|| name(text, *a).cmp(&name(text, *b))));
        NameList { list }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The names without `%` and their ids; `text` is the text that was assembled.
    pub fn iter<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = (Cow<'t, str>, u32)> + use<'_, 't> {
        self.list.iter().map(move |&entry| (name(text, entry), entry.2))
    }

    /// The same, sorted by name.
    pub fn sorted<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = (Cow<'t, str>, u32)> + use<'t> {
        let mut list = self.list.clone();
        list.sort_unstable_by(|a, b| {
            let (mut digits_a, mut digits_b) = (Vec::new(), Vec::new());
            bytes(text, *a, &mut digits_a).cmp(bytes(text, *b, &mut digits_b))
        });
        list.into_iter().map(move |entry| (name(text, entry), entry.2))
    }
}

/// The bytes of an entry's name; `digits` is room for those of a number.
fn bytes<'b>(text: &'b [u8], (at, len, _): (u32, u32, u32), digits: &'b mut Vec<u8>) -> &'b [u8] {
    if len == 0 {
        decimal(digits, u64::from(at));
        return digits;
    }
    text.get(at as usize..(at + len) as usize).or_impossible(&[])
}

/// The name of an entry.
fn name(text: &[u8], entry: (u32, u32, u32)) -> Cow<'_, str> {
    match entry.1 {
        0 => entry.0.to_string().into(),
        _ => String::from_utf8_lossy(bytes(text, entry, &mut Vec::new())).into_owned().into(),
    }
}
