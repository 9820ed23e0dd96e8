//! How operands print: the pieces of a template, and spaces for operands whose text depends on their value.

use std::borrow::Cow;
use std::rc::Rc;

use isaglot_bits::{BitRange, Pattern, Word};
use isaglot_model::{
    BinaryOp, Case, Condition, Encoding, EnumType, EnumValue, FieldSource, FieldType, IntType, Node, Overlap,
    Piece as Bits, Space, SpaceId, Template, TemplateId, TemplatePart,
};
use isaglot_source::{Diagnostic, Span};

use super::meaning::{LITERAL, Number, Source, register_class, select};
use super::scope::{Guard, Scope, push, whole};
use super::values::patterns;
use super::{Lowering, Missing};
use crate::table::formula::Formula;
use crate::table::{NumberFormat, TextChoice, TextPiece, ValueSet};
use crate::target::inst::{AsmPart, pieces};
use crate::target::registers::{NOWHERE, text};
use isaglot_tablegen::Def;

/// What an operand of an `AsmString` stands for, and the record that says how it prints.
pub(crate) type Lookup<'f, 'a> = dyn Fn(&str) -> Option<(Source, Option<Def<'a>>)> + 'f;

/// An operand of an `AsmString`: what it stands for, the record that says how it prints, the name of its printer and what that says.
struct Shown<'a> {
    source: Source,
    ty: Option<Def<'a>>,
    method: Rc<str>,
    choices: Option<Rc<[TextChoice]>>,
}

/// An `AsmString` whose operands are looked up, for all templates that are made of it.
pub(crate) struct Line<'s, 'a> {
    parts: Vec<LinePart<'s, 'a>>,
    /// All its names are known; if not, the parts end before the first that is not.
    whole: bool,
}

impl Line<'_, '_> {
    /// How many parts it has.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }
}

enum LinePart<'s, 'a> {
    Text(&'s str),
    /// An operand, and the text right after a name with a dot in it.
    Operand(Shown<'a>, Option<&'s str>),
}

/// What a line is where operands print that have a shorter text for one value.
pub(crate) enum Short {
    /// Some do.
    Shorter(TemplateId),
    /// None does: the parts of the plain template.
    Plain(Parts),
}

/// What stands before the text of an operand whose decoder or printer no table explains. What follows is what the records alone
/// say, which may be another number than the real one.
const UNEXPLAINED: &str = "?";

/// What a template is made of so far. Texts that follow each other are one part.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    list: Vec<TemplatePart>,
    /// The text after the last of them.
    text: Vec<u8>,
}

impl Parts {
    fn push(&mut self, part: TemplatePart) {
        self.end_text();
        self.list.push(part);
    }

    fn end_text(&mut self) {
        if !self.text.is_empty() {
            self.list.push(TemplatePart::Literal(self.text.as_slice().into()));
            self.text.clear();
        }
    }

    /// All of them.
    pub(super) fn finish(mut self) -> Vec<TemplatePart> {
        self.end_text();
        self.list
    }
}

/// Appends text.
fn literal(parts: &mut Parts, text: &str) {
    parts.text.extend_from_slice(text.as_bytes());
}

impl<'a> Lowering<'a> {
    /// The operands of an `AsmString`; `operand` gives what a name stands for and the record that says how it prints.
    pub(crate) fn line<'s>(
        &mut self,
        asm: &'s [AsmPart],
        operand: &Lookup<'_, 'a>,
        printers: &[(String, String)],
    ) -> Line<'s, 'a> {
        let mut parts = Vec::with_capacity(asm.len());
        for part in asm {
            let part = match part {
                AsmPart::Text(text) => Some(LinePart::Text(text)),
                // `$Rd.d` is a name with a dot, or an operand with text after it.
                AsmPart::Operand(name) => match self.shown(name, operand, printers) {
                    Some(shown) => Some(LinePart::Operand(shown, None)),
                    None => name.split_once('.').and_then(|(head, after)| {
                        Some(LinePart::Operand(self.shown(head, operand, printers)?, Some(after)))
                    }),
                },
            };
            let Some(part) = part else { return Line { parts, whole: false } };
            parts.push(part);
        }
        Line { parts, whole: true }
    }

    /// The template of a line.
    pub(crate) fn template(&mut self, scope: &mut Scope, line: &Line<'_, 'a>) -> Option<TemplateId> {
        let parts = self.each_operand(scope, line, |this, scope, _, operand, parts| {
            this.show(scope, operand, parts);
            Some(())
        })?;
        Some(self.template_of(parts, scope))
    }

    /// A template of these parts.
    pub(crate) fn template_of(&mut self, parts: Parts, scope: &Scope) -> TemplateId {
        self.builder.template(Template { parts: parts.finish().into(), span: scope.span })
    }

    /// The parts of a line whose operands `show` appends, each with its place; `None` if it says so.
    fn each_operand(
        &mut self,
        scope: &mut Scope,
        line: &Line<'_, 'a>,
        mut show: impl FnMut(&mut Self, &mut Scope, usize, &Shown<'a>, &mut Parts) -> Option<()>,
    ) -> Option<Parts> {
        let mut parts = Parts::default();
        for (i, part) in line.parts.iter().enumerate() {
            match part {
                LinePart::Text(text) => literal(&mut parts, text),
                LinePart::Operand(shown, after) => {
                    show(self, scope, i, shown, &mut parts)?;
                    if let Some(after) = after {
                        literal(&mut parts, ".");
                        literal(&mut parts, after);
                    }
                }
            }
        }
        line.whole.then_some(parts)
    }

    /// The template where operands print that have a shorter text for one value; adds to the guard that they have it. `None` if there
    /// is no template at all.
    pub(crate) fn short_template(
        &mut self,
        scope: &mut Scope,
        line: &Line<'_, 'a>,
        guard: &mut Guard,
    ) -> Option<Short> {
        let mut shortened = false;
        let parts = self.each_operand(scope, line, |this, scope, _, operand, parts| {
            let short = operand.choices.iter().flat_map(|all| all.iter()).find_map(|c| match (&c.when, &c.alias) {
                (ValueSet::Range(from, to), Some(text)) if from == to => Some((*from, text, c.span)),
                _ => None,
            });
            match (short, &operand.source) {
                (Some((value, text, span)), Source::Numbers(numbers)) if numbers.len() == 1 => {
                    for number in numbers.iter() {
                        guard.equals(scope.bits_of(&mut this.builder, number), value);
                    }
                    this.show_pieces(scope, numbers, text, span, parts);
                    shortened = true;
                }
                (Some((value, _, _)), Source::Constant(own)) if *own as u64 == value => shortened = true,
                _ => this.show(scope, operand, parts),
            }
            Some(())
        })?;
        Some(if shortened { Short::Shorter(self.template_of(parts, scope)) } else { Short::Plain(parts) })
    }

    /// In how many further ways the part of a line at one place may be written.
    pub(crate) fn spellings_at(line: &Line<'_, 'a>, at: usize) -> usize {
        match line.parts.get(at) {
            Some(LinePart::Operand(Shown { source: Source::Numbers(_), choices: Some(choices), .. }, None)) => {
                choices.iter().map(|choice| choice.also.len()).sum()
            }
            _ => 0,
        }
    }

    /// What an operand stands for and how it prints. Where its method says nothing, the meaning of its bits may.
    fn shown(&mut self, name: &str, operand: &Lookup<'_, 'a>, printers: &[(String, String)]) -> Option<Shown<'a>> {
        let (mut source, ty) = operand(name)?;
        if let (Source::Unknown, Some(ty)) = (&source, ty) {
            self.missing(Missing::Absent, name.split(':').next().unwrap_or(name), ty);
        }
        let mut method = self.method_of(name, ty, printers);
        let mut choices = self.choices(&method, ty);
        if choices.is_none()
            && let Source::Numbers(numbers) = &mut source
            && let [number] = numbers.as_slice()
            && let NumberFormat::Print(other) = &number.format
            && let Some(of_other) = self.choices(other, ty)
        {
            (method, choices) = (other.as_str().into(), Some(of_other));
            Rc::make_mut(numbers).iter_mut().for_each(|number| number.format = NumberFormat::Plain);
        }
        if self.table.joins.iter().any(|join| **join == *method) {
            let next = self.shown(&format!("{}>", name.split(':').next().unwrap_or(name)), operand, printers);
            match (&mut source, next) {
                (Source::Numbers(numbers), Some(Shown { source: Source::Numbers(further), method, .. })) => {
                    let by_method = !matches!(&*method, "" | "printOperand");
                    let by_method = by_method && self.choices(&method, None).is_some();
                    Rc::make_mut(numbers).extend(further.iter().map(|number| Number {
                        part: String::new(),
                        format: if by_method { NumberFormat::Print(method.to_string()) } else { number.format.clone() },
                        ..number.clone()
                    }));
                }
                // The two are not in the word together: nothing says how that prints.
                _ => source = Source::Unknown,
            }
        }
        // Where the table says of this instruction how the operand prints, it says what the bits are.
        if printers.iter().any(|(of, _)| of == name)
            && let Source::Numbers(numbers) = &mut source
        {
            Rc::make_mut(numbers).iter_mut().for_each(|number| number.unexplained = false);
        }
        Some(Shown { source, ty, method, choices })
    }

    /// How an operand of this type prints by a method; `None` if the table does not say.
    fn choices(&mut self, method: &str, ty: Option<Def<'a>>) -> Option<Rc<[TextChoice]>> {
        let class = ty.and_then(register_class);
        let known = self.choices.entry(class.map(Def::index)).or_default();
        if let Some(known) = known.get(method) {
            return known.clone();
        }
        let choices = match method.strip_prefix(LITERAL) {
            Some(rest) => literal_choices(rest).map(Rc::from),
            None => self.table.choices(method, class.map(|class| class.name()).as_deref()).map(Rc::from),
        };
        known.insert(method.to_owned(), choices.clone());
        choices
    }

    /// The method by which an operand prints: the table may say it of the record, or of the method that the record names.
    fn method_of(&mut self, name: &str, ty: Option<Def<'a>>, printers: &[(String, String)]) -> Rc<str> {
        if let Some((_, method)) = name.split_once(':') {
            return method.into();
        }
        if let Some((_, method)) = printers.iter().find(|(operand, _)| operand == name) {
            return method.as_str().into();
        }
        let Some(ty) = ty else { return "".into() };
        let table = self.table;
        let known = self.methods.entry(ty.index()).or_insert_with(|| match ty.name() {
            record if table.print.contains_key(&*record) => (&*record).into(),
            _ => text(ty, "PrintMethod").into(),
        });
        Rc::clone(known)
    }

    /// Whether the table guesses how an operand prints, which is noted.
    fn prints_by_guess(&mut self, method: &str, ty: Option<Def<'a>>) -> bool {
        if !self.guesses {
            return false;
        }
        let class = ty.and_then(register_class).map(|class| class.name().into_owned());
        let guess = self.table.prints_by_guess(method, class.as_deref());
        if let (true, Some(ty)) = (guess, ty) {
            self.missing(Missing::Guess, method, ty);
        }
        guess
    }

    /// The template in which the operand at one place is written in another way: where its value is one of those that
    /// are written so.
    pub(crate) fn spelled_template(
        &mut self,
        scope: &mut Scope,
        line: &Line<'_, 'a>,
        (at, spelling): (usize, usize),
    ) -> Option<TemplateId> {
        let parts = self.each_operand(scope, line, |this, scope, i, operand, parts| {
            if i != at {
                this.show(scope, operand, parts);
                return Some(());
            }
            let Source::Numbers(numbers) = &operand.source else { return None };
            let all = operand.choices.iter().flat_map(|all| all.iter());
            let (choice, text) =
                all.flat_map(|choice| choice.also.iter().map(move |text| (choice, text))).nth(spelling)?;
            match (numbers.as_slice(), &choice.when) {
                // Only where its parts are so: without this condition, the text would stand for any number.
                (numbers, _) if !choice.parts.is_empty() => {
                    let choice = TextChoice { text: text.clone(), ..choice.clone() };
                    let key = format!("{}/{spelling}", operand.method);
                    let (all, space) = this.joined(numbers, &key, std::slice::from_ref(&choice))?;
                    this.field_part(scope, &all, FieldType::Sub(space), parts);
                }
                (numbers, ValueSet::Any) => this.show_pieces(scope, numbers, text, choice.span, parts),
                ([number], _) if number.width() <= 64 => {
                    let choice = TextChoice { text: text.clone(), ..choice.clone() };
                    let key = format!("{}/{spelling}", operand.method);
                    let space = this.choice_space(number, &key, std::slice::from_ref(&choice));
                    this.field_part(scope, number, FieldType::Sub(space), parts);
                }
                _ => return None,
            }
            Some(())
        })?;
        Some(self.template_of(parts, scope))
    }

    /// Appends the text of an operand.
    fn show(&mut self, scope: &mut Scope, shown: &Shown<'a>, parts: &mut Parts) {
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
                        NumberFormat::Enum(name) => self
                            .table
                            .enums
                            .get(name)
                            .and_then(|values| {
                                values.iter().find(|(v, _)| *v == value as u64).map(|(_, text)| text.clone())
                            })
                            .unwrap_or_else(|| value.to_string()),
                        _ => value.to_string(),
                    };
                    literal(parts, &shown);
                }
                TextPiece::Expr(formula, format) => {
                    let value = formula.value(&|name| (name == "v").then_some(value)).unwrap_or(value);
                    let hex = *format == NumberFormat::Hex;
                    literal(parts, &if hex { format!("{value:#x}") } else { value.to_string() });
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
                (ValueSet::Range(value, _), Some(TextPiece::Literal(text))) => (*value, text.clone()),
                (ValueSet::Range(value, _), _) => (*value, String::new()),
                _ => (0, String::new()),
            };
            FieldType::Enum(match self.enums.get(&*method) {
                Some(&known) => known,
                None => {
                    let values: Vec<(u64, String)> = choices.iter().map(value).collect();
                    self.enumeration(&method, &values, false)
                }
            })
        } else {
            FieldType::Sub(self.choice_space(number, &method(), choices))
        };
        self.field_part(scope, number, ty, parts);
    }

    /// A space whose words are the values of a number, each with its text.
    fn choice_space(&mut self, number: &Number, method: &str, choices: &[TextChoice]) -> SpaceId {
        let width = number.width();
        let alike = |known: &Number| {
            let same = (known.signed, known.plus, known.registers) == (number.signed, number.plus, number.registers);
            same && known.width() == width && known.format == number.format
        };
        let known = self.value_spaces.get(method).and_then(|all| all.iter().find(|(known, _)| alike(known)));
        if let Some(&(_, space)) = known {
            return space;
        }
        let span = choices.first().map_or(NOWHERE, |c| c.span);
        let space = self.new_space(method, width, span);
        self.value_spaces.entry(method.to_owned()).or_default().push((number.clone(), space));
        let inner = Number { part: "v".to_owned(), field: "v".to_owned(), pieces: whole(width), ..number.clone() };
        for (choice, rank) in choices.iter().zip(0u32..) {
            for pattern in patterns(&choice.when, width) {
                let mut scope = Scope::of_value(width, choice.span);
                let mut parts = Parts::default();
                self.show_pieces(&mut scope, std::slice::from_ref(&inner), &choice.text, choice.span, &mut parts);
                let Some(condition) = self.choice_condition(choice) else { continue };
                self.choice(space, pattern, rank, condition, scope, (parts.finish(), choice.printed_only));
            }
        }
        space
    }

    /// All parts of an operand as one number, and the space whose words are its values; `None` if it is too wide.
    ///
    /// Example: an address of 5 bits of base and 13 of offset is a word of 18 bits. The line `0 is 0` is for the pattern
    /// `00000xxxxxxxxxxxxx`, and what it says of part 0 is said of bits 13 to 17.
    fn joined(&mut self, numbers: &[Number], method: &str, choices: &[TextChoice]) -> Option<(Number, SpaceId)> {
        let (first, _) = numbers.split_first()?;
        let width: u32 = numbers.iter().map(Number::width).sum();
        if width == 0 || width > 64 {
            return None;
        }
        let all = Number {
            part: String::new(),
            field: first.field.split('.').next().unwrap_or_default().to_owned(),
            pieces: numbers.iter().flat_map(|number| number.pieces.clone()).collect(),
            signed: false,
            plus: 0,
            registers: None,
            format: NumberFormat::Plain,
            unexplained: false,
        };
        let mut low = width;
        let mut inner: Vec<Number> = Vec::new();
        for number in numbers {
            low -= number.width();
            let pieces = vec![Bits::Bits(BitRange { lo: low, width: number.width() })];
            inner.push(Number { pieces, ..number.clone() });
        }
        let key = format!("{method} {inner:?}");
        if let Some(&space) = self.spaces.get(&key) {
            return Some((all, space));
        }
        let span = choices.first().map_or(NOWHERE, |c| c.span);
        let space = self.new_space(method, width, span);
        self.spaces.insert(key, space);
        for (choice, rank) in choices.iter().zip(0u32..) {
            let mut cubes = vec![Pattern::any(width)];
            for (name, set) in &choice.parts {
                let Some(number) = part_of(&inner, name) else {
                    self.no_part(name, choice.span);
                    continue;
                };
                let Some(Bits::Bits(at)) = number.pieces.first() else { continue };
                let sets: Vec<Pattern> = patterns(set, at.width).iter().map(|p| placed(p, at.lo, width)).collect();
                cubes = cubes.iter().flat_map(|cube| sets.iter().filter_map(|p| cube.intersect(p))).collect();
            }
            let Some(condition) = self.choice_condition(choice) else { continue };
            for pattern in cubes {
                let mut scope = Scope::of_value(width, choice.span);
                scope.places.extend(inner.iter().filter_map(|n| Some((n.part.clone(), places(&n.pieces)?))));
                let mut parts = Parts::default();
                self.show_pieces(&mut scope, &inner, &choice.text, choice.span, &mut parts);
                self.choice(space, pattern, rank, condition.clone(), scope, (parts.finish(), choice.printed_only));
            }
        }
        Some((all, space))
    }

    /// The feature that a choice needs; `None` if the target has no such feature and the choice never counts.
    fn choice_condition(&self, choice: &TextChoice) -> Option<Condition> {
        let Some((name, on)) = &choice.feature else { return Some(Condition::Always) };
        let feature = Condition::Feature(self.features.named(name)?);
        Some(if *on { feature } else { Condition::Not(Box::new(feature)) })
    }

    fn no_part(&mut self, name: &str, span: Span) {
        let message = format!("the operand has no part `{name}`");
        self.problems.push(Diagnostic::error("operands-part", message).label(span, "in this text"));
    }

    pub(super) fn new_space(&mut self, name: &str, width: u32, span: Span) -> SpaceId {
        let name = self.builder.name(&format!("#{name}"));
        self.builder.space(Space {
            name,
            width,
            overlap: Overlap::MostSpecific,
            refuses: true,
            span,
            ..Space::default()
        })
    }

    pub(super) fn choice(
        &mut self,
        space: SpaceId,
        pattern: Pattern,
        rank: u32,
        condition: Condition,
        scope: Scope,
        (parts, output_only): (Vec<TemplatePart>, bool),
    ) {
        let (width, span) = (pattern.width(), scope.span);
        let fields = scope.fields.into_iter().map(|(_, field)| field).collect();
        let template = Some(self.builder.template(Template { parts: parts.into(), span }));
        let case = Case { fields, template, output_only, span, ..Case::default() };
        let name = self.builder.name(&format!("#{pattern}"));
        let (dont_care, cases) = (Word::zero(width), vec![case]);
        let encoding =
            Encoding { name, space, width, pattern, dont_care, rank, condition, cases, span, ..Encoding::default() };
        self.builder.encoding(encoding);
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
                    } else {
                        let part = slice(number, bits);
                        self.show_number(scope, &part, format, parts);
                    }
                }
                TextPiece::Expr(formula, format) => {
                    let own = if let [number] = numbers { places(&number.pieces) } else { None };
                    let outer = own.and_then(|own| scope.places.insert("v".to_owned(), own));
                    let mut formula = formula.clone();
                    formula.replace(&|name| value_of(numbers, name));
                    match scope.formula(&mut self.builder, &self.features, &formula) {
                        Ok(expr) => {
                            let ty = match format {
                                NumberFormat::Hex => {
                                    literal(parts, "0x");
                                    FieldType::Hex
                                }
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
                        Some(outer) => scope.places.insert("v".to_owned(), outer),
                        None => scope.places.remove("v"),
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
                None if number.signed => FieldType::Int,
                None => FieldType::Uint,
            },
            NumberFormat::Int => FieldType::Int,
            NumberFormat::Uint => FieldType::Uint,
            NumberFormat::Hex => {
                literal(parts, "0x");
                FieldType::Hex
            }
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

    fn field_part(&mut self, scope: &mut Scope, number: &Number, ty: FieldType, parts: &mut Parts) {
        let width = number.width();
        let source = FieldSource::Bits(number.pieces.clone());
        let name = if number.plus == 0 || matches!(ty, FieldType::Sub(_)) {
            scope.field(&mut self.builder, &number.field, source, width, ty)
        } else {
            let bits = scope.bits_of(&mut self.builder, number);
            let signed = IntType { bits: width.clamp(1, 64), signed: number.signed };
            let mut nodes = Vec::new();
            let field = push(&mut nodes, Node::Field(bits));
            let value = push(&mut nodes, Node::Cast(signed, field));
            let plus = push(&mut nodes, Node::Const(number.plus as u64, IntType::I64));
            push(&mut nodes, Node::Binary(BinaryOp::Add, IntType::I64, value, plus));
            let expr = scope.expr(&mut self.builder, nodes);
            let wanted = format!("{}+", number.field);
            scope.field(&mut self.builder, &wanted, FieldSource::Derived(expr), 64, ty)
        };
        parts.push(TemplatePart::Field { name, align: 0, reference: number.field.as_str().into() });
    }

    pub(super) fn enumeration(&mut self, name: &str, values: &[(u64, String)], numbers: bool) -> isaglot_model::EnumId {
        if let Some(&id) = self.enums.get(name) {
            return id;
        }
        let value = |(value, text): &(u64, String)| EnumValue {
            value: *value,
            display: text.as_str().into(),
            name: None,
            span: NOWHERE,
        };
        let values = values.iter().map(value).collect();
        let id = self.builder.enumeration(EnumType {
            name: format!("#{name}"),
            values,
            synonyms: true,
            numbers,
            span: NOWHERE,
        });
        self.enums.insert(name.to_owned(), id);
        id
    }
}

/// The part of an operand with this name or place; `v` is the only one.
fn part_of<'n>(numbers: &'n [Number], name: &str) -> Option<&'n Number> {
    let by_name = numbers.iter().position(|n| n.part == *name);
    let at = by_name.or(name.parse().ok()).or((name == "v" && numbers.len() == 1).then_some(0));
    numbers.get(at?)
}

/// How an operand prints that is, or may be, the number after the instruction: what stands after [`LITERAL`] in its method.
fn literal_choices(method: &str) -> Option<Vec<TextChoice>> {
    let mut words = method.split(' ');
    let bits: u32 = words.next()?.parse().ok()?;
    let format = |method: &str| match method {
        "" => NumberFormat::Hex,
        method => NumberFormat::Print(method.to_owned()),
    };
    let choice = |when: ValueSet, bits: Vec<(u32, u32)>, format: NumberFormat| TextChoice {
        when,
        parts: Vec::new(),
        text: vec![TextPiece::Part { name: "v".to_owned(), bits, format }],
        alias: None,
        feature: None,
        printed_only: false,
        also: Vec::new(),
        span: NOWHERE,
    };
    let literal = format(words.next()?);
    let below = (bits.checked_sub(1)?, 0);
    let Some(value) = words.next().and_then(|word| word.parse::<u64>().ok()) else {
        return Some(vec![choice(ValueSet::Any, vec![below], literal)]);
    };
    let own = format(words.next()?);
    let width: u32 = words.next()?.parse().ok()?;
    let top = ValueSet::Mask(u64::MAX.checked_shl(bits)?, value.checked_shl(bits)?);
    Some(vec![
        choice(top, vec![below], literal),
        choice(ValueSet::Any, vec![((width + bits).checked_sub(1)?, bits)], own),
    ])
}

/// A constant as a number whose bits are not in the word, if its text depends on features.
fn by_feature(value: i64, choices: &[TextChoice]) -> Option<Number> {
    let value = u64::try_from(value).ok()?;
    choices.iter().find(|c| c.feature.is_some() && c.parts.is_empty() && c.when.holds(value))?;
    let width = (u64::BITS - value.leading_zeros()).max(1);
    Some(Number {
        part: String::new(),
        field: "context".to_owned(),
        pieces: vec![Bits::Implied { width, value }],
        signed: false,
        plus: 0,
        registers: None,
        format: NumberFormat::Plain,
        unexplained: false,
    })
}

/// What the name of a number with a sign is in a formula; `None` if it is the bits as they are.
fn value_of(numbers: &[Number], name: &str) -> Option<Formula> {
    let number = match numbers {
        [number] if name == "v" => number,
        _ => numbers.iter().find(|number| !number.part.is_empty() && number.part == name)?,
    };
    let bits = Box::new(Formula::Field(name.to_owned()));
    let value = if number.signed { Formula::Sext(bits, number.width()) } else { *bits };
    Some(match number.plus {
        0 => value,
        plus => Formula::Binary(BinaryOp::Add, Box::new(value), Box::new(Formula::Number(plus))),
    })
}

/// A pattern of `width` bits whose bits from `low` up are those of another.
fn placed(pattern: &Pattern, low: u32, width: u32) -> Pattern {
    let bit = |all: Pattern, at: u32| pattern.bit(at).map_or(all.clone(), |one| all.with_bit(low + at, one));
    (0..pattern.width()).fold(Pattern::any(width), bit)
}

/// Numbers put together as one without sign, the first with the most significant bits.
fn joined(list: Vec<&Number>) -> Number {
    let names: Vec<&str> = list.iter().map(|number| number.field.as_str()).collect();
    Number {
        part: String::new(),
        field: names.join(","),
        pieces: list.iter().flat_map(|number| number.pieces.clone()).collect(),
        signed: false,
        plus: 0,
        registers: None,
        format: NumberFormat::Plain,
        unexplained: false,
    }
}

/// Some bits of a number, as a number without sign.
fn slice(number: &Number, bits: &[(u32, u32)]) -> Number {
    let places = places(&number.pieces).unwrap_or_default();
    let list: Vec<String> =
        bits.iter().map(|&(h, l)| if h == l { h.to_string() } else { format!("{h}:{l}") }).collect();
    Number {
        part: number.part.clone(),
        field: format!("{}[{}]", number.field, list.join(",")),
        pieces: pieces(&select(&places, bits)),
        signed: false,
        plus: 0,
        registers: None,
        format: NumberFormat::Plain,
        unexplained: false,
    }
}

/// The place of each bit of pieces, the least significant first; implied ones cannot be placed.
fn places(list: &[Bits]) -> Option<Vec<Option<u32>>> {
    let mut out = Vec::new();
    for piece in list.iter().rev() {
        match *piece {
            Bits::Bits(range) => out.extend((range.lo..range.lo + range.width).map(Some)),
            Bits::Implied { width, value: 0 } => out.extend((0..width).map(|_| None)),
            Bits::Implied { .. } => return None,
        }
    }
    Some(out)
}
