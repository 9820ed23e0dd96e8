//! The parser: precedence climbing over C's operators, typing as it goes.
//!
//! Every operand is brought to the operator's type by an explicit cast node (constants are converted in place), and what
//! depends on nothing is computed at once. That finds constant divisors of zero, which the reference's C would trap on.

use std::ops::Range;

use isaglot_model::{BinaryOp, IntType, UnaryOp};
use isaglot_source::{Diagnostic, Diagnostics, Span};

use super::lex::{self, Token, TokenKind};
use super::paste::Pasted;
use super::{CExpr, CNode, COp, ctype};
use crate::limits;
use crate::text::Text;

/// Binary operators with how tightly they bind, `||` loosest.
const BINARY: [(&str, u8, BinaryOp); 18] = [
    ("||", 1, BinaryOp::LogicalOr),
    ("&&", 2, BinaryOp::LogicalAnd),
    ("|", 3, BinaryOp::Or),
    ("^", 4, BinaryOp::Xor),
    ("&", 5, BinaryOp::And),
    ("==", 6, BinaryOp::Eq),
    ("!=", 6, BinaryOp::Ne),
    ("<", 7, BinaryOp::Lt),
    ("<=", 7, BinaryOp::Le),
    (">", 7, BinaryOp::Gt),
    (">=", 7, BinaryOp::Ge),
    ("<<", 8, BinaryOp::Shl),
    (">>", 8, BinaryOp::Shr),
    ("+", 9, BinaryOp::Add),
    ("-", 9, BinaryOp::Sub),
    ("*", 10, BinaryOp::Mul),
    ("/", 10, BinaryOp::Div),
    ("%", 10, BinaryOp::Rem),
];

/// The problem that stops a parse; boxed, so that results stay small.
type Problem = Box<Diagnostic>;
type Parsed<T> = Result<T, Problem>;

/// A finished subexpression: its node and the bytes of the text that it takes.
#[derive(Clone)]
struct Subexpr {
    node: u32,
    range: Range<usize>,
}

/// Parses a text in which references are replaced; problems are added to `out`.
pub(crate) fn parse(pasted: &Pasted, dialect: bool, out: &mut Diagnostics) -> Option<CExpr> {
    let mut parser = Parser {
        text: &pasted.text,
        fields: &pasted.fields,
        token: Token { kind: TokenKind::End, text: "", start: 0 },
        end: 0,
        nodes: Vec::new(),
        depth: 0,
        dialect,
        features: Vec::new(),
        division: None,
    };
    let result = parser.start().and_then(|()| {
        let root = parser.comma()?;
        if parser.token.kind != TokenKind::End {
            return Err(parser.unexpected("an operator or the end of the expression"));
        }
        Ok(root)
    });
    let problem = match result {
        Ok(root) => {
            parser.nodes = reachable(&parser.nodes, root.node);
            parser.division.take()
        }
        Err(problem) => Some(problem),
    };
    if let Some(problem) = problem {
        out.push(*problem);
        return None;
    }
    let constant = match parser.nodes.last()?.op {
        COp::Const(v) => Some(v),
        _ => None,
    };
    Some(CExpr { nodes: parser.nodes, fields: pasted.fields.clone(), features: parser.features, constant })
}

struct Parser<'a> {
    text: &'a Text,
    fields: &'a [String],
    token: Token<'a>,
    /// End of the last token taken.
    end: usize,
    nodes: Vec<CNode>,
    depth: usize,
    dialect: bool,
    features: Vec<(String, Span)>,
    /// The first division by a constant zero; it does not stop the parse, so that syntax errors after it are found.
    division: Option<Problem>,
}

impl<'a> Parser<'a> {
    fn start(&mut self) -> Parsed<()> {
        self.advance_to(0)
    }

    fn advance(&mut self) -> Parsed<()> {
        self.end = self.token.range().end;
        self.advance_to(self.end)
    }

    fn advance_to(&mut self, at: usize) -> Parsed<()> {
        self.token = lex::next(&self.text.value, at)
            .map_err(|(range, what)| self.problem("isaspec-expr-syntax", range, "malformed expression", what))?;
        Ok(())
    }

    fn problem(&self, code: &'static str, range: Range<usize>, message: &str, label: &str) -> Problem {
        Box::new(Diagnostic::error(code, message).label(self.text.span_of(range), label))
    }

    fn unexpected(&self, expected: &str) -> Problem {
        let message = match self.token.kind {
            TokenKind::End => format!("the expression ends too early: expected {expected}"),
            _ => format!("expected {expected}, found `{}`", self.token.text),
        };
        self.problem("isaspec-expr-syntax", self.token.range(), &message, "here")
    }

    fn is(&self, mark: &str) -> bool {
        self.token.kind == TokenKind::Mark && self.token.text == mark
    }

    fn expect(&mut self, mark: &str) -> Parsed<()> {
        if !self.is(mark) {
            return Err(self.unexpected(&format!("`{mark}`")));
        }
        self.advance()
    }

    /// Runs a rule one level deeper.
    fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= limits::MAX_EXPR_DEPTH {
            let message = format!("the expression nests deeper than {}", limits::MAX_EXPR_DEPTH);
            return Err(self.problem("isaspec-expr-limit", self.token.range(), &message, "here"));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    fn comma(&mut self) -> Parsed<Subexpr> {
        let mut value = self.conditional()?;
        while self.is(",") {
            self.advance()?;
            // Nothing has an effect, so what stands left of a comma only matters for being well-formed.
            value = self.conditional()?;
        }
        Ok(value)
    }

    fn conditional(&mut self) -> Parsed<Subexpr> {
        let condition = self.binary(0)?;
        if !self.is("?") {
            return self.no_assignment(condition);
        }
        self.advance()?;
        let then = self.deeper(Self::comma)?;
        self.expect(":")?;
        let otherwise = self.deeper(Self::conditional)?;
        let ty = ctype::common(self.ty(&then), self.ty(&otherwise));
        let range = condition.range.start..otherwise.range.end;
        let chosen = self.constant(&condition).map(|c| if c != 0 { then.clone() } else { otherwise.clone() });
        if let Some(chosen) = chosen {
            let node = self.convert(&chosen, ty);
            return Ok(Subexpr { node, range });
        }
        let (then, otherwise) = (self.convert(&then, ty), self.convert(&otherwise, ty));
        Ok(self.push(COp::Select(condition.node, then, otherwise), ty, range))
    }

    fn no_assignment(&self, value: Subexpr) -> Parsed<Subexpr> {
        let assigns = self.token.kind == TokenKind::Mark
            && self.token.text.ends_with('=')
            && !["==", "!=", "<=", ">="].contains(&self.token.text);
        if assigns {
            let what = if self.token.text == "=" { "did you mean `==`?" } else { "nothing can be assigned to" };
            return Err(self.problem("isaspec-expr-syntax", self.token.range(), "an expression cannot assign", what));
        }
        Ok(value)
    }

    fn binary(&mut self, loosest: u8) -> Parsed<Subexpr> {
        let mut left = self.unary()?;
        // A chain such as a+b+c+... is a loop here and a flat list of nodes: it needs no depth.
        while self.token.kind == TokenKind::Mark {
            let Some(&(_, binds, op)) = BINARY.iter().find(|(mark, ..)| *mark == self.token.text) else { break };
            if binds <= loosest {
                break;
            }
            self.advance()?;
            let right = self.deeper(|p| p.binary(binds))?;
            left = self.apply(op, left, right);
        }
        Ok(left)
    }

    fn apply(&mut self, op: BinaryOp, left: Subexpr, right: Subexpr) -> Subexpr {
        let range = left.range.start..right.range.end;
        let (lt, rt) = (self.ty(&left), self.ty(&right));
        // The type of the operands, and that of the result.
        let (ty, result) = match op {
            BinaryOp::Shl | BinaryOp::Shr => (ctype::promoted(lt), ctype::promoted(lt)),
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr => (IntType::U64, IntType::I32),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                (ctype::common(lt, rt), IntType::I32)
            }
            _ => (ctype::common(lt, rt), ctype::common(lt, rt)),
        };
        let (x, y) = match op {
            // Only whether an operand is zero matters, which no conversion changes.
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr => (left.node, right.node),
            BinaryOp::Shl | BinaryOp::Shr => (self.convert(&left, ty), right.node),
            _ => (self.convert(&left, ty), self.convert(&right, ty)),
        };
        let value = |p: &Self, node| p.nodes.get(node as usize).and_then(|n: &CNode| constant_of(n));
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) && value(self, y) == Some(0) && self.division.is_none() {
            let what = "this is always 0";
            self.division =
                Some(self.problem("isaspec-division-by-zero", right.range.clone(), "division by zero", what));
        }
        match (value(self, x), value(self, y)) {
            (Some(x), Some(y)) => self.push(COp::Const(op.apply(ty, x, y)), result, range),
            _ => self.push(COp::Binary(op, ty, x, y), result, range),
        }
    }

    fn unary(&mut self) -> Parsed<Subexpr> {
        let start = self.token.start;
        let op = match (self.token.kind, self.token.text) {
            (TokenKind::Mark, "-") => UnaryOp::Negate,
            (TokenKind::Mark, "~") => UnaryOp::Not,
            (TokenKind::Mark, "!") => UnaryOp::LogicalNot,
            (TokenKind::Mark, "+") => {
                self.advance()?;
                let value = self.deeper(Self::unary)?;
                let ty = ctype::promoted(self.ty(&value));
                return Ok(Subexpr { node: self.convert(&value, ty), range: start..value.range.end });
            }
            (TokenKind::Mark, "++" | "--") => {
                let what = "nothing can be assigned to";
                return Err(self.problem(
                    "isaspec-expr-syntax",
                    self.token.range(),
                    "an expression cannot assign",
                    what,
                ));
            }
            _ => return self.primary(),
        };
        self.advance()?;
        let value = self.deeper(Self::unary)?;
        let range = start..value.range.end;
        if op == UnaryOp::LogicalNot {
            let ty = self.ty(&value);
            return Ok(match self.constant(&value) {
                Some(v) => self.push(COp::Const(op.apply(ty, v)), IntType::I32, range),
                None => self.push(COp::Unary(op, ty, value.node), IntType::I32, range),
            });
        }
        let ty = ctype::promoted(self.ty(&value));
        let node = self.convert(&value, ty);
        Ok(match self.constant(&Subexpr { node, range: range.clone() }) {
            Some(v) => self.push(COp::Const(op.apply(ty, v)), ty, range),
            None => self.push(COp::Unary(op, ty, node), ty, range),
        })
    }

    fn primary(&mut self) -> Parsed<Subexpr> {
        let token = self.token;
        match token.kind {
            TokenKind::Number => {
                let (value, ty) = ctype::literal(token.text)
                    .map_err(|what| self.problem("isaspec-expr-syntax", token.range(), "malformed number", what))?;
                self.advance()?;
                Ok(self.push(COp::Const(value), ty, token.range()))
            }
            TokenKind::Char => {
                let value = char_value(token.text).ok_or_else(|| {
                    self.problem("isaspec-expr-syntax", token.range(), "malformed character constant", "unknown escape")
                })?;
                self.advance()?;
                Ok(self.push(COp::Const(value), IntType::I32, token.range()))
            }
            TokenKind::Word => self.word(token),
            TokenKind::Mark if token.text == "(" => {
                self.advance()?;
                if self.token.kind == TokenKind::Word
                    && ctype::starts_type(self.token.text)
                    && !self.is_field(self.token.text)
                {
                    return self.cast(token);
                }
                let value = self.deeper(Self::comma)?;
                self.expect(")")?;
                Ok(Subexpr { node: value.node, range: token.start..self.end })
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    fn cast(&mut self, open: Token<'a>) -> Parsed<Subexpr> {
        let mut words = Vec::new();
        let start = self.token.start;
        while self.token.kind == TokenKind::Word && words.len() < 4 {
            words.push(self.token.text);
            self.advance()?;
        }
        let Some(ty) = ctype::named(&words) else {
            let what = "known are int, unsigned, long and the types of <stdint.h> up to 64 bits";
            return Err(self.problem("isaspec-expr-syntax", start..self.end, "unknown type", what));
        };
        self.expect(")")?;
        let value = self.deeper(Self::unary)?;
        Ok(Subexpr { node: self.convert(&value, ty), range: open.start..value.range.end })
    }

    fn is_field(&self, word: &str) -> bool {
        self.fields.binary_search_by(|f| f.as_str().cmp(word)).is_ok()
    }

    fn word(&mut self, token: Token<'a>) -> Parsed<Subexpr> {
        self.advance()?;
        if let Ok(index) = self.fields.binary_search_by(|f| f.as_str().cmp(token.text)) {
            return Ok(self.push(COp::Field(index as u32), IntType::I64, token.range()));
        }
        match token.text {
            "ISA_GPU_ID" => {
                self.expect("(")?;
                self.expect(")")?;
                Ok(self.push(COp::Gen, IntType::U32, token.start..self.end))
            }
            "ISA_FEATURE" if self.dialect => {
                self.expect("(")?;
                let name = self.token;
                if name.kind != TokenKind::Word {
                    return Err(self.unexpected("the name of a feature"));
                }
                self.advance()?;
                self.expect(")")?;
                self.features.push((name.text.to_owned(), self.text.span_of(name.range())));
                let op = COp::Feature(self.features.len() as u32 - 1);
                Ok(self.push(op, IntType::I32, token.start..self.end))
            }
            "true" | "false" => Ok(self.push(COp::Const(u64::from(token.text == "true")), IntType::I32, token.range())),
            name => Err(Box::new(
                Diagnostic::error("isaspec-expr-name", format!("unknown name `{name}` in an expression"))
                    .label(self.text.span_of(token.range()), "neither a field between braces nor `ISA_GPU_ID()`")
                    .fix("to read the field, write", self.text.span_of(token.range()), format!("{{{name}}}")),
            )),
        }
    }

    fn ty(&self, operand: &Subexpr) -> IntType {
        self.nodes.get(operand.node as usize).map_or(IntType::I32, |n| n.ty)
    }

    fn constant(&self, operand: &Subexpr) -> Option<u64> {
        self.nodes.get(operand.node as usize).and_then(constant_of)
    }

    fn push(&mut self, op: COp, ty: IntType, range: Range<usize>) -> Subexpr {
        let span = self.text.span_of(range.clone());
        self.nodes.push(CNode { op, ty, span });
        Subexpr { node: self.nodes.len() as u32 - 1, range }
    }

    /// The operand brought to a type.
    fn convert(&mut self, operand: &Subexpr, ty: IntType) -> u32 {
        if self.ty(operand) == ty {
            return operand.node;
        }
        let op = match self.constant(operand) {
            Some(v) => COp::Const(ty.wrap(v)),
            None => COp::Cast(operand.node),
        };
        self.push(op, ty, operand.range.clone()).node
    }
}

/// The nodes that `root` needs, root last: folding and commas leave others that nothing needs.
fn reachable(nodes: &[CNode], root: u32) -> Vec<CNode> {
    let mut wanted = vec![false; nodes.len()];
    if let Some(root) = wanted.get_mut(root as usize) {
        *root = true;
    }
    for (i, node) in nodes.iter().enumerate().rev() {
        if wanted.get(i) == Some(&true) {
            for operand in node.op.operands().into_iter().flatten() {
                wanted[operand as usize] = true;
            }
        }
    }
    let mut place = vec![0; nodes.len()];
    let mut kept = Vec::new();
    for (i, node) in nodes.iter().enumerate().filter(|(i, _)| wanted[*i]) {
        place[i] = kept.len() as u32;
        kept.push(CNode { op: node.op.with_operands(|old| place[old as usize]), ..*node });
    }
    kept
}

fn constant_of(node: &CNode) -> Option<u64> {
    match node.op {
        COp::Const(v) => Some(v),
        _ => None,
    }
}

/// The value of a character constant with its quotes.
fn char_value(text: &str) -> Option<u64> {
    let inner = text.get(1..text.len().checked_sub(1)?)?;
    let value = match inner.as_bytes() {
        [c] => *c,
        [b'\\', c] => match c {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'0' => 0,
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => *c,
            _ => return None,
        },
        _ => return None,
    };
    Some(u64::from(value))
}
