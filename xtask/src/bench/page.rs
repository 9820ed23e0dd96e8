//! The explorer in a folder of pages, in a headless Chromium from `file://`: from the start of a page to its first answer, the round trip of a word, and a program of
//! 20,000 instructions as raw bytes, hex text and ELF, until its first rows are there and until it is whole. `page.mjs` beside this file drives the
//! browser. Times are those of the machine as it is: a loaded one multiplies them, but
//! not the work of the page's process until then, which is what a quiet machine would need at most.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Instructions of the program.
const INSTRUCTIONS: u32 = 20_000;

/// Runs, each with a browser of its own.
const RUNS: &str = "5";

/// Descriptions: name and arguments; the first one lists the programs.
const DESCRIPTIONS: &[(&str, &[&str])] = &[
    ("rv64gc", &["--isa", "rv64gc"]),
    ("minnow", &["--isa", "minnow"]),
    ("ir3", &["{isaspec}/ir3/ir3.xml", "--gen", "600"]),
];

const BROWSER: &str = "chromium";

/// Prints the times of every folder.
pub(crate) fn print() -> Result<(), String> {
    let isaspec = super::corpus()?.join("isaspec/xml").display().to_string();
    let engine = crate::root().join(crate::wasm::EXPLORER.result);
    if !engine.is_file() {
        println!("page: there is no {}: cargo xtask wasm --explorer", engine.display());
        return Ok(());
    }
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load of the machine: {}", load.split(' ').next().unwrap_or("not known"));
    println!("| page | first answer, ms | slowest | work of the page's process, ms | a word, ms | slowest of 100 |");
    println!("|---|---|---|---|---|---|");
    let mut listed = Vec::new();
    for (at, (name, args)) in DESCRIPTIONS.iter().enumerate() {
        let dir = super::folder()?.join(format!("page-{name}"));
        let mut docs = Command::new(super::program());
        docs.arg("docs").args(args.iter().map(|a| a.replace("{isaspec}", &isaspec)));
        run(docs.args(["--explorer", "--engine"]).arg(&engine).arg("-o").arg(&dir))?;
        let programs = if at == 0 { programs()? } else { Vec::new() };
        let mut node = Command::new("node");
        node.arg(crate::root().join("xtask/src/bench/page.mjs")).arg(BROWSER).arg(&dir).arg(RUNS);
        for (form, path) in &programs {
            node.arg(form).arg(path);
        }
        let told: Value = serde_json::from_slice(&run(&mut node)?).map_err(|e| format!("page.mjs: {e}"))?;
        let ms = |key: &str| told[key].as_f64().unwrap_or(f64::NAN);
        let (first, slowest, round, last) = (ms("first"), ms("slowest"), ms("round"), ms("round99"));
        let work = ms("work");
        println!("| {name} | {first:.0} | {slowest:.0} | {work:.0} | {round:.2} | {last:.2} |");
        listed.extend(told["programs"].as_array().cloned().unwrap_or_default());
    }
    println!(
        "\n| program of {INSTRUCTIONS} instructions | first rows, ms | slowest | work, ms | whole, ms | memory of the page, MB |"
    );
    println!("|---|---|---|---|---|---|");
    for one in listed {
        let number = |key: &str| one[key].as_f64().unwrap_or(f64::NAN);
        let (paint, slowest, whole, memory) = (number("paint"), number("slowest"), number("whole"), number("memory"));
        let work = number("work");
        println!(
            "| {} | {paint:.0} | {slowest:.0} | {work:.0} | {whole:.0} | {memory:.0} |",
            one["name"].as_str().unwrap_or("")
        );
    }
    Ok(())
}

/// The same program in each form.
fn programs() -> Result<Vec<(&'static str, PathBuf)>, String> {
    let dir = super::folder()?;
    let text: String =
        (0..INSTRUCTIONS).map(|n| if n % 100 == 99 { "j .-200\n" } else { "add a0, a0, a1\n" }).collect();
    let write = |path: &Path, bytes: &[u8]| fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()));
    let source = dir.join("page.s");
    write(&source, format!(".option norvc\n{text}").as_bytes())?;
    let at = |name: &str| dir.join(name);
    let all = [("raw", at("page.bin")), ("hex", at("page.hex")), ("ELF", at("page.elf"))];
    for (form, path) in &all {
        let mut asm = Command::new(super::program());
        asm.args(["asm", "--isa", "rv64gc"]).arg(&source).arg("-o").arg(path);
        match *form {
            "hex" => {
                let bytes = fs::read(at("page.bin")).map_err(|e| format!("page.bin: {e}"))?;
                let line = |row: &[u8]| row.iter().map(|b| format!("{b:02x} ")).collect::<String>() + "\n";
                write(path, bytes.chunks(16).map(line).collect::<String>().as_bytes())?;
            }
            "ELF" => drop(run(asm.args(["--format", "elf"]))?),
            _ => drop(run(&mut asm)?),
        }
    }
    Ok(all.to_vec())
}

fn run(command: &mut Command) -> Result<Vec<u8>, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done = command.output().map_err(|e| format!("{name}: {e}"))?;
    if !done.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&done.stderr)));
    }
    Ok(done.stdout)
}
