//! Claiming a number: hashed from the name, given out centrally, or chosen.

use isaglot_source::{Diagnostic, Diagnostics};

use super::{NumberKind, Registry, RegistryEntry, lint};
use crate::limits;
use crate::uuid::{hash20, hash52, rehash_name};

/// Which number is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// The lowest central number that is free.
    Central,
    /// The 20-bit hash of the name.
    Hash,
    /// The 20-bit hash of the name, or of `name#1`, `name#2`, … when it is taken.
    Rehash,
    /// The 52-bit hash of the name, for RV64 alone.
    Wide,
    /// This number, of the given kind, or of the kind that its top bit says.
    Number(u64, Option<NumberKind>),
}

/// The line that a request would add; its number may be taken, which [`claim`] reports.
fn wanted(registry: &mut Registry, name: &str, request: Request) -> Option<(u64, NumberKind)> {
    match request {
        Request::Central => {
            let mut next = registry.next_central.max(3);
            while next < 1 << 19 && registry.numbered(next).is_some() {
                next += 1;
            }
            registry.next_central = next;
            (next < 1 << 19).then_some((next, NumberKind::Central))
        }
        Request::Hash => Some((hash20(name), NumberKind::Hash(0))),
        Request::Wide => Some((hash52(name), NumberKind::Hash(0))),
        Request::Rehash => (0..=limits::MAX_REHASH)
            .map(|n| (hash20(&rehash_name(name, n)), NumberKind::Hash(n)))
            .find(|&(uuid, _)| registry.numbered(uuid).is_none()),
        Request::Number(uuid, kind) => {
            let top = uuid >> 19 != 0;
            Some((uuid, kind.unwrap_or(if top { NumberKind::Hash(0) } else { NumberKind::Central })))
        }
    }
}

/// Adds a line for `entry`'s name, owner and date with the number that is asked for. When that is refused, everything
/// that is wrong with it is reported, the registry stays as it is, and `None` is given. A clash is reported at
/// `entry.span`, which says where the request stands.
pub fn claim(
    registry: &mut Registry,
    mut entry: RegistryEntry,
    request: Request,
    out: &mut Diagnostics,
) -> Option<RegistryEntry> {
    let before = out.error_count();
    let Some((uuid, kind)) = wanted(registry, &entry.name, request) else {
        let mut d = Diagnostic::error("E-UUID-COLLISION", "no number of this kind is free");
        d = d.label(entry.span, "asked for here");
        for way in lint::ways_out(registry, &entry.name) {
            d = d.note(way);
        }
        out.push(d);
        return None;
    };
    (entry.uuid, entry.kind) = (uuid, kind);
    lint::single(&entry, out);
    lint::conflict(registry, &entry, out);
    if entry.owner.is_empty() || entry.owner.contains(char::is_whitespace) || !super::parse_date(&entry.date) {
        let d = Diagnostic::error("E-SYNTAX", "the owner is one word and the date reads YYYY-MM-DD");
        out.push(d.label(entry.span, ""));
    }
    if out.error_count() > before {
        return None;
    }
    registry.push(entry.clone());
    Some(entry)
}
