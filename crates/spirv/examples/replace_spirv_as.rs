//! What a test suite gains that calls this crate where it started `spirv-as`: assembles every `.spvasm` file of a folder both
//! ways, from text in memory to bytes in memory, compares the bytes, and prints the time that each way took.
//!
//! `cargo run --release -p isaglot-spirv --example replace_spirv_as FOLDER`

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use isaglot_spirv::asm;

/// Rounds; the median counts.
const ROUNDS: usize = 5;

/// How often the library does them in a round.
const REPEATS: usize = 50;

/// Both ways over all files: seconds of the clock, and of the processors where Linux tells.
struct Round {
    process: (f64, f64),
    library: (f64, f64),
}

fn with_process(text: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut tool = Command::new("spirv-as");
    tool.args(["--target-env", "spv1.6", "-o", "-", "-"]);
    let mut child = tool.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // It reads all before it writes, so no pipe can fill up on both sides.
    child.stdin.take().ok_or("no input")?.write_all(text)?;
    let done = child.wait_with_output()?;
    if done.status.success() { Ok(done.stdout) } else { Err(String::from_utf8_lossy(&done.stderr).into()) }
}

fn with_library(text: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let options = asm::Options { version: Some(6), ..asm::Options::default() };
    let words = isaglot_spirv::assemble(text, &options)?;
    Ok(asm::to_bytes(&words).into_owned())
}

/// Seconds of processor time of this process, and of those that it started. 0 where there is no `/proc`; steps of 10 ms.
fn processor() -> (f64, f64) {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks: Vec<f64> = after.split_whitespace().skip(11).take(4).filter_map(|n| n.parse().ok()).collect();
    match ticks.as_slice() {
        [user, system, child_user, child_system] => ((user + system) / 100.0, (child_user + child_system) / 100.0),
        _ => (0.0, 0.0),
    }
}

fn round(texts: &[Vec<u8>]) -> Result<Round, Box<dyn Error>> {
    let (clock, before) = (Instant::now(), processor());
    texts.iter().try_for_each(|text| with_process(text).map(drop))?;
    // What starting and waiting costs this process belongs to that way.
    let after = processor();
    let process = (clock.elapsed().as_secs_f64(), after.0 - before.0 + after.1 - before.1);
    // Many times, because the processor's time comes in steps.
    let (clock, before) = (Instant::now(), processor());
    for _ in 0..REPEATS {
        texts.iter().try_for_each(|text| with_library(text).map(drop))?;
    }
    let library = (clock.elapsed().as_secs_f64() / REPEATS as f64, (processor().0 - before.0) / REPEATS as f64);
    Ok(Round { process, library })
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("a folder with .spvasm files")?);
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "spvasm") {
            files.push(path);
        }
    }
    files.sort();
    let texts: Vec<Vec<u8>> = files.iter().map(fs::read).collect::<Result<_, _>>()?;
    let rounds: Vec<Round> = (0..ROUNDS).map(|_| round(&texts)).collect::<Result<_, _>>()?;
    let mut same = 0;
    for (path, text) in files.iter().zip(&texts) {
        match with_process(text)? == with_library(text)? {
            true => same += 1,
            false => println!("{}: other bytes", path.display()),
        }
    }
    println!(
        "| {same} of {} modules with the same bytes | spirv-as s | library s | ratio |\n|---|---|---|---|",
        files.len()
    );
    type Pick = fn(&Round) -> (f64, f64);
    let rows: [(&str, Pick); 2] = [
        ("clock", |round| (round.process.0, round.library.0)),
        ("processor", |round| (round.process.1, round.library.1)),
    ];
    for (name, pick) in rows {
        let (process, library): (Vec<f64>, Vec<f64>) = rounds.iter().map(pick).unzip();
        let (process, library) = (median(process), median(library));
        println!("| {name} | {process:.3} | {library:.4} | {:.0} |", process / library.max(0.000_001));
    }
    if same == files.len() { Ok(()) } else { Err("bytes differ".into()) }
}
