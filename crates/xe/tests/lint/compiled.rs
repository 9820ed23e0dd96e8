//! Kernels that compilers made: they keep every rule, and have every wait that they need.

use std::path::Path;

use isaglot_testing::{Failed, corpus};
use isaglot_xe::stream::Program;
use isaglot_xe::{Description, Platform, Xe};

/// Calls `each` for every compiled kernel of the corpus with its machine and name; how many there are.
pub(crate) fn kernels(
    folder: &Path,
    mut each: impl FnMut(&mut Xe<'_>, &str, &Program) -> Result<(), Failed>,
) -> Result<usize, Failed> {
    let description = Description::embedded().ok_or("no description")?;
    let mut count = 0;
    for platform in [Platform::XeHpg, Platform::XeHpc, Platform::Xe2, Platform::Xe3] {
        let mut xe = Xe::new(&description, platform).ok_or("no description")?;
        for path in corpus::files(&folder.join("kernels"), &format!(".{}.krn.gz", platform.id())) {
            let name = corpus::name(&path);
            // Written by hand, not compiled.
            if name.contains(".hand.") {
                continue;
            }
            let program = xe.program(&corpus::bytes(&path)?);
            each(&mut xe, &name, &program)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Nothing is found, neither of operands nor of waits.
pub(crate) fn are_clean(folder: &Path) -> Result<(), Failed> {
    let mut all = 0;
    let count = kernels(folder, |xe, name, program| {
        let found = xe.lint(program).map_err(|_| "too large")?;
        for f in &found {
            println!(
                "{name}: {:#x} {}: {} {}; {}",
                program.entries[f.at].pc,
                f.place,
                f.rule.code(),
                f.message,
                f.remedy
            );
        }
        all += found.len();
        Ok(())
    })?;
    println!("compiled kernels: {count}, {all} findings");
    assert!(count > 100 && all == 0);
    Ok(())
}
