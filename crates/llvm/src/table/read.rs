//! Reads operand tables. A statement is a line that begins at its margin, with the indented lines below it; `#` begins
//! a comment. All problems are reported, each where it is.

use isaglot_bits::{Pattern, Word};
use isaglot_invariant::Impossible as _;
use isaglot_model::ByteOrder;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Span, closest};

use crate::limits::{MAX_INST_BITS, MAX_TABLE_BYTES};
use crate::table::compute;
use crate::table::formula::{self, Definitions};
use crate::table::mode;
use crate::table::tokens::{Line, Result, Token, Tokens};
use crate::table::{
    ALONE, ARCH, AliasWhen, DecodeStep, Each, Every, Extend, FieldValue, Hook, HookParam, INSTEAD, InstFact,
    LengthLine, ModeLayout, NamedOperands, NumberFormat, OperandTable, Order, Part, RecordTable, RegisterNames,
    TableNumber, TextChoice, TextPiece, ValueSet,
};

const STATEMENTS: &[&str] = &[
    "registers",
    "immediates",
    "define",
    "synonym",
    "bytes",
    "parcel",
    "length",
    "layout",
    "aliases",
    "softfail",
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

/// The largest unit of a branch, in bytes.
const MAX_UNIT: u32 = 1 << 16;

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
                    values.push((value, t.text("its text")?));
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

/// `name = CLASS value FIELD text FIELD [also FIELD]… [prefix TEXT] [lower] [when FEATURE] [needs FIELD [or FEATURE]] [without FIELD FEATURE] [where FIELD = N]… [else TEXT]`
fn record_table(t: &mut Tokens<'_>) -> Result<(String, RecordTable)> {
    const CLAUSES: &str = "`value`, `text`, `also`, `prefix`, `lower`, `when`, `needs`, `without`, `where` or `else`";
    let name = t.word("a name")?;
    t.need('=')?;
    let class = t.word("a class")?;
    let mut entry = RecordTable {
        class,
        value: String::new(),
        text: String::new(),
        also: Vec::new(),
        lower: false,
        only: Vec::new(),
        needs: None,
        or: None,
        other: None,
        without: None,
        prefix: String::new(),
        when: None,
        span: t.whole(),
    };
    while !t.done() {
        match t.word(CLAUSES)?.as_str() {
            "value" => entry.value = t.word("a field")?,
            "text" => entry.text = t.word("a field")?,
            "also" => entry.also.push(t.word("a field")?),
            "lower" => entry.lower = true,
            "needs" => (entry.needs, entry.or) = needs(t)?,
            "where" => entry.only.push(setting(t, "a field")?),
            "else" => entry.other = Some(template(t)?),
            "prefix" => entry.prefix = t.text("a text")?,
            "when" => entry.when = Some(t.word("a feature")?),
            "without" => entry.without = Some((t.word("a field")?, t.word("a feature")?)),
            _ => return Err(t.wanted(&format!("{CLAUSES} before this"))),
        }
    }
    Ok((name, entry))
}

/// `FIELD [or FEATURE]` after `needs`.
fn needs(t: &mut Tokens<'_>) -> Result<(Option<String>, Option<String>)> {
    let field = t.word("a field")?;
    let or = if t.keyword("or") { Some(t.word("a feature")?) } else { None };
    Ok((Some(field), or))
}

/// `NAME = N`
fn setting(t: &mut Tokens<'_>, what: &str) -> Result<(String, i64)> {
    let name = t.operand(what)?;
    t.need('=')?;
    Ok((name, t.number("a number")?))
}

/// `each CLASS FIELD[,FIELD]… = FIELD [with FIELD = N]… [where FIELD = N]… [needs FIELD [or FEATURE]] TEXT [unread]`
fn each(t: &mut Tokens<'_>) -> Result<Each> {
    let class = t.word("a class")?;
    let mut fields = vec![t.operand("a field of the instruction")?];
    while t.mark(',') {
        fields.push(t.operand("a further field")?);
    }
    t.need('=')?;
    let value = t.word("a field of the records")?;
    let (mut with, mut only) = (Vec::new(), Vec::new());
    let (mut needed, mut or) = (None, None);
    while !matches!(t.peek(), Some(Token::Text(_)) | None) {
        match t.word("`with`, `where`, `needs` or a text")?.as_str() {
            "with" => with.push(setting(t, "a field of the instruction")?),
            "where" => {
                only.push(setting(t, "a field of the records")?);
                t.named.pop();
            }
            "needs" => (needed, or) = needs(t)?,
            _ => return Err(t.wanted("`with`, `where`, `needs` or a text before this")),
        }
    }
    let text = t.asm_string()?;
    let printed_only = t.keyword("unread");
    Ok(Each { class, fields, value, with, only, needs: needed, or, text, printed_only })
}

fn hook_name(t: &mut Tokens<'_>) -> Result<(String, Vec<HookParam>)> {
    let name = t.word("a name")?;
    let mut params = Vec::new();
    if t.mark('<') {
        loop {
            params.push(match t.peek() {
                Some(Token::Text(_)) => HookParam::Text(t.text("a parameter")?),
                _ => match t.num("a parameter")? {
                    TableNumber::Is(value) => HookParam::Is(value),
                    TableNumber::Param(name) => HookParam::Any(name),
                },
            });
            if !t.mark(',') {
                break;
            }
        }
        t.need('>')?;
    }
    Ok((name, params))
}

/// `of CLASS…`: the classes of registers that a statement is for.
fn classes(t: &mut Tokens<'_>) -> Result<Vec<String>> {
    let mut list = Vec::new();
    if t.keyword("of") {
        while !matches!(t.peek(), Some(Token::Mark(':')) | None)
            && !matches!(t.peek(), Some(Token::Word(word)) if word == "given")
        {
            list.push(t.word("a register class")?);
        }
    }
    Ok(list)
}

/// `given RECORD`: a statement that counts only where the target has this record.
fn given(t: &mut Tokens<'_>) -> Result<Option<String>> {
    if t.keyword("given") { t.word("the name of a record").map(Some) } else { Ok(None) }
}

/// `: STEPS`, or a line `NAME [BITS]: STEPS` for each part.
fn parts(t: &mut Tokens<'_>, body: &[Line<'_>]) -> Result<Vec<Part>> {
    if t.mark(':') {
        let steps = steps(t)?;
        t.end()?;
        return Ok(vec![Part { name: String::new(), bits: Vec::new(), steps }]);
    }
    t.end()?;
    let mut list = Vec::new();
    for line in body {
        let mut t = Tokens::new(*line)?;
        let name = t.word("the name of a part")?;
        let bits = t.bits()?;
        t.need(':')?;
        list.push(Part { name, bits, steps: steps(&mut t)? });
        t.end()?;
    }
    if list.is_empty() { Err(t.wanted("`:` and what it is, or indented lines")) } else { Ok(list) }
}

fn steps(t: &mut Tokens<'_>) -> Result<Vec<DecodeStep>> {
    let mut list = Vec::new();
    loop {
        let before = t.at;
        let word = t.word("a step")?;
        list.push(match word.as_str() {
            "int" => DecodeStep::Int(t.optional_num()?),
            "uint" => DecodeStep::Uint(t.optional_num()?),
            "shl" => DecodeStep::Shl(t.num("a number of bits")?),
            "sext" => DecodeStep::Sext(t.num("a number of bits")?),
            "plus" => DecodeStep::Plus(t.num("a number")?),
            "reject" => DecodeStep::Reject(t.set()?),
            "accept" => DecodeStep::Accept(condition(t)?),
            "register" => DecodeStep::Register(match t.peek() {
                Some(Token::Word(_)) => Some(t.word("a register class")?),
                _ => None,
            }),
            "constant" => DecodeStep::Constant(t.number("a number")?),
            "high" => match t.set()? {
                ValueSet::Mask(care, value) => DecodeStep::High(64 - care.leading_zeros(), value),
                _ => return Err(t.wanted("bits as `0b…` before this")),
            },
            _ => {
                t.at = before;
                DecodeStep::Format(format(t)?)
            }
        });
        if !t.mark(',') {
            return Ok(list);
        }
    }
}

fn format(t: &mut Tokens<'_>) -> Result<NumberFormat> {
    let before = t.at;
    Ok(match t.word("a format")?.as_str() {
        "int" => NumberFormat::Int,
        "uint" => NumberFormat::Uint,
        "hex" => NumberFormat::Hex,
        "offset" => NumberFormat::Offset,
        "float" => NumberFormat::Float,
        "register" => NumberFormat::Register(t.word("a register class")?),
        "enum" => NumberFormat::Enum(t.word("an enum or a table")?),
        "print" => NumberFormat::Print(t.word("a print method")?),
        "branch" => NumberFormat::Branch(t.count("bytes per unit", MAX_UNIT)?),
        _ => {
            t.at = before;
            return Err(t.wanted("a step or a format"));
        }
    })
}

/// `: TEXT …`, or lines `SET TEXT …`.
fn choices(t: &mut Tokens<'_>, body: &[Line<'_>], out: &mut Diagnostics) -> Result<Vec<TextChoice>> {
    if t.mark(':') {
        return Ok(vec![choice(t, ValueSet::Any)?]);
    }
    t.end()?;
    let mut list = Vec::new();
    for line in body {
        let one = || -> Result<TextChoice> {
            let mut t = Tokens::new(*line)?;
            let parts = part_sets(&mut t)?;
            let when = if parts.is_empty() { t.set()? } else { ValueSet::Any };
            Ok(TextChoice { parts, ..choice(&mut t, when)? })
        };
        match one() {
            Ok(choice) => list.push(choice),
            Err(d) => out.push(d),
        }
    }
    if list.is_empty() { Err(t.wanted("`:` and a text, or indented lines")) } else { Ok(list) }
}

/// `PART is SET [and PART is SET]…`; nothing if the line does not begin so.
fn part_sets(t: &mut Tokens<'_>) -> Result<Vec<(String, ValueSet)>> {
    let mut list = Vec::new();
    if !matches!(t.list.get(1), Some((Token::Word(word), ..)) if word == "is") {
        return Ok(list);
    }
    loop {
        let part = t.word("a part")?;
        if !t.keyword("is") {
            return Err(t.wanted("`is`"));
        }
        list.push((part, t.set()?));
        if !t.keyword("and") {
            return Ok(list);
        }
    }
}

/// The name of a feature; in quotes if it has more than letters, digits and `_`.
pub(super) fn feature(t: &mut Tokens<'_>) -> Result<String> {
    if matches!(t.peek(), Some(Token::Text(_))) { t.text("a feature") } else { t.word("a feature") }
}

/// `TEXT [alias TEXT] [also TEXT]… [unread] [if FEATURE | unless FEATURE]`
fn choice(t: &mut Tokens<'_>, when: ValueSet) -> Result<TextChoice> {
    let text = template(t)?;
    let alias = if t.keyword("alias") { Some(template(t)?) } else { None };
    let mut also = Vec::new();
    while t.keyword("also") {
        also.push(template(t)?);
    }
    let printed_only = t.keyword("unread");
    let feature = match (t.keyword("if"), t.keyword("unless")) {
        (true, _) => Some((feature(t)?, true)),
        (_, true) => Some((feature(t)?, false)),
        _ => None,
    };
    t.end()?;
    Ok(TextChoice { when, parts: Vec::new(), text, alias, also, feature, printed_only, span: t.whole() })
}

/// A text with `{part[bits] format}`, `{part,part format}` and `{= formula ; format}`; `{{` is a brace.
fn template(t: &mut Tokens<'_>) -> Result<Vec<TextPiece>> {
    let (line, place) = (t.line, t.list.get(t.at).map_or(0, |token| token.1));
    let text = t.text("a text")?;
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('{') {
        literal.push_str(rest.get(..at).or_impossible(""));
        rest = rest.get(at + 1..).or_impossible("");
        if let Some(after) = rest.strip_prefix('{') {
            literal.push('{');
            rest = after;
            continue;
        }
        let Some((inner, after)) = rest.split_once('}') else {
            let span = Span::new(line.file, line.start + place, line.start + line.text.len());
            return Err(Diagnostic::error("operands-text", "a `{` has no `}`").label(span, "in this text"));
        };
        rest = after;
        if !literal.is_empty() {
            pieces.push(TextPiece::Literal(std::mem::take(&mut literal)));
        }
        let inner_line = Line { text: inner, start: line.start + place, ..line };
        pieces.push(reference(inner_line)?);
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        pieces.push(TextPiece::Literal(literal));
    }
    Ok(pieces)
}

fn reference(line: Line<'_>) -> Result<TextPiece> {
    if let Some(name) = line.text.trim().strip_prefix('<').and_then(|name| name.strip_suffix('>')) {
        return Ok(TextPiece::Param(name.trim().to_owned()));
    }
    if let Some(text) = line.text.trim_start().strip_prefix('=') {
        let (text, how) = text.split_once(';').unwrap_or((text, "int"));
        let bad = |what: String| {
            let span = Span::new(line.file, line.start, line.start + 1);
            Diagnostic::error("operands-formula", what).label(span, "in this text")
        };
        let formula = formula::parse(text, line.known).map_err(bad)?;
        let mut t = Tokens::new(Line { text: how, ..line })?;
        return Ok(TextPiece::Expr(formula, format(&mut t)?));
    }
    let mut t = Tokens::new(line)?;
    let name = t.word("the name of a part")?;
    if t.mark(',') {
        let mut names = vec![name, t.word("the name of a further part")?];
        while t.mark(',') {
            names.push(t.word("the name of a further part")?);
        }
        let how = format(&mut t)?;
        t.end()?;
        return Ok(TextPiece::Joined(names, how));
    }
    let bits = t.bits()?;
    let how = if t.done() { NumberFormat::Plain } else { format(&mut t)? };
    t.end()?;
    Ok(TextPiece::Part { name, bits, format: how })
}

/// A formula in quotes.
pub(super) fn condition(t: &mut Tokens<'_>) -> Result<formula::Formula> {
    let text = t.text("a formula in quotes")?;
    formula::parse(&text, t.line.known).map_err(|what| {
        t.at -= 1;
        let place = t.wanted("a formula");
        Diagnostic { message: what, code: "operands-formula", ..place }
    })
}

/// `constant NAME = N`, `copy NAME = NAME`, `aliases none`, `operand NAME = RECORD`, `namespace NAME`, `unread MNEMONIC`, `reject NAME == NAME`, `reject NAME SET [if FEATURE | unless FEATURE]`, `reject if FORMULA`, `alias NAME = N … if FORMULA … ASMSTRING`, `input …`, `own if FORMULA ASMSTRING`, `opens FORMULA`,
/// `print NAME = METHOD`, `jump NAME = N`, `word [BITS] = N [where NAME = N]`, `text TEXT = TEXT`, `rank N`, `width N`, `bits NAME [BITS]`
fn fact(t: &mut Tokens<'_>) -> Result<InstFact> {
    const FACTS: &str = "`constant`, `copy`, `operand`, `namespace`, `reject`, `alias`, `aliases`, `input`, `unread`, `own`, `opens`, `long`, `each`, `only`, `print`, `jump`, `word`, `write`, `text`, `rank`, `width` or `bits`";
    let fact = match t.word(FACTS)?.as_str() {
        "constant" => {
            let (name, value) = setting(t, "an operand")?;
            InstFact::Constant(name, value)
        }
        "aliases" => {
            if !t.keyword("none") {
                return Err(t.wanted("`none`"));
            }
            InstFact::NoAliases
        }
        "copy" => {
            let name = t.operand("an operand")?;
            t.need('=')?;
            InstFact::Copy(name, t.operand("a field")?)
        }
        "each" => InstFact::Each(each(t)?),
        "only" => {
            if !t.keyword("each") {
                return Err(t.wanted("`each`"));
            }
            InstFact::OnlyEach
        }
        "reject" if t.keyword("if") => {
            let formula = condition(t)?;
            InstFact::RejectIf(formula, t.whole())
        }
        "reject" => {
            let name = t.operand("an operand")?;
            if t.mark('=') {
                t.need('=')?;
                InstFact::RejectEqual(name, t.operand("an operand")?)
            } else {
                let set = t.set()?;
                let on = t.keyword("if");
                if on || t.keyword("unless") {
                    InstFact::RejectWhere(name, set, (feature(t)?, on))
                } else {
                    InstFact::Reject(name, set)
                }
            }
        }
        "operand" => {
            let name = t.operand("an operand")?;
            t.need('=')?;
            InstFact::Operand(name, t.word("the record of an operand")?)
        }
        "unread" => InstFact::UnreadText(t.text("a mnemonic")?),
        "namespace" => InstFact::Namespace(t.word("a decoder namespace")?),
        kind @ ("alias" | "input") => {
            let mut when = AliasWhen::default();
            while !matches!(t.peek(), Some(Token::Text(_)) | None) {
                if t.keyword("if") {
                    when.formulas.push(condition(t)?);
                    continue;
                }
                when.values.push(setting(t, "an operand")?);
            }
            let text = t.asm_string()?;
            if kind == "alias" { InstFact::Alias(when, text) } else { InstFact::Input(when, text) }
        }
        "opens" => InstFact::Opens(condition(t)?, t.whole()),
        "own" => {
            if !t.keyword("if") {
                return Err(t.wanted("`if`"));
            }
            let formula = condition(t)?;
            InstFact::Own(formula, t.asm_string()?)
        }
        "long" => {
            if !t.keyword("if") {
                return Err(t.wanted("`if`"));
            }
            InstFact::Long(condition(t)?)
        }
        "print" => {
            let name = t.operand("an operand")?;
            t.need('=')?;
            InstFact::Print(name, t.word("a print method")?)
        }
        "jump" => {
            let name = t.operand("a field")?;
            t.need('=')?;
            InstFact::Jump(Some((name, t.number("a number")? as u64)))
        }
        "word" => {
            let bits = t.bits()?;
            t.need('=')?;
            let value = t.number("a number")? as u64;
            let field = if t.keyword("where") {
                let name = t.operand("a field")?;
                t.need('=')?;
                Some((name, t.number("a number")? as u64))
            } else {
                None
            };
            InstFact::Word(bits, value, field)
        }
        "write" => {
            let bits = t.bits()?;
            t.need('=')?;
            InstFact::Write(bits, t.number("a number")? as u64)
        }
        "text" => {
            let from = t.text("a part of the record's text")?;
            t.need('=')?;
            InstFact::Rewrite(from, t.asm_string()?)
        }
        "rank" => InstFact::Rank(t.count("a number", u32::MAX)?),
        "width" => InstFact::Width(t.count("a number of bits", MAX_INST_BITS)?),
        "bits" => {
            let name = t.word("a field")?;
            InstFact::Bits(name, t.bits()?)
        }
        _ => {
            t.at = 0;
            return Err(t.wanted(FACTS));
        }
    };
    t.end()?;
    Ok(fact)
}
