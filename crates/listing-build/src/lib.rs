//! The listing of a program in any instruction set whose description says what its operands are.
#![doc = include_str!("../README.md")]
//!
//! Method: take every instruction apart (`steps`), cut the program into blocks (`blocks`), tell the dataflow which bytes
//! of which registers each operand touches (`registers`), and write down what comes out as the one tree of listings.
//!
//! What a description does not say is not guessed: without operand roles there are blocks and texts, but no definitions.
//! A call is taken to come back with all registers as they were but those that the call itself writes.

mod blocks;
pub mod limits;
mod registers;
mod steps;

use std::borrow::Cow;

use isaglot_codec::Plan;
use isaglot_invariant::Impossible as _;
use isaglot_model::Access;

use crate::blocks::{Block, blocks};
use crate::registers::{RegisterId, Registers};
use crate::steps::{Step, StepOperand, steps};
use isaglot_listing::dataflow::{Flow, OperandId, Program, Role, TooLarge, solve};
use isaglot_listing::tree::{
    Address, Direct, Elem, Immediate, Implicit, Inst, Label, LabelRef, ListOperand, Listing, LiveTotals, Reg,
};

/// What to put into a listing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Definitions, uses and live registers.
    pub defs: bool,
    /// Addresses: byte offsets, unless the program lies somewhere.
    pub pc: bool,
    /// The words, in hexadecimal.
    pub bits: bool,
}

/// The version of the format.
const VERSION: &str = "2.0";

/// What is known of a program beyond its bytes.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The address of its first byte.
    pub address: u64,
    /// Names of places: by instruction number, or by byte offset where instructions differ in length.
    pub entries: Vec<isaglot_asm::Entry>,
}

/// Lists a program that starts at byte 0.
///
/// # Errors
/// If it has more definitions and uses than can be listed.
pub fn build(plan: &Plan<'_>, bytes: &[u8], options: Options) -> Result<Listing<'static>, TooLarge> {
    build_at(plan, bytes, Place::default(), options)
}

/// Lists a program that lies at an address and has names, as in an ELF file.
///
/// # Errors
/// If it has more definitions and uses than can be listed.
pub fn build_at(plan: &Plan<'_>, bytes: &[u8], place: Place, options: Options) -> Result<Listing<'static>, TooLarge> {
    let Place { address, entries } = place;
    let isa = plan.isa();
    let registers = Registers::new(isa, plan.generation());
    let steps = steps(plan, &registers, bytes, entries);
    let blocks = blocks(&steps);
    let (program, operands) = accesses(&registers, &steps, &blocks);
    let flow = if options.defs { Some(solve(&program)?) } else { None };
    let flow = flow.as_ref();
    let context = Context { registers: &registers, steps: &steps, blocks: &blocks, flow, address, options };
    let mut elems = Vec::new();
    for (n, block) in blocks.iter().enumerate() {
        elems.push(Elem::L(context.label(n as u32, block)));
        for at in block.steps.clone() {
            if let (Some(step), Some(ids)) = (steps.get(at), operands.get(at)) {
                let encoding = step.encoding.map(|id| &isa[id]);
                let op = encoding.map_or("", |e| &*e.display_name);
                elems.push(Elem::I(Box::new(context.instruction(at as u32, step, op, ids))));
            }
        }
    }
    Ok(Listing { version: Cow::Borrowed(VERSION), platform: Cow::Owned(isa.name().to_owned()), elems })
}

/// The dataflow's operands of one piece.
#[derive(Clone, Copy, Default)]
struct Ids {
    read: Option<OperandId>,
    write: Option<OperandId>,
}

/// The program as the dataflow sees it, and the operands of each piece of each step.
fn accesses(registers: &Registers, steps: &[Step], blocks: &[Block]) -> (Program, Vec<Vec<Ids>>) {
    let files: Vec<u32> = registers.files.iter().map(|f| f.1).collect();
    let mut program = Program::new(&files);
    let mut all = Vec::new();
    for block in blocks {
        for step in steps.get(block.steps.clone()).or_impossible(&[]) {
            let mut ids = Vec::new();
            for piece in &step.pieces {
                let mut add = |all: &[RegisterId], role: Role| {
                    for register in all.iter().filter_map(|id| registers.all.get(id.0 as usize)) {
                        program.run(register.file, register.start, register.bytes, 1, 1);
                    }
                    (!all.is_empty()).then(|| program.operand(role))
                };
                ids.push(match piece {
                    StepOperand::Registers { all, access, .. } => Ids {
                        read: access.reads().then(|| add(all, Role::Read)).flatten(),
                        write: access.writes().then(|| add(all, Role::Write)).flatten(),
                    },
                    StepOperand::Memory { base, .. } => Ids { read: add(base.as_slice(), Role::Read), write: None },
                    StepOperand::Immediate(_) | StepOperand::Label(_) => Ids::default(),
                });
            }
            program.instruction(None);
            all.push(ids);
        }
        program.block(block.succs.clone());
    }
    (program, all)
}

/// What the elements are made from.
struct Context<'a> {
    registers: &'a Registers,
    steps: &'a [Step],
    blocks: &'a [Block],
    flow: Option<&'a Flow>,
    /// Of the first byte.
    address: u64,
    options: Options,
}

impl Context<'_> {
    fn pc(&self, step: &Step) -> Option<u64> {
        self.options.pc.then(|| self.address.wrapping_add(step.pc))
    }

    /// The name of a block: what the texts call it, or its byte offset.
    fn symbol(&self, block: &Block) -> String {
        match self.steps.get(block.steps.start) {
            Some(Step { label: Some(label), .. }) => label.clone(),
            Some(step) => format!("L{}", step.pc),
            None => "L0".to_owned(),
        }
    }

    fn label(&self, id: u32, block: &Block) -> Label<'static> {
        Label {
            id,
            pc: self.steps.get(block.steps.start).and_then(|step| self.pc(step)),
            symbol: Cow::Owned(self.symbol(block)),
            preds: block.preds.clone(),
            succs: block.succs.clone(),
            function: None,
        }
    }

    fn links(&self, id: Option<OperandId>) -> Vec<u32> {
        self.flow.zip(id).map(|(flow, id)| flow.links(id).to_vec()).unwrap_or_default()
    }

    fn target(&self, pc: Option<u64>) -> String {
        let start = |block: &Block| self.steps.get(block.steps.start).map_or(0, |s| s.pc);
        let at = pc.and_then(|pc| self.blocks.binary_search_by_key(&pc, start).ok());
        let block = at.and_then(|at| self.blocks.get(at));
        block.map_or_else(|| "?".to_owned(), |b| self.symbol(b))
    }

    fn instruction(&self, id: u32, step: &Step, op: &str, ids: &[Ids]) -> Inst<'static> {
        let mut inst = Inst {
            id,
            pc: self.pc(step),
            op: Cow::Owned(op.to_owned()),
            encoding: self.options.bits.then(|| Cow::Owned(dwords(&step.word))),
            comment: Some(Cow::Owned(step.text.clone())),
            ..Inst::default()
        };
        let mut implicit = Implicit::default();
        for (piece, ids) in step.pieces.iter().zip(ids) {
            let reg = |text: &str| Reg { rn: Cow::Owned(text.to_owned()), ..Reg::default() };
            match piece {
                StepOperand::Registers { implied: true, .. } => {
                    implicit.defs.extend(self.links(ids.read));
                    implicit.uses.extend(self.links(ids.write));
                }
                StepOperand::Registers { text, access, .. } => {
                    if access.writes() {
                        let made = Direct { reg: reg(text), uses: self.links(ids.write), ..Direct::default() };
                        // A second destination has no place of its own in the tree.
                        match &inst.dst {
                            None => inst.dst = Some(ListOperand::RD(made)),
                            Some(_) => implicit.uses.extend(made.uses),
                        }
                    }
                    if *access != Access::Write {
                        let made = Direct { reg: reg(text), defs: self.links(ids.read), ..Direct::default() };
                        inst.srcs.push(ListOperand::RD(made));
                    }
                }
                StepOperand::Immediate(text) => {
                    inst.srcs.push(ListOperand::IM(Immediate { value: Cow::Owned(text.clone()), ty: None }));
                }
                StepOperand::Label(pc) => {
                    inst.srcs.push(ListOperand::LB(LabelRef { target: Cow::Owned(self.target(*pc)) }));
                }
                StepOperand::Memory { text, .. } => {
                    let made = Address { areg: reg(text), adefs: self.links(ids.read), ..Address::default() };
                    inst.srcs.push(ListOperand::AD(made));
                }
            }
        }
        for list in [&mut implicit.defs, &mut implicit.uses] {
            list.sort_unstable();
            list.dedup();
        }
        if !implicit.defs.is_empty() || !implicit.uses.is_empty() {
            inst.implicit = Some(implicit);
        }
        if let Some(flow) = self.flow {
            let names = self.registers.files.iter().map(|f| Cow::Owned(f.0.clone()));
            inst.live_totals = Some(LiveTotals(names.zip(flow.live(id).iter().copied()).collect()));
        }
        inst
    }
}

/// A word as the format has it: dwords from the highest to the lowest, joined by back-ticks.
fn dwords(word: &isaglot_bits::Word) -> String {
    if word.width() <= 32 {
        return word.hex();
    }
    let parts: Vec<String> = word.words32().rev().map(|d| format!("{d:08X}")).collect();
    parts.join("`")
}
