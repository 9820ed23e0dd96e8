//! The listing of a program that a page is given as bytes: of an ELF file its code, of Intel Xe the kernels of a zebin, else the bytes
//! themselves; hexadecimal text is the bytes that it stands for.

use isaglot_asm::{Options, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_listing_build::{Options as ListOptions, Place, build_at};
use isaglot_source::{Diagnostics, SourceMap, render};
use serde_json::{Value, json};

use super::limits::MAX_LINES;
use crate::program;
use crate::spec::SubjectKind;

/// The listing of a file: of an ELF file its code, by sections as text if it has several. Dataflow takes most of the time and is left
/// out without `defs`.
pub(super) fn listed(plan: &Plan<'_>, kind: SubjectKind, bytes: Vec<u8>, defs: bool) -> Value {
    let mut problems = Diagnostics::new();
    let parts = match program::parts("the file", bytes, kind, plan, (false, false), &mut problems) {
        Ok(parts) => parts,
        Err(d) => return json!({ "kind": "error", "message": render::text(&SourceMap::new(), &d, false) }),
    };
    if let [part] = parts.as_slice() {
        let place = Place { address: part.address, entries: part.entries(plan) };
        return list(plan, &part.bytes, &place, defs);
    }
    let mut text = Vec::new();
    for part in &parts {
        let section = part.section.as_deref().unwrap_or_default();
        text.extend_from_slice(format!("# {section} at {:#x}\n", part.address).as_bytes());
        let options = Options { labels: true, names: true, entries: part.entries(plan), ..Options::default() };
        let mut stream = Stream::new(plan, options, part.bytes.len() as u64);
        stream.mark(&part.bytes);
        stream.feed(&part.bytes, &mut Plain, &mut text);
    }
    json!({ "kind": "text", "text": String::from_utf8_lossy(&text) })
}

/// The listing of a program, cut after the first lines.
fn list(plan: &Plan<'_>, bytes: &[u8], place: &Place, defs: bool) -> Value {
    let options = ListOptions { defs, pc: true, bits: true };
    let at = |options| build_at(plan, bytes, place.clone(), options);
    let built = at(options).or_else(|_| at(ListOptions { defs: false, ..options }));
    match built {
        Ok(mut listing) => {
            let whole = listing.elems.len();
            listing.elems.truncate(MAX_LINES);
            json!({ "kind": "list", "elements": whole, "listing": listing })
        }
        Err(_) => {
            let mut text = Vec::new();
            Stream::new(plan, Options::default(), bytes.len() as u64).feed(bytes, &mut Plain, &mut text);
            json!({ "kind": "text", "text": String::from_utf8_lossy(&text) })
        }
    }
}

/// The listing of a kernel of Intel Xe, cut after the first lines; several kernels, or one that is too large, as text.
#[cfg(feature = "xe")]
pub(super) fn kernels(xe: &mut isaglot_xe::Xe<'_>, bytes: Vec<u8>, defs: bool) -> Value {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let Some(kernels) = taken(xe, bytes, &mut files, &mut problems) else { return super::problem(&files, &problems) };
    let options =
        isaglot_xe::ListOptions { defs, pc: true, bits: true, text: true, ..isaglot_xe::ListOptions::default() };
    if let [kernel] = kernels.as_slice() {
        let program = xe.program(&kernel.bytes);
        if let Ok(mut listing) = xe.listing(&program, &options) {
            let whole = listing.elems.len();
            listing.elems.truncate(MAX_LINES);
            return json!({ "kind": "list", "elements": whole, "listing": listing });
        }
    }
    let mut text = Vec::new();
    for kernel in kernels {
        for line in kernel.about.iter().flat_map(program::zebin::About::lines) {
            text.extend_from_slice(format!("// {line}\n").as_bytes());
        }
        let program = xe.program(&kernel.bytes);
        xe.print(&program, &isaglot_xe::TextOptions::default(), &mut text);
    }
    json!({ "kind": "text", "text": String::from_utf8_lossy(&text) })
}

/// The kernels of a zebin, of hexadecimal text, of a JSON listing, or the bytes as one.
#[cfg(feature = "xe")]
fn taken(
    xe: &mut isaglot_xe::Xe<'_>,
    bytes: Vec<u8>,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<Vec<program::zebin::Kernel>> {
    const NAME: &str = "the file";
    let one = |bytes| Some(vec![program::zebin::Kernel { section: None, about: None, bytes, labels: Vec::new() }]);
    if bytes.starts_with(program::ELF) || bytes.starts_with(program::ARCHIVE) {
        let found = program::zebin::kernels(&bytes, NAME, xe.platform, problems);
        return problems.ok(found);
    }
    if program::is_hex(&bytes) {
        return problems.ok(program::from_text(NAME, bytes, true, &mut Diagnostics::new())).and_then(one);
    }
    // No instruction begins with these bytes, and kernels are not text.
    if bytes.trim_ascii_start().starts_with(b"{") && std::str::from_utf8(&bytes).is_ok() {
        let file = files.add(NAME, bytes.as_slice());
        return match isaglot_listing::read(file, &bytes) {
            Ok(listing) => xe.assemble_listing(file, &listing, problems).and_then(one),
            Err(all) => {
                problems.append(all);
                None
            }
        };
    }
    one(bytes)
}
