//! Generated files: names and texts. The caller writes them.

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The name, relative to the folder that the files go to; folders within it are divided by `/`.
    pub name: String,
    /// What is in it.
    pub text: String,
}

impl File {
    /// A file.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> File {
        File { name: name.into(), text: text.into() }
    }
}
