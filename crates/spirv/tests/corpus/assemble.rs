//! Text → words, and the messages for text that is wrong.

use std::path::Path;

use isaglot_spirv::asm::{Options, assemble, assemble_words};
use isaglot_testing::Failed;
use isaglot_testing::suite::Case;
use serde_json::Value;

use crate::files::{Score, bytes, le_bytes, records, sha, text, unhex};

pub(crate) const CASES: &[(&str, Case)] = &[
    ("assemble::modules_extracted", |f| modules(f, "modules_extracted.jsonl.gz")),
    ("assemble::grammar_generated", |f| modules(f, "grammar_generated.jsonl.gz")),
    ("assemble::mutated_ok", |f| modules(f, "mutated_ok.jsonl.gz")),
    ("assemble::negatives_text", negatives),
    ("assemble::literals", literals),
    ("assemble::target_env", target_env),
];

fn modules(folder: &Path, file: &str) -> Result<(), Failed> {
    let mut plain = Score::new(format!("{file} words"));
    let mut preserved = Score::new(format!("{file} words with numeric ids"));
    for (n, r) in records(folder, file) {
        let source = text(&r, "text").as_bytes();
        let done = assemble(source, &Options::default());
        let ok = done.failures.is_empty() && le_bytes(&done.words) == unhex(text(&r, "bin"));
        plain.count(n, ok, || format!("{}: {:?} {:?}", text(&r, "id"), done.failures, text(&r, "text")));
        let done = assemble(source, &Options { preserve_numeric_ids: true, ..Options::default() });
        let ok = done.failures.is_empty() && sha(&le_bytes(&done.words)) == text(&r, "bin_preserve_sha");
        preserved.count(n, ok, || format!("{}: {:?} {:?}", text(&r, "id"), done.failures, text(&r, "text")));
    }
    plain.finish()?;
    preserved.finish()
}

/// `error: L: C: message` → (`L: C`, message).
fn split(line: &str) -> (String, String) {
    let mut parts = line.trim_end_matches('\n').splitn(4, ": ").skip(1);
    let mut next = || parts.next().unwrap_or_default().to_owned();
    (format!("{}: {}", next(), next()), next())
}

fn negatives(folder: &Path) -> Result<(), Failed> {
    let mut rejected = Score::new("negatives_text rejected");
    let mut place = Score::new("negatives_text line and column");
    let mut message = Score::new("negatives_text message");
    let mut class = Score::new("negatives_text class");
    for (n, r) in records(folder, "negatives_text.jsonl.gz") {
        let done = assemble_words(text(&r, "text").as_bytes(), &Options::default());
        let line = done.failures.first().map(|f| f.line() + "\n").unwrap_or_default();
        let err = text(&r, "err");
        let why = || format!("{}: got {line:?} for {err:?} in {:?}", text(&r, "id"), text(&r, "text"));
        rejected.count(n, !done.failures.is_empty(), why);
        place.count(n, split(&line).0 == split(err).0, why);
        message.count(n, line == err, why);
        let status = done.failures.first().map(|f| f.status as i64);
        class.count(n, status == r["rc"].as_i64(), || format!("{status:?} for {}: {line}", r["rc"]));
    }
    rejected.finish()?;
    place.finish()?;
    message.finish()?;
    class.finish()
}

fn words(v: &Value) -> Vec<u32> {
    let list = v.as_array().map_or(&[][..], Vec::as_slice);
    list.iter().map(|w| u32::from_str_radix(w.as_str().unwrap_or_default(), 16).expect("a word")).collect()
}

fn literals(folder: &Path) -> Result<(), Failed> {
    let mut typed = Score::new("literals of a type");
    let mut untyped = Score::new("literals in other places");
    for (n, r) in records(folder, "literals.jsonl.gz").filter(|(_, r)| text(r, "k") == "asm") {
        let (is_typed, source) = match r.get("lit") {
            Some(lit) => {
                let lit = lit.as_str().unwrap_or_default();
                (true, format!("%t = {}\n%c = OpConstant %t {lit}\n", text(&r, "decl")))
            }
            None => (false, text(&r, "text").to_owned()),
        };
        let done = assemble_words(source.as_bytes(), &Options::default());
        let line = done.failures.first().map(|f| f.line() + "\n").unwrap_or_default();
        let ok = if r.get("err").is_some() {
            line == text(&r, "err") && done.failures.first().map(|f| f.status as i64) == r["rc"].as_i64()
        } else if is_typed {
            // The constant is the last instruction; its literal starts three words in.
            let literal = words(&r["words"]);
            done.failures.is_empty()
                && done.words.ends_with(&literal)
                && done.words.get(done.words.len() - literal.len() - 3).map(|w| w >> 16)
                    == Some(literal.len() as u32 + 3)
        } else {
            done.failures.is_empty() && le_bytes(done.words.get(5..).unwrap_or(&[])) == unhex(text(&r, "bin"))
        };
        let why = || format!("{source:?}: got {line:?} {:x?}, want {r}", done.words.get(5..));
        if is_typed { typed.count(n, ok, why) } else { untyped.count(n, ok, why) }
    }
    typed.finish()?;
    untyped.finish()
}

fn target_env(folder: &Path) -> Result<(), Failed> {
    let all: Value = serde_json::from_slice(&bytes(folder, "target_env.json.gz")).expect("JSON");
    let mut refused = Score::new("target_env opcodes");
    let grammar = isaglot_spirv::grammar::Grammar::builtin();
    for (env, list) in all["unknown_ops_by_env"].as_object().expect("an object") {
        let version = env.strip_prefix("spv1.").and_then(|n| n.parse().ok());
        for op in grammar.ops() {
            let name = grammar.str(op.name);
            let has_result = op.flags & isaglot_spirv::grammar::rows::HAS_RESULT != 0;
            let source = if has_result { format!("%r = {name}") } else { name.to_owned() };
            let done = assemble_words(source.as_bytes(), &Options { version, ..Options::default() });
            let line = done.failures.first().map(|f| f.line()).unwrap_or_default();
            let ok = match list.get(name) {
                Some(expected) => expected[1].as_str() == Some(line.as_str()),
                None => !line.contains("Invalid Opcode name"),
            };
            refused.count(format!("{env} {name}"), ok, || format!("{env} {name}: {line}"));
        }
    }
    refused.finish()
}
