//! C++ tables that can be searched: what records of the classes `GenericEnum`, `GenericTable` and `SearchIndex`, and
//! classes made from `SearchableTable`, ask for. This is the one generator of C++ that belongs to the language and not to
//! LLVM's code generator, and back ends of all kinds use it.
//!
//! First everything is collected ([`collect`]), then written ([`emit`]); so nothing is printed if something is wrong.
//! What a value looks like in C++ and how rows are ordered is in [`row`].

mod collect;
mod emit;
mod read;
mod row;

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::Records;
use crate::loc::Loc;
use crate::names::Sym;
use crate::record::RecId;
use crate::ty::Ty;

/// What is wrong, and where.
pub(super) enum Problem {
    /// At one place.
    At(Loc, Vec<u8>),
    /// At a record and the `defm`s that made it.
    In(RecId, Vec<u8>),
    /// At one place, with a note that has none.
    Noted(Loc, Vec<u8>, &'static [u8]),
}

type Checked<T> = Result<T, Problem>;

/// An enumeration.
struct Enum {
    name: Vec<u8>,
    class: RecId,
    guard: Vec<u8>,
    entries: Vec<(Vec<u8>, i64)>,
    /// The entry of a record.
    by_def: FxHashMap<RecId, usize>,
}

/// A column of a table.
#[derive(Clone)]
struct Field {
    name: Sym,
    ty: Ty,
    /// Written as it is, without quotes.
    code: bool,
    intrinsic: bool,
    instruction: bool,
    of: Option<usize>,
}

/// A lookup function.
struct Index {
    name: Vec<u8>,
    loc: Loc,
    fields: Vec<Field>,
    early_out: bool,
    range: bool,
}

/// A table and the functions that search it.
struct Table {
    name: Vec<u8>,
    /// The record or class that asks for it.
    rec: RecId,
    guard: Vec<u8>,
    row_type: Vec<u8>,
    fields: Vec<Field>,
    rows: Vec<RecId>,
    primary: Option<Index>,
    indices: Vec<Index>,
}

/// Everything that is to be written.
#[derive(Default)]
struct All {
    enums: Vec<Enum>,
    tables: Vec<Table>,
    /// Numbers of instructions, once asked for.
    instructions: FxHashMap<RecId, i64>,
    /// Rows of all tables so far.
    rows: usize,
}

/// Prints the enumerations and tables that the records ask for, as `llvm-tblgen --gen-searchable-tables` does.
///
/// # Errors
///
/// Those of the output.
pub fn print_searchable_tables(records: &mut Records, out: &mut dyn Write) -> io::Result<()> {
    let store = &mut records.store;
    match collect::all(store).and_then(|mut all| emit::all(store, &mut all)) {
        Ok(text) => return out.write_all(&text),
        Err(Problem::At(loc, text)) => records.fail_at(loc, CODE, &text),
        Err(Problem::In(rec, text)) => records.fail_in(rec, CODE, &text),
        Err(Problem::Noted(loc, text, note)) => {
            records.messages.error(&records.store.places, loc, CODE, &text);
            records.messages.note(&records.store.places, Loc::NONE, note);
            records.close();
        }
    }
    Ok(())
}

const CODE: &str = "tblgen-table";
