//! What the generic instructions find outside the registers: maps and devices, assumed or those of a machine.
//!
//! The `outside` terms of a state are variables of one device, then one bit: a device has run a command.

use isaglot_hart::{Config, Context};
use isaglot_semantics::Extern;
use isaglot_xintf::meaning::Meaning;

use crate::claim::{all, not, same};
use crate::command::{effect, free_variables};
use crate::symbolic::{Outcome, Outside, SymbolicState};
use crate::term::{Sort, TermId, Terms};

/// A table from keys to values: the first row that fits counts, else `otherwise`.
fn look_up(terms: &mut Terms, rows: &[(TermId, TermId)], otherwise: TermId) -> TermId {
    rows.iter().rev().fold(otherwise, |rest, &(fits, value)| terms.select(fits, value, rest))
}

/// `{1, value}`: there is one.
fn found(terms: &mut Terms, value: TermId) -> TermId {
    let one = terms.number(1, 1);
    terms.concat(one, value)
}

/// One command of a device as part of a larger choice.
pub(crate) struct Chosen {
    pub(crate) fits: TermId,
    pub(crate) result: TermId,
    pub(crate) traps: TermId,
    /// The state's variables after it, if it touches them.
    pub(crate) variables: Option<Vec<TermId>>,
}

/// Joins what all commands do; where none fits, `otherwise` counts.
pub(crate) fn choose(
    terms: &mut Terms,
    list: Vec<Chosen>,
    otherwise: (TermId, TermId),
    state: &mut SymbolicState,
) -> Outcome {
    let (mut result, mut traps) = otherwise;
    let count = state.outside.len().saturating_sub(1);
    let mut variables: Vec<TermId> = state.outside.iter().take(count).copied().collect();
    let before = variables.clone();
    for c in list.into_iter().rev() {
        result = terms.select(c.fits, c.result, result);
        traps = terms.select(c.fits, c.traps, traps);
        let after = c.variables.unwrap_or_else(|| before.clone());
        for (old, new) in variables.iter_mut().zip(after) {
            *old = terms.select(c.fits, new, *old);
        }
    }
    // A call that traps has changed nothing; the executor sees to the rest of the state.
    let asked = terms.number(1, 1);
    state.outside = variables;
    state.outside.push(asked);
    Outcome { result: Some(result), traps }
}

/// What the three externs of `xext` and `xcmd` give.
pub(crate) trait Maps {
    /// `{1, unit}` for an interface and a device number, or 0: 13 bits.
    fn lun_lookup(&self, terms: &mut Terms, uuid: TermId, dev: TermId) -> TermId;
    /// `{1, device, subdevice}` for a unit, or 0: 25 bits.
    fn device_lookup(&self, terms: &mut Terms, lun: TermId) -> TermId;
    /// A device runs a command: device, selector, rs1, rs2.
    fn device(&self, terms: &mut Terms, args: [TermId; 4], state: &mut SymbolicState) -> Outcome;

    /// The outcome of a call of an extern, if it is one of the three.
    fn answer(
        &self,
        terms: &mut Terms,
        callee: &Extern,
        args: &[TermId],
        state: &mut SymbolicState,
    ) -> Option<Outcome> {
        let traps = terms.number(0, 1);
        match (callee.name.as_str(), args) {
            ("lun_lookup", &[uuid, dev]) => Some(Outcome { result: Some(self.lun_lookup(terms, uuid, dev)), traps }),
            ("device_lookup", &[lun]) => Some(Outcome { result: Some(self.device_lookup(terms, lun)), traps }),
            ("device", &[d, selector, rs1, rs2]) => Some(self.device(terms, [d, selector, rs1, rs2], state)),
            _ => None,
        }
    }
}

/// Any maps and devices of which only this much is known: `uuid` and `dev` lead to `lun`, and this to a subdevice of a
/// device that does what an interface says; the fallback interfaces are there; nobody has the number `missing`.
pub(crate) struct Assumed<'m> {
    pub(crate) uuid: TermId,
    pub(crate) dev: TermId,
    pub(crate) lun: TermId,
    pub(crate) device: TermId,
    pub(crate) sub: TermId,
    /// The command that is known.
    pub(crate) command: Option<(u8, &'m Meaning)>,
    /// The interface is not served at all.
    pub(crate) missing: bool,
}

/// The device of the fallback interfaces, whichever it is.
fn fallback_device(terms: &mut Terms) -> TermId {
    terms.symbol("fallback.device", Sort::Bits(12))
}

impl Maps for Assumed<'_> {
    fn lun_lookup(&self, terms: &mut Terms, uuid: TermId, dev: TermId) -> TermId {
        let other = terms.symbol("other.lun", Sort::Bits(13));
        let (u, d) = (same(terms, uuid, self.uuid), same(terms, dev, self.dev));
        let this = all(terms, &[u, d]);
        let value = if self.missing { terms.number(0, 13) } else { found(terms, self.lun) };
        look_up(terms, &[(this, value)], other)
    }

    fn device_lookup(&self, terms: &mut Terms, lun: TermId) -> TermId {
        let other = terms.symbol("other.route", Sort::Bits(25));
        let fallback = fallback_device(terms);
        let mut rows = Vec::new();
        if !self.missing {
            let route = terms.concat(self.device, self.sub);
            rows.push((same(terms, lun, self.lun), found(terms, route)));
        }
        for n in 0..3 {
            let number = terms.number(n, 12);
            let route = terms.concat(fallback, number);
            let value = if n == 0 { terms.number(0, 25) } else { found(terms, route) };
            rows.push((same(terms, lun, number), value));
        }
        look_up(terms, &rows, other)
    }

    fn device(&self, terms: &mut Terms, args: [TermId; 4], state: &mut SymbolicState) -> Outcome {
        let [device, selector, rs1, rs2] = args;
        let width = terms.width(rs1);
        let mut list = Vec::new();
        if let Some((k, meaning)) = self.command {
            let number = terms.number(u64::from(k), 4);
            let wanted = terms.concat(number, self.sub);
            let (d, s) = (same(terms, device, self.device), same(terms, selector, wanted));
            let variables: Vec<TermId> =
                state.outside.iter().take(state.outside.len().saturating_sub(1)).copied().collect();
            let e = effect(terms, meaning, rs1, rs2, &variables);
            let fits = all(terms, &[d, s]);
            list.push(Chosen { fits, result: e.result, traps: e.traps, variables: Some(e.variables) });
        }
        let fallback = fallback_device(terms);
        let (zero, no) = (terms.number(0, width), terms.number(0, 1));
        let ones = terms.unary(isaglot_semantics::UnaryOp::Not, zero);
        for (sub, result) in [(1, zero), (2, ones)] {
            let sub = terms.number(sub, 12);
            let asked = terms.slice(selector, 0, 12);
            let (d, s) = (same(terms, device, fallback), same(terms, asked, sub));
            let fits = all(terms, &[d, s]);
            list.push(Chosen { fits, result, traps: no, variables: None });
        }
        let result = terms.symbol("other.result", Sort::Bits(width));
        let traps = terms.symbol("other.traps", Sort::Bits(1));
        choose(terms, list, (result, traps), state)
    }
}

impl Outside for Assumed<'_> {
    fn call(
        &mut self,
        terms: &mut Terms,
        callee: &Extern,
        args: &[TermId],
        state: &mut SymbolicState,
    ) -> Option<Outcome> {
        self.answer(terms, callee, args, state)
    }
}

/// The maps and devices of a machine at one level.
pub(crate) struct Tables<'c> {
    pub(crate) config: &'c Config,
    /// Its number, 0 to 3.
    pub(crate) level: u8,
    /// At the level user: the context in force, by its place; `None` for the tables that a machine starts with.
    pub(crate) context: Option<usize>,
    /// The device and subdevice whose variables the state has.
    pub(crate) own: Option<(usize, u16)>,
}

impl Tables<'_> {
    /// The context whose tables count, if it is one's; the inner `None` is one that there is not, which has no rows.
    fn own_context(&self) -> Option<Option<&Context>> {
        self.context.filter(|_| self.level == 0).map(|at| self.config.contexts.get(at))
    }

    /// The rows of the table from interfaces to units at this level: uuid, device number, unit.
    pub(crate) fn luns(&self) -> Vec<(u64, u16, u16)> {
        if let Some(context) = self.own_context() {
            return context.map_or(Vec::new(), |c| c.luns.clone());
        }
        let here = self.config.luns.iter().filter(|r| r.2 >> self.level & 1 == 1);
        here.map(|&(uuid, dev, _, lun)| (uuid, dev, lun)).collect()
    }

    /// The rows of the table from units to devices at this level: unit, device, subdevice.
    pub(crate) fn routes(&self) -> Vec<(u16, usize, u16)> {
        let place = |lun: u16, device: &str, sub: u16| {
            let at = self.config.devices.iter().position(|(name, _)| name == device)?;
            Some((lun, at, sub))
        };
        if let Some(context) = self.own_context() {
            let rows = context.into_iter().flat_map(|c| &c.routes);
            return rows.filter_map(|(lun, device, sub)| place(*lun, device, *sub)).collect();
        }
        let here = self.config.routes.iter().filter(|r| r.1 >> self.level & 1 == 1);
        here.filter_map(|(lun, _, device, sub)| place(*lun, device, *sub)).collect()
    }

    /// Where a unit leads at this level.
    pub(crate) fn route(&self, lun: u16) -> Option<(usize, u16)> {
        self.routes().into_iter().find(|r| r.0 == lun).map(|r| (r.1, r.2))
    }
}

impl Maps for Tables<'_> {
    fn lun_lookup(&self, terms: &mut Terms, uuid: TermId, dev: TermId) -> TermId {
        let width = terms.width(uuid);
        let mut rows = Vec::new();
        for (u, d, lun) in self.luns() {
            let (u, d, lun) =
                (terms.number(u, width), terms.number(u64::from(d), 12), terms.number(u64::from(lun), 12));
            let (u, d) = (same(terms, uuid, u), same(terms, dev, d));
            rows.push((all(terms, &[u, d]), found(terms, lun)));
        }
        let nothing = terms.number(0, 13);
        look_up(terms, &rows, nothing)
    }

    fn device_lookup(&self, terms: &mut Terms, lun: TermId) -> TermId {
        let mut rows = Vec::new();
        for (l, device, sub) in self.routes() {
            let route = terms.number(1 << 24 | (device as u64) << 12 | u64::from(sub), 25);
            let l = terms.number(u64::from(l), 12);
            rows.push((same(terms, lun, l), route));
        }
        let nothing = terms.number(0, 25);
        look_up(terms, &rows, nothing)
    }

    fn device(&self, terms: &mut Terms, args: [TermId; 4], state: &mut SymbolicState) -> Outcome {
        let [device, selector, rs1, rs2] = args;
        let width = terms.width(rs1);
        let mut list = Vec::new();
        for (at, (name, d)) in self.config.devices.iter().enumerate() {
            let number = terms.number(at as u64, 12);
            let this = same(terms, device, number);
            if terms.constant(this).is_some_and(isaglot_bits::Word::is_zero) {
                continue;
            }
            let unknown = |terms: &mut Terms, fits| Chosen {
                fits,
                result: terms.symbol(&format!("{name}.result"), Sort::Bits(width)),
                traps: terms.symbol(&format!("{name}.traps"), Sort::Bits(1)),
                variables: None,
            };
            let Some(commands) = d.commands() else {
                list.push(unknown(terms, this));
                continue;
            };
            for (sub, k) in commands {
                let number = terms.number(u64::from(k) << 12 | u64::from(sub), 16);
                let s = same(terms, selector, number);
                let fits = all(terms, &[this, s]);
                if terms.constant(fits).is_some_and(isaglot_bits::Word::is_zero) {
                    continue;
                }
                let Some(meaning) = d.meaning(self.config.xlen, sub, k) else {
                    list.push(unknown(terms, fits));
                    continue;
                };
                let own = self.own == Some((at, sub));
                let variables = if own {
                    state.outside.iter().take(state.outside.len().saturating_sub(1)).copied().collect()
                } else {
                    free_variables(terms, &meaning, &format!("{name}.{sub}."))
                };
                let e = effect(terms, &meaning, rs1, rs2, &variables);
                list.push(Chosen { fits, result: e.result, traps: e.traps, variables: own.then_some(e.variables) });
            }
        }
        let (zero, undefined) = (terms.number(0, width), terms.number(1, 1));
        choose(terms, list, (zero, undefined), state)
    }
}

impl Outside for Tables<'_> {
    fn call(
        &mut self,
        terms: &mut Terms,
        callee: &Extern,
        args: &[TermId],
        state: &mut SymbolicState,
    ) -> Option<Outcome> {
        self.answer(terms, callee, args, state)
    }
}

/// One bit: a term of 12 bits is none of these numbers.
pub(crate) fn none_of(terms: &mut Terms, lun: TermId, numbers: impl Iterator<Item = u16>) -> TermId {
    let mut bits = Vec::new();
    for n in numbers {
        let n = terms.number(u64::from(n), 12);
        let is = same(terms, lun, n);
        bits.push(not(terms, is));
    }
    all(terms, &bits)
}
