//! What must hold for every input, as functions that tests and fuzz targets call. Behind the feature `oracle`.

use isaglot_codec::Plan;
use isaglot_source::{Diagnostics, SourceMap};

use crate::assemble::source;
use crate::{Assembler, Compat, Names, Options, Plain, Stream};

/// Disassembles any bytes twice: with labels as one stream, and without labels instruction by instruction. Both must use
/// the same bytes, leave less than one instruction, and end every line.
///
/// # Panics
/// If that does not hold.
pub fn disassemble(plan: &Plan<'_>, bytes: &[u8]) {
    let (mut whole, mut single) = (Vec::new(), Vec::new());
    let mut stream = Stream::new(plan, Options { labels: true, ..Options::default() }, bytes.len() as u64);
    stream.mark(bytes);
    let used = stream.feed(bytes, &mut Plain, &mut whole);
    let mut stream = Stream::new(plan, Options { show_errors: false, ..Options::default() }, 0);
    let mut at = 0;
    while let Some(size) = stream.step(&bytes[at..], &mut Plain, &mut single) {
        at += size;
    }
    assert_eq!(at, used, "the same instructions");
    let most = (plan.isa().format().max_bits / 8) as usize;
    assert!(used <= bytes.len() && bytes.len() - used < most, "less than an instruction is left");
    assert!([&whole, &single].into_iter().all(|text| text.last().is_none_or(|&end| end == b'\n')), "whole lines");
}

/// Assembles any bytes as a source. There must be a program exactly if there is no error, every error must have a place
/// in the source, and every statement must lie inside its section.
///
/// # Panics
/// If that does not hold.
pub fn assemble(plan: &Plan<'_>, text: &[u8]) {
    let names = Names::default();
    let mut assembler = Assembler::new(plan, &names, Compat::default());
    let mut files = SourceMap::new();
    let file = files.add("fuzz", text);
    let mut out = Diagnostics::new();
    let image = source::assemble(&mut assembler, file, text, true, &mut out);
    hold(image, &out, text);
    // The same bytes as a file for computerator, whether or not they look like one.
    let mut out = Diagnostics::new();
    let setup = source::Setup { list: true, ..source::Setup::default() };
    let program = crate::computerator::assemble(&mut assembler, &mut files, file, &setup, &mut out);
    hold(program.map(|program| program.image), &out, text);
}

/// What must hold for a program and its problems.
fn hold(image: Option<source::Image>, out: &Diagnostics, text: &[u8]) {
    assert_eq!(image.is_none(), out.has_errors(), "errors exactly if there is no program");
    for problem in out {
        let placed = problem.span().is_none_or(|span| span.start <= span.end && span.end as usize <= text.len());
        assert!(placed, "`{}` stands outside of the source", problem.message);
    }
    if let Some(image) = &image {
        for listed in &image.listed {
            let section = image.sections.get(listed.section as usize);
            let inside = section.is_some_and(|section| listed.end <= section.bytes.len() as u64);
            assert!(inside, "a statement outside of its section");
        }
    }
}

/// Disassembles bytes, a whole number of instructions, and assembles the text: `true` if the same bytes came out, `false` if
/// there was an error.
///
/// # Errors
/// If other bytes came out, and nothing was said: what was printed.
pub fn there_and_back(
    assembler: &mut Assembler<'_, '_>,
    bytes: &[u8],
    labels: bool,
    strict: bool,
) -> Result<bool, String> {
    let mut text = Vec::new();
    let mut stream = Stream::new(assembler.plan(), Options { labels, ..Options::default() }, bytes.len() as u64);
    stream.mark(bytes);
    stream.feed(bytes, &mut Plain, &mut text);
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let file = files.add("text", text.as_slice());
    let setup = source::Setup { strict, ..source::Setup::default() };
    match source::assemble_with(assembler, file, &text, &setup, &mut out) {
        None => Ok(false),
        Some(image) if image.bytes() == bytes => Ok(true),
        Some(image) => Err(format!("{:02x?} became {:02x?} through\n{}", bytes, image.bytes(), text.escape_ascii())),
    }
}
