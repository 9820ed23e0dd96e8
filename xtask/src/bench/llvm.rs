//! An LLVM target from its `.td`: RISC-V with some forty extensions, words of the corpus's rows with other registers and
//! numbers, so that hardly two are alike; beside `llvm-mc-19 --disassemble`. And how long it takes from the `.td` to a
//! decoder that is ready, beside reading its records alone.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{Row, Seeded};

const PEER: &str = "llvm-mc-19";

/// Words that are tried; about three of four are instructions.
const WORDS: usize = 400_000;

/// How often the words are repeated beside llvm-mc, and in the long stream.
const REPEATS: [usize; 2] = [4, 100];

const FEATURES: &str = "+m,+a,+f,+d,+c,+v,+h,+zba,+zbb,+zbc,+zbs,+zbkb,+zbkc,+zbkx,+zfh,+zfa,+zcb,+zicbom,+zicbop,\
                        +zicboz,+zicond,+zknd,+zkne,+zknh,+zksed,+zksh,+svinval,+zawrs,+zvbb,+zvbc,+zvkned,+zvknhb,\
                        +zvksed,+zvksh,+zimop,+zcmop";

/// The bits of a word of 32 bits that hold registers nearly always, those that may, and those of numbers.
const BITS: [u32; 3] = [0x000f_8f80, 0x01f0_0000, 0xfff0_0000];

/// The bits of a word of 16 bits that are changed.
const SHORT_BITS: u32 = 0x1ffc;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let root = super::tablegen::unpacked()?;
    let dir = super::folder()?;
    let top = root.join("llvm/lib/Target/RISCV/RISCV.td").display().to_string();
    let folders = ["llvm/include", "llvm/lib/Target/RISCV"].map(|dir| format!("-I{}", root.join(dir).display()));
    let mut disasm = vec!["disasm".to_owned(), "--spec".to_owned(), top.clone()];
    disasm.extend(folders.iter().cloned());
    disasm.extend(["--triple", "riscv64", "--mattr", FEATURES].map(str::to_owned));
    let words = words(&disasm, &dir)?;
    let path = |name: &str| dir.join(format!("riscv64.{name}"));
    let fail = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    let bytes = words.concat();
    let mut text = String::new();
    for word in &words {
        for byte in word {
            let _ = write!(text, "0x{byte:02x} ");
        }
        text.push('\n');
    }
    let (input, hex) = (path("some.bin"), path("some.txt"));
    std::fs::write(&input, bytes.repeat(REPEATS[0])).map_err(|e| fail(&input, e))?;
    std::fs::write(&hex, text.repeat(REPEATS[0])).map_err(|e| fail(&hex, e))?;
    let long = path("many.bin");
    std::fs::write(&long, bytes.repeat(REPEATS[1])).map_err(|e| fail(&long, e))?;
    let with = |input: &Path| disasm.iter().cloned().chain([input.display().to_string()]).collect::<Vec<String>>();
    let peer = [PEER, "--disassemble", "--triple=riscv64"].map(str::to_owned).into_iter();
    let peer = peer.chain([format!("--mattr={FEATURES}"), hex.display().to_string()]).collect();
    let nothing = path("empty.bin");
    std::fs::write(&nothing, []).map_err(|e| fail(&nothing, e))?;
    let mut null = vec!["tblgen".to_owned()];
    null.extend(folders);
    null.extend([top, "--null-backend".to_owned()]);
    let row = |name: &str, args, units: usize, count, peer| Row {
        name: name.to_owned(),
        args,
        units: units as u64,
        count,
        peer,
    };
    Ok(vec![
        row("RISCV.td, its records", null, 1, true, None),
        row("RISCV.td, a ready decoder", with(&nothing), 1, true, None),
        row("RISCV64, start included", with(&input), words.len() * REPEATS[0], true, Some(peer)),
        row("RISCV64, a long stream", with(&long), words.len() * REPEATS[1], false, None),
    ])
}

/// Instructions as bytes.
fn words(disasm: &[String], dir: &Path) -> Result<Vec<Vec<u8>>, String> {
    let known: Vec<Vec<u8>> = valid(disasm, dir, pool()?.into_iter().collect())?;
    let mut random = Seeded(0x9e37_79b9_7f4a_7c15);
    let mut all = Vec::with_capacity(WORDS);
    for _ in 0..WORDS {
        let mut word = known[random.below(known.len())].clone();
        let bits = random.below(1 << 32) as u32;
        let change = match word.len() {
            4 => {
                let more =
                    if random.below(2) == 0 { BITS[1] } else { 0 } | if random.below(2) == 0 { BITS[2] } else { 0 };
                bits & (BITS[0] | more)
            }
            2 => bits & SHORT_BITS,
            _ => 0,
        };
        word.iter_mut().zip(change.to_le_bytes()).for_each(|(byte, change)| *byte ^= change);
        all.push(word);
    }
    valid(disasm, dir, all)
}

/// Those that are instructions.
fn valid(disasm: &[String], dir: &Path, words: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, String> {
    let list = dir.join("riscv64.words");
    let mut file =
        std::io::BufWriter::new(std::fs::File::create(&list).map_err(|e| format!("{}: {e}", list.display()))?);
    for word in &words {
        let hex: String = word.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(file, "{hex}").map_err(|e| e.to_string())?;
    }
    file.flush().map_err(|e| e.to_string())?;
    let mut command = Command::new(super::program());
    let done = command.args(disasm).arg("--words").arg(&list).stderr(Stdio::null()).output();
    let done = done.map_err(|e| e.to_string())?;
    let texts = String::from_utf8_lossy(&done.stdout);
    let good: Vec<Vec<u8>> =
        words.into_iter().zip(texts.lines()).filter(|(_, t)| !t.is_empty()).map(|(w, _)| w).collect();
    if good.is_empty() { Err("no word is an instruction".to_owned()) } else { Ok(good) }
}

/// What the corpus's rows for riscv64 were assembled to.
fn pool() -> Result<BTreeSet<Vec<u8>>, String> {
    let rows: PathBuf = super::corpus()?.join("tablegen/mc/riscv.jsonl.gz");
    let error = |e: &dyn std::fmt::Display| format!("{}: {e}", rows.display());
    let mut text = String::new();
    let file = std::fs::File::open(&rows).map_err(|e| error(&e))?;
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).map_err(|e| error(&e))?;
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).map_err(|e| error(&e))?;
        if row["ctx"] == true || !row["triple"].as_str().is_some_and(|t| t.starts_with("riscv64")) {
            continue;
        }
        for hex in row["out"].as_array().into_iter().flatten().filter_map(|out| out["bytes"].as_str()) {
            let byte = |pair: &str| u8::from_str_radix(pair, 16).map_err(|e| error(&e));
            let word = (0..hex.len() / 2).filter_map(|i| hex.get(2 * i..2 * i + 2)).map(byte);
            found.insert(word.collect::<Result<Vec<u8>, String>>()?);
        }
    }
    Ok(found)
}
