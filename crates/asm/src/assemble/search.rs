//! The search for the word of a line: which forms are tried, in which order, and which of several words is meant.
//!
//! Example: `(sy)add.f r0.x, r1.y`. Words begin at `sy`, `add`, `f`, `r0`, …; keys are looked up at each of them, from the
//! left. At `sy` there is none. At `add` the keys `add` and `add.f` are found, if forms have them; those of the longer key
//! are tried first. As soon as a place gives a word, places further right are not looked at. Forms of several encodings
//! may give words: then [`Assembler::decide`] says which is meant, or the line is ambiguous.

use isaglot_bits::Word;
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::{EncodingId, Overlap};

use super::assembler::Assembler;
use super::check::Check;
use super::failure::{self, Failure};
use super::index::{Form, Index};
use super::input::Input;
use super::limits::{MAX_AMBIGUOUS, MAX_CANDIDATES, MAX_LINE_STEPS};
use super::machine::Machine;
use super::number::is_word;
use super::program::Program;
use super::query::{How, Query};
use super::trace::Trace;
use super::{compile, quick};

/// What was found for a line.
enum Found {
    Nothing,
    One(Reading),
    Several(Vec<Reading>),
}

impl Found {
    /// Adds a word, unless it is known.
    fn add(&mut self, reading: Reading) {
        *self = match std::mem::replace(self, Found::Nothing) {
            Found::Nothing => Found::One(reading),
            Found::One(other) if other.word == reading.word => Found::One(other),
            Found::One(other) => Found::Several(vec![other, reading]),
            Found::Several(mut all) => {
                if all.len() < MAX_AMBIGUOUS && all.iter().all(|known| known.word != reading.word) {
                    all.push(reading);
                }
                Found::Several(all)
            }
        };
    }
}

/// A word that prints as the line.
#[derive(Clone)]
pub(super) struct Reading {
    pub(super) word: Word,
    pub(super) encoding: EncodingId,
    /// The form by which it does.
    pub(super) form: u32,
    /// The form is an alias.
    pub(super) alias: bool,
}

impl Assembler<'_, '_> {
    /// Forgets what the last line cost.
    fn start(&mut self) {
        self.machine.steps = 0;
        self.machine.later = false;
        self.check.tried = 0;
    }

    /// Tries one form alone, in the relaxed way.
    pub(super) fn again(&mut self, query: &Query<'_>, form: u32) -> Option<Reading> {
        self.start();
        let mut found = Found::Nothing;
        self.try_form(form, query, How::Relaxed, &mut found, None);
        match found {
            Found::One(reading) => Some(reading),
            _ => None,
        }
    }

    /// The word that prints exactly as a text, and whether it has names of places.
    pub(super) fn find_exact(&mut self, query: &Query<'_>) -> Option<Result<(Reading, bool), Failure>> {
        self.start();
        for how in [How::Strict, How::Named] {
            let named = how == How::Named;
            if named && !self.exact_names {
                continue;
            }
            match self.search(query, how, None) {
                Found::Nothing => {}
                Found::One(reading) => return Some(Ok((reading, named))),
                Found::Several(readings) => return Some(self.decide(readings).map(|reading| (reading, named))),
            }
        }
        None
    }

    /// The word that is meant, and whether the text had to be read in the relaxed way.
    pub(super) fn find(&mut self, query: &Query<'_>) -> Result<(Reading, bool), Failure> {
        self.start();
        for how in [How::Strict, How::Named, How::Plain, How::Relaxed, How::Unmarked, How::Numbers] {
            // Without such a number it is the next way.
            if how == How::Plain && !has_leading_zero(query.text) {
                continue;
            }
            if how == How::Named && !self.exact_names || how == How::Unmarked && self.plan.isa().number_mark().is_none()
            {
                continue;
            }
            let relaxed = matches!(how, How::Plain | How::Relaxed);
            let found = self.search(query, how, None);
            if relaxed && self.machine.later {
                self.note_lengths(&found);
            }
            match found {
                Found::One(reading) => return Ok((reading, relaxed)),
                Found::Several(readings) => return self.decide(readings).map(|reading| (reading, relaxed)),
                Found::Nothing if self.machine.steps > MAX_LINE_STEPS => return Err(Failure::TooHard),
                Found::Nothing => {}
            }
        }
        // Once more, with notes.
        let mut trace = Trace::default();
        self.machine.steps = 0;
        self.check.tried = 0;
        self.search(query, How::Relaxed, Some(&mut trace));
        if self.machine.steps > MAX_LINE_STEPS {
            return Err(Failure::TooHard);
        }
        Err(failure::explain(query.text, &self.index, trace))
    }

    /// What may come after a text that begins an instruction: the texts themselves, each once and in the order of the forms, and what else
    /// is expected, for people.
    pub(super) fn expected(&mut self, query: &Query<'_>) -> (usize, Vec<String>, Vec<String>) {
        self.start();
        let mut trace = Trace { texts: Some(Vec::new()), ..Trace::default() };
        self.machine.steps = 0;
        self.check.tried = 0;
        self.search(query, How::Relaxed, Some(&mut trace));
        let mut seen = rustc_hash::FxHashSet::default();
        let mut texts = trace.texts.unwrap_or_default();
        texts.retain(|text| seen.insert(text.clone()));
        (trace.place, texts, trace.expected)
    }

    /// Notes which lengths the line may have, each with its form, while its symbol is not known.
    fn note_lengths(&mut self, found: &Found) {
        self.lengths.clear();
        match found {
            Found::Nothing => {}
            Found::One(reading) => self.lengths.push((reading.word.width(), reading.form)),
            Found::Several(readings) => {
                let mut widths: Vec<u32> = readings.iter().map(|reading| reading.word.width()).collect();
                widths.sort_unstable();
                widths.dedup();
                for width in widths {
                    let of_width = readings.iter().filter(|reading| reading.word.width() == width);
                    if let Ok(reading) = self.decide_of_width(of_width.cloned().collect()) {
                        self.lengths.push((width, reading.form));
                    }
                }
            }
        }
    }

    /// Which of several words of different encodings is meant.
    fn decide(&self, mut readings: Vec<Reading>) -> Result<Reading, Failure> {
        if self.exact && readings.iter().any(|reading| !reading.alias) {
            readings.retain(|reading| !reading.alias);
        }
        // While a symbol is not known yet, only the longest is sure to hold it.
        let widths = readings.iter().map(|reading| reading.word.width());
        let width = if self.machine.later || self.exact { widths.max() } else { widths.min() };
        readings.retain(|reading| Some(reading.word.width()) == width);
        self.decide_of_width(readings)
    }

    /// The same for words of one length.
    fn decide_of_width(&self, mut readings: Vec<Reading>) -> Result<Reading, Failure> {
        // By the rule of the decoder, if it has one; then an instruction before an alias.
        if self.plan.isa()[self.plan.isa().root()].overlap == Overlap::MostSpecific {
            // Where one is preferred in decoding, one is in assembling: bits that do not show are 0.
            let order = |r: &Reading| (r.word.count_ones(), self.plan.isa()[r.encoding].precedence(), r.encoding);
            readings.sort_by_key(order);
            readings.truncate(1);
        }
        if readings.iter().any(|reading| !reading.alias) {
            readings.retain(|reading| !reading.alias);
        } else {
            // Aliases are in the order of preference.
            let first = readings.iter().map(|reading| reading.encoding).min();
            readings.retain(|reading| Some(reading.encoding) == first);
        }
        if let [reading] = readings.as_slice() {
            return Ok(reading.clone());
        }
        let name = |id: EncodingId| self.plan.isa().text(self.plan.isa()[id].name).to_owned();
        Err(Failure::Ambiguous { words: readings.into_iter().map(|r| (r.word, name(r.encoding))).collect() })
    }

    /// Tries the forms that the text may be.
    fn search(&mut self, query: &Query<'_>, how: How, mut trace: Option<&mut Trace>) -> Found {
        let mut found = Found::Nothing;
        let mut candidates = std::mem::take(&mut self.candidates);
        for place in Index::places(query.text) {
            candidates.clear();
            let rest = query.text.get(place..).or_impossible(&[]);
            let forms = &self.index.forms;
            self.index.keys.prefixes(rest, |_, form| {
                let fits = forms.get(form as usize).is_some_and(|form| {
                    let splits = form.closed && rest.get(form.key as usize).copied().is_some_and(is_word);
                    !splits && query.width.is_none_or(|width| width == form.width)
                });
                if fits {
                    candidates.push(form);
                }
            });
            // The longest key first.
            for &form in candidates.iter().rev() {
                self.try_form(form, query, how, &mut found, trace.as_deref_mut());
            }
            if !matches!(found, Found::Nothing) {
                break;
            }
        }
        self.candidates = candidates;
        if matches!(found, Found::Nothing) {
            for i in 0..self.index.others.len() {
                self.try_form(self.index.others[i], query, how, &mut found, trace.as_deref_mut());
            }
        }
        found
    }

    /// Tries one form; adds its word.
    #[inline]
    fn try_form(&mut self, number: u32, query: &Query<'_>, how: How, found: &mut Found, trace: Option<&mut Trace>) {
        let Some(&form) = self.index.forms.get(number as usize) else { return impossible(()) };
        let Some(cell) = self.programs.get(number as usize) else { return impossible(()) };
        let Form { encoding, width, .. } = form;
        if query.leaf.is_some_and(|leaf| self.plan.isa()[encoding].name != leaf) {
            return;
        }
        let program = match cell.get() {
            Some(program) => program,
            None => {
                let (tables, packer) = (&mut self.tables, self.packer);
                cell.get_or_init(|| compile::compile(self.plan, tables, encoding, form.case, packer).map(Box::new))
            }
        };
        let Some(program) = program.as_deref() else { return };
        self.exact_names |= program.exact_names;
        if how == How::Named && !program.exact_names {
            return;
        }
        let relaxed = how != How::Strict;
        // To say why nothing was found, forms that cannot fit have to be tried, too.
        let fits = trace.is_some() || query.shape.fits(program, relaxed);
        if !fits || self.machine.steps > MAX_LINE_STEPS || query.width.is_some_and(|wanted| wanted != width) {
            return;
        }
        // Another form of an encoding that has been found would give the same word.
        let known = match found {
            Found::Nothing => false,
            Found::One(known) => known.encoding == encoding,
            Found::Several(all) => all.iter().any(|known| known.encoding == encoding),
        };
        if known {
            return;
        }
        if program.quick && !relaxed && trace.is_none() {
            match quick::run(program, query.text) {
                quick::Outcome::Nothing => return,
                quick::Outcome::Word(word) => {
                    let printed = self.check.print_by(&[word], program.alias, form, number);
                    if printed && self.check.printed == query.text {
                        let word = Word::from_u64(word, width);
                        found.add(Reading { word, encoding, form: number, alias: program.alias });
                    }
                    return;
                }
                quick::Outcome::Undecided => {}
            }
        }
        let input = Input {
            isa: self.plan.isa(),
            text: query.text,
            relaxed,
            named: how == How::Named,
            plain: how == How::Plain,
            numbers: how == How::Numbers,
            mark: self.plan.isa().number_mark().filter(|_| how == How::Unmarked),
            whole: trace.is_some(),
            names: self.names,
            site: query.site,
            compat: self.check.compat,
        };
        let (limbs, strict) = (self.limbs, self.strict);
        let words = run(&mut self.machine, &mut self.check, (program, form, number), &input, limbs, strict, trace);
        for word in words.into_iter().flatten() {
            let word = Word::from_limbs(&word, width);
            found.add(Reading { word, encoding, form: number, alias: program.alias });
        }
    }
}

/// Whether digits of a text begin with a zero.
fn has_leading_zero(text: &[u8]) -> bool {
    let begins = |before: Option<u8>| before.is_none_or(|b| !b.is_ascii_digit() && b != b'.');
    let digits = |(at, pair): (usize, &[u8])| {
        matches!(pair, [b'0', b'0'..=b'9']) && begins(at.checked_sub(1).and_then(|at| text.get(at).copied()))
    };
    text.windows(2).enumerate().any(digits)
}

/// The bits of a word.
type Limbs = Vec<u64>;

/// Runs the program of a form in the machine until a word prints as the text: the word. With it comes another one, if fields
/// that stand side by side can share out the same text otherwise: where 1 and 11 print as `111`, so do 11 and 1.
#[inline]
fn run(
    machine: &mut Machine,
    check: &mut Check<'_, '_>,
    (program, form, number): (&Program, Form, u32),
    input: &Input<'_>,
    limbs: usize,
    strict: bool,
    mut trace: Option<&mut Trace>,
) -> [Option<Limbs>; 2] {
    let limit = check.tried.saturating_add(MAX_CANDIDATES);
    let tracing = trace.is_some();
    let mut refused: Option<(Vec<u8>, Vec<u8>)> = None;
    // With what prints for it.
    let mut first: Option<(Limbs, Vec<u8>)> = None;
    let mut second: Option<Limbs> = None;
    machine.run(program, input, trace.as_deref_mut(), &mut |machine| {
        if check.tried >= limit {
            return false;
        }
        let word = machine.values.word.get(..limbs.min(machine.values.word.len())).or_impossible(&[]);
        let printed = check.print_by(word, program.alias, form, number);
        let want = if input.relaxed { &machine.canonical } else { input.text };
        if printed && check.printed == want {
            let Some((known, text)) = &first else {
                first = Some((word.to_vec(), want.to_vec()));
                return !program.glued || program.alias || tracing || !machine.has_other_way();
            };
            if known == word || text != want || !check.share_otherwise([known, word], form.width, strict) {
                return false;
            }
            second = Some(word.to_vec());
            return true;
        }
        if tracing && refused.is_none() {
            refused = Some((if printed { check.printed.clone() } else { Vec::new() }, want.to_vec()));
        }
        false
    });
    if let (Some(trace), Some((printed, wanted))) = (trace, refused) {
        trace.refused(input.text.len(), printed, wanted);
    }
    [first.map(|(word, _)| word), second]
}
