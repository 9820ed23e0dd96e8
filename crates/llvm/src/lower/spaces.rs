//! Spaces and enums for operands whose text depends on their value: a word is a value, and each has its text.

use std::rc::Rc;
use std::sync::Arc;

use isaglot_bits::{BitRange, Pattern, Word};
use isaglot_model::{
    Case, Condition, Encoding, EnumId, EnumType, EnumValue, Overlap, Piece as Bits, Space, SpaceId, Template,
    TemplatePart,
};
use isaglot_source::{Diagnostic, Span};

use super::Lowering;
use super::meaning::Number;
use super::scope::{Scope, whole};
use super::show::part_of;
use super::text::Parts;
use super::values::patterns;
use crate::table::{NumberFormat, TextChoice};
use crate::target::registers::NOWHERE;

impl Lowering<'_> {
    /// A space whose words are the values of a number, each with its text.
    pub(super) fn choice_space(&mut self, number: &Number, method: &str, choices: &[TextChoice]) -> SpaceId {
        let width = number.width();
        let alike = |known: &Number| {
            let same = (known.signed, known.plus, known.registers) == (number.signed, number.plus, number.registers);
            same && known.formula == number.formula && known.width() == width && known.format == number.format
        };
        let known = self.value_spaces.get(method).and_then(|all| all.iter().find(|(known, _)| alike(known)));
        if let Some(&(_, space)) = known {
            return space;
        }
        let span = choices.first().map_or(NOWHERE, |c| c.span);
        let space = self.new_space(method, width, span);
        self.value_spaces.entry(method.to_owned()).or_default().push((number.clone(), space));
        let inner = Number { part: "v".to_owned(), field: "v".into(), pieces: whole(width), ..number.clone() };
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
    pub(super) fn joined(
        &mut self,
        numbers: &[Number],
        method: &str,
        choices: &[TextChoice],
    ) -> Option<(Number, SpaceId)> {
        let (first, _) = numbers.split_first()?;
        let width: u32 = numbers.iter().map(Number::width).sum();
        if width == 0 || width > 64 {
            return None;
        }
        let all = Number {
            part: String::new(),
            field: first.field.split('.').next().unwrap_or_default().into(),
            pieces: numbers.iter().flat_map(|number| number.pieces.clone()).collect(),
            signed: false,
            plus: 0,
            formula: None,
            registers: None,
            format: NumberFormat::Plain,
            unexplained: false,
        };
        // The space only depends on how wide the numbers are, not on where their bits lie.
        let alike = |(known, _): &&(Vec<Number>, SpaceId)| {
            let mut both = known.iter().zip(numbers);
            known.len() == numbers.len()
                && both.all(|(known, number)| known.width() == number.width() && known.is_but_for_bits(number))
        };
        if let Some((_, space)) = self.joined_spaces.get(method).and_then(|all| all.iter().find(alike)) {
            return Some((all, *space));
        }
        let mut low = width;
        let mut inner: Vec<Number> = Vec::new();
        for number in numbers {
            low -= number.width();
            let pieces = vec![Bits::Bits(BitRange { lo: low, width: number.width() })];
            inner.push(Number { pieces, ..number.clone() });
        }
        let span = choices.first().map_or(NOWHERE, |c| c.span);
        let space = self.new_space(method, width, span);
        self.joined_spaces.entry(method.to_owned()).or_default().push((inner.clone(), space));
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
                Rc::make_mut(&mut scope.places)
                    .extend(inner.iter().filter_map(|n| Some((n.part.clone(), places(&n.pieces)?))));
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

    pub(super) fn no_part(&mut self, name: &str, span: Span) {
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

    pub(super) fn enumeration(&mut self, name: &str, values: &[(u64, Arc<str>)], numbers: bool) -> EnumId {
        if let Some(&id) = self.enums.get(name) {
            return id;
        }
        let value = |(value, text): &(u64, Arc<str>)| EnumValue {
            value: *value,
            display: Arc::clone(text),
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

/// A pattern of `width` bits whose bits from `low` up are those of another.
fn placed(pattern: &Pattern, low: u32, width: u32) -> Pattern {
    let bit = |all: Pattern, at: u32| pattern.bit(at).map_or(all.clone(), |one| all.with_bit(low + at, one));
    (0..pattern.width()).fold(Pattern::any(width), bit)
}

/// The place of each bit of pieces, the least significant first; implied ones cannot be placed.
pub(super) fn places(list: &[Bits]) -> Option<Vec<Option<u32>>> {
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
