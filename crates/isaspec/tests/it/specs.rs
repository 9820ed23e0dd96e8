//! The descriptions under `specs/` that are written by hand to show every extension: they load without a diagnostic, their
//! programs read as expected, and the model has the operands, flow and widths that they state.
//!
//! `BLESS=1` writes the goldens: `specs/NAME/PROGRAM.txt`, the text with labels, and `tests/golden/NAME.txt`, the model.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use isaglot_asm::{Options, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_isaspec as isaspec;
use isaglot_model::{Condition, Encoding, FieldSource, Flow, Isa, OperandKind, Piece, RegisterFileId};
use isaglot_source::{Diagnostics, SourceMap, render};
use isaglot_testing::bless;

/// A description, the gen that its program is for, and the program.
const PROGRAMS: [(&str, u32, &str); 2] = [("minnow", 0, "sum"), ("trio", 0, "dot")];

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs").join(name)
}

fn load(name: &str) -> Isa {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let mut read = |path: &str| std::fs::read(path).map_err(|e| e.to_string());
    let top = directory(name).join(format!("{name}.xml"));
    let isa = isaspec::load(&mut files, &top.to_string_lossy(), &mut read, &mut out);
    let problems: String = out.iter().map(|d| render::text(&files, d, false)).collect();
    assert!(problems.is_empty(), "{problems}");
    isa.expect("no problems, so there is a model")
}

fn same_as_golden(path: &Path, text: &str) {
    bless::golden(path, text).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn programs_read_as_expected() {
    for (name, generation, program) in PROGRAMS {
        let isa = load(name);
        let bytes = std::fs::read(directory(name).join(format!("{program}.bin"))).expect("the program is there");
        let plan = Plan::new(&isa, generation);
        let options = Options { labels: true, ..Options::default() };
        let mut stream = Stream::new(&plan, options, bytes.len() as u64);
        let mut text = Vec::new();
        stream.mark(&bytes);
        assert_eq!(stream.feed(&bytes, &mut Plain, &mut text), bytes.len(), "the program is whole instructions");
        same_as_golden(&directory(name).join(format!("{program}.txt")), &String::from_utf8_lossy(&text));
    }
}

/// What the extensions say about one encoding, a line each.
fn describe(isa: &Isa, e: &Encoding, text: &mut String) -> std::fmt::Result {
    let (name, gens) = (isa.text(e.name), e.gens);
    writeln!(text, "{name} ({}): {} bits, gens {}..{}", isa.text(isa[e.space].name), e.width, gens.min, gens.max)?;
    if let Condition::Feature(f) = e.condition {
        writeln!(text, "  needs {}", isa[f].name)?;
    }
    for field in e.cases.iter().flat_map(|c| &c.fields) {
        let FieldSource::Bits(pieces) = &field.source else { continue };
        let piece = |p: &Piece| match *p {
            Piece::Bits(r) => format!("{}:{}", r.end() - 1, r.lo),
            Piece::Implied { width, value } => format!("0b{value:0width$b}", width = width as usize),
        };
        let pieces: Vec<String> = pieces.iter().map(piece).collect();
        writeln!(text, "  field {} = {}", isa.text(field.name), pieces.join(" "))?;
    }
    for operand in &e.operands {
        let file = |id: RegisterFileId| &isa[id].name;
        let what = match operand.kind {
            OperandKind::Register(n, f) => format!("register {} of {}", isa.text(n), file(f)),
            OperandKind::Memory(n, f) => format!("memory at {} of {}", isa.text(n), file(f)),
            OperandKind::Implicit(f, n) => {
                let register = isa[f].names.get(n as usize).and_then(Option::as_deref);
                format!("implicit {} of {}", register.unwrap_or("?"), file(f))
            }
            OperandKind::Computed(expr, f) => format!("register {} of {}", isa[expr].text, file(f)),
            OperandKind::Part(n) => format!("part {}", isa.text(n)),
            OperandKind::Immediate(n) => format!("immediate {}", isa.text(n)),
            OperandKind::Label(n) => format!("label {}", isa.text(n)),
        };
        writeln!(text, "  {what}: {:?} x{}", operand.access, operand.count)?;
    }
    match e.flow {
        Flow::Next => Ok(()),
        Flow::Branch { target, conditional } => {
            writeln!(text, "  flow: branch to {}, conditional {conditional}", isa.text(target))
        }
        Flow::Call { target } => writeln!(text, "  flow: call of {}", isa.text(target)),
        other => writeln!(text, "  flow: {other:?}"),
    }
}

#[test]
fn models_are_as_stated() {
    for (name, _, _) in PROGRAMS {
        let isa = load(name);
        let mut text = String::new();
        let format = isa.format();
        let lengths: Vec<u32> = format.lengths.iter().map(|l| l.bits).collect();
        let (parcel, max) = (format.parcel_bits, format.max_bits);
        writeln!(text, "{}: parcels of {parcel}, up to {max}, lengths {lengths:?}", isa.name()).expect("text");
        for e in isa.encodings() {
            describe(&isa, e, &mut text).expect("text");
        }
        same_as_golden(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.txt")), &text);
    }
}
