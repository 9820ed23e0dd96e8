//! Reads operand tables. A statement is a line that begins at its margin, with the indented lines below it; `#` begins
//! a comment. All problems are reported, each where it is.

mod fact;
mod meaning;
mod records;

use isaglot_bits::{Pattern, Word};
use isaglot_invariant::Impossible as _;
use isaglot_model::ByteOrder;
use isaglot_source::{Diagnostic, Diagnostics, FileId, closest};

use self::fact::fact;
use self::meaning::{choices, classes, given, hook_name, parts};
pub(super) use self::meaning::{condition, feature};
use self::records::record_table;
use crate::limits::{MAX_INST_BITS, MAX_TABLE_BYTES};
use crate::table::compute;
use crate::table::formula::Definitions;
use crate::table::mode;
use crate::table::tokens::{Line, Result, Token, Tokens};
use crate::table::{
    ALONE, ARCH, Every, Extend, FieldValue, Hook, INSTEAD, LengthLine, ModeLayout, NamedOperands, OperandTable, Order,
    RegisterNames,
};

const STATEMENTS: &[&str] = &[
    "registers",
    "immediates",
    "define",
    "synonym",
    "bytes",
    "parcel",
    "length",
    "lengths",
    "layout",
    "aliases",
    "softfail",
    "optional",
    "case",
    "only",
    "decoded",
    "extend",
    "every",
    "joins",
    "namespaces",
    "mode",
    "requires",
    "feature",
    "context",
    "triple",
    "claims",
    "enum",
    "table",
    "decode",
    "print",
    "operand",
    "instruction",
    "guess",
];

/// What a guess may be about.
const GUESSED: &str = "`decode`, `operand`, `print` or `instruction` after `guess`";

/// Reads a table; problems are added to `out`.
pub fn read(file: FileId, text: &str, out: &mut Diagnostics) -> OperandTable {
    let mut table = OperandTable::default();
    let mut known = Definitions::default();
    if text.len() > MAX_TABLE_BYTES {
        out.push(Diagnostic::error("operands-size", format!("a table of more than {MAX_TABLE_BYTES} bytes")));
        return table;
    }
    let none = Definitions::default();
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let code = strip_comment(line).trim_end();
        if code.trim().is_empty() {
            continue;
        }
        let indent = code.len() - code.trim_start().len();
        lines.push(Line { file, text: code.trim_start(), start: start + indent, indented: indent > 0, known: &none });
    }
    for line in lines.iter().filter(|line| !line.indented) {
        match compute::define(Line { known: &known, ..*line }) {
            Ok(None) => {}
            Ok(Some((name, definition))) => {
                known.insert(name, definition);
            }
            Err(d) => out.push(d),
        }
    }
    lines.iter_mut().for_each(|line| line.known = &known);
    // Texts of enums so far.
    let mut texts = 0;
    let mut rest = lines.as_slice();
    while let Some((head, more)) = rest.split_first() {
        let count = more.iter().take_while(|line| line.indented).count();
        let (body, after) = more.split_at_checked(count).or_impossible((more, &[]));
        rest = after;
        if let Err(d) = statement(*head, body, &mut table, &mut texts, out) {
            out.push(d);
        }
    }
    for ModeLayout { mode: name, span, .. } in table.orders.iter().flat_map(|order| &order.layouts) {
        let known = table.modes.iter().map(|mode| mode.name.as_str());
        if known.clone().all(|mode| mode != name) {
            let d = Diagnostic::error("operands-mode", format!("the table has no mode `{name}`"));
            out.push(d.label(*span, "named here").did_you_mean(closest(name, known)));
        }
    }
    table.note_orders();
    table.note_claims();
    table
}

/// A line without its comment; a `#` in a string is text.
fn strip_comment(line: &str) -> &str {
    let mut quoted = false;
    let mut escaped = false;
    for (i, byte) in line.bytes().enumerate() {
        match byte {
            b'"' if !escaped => quoted = !quoted,
            b'#' if !quoted => return line.get(..i).or_impossible(line),
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    line
}

/// A statement with the indented lines after it.
fn statement(
    head: Line<'_>,
    body: &[Line<'_>],
    table: &mut OperandTable,
    texts: &mut usize,
    out: &mut Diagnostics,
) -> Result<()> {
    let mut t = Tokens::new(head)?;
    let mut kind = t.word("a statement")?;
    let guess = kind == "guess";
    if guess {
        kind = t.word(GUESSED)?;
        if !matches!(kind.as_str(), "decode" | "operand" | "print" | "instruction") {
            t.at -= 1;
            return Err(t.wanted(GUESSED));
        }
    }
    match kind.as_str() {
        "enum" => {
            let name = t.word("a name")?;
            let mut values = Vec::new();
            for line in body {
                let mut t = Tokens::new(*line)?;
                if matches!(t.list.get(1), Some((Token::Dots, ..))) {
                    compute::texts(&mut t, *texts, &mut values)?;
                    continue;
                }
                while !t.done() {
                    let value = t.number("a value")? as u64;
                    values.push((value, t.text("its text")?.into()));
                }
            }
            *texts += values.len();
            table.enums.insert(name, values);
            t.end()
        }
        "decode" | "operand" => {
            let (name, params) = hook_name(&mut t)?;
            let classes = classes(&mut t)?;
            let given = given(&mut t)?;
            let parts = parts(&mut t, body)?;
            let map = if kind == "decode" { &mut table.decode } else { &mut table.operands };
            map.entry(name).or_default().push(Hook { params, classes, given, guess, body: parts, span: t.whole() });
            Ok(())
        }
        "print" => {
            let (name, params) = hook_name(&mut t)?;
            let classes = classes(&mut t)?;
            let given = given(&mut t)?;
            let choices = choices(&mut t, body, out)?;
            let hook = Hook { params, classes, given, guess, body: choices, span: t.whole() };
            table.print.entry(name).or_default().push(hook);
            Ok(())
        }
        "mode" => mode::mode(&mut t, body, table),
        "every" => {
            let class = t.word("a class of instructions")?;
            let mut fields = Vec::new();
            let mut operands = Vec::new();
            while !t.done() {
                let field = t.word("a field of the records, `has` or `lacks`")?;
                if matches!(field.as_str(), "has" | "lacks") {
                    operands.push((t.word("an operand")?, field == "has"));
                    continue;
                }
                t.need('=')?;
                fields.push((
                    field,
                    match t.peek() {
                        Some(Token::Text(_)) => FieldValue::Text(t.text("a text")?),
                        _ => FieldValue::Number(t.number("a number or a text")?),
                    },
                ));
            }
            let mut facts = Vec::new();
            for line in body {
                let mut t = Tokens::new(*line)?;
                facts.push(fact(&mut t)?);
            }
            table.every.push(Every { class, fields, operands, facts });
            Ok(())
        }
        "instruction" => {
            let mut names = Vec::new();
            while names.is_empty() || !t.done() {
                names.push(match t.peek() {
                    Some(Token::Text(_)) => t.text("a method")?,
                    _ => t.word("an instruction, a `DecoderMethod` or a `PostEncoderMethod`")?,
                });
            }
            // What is guessed of an instruction is not believed: its operands stay marked.
            if guess {
                return t.end();
            }
            for name in &names {
                table.instructions.entry(name.clone()).or_default();
            }
            for line in body {
                let mut t = Tokens::new(*line)?;
                let fact = fact(&mut t)?;
                if !t.named.is_empty() {
                    table.named.push(NamedOperands { instructions: names.clone(), operands: t.named });
                }
                for name in &names {
                    table.instructions.entry(name.clone()).or_default().push(fact.clone());
                }
            }
            Ok(())
        }
        other => {
            let orders = table.orders.len();
            single_line(other, &mut t, table)?;
            if let Some(order) = table.orders.get_mut(orders) {
                for line in body {
                    in_order(*line, order)?;
                }
                return t.end();
            }
            if let Some(line) = body.first() {
                let t = Tokens::new(*line)?;
                return Err(t.wanted("no indented line after this statement"));
            }
            t.end()
        }
    }
}

/// What the register names are made of.
fn register_names(t: &mut Tokens<'_>, names: &mut RegisterNames) -> Result<()> {
    const OPTIONS: &str = "`prefix`, `alt`, `number`, `last`, `lower`, `digits` or `sigil`";
    while !t.done() {
        match t.word(OPTIONS)?.as_str() {
            "prefix" => names.prefix = t.text("the prefix")?,
            "alt" => names.alt = Some(t.word("the name of a `RegAltNameIndex`")?),
            "lower" => names.lower = true,
            "digits" => names.digits = true,
            "sigil" => names.sigil = Some(t.text("a sign")?),
            "number" => names.number = Some(t.word("a field of registers")?),
            "last" => names.last = true,
            _ => return Err(t.wanted(&format!("{OPTIONS} before this"))),
        }
    }
    Ok(())
}

/// A pattern of the first bits, the length that it tells, and with which features: `PATTERN = BITS [if FEATURE | unless FEATURE]…`
pub(super) fn length(t: &mut Tokens<'_>) -> Result<LengthLine> {
    let text = t.word("a pattern of `0`, `1` and `x`")?;
    t.need('=')?;
    let bits = t.number("a number of bits")?;
    let span = t.whole();
    let bad = || Diagnostic::error("operands-length", "no pattern and length").label(span, "here");
    let pattern = pattern(&text).ok_or_else(bad)?;
    let mut features = Vec::new();
    while !t.done() {
        let on = t.keyword("if");
        if !on && !t.keyword("unless") {
            return Err(t.wanted("`if` or `unless`"));
        }
        features.push((feature(t)?, on));
    }
    Ok(LengthLine { pattern, bits: u32::try_from(bits).map_err(|_| bad())?, features, span })
}

/// A line below an order of bytes: what is otherwise in it.
fn in_order(line: Line<'_>, order: &mut Order) -> Result<()> {
    let mut t = Tokens::new(line)?;
    match t.word("`length`, `layout` or `bits`")?.as_str() {
        "length" => order.lengths.push(length(&mut t)?),
        "layout" => {
            let mode = t.word("a mode")?;
            order.layouts.push(ModeLayout { mode, layout: t.bits()?, span: t.whole() });
        }
        "bits" => {
            let instruction = t.word("an instruction")?;
            let field = t.word("a field")?;
            order.bits.push((instruction, field, t.bits()?));
        }
        _ => {
            t.at = 0;
            return Err(t.wanted("`length`, `layout` or `bits`"));
        }
    }
    t.end()
}

/// A statement without indented lines.
fn single_line(kind: &str, t: &mut Tokens<'_>, table: &mut OperandTable) -> Result<()> {
    match kind {
        "registers" => register_names(t, &mut table.registers)?,
        "immediates" => table.immediates = t.text("what stands before them")?,
        // Read before all else.
        "define" => t.at = t.list.len(),
        "synonym" => {
            let record = t.word("the record of a register")?;
            t.need('=')?;
            table.registers.synonyms.push((record, t.text("a name")?));
        }
        "bytes" => {
            let byte_order = match t.word("`little` or `big`")?.as_str() {
                "big" => ByteOrder::Big,
                "little" => ByteOrder::Little,
                _ => return Err(t.wanted("`little` or `big` before this")),
            };
            if t.done() {
                table.byte_order = byte_order;
                return Ok(());
            }
            let layout = t.bits()?;
            let mut prefixes = vec![triple(t)?];
            while !t.done() {
                prefixes.push(triple(t)?);
            }
            let (lengths, layouts, bits) = (Vec::new(), Vec::new(), Vec::new());
            table.orders.push(Order { byte_order, layout, layouts, prefixes, lengths, bits });
        }
        "parcel" => table.parcel = Some(t.count("a number of bits", MAX_INST_BITS)?),
        "lengths" if t.keyword("worked") && t.keyword("out") => table.lengths_worked_out = true,
        "lengths" => return Err(t.wanted("`worked out`")),
        "length" => table.lengths.push(length(t)?),
        "layout" => table.layout = t.bits()?,
        "namespaces" => {
            while !t.done() {
                table.namespaces.push(match t.peek() {
                    Some(Token::Text(_)) => t.text("the name of a decoder namespace")?,
                    _ => t.word("the name of a decoder namespace")?,
                });
            }
        }
        "requires" => {
            let namespace = t.word("a decoder namespace, or a number of bits")?;
            let feature = match t.peek() {
                Some(Token::Text(_)) => t.text("a feature")?,
                _ => t.word("a feature")?,
            };
            match namespace.parse() {
                Ok(width) => table.requires_width.push((width, feature)),
                Err(_) => table.requires.push((namespace, feature)),
            }
        }
        "softfail" if t.keyword("written") => table.soft_written = true,
        "softfail" => return Err(t.wanted("`written`")),
        "aliases" if t.keyword("read") => table.aliases_read = true,
        "aliases" => return Err(t.wanted("`read`")),
        "optional" => match t.text("a character that may be left out before numbers")?.as_bytes() {
            &[mark] if mark.is_ascii_punctuation() => table.number_mark = Some(mark),
            _ => {
                t.at -= 1;
                return Err(t.wanted("one character that is neither a letter nor a digit"));
            }
        },
        "case" if t.keyword("either") => table.any_case = true,
        "case" => return Err(t.wanted("`either`")),
        "only" | "decoded" => {
            let list = if kind == "only" { &mut table.only } else { &mut table.decoded };
            while !t.done() {
                list.push(t.word("a class of instructions")?);
            }
        }
        "extend" => {
            let own = t.keyword("own");
            let value = t.number("a value")? as u64;
            let width = t.count("a number of bits", 64)?;
            let print = if t.keyword("print") { t.word("a print method")? } else { String::new() };
            let mut operands = Vec::new();
            while !t.done() {
                operands.push(t.word("the record of an operand")?);
            }
            table.extend.push(Extend { value, width, print, own, operands });
        }
        "joins" => {
            while !t.done() {
                table.joins.push(t.word("a print method, or the record of an operand")?);
            }
        }
        "feature" => {
            while !t.done() {
                let name = t.word("the name of a feature")?;
                table.features.push((name, t.whole()));
            }
        }
        "context" => {
            let group = t.word("the name of a group of contexts")?;
            t.need('=')?;
            let mut names = Vec::new();
            while names.is_empty() || !t.done() {
                names.push(t.word("the name of a context")?);
            }
            table.contexts.push((group, names, t.whole()));
        }
        "triple" => {
            let prefix = triple(t)?;
            t.need('=')?;
            let mut names = Vec::new();
            while !t.done() {
                if t.keyword("instead") {
                    let (one, other) = (t.word("a feature")?, t.word("the feature instead of it")?);
                    names.push(format!("{INSTEAD}{one} {other}"));
                    continue;
                }
                let alone = match (t.keyword("alone"), t.keyword("arch")) {
                    (true, _) => ALONE,
                    (_, true) => ARCH,
                    _ => "",
                };
                names.push(match t.peek() {
                    Some(Token::Text(_)) => format!("{alone}{}", t.text("a name")?),
                    _ => format!("{alone}{}", t.word("a processor or feature")?),
                });
            }
            table.triples.push((prefix, names));
        }
        "claims" => {
            while !t.done() {
                table.claims.push(match t.peek() {
                    Some(Token::Text(_)) => t.text("a feature")?,
                    _ => t.word("a feature")?,
                });
            }
        }
        "table" => {
            let (name, entry) = record_table(t)?;
            table.record_tables.insert(name, entry);
        }
        other => {
            t.at = 0;
            return Err(t.wanted("a statement").did_you_mean(closest(other, STATEMENTS.iter().copied())));
        }
    }
    Ok(())
}

/// The beginning of a triple.
fn triple(t: &mut Tokens<'_>) -> Result<String> {
    let mut prefix = t.word("the beginning of a triple")?;
    while t.mark('-') {
        prefix.push('-');
        prefix.push_str(&t.word("more of a triple")?);
    }
    Ok(prefix)
}

/// The most significant bit first.
pub(super) fn pattern(text: &str) -> Option<Pattern> {
    let width = u32::try_from(text.len()).ok()?;
    let (mut value, mut care) = (Word::zero(width), Word::zero(width));
    for (bit, byte) in (0..width).rev().zip(text.bytes()) {
        match byte {
            b'x' => {}
            b'0' | b'1' => {
                care.set_bit(bit, true);
                value.set_bit(bit, byte == b'1');
            }
            _ => return None,
        }
    }
    Some(Pattern::new(&value, care))
}
