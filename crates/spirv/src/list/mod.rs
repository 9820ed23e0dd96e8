//! The listing of a module in the form that all instruction sets share: blocks, operands, who defines and who uses an id,
//! and how many ids are live.
//!
//! Ids are the registers. Inside functions they hold values: an id is defined where control comes by an instruction that
//! has it as its result, on the way from the module's declarations through the function's head to the place in
//! question. An `OpPhi` reads all that it names, where it stands. Outside functions ids are names, of what comes later
//! too, and a definition is found by name alone. Labels and functions are places, not values.

mod blocks;
mod rows;

use std::borrow::Cow;

use isaglot_listing::dataflow::{FileId, Flow, OperandId, Program, Role, TooLarge, solve};
use isaglot_listing::limits::MAX_UNIVERSE_BYTES;
use isaglot_listing::tree::{Direct, Elem, Immediate, Inst, Label, LabelRef, Listing, LiveTotals, Operand, Reg};
use rustc_hash::FxHashMap;

use self::blocks::{Block, Kind, blocks};
use self::rows::{Row, Source, Taken, rows};
use crate::dis::{Failure, Options, module};

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
    /// The header is none.
    Header(Failure),
    /// It has more definitions and uses than can be listed.
    TooLarge,
}

/// The version of the format.
const VERSION: &str = "2.0";

/// The listing of a module, and what is wrong with its instructions; a bad one is listed without operands.
///
/// # Errors
/// If the header is no header, or there is too much to be listed with definitions and uses.
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
    let module = module(words, options).map_err(NoListing::Header)?;
    let Taken { rows, names, failures } = rows(&module.words, module.raw_imports, options);
    let blocks = blocks(&rows);
    let map = Map::new(&rows, &blocks)?;
    let (program, operands) = map.accesses(&rows, &blocks);
    let flow = if show.defs { Some(solve(&program).map_err(|TooLarge| NoListing::TooLarge)?) } else { None };
    let mut context =
        Writer { map: &map, names: &names, blocks: &blocks, flow: flow.as_ref(), show, by_name: Vec::new() };
    if show.defs {
        context.by_name = map.by_name(&rows);
    }
    let mut elems = Vec::with_capacity(rows.len() + blocks.len());
    for (n, block) in (0u32..).zip(&blocks) {
        elems.push(Elem::L(context.label(n, block, &rows)));
        for at in block.rows.clone() {
            if let (Some(row), Some(ids)) = (rows.get(at), operands.get(at)) {
                elems.push(Elem::I(Box::new(context.instruction(at as u32, row, ids))));
            }
        }
    }
    let listing = Listing { version: Cow::Borrowed(VERSION), platform: Cow::Borrowed("spirv"), elems };
    Ok((listing, failures))
}

/// What an id stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// A value: its place among the registers.
    Value(u32),
    /// A place: its block.
    Place(u32),
}

/// What ids stand for.
struct Map {
    meanings: FxHashMap<u32, Meaning>,
    values: u32,
    /// Of each row, whether it stands inside a function.
    inside: Vec<bool>,
}

/// The dataflow's operands of a row: what it writes, and for each source what it reads.
#[derive(Clone, Debug, Default)]
struct Ids {
    write: Option<OperandId>,
    reads: Vec<Option<OperandId>>,
}

impl Map {
    fn new(rows: &[Row], blocks: &[Block]) -> Result<Map, NoListing> {
        let mut map = Map { meanings: FxHashMap::default(), values: 0, inside: vec![false; rows.len()] };
        for (n, block) in (0u32..).zip(blocks).filter(|(_, b)| b.kind != Kind::Module) {
            map.meanings.extend(block.id.map(|id| (id, Meaning::Place(n))));
            map.inside.iter_mut().take(block.rows.end).skip(block.rows.start).for_each(|flag| *flag = true);
        }
        for id in rows.iter().filter_map(|row| row.result) {
            let next = Meaning::Value(map.values);
            if *map.meanings.entry(id).or_insert(next) == next {
                map.values += 1;
            }
        }
        if map.values > MAX_UNIVERSE_BYTES { Err(NoListing::TooLarge) } else { Ok(map) }
    }

    fn value(&self, id: u32) -> Option<u32> {
        match self.meanings.get(&id) {
            Some(Meaning::Value(place)) => Some(*place),
            _ => None,
        }
    }

    /// The program as the dataflow sees it: what stands outside functions comes before each of them, and nothing comes to
    /// `OpFunctionEnd`, which has a block of its own there.
    fn accesses(&self, rows: &[Row], blocks: &[Block]) -> (Program, Vec<Ids>) {
        let mut program = Program::new(&[self.values]);
        let mut all = Vec::with_capacity(rows.len());
        let mut next = 0;
        let numbers: Vec<u32> = blocks
            .iter()
            .map(|block| {
                let number = next;
                next += 1 + u32::from(block.ends_function(rows));
                number
            })
            .collect();
        let numbered = |n: &u32| numbers.get(*n as usize).copied().unwrap_or(u32::MAX);
        let heads: Vec<u32> =
            blocks.iter().zip(&numbers).filter(|(b, _)| b.kind == Kind::Head).map(|(_, number)| *number).collect();
        for (n, block) in blocks.iter().enumerate() {
            // In a sound module there is nothing between functions and behind them.
            let first = n == 0 && block.kind == Kind::Module;
            let succs = if first { heads.clone() } else { block.succs.iter().map(numbered).collect() };
            let ends = block.ends_function(rows);
            let mut succs = Some(succs);
            for at in block.rows.clone() {
                if ends && at + 1 == block.rows.end {
                    program.block(succs.take().unwrap_or_default());
                }
                all.push(rows.get(at).map(|row| self.access(row, at, &mut program)).unwrap_or_default());
                program.instruction(None);
            }
            program.block(succs.unwrap_or_default());
        }
        (program, all)
    }

    fn access(&self, row: &Row, at: usize, program: &mut Program) -> Ids {
        let mut add = |id: u32, role: Role| {
            program.run(FileId(0), self.value(id)?, 1, 1, 1);
            Some(program.operand(role))
        };
        // Outside functions nothing happens, so nothing is read.
        let inside = self.inside.get(at) == Some(&true);
        let reads = row.sources.iter().map(|source| match source {
            Source::Id(id) if inside => add(*id, Role::Read),
            _ => None,
        });
        let reads = reads.collect();
        Ids { reads, write: row.result.and_then(|id| add(id, Role::Write)) }
    }

    /// Of each value, the rows that define it, and the rows outside functions that name it.
    fn by_name(&self, rows: &[Row]) -> Vec<(Vec<u32>, Vec<u32>)> {
        let mut all = vec![(Vec::new(), Vec::new()); self.values as usize];
        for (n, row) in (0u32..).zip(rows) {
            if let Some(slot) = row.result.and_then(|id| all.get_mut(self.value(id)? as usize)) {
                slot.0.push(n);
            }
            if self.inside.get(n as usize) == Some(&false) {
                for source in &row.sources {
                    if let Source::Id(id) = source
                        && let Some(slot) = self.value(*id).and_then(|place| all.get_mut(place as usize))
                        && slot.1.last() != Some(&n)
                    {
                        slot.1.push(n);
                    }
                }
            }
        }
        all
    }
}

/// What the elements are made from.
struct Writer<'a> {
    map: &'a Map,
    names: &'a FxHashMap<u32, String>,
    blocks: &'a [Block],
    flow: Option<&'a Flow>,
    show: Show,
    /// See [`Map::by_name`]; empty without dataflow.
    by_name: Vec<(Vec<u32>, Vec<u32>)>,
}

impl Writer<'_> {
    fn name(&self, id: u32) -> Cow<'static, str> {
        Cow::Owned(self.names.get(&id).cloned().unwrap_or_else(|| format!("%{id}")))
    }

    fn symbol(&self, n: u32) -> Cow<'static, str> {
        match self.blocks.get(n as usize) {
            Some(Block { kind: Kind::Module, .. }) | None if n == 0 => Cow::Borrowed("module"),
            Some(Block { id: Some(id), kind, .. }) if *kind != Kind::Module => self.name(*id),
            _ => Cow::Owned(format!("module{n}")),
        }
    }

    fn label(&self, id: u32, block: &Block, rows: &[Row]) -> Label<'static> {
        let first = rows.get(block.rows.start).filter(|_| self.show.pc);
        Label {
            id,
            pc: first.map(|row| row.at as u64 * 4),
            symbol: self.symbol(id),
            preds: block.preds.clone(),
            succs: block.succs.clone(),
        }
    }

    fn links(&self, id: Option<OperandId>) -> Vec<u32> {
        self.flow.zip(id).map(|(flow, id)| flow.links(id).to_vec()).unwrap_or_default()
    }

    fn named(&self, id: u32) -> Option<&(Vec<u32>, Vec<u32>)> {
        self.by_name.get(self.map.value(id)? as usize)
    }

    fn source(&self, source: &Source, read: Option<OperandId>, inside: bool) -> Operand<'static> {
        match source {
            Source::Value(text) => Operand::IM(Immediate { value: Cow::Owned(text.clone()), ty: None }),
            Source::Id(id) => match self.map.meanings.get(id) {
                Some(Meaning::Place(block)) => Operand::LB(LabelRef { target: self.symbol(*block) }),
                _ => {
                    let reg = Reg { rn: self.name(*id), ..Reg::default() };
                    let by_name = self.named(*id).filter(|_| !inside).map(|named| named.0.clone());
                    Operand::RD(Direct { reg, defs: by_name.unwrap_or_else(|| self.links(read)), ..Direct::default() })
                }
            },
        }
    }

    fn instruction(&self, id: u32, row: &Row, ids: &Ids) -> Inst<'static> {
        let inside = self.map.inside.get(id as usize) == Some(&true);
        let dst = row.result.map(|result| {
            let mut uses = self.links(ids.write);
            uses.extend(self.named(result).into_iter().flat_map(|named| &named.1));
            uses.sort_unstable();
            uses.dedup();
            Operand::RD(Direct { reg: Reg { rn: self.name(result), ..Reg::default() }, uses, ..Direct::default() })
        });
        let reads = ids.reads.iter().copied().chain(std::iter::repeat(None));
        let dwords = || row.words.iter().rev().map(|word| format!("{word:08X}")).collect::<Vec<_>>().join("`");
        Inst {
            id,
            pc: self.show.pc.then_some(row.at as u64 * 4),
            op: Cow::Owned(row.op.clone()),
            dst,
            srcs: row.sources.iter().zip(reads).map(|(s, read)| self.source(s, read, inside)).collect(),
            encoding: self.show.bits.then(|| Cow::Owned(dwords())),
            live_totals: self
                .flow
                .map(|flow| LiveTotals(vec![(Cow::Borrowed("id"), flow.live(id).first().copied().unwrap_or(0))])),
            comment: Some(Cow::Owned(row.text.clone())),
            ..Inst::default()
        }
    }
}
