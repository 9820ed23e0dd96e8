//! Encodings of variable length: `Inst` as a dag instead of bits.
//!
//! `(ascend a, b, …)` is a word whose first part has the least significant bits, `(descend a, b, …)` one whose first part
//! has the most significant ones. A part is a number of known bits, `(operand "$name", width)`, `(slice "$name", high,
//! low)`, which is part of an operand, or such a dag again. What else the parts of an operand say is the name of its decoder.

use crate::limits::{MAX_INST_BITS, MAX_SET_DEPTH};
use crate::target::inst::{InstBit, Places};
use isaglot_tablegen::{Bit, Dag, Value};

/// What a bit of the word is: known, or a bit of an operand.
#[derive(Clone, Debug)]
enum Part {
    Known(InstBit),
    Operand(String, u32),
}

/// A word.
#[derive(Default)]
pub(crate) struct Word {
    pub(crate) bits: Vec<InstBit>,
    /// The operands in it with their places.
    pub(crate) fields: Vec<(String, Places)>,
    /// The decoders that it names for operands: `(decoder "METHOD")`.
    pub(crate) decoders: Vec<(String, String)>,
}

/// The word that a dag describes; `None` if it is not an encoding.
pub(crate) fn read(dag: Dag<'_>) -> Option<Word> {
    let mut parts = Vec::new();
    let mut decoders = Vec::new();
    add(dag, 0, &mut parts, &mut decoders)?;
    let mut bits = Vec::with_capacity(parts.len());
    let mut fields: Vec<(String, Places)> = Vec::new();
    for (part, at) in parts.into_iter().zip(0u32..) {
        match part {
            Part::Known(bit) => bits.push(bit),
            Part::Operand(name, index) => {
                bits.push(InstBit::Open);
                let known = fields.iter().position(|(field, _)| *field == name).unwrap_or_else(|| {
                    fields.push((name, Places::new()));
                    fields.len() - 1
                });
                let places = fields.get_mut(known).map(|(_, places)| places)?;
                if places.len() <= index as usize {
                    places.resize(index as usize + 1, None);
                }
                *places.get_mut(index as usize)? = Some(at);
            }
        }
    }
    (!bits.is_empty()).then_some(Word { bits, fields, decoders })
}

/// Appends the bits of a dag, the least significant first.
fn add(dag: Dag<'_>, depth: u32, out: &mut Vec<Part>, decoders: &mut Vec<(String, String)>) -> Option<()> {
    if depth > MAX_SET_DEPTH {
        return None;
    }
    let Value::Def(operator) = dag.operator() else { return None };
    let args: Vec<Value<'_>> = dag.args().map(|(value, _)| value).collect();
    let (name, from, to) = match (operator.name().as_ref(), args.as_slice()) {
        ("ascend" | "descend", parts) => {
            let mut parts = parts.to_vec();
            if operator.name() == "descend" {
                parts.reverse();
            }
            for part in parts {
                match part {
                    Value::Dag(inner) => add(inner, depth + 1, out, decoders)?,
                    Value::Bit(one) => out.push(Part::Known(InstBit::Known(one))),
                    Value::Bits(bits) => out.extend(bits.iter().map(|bit| {
                        Part::Known(match bit {
                            Bit::Zero => InstBit::Known(false),
                            Bit::One => InstBit::Known(true),
                            _ => InstBit::Open,
                        })
                    })),
                    _ => return None,
                }
                if out.len() > MAX_INST_BITS as usize {
                    return None;
                }
            }
            return Some(());
        }
        ("operand", [Value::String(name), Value::Int(width), ..]) => (name, 0, *width),
        ("slice", [Value::String(name), Value::Int(high), Value::Int(low), ..]) if low <= high => {
            (name, *low, high.checked_add(1)?)
        }
        _ => return None,
    };
    let name = String::from_utf8_lossy(name);
    let limit = i64::from(MAX_INST_BITS);
    if from < 0 || to <= from || to > limit {
        return None;
    }
    let name = name.strip_prefix('$').unwrap_or(&name);
    for arg in args.iter().skip(2) {
        if let Value::Dag(inner) = arg
            && let Value::Def(operator) = inner.operator()
            && operator.name() == "decoder"
            && let Some((Value::String(method), _)) = inner.args().next()
        {
            decoders.push((name.to_owned(), String::from_utf8_lossy(method).into_owned()));
        }
    }
    out.extend((from..to).map(|bit| Part::Operand(name.to_owned(), bit as u32)));
    Some(())
}
