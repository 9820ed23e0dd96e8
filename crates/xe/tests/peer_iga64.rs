//! Text with dataflow and the forms of prefixes, beside `iga64`: on own kernels of every form, and on the corpus.
//!
//! Both read the same binary. Not compared are the wording of messages' comments, `// itrs:` (how often its own method went
//! round), and the star in `?=*>`. Version 1.1 also differs in two ways from 2.40, which is followed: `ret` reads a dword
//! for each channel there, and payloads of unknown length are counted by other tables. The own kernels avoid both.

use std::process::Command;

use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::peer::{self, IGA64};
use isaglot_testing::{Failed, corpus, suite};
use isaglot_xe::{Compaction, Description, FlowText, Platform, TextOptions, Xe};

/// Kernels without what the versions differ in.
const KERNELS: [&str; 1] = [include_str!("data/functions.asm")];

const PC_BASE: i32 = -32;

/// What `iga64` is asked for, and the same here.
fn asked() -> [(Vec<String>, TextOptions, FlowText); 5] {
    let plain = TextOptions::default();
    let base = format!("-Xset-pc-base={PC_BASE}");
    let words = |all: &[&str]| all.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    let (defs, deps) = (FlowText { defs: true, deps: false }, FlowText { defs: false, deps: true });
    [
        (words(&["-n"]), TextOptions { numeric_labels: true, ..plain }, FlowText::default()),
        (words(&["-Xprint-pc", &base]), TextOptions { pc: true, pc_base: PC_BASE, ..plain }, FlowText::default()),
        (words(&["-Xprint-deps", "-Xprint-bits"]), TextOptions { bits: true, ..plain }, deps),
        (words(&["-Xprint-defs"]), plain, defs),
        (
            words(&["-Xprint-defs", "-Xprint-deps", "-Xprint-pc", "-Xprint-bits"]),
            TextOptions { pc: true, bits: true, ..plain },
            FlowText { defs: true, deps: true },
        ),
    ]
}

/// A line without what is not compared.
fn compared(line: &str) -> Option<String> {
    if line.starts_with("// itrs:") {
        return None;
    }
    let line = line.replace("?=*>", "?=>");
    // After the definitions of a line, or at once, what the message is.
    let Some((code, remark)) = line.split_once(" // ") else { return Some(line) };
    let defs = remark.split("; ").next().filter(|_| remark.starts_with(" #"));
    Some(format!("{code} // {}", defs.unwrap_or_default()))
}

fn same(xe: &mut Xe<'_>, binary: &[u8], name: &str) -> Result<usize, Failed> {
    let folder = std::env::temp_dir().join(format!("isaglot-peer-iga64-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("a.bin");
    std::fs::write(&file, binary)?;
    let program = xe.program(binary);
    let mut lines = 0;
    for (options, text, flow) in asked() {
        let mut command = Command::new("iga64");
        let said = command.arg("-d").arg("-p").arg(xe.platform.id()).args(&options).arg(&file).output()?;
        let wanted = String::from_utf8_lossy(&said.stdout).into_owned();
        let mut got = Vec::new();
        if flow.defs || flow.deps {
            xe.print_flow(&program, &text, flow, &mut got).map_err(|_| "too large")?;
        } else {
            xe.print(&program, &text, &mut got);
        }
        let got = String::from_utf8_lossy(&got).into_owned();
        let (got, wanted): (Vec<String>, Vec<String>) =
            (got.lines().filter_map(compared).collect(), wanted.lines().filter_map(compared).collect());
        for (n, (g, w)) in got.iter().zip(&wanted).enumerate() {
            if g != w {
                return Err(format!("{name} {options:?}, line {}:\n  got {g}\n  not {w}", n + 1).into());
            }
        }
        if got.len() != wanted.len() {
            return Err(format!("{name} {options:?}: {} lines, not {}", got.len(), wanted.len()).into());
        }
        lines += got.len();
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(lines)
}

fn texts() -> Result<(), Failed> {
    let description = Description::embedded().ok_or("no description")?;
    let (mut kernels, mut lines) = (0, 0);
    for platform in [Platform::XeHpc, Platform::XeHpg] {
        let mut xe = Xe::new(&description, platform).ok_or("no description")?;
        for source in KERNELS {
            let mut problems = Diagnostics::new();
            let made = xe.assemble(FileId(0), source.as_bytes(), Compaction::Auto, &mut problems);
            let binary = made.ok_or_else(|| format!("{:?}", problems.iter().next()))?;
            lines += same(&mut xe, &binary, platform.name())?;
            kernels += 1;
        }
        let Some(folder) = corpus::folder("xe") else { continue };
        for path in corpus::files(&folder.join("kernels"), &format!(".{}.krn.gz", platform.id())) {
            let name = corpus::name(&path);
            if !name.contains(".hand.") {
                lines += same(&mut xe, &corpus::bytes(&path)?, &name)?;
                kernels += 1;
            }
        }
    }
    println!("{kernels} of {kernels} kernels, {lines} lines");
    Ok(())
}

fn main() {
    suite::run(vec![peer::trial("peer_texts", &[IGA64], texts)]);
}
