//! A blueprint's tables as C initialisers.

use std::fmt::Write;

use crate::blueprint::Blueprint;
use crate::runtime::tables::{Binary, Calc, Code, LIST, NONE, ONE, Part, Range, Type, Unary};

/// Columns of generated C.
const WIDTH: usize = 118;

/// Appends `static const TYPE NAME[] = { … };`, with an entry where there would be none, for C has no empty arrays.
fn array(out: &mut String, ty: &str, name: &str, items: impl Iterator<Item = String>) {
    let _ = writeln!(out, "static const {ty} {name}[] = {{");
    let mut line = String::new();
    let mut any = false;
    for item in items {
        any = true;
        if line.len() + item.len() + 5 > WIDTH && !line.is_empty() {
            let _ = writeln!(out, "  {line}");
            line.clear();
        }
        let _ = write!(line, " {item},");
    }
    if !any {
        line.push_str(match ty {
            "struct way" => " {{0, false, false, 0}, 0},",
            "struct expr" => " {{0, 0}, {0, 0}},",
            "struct leaf" => " {{\"\", 0}, {\"\", 0}, 0, 0, {0, 0}, {0, 0}, {0, 0}, 0, false, false, false},",
            "char *const" => " \"\",",
            "struct str" => " {\"\", 0},",
            _ if ty.starts_with("struct") => " {0},",
            _ => " 0,",
        });
    }
    let _ = writeln!(out, "  {line}\n}};\n");
}

/// A C string literal.
#[must_use]
pub fn literal(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in text {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            // No trigraphs.
            b' '..=b'>' | b'@'..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

fn string(text: &[u8]) -> String {
    format!("{{{}, {}}}", literal(text), text.len())
}

fn number(n: u32) -> String {
    if n == NONE { "NONE".to_owned() } else { n.to_string() }
}

fn list(n: u32) -> String {
    match (n & LIST, n & ONE) {
        (0, 0) => n.to_string(),
        (0, _) => format!("ONE | {}", n & !ONE),
        _ => format!("LIST | {}", n & !LIST),
    }
}

fn long(n: u64) -> String {
    format!("UINT64_C(0x{n:x})")
}

fn range(r: Range) -> String {
    format!("{{{}, {}}}", r.0, r.1)
}

fn ty(ty: Type) -> String {
    let (kind, arg) = match ty {
        Type::Int => ("INT", 0),
        Type::Uint => ("UINT", 0),
        Type::Hex => ("HEX", 0),
        Type::Offset => ("OFFSET", 0),
        Type::Uoffset => ("UOFFSET", 0),
        Type::Float => ("FLOAT", 0),
        Type::Bool => ("BOOL", 0),
        Type::BoolInv => ("BOOL_INV", 0),
        Type::Flag(n) => ("FLAG", n),
        Type::FlagInv(n) => ("FLAG_INV", n),
        Type::Branch(absolute, call, unit) => return format!("{{KIND_BRANCH, {absolute}, {call}, {unit}}}"),
        Type::Custom => ("CUSTOM", 0),
        Type::Enum(n) => ("ENUM", n),
        Type::Register(n) => ("REGISTER", n),
        Type::Sub(n) => ("SUB", n),
    };
    format!("{{KIND_{kind}, false, false, {arg}}}")
}

fn calc(node: &Calc) -> String {
    let (kind, ty, x, y, z) = match *node {
        Calc::Const(value) => ("CONST", (64, false), value as u32, (value >> 32) as u32, 0),
        Calc::Field(at) => ("FIELD", (64, false), at, 0, 0),
        Calc::Gen => ("GEN", (64, false), 0, 0, 0),
        Calc::Bits(lo, width) => ("BITS", (64, false), lo, width, 0),
        Calc::Unary(op, ty, x) => {
            let name = match op {
                Unary::Negate => "NEGATE",
                Unary::Not => "NOT",
                Unary::LogicalNot => "LOGICAL_NOT",
            };
            (name, ty, x, 0, 0)
        }
        Calc::Binary(op, ty, x, y) => {
            let name = match op {
                Binary::Add => "ADD",
                Binary::Sub => "SUB",
                Binary::Mul => "MUL",
                Binary::Div => "DIV",
                Binary::Rem => "REM",
                Binary::And => "AND",
                Binary::Or => "OR",
                Binary::Xor => "XOR",
                Binary::Shl => "SHL",
                Binary::Shr => "SHR",
                Binary::Eq => "EQ",
                Binary::Ne => "NE",
                Binary::Lt => "LT",
                Binary::Le => "LE",
                Binary::Gt => "GT",
                Binary::Ge => "GE",
                Binary::LogicalAnd => "LOGICAL_AND",
                Binary::LogicalOr => "LOGICAL_OR",
            };
            (name, ty, x, y, 0)
        }
        Calc::Select(c, x, y) => ("SELECT", (64, false), c, x, y),
        Calc::Cast(ty, x) => ("CAST", ty, x, 0, 0),
    };
    format!("{{CALC_{kind}, {}, {}, {x}, {y}, {z}}}", ty.0, ty.1)
}

fn code(code: Code) -> &'static str {
    match code {
        Code::End => "END",
        Code::Bail => "BAIL",
        Code::Text => "TEXT",
        Code::Pick => "PICK",
        Code::PickMany => "PICK_MANY",
        Code::Call => "CALL",
        Code::CallMany => "CALL_MANY",
        Code::Jump => "JUMP",
        Code::JumpMany => "JUMP_MANY",
        Code::Goto => "GOTO",
        Code::Bits => "BITS",
        Code::Scalar => "SCALAR",
        Code::Branch => "BRANCH",
        Code::Custom => "CUSTOM",
        Code::Align => "ALIGN",
        Code::If => "IF",
        Code::Sub => "SUB",
        Code::Expect => "EXPECT",
    }
}

/// The tables of a blueprint under names that begin with `name`, ended by `static const struct isa NAME`.
#[must_use]
pub fn write(b: &Blueprint<'_>, name: &str) -> String {
    let mut out = String::new();
    let o = &mut out;
    let n = |part: &str| format!("{name}_{part}");
    let rules = b.lengths.iter().map(|(care, value, bits)| format!("{{{}, {}, {bits}}}", long(*care), long(*value)));
    array(o, "struct length_rule", &n("lengths"), rules);
    let spaces = b.spaces.iter();
    let spaces = spaces.map(|s| format!("{{{}, {}, {}}}", list(s.root), s.first, s.first_wins));
    array(o, "struct space", &n("spaces"), spaces);
    let nodes = b.tree.iter().map(|t| format!("{{{}, {}, {}, {}}}", t.limb, t.shift, t.mask, t.base));
    array(o, "struct node", &n("tree"), nodes);
    array(o, "uint32_t", &n("entries"), b.entries.iter().map(|&e| list(e)));
    array(o, "struct range", &n("lists"), b.lists.iter().map(|&r| range(r)));
    array(o, "uint32_t", &n("listed"), b.listed.iter().map(ToString::to_string));
    let leaves = b.leaves.iter().map(|l| {
        let (name, display, cases) = (string(l.name.as_bytes()), string(l.display.as_bytes()), range(l.cases));
        let (width, pattern, except, needs, program) = (l.width, l.pattern, range(l.except), range(l.needs), l.program);
        format!(
            "{{{name}, {display}, {width}, {pattern}, {except}, {cases}, {needs}, {program}, {}, {}, {}}}",
            l.dont_care, l.knotted, l.branches
        )
    });
    array(o, "struct leaf", &n("leaves"), leaves);
    array(o, "uint32_t", &n("excepts"), b.excepts.iter().map(ToString::to_string));
    array(o, "uint32_t", &n("needs"), b.needs.iter().map(ToString::to_string));
    array(o, "uint64_t", &n("limbs"), b.limbs.iter().map(|&l| long(l)));
    array(o, "uint32_t", &n("case_lists"), b.case_lists.iter().map(ToString::to_string));
    let preferred = b.preferred.iter().map(|p| format!("{{{}, {}, {}, {}}}", p.0, p.1, long(p.2), long(p.3)));
    array(o, "struct preference", &n("preferred"), preferred);
    let cases = b.cases.iter().map(|c| {
        let (fields, asserts) = (range(c.fields), range(c.asserts));
        let owner = string(c.owner.as_bytes());
        format!("{{{}, {}, {fields}, {asserts}, {owner}}}", number(c.guard), number(c.template))
    });
    array(o, "struct lcase", &n("cases"), cases);
    let fields = b.fields.iter().map(|f| {
        let (ty, pieces, params) = (ty(f.ty), range(f.pieces), range(f.params));
        format!("{{{}, {}, {}, {ty}, {pieces}, {params}}}", f.name, f.width, number(f.derived))
    });
    array(o, "struct field", &n("fields"), fields);
    let pieces = b.pieces.iter().map(|p| format!("{{{}, {}, {}}}", number(p.lo), p.width, long(p.implied)));
    array(o, "struct piece", &n("pieces"), pieces);
    array(o, "struct param", &n("params"), b.params.iter().map(|&r| range(r)));
    let asserts = b.asserts.iter().map(|a| format!("{{{}, {}, {}}}", a.0, a.1, a.2));
    array(o, "struct assertion", &n("asserts"), asserts);
    let exprs = b.exprs.iter().map(|e| format!("{{{}, {}}}", range(e.fields), range(e.nodes)));
    array(o, "struct expr", &n("exprs"), exprs);
    array(o, "uint32_t", &n("expr_fields"), b.expr_fields.iter().map(ToString::to_string));
    array(o, "struct calc", &n("expr_nodes"), b.expr_nodes.iter().map(calc));
    array(o, "struct range", &n("templates"), b.templates.iter().map(|&r| range(r)));
    let parts = b.parts.iter().map(|part| match *part {
        Part::Literal(text) => format!("{{PART_LITERAL, 0, 0, {}}}", string(text)),
        Part::Align(column) => format!("{{PART_ALIGN, 0, {column}, {{\"\", 0}}}}"),
        Part::Mnemonic(align, text) => format!("{{PART_MNEMONIC, 0, {align}, {}}}", string(text.as_bytes())),
        Part::Field(name, align, text) => format!("{{PART_FIELD, {name}, {align}, {}}}", string(text.as_bytes())),
    });
    array(o, "struct part", &n("parts"), parts);
    array(o, "struct range", &n("enums"), b.enums.iter().map(|&r| range(r)));
    let values = b.values.iter().map(|(value, text)| format!("{{{}, {}}}", long(*value), string(text.as_bytes())));
    array(o, "struct value", &n("values"), values);
    array(o, "struct str", &n("names"), b.names.iter().map(|text| string(text.as_bytes())));
    let run = |r: crate::runtime::tables::Run| format!("{{{}, {}, {}}}", r.0, r.1, r.2);
    let ops = b.ops.iter().map(|op| format!("{{OP_{}, {}, {}, {}}}", code(op.0), run(op.1), run(op.2), op.3));
    array(o, "struct op", &n("ops"), ops);
    array(o, "uint32_t", &n("picks"), b.picks.iter().map(|&p| number(p)));
    array(o, "uint32_t", &n("jumps"), b.jumps.iter().map(ToString::to_string));
    array(o, "struct bits", &n("runs"), b.runs.iter().map(|&r| run(r)));
    array(o, "struct scalar", &n("scalars"), b.scalars.iter().map(|&r| range(r)));
    let ways = b.ways.iter().map(|w| format!("{{{}, {}}}", ty(w.0), w.1));
    array(o, "struct way", &n("ways"), ways);
    array(o, "char *const", &n("references"), b.references.iter().map(|text| literal(text.as_bytes())));
    let ifs = b.ifs.iter().map(|i| format!("{{{}, {}, {}}}", i.0, i.1, i.2));
    array(o, "struct choice", &n("ifs"), ifs);
    let subs = b.subs.iter().map(|s| format!("{{{}, {}, {}, {}}}", s.0, s.1, s.2, s.3));
    array(o, "struct sub", &n("subs"), subs);
    array(o, "struct target", &n("targets"), b.targets.iter().map(|t| format!("{{{}, {}}}", t.0, long(t.1))));
    let expects = b.expects.iter().map(|e| format!("{{{}, {}}}", e.0, long(e.1)));
    array(o, "struct expectation", &n("expects"), expects);
    array(o, "struct calc", &n("calcs"), b.calcs.iter().map(calc));
    array(o, "char", &n("text"), b.text.iter().map(|&byte| (byte as i8).to_string()));
    let _ = writeln!(o, "static const struct isa {name} = {{");
    let numbers = [
        ("generation", b.generation),
        ("max_bits", b.max_bits),
        ("parcel_bits", b.parcel_bits),
        ("value_bits", b.value_bits),
        ("root", b.root),
        ("length_count", b.lengths.len() as u32),
        ("leaf_count", b.leaves.len() as u32),
        ("name_count", b.names.len() as u32),
        ("preferred_count", b.preferred.len() as u32),
        ("space_count", b.spaces.len() as u32),
    ];
    for (field, value) in numbers {
        let _ = writeln!(o, "   .{field} = {value},");
    }
    let _ = writeln!(o, "   .little = {},", b.little);
    for field in TABLES {
        let _ = writeln!(o, "   .{field} = {name}_{field},");
    }
    let _ = writeln!(o, "}};");
    out
}

/// The members of `struct isa` that are tables.
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
