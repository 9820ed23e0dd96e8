//! From an `AsmString` to templates: its operands are looked up once, for the plain text, the shorter one and other spellings.

use std::rc::Rc;

use isaglot_model::{FieldType, Template, TemplateId, TemplatePart};

use super::meaning::{LITERAL, Number, Source, register_class};
use super::scope::{Guard, Scope};
use super::{Lowering, Missing};
use crate::table::{NumberFormat, TextChoice, TextPiece, ValueSet};
use crate::target::asm::{Asm, AsmPart};
use crate::target::registers::{NOWHERE, text};
use isaglot_tablegen::Def;

/// What an operand of an `AsmString` stands for, and the record that says how it prints.
pub(crate) type Lookup<'f, 'a> = dyn Fn(&str) -> Option<(Source, Option<Def<'a>>)> + 'f;

/// An operand of an `AsmString`: what it stands for, the record that says how it prints, the name of its printer and what that says.
pub(super) struct Shown<'a> {
    pub(super) source: Source,
    pub(super) ty: Option<Def<'a>>,
    pub(super) method: Rc<str>,
    pub(super) choices: Option<Rc<[TextChoice]>>,
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
pub(super) const UNEXPLAINED: &str = "?";

/// What a template is made of so far. Texts that follow each other are one part.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    list: Vec<TemplatePart>,
    /// The text after the last of them.
    text: Vec<u8>,
}

impl Parts {
    pub(super) fn push(&mut self, part: TemplatePart) {
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
pub(super) fn literal(parts: &mut Parts, text: &str) {
    parts.text.extend_from_slice(text.as_bytes());
}

impl<'a> Lowering<'a> {
    /// The operands of an `AsmString`; `operand` gives what a name stands for and the record that says how it prints.
    pub(crate) fn line<'s>(
        &mut self,
        asm: &'s Asm,
        operand: &Lookup<'_, 'a>,
        printers: &[(String, String)],
    ) -> Line<'s, 'a> {
        let mut parts = Vec::with_capacity(asm.parts().len());
        for part in asm.parts() {
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
    pub(super) fn choices(&mut self, method: &str, ty: Option<Def<'a>>) -> Option<Rc<[TextChoice]>> {
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
    pub(super) fn prints_by_guess(&mut self, method: &str, ty: Option<Def<'a>>) -> bool {
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
