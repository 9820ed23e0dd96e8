//! From the XML document to the syntax tree: shapes only, no names.
//!
//! The reference looks at direct children only and ignores what it does not know; so does this, with a warning. Every
//! problem is reported and the part left out; reading continues after it.

mod bitset;
mod expansion;
mod extension;
mod features;
mod known;
mod reader;
mod semantics;
mod top;

use isaglot_source::{Diagnostics, FileId};

use crate::syntax::File;
use crate::xml;
pub(crate) use extension::registers;
pub(crate) use reader::Reader;
pub(crate) use top::expression;

/// Reads one file; `None` if it is no XML document within the bounds.
pub fn read(bytes: &[u8], file: FileId, out: &mut Diagnostics) -> Option<File> {
    let input = xml::decode(bytes, file, out)?;
    let document = xml::parse(input, file, out)?;
    Some(top::file(&mut Reader { file, input, out, dialect: false }, document.root_element()))
}
