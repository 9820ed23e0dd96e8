//! The descriptions of `specs/` that the tool carries with it.

/// A description: its name, and its files, the top one first.
pub(crate) struct Embedded {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
}

impl Embedded {
    /// The name of the top file.
    pub(crate) fn top(&self) -> &'static str {
        self.files.first().map_or("", |f| f.0)
    }

    /// The text of a file of it.
    pub(crate) fn file(&self, name: &str) -> Option<&'static str> {
        self.files.iter().find(|f| f.0 == name).map(|f| f.1)
    }
}

const ALL: &[Embedded] = &[
    Embedded { name: "minnow", files: &[("minnow.xml", include_str!("../../../specs/minnow/minnow.xml"))] },
    Embedded { name: "trio", files: &[("trio.xml", include_str!("../../../specs/trio/trio.xml"))] },
];

/// The description of this name.
pub(crate) fn find(name: &str) -> Option<&'static Embedded> {
    ALL.iter().find(|e| e.name == name)
}

/// All names.
pub(crate) fn names() -> Vec<&'static str> {
    ALL.iter().map(|e| e.name).collect()
}
