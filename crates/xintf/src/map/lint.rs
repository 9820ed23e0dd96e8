//! What can be wrong with the two tables: the codes of reference 2.1 that are about maps.
//!
//! Rows with a value out of range or a reserved logical unit are reported once and then ignored, so that one slip does
//! not cause a series of others. Everything else is judged per level, because no level inherits the rows of
//! another one.

use std::collections::{BTreeMap, BTreeSet};

use isaglot_source::{Diagnostic, Diagnostics, Span};

use super::{Levels, LunRow, Map, Route, Value, isolated};
use crate::{limits, uuid};

/// What to look for beside the lints that are always on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Report logical units that lead to different functions at different levels (W-DEPUTY, R29).
    pub deputy: bool,
}

/// A row of the first table at one level, with every value in range.
struct Entry {
    uuid: u64,
    dev: u64,
    level: Levels,
    lun: u64,
    span: Span,
}

/// A row of the second table at one level, with every value in range.
struct Dest<'a> {
    lun: u64,
    level: Levels,
    device: &'a str,
    sub: u64,
    span: Span,
}

/// Reports everything that is wrong or odd with the tables of a map.
pub fn lint(map: &Map, options: Options, out: &mut Diagnostics) {
    tables(map, options, out);
    for context in &map.contexts {
        let mut found = Diagnostics::new();
        tables(&map.alone(context), options, &mut found);
        for d in &found {
            out.push(d.clone().note(format!("in the tables of the context `{}`", context.name)));
        }
    }
    shared(map, &|_| true, out);
    isolated(map, out);
}

fn tables(map: &Map, options: Options, out: &mut Diagnostics) {
    let mut reserved: BTreeMap<u64, (Span, &'static str)> = BTreeMap::new();
    let mut entries: Vec<Entry> = Vec::new();
    for row in &map.luns {
        let Some((uuid, dev, lun)) = lun_row(map, row, out) else { continue };
        if lun < u64::from(limits::FIRST_LUN) && !(lun < 3 && uuid == lun && dev == 0) {
            reserved.entry(lun).or_insert((row.lun.span, "only the fallback interfaces have numbers below 32"));
            continue;
        }
        if uuid < 3 && lun != uuid {
            let d = Diagnostic::error("E-UUID-RESERVED", format!("number {uuid} belongs to a fallback interface"));
            let d = d.label(row.uuid.span, format!("device 0 is logical unit {uuid}, and there is no other"));
            out.push(d);
            continue;
        }
        entries.extend(row.levels.each().map(|level| Entry { uuid, dev, level, lun, span: row.span }));
    }
    let mut dests: Vec<Dest<'_>> = Vec::new();
    for row in &map.routes {
        let Some((lun, sub)) = route(row, out) else { continue };
        if lun < u64::from(limits::FIRST_LUN) && !(matches!(lun, 1 | 2) && row.device == "fallback" && sub == lun) {
            let why = match lun {
                0 => "logical unit 0 always traps and is never routed",
                1 | 2 => "logical units 1 and 2 are subdevices 1 and 2 of the device `fallback`",
                _ => "only the fallback interfaces have numbers below 32",
            };
            reserved.entry(lun).or_insert((row.lun.span, why));
            continue;
        }
        let device = row.device.as_str();
        dests.extend(row.levels.each().map(|level| Dest { lun, level, device, sub, span: row.span }));
    }
    for (lun, (span, why)) in reserved {
        let d = Diagnostic::error("E-RESERVED-LUN", format!("logical unit {lun} is reserved"));
        out.push(d.label(span, why));
    }
    duplicates(&entries, &dests, out);
    routed(map, &entries, &dests, out);
    holes(map, &entries, out);
    if options.deputy {
        deputies(&dests, out);
    }
}

/// E-SUB-SHARED: one per subdevice that two interfaces lead to, at whatever levels. A device is told the subdevice and the number of
/// the command, and could not tell which interface was meant. Only devices that `of` gives are looked at.
pub fn shared(map: &Map, of: &dyn Fn(&str) -> bool, out: &mut Diagnostics) {
    let mut first: BTreeMap<(&str, u64), (u64, Span, bool)> = BTreeMap::new();
    // A logical unit is what its own tables say.
    let contexts = map.contexts.iter().map(|c| (c.luns.as_slice(), c.routes.as_slice()));
    let all = std::iter::once((map.luns.as_slice(), map.routes.as_slice())).chain(contexts);
    for (row, routes) in all.flat_map(|(luns, routes)| luns.iter().map(move |row| (row, routes))) {
        let (Some(uuid), Some(lun)) = (row.uuid.value, row.lun.value) else { continue };
        let is_own = lun >= u64::from(limits::FIRST_LUN) && lun <= limits::MAX_UNIT;
        let here = |route: &&Route| route.lun.value == Some(lun) && route.levels.0 & row.levels.0 != 0;
        for route in routes.iter().filter(here).filter(|route| is_own && of(&route.device)) {
            let Some(sub) = route.sub.value else { continue };
            let seen = first.entry((&route.device, sub)).or_insert((uuid, row.span, false));
            if seen.0 == uuid || seen.2 {
                continue;
            }
            seen.2 = true;
            let message =
                format!("interfaces {:#x} and {uuid:#x} both lead to subdevice {sub} of {}", seen.0, route.device);
            let d = Diagnostic::error("E-SUB-SHARED", message).label(row.span, format!("{uuid:#x} here"));
            let d = d.secondary(seen.1, format!("{:#x} here", seen.0));
            out.push(
                d.note("the device could not tell which one is meant: give each a subdevice of its own, with `sub`"),
            );
        }
    }
}

fn in_range(value: Value, max: u64, what: &str, out: &mut Diagnostics) -> Option<u64> {
    let good = value.value.filter(|&v| v <= max);
    if good.is_none() {
        let d = Diagnostic::error("E-RANGE", format!("the {what} is too large"));
        out.push(d.label(value.span, format!("at most {max:#x}")));
    }
    good
}

fn lun_row(map: &Map, row: &LunRow, out: &mut Diagnostics) -> Option<(u64, u64, u64)> {
    let uuid = in_range(row.uuid, uuid::max(map.xlen), "interface number", out);
    let dev = in_range(row.dev, limits::MAX_UNIT, "device number", out);
    let lun = in_range(row.lun, limits::MAX_UNIT, "logical unit number", out);
    Some((uuid?, dev?, lun?))
}

fn route(row: &Route, out: &mut Diagnostics) -> Option<(u64, u64)> {
    let lun = in_range(row.lun, limits::MAX_UNIT, "logical unit number", out);
    let sub = in_range(row.sub, limits::MAX_UNIT, "subdevice number", out);
    Some((lun?, sub?))
}

/// E-DUP-KEY and E-DUP-DEST: one per key that is given again, however often.
fn duplicates(entries: &[Entry], dests: &[Dest<'_>], out: &mut Diagnostics) {
    let mut keys: BTreeMap<(u64, u64, Levels), (&Entry, bool)> = BTreeMap::new();
    for e in entries {
        let seen = keys.entry((e.uuid, e.dev, e.level)).or_insert((e, false));
        if std::ptr::eq(seen.0, e) || seen.1 {
            continue;
        }
        seen.1 = true;
        let message = format!("interface {:#x}, device {} is given again for level {}", e.uuid, e.dev, e.level);
        let d = Diagnostic::error("E-DUP-KEY", message).label(e.span, format!("logical unit {} here", e.lun));
        out.push(d.secondary(seen.0.span, format!("logical unit {} here", seen.0.lun)));
    }
    let mut keys: BTreeMap<(u64, Levels), (&Dest<'_>, bool)> = BTreeMap::new();
    for t in dests {
        let seen = keys.entry((t.lun, t.level)).or_insert((t, false));
        if std::ptr::eq(seen.0, t) || seen.1 {
            continue;
        }
        seen.1 = true;
        let d =
            Diagnostic::error("E-DUP-DEST", format!("logical unit {} is routed again for level {}", t.lun, t.level));
        let d = d.label(t.span, format!("to {}, subdevice {} here", t.device, t.sub));
        out.push(d.secondary(seen.0.span, format!("to {}, subdevice {} here", seen.0.device, seen.0.sub)));
    }
}

/// E-NO-DEST, E-MISSING-FALLBACK and W-UNREACHABLE.
fn routed(map: &Map, entries: &[Entry], dests: &[Dest<'_>], out: &mut Diagnostics) {
    let routes: BTreeSet<(u64, Levels)> = dests.iter().map(|t| (t.lun, t.level)).collect();
    let mut reported = BTreeSet::new();
    for e in entries {
        let unrouted = e.lun != 0 && !routes.contains(&(e.lun, e.level));
        if unrouted && reported.insert((e.uuid, e.dev, e.level, e.lun)) {
            let message = format!("logical unit {} goes nowhere at level {}", e.lun, e.level);
            out.push(Diagnostic::error("E-NO-DEST", message).label(e.span, "every command would trap"));
        }
    }
    let given: BTreeSet<(u64, Levels)> =
        entries.iter().filter(|e| e.dev == 0 && e.uuid == e.lun).map(|e| (e.uuid, e.level)).collect();
    let missing: Vec<String> = [1, 2]
        .into_iter()
        .filter_map(|n| {
            let left = map.levels.each().filter(|&l| !given.contains(&(n, l))).fold(0, |m, l| m | l.0);
            (left != 0).then(|| format!("{n} at {}", Levels(left)))
        })
        .collect();
    if !missing.is_empty() {
        let message = format!("fallback interfaces are missing: {}", missing.join("; "));
        let mut d = Diagnostic::error("E-MISSING-FALLBACK", message);
        if let Some(row) = map.luns.first() {
            d = d.label(row.span, "in this table");
        }
        out.push(d.note("give interfaces 1 and 2, device 0, the logical units 1 and 2 at every level"));
    }
    let reachable: BTreeSet<(u64, Levels)> = entries.iter().map(|e| (e.lun, e.level)).collect();
    let mut lost: BTreeMap<u64, (Levels, Span)> = BTreeMap::new();
    for t in dests {
        // xext0 and xextm1 give 1 and 2 for any unknown interface.
        if t.lun > 2 && !reachable.contains(&(t.lun, t.level)) {
            lost.entry(t.lun).or_insert((Levels::default(), t.span)).0.0 |= t.level.0;
        }
    }
    for (lun, (levels, span)) in lost {
        let d = Diagnostic::warning("W-UNREACHABLE", format!("no `xext` gives logical unit {lun} at {levels}"));
        out.push(d.label(span, "routed here").note("any code may still make up the number"));
    }
}

/// W-PRIV-HOLE and W-DEV-GAP: one per interface.
fn holes(map: &Map, entries: &[Entry], out: &mut Diagnostics) {
    let mut by_uuid: BTreeMap<u64, Vec<&Entry>> = BTreeMap::new();
    for e in entries {
        by_uuid.entry(e.uuid).or_default().push(e);
    }
    for (uuid, rows) in by_uuid {
        let Some(span) = rows.first().map(|e| e.span) else { continue };
        let have = Levels(rows.iter().fold(0, |m, e| m | e.level.0));
        let below = |l: Levels| have.0 & (l.0 - 1) != 0;
        let above = |l: Levels| have.0 & !(l.0 | (l.0 - 1)) != 0;
        let is_hole = |l: &Levels| !have.has(*l) && (*l == Levels::MACH || (below(*l) && above(*l)));
        let holes = Levels(map.levels.each().filter(is_hole).fold(0, |m, l| m | l.0));
        if holes != Levels::default() {
            let d = Diagnostic::warning("W-PRIV-HOLE", format!("interface {uuid:#x} is unknown at {holes}"));
            out.push(d.label(span, format!("it is known at {have}")).note("no level inherits the rows of another"));
        }
        let devs: BTreeSet<(Levels, u64)> = rows.iter().map(|e| (e.level, e.dev)).collect();
        let gap = devs.iter().find(|&&(level, dev)| dev > 0 && !devs.contains(&(level, dev - 1)));
        if let Some(&(level, dev)) = gap {
            let message = format!("interface {uuid:#x} has device {dev} but no device {} at {level}", dev - 1);
            let at = rows.iter().find(|e| (e.level, e.dev) == (level, dev)).map_or(span, |e| e.span);
            let d = Diagnostic::warning("W-DEV-GAP", message).label(at, "");
            out.push(d.note("code that tries device numbers in turn stops at the gap"));
        }
    }
}

/// W-DEPUTY: one per logical unit.
fn deputies(dests: &[Dest<'_>], out: &mut Diagnostics) {
    let mut first: BTreeMap<u64, (&Dest<'_>, bool)> = BTreeMap::new();
    for t in dests {
        let seen = first.entry(t.lun).or_insert((t, false));
        if seen.1 || (seen.0.device, seen.0.sub) == (t.device, t.sub) {
            continue;
        }
        seen.1 = true;
        let d = Diagnostic::warning("W-DEPUTY", format!("logical unit {} means different things by level", t.lun));
        let d = d.label(t.span, format!("{}, subdevice {} at {}", t.device, t.sub, t.level));
        let there = format!("{}, subdevice {} at {}", seen.0.device, seen.0.sub, seen.0.level);
        out.push(d.secondary(seen.0.span, there).note("a handle from less privileged code must not be used as it is"));
    }
}
