//! Text into a binary: layout, branch distances, short forms.
//!
//! A line is encoded as soon as it is read; only branches are kept, until every label has its place. What a line without
//! labels becomes depends on its text alone, so a line that was met before is not read again.

use isaglot_codec::Values;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};

use crate::encode::EncodeError;
use crate::inst::{Form, Inst, XeOperandKind};
use crate::isa::Xe;
use crate::limits::KEPT_LINE;
use crate::parse::{DISTANCE, Line, Reader, SourceLabel};
use crate::recent::{Met, Recent, hash_text};
use crate::whole_word::{Tokens, WholeWords};

/// Which instructions take their short form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compaction {
    /// Those that say `{Compacted}`.
    #[default]
    Marked,
    /// All that can, but for those that say `{NoCompact}`.
    Auto,
    /// None.
    Off,
}

/// A binary, and the offsets and names of the labels of its source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedBinary {
    /// The instructions.
    pub bytes: Vec<u8>,
    /// Where labels are, and their names, in the order in which the source first names them.
    pub labels: Vec<(u32, String)>,
}

/// The word of a line that needs nothing but its own text.
#[derive(Clone, Copy)]
struct Known {
    word: u128,
    short: bool,
    length: u8,
    text: [u8; KEPT_LINE],
}

impl Known {
    fn is(&self, line: &[u8]) -> bool {
        self.text.get(..usize::from(self.length)) == Some(line)
    }
}

/// Words that are being laid out, one after the other; branches get theirs when every offset is known.
pub(crate) struct Layout {
    compaction: Compaction,
    bytes: Vec<u8>,
    /// The offset of each instruction.
    offsets: Vec<u32>,
    branches: Vec<(usize, Line)>,
    values: Values,
}

impl Layout {
    /// Nothing yet; the program will have `bytes` bytes, about.
    pub(crate) fn new(compaction: Compaction, bytes: usize) -> Layout {
        Layout {
            compaction,
            bytes: Vec::with_capacity(bytes),
            offsets: Vec::with_capacity(bytes / 16),
            branches: Vec::new(),
            values: Values::default(),
        }
    }

    /// The number of instructions so far.
    pub(crate) fn count(&self) -> usize {
        self.offsets.len()
    }

    fn end(&self) -> u32 {
        self.bytes.len() as u32
    }

    #[inline]
    fn put(&mut self, (short, word): (bool, u128)) {
        self.offsets.push(self.end());
        if short {
            self.bytes.extend_from_slice(&(word as u64).to_le_bytes());
        } else {
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
    }

    /// Adds an instruction, and gives its word, if that is known already and the instruction has one.
    pub(crate) fn push(&mut self, xe: &mut Xe, line: &Line, out: &mut Diagnostics) -> Option<(bool, u128)> {
        if line.inst.form.branches() {
            // A branch is never short, so its size is known before its distance is.
            self.branches.push((self.count(), *line));
            self.put((false, 0));
            return None;
        }
        let made = xe.one(&line.inst, line.span, self.compaction, &mut self.values, out);
        self.put(made.unwrap_or_default());
        made
    }

    /// The bytes, with the distances of branches.
    pub(crate) fn finish(mut self, xe: &mut Xe, labels: &[SourceLabel], out: &mut Diagnostics) -> Vec<u8> {
        for label in labels.iter().filter(|l| l.at.is_none()) {
            let d = Diagnostic::error("xe-label", format!("label `{}` is not defined", label.name));
            out.push(d.label(label.span, "named here"));
        }
        let (count, end) = (self.count(), self.end());
        for (number, line) in &self.branches {
            let pc = self.offsets.get(*number).copied().unwrap_or(end);
            let mut i = line.inst;
            let absolute = i.form == Form::Call && xe.op(i.op).name == "calla";
            for o in i.srcs.iter_mut().filter(|o| o.kind == XeOperandKind::Label) {
                let at = if o.len != DISTANCE {
                    labels.get(o.imm as usize).and_then(|l| l.at)
                } else if absolute && o.imm % 16 == 0 && o.imm / 16 <= count as u64 {
                    // An address names the instruction that stands there before any becomes short.
                    Some((o.imm / 16) as usize)
                } else {
                    continue;
                };
                let target = at.map_or(0, |n| self.offsets.get(n).copied().unwrap_or(end));
                let base = if absolute { 0 } else { i64::from(pc) };
                o.imm = (i64::from(target) - base) as u64;
            }
            let made = xe.one(&i, line.span, Compaction::Off, &mut self.values, out);
            if let Some((_, word)) = made
                && let Some(room) = self.bytes.get_mut(pc as usize..).and_then(|b| b.first_chunk_mut())
            {
                *room = word.to_le_bytes();
            }
        }
        self.bytes
    }
}

/// Whether the short form of an instruction is wanted.
fn wanted(i: &Inst, compaction: Compaction) -> bool {
    match compaction {
        Compaction::Off => false,
        Compaction::Marked => i.opts.compacted,
        Compaction::Auto => !i.opts.no_compact,
    }
}

/// Bytes of text for each of the binary, about.
const TEXT_PER_BYTE: usize = 5;

impl<'d> Xe<'d> {
    /// Assembles a text; every problem is added to `out`, and with an error among them there is no binary.
    pub fn assemble(
        &mut self,
        file: FileId,
        text: &[u8],
        compaction: Compaction,
        out: &mut Diagnostics,
    ) -> Option<Vec<u8>> {
        self.assemble_named(file, text, compaction, out).map(|made| made.bytes)
    }

    /// The same, and where the labels of the text are.
    pub fn assemble_named(
        &mut self,
        file: FileId,
        text: &[u8],
        compaction: Compaction,
        out: &mut Diagnostics,
    ) -> Option<NamedBinary> {
        let before = out.error_count();
        let mut reader = Reader::new(file, text);
        let mut layout = Layout::new(compaction, text.len() / TEXT_PER_BYTE);
        let (mut known, mut whole, mut tokens) = (Recent::new(), WholeWords::new(self), Tokens::new());
        while let Some(raw) = reader.line() {
            let hash = hash_text(raw.text);
            let again = match known.get(hash, |k: &Known| k.is(raw.text)) {
                Met::Kept(known) => {
                    layout.put((known.short, known.word));
                    continue;
                }
                Met::Again => true,
                Met::New => false,
            };
            let read = tokens.read(reader.from(raw), raw.text.len()).is_some();
            let known_form = if read { whole.word(self, &tokens) } else { None };
            let made = match known_form {
                Some(word) => {
                    layout.put((false, word));
                    Some((false, word))
                }
                None => {
                    let warnings = reader.warnings.len() + reader.warnings.dropped();
                    let line = match reader.read(self, raw, layout.count()) {
                        Ok(Some(line)) => line,
                        Ok(None) => continue,
                        Err(d) => {
                            out.push(*d);
                            continue;
                        }
                    };
                    let made = layout.push(self, &line, out);
                    if !raw.is_all(&line) || reader.warnings.len() + reader.warnings.dropped() != warnings {
                        continue;
                    }
                    if let Some((false, word)) = made
                        && read
                        && !wanted(&line.inst, compaction)
                    {
                        let operands = reader.operands.map(|at| at.wrapping_sub(raw.start()));
                        whole.learn(self, &tokens, (&line.inst, &operands), word);
                    }
                    made
                }
            };
            let mut text = [0; KEPT_LINE];
            // What was costly is kept at once.
            if (again || known_form.is_none())
                && let Some((short, word)) = made
                && let Some(room) = text.get_mut(..raw.text.len())
            {
                room.copy_from_slice(raw.text);
                known.put(hash, Known { word, short, length: raw.text.len() as u8, text });
            }
        }
        let place =
            |l: &SourceLabel| Some((layout.offsets.get(l.at?).copied().unwrap_or(layout.end()), l.name.clone()));
        let labels = reader.labels.iter().filter_map(place).collect();
        let bytes = layout.finish(self, &reader.labels, out);
        out.append(reader.warnings);
        (out.error_count() == before).then_some(NamedBinary { bytes, labels })
    }

    /// Where each instruction of a text that assembles stands. This reads the text once more: who needs no places does not
    /// pay for them.
    pub fn places(&self, file: FileId, text: &[u8]) -> Vec<Span> {
        let mut reader = Reader::new(file, text);
        let mut places = Vec::new();
        while let Some(raw) = reader.line() {
            if let Ok(Some(line)) = reader.read(self, raw, places.len()) {
                places.push(line.span);
            }
        }
        places
    }

    /// Encodes one instruction, in its short form if that is wanted and there is one; whether it is short, and the word.
    /// `None` if something is wrong with it.
    pub(crate) fn one(
        &mut self,
        i: &Inst,
        span: Span,
        compaction: Compaction,
        values: &mut Values,
        out: &mut Diagnostics,
    ) -> Option<(bool, u128)> {
        let word = match self.encode(i, values) {
            Ok(word) => word,
            Err(e) => {
                let code = if matches!(e, EncodeError::Option(_)) { "xe-option" } else { "xe-encoding" };
                let d = Diagnostic::error(code, e.message()).label(span, "cannot be encoded");
                out.push(d.note(format!("on {}", self.platform.name())));
                return None;
            }
        };
        if wanted(i, compaction) {
            if let Some(short) = self.compact(i, word) {
                return Some((true, short.into()));
            }
            if i.opts.compacted {
                let d = Diagnostic::error("xe-compaction", "the instruction has no short form");
                out.push(d.label(span, "says {Compacted}"));
                return None;
            }
        }
        Some((false, word))
    }
}
