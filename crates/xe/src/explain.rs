//! One word for people: its text, piece by piece, with the fields that each piece comes from; and what its short form is
//! made of.
//!
//! Nothing here knows a bit: which fields a piece depends on is what the printer keeps its texts by (`parts.rs`), where
//! these are the description says, and so does it what the parts of a short form become.

use std::borrow::Cow;

use isaglot_codec::{Match, Slot, Values};
use isaglot_model::{ExpandStep, Expansion};

use crate::decode::BadWord;
use crate::inst::{Form, Inst};
use crate::isa::Xe;
pub use crate::message::Descriptor;
use crate::parts::{Part, Parts, head_slots};
use crate::print::TextOptions;
use crate::stream::RawWord;

/// A word and what it says.
#[derive(Clone, Debug)]
pub struct Reading<'d> {
    /// The long form.
    pub long: u128,
    /// The short form, if it is one or has one.
    pub short: Option<u64>,
    /// The text at offset 0, with single blanks.
    pub text: String,
    /// The text in pieces.
    pub pieces: Vec<TextPiece<'d>>,
    /// The descriptor and the extended descriptor of a message, as far as they are immediates that the description reads.
    pub descriptors: [Option<Descriptor>; 2],
    /// What is wrong with the word; then there is no text.
    pub problem: Option<String>,
}

/// A piece of the text.
#[derive(Clone, Debug)]
pub struct TextPiece<'d> {
    /// What it is.
    pub what: &'static str,
    /// Where in the text it begins, in bytes.
    pub start: usize,
    /// The piece.
    pub text: String,
    /// The fields that it depends on, by name.
    pub fields: Vec<Cow<'d, str>>,
}

/// What a short form is made of: each step that applies, with its bits as a number.
pub type ShortForm<'d> = (&'d Expansion, Vec<(&'d ExpandStep, u64)>);

impl Reading<'_> {
    /// The same without the description.
    #[must_use]
    pub fn into_owned(self) -> Reading<'static> {
        let piece = |TextPiece { what, start, text, fields }: TextPiece<'_>| {
            let fields = fields.into_iter().map(|name| Cow::Owned(name.into_owned())).collect();
            TextPiece { what, start, text, fields }
        };
        let Reading { long, short, text, pieces, descriptors, problem } = self;
        let pieces = pieces.into_iter().map(piece).collect();
        Reading { long, short, text, pieces, descriptors, problem }
    }
}

impl<'d> Xe<'d> {
    /// Takes a word apart.
    ///
    /// # Errors
    /// If it belongs to no operation.
    pub fn reading(&mut self, raw: RawWord) -> Result<Reading<'d>, BadWord> {
        let (encoding, long) = if raw.short {
            let (id, long) = self.expander.expand(raw.word as u64).ok_or(BadWord::Compact)?;
            if self.flat.select(long) != Match::One(id) {
                return Err(BadWord::Compact);
            }
            (id, long)
        } else {
            let Match::One(id) = self.flat.select(raw.word) else { return Err(BadWord::Opcode) };
            (id, raw.word)
        };
        let op = self.op_of(encoding).ok_or(BadWord::Opcode)?;
        let short = if raw.short { Some(raw.word as u64) } else { self.expander.compact(encoding, long) };
        let mut values = Values::default();
        let mut reading =
            Reading { long, short, text: String::new(), pieces: Vec::new(), descriptors: [None, None], problem: None };
        match self.decode_as(encoding, op, long, &mut values) {
            Ok(mut inst) => {
                inst.opts.compacted = raw.short;
                let shape = self.flat.shape_of(encoding, long);
                for (what, text, slots) in self.pieces(&inst) {
                    if text.is_empty() {
                        continue;
                    }
                    if !reading.text.is_empty() {
                        reading.text.push(' ');
                    }
                    let start = reading.text.len();
                    reading.text.push_str(&text);
                    let has = |slot: &u8| {
                        slots >> slot & 1 != 0 && self.flat.shape(shape).is_some_and(|s| s.has(Slot(*slot)))
                    };
                    let fields = (0..isaglot_codec::limits::MAX_SLOTS as u8).filter(has);
                    let fields = fields.map(|slot| Cow::Borrowed(self.flat.name(Slot(slot)))).collect();
                    reading.pieces.push(TextPiece { what, start, text, fields });
                }
                reading.descriptors = self.descriptors(&inst);
            }
            Err(why) => reading.problem = Some(why.message()),
        }
        Ok(reading)
    }

    /// What a short form is made of.
    pub fn short_form(&self, word: u64) -> Option<ShortForm<'d>> {
        self.expander.steps(word)
    }

    /// What each piece is, its text, and the fields that it depends on, as bits by slot.
    fn pieces(&self, i: &Inst) -> Vec<(&'static str, String, u128)> {
        let options = TextOptions::default();
        let made = |make: &dyn Fn(&mut Vec<u8>)| {
            let mut text = Vec::new();
            make(&mut text);
            String::from_utf8_lossy(&text).trim().to_owned()
        };
        let [predicate, mnemonic, channels, modifier] = head_slots(self);
        let slots = Parts::text_slots(self, i.form);
        let mut all = vec![
            ("predicate", made(&|out| self.predicate(i, out)), predicate),
            (
                "operation",
                made(&|out| {
                    out.extend_from_slice(self.op(i.op).name.as_bytes());
                    self.function(i, &options, out);
                }),
                mnemonic,
            ),
            ("channels", made(&|out| self.channels(i, out)), channels),
            ("flag modifier", made(&|out| self.flag_modifier(i, out)), modifier),
        ];
        let mut add = |what, part: Part| {
            let text = made(&|out| {
                self.part(i, part, 0, &options, out);
            });
            all.push((what, text, slots[part as usize]));
        };
        if i.form == Form::Send {
            add("destination", Part::Dst);
            add("first payload", Part::Src0);
            add("second payload", Part::Src1);
            add("extended descriptor", Part::ExDesc);
            add("descriptor", Part::Desc);
        } else {
            if i.form.has_dst() {
                add("destination", Part::Dst);
            }
            let sources = [("first source", Part::Src0), ("second source", Part::Src1), ("third source", Part::Src2)];
            for (what, part) in sources.into_iter().take(i.src_count.into()) {
                add(what, part);
            }
        }
        add("options", Part::Tail);
        if i.form == Form::Send {
            add("comment", Part::Comment);
        }
        all
    }
}
