//! The dataflow of a module: ids are its registers, of one byte each.

use isaglot_invariant::Impossible as _;
use isaglot_listing::dataflow::{FileId, Flow, OperandId, Program, Role, TooLarge, solve};
use isaglot_listing::limits::MAX_UNIVERSE_BYTES;
use rustc_hash::FxHashMap;

use super::blocks::{Blocks, Part};
use super::rows::{Row, Rows, Source};
use crate::instructions::Instructions;

/// The dataflow's operands of an instruction: what it writes, and for each source what it reads.
#[derive(Clone, Debug, Default)]
struct Ids {
    write: Option<OperandId>,
    reads: Vec<Option<OperandId>>,
}

/// Definitions and uses found by name alone, as holds outside functions.
#[derive(Clone, Debug, Default)]
struct ByName {
    /// Instructions that define the id.
    defs: Vec<u32>,
    /// Instructions outside functions that name it.
    users: Vec<u32>,
}

/// Who defines and who uses each id.
pub(super) struct IdFlow {
    /// The register of each id that is a value.
    registers: FxHashMap<u32, u32>,
    by_name: Vec<ByName>,
    /// By number of the instruction.
    operands: Vec<Ids>,
    flow: Flow,
}

impl IdFlow {
    pub(super) fn new(words: &[u32], rows: &mut Rows<'_>, blocks: &Blocks<'_>) -> Result<IdFlow, TooLarge> {
        let mut registers = FxHashMap::default();
        for i in Instructions::new(words) {
            let id = rows.row(i.offset).result;
            if id != 0 && blocks.place(id).is_none() {
                let next = registers.len() as u32;
                registers.entry(id).or_insert(next);
            }
        }
        if registers.len() > MAX_UNIVERSE_BYTES as usize {
            return Err(TooLarge);
        }
        let by_name = vec![ByName::default(); registers.len()];
        let mut made = IdFlow { registers, by_name, operands: Vec::new(), flow: Flow::default() };
        let program = made.accesses(rows, blocks);
        made.flow = solve(&program)?;
        Ok(made)
    }

    /// The program as the dataflow sees it: what stands outside functions comes before each of them, and nothing comes to
    /// `OpFunctionEnd`, which has a block of its own there.
    fn accesses(&mut self, rows: &mut Rows<'_>, blocks: &Blocks<'_>) -> Program {
        let mut program = Program::new(&[self.registers.len() as u32]);
        let mut next = 0;
        let count = blocks.all.len() as u32;
        let numbers: Vec<u32> = (0..count)
            .map(|n| {
                let number = next;
                next += 1 + u32::from(blocks.ends_function(n));
                number
            })
            .collect();
        let numbered = |n: u32| numbers.get(n as usize).copied().or_impossible(u32::MAX);
        for (n, block) in (0..count).zip(&blocks.all) {
            // In a sound module there is nothing between functions and after them.
            let succs: Vec<u32> = match block.part() {
                Part::Module if n == 0 => blocks.heads.iter().copied().map(numbered).collect(),
                _ => blocks.succs(n).map(numbered).collect(),
            };
            let mut succs = Some(succs);
            let ends = blocks.ends_function(n);
            let mut instructions = blocks.instructions(n).peekable();
            while let Some(i) = instructions.next() {
                if ends && instructions.peek().is_none() {
                    program.block(succs.take().or_impossible_default());
                }
                let row = rows.row(i.offset);
                let ids = self.access(&row, block.part() != Part::Module, &mut program);
                self.operands.push(ids);
                program.instruction(None);
            }
            program.block(succs.unwrap_or_default());
        }
        program
    }

    fn access(&mut self, row: &Row, inside: bool, program: &mut Program) -> Ids {
        let n = self.operands.len() as u32;
        let registers = &self.registers;
        let mut add = |id: u32, role: Role| {
            program.run(FileId(0), *registers.get(&id)?, 1, 1, 1);
            Some(program.operand(role))
        };
        // Outside functions nothing happens, so nothing is read.
        let reads = row.sources.iter().map(|source| match source {
            Source::Id(id) if inside => add(*id, Role::Read),
            _ => None,
        });
        let reads = reads.collect();
        let write = add(row.result, Role::Write);
        if let Some(slot) = registers.get(&row.result).and_then(|at| self.by_name.get_mut(*at as usize)) {
            slot.defs.push(n);
        }
        for source in row.sources.iter().filter(|_| !inside) {
            if let Source::Id(id) = source
                && let Some(slot) = registers.get(id).and_then(|at| self.by_name.get_mut(*at as usize))
                && slot.users.last() != Some(&n)
            {
                slot.users.push(n);
            }
        }
        Ids { reads, write }
    }

    fn named(&self, id: u32) -> Option<&ByName> {
        self.by_name.get(*self.registers.get(&id)? as usize)
    }

    fn links(&self, id: Option<OperandId>) -> Vec<u32> {
        id.map(|id| self.flow.links(id).to_vec()).unwrap_or_default()
    }

    /// The instructions that define the id in source `source` of instruction `n`.
    pub(super) fn defs(&self, n: u32, source: usize, id: u32, inside: bool) -> Vec<u32> {
        if !inside {
            return self.named(id).map(|named| named.defs.clone()).unwrap_or_default();
        }
        self.links(self.operands.get(n as usize).and_then(|ids| ids.reads.get(source).copied().flatten()))
    }

    /// The instructions that use the result of instruction `n`.
    pub(super) fn uses(&self, n: u32, result: u32) -> Vec<u32> {
        let mut uses = self.links(self.operands.get(n as usize).and_then(|ids| ids.write));
        uses.extend(self.named(result).into_iter().flat_map(|named| &named.users));
        uses.sort_unstable();
        uses.dedup();
        uses
    }

    /// Ids that are live before an instruction.
    pub(super) fn live(&self, n: u32) -> u32 {
        self.flow.live(n).first().copied().unwrap_or(0)
    }
}
