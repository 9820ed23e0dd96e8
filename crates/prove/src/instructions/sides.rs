//! What one side says: names, body, and what its operands are.

use isaglot_semantics::{Body, Env, RegisterIndex, Statement, Value, check, parse};
use isaglot_source::{Diagnostics, SourceMap};

use crate::symbolic::Binding;

/// One side.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) env: Env,
    pub(super) body: Body,
    pub(super) bindings: Vec<Binding>,
}

/// A lowered text as a body.
pub(super) fn compiled(text: &str, env: Env) -> Result<Body, String> {
    let mut out = Diagnostics::new();
    let file = SourceMap::new().add("lowered", text.as_bytes());
    let body = parse(file, 0, text, &mut out).and_then(|tree| check(&tree, &env, &mut out));
    body.ok_or_else(|| out.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; "))
}

/// Which operands a body uses.
pub(super) fn used_operands(body: &Body) -> Vec<bool> {
    let mut used = Vec::new();
    let mut mark = |n: u32| {
        let n = n as usize;
        if used.len() <= n {
            used.resize(n + 1, false);
        }
        used[n] = true;
    };
    for value in &body.values {
        match value {
            Value::Immediate(op) | Value::RegisterNumber(op) | Value::Register(_, RegisterIndex::Operand(op)) => {
                mark(op.0)
            }
            _ => {}
        }
    }
    let mut lists = vec![&body.statements];
    while let Some(list) = lists.pop() {
        for s in list {
            match s {
                Statement::SetRegister(_, RegisterIndex::Operand(op), _) => mark(op.0),
                Statement::If(_, then, otherwise) => lists.extend([then, otherwise]),
                _ => {}
            }
        }
    }
    used
}
