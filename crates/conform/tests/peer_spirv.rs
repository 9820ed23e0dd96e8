//! The SPIR-V grammar beside SPIRV-Tools: nothing may differ that the ledgers do not have. The ordinary run asks about every few of the chosen
//! words; with `ISAGLOT_FULL=1` all of them are asked about.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use isaglot_conform::report::{self, About};
use isaglot_conform::spirv::{Assembling, Disassembling, Ran, Spirv, Start, choose, round};
use isaglot_conform::tool::{self, Tool};
use isaglot_conform::{Known, Report, run, shipped};
use isaglot_source::{Diagnostic, Diagnostics, FileId, SourceMap};
use isaglot_testing::peer;
use isaglot_testing::{Failed, suite};

/// The ordinary run asks about one of so many words.
const STEP: usize = 12;

fn main() {
    let dis = || check("spirv-dis", include_str!("../../../specs/tools/spirv-dis.known"));
    let asm = || check("spirv-as", include_str!("../../../specs/tools/spirv-as.known"));
    suite::run(vec![
        peer::trial("SPIR-V beside spirv-dis", &[peer::SPIRV_TOOLS], dis),
        peer::trial("SPIR-V beside spirv-as", &[peer::SPIRV_TOOLS], asm),
    ]);
}

fn check(name: &str, known: &str) -> Result<(), Failed> {
    let started = Instant::now();
    let mut problems = Diagnostics::new();
    let tool = shipped::find(name).and_then(|text| tool::read(FileId(0), text, &mut problems)).ok_or("no adapter")?;
    let mut known = Known::read(FileId(0), known, &mut problems);
    assert_eq!(problems.error_count(), 0);
    let is_full = std::env::var_os("ISAGLOT_FULL").is_some_and(|on| on == "1");
    let mut processes = Processes(AtomicUsize::new(0));
    let (mut report, lacks) = compared(&tool, if is_full { 1 } else { STEP }, &mut processes).map_err(told)?;
    known.mark(&mut report.findings);
    let new = report.findings.iter().filter(|finding| finding.known.is_none()).count();
    let files = SourceMap::new();
    println!(
        "{} processes in {:?}; not known to it: {}",
        processes.0.load(Ordering::Relaxed),
        started.elapsed(),
        lacks.len()
    );
    let text = report::text(About { files: &files, name: "spirv", tool: name }, &report, false);
    if new == 0 {
        println!("{text}");
        Ok(())
    } else {
        Err(text.into())
    }
}

fn compared(tool: &Tool, step: usize, start: &mut dyn Start) -> Result<(Report, Vec<String>), Diagnostic> {
    let mut subject = Spirv::new();
    let mut choice = choose(&subject);
    let all = choice.words.clone();
    choice.words = choice.words.into_iter().step_by(step).collect();
    if tool.assemble.is_some() {
        let mut theirs = Assembling::new(tool, &subject, start)?;
        let lacks = theirs.learn(&choice.words)?;
        Ok((round(&mut subject, &choice, &mut theirs, &mut |_| {})?, lacks))
    } else {
        let mut theirs = Disassembling::new(tool, &subject, start)?;
        let lacks = theirs.learn(&all)?;
        Ok((run(&mut subject, &choice, &mut theirs, &tool.rules, &mut |_| {})?, lacks))
    }
}

fn told(d: Diagnostic) -> String {
    format!("{}: {}", d.message, d.notes.join("; "))
}

/// Starts two processes at a time, and counts them.
struct Processes(AtomicUsize);

impl Start for Processes {
    fn start(&mut self, command: &[String], inputs: &[Vec<u8>]) -> Result<Vec<Ran>, Diagnostic> {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, std::io::Result<Ran>)>> = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(input) = inputs.get(at) else { break };
                        let ran = one(command, input);
                        done.lock().unwrap().push((at, ran));
                    }
                });
            }
        });
        self.0.fetch_add(inputs.len(), Ordering::Relaxed);
        let mut done = done.into_inner().unwrap();
        done.sort_by_key(|(at, _)| *at);
        let failed = |e: std::io::Error| Diagnostic::error("conform-run", e.to_string());
        done.into_iter().map(|(_, ran)| ran.map_err(failed)).collect()
    }
}

fn one(command: &[String], input: &[u8]) -> std::io::Result<Ran> {
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (stdin, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // A program that does not read all of its input closes the pipe, which is no failure.
    let write = |pipe: Option<std::process::ChildStdin>| pipe.map(|mut pipe| pipe.write_all(input));
    let (out, err) = if input.len() < 1 << 12 {
        // What fits into a pipe needs no thread.
        write(stdin);
        (all(out)?, all(err)?)
    } else {
        std::thread::scope(|scope| {
            scope.spawn(|| write(stdin));
            let err = scope.spawn(|| all(err));
            Ok::<_, std::io::Error>((all(out)?, err.join().unwrap()?))
        })?
    };
    Ok(Ran { ok: child.wait()?.success(), out, err })
}

fn all(pipe: Option<impl Read>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.map(|mut pipe| pipe.read_to_end(&mut bytes)).transpose()?;
    Ok(bytes)
}
