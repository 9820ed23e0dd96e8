//! Commands given in the semantics language: run by its interpreter.

use isaglot_bits::Word;
use isaglot_invariant::Impossible as _;
use isaglot_riscv::Xlen;
use isaglot_semantics::{ExternId, FileIndex, Machine, OperandIndex};
use isaglot_source::{Diagnostics, FileId, Span};
use isaglot_xintf::ast::{Interface, Semantics};
use isaglot_xintf::meaning::{self, DATA, LUN, Meaning, RS1, RS2, Variable};

use super::{Action, Described};

/// The register width as interfaces know it.
pub(super) fn width(xlen: u32) -> Xlen {
    Xlen::of(xlen)
}

/// The variables of a device.
pub(super) fn of_device(names: &[String], state: &[u64], xlen: u32) -> Vec<Variable> {
    let one = |(name, &initial): (&String, &u64)| Variable { name: name.clone(), width: xlen, initial };
    names.iter().zip(state).map(one).collect()
}

/// Types a text that is right, or nearly so.
pub(super) fn typed(text: &str, variables: Vec<Variable>, xlen: u32) -> Option<Meaning> {
    let semantics = Semantics { text: text.to_owned(), span: Span::new(FileId(0), 0, 0) };
    meaning::compile(&semantics, false, variables, width(xlen), &mut Diagnostics::new())
}

/// A trap: the command is undefined after all.
struct Undefined;

struct Run<'a> {
    xlen: u32,
    /// The operands by number.
    operands: [u64; 5],
    result: Word,
    variables: &'a mut [Word],
}

/// Runs a command; `None` if it traps, and then no variable has changed.
pub(super) fn run(meaning: &Meaning, xlen: u32, rs1: u64, rs2: u64, variables: &mut Vec<Word>) -> Option<u64> {
    let mut operands = [0; 5];
    let (first, second) = if meaning.swapped { (rs2, rs1) } else { (rs1, rs2) };
    for (operand, value) in [(RS1, first), (RS2, second), (DATA, rs1 >> 12), (LUN, rs1 & 0xfff)] {
        operands[operand.0 as usize] = value;
    }
    let mut after = variables.clone();
    let mut run = Run { xlen, operands, result: Word::zero(xlen), variables: &mut after };
    isaglot_semantics::run(&meaning.body, &mut run).ok()?;
    let result = run.result.low_u64();
    *variables = after;
    Some(result)
}

impl Machine for Run<'_> {
    type Trap = Undefined;
    // Checked texts neither jump nor touch memory.
    fn pc(&self) -> Word {
        Word::zero(self.xlen)
    }
    fn next_pc(&self) -> Word {
        Word::zero(self.xlen)
    }
    fn set_pc(&mut self, _: Word) -> Result<(), Undefined> {
        Err(Undefined)
    }
    fn immediate(&self, operand: OperandIndex, width: u32) -> Word {
        Word::from_u64(self.operands.get(operand.0 as usize).copied().or_impossible(0), width)
    }
    fn register_number(&self, _: OperandIndex) -> u32 {
        0
    }
    fn register(&self, file: FileIndex, _: u32, width: u32) -> Word {
        let variable = Meaning::variable(file).and_then(|at| self.variables.get(at));
        variable.map_or(Word::zero(width), |w| w.resized(width))
    }
    fn set_register(&mut self, file: FileIndex, _: u32, value: Word) {
        match Meaning::variable(file) {
            None => self.result = value,
            Some(at) => {
                if let Some(place) = self.variables.get_mut(at) {
                    *place = value;
                }
            }
        }
    }
    fn load(&mut self, _: Word, _: u32) -> Result<Word, Undefined> {
        Err(Undefined)
    }
    fn store(&mut self, _: Word, _: Word) -> Result<(), Undefined> {
        Err(Undefined)
    }
    fn call(&mut self, _: ExternId, _: &[Word]) -> Result<Option<Word>, Undefined> {
        Err(Undefined)
    }
    fn trap(&mut self, _: &str, _: &[Word]) -> Undefined {
        Undefined
    }
}

impl Described {
    /// Lets a subdevice do what an interface says; its variables are its own.
    pub(super) fn serve(&mut self, sub: u16, interface: &Interface, xlen: u32, out: &mut Diagnostics) {
        let own = self.own.len();
        let variables = meaning::variables(&interface.state, width(xlen));
        self.own.push(variables.iter().map(|v| Word::from_u64(v.initial, v.width)).collect());
        for (k, meaning) in meaning::of_interface(interface, width(xlen), out) {
            self.commands.insert((sub, k), Action::Text { meaning: Box::new(meaning), own: Some(own) });
        }
    }
}

/// A device that does what the interfaces say that it serves, each with the subdevices for it; `None` if one of them
/// leaves something open.
pub(crate) fn serving(served: &[(&Interface, Vec<u16>)], xlen: u32, out: &mut Diagnostics) -> Option<Described> {
    let mut device = Described::default();
    for (interface, subs) in served {
        if interface.commands.iter().any(|c| c.semantics.is_none()) {
            return None;
        }
        for &sub in subs {
            device.serve(sub, interface, xlen, out);
        }
    }
    (!device.commands.is_empty()).then_some(device)
}
