//! The engine of a folder of pages, as WebAssembly, beside the engine of the program: the same answers, byte for byte, to words around every
//! encoding, to texts, programs and what a page shows at first. A sample in the ordinary run; 10,000 words and 2,000 texts of each
//! description with `ISAGLOT_FULL=1`. Only places in the sources differ: a compiled description has none.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use isaglot_testing::{Failed, Random, Trial, corpus, peer};
use serde_json::{Value, json};

use crate::server::{Connection, Server};

/// Words and texts of a description, in a run of everything and in the ordinary one.
const WORDS: [usize; 2] = [10_000, 300];
const TEXTS: [usize; 2] = [2_000, 60];

/// Instructions of a program that is listed.
const PROGRAM: usize = 200;

/// The engine with all that pages need, as `cargo xtask wasm --all` makes it; `ISAGLOT_ENGINE` names another.
pub(crate) const ENGINE: peer::Peer = peer::Peer {
    name: "the engine as WebAssembly (cargo xtask wasm --all --quick)",
    probe: || if engine().is_file() { Ok(()) } else { Err(format!("there is no {}", engine().display())) },
};

/// Node.
const NODE: peer::Peer = peer::Peer {
    name: "node",
    probe: || match Command::new("node").arg("--version").stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        other => Err(format!("{other:?}")),
    },
};

fn engine() -> PathBuf {
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/wasm/isaglot-explorer-all.wasm");
    std::env::var_os("ISAGLOT_ENGINE").map_or(usual, PathBuf::from)
}

/// A description: its name here, what comes after the verb, and what `docs` takes besides.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) args: Vec<String>,
}

/// Descriptions of every form: by name, in XML, of a machine of Intel Xe, SPIR-V, from LLVM's records.
pub(crate) fn cases() -> Result<Vec<Case>, Failed> {
    let named = |name: &'static str| Case { name, args: vec!["--isa".to_owned(), name.to_owned()] };
    let mut all = vec![named("minnow"), named("rv64gc"), named("xehpc"), named("spirv")];
    if let Some(folder) = corpus::folder("isaspec") {
        let xml = |name: &'static str, more: &[&str]| {
            let top = folder.join("xml").join(name).join(format!("{name}.xml")).display().to_string();
            let args = [top].into_iter().chain(more.iter().map(|&m| m.to_owned())).collect();
            Case { name, args }
        };
        all.push(xml("ir3", &["--gen", "600"]));
        all.push(xml("etnaviv", &[]));
    }
    if let Some(folder) = corpus::folder("tablegen") {
        let root = corpus::unpacked(&folder.join("td.tar.xz"))?;
        let at = |path: &str| root.join(path).display().to_string();
        let include = ["-I".to_owned(), at("llvm/include"), "-I".to_owned(), at("llvm/lib/Target/BPF")];
        let args = [&[at("llvm/lib/Target/BPF/BPF.td")][..], &include].concat();
        all.push(Case { name: "bpf", args });
    }
    Ok(all)
}

/// Makes a folder of pages with the explorer.
pub(crate) fn folder(case: &Case) -> Result<tempfile::TempDir, Failed> {
    let dir = tempfile::tempdir()?;
    let mut docs = Command::new(env!("CARGO_BIN_EXE_isaglot"));
    docs.arg("docs").args(&case.args).args(["--explorer", "--engine"]).arg(engine()).arg("-o").arg(dir.path());
    let done = docs.output()?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned().into());
    }
    Ok(dir)
}

pub(crate) fn trials() -> Vec<Trial> {
    let names = ["minnow", "rv64gc", "xehpc", "spirv", "ir3", "etnaviv", "bpf"];
    let trial = |name: &'static str| peer::trial(format!("peer_engine_{name}"), &[ENGINE, NODE], move || equal(name));
    let mut all: Vec<Trial> = names.into_iter().map(trial).collect();
    all.push(Trial::test("engine_refused", refused));
    all
}

/// The case of a name; `None` where its corpus is not there.
pub(crate) fn case(name: &str) -> Result<Option<Case>, Failed> {
    Ok(cases()?.into_iter().find(|case| case.name == name))
}

/// The back end of a folder.
struct Engine {
    node: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Engine {
    fn start(folder: &Path) -> Result<Engine, Failed> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explore/engine.mjs");
        let mut node =
            Command::new("node").arg(script).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let questions = node.stdin.take().ok_or("no input")?;
        let answers = BufReader::new(node.stdout.take().ok_or("no output")?);
        Ok(Engine { node, questions, answers })
    }

    fn ask(&mut self, question: &Value, bytes: Option<&str>) -> Result<String, Failed> {
        let mut line = json!({ "question": question });
        if let (Some(bytes), Value::Object(line)) = (bytes, &mut line) {
            line.insert("bytes".to_owned(), bytes.into());
        }
        writeln!(self.questions, "{line}")?;
        let mut answer = String::new();
        if self.answers.read_line(&mut answer)? == 0 {
            return Err("the engine has ended".into());
        }
        Ok(answer.trim_end_matches('\n').to_owned())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.node.kill();
        let _ = self.node.wait();
    }
}

/// An answer without the places in the sources: those of encodings, and those in the sentences about names that nothing defines.
pub(crate) fn placeless(answer: &str) -> String {
    let encodings = without(answer, "\"at\":\"", "\"");
    without(&encodings, " here: the case of ", " would, if ")
}

/// A text without what stands between two others.
fn without(text: &str, before: &str, after: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(before) {
        let end = at + before.len();
        out.push_str(&rest[..end]);
        rest = rest[end..].find(after).map_or("", |place| &rest[end + place..]);
    }
    out + rest
}

fn equal(name: &str) -> Result<(), Failed> {
    let Some(case) = case(name)? else { return Ok(()) };
    let dir = folder(&case)?;
    let mut engine = Engine::start(dir.path())?;
    let server = Server::start(&case.args)?;
    let mut program = Connection::new(&server)?;
    let same = |what: &str, given: String, wanted: (u16, Vec<u8>)| -> Result<(String, Value), Failed> {
        let wanted = placeless(&String::from_utf8_lossy(&wanted.1));
        let given = placeless(&given);
        if given != wanted {
            return Err(format!("{what}: the folder says\n{given}\nthe program\n{wanted}").into());
        }
        let value = serde_json::from_str(&given)?;
        Ok((given, value))
    };
    let names = (engine.ask(&json!({ "what": "mnemonics" }), None)?, program.request("GET", "/api/mnemonics", &[])?);
    let (_, names) = same("mnemonics", names.0, names.1)?;
    let words: Vec<String> = names.as_array().into_iter().flatten().flat_map(examples).collect();
    if words.is_empty() {
        return Err("no mnemonics".into());
    }
    let full = usize::from(std::env::var_os("ISAGLOT_FULL").is_none());
    let (mut random, mut texts) = (Random::new(7), Vec::new());
    let mut bytes = String::new();
    let mut instructions = 0;
    for round in 0..WORDS[full] {
        let word = near(&words[round % words.len()], &mut random, round >= words.len());
        let given = engine.ask(&json!({ "what": "ask", "text": word }), None)?;
        let (_, answer) = same(&word, given, program.request("GET", &format!("/api/ask?q={word}"), &[])?)?;
        if let Some(text) = answer["text"].as_str() {
            instructions += 1;
            texts.push(text.to_owned());
            if instructions <= PROGRAM {
                bytes.push_str(&answer["bytes"].as_str().unwrap_or_default().replace(' ', ""));
            }
        }
    }
    let mut assembled = 0;
    for text in texts.iter().take(TEXTS[full]) {
        let given = engine.ask(&json!({ "what": "ask", "text": text }), None)?;
        let query: String = text.bytes().map(|b| format!("%{b:02x}")).collect();
        let (_, answer) = same(text, given, program.request("GET", &format!("/api/ask?q={query}"), &[])?)?;
        assembled += usize::from(answer["kind"] == "asm");
    }
    // What may come next, after beginnings of texts.
    for text in texts.iter().take(TEXTS[full] / 4) {
        for end in (1..text.len()).step_by(3).filter(|end| text.is_char_boundary(*end)) {
            let begun = &text[..end];
            let given = engine.ask(&json!({ "what": "next", "text": begun }), None)?;
            let query: String = begun.bytes().map(|b| format!("%{b:02x}")).collect();
            same(begun, given, program.request("GET", &format!("/api/next?q={query}"), &[])?)?;
        }
    }
    for defs in [false, true] {
        let given = engine.ask(&json!({ "what": "list", "defs": defs }), Some(&bytes))?;
        let raw: Vec<u8> =
            (0..bytes.len() / 2).filter_map(|n| u8::from_str_radix(&bytes[2 * n..2 * n + 2], 16).ok()).collect();
        same("list", given, program.request("POST", &format!("/api/list?defs={}", u8::from(defs)), &raw)?)?;
    }
    let source: String = texts.iter().take(PROGRAM).map(|text| format!("{text}\n")).collect();
    for source in [source.as_str(), "nonsense\n", "00000000: 1305 a000  ....\n", ""] {
        let given = engine.ask(&json!({ "what": "typed", "text": source }), None)?;
        same("typed", given, program.request("POST", "/api/typed", source.as_bytes())?)?;
    }
    println!(
        "{name}: {} words, {instructions} instructions, {} texts, {assembled} assembled",
        WORDS[full],
        texts.len().min(TEXTS[full])
    );
    if instructions * 4 < WORDS[full] || assembled == 0 {
        return Err(format!("only {instructions} instructions and {assembled} texts").into());
    }
    Ok(())
}

/// The examples of a mnemonic: `[mnemonic, [[number, name, word], …]]`.
fn examples(row: &Value) -> Vec<String> {
    row[1].as_array().into_iter().flatten().filter_map(|e| e[2].as_str().map(str::to_owned)).collect()
}

/// A word with some of its bits flipped.
fn near(word: &str, random: &mut Random, flip: bool) -> String {
    let mut digits: Vec<u32> = word.chars().skip(2).filter_map(|c| c.to_digit(16)).collect();
    if flip {
        for _ in 0..random.below(6) {
            let at = random.below(digits.len() as u64) as usize;
            digits[at] ^= 1 << random.below(4);
        }
    }
    digits.iter().fold("0x".to_owned(), |text, d| text + &format!("{d:x}"))
}

/// What is not an engine is refused, and a missing one is said to be missing.
fn refused() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let out = dir.path().join("pages");
    let text = dir.path().join("text.wasm");
    std::fs::write(&text, "not a module")?;
    for (engine, says) in [(text, "not a WebAssembly module"), (dir.path().join("none.wasm"), "none.wasm")] {
        let mut docs = Command::new(env!("CARGO_BIN_EXE_isaglot"));
        docs.args(["docs", "--isa", "minnow", "--explorer", "--engine"]).arg(engine).arg("-o").arg(&out);
        let done = docs.output()?;
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        if done.status.code() != Some(1) || !said.contains(says) || out.exists() {
            return Err(format!("{:?}: {said}", done.status).into());
        }
    }
    Ok(())
}
