//! What a person asks about: a word in hex or binary, its bytes, or assembly; and the words that it means.
//!
//! Many mnemonics are made of hex digits: `add` is also 0x0add. What a person types in letters is a mnemonic, so a text that
//! begins with a letter is assembled first, and is a number only if no instruction has that name. A mnemonic with
//! missing operands is a problem that the assembler explains, never a number.

use isaglot_asm::{Assembler, Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};

use crate::explain;
use crate::spec::SubjectKind;
use crate::text;

/// The code of the assembler's problem that no instruction has a name.
const UNKNOWN: &str = "asm-unknown-mnemonic";

/// What a text is.
pub enum Question {
    /// A number, as one word.
    Word(Word),
    /// Assembly, as the bytes that it makes.
    Assembly(Vec<u8>),
}

/// Reads a question. The text is added to `files`, for what is said of it.
///
/// # Errors
/// What is wrong with the number, or with the assembly.
pub fn read(
    kind: SubjectKind,
    assembler: &mut Assembler<'_, '_>,
    files: &mut SourceMap,
    text: &str,
) -> Result<Question, Diagnostics> {
    let text = text.trim();
    let number = |assembler: &Assembler<'_, '_>| Ok(Question::Word(explain::word(assembler.plan(), text)?));
    let looks = looks(text);
    if looks == Looks::Number {
        return number(assembler);
    }
    match assemble(kind, assembler, files, text) {
        Ok(bytes) => Ok(Question::Assembly(bytes)),
        Err(problems) if looks == Looks::Either && problems.iter().any(|d| d.code == UNKNOWN) => number(assembler),
        Err(problems) => Err(problems),
    }
}

/// What a text can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// It begins as numbers do.
    Number,
    /// Hex digits that begin with a letter: a number, if no instruction is called so.
    Either,
    /// Anything else.
    Assembly,
}

/// What a text can be, by its letters.
#[must_use]
pub fn looks(text: &str) -> Looks {
    let prefixed = ["0x", "0X", "0b", "0B"].iter().any(|prefix| text.starts_with(prefix));
    let digits = text.chars().all(|c| c.is_ascii_hexdigit() || ":, _".contains(c));
    match digits {
        _ if prefixed => Looks::Number,
        true if !text.starts_with(|c: char| c.is_ascii_alphabetic()) => Looks::Number,
        true => Looks::Either,
        false => Looks::Assembly,
    }
}

/// The bytes of a line of assembly.
fn assemble(
    kind: SubjectKind,
    assembler: &mut Assembler<'_, '_>,
    files: &mut SourceMap,
    text: &str,
) -> Result<Vec<u8>, Diagnostics> {
    let file = files.add("text", text.as_bytes());
    let mut problems = Diagnostics::new();
    let image = text::assemble(kind, assembler, files, file, false, &mut problems);
    let bytes: Vec<u8> = image.into_iter().flat_map(|image| image.sections).flat_map(|s| s.bytes).collect();
    if !problems.has_errors() && bytes.is_empty() {
        problems.push(Diagnostic::error("cli-word", format!("`{text}` is not an instruction")));
    }
    if problems.has_errors() { Err(problems) } else { Ok(bytes) }
}

/// The instructions in the bytes, each as a word.
///
/// # Errors
/// For bytes that are less than an instruction: `.byte 1` assembles, but there is nothing to explain.
pub fn words(plan: &Plan<'_>, bytes: &[u8]) -> Result<Vec<Word>, Diagnostic> {
    let mut stream = Stream::new(plan, Options { show_errors: false, ..Options::default() }, 0);
    let (mut words, mut at, mut text) = (Vec::new(), 0, Vec::new());
    while let Some(size) = bytes.get(at..).and_then(|rest| stream.step(rest, &mut Plain, &mut text)) {
        let shown: Vec<String> = bytes.iter().skip(at).take(size).map(|b| format!("{b:02x}")).collect();
        words.push(explain::word(plan, &shown.join(" "))?);
        at += size;
    }
    match bytes.len() - at {
        0 => Ok(words),
        left => {
            Err(Diagnostic::error("cli-word", format!("bytes at the end that are less than an instruction: {left}")))
        }
    }
}
