//! Typed reading of fields, with the messages that back ends give.

use super::{Checked, Problem};
use crate::ctx::Ctx;
use crate::loc::Loc;
use crate::names::Sym;
use crate::natural;
use crate::record::RecId;
use crate::value::{Kind, Val};

pub(super) fn class(ctx: &Ctx, name: &[u8]) -> Option<RecId> {
    ctx.names.find(name).and_then(|n| ctx.class_by_name.get(&n).copied())
}

/// The records of a class in the order of back ends.
pub(super) fn derived(ctx: &Ctx, class: RecId) -> Vec<RecId> {
    let mut defs: Vec<(Vec<u8>, RecId)> =
        ctx.defs.iter().filter(|&&d| ctx.is_subclass(d, class)).map(|&d| (ctx.rec_name(d), d)).collect();
    defs.sort_by(|a, b| natural::compare(&a.0, &b.0));
    defs.into_iter().map(|d| d.1).collect()
}

/// The records of a class that must exist.
pub(super) fn derived_of(ctx: &Ctx, name: &str) -> Checked<Vec<RecId>> {
    match class(ctx, name.as_bytes()) {
        Some(class) => Ok(derived(ctx, class)),
        None => Err(Problem::At(Loc::NONE, format!("The class '{name}' is not defined\n").into_bytes())),
    }
}

pub(super) fn place(ctx: &Ctx, rec: RecId, field: Sym) -> Option<usize> {
    ctx.shapes.look(ctx.rec(rec).shape, field)
}

/// The value of a field, if there is such a field.
pub(super) fn look(ctx: &Ctx, rec: RecId, field: &[u8]) -> Option<Val> {
    let at = place(ctx, rec, ctx.names.find(field)?)?;
    ctx.rec(rec).values.get(at).copied()
}

/// Where a field got its value; the record if there is no such field.
pub(super) fn field_loc(ctx: &Ctx, rec: RecId, field: &[u8]) -> Loc {
    let at = ctx.names.find(field).and_then(|n| place(ctx, rec, n));
    at.and_then(|at| ctx.rec(rec).field_locs.get(at).copied()).unwrap_or_else(|| ctx.rec(rec).loc())
}

fn missing(ctx: &Ctx, rec: RecId, field: &[u8]) -> Problem {
    let text = [b"Record `", ctx.rec_name(rec).as_slice(), b"' does not have a field named `", field, b"'!\n"].concat();
    Problem::In(rec, text)
}

fn wrong(ctx: &Ctx, rec: RecId, field: &[u8], what: &str) -> Problem {
    let name = ctx.rec_name(rec);
    let text = [b"Record `", name.as_slice(), b"', field `", field, b"' exists but does not have a ", what.as_bytes()];
    Problem::In(rec, text.concat())
}

pub(super) fn value(ctx: &Ctx, rec: RecId, field: &[u8]) -> Checked<Val> {
    look(ctx, rec, field).ok_or_else(|| missing(ctx, rec, field))
}

pub(super) fn is_unset(ctx: &Ctx, rec: RecId, field: &[u8]) -> Checked<bool> {
    Ok(value(ctx, rec, field)? == Val::UNSET)
}

pub(super) fn string(ctx: &Ctx, rec: RecId, field: &[u8]) -> Checked<Vec<u8>> {
    match look(ctx, rec, field) {
        None | Some(Val::UNSET) => Err(missing(ctx, rec, field)),
        Some(v) => match ctx.vals.as_str(v) {
            Some(text) => Ok(ctx.names.get(text).to_vec()),
            None => Err(wrong(ctx, rec, field, "string initializer!")),
        },
    }
}

/// A string that may be `?`.
pub(super) fn optional_string(ctx: &Ctx, rec: RecId, field: &[u8]) -> Checked<Option<Vec<u8>>> {
    if is_unset(ctx, rec, field)? { Ok(None) } else { string(ctx, rec, field).map(Some) }
}

pub(super) fn strings(ctx: &Ctx, rec: RecId, field: &[u8]) -> Checked<Vec<Sym>> {
    let v = value(ctx, rec, field)?;
    let Some(parts) = ctx.vals.as_list(v) else { return Err(wrong(ctx, rec, field, "list initializer!")) };
    let one = |&p: &u32| match ctx.vals.as_str(Val(p)) {
        Some(text) => Ok(text),
        None => {
            let Problem::In(rec, mut text) = wrong(ctx, rec, field, "list of strings value: ") else {
                return Err(missing(ctx, rec, field));
            };
            ctx.write_val(Val(p), &mut text);
            Err(Problem::In(rec, text))
        }
    };
    parts.iter().map(one).collect()
}

pub(super) fn bit(ctx: &Ctx, rec: RecId, field: &[u8]) -> Checked<bool> {
    let v = value(ctx, rec, field)?;
    match ctx.vals.kind(v) {
        Kind::Bit => Ok(v == Val::TRUE),
        _ => Err(wrong(ctx, rec, field, "bit initializer!")),
    }
}

pub(super) fn def(ctx: &Ctx, rec: RecId, field: &[u8]) -> Checked<RecId> {
    let v = value(ctx, rec, field)?;
    ctx.as_def(v).ok_or_else(|| wrong(ctx, rec, field, "def initializer!"))
}
