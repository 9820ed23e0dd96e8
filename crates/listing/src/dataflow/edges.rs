//! Edges from operands that write to operands that read: how they are kept while they are found, and then by operand.
//!
//! One operand meets another in many classes, so a walk finds the same edge again and again. [`Pairs`] leaves most
//! repetitions out: it remembers the last writer of each reader, and one writer's edges come mostly together. The rest
//! goes when each operand's list is sorted.

use super::program::Program;

/// What takes the edges that are found.
pub(super) trait Sink {
    /// Bytes of `class` go from one operand to another.
    fn edge(&mut self, write: u32, class: u32, read: u32);
    /// How many edges are kept.
    fn len(&self) -> usize;
}

/// Every edge with its class: (user, definition, class), users and definitions as instructions.
pub(super) struct ByClass<'a> {
    pub(super) inst_of: &'a [u32],
    pub(super) all: Vec<(u32, Option<u32>, u32)>,
}

impl Sink for ByClass<'_> {
    fn edge(&mut self, write: u32, class: u32, read: u32) {
        self.all.push((self.inst_of[read as usize], Some(self.inst_of[write as usize]), class));
    }

    fn len(&self) -> usize {
        self.all.len()
    }
}

/// Edges without their classes.
pub(super) struct Pairs {
    /// Those that read, grouped by the operand that writes.
    reads: Vec<u32>,
    /// Of each group the writer, and where in `reads` it begins.
    groups: Vec<(u32, u32)>,
    /// The last writer of each operand.
    last: Vec<u32>,
}

/// No operand.
const NONE: u32 = u32::MAX;

impl Sink for Pairs {
    #[inline]
    fn edge(&mut self, write: u32, _: u32, read: u32) {
        if std::mem::replace(&mut self.last[read as usize], write) == write {
            return;
        }
        if self.groups.last().is_none_or(|(last, _)| *last != write) {
            self.groups.push((write, self.reads.len() as u32));
        }
        self.reads.push(read);
    }

    fn len(&self) -> usize {
        self.reads.len()
    }
}

impl Pairs {
    pub(super) fn new(program: &Program) -> Pairs {
        Pairs { reads: Vec::new(), groups: Vec::new(), last: vec![NONE; program.operands.len()] }
    }

    /// Every edge, (writer, reader), the last one found first.
    fn each(&self, mut f: impl FnMut(u32, u32)) {
        let mut end = self.reads.len();
        for &(write, start) in self.groups.iter().rev() {
            self.reads[start as usize..end].iter().for_each(|read| f(write, *read));
            end = start as usize;
        }
    }

    /// Of each operand the instructions at the other end of its edges, ascending, each once: where its list starts in all
    /// of them. After the last operand the end.
    pub(super) fn by_operand(mut self, inst_of: &[u32]) -> (Vec<u32>, Vec<u32>) {
        self.last = Vec::new();
        // First the size of each list, then where it starts, then, as it is filled, its end.
        let mut ends = vec![0u32; inst_of.len() + 1];
        self.each(|write, read| {
            ends[write as usize] += 1;
            ends[read as usize] += 1;
        });
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut links = vec![0; total as usize];
        let mut put = |operand: u32, other: u32| {
            let end = &mut ends[operand as usize];
            links[*end as usize] = inst_of[other as usize];
            *end += 1;
        };
        // Blocks are walked backward, so definitions mostly come out in order.
        self.each(|write, read| {
            put(write, read);
            put(read, write);
        });
        drop(self);
        let (mut from, mut kept) = (0, 0);
        for start in &mut ends {
            let end = *start as usize;
            *start = kept as u32;
            let first = kept;
            if !links[from..end].is_sorted() {
                links[from..end].sort_unstable();
            }
            for at in from..end {
                if kept == first || links[kept - 1] != links[at] {
                    links[kept] = links[at];
                    kept += 1;
                }
            }
            from = end;
        }
        links.truncate(kept);
        (links, ends)
    }
}
