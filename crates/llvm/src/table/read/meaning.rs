//! What a name means: the steps from bits to numbers of `decode` and `operand`, the texts of `print`.

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, Diagnostics, Span};

use crate::table::formula;
use crate::table::tokens::{Line, Result, Token, Tokens};
use crate::table::{DecodeStep, HookParam, NumberFormat, Part, TableNumber, TextChoice, TextPiece, ValueSet};

/// The largest unit of a branch, in bytes.
const MAX_UNIT: u32 = 1 << 16;

pub(super) fn hook_name(t: &mut Tokens<'_>) -> Result<(String, Vec<HookParam>)> {
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
pub(super) fn classes(t: &mut Tokens<'_>) -> Result<Vec<String>> {
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
pub(super) fn given(t: &mut Tokens<'_>) -> Result<Option<String>> {
    if t.keyword("given") { t.word("the name of a record").map(Some) } else { Ok(None) }
}

/// `: STEPS`, or a line `NAME [BITS]: STEPS` for each part.
pub(super) fn parts(t: &mut Tokens<'_>, body: &[Line<'_>]) -> Result<Vec<Part>> {
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
        let is_of_bits = matches!(word.as_str(), "int" | "uint" | "shl" | "sext" | "high");
        if is_of_bits && list.iter().any(|step| matches!(step, DecodeStep::Compute(_))) {
            t.at = before;
            return Err(t.wanted("a step that is not about bits after `compute`"));
        }
        list.push(match word.as_str() {
            "int" => DecodeStep::Int(t.optional_num()?),
            "uint" => DecodeStep::Uint(t.optional_num()?),
            "shl" => DecodeStep::Shl(t.num("a number of bits")?),
            "sext" => DecodeStep::Sext(t.num("a number of bits")?),
            "plus" => DecodeStep::Plus(t.num("a number")?),
            "reject" => DecodeStep::Reject(t.set()?),
            "accept" => DecodeStep::Accept(condition(t)?),
            "compute" => DecodeStep::Compute(of_value(t)?),
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
        "digits" => NumberFormat::Digits,
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
pub(super) fn choices(t: &mut Tokens<'_>, body: &[Line<'_>], out: &mut Diagnostics) -> Result<Vec<TextChoice>> {
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
pub(in crate::table) fn feature(t: &mut Tokens<'_>) -> Result<String> {
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
pub(super) fn template(t: &mut Tokens<'_>) -> Result<Vec<TextPiece>> {
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
pub(in crate::table) fn condition(t: &mut Tokens<'_>) -> Result<formula::Formula> {
    let text = t.text("a formula in quotes")?;
    formula::parse(&text, t.line.known).map_err(|what| {
        t.at -= 1;
        let place = t.wanted("a formula");
        Diagnostic { message: what, code: "operands-formula", ..place }
    })
}

/// The same over `v` alone.
fn of_value(t: &mut Tokens<'_>) -> Result<formula::Formula> {
    let formula = condition(t)?;
    let mut other = false;
    formula.lower(&mut Vec::new(), &mut |leaf| {
        other |= !matches!(leaf, formula::Formula::Field(name) if name == "v");
        isaglot_model::Node::Const(0, isaglot_model::IntType::I64)
    });
    if other {
        t.at -= 1;
        return Err(t.wanted("a formula over `v`"));
    }
    Ok(formula)
}
