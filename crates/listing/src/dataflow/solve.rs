//! From the program to the answer per operand.

use super::block::{Found, Walker};
use super::calls::Calls;
use super::classes::{Classes, classify};
use super::edges::{ByClass, Pairs, Sink};
use super::graph::{Bits, Graph};
use super::program::{Block, OperandId, Program, Role};
use crate::limits::MAX_EDGES;

/// The answer.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    links: Vec<u32>,
    /// Where the links of each operand start, and after the last one their end.
    starts: Vec<u32>,
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
        let at = |n: usize| self.starts.get(n).map_or(0, |at| *at as usize);
        self.links.get(at(operand as usize)..at((operand as usize).saturating_add(1))).unwrap_or(&[])
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

impl core::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the program has more definitions and uses than a listing holds")
    }
}

impl core::error::Error for TooLarge {}

/// Solves a program. A successor that does not exist is taken as the end.
pub fn solve(program: &Program) -> Result<Flow, TooLarge> {
    let classes = classify(program);
    let inst_of = program.inst_of();
    let mut pairs = Pairs::new(program);
    let (graph, mut found) = find(program, &classes, &inst_of, &mut pairs)?;
    add_rests(program, &classes, &graph, &mut found);
    let live = std::mem::take(&mut found.live);
    drop(found);
    let functions = functions(program, classes, graph);
    let (links, starts) = pairs.by_operand(&inst_of);
    Ok(Flow { links, starts, live, files: program.file_count(), functions })
}

/// The functions that are called.
fn functions(program: &Program, classes: Classes, graph: Graph<'_>) -> Functions {
    let Some(calls) = &graph.calls else { return Functions::default() };
    let defined = graph.written(calls, |block, set| {
        let insts = program.blocks[block as usize].insts.clone();
        for operand in insts.flat_map(|i| program.insts[i as usize].operands.clone()) {
            if program.role(operand) == Role::Write {
                classes.each(program.runs_of(operand), &mut *set);
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
    let inst_of = program.inst_of();
    let mut by_class = ByClass { inst_of: &inst_of, all: Vec::new() };
    let (graph, found) = find(program, &classes, &inst_of, &mut by_class)?;
    let mut all = by_class.all;
    all.extend(graph.live_before(&found).map(|(class, user)| (inst_of[user as usize], None, class)));
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
    inst_of: &[u32],
    sink: &mut impl Sink,
) -> Result<(Graph<'p>, Found), TooLarge> {
    let calls = Calls::new(program)?;
    let mut graph = Graph::new(program, calls, classes.count);
    let mut walker = Walker::new(program, classes, inst_of);
    let mut found = Found { live: vec![0; program.insts.len() * program.file_count()], ..Found::default() };
    for block in 0..program.blocks.len() as u32 {
        let (exposed, reaching, killed) = (found.exposed.len(), found.reaching.len(), found.killed.len());
        walker.walk(block, &mut found, sink);
        graph.exposed.push(exposed as u32..found.exposed.len() as u32);
        graph.reaching.push(reaching as u32..found.reaching.len() as u32);
        for &(class, _) in &found.exposed[exposed..] {
            graph.live_in.set(block, class);
        }
        for &class in &found.killed[killed..] {
            graph.killed.set(block, class);
        }
        found.killed.truncate(killed);
        if walker.steps == 0 || sink.len() > MAX_EDGES {
            return Err(TooLarge);
        }
    }
    graph.propagate();
    graph.cross_edges(&found, inst_of, &mut walker.steps, sink)?;
    Ok((graph, found))
}

/// Adds, to the live bytes that are wanted within each block, those that are wanted after it.
fn add_rests(program: &Program, classes: &Classes, graph: &Graph<'_>, found: &mut Found) {
    let files = program.file_count();
    let mut sums = vec![0u32; files];
    let mut rests = found.rests.iter().peekable();
    for (block, Block { insts, .. }) in (0..).zip(&program.blocks) {
        sums.fill(0);
        let place = |class: u32| (classes.file[class as usize] as usize, classes.weight[class as usize]);
        graph.live_out.each(block, |class| {
            let (file, weight) = place(class);
            sums[file] += weight;
        });
        for inst in insts.clone().rev() {
            while let Some(rest) = rests.next_if(|rest| rest.inst == inst) {
                if graph.live_out.get(block, rest.class) {
                    let (file, weight) = place(rest.class);
                    sums[file] = if rest.counts { sums[file] + weight } else { sums[file] - weight };
                }
            }
            let live = &mut found.live[inst as usize * files..][..files];
            live.iter_mut().zip(&sums).for_each(|(live, more)| *live += more);
        }
    }
}
