//! Typed reading of fields, with the messages that back ends give.

use super::{Checked, Problem};
use crate::loc::Loc;
use crate::names::Sym;
use crate::natural;
use crate::record::RecId;
use crate::store::Store;
use crate::value::{Val, ValueKind};

pub(super) fn class(store: &Store, name: &[u8]) -> Option<RecId> {
    store.names.find(name).and_then(|n| store.class_by_name.get(&n).copied())
}

/// The records of a class in the order of back ends.
pub(super) fn derived(store: &Store, class: RecId) -> Vec<RecId> {
    let mut defs: Vec<(Vec<u8>, RecId)> =
        store.defs.iter().filter(|&&d| store.is_subclass(d, class)).map(|&d| (store.rec_name(d), d)).collect();
    defs.sort_by(|a, b| natural::compare(&a.0, &b.0));
    defs.into_iter().map(|d| d.1).collect()
}

/// The records of a class that must exist.
pub(super) fn derived_of(store: &Store, name: &str) -> Checked<Vec<RecId>> {
    match class(store, name.as_bytes()) {
        Some(class) => Ok(derived(store, class)),
        None => Err(Problem::At(Loc::NONE, format!("The class '{name}' is not defined\n").into_bytes())),
    }
}

pub(super) fn place(store: &Store, rec: RecId, field: Sym) -> Option<usize> {
    store.shapes.look(store.rec(rec).shape, field)
}

/// The value of a field, if there is such a field.
pub(super) fn look(store: &Store, rec: RecId, field: &[u8]) -> Option<Val> {
    let at = place(store, rec, store.names.find(field)?)?;
    store.rec(rec).values.get(at).copied()
}

/// Where a field got its value; the record if there is no such field.
pub(super) fn field_loc(store: &Store, rec: RecId, field: &[u8]) -> Loc {
    let at = store.names.find(field).and_then(|n| place(store, rec, n));
    at.and_then(|at| store.field_loc(rec, at)).unwrap_or_else(|| store.rec(rec).loc())
}

fn missing(store: &Store, rec: RecId, field: &[u8]) -> Problem {
    let text =
        [b"Record `", store.rec_name(rec).as_slice(), b"' does not have a field named `", field, b"'!\n"].concat();
    Problem::In(rec, text)
}

fn wrong(store: &Store, rec: RecId, field: &[u8], what: &str) -> Problem {
    let name = store.rec_name(rec);
    let text = [b"Record `", name.as_slice(), b"', field `", field, b"' exists but does not have a ", what.as_bytes()];
    Problem::In(rec, text.concat())
}

pub(super) fn value(store: &Store, rec: RecId, field: &[u8]) -> Checked<Val> {
    look(store, rec, field).ok_or_else(|| missing(store, rec, field))
}

pub(super) fn is_unset(store: &Store, rec: RecId, field: &[u8]) -> Checked<bool> {
    Ok(value(store, rec, field)? == Val::UNSET)
}

pub(super) fn string(store: &Store, rec: RecId, field: &[u8]) -> Checked<Vec<u8>> {
    match look(store, rec, field) {
        None | Some(Val::UNSET) => Err(missing(store, rec, field)),
        Some(v) => match store.vals.as_str(v) {
            Some(text) => Ok(store.names.get(text).to_vec()),
            None => Err(wrong(store, rec, field, "string initializer!")),
        },
    }
}

/// A string that may be `?`.
pub(super) fn optional_string(store: &Store, rec: RecId, field: &[u8]) -> Checked<Option<Vec<u8>>> {
    if is_unset(store, rec, field)? { Ok(None) } else { string(store, rec, field).map(Some) }
}

pub(super) fn strings(store: &Store, rec: RecId, field: &[u8]) -> Checked<Vec<Sym>> {
    let v = value(store, rec, field)?;
    let Some(parts) = store.vals.as_list(v) else { return Err(wrong(store, rec, field, "list initializer!")) };
    let one = |&p: &u32| match store.vals.as_str(Val(p)) {
        Some(text) => Ok(text),
        None => {
            let Problem::In(rec, mut text) = wrong(store, rec, field, "list of strings value: ") else {
                return Err(missing(store, rec, field));
            };
            store.write_val(Val(p), &mut text);
            Err(Problem::In(rec, text))
        }
    };
    parts.iter().map(one).collect()
}

pub(super) fn bit(store: &Store, rec: RecId, field: &[u8]) -> Checked<bool> {
    let v = value(store, rec, field)?;
    match store.vals.kind(v) {
        ValueKind::Bit => Ok(v == Val::TRUE),
        _ => Err(wrong(store, rec, field, "bit initializer!")),
    }
}

pub(super) fn def(store: &Store, rec: RecId, field: &[u8]) -> Checked<RecId> {
    let v = value(store, rec, field)?;
    store.as_def(v).ok_or_else(|| wrong(store, rec, field, "def initializer!"))
}
