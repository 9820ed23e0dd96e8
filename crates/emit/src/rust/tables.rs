//! A blueprint's tables as Rust.

use std::fmt::Write;

use crate::blueprint::Blueprint;
use crate::names;
use crate::runtime::tables::{Calc, LIST, NONE, ONE, Part, Range, Run, Type, X};

/// Columns of generated tables.
const WIDTH: usize = 118;

/// Appends `static NAME: [TYPE; N] = [ … ];`.
fn array(out: &mut String, ty: &str, name: &str, items: impl Iterator<Item = String>) {
    let (mut lines, mut line, mut count) = (String::new(), String::new(), 0);
    // Long lists of numbers do without blanks.
    let blank = if ty.starts_with('u') { "" } else { " " };
    for item in items {
        count += 1;
        if line.len() + item.len() + 6 > WIDTH && !line.is_empty() {
            let _ = write!(lines, "\n    {}", line.trim_start());
            line.clear();
        }
        let _ = write!(line, "{blank}{item},");
    }
    if count > 0 {
        let _ = write!(lines, "\n    {}\n", line.trim_start());
    }
    let _ = write!(out, "pub(super) static {}: [{ty}; {count}] = [{lines}];\n\n", name.to_ascii_uppercase());
}

fn number(n: u32) -> String {
    if n == NONE { "NONE".to_owned() } else { n.to_string() }
}

fn list(n: u32) -> String {
    match (n & LIST, n & ONE) {
        (0, 0) => n.to_string(),
        (0, _) => format!("one({})", n & !ONE),
        _ => format!("list({})", n & !LIST),
    }
}

fn range(r: Range) -> String {
    format!("({}, {})", r.0, r.1)
}

fn ty(ty: Type) -> String {
    format!("Type::{ty:?}")
}

fn calc(node: &Calc) -> String {
    match node {
        Calc::Unary(op, ty, x) => format!("Calc::Unary(Unary::{op:?}, {ty:?}, {x})"),
        Calc::Binary(op, ty, x, y) => format!("Calc::Binary(Binary::{op:?}, {ty:?}, {x}, {y})"),
        other => format!("Calc::{other:?}"),
    }
}

fn run(run: Run) -> String {
    if run == X { "X".to_owned() } else { format!("({},{},{})", run.0, run.1, run.2) }
}

/// A byte string literal.
#[must_use]
pub fn bytes(text: &[u8]) -> String {
    let mut out = String::from("b\"");
    for &byte in text {
        let _ = write!(out, "{}", std::ascii::escape_default(byte));
    }
    out.push('"');
    out
}

/// The types of words and values, and how they become limbs.
fn words(b: &Blueprint<'_>) -> String {
    let n = b.limb_count;
    let value = match n {
        1 => "u64".to_owned(),
        2 => "u128".to_owned(),
        n => format!("[u64; {n}]"),
    };
    let word = if b.max_bits <= 32 { "u32".to_owned() } else { value.clone() };
    let into = |ty: &str| match ty {
        "u32" => "[u64::from(value)]",
        "u64" => "[value]",
        "u128" => "[value as u64, (value >> 64) as u64]",
        _ => "value",
    };
    let from = |ty: &str| match ty {
        "u32" => "limbs[0] as u32",
        "u64" => "limbs[0]",
        "u128" => "u128::from(limbs[0]) | u128::from(limbs[1]) << 64",
        _ => "*limbs",
    };
    let mut out = String::new();
    let _ = write!(
        out,
        "/// Bits of the longest instruction.\npub const MAX_BITS: u32 = {};\n\n\
         /// An instruction word; bit 0 is the least significant bit.\npub type Word = {word};\n\n\
         /// The value of a field.\npub type FieldValue = {value};\n\n",
        b.max_bits
    );
    for (name, back, ty, plain) in
        [("limbs_of", "word_of", &word, "Word"), ("limbs_of_value", "value_of", &value, "FieldValue")]
    {
        let _ = write!(
            out,
            "#[inline(always)]\npub(super) fn {name}(value: {plain}) -> Limbs {{\n    {}\n}}\n\n\
             #[inline(always)]\npub(super) fn {back}(limbs: &Limbs) -> {plain} {{\n    {}\n}}\n\n",
            into(ty),
            from(ty)
        );
    }
    out
}

/// An enum with all its variants in a table.
fn variants(out: &mut String, name: &str, about: &str, variants: &[String], texts: &[&str]) {
    let _ = writeln!(
        out,
        "/// {about}\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\n#[repr(u32)]\npub enum {name} {{"
    );
    for (variant, text) in variants.iter().zip(texts) {
        let _ = writeln!(out, "    /// `{}`", text.escape_default());
        let _ = writeln!(out, "    {variant},");
    }
    let _ =
        write!(out, "}}\n\nimpl {name} {{\n    /// All of them, by number.\n    pub const ALL: &'static [{name}] = &[");
    let mut line = String::new();
    for variant in variants {
        if line.len() + variant.len() + name.len() + 14 > WIDTH {
            let _ = write!(out, "\n       {line}");
            line.clear();
        }
        let _ = write!(line, " {name}::{variant},");
    }
    let _ = write!(out, "\n       {line}\n    ];\n}}\n\n");
}

/// The module `description` of a generated codec.
#[must_use]
pub fn write(b: &Blueprint<'_>) -> String {
    let mut out = String::from("use super::runtime::tables::Code::*;\nuse super::runtime::tables::*;\n\n");
    let o = &mut out;
    o.push_str(&words(b));
    let (mut leaves, mut names) = (names::rust_leaves(b), names::rust_fields(b));
    let (mut leaf_texts, mut name_texts): (Vec<&str>, Vec<&str>) =
        (b.leaves.iter().map(|l| l.name).collect(), b.names.clone());
    for (variants, texts) in [(&mut leaves, &mut leaf_texts), (&mut names, &mut name_texts)] {
        if variants.is_empty() {
            // An enum without variants has no numbers.
            variants.push("Nothing".to_owned());
            texts.push("");
        }
    }
    variants(o, "Leaf", "The encodings.", &leaves, &leaf_texts);
    variants(o, "Name", "The names of fields.", &names, &name_texts);
    let rules = b.lengths.iter().map(|r| format!("(0x{:x}, 0x{:x}, {})", r.0, r.1, r.2));
    array(o, "(u64, u64, u32)", "lengths", rules);
    let spaces = b.spaces.iter().map(|s| {
        let (root, first_wins, first) = (list(s.root), s.first_wins, s.first);
        format!("Space {{ root: {root}, first_wins: {first_wins}, first: {first} }}")
    });
    array(o, "Space", "spaces", spaces);
    let nodes = b.tree.iter().map(|n| format!("node({}, {}, {}, {})", n.limb, n.shift, n.mask, n.base));
    array(o, "Node", "tree", nodes);
    array(o, "u32", "entries", b.entries.iter().map(|&e| list(e)));
    array(o, "Range", "lists", b.lists.iter().map(|&r| range(r)));
    array(o, "u32", "listed", b.listed.iter().map(ToString::to_string));
    let leaves = b.leaves.iter().map(|l| {
        let (except, cases, needs, branches) = (range(l.except), range(l.cases), range(l.needs), l.branches);
        let (width, pattern, program) = (l.width, l.pattern, l.program);
        let shape = format!("({width}, {pattern}, {}, {})", l.dont_care, l.knotted);
        let names = format!("({:?}, {:?})", l.name, l.display);
        format!("leaf({names}, {shape}, ({except}, {cases}), ({program}, {needs}, {branches}))")
    });
    array(o, "Encoding<'static>", "leaves", leaves);
    array(o, "u32", "excepts", b.excepts.iter().map(ToString::to_string));
    array(o, "u32", "needs", b.needs.iter().map(ToString::to_string));
    array(o, "u64", "limbs", b.limbs.iter().map(|l| format!("0x{l:x}")));
    array(o, "u32", "case_lists", b.case_lists.iter().map(ToString::to_string));
    let preferred = b.preferred.iter().map(|p| format!("({}, {}, 0x{:x}, 0x{:x})", p.0, p.1, p.2, p.3));
    array(o, "(u32, u32, u64, u64)", "preferred", preferred);
    let cases = b.cases.iter().map(|c| {
        let (guard, template) = (number(c.guard), number(c.template));
        let (fields, asserts) = (range(c.fields), range(c.asserts));
        format!("case({guard}, {fields}, {asserts}, {template}, {:?})", c.owner)
    });
    array(o, "Case<'static>", "cases", cases);
    let fields = b.fields.iter().map(|f| {
        let (name, width, derived) = (f.name, f.width, number(f.derived));
        let (ty, pieces, params) = (ty(f.ty), range(f.pieces), range(f.params));
        format!("field({name}, {ty}, {width}, {derived}, {pieces}, {params})")
    });
    array(o, "Field", "fields", fields);
    let pieces = b.pieces.iter().map(|p| match p.lo {
        NONE => format!("implied({}, 0x{:x})", p.width, p.implied),
        lo => format!("bits({lo}, {})", p.width),
    });
    array(o, "Piece", "pieces", pieces);
    array(o, "(u32, u32)", "params", b.params.iter().map(|&r| range(r)));
    array(o, "(u32, u32, u32)", "asserts", b.asserts.iter().map(|a| format!("{a:?}")));
    array(o, "Expr", "exprs", b.exprs.iter().map(|e| format!("{e:?}")));
    array(o, "u32", "expr_fields", b.expr_fields.iter().map(ToString::to_string));
    array(o, "Calc", "expr_nodes", b.expr_nodes.iter().map(calc));
    array(o, "Range", "templates", b.templates.iter().map(|&r| range(r)));
    let parts = b.parts.iter().map(|part| match part {
        Part::Literal(text) => format!("Part::Literal({})", bytes(text)),
        other => format!("Part::{other:?}"),
    });
    array(o, "Part<'static>", "parts", parts);
    array(o, "Range", "enums", b.enums.iter().map(|&r| range(r)));
    array(o, "(u64, &str)", "values", b.values.iter().map(|v| format!("{v:?}")));
    array(o, "&str", "names", b.names.iter().map(|n| format!("{n:?}")));
    let ops = b.ops.iter().map(|op| format!("Op({:?},{},{},{})", op.0, run(op.1), run(op.2), op.3));
    array(o, "Op", "ops", ops);
    array(o, "u32", "picks", b.picks.iter().map(|&p| number(p)));
    array(o, "u32", "jumps", b.jumps.iter().map(ToString::to_string));
    array(o, "Run", "runs", b.runs.iter().map(|r| run(*r)));
    array(o, "(u32, u32)", "scalars", b.scalars.iter().map(|&r| range(r)));
    array(o, "(Type, u32)", "ways", b.ways.iter().map(|w| format!("({}, {})", ty(w.0), w.1)));
    array(o, "&str", "references", b.references.iter().map(|r| format!("{r:?}")));
    array(o, "(u32, u32, u32)", "ifs", b.ifs.iter().map(|i| format!("{i:?}")));
    array(o, "(u32, u32, u32, u32)", "subs", b.subs.iter().map(|s| format!("{s:?}")));
    array(o, "(u32, u64)", "targets", b.targets.iter().map(|t| format!("({}, 0x{:x})", t.0, t.1)));
    array(o, "(u32, u64)", "expects", b.expects.iter().map(|e| format!("({}, 0x{:x})", e.0, e.1)));
    array(o, "Calc", "calcs", b.calcs.iter().map(calc));
    text_pool(o, &b.text);
    let _ = writeln!(
        o,
        "/// All tables: a constant, so that a compiler sees what is in it wherever it is used.\npub(super) const ISA: Isa<'static> = Isa {{"
    );
    let (generation, max_bits, parcel_bits) = (b.generation, b.max_bits, b.parcel_bits);
    let _ = writeln!(o, "    generation: {generation},\n    max_bits: {max_bits},\n    parcel_bits: {parcel_bits},");
    let _ = writeln!(o, "    little: {},\n    value_bits: {},\n    root: {},", b.little, b.value_bits, b.root);
    for table in TABLES {
        let _ = writeln!(o, "    {table}: &{},", table.to_ascii_uppercase());
    }
    o.push_str("};\n");
    out
}

/// The bytes of texts, as literals of a line each.
fn text_pool(out: &mut String, text: &[u8]) {
    let _ = writeln!(out, "pub(super) static TEXT: [u8; {}] = *b\"\\", text.len());
    let mut line = String::new();
    for &byte in text {
        // A blank at the start of a line would not count.
        let escaped = match byte {
            b' ' if line.is_empty() => "\\x20".to_owned(),
            byte => std::ascii::escape_default(byte).to_string(),
        };
        line.push_str(&escaped);
        if line.len() > WIDTH - 6 {
            let _ = writeln!(out, "{line}\\");
            line.clear();
        }
    }
    let _ = writeln!(out, "{line}\";\n");
}

/// The fields of `Isa` that are tables.
const TABLES: &[&str] = &[
    "lengths",
    "spaces",
    "tree",
    "entries",
    "lists",
    "listed",
    "leaves",
    "excepts",
    "needs",
    "limbs",
    "case_lists",
    "preferred",
    "cases",
    "fields",
    "pieces",
    "params",
    "asserts",
    "exprs",
    "expr_fields",
    "expr_nodes",
    "templates",
    "parts",
    "enums",
    "values",
    "names",
    "ops",
    "picks",
    "jumps",
    "runs",
    "scalars",
    "ways",
    "references",
    "ifs",
    "subs",
    "targets",
    "expects",
    "calcs",
    "text",
];
