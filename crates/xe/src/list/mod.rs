//! The listing of a program: its tree, element by element, with dataflow.

mod access;
mod blocks;
mod building;
mod element;
mod fast;
mod flow;
mod links;
mod message;
mod names;
mod sets;

use isaglot_listing::dataflow::{Flow, Link, Program as Accesses, TooLarge, solve};
use isaglot_listing::tree::{Elem, Inst as Element, Label, ListOperand, Listing, Text};
use isaglot_listing::write::{self, Style};

use crate::inst::Inst;
use crate::isa::Xe;
use crate::print::TextOptions;
use crate::stream::{Program, StreamItem};

pub(crate) use access::{A, ACC, F, Ids};
use blocks::{Blocks, Exit};
pub use fast::Lister;
use flow::Functions;
pub use names::name_labels;
pub use sets::FlowText;

/// What a listing shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListOptions {
    /// Definitions, uses, liveness.
    pub defs: bool,
    /// Offsets.
    pub pc: bool,
    /// Encodings.
    pub bits: bool,
    /// Loads and stores in their own form.
    pub ldst: bool,
    /// Floating-point immediates as bits.
    pub hex_floats: bool,
    /// As `iga64` 2.40.14 has it, faults included.
    pub compat: bool,
    /// For people: comments are the texts of instructions, and labels are called as in these.
    pub text: bool,
}

impl ListOptions {
    /// The number of the first label and of the first instruction.
    fn base(&self) -> u32 {
        u32::from(self.compat && !self.defs)
    }
}

/// Everything that is known about a program before it is written.
pub struct Analysis {
    blocks: Blocks,
    ids: Vec<Ids>,
    flow: Option<Flow>,
    functions: Functions,
}

impl<'d> Xe<'d> {
    /// The bytes that each operand of a program touches, and the operands of each instruction. From a call, control goes
    /// to the function and to the next block.
    pub(crate) fn accesses_of(&self, program: &Program) -> (Accesses, Vec<Ids>) {
        let succs = self.successors(&program.starts, &blocks::lasts(program), false);
        let exits: Vec<Exit> = succs.into_iter().map(|succs| Exit { succs, link: Link::None }).collect();
        self.accesses(program, &exits, false)
    }

    /// Blocks, and dataflow if it is asked for.
    pub fn analyse(&self, program: &Program, options: &ListOptions) -> Result<Analysis, TooLarge> {
        let lasts = blocks::lasts(program);
        let mut functions = Functions::new();
        let (flow, ids) = if options.defs {
            let exits = self.flow_exits(&program.starts, &lasts, options.compat);
            let (accesses, ids) = self.accesses(program, &exits, options.compat);
            let flow = solve(&accesses)?;
            functions = self.functions(&exits, &flow, &accesses);
            (Some(flow), ids)
        } else {
            (None, Vec::new())
        };
        let succs = self.successors(&program.starts, &lasts, options.compat);
        let blocks = Blocks::new(program.starts.clone(), succs, options.base());
        Ok(Analysis { blocks, ids, flow, functions })
    }

    /// Writes the whole listing as JSON.
    pub fn write_json(&self, program: &Program, options: &ListOptions, out: &mut Vec<u8>) -> Result<(), TooLarge> {
        let analysis = self.analyse(program, options)?;
        let style = Style { wide_store_indent: options.compat };
        write::begin(out, "2.0", self.platform.name());
        let mut first = true;
        let mut scratch = Element::default();
        self.each(program, options, &analysis, &mut scratch, &mut |part| {
            match part {
                Part::Label(l) => write::label(out, l, first),
                Part::Inst(i) => write::instruction(out, i, first, style),
            }
            first = false;
        });
        write::end(out, first);
        Ok(())
    }

    /// The listing as a tree.
    pub fn listing(&self, program: &Program, options: &ListOptions) -> Result<Listing<'d>, TooLarge> {
        let analysis = self.analyse(program, options)?;
        let mut elems = Vec::new();
        let mut scratch = Element::default();
        self.each(program, options, &analysis, &mut scratch, &mut |part| {
            elems.push(match part {
                Part::Label(l) => Elem::L(l.clone()),
                Part::Inst(i) => Elem::I(Box::new(i.clone())),
            });
        });
        Ok(Listing { version: "2.0".into(), platform: self.platform.name().into(), elems })
    }

    fn each(
        &self,
        program: &Program,
        options: &ListOptions,
        analysis: &Analysis,
        scratch: &mut Element<'d>,
        emit: &mut dyn FnMut(Part<'_, 'd>),
    ) {
        let base = options.base();
        let mut block = 0;
        for (n, entry) in program.entries.iter().enumerate() {
            if analysis.blocks.start(block) == Some(entry.pc) {
                if let Some(mut label) = analysis.blocks.label(block, options) {
                    label.function = analysis.functions.get(&(block as u32)).cloned();
                    emit(Part::Label(&label));
                }
                block += 1;
            }
            let item = match &entry.item {
                StreamItem::Inst(i) => Ok(i),
                StreamItem::Bad(why) => Err(*why),
            };
            self.element(entry.raw(), item, n as u32 + base, options, scratch);
            if let StreamItem::Inst(i) = &entry.item
                && options.text
            {
                scratch.comment = Some(self.one_line(i, entry.pc, options));
                number_registers(scratch);
            }
            if let Some(flow) = &analysis.flow {
                match (entry.inst(), analysis.ids.get(n)) {
                    (Some(i), Some(ids)) => self.add_flow(i, (n as u32, ids), (flow, options.compat), scratch),
                    _ => self.add_totals(n as u32, flow, scratch),
                }
            }
            emit(Part::Inst(scratch));
        }
        if let Some(label) = analysis.blocks.label(block, options) {
            emit(Part::Label(&label));
        }
    }
}

impl Xe<'_> {
    /// The text of an instruction, without the blanks that make columns.
    fn one_line(&self, i: &Inst, pc: u32, options: &ListOptions) -> Text<'static> {
        let shown = TextOptions { ldst: options.ldst, hex_floats: options.hex_floats, ..TextOptions::default() };
        let mut text = Vec::new();
        self.print_inst(i, pc, &shown, &mut text);
        let text = String::from_utf8_lossy(&text);
        text.split_ascii_whitespace().collect::<Vec<_>>().join(" ").into()
    }
}

/// Makes the number of a register a part of its name, as in texts.
fn number_registers(element: &mut Element<'_>) {
    let operands = element.dst.iter_mut().chain(&mut element.srcs).filter_map(|operand| match operand {
        ListOperand::RD(o) => Some(&mut o.reg),
        ListOperand::RI(o) => Some(&mut o.areg),
        ListOperand::RM(o) => Some(&mut o.reg),
        ListOperand::DA(o) => Some(&mut o.reg),
        ListOperand::AD(o) => Some(&mut o.areg),
        ListOperand::LB(_) | ListOperand::IM(_) => None,
    });
    for reg in operands.chain(&mut element.freg) {
        // Of the others there is one.
        if !["null", "ce", "ip"].contains(&reg.rn.as_ref()) {
            reg.rn = format!("{}{}", reg.rn, reg.r).into();
            reg.r = 0;
        }
    }
}

/// A label or an instruction.
enum Part<'a, 'd> {
    Label(&'a Label<'d>),
    Inst(&'a Element<'d>),
}
