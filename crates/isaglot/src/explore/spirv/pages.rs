//! The grammar of SPIR-V as a description, for pages about it: an instruction with its first word and the operands that it must have, each a word.
//! It is not for decoding, since operands that may be missing or repeated are only named.
//!
//! Encodings and enums have the order of the grammar's rows, so that the explorer's answers lead to their pages.

use isaglot_bits::{BitRange, Pattern, Word};
use isaglot_model::{
    Builder, ByteOrder, Case, Condition, Encoding, EnumId, EnumType, EnumValue, Field, FieldSource, FieldType, Flow,
    GenRange, Isa, LengthRule, Overlap, Piece, Shared, Space, Template, TemplatePart, WordFormat,
};
use isaglot_source::{Diagnostics, Span};
use isaglot_spirv::grammar::model::Availability;
use isaglot_spirv::grammar::rows::{
    FIRST_ENUM, ID_RESULT, LITERAL_FLOAT, LITERAL_INTEGER, LITERAL_STRING, MASK, ONE, OPTIONAL, OpRow,
};
use isaglot_spirv::grammar::{self, Grammar};

use super::apart::syntax;

/// Bits of a word.
const BITS: u32 = 32;

/// The description; `None` if it is not valid, which a test shows never to be so.
#[must_use]
pub fn description() -> Option<Isa> {
    let (grammar, model) = (Grammar::builtin(), grammar::model());
    let mut builder = Builder::new("SPIR-V");
    for kind in grammar.kinds() {
        let value = |row: &isaglot_spirv::grammar::rows::ValueRow| EnumValue {
            value: row.value.into(),
            display: grammar.str(row.name).into(),
            name: None,
            span: Span::NOWHERE,
        };
        builder.enumeration(EnumType {
            name: grammar.str(kind.name).to_owned(),
            values: grammar.members(kind).iter().map(value).collect(),
            synonyms: true,
            numbers: true,
            span: Span::NOWHERE,
        });
    }
    let longest = grammar.ops().iter().map(|op| width(grammar, op)).max().unwrap_or(BITS);
    let name = builder.name("#instruction");
    let space = builder.space(Space { name, width: longest, overlap: Overlap::Conflict, ..Space::default() });
    builder.root(space);
    let opcode = |op: &OpRow, width| {
        (0..16).fold(Pattern::any(width), |pattern, bit| pattern.with_bit(bit, op.opcode >> bit & 1 == 1))
    };
    let length = |op: &OpRow| LengthRule {
        pattern: opcode(op, BITS),
        bits: width(grammar, op),
        condition: Condition::Always,
        span: Span::NOWHERE,
    };
    builder.format(WordFormat {
        parcel_bits: BITS,
        max_bits: longest,
        byte_order: ByteOrder::Little,
        lengths: grammar.ops().iter().map(length).collect(),
    });
    for op in grammar.ops() {
        let name = grammar.str(op.name);
        let when = model.op(op.opcode).map(|op| (&op.when, op.class.as_str()));
        let (fields, template) = parts(&mut builder, grammar, op);
        let template = builder.template(template);
        let width = width(grammar, op);
        let case = Case {
            guard: None,
            fields: fields.into(),
            asserts: Vec::new(),
            template: Some(template),
            alias: false,
            input_only: false,
            output_only: false,
            owner: name.into(),
            span: Span::NOWHERE,
        };
        let encoding = Encoding {
            name: builder.name(name),
            display_name: name.into(),
            space,
            width,
            pattern: opcode(op, width),
            dont_care: Word::zero(width),
            except: Shared::default(),
            rank: 0,
            gens: GenRange::ALL,
            own_gens: GenRange::ALL,
            condition: Condition::default(),
            cases: vec![case],
            operands: Shared::default(),
            flow: Flow::default(),
            opens: Vec::new(),
            semantics: None,
            maps: Vec::new(),
            meta: when.map(|(when, class)| facts(grammar, op, when, class)).unwrap_or_default(),
            doc: rest(grammar, op),
            span: Span::NOWHERE,
        };
        builder.encoding(encoding);
    }
    let mut problems = Diagnostics::new();
    let isa = builder.finish(&mut problems);
    debug_assert!(isa.is_some(), "{:?}", problems.iter().take(3).collect::<Vec<_>>());
    isa
}

/// The bits of the words that an instruction must have.
fn width(grammar: Grammar<'_>, op: &OpRow) -> u32 {
    let needed = grammar.program(op.program).iter().take_while(|row| row.quantifier == ONE).count();
    BITS * (1 + needed as u32)
}

/// The fields of an instruction, and its text: what it must have.
fn parts(builder: &mut Builder, grammar: Grammar<'_>, op: &OpRow) -> (Vec<Field>, Template) {
    let half = |builder: &mut Builder, name: &str, from: u32, doc: &str| Field {
        name: builder.name(name),
        source: FieldSource::Bits(vec![Piece::Bits(BitRange::new(from, BITS / 2))]),
        width: BITS / 2,
        ty: FieldType::Uint,
        params: Vec::new(),
        doc: doc.to_owned(),
        span: Span::NOWHERE,
    };
    let mut fields = vec![half(builder, "WORD_COUNT", BITS / 2, "Words of the instruction, this one included.")];
    let literal = |text: &str| TemplatePart::Literal(text.as_bytes().into());
    let mut left = Vec::new();
    let mut right = vec![TemplatePart::Mnemonic { align: 0, reference: "NAME".into() }];
    let rows = grammar.program(op.program);
    for (index, row) in rows.iter().enumerate().take_while(|(_, row)| row.quantifier == ONE) {
        let called = grammar.item_name(op.program, index);
        let called = if called.is_empty() { grammar.phrase(row.kind) } else { called };
        let mut shown: String =
            called.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
        while fields.iter().any(|field| builder.name(&shown) == field.name) {
            shown.push('_');
        }
        let (ty, before, doc) = match row.kind {
            LITERAL_INTEGER => (FieldType::Uint, "", "A number."),
            LITERAL_FLOAT => (FieldType::Float, "", "A number."),
            LITERAL_STRING => {
                (FieldType::Hex, "", "A text: UTF-8 with a zero byte at its end, as many words as it takes.")
            }
            kind if kind >= FIRST_ENUM => {
                let id = EnumId(u32::from(kind - FIRST_ENUM));
                let is_mask = grammar.kind(kind).is_some_and(|group| group.flags & MASK != 0);
                (FieldType::Enum(id), "", if is_mask { "Values are or-ed. Their parameters follow." } else { "" })
            }
            _ => (FieldType::Uint, "%", "An id."),
        };
        let name = builder.name(&shown);
        fields.push(Field {
            name,
            source: FieldSource::Bits(vec![Piece::Bits(BitRange::new(BITS * (1 + index as u32), BITS))]),
            width: BITS,
            ty,
            params: Vec::new(),
            doc: doc.to_owned(),
            span: Span::NOWHERE,
        });
        let field = TemplatePart::Field { name, align: 0, reference: shown.into() };
        if row.kind == ID_RESULT {
            left = vec![literal(before), field, literal(" = ")];
        } else {
            right.extend([literal(&format!(" {before}")), field]);
        }
    }
    left.extend(right);
    (fields, Template { parts: left.into(), span: Span::NOWHERE })
}

/// What of the operands the fields do not show.
fn rest(grammar: Grammar<'_>, op: &OpRow) -> String {
    let rows = grammar.program(op.program);
    let more = rows.iter().enumerate().skip_while(|(_, row)| row.quantifier == ONE);
    let named = more.map(|(index, row)| {
        let called = grammar.item_name(op.program, index);
        let called = if called.is_empty() { grammar.phrase(row.kind) } else { called };
        if row.quantifier == OPTIONAL { format!("{called} (may be missing)") } else { format!("{called} (any number)") }
    });
    let named: Vec<String> = named.collect();
    if named.is_empty() { String::new() } else { format!("Further operands: {}.", named.join(", ")) }
}

/// What decides whether an instruction may be used.
fn facts(grammar: Grammar<'_>, op: &OpRow, when: &Availability, class: &str) -> Vec<(String, String)> {
    let mut rows = vec![("syntax".to_owned(), syntax(grammar, op)), ("opcode".to_owned(), op.opcode.to_string())];
    let version = |minor: u8| format!("1.{minor}");
    let all = [
        ("class", class.to_owned()),
        ("since", when.since.map(version).unwrap_or_default()),
        ("last", when.last.map(version).unwrap_or_default()),
        ("capabilities", when.capabilities.join(", ")),
        ("extensions", when.extensions.join(", ")),
        ("also called", when.aliases.join(", ")),
    ];
    rows.extend(all.into_iter().filter(|(_, text)| !text.is_empty()).map(|(key, text)| (key.to_owned(), text)));
    rows
}
