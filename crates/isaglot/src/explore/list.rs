//! The listing of a program that a page is given as bytes: of an ELF file its code, of Intel Xe the kernels of a zebin, else the bytes
//! themselves; hexadecimal text is the bytes that it stands for.

use isaglot_asm::{Options, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_listing::tree::{Elem, Listing};
use isaglot_listing::write;
use isaglot_listing_build::{Options as ListOptions, Place, build_at};
use isaglot_source::{Diagnostics, SourceMap};
use serde_json::{Value, json};

use super::limits::MAX_LINES;
use crate::program;
use crate::spec::SubjectKind;

/// What a listing is to have.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// Definitions and uses.
    pub(super) defs: bool,
    /// Of the code only so many bytes.
    pub(super) first: Option<usize>,
}

impl Wanted {
    /// What of some code is wanted: the code, and whether that is all of it. What is left is wanted of the next code.
    fn cut<'b>(&mut self, code: &'b [u8]) -> (&'b [u8], bool) {
        let Some(room) = &mut self.first else { return (code, true) };
        let begun = code.get(..*room).unwrap_or(code);
        *room -= begun.len();
        (begun, begun.len() == code.len())
    }
}

/// The listing of a file: of an ELF file its code, by sections as text if it has several. Dataflow takes most of the time and is left
/// out without `defs`.
pub(super) fn listed(plan: &Plan<'_>, kind: SubjectKind, bytes: Vec<u8>, mut wanted: Wanted) -> String {
    let mut problems = Diagnostics::new();
    let parts = match program::parts("the file", bytes, kind, plan, (false, false), &mut problems) {
        Ok(parts) => parts,
        Err(d) => return super::problem(&SourceMap::new(), &d.into()).to_string(),
    };
    if let [part] = parts.as_slice() {
        let place = Place { address: part.address, entries: part.entries(plan) };
        let (code, whole) = wanted.cut(&part.bytes);
        return list(plan, code, &place, wanted.defs, whole);
    }
    let (mut text, mut all) = (Vec::new(), true);
    for part in &parts {
        let (code, whole) = wanted.cut(&part.bytes);
        all &= whole;
        if code.is_empty() {
            continue;
        }
        let section = part.section.as_deref().unwrap_or_default();
        text.extend_from_slice(format!("# {section} at {:#x}\n", part.address).as_bytes());
        let options = Options { labels: true, names: true, entries: part.entries(plan), ..Options::default() };
        let mut stream = Stream::new(plan, options, code.len() as u64);
        stream.mark(code);
        stream.feed(code, &mut Plain, &mut text);
    }
    as_text(&text, all)
}

/// The listing of a program, cut after the first lines. `whole`: the code is all of it.
fn list(plan: &Plan<'_>, code: &[u8], place: &Place, defs: bool, whole: bool) -> String {
    let options = ListOptions { defs, pc: true, bits: true };
    let at = |options| build_at(plan, code, place.clone(), options);
    match at(options).or_else(|_| at(ListOptions { defs: false, ..options })) {
        Ok(listing) => as_listing(&listing, whole),
        Err(_) => {
            let mut text = Vec::new();
            Stream::new(plan, Options::default(), code.len() as u64).feed(code, &mut Plain, &mut text);
            as_text(&text, whole)
        }
    }
}

/// The answer with a listing, cut after the first lines, on one line. It is written as `isaglot list` writes it: a value for each key of a large
/// program would take most of the time and of the memory.
pub(super) fn as_listing(listing: &Listing<'_>, whole: bool) -> String {
    let mut out = Vec::new();
    let mut element = Vec::new();
    out.extend_from_slice(format!(r#"{{"elements":{},"kind":"list","listing":"#, listing.elems.len()).as_bytes());
    write::begin(&mut element, &listing.version, &listing.platform);
    for (n, elem) in listing.elems.iter().take(MAX_LINES).enumerate() {
        on_one_line(&mut element, &mut out);
        match elem {
            Elem::L(label) => write::label(&mut element, label, n == 0),
            Elem::I(inst) => write::instruction(&mut element, inst, n == 0, write::Style::default()),
        }
    }
    write::end(&mut element, listing.elems.is_empty());
    on_one_line(&mut element, &mut out);
    out.extend_from_slice(format!(r#","whole":{whole}}}"#).as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

/// Moves JSON from one buffer to the other, without line ends and what indents lines. A text has none of its own: they are escaped.
fn on_one_line(from: &mut Vec<u8>, to: &mut Vec<u8>) {
    for line in from.split(|&byte| byte == b'\n') {
        to.extend_from_slice(line.trim_ascii_start());
    }
    from.clear();
}

pub(super) fn as_text(text: &[u8], whole: bool) -> String {
    let value: Value = json!({ "kind": "text", "text": String::from_utf8_lossy(text), "whole": whole });
    value.to_string()
}

/// The listing of a kernel of Intel Xe, cut after the first lines; several kernels, or one that is too large, as text.
#[cfg(feature = "xe")]
pub(super) fn kernels(xe: &mut isaglot_xe::Xe<'_>, bytes: Vec<u8>, mut wanted: Wanted) -> String {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let Some(kernels) = taken(xe, bytes, &mut files, &mut problems) else {
        return super::problem(&files, &problems).to_string();
    };
    let options = isaglot_xe::ListOptions {
        defs: wanted.defs,
        pc: true,
        bits: true,
        text: true,
        ..isaglot_xe::ListOptions::default()
    };
    if let [kernel] = kernels.as_slice() {
        let (code, whole) = wanted.cut(&kernel.bytes);
        let program = xe.program(code);
        if let Ok(listing) = xe.listing(&program, &options) {
            return as_listing(&listing, whole);
        }
    }
    let (mut text, mut all) = (Vec::new(), true);
    for kernel in kernels {
        let (code, whole) = wanted.cut(&kernel.bytes);
        all &= whole;
        if code.is_empty() && !whole {
            continue;
        }
        for line in kernel.about.iter().flat_map(program::zebin::About::lines) {
            text.extend_from_slice(format!("// {line}\n").as_bytes());
        }
        let program = xe.program(code);
        xe.print(&program, &isaglot_xe::TextOptions::default(), &mut text);
    }
    as_text(&text, all)
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
