//! The expression of a `<map>`, as far as a check has to understand it: C over the program's own data.
//!
//! The problem: what a field is packed from is text in the language of another program, whose types and functions are not
//! known here. The method: read operators, numbers, members, indices, calls and casts; each part keeps its text without
//! blanks, which is what it is known by. What cannot be read so is no finding by itself in other languages than C.

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) kind: Kind,
    /// As written, without blanks.
    pub(crate) text: String,
}

/// What it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A number.
    Number(u64),
    /// A name that stands alone.
    Name,
    /// A member, an index or what a pointer points to; with the expressions in it.
    Place(Vec<Term>),
    /// A call: the function's name and the arguments.
    Call(String, Vec<Term>),
    /// `!`, `~`, `-`, `+` before an operand.
    Unary(u8, Box<Term>),
    /// An operator between two operands.
    Binary(&'static str, Box<Term>, Box<Term>),
    /// `c ? a : b`.
    Select(Box<Term>, Box<Term>, Box<Term>),
    /// A cast to a type.
    Cast(String, Box<Term>),
}

impl Term {
    /// Every name that stands for data, constants or functions not counted: the root of a member or an index, or a name alone.
    pub(crate) fn roots<'a>(&'a self, out: &mut Vec<&'a str>) {
        match &self.kind {
            Kind::Number(_) => {}
            Kind::Name => out.push(&self.text),
            Kind::Place(parts) | Kind::Call(_, parts) => parts.iter().for_each(|t| t.roots(out)),
            Kind::Unary(_, t) | Kind::Cast(_, t) => t.roots(out),
            Kind::Binary(_, a, b) => [a, b].into_iter().for_each(|t| t.roots(out)),
            Kind::Select(c, a, b) => [c, a, b].into_iter().for_each(|t| t.roots(out)),
        }
    }

    /// The values that the enclosing encoding passes: `X` of `p->X`.
    pub(crate) fn passed<'a>(&'a self, out: &mut Vec<&'a str>) {
        match &self.kind {
            Kind::Number(_) | Kind::Name => {}
            Kind::Place(parts) => match self.text.strip_prefix("p->") {
                Some(name) => out.push(name),
                None => parts.iter().for_each(|t| t.passed(out)),
            },
            Kind::Call(_, parts) => parts.iter().for_each(|t| t.passed(out)),
            Kind::Unary(_, t) | Kind::Cast(_, t) => t.passed(out),
            Kind::Binary(_, a, b) => [a, b].into_iter().for_each(|t| t.passed(out)),
            Kind::Select(c, a, b) => [c, a, b].into_iter().for_each(|t| t.passed(out)),
        }
    }
}

/// Parentheses and operators nest no deeper.
const MAX_DEPTH: usize = 64;

/// Operators between operands, from those that bind least; equal ones share a number.
const BINARY: [(&str, u8); 18] = [
    ("||", 1),
    ("&&", 2),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("==", 6),
    ("!=", 6),
    ("<=", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("<", 7),
    (">", 7),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

/// Reads an expression; `None` if it is not one.
pub(crate) fn parse(text: &str) -> Option<Term> {
    let tokens = lex(text)?;
    let mut reader = Reader { tokens: &tokens, at: 0, depth: 0 };
    let term = reader.select()?;
    (reader.at == tokens.len()).then_some(term)
}

/// The tokens; `None` at a byte that begins none.
fn lex(text: &str) -> Option<Vec<&str>> {
    const LONG: [&str; 10] = ["->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "::"];
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = if first.is_ascii_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/")?.1.trim_start();
            continue;
        } else if let Some(long) = LONG.iter().find(|l| rest.starts_with(**l)) {
            long.len()
        } else if "()[].,!~-+*/%&|^<>?:".contains(first) {
            1
        } else {
            return None;
        };
        let (token, after) = rest.split_at(len);
        out.push(token);
        rest = after.trim_start();
    }
    Some(out)
}

struct Reader<'t> {
    tokens: &'t [&'t str],
    at: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.at).copied()
    }

    fn take(&mut self, token: &str) -> bool {
        let is = self.peek() == Some(token);
        self.at += usize::from(is);
        is
    }

    /// The term of what was read since `from`.
    fn made(&self, from: usize, kind: Kind) -> Term {
        Term { kind, text: self.tokens[from..self.at].concat() }
    }

    fn select(&mut self) -> Option<Term> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let from = self.at;
        let mut term = self.binary(0)?;
        if self.take("?") {
            let then = self.select()?;
            if !self.take(":") {
                return None;
            }
            let otherwise = self.select()?;
            term = self.made(from, Kind::Select(Box::new(term), Box::new(then), Box::new(otherwise)));
        }
        self.depth -= 1;
        Some(term)
    }

    fn binary(&mut self, above: u8) -> Option<Term> {
        let from = self.at;
        let mut left = self.unary()?;
        loop {
            let found = self.peek().and_then(|token| BINARY.iter().find(|b| b.0 == token && b.1 > above));
            let Some((operator, power)) = found else { return Some(left) };
            self.at += 1;
            let right = self.binary(*power)?;
            left = self.made(from, Kind::Binary(operator, Box::new(left), Box::new(right)));
        }
    }

    fn unary(&mut self) -> Option<Term> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let from = self.at;
        let first = self.peek()?;
        let term = match first {
            "!" | "~" | "-" | "+" => {
                self.at += 1;
                let inner = self.unary()?;
                self.made(from, Kind::Unary(first.as_bytes()[0], Box::new(inner)))
            }
            "&" | "*" => {
                self.at += 1;
                let inner = self.unary()?;
                self.made(from, Kind::Place(vec![inner]))
            }
            "(" if self.is_cast() => {
                self.at += 1;
                let start = self.at;
                while self.peek()? != ")" {
                    self.at += 1;
                }
                let ty = self.tokens[start..self.at].join(" ");
                self.at += 1;
                let inner = self.unary()?;
                self.made(from, Kind::Cast(ty, Box::new(inner)))
            }
            _ => self.postfix()?,
        };
        self.depth -= 1;
        Some(term)
    }

    /// Whether a parenthesis holds the name of a type.
    fn is_cast(&self) -> bool {
        let inside: Vec<&str> = self.tokens[self.at + 1..].iter().take_while(|t| **t != ")").copied().collect();
        let word = |t: &&str| {
            matches!(*t, "unsigned" | "signed" | "int" | "long" | "short" | "char" | "bool" | "struct" | "enum")
        };
        let is_type = inside.first().is_some_and(|t| word(t) || (t.ends_with("_t") && inside.len() == 1));
        is_type && inside.iter().all(|t| *t == "*" || t.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
    }

    fn postfix(&mut self) -> Option<Term> {
        let from = self.at;
        let first = self.peek()?;
        self.at += 1;
        let mut term = if first == "(" {
            let inner = self.select()?;
            if !self.take(")") {
                return None;
            }
            // Parentheses are no part of what a term is.
            inner
        } else if first.as_bytes()[0].is_ascii_digit() {
            self.made(from, Kind::Number(number(first)?))
        } else if first.as_bytes()[0].is_ascii_alphabetic() || first.starts_with('_') {
            self.made(from, Kind::Name)
        } else {
            return None;
        };
        loop {
            let token = self.peek();
            match token {
                Some("->" | ".") => {
                    self.at += 1;
                    let member = self.peek()?;
                    if !member.as_bytes()[0].is_ascii_alphabetic() && !member.starts_with('_') {
                        return None;
                    }
                    self.at += 1;
                    term = self.made(from, Kind::Place(vec![term]));
                }
                Some("[") => {
                    self.at += 1;
                    let index = self.select()?;
                    if !self.take("]") {
                        return None;
                    }
                    term = self.made(from, Kind::Place(vec![term, index]));
                }
                Some("(") if term.kind == Kind::Name => {
                    self.at += 1;
                    let mut arguments = Vec::new();
                    while !self.take(")") {
                        arguments.push(self.select()?);
                        if !self.take(",") && self.peek() != Some(")") {
                            return None;
                        }
                    }
                    term = self.made(from, Kind::Call(first.to_owned(), arguments));
                }
                _ => return Some(term),
            }
        }
    }
}

/// A whole number as C writes it.
fn number(text: &str) -> Option<u64> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let lower = text.to_ascii_lowercase();
    match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
        (Some(hex), _) => u64::from_str_radix(hex, 16).ok(),
        (_, Some(binary)) => u64::from_str_radix(binary, 2).ok(),
        _ if lower.len() > 1 && lower.starts_with('0') => u64::from_str_radix(&lower, 8).ok(),
        _ => lower.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(text: &str) -> Vec<String> {
        let term = parse(text).unwrap();
        let mut out = Vec::new();
        term.roots(&mut out);
        out.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn expressions_are_read() {
        assert_eq!(roots("!!(src->flags & IR_SS)"), ["src", "IR_SS"]);
        assert_eq!(roots("(x->n > 0) ? src->srcs[i + 1] : NULL"), ["x", "src", "i", "NULL"]);
        assert_eq!(roots("get(&src->dst, 0)->flags >> 2 /* high */"), ["src"]);
        assert_eq!(roots("(uint32_t)src->a"), ["src"]);
        let mut passed = Vec::new();
        let term = parse("p->MODE & 0x3").unwrap();
        term.passed(&mut passed);
        assert_eq!(passed, ["MODE"]);
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in ["", "src->", "src->a +", "(src", "src->a)", "a b", "x[1", "f(1", "\"a\"", "1a", "src->1"] {
            assert!(parse(text).is_none(), "{text}");
        }
        assert!(parse(&"(".repeat(5000)).is_none());
        assert!(parse(&"!".repeat(5000)).is_none());
    }

    #[test]
    fn precedence_is_that_of_c() {
        for (text, top) in [("a & 1 == 1", "&"), ("a << 2 | b", "|"), ("a - 1 >> 2", ">>"), ("a * b + c", "+")] {
            assert!(matches!(parse(text).unwrap().kind, Kind::Binary(op, ..) if op == top), "{text}");
        }
    }
}
