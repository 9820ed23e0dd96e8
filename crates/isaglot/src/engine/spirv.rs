//! Answers about SPIR-V modules, as `isaglot spirv` and `isaglot list` give them.

use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use isaglot_spirv::{asm, dis};

use super::words::{TEXT, lossy};
use super::{Assembled, Text};
use crate::{Error, Problem};

/// What a module is called in messages.
const MODULE: &str = "<module>";

fn words(bytes: &[u8]) -> Result<Vec<u32>, Error> {
    let read = dis::read(bytes).map_err(|e| {
        let message = e.message(MODULE, bytes);
        Diagnostic::error("spirv-input", message.strip_prefix("error: ").unwrap_or(&message))
    });
    Ok(read?)
}

pub(super) fn disassemble(bytes: &[u8]) -> Result<Text, Error> {
    let found = dis::disassemble(&words(bytes)?, &dis::Options::default());
    let mut problems = Diagnostics::new();
    found.failures.iter().for_each(|f| problems.push(f.diagnostic(MODULE)));
    if problems.has_errors() {
        return Err(Error::new(SourceMap::new(), problems));
    }
    Ok(Text { text: lossy(&found.text), used: bytes.len(), problems: Problem::all(&SourceMap::new(), &problems) })
}

pub(super) fn assemble(text: &str) -> Result<Assembled, Error> {
    let done = asm::assemble_words(text.as_bytes(), &asm::Options::default());
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let file = files.add(TEXT, text.as_bytes());
    done.warnings.iter().for_each(|w| problems.push(w.diagnostic(file)));
    done.failures.iter().for_each(|f| problems.push(f.diagnostic(file)));
    if problems.has_errors() {
        return Err(Error::new(files, problems));
    }
    let bytes = asm::to_bytes(&done.words).into_owned();
    Ok(Assembled { bytes, warnings: Problem::all(&files, &problems) })
}

#[cfg(all(feature = "listing", feature = "spirv-listing"))]
pub(super) fn list(bytes: &[u8], options: super::ListOptions) -> Result<super::Listed, Error> {
    use isaglot_listing::write;
    use isaglot_spirv::list::{self, NoListing, Show};
    let show = Show { defs: options.defs, pc: options.pc, bits: options.bits };
    let made = list::list(&words(bytes)?, &dis::Options::default(), show);
    let (listing, failures) = made.map_err(|e| match e {
        NoListing::Header(failure) => Error::from(failure.diagnostic(MODULE)),
        NoListing::TooLarge => super::words::too_large(),
    })?;
    let mut problems = Diagnostics::new();
    failures.iter().for_each(|f| problems.push(f.diagnostic(MODULE)));
    Ok(super::Listed {
        json: lossy(&write::to_json(&listing, write::Style::default())),
        problems: Problem::all(&SourceMap::new(), &problems),
    })
}

#[cfg(all(feature = "listing", not(feature = "spirv-listing")))]
pub(super) fn list(_: &[u8], _: super::ListOptions) -> Result<super::Listed, Error> {
    let d = Diagnostic::error("cli-subject", "this build does not list SPIR-V");
    Err(d.note("it was built without the feature `spirv-listing`").into())
}
