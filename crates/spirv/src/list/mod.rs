//! The listing of a module in the form that all instruction sets share: blocks, operands, who defines and who uses an id,
//! and how many ids are live.
//!
//! Ids are the registers. Inside functions they hold values: an id is defined where control comes by an instruction that
//! has it as its result, on the way from the module's declarations through the function's head to the place in
//! question. An `OpPhi` reads all that it names, where it stands. Outside functions ids are names, of what comes later
//! too, and a definition is found by name alone. Labels and functions are places, not values.
//!
//! Instructions are taken apart one at a time and written as they come, so that [`json_to`] needs memory in proportion to
//! the module, unless it is asked for definitions and uses.

mod blocks;
mod flow;
mod rows;

use std::borrow::Cow;

use isaglot_listing::dataflow::TooLarge;
use isaglot_listing::tree::{Direct, Elem, Immediate, Inst, Label, LabelRef, ListOperand, Listing, LiveTotals, Reg};
use isaglot_listing::write::{self, InstPiece, Outline};

use self::blocks::{Block, Blocks, Part};
use self::flow::IdFlow;
use self::rows::{Row, Rows, Source, names};
use crate::dis::names::Names;
use crate::dis::{Failure, Options, Write, module};
use crate::instructions::Instruction;
use crate::limits::CHUNK_BYTES;
use crate::places::Places;

/// What a listing shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Show {
    /// Definitions, uses and live ids.
    pub defs: bool,
    /// Byte offsets.
    pub pc: bool,
    /// The words.
    pub bits: bool,
}

/// Why there is no listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoListing {
    /// The header is not valid.
    Header(Failure),
    /// It has more definitions and uses than can be listed.
    TooLarge,
}

impl core::fmt::Display for NoListing {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            NoListing::Header(failure) => failure.fmt(f),
            NoListing::TooLarge => TooLarge.fmt(f),
        }
    }
}

impl core::error::Error for NoListing {}

impl From<TooLarge> for NoListing {
    fn from(_: TooLarge) -> NoListing {
        NoListing::TooLarge
    }
}

/// The version of the format.
const VERSION: &str = "2.0";

/// The name of the machine.
const PLATFORM: &str = "spirv";

/// The listing of a module, and what is wrong with its instructions; a bad one is listed without operands.
///
/// # Errors
/// If the header is not valid, or there is too much to be listed with definitions and uses.
///
/// ```
/// use isaglot_spirv::{asm, list};
///
/// let words = asm::assemble(b"%v = OpTypeVoid\n%f = OpTypeFunction %v\n", &Default::default()).words;
/// let show = list::Show { defs: true, ..Default::default() };
/// let (listing, problems) = list::list(&words, &Default::default(), show).unwrap();
/// assert!(problems.is_empty() && listing.elems.len() == 3);
/// ```
pub fn list(words: &[u32], options: &Options<'_>, show: Show) -> Result<(Listing<'static>, Vec<Failure>), NoListing> {
    let mut elems = Vec::new();
    let failures = each(words, options, show, &mut |element| {
        elems.push(match element {
            Element::Label(label) => Elem::L(label),
            Element::Instruction(mut one) => {
                one.inst.srcs = (0..one.row.sources.len()).filter_map(|n| one.source(n)).collect();
                Elem::I(Box::new(one.inst))
            }
        });
        true
    })?;
    Ok((Listing { version: Cow::Borrowed(VERSION), platform: Cow::Borrowed(PLATFORM), elems }, failures))
}

/// The same as JSON, handed on in pieces of about [`CHUNK_BYTES`].
///
/// # Errors
/// As [`list`]; then nothing is written.
pub fn json_to(
    words: &[u32],
    options: &Options<'_>,
    show: Show,
    write: &mut Write<'_>,
) -> Result<Vec<Failure>, NoListing> {
    let (mut out, mut first, mut open) = (Vec::new(), true, true);
    write::begin(&mut out, VERSION, PLATFORM);
    let failures = each(words, options, show, &mut |element| {
        let first = std::mem::replace(&mut first, false);
        match element {
            Element::Label(label) => write::label(&mut out, &label, first),
            Element::Instruction(one) => {
                let outline = Outline { id: one.inst.id, pc: one.inst.pc, dst: one.inst.dst.is_some(), wide: false };
                // An instruction may have very many operands: they leave one by one.
                let mut piece = |piece: InstPiece, out: &mut Vec<u8>| {
                    match piece {
                        InstPiece::Source(n) => one.source(n).iter().for_each(|source| write::operand(out, source)),
                        other => drop(write::piece(out, &one.inst, other)),
                    }
                    if open && out.len() > CHUNK_BYTES {
                        open = write(out);
                        out.clear();
                    }
                    Ok::<usize, std::convert::Infallible>(one.row.sources.len())
                };
                let Ok(()) = write::layout(&mut out, outline, first, &mut piece);
            }
        }
        open
    })?;
    write::end(&mut out, first);
    if open {
        write(&out);
    }
    Ok(failures)
}

/// An element of a listing.
#[expect(
    clippy::large_enum_variant,
    reason = "one at a time, on its way to the writer: a box would only cost an allocation"
)]
enum Element<'a, 'w> {
    Label(Label<'static>),
    Instruction(Shown<'a, 'w>),
}

/// Makes the elements one after another, until the receiver wants no more.
fn each(
    words: &[u32],
    options: &Options<'_>,
    show: Show,
    take: &mut dyn FnMut(Element<'_, '_>) -> bool,
) -> Result<Vec<Failure>, NoListing> {
    let module = module(words, options).map_err(NoListing::Header)?;
    let words = &*module.words;
    let places = Places::new(words, options.grammar);
    let names = names(words, &places, options);
    let mut rows = Rows::new(words, &places, &names, module.raw_imports, options);
    let blocks = Blocks::new(words, &mut rows);
    let flow = if show.defs { Some(IdFlow::new(words, &mut rows, &blocks)?) } else { None };
    let context = Context { names: &names, blocks: &blocks, flow: flow.as_ref(), show };
    for (n, block) in (0u32..).zip(&blocks.all) {
        if !take(Element::Label(context.label(n, block))) {
            break;
        }
        for (id, i) in (block.row()..).zip(blocks.instructions(n)) {
            let row = rows.row(i.offset);
            let comment = rows.text(i.offset).into_owned();
            let inst = context.instruction(id, &i, &row, rows.op(&i), comment);
            let inside = block.part() != Part::Module;
            if !take(Element::Instruction(Shown { context: &context, row: &row, inside, inst })) {
                return Ok(rows.failures);
            }
        }
    }
    Ok(rows.failures)
}

/// What elements are made from.
struct Context<'a, 'w> {
    names: &'a Names<'a>,
    blocks: &'a Blocks<'w>,
    /// None without definitions and uses.
    flow: Option<&'a IdFlow>,
    show: Show,
}

/// An instruction whose sources are made when they are needed.
struct Shown<'a, 'w> {
    context: &'a Context<'a, 'w>,
    row: &'a Row,
    /// Whether it stands inside a function.
    inside: bool,
    inst: Inst<'static>,
}

impl Shown<'_, '_> {
    fn source(&self, n: usize) -> Option<ListOperand<'static>> {
        let source = self.row.sources.get(n)?;
        Some(match source {
            Source::Value(text) => ListOperand::IM(Immediate { value: Cow::Owned(text.clone()), ty: None }),
            Source::Id(id) => match self.context.blocks.place(*id) {
                Some(block) => ListOperand::LB(LabelRef { target: self.context.symbol(block) }),
                None => {
                    let flow = self.context.flow;
                    let defs = flow.map(|flow| flow.defs(self.inst.id, n, *id, self.inside)).unwrap_or_default();
                    ListOperand::RD(Direct { reg: register(self.context.name(*id)), defs, ..Direct::default() })
                }
            },
        })
    }
}

fn register(name: String) -> Reg<'static> {
    Reg { rn: Cow::Owned(name), ..Reg::default() }
}

impl Context<'_, '_> {
    /// The name of an id.
    fn name(&self, id: u32) -> String {
        let mut name = b"%".to_vec();
        self.names.push(&mut name, id);
        String::from_utf8_lossy(&name).into_owned()
    }

    fn symbol(&self, n: u32) -> Cow<'static, str> {
        match self.blocks.all.get(n as usize) {
            Some(block) if block.id != 0 => Cow::Owned(self.name(block.id)),
            _ if n == 0 => Cow::Borrowed("module"),
            _ => Cow::Owned(format!("module{n}")),
        }
    }

    fn label(&self, n: u32, block: &Block) -> Label<'static> {
        Label {
            id: n,
            pc: self.show.pc.then_some(u64::from(block.start) * 4),
            symbol: self.symbol(n),
            preds: self.blocks.preds(n).collect(),
            succs: self.blocks.succs(n).collect(),
            function: None,
        }
    }

    /// An instruction without its sources.
    fn instruction(&self, id: u32, i: &Instruction<'_>, row: &Row, op: &str, comment: String) -> Inst<'static> {
        let dst = (row.result != 0).then(|| {
            let uses = self.flow.map(|flow| flow.uses(id, row.result)).unwrap_or_default();
            ListOperand::RD(Direct { reg: register(self.name(row.result)), uses, ..Direct::default() })
        });
        let dwords = || i.words.iter().rev().map(|word| format!("{word:08X}")).collect::<Vec<_>>().join("`");
        Inst {
            id,
            pc: self.show.pc.then_some(i.offset as u64 * 4),
            op: Cow::Owned(op.to_owned()),
            dst,
            encoding: self.show.bits.then(|| Cow::Owned(dwords())),
            live_totals: self.flow.map(|flow| LiveTotals(vec![(Cow::Borrowed("id"), flow.live(id))])),
            comment: Some(Cow::Owned(comment)),
            ..Inst::default()
        }
    }
}
