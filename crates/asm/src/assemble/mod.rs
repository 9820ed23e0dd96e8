//! From text to instructions: the display templates of a description, run backwards.
//!
//! Every template of every encoding is compiled to a `program` that reads what the template prints; a `machine`
//! runs it over a line and finds the bits. The word is then decoded and printed again, by the same engines as any other,
//! and accepted only if that gives the text: whatever the reading may have overlooked, a wrong word is never returned.
//!
//! Where several words print as one text, bits that do not show are 0 and conditions are met with as few ones as
//! possible. Of encodings of different length that print as the text, the shortest is meant. If words of different
//! encodings of one length do, the text is refused as ambiguous.
//!
//! A text need not be exactly what the disassembler prints: if it is not, it is read once more in the relaxed way (see
//! `machine`), and the word must print as the text would read in the disassembler's own style.

mod compile;
mod constant;
mod index;
pub mod limits;
mod machine;
mod meaning;
mod memo;
mod number;
mod program;
mod quick;
pub mod source;
mod symbolic;
mod trace;
mod values;

use std::cell::{Cell, OnceCell};

use isaglot_bits::Word;
use isaglot_codec::{Plan, Scopes};
use isaglot_model::{EncodingId, Overlap};

pub use machine::{Site, Symbol};

use self::compile::Tables;
use self::index::{Form, Index};
use self::limits::{MAX_AMBIGUOUS, MAX_CANDIDATES, MAX_LINE, MAX_LINE_STEPS};
use self::machine::{Input, Machine};
use self::memo::Memo;
use self::program::{Bytes, Program};
use self::trace::Trace;
use crate::engine::{Engine, Outcome};
use crate::exact::{self, Line};
use crate::labels::Places;
use crate::names::Names;
use crate::options::Compat;
use crate::program::BlockId;

/// Why a text is no instruction. Offsets are in bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Nothing is called so; what is, and near, comes with it.
    Unknown {
        /// The place of the word that should have been a mnemonic, and its length.
        at: (usize, usize),
        /// The nearest known one.
        nearest: Option<String>,
    },
    /// Understood up to here, but not on.
    Expected {
        /// The place.
        at: usize,
        /// What would have been understood.
        what: Vec<String>,
    },
    /// A value that is not possible: out of range, or taken by something else.
    Value {
        /// The place and length of the value.
        at: (usize, usize),
        /// What is wrong with it.
        message: String,
    },
    /// Everything was understood, but no word prints as that.
    Contradiction {
        /// What the nearest word prints as, if there is one.
        prints: Option<String>,
        /// The first place at which that differs.
        at: usize,
    },
    /// Words of different encodings print as this text.
    Ambiguous {
        /// They, with the names of their encodings.
        words: Vec<(Word, String)>,
    },
    /// Longer than [`limits::MAX_LINE`].
    TooLong,
    /// The search took more steps than [`limits::MAX_LINE_STEPS`].
    TooHard,
}

/// Assembles single instructions of one plan. Not shared between threads; make one for each.
#[derive(Debug)]
pub struct Assembler<'p, 'a> {
    plan: &'p Plan<'a>,
    pub(crate) names: &'p Names,
    index: Index,
    programs: Vec<OnceCell<Option<Box<Program>>>>,
    tables: Tables,
    machine: Machine,
    check: Check<'p, 'a>,
    candidates: Vec<u32>,
    memo: Memo,
    /// Forms of lines that end in a symbol which is not known yet.
    forms: Memo,
    limbs: usize,
}

/// Decoding and printing of a word that was found.
#[derive(Debug)]
struct Check<'p, 'a> {
    engine: Engine<'p, 'a>,
    scopes: Scopes<'p, 'a>,
    names: &'p Names,
    compat: Compat,
    printed: Vec<u8>,
    tried: u32,
    /// By form: what prints it, where it is a shorthand and was met.
    aliases: Vec<Option<BlockId>>,
}

impl Check<'_, '_> {
    /// Prints a word; `false` if it is no instruction.
    fn print(&mut self, limbs: &[u64], width: u32) -> bool {
        self.printed.clear();
        let places = Places { bytes: 1 };
        let mut names = self.names;
        let mut line =
            Line { out: &mut self.printed, start: 0, position: 0, places, targets: None, compat: self.compat };
        match self.engine.instruction(limbs, width, &mut names, &mut line) {
            Outcome::Printed => true,
            Outcome::NoMatch => false,
            Outcome::Undecided => {
                let word = Word::from_limbs(limbs, width);
                exact::instruction(&mut self.scopes, &word, &mut names, &mut line)
            }
        }
    }
}

impl Check<'_, '_> {
    /// Prints a word by the shorthand that `form` is, whose number is `number`; `false` if the word is not that. The
    /// engines print the first shorthand that applies, or none, so this one is asked for by name.
    fn print_alias(&mut self, limbs: &[u64], width: u32, form: Form, number: u32) -> bool {
        self.printed.clear();
        let Form { encoding, case, .. } = form;
        let Some(slot) = self.aliases.get_mut(number as usize) else { return false };
        let block = *slot.get_or_insert_with(|| self.engine.alias(encoding, case));
        let places = Places { bytes: 1 };
        let mut names = self.names;
        let mut line =
            Line { out: &mut self.printed, start: 0, position: 0, places, targets: None, compat: self.compat };
        match self.engine.shorthand(encoding, block, limbs, width, &mut names, &mut line) {
            Outcome::Printed => return true,
            Outcome::NoMatch => return false,
            Outcome::Undecided => {}
        }
        let word = Word::from_limbs(limbs, width);
        let Some(scope) = self.scopes.enter(&word) else { return false };
        let Some(case) = self.scopes.encoding(scope).cases.get(case) else { return false };
        let applies = case.guard.is_none_or(|guard| self.scopes.evaluate(scope, guard) != 0);
        let Some(template) = case.template.filter(|_| applies && self.scopes.encoding_id(scope) == encoding) else {
            return false;
        };
        let mut names = self.names;
        let places = Places { bytes: 1 };
        let mut line =
            Line { out: &mut self.printed, start: 0, position: 0, places, targets: None, compat: self.compat };
        exact::show_template(&mut self.scopes, scope, template, &mut names, &mut line);
        self.scopes.leave();
        true
    }
}

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
struct Reading {
    word: Word,
    encoding: EncodingId,
    /// The form by which it does.
    form: u32,
    /// By a shorthand.
    alias: bool,
}

/// How a line is read; each way is tried when those before it found nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// As the disassembler prints it.
    Strict,
    /// As people write it.
    Relaxed,
    /// The same, with numbers for what has a text.
    Numbers,
}

/// What is looked for in a line before a form is tried on it.
#[derive(Clone, Copy)]
struct Shape {
    /// The bytes that it has.
    has: Bytes,
    commas: u32,
}

impl Shape {
    fn of(text: &[u8]) -> Shape {
        let mut has = Bytes::default();
        let mut commas = 0;
        let [mut low, mut high] = [0u64; 2];
        for &byte in text {
            match byte {
                0..64 => low |= 1 << byte,
                64..128 => high |= 1 << (byte - 64),
                _ => has.add(byte),
            }
            commas += u32::from(byte == b',');
        }
        has.set[0] = low;
        has.set[1] = high;
        Shape { has, commas }
    }

    /// Whether a text of this shape can be one of a program's.
    #[inline]
    fn fits(&self, program: &Program, relaxed: bool) -> bool {
        let (least, most) = program.commas;
        (least..=most).contains(&self.commas)
            && (relaxed || program.needs.set.iter().zip(self.has.set).all(|(needs, has)| needs & !has == 0))
    }
}

/// What became of a line.
pub(crate) struct Made {
    pub(crate) word: Word,
    /// It is that at every place, whatever symbols stand for.
    pub(crate) known: bool,
    /// The form by which it reads so in the relaxed way, if it is the only one.
    pub(crate) form: Option<u32>,
}

impl<'p, 'a> Assembler<'p, 'a> {
    /// For this plan. Forms are compiled when first met.
    #[must_use]
    pub fn new(plan: &'p Plan<'a>, names: &'p Names, compat: Compat) -> Self {
        let index = Index::new(plan);
        let programs = index.forms.iter().map(|_| OnceCell::new()).collect();
        let aliases = vec![None; index.forms.len()];
        let width = plan.isa()[plan.isa().root()].width;
        Assembler {
            plan,
            names,
            index,
            programs,
            tables: Tables::default(),
            machine: Machine::default(),
            check: Check {
                engine: Engine::direct(plan),
                scopes: Scopes::new(plan, false),
                names,
                compat,
                printed: Vec::new(),
                tried: 0,
                aliases,
            },
            candidates: Vec::new(),
            memo: Memo::default(),
            forms: Memo::default(),
            limbs: width.div_ceil(64) as usize,
        }
    }

    /// The plan that is assembled for.
    #[must_use]
    pub fn plan(&self) -> &'p Plan<'a> {
        self.plan
    }

    /// The mnemonics, as far as they stand in templates; sorted.
    #[must_use]
    pub fn mnemonics(&self) -> &[String] {
        &self.index.words
    }

    /// Assembles a text that has no symbols.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn assemble(&mut self, text: &[u8]) -> Result<Word, Failure> {
        self.assemble_at(text, Site { symbol: &|_| None, here: 0, place_bytes: self.place_bytes() }, None)
    }

    /// Bytes per place: of an instruction where all have one length, else 1.
    #[must_use]
    pub fn place_bytes(&self) -> u64 {
        let format = self.plan.isa().format();
        if format.lengths.is_empty() { u64::from(format.max_bits / 8) } else { 1 }
    }

    /// Assembles a text at a place of a program; with `width`, only to an instruction of that many bits.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn assemble_at(&mut self, text: &[u8], site: Site<'_>, width: Option<u32>) -> Result<Word, Failure> {
        self.make(text, site, width, None).map(|made| made.word)
    }

    /// The same, with what can be said of the word. `form` is that of [`Made::form`] for the same text, when less was
    /// known of its symbols.
    pub(crate) fn make(
        &mut self,
        text: &[u8],
        site: Site<'_>,
        width: Option<u32>,
        form: Option<u32>,
    ) -> Result<Made, Failure> {
        let text = text.trim_ascii();
        if text.len() > MAX_LINE {
            return Err(Failure::TooLong);
        }
        if let Some(form) = form
            && let Some(reading) = self.again(text, site, width, form)
        {
            return Ok(Made { word: reading.word, known: false, form: Some(form) });
        }
        let key = memo::key(text, width);
        if let Some(key) = &key
            && let Some((word, bits)) = self.memo.get(key)
        {
            return Ok(Made { word: Word::from_u64(word, bits), known: true, form: None });
        }
        let asked = Cell::new(false);
        let symbol = |name: &[u8]| {
            asked.set(true);
            (site.symbol)(name)
        };
        let (reading, relaxed) = self.find(text, Site { symbol: &symbol, ..site }, width)?;
        let known = !asked.get();
        if known && let Some(key) = &key {
            self.memo.put(key, &reading.word);
        }
        if relaxed
            && self.machine.later
            && let Some(at) = self.last_symbol(text)
            && let Some(key) = memo::key_to(text, at, width)
        {
            self.forms.keep(&key, u64::from(reading.form), reading.word.width());
        }
        Ok(Made { word: reading.word, known, form: relaxed.then_some(reading.form) })
    }

    /// The form and the width in bits that [`Assembler::make`] gave for a line which differs from this one in nothing but
    /// the symbol at its end, when that was not known yet.
    pub(crate) fn recall(&self, text: &[u8], width: Option<u32>) -> Option<(u32, u32)> {
        let text = text.trim_ascii();
        let at = self.last_symbol(text)?;
        let (form, bits) = self.forms.get(&memo::key_to(text, at, width)?)?;
        Some((u32::try_from(form).ok()?, bits))
    }

    /// Where the symbol at the end of a line begins; `None` if something else may be meant there.
    fn last_symbol(&self, text: &[u8]) -> Option<usize> {
        let is_part = |byte: &u8| number::is_word(*byte) || matches!(byte, b'.' | b'$' | b'@');
        let at = text.iter().rposition(|byte| !is_part(byte)).map_or(0, |before| before + 1);
        let name = text.get(at..).unwrap_or(&[]);
        let is_name = machine::symbol_length(name) == name.len() && !name.is_empty();
        let is_float = name.starts_with(b"inf") || name.starts_with(b"nan");
        let is_text = || self.tables.values().any(|table| table.texts.longest(name).is_some_and(|l| l.0 == name.len()));
        (is_name && at > 0 && !is_float && self.names.is_empty() && !is_text()).then_some(at)
    }

    /// Tries one form alone, in the relaxed way.
    fn again(&mut self, text: &[u8], site: Site<'_>, width: Option<u32>, form: u32) -> Option<Reading> {
        self.machine.steps = 0;
        self.machine.later = false;
        self.check.tried = 0;
        let mut found = Found::Nothing;
        self.try_form(form, text, &Shape::of(text), site, width, How::Relaxed, &mut found, None);
        match found {
            Found::One(reading) => Some(reading),
            _ => None,
        }
    }

    /// The word that is meant, and whether the text had to be read in the relaxed way.
    fn find(&mut self, text: &[u8], site: Site<'_>, width: Option<u32>) -> Result<(Reading, bool), Failure> {
        self.machine.steps = 0;
        self.machine.later = false;
        self.check.tried = 0;
        for how in [How::Strict, How::Relaxed, How::Numbers] {
            let relaxed = how == How::Relaxed;
            match self.search(text, site, width, how, None) {
                Found::One(reading) => return Ok((reading, relaxed)),
                Found::Several(readings) => return self.decide(readings).map(|reading| (reading, relaxed)),
                Found::Nothing if self.machine.steps > MAX_LINE_STEPS => return Err(Failure::TooHard),
                Found::Nothing => {}
            }
        }
        Err(self.explain(text, site, width))
    }

    /// Which of several words of different encodings is meant.
    fn decide(&self, mut readings: Vec<Reading>) -> Result<Reading, Failure> {
        // While a symbol is not known yet, only the longest is sure to hold it.
        let widths = readings.iter().map(|reading| reading.word.width());
        let width = if self.machine.later { widths.max() } else { widths.min() };
        readings.retain(|reading| Some(reading.word.width()) == width);
        if self.plan.isa()[self.plan.isa().root()].overlap == Overlap::MostSpecific {
            // Where one is preferred in decoding, one is in assembling: bits that do not show are 0.
            let order = |r: &Reading| (r.word.count_ones(), self.plan.isa()[r.encoding].precedence(), r.encoding);
            readings.sort_by_key(order);
            readings.truncate(1);
        }
        if readings.iter().any(|reading| !reading.alias) {
            readings.retain(|reading| !reading.alias);
        } else {
            // Shorthands are in the order of preference.
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
    fn search(
        &mut self,
        text: &[u8],
        site: Site<'_>,
        width: Option<u32>,
        how: How,
        mut trace: Option<&mut Trace>,
    ) -> Found {
        let shape = Shape::of(text);
        let mut found = Found::Nothing;
        let mut candidates = std::mem::take(&mut self.candidates);
        for place in Index::places(text) {
            candidates.clear();
            let rest = text.get(place..).unwrap_or(&[]);
            let forms = &self.index.forms;
            self.index.keys.prefixes(rest, |_, form| {
                let fits = forms.get(form as usize).is_some_and(|form| {
                    let splits = form.closed && rest.get(form.key as usize).copied().is_some_and(number::is_word);
                    !splits && width.is_none_or(|width| width == form.width)
                });
                if fits {
                    candidates.push(form);
                }
            });
            // The longest key first.
            for &form in candidates.iter().rev() {
                self.try_form(form, text, &shape, site, width, how, &mut found, trace.as_deref_mut());
            }
            if !matches!(found, Found::Nothing) {
                break;
            }
        }
        self.candidates = candidates;
        if matches!(found, Found::Nothing) {
            for i in 0..self.index.others.len() {
                let Some(&form) = self.index.others.get(i) else { break };
                self.try_form(form, text, &shape, site, width, how, &mut found, trace.as_deref_mut());
            }
        }
        found
    }

    #[expect(clippy::too_many_arguments, reason = "what a line is read with")]
    #[inline]
    fn try_form(
        &mut self,
        number: u32,
        text: &[u8],
        shape: &Shape,
        site: Site<'_>,
        width: Option<u32>,
        how: How,
        found: &mut Found,
        trace: Option<&mut Trace>,
    ) {
        let relaxed = how != How::Strict;
        let Some(&form) = self.index.forms.get(number as usize) else { return };
        let Some(cell) = self.programs.get(number as usize) else { return };
        let Form { encoding: id, width: encoding_width, .. } = form;
        let program = match cell.get() {
            Some(program) => program,
            None => {
                let tables = &mut self.tables;
                cell.get_or_init(|| compile::compile(self.plan, tables, id, form.case).map(Box::new))
            }
        };
        let Some(program) = program.as_deref() else { return };
        // Whoever asks why nothing was found wants to hear of the form that is nearest.
        let fits = trace.is_some() || shape.fits(program, relaxed);
        if !fits || self.machine.steps > MAX_LINE_STEPS || width.is_some_and(|width| width != encoding_width) {
            return;
        }
        // Another text of an encoding that has been found is no other meaning.
        let known = |found: &Found| match found {
            Found::Nothing => false,
            Found::One(known) => known.encoding == id,
            Found::Several(all) => all.iter().any(|known| known.encoding == id),
        };
        if known(found) {
            return;
        }
        let tracing = trace.is_some();
        if program.quick && !relaxed && !tracing {
            match quick::run(program, text) {
                quick::Outcome::Nothing => return,
                quick::Outcome::Word(word) => {
                    self.check.tried += 1;
                    let printed = match program.alias {
                        false => self.check.print(&[word], encoding_width),
                        true => self.check.print_alias(&[word], encoding_width, form, number),
                    };
                    if printed && self.check.printed == text {
                        let word = Word::from_u64(word, encoding_width);
                        found.add(Reading { word, encoding: id, form: number, alias: program.alias });
                    }
                    return;
                }
                quick::Outcome::Undecided => {}
            }
        }
        let compat = self.check.compat;
        let (isa, numbers) = (self.plan.isa(), how == How::Numbers);
        let input = Input { isa, text, relaxed, numbers, whole: tracing, names: self.names, site, compat };
        let check = &mut self.check;
        let limit = check.tried.saturating_add(MAX_CANDIDATES);
        let mut refused: Option<(Vec<u8>, Vec<u8>)> = None;
        let limbs = self.limbs;
        let mut trace = trace;
        let took = self.machine.run(program, &input, trace.as_deref_mut(), &mut |machine| {
            if check.tried >= limit {
                return false;
            }
            check.tried += 1;
            let word = machine.values.word.get(..limbs.min(machine.values.word.len())).unwrap_or(&[]);
            let printed = match program.alias {
                false => check.print(word, encoding_width),
                true => check.print_alias(word, encoding_width, form, number),
            };
            let want = if relaxed { &machine.canonical } else { text };
            if printed && check.printed == want {
                return true;
            }
            if tracing && refused.is_none() {
                refused = Some((if printed { check.printed.clone() } else { Vec::new() }, want.to_vec()));
            }
            false
        });
        if let (Some(trace), Some((printed, wanted))) = (trace, refused) {
            trace.refused(text.len(), printed, wanted);
        }
        if !took {
            return;
        }
        let word = Word::from_limbs(&self.machine.values.word, encoding_width);
        let reading = Reading { word, encoding: id, form: number, alias: program.alias };
        found.add(reading);
    }

    /// Says why a text is no instruction, by reading it once more with notes.
    fn explain(&mut self, text: &[u8], site: Site<'_>, width: Option<u32>) -> Failure {
        let mut trace = Trace::default();
        self.machine.steps = 0;
        self.check.tried = 0;
        self.search(text, site, width, How::Relaxed, Some(&mut trace));
        if self.machine.steps > MAX_LINE_STEPS {
            return Failure::TooHard;
        }
        if let Some((printed, wanted)) = trace.refused.take() {
            let same = printed.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
            let prints = (!printed.is_empty()).then(|| String::from_utf8_lossy(&printed).into_owned());
            return Failure::Contradiction { prints, at: same.min(text.len()) };
        }
        if let Some((end, message)) = trace.value {
            return Failure::Value { at: (trace.place, end.saturating_sub(trace.place)), message };
        }
        if trace.contradiction {
            return Failure::Contradiction { prints: None, at: 0 };
        }
        let known = Index::places(text).any(|place| {
            let mut any = false;
            self.index.keys.prefixes(text.get(place..).unwrap_or(&[]), |_, _| any = true);
            any
        });
        if known || (trace.place > 0 && !trace.expected.is_empty()) {
            return Failure::Expected { at: trace.place, what: trace.expected };
        }
        // The first word that is not inside a flag.
        let is_part = |byte: &u8| number::is_word(*byte) || matches!(byte, b'.' | b'$');
        let mut depth = 0i32;
        let start = text.iter().position(|byte| {
            depth += match byte {
                b'(' => 1,
                b')' => -1,
                _ => 0,
            };
            depth <= 0 && is_part(byte)
        });
        let start = start.unwrap_or(0);
        let len = text.get(start..).unwrap_or(&[]).iter().take_while(|byte| is_part(byte)).count();
        let word = String::from_utf8_lossy(text.get(start..start + len).unwrap_or(&[])).into_owned();
        let nearest = isaglot_source::closest(&word, self.index.words.iter().map(String::as_str)).map(str::to_owned);
        Failure::Unknown { at: (start, len.max(1).min(text.len() - start)), nearest }
    }
}
