//! Enumerations, tables and lookup functions, gathered from the records.

use rustc_hash::FxHashMap;

use super::{All, Checked, Enum, Field, Index, Problem, Table, read, row};
use crate::limits;
use crate::loc::Loc;
use crate::names::Sym;
use crate::record::RecId;
use crate::store::Store;
use crate::ty::Ty;
use crate::value::{Val, ValueKind, flag};

/// Everything that the records ask for, in the order in which it is written.
pub(super) fn all(store: &mut Store) -> Checked<All> {
    need_target(store)?;
    let mut all = All::default();
    let mut enum_of = FxHashMap::default();
    for rec in read::derived_of(store, "GenericEnum")? {
        enum_of.insert(rec, all.enums.len());
        let made = generic_enum(store, rec)?;
        all.enums.push(made);
    }
    let mut table_of = FxHashMap::default();
    for rec in read::derived_of(store, "GenericTable")? {
        let table = generic_table(store, &mut all, &enum_of, rec)?;
        table_of.insert(rec, all.tables.len());
        all.tables.push(table);
    }
    for rec in read::derived_of(store, "SearchIndex")? {
        let of = read::def(store, rec, b"Table")?;
        let name = store.rec_name(rec);
        let Some(table) = table_of.get(&of).and_then(|&t| all.tables.get_mut(t)) else {
            let to = store.rec_name(of);
            let text = [b"SearchIndex '", name.as_slice(), b"' refers to nonexistent table '", to.as_slice()].concat();
            return Err(Problem::At(read::field_loc(store, rec, b"Table"), text));
        };
        let key = read::strings(store, rec, b"Key")?;
        let loc = read::field_loc(store, rec, b"Key");
        let early_out = read::bit(store, rec, b"EarlyOut")?;
        let made = index(store, table, name, loc, &key, early_out, false)?;
        table.indices.push(made);
    }
    old_tables(store, &mut all)?;
    Ok(all)
}

/// Instructions in tables are numbered with what the code generator knows of the target, so its classes must be there.
fn need_target(store: &Store) -> Checked<()> {
    if !read::class(store, b"Instruction").is_some_and(|c| store.defs.iter().any(|&d| store.is_subclass(d, c))) {
        return Ok(());
    }
    read::derived_of(store, "HwMode")?;
    read::derived_of(store, "HwModeSelect")?;
    match read::derived_of(store, "Target")?.len() {
        0 => Err(Problem::At(Loc::NONE, b"No 'Target' subclasses defined!".to_vec())),
        1 => Ok(()),
        _ => Err(Problem::At(Loc::NONE, b"Multiple subclasses of Target defined!".to_vec())),
    }
}

// ---- Enumerations ------------------------------------------------------------------------------------------------

fn generic_enum(store: &Store, rec: RecId) -> Checked<Enum> {
    let name_field = read::optional_string(store, rec, b"NameField")?.unwrap_or_default();
    let value_field = read::optional_string(store, rec, b"ValueField")?.unwrap_or_default();
    let filter = read::string(store, rec, b"FilterClass")?;
    let Some(class) = read::class(store, &filter) else {
        let text = [b"Enum FilterClass '", filter.as_slice(), b"' does not exist"].concat();
        return Err(Problem::At(read::field_loc(store, rec, b"FilterClass"), text));
    };
    let name = store.rec_name(rec);
    enumeration(store, name.clone(), name, class, &name_field, &value_field)
}

/// An enumeration of the records of a class. Without a field of values, entries are numbered by name.
fn enumeration(
    store: &Store,
    name: Vec<u8>,
    guard: Vec<u8>,
    class: RecId,
    name_field: &[u8],
    value_field: &[u8],
) -> Checked<Enum> {
    let mut items = Vec::new();
    for rec in read::derived(store, class) {
        let entry = if name_field.is_empty() { store.rec_name(rec) } else { read::string(store, rec, name_field)? };
        let value = match value_field {
            [] => 0,
            field => row::number(store, rec, read::value(store, rec, field)?)?,
        };
        items.push((entry, value, rec));
    }
    if value_field.is_empty() {
        items.sort_by(|a, b| a.0.cmp(&b.0));
        items.iter_mut().zip(0..).for_each(|(item, n)| item.1 = n);
    }
    let by_def = items.iter().enumerate().map(|(i, item)| (item.2, i)).collect();
    let entries = items.into_iter().map(|item| (item.0, item.1)).collect();
    Ok(Enum { name, class, guard, entries, by_def })
}

// ---- Tables ------------------------------------------------------------------------------------------------------

/// The columns of a table as far as its record says; types come from the rows.
fn columns(store: &mut Store, all: &All, enum_of: &FxHashMap<RecId, usize>, rec: RecId) -> Checked<Vec<Field>> {
    let mut fields = Vec::new();
    for name in read::strings(store, rec, b"Fields")? {
        let mut field = plain(name);
        let key = [b"TypeOf_", store.names.get(name)].concat();
        if let Some(v) = read::look(store, rec, &key) {
            let text = store.vals.as_str(v);
            let of = text.and_then(|t| store.def(t)).and_then(|d| enum_of.get(&d).copied());
            if text.is_some_and(|t| store.names.get(t) == b"code") {
                field.code = true;
            } else if let Some((of, class)) = of.and_then(|of| Some((of, all.enums.get(of)?.class))) {
                field.of = Some(of);
                field.ty = store.types.record(&[class]);
            } else {
                let table = store.rec_name(rec);
                let mut text = [b"Table '", table.as_slice(), b"' has invalid '", &key, b"': "].concat();
                store.write_val(v, &mut text);
                let note = b"The 'TypeOf_xxx' field must be a string naming a GenericEnum record, or \"code\"";
                return Err(Problem::Noted(read::field_loc(store, rec, &key), text, note));
            }
        }
        fields.push(field);
    }
    Ok(fields)
}

fn plain(name: Sym) -> Field {
    Field { name, ty: Ty::NONE, code: false, intrinsic: false, instruction: false, of: None }
}

fn generic_table(store: &mut Store, all: &mut All, enum_of: &FxHashMap<RecId, usize>, rec: RecId) -> Checked<Table> {
    let name = store.rec_name(rec);
    let row_type = read::string(store, rec, b"CppTypeName")?;
    let fields = columns(store, all, enum_of, rec)?;
    let filter = read::string(store, rec, b"FilterClass")?;
    let Some(class) = read::class(store, &filter) else {
        let text = [b"Table FilterClass '", filter.as_slice(), b"' does not exist"].concat();
        return Err(Problem::At(read::field_loc(store, rec, b"FilterClass"), text));
    };
    let mut rows = read::derived(store, class);
    let by = read::look(store, rec, b"FilterClassField").and_then(|v| store.vals.as_str(v));
    if let Some(by) = by {
        let by = store.names.get(by);
        let mut kept = Vec::new();
        for row in rows {
            let v = read::value(store, row, by)?;
            if store.vals.kind(v) != ValueKind::Bit {
                let text = [b"FilterClassField '", filter.as_slice(), b"' should be a bit value"].concat();
                return Err(Problem::At(read::field_loc(store, row, by), text));
            }
            if v == Val::TRUE {
                kept.push(row);
            }
        }
        rows = kept;
    }
    let mut table = Table {
        guard: name.clone(),
        name,
        rec,
        row_type,
        fields,
        rows: Vec::new(),
        primary: None,
        indices: Vec::new(),
    };
    add_rows(store, all, &mut table, rows)?;
    if !read::is_unset(store, rec, b"PrimaryKey")? {
        let function = read::string(store, rec, b"PrimaryKeyName")?;
        let key = read::strings(store, rec, b"PrimaryKey")?;
        let early_out = read::bit(store, rec, b"PrimaryKeyEarlyOut")?;
        let range = read::bit(store, rec, b"PrimaryKeyReturnRange")?;
        let loc = read::field_loc(store, rec, b"PrimaryKey");
        let primary = index(store, &table, function, loc, &key, early_out, range)?;
        all.sort(store, &mut table.rows, &primary.fields, loc)?;
        table.primary = Some(primary);
    }
    Ok(table)
}

/// Takes the rows of a table: finds the types of the columns, and sorts by all of them.
fn add_rows(store: &mut Store, all: &mut All, table: &mut Table, rows: Vec<RecId>) -> Checked<()> {
    if rows.is_empty() {
        return Err(Problem::In(table.rec, [b"Table '", table.name.as_slice(), b"' has no entries"].concat()));
    }
    all.rows += rows.len() * table.fields.len().max(1);
    if all.rows > limits::MAX_TABLE_CELLS {
        return Err(Problem::In(table.rec, b"the tables have too many rows".to_vec()));
    }
    for &rec in &rows {
        for field in &mut table.fields {
            let name = store.names.get(field.name).to_vec();
            let v = read::value(store, rec, &name)?;
            let ty = store.vals.ty(v);
            if ty == Ty::NONE || store.vals.flags(v) & flag::COMPLETE == 0 {
                let own = store.rec_name(rec);
                let parts: [&[u8]; 7] =
                    [b"Record '", &own, b"' for table '", &table.name, b"' is missing field '", &name, b"'"];
                return Err(Problem::In(rec, parts.concat()));
            }
            if field.ty == Ty::NONE {
                field.ty = ty;
            } else if field.ty != ty {
                field.ty = store.common_ty(field.ty, ty).ok_or_else(|| {
                    let (ty, old) = (store.ty_text(ty), store.ty_text(field.ty));
                    let start = [b"Field '", name.as_slice(), b"' of table '", table.name.as_slice()].concat();
                    let parts: [&[u8]; 5] = [&start, b"' entry has incompatible type: ", &ty, b" vs. ", &old];
                    Problem::At(read::field_loc(store, rec, &name), parts.concat())
                })?;
            }
        }
    }
    table.rows = rows;
    let of = |store: &mut Store, ty: Ty, name: &[u8]| {
        let class = read::class(store, name).filter(|_| ty.is_record());
        class.is_some_and(|c| {
            let whole = store.types.record(&[c]);
            store.convertible(ty, whole)
        })
    };
    for field in &mut table.fields {
        field.intrinsic = of(store, field.ty, b"Intrinsic");
        field.instruction = !field.intrinsic && of(store, field.ty, b"Instruction");
    }
    all.sort(store, &mut table.rows, &table.fields, Loc::NONE)
}

fn index(
    store: &Store,
    table: &Table,
    name: Vec<u8>,
    loc: Loc,
    key: &[Sym],
    early_out: bool,
    range: bool,
) -> Checked<Index> {
    let mut fields = Vec::new();
    for &column in key {
        let Some(field) = table.fields.iter().find(|f| f.name == column) else {
            let parts: [&[u8]; 5] = [
                b"In table '",
                &table.name,
                b"', 'PrimaryKey' or 'Key' refers to nonexistent field '",
                store.names.get(column),
                b"'",
            ];
            return Err(Problem::At(loc, parts.concat()));
        };
        fields.push(field.clone());
    }
    if fields.is_empty() {
        return Err(Problem::At(loc, [b"In table '", table.name.as_slice(), b"', a key has no fields"].concat()));
    }
    if early_out && fields.first().is_some_and(|f| f.ty == Ty::STRING) {
        let why = b"', early-out is not supported for a first key field of type string";
        return Err(Problem::At(loc, [b"In lookup method '", name.as_slice(), why].concat()));
    }
    Ok(Index { name, loc, fields, early_out, range })
}

// ---- Classes made from SearchableTable ---------------------------------------------------------------------------

/// The old way: a class is a table of its records, and an enumeration of their names.
fn old_tables(store: &mut Store, all: &mut All) -> Checked<()> {
    let Some(base) = read::class(store, b"SearchableTable") else { return Ok(()) };
    for class in store.sorted_classes() {
        if !store.is_subclass(class, base) || store.supers.get(store.rec(class).supers).list.len() != 1 {
            continue;
        }
        let name = store.rec_name(class);
        let guard = name.to_ascii_uppercase();
        if let Some(names) = read::optional_string(store, class, b"EnumNameField")? {
            let values = read::optional_string(store, class, b"EnumValueField")?.unwrap_or_default();
            let enum_name = [name.as_slice(), b"Values"].concat();
            let made = enumeration(store, enum_name, guard.clone(), class, &names, &values)?;
            all.enums.push(made);
        }
        let own: [&[u8]; 3] = [b"SearchableFields", b"EnumNameField", b"EnumValueField"];
        let columns = &store.shapes.get(store.rec(class).shape).fields;
        let columns = columns.iter().filter(|f| !own.contains(&store.names.get(f.name)));
        let mut table = Table {
            name: [name.as_slice(), b"sList"].concat(),
            rec: class,
            guard,
            row_type: name.clone(),
            fields: columns.map(|f| plain(f.name)).collect(),
            rows: Vec::new(),
            primary: None,
            indices: Vec::new(),
        };
        let rows = read::derived(store, class);
        add_rows(store, all, &mut table, rows)?;
        for field in read::strings(store, class, b"SearchableFields")? {
            let text = store.names.get(field);
            let function = [b"lookup", name.as_slice(), b"By", text].concat();
            let loc = read::field_loc(store, class, text);
            let made = index(store, &table, function, loc, &[field], false, false)?;
            table.indices.push(made);
        }
        all.tables.push(table);
    }
    Ok(())
}
