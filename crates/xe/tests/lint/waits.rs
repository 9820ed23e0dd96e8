//! Waits: what compilers make has all that it needs.

use std::collections::BTreeMap;
use std::path::Path;

use isaglot_testing::{Failed, corpus};
use isaglot_xe::{Description, Platform, Xe};

pub(crate) fn compiled(folder: &Path) -> Result<(), Failed> {
    let description = Description::embedded().ok_or("no description")?;
    let (mut kernels, mut all) = (0, 0);
    let mut counts = BTreeMap::<(&str, &str), usize>::new();
    for platform in [Platform::XeHpg, Platform::XeHpc, Platform::Xe2, Platform::Xe3] {
        let mut xe = Xe::new(&description, platform).ok_or("no description")?;
        for path in corpus::files(&folder.join("kernels"), &format!(".{}.krn.gz", platform.id())) {
            let name = corpus::name(&path);
            if name.contains(".hand.") {
                continue;
            }
            let program = xe.program(&corpus::bytes(&path)?);
            let found = xe.lint(&program).map_err(|_| "too large")?;
            for f in found.iter().filter(|f| f.rule.is_about_waits()) {
                let count = counts.entry((platform.name(), f.rule.code())).or_default();
                *count += 1;
                if *count <= 12 {
                    println!(
                        "{name}: {} {:#x} {}: {}; {}",
                        f.rule.code(),
                        program.entries[f.at].pc,
                        f.place,
                        f.message,
                        f.remedy
                    );
                }
                all += 1;
            }
            kernels += 1;
        }
    }
    println!("waits: {kernels} kernels, {all} findings {counts:?}");
    assert!(kernels > 100 && all == 0);
    Ok(())
}
