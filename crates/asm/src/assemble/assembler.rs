//! The assembler of single instructions.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_invariant::Impossible as _;
use rustc_hash::FxHashSet;

use super::check::Check;
use super::compile::Tables;
use super::failure::Failure;
use super::hazard::Suspects;
use super::index::Index;
use super::lacking::{self, Lacking};
use super::leaf::Leaves;
use super::limits::MAX_LINE;
use super::machine::Machine;
use super::memo::{self, Key, Memo};
use super::number;
use super::program::Program;
use super::query::Query;
use super::respell::respelled;
use super::symbol::Site;
use crate::names::Names;
use crate::options::Compat;

/// Assembles single instructions of one plan. Not shared between threads; make one for each.
#[derive(Debug)]
pub struct Assembler<'p, 'a> {
    pub(super) plan: &'p Plan<'a>,
    pub(crate) names: &'p Names,
    pub(super) index: Index,
    pub(super) programs: Vec<OnceCell<Option<Box<Program>>>>,
    pub(super) tables: Tables,
    /// The texts of so many tables.
    texts: (FxHashSet<Box<[u8]>>, usize),
    pub(super) machine: Machine,
    pub(super) check: Check<'p, 'a>,
    pub(super) candidates: Vec<u32>,
    pub(super) memo: Memo,
    /// Forms of lines that end in a symbol which is not known yet.
    pub(super) forms: Memo,
    /// The lengths in bits that the last line with a symbol which is not known yet may have, the shortest first, each with
    /// its form.
    pub(super) lengths: Vec<(u32, u32)>,
    pub(super) limbs: usize,
    /// A text is the instruction that prints as it, and if there is none, the longest that it may be.
    pub(super) exact: bool,
    /// A text must be what the disassembler prints, but for symbols.
    pub(super) strict: bool,
    /// Of two sub-encodings of one text that is meant which the description's own packer takes.
    pub(super) packer: bool,
    /// A form was met for which [`How::Named`](super::query::How) is a way of its own.
    pub(super) exact_names: bool,
    /// The name of a leaf may stand for a mnemonic that several leaves have.
    pub(super) leaf_names: bool,
    /// Texts that may look like syntax; found when a source is assembled.
    suspects: OnceCell<Arc<Suspects>>,
    /// Leaves that share a mnemonic; found when one may be meant.
    pub(super) leaves: OnceCell<Leaves>,
    /// Mnemonics that other features or gens have; filled when one is asked for.
    lacking: OnceCell<BTreeMap<String, Lacking>>,
}

/// What may come next in a text ([`Assembler::next`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Next {
    /// Where the last word of the text begins, as a byte offset: the end, if it does not end in one.
    pub from: usize,
    /// Texts that can stand from there on, in place of that word.
    pub texts: Vec<String>,
    /// Texts that can stand after it.
    pub after: Vec<String>,
    /// What else can stand at the end of the text, for people: `a number from 0 to 31 (IMM)`.
    pub kinds: Vec<String>,
}

/// What is known of a line that differs from an earlier one in nothing but the symbol at its end.
#[derive(Clone, Copy)]
pub(crate) struct Recalled {
    pub(crate) form: u32,
    pub(crate) bits: u32,
    /// What a caller of [`Assembler::keep`] notes.
    pub(crate) note: u32,
}

/// What [`Assembler::measure`] knows of a line.
pub(crate) enum Met {
    /// Its word, whatever symbols stand for.
    Word(Word),
    /// The line is as one that was kept, but for the symbol at its end; where that begins.
    Recalled(Recalled, usize),
    /// It is new. It may be kept if it ends in a symbol: where that begins.
    New { made: Made, symbol: Option<usize> },
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
        let forms = index.forms.len();
        let width = plan.isa()[plan.isa().root()].width;
        Assembler {
            plan,
            names,
            index,
            programs,
            tables: Tables::default(),
            texts: Default::default(),
            machine: Machine::default(),
            check: Check::new(plan, names, compat, forms),
            candidates: Vec::new(),
            memo: Memo::default(),
            forms: Memo::default(),
            lengths: Vec::new(),
            limbs: width.div_ceil(64) as usize,
            exact: false,
            strict: false,
            leaf_names: false,
            packer: false,
            exact_names: false,
            suspects: OnceCell::new(),
            leaves: OnceCell::new(),
            lacking: OnceCell::new(),
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

    /// Chooses how a text is read that several instructions may be: as the one that prints as it (true), or the shortest.
    pub(super) fn set_exact(&mut self, exact: bool) {
        if self.exact != exact {
            self.exact = exact;
            // What was kept is right for the other way.
            (self.memo, self.forms) = (Memo::default(), Memo::default());
        }
    }

    /// Chooses whether a text must be what the disassembler prints.
    pub(super) fn set_strict(&mut self, strict: bool) {
        if self.strict != strict {
            self.strict = strict;
            (self.memo, self.forms) = (Memo::default(), Memo::default());
        }
    }

    /// Chooses whether a text is read as the description's own packer takes it.
    pub(crate) fn set_packer(&mut self, packer: bool) {
        if self.packer != packer {
            self.packer = packer;
            // What was compiled and kept is right for the other way.
            self.programs = self.index.forms.iter().map(|_| OnceCell::new()).collect();
            (self.memo, self.forms) = (Memo::default(), Memo::default());
        }
    }

    /// The texts that may look like syntax of a source.
    pub(super) fn suspects(&self) -> Arc<Suspects> {
        Arc::clone(self.suspects.get_or_init(|| Arc::new(Suspects::of_plan(self.plan, self.names))))
    }

    /// Assembles a text that has no symbols.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn assemble(&mut self, text: &[u8]) -> Result<Word, Failure> {
        self.assemble_at(text, Site { symbol: &|_| None, here: 0, place_bytes: self.place_bytes() }, None)
    }

    /// What may come after a text that begins an instruction, by the forms of all instructions. The last word of the text may be the beginning of
    /// what comes.
    pub fn next(&mut self, text: &str) -> Next {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '%');
        let begun = text.trim_end_matches(is_part).len();
        let mut next = Next { from: begun, ..Next::default() };
        let part = text.get(begun..).unwrap_or_default();
        if text.get(..begun).is_none_or(|before| before.trim().is_empty()) {
            let words = self.index.words.iter().filter(|word| word.starts_with(part) && !part.is_empty());
            next.texts = words.cloned().collect();
        }
        // What replaces the last word, and what comes after it as it is.
        for at in [begun, text.len()] {
            let before = text.get(..at).unwrap_or_default();
            // No instruction has this character, so a form goes as far as the text and no further.
            let marked = format!("{}\u{1}", before.trim_start());
            if before.trim().is_empty() || marked.len() > MAX_LINE {
                continue;
            }
            let site = Site { symbol: &|_| None, here: 0, place_bytes: self.place_bytes() };
            let (place, texts, expected) = self.expected(&Query::new(marked.as_bytes(), site, None));
            if place + 1 < marked.len() {
                continue;
            }
            if at == begun {
                next.texts.extend(texts.into_iter().filter(|text| text.starts_with(part) && text != part));
            } else {
                next.after.extend(texts);
            }
            if at == text.len() || part.is_empty() {
                next.kinds = expected.into_iter().filter(|what| !what.starts_with('`') && what != "a blank").collect();
            }
            if part.is_empty() {
                break;
            }
        }
        next
    }

    /// What a mnemonic needs that is not there with these features and this gen; `None` if it is there, or nowhere.
    #[must_use]
    pub fn lacking(&self, mnemonic: &str) -> Option<&Lacking> {
        if self.index.words.binary_search_by(|word| word.as_str().cmp(mnemonic)).is_ok() {
            return None;
        }
        self.lacking.get_or_init(|| lacking::all(self.plan)).get(mnemonic)
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
        if let Some(made) = self.with_edges(text, site, width) {
            return made;
        }
        let text = text.trim_ascii();
        if text.len() > MAX_LINE {
            return Err(Failure::TooLong);
        }
        if let Some(form) = form
            && let Some(reading) = self.again(&Query::new(&self.respelled(text), site, width), form)
        {
            return Ok(Made { word: reading.word, known: false, form: Some(form) });
        }
        let key = memo::key(text, width);
        if let Some((word, bits)) = key.as_ref().and_then(|key| self.memo.get(key)) {
            return Ok(Made { word: Word::from_u64(word, bits), known: true, form: None });
        }
        self.make_new(text, site, width, key.as_ref())
    }

    /// The word of a text with blanks around it, if it prints with them.
    fn with_edges(&mut self, text: &[u8], site: Site<'_>, width: Option<u32>) -> Option<Result<Made, Failure>> {
        if text.trim_ascii().len() == text.len() || text.len() > MAX_LINE || !self.suspects().has_edges() {
            return None;
        }
        let key = memo::key(text, width);
        if let Some((word, bits)) = key.as_ref().and_then(|key| self.memo.get(key)) {
            return Some(Ok(Made { word: Word::from_u64(word, bits), known: true, form: None }));
        }
        let found = self.find_exact(&Query::new(text, site, width))?;
        Some(found.map(|(reading, named)| {
            if let Some(key) = key.as_ref().filter(|_| !named) {
                self.memo.put(key, &reading.word);
            }
            Made { word: reading.word, known: !named, form: None }
        }))
    }

    /// The same for a text without blanks around it that is not kept.
    fn make_new(
        &mut self,
        text: &[u8],
        site: Site<'_>,
        width: Option<u32>,
        key: Option<&Key>,
    ) -> Result<Made, Failure> {
        // Whether a symbol was looked up: then the word may be another one elsewhere, and is not kept.
        let asked = Cell::new(false);
        let symbol = |name: &[u8]| {
            asked.set(true);
            (site.symbol)(name)
        };
        let text = self.respelled(text);
        let query = Query::new(&text, Site { symbol: &symbol, ..site }, width);
        let (reading, relaxed) = match self.find(&query) {
            Ok(found) => found,
            Err(failure) => self.by_leaf(&query).unwrap_or(Err(failure))?,
        };
        let known = !asked.get();
        if self.strict && relaxed && known {
            let prints = String::from_utf8_lossy(&self.check.printed).into_owned();
            return Err(Failure::Inexact { prints });
        }
        if known && let Some(key) = key {
            self.memo.put(key, &reading.word);
        }
        Ok(Made { word: reading.word, known, form: relaxed.then_some(reading.form) })
    }

    /// What [`Assembler::make`] gives for a line whose symbols are not known, with less work for one that was met before.
    pub(crate) fn measure(&mut self, text: &[u8], site: Site<'_>, width: Option<u32>) -> Result<Met, Failure> {
        if let Some(made) = self.with_edges(text, site, width) {
            return made.map(|made| if made.known { Met::Word(made.word) } else { Met::New { made, symbol: None } });
        }
        let text = text.trim_ascii();
        if text.len() > MAX_LINE {
            return Err(Failure::TooLong);
        }
        let symbol = self.last_symbol(text);
        if let Some(at) = symbol
            && let Some((value, bits)) = memo::key_to(text, at, width).and_then(|key| self.forms.get(&key))
        {
            return Ok(Met::Recalled(Recalled { form: value as u32, bits, note: (value >> 32) as u32 }, at));
        }
        let key = memo::key(text, width);
        if let Some((word, bits)) = key.as_ref().and_then(|key| self.memo.get(key)) {
            return Ok(Met::Word(Word::from_u64(word, bits)));
        }
        let made = self.make_new(text, site, width, key.as_ref())?;
        let symbol = symbol.filter(|_| self.machine.later && made.form.is_some());
        Ok(if made.known { Met::Word(made.word) } else { Met::New { made, symbol } })
    }

    /// Keeps what is known of a line that ends in a symbol at `at`.
    pub(crate) fn keep(&mut self, text: &[u8], at: usize, width: Option<u32>, recalled: Recalled) {
        if let Some(key) = memo::key_to(text, at, width) {
            self.forms.keep(&key, u64::from(recalled.note) << 32 | u64::from(recalled.form), recalled.bits);
        }
    }

    /// Whether a text is an instruction by this form, with what its symbols are at that site.
    pub(crate) fn fits(&mut self, text: &[u8], site: Site<'_>, form: u32) -> bool {
        self.again(&Query::new(&self.respelled(text), site, None), form).is_some()
    }

    /// The text as it prints, as far as mnemonics and octal numbers go.
    fn respelled<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        respelled(text, self.plan.isa().spelling(), &self.index.words)
    }

    /// Where the symbol at the end of a line begins; `None` if something else may be meant there.
    fn last_symbol(&mut self, text: &[u8]) -> Option<usize> {
        let is_part = |byte: &u8| number::is_word(*byte) || matches!(byte, b'.' | b'$' | b'@');
        let at = text.iter().rposition(|byte| !is_part(byte))? + 1;
        let name = text.get(at..).or_impossible(&[]);
        let begins = name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.'));
        let is_float = || name.starts_with(b"inf") || name.starts_with(b"nan");
        (begins && self.names.is_empty() && !is_float() && !self.is_text(name)).then_some(at)
    }

    /// Whether a name is a text of a table: of a register, say.
    fn is_text(&mut self, name: &[u8]) -> bool {
        // Tables are made with the forms that need them.
        if self.texts.1 != self.tables.len() {
            let texts = self.tables.values().flat_map(|table| &table.shown);
            self.texts = (texts.cloned().collect(), self.tables.len());
        }
        self.texts.0.contains(name)
    }
}
