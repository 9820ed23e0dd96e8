//! Words → text in every form, and the messages for words that are wrong.

use std::collections::BTreeMap;
use std::path::Path;

use isaglot_spirv::asm;
use isaglot_spirv::dis::{Options, disassemble};
use isaglot_testing::Failed;
use isaglot_testing::suite::Case;

use crate::files::{Score, bytes, le_bytes, le_words, records, sha, text, unhex};

pub(crate) const CASES: &[(&str, Case)] = &[
    ("disassemble::modules_extracted", |f| modules(f, "modules_extracted.jsonl.gz")),
    ("disassemble::grammar_generated", |f| modules(f, "grammar_generated.jsonl.gz")),
    ("disassemble::mutated_ok", |f| modules(f, "mutated_ok.jsonl.gz")),
    ("disassemble::dis_options", dis_options),
    ("disassemble::shaders_glsl", shaders),
    ("disassemble::literals", literals),
    ("disassemble::literals_exhaustive16", exhaustive),
    ("disassemble::binary_mutations", binary_mutations),
];

/// The options after a key of the corpus.
fn options(key: &str) -> Options<'static> {
    let o = Options::default();
    match key {
        "default" => o,
        "raw" => Options { raw_id: true, ..o },
        "noindent" => Options { indent: false, ..o },
        "noheader" => Options { header: false, ..o },
        "offsets" => Options { offsets: true, ..o },
        "comment" => Options { comment: true, ..o },
        "color" => Options { color: true, ..o },
        "comment_offsets" => Options { comment: true, offsets: true, ..o },
        "nested" => Options { nested_indent: true, ..o },
        "nested_noindent" => Options { nested_indent: true, indent: false, ..o },
        "reorder" => Options { reorder_blocks: true, ..o },
        "nested_reorder_comment" => Options { nested_indent: true, reorder_blocks: true, comment: true, ..o },
        "all_color" => {
            Options { nested_indent: true, reorder_blocks: true, comment: true, offsets: true, color: true, ..o }
        }
        "unk" => Options { unknown_opcodes: true, ..o },
        other => panic!("no options are known for `{other}`"),
    }
}

/// Scores by key.
struct Scores {
    file: String,
    by_key: BTreeMap<String, Score>,
}

impl Scores {
    fn new(file: &str) -> Scores {
        Scores { file: file.to_owned(), by_key: BTreeMap::new() }
    }

    fn count(&mut self, n: usize, key: &str, ok: bool, why: impl FnOnce() -> String) {
        let score = self.by_key.entry(key.to_owned()).or_insert_with(|| Score::new(format!("{} {key}", self.file)));
        score.count(n, ok, why);
    }

    fn finish(self) -> Result<(), Failed> {
        let results: Vec<_> = self.by_key.into_values().map(|s| s.finish()).collect();
        results.into_iter().collect()
    }
}

fn modules(folder: &Path, file: &str) -> Result<(), Failed> {
    let mut scores = Scores::new(file);
    for (n, r) in records(folder, file) {
        let words = le_words(&unhex(text(&r, "bin")));
        let id = text(&r, "id");
        let source = || text(&r, "text").chars().take(3000).collect::<String>();
        let done = disassemble(&words, &Options::default());
        if r.get("dis_rc").is_some() {
            let line = done.failures.first().map(|f| f.line() + "\n").unwrap_or_default();
            let err = text(&r, "dis_err");
            scores.count(n, "message", line == err, || format!("{id}: {line:?} for {err:?}\n{}", source()));
            continue;
        }
        if let Some(expected) = r.get("dis").and_then(|d| d.as_str()) {
            let got = String::from_utf8_lossy(&done.text);
            scores.count(n, "text", got == expected, || format!("{id}: got\n{got}\nfor\n{expected}"));
        }
        if let Some(expected) = r.get("dis_default_sha").and_then(|d| d.as_str()) {
            scores.count(n, "default", sha(&done.text) == expected, || format!("{id} default:\n{}", source()));
        }
        for (key, expected) in r["dis_sha"].as_object().into_iter().flatten() {
            let done = disassemble(&words, &options(key));
            match expected.as_str() {
                Some(expected) => scores.count(n, key, sha(&done.text) == expected, || {
                    format!("{id} {key}: {:?}\n{}\n{}", done.failures, source(), String::from_utf8_lossy(&done.text))
                }),
                // The reference crashed: it is enough to say something.
                None => scores.count(n, "crashed", !done.text.is_empty(), || id.to_owned()),
            }
        }
        // The law: what the reference says comes back comes back.
        let back = |o: &Options<'_>, preserve: bool| {
            let again = asm::Options { preserve_numeric_ids: preserve, ..asm::Options::default() };
            asm::assemble_words(&disassemble(&words, o).text, &again)
        };
        for (key, o, preserve) in [
            ("rt", Options::default(), false),
            ("rt_raw", options("raw"), false),
            ("rt_raw_preserve", options("raw"), true),
        ] {
            if r[key].as_bool() == Some(true) {
                let again = back(&o, preserve);
                scores.count(n, key, again.failures.is_empty() && again.words == words, || {
                    format!("{id} {key}: {:?} {:x?} {:x?}", again.failures, again.words, words)
                });
            }
        }
    }
    scores.finish()
}

fn dis_options(folder: &Path) -> Result<(), Failed> {
    let mut scores = Scores::new("dis_options");
    for (n, r) in records(folder, "dis_options.jsonl.gz") {
        let words = le_words(&unhex(text(&r, "bin")));
        for (key, expected) in r["out"].as_object().into_iter().flatten() {
            let got = disassemble(&words, &options(key)).text;
            let expected = expected.as_str().unwrap_or_default();
            let differ = || {
                let got = String::from_utf8_lossy(&got).into_owned();
                let lines = got.lines().zip(expected.lines()).enumerate().find(|(_, (a, b))| a != b);
                format!("{} {key}: first difference {lines:?}", text(&r, "id"))
            };
            scores.count(n, key, got == expected.as_bytes(), differ);
        }
    }
    scores.finish()
}

fn shaders(folder: &Path) -> Result<(), Failed> {
    let mut scores = Scores::new("shaders_glsl");
    for (n, r) in records(folder, "shaders_glsl.jsonl.gz") {
        let words = le_words(&unhex(text(&r, "bin")));
        let src = text(&r, "src");
        let done = disassemble(&words, &Options::default());
        if let Some(err) = r.get("dis_err").and_then(|e| e.as_str()) {
            let line = done.failures.first().map(|f| f.line() + "\n").unwrap_or_default();
            scores.count(n, "message", line == err, || format!("{src}: {line:?} for {err:?}"));
            continue;
        }
        for (key, expected) in r["dis_sha"].as_object().into_iter().flatten() {
            let got = disassemble(&words, &options(key)).text;
            scores.count(n, key, Some(sha(&got).as_str()) == expected.as_str(), || format!("{src} {key}"));
        }
        let again = asm::assemble_words(&done.text, &asm::Options::default());
        scores.count(n, "reasm", le_bytes(&again.words) == unhex(text(&r, "reasm")), || src.to_owned());
        if r["rt_raw_preserve"].as_bool() == Some(true) {
            let raw = disassemble(&words, &options("raw")).text;
            let keep = asm::Options { preserve_numeric_ids: true, ..asm::Options::default() };
            let again = asm::assemble_words(&raw, &keep);
            scores.count(n, "rt_raw_preserve", again.words.get(5..) == words.get(5..), || src.to_owned());
        }
    }
    scores.finish()
}

/// The declaration of a type of `literals`.
fn declaration(ty: &str) -> String {
    let small = [
        ("bf16", "16 BFloat16KHR"),
        ("e4m3", "8 Float8E4M3EXT"),
        ("e5m2", "8 Float8E5M2EXT"),
        ("e2m3", "6 Float6E2M3EXT"),
        ("e3m2", "6 Float6E3M2EXT"),
        ("e2m1", "4 Float4E2M1EXT"),
        ("e8m0", "8 Float8UnsignedE8M0EXT"),
        ("mxint8", "8 MXInt8EXT"),
    ];
    if let Some(s) = small.iter().find(|s| s.0 == ty) {
        return format!("OpTypeFloat {}", s.1);
    }
    let width = &ty[1..];
    match ty.as_bytes()[0] {
        b'u' => format!("OpTypeInt {width} 0"),
        b'i' => format!("OpTypeInt {width} 1"),
        _ => format!("OpTypeFloat {width}"),
    }
}

/// Disassembles constants of one type, given by their words; the lines after the type's.
fn constants(ty: &str, values: &[Vec<u32>], raw_id: bool) -> Vec<String> {
    let mut words = asm::assemble_words(format!("%1 = {}", declaration(ty)).as_bytes(), &Default::default()).words;
    for (i, value) in values.iter().enumerate() {
        words.extend([(value.len() as u32 + 3) << 16 | 43, 1, i as u32 + 2]);
        words.extend(value);
    }
    words[3] = values.len() as u32 + 2;
    let done = disassemble(&words, &Options { raw_id, header: false, indent: false, ..Options::default() });
    assert!(done.failures.is_empty(), "{ty}: {:?}", done.failures);
    String::from_utf8_lossy(&done.text).lines().skip(1).map(str::to_owned).collect()
}

fn literals(folder: &Path) -> Result<(), Failed> {
    let mut printed = Score::new("literals printed");
    let mut friendly = Score::new("literals in friendly names");
    for (n, r) in records(folder, "literals.jsonl.gz").filter(|(_, r)| text(r, "k") == "dis") {
        let value: Vec<u32> = r["words"]
            .as_array()
            .expect("words")
            .iter()
            .map(|w| u32::from_str_radix(w.as_str().unwrap_or_default(), 16).expect("a word"))
            .collect();
        let line = &constants(text(&r, "ty"), std::slice::from_ref(&value), true)[0];
        let expected = format!("%2 = OpConstant %1 {}", text(&r, "lit"));
        printed.count(n, *line == expected, || format!("{r}: {line}"));
        let line = &constants(text(&r, "ty"), &[value], false)[0];
        let name = line.split(' ').next().unwrap_or_default();
        friendly.count(n, name == text(&r, "friendly"), || format!("{r}: {name}"));
    }
    printed.finish()?;
    friendly.finish()
}

fn exhaustive(folder: &Path) -> Result<(), Failed> {
    let hashes: serde_json::Value = serde_json::from_slice(&bytes(folder, "literals_exhaustive16.json")).expect("JSON");
    let mut score = Score::new("literals_exhaustive16");
    for (ty, expected) in hashes.as_object().expect("an object") {
        let values: Vec<Vec<u32>> = (0..=0xffff).map(|w| vec![w]).collect();
        let lines = constants(ty, &values, true);
        let literals: Vec<&str> = lines.iter().map(|l| l.rsplit(' ').next().unwrap_or_default()).collect();
        let hash = sha(literals.join("\n").as_bytes());
        score.count(ty, hash == text(expected, "sha256_of_literals_joined_by_newline"), || ty.clone());
    }
    score.finish()
}

fn binary_mutations(folder: &Path) -> Result<(), Failed> {
    let mut scores = Scores::new("binary_mutations");
    for (n, r) in records(folder, "binary_mutations.jsonl.gz") {
        let words = le_words(&unhex(text(&r, "bin")));
        let done = disassemble(&words, &Options::default());
        let src = text(&r, "src");
        let line = done.failures.first().map(|f| f.line() + "\n").unwrap_or_default();
        let rc = r["rc"].as_i64().unwrap_or(0);
        scores.count(n, "accepted or rejected", done.failures.is_empty() == (rc == 0), || {
            format!("{src} {:?}: {line}", text(&r, "err"))
        });
        if rc != 0 {
            let err = text(&r, "err");
            scores.count(n, "message", line == err, || format!("{src}: {line:?} for {err:?}"));
            let status = done.failures.first().map_or(0, |f| f.status as i64);
            scores.count(n, "class", status == rc, || format!("{src}: {status} for {rc}: {line}"));
        } else {
            scores.count(n, "text", sha(&done.text) == text(&r, "dis_sha"), || {
                format!("{src} {}", String::from_utf8_lossy(&done.text))
            });
        }
        if let Some(expected) = r.get("unk_sha").and_then(|s| s.as_str()) {
            let done = disassemble(&words, &options("unk"));
            scores.count(n, "unk", done.failures.is_empty() && sha(&done.text) == expected, || {
                format!("{src} unk: {:?} {}", done.failures, String::from_utf8_lossy(&done.text))
            });
        }
    }
    scores.finish()
}
