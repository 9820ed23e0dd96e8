//! Files of declarations: `*.idl` and `globals.isa`.

use isaglot_source::Diagnostics;

use super::lexer::Kind;
use super::parse::{Failed, Parsed, Parser};
use super::place::Place;
use super::syntax::{Declaration, Declared, Function, Ident, Literal, Type};

/// The declarations of a file, in order. All errors are added to `out`; what has none is still given.
pub fn declarations(place: &Place, text: &str, out: &mut Diagnostics) -> Vec<Declaration> {
    let Some(mut p) = Parser::new(place, text, out) else { return Vec::new() };
    let mut made = Vec::new();
    while p.peek().kind != Kind::End {
        match p.declaration() {
            Ok(d) => made.push(d),
            Err(Failed) => p.skip_to_declaration(),
        }
    }
    made
}

/// Words that begin a declaration and nothing else.
const STARTS: &[&str] =
    &["include", "enum", "generated", "builtin", "external", "function", "bitfield", "struct", "fetch"];

impl Parser<'_, '_> {
    fn skip_to_declaration(&mut self) {
        self.next();
        while self.peek().kind != Kind::End && !STARTS.iter().any(|s| self.word(s)) {
            self.next();
        }
    }

    fn declaration(&mut self) -> Parsed<Declaration> {
        self.leave_all();
        if self.eat_word("include") {
            let token = self.peek().clone();
            if token.kind != Kind::Text {
                return Err(self.unexpected("the name of a file in quotes"));
            }
            self.next();
            let text = token.text.trim_matches('"').to_owned();
            return Ok(Declaration::Include(Ident { text, span: token.span }));
        }
        if self.eat_word("enum") {
            return self.enumeration();
        }
        if self.eat_word("generated") {
            if self.eat_word("enum") {
                let name = self.ident("the name of the enum")?;
                self.expect(";", "after the name")?;
                return Ok(Declaration::Enum { name, members: Vec::new(), generated: true });
            }
            return self.function(false);
        }
        if self.eat_word("builtin") {
            return self.function(false);
        }
        if self.eat_word("external") || self.word("function") {
            return self.function(true);
        }
        if self.eat_word("bitfield") {
            return self.bitfield();
        }
        if self.eat_word("struct") {
            return self.structure();
        }
        if self.eat_word("fetch") {
            return Ok(Declaration::Fetch(self.block("and what is done to fetch")?));
        }
        let ty = self.ty()?;
        let declared = self.declared()?;
        let value = if self.eat("=") { Some(self.expr()?) } else { None };
        self.expect(";", "at the end of the declaration")?;
        Ok(Declaration::Global(ty, declared, value))
    }

    fn literal(&mut self) -> Option<Literal> {
        let Kind::Number(literal) = self.peek().kind.clone() else { return None };
        self.next();
        Some(literal)
    }

    fn enumeration(&mut self) -> Parsed<Declaration> {
        let name = self.ident("the name of the enum")?;
        self.expect("{", "and the members")?;
        let mut members = Vec::new();
        while !self.is("}") {
            let member = self.ident("a member of the enum")?;
            members.push((member, self.literal()));
        }
        self.expect("}", "after the members")?;
        Ok(Declaration::Enum { name, members, generated: false })
    }

    fn bitfield(&mut self) -> Parsed<Declaration> {
        self.expect("(", "and the width of the bitfield")?;
        let width = self.expr()?;
        self.expect(")", "after the width")?;
        let name = self.ident("the name of the bitfield")?;
        self.expect("{", "and the fields")?;
        let mut fields = Vec::new();
        while !self.is("}") {
            let field = self.ident("a field")?;
            let high = self.bit()?;
            let low = if self.eat("-") { self.bit()? } else { high };
            fields.push((field, high, low));
        }
        self.expect("}", "after the fields")?;
        Ok(Declaration::Bitfield { name, width, fields })
    }

    fn bit(&mut self) -> Parsed<u32> {
        let number = match &self.peek().kind {
            Kind::Number(literal) => u32::try_from(literal.value).ok(),
            _ => None,
        };
        let Some(number) = number else { return Err(self.unexpected("the number of a bit")) };
        self.next();
        Ok(number)
    }

    fn structure(&mut self) -> Parsed<Declaration> {
        let name = self.ident("the name of the struct")?;
        self.expect("{", "and the fields")?;
        let mut fields: Vec<(Type, Declared)> = Vec::new();
        while !self.is("}") {
            let ty = self.ty()?;
            fields.push((ty, self.declared()?));
            self.expect(";", "after the field")?;
        }
        self.expect("}", "after the fields")?;
        Ok(Declaration::Struct { name, fields })
    }

    fn function(&mut self, has_body: bool) -> Parsed<Declaration> {
        if !self.eat_word("function") {
            return Err(self.unexpected("`function`"));
        }
        let name = self.ident("the name of the function")?;
        self.expect("{", "and what the function is")?;
        let mut f = Function { name, templates: vec![], returns: vec![], arguments: vec![], body: None };
        loop {
            if self.eat_word("template") {
                f.templates = self.parameters()?;
            } else if self.eat_word("returns") {
                f.returns = vec![self.ty()?];
                while self.eat(",") {
                    f.returns.push(self.ty()?);
                }
            } else if self.eat_word("arguments") {
                f.arguments = self.parameters()?;
            } else if self.eat_word("description") {
                self.expect("{", "and a description")?;
                self.expect("}", "after the description")?;
            } else if has_body && self.eat_word("body") {
                f.body = Some(self.block("and the statements")?);
            } else if self.eat("}") {
                return Ok(Declaration::Function(f));
            } else {
                return Err(self.unexpected("`template`, `returns`, `arguments`, `description`, `body` or `}`"));
            }
        }
    }

    fn parameters(&mut self) -> Parsed<Vec<(Type, Ident)>> {
        let mut made = Vec::new();
        loop {
            let ty = self.ty()?;
            made.push((ty, self.ident("the name of an argument")?));
            if !self.eat(",") {
                return Ok(made);
            }
        }
    }
}
