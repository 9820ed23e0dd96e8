//! Relaxation: which length a branch takes, where its text may be encodings of several lengths.
//!
//! The length of a branch depends on how far its label is, and that depends on the lengths of the branches between. The
//! method is that of GNU's assembler, so that the same lengths are chosen: the items of a section, its branches and
//! alignments, are walked in the order of the source, again and again, until no length changes. A label before the item has
//! the place that this walk gave it, a label after it that of the last walk (0 at first). A length may shrink again. That
//! could go on for ever, so after [`limits::FREE_WALKS`] lengths only grow, and after [`limits::MAX_WALKS`] every branch
//! takes its longest form: time is linear in the number of items.
//!
//! The steps of a branch are its encodings, from the shortest on; then the branch of the opposite condition over a jump. For
//! example `beqz a0, far`: `c.beqz` (2 bytes, reaches 256 bytes), `beq` (4, 4 KiB), `c.bnez` over `j` (6), `bne` over `j`
//! (8). Labels of other sections get the last step.

use rustc_hash::FxHashMap;

use super::statement::TextSlice;
use crate::assemble::limits;

/// What a caller says about the branches of its instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Relax {
    /// The mnemonic of the branch with the opposite condition.
    pub inverse: fn(&[u8]) -> Option<&'static str>,
    /// Mnemonics that are always taken in their longest form.
    pub longest: &'static [&'static str],
    /// A jump that reaches far, up to its label.
    pub jump: &'static str,
}

/// What a branch becomes at one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The text, as an instruction of this many bits by this form.
    Form { bits: u32, form: u32 },
    /// The opposite branch of this many bits over a jump of so many.
    Over { inverse: u32, jump: u32 },
}

impl Step {
    pub(super) fn bytes(self) -> u64 {
        match self {
            Step::Form { bits, .. } => u64::from(bits) / 8,
            Step::Over { inverse, jump } => u64::from(inverse + jump) / 8,
        }
    }
}

/// The steps of a kind of branch, each with the least and the greatest distance in bytes that it is taken for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Steps {
    pub(super) list: Vec<(Step, (i64, i64))>,
    /// The opposite branch over a jump follows. What that is, is found out for the first label that needs it: few do.
    pub(super) beyond: Option<Beyond>,
}

/// The steps that follow those of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beyond {
    /// The width in bits that instructions must have there.
    pub(super) bits: Option<u32>,
}

impl Steps {
    /// The first step that reaches as far; `None` as a distance that is not known here.
    fn of(&self, distance: Option<i64>) -> Option<usize> {
        let distance = distance?;
        self.list.iter().position(|(_, (least, most))| (*least..=*most).contains(&distance))
    }

    fn last(&self) -> usize {
        self.list.len().saturating_sub(1)
    }

    pub(super) fn get(&self, step: usize) -> Option<Step> {
        self.list.get(step).map(|(step, _)| *step)
    }

    fn bytes(&self, step: usize) -> u64 {
        self.get(step).map_or(0, Step::bytes)
    }
}

/// All kinds of branches that were met, and what their forms reach.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    pub(super) all: Vec<Steps>,
    pub(super) reach: FxHashMap<u32, (i64, i64)>,
}

/// Something whose size depends on where labels are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// Where it begins, and its size in bytes, as the first pass had them.
    pub(super) first: (u64, u64),
    pub(super) kind: ItemKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// A branch: the index of its kind, where its text begins, the name of its label, its step.
    Branch { steps: u32, start: u32, label: TextSlice, step: u32 },
    /// Up to a multiple of so many bytes, if that takes at most `most`. While lengths are chosen, `slack` counts.
    Align { to: u64, most: u64, slack: Option<u64> },
}

/// A label: after so many items of its section, and its offset in the first pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) items: u32,
    pub(super) offset: u64,
}

/// The bytes from a place up to the next multiple; 0 if those are too many.
pub(super) fn gap(place: u64, to: u64, most: u64) -> u64 {
    let gap = place.checked_next_multiple_of(to.max(1)).map_or(0, |next| next - place);
    if gap > most { 0 } else { gap }
}

/// The index of a kind, which is added if it is new.
pub(super) fn kind_of(kinds: &mut Vec<Steps>, steps: Steps) -> u32 {
    let known = kinds.iter().position(|other| *other == steps);
    known.unwrap_or_else(|| {
        kinds.push(steps);
        kinds.len() - 1
    }) as u32
}

/// Gives the kind of a branch with the steps beyond the list of its kind, by where its text begins and its label.
pub(super) type Extend<'f> = dyn FnMut(&mut Vec<Steps>, u32, u32, TextSlice) -> u32 + 'f;

/// Chooses the steps of the branches of a section whose labels are `targets`, by item. Gives how far the first pass's
/// places move: for each number of items before a place, one number.
pub(super) fn solve(
    items: &mut [Item],
    targets: &[Option<Target>],
    kinds: &mut Vec<Steps>,
    extend: &mut Extend<'_>,
) -> Vec<i64> {
    // Where the bytes before an item begin: after the item before it.
    let mut starts = vec![0u64; items.len() + 1];
    let origin = |items: &[Item], at: u32| {
        (at as usize).checked_sub(1).and_then(|i| items.get(i)).map_or(0, |item| item.first.0 + item.first.1)
    };
    for walk in 0..=limits::MAX_WALKS {
        let (mut at, mut changed) = (0u64, walk == 0);
        for index in 0..items.len() {
            let before = origin(items, index as u32);
            let Some(&item) = items.get(index) else { break };
            if let Some(start) = starts.get_mut(index) {
                *start = at;
            }
            let here = at + (item.first.0 - before);
            let size = match item.kind {
                ItemKind::Align { to, most, slack } => slack.unwrap_or_else(|| gap(here, to, most)),
                ItemKind::Branch { .. } => {
                    let target = targets.get(index).copied().flatten().map(|target| {
                        let start = starts.get(target.items as usize).copied().unwrap_or(0);
                        start.wrapping_add(target.offset.wrapping_sub(origin(items, target.items)))
                    });
                    let distance = target.map(|t| t.wrapping_sub(here).cast_signed());
                    let (kind, bytes) = choose(item.kind, distance, walk, kinds, extend);
                    changed |= kind != item.kind;
                    if let Some(item) = items.get_mut(index) {
                        item.kind = kind;
                    }
                    bytes
                }
            };
            at = here + size;
        }
        if let Some(start) = starts.last_mut() {
            changed |= *start != at;
            *start = at;
        }
        if !changed {
            break;
        }
    }
    moves(items, kinds)
}

/// The step of a branch for the distance of its label, in so many walks; and its bytes.
fn choose(
    kind: ItemKind,
    distance: Option<i64>,
    walk: u32,
    kinds: &mut Vec<Steps>,
    extend: &mut Extend<'_>,
) -> (ItemKind, u64) {
    let ItemKind::Branch { mut steps, start, label, step } = kind else { return (kind, 0) };
    let Some(mut list) = kinds.get(steps as usize) else { return (kind, 0) };
    let mut fitting = list.of(distance);
    let is_last = walk == limits::MAX_WALKS;
    if list.beyond.is_some() && (fitting.is_none() || is_last) {
        steps = extend(kinds, steps, start, label);
        let Some(longer) = kinds.get(steps as usize) else { return (kind, 0) };
        (list, fitting) = (longer, longer.of(distance));
    }
    let wanted = fitting.unwrap_or(list.last()) as u32;
    let step = match walk {
        limits::MAX_WALKS => list.last() as u32,
        limits::FREE_WALKS.. => wanted.max(step),
        _ => wanted,
    };
    (ItemKind::Branch { steps, start, label, step }, list.bytes(step as usize))
}

/// How far everything moves once the steps are chosen: alignments have their real size.
fn moves(items: &[Item], kinds: &[Steps]) -> Vec<i64> {
    let mut moves = Vec::with_capacity(items.len() + 1);
    let mut by = 0i64;
    moves.push(by);
    for item in items {
        let (at, first) = item.first;
        let size = match item.kind {
            ItemKind::Align { to, most, .. } => gap(at.wrapping_add_signed(by), to, most),
            ItemKind::Branch { steps, step, .. } => {
                kinds.get(steps as usize).map_or(0, |steps| steps.bytes(step as usize))
            }
        };
        by += size.cast_signed() - first.cast_signed();
        moves.push(by);
    }
    moves
}
