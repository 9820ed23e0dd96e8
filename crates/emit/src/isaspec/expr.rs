//! Expressions of a description, written out in a programming language.
//!
//! Every value is an unsigned 64-bit number, extended by the rule of its type, as the model defines it; so the text
//! needs no rules of the target's own arithmetic but those of unsigned numbers. A value that is used twice gets a name.

use isaglot_bits::limbs;
use isaglot_invariant::Impossible as _;
use isaglot_model::{BinaryOp, Expr, FeatureId, IntType, Name, Node, NodeId, UnaryOp};

use crate::names::Language;

/// What an expression is written in terms of.
pub(crate) struct Terms<'t> {
    pub(crate) language: Language,
    /// The text of a field's value, unsigned of 64 bits.
    pub(crate) field: &'t dyn Fn(Name) -> String,
    /// The text of the gen, unsigned of 64 bits.
    pub(crate) generation: &'t str,
    /// Whether a feature is on.
    pub(crate) feature: &'t dyn Fn(FeatureId) -> bool,
}

/// An expression in the target language: statements that name parts of it, and its value.
pub(crate) struct Written {
    pub(crate) statements: Vec<String>,
    pub(crate) value: String,
}

/// Writes an expression.
pub(crate) fn write(expr: &Expr, terms: &Terms<'_>) -> Written {
    let mut uses = vec![0u32; expr.nodes.len()];
    for node in &expr.nodes {
        for operand in operands(node) {
            if let Some(count) = uses.get_mut(operand.0 as usize) {
                *count += 1;
            }
        }
    }
    let mut texts: Vec<String> = Vec::with_capacity(expr.nodes.len());
    let mut statements = Vec::new();
    for (i, node) in expr.nodes.iter().enumerate() {
        let mut text = one(expr, node, &texts, terms);
        let simple = matches!(node, Node::Const(..) | Node::Field(_) | Node::Gen | Node::Feature(_));
        if uses.get(i).is_some_and(|&n| n > 1) && !simple {
            statements.push(match terms.language {
                Language::C => format!("const uint64_t t{i} = {text};"),
                Language::Rust => format!("let t{i} = {text};"),
            });
            text = format!("t{i}");
        }
        texts.push(text);
    }
    let value = texts.pop().or_impossible_default();
    Written { statements, value }
}

fn operands(node: &Node) -> Vec<NodeId> {
    match *node {
        Node::Const(..) | Node::Field(_) | Node::Gen | Node::Feature(_) => Vec::new(),
        Node::Unary(_, _, x) | Node::Cast(_, x) => vec![x],
        Node::Binary(_, _, x, y) => vec![x, y],
        Node::Select(_, c, x, y) => vec![c, x, y],
    }
}

/// A constant of 64 bits.
pub(crate) fn constant(value: u64, language: Language) -> String {
    match language {
        Language::C if value < 10 => format!("UINT64_C({value})"),
        Language::C => format!("UINT64_C({value:#x})"),
        Language::Rust if value < 10 => format!("{value}u64"),
        Language::Rust => format!("{value:#x}u64"),
    }
}

fn one(expr: &Expr, node: &Node, texts: &[String], terms: &Terms<'_>) -> String {
    let language = terms.language;
    let get = |id: NodeId| texts.get(id.0 as usize).map(String::as_str).or_impossible("0");
    match *node {
        Node::Const(value, _) => constant(value, language),
        Node::Field(name) => (terms.field)(name),
        Node::Gen => terms.generation.to_owned(),
        Node::Feature(f) => constant(u64::from((terms.feature)(f)), language),
        Node::Unary(UnaryOp::LogicalNot, _, x) => truth(&format!("{} == 0", get(x)), language),
        Node::Unary(UnaryOp::Negate, t, x) => match language {
            Language::C => wrap(t, &format!("(0 - {})", get(x)), language),
            Language::Rust => wrap(t, &format!("({}).wrapping_neg()", get(x)), language),
        },
        Node::Unary(UnaryOp::Not, t, x) => {
            let not = if language == Language::C { "~" } else { "!" };
            wrap(t, &format!("({not}{})", get(x)), language)
        }
        Node::Binary(op, t, x, y) => binary(op, t, get(x), get(y), language),
        Node::Select(_, c, x, y) => match language {
            Language::C => format!("({} != 0 ? {} : {})", get(c), get(x), get(y)),
            Language::Rust => format!("(if {} != 0 {{ {} }} else {{ {} }})", get(c), get(x), get(y)),
        },
        Node::Cast(t, x) if fits(expr, x, t) => get(x).to_owned(),
        Node::Cast(t, x) => wrap(t, get(x), language),
    }
}

/// Whether the value of a node is the same in this type.
fn fits(expr: &Expr, id: NodeId, to: IntType) -> bool {
    let from = expr.node_type(id);
    to.bits >= 64 || (from.signed == to.signed && from.bits <= to.bits)
}

/// A condition as 0 or 1.
fn truth(condition: &str, language: Language) -> String {
    match language {
        Language::C => format!("(uint64_t)({condition})"),
        Language::Rust => format!("u64::from({condition})"),
    }
}

fn signed(x: &str, language: Language) -> String {
    match language {
        Language::C => format!("(int64_t){x}"),
        Language::Rust => format!("({x} as i64)"),
    }
}

fn wrap(t: IntType, x: &str, language: Language) -> String {
    if t.bits >= 64 {
        return x.to_owned();
    }
    let unused = 64 - t.bits.max(1);
    match (language, t.signed, t.bits) {
        (Language::C, true, 32) => format!("(uint64_t)(int64_t)(int32_t){x}"),
        (Language::C, false, 32) => format!("(uint64_t)(uint32_t){x}"),
        (Language::C, true, _) => format!("(uint64_t)((int64_t)({x} << {unused}) >> {unused})"),
        (Language::Rust, true, 32) => format!("({x} as i32 as u64)"),
        (Language::Rust, false, 32) => format!("({x} as u32 as u64)"),
        (Language::Rust, true, _) => format!("((({x} << {unused}) as i64 >> {unused}) as u64)"),
        (_, false, _) => format!("({x} & {})", constant(limbs::mask(t.bits), language)),
    }
}

fn binary(op: BinaryOp, t: IntType, x: &str, y: &str, language: Language) -> String {
    let compare = |op: &str| {
        let (x, y) = match t.signed {
            true => (signed(x, language), signed(y, language)),
            false => (x.to_owned(), y.to_owned()),
        };
        truth(&format!("{x} {op} {y}"), language)
    };
    let arithmetic = |op: &str, method: &str| match language {
        Language::C => wrap(t, &format!("({x} {op} {y})"), language),
        Language::Rust => wrap(t, &format!("({x}).{method}({y})"), language),
    };
    let bits = t.bits.max(1);
    match op {
        BinaryOp::Add => arithmetic("+", "wrapping_add"),
        BinaryOp::Sub => arithmetic("-", "wrapping_sub"),
        BinaryOp::Mul => arithmetic("*", "wrapping_mul"),
        BinaryOp::Div | BinaryOp::Rem => {
            let name = match (op == BinaryOp::Div, t.signed) {
                (true, true) => "isa_sdiv",
                (true, false) => "isa_udiv",
                (false, true) => "isa_srem",
                (false, false) => "isa_urem",
            };
            wrap(t, &format!("{name}({x}, {y})"), language)
        }
        BinaryOp::And => format!("({x} & {y})"),
        BinaryOp::Or => format!("({x} | {y})"),
        BinaryOp::Xor => format!("({x} ^ {y})"),
        BinaryOp::Shl => wrap(t, &format!("({x} << ({y} % {bits}))"), language),
        BinaryOp::Shr if t.signed => match language {
            Language::C => wrap(t, &format!("(uint64_t)((int64_t){x} >> ({y} % {bits}))"), language),
            Language::Rust => wrap(t, &format!("((({x}) as i64 >> ({y} % {bits})) as u64)"), language),
        },
        BinaryOp::Shr => format!("({x} >> ({y} % {bits}))"),
        BinaryOp::Eq => truth(&format!("{x} == {y}"), language),
        BinaryOp::Ne => truth(&format!("{x} != {y}"), language),
        BinaryOp::Lt => compare("<"),
        BinaryOp::Le => compare("<="),
        BinaryOp::Gt => compare(">"),
        BinaryOp::Ge => compare(">="),
        BinaryOp::LogicalAnd => truth(&format!("{x} != 0 && {y} != 0"), language),
        BinaryOp::LogicalOr => truth(&format!("{x} != 0 || {y} != 0"), language),
    }
}
