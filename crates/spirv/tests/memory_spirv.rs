//! Memory stays below ten times the input, and a megabyte, on inputs made to take as much as they can.
//!
//! Each case runs in a process of its own, which reads the input from standard input, does what the command does, and
//! says the most that it had allocated at once. What grows is counted by what is asked for, not by what is used.

#[path = "memory/modules.rs"]
mod modules;
#[path = "memory/texts.rs"]
mod texts;

use std::alloc::System;
use std::io::{Read, Seek, Write};
use std::process::{Command, Stdio};

use cap::Cap;
use isaglot_source::{SourceMap, render};
use isaglot_spirv::{asm, dis, exact, list};
use isaglot_testing::rounds;
use libtest_mimic::{Arguments, Failed, Trial};

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// What a case may take per byte of input.
const TIMES: usize = 10;

/// What it may take beside: buffers, small tables, the longest line.
const BASE: usize = 1 << 20;

/// Bytes of input. A run with fewer rounds takes a quarter, so that `BASE` does not hide what is taken per byte.
const SIZE: usize = 2 << 20;

/// Names the case that a child process runs.
const CASE: &str = "ISAGLOT_MEMORY_CASE";

/// What is done with an input.
#[derive(Clone, Copy)]
enum Tool {
    Dis(fn(&mut dis::Options<'static>)),
    DisExact,
    Json,
    As(fn(&mut asm::Options<'static>)),
    AsExact,
}

/// A case: its name, its input of about so many bytes, the tool.
type Case = (&'static str, fn(usize) -> Vec<u8>, Tool);

fn main() {
    let cases: Vec<Case> = modules::CASES.iter().chain(texts::CASES).copied().collect();
    if let Ok(name) = std::env::var(CASE) {
        let (_, _, tool) = cases.iter().find(|case| case.0 == name).expect("a case of this name");
        println!("{}", measure(*tool));
        return;
    }
    let args = Arguments::from_args();
    let trials =
        cases.iter().map(|&(name, input, _)| Trial::test(format!("spirv::{name}"), move || check(name, input)));
    libtest_mimic::run(&args, trials.collect()).exit();
}

/// Runs a case in a process of its own and compares.
fn check(name: &str, input: fn(usize) -> Vec<u8>) -> Result<(), Failed> {
    let bytes = input(rounds(SIZE).max(SIZE / 4));
    let mut file = tempfile::tempfile()?;
    file.write_all(&bytes)?;
    file.rewind()?;
    let child = Command::new(std::env::current_exe()?).env(CASE, name).stdin(Stdio::from(file)).output()?;
    let said = String::from_utf8_lossy(&child.stdout);
    let Ok(most) = said.trim().parse::<usize>() else {
        return Err(format!("no figure: {said}{}", String::from_utf8_lossy(&child.stderr)).into());
    };
    let times = most as f64 / bytes.len() as f64;
    println!("{name}: {} kB in, {} kB at most, {times:.1} times", bytes.len() / 1000, most / 1000);
    if most <= TIMES * bytes.len() + BASE { Ok(()) } else { Err(format!("{name}: {times:.1} times the input").into()) }
}

/// Does what the command does and gives the most that was allocated at once.
fn measure(tool: Tool) -> usize {
    let before = ALLOCATOR.allocated();
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).expect("standard input");
    let mut length = 0;
    let mut write = |text: &[u8]| {
        length += text.len();
        true
    };
    match tool {
        Tool::As(_) | Tool::AsExact => assemble(tool, bytes),
        _ => {
            let words = dis::read(&bytes).expect("words");
            drop(bytes);
            let mut options = dis::Options::default();
            let failures = match tool {
                Tool::Dis(set) => {
                    set(&mut options);
                    dis::disassemble_to(&words, &options, &mut write)
                }
                Tool::DisExact => exact::disassemble_to(&words, &options, &mut write),
                _ => list::json_to(&words, &options, list::Show::default(), &mut write).expect("a listing"),
            };
            let files = SourceMap::new();
            failures.iter().for_each(|f| drop(render::text(&files, &f.diagnostic("module"), false)));
        }
    }
    ALLOCATOR.max_allocated() - before
}

fn assemble(tool: Tool, text: Vec<u8>) {
    let mut options = asm::Options::default();
    let done = match tool {
        Tool::As(set) => {
            set(&mut options);
            if options.map { asm::assemble(&text, &options) } else { asm::assemble_words(&text, &options) }
        }
        _ => exact::assemble(&text, &options).1,
    };
    if !done.failures.is_empty() {
        let mut files = SourceMap::new();
        let file = files.add("text", text);
        done.failures.iter().for_each(|f| drop(render::text(&files, &f.diagnostic(file), false)));
    }
}
