//! The blocks of a module: what stands outside functions, the head of each function, and what each label begins.

use std::collections::BTreeMap;
use std::ops::Range;

use super::rows::Row;

const OP_FUNCTION: u16 = 54;
const OP_FUNCTION_END: u16 = 56;
const OP_LABEL: u16 = 248;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Instructions outside functions.
    Module,
    /// `OpFunction` and its parameters.
    Head,
    /// From a label on.
    Body,
}

/// A block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// The id of its function or label.
    pub(super) id: Option<u32>,
    pub(super) rows: Range<usize>,
    /// Number of its function, from 1; 0 outside.
    function: usize,
    /// Blocks to which control goes, ascending.
    pub(super) succs: Vec<u32>,
    /// Blocks from which it comes, ascending.
    pub(super) preds: Vec<u32>,
}

impl Block {
    /// Whether its last row is the `OpFunctionEnd` of its function.
    pub(super) fn ends_function(&self, rows: &[Row]) -> bool {
        let last = self.rows.end.checked_sub(1).and_then(|at| rows.get(at));
        self.kind != Kind::Module && last.is_some_and(|row| row.opcode == OP_FUNCTION_END)
    }
}

/// All blocks, in the order of the module.
pub(super) fn blocks(rows: &[Row]) -> Vec<Block> {
    let mut all: Vec<Block> = Vec::new();
    let (mut functions, mut inside) = (0, false);
    for (at, row) in rows.iter().enumerate() {
        let kind = match row.opcode {
            OP_FUNCTION => {
                functions += 1;
                inside = true;
                Some(Kind::Head)
            }
            OP_LABEL if inside => Some(Kind::Body),
            _ if !inside && all.last().is_none_or(|b| b.kind != Kind::Module) => Some(Kind::Module),
            _ => None,
        };
        match (kind, all.last_mut()) {
            (None, Some(open)) => open.rows.end = at + 1,
            (kind, _) => {
                let kind = kind.unwrap_or(Kind::Module);
                let function = if inside { functions } else { 0 };
                all.push(Block { kind, id: row.result, rows: at..at + 1, function, succs: vec![], preds: vec![] });
            }
        }
        inside &= row.opcode != OP_FUNCTION_END;
    }
    link(&mut all, rows);
    all
}

fn link(all: &mut [Block], rows: &[Row]) {
    // Of blocks with one label the last counts.
    let labels: BTreeMap<(usize, u32), u32> = all
        .iter()
        .zip(0u32..)
        .filter(|(b, _)| b.kind == Kind::Body)
        .filter_map(|(b, n)| Some(((b.function, b.id?), n)))
        .collect();
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for (n, block) in (0u32..).zip(all.iter()) {
        let to = |id: &u32| labels.get(&(block.function, *id)).map(|to| (n, *to));
        match block.kind {
            Kind::Module => {}
            // The first block of a function follows its head.
            Kind::Head => {
                let next = all.get(n as usize + 1).filter(|b| b.kind == Kind::Body && b.function == block.function);
                edges.extend(next.map(|_| (n, n + 1)));
            }
            Kind::Body => {
                // Debug lines end nothing.
                let ends = |row: &&Row| !matches!(row.opcode, 8 | 317 | OP_FUNCTION_END);
                let Some(row) = rows.get(block.rows.clone()).unwrap_or(&[]).iter().rev().find(ends) else { continue };
                match (row.opcode, row.words.get(1..).unwrap_or(&[])) {
                    (249, [target, ..]) => edges.extend(to(target)),
                    (250, [_, t, f, ..]) => edges.extend([t, f].into_iter().filter_map(to)),
                    (251, [_, default, cases @ ..]) => {
                        let targets = cases.chunks_exact(row.label_words + 1).filter_map(|c| c.last());
                        edges.extend([default].into_iter().chain(targets).filter_map(to));
                    }
                    _ => {}
                }
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    for &(from, to) in &edges {
        if let Some(block) = all.get_mut(from as usize) {
            block.succs.push(to);
        }
        if let Some(block) = all.get_mut(to as usize) {
            block.preds.push(from);
        }
    }
}
