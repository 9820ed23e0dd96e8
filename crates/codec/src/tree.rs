//! Which encoding of a space a word is: a decision tree over the bits that encodings care about.
//!
//! The problem: a space may have hundreds of encodings, and comparing a word with each costs more than everything else.
//! The method: a node looks at a group of at most [`TREE_GROUP_BITS`] neighbouring bits and goes on in a table; an
//! encoding that does not care for some of them is in several entries. Groups are chosen to leave the fewest
//! candidates. What is left, one candidate nearly always, is compared in full.
//!
//! Example: three encodings of 4 bits, `00--`, `01-0` and `1--1`. All of them care for bit 3, so the root looks at bits 3
//! and 2 (a group may also have more bits). Its table has four entries: 00 leads to `00--` and 01 to `01-0`; 10 and 11
//! both lead to `1--1`, which does not care for bit 2. The word 1010 is led to `1--1`, compared in full, and matches
//! nothing, as bit 0 is 0.
//!
//! Invariant: the tree gives what comparing with every encoding in order would give. Two encodings that share a word
//! stay together to the end, so that a conflict is seen exactly where it is.

use isaglot_bits::Pattern;
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::{Encoding, EncodingId, Isa, Overlap, SpaceId};
use rustc_hash::FxHashMap;

use crate::limits::{TREE_GROUP_BITS, TREE_MAX_ENTRIES};

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// No encoding matches.
    None,
    /// This one does.
    One(EncodingId),
    /// Two do: the first two in the order of the description. The space does not say which one wins.
    Conflict(EncodingId, EncodingId),
}

/// A decision tree for one space, one gen and one set of features.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The tables of all nodes: the number of a node, or [`LIST`] and the number of a list.
    entries: Vec<u32>,
    /// Ranges of `listed`.
    lists: Vec<(u32, u32)>,
    listed: Vec<Candidate>,
    /// Care and value of the limbs after the first, for candidates of more than 64 bits.
    more: Vec<(u64, u64)>,
    except: Vec<Except>,
    root: u32,
    /// Whether the width of a match must be that of the instruction.
    exact_width: bool,
    first_wins: bool,
}

/// Marks an entry as the number of a list.
pub const LIST: u32 = 1 << 31;

/// The insides of a [`Tree`].
#[derive(Clone, Debug)]
pub struct Tables<'t> {
    /// Per node: limb, shift and mask of the group that it looks at, and the first of its entries.
    pub nodes: Vec<(u32, u32, u64, u32)>,
    /// The number of a node, or [`LIST`] and the number of a list.
    pub entries: &'t [u32],
    /// Ranges of `listed`.
    pub lists: &'t [(u32, u32)],
    /// Encodings to compare with in full, with their widths.
    pub listed: Vec<(EncodingId, u32)>,
    /// Where to begin: like an entry.
    pub root: u32,
    /// Whether the width of a match must be that of the instruction.
    pub exact_width: bool,
    /// Of several matches the first counts.
    pub first_wins: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    limb: u32,
    shift: u32,
    mask: u64,
    base: u32,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    id: EncodingId,
    width: u32,
    care: u64,
    value: u64,
    /// Range of `more`.
    more: (u32, u32),
    /// Range of `except`.
    except: (u32, u32),
}

/// Words that a candidate's pattern matches but that are not it: care and value of the first limb, and a range of
/// `more` for the others.
#[derive(Clone, Copy, Debug)]
struct Except {
    care: u64,
    value: u64,
    more: (u32, u32),
}

impl Tree {
    /// The tree for the encodings of `space` that are `active`.
    #[must_use]
    pub fn build(isa: &Isa, space: SpaceId, active: impl Fn(&Encoding) -> bool) -> Tree {
        let space = &isa[space];
        let mut all: Vec<EncodingId> = space.encodings.iter().copied().filter(|&id| active(&isa[id])).collect();
        let first_wins = space.overlap == Overlap::MostSpecific;
        if first_wins {
            // Stable: of equally specific ones the earlier stays first.
            all.sort_by_key(|&id| isa[id].precedence());
        }
        let exact_width = !isa.format().lengths.is_empty();
        let mut tree = Tree {
            nodes: Vec::new(),
            entries: Vec::new(),
            lists: Vec::new(),
            listed: Vec::new(),
            more: Vec::new(),
            except: Vec::new(),
            root: LIST,
            exact_width,
            first_wins,
        };
        let cubes = all
            .iter()
            .map(|&id| {
                let (limbs, except) = (limbs(&isa[id].pattern), isa[id].except.iter().map(limbs).collect());
                Cube { id, width: isa[id].width, limbs, except }
            })
            .collect();
        let mut builder =
            Builder { tree: &mut tree, cubes, known: FxHashMap::default(), limbs: space.width.div_ceil(64) };
        let everything: Vec<u32> = (0..builder.cubes.len() as u32).collect();
        let mut tested = vec![0u64; builder.limbs as usize];
        let root = builder.entry(&everything, &mut tested);
        tree.root = root;
        tree
    }

    /// What the word is whose limbs (least significant first) these are; `width` is the width of the instruction,
    /// which counts only where instructions differ in width. Missing limbs count as 0.
    #[inline]
    #[must_use]
    pub fn select(&self, limbs: &[u64], width: u32) -> Match {
        let mut at = self.root;
        while at & LIST == 0 {
            let Some(node) = self.nodes.get(at as usize) else { return impossible(Match::None) };
            let limb = limbs.get(node.limb as usize).copied().unwrap_or(0);
            let index = node.base as usize + ((limb >> node.shift) & node.mask) as usize;
            let Some(&next) = self.entries.get(index) else { return impossible(Match::None) };
            at = next;
        }
        let Some(&(from, to)) = self.lists.get((at & !LIST) as usize) else { return impossible(Match::None) };
        match self.listed.get(from as usize..to as usize) {
            Some([only]) if self.matches(only, limbs, width) => Match::One(only.id),
            Some([] | [_]) => Match::None,
            None => impossible(Match::None),
            Some(several) => self.several(several, limbs, width),
        }
    }

    #[inline(never)]
    fn several(&self, candidates: &[Candidate], limbs: &[u64], width: u32) -> Match {
        let mut matching = candidates.iter().filter(|candidate| self.matches(candidate, limbs, width));
        match (matching.next(), if self.first_wins { None } else { matching.next() }) {
            (None, _) => Match::None,
            (Some(only), None) => Match::One(only.id),
            (Some(first), Some(second)) => Match::Conflict(first.id, second.id),
        }
    }

    #[inline]
    fn matches(&self, candidate: &Candidate, limbs: &[u64], width: u32) -> bool {
        limbs.first().copied().unwrap_or(0) & candidate.care == candidate.value
            && (candidate.more.0 == candidate.more.1 || self.rest_matches(candidate.more, limbs))
            && (!self.exact_width || candidate.width == width)
            && (candidate.except.0 == candidate.except.1 || !self.excepted(candidate.except, limbs))
    }

    fn excepted(&self, (from, to): (u32, u32), limbs: &[u64]) -> bool {
        let first = limbs.first().copied().unwrap_or(0);
        let except = self.except.get(from as usize..to as usize).or_impossible(&[]);
        except.iter().any(|e| first & e.care == e.value && (e.more.0 == e.more.1 || self.rest_matches(e.more, limbs)))
    }

    #[inline]
    fn rest_matches(&self, (from, to): (u32, u32), limbs: &[u64]) -> bool {
        let more = self.more.get(from as usize..to as usize).or_impossible(&[]);
        more.iter().enumerate().all(|(i, (care, value))| limbs.get(i + 1).copied().unwrap_or(0) & care == *value)
    }

    /// The tree as plain tables, for those who write it down elsewhere.
    #[must_use]
    pub fn tables(&self) -> Tables<'_> {
        Tables {
            nodes: self.nodes.iter().map(|n| (n.limb, n.shift, n.mask, n.base)).collect(),
            entries: &self.entries,
            lists: &self.lists,
            listed: self.listed.iter().map(|c| (c.id, c.width)).collect(),
            root: self.root,
            exact_width: self.exact_width,
            first_wins: self.first_wins,
        }
    }

    /// The number of nodes and of table entries, for reports.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.nodes.len(), self.entries.len())
    }
}

/// An encoding while the tree is built: `(care, value)` per limb.
struct Cube {
    id: EncodingId,
    width: u32,
    limbs: Vec<(u64, u64)>,
    except: Vec<Vec<(u64, u64)>>,
}

/// Care and value of each limb of a pattern.
fn limbs(pattern: &Pattern) -> Vec<(u64, u64)> {
    pattern.care().limbs().iter().copied().zip(pattern.value().limbs().iter().copied()).collect()
}

impl Cube {
    fn limb(&self, index: u32) -> (u64, u64) {
        self.limbs.get(index as usize).copied().unwrap_or((0, 0))
    }
}

struct Builder<'t> {
    tree: &'t mut Tree,
    cubes: Vec<Cube>,
    /// Lists made so far.
    known: FxHashMap<Vec<u32>, u32>,
    limbs: u32,
}

impl Builder<'_> {
    /// The entry for these candidates when the bits of `tested` are already decided.
    fn entry(&mut self, candidates: &[u32], tested: &mut [u64]) -> u32 {
        let group = if candidates.len() > 1 { self.best_group(candidates, tested) } else { None };
        let Some((limb, shift, width)) = group else { return self.list(candidates) };
        let mask = (1u64 << width) - 1;
        let base = self.tree.entries.len() as u32;
        self.tree.entries.resize(base as usize + (1 << width), LIST);
        let number = self.tree.nodes.len() as u32;
        self.tree.nodes.push(Node { limb, shift, mask, base });
        let before = tested[limb as usize];
        tested[limb as usize] |= mask << shift;
        // What each candidate says of the group.
        let of_group = |&c: &u32| {
            let (care, value) = self.cubes[c as usize].limb(limb);
            (c, care >> shift & mask, value >> shift & mask)
        };
        let column: Vec<(u32, u64, u64)> = candidates.iter().map(of_group).collect();
        let mut same: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut left = Vec::with_capacity(candidates.len());
        for index in 0..=mask {
            left.clear();
            left.extend(column.iter().filter(|(_, care, value)| index & care == *value).map(|(c, ..)| c));
            let entry = match same.get(&left) {
                Some(&entry) => entry,
                None => {
                    let entry = self.entry(&left, tested);
                    same.insert(left.clone(), entry);
                    entry
                }
            };
            self.tree.entries[base as usize + index as usize] = entry;
        }
        tested[limb as usize] = before;
        number
    }

    /// The group of untested bits that leaves the fewest candidates for its size; `None` if none separates any.
    fn best_group(&self, candidates: &[u32], tested: &[u64]) -> Option<(u32, u32, u32)> {
        if self.tree.entries.len() > TREE_MAX_ENTRIES {
            return None;
        }
        let n = candidates.len() as f64;
        let mut best: Option<(f64, (u32, u32, u32))> = None;
        let mut column = Vec::with_capacity(candidates.len());
        for limb in 0..self.limbs {
            let open = !tested[limb as usize];
            column.clear();
            column.extend(candidates.iter().map(|&c| self.cubes[c as usize].limb(limb).0 & open));
            let any = column.iter().fold(0, |all, care| all | care);
            for shift in 0..64 {
                if any >> shift & 1 == 0 {
                    continue;
                }
                for width in 1..=TREE_GROUP_BITS.min(64 - shift) {
                    let mask = ((1u64 << width) - 1) << shift;
                    // A group ends in a bit that counts; others would only widen the table.
                    if any >> (shift + width - 1) & 1 == 0 || open & mask != mask {
                        continue;
                    }
                    // One in two to the power of the bits that a candidate cares for: exact, for a group has 8 bits.
                    let one = 1u64 << TREE_GROUP_BITS;
                    let shares: u64 = column.iter().map(|care| one >> (care & mask).count_ones()).sum();
                    let left = shares as f64 / one as f64;
                    if left >= n {
                        continue;
                    }
                    let entries = f64::from(1u32 << width);
                    let cost = left * 4.0 + left * entries / n * 0.5 + entries / n * 0.25;
                    if best.is_none_or(|(least, _)| cost < least) {
                        best = Some((cost, (limb, shift, width)));
                    }
                }
            }
        }
        best.map(|(_, group)| group)
    }

    fn list(&mut self, candidates: &[u32]) -> u32 {
        if let Some(&number) = self.known.get(candidates) {
            return LIST | number;
        }
        let from = self.tree.listed.len() as u32;
        for &c in candidates {
            let cube = &self.cubes[c as usize];
            let (care, value) = cube.limb(0);
            let more = self.tree.more.len() as u32;
            self.tree.more.extend(cube.limbs.iter().skip(1));
            let more = (more, self.tree.more.len() as u32);
            let first_except = self.tree.except.len() as u32;
            for limbs in &cube.except {
                let (care, value) = limbs.first().copied().or_impossible((0, 0));
                let from = self.tree.more.len() as u32;
                self.tree.more.extend(limbs.iter().skip(1));
                self.tree.except.push(Except { care, value, more: (from, self.tree.more.len() as u32) });
            }
            let except = (first_except, self.tree.except.len() as u32);
            self.tree.listed.push(Candidate { id: cube.id, width: cube.width, care, value, more, except });
        }
        let number = self.tree.lists.len() as u32;
        self.tree.lists.push((from, self.tree.listed.len() as u32));
        self.known.insert(candidates.to_vec(), number);
        LIST | number
    }
}
