//! The round-trip law: exact text of every binary of the corpus, damaged or not, gives the same bytes again.

use std::path::Path;

use isaglot_spirv::{asm, dis, exact, instructions, listing};
use libtest_mimic::Failed;

use crate::assemble::Case;
use crate::files::{Score, le_words, records, text, unhex};

pub(crate) const CASES: &[(&str, Case)] = &[("laws::exact", exact_law), ("laws::listing", listing_law)];

fn exact_law(folder: &Path) -> Result<(), Failed> {
    let files = ["modules_extracted", "grammar_generated", "mutated_ok", "shaders_glsl", "binary_mutations"];
    for file in files {
        let mut all = Score::new(format!("{file} exact"));
        let mut good = Score::new(format!("{file} exact where the module is good: no words needed"));
        for r in records(folder, &format!("{file}.jsonl.gz")) {
            let bytes = unhex(text(&r, "bin"));
            if !bytes.len().is_multiple_of(4) {
                continue;
            }
            let words = le_words(&bytes);
            let done = exact::disassemble(&words, &dis::Options::default());
            let (again, assembly) = exact::assemble(&done.text, &asm::Options::default());
            all.count(assembly.failures.is_empty() && again == bytes, || {
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
                good.count(plain, || format!("{}", String::from_utf8_lossy(&done.text)));
            }
        }
        all.finish(100.0)?;
        if file != "binary_mutations" {
            good.finish(100.0)?;
        }
    }
    Ok(())
}

/// Every listing is JSON and has every instruction once.
fn listing_law(folder: &Path) -> Result<(), Failed> {
    for file in ["modules_extracted", "binary_mutations"] {
        let mut score = Score::new(format!("{file} listing"));
        for r in records(folder, &format!("{file}.jsonl.gz")) {
            let words = le_words(&unhex(text(&r, "bin")));
            let (json, failures) = listing::json(&words, &dis::Options::default());
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(&json);
            let header_only = failures.first().is_some_and(|f| f.index == 0);
            let swapped = words.first() == Some(&asm::MAGIC.swap_bytes());
            let native: Vec<u32> = words.iter().map(|w| if swapped { w.swap_bytes() } else { *w }).collect();
            let expected = instructions::Instructions::new(&native).count();
            let listed = json.matches("{\"offset\":").count();
            let ok = parsed.is_ok() && (header_only || listed == expected);
            score.count(ok, || format!("{}: {listed} of {expected}: {json}", text(&r, "src")));
        }
        score.finish(100.0)?;
    }
    Ok(())
}
