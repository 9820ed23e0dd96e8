//! Made-up instruction sets and words, and the comparison of an engine with [`Scopes`]. Behind the feature `oracle`.

use isaglot_bits::{BitRange, Pattern, Word};
use isaglot_model::{
    Assert, BinaryOp, Builder, Case, Encoding, EncodingId, EnumType, EnumValue, Expr, ExprId, Field, FieldSource,
    FieldType, IntType, Isa, Name, Node, NodeId, Param, Piece, Space, SpaceId, Template, TemplateId, TemplatePart,
    UnaryOp, WordFormat,
};
use isaglot_source::{Diagnostics, Span};

use crate::plan::Plan;
use crate::scope::Scopes;

/// Gives a number below its argument.
pub type Dice<'d> = dyn FnMut(u64) -> u64 + 'd;

fn pick<T: Clone>(dice: &mut Dice<'_>, list: &[T]) -> T {
    list[dice(list.len() as u64) as usize].clone()
}

/// A word that has the bits of an encoding's pattern, and random ones elsewhere.
pub fn random_word(dice: &mut Dice<'_>, encoding: &Encoding) -> Word {
    let mut word = Word::zero(encoding.width);
    for bit in 0..encoding.width {
        word.set_bit(bit, encoding.pattern.bit(bit).unwrap_or_else(|| dice(2) == 1));
    }
    word
}

/// An engine that says ahead of time what [`Scopes`] says of a word.
pub trait Engine<'a> {
    /// A scope, ahead of time.
    type Scope: Copy;

    /// The scope of an instruction's encoding.
    fn root(&mut self, encoding: EncodingId) -> Self::Scope;

    /// For each word, the value of an expression that is evaluated first in a scope; `None` where the engine does not say.
    fn expression(&mut self, scope: Self::Scope, expr: ExprId, words: &[Word]) -> Vec<Option<u64>>;

    /// For each word, what a name means that is looked up first in a scope, and its value, as far as the engine says.
    fn name(&mut self, scope: Self::Scope, name: Name, words: &[Word]) -> Vec<Option<Said<'a>>>;

    /// The scopes of the leaves of the sub-encoded field that a name may mean.
    fn leaves(&mut self, scope: Self::Scope, name: Name) -> Vec<(&'a Field, EncodingId, Self::Scope)>;
}

/// A definition, and its value if the engine says.
pub type Said<'a> = (&'a Field, Option<u64>);

/// Compares an engine with [`Scopes`] on many words of made-up instruction sets, and gives how many values were compared.
/// `run` is given a plan, an encoding and words of it, and is to call [`compare`].
pub fn compare_all(dice: &mut Dice<'_>, sets: u32, run: impl Fn(&Plan<'_>, EncodingId, &[Word]) -> u64) -> u64 {
    let mut compared = 0;
    for _ in 0..sets {
        let isa = random_isa(dice);
        let plan = Plan::new(&isa, 0);
        for &root in &isa[isa.root()].encodings {
            let words: Vec<Word> = (0..6).map(|_| random_word(dice, &isa[root])).collect();
            compared += run(&plan, root, &words);
        }
    }
    compared
}

/// Compares an engine with [`Scopes`] on words of an encoding, in its scope and those below it; gives how many values were
/// compared.
///
/// # Panics
/// If they differ.
pub fn compare<'a>(plan: &Plan<'a>, engine: &mut impl Engine<'a>, root: EncodingId, words: &[Word]) -> u64 {
    let scope = engine.root(root);
    compare_below(&mut Scopes::new(plan, false), engine, scope, &mut vec![(None, root)], words)
}

/// How to get to a scope: names and definitions of fields, each with the leaf that it is.
type Way<'a> = Vec<(Option<(Name, &'a Field)>, EncodingId)>;

fn compare_below<'a, E: Engine<'a>>(
    numbers: &mut Scopes<'_, 'a>,
    engine: &mut E,
    scope: E::Scope,
    way: &mut Way<'a>,
    words: &[Word],
) -> u64 {
    let isa = numbers.plan().isa();
    let mut compared = 0;
    for expr in way.last().map_or(Vec::new(), |(_, leaf)| expressions(&isa[*leaf])) {
        for (word, said) in words.iter().zip(engine.expression(scope, expr, words)) {
            if let (Some(value), Some(at)) = (said, open(numbers, way, word)) {
                assert_eq!(value, numbers.evaluate(at, expr), "{expr:?} in {way:?}, word {}", word.hex());
                compared += 1;
            }
        }
    }
    for name in NAMES.iter().filter_map(|name| isa.names().get(name)) {
        for (word, said) in words.iter().zip(engine.name(scope, name, words)) {
            if let (Some((field, value)), Some(at)) = (said, open(numbers, way, word)) {
                let found = numbers.resolve(at, name).expect("a field was found");
                assert!(std::ptr::eq(found.field, field), "{name:?} in {way:?}, word {}", word.hex());
                assert!(value.is_none_or(|value| value == found.low()), "{name:?} in {way:?}, word {}", word.hex());
                compared += 1;
            }
        }
        let deep = way.len() > 3;
        for (field, leaf, inner) in if deep { Vec::new() } else { engine.leaves(scope, name) } {
            way.push((Some((name, field)), leaf));
            compared += compare_below(numbers, engine, inner, way, words);
            way.pop();
        }
    }
    compared
}

/// Opens the scope of a way anew for a word; `None` if the word has other fields or leaves on it.
fn open<'a>(numbers: &mut Scopes<'_, 'a>, way: &Way<'a>, word: &Word) -> Option<usize> {
    let mut at = 0;
    for &(field, leaf) in way {
        at = match field {
            None => numbers.enter_encoding(leaf, word)?,
            Some((name, field)) => {
                let found = numbers.resolve(at, name).filter(|found| std::ptr::eq(found.field, field))?;
                let FieldType::Sub(space) = found.field.ty else { return None };
                numbers.enter_field(at, &found, space).filter(|&inner| numbers.encoding_id(inner) == leaf)?
            }
        };
    }
    Some(at)
}

/// Every expression that the cases of an encoding have, as a guard or for a field.
pub fn expressions(encoding: &Encoding) -> Vec<ExprId> {
    let derived = encoding.cases.iter().flat_map(|case| &case.fields).filter_map(|field| match field.source {
        FieldSource::Derived(expr) => Some(expr),
        FieldSource::Bits(_) => None,
    });
    let mut all: Vec<ExprId> = encoding.cases.iter().filter_map(|case| case.guard).chain(derived).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Names that fields of a made-up set may have; some have none.
pub const NAMES: [&str; 7] = ["A", "B", "C", "D", "E", "P", "Q"];

/// An expression over a few names, with the rules of C that isaspec has.
fn expr(dice: &mut Dice<'_>, builder: &mut Builder) -> ExprId {
    let mut nodes = Vec::new();
    let mut fields = Vec::new();
    let mut values: Vec<NodeId> = Vec::new();
    for _ in 0..1 + dice(3) {
        let name = builder.name(pick(dice, &NAMES));
        fields.push(name);
        nodes.push(Node::Field(name));
        values.push(NodeId(nodes.len() as u32 - 1));
    }
    fields.sort();
    fields.dedup();
    nodes.push(Node::Const(dice(4), IntType::I64));
    values.push(NodeId(nodes.len() as u32 - 1));
    for _ in 0..dice(4) {
        let (x, y) = (pick(dice, &values), pick(dice, &values));
        let op = pick(
            dice,
            &[
                BinaryOp::Add,
                BinaryOp::Sub,
                BinaryOp::Mul,
                BinaryOp::Div,
                BinaryOp::And,
                BinaryOp::Or,
                BinaryOp::Shl,
                BinaryOp::Shr,
                BinaryOp::Eq,
                BinaryOp::Lt,
                BinaryOp::Ge,
                BinaryOp::LogicalAnd,
                BinaryOp::LogicalOr,
            ],
        );
        nodes.push(match dice(6) {
            0 => Node::Unary(UnaryOp::LogicalNot, IntType::I64, x),
            1 => Node::Select(IntType::I64, x, y, x),
            2 => Node::Cast(IntType::U32, x),
            _ => Node::Binary(op, IntType::I64, x, y),
        });
        values.push(NodeId(nodes.len() as u32 - 1));
    }
    builder.expr(Expr { name: "e".into(), nodes, fields, text: String::new(), span: Span::NOWHERE })
}

fn field(dice: &mut Dice<'_>, name: Name, width: u32, names: &[Name], exprs: &[ExprId], sub: Option<SpaceId>) -> Field {
    let low = dice(u64::from(width - 4)) as u32;
    let mut bits = 1 + dice(4) as u32;
    let mut params = Vec::new();
    let (source, ty) = match (dice(9), sub) {
        (0 | 1, _) => {
            let ty = pick(dice, &[FieldType::Uint, FieldType::Int, FieldType::Bool(Some("!".into()))]);
            (FieldSource::Derived(pick(dice, exprs)), ty)
        }
        (2..=4, Some(sub)) => {
            bits = 4;
            for _ in 0..dice(4) {
                params.push(Param { name: pick(dice, names), as_name: pick(dice, names) });
            }
            (FieldSource::Bits(vec![Piece::Bits(BitRange::new(low, 4))]), FieldType::Sub(sub))
        }
        (5, _) => {
            let pieces = vec![
                Piece::Bits(BitRange::new(low, 2)),
                Piece::Implied { width: 1, value: 1 },
                Piece::Bits(BitRange::new(dice(4) as u32, 1)),
            ];
            bits = 4;
            (FieldSource::Bits(pieces), FieldType::Hex)
        }
        _ => {
            let ty = pick(
                dice,
                &[
                    FieldType::Uint,
                    FieldType::Int,
                    FieldType::Hex,
                    FieldType::Offset,
                    FieldType::Uoffset,
                    FieldType::BoolInv(Some("~".into())),
                    FieldType::Bool(None),
                    FieldType::Custom,
                    FieldType::Enum(isaglot_model::EnumId(0)),
                    FieldType::Branch { absolute: false, call: false, unit: 0 },
                ],
            );
            (FieldSource::Bits(vec![Piece::Bits(BitRange::new(low, bits))]), ty)
        }
    };
    Field { name, source, width: bits, ty, params, doc: String::new(), span: Span::NOWHERE }
}

fn template(dice: &mut Dice<'_>, builder: &mut Builder, names: &[Name]) -> TemplateId {
    let mut parts = vec![TemplatePart::Mnemonic { align: 0, reference: "NAME".into() }];
    for _ in 0..1 + dice(4) {
        parts.push(TemplatePart::Literal(b" ".as_slice().into()));
        let align = if dice(5) == 0 { 12 } else { 0 };
        parts.push(TemplatePart::Field { name: pick(dice, names), align, reference: "ref".into() });
    }
    builder.template(Template { parts: parts.into(), span: Span::NOWHERE })
}

/// An encoding as wide as its pattern.
fn encoding(builder: &mut Builder, text: String, space: SpaceId, pattern: Pattern, cases: Vec<Case>) -> Encoding {
    let (name, width) = (builder.name(&text), pattern.width());
    let dont_care = Word::zero(width);
    Encoding { name, display_name: text.into(), space, width, pattern, dont_care, cases, ..Encoding::default() }
}

struct Made {
    space: SpaceId,
    width: u32,
    sub: Option<SpaceId>,
    opcode_bits: u32,
}

fn encodings(dice: &mut Dice<'_>, builder: &mut Builder, made: &Made, exprs: &[ExprId]) {
    let names: Vec<Name> = NAMES.iter().map(|name| builder.name(name)).collect();
    for opcode in 0..1u64 << made.opcode_bits {
        if dice(9) == 0 {
            continue;
        }
        let mut cases = Vec::new();
        for level in 0..2 {
            for overriding in (0..=dice(3)).rev() {
                let mut fields: Vec<Field> = Vec::new();
                // The default case of the last level defines most names.
                let odds = if overriding == 0 && level == 1 { 9 } else { 3 };
                for &name in &names {
                    if dice(10) < odds {
                        fields.push(field(dice, name, made.width - made.opcode_bits, &names, exprs, made.sub));
                    }
                }
                let template = (dice(3) > 0).then(|| template(dice, builder, &names));
                let assert = Assert { range: BitRange::new(0, 1), value: Word::from_u64(1, 1), span: Span::NOWHERE };
                let guard = (overriding > 0).then(|| pick(dice, exprs));
                let asserts = if dice(12) == 0 { vec![assert] } else { Vec::new() };
                cases.push(Case {
                    guard,
                    fields: fields.into(),
                    asserts,
                    template,
                    owner: format!("level{level}").into(),
                    ..Case::default()
                });
            }
        }
        let care = Word::mask(BitRange::new(made.width - made.opcode_bits, made.opcode_bits), made.width);
        let value = Word::from_u64(opcode, made.width).shl(made.width - made.opcode_bits);
        let mut dont_care = Word::zero(made.width);
        dont_care.set_bit(0, dice(9) == 0);
        let pattern = Pattern::new(&value, care);
        let encoding = Encoding { dont_care, ..encoding(builder, format!("op{opcode}"), made.space, pattern, cases) };
        builder.encoding(encoding);
    }
}

/// A made-up instruction set full of overrides, parameters, nested fields, shared guards and names that nothing defines.
///
/// `dice` gives a number below its argument. Equal numbers give equal sets.
///
/// # Panics
/// If the set is not valid, which it always is.
pub fn random_isa(dice: &mut Dice<'_>) -> Isa {
    let mut builder = Builder::new("random");
    let values = (0..3)
        .map(|value| EnumValue { value, display: format!("e{value}").into(), name: None, span: Span::NOWHERE })
        .collect();
    builder.enumeration(EnumType { name: "en".into(), values, synonyms: false, numbers: false, span: Span::NOWHERE });
    let exprs: Vec<ExprId> = (0..2 + dice(4)).map(|_| expr(dice, &mut builder)).collect();
    let width = pick(dice, &[32, 64, 96]);
    let mut sub = None;
    for (name, width, opcode_bits) in [("inner", 4, 0), ("middle", 4, 1), ("root", width, 3)] {
        let name = builder.name(name);
        let space = builder.space(Space { name, width, ..Space::default() });
        let made = Made { space, width, sub, opcode_bits };
        if width == 4 {
            small(dice, &mut builder, &made, &exprs);
        } else {
            encodings(dice, &mut builder, &made, &exprs);
            builder.root(space);
        }
        sub = Some(space);
    }
    builder.format(WordFormat {
        parcel_bits: 32,
        max_bits: width,
        byte_order: isaglot_model::ByteOrder::Little,
        lengths: Vec::new(),
    });
    builder.value_bits(if width == 32 { 32 } else { 64 });
    let mut problems = Diagnostics::new();
    let isa = builder.finish(&mut problems);
    isa.unwrap_or_else(|| panic!("{:?}", problems.iter().map(|d| d.message.clone()).collect::<Vec<_>>()))
}

/// Leaves of 4 bits: whole-word fields only.
fn small(dice: &mut Dice<'_>, builder: &mut Builder, made: &Made, exprs: &[ExprId]) {
    let names: Vec<Name> = NAMES.iter().map(|name| builder.name(name)).collect();
    for opcode in 0..1u64 << made.opcode_bits {
        let mut cases = Vec::new();
        for overriding in (0..=dice(3)).rev() {
            let mut fields = Vec::new();
            for &name in names.iter().take(4) {
                match (dice(4), made.sub) {
                    (0, Some(sub)) => {
                        let params =
                            (0..dice(4)).map(|_| Param { name: pick(dice, &names), as_name: pick(dice, &names) });
                        fields.push(Field {
                            name,
                            source: FieldSource::Bits(vec![Piece::Bits(BitRange::new(0, 4))]),
                            width: 4,
                            ty: FieldType::Sub(sub),
                            params: params.collect(),
                            doc: String::new(),
                            span: Span::NOWHERE,
                        });
                    }
                    (1, _) => {
                        let mut made = field(dice, name, 5, &names, exprs, None);
                        if let FieldSource::Bits(_) = made.source {
                            made.source = FieldSource::Bits(vec![Piece::Bits(BitRange::new(1, 2))]);
                            made.width = 2;
                        }
                        fields.push(made);
                    }
                    _ => {}
                }
            }
            let guard = (overriding > 0).then(|| pick(dice, exprs));
            let template = (overriding == 0 || dice(2) > 0).then(|| template(dice, builder, &names));
            cases.push(Case { guard, fields: fields.into(), template, owner: "small".into(), ..Case::default() });
        }
        let mut pattern = Pattern::any(4);
        if made.opcode_bits > 0 {
            pattern = pattern.with_bit(3, opcode == 1);
        }
        let encoding = encoding(builder, format!("s{opcode}"), made.space, pattern, cases);
        builder.encoding(encoding);
    }
}
