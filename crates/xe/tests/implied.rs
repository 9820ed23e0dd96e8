//! Bits that texts imply.
//!
//! Random words of each operation, in both forms, on every machine. A word stands for a text, and the text for the *canonical*
//! word; what of the first is not in the second must be named in `ledger/xe-implied.txt`: `FORM:FIELD`, `*` for any form, and why it means nothing.
//! The canonical word must come back from the text to the last bit.

use std::collections::{BTreeMap, BTreeSet};

use isaglot_testing::{Random, rounds};
use isaglot_xe::platform::ALL;
use isaglot_xe::stream::RawWord;
use isaglot_xe::{Description, Platform, Xe};

/// Does something with words of each operation in both forms.
fn each_word(platforms: &[Platform], count: usize, mut check: impl FnMut(&mut Xe<'_>, u8, RawWord)) {
    let description = Description::embedded().unwrap();
    for platform in platforms {
        let mut xe = Xe::new(&description, *platform).unwrap();
        for op in 0..xe.ops().len() as u8 {
            for short in [false, true] {
                let mut random = Random::new(u64::from(op));
                for _ in 0..count {
                    let Some(raw) = xe.random_word(op, short, || random.u64()) else {
                        assert!(short, "no word of `{}` on {}", xe.op(op).name, platform.name());
                        break;
                    };
                    check(&mut xe, op, raw);
                }
            }
        }
    }
}

/// `FORM:FIELD` of each row of a ledger.
fn ledger(name: &str) -> BTreeSet<String> {
    let path = isaglot_testing::ledger::path(env!("CARGO_MANIFEST_DIR"), name);
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| Some(line.split_once('\t')?.0.to_owned())).collect()
}

/// Compares what was lost with a ledger; rows that did not occur count only if all words were tried.
fn compare(name: &str, lost: &BTreeMap<String, String>, whole: bool) {
    let known = ledger(name);
    let any = |id: &str| format!("*:{}", id.split_once(':').map_or("", |id| id.1));
    let new: Vec<_> = lost
        .iter()
        .filter(|(id, _)| !known.contains(*id) && !known.contains(&any(id)))
        .map(|(id, e)| format!("{id}\t{e}"))
        .collect();
    assert!(new.is_empty(), "{name}: {} rows that are not in the ledger:\n{}", new.len(), new.join("\n"));
    let gone: Vec<_> = known.iter().filter(|id| whole && !lost.keys().any(|l| l == *id || any(l) == **id)).collect();
    assert!(gone.is_empty(), "{name}: rows of the ledger that do not occur: {gone:?}");
}

#[test]
fn every_bit_comes_back() {
    let count = rounds(200);
    let (mut all, mut same, mut short) = (0, 0, 0);
    let (mut lost, mut wrong) = (BTreeMap::new(), Vec::new());
    each_word(&ALL, count, |xe, op, raw| {
        // Indices of a short form may name rows that only bits without meaning tell from others.
        let Some((i, canonical)) = xe.canonical(raw) else {
            let form = xe.op(op).form;
            let (text, _) = xe.there_and_back(raw);
            if !raw.short {
                let id = format!("{form:?}:no word").to_lowercase();
                lost.entry(id).or_insert_with(|| format!("{:#x} {text}", raw.word).replace('\n', " "));
            }
            return;
        };
        all += 1;
        short += usize::from(raw.short);
        let (text, back) = xe.there_and_back(raw);
        let machine = xe.platform.name();
        let about = || format!("{machine} {:#x} {text}", raw.word).replace('\n', " ");
        if back == Ok(canonical) {
            same += 1;
        } else {
            wrong.push(format!("{}: {back:x?}, wanted {canonical:x?}", about()));
        }
        if xe.canonical(canonical).map(|c| c.1) != Some(canonical) {
            wrong.push(format!("{}: of the canonical word {:#x} there is another", about(), canonical.word));
        }
        for field in xe.differing(raw, canonical) {
            let said = if xe.says(&i, &field) { " that is said" } else { "" };
            lost.entry(format!("{:?}:{field}{said}", i.form).to_lowercase()).or_insert_with(about);
        }
    });
    println!("xe-implied: {same}/{all} words come back, {short} of them short");
    assert!(
        wrong.is_empty(),
        "{} words:\n{}",
        wrong.len(),
        wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n")
    );
    compare("xe-implied", &lost, count == 200);
}
