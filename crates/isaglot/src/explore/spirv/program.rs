//! A module of SPIR-V: as text that is typed, with the words of each line, and as the listing of a file.

use isaglot_model::ByteOrder;
use isaglot_source::{Diagnostic, Diagnostics, FileId, SourceMap};
use isaglot_spirv::asm::{self, Assembly};
use isaglot_spirv::list::{self, NoListing, Show};
use isaglot_spirv::{dis, instructions};
use serde_json::{Value, json};

use super::apart::HEADER;
use crate::explore::limits::MAX_PROGRAM;
use crate::explore::list::{as_listing, as_text};
use crate::explore::typed::{NAME, answer, hex, pasted};

/// What a file is called in messages.
const FILE: &str = "the file";

/// Assembles a text; what is wrong with it goes to `problems`. A `line` that stands alone may use types that it does not define.
pub(super) fn assembled(text: &str, file: FileId, line: bool, problems: &mut Diagnostics) -> Assembly {
    let options = asm::Options {
        keep_going: true,
        map: true,
        documented: line,
        preserve_numeric_ids: line,
        ..asm::Options::default()
    };
    let done = asm::assemble(text.as_bytes(), &options);
    done.warnings.iter().for_each(|warning| problems.push(warning.diagnostic(file)));
    done.failures.iter().for_each(|failure| problems.push(failure.diagnostic(file)));
    done
}

/// What a text of several lines is: a dump of a module, or assembly.
pub(super) fn typed(source: &str) -> Value {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    if source.len() > MAX_PROGRAM {
        let d = Diagnostic::error("explore-size", format!("more than {MAX_PROGRAM} bytes of text"));
        return crate::explore::problem(&files, &d.into());
    }
    if let Some(bytes) = pasted(source, ByteOrder::Little) {
        return json!({ "kind": "program", "from": "dump", "bytes": hex(&bytes), "lines": [], "problems": [] });
    }
    let file = files.add(NAME, source.as_bytes());
    let done = assembled(source, file, false, &mut problems);
    if problems.has_errors() {
        return answer(&files, &problems, &[], Vec::new());
    }
    let bytes = asm::to_bytes(&done.words);
    let mut lines = Vec::new();
    for (index, &(place, from)) in done.map.iter().enumerate() {
        let to = done.map.get(index + 1).map_or(done.words.len(), |next| next.1 as usize);
        let Some(line) = files.get(file).map(|f| f.line_of(place as usize)) else { continue };
        let part = bytes.get(from as usize * 4..to * 4).unwrap_or_default();
        lines.push(json!([line, from as usize * 4, hex(part)]));
    }
    answer(&files, &problems, &bytes, lines)
}

/// The listing of a module: of the first bytes only, if that is wanted.
pub(super) fn list(bytes: &[u8], defs: bool, first: Option<usize>) -> String {
    let failed = |d: Diagnostic| crate::explore::problem(&SourceMap::new(), &d.into()).to_string();
    let mut words = match dis::read(bytes) {
        Ok(words) => words,
        Err(e) => {
            let message = e.message(FILE, bytes);
            return failed(Diagnostic::error("spirv-input", message.strip_prefix("error: ").unwrap_or(&message)));
        }
    };
    // The beginning ends between two instructions.
    let all = words.len();
    if let Some(room) = first.map(|first| first / 4).filter(|&room| room < all) {
        let ends = instructions::Instructions::new(&words).map(|one| one.offset + one.words.len());
        let end = ends.take_while(|&end| end <= room).last().unwrap_or(HEADER);
        words.truncate(end.max(HEADER));
    }
    let whole = words.len() == all;
    let options = dis::Options::default();
    let at = |defs| list::list(&words, &options, Show { defs, pc: true, bits: true });
    let made = match at(defs) {
        Err(NoListing::TooLarge) => at(false),
        made => made,
    };
    match made {
        Ok((listing, _)) => as_listing(&listing, whole),
        Err(NoListing::Header(failure)) => failed(failure.diagnostic(FILE)),
        Err(NoListing::TooLarge) => as_text(&dis::disassemble(&words, &options).text, whole),
    }
}
