//! Where a region goes: the jumps of its blocks, and which registers are newer in the code than in the machine.
//!
//! A register is *dirty* where some way from the entry has written it and none of the machine's own code has it since: it has to be written
//! back where the code is left. The sets are the least ones, found by going round until nothing grows.

use isaglot_semantics::Statement;

use crate::check::{Fields, Kind, known};
use crate::shape::{Block, Instruction, Region};

/// What a block's last instruction can do.
#[derive(Clone, Debug, Default)]
pub struct Jumps {
    /// Addresses that are known.
    pub targets: Vec<u64>,
    /// Elsewhere, too.
    pub indirect: bool,
    /// It may go on after it.
    pub falls: bool,
}

impl Instruction<'_> {
    pub(crate) fn known(&self) -> Fields<'_> {
        Fields { operands: &self.fields, pc: self.pc, next: self.next }
    }

    /// Where it goes on.
    pub fn jumps(&self) -> Jumps {
        let mut jumps = Jumps::default();
        let Kind::Translate { .. } = self.kind else {
            jumps.falls = matches!(self.kind, Kind::Call { .. } | Kind::Guarded { .. });
            return jumps;
        };
        jumps.falls = self.find(&self.body.statements, &mut jumps);
        jumps
    }

    /// Gives whether the end of the list is reached without a jump or a trap.
    fn find(&self, list: &[Statement], jumps: &mut Jumps) -> bool {
        let mut falls = true;
        for s in list {
            match s {
                Statement::SetPc(v) => {
                    match known(self.body, &self.known(), *v).and_then(|w| w.to_u64()) {
                        Some(target) => jumps.targets.push(target),
                        None => jumps.indirect = true,
                    }
                    falls = false;
                }
                Statement::Trap(..) => falls = false,
                Statement::If(_, then, otherwise) => {
                    let then = self.find(then, jumps);
                    let otherwise = self.find(otherwise, jumps);
                    falls &= then || otherwise;
                }
                _ => {}
            }
        }
        falls
    }

    /// The dirty registers after it.
    pub(crate) fn dirty(&self, before: u128) -> u128 {
        match self.kind {
            Kind::Translate { writes } | Kind::Guarded { writes, .. } => before | writes,
            // What it reads is written back before, and what it writes is written by the machine.
            Kind::Call { reads, writes } => before & !(reads | writes),
            Kind::Leave => before,
        }
    }
}

impl Block<'_> {
    /// Where it goes on, by address.
    pub(crate) fn jumps(&self) -> Jumps {
        let mut jumps = self.code.last().map_or(Jumps::default(), Instruction::jumps);
        if jumps.falls {
            jumps.targets.push(self.end);
        }
        jumps
    }
}

/// The dirty registers at the start of each block.
pub(crate) fn dirty(region: &Region<'_>) -> Vec<u128> {
    let number = |start: u64| region.blocks.iter().position(|b| b.start == start);
    let next: Vec<Vec<usize>> = region
        .blocks
        .iter()
        .map(|block| {
            let jumps = block.jumps();
            let returns = region.returns.iter().filter(|_| jumps.indirect);
            jumps.targets.iter().chain(returns).filter_map(|&at| number(at)).collect()
        })
        .collect();
    let mut dirty = vec![0; region.blocks.len()];
    let mut todo: Vec<usize> = (0..region.blocks.len()).rev().collect();
    while let Some(at) = todo.pop() {
        let after = region.blocks[at].code.iter().fold(dirty[at], |set, i| i.dirty(set));
        for &to in &next[at] {
            if dirty[to] | after != dirty[to] {
                dirty[to] |= after;
                todo.push(to);
            }
        }
    }
    dirty
}
