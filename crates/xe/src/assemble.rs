//! Text into a binary: layout, branch distances, short forms.

use isaglot_codec::Values;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};

use crate::inst::{Form, Inst, Kind};
use crate::isa::Xe;
use crate::parse::{DISTANCE, Source};

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

/// A word that is laid out.
#[derive(Clone, Copy)]
struct Placed {
    pc: u32,
    short: bool,
    word: u128,
}

impl Xe {
    /// Assembles a text; every problem is added to `out`, and with an error among them there is no binary.
    pub fn assemble(
        &mut self,
        file: FileId,
        text: &[u8],
        compaction: Compaction,
        out: &mut Diagnostics,
    ) -> Option<Vec<u8>> {
        let before = out.error_count();
        let source = self.parse(file, text, out);
        let bytes = self.lay_out(&source, compaction, out);
        (out.error_count() == before).then_some(bytes)
    }

    pub(crate) fn lay_out(&mut self, source: &Source, compaction: Compaction, out: &mut Diagnostics) -> Vec<u8> {
        let mut values = Values::default();
        let mut placed = Vec::with_capacity(source.lines.len());
        let mut pc = 0u32;
        for line in &source.lines {
            let i = &line.inst;
            // A branch is never short, so its size is known before its distance is.
            let (short, word) =
                if i.form.branches() { (false, 0) } else { self.one(i, line.span, compaction, &mut values, out) };
            placed.push(Placed { pc, short, word });
            pc += if short { 8 } else { 16 };
        }
        for label in source.labels.iter().filter(|l| l.at.is_none()) {
            let d = Diagnostic::error("xe-label", format!("label `{}` is not defined", label.name));
            out.push(d.label(label.span, "named here"));
        }
        let mut bytes = Vec::with_capacity(pc as usize);
        for (line, place) in source.lines.iter().zip(&placed) {
            let mut word = place.word;
            if line.inst.form.branches() {
                let mut i = line.inst;
                let absolute = i.form == Form::Call && self.op(i.op).name == "calla";
                for o in i.srcs.iter_mut().filter(|o| o.kind == Kind::Label) {
                    let at = if o.len != DISTANCE {
                        source.labels.get(o.imm as usize).and_then(|l| l.at)
                    } else if absolute && o.imm % 16 == 0 && o.imm / 16 <= placed.len() as u64 {
                        // An address names the instruction that stands there before any becomes short.
                        Some((o.imm / 16) as usize)
                    } else {
                        continue;
                    };
                    let target = at.map_or(0, |n| placed.get(n).map_or(pc, |p| p.pc));
                    let base = if absolute { 0 } else { i64::from(place.pc) };
                    o.imm = (i64::from(target) - base) as u64;
                }
                word = self.one(&i, line.span, Compaction::Off, &mut values, out).1;
            }
            if place.short {
                bytes.extend_from_slice(&(word as u64).to_le_bytes());
            } else {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
        bytes
    }

    /// Encodes one instruction, in its short form if that is wanted and there is one.
    pub(crate) fn one(
        &mut self,
        i: &Inst,
        span: Span,
        compaction: Compaction,
        values: &mut Values,
        out: &mut Diagnostics,
    ) -> (bool, u128) {
        let word = match self.encode(i, values) {
            Ok(word) => word,
            Err(e) => {
                let d = Diagnostic::error("xe-encoding", e.message()).label(span, "cannot be encoded");
                out.push(d.note(format!("on {}", self.platform.name())));
                return (false, 0);
            }
        };
        let wanted = match compaction {
            Compaction::Off => false,
            Compaction::Marked => i.opts.compacted,
            Compaction::Auto => !i.opts.no_compact,
        };
        if wanted {
            if let Some(short) = self.compact(i, word) {
                return (true, short.into());
            }
            if i.opts.compacted {
                let d = Diagnostic::error("xe-compaction", "the instruction has no short form");
                out.push(d.label(span, "says {Compacted}"));
            }
        }
        (false, word)
    }
}
