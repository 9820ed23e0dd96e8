//! Texts of the description as an assembler reads them: the distance of a branch.
//!
//! The description prints the distance of a branch as a number. Some assemblers take a number for an address, and want `.+16` for a
//! distance. The printer marks these numbers, so that no other number of a text is taken for one.

use isaglot_asm::{Hooks, Value};
use isaglot_bits::Word;
use isaglot_model::{FieldType, Isa};

use crate::answer::Answer;
use crate::ours::Ours;

/// What stands before the distance of a branch: no text of a description has it.
const MARK: char = '\u{1}';

/// How an assembler reads texts.
#[derive(Debug)]
pub(crate) struct Spelling {
    /// The names of fields that are distances.
    names: Vec<String>,
    /// What stands for a distance, with `{distance}` in it.
    distance: String,
}

impl Spelling {
    /// For the instructions of a description.
    pub(crate) fn new(isa: &Isa, distance: &str) -> Spelling {
        let cases = isa.encodings().iter().flat_map(|encoding| &encoding.cases);
        let fields = cases.flat_map(|case| &case.fields);
        let is_distance = |ty: &FieldType| matches!(ty, FieldType::Branch { absolute: false, .. });
        let distances = fields.filter(|field| is_distance(&field.ty));
        let mut names: Vec<String> = distances.map(|field| isa.text(field.name).to_owned()).collect();
        names.sort();
        names.dedup();
        Spelling { names, distance: distance.to_owned() }
    }

    /// The text of a word that the description accepts.
    pub(crate) fn text(&self, ours: &mut Ours<'_, '_>, word: &Word) -> String {
        let answer: Answer = ours.answer_with(word, &mut Marked(&self.names));
        let mut pieces = answer.text().split(MARK);
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let is_sign = |c| c == '-' || c == '+';
            let end = piece.find(|c: char| !c.is_ascii_digit() && !is_sign(c)).unwrap_or(piece.len());
            let (number, rest) = piece.split_at(end);
            let sign = if number.starts_with(is_sign) { "" } else { "+" };
            text.push_str(&self.distance.replace("{distance}", &format!("{sign}{number}")));
            text.push_str(rest);
        }
        text
    }
}

/// Puts a mark before the fields of these names.
struct Marked<'n>(&'n [String]);

impl Hooks for Marked<'_> {
    fn wants_fields(&self) -> bool {
        true
    }

    fn field(&mut self, reference: &str, _: Value<'_>, out: &mut Vec<u8>) {
        let name = reference.split(':').next().unwrap_or(reference).trim();
        if self.0.iter().any(|known| known == name) {
            out.push(MARK as u8);
        }
    }
}
