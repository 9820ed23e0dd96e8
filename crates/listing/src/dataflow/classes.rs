//! Classes of bytes: bytes that every operand of the program either touches or leaves alone together.
//!
//! Partition refinement: each different operand set splits the classes that it meets only in part. Cost is the sum of
//! the sizes of the *different* sets, and programs name the same few registers again and again.

use rustc_hash::FxHashMap;

use super::program::{Program, Run};

/// The partition, and each operand as a list of classes.
pub(super) struct Classes {
    /// Number of classes.
    pub(super) count: usize,
    /// Bytes of each class.
    pub(super) weight: Vec<u32>,
    /// Register file of each class.
    pub(super) file: Vec<u32>,
    /// Set of each operand: an index of `sets`.
    pub(super) set_of: Vec<u32>,
    /// Class of each byte.
    pub(super) of: Vec<u32>,
    starts: Vec<u32>,
    pool: Vec<u32>,
}

impl Classes {
    /// The classes of a set, each once.
    pub(super) fn set(&self, set: u32) -> &[u32] {
        let (a, b) = (self.starts[set as usize], self.starts[set as usize + 1]);
        &self.pool[a as usize..b as usize]
    }

    /// The classes of an operand, each once.
    pub(super) fn operand(&self, operand: u32) -> &[u32] {
        self.set(self.set_of[operand as usize])
    }

    /// Number of different sets.
    pub(super) fn set_count(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Splits the bytes of the program's register files.
pub(super) fn classify(program: &Program) -> Classes {
    let mut known: FxHashMap<&[Run], u32> = FxHashMap::default();
    let mut sets: Vec<&[Run]> = Vec::new();
    let mut set_of = Vec::with_capacity(program.operands.len());
    for operand in &program.operands {
        let runs = &program.runs[operand.runs.start as usize..operand.runs.end as usize];
        let next = sets.len() as u32;
        let set = *known.entry(runs).or_insert(next);
        if set == next {
            sets.push(runs);
        }
        set_of.push(set);
    }

    let universe = program.bases.last().copied().unwrap_or(0) as usize;
    let mut part = Partition { of: vec![0; universe], size: Vec::new(), file: Vec::new() };
    for (file, ends) in program.bases.windows(2).enumerate() {
        part.of[ends[0] as usize..ends[1] as usize].fill(file as u32);
        part.size.push(ends[1] - ends[0]);
        part.file.push(file as u32);
    }
    let mut seen = vec![u32::MAX; universe];
    let mut bytes: Vec<u32> = Vec::new();
    let mut counts: Vec<u32> = Vec::new();
    let mut renamed: Vec<u32> = Vec::new();
    for (id, runs) in sets.iter().enumerate() {
        distinct(runs, &mut seen, id as u32, &mut bytes);
        part.refine(&bytes, &mut counts, &mut renamed);
    }

    seen.fill(u32::MAX);
    let mut last = vec![u32::MAX; part.size.len()];
    let mut starts = vec![0u32];
    let mut pool = Vec::new();
    for (id, runs) in sets.iter().enumerate() {
        for byte in runs.iter().flat_map(|r| r.bytes()) {
            let class = part.of[byte as usize];
            if std::mem::replace(&mut last[class as usize], id as u32) != id as u32 {
                pool.push(class);
            }
        }
        starts.push(pool.len() as u32);
    }
    Classes { count: part.size.len(), weight: part.size, file: part.file, set_of, of: part.of, starts, pool }
}

/// The bytes of `runs`, each once.
fn distinct(runs: &[Run], seen: &mut [u32], stamp: u32, out: &mut Vec<u32>) {
    out.clear();
    for byte in runs.iter().flat_map(|r| r.bytes()) {
        if std::mem::replace(&mut seen[byte as usize], stamp) != stamp {
            out.push(byte);
        }
    }
}

struct Partition {
    of: Vec<u32>,
    size: Vec<u32>,
    file: Vec<u32>,
}

impl Partition {
    /// Splits every class of which `bytes` holds only a part.
    fn refine(&mut self, bytes: &[u32], counts: &mut Vec<u32>, renamed: &mut Vec<u32>) {
        counts.resize(self.size.len(), 0);
        renamed.resize(self.size.len(), 0);
        for &byte in bytes {
            counts[self.of[byte as usize] as usize] += 1;
        }
        for &byte in bytes {
            let class = self.of[byte as usize] as usize;
            let count = std::mem::take(&mut counts[class]);
            if count == 0 {
                continue;
            }
            renamed[class] = class as u32;
            if count < self.size[class] {
                renamed[class] = self.size.len() as u32;
                self.size[class] -= count;
                self.size.push(count);
                self.file.push(self.file[class]);
            }
        }
        for &byte in bytes {
            let class = &mut self.of[byte as usize];
            *class = renamed[*class as usize];
        }
    }
}
