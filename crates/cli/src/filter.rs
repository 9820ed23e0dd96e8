//! `isaglot disasm --filter`: the listing of another disassembler, with the lines mended that it had no name for.
//!
//! A line of objdump, llvm-objdump or lldb is an address, a colon, the bytes and a text. Where the text is `<unknown>` or a
//! data directive, the bytes are decoded by the description; if they are one instruction, its text takes the place of the
//! other. Every byte that is not such a text passes through as it came.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};

use isaglot_asm::{Options, Stream};
use isaglot_codec::Plan;
use isaglot_model::ByteOrder;
use isaglot_source::Diagnostic;

use crate::call_names::{Interfaces, rename};
use crate::hooks::Disassembly;
use crate::io::{BYTE_ORDER_MARK, Target, read_rest, unreadable};

/// The longest line that is looked at; a longer one passes in pieces.
const MAX_LINE: u64 = 1 << 16;

/// Bytes between two lines that count as padding of one program, not as the start of another.
const MAX_GAP: u64 = 1 << 12;

/// What a disassembler prints for words that it does not know: with the bytes that an operand stands for, if it tells.
const UNKNOWN: &[(&str, Option<usize>)] = &[
    ("<unknown>", None),
    (".insn", None),
    (".inst", Some(4)),
    (".word", Some(4)),
    (".4byte", Some(4)),
    (".long", Some(4)),
    (".short", Some(2)),
    (".half", Some(2)),
    (".2byte", Some(2)),
    (".dword", Some(8)),
    (".8byte", Some(8)),
    (".quad", Some(8)),
];

/// A line taken apart.
struct Line {
    address: u64,
    /// In memory order.
    bytes: Vec<u8>,
    /// Where the text stands that says nothing, if it is such a line.
    unknown: Option<(usize, usize)>,
}

/// Copies a listing, with the names that there are; gives how many bytes it had no text for. `name` is what messages call it.
pub(crate) fn run(
    plan: &Plan<'_>,
    interfaces: Option<&Interfaces>,
    hooks: &mut Disassembly,
    input: Box<dyn Read>,
    out: &mut dyn Target,
    name: &str,
) -> Result<u64, Diagnostic> {
    let mut input = io::BufReader::new(input);
    let mut names = BTreeMap::new();
    if let Some(interfaces) = interfaces {
        // The data flow needs the whole program before the first line.
        let all = read_rest(&mut input, 0, name)?;
        for (start, bytes) in segments(plan, &all) {
            names.extend(interfaces.names(plan, &[], &bytes).into_iter().map(|(at, name)| (start + at, name)));
        }
        return lines(plan, &names, hooks, &mut all.as_slice(), out, name);
    }
    lines(plan, &names, hooks, &mut input, out, name)
}

fn lines(
    plan: &Plan<'_>,
    names: &BTreeMap<u64, String>,
    hooks: &mut Disassembly,
    input: &mut dyn BufRead,
    out: &mut dyn Target,
    name: &str,
) -> Result<u64, Diagnostic> {
    let mut total = 0;
    let order = plan.isa().format().byte_order;
    let mut stream = Stream::new(plan, Options { show_errors: false, ..Options::default() }, 0).alone();
    let (mut line, mut text, mut first) = (Vec::new(), Vec::new(), true);
    loop {
        line.clear();
        if input.take(MAX_LINE).read_until(b'\n', &mut line).map_err(|e| unreadable(name, &e))? == 0 {
            return Ok(total);
        }
        if std::mem::take(&mut first) && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
            out.write_all(BYTE_ORDER_MARK).map_err(|e| out.failed(&e))?;
        }
        if let Some(Line { address, bytes, unknown: Some((start, end)) }) = parse(&line, order) {
            text.clear();
            total += bytes.len() as u64;
            let used = stream.feed(&bytes, hooks, &mut text);
            let one = used == bytes.len() && text.iter().filter(|&&b| b == b'\n').count() == 1;
            if one && !hooks.take_missed() {
                if let Some(name) = names.get(&address) {
                    rename(&mut text, 0, name);
                }
                text.pop();
                // These tools put a tab between mnemonic and operands; a line with tabs keeps its columns.
                if line.contains(&b'\t')
                    && let Some(blank) = text.iter_mut().find(|b| **b == b' ')
                {
                    *blank = b'\t';
                }
                line.splice(start..end, text.iter().copied());
            }
        }
        out.write_all(&line).map_err(|e| out.failed(&e))?;
    }
}

/// The bytes of a listing as programs, each with its first address.
fn segments(plan: &Plan<'_>, all: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let mut found: Vec<(u64, Vec<u8>)> = Vec::new();
    let all = all.strip_prefix(BYTE_ORDER_MARK).unwrap_or(all);
    for line in all.split_inclusive(|&b| b == b'\n').filter_map(|l| parse(l, plan.isa().format().byte_order)) {
        if let Some((start, bytes)) = found.last_mut()
            && let Some(gap) = line.address.checked_sub(start.saturating_add(bytes.len() as u64))
            && gap <= MAX_GAP
        {
            bytes.resize(bytes.len() + gap as usize, 0);
            bytes.extend(line.bytes);
        } else if !line.bytes.is_empty() {
            found.push((line.address, line.bytes));
        }
    }
    found
}

/// Takes a line apart; `None` if it is not a line of a disassembly.
fn parse(line: &[u8], order: ByteOrder) -> Option<Line> {
    let line = std::str::from_utf8(line).ok()?;
    let colon = line.find(':')?;
    // `->` of lldb, then the address, then perhaps `<function+4>`.
    let head = line.get(..colon)?.trim_start_matches("->").split_whitespace().next()?;
    let address = u64::from_str_radix(head.strip_prefix("0x").unwrap_or(head), 16).ok()?;
    let mut at = colon + 1;
    let mut bytes = Vec::new();
    loop {
        let rest = line.get(at..)?;
        let blanks = rest.len() - rest.trim_start().len();
        // The bytes end where the columns do.
        if !bytes.is_empty() && rest.get(..blanks) != Some(" ") {
            at += blanks;
            break;
        }
        at += blanks;
        let token = line.get(at..)?.split_whitespace().next().unwrap_or("");
        let Some(group) = group(token, order) else { break };
        bytes.extend(group);
        at += token.len();
    }
    let text = line.get(at..)?;
    let unknown = UNKNOWN.iter().find(|(name, _)| {
        text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    });
    let end = text.find(['#', ';']).unwrap_or(text.len());
    let shown = text.get(..end)?.trim_end();
    if let Some((name, Some(size))) = unknown
        && bytes.is_empty()
    {
        bytes = operand(shown.get(name.len()..)?.trim(), *size, order)?;
    }
    Some(Line { address, bytes, unknown: unknown.map(|_| (at, at + shown.len())) })
}

/// A group of hex digits: two are a byte, more a number in the byte order of the machine.
fn group(token: &str, order: ByteOrder) -> Option<Vec<u8>> {
    if !matches!(token.len(), 2 | 4 | 8 | 16) {
        return None;
    }
    let value = u64::from_str_radix(token, 16).ok().filter(|_| !token.starts_with('+'))?;
    Some(number(value, token.len() / 2, order))
}

/// The operand of a data directive.
fn operand(text: &str, size: usize, order: ByteOrder) -> Option<Vec<u8>> {
    let value = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => text.parse().ok()?,
    };
    (size == 8 || value >> (8 * size) == 0).then(|| number(value, size, order))
}

fn number(value: u64, size: usize, order: ByteOrder) -> Vec<u8> {
    let mut bytes = value.to_le_bytes().to_vec();
    bytes.truncate(size);
    if order == ByteOrder::Big {
        bytes.reverse();
    }
    bytes
}
