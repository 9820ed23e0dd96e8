//! What the matcher is given for one line.

use isaglot_model::{Isa, Spelling};

use super::symbol::Site;
use crate::names::Names;
use crate::options::Compat;

/// What is read.
#[derive(Clone, Copy)]
pub(super) struct Input<'t> {
    pub(super) isa: &'t Isa,
    pub(super) text: &'t [u8],
    pub(super) relaxed: bool,
    /// The same, but nothing is relaxed besides that a name may stand where a branch goes.
    pub(super) named: bool,
    /// Numbers do not begin with a zero.
    pub(super) plain: bool,
    /// A text of a table may be written as its number too.
    pub(super) numbers: bool,
    /// What may be left out before a number.
    pub(super) mark: Option<u8>,
    /// Numbers and names of registers end where their word ends: what people mean, and how mistakes are explained.
    pub(super) whole: bool,
    pub(super) names: &'t Names,
    pub(super) site: Site<'t>,
    pub(super) compat: Compat,
}

impl Input<'_> {
    /// Whether words may be written in either case.
    #[inline]
    pub(super) fn any_case(&self) -> bool {
        self.relaxed && !self.named && self.isa.spelling() == Spelling::AnyCase
    }
}
