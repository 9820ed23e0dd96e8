//! From the program to the answer per operand.

use std::ops::Range;

use super::block::{DONE, Edge, Found, Walker};
use super::calls::Calls;
use super::classes::{Classes, classify};
use super::graph::{Bits, Graph};
use super::program::{OperandId, Program, Role};
use crate::limits::MAX_EDGES;

/// The answer.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    links: Vec<u32>,
    ranges: Vec<Range<u32>>,
    live: Vec<u32>,
    files: usize,
    functions: Functions,
}

/// The functions that are called, in sets of classes: the lists of bytes are made when they are asked for.
#[derive(Clone, Debug, Default)]
struct Functions {
    /// First blocks, ascending, and for each the number of its row in `used` and `defined`.
    rows: Vec<(u32, u32)>,
    used: Bits,
    defined: Bits,
    preserved: Bits,
    /// Class of each byte.
    of: Vec<u32>,
}

/// What a function does to registers, with all that it calls: bytes in the universe of all files, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// What it may read of what its caller has left.
    pub used: Vec<u32>,
    /// What it may write.
    pub defined: Vec<u32>,
    /// What of that may come back as it was.
    pub preserved: Vec<u32>,
}

impl Flow {
    /// The function that begins with a block, if it is called.
    pub fn function(&self, block: u32) -> Option<Function> {
        let Functions { rows, used, defined, preserved, of } = &self.functions;
        let row = rows.get(rows.binary_search_by_key(&block, |r| r.0).ok()?)?.1;
        let bytes = |has: &dyn Fn(u32) -> bool| -> Vec<u32> {
            (0..).zip(of).filter(|(_, class)| has(**class)).map(|(byte, _)| byte).collect()
        };
        Some(Function {
            used: bytes(&|class| used.get(row, class)),
            defined: bytes(&|class| defined.get(row, class)),
            preserved: bytes(&|class| defined.get(row, class) && preserved.get(row, class)),
        })
    }

    /// For an operand that reads, the instructions that define its bytes; for one that writes, those that read them.
    /// Ascending, each once.
    pub fn links(&self, operand: OperandId) -> &[u32] {
        let range = self.ranges.get(operand as usize).cloned().unwrap_or(0..0);
        &self.links[range.start as usize..range.end as usize]
    }

    /// Live bytes of each register file before the instruction executes.
    pub fn live(&self, inst: u32) -> &[u32] {
        let start = inst as usize * self.files;
        self.live.get(start..start + self.files).unwrap_or(&[])
    }
}

/// The program has more edges than [`MAX_EDGES`], or finding them takes too many steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Solves a program. A successor that does not exist is taken as the end.
pub fn solve(program: &Program) -> Result<Flow, TooLarge> {
    let classes = classify(program);
    let mut walker = Walker::new(program, &classes);
    let mut found = Found::default();
    let graph = find(program, &classes, &mut walker, &mut found)?;
    let live = totals(program, &classes, &graph, &mut walker);
    let (links, ranges) = by_operand(program, &classes, &mut found.edges);
    let functions = functions(program, classes, graph);
    Ok(Flow { links, ranges, live, files: program.file_count(), functions })
}

/// The functions that are called.
fn functions(program: &Program, classes: Classes, graph: Graph<'_>) -> Functions {
    let Some(calls) = &graph.calls else { return Functions::default() };
    let defined = graph.written(calls, |block, set| {
        let insts = program.blocks[block as usize].insts.clone();
        for operand in insts.flat_map(|i| program.insts[i as usize].operands.clone()) {
            if program.operands[operand as usize].role == Role::Write {
                classes.operand(operand).iter().for_each(|class| set(*class));
            }
        }
    });
    let called = (0..).zip(&calls.entries).filter(|(row, _)| !calls.sites[*row as usize].is_empty());
    let rows = called.map(|(row, entry)| (*entry, row)).collect();
    let preserved = graph.pass.rows(&calls.entries);
    Functions { rows, used: graph.used, defined, preserved, of: classes.of }
}

/// A definition, or what was there before the program, and a use of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The instruction that defines; none before the program.
    pub def: Option<u32>,
    /// The instruction that uses it.
    pub user: u32,
    /// Which bytes, in the universe of all files; ascending.
    pub bytes: Vec<u32>,
}

/// What reaches each use, to the byte; by users, and then by definitions.
pub fn reaches(program: &Program) -> Result<Vec<Reach>, TooLarge> {
    let classes = classify(program);
    let mut walker = Walker::new(program, &classes);
    let mut found = Found::default();
    let graph = find(program, &classes, &mut walker, &mut found)?;
    let before = graph.live_before(&found);
    let edges = found.edges.iter().map(|e| (e.user, Some(e.def), e.class));
    let mut all: Vec<(u32, Option<u32>, u32)> = edges.chain(before.map(|(class, user)| (user, None, class))).collect();
    all.sort_unstable();
    all.dedup();
    let mut bytes: Vec<Vec<u32>> = vec![Vec::new(); classes.count];
    for (byte, class) in (0..).zip(&classes.of) {
        bytes[*class as usize].push(byte);
    }
    let mut out: Vec<Reach> = Vec::new();
    for (user, def, class) in all {
        if out.last().is_none_or(|last| (last.user, last.def) != (user, def)) {
            out.push(Reach { def, user, bytes: Vec::new() });
        }
        if let Some(last) = out.last_mut() {
            last.bytes.extend(&bytes[class as usize]);
        }
    }
    out.iter_mut().for_each(|reach| reach.bytes.sort_unstable());
    Ok(out)
}

/// Finds all edges, and what lives between the blocks.
fn find<'p>(
    program: &'p Program,
    classes: &Classes,
    walker: &mut Walker<'_>,
    found: &mut Found,
) -> Result<Graph<'p>, TooLarge> {
    let calls = Calls::new(program)?;
    let mut graph = Graph::new(program, calls, classes.count);
    for block in 0..program.blocks.len() as u32 {
        let (exposed, reaching, killed) = (found.exposed.len(), found.reaching.len(), found.killed.len());
        walker.walk(block, &|_| false, found, &mut |_, _, _| {});
        found.exposed[exposed..].sort_unstable();
        found.reaching[reaching..].sort_unstable();
        graph.exposed.push(exposed as u32..found.exposed.len() as u32);
        graph.reaching.push(reaching as u32..found.reaching.len() as u32);
        for &(class, _) in &found.exposed[exposed..] {
            graph.live_in.set(block, class);
        }
        for &class in &found.killed[killed..] {
            graph.killed.set(block, class);
        }
        if walker.steps == 0 || found.edges.len() > MAX_EDGES {
            return Err(TooLarge);
        }
    }
    graph.propagate();
    graph.cross_edges(found, &mut walker.steps)?;
    Ok(graph)
}

/// Live bytes by register file before each instruction.
fn totals(program: &Program, classes: &Classes, graph: &Graph<'_>, walker: &mut Walker<'_>) -> Vec<u32> {
    let files = program.file_count();
    let mut live = vec![0; program.insts.len() * files];
    let mut scratch = Found::default();
    for block in 0..program.blocks.len() as u32 {
        let mut sums = vec![0u32; files];
        graph
            .live_out
            .each(block, |class| sums[classes.file[class as usize] as usize] += classes.weight[class as usize]);
        let mut change = |inst: u32, class: u32, comes: bool| {
            if class == DONE {
                live[inst as usize * files..][..files].copy_from_slice(&sums);
                return;
            }
            let sum = &mut sums[classes.file[class as usize] as usize];
            let weight = classes.weight[class as usize];
            *sum = if comes { *sum + weight } else { *sum - weight };
        };
        walker.walk(block, &|class| graph.live_out.get(block, class), &mut scratch, &mut change);
        scratch = Found {
            edges: cleared(scratch.edges),
            exposed: cleared(scratch.exposed),
            reaching: cleared(scratch.reaching),
            killed: cleared(scratch.killed),
        };
    }
    live
}

fn cleared<T>(mut list: Vec<T>) -> Vec<T> {
    list.clear();
    list
}

/// The other end of the edges of each operand.
fn by_operand(program: &Program, classes: &Classes, edges: &mut Vec<Edge>) -> (Vec<u32>, Vec<Range<u32>>) {
    let mut by_user = std::mem::take(edges);
    let by_def = bucketed(&by_user, program.insts.len(), |e| e.def);
    by_user = bucketed(&by_user, program.insts.len(), |e| e.user);
    let mut links = Vec::new();
    let mut ranges = vec![0..0; program.operands.len()];
    let mut stamps = vec![0u32; classes.count];
    let mut stamp = 0;
    let (mut u, mut d) = (0, 0);
    for (i, inst) in program.insts.iter().enumerate() {
        let end_of = |list: &[Edge], from: usize, key: fn(&Edge) -> u32| {
            from + list[from..].iter().take_while(|e| key(e) as usize == i).count()
        };
        let users = u..end_of(&by_user, u, |e| e.user);
        let defs = d..end_of(&by_def, d, |e| e.def);
        (u, d) = (users.end, defs.end);
        if users.is_empty() && defs.is_empty() {
            continue;
        }
        for operand in inst.operands.clone() {
            let reads = program.operands[operand as usize].role != Role::Write;
            let mine = if reads { &by_user[users.clone()] } else { &by_def[defs.clone()] };
            if mine.is_empty() {
                continue;
            }
            stamp += 1;
            for &class in classes.operand(operand) {
                stamps[class as usize] = stamp;
            }
            let start = links.len();
            let touching = mine.iter().filter(|e| stamps[e.class as usize] == stamp);
            links.extend(touching.map(|e| if reads { e.def } else { e.user }));
            links[start..].sort_unstable();
            let mut kept = start;
            for at in start..links.len() {
                if kept == start || links[kept - 1] != links[at] {
                    links[kept] = links[at];
                    kept += 1;
                }
            }
            links.truncate(kept);
            ranges[operand as usize] = start as u32..kept as u32;
        }
    }
    (links, ranges)
}

/// Edges ordered by an instruction: a counting sort.
fn bucketed(edges: &[Edge], insts: usize, key: impl Fn(&Edge) -> u32) -> Vec<Edge> {
    let mut at = vec![0usize; insts + 1];
    for e in edges {
        at[key(e) as usize + 1] += 1;
    }
    for i in 0..insts {
        at[i + 1] += at[i];
    }
    let mut out = vec![Edge { def: 0, class: 0, user: 0 }; edges.len()];
    for e in edges {
        let slot = &mut at[key(e) as usize];
        out[*slot] = *e;
        *slot += 1;
    }
    out
}
