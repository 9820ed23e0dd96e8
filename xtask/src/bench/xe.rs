//! Intel Xe: text, JSON and assembly of 200,000 instructions beside `iga64`, for real kernels put one after the other
//! and for lines drawn at random, which repeat no operand on purpose; and the cost of dataflow on code with many
//! branches, from 300 to 19,200 instructions.

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use self::branchy::{FAR, Kind, NEAR, Random, branchy};
use super::Row;

#[path = "../../../crates/xe/tests/branchy/mod.rs"]
mod branchy;

/// Instructions of a stream.
const COUNT: u64 = 200_000;

/// Instructions of the code with many branches.
const BRANCHY: [u64; 7] = [300, 600, 1_200, 2_400, 4_800, 9_600, 19_200];

/// Instructions of the code whose branches lead anywhere.
const MANY: u64 = 2_400;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let dir = super::folder()?;
    let mut rows = Vec::new();
    let kernels = dir.join("xe.kernels.krn");
    let units = real(&super::corpus()?.join("xe/kernels"), &kernels)?;
    let source = dir.join("xe.kernels.asm");
    ours(&["disasm", "--isa", "xehpc"], &kernels, &source)?;
    streams(&mut rows, "real kernels", &kernels, &source, units);

    let source = dir.join("xe.drawn.asm");
    fs::write(&source, drawn()).map_err(|e| format!("{}: {e}", source.display()))?;
    let binary = dir.join("xe.drawn.krn");
    ours(&["asm", "--isa", "xehpc"], &source, &binary)?;
    streams(&mut rows, "drawn lines", &binary, &source, COUNT);

    let file = branches(&dir, MANY, "far", FAR)?;
    let name = format!("dataflow, {MANY} instructions with far branches");
    rows.push(row(name, &["list", "--json", "--defs"], &file, MANY));
    Ok(rows)
}

/// Writes code with many branches.
fn branches(dir: &Path, count: u64, what: &str, kind: Kind) -> Result<PathBuf, String> {
    let file = dir.join(format!("xe.branchy.{what}.{count}.asm"));
    fs::write(&file, branchy(count, kind)).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(file)
}

/// Prints what dataflow costs on code with many near branches; what an instruction costs is the slope from one size to the
/// next, so the start of the program does not count.
pub(crate) fn dataflow() -> Result<(), String> {
    let dir = super::folder()?;
    let program = super::program().display().to_string();
    println!("\n| xe: dataflow, instructions with near branches | user s | peak MB | instructions | slope |");
    println!("|---|---|---|---|---|");
    let mut slopes = Vec::new();
    let mut before: Option<(u64, f64)> = None;
    for count in BRANCHY {
        let file = branches(&dir, count, "near", NEAR)?;
        let args = row(String::new(), &["list", "--json", "--defs"], &file, count).args;
        let command: Vec<String> = [program.clone()].into_iter().chain(args).collect();
        let mut times = Vec::new();
        for _ in 0..super::RUNS {
            times.push(super::user_seconds(&command)?);
        }
        let executed = super::instructions(&command)?;
        let slope = before.map(|(n, e)| (executed - e) / (count - n) as f64);
        slopes.extend(slope);
        before = Some((count, executed));
        let (seconds, peak) = (super::median(&mut times), super::peak(&command));
        let slope = slope.map_or("–".to_owned(), |s| format!("{s:.0}"));
        println!("| {count} | {seconds:.3} | {peak} | {executed:.0} | {slope} |");
    }
    let most = slopes.iter().copied().fold(f64::MIN, f64::max);
    let least = slopes.iter().copied().fold(f64::MAX, f64::min);
    println!("\nThe steepest slope is {:.2} times the least.", most / least);
    Ok(())
}

/// The rows of one stream.
fn streams(rows: &mut Vec<Row>, what: &str, binary: &Path, source: &Path, units: u64) {
    let peer = |options: &[&str], input: &Path| {
        let all = ["iga64"].iter().chain(options).map(|s| (*s).to_owned());
        Some(all.chain([input.display().to_string()]).collect::<Vec<_>>())
    };
    let mut add = |name: &str, args: &[&str], input: &Path, options: &[&str]| {
        rows.push(Row { peer: peer(options, input), ..row(format!("{what}, {name}"), args, input, units) });
    };
    add("text", &["disasm"], binary, &["-d", "-p=12p72"]);
    add("JSON", &["list", "--json"], binary, &["-d", "-p=12p72", "-Xprint-json"]);
    // It warns of each region that it finds odd, for minutes if it may.
    add("assembled", &["asm", "-o", "/dev/null"], source, &["-a", "-p=12p72", "-Wnone", "-o=/dev/null"]);
    rows.push(row(format!("{what}, JSON with dataflow"), &["list", "--json", "--defs"], binary, units));
}

fn row(name: String, args: &[&str], input: &Path, units: u64) -> Row {
    let (verb, rest) = args.split_first().unwrap_or((&"list", &[]));
    let mut all = vec![(*verb).to_owned(), "--isa".to_owned(), "xehpc".to_owned()];
    all.extend(rest.iter().map(|s| (*s).to_owned()));
    all.push(input.display().to_string());
    Row { name: format!("xe: {name}"), args: all, units, count: true, peer: None }
}

/// Runs the program that was just built, its output into a file.
fn ours(args: &[&str], input: &Path, output: &Path) -> Result<(), String> {
    let program = super::program();
    let status = Command::new(&program).args(args).arg("-o").arg(output).arg(input).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{} {}: {status}", program.display(), args.join(" "))),
        Err(e) => Err(format!("{}: {e}", program.display())),
    }
}

/// Writes the corpus's compiled kernels for Xe HPC in turn until there are enough instructions; gives their number.
fn real(corpus: &Path, output: &Path) -> Result<u64, String> {
    let entries = fs::read_dir(corpus).map_err(|e| format!("{}: {e}", corpus.display()))?;
    let mut names: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    names.retain(|p| p.to_string_lossy().ends_with(".pvc.12p72.krn.gz"));
    names.sort();
    let mut once = Vec::new();
    for path in &names {
        let file = fs::File::open(path).map_err(|e| format!("{}: {e}", path.display()))?;
        flate2::read::GzDecoder::new(file).read_to_end(&mut once).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let each = instructions(&once);
    if each == 0 {
        return Err(format!("{}: no kernels", corpus.display()));
    }
    let times = COUNT.div_ceil(each);
    fs::write(output, once.repeat(times as usize)).map_err(|e| format!("{}: {e}", output.display()))?;
    Ok(each * times)
}

/// How many instructions there are: the short ones say so in their fourth byte.
fn instructions(bytes: &[u8]) -> u64 {
    let (mut at, mut count) = (0, 0);
    while let Some(byte) = bytes.get(at + 3) {
        at += if byte & 0x20 != 0 { 8 } else { 16 };
        count += 1;
    }
    count
}

/// Arithmetic on registers, regions and immediates that are drawn from all there are.
fn drawn() -> String {
    let mut r = Random(0x5eed_cafe);
    let mut text = String::new();
    for _ in 0..COUNT {
        let ty = ["f", "d", "ud", "w", "uw", "hf"][r.below(6) as usize];
        let element = |r: &mut Random| r.below(16);
        let source = |r: &mut Random| {
            let region = ["<1;1,0>", "<0;1,0>", "<8;8,1>", "<16;8,2>", "<2;1,0>"][r.below(5) as usize];
            format!("r{}.{}{region}:{ty}", r.below(256), element(r))
        };
        let size = [8, 16, 32][r.below(3) as usize];
        let op = ["add", "mul", "mov", "cmp", "sel"][r.below(5) as usize];
        let flag = if matches!(op, "cmp" | "sel") { "(lt)f0.0" } else { "" };
        let dst = format!("r{}.{}<1>:{ty}", r.below(256), element(&mut r));
        let first = source(&mut r);
        let second = match r.below(3) {
            _ if op == "mov" => String::new(),
            0 if !matches!(ty, "f" | "hf") => format!("{}:{ty}", r.below(30_000)),
            _ => source(&mut r),
        };
        let _ = writeln!(text, "        {op} ({size}|M0) {flag}  {dst}  {first}  {second}  {{I@{}}}", 1 + r.below(7));
    }
    text
}
