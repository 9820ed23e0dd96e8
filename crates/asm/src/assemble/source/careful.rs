//! Lines into statements where a description displays texts that look like the syntax of an assembler.
//!
//! The problem: `; 5` is a comment, `a: 5` a label and an instruction, `.word 5` data, unless the description displays an
//! instruction so; whatever is taken for a comment is lost. Invariant: a line that the disassembler may have printed becomes
//! that instruction, or an error. The method, for a line that reads as anything but one instruction, and only where a text
//! of the description may look like that (`hazard`):
//!
//! 1. The whole line is an instruction if it can be read as one.
//! 2. Else a part of it is, after labels or before a comment, if one part alone can be read so.
//! 3. Else it is an error if the disassembler may print it.
//! 4. Else it is what it is for any other description.
//!
//! A line that the disassembler writes for something else, a label or an invalid word, and that is an instruction too, is an
//! error; so is a line with several such parts. `.instruction` says that what follows is an instruction.

use isaglot_invariant::Impossible as _;
use isaglot_model::EncodingId;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};

use super::statement::{
    Statement, StatementKind, TextSlice, comment, is_blank, is_too_large, piece, split_line, trim_end,
};
use crate::assemble::assembler::{Assembler, Made};
use crate::assemble::failure::Failure;
use crate::assemble::hazard::{Kinds, Suspects, Syntax};
use crate::assemble::limits::MAX_CUTS;
use crate::assemble::symbol::{Site, Symbol};

/// What the disassembler says of a word after its text.
const MARKS: &[&[u8]] =
    &[b"dontcare bits in ", b"bitset conflict: ", b"no match: ", b"WARNING: unexpected bits", b"no field '"];

/// What it says of a word that has no text.
const NO_TEXT: &[u8] = b": no display template";

/// Whether a line, from its comment on, has what the disassembler says of a bad word.
pub(super) fn is_marked(comment: &[u8]) -> bool {
    let said = comment.strip_prefix(b"; ").unwrap_or_default();
    MARKS.iter().any(|mark| said.starts_with(mark)) || memchr::memmem::find(said, NO_TEXT).is_some()
}

/// Splits a text.
struct Splitter<'x, 'p, 'a> {
    assembler: &'x mut Assembler<'p, 'a>,
    suspects: &'x Suspects,
    file: FileId,
    text: &'x [u8],
    out: &'x mut Diagnostics,
}

/// All statements of a text.
pub(super) fn split(
    assembler: &mut Assembler<'_, '_>,
    suspects: &Suspects,
    file: FileId,
    text: &[u8],
    out: &mut Diagnostics,
) -> Vec<Statement> {
    let mut splitter = Splitter { assembler, suspects, file, text, out };
    let mut statements = Vec::with_capacity(text.len() / 16);
    let mut start = 0usize;
    let mut labels = 0;
    for line_end in memchr::memchr_iter(b'\n', text).chain([text.len()]) {
        // After the last line break there is no line.
        if start < text.len() {
            labels += splitter.line(start, line_end, &mut statements);
        }
        start = line_end + 1;
        if is_too_large(labels, start, splitter.out) {
            break;
        }
    }
    statements
}

impl Splitter<'_, '_, '_> {
    /// Adds the statements of a line; how many labels there are.
    fn line(&mut self, start: usize, line_end: usize, statements: &mut Vec<Statement>) -> usize {
        let (from, mut own) = (statements.len(), Diagnostics::new());
        let edges = self.suspects.kinds.has(Syntax::Edge);
        let labels = split_line(self.file, self.text, (start, line_end), edges, statements, &mut own);
        let plain = statements.get(from..).or_impossible(&[]);
        let line = self.text.get(start..line_end).or_impossible(&[]);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let cut = comment(line);
        let whole = piece(start, start + line.len());
        if self.suspects.kinds.has(Syntax::Break)
            && let Some(encoding) = self.suspects.first_of_several(line)
        {
            statements.truncate(from);
            let message =
                format!("`{}` is displayed with line breaks, and this may be its first line", self.name(encoding));
            self.out.push(Diagnostic::error("asm-reading", message).label(whole.span(self.file), "here"));
            return 0;
        }
        let kinds = self.kinds(plain, line, cut);
        if !kinds.meets(self.suspects.kinds) {
            let empty = plain.is_empty() && own.is_empty();
            if empty && cut < line.len() && self.unmarked(line, cut, whole) {
                return 0;
            }
            self.take(own);
            return labels;
        }
        match self.choose(plain, (start, line, cut), kinds) {
            Choice::Plain => self.take(own),
            Choice::Part(labels, part) => {
                statements.truncate(from + labels);
                statements.push(Statement {
                    kind: StatementKind::Instruction,
                    piece: part,
                    rest: piece(part.end as usize, part.end as usize),
                });
                return labels;
            }
            Choice::Error(d) => {
                statements.truncate(from);
                self.out.push(d);
            }
        }
        labels
    }

    fn take(&mut self, own: Diagnostics) {
        own.iter().cloned().for_each(|d| self.out.push(d));
    }

    fn name(&self, encoding: EncodingId) -> String {
        let isa = self.assembler.plan().isa();
        isa.text(isa[encoding].name).to_owned()
    }

    /// Refuses a line that has only what the disassembler says of a word without a text.
    fn unmarked(&mut self, line: &[u8], cut: usize, whole: TextSlice) -> bool {
        let is = (self.suspects.silent || self.suspects.kinds.has(Syntax::Blank))
            && is_marked(line.get(cut..).or_impossible(&[]));
        if is {
            let d = Diagnostic::error("asm-reading", "this is what the disassembler says of a word that has no text");
            self.out.push(d.label(whole.span(self.file), "the word is not known"));
        }
        is
    }

    /// What a line is, apart from an instruction.
    fn kinds(&self, plain: &[Statement], line: &[u8], cut: usize) -> Kinds {
        let mut kinds = Kinds::default();
        if cut < line.len() {
            kinds.add(Syntax::Cut);
            kinds.add(Syntax::Comment);
        }
        if line.trim_ascii().is_empty() {
            kinds.add(Syntax::Blank);
        }
        for statement in plain {
            match statement.kind {
                StatementKind::Label => kinds.add(Syntax::Label),
                StatementKind::Define => kinds.add(Syntax::Define),
                StatementKind::Directive => kinds.add(Syntax::Directive),
                StatementKind::Data => kinds.add(Syntax::Data),
                StatementKind::NoMatch | StatementKind::Raw => kinds.add(Syntax::Word),
                StatementKind::Instruction => {}
            }
        }
        // What cannot be read as syntax has no statement; `.equ` becomes a definition, `.instruction` an instruction.
        let first = line.iter().find(|&&byte| !is_blank(byte));
        match first {
            Some(b'[') => kinds.add(Syntax::Data),
            Some(b'.') => kinds.add(Syntax::Directive),
            _ => {}
        }
        kinds
    }

    /// What a text is as an instruction, with any names.
    fn read(&mut self, part: TextSlice) -> Result<Made, Failure> {
        let later = |_: &[u8]| Some(Symbol::Later);
        let site = Site { symbol: &later, here: 0, place_bytes: self.assembler.place_bytes() };
        self.assembler.make(part.of(self.text), site, None, None)
    }

    /// What a line is that reads as these kinds of syntax.
    fn choose(&mut self, plain: &[Statement], (start, line, cut): (usize, &[u8], usize), kinds: Kinds) -> Choice {
        let text = self.text;
        let whole = piece(start, start + line.len());
        let strict = self.assembler.strict;
        if kinds.has(Syntax::Blank) {
            return match self.suspects.printed(line, kinds) {
                Some(encoding) if line.is_empty() || self.read(whole).is_ok() => {
                    self.refuse(whole, encoding, kinds, "an empty line is one of its texts")
                }
                _ => Choice::Plain,
            };
        }
        let trimmed = |from: usize, to: usize| {
            let skipped = text.get(from..to).or_impossible(&[]).iter().take_while(|&&byte| is_blank(byte)).count();
            piece(from + skipped, trim_end(text, from + skipped, to))
        };
        // The parts that may be an instruction: after so many labels, and up to this place.
        let mut ends = vec![start + line.len()];
        let cuts =
            (0..line.len()).rev().filter(|&at| line.get(at) == Some(&b';') || line.get(at..at + 2) == Some(b"//"));
        ends.extend(cuts.map(|at| start + at).take(MAX_CUTS));
        let is_all = |part: TextSlice| part == trimmed(start, start + line.len());
        let labels: Vec<usize> =
            plain.iter().take_while(|s| s.kind == StatementKind::Label).map(|s| s.piece.end as usize + 1).collect();
        let own = plain
            .last()
            .filter(|s| s.kind == StatementKind::Instruction)
            .map(|s| trimmed(s.piece.start as usize, s.piece.end as usize));
        let mut parts: Vec<(usize, TextSlice)> = Vec::new();
        for (count, &from) in [start].iter().chain(&labels).enumerate() {
            for &to in &ends {
                let part = trimmed(from, to.max(from));
                if part.start < part.end && Some(part) != own && self.suspects.may_be(part.of(text), kinds) {
                    parts.push((count, part));
                }
            }
        }
        // Labels and invalid words stand alone in lines of the disassembler.
        let is_printed =
            |s: &Statement| matches!(s.kind, StatementKind::Label | StatementKind::NoMatch | StatementKind::Raw);
        let printed = cut == line.len() && !plain.is_empty() && plain.iter().all(is_printed) && plain.len() == 1;
        let mut found: Vec<(usize, TextSlice)> = Vec::new();
        let mut unread = None;
        for &(count, part) in &parts {
            match self.read(if is_all(part) { whole } else { part }) {
                Ok(made) => {
                    if !is_all(part) {
                        found.push((count, part));
                        continue;
                    }
                    if printed || strict {
                        let encoding = self.suspects.printed(part.of(text), kinds);
                        let encoding = encoding.or_else(|| self.suspects.list.first().map(|s| s.encoding));
                        let Some(encoding) = encoding else { return Choice::Plain };
                        return self.refuse(whole, encoding, kinds, "it is an instruction, too");
                    }
                    if made.form.is_some() && made.known {
                        let d = Diagnostic::warning(
                            "asm-reading",
                            format!("this line is read as an instruction, not as {}", what(kinds)),
                        );
                        let d = d.label(part.span(self.file), "not as the disassembler prints it");
                        self.out.push(d.note("write `.instruction` before it to say so"));
                    }
                    return Choice::Part(0, whole);
                }
                // It is said when it is assembled.
                Err(Failure::Ambiguous { .. }) => return Choice::Part(count, part),
                Err(_) => {
                    let all = is_all(part).then_some(line);
                    let mut texts = [Some(part.of(text)), all].into_iter().flatten();
                    unread = unread.or_else(|| texts.find_map(|text| self.suspects.printed(text, kinds)));
                }
            }
        }
        let own_reads = match (own, found.is_empty()) {
            (Some(own), false) => self.read(own).is_ok(),
            _ => false,
        };
        match (found.as_slice(), unread) {
            ([(count, part)], None) if !own_reads && !strict => Choice::Part(*count, *part),
            ([], None) => Choice::Plain,
            ([], Some(encoding)) => {
                self.refuse(whole, encoding, kinds, "it may be one of its texts, which cannot be read")
            }
            ([(_, part), ..], _) => {
                let d =
                    Diagnostic::error("asm-reading", format!("this line may be {}, or an instruction", what(kinds)));
                let d = d.label(part.span(self.file), "this is an instruction");
                Choice::Error(d.note("write `.instruction` and the instruction in a line of their own"))
            }
        }
    }

    fn refuse(&self, whole: TextSlice, encoding: EncodingId, kinds: Kinds, why: &str) -> Choice {
        let message = format!("this line may be {}, or the instruction `{}`", what(kinds), self.name(encoding));
        let d = Diagnostic::error("asm-reading", message)
            .label(Span::new(self.file, whole.start as usize, whole.end as usize), why);
        Choice::Error(
            d.note(
                "write `.instruction` before an instruction; begin a comment with a sign that begins no instruction",
            ),
        )
    }
}

/// The first kind, for people.
fn what(kinds: Kinds) -> &'static str {
    let order =
        [Syntax::Label, Syntax::Define, Syntax::Directive, Syntax::Data, Syntax::Word, Syntax::Blank, Syntax::Cut];
    order.into_iter().find(|kind| kinds.has(*kind)).map_or("something else", |kind| match kind {
        Syntax::Cut => "a comment",
        kind => kind.what(),
    })
}

/// What a line is.
enum Choice {
    /// What it is for any description.
    Plain,
    /// After so many labels, an instruction.
    Part(usize, TextSlice),
    /// Nothing.
    Error(Diagnostic),
}
