//! Quick programs as straight code, in either language: a function for every place that something goes to.
//!
//! The steps are those of the tables; only how they are run differs. What is rare is left to the runtime's functions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::blueprint::Blueprint;
use crate::runtime::tables::{Binary, Calc, Code, Op, Run};

/// The places where programs begin, and those that choices lead to.
fn places(b: &Blueprint<'_>) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut work: Vec<u32> = roots(b).into_iter().collect();
    while let Some(at) = work.pop() {
        if !found.insert(at) {
            continue;
        }
        for op in block(b, at) {
            match op.0 {
                Code::Jump | Code::JumpMany | Code::Call | Code::CallMany => work.extend(table(b, op)),
                Code::Goto => work.push(op.3),
                Code::If => work.extend(b.ifs.get(op.3 as usize).into_iter().flat_map(|i| [i.1, i.2])),
                Code::Sub => {
                    let Some(sub) = b.subs.get(op.3 as usize) else { continue };
                    work.extend(sub_targets(b, sub.2, sub.3));
                }
                _ => {}
            }
        }
    }
    found
}

/// The places where the programs of instructions begin.
fn roots(b: &Blueprint<'_>) -> BTreeSet<u32> {
    let from = b.spaces.get(b.root as usize).map_or(0, |space| space.first as usize);
    let to = b.spaces.get(b.root as usize + 1).map_or(b.leaves.len(), |space| space.first as usize);
    b.leaves.get(from..to).unwrap_or(&[]).iter().map(|leaf| leaf.program).collect()
}

fn sub_targets(b: &Blueprint<'_>, space: u32, from: u32) -> Vec<u32> {
    let first = b.spaces.get(space as usize).map_or(0, |space| space.first);
    let end = b.spaces.get(space as usize + 1).map_or(b.leaves.len() as u32, |space| space.first);
    let targets = b.targets.get(from as usize..(from + end - first) as usize).unwrap_or(&[]);
    targets.iter().map(|target| target.0).collect()
}

/// The steps from a place on, to the one that ends them.
fn block<'b>(b: &'b Blueprint<'_>, at: u32) -> &'b [Op] {
    let rest = b.ops.get(at as usize..).unwrap_or(&[]);
    let ends = |op: &Op| matches!(op.0, Code::End | Code::Bail | Code::Jump | Code::JumpMany | Code::Goto);
    let len = rest.iter().position(ends).map_or(rest.len(), |end| end + 1);
    rest.get(..len).unwrap_or(rest)
}

/// The runs of a step.
fn runs(b: &Blueprint<'_>, op: &Op) -> Vec<Run> {
    match op.0 {
        Code::PickMany | Code::JumpMany | Code::CallMany => {
            let from = usize::from(op.1.2);
            b.runs.get(from..from + usize::from(op.1.0)).unwrap_or(&[]).to_vec()
        }
        _ => [op.1, op.2].into_iter().filter(|run| run.2 != 0).collect(),
    }
}

/// The places of a choice, by its bits.
fn table(b: &Blueprint<'_>, op: &Op) -> Vec<u32> {
    let bits: u32 = runs(b, op).iter().map(|run| run.2.count_ones()).sum();
    b.jumps.get(op.3 as usize..op.3 as usize + (1 << bits)).unwrap_or(&[]).to_vec()
}

/// The bits that lead to each place, as ranges; the place that most lead to comes last.
fn arms(table: &[u32]) -> Vec<(u32, Vec<(usize, usize)>)> {
    let mut by_place: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
    for (i, &place) in table.iter().enumerate() {
        let ranges = by_place.entry(place).or_default();
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == i => last.1 = i,
            _ => ranges.push((i, i)),
        }
    }
    let mut arms: Vec<_> = by_place.into_iter().collect();
    arms.sort_by_key(|(place, ranges)| (ranges.len(), *place));
    arms
}

/// The module `straight` of generated Rust.
#[must_use]
pub fn rust(b: &Blueprint<'_>) -> String {
    let mut out = String::from(RUST_HEAD);
    let index = |op: &Op| -> String {
        let part = |r: &Run| {
            let limb = if b.limb_count == 1 { "c.word[0]".to_owned() } else { format!("c.word[{}]", r.0) };
            match r.1 {
                0 => format!("({limb} as u32 & 0x{:x})", r.2),
                rotation => format!("({limb}.rotate_right({rotation}) as u32 & 0x{:x})", r.2),
            }
        };
        let parts: Vec<String> = runs(b, op).iter().map(part).collect();
        match parts.as_slice() {
            [] => "0".to_owned(),
            [one] => one.clone(),
            more => format!("({})", more.join(" | ")),
        }
    };
    let mut tables: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut values: BTreeMap<u32, String> = BTreeMap::new();
    for at in places(b) {
        let mut steps: Vec<String> = Vec::new();
        for op in block(b, at) {
            let n = op.3;
            steps.push(match op.0 {
                Code::End => continue,
                Code::Bail => "false".to_owned(),
                Code::Text => format!("c.text({n})"),
                Code::Pick | Code::PickMany => {
                    if n == 0 {
                        format!("c.pick({})", index(op))
                    } else {
                        format!("c.pick({n} + {})", index(op))
                    }
                }
                Code::Jump | Code::JumpMany | Code::Call | Code::CallMany => {
                    tables.entry(n).or_insert_with(|| table(b, op));
                    format!("j{n}(c, {})", index(op))
                }
                Code::Goto => format!("b{n}(c)"),
                Code::Bits => {
                    let (limb, shift, width) = op.1;
                    format!("c.bits(c.word[{limb}] >> {shift} & mask({width}), {n})")
                }
                Code::If => {
                    let (value, then, other) = b.ifs.get(n as usize).copied().unwrap_or((0, 0, 0));
                    let value = rust_value(b, value, &mut values);
                    format!("(if {value} != 0 {{ b{then}(c) }} else {{ b{other}(c) }})")
                }
                Code::Sub => {
                    let (_, _, space, from) = b.subs.get(n as usize).copied().unwrap_or((0, 0, 0, 0));
                    let all: BTreeSet<u32> = sub_targets(b, space, from).into_iter().collect();
                    let arms: String = all.iter().map(|at| format!("Some({at}) => b{at}(c), ")).collect();
                    format!("(match c.sub({n}) {{ {arms}_ => false }})")
                }
                Code::Scalar | Code::Branch => {
                    let (value, how) = b.scalars.get(n as usize).copied().unwrap_or((0, 0));
                    let code = op.0;
                    format!("c.scalar(Code::{code:?}, {}, {how})", rust_value(b, value, &mut values))
                }
                code => format!("c.rare(Code::{code:?}, {n})"),
            });
        }
        let body = if steps.is_empty() { "true".to_owned() } else { steps.join("\n        && ") };
        let name = if body.contains("c.") || body.contains("(c)") || body.contains("(c,") { "c" } else { "_" };
        let _ = writeln!(out, "fn b{at}({name}: &mut C) -> bool {{\n    {body}\n}}\n");
    }
    for (n, table) in tables {
        let _ = writeln!(out, "#[inline]\nfn j{n}(c: &mut C, index: u32) -> bool {{\n    match index {{");
        let mut arms = arms(&table);
        let last = arms.pop();
        for (place, ranges) in arms {
            let ranges: Vec<String> = ranges
                .iter()
                .map(|(from, to)| if from == to { from.to_string() } else { format!("{from}..={to}") })
                .collect();
            let _ = writeln!(out, "        {} => b{place}(c),", ranges.join(" | "));
        }
        let _ = writeln!(
            out,
            "        _ => {},\n    }}\n}}\n",
            last.map_or("false".to_owned(), |l| format!("b{}(c)", l.0))
        );
    }
    out.extend(values.into_values());
    out.push_str(RUST_RUN);
    for at in roots(b) {
        let _ = writeln!(out, "        {at} => b{at}(c),");
    }
    out.push_str("        _ => false,\n    }\n}\n");
    out
}

/// The function of a value; those that it needs are added first.
fn rust_value(b: &Blueprint<'_>, node: u32, made: &mut BTreeMap<u32, String>) -> String {
    if made.contains_key(&node) {
        return format!("v{node}(c.word)");
    }
    let mut of = |node: u32| rust_value(b, node, made).replace("c.word", "w");
    let body = match b.calcs.get(node as usize).copied().unwrap_or(Calc::Const(0)) {
        Calc::Const(value) => format!("0x{value:x}"),
        Calc::Bits(lo, width) => format!("extract(w, {lo}, {width})"),
        Calc::Unary(op, ty, x) => format!("calc::unary(Unary::{op:?}, {ty:?}, {})", of(x)),
        Calc::Binary(op, ty, x, y) => format!("calc::binary(Binary::{op:?}, {ty:?}, {}, {})", of(x), of(y)),
        Calc::Select(c, x, y) => format!("if {} != 0 {{ {} }} else {{ {} }}", of(c), of(x), of(y)),
        Calc::Cast(ty, x) => format!("calc::wrap({ty:?}, {})", of(x)),
        Calc::Field(_) | Calc::Gen => "0".to_owned(),
    };
    let name = if body.contains("w") { "w" } else { "_" };
    made.insert(node, format!("#[inline]\nfn v{node}({name}: &Limbs) -> u64 {{\n    {body}\n}}\n\n"));
    format!("v{node}(c.word)")
}

/// A value made of bits, constants, shifts by constants and `|`.
fn plain(b: &Blueprint<'_>, node: u32, depth: u32, bits: &dyn Fn(u32, u32) -> String) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match *b.calcs.get(node as usize)? {
        Calc::Const(value) => Some(format!("UINT64_C(0x{value:x})")),
        Calc::Bits(lo, width) => Some(bits(lo, width)),
        Calc::Binary(Binary::Or, (64, _), x, y) => {
            Some(format!("({} | {})", plain(b, x, depth, bits)?, plain(b, y, depth, bits)?))
        }
        Calc::Binary(Binary::Shl, (64, _), x, by) => match b.calcs.get(by as usize)? {
            Calc::Const(by) if *by < 64 => Some(format!("({} << {by})", plain(b, x, depth, bits)?)),
            _ => None,
        },
        _ => None,
    }
}

const RUST_HEAD: &str = "\
//! Quick programs as straight code.

#![allow(unused_parens, unused_imports, clippy::double_parens)]

use super::description::{ISA, PICKS, TEXT};
use super::runtime::calc;
use super::runtime::decode::{extract, mask};
use super::runtime::exact::Line;
use super::runtime::hooks::Hooks;
use super::runtime::out::Out;
use super::runtime::step::{decide, number, rare, scalar};
use super::runtime::tables::{Binary, Code, Limbs, NONE, Unary};

/// What a program works with.
struct C<'c, 'h, 'l, 'b, 'o> {
    word: &'c Limbs,
    hooks: &'c mut (dyn Hooks + 'h),
    line: &'c mut Line<'l, 'b>,
    out: &'c mut Out<'o>,
}

#[allow(dead_code, reason = \"not every description needs every step\")]
impl C<'_, '_, '_, '_, '_> {
    #[inline(always)]
    fn text(&mut self, entry: u32) -> bool {
        self.out.put(TEXT, entry);
        true
    }

    #[inline(always)]
    fn pick(&mut self, at: u32) -> bool {
        let entry = PICKS.get(at as usize).copied().unwrap_or(NONE);
        if entry == NONE {
            return false;
        }
        self.out.put(TEXT, entry);
        true
    }

    #[inline(never)]
    fn bits(&mut self, value: u64, way: u32) -> bool {
        let Some(&(ty, width)) = ISA.ways.get(way as usize) else { return false };
        number(&ISA, ty, width, value, self.line, self.out);
        true
    }

    #[inline(never)]
    fn scalar(&mut self, code: Code, value: u64, way: u32) -> bool {
        scalar(&ISA, code, value, way, self.line, self.out)
    }

    fn sub(&self, n: u32) -> Option<u32> {
        decide(&ISA, Code::Sub, n, self.word)
    }

    fn rare(&mut self, code: Code, n: u32) -> bool {
        rare(&ISA, (code, n), self.word, self.hooks, self.line, self.out)
    }
}

";

const RUST_RUN: &str = "\
/// Runs the program that begins at `at`; `false` if the exact half has to print.
#[inline]
pub(super) fn run(
    at: u32,
    word: &Limbs,
    hooks: &mut dyn Hooks,
    line: &mut Line<'_, '_>,
    out: &mut Out<'_>,
) -> bool {
    let c = &mut C { word, hooks, line, out };
    match at {
";

/// Not every description needs every function of the runtime.
const UNUSED: &str = "   (void)step;\n   (void)sub_target;\n   (void)pick;\n   (void)put_number;\n";

/// The functions of quick programs in C, ended by `run`, for tables under the name `name`.
#[must_use]
pub fn c(b: &Blueprint<'_>, name: &str) -> String {
    let mut out = String::from("/* Quick programs as straight code. */\n\n");
    let index = |op: &Op| -> String {
        let parts: Vec<String> = runs(b, op)
            .iter()
            .map(|r| {
                let (limb, low, high) = (r.0, r.1, (64 - r.1) % 64);
                match r.1 {
                    0 => format!("((uint32_t)w->limb[{limb}] & {})", r.2),
                    _ => format!("((uint32_t)(w->limb[{limb}] >> {low} | w->limb[{limb}] << {high}) & {})", r.2),
                }
            })
            .collect();
        if parts.is_empty() { "0".to_owned() } else { parts.join(" | ") }
    };
    let args = "const word_t *w, const struct line *line, struct isaglot_out *out";
    let mut tables: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut bodies = String::new();
    let places = places(b);
    for &at in &places {
        let _ = writeln!(out, "static bool {name}_b{at}({args});");
        let _ = writeln!(bodies, "static bool {name}_b{at}({args})\n{{");
        let _ = writeln!(bodies, "   (void)w;\n   (void)line;\n   (void)out;");
        let mut ended = false;
        for op in block(b, at) {
            let n = op.3;
            let go = |at: u32| format!("{name}_b{at}(w, line, out)");
            let _ = match op.0 {
                Code::End => continue,
                Code::Bail => {
                    ended = true;
                    writeln!(bodies, "   return false;")
                }
                Code::Text => writeln!(bodies, "   put_pool(out, {name}_text, {n});"),
                Code::Pick | Code::PickMany => {
                    writeln!(
                        bodies,
                        "   if (!pick(out, {name}_text, {name}_picks[{n} + ({})]))\n      return false;",
                        index(op)
                    )
                }
                Code::Jump | Code::JumpMany => {
                    tables.entry(n).or_insert_with(|| table(b, op));
                    ended = true;
                    writeln!(bodies, "   return {name}_j{n}({}, w, line, out);", index(op))
                }
                Code::Call | Code::CallMany => {
                    tables.entry(n).or_insert_with(|| table(b, op));
                    writeln!(bodies, "   if (!{name}_j{n}({}, w, line, out))\n      return false;", index(op))
                }
                Code::Goto => {
                    ended = true;
                    writeln!(bodies, "   return {};", go(n))
                }
                Code::If => {
                    let (value, then, other) = b.ifs.get(n as usize).copied().unwrap_or((0, 0, 0));
                    let (then, other) = (go(then), go(other));
                    writeln!(
                        bodies,
                        "   if (!(calculate(&{name}, {value}, w) ? {then} : {other}))\n      return false;"
                    )
                }
                Code::Sub => {
                    let (_, _, space, from) = b.subs.get(n as usize).copied().unwrap_or((0, 0, 0, 0));
                    let all: BTreeSet<u32> = sub_targets(b, space, from).into_iter().collect();
                    let _ = writeln!(bodies, "   switch (sub_target(&{name}, &{name}_subs[{n}], w)) {{");
                    for at in all {
                        let _ = writeln!(
                            bodies,
                            "   case {at}:\n      if (!{})\n         return false;\n      break;",
                            go(at)
                        );
                    }
                    writeln!(bodies, "   default:\n      return false;\n   }}")
                }
                Code::Scalar | Code::Branch => {
                    let (value, how) = b.scalars.get(n as usize).copied().unwrap_or((0, 0));
                    let value = c_value(b, value, name);
                    let branch = op.0 == Code::Branch;
                    writeln!(bodies, "   put_number(&{name}, {how}, {value}, {branch}, line, out);")
                }
                Code::Bits => {
                    let value = c_value_bits(64 * u32::from(op.1.0) + u32::from(op.1.1), u32::from(op.1.2));
                    writeln!(bodies, "   put_number(&{name}, {n}, {value}, false, line, out);")
                }
                _ => writeln!(
                    bodies,
                    "   if (!step(&{name}, &{name}_ops[{}], w, line, out))\n      return false;",
                    place(b, op)
                ),
            };
        }
        if !ended {
            bodies.push_str("   return true;\n");
        }
        bodies.push_str("}\n\n");
    }
    out.push('\n');
    for (n, table) in tables {
        let _ = writeln!(out, "static inline bool {name}_j{n}(uint32_t index, {args})\n{{\n   switch (index) {{");
        let mut arms = arms(&table);
        let last = arms.pop();
        for (place, ranges) in arms {
            for i in ranges.iter().flat_map(|(from, to)| *from..=*to) {
                let _ = writeln!(out, "   case {i}:");
            }
            let _ = writeln!(out, "      return {name}_b{place}(w, line, out);");
        }
        let last = last.map_or("false".to_owned(), |l| format!("{name}_b{}(w, line, out)", l.0));
        let _ = writeln!(out, "   default:\n      return {last};\n   }}\n}}\n");
    }
    out.push_str(&bodies);
    let run = "const struct isa *isa, uint32_t at, const word_t *w, const struct line *line,\n                struct isaglot_out *out";
    let _ = writeln!(out, "static bool run({run})\n{{\n   (void)isa;\n{UNUSED}   switch (at) {{");
    for at in roots(b) {
        let _ = writeln!(out, "   case {at}:\n      return {name}_b{at}(w, line, out);");
    }
    out.push_str("   default:\n      return false;\n   }\n}\n");
    out
}

fn c_value_bits(lo: u32, width: u32) -> String {
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
fn c_value(b: &Blueprint<'_>, node: u32, name: &str) -> String {
    let text = plain(b, node, 8, &c_value_bits);
    text.unwrap_or_else(|| format!("calculate(&{name}, {node}, w)"))
}

/// The place of a step in the table of steps.
fn place(b: &Blueprint<'_>, op: &Op) -> usize {
    b.ops.iter().position(|known| known == op).unwrap_or(0)
}
