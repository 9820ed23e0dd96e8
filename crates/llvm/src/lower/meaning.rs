//! What the bits of an operand mean: which numbers they are made of, and which bits are not a valid operand.

use std::rc::Rc;
use std::sync::Arc;

use isaglot_bits::{BitRange, Pattern};
use isaglot_model::{BinaryOp, IntType, Piece, RegisterFileId};
use isaglot_source::Diagnostic;

use super::reject::{reject, reject_copies, reject_set, reject_where};
use super::{Lowering, Missing};
use crate::limits::MAX_LISTED_BITS;
use crate::table::formula::Formula;
use crate::table::hook::Value as Bound;
use crate::table::{DecodeStep, InstFact, NumberFormat, OperandTable, Part};
use crate::target::inst::{Inst, InstOperand, OperandType, Places, pieces};
use crate::target::registers::text;
use isaglot_tablegen::{Def, Value};

/// What the name of a print method begins with that is for an operand with the number after the instruction: `(literal 32 METHOD `,
/// and where the operand need not be that number the value that says so, the method of all others and how many bits they have.
pub(crate) const LITERAL: &str = "(literal ";

/// A number that an operand is made of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Number {
    /// The name of the part within its operand; empty for the only one.
    pub(crate) part: String,
    /// The name of the field of the encoding.
    pub(crate) field: Arc<str>,
    /// Its bits, the most significant first.
    pub(crate) pieces: Vec<Piece>,
    /// Whether it is negative where its top bit is set.
    pub(crate) signed: bool,
    /// What is added.
    pub(crate) plus: i64,
    /// What its bits with its sign, `v` here, are made into; before anything is added.
    pub(crate) formula: Option<Formula>,
    /// The registers that it names; with `physical` by their own numbers.
    pub(crate) registers: Option<(RegisterFileId, bool)>,
    /// How it prints unless said otherwise.
    pub(crate) format: NumberFormat,
    /// Nothing explains the name of its decoder: its value is that of the raw bits, and its text says so.
    pub(crate) unexplained: bool,
}

impl Number {
    /// Its width in bits.
    pub(crate) fn width(&self) -> u32 {
        self.pieces.iter().map(|p| p.width()).sum()
    }

    /// Whether two numbers are alike but for their bits.
    pub(super) fn is_but_for_bits(&self, other: &Number) -> bool {
        let all = |n: &Number| (n.signed, n.plus, n.registers, n.unexplained);
        all(self) == all(other)
            && (&self.part, &self.field, &self.formula, &self.format)
                == (&other.part, &other.field, &other.formula, &other.format)
    }

    /// What it is so far, over its bits with their sign.
    fn so_far(&self) -> Formula {
        let made = self.formula.clone().unwrap_or_else(|| Formula::Field("v".to_owned()));
        match self.plus {
            0 => made,
            plus => Formula::Binary(BinaryOp::Add, Box::new(made), Box::new(Formula::Number(plus))),
        }
    }

    /// Its value for these bits.
    fn of_bits(&self, raw: u64) -> Option<i64> {
        let ty = IntType { bits: self.width().clamp(1, 64), signed: self.signed };
        let value = ty.wrap(raw) as i64;
        let made = self.formula.as_ref().map_or(Some(value), |f| f.value(&|name| (name == "v").then_some(value)));
        Some(made?.wrapping_add(self.plus))
    }

    /// The bits that are a value, if it is one.
    pub(crate) fn raw(&self, value: i64) -> Option<u64> {
        if self.formula.is_some() {
            return None;
        }
        let width = self.width().clamp(1, 64);
        let value = value.wrapping_sub(self.plus);
        let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        let raw = value as u64 & mask;
        let back = if self.signed { ((raw << (64 - width)) as i64) >> (64 - width) } else { raw as i64 };
        (back == value || width == 64).then_some(raw)
    }
}

/// Where the value of an operand comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// From the word.
    Numbers(Rc<Vec<Number>>),
    /// It is this register always: how it prints, its number.
    Register(String, u64),
    /// It is this number always.
    Constant(i64),
    /// Nothing says.
    Unknown,
}

/// The operands of an instruction, resolved, and the words that they exclude.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub(crate) sources: Vec<Source>,
    pub(crate) except: Vec<Pattern>,
}

/// The numbers of operands of one type and name whose bits are at the same places, and the words that they exclude.
pub(super) struct Known {
    name: String,
    places: Places,
    /// The decoder that the table names for the operand.
    said: Option<String>,
    numbers: Rc<Vec<Number>>,
    except: Vec<Pattern>,
    missing: Option<(Missing, String)>,
}

impl<'a> Lowering<'a> {
    /// Resolves all operands of an instruction of `width` bits.
    pub(crate) fn resolve(&mut self, inst: &Inst<'a>, width: u32, facts: &[InstFact]) -> Resolved {
        let mut except = Vec::new();
        let mut sources: Vec<Option<Source>> = Vec::with_capacity(inst.operands.len());
        for operand in inst.operands.iter() {
            if let Some(number) = self.with_literal(inst, operand, width, facts, &mut except) {
                sources.push(Some(Source::Numbers(Rc::new(vec![number]))));
                continue;
            }
            sources.push(match &operand.ty {
                OperandType::Def(ty) => {
                    let places = inst.fields.get(&operand.name);
                    let said = facts.iter().find_map(|fact| match fact {
                        InstFact::Decode(name, method) if *name == operand.name => Some(method.as_str()),
                        _ => None,
                    });
                    places.map(|places| {
                        Source::Numbers(self.numbers((*ty, said), &operand.name, places, width, &mut except))
                    })
                }
                OperandType::Parts(ty, names) => Some(self.named_parts(*ty, names, inst, width, &mut except)),
                OperandType::Other => None,
            });
        }
        if self.unexplained.contains(&inst.def.index()) {
            let numbers = sources.iter_mut().flatten().filter_map(|source| match source {
                Source::Numbers(numbers) => Some(numbers),
                _ => None,
            });
            numbers.flat_map(|all| Rc::make_mut(all).iter_mut()).for_each(|number| number.unexplained = true);
        }
        reject_copies(inst, width, &mut except);
        let resolved = (0..sources.len()).map(|i| self.source(inst, &sources, i, facts)).collect();
        for fact in facts {
            match fact {
                InstFact::Reject(name, set) => {
                    if let Some(places) = inst.fields.get(name) {
                        self.refused.add(places, set, width, &mut except);
                    }
                }
                InstFact::RejectEqual(a, b) => {
                    if let (Some(a), Some(b)) = (inst.fields.get(a), inst.fields.get(b)) {
                        self.refused.add_equal(a, b, width, &mut except);
                    }
                }
                InstFact::RejectIf(formula, span) => {
                    if let Err(why) = reject_where(&inst.fields, formula, width, &mut except) {
                        let d = Diagnostic::error("operands-reject", why).label(*span, "in this formula");
                        self.problem(d.note(format!("for `{}`", inst.name)));
                    }
                }
                _ => {}
            }
        }
        Resolved { sources: resolved, except }
    }

    /// An operand that is, or may be, the number after the instruction: the operand's own bits with that number below them.
    fn with_literal(
        &mut self,
        inst: &Inst<'a>,
        operand: &InstOperand<'a>,
        width: u32,
        facts: &[InstFact],
        except: &mut Vec<Pattern>,
    ) -> Option<Number> {
        let (literal, own) = facts.iter().find_map(|fact| match fact {
            InstFact::After(name, bits, print) if *name == operand.name => Some(((*bits, print), None)),
            InstFact::Either(name, value, bits, print) if *name == operand.name => Some(((*bits, print), Some(*value))),
            _ => None,
        })?;
        let (OperandType::Def(ty), Some(places)) = (&operand.ty, inst.fields.get(&operand.name)) else { return None };
        let mut number = self.numbers((*ty, None), &operand.name, places, width, except).last()?.clone();
        let (bits, print) = literal;
        let own = own.map(|value| {
            let print = if let NumberFormat::Print(method) = &number.format { method.as_str() } else { "" };
            format!("{value} {print} {}", number.width())
        });
        number.format = NumberFormat::Print(format!("{LITERAL}{bits} {print} {}", own.unwrap_or_default()));
        let after: Places = (width.saturating_sub(bits)..width).map(Some).collect();
        number.pieces.extend(pieces(&after));
        Some(Number { signed: false, plus: 0, formula: None, registers: None, ..number })
    }

    fn source(&mut self, inst: &Inst<'a>, known: &[Option<Source>], at: usize, facts: &[InstFact]) -> Source {
        if let Some(Some(source)) = known.get(at) {
            return source.clone();
        }
        let Some(operand) = inst.operands.get(at) else { return Source::Unknown };
        let constant = facts.iter().find_map(|fact| match fact {
            InstFact::Constant(name, value) if *name == operand.name => Some(*value),
            _ => None,
        });
        if let Some(value) = constant {
            return Source::Constant(value);
        }
        let tied = inst.operands.iter().position(|o| o.tied == Some(at)).into_iter().chain(operand.tied);
        for other in tied {
            if let Some(Some(source)) = known.get(other) {
                return source.clone();
            }
        }
        let OperandType::Def(ty) = &operand.ty else { return Source::Unknown };
        if let Some((hook, _)) = OperandTable::find(&self.table.operands, &ty.name())
            && let Some(Part { steps, .. }) = hook.body.first()
            && let Some(DecodeStep::Constant(value)) = steps.first()
        {
            return Source::Constant(*value);
        }
        if let Some(class) = register_class(*ty)
            && let Some(only) = self.registers.only(class)
        {
            let (shown, number) = (only.shown.clone(), only.number);
            return Source::Register(shown, number);
        }
        Source::Unknown
    }

    /// `(MEMri $rs1, $simm13):$addr`: every part is a field of its own, of the type that the operand's record says.
    fn named_parts(
        &mut self,
        ty: Def<'a>,
        names: &[String],
        inst: &Inst<'a>,
        width: u32,
        except: &mut Vec<Pattern>,
    ) -> Source {
        let Some(Value::Dag(dag)) = ty.get("MIOperandInfo") else { return Source::Unknown };
        let mut list = Vec::new();
        for ((value, _), name) in dag.args().zip(names) {
            let (Value::Def(part), Some(places)) = (value, inst.fields.get(name)) else { return Source::Unknown };
            let numbers = self.numbers((part, None), name, places, width, except);
            list.extend(numbers.iter().map(|number| Number { part: name.clone(), ..number.clone() }));
        }
        Source::Numbers(Rc::new(list))
    }

    /// The numbers of an operand of this type whose bits are at `places`; `said` is the decoder that the table names for it. Most operands
    /// have bits where others of their type have them, so that is worked out once.
    pub(crate) fn numbers(
        &mut self,
        (ty, said): (Def<'a>, Option<&str>),
        name: &str,
        places: &Places,
        width: u32,
        except: &mut Vec<Pattern>,
    ) -> Rc<Vec<Number>> {
        let key = (ty.index(), width);
        let same = |known: &&Known| known.name == name && known.places == *places && known.said.as_deref() == said;
        let (numbers, missing) = match self.numbers.get(&key).and_then(|all| all.iter().find(same)) {
            Some(known) => {
                except.extend_from_slice(&known.except);
                (Rc::clone(&known.numbers), known.missing.clone())
            }
            None => {
                let (mut own, mut missing) = (Vec::new(), None);
                let numbers = Rc::new(self.new_numbers((ty, said), name, places, width, (&mut own, &mut missing)));
                except.extend_from_slice(&own);
                let known = Known {
                    name: name.to_owned(),
                    places: places.clone(),
                    said: said.map(str::to_owned),
                    numbers: Rc::clone(&numbers),
                    except: own,
                    missing: missing.clone(),
                };
                self.numbers.entry(key).or_default().push(known);
                (numbers, missing)
            }
        };
        // What nothing explains is counted as often as it is used.
        if let Some((kind, name)) = missing {
            self.missing(kind, &name, ty);
        }
        numbers
    }

    /// The same for an operand that was not met so before. What nothing explains of it goes to `missing`.
    fn new_numbers(
        &mut self,
        (ty, said): (Def<'a>, Option<&str>),
        name: &str,
        places: &Places,
        width: u32,
        (except, missing): (&mut Vec<Pattern>, &mut Option<(Missing, String)>),
    ) -> Vec<Number> {
        let mut class = register_class(ty);
        let mut unexplained = false;
        let table = self.table;
        let method = text(ty, "DecoderMethod");
        let name_of_type = ty.name();
        let mut rule = match said {
            Some(said) => OperandTable::find(&table.decode, said),
            None => OperandTable::find(&table.operands, &name_of_type),
        };
        if let (Some(said), None) = (said, &rule) {
            *missing = Some((Missing::Decoder, said.to_owned()));
            unexplained = true;
        } else if rule.is_none() && !method.is_empty() {
            rule = OperandTable::find(&table.decode, &method);
            if rule.is_none() {
                match method.strip_prefix("Decode").and_then(|m| m.strip_suffix("RegisterClass")) {
                    Some(named) => class = self.records.def(named).or(class),
                    None => {
                        *missing = Some((Missing::Decoder, method.clone()));
                        unexplained = true;
                    }
                }
            }
        }
        if let Some((hook, bound)) = rule {
            let several = hook.body.len() > 1;
            let parts = hook.body.iter().map(|part| {
                let slice = if part.bits.is_empty() { places.clone() } else { select(places, &part.bits) };
                let field = if several { format!("{name}.{}", part.name) } else { name.to_owned() };
                let bits = slice.iter().flatten().count() as u32;
                if bits > MAX_LISTED_BITS && part.steps.iter().any(|step| matches!(step, DecodeStep::Accept(_))) {
                    let message = format!("`accept` is over {bits} bits; at most {MAX_LISTED_BITS} can be tried");
                    let d = Diagnostic::error("operands-accept", message).label(hook.span, "in this statement");
                    self.problem(d.note("`reject` with sets of values works for any width"));
                }
                let mut number = self.number(part, field, &slice, (&bound, class), width, except);
                number.unexplained = hook.guess;
                number
            });
            let parts: Vec<Number> = parts.collect();
            if hook.guess {
                *missing = Some((Missing::Guess, if method.is_empty() { name_of_type.into_owned() } else { method }));
            }
            return parts;
        }
        let part = Part { name: String::new(), bits: Vec::new(), steps: Vec::new() };
        // A register's number is only as wide as what the word holds of it.
        let held = places.iter().rposition(Option::is_some).map_or(0, |top| top + 1);
        let trimmed = places.get(..held).unwrap_or(places).to_vec();
        let places = if class.is_some() { &trimmed } else { places };
        let mut number = self.number(&part, name.to_owned(), places, (&[], None), width, except);
        if let Some(class) = class {
            self.register(&mut number, class, places, width, except);
        } else if method.is_empty() && matches!(ty.get("MIOperandInfo"), Some(Value::Dag(d)) if d.args().len() > 1) {
            *missing = Some((Missing::Operand, ty.name().into_owned()));
            unexplained = true;
        }
        number.unexplained = unexplained;
        vec![number]
    }

    fn register(
        &mut self,
        number: &mut Number,
        class: Def<'a>,
        places: &Places,
        width: u32,
        except: &mut Vec<Pattern>,
    ) {
        if number.formula.is_some() {
            return self.computed_register(number, class, places, width, except);
        }
        // A class of one register in a field that has bits is a number like any other.
        let Some(names) = self.registers.field(class, number.width()) else { return };
        // The number that the bits become with those that a step has set below them. Low bits of the field that the word
        // does not hold are among its bits already.
        let (low, set) = implied_below(&number.pieces);
        let held = places.iter().take_while(|at| at.is_none()).count() as u32;
        let low = low.saturating_sub(held);
        let invalid = |value: u64| {
            let value = value.checked_shl(low).unwrap_or(0) | set;
            !names.valid.get(value as usize).copied().unwrap_or(false)
        };
        reject(places, &invalid, width, except);
        let high = names.high.iter().map(|&bit| Piece::Implied { width: 1, value: u64::from(bit) });
        number.pieces.splice(0..0, high);
        number.registers = Some((names.file, names.physical));
    }

    /// The same of a number that a formula makes: bits that make no register are not valid.
    fn computed_register(
        &mut self,
        number: &mut Number,
        class: Def<'a>,
        places: &Places,
        width: u32,
        except: &mut Vec<Pattern>,
    ) {
        let message = |what: &str| Diagnostic::error("operands-compute", what.to_owned());
        let made: Vec<Option<i64>> = match number.width() {
            bits @ 0..=MAX_LISTED_BITS => (0..1u64 << bits).map(|raw| number.of_bits(raw)).collect(),
            bits => {
                let what = format!("a register is computed of {bits} bits; at most {MAX_LISTED_BITS} can be tried");
                return self.problem(message(&what));
            }
        };
        let most = made.iter().flatten().copied().max().unwrap_or(0).max(1);
        let names = self.registers.field(class, 64 - most.leading_zeros());
        let Some(names) = names.filter(|names| names.high.is_empty() && names.physical) else {
            let what = format!("the registers of `{}` cannot be told by a computed number", class.name());
            return self.problem(message(&what));
        };
        let invalid = |value: u64| {
            let register = made.get(value as usize).copied().flatten();
            let register = register.and_then(|register| usize::try_from(register).ok());
            !register.and_then(|register| names.valid.get(register)).copied().unwrap_or(false)
        };
        reject(places, &invalid, width, except);
        number.registers = Some((names.file, names.physical));
    }

    /// One number of an operand; `own` is the class of registers that the operand's record names.
    fn number(
        &mut self,
        part: &Part,
        field: String,
        places: &Places,
        (bound, own): (&[Bound<'_>], Option<Def<'a>>),
        width: u32,
        except: &mut Vec<Pattern>,
    ) -> Number {
        let mut number = Number {
            part: part.name.clone(),
            field: field.into(),
            pieces: pieces(places),
            signed: false,
            plus: 0,
            formula: None,
            registers: None,
            format: NumberFormat::Plain,
            unexplained: false,
        };
        let bits = |n: i64| u32::try_from(n).unwrap_or(0).min(64);
        for step in &part.steps {
            match step {
                DecodeStep::Int(to) | DecodeStep::Uint(to) => {
                    number.signed = matches!(step, DecodeStep::Int(_));
                    if let Some(to) = to {
                        number.pieces = Piece::resized(&number.pieces, bits(to.value(bound)));
                    }
                }
                DecodeStep::Shl(by) => {
                    let zeros = bits(by.value(bound));
                    if zeros > 0 {
                        number.pieces.push(Piece::Implied { width: zeros, value: 0 });
                    }
                }
                DecodeStep::Sext(to) => {
                    let top = match number.pieces.first() {
                        Some(Piece::Bits(r)) => {
                            Piece::Bits(BitRange { lo: r.lo + r.width.saturating_sub(1), width: 1 })
                        }
                        Some(&Piece::Implied { width, value }) => {
                            Piece::Implied { width: 1, value: value >> width.saturating_sub(1) & 1 }
                        }
                        None => continue,
                    };
                    for _ in number.width()..bits(to.value(bound)) {
                        number.pieces.insert(0, top);
                    }
                }
                DecodeStep::High(width, value) => {
                    number.pieces.insert(0, Piece::Implied { width: *width, value: *value });
                }
                DecodeStep::Plus(n) => number.plus = number.plus.wrapping_add(n.value(bound)),
                DecodeStep::Compute(formula) => {
                    let mut formula = formula.clone();
                    let before = number.so_far();
                    formula.replace(&|name| (name == "v").then(|| before.clone()));
                    (number.formula, number.plus) = (Some(formula), 0);
                }
                DecodeStep::Reject(set) => reject_set(places, set, width, except),
                DecodeStep::Accept(formula) => {
                    let refused = |value: u64| formula.value(&|name| (name == "v").then_some(value as i64)) == Some(0);
                    reject(places, &refused, width, except);
                }
                DecodeStep::Register(named) => {
                    let class = named.as_ref().map_or(own, |class| self.records.def(class));
                    match (class, named) {
                        (Some(class), _) => self.register(&mut number, class, places, width, except),
                        (None, Some(class)) => self.unknown("register class", class),
                        (None, None) => {}
                    }
                }
                DecodeStep::Format(format) => number.format = format.clone(),
                DecodeStep::Constant(_) => {}
            }
        }
        number
    }
}

/// How many bits at the lower end are not of the word, and their value.
fn implied_below(list: &[Piece]) -> (u32, u64) {
    let (mut low, mut set) = (0, 0u64);
    for piece in list.iter().rev() {
        let Piece::Implied { width, value } = *piece else { break };
        set |= value.checked_shl(low).unwrap_or(0);
        low += width;
    }
    (low, set)
}

/// The class whose registers an operand of this type names.
pub(crate) fn register_class(ty: Def<'_>) -> Option<Def<'_>> {
    if ty.is_of("RegisterClass") {
        return Some(ty);
    }
    match ty.get("RegClass") {
        Some(Value::Def(class)) => Some(class),
        _ => None,
    }
}

/// The places of these bits of a field.
pub(crate) fn select(places: &Places, bits: &[(u32, u32)]) -> Places {
    let ranges = bits.iter().rev().flat_map(|&(high, low)| low..=high);
    ranges.map(|bit| places.get(bit as usize).copied().flatten()).collect()
}
