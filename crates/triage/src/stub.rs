//! An encoding to begin with, as isaspec XML: what is known of a pattern of unknown words.
//!
//! The bits of the pattern, and bits that all words have alike and that are no field of the nearest encoding, become `<pattern>`s.
//! The other bits become the fields that the nearest encoding has there, with their names and types, and what is left over
//! fields without a name. So the stub covers each bit once, and loads when it is put beside its neighbours.

use std::fmt::Write as _;

use isaglot_bits::{BitRange, Pattern, Word};
use isaglot_model::{Encoding, Field, FieldSource, FieldType, Isa, Piece, TemplatePart};

use crate::cluster::Cluster;
use crate::report::{binary, range_text, ranges};

/// A `<bitset>` for the words of a cluster; `constant` is what else they have alike, and `number` makes its name unique.
pub(crate) fn stub(isa: &Isa, cluster: &Cluster, constant: &Pattern, number: usize) -> String {
    let near = cluster.neighbours.first().map(|&id| &isa[id]);
    let width = cluster.pattern.width();
    let mut free = cluster.pattern.care().not();
    let mut fields: Vec<(&Field, BitRange)> = Vec::new();
    for (field, range) in near.into_iter().flat_map(plain_fields) {
        let bits = Word::mask(range, width);
        if bits.and_not(&free).is_zero() {
            free = free.and_not(&bits);
            fields.push((field, range));
        }
    }
    let fixed = cluster.pattern.care().or(&constant.care().and(&free));
    let value = cluster.pattern.value().or(constant.value());
    let left = free.and_not(&fixed);
    let name = format!("unknown-{number}");
    let extends = isa.text(isa[cluster.space].name);
    let mut out = String::new();
    if let Some(near) = near {
        let _ = writeln!(out, "<!-- nearest: {}; extend what that extends -->", comment(&near.display_name));
    }
    let _ = writeln!(out, "<bitset name=\"{name}\" extends=\"{}\">", escape(extends));
    let _ = writeln!(out, "\t<display>{}</display>", display(isa, near, &fields));
    let mut rows: Vec<(u32, String)> = Vec::new();
    for range in ranges(&fixed) {
        let digits = binary(&value.slice(range));
        rows.push((range.lo, format!("\t<pattern {}>{digits}</pattern>", place(range))));
    }
    for (field, range) in fields {
        let name = escape(isa.shown(field.name));
        rows.push((
            range.lo,
            format!("\t<field name=\"{name}\" {} type=\"{}\"/>", place(range), escape(&ty(isa, field))),
        ));
    }
    for range in ranges(&left) {
        let name = format!("BITS_{}", range_text(range).replace(':', "_"));
        rows.push((range.lo, format!("\t<field name=\"{name}\" {} type=\"hex\"/>", place(range))));
    }
    rows.sort();
    rows.into_iter().for_each(|(_, row)| out += &(row + "\n"));
    out + "</bitset>\n"
}

/// The fields of an encoding that are one run of bits, in the case that applies without a condition.
fn plain_fields(encoding: &Encoding) -> impl Iterator<Item = (&Field, BitRange)> {
    let fields = encoding.cases.iter().filter(|case| case.guard.is_none()).flat_map(|case| &case.fields);
    fields.filter_map(|field| match &field.source {
        FieldSource::Bits(pieces) => match pieces.as_slice() {
            [Piece::Bits(range)] => Some((field, *range)),
            _ => None,
        },
        FieldSource::Derived(_) => None,
    })
}

/// The display of the nearest encoding with the fields that are left of it.
fn display(isa: &Isa, near: Option<&Encoding>, fields: &[(&Field, BitRange)]) -> String {
    let template =
        near.and_then(|near| near.cases.iter().find_map(|case| case.template.filter(|_| case.guard.is_none())));
    let mut text = String::new();
    for part in template.map_or(&[][..], |id| &isa[id].parts) {
        match part {
            TemplatePart::Literal(bytes) => text += &String::from_utf8_lossy(bytes),
            TemplatePart::Mnemonic { .. } => text += "{NAME}",
            TemplatePart::Field { name, reference, .. } if fields.iter().any(|(field, _)| field.name == *name) => {
                let _ = write!(text, "{{{reference}}}");
            }
            TemplatePart::Field { .. } | TemplatePart::Align(_) => {}
        }
    }
    if text.is_empty() { "{NAME}".to_owned() } else { escape(&text) }
}

fn place(range: BitRange) -> String {
    match range.width {
        1 => format!("pos=\"{}\"", range.lo),
        width => format!("low=\"{}\" high=\"{}\"", range.lo, range.lo + width.saturating_sub(1)),
    }
}

/// The type of a field as isaspec writes it.
fn ty(isa: &Isa, field: &Field) -> String {
    let plain = match &field.ty {
        FieldType::Bool(_) => "bool",
        FieldType::BoolInv(_) => "bool_inv",
        FieldType::Int => "int",
        FieldType::Uint => "uint",
        FieldType::Offset => "offset",
        FieldType::Uoffset => "uoffset",
        FieldType::Float => "float",
        FieldType::Branch { absolute: false, .. } => "branch",
        FieldType::Branch { absolute: true, .. } => "absbranch",
        FieldType::Custom => "custom",
        FieldType::Enum(id) => return isa[*id].name.clone(),
        FieldType::Sub(id) => return isa.text(isa[*id].name).to_owned(),
        FieldType::Register(id) => return isa[*id].name.clone(),
        FieldType::Hex => "hex",
    };
    plain.to_owned()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A comment must not have two hyphens in a row.
fn comment(text: &str) -> String {
    text.replace("--", "- -")
}
