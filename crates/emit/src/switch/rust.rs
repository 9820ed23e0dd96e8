//! Straight code in Rust: the module `straight` of a generated codec.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use isaglot_invariant::Impossible as _;

use super::{Indices, arms, block, places, roots, shape, sub_targets, table};
use crate::blueprint::Blueprint;
use crate::runtime::tables::{Calc, Code, LIST, ONE, Op, PAD, Type};

/// What stands before the programs.
const HEAD: &str = include_str!("head.rs.in");

/// The entrance, up to its table of programs.
const RUN: &str = "\
/// Runs the program at `program`; see `runtime::quick`.
#[inline(always)]
pub(super) fn run(
    program: u32,
    at: usize,
    w: &Limbs,
    hooks: &mut dyn Hooks,
    line: &mut Line<'_, '_>,
    o: &mut Out<'_>,
) -> Option<usize> {
    let c = &mut C { hooks, line };
    match program {
";

/// The module.
#[must_use]
pub fn write(b: &Blueprint<'_>) -> String {
    let mut out = String::from(HEAD);
    let mut indices = Indices::default();
    let mut tables: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut values: BTreeMap<u32, String> = BTreeMap::new();
    for at in places(b) {
        let mut body = String::new();
        let mut ended = false;
        for op in block(b, at) {
            ended |= step(b, op, &mut body, &mut indices, &mut tables, &mut values);
        }
        if !ended {
            body.push_str("    Some(at)\n");
        }
        let _ = write!(out, "fn b{at}(w: &Limbs, o: &mut Out, at: usize, c: &mut C) -> Option<usize> {{\n{body}}}\n\n");
    }
    for (n, table) in tables {
        let _ = writeln!(
            out,
            "#[inline]\nfn j{n}(w: &Limbs, o: &mut Out, at: usize, c: &mut C, index: usize) -> Option<usize> {{\n    match index {{"
        );
        for line in matched(&table, &|place| format!("b{place}(w, o, at, c)")) {
            let _ = writeln!(out, "        {line},");
        }
        out.push_str("    }\n}\n\n");
    }
    out.extend(values.into_values());
    for (runs, n) in indices.all() {
        let parts: Vec<String> = runs.iter().map(|r| format!("x(w[{}], {}, {})", r.0, r.1, r.2)).collect();
        let _ = write!(out, "#[inline(always)]\nfn i{n}(w: &Limbs) -> usize {{\n    {}\n}}\n\n", parts.join(" | "));
    }
    tree(b, &mut out);
    out.push_str(RUN);
    for at in roots(b) {
        let _ = writeln!(out, "        {at} => b{at}(w, o, at, c),");
    }
    out.push_str("        _ => None,\n    }\n}\n");
    out
}

/// Appends the decision tree of instructions.
fn tree(b: &Blueprint<'_>, out: &mut String) {
    let text = |entry: u32| match (entry & LIST, entry & ONE) {
        (0, 0) => format!("t{entry}(w)"),
        (0, _) => format!("one({})", entry & !ONE),
        _ => format!("list({})", entry & !LIST),
    };
    let root = b.spaces.get(b.root as usize).map_or(LIST, |space| space.root);
    let (mut known, mut work) = (BTreeSet::new(), vec![root]);
    while let Some(at) = work.pop() {
        let Some(node) = b.tree.get(at as usize).filter(|_| at & (LIST | ONE) == 0 && known.insert(at)) else {
            continue;
        };
        let entries = b.entries.get(node.base as usize..(node.base + node.mask) as usize + 1).or_impossible(&[]);
        let bits = limb(node.limb, node.shift);
        let _ = writeln!(out, "#[inline]\nfn t{at}(w: &Limbs) -> u32 {{\n    match {bits} & {:#x} {{", node.mask);
        for line in matched(entries, &text) {
            let _ = writeln!(out, "        {line},");
        }
        out.push_str("    }\n}\n\n");
        work.extend(entries);
    }
    let _ = writeln!(
        out,
        "/// Where an instruction leads in the decision tree.\n#[inline]\npub(super) fn tree(w: &Limbs) -> u32 {{\n    {}\n}}\n",
        text(root)
    );
}

/// The arms of a match that has a value for each index.
fn matched(table: &[u32], text: &dyn Fn(u32) -> String) -> Vec<String> {
    let mut arms = arms(table);
    let last = arms.pop();
    let mut lines: Vec<String> = arms
        .into_iter()
        .map(|(value, ranges)| {
            let ranges: Vec<String> = ranges
                .iter()
                .map(|(from, to)| if from == to { from.to_string() } else { format!("{from}..={to}") })
                .collect();
            format!("{} => {}", ranges.join(" | "), text(value))
        })
        .collect();
    lines.push(format!("_ => {}", last.map_or("list(0)".to_owned(), |last| text(last.0))));
    lines
}

/// Appends a step; whether it ends the program.
fn step(
    b: &Blueprint<'_>,
    op: &Op,
    body: &mut String,
    indices: &mut Indices,
    tables: &mut BTreeMap<u32, Vec<u32>>,
    values: &mut BTreeMap<u32, String>,
) -> bool {
    let n = op.3;
    let mut index = || indices.of(b, op).map_or("0".to_owned(), |i| format!("i{i}(w)"));
    let line = match op.0 {
        Code::End => return false,
        Code::Bail => {
            body.push_str("    None\n");
            return true;
        }
        Code::Goto => {
            let _ = writeln!(body, "    b{n}(w, o, at, c)");
            return true;
        }
        Code::Jump | Code::JumpMany => {
            tables.entry(n).or_insert_with(|| table(b, op));
            let _ = writeln!(body, "    j{n}(w, o, at, c, {})", index());
            return true;
        }
        Code::Call | Code::CallMany => {
            tables.entry(n).or_insert_with(|| table(b, op));
            format!("j{n}(w, o, at, c, {})?", index())
        }
        Code::Text => {
            let (from, len) = ((n >> 8) as usize, (n & 255) as usize);
            let text = b.text.get(from..from + len).or_impossible(&[]);
            format!("o.text(at, {})", crate::rust::tables::bytes(text))
        }
        Code::Pick | Code::PickMany => {
            let (longest, sound) = shape(b, op);
            let at = match n {
                0 => index(),
                n => format!("{n} + {}", index()),
            };
            match (longest <= PAD, sound) {
                (true, true) => format!("pick(o, at, {at})"),
                (true, false) => format!("try_pick(o, at, {at})?"),
                (false, _) => format!("long_pick(o, at, {at})?"),
            }
        }
        Code::Bits => {
            let (limb, shift, width) = op.1;
            let mask = isaglot_bits::limbs::mask(u32::from(width));
            let bits = self::limb(limb, shift);
            number(b, n, &format!("{bits} & {mask:#x}"))
        }
        Code::Scalar => {
            let (node, way) = b.scalars.get(n as usize).copied().or_impossible((0, 0));
            number(b, way, &value(b, node, values))
        }
        Code::Branch => {
            let (node, way) = b.scalars.get(n as usize).copied().or_impossible((0, 0));
            format!("c.branch(o, at, {}, {way})?", value(b, node, values))
        }
        Code::Custom => {
            let (node, reference) = b.scalars.get(n as usize).copied().or_impossible((0, 0));
            format!("c.custom(o, at, {}, {reference})?", value(b, node, values))
        }
        Code::Align => format!("o.blanks(at, {n})"),
        Code::Expect => {
            let (node, wanted) = b.expects.get(n as usize).copied().or_impossible((0, 0));
            let _ = writeln!(body, "    if {} != {wanted:#x} {{\n        return None;\n    }}", value(b, node, values));
            return false;
        }
        Code::If => {
            let (node, then, other) = b.ifs.get(n as usize).copied().or_impossible((0, 0, 0));
            let value = value(b, node, values);
            format!("if {value} != 0 {{ b{then}(w, o, at, c)? }} else {{ b{other}(w, o, at, c)? }}")
        }
        Code::Sub => {
            let (_, _, space, from) = b.subs.get(n as usize).copied().or_impossible((0, 0, 0, 0));
            let all: BTreeSet<u32> = sub_targets(b, space, from).into_iter().collect();
            let arms: String = all.iter().map(|at| format!("        {at} => b{at}(w, o, at, c)?,\n")).collect();
            format!("match decide(&ISA, Code::Sub, {n}, w)? {{\n{arms}        _ => return None,\n    }}")
        }
    };
    let _ = writeln!(body, "    let at = {line};");
    false
}

/// A limb without its low bits.
fn limb(limb: u8, shift: u8) -> String {
    if shift == 0 { format!("w[{limb}]") } else { format!("w[{limb}] >> {shift}") }
}

/// The step that prints a value in a way.
fn number(b: &Blueprint<'_>, way: u32, value: &str) -> String {
    let (ty, width) = b.ways.get(way as usize).copied().or_impossible((Type::Uint, 64));
    match ty {
        Type::Uint => format!("o.put_unsigned(at, {value})"),
        Type::Hex => format!("o.put_hex(at, {value})"),
        Type::Int => format!("o.put_signed(at, sign_extend({value}, {width}) as i64)"),
        _ => format!("c.number(o, at, {value}, {way})"),
    }
}

/// The call of the function of a value; it and those that it needs are added first.
fn value(b: &Blueprint<'_>, node: u32, made: &mut BTreeMap<u32, String>) -> String {
    if !made.contains_key(&node) {
        let mut of = |node: u32| value(b, node, made);
        let body = match b.calcs.get(node as usize).copied().or_impossible(Calc::Const(0)) {
            Calc::Const(value) => format!("0x{value:x}"),
            Calc::Bits(lo, width) => format!("extract(w, {lo}, {width})"),
            Calc::Unary(op, ty, x) => format!("calc::unary(Unary::{op:?}, {ty:?}, {})", of(x)),
            Calc::Binary(op, ty, x, y) => format!("calc::binary(Binary::{op:?}, {ty:?}, {}, {})", of(x), of(y)),
            Calc::Select(c, x, y) => format!("if {} != 0 {{ {} }} else {{ {} }}", of(c), of(x), of(y)),
            Calc::Cast(ty, x) => format!("calc::wrap({ty:?}, {})", of(x)),
            Calc::Field(_) | Calc::Gen => "0".to_owned(),
        };
        made.insert(node, format!("#[inline]\nfn v{node}(w: &Limbs) -> u64 {{\n    {body}\n}}\n\n"));
    }
    format!("v{node}(w)")
}
