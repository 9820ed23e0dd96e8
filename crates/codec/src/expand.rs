//! Short forms into long ones, and the inverse.
//!
//! A step's guard needs the long word as built so far, and interpreting guards for every word is slow. What guards see
//! is decided by few bits: of the short form, those whose steps write bits that guards read; of the long form, those
//! bits themselves. Their value picks the list of steps that apply, found once by the exact rules and then kept.
//!
//! For the inverse, each step looks up which value it must have placed. The first row of a table that fits is taken. The
//! result is accepted only if it expands to the same word.

use isaglot_bits::limbs::mask;
use isaglot_bits::{BitRange, Word};
use isaglot_model::{EncodingId, ExpandStep, Expansion, Isa};
use rustc_hash::FxHashMap;

use crate::limits::{EXPANDED_BITS, MAX_QUICK_STEPS, RECENT_SHORT_FORMS};
use crate::plan::Plan;
use crate::scope::Scopes;
use crate::tree::Match;

/// The short forms of an instruction set for one gen.
#[derive(Debug)]
pub struct Expander<'a> {
    plan: Plan<'a>,
    forms: Vec<Form<'a>>,
    /// The form of each encoding, if it has one.
    form_of: Vec<Option<u32>>,
}

#[derive(Debug)]
struct Form<'a> {
    expansion: &'a Expansion,
    steps: Vec<Step>,
    /// By the value that the first step takes, the encoding; empty if that has too many bits.
    owners: Vec<Option<EncodingId>>,
    /// Bits of the short form that decide about guards.
    short_key: Vec<BitRange>,
    forward: FxHashMap<(EncodingId, u64), Vec<u32>>,
    /// Of `forward`, what was asked for last, by place, with its steps in `quick`.
    recent: Vec<Recent>,
    quick: Vec<Quick>,
    back: FxHashMap<(EncodingId, u128), Vec<u32>>,
    /// Bits of the long form that guards look at.
    guard_bits: u128,
}

/// The steps of a short form that was met before: a range of [`Form::quick`].
#[derive(Clone, Copy, Debug)]
struct Recent {
    key: (EncodingId, u64),
    from: u32,
    to: u32,
}

/// A step whose value is taken from two ranges at most and looked up in a table.
#[derive(Clone, Copy, Debug)]
struct Quick {
    /// Lowest bit, bits, and where they go.
    parts: [(u8, u64, u8); 2],
    keep: u128,
    step: u32,
    /// The step takes more than two ranges, so the table of this step does not serve.
    wide: bool,
}

/// A step, compiled.
#[derive(Debug)]
struct Step {
    from: Vec<BitRange>,
    from_mask: u64,
    extend: Option<(u32, u32)>,
    /// By value, what is placed: the rows, or all there is of few bits; empty for more.
    placed: Vec<u128>,
    /// The rows, spread over the long word; the first row with these bits, for the inverse.
    rows: Vec<u128>,
    row_of: FxHashMap<u128, u64>,
    to: Vec<Vec<BitRange>>,
    to_mask: u128,
}

impl<'a> Expander<'a> {
    /// The short forms that this gen has.
    pub fn new(isa: &'a Isa, generation: u32) -> Expander<'a> {
        let plan = Plan::new(isa, generation);
        let mut forms = Vec::new();
        for expansion in isa.expansions().iter().filter(|e| e.gens.contains(generation) && e.width <= 64) {
            forms.push(Form {
                expansion,
                steps: expansion.steps.iter().map(|s| compile(isa, s)).collect(),
                owners: Vec::new(),
                short_key: Vec::new(),
                forward: FxHashMap::default(),
                recent: Vec::new(),
                quick: Vec::new(),
                back: FxHashMap::default(),
                guard_bits: 0,
            });
        }
        let mut form_of = vec![None; isa.encodings().len()];
        for &id in &isa[isa.root()].encodings {
            let encoding = &isa[id];
            let name = encoding.meta.iter().find(|(k, _)| k == "compact").map(|(_, v)| v);
            let form = name.and_then(|n| forms.iter().position(|f| f.expansion.name == *n));
            if let Some(form) = form.filter(|_| plan.active(encoding)) {
                form_of[id.index()] = Some(form as u32);
                forms[form].guard_bits |= guard_bits(isa, id, forms[form].expansion);
            }
        }
        for form in &mut forms {
            let mut key = 0u64;
            for step in &form.steps {
                if step.to_mask & form.guard_bits != 0 {
                    key |= step.from_mask;
                }
            }
            form.short_key = Word::from_u64(key, 64).runs();
        }
        let mut expander = Expander { plan, forms, form_of };
        for form in 0..expander.forms.len() {
            let Some(step) = expander.forms[form].steps.first().filter(|s| !s.placed.is_empty()) else { continue };
            let owners = step.placed.iter().map(|start| expander.begun_by(*start)).collect();
            expander.forms[form].owners = owners;
        }
        expander
    }

    /// The encoding that has a short form and begins with these bits.
    fn begun_by(&self, start: u128) -> Option<EncodingId> {
        let limbs = [start as u64, (start >> 64) as u64];
        let root = self.plan.isa().root();
        let width = self.plan.isa()[root].width;
        match self.plan.tree(root).select(&limbs, width) {
            Match::One(id) if self.form_of.get(id.index()).copied().flatten().is_some() => Some(id),
            _ => None,
        }
    }

    /// The encoding that a short form is one of, by the bits that it shares with the long form, and the long word.
    /// `None` if it is none, or an index has no row.
    pub fn expand(&mut self, word: u64) -> Option<(EncodingId, u128)> {
        let id = self.owner(word)?;
        let form = self.form_of.get(id.index()).copied().flatten()? as usize;
        self.forms.get(form)?.is(word).then_some(())?;
        let long = self.expand_as(form, id, word)?;
        Some((id, long))
    }

    /// The encoding, from the bits that every form copies unconditionally.
    fn owner(&self, word: u64) -> Option<EncodingId> {
        for form in &self.forms {
            // The first step is the one that says what instruction it is.
            let step = form.steps.first()?;
            let value = gather64(&step.from, word);
            let id = match form.owners.get(value as usize) {
                Some(id) => *id,
                None => self.begun_by(scatter(&step.to, value)),
            };
            if id.is_some() {
                return id;
            }
        }
        None
    }

    /// What a short form consists of: each step that applies, with the value of its bits, which is the number of a row
    /// where the step has a table. `None` where [`Expander::expand`] gives none for another reason than a missing row.
    pub fn steps(&self, word: u64) -> Option<(&'a Expansion, Vec<(&'a ExpandStep, u64)>)> {
        let id = self.owner(word)?;
        let form = self.forms.get(self.form_of.get(id.index()).copied().flatten()? as usize)?;
        form.is(word).then_some(())?;
        let value = |step: &'a ExpandStep| (step, gather64(&step.from, word));
        let steps = forward(&self.plan, form, id, word)?;
        let steps = steps.iter().filter_map(|&s| form.expansion.steps.get(s as usize)).map(value);
        Some((form.expansion, steps.collect()))
    }

    fn expand_as(&mut self, form: usize, id: EncodingId, word: u64) -> Option<u128> {
        let f = &self.forms[form];
        let key = (id, gather64(&f.short_key, word));
        let place = place(key);
        if let Some(recent) = f.recent.get(place).filter(|r| r.key == key)
            && let Some(quick) = f.quick.get(recent.from as usize..recent.to as usize)
        {
            return f.run_quick(quick, word);
        }
        if let Some(steps) = f.forward.get(&key) {
            let long = f.run(steps, word);
            let quick: Vec<Quick> = steps.iter().map(|&s| f.steps[s as usize].quick(s)).collect();
            self.forms[form].remember(key, place, quick);
            return long;
        }
        let steps = forward(&self.plan, f, id, word)?;
        let long = f.run(&steps, word);
        self.forms[form].forward.insert(key, steps);
        long
    }

    /// The short form of a long word, if it has one.
    pub fn compact(&mut self, id: EncodingId, long: u128) -> Option<u64> {
        let form = self.form_of.get(id.index()).copied().flatten()? as usize;
        let f = &self.forms[form];
        let key = (id, long & f.guard_bits);
        let short = match f.back.get(&key) {
            Some(steps) => f.undo(steps, long),
            None => {
                let steps = backward(&self.plan, f, id, long)?;
                let short = f.undo(&steps, long);
                self.forms[form].back.insert(key, steps);
                short
            }
        }?;
        (self.forms[form].is(short) && self.expand_as(form, id, short) == Some(long)).then_some(short)
    }
}

impl Form<'_> {
    fn is(&self, word: u64) -> bool {
        let pattern = &self.expansion.pattern;
        word & pattern.care().low_u64() == pattern.value().low_u64()
    }

    /// Keeps the steps of a short form at hand.
    fn remember(&mut self, key: (EncodingId, u64), place: usize, quick: Vec<Quick>) {
        if self.quick.len() > MAX_QUICK_STEPS {
            self.quick.clear();
            self.recent.clear();
        }
        if self.recent.is_empty() {
            self.recent = vec![Recent { key, from: 0, to: 0 }; RECENT_SHORT_FORMS];
            // An empty place must match no key.
            self.recent.iter_mut().for_each(|r| (r.from, r.to) = (u32::MAX, 0));
        }
        let from = self.quick.len() as u32;
        self.quick.extend(quick);
        self.recent[place] = Recent { key, from, to: self.quick.len() as u32 };
    }

    #[inline]
    fn run_quick(&self, quick: &[Quick], word: u64) -> Option<u128> {
        quick.iter().try_fold(0, |long, q| {
            let part = |(lo, mask, shift): (u8, u64, u8)| (word >> (lo & 63) & mask) << (shift & 63);
            let value = part(q.parts[0]) | part(q.parts[1]);
            let step = self.steps.get(q.step as usize)?;
            if step.placed.is_empty() || q.wide {
                return step.apply(long, word);
            }
            Some(long & q.keep | step.placed.get(value as usize)?)
        })
    }

    /// The long form that these steps make.
    fn run(&self, steps: &[u32], word: u64) -> Option<u128> {
        steps.iter().try_fold(0, |long, &s| self.steps[s as usize].apply(long, word))
    }

    /// The short form from which these steps would make a long one, if anything would.
    fn undo(&self, steps: &[u32], long: u128) -> Option<u64> {
        steps.iter().try_fold(self.expansion.pattern.value().low_u64(), |short, &s| {
            let step = &self.steps[s as usize];
            Some(short & !step.from_mask | scatter_once(&step.from, step.undo(long)?) as u64)
        })
    }
}

impl Step {
    /// The step in its quick form.
    fn quick(&self, step: u32) -> Quick {
        let mut quick = Quick { parts: [(0, 0, 0); 2], keep: !self.to_mask, step, wide: self.from.len() > 2 };
        let mut shift = 0;
        // The last range is the lowest of the value.
        for (part, range) in quick.parts.iter_mut().zip(self.from.iter().rev()) {
            *part = (range.lo as u8, mask(range.width), shift);
            shift += range.width as u8;
        }
        quick
    }

    /// Places the step's value; `None` if the index has no row.
    #[inline]
    fn apply(&self, long: u128, word: u64) -> Option<u128> {
        let value = match self.from.as_slice() {
            [only] => (word >> (only.lo & 63)) & mask(only.width),
            several => gather64(several, word),
        };
        let placed = if self.placed.is_empty() {
            scatter(&self.to, extended(value, self.extend))
        } else {
            *self.placed.get(usize::try_from(value).ok()?)?
        };
        Some(long & !self.to_mask | placed)
    }

    /// The value that places what the long word has.
    fn undo(&self, long: u128) -> Option<u64> {
        if !self.rows.is_empty() {
            return self.row_of.get(&(long & self.to_mask)).copied();
        }
        let value = self.to.first().map_or(0, |to| gather(to, long));
        Some(value & mask(self.from.iter().map(|r| r.width).sum()))
    }
}

fn compile(isa: &Isa, step: &ExpandStep) -> Step {
    let from_width: u32 = step.from.iter().map(|r| r.width).sum();
    let width = step.width(isa.tables());
    let to = split(&step.to, width, step.copies);
    let rows: Vec<u128> = match step.table {
        Some(table) => isa.tables()[table.index()].rows.iter().map(|row| scatter_word(&to, row)).collect(),
        None => Vec::new(),
    };
    let mut row_of = FxHashMap::default();
    for (i, row) in rows.iter().enumerate() {
        row_of.entry(*row).or_insert(i as u64);
    }
    let mut placed = rows.clone();
    let extend = step.extend.map(|to| (from_width, to));
    if placed.is_empty() && from_width <= EXPANDED_BITS {
        placed = (0..1u64 << from_width).map(|value| scatter(&to, extended(value, extend))).collect();
    }
    Step {
        placed,
        from_mask: step.from.iter().fold(0, |m, r| m | mask(r.width) << r.lo),
        from: step.from.clone(),
        extend,
        rows,
        row_of,
        to_mask: step.to.iter().fold(0, |m, r| m | u128::from(mask(r.width)) << r.lo),
        to,
    }
}

/// Where in the table of recent short forms one belongs.
fn place((id, key): (EncodingId, u64)) -> usize {
    let mixed = (key ^ (id.index() as u64) << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (64 - RECENT_SHORT_FORMS.trailing_zeros())) as usize
}

/// A value with its sign, from one width to another.
fn extended(value: u64, widths: Option<(u32, u32)>) -> u64 {
    match widths {
        Some((from, to)) => ((value << (64 - from)) as i64 >> (64 - from)) as u64 & mask(to),
        None => value,
    }
}

/// The pieces of each copy. A piece that spans copies is cut.
fn split(to: &[BitRange], width: u32, copies: u32) -> Vec<Vec<BitRange>> {
    let mut out = vec![Vec::new(); copies as usize];
    let (mut copy, mut left) = (0, width);
    for range in to {
        let mut rest = *range;
        while rest.width > 0 && copy < out.len() {
            let take = rest.width.min(left);
            out[copy].push(BitRange::new(rest.end() - take, take));
            rest.width -= take;
            left -= take;
            if left == 0 {
                (copy, left) = (copy + 1, width);
            }
        }
    }
    out
}

/// The bits of the long form that the guards of an expansion look at.
fn guard_bits(isa: &Isa, id: EncodingId, expansion: &Expansion) -> u128 {
    let encoding = &isa[id];
    let mut names = Vec::new();
    for guard in expansion.steps.iter().filter_map(|s| s.guard).chain(encoding.cases.iter().filter_map(|c| c.guard)) {
        names.extend(isa[guard].fields.iter().copied());
    }
    let mut bits = 0u128;
    for field in encoding.cases.iter().flat_map(|c| &c.fields).filter(|f| names.contains(&f.name)) {
        if let isaglot_model::FieldSource::Bits(pieces) = &field.source {
            for piece in pieces {
                if let isaglot_model::Piece::Bits(r) = piece {
                    bits |= u128::from(mask(r.width)) << r.lo;
                }
            }
        }
    }
    bits
}

fn holds(plan: &Plan<'_>, step: &ExpandStep, id: EncodingId, long: u128) -> bool {
    let Some(guard) = step.guard else { return true };
    let mut scopes = Scopes::new(plan, false);
    let word = Word::from_u128(long, plan.isa()[id].width);
    scopes.enter_encoding(id, &word).is_some_and(|scope| scopes.evaluate(scope, guard) != 0)
}

/// The steps that apply to a short word.
fn forward(plan: &Plan<'_>, form: &Form<'_>, id: EncodingId, word: u64) -> Option<Vec<u32>> {
    let mut long = 0;
    let mut steps = Vec::new();
    for (i, (step, compiled)) in form.expansion.steps.iter().zip(&form.steps).enumerate() {
        if holds(plan, step, id, long) {
            long = compiled.apply(long, word)?;
            steps.push(i as u32);
        }
    }
    Some(steps)
}

/// The steps that apply on the way to a long word.
fn backward(plan: &Plan<'_>, form: &Form<'_>, id: EncodingId, long: u128) -> Option<Vec<u32>> {
    let steps = form.expansion.steps.iter().enumerate();
    Some(steps.filter(|(_, s)| holds(plan, s, id, long)).map(|(i, _)| i as u32).collect())
}

fn gather64(ranges: &[BitRange], word: u64) -> u64 {
    ranges.iter().fold(0, |v, r| (v << (r.width % 64)) | ((word >> r.lo) & mask(r.width)))
}

fn gather(ranges: &[BitRange], word: u128) -> u64 {
    ranges.iter().fold(0, |v, r| (v << (r.width % 64)) | ((word >> r.lo) as u64 & mask(r.width)))
}

fn scatter_once(ranges: &[BitRange], value: u64) -> u128 {
    let mut rest = value;
    ranges.iter().rev().fold(0, |word, r| {
        let part = rest & mask(r.width);
        rest = rest.checked_shr(r.width).unwrap_or(0);
        word | u128::from(part) << r.lo
    })
}

fn scatter(copies: &[Vec<BitRange>], value: u64) -> u128 {
    copies.iter().fold(0, |word, ranges| word | scatter_once(ranges, value))
}

fn scatter_word(copies: &[Vec<BitRange>], value: &Word) -> u128 {
    let mut word = 0;
    for ranges in copies {
        let mut lo = 0;
        for r in ranges.iter().rev() {
            word |= u128::from(value.extract(lo, r.width)) << r.lo;
            lo += r.width;
        }
    }
    word
}
