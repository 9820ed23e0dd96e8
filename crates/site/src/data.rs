//! What the pages show, as data: for those who write pages of their own, generators of documentation and language servers.
//!
//! The invariant: a page and this data come from the same views of the model, so neither says what the other does not; each thing says
//! the address of its page. Bits are numbered from the least significant one, which is 0; lists of bits begin with the most significant.

use isaglot_bits::BitRange;
use isaglot_model::{
    Access, Condition, EncodingId, Field, FieldSource, FieldType, Flow, GenRange, Isa, Operand, OperandKind, Piece,
    RegisterFileId, Width,
};
use isaglot_source::SourceMap;
use serde_json::{Map, Value, json};

use crate::instruction::{condition, outdented};
use crate::slug::Slugs;
use crate::view::{View, views};
use crate::{Options, syntax};

/// The data of all pages of a description. `files` are those that it was read from. The form is `schemas/docs-1.json` of the project.
#[must_use]
pub fn of(isa: &Isa, files: &SourceMap, options: &Options) -> Value {
    let slugs = Slugs::new(isa);
    let gens: Vec<Value> = isa.gens().iter().map(|g| json!({ "name": g.name, "value": g.value })).collect();
    let features = isa.features().iter().map(|f| {
        let implies: Vec<&str> = f.implies.iter().map(|&id| isa[id].name.as_str()).collect();
        json!({ "name": f.name, "doc": f.doc.trim(), "default": f.default, "implies": implies })
    });
    let encodings = crate::mnemonics::sorted(isa).into_iter().map(|id| encoding(isa, files, options, &slugs, id));
    let parts = isa.spaces().iter().zip(0..).map(|(space, at)| (space, isaglot_model::SpaceId(at)));
    let parts = parts.filter(|(_, id)| *id != isa.root()).map(|(space, id)| {
        let forms = space.encodings.iter().map(|&id| encoding(isa, files, options, &slugs, id));
        json!({
            "name": isa.text(space.name), "page": slugs.space(id), "width": space.width,
            "encodings": forms.collect::<Vec<_>>(),
        })
    });
    let enums = isa.enums().iter().zip(0..).map(|(e, at)| {
        let value = |v: &isaglot_model::EnumValue| json!({ "value": v.value, "text": &*v.display, "name": v.name });
        let values: Vec<Value> = e.values.iter().map(value).collect();
        json!({ "name": e.name, "page": slugs.enumeration(isaglot_model::EnumId(at)), "values": values })
    });
    json!({
        "name": crate::name(isa), "bits": isa.format().max_bits, "gens": gens,
        "features": features.collect::<Vec<_>>(), "instructions": encodings.collect::<Vec<_>>(),
        "parts": parts.collect::<Vec<_>>(), "enums": enums.collect::<Vec<_>>(), "registers": registers(isa),
    })
}

fn registers(isa: &Isa) -> Vec<Value> {
    let file = |(file, at): (&isaglot_model::RegisterFile, usize)| {
        let also = |number: usize| {
            let names = file.aliases.iter().filter(|a| a.1 as usize == number).map(|a| a.0.as_str());
            names.collect::<Vec<_>>()
        };
        let names = file.names.iter().enumerate().filter_map(|(number, name)| {
            name.as_ref().map(|name| json!({ "number": number, "name": name, "aliases": also(number) }))
        });
        let width = match &file.width {
            Width::Bits(bits) => json!(bits),
            Width::Parameter(name) => json!(name),
        };
        json!({
            "name": file.name, "page": registers_page(RegisterFileId(at as u32)), "width": width, "zero": file.zero,
            "within": file.within.map(|(host, _)| isa[host].name.as_str()), "registers": names.collect::<Vec<_>>(),
        })
    };
    isa.register_files().iter().zip(0..).map(file).collect()
}

fn registers_page(id: RegisterFileId) -> String {
    format!("registers.html#file-{}", id.index())
}

fn encoding(isa: &Isa, files: &SourceMap, options: &Options, slugs: &Slugs, id: EncodingId) -> Value {
    let encoding = &isa[id];
    let name = isa.text(encoding.name);
    let mnemonic = if encoding.display_name.is_empty() { name } else { &*encoding.display_name };
    let meta: Map<String, Value> = encoding.meta.iter().rev().map(|(k, v)| (k.clone(), v.as_str().into())).collect();
    let examples = options.examples.get(&id).into_iter().flatten();
    let examples: Vec<Value> = examples.map(|e| json!({ "word": e.word, "text": e.text })).collect();
    let needs = match &encoding.condition {
        Condition::Always => None,
        other => Some(condition(isa, other)),
    };
    json!({
        "name": name, "mnemonic": mnemonic, "page": slugs.encoding(id), "width": encoding.width,
        "pattern": encoding.pattern.to_string(), "gens": gens(isa, encoding.gens), "needs": needs,
        "dont_care": encoding.dont_care.runs().into_iter().rev().map(bits).collect::<Vec<_>>(),
        "doc": encoding.doc.trim(), "at": crate::place(files, encoding.span), "meta": meta,
        "views": views(isa, encoding).iter().map(|view| one(isa, slugs, encoding, view)).collect::<Vec<_>>(),
        "operands": encoding.operands.iter().map(|o| operand(isa, o)).collect::<Vec<_>>(),
        "flow": flow(isa, encoding.flow),
        "semantics": encoding.semantics.as_ref().map(|semantics| outdented(&semantics.text)), "examples": examples,
    })
}

/// The gens of an encoding: their numbers and the names of those that have one.
fn gens(isa: &Isa, range: GenRange) -> Value {
    let names: Vec<&str> = isa.gens().iter().filter(|g| range.contains(g.value)).map(|g| g.name.as_str()).collect();
    json!({ "from": range.min, "to": (range.max != u32::MAX).then_some(range.max), "names": names })
}

/// One way to read an encoding.
fn one(isa: &Isa, slugs: &Slugs, encoding: &isaglot_model::Encoding, view: &View<'_>) -> Value {
    let bound: Map<String, Value> = view.bound.iter().map(|(n, v)| (isa.text(*n).to_owned(), (*v).into())).collect();
    let asserts = view.asserts.iter().map(|assert| {
        let digits = (0..assert.range.width).rev().map(|b| if assert.value.bit(b) { '1' } else { '0' });
        json!({ "bits": bits(assert.range), "value": digits.collect::<String>() })
    });
    json!({
        "condition": view.guard, "alias": view.alias, "syntax": syntax::plain(isa, encoding, view), "bound": bound,
        "fields": view.fields.iter().map(|f| field(isa, slugs, f)).collect::<Vec<_>>(),
        "asserts": asserts.collect::<Vec<_>>(),
    })
}

fn bits(range: BitRange) -> Value {
    json!({ "low": range.lo, "width": range.width })
}

fn field(isa: &Isa, slugs: &Slugs, field: &Field) -> Value {
    let (pieces, derived) = match &field.source {
        FieldSource::Derived(expr) => (Vec::new(), Some(isa[*expr].text.trim())),
        FieldSource::Bits(pieces) => (pieces.iter().map(piece).collect(), None),
    };
    let (kind, of, page, text) = match &field.ty {
        FieldType::Bool(text) => ("bool", None, None, text.as_deref()),
        FieldType::BoolInv(text) => ("bool_inv", None, None, text.as_deref()),
        FieldType::Int => ("int", None, None, None),
        FieldType::Uint => ("uint", None, None, None),
        FieldType::Hex => ("hex", None, None, None),
        FieldType::Offset => ("offset", None, None, None),
        FieldType::Uoffset => ("uoffset", None, None, None),
        FieldType::Float => ("float", None, None, None),
        FieldType::Branch { absolute: true, .. } => ("absbranch", None, None, None),
        FieldType::Branch { .. } => ("branch", None, None, None),
        FieldType::Custom => ("custom", None, None, None),
        FieldType::Enum(id) => ("enum", Some(isa[*id].name.as_str()), Some(slugs.enumeration(*id).to_owned()), None),
        FieldType::Register(id) => ("register", Some(isa[*id].name.as_str()), Some(registers_page(*id)), None),
        FieldType::Sub(id) => ("part", Some(isa.text(isa[*id].name)), Some(slugs.space(*id).to_owned()), None),
    };
    json!({
        "name": isa.text(field.name), "width": field.width, "bits": pieces, "derived": derived, "type": kind,
        "of": of, "page": page, "text": text, "doc": field.doc.trim(),
    })
}

fn piece(piece: &Piece) -> Value {
    match piece {
        Piece::Bits(range) => bits(*range),
        Piece::Implied { width, value } => json!({ "implied": value, "width": width }),
    }
}

fn operand(isa: &Isa, operand: &Operand) -> Value {
    let (kind, what, file) = match operand.kind {
        OperandKind::Register(name, file) => ("register", isa.text(name).to_owned(), Some(file)),
        OperandKind::Computed(number, file) => ("computed", isa[number].text.trim().to_owned(), Some(file)),
        OperandKind::Part(name) => ("part", isa.text(name).to_owned(), None),
        OperandKind::Implicit(file, number) => {
            let known = isa[file].names.get(number as usize).cloned().flatten();
            ("implicit", known.unwrap_or_else(|| format!("{}{number}", isa[file].name)), Some(file))
        }
        OperandKind::Immediate(name) => ("immediate", isa.text(name).to_owned(), None),
        OperandKind::Label(name) => ("label", isa.text(name).to_owned(), None),
        OperandKind::Memory(name, file) => ("memory", isa.text(name).to_owned(), Some(file)),
    };
    let access = match operand.access {
        Access::Read => "read",
        Access::Write => "write",
        Access::ReadWrite => "readwrite",
    };
    let varies = operand.varies;
    let text = |expr: Option<isaglot_model::ExprId>| expr.map(|expr| isa[expr].text.trim());
    json!({
        "kind": kind, "what": what, "file": file.map(|file| isa[file].name.as_str()), "access": access,
        "count": operand.count, "count_is": text(varies.count), "mask_is": text(varies.mask), "if": text(varies.when),
    })
}

fn flow(isa: &Isa, flow: Flow) -> Value {
    match flow {
        Flow::Next => json!({ "to": "next" }),
        Flow::Branch { target, conditional } => {
            json!({ "to": "branch", "target": isa.text(target), "conditional": conditional })
        }
        Flow::Indirect { call } => json!({ "to": if call { "indirect_call" } else { "indirect" } }),
        Flow::Call { target } => json!({ "to": "call", "target": isa.text(target) }),
        Flow::Return => json!({ "to": "return" }),
        Flow::Trap => json!({ "to": "trap" }),
        Flow::End => json!({ "to": "end" }),
    }
}
