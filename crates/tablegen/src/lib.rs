//! The TableGen language: source text in, records out.

mod bits;
mod convert;
mod ctx;
mod finish;
mod fold_bin;
mod fold_tern;
mod fold_un;
mod lex;
pub mod limits;
mod loc;
mod make;
mod message;
mod names;
mod ops;
mod origin;
mod parse;
pub mod print;
mod record;
mod relate;
pub mod render;
mod resolve;
mod text;
pub mod tool;
mod ty;
mod value;

use std::sync::Arc;

pub use lex::Loader;
pub use loc::{Loc, Places};
pub use message::{Message, Messages};

/// What to read and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folders in which included files are looked for.
    pub include_dirs: Vec<String>,
    /// Macros that count as defined.
    pub macros: Vec<String>,
    /// Say nothing about template arguments that are not used.
    pub no_unused_warning: bool,
    /// Go on after the first error.
    pub all_errors: bool,
    /// Record where values come from.
    pub trace: bool,
    /// Accept operators that are newer than LLVM 19.
    pub newest: bool,
}

/// The result of a run: records, messages and places.
#[derive(Debug)]
pub struct Records {
    ctx: ctx::Ctx,
    ok: bool,
    included: Vec<String>,
}

impl Records {
    pub(crate) fn ctx(&self) -> &ctx::Ctx {
        &self.ctx
    }

    /// Whether parsing came to its end. There may still have been errors that do not stop it.
    pub fn parsed(&self) -> bool {
        self.ok
    }

    /// All messages.
    pub fn messages(&self) -> &Messages {
        &self.ctx.messages
    }

    /// Files and places.
    pub fn places(&self) -> &Places {
        &self.ctx.places
    }

    /// Paths of included files, sorted.
    pub fn included(&self) -> &[String] {
        &self.included
    }
}

/// Reads one file.
pub fn parse(name: &str, bytes: Arc<[u8]>, options: &Options, loader: &mut Loader<'_>) -> Records {
    let ctx = ctx::Ctx::new(ctx::Bounds::default(), options.trace);
    let lexer = lex::Lexer::new(loader, options.include_dirs.clone(), &options.macros, options.newest);
    let mut parser = parse::Parser::new(ctx, lexer, !options.no_unused_warning);
    let lexer = &mut parser.lex;
    let ok = lexer.begin(&mut parser.ctx, name, bytes) && parser.parse_file(options.all_errors).is_ok();
    let ok = ok && !parser.ctx.stopped;
    let included = parser.lex.included.iter().cloned().collect();
    Records { ctx: parser.ctx, ok, included }
}
