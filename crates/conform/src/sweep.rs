//! Every word, one after the other, and where to go on after an interruption.
//!
//! The problem: 2^32 words take hours, do not fit memory, and a machine may be switched off. The invariant: the state between two steps is all
//! that is needed to go on, and what differs is kept exactly: each word that differs is in one pattern of its class, and no other word is. The
//! method: words are asked about in rising order, a step of them at a time. A word that differs joins the patterns of its class as follows:
//! a pattern and another one that differ in one fixed bit become one without that bit, as long as there are such two. For the words 4, 5, 6, 7 of
//! three bits:
//!
//! ```text
//! 100          100, then 101: 10x          10x, 110          10x, then 111: 11x, and so 1xx
//! ```
//!
//! A class with more than [`MAX_CUBES`] patterns gets no further ones: the words beyond are counted.

use std::collections::BTreeMap;

use isaglot_bits::{Count, Pattern, Word};
use isaglot_source::Diagnostic;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use crate::answer::{Answer, Decoder, Subject};
use crate::choose::Length;
use crate::compare::{Asker, Class, Kind};
use crate::grow::Grown;
use crate::limits::{MAX_CUBES, MAX_SWEEP_BITS};
use crate::normal::Rules;
use crate::run::{Finding, Report, answered};

/// The version of the form of the state.
const VERSION: u64 = 1;

/// Values of words that are looked at in one step.
const STEP: u64 = 1 << 16;

/// The words of one class that were met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Met {
    count: u64,
    /// Their patterns: the value and the fixed bits of each.
    cubes: FxHashSet<(u64, u64)>,
    /// How many of them no pattern has.
    unlisted: u64,
}

/// How far the words of the wanted lengths were asked about, and what differed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// What is compared, as a text that is another one for another comparison.
    about: String,
    /// The lengths in bits, the shortest first, with how many words of each were asked about.
    lengths: Vec<(u32, u64)>,
    /// The length that is worked on.
    at: usize,
    /// The value of the next word of that length.
    next: u64,
    avoided: u64,
    spelled: u64,
    met: BTreeMap<Class, Met>,
}

impl Sweep {
    /// Nothing was asked yet. `about` tells comparisons apart; the lengths are in bits, each at most [`MAX_SWEEP_BITS`].
    #[must_use]
    pub fn new(about: String, lengths: &[u32]) -> Sweep {
        let lengths = lengths.iter().map(|bits| (*bits, 0)).collect();
        Sweep { about, lengths, at: 0, next: 0, avoided: 0, spelled: 0, met: BTreeMap::new() }
    }

    /// How many values of words were looked at, and how many there are.
    #[must_use]
    pub fn place(&self) -> (u64, u64) {
        let size = |bits: u32| 1_u64 << bits.min(MAX_SWEEP_BITS);
        let done: u64 = self.lengths.iter().take(self.at).map(|(bits, _)| size(*bits)).sum();
        (done + self.next, self.lengths.iter().map(|(bits, _)| size(*bits)).sum())
    }

    /// Whether all words were asked about.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.at >= self.lengths.len()
    }

    /// Asks about the words of the next step.
    ///
    /// # Errors
    /// Why one side gives no answers; then the state is that of before.
    pub fn step(&mut self, ours: &mut dyn Subject, theirs: &mut dyn Decoder, rules: &Rules) -> Result<(), Diagnostic> {
        let Some((bits, _)) = self.lengths.get(self.at).copied() else { return Ok(()) };
        let end = (self.next + STEP).min(1 << bits);
        let all = (self.next..end).map(|value| Word::from_u64(value, bits)).filter(|word| ours.fits(word));
        let (words, avoided): (Vec<Word>, Vec<Word>) = all.partition(|word| theirs.takes(word));
        let mut asker = Asker::new(ours, theirs, rules);
        let classes = asker.classes_of(&words)?;
        self.spelled += asker.spelled() as u64;
        for (word, class) in words.iter().zip(classes) {
            if let Some(class) = class {
                let met = self.met.entry(class).or_default();
                met.count += 1;
                met.add(word.low_u64(), bits);
            }
        }
        self.avoided += avoided.len() as u64;
        self.next = end;
        if let Some((_, asked)) = self.lengths.get_mut(self.at) {
            *asked += words.len() as u64;
        }
        if end >> bits != 0 {
            (self.at, self.next) = (self.at + 1, 0);
        }
        Ok(())
    }

    /// What was found, once [all words](Sweep::is_done) were asked about. Both sides are asked about the smallest word of each finding.
    ///
    /// # Errors
    /// Why one side gives no answers.
    pub fn report(
        &self,
        ours: &mut dyn Subject,
        theirs: &mut dyn Decoder,
        rules: &Rules,
    ) -> Result<Report, Diagnostic> {
        let mut findings: Vec<Finding> = self.met.iter().filter_map(|(class, met)| met.finding(class)).collect();
        answered(&mut findings, &mut Asker::new(ours, theirs, rules))?;
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let length =
            |(bits, words): &(u32, u64)| Length { bits: *bits, words: size(*words), whole: true, gaps_left: Some(0) };
        Ok(Report {
            findings,
            asked: size(self.lengths.iter().map(|(_, words)| words).sum()),
            avoided: size(self.avoided),
            lengths: self.lengths.iter().map(length).collect(),
            spelled: size(self.spelled),
            choices: 0,
        })
    }

    /// The state as text: JSON of one line.
    #[must_use]
    pub fn to_text(&self) -> String {
        let cube = |(value, care): &(u64, u64)| json!([format!("{value:x}"), format!("{care:x}")]);
        let met = |(class, met): (&Class, &Met)| {
            let mut cubes: Vec<&(u64, u64)> = met.cubes.iter().collect();
            cubes.sort();
            json!({
                "kind": class.kind.name(), "bits": class.bits, "name": class.name, "way": class.way,
                "count": met.count, "unlisted": met.unlisted, "cubes": cubes.into_iter().map(cube).collect::<Vec<_>>(),
            })
        };
        let state = json!({
            "isaglot-conform": VERSION, "about": self.about, "lengths": self.lengths, "at": self.at, "next": self.next,
            "avoided": self.avoided, "spelled": self.spelled, "met": self.met.iter().map(met).collect::<Vec<_>>(),
        });
        format!("{state}\n")
    }

    /// The state in a text. `about` and the lengths are those of [`Sweep::new`].
    ///
    /// # Errors
    /// If it is no such state, or of another comparison.
    pub fn read(text: &str, about: &str, lengths: &[u32]) -> Result<Sweep, Diagnostic> {
        let wrong = |what: &str| Diagnostic::error("conform-resume", what.to_owned());
        let value: Value =
            serde_json::from_str(text).map_err(|e| wrong("this is no state of a comparison").note(e.to_string()))?;
        if value.get("isaglot-conform").and_then(Value::as_u64) != Some(VERSION) {
            return Err(wrong("this is no state of a comparison, or one of another version of isaglot"));
        }
        if value.get("about").and_then(Value::as_str) != Some(about) {
            let d = wrong("this is the state of another comparison");
            return Err(d.note("the description, the tool, the rules, or what is chosen of them has changed; begin anew with another file"));
        }
        let state = state(&value, about).ok_or_else(|| wrong("the state of the comparison is damaged"))?;
        let same = state.lengths.iter().map(|(bits, _)| bits).eq(lengths);
        if same { Ok(state) } else { Err(wrong("this is the state of a comparison of other lengths")) }
    }
}

fn state(value: &Value, about: &str) -> Option<Sweep> {
    // No number of words comes near the bound, so that none overflows when one is added.
    let number = |value: &Value, name: &str| value.get(name)?.as_u64().filter(|n| *n < 1 << 48);
    let text = |value: &Value, name: &str| value.get(name)?.as_str().map(str::to_owned);
    let bits = |value: &Value| u32::try_from(value.as_u64()?).ok().filter(|bits| (1..=MAX_SWEEP_BITS).contains(bits));
    let length = |pair: &Value| {
        let (bits, asked) = (bits(pair.get(0)?)?, pair.get(1)?.as_u64()?);
        (asked >> bits <= 1).then_some((bits, asked))
    };
    let lengths: Vec<(u32, u64)> = value.get("lengths")?.as_array()?.iter().map(length).collect::<Option<_>>()?;
    let at = usize::try_from(number(value, "at")?).ok()?;
    let next = number(value, "next")?;
    let size = lengths.get(at).map_or(1, |(bits, _)| 1_u64 << bits);
    let met = |value: &Value| {
        let (kind, width) = (text(value, "kind")?, bits(value.get("bits")?)?);
        let kind = Kind::ALL.into_iter().find(|k| k.name() == kind)?;
        let class = Class { kind, bits: width, name: text(value, "name")?, way: text(value, "way")? };
        let hex = |value: &Value| u64::from_str_radix(value.as_str()?, 16).ok().filter(|n| n >> width == 0);
        let cube =
            |pair: &Value| Some((hex(pair.get(0)?)?, hex(pair.get(1)?)?)).filter(|(value, care)| value & !care == 0);
        let cubes: FxHashSet<(u64, u64)> = value.get("cubes")?.as_array()?.iter().map(cube).collect::<Option<_>>()?;
        let (count, unlisted) = (number(value, "count")?, number(value, "unlisted")?);
        Some((class, Met { count, cubes, unlisted }))
    };
    let met = value.get("met")?.as_array()?.iter().map(met).collect::<Option<_>>()?;
    let (avoided, spelled) = (number(value, "avoided")?, number(value, "spelled")?);
    (at <= lengths.len() && next < size).then(|| Sweep {
        about: about.to_owned(),
        lengths,
        at,
        next,
        avoided,
        spelled,
        met,
    })
}

impl Met {
    /// Adds a word that is in no pattern yet.
    fn add(&mut self, word: u64, bits: u32) {
        let all = (1_u64 << bits) - 1;
        let mut cube = (word, all);
        loop {
            let (value, care) = cube;
            let fixed = (0..bits).map(|bit| 1 << bit).filter(|bit| care & bit != 0);
            let Some(bit) = fixed.into_iter().find(|bit| self.cubes.contains(&(value ^ bit, care))) else { break };
            self.cubes.remove(&(value ^ bit, care));
            cube = (value & !bit, care & !bit);
        }
        if self.cubes.len() < MAX_CUBES {
            self.cubes.insert(cube);
        } else {
            self.unlisted += 1 << (bits - cube.1.count_ones());
        }
    }

    /// The finding, its largest patterns first; the answers are still open.
    fn finding(&self, class: &Class) -> Option<Finding> {
        let bits = class.bits;
        let pattern =
            |(value, care): &(u64, u64)| Pattern::new(&Word::from_u64(*value, bits), Word::from_u64(*care, bits));
        let mut cubes: Vec<(u64, u64)> = self.cubes.iter().copied().collect();
        cubes.sort_by_key(|(value, care)| (care.count_ones(), *value));
        let smallest = cubes.iter().map(|(value, _)| *value).min()?;
        Some(Finding {
            class: class.clone(),
            patterns: cubes.iter().map(|cube| Grown { pattern: pattern(cube), exact: true }).collect(),
            words: Some(Count::from(self.count)),
            left: Vec::new(),
            unlisted: self.unlisted,
            witness: Word::from_u64(smallest, bits),
            ours: Answer::Refused,
            theirs: Answer::Refused,
            near: None,
            known: None,
        })
    }
}
