//! Validation: everything that the reference's reader, table writer or C compiler would refuse, each with a code, a
//! place, and what was expected.
//!
//! Two groups of bitsets are told apart, as in the reference: those known by name (one each), and leaves that share a
//! name as variants for several gens, whose field types it does not check. What goes wrong only there is a warning where
//! it has a meaning at all.

mod bits;
mod format;
mod gens;
mod hierarchy;
mod types;

use isaglot_source::Diagnostics;

use crate::gather::Tables;
use crate::load::Sources;
pub(crate) use format::FormatInfo;
pub(crate) use gens::{effective as effective_gens, own as own_gens};
pub(crate) use hierarchy::Place;
pub(crate) use types::{Builtin, TypeOf, resolve};

/// What the checks found out, for lowering.
#[derive(Debug)]
pub(crate) struct Checked {
    /// Of each bitset, where it stands; `None` if it has no root, which was reported or means that it is never used.
    pub(crate) places: Vec<Option<Place>>,
    /// How instructions lie in memory.
    pub(crate) format: FormatInfo,
}

/// Checks everything; problems are added to `out`.
pub(crate) fn check(sources: &Sources, tables: &Tables<'_>, out: &mut Diagnostics) -> Checked {
    let several = tables.leaf_variants();
    // A bitset that a later one of its name replaced is no longer part of anything.
    let mut live = several.clone();
    for (_, id) in &tables.by_name.entries {
        if let Some(flag) = live.get_mut(*id) {
            *flag = true;
        }
    }
    let places = hierarchy::check(tables, &live, out);
    let format = format::check(sources, tables, &places, out);
    bits::redefined(tables, out);
    bits::inherited(tables, &places, &live, out);
    gens::check(tables, &places, &live, out);
    types::check(tables, &places, &live, &several, out);
    types::features(sources, tables, out);
    Checked { places, format }
}
