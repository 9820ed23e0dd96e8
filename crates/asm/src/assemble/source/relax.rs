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
}

impl Steps {
    /// The step for a distance; `None` for a label whose distance is not known here.
    fn of(&self, distance: Option<i64>) -> usize {
        let last = self.list.len().saturating_sub(1);
        let fits = |(_, (least, most)): &(Step, (i64, i64))| distance.is_some_and(|d| (*least..=*most).contains(&d));
        self.list.iter().position(fits).unwrap_or(last)
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

#[derive(Clone, Copy, Debug)]
pub(super) enum ItemKind {
    /// A branch: the index of its kind, the name of its label, its step.
    Branch { steps: u32, label: TextSlice, step: u32 },
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

/// Chooses the steps of the branches of a section whose labels are `targets`, by item. Gives how far the first pass's
/// places move: for each number of items before a place, one number.
pub(super) fn solve(items: &mut [Item], targets: &[Option<Target>], kinds: &[Steps]) -> Vec<i64> {
    let none = Steps::default();
    let steps_of = |steps: u32| kinds.get(steps as usize).unwrap_or(&none);
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
                ItemKind::Branch { steps, label, step } => {
                    let target = targets.get(index).copied().flatten().map(|target| {
                        let start = starts.get(target.items as usize).copied().unwrap_or(0);
                        start.wrapping_add(target.offset.wrapping_sub(origin(items, target.items)))
                    });
                    let steps_list = steps_of(steps);
                    let wanted = steps_list.of(target.map(|t| t.wrapping_sub(here).cast_signed())) as u32;
                    let chosen = match walk {
                        limits::MAX_WALKS => steps_list.list.len().saturating_sub(1) as u32,
                        limits::FREE_WALKS.. => wanted.max(step),
                        _ => wanted,
                    };
                    changed |= chosen != step;
                    if let Some(item) = items.get_mut(index) {
                        item.kind = ItemKind::Branch { steps, label, step: chosen };
                    }
                    steps_list.bytes(chosen as usize)
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
    moves(items, &steps_of)
}

/// How far everything moves once the steps are chosen: alignments have their real size.
fn moves<'k>(items: &[Item], steps_of: &dyn Fn(u32) -> &'k Steps) -> Vec<i64> {
    let mut moves = Vec::with_capacity(items.len() + 1);
    let mut by = 0i64;
    moves.push(by);
    for item in items {
        let (at, first) = item.first;
        let size = match item.kind {
            ItemKind::Align { to, most, .. } => gap(at.wrapping_add_signed(by), to, most),
            ItemKind::Branch { steps, step, .. } => steps_of(steps).bytes(step as usize),
        };
        by += size.cast_signed() - first.cast_signed();
        moves.push(by);
    }
    moves
}
