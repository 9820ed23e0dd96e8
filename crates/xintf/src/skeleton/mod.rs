//! Skeletons: the device's side of an interface, to be filled in.
//!
//! A skeleton compiles as it is; every command returns 0 until somebody writes what it does. A device is called with
//! the selector word `subdevice | k << 12` and the whole of rs1 and rs2 (reference 1.4), and says whether the command
//! exists: if it does not, the instruction traps.

mod c;
mod rust;
mod spike;
mod sv;

use std::collections::BTreeMap;

use isaglot_riscv::Xlen;

use crate::ast::{Command, Interface};
use crate::name::{mangle, short};
use crate::profile::Profile;

/// The language of a skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    /// A trait per interface, a device, and its dispatcher.
    Rust,
    /// C99: a function per command and a switch.
    C,
    /// A combinational SystemVerilog module.
    SystemVerilog,
    /// C++ for the Spike simulator: an `extension_t` that decodes the generic instructions itself.
    Spike,
}

/// An interface as a subdevice of the device that the skeleton is for.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The subdevice number.
    pub sub: u16,
    /// The interface; it has to be without errors.
    pub interface: &'a Interface,
}

/// The skeleton of one device. `n` is the number of commands per interface.
pub fn skeleton(parts: &[Part<'_>], profile: &Profile, n: u32, xlen: Xlen, lang: Lang) -> String {
    let units = units(parts);
    match lang {
        Lang::Rust => rust::skeleton(&units, xlen),
        Lang::C => c::skeleton(&units, xlen),
        Lang::SystemVerilog => sv::skeleton(&units, xlen),
        Lang::Spike => spike::skeleton(&units, profile, n),
    }
}

struct Unit<'a> {
    sub: u16,
    interface: &'a Interface,
    /// What the interface is called in the skeleton: its last component, or the mangled name if two would be the same.
    name: String,
}

impl Unit<'_> {
    fn commands(&self) -> impl Iterator<Item = (u32, &Command)> {
        self.interface.commands.iter().filter_map(|c| c.k.map(|k| (k, c)))
    }
}

fn units<'a>(parts: &[Part<'a>]) -> Vec<Unit<'a>> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for part in parts {
        *uses.entry(short(&part.interface.name.text)).or_default() += 1;
    }
    let unit = |part: &Part<'a>| {
        let full = &part.interface.name.text;
        let is_clear =
            uses.get(short(full)) == Some(&1) && !RUST_WORDS.contains(&short(full)) && short(full) != "Device";
        let name = if is_clear { short(full).to_owned() } else { mangle(full) };
        Unit { sub: part.sub, interface: part.interface, name }
    };
    parts.iter().map(unit).collect()
}

/// The documentation of a command with what its definition says of its meaning.
fn doc(interface: &Interface, command: &Command) -> Vec<String> {
    let mut lines = vec![format!("{}:{}", interface.name.text, command.name)];
    lines.extend(command.doc.lines().map(str::to_owned));
    if let Some(semantics) = &command.semantics {
        lines.extend(semantics.text.trim().lines().map(|l| format!("    {}", l.trim())));
    }
    lines.into_iter().map(|l| l.replace("*/", "* /").trim_end().to_owned()).collect()
}

/// Words that Rust keeps for itself.
const RUST_WORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];
