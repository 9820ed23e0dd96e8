//! Laws that hold on every machine: opening a handle and using it is the native instruction, and what the fallback
//! interfaces give. Registers are any, and may be the same ones, as far as the law allows.

use isaglot_semantics::{BinaryOp, UnaryOp};
use isaglot_xintf::meaning::Meaning;
use isaglot_xintf::profile::{GenericInst, Profile};

use crate::claim::{Claim, Difference, all, any_difference, difference, not, same};
use crate::command::{effect, free_variables};
use crate::riscv::Riscv;
use crate::symbolic::{CAUSE_BITS, SymbolicState};
use crate::tables::Assumed;
use crate::term::{Sort, TermId, Terms};

/// Why there is no program for a law of every machine.
const ANY_MAPS: &str =
    "it is about any maps and any registers; `--cpu` asks the same of one machine, and shows it there";

/// A command of an interface.
#[derive(Clone, Copy, Debug)]
pub struct Command<'m> {
    /// `pkg:Intf:command`.
    pub name: &'m str,
    /// The number of its interface as a register holds it.
    pub uuid: u64,
    /// Its number.
    pub k: u8,
    /// What it does.
    pub meaning: &'m Meaning,
}

/// The registers of the two instructions, any numbers: handle, number of the interface, data, result, operand.
struct Registers {
    handle: TermId,
    id: TermId,
    data: TermId,
    result: TermId,
    operand: TermId,
}

impl Registers {
    fn free(terms: &mut Terms) -> Registers {
        let mut free = |name: &str| terms.symbol(name, Sort::Bits(5));
        Registers {
            handle: free("reg.handle"),
            id: free("reg.id"),
            data: free("reg.data"),
            result: free("reg.result"),
            operand: free("reg.operand"),
        }
    }

    /// What both laws take for granted: the number of the interface is in its register, which then is not the zero
    /// register unless the number is 0, and making the handle leaves the operand alone.
    fn granted(&self, riscv: &Riscv<'_>, t: &mut Terms, start: &SymbolicState, id: TermId) -> TermId {
        let held = read(riscv, t, start, self.id);
        let zero = t.number(0, 5);
        let handle_is_zero = same(t, self.handle, zero);
        let operand_is_handle = same(t, self.operand, self.handle);
        let bits = [same(t, held, id), not(t, handle_is_zero), not(t, operand_is_handle)];
        all(t, &bits)
    }

    fn values(&self) -> Vec<(String, TermId)> {
        [
            ("handle", self.handle),
            ("id", self.id),
            ("data", self.data),
            ("result", self.result),
            ("operand", self.operand),
        ]
        .map(|(name, term)| (format!("register of the {name}"), term))
        .to_vec()
    }
}

/// A register that reads as zero if its number is 0.
fn read(riscv: &Riscv<'_>, terms: &mut Terms, state: &SymbolicState, number: TermId) -> TermId {
    let value = riscv.register_at(terms, state, number);
    let zero = terms.number(0, 5);
    let is_zero = same(terms, number, zero);
    let nothing = terms.number(0, riscv.xlen());
    terms.select(is_zero, nothing, value)
}

/// A register written unless its number is 0.
fn write(riscv: &Riscv<'_>, terms: &mut Terms, state: &SymbolicState, number: TermId, value: TermId) -> SymbolicState {
    let mut after = state.clone();
    riscv.set_register(terms, &mut after, number, value);
    let zero = terms.number(0, 5);
    let is_zero = same(terms, number, zero);
    SymbolicState::join(terms, is_zero, state, &after)
}

/// How a state differs from the one that is wanted, in registers, memory, pc, or what is outside.
fn states_differ(
    riscv: &Riscv<'_>,
    terms: &mut Terms,
    step: &str,
    is: &SymbolicState,
    wanted: &SymbolicState,
) -> Vec<Difference> {
    let mut list = Vec::new();
    let when = terms.number(1, 1);
    if let (Some(x), Some(y)) = (riscv.registers(is), riscv.registers(wanted)) {
        list.push(difference(terms, "register", when, x, y));
    }
    list.push(difference(terms, "memory", when, is.memory, wanted.memory));
    list.push(difference(terms, "pc", when, is.pc, wanted.pc));
    let last = is.outside.len().saturating_sub(1);
    for (at, (&x, &y)) in is.outside.iter().zip(&wanted.outside).enumerate() {
        // The last says whether a device was asked.
        let what = if at == last { "whether a device is asked".to_owned() } else { format!("variable {at}") };
        list.push(difference(terms, &what, when, x, y));
    }
    for d in &mut list {
        d.what.push_str(step);
    }
    list
}

/// `xext; xcmdK` is the native instruction on every machine that has the interface.
pub fn native(riscv: &mut Riscv<'_>, profile: &Profile, command: &Command<'_>) -> Option<Claim> {
    let mut terms = Terms::new();
    let t = &mut terms;
    let xlen = riscv.xlen();
    let registers = Registers::free(t);
    let mut free = |name: &str, bits: u32| t.symbol(name, Sort::Bits(bits));
    let (dev, lun, device, sub) = (free("dev", 12), free("lun", 12), free("device", 12), free("sub", 12));
    let uuid = t.number(command.uuid, xlen - 12);
    let mut outside =
        Assumed { uuid, dev, lun, device, sub, command: Some((command.k, command.meaning)), missing: false };
    let mut before = riscv.state(t);
    before.outside = free_variables(t, command.meaning, "state.");
    before.outside.push(t.number(0, 1));
    let start = before.clone();

    let id = t.concat(uuid, dev);
    let assumed = registers.granted(riscv, t, &start, id);

    let opened = [("RD", registers.handle), ("RS1", registers.id), ("RS2", registers.data)];
    let xext = riscv.generic(profile, GenericInst::Xext(0), [1, 2, 3])?;
    let middle = riscv.execute(t, &xext, &opened, &start, &mut outside)?;
    let used = [("RD", registers.result), ("RS1", registers.handle), ("RS2", registers.operand)];
    let xcmd = riscv.generic(profile, GenericInst::Xcmd(u32::from(command.k)), [1, 2, 3])?;
    let after = riscv.execute(t, &xcmd, &used, &middle, &mut outside)?;

    // The native instruction: the lowest bits of the data beside the unit, and the operand.
    let given = read(riscv, t, &start, registers.data);
    let low = t.slice(given, 0, xlen - 12);
    let handle = t.concat(low, lun);
    let operand = read(riscv, t, &start, registers.operand);
    let variables: Vec<TermId> = start.outside.iter().take(command.meaning.variables.len()).copied().collect();
    let native = effect(t, command.meaning, handle, operand, &variables);
    let step = t.number(4, xlen);
    let opened = write(riscv, t, &start, registers.handle, handle);
    let between = t.binary(BinaryOp::Add, start.pc, step);
    let end = t.binary(BinaryOp::Add, between, step);
    let mut done = write(riscv, t, &opened, registers.result, native.result);
    done.outside = native.variables.clone();
    done.outside.push(t.number(1, 1));
    let none = t.number(0, CAUSE_BITS);
    let done = SymbolicState { pc: end, ..done };
    // If the command traps, the handle has been made and nothing else has happened.
    let stuck = SymbolicState { pc: between, ..opened };
    let traps = t.binary(BinaryOp::Ne, after.trap, none);
    let always = t.number(1, 1);
    let wanted = SymbolicState::join(t, native.traps, &stuck, &done);
    let mut differences = vec![difference(t, "trap", always, traps, native.traps)];
    differences.extend(states_differ(riscv, t, "", &after, &wanted));
    let wrong = any_difference(t, &differences);
    let wrong = all(t, &[assumed, wrong]);
    let mut values = registers.values();
    values.extend([("device number".to_owned(), dev), ("unit".to_owned(), lun), ("data".to_owned(), given)]);
    values.push(("operand".to_owned(), operand));
    let place = format!("RV{xlen}, any maps");
    let unshown = Some(ANY_MAPS.to_owned());
    let claim = Claim::new("sequence", command.name, place, terms, wrong, values);
    Some(Claim { differences, unshown, ..claim })
}

/// What a number that nobody serves gives, on every machine that has the fallback interfaces: `xext` a handle whose
/// commands trap, `xext0` one whose commands give 0, `xextm1` one whose commands give all ones.
pub fn fallback(riscv: &mut Riscv<'_>, profile: &Profile, commands: u32) -> Option<Vec<Claim>> {
    let mut claims = Vec::new();
    for (j, name) in ["xext", "xext0", "xextm1"].into_iter().enumerate() {
        let mut terms = Terms::new();
        let t = &mut terms;
        let xlen = riscv.xlen();
        let registers = Registers::free(t);
        let (uuid, dev) = (t.symbol("uuid", Sort::Bits(xlen - 12)), t.symbol("dev", Sort::Bits(12)));
        let nothing = t.number(0, 12);
        let mut outside =
            Assumed { uuid, dev, lun: nothing, device: nothing, sub: nothing, command: None, missing: true };
        let mut start = riscv.state(t);
        start.outside = vec![t.number(0, 1)];
        let id = t.concat(uuid, dev);
        let assumed = registers.granted(riscv, t, &start, id);

        let opened = [("RD", registers.handle), ("RS1", registers.id), ("RS2", registers.data)];
        let xext = riscv.generic(profile, GenericInst::Xext(j as u32), [1, 2, 3])?;
        let middle = riscv.execute(t, &xext, &opened, &start, &mut outside)?;
        let handle = t.number(j as u64, xlen);
        let length = t.number(4, xlen);
        let pc = t.binary(BinaryOp::Add, start.pc, length);
        let wanted = SymbolicState { pc, ..write(riscv, t, &start, registers.handle, handle) };
        let mut wrong = states_differ(riscv, t, " after the handle is made", &middle, &wanted);
        let always = t.number(1, 1);
        let used = [("RD", registers.result), ("RS1", registers.handle), ("RS2", registers.operand)];
        let none = t.number(0, CAUSE_BITS);
        for k in 0..commands {
            let xcmd = riscv.generic(profile, GenericInst::Xcmd(k), [1, 2, 3])?;
            let after = riscv.execute(t, &xcmd, &used, &middle, &mut outside)?;
            let traps = t.binary(BinaryOp::Ne, after.trap, none);
            let step = format!(" after command {k}");
            let want_trap = t.number(u64::from(j == 0), 1);
            wrong.push(difference(t, &format!("trap of command {k}"), always, traps, want_trap));
            if j == 0 {
                wrong.extend(states_differ(riscv, t, &step, &after, &wanted));
                continue;
            }
            let zero = t.number(0, xlen);
            let result = if j == 1 { zero } else { t.unary(UnaryOp::Not, zero) };
            let pc = t.binary(BinaryOp::Add, wanted.pc, length);
            let mut done = SymbolicState { pc, ..write(riscv, t, &wanted, registers.result, result) };
            done.outside = vec![t.number(1, 1)];
            wrong.extend(states_differ(riscv, t, &step, &after, &done));
        }
        let differences = wrong;
        let wrong = any_difference(t, &differences);
        let wrong = all(t, &[assumed, wrong]);
        let mut values = registers.values();
        values.push(("number and device".to_owned(), id));
        let place = format!("RV{xlen}, any maps");
        let unshown = Some(ANY_MAPS.to_owned());
        let claim = Claim::new("fallback", name, place, terms, wrong, values);
        claims.push(Claim { differences, unshown, ..claim });
    }
    Some(claims)
}
