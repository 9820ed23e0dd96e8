//! What a table says of a name such as `printImmScale<16>`: for all values of its parameters, or for some.
//!
//! The problem: the names in records are calls of C++ templates, whose parameters are numbers, characters, types. The method: a
//! parameter in a statement is a number, a text in quotes, or a name that is bound to whatever stands there. The first
//! statement that fits counts.

use isaglot_source::Span;
use rustc_hash::FxHashMap;

use crate::table::formula::Formula;
use crate::table::{NumberFormat, OperandTable, TextChoice, TextPiece};

/// The meaning of a name, for some or all values of its parameters.
#[derive(Clone, Debug)]
pub struct Hook<T> {
    /// What stands between `<` and `>`.
    pub params: Vec<HookParam>,
    /// Only for operands whose registers are of one of these classes; for all if there are none.
    pub classes: Vec<String>,
    /// Only where the target has a record of this name: what a later version of LLVM does otherwise.
    pub given: Option<String>,
    /// Nobody has looked at it yet: texts show it with a mark.
    pub guess: bool,
    /// The meaning.
    pub body: T,
    /// Where it is said.
    pub span: Span,
}

/// A parameter of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookParam {
    /// This number; `true` is 1 and `false` is 0.
    Is(i64),
    /// This text, without the quotes that a character has in C++.
    Text(String),
    /// Any value, under this name.
    Any(String),
}

/// A parameter that is bound.
#[derive(Clone, Debug)]
pub(crate) struct Value<'t> {
    pub(crate) name: &'t str,
    /// Its number; the smallest one if it is not a number.
    pub(crate) number: i64,
    pub(crate) text: String,
}

/// The parameters of a name that are bound.
pub(crate) type Values<'t> = Vec<Value<'t>>;

impl OperandTable {
    /// The meaning of `name` in a map, with its parameters bound: the first whose values fit. `class` are the registers of the
    /// operand.
    pub(crate) fn find_for<'t, T>(
        map: &'t FxHashMap<String, Vec<Hook<T>>>,
        name: &str,
        class: Option<&str>,
    ) -> Option<(&'t Hook<T>, Values<'t>)> {
        let (base, args) = split(name);
        map.get(base)?.iter().find_map(|hook| {
            if hook.params.len() > args.len() {
                return None;
            }
            if !hook.classes.is_empty() && !hook.classes.iter().any(|one| Some(one.as_str()) == class) {
                return None;
            }
            let mut bound = Vec::new();
            for (param, &arg) in hook.params.iter().zip(&args) {
                match param {
                    HookParam::Is(value) if *value != number(arg) => return None,
                    HookParam::Text(value) if value != arg => return None,
                    HookParam::Is(_) | HookParam::Text(_) => {}
                    HookParam::Any(name) => {
                        bound.push(Value { name: name.as_str(), number: number(arg), text: arg.to_owned() });
                    }
                }
            }
            Some((hook, bound))
        })
    }

    /// The same where no registers count.
    pub(crate) fn find<'t, T>(
        map: &'t FxHashMap<String, Vec<Hook<T>>>,
        name: &str,
    ) -> Option<(&'t Hook<T>, Values<'t>)> {
        OperandTable::find_for(map, name, None)
    }

    /// The table for a target with these records.
    pub(crate) fn given(&self, has: &dyn Fn(&str) -> bool) -> OperandTable {
        fn keep<T>(map: &mut FxHashMap<String, Vec<Hook<T>>>, has: &dyn Fn(&str) -> bool) {
            map.values_mut().for_each(|hooks| hooks.retain(|hook| hook.given.as_deref().is_none_or(has)));
            map.retain(|_, hooks| !hooks.is_empty());
        }
        let mut table = self.clone();
        keep(&mut table.decode, has);
        keep(&mut table.operands, has);
        keep(&mut table.print, has);
        table
    }

    /// Whether how an operand prints is a guess.
    pub(crate) fn prints_by_guess(&self, method: &str, class: Option<&str>) -> bool {
        OperandTable::find_for(&self.print, method, class).is_some_and(|(hook, _)| hook.guess)
    }

    /// How an operand prints, by the name of its method and the class of its registers.
    pub(crate) fn choices(&self, method: &str, class: Option<&str>) -> Option<Vec<TextChoice>> {
        let (hook, bound) = OperandTable::find_for(&self.print, method, class)?;
        let mut choices = hook.body.clone();
        if !bound.is_empty() {
            choices.iter_mut().for_each(|choice| fill_choice(choice, &bound));
        }
        Some(choices)
    }
}

fn number(arg: &str) -> i64 {
    match arg {
        "true" => 1,
        "false" => 0,
        text => text.parse().unwrap_or(i64::MIN),
    }
}

/// `name<1, 'w', true>` as its name and its parameters.
fn split(name: &str) -> (&str, Vec<&str>) {
    let Some((base, rest)) = name.split_once('<') else { return (name, Vec::new()) };
    let rest = rest.trim_end_matches('>');
    if rest.is_empty() {
        return (base, Vec::new());
    }
    (base, rest.split(',').map(|arg| arg.trim().trim_matches('\'')).collect())
}

fn fill_choice(choice: &mut TextChoice, bound: &[Value<'_>]) {
    let texts = std::iter::once(&mut choice.text).chain(&mut choice.alias).chain(&mut choice.also);
    for piece in texts.flatten() {
        match piece {
            TextPiece::Param(name) => {
                if let Some(one) = bound.iter().find(|one| one.name == *name) {
                    *piece = TextPiece::Literal(one.text.clone());
                }
            }
            TextPiece::Expr(formula, format) => {
                formula.replace(&|name| {
                    let one = bound.iter().find(|one| one.name == name && one.number != i64::MIN)?;
                    Some(Formula::Number(one.number))
                });
                if let (Some(value), NumberFormat::Int) = (formula.value(&|_| None), format) {
                    *piece = TextPiece::Literal(value.to_string());
                }
            }
            TextPiece::Literal(_) | TextPiece::Part { .. } | TextPiece::Joined(..) => {}
        }
    }
}
