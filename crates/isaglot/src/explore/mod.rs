//! What a page asks about a description: the explorer's answers, as JSON.
//!
//! The problem: the page is one, and asks the program over HTTP or the engine as WebAssembly. The invariant: both give the same bytes. The
//! method: a [`Question`] is read from text once, and [`Asker`] answers it from a plan; who asks only keeps the plan. A word's answer holds
//! what `isaglot explain --json` says of it, unchanged ([`Asker::ask`]); a program's is the tree of its listing.

mod ask;
mod field;
pub mod limits;
mod list;
#[cfg(feature = "spirv-listing")]
pub mod spirv;
mod start;
mod typed;

pub use ask::Asker;
pub use typed::pasted;

use isaglot_codec::Plan;
use isaglot_source::{Diagnostics, SourceMap, render};
use serde_json::{Value, json};

pub use start::{example, examples, status, switched};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// The one box: a word, assembly or a pattern.
    Ask(String),
    /// Several lines: assembly, or a dump of bytes.
    Typed(String),
    /// What may come next in a line of assembly.
    Next(String),
    /// The listing of a program. Without `defs` it has no dataflow, which takes most of the time.
    List {
        /// The program.
        bytes: Vec<u8>,
        /// With dataflow.
        defs: bool,
        /// Of the code only so many bytes: what a page shows while the whole is made.
        first: Option<usize>,
    },
    /// The mnemonics, each with an example.
    Mnemonics,
    /// The values of a table: its kind, `enum` or `file`, and its number.
    Values(String, usize),
}

/// The answer to a question, as JSON. `printing` prints listings, with aliases where they are wanted.
pub fn answer(asker: &mut Asker<'_, '_, '_, '_>, printing: &Plan<'_>, question: &Question) -> String {
    let value = match question {
        Question::Ask(text) => asker.ask(text),
        Question::Typed(text) => asker.typed(text),
        Question::Next(text) => asker.next(text),
        Question::List { bytes, defs, first } => {
            let wanted = list::Wanted { defs: *defs, first: *first };
            #[cfg(feature = "xe")]
            if let Some(xe) = &mut asker.xe {
                return list::kernels(xe, bytes.clone(), wanted);
            }
            return list::listed(printing, asker.kind, bytes.clone(), wanted);
        }
        Question::Mnemonics => start::mnemonics(asker.plan),
        Question::Values(table, id) => field::values(asker.plan.isa(), table, *id),
    };
    value.to_string()
}

/// A problem as the command line draws it.
#[must_use]
pub fn problem(files: &SourceMap, problems: &Diagnostics) -> Value {
    let text: String = problems.iter().map(|d| render::text(files, d, false)).collect();
    json!({ "kind": "error", "message": text })
}
