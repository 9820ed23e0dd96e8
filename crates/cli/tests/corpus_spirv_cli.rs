//! The `spirv-as` and `spirv-dis` stand-ins against the corpus: outputs, messages and exit statuses.
//!
//! `ISAGLOT_CORPUS` names the folder (default `../shared/corpus` beside the workspace); without it the cases are
//! reported as ignored.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

fn corpus() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = std::env::var_os("ISAGLOT_CORPUS").map_or_else(|| root.join("../shared/corpus"), PathBuf::from);
    Some(corpus.join("spirv")).filter(|d| d.is_dir())
}

fn json(folder: &Path, name: &str) -> Value {
    let packed = std::fs::read(folder.join(name)).expect("a corpus file");
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut text).expect("a gzip file");
    serde_json::from_slice(&text).expect("JSON")
}

fn unhex(digits: &str) -> Vec<u8> {
    let byte = |p: &[u8]| u8::from_str_radix(std::str::from_utf8(p).expect("ASCII"), 16).expect("hex");
    digits.as_bytes().chunks(2).map(byte).collect()
}

/// Runs a stand-in in a folder.
fn run(folder: &Path, program: &str, args: &[&str], stdin: &[u8]) -> (i64, Vec<u8>, String) {
    let mut child = Command::new(folder.join(program))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    // The tool may end without reading.
    let _ = child.stdin.take().expect("a pipe").write_all(stdin);
    let out = child.wait_with_output().expect("the tool ends");
    let code = out.status.code().map_or(-1, i64::from);
    (code, out.stdout, String::from_utf8_lossy(&out.stderr).into_owned())
}

/// A folder with the stand-ins as links to the program.
fn workshop() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for name in ["spirv-as", "spirv-dis"] {
        std::fs::hard_link(env!("CARGO_BIN_EXE_isaglot"), dir.path().join(name))
            .or_else(|_| std::fs::copy(env!("CARGO_BIN_EXE_isaglot"), dir.path().join(name)).map(drop))
            .expect("a link");
    }
    dir
}

fn cli(corpus: &Path) -> Result<(), Failed> {
    let all = json(corpus, "cli.json.gz");
    let dir = workshop();
    for (name, content) in all["files_hex"].as_object().expect("files") {
        std::fs::write(dir.path().join(name), unhex(content.as_str().unwrap_or_default())).expect("a file");
    }
    let (mut passed, mut wrong) = (0, Vec::new());
    let cases = all["cases"].as_array().expect("cases");
    for case in cases {
        let program = case["prog"].as_str().unwrap_or_default();
        let args: Vec<&str> = case["args"].as_array().expect("args").iter().filter_map(Value::as_str).collect();
        let stdin = case["stdin"].as_str().map(|name| std::fs::read(dir.path().join(name)).expect("a file"));
        let (code, stdout, stderr) = run(dir.path(), program, &args, &stdin.unwrap_or_default());
        let help = args.iter().any(|a| matches!(*a, "-h" | "--help" | "--version"));
        let expected = match (&case["stdout_hex"], &case["stdout"]) {
            (Value::String(hex), _) => Some(unhex(hex)),
            (_, Value::String(text)) => Some(text.clone().into_bytes()),
            _ => None,
        };
        let same_output = if help { !stdout.is_empty() } else { expected.is_none_or(|e| e == stdout) };
        if Some(code) == case["rc"].as_i64() && case["stderr"].as_str() == Some(&stderr) && same_output {
            passed += 1;
        } else {
            let stdout = String::from_utf8_lossy(&stdout).into_owned();
            wrong.push(format!("{program} {args:?}: {code} {stderr:?} {stdout:?}, expected {case}"));
        }
    }
    println!("cli: {passed}/{}", cases.len());
    if wrong.is_empty() && passed > 0 { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn target_env(corpus: &Path) -> Result<(), Failed> {
    let all = json(corpus, "target_env.json.gz");
    let dir = workshop();
    let (mut passed, mut wrong) = (0, Vec::new());
    let environments = all["header"].as_object().expect("environments");
    for (name, expected) in environments {
        let (code, stdout, stderr) = run(dir.path(), "spirv-as", &["--target-env", name, "-o", "-", "-"], b"OpNop\n");
        let words: Vec<String> =
            stdout.chunks_exact(4).map(|c| format!("{:08x}", u32::from_le_bytes([c[0], c[1], c[2], c[3]]))).collect();
        let same = match expected["words"].as_array() {
            Some(list) => list.iter().filter_map(Value::as_str).eq(words.iter().map(String::as_str)),
            None => words.is_empty(),
        };
        if same && Some(code) == expected["rc"].as_i64().map(|rc| rc & 255) && expected["err"].as_str() == Some(&stderr)
        {
            passed += 1;
        } else {
            wrong.push(format!("{name}: {code} {stderr:?} {words:?}, expected {expected}"));
        }
    }
    println!("target_env: {passed}/{}", environments.len());
    if wrong.is_empty() && passed > 0 { Ok(()) } else { Err(wrong.join("\n").into()) }
}

type Case = fn(&Path) -> Result<(), Failed>;

fn main() {
    let args = Arguments::from_args();
    let corpus = corpus();
    if corpus.is_none() {
        eprintln!("spirv: no corpus folder, corpus cases are ignored");
    }
    let cases: [(&str, Case); 2] = [("cli", cli), ("target_env", target_env)];
    let trials = cases.map(|(name, case)| {
        let ignored = corpus.is_none();
        let corpus = corpus.clone();
        let run = move || corpus.map_or(Ok(()), |folder| case(&folder));
        Trial::test(format!("spirv::{name}"), run).with_ignored_flag(ignored)
    });
    libtest_mimic::run(&args, trials.into()).exit();
}
