//! What a value looks like in C++, and how rows are ordered by the columns of a key.
//!
//! The parts of a row's key are made once, before sorting. A part that cannot be made counts only if it is compared, so
//! it is kept as a problem until then.

use std::cmp::Ordering;

use super::{All, Checked, Field, Problem, read};
use crate::loc::Loc;
use crate::record::RecId;
use crate::store::Store;
use crate::ty::Ty;
use crate::value::{Val, ValueKind};

/// One column of a key. All rows have the same kind of part in the same column.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(i64),
    Text(Vec<u8>),
    /// Prefix, then name.
    Intrinsic(Vec<u8>, Vec<u8>),
    /// Those that are not pseudo instructions come last.
    Instruction(bool, Vec<u8>),
}

/// The number that a field of type `int` or `bits` is.
pub(super) fn number(store: &Store, rec: RecId, v: Val) -> Checked<i64> {
    let number = match store.vals.kind(v) {
        ValueKind::Bits => store.vals.bits_int(v),
        _ => store.vals.as_int(v),
    };
    let text = || [b"the number that a table needs is not known: ", store.val_text(v).as_slice()].concat();
    number.ok_or_else(|| Problem::In(rec, text()))
}

fn upper(mut text: Vec<u8>) -> Vec<u8> {
    text.make_ascii_uppercase();
    text
}

/// The name of an intrinsic in C++.
fn intrinsic(store: &Store, def: RecId) -> Checked<Vec<u8>> {
    let name = store.rec_name(def);
    match name.strip_prefix(b"int_") {
        Some(rest) => Ok(rest.to_vec()),
        None => {
            let text = [b"Intrinsic '", name.as_slice(), b"' does not start with 'int_'!"].concat();
            Err(Problem::In(def, text))
        }
    }
}

impl All {
    /// The entry of an enumeration that a value is.
    fn entry(&self, store: &Store, field: &Field, loc: Loc, v: Val) -> Checked<&(Vec<u8>, i64)> {
        let found = field.of.and_then(|e| {
            let all = &self.enums.get(e)?;
            all.entries.get(*all.by_def.get(&store.as_def(v)?)?)
        });
        let text = || [b"Entry for field '", store.names.get(field.name), b"' is null"].concat();
        found.ok_or_else(|| Problem::At(loc, text()))
    }

    /// A value in C++.
    pub(super) fn cpp(&self, store: &Store, field: &Field, loc: Loc, rec: RecId, v: Val) -> Checked<Vec<u8>> {
        match store.vals.kind(v) {
            ValueKind::Str => {
                let text = store.vals.as_str(v).map_or(&[][..], |s| store.names.get(s));
                let verbatim = field.code || store.vals.is_code(v);
                return Ok(if verbatim { text.to_vec() } else { [b"\"", text, b"\""].concat() });
            }
            ValueKind::Bits => return number(store, rec, v).map(|n| format!("0x{n:X}").into_bytes()),
            ValueKind::Bit => return Ok(if v == Val::TRUE { b"true".to_vec() } else { b"false".to_vec() }),
            _ => {}
        }
        if let Some(def) = store.as_def(v) {
            if field.intrinsic {
                return Ok([b"Intrinsic::", intrinsic(store, def)?.as_slice()].concat());
            }
            if field.instruction {
                return Ok(store.rec_name(def));
            }
            if field.of.is_some() {
                return self.entry(store, field, loc, v).map(|e| e.0.clone());
            }
        }
        let name = store.names.get(field.name);
        let text = [b"invalid field type for field '", name, b"'; expected: bit, bits, string, or code"].concat();
        Err(Problem::At(loc, text))
    }

    /// The same as the index of a lookup function holds it: strings in capitals.
    pub(super) fn cpp_key(&self, store: &Store, field: &Field, loc: Loc, rec: RecId) -> Checked<Vec<u8>> {
        let v = read::value(store, rec, store.names.get(field.name))?;
        let text = self.cpp(store, field, loc, rec, v)?;
        Ok(if field.ty == Ty::STRING { upper(text) } else { text })
    }

    fn part(&self, store: &Store, field: &Field, loc: Loc, rec: RecId) -> Checked<Part> {
        let v = read::value(store, rec, store.names.get(field.name))?;
        if field.ty == Ty::INT || field.ty.width().is_some() {
            return number(store, rec, v).map(Part::Number);
        }
        if let Some(def) = store.as_def(v) {
            if field.intrinsic {
                let name = match read::look(store, def, b"LLVMName").and_then(|v| store.vals.as_str(v)) {
                    Some(text) if !store.names.get(text).is_empty() => store.names.get(text).to_vec(),
                    _ => [b"llvm.", intrinsic(store, def)?.as_slice()].concat().iter().map(dotted).collect(),
                };
                return Ok(Part::Intrinsic(read::string(store, def, b"TargetPrefix")?, name));
            }
            if field.instruction {
                return Ok(Part::Instruction(!read::bit(store, def, b"isPseudo")?, store.rec_name(def)));
            }
            if field.of.is_some() {
                return self.entry(store, field, loc, v).map(|e| Part::Number(e.1));
            }
        }
        self.cpp_key(store, field, loc, rec).map(Part::Text)
    }

    /// Sorts rows by these columns; rows that are equal in them stay in order.
    pub(super) fn sort(&self, store: &Store, rows: &mut [RecId], fields: &[Field], loc: Loc) -> Checked<()> {
        if rows.len() < 2 {
            return Ok(());
        }
        let key = |&rec: &RecId| -> (Vec<Checked<Part>>, RecId) {
            (fields.iter().map(|f| self.part(store, f, loc, rec)).collect(), rec)
        };
        let mut keyed: Vec<_> = rows.iter().map(key).collect();
        let mut compared = None;
        keyed.sort_by(|a, b| {
            for (i, (x, y)) in a.0.iter().zip(&b.0).enumerate() {
                match (x, y) {
                    (Ok(x), Ok(y)) if x == y => {}
                    (Ok(x), Ok(y)) => return x.cmp(y),
                    (Err(_), _) => {
                        compared.get_or_insert((a.1, i));
                        return Ordering::Equal;
                    }
                    (_, Err(_)) => {
                        compared.get_or_insert((b.1, i));
                        return Ordering::Equal;
                    }
                }
            }
            Ordering::Equal
        });
        if let Some((rec, column)) = compared {
            for (parts, row) in keyed {
                if row == rec
                    && let Some(Err(problem)) = parts.into_iter().nth(column)
                {
                    return Err(problem);
                }
            }
            return Ok(());
        }
        for (slot, (_, rec)) in rows.iter_mut().zip(keyed) {
            *slot = rec;
        }
        Ok(())
    }

    /// The number of a row in a key of one column, for the question whether the rows are numbered without a gap.
    pub(super) fn key_number(&mut self, store: &Store, field: &Field, loc: Loc, rec: RecId) -> Checked<i64> {
        let name = store.names.get(field.name);
        if field.instruction {
            if self.instructions.is_empty() {
                self.number_instructions(store)?;
            }
            let def = read::def(store, rec, name)?;
            let number = self.instructions.get(&def).copied();
            return number.ok_or_else(|| Problem::In(def, b"this is not an instruction".to_vec()));
        }
        if field.of.is_some() {
            let v = read::value(store, rec, name)?;
            return self.entry(store, field, loc, v).map(|e| e.1);
        }
        number(store, rec, read::value(store, rec, name)?)
    }

    /// Numbers all instructions as LLVM's enumeration does: those that all targets have, pseudo instructions, others.
    /// (The first group has a fixed order of its own; here it is that of their definition.)
    fn number_instructions(&mut self, store: &Store) -> Checked<()> {
        let mut order = Vec::new();
        for def in read::derived_of(store, "Instruction")? {
            let own = read::string(store, def, b"Namespace").is_ok_and(|n| n != b"TargetOpcode");
            let key =
                if own { (read::bit(store, def, b"isPseudo").ok(), store.rec_name(def)) } else { (None, Vec::new()) };
            let group = match key.0 {
                None => 0,
                Some(true) => 1,
                Some(false) => 2,
            };
            order.push((group, key.1, def));
        }
        order.sort();
        self.instructions = order.into_iter().zip(0..).map(|((_, _, def), n)| (def, n)).collect();
        Ok(())
    }
}

fn dotted(c: &u8) -> u8 {
    if *c == b'_' { b'.' } else { *c }
}
