//! The explorer's answers about SPIR-V, which has a grammar in place of a description: the same questions and the same forms of answers.
//!
//! The problem: an instruction of SPIR-V has as many words as it wants, and no gens and features. The method: to a page an instruction is one
//! wide word, the first word of it in the lowest bits, as the bytes lie in memory. Numbers of encodings and of enums are those of the pages
//! ([`description()`]): the rows of the grammar.

mod apart;
mod line;
mod pages;
mod program;

use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use isaglot_spirv::grammar::Grammar;
use serde_json::{Value, json};

pub use self::apart::examples;
pub use self::pages::description;
use super::Question;
use super::limits::{MAX_QUESTION, MAX_VALUES};

/// What is known of the grammar.
#[must_use]
pub fn status() -> Value {
    json!({
        "usable": true, "name": "SPIR-V", "generation": 0, "gens": [], "features": [], "bits": 32,
    })
}

/// The answer to a question, as JSON.
#[must_use]
pub fn answer(question: &Question) -> String {
    let grammar = Grammar::builtin();
    match question {
        Question::Ask(text) => ask(grammar, text),
        Question::Typed(text) => program::typed(text),
        Question::Next(text) => line::next(grammar, text),
        Question::List { bytes, defs, first } => return program::list(bytes, *defs, *first),
        Question::Mnemonics => mnemonics(grammar),
        Question::Values(table, id) => values(grammar, table, *id),
    }
    .to_string()
}

fn error(message: impl Into<String>, note: &str) -> Value {
    let d = Diagnostic::error("cli-word", message);
    let d = if note.is_empty() { d } else { d.note(note) };
    super::problem(&SourceMap::new(), &d.into())
}

/// The answer to any text: the words of an instruction, or one in assembly.
fn ask(grammar: Grammar<'_>, text: &str) -> Value {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_QUESTION {
        return json!({ "kind": "nothing" });
    }
    if text.contains('?') && !text.contains("Op") {
        return error(format!("`{text}`: SPIR-V has no patterns"), "an instruction is chosen by its name or its words");
    }
    if text.starts_with(|c: char| c.is_ascii_hexdigit()) && !text.contains("Op") {
        return match numbers(text) {
            Ok(words) => apart::word(grammar, &words),
            Err(why) => error(format!("`{text}` is not an instruction: {why}"), FORMS),
        };
    }
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let file = files.add(super::typed::NAME, text.as_bytes());
    let words = program::assembled(text, file, true, &mut problems).words;
    if problems.has_errors() {
        return super::problem(&files, &problems);
    }
    let Some(first) = apart::instructions(&words).next() else { return json!({ "kind": "nothing" }) };
    let mut answer = apart::word(grammar, first);
    if let Value::Object(answer) = &mut answer {
        let body = words.iter().skip(apart::HEADER);
        answer.insert("kind".to_owned(), "asm".into());
        answer.insert("all_bytes".to_owned(), apart::bytes(body).into());
    }
    answer
}

/// How words can be written.
const FORMS: &str = "expected one number with `0x`, the last word first (`0x00000002_00020013`); words with blanks between them, the first one first \
                     (`00020013 00000002`); or bytes as they lie in memory (`13 00 02 00 02 00 00 00`)";

/// The words that digits stand for.
fn numbers(text: &str) -> Result<Vec<u32>, String> {
    let groups: Vec<String> = text
        .split([' ', ',', ':'])
        .map(|group| group.trim().trim_start_matches("0x").replace('_', ""))
        .filter(|group| !group.is_empty())
        .collect();
    let digits = |text: &str| u32::from_str_radix(text, 16).map_err(|_| format!("`{text}` is not hexadecimal"));
    match groups.as_slice() {
        [one] => {
            let padded = format!("{one:0>width$}", width = one.len().next_multiple_of(8));
            let words = padded.as_bytes().chunks(8).rev();
            words.map(|word| digits(std::str::from_utf8(word).unwrap_or_default())).collect()
        }
        [] => Err("there are no digits".to_owned()),
        all if all.iter().all(|group| group.len() == 8) => all.iter().map(|group| digits(group)).collect(),
        all if all.iter().all(|group| group.len() == 2) && all.len().is_multiple_of(4) => {
            let word = |four: &[String]| digits(&four.iter().rev().map(String::as_str).collect::<String>());
            all.chunks(4).map(word).collect()
        }
        _ => Err("these are not words of 8 digits, nor 4 bytes a word".to_owned()),
    }
}

/// The instructions by name, each with an example.
fn mnemonics(grammar: Grammar<'_>) -> Value {
    let mut rows: Vec<(&str, Value)> = grammar
        .ops()
        .iter()
        .enumerate()
        .map(|(id, op)| {
            let name = grammar.str(op.name);
            (name, json!([name, [[id, name, apart::hex(&apart::example(grammar, op))]]]))
        })
        .collect();
    rows.sort_by_key(|(name, _)| *name);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The values of an enum.
fn values(grammar: Grammar<'_>, table: &str, id: usize) -> Value {
    let Some(kind) = grammar.kinds().get(id).filter(|_| table == "enum") else { return Value::Null };
    let members = grammar.members(kind);
    let rows = members.iter().take(MAX_VALUES).map(|row| json!([row.value, grammar.str(row.name), null]));
    json!({ "name": grammar.str(kind.name), "values": rows.collect::<Vec<_>>(), "all": members.len() })
}

#[cfg(test)]
mod tests {
    use isaglot_spirv::grammar::Grammar;
    use serde_json::Value;

    use super::{Question, answer, apart, description};

    fn ask(text: &str) -> Value {
        serde_json::from_str(&answer(&Question::Ask(text.to_owned()))).expect("JSON")
    }

    /// The example of every instruction is taken apart: each bit is in one field, and the text has the name. Its text alone is assembled to the
    /// same words, unless it speaks of what only a module says.
    #[test]
    fn every_instruction_is_taken_apart() {
        let grammar = Grammar::builtin();
        let (mut back, mut other) = (0, Vec::new());
        for op in grammar.ops() {
            let words = apart::example(grammar, op);
            let name = grammar.str(op.name);
            let made = ask(&apart::hex(&words));
            assert_eq!(made["kind"], "word", "{name}: {made:#}");
            assert!(made["text"].as_str().is_some_and(|text| text.contains(name)), "{name}: {}", made["text"]);
            let fields = made["fields"].as_array().expect("fields").iter();
            let mut bits: Vec<u64> =
                fields.flat_map(|f| f["bits"].as_array().expect("bits")).filter_map(Value::as_u64).collect();
            bits.sort_unstable();
            assert!(bits.into_iter().eq(0..words.len() as u64 * 32), "{name}");
            let text = made["text"].as_str().unwrap_or_default();
            let again = ask(text);
            if again["kind"] == "asm" && again["word"] == made["word"] { back += 1 } else { other.push(name) }
        }
        assert!(back * 10 > grammar.ops().len() * 9, "{back} of {}: {other:?}", grammar.ops().len());
    }

    #[test]
    fn the_grammar_is_a_description() {
        let isa = description().expect("valid");
        assert_eq!(isa[isa.root()].encodings.len(), Grammar::builtin().ops().len());
        assert_eq!(isa.enums().len(), Grammar::builtin().kinds().len());
    }

    #[test]
    fn answers() {
        assert_eq!(ask("")["kind"], "nothing");
        for wrong in ["0x", "0xffffffff", "12345678 1", "zz", "0x????", "OpNoSuch", "0x00020013"] {
            assert_eq!(ask(wrong)["kind"], "error", "{wrong}");
        }
        let void = ask("%2 = OpTypeVoid");
        assert_eq!((&void["kind"], &void["word"]), (&"asm".into(), &"0x0000000200020013".into()));
        for same in ["00020013 00000002", "13 00 02 00 02 00 00 00", "0x00000002_00020013"] {
            assert_eq!(ask(same)["word"], void["word"], "{same}");
        }
        // A type that stands elsewhere.
        assert_eq!(ask("%3 = OpConstant %1 5")["kind"], "asm");
        let next = answer(&Question::Next("%1 = OpTypePointer Uni".to_owned()));
        assert!(next.contains("\"Uniform\"") && !next.contains("\"Function\""), "{next}");
        assert!(answer(&Question::Next("OpTypeV".to_owned())).contains("OpTypeVector"));
        let module = "%void = OpTypeVoid\n%f = OpTypeFunction %void\n";
        let typed: Value = serde_json::from_str(&answer(&Question::Typed(module.to_owned()))).expect("JSON");
        assert_eq!(typed["lines"].as_array().map(Vec::len), Some(2), "{typed}");
        let bytes: Vec<u8> = {
            let hex = typed["bytes"].as_str().unwrap_or_default();
            (0..hex.len()).step_by(2).filter_map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()).collect()
        };
        let list = |first| answer(&Question::List { bytes: bytes.clone(), defs: true, first });
        assert!(list(None).contains(r#""whole":true"#), "{}", list(None));
        assert!(list(Some(28)).contains(r#""whole":false"#), "{}", list(Some(28)));
        assert!(answer(&Question::List { bytes: vec![1, 2, 3], defs: false, first: None }).contains("error"));
        assert!(answer(&Question::Values("enum".to_owned(), usize::MAX)).contains("null"));
    }
}
