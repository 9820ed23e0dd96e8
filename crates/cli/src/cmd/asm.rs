//! `isaglot asm`: text to bytes.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use isaglot::text;
use isaglot_asm::Assembler;
use isaglot_asm::assemble::source::{self, Image, Section, Setup};
use isaglot_asm::computerator::{Header, HeaderOption, HeaderValue};
use isaglot_codec::Plan;
use isaglot_invariant::impossible;
use isaglot_model::FeatureId;
use isaglot_riscv::assembly::{self, Program, Symbol};
use isaglot_riscv::{Xlen, elf, isa_name};
use isaglot_source::{Diagnostic, Diagnostics, FileId, closest};
use isaglot_xe::Compaction;
use isaglot_xintf::assembly::Interfaces;
use serde_json::{Value, json};

use super::xe;
use crate::args::{OutputArgs, SpecArgs, TextArgs, parse_address};
use crate::interrupt::Stage;
use crate::io::{Output, input_name, read_text};
use crate::load::{Chosen, read_names};
use crate::schema;
use crate::session::{EXIT_INPUT, Session};
use crate::subject::{CHOICES, DESCRIPTIONS, GEN, Only, Subject, SubjectKind, WORDS, refusal};

/// Assemble a program to a raw binary, or for RISC-V to an executable ELF file.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot asm --isa rv64gc program.s -o program.elf
  isaglot asm --spec my.xml --list specs/minnow/sum.txt
  echo 'add a0, a1, a2' | isaglot asm --isa rv64gc -o add.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    /// The source (for Intel Xe also a JSON listing); standard input if it is missing or `-`.
    input: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    /// What is written: the bytes alone, or an executable ELF file (RISC-V). ELF if the output is called `….elf`.
    #[arg(long, value_enum, value_name = "FORM")]
    format: Option<Format>,
    /// Where a section lies, as `ld` takes it: `-Ttext=0x80000000 -Tdata=0x80100000`, or `-T .mine=0x1000` (RISC-V).
    /// Without it the program lies at 0, in ELF at 0x10000; data follow the code.
    #[arg(short = 'T', long = "section-start", id = "section_start", value_name = "SECTION=ADDRESS", value_parser = parse_start)]
    starts: Vec<(String, u64)>,
    /// Where an ELF program starts: a label or an address. `_start` if it is missing.
    #[arg(short, long, value_name = "WHERE")]
    entry: Option<String>,
    /// Print a listing: places, bytes, source. Without `--output`, in place of the bytes.
    #[arg(long)]
    list: bool,
    /// Write sections and labels with their addresses as JSON (`docs/asm.md`).
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Write what a source for Mesa's `computerator` says before its instructions (`@localsize 8, 1, 1`) as JSON (`docs/asm.md`).
    #[arg(long, value_name = "FILE")]
    headers: Option<PathBuf>,
    /// Take only what the disassembler prints, names of places apart: a text that is written otherwise, and a line that could be
    /// two things, is an error.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    text: TextArgs,
    /// 32-bit words that stand before the program, in hex with commas. A firmware for afuc begins with `00000000`.
    #[arg(long, value_name = "WORDS", value_delimiter = ',', value_parser = parse_word)]
    header: Vec<u32>,
    /// Definitions of interfaces that the program imports (RISC-V).
    #[arg(long, value_name = "FILE")]
    xintf: Vec<PathBuf>,
    /// Which instructions take their short form: those that say so, all that can, or none.
    #[arg(long, value_enum, default_value_t = Compact::Marked, value_name = "WHICH", help_heading = xe::HEADING)]
    compact: Compact,
    /// The input is a JSON listing; without it that is recognised by its first character.
    #[arg(long, help_heading = xe::HEADING)]
    json: bool,
}

/// What can be assembled here. SPIR-V has `isaglot spirv as`.
pub(crate) const TAKES: &[SubjectKind] = WORDS;

/// The options that are for some of them.
pub(crate) const ONLY: &[Only] = &[
    CHOICES,
    GEN,
    (DESCRIPTIONS, &["format", "list", "map", "names", "compat", "header"]),
    (&[SubjectKind::Templates, SubjectKind::Llvm], &["strict"]),
    (&[SubjectKind::Templates], &["headers"]),
    (&[SubjectKind::Riscv], &["section_start", "entry", "xintf"]),
    (&[SubjectKind::Xe], &["compact", "json"]),
];

/// Which instructions of Intel Xe take their short form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Compact {
    Marked,
    Auto,
    Off,
}

impl From<Compact> for Compaction {
    fn from(arg: Compact) -> Compaction {
        match arg {
            Compact::Marked => Compaction::Marked,
            Compact::Auto => Compaction::Auto,
            Compact::Off => Compaction::Off,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// The bytes.
    Raw,
    /// An executable for RISC-V.
    Elf,
}

/// Where the first section of an ELF program lies, unless it is said: where GNU's linker puts it.
const ELF_BASE: u64 = 0x1_0000;

fn parse_word(text: &str) -> Result<u32, String> {
    u32::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).map_err(|e| e.to_string())
}

/// `text=ADDRESS` for the usual sections, `.name=ADDRESS` for any.
fn parse_start(text: &str) -> Result<(String, u64), String> {
    let (name, address) = text.split_once('=').ok_or("expected SECTION=ADDRESS, such as text=0x80000000")?;
    let address = parse_address(address.trim())?;
    let name = match name.trim() {
        short @ ("text" | "rodata" | "data" | "bss") => format!(".{short}"),
        name => name.to_owned(),
    };
    Ok((name, address))
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let spec = args.spec.spec();
    let chosen = match Subject::of(&spec, session) {
        Err(code) => return code,
        Ok(Subject::Xe(platform)) => {
            let how = (args.compact.into(), args.json);
            return xe::assemble(platform, args.input.as_deref(), how, &args.output, session);
        }
        Ok(Subject::Spirv) => return impossible(ExitCode::from(EXIT_INPUT)),
        Ok(Subject::Description(chosen)) => chosen,
    };
    if chosen.kind != SubjectKind::Riscv && args.format == Some(Format::Elf) {
        return session.wrong_usage(refusal("`--format elf`", &[SubjectKind::Riscv], &spec.source.name()));
    }
    match assemble(args, &chosen, session) {
        Ok(problems) => session.status(&problems),
        Err(d) => session.fail(d),
    }
}

/// A label of a program: its address, or its place in a section that has none.
struct Label {
    name: String,
    section: u32,
    address: u64,
}

/// Sections and labels as JSON. Without addresses sections lie one after the other.
fn map(image: &Image, labels: &[Label]) -> String {
    let section = |s: &Section| json!({ "name": s.name, "address": s.address, "size": s.bytes.len() });
    let name = |at: u32| image.sections.get(at as usize).map_or("", |s| s.name.as_str());
    let label = |l: &Label| json!({ "name": l.name, "section": name(l.section), "address": l.address });
    let sections: Vec<Value> = image.sections.iter().map(section).collect();
    let labels: Vec<Value> = labels.iter().map(label).collect();
    format!("{:#}\n", json!({ "$schema": schema::ASM_MAP, "version": 1, "sections": sections, "labels": labels }))
}

/// The headers of a computerator file as JSON.
fn headers_json(headers: &[Header]) -> String {
    let option = |o: &HeaderOption| match &o.value {
        HeaderValue::Number(value) => json!({ "name": o.name, "value": value }),
        HeaderValue::Word(word) => json!({ "name": o.name, "value": word }),
    };
    let header = |h: &Header| {
        json!({
            "name": h.name, "line": h.line, "register": h.register, "values": h.values, "label": h.label,
            "options": h.options.iter().map(option).collect::<Vec<Value>>(),
        })
    };
    let all: Vec<Value> = headers.iter().map(header).collect();
    format!("{:#}\n", json!({ "$schema": schema::ASM_HEADERS, "headers": all }))
}

/// Whether an ELF file is wanted of RISC-V: by the format, else by the name of the output.
fn is_elf(args: &Args) -> bool {
    let named_so = args.output.path().and_then(|path| path.extension()).is_some_and(|e| e == "elf");
    args.format.map_or(named_so, |format| format == Format::Elf)
}

/// With interfaces, and the pseudo-instructions and directives of RISC-V assemblers: the program, and what its file is.
fn riscv(
    args: &Args,
    chosen: &Chosen,
    assembler: &mut Assembler<'_, '_>,
    file: FileId,
    session: &mut Session,
    problems: &mut Diagnostics,
) -> Option<(Image, Vec<u8>, Vec<Label>)> {
    let xlen = Xlen::of(assembler.plan().generation());
    let interfaces = super::xintf::load(session, &args.xintf, &[], problems);
    let commands = isaglot_xintf::limits::MAX_COMMANDS;
    isaglot_xintf::check::check(interfaces.written(), isaglot_xintf::check::Target { xlen, commands }, problems);
    if problems.has_errors() {
        return None;
    }
    let mut imports = Interfaces::new(&interfaces, xlen);
    let plan = assembler.plan();
    let wants_elf = is_elf(args);
    let layout = assembly::Layout {
        base: if wants_elf { ELF_BASE } else { 0 },
        starts: args.starts.clone(),
        page: if wants_elf { elf::PAGE } else { 0 },
        list: args.list,
    };
    let program = assembly::assemble(assembler, &mut imports, &mut session.files, file, &layout, problems)?;
    let bytes =
        if wants_elf { as_elf(args, chosen, plan, &program, xlen, problems)? } else { raw(&program, problems)? };
    let label = |s: Symbol| Label { name: s.name, section: s.section, address: s.address };
    Some((program.image, bytes, program.symbols.into_iter().map(label).collect()))
}

/// The bytes from the first address to the last one.
fn raw(program: &Program, problems: &mut Diagnostics) -> Option<Vec<u8>> {
    problems.ok(program.image.memory().map(|(_, bytes)| bytes).map_err(text::too_large))
}

fn as_elf(
    args: &Args,
    chosen: &Chosen,
    plan: &Plan<'_>,
    program: &Program,
    xlen: Xlen,
    problems: &mut Diagnostics,
) -> Option<Vec<u8>> {
    let features = chosen.isa.features();
    let has = |name: &str| (0..).zip(features).any(|(id, f)| f.name == name && plan.feature(FeatureId(id)));
    let label = |name: &str| program.symbols.iter().find(|s| s.name == name).map(|s| s.address);
    let entry = match args.entry.as_deref() {
        Some(text) => match label(text).or_else(|| parse_address(text).ok()) {
            Some(address) => address,
            None => {
                let d = Diagnostic::error("asm-entry", format!("no label is called `{text}`"));
                let near = closest(text, program.symbols.iter().map(|s| s.name.as_str()));
                problems.push(match near {
                    Some(near) => d.note(format!("did you mean `{near}`?")),
                    None => d.note("expected a label or an address for `--entry`"),
                });
                return None;
            }
        },
        None => label("_start").unwrap_or_else(|| {
            let start = program.image.sections.first().map_or(0, |section| section.address);
            let d = Diagnostic::warning(
                "asm-entry",
                format!("there is no label `_start`: the program starts at {start:#x}"),
            );
            problems.push(d.note("name another one with `--entry`"));
            start
        }),
    };
    let options = elf::Options {
        xlen,
        flags: elf::flags(has("zca"), has("f"), has("d")),
        entry,
        arch: isa_name::attribute(xlen, &has),
    };
    Some(elf::write(program, &options))
}

fn assemble(args: &Args, chosen: &Chosen, session: &mut Session) -> Result<Diagnostics, Diagnostic> {
    let names = read_names(args.text.names.as_deref(), session)?;
    let plan = chosen.plan();
    let text = read_text(args.input.as_deref())?;
    let file = session.files.add(input_name(args.input.as_deref()), text.as_slice());
    let mut problems = Diagnostics::new();
    let _stage = Stage::new(format!("assembling {}", input_name(args.input.as_deref())), "");
    let mut assembler = Assembler::new(&plan, &names, args.text.compat.into());
    let mut written = None;
    let made = if chosen.kind == SubjectKind::Riscv {
        riscv(args, chosen, &mut assembler, file, session, &mut problems)
    } else {
        let setup = Setup {
            list: args.list,
            strict: args.strict,
            symbols: args.map.is_some(),
            only_targets: chosen.kind == SubjectKind::Llvm,
            ..Setup::default()
        };
        let program = text::assemble_with(chosen.kind, &mut assembler, &mut session.files, file, &setup, &mut problems);
        let headers = program.as_ref().map_or(&[][..], |(_, headers)| headers);
        match &args.headers {
            Some(path) => written = Some((path, headers_json(headers))),
            None => {
                let left_out = text::headers_left_out(headers, "`--headers FILE` writes them as JSON");
                left_out.into_iter().for_each(|d| problems.push(d));
            }
        }
        program
            .map(|(image, _)| {
                let labels = image.labels.iter();
                let labels =
                    labels.map(|l| Label { name: l.name.clone(), section: l.section, address: l.offset }).collect();
                (image.bytes(), image, labels)
            })
            .map(|(bytes, image, labels)| (image, bytes, labels))
    };
    let Some((image, bytes, labels)) = made else { return Ok(problems) };
    if let Some(path) = &args.map {
        crate::io::write(Some(path), false, map(&image, &labels).as_bytes())?;
    }
    if let Some((path, json)) = written {
        crate::io::write(Some(path), false, json.as_bytes())?;
    }
    let only_list = args.list && args.output.path().is_none();
    if !only_list {
        let path = args.output.path();
        let is_program = chosen.kind == SubjectKind::Riscv && is_elf(args);
        let mut out = if is_program { Output::create_program(path)? } else { Output::create(path, true)? };
        let header: Vec<u8> = args.header.iter().flat_map(|word| word.to_le_bytes()).collect();
        out.write_all(&header).map_err(|e| out.failed(&e))?;
        out.write_all(&bytes).map_err(|e| out.failed(&e))?;
        out.finish()?;
    }
    if args.list {
        let Some(source) = session.files.get(file) else { return Ok(impossible(problems)) };
        let word_bytes = chosen.isa.format().parcel_bits as usize / 8;
        crate::io::write(None, false, source::listing(&image, source, word_bytes).as_bytes())?;
    }
    Ok(problems)
}
