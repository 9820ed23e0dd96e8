//! The peers: words in, texts out.

use std::fmt::Write as _;
use std::process::Command;

use isaglot_bits::Word;
use isaglot_testing::peer;

/// Features of the description that no peer has as an option, since they are always on.
const ALWAYS: [&str; 2] = ["priv", "sdext"];

/// Features that LLVM calls experimental.
const EXPERIMENTAL: [&str; 4] = ["zacas", "zalasr", "zicfilp", "zicfiss"];

/// What stands after each word in LLVM's input, so that a refused one is seen, and its text.
const MARK: (&str, &str) = ("0x37 0x50 0x34 0x12", "lui zero, 74565");

/// LLVM's texts; empty where it refuses.
pub(crate) fn llvm(words: &[Word], xlen: u32, features: &[&str]) -> Result<Vec<String>, String> {
    let mut input = String::new();
    for word in words {
        let bytes: Vec<String> = word.le_bytes().map(|b| format!("{b:#04x}")).collect();
        let _ = writeln!(input, "{}\n{}", bytes.join(" "), MARK.0);
    }
    let option = |name: &&str| match EXPERIMENTAL.contains(name) {
        true => format!("+experimental-{name}"),
        false => format!("+{name}"),
    };
    let options: Vec<String> = features.iter().filter(|name| !ALWAYS.contains(name)).map(option).collect();
    let mut command = Command::new("llvm-mc-19");
    command.args(["--disassemble", "-M", "no-aliases", &format!("-triple=riscv{xlen}")]);
    let said = peer::output(command.arg(format!("-mattr={}", options.join(","))), &input)?;
    let mut texts = Vec::new();
    let mut current = String::new();
    for line in said.lines().map(|line| line.trim().replace('\t', " ")) {
        match line.as_str() {
            line if line == MARK.1 => texts.push(std::mem::take(&mut current)),
            line if line.starts_with('.') || line.is_empty() => {}
            line => current = line.split('#').next().unwrap_or_default().trim().to_owned(),
        }
    }
    if texts.len() == words.len() { Ok(texts) } else { Err(format!("{} texts for {} words", texts.len(), words.len())) }
}

/// The texts of GNU's `objdump`; empty where it refuses.
pub(crate) fn objdump(words: &[Word], xlen: u32, features: &[&str]) -> Result<Vec<String>, String> {
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut source = String::new();
    for word in words {
        let _ = writeln!(source, ".insn {}, {:#x}", word.width() / 8, word.low_u64());
    }
    std::fs::write(dir.path().join("a.s"), source).map_err(|e| e.to_string())?;
    let named = features.iter().filter(|name| !ALWAYS.contains(name));
    let (letters, names): (Vec<&str>, Vec<&str>) = named.partition(|name| name.len() == 1);
    let march = format!("-march=rv{xlen}i{}_{}", letters.concat(), names.join("_"));
    let mabi = if xlen == 64 { "-mabi=lp64" } else { "-mabi=ilp32" };
    let mut assembler = Command::new("riscv64-linux-gnu-as");
    peer::output(assembler.args([&march, mabi, "a.s", "-o", "a.o"]).current_dir(&dir), "")?;
    let mut command = Command::new("riscv64-linux-gnu-objdump");
    let said = peer::output(command.args(["-d", "-z", "-M", "no-aliases", "a.o"]).current_dir(&dir), "")?;
    let mut lines = said.lines().filter_map(line);
    let mut address = 0;
    let mut texts = Vec::new();
    for word in words {
        let (at, text) =
            lines.next().filter(|(at, _)| *at == address).ok_or_else(|| format!("no line of {address:#x}"))?;
        texts.push(as_distance(&text, at, xlen));
        address += u64::from(word.width() / 8);
    }
    Ok(texts)
}

/// The address and the text of a line `  ADDRESS:<tab>WORD<tab>TEXT`, without a comment.
fn line(line: &str) -> Option<(u64, String)> {
    let mut parts = line.splitn(3, '\t');
    let address = u64::from_str_radix(parts.next()?.trim().strip_suffix(':')?, 16).ok()?;
    let (_, text) = (parts.next()?, parts.next()?.replace('\t', " "));
    let text = text.split('#').next().unwrap_or_default().trim();
    let refused = text.starts_with('.');
    Some((address, if refused { String::new() } else { text.to_owned() }))
}

/// A text whose last operand is `ADDRESS <SYMBOL>` with the distance to that address instead.
fn as_distance(text: &str, at: u64, xlen: u32) -> String {
    let Some((before, _)) = text.split_once(" <") else { return text.to_owned() };
    let start = before.rfind([',', ' ']).map_or(0, |at| at + 1);
    let (head, number) = before.split_at(start);
    let Ok(to) = u64::from_str_radix(number, 16) else { return text.to_owned() };
    let distance = to.wrapping_sub(at);
    let distance = if xlen == 64 { distance.cast_signed() } else { i64::from((distance as u32).cast_signed()) };
    format!("{head}{distance}")
}
