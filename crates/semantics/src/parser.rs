//! Recursive descent with precedence climbing. After an error in a statement it goes on after the next `;` or block, so
//! that all problems of a text are reported.

use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};

use crate::lexer::{Token, TokenKind, lex};
use crate::limits;
use crate::syntax::{Expr, ExprKind, Ident, Stmt, Tree};

/// Binary operators by precedence, loosest first. All associate to the left.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<s", "<u", "<=s", "<=u", ">s", ">u", ">=s", ">=u"],
    &["<<", ">>s", ">>u"],
    &["+", "-"],
    &["*", "/s", "/u", "%s", "%u"],
];

/// Parses `text`, which starts at byte `base` of `file`. `None` if there was an error, which is added to `out`.
pub fn parse(file: FileId, base: usize, text: &str, out: &mut Diagnostics) -> Option<Tree> {
    let before = out.error_count();
    if text.len() > limits::MAX_TEXT {
        let message = format!("a text of {} bytes; {} are possible", text.len(), limits::MAX_TEXT);
        out.push(Diagnostic::error("semantics-too-long", message).label(Span::new(file, base, base), ""));
        return None;
    }
    let tokens = lex(file, base, text, out);
    let mut p = Parser { tokens, at: 0, depth: 0, out };
    let statements = p.statements(false);
    (out.error_count() == before).then_some(Tree { statements })
}

struct Parser<'a, 'b> {
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
    out: &'b mut Diagnostics,
}

/// The error was reported; the caller gives up up to the next statement.
struct Failed;

type Parsed<T> = Result<T, Failed>;

impl<'a> Parser<'a, '_> {
    fn peek(&self) -> Token<'a> {
        // The last token is `End`, and `next` never passes it.
        self.tokens[self.at]
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Symbol(s) if s == symbol)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, symbol: &str, after: &str) -> Parsed<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}` {after}"))) }
    }

    /// The `;` of a statement; after the last one of a text it may be left out.
    fn end(&mut self, after: &str) -> Parsed<()> {
        if self.peek().kind == TokenKind::End { Ok(()) } else { self.expect(";", after) }
    }

    fn unexpected(&mut self, expected: &str) -> Failed {
        let token = self.peek();
        let found =
            if token.kind == TokenKind::End { "the end of the text".to_owned() } else { format!("`{}`", token.text) };
        let d = Diagnostic::error("semantics-syntax", format!("unexpected {found}"));
        self.out.push(d.label(token.span, format!("expected {expected}")));
        Failed
    }

    fn ident(&mut self, what: &str) -> Parsed<Ident> {
        let token = self.peek();
        if token.kind != TokenKind::Ident {
            return Err(self.unexpected(what));
        }
        self.next();
        Ok(Ident { text: token.text.to_owned(), span: token.span })
    }

    /// Statements up to the end of the text, or to the `}` of a block.
    fn statements(&mut self, in_block: bool) -> Vec<Stmt> {
        let mut list = Vec::new();
        loop {
            if self.peek().kind == TokenKind::End || (in_block && self.is("}")) {
                return list;
            }
            match self.statement() {
                Ok(s) => list.push(s),
                Err(Failed) => self.recover(in_block),
            }
        }
    }

    /// Goes on after the next `;`, or to a `}` that closes the block; passes at least one token.
    fn recover(&mut self, in_block: bool) {
        let mut open = 0;
        loop {
            if self.peek().kind == TokenKind::End || (in_block && open == 0 && self.is("}")) {
                return;
            }
            let token = self.next();
            match token.kind {
                TokenKind::Symbol("{") => open += 1,
                TokenKind::Symbol("}") if open <= 1 => return,
                TokenKind::Symbol("}") => open -= 1,
                TokenKind::Symbol(";") if open == 0 => return,
                _ => {}
            }
        }
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        self.nested(|p| {
            let token = p.peek();
            match token.text {
                "let" => {
                    p.next();
                    let name = p.ident("a name")?;
                    let width = if p.eat(":") { Some(p.expr()?) } else { None };
                    p.expect("=", "and a value")?;
                    let value = p.expr()?;
                    p.end("after the value")?;
                    Ok(Stmt::Let { name, width, value })
                }
                "if" => p.if_statement(),
                "trap" => {
                    p.next();
                    p.expect("(", "after `trap`")?;
                    let cause = p.ident("the name of a cause")?;
                    let args = if p.eat(",") { p.list(")")? } else { Vec::new() };
                    p.expect(")", "after the cause")?;
                    p.end("after the trap")?;
                    Ok(Stmt::Trap { cause, args })
                }
                _ => {
                    let place = p.expr()?;
                    if p.eat("=") {
                        let value = p.expr()?;
                        p.end("after the value")?;
                        return Ok(Stmt::Assign { place, value });
                    }
                    match place.kind {
                        ExprKind::Call(name, args) => {
                            p.end("after the call")?;
                            Ok(Stmt::Call { name, args })
                        }
                        _ => Err(p.unexpected("`=` and a value")),
                    }
                }
            }
        })
    }

    fn if_statement(&mut self) -> Parsed<Stmt> {
        self.next();
        self.expect("(", "after `if`")?;
        let condition = self.expr()?;
        self.expect(")", "after the condition")?;
        let then = self.block()?;
        let otherwise = if self.peek().text == "else" {
            self.next();
            if self.peek().text == "if" { vec![self.nested(Parser::if_statement)?] } else { self.block()? }
        } else {
            Vec::new()
        };
        Ok(Stmt::If { condition, then, otherwise })
    }

    fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.expect("{", "and statements")?;
        let list = self.statements(true);
        self.expect("}", "after the statements")?;
        Ok(list)
    }

    fn list(&mut self, close: &str) -> Parsed<Vec<Expr>> {
        let mut items = Vec::new();
        while !self.is(close) {
            items.push(self.expr()?);
            if !self.eat(",") {
                break;
            }
        }
        Ok(items)
    }

    /// Runs `f` one level deeper, or reports that it is too deep.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= limits::MAX_DEPTH {
            let d = Diagnostic::error("semantics-too-deep", format!("nested deeper than {} levels", limits::MAX_DEPTH));
            self.out.push(d.label(self.peek().span, "here"));
            return Err(Failed);
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|p| {
            let condition = p.binary(0)?;
            if !p.eat("?") {
                return Ok(condition);
            }
            let then = p.expr()?;
            p.expect(":", "and the other value")?;
            let otherwise = p.expr()?;
            let span = condition.span.to(otherwise.span);
            let kind = ExprKind::Select(Box::new(condition), Box::new(then), Box::new(otherwise));
            Ok(Expr { kind, span })
        })
    }

    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let TokenKind::Symbol(op) = self.peek().kind
            && operators.contains(&op)
        {
            self.next();
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let TokenKind::Symbol(op @ ("-" | "~" | "!")) = token.kind else { return self.postfix() };
        self.next();
        let operand = self.nested(Parser::unary)?;
        let span = token.span.to(operand.span);
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span })
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut value = self.primary()?;
        while self.eat("[") {
            let first = self.expr()?;
            let low = if self.eat(":") { Some(self.expr()?) } else { None };
            let end = self.peek().span;
            self.expect("]", "after the index")?;
            let span = value.span.to(end);
            let kind = match low {
                Some(low) => ExprKind::Slice(Box::new(value), Box::new(first), Box::new(low)),
                None => ExprKind::Index(Box::new(value), Box::new(first)),
            };
            value = Expr { kind, span };
        }
        Ok(value)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        match token.kind {
            TokenKind::Number(n) => {
                self.next();
                Ok(Expr { kind: ExprKind::Number(n), span: token.span })
            }
            TokenKind::Ident => {
                let name = self.ident("a name")?;
                if !self.eat("(") {
                    return Ok(Expr { kind: ExprKind::Name(name.text), span: token.span });
                }
                let args = self.list(")")?;
                let end = self.peek().span;
                self.expect(")", "after the arguments")?;
                Ok(Expr { kind: ExprKind::Call(name, args), span: token.span.to(end) })
            }
            TokenKind::Symbol("#") => {
                self.next();
                let name = self.ident("the name of a register operand")?;
                Ok(Expr { kind: ExprKind::NumberOf(name.text), span: token.span.to(name.span) })
            }
            TokenKind::Symbol("(") => {
                self.next();
                let inner = self.expr()?;
                self.expect(")", "to close this")?;
                Ok(inner)
            }
            TokenKind::Symbol("{") => {
                self.next();
                let items = self.list("}")?;
                let end = self.peek().span;
                self.expect("}", "after the parts")?;
                Ok(Expr { kind: ExprKind::Concat(items), span: token.span.to(end) })
            }
            _ => Err(self.unexpected("a value")),
        }
    }
}
