//! What the one box of the explorer takes, and what comes back: hex, binary or bytes as a word taken apart, assembly as the
//! word that it makes, and a pattern with `?` as the encodings that it may be.
//!
//! A word's answer holds what `isaglot explain --json` says of it, unchanged, and beside it what a page needs to tie text,
//! bits and fields together: the places of every field, nested ones too, in the instruction word and in the text.

use isaglot_asm::{Assembler, Hooks, Options, Stream, Value as FieldValue};
use isaglot_bits::{Pattern, Word};
use isaglot_codec::Plan;
use isaglot_invariant::Impossible as _;
use isaglot_model::{ByteOrder, Isa};
use isaglot_source::{Diagnostic, SourceMap};
#[cfg(feature = "xe")]
use isaglot_xe::Xe;
use serde_json::{Value, json};

use super::field::{about, collect};
use super::limits::{MAX_CANDIDATES, MAX_QUESTION};
use super::problem;
use crate::explain::json::to_json;
#[cfg(feature = "xe")]
use crate::explain::xe::Asked;
use crate::explain::{Explanation, explain, full_hex};
use crate::question::{self, Question};
use crate::spec::SubjectKind;

use super::field::FieldPlace;

/// Answers questions about one description, for one gen and choice of features.
pub struct Asker<'s, 'p, 'a, 'd> {
    /// What decodes, without aliases.
    pub plan: &'s Plan<'a>,
    /// The files of the description.
    pub files: &'s SourceMap,
    /// Of the same plan.
    pub assembler: &'s mut Assembler<'p, 'a>,
    /// What the subject is.
    pub kind: SubjectKind,
    /// A machine of Intel Xe, whose texts are not in the description.
    #[cfg(feature = "xe")]
    pub xe: Option<&'s mut Xe<'d>>,
    /// Where there are no machines of Intel Xe.
    #[cfg(not(feature = "xe"))]
    pub xe: Option<&'d std::convert::Infallible>,
}

impl Asker<'_, '_, '_, '_> {
    /// The answer to any text.
    pub fn ask(&mut self, question: &str) -> Value {
        let question = question.trim();
        if question.is_empty() || question.len() > MAX_QUESTION {
            return json!({ "kind": "nothing" });
        }
        if question.contains('?') {
            return match pattern(self.plan, question) {
                Ok(pattern) => self.candidates(&pattern),
                Err(d) => problem(self.files, &d.into()),
            };
        }
        let mut files = SourceMap::new();
        #[cfg(feature = "xe")]
        if let Some(xe) = &mut self.xe {
            return match crate::explain::xe::words(xe, self.plan, &mut files, question) {
                Ok(asked) => self.kernel(&asked),
                Err(problems) => problem(&files, &problems),
            };
        }
        match question::read(self.kind, self.assembler, &mut files, question) {
            Ok(Question::Word(word)) => self.word(&word),
            Ok(Question::Assembly(bytes)) => self.assembled(&bytes),
            Err(problems) => problem(&files, &problems),
        }
    }

    /// The first word of Intel Xe, taken apart, and all bytes.
    #[cfg(feature = "xe")]
    fn kernel(&mut self, asked: &Asked) -> Value {
        let (Some(xe), Some(first)) = (&mut self.xe, asked.words.first()) else { return json!({ "kind": "nothing" }) };
        let apart = crate::explain::xe::apart(xe, self.plan, self.files, *first);
        let explained = apart.json(to_json(self.plan.isa(), self.files, &apart.word, &apart.explanation));
        let spans = apart.spans().into_iter().map(|(path, from, to)| json!([path, from, to])).collect();
        let mut answer = self.answer(&apart.word, &apart.explanation, explained, |_| spans);
        if let (true, Value::Object(answer)) = (asked.is_assembly, &mut answer) {
            let bytes = asked.words.iter().flat_map(|raw| raw.word.to_le_bytes().into_iter().take(raw.size() as usize));
            let shown: Vec<String> = bytes.map(|b| format!("{b:02x}")).collect();
            answer.insert("kind".to_owned(), "asm".into());
            answer.insert("all_bytes".to_owned(), shown.join(" ").into());
        }
        answer
    }

    /// A word, taken apart.
    fn word(&self, word: &Word) -> Value {
        let explained = explain(self.plan, word);
        let says = to_json(self.plan.isa(), self.files, word, &explained);
        self.answer(word, &explained, says, |fields| self.spans(word, fields))
    }

    /// A word, what is said of it on the command line, and where in its text each field stands.
    fn answer(
        &self,
        word: &Word,
        explained: &Explanation,
        says: Value,
        spans: impl FnOnce(&[FieldPlace]) -> Value,
    ) -> Value {
        let isa = self.plan.isa();
        let mut answer = json!({
            "kind": "word",
            "word": format!("0x{}", full_hex(word)),
            "width": word.width(),
            "bytes": memory(self.plan, word),
            "explain": says,
        });
        let (Explanation::Match(found), Value::Object(answer)) = (explained, &mut answer) else { return answer };
        let encoding = &isa[found.encoding];
        let mut fields = Vec::new();
        let all: Vec<u32> = (0..word.width()).collect();
        collect(isa, found, &all, "", &mut fields);
        let text = String::from_utf8_lossy(&found.text).into_owned();
        let spans = spans(&fields);
        let fixed: Vec<u32> = encoding.pattern.care().ones_iter().collect();
        answer.insert("text".to_owned(), text.into());
        answer.insert("fields".to_owned(), fields.iter().map(FieldPlace::json).collect());
        answer.insert("about".to_owned(), about(isa, found.encoding));
        answer.insert("fixed".to_owned(), fixed.into());
        answer.insert("spans".to_owned(), spans);
        Value::Object(std::mem::take(answer))
    }

    /// Where in the text each field stands: path, and characters from and to.
    fn spans(&self, word: &Word, fields: &[FieldPlace]) -> Value {
        let mut hooks = Positions::default();
        let mut out = Vec::new();
        let options = Options { show_errors: false, ..Options::default() };
        let bytes: Vec<u8> = word.le_bytes().collect();
        let bytes = if big(self.plan.isa()) { bytes.into_iter().rev().collect() } else { bytes };
        Stream::new(self.plan, options, bytes.len() as u64).feed(&bytes, &mut hooks, &mut out);
        let chars = |at: usize| out.get(..at).map_or(0, |b| String::from_utf8_lossy(b).chars().count());
        let mut rows = Vec::new();
        let mut used = vec![false; fields.len()];
        for (name, moment) in &hooks.found {
            // What aligns a field stands between the moment and its text.
            let rest = out.get(*moment..).or_impossible(&[]);
            let at = moment + rest.iter().take_while(|b| **b == b' ').count();
            let found = fields.iter().zip(&mut used).find_map(|(field, used)| {
                let text = field.text.as_bytes();
                let start = [*moment, at].into_iter().find(|&s| out.get(s..).is_some_and(|r| r.starts_with(text)))?;
                let here = !*used && field.name == *name && !text.is_empty();
                here.then(|| {
                    *used = true;
                    json!([field.path, chars(start), chars(start + text.len())])
                })
            });
            rows.extend(found);
        }
        Value::Array(rows)
    }

    /// What assembly has made: the first word of it, and all bytes.
    fn assembled(&self, bytes: &[u8]) -> Value {
        let none = || Diagnostic::error("cli-word", "no instruction");
        let first = question::words(self.plan, bytes).and_then(|words| words.into_iter().next().ok_or_else(none));
        let mut answer = match first {
            Ok(word) => self.word(&word),
            Err(d) => return problem(self.files, &d.into()),
        };
        if let Value::Object(answer) = &mut answer {
            let shown: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
            answer.insert("kind".to_owned(), "asm".into());
            answer.insert("all_bytes".to_owned(), shown.join(" ").into());
        }
        answer
    }

    /// The encodings that words of a pattern may have.
    fn candidates(&self, pattern: &Pattern) -> Value {
        let isa = self.plan.isa();
        let inside = isa[isa.root()].encodings.iter().copied().filter(|&id| {
            let encoding = &isa[id];
            self.plan.active(encoding) && encoding.width == pattern.width() && encoding.pattern.overlaps(pattern)
        });
        let mut rows = Vec::new();
        let mut count = 0_usize;
        for id in inside {
            count += 1;
            let encoding = &isa[id];
            let Some(both) = encoding.pattern.intersect(pattern).filter(|_| rows.len() < MAX_CANDIDATES) else {
                continue;
            };
            rows.push(json!({
                "id": id.index(), "name": isa.text(encoding.name), "mnemonic": &*encoding.display_name,
                "pattern": encoding.pattern.to_string(), "example": format!("0x{}", full_hex(&both.witness())),
            }));
        }
        json!({ "kind": "pattern", "pattern": pattern.to_string(), "count": count, "candidates": rows })
    }
}

/// The bytes of a word in memory order.
fn memory(plan: &Plan<'_>, word: &Word) -> String {
    let mut bytes: Vec<u8> = word.le_bytes().collect();
    if big(plan.isa()) {
        bytes.reverse();
    }
    bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}

fn big(isa: &Isa) -> bool {
    isa.format().byte_order == ByteOrder::Big
}

/// Reads a pattern: `?` is any bit of a binary text (`0b` or only 0, 1, `?`), any digit of a hexadecimal one (`0x`).
fn pattern(plan: &Plan<'_>, text: &str) -> Result<Pattern, Diagnostic> {
    let bad = || {
        let d = Diagnostic::error("cli-pattern", format!("`{text}` is not a pattern"));
        d.note("expected bits (`0b0110????`) or hex digits (`0x12??`), each `?` for any")
    };
    let folded: String = text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    let bits: String = match folded.strip_prefix("0x") {
        Some(digits) => {
            let spread = digits.chars().map(|c| match (c, c.to_digit(16)) {
                ('?', _) => Some("????".to_owned()),
                (_, Some(digit)) => Some(format!("{digit:04b}")),
                _ => None,
            });
            spread.collect::<Option<String>>().ok_or_else(bad)?
        }
        None => folded.strip_prefix("0b").unwrap_or(&folded).to_owned(),
    };
    if bits.is_empty() || !bits.chars().all(|c| "01?".contains(c)) {
        return Err(bad());
    }
    // The shortest width of an instruction that holds it; what is not written above is open.
    let isa = plan.isa();
    let mut widths: Vec<u32> = isa[isa.root()].encodings.iter().map(|&id| isa[id].width).collect();
    widths.sort_unstable();
    let width = widths.into_iter().find(|&w| w as usize >= bits.len());
    let Some(width) = width else {
        return Err(bad().note(format!("it has {} bits, more than any instruction", bits.len())));
    };
    Pattern::parse(&format!("{:x>w$}", bits.replace('?', "x"), w = width as usize)).map_err(|_| bad())
}

/// Where each field begins in the text.
#[derive(Default)]
struct Positions {
    found: Vec<(String, usize)>,
}

impl Hooks for Positions {
    fn wants_fields(&self) -> bool {
        true
    }

    fn field(&mut self, reference: &str, _: FieldValue<'_>, out: &mut Vec<u8>) {
        let name = reference.split([':', '\'']).next().unwrap_or(reference);
        self.found.push((name.to_owned(), out.len()));
    }
}
