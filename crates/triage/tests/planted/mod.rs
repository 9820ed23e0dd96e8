//! Patterns that a description does not have, planted among words that it has: triage has to find each of them, and to mix no
//! two of them.
//!
//! A planted pattern is that of an encoding with one of its bits turned, if no encoding has a word of it: an instruction beside
//! its neighbours, of which the description does not know. Its operands are random.

use std::collections::BTreeMap;

use isaglot_bits::{Pattern, Word};
use isaglot_codec::Plan;
use isaglot_model::ByteOrder;
use isaglot_source::SourceMap;
use isaglot_testing::Random;
use isaglot_triage::Report;
use isaglot_triage::oracle::triage;

/// How many patterns are planted.
pub(crate) const PLANTED: usize = 20;

/// Patterns that share no word with each other and with any encoding.
pub(crate) fn patterns(plan: &Plan<'_>, random: &mut Random) -> Vec<Pattern> {
    let isa = plan.isa();
    let active: Vec<_> = isa[isa.root()].encodings.iter().map(|&id| &isa[id]).filter(|e| plan.active(e)).collect();
    let mut found: Vec<Pattern> = Vec::new();
    for _ in 0..100_000 {
        if found.len() == PLANTED {
            break;
        }
        let near = active[random.index(active.len())];
        let bits: Vec<u32> = near.pattern.care().ones_iter().collect();
        let bit = bits[random.index(bits.len())];
        let pattern = near.pattern.with_bit(bit, near.pattern.bit(bit) != Some(true));
        let has_length = isa.format().lengths.iter().all(|rule| {
            let parcel = pattern.resized(rule.pattern.width());
            !rule.pattern.overlaps(&parcel) || (rule.bits == near.width && rule.pattern.contains(&parcel))
        });
        let is_known = active.iter().any(|e| e.width == near.width && e.pattern.overlaps(&pattern));
        if has_length && !is_known && !found.iter().any(|other| other.width() == near.width && other.overlaps(&pattern))
        {
            found.push(pattern);
        }
    }
    found
}

/// A word of a pattern.
pub(crate) fn word(pattern: &Pattern, random: &mut Random) -> Word {
    let width = pattern.width();
    Word::from_limbs(&random.limbs(width), width).and_not(pattern.care()).or(pattern.value())
}

/// The bytes of a word in memory.
pub(crate) fn bytes(plan: &Plan<'_>, word: &Word) -> Vec<u8> {
    let mut bytes: Vec<u8> = word.le_bytes().collect();
    if plan.isa().format().byte_order == ByteOrder::Big {
        bytes.reverse();
    }
    bytes
}

/// Plants patterns among `known` bytes and checks what triage says of them.
pub(crate) fn check(plan: &Plan<'_>, known: &[u8], seed: u64) -> Result<String, String> {
    let mut random = Random::new(seed);
    let planted = patterns(plan, &mut random);
    let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
    let mut programs: Vec<Vec<u8>> =
        known.chunks(known.len().div_ceil(7).next_multiple_of(16)).map(<[u8]>::to_vec).collect();
    for (pattern, number) in planted.iter().zip(0..) {
        // Some often, some rarely.
        let count = 2 + random.below(if number % 3 == 0 { 5 } else { 2000 });
        counts.insert(number, count);
        for _ in 0..count {
            let word = bytes(plan, &word(pattern, &mut random));
            let at = random.index(programs.len());
            programs[at].extend(word);
        }
    }
    let (tally, clusters) = triage(plan, &programs);
    let names: Vec<String> = (0..programs.len()).map(|n| format!("program {n}")).collect();
    let report = Report::new(plan, &SourceMap::new(), &tally, &clusters, &names);
    let all: u64 = counts.values().sum();
    let mut wrong = Vec::new();
    if report.unknown != all || report.outside != 0 {
        wrong.push(format!("{all} words planted, {} found, {} in no pattern", report.unknown, report.outside));
    }
    let mut found: BTreeMap<usize, u64> = BTreeMap::new();
    for row in report.clusters.iter().filter(|row| row.space.is_none()) {
        let pattern = Pattern::parse(&row.pattern).map_err(|e| e.to_string())?;
        let example = Word::parse(&format!("0x{}", row.at.example), pattern.width()).unwrap_or_default();
        match (0..planted.len()).find(|&n| planted[n].width() == pattern.width() && planted[n].matches(&example)) {
            Some(n) => *found.entry(n).or_default() += row.at.words,
            None => wrong.push(format!("{} is of no planted pattern", row.pattern)),
        }
    }
    for (n, count) in &counts {
        if found.get(n) != Some(count) {
            wrong.push(format!("{}: {count} words planted, {:?} found", planted[*n], found.get(n)));
        }
    }
    let said = format!("{} patterns planted, {} clusters, {all} words", planted.len(), report.clusters.len());
    if wrong.is_empty() { Ok(said) } else { Err(format!("{said}\n{}", wrong.join("\n"))) }
}
