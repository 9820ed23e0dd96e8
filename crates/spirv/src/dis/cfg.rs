//! The control flow of one function, for indentation by nesting and for order by flow.
//!
//! Built from each block's last instruction and a merge instruction right before it. A branch to what is no block is
//! simply no edge, so that no input can break the walk.

use rustc_hash::FxHashMap;

/// A block: its instructions by word index, and where it goes.
#[derive(Default)]
pub(crate) struct Block {
    /// Word indices, the label first.
    pub(crate) instructions: Vec<usize>,
    /// Nesting level.
    pub(crate) level: u32,
    leveled: bool,
    reached: bool,
    merge: Option<u32>,
    next_loop: Option<u32>,
    on_true: Option<u32>,
    on_false: Option<u32>,
    body: Option<u32>,
    next: Option<u32>,
    cases: Vec<u32>,
}

impl Block {
    /// A block that begins with the label at this word.
    pub(crate) fn new(label: usize) -> Block {
        Block { instructions: vec![label], ..Block::default() }
    }
}

/// The operands of an instruction, as raw words after the first.
fn operands(words: &[u32], at: usize) -> (u16, &[u32]) {
    let first = words.get(at).copied().unwrap_or(0);
    let end = at + ((first >> 16) as usize).max(1);
    (first as u16, words.get(at + 1..end).unwrap_or(&[]))
}

/// Fills in the edges. `label_words` is how many words a case label takes.
fn edges(block: &mut Block, words: &[u32], label_words: &dyn Fn(u32) -> usize) {
    let Some((&last, before)) = block.instructions.split_last() else { return };
    let mut is_loop = false;
    if let (Some(&merge), true) = (before.last(), before.len() >= 2) {
        match operands(words, merge) {
            (246, [m, c, ..]) => {
                block.merge = Some(*m);
                block.next_loop = Some(*c);
                is_loop = true;
            }
            (247, [m, ..]) => block.merge = Some(*m),
            _ => {}
        }
    }
    match operands(words, last) {
        (249, [target, ..]) if is_loop => block.body = Some(*target),
        (249, [target, ..]) => block.next = Some(*target),
        (250, [_, t, f, ..]) => {
            block.on_true = Some(*t);
            block.on_false = Some(*f);
        }
        (251, [selector, default, cases @ ..]) => {
            block.cases.push(*default);
            let step = label_words(*selector) + 1;
            block.cases.extend(cases.chunks_exact(step).filter_map(|c| c.last()));
        }
        _ => {}
    }
}

/// Levels, and the order in which the blocks are to be shown if they are to follow the flow.
pub(crate) fn analyse(blocks: &mut [Block], words: &[u32], label_words: &dyn Fn(u32) -> usize) -> Vec<usize> {
    let mut index = FxHashMap::default();
    for (i, block) in blocks.iter_mut().enumerate() {
        let label = block.instructions.first().and_then(|&at| words.get(at + 1));
        if let Some(&label) = label {
            index.entry(label).or_insert(i);
        }
        edges(block, words, label_words);
    }
    let mut finished = Vec::new();
    let mut work = vec![(0usize, false)];
    if let Some(first) = blocks.first_mut() {
        first.leveled = true;
    }
    while let Some((i, after)) = work.pop() {
        if after {
            finished.push(i);
            continue;
        }
        let Some(block) = blocks.get_mut(i) else { continue };
        if std::mem::replace(&mut block.reached, true) {
            continue;
        }
        let level = block.level;
        let target = |id: Option<u32>| id.and_then(|id| index.get(&id).copied());
        let merge = target(block.merge);
        let continues = target(block.next_loop);
        let (on_true, on_false) = (target(block.on_true), target(block.on_false));
        let (body, next) = (target(block.body), target(block.next));
        let cases: Vec<usize> = block.cases.iter().filter_map(|id| index.get(id).copied()).collect();
        let mut assign = |to: Option<usize>, add: u32| {
            if let Some(b) = to.and_then(|t| blocks.get_mut(t))
                && !b.leveled
            {
                b.leveled = true;
                b.level = level.saturating_add(add);
            }
        };
        assign(merge, 0);
        assign(continues, 1);
        assign(on_true, 2);
        assign(on_false, 2);
        assign(body, 2);
        assign(next, 0);
        for &case in &cases {
            assign(Some(case), 2);
        }
        work.push((i, true));
        let mut push = |to: Option<usize>| work.extend(to.map(|t| (t, false)));
        push(on_true);
        push(on_false);
        push(body);
        push(next);
        cases.iter().for_each(|&c| push(Some(c)));
        push(continues);
        push(merge);
    }
    finished.reverse();
    finished.extend(blocks.iter().enumerate().filter(|(_, b)| !b.reached).map(|(i, _)| i));
    finished
}
