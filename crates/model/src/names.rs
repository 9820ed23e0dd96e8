//! Interned names of fields and encodings, so that equality is a comparison of numbers.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

/// An interned string of one [`Isa`](crate::Isa) or [`Builder`](crate::Builder).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Name(pub u32);

/// The texts of [`Name`]s.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "compiled", serde(into = "Vec<Box<str>>", from = "Vec<Box<str>>"))]
pub struct Names {
    texts: Vec<Box<str>>,
    /// Made when a text is looked up first: most programs that load a compiled description never do.
    index: OnceLock<FxHashMap<Box<str>, Name>>,
}

impl Names {
    /// The name of this text, made if it is new.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.get(text) {
            return name;
        }
        let name = Name(self.texts.len() as u32);
        self.texts.push(text.into());
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
        let numbered = || self.texts.iter().zip(0..).map(|(text, number)| (text.clone(), Name(number)));
        self.index.get_or_init(|| numbered().collect())
    }

    /// The text of a name; empty for a name of another table.
    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", |t| t)
    }

    /// How many there are; names are numbered from 0.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

impl From<Names> for Vec<Box<str>> {
    fn from(names: Names) -> Vec<Box<str>> {
        names.texts
    }
}

impl From<Vec<Box<str>>> for Names {
    fn from(texts: Vec<Box<str>>) -> Names {
        Names { texts, index: OnceLock::new() }
    }
}
