//! A comparison with an assembler: texts without aliases first, then those that are aliases.

use isaglot_codec::Plan;
use isaglot_conform::choose::{Wanted, choose};
use isaglot_conform::tool::Tool;
use isaglot_conform::{Foreign, Report, Stage, Texts, round};
use isaglot_source::Diagnostic;

use super::process::Processes;
use crate::progress::Progress;

/// Asks. `plans` are the same without and with aliases; aliases are asked about, too, if wanted.
pub(super) fn compared(
    plans: [&Plan<'_>; 2],
    aliases_too: bool,
    tool: &Tool,
    wanted: Wanted,
) -> Result<Report, Diagnostic> {
    let mut processes = Processes;
    let mut assembler = Foreign::new(tool, plans[0], &mut processes)?;
    let mut progress = Progress::new("choosing words", "word");
    let choice = choose(plans[0], wanted);
    let mut all = Report::default();
    for texts in [Texts::Plain, Texts::Aliases] {
        if texts == Texts::Aliases && !aliases_too {
            continue;
        }
        let mut show = |stage| match stage {
            Stage::Ask(0, total) => {
                progress = Progress::new(format!("asking {}", tool.name), "text");
                progress.at(0, total);
            }
            Stage::Ask(done, total) => progress.at(done, total),
            Stage::Grow(asked) => progress.at_place(asked as u64, 0),
        };
        let found = round(plans, &choice, &mut assembler, tool.distance.as_deref(), &tool.rules, texts, &mut show)?;
        all.add(found);
    }
    Ok(all)
}
