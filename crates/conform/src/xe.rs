//! A machine of Intel Xe as something to compare with.
//!
//! The description says what the fields of a word are; which values go together, and the text, is code of `isaglot-xe`. A word that this code
//! refuses, for whatever reason, is refused. The text is the one that `isaglot disasm` prints, with distances for labels and without comments.

use std::cmp::Reverse;

use isaglot_bits::Word;
use isaglot_codec::Values;
use isaglot_model::{ByteOrder, EncodingId, Isa};
use isaglot_source::Diagnostic;
use isaglot_xe::decode::BadWord;
use isaglot_xe::inst::Inst;
use isaglot_xe::types::Type;
use isaglot_xe::{TextOptions, Xe};

use crate::answer::{Answer, Decoder, Leaf, Near, Subject};
use crate::foreign::Setting;
use crate::normal::Rules;

mod choose;

pub use choose::{choose, lengths};

/// Bits of an instruction, and of its short form.
const LONG: u32 = 128;
const SHORT: u32 = 64;

/// The bit that says that a word is a short form.
const SHORT_BIT: u32 = 29;

/// The decoder of a machine.
#[derive(Debug)]
pub struct Machine<'m, 'd> {
    xe: &'m mut Xe<'d>,
    isa: &'m Isa,
    values: Values,
}

impl<'m, 'd> Machine<'m, 'd> {
    /// Of a machine, with the description that it is made of, which may have places ([`isaglot_xe::description`]).
    #[must_use]
    pub fn new(xe: &'m mut Xe<'d>, isa: &'m Isa) -> Machine<'m, 'd> {
        Machine { xe, isa, values: Values::default() }
    }

    /// What a tool is set up for.
    #[must_use]
    pub fn setting(&self) -> Setting<'m> {
        let generation = self.xe.platform.generation();
        Setting { isa: self.isa.name(), generation, order: ByteOrder::Little, features: Vec::new() }
    }

    fn decode(&mut self, word: &Word) -> Result<Inst, BadWord> {
        match word.width() {
            LONG => self.xe.decode(word.low_u128(), &mut self.values),
            SHORT => self.xe.decode_short(word.low_u64(), &mut self.values),
            _ => Err(BadWord::Opcode),
        }
    }

    /// The answer for one word.
    pub fn answer(&mut self, word: &Word) -> Answer {
        let Ok(inst) = self.decode(word) else { return Answer::Refused };
        let options = TextOptions { numeric_labels: true, no_comments: true, ..TextOptions::default() };
        let mut text = Vec::new();
        self.xe.print_inst(&inst, 0, &options, &mut text);
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        Answer::Accepted { bits: Some(word.width()), text, leaf: Some(Leaf(self.xe.op(inst.op).encoding.0)) }
    }
}

impl Decoder for Machine<'_, '_> {
    fn answers(&mut self, words: &[Word]) -> Result<Vec<Answer>, Diagnostic> {
        Ok(words.iter().map(|word| self.answer(word)).collect())
    }
}

impl Subject for Machine<'_, '_> {
    fn name(&self, leaf: Leaf) -> String {
        self.isa[EncodingId(leaf.0)].display_name.to_string()
    }

    fn fits(&self, word: &Word) -> bool {
        fits(word)
    }

    fn near(&self, word: &Word, leaf: Option<Leaf>, name: &str) -> Option<Near> {
        let generation = self.xe.platform.generation();
        let all = self.isa[self.isa.root()].encodings.iter().copied();
        let missed = |id: &EncodingId| {
            let pattern = &self.isa[*id].pattern;
            let opcode = |word: &Word| word.low_u64() & 127;
            let missed = (opcode(pattern.value()) ^ opcode(word)) & opcode(pattern.care());
            (&*self.isa[*id].display_name != name, missed.count_ones(), Reverse(pattern.care().count_ones()))
        };
        let nearest = || all.filter(|id| self.isa[*id].gens.contains(generation)).min_by_key(missed);
        let encoding = &self.isa[leaf.map(|leaf| EncodingId(leaf.0)).or_else(nearest)?];
        Some(Near { name: encoding.display_name.to_string(), span: Some(encoding.span), doc: encoding.doc.clone() })
    }

    /// The same mistake is made with many operations, so the name says why the word is refused: `register-sr1`, say.
    fn called(&mut self, word: &Word, theirs: &str, _: &Rules) -> String {
        let reason = match self.decode(word) {
            Err(reason) => reason.message().replace(' ', "-"),
            Ok(_) => return String::new(),
        };
        let operands = pieces(theirs).into_iter().filter(|(what, _)| what.starts_with("operand"));
        let names: Vec<(String, String)> = operands.map(|(_, text)| register_and_type(&text)).collect();
        let has = |ty: &str| ty.is_empty() || Type::parse(ty).is_some();
        if reason.contains("register")
            && let Some((register, _)) = names.iter().find(|(name, _)| !name.is_empty() && !self.xe.has_register(name))
        {
            return format!("register-{register}");
        }
        if reason.to_lowercase().contains("type")
            && let Some((_, ty)) = names.iter().find(|(_, ty)| !has(ty))
        {
            return format!("type-{ty}");
        }
        reason
    }

    fn way(&self, ours: &str, theirs: &str, rules: &Rules) -> Option<String> {
        if rules.apply(ours) == rules.apply(theirs) {
            return None;
        }
        let (ours, theirs) = (pieces(ours), pieces(theirs));
        let of = |all: &[(String, String)], what: &str| {
            let piece = all.iter().find(|(known, _)| known == what);
            piece.map(|(_, text)| rules.apply(text)).unwrap_or_default()
        };
        let mut names: Vec<&str> = ours.iter().chain(&theirs).map(|(what, _)| what.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names.retain(|what| of(&ours, what) != of(&theirs, what));
        Some(if names.is_empty() { "text".to_owned() } else { names.join(", ") })
    }
}

/// Whether a word is of the length that its bits say.
fn fits(word: &Word) -> bool {
    match word.width() {
        LONG => !word.bit(SHORT_BIT),
        SHORT => word.bit(SHORT_BIT),
        _ => false,
    }
}

/// What a text consists of, each piece with what it is: blanks part pieces, and of those before the operands their shape says which they are.
fn pieces(text: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut operands = 0;
    let mut is_after_operation = false;
    for piece in text.split_whitespace() {
        let what = if piece.starts_with('{') {
            "options".to_owned()
        } else if !is_after_operation {
            is_after_operation = !piece.starts_with('(');
            if is_after_operation { "operation" } else { "predicate" }.to_owned()
        } else if operands == 0 && piece.starts_with('(') && piece.contains('|') {
            "channels".to_owned()
        } else if operands == 0 && piece.starts_with('(') && is_modifier(piece) {
            "flag modifier".to_owned()
        } else {
            operands += 1;
            format!("operand {operands}")
        };
        all.push((what, piece.to_owned()));
    }
    all
}

/// The register of an operand with its number, and the type; empty if there is none.
fn register_and_type(operand: &str) -> (String, String) {
    let bare = ["-", "~", "(sat)", "(abs)"].iter().fold(operand, |text, sign| text.strip_prefix(sign).unwrap_or(text));
    let bare = bare.strip_prefix("(abs)").unwrap_or(bare);
    let end = bare.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(bare.len());
    let (register, rest) = bare.split_at(end);
    let is_register = register.starts_with(|c: char| c.is_ascii_alphabetic()) && !rest.starts_with('[');
    let ty = bare.rsplit_once(':').map(|(_, ty)| ty).filter(|ty| ty.starts_with(|c: char| c.is_ascii_alphabetic()));
    (if is_register { register.to_owned() } else { String::new() }, ty.unwrap_or_default().to_owned())
}

/// Whether a piece is a flag modifier, such as `(eq)f0.0`, and no operand, such as `(sat)r1.0<1>:f`, `(abs)r1` or `($1,$2)`.
fn is_modifier(piece: &str) -> bool {
    let flag = piece.split_once(")f").map(|(_, flag)| flag);
    flag.is_some_and(|flag| !flag.contains([':', '<'])) && !piece.starts_with("(abs)") && !piece.starts_with("(sat)")
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn texts_fall_apart() {
        let of =
            |text| pieces(text).into_iter().map(|(what, text)| format!("{what}={text}")).collect::<Vec<_>>().join(" ");
        assert_eq!(
            of("(W&f0.0) cmp (16|M0)  (eq)f0.1  (sat)r1.0<1>:f  (abs)f0.0<0;1,0>:uw {@1}"),
            "predicate=(W&f0.0) operation=cmp channels=(16|M0) flag modifier=(eq)f0.1 operand 1=(sat)r1.0<1>:f \
             operand 2=(abs)f0.0<0;1,0>:uw options={@1}"
        );
        assert_eq!(of("sync.allrd ($1,$2)"), "operation=sync.allrd operand 1=($1,$2)");
        assert_eq!(of("nop {A@1}"), "operation=nop options={A@1}");
    }
}
