//! What causes a difference: why words of a name are in some tables and not in others.
//!
//! Where a table lacks the name as a whole, the cause is what the table lacks: an extension, a width of registers, or only the name, since
//! the words are there under another one. Where it has the name, the cause is what tells the words: the values of the fields that
//! they have, and only they.

use std::collections::BTreeSet;

use isaglot_bits::Pattern;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Tables;
use super::forms::{Form, Forms};
use super::rules::Rules;
use crate::formats::{Encoding, Field, Formula, Table, words};

/// Why words are in some tables only.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    /// The name is another reading of words that the other tables have under other names.
    Reading,
    /// The other tables have nothing of the extension, which is not ratified.
    Unratified,
    /// The other tables have nothing of the extension.
    Extension,
    /// The other tables have the name for the other width of registers only.
    Base,
    /// The other tables have the extension and not this name; some of the words may have other names there.
    Name,
    /// Both have the name; the words are told by these fields and values, as text.
    Values(String),
    /// Both have the name; no product of values tells the words.
    Words,
}

/// A table as the comparison needs it.
pub(super) struct Side<'a> {
    /// The table.
    pub(super) table: &'a Table,
    /// Its forms for this width of registers.
    pub(super) forms: &'a Forms,
    other_base: &'a Forms,
    base: usize,
    /// Forms by the low seven bits that their words have.
    by_opcode: Vec<Vec<(&'a str, u32, &'a Form)>>,
    /// The names of each extension.
    extensions: FxHashMap<&'a str, Vec<&'a (u32, String)>>,
    unratified: FxHashSet<&'a str>,
}

impl<'a> Side<'a> {
    /// Of a table, its forms for a width of registers and for the other one.
    pub(super) fn new(table: &'a Table, forms: &'a Forms, other_base: &'a Forms, base: usize) -> Side<'a> {
        let mut by_opcode = vec![Vec::new(); 128];
        let mut extensions: FxHashMap<&str, Vec<&(u32, String)>> = FxHashMap::default();
        for (key, form) in forms {
            for (opcode, list) in (0u64..).zip(&mut by_opcode) {
                let fits = |cube: &Pattern| (cube.value().low_u64() ^ opcode) & cube.care().low_u64() & 0x7f == 0;
                if form.words.iter().any(fits) {
                    list.push((key.1.as_str(), key.0, form));
                }
            }
            for name in of_form(table, form) {
                extensions.entry(name).or_default().push(key);
            }
        }
        let unratified = table.extensions.iter().filter(|e| !e.ratified).map(|e| e.name.as_str()).collect();
        Side { table, forms, other_base, base, by_opcode, extensions, unratified }
    }

    /// The names under which the words are read, and whether all of them are.
    fn read_as(&self, key: &(u32, String), wanted: &[Pattern]) -> (BTreeSet<&'a str>, bool) {
        let mut names = BTreeSet::new();
        let mut left = wanted.to_vec();
        for (opcode, list) in (0u64..).zip(&self.by_opcode) {
            let fits = |cube: &Pattern| (cube.value().low_u64() ^ opcode) & cube.care().low_u64() & 0x7f == 0;
            if !wanted.iter().any(fits) {
                continue;
            }
            for (name, _, form) in list.iter().filter(|(name, width, _)| *width == key.0 && *name != key.1) {
                if wanted.iter().any(|cube| form.words.iter().any(|other| other.overlaps(cube))) {
                    names.insert(*name);
                    left = words::minus(&left, &form.words);
                }
            }
        }
        (names, left.is_empty())
    }
}

/// The extensions that the instructions of a form need or may need.
fn of_form<'a>(table: &'a Table, form: &Form) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    for instruction in form.members.iter().filter_map(|&index| table.instructions.get(index)) {
        extensions(&instruction.condition, &mut names);
    }
    names
}

fn extensions<'a>(formula: &'a Formula, names: &mut BTreeSet<&'a str>) {
    match formula {
        Formula::Extension(name, _) => drop(names.insert(name.as_str())),
        Formula::All(parts) | Formula::Any(parts) | Formula::One(parts) => {
            parts.iter().for_each(|part| extensions(part, names));
        }
        Formula::Not(_) | Formula::True | Formula::Xlen(_) | Formula::Parameter(_) | Formula::Idl(_) => {}
    }
}

/// Whether a condition may hold without some extensions.
fn without(formula: &Formula, gone: &dyn Fn(&str) -> bool) -> bool {
    match formula {
        Formula::Extension(name, _) => !gone(name),
        Formula::All(parts) => parts.iter().all(|part| without(part, gone)),
        Formula::Any(parts) | Formula::One(parts) => parts.is_empty() || parts.iter().any(|part| without(part, gone)),
        Formula::Not(_) | Formula::True | Formula::Xlen(_) | Formula::Parameter(_) | Formula::Idl(_) => true,
    }
}

/// Why each table that is not among `has` lacks these words of a name, by its place; and what these tables read them as.
pub(super) fn of(
    sides: &[Side<'_>],
    key: &(u32, String),
    has: Tables,
    wanted: &[Pattern],
) -> (Vec<(usize, Cause)>, Vec<String>) {
    let with: Vec<&Side<'_>> = sides.iter().enumerate().filter(|(t, _)| has >> t & 1 == 1).map(|(_, s)| s).collect();
    let mut names = BTreeSet::new();
    let mut causes = Vec::new();
    for (t, side) in sides.iter().enumerate().filter(|(t, _)| has >> t & 1 == 0) {
        let (read, all) = side.read_as(key, wanted);
        names.extend(read.into_iter().map(str::to_owned));
        let cause = match () {
            () if side.forms.contains_key(key) => {
                let forms = with.iter().filter_map(|side| Some((*side, side.forms.get(key)?)));
                let mut told = forms.filter_map(|(side, form)| told(side, form, wanted));
                told.next().map_or(Cause::Words, Cause::Values)
            }
            () if all => Cause::Reading,
            () if side.other_base.contains_key(key) => Cause::Base,
            () => with.iter().filter_map(|with| missing(with, side, key)).max().unwrap_or(Cause::Name),
        };
        causes.push((t, cause));
    }
    (causes, names.into_iter().collect())
}

/// Whether a table lacks a name because it has nothing of the extension.
fn missing(with: &Side<'_>, lacks: &Side<'_>, key: &(u32, String)) -> Option<Cause> {
    let form = with.forms.get(key)?;
    let needs = |gone: &dyn Fn(&str) -> bool| {
        let members = form.members.iter().filter_map(|&index| with.table.instructions.get(index));
        members.map(|i| &i.condition).all(|condition| !without(condition, gone))
    };
    let is_absent = |key: &(u32, String)| !lacks.forms.contains_key(key);
    let is_gone = |name: &str| with.extensions.get(name).is_some_and(|all| all.iter().all(|key| is_absent(key)));
    let is_unratified = |name: &str| with.unratified.contains(name);
    match () {
        () if needs(&is_unratified) => Some(Cause::Unratified),
        () if needs(&is_gone) => Some(Cause::Extension),
        () => None,
    }
}

/// What tells the words from the others of a form: the fields that have only some of their values there, or that have them in the
/// words that are left.
fn told(side: &Side<'_>, form: &Form, wanted: &[Pattern]) -> Option<String> {
    let members = form.members.iter().filter_map(|&index| side.table.instructions.get(index));
    let encodings: Vec<&Encoding> = members.filter_map(|i| i.encodings[side.base].as_ref()).collect();
    let left = words::minus(&form.words, wanted);
    let product = |words: &[Pattern]| encodings.iter().find_map(|encoding| product(encoding, form, words));
    product(wanted).or_else(|| Some(format!("not {}", product(&left)?)))
}

/// The values of fields, if all words of a form with these values are the wanted ones.
fn product(encoding: &Encoding, form: &Form, wanted: &[Pattern]) -> Option<String> {
    let mut product = form.words.clone();
    let mut texts = Vec::new();
    for field in &encoding.fields {
        let Some(values) = values(encoding, field, wanted) else { continue };
        product = words::common(&product, &values.iter().map(|v| v.1.clone()).collect::<Vec<_>>());
        let list: Vec<String> = values.into_iter().map(|v| v.0).collect();
        texts.push(format!("{} = {}", field.name, list.join(", ")));
    }
    let exact = !texts.is_empty() && words::contains(wanted, &product);
    exact.then(|| texts.join("; "))
}

/// The values that a field has in these words, each with the words of it, if it has only some and these are few.
fn values(encoding: &Encoding, field: &Field, wanted: &[Pattern]) -> Option<Vec<(String, Pattern)>> {
    let places: Vec<u32> = field.bits.iter().copied().flatten().collect();
    let mut seen: Vec<Pattern> = Vec::new();
    for cube in wanted {
        let only = places.iter().fold(Pattern::any(encoding.width), |pattern, &bit| match cube.bit(bit) {
            Some(value) => pattern.with_bit(bit, value),
            None => pattern,
        });
        words::add(&mut seen, &[only]);
    }
    if words::contains(&seen, &[Pattern::any(encoding.width)]) {
        return None;
    }
    let mut values: Vec<(String, Pattern)> =
        seen.into_iter().map(|pattern| (digits(field, &pattern), pattern)).collect();
    values.sort_by(|a, b| (a.0.len(), &a.0).cmp(&(b.0.len(), &b.0)));
    Some(values)
}

/// The value of a field in words of a pattern: decimal, or its bits where several are free.
fn digits(field: &Field, pattern: &Pattern) -> String {
    let bits = field.bits.iter().map(|place| place.map_or(Some(false), |bit| pattern.bit(bit)));
    let known: Option<u64> = bits.clone().try_fold(0, |value, bit| Some(value << 1 | u64::from(bit?)));
    match known {
        Some(value) => value.to_string(),
        None => bits.map(|bit| bit.map_or('x', |bit| if bit { '1' } else { '0' })).collect(),
    }
}

impl Cause {
    /// What it is, for tables that lack words of a name.
    fn text(&self, lacks: &str, name: &str, rules: &Rules) -> String {
        let key = format!("{} {lacks}", self.key());
        let rule = rules.classes.iter().find(|c| c.names.matched(name).is_some() && c.key.matched(&key).is_some());
        if let Some(rule) = rule {
            return rule.text.clone();
        }
        match self {
            Cause::Reading => "words that have other names".to_owned(),
            Cause::Unratified => "not ratified, and nothing of the extension is there".to_owned(),
            Cause::Extension => "nothing of the extension is there".to_owned(),
            Cause::Base => "there for the other width of registers only".to_owned(),
            Cause::Name => "missing, while the extension is there".to_owned(),
            Cause::Values(values) => format!("words with {values}"),
            Cause::Words => "words of no simple form".to_owned(),
        }
    }

    /// A short name, and the values where words are told by values.
    pub(super) fn key(&self) -> String {
        match self {
            Cause::Reading => "reading".to_owned(),
            Cause::Unratified => "unratified".to_owned(),
            Cause::Extension => "extension".to_owned(),
            Cause::Base => "base".to_owned(),
            Cause::Name => "name".to_owned(),
            Cause::Values(values) => values.clone(),
            Cause::Words => "words".to_owned(),
        }
    }
}

/// One line that says why some tables lack words of a name: `not in llvm: nothing of the extension is there`.
pub(super) fn text(tables: &[String], causes: &[(usize, Cause)], name: &str, rules: &Rules) -> String {
    let mut parts: Vec<(String, Vec<&str>)> = Vec::new();
    for (t, cause) in causes {
        let table = tables.get(*t).map_or("", String::as_str);
        let text = cause.text(table, name, rules);
        match parts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, tables)) => tables.push(table),
            None => parts.push((text, vec![table])),
        }
    }
    let parts: Vec<String> =
        parts.into_iter().map(|(text, tables)| format!("not in {}: {text}", tables.join(", "))).collect();
    parts.join("; ")
}
