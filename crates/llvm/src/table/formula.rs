//! Formulas of operand tables: integer expressions over fields of an instruction and features.
//!
//! ```text
//! formula = or [ "?" formula ":" formula ]      operators and precedence as in C, over 64-bit signed numbers
//! primary = number | field | "feature" "(" string ")" | "sext" "(" formula "," number ")" | "(" formula ")"
//!         | name "(" [ formula { "," formula } ] ")"                               what the table has defined
//! ```

use isaglot_model::{BinaryOp, IntType, Node, NodeId, UnaryOp};

use rustc_hash::FxHashMap;

use crate::limits::{MAX_FORMULA_DEPTH, MAX_FORMULA_GROWTH, MAX_FORMULA_PARTS};

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A number.
    Number(i64),
    /// A field, zero-extended.
    Field(String),
    /// Whether a feature is on.
    Feature(String),
    /// Sign-extended from so many bits.
    Sext(Box<Formula>, u32),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Formula>),
    /// An operator with two.
    Binary(BinaryOp, Box<Formula>, Box<Formula>),
    /// A choice.
    Select(Box<Formula>, Box<Formula>, Box<Formula>),
}

const OPERATORS: &[(&str, BinaryOp, u32)] = &[
    ("||", BinaryOp::LogicalOr, 1),
    ("&&", BinaryOp::LogicalAnd, 2),
    ("==", BinaryOp::Eq, 6),
    ("!=", BinaryOp::Ne, 6),
    ("<=", BinaryOp::Le, 7),
    (">=", BinaryOp::Ge, 7),
    ("<<", BinaryOp::Shl, 8),
    (">>", BinaryOp::Shr, 8),
    ("|", BinaryOp::Or, 3),
    ("^", BinaryOp::Xor, 4),
    ("&", BinaryOp::And, 5),
    ("<", BinaryOp::Lt, 7),
    (">", BinaryOp::Gt, 7),
    ("+", BinaryOp::Add, 9),
    ("-", BinaryOp::Sub, 9),
    ("*", BinaryOp::Mul, 10),
    ("/", BinaryOp::Div, 10),
    ("%", BinaryOp::Rem, 10),
];

/// A formula with a name: its parameters, and the formula over them.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) params: Vec<String>,
    pub(crate) body: Formula,
}

/// The formulas that a table has defined, by name.
pub(crate) type Definitions = FxHashMap<String, Definition>;

/// Reads a formula; on failure what was expected.
pub(crate) fn parse(text: &str, known: &Definitions) -> Result<Formula, String> {
    let mut parser = Parser { rest: text, depth: 0, parts: 0, known };
    let formula = parser.choice()?;
    parser.blanks();
    if parser.rest.is_empty() { Ok(formula) } else { Err(format!("expected an operator, not `{}`", parser.rest)) }
}

struct Parser<'t> {
    rest: &'t str,
    depth: u32,
    /// Parts so far, those of definitions included.
    parts: usize,
    known: &'t Definitions,
}

impl<'t> Parser<'t> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, text: &str) -> bool {
        self.blanks();
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn need(&mut self, text: &str) -> Result<(), String> {
        if self.take(text) { Ok(()) } else { Err(format!("expected `{text}`")) }
    }

    fn word(&mut self) -> &'t str {
        self.blanks();
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn choice(&mut self) -> Result<Formula, String> {
        self.depth += 1;
        if self.depth > MAX_FORMULA_DEPTH {
            return Err("expected fewer brackets".to_owned());
        }
        let condition = self.binary(0)?;
        let formula = if self.take("?") {
            let then = self.choice()?;
            self.need(":")?;
            let other = self.choice()?;
            Formula::Select(Box::new(condition), Box::new(then), Box::new(other))
        } else {
            condition
        };
        self.depth -= 1;
        Ok(formula)
    }

    fn binary(&mut self, least: u32) -> Result<Formula, String> {
        let mut left = self.unary()?;
        loop {
            self.blanks();
            let found = OPERATORS.iter().find(|(text, _, level)| *level > least && self.rest.starts_with(text));
            let Some(&(text, op, level)) = found else { return Ok(left) };
            // `<` must not be taken for the beginning of `<<`, which binds closer.
            if OPERATORS.iter().any(|(other, ..)| other.len() > text.len() && self.rest.starts_with(other)) {
                return Ok(left);
            }
            self.need(text)?;
            let right = self.binary(level)?;
            left = Formula::Binary(op, Box::new(left), Box::new(right));
        }
    }

    fn unary(&mut self) -> Result<Formula, String> {
        self.depth += 1;
        self.grow(1)?;
        if self.depth > MAX_FORMULA_DEPTH {
            return Err("expected fewer operators".to_owned());
        }
        let op = [("-", UnaryOp::Negate), ("~", UnaryOp::Not), ("!", UnaryOp::LogicalNot)];
        let op = op.into_iter().find(|(text, _)| self.take(text));
        let formula = match op {
            Some((_, op)) => Formula::Unary(op, Box::new(self.unary()?)),
            None => self.primary()?,
        };
        self.depth -= 1;
        Ok(formula)
    }

    fn grow(&mut self, parts: usize) -> Result<(), String> {
        self.parts += parts;
        if self.parts > MAX_FORMULA_PARTS { Err("expected a shorter formula".to_owned()) } else { Ok(()) }
    }

    /// What a name stands for, with its arguments put in.
    fn call(&mut self, definition: &Definition) -> Result<Formula, String> {
        self.need("(")?;
        let mut args = Vec::new();
        while args.len() < definition.params.len() {
            if !args.is_empty() {
                self.need(",")?;
            }
            args.push(self.choice()?);
        }
        self.need(")")?;
        let mut formula = definition.body.clone();
        // Each argument may stand there as often as the definition has parts.
        let most = args.iter().map(|arg| arg.size(MAX_FORMULA_PARTS)).fold(1, usize::max);
        if formula.size(MAX_FORMULA_PARTS).saturating_mul(most) > MAX_FORMULA_GROWTH {
            return Err("expected a shorter formula".to_owned());
        }
        formula.replace(&|name| args.get(definition.params.iter().position(|param| param == name)?).cloned());
        self.grow(formula.size(MAX_FORMULA_PARTS))?;
        Ok(formula)
    }

    fn primary(&mut self) -> Result<Formula, String> {
        if self.take("(") {
            let inner = self.choice()?;
            self.need(")")?;
            return Ok(inner);
        }
        let word = self.word();
        let number = match word.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16).ok(),
            None => word.parse().ok(),
        };
        if let Some(number) = number {
            return Ok(Formula::Number(number));
        }
        match word {
            "" => Err("expected a number, a field or `(`".to_owned()),
            "feature" => {
                self.need("(")?;
                self.need("'")?;
                let (name, rest) = self.rest.split_once('\'').ok_or("expected `'`")?;
                self.rest = rest;
                self.need(")")?;
                Ok(Formula::Feature(name.to_owned()))
            }
            "sext" => {
                self.need("(")?;
                let inner = self.choice()?;
                self.need(",")?;
                let bits = self.word().parse().map_err(|_| "expected a number of bits")?;
                self.need(")")?;
                Ok(Formula::Sext(Box::new(inner), bits))
            }
            // A name without arguments is a field or a parameter.
            name => match self.known.get(name).filter(|_| self.rest.trim_start().starts_with('(')) {
                Some(definition) => self.call(definition),
                None => Ok(Formula::Field(name.to_owned())),
            },
        }
    }
}

impl Formula {
    /// Puts other formulas in the place of fields.
    pub(crate) fn replace(&mut self, with: &dyn Fn(&str) -> Option<Formula>) {
        match self {
            Formula::Field(name) => {
                if let Some(formula) = with(name) {
                    *self = formula;
                }
            }
            Formula::Number(_) | Formula::Feature(_) => {}
            Formula::Sext(x, _) | Formula::Unary(_, x) => x.replace(with),
            Formula::Binary(_, x, y) => {
                x.replace(with);
                y.replace(with);
            }
            Formula::Select(c, x, y) => {
                c.replace(with);
                x.replace(with);
                y.replace(with);
            }
        }
    }

    /// Adds the names of its fields that are not there yet.
    pub(crate) fn names<'f>(&'f self, out: &mut Vec<&'f str>) {
        match self {
            Formula::Field(name) if out.contains(&name.as_str()) => {}
            Formula::Field(name) => out.push(name),
            Formula::Number(_) | Formula::Feature(_) => {}
            Formula::Sext(x, _) | Formula::Unary(_, x) => x.names(out),
            Formula::Binary(_, x, y) => {
                x.names(out);
                y.names(out);
            }
            Formula::Select(c, x, y) => {
                c.names(out);
                x.names(out);
                y.names(out);
            }
        }
    }

    /// The number of its parts, at most `most`.
    pub(crate) fn size(&self, most: usize) -> usize {
        let of = |parts: &[&Formula]| {
            parts.iter().fold(1usize, |sum, part| if sum > most { sum } else { sum + part.size(most) })
        };
        match self {
            Formula::Number(_) | Formula::Feature(_) | Formula::Field(_) => 1,
            Formula::Sext(x, _) | Formula::Unary(_, x) => of(&[x]),
            Formula::Binary(_, x, y) => of(&[x, y]),
            Formula::Select(c, x, y) => of(&[c, x, y]),
        }
    }

    /// Its value, if it is about numbers and these fields only.
    pub(crate) fn value(&self, field: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        let ty = IntType::I64;
        let bits = |x: &Formula| Some(x.value(field)? as u64);
        Some(match self {
            Formula::Number(value) => *value,
            Formula::Field(name) => field(name)?,
            Formula::Feature(_) => return None,
            Formula::Sext(x, to) => IntType { bits: (*to).clamp(1, 64), signed: true }.wrap(bits(x)?) as i64,
            Formula::Unary(op, x) => op.apply(ty, bits(x)?) as i64,
            Formula::Binary(op, x, y) => op.apply(ty, bits(x)?, bits(y)?) as i64,
            Formula::Select(c, x, y) => {
                if c.value(field)? != 0 {
                    x.value(field)?
                } else {
                    y.value(field)?
                }
            }
        })
    }

    /// Appends its nodes and gives the last; `field` and `feature` say what names are.
    pub(crate) fn lower(&self, nodes: &mut Vec<Node>, name: &mut dyn FnMut(&Formula) -> Node) -> NodeId {
        let ty = IntType::I64;
        let node = match self {
            Formula::Number(value) => Node::Const(*value as u64, ty),
            Formula::Field(_) | Formula::Feature(_) => name(self),
            Formula::Sext(inner, bits) => {
                let bits = (*bits).clamp(1, 64);
                Node::Cast(IntType { bits, signed: true }, inner.lower(nodes, name))
            }
            Formula::Unary(op, x) => Node::Unary(*op, ty, x.lower(nodes, name)),
            Formula::Binary(op, x, y) => {
                let x = x.lower(nodes, name);
                Node::Binary(*op, ty, x, y.lower(nodes, name))
            }
            Formula::Select(c, x, y) => {
                let c = c.lower(nodes, name);
                let x = x.lower(nodes, name);
                Node::Select(ty, c, x, y.lower(nodes, name))
            }
        };
        nodes.push(node);
        NodeId(nodes.len() as u32 - 1)
    }
}
