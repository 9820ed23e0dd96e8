//! The disassembler: words → text.
//!
//! A walk for friendly names, then a walk that checks and prints each instruction straight into one buffer, which is
//! handed on in pieces. Comments, nesting and reordering use the same line printer and hold a function back until its
//! end.

mod cfg;
pub(crate) mod decode;
mod input;
mod layout;
pub(crate) mod namer;
pub(crate) mod names;
pub(crate) mod print;
mod reason;

pub use input::{InputError, read};
pub use reason::Reason;

use std::fmt;

use decode::{Bad, Decoder};
use isaglot_invariant::Impossible as _;
use isaglot_source::Diagnostic;
use namer::Reach;
use names::Names;
use print::{Out, Printer};

use crate::asm::{Check, MAGIC, NEWEST, Status};
use crate::grammar::Grammar;
use crate::limits;
use crate::places::Places;

/// How to disassemble.
#[derive(Clone, Copy, Debug)]
pub struct Options<'g> {
    /// The grammar.
    pub grammar: Grammar<'g>,
    /// Ids as numbers, not as names.
    pub raw_id: bool,
    /// Align results.
    pub indent: bool,
    /// The header comment.
    pub header: bool,
    /// Byte offset of each instruction as a comment.
    pub offsets: bool,
    /// Comments on sections, functions and decorated results.
    pub comment: bool,
    /// Comments on what constants mean that stand for a scope or for memory semantics. The reference has none.
    pub meanings: bool,
    /// Indent blocks by their nesting.
    pub nested_indent: bool,
    /// Blocks in the order of control flow.
    pub reorder_blocks: bool,
    /// Escape sequences for colour.
    pub color: bool,
    /// Print what a newer grammar may know as `OpUnknown`.
    pub unknown_opcodes: bool,
    /// Print every bad instruction as words and go on.
    pub keep_going: bool,
    /// Print numbers that no literal expresses as `!` words.
    pub wide_numbers: bool,
    /// In a big-endian module take the names of imports as words too.
    pub swap_imports: bool,
}

impl Default for Options<'static> {
    fn default() -> Options<'static> {
        Options {
            grammar: Grammar::builtin(),
            raw_id: false,
            indent: true,
            header: true,
            offsets: false,
            comment: false,
            meanings: false,
            nested_indent: false,
            reorder_blocks: false,
            color: false,
            unknown_opcodes: false,
            keep_going: false,
            wide_numbers: false,
            swap_imports: false,
        }
    }
}

/// One problem of a binary.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// Why.
    pub reason: Reason,
    /// Class.
    pub status: Status,
    /// Number of the instruction, from 1; 0 for the header.
    pub index: usize,
    /// Index of the instruction's first word.
    pub word: usize,
    /// The reference's message.
    pub message: String,
}

impl Failure {
    /// The line that the reference writes to standard error, without line end.
    pub fn line(&self) -> String {
        match self.index {
            0 => format!("error: {}", self.message),
            n => format!("error: {n}: {}", self.message),
        }
    }

    /// As a diagnostic; `name` is the file's.
    pub fn diagnostic(&self, name: &str) -> Diagnostic {
        let message = self.message.strip_suffix('.').unwrap_or(&self.message);
        let (index, byte) = (self.index, self.word * 4);
        let place = match index {
            0 => format!("{name}: {message}"),
            _ => format!("{name}: byte {byte:#x}, instruction {index}: {message}"),
        };
        Diagnostic::error("spirv-binary", place)
    }
}

impl fmt::Display for Failure {
    /// `instruction N, byte B: what is wrong`; the header has no number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message.strip_suffix('.').unwrap_or(&self.message);
        match self.index {
            0 => f.write_str(message),
            n => write!(f, "instruction {n}, byte {:#x}: {message}", self.word * 4),
        }
    }
}

impl core::error::Error for Failure {}

/// Text, and what was wrong; with `keep_going` the text is whole nevertheless.
#[derive(Clone, Debug, Default)]
pub struct Disassembly {
    /// The text; up to the first problem if that ended it.
    pub text: Vec<u8>,
    /// Problems.
    pub failures: Vec<Failure>,
}

/// A module whose byte order is known.
pub(crate) struct Module<'w> {
    pub(crate) words: std::borrow::Cow<'w, [u32]>,
    pub(crate) raw_imports: bool,
}

fn header_failure(reason: Reason, status: Status, message: impl Into<String>) -> Failure {
    Failure { reason, status, index: 0, word: 0, message: message.into() }
}

/// What is wrong with a module whose words are swapped, for who takes no such one.
pub(crate) fn other_byte_order() -> Failure {
    header_failure(Reason::NotAModule, Status::InvalidBinary, "The module is in the other byte order.")
}

/// What is wrong with a header.
pub(crate) fn header_problem(words: &[u32]) -> Option<Failure> {
    check_header(words).err()
}

/// Checks the header; whether the byte order is the other one.
fn check_header(words: &[u32]) -> Result<bool, Failure> {
    let Some(&magic) = words.first() else {
        return Err(header_failure(Reason::NotAModule, Status::InvalidBinary, "Missing module."));
    };
    let swapped = magic == MAGIC.swap_bytes();
    if magic != MAGIC && !swapped {
        return Err(header_failure(
            Reason::NotAModule,
            Status::InvalidBinary,
            format!("Invalid SPIR-V magic number '{magic:x}'."),
        ));
    }
    if words.len() < 5 {
        let message = format!("Module has incomplete header: only {} words instead of 5", words.len());
        return Err(header_failure(Reason::NotAModule, Status::InvalidBinary, message));
    }
    if words.len() > limits::MODULE_WORDS {
        return Err(header_failure(Reason::TooLong, Status::Internal, "The module is too long."));
    }
    let version = words.get(1).map_or(0, |w| if swapped { w.swap_bytes() } else { *w });
    if version & 0xffff_00ff != 1 << 16 || version >> 8 & 0xff > u32::from(NEWEST) {
        return Err(header_failure(
            Reason::NotAModule,
            Status::Internal,
            "Internal error: unhandled header parse failure",
        ));
    }
    Ok(swapped)
}

/// Checks the header and brings the words into the machine's order.
pub(crate) fn module<'w>(words: &'w [u32], options: &Options<'_>) -> Result<Module<'w>, Failure> {
    if check_header(words)? {
        let words: Vec<u32> = words.iter().map(|w| w.swap_bytes()).collect();
        return Ok(Module { words: words.into(), raw_imports: !options.swap_imports });
    }
    Ok(Module { words: words.into(), raw_imports: false })
}

/// Words of the header of a module.
pub const HEADER_WORDS: usize = 5;

/// The header comment.
pub(crate) fn header(words: &[u32], grammar: Grammar<'_>) -> String {
    let word = |i: usize| words.get(i).copied().unwrap_or(0);
    let generator = word(2);
    let tool = (generator >> 16) as u16;
    let vendor = grammar.vendor(tool).map_or_else(|| format!("Unknown({tool})"), str::to_owned);
    format!(
        "; SPIR-V\n; Version: {}.{}\n; Generator: {vendor}; {}\n; Bound: {}\n; Schema: {}\n",
        word(1) >> 16 & 0xff,
        word(1) >> 8 & 0xff,
        generator & 0xffff,
        word(3),
        word(4)
    )
}

/// Where text goes; false ends the work.
pub type Write<'a> = dyn FnMut(&[u8]) -> bool + 'a;

/// Disassembles a module.
///
/// ```
/// use isaglot_spirv::asm::assemble;
/// use isaglot_spirv::dis::{Options, disassemble};
///
/// let words = assemble(b"%1 = OpTypeInt 32 0\n%2 = OpConstant %1 7\n", &Default::default()).words;
/// let done = disassemble(&words, &Options { header: false, indent: false, ..Options::default() });
/// assert_eq!(String::from_utf8(done.text).unwrap(), "%uint = OpTypeInt 32 0\n%uint_7 = OpConstant %uint 7\n");
/// ```
pub fn disassemble(words: &[u32], options: &Options<'_>) -> Disassembly {
    let mut text = Vec::new();
    let failures = disassemble_to(words, options, &mut |bytes| {
        text.extend_from_slice(bytes);
        true
    });
    Disassembly { text, failures }
}

/// Disassembles a module and hands the text on in pieces of about [`limits::CHUNK_BYTES`], up to the first problem.
pub fn disassemble_to(words: &[u32], options: &Options<'_>, write: &mut Write<'_>) -> Vec<Failure> {
    let module = match module(words, options) {
        Ok(m) => m,
        Err(f) => return vec![f],
    };
    if options.color { run::<true>(&module, options, None, write) } else { run::<false>(&module, options, None, write) }
}

/// Disassembles a module in the machine's byte order; instructions that would not come back are printed as words.
pub(crate) fn disassemble_checked(
    words: &[u32],
    options: &Options<'_>,
    check: Check<'_>,
    write: &mut Write<'_>,
) -> Vec<Failure> {
    let module = Module { words: words.into(), raw_imports: false };
    run::<false>(&module, options, Some(check), write)
}

fn run<const COLOR: bool>(
    module: &Module<'_>,
    options: &Options<'_>,
    mut check: Option<Check<'_>>,
    write: &mut Write<'_>,
) -> Vec<Failure> {
    let words = &*module.words;
    let places = Places::new(words, options.grammar);
    let mut reach = if options.keep_going { Reach::All } else { Reach::Good };
    loop {
        let names = match options.raw_id {
            true => Names::none(words, &places, options.grammar),
            false => namer::friendly(words, &places, options.grammar, reach),
        };
        let mut out = Out::new(Some(&mut *write));
        if options.header {
            out.bytes(header(words, options.grammar).as_bytes());
        }
        let mut decoder = Decoder::new(words, &places, options.grammar, module.raw_imports);
        decoder.bare_is_unknown = options.unknown_opcodes;
        let mut stream = Stream::<COLOR> {
            decoder,
            printer: Printer {
                grammar: options.grammar,
                names: &names,
                wide: options.wide_numbers,
                out,
                hidden: 0,
                scratch: Vec::new(),
            },
            options,
            check: check.take(),
            failures: Vec::new(),
        };
        let plain = !(options.offsets
            || options.comment
            || options.meanings
            || options.nested_indent
            || options.reorder_blocks);
        let stopped = if plain { stream.plain() } else { layout::run(&mut stream, &places) };
        // The reference names ids only up to the problem. Where nothing has left yet, that can be repeated.
        if let Some(instructions) = stopped
            && !options.raw_id
            && reach == Reach::Good
            && !stream.printer.out.has_passed()
        {
            reach = Reach::First(instructions);
            continue;
        }
        stream.printer.out.flush();
        return stream.failures;
    }
}

/// What a failed instruction leads to.
enum Recovery {
    /// The end.
    Stop,
    /// It was printed as words; the next instruction starts here.
    Printed(usize),
}

/// A disassembly under way.
pub(crate) struct Stream<'a, const COLOR: bool> {
    decoder: Decoder<'a>,
    printer: Printer<'a, COLOR>,
    options: &'a Options<'a>,
    /// Says of a line whether it comes back.
    check: Option<Check<'a>>,
    failures: Vec<Failure>,
}

impl<const COLOR: bool> Stream<'_, COLOR> {
    /// Everything without comments or nesting. `Some` with the number of good instructions if a problem ended it.
    fn plain(&mut self) -> Option<usize> {
        let indent = if self.options.indent { layout::INDENT } else { 0 };
        let (mut at, mut index) = (5, 0);
        while at < self.decoder.words.len() && self.printer.out.open {
            index += 1;
            if self.options.keep_going && self.before_garbage(at) {
                if let Err(bad) = self.decoder.instruction(at, true, &mut decode::Nothing) {
                    self.report(&bad, at, index);
                }
                at = self.words(at, indent);
                continue;
            }
            let start = self.printer.out.pos;
            match self.printer.line(&mut self.decoder, at, indent, 0, true) {
                Ok(next) if !self.comes_back(start, at, next) => {
                    self.printer.out.pos = start;
                    at = self.words(at, indent);
                }
                Ok(next) => {
                    self.printer.out.reserve(1);
                    self.printer.out.byte(b'\n');
                    at = next;
                }
                Err(bad) => match self.recover(&bad, at, index, indent) {
                    Recovery::Stop => return Some(index - 1),
                    Recovery::Printed(next) => at = next,
                },
            }
            self.printer.out.flush_if_full();
        }
        None
    }

    /// Whether the line from `start` on can stay for the instruction in the words from `at` to `next`.
    #[inline]
    fn comes_back(&mut self, start: usize, at: usize, next: usize) -> bool {
        let Some(check) = &mut self.check else { return true };
        let line = self.printer.out.text().get(start..).or_impossible(&[]);
        check.comes_back(line, self.decoder.words.get(at..next).or_impossible(&[]))
    }

    /// Whether the instruction here is whole but followed by what cannot be one. As that will be printed as `!` words,
    /// which could be taken for further operands, this one must say how many it has.
    fn before_garbage(&self, at: usize) -> bool {
        let words = self.decoder.words;
        let count = |at: usize| words.get(at).map_or(0, |w| (w >> 16) as usize);
        let next = at + count(at);
        let whole = |at: usize| count(at) > 0 && at + count(at) <= words.len();
        whole(at) && next < words.len() && !whole(next)
    }

    /// After a failed instruction: ends, or prints it as words.
    fn recover(&mut self, bad: &Bad, at: usize, index: usize, indent: usize) -> Recovery {
        if !self.report(bad, at, index) || self.options.keep_going {
            return Recovery::Printed(self.words(at, indent));
        }
        Recovery::Stop
    }

    /// Notes a failure; false if it is one to be passed over.
    fn report(&mut self, bad: &Bad, at: usize, index: usize) -> bool {
        if self.options.unknown_opcodes && bad.unknown {
            return false;
        }
        if self.failures.len() < isaglot_source::limits::MAX_DIAGNOSTICS {
            self.failures.push(Failure {
                reason: bad.reason,
                status: bad.status,
                index,
                word: at,
                message: bad.message.clone(),
            });
        }
        true
    }

    /// Prints an instruction as words: `OpUnknown` if its word count can be right, else `!` and one word.
    fn words(&mut self, at: usize, indent: usize) -> usize {
        let words = self.decoder.words;
        let first = words.get(at).copied().unwrap_or(0);
        let count = (first >> 16) as usize;
        let out = &mut self.printer.out;
        out.spaces(indent);
        match words.get(at + 1..at + count) {
            Some(rest) => {
                out.bytes(b"OpUnknown(");
                out.decimal(first & 0xffff);
                out.bytes(b", ");
                out.decimal(count as u32);
                out.bytes(b")");
                for &w in rest {
                    out.bytes(b" ");
                    out.decimal(w);
                }
                out.bytes(b"  ; note: ID bound may be incorrect after reassembly\n");
                at + count
            }
            None => {
                out.bytes(b"!");
                out.decimal(first);
                out.bytes(b"\n");
                at + 1
            }
        }
    }
}
