//! What the library's engine answers is what the program prints, for every name in the table of names: text, bytes, explanations,
//! listings, refusals.

use std::path::Path;
use std::process::{Command, Stdio};

use isaglot::engine::ListOptions;
use isaglot::spec::Choice;
use isaglot::{Engine, Error};
use isaglot_testing::random::Random;

/// Names with the words that the program is asked about beside random ones.
const NAMES: [&str; 18] = [
    "minnow",
    "minnow@v2",
    "trio",
    "rv32i",
    "rv64gc",
    "rv64gc_zba_zbb",
    "rva23u64",
    "riscv@64",
    "xelp",
    "xehp",
    "xehpg",
    "xehpc",
    "xe2",
    "xe3",
    "pvc",
    "xe@xe2",
    "spirv",
    "nothing",
];

/// Bytes of the random program of each name.
const BYTES: usize = 32 * 16;

fn run(args: &[&str], input: &[u8]) -> (i32, Vec<u8>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_isaglot"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("standard input");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // It may have been refused before it is read.
        let _ = std::io::Write::write_all(&mut stdin, &input);
    });
    let out = child.wait_with_output().expect("the program ends");
    writer.join().expect("written");
    (out.status.code().unwrap_or(-1), out.stdout, String::from_utf8_lossy(&out.stderr).into_owned())
}

/// The messages of an error as the program writes them, without what it is about.
fn first_line(error: &Error) -> String {
    error.to_string().lines().next().unwrap_or("").to_owned()
}

fn agree(name: &str) {
    let engine = match Engine::open(name, &Choice::default()) {
        Ok(engine) => engine,
        Err(error) => {
            let (code, _, said) = run(&["explain", "--isa", name, "0"], b"");
            assert_eq!((code, said.lines().next().unwrap_or("")), (1, first_line(&error).as_str()), "{name}");
            return;
        }
    };
    let is_spirv = name == "spirv";
    let bytes = Random::new(7).bytes(BYTES);
    if is_spirv {
        let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%f = OpTypeFloat 32\n";
        let made = engine.assemble(text).expect("a module").bytes;
        let (_, theirs, _) = run(&["spirv", "as", "-o", "-", "-"], text.as_bytes());
        assert_eq!(made, theirs);
        let (_, theirs, _) = run(&["spirv", "dis", "-"], &made);
        assert_eq!(engine.disassemble(&made, true).expect("text").text.as_bytes(), theirs);
        let listed = engine.list(&made, ListOptions { defs: true, ..ListOptions::default() }).expect("a listing");
        let (_, theirs, _) = run(&["list", "--isa", name, "--defs", "--json", "-"], &made);
        assert_eq!(listed.json.as_bytes(), theirs);
        let refused = engine.explain("0").expect_err("SPIR-V has no words");
        let (_, _, said) = run(&["explain", "--isa", name, "0"], b"");
        assert_eq!(said.lines().next().unwrap_or(""), first_line(&refused));
        return;
    }
    let labels = engine.disassemble(&bytes, true).expect("text");
    let (_, theirs, _) = run(&["disasm", "--isa", name, "--labels", "--binary", "-"], &bytes);
    assert_eq!(labels.text, String::from_utf8_lossy(&theirs), "{name}: disasm --labels");
    let plain = engine.disassemble(&bytes, false).expect("text");
    let (_, theirs, _) = run(&["disasm", "--isa", name, "--binary", "-"], &bytes);
    assert_eq!(plain.text, String::from_utf8_lossy(&theirs), "{name}: disasm");
    for defs in [false, true] {
        let options = ListOptions { defs, pc: true, bits: defs };
        let listed = engine.list(&bytes, options).expect("a listing");
        let mut args = vec!["list", "--isa", name, "--json", "--pc", "--binary", "-"];
        if defs {
            args.extend(["--defs", "--bits"]);
        }
        let (_, theirs, _) = run(&args, &bytes);
        assert!(listed.json.as_bytes() == theirs, "{name}: list --json, defs {defs}");
    }
    // Each instruction of the program: explained, and its text assembled.
    let mut columns = isaglot::engine::Columns::default();
    let used = engine.decode_into(&bytes, &mut columns).expect("columns");
    assert_eq!(used, columns.size.iter().map(|&size| size as usize).sum::<usize>(), "{name}");
    let mut questions = Vec::new();
    let mut instructions = Vec::new();
    for row in 0..columns.len() {
        let at = columns.offset[row] as usize;
        let taken = &bytes[at..at + columns.size[row] as usize];
        let decoded = engine.decode(taken);
        assert_eq!(decoded.is_ok(), columns.encoding[row] >= 0, "{name}: row {row}");
        let Ok(decoded) = decoded else { continue };
        assert_eq!((decoded.text.as_str(), decoded.size), (columns.text(row), taken.len()), "{name}: row {row}");
        let names = engine.encodings()[columns.encoding[row] as usize];
        assert_eq!(names, (decoded.mnemonic.as_str(), decoded.encoding.as_str()), "{name}: row {row}");
        questions.push(format!("0x{}", isaglot::explain::full_hex(&decoded.word)));
        instructions.push(decoded);
    }
    assert!(!questions.is_empty(), "{name}: no instruction among random words");
    questions.truncate(20);
    let asked: Vec<&str> = ["explain", "--isa", name].into_iter().chain(questions.iter().map(String::as_str)).collect();
    let texts: Vec<String> = questions.iter().map(|q| engine.explain(q).expect("explained").text).collect();
    assert_eq!(texts.join("\n"), String::from_utf8_lossy(&run(&asked, b"").1), "{name}: explain");
    let one = engine.explain(&questions[0]).expect("explained");
    let (_, theirs, _) = run(&["explain", "--isa", name, "--json", &questions[0]], b"");
    assert_eq!(one.json, String::from_utf8_lossy(&theirs), "{name}: explain --json");
    for instruction in instructions.iter().filter(|one| one.problem.is_none()).take(3) {
        let (code, theirs, said) = run(&["asm", "--isa", name, "-"], instruction.text.as_bytes());
        match engine.assemble(&instruction.text) {
            Ok(made) => assert_eq!((code, &made.bytes), (0, &theirs), "{name}: {}", instruction.text),
            Err(error) => {
                let told: Vec<String> = error.problems().iter().map(|d| d.message.clone()).collect();
                assert_eq!(code, 1, "{name}: {}: {error}", instruction.text);
                told.iter().for_each(|message| assert!(said.contains(message), "{name}: {said}"));
            }
        }
    }
}

#[test]
fn the_engine_answers_as_the_program() {
    NAMES.iter().for_each(|name| agree(name));
}

#[test]
fn files_are_read_as_the_program_reads_them() {
    let root = isaglot_testing::workspace();
    let path = root.join("specs/minnow/minnow.xml");
    let path = path.to_str().expect("a path");
    let by_path = Engine::open(path, &Choice::default().with_gen("v2")).expect("minnow");
    let mut read = |name: &str| std::fs::read(name).map_err(|e| e.to_string());
    let by_callback = Engine::read(path, &mut read, &Choice::default().with_gen("v2")).expect("minnow");
    let folder = tempfile::tempdir().expect("a folder");
    let compiled = folder.path().join("minnow.isa");
    let compiled = compiled.to_str().expect("a path");
    assert_eq!(run(&["compile", path, "-o", compiled], b"").0, 0);
    let bytes = std::fs::read(compiled).expect("compiled");
    let by_bytes = Engine::compiled("minnow.isa", &bytes, &Choice::default().with_gen("v2")).expect("minnow");
    let by_file = Engine::open(compiled, &Choice::default().with_gen("v2")).expect("minnow");
    let program = Random::new(3).bytes(BYTES);
    let (_, theirs, _) = run(&["disasm", "--spec", path, "--gen", "v2", "--labels", "--binary", "-"], &program);
    for engine in [by_path, by_callback, by_bytes, by_file] {
        let text = engine.disassemble(&program, true).expect("text").text;
        assert_eq!(text, String::from_utf8_lossy(&theirs));
    }
}

#[test]
fn findings_are_those_of_check() {
    for name in ["minnow", "trio"] {
        let engine = Engine::open(name, &Choice::default()).expect("a description");
        let (_, theirs, _) = run(&["check", "--isa", name, "--json"], b"");
        assert_eq!(engine.check().expect("checked").json, String::from_utf8_lossy(&theirs), "{name}");
    }
}

#[test]
fn choices_that_mean_nothing_are_refused_as_options_are() {
    let triple = Choice { triple: "riscv64".to_owned(), ..Choice::default() };
    let overlay = Choice { overlay: Some(Path::new("x").to_owned()), ..Choice::default() };
    let cases = [
        ("minnow", Choice::default().with_gen("v9"), vec!["--gen", "v9"]),
        ("minnow", Choice::default().with_features(&["+nothing"]), vec!["--feature", "+nothing"]),
        ("minnow", triple.clone(), vec!["--triple", "riscv64"]),
        ("minnow", overlay, vec!["--overlay", "x"]),
        ("xehpc", triple, vec!["--triple", "riscv64"]),
        ("xehpc", Choice::default().with_gen("xe2"), vec!["--gen", "xe2"]),
        ("xe", Choice::default().with_gen("v9"), vec!["--gen", "v9"]),
    ];
    for (name, choice, options) in cases {
        let error = Engine::open(name, &choice).expect_err("refused");
        let args: Vec<&str> = ["disasm", "--isa", name].into_iter().chain(options).collect();
        let (code, _, said) = run(&args, b"");
        assert_ne!(code, 0, "{name}");
        assert_eq!(said.lines().next().unwrap_or(""), first_line(&error), "{name}");
    }
}

#[test]
fn threads_share_an_engine() {
    fn shared<T: Send + Sync + Clone + 'static>(_: &T) {}
    for name in ["rv64gc", "xehpc"] {
        let engine = Engine::open(name, &Choice::default()).expect("an engine");
        shared(&engine);
        let program = Random::new(5).bytes(BYTES);
        let expected = engine.disassemble(&program, true).expect("text");
        let ask = || {
            let (engine, program) = (engine.clone(), program.clone());
            std::thread::spawn(move || engine.disassemble(&program, true).expect("text"))
        };
        let all: Vec<_> = (0..8).map(|_| ask()).collect();
        for thread in all {
            assert_eq!(thread.join().expect("no panic"), expected);
        }
    }
}
