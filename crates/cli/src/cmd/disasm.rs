//! `isaglot disasm`: bytes to text.
//!
//! The input is read in blocks and the text written as it comes, so that memory does not grow with the input. Labels
//! need a pass over the whole input before; a file is read twice for them, standard input is kept in a temporary file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot::text;
use isaglot_asm::assemble::is_symbol;
use isaglot_asm::labels::is_automatic;
use isaglot_asm::{Entry, Options, Stream};
use isaglot_codec::Plan;
use isaglot_invariant::impossible;
use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::TextOptions;

use super::xe;
use crate::args::{OutputArgs, SpecArgs, TextArgs, XeArgs, parse_address};
use crate::call_names::{CallArgs, CallNames, Interfaces};
use crate::hooks::{Disassembly, Misses, NoMatch};
use crate::interrupt::Stage;
use crate::io::{Output, input_name, open, unreadable};
use crate::load::{Chosen, Source, read_names};
use crate::program::{self, ELF};
use crate::progress::Progress;
use crate::session::{EXIT_INPUT, Session};
use crate::subject::{CHOICES, DESCRIPTIONS, GEN, HEX, Only, Subject, SubjectKind, WORDS};

/// Bytes read at once.
const BLOCK: usize = 1 << 20;

/// The bytes by which the kind of an input is known.
const HEAD: u64 = 64;

/// The longest line that `--words` reads.
const MAX_LINE: usize = 1 << 16;

/// Disassemble a raw binary, an ELF file, or kernels of Intel Xe.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot disasm --isa rv64gc --labels program.elf
  isaglot disasm --spec my.xml --format annotated program.bin
  echo 33 85 c5 00 | isaglot disasm --isa rv64gc --words")]
#[command(mut_group("description", |group| group.required(false)))]
pub(crate) struct Args {
    #[command(flatten)]
    spec: SpecArgs,
    /// The binary; standard input if it is missing or `-`. Of an ELF file its executable sections, with its symbols and
    /// labels. For Intel Xe a raw kernel, hex bytes, assembly text (`*.asm`), a JSON listing, or a zebin, which needs no
    /// description.
    input: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    /// Read an ELF file as bytes too.
    #[arg(long)]
    binary: bool,
    /// Print labels and refer to them, as text that `isaglot asm` makes the same bytes of. The text of Intel Xe has them always.
    #[arg(long)]
    labels: bool,
    /// Where the code lies, for `--format annotated`; an ELF file says it.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    base: Option<u64>,
    /// Names of places, one `NAME:OFFSET` a line as for `--entry`; blank lines and what follows a `#` do not count.
    #[arg(long, value_name = "FILE")]
    entries_from: Option<PathBuf>,
    /// Name a place, by instruction number (by byte offset where instructions differ in length); implies `--labels`.
    #[arg(long = "entry", id = "entry", value_name = "NAME:OFFSET", value_parser = parse_entry)]
    entries: Vec<Entry>,
    /// Do not show what is wrong with a word.
    #[arg(long)]
    no_errors: bool,
    /// Stop before an instruction that more than N bad ones in a row precede.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    max_errors: u64,
    /// How a word that is not a valid instruction looks.
    #[arg(long, value_enum, default_value_t = NoMatch::Hex, value_name = "FORM")]
    raw: NoMatch,
    #[command(flatten)]
    text: TextArgs,
    /// `annotated` adds offset, bytes and colour.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORM")]
    format: Format,
    /// Write every field as `<FIELD=hex>` before what it prints, and `<post>` at the end of the line.
    #[arg(long)]
    trace_fields: bool,
    /// Read one instruction a line as hex bytes in memory order, and print one line each: its text, or an empty
    /// line. Errors are not shown.
    #[arg(long, conflicts_with_all = ["labels", "entry", "format"])]
    words: bool,
    /// Aliases instead of the instructions that they stand for, where the description has any.
    #[arg(long)]
    aliases: bool,
    /// Read the listing of objdump, llvm-objdump or lldb, and put texts where it has `<unknown>` or a data directive for
    /// what the description knows; all else passes unchanged.
    #[arg(long, conflicts_with_all = ["words", "labels", "entry", "format", "trace_fields"])]
    filter: bool,
    #[command(flatten)]
    calls: CallArgs,
    #[command(flatten)]
    xe: XeArgs,
    /// The offset of each instruction.
    #[arg(long, help_heading = xe::HEADING)]
    pc: bool,
    /// The encoding of each instruction.
    #[arg(long, help_heading = xe::HEADING)]
    bits: bool,
    /// Leave out comments.
    #[arg(long, help_heading = xe::HEADING)]
    no_comments: bool,
}

/// What can be disassembled here. SPIR-V has `isaglot spirv dis`.
pub(crate) const TAKES: &[SubjectKind] = WORDS;

/// The options that are for some of them.
pub(crate) const ONLY: &[Only] = &[
    CHOICES,
    GEN,
    xe::ONLY,
    HEX,
    (
        DESCRIPTIONS,
        &["base", "entry", "entries_from", "no_errors", "max_errors", "raw", "names", "compat", "trace_fields"],
    ),
    (DESCRIPTIONS, &["words", "aliases", "filter", "xintf"]),
    (&[SubjectKind::Xe], &["pc", "bits", "no_comments"]),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Annotated,
}

fn parse_entry(text: &str) -> Result<Entry, String> {
    let (name, offset) = text.rsplit_once(':').ok_or("expected NAME:OFFSET")?;
    let offset = parse_address(offset).map_err(|e| format!("OFFSET: {e}"))?;
    if !is_symbol(name.as_bytes()) {
        return Err("NAME: expected letters, digits, `_`, `.`, `$` or `@`, and no digit first".to_owned());
    }
    if is_automatic(name.as_bytes()) {
        return Err("NAME: places without a name are called so; choose another one".to_owned());
    }
    Ok(Entry { offset, name: name.as_bytes().to_vec() })
}

/// The named places that a file lists.
fn read_entries(path: &Path) -> Result<Vec<Entry>, Diagnostic> {
    let bytes = crate::io::read_text(Some(path))?;
    let mut entries = Vec::new();
    for (line, number) in String::from_utf8_lossy(&bytes).lines().zip(1..) {
        let text = line.split('#').next().unwrap_or("").trim();
        if text.is_empty() {
            continue;
        }
        let entry = parse_entry(text);
        entries.push(entry.map_err(|e| Diagnostic::error("cli-entry", format!("{}:{number}:1: {e}", path.display())))?);
    }
    Ok(entries)
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let spec = match xe::described(args.spec.spec(), args.input.as_deref()) {
        Ok(spec) => spec,
        Err(d) => return session.fail(d),
    };
    if matches!(spec.source, Source::Input) {
        let d = Diagnostic::error("cli-description", "no description");
        return session.wrong_usage(d.note("expected `--spec FILE` or `--isa NAME`; `--isa help` lists the names"));
    }
    // The process ends here: freeing a model part by part takes a fifth of the time of loading it.
    match &*std::mem::ManuallyDrop::new(Subject::of(&spec, session)) {
        Err(code) => *code,
        Ok(Subject::Description(chosen)) => match disassemble(args, chosen, session) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(EXIT_INPUT),
            Err(d) => session.fail(d),
        },
        Ok(Subject::Xe(platform)) => {
            let options = TextOptions {
                pc: args.pc || args.format == Format::Annotated,
                bits: args.bits || args.format == Format::Annotated,
                no_comments: args.no_comments,
                ..xe::text_options(args.xe)
            };
            let job =
                xe::Input { platform: *platform, path: args.input.as_deref(), hex: args.xe.hex, binary: args.binary };
            xe::disassemble(job, options, &args.output, session)
        }
        Ok(Subject::Spirv) => impossible(ExitCode::from(EXIT_INPUT)),
    }
}

fn disassemble(args: &Args, chosen: &Chosen, session: &mut Session) -> Result<bool, Diagnostic> {
    let names = read_names(args.text.names.as_deref(), session)?;
    let plan = chosen.plan().with_aliases(args.aliases || chosen.aliases);
    let mut entries = args.entries.clone();
    if let Some(path) = &args.entries_from {
        entries.extend(read_entries(path)?);
    }
    let options = Options {
        show_errors: !args.no_errors,
        labels: args.labels || !entries.is_empty(),
        entries,
        names: false,
        max_errors: args.max_errors,
        compat: args.text.compat.into(),
    };
    let mut hooks =
        Disassembly { raw: args.raw, names, trace: args.trace_fields, missed: false, misses: Misses::default() };
    let mut out = args.output.create()?;
    if args.words {
        let total = words(args, &plan, &options, &mut hooks, &mut out)?;
        advise(&hooks, &plan, chosen, total, session);
        return out.finish().map(|()| true);
    }
    let name = input_name(args.input.as_deref());
    let mut interfaces = None;
    if !args.calls.xintf.is_empty() {
        interfaces = Interfaces::new(&args.calls, &plan, session);
        if interfaces.is_none() {
            return Ok(false);
        }
    }
    if args.filter {
        let input = open(args.input.as_deref())?;
        let _stage = Stage::new(format!("filtering {name}"), "");
        let total = crate::filter::run(&plan, interfaces.as_ref(), &mut hooks, input, &mut out, &name)?;
        advise(&hooks, &plan, chosen, total, session);
        return out.finish().map(|()| true);
    }
    let input = open(args.input.as_deref())?;
    let (mut input, head) = peeked(input).map_err(|e| unreadable(&name, &e))?;
    let is_elf = head.starts_with(ELF);
    let is_text = args.xe.hex || (!args.binary && program::is_hex(&head));
    if is_text {
        let mut problems = Diagnostics::new();
        let text = crate::io::read_rest(&mut input, 0, &name)?;
        let bytes = program::from_text(&name, text, args.xe.hex, &mut problems)?;
        session.report(&problems);
        input = Box::new(io::Cursor::new(bytes));
    }
    if !args.binary && !args.xe.hex {
        program::refuse_containers(&name, &head)?;
    }
    let mut job =
        Job { args, chosen, plan: &plan, options, hooks: &mut hooks, interfaces: interfaces.as_ref(), name, total: 0 };
    if job.options.labels && args.format == Format::Text {
        out.write_all(text::exact(chosen.kind, &plan).as_bytes()).map_err(|e| out.failed(&e))?;
    }
    let done = if is_elf && !args.binary && !args.xe.hex {
        job.elf(input, &mut out, session)
    } else {
        let input = match job.reads_twice() {
            true => Input::Twice(seekable(args, input, is_text)?),
            false => Input::Once(input),
        };
        job.part(input, args.base.unwrap_or(0), &mut out, session)
    };
    // After a stop the rest is not known.
    let is_whole = done.is_ok();
    match done {
        Err(Stop::Enough) | Ok(()) => {}
        Err(e) => return Err(e.into_diagnostic(&job.name)),
    }
    let total = job.total;
    if is_whole {
        advise(&hooks, &plan, chosen, total, session);
    }
    out.finish().map(|()| true)
}

/// Says what would make instructions of words that are none.
fn advise(hooks: &Disassembly, plan: &Plan<'_>, chosen: &Chosen, total: u64, session: &Session) {
    let advice = hooks.misses.advice(plan, chosen.isa.name(), total);
    advice.into_iter().for_each(|d| session.report(&d.into()));
}

/// The input, and its first bytes, which stand in front of it again.
fn peeked(mut input: Box<dyn Read>) -> io::Result<(Box<dyn Read>, Vec<u8>)> {
    let mut head = Vec::new();
    input.by_ref().take(HEAD).read_to_end(&mut head)?;
    Ok((Box::new(io::Cursor::new(head.clone()).chain(input)), head))
}

/// An input that is read once, or twice: for labels, and for calls of interfaces.
enum Input {
    Once(Box<dyn Read>),
    Twice(Box<dyn ReadSeek>),
}

trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// A disassembly into lines.
struct Job<'j, 'a> {
    args: &'j Args,
    chosen: &'a Chosen,
    plan: &'j Plan<'a>,
    options: Options,
    hooks: &'j mut Disassembly,
    interfaces: Option<&'j Interfaces>,
    /// The input, as messages call it.
    name: String,
    /// Bytes of instructions so far.
    total: u64,
}

impl Job<'_, '_> {
    fn reads_twice(&self) -> bool {
        self.options.labels || self.interfaces.is_some()
    }

    /// Prints the executable sections of an ELF file, with labels and symbols.
    fn elf(&mut self, mut input: Box<dyn Read>, out: &mut Output, session: &Session) -> Result<(), Stop> {
        if !self.options.entries.is_empty() || self.args.base.is_some() {
            let option = if self.args.base.is_some() { "base" } else { "entry" };
            let d = Diagnostic::error("cli-elf", format!("`--{option}` does not apply to ELF files"));
            return Err(Stop::Other(d.note("they say where code lies and name places; `--binary` reads one as bytes")));
        }
        let bytes = crate::io::read_rest(&mut input, 0, &self.name).map_err(Stop::Other)?;
        let mut problems = Diagnostics::new();
        let parts = program::parts(&self.name, bytes, self.chosen.kind, self.plan, (false, false), &mut problems);
        session.report(&problems);
        let parts = parts.map_err(Stop::Other)?;
        self.options.labels = true;
        self.options.names = true;
        for part in parts {
            self.options.entries = part.entries(self.plan);
            let section = part.section.unwrap_or_default();
            let head = format!("# {}, {section} at {:#x}\n", self.name, part.address);
            out.write_all(head.as_bytes()).map_err(|e| Stop::Other(out.failed(&e)))?;
            self.part(Input::Twice(Box::new(io::Cursor::new(part.bytes))), part.address, out, session)?;
        }
        Ok(())
    }

    /// How far through the input it is.
    fn progress(&self) -> Progress {
        Progress::new(format!("disassembling {}", self.name), "byte").unless(self.args.output.is_on_terminal())
    }

    /// Prints a run of code that lies at an address.
    fn part(&mut self, input: Input, address: u64, out: &mut Output, session: &Session) -> Result<(), Stop> {
        let mut calls = None;
        let mut progress = self.progress();
        let mut length = self.args.input.as_deref().map_or(0, |path| std::fs::metadata(path).map_or(0, |m| m.len()));
        let (mut stream, mut input) = match input {
            Input::Once(input) => (Stream::new(self.plan, self.options.clone(), 0), input),
            Input::Twice(mut file) => {
                if let Some(interfaces) = self.interfaces {
                    let bytes = crate::io::read_rest(&mut file, 0, &self.name).map_err(Stop::Other)?;
                    let entries: Vec<u64> = self.options.entries.iter().map(|e| e.offset).collect();
                    calls = Some(CallNames::new(interfaces.names(self.plan, &entries, &bytes)));
                }
                let total = file.seek(SeekFrom::End(0)).map_err(Stop::Read)?;
                length = total;
                let mut stream = Stream::new(self.plan, self.options.clone(), total);
                file.rewind().map_err(Stop::Read)?;
                let _stage = Stage::new("looking for labels", "");
                each_block(&mut file, |bytes| Ok(stream.mark(bytes)))?;
                file.rewind().map_err(Stop::Read)?;
                (stream, Box::new(file) as Box<dyn Read>)
            }
        };
        let mut text = Vec::with_capacity(2 * BLOCK);
        let color = session.color.on(&io::stdout()) && self.args.output.path().is_none();
        let annotated = self.args.format == Format::Annotated;
        let mut listing = annotated.then(|| crate::hooks::Annotated::new(&self.chosen.isa, address, color));
        let mut total = 0;
        let rest = each_block(&mut input, |bytes| {
            progress.at_place(total, length);
            text.clear();
            let used = match (&mut listing, &mut calls) {
                (_, Some(calls)) => calls.feed(&mut stream, bytes, self.hooks, &mut text),
                (Some(listing), None) => listing.feed(&mut stream, bytes, self.hooks, &mut text),
                (None, None) => stream.feed(bytes, self.hooks, &mut text),
            };
            total += used as u64;
            out.write_all(&text).map_err(|e| Stop::Other(out.failed(&e)))?;
            if stream.stopped() { Err(Stop::Enough) } else { Ok(used) }
        })?;
        self.total += total;
        let mut problems = Diagnostics::new();
        if rest > 0 {
            problems.push(crate::io::rest(&self.name, rest));
        }
        let inside = stream.entries_inside().iter().map(|entry| (entry, "inside of an instruction"));
        let ahead = stream.entries_ahead().iter().rev().filter(|_| !stream.stopped());
        for (entry, place) in inside.chain(ahead.map(|entry| (entry, "after the last instruction"))) {
            let name = String::from_utf8_lossy(&entry.name);
            let d = Diagnostic::warning("cli-entry", format!("no instruction starts at `{name}`"));
            problems.push(d.note(format!("{} is {place}", entry.offset)));
        }
        session.report(&problems);
        Ok(())
    }
}

/// The input as one that can be read twice: again from its file, unless it was text.
fn seekable(args: &Args, mut input: Box<dyn Read>, is_text: bool) -> Result<Box<dyn ReadSeek>, Diagnostic> {
    let name = input_name(args.input.as_deref());
    let _stage = Stage::new(format!("reading {name}"), "");
    if let Some(path) = args.input.as_deref().filter(|p| !is_text && p.as_os_str() != "-")
        && std::fs::metadata(path).is_ok_and(|m| m.is_file())
    {
        return Ok(Box::new(File::open(path).map_err(|e| unreadable(&name, &e))?));
    }
    let mut copy = tempfile::tempfile().map_err(|e| unreadable(&name, &e))?;
    io::copy(&mut input, &mut copy).map_err(|e| unreadable(&name, &e))?;
    copy.rewind().map_err(|e| unreadable(&name, &e))?;
    Ok(Box::new(copy))
}

/// Why reading ended early.
enum Stop {
    Read(io::Error),
    /// What the input holds cannot be disassembled, or the output not written.
    Other(Diagnostic),
    Enough,
}

impl Stop {
    fn into_diagnostic(self, input: &str) -> Diagnostic {
        match self {
            Stop::Read(e) => unreadable(input, &e),
            Stop::Other(d) => d,
            Stop::Enough => Diagnostic::error("io-read", "stopped"),
        }
    }
}

/// Calls `f` with block after block; what it does not use stands in front of the next block again. Gives how many bytes
/// nobody used at the end.
fn each_block(input: &mut dyn Read, mut f: impl FnMut(&[u8]) -> Result<usize, Stop>) -> Result<usize, Stop> {
    let mut block = vec![0; BLOCK];
    let mut filled = 0;
    loop {
        let n = match input.read(&mut block[filled..]) {
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(Stop::Read(e)),
        };
        filled += n;
        let used = f(&block[..filled])?.min(filled);
        block.copy_within(used..filled, 0);
        filled -= used;
        if n == 0 {
            return Ok(filled);
        }
    }
}

/// One instruction a line, as hex bytes; gives how many bytes there were.
fn words(
    args: &Args,
    plan: &Plan<'_>,
    options: &Options,
    hooks: &mut Disassembly,
    out: &mut Output,
) -> Result<u64, Diagnostic> {
    let name = input_name(args.input.as_deref());
    let input = open(args.input.as_deref())?;
    let mut total = 0;
    let mut lines = io::BufReader::with_capacity(BLOCK, input);
    // One stream for all: without errors shown, no line leaves anything for the next.
    let mut stream = Stream::new(plan, Options { show_errors: false, ..options.clone() }, 0);
    let (mut line, mut bytes, mut text) = (Vec::new(), Vec::new(), Vec::new());
    let mut number = 0_u64;
    let stage = Stage::new(format!("disassembling the words of {name}"), "line");
    loop {
        line.clear();
        number += 1;
        stage.at(number, 0);
        let n = io::BufRead::read_until(&mut (&mut lines).take(MAX_LINE as u64), b'\n', &mut line);
        if n.map_err(|e| unreadable(&name, &e))? == 0 {
            return Ok(total);
        }
        bytes.clear();
        text.clear();
        let digits = line.strip_prefix(crate::io::BYTE_ORDER_MARK).filter(|_| number == 1).unwrap_or(&line);
        if !isaglot::explain::hex_bytes(digits, &mut bytes) {
            let d = Diagnostic::error("cli-words", format!("{name}:{number}:1: invalid hex bytes"));
            return Err(d.note("expected pairs of hex digits, bytes in memory order, such as `1300a000`"));
        }
        total += bytes.len() as u64;
        let used = stream.feed(&bytes, hooks, &mut text);
        // Exactly one instruction of exactly these bytes, or nothing.
        let missed = hooks.take_missed();
        let whole = used == bytes.len() && text.iter().filter(|&&b| b == b'\n').count() == 1;
        if !whole || missed {
            text.clear();
            text.push(b'\n');
        }
        out.write_all(&text).map_err(|e| out.failed(&e))?;
    }
}
