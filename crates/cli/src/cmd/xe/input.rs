//! Kernels out of whatever holds them: a zebin (Intel's ELF container), hexadecimal text, assembly text, a JSON listing,
//! or raw bytes.

use std::io::Read;
use std::path::Path;

use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use isaglot_xe::zebin::Target;
use isaglot_xe::{Compaction, Xe};

use super::Input;
use crate::io::{input_name, open, read};
use crate::load::{Source, Spec};
use crate::names;
pub(crate) use crate::program::zebin::Kernel;
use crate::program::{self, ARCHIVE, ELF, zebin};

/// Reads the kernels of a file that holds `bytes`. Problems are added to `problems`; `None` if one is an error.
pub(crate) fn kernels(
    input: Input<'_>,
    bytes: Vec<u8>,
    xe: &mut Xe<'_>,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<Vec<Kernel>> {
    let Input { platform, path, hex, binary } = input;
    let named = |bytes, labels| Some(vec![Kernel { section: None, about: None, bytes, labels }]);
    let one = |bytes| named(bytes, Vec::new());
    if binary {
        return one(bytes);
    }
    if bytes.starts_with(ELF) || bytes.starts_with(ARCHIVE) {
        let found = zebin::kernels(&bytes, &input_name(path), platform, problems);
        return problems.ok(found);
    }
    let is_asm = path.is_some_and(is_assembly);
    if hex || (!is_asm && program::is_hex(&bytes)) {
        return problems.ok(program::from_text(&input_name(path), bytes, true, &mut Diagnostics::new())).and_then(one);
    }
    if is_asm || is_json(&bytes) {
        let file = files.add(input_name(path), bytes.as_slice());
        if is_asm {
            let made = xe.assemble_named(file, &bytes, Compaction::Marked, problems)?;
            return named(made.bytes, made.labels);
        }
        return super::asm::listed(xe, file, &bytes, problems).and_then(one);
    }
    one(bytes)
}

/// Whether a file is assembly text, by its name.
pub(super) fn is_assembly(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.to_string_lossy().starts_with("asm"))
}

/// What the options say; if they name no description and the input is a file of kernels, it is the machine that this names.
pub(crate) fn described(spec: Spec, path: Option<&Path>) -> Result<Spec, Diagnostic> {
    let Some(path) = path.filter(|p| matches!(spec.source, Source::Input) && p.as_os_str() != "-") else {
        return Ok(spec);
    };
    let mut head = Vec::new();
    let name = input_name(Some(path));
    let taken = open(Some(path))?.take(zebin::HEAD as u64).read_to_end(&mut head);
    taken.map_err(|e| crate::io::unreadable(&name, &e))?;
    if !zebin::is_zebin(&head) && !head.starts_with(ARCHIVE) {
        return Ok(spec);
    }
    let what = match zebin::targets(&read(Some(path))?, &name)?.as_slice() {
        [Target::Known(found)] => return Ok(Spec { source: Source::Name(names::of(*found).to_owned()), ..spec }),
        [Target::Other(what)] => format!("it names {what}, which is not known"),
        [] | [Target::Silent] => "it does not say for which one".to_owned(),
        several => format!("it is for {} of them", several.len()),
    };
    let d = Diagnostic::error("xe-platform", format!("{name}: a file for Intel GPUs; {what}"));
    Err(d.note(format!("choose one with `--isa`: {}", names::machines())))
}

/// Whether a file is a JSON listing. No instruction begins with these bytes, and kernels are not text.
fn is_json(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{") && std::str::from_utf8(bytes).is_ok()
}
