//! `isaglot explain`: why a word decodes as it does, as a box diagram and a list, or as JSON.

use std::io;
use std::process::ExitCode;

use isaglot_asm::Compat;
use isaglot_asm::explain::{Explained, Explanation, Near, explain};
use isaglot_bits::{BitRange, Word};
use isaglot_codec::Plan;
use isaglot_model::Isa;
use isaglot_source::{Diagnostic, SourceMap};
use serde_json::{Value, json};

use crate::args::{OutputArgs, SpecArgs};
use crate::diagram::{self, Cell, CellKind};
use crate::load::Chosen;
use crate::session::Session;
use crate::subject::Subject;

/// Say why a word decodes as it does, or what comes nearest.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    /// Words: hex (`0x…` or just digits), binary (`0b…`), or bytes in memory order with separators (`04:00:03:20`).
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
    /// Answer in JSON, one array with an object per word.
    #[arg(long)]
    json: bool,
    /// The bit diagram of the encoding of a word, as an SVG picture.
    #[arg(long, conflicts_with = "json")]
    svg: bool,
}

/// Runs the verb. A word that is nothing is an answer, not an error.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    match Subject::description(&args.spec.spec(), session) {
        Ok(chosen) => session.done(answer(args, &chosen, session)),
        Err(code) => code,
    }
}

fn answer(args: &Args, chosen: &Chosen, session: &Session) -> Result<(), Diagnostic> {
    let plan = chosen.plan();
    let words: Vec<Word> = args.words.iter().map(|text| parse_word(&plan, text)).collect::<Result<_, _>>()?;
    let color = args.output.path().is_none() && session.color.on(&io::stdout());
    let explained = words.iter().map(|word| (word, explain(&plan, word, Compat::default())));
    let text = if args.svg {
        picture(&chosen.isa, explained)?
    } else if args.json {
        let all: Vec<Value> = explained.map(|(word, e)| to_json(&chosen.isa, &session.files, word, &e)).collect();
        format!("{:#}\n", Value::Array(all))
    } else {
        let texts: Vec<String> = explained.map(|(word, e)| to_text(&chosen.isa, session, word, &e, color)).collect();
        texts.join("\n")
    };
    args.output.write(&text)
}

/// The picture of the one word.
fn picture<'w>(isa: &Isa, mut explained: impl Iterator<Item = (&'w Word, Explanation)>) -> Result<String, Diagnostic> {
    let error = |message: String| Diagnostic::error("explain-svg", message).note("expected one word of an instruction");
    match (explained.next(), explained.next()) {
        (Some((_, Explanation::Match(found))), None) => Ok(isaglot_site::picture(isa, found.encoding)),
        (Some((word, _)), None) => Err(error(format!("0x{} is no instruction", full_hex(word)))),
        _ => Err(error("a picture is of one word".to_owned())),
    }
}

/// Reads a word; its width is that of the instruction that it begins.
pub(crate) fn parse_word(plan: &Plan<'_>, text: &str) -> Result<Word, Diagnostic> {
    let bad = |why: String| {
        let d = Diagnostic::error("cli-word", format!("`{text}` is no word: {why}"));
        d.note("expected hex (`0x…` or digits), binary (`0b…`), or bytes in memory order (`04:00:03:20`)")
    };
    let format = plan.isa().format();
    let most = format.max_bits;
    let value = if text.contains([':', ' ', ',']) {
        let mut bytes = Vec::new();
        let digits: String = text.chars().map(|c| if ":,".contains(c) { ' ' } else { c }).collect();
        if !crate::hooks::parse_hex_bytes(digits.as_bytes(), &mut bytes) {
            return Err(bad("these are no hex bytes".to_owned()));
        }
        if bytes.len() as u32 * 8 > most {
            return Err(bad(format!("it has {} bytes, an instruction has at most {}", bytes.len(), most / 8)));
        }
        if format.byte_order == isaglot_model::ByteOrder::Big {
            bytes.reverse();
        }
        Word::from_le_bytes(&bytes, most)
    } else {
        let prefixed = text.starts_with("0x") || text.starts_with("0b");
        let text = if prefixed { text.to_owned() } else { format!("0x{text}") };
        Word::parse(&text, most).map_err(|e| bad(e.to_string()))?
    };
    let width = match plan.length(&value.resized(format.parcel_bits)) {
        Some(width) => width,
        None => return Err(bad("no instruction starts like this".to_owned())),
    };
    if !value.shr(width).is_zero() {
        return Err(bad(format!("this instruction has {width} bits, the word has more")));
    }
    Ok(value.resized(width))
}

/// As many hex digits as the width has, whatever the value.
fn full_hex(word: &Word) -> String {
    let hex = word.hex();
    hex[hex.len() - (word.width().div_ceil(4) as usize).min(hex.len())..].to_owned()
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
            (CellKind::Field, isa.text(field.name).to_owned())
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

fn to_text(isa: &Isa, session: &Session, word: &Word, e: &Explanation, color: bool) -> String {
    let mut out = format!("0x{}  ({} bits)\n", full_hex(word), word.width());
    match e {
        Explanation::Match(e) => matched(isa, session, e, 0, color, &mut out),
        Explanation::Conflict { first, second } => {
            out.push_str("  two encodings match, so this is no instruction:\n");
            for id in [*first, *second] {
                let at = session.files.location(isa[id].span);
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
                out.push_str(&near_text(isa, session, word, n));
            }
        }
    }
    out
}

fn near_text(isa: &Isa, session: &Session, word: &Word, n: &Near) -> String {
    let encoding = &isa[n.encoding];
    let wrong = n.wrong.runs().into_iter().rev().map(|run| {
        let bits =
            |w: &Word| -> String { (run.lo..run.end()).rev().map(|b| if w.bit(b) { '1' } else { '0' }).collect() };
        format!("bits {} are {}, not {}", range_text(run), bits(word), bits(encoding.pattern.value()))
    });
    let wrong: Vec<String> = wrong.collect();
    let at = session.files.location(encoding.span);
    let nearest = word.xor(&n.wrong);
    format!(
        "  {}  ({at})\n    {}\n    0x{} would be one\n",
        encoding.display_name,
        wrong.join("; "),
        full_hex(&nearest)
    )
}

fn matched(isa: &Isa, session: &Session, e: &Explained, depth: usize, color: bool, out: &mut String) {
    let pad = "  ".repeat(depth + 1);
    let encoding = &isa[e.encoding];
    if depth == 0 {
        out.push_str(&format!("{pad}{}\n", String::from_utf8_lossy(&e.text)));
        if !e.errors.is_empty() {
            out.push_str(&format!("{pad}; {}\n", String::from_utf8_lossy(&e.errors)));
        }
        out.push('\n');
        out.push_str(&diagram::draw(&cells(isa, e), color));
        out.push('\n');
    }
    let (name, at) = (isa.text(encoding.name), session.files.location(encoding.span));
    let shown =
        if name == encoding.display_name { name.to_owned() } else { format!("{} ({name})", encoding.display_name) };
    out.push_str(&format!("{pad}encoding   {shown}, {at}\n"));
    out.push_str(&format!("{pad}decided by {}\n", fixed_text(&encoding.pattern)));
    if !e.dont_care.is_zero() {
        let bits: Vec<String> = e.dont_care.runs().into_iter().rev().map(range_text).collect();
        out.push_str(&format!("{pad}don't-care bits that are set: {}\n", bits.join(", ")));
    }
    for case in &e.cases {
        let shown = if case.shown { " <- the text is from here" } else { "" };
        match &case.guard {
            Some((text, value)) => {
                let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let held = if *value == 0 { "no" } else { "yes" };
                out.push_str(&format!("{pad}case       if {text}: {held}{shown}\n"));
            }
            None if case.shown => out.push_str(&format!("{pad}case       default of {}{shown}\n", case.owner)),
            None => {}
        }
    }
    for field in &e.fields {
        let place = match &field.derived {
            Some(expr) => format!("= {}", expr.split_whitespace().collect::<Vec<_>>().join(" ")),
            None => field.ranges.iter().map(|r| range_text(*r)).collect::<Vec<_>>().join(" "),
        };
        let text = String::from_utf8_lossy(&field.text);
        let value = crate::hooks::plain_hex(&field.value);
        out.push_str(&format!("{pad}  {:<12} {place:<10} 0x{value}  `{text}`\n", isa.text(field.name)));
        if let Some(nested) = &field.nested {
            matched(isa, session, nested, depth + 2, color, out);
        }
    }
}

/// An answer as JSON.
pub(crate) fn to_json(isa: &Isa, files: &SourceMap, word: &Word, e: &Explanation) -> Value {
    let encoding = |id: isaglot_model::EncodingId| {
        let e = &isa[id];
        json!({ "name": isa.text(e.name), "mnemonic": e.display_name, "at": files.location(e.span),
                "pattern": e.pattern.to_string() })
    };
    let mut answer = json!({ "word": format!("0x{}", full_hex(word)), "bits": word.width() });
    let more = match e {
        Explanation::Match(e) => json!({ "match": explained_json(isa, e, &encoding) }),
        Explanation::Conflict { first, second } => json!({ "conflict": [encoding(*first), encoding(*second)] }),
        Explanation::None(near) => {
            let near = near.iter().map(|n| {
                let wrong: Vec<u32> = n.wrong.ones_iter().collect();
                json!({ "encoding": encoding(n.encoding), "wrong_bits": wrong })
            });
            json!({ "nearest": near.collect::<Vec<_>>() })
        }
    };
    if let (Value::Object(answer), Value::Object(more)) = (&mut answer, more) {
        answer.extend(more);
    }
    answer
}

fn explained_json(isa: &Isa, e: &Explained, encoding: &dyn Fn(isaglot_model::EncodingId) -> Value) -> Value {
    let cases = e.cases.iter().map(|c| {
        json!({ "owner": c.owner, "guard": c.guard.as_ref().map(|g| &g.0), "value": c.guard.as_ref().map(|g| g.1),
                "shown": c.shown })
    });
    let fields = e.fields.iter().map(|f| {
        let bits: Vec<Value> = f.ranges.iter().map(|r| json!({ "low": r.lo, "width": r.width })).collect();
        json!({
            "name": isa.text(f.name), "bits": bits, "derived": f.derived, "value": format!("0x{}", full_hex(&f.value)),
            "text": String::from_utf8_lossy(&f.text), "nested": f.nested.as_ref().map(|n| explained_json(isa, n, encoding)),
        })
    });
    json!({
        "encoding": encoding(e.encoding), "text": String::from_utf8_lossy(&e.text),
        "errors": String::from_utf8_lossy(&e.errors), "cases": cases.collect::<Vec<_>>(),
        "fields": fields.collect::<Vec<_>>(), "dont_care_set": e.dont_care.ones_iter().collect::<Vec<_>>(),
    })
}
