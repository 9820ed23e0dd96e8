//! Every tool of this crate over arbitrary bytes: what fuzz targets and smoke tests call. Nothing here may panic.

use isaglot_asm::{Assembler, Compat, Names};
use isaglot_codec::Plan;
use isaglot_source::{Diagnostics, SourceMap, Span};

use crate::assembly::{self, Imports, Layout};
use crate::{Xlen, elf};

/// Assembles a source, and writes the program as an ELF file.
pub fn assembly(data: &[u8], plan: &Plan<'_>, imports: &mut dyn Imports) {
    let names = Names::default();
    let mut assembler = Assembler::new(plan, &names, Compat::default());
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let file = files.add("fuzz", data);
    let layout = Layout { base: 0x1_0000, page: elf::PAGE, list: true, ..Default::default() };
    let program = assembly::assemble(&mut assembler, imports, &mut files, file, &layout, &mut found);
    assert!(program.is_some() != found.has_errors(), "either a program or errors");
    for d in &found {
        assert!(d.labels.iter().all(|l| files.get(l.span.file).is_some()), "{} has no place", d.code);
    }
    if let Some(program) = program {
        let xlen = Xlen::of(plan.generation());
        let options = elf::Options { xlen, flags: 0, entry: 0x1_0000, arch: String::new() };
        assert!(elf::write(&program, &options).starts_with(b"\x7fELF"));
    }
}

/// Reads a tree of the Unified Database from one text, where a line `==> PATH` begins each file. Paths that begin with `overlay/`
/// are those of the overlay, and `config.yaml` is the configuration. What comes out is whole, or everything wrong has a place.
#[cfg(feature = "formats")]
pub fn udb(data: &[u8]) {
    use crate::formats::udb::{self, Folder, Sources};
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let (mut base, mut overlay, mut config) = (Folder::default(), Folder::default(), None);
    for (path, bytes) in parts(data) {
        match path.strip_prefix("overlay/") {
            Some(inner) => overlay.files.push((inner.to_owned(), bytes)),
            None if path == "config.yaml" => config = Some(bytes),
            None => base.files.push((path, bytes)),
        }
    }
    let configuration = config.and_then(|bytes| udb::configuration("config.yaml", bytes, &mut files, &mut found));
    let known = found.has_errors();
    let overlay = Some(overlay).filter(|o| !o.files.is_empty());
    let table = udb::load(Sources { base, overlay, configuration, details: true }, &mut files, &mut found);
    assert!(known || table.is_some() != found.has_errors(), "either a table or errors");
    for d in &found {
        assert!(
            !d.labels.is_empty() && d.labels.iter().all(|l| files.get(l.span.file).is_some()),
            "{d:?} has no place"
        );
    }
    for encoding in table.iter().flat_map(|t| &t.instructions).flat_map(|i| &i.encodings).flatten() {
        let mut taken = encoding.pattern.care().clone();
        for &bit in encoding.fields.iter().flat_map(|f| &f.bits).flatten() {
            assert!(bit < encoding.width && !taken.bit(bit), "fixed bits and fields do not overlap");
            taken.set_bit(bit, true);
        }
    }
}

/// Reads declarations and, after a line `---`, the text of an instruction in IDL; gives how many register widths it was lowered
/// for. What is lowered is a sound text of the semantics language.
#[cfg(feature = "formats")]
pub fn idl(text: &str) -> usize {
    use crate::formats::idl::{self, DecodeField, Place, Program, Target};
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let place = Place::plain(files.add("fuzz", text.as_bytes()), 0);
    let (head, body) = text.split_once("\n---\n").unwrap_or(("", text));
    let declarations = idl::declarations(&place, head, &mut found);
    let mut program = Program::prelude();
    program.extend(&declarations);
    idl::check_declarations(&program, &declarations, &mut found);
    let body = idl::statements(&place, body, &mut found);
    let fields = [("xd", 5, false), ("xs1", 5, false), ("xs2", 5, false), ("imm", 12, true), ("shamt", 6, false)];
    idl::check(&program, &fields.map(|(name, _, signed)| (name, signed)), &body, &mut found);
    for d in &found {
        assert!(d.labels.iter().all(|l| files.get(l.span.file).is_some()), "{} has no place", d.code);
    }
    let mut lowered = 0;
    for xlen in [Xlen::Rv32, Xlen::Rv64] {
        let list = fields.map(|(name, width, signed)| DecodeField {
            name: name.to_owned(),
            width,
            signed,
            number: name.to_owned(),
        });
        let Ok(made) = idl::lower(&program, &Target::user(xlen), &list, &body) else { continue };
        lowered += 1;
        let env = idl::environment(xlen.bits(), &list, &made.traps);
        let mut wrong = Diagnostics::new();
        let file = files.add("lowered", made.text.as_bytes());
        let tree = isaglot_semantics::parse(file, 0, &made.text, &mut wrong);
        let _ = tree.and_then(|tree| isaglot_semantics::check(&tree, &env, &mut wrong));
        let said: Vec<&str> = wrong.iter().map(|d| d.message.as_str()).collect();
        assert!(said.is_empty(), "{text}\n{}\n{}", made.text, said.join("\n"));
    }
    lowered
}

/// Reads a tree of riscv-opcodes from one text, as [`udb`] does, and does with it all that there is to do.
#[cfg(feature = "formats")]
pub fn opcodes(data: &[u8]) {
    use crate::formats::check::{OPCODES, check};
    use crate::formats::compare::{compare, rules::Rules};
    use crate::formats::opcodes::{self, dict};
    let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
    let all = opcodes::load(&mut files, &parts(data), &mut found);
    let table = opcodes::table::table(&all);
    let rules = Rules::shipped();
    check(&table, OPCODES, &rules, &mut found);
    for choice in [dict::Choice::default(), dict::Choice { unratified: true, pseudo: true }] {
        dict::dict(&all, choice);
    }
    for d in &found {
        assert!(d.labels.iter().all(|l| files.get(l.span.file).is_some()), "{d:?} has no place");
    }
    for encoding in table.instructions.iter().flat_map(|i| &i.encodings).flatten() {
        let mut taken = encoding.pattern.care().clone();
        for &bit in encoding.fields.iter().flat_map(|f| &f.bits).flatten() {
            assert!(bit < encoding.width && !taken.bit(bit), "fixed bits and arguments do not overlap");
            taken.set_bit(bit, true);
        }
    }
    assert!(compare(&[&table, &table], &rules).classes.is_empty(), "a table differs from itself");
}

/// The files of a text with lines `==> PATH`.
#[cfg(feature = "formats")]
fn parts(data: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in data.split_inclusive(|&b| b == b'\n') {
        match (line.strip_prefix(b"==> "), files.last_mut()) {
            (Some(path), _) => files.push((String::from_utf8_lossy(path).trim_end().to_owned(), Vec::new())),
            (None, Some((_, bytes))) => bytes.extend_from_slice(line),
            (None, None) => {}
        }
    }
    files
}

/// Reads a table of operands for both styles of texts, and makes a description of a few instructions with it. What comes out is
/// a model, or everything wrong has a place.
#[cfg(feature = "formats")]
pub fn operands(text: &str) {
    use crate::formats::lower::{self, operands, xml};
    use crate::formats::opcodes;
    const TREE: &str = include_str!("oracle/operands-tree.txt");
    for style in ["llvm", "gnu"] {
        let (mut files, mut found) = (SourceMap::new(), Diagnostics::new());
        let all = opcodes::load(&mut files, &parts(TREE.as_bytes()), &mut found);
        let table = opcodes::table::table(&all);
        let mut read = |name: &str| {
            let file = isaglot_specs::RISCV_FORMATS.iter().find(|(known, _)| name.ends_with(known));
            file.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| "no such file".to_owned())
        };
        let base = isaglot_isaspec::load_sources(&mut files, "formats.xml", &mut read, &mut found);
        assert!(base.is_some() && !found.has_errors(), "instructions and base are sound");
        let id = files.add("formats.operands", text.as_bytes());
        let table_of_operands = operands::read(id, text, style, &mut found);
        let tree = lower::tree(&table, &table_of_operands, &|_| None, &mut found);
        xml::write(&tree, "");
        let model = base.and_then(|base| lower::lower(&table, &table_of_operands, base, &|_| None, &mut found));
        assert!(model.is_some() || found.has_errors(), "either a model or errors");
        for d in &found {
            let sound = |span: Span| {
                files.get(span.file).is_some() && files.slice(span).len() == (span.end - span.start) as usize
            };
            assert!(d.labels.iter().all(|l| sound(l.span)), "{d:?} has no place");
        }
    }
}
