//! A word of Intel Xe, or a line of its assembly, taken apart.
//!
//! The description explains the long form as it explains any word. Beside that stand the text, which no template of the
//! description has, piece by piece with the fields that it comes from; what the parts of a short form become; and what
//! the descriptors of a message say, each by the space of the description that reads it.

use std::borrow::Cow;
use std::fmt::Write;

use isaglot_asm::Compat;
use isaglot_asm::explain::explain_in;
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_model::{ExpandStep, Isa};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use isaglot_xe::decode::BadWord;
use isaglot_xe::explain::Reading;
use isaglot_xe::stream::RawWord;
use isaglot_xe::{Compaction, Xe};
#[cfg(feature = "json")]
use serde_json::{Value, json};

use super::{Explained, Explanation, Extent, bits, full_hex};
use crate::question::{Looks, looks};

/// The code of the assembler's problem that no instruction has a name.
const UNKNOWN: &str = "xe-mnemonic";

/// The bit that tells short forms from long ones.
const SHORT: u128 = 1 << 29;

/// The field that tells most of each piece of a text.
const TELLING: [(&str, &str); 11] = [
    ("predicate", "PRED"),
    ("channels", "EXEC_SIZE"),
    ("flag modifier", "COND"),
    ("destination", "DST_REG"),
    ("first source", "SRC0_REG"),
    ("second source", "SRC1_REG"),
    ("third source", "SRC2_REG"),
    ("first payload", "SRC0_REG"),
    ("second payload", "SRC1_REG"),
    ("descriptor", "DESC"),
    ("extended descriptor", "EXDESC"),
];

/// Bits of the two forms.
const SHORT_BITS: u32 = 64;
const LONG_BITS: u32 = 128;

/// A word, what the description says of its long form, and what is to be said beside that.
pub struct Apart {
    /// The long form; of a short form that stands for none, the word itself.
    pub word: Word,
    /// What the description says of it.
    pub explanation: Explanation,
    /// The word as it is asked for, if it is a short form.
    short: Option<u64>,
    /// What the parts of the short form become.
    steps: Option<ShortSteps>,
    /// What it says, or why nothing.
    pub reading: Result<Reading<'static>, BadWord>,
}

/// The name of a short form, and each of its steps as cells: bits, what they become, their value, as a person reads it.
struct ShortSteps {
    name: String,
    at: String,
    rows: Vec<[String; 3]>,
}

/// A number, as one word, or the words of assembly.
pub struct Asked {
    /// The words.
    pub words: Vec<RawWord>,
    /// Whether it was assembly.
    pub is_assembly: bool,
}

/// Reads a question: a number, or assembly. The text is added to `files`, for what is said of it.
///
/// # Errors
/// What is wrong with the number, or with the assembly.
pub fn words(xe: &mut Xe<'_>, plan: &Plan<'_>, files: &mut SourceMap, text: &str) -> Result<Asked, Diagnostics> {
    // As listings write encodings.
    let folded = text.trim().replace("`0x", "").replace('`', "");
    let looks = looks(&folded);
    if looks == Looks::Number {
        return Ok(Asked { words: vec![number(plan, &folded)?], is_assembly: false });
    }
    let file = files.add("text", text.as_bytes());
    let mut problems = Diagnostics::new();
    let made = xe.assemble(file, text.as_bytes(), Compaction::Marked, &mut problems);
    if looks == Looks::Either && problems.iter().any(|d| d.code == UNKNOWN) {
        return Ok(Asked { words: vec![number(plan, &folded)?], is_assembly: false });
    }
    let words: Vec<RawWord> = xe.program(&made.unwrap_or_default()).entries.iter().map(|entry| entry.raw()).collect();
    if words.is_empty() && !problems.has_errors() {
        problems.push(Diagnostic::error("cli-word", format!("`{text}` is not an instruction")));
    }
    if problems.has_errors() { Err(problems) } else { Ok(Asked { words, is_assembly: true }) }
}

/// A word of at most 128 bits as a number.
#[must_use]
pub fn value(word: &Word) -> u128 {
    u128::from(word.low_u64()) | u128::from(word.shr(SHORT_BITS).low_u64()) << SHORT_BITS
}

fn number(plan: &Plan<'_>, text: &str) -> Result<RawWord, Diagnostic> {
    let word = super::word(plan, text)?;
    let value = value(&word);
    let short = value & SHORT != 0;
    if short && value >> SHORT_BITS != 0 {
        let d = Diagnostic::error("cli-word", format!("`{text}` has more than the {SHORT_BITS} bits of a short form"));
        return Err(d.note("bit 29 is set, as in all short forms"));
    }
    Ok(RawWord { pc: 0, word: value, short })
}

/// Takes a word apart. `plan` is of the description with its places.
#[must_use]
pub fn apart(xe: &mut Xe<'_>, plan: &Plan<'_>, files: &SourceMap, raw: RawWord) -> Apart {
    let reading = xe.reading(raw).map(Reading::into_owned);
    let short = raw.short.then_some(raw.word as u64);
    let steps = short.and_then(|word| steps(xe, plan.isa(), files, word));
    let (word, explanation) = match &reading {
        Ok(found) => {
            let word = Word::from_u128(found.long, LONG_BITS);
            let mut explanation = super::explain(plan, &word);
            if let Explanation::Match(of) = &mut explanation {
                // The template of the description has the mnemonic alone.
                of.cases.iter_mut().for_each(|case| case.shown = false);
                if !found.text.is_empty() {
                    of.text = found.text.clone().into_bytes();
                }
                of.errors = found.problem.clone().unwrap_or_default().into_bytes();
                descriptors(plan, found, of);
            }
            (word, explanation)
        }
        Err(_) if raw.short => (Word::from_u128(raw.word, SHORT_BITS), Explanation::None(Vec::new())),
        Err(_) => {
            let word = Word::from_u128(raw.word, LONG_BITS);
            let explanation = super::explain(plan, &word);
            (word, explanation)
        }
    };
    Apart { word, explanation, short, steps, reading }
}

/// Explains the descriptors of a message within their fields.
fn descriptors(plan: &Plan<'_>, found: &Reading<'_>, of: &mut Explained) {
    let isa = plan.isa();
    for (name, descriptor) in ["DESC", "EXDESC"].into_iter().zip(&found.descriptors) {
        let Some((value, space)) = descriptor else { continue };
        let space = isa.spaces().iter().position(|s| isa.text(s.name) == *space);
        let field = of.fields.iter_mut().find(|field| isa.text(field.name) == name);
        if let (Some(space), Some(field)) = (space, field) {
            let space = isaglot_model::SpaceId(space as u32);
            let word = Word::from_u64((*value).into(), isa[space].width);
            field.nested = explain_in(plan, space, &word, Compat::default()).map(Box::new);
        }
    }
}

fn steps(xe: &Xe<'_>, isa: &Isa, files: &SourceMap, word: u64) -> Option<ShortSteps> {
    let (form, steps) = xe.short_form(word)?;
    // The embedded description has no places.
    let placed = isa.expansions().iter().find(|e| e.name == form.name && e.gens == form.gens)?;
    let row = |(step, value): (&ExpandStep, u64)| {
        let table = step.table.and_then(|table| isa.tables().get(table.index()));
        let shown = match table {
            Some(table) => match usize::try_from(value).ok().and_then(|row| table.rows.get(row)) {
                Some(row) => format!("0x{}, row {value} of {}", full_hex(row), table.name),
                None => format!("row {value} of {}, which has {} rows", table.name, table.rows.len()),
            },
            None => format!("{value:#x}"),
        };
        [bits(&step.from), bits(&step.to), shown]
    };
    let at = files.location(placed.span);
    Some(ShortSteps { name: form.name.clone(), at, rows: steps.into_iter().map(row).collect() })
}

impl Apart {
    /// The answer as text, all of it or the short form.
    #[must_use]
    pub fn text(&self, isa: &Isa, files: &SourceMap, color: bool, extent: Extent) -> String {
        let mut out = String::new();
        if let Some(short) = self.short {
            let says = match &self.reading {
                Ok(found) => found.problem.as_ref().unwrap_or(&found.text).clone(),
                Err(why) => why.message(),
            };
            let _ = writeln!(out, "0x{short:016x}  ({SHORT_BITS} bits)\n  {says}");
            if let Some(steps) = &self.steps {
                let _ = writeln!(out, "\n  short form {}, {}", steps.name, steps.at);
                table(&[["bits", "become bits", "with"].map(str::to_owned)], &steps.rows, &mut out);
            }
            if self.reading.is_err() {
                return out;
            }
            out.push_str("\n  it stands for the long form\n\n");
        }
        out.push_str(&super::text(isa, files, &self.word, &self.explanation, color, extent));
        let Ok(found) = &self.reading else { return out };
        if let Explanation::Match(of) = &self.explanation
            && !found.pieces.is_empty()
        {
            let place = |name: &Cow<'_, str>| {
                let field = of.fields.iter().find(|field| isa.text(field.name) == *name)?;
                Some(format!("{name} {}", bits(&field.ranges)))
            };
            let rows = found.pieces.iter().map(|piece| {
                let fields: Vec<String> = piece.fields.iter().filter_map(place).collect();
                [piece.what.to_owned(), piece.text.clone(), fields.join(", ")]
            });
            out.push_str("\n  the text, piece by piece, with the fields that it comes from\n");
            table(&[], &rows.collect::<Vec<_>>(), &mut out);
        }
        if let Some(short) = found.short.filter(|_| self.short.is_none()) {
            let _ = writeln!(out, "\n  its short form is 0x{short:016x}");
        }
        out
    }

    /// Where in the text what stands: the field that tells most of each piece, and characters from and to.
    #[must_use]
    pub fn spans(&self) -> Vec<(&str, usize, usize)> {
        let Ok(found) = &self.reading else { return Vec::new() };
        let chars = |at: usize| found.text.get(..at).map_or(0, |text| text.chars().count());
        let spans = found.pieces.iter().filter_map(|piece| {
            let telling = TELLING.iter().find(|(what, _)| *what == piece.what).map(|(_, field)| *field);
            let field = piece.fields.iter().find(|field| Some(field.as_ref()) == telling).or(piece.fields.first())?;
            Some((field.as_ref(), chars(piece.start), chars(piece.start + piece.text.len())))
        });
        spans.collect()
    }

    /// The answer as JSON: `answer` is what any description says of the long form.
    #[cfg(feature = "json")]
    #[must_use]
    pub fn json(&self, mut answer: Value) -> Value {
        let (Value::Object(answer_object), Ok(found)) = (&mut answer, &self.reading) else { return answer };
        let pieces = found.pieces.iter().map(
            |piece| json!({ "what": piece.what, "start": piece.start, "text": piece.text, "fields": piece.fields }),
        );
        answer_object.insert("pieces".to_owned(), pieces.collect());
        answer_object.insert("short".to_owned(), json!(found.short.map(|short| format!("0x{short:016x}"))));
        answer_object.insert("is_short".to_owned(), json!(self.short.is_some()));
        answer
    }
}

/// Rows in columns, below a head.
fn table(head: &[[String; 3]], rows: &[[String; 3]], out: &mut String) {
    let all = || head.iter().chain(rows);
    let width = |column: usize| all().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    for [a, b, c] in all() {
        let line = format!("    {a:first$}  {b:second$}  {c}");
        out.push_str(line.trim_end());
        out.push('\n');
    }
}
