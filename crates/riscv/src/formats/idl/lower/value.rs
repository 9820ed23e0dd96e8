//! Values of variables, and the types that assignments fit them to.

use isaglot_source::Span;

use super::graph::{Graph, Id};
use super::state::{Run, Step, refuse};
use crate::formats::idl::syntax::{Type, TypeKind};
use crate::limits;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Bits, and whether they are signed.
    Bits(Id, bool),
    /// A Boolean, as one bit.
    Truth(Id),
    /// A member of an enum.
    Member(String, String),
    /// A text.
    Text(String),
    /// A struct.
    Record(Vec<(String, Value)>),
    /// An array.
    Array(Vec<Value>),
    /// Nothing: what a function without a result gives.
    Nothing,
}

/// The type of a variable, its widths computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fixed {
    /// So many bits.
    Bits(u32),
    /// Anything else: what is assigned is of the right kind, which the checker has seen to.
    Other,
}

/// A variable or a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) name: String,
    pub(crate) fixed: Fixed,
    pub(crate) value: Value,
}

impl Run<'_> {
    /// A type with its width computed.
    pub(crate) fn fixed(&mut self, ty: &Type) -> Step<Fixed> {
        Ok(match &ty.kind {
            TypeKind::Bits(width) => {
                let width = self.expr(width)?;
                let n = self.known(&width, ty.span)?;
                let fits = u32::try_from(n).ok().filter(|n| (1..=limits::MAX_IDL_WIDTH).contains(n));
                let Some(n) = fits else { return refuse("unsupported", format!("a value of {n} bits"), ty.span) };
                Fixed::Bits(n)
            }
            TypeKind::XReg => Fixed::Bits(self.xlen()),
            TypeKind::Unsigned(n) => Fixed::Bits(*n),
            _ => Fixed::Other,
        })
    }

    /// What a variable of a type is before anything is assigned.
    pub(crate) fn initial(&mut self, ty: &Type, fixed: &Fixed) -> Step<Value> {
        Ok(match (&ty.kind, fixed) {
            (_, Fixed::Bits(n)) => Value::Bits(self.graph.number(0, *n), false),
            (TypeKind::Boolean, _) => Value::Truth(self.graph.bit(false)),
            (TypeKind::Text, _) => Value::Text(String::new()),
            (TypeKind::Named(name), _) => {
                let program = self.program;
                if let Some(fields) = program.structs.get(name) {
                    let mut record = Vec::new();
                    for (field, ty) in fields {
                        self.spend(ty.span)?;
                        let fixed = self.fixed(ty)?;
                        record.push((field.clone(), self.initial(ty, &fixed)?));
                    }
                    return Ok(Value::Record(record));
                }
                match program.enums.get(name).and_then(|members| members.first()) {
                    Some((member, _)) => Value::Member(name.clone(), member.clone()),
                    None => return refuse("unsupported", format!("a variable of type `{name}`"), ty.span),
                }
            }
            _ => return refuse("unsupported", "a variable of this type", ty.span),
        })
    }

    /// A value as a variable of a type keeps it.
    pub(crate) fn fit(&mut self, value: Value, fixed: &Fixed, span: Span) -> Value {
        let (Value::Bits(id, signed), Fixed::Bits(width)) = (&value, fixed) else { return value };
        self.note_cut(*id, *signed, *width, span);
        Value::Bits(self.graph.fit(*id, *width, *signed), false)
    }

    /// A finding where an assignment drops bits that are not known to be copies of nothing.
    fn note_cut(&mut self, id: Id, signed: bool, width: u32, span: Span) {
        let own = self.graph.width(id);
        if own <= width {
            return;
        }
        let kept = self.graph.slice(id, 0, width);
        let again = [self.graph.zero_extend(kept, own), self.graph.sign_extend(kept, own)];
        let small = own <= 128 && width < 128 && self.graph.most(id) < 1 << width;
        if !small && !again.contains(&id) && !signed {
            let message = format!("the upper {} of {own} bits are dropped", own - width);
            self.find("idl-value-cut", message, span);
        }
    }

    /// One value if a condition holds, else the other.
    pub(crate) fn choose(&mut self, c: Id, x: &Value, y: &Value, span: Span) -> Step<Value> {
        if x == y {
            return Ok(x.clone());
        }
        Ok(match (x, y) {
            (Value::Bits(a, s), Value::Bits(b, t)) => {
                let width = self.graph.width(*a).max(self.graph.width(*b));
                let (a, b) = (self.graph.fit(*a, width, *s), self.graph.fit(*b, width, *t));
                Value::Bits(self.graph.select(c, a, b), false)
            }
            (Value::Truth(a), Value::Truth(b)) => Value::Truth(self.graph.select(c, *a, *b)),
            (Value::Record(a), Value::Record(b)) if a.len() == b.len() => {
                let mut made = Vec::new();
                for ((name, a), (_, b)) in a.iter().zip(b) {
                    made.push((name.clone(), self.choose(c, a, b, span)?));
                }
                Value::Record(made)
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                let mut made = Vec::new();
                for (a, b) in a.iter().zip(b) {
                    made.push(self.choose(c, a, b, span)?);
                }
                Value::Array(made)
            }
            _ => return refuse("unsupported", "a choice of enum members or texts that only the run decides", span),
        })
    }
}

/// The bits of a value, and whether they are signed.
pub(crate) fn bits(value: &Value, span: Span) -> Step<(Id, bool)> {
    match value {
        Value::Bits(id, signed) => Ok((*id, *signed)),
        _ => refuse("unsupported", "this is not a bit vector", span),
    }
}

/// The bit of a Boolean.
pub(crate) fn truth(graph: &mut Graph, value: &Value, span: Span) -> Step<Id> {
    match value {
        Value::Truth(id) => Ok(*id),
        // A checker refuses this; a bit as a condition has only one meaning.
        Value::Bits(id, _) if graph.width(*id) == 1 => Ok(*id),
        _ => refuse("unsupported", "this is not a Boolean", span),
    }
}
