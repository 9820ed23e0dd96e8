//! `#define`, `#ifdef`, `#ifndef`, `#else` and `#endif`. A directive stands at the start of a line, after blanks and
//! comments only; the conditions of a file balance within the file.

use super::{Lexer, is_id, is_id_start};
use crate::ctx::Ctx;
use crate::loc::Loc;

/// A directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directive {
    Ifdef,
    Ifndef,
    Else,
    Endif,
    Define,
}

const DIRECTIVES: [(&[u8], Directive); 5] = [
    (b"ifdef", Directive::Ifdef),
    (b"ifndef", Directive::Ifndef),
    (b"else", Directive::Else),
    (b"endif", Directive::Endif),
    (b"define", Directive::Define),
];

/// An open condition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    is_else: bool,
    holds: bool,
    loc: Loc,
}

impl Lexer<'_> {
    /// The directive after a `#`, if there is one.
    pub(super) fn directive(&self) -> Option<Directive> {
        let rest = self.bytes.get(self.at..)?;
        let (word, directive) = DIRECTIVES.iter().find(|(word, _)| rest.starts_with(word))?;
        let next = |i: usize| rest.get(word.len() + i).copied();
        let ends = match next(0) {
            None | Some(b' ' | b'\t' | b'\n' | b'\r') => true,
            Some(b'/') => matches!(next(1), Some(b'*' | b'/')),
            _ => false,
        };
        ends.then_some(*directive)
    }

    fn word_of(directive: Directive) -> &'static str {
        match directive {
            Directive::Ifdef => "#ifdef",
            Directive::Ifndef => "#ifndef",
            Directive::Else => "#else",
            Directive::Endif => "#endif",
            Directive::Define => "#define",
        }
    }

    /// Obeys a directive; with `live`, skips to where tokens count again. `None` after an error.
    pub(super) fn preprocess(&mut self, ctx: &mut Ctx, directive: Directive, live: bool) -> Option<()> {
        let word = Self::word_of(directive);
        self.start = self.at;
        self.at += word.len() - 1;
        match directive {
            Directive::Ifdef | Directive::Ifndef => {
                let Some(name) = self.macro_name() else {
                    self.error(ctx, self.start, &format!("Expected macro name after {word}"));
                    return None;
                };
                let holds = self.macros.contains(&name) == (directive == Directive::Ifdef);
                self.controls.push(Control { is_else: false, holds, loc: self.loc() });
                self.end_of_directive(ctx, &format!("{word} NAME"))?;
                if live && !holds { self.skip_lines(ctx) } else { Some(()) }
            }
            Directive::Else => {
                let Some(open) = self.controls.last().copied() else {
                    self.error(ctx, self.start, "#else without #ifdef or #ifndef");
                    return None;
                };
                if open.is_else {
                    self.error(ctx, self.start, "double #else");
                    let text = super::of_version(ctx.store.newest, "Previous #else is here");
                    ctx.messages.error(&ctx.store.places, open.loc, "tblgen-preprocess", text.as_bytes());
                    return None;
                }
                let loc = self.loc();
                if let Some(top) = self.controls.last_mut() {
                    *top = Control { is_else: true, holds: !open.holds, loc };
                }
                self.end_of_directive(ctx, word)?;
                if live { self.skip_lines(ctx) } else { Some(()) }
            }
            Directive::Endif => {
                if self.controls.is_empty() {
                    self.error(ctx, self.start, "#endif without #ifdef");
                    return None;
                }
                self.end_of_directive(ctx, word)?;
                self.controls.pop();
                Some(())
            }
            Directive::Define => {
                let Some(name) = self.macro_name() else {
                    self.error(ctx, self.start, "Expected macro name after #define");
                    return None;
                };
                let text = format!("Duplicate definition of macro: {}", String::from_utf8_lossy(&name));
                if !self.macros.insert(name) {
                    ctx.messages.warning(&ctx.store.places, self.loc(), "tblgen-macro", text.as_bytes());
                }
                self.end_of_directive(ctx, "#define NAME")
            }
        }
    }

    fn macro_name(&mut self) -> Option<Vec<u8>> {
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
        self.start = self.at;
        if !is_id_start(self.peek(0)) {
            return None;
        }
        while is_id(self.peek(0)) {
            self.at += 1;
        }
        self.bytes.get(self.start..self.at).map(<[u8]>::to_vec)
    }

    /// Only blanks and comments may follow on the line.
    fn end_of_directive(&mut self, ctx: &mut Ctx, after: &str) -> Option<()> {
        while !self.at_end() {
            match (self.peek(0), self.peek(1)) {
                (b' ' | b'\t', _) => self.at += 1,
                (b'\n' | b'\r', _) => return Some(()),
                (b'/', b'/') => self.skip_line_comment(),
                (b'/', b'*') => {
                    self.start = self.at;
                    self.at += 1;
                    if !self.skip_comment(ctx) {
                        self.error(ctx, self.at, &format!("Only comments are supported after {after}"));
                        return None;
                    }
                }
                (c, _) => {
                    self.start = self.at;
                    if c == b'/' {
                        self.error(ctx, self.at, "Unexpected character");
                    }
                    self.error(ctx, self.at, &format!("Only comments are supported after {after}"));
                    return None;
                }
            }
        }
        Some(())
    }

    /// Skips lines until a directive makes tokens count again.
    fn skip_lines(&mut self, ctx: &mut Ctx) -> Option<()> {
        while !self.at_end() {
            while !self.at_end() && !matches!(self.peek(0), b'\n' | b'\r') {
                self.at += 1;
            }
            self.start_of_line(ctx)?;
            if self.peek(0) != b'#' {
                continue;
            }
            self.at += 1;
            let Some(directive) = self.directive().filter(|&d| d != Directive::Define) else { continue };
            self.preprocess(ctx, directive, false)?;
            if self.controls.iter().all(|c| c.holds) {
                return Some(());
            }
        }
        if let Some(control) = self.controls.last().copied() {
            self.unbalanced(ctx, control);
        }
        None
    }

    /// Skips line ends, blanks and comments.
    fn start_of_line(&mut self, ctx: &mut Ctx) -> Option<()> {
        while !self.at_end() {
            match (self.peek(0), self.peek(1)) {
                (b' ' | b'\t' | b'\n' | b'\r', _) => self.at += 1,
                (b'/', b'*') => {
                    self.start = self.at;
                    self.at += 1;
                    if !self.skip_comment(ctx) {
                        return None;
                    }
                }
                _ => return Some(()),
            }
        }
        Some(())
    }

    /// The file ends inside a condition.
    pub(super) fn unbalanced(&mut self, ctx: &mut Ctx, control: Control) {
        self.error(ctx, self.bytes.len(), "Reached EOF without matching #endif");
        // llvm-tblgen counts only one of the two.
        ctx.messages.errors = ctx.messages.errors.saturating_sub(1);
        let text = super::of_version(ctx.store.newest, "The latest preprocessor control is here");
        ctx.messages.error(&ctx.store.places, control.loc, "tblgen-preprocess", text.as_bytes());
        self.start = self.at;
    }
}
