//! A machine of a description on the command line: how it begins, and what is said of it. The verbs `run` and `step` share this.
//!
//! Names are the description's: registers by the names that instructions print, their aliases, or `FILE[NUMBER]`.

use std::fmt::Write as _;

use isaglot::spec::Chosen;
use isaglot_asm::{Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_machine::{Fault, Machine, MemoryError};
use isaglot_model::{Flow, Isa, RegisterFileId};
use isaglot_source::{Diagnostic, closest};
use serde_json::{Map, Value, json};

use crate::args::parse_address;

/// The memory that there is from address 0 on, if nothing else is said.
const MEMORY: u64 = 16 << 20;

/// The longest stretch of memory that one option can set, in bytes.
const MAX_VALUE: u32 = 512;

/// How a machine begins, beside its program.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct BeginArgs {
    /// Where the first instruction is; by default where an ELF file says, or the program lies.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    pub(crate) pc: Option<u64>,
    /// There is memory from an address on, of so many bytes; again for more. What the program lies in is there in any case. By default
    /// 16 MiB from 0 on.
    #[arg(long, value_name = "ADDRESS,LENGTH", value_parser = region)]
    pub(crate) memory: Vec<(u64, u64)>,
    /// What a register or memory holds at the beginning: `r1=5`, `flag[0]=1`, `pc=0x40`, `mem32[0x100]=7`. All is 0 otherwise.
    #[arg(long, value_name = "PLACE=VALUE")]
    pub(crate) set: Vec<String>,
}

fn region(text: &str) -> Result<(u64, u64), String> {
    let (first, length) = text.split_once(',').ok_or("expected an address and a length, such as 0x8000,4096")?;
    Ok((parse_address(first)?, parse_address(length)?))
}

/// A machine of the description with this name, with no program yet.
pub(crate) fn machine<'a>(name: &str, chosen: &'a Chosen, begin: &BeginArgs) -> Result<Machine<'a>, Diagnostic> {
    let plan = chosen.plan().with_aliases(chosen.aliases);
    let mut machine = Machine::new(plan).map_err(|message| {
        let d = Diagnostic::error("run-semantics", format!("`{name}` cannot be run: {message}"));
        d.note("say it in `<semantics>` of each instruction: docs/machine.md shows how")
    })?;
    let all = match machine.address_width() {
        width @ ..64 => MEMORY.min(1 << width),
        _ => MEMORY,
    };
    let usual = [(0, all)];
    let regions: &[(u64, u64)] = if begin.memory.is_empty() { &usual } else { &begin.memory };
    for &(first, length) in regions {
        add_memory(&mut machine, first, length)?;
    }
    Ok(machine)
}

/// Adds memory.
pub(crate) fn add_memory(machine: &mut Machine<'_>, first: u64, length: u64) -> Result<(), Diagnostic> {
    let fail = |message: String| Diagnostic::error("run-memory", message);
    let width = machine.address_width();
    if width < 64 && first.checked_add(length).is_none_or(|end| end > 1 << width) {
        return Err(fail(format!(
            "memory from {first:#x} on, {length:#x} bytes, goes beyond addresses of {width} bits"
        )));
    }
    machine.memory.add_region(first, length).map_err(fail)
}

/// Puts what was asked for into a machine that has its program.
pub(crate) fn begin(machine: &mut Machine<'_>, begin: &BeginArgs) -> Result<(), Diagnostic> {
    for text in &begin.set {
        set(machine, text)?;
    }
    begin.pc.into_iter().for_each(|pc| machine.set_pc(pc));
    Ok(())
}

fn bad(text: &str, why: &str) -> Diagnostic {
    Diagnostic::error("run-set", format!("`{text}` sets nothing: {why}"))
}

fn set(machine: &mut Machine<'_>, text: &str) -> Result<(), Diagnostic> {
    let Some((place, value)) = text.split_once('=') else {
        return Err(bad(text, "expected `PLACE=VALUE`, such as `r1=5` or `mem32[0x100]=7`"));
    };
    let (place, value) = (place.trim(), value.trim());
    let number = |width: u32| word(value, width).map_err(|why| bad(text, &why));
    if place == "pc" {
        let pc = number(machine.address_width())?.low_u64();
        machine.set_pc(pc);
        return Ok(());
    }
    if let Some((bits, address)) = place.strip_prefix("mem").and_then(|rest| rest.strip_suffix(']')?.split_once('[')) {
        let bits: u32 =
            if bits.is_empty() { 8 } else { bits.parse().map_err(|_| bad(text, "expected `memN[ADDRESS]`"))? };
        if bits == 0 || !bits.is_multiple_of(8) || bits / 8 > MAX_VALUE {
            return Err(bad(text, &format!("memory is set by whole bytes, at most {MAX_VALUE}")));
        }
        let address = parse_address(address).map_err(|why| bad(text, &why))?;
        let bytes: Vec<u8> = number(bits)?.le_bytes().collect();
        let there = machine.memory.write(address, &bytes);
        return there.map_err(|e| match e {
            MemoryError::Absent(at) => bad(text, &format!("there is no memory at {at:#x}; `--memory` adds some")),
            MemoryError::Full => bad(text, "there is no more memory"),
        });
    }
    if let Ok(value) = number(64)
        && let Some(done) = machine.outside().set_control(place, value.low_u64())
    {
        return done.map_err(|why| bad(text, &why));
    }
    let (file, n) = register(machine.isa(), place).map_err(|near| {
        let d = bad(text, "no register is called so");
        match near {
            Some(near) => d.note(format!("there is one that is called `{near}`")),
            None => d,
        }
    })?;
    let value = number(machine.register_width(file))?;
    machine.set_register(file, n, &value);
    Ok(())
}

/// A number of a width: decimal, perhaps negative, or hexadecimal after `0x`.
fn word(text: &str, width: u32) -> Result<Word, String> {
    let digits = text.replace('_', "");
    let fits = |word: Word| {
        if word.shr(width).is_zero() { Ok(word.resized(width)) } else { Err(format!("it has more than {width} bits")) }
    };
    if let Some(hex) = digits.strip_prefix("0x") {
        if hex.is_empty() || hex.len() > 2 * MAX_VALUE as usize {
            return Err("expected a number".to_owned());
        }
        let mut word = Word::zero(hex.len() as u32 * 4 + width);
        for c in hex.chars() {
            let digit = c.to_digit(16).ok_or("expected hexadecimal digits after `0x`")?;
            word = word.shl(4);
            word.insert(0, 4, u64::from(digit));
        }
        return fits(word);
    }
    match digits.parse::<i128>() {
        Ok(n @ 0..) => fits(Word::from_u128(n as u128, width.max(128))),
        Ok(n) => {
            // All bits above those of the number are ones.
            let word = Word::from_u128(!n as u128, width.max(128)).not();
            if width < 128 && n < -(1_i128 << (width.max(1) - 1)) {
                Err(format!("it does not fit {width} bits"))
            } else {
                Ok(word.resized(width))
            }
        }
        Err(_) => Err("expected a number: decimal, or hexadecimal after `0x`".to_owned()),
    }
}

/// A register by its name; the nearest name if there is none.
fn register(isa: &Isa, name: &str) -> Result<(RegisterFileId, u32), Option<String>> {
    let files = || isa.register_files().iter().zip(0..).map(|(file, id)| (RegisterFileId(id), file));
    for (id, file) in files() {
        let named = file.names.iter().position(|n| n.as_deref() == Some(name)).map(|n| n as u32);
        let found = named.or_else(|| file.aliases.iter().find(|alias| alias.0 == name).map(|alias| alias.1));
        if let Some(n) = found {
            return Ok((id, n));
        }
        let text = file.name.trim_start_matches('#');
        let number = name.strip_prefix(text).and_then(|rest| rest.strip_prefix('[')?.strip_suffix(']')?.parse().ok());
        if let Some(n) = number.filter(|&n: &u32| (n as usize) < file.names.len()) {
            return Ok((id, n));
        }
    }
    let all = files().flat_map(|(_, file)| file.names.iter().flatten().map(String::as_str));
    Err(closest(name, all).map(str::to_owned))
}

/// The registers of each file: their names and values.
pub(crate) fn registers(machine: &Machine<'_>) -> Vec<(String, Vec<(String, Word)>)> {
    let isa = machine.isa();
    let files = isa.register_files().iter().zip(0..).map(|(file, id)| {
        let text = file.name.trim_start_matches('#').to_owned();
        let each = file.names.iter().zip(0..).map(|(name, n)| {
            let name = name.clone().unwrap_or_else(|| format!("{text}[{n}]"));
            (name, machine.register(RegisterFileId(id), n))
        });
        let each: Vec<(String, Word)> = each.collect();
        (text, each)
    });
    files.collect()
}

/// Columns of the lines of registers.
const COLUMNS: usize = 100;

/// More registers than these are only shown where they are not 0.
const MANY: usize = 64;

/// All registers, in lines.
pub(crate) fn registers_text(machine: &Machine<'_>) -> String {
    let mut text = String::new();
    for (_, file) in registers(machine) {
        let shown: Vec<&(String, Word)> = file.iter().filter(|r| file.len() <= MANY || !r.1.is_zero()).collect();
        let Some(widest) = shown.iter().map(|r| r.0.len()).max() else { continue };
        let width = shown.first().map_or(1, |r| r.1.width().div_ceil(4) as usize);
        // Powers of two, so that numbers of registers stand below each other.
        let columns = (COLUMNS / (widest + width + 3)).max(1);
        let columns = 1 << columns.min(8).ilog2();
        for line in shown.chunks(columns) {
            let each: Vec<String> =
                line.iter().map(|(name, value)| format!("{name:>widest$} {}", digits(value))).collect();
            let _ = writeln!(text, "{}", each.join("  "));
        }
    }
    text
}

/// All registers, by file and name.
pub(crate) fn registers_json(machine: &Machine<'_>) -> Value {
    let file = |all: Vec<(String, Word)>| all.into_iter().map(|(name, value)| (name, json!(hex(&value)))).collect();
    let files = registers(machine).into_iter().map(|(name, all)| (name, Value::Object(file(all))));
    Value::Object(files.collect::<Map<String, Value>>())
}

/// A value without leading zeros, after `0x`.
pub(crate) fn hex(value: &Word) -> String {
    let digits = value.hex();
    let short = digits.trim_start_matches('0');
    format!("0x{}", if short.is_empty() { "0" } else { short })
}

/// A value with as many digits as its width needs.
pub(crate) fn digits(value: &Word) -> String {
    let digits = value.hex();
    let unused = digits.len().saturating_sub(value.width().div_ceil(4).max(1) as usize);
    digits.get(unused..).unwrap_or(&digits).to_owned()
}

/// The text of a word.
pub(crate) fn text_of(plan: &Plan<'_>, word: &Word) -> String {
    let mut bytes: Vec<u8> = word.le_bytes().collect();
    if plan.isa().format().byte_order == isaglot_model::ByteOrder::Big {
        bytes.reverse();
    }
    let mut text = Vec::new();
    let options = Options { show_errors: false, ..Options::default() };
    Stream::new(plan, options, u64::from(word.width() / 8)).feed(&bytes, &mut Plain, &mut text);
    String::from_utf8_lossy(&text).trim_end().to_owned()
}

/// The text of the instruction at an address; nothing where there is none.
pub(crate) fn text_at(machine: &mut Machine<'_>, pc: u64) -> String {
    machine.fetch(pc).map_or_else(|_| String::new(), |word| text_of(machine.plan(), &word))
}

/// A fault in a few words, by the kind that JSON has.
pub(crate) fn fault_kind(fault: &Fault) -> &'static str {
    match fault {
        Fault::Trap { .. } => "trap",
        Fault::Load(_) => "load",
        Fault::Store(_) => "store",
        Fault::Fetch(_) => "fetch",
        Fault::Empty(_) => "empty",
        Fault::Unaligned(_) => "unaligned",
        Fault::Illegal(_) => "illegal",
        Fault::Silent(_) => "no-semantics",
        Fault::Operand(..) => "operand",
        Fault::Extern(_) => "extern",
        _ => "memory",
    }
}

/// A fault as JSON.
pub(crate) fn fault_json(isa: &Isa, fault: &Fault) -> Value {
    let (text, help) = fault_text(isa, fault);
    let mut all = json!({ "kind": fault_kind(fault), "text": text });
    match fault {
        Fault::Trap { cause, value } => {
            all["cause"] = json!(cause);
            value.iter().for_each(|value| all["value"] = json!(hex(value)));
        }
        Fault::Load(address) | Fault::Store(address) | Fault::Fetch(address) | Fault::Empty(address) => {
            all["address"] = json!(format!("{address:#x}"))
        }
        _ => {}
    }
    help.into_iter().for_each(|help| all["help"] = json!(help));
    all
}

/// How a program of a description can end itself.
fn ends(isa: &Isa) -> String {
    match isa.encodings().iter().find(|e| e.flow == Flow::End) {
        Some(encoding) => {
            format!("a program ends at an instruction such as `{}`, or at a jump to itself", isa.text(encoding.name))
        }
        None => {
            "a program ends at a jump to itself; no instruction of the description has `<flow to=\"end\"/>`".to_owned()
        }
    }
}

/// What kept an instruction from being run, and what would help.
pub(crate) fn fault_text(isa: &Isa, fault: &Fault) -> (String, Option<String>) {
    let name = |id: &isaglot_model::EncodingId| isa.text(isa[*id].name).to_owned();
    let nothing =
        |address: &u64| Some(format!("there is no memory at {address:#x}; `--memory ADDRESS,LENGTH` adds some"));
    match fault {
        Fault::Trap { cause, value } => {
            let value = value.as_ref().map_or(String::new(), |value| format!(" with the value {}", hex(value)));
            (format!("the trap `{cause}`{value}"), None)
        }
        Fault::Load(address) => (format!("a load from {address:#x}"), nothing(address)),
        Fault::Store(address) => (format!("a store to {address:#x}"), nothing(address)),
        Fault::Fetch(address) => {
            (format!("no memory at {address:#x}"), Some("the program went on where no instruction is".to_owned()))
        }
        Fault::Empty(address) => {
            (format!("nothing was put at {address:#x}, so the program has left its code"), Some(ends(isa)))
        }
        Fault::Unaligned(parcel) => (
            "an address that is not aligned".to_owned(),
            Some(format!("instructions lie at multiples of {parcel} bytes")),
        ),
        Fault::Illegal(word) => (format!("0x{}, which is not a valid instruction", digits(word)), None),
        Fault::Silent(id) => {
            let name = name(id);
            let help =
                format!("the description does not say what `{name}` does: it needs `<semantics>` (docs/semantics.md)");
            (format!("`{name}`, which has no semantics"), Some(help))
        }
        Fault::Operand(id, operand) => {
            let help = format!(
                "the text of `{}` uses `{operand}`, which this word does not have, or not in so many bits",
                name(id)
            );
            (format!("`{}` without `{operand}`", name(id)), Some(help))
        }
        Fault::Extern(callee) => {
            let help =
                format!("the description declares `{callee}` as external, and there is nothing here that does it");
            (format!("a call of `{callee}`"), Some(help))
        }
        _ => ("more memory than a machine may have".to_owned(), None),
    }
}
