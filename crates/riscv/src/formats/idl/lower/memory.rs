//! Places: what can be assigned to, registers, memory.

use isaglot_semantics::BinaryOp;
use isaglot_source::Span;

use super::graph::{Id, Node};
use super::state::{Effect, Run, Step, refuse};
use super::value::{Fixed, Value, bits};
use crate::formats::idl::syntax::{Expr, ExprKind};

/// Letters of `misa` that a machine without levels below the highest does not have.
const NOT_IN_MISA: &[&str] = &["S", "U", "H"];

impl Run<'_> {
    /// The number of a register, 5 bits.
    fn number(&mut self, at: &Expr) -> Step<Id> {
        let index = self.expr(at)?;
        let (id, _) = bits(&index, at.span)?;
        if self.graph.most(id) > 31 {
            let width = self.graph.width(id);
            let last = self.graph.number(31, width);
            let fine = self.graph.binary(BinaryOp::LeU, id, last);
            self.require(fine, "idl-index", "there are 32 registers", at.span)?;
        }
        Ok(self.graph.fit(id, 5, false))
    }

    pub(crate) fn read_register(&mut self, at: &Expr) -> Step<Value> {
        let number = self.number(at)?;
        let before = self.graph.len();
        let (writes, xlen) = (self.writes, self.xlen());
        let value = self.graph.make(Node::Register(number, writes), xlen);
        if self.graph.len() > before {
            self.effect(Effect::Read(value));
        }
        Ok(Value::Bits(value, false))
    }

    /// Assigns to a place.
    pub(crate) fn assign(&mut self, place: &Expr, value: Value) -> Step<()> {
        match &place.kind {
            ExprKind::Pc => {
                let (id, signed) = bits(&value, place.span)?;
                let target = self.graph.fit(id, self.target.xlen.bits(), signed);
                self.effect(Effect::Jump(target));
                Ok(())
            }
            ExprKind::Name(name) => match self.variable(name).map(|slot| slot.fixed.clone()) {
                Some(fixed) => {
                    let value = self.fit(value, &fixed, place.span);
                    if let Some(slot) = self.variable(name) {
                        slot.value = value;
                    }
                    Ok(())
                }
                None => refuse("state", format!("the state `{name}` of the machine"), place.span),
            },
            ExprKind::Index(of, at) => self.assign_index(of, at, value, place.span),
            ExprKind::Slice(of, high, low) => {
                let (low, width) = self.range(high, low)?;
                let (part, signed) = bits(&value, place.span)?;
                self.assign_bits(of, low, width, (part, signed), place.span)
            }
            ExprKind::Field(of, field) => {
                if let ExprKind::Csr(name) = &of.kind {
                    return refuse("state", format!("the register `{}`", name.text), place.span);
                }
                let Value::Record(mut fields) = self.expr(of)? else {
                    return refuse("unsupported", "a field of what is not a struct", place.span);
                };
                for (_, old) in fields.iter_mut().filter(|f| f.0 == field.text) {
                    let fixed = match old {
                        Value::Bits(id, _) => Fixed::Bits(self.graph.width(*id)),
                        _ => Fixed::Other,
                    };
                    *old = self.fit(value.clone(), &fixed, place.span);
                }
                self.assign(of, Value::Record(fields))
            }
            _ => refuse("unsupported", "this cannot be assigned to", place.span),
        }
    }

    fn assign_index(&mut self, of: &Expr, at: &Expr, value: Value, span: Span) -> Step<()> {
        if let ExprKind::Name(name) = &of.kind
            && self.variable(name).is_none()
        {
            match name.as_str() {
                "X" => {
                    let number = self.number(at)?;
                    let value = self.fit(value, &Fixed::Bits(self.target.xlen.bits()), span);
                    let (id, _) = bits(&value, span)?;
                    self.effect(Effect::Write(number, id));
                    self.writes += 1;
                    return Ok(());
                }
                "f" => return refuse("floating-point", "the floating-point registers", of.span),
                "v" => return refuse("vector", "the vector registers", of.span),
                _ => {}
            }
        }
        let index = self.expr(at)?;
        match self.expr(of)? {
            Value::Array(mut items) => {
                let n = self.known(&index, at.span)?;
                match usize::try_from(n).ok().and_then(|n| items.get_mut(n)) {
                    Some(item) => *item = value,
                    None => return refuse("unsupported", "there is no such element", at.span),
                }
                self.assign(of, Value::Array(items))
            }
            _ => {
                let ((low, _), part) = (bits(&index, at.span)?, bits(&value, span)?);
                self.assign_bits(of, low, 1, part, span)
            }
        }
    }

    /// Replaces bits of a variable.
    fn assign_bits(&mut self, of: &Expr, low: Id, width: u32, (part, signed): (Id, bool), span: Span) -> Step<()> {
        let whole = self.expr(of)?;
        let (id, own) = bits(&whole, span)?;
        self.inside(id, low, width, span)?;
        let part = self.graph.fit(part, width, signed);
        let all = self.graph.width(id);
        let made = match self.graph.constant(low).and_then(isaglot_bits::Word::to_u64) {
            Some(low) => self.graph.insert(id, low as u32, part),
            None => {
                let ones = self.graph.word(isaglot_bits::Word::ones(width));
                let (ones, part) = (self.graph.zero_extend(ones, all), self.graph.zero_extend(part, all));
                let (mask, part) =
                    (self.graph.shift(BinaryOp::Shl, ones, low), self.graph.shift(BinaryOp::Shl, part, low));
                let others = self.graph.not(mask);
                let kept = self.graph.binary(BinaryOp::And, id, others);
                self.graph.binary(BinaryOp::Or, kept, part)
            }
        };
        self.assign(of, Value::Bits(made, own))
    }

    /// `a.field`, `CSR[name].FIELD`
    pub(crate) fn field(&mut self, of: &Expr, name: &str, span: Span) -> Step<Value> {
        if let ExprKind::Csr(csr) = &of.kind {
            if csr.text == "misa" && name.len() == 1 {
                return Ok(Value::Bits(self.graph.bit(!NOT_IN_MISA.contains(&name)), false));
            }
            return refuse("state", format!("the field `{name}` of the register `{}`", csr.text), span);
        }
        match self.expr(of)? {
            Value::Record(fields) => match fields.into_iter().find(|f| f.0 == name) {
                Some((_, value)) => Ok(value),
                None => refuse("unsupported", format!("a field `{name}`"), span),
            },
            _ => refuse("unsupported", format!("the field `{name}` of a bitfield"), span),
        }
    }

    /// Reads memory.
    pub(crate) fn load(&mut self, address: Id, width: u32) -> Id {
        let n = self.result();
        self.effect(Effect::Load(n, address, width));
        self.graph.make(Node::Result(n), width)
    }

    /// The number of the next result.
    pub(crate) fn result(&mut self) -> u32 {
        self.results += 1;
        self.results - 1
    }
}
