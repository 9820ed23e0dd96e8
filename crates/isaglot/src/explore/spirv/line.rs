//! What may come next in a line of SPIR-V assembly: the names of instructions, and of the values that an operand can have.

use isaglot_spirv::grammar::Grammar;
use isaglot_spirv::grammar::rows::{FIRST_ENUM, ID_RESULT, OperandRow, PAIR, REPEAT};
use serde_json::{Value, json};

use crate::explore::limits::{MAX_NEXT, MAX_QUESTION};

/// Rows of a text, what it is, whether it only says so, and where it begins in the line, in units of UTF-16.
pub(super) fn next(grammar: Grammar<'_>, line: &str) -> Value {
    if line.len() > MAX_QUESTION {
        return json!({ "items": [] });
    }
    let begun = line.rfind(|c: char| c.is_whitespace() || matches!(c, '=' | '|')).map_or(0, |at| at + 1);
    let (before, part) = line.split_at(begun);
    let from = before.encode_utf16().count();
    let statement = before.rsplit('=').next().unwrap_or(before);
    let mut words = statement.split_whitespace();
    let row = |text: &str| json!([text, "", false, from]);
    let Some(op) = words.next() else {
        let mut names: Vec<&str> = grammar.ops().iter().map(|op| grammar.str(op.name)).collect();
        names.retain(|name| !part.is_empty() && name.starts_with(part));
        names.sort_unstable();
        return json!({ "items": names.into_iter().take(MAX_NEXT).map(row).collect::<Vec<_>>() });
    };
    let Some(op) = op.strip_prefix("Op").and_then(|name| grammar.op_by_name(name.as_bytes())) else {
        return json!({ "items": [] });
    };
    // Values of a mask are one operand.
    let given = words.filter(|word| !word.ends_with('|')).count();
    let rows = grammar.program(op.program);
    let all: Vec<(usize, &OperandRow)> = rows.iter().enumerate().filter(|(_, row)| row.kind != ID_RESULT).collect();
    let repeated = all.last().filter(|(_, row)| matches!(row.quantifier, REPEAT | PAIR));
    let Some(&(index, operand)) = all.get(given).or(repeated) else { return json!({ "items": [] }) };
    let called = grammar.item_name(op.program, index);
    let called = if called.is_empty() { grammar.phrase(operand.kind) } else { called };
    let hint = json!(["", called, true, from]);
    let values = grammar.kind(operand.kind).filter(|_| operand.kind >= FIRST_ENUM).map(|kind| grammar.members(kind));
    let names = values.unwrap_or_default().iter().map(|value| grammar.str(value.name));
    let names = names.filter(|name| name.starts_with(part));
    json!({ "items": std::iter::once(hint).chain(names.map(row)).take(MAX_NEXT).collect::<Vec<_>>() })
}
