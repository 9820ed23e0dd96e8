//! The exact difference of two or three tables, grouped by what causes it.
//!
//! The problem: two formats name 900 instructions alike and differ in hundreds of places, most of them by one habit: a rounding
//! mode that one leaves out, an extension that one lacks. A list of all places hides the few that are faults.
//!
//! The method: `forms` brings both to shared names by [`rules`], which are data. For each name the words of all tables are cut into
//! *cells*: the words that exactly these tables have. A cell that is not in all of them is a difference, exact to the word.
//! `cause` says what tells its words from the others, such as a field with certain values, and equal causes make a class.
//! Nothing is left over: every word of every table is either in all of them or a member of one class.

mod cause;
pub mod conditions;
pub mod fields;
pub mod forms;
pub mod report;
pub mod rules;

use std::collections::{BTreeMap, BTreeSet};

use isaglot_bits::{Count, Pattern, Word};

use self::cause::Side;
use self::forms::{Forms, forms};
use self::rules::Rules;
use super::{Table, words};
use crate::Xlen;

/// Which of the tables: bit n is table n.
pub type Tables = u32;

/// What differs and what does not.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The names of the tables.
    pub tables: Vec<String>,
    /// For each width of registers and of instructions, how many names are in which tables, and with how many words.
    pub counts: BTreeMap<(u32, u32), BTreeMap<Tables, (usize, Count)>>,
    /// Names that all tables have with the same words, by width of registers and of instructions.
    pub equal: BTreeMap<(u32, u32), usize>,
    /// The differences by cause: the most names first.
    pub classes: Vec<Class>,
    /// Where names that are in both are there under other conditions.
    pub conditions: Vec<conditions::Conditions>,
}

/// Differences of one cause.
#[derive(Clone, Debug)]
pub struct Class {
    /// The tables that have the words.
    pub has: Tables,
    /// Which tables lack them and why: one line.
    pub text: String,
    /// What differs, by name.
    pub members: Vec<Member>,
}

/// Words of one name that some tables have and others have not.
#[derive(Clone, Debug)]
pub struct Member {
    /// The shared name.
    pub name: String,
    /// The width of registers.
    pub xlen: u32,
    /// The words.
    pub words: Vec<Pattern>,
    /// What the words are told by, or why other tables lack them, in short: `rm = 5, 6`, `extension`.
    pub cause: String,
    /// What the tables without them read them as, if they read them.
    pub read_as: Vec<String>,
}

impl Class {
    /// How many names.
    pub fn names(&self) -> usize {
        self.members.iter().map(|m| m.name.as_str()).collect::<BTreeSet<_>>().len()
    }

    /// How many words, for each width of registers.
    pub fn count(&self, xlen: u32) -> Count {
        let of = self.members.iter().filter(|m| m.xlen == xlen);
        of.fold(Count::zero(), |mut sum, member| {
            sum.add(&words::count(&member.words));
            sum
        })
    }

    /// The smallest word, with the name that it is of.
    pub fn witness(&self) -> Option<(Word, &Member)> {
        let all = self.members.iter().filter_map(|m| Some((words::smallest(&m.words)?, m)));
        all.min_by(|(a, m), (b, n)| (a.width(), a.low_u64(), m.xlen).cmp(&(b.width(), b.low_u64(), n.xlen)))
    }
}

/// Compares tables: two or three, or any few.
pub fn compare(tables: &[&Table], rules: &Rules) -> Comparison {
    let mut result = Comparison { tables: tables.iter().map(|t| t.name.clone()).collect(), ..Comparison::default() };
    let (mut classes, mut conditions) = (Classes::new(), conditions::Found::new());
    let all: [Vec<Forms>; 2] =
        [Xlen::Rv32, Xlen::Rv64].map(|xlen| tables.iter().map(|table| forms(table, xlen, rules)).collect());
    for (index, base) in [Xlen::Rv32, Xlen::Rv64].into_iter().enumerate() {
        let xlen = [32, 64][index];
        let sides: Vec<Side<'_>> = tables
            .iter()
            .enumerate()
            .map(|(t, table)| Side::new(table, &all[index][t], &all[1 - index][t], index))
            .collect();
        let names: BTreeSet<&(u32, String)> = sides.iter().flat_map(|side| side.forms.keys()).collect();
        for key in names {
            one(&mut result, &mut classes, &sides, key, xlen, rules);
        }
        conditions::find(&sides, base, rules, &mut conditions);
    }
    result.conditions = conditions::classes(conditions);
    let class = |((has, text), members)| Class { has, text, members };
    result.classes = classes.into_iter().map(class).collect();
    result.classes.sort_by_key(|class| std::cmp::Reverse(class.names()));
    result
}

/// The differences by the tables that have the words, and by the line that says why others lack them.
type Classes = BTreeMap<(Tables, String), Vec<Member>>;

/// Compares what tables have under one name.
fn one(
    result: &mut Comparison,
    classes: &mut Classes,
    sides: &[Side<'_>],
    key: &(u32, String),
    xlen: u32,
    rules: &Rules,
) {
    let full: Tables = (1 << sides.len()) - 1;
    let mut same = true;
    for has in 1..=full {
        let words = cell(sides, key, has);
        if words.is_empty() {
            continue;
        }
        let counts = result.counts.entry((xlen, key.0)).or_default().entry(has).or_insert((0, Count::zero()));
        counts.0 += 1;
        counts.1.add(&words::count(&words));
        if has == full {
            continue;
        }
        same = false;
        let (causes, read_as) = cause::of(sides, key, has, &words);
        let text = cause::text(&result.tables, &causes, &key.1, rules);
        let cause = causes.iter().map(|(_, cause)| cause.key()).collect::<Vec<_>>().join(" | ");
        classes.entry((has, text)).or_default().push(Member { name: key.1.clone(), xlen, words, cause, read_as });
    }
    *result.equal.entry((xlen, key.0)).or_default() += usize::from(same);
}

/// The words of a name that exactly these tables have.
fn cell(sides: &[Side<'_>], key: &(u32, String), has: Tables) -> Vec<Pattern> {
    let of = |side: &Side<'_>| side.forms.get(key).map(|form| form.words.clone()).unwrap_or_default();
    let mut inside: Option<Vec<Pattern>> = None;
    for (_, side) in sides.iter().enumerate().filter(|(t, _)| has >> t & 1 == 1) {
        let words = of(side);
        inside = Some(match inside {
            Some(known) => words::common(&known, &words),
            None => words,
        });
    }
    let outside = sides.iter().enumerate().filter(|(t, _)| has >> t & 1 == 0);
    outside.fold(inside.unwrap_or_default(), |left, (_, side)| words::minus(&left, &of(side)))
}
