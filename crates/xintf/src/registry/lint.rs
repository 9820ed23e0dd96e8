//! What can be wrong with a registry, with a claim, and between a registry and interface definitions.

use std::collections::BTreeSet;

use isaglot_riscv::Xlen;
use isaglot_source::{Diagnostic, Diagnostics};

use super::text::{line, number};
use super::{NumberKind, Registry, RegistryEntry};
use crate::ast::Interface;
use crate::check::Target;
use crate::map::Map;
use crate::name;
use crate::uuid::{self, FALLBACK, MAX_NARROW, embed, hash20, hash52, narrow, rehash_name};

/// Checks every line by itself and against the others.
pub fn check(registry: &Registry, out: &mut Diagnostics) {
    let mut seen = Registry::default();
    let mut last: Option<&RegistryEntry> = None;
    let mut is_sorted = true;
    for entry in &registry.entries {
        single(entry, out);
        conflict(&seen, entry, out);
        seen.push(entry.clone());
        if let Some(before) = last
            && is_sorted
            && before.key() > entry.key()
        {
            is_sorted = false;
            let d = Diagnostic::warning("W-REG-ORDER", "the lines are not sorted by number");
            let d = d.label(entry.span, "this one is too late").secondary(before.span, "after this one");
            out.push(d.note("`isaglot xintf registry merge FILE -o FILE` sorts them"));
        }
        last = Some(entry);
    }
}

/// What is wrong with one line by itself.
pub(super) fn single(entry: &RegistryEntry, out: &mut Diagnostics) {
    if let Err(e) = name::check_interface(&entry.name) {
        let d = Diagnostic::error("E-NAME", format!("`{}` is not an interface name: {}", entry.name, e.why));
        out.push(d.label(entry.span, ""));
    }
    let owner = usize::try_from(entry.uuid).ok().and_then(|v| FALLBACK.get(v)).copied();
    if owner.is_some_and(|o| o != entry.name) {
        let d = Diagnostic::error("E-UUID-RESERVED", "numbers 0, 1 and 2 are the fallback interfaces");
        out.push(d.label(entry.span, ""));
        return;
    }
    let is_narrow = entry.uuid <= MAX_NARROW;
    let (top, expected) = match entry.kind {
        NumberKind::Central => (is_narrow && entry.uuid < 1 << 19, "a central number is below 0x80000"),
        NumberKind::Hash(_) if is_narrow => (entry.uuid >> 19 == 1, "a hashed number of 20 bits has its top bit set"),
        NumberKind::Hash(_) => (entry.uuid >> 51 == 1, "a hashed number of 52 bits has bit 51 as its top bit"),
    };
    if !top {
        let d = Diagnostic::error("E-UUID-RANGE", expected);
        out.push(d.label(entry.span, format!("{} is not", number(entry.uuid))));
        return;
    }
    if let NumberKind::Hash(n) = entry.kind {
        let hashed = rehash_name(&entry.name, n);
        let wanted = if is_narrow { hash20(&hashed) } else { hash52(&hashed) };
        if wanted != entry.uuid {
            let d = Diagnostic::warning("W-REG-HASH", format!("the hash of `{hashed}` is {}", number(wanted)));
            out.push(d.label(entry.span, "another number is claimed"));
        }
    }
}

/// Reports a name or a number that an earlier line has.
pub(super) fn conflict(registry: &Registry, entry: &RegistryEntry, out: &mut Diagnostics) {
    if let Some(first) = registry.named(&entry.name) {
        let d = Diagnostic::error("E-NAME-DUP", format!("`{}` is already registered", entry.name));
        let d = d.label(entry.span, "claimed again here").secondary(first.span, "registered here");
        out.push(d.note("lines are never changed: a new version of an interface is a new interface with a new name"));
        // One name with one number is one double claim, not two.
        if embed(first.uuid, Xlen::Rv64) == embed(entry.uuid, Xlen::Rv64) {
            return;
        }
    }
    if let Some(first) = registry.numbered(entry.uuid) {
        let message = format!("number {} belongs to `{}`", number(entry.uuid), first.name);
        let d = Diagnostic::error("E-UUID-COLLISION", message);
        let mut d = d.label(entry.span, "claimed again here").secondary(first.span, "registered here");
        for way in ways_out(registry, &entry.name) {
            d = d.note(way);
        }
        out.push(d);
    }
}

/// What the owner of a name can do when its hash is taken.
pub(super) fn ways_out(registry: &Registry, name: &str) -> Vec<String> {
    let mut ways = vec!["a central number is always free of collisions: `registry add --central`".to_owned()];
    let wide = hash52(name);
    if registry.numbered(wide).is_none() {
        ways.push(format!("on RV64 alone, the 52-bit hash {} is free: `--wide`", number(wide)));
    }
    let free = (1..=crate::limits::MAX_REHASH).find(|&n| registry.numbered(hash20(&rehash_name(name, n))).is_none());
    if let Some(n) = free {
        let hashed = rehash_name(name, n);
        ways.push(format!("the hash of `{hashed}`, {}, is free: `--rehash`", number(hash20(&hashed))));
    }
    ways
}

/// Checks that `now` still has every line of `before`.
pub fn append_only(before: &Registry, now: &Registry, out: &mut Diagnostics) {
    for entry in before.entries() {
        let kept = now.named(&entry.name).is_some_and(|e| e.key() == entry.key())
            || now.entries().iter().any(|e| e.key() == entry.key());
        if !kept {
            let mut d = Diagnostic::error("E-REG-LOST", format!("`{}` was changed or removed", entry.name));
            d = match now.named(&entry.name) {
                Some(changed) => d.label(changed.span, "now").secondary(entry.span, "before"),
                None => d.label(entry.span, "before"),
            };
            out.push(d.note(format!("a registry only grows; the line was `{}`", line(entry))));
        }
    }
}

/// Checks the interfaces of a processor map against the registry: a number that nobody registered is reported once.
pub fn against_map(map: &Map, registry: &Registry, out: &mut Diagnostics) {
    let mut seen = BTreeSet::new();
    for row in map.luns.iter().chain(map.contexts.iter().flat_map(|c| &c.luns)) {
        let Some(uuid) = row.uuid.value.filter(|&v| v > 2 && v <= uuid::max(map.xlen)) else { continue };
        if seen.insert(uuid) && registry.numbered(narrow(uuid, map.xlen)).is_none() {
            let message = format!("number {} is not registered", number(narrow(uuid, map.xlen)));
            out.push(Diagnostic::warning("W-REG-MISSING", message).label(row.uuid.span, ""));
        }
    }
}

/// Checks interface definitions against the registry: a number of another name, another number than the registered
/// one, or no line at all.
pub fn against<'a>(
    interfaces: impl IntoIterator<Item = &'a Interface>,
    registry: &Registry,
    target: Target,
    out: &mut Diagnostics,
) {
    for interface in interfaces {
        let Some(uuid) = interface.uuid else { continue };
        let Some(value) = uuid.value.filter(|&v| v <= uuid::max(target.xlen)) else { continue };
        let name = &interface.name.text;
        if FALLBACK.contains(&name.as_str()) {
            continue;
        }
        if let Some(other) = registry.numbered(value).filter(|e| e.name != *name) {
            let message = format!("the registry gives {} to `{}`", number(value), other.name);
            let d = Diagnostic::error("E-UUID-COLLISION", message).label(uuid.span, "used here");
            out.push(d.secondary(other.span, "registered here"));
        } else if let Some(own) = registry.named(name) {
            if embed(own.uuid, Xlen::Rv64) != embed(value, Xlen::Rv64) {
                let message = format!("the registry gives `{name}` the number {}", number(own.uuid));
                let d = Diagnostic::error("E-REG-MISMATCH", message).label(uuid.span, "another one here");
                out.push(d.secondary(own.span, "registered here"));
            }
        } else {
            let d = Diagnostic::warning("W-REG-MISSING", format!("`{name}` is not registered"));
            out.push(d.label(interface.name.span, "").note("`isaglot xintf registry add` claims a number"));
        }
    }
}
