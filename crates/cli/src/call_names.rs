//! Lines of a disassembly in which calls of generic instructions carry the names of their interfaces.
//!
//! The data flow needs the whole program, so it is read once before; then the lines are taken one by one and `xcmdK` is
//! replaced where a name is known.

use isaglot_riscv::Xlen;
use isaglot_riscv::steps::{Facts, steps};
use std::collections::BTreeMap;
use std::path::PathBuf;

use isaglot_asm::{Hooks, Stream};
use isaglot_codec::Plan;
use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xintf::check::{Target, check};
use isaglot_xintf::map::{self, DEFAULT_CONTEXT, Levels};
use isaglot_xintf::resolve::{Names, resolve};

use crate::cmd::xintf;
use crate::session::Session;

/// The options that ask for names.
#[derive(clap::Args, Debug)]
pub(crate) struct CallArgs {
    /// Name the commands of the interfaces that these files define.
    #[arg(long, value_name = "FILE")]
    pub(crate) xintf: Vec<PathBuf>,
    /// The map of the processor: also name commands whose logical unit is written down.
    #[arg(long, value_name = "FILE", requires = "xintf", requires = "level")]
    pub(crate) map: Option<PathBuf>,
    /// The privilege level of the program: user, super, hyper or mach.
    #[arg(long, value_name = "LEVEL", requires = "map", value_parser = parse_level)]
    pub(crate) level: Option<Levels>,
    /// The context of the map that is in force for a program of the level user; `default` if not given.
    #[arg(long, value_name = "NAME", requires = "map")]
    pub(crate) context: Option<String>,
}

fn parse_level(text: &str) -> Result<Levels, String> {
    Levels::named(text).ok_or_else(|| "expected user, super, hyper or mach".to_owned())
}

/// The tables that a program sees with its context in force.
fn in_context(map: map::Map, args: &CallArgs, found: &mut Diagnostics) -> Option<map::Map> {
    let Some(name) = &args.context else { return Some(map) };
    if args.level != Some(Levels::USER) {
        let d = Diagnostic::error("E-CONTEXT-LEVEL", "`--context` is about programs of the level user");
        found.push(d.note("all other levels have the same tables, whatever context is in force"));
        return None;
    }
    match map.context(name) {
        Some(context) => Some(map.while_in(context)),
        None if name == DEFAULT_CONTEXT => Some(map),
        None => {
            let names: Vec<&str> =
                [DEFAULT_CONTEXT].into_iter().chain(map.contexts.iter().map(|c| c.name.as_str())).collect();
            let near = isaglot_source::closest(name, names.iter().copied());
            let d = Diagnostic::error("E-CONTEXT", format!("the map has no context `{name}`")).did_you_mean(near);
            found.push(d.note(format!("it has {}", names.join(", "))));
            None
        }
    }
}

/// The interfaces that may be called, and the map that gives literal numbers a meaning.
pub(crate) struct Interfaces {
    names: Names,
    map: Option<(map::Map, Levels)>,
    xlen: Xlen,
}

impl Interfaces {
    /// Reads the files. Problems are reported; `None` if one of them is an error.
    pub(crate) fn new(args: &CallArgs, plan: &Plan<'_>, session: &mut Session) -> Option<Interfaces> {
        let mut found = Diagnostics::new();
        let xlen = Xlen::of(plan.generation());
        let set = xintf::load(session, &args.xintf, &[], &mut found);
        check(set.written(), Target { xlen, commands: isaglot_xintf::limits::MAX_COMMANDS }, &mut found);
        let names = Names::new(set.interfaces(), xlen);
        let map = args.map.as_deref().and_then(|path| {
            let id = xintf::read(session, Some(path), &mut found)?;
            let bytes = session.files.get(id).map(|f| f.bytes.clone())?;
            let mut map = map::read(id, &bytes, &set, xlen, &mut found);
            map::build(&mut map, &mut found);
            in_context(map, args, &mut found)
        });
        session.report(&found);
        (!found.has_errors()).then_some(Interfaces { names, map: map.zip(args.level), xlen })
    }

    /// Follows the data flow of a program: the names of its calls, by offset.
    pub(crate) fn names(&self, plan: &Plan<'_>, entries: &[u64], bytes: &[u8]) -> BTreeMap<u64, String> {
        let steps = steps(plan, &Facts::new(plan), self.xlen, bytes);
        let resolved = resolve(&steps, entries, self.xlen.bits(), &|uuid| self.names.knows(uuid));
        let mut by_address: BTreeMap<u64, String> =
            resolved.calls.iter().map(|(&at, call)| (at, self.names.name(call.uuid, call.k))).collect();
        if let Some((map, level)) = &self.map {
            for (&at, &(lun, k)) in &resolved.literal {
                by_address.extend(self.names.literal(map, *level, lun, k).map(|name| (at, name)));
            }
        }
        by_address
    }
}

/// The names of calls in a stream, by offset.
pub(crate) struct CallNames {
    names: BTreeMap<u64, String>,
    position: u64,
}

impl CallNames {
    /// For a stream from its first byte on.
    pub(crate) fn new(names: BTreeMap<u64, String>) -> CallNames {
        CallNames { names, position: 0 }
    }

    /// Appends the lines of the next piece of the stream; gives how many bytes were used.
    pub(crate) fn feed(
        &mut self,
        stream: &mut Stream<'_, '_>,
        bytes: &[u8],
        hooks: &mut dyn Hooks,
        out: &mut Vec<u8>,
    ) -> usize {
        let mut used = 0;
        loop {
            let start = out.len();
            let Some(size) = stream.step(bytes.get(used..).or_impossible(&[]), hooks, out) else { return used };
            if let Some(name) = self.names.get(&self.position) {
                rename(out, start, name);
            }
            self.position += size as u64;
            used += size;
        }
    }
}

/// Replaces the mnemonic `xcmdK` in the last line from `start` on.
pub(crate) fn rename(out: &mut Vec<u8>, start: usize, name: &str) {
    let end = out.len().saturating_sub(1);
    let text = out.get(start..end).unwrap_or(&[]);
    let line = start + text.iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
    let text = out.get(line..end).or_impossible(&[]);
    let Some(at) = text.windows(4).position(|w| w == b"xcmd") else { return };
    let digits = text.iter().skip(at + 4).take_while(|b| b.is_ascii_digit()).count();
    out.splice(line + at..line + at + 4 + digits, name.bytes());
}
