//! The features that a bitset needs, as a formula: `c (d|zdinx) !zcmp`.
//!
//! A blank means "and", `|` means "or" and binds tighter, `!` means "not", and parentheses group.

use crate::limits;
use crate::syntax::Requirement;
use crate::text::Text;

use super::reader::Reader;

/// Reads the formula; `None` if there is nothing in it, or if it is malformed, which is reported.
pub(super) fn read(r: &mut Reader<'_, '_>, text: &Text) -> Option<Requirement> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    parser.peek()?;
    let wrong = match parser.all() {
        Ok(formula) if parser.peek().is_none() => return Some(formula),
        Ok(_) => "there is no `(` for it",
        Err(why) => why,
    };
    let end = parser.peek().map_or(parser.at, |c| parser.at + c.len_utf8());
    let span = text.span_of(parser.at..end);
    r.error("isaspec-features", "malformed formula over features".to_owned(), span, wrong);
    None
}

struct Parser<'a> {
    text: &'a Text,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    /// The next character that is not a blank; `at` is its place.
    fn peek(&mut self) -> Option<char> {
        let rest = self.text.value.get(self.at..)?;
        self.at += rest.len() - rest.trim_start().len();
        rest.trim_start().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        self.at += if there { wanted.len_utf8() } else { 0 };
        there
    }

    fn all(&mut self) -> Result<Requirement, &'static str> {
        let mut list = vec![self.any()?];
        while self.peek().is_some_and(|c| c != ')') {
            list.push(self.any()?);
        }
        Ok(single(list, Requirement::All))
    }

    fn any(&mut self) -> Result<Requirement, &'static str> {
        let mut list = vec![self.one()?];
        while self.take('|') {
            list.push(self.one()?);
        }
        Ok(single(list, Requirement::Any))
    }

    fn one(&mut self) -> Result<Requirement, &'static str> {
        self.depth += 1;
        if self.depth > limits::MAX_EXPR_DEPTH {
            return Err("nested too deeply");
        }
        let one = if self.take('!') {
            Requirement::Not(Box::new(self.one()?))
        } else if self.take('(') {
            let inner = self.all()?;
            if !self.take(')') {
                return Err("expected `)`");
            }
            inner
        } else {
            let rest = self.text.value.get(self.at..).unwrap_or_default();
            let len = rest.find(|c: char| c.is_whitespace() || "!|()".contains(c)).unwrap_or(rest.len());
            if len == 0 {
                return Err("expected the name of a feature");
            }
            self.at += len;
            Requirement::Feature(self.text.slice(self.at - len..self.at))
        };
        self.depth -= 1;
        Ok(one)
    }
}

/// The only element of the list, or the list as one formula.
fn single(mut list: Vec<Requirement>, several: fn(Vec<Requirement>) -> Requirement) -> Requirement {
    match list.len() {
        1 => list.swap_remove(0),
        _ => several(list),
    }
}
