//! When implementations have what tables name alike: the differences of conditions.
//!
//! The question is asked with the requirements of one table, which knows what extensions bring along: is there an implementation that
//! has an instruction by the one condition and not by the other? The extensions of the one that is found are the class. Names of extensions are
//! brought together by rules, and by case.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::cause::Side;
use super::rules::Rules;
use crate::Xlen;
use crate::formats::formula::Theory;
use crate::formats::{Formula, Table};

/// Names that one table has in an implementation, and another has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// The table that has them there.
    pub has: usize,
    /// The table that has them elsewhere only.
    pub lacks: usize,
    /// The widths of registers.
    pub bases: Vec<u32>,
    /// The extensions of the implementation.
    pub extensions: Vec<String>,
    /// Why the one condition holds there and the other does not, in one line.
    pub reason: String,
    /// The names, in order.
    pub names: Vec<String>,
}

/// Names by the tables that have them and lack them, and by the extensions and the reason.
pub(super) type Found = BTreeMap<(usize, usize, Vec<String>, String), (BTreeSet<u32>, BTreeSet<String>)>;

/// The classes, the most names first.
pub(super) fn classes(found: Found) -> Vec<Conditions> {
    let class =
        |((has, lacks, extensions, reason), (bases, names)): (_, (BTreeSet<u32>, BTreeSet<String>))| Conditions {
            has,
            lacks,
            bases: bases.into_iter().collect(),
            extensions,
            reason,
            names: names.into_iter().collect(),
        };
    let mut classes: Vec<Conditions> = found.into_iter().map(class).collect();
    classes.sort_by_key(|class| std::cmp::Reverse(class.names.len()));
    classes
}

/// Adds the differences between a table that says what versions of extensions require and all others.
pub(super) fn find(sides: &[Side<'_>], xlen: Xlen, rules: &Rules, found: &mut Found) {
    let requires = |table: &Table| table.extensions.iter().any(|e| !e.versions.is_empty());
    let Some(theory) = sides.iter().position(|side| requires(side.table)) else { return };
    for other in (0..sides.len()).filter(|&other| other != theory) {
        pair(sides, [theory, other], xlen, rules, found);
    }
}

/// In which implementation the one condition of two holds alone, if there is one, and why; for either.
type Alone = [Option<(Vec<String>, String)>; 2];

fn pair(sides: &[Side<'_>], [theory, other]: [usize; 2], xlen: Xlen, rules: &Rules, found: &mut Found) {
    let (Some(a), Some(b)) = (sides.get(theory), sides.get(other)) else { return };
    let requires = Theory::of(a.table);
    // Many instructions have the same two conditions.
    let mut known: FxHashMap<[Formula; 2], Alone> = FxHashMap::default();
    for (key, form) in a.forms {
        let Some(same) = b.forms.get(key) else { continue };
        let two = renamed(&condition(b.table, &same.members), &|name| extension(a.table, name, rules));
        let both = [condition(a.table, &form.members), two];
        let alone = known.entry(both).or_insert_with_key(|[one, two]| {
            let only = |x: &Formula, y: &Formula, lacks: &Table| {
                let not = Formula::Not(Box::new(y.clone()));
                let extensions = requires.implementation(&[x, &not], xlen)?;
                let reason = reason([x, y], &extensions, (&requires, a.table), lacks, xlen);
                Some((extensions, reason))
            };
            [only(one, two, b.table), only(two, one, a.table)]
        });
        for (answer, (has, lacks)) in alone.iter().zip([(theory, other), (other, theory)]) {
            if let Some((extensions, reason)) = answer {
                let class = found.entry((has, lacks, extensions.clone(), reason.clone())).or_default();
                class.0.insert(if xlen == Xlen::Rv64 { 64 } else { 32 });
                class.1.insert(key.1.clone());
            }
        }
    }
}

/// Why the first condition holds in an implementation and the second one, of another table, does not.
fn reason(
    [holds, fails]: [&Formula; 2],
    implementation: &[String],
    (theory, of_theory): (&Theory<'_>, &Table),
    lacks: &Table,
    xlen: Xlen,
) -> String {
    let is_there = |name: &&str| implementation.iter().any(|there| there == name);
    let (named, asked) = (holds.extensions(), fails.extensions());
    let missing: Vec<&str> = asked.iter().copied().filter(|name| !is_there(name)).collect();
    let enough: Vec<&str> = named.difference(&asked).copied().filter(is_there).collect();
    let one = |name: &str| Formula::Extension(name.to_owned(), Vec::new());
    let brings = |whole: &str, part: &str| {
        theory.implementation(&[&one(whole), &Formula::Not(Box::new(one(part)))], xlen).is_none()
    };
    let unknown: Vec<&str> = missing.iter().copied().filter(|name| !theory.knows(name)).collect();
    if !unknown.is_empty() {
        return format!("{} asks for {}, which {} does not know", lacks.name, unknown.join(", "), of_theory.name);
    }
    let wholes = missing.iter().copied().filter(|whole| enough.iter().any(|part| brings(whole, part)));
    let wholes: Vec<&str> = wholes.collect();
    if !wholes.is_empty() {
        let (parts, wholes) = (enough.join(", "), wholes.join(", "));
        let are = if enough.len() == 1 { "is a part" } else { "are parts" };
        return format!("{parts} {are} of {wholes}, and {} asks for the whole", lacks.name);
    }
    let strange: Vec<&str> = enough.iter().copied().filter(|name| !theory.knows(name)).collect();
    if !strange.is_empty() {
        return format!("there is no {} in {}", strange.join(", "), of_theory.name);
    }
    match (enough.join(", "), missing.join(", ")) {
        (enough, missing) if enough.is_empty() && missing.is_empty() => {
            "the same extensions, in other versions or another combination".to_owned()
        }
        (enough, missing) if missing.is_empty() => format!("{} does not have them for {enough}", lacks.name),
        (enough, missing) if enough.is_empty() => format!("{} asks for {missing} too", lacks.name),
        (enough, missing) => format!("{} asks for {missing} instead of {enough}", lacks.name),
    }
}

/// When a table has a form: where it has any of its instructions.
fn condition(table: &Table, members: &[usize]) -> Formula {
    let of = members.iter().filter_map(|&index| table.instructions.get(index));
    let mut all: Vec<Formula> = of.map(|i| i.condition.clone()).collect();
    all.dedup();
    // What is there with an extension and without it does not ask for it: LLVM's table has `add` once with `e` and once without,
    // for other registers.
    while let Some((first, second, both)) = opposites(&all) {
        all.remove(second);
        all[first] = both;
    }
    if all.len() == 1 { all.remove(0) } else { Formula::Any(all) }
}

/// Two conditions that differ in one term only, which the one asks for and the other excludes; and what they have in common.
fn opposites(all: &[Formula]) -> Option<(usize, usize, Formula)> {
    let terms: Vec<Vec<&Formula>> = all.iter().map(terms).collect();
    let beyond = |i: usize, j: usize| terms[i].iter().filter(|term| !terms[j].contains(term)).collect::<Vec<_>>();
    let excludes = |one: &Formula, other: &Formula| matches!(one, Formula::Not(inner) if **inner == *other);
    let pairs = (0..all.len()).flat_map(|i| (i + 1..all.len()).map(move |j| (i, j)));
    pairs.into_iter().find_map(|(i, j)| match (beyond(i, j).as_slice(), beyond(j, i).as_slice()) {
        ([one], [other]) if excludes(one, other) || excludes(other, one) => {
            let common = terms[i].iter().filter(|term| *term != *one).map(|&term| term.clone()).collect();
            Some((i, j, Formula::All(common)))
        }
        _ => None,
    })
}

/// What a condition asks for, all together.
fn terms(formula: &Formula) -> Vec<&Formula> {
    match formula {
        Formula::All(parts) => parts.iter().flat_map(terms).collect(),
        Formula::True => Vec::new(),
        other => vec![other],
    }
}

/// The name that a table has for an extension of another.
fn extension(table: &Table, name: &str, rules: &Rules) -> String {
    let name = name.strip_prefix("experimental-").unwrap_or(name);
    let ruled = rules.extensions.iter().find(|(from, _)| from == name).map_or(name, |(_, to)| to.as_str());
    let known = table.extensions.iter().find(|e| e.name.eq_ignore_ascii_case(ruled));
    known.map_or_else(|| ruled.to_owned(), |e| e.name.clone())
}

fn renamed(formula: &Formula, name: &dyn Fn(&str) -> String) -> Formula {
    let list = |parts: &[Formula]| parts.iter().map(|part| renamed(part, name)).collect();
    match formula {
        Formula::Extension(old, versions) => Formula::Extension(name(old), versions.clone()),
        Formula::Not(part) => Formula::Not(Box::new(renamed(part, name))),
        Formula::All(parts) => Formula::All(list(parts)),
        Formula::Any(parts) => Formula::Any(list(parts)),
        Formula::One(parts) => Formula::One(list(parts)),
        Formula::True | Formula::Xlen(_) | Formula::Parameter(_) | Formula::Idl(_) => formula.clone(),
    }
}
