//! A word taken apart, as text: the box diagram of its bits, what decided, its cases and fields; for a word that is not a
//! valid instruction, what comes nearest. What it is as data, [`explain`] says.

mod diagram;
#[cfg(feature = "json")]
pub mod json;
#[cfg(feature = "xe")]
pub mod xe;

use isaglot_asm::Compat;
pub use isaglot_asm::explain::{Explained, Explanation, Near, Undefined};
use isaglot_bits::{BitRange, Word};
use isaglot_codec::Plan;
use isaglot_model::{ByteOrder, Isa};
use isaglot_source::{Diagnostic, SourceMap};

use diagram::{Cell, CellKind};

/// Why a word decodes as it does.
pub fn explain(plan: &Plan<'_>, word: &Word) -> Explanation {
    isaglot_asm::explain::explain(plan, word, Compat::default())
}

/// Reads a word: hex (`0x1448` or just digits), binary (`0b…`), or bytes in memory order with separators (`48:14`). Its
/// width is that of the instruction that it begins.
///
/// # Errors
/// For text that is not a number, and for a word that has not the width of the instruction that it begins.
pub fn word(plan: &Plan<'_>, text: &str) -> Result<Word, Diagnostic> {
    let bad = |why: String| {
        let d = Diagnostic::error("cli-word", format!("`{text}` is not a word: {why}"));
        d.note("expected hex (`0x…` or digits), binary (`0b…`), or bytes in memory order (`04:00:03:20`)")
    };
    let format = plan.isa().format();
    let most = format.max_bits;
    let value = if text.contains([':', ' ', ',']) {
        let mut bytes = Vec::new();
        let digits: String = text.chars().map(|c| if ":,".contains(c) { ' ' } else { c }).collect();
        if !hex_bytes(digits.as_bytes(), &mut bytes) {
            return Err(bad("invalid hex bytes".to_owned()));
        }
        if bytes.len() as u32 * 8 > most {
            return Err(bad(format!("it has {} bytes, an instruction has at most {}", bytes.len(), most / 8)));
        }
        if format.byte_order == ByteOrder::Big {
            bytes.reverse();
        }
        Word::from_le_bytes(&bytes, most)
    } else {
        let prefixed = text.starts_with("0x") || text.starts_with("0b");
        let text = if prefixed { text.to_owned() } else { format!("0x{text}") };
        Word::parse(&text, most).map_err(|e| bad(e.to_string()))?
    };
    let width = match plan.length(&value.resized(format.start_bits())) {
        Some(width) => width,
        None => return Err(bad("no instruction starts like this".to_owned())),
    };
    if !value.shr(width).is_zero() {
        return Err(bad(format!("this instruction has {width} bits, the word has more")));
    }
    Ok(value.resized(width))
}

/// As many hex digits as the width has, whatever the value.
pub fn full_hex(word: &Word) -> String {
    let hex = word.hex();
    hex[hex.len() - (word.width().div_ceil(4) as usize).min(hex.len())..].to_owned()
}

/// Bits as descriptions write them: the pieces, the most significant first.
pub fn bits(ranges: &[BitRange]) -> String {
    ranges.iter().map(|range| range_text(*range)).collect::<Vec<_>>().join(" ")
}

fn range_text(range: BitRange) -> String {
    match range.high() {
        Some(high) if high != range.lo => format!("{high}:{}", range.lo),
        _ => range.lo.to_string(),
    }
}

/// Which cell each bit of a matched word belongs to, the most significant first.
fn cells(isa: &Isa, e: &Explained) -> Vec<Cell> {
    let pattern = &isa[e.encoding].pattern;
    let owner = |bit: u32| {
        let field = e.fields.iter().find(|f| f.ranges.iter().any(|r| r.contains(bit)));
        if pattern.care().bit(bit) {
            (CellKind::Fixed, String::new())
        } else if let Some(field) = field {
            (CellKind::Field, isa.shown(field.name).to_owned())
        } else if isa[e.encoding].dont_care.bit(bit) {
            (CellKind::DontCare, "x".to_owned())
        } else {
            (CellKind::Unclaimed, "-".to_owned())
        }
    };
    let mut cells: Vec<Cell> = Vec::new();
    for bit in (0..e.word.width()).rev() {
        let (kind, label) = owner(bit);
        let digit = if e.word.bit(bit) { '1' } else { '0' };
        match cells.last_mut().filter(|c| c.kind == kind && c.label == label) {
            Some(cell) => {
                cell.low = bit;
                cell.digits.push(digit);
            }
            None => cells.push(Cell { kind, label, high: bit, low: bit, digits: digit.to_string() }),
        }
    }
    cells
}

fn fixed_text(pattern: &isaglot_bits::Pattern) -> String {
    let runs = pattern.care().runs().into_iter().rev().map(|run| {
        let bits: String = (run.lo..run.end()).rev().map(|b| if pattern.value().bit(b) { '1' } else { '0' }).collect();
        format!("{} = {bits}", range_text(run))
    });
    let runs: Vec<String> = runs.collect();
    if runs.is_empty() { "nothing: every word matches".to_owned() } else { runs.join(", ") }
}

/// How much of an answer is written as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Of a long answer the [`SHORT`] lines that say the most: what decided, the cases that apply, the fields that print something.
    Short,
    /// Every case and field, those of fields taken apart too.
    All,
}

/// The lines after the diagram that a short answer has at most, before the one that says how many more there are.
pub const SHORT: usize = 10;

/// Of these, how many may be cases that apply.
const SHORT_CASES: usize = 3;

/// The answer as text, with colours of a terminal if `color` is set. `files` are the files of the description.
pub fn text(isa: &Isa, files: &SourceMap, word: &Word, e: &Explanation, color: bool, extent: Extent) -> String {
    let mut out = format!("0x{}  ({} bits)\n", full_hex(word), word.width());
    match e {
        Explanation::Match(e) => matched(isa, files, e, color, extent, &mut out),
        Explanation::Conflict { first, second } => {
            out.push_str("  two encodings match, so this is not a valid instruction:\n");
            for id in [*first, *second] {
                let at = files.location(isa[id].span);
                out.push_str(&format!(
                    "  {}  ({at})\n    bits {}\n",
                    isa[id].display_name,
                    fixed_text(&isa[id].pattern)
                ));
            }
        }
        Explanation::None(near) => {
            out.push_str("  no encoding matches; the nearest:\n");
            for n in near {
                out.push_str(&near_text(isa, files, word, n));
            }
        }
    }
    out
}

fn near_text(isa: &Isa, files: &SourceMap, word: &Word, n: &Near) -> String {
    let encoding = &isa[n.encoding];
    let wrong = n.wrong.runs().into_iter().rev().map(|run| {
        let bits =
            |w: &Word| -> String { (run.lo..run.end()).rev().map(|b| if w.bit(b) { '1' } else { '0' }).collect() };
        format!("bits {} are {}, not {}", range_text(run), bits(word), bits(encoding.pattern.value()))
    });
    let wrong: Vec<String> = wrong.collect();
    let at = files.location(encoding.span);
    let nearest = word.xor(&n.wrong);
    format!(
        "  {}  ({at})\n    {}\n    0x{} would be one\n",
        encoding.display_name,
        wrong.join("; "),
        full_hex(&nearest)
    )
}

/// A line about a word, and whether a short answer has it.
struct Detail {
    text: String,
    is_short: bool,
}

fn matched(isa: &Isa, files: &SourceMap, e: &Explained, color: bool, extent: Extent, out: &mut String) {
    out.push_str(&format!("  {}\n", String::from_utf8_lossy(&e.text)));
    if !e.errors.is_empty() {
        out.push_str(&format!("  ; {}\n", String::from_utf8_lossy(&e.errors)));
    }
    out.push('\n');
    out.push_str(&diagram::draw(&cells(isa, e), color));
    out.push('\n');
    let mut all = Vec::new();
    details(isa, files, e, 0, &mut all);
    let is_whole = extent == Extent::All || all.len() <= SHORT;
    let shown = all.iter().filter(|line| is_whole || line.is_short).take(if is_whole { all.len() } else { SHORT });
    let mut count = 0;
    for line in shown {
        count += 1;
        out.push_str(&line.text);
        out.push('\n');
    }
    if count < all.len() {
        out.push_str(&format!("  … {} more lines with `--all`\n", all.len() - count));
    }
    if extent == Extent::All {
        does(isa, e, out);
    }
}

/// What the description says that an instruction does; where it says nothing, what it says of the fields that are instructions.
fn does(isa: &Isa, e: &Explained, out: &mut String) {
    let Some(semantics) = &isa[e.encoding].semantics else {
        e.fields.iter().filter_map(|field| field.nested.as_deref()).for_each(|nested| does(isa, nested, out));
        return;
    };
    let lines = || semantics.text.lines().filter(|line| !line.trim().is_empty());
    let indent = lines().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let mut before = "does      ";
    for line in lines() {
        out.push_str(&format!("  {before} {}\n", line.get(indent..).unwrap_or(line).trim_end()));
        before = "          ";
    }
}

/// All lines about a word, those about fields taken apart below the field.
fn details(isa: &Isa, files: &SourceMap, e: &Explained, depth: usize, out: &mut Vec<Detail>) {
    let pad = "  ".repeat(depth + 1);
    let encoding = &isa[e.encoding];
    let is_top = depth == 0;
    let mut line = |text: String, is_short: bool| out.push(Detail { text: format!("{pad}{text}"), is_short });
    let (name, at) = (isa.text(encoding.name), files.location(encoding.span));
    let shown =
        if name == &*encoding.display_name { name.to_owned() } else { format!("{} ({name})", encoding.display_name) };
    line(format!("encoding   {shown}, {at}"), is_top);
    line(format!("decided by {}", fixed_text(&encoding.pattern)), is_top);
    // A bit of a field has a meaning here, whatever it has elsewhere.
    let of_fields = e
        .fields
        .iter()
        .flat_map(|f| &f.ranges)
        .fold(Word::zero(e.word.width()), |all, range| all.or(&Word::mask(*range, e.word.width())));
    let dont_care = e.dont_care.and(&of_fields.not());
    if !dont_care.is_zero() {
        let bits: Vec<String> = dont_care.runs().into_iter().rev().map(range_text).collect();
        line(format!("don't-care bits that are set: {}", bits.join(", ")), true);
    }
    for undefined in &e.undefined {
        line(undefined_text(isa, files, e, undefined), true);
    }
    let mut held_cases = 0;
    for case in &e.cases {
        let shown = if case.shown { " <- the text is from here" } else { "" };
        match &case.guard {
            Some((text, value)) => {
                let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let held = if *value == 0 { "no" } else { "yes" };
                // Fields say something, too: a few cases are enough.
                let is_short = is_top && *value != 0 && (case.shown || held_cases < SHORT_CASES);
                held_cases += usize::from(is_short);
                line(format!("case       if {text}: {held}{shown}"), is_short);
            }
            None if case.shown => line(format!("case       default of {}{shown}", case.owner), is_top),
            None => {}
        }
    }
    for field in &e.fields {
        let place = match &field.derived {
            Some(expr) => format!("= {}", expr.split_whitespace().collect::<Vec<_>>().join(" ")),
            None => bits(&field.ranges),
        };
        let text = String::from_utf8_lossy(&field.text);
        let value = plain_hex(&field.value);
        let is_short = is_top && !text.is_empty() && field.derived.is_none();
        let shown = format!("{pad}  {:<12} {place:<10} 0x{value}  `{text}`", isa.shown(field.name));
        out.push(Detail { text: shown, is_short });
        if let Some(nested) = &field.nested {
            details(isa, files, nested, depth + 2, out);
        }
    }
}

/// A name that nothing defines, and what would.
fn undefined_text(isa: &Isa, files: &SourceMap, e: &Explained, undefined: &Undefined) -> String {
    let encoding = &isa[e.encoding];
    let cases = undefined.cases.iter().filter_map(|&at| encoding.cases.get(at)).map(|case| match case.guard {
        Some(guard) => {
            let guard: String = isa[guard].text.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("the case of {} at {} would, if {guard}", case.owner, files.location(case.span))
        }
        None => format!("the default of {} at {}", case.owner, files.location(case.span)),
    });
    let given = undefined.given_by.iter().map(|&(id, field)| {
        format!("field {} of {} gives it, which is not around this", isa.shown(field), isa[id].display_name)
    });
    let mut would: Vec<String> = cases.chain(given).collect();
    would.dedup();
    if would.is_empty() {
        would.push("no override, case or parameter would".to_owned());
    }
    format!("nothing defines {} here: {}", isa.shown(undefined.name), would.join("; "))
}

/// The value in hex without leading zeros.
pub fn plain_hex(word: &Word) -> String {
    let hex = word.hex();
    let digits = hex.trim_start_matches('0');
    if digits.is_empty() { "0".to_owned() } else { digits.to_owned() }
}

/// Reads pairs of hex digits. White space, commas and brackets do not count, nor does `0x` before a pair, nor what follows a
/// `#`: `13 05 a0 00`, and as llvm-mc writes and reads it `[0x13,0x05,0xa0,0x00] # add`. Whether that is all there is, and at
/// least one.
pub fn hex_bytes(line: &[u8], bytes: &mut Vec<u8>) -> bool {
    let line = line.split(|&b| b == b'#').next().unwrap_or_default();
    let mut digits = line.iter().filter(|b| !b.is_ascii_whitespace() && !b",[]".contains(b)).copied().peekable();
    let mut high = None;
    while let Some(b) = digits.next() {
        if b == b'0' && high.is_none() && matches!(digits.peek(), Some(b'x' | b'X')) {
            digits.next();
            continue;
        }
        let Some(digit) = (b as char).to_digit(16) else { return false };
        match high.take() {
            None => high = Some(digit),
            Some(high) => bytes.push((high << 4 | digit) as u8),
        }
    }
    high.is_none() && !bytes.is_empty()
}
