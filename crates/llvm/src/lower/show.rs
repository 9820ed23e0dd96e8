//! How one operand prints: its text by the table's choices, its numbers by their formats.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;

use isaglot_invariant::Impossible as _;
use isaglot_model::{BinaryOp, FieldSource, FieldType, IntType, Name, Node, Piece as Bits, TemplatePart};
use isaglot_source::{Diagnostic, Span};

use super::meaning::{Number, Source, register_class, select};
use super::scope::{Scope, push};
use super::spaces::places;
use super::text::{Parts, Shown, UNEXPLAINED, literal};
use super::{Lowering, Missing};
use crate::table::formula::Formula;
use crate::table::{NumberFormat, TextChoice, TextPiece, ValueSet};
use crate::target::inst::pieces;

impl<'a> Lowering<'a> {
    /// Appends the text of an operand.
    pub(super) fn show(&mut self, scope: &mut Scope, shown: &Shown<'a>, parts: &mut Parts) {
        let Shown { source, ty, method, choices: found } = shown;
        let (method, ty) = (&**method, *ty);
        let plain = matches!(method, "" | "printOperand");
        if found.is_none()
            && !plain
            && let Some(ty) = ty
        {
            self.missing(Missing::Printer, method, ty);
            literal(parts, UNEXPLAINED);
        } else {
            let guess = found.is_some() && self.prints_by_guess(method, ty);
            let unexplained = matches!(source, Source::Numbers(all) if all.iter().any(|number| number.unexplained));
            if guess || unexplained {
                literal(parts, UNEXPLAINED);
            }
        }
        // Texts for some classes of registers only are kept apart.
        let kept = || match ty.and_then(register_class) {
            Some(class) => Cow::Owned(format!("{method} of {}", class.name())),
            None => Cow::Borrowed(method),
        };
        match (source, found) {
            (Source::Unknown, _) => literal(parts, UNEXPLAINED),
            (Source::Register(shown, number), found) => {
                let choices = found.as_deref().unwrap_or_default();
                match choices.iter().find(|c| c.when.holds(*number)) {
                    None => self.show_register(scope, shown, *number, parts),
                    Some(choice) => {
                        for piece in &choice.text {
                            match piece {
                                TextPiece::Literal(text) => literal(parts, text),
                                _ => self.show_register(scope, shown, *number, parts),
                            }
                        }
                    }
                }
            }
            (Source::Constant(value), Some(choices)) => match by_feature(*value, choices) {
                Some(number) => self.show_choices(scope, &[number], &kept, choices, parts),
                None => self.show_constant(*value, choices, parts),
            },
            (Source::Constant(value), None) => literal(parts, &format!("{}{value}", self.table.immediates)),
            (Source::Numbers(numbers), Some(choices)) => {
                self.show_choices(scope, numbers, &kept, choices, parts);
            }
            (Source::Numbers(numbers), None) => {
                for (i, number) in numbers.iter().enumerate() {
                    if i > 0 {
                        literal(parts, ", ");
                    }
                    if plain && number.registers.is_none() && number.format == NumberFormat::Plain {
                        literal(parts, &self.table.immediates);
                    }
                    self.show_number(scope, number, &NumberFormat::Plain, parts);
                }
            }
        }
    }

    /// Appends a register that is not in the word: as a field with that value, so that it may be called by all its names.
    fn show_register(&mut self, scope: &mut Scope, shown: &str, number: u64, parts: &mut Parts) {
        let Some(file) = self.registers.file_of(number, shown) else {
            return literal(parts, self.registers.printed(shown));
        };
        let mut nodes = Vec::new();
        push(&mut nodes, Node::Const(number, IntType::I64));
        let source = FieldSource::Derived(scope.expr(&mut self.builder, nodes));
        let name = scope.constant(&mut self.builder, shown, source, FieldType::Register(file));
        parts.push(TemplatePart::Field { name, align: 0, reference: shown.into() });
    }

    fn show_constant(&mut self, value: i64, choices: &[TextChoice], parts: &mut Parts) {
        let Some(choice) = choices.iter().find(|c| c.when.holds(value as u64)) else {
            return literal(parts, &value.to_string());
        };
        for piece in &choice.text {
            match piece {
                TextPiece::Literal(text) => literal(parts, text),
                TextPiece::Part { bits, format, .. } => {
                    let cut = bits.iter().fold(0i64, |all, &(high, low)| {
                        let width = (high - low + 1).min(63);
                        all << width | (value >> low.min(63)) & ((1 << width) - 1)
                    });
                    let value = if bits.is_empty() { value } else { cut };
                    if let NumberFormat::Print(method) = format
                        && let Some(choices) = self.table.choices(method, None)
                    {
                        self.show_constant(value, &choices, parts);
                        continue;
                    }
                    let shown = match format {
                        NumberFormat::Hex => format!("{value:#x}"),
                        NumberFormat::Digits => format!("{value:x}"),
                        NumberFormat::Enum(name) => self
                            .table
                            .enums
                            .get(name)
                            .and_then(|values| {
                                values.iter().find(|(v, _)| *v == value as u64).map(|(_, text)| text.to_string())
                            })
                            .unwrap_or_else(|| value.to_string()),
                        _ => value.to_string(),
                    };
                    literal(parts, &shown);
                }
                TextPiece::Expr(formula, format) => {
                    let value = formula.value(&|name| (name == "v").then_some(value)).unwrap_or(value);
                    let shown = match format {
                        NumberFormat::Hex => format!("{value:#x}"),
                        NumberFormat::Digits => format!("{value:x}"),
                        _ => value.to_string(),
                    };
                    literal(parts, &shown);
                }
                // A constant has no parts.
                TextPiece::Joined(..) | TextPiece::Param(_) => literal(parts, &value.to_string()),
            }
        }
    }

    fn show_choices<'m>(
        &mut self,
        scope: &mut Scope,
        numbers: &[Number],
        method: &dyn Fn() -> Cow<'m, str>,
        choices: &[TextChoice],
        parts: &mut Parts,
    ) {
        if let [TextChoice { when: ValueSet::Any, parts: sets, text, span, .. }] = choices
            && sets.is_empty()
        {
            return self.show_pieces(scope, numbers, text, *span, parts);
        }
        if let Some(choice) = choices.iter().find(|choice| !choice.parts.is_empty()) {
            match self.joined(numbers, &method(), choices) {
                Some((all, space)) => return self.field_part(scope, &all, FieldType::Sub(space), parts),
                None => {
                    let message = "an operand of more than 64 bits cannot be told by its parts";
                    self.problems.push(Diagnostic::error("operands-part", message).label(choice.span, "in this text"));
                    return;
                }
            }
        }
        let [number] = numbers else {
            for number in numbers {
                self.show_number(scope, number, &NumberFormat::Plain, parts);
            }
            return;
        };
        if number.width() == 0 || number.width() > 64 {
            return self.show_number(scope, number, &NumberFormat::Plain, parts);
        }
        let plain = choices.iter().all(|c| {
            c.feature.is_none()
                && matches!((&c.when, c.text.as_slice()), (ValueSet::Range(a, b), [TextPiece::Literal(_)] | []) if a == b)
        });
        let ty = if plain {
            let method = method();
            let value = |c: &TextChoice| match (&c.when, c.text.first()) {
                (ValueSet::Range(value, _), Some(TextPiece::Literal(text))) => (*value, text.as_str().into()),
                (ValueSet::Range(value, _), _) => (*value, "".into()),
                _ => (0, "".into()),
            };
            FieldType::Enum(match self.enums.get(&*method) {
                Some(&known) => known,
                None => {
                    let values: Vec<(u64, Arc<str>)> = choices.iter().map(value).collect();
                    self.enumeration(&method, &values, false)
                }
            })
        } else {
            FieldType::Sub(self.choice_space(number, &method(), choices))
        };
        self.field_part(scope, number, ty, parts);
    }

    pub(super) fn show_pieces(
        &mut self,
        scope: &mut Scope,
        numbers: &[Number],
        text: &[TextPiece],
        span: Span,
        parts: &mut Parts,
    ) {
        for piece in text {
            match piece {
                TextPiece::Literal(text) => literal(parts, text),
                TextPiece::Param(name) => {
                    let message = format!("the name of the print method has no parameter `{name}` here");
                    self.problems.push(Diagnostic::error("operands-part", message).label(span, "in this text"));
                }
                TextPiece::Joined(names, format) => {
                    let known: Result<Vec<&Number>, &String> =
                        names.iter().map(|name| part_of(numbers, name).ok_or(name)).collect();
                    match known {
                        Ok(list) => self.show_number(scope, &joined(list), format, parts),
                        Err(name) => self.no_part(name, span),
                    }
                }
                TextPiece::Part { name, bits, format } => {
                    let Some(number) = part_of(numbers, name) else {
                        self.no_part(name, span);
                        continue;
                    };
                    if bits.is_empty() {
                        self.show_number(scope, number, format, parts);
                    } else if number.formula.is_some() {
                        let message = "some bits of a number that is computed cannot be printed";
                        self.problem(Diagnostic::error("operands-compute", message).label(span, "in this text"));
                    } else {
                        let part = slice(number, bits);
                        self.show_number(scope, &part, format, parts);
                    }
                }
                TextPiece::Expr(formula, format) => {
                    let own = if let [number] = numbers { places(&number.pieces) } else { None };
                    let outer = own.and_then(|own| Rc::make_mut(&mut scope.places).insert("v".to_owned(), own));
                    let mut formula = formula.clone();
                    formula.replace(&|name| value_of(numbers, name));
                    match scope.formula(&mut self.builder, &self.features, &formula) {
                        Ok(expr) => {
                            let ty = match format {
                                NumberFormat::Hex => {
                                    literal(parts, "0x");
                                    FieldType::Hex
                                }
                                NumberFormat::Digits => FieldType::Hex,
                                NumberFormat::Uint => FieldType::Uint,
                                _ => FieldType::Int,
                            };
                            let source = FieldSource::Derived(expr);
                            let name = scope.field(&mut self.builder, "value", source, 64, ty);
                            let reference = "value".into();
                            parts.push(TemplatePart::Field { name, align: 0, reference });
                        }
                        Err(name) => {
                            let message = format!("nothing is called `{name}` here");
                            self.problems.push(Diagnostic::error("operands-formula", message).label(span, ""));
                        }
                    }
                    match outer {
                        Some(outer) => Rc::make_mut(&mut scope.places).insert("v".to_owned(), outer),
                        None if scope.places.contains_key("v") => Rc::make_mut(&mut scope.places).remove("v"),
                        None => None,
                    };
                }
            }
        }
    }

    /// Appends one number.
    fn show_number(&mut self, scope: &mut Scope, number: &Number, format: &NumberFormat, parts: &mut Parts) {
        let format = if *format == NumberFormat::Plain { &number.format } else { format };
        let ty = match format {
            NumberFormat::Plain => match number.registers {
                Some((file, _)) => FieldType::Register(file),
                // What a formula makes may be negative.
                None if number.signed || number.formula.is_some() => FieldType::Int,
                None => FieldType::Uint,
            },
            NumberFormat::Int => FieldType::Int,
            NumberFormat::Uint => FieldType::Uint,
            NumberFormat::Hex => {
                literal(parts, "0x");
                FieldType::Hex
            }
            NumberFormat::Digits => FieldType::Hex,
            NumberFormat::Offset => FieldType::Offset,
            NumberFormat::Float => FieldType::Float,
            NumberFormat::Branch(unit) => FieldType::Branch { absolute: false, call: false, unit: *unit },
            NumberFormat::Enum(name) => match self.named_enum(name, number.width()) {
                Some(ty) => ty,
                None => {
                    self.unknown("enum or table", name);
                    FieldType::Uint
                }
            },
            NumberFormat::Register(class) => {
                let class = self.records.def(class);
                match class.and_then(|class| self.registers.field(class, number.width())) {
                    Some(names) => {
                        let mut number = number.clone();
                        let high = names.high.iter().map(|&b| Bits::Implied { width: 1, value: u64::from(b) });
                        number.pieces.splice(0..0, high);
                        return self.field_part(scope, &number, FieldType::Register(names.file), parts);
                    }
                    None => FieldType::Uint,
                }
            }
            NumberFormat::Print(method) => {
                let number = Number { format: NumberFormat::Plain, ..number.clone() };
                match self.choices(method, None) {
                    Some(choices) => {
                        let own = || Cow::Borrowed(method.as_str());
                        return self.show_choices(scope, std::slice::from_ref(&number), &own, &choices, parts);
                    }
                    None => {
                        self.unknown("print method", method);
                        FieldType::Uint
                    }
                }
            }
        };
        self.field_part(scope, number, ty, parts);
    }

    pub(super) fn field_part(&mut self, scope: &mut Scope, number: &Number, ty: FieldType, parts: &mut Parts) {
        let name = self.field_of(scope, number, ty);
        parts.push(TemplatePart::Field { name, align: 0, reference: Arc::clone(&number.field) });
    }

    /// The field that is a number.
    pub(super) fn field_of(&mut self, scope: &mut Scope, number: &Number, ty: FieldType) -> Name {
        let width = number.width();
        let is_sub = matches!(ty, FieldType::Sub(_));
        if number.formula.is_some() && is_sub {
            let what = format!("`{}` is computed: it prints as a number, a register or by an `enum`", number.field);
            self.problem(Diagnostic::error("operands-compute", what).label(scope.span, "in this instruction"));
        }
        if number.plus == 0 && number.formula.is_none() || is_sub {
            return scope.field_of_bits(&mut self.builder, &number.field, &number.pieces, width, ty);
        }
        let bits = scope.bits_of(&mut self.builder, number);
        let signed = IntType { bits: width.clamp(1, 64), signed: number.signed };
        let mut nodes = Vec::new();
        let field = push(&mut nodes, Node::Field(bits));
        let value = match &number.formula {
            // Its only name is `v`.
            Some(formula) => formula.lower(&mut nodes, &mut |_| Node::Cast(signed, field)),
            None => push(&mut nodes, Node::Cast(signed, field)),
        };
        if number.plus != 0 {
            let plus = push(&mut nodes, Node::Const(number.plus as u64, IntType::I64));
            push(&mut nodes, Node::Binary(BinaryOp::Add, IntType::I64, value, plus));
        }
        let expr = scope.expr(&mut self.builder, nodes);
        let wanted = format!("{}+", number.field);
        scope.field(&mut self.builder, &wanted, FieldSource::Derived(expr), 64, ty)
    }
}

/// The part of an operand with this name or place; `v` is the only one.
pub(super) fn part_of<'n>(numbers: &'n [Number], name: &str) -> Option<&'n Number> {
    let by_name = numbers.iter().position(|n| n.part == *name);
    let at = by_name.or(name.parse().ok()).or((name == "v" && numbers.len() == 1).then_some(0));
    numbers.get(at?)
}

/// A constant as a number whose bits are not in the word, if its text depends on features.
fn by_feature(value: i64, choices: &[TextChoice]) -> Option<Number> {
    let value = u64::try_from(value).ok()?;
    choices.iter().find(|c| c.feature.is_some() && c.parts.is_empty() && c.when.holds(value))?;
    let width = (u64::BITS - value.leading_zeros()).max(1);
    Some(Number {
        part: String::new(),
        field: "context".into(),
        pieces: vec![Bits::Implied { width, value }],
        signed: false,
        plus: 0,
        formula: None,
        registers: None,
        format: NumberFormat::Plain,
        unexplained: false,
    })
}

/// Some bits of a number, as a number without sign.
fn slice(number: &Number, bits: &[(u32, u32)]) -> Number {
    let places = places(&number.pieces).unwrap_or_default();
    let mut field = format!("{}[", number.field);
    for (i, &(high, low)) in bits.iter().enumerate() {
        let between = if i > 0 { "," } else { "" };
        // Nothing can fail to be written to a text.
        let written =
            if high == low { write!(field, "{between}{high}") } else { write!(field, "{between}{high}:{low}") };
        written.or_impossible(());
    }
    field.push(']');
    Number {
        part: number.part.clone(),
        field: field.into(),
        pieces: pieces(&select(&places, bits)),
        signed: false,
        plus: 0,
        formula: None,
        registers: None,
        format: NumberFormat::Plain,
        unexplained: false,
    }
}

/// What the name of a number with a sign is in a formula; `None` if it is the bits as they are.
fn value_of(numbers: &[Number], name: &str) -> Option<Formula> {
    let number = match numbers {
        [number] if name == "v" => number,
        _ => numbers.iter().find(|number| !number.part.is_empty() && number.part == name)?,
    };
    let bits = Box::new(Formula::Field(name.to_owned()));
    let bits = if number.signed { Formula::Sext(bits, number.width()) } else { *bits };
    let value = match number.formula.clone() {
        Some(mut made) => {
            made.replace(&|_| Some(bits.clone()));
            made
        }
        None => bits,
    };
    Some(match number.plus {
        0 => value,
        plus => Formula::Binary(BinaryOp::Add, Box::new(value), Box::new(Formula::Number(plus))),
    })
}

/// Numbers put together as one without sign, the first with the most significant bits.
fn joined(list: Vec<&Number>) -> Number {
    let names: Vec<&str> = list.iter().map(|number| &*number.field).collect();
    Number {
        part: String::new(),
        field: names.join(",").into(),
        pieces: list.iter().flat_map(|number| number.pieces.clone()).collect(),
        signed: false,
        plus: 0,
        formula: None,
        registers: None,
        format: NumberFormat::Plain,
        unexplained: false,
    }
}
