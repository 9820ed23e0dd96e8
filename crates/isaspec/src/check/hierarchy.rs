//! Who extends whom: every bitset must lead to a root, without circles and within bounds.

use isaglot_source::{Diagnostic, Diagnostics, closest};

use crate::gather::Tables;
use crate::limits;

/// Where a bitset stands.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// From the bitset itself up to its root, as places in [`Tables::sets`].
    pub(crate) levels: Vec<usize>,
    /// Width in bits: the root's, or less where an extension says so.
    pub(crate) width: u32,
}

impl Place {
    /// The root.
    pub(crate) fn root(&self) -> usize {
        self.levels.last().copied().unwrap_or(0)
    }
}

/// Finds the place of every live bitset.
pub(crate) fn check(tables: &Tables<'_>, live: &[bool], out: &mut Diagnostics) -> Vec<Option<Place>> {
    let mut places = Vec::with_capacity(tables.sets.len());
    let mut in_circle = vec![false; tables.sets.len()];
    for id in 0..tables.sets.len() {
        let wanted = live.get(id) == Some(&true);
        places.push(if wanted { place(tables, id, &mut in_circle, out) } else { None });
    }
    places
}

fn place(tables: &Tables<'_>, id: usize, in_circle: &mut [bool], out: &mut Diagnostics) -> Option<Place> {
    let mut levels = vec![id];
    let mut width = None;
    let mut at = id;
    loop {
        let set = tables.sets.get(at)?;
        width = width.or(set.decl.width);
        let Some(extends) = &set.decl.extends else { break };
        let Some(&parent) = tables.by_name.get(&extends.value) else {
            // Said once, where it stands.
            if at == id {
                let name = &set.decl.name.value;
                let message = format!("`{name}` extends `{}`, which does not exist", extends.value);
                let d = Diagnostic::error("isaspec-extends-missing", message).label(extends.span(), "no such bitset");
                out.push(d.did_you_mean(closest(&extends.value, tables.by_name.names())));
            }
            return None;
        };
        if let Some(start) = levels.iter().position(|&l| l == parent) {
            circle(tables, levels.get(start..).unwrap_or(&[]), in_circle, out);
            return None;
        }
        if levels.len() >= limits::MAX_EXTENDS_DEPTH {
            let message = format!("bitsets extend each other over more than {} steps", limits::MAX_EXTENDS_DEPTH);
            let start = tables.sets.get(id).map_or(extends.span(), |set| set.decl.name.span());
            out.push(Diagnostic::error("isaspec-extends-limit", message).label(start, "too far from its root"));
            return None;
        }
        levels.push(parent);
        at = parent;
    }
    let root = tables.sets.get(at)?;
    let size = root.decl.size?;
    if let Some(width) = width.filter(|w| w.value > size.value) {
        let message = format!("{} bits are more than the {} of the root", width.value, size.value);
        let d = Diagnostic::error("isaspec-size", message).label(width.span, "wider").secondary(size.span, "the root");
        out.push(d);
    }
    let width = width.map_or(size.value, |w| w.value.min(size.value));
    Some(Place { levels, width: u32::try_from(width).ok()? })
}

/// Reports a circle of bitsets that extend each other, once.
fn circle(tables: &Tables<'_>, members: &[usize], in_circle: &mut [bool], out: &mut Diagnostics) {
    if members.iter().any(|&m| in_circle.get(m) == Some(&true)) {
        return;
    }
    let mut d: Option<Diagnostic> = None;
    for &member in members {
        if let Some(flag) = in_circle.get_mut(member) {
            *flag = true;
        }
        let Some(set) = tables.sets.get(member) else { continue };
        let Some(extends) = &set.decl.extends else { continue };
        let name = &set.decl.name.value;
        d = Some(match d {
            None => Diagnostic::error("isaspec-extends-cycle", format!("bitset `{name}` extends itself"))
                .label(extends.span(), format!("`{name}` extends `{}`", extends.value))
                .note("a hierarchy starts at a bitset with `size`"),
            Some(d) => d.secondary(extends.span(), format!("`{name}` extends `{}`", extends.value)),
        });
    }
    out.push(d.unwrap_or_else(|| Diagnostic::error("isaspec-extends-cycle", "bitsets extend each other in a cycle")));
}
