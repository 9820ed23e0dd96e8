//! Roles: what the fields of somebody else's description are to its instructions, said in a file beside it.
//!
//! The problem: Mesa's descriptions say how instructions look, not what they read and write, and they are not ours to
//! change. The method: an *overlay* names bitsets and fields of the description and adds register files, operands and
//! flow to them; it changes no pattern, no field and no text. `docs/isaspec.md` describes the format.
//!
//! Invariant: a name that the description does not have is an error at its place, unless the overlay is taken as
//! [`Overlay::partial`]; then what does not fit is left out, and one warning says how much.

mod lower;
mod read;

use isaglot_source::{FileId, Span};

pub(crate) use lower::{Roles, prepare};
pub(crate) use read::read;

use crate::syntax::{ExprDecl, FlowDecl, Registers};
use crate::text::Text;

/// A file of roles.
#[derive(Clone, Copy, Debug)]
pub struct Overlay<'a> {
    /// The name under which it is spoken of.
    pub name: &'a str,
    /// What it holds.
    pub bytes: &'a [u8],
    /// Leave out what the description does not have, with a warning: for roles that were not made for this very version.
    pub partial: bool,
}

/// What such a file says.
#[derive(Debug)]
pub(crate) struct RolesFile {
    pub(crate) id: FileId,
    pub(crate) partial: bool,
    pub(crate) registers: Vec<Registers>,
    /// Expressions with names.
    pub(crate) exprs: Vec<(Text, ExprDecl)>,
    pub(crate) sets: Vec<SetRoles>,
}

/// What it says of a bitset, and so of every leaf below it.
#[derive(Debug)]
pub(crate) struct SetRoles {
    pub(crate) name: Text,
    pub(crate) operands: Vec<RoleDecl>,
    pub(crate) flow: Option<FlowDecl>,
}

/// `<operand>` of an overlay.
#[derive(Debug)]
pub(crate) struct RoleDecl {
    /// The field that it is.
    pub(crate) field: Option<Text>,
    /// The register that it is, where no field says so.
    pub(crate) register: Option<Text>,
    /// The number of the register, where that is not the field's value.
    pub(crate) number: Option<Formula>,
    pub(crate) registers: Option<Text>,
    pub(crate) access: Option<Text>,
    pub(crate) when: Option<Formula>,
    pub(crate) count: Option<Formula>,
    pub(crate) mask: Option<Formula>,
    pub(crate) span: Span,
}

/// An expression, or the name of one that the overlay or the description has.
#[derive(Debug)]
pub(crate) enum Formula {
    Named(Text),
    Written(Box<ExprDecl>),
}
