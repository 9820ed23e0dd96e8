//! The round-trip law: exact text of every binary of the corpus, damaged or not, gives the same bytes again.

use std::path::Path;

use isaglot_spirv::{asm, dis, exact, instructions, list};
use isaglot_testing::Failed;
use isaglot_testing::suite::Case;

use crate::files::{Score, le_words, records, text, unhex};

pub(crate) const CASES: &[(&str, Case)] = &[("laws::exact", exact_law), ("laws::listing", listing_law)];

fn exact_law(folder: &Path) -> Result<(), Failed> {
    let files = ["modules_extracted", "grammar_generated", "mutated_ok", "shaders_glsl", "binary_mutations"];
    for file in files {
        let mut all = Score::new(format!("{file} exact"));
        let mut good = Score::new(format!("{file} exact without plain words"));
        for (n, r) in records(folder, &format!("{file}.jsonl.gz")) {
            let bytes = unhex(text(&r, "bin"));
            if !bytes.len().is_multiple_of(4) {
                continue;
            }
            let words = le_words(&bytes);
            let done = exact::disassemble(&words, &dis::Options::default());
            let (again, assembly) = exact::assemble(&done.text, &asm::Options::default());
            all.count(n, assembly.failures.is_empty() && again == bytes, || {
                format!(
                    "{} {}: {:?}\n{}",
                    text(&r, "id"),
                    text(&r, "src"),
                    assembly.failures,
                    String::from_utf8_lossy(&done.text)
                )
            });
            if done.failures.is_empty() && r["rt_raw_preserve"].as_bool() == Some(true) {
                let plain = !done.text.windows(10).any(|w| w == b"OpUnknown(");
                good.count(n, plain, || format!("{}", String::from_utf8_lossy(&done.text)));
            }
        }
        all.finish()?;
        if file != "binary_mutations" {
            good.finish()?;
        }
    }
    Ok(())
}

/// Every listing can be read and has every instruction once.
fn listing_law(folder: &Path) -> Result<(), Failed> {
    for file in ["modules_extracted", "binary_mutations"] {
        let mut score = Score::new(format!("{file} listing"));
        for (n, r) in records(folder, &format!("{file}.jsonl.gz")) {
            let words = le_words(&unhex(text(&r, "bin")));
            let mut json = Vec::new();
            let written = list::json_to(&words, &dis::Options::default(), list::Show::default(), &mut |bytes| {
                json.extend_from_slice(bytes);
                true
            });
            let swapped = words.first() == Some(&asm::MAGIC.swap_bytes());
            let native: Vec<u32> = words.iter().map(|w| if swapped { w.swap_bytes() } else { *w }).collect();
            let expected = instructions::Instructions::new(&native).count();
            let parsed = isaglot_listing::read(isaglot_source::FileId(0), &json);
            let instructions = |listing: isaglot_listing::Listing<'_>| {
                listing.elems.iter().filter(|e| matches!(e, isaglot_listing::tree::Elem::I(_))).count()
            };
            let listed = parsed.map_or(0, instructions);
            let ok = if written.is_err() { json.is_empty() } else { listed == expected };
            score.count(n, ok, || format!("{}: {listed} of {expected}", text(&r, "src")));
        }
        score.finish()?;
    }
    Ok(())
}
