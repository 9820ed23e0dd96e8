//! The isolation law: whatever command a program of the level `user` runs while a context is in force, it reaches no device of another
//! context, leaves the variables of those as they are, and is told nothing of them.
//!
//! A context owns the devices that its table leads to, but for those that the machine's file calls shared and for the fallback
//! interfaces. Method: any command on any handle and operand, in the tables of one context, with the variables of all devices free. It
//! is run twice, from states that differ only in what the devices of the other contexts hold; the two runs must not differ in what the
//! program sees. That no program of the level `user`
//! changes the tables or chooses among them is not a matter of formulas: no instruction writes a table, and the tests of the executor try
//! every instruction on the register.

use std::collections::BTreeSet;

use isaglot_hart::{Config, Device};
use isaglot_semantics::Extern;
use isaglot_xintf::meaning::Meaning;
use isaglot_xintf::profile::{GenericInst, Profile};

use crate::claim::{Claim, Difference, all, any, any_difference, difference, not, same};
use crate::command::{effect, lun};
use crate::machine::{HANDLE, OPERAND, Place, RESULT, after, context_name, line, places, scenario, tables_of, twin};
use crate::riscv::Riscv;
use crate::scenario::{Line, Outcome as Ends, Shows, quoted, setting};
use crate::symbolic::{CAUSE_BITS, Outcome, Outside, SymbolicState};
use crate::tables::{Chosen, Maps as _, Tables, choose};
use crate::term::{Sort, TermId, Terms};

/// A variable of a device. Those of the device as a whole are told apart by subdevice, too: it is devices that have owners.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept {
    device: usize,
    sub: u16,
    name: String,
    width: u32,
    /// Its value at reset.
    initial: u64,
}

/// The tables of one context, and all devices with their variables. The `outside` terms of a state are the variables, then the device
/// that was asked, then one bit: one was.
struct Everything<'c> {
    tables: Tables<'c>,
    kept: Vec<Kept>,
}

/// All commands of a device whose meaning is known.
fn meanings(device: &dyn Device, xlen: u32) -> Vec<(u16, u8, Option<Meaning>)> {
    let all = device.commands().unwrap_or_default();
    all.into_iter().map(|(sub, k)| (sub, k, device.meaning(xlen, sub, k))).collect()
}

fn kept(config: &Config) -> Vec<Kept> {
    let mut all = Vec::new();
    for (device, (_, d)) in config.devices.iter().enumerate() {
        for (sub, _, meaning) in meanings(d.as_ref(), config.xlen) {
            for v in meaning.into_iter().flat_map(|m| m.variables) {
                let one = Kept { device, sub, name: v.name, width: v.width, initial: v.initial };
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
    }
    all
}

impl Everything<'_> {
    /// The place of each variable of a command.
    fn places(&self, device: usize, sub: u16, meaning: &Meaning) -> Vec<usize> {
        let at = |name: &str, width: u32| {
            let is = |k: &Kept| k.device == device && k.sub == sub && k.name == name && k.width == width;
            self.kept.iter().position(is)
        };
        meaning.variables.iter().filter_map(|v| at(&v.name, v.width)).collect()
    }

    fn device(&self, terms: &mut Terms, args: [TermId; 4], state: &mut SymbolicState) -> Outcome {
        let [device, selector, rs1, rs2] = args;
        let width = terms.width(rs1);
        let config = self.tables.config;
        let mut before = state.outside.clone();
        before.truncate(self.kept.len() + 1);
        if let Some(asked) = before.last_mut() {
            *asked = device;
        }
        let mut list = Vec::new();
        for (at, (name, d)) in config.devices.iter().enumerate() {
            let number = terms.number(at as u64, 12);
            let this = same(terms, device, number);
            let unknown = |terms: &mut Terms, fits| Chosen {
                fits,
                result: terms.symbol(&format!("{name}.result"), Sort::Bits(width)),
                traps: terms.symbol(&format!("{name}.traps"), Sort::Bits(1)),
                variables: Some(before.clone()),
            };
            if d.commands().is_none() {
                list.push(unknown(terms, this));
            }
            for (sub, k, meaning) in meanings(d.as_ref(), config.xlen) {
                let number = terms.number(u64::from(k) << 12 | u64::from(sub), 16);
                let wanted = same(terms, selector, number);
                let fits = all(terms, &[this, wanted]);
                if terms.constant(fits).is_some_and(isaglot_bits::Word::is_zero) {
                    continue;
                }
                let Some(meaning) = meaning else {
                    list.push(unknown(terms, fits));
                    continue;
                };
                let places = self.places(at, sub, &meaning);
                let found: Vec<TermId> = places.iter().filter_map(|&p| before.get(p).copied()).collect();
                let e = effect(terms, &meaning, rs1, rs2, &found);
                let mut left = before.clone();
                for (&place, value) in places.iter().zip(e.variables) {
                    if let Some(variable) = left.get_mut(place) {
                        *variable = value;
                    }
                }
                list.push(Chosen { fits, result: e.result, traps: e.traps, variables: Some(left) });
            }
        }
        let (zero, undefined) = (terms.number(0, width), terms.number(1, 1));
        choose(terms, list, (zero, undefined), state)
    }
}

impl Outside for Everything<'_> {
    fn call(
        &mut self,
        terms: &mut Terms,
        callee: &Extern,
        args: &[TermId],
        state: &mut SymbolicState,
    ) -> Option<Outcome> {
        match (callee.name.as_str(), args) {
            ("device", &[d, selector, rs1, rs2]) => Some(self.device(terms, [d, selector, rs1, rs2], state)),
            _ => self.tables.answer(terms, callee, args, state),
        }
    }
}

/// The devices that a context owns by a map, as places among those of `config`.
fn owned(config: &Config, meant: &Config, context: Option<usize>) -> BTreeSet<usize> {
    let tables = Tables { config: meant, level: 0, context, own: None };
    let names = tables.routes().into_iter().filter_map(|(_, at, _)| meant.devices.get(at)).map(|d| d.0.as_str());
    let own = names.filter(|name| !meant.shared.iter().any(|shared| shared == name));
    let at = own.filter_map(|name| config.devices.iter().position(|(n, _)| n == name));
    at.filter(|&at| !is_fallback(config, at)).collect()
}

/// Whether a device is that of the fallback interfaces, which is everybody's: as it keeps nothing, it tells nothing.
fn is_fallback(config: &Config, at: usize) -> bool {
    let Some((name, device)) = config.devices.get(at) else { return false };
    let keeps =
        meanings(device.as_ref(), config.xlen).iter().any(|m| m.2.as_ref().is_none_or(|m| !m.variables.is_empty()));
    name == "fallback" && device.commands().is_some() && !keeps
}

/// What any command does from a state: whether it traps, its result, what is outside after it.
struct After {
    traps: TermId,
    result: TermId,
    outside: Vec<TermId>,
}

/// Runs every `xcmdK` from one state and joins them by a free K.
fn any_command(
    riscv: &mut Riscv<'_>,
    t: &mut Terms,
    profile: &Profile,
    everything: &mut Everything<'_>,
    state: &SymbolicState,
    k: TermId,
) -> Option<After> {
    let none = t.number(0, CAUSE_BITS);
    let zero = t.number(0, riscv.xlen());
    let mut joined = After { traps: t.number(1, 1), result: zero, outside: state.outside.clone() };
    for number in 0..u32::from(everything.tables.config.commands) {
        let after = after(riscv, t, profile, GenericInst::Xcmd(number), state, everything)?;
        let traps = t.binary(isaglot_semantics::BinaryOp::Ne, after.trap, none);
        let result = riscv.register(t, &after, RESULT);
        let number = t.number(u64::from(number), 5);
        let this = same(t, k, number);
        joined.traps = t.select(this, traps, joined.traps);
        joined.result = t.select(this, result, joined.result);
        for (all, one) in joined.outside.iter_mut().zip(after.outside) {
            *all = t.select(this, one, *all);
        }
    }
    Some(joined)
}

/// The isolation law of each context of a machine; nothing where it has none. With `intended`, that map says which devices a context
/// owns, by the numbers of contexts and the names of devices.
pub fn isolation(
    riscv: &mut Riscv<'_>,
    profile: &Profile,
    config: &Config,
    intended: Option<&Config>,
) -> Option<Vec<Claim>> {
    let meant = intended.unwrap_or(config);
    let mut claims = Vec::new();
    if config.contexts.is_empty() {
        return Some(claims);
    }
    for place in places(config).into_iter().filter(|p| p.level == 0) {
        claims.push(of_context(riscv, profile, config, meant, &place)?);
    }
    Some(claims)
}

fn of_context(
    riscv: &mut Riscv<'_>,
    profile: &Profile,
    config: &Config,
    meant: &Config,
    place: &Place,
) -> Option<Claim> {
    let mut terms = Terms::new();
    let t = &mut terms;
    let everything = &mut Everything { tables: tables_of(config, place), kept: kept(config) };
    let kept = everything.kept.clone();
    let others: Vec<(String, BTreeSet<usize>)> = places(config)
        .iter()
        .filter(|p| p.level == 0 && p.context != place.context)
        .map(|p| {
            let devices = owned(config, meant, twin(config, meant, p.context));
            (context_name(config, p.context).to_owned(), devices)
        })
        .collect();
    let owner = |device: usize| others.iter().find(|o| o.1.contains(&device)).map(|o| o.0.as_str());
    let device_name = |device: usize| config.devices.get(device).map_or("", |d| d.0.as_str());
    let full_name = |v: &Kept| format!("{}.{}.{}", device_name(v.device), v.sub, v.name);

    // Two states that differ in what the devices of other contexts hold.
    let mut start = riscv.state(t);
    start.outside = kept.iter().map(|v| t.symbol(&full_name(v), Sort::Bits(v.width))).collect();
    let mut other_start = start.clone();
    for (variable, v) in other_start.outside.iter_mut().zip(&kept).filter(|(_, v)| owner(v.device).is_some()) {
        *variable = t.symbol(&format!("other.{}", full_name(v)), Sort::Bits(v.width));
    }
    let found = start.outside.clone();
    for state in [&mut start, &mut other_start] {
        state.outside.push(t.number(0, 12));
        state.outside.push(t.number(0, 1));
    }
    let k = t.symbol("k", Sort::Bits(5));
    let one = any_command(riscv, t, profile, everything, &start, k)?;
    let two = any_command(riscv, t, profile, everything, &other_start, k)?;

    let always = t.number(1, 1);
    let nothing = t.number(0, 1);
    let asked = one.outside.last().copied().unwrap_or(nothing);
    let reached = one.outside.get(kept.len()).copied().unwrap_or(nothing);
    let mut differences = Vec::new();
    for (context, devices) in &others {
        for &device in devices {
            let number = t.number(device as u64, 12);
            let here = same(t, reached, number);
            let bit = all(t, &[asked, here]);
            let what = format!("the device asked: {}, of the context {context}", device_name(device));
            differences.push(Difference { what, at: None, bit, values: None });
        }
    }
    for (n, v) in kept.iter().enumerate() {
        let (Some(&was), Some(&is), Some(&other)) = (found.get(n), one.outside.get(n), two.outside.get(n)) else {
            continue;
        };
        let name = full_name(v);
        match owner(v.device) {
            Some(context) => {
                differences.push(difference(t, &format!("variable {name} of the context {context}"), always, is, was))
            }
            None => differences.push(difference(
                t,
                &format!("variable {name}, by what other contexts hold"),
                always,
                is,
                other,
            )),
        }
    }
    differences.push(difference(t, "trap, by what other contexts hold", always, one.traps, two.traps));
    let ran = not(t, one.traps);
    differences.push(difference(t, "result, by what other contexts hold", ran, one.result, two.result));
    let count = t.number(u64::from(config.commands), 5);
    let in_range = t.binary(isaglot_semantics::BinaryOp::LtU, k, count);
    let wrong = any_difference(t, &differences);
    let wrong = all(t, &[in_range, wrong]);
    let seen = any(t, &differences.iter().filter(|d| d.values.is_none()).map(|d| d.bit).collect::<Vec<_>>());
    // A run begins with what devices hold at reset.
    let mut at_reset = vec![in_range, seen];
    for (&variable, v) in found.iter().zip(&kept) {
        let initial = t.number(v.initial, v.width);
        at_reset.push(same(t, variable, initial));
    }
    let seen = all(t, &at_reset);

    let (handle, operand) = (riscv.register(t, &start, HANDLE), riscv.register(t, &start, OPERAND));
    let unit = lun(t, handle);
    let lines = vec![
        Line::Load("t1", handle),
        Line::Load("a2", operand),
        Line::Numbered("xcmd", k, " a0, t1, a2"),
        line("ebreak"),
    ];
    let got = Ends { traps: one.traps, a0: one.result };
    let mut shown = scenario(config, place, lines, Shows::Foreign(got));
    // A machine whose file does not say that these are shared is not run.
    let names: Vec<String> = several(config).into_iter().map(quoted).collect();
    shown.settings.push(setting("shared", format!("[{}]", names.join(", "))));
    for (v, &term) in kept.iter().zip(&found) {
        let path = ["devices", device_name(v.device), "state", &v.name].map(str::to_owned).to_vec();
        shown.variables.push((path, term));
    }
    let values = vec![("unit".to_owned(), unit), ("command".to_owned(), k)];
    let subject = context_name(config, place.context).to_owned();
    let claim = Claim::new("isolation", subject, format!("RV{}, user", config.xlen), terms, wrong, values);
    Some(Claim { differences, seen: Some(seen), scenario: Some(shown), ..claim })
}

/// The devices that several contexts of a machine reach, and those that its file calls shared.
fn several(config: &Config) -> Vec<&str> {
    let all = places(config);
    let sets: Vec<BTreeSet<usize>> =
        all.iter().filter(|p| p.level == 0).map(|p| owned(config, config, p.context)).collect();
    let of_several = |at: &usize| sets.iter().filter(|set| set.contains(at)).count() > 1;
    let names =
        (0..config.devices.len()).filter(of_several).filter_map(|at| config.devices.get(at)).map(|d| d.0.as_str());
    let mut names: Vec<&str> = names.chain(config.shared.iter().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    names
}
