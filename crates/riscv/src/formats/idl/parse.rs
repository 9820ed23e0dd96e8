//! Statements and the parser's ground: recursive descent that goes on after an error at the next statement, so that all
//! problems of a text are reported at once.

use isaglot_source::{Diagnostic, Diagnostics, Span};

use super::lexer::{Kind, Token, error, lex};
use super::place::Place;
use super::syntax::{Declared, Expr, ExprKind, Ident, Stmt, StmtKind, Type, TypeKind};
use crate::limits;

/// The error was reported; the caller gives up up to the next statement.
pub(crate) struct Failed;

pub(crate) type Parsed<T> = Result<T, Failed>;

pub(crate) struct Parser<'a, 'b> {
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
    /// Operators of this statement so far.
    operators: usize,
    pub(crate) out: &'b mut Diagnostics,
}

/// The statements of an instruction's text. All errors are added to `out`; what has none is still given.
pub fn statements(place: &Place, text: &str, out: &mut Diagnostics) -> Vec<Stmt> {
    let Some(mut p) = Parser::new(place, text, out) else { return Vec::new() };
    p.list(false)
}

const RESERVED: &[&str] = &[
    "if",
    "else",
    "for",
    "return",
    "returns",
    "arguments",
    "description",
    "body",
    "function",
    "builtin",
    "generated",
    "enum",
    "bitfield",
    "CSR",
    "true",
    "false",
];

const TYPES: &[&str] = &["Bits", "XReg", "U32", "U64", "Boolean", "String"];

impl<'a, 'b> Parser<'a, 'b> {
    pub(crate) fn new(place: &Place, text: &'a str, out: &'b mut Diagnostics) -> Option<Parser<'a, 'b>> {
        if text.len() > limits::MAX_IDL_TEXT {
            let message = format!("a text of {} bytes; {} are possible", text.len(), limits::MAX_IDL_TEXT);
            out.push(error(message).label(place.span(0, 0), ""));
            return None;
        }
        let tokens = lex(place, text, out);
        Some(Parser { tokens, at: 0, depth: 0, operators: 0, out })
    }

    pub(crate) fn peek(&self) -> &Token<'a> {
        // The last token is the end, and `next` never passes it.
        &self.tokens[self.at]
    }

    /// The token so many after the next one.
    pub(crate) fn ahead(&self, n: usize) -> &Token<'a> {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    pub(crate) fn next(&mut self) -> Token<'a> {
        let token = self.peek().clone();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    pub(crate) fn is(&self, symbol: &str) -> bool {
        matches!(self.peek().kind, Kind::Symbol(s) if s == symbol)
    }

    pub(crate) fn word(&self, word: &str) -> bool {
        self.peek().kind == Kind::Name && self.peek().text == word
    }

    pub(crate) fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.next();
        }
        found
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word(word);
        if found {
            self.next();
        }
        found
    }

    pub(crate) fn expect(&mut self, symbol: &'static str, after: &str) -> Parsed<Span> {
        let span = self.peek().span;
        if self.eat(symbol) { Ok(span) } else { Err(self.unexpected(&format!("`{symbol}` {after}"))) }
    }

    pub(crate) fn unexpected(&mut self, expected: &str) -> Failed {
        let token = self.peek();
        let found =
            if token.kind == Kind::End { "the end of the text".to_owned() } else { format!("`{}`", token.text) };
        let d = error(format!("unexpected {found}")).label(token.span, format!("expected {expected}"));
        self.out.push(d);
        Failed
    }

    /// One level further in, if there may be one.
    pub(crate) fn enter(&mut self) -> Parsed<()> {
        if self.depth < limits::MAX_IDL_DEPTH {
            self.depth += 1;
            return Ok(());
        }
        let message = format!("nested more than {} levels deep", limits::MAX_IDL_DEPTH);
        let d = Diagnostic::error("idl-syntax", message).label(self.peek().span, "");
        self.out.push(d);
        // Nothing after this is read: there may be thousands of such places.
        self.at = self.tokens.len() - 1;
        Err(Failed)
    }

    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Back to the level of a file.
    pub(crate) fn leave_all(&mut self) {
        self.depth = 0;
        self.operators = 0;
    }

    pub(crate) fn ident(&mut self, what: &str) -> Parsed<Ident> {
        let token = self.peek();
        if token.kind != Kind::Name || RESERVED.contains(&token.text) {
            return Err(self.unexpected(what));
        }
        let token = self.next();
        Ok(Ident { text: token.text.to_owned(), span: token.span })
    }

    /// Whether a type begins here.
    pub(crate) fn at_type(&self) -> bool {
        self.peek().kind == Kind::Name && TYPES.contains(&self.peek().text)
    }

    pub(crate) fn ty(&mut self) -> Parsed<Type> {
        let name = self.ident("a type")?;
        let kind = match name.text.as_str() {
            "XReg" => TypeKind::XReg,
            "U32" => TypeKind::Unsigned(32),
            "U64" => TypeKind::Unsigned(64),
            "Boolean" => TypeKind::Boolean,
            "String" => TypeKind::Text,
            "Bits" => {
                self.expect("<", "and the width")?;
                let width = self.template_expr()?;
                self.expect(">", "after the width")?;
                TypeKind::Bits(Box::new(width))
            }
            _ => TypeKind::Named(name.text),
        };
        Ok(Type { kind, span: name.span })
    }

    /// `name` or `name[length]`
    pub(crate) fn declared(&mut self) -> Parsed<Declared> {
        let name = self.ident("a name")?;
        let mut length = None;
        if self.eat("[") {
            length = Some(self.expr()?);
            self.expect("]", "after the length")?;
        }
        Ok(Declared { name, length })
    }

    /// Statements up to the end of the text, or to the `}` of a block.
    pub(crate) fn list(&mut self, in_block: bool) -> Vec<Stmt> {
        let mut list = Vec::new();
        loop {
            if self.peek().kind == Kind::End || (in_block && self.is("}")) {
                return list;
            }
            let (before, depth, operators) = (self.at, self.depth, self.operators);
            match self.statement() {
                Ok(s) => {
                    self.operators = operators;
                    list.push(s);
                }
                Err(Failed) => {
                    self.depth = depth;
                    self.recover(before);
                }
            }
        }
    }

    /// Goes on after the next `;` or block, or before the `}` that ends this one.
    fn recover(&mut self, before: usize) {
        let mut open = 0;
        while self.peek().kind != Kind::End {
            if self.is("}") && open <= 1 {
                if open == 1 {
                    self.next();
                }
                break;
            }
            if self.is("{") {
                open += 1;
            } else if self.is("}") {
                open -= 1;
            }
            let end = self.is(";") && open == 0;
            self.next();
            if end {
                break;
            }
        }
        if self.at == before {
            self.next();
        }
    }

    pub(crate) fn block(&mut self, what: &str) -> Parsed<Vec<Stmt>> {
        self.expect("{", what)?;
        self.enter()?;
        let list = self.list(true);
        self.leave();
        self.expect("}", "at the end of the block")?;
        Ok(list)
    }

    /// Counts an operator that makes an expression deeper without nesting.
    pub(crate) fn operator(&mut self) -> Parsed<()> {
        self.operators += 1;
        if self.operators <= limits::MAX_IDL_OPERATORS {
            return Ok(());
        }
        let message = format!("a statement of more than {} operators", limits::MAX_IDL_OPERATORS);
        self.out.push(error(message).label(self.peek().span, ""));
        Err(Failed)
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        self.operators = 0;
        let start = self.peek().span;
        if self.word("if") {
            return self.conditional(start);
        }
        if self.eat_word("for") {
            self.expect("(", "after `for`")?;
            let first = self.simple()?;
            self.expect(";", "after the first part of `for`")?;
            let condition = self.expr()?;
            self.expect(";", "after the condition of `for`")?;
            let step = self.simple()?;
            self.expect(")", "after the parts of `for`")?;
            let body = self.block("and the body of `for`")?;
            let kind = StmtKind::For(Box::new(first), condition, Box::new(step), body);
            return Ok(Stmt { kind, span: start });
        }
        let mut simple = self.simple()?;
        if self.eat_word("if") {
            let condition = self.expr()?;
            let span = simple.span;
            simple = Stmt { kind: StmtKind::Guarded(Box::new(simple), condition), span };
        }
        self.expect(";", "at the end of the statement")?;
        Ok(simple)
    }

    fn conditional(&mut self, start: Span) -> Parsed<Stmt> {
        let mut arms = Vec::new();
        let mut otherwise = Vec::new();
        loop {
            self.next();
            self.expect("(", "after `if`")?;
            let condition = self.expr()?;
            self.expect(")", "after the condition")?;
            self.operator()?;
            arms.push((condition, self.block("after the condition")?));
            if !self.eat_word("else") {
                break;
            }
            if !self.word("if") {
                otherwise = self.block("or `if` after `else`")?;
                break;
            }
        }
        Ok(Stmt { kind: StmtKind::If(arms, otherwise), span: start })
    }

    /// A statement without its `;`.
    fn simple(&mut self) -> Parsed<Stmt> {
        let start = self.peek().span;
        let kind = self.simple_kind()?;
        Ok(Stmt { kind, span: start.to(self.tokens[self.at.saturating_sub(1)].span) })
    }

    fn simple_kind(&mut self) -> Parsed<StmtKind> {
        if self.eat_word("return") {
            let mut values = Vec::new();
            if !self.is(";") && !self.word("if") {
                values.push(self.returned()?);
                while self.eat(",") {
                    values.push(self.returned()?);
                }
            }
            return Ok(StmtKind::Return(values));
        }
        let named = self.peek().kind == Kind::Name && self.ahead(1).kind == Kind::Name;
        if self.at_type() || (named && !RESERVED.contains(&self.ahead(1).text)) {
            let ty = self.ty()?;
            let mut names = vec![self.declared()?];
            while self.eat(",") {
                names.push(self.declared()?);
            }
            let value = if self.eat("=") { Some(self.expr()?) } else { None };
            return Ok(StmtKind::Declare(ty, names, value));
        }
        if self.is("(") {
            return self.unpack();
        }
        let place = self.expr()?;
        if self.eat("=") {
            return Ok(StmtKind::Assign(place, self.expr()?));
        }
        if self.eat("++") {
            return Ok(StmtKind::Step(place, true));
        }
        if self.eat("--") {
            return Ok(StmtKind::Step(place, false));
        }
        match place.kind {
            ExprKind::Call(..) | ExprKind::Builtin(..) | ExprKind::Method(..) => Ok(StmtKind::Call(place)),
            _ => Err(self.unexpected("`=` and a value")),
        }
    }

    /// A value that is returned: an expression, or `-` for none.
    fn returned(&mut self) -> Parsed<Expr> {
        if self.is("-") && matches!(self.ahead(1).kind, Kind::Symbol("," | ";")) {
            let span = self.next().span;
            return Ok(Expr { kind: ExprKind::Anything, span });
        }
        self.expr()
    }

    /// `(a, -, b) = f(…)`
    fn unpack(&mut self) -> Parsed<StmtKind> {
        self.expect("(", "")?;
        let mut places: Vec<Option<Expr>> = Vec::new();
        loop {
            let skipped = self.is("-") && matches!(self.ahead(1).kind, Kind::Symbol("," | ")"));
            if skipped {
                self.next();
                places.push(None);
            } else {
                places.push(Some(self.expr()?));
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")", "after the places")?;
        self.expect("=", "and a call")?;
        Ok(StmtKind::Unpack(places, self.expr()?))
    }
}
