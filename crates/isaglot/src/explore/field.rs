//! What a page needs to know of a field of a word: its bits in the instruction, wherever it is nested, how its value reads, the values
//! that it can have, and what the description says of it and of the encoding.

use isaglot_model::{Encoding, EncodingId, Field, FieldType, Isa, Name};
use serde_json::{Map, Value, json};

use super::limits::MAX_VALUES;
use crate::explain::{Explained, plain_hex};

/// A field, wherever it is nested.
pub(super) struct FieldPlace {
    pub(super) path: String,
    pub(super) name: String,
    /// Its bits in the instruction word, the most significant first.
    pub(super) bits: Vec<u32>,
    value: String,
    pub(super) text: String,
    /// What else is known of it: members of the answer.
    more: Map<String, Value>,
}

impl FieldPlace {
    /// For a page.
    pub(super) fn json(&self) -> Value {
        let mut all = json!({ "path": self.path, "bits": self.bits, "value": self.value, "text": self.text });
        if let Value::Object(all) = &mut all {
            all.extend(self.more.clone());
        }
        all
    }
}

/// All fields of a match. `bits[n]` is the place of bit `n` of the word that `found` is, in the instruction word.
pub(super) fn collect(isa: &Isa, found: &Explained, bits: &[u32], above: &str, out: &mut Vec<FieldPlace>) {
    for field in &found.fields {
        let name = isa.shown(field.name);
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
        let places = field.ranges.iter().flat_map(|r| (r.lo..r.end()).rev());
        let places: Vec<u32> = places.filter_map(|b| bits.get(b as usize).copied()).collect();
        let more = defined(found, &isa[found.encoding], field.name).map(reads).unwrap_or_default();
        out.push(FieldPlace {
            path: path.clone(),
            name: name.to_owned(),
            bits: places.clone(),
            value: format!("0x{}", plain_hex(&field.value)),
            text: String::from_utf8_lossy(&field.text).into_owned(),
            more,
        });
        // Constant bits between the pieces would shift what is inside; such a field is shown as a whole.
        if let Some(nested) = &field.nested
            && places.len() == nested.word.width() as usize
        {
            let inner: Vec<u32> = places.iter().rev().copied().collect();
            collect(isa, nested, &inner, &path, out);
        }
    }
}

/// The field of this name in the first case that applies and has it.
fn defined<'a>(found: &Explained, encoding: &'a Encoding, name: Name) -> Option<&'a Field> {
    let applies = |at: usize| found.cases.get(at).is_none_or(|case| case.guard.as_ref().is_none_or(|g| g.1 != 0));
    let cases = encoding.cases.iter().enumerate().filter(|(at, _)| applies(*at));
    cases.flat_map(|(_, case)| &case.fields).find(|field| field.name == name)
}

/// How the value of a field reads: its kind, and the table of its values where there is one ([`values`]).
fn reads(field: &Field) -> Map<String, Value> {
    let mut more = Map::new();
    let kind = match &field.ty {
        FieldType::Int | FieldType::Offset => "signed",
        FieldType::Branch { absolute: false, .. } => "signed",
        FieldType::Hex => "hex",
        FieldType::Float => "float",
        FieldType::Bool(_) | FieldType::BoolInv(_) => "bool",
        FieldType::Enum(_) => "enum",
        FieldType::Register(_) => "register",
        FieldType::Sub(_) => "part",
        _ => "number",
    };
    more.insert("kind".to_owned(), kind.into());
    if !field.doc.trim().is_empty() {
        more.insert("doc".to_owned(), field.doc.trim().into());
    }
    let (table, id) = match &field.ty {
        FieldType::Enum(id) => ("enum", id.index()),
        FieldType::Register(id) => ("file", id.index()),
        FieldType::Sub(id) => ("space", id.index()),
        _ => return more,
    };
    more.insert(table.to_owned(), id.into());
    more
}

/// The values of an enum (`enum`) or of a register file (`file`), each with its text and, of an enum, the name for programs; `null` if
/// there is no such table.
pub(super) fn values(isa: &Isa, table: &str, id: usize) -> Value {
    match table {
        "enum" => isa.enums().get(id).map_or(Value::Null, |e| {
            let rows = e.values.iter().take(MAX_VALUES).map(|v| json!([v.value, v.display, v.name]));
            json!({ "name": e.name, "values": rows.collect::<Vec<_>>(), "all": e.values.len() })
        }),
        "file" => isa.register_files().get(id).map_or(Value::Null, |file| {
            let names = file.names.iter().enumerate().filter_map(|(at, name)| Some((at, name.as_ref()?)));
            let rows = names.take(MAX_VALUES).map(|(at, name)| json!([at, name, null]));
            json!({ "name": file.name, "values": rows.collect::<Vec<_>>(), "all": file.names.iter().flatten().count() })
        }),
        _ => Value::Null,
    }
}

/// What the description says of an encoding.
pub(super) fn about(isa: &Isa, id: EncodingId) -> Value {
    let encoding = &isa[id];
    let meta: Map<String, Value> = encoding.meta.iter().map(|(k, v)| (k.clone(), v.as_str().into())).collect();
    json!({
        "id": id.index(), "name": isa.text(encoding.name), "mnemonic": &*encoding.display_name,
        "doc": encoding.doc.trim(), "meta": meta,
        "semantics": encoding.semantics.as_ref().map(|s| outdented(&s.text)),
    })
}

/// A text without the blanks that all of its lines begin with.
fn outdented(text: &str) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let indent = lines().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let cut = text.lines().map(|line| line.get(indent..).unwrap_or("").trim_end());
    cut.collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}
