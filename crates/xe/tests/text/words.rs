//! Random words beside `iga64`: disassembled and assembled again there, and here. What comes back is the same, or is in
//! `ledger/xe-implied-peer.txt`: `FORM:FIELD` and why.

use std::collections::BTreeMap;

use isaglot_testing::{Failed, Random, rounds};
use isaglot_xe::stream::RawWord;
use isaglot_xe::{Description, Xe};

use super::iga;

/// Words of each operation in each form on each machine.
const WORDS: usize = 20;

/// What became of the words.
#[derive(Default)]
struct Found {
    same: usize,
    other: usize,
    /// `iga64` does not take the word, or not its own text of it.
    refused: usize,
    /// Distances of 0, which it drops.
    distances: usize,
    lost: BTreeMap<String, String>,
}

pub(crate) fn beside_iga64() -> Result<(), Failed> {
    let description = Description::embedded().ok_or("no description")?;
    let (count, mut found) = (rounds(WORDS), Found::default());
    for platform in iga::PLATFORMS {
        let mut xe = Xe::new(&description, platform).ok_or("no machine")?;
        for op in 0..xe.ops().len() as u8 {
            for short in [false, true] {
                let mut random = Random::new(u64::from(op));
                for _ in 0..count {
                    let Some(raw) = xe.random_word(op, short, || random.u64()) else { break };
                    one(&mut xe, op, raw, &mut found);
                }
            }
        }
    }
    let Found { same, other, refused, distances, .. } = found;
    println!(
        "words beside iga64: {same} of {} the same; {refused} that it refuses, {distances} with a distance of 0",
        same + other
    );
    Ok(isaglot_testing::ledger::check_set(env!("CARGO_MANIFEST_DIR"), "xe-implied-peer", &found.lost, count == WORDS)?)
}

fn one(xe: &mut Xe<'_>, op: u8, raw: RawWord, found: &mut Found) {
    let bytes = &raw.word.to_le_bytes()[..raw.size() as usize];
    let Ok(text) = iga::disassemble(xe.platform, bytes) else {
        found.refused += 1;
        return;
    };
    let text = String::from_utf8_lossy(&text).into_owned();
    if text.contains("@0") {
        found.distances += 1;
        return;
    }
    let Ok(theirs) = iga::assemble(xe.platform, text.as_bytes(), false) else {
        found.refused += 1;
        return;
    };
    let Some((_, canonical)) = xe.canonical(raw) else { return };
    if theirs == canonical.word.to_le_bytes()[..canonical.size() as usize] {
        found.same += 1;
        return;
    }
    found.other += 1;
    let mut word = [0; 16];
    word.iter_mut().zip(&theirs).for_each(|(to, from)| *to = *from);
    let theirs = RawWord { pc: 0, word: u128::from_le_bytes(word), short: theirs.len() == 8 };
    let form = xe.op(op).form;
    for field in xe.differing(canonical, theirs) {
        let id = format!("{form:?}:{field}").to_lowercase();
        let example = || {
            format!(
                "{} {:#x}: {:#x} there, {:#x} here; {text}",
                xe.platform.name(),
                raw.word,
                theirs.word,
                canonical.word
            )
        };
        found.lost.entry(id).or_insert_with(|| example().replace('\n', " "));
    }
}
