//! The parser, which evaluates as it goes: a value is folded as soon as it is read, a class body is applied item by
//! item, a `def` is finished at its closing brace. The order in which this happens is part of the language, because it
//! numbers the anonymous records; so the functions here follow the order of llvm-tblgen's exactly.
//!
//! A parsing function that returns `None` (or [`Stop`]) has reported the error; the statement is over.

mod bang;
mod bang_more;
mod class;
mod def;
mod multiclass;
mod scope;
mod simple;
mod statement;
mod types;
mod value;

use isaglot_invariant::Impossible as _;
use rustc_hash::FxHashMap;

use crate::ctx::Ctx;
use crate::lex::Lexer;
use crate::lex::token::Tok;
use crate::loc::Loc;
use crate::names::Sym;
use crate::record::{Assertion, Dump, RecId};
use crate::ty::Ty;
use crate::value::{Arg, Val};
use scope::Scope;

/// An error was reported, and the statement is over.
#[derive(Debug)]
pub(crate) struct Stop;

/// What a statement gives.
pub(crate) type Done = Result<(), Stop>;

/// How an identifier is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As the value that it names.
    Value,
    /// As text, unless it names something local: in names of records and right of `#`.
    Name,
}

/// An enclosing `let … in`.
#[derive(Clone, Debug)]
struct LetItem {
    name: Sym,
    bits: Vec<u32>,
    value: Val,
    loc: Loc,
}

/// A class or multiclass with arguments, after a `:`.
#[derive(Debug)]
struct Reference {
    rec: RecId,
    args: Vec<Arg>,
    loc: Loc,
}

/// Something that is made when its loop or multiclass is run.
#[derive(Clone, Debug)]
enum Entry {
    Record(RecId),
    Loop(Box<Loop>),
    Assertion(Assertion),
    Dump(Dump),
}

/// A `foreach`, or one arm of an `if` (which has no iterator).
#[derive(Clone, Debug)]
struct Loop {
    loc: Loc,
    iterator: Option<(Sym, Ty)>,
    list: Val,
    entries: Vec<Entry>,
}

/// A `defset` that is being filled.
#[derive(Debug)]
struct Defset {
    element: Ty,
    loc: Loc,
    elements: Vec<Val>,
}

/// A multiclass: its record holds the template arguments.
#[derive(Debug)]
struct MultiClass {
    rec: RecId,
    entries: Vec<Entry>,
}

/// The parser.
pub(crate) struct Parser<'a> {
    pub(crate) ctx: Ctx,
    pub(crate) lex: Lexer<'a>,
    tok: Tok,
    scopes: Vec<Scope>,
    lets: Vec<Vec<LetItem>>,
    loops: Vec<Loop>,
    multiclasses: FxHashMap<Sym, usize>,
    all_multiclasses: Vec<MultiClass>,
    /// The multiclass whose body is being read.
    multi: Option<usize>,
    aliases: FxHashMap<Sym, Ty>,
    defsets: Vec<Defset>,
    warn_unused: bool,
    depth: u32,
    /// Parts of lists and dags that are being read, those of inner ones after those of outer ones.
    parts: Vec<u32>,
    /// Class references for provenance: the place of the last one applied.
    class_count: u32,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(ctx: Ctx, lex: Lexer<'a>, warn_unused: bool) -> Parser<'a> {
        Parser {
            ctx,
            lex,
            tok: Tok::Eof,
            scopes: Vec::new(),
            lets: Vec::new(),
            loops: Vec::new(),
            multiclasses: FxHashMap::default(),
            all_multiclasses: Vec::new(),
            multi: None,
            aliases: FxHashMap::default(),
            defsets: Vec::new(),
            warn_unused,
            depth: 0,
            parts: Vec::new(),
            class_count: 0,
        }
    }

    /// Reads everything. With `all_errors`, goes on after an error at the next statement.
    pub(crate) fn parse_file(&mut self, all_errors: bool) -> Done {
        self.next();
        self.scopes.push(Scope::local());
        let mut failed = false;
        loop {
            let result = self.object_list().and_then(|()| match self.tok {
                Tok::Eof => Ok(()),
                _ => self.fail("tblgen-syntax", "Unexpected token at top level"),
            });
            match result {
                Ok(()) if failed => return Err(Stop),
                Ok(()) => return Ok(()),
                Err(Stop) if !all_errors || self.ctx.eval.stopped => return Err(Stop),
                Err(Stop) => failed = true,
            }
            if self.ctx.messages.errors > crate::limits::MAX_ERRORS || !self.recover() {
                return Err(Stop);
            }
        }
    }

    /// Leaves whatever was being read, and finds the next statement.
    fn recover(&mut self) -> bool {
        self.scopes.truncate(1);
        self.lets.clear();
        self.loops.clear();
        self.multi = None;
        self.defsets.clear();
        self.depth = 0;
        self.parts.clear();
        self.ctx.eval.depth = 0;
        let mut braces = 0u32;
        loop {
            let before = self.lex.loc();
            match self.tok {
                Tok::Eof => return false,
                Tok::LBrace => braces += 1,
                Tok::RBrace => {
                    self.next();
                    if braces <= 1 {
                        break;
                    }
                    braces -= 1;
                    continue;
                }
                Tok::Semi if braces == 0 => {
                    self.next();
                    break;
                }
                _ => {}
            }
            let said = self.ctx.messages.list.len();
            self.next();
            if self.tok == Tok::Error {
                // Reported already, or of no interest while skipping.
                self.ctx.messages.errors -= self.ctx.messages.list.len() - said;
                self.ctx.messages.list.truncate(said);
                if self.lex.loc() == before {
                    return false;
                }
            }
        }
        while !self.at_object() {
            if self.tok == Tok::Eof {
                return false;
            }
            self.next();
            if self.tok == Tok::Error {
                return false;
            }
        }
        true
    }

    // ---- Tokens --------------------------------------------------------------------------------------------------

    fn next(&mut self) -> Tok {
        self.tok = self.lex.lex(&mut self.ctx);
        self.tok
    }

    fn loc(&self) -> Loc {
        self.lex.loc()
    }

    /// Eats a token if it is there.
    fn eat(&mut self, tok: Tok) -> bool {
        let there = self.tok == tok;
        if there {
            self.next();
        }
        there
    }

    /// Eats a token that must be there; without it an error, and no value.
    fn need(&mut self, tok: Tok, text: &str) -> Option<()> {
        if self.eat(tok) { Some(()) } else { self.none(text) }
    }

    /// Goes to the next token, which must be this one; else an error, and no value.
    fn need_next(&mut self, tok: Tok, text: &str) -> Option<()> {
        if self.next() == tok { Some(()) } else { self.none(text) }
    }

    /// Says, where the file has ended or a further statement begins, what is still open and where that began.
    fn never_closed(&mut self, open: Loc, bracket: char) {
        use Tok::{Class, Def, Defm, Defset, Eof, Foreach, MultiClass};
        if matches!(self.tok, Class | Def | Defm | Defset | Eof | Foreach | MultiClass) {
            let text = format!("this '{bracket}' is still open");
            self.ctx.messages.help(&self.ctx.store.places, open, text);
        }
    }

    /// Eats a token that must be there.
    fn expect(&mut self, tok: Tok, code: &'static str, text: &str) -> Result<(), Stop> {
        if self.eat(tok) { Ok(()) } else { self.fail(code, text) }
    }

    /// Goes to the next token, which must be this one.
    fn expect_next(&mut self, tok: Tok, code: &'static str, text: &str) -> Result<(), Stop> {
        if self.next() == tok { Ok(()) } else { self.fail(code, text) }
    }

    /// The text of the current identifier or string.
    fn text(&self) -> Sym {
        self.lex.value.text
    }

    fn name_of(&self, sym: Sym) -> Vec<u8> {
        self.ctx.store.names.get(sym).to_vec()
    }

    // ---- Errors --------------------------------------------------------------------------------------------------

    fn error(&mut self, loc: Loc, code: &'static str, text: &[u8]) {
        self.ctx.messages.error(&self.ctx.store.places, loc, code, text);
    }

    /// An error at the current token.
    fn token_error(&mut self, code: &'static str, text: &[u8]) {
        let loc = self.loc();
        self.error(loc, code, text);
    }

    fn fail<T>(&mut self, code: &'static str, text: &str) -> Result<T, Stop> {
        self.token_error(code, text.as_bytes());
        Err(Stop)
    }

    fn fail_at<T>(&mut self, loc: Loc, code: &'static str, text: &[u8]) -> Result<T, Stop> {
        self.error(loc, code, text);
        Err(Stop)
    }

    /// An error at the current token, and no value.
    fn none<T>(&mut self, text: &str) -> Option<T> {
        self.token_error("tblgen-syntax", text.as_bytes());
        None
    }

    /// An error about types at the current token, and no value.
    fn type_error<T>(&mut self, text: &[u8]) -> Option<T> {
        self.token_error("tblgen-type", text);
        None
    }

    /// An error at a place, and no value.
    fn none_at<T>(&mut self, loc: Loc, code: &'static str, parts: &[&[u8]]) -> Option<T> {
        self.error(loc, code, &parts.concat());
        None
    }

    /// Counts a level of nesting; `false` if it is too deep.
    fn deeper(&mut self) -> bool {
        self.depth += 1;
        if self.depth > self.ctx.eval.bounds.parse_depth {
            self.ctx.too_much("levels of nesting");
        }
        !self.ctx.eval.stopped
    }

    /// Makes a value of the parts from a place on, and forgets them.
    fn take_parts<T>(&mut self, from: usize, make: impl FnOnce(&mut Ctx, &[u32]) -> T) -> T {
        let made = make(&mut self.ctx, self.parts.get(from..).or_impossible(&[]));
        self.parts.truncate(from);
        made
    }

    fn push_class_number(&mut self) -> u32 {
        self.class_count += 1;
        self.class_count - 1
    }
}
