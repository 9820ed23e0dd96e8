//! The text of an instruction: operands as a format writes them (`xd, imm(xs1)`) become a display (`{xd}, {imm}({xs1})`).
//!
//! A word that is a field or a derived field is that field, any other is itself: `sp`, `v0`. An optional operand has its
//! separator in its own values. Which fields stand between parentheses is remembered: they are addresses.

use super::fields::Operand;
use super::operands::{DerivedRule, Operands};

/// What texts of one instruction may name.
pub(super) struct Scope<'a> {
    pub(super) name: &'a str,
    pub(super) fields: &'a [Operand<'a>],
    pub(super) table: &'a Operands,
}

/// A display with what it names.
#[derive(Default)]
pub(super) struct Shown<'a> {
    pub(super) display: String,
    /// The derived fields in it.
    pub(super) derived: Vec<&'a DerivedRule>,
    /// The fields between parentheses.
    pub(super) addresses: Vec<String>,
    /// Words that are neither.
    pub(super) words: Vec<String>,
}

impl<'a> Scope<'a> {
    pub(super) fn field(&self, name: &str) -> Option<&'a Operand<'a>> {
        self.fields.iter().find(|f| f.name == name)
    }

    fn derived(&self, name: &str) -> Option<&'a DerivedRule> {
        self.table.derived.iter().find(|d| d.name == name && d.within.has(self.name))
    }

    /// A mnemonic with operands; the field `without` is left out of them.
    pub(super) fn show(&self, mnemonic: &str, operands: &str, without: Option<&str>) -> Shown<'a> {
        let mut shown = Shown::default();
        shown.display.push_str(mnemonic);
        for name in braced(mnemonic) {
            shown.derived.extend(self.derived(name).filter(|_| self.field(name).is_none()));
        }
        let mut count = 0;
        for operand in operands.split(',').map(str::trim).filter(|o| !o.is_empty()) {
            let field = self.argument(operand);
            if without.is_some() && field.map(|f| f.name.as_str()) == without {
                continue;
            }
            if !field.and_then(|f| f.rule).is_some_and(|r| r.optional) {
                shown.display.push_str(if count == 0 { " " } else { &self.table.separator });
            }
            count += 1;
            self.operand(operand, &mut shown);
        }
        shown
    }

    /// The field that an operand is, by its name or that of an argument.
    fn argument(&self, word: &str) -> Option<&'a Operand<'a>> {
        self.field(word).or_else(|| self.field(&self.table.argument(self.name, word)?.field))
    }

    fn operand(&self, operand: &str, shown: &mut Shown<'a>) {
        let mut rest = operand;
        let mut depth = 0;
        while let Some(c) = rest.chars().next() {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let len = if is_word(c) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { c.len_utf8() };
            let (word, after) = rest.split_at(len);
            rest = after;
            depth += i32::from(word == "(") - i32::from(word == ")");
            if let Some(field) = self.argument(word) {
                shown.display += field.rule.map_or("", |r| &r.prefix);
                shown.display += &format!("{{{}}}", field.name);
                if depth > 0 {
                    shown.addresses.push(field.name.clone());
                }
            } else if let Some(derived) = self.derived(word) {
                shown.display += &format!("{{{}}}", derived.name);
                shown.derived.push(derived);
            } else {
                if c.is_ascii_alphabetic() {
                    shown.words.push(word.to_owned());
                }
                shown.display.push_str(word);
            }
        }
    }

    /// The operands by default: the fields in the order of the table; those that it does not name are left out.
    pub(super) fn usual(&self) -> String {
        let is_there = |name: &&String| self.field(name).is_some() || self.derived(name).is_some();
        let names: Vec<&str> = self.table.order.iter().filter(is_there).map(String::as_str).collect();
        names.join(", ")
    }

    /// Whether what a text names between braces is there.
    pub(super) fn has_all(&self, text: &str) -> bool {
        braced(text).all(|name| self.field(name).is_some() || self.derived(name).is_some())
    }
}

/// The names between braces, but for `{NAME}`.
fn braced(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split('{').skip(1).filter_map(|part| part.split('}').next());
    parts.filter(|name| *name != "NAME")
}
