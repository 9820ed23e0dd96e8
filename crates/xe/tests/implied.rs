//! Bits that texts imply.
//!
//! Random words of each operation, in both forms, on every machine. A word stands for a text, and the text for the *canonical*
//! word; what of the first is not in the second must be named in `ledger/xe-implied.txt`: `FORM:FIELD`, `*` for any form, and why it means nothing.
//! The canonical word must come back from the text to the last bit.

use std::collections::BTreeMap;

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
    isaglot_testing::ledger::check_set(env!("CARGO_MANIFEST_DIR"), "xe-implied", &lost, count == 200).unwrap();
}
