//! Front end for isaspec: a description in, the model out, or all problems with their places.
#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! The problem: the reference tool stops at the first mistake with a Python traceback, and passes other mistakes on to
//! a C compiler. The method, file by file:
//!
//! * `xml` and `text` read XML within bounds and keep for every byte of a text the place that it came from;
//! * `read` makes the syntax tree ([`syntax`]), [`expr`] and [`display`] parse the texts inside it;
//! * `load` follows imports through a callback, `gather` finds what each name means, `check` finds what is wrong;
//! * `lower` flattens the hierarchy into the model;
//! * `lint` finds what looks like a mistake, when a check asks.
//!
//! Invariants: what the reference accepts is accepted (odd things are warnings). What the reference refuses, or the C
//! compiler that runs after it, is refused, with a code of the `isaspec-…` family and a place. All problems are reported,
//! not the first. No input makes this crate panic, and every bound is named in [`limits`].

mod check;
pub mod display;
pub mod expr;
mod gather;
pub mod limits;
mod lint;
mod load;
mod lower;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub mod oracle;
mod read;
mod roles;
pub mod syntax;
mod text;
mod xml;

use std::path::Path;

use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap};

pub use lint::{lints, silence};
pub use load::{Loader, Sources, load as load_sources};
pub use read::read;
pub use roles::Overlay;
use roles::RolesFile;
pub use text::Text;

/// Reads a description and all that it imports, checks it, and makes the model.
///
/// `top` is the path of the top file; imports are named relative to its directory. Files are read through `read_file`,
/// and added to `files`, so that diagnostics can quote them. Problems are added to `out`: with an error among them there
/// is no model; warnings alone do not prevent it.
pub fn load(files: &mut SourceMap, top: &str, read_file: &mut Loader<'_>, out: &mut Diagnostics) -> Option<Isa> {
    load_with_roles(files, top, None, read_file, out)
}

/// As [`load`], with the roles that an overlay gives to fields of the description.
pub fn load_with_roles(
    files: &mut SourceMap,
    top: &str,
    overlay: Option<Overlay<'_>>,
    read_file: &mut Loader<'_>,
    out: &mut Diagnostics,
) -> Option<Isa> {
    let errors = out.error_count();
    let sources = load::load(files, top, read_file, out)?;
    let overlay = match overlay {
        None => None,
        Some(overlay) => {
            let id = files.add(overlay.name.to_owned(), overlay.bytes);
            Some(roles::read(overlay.bytes, id, overlay.partial, out)?)
        }
    };
    let name = Path::new(top).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    checked(&sources, &name, overlay.as_ref(), errors, out)
}

/// Checks syntax trees that were made or read elsewhere, and makes the model: the way of front ends that lower to this
/// format. `name` is that of the description, unless the last file has one.
pub fn from_sources(sources: &Sources, name: &str, out: &mut Diagnostics) -> Option<Isa> {
    let errors = out.error_count();
    checked(sources, name, None, errors, out)
}

/// The common end of all ways: names, checks, model. There were `errors` before the sources were read.
fn checked(
    sources: &Sources,
    name: &str,
    overlay: Option<&RolesFile>,
    errors: usize,
    out: &mut Diagnostics,
) -> Option<Isa> {
    let tables = gather::gather(sources, overlay, out)?;
    let checked = check::check(sources, &tables, out);
    if out.error_count() > errors {
        return None;
    }
    let isa = lower::lower(sources, &tables, &checked, overlay, name, out)?;
    (out.error_count() == errors).then_some(isa)
}
