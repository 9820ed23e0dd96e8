//! From bytes to tokens, one at a time, because `include` and the preprocessor work between tokens and the parser may
//! stop anywhere.

mod preprocess;
pub(crate) mod token;

use std::sync::Arc;

use isaglot_source::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use isaglot_invariant::Impossible as _;

use crate::Dialect;
use crate::ctx::Ctx;
use crate::limits;
use crate::loc::Loc;
use crate::names::Sym;
use preprocess::Control;
use token::{Bang, Tok, TokenValue, keyword};

/// A message of LLVM 19 in the words of the version that is spoken: newer ones begin in lower case.
fn of_version(newest: bool, text: &str) -> std::borrow::Cow<'_, str> {
    if !newest || text.starts_with("NUL") {
        return text.into();
    }
    let text = text.strip_suffix('!').unwrap_or(text);
    let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
    format!("{}{rest}", first.to_lowercase()).into()
}

/// Gives the bytes of a file, or `None` if there is none of that path.
pub type Loader<'a> = dyn FnMut(&str) -> Option<Arc<[u8]>> + Send + 'a;

/// A file being read.
struct Open {
    bytes: Arc<[u8]>,
    start: Loc,
    at: usize,
    controls: Vec<Control>,
}

/// The lexer.
pub(crate) struct Lexer<'a> {
    open: Vec<Open>,
    bytes: Arc<[u8]>,
    /// Place of byte 0 of the file.
    base: Loc,
    at: usize,
    start: usize,
    controls: Vec<Control>,
    loader: &'a mut Loader<'a>,
    include_dirs: Vec<String>,
    macros: FxHashSet<Vec<u8>>,
    loaded: FxHashMap<String, (FileId, Arc<[u8]>)>,
    /// Included files, for the dependency list.
    pub(crate) included: std::collections::BTreeSet<String>,
    dialect: Dialect,
    /// An operator was met that only the newest language has.
    pub(crate) wants_newest: bool,
    pub(crate) value: TokenValue,
}

fn is_id_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

const NUL: &str = "NUL character is invalid in source; treated as space";

/// Whether a byte may stand in a name.
const IS_ID: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = (b as u8).is_ascii_alphanumeric() || b as u8 == b'_';
        b += 1;
    }
    table
};

fn is_id(b: u8) -> bool {
    IS_ID[usize::from(b)]
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(
        loader: &'a mut Loader<'a>,
        include_dirs: Vec<String>,
        macros: &[String],
        dialect: Dialect,
    ) -> Lexer<'a> {
        Lexer {
            open: Vec::new(),
            bytes: Arc::from(&[][..]),
            base: Loc::NONE,
            at: 0,
            start: 0,
            controls: Vec::new(),
            loader,
            include_dirs,
            macros: macros.iter().map(|m| m.clone().into_bytes()).collect(),
            loaded: FxHashMap::default(),
            included: std::collections::BTreeSet::new(),
            dialect,
            wants_newest: false,
            value: TokenValue { text: Sym::NONE, int: 0, digits: 0 },
        }
    }

    /// Starts with a file that is read already.
    pub(crate) fn begin(&mut self, ctx: &mut Ctx, name: &str, bytes: Arc<[u8]>) -> bool {
        let file = ctx.store.places.files.add(name, Arc::clone(&bytes));
        self.enter(ctx, file, bytes, Loc::NONE)
    }

    fn enter(&mut self, ctx: &mut Ctx, file: FileId, bytes: Arc<[u8]>, from: Loc) -> bool {
        let Some((_, base)) = ctx.store.places.open(file, from) else {
            ctx.too_much("files");
            return false;
        };
        self.bytes = bytes;
        self.base = base;
        self.at = 0;
        self.controls = Vec::new();
        true
    }

    fn loc_of(&self, at: usize) -> Loc {
        Loc(self.base.0 + at as u32)
    }

    /// The place of the current token.
    pub(crate) fn loc(&self) -> Loc {
        self.loc_of(self.start)
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn error(&self, ctx: &mut Ctx, at: usize, text: &str) -> Tok {
        let text = of_version(ctx.store.newest, text);
        ctx.messages.error(&ctx.store.places, self.loc_of(at), "tblgen-lex", text.as_bytes());
        Tok::Error
    }

    /// Goes to the first byte from here on that is not as asked.
    #[inline]
    fn skip_while(&mut self, is: impl Fn(u8) -> bool) {
        let rest = self.bytes.get(self.at..).or_impossible(&[]);
        self.at += rest.iter().position(|&b| !is(b)).unwrap_or(rest.len());
    }

    /// The next character; two bytes that are one line end are one. `None` at the end.
    fn next_char(&mut self, ctx: &mut Ctx) -> Option<u8> {
        let &c = self.bytes.get(self.at)?;
        self.at += 1;
        match c {
            0 => {
                self.error(ctx, self.start, NUL);
                Some(b' ')
            }
            b'\n' | b'\r' => {
                self.end_line(c);
                Some(b'\n')
            }
            _ => Some(c),
        }
    }

    /// Takes the second byte of a line end of two bytes.
    #[inline]
    fn end_line(&mut self, first: u8) {
        let next = self.peek(0);
        if (next == b'\n' || next == b'\r') && next != first {
            self.at += 1;
        }
    }

    /// The next token for the parser.
    pub(crate) fn lex(&mut self, ctx: &mut Ctx) -> Tok {
        let at_start = self.at == 0;
        self.token(ctx, at_start)
    }

    fn token(&mut self, ctx: &mut Ctx, mut line_start: bool) -> Tok {
        loop {
            self.start = self.at;
            let Some(&c) = self.bytes.get(self.at) else {
                if self.leave(ctx) {
                    line_start = false;
                    continue;
                }
                return Tok::Eof;
            };
            self.at += 1;
            return match c {
                b' ' | b'\t' => {
                    self.skip_blanks();
                    continue;
                }
                b'\n' | b'\r' => {
                    self.end_line(c);
                    line_start = true;
                    continue;
                }
                c if is_id_start(c) => {
                    let tok = self.identifier(ctx);
                    if tok == Tok::Include {
                        if !self.include(ctx) {
                            return Tok::Error;
                        }
                        line_start = true;
                        continue;
                    }
                    tok
                }
                b':' => Tok::Colon,
                b';' => Tok::Semi,
                b',' => Tok::Comma,
                b'<' => Tok::Less,
                b'>' => Tok::Greater,
                b']' => Tok::RSquare,
                b'{' => Tok::LBrace,
                b'}' => Tok::RBrace,
                b'(' => Tok::LParen,
                b')' => Tok::RParen,
                b'=' => Tok::Equal,
                b'?' => Tok::Question,
                b'#' => {
                    if line_start && let Some(kind) = self.directive() {
                        if self.preprocess(ctx, kind, true).is_none() {
                            return Tok::Error;
                        }
                        line_start = false;
                        continue;
                    }
                    Tok::Paste
                }
                b'.' if self.peek(0) == b'.' => {
                    self.at += 1;
                    if self.peek(0) == b'.' {
                        self.at += 1;
                        Tok::DotDotDot
                    } else {
                        self.error(ctx, self.start, "Invalid '..' punctuation")
                    }
                }
                b'.' => Tok::Dot,
                b'/' if self.peek(0) == b'/' => {
                    self.skip_line_comment();
                    continue;
                }
                b'/' if self.peek(0) == b'*' => {
                    if !self.skip_comment(ctx) {
                        return Tok::Error;
                    }
                    continue;
                }
                b'-' | b'+' | b'0'..=b'9' => self.number_or_name(ctx, c, &mut line_start),
                b'"' => self.string(ctx),
                b'$' => self.variable(ctx),
                b'[' => self.bracket(ctx),
                b'!' => self.bang(ctx),
                0 => {
                    self.error(ctx, self.start, NUL);
                    continue;
                }
                _ => self.error(ctx, self.start, "Unexpected character"),
            };
        }
    }

    /// Skips the blanks that follow one.
    #[inline]
    fn skip_blanks(&mut self) {
        const BLANKS: u64 = u64::from_ne_bytes([b' '; 8]);
        // Between two words there is one; at the beginning of a line there are many.
        while self.bytes.get(self.at) == Some(&b' ') {
            match self.bytes.get(self.at..).and_then(|rest| rest.first_chunk()) {
                Some(&chunk) => {
                    let other = u64::from_le_bytes(chunk) ^ BLANKS;
                    self.at += other.trailing_zeros() as usize / 8;
                    if other != 0 {
                        return;
                    }
                }
                None => self.at += 1,
            }
        }
    }

    fn skip_line_comment(&mut self) {
        let rest = self.bytes.get(self.at..).or_impossible(&[]);
        self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    }

    /// Skips a comment that may hold comments; the cursor is at its `*`.
    fn skip_comment(&mut self, ctx: &mut Ctx) -> bool {
        self.at += 1;
        let mut depth = 1u32;
        loop {
            match self.next_char(ctx) {
                None => {
                    self.error(ctx, self.start, "Unterminated comment!");
                    return false;
                }
                Some(b'*') if self.peek(0) == b'/' => {
                    self.at += 1;
                    depth -= 1;
                    if depth == 0 {
                        return true;
                    }
                }
                Some(b'/') if self.peek(0) == b'*' => {
                    self.at += 1;
                    depth += 1;
                }
                Some(_) => {}
            }
        }
    }

    fn identifier(&mut self, ctx: &mut Ctx) -> Tok {
        self.skip_while(is_id);
        let from_here = self.bytes.get(self.start..).or_impossible(&[]);
        let text = ctx.store.names.intern_word(from_here, self.at - self.start);
        match keyword(text) {
            Some(tok) => tok,
            None => {
                self.value.text = text;
                Tok::Id
            }
        }
    }

    fn number_or_name(&mut self, ctx: &mut Ctx, first: u8, line_start: &mut bool) -> Tok {
        let _ = line_start;
        let mut next = 0;
        if first.is_ascii_digit() {
            let mut i = 0;
            loop {
                next = self.peek(i);
                i += 1;
                if !next.is_ascii_digit() {
                    break;
                }
            }
            let after = self.peek(i);
            if (next == b'b' && matches!(after, b'0' | b'1')) || (next == b'x' && after.is_ascii_hexdigit()) {
                return self.number(ctx, first);
            }
        }
        if is_id_start(next) { self.identifier(ctx) } else { self.number(ctx, first) }
    }

    fn number(&mut self, ctx: &mut Ctx, first: u8) -> Tok {
        let mut base = 10;
        if first == b'0' && self.peek(0) == b'x' {
            base = 16;
        } else if first == b'0' && self.peek(0) == b'b' {
            base = 2;
        }
        if base != 10 {
            self.at += 1;
            let from = self.at;
            while char::from(self.peek(0)).is_digit(base) {
                self.at += 1;
            }
            if self.at == from {
                return self.error(ctx, self.start, "Invalid number");
            }
            let digits = self.bytes.get(from..self.at).or_impossible(&[]);
            let value = std::str::from_utf8(digits).ok().and_then(|d| u64::from_str_radix(d, base).ok());
            let Some(value) = value else {
                return self.error(ctx, self.start, "Number out of range");
            };
            self.value.int = value as i64;
            self.value.digits = digits.len() as u32;
            return if base == 2 { Tok::BinaryInt } else { Tok::Int };
        }
        if !self.peek(0).is_ascii_digit() {
            match first {
                b'-' => return Tok::Minus,
                b'+' => return Tok::Plus,
                _ => {}
            }
        }
        while self.peek(0).is_ascii_digit() {
            self.at += 1;
        }
        let text = std::str::from_utf8(self.bytes.get(self.start..self.at).or_impossible(&[])).or_impossible("");
        let value = if first == b'-' { text.parse::<i64>().ok() } else { text.parse::<u64>().ok().map(|v| v as i64) };
        match value {
            Some(value) => {
                self.value.int = value;
                Tok::Int
            }
            None => self.error(ctx, self.start, "Number out of range"),
        }
    }

    fn string(&mut self, ctx: &mut Ctx) -> Tok {
        let from = self.at;
        self.skip_while(|b| !matches!(b, b'"' | b'\\' | b'\n' | b'\r'));
        let plain = self.bytes.get(from..self.at).or_impossible(&[]);
        if self.bytes.get(self.at) == Some(&b'"') {
            self.at += 1;
            self.value.text = ctx.store.names.intern(plain);
            return Tok::Str;
        }
        let mut text = plain.to_vec();
        loop {
            let Some(&c) = self.bytes.get(self.at) else {
                return self.error(ctx, from, "End of file in string literal");
            };
            match c {
                b'"' => break,
                b'\n' | b'\r' => return self.error(ctx, from, "End of line in string literal"),
                b'\\' => {
                    self.at += 1;
                    let Some(&escaped) = self.bytes.get(self.at) else {
                        return self.error(ctx, from, "End of file in string literal");
                    };
                    text.push(match escaped {
                        b'\\' | b'\'' | b'"' => escaped,
                        b't' => b'\t',
                        b'n' => b'\n',
                        b'\n' | b'\r' => {
                            return self.error(ctx, self.at, "escaped newlines not supported in tblgen");
                        }
                        _ => return self.error(ctx, self.at, "invalid escape in string literal"),
                    });
                }
                _ => text.push(c),
            }
            self.at += 1;
        }
        self.at += 1;
        self.value.text = ctx.store.names.intern(&text);
        Tok::Str
    }

    fn variable(&mut self, ctx: &mut Ctx) -> Tok {
        if !is_id_start(self.peek(0)) {
            return self.error(ctx, self.start, "Invalid variable name");
        }
        let from = self.at;
        self.skip_while(is_id);
        let from_here = self.bytes.get(from..).or_impossible(&[]);
        self.value.text = ctx.store.names.intern_word(from_here, self.at - from);
        Tok::VarName
    }

    fn bracket(&mut self, ctx: &mut Ctx) -> Tok {
        if self.peek(0) != b'{' {
            return Tok::LSquare;
        }
        self.at += 1;
        let from = self.at;
        loop {
            match self.next_char(ctx) {
                None => break,
                Some(b'}') => match self.next_char(ctx) {
                    None => break,
                    Some(b']') => {
                        let code = self.bytes.get(from..self.at - 2).or_impossible(&[]);
                        self.value.text = ctx.store.names.intern(code);
                        return Tok::Code;
                    }
                    Some(_) => {}
                },
                Some(_) => {}
            }
        }
        self.error(ctx, from - 2, "Unterminated code block")
    }

    fn bang(&mut self, ctx: &mut Ctx) -> Tok {
        if !self.peek(0).is_ascii_alphabetic() {
            return self.error(ctx, self.start, "Invalid \"!operator\"");
        }
        let from = self.at;
        while self.peek(0).is_ascii_alphabetic() {
            self.at += 1;
        }
        let word = self.bytes.get(from..self.at).or_impossible(&[]);
        let known = Bang::all().find(|(name, _)| name.as_bytes() == word).map(|found| found.1);
        let newest = ctx.store.newest;
        let is_gone = newest && Bang::is_gone(word);
        if let Some(bang) = known.filter(|bang| !is_gone && (newest || !bang.is_newer())) {
            return Tok::Bang(bang);
        }
        if known.is_some() && !newest && self.dialect == Dialect::Auto {
            // All is read once more, as the newest language.
            self.wants_newest = true;
            ctx.eval.stopped = true;
            return Tok::Error;
        }
        let word = String::from_utf8_lossy(word).into_owned();
        let tok = self.error(ctx, self.start, "Unknown operator");
        if is_gone {
            let now = if word == "getop" { "getdagop" } else { "setdagop" };
            ctx.messages.help(&ctx.store.places, Loc::NONE, format!("the newest TableGen calls it !{now}"));
            return tok;
        }
        if known.is_some() {
            ctx.messages.help(
                &ctx.store.places,
                Loc::NONE,
                format!("!{word} is newer than LLVM 19: pass --dialect=newest"),
            );
            return tok;
        }
        let mut names: Vec<&str> = Bang::all().map(|found| found.0).collect();
        names.sort_unstable();
        if let Some(near) = isaglot_source::closest(&word, names) {
            ctx.messages.help(&ctx.store.places, Loc::NONE, format!("did you mean !{near}?"));
        }
        tok
    }

    /// Goes into an included file.
    fn include(&mut self, ctx: &mut Ctx) -> bool {
        let tok = self.token(ctx, false);
        if tok == Tok::Error {
            return false;
        }
        if tok != Tok::Str {
            self.error(ctx, self.start, "Expected filename after include");
            return false;
        }
        let name = String::from_utf8_lossy(ctx.store.names.get(self.value.text)).into_owned();
        let candidates: Vec<String> = std::iter::once(name.clone())
            .chain(
                self.include_dirs
                    .iter()
                    .map(|dir| if dir.ends_with('/') { format!("{dir}{name}") } else { format!("{dir}/{name}") }),
            )
            .collect();
        if self.open.len() >= limits::MAX_INCLUDE_DEPTH {
            self.error(ctx, self.start, &format!("'{name}' is included too deep"));
            ctx.messages.help(&ctx.store.places, Loc::NONE, "does a file include itself?");
            ctx.eval.stopped = true;
            ctx.messages.closed = true;
            return false;
        }
        for path in candidates {
            let found = match self.loaded.get(&path) {
                Some((file, bytes)) => Some((*file, Arc::clone(bytes))),
                None => (self.loader)(&path).map(|bytes| {
                    let file = ctx.store.places.files.add(path.clone(), Arc::clone(&bytes));
                    self.loaded.insert(path.clone(), (file, Arc::clone(&bytes)));
                    (file, bytes)
                }),
            };
            if let Some((file, bytes)) = found {
                self.included.insert(path);
                let from = self.loc_of(self.at);
                let outer = Open {
                    bytes: Arc::clone(&self.bytes),
                    start: self.base,
                    at: self.at,
                    controls: std::mem::take(&mut self.controls),
                };
                self.open.push(outer);
                return self.enter(ctx, file, bytes, from);
            }
        }
        self.error(ctx, self.start, &format!("Could not find include file '{name}'"));
        let dirs = self.include_dirs.join(", ");
        let dirs = if dirs.is_empty() { "no -I was given".to_owned() } else { format!("looked in {dirs}") };
        ctx.messages.help(&ctx.store.places, Loc::NONE, dirs);
        false
    }

    /// At the end of a file: goes back to the one that included it; `false` at the end of all.
    fn leave(&mut self, ctx: &mut Ctx) -> bool {
        if let Some(control) = self.controls.last().copied() {
            self.unbalanced(ctx, control);
            return false;
        }
        let Some(outer) = self.open.pop() else { return false };
        self.bytes = outer.bytes;
        self.base = outer.start;
        self.at = outer.at;
        self.start = outer.at;
        self.controls = outer.controls;
        true
    }
}
