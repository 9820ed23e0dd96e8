//! Laws of one machine: each device does what the interfaces say that it serves; what nobody serves falls back; no unit
//! outside the maps reaches a device.

use isaglot_hart::{Config, Level};
use isaglot_semantics::{BinaryOp, UnaryOp};
use isaglot_xintf::map::DEFAULT_CONTEXT;
use isaglot_xintf::meaning::{Meaning, Variable};
use isaglot_xintf::profile::{GenericInst, Profile};

use crate::claim::{Claim, Difference, all, any, any_difference, difference, not, same};
use crate::command::{effect, free_variables, lun};
use crate::riscv::Riscv;
use crate::scenario::{Line, Outcome, Scenario, Shows, setting};
use crate::sequence::Command;
use crate::symbolic::{CAUSE_BITS, Outside, SymbolicState};
use crate::tables::{Maps as _, Tables, none_of};
use crate::term::{Sort, TermId, Terms};

/// Registers that programs use: the number of the interface, the handle, data, operand, result.
const ID: u64 = 5;
pub(crate) const HANDLE: u64 = 6;
const DATA: u64 = 11;
pub(crate) const OPERAND: u64 = 12;
pub(crate) const RESULT: u64 = 10;

pub(crate) fn line(text: impl Into<String>) -> Line {
    Line::Text(text.into())
}

/// Where a program can run: a level, and at the level user the context in force.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) level: u8,
    pub(crate) level_name: &'static str,
    /// The context by its place; `None` for the tables that a machine starts with.
    pub(crate) context: Option<usize>,
    /// The level, and the context of a machine that has any.
    pub(crate) name: String,
}

/// All places of a machine.
pub(crate) fn places(config: &Config) -> Vec<Place> {
    let mut all = Vec::new();
    for level in Level::ALL.into_iter().filter(|&l| config.levels >> (l as u8) & 1 == 1) {
        let has_contexts = level == Level::User && !config.contexts.is_empty();
        let contexts = std::iter::once(None).chain((0..config.contexts.len()).map(Some));
        for context in contexts.take(if has_contexts { usize::MAX } else { 1 }) {
            let level_name = level.name();
            let in_context = context_name(config, context);
            let name = if has_contexts { format!("{level_name}, context {in_context}") } else { level_name.to_owned() };
            all.push(Place { level: level as u8, level_name, context, name });
        }
    }
    all
}

/// The name of a context by its place.
pub(crate) fn context_name(config: &Config, context: Option<usize>) -> &str {
    context.and_then(|at| config.contexts.get(at)).map_or(DEFAULT_CONTEXT, |c| c.name.as_str())
}

pub(crate) fn scenario(config: &Config, place: &Place, lines: Vec<Line>, shows: Shows) -> Scenario {
    // One trap ends the run, so that what it ends with is what the law is about.
    let mut settings = vec![
        setting("start_priv", format!("\"{}\"", place.level_name)),
        setting("trap_model", "\"one-level-up\""),
        setting("ebreak", "\"stop\""),
    ];
    if !config.contexts.is_empty() {
        settings.push(setting("start_context", format!("\"{}\"", context_name(config, place.context))));
    }
    Scenario { xlen: config.xlen, lines, settings, variables: Vec::new(), on_machine: true, shows }
}

/// The tables that count in a place.
pub(crate) fn tables_of<'c>(config: &'c Config, place: &Place) -> Tables<'c> {
    Tables { config, level: place.level, context: place.context, own: None }
}

/// Each served command, at each level and through each device number, is the interface's. A command that the machine
/// serves without its meaning being known to it is compared with what is not known, and so refuted or undecided.
pub fn devices(
    riscv: &mut Riscv<'_>,
    profile: &Profile,
    config: &Config,
    commands: &[Command<'_>],
) -> Option<Vec<Claim>> {
    let mut claims = Vec::new();
    for place in places(config) {
        for (uuid, dev, unit) in tables_of(config, &place).luns() {
            for command in commands.iter().filter(|c| c.uuid == uuid) {
                claims.push(device(riscv, profile, config, &place, (dev, unit), command)?);
            }
        }
    }
    Some(claims)
}

/// The state after an opcode, with the registers that it has in claims.
pub(crate) fn after(
    riscv: &mut Riscv<'_>,
    t: &mut Terms,
    profile: &Profile,
    op: GenericInst,
    state: &SymbolicState,
    tables: &mut dyn Outside,
) -> Option<SymbolicState> {
    let registers = if matches!(op, GenericInst::Xext(_)) { [HANDLE, ID, DATA] } else { [RESULT, HANDLE, OPERAND] };
    let instruction = riscv.generic(profile, op, registers.map(|r| r as u32))?;
    riscv.execute(t, &instruction, &[], state, tables)
}

/// Which variable of a device, if any, stands for each variable of an interface: that with its name and width.
fn shared_variables(interface: &Meaning, device: &Meaning) -> Vec<Option<usize>> {
    let at = |v: &Variable| device.variables.iter().position(|k| k.name == v.name && k.width == v.width);
    interface.variables.iter().map(at).collect()
}

/// How the variable of the device that stands for one of the interface is another one: it is not there, or starts otherwise.
fn other_variable(
    t: &mut Terms,
    interface: &Meaning,
    device: &Meaning,
    at: usize,
    own: Option<usize>,
) -> Option<Difference> {
    let wanted = interface.variables.get(at)?;
    let bit = t.number(1, 1);
    let (name, width) = (&wanted.name, wanted.width);
    let what = match own.and_then(|own| device.variables.get(own)) {
        Some(own) if own.initial == wanted.initial => return None,
        Some(_) => format!("value of {name} at reset"),
        None => match device.variables.iter().find(|v| v.name == wanted.name) {
            Some(v) => {
                format!("variable {name}, which has {} bits in the device and {width} in the interface", v.width)
            }
            None => format!("variable {name}, which the device has not"),
        },
    };
    let own = own.and_then(|own| device.variables.get(own));
    let values = own.map(|own| (t.number(own.initial, width), t.number(wanted.initial, width)));
    Some(Difference { what, at: None, bit, values })
}

fn device(
    riscv: &mut Riscv<'_>,
    profile: &Profile,
    config: &Config,
    place: &Place,
    (dev, unit): (u16, u16),
    command: &Command<'_>,
) -> Option<Claim> {
    let mut terms = Terms::new();
    let t = &mut terms;
    let xlen = config.xlen;
    let mut tables = tables_of(config, place);
    let route = tables.route(unit);
    tables.own = route;
    let name = route.and_then(|(at, _)| config.devices.get(at)).map_or("nothing", |d| d.0.as_str());
    // The variables of the device, which stand for those of the interface with the same names.
    let on_device = route.and_then(|(at, sub)| config.devices.get(at)?.1.meaning(xlen, sub, command.k));
    let kept = on_device.as_ref().unwrap_or(command.meaning);
    let mut start = riscv.state(t);
    start.outside = free_variables(t, kept, "state.");
    let found = start.outside.clone();
    start.outside.push(t.number(0, 1));
    let shared = shared_variables(command.meaning, kept);
    let id = t.number(command.uuid << 12 | u64::from(dev), xlen);
    let at = t.number(ID, 5);
    riscv.set_register(t, &mut start, at, id);
    let (data, operand) = (riscv.register(t, &start, DATA), riscv.register(t, &start, OPERAND));
    let middle = after(riscv, t, profile, GenericInst::Xext(0), &start, &mut tables)?;
    let after = after(riscv, t, profile, GenericInst::Xcmd(u32::from(command.k)), &middle, &mut tables)?;

    let low = t.slice(data, 0, xlen - 12);
    let unit = t.number(u64::from(unit), 12);
    let handle = t.concat(low, unit);
    let variables: Vec<TermId> = shared
        .iter()
        .zip(&command.meaning.variables)
        .map(|(at, v)| {
            let own = at.and_then(|at| found.get(at)).copied();
            own.unwrap_or_else(|| t.symbol(&format!("interface.{}", v.name), Sort::Bits(v.width)))
        })
        .collect();
    let native = effect(t, command.meaning, handle, operand, &variables);
    let none = t.number(0, CAUSE_BITS);
    let traps = t.binary(BinaryOp::Ne, after.trap, none);
    let result = riscv.register(t, &after, RESULT);
    let ran = not(t, native.traps);
    let always = t.number(1, 1);
    let mut differences =
        vec![difference(t, "trap", always, traps, native.traps), difference(t, "result", ran, result, native.result)];
    for ((at, &wanted), v) in shared.iter().zip(&native.variables).zip(&command.meaning.variables) {
        if let Some(&got) = at.and_then(|at| after.outside.get(at)) {
            differences.push(difference(t, &format!("variable {}", v.name), ran, got, wanted));
        }
    }
    let seen = any_difference(t, &differences[..2]);
    // What a command has nothing to do with, it cannot get wrong.
    let used = |at: &usize| command.meaning.uses(*at);
    for at in (0..shared.len()).filter(used) {
        differences.extend(other_variable(t, command.meaning, kept, at, shared.get(at).copied().flatten()));
    }
    let wrong = any_difference(t, &differences);
    let lines = vec![
        Line::Load("t0", id),
        Line::Load("a1", data),
        Line::Load("a2", operand),
        line("xext t1, t0, a1"),
        line(format!("xcmd{} a0, t1, a2", command.k)),
        line("ebreak"),
    ];
    let got = Outcome { traps, a0: result };
    let wanted = Outcome { traps: native.traps, a0: native.result };
    let mut scenario = scenario(config, place, lines, Shows::Other { got, wanted });
    for (v, &term) in kept.variables.iter().zip(&found) {
        let path = ["devices", name, "state", &v.name].map(str::to_owned).to_vec();
        scenario.variables.push((path, term));
    }
    let mut values = vec![("data".to_owned(), data), ("rs2".to_owned(), operand)];
    values.extend(kept.variables.iter().zip(&found).map(|(v, &term)| (v.name.clone(), term)));
    let place = format!("RV{xlen}, {}, device number {dev}, {name}", place.name);
    let claim = Claim::new("device", command.name, place, terms, wrong, values);
    Some(Claim { differences, seen: Some(seen), scenario: Some(scenario), ..claim })
}

/// A command whose number is a term: what all of them come to, and which one it is.
struct AnyCommand {
    k: TermId,
    traps: TermId,
    result: TermId,
    asked: TermId,
}

/// Runs every `xcmdK` from one state and joins them by a free K.
fn any_command(
    riscv: &mut Riscv<'_>,
    t: &mut Terms,
    profile: &Profile,
    tables: &mut Tables<'_>,
    state: &SymbolicState,
) -> Option<AnyCommand> {
    let k = t.symbol("k", Sort::Bits(5));
    let none = t.number(0, CAUSE_BITS);
    let zero = t.number(0, riscv.xlen());
    let mut all = AnyCommand { k, traps: t.number(1, 1), result: zero, asked: t.number(0, 1) };
    for number in 0..u32::from(tables.config.commands) {
        let after = after(riscv, t, profile, GenericInst::Xcmd(number), state, tables)?;
        let traps = t.binary(BinaryOp::Ne, after.trap, none);
        let result = riscv.register(t, &after, RESULT);
        let asked = after.outside.last().copied().unwrap_or(zero);
        let number = t.number(u64::from(number), 5);
        let this = same(t, k, number);
        all.traps = t.select(this, traps, all.traps);
        all.result = t.select(this, result, all.result);
        all.asked = t.select(this, asked, all.asked);
    }
    Some(all)
}

/// What nobody serves at a level falls back there as the reference says.
pub fn fallback(riscv: &mut Riscv<'_>, profile: &Profile, config: &Config) -> Option<Vec<Claim>> {
    let mut claims = Vec::new();
    let xlen = config.xlen;
    for place in places(config) {
        for (j, name) in ["xext", "xext0", "xextm1"].into_iter().enumerate() {
            let mut terms = Terms::new();
            let t = &mut terms;
            let mut tables = tables_of(config, &place);
            let mut start = riscv.state(t);
            start.outside = vec![t.number(0, 1)];
            let (id, data) = (riscv.register(t, &start, ID), riscv.register(t, &start, DATA));
            let (uuid, dev) = (t.slice(id, 12, xlen - 12), t.slice(id, 0, 12));
            let hit = tables.lun_lookup(t, uuid, dev);
            let hit = t.slice(hit, 12, 1);
            let missing = not(t, hit);
            let middle = after(riscv, t, profile, GenericInst::Xext(j as u32), &start, &mut tables)?;
            let handle = riscv.register(t, &middle, HANDLE);
            let wanted_handle = t.number(j as u64, xlen);
            let always = t.number(1, 1);
            let wrong_handle = difference(t, "handle", always, handle, wanted_handle);
            // Where the handle is right, it is this constant.
            let mut right = middle.clone();
            let at = t.number(HANDLE, 5);
            riscv.set_register(t, &mut right, at, wanted_handle);
            let command = any_command(riscv, t, profile, &mut tables, &right)?;
            let count = t.number(u64::from(config.commands), 5);
            let in_range = t.binary(BinaryOp::LtU, command.k, count);
            let zero = t.number(0, xlen);
            let ones = t.unary(UnaryOp::Not, zero);
            let (want_trap, want) = [(1, zero), (0, zero), (0, ones)][j];
            let want_trap = t.number(want_trap, 1);
            let wrong_trap = difference(t, "trap", always, command.traps, want_trap);
            let runs = not(t, want_trap);
            let wrong_result = difference(t, "result", runs, command.result, want);
            let differences = vec![wrong_handle, wrong_trap, wrong_result];
            let wrong = any_difference(t, &differences);
            let wrong = all(t, &[missing, in_range, wrong]);
            let operand = riscv.register(t, &start, OPERAND);
            let lines = vec![
                Line::Load("t0", id),
                Line::Load("a1", data),
                Line::Load("a2", operand),
                line(format!("{name} t1, t0, a1")),
                Line::Numbered("xcmd", command.k, " a0, t1, a2"),
                line("ebreak"),
            ];
            let got = Outcome { traps: command.traps, a0: command.result };
            let wanted = Outcome { traps: want_trap, a0: want };
            let scenario = Some(scenario(config, &place, lines, Shows::Other { got, wanted }));
            let values = vec![("number and device".to_owned(), id), ("command".to_owned(), command.k)];
            let place = format!("RV{xlen}, {}, its maps", place.name);
            let subject = name.to_owned();
            let claim = Claim::new("fallback", subject, place, terms, wrong, values);
            claims.push(Claim { differences, scenario, ..claim });
        }
    }
    Some(claims)
}

/// The context of another map with the number of this one; a place that is none where there is no such context, which has no rows.
pub(crate) fn twin(config: &Config, other: &Config, context: Option<usize>) -> Option<usize> {
    let number = config.contexts.get(context?)?.number;
    Some(other.contexts.iter().position(|c| c.number == number).unwrap_or(usize::MAX))
}

/// The escape law, level by level: a device runs a command only for a unit that the map routes there at this level, and
/// that `xext` gives at this level. With `intended`, the routes are those of that map, and lead where it says.
pub fn escape(
    riscv: &mut Riscv<'_>,
    profile: &Profile,
    config: &Config,
    intended: Option<&Config>,
) -> Option<Vec<Claim>> {
    let mut claims = Vec::new();
    let xlen = config.xlen;
    let meant = intended.unwrap_or(config);
    for place in places(config) {
        let mut terms = Terms::new();
        let t = &mut terms;
        let mut tables = tables_of(config, &place);
        let mut start = riscv.state(t);
        start.outside = vec![t.number(0, 1)];
        let (handle, operand) = (riscv.register(t, &start, HANDLE), riscv.register(t, &start, OPERAND));
        let unit = lun(t, handle);
        let command = any_command(riscv, t, profile, &mut tables, &start)?;

        // Routed: the same device, by name, and subdevice as the map that counts says.
        let actual = tables.device_lookup(t, unit);
        let actual = t.slice(actual, 0, 24);
        let mut routed = Vec::new();
        // The context of the same number, if there is one.
        let map = Tables { config: meant, level: place.level, context: twin(config, meant, place.context), own: None };
        for (l, at, sub) in map.routes() {
            let Some((name, _)) = meant.devices.get(at) else { continue };
            let Some(here) = config.devices.iter().position(|(n, _)| n == name) else { continue };
            let l = t.number(u64::from(l), 12);
            let place = t.number((here as u64) << 12 | u64::from(sub), 24);
            let (l, place) = (same(t, unit, l), same(t, actual, place));
            routed.push(all(t, &[l, place]));
        }
        let routed = any(t, &routed);
        let never_given = none_of(t, unit, map.luns().iter().map(|r| r.2));
        let given = not(t, never_given);
        let allowed = all(t, &[routed, given]);
        let outside = not(t, allowed);
        let wrong = all(t, &[command.asked, outside]);
        let lines = vec![
            Line::Load("t1", handle),
            Line::Load("a2", operand),
            Line::Numbered("xcmd", command.k, " a0, t1, a2"),
            line("ebreak"),
        ];
        let got = Outcome { traps: command.traps, a0: command.result };
        let scenario = Some(scenario(config, &place, lines, Shows::Call(got)));
        let values = vec![("unit".to_owned(), unit), ("command".to_owned(), command.k)];
        let subject = place.name;
        let place = format!("RV{xlen}");
        claims.push(Claim { scenario, ..Claim::new("escape", subject, place, terms, wrong, values) });
    }
    Some(claims)
}
