//! The tables of a blueprint as rows of cells: what generated C and generated Rust both write.
//!
//! A row says what is in it; how a cell and a row read is the printer's ([`crate::c::tables`], [`crate::rust::tables`]).
//! The members of a row stand in the order of the C structure. Rust calls a function or a constructor, whose arguments
//! may stand in another order: the table's `rust` form has the number of a cell wherever its text goes. So a row
//! `[Int(1), Hex(16)]` reads `{1, UINT64_C(0x10)}` in C, `(1, 0x10)` in Rust without a form, and `two(0x10, 1)` with the
//! form `two(1, 0)`.

use crate::blueprint::Blueprint;
use crate::runtime::tables::{Calc, Code, Part, Piece, Range, Run, Type};

/// One value of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell<'b> {
    /// A number, in decimal.
    Int(u32),
    /// A number, or none.
    Number(u32),
    /// An entry of a decision tree: a node, a list or an encoding.
    Entry(u32),
    /// A number in hexadecimal.
    Hex(u64),
    /// The value of an enum: hexadecimal in C, decimal in Rust.
    Value(u64),
    Bool(bool),
    Range(Range),
    Run(Run),
    Type(Type),
    Piece(Piece),
    Calc(Calc),
    Code(Code),
    Part(Part<'b>),
    /// A text with its length.
    Text(&'b str),
    /// A text without its length, in C.
    Pointer(&'b str),
    /// A byte of the texts that are copied.
    Byte(u8),
}

/// One table.
pub(crate) struct Table<'b> {
    /// The member of `Isa` that it is.
    pub(crate) name: &'static str,
    /// The type of a row in C.
    pub(crate) c: &'static str,
    /// The type of a row in Rust.
    pub(crate) rust: &'static str,
    /// How a row reads in Rust: the numbers of cells stand for their texts. If empty, a row is a tuple of its cells.
    pub(crate) form: &'static str,
    /// The rows.
    pub(crate) rows: Box<dyn Iterator<Item = Vec<Cell<'b>>> + 'b>,
}

/// The words of a name in camel case, in upper case: `PickMany` is `PICK_MANY`. What follows a `(` is left out.
pub(crate) fn upper_words(value: &impl std::fmt::Debug) -> String {
    let mut out = String::new();
    for c in format!("{value:?}").chars().take_while(|&c| c != '(') {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}

/// All tables, in the order in which they are written.
pub(crate) fn all<'b>(b: &'b Blueprint<'_>) -> Vec<Table<'b>> {
    use Cell::{Bool, Byte, Entry, Hex, Int, Number, Pointer, Text, Value};
    use Cell::{Calc as Node, Code as Step, Part as Portion, Piece as Bits, Range as Span, Run as Index, Type as Kind};
    fn table<'b, T, const N: usize>(
        name: &'static str,
        (c, rust, form): (&'static str, &'static str, &'static str),
        items: &'b [T],
        row: impl Fn(&'b T) -> [Cell<'b>; N] + 'b,
    ) -> Table<'b> {
        let rows = Box::new(items.iter().map(move |item| row(item).to_vec()));
        Table { name, c, rust, form, rows }
    }
    const U32: (&str, &str, &str) = ("uint32_t", "u32", "");
    const RANGE: (&str, &str, &str) = ("struct range", "Range", "");
    const CALC: (&str, &str, &str) = ("struct calc", "Calc", "");
    let space = ("struct space", "Space", "Space { root: 0, first_wins: 2, refuses: 3, first: 1 }");
    let leaf = ("struct leaf", "Encoding<'static>", "leaf((0, 1), (2, 3, 8, 9), (4, 5), (7, 6, 10))");
    let expr = ("struct expr", "Expr", "Expr { fields: 0, nodes: 1 }");
    vec![
        table("lengths", ("struct length_rule", "(u64, u64, u32)", ""), &b.lengths, |r| [Hex(r.0), Hex(r.1), Int(r.2)]),
        table("spaces", space, &b.spaces, |s| [Entry(s.root), Int(s.first), Bool(s.first_wins), Bool(s.refuses)]),
        table("tree", ("struct node", "Node", "node(0, 1, 2, 3)"), &b.tree, |n| {
            [Int(n.limb.into()), Int(n.shift.into()), Int(n.mask), Int(n.base)]
        }),
        table("entries", U32, &b.entries, |&e| [Entry(e)]),
        table("lists", RANGE, &b.lists, |&r| [Span(r)]),
        table("listed", U32, &b.listed, |&n| [Int(n)]),
        table("leaves", leaf, &b.leaves, |l| {
            [
                Text(l.name),
                Text(l.display),
                Int(l.width),
                Int(l.pattern),
                Span(l.except),
                Span(l.cases),
                Span(l.needs),
                Int(l.program),
                Bool(l.dont_care),
                Bool(l.knotted),
                Bool(l.branches),
            ]
        }),
        table("excepts", U32, &b.excepts, |&n| [Int(n)]),
        table("needs", U32, &b.needs, |&n| [Int(n)]),
        table("limbs", ("uint64_t", "u64", ""), &b.limbs, |&l| [Hex(l)]),
        table("case_lists", U32, &b.case_lists, |&n| [Int(n)]),
        table("preferred", ("struct preference", "(u32, u32, u64, u64)", ""), &b.preferred, |p| {
            [Int(p.0), Int(p.1), Hex(p.2), Hex(p.3)]
        }),
        table("cases", ("struct lcase", "Case<'static>", "case(0, 2, 3, 1, 4)"), &b.cases, |c| {
            [Number(c.guard), Number(c.template), Span(c.fields), Span(c.asserts), Text(c.owner)]
        }),
        table("fields", ("struct field", "Field", "field(0, 3, 1, 2, 4, 5)"), &b.fields, |f| {
            [Int(f.name), Int(f.width), Number(f.derived), Kind(f.ty), Span(f.pieces), Span(f.params)]
        }),
        table("pieces", ("struct piece", "Piece", ""), &b.pieces, |&p| [Bits(p)]),
        table("params", ("struct param", "(u32, u32)", ""), &b.params, |&r| [Span(r)]),
        table("asserts", ("struct assertion", "(u32, u32, u32)", ""), &b.asserts, |a| [Int(a.0), Int(a.1), Int(a.2)]),
        table("exprs", expr, &b.exprs, |e| [Span(e.fields), Span(e.nodes)]),
        table("expr_fields", U32, &b.expr_fields, |&n| [Int(n)]),
        table("expr_nodes", CALC, &b.expr_nodes, |&c| [Node(c)]),
        table("templates", RANGE, &b.templates, |&r| [Span(r)]),
        table("parts", ("struct part", "Part<'static>", ""), &b.parts, |&p| [Portion(p)]),
        table("enums", RANGE, &b.enums, |&r| [Span(r)]),
        table("values", ("struct value", "(u64, &str)", ""), &b.values, |v| [Value(v.0), Text(v.1)]),
        table("names", ("struct str", "&str", ""), &b.names, |&text| [Text(text)]),
        table("ops", ("struct op", "Op", "Op(0,1,2,3)"), &b.ops, |o| [Step(o.0), Index(o.1), Index(o.2), Int(o.3)]),
        table("picks", U32, &b.picks, |&p| [Number(p)]),
        table("jumps", U32, &b.jumps, |&n| [Int(n)]),
        table("runs", ("struct bits", "Run", ""), &b.runs, |&r| [Index(r)]),
        table("scalars", ("struct scalar", "(u32, u32)", ""), &b.scalars, |&r| [Span(r)]),
        table("ways", ("struct way", "(Type, u32)", ""), &b.ways, |w| [Kind(w.0), Int(w.1)]),
        table("references", ("char *const", "&str", ""), &b.references, |&text| [Pointer(text)]),
        table("ifs", ("struct choice", "(u32, u32, u32)", ""), &b.ifs, |i| [Int(i.0), Int(i.1), Int(i.2)]),
        table("subs", ("struct sub", "(u32, u32, u32, u32)", ""), &b.subs, |s| {
            [Int(s.0), Int(s.1), Int(s.2), Int(s.3)]
        }),
        table("targets", ("struct target", "(u32, u64)", ""), &b.targets, |t| [Int(t.0), Hex(t.1)]),
        table("expects", ("struct expectation", "(u32, u64)", ""), &b.expects, |e| [Int(e.0), Hex(e.1)]),
        table("calcs", CALC, &b.calcs, |&c| [Node(c)]),
        table("text", ("char", "u8", ""), &b.text, |&byte| [Byte(byte)]),
    ]
}
