//! The check of a word that was found: it is decoded and printed again.

use std::iter::Peekable;

use isaglot_bits::Word;
use isaglot_codec::{Plan, Scopes};
use isaglot_invariant::impossible;
use isaglot_model::TemplatePart;

use super::index::Form;
use crate::engine::{Engine, Outcome};
use crate::exact::{self, Line};
use crate::names::Names;
use crate::options::{Compat, Hooks, Value};
use crate::program::BlockId;

/// Decoding and printing of a word that was found.
#[derive(Debug)]
pub(super) struct Check<'p, 'a> {
    engine: Engine<'p, 'a>,
    scopes: Scopes<'p, 'a>,
    names: &'p Names,
    pub(super) compat: Compat,
    /// The text of the word that was printed last.
    pub(super) printed: Vec<u8>,
    /// Words checked since the caller last set it to 0.
    pub(super) tried: u32,
    /// By form: what prints it, where it is an alias and was met.
    aliases: Vec<Option<BlockId>>,
}

impl<'p, 'a> Check<'p, 'a> {
    /// For a plan with so many forms.
    pub(super) fn new(plan: &'p Plan<'a>, names: &'p Names, compat: Compat, forms: usize) -> Self {
        let (engine, scopes) = (Engine::direct(plan), Scopes::new(plan, false));
        Check { engine, scopes, names, compat, printed: Vec::new(), tried: 0, aliases: vec![None; forms] }
    }

    /// Prints a word by a form, which is an alias or not; `false` if that is not possible.
    #[inline]
    pub(super) fn print_by(&mut self, limbs: &[u64], alias: bool, form: Form, number: u32) -> bool {
        self.tried += 1;
        if alias { self.print_alias(limbs, form, number) } else { self.print(limbs, form.width) }
    }

    /// Prints a word; `false` if it is not a valid instruction.
    fn print(&mut self, limbs: &[u64], width: u32) -> bool {
        self.printed.clear();
        let mut names = self.names;
        let mut line = Line::alone(&mut self.printed, self.compat);
        match self.engine.instruction(limbs, width, &mut names, &mut line) {
            Outcome::Printed => true,
            Outcome::NoMatch => false,
            Outcome::Undecided => {
                let word = Word::from_limbs(limbs, width);
                exact::instruction(&mut self.scopes, &word, &mut names, &mut line)
            }
        }
    }

    /// Whether the fields of two words that print as one text share it out differently: `1` and `11` in one of them are `11` and
    /// `1` in the other. Where the words have other fields, or the same with other values of one text, they do not. Of
    /// sub-encodings only the whole text counts, unless `all` is asked for.
    pub(super) fn share_otherwise(&mut self, words: [&[u64]; 2], width: u32, all: bool) -> bool {
        let [one, other] = words.map(|limbs| {
            let word = Word::from_limbs(limbs, width);
            let mut own = Vec::new();
            if let Some(scope) = self.scopes.enter(&word) {
                let isa = self.scopes.plan().isa();
                let parts = self.scopes.template(scope).map_or(&[][..], |template| &isa[template].parts);
                own.extend(parts.iter().filter_map(|part| match part {
                    TemplatePart::Field { reference, .. } | TemplatePart::Mnemonic { reference, .. } => {
                        Some(&**reference)
                    }
                    TemplatePart::Literal(_) | TemplatePart::Align(_) => None,
                }));
                self.scopes.leave();
            }
            let own = (!all).then(|| own.into_iter());
            let mut seen = Seen { names: self.names, own: own.map(Iterator::peekable), fields: Vec::new() };
            let mut text = Vec::new();
            let mut line = Line::alone(&mut text, self.compat);
            exact::instruction(&mut self.scopes, &word, &mut seen, &mut line);
            seen.fields
        });
        one != other && one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| a.0 == b.0)
    }

    /// Prints a word by the alias that `form` is, whose number is `number`; `false` if the alias does not apply to it. The
    /// engines print the first alias that applies, or none, so this one is asked for by number.
    fn print_alias(&mut self, limbs: &[u64], form: Form, number: u32) -> bool {
        self.printed.clear();
        let Form { encoding, case, width, .. } = form;
        let Some(slot) = self.aliases.get_mut(number as usize) else { return impossible(false) };
        let block = *slot.get_or_insert_with(|| self.engine.alias(encoding, case));
        let mut names = self.names;
        let mut line = Line::alone(&mut self.printed, self.compat);
        match self.engine.alias_text(encoding, block, limbs, width, &mut names, &mut line) {
            Outcome::Printed => return true,
            Outcome::NoMatch => return false,
            Outcome::Undecided => {}
        }
        let Some(scope) = self.scopes.enter(&Word::from_limbs(limbs, width)) else { return false };
        let case = self.scopes.encoding(scope).cases.get(case).filter(|_| self.scopes.encoding_id(scope) == encoding);
        let case = case.filter(|case| case.guard.is_none_or(|guard| self.scopes.evaluate(scope, guard) != 0));
        let template = case.and_then(|case| case.template);
        if let Some(template) = template {
            exact::show_template(&mut self.scopes, scope, template, &mut names, &mut line);
        }
        self.scopes.leave();
        template.is_some()
    }
}

/// Where the text of each field begins.
struct Seen<'s> {
    names: &'s Names,
    /// The references of the instruction's own template that are still to come, if only these count.
    own: Option<Peekable<std::vec::IntoIter<&'s str>>>,
    fields: Vec<(String, usize)>,
}

impl Hooks for Seen<'_> {
    fn field(&mut self, reference: &str, _: Value<'_>, out: &mut Vec<u8>) {
        let counts = self.own.as_mut().is_none_or(|own| own.next_if_eq(&reference).is_some());
        if counts {
            self.fields.push((reference.to_owned(), out.len()));
        }
    }

    fn custom(&mut self, reference: &str, value: u64, out: &mut Vec<u8>) {
        let mut names = self.names;
        Hooks::custom(&mut names, reference, value, out);
    }
}
