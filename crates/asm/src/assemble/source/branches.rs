//! The part of a layout that knows branches whose lengths are chosen (`relax`), and alignments, which move with them.
//!
//! What a kind of branch may be is found by trying: which lengths its text has, and how far each form reaches. That is done
//! once for all lines that differ in nothing but their label.

use isaglot_bits::Word;
use isaglot_invariant::Impossible as _;
use isaglot_source::Diagnostic;

use super::layout::{FIRST_KIND, Layout, Measured, PLAIN, UNASKED};
use super::link::Contents;
use super::relax::{self, Item, ItemKind, Relax, Step, Steps, Target};
use super::statement::TextSlice;
use crate::assemble::assembler::{Assembler, Recalled};
use crate::assemble::symbol::{Site, Symbol};

/// Where the reach of a form is tried out: no other operand holds such a number.
const FAR_AWAY: u64 = 1 << 40;

/// The name of the label after a branch and the jump that it passes over.
pub(super) const AFTER: &[u8] = b".$after";

/// The widths of instructions, the shortest first.
fn widths(assembler: &Assembler<'_, '_>) -> Vec<u32> {
    let format = assembler.plan().isa().format();
    let mut widths: Vec<u32> = format.lengths.iter().map(|rule| rule.bits).collect();
    if widths.is_empty() {
        widths.push(format.max_bits);
    }
    widths.sort_unstable();
    widths.dedup();
    widths
}

/// The words of `nop`, the shortest first.
pub(super) fn nops(assembler: &mut Assembler<'_, '_>) -> Vec<Word> {
    let here = Site { symbol: &|_| None, here: 0, place_bytes: 1 };
    widths(assembler).iter().filter_map(|&bits| assembler.assemble_at(b"nop", here, Some(bits)).ok()).collect()
}

/// The greatest distance, in steps of `unit` bytes, for which `fits` holds, if it does for 0 and up to there.
fn greatest(unit: i64, fits: &mut dyn FnMut(i64) -> bool) -> i64 {
    let (mut good, mut bad) = (0i64, 1i64 << 39);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fits(middle * unit) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good * unit
}

fn mnemonic_length(text: &[u8]) -> Option<usize> {
    text.iter().position(u8::is_ascii_whitespace)
}

impl<'x> Layout<'x, '_, '_> {
    /// What is noted of a line that ends in a symbol: whether its length is to be chosen.
    pub(super) fn kind_of(&mut self, text: &[u8], at: usize, recalled: Recalled) -> u32 {
        if recalled.note != UNASKED {
            return recalled.note;
        }
        let note = match self.steps(text, at) {
            Some(steps) => {
                let known = self.kinds.all.iter().position(|other| *other == steps);
                let index = known.unwrap_or_else(|| {
                    self.kinds.all.push(steps);
                    self.kinds.all.len() - 1
                });
                index as u32 + FIRST_KIND
            }
            None => PLAIN,
        };
        self.assembler.note(text, at, self.bits, Recalled { note, ..recalled });
        note
    }

    /// What a text may become by the distance of the label at its end; `None` if it is not a branch.
    fn steps(&mut self, text: &[u8], at: usize) -> Option<Steps> {
        let relax = self.setup.relax?;
        let mnemonic = text.get(..mnemonic_length(text)?)?;
        if relax.longest.iter().any(|name| name.as_bytes() == mnemonic) {
            return None;
        }
        let mut steps = Steps::default();
        for bits in self.lengths_of(text) {
            let (width, form) = bits;
            if let Some(reach) = self.reach(text, form) {
                steps.list.push((Step::Form { bits: width, form }, reach));
            }
        }
        let any = (i64::MIN, i64::MAX);
        if let Some(over) = self.over(text, at, relax) {
            let shorter = steps.list.len() > 1;
            steps.list.extend(over.iter().skip(usize::from(!shorter && over.len() > 1)).map(|step| (*step, any)));
        }
        (steps.list.len() > 1).then_some(steps)
    }

    /// The lengths that a text with an unknown label may have, each with its form.
    fn lengths_of(&mut self, text: &[u8]) -> Vec<(u32, u32)> {
        let later = |_: &[u8]| Some(Symbol::Later);
        let mut found = Vec::new();
        for width in widths(self.assembler).into_iter().filter(|&width| self.bits.is_none_or(|bits| bits == width)) {
            let site = Site { symbol: &later, here: 0, place_bytes: 1 };
            if let Ok(made) = self.assembler.make(text, site, Some(width), None) {
                found.extend(made.form.filter(|_| !made.known).map(|form| (width, form)));
            }
        }
        found
    }

    /// The opposite branch over a jump, in its lengths.
    fn over(&mut self, text: &[u8], at: usize, relax: Relax) -> Option<Vec<Step>> {
        let inverse = self.inverse(text, at, relax)?;
        let jump = [relax.jump.as_bytes(), AFTER].concat();
        let [(jump, _)] = *self.lengths_of(&jump) else { return None };
        let inverse = self.lengths_of(&inverse);
        Some(inverse.iter().map(|&(inverse, _)| Step::Over { inverse, jump }).collect())
    }

    /// The opposite branch, to the label after the jump.
    fn inverse(&self, text: &[u8], at: usize, relax: Relax) -> Option<Vec<u8>> {
        let length = mnemonic_length(text)?;
        let inverse = (relax.inverse)(text.get(..length)?)?;
        Some([inverse.as_bytes(), text.get(length..at)?, AFTER].concat())
    }

    /// How far back and ahead a form reaches; `None` if it is not a branch relative to its place.
    fn reach(&mut self, text: &[u8], form: u32) -> Option<(i64, i64)> {
        if let Some(&reach) = self.kinds.reach.get(&form) {
            return Some(reach);
        }
        let unit = i64::from(self.assembler.plan().isa().format().parcel_bits / 8).max(1);
        let mut fits = |distance: i64| {
            let to = |_: &[u8]| Some(Symbol::Place(FAR_AWAY.wrapping_add_signed(distance)));
            self.assembler.fits(text, Site { symbol: &to, here: FAR_AWAY, place_bytes: 1 }, form)
        };
        let reach = fits(0).then(|| (-greatest(unit, &mut |d| fits(-d)), greatest(unit, &mut fits)))?;
        self.kinds.reach.insert(form, reach);
        Some(reach)
    }

    /// Adds a branch to the items of the section; gives the size of its shortest form.
    pub(super) fn branch(&mut self, piece: TextSlice, at: usize, kind: u32) -> u64 {
        let blanks = piece.of(self.text).len() - piece.of(self.text).trim_ascii_start().len();
        let label = TextSlice { start: piece.start + (blanks + at) as u32, end: piece.end };
        let first = self.kinds.all.get(kind as usize).and_then(|steps| steps.get(0));
        let bytes = first.map_or(0, Step::bytes);
        let number = self.item(bytes, ItemKind::Branch { steps: kind, label, step: 0 });
        self.measured.push(Measured::Item(number));
        bytes
    }

    fn item(&mut self, bytes: u64, kind: ItemKind) -> u32 {
        let Some(part) = self.sections.get_mut(self.section) else { return isaglot_invariant::impossible(0) };
        part.items.push(Item { first: (part.size, bytes), kind });
        part.items.len() as u32 - 1
    }

    /// Bytes of an alignment, as far as that is known in the first pass.
    pub(super) fn measure_align(&mut self, to: u64, most: u64, slack: Option<u64>) -> u64 {
        let slack = slack.filter(|_| self.is_code());
        let most = if slack.is_some() { u64::MAX } else { most };
        if let Some(part) = self.sections.get_mut(self.section) {
            part.align = part.align.max(to);
        }
        let bytes = relax::gap(self.size(), to, most);
        if self.setup.relax.is_some() {
            self.item(bytes, ItemKind::Align { to, most, slack });
        }
        bytes
    }

    fn is_code(&self) -> bool {
        let is_code = |part: &super::layout::SectionPart| part.contents == Contents::Code;
        self.setup.linked.is_none() || self.sections.get(self.section).is_some_and(is_code)
    }

    /// Chooses the lengths of all branches, and moves the labels to where they are then.
    pub(super) fn relax(&mut self) {
        if self.sections.iter().all(|part| part.items.is_empty()) {
            return;
        }
        let mut moves = Vec::with_capacity(self.sections.len());
        for section in 0..self.sections.len() {
            let Some(part) = self.sections.get_mut(section) else { break };
            let mut items = std::mem::take(&mut part.items);
            let targets: Vec<Option<Target>> = items.iter().map(|item| self.target(section, item)).collect();
            let moved = relax::solve(&mut items, &targets, &self.kinds.all);
            if let (Some(part), Some(&by)) = (self.sections.get_mut(section), moved.last()) {
                part.items = items;
                part.size = part.size.wrapping_add_signed(by);
            }
            moves.push(moved);
        }
        self.symbols.shift(&moves);
    }

    /// The label of an item, if its distance is known here.
    fn target(&self, section: usize, item: &Item) -> Option<Target> {
        let ItemKind::Branch { label, .. } = item.kind else { return None };
        let name = label.of(self.text);
        let place = self.symbols.place_of(section, name).filter(|place| place.section == section)?;
        let is_weak = self.setup.weak.iter().any(|weak| weak.as_bytes() == name);
        (!is_weak).then_some(Target { items: place.items, offset: place.offset })
    }

    /// A branch whose length was chosen.
    pub(super) fn emit_branch(&mut self, piece: TextSlice, item: u32) -> Result<(), Diagnostic> {
        let items = self.sections.get(self.section).map_or(&[][..], |part| &part.items);
        let kind = items.get(item as usize).map(|item| item.kind);
        let Some(ItemKind::Branch { steps, label, step }) = kind else {
            return isaglot_invariant::impossible(Ok(()));
        };
        let step = self.kinds.all.get(steps as usize).and_then(|steps| steps.get(step as usize));
        let before = self.size();
        let done = match step {
            Some(Step::Form { bits, form }) => self.instruction(piece, Some(bits), Some(form)),
            Some(Step::Over { inverse, jump }) => self.jump_over(piece, label, inverse, jump),
            None => isaglot_invariant::impossible(Ok(())),
        };
        // What cannot be assembled still has its place.
        let bytes = step.map_or(0, Step::bytes);
        self.skip(bytes.saturating_sub(self.size() - before));
        done
    }

    /// The opposite branch of a statement, over a jump to its label.
    fn jump_over(&mut self, piece: TextSlice, label: TextSlice, inverse: u32, jump: u32) -> Result<(), Diagnostic> {
        let Some(relax) = self.setup.relax else { return isaglot_invariant::impossible(Ok(())) };
        let text = piece.of(self.text).trim_ascii();
        let at = text.len() - (label.end - label.start) as usize;
        let branch = self.inverse(text, at, relax).or_impossible_default();
        self.instruction_of(&branch, piece, Some(inverse), None, Some(u64::from(inverse + jump) / 8))?;
        let jump_text = [relax.jump.as_bytes(), label.of(self.text)].concat();
        self.instruction_of(&jump_text, piece, Some(jump), None, None)
    }

    /// Appends padding up to a multiple of `to` bytes: a value if one is said, in code `nop`s, else zeros. Of the `nop`s the
    /// short ones come first, as an assembler puts them; where a linker would have deleted some, last.
    pub(super) fn align(&mut self, to: u64, fill: Option<u8>, most: u64, slack: Option<u64>) {
        let slack = slack.filter(|_| self.is_code());
        let most = if slack.is_some() { u64::MAX } else { most };
        let gap = relax::gap(self.size(), to, most);
        if let Some(value) = fill {
            let count = usize::try_from(gap).or_impossible(0);
            return self.append(std::iter::repeat_n(value, count));
        }
        let bytes_of = |nop: &Word| u64::from(nop.width() / 8).max(1);
        let fits = |nop: &&Word| self.bits.is_none_or(|bits| bits == nop.width());
        let most = if self.setup.linked.is_some() { usize::MAX } else { 1 };
        let nops: Vec<Word> = self.nops.iter().filter(fits).take(most).cloned().collect();
        let shortest = nops.first().map_or(0, bytes_of);
        if !self.is_code() || shortest == 0 || (self.setup.linked.is_none() && !gap.is_multiple_of(shortest)) {
            return self.skip(gap);
        }
        self.skip(gap % shortest);
        let (mut left, mut list) = (gap - gap % shortest, Vec::new());
        for nop in nops.iter().rev() {
            list.extend(std::iter::repeat_n(nop, (left / bytes_of(nop)) as usize));
            left %= bytes_of(nop);
        }
        if slack.is_none_or(|slack| slack == gap) {
            list.reverse();
        }
        list.into_iter().for_each(|nop| self.append_word(nop));
    }
}
