//! Functions and loops of a graph of blocks.
//!
//! A block belongs to one function: to the first, in the order of the program, whose entry reaches it without going
//! through the entry of another one.
//!
//! A loop is a strongly connected part of the graph; without its head, the block that control enters first, the loops
//! inside it are the strongly connected parts of what is left. So a loop with several entries is a loop, too.

use crate::limits::MAX_LOOP_DEPTH;

/// Blocks by number, in the order of the program.
pub(super) struct Graph {
    /// Where control goes from each.
    pub(super) succs: Vec<Vec<usize>>,
    /// Whether a function begins with it.
    pub(super) is_entry: Vec<bool>,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub(super) head: usize,
    /// 1 for a loop in no other one.
    pub(super) depth: u32,
    /// Ascending.
    pub(super) blocks: Vec<usize>,
}

/// Of each block the entry of its function.
pub(super) fn functions(graph: &Graph) -> Vec<usize> {
    let mut owner: Vec<Option<usize>> = vec![None; graph.succs.len()];
    let entries = (0..graph.succs.len()).filter(|&b| graph.is_entry[b]);
    // A loop that control never comes to has no entry: its first block is taken for one.
    for entry in entries.chain(0..graph.succs.len()) {
        if owner[entry].is_some() {
            continue;
        }
        owner[entry] = Some(entry);
        let mut open = vec![entry];
        while let Some(block) = open.pop() {
            for &to in &graph.succs[block] {
                if owner[to].is_none() && !graph.is_entry[to] {
                    owner[to] = Some(entry);
                    open.push(to);
                }
            }
        }
    }
    owner.into_iter().enumerate().map(|(block, entry)| entry.unwrap_or(block)).collect()
}

/// The loops, an outer one before those inside it. Loops deeper than [`MAX_LOOP_DEPTH`] count as part of the one around.
pub(super) fn loops(graph: &Graph) -> Vec<Loop> {
    let mut all = Vec::new();
    let mut left: Vec<usize> = (0..graph.succs.len()).collect();
    for depth in 1..=MAX_LOOP_DEPTH {
        let part_of = components(graph, &left);
        let mut parts: Vec<Vec<usize>> = vec![Vec::new(); left.len()];
        left.iter().for_each(|&block| parts[part_of[block]].push(block));
        // Whether control comes to a block from outside of its part.
        let mut is_entered = graph.is_entry.clone();
        for (from, succs) in graph.succs.iter().enumerate() {
            succs.iter().filter(|&&to| part_of[from] != part_of[to]).for_each(|&to| is_entered[to] = true);
        }
        left.clear();
        for part in parts {
            let Some(&first) = part.first() else { continue };
            if part.len() == 1 && !graph.succs[first].contains(&first) {
                continue;
            }
            let head = part.iter().copied().find(|&block| is_entered[block]).unwrap_or(first);
            left.extend(part.iter().filter(|&&block| block != head));
            all.push(Loop { head, depth, blocks: part });
        }
        // What is left of one part never leads back to it through another one, so all parts are looked at together.
    }
    all.sort_by_key(|l| (l.blocks.first().copied(), l.depth));
    all
}

/// Not among the blocks that are looked at.
const NONE: usize = usize::MAX;

/// Of each of `among` the number of its strongly connected component: Tarjan's algorithm, with a stack of its own.
fn components(graph: &Graph, among: &[usize]) -> Vec<usize> {
    let count = graph.succs.len();
    let (mut component, mut index, mut low) = (vec![NONE; count], vec![NONE; count], vec![0; count]);
    let mut is_among = vec![false; count];
    among.iter().for_each(|&block| is_among[block] = true);
    let (mut next, mut components) = (0, 0);
    let mut path: Vec<usize> = Vec::new();
    let mut walk: Vec<(usize, usize)> = Vec::new();
    for &start in among {
        if index[start] != NONE {
            continue;
        }
        walk.push((start, 0));
        while let Some((block, at)) = walk.pop() {
            if at == 0 {
                (index[block], low[block]) = (next, next);
                next += 1;
                path.push(block);
            }
            if let Some(&to) = graph.succs[block].get(at) {
                walk.push((block, at + 1));
                if is_among[to] && index[to] == NONE {
                    walk.push((to, 0));
                } else if is_among[to] && component[to] == NONE {
                    low[block] = low[block].min(index[to]);
                }
                continue;
            }
            if low[block] == index[block] {
                while let Some(member) = path.pop() {
                    component[member] = components;
                    if member == block {
                        break;
                    }
                }
                components += 1;
            }
            if let Some(&(parent, _)) = walk.last() {
                low[parent] = low[parent].min(low[block]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::{Graph, functions, loops};

    fn graph(edges: &[(usize, usize)], count: usize, entries: &[usize]) -> Graph {
        let succs = (0..count).map(|b| edges.iter().filter(|e| e.0 == b).map(|e| e.1).collect()).collect();
        Graph { succs, is_entry: (0..count).map(|b| entries.contains(&b)).collect() }
    }

    fn check(edges: &[(usize, usize)], count: usize, expected: &[(usize, u32, &[usize])]) {
        let found = loops(&graph(edges, count, &[0]));
        let found: Vec<(usize, u32, &[usize])> = found.iter().map(|l| (l.head, l.depth, l.blocks.as_slice())).collect();
        assert_eq!(found, expected, "{edges:?}");
    }

    #[test]
    fn loops_are_found_with_those_inside() {
        check(&[(0, 1), (1, 2)], 3, &[]);
        check(&[(0, 0)], 1, &[(0, 1, &[0])]);
        // Two loops in one, the second of one block.
        let edges = [(0, 1), (1, 2), (2, 2), (2, 3), (3, 4), (4, 3), (4, 1), (4, 5)];
        check(&edges, 6, &[(1, 1, &[1, 2, 3, 4]), (2, 2, &[2]), (3, 2, &[3, 4])]);
        // With two entries.
        check(&[(0, 1), (0, 2), (1, 2), (2, 1)], 3, &[(1, 1, &[1, 2])]);
        // The head is where control comes in, not what stands first.
        check(&[(0, 2), (2, 1), (1, 2), (1, 3)], 4, &[(2, 1, &[1, 2])]);
        // One that is never reached.
        check(&[(1, 2), (2, 1)], 3, &[(1, 1, &[1, 2])]);
    }

    #[test]
    fn a_block_belongs_to_one_function() {
        // 0 jumps to 2; 3 is a function that goes on to 2 and to 5; 5 is a function.
        let found = functions(&graph(&[(0, 2), (3, 2), (3, 4), (4, 5)], 7, &[0, 3, 5, 6]));
        assert_eq!(found, [0, 1, 0, 3, 3, 5, 6]);
        let found = functions(&graph(&[(1, 2), (2, 1)], 3, &[0]));
        assert_eq!(found, [0, 1, 1]);
    }

    #[test]
    fn deep_nests_end() {
        // Loop n holds loop n + 1.
        let count = 300;
        let mut edges: Vec<(usize, usize)> = (1..count).map(|b| (b - 1, b)).collect();
        edges.extend((0..count).map(|b| (count - 1, b)));
        assert_eq!(loops(&graph(&edges, count, &[0])).len(), crate::limits::MAX_LOOP_DEPTH as usize);
    }
}
