//! The TableGen language: source text in, records out. The dialect is that of LLVM 19; LLVM itself is not needed.
#![doc = include_str!("../README.md")]

mod api;
mod applied;
mod bits;
mod convert;
mod ctx;
mod families;
mod field_locs;
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
pub mod natural;
mod newer;
mod ops;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub mod oracle;
mod origin;
mod parse;
mod pattern;
pub mod print;
pub mod query;
mod record;
mod relate;
pub mod render;
mod resolve;
mod resolve_bits;
mod store;
mod text;
mod texts;
pub mod tool;
mod ty;
mod value;
mod why;

use std::sync::{Arc, OnceLock};

use isaglot_invariant::Impossible as _;
use isaglot_source::SourceMap;

pub use api::{Bit, Bits, Class, Dag, Def, FieldError, List, Unresolved, Value};
pub use lex::Loader;
pub use loc::{Loc, Places};
pub use message::{Message, Messages};
pub use why::{Event, OriginStep, why};

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
    /// At most about this many steps and values, for input that is not trusted; otherwise the bounds of [`limits`].
    pub budget: Option<u32>,
    /// Which operators there are, and how values print.
    pub dialect: Dialect,
}

/// A version of the language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// That of LLVM 19, or the newest one if the sources have an operator that LLVM 19 lacks.
    #[default]
    Auto,
    /// That of LLVM 19.
    Llvm19,
    /// That of LLVM 22, with operators that came later.
    Newest,
}

impl Dialect {
    /// All of them, with their names on a command line.
    pub const ALL: [(&str, Dialect); 3] =
        [("auto", Dialect::Auto), ("llvm19", Dialect::Llvm19), ("newest", Dialect::Newest)];

    /// The one of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Dialect> {
        Dialect::ALL.iter().find(|known| known.0 == name).map(|known| known.1)
    }
}

/// The result of a run: records, messages and places.
#[derive(Debug)]
pub struct Records {
    store: store::Store,
    messages: Messages,
    origins: origin::Origins,
    ok: bool,
    included: Vec<String>,
    /// Made when they are asked for first.
    families: OnceLock<families::Families>,
}

impl Records {
    pub(crate) fn store(&self) -> &store::Store {
        &self.store
    }

    fn families(&self) -> &families::Families {
        self.families.get_or_init(|| families::Families::new(&self.store))
    }

    /// Whether parsing came to its end. There may still have been errors that do not stop it.
    pub fn parsed(&self) -> bool {
        self.ok
    }

    /// Whether there was no error at all.
    pub fn ok(&self) -> bool {
        self.ok && self.messages.errors == 0
    }

    /// Whether the sources were read as the newest version of the language.
    pub fn is_newest(&self) -> bool {
        self.store.newest
    }

    /// Adds a fatal error of a printer.
    pub(crate) fn fail_at(&mut self, loc: Loc, code: &'static str, text: &[u8]) {
        self.messages.error(&self.store.places, loc, code, text);
        self.close();
    }

    /// The same at a record and the `defm`s that made it.
    pub(crate) fn fail_in(&mut self, rec: record::RecId, code: &'static str, text: &[u8]) {
        let locs: Vec<Loc> = self.store.rec(rec).locs.iter().collect();
        self.messages.error_chain(&self.store.places, &locs, code, text);
        self.close();
    }

    /// Ends the run: nothing more is said.
    pub(crate) fn close(&mut self) {
        self.ok = false;
        self.messages.closed = true;
    }

    /// Adds a fatal error without a place, such as one of a further printer; `code` is its stable code, `tblgen-…`.
    pub fn fail(&mut self, code: &'static str, text: &str) {
        self.fail_at(Loc::NONE, code, text.as_bytes());
    }

    /// All messages.
    pub fn messages(&self) -> &Messages {
        &self.messages
    }

    /// Files and places.
    pub fn places(&self) -> &Places {
        &self.store.places
    }

    /// The files, to add others that messages refer to, or to keep them when the records go.
    pub fn files_mut(&mut self) -> &mut SourceMap {
        &mut self.store.places.files
    }

    /// Paths of included files, sorted.
    pub fn included(&self) -> &[String] {
        &self.included
    }
}

/// Reads and evaluates one file and what it includes. `name` is what messages call it; `loader` gives the bytes of an
/// included file, or `None` if there is none of that path, and is asked for the path as written and then in each of
/// the include folders. Problems are in [`Records::messages`].
pub fn parse(name: &str, bytes: Arc<[u8]>, options: &Options, loader: &mut Loader<'_>) -> Records {
    parse_into(SourceMap::new(), name, bytes, options, loader)
}

/// The same, with files that were read before: their numbers stay, and those of this run come after them.
pub fn parse_into(
    files: SourceMap,
    name: &str,
    bytes: Arc<[u8]>,
    options: &Options,
    loader: &mut Loader<'_>,
) -> Records {
    let files = std::sync::Mutex::new(Some(files));
    let files = || files.lock().ok().and_then(|mut f| f.take()).or_impossible_default();
    let cell = std::sync::Mutex::new(Some(loader));
    let take = || cell.lock().ok().and_then(|mut l| l.take());
    let large = || take().map(|loader| parse_here(files(), name, Arc::clone(&bytes), options, loader, false));
    on_large_stack(large).flatten().unwrap_or_else(|| {
        let mut nothing = |_: &str| None;
        parse_here(files(), name, Arc::clone(&bytes), options, take().or_impossible(&mut nothing), true)
    })
}

/// Runs on a thread with [`limits::STACK_BYTES`]; `None` if there is no such thread. Values nest as deep as the input says,
/// within limits; the default stack of a thread is made for less.
pub(crate) fn on_large_stack<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(limits::STACK_BYTES).spawn_scoped(scope, run);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(done)) => Some(done),
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => None,
        }
    })
}

fn parse_here(
    files: SourceMap,
    name: &str,
    bytes: Arc<[u8]>,
    options: &Options,
    loader: &mut Loader<'_>,
    small_stack: bool,
) -> Records {
    let before = (options.dialect == Dialect::Auto).then(|| files.clone());
    let newest = options.dialect == Dialect::Newest;
    let (records, wants_newest) = {
        let mut load = |path: &str| loader(path);
        parse_as(files, name, Arc::clone(&bytes), options, &mut load, small_stack, newest)
    };
    match before.filter(|_| wants_newest) {
        Some(files) => {
            drop(records);
            let mut load = |path: &str| loader(path);
            parse_as(files, name, bytes, options, &mut load, small_stack, true).0
        }
        None => records,
    }
}

/// Reads as one version of the language. Whether an operator was met that only the newest one has, too.
fn parse_as<'a>(
    files: SourceMap,
    name: &str,
    bytes: Arc<[u8]>,
    options: &Options,
    loader: &'a mut Loader<'a>,
    small_stack: bool,
    newest: bool,
) -> (Records, bool) {
    let mut bounds = ctx::Bounds::default();
    if let Some(budget) = options.budget {
        bounds.shrink(budget);
    }
    if small_stack {
        (bounds.eval_depth, bounds.parse_depth) = (limits::SMALL_STACK_DEPTH, limits::SMALL_STACK_DEPTH);
    }
    let mut ctx = ctx::Ctx::new(bounds, options.trace);
    ctx.store.places.files = files;
    ctx.store.newest = newest;
    let lexer = lex::Lexer::new(loader, options.include_dirs.clone(), &options.macros, options.dialect);
    let mut parser = parse::Parser::new(ctx, lexer, !options.no_unused_warning);
    let lexer = &mut parser.lex;
    let ok = lexer.begin(&mut parser.ctx, name, bytes) && parser.parse_file(options.all_errors).is_ok();
    let ok = ok && !parser.ctx.eval.stopped;
    let included = parser.lex.included.iter().cloned().collect();
    let wants_newest = parser.lex.wants_newest;
    let ctx::Ctx { store, messages, origins, .. } = parser.ctx;
    (Records { store, messages, origins, ok, included, families: OnceLock::new() }, wants_newest)
}
