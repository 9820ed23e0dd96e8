//! Formulas of operand tables: integer expressions over fields of an instruction and features.
//!
//! ```text
//! formula = or [ "?" formula ":" formula ]      operators and precedence as in C, over 64-bit signed numbers
//! primary = number | field | "feature" "(" string ")" | "sext" "(" formula "," number ")" | "(" formula ")"
//! ```

use isaglot_model::{BinaryOp, IntType, Node, NodeId, UnaryOp};

use crate::limits::MAX_FORMULA_DEPTH;

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

/// Reads a formula; on failure what was expected.
pub(crate) fn parse(text: &str) -> Result<Formula, String> {
    let mut parser = Parser { rest: text, depth: 0 };
    let formula = parser.choice()?;
    parser.blanks();
    if parser.rest.is_empty() { Ok(formula) } else { Err(format!("expected an operator, not `{}`", parser.rest)) }
}

struct Parser<'t> {
    rest: &'t str,
    depth: u32,
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
            field => Ok(Formula::Field(field.to_owned())),
        }
    }
}

impl Formula {
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
