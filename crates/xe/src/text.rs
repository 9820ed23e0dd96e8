//! A binary as text, piece by piece: the fast way, which keeps no program in memory.
//!
//! Labels come from a first pass that decodes branches only; then each word is printed as it was the last time, or from
//! the texts of its parts (see `parts.rs`), and only what is new among them is decoded. [`Xe::print`] is the plain way to
//! the same text.

use isaglot_codec::{Match, ShapeId, Values};
use isaglot_model::EncodingId;
use isaglot_source::{Diagnostic, Diagnostics};

use crate::decode::BadWord;
use crate::inst::{Form, Inst};
use crate::isa::Xe;
use crate::known::Known;
use crate::limits::{KEPT_CLAIMS, KEPT_LINE, TEXT_CHUNK};
use crate::parts::{Part, Parts, Shown};
use crate::print::{TextOptions, bad_word, prefix};
use crate::recent::{Met, Recent, hash_word};
use crate::stream::{Outline, RawWord};
use crate::whole_text::WholeTexts;

/// What is wrong with a binary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Invalid words.
    pub bad: Vec<(RawWord, BadWord)>,
    /// Offset after the last whole instruction.
    pub end: u32,
    /// Bytes after it that are less than an instruction.
    pub tail: u32,
}

impl Findings {
    /// As diagnostics: bad words, each with its place, and bytes that are left over of a binary of `size` bytes.
    #[must_use]
    pub fn diagnostics(&self, size: usize) -> Diagnostics {
        let mut all = Diagnostics::new();
        for (raw, why) in &self.bad {
            let digits = if raw.short { 16 } else { 32 };
            let message = format!("byte offset 0x{:X}: error: {}", raw.pc, why.message());
            all.push(Diagnostic::error("xe-word", message).note(format!("the word is 0x{:0digits$X}", raw.word)));
        }
        if (1..8).contains(&size) {
            all.push(Diagnostic::error("xe-size", "binary size is too small").note("an instruction has 8 or 16 bytes"));
        } else if self.tail > 0 {
            let message = format!("unexpected padding at end of kernel, offset 0x{:X}", self.end);
            all.push(Diagnostic::warning("xe-padding", message));
        }
        all
    }
}

/// Words of a binary, with the texts of their parts.
pub(crate) struct Words<'a, 'd> {
    pub(crate) xe: &'a mut Xe<'d>,
    pub(crate) parts: Parts,
    values: Values,
    /// By the lowest byte of a word, the bits that decide whose it is.
    deciding: Vec<u128>,
    /// Words that were claimed, as these bits say.
    claims: Known<Claim>,
}

/// Who claimed words with some bits.
#[derive(Clone, Copy)]
struct Claim {
    bits: u128,
    encoding: EncodingId,
    shape: ShapeId,
    op: u8,
    form: Form,
    kept: bool,
}

/// A word that an operation claims.
#[derive(Clone, Copy)]
pub(crate) struct Claimed {
    pub(crate) raw: RawWord,
    /// The long form.
    long: u128,
    encoding: EncodingId,
    shape: ShapeId,
    op: u8,
    pub(crate) form: Form,
    /// Whether texts of its parts are kept.
    pub(crate) kept: bool,
}

impl<'a, 'd> Words<'a, 'd> {
    pub(crate) fn new(xe: &'a mut Xe<'d>, parts: Parts) -> Words<'a, 'd> {
        let deciding = xe.flat.deciding();
        Words { xe, parts, values: Values::default(), deciding, claims: Known::new(KEPT_CLAIMS) }
    }

    /// The operation that a word belongs to.
    #[inline]
    pub(crate) fn claim(&mut self, raw: RawWord) -> Result<Claimed, BadWord> {
        let (encoding, long) = if raw.short {
            let (encoding, long) = self.xe.expander.expand(raw.word as u64).ok_or(BadWord::Compact)?;
            (Some(encoding), long)
        } else {
            (None, raw.word)
        };
        let bits = long & self.deciding.get(usize::from(long as u8)).copied().unwrap_or(u128::MAX);
        let hash = hash_word(bits);
        let known = self.claims.get(hash, |claim| claim.bits == bits && encoding.is_none_or(|e| e == claim.encoding));
        if let Some(known) = known {
            return Ok(known.of(raw, long));
        }
        self.new_claim((bits, hash), encoding, (raw, long))
    }

    #[inline(never)]
    fn new_claim(
        &mut self,
        (bits, hash): (u128, u64),
        encoding: Option<EncodingId>,
        (raw, long): (RawWord, u128),
    ) -> Result<Claimed, BadWord> {
        let found = self.xe.flat.select(long);
        let encoding = match (encoding, found) {
            (Some(encoding), _) | (None, Match::One(encoding)) => encoding,
            _ => return Err(BadWord::Opcode),
        };
        if found != Match::One(encoding) {
            return Err(BadWord::Compact);
        }
        let op = self.xe.op_of(encoding).ok_or(BadWord::Opcode)?;
        let shape = self.xe.flat.shape_of(encoding, long);
        let kept = self.parts.plan(self.xe, op, shape);
        let claim = Claim { bits, encoding, shape, op, form: self.xe.op(op).form, kept };
        self.claims.keep(hash, claim);
        Ok(claim.of(raw, long))
    }

    /// The instruction.
    pub(crate) fn decode(&mut self, c: &Claimed) -> Result<Inst, BadWord> {
        let mut inst = self.xe.decode_as(c.encoding, c.op, c.long, &mut self.values)?;
        inst.opts.compacted = c.raw.short;
        Ok(inst)
    }

    /// Adds the text of a part. If it is not kept, the word is decoded, once, and `make` makes it.
    #[inline]
    pub(crate) fn part(
        &mut self,
        c: &Claimed,
        part: Part,
        decoded: &mut Option<Inst>,
        out: &mut Vec<u8>,
        make: impl FnOnce(&Xe<'d>, &Inst, &mut Vec<u8>) -> Shown,
    ) -> Result<Shown, BadWord> {
        let part = if part == Part::Tail && c.raw.short { Part::ShortTail } else { part };
        if let Some(shown) = self.parts.add(c.shape, part, c.long, out) {
            return Ok(shown);
        }
        let inst = match decoded {
            Some(inst) => inst,
            None => decoded.insert(self.decode(c)?),
        };
        let start = out.len();
        let shown = make(self.xe, inst, out);
        let text = out.get(start..).unwrap_or(&[]);
        self.parts.keep(c.shape, part, c.long, (text, shown));
        Ok(shown)
    }
}

impl Claim {
    #[inline]
    fn of(&self, raw: RawWord, long: u128) -> Claimed {
        let Claim { encoding, shape, op, form, kept, .. } = *self;
        Claimed { raw, long, encoding, shape, op, form, kept }
    }
}

/// The line of a word, without its label and prefix.
#[derive(Clone, Copy)]
struct Line {
    word: u128,
    encoding: EncodingId,
    short: bool,
    length: u8,
    text: [u8; KEPT_LINE],
}

/// Words as lines of text, with what is kept of earlier ones.
pub struct Lines<'a, 'd> {
    words: Words<'a, 'd>,
    /// Lines of words that say the same wherever they stand.
    lines: Recent<Line>,
    /// Forms of lines.
    whole: WholeTexts,
    options: TextOptions,
}

/// A binary that is being printed.
pub struct Printer<'a, 'd> {
    lines: Lines<'a, 'd>,
    bytes: &'a [u8],
    outline: Outline,
    /// The next of the outline's starts, and the offset that comes next.
    block: usize,
    at: usize,
    bad: Vec<(RawWord, BadWord)>,
    done: bool,
}

/// Bytes of text that one instruction hardly ever exceeds.
const USUAL_ROOM: usize = 1024;

/// Bytes that most lines do not exceed.
const USUAL_LINE: usize = 96;

impl<'a, 'd> Printer<'a, 'd> {
    /// Prints `bytes`.
    pub fn new(xe: &'a mut Xe<'d>, bytes: &'a [u8], options: TextOptions) -> Printer<'a, 'd> {
        let outline = xe.outline(bytes);
        Printer { lines: Lines::new(xe, options), bytes, outline, block: 0, at: 0, bad: Vec::new(), done: false }
    }

    /// Adds the next lines, some tens of kilobytes. Whether there may be more.
    pub fn fill(&mut self, out: &mut Vec<u8>) -> bool {
        let full = out.len() + TEXT_CHUNK;
        while out.len() < full {
            let Some(raw) = RawWord::at(self.bytes, self.at) else {
                if !std::mem::replace(&mut self.done, true) && !self.bytes.is_empty() {
                    self.label(out);
                }
                return false;
            };
            out.reserve(USUAL_ROOM);
            self.label(out);
            self.at += raw.size() as usize;
            prefix(raw, &self.lines.options, out);
            let start = out.len();
            if let Err(why) = self.lines.line(raw, out) {
                out.truncate(start);
                bad_word(raw, why, out);
                self.bad.push((raw, why));
            }
            out.push(b'\n');
        }
        true
    }

    /// What was wrong so far.
    pub fn findings(self) -> Findings {
        Findings { bad: self.bad, end: self.outline.end, tail: self.outline.tail }
    }

    /// The label here, if a block begins.
    fn label(&mut self, out: &mut Vec<u8>) {
        while let Some(start) = self.outline.starts.get(self.block).filter(|s| **s as usize <= self.at) {
            if *start as usize == self.at && self.outline.end > 0 {
                crate::print::label_line(*start, &self.lines.options, out);
            }
            self.block += 1;
        }
    }
}

impl<'a, 'd> Lines<'a, 'd> {
    /// Nothing is kept yet.
    pub fn new(xe: &'a mut Xe<'d>, options: TextOptions) -> Lines<'a, 'd> {
        let words = Words::new(xe, Parts::new(false));
        Lines { words, lines: Recent::new(), whole: WholeTexts::new(), options }
    }

    /// Adds the line of a word to `out`, without its label, offset and bits, and gives the encoding of the word's long form.
    ///
    /// # Errors
    /// What is wrong with the word; something may have been added then.
    pub fn line(&mut self, raw: RawWord, out: &mut Vec<u8>) -> Result<EncodingId, BadWord> {
        let hash = hash_word(raw.word);
        let start = out.len();
        let again = match self.lines.get(hash, |line| line.word == raw.word && line.short == raw.short) {
            Met::Kept(line) => {
                // Copies of fixed lengths are quicker than one of the right length.
                match line.text.first_chunk::<USUAL_LINE>().filter(|_| usize::from(line.length) <= USUAL_LINE) {
                    Some(text) => out.extend_from_slice(text),
                    None => out.extend_from_slice(&line.text),
                }
                out.truncate(start + usize::from(line.length));
                return Ok(line.encoding);
            }
            Met::Again => true,
            Met::New => false,
        };
        let (claimed, quick) = self.new_line(raw, out)?;
        let encoding = claimed.encoding;
        // What was costly is kept at once.
        if quick && !again || claimed.form.branches() {
            return Ok(encoding);
        }
        let mut text = [0; KEPT_LINE];
        if let Some(made) = out.get(start..)
            && let Some(room) = text.get_mut(..made.len())
        {
            room.copy_from_slice(made);
            let length = made.len() as u8;
            self.lines.put(hash, Line { word: raw.word, encoding, short: raw.short, length, text });
        }
        Ok(encoding)
    }

    /// The line of a word that is not known; whether its form was.
    fn new_line(&mut self, raw: RawWord, out: &mut Vec<u8>) -> Result<(Claimed, bool), BadWord> {
        let claimed = self.words.claim(raw)?;
        let form = claimed.form;
        if !claimed.kept || (self.options.ldst && form == Form::Send) {
            let inst = self.words.decode(&claimed)?;
            self.words.xe.print_inst(&inst, raw.pc, &self.options, out);
            return Ok((claimed, false));
        }
        let tail = if raw.short { Part::ShortTail } else { Part::Tail };
        if self.whole.add(&self.words.parts, (claimed.shape, tail), claimed.long, out).is_some() {
            return Ok((claimed, true));
        }
        let (words, options) = (&mut self.words, &self.options);
        let mut decoded = None;
        let platform = words.xe.platform;
        crate::print::layout(platform, form, options, out, &mut |part, out| {
            words.part(&claimed, part, &mut decoded, out, |xe, i, out| xe.part(i, part, raw.pc, options, out))
        })?;
        self.whole.learn(&self.words.parts, (form, claimed.shape), claimed.long);
        Ok((claimed, false))
    }
}
