//! Division and square root in double precision, as compilers expand them: `data/fp64.asm`.

use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::{Failed, Tally};
use isaglot_xe::platform::ALL;
use isaglot_xe::{Compaction, Description, Platform, TextOptions, Xe};

use super::iga;

const SOURCE: &str = include_str!("../data/fp64.asm");

/// The lines that a machine has: `madm` came with Xe HP, its short forms are those of Xe HPC.
fn source(platform: Platform) -> String {
    let has = |line: &&str| platform != Platform::Xe || !line.contains("madm");
    SOURCE.lines().filter(has).fold(String::new(), |all, line| all + line + "\n")
}

fn assembled(xe: &mut Xe<'_>, text: &[u8], compaction: Compaction) -> Result<Vec<u8>, String> {
    let mut problems = Diagnostics::new();
    let bytes = xe.assemble(FileId(0), text, compaction, &mut problems);
    bytes.ok_or_else(|| format!("{:?}", problems.iter().next()))
}

/// Word, text, word, in both forms.
pub(crate) fn there_and_back() -> Result<(), Failed> {
    let description = Description::embedded().ok_or("no description")?;
    let mut tally = Tally::default();
    for platform in ALL {
        let mut xe = Xe::new(&description, platform).ok_or("no machine")?;
        for compaction in [Compaction::Off, Compaction::Auto] {
            let bytes = assembled(&mut xe, source(platform).as_bytes(), compaction)?;
            let program = xe.program(&bytes);
            let short = program.entries.iter().filter(|e| e.short).count();
            println!("{}: {} instructions, {short} of them short", platform.name(), program.entries.len());
            let mut text = Vec::new();
            xe.print(&program, &TextOptions::default(), &mut text);
            let again = assembled(&mut xe, &text, Compaction::Marked);
            tally.check(platform.name(), format!("{compaction:?}"), again == Ok(bytes), || format!("{again:x?}"));
        }
    }
    Ok(tally.all_pass("fp64")?)
}

/// The same bytes.
pub(crate) fn beside_iga64() -> Result<(), Failed> {
    let description = Description::embedded().ok_or("no description")?;
    let mut tally = Tally::default();
    for platform in iga::PLATFORMS {
        let mut xe = Xe::new(&description, platform).ok_or("no machine")?;
        let source = source(platform);
        for (compact, compaction) in [(false, Compaction::Marked), (true, Compaction::Auto)] {
            let mine = assembled(&mut xe, source.as_bytes(), compaction)?;
            let theirs = iga::assemble(platform, source.as_bytes(), compact)?;
            tally.check(platform.name(), format!("{compaction:?}"), mine == theirs, || {
                format!("{mine:x?}, {theirs:x?}")
            });
        }
    }
    Ok(tally.all_pass("fp64 beside iga64")?)
}
