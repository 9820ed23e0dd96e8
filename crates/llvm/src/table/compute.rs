//! Formulas with names, and the texts of enums that formulas make.
//!
//! The problem: an immediate may have thousands of values whose texts follow a rule, such as the masks and the small
//! floating-point numbers of ARM. Listed one by one nobody could check them; worked out at each use they would be slow, and could not
//! be looked up when they are read. The method: a line of an enum with a range of values and a text with formulas over `v` is
//! worked out once, when the table is read.
//!
//! Invariant: of one value, the first line whose condition holds gives the text that prints; later ones are read.

use std::fmt::Write as _;
use std::sync::Arc;

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, Span};

use crate::limits::MAX_COMPUTED;
use crate::table::flat::{BLOCK, Flat};
use crate::table::formula::{self, Definition, Formula};
use crate::table::read::condition;
use crate::table::tokens::{Line, Result, Token, Tokens};

/// How a number of a computed text is written.
#[derive(Clone, Copy, Debug)]
enum Style {
    Int,
    Uint,
    /// At least so many digits.
    Hex(usize),
    /// So many bits after the binary point, so many digits after the decimal one.
    Fixed(u32, usize),
}

/// A piece of a computed text.
enum Piece {
    Text(String),
    Number(Formula, Style),
}

/// The same, ready to be worked out for many values.
enum Made<'p> {
    Text(&'p str),
    Number(Flat, Style),
}

/// `define NAME(PARAM, …) = "FORMULA"`; `None` for another statement.
pub(super) fn define(line: Line<'_>) -> Result<Option<(String, Definition)>> {
    let is_definition = line.text.strip_prefix("define").is_some_and(|rest| rest.starts_with(char::is_whitespace));
    if !is_definition {
        return Ok(None);
    }
    let mut t = Tokens::new(line)?;
    t.at = 1;
    let name = t.word("a name")?;
    let mut params = Vec::new();
    t.need('(')?;
    while !t.mark(')') {
        if !params.is_empty() {
            t.need(',')?;
        }
        params.push(t.word("the name of a parameter")?);
    }
    t.need('=')?;
    let body = condition(&mut t)?;
    t.end()?;
    Ok(Some((name, Definition { params, body })))
}

/// `FROM..TO "TEXT" [if "FORMULA"]`: the text of each value. `before` counts the texts of the table so far.
pub(super) fn texts(t: &mut Tokens<'_>, before: usize, out: &mut Vec<(u64, Arc<str>)>) -> Result<()> {
    let from = t.number("the first value")?;
    t.at += 1;
    let to = t.number("the last value")?;
    let span = t.whole();
    let pieces = pieces(t)?;
    let when = if t.keyword("if") { Some(condition(t)?) } else { None };
    t.end()?;
    let bad = |what: &str| Diagnostic::error("operands-formula", what).label(span, "in this line");
    if to.abs_diff(from) >= MAX_COMPUTED as u64 {
        return Err(bad(&format!("a range of more than {MAX_COMPUTED} values")));
    }
    let only = || bad("a formula of an enum is over `v` and numbers only");
    let flat = |formula: &Formula| Flat::new(formula).ok_or_else(only);
    let when = when.as_ref().map(flat).transpose()?;
    let mut made = Vec::with_capacity(pieces.len());
    for piece in &pieces {
        made.push(match piece {
            Piece::Text(literal) => Made::Text(literal),
            Piece::Number(formula, style) => Made::Number(flat(formula)?, *style),
        });
    }
    let (mut room, mut numbers) = (Vec::new(), Vec::new());
    let (mut first, mut text) = (from, String::new());
    loop {
        let all = [1; BLOCK];
        let holds = when.as_ref().map_or(all, |when| *when.values(first, &mut room));
        if holds.iter().any(|holds| *holds != 0) {
            numbers.clear();
            for piece in &made {
                if let Made::Number(flat, _) = piece {
                    numbers.push(*flat.values(first, &mut room));
                }
            }
        }
        for (at, (value, _)) in (first..=to).zip(holds).enumerate().filter(|(_, (_, holds))| *holds != 0) {
            if before + out.len() >= MAX_COMPUTED {
                return Err(bad(&format!("the enums of the table have more than {MAX_COMPUTED} texts")));
            }
            text.clear();
            let mut numbers = numbers.iter();
            for piece in &made {
                match piece {
                    Made::Text(literal) => text.push_str(literal),
                    Made::Number(_, style) => {
                        let number = numbers.next().and_then(|numbers| numbers.get(at)).or_impossible(&0);
                        write(*number as i64, *style, &mut text);
                    }
                }
            }
            out.push((value as u64, text.as_str().into()));
        }
        match first.checked_add(BLOCK as i64) {
            Some(next) if next <= to => first = next,
            _ => return Ok(()),
        }
    }
}

fn write(value: i64, style: Style, out: &mut String) {
    // Nothing can fail to be written to a text.
    let written = match style {
        Style::Int => write!(out, "{value}"),
        Style::Uint => write!(out, "{}", value as u64),
        Style::Hex(digits) => write!(out, "0x{value:0digits$x}"),
        // All bits of the fraction are shown or none is lost: a double has more bits than any such number.
        Style::Fixed(bits, digits) => write!(out, "{:.digits$}", value as f64 / 2f64.powi(bits as i32)),
    };
    written.or_impossible(());
}

/// The pieces of a text with `{= FORMULA ; STYLE}`.
fn pieces(t: &mut Tokens<'_>) -> Result<Vec<Piece>> {
    let (line, place) = (t.line, t.list.get(t.at).map_or(0, |token| token.1));
    let text = t.text("a text")?;
    let span = Span::new(line.file, line.start + place, line.start + line.text.len());
    let bad = |what: &str| Diagnostic::error("operands-formula", what).label(span, "in this text");
    let mut list = Vec::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        if let Some(more) = after.strip_prefix('{') {
            list.push(Piece::Text(format!("{before}{{")));
            rest = more;
            continue;
        }
        list.push(Piece::Text(before.to_owned()));
        let (inner, more) = after.split_once('}').ok_or_else(|| bad("a `{` has no `}`"))?;
        let inner = inner.trim().strip_prefix('=').ok_or_else(|| bad("expected `{= formula ; style}`"))?;
        let (inner, how) = inner.split_once(';').unwrap_or((inner, "int"));
        let formula = formula::parse(inner, line.known).map_err(|what| bad(&what))?;
        list.push(Piece::Number(
            formula,
            style(&mut Tokens::new(Line { text: how, start: line.start + place, ..line })?)?,
        ));
        rest = more;
    }
    list.push(Piece::Text(rest.to_owned()));
    Ok(list)
}

fn style(t: &mut Tokens<'_>) -> Result<Style> {
    const STYLES: &str = "`int`, `uint`, `hex [DIGITS]` or `fixed BITS DIGITS`";
    let style = match t.word(STYLES)?.as_str() {
        "int" => Style::Int,
        "uint" => Style::Uint,
        "hex" if matches!(t.peek(), Some(Token::Word(_))) => Style::Hex(t.count("a number of digits", 16)? as usize),
        "hex" => Style::Hex(1),
        "fixed" => Style::Fixed(t.count("a number of bits", 52)?, t.count("a number of digits", 20)? as usize),
        _ => {
            t.at = 0;
            return Err(t.wanted(STYLES));
        }
    };
    t.end()?;
    Ok(style)
}
