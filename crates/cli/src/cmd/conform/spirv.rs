//! A comparison of the SPIR-V grammar with SPIRV-Tools.

use isaglot_conform::spirv::{Assembling, Disassembling, Spirv, choose, round};
use isaglot_conform::tool::Tool;
use isaglot_conform::{Report, Stage, run};
use isaglot_source::{Diagnostic, Diagnostics, Severity, counted};

use super::process::Processes;
use crate::progress::Progress;

/// Asks. The names that the tool does not know are counted in `out`, or told.
pub(super) fn compared(tool: &Tool, names_too: bool, out: &mut Diagnostics) -> Result<Report, Diagnostic> {
    let mut subject = Spirv::new();
    let mut processes = Processes;
    let mut progress = Progress::new("choosing words", "word");
    let choice = choose(&subject);
    progress.at(0, choice.words.len());
    let mut show = |stage| {
        if let Stage::Ask(done, total) = stage {
            if done == 0 {
                progress = Progress::new(format!("asking {}", tool.name), "word");
            }
            progress.at(done, total);
        }
    };
    let (report, unknown) = if tool.assemble.is_some() {
        let mut theirs = Assembling::new(tool, &subject, &mut processes)?;
        let unknown = theirs.learn(&choice.words)?;
        (round(&mut subject, &choice, &mut theirs, &mut show)?, unknown)
    } else {
        let mut theirs = Disassembling::new(tool, &subject, &mut processes)?;
        let unknown = theirs.learn(&choice.words)?;
        (run(&mut subject, &choice, &mut theirs, &tool.rules, &mut show)?, unknown)
    };
    if !unknown.is_empty() {
        let names = counted(unknown.len(), "name");
        let message = format!("`{}` says that it does not know {names} of the grammar", tool.name);
        let d = Diagnostic::new(Severity::Note, "conform-unknown", message);
        let d = d.note("what uses them is not asked about: a tool may be older than the grammar");
        out.push(if names_too { d.note(unknown.join(", ")) } else { d.note("`--notes` lists them") });
    }
    Ok(report)
}
