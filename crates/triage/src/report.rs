//! The result of a triage as plain data, with names in place of ids: what the texts, the JSON and the page are written from.

use std::collections::BTreeMap;

use isaglot_bits::{BitRange, Pattern, Word};
use isaglot_codec::Plan;
use isaglot_model::{Case, Encoding, EncodingId, EnumId, ExprId, FieldType, Isa, SpaceId};
use isaglot_source::{SourceMap, Span};

use crate::cluster::{Cluster, Clusters};
use crate::stub;
use crate::tally::{Finding, Stat, Tally};

/// File names of one pattern that are written out.
const NAMED_FILES: usize = 3;

/// What a triage found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// What the description calls itself.
    pub isa: String,
    /// The gen.
    pub generation: u32,
    /// The names of the programs that were read.
    pub programs: usize,
    /// Bytes that make whole words.
    pub bytes: u64,
    /// Words.
    pub words: u64,
    /// Words that match nothing.
    pub unknown: u64,
    /// Words that match, but with something wrong.
    pub flawed: u64,
    /// Patterns of unknown words and values, those with the most words first.
    pub clusters: Vec<ClusterRow>,
    /// Unknown words and values that no pattern has, since there are too many patterns.
    pub outside: u64,
    /// What is wrong with words that match, those with the most words first.
    pub findings: Vec<FindingRow>,
    /// What no program exercises.
    pub unused: Unused,
}

/// Where words are.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Whereabouts {
    /// How many words, each as often as it comes.
    pub words: u64,
    /// In how many programs, or in how many at least.
    pub programs: usize,
    /// There may be more programs.
    pub or_more: bool,
    /// The names of the first programs.
    pub names: Vec<String>,
    /// The byte offset of the first word in the first of these programs.
    pub offset: u64,
    /// The first word, in hexadecimal, most significant digit first.
    pub example: String,
}

/// A pattern of unknown words.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClusterRow {
    /// The space, unless it is that of instructions.
    pub space: Option<String>,
    /// The bits that tell these words from all that are known, `x` for the others.
    pub pattern: String,
    /// The same as ranges of bits, highest first.
    pub bits: Vec<Bits>,
    /// Other bits that all words here have alike, highest first. A field that is never used otherwise looks so, too.
    pub constant: Vec<Bits>,
    /// The mnemonics of the encodings that come nearest, the nearest first.
    pub neighbours: Vec<String>,
    /// What the pattern is to the nearest encoding, if that can be said.
    pub note: Option<String>,
    /// Where the words are.
    pub at: Whereabouts,
    /// An encoding to begin with, as isaspec XML.
    pub stub: String,
}

/// Bits and their value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    /// The highest bit.
    pub high: u32,
    /// The lowest bit.
    pub low: u32,
    /// Their values, the highest bit first.
    pub value: String,
}

/// What is wrong with words that match.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FindingRow {
    /// `dont-care`, `assert`, `field`, `value`, `conflict`, `no-text` or `undefined`.
    pub kind: &'static str,
    /// The mnemonic.
    pub encoding: String,
    /// What is wrong, as a sentence.
    pub message: String,
    /// File, line and column of the encoding, or of the assert, if they are known.
    pub place: Option<String>,
    /// Words of the encoding without this fault, if it is an instruction.
    pub of: Option<u64>,
    /// Where the words are.
    pub at: Whereabouts,
}

/// What no program exercises.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Unused {
    /// Encodings without a word, by space.
    pub encodings: Vec<UnusedEncodings>,
    /// Overrides that never applied, although their encodings have words.
    pub overrides: Vec<UnusedOverride>,
    /// Entries of enums that were never read.
    pub values: Vec<UnusedValues>,
}

/// The encodings of a space that no program has.
#[derive(Clone, Debug)]
pub struct UnusedEncodings {
    /// The name of the space.
    pub space: String,
    /// How many encodings it has for this gen and these features.
    pub all: usize,
    /// The mnemonics of those without a word.
    pub names: Vec<String>,
}

/// An override that never applied.
#[derive(Clone, Debug)]
pub struct UnusedOverride {
    /// The level of the hierarchy that it is of.
    pub owner: String,
    /// Its number among the overrides of that level, from 1.
    pub number: usize,
    /// File, line and column, if they are known.
    pub place: Option<String>,
    /// Mnemonics of its encodings that have words.
    pub encodings: Vec<String>,
}

/// The entries of an enum that were never read.
#[derive(Clone, Debug)]
pub struct UnusedValues {
    /// The enum.
    pub name: String,
    /// How many entries it has.
    pub all: usize,
    /// The values and their texts.
    pub values: Vec<(u64, String)>,
}

impl Report {
    /// Puts together what the last pass has seen. `programs` are the names of the files, by number.
    #[must_use]
    pub fn new(plan: &Plan<'_>, files: &SourceMap, tally: &Tally, clusters: &Clusters, programs: &[String]) -> Report {
        let isa = plan.isa();
        let maker = Maker { plan, isa, files, programs };
        let unknown = tally.unknown(isa);
        let mut report = Report {
            isa: isa.name().to_owned(),
            generation: plan.generation(),
            programs: programs.len(),
            bytes: tally.bytes,
            words: tally.words,
            unknown,
            flawed: tally.words - tally.clean - unknown,
            outside: tally.unknown.values().map(|unknown| unknown.outside).sum(),
            unused: maker.unused(tally),
            ..Report::default()
        };
        let mut rows: Vec<(&Cluster, &Stat)> = Vec::new();
        for unknown in tally.unknown.values() {
            let stats = unknown.clusters.0.iter();
            rows.extend(stats.filter_map(|(&number, stat)| Some((clusters.all().get(number as usize)?, stat))));
        }
        rows.sort_by(|a, b| (b.1.count, &a.0.pattern).cmp(&(a.1.count, &b.0.pattern)));
        let numbered = rows.into_iter().zip(1..);
        report.clusters = numbered.map(|((cluster, stat), number)| maker.cluster(cluster, stat, number)).collect();
        let mut findings: Vec<(Finding, &Stat)> = tally.findings().collect();
        findings.sort_by_key(|(finding, stat)| (std::cmp::Reverse(stat.count), *finding));
        report.findings = findings.into_iter().map(|(finding, stat)| maker.finding(finding, stat, tally)).collect();
        report
    }
}

struct Maker<'m, 'a> {
    plan: &'m Plan<'a>,
    isa: &'a Isa,
    files: &'m SourceMap,
    programs: &'m [String],
}

impl Maker<'_, '_> {
    fn at(&self, stat: &Stat) -> Whereabouts {
        let name = |file: u32| self.programs.get(file as usize).cloned().unwrap_or_default();
        Whereabouts {
            words: stat.count,
            programs: stat.files().len(),
            or_more: stat.has_more_files(),
            names: stat.files().take(NAMED_FILES).map(name).collect(),
            offset: stat.first.offset,
            example: stat.example.hex(),
        }
    }

    fn place(&self, span: Span) -> Option<String> {
        (self.files.get(span.file).is_some()).then(|| self.files.location(span))
    }

    fn mnemonic(&self, id: EncodingId) -> String {
        let encoding = &self.isa[id];
        match encoding.display_name.is_empty() {
            true => self.isa.text(encoding.name).to_owned(),
            false => encoding.display_name.to_string(),
        }
    }

    fn space(&self, space: SpaceId) -> Option<String> {
        (space != self.isa.root()).then(|| self.isa.text(self.isa[space].name).to_owned())
    }

    fn cluster(&self, cluster: &Cluster, stat: &Stat, number: usize) -> ClusterRow {
        let pattern = &cluster.pattern;
        let alike = stat.all.xor(&stat.any).not().and_not(pattern.care());
        let constant = Pattern::new(&stat.all, alike);
        let near = cluster.neighbours.first().map(|&id| &self.isa[id]);
        let note = match near {
            Some(near) if cluster.is_excepted => {
                Some(format!("words of {} with operands that it cannot have", near.display_name))
            }
            Some(near) if near.pattern.overlaps(pattern) => {
                let free = near.pattern.care().and_not(pattern.care());
                let ranges: Vec<String> = ranges(&free).map(range_text).collect();
                let bits = ranges.join(", ");
                Some(format!(
                    "words of {} but for bits {bits}, which it fixes and these words do not",
                    near.display_name
                ))
            }
            _ => None,
        };
        ClusterRow {
            space: self.space(cluster.space),
            pattern: pattern.to_string(),
            bits: bits(pattern),
            constant: bits(&constant),
            neighbours: cluster.neighbours.iter().map(|&id| self.mnemonic(id)).collect(),
            note,
            at: self.at(stat),
            stub: stub::stub(self.isa, cluster, &constant, number),
        }
    }

    fn finding(&self, finding: Finding, stat: &Stat, tally: &Tally) -> FindingRow {
        let (kind, id, message, span) = match finding {
            Finding::DontCare { encoding } => {
                let varying = stat.any.and_not(&stat.all);
                let mut said = Vec::new();
                said.extend(ranges(&stat.all).map(|r| format!("{} always", range_text(r))));
                said.extend(ranges(&varying).map(|r| format!("{} in some of them", range_text(r))));
                (
                    "dont-care",
                    encoding,
                    format!("don't-care bits are set: {}", said.join(", ")),
                    self.isa[encoding].span,
                )
            }
            Finding::Assert { encoding, case, assert } => {
                let case: Option<&Case> = self.isa[encoding].cases.get(case as usize);
                let assert = case.and_then(|case| case.asserts.get(assert as usize));
                let (bits, want, span) = match assert {
                    Some(a) => (range_text(a.range), binary(&a.value), a.span),
                    None => Default::default(),
                };
                let range = assert.map(|a| a.range);
                let got = range.map_or(String::new(), |range| {
                    let (all, any) = (stat.all.slice(range), stat.any.slice(range));
                    Pattern::new(&all, all.xor(&any).not()).to_string()
                });
                ("assert", encoding, format!("bits {bits} are {got}, where the description asserts {want}"), span)
            }
            Finding::Field { encoding, field, space } => {
                let alike = Pattern::new(&stat.all, stat.all.xor(&stat.any).not());
                let (field, space) = (self.isa.shown(field), self.isa.text(self.isa[space].name));
                let message = format!("field {field} has values {alike} that are none of {space}");
                ("field", encoding, message, self.isa[encoding].span)
            }
            Finding::Value { encoding, field, ty } => {
                let alike = Pattern::new(&stat.all, stat.all.xor(&stat.any).not());
                let (field, ty) = (self.isa.shown(field), &self.isa[ty].name);
                let message = format!("field {field} has values {alike} that {ty} has no entry for");
                ("value", encoding, message, self.isa[encoding].span)
            }
            Finding::Conflict { first, second } => {
                let message = format!("the words are also {}", self.mnemonic(second));
                ("conflict", first, message, self.isa[first].span)
            }
            Finding::NoText { encoding } => {
                ("no-text", encoding, "no display applies".to_owned(), self.isa[encoding].span)
            }
            Finding::Undefined { encoding } => {
                let message = "something that the display or a condition names is not defined".to_owned();
                ("undefined", encoding, message, self.isa[encoding].span)
            }
        };
        let is_word = self.isa[id].space == self.isa.root();
        FindingRow {
            kind,
            encoding: self.mnemonic(id),
            message,
            place: self.place(span),
            of: is_word.then(|| tally.exercised.hits(id)),
            at: self.at(stat),
        }
    }

    fn unused(&self, tally: &Tally) -> Unused {
        let mut unused = Unused::default();
        let used = &tally.exercised;
        let mut enums: BTreeMap<EnumId, ()> = BTreeMap::new();
        // An override of a level that several leaves share is one override: by its place, or, where places are lost, its guard.
        type Key<'k> = (&'k str, Span, Option<ExprId>);
        let mut overrides: BTreeMap<Key<'_>, (bool, Vec<EncodingId>, usize)> = BTreeMap::new();
        for space in self.isa.spaces() {
            let active: Vec<EncodingId> =
                space.encodings.iter().copied().filter(|&id| self.plan.active(&self.isa[id])).collect();
            let without: Vec<EncodingId> = active.iter().copied().filter(|&id| used.hits(id) == 0).collect();
            if !without.is_empty() {
                let space = self.isa.text(space.name).to_owned();
                let names = without.iter().map(|&id| self.mnemonic(id)).collect();
                unused.encodings.push(UnusedEncodings { space, all: active.len(), names });
            }
            for &id in active.iter().filter(|&&id| used.hits(id) > 0) {
                let encoding = &self.isa[id];
                for field in encoding.cases.iter().flat_map(|case| &case.fields) {
                    if let FieldType::Enum(id) = field.ty {
                        enums.insert(id, ());
                    }
                }
                for (at, case) in encoding.cases.iter().enumerate().filter(|(_, case)| case.guard.is_some()) {
                    let number = number_in_owner(encoding, at);
                    let row =
                        overrides.entry((&case.owner, case.span, case.guard)).or_insert((false, Vec::new(), number));
                    row.0 |= used.case(id, at);
                    row.1.push(id);
                }
            }
        }
        for ((owner, span, _), (_, ids, number)) in overrides.into_iter().filter(|(_, (is_used, ..))| !is_used) {
            let encodings = ids.into_iter().map(|id| self.mnemonic(id)).collect();
            let place = self.place(span);
            unused.overrides.push(UnusedOverride { owner: owner.to_owned(), number, place, encodings });
        }
        for (id, ()) in enums {
            let ty = &self.isa[id];
            let is_second = |at: usize, value: u64| ty.values.iter().take(at).any(|e| e.value == value);
            let entries = ty.values.iter().enumerate().filter(|(at, e)| !is_second(*at, e.value));
            let all = entries.clone().count();
            let values: Vec<(u64, String)> =
                entries.filter(|(at, _)| !used.value(id, *at)).map(|(_, e)| (e.value, e.display.to_string())).collect();
            if !values.is_empty() {
                unused.values.push(UnusedValues { name: ty.name.clone(), all, values });
            }
        }
        unused
    }
}

/// Which override of its level a case is, from 1.
fn number_in_owner(encoding: &Encoding, at: usize) -> usize {
    let Some(case) = encoding.cases.get(at) else { return 0 };
    let before = encoding.cases.iter().take(at + 1);
    before.filter(|other| other.guard.is_some() && other.owner == case.owner).count()
}

/// Runs of set bits, the highest first.
pub(crate) fn ranges(bits: &Word) -> impl Iterator<Item = BitRange> {
    let mut runs = bits.runs();
    runs.sort_by_key(|range| std::cmp::Reverse(range.lo));
    runs.into_iter()
}

/// `high:low`, or one number.
pub(crate) fn range_text(range: BitRange) -> String {
    let high = range.lo + range.width.saturating_sub(1);
    if high == range.lo { high.to_string() } else { format!("{high}:{}", range.lo) }
}

/// The digits of a value, the highest bit first.
pub(crate) fn binary(value: &Word) -> String {
    Pattern::exact(value.clone()).to_string()
}

/// The fixed bits of a pattern, the highest first.
pub(crate) fn bits(pattern: &Pattern) -> Vec<Bits> {
    let of = |range: BitRange| Bits {
        high: range.lo + range.width.saturating_sub(1),
        low: range.lo,
        value: binary(&pattern.value().slice(range)),
    };
    ranges(pattern.care()).map(of).collect()
}
