//! What the description says about a word.
//!
//! A word is accepted if it is decoded without any complaint: the first parcel gives its length, one encoding of that length matches, and
//! printing it finds nothing wrong, such as a nested field without a meaning. Don't-care bits may have either value. The text is the one that
//! `isaglot disasm` prints, without labels. The slower engine is used, because it is the definition.

use std::cmp::Reverse;

use isaglot_asm::exact::{self, Line};
use isaglot_asm::labels::Places;
use isaglot_asm::{Assembler as Own, Compat, Hooks, Plain, Site};
use isaglot_bits::{BitRange, Word};
use isaglot_codec::{Match, Plan, Scopes};
use isaglot_model::{ByteOrder, EncodingId, Isa, WordFormat};
use isaglot_source::Diagnostic;

use crate::answer::{Answer, Decoder, Leaf, Near, Subject};

/// The decoder that a plan makes.
#[derive(Debug)]
pub struct Ours<'p, 'a> {
    scopes: Scopes<'p, 'a>,
    reader: Option<Own<'p, 'a>>,
}

impl<'p, 'a> Ours<'p, 'a> {
    /// For a description with what to decode for. Its texts are aliases if the plan has them on.
    #[must_use]
    pub fn new(plan: &'p Plan<'a>) -> Ours<'p, 'a> {
        Ours { scopes: Scopes::new(plan, true), reader: None }
    }

    /// The same with an assembler: texts of the other side that it takes for the same word are as good as ours.
    #[must_use]
    pub fn reading(mut self, reader: Own<'p, 'a>) -> Ours<'p, 'a> {
        self.reader = Some(reader);
        self
    }

    /// Whether it reads texts.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        self.reader.is_some()
    }

    /// What decodes.
    #[must_use]
    pub fn plan(&self) -> &'p Plan<'a> {
        self.scopes.plan()
    }

    /// The answer for one word.
    pub fn answer(&mut self, word: &Word) -> Answer {
        self.answer_with(word, &mut Plain)
    }

    /// The answer for one word, with hooks that add to its text.
    pub(crate) fn answer_with(&mut self, word: &Word, hooks: &mut dyn Hooks) -> Answer {
        let plan = self.scopes.plan();
        let Some(bits) = length(plan, word).filter(|bits| *bits <= word.width()) else { return Answer::Refused };
        let word = start(plan.isa().format(), word, bits);
        let Match::One(leaf) = plan.decode(&word) else { return Answer::Refused };
        // Bits that are not tested make no difference; a set one would be complained about.
        let word = word.and_not(&plan.isa()[leaf].dont_care.resized(bits));
        let mut text = Vec::new();
        let mut line = Line {
            out: &mut text,
            start: 0,
            position: 0,
            places: Places { bytes: 1 },
            targets: None,
            compat: Compat::default(),
        };
        let is_read = exact::instruction(&mut self.scopes, &word, hooks, &mut line);
        // Don't-care bits may be set, also those of a nested encoding.
        let is_wrong = self.scopes.errors.is_wrong();
        self.scopes.errors.clear();
        if !is_read || is_wrong {
            return Answer::Refused;
        }
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        Answer::Accepted { bits: Some(bits), text, leaf: Some(Leaf(leaf.0)) }
    }
}

/// How many bits the instruction has that begins with the first bits of a word; `None` if none begins so.
pub(crate) fn length(plan: &Plan<'_>, word: &Word) -> Option<u32> {
    let format = plan.isa().format();
    plan.length(&start(format, word, format.start_bits()))
}

/// The first `bits` bits of a word, in the order of memory.
pub(crate) fn start(format: &WordFormat, word: &Word, bits: u32) -> Word {
    let bits = bits.min(word.width());
    let low = match format.byte_order {
        ByteOrder::Little => 0,
        ByteOrder::Big => word.width() - bits,
    };
    word.slice(BitRange::new(low, bits))
}

impl Decoder for Ours<'_, '_> {
    fn answers(&mut self, words: &[Word]) -> Result<Vec<Answer>, Diagnostic> {
        Ok(words.iter().map(|word| self.answer(word)).collect())
    }
}

impl Subject for Ours<'_, '_> {
    fn name(&self, leaf: Leaf) -> String {
        let isa = self.plan().isa();
        isa.text(isa[EncodingId(leaf.0)].name).to_owned()
    }

    fn fits(&self, word: &Word) -> bool {
        length(self.plan(), word) == Some(word.width())
    }

    fn reads(&mut self, word: &Word, text: &str) -> bool {
        let Some(own) = &mut self.reader else { return false };
        let site = Site { symbol: &|_| None, here: 0, place_bytes: own.place_bytes() };
        let Ok(read) = own.assemble_at(text.as_bytes(), site, Some(word.width())) else { return false };
        let Match::One(leaf) = self.plan().decode(&read) else { return false };
        let ignored = self.plan().isa()[leaf].dont_care.resized(word.width());
        read.width() == word.width() && read.and_not(&ignored) == word.and_not(&ignored)
    }

    fn near(&self, word: &Word, leaf: Option<Leaf>, name: &str) -> Option<Near> {
        let id = leaf.map(|leaf| EncodingId(leaf.0)).or_else(|| nearest(self.plan(), word, name))?;
        let encoding = &self.plan().isa()[id];
        Some(Near {
            name: self.plan().isa().text(encoding.name).to_owned(),
            span: Some(encoding.span),
            doc: encoding.doc.clone(),
        })
    }
}

/// The encoding of the same length that misses a word by the fewest fixed bits, one that is called as the tool calls the word before all others; of
/// several the one with the most fixed bits: where a reader of the description looks.
fn nearest(plan: &Plan<'_>, word: &Word, name: &str) -> Option<EncodingId> {
    let isa: &Isa = plan.isa();
    let all = isa[isa.root()].encodings.iter().copied();
    let fits = all.filter(|id| isa[*id].width == word.width() && plan.active(&isa[*id]));
    fits.min_by_key(|id| {
        let encoding = &isa[*id];
        let missed = encoding.pattern.value().xor(word).and(encoding.pattern.care()).count_ones();
        (&*encoding.display_name != name, missed, Reverse(encoding.pattern.care().count_ones()))
    })
}
