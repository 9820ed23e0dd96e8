//! Machines of the shipped descriptions: programs with what must be so after them, random ones in both ways, and RISC-V beside the hart.

mod beside_hart;
mod programs;
mod smoke;

use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap};

/// A shipped description, the top file first.
fn isa(files: &[(&str, &str)]) -> Isa {
    let mut read = |name: &str| {
        let found = files.iter().find(|file| file.0 == name);
        found.map(|file| file.1.as_bytes().to_vec()).ok_or_else(|| "there is no such file".to_owned())
    };
    let mut problems = Diagnostics::new();
    let isa = isaglot_isaspec::load(&mut SourceMap::new(), files[0].0, &mut read, &mut problems);
    isa.unwrap_or_else(|| panic!("{}: {:?}", files[0].0, problems.iter().map(|d| &d.message).collect::<Vec<_>>()))
}
