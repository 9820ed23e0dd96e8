//! A table from a model: the shipped description, or LLVM's records.
//!
//! What comes along is what a comparison needs: words, fields, conditions. The width of registers is the gen of the shipped
//! description and a feature of LLVM's target; it becomes the two encodings of an instruction either way.

use isaglot_model::{Condition, Encoding as Leaf, Field as Part, FieldSource, Isa, Piece};

use super::{Encoding, Extension, Field, Formula, Instruction, Notes, Table};
use crate::Xlen;

/// The feature of LLVM's target that says that registers have 64 bits.
const WIDE: &str = "64bit";

/// The instructions of a description.
pub fn table(isa: &Isa, name: &str) -> Table {
    let mut table = Table { name: name.to_owned(), ..Table::default() };
    let free = Table::default();
    for &id in &isa[isa.root()].encodings {
        let leaf = &isa[id];
        let when = formula(isa, &leaf.condition);
        let words = encoding(isa, leaf);
        let there = |xlen: Xlen| {
            let bits = if xlen == Xlen::Rv64 { 64 } else { 32 };
            (leaf.gens.contains(bits) && free.can_hold_freely(&when, xlen)).then(|| words.clone())
        };
        table.instructions.push(Instruction {
            name: isa.text(leaf.name).to_owned(),
            span: leaf.span,
            special_case_of: None,
            encodings: [there(Xlen::Rv32), there(Xlen::Rv64)],
            condition: when,
            operands: None,
            doc: leaf.doc.clone(),
            idl: None,
            notes: Notes::default(),
        });
    }
    for feature in isa.features() {
        let implied = feature.implies.iter().map(|&id| Formula::Extension(isa[id].name.clone(), Vec::new()));
        table.extensions.push(Extension {
            name: feature.name.clone(),
            requires: Formula::All(implied.collect()),
            ratified: !feature.name.starts_with("experimental-"),
            doc: feature.doc.clone(),
            span: feature.span,
            ..Extension::default()
        });
    }
    table
}

fn formula(isa: &Isa, condition: &Condition) -> Formula {
    let list = |parts: &[Condition]| parts.iter().map(|part| formula(isa, part)).collect();
    match condition {
        Condition::Always => Formula::True,
        Condition::Feature(id) if isa[*id].name == WIDE => Formula::Xlen(64),
        Condition::Feature(id) => Formula::Extension(isa[*id].name.clone(), Vec::new()),
        Condition::Not(part) => Formula::Not(Box::new(formula(isa, part))),
        Condition::All(parts) => Formula::All(list(parts)),
        Condition::Any(parts) => Formula::Any(list(parts)),
    }
}

fn encoding(isa: &Isa, leaf: &Leaf) -> Encoding {
    let mut fields: Vec<Field> = Vec::new();
    for part in leaf.cases.iter().flat_map(|case| &case.fields) {
        let name = isa.shown(part.name);
        if let Some(bits) = bits(part)
            && fields.iter().all(|known| known.name != name)
        {
            fields.push(Field {
                name: name.to_owned(),
                bits,
                signed: false,
                not: Vec::new(),
                file: None,
                access: None,
                alias: None,
                span: part.span,
            });
        }
    }
    Encoding { width: leaf.width, pattern: leaf.pattern.clone(), fields, except: leaf.except.to_vec() }
}

/// The bits of a field, the most significant first; nothing for one that is computed or has bits that are always 1.
fn bits(part: &Part) -> Option<Vec<Option<u32>>> {
    let FieldSource::Bits(pieces) = &part.source else { return None };
    let mut bits = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Bits(range) => bits.extend((range.lo..range.end()).rev().map(Some)),
            Piece::Implied { width, value: 0 } => bits.extend((0..*width).map(|_| None)),
            Piece::Implied { .. } => return None,
        }
    }
    Some(bits)
}
