//! The `spirv-as` and `spirv-dis` stand-ins against the corpus: outputs, messages and exit statuses.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use isaglot_testing::corpus::unhex;
use isaglot_testing::{Failed, Tally, corpus, ledger, suite};
use serde_json::Value;

fn main() {
    suite::run_corpus_cases("spirv", &[("spirv::cli", cli), ("spirv::target_env", target_env)]);
}

fn json(folder: &Path, name: &str) -> Result<Value, Failed> {
    Ok(serde_json::from_slice(&corpus::bytes(&folder.join(name))?)?)
}

fn verdict(tally: &Tally) -> Result<(), Failed> {
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "spirv_cli", tally)?)
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
    let all = json(corpus, "cli.json.gz")?;
    let dir = workshop();
    for (name, content) in all["files_hex"].as_object().expect("files") {
        std::fs::write(dir.path().join(name), unhex(content.as_str().unwrap_or_default())).expect("a file");
    }
    let mut tally = Tally::default();
    for (row, case) in all["cases"].as_array().expect("cases").iter().enumerate() {
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
        let same = Some(code) == case["rc"].as_i64() && case["stderr"].as_str() == Some(&stderr) && same_output;
        tally.check("cli.json.gz", row + 1, same, || {
            let stdout = String::from_utf8_lossy(&stdout);
            format!("{program} {args:?}: {code} {stderr:?} {stdout:?}, expected {case}")
        });
    }
    verdict(&tally)
}

fn target_env(corpus: &Path) -> Result<(), Failed> {
    let all = json(corpus, "target_env.json.gz")?;
    let dir = workshop();
    let mut tally = Tally::default();
    let environments = all["header"].as_object().expect("environments");
    for (name, expected) in environments {
        let (code, stdout, stderr) = run(dir.path(), "spirv-as", &["--target-env", name, "-o", "-", "-"], b"OpNop\n");
        let words: Vec<String> =
            stdout.chunks_exact(4).map(|c| format!("{:08x}", u32::from_le_bytes([c[0], c[1], c[2], c[3]]))).collect();
        let same = match expected["words"].as_array() {
            Some(list) => list.iter().filter_map(Value::as_str).eq(words.iter().map(String::as_str)),
            None => words.is_empty(),
        };
        let code_is = Some(code) == expected["rc"].as_i64().map(|rc| rc & 255);
        let same = same && code_is && expected["err"].as_str() == Some(&stderr);
        tally.check("target_env.json.gz", name, same, || format!("{code} {stderr:?} {words:?}, expected {expected}"));
    }
    verdict(&tally)
}
