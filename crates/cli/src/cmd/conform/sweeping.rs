//! All words of instructions that are too long to be asked about at once: one step after the other, with the state in a file, so that an
//! interrupted comparison goes on where it was.

use std::path::Path;
use std::time::{Duration, Instant};

use isaglot_conform::choose::{Wanted, lengths};
use isaglot_conform::tool::Tool;
use isaglot_conform::{Foreign, Ours, Report, Sweep};
use isaglot_model::compiled;
use isaglot_source::Diagnostic;
use sha2::{Digest as _, Sha256};

use super::process::Processes;
use crate::progress::Progress;

/// The time between two writings of the state.
const PACE: Duration = Duration::from_secs(5);

/// Asks, from the state in the file on if there is one.
pub(super) fn compared(mut ours: Ours<'_, '_>, tool: &Tool, wanted: Wanted, file: &Path) -> Result<Report, Diagnostic> {
    let plan = ours.plan();
    let mut processes = Processes;
    let mut theirs = Foreign::new(tool, plan, &mut processes)?;
    let lengths: Vec<u32> =
        lengths(plan).into_iter().filter(|bits| wanted.bits.is_none_or(|only| only == *bits)).collect();
    let about = about(&ours, tool);
    let mut sweep = match file.exists() {
        true => {
            let text = crate::io::read_text(Some(file))?;
            let state = Sweep::read(&String::from_utf8_lossy(&text), &about, &lengths);
            state.map_err(|d| d.note(format!("the file is {}", file.display())))?
        }
        false => Sweep::new(about, &lengths),
    };
    let save = |sweep: &Sweep| crate::io::write(Some(file), false, sweep.to_text().as_bytes());
    let mut progress = Progress::new(format!("asking {}", tool.name), "word");
    let mut saved = Instant::now();
    while !sweep.is_done() {
        let (done, total) = sweep.place();
        progress.at_place(done, total);
        sweep.step(&mut ours, &mut theirs, &tool.rules)?;
        if saved.elapsed() >= PACE || sweep.is_done() {
            save(&sweep)?;
            saved = Instant::now();
        }
    }
    sweep.report(&mut ours, &mut theirs, &tool.rules)
}

/// What is compared, as a number that is another one for another description, choice of its gens, features and texts, or tool, and for another isaglot.
fn about(ours: &Ours<'_, '_>, tool: &Tool) -> String {
    let plan = ours.plan();
    let mut hash = Sha256::new();
    hash.update(compiled::to_bytes(&compiled::Header::default(), plan.isa()));
    hash.update(plan.generation().to_le_bytes());
    plan.features().for_each(|feature| hash.update(feature.0.to_le_bytes()));
    hash.update([u8::from(ours.is_reading()), u8::from(plan.aliases())]);
    hash.update(env!("CARGO_PKG_VERSION"));
    // All properties of the tool, with the rules and the command of the command line.
    hash.update(format!("{tool:?}"));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
