//! The C++ text of enumerations, tables and lookup functions.

use std::collections::BTreeSet;
use std::io::Write;

use super::{All, Checked, Enum, Field, Index, Problem, Table, read};
use isaglot_invariant::Impossible as _;

use crate::store::Store;
use crate::ty::Ty;

/// Where a type stands.
#[derive(Clone, Copy)]
enum Place {
    Row,
    Key,
    Argument,
}

/// Text, and the macros that guard it.
struct Output<'a> {
    store: &'a Store,
    text: Vec<u8>,
    guards: BTreeSet<Vec<u8>>,
}

/// Adds pieces of text one after the other.
macro_rules! put {
    ($out:expr, $($piece:expr),+ $(,)?) => {
        { $( $out.text.extend_from_slice($piece.as_ref()); )+ }
    };
}

pub(super) fn all(store: &Store, all: &mut All) -> Checked<Vec<u8>> {
    let mut out = Output { store, text: Vec::new(), guards: BTreeSet::new() };
    for e in &all.enums {
        out.enumeration(e);
    }
    let tables = std::mem::take(&mut all.tables);
    for table in &tables {
        out.table(all, table)?;
    }
    // A macro may guard several parts, so they are taken back only at the end.
    for guard in std::mem::take(&mut out.guards) {
        put!(out, "#undef ", guard, "\n");
    }
    Ok(out.text)
}

impl<'a> Output<'a> {
    fn name(&self, field: &Field) -> &'a [u8] {
        self.store.names.get(field.name)
    }

    fn begin(&mut self, guard: &[u8], what: &str) {
        let guard = [b"GET_", guard, what.as_bytes()].concat();
        put!(self, "#ifdef ", guard, "\n");
        self.guards.insert(guard);
    }

    fn enumeration(&mut self, e: &Enum) {
        self.begin(&e.guard, "_DECL");
        put!(self, "enum ", e.name, " {\n");
        for (name, value) in &e.entries {
            put!(self, "  ", name, " = ");
            // A vector takes everything.
            let _ = write!(self.text, "{value}");
            put!(self, ",\n");
        }
        put!(self, "};\n#endif\n\n");
    }

    fn table(&mut self, all: &mut All, table: &Table) -> Checked<()> {
        self.begin(&table.guard, "_DECL");
        for index in table.primary.iter().chain(&table.indices) {
            self.declaration(table, index)?;
            put!(self, ";\n");
        }
        put!(self, "#endif\n\n");
        self.begin(&table.guard, "_IMPL");
        put!(self, "constexpr ", table.row_type, " ", table.name, "[] = {\n");
        let loc = self.store.rec(table.rec).loc();
        for (i, &rec) in table.rows.iter().enumerate() {
            put!(self, "  { ");
            for (column, field) in table.fields.iter().enumerate() {
                if column > 0 {
                    put!(self, ", ");
                }
                let value = read::value(self.store, rec, self.name(field))?;
                put!(self, all.cpp(self.store, field, loc, rec, value)?);
            }
            let _ = writeln!(self.text, " }}, // {i}");
        }
        put!(self, " };\n");
        if let Some(primary) = &table.primary {
            self.function(all, table, primary, true)?;
        }
        for index in &table.indices {
            self.function(all, table, index, false)?;
        }
        put!(self, "#endif\n\n");
        Ok(())
    }

    fn declaration(&mut self, table: &Table, index: &Index) -> Checked<()> {
        if index.range {
            put!(self, "llvm::iterator_range<const ", table.row_type, " *> ");
        } else {
            put!(self, "const ", table.row_type, " *");
        }
        put!(self, index.name, "(");
        for (i, field) in index.fields.iter().enumerate() {
            if i > 0 {
                put!(self, ", ");
            }
            put!(self, self.type_of(table, index, field, Place::Argument)?, " ", self.name(field));
        }
        put!(self, ")");
        Ok(())
    }

    fn type_of(&self, table: &Table, index: &Index, field: &Field, place: Place) -> Checked<&'static str> {
        let problem = |what: &[u8]| {
            let head = [b"In table '", table.name.as_slice(), b"' lookup method '", &index.name].concat();
            let text = [head.as_slice(), b"', key field '", self.name(field), b"' ", what].concat();
            Err(Problem::At(index.loc, text))
        };
        match (field.ty, place) {
            (Ty::STRING, Place::Row) => Ok("const char *"),
            (Ty::STRING, Place::Key) => Ok("std::string"),
            (Ty::STRING, Place::Argument) => Ok("StringRef"),
            (ty, _) => match ty.width() {
                Some(..=8) => Ok("uint8_t"),
                Some(..=16) => Ok("uint16_t"),
                Some(..=32) => Ok("uint32_t"),
                Some(..=64) => Ok("uint64_t"),
                Some(_) => problem(b"of type bits is too large"),
                None if ty == Ty::BIT => Ok("bool"),
                None if field.of.is_some() || field.intrinsic || field.instruction => Ok("unsigned"),
                None => problem(&[b"has invalid type: ", self.store.ty_text(ty).as_slice()].concat()),
            },
        }
    }

    /// Members of a struct that holds a key.
    fn members(&mut self, table: &Table, index: &Index, place: Place) -> Checked<()> {
        for field in &index.fields {
            put!(self, "    ", self.type_of(table, index, field, place)?, " ", self.name(field), ";\n");
        }
        Ok(())
    }

    /// A lookup function: for the primary key over the table itself, for others over an index that is written first.
    fn function(&mut self, all: &mut All, table: &Table, index: &Index, primary: bool) -> Checked<()> {
        put!(self, "\n");
        self.declaration(table, index)?;
        put!(self, " {\n");
        let mut rows = table.rows.clone();
        if !primary {
            self.index_rows(all, table, index, &mut rows)?;
        }
        let array: &[u8] = if primary { &table.name } else { b"Index" };
        let (Some(field), Some(&first), Some(&last)) = (index.fields.first(), rows.first(), rows.last()) else {
            return Ok(());
        };
        let in_key = |all: &All, rec| {
            let value = read::value(self.store, rec, self.name(field))?;
            all.cpp(self.store, field, index.loc, rec, value)
        };
        let dense = self.dense(all, index, &rows)?;
        if dense || index.early_out {
            let (low, high) = (in_key(all, first)?, in_key(all, last)?);
            let name = self.name(field);
            put!(self, "  if ((", name, " < ", low, ") ||\n      (", name, " > ", high, "))\n    return nullptr;\n");
            if dense {
                put!(self, "  auto Table = ArrayRef(", array, ");\n  size_t Idx = ", name, " - ", low, ";\n");
                if primary {
                    put!(self, "  return &Table[Idx];\n}\n");
                } else {
                    put!(self, "  return &", table.name, "[Table[Idx]._index];\n}\n");
                }
                return Ok(());
            }
            put!(self, "\n");
        }
        self.search(table, index, array, primary)
    }

    fn index_rows(
        &mut self,
        all: &All,
        table: &Table,
        index: &Index,
        rows: &mut [crate::record::RecId],
    ) -> Checked<()> {
        put!(self, "  struct IndexType {\n");
        self.members(table, index, Place::Row)?;
        put!(self, "    unsigned _index;\n  };\n  static const struct IndexType Index[] = {\n");
        let place: rustc_hash::FxHashMap<_, _> = rows.iter().enumerate().map(|(i, &rec)| (rec, i)).collect();
        all.sort(self.store, rows, &index.fields, index.loc)?;
        for &rec in rows.iter() {
            put!(self, "    { ");
            for field in &index.fields {
                put!(self, all.cpp_key(self.store, field, index.loc, rec)?, ", ");
            }
            let _ = writeln!(self.text, "{} }},", place.get(&rec).copied().or_impossible(0));
        }
        put!(self, "  };\n\n");
        Ok(())
    }

    /// Whether the keys are numbers without a gap, so that the place can be computed.
    fn dense(&self, all: &mut All, index: &Index, rows: &[crate::record::RecId]) -> Checked<bool> {
        let [field] = index.fields.as_slice() else { return Ok(false) };
        if field.of.is_none() && field.ty.width().is_none() && !field.instruction {
            return Ok(false);
        }
        let Some(&first) = rows.first() else { return Ok(false) };
        let from = all.key_number(self.store, field, index.loc, first)?;
        for (&rec, i) in rows.iter().zip(0i64..) {
            if all.key_number(self.store, field, index.loc, rec)? != from.wrapping_add(i) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn comparison(&mut self, index: &Index, left: &[u8], right: &[u8]) {
        put!(self, "    bool operator()(const ", left, " &LHS, const ", right, " &RHS) const {\n");
        for field in &index.fields {
            let n = self.name(field);
            if field.ty == Ty::STRING {
                put!(self, "      int Cmp", n, " = StringRef(LHS.", n, ").compare(RHS.", n, ");\n");
                put!(self, "      if (Cmp", n, " < 0) return true;\n      if (Cmp", n, " > 0) return false;\n");
                continue;
            }
            // Whether an enumeration is signed is the compiler's choice.
            let cast = if field.of.is_some() { "(unsigned)" } else { "" };
            for (sign, answer) in [(" < ", "true"), (" > ", "false")] {
                put!(self, "      if (", cast, "LHS.", n, sign, cast, "RHS.", n, ")\n        return ", answer, ";\n");
            }
        }
        put!(self, "      return false;\n    }\n");
    }

    fn search(&mut self, table: &Table, index: &Index, array: &[u8], primary: bool) -> Checked<()> {
        put!(self, "  struct KeyType {\n");
        self.members(table, index, Place::Key)?;
        put!(self, "  };\n  KeyType Key = {");
        for (i, field) in index.fields.iter().enumerate() {
            put!(self, if i > 0 { ", " } else { "" }, self.name(field));
            if field.ty == Ty::STRING {
                put!(self, ".upper()");
                if primary {
                    let head = [b"In table '", table.name.as_slice()].concat();
                    let why = b"', use a secondary lookup method for case-insensitive comparison of field '";
                    let text = [head.as_slice(), why, self.name(field), b"'"].concat();
                    return Err(Problem::At(index.loc, text));
                }
            }
        }
        put!(self, "};\n  struct Comp {\n");
        let row: &[u8] = if primary { &table.row_type } else { b"IndexType" };
        self.comparison(index, row, b"KeyType");
        if index.range {
            self.comparison(index, b"KeyType", row);
        }
        put!(self, "  };\n  auto Table = ArrayRef(", array, ");\n");
        let (place, what) = if index.range { ("It", "equal_range") } else { ("Idx", "lower_bound") };
        put!(self, "  auto ", place, " = std::", what, "(Table.begin(), Table.end(), Key, Comp());\n");
        if index.range {
            put!(self, "  return llvm::make_range(It.first, It.second);\n}\n");
            return Ok(());
        }
        put!(self, "  if (Idx == Table.end()");
        for field in &index.fields {
            let name = self.name(field);
            put!(self, " ||\n      Key.", name, " != Idx->", name);
        }
        put!(self, ")\n    return nullptr;\n\n");
        if primary {
            put!(self, "  return &*Idx;\n}\n");
        } else {
            put!(self, "  return &", table.name, "[Idx->_index];\n}\n");
        }
        Ok(())
    }
}
