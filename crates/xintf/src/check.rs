//! What can be wrong with interfaces that could be read: the codes of reference 2.1 that are about definition files.
//!
//! Every finding is about one place; where two places disagree both are shown. The interfaces of all files of a run
//! are checked as one set, because two interfaces with one number are invisible at run time (1.8.1).

use std::collections::BTreeMap;

use isaglot_riscv::Xlen;
use isaglot_source::{Diagnostic, Diagnostics, Span};

use crate::ast::Interface;
use crate::uuid::{self, FALLBACK, embed};

/// What the interfaces are meant for.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The register width.
    pub xlen: Xlen,
    /// Commands per interface, N of the reference; a power of two of at most 16.
    pub commands: u32,
}

impl Default for Target {
    fn default() -> Target {
        Target { xlen: Xlen::Rv64, commands: 8 }
    }
}

/// Checks a set of interfaces, each by itself and against the others.
pub fn check<'a>(interfaces: impl IntoIterator<Item = &'a Interface>, target: Target, out: &mut Diagnostics) {
    let mut names: BTreeMap<&str, Span> = BTreeMap::new();
    let mut numbers: BTreeMap<u64, &Interface> = BTreeMap::new();
    for interface in interfaces {
        let name = &interface.name;
        match names.get(name.text.as_str()) {
            Some(&first) => {
                let d = Diagnostic::error("E-NAME-DUP", format!("two interfaces are called `{}`", name.text));
                out.push(d.label(name.span, "again here").secondary(first, "first here"));
            }
            None => {
                names.insert(&name.text, name.span);
            }
        }
        commands(interface, target, out);
        let Some(number) = number(interface, target, out) else { continue };
        match numbers.get(&number) {
            Some(first) => out.push(collision(interface, first)),
            None => {
                numbers.insert(number, interface);
            }
        }
    }
}

/// The number of an interface as a register holds it, unless there is none or it is out of range.
fn number(interface: &Interface, target: Target, out: &mut Diagnostics) -> Option<u64> {
    let name = &interface.name;
    let Some(uuid) = interface.uuid else {
        if !interface.uuid_broken {
            let d = Diagnostic::error("E-UUID-MISSING", format!("`{}` has no `uuid` line", name.text));
            out.push(
                d.label(name.span, "")
                    .note("write `uuid: 0x…` as its first line; `isaglot xintf registry add` gives one"),
            );
        }
        return None;
    };
    let max = uuid::max(target.xlen);
    let Some(value) = uuid.value.filter(|&v| v <= max) else {
        let message =
            format!("the number does not fit the {} bits of RV{}", uuid::bits(target.xlen), target.xlen.bits());
        out.push(Diagnostic::error("E-UUID-RANGE", message).label(uuid.span, format!("at most {max:#x}")));
        return None;
    };
    let owner = usize::try_from(value).ok().and_then(|v| FALLBACK.get(v)).copied();
    if let Some(owner) = owner
        && owner != name.text
    {
        let d = Diagnostic::error("E-UUID-RESERVED", format!("number {value} belongs to `{owner}`"));
        out.push(d.label(uuid.span, "reserved").note("numbers 0, 1 and 2 are the fallback interfaces; take another"));
    }
    Some(embed(value, target.xlen))
}

fn collision(interface: &Interface, first: &Interface) -> Diagnostic {
    let place = |i: &Interface| i.uuid.map_or(i.name.span, |u| u.span);
    let written = |i: &Interface| i.uuid.and_then(|u| u.value).unwrap_or_default();
    let message = format!("`{}` and `{}` have the same number", interface.name.text, first.name.text);
    let mut d = Diagnostic::error("E-UUID-COLLISION", message)
        .label(place(interface), "this number")
        .secondary(place(first), format!("also that of `{}`", first.name.text));
    if written(interface) != written(first) {
        d = d.note("a 20-bit number stands for its sign extension to 52 bits, as `lui` makes it");
    }
    d.note("at run time `xext` would find the wrong interface without any sign of it; register another number")
}

fn commands(interface: &Interface, target: Target, out: &mut Diagnostics) {
    let mut names: BTreeMap<&str, Span> = BTreeMap::new();
    let mut numbers: BTreeMap<u32, Span> = BTreeMap::new();
    for command in &interface.commands {
        match names.get(command.name.as_str()) {
            Some(&first) => {
                let d = Diagnostic::error("E-NAME-DUP", format!("two commands are called `{}`", command.name));
                out.push(d.label(command.name_span, "again here").secondary(first, "first here"));
            }
            None => {
                names.insert(&command.name, command.name_span);
            }
        }
        if let Some((span, why)) = &command.bad_operands {
            let d = Diagnostic::error("E-CMD-OPS", format!("the operands of `{}` are wrong: {why}", command.name));
            out.push(d.label(*span, "").note("a command reads `name rd rs1 rs2: xcmdK rd rs1 rs2`"));
        }
        let Some(k) = command.k.filter(|&k| k < target.commands) else {
            let n = target.commands;
            let d = Diagnostic::error("E-CMD-RANGE", format!("there are {n} commands per interface"));
            out.push(d.label(command.k_span, format!("at most `xcmd{}`", n.saturating_sub(1))));
            continue;
        };
        match numbers.get(&k) {
            Some(&first) => {
                let d = Diagnostic::error("E-CMD-DUP", format!("two commands are `xcmd{k}`"));
                out.push(d.label(command.k_span, "again here").secondary(first, "first here"));
            }
            None => {
                numbers.insert(k, command.k_span);
            }
        }
    }
}
