//! When an alias is a text of an instruction: its arguments compared with what the operands are bound to.
//!
//! Each comparison is known now, one way or the other, or is a condition on bits of the word, which goes to the guard.

use std::borrow::Cow;
use std::rc::Rc;

use isaglot_model::{BinaryOp, IntType, Name, Node, NodeId};
use rustc_hash::FxHashSet;

use super::Lowering;
use super::alias::{Long, number};
use super::bound::Bound;
use super::meaning::{Number, Source, register_class};
use super::scope::{Guard, Scope, push};
use crate::table::{DecodeStep, NumberFormat, OperandTable, ValueSet};
use crate::target::inst::{InstOperand, OperandType};
use crate::target::registers::text;
use isaglot_tablegen::{Dag, Def, Value};

/// A number of an operand: which of its parts.
type Slot = (usize, Option<usize>);

/// The names in an alias, what each stands for, and the record that the alias says of it. There are a few.
pub(super) type Names<'a> = Vec<(Cow<'a, str>, Source, Option<Def<'a>>)>;

/// What a name stands for.
pub(super) fn named<'n, 'a>(names: &'n Names<'a>, name: &str) -> Option<(&'n Source, Option<Def<'a>>)> {
    names.iter().find(|known| known.0 == name).map(|(_, source, ty)| (source, *ty))
}

/// Says what a name stands for of which the alias has no record; the last one counts.
fn set<'a>(names: &mut Names<'a>, name: Cow<'a, str>, source: Source) {
    match names.iter_mut().find(|known| known.0 == name) {
        Some(known) => (known.1, known.2) = (source, None),
        None => names.push((name, source, None)),
    }
}

impl<'a> Lowering<'a> {
    /// Which number of which operand each argument of a pattern is.
    fn slots(operands: &[InstOperand<'a>], dag: Dag<'a>) -> Option<Vec<(Slot, Value<'a>, Cow<'a, str>)>> {
        let mut args = dag.args();
        let mut out = Vec::new();
        // Operands that are tied to others have no argument, unless all have one.
        let all = args.len() == operands.len();
        for (i, operand) in operands.iter().enumerate() {
            if operand.tied.is_some() && !all {
                continue;
            }
            let (value, name) = args.next()?;
            let parts = match &operand.ty {
                OperandType::Def(ty) | OperandType::Parts(ty, _) => match ty.get("MIOperandInfo") {
                    Some(Value::Dag(info)) => info.args().len(),
                    _ => 0,
                },
                OperandType::Other => 0,
            };
            let whole = match (&operand.ty, value) {
                (OperandType::Def(ty) | OperandType::Parts(ty, _), Value::Def(arg)) => *ty == arg,
                _ => false,
            };
            if parts < 2 || whole {
                out.push(((i, None), value, name));
                continue;
            }
            out.push(((i, Some(0)), value, name));
            for part in 1..parts {
                let (value, name) = args.next()?;
                out.push(((i, Some(part)), value, name));
            }
        }
        args.next().is_none().then_some(out)
    }

    fn at(bound: &Bound<'a>, (operand, part): Slot) -> Option<Source> {
        let source = bound.sources.get(operand)?;
        match (source, part) {
            (Source::Numbers(numbers), Some(part)) => Some(Source::Numbers(Rc::new(vec![numbers.get(part)?.clone()]))),
            (source, _) => Some(source.clone()),
        }
    }

    /// The names in an alias, with the conditions under which it applies; `None` if it never does.
    pub(super) fn bind_alias(
        &mut self,
        scope: &mut Scope,
        bound: &Bound<'a>,
        dag: Dag<'a>,
        guard: &mut Guard,
    ) -> Option<Names<'a>> {
        let mut names = Names::new();
        for (slot, value, name) in Self::slots(&bound.operands, dag)? {
            let source = Self::at(bound, slot)?;
            match number(value) {
                Value::Int(value) => self.is_constant(scope, &source, value, guard)?,
                Value::Def(def) if def.is_of("Register") => self.is_register(scope, &source, def, guard)?,
                Value::Def(def) if def.name() == "zero_reg" => return None,
                Value::Def(ty) => {
                    if let Some((known, _)) = named(&names, &name) {
                        let known = known.clone();
                        self.are_equal(scope, &known, &source, guard)?;
                    } else {
                        if let Some(class) = register_class(ty) {
                            self.is_in_class(scope, &source, class, guard)?;
                        }
                        let own = bound.operands.get(slot.0).map(|operand| &operand.ty);
                        if !matches!(own, Some(OperandType::Def(own)) if *own == ty) {
                            if self.is_changed(own, ty) {
                                return None;
                            }
                            self.is_allowed(scope, &source, ty, guard);
                        }
                        names.push((name, source, Some(ty)));
                    }
                }
                _ => {
                    set(&mut names, name, source);
                }
            }
        }
        Some(names)
    }

    /// The operands of a long instruction over those of the short one.
    pub(super) fn bind_long(
        &mut self,
        scope: &mut Scope,
        own: &Bound<'a>,
        long: &Long<'a>,
        guard: &mut Guard,
    ) -> Option<Vec<Source>> {
        let names = self.bind_alias(scope, own, long.output, guard)?;
        let operands = crate::target::inst::operands(long.def);
        let mut sources: Vec<Option<Source>> = vec![None; operands.len()];
        for ((at, part), value, name) in Self::slots(&operands, long.input)? {
            let source = match number(value) {
                Value::Int(value) => Source::Constant(value),
                Value::Def(def) if def.is_of("Register") => {
                    let register = self.registers.register(def)?;
                    Source::Register(register.shown.clone(), register.number)
                }
                _ => named(&names, &name)?.0.clone(),
            };
            let slot = sources.get_mut(at)?;
            match (slot.as_mut(), part, source) {
                (Some(Source::Numbers(all)), Some(_), Source::Numbers(more)) => {
                    Rc::make_mut(all).extend(more.iter().cloned());
                }
                (Some(_), Some(_), _) => return None,
                (_, _, source) => *slot = Some(source),
            }
        }
        for (i, operand) in operands.iter().enumerate() {
            if let Some(tied) = operand.tied {
                let source = sources.get(tied)?.clone();
                *sources.get_mut(i)? = source;
            }
        }
        Some(sources.into_iter().map(|s| s.unwrap_or(Source::Unknown)).collect())
    }

    pub(super) fn is_constant(
        &mut self,
        scope: &mut Scope,
        source: &Source,
        value: i64,
        guard: &mut Guard,
    ) -> Option<()> {
        match source {
            Source::Constant(own) => (*own == value).then_some(()),
            Source::Numbers(numbers) => {
                let [number] = numbers.as_slice() else { return None };
                if number.unexplained {
                    // Which bits mean this value, nothing says.
                    return None;
                }
                let raw = match &number.format {
                    // A number by its text: what the constant generators of some target make.
                    NumberFormat::Enum(name) if self.table.enums.contains_key(name) => {
                        let values = self.table.enums.get(name)?;
                        values.iter().find(|(_, text)| text.parse() == Ok(value))?.0
                    }
                    _ => number.raw(value)?,
                };
                self.number_is(scope, number, raw, guard)
            }
            _ => None,
        }
    }

    fn is_register(&mut self, scope: &mut Scope, source: &Source, def: Def<'a>, guard: &mut Guard) -> Option<()> {
        let register = self.registers.register(def)?;
        let (shown, number) = (register.shown.clone(), register.number);
        match source {
            Source::Register(own, own_number) => (*own == shown && *own_number == number).then_some(()),
            Source::Numbers(numbers) => {
                let [one] = numbers.as_slice() else { return None };
                let (file, true) = one.registers? else { return None };
                if one.unexplained {
                    return None;
                }
                if !self.registers.is_in_file(file, number, &shown) {
                    return None;
                }
                self.number_is(scope, one, number, guard)
            }
            _ => None,
        }
    }

    /// Whether a number of an alias is not that of the instruction: its parser makes another one of it (`RenderMethod`), in a
    /// way that the table does not explain.
    fn is_changed(&self, own: Option<&OperandType<'a>>, ty: Def<'a>) -> bool {
        let name = ty.name().into_owned();
        let plain = matches!(text(ty, "PrintMethod").as_str(), "" | "printOperand");
        if !plain || self.table.operands.contains_key(&name) || self.table.print.contains_key(&name) {
            return false;
        }
        let render = |ty: Def<'a>| match ty.get("ParserMatchClass") {
            Some(Value::Def(class)) => text(class, "RenderMethod"),
            _ => String::new(),
        };
        let of_own = if let Some(OperandType::Def(own)) = own { render(*own) } else { String::new() };
        let of_alias = render(ty);
        register_class(ty).is_none() && !of_alias.is_empty() && of_alias != of_own
    }

    /// That the bits of a number are none of those that the table rejects for the record that an alias names.
    fn is_allowed(&mut self, scope: &mut Scope, source: &Source, ty: Def<'a>, guard: &mut Guard) {
        let table = self.table;
        let (Source::Numbers(numbers), Some((hook, _))) = (source, OperandTable::find(&table.operands, &ty.name()))
        else {
            return;
        };
        let [number] = numbers.as_slice() else { return };
        for step in hook.body.iter().flat_map(|part| &part.steps) {
            let field = scope.bits_of(&mut self.builder, number);
            match step {
                DecodeStep::Reject(set) => guard.add(|nodes| outside(nodes, field, set, number.width())),
                DecodeStep::Accept(formula) => {
                    guard.add(|nodes| formula.lower(nodes, &mut |_| Node::Field(field)));
                }
                _ => {}
            }
        }
    }

    /// That the bits of a number are these; `None` if they cannot be.
    fn number_is(&mut self, scope: &mut Scope, number: &Number, raw: u64, guard: &mut Guard) -> Option<()> {
        let width = number.width();
        if width < 64 && raw >> width != 0 {
            return None;
        }
        let mut at = width;
        for piece in &number.pieces {
            at -= piece.width();
            if let isaglot_model::Piece::Implied { width, value } = *piece {
                let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
                if raw >> at & mask != value {
                    return None;
                }
            }
        }
        let field = scope.bits_of(&mut self.builder, number);
        guard.equals(field, raw);
        Some(())
    }

    fn are_equal(&mut self, scope: &mut Scope, a: &Source, b: &Source, guard: &mut Guard) -> Option<()> {
        match (a, b) {
            (Source::Numbers(a), Source::Numbers(b)) => {
                let ([a], [b]) = (a.as_slice(), b.as_slice()) else { return None };
                if a.pieces == b.pieces {
                    return Some(());
                }
                let (x, y) = (scope.bits_of(&mut self.builder, a), scope.bits_of(&mut self.builder, b));
                guard.add(|nodes| {
                    let x = push(nodes, Node::Field(x));
                    let y = push(nodes, Node::Field(y));
                    push(nodes, Node::Binary(BinaryOp::Eq, IntType::I64, x, y))
                });
                Some(())
            }
            (Source::Numbers(numbers), Source::Register(_, number))
            | (Source::Register(_, number), Source::Numbers(numbers)) => {
                let [one] = numbers.as_slice() else { return None };
                self.number_is(scope, one, *number, guard)
            }
            (Source::Register(a, _), Source::Register(b, _)) => (a == b).then_some(()),
            (Source::Constant(a), Source::Constant(b)) => (a == b).then_some(()),
            _ => None,
        }
    }

    /// That a register is of a class.
    fn is_in_class(&mut self, scope: &mut Scope, source: &Source, class: Def<'a>, guard: &mut Guard) -> Option<()> {
        let Source::Numbers(numbers) = source else { return Some(()) };
        let [number] = numbers.as_slice() else { return Some(()) };
        let Some((_, true)) = number.registers else { return Some(()) };
        let width = number.width();
        if width > 12 {
            return Some(());
        }
        // The bits that are not of the word, and what they are.
        let (mut implied, mut set, mut at) = (0, 0, width);
        for piece in &number.pieces {
            at -= piece.width();
            if let isaglot_model::Piece::Implied { width, value } = *piece {
                implied |= ((1u64 << width) - 1) << at;
                set |= value << at;
            }
        }
        let key = (class.index(), width, implied, set);
        let known = self.class_tests.get(&key).cloned();
        let test = known.unwrap_or_else(|| {
            let test = self.registers.numbers(class);
            let test = ClassTest::new(&test, (0..1u64 << width).filter(|v| v & implied == set)).map(Rc::new);
            self.class_tests.insert(key, test.clone());
            test
        });
        let ClassTest { list, op, join } = &*test?;
        if list.is_empty() {
            return Some(());
        }
        let field = scope.bits_of(&mut self.builder, number);
        guard.add(|nodes| {
            let field = push(nodes, Node::Field(field));
            let mut last = None;
            for value in list {
                let value = push(nodes, Node::Const(*value, IntType::I64));
                let test = push(nodes, Node::Binary(*op, IntType::I64, field, value));
                last = Some(match last {
                    None => test,
                    Some(before) => push(nodes, Node::Binary(*join, IntType::I64, before, test)),
                });
            }
            last.unwrap_or(field)
        });
        Some(())
    }
}

/// How it is told that a register is of a class: its number is compared with each of some, and how the comparisons are joined.
pub(super) struct ClassTest {
    list: Vec<u64>,
    op: BinaryOp,
    join: BinaryOp,
}

impl ClassTest {
    /// The test among these numbers; `None` if none of them is of the class.
    fn new(class: &FxHashSet<u64>, numbers: impl Iterator<Item = u64>) -> Option<ClassTest> {
        let (inside, outside): (Vec<u64>, Vec<u64>) = numbers.partition(|v| class.contains(v));
        if inside.is_empty() {
            return None;
        }
        // What the pattern of the instruction excludes needs no test, but costs none either.
        Some(if outside.len() <= inside.len() {
            ClassTest { list: outside, op: BinaryOp::Ne, join: BinaryOp::LogicalAnd }
        } else {
            ClassTest { list: inside, op: BinaryOp::Eq, join: BinaryOp::LogicalOr }
        })
    }
}

/// That a field of so many bits is not in a set.
fn outside(nodes: &mut Vec<Node>, field: Name, set: &ValueSet, width: u32) -> NodeId {
    let ty = IntType { bits: 64, signed: false };
    let field = push(nodes, Node::Field(field));
    let compare = |op, value: u64, nodes: &mut Vec<Node>, left: NodeId| {
        let value = push(nodes, Node::Const(value, ty));
        push(nodes, Node::Binary(op, ty, left, value))
    };
    match *set {
        ValueSet::Range(from, to) if from == to => compare(BinaryOp::Ne, from, nodes, field),
        ValueSet::Range(from, to) => {
            let below = compare(BinaryOp::Lt, from, nodes, field);
            let above = compare(BinaryOp::Gt, to, nodes, field);
            push(nodes, Node::Binary(BinaryOp::LogicalOr, ty, below, above))
        }
        ValueSet::Mask(care, value) => {
            let care = push(nodes, Node::Const(care, ty));
            let masked = push(nodes, Node::Binary(BinaryOp::And, ty, field, care));
            compare(BinaryOp::Ne, value, nodes, masked)
        }
        ValueSet::Top(bits, value) => {
            let low = push(nodes, Node::Const(u64::from(width.saturating_sub(bits)), ty));
            let top = push(nodes, Node::Binary(BinaryOp::Shr, ty, field, low));
            compare(BinaryOp::Ne, value, nodes, top)
        }
        ValueSet::Negative => compare(BinaryOp::Lt, 1 << width.saturating_sub(1).min(63), nodes, field),
        ValueSet::Any => push(nodes, Node::Const(0, ty)),
    }
}
