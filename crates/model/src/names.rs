//! Interned names of fields and encodings, so that equality is a comparison of numbers.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

/// An interned string of one [`Isa`](crate::Isa) or [`Builder`](crate::Builder).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Name(pub u32);

/// The texts of [`Name`]s.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// All of them, one after the other.
    all: String,
    /// Where each ends.
    ends: Vec<u32>,
    /// Made when a text is looked up first: most programs that load a compiled description never do.
    index: OnceLock<FxHashMap<Box<str>, Name>>,
}

impl Names {
    /// The texts that end there; `None` if one ends within a character, or not after the one before it, or if something is left.
    #[cfg(feature = "compiled")]
    pub(crate) fn of(all: String, ends: Vec<u32>) -> Option<Names> {
        let fits = ends.iter().all(|&end| all.is_char_boundary(end as usize)) && ends.is_sorted();
        let whole = ends.last().copied().unwrap_or(0) as usize == all.len();
        (fits && whole).then(|| Names { all, ends, index: OnceLock::new() })
    }

    /// The name of this text, made if it is new.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.get(text) {
            return name;
        }
        let name = Name(self.ends.len() as u32);
        self.all.push_str(text);
        self.ends.push(self.all.len() as u32);
        if let Some(index) = self.index.get_mut() {
            index.insert(text.into(), name);
        }
        name
    }

    /// The name of this text, if something has it.
    pub fn get(&self, text: &str) -> Option<Name> {
        self.index().get(text).copied()
    }

    fn index(&self) -> &FxHashMap<Box<str>, Name> {
        self.index.get_or_init(|| self.iter().zip(0..).map(|(text, number)| (text.into(), Name(number))).collect())
    }

    /// The text of a name; empty for a name of another table.
    pub fn text(&self, name: Name) -> &str {
        let Some(&end) = self.ends.get(name.0 as usize) else { return "" };
        let start = (name.0 as usize).checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&start| start);
        self.all.get(start as usize..end as usize).unwrap_or("")
    }

    /// All texts, by number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|number| self.text(Name(number)))
    }

    /// How many there are; names are numbered from 0.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}
