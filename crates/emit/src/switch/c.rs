//! Straight code in C: the functions of quick programs, ended by `run`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use isaglot_invariant::Impossible as _;

use super::{Indices, arms, block, places, roots, shape, sub_targets, table};
use crate::blueprint::Blueprint;
use crate::c::tables::literal;
use crate::runtime::tables::{Binary, Calc, Code, Op, PAD, Type};

/// Not every description needs every function of the runtime.
const UNUSED: &str =
    "   (void)step;\n   (void)sub_target;\n   (void)pick;\n   (void)put_number;\n   (void)quick_copy;\n";

/// The parameters of a program, and what it hands on.
const PARAMETERS: &str = "const word_t *w, struct isaglot_out *o, size_t at, const struct line *line";
const ARGUMENTS: &str = "w, o, at, line";

/// The functions of quick programs for tables under the name `name`.
#[must_use]
pub fn write(b: &Blueprint<'_>, name: &str) -> String {
    let mut out = String::from("/* Quick programs as straight code. */\n\n");
    let mut indices = Indices::default();
    let mut tables: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut bodies = String::new();
    for at in places(b) {
        let _ = writeln!(out, "static size_t {name}_b{at}({PARAMETERS});");
        let _ = writeln!(bodies, "static size_t {name}_b{at}({PARAMETERS})\n{{");
        bodies.push_str("   (void)w;\n   (void)o;\n   (void)at;\n   (void)line;\n");
        let mut ended = false;
        for op in block(b, at) {
            ended |= step(b, op, name, &mut bodies, &mut indices, &mut tables);
        }
        bodies.push_str(if ended { "}\n\n" } else { "   return at;\n}\n\n" });
    }
    out.push('\n');
    for (runs, n) in indices.all() {
        let parts: Vec<String> = runs
            .iter()
            .map(|r| {
                let (limb, low, high) = (r.0, r.1, (64 - r.1) % 64);
                match r.1 {
                    0 => format!("((uint32_t)w->limb[{limb}] & {})", r.2),
                    _ => format!("((uint32_t)(w->limb[{limb}] >> {low} | w->limb[{limb}] << {high}) & {})", r.2),
                }
            })
            .collect();
        let parts = parts.join(" | ");
        let _ = writeln!(out, "static inline uint32_t {name}_i{n}(const word_t *w)\n{{\n   return {parts};\n}}\n");
    }
    for (n, table) in tables {
        let _ =
            writeln!(out, "static inline size_t {name}_j{n}(uint32_t index, {PARAMETERS})\n{{\n   switch (index) {{");
        let mut arms = arms(&table);
        let last = arms.pop();
        for (place, ranges) in arms {
            for i in ranges.iter().flat_map(|(from, to)| *from..=*to) {
                let _ = writeln!(out, "   case {i}:");
            }
            let _ = writeln!(out, "      return {name}_b{place}({ARGUMENTS});");
        }
        let last = last.map_or("NOWHERE".to_owned(), |l| format!("{name}_b{}({ARGUMENTS})", l.0));
        let _ = writeln!(out, "   default:\n      return {last};\n   }}\n}}\n");
    }
    out.push_str(&bodies);
    let _ = writeln!(
        out,
        "static size_t run(const struct isa *isa, uint32_t program, size_t at, const word_t *w,\n                  \
         const struct line *line, struct isaglot_out *o)\n{{\n   (void)isa;\n{UNUSED}   switch (program) {{"
    );
    for at in roots(b) {
        let _ = writeln!(out, "   case {at}:\n      return {name}_b{at}({ARGUMENTS});");
    }
    out.push_str("   default:\n      return NOWHERE;\n   }\n}\n");
    out
}

/// Appends a step; whether it ends the program.
fn step(
    b: &Blueprint<'_>,
    op: &Op,
    name: &str,
    body: &mut String,
    indices: &mut Indices,
    tables: &mut BTreeMap<u32, Vec<u32>>,
) -> bool {
    let n = op.3;
    let go = |at: u32| format!("{name}_b{at}({ARGUMENTS})");
    let mut index = || indices.of(b, op).map_or("0".to_owned(), |i| format!("{name}_i{i}(w)"));
    // A step that may not be able to go on.
    let checked = |step: String| format!("at = {step};\n   if (at == NOWHERE)\n      return NOWHERE;");
    let line = match op.0 {
        Code::End => return false,
        Code::Bail => {
            body.push_str("   return NOWHERE;\n");
            return true;
        }
        Code::Goto => {
            let _ = writeln!(body, "   return {};", go(n));
            return true;
        }
        Code::Jump | Code::JumpMany => {
            tables.entry(n).or_insert_with(|| table(b, op));
            let _ = writeln!(body, "   return {name}_j{n}({}, {ARGUMENTS});", index());
            return true;
        }
        Code::Call | Code::CallMany => {
            tables.entry(n).or_insert_with(|| table(b, op));
            checked(format!("{name}_j{n}({}, {ARGUMENTS})", index()))
        }
        Code::Text => {
            let (from, len) = ((n >> 8) as usize, (n & 255) as usize);
            let text = b.text.get(from..from + len).or_impossible(&[]);
            format!("at = quick_text(o, at, {}, {len});", literal(text))
        }
        Code::Pick | Code::PickMany => {
            let (longest, sound) = shape(b, op);
            let entry = format!("{name}_picks[{n} + {}]", index());
            match (longest <= PAD, sound) {
                (true, true) => format!("at = quick_short(o, at, {name}_text, {entry});"),
                (true, false) => checked(format!("pick(o, at, {name}_text, {entry})")),
                (false, _) => checked(format!("quick_copy(o, at, {name}_text, {entry})")),
            }
        }
        Code::Bits => number(b, n, &value_bits(64 * u32::from(op.1.0) + u32::from(op.1.1), u32::from(op.1.2)), name),
        Code::Scalar => {
            let (node, way) = b.scalars.get(n as usize).copied().or_impossible((0, 0));
            number(b, way, &value(b, node, name), name)
        }
        // How long a custom field is shows only when it is printed.
        Code::Align if !b.references.is_empty() => {
            format!("if (o->late_count)\n      return NOWHERE;\n   at = quick_blanks(o, at, {n});")
        }
        Code::Align => format!("at = quick_blanks(o, at, {n});"),
        Code::If => {
            let (node, then, other) = b.ifs.get(n as usize).copied().or_impossible((0, 0, 0));
            checked(format!("calculate(&{name}, {node}, w) ? {} : {}", go(then), go(other)))
        }
        Code::Sub => {
            let (_, _, space, from) = b.subs.get(n as usize).copied().or_impossible((0, 0, 0, 0));
            let all: BTreeSet<u32> = sub_targets(b, space, from).into_iter().collect();
            let _ = writeln!(body, "   switch (sub_target(&{name}, &{name}_subs[{n}], w)) {{");
            for at in all {
                let _ = writeln!(body, "   case {at}:\n      at = {};\n      break;", go(at));
            }
            "default:\n      return NOWHERE;\n   }\n   if (at == NOWHERE)\n      return NOWHERE;".to_owned()
        }
        Code::Branch | Code::Custom | Code::Expect => {
            checked(format!("step(&{name}, &{name}_ops[{}], at, w, line, o)", place(b, op)))
        }
    };
    let _ = writeln!(body, "   {line}");
    false
}

/// The step that prints a value in a way.
fn number(b: &Blueprint<'_>, way: u32, value: &str, name: &str) -> String {
    match b.ways.get(way as usize) {
        Some((Type::Uint, _)) => format!("at = quick_unsigned(o, at, {value});"),
        Some((Type::Hex, _)) => format!("at = quick_hex(o, at, {value});"),
        _ => format!("at = put_number(&{name}, {way}, at, {value}, line, o);"),
    }
}

/// Bits of the word as an expression.
fn value_bits(lo: u32, width: u32) -> String {
    let (limb, shift) = (lo / 64, lo % 64);
    match width {
        64 if shift == 0 => format!("w->limb[{limb}]"),
        _ if shift + width <= 64 => {
            format!("((w->limb[{limb}] >> {shift}) & UINT64_C(0x{:x}))", u64::MAX >> (64 - width.clamp(1, 64)))
        }
        _ => format!("extract(w, {lo}, {width})"),
    }
}

/// A value that is only bits of the word, as an expression; others are left to the runtime.
fn value(b: &Blueprint<'_>, node: u32, name: &str) -> String {
    plain(b, node, 8).unwrap_or_else(|| format!("calculate(&{name}, {node}, w)"))
}

/// A value made of bits, constants, shifts by constants and `|`.
fn plain(b: &Blueprint<'_>, node: u32, depth: u32) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match *b.calcs.get(node as usize)? {
        Calc::Const(value) => Some(format!("UINT64_C(0x{value:x})")),
        Calc::Bits(lo, width) => Some(value_bits(lo, width)),
        Calc::Binary(Binary::Or, (64, _), x, y) => Some(format!("({} | {})", plain(b, x, depth)?, plain(b, y, depth)?)),
        Calc::Binary(Binary::Shl, (64, _), x, by) => match b.calcs.get(by as usize)? {
            Calc::Const(by) if *by < 64 => Some(format!("({} << {by})", plain(b, x, depth)?)),
            _ => None,
        },
        _ => None,
    }
}

/// The place of a step in the table of steps.
fn place(b: &Blueprint<'_>, op: &Op) -> usize {
    b.ops.iter().position(|known| known == op).or_impossible(0)
}
