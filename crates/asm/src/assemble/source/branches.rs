//! The part of a layout that knows branches whose lengths are chosen (`relax`), and alignments, which move with them.
//!
//! What a kind of branch may be is found by trying: which lengths its text has, and how far each form reaches. That is done
//! once for all lines that differ in nothing but their label.

use isaglot_bits::Word;
use isaglot_invariant::Impossible as _;
use isaglot_source::Diagnostic;
use rustc_hash::FxHashMap;

use super::layout::{FIRST_KIND, Layout, Measured, PLAIN};
use super::link::Contents;
use super::relax::{self, Beyond, Item, ItemKind, Relax, Step, Steps, Target};
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
    /// Keeps what is known of a new line that ends in a symbol; gives the index of its kind if its length is to be chosen.
    pub(super) fn meet(&mut self, text: &[u8], at: usize, (form, bits): (u32, u32)) -> Option<u32> {
        let steps = if self.chooses() { self.steps(text) } else { None };
        let kind = steps.map(|steps| relax::kind_of(&mut self.kinds.all, steps));
        let note = kind.map_or(PLAIN, |kind| kind + FIRST_KIND);
        self.assembler.keep(text, at, self.bits, Recalled { form, bits, note });
        kind
    }

    /// What the text that was just read may become by the distance of the label at its end; `None` if it is not a branch.
    fn steps(&mut self, text: &[u8]) -> Option<Steps> {
        let relax = self.setup.relax?;
        let mnemonic = text.get(..mnemonic_length(text)?)?;
        if relax.longest.iter().any(|name| name.as_bytes() == mnemonic) {
            return None;
        }
        let mut steps = Steps::default();
        for (bits, form) in self.assembler.lengths.clone() {
            if let Some(reach) = self.reach(text, form) {
                steps.list.push((Step::Form { bits, form }, reach));
            }
        }
        steps.beyond = (relax.inverse)(mnemonic).map(|_| Beyond { bits: self.bits });
        (steps.list.len() > 1 || (steps.list.len() == 1 && steps.beyond.is_some())).then_some(steps)
    }

    /// The lengths that a text with an unknown label may have, each with its form.
    fn lengths_of(&mut self, text: &[u8], bits: Option<u32>) -> Vec<(u32, u32)> {
        let site = Site { symbol: &|_| Some(Symbol::Later), here: 0, place_bytes: 1 };
        let made = self.assembler.make(text, site, bits, None);
        let is_open = made.is_ok_and(|made| !made.known && made.form.is_some());
        if is_open { self.assembler.lengths.clone() } else { Vec::new() }
    }

    /// The steps of a branch, with those for labels beyond what its forms reach: the opposite branch over a jump.
    fn with_opposite(&mut self, steps: &Steps, start: u32, label: TextSlice) -> Steps {
        let mut all = Steps { list: steps.list.clone(), beyond: None };
        let (Some(Beyond { bits }), Some(relax)) = (steps.beyond, self.setup.relax) else { return all };
        let text = TextSlice { start, end: label.end };
        let inverse = self.inverse(text.of(self.text), (label.start - start) as usize, relax);
        let Some(inverse) = inverse else { return all };
        let jump = [relax.jump.as_bytes(), AFTER].concat();
        let [(jump, _)] = *self.lengths_of(&jump, bits) else { return all };
        let over = self.lengths_of(&inverse, bits);
        let shorter = all.list.len() > 1;
        let skipped = usize::from(!shorter && over.len() > 1);
        let any = (i64::MIN, i64::MAX);
        all.list.extend(over.iter().skip(skipped).map(|&(inverse, _)| (Step::Over { inverse, jump }, any)));
        all
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
        let start = piece.start + (piece.of(self.text).len() - piece.of(self.text).trim_ascii_start().len()) as u32;
        let label = TextSlice { start: start + at as u32, end: piece.end };
        let first = self.kinds.all.get(kind as usize).and_then(|steps| steps.get(0));
        let bytes = first.map_or(0, Step::bytes);
        let number = self.item(bytes, ItemKind::Branch { steps: kind, start, label, step: 0 });
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
        self.assembler.set_exact(false);
        let mut kinds = std::mem::take(&mut self.kinds.all);
        // By the kind and the text before the label.
        let mut extended: FxHashMap<(u32, &[u8]), u32> = FxHashMap::default();
        let mut moves = Vec::with_capacity(self.sections.len());
        for section in 0..self.sections.len() {
            let Some(part) = self.sections.get_mut(section) else { break };
            let mut items = std::mem::take(&mut part.items);
            let targets: Vec<Option<Target>> = items.iter().map(|item| self.target(section, item)).collect();
            let moved = relax::solve(&mut items, &targets, &mut kinds, &mut |kinds, kind, start, label| {
                let text = TextSlice { start, end: label.start }.of(self.text);
                *extended.entry((kind, text)).or_insert_with(|| {
                    let steps = kinds.get(kind as usize).cloned().unwrap_or_default();
                    relax::kind_of(kinds, self.with_opposite(&steps, start, label))
                })
            });
            if let (Some(part), Some(&by)) = (self.sections.get_mut(section), moved.last()) {
                part.items = items;
                part.size = part.size.wrapping_add_signed(by);
            }
            moves.push(moved);
        }
        self.kinds.all = kinds;
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
        let Some(ItemKind::Branch { steps, label, step, .. }) = kind else {
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
