//! Expressions: precedence climbing, all binary operators to the left.

use super::lexer::Kind;
use super::parse::{Failed, Parsed, Parser};
use super::syntax::{Expr, ExprKind, Ident, Op, Prefix};

/// Binary operators, loosest first.
const LEVELS: &[&[(&str, Op)]] = &[
    &[("||", Op::OrElse)],
    &[("&&", Op::AndAlso)],
    &[("|", Op::Or)],
    &[("^", Op::Xor)],
    &[("&", Op::And)],
    &[("==", Op::Eq), ("!=", Op::Ne)],
    &[("<", Op::Lt), ("<=", Op::Le), (">", Op::Gt), (">=", Op::Ge)],
    &[("<<", Op::Shl), (">>>", Op::ShrArithmetic), (">>", Op::Shr), ("`<<", Op::WideShl)],
    &[("+", Op::Add), ("-", Op::Sub), ("`+", Op::WideAdd), ("`-", Op::WideSub)],
    &[("*", Op::Mul), ("/", Op::Div), ("%", Op::Rem), ("`*", Op::WideMul)],
];

/// The level of shifts: the loosest that a `>` cannot be in.
const ABOVE_COMPARISONS: usize = 7;

/// How far the `>` of a call's `f<…>(` may be.
const MAX_TEMPLATE: usize = 64;

/// A binary operator and its level.
fn operator(symbol: &str) -> Option<(usize, Op)> {
    let find = |(level, list): (usize, &&[(&str, Op)])| list.iter().find(|o| o.0 == symbol).map(|o| (level, o.1));
    LEVELS.iter().enumerate().find_map(find)
}

impl Parser<'_, '_> {
    pub(crate) fn expr(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let condition = self.level(0)?;
        let made = if self.eat("?") {
            let yes = self.expr()?;
            self.expect(":", "and the value for the other case")?;
            let no = self.expr()?;
            let span = condition.span.to(no.span);
            Expr { kind: ExprKind::Select(Box::new(condition), Box::new(yes), Box::new(no)), span }
        } else {
            condition
        };
        self.leave();
        Ok(made)
    }

    /// An expression between `<` and `>`, where a `>` needs parentheses.
    pub(crate) fn template_expr(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let made = self.level(ABOVE_COMPARISONS)?;
        self.leave();
        Ok(made)
    }

    /// Operators of this level and tighter ones.
    fn level(&mut self, loosest: usize) -> Parsed<Expr> {
        let mut left = self.prefix()?;
        loop {
            let found = match self.peek().kind {
                Kind::Symbol(s) => operator(s).filter(|(level, _)| *level >= loosest),
                _ => None,
            };
            let Some((level, op)) = found else { return Ok(left) };
            self.next();
            self.operator()?;
            let right = self.level(level + 1)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let op = match self.peek().kind {
            Kind::Symbol("-") => Prefix::Negate,
            Kind::Symbol("~") => Prefix::Complement,
            Kind::Symbol("!") => Prefix::Not,
            _ => return self.postfix(),
        };
        let start = self.next().span;
        self.enter()?;
        let inner = self.prefix()?;
        self.leave();
        let span = start.to(inner.span);
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(inner)), span })
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut e = self.primary()?;
        loop {
            let start = e.span;
            if self.is("[") || self.is(".") {
                self.operator()?;
            }
            if self.eat("[") {
                let high = self.expr()?;
                let kind = if self.eat(":") {
                    let low = self.expr()?;
                    ExprKind::Slice(Box::new(e), Box::new(high), Box::new(low))
                } else {
                    ExprKind::Index(Box::new(e), Box::new(high))
                };
                let end = self.expect("]", "after the index")?;
                e = Expr { kind, span: start.to(end) };
            } else if self.eat(".") {
                let name = self.ident("the name of a field")?;
                if self.eat("(") {
                    let items = self.items(")")?;
                    let end = self.expect(")", "after the arguments")?;
                    e = Expr { kind: ExprKind::Method(Box::new(e), name, items), span: start.to(end) };
                } else {
                    let span = start.to(name.span);
                    e = Expr { kind: ExprKind::Field(Box::new(e), name), span };
                }
            } else {
                return Ok(e);
            }
        }
    }

    /// Values up to a closing symbol.
    fn items(&mut self, close: &'static str) -> Parsed<Vec<Expr>> {
        let mut items = Vec::new();
        while !self.is(close) {
            items.push(self.expr()?);
            if !self.eat(",") {
                break;
            }
        }
        Ok(items)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek().clone();
        let span = token.span;
        match token.kind {
            Kind::Number(literal) => {
                self.next();
                Ok(Expr { kind: ExprKind::Number(literal), span })
            }
            Kind::Text => {
                self.next();
                Ok(Expr { kind: ExprKind::Text(token.text.trim_matches('"').to_owned()), span })
            }
            Kind::Symbol("(") => {
                self.next();
                let inner = self.expr()?;
                let end = self.expect(")", "after the expression")?;
                Ok(Expr { kind: inner.kind, span: span.to(end) })
            }
            Kind::Symbol("{") => self.concat(),
            Kind::Symbol("[") => {
                self.next();
                let items = self.items("]")?;
                let end = self.expect("]", "after the elements")?;
                Ok(Expr { kind: ExprKind::Array(items), span: span.to(end) })
            }
            Kind::Dollar => self.dollar(),
            Kind::Name => self.named(),
            Kind::Symbol(_) | Kind::End => Err(self.unexpected("an expression")),
        }
    }

    fn dollar(&mut self) -> Parsed<Expr> {
        let token = self.next();
        let span = token.span;
        let name = token.text.trim_start_matches('$').to_owned();
        match name.as_str() {
            "pc" => return Ok(Expr { kind: ExprKind::Pc, span }),
            "encoding" => return Ok(Expr { kind: ExprKind::Encoding, span }),
            _ => {}
        }
        self.expect("(", "after a function whose name begins with `$`")?;
        let items = self.items(")")?;
        let end = self.expect(")", "after the arguments")?;
        Ok(Expr { kind: ExprKind::Builtin(Ident { text: name, span }, items), span: span.to(end) })
    }

    fn concat(&mut self) -> Parsed<Expr> {
        let start = self.next().span;
        let first = self.expr()?;
        if self.eat("{") {
            let what = self.expr()?;
            self.expect("}", "after what is repeated")?;
            let end = self.expect("}", "after what is repeated")?;
            return Ok(Expr { kind: ExprKind::Repeat(Box::new(first), Box::new(what)), span: start.to(end) });
        }
        let mut items = vec![first];
        while self.eat(",") {
            items.push(self.expr()?);
        }
        let end = self.expect("}", "after what is put together")?;
        Ok(Expr { kind: ExprKind::Concat(items), span: start.to(end) })
    }

    fn named(&mut self) -> Parsed<Expr> {
        let span = self.peek().span;
        if self.word("true") || self.word("false") {
            let truth = self.next().text == "true";
            return Ok(Expr { kind: ExprKind::Truth(truth), span });
        }
        if self.eat_word("CSR") {
            self.expect("[", "after `CSR`")?;
            let mut name = self.ident("the name of a register")?;
            // Names of vendors have dots in them.
            while self.eat(".") {
                let more = self.ident("the rest of the name")?;
                name = Ident { text: format!("{}.{}", name.text, more.text), span: name.span.to(more.span) };
            }
            let end = self.expect("]", "after the name")?;
            return Ok(Expr { kind: ExprKind::Csr(name), span: span.to(end) });
        }
        let name = self.ident("an expression")?;
        if self.eat("::") {
            let member = self.ident("a member of the enum")?;
            let span = span.to(member.span);
            return Ok(Expr { kind: ExprKind::Member(name, member), span });
        }
        let mut templates = Vec::new();
        if self.is("<") && self.template_ahead() {
            self.next();
            loop {
                templates.push(self.template_expr()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(">", "after the template arguments")?;
        }
        if !self.eat("(") {
            return if templates.is_empty() { Ok(Expr { kind: ExprKind::Name(name.text), span }) } else { Err(Failed) };
        }
        let items = self.items(")")?;
        let end = self.expect(")", "after the arguments")?;
        Ok(Expr { kind: ExprKind::Call(name, templates, items), span: span.to(end) })
    }

    /// Whether the `<` that comes next begins template arguments: a `>` and a `(` end them.
    fn template_ahead(&self) -> bool {
        let mut open = 0;
        for n in 1..MAX_TEMPLATE {
            match self.ahead(n).kind {
                Kind::Symbol("(" | "[") => open += 1,
                Kind::Symbol(")" | "]") => open -= 1,
                Kind::Symbol(">") if open == 0 => return matches!(self.ahead(n + 1).kind, Kind::Symbol("(")),
                Kind::Symbol(";" | "{" | "}" | "&&" | "||" | "?" | "==") | Kind::End => return false,
                _ => {}
            }
            if open < 0 {
                return false;
            }
        }
        false
    }
}
