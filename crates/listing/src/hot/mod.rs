//! Register pressure: where a program has the most live bytes of each register file, and how many each function and each
//! loop needs at most.
//!
//! Everything is read from the tree of a listing with dataflow, so it holds for every instruction set that has one. A
//! *point* is the moment before an instruction. `regions` finds functions and loops in the graph of blocks.

mod regions;
mod text;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::limits::MAX_HOT_POINTS;
use crate::tree::{Elem, Inst, Label, ListOperand, Listing};

use regions::{Graph, Loop, functions, loops};
pub use text::text;

/// Where a program needs the most registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hot<'l> {
    /// Name of the machine.
    pub platform: &'l str,
    /// Each register file that is live anywhere, in the order of the description.
    pub files: Vec<HotFile<'l>>,
    /// In the order of the program.
    pub functions: Vec<HotFunction<'l>>,
    /// In the order of the program, an outer loop before those inside it.
    pub loops: Vec<HotLoop<'l>>,
}

/// A register file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HotFile<'l> {
    /// Its name.
    pub file: &'l str,
    /// The most bytes of it that are live at one point.
    pub bytes: u32,
    /// The hottest point of each of the hottest blocks, the hottest first; at most [`MAX_HOT_POINTS`].
    pub points: Vec<Point<'l>>,
}

/// The moment before an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Point<'l> {
    /// Live bytes of the register file.
    pub bytes: u32,
    /// The label of the block.
    pub block: &'l str,
    /// The number of the instruction, which begins its line in a listing.
    pub inst: u32,
    /// Its byte offset, if the listing has offsets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pc: Option<u64>,
    /// Its text.
    pub text: &'l str,
}

/// The most live bytes of a register file in a region, and the first instruction before which they are live.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Peak<'l> {
    /// The register file.
    pub file: &'l str,
    /// Bytes.
    pub bytes: u32,
    /// The number of the instruction.
    pub inst: u32,
}

/// A function: the blocks that control reaches from its entry without entering another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HotFunction<'l> {
    /// The label of its entry.
    pub function: &'l str,
    /// How many blocks it has.
    pub blocks: usize,
    /// How many instructions.
    pub instructions: usize,
    /// Of each register file that is live in it.
    pub peaks: Vec<Peak<'l>>,
}

/// A loop: blocks each of which is reached from each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HotLoop<'l> {
    /// The label of the block that control enters first.
    #[serde(rename = "loop")]
    pub head: &'l str,
    /// The function that the head belongs to.
    pub function: &'l str,
    /// 1 for a loop in no other one.
    pub depth: u32,
    /// How many blocks it has.
    pub blocks: usize,
    /// How many instructions.
    pub instructions: usize,
    /// Of each register file that is live in it.
    pub peaks: Vec<Peak<'l>>,
}

/// A block of the listing.
struct Block<'l> {
    label: Option<&'l Label<'l>>,
    instructions: Vec<&'l Inst<'l>>,
    /// By register file, the hottest point: bytes, and the index among the instructions.
    peaks: Vec<(u32, usize)>,
}

impl<'l> Block<'l> {
    fn name(&self) -> &'l str {
        self.label.map_or("", |label| label.symbol.as_ref())
    }
}

/// The register pressure of a program whose listing has live registers.
#[must_use]
pub fn hot<'l>(listing: &'l Listing<'_>) -> Hot<'l> {
    let mut blocks = blocks(listing);
    let names = files(listing);
    for block in &mut blocks {
        block.peaks = names.iter().map(|name| hottest(&block.instructions, name)).collect();
    }
    let graph = graph(&blocks);
    let owners = functions(&graph);
    let files = names.iter().enumerate().map(|(file, name)| HotFile {
        file: name,
        bytes: blocks.iter().filter_map(|b| b.peaks.get(file)).map(|peak| peak.0).max().unwrap_or(0),
        points: points(&blocks, file),
    });
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (block, entry) in owners.iter().enumerate() {
        members.entry(*entry).or_default().push(block);
    }
    let name = |block: usize| blocks.get(block).map_or("", Block::name);
    let size = |of: &[usize]| of.iter().filter_map(|b| blocks.get(*b)).map(|b| b.instructions.len()).sum();
    let functions = members.iter().map(|(entry, of)| HotFunction {
        function: name(*entry),
        blocks: of.len(),
        instructions: size(of),
        peaks: peaks(&blocks, of, &names),
    });
    let loops = loops(&graph).into_iter().map(|Loop { head, depth, blocks: of }| HotLoop {
        head: name(head),
        function: owners.get(head).map_or("", |entry| name(*entry)),
        depth,
        blocks: of.len(),
        instructions: size(&of),
        peaks: peaks(&blocks, &of, &names),
    });
    Hot {
        platform: &listing.platform,
        files: files.filter(|file| file.bytes > 0).collect(),
        functions: functions.collect(),
        loops: loops.collect(),
    }
}

fn blocks<'l>(listing: &'l Listing<'_>) -> Vec<Block<'l>> {
    let mut all: Vec<Block<'l>> = Vec::new();
    for elem in &listing.elems {
        match elem {
            Elem::L(label) => all.push(Block { label: Some(label), instructions: Vec::new(), peaks: Vec::new() }),
            Elem::I(inst) => {
                if all.is_empty() {
                    all.push(Block { label: None, instructions: Vec::new(), peaks: Vec::new() });
                }
                if let Some(block) = all.last_mut() {
                    block.instructions.push(inst);
                }
            }
        }
    }
    // The end of a program may have a label, for those who jump there.
    all.retain(|block| !block.instructions.is_empty());
    all
}

/// The register files, in the order in which an instruction counts them.
fn files<'l>(listing: &'l Listing<'_>) -> Vec<&'l str> {
    let mut all: Vec<&str> = Vec::new();
    for elem in &listing.elems {
        let Elem::I(inst) = elem else { continue };
        // All instructions count the same files.
        if let Some(live) = &inst.live_totals {
            all.extend(live.0.iter().map(|(name, _)| name.as_ref()));
            break;
        }
    }
    all
}

/// The live bytes of a file before an instruction.
fn bytes(inst: &Inst<'_>, file: &str) -> u32 {
    let live = inst.live_totals.iter().flat_map(|live| &live.0);
    live.filter(|(name, _)| name == file).map(|(_, bytes)| *bytes).sum()
}

/// The first of the hottest points of a block.
fn hottest(instructions: &[&Inst<'_>], file: &str) -> (u32, usize) {
    let mut most = (0, 0);
    for (at, inst) in instructions.iter().enumerate() {
        let found = bytes(inst, file);
        if found > most.0 {
            most = (found, at);
        }
    }
    most
}

fn points<'l>(blocks: &[Block<'l>], file: usize) -> Vec<Point<'l>> {
    let peak = |block: &Block<'_>| block.peaks.get(file).copied().unwrap_or_default();
    let mut all: Vec<&Block<'l>> = blocks.iter().filter(|block| peak(block).0 > 0).collect();
    all.sort_by_key(|block| std::cmp::Reverse(peak(block).0));
    all.truncate(MAX_HOT_POINTS);
    let point = |block: &Block<'l>| {
        let (bytes, at) = peak(block);
        let inst: &'l Inst<'l> = block.instructions.get(at)?;
        let text = inst.comment.as_deref().unwrap_or(&inst.op);
        Some(Point { bytes, block: block.name(), inst: inst.id, pc: inst.pc, text })
    };
    all.into_iter().filter_map(point).collect()
}

/// The peaks of a region, of each file that is live in it.
fn peaks<'l>(blocks: &[Block<'l>], of: &[usize], names: &[&'l str]) -> Vec<Peak<'l>> {
    let one = |(file, name): (usize, &&'l str)| {
        let mut most: Option<Peak<'l>> = None;
        for block in of.iter().filter_map(|b| blocks.get(*b)) {
            let Some((bytes, at)) = block.peaks.get(file).copied() else { continue };
            if bytes > most.as_ref().map_or(0, |peak| peak.bytes) {
                most = block.instructions.get(at).map(|inst| Peak { file: name, bytes, inst: inst.id });
            }
        }
        most
    };
    names.iter().enumerate().filter_map(one).collect()
}

/// The graph of the blocks, with the entries of functions: the first block, those that are called, and those that
/// control comes to from nowhere.
fn graph(blocks: &[Block<'_>]) -> Graph {
    let labels = blocks.iter().enumerate().filter_map(|(at, b)| Some((b.label?, at)));
    let by_id: BTreeMap<u32, usize> = labels.clone().map(|(label, at)| (label.id, at)).collect();
    let by_name: BTreeMap<&str, usize> = labels.map(|(label, at)| (label.symbol.as_ref(), at)).collect();
    let succs: Vec<Vec<usize>> = blocks
        .iter()
        .map(|b| b.label.iter().flat_map(|l| &l.succs).filter_map(|id| by_id.get(id).copied()).collect())
        .collect();
    let mut is_entry = vec![true; blocks.len()];
    for to in succs.iter().flatten() {
        is_entry[*to] = false;
    }
    if let Some(first) = is_entry.first_mut() {
        *first = true;
    }
    for (at, block) in blocks.iter().enumerate() {
        is_entry[at] |= block.label.is_some_and(|label| label.function.is_some());
        for target in block.instructions.iter().flat_map(|inst| &inst.srcs).filter_map(target) {
            // What names a block without going there calls it.
            if let Some(to) = by_name.get(target.as_ref()).filter(|to| !succs[at].contains(to)) {
                is_entry[*to] = true;
            }
        }
    }
    Graph { succs, is_entry }
}

fn target<'l>(operand: &'l ListOperand<'_>) -> Option<&'l Cow<'l, str>> {
    match operand {
        ListOperand::LB(label) => Some(&label.target),
        _ => None,
    }
}
