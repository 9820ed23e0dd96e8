//! Maps read backwards: which members of a driver's data make the expression of a map have a value.
//!
//! Enough of C's expressions is read for that: members, indices, calls of the stub's helpers, and operators. What an
//! expression wants of a member is kept as known bits of it. Wishes that depend on others wait until those are settled.

use std::collections::BTreeMap;

/// An expression over the members of the data. Members are named by their C text, from the outermost `src` on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ast {
    Number(u64),
    Member(String),
    Address(Box<Ast>),
    Log2(Box<Ast>),
    Not(Box<Ast>),
    Binary(&'static str, Box<Ast>, Box<Ast>),
    Choice(Box<Ast>, Box<Ast>, Box<Ast>),
}

/// What names mean.
pub(crate) struct Scope {
    pub(crate) src: Ast,
    /// Values passed down, by name.
    pub(crate) params: Vec<(String, Ast)>,
}

pub(crate) type Constants = [(&'static str, u64)];

const OPERATORS: &[&[&str]] =
    &[&["||"], &["&&"], &["|"], &["^"], &["&"], &["==", "!="], &["<=", ">="], &["<<", ">>"], &["<", ">"], &["+", "-"]];

struct Parser<'t> {
    tokens: Vec<String>,
    at: usize,
    scope: &'t Scope,
    constants: &'t Constants,
}

/// Reads the expression of a map.
pub(crate) fn parse(text: &str, scope: &Scope, constants: &Constants) -> Result<Ast, String> {
    let mut p = Parser { tokens: tokens(text), at: 0, scope, constants };
    let ast = p.choice()?;
    if p.at < p.tokens.len() { Err(format!("`{text}`: `{}` is left over", p.tokens[p.at])) } else { Ok(ast) }
}

fn tokens(text: &str) -> Vec<String> {
    let mut list = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let two = ["->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||"].iter().any(|t| rest.starts_with(t));
        let len = if word > 0 {
            word
        } else if two {
            2
        } else {
            c.len_utf8()
        };
        list.push(rest[..len].to_owned());
        rest = rest[len..].trim_start();
    }
    list
}

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn take(&mut self, token: &str) -> bool {
        let is = self.peek() == token;
        self.at += usize::from(is);
        is
    }

    fn want(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) { Ok(()) } else { Err(format!("expected `{token}`, not `{}`", self.peek())) }
    }

    fn choice(&mut self) -> Result<Ast, String> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let then = self.choice()?;
        self.want(":")?;
        let other = self.choice()?;
        Ok(Ast::Choice(Box::new(condition), Box::new(then), Box::new(other)))
    }

    fn binary(&mut self, level: usize) -> Result<Ast, String> {
        let Some(operators) = OPERATORS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(op) = operators.iter().find(|op| self.peek() == **op) {
            self.at += 1;
            left = match (*op, &left, self.binary(level + 1)?) {
                ("|", Ast::Number(x), Ast::Number(y)) => Ast::Number(x | y),
                ("-", Ast::Number(x), Ast::Number(y)) => Ast::Number(x.wrapping_sub(y)),
                (_, _, right) => Ast::Binary(op, Box::new(left), Box::new(right)),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Ast, String> {
        if self.take("!") {
            return Ok(Ast::Not(Box::new(self.unary()?)));
        }
        if self.take("&") {
            return Ok(Ast::Address(Box::new(self.unary()?)));
        }
        let mut value = self.primary()?;
        loop {
            let arrow = self.peek() == "->";
            if arrow || self.peek() == "." {
                self.at += 1;
                let name = self.peek().to_owned();
                self.at += 1;
                value = member(value, arrow, &name)?;
            } else if self.take("[") {
                let Ast::Number(n) = self.choice()? else { return Err("expected a number as an index".into()) };
                self.want("]")?;
                let Ast::Member(path) = value else { return Err("expected an array".into()) };
                value = Ast::Member(format!("{path}[{n}]"));
            } else {
                return Ok(value);
            }
        }
    }

    fn primary(&mut self) -> Result<Ast, String> {
        if self.take("(") {
            let inner = self.choice()?;
            self.want(")")?;
            return Ok(inner);
        }
        let word = self.peek().to_owned();
        self.at += 1;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let number = match word.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16),
                None => word.parse(),
            };
            return number.map(Ast::Number).map_err(|e| format!("`{word}`: {e}"));
        }
        if self.take("(") {
            let mut arguments = vec![self.choice()?];
            while self.take(",") {
                arguments.push(self.choice()?);
            }
            self.want(")")?;
            return call(&word, arguments);
        }
        match word.as_str() {
            "src" => Ok(self.scope.src.clone()),
            "NULL" => Ok(Ast::Number(0)),
            // The state knows the instruction that is being packed.
            "s" => {
                self.want("->")?;
                self.want("instr")?;
                Ok(Ast::Member("src".into()))
            }
            "p" => {
                self.want("->")?;
                let name = self.peek().to_owned();
                self.at += 1;
                let param = self.scope.params.iter().find(|(n, _)| *n == name);
                param.map(|(_, ast)| ast.clone()).ok_or(format!("`p->{name}` is not passed"))
            }
            _ => match self.constants.iter().find(|(name, _)| *name == word) {
                Some((_, value)) => Ok(Ast::Number(*value)),
                None => Err(format!("`{word}` is unknown")),
            },
        }
    }
}

fn member(value: Ast, arrow: bool, name: &str) -> Result<Ast, String> {
    match value {
        Ast::Member(path) if arrow => Ok(Ast::Member(format!("{path}->{name}"))),
        Ast::Member(path) => Ok(Ast::Member(format!("{path}.{name}"))),
        Ast::Address(inner) if arrow => member(*inner, false, name),
        // `count > 0 ? first : NULL`: the stub always has the first.
        Ast::Choice(_, then, _) => member(*then, arrow, name),
        other => Err(format!("{other:?} has no members")),
    }
}

/// The helpers of the stub types: each reads one member.
fn call(name: &str, mut arguments: Vec<Ast>) -> Result<Ast, String> {
    let first = arguments.remove(0);
    let index = match arguments.first() {
        Some(Ast::Number(n)) => format!("[{n}]"),
        _ => String::new(),
    };
    let reads = match name {
        "util_logbase2" => {
            return Ok(match first {
                Ast::Number(n) => Ast::Number(u64::from(n.max(1).ilog2())),
                first => Ast::Log2(Box::new(first)),
            });
        }
        "reg_comp" => {
            let number = member(first, true, "num")?;
            return Ok(Ast::Binary("&", Box::new(number), Box::new(Ast::Number(3))));
        }
        "extract_reg_uim" => "uim_val",
        "extract_reg_iim" => "iim_val",
        "extract_cat5_SRC" => "cat5_src",
        "extract_cat6_SRC" => "cat6_src",
        other => match other.strip_prefix("extract_") {
            Some(rest) => return member(first, true, &format!("x_{rest}")),
            None => return Err(format!("`{name}` is no helper")),
        },
    };
    member(first, true, &format!("{reads}{index}"))
}

/// What became of a wish.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Done,
    /// It depends on bits that are not known yet.
    Later,
    /// It cannot be had together with what is known.
    Clash,
}

/// Known bits of members.
#[derive(Default)]
pub(crate) struct Data {
    pub(crate) known: BTreeMap<String, (u64, u64)>,
    wishes: Vec<(Ast, u64)>,
}

impl Data {
    /// Asks for a value.
    pub(crate) fn wish(&mut self, ast: Ast, value: u64) {
        self.wishes.push((ast, value));
    }

    /// Fulfils all wishes; gives one that cannot be.
    pub(crate) fn settle(&mut self) -> Result<(), String> {
        let mut open = std::mem::take(&mut self.wishes);
        let mut last = false;
        while !open.is_empty() {
            let before = open.len();
            let mut later = Vec::new();
            for (ast, value) in open {
                match self.solve(&ast, value, u64::MAX, last) {
                    Outcome::Done => {}
                    Outcome::Later => later.push((ast, value)),
                    Outcome::Clash => return Err(format!("{value:#x} = {ast:?}")),
                }
            }
            // Bits that nothing decides are 0.
            last = later.len() == before;
            open = later;
        }
        Ok(())
    }

    fn bits(&self, path: &str) -> (u64, u64) {
        self.known.get(path).copied().unwrap_or((0, 0))
    }

    fn set(&mut self, path: &str, value: u64, mask: u64) -> Outcome {
        let slot = self.known.entry(path.to_owned()).or_default();
        if (slot.1 ^ value) & slot.0 & mask != 0 {
            return Outcome::Clash;
        }
        slot.0 |= mask;
        slot.1 |= value & mask;
        Outcome::Done
    }

    /// The value of an expression, if the bits under `mask` are known.
    fn evaluate(&self, ast: &Ast, mask: u64, last: bool) -> Option<u64> {
        Some(match ast {
            Ast::Number(n) => *n & mask,
            Ast::Member(path) => {
                let (known, value) = self.bits(path);
                if known & mask != mask && !last {
                    return None;
                }
                value & mask
            }
            Ast::Binary("&", x, y) => match **y {
                Ast::Number(n) => self.evaluate(x, mask & n, last)?,
                _ => self.evaluate(x, mask, last)? & self.evaluate(y, mask, last)?,
            },
            Ast::Binary("^", x, y) => self.evaluate(x, mask, last)? ^ self.evaluate(y, mask, last)?,
            Ast::Binary(">>", x, y) => {
                let n = self.evaluate(y, 63, last)?;
                self.evaluate(x, (u64::from(u32::MAX) >> n) << n, last)? >> n
            }
            Ast::Binary("==", x, y) => {
                u64::from(self.evaluate(x, u64::MAX, last)? == self.evaluate(y, u64::MAX, last)?)
            }
            Ast::Binary(">", x, y) => u64::from(self.evaluate(x, u64::MAX, last)? > self.evaluate(y, u64::MAX, last)?),
            Ast::Not(x) => u64::from(self.evaluate(x, u64::MAX, last)? == 0),
            _ => return None,
        })
    }

    /// Makes `ast & mask` be `want & mask`.
    fn solve(&mut self, ast: &Ast, want: u64, mask: u64, last: bool) -> Outcome {
        let want = want & mask;
        match ast {
            Ast::Number(n) => {
                if n & mask == want {
                    Outcome::Done
                } else {
                    Outcome::Clash
                }
            }
            Ast::Member(path) => self.set(path, want, mask),
            Ast::Address(_) => Outcome::Clash,
            Ast::Log2(x) => self.solve(x, 1u64.checked_shl(want as u32).unwrap_or(0), u64::MAX, last),
            Ast::Not(x) => match (&**x, want) {
                (_, 1) => self.solve(x, 0, u64::MAX, last),
                (Ast::Not(y), 0) => self.solve(y, 0, u64::MAX, last),
                (x, 0) => self.nonzero(x, u64::MAX, last),
                _ => Outcome::Clash,
            },
            Ast::Choice(condition, then, other) => match self.evaluate(condition, u64::MAX, last) {
                Some(0) => self.solve(other, want, mask, last),
                Some(_) => self.solve(then, want, mask, last),
                None => self.choose(condition, then, other, want, last),
            },
            Ast::Binary(op, x, y) => match (*op, &**y) {
                ("&", Ast::Number(n)) if want & !n != 0 => Outcome::Clash,
                ("&", Ast::Number(n)) => self.solve(x, want, mask & n, last),
                (">>", Ast::Number(n)) => self.solve(x, want << n, (mask << n) & u64::from(u32::MAX), last),
                ("-", Ast::Number(n)) => self.solve(x, want.wrapping_add(*n), u64::MAX, last),
                // A comparison written for a shift: all bits or none.
                (">", Ast::Number(_)) if want == 1 => self.nonzero(x, u64::MAX, last),
                (">", Ast::Number(_)) => self.solve(x, 0, u64::MAX, last),
                ("^", _) => match (self.evaluate(x, mask, false), self.evaluate(y, mask, false)) {
                    (Some(a), _) => self.solve(y, a ^ want, mask, last),
                    (None, Some(b)) => self.solve(x, b ^ want, mask, last),
                    (None, None) if last => match self.solve(x, 0, mask, last) {
                        Outcome::Done => self.solve(y, want, mask, last),
                        other => other,
                    },
                    (None, None) => Outcome::Later,
                },
                _ => Outcome::Clash,
            },
        }
    }

    /// A choice between kinds of a register: flags that exclude each other. Constants say which way to go.
    fn choose(&mut self, condition: &Ast, then: &Ast, other: &Ast, want: u64, last: bool) -> Outcome {
        match then {
            Ast::Number(n) if *n == want && !matches!(other, Ast::Not(_)) => self.nonzero(condition, u64::MAX, last),
            Ast::Number(_) if matches!(condition, Ast::Binary("&", ..)) => {
                match self.solve(condition, 0, u64::MAX, last) {
                    Outcome::Done => self.solve(other, want, u64::MAX, last),
                    outcome => outcome,
                }
            }
            _ => Outcome::Later,
        }
    }

    /// Makes `ast & mask` differ from 0.
    fn nonzero(&mut self, ast: &Ast, mask: u64, last: bool) -> Outcome {
        match ast {
            Ast::Binary("&", x, y) if matches!(**y, Ast::Number(_)) => {
                let Ast::Number(n) = **y else { return Outcome::Clash };
                self.nonzero(x, mask & n, last)
            }
            Ast::Member(path) => {
                let (known, value) = self.bits(path);
                if value & mask != 0 {
                    return Outcome::Done;
                }
                let free = mask & !known;
                if free == 0 {
                    return Outcome::Clash;
                }
                if free.count_ones() > 1 && !last {
                    return Outcome::Later;
                }
                let lowest = free & free.wrapping_neg();
                self.set(path, lowest, lowest)
            }
            Ast::Binary("^", ..) if mask.is_power_of_two() => self.solve(ast, mask, mask, last),
            Ast::Number(n) => {
                if n & mask != 0 {
                    Outcome::Done
                } else {
                    Outcome::Clash
                }
            }
            _ => Outcome::Clash,
        }
    }
}
