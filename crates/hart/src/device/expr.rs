//! The expressions of a configuration: evaluated, and as texts of the semantics language, which say the same.

use std::fmt::Write;

use isaglot_invariant::Impossible as _;

#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Not,
    Sll,
    Srl,
    Rol,
}

/// Name, operator, number of operands.
pub(super) const OPS: &[(&str, Op, usize)] = &[
    ("add", Op::Add, 2),
    ("sub", Op::Sub, 2),
    ("mul", Op::Mul, 2),
    ("and", Op::And, 2),
    ("or", Op::Or, 2),
    ("xor", Op::Xor, 2),
    ("not", Op::Not, 1),
    ("sll", Op::Sll, 2),
    ("srl", Op::Srl, 2),
    ("rol", Op::Rol, 2),
];

#[derive(Clone, Debug)]
pub(super) enum Expr {
    Const(u64),
    Rs1,
    Rs2,
    Data,
    Lun,
    State(usize),
    Apply(Op, Vec<Expr>),
}

/// What an expression is evaluated in.
pub(super) struct Scope<'a> {
    pub(super) xlen: u32,
    pub(super) rs1: u64,
    pub(super) rs2: u64,
    pub(super) state: &'a [u64],
}

impl Scope<'_> {
    pub(super) fn value(&self, e: &Expr) -> u64 {
        let value = match e {
            Expr::Const(n) => *n,
            Expr::Rs1 => self.rs1,
            Expr::Rs2 => self.rs2,
            Expr::Data => self.rs1 >> 12,
            Expr::Lun => self.rs1 & 0xfff,
            Expr::State(at) => self.state.get(*at).copied().or_impossible(0),
            Expr::Apply(op, args) => {
                let arg = |n: usize| args.get(n).map_or(0, |a| self.value(a));
                let (a, b) = (arg(0), arg(1));
                let by = (b % u64::from(self.xlen)) as u32;
                match op {
                    Op::Add => a.wrapping_add(b),
                    Op::Sub => a.wrapping_sub(b),
                    Op::Mul => a.wrapping_mul(b),
                    Op::And => a & b,
                    Op::Or => a | b,
                    Op::Xor => a ^ b,
                    Op::Not => !a,
                    Op::Sll => a << by,
                    Op::Srl => a >> by,
                    Op::Rol if self.xlen == 32 => u64::from((a as u32).rotate_left(by)),
                    Op::Rol => a.rotate_left(by),
                }
            }
        };
        if self.xlen == 32 { value & 0xffff_ffff } else { value }
    }
}

/// A command as a text; `names` are those of the variables.
pub(super) fn lower(result: &Expr, set: &[(usize, Expr)], names: &[String]) -> String {
    let mut text = String::new();
    // Everything sees the state from before, so what changes it comes last.
    for (n, (_, e)) in set.iter().enumerate() {
        let _ = write!(text, "let new{n} = ");
        print(e, names, &mut text);
        text.push_str("; ");
    }
    text.push_str("rd = ");
    print(result, names, &mut text);
    text.push(';');
    for (n, (at, _)) in set.iter().enumerate() {
        let _ = write!(text, " {} = new{n};", names.get(*at).map(String::as_str).or_impossible(""));
    }
    text
}

fn print(e: &Expr, names: &[String], out: &mut String) {
    let (op, args) = match e {
        Expr::Const(n) => {
            let _ = write!(out, "bits({n:#x}, 64)[xlen - 1:0]");
            return;
        }
        Expr::Rs1 => return out.push_str("rs1"),
        Expr::Rs2 => return out.push_str("rs2"),
        Expr::Data => return out.push_str("data"),
        Expr::Lun => return out.push_str("lun"),
        Expr::State(at) => return out.push_str(names.get(*at).map(String::as_str).or_impossible("")),
        Expr::Apply(op, args) => (op, args),
    };
    let arg = |n: usize, out: &mut String| {
        if let Some(e) = args.get(n) {
            print(e, names, out);
        }
    };
    let (before, between, after) = match op {
        Op::Add => ("(", " + ", ")"),
        Op::Sub => ("(", " - ", ")"),
        Op::Mul => ("(", " * ", ")"),
        Op::And => ("(", " & ", ")"),
        Op::Or => ("(", " | ", ")"),
        Op::Xor => ("(", " ^ ", ")"),
        Op::Not => {
            out.push_str("(~");
            arg(0, out);
            return out.push(')');
        }
        Op::Sll => ("(", " << (", " & (xlen - 1)))"),
        Op::Srl => ("(", " >>u (", " & (xlen - 1)))"),
        Op::Rol => ("rotl(", ", ", ")"),
    };
    out.push_str(before);
    arg(0, out);
    out.push_str(between);
    arg(1, out);
    out.push_str(after);
}
