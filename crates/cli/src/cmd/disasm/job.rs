//! The text of one input by a description, or of one listing, or of one list of words.
//!
//! The input is read in blocks and the text written as it comes, so that memory does not grow with the input. Labels
//! need a pass over the whole input before; a file is read twice for them, standard input is kept in a temporary file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use isaglot::text;
use isaglot_asm::{Names, Options, Stream};
use isaglot_codec::Plan;
use isaglot_source::{Diagnostic, Diagnostics};

use super::{Args, Format};
use crate::call_names::{CallNames, Interfaces};
use crate::hooks::{Disassembly, Misses};
use crate::interrupt::Stage;
use crate::io::{Target, input_name, open, unreadable};
use crate::load::Chosen;
use crate::program::{self, ELF};
use crate::progress::Progress;

/// Bytes read at once.
const BLOCK: usize = 1 << 20;

/// The bytes by which the kind of an input is known.
const HEAD: u64 = 64;

/// The longest line that `--words` reads.
const MAX_LINE: usize = 1 << 16;

/// What is the same for all inputs.
pub(super) struct Work<'w, 'a> {
    pub(super) args: &'w Args,
    pub(super) chosen: &'a Chosen,
    pub(super) plan: &'w Plan<'a>,
    pub(super) options: Options,
    pub(super) names: Names,
    pub(super) interfaces: Option<Interfaces>,
    pub(super) has_color: bool,
    /// There are several inputs, so each is named.
    pub(super) several: bool,
}

impl Work<'_, '_> {
    /// Writes the text of an input.
    pub(super) fn disassemble(
        &self,
        path: &Path,
        out: &mut dyn Target,
        problems: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        let Work { args, chosen, plan, .. } = *self;
        let (raw, names) = (args.raw, self.names.clone());
        let mut hooks = Disassembly { raw, names, trace: args.trace_fields, missed: false, misses: Misses::default() };
        let name = input_name(Some(path));
        let is_hex = args.xe.hex;
        if args.words {
            let total = words((path, &name), plan, &self.options, &mut hooks, out)?;
            advise(&hooks, plan, chosen, total, problems);
            return Ok(());
        }
        if args.filter {
            let input = open(Some(path))?;
            let _stage = Stage::new(format!("filtering {name}"), "");
            let total = crate::filter::run(plan, self.interfaces.as_ref(), &mut hooks, input, out, &name)?;
            advise(&hooks, plan, chosen, total, problems);
            return Ok(());
        }
        let (mut input, head) = peeked(open(Some(path))?).map_err(|e| unreadable(&name, &e))?;
        let is_elf = head.starts_with(ELF) && !args.binary && !is_hex;
        let is_text = is_hex || (!args.binary && program::is_hex(&head));
        if is_text {
            let text = crate::io::read_rest(&mut input, 0, &name)?;
            let bytes = program::from_text(&name, text, is_hex, problems)?;
            input = Box::new(io::Cursor::new(bytes));
        }
        if !args.binary && !is_hex {
            program::refuse_containers(&name, &head)?;
        }
        if self.several && !is_elf {
            writeln!(out, "# {name}").map_err(|e| out.failed(&e))?;
        }
        let (hooks_of, options) = (&mut hooks, self.options.clone());
        let mut job = Job { work: self, path, options, hooks: hooks_of, name, total: 0, problems };
        if job.options.labels && args.format == Format::Text {
            out.write_all(text::exact(chosen.kind, plan).as_bytes()).map_err(|e| out.failed(&e))?;
        }
        let done = if is_elf {
            job.elf(input, out)
        } else {
            let input = match job.reads_twice() {
                true => Input::Twice(seekable((path, &job.name), input, is_text)?),
                false => Input::Once(input),
            };
            job.part(input, args.base.unwrap_or(0), out)
        };
        let (name, total) = (job.name, job.total);
        match done {
            Ok(()) => advise(&hooks, plan, chosen, total, problems),
            // After a stop the rest is not known.
            Err(Stop::Enough) => {}
            Err(e) => return Err(e.into_diagnostic(&name)),
        }
        Ok(())
    }
}

/// Says what would make instructions of words that are none.
fn advise(hooks: &Disassembly, plan: &Plan<'_>, chosen: &Chosen, total: u64, problems: &mut Diagnostics) {
    let advice = hooks.misses.advice(plan, chosen.isa.name(), total);
    advice.into_iter().for_each(|d| problems.push(d));
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
struct Job<'j, 'w, 'a> {
    work: &'j Work<'w, 'a>,
    path: &'j Path,
    options: Options,
    hooks: &'j mut Disassembly,
    /// The input, as messages call it.
    name: String,
    /// Bytes of instructions so far.
    total: u64,
    problems: &'j mut Diagnostics,
}

impl Job<'_, '_, '_> {
    fn reads_twice(&self) -> bool {
        self.options.labels || self.work.interfaces.is_some()
    }

    /// Prints the executable sections of an ELF file, with labels and symbols.
    fn elf(&mut self, mut input: Box<dyn Read>, out: &mut dyn Target) -> Result<(), Stop> {
        if !self.options.entries.is_empty() || self.work.args.base.is_some() {
            let option = if self.work.args.base.is_some() { "base" } else { "entry" };
            let d = Diagnostic::error("cli-elf", format!("`--{option}` does not apply to ELF files"));
            return Err(Stop::Other(d.note("they say where code lies and name places; `--binary` reads one as bytes")));
        }
        let bytes = crate::io::read_rest(&mut input, 0, &self.name).map_err(Stop::Other)?;
        let (kind, plan) = (self.work.chosen.kind, self.work.plan);
        let parts =
            program::parts(&self.name, bytes, kind, plan, (false, false), self.problems).map_err(Stop::Other)?;
        self.options.labels = true;
        self.options.names = true;
        for part in parts {
            self.options.entries = part.entries(self.work.plan);
            let section = part.section.unwrap_or_default();
            let head = format!("# {}, {section} at {:#x}\n", self.name, part.address);
            out.write_all(head.as_bytes()).map_err(|e| Stop::Other(out.failed(&e)))?;
            self.part(Input::Twice(Box::new(io::Cursor::new(part.bytes))), part.address, out)?;
        }
        Ok(())
    }

    /// How far through the input it is.
    fn progress(&self) -> Progress {
        Progress::new(format!("disassembling {}", self.name), "byte")
            .unless(self.work.several || self.work.args.output.is_on_terminal())
    }

    /// Prints a run of code that lies at an address.
    fn part(&mut self, input: Input, address: u64, out: &mut dyn Target) -> Result<(), Stop> {
        let mut calls = None;
        let mut progress = self.progress();
        let mut length = std::fs::metadata(self.path).map_or(0, |m| m.len());
        let (mut stream, mut input) = match input {
            Input::Once(input) => (Stream::new(self.work.plan, self.options.clone(), 0), input),
            Input::Twice(mut file) => {
                if let Some(interfaces) = &self.work.interfaces {
                    let bytes = crate::io::read_rest(&mut file, 0, &self.name).map_err(Stop::Other)?;
                    let entries: Vec<u64> = self.options.entries.iter().map(|e| e.offset).collect();
                    calls = Some(CallNames::new(interfaces.names(self.work.plan, &entries, &bytes)));
                }
                let total = file.seek(SeekFrom::End(0)).map_err(Stop::Read)?;
                length = total;
                let mut stream = Stream::new(self.work.plan, self.options.clone(), total);
                file.rewind().map_err(Stop::Read)?;
                let _stage = Stage::new("looking for labels", "");
                each_block(&mut file, |bytes| Ok(stream.mark(bytes)))?;
                file.rewind().map_err(Stop::Read)?;
                (stream, Box::new(file) as Box<dyn Read>)
            }
        };
        let mut text = Vec::with_capacity(2 * BLOCK);
        let annotated = self.work.args.format == Format::Annotated;
        let mut listing =
            annotated.then(|| crate::hooks::Annotated::new(&self.work.chosen.isa, address, self.work.has_color));
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
        if rest > 0 {
            self.problems.push(crate::io::rest(&self.name, rest));
        }
        let inside = stream.entries_inside().iter().map(|entry| (entry, "inside of an instruction"));
        let ahead = stream.entries_ahead().iter().rev().filter(|_| !stream.stopped());
        for (entry, place) in inside.chain(ahead.map(|entry| (entry, "after the last instruction"))) {
            let name = String::from_utf8_lossy(&entry.name);
            let d = Diagnostic::warning("cli-entry", format!("no instruction starts at `{name}`"));
            self.problems.push(d.note(format!("{} is {place}", entry.offset)));
        }
        Ok(())
    }
}

/// The input as one that can be read twice: again from its file, unless it was text.
fn seekable(
    (path, name): (&Path, &str),
    mut input: Box<dyn Read>,
    is_text: bool,
) -> Result<Box<dyn ReadSeek>, Diagnostic> {
    let _stage = Stage::new(format!("reading {name}"), "");
    if !is_text && path.as_os_str() != "-" && std::fs::metadata(path).is_ok_and(|m| m.is_file()) {
        return Ok(Box::new(File::open(path).map_err(|e| unreadable(name, &e))?));
    }
    let mut copy = tempfile::tempfile().map_err(|e| unreadable(name, &e))?;
    io::copy(&mut input, &mut copy).map_err(|e| unreadable(name, &e))?;
    copy.rewind().map_err(|e| unreadable(name, &e))?;
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
    (path, name): (&Path, &str),
    plan: &Plan<'_>,
    options: &Options,
    hooks: &mut Disassembly,
    out: &mut dyn Target,
) -> Result<u64, Diagnostic> {
    let input = open(Some(path))?;
    let mut total = 0;
    let mut lines = io::BufReader::with_capacity(BLOCK, input);
    // One stream for all: without errors shown, no line leaves anything for the next.
    let mut stream = Stream::new(plan, Options { show_errors: false, ..options.clone() }, 0).alone();
    let (mut line, mut bytes, mut text) = (Vec::new(), Vec::new(), Vec::new());
    let mut number = 0_u64;
    let stage = Stage::new(format!("disassembling the words of {name}"), "line");
    loop {
        line.clear();
        number += 1;
        stage.at(number, 0);
        let n = io::BufRead::read_until(&mut (&mut lines).take(MAX_LINE as u64), b'\n', &mut line);
        if n.map_err(|e| unreadable(name, &e))? == 0 {
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
