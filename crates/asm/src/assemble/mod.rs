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
mod number;
mod program;
pub mod source;
mod symbolic;
mod trace;
mod trie;
mod values;

use std::cell::OnceCell;

use isaglot_bits::Word;
use isaglot_codec::{Plan, Scopes};
use isaglot_model::{EncodingId, Overlap};

pub use machine::{Site, Symbol};
pub(crate) use trie::Trie;

use self::index::Index;
use self::limits::{MAX_AMBIGUOUS, MAX_CANDIDATES, MAX_LINE, MAX_LINE_STEPS};
use self::machine::{Input, Machine};
use self::program::{Bytes, Program};
use self::trace::Trace;
use crate::engine::{Engine, Outcome};
use crate::exact::{self, Line};
use crate::labels::Places;
use crate::names::Names;
use crate::options::Compat;

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
    machine: Machine,
    check: Check<'p, 'a>,
    candidates: Vec<u32>,
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
    /// Prints a word by the shorthand that `case` of `encoding` is; `false` if the word is not that. The engines print
    /// the first shorthand that applies, or none, so this one is asked for by name.
    fn print_alias(&mut self, limbs: &[u64], width: u32, encoding: EncodingId, case: usize) -> bool {
        self.printed.clear();
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
    One(Word, EncodingId),
    Several(Vec<(Word, EncodingId)>),
}

impl<'p, 'a> Assembler<'p, 'a> {
    /// For this plan. Forms are compiled when first met.
    #[must_use]
    pub fn new(plan: &'p Plan<'a>, names: &'p Names, compat: Compat) -> Self {
        let index = Index::new(plan);
        let programs = index.forms.iter().map(|_| OnceCell::new()).collect();
        let width = plan.isa()[plan.isa().root()].width;
        Assembler {
            plan,
            names,
            index,
            programs,
            machine: Machine::default(),
            check: Check {
                engine: Engine::new(plan, false),
                scopes: Scopes::new(plan, false),
                names,
                compat,
                printed: Vec::new(),
                tried: 0,
            },
            candidates: Vec::new(),
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
        let text = text.trim_ascii();
        if text.len() > MAX_LINE {
            return Err(Failure::TooLong);
        }
        self.machine.steps = 0;
        self.machine.later = false;
        self.check.tried = 0;
        for relaxed in [false, true] {
            match self.search(text, site, width, relaxed, None) {
                Found::One(word, _) => return Ok(word),
                Found::Several(mut words) => {
                    // While a symbol is not known yet, only the longest is sure to hold it.
                    let widths = words.iter().map(|(word, _)| word.width());
                    let width = if self.machine.later { widths.max() } else { widths.min() };
                    words.retain(|(word, _)| Some(word.width()) == width);
                    if self.plan.isa()[self.plan.isa().root()].overlap == Overlap::MostSpecific {
                        // Where one is preferred in decoding, one is in assembling: bits that do not show are 0.
                        words.sort_by_key(|(word, id)| (word.count_ones(), self.plan.isa()[*id].precedence(), *id));
                        words.truncate(1);
                    }
                    if let [(word, _)] = words.as_slice() {
                        return Ok(word.clone());
                    }
                    let name = |id: EncodingId| self.plan.isa().text(self.plan.isa()[id].name).to_owned();
                    return Err(Failure::Ambiguous { words: words.into_iter().map(|(w, id)| (w, name(id))).collect() });
                }
                Found::Nothing if self.machine.steps > MAX_LINE_STEPS => return Err(Failure::TooHard),
                Found::Nothing => {}
            }
        }
        Err(self.explain(text, site, width))
    }

    /// Tries the forms that the text may be.
    fn search(
        &mut self,
        text: &[u8],
        site: Site<'_>,
        width: Option<u32>,
        relaxed: bool,
        mut trace: Option<&mut Trace>,
    ) -> Found {
        let mut has = Bytes::default();
        text.iter().for_each(|&byte| has.add(byte));
        let mut found = Found::Nothing;
        let mut candidates = std::mem::take(&mut self.candidates);
        for place in Index::places(text) {
            candidates.clear();
            self.index.keys.prefixes(text.get(place..).unwrap_or(&[]), |_, form| candidates.push(form));
            // The longest key first.
            for &form in candidates.iter().rev() {
                self.try_form(form, text, &has, site, width, relaxed, &mut found, trace.as_deref_mut());
            }
            if !matches!(found, Found::Nothing) {
                break;
            }
        }
        self.candidates = candidates;
        if matches!(found, Found::Nothing) {
            for i in 0..self.index.others.len() {
                let Some(&form) = self.index.others.get(i) else { break };
                self.try_form(form, text, &has, site, width, relaxed, &mut found, trace.as_deref_mut());
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
        has: &Bytes,
        site: Site<'_>,
        width: Option<u32>,
        relaxed: bool,
        found: &mut Found,
        trace: Option<&mut Trace>,
    ) {
        let Some(&form) = self.index.forms.get(number as usize) else { return };
        let Some(cell) = self.programs.get(number as usize) else { return };
        let id = form.encoding;
        let program = cell.get_or_init(|| compile::compile(self.plan, id, form.case).map(Box::new));
        let Some(program) = program.as_deref() else { return };
        let encoding_width = self.plan.isa()[id].width;
        if self.machine.steps > MAX_LINE_STEPS
            || width.is_some_and(|width| width != encoding_width)
            || (!relaxed && program.needs.set.iter().zip(has.set).any(|(needs, has)| needs & !has != 0))
        {
            return;
        }
        // Another text of an encoding that has been found is no other meaning.
        let known = |found: &Found| match found {
            Found::Nothing => false,
            Found::One(_, known) => *known == id,
            Found::Several(words) => words.iter().any(|(_, known)| *known == id),
        };
        if known(found) {
            return;
        }
        let tracing = trace.is_some();
        let compat = self.check.compat;
        let input = Input { isa: self.plan.isa(), text, relaxed, whole: tracing, names: self.names, site, compat };
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
                true => check.print_alias(word, encoding_width, id, form.case),
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
        *found = match std::mem::replace(found, Found::Nothing) {
            Found::Nothing => Found::One(word, id),
            Found::One(other, known) if other == word => Found::One(other, known),
            Found::One(other, known) => Found::Several(vec![(other, known), (word, id)]),
            Found::Several(mut words) => {
                if words.len() < MAX_AMBIGUOUS && words.iter().all(|(known, _)| *known != word) {
                    words.push((word, id));
                }
                Found::Several(words)
            }
        };
    }

    /// Says why a text is no instruction, by reading it once more with notes.
    fn explain(&mut self, text: &[u8], site: Site<'_>, width: Option<u32>) -> Failure {
        let mut trace = Trace::default();
        self.machine.steps = 0;
        self.check.tried = 0;
        self.search(text, site, width, true, Some(&mut trace));
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

/// Assembles any bytes and checks what must hold for every source: errors have a place in it, and every instruction
/// that is found is one, of the length that was set aside for it. For fuzzing.
///
/// # Panics
/// If that does not hold.
pub fn fuzz_source(plan: &Plan<'_>, text: &[u8]) {
    let names = Names::default();
    let mut assembler = Assembler::new(plan, &names, Compat::default());
    let mut files = isaglot_source::SourceMap::new();
    let file = files.add("fuzz", text);
    let mut out = isaglot_source::Diagnostics::new();
    let image = source::assemble(&mut assembler, file, text, true, &mut out);
    assert_eq!(image.is_none(), out.has_errors(), "errors exactly if there is no program");
    for problem in &out {
        let placed = problem.span().is_none_or(|span| span.start <= span.end && span.end as usize <= text.len());
        assert!(placed, "`{}` stands outside of the source", problem.message);
    }
    for listed in image.iter().flat_map(|image| &image.listed) {
        let whole = image.as_ref().and_then(|image| image.sections.get(listed.section as usize));
        assert!(
            whole.is_some_and(|section| listed.end <= section.bytes.len() as u64),
            "a place outside of its section"
        );
    }
}
