//! The control flow of one function, for indentation by nesting and for order by flow.
//!
//! A block is kept as the place of its label alone: where it ends the next one begins, and where it goes is read from
//! its last instructions when that is asked. A branch to what is no block is simply no edge, so that no input can break
//! the walk.

use crate::instructions::Instructions;

/// Blocks held back, and what of their words was printed before them.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// The blocks in the order of the module.
    pub(crate) blocks: Vec<Block>,
    /// Where the last one ends.
    pub(crate) end: usize,
    /// Instructions among them that were printed already, by word index, rising.
    pub(crate) printed: Vec<u32>,
}

/// A block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// The word index of its label.
    start: u32,
    /// [`LEVELED`], [`REACHED`], and the nesting level.
    state: u32,
}

/// The level is final.
const LEVELED: u32 = 1 << 31;
/// The walk has been here.
const REACHED: u32 = 1 << 30;

/// Work to be done after what the block leads to.
const AFTER: u32 = 1 << 31;

impl Block {
    /// A block that begins with the label at this word.
    pub(crate) fn new(label: usize) -> Block {
        Block { start: label as u32, state: 0 }
    }

    /// Nesting level.
    pub(crate) fn level(&self) -> u32 {
        self.state & !(LEVELED | REACHED)
    }
}

/// Where a block goes.
#[derive(Default)]
struct Edges<'w> {
    merge: Option<u32>,
    next_loop: Option<u32>,
    on_true: Option<u32>,
    on_false: Option<u32>,
    body: Option<u32>,
    next: Option<u32>,
    default: Option<u32>,
    /// Case labels and targets.
    cases: &'w [u32],
    /// Words of a case label and its target.
    step: usize,
}

impl<'w> Edges<'w> {
    fn cases(&self) -> impl Iterator<Item = u32> + 'w {
        self.default.into_iter().chain(self.cases.chunks_exact(self.step.max(1)).filter_map(|c| c.last().copied()))
    }
}

/// The operands of an instruction, as raw words after the first.
fn operands(words: &[u32], at: usize) -> (u16, &[u32]) {
    let first = words.get(at).copied().unwrap_or(0);
    let end = at + ((first >> 16) as usize).max(1);
    (first as u16, words.get(at + 1..end).unwrap_or(&[]))
}

impl Held {
    /// The instructions of a block by word index, the label first.
    pub(crate) fn instructions<'w>(&self, block: usize, words: &'w [u32]) -> impl Iterator<Item = usize> + use<'_, 'w> {
        let start = |n: usize| self.blocks.get(n).map(|block| block.start as usize);
        let end = start(block + 1).unwrap_or(self.end);
        let all = Instructions::from(words, start(block).unwrap_or(end));
        all.map(|i| i.offset)
            .take_while(move |&at| at < end)
            .filter(|&at| self.printed.is_empty() || self.printed.binary_search(&(at as u32)).is_err())
    }

    /// Notes that an instruction among the blocks was printed.
    pub(crate) fn note(&mut self, at: usize) {
        if !self.blocks.is_empty() {
            self.printed.push(at as u32);
        }
    }

    /// `label_words` is how many words a case label takes.
    fn edges<'w>(&self, block: usize, words: &'w [u32], label_words: &dyn Fn(u32) -> usize) -> Edges<'w> {
        let mut edges = Edges::default();
        // The last instruction, and the one before if that is not the label.
        let (mut count, mut before, mut last) = (0, None, None);
        for at in self.instructions(block, words) {
            count += 1;
            (before, last) = (last, Some(at));
        }
        let mut is_loop = false;
        if let (Some(merge), true) = (before, count >= 3) {
            match operands(words, merge) {
                (246, [m, c, ..]) => {
                    edges.merge = Some(*m);
                    edges.next_loop = Some(*c);
                    is_loop = true;
                }
                (247, [m, ..]) => edges.merge = Some(*m),
                _ => {}
            }
        }
        match last.map(|at| operands(words, at)) {
            Some((249, [target, ..])) if is_loop => edges.body = Some(*target),
            Some((249, [target, ..])) => edges.next = Some(*target),
            Some((250, [_, t, f, ..])) => {
                edges.on_true = Some(*t);
                edges.on_false = Some(*f);
            }
            Some((251, [selector, default, cases @ ..])) => {
                edges.default = Some(*default);
                edges.cases = cases;
                edges.step = label_words(*selector) + 1;
            }
            _ => {}
        }
        edges
    }

    /// Sets the levels and gives the order in which the blocks are to be shown if they are to follow the flow.
    pub(crate) fn analyse(&mut self, words: &[u32], label_words: &dyn Fn(u32) -> usize) -> Vec<u32> {
        let label = |block: &Block| words.get(block.start as usize + 1).copied();
        let mut index = Vec::new();
        index.reserve_exact(self.blocks.len());
        index.extend(self.blocks.iter().zip(0u32..).filter_map(|(block, i)| Some((label(block)?, i))));
        // Of blocks with one label the first counts.
        index.sort_unstable();
        let find = |id: Option<u32>| {
            let id = id?;
            let at = index.partition_point(|&(label, _)| label < id);
            index.get(at).filter(|(label, _)| *label == id).map(|(_, i)| *i)
        };
        let mut finished: Vec<u32> = Vec::new();
        finished.reserve_exact(self.blocks.len());
        let mut work = vec![0u32];
        if let Some(first) = self.blocks.first_mut() {
            first.state |= LEVELED;
        }
        while let Some(i) = work.pop() {
            if i & AFTER != 0 {
                finished.push(i ^ AFTER);
                continue;
            }
            let Some(block) = self.blocks.get_mut(i as usize) else { continue };
            if block.state & REACHED != 0 {
                continue;
            }
            block.state |= REACHED;
            let level = block.level();
            let edges = self.edges(i as usize, words, label_words);
            let blocks = &mut self.blocks;
            let mut assign = |to: Option<u32>, add: u32| {
                if let Some(b) = find(to).and_then(|t| blocks.get_mut(t as usize))
                    && b.state & LEVELED == 0
                {
                    b.state |= LEVELED | (level + add).min(REACHED - 1);
                }
            };
            assign(edges.merge, 0);
            assign(edges.next_loop, 1);
            assign(edges.on_true, 2);
            assign(edges.on_false, 2);
            assign(edges.body, 2);
            assign(edges.next, 0);
            edges.cases().for_each(|case| assign(Some(case), 2));
            work.push(i | AFTER);
            // One that was reached would only be passed over.
            let mut push = |to: Option<u32>| {
                let to = find(to).filter(|&t| blocks.get(t as usize).is_some_and(|b| b.state & REACHED == 0));
                work.extend(to);
            };
            push(edges.on_true);
            push(edges.on_false);
            push(edges.body);
            push(edges.next);
            edges.cases().for_each(|case| push(Some(case)));
            push(edges.next_loop);
            push(edges.merge);
        }
        finished.reverse();
        finished.extend(self.blocks.iter().zip(0..).filter(|(b, _)| b.state & REACHED == 0).map(|(_, i)| i));
        finished
    }
}
