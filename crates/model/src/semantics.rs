//! What an encoding does: a text of the semantics language with what its names mean here.
//!
//! One text serves all gens: parameters such as `xlen` have a value per gen, and the text is checked for every value
//! that its encoding can have. The names of a text are the encoding's operands and fields, the register files, the
//! parameters, and what the description declares as external.
//!
//! A compiled description has the text alone. It is parsed when its tree is first asked for: to disassemble and to assemble nobody does.

use std::sync::OnceLock;

use isaglot_semantics::Tree;
use isaglot_source::{Diagnostics, Span};

use crate::encoding::GenRange;

/// The text. Two are equal if they have the same text at the same place.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "compiled", serde(into = "String", from = "String"))]
pub struct Semantics {
    /// The text as written.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    tree: OnceLock<Option<Tree>>,
}

impl Semantics {
    /// A text with its syntax tree.
    #[must_use]
    pub fn new(text: String, tree: Tree, span: Span) -> Semantics {
        Semantics { text, span, tree: OnceLock::from(Some(tree)) }
    }

    /// Its syntax tree; `None` if it has syntax errors, which is so in no [`Isa`](crate::Isa) that was validated.
    pub fn tree(&self) -> Option<&Tree> {
        let parse = || isaglot_semantics::parse(Span::NOWHERE.file, 0, &self.text, &mut Diagnostics::new());
        self.tree.get_or_init(parse).as_ref()
    }
}

impl PartialEq for Semantics {
    fn eq(&self, other: &Semantics) -> bool {
        self.text == other.text && self.span == other.span
    }
}

impl Eq for Semantics {}

impl From<Semantics> for String {
    fn from(semantics: Semantics) -> String {
        semantics.text
    }
}

impl From<String> for Semantics {
    fn from(text: String) -> Semantics {
        Semantics { text, span: Span::NOWHERE, tree: OnceLock::new() }
    }
}

/// A number that depends on the gen: `xlen`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its values; for a gen in none of the ranges it is 0.
    pub values: Vec<(GenRange, u32)>,
    /// Where it is defined.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}

/// A width in bits: a number, or the value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub enum Width {
    /// So many.
    Bits(u32),
    /// As many as this parameter says.
    Parameter(String),
}

/// Something outside the language that texts may call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
pub struct ExternFunction {
    /// Its name.
    pub name: String,
    /// Widths of its arguments.
    pub args: Vec<Width>,
    /// Width of its result, if it has one.
    pub result: Option<Width>,
    /// Where it is declared.
    #[cfg_attr(feature = "compiled", serde(skip))]
    pub span: Span,
}
