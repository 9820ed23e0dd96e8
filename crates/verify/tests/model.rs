//! Models made with the builder: what it refuses (every code of the `model-…` family), and what no isaspec description
//! can say but a check must still get right: features, words of two lengths, the most specific encoding.

use isaglot_bits::{BitRange, Pattern, Word};
use isaglot_model::{
    Builder, ByteOrder, Case, Condition, Encoding, EnumId, Expansion, Expr, Feature, FeatureId, Field, FieldSource,
    FieldType, GenRange, IntType, LengthRule, Node, Operand, OperandKind, Overlap, Piece, RegisterFile, Space, SpaceId,
    Table, Width, WordFormat,
};
use isaglot_source::{Diagnostics, Span};

const NOWHERE: Span = Span::NOWHERE;

fn space(b: &mut Builder, name: &str, width: u32, overlap: Overlap) -> SpaceId {
    let name = b.name(name);
    b.space(Space { name, width, overlap, ..Space::default() })
}

/// A space of 8 bits for instructions.
fn root(b: &mut Builder) -> SpaceId {
    let root = space(b, "root", 8, Overlap::Conflict);
    b.root(root);
    root
}

fn encoding(b: &mut Builder, space: SpaceId, name: &str, pattern: &str) -> Encoding {
    let pattern = Pattern::parse(pattern).expect("a pattern");
    let (display_name, width) = (name.to_owned(), pattern.width());
    let (name, dont_care) = (b.name(name), Word::zero(width));
    Encoding { name, display_name: display_name.into(), space, width, pattern, dont_care, ..Encoding::default() }
}

fn field(b: &mut Builder, name: &str, low: u32, width: u32, ty: FieldType) -> Field {
    let source = FieldSource::Bits(vec![Piece::Bits(BitRange::new(low, width))]);
    Field { name: b.name(name), source, width, ty, params: Vec::new(), doc: String::new(), span: NOWHERE }
}

fn case(fields: Vec<Field>) -> Case {
    Case { fields: fields.into(), ..Case::default() }
}

fn feature(b: &mut Builder, name: &str, implies: Vec<FeatureId>) -> FeatureId {
    b.feature(Feature {
        name: name.to_owned(),
        implies,
        excludes: None,
        default: false,
        doc: String::new(),
        span: NOWHERE,
    })
}

/// A root of 8 bits with one field `A` of 4 bits of this type.
fn one_field(b: &mut Builder, change: impl FnOnce(&mut Builder, &mut Field)) {
    let root = root(b);
    let mut a = field(b, "A", 0, 4, FieldType::Uint);
    change(b, &mut a);
    let mut e = encoding(b, root, "e", "0000----");
    e.cases.push(case(vec![a]));
    b.encoding(e);
}

fn formatted(b: &mut Builder, parcel_bits: u32, max_bits: u32) {
    b.format(WordFormat { parcel_bits, max_bits, byte_order: ByteOrder::Little, lengths: Vec::new() });
}

fn expr(nodes: Vec<Node>) -> Expr {
    Expr { name: "x".to_owned(), nodes, fields: Vec::new(), text: String::new(), span: NOWHERE }
}

type Make = fn(&mut Builder);

/// A model for each code, wrong in that way.
const REFUSED: [(&str, Make); 17] = [
    ("model-no-root", |b| assert_eq!(space(b, "root", 8, Overlap::Conflict), SpaceId(0))),
    ("model-contexts", |b| {
        b.context(FeatureId(7));
        one_field(b, |_, _| ());
    }),
    ("model-cycle", |b| one_field(b, |b, f| *f = field(b, "A", 0, 8, FieldType::Sub(SpaceId(0))))),
    ("model-dangling", |b| one_field(b, |_, f| f.ty = FieldType::Enum(EnumId(7)))),
    ("model-derived-sub", |b| {
        one_field(b, |b, f| {
            let one = b.expr(expr(vec![Node::Const(1, IntType::I32)]));
            (f.source, f.ty) = (FieldSource::Derived(one), FieldType::Sub(SpaceId(0)));
        });
    }),
    ("model-expr", |b| {
        b.expr(expr(Vec::new()));
        one_field(b, |_, _| ());
    }),
    ("model-field-twice", |b| {
        let root = root(b);
        let (one, two) = (field(b, "A", 0, 4, FieldType::Uint), field(b, "A", 4, 4, FieldType::Uint));
        let mut e = encoding(b, root, "e", "--------");
        e.cases.push(case(vec![one, two]));
        b.encoding(e);
    }),
    ("model-float", |b| one_field(b, |_, f| f.ty = FieldType::Float)),
    ("model-format", |b| {
        formatted(b, 12, 24);
        one_field(b, |_, _| ());
    }),
    ("model-nesting", |b| {
        let spaces: Vec<SpaceId> = (0..20).map(|i| space(b, &format!("s{i}"), 8, Overlap::Conflict)).collect();
        b.root(spaces[0]);
        for (i, &s) in spaces.iter().enumerate() {
            let mut e = encoding(b, s, &format!("e{i}"), "--------");
            if let Some(&inner) = spaces.get(i + 1) {
                let f = field(b, "F", 0, 8, FieldType::Sub(inner));
                e.cases.push(case(vec![f]));
            }
            b.encoding(e);
        }
    }),
    ("model-operand", |b| {
        let root = root(b);
        let mut e = encoding(b, root, "e", "--------");
        let kind = OperandKind::Immediate(b.name("NOPE"));
        let operand = Operand {
            kind,
            access: isaglot_model::Access::Read,
            count: 1,
            varies: isaglot_model::Varies::default(),
            span: NOWHERE,
        };
        e.operands = vec![operand].into();
        b.encoding(e);
    }),
    ("model-pattern", |b| {
        let root = root(b);
        let mut e = encoding(b, root, "e", "0000----");
        e.dont_care = Word::ones(8);
        b.encoding(e);
    }),
    ("model-range", |b| {
        one_field(b, |_, f| f.source = FieldSource::Bits(vec![Piece::Bits(BitRange::new(6, 4))]));
    }),
    ("model-registers", |b| {
        let (name, width) = ("x".to_owned(), Width::Bits(32));
        b.register_file(RegisterFile {
            name,
            width,
            names: Vec::new(),
            aliases: Vec::new(),
            zero: None,
            within: None,
            span: NOWHERE,
        });
        one_field(b, |_, _| ());
    }),
    ("model-table", |b| {
        b.table(Table { name: "t".to_owned(), width: 8, rows: Vec::new().into(), span: NOWHERE });
        one_field(b, |_, _| ());
    }),
    ("model-expansion", |b| {
        let pattern = Pattern::any(8);
        b.expansion(Expansion {
            name: "short".to_owned(),
            width: 8,
            pattern,
            gens: GenRange::ALL,
            steps: Vec::new(),
            span: NOWHERE,
        });
        one_field(b, |_, _| ());
    }),
    ("model-width", |b| one_field(b, |_, f| f.width = 5)),
];

#[test]
fn every_code_of_the_model() {
    for (code, make) in REFUSED {
        let mut b = Builder::new("wrong");
        formatted(&mut b, 8, 8);
        make(&mut b);
        let mut out = Diagnostics::new();
        let isa = b.finish(&mut out);
        let codes: Vec<&str> = out.iter().map(|d| d.code).collect();
        assert!(isa.is_none() && codes.contains(&code), "{code}: found {codes:?}");
    }
}

#[test]
fn too_many_encodings() {
    let mut b = Builder::new("many");
    formatted(&mut b, 8, 8);
    let root = root(&mut b);
    let e = encoding(&mut b, root, "e", "--------");
    for _ in 0..=isaglot_model::limits::MAX_ENCODINGS {
        b.encoding(e.clone());
    }
    let mut out = Diagnostics::new();
    assert!(b.finish(&mut out).is_none());
    assert!(out.iter().any(|d| d.code == "model-too-many"));
}

fn check(b: Builder) -> (isaglot_model::Isa, isaglot_verify::Report) {
    let mut out = Diagnostics::new();
    let isa = b.finish(&mut out).expect("a sound model");
    let report = isaglot_verify::check(&isa, isaglot_verify::Options::default(), &mut |_, _| ());
    (isa, report)
}

/// Two encodings of one pattern: in conflict only if their features can be on together.
#[test]
fn features_keep_encodings_apart() {
    let make = |second: fn(FeatureId, FeatureId) -> Condition| {
        let mut b = Builder::new("features");
        formatted(&mut b, 8, 8);
        let root = root(&mut b);
        let base = feature(&mut b, "base", Vec::new());
        let more = feature(&mut b, "more", vec![base]);
        let mut x = encoding(&mut b, root, "x", "0000000-");
        x.condition = Condition::Feature(more);
        b.encoding(x);
        let mut y = encoding(&mut b, root, "y", "0000----");
        y.condition = second(base, more);
        b.encoding(y);
        check(b).1
    };
    let apart = make(|_, more| Condition::Not(Box::new(Condition::Feature(more))));
    assert!(apart.overlaps.is_empty());
    // `more` brings `base`, so without `base` there is no `more`.
    let implied = make(|base, _| Condition::Not(Box::new(Condition::Feature(base))));
    assert!(implied.overlaps.is_empty());
    let together = make(|base, _| Condition::Feature(base));
    assert_eq!(together.overlaps.len(), 1);
    assert_eq!(together.overlaps[0].features, [FeatureId(0), FeatureId(1)]);
    // Without features 0 words are claimed, with `base` 16, with both 16 of which 2 conflict.
    let counts: Vec<String> = (together.coverage.iter())
        .map(|c| {
            let text = |n: &Option<isaglot_bits::Count>| n.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("{}: {} {} {}", c.features.len(), text(&c.claimed), text(&c.conflicting), text(&c.free))
        })
        .collect();
    assert_eq!(counts, ["0: 0 0 256", "1: 16 0 240", "2: 16 2 240"]);
}

/// Where the more specific one is taken, overlaps are decided, but one that is always beaten is still never seen.
#[test]
fn the_most_specific_one() {
    let mut b = Builder::new("specific");
    formatted(&mut b, 8, 8);
    let root = space(&mut b, "root", 8, Overlap::MostSpecific);
    b.root(root);
    for (name, pattern) in [("any", "0-------"), ("mid", "01------"), ("low", "010-----"), ("high", "011-----")] {
        let e = encoding(&mut b, root, name, pattern);
        b.encoding(e);
    }
    let (isa, report) = check(b);
    assert!(report.overlaps.is_empty());
    let gone: Vec<&str> = report.unreachable.iter().map(|u| isa.text(isa[u.encoding].name)).collect();
    assert_eq!(gone, ["mid"]);
}

/// Words of 8 and 16 bits: the length rule keeps them apart, each length is counted alone.
#[test]
fn two_lengths() {
    let mut b = Builder::new("lengths");
    let rule = |pattern: &str, bits| LengthRule {
        pattern: Pattern::parse(pattern).expect("a pattern"),
        bits,
        condition: Condition::Always,
        span: NOWHERE,
    };
    let lengths = vec![rule("-------0", 8), rule("-------1", 16)];
    b.format(WordFormat { parcel_bits: 8, max_bits: 16, byte_order: ByteOrder::Little, lengths });
    let root = space(&mut b, "root", 16, Overlap::Conflict);
    b.root(root);
    for (name, pattern) in [("short", "0000---0"), ("long", "00000000-------1")] {
        let e = encoding(&mut b, root, name, pattern);
        b.encoding(e);
    }
    let (_, report) = check(b);
    assert!(report.overlaps.is_empty());
    let counts: Vec<String> = (report.coverage.iter())
        .map(|c| {
            format!("{} of {}", c.claimed.as_ref().map(ToString::to_string).unwrap_or_default(), c.universe.count())
        })
        .collect();
    assert_eq!(counts, ["8 of 128", "128 of 32768"]);
}
