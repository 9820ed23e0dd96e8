//! What an encoding does: a text of the semantics language with what its names mean here.
//!
//! One text serves all gens: parameters such as `xlen` have a value per gen, and the text is checked for every value
//! that its encoding can have. The names of a text are the encoding's operands and fields, the register files, the
//! parameters, and what the description declares as external.

use isaglot_semantics::Tree;
use isaglot_source::{Diagnostics, Span};

use crate::encoding::GenRange;

/// The parsed text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "compiled", serde(into = "String", try_from = "String"))]
pub struct Semantics {
    /// Its syntax tree.
    pub tree: Tree,
    /// The text as written.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl From<Semantics> for String {
    fn from(semantics: Semantics) -> String {
        semantics.text
    }
}

impl TryFrom<String> for Semantics {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Semantics, &'static str> {
        let tree = isaglot_semantics::parse(Span::NOWHERE.file, 0, &text, &mut Diagnostics::new());
        let tree = tree.ok_or("a text of semantics has syntax errors")?;
        Ok(Semantics { tree, text, span: Span::NOWHERE })
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
