//! Where the command line takes part in a disassembly: custom texts, the form of words that are not valid instructions, the
//! trace of fields, and the annotated listing.

use isaglot::explain::plain_hex;
use isaglot::hint::{Help, Hint, MAX_WORDS, hint};
use isaglot_asm::{Hooks, Names, Options, Stream, Value};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_invariant::Impossible as _;
use isaglot_model::Isa;
use isaglot_source::Diagnostic;

/// How a word that is not a valid instruction looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum NoMatch {
    /// `no match: 0123…`, high word first.
    Hex,
    /// `raw 0x…`: the low word, then the high word, upper case without leading zeros; Mesa's ir3 does this.
    Pair,
    /// `[0123…]`; Mesa's afuc does this.
    Bracket,
}

/// The hooks of `isaglot disasm`.
pub(crate) struct Disassembly {
    /// The form of words that are not valid instructions.
    pub(crate) raw: NoMatch,
    /// Custom texts.
    pub(crate) names: Names,
    /// Write every field before it is printed.
    pub(crate) trace: bool,
    /// A word was not valid since this was last asked for.
    pub(crate) missed: bool,
    /// The words that were not valid.
    pub(crate) misses: Misses,
}

/// Bytes whose text is thrown away at once.
const PIECE: usize = 1 << 16;

/// Words that are not instructions: how many bytes they have in all, and the first of them but for zeros, which fill gaps.
#[derive(Default)]
pub(crate) struct Misses {
    pub(crate) bytes: u64,
    pub(crate) words: Vec<Word>,
}

impl Misses {
    /// Adds a word.
    pub(crate) fn add(&mut self, word: &Word) {
        self.bytes += u64::from(word.width() / 8);
        if self.words.len() < MAX_WORDS && !word.is_zero() {
            self.words.push(word.clone());
        }
    }

    /// Adds the words of a program that are not valid; gives how many bytes make whole instructions.
    pub(crate) fn find(&mut self, plan: &Plan<'_>, bytes: &[u8]) -> usize {
        let mut stream = Stream::new(plan, Options { show_errors: false, ..Options::default() }, 0);
        let mut text = Vec::new();
        let mut at = 0;
        // In pieces, since the text is of no use.
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            text.clear();
            let used = stream.feed(rest.get(..PIECE).unwrap_or(rest), self, &mut text);
            if used == 0 {
                break;
            }
            at += used;
        }
        at
    }

    /// What to say of them, if they are most of a program of `total` bytes or something would help: `name` is what the
    /// description is called.
    pub(crate) fn advice(&self, plan: &Plan<'_>, name: &str, total: u64) -> Option<Diagnostic> {
        let few = self.words.is_empty() || self.bytes * 2 <= total;
        let hint = if self.words.is_empty() { None } else { hint(plan, &self.words) };
        // The bytes of a file lie one way: what is mostly right is not turned.
        let hint = hint.filter(|hint| !few || hint.help != Help::ByteOrder);
        if hint.is_none() && few {
            return None;
        }
        let message = format!("{} of {total} bytes are not instructions of {name}", self.bytes);
        let d = Diagnostic::warning("cli-no-match", message);
        let Some(Hint { help, words }) = hint else {
            return Some(d.note("neither another gen, nor other features, nor the other byte order would help"));
        };
        let isa = plan.isa();
        let option = match help {
            Help::Features(all) => {
                let names: Vec<&str> = all.iter().map(|&f| isa[f].name.as_str()).collect();
                format!("`--feature {}`", names.join(","))
            }
            Help::Generation(value) => {
                let named = isa.gens().iter().find(|gen_name| gen_name.value == value);
                format!("`--gen {}`", named.map_or(value.to_string(), |gen_name| gen_name.name.clone()))
            }
            Help::ByteOrder => "the other byte order".to_owned(),
        };
        let first = if self.words.len() < MAX_WORDS { "" } else { "the first " };
        Some(d.note(format!("with {option}, {words} of {first}{} such words would be", self.words.len())))
    }
}

/// Only the words that are not valid are of interest.
impl Hooks for Misses {
    fn wants_lines(&self) -> bool {
        false
    }

    fn no_match(&mut self, word: &Word, _: &mut Vec<u8>) {
        self.add(word);
    }
}

impl Disassembly {
    /// Whether a word was not valid since the last call.
    pub(crate) fn take_missed(&mut self) -> bool {
        std::mem::take(&mut self.missed)
    }
}

impl Hooks for Disassembly {
    fn wants_fields(&self) -> bool {
        self.trace
    }

    fn wants_lines(&self) -> bool {
        self.trace
    }

    fn custom_is_fixed(&self) -> bool {
        true
    }

    fn field(&mut self, reference: &str, value: Value<'_>, out: &mut Vec<u8>) {
        if !self.trace {
            return;
        }
        let name = reference.split(':').next().unwrap_or(reference);
        let text = match value {
            Value::Number(word) => format!("<{name}={}>", plain_hex(word)),
            Value::Text(text) => format!("<{name}={text}>"),
        };
        out.extend_from_slice(text.as_bytes());
    }

    fn custom(&mut self, reference: &str, value: u64, out: &mut Vec<u8>) {
        (&mut &self.names).custom(reference, value, out);
    }

    fn after(&mut self, _: u64, _: &Word, out: &mut Vec<u8>) {
        if self.trace {
            out.extend_from_slice(b"<post>");
        }
    }

    fn no_match(&mut self, word: &Word, out: &mut Vec<u8>) {
        self.missed = true;
        self.misses.add(word);
        match self.raw {
            NoMatch::Hex => {
                out.extend_from_slice(b"no match: ");
                word.write_hex(out);
            }
            NoMatch::Pair => {
                out.extend_from_slice(b"raw 0x");
                for part in word.words32() {
                    out.extend_from_slice(format!("{part:X}").as_bytes());
                }
            }
            NoMatch::Bracket => {
                out.push(b'[');
                word.write_hex(out);
                out.push(b']');
            }
        }
        out.push(b'\n');
    }
}

/// The annotated listing: offset and bytes in front of each instruction, colour on request.
pub(crate) struct Annotated {
    color: bool,
    /// Digits of a byte group, so that the text stands in one column.
    byte_columns: usize,
    /// The address of the next instruction.
    offset: u64,
    line: Vec<u8>,
}

const DIM: &str = "\x1b[2m";
const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[31m";
const CYAN: &str = "\x1b[36m";
const RESET: &str = "\x1b[0m";

impl Annotated {
    /// A listing of code that lies at an address.
    pub(crate) fn new(isa: &Isa, address: u64, color: bool) -> Annotated {
        // Wide instructions are shown in full; the column is as wide as the widest, within reason.
        let byte_columns = (isa.format().max_bits as usize / 8 * 3).min(3 * 16);
        Annotated { color, byte_columns, offset: address, line: Vec::new() }
    }

    /// Appends the lines of as many whole instructions as `bytes` holds; gives how many bytes they took.
    pub(crate) fn feed(
        &mut self,
        stream: &mut Stream<'_, '_>,
        bytes: &[u8],
        hooks: &mut Disassembly,
        out: &mut Vec<u8>,
    ) -> usize {
        let mut used = 0;
        loop {
            self.line.clear();
            let Some(size) = stream.step(bytes.get(used..).or_impossible(&[]), hooks, &mut self.line) else {
                return used;
            };
            let missed = hooks.take_missed();
            let text = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
            // Whatever stands before the last line is labels and blank lines.
            let (labels, text) = match text.iter().rposition(|&b| b == b'\n') {
                Some(at) => text.split_at(at + 1),
                None => (&b""[..], text),
            };
            self.labels(labels, out);
            let hex: String =
                bytes.get(used..used + size).or_impossible(&[]).iter().map(|b| format!("{b:02x} ")).collect();
            let prefix = format!("{:8x}:  {hex:<width$} ", self.offset, width = self.byte_columns);
            self.paint(DIM, prefix.as_bytes(), out);
            self.text(text, missed, out);
            out.push(b'\n');
            used += size;
            self.offset += size as u64;
        }
    }

    fn paint(&self, color: &str, text: &[u8], out: &mut Vec<u8>) {
        if self.color && !text.is_empty() {
            out.extend_from_slice(color.as_bytes());
            out.extend_from_slice(text);
            out.extend_from_slice(RESET.as_bytes());
        } else {
            out.extend_from_slice(text);
        }
    }

    fn labels(&self, labels: &[u8], out: &mut Vec<u8>) {
        for line in labels.split_inclusive(|&b| b == b'\n') {
            let name = line.strip_suffix(b"\n").unwrap_or(line);
            self.paint(CYAN, name, out);
            out.push(b'\n');
        }
    }

    /// The mnemonic bold, errors red; a word that is not valid red as a whole.
    fn text(&self, text: &[u8], missed: bool, out: &mut Vec<u8>) {
        if missed {
            return self.paint(RED, text, out);
        }
        let errors = text.windows(3).position(|w| w == b"\t; ").unwrap_or(text.len());
        let (shown, errors) = text.split_at(errors);
        let mnemonic = shown.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(shown.len());
        let (mnemonic, operands) = shown.split_at(mnemonic);
        self.paint(BOLD, mnemonic, out);
        out.extend_from_slice(operands);
        self.paint(RED, errors, out);
    }
}
