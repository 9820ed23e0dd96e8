//! Comments, nesting and order: everything around the lines.
//!
//! Comments stand in a column that only moves right while they follow each other. With nesting or reordering, the
//! blocks of a function are held back as word indices until its end, when its control flow is known.

use isaglot_invariant::Impossible as _;

use super::cfg::{Block, Held};
use super::decode::{Nothing, Sink};
use super::print::{Out, color};
use super::{Recovery, Stream};
use crate::grammar::opcode;
use crate::grammar::rows::{ANNOTATION, DEBUG, GroupRow, ID_SCOPE, ID_SEMANTICS, MAKES_TYPE, Str};
use crate::limits;
use crate::meaning;
use crate::number::NumberType;
use crate::places::{Facts, Places};

/// Columns before the opcode.
pub(super) const INDENT: usize = 15;

/// Where comments begin at the earliest.
const COMMENT: usize = 50;

/// What the lines so far decide about the next ones.
struct Layout<'a> {
    /// Column of the previous line's comment.
    column: usize,
    /// The decorations so far: word index, and the number of the one before on the same id, or 0.
    decorations: Vec<(u32, u32)>,
    /// The number of the last decoration of an id, from 1.
    said: Facts<'a, 'a>,
    /// The word index of the instruction that makes a constant of one word.
    constants: Facts<'a, 'a>,
    annotations: bool,
    debug: bool,
    types: bool,
    /// Blocks held back.
    held: Held,
}

/// Prints everything. `Some` with the number of good instructions if a problem ended it.
pub(super) fn run<const COLOR: bool>(s: &mut Stream<'_, COLOR>, places: &Places<'_>) -> Option<usize> {
    let mut layout = Layout {
        column: 0,
        decorations: Vec::new(),
        said: Facts::new(places),
        constants: Facts::new(places),
        annotations: false,
        debug: false,
        types: false,
        held: Held::default(),
    };
    let hold = s.options.nested_indent || s.options.reorder_blocks;
    let indent = if s.options.indent { INDENT } else { 0 };
    let (mut at, mut index) = (5, 0);
    while at < s.decoder.words.len() && s.printer.out.open {
        index += 1;
        let opcode = s.decoder.words.get(at).copied().or_impossible(0) as u16;
        let words_only = s.options.keep_going && s.before_garbage(at);
        let next = match s.decoder.instruction(at, true, &mut Nothing) {
            Ok(next) if !words_only => {
                if s.options.comment {
                    section(s, &mut layout, at, opcode, indent);
                }
                next
            }
            Ok(_) => {
                let next = s.words(at, indent);
                layout.held.note(at);
                at = next;
                continue;
            }
            Err(bad) => {
                if hold && s.options.keep_going {
                    release(s, &mut layout, indent, at);
                }
                match s.recover(&bad, at, index, indent) {
                    Recovery::Stop => return Some(index - 1),
                    Recovery::Printed(next) => {
                        layout.held.note(at);
                        at = next;
                        continue;
                    }
                }
            }
        };
        match opcode {
            opcode::OpLabel if hold => layout.held.blocks.push(Block::new(at)),
            opcode::OpFunctionEnd if hold => {
                release(s, &mut layout, indent, at);
                line(s, &mut layout, at, indent, 0);
            }
            _ if layout.held.blocks.is_empty() => line(s, &mut layout, at, indent, 0),
            _ => {}
        }
        at = next;
        s.printer.out.flush_if_full();
    }
    // A function without end: what was held back is lost in the reference, and kept here only if that was asked for.
    if s.options.keep_going {
        release(s, &mut layout, indent, at);
    }
    None
}

/// The comment before a section or function.
fn section<const COLOR: bool>(
    s: &mut Stream<'_, COLOR>,
    layout: &mut Layout<'_>,
    at: usize,
    opcode: u16,
    indent: usize,
) {
    let flags = s.options.grammar.op(opcode).map_or(0, |o| o.flags);
    let out = &mut s.printer.out;
    if opcode == opcode::OpFunction {
        out.bytes(if s.options.nested_indent { b"\n\n" } else { b"\n" });
        out.spaces(indent);
        out.bytes(b"; Function ");
        let mut name = Vec::new();
        s.printer.names.push(&mut name, s.decoder.words.get(at + 2).copied().unwrap_or(0));
        out.bytes(&name);
        out.bytes(b"\n");
    }
    let mut once = |seen: &mut bool, flag: u8, title: &[u8]| {
        if flags & flag != 0 && !std::mem::replace(seen, true) {
            out.bytes(b"\n");
            out.spaces(indent);
            out.bytes(title);
        }
    };
    once(&mut layout.annotations, ANNOTATION, b"; Annotations\n");
    once(&mut layout.debug, DEBUG, b"; Debug Information\n");
    once(&mut layout.types, MAKES_TYPE, b"; Types, variables and constants\n");
}

/// Prints the blocks held back, which end at this word.
fn release<const COLOR: bool>(s: &mut Stream<'_, COLOR>, layout: &mut Layout<'_>, indent: usize, end: usize) {
    let mut held = std::mem::take(&mut layout.held);
    if held.blocks.is_empty() {
        return;
    }
    held.end = end;
    let (decoder, words) = (&s.decoder, s.decoder.words);
    let order = held.analyse(words, &|selector| decoder.label_words(selector));
    for n in 0..held.blocks.len() {
        let n = if s.options.reorder_blocks { order.get(n).map_or(n, |&n| n as usize) } else { n };
        let mut nest = 0;
        if s.options.nested_indent {
            s.printer.out.bytes(b"\n");
            nest = 2 * held.blocks.get(n).map_or(0, |block| block.level() as usize);
        }
        for (i, instruction) in held.instructions(n, words).enumerate() {
            let nest = if i > 0 && s.options.nested_indent { nest + 2 } else { nest };
            line(s, layout, instruction.offset, indent, nest);
            s.printer.out.flush_if_full();
        }
    }
}

/// One instruction with its comment.
fn line<const COLOR: bool>(s: &mut Stream<'_, COLOR>, layout: &mut Layout<'_>, at: usize, indent: usize, nest: usize) {
    let start = s.printer.out.written();
    if s.printer.line(&mut s.decoder, at, indent, nest, false).is_err() {
        s.words(at, indent);
        return;
    }
    let len = s.printer.out.written() - start - s.printer.hidden;
    let mut comment = Comment { len, column: layout.column, any: false };
    if s.options.offsets {
        comment.part(&mut s.printer.out);
        if COLOR {
            s.printer.out.bytes(color::GREY);
        }
        s.printer.out.bytes(format!("0x{:08x}", at * 4).as_bytes());
        if COLOR {
            s.printer.out.bytes(color::RESET);
        }
    }
    if s.options.comment {
        said(s, layout, at, &mut comment);
    }
    if s.options.meanings {
        meant(s, layout, at, &mut comment);
    }
    layout.column = if comment.any { comment.column.min(limits::COMMENT_COLUMN) } else { 0 };
    s.printer.out.bytes(b"\n");
}

/// The comment of a line, written part by part.
struct Comment {
    /// Columns of the line without it.
    len: usize,
    /// Its column; before it has any part that of the line before.
    column: usize,
    any: bool,
}

impl Comment {
    /// What stands before the next part.
    fn part(&mut self, out: &mut Out<'_>) {
        if std::mem::replace(&mut self.any, true) {
            return out.bytes(b", ");
        }
        self.column = (self.len + 2).max(self.column).max(COMMENT).next_multiple_of(4);
        out.spaces(self.column - self.len);
        out.bytes(b"; ");
    }
}

/// What decorations said of a result; which id a name is for. Notes what a decoration says.
fn said<const COLOR: bool>(s: &mut Stream<'_, COLOR>, layout: &mut Layout<'_>, at: usize, comment: &mut Comment) {
    let words = s.decoder.words;
    let opcode = words.get(at).copied().unwrap_or(0) as u16;
    let op = s.options.grammar.op(opcode);
    let result = op.and_then(|op| op.result_place()).and_then(|i| words.get(at + i));
    // The last one is found first.
    let mut number = result.map_or(0, |&id| layout.said.get(id));
    let mut all = Vec::new();
    while let Some(&(at, before)) = (number as usize).checked_sub(1).and_then(|n| layout.decorations.get(n)) {
        all.push(at);
        number = before;
    }
    for &at in all.iter().rev() {
        let text = s.payload(at as usize);
        comment.part(&mut s.printer.out);
        s.printer.out.bytes(&text);
        s.printer.out.flush_if_full();
    }
    let target = words.get(at + 1).copied().unwrap_or(0);
    match opcode {
        opcode::OpName => {
            comment.part(&mut s.printer.out);
            s.printer.out.bytes(format!("id %{target}").as_bytes());
        }
        opcode::OpDecorate => {
            layout.decorations.push((at as u32, layout.said.get(target)));
            layout.said.set(target, layout.decorations.len() as u32);
        }
        _ => {}
    }
}

/// The operands of an instruction that are constants with names: their kinds and ids.
#[derive(Default)]
struct Named {
    ids: Vec<(u8, u32)>,
}

impl Sink for Named {
    fn id(&mut self, kind: u8, id: u32) {
        if (kind == ID_SCOPE || kind == ID_SEMANTICS) && self.ids.len() < limits::NAMED_CONSTANTS {
            self.ids.push((kind, id));
        }
    }
    fn number(&mut self, _: &[u32], _: NumberType) {}
    fn string(&mut self, _: &[u32]) {}
    fn name(&mut self, _: Str) {}
    fn mask(&mut self, _: &GroupRow, _: u32) {}
    fn nested(&mut self, _: Option<Str>, _: u32) {}
}

/// What the constants of a line mean, in the order of its operands; `?` for one whose value the module does not fix. Notes
/// a constant.
fn meant<const COLOR: bool>(s: &mut Stream<'_, COLOR>, layout: &mut Layout<'_>, at: usize, comment: &mut Comment) {
    let words = s.decoder.words;
    if let Some([first, _, id, _]) = words.get(at..at + 4)
        && *first == 4 << 16 | u32::from(opcode::OpConstant)
    {
        layout.constants.set(*id, at as u32);
    }
    let mut named = Named::default();
    if s.decoder.instruction(at, false, &mut named).is_err() || named.ids.is_empty() {
        return;
    }
    let meaning = |&(kind, id): &(u8, u32)| {
        let place = Some(layout.constants.get(id) as usize).filter(|place| *place > 0)?;
        meaning::names(s.options.grammar, kind, *words.get(place + 3)?)
    };
    let meanings: Vec<Option<String>> = named.ids.iter().map(meaning).collect();
    if meanings.iter().any(Option::is_some) {
        let texts: Vec<&str> = meanings.iter().map(|m| m.as_deref().unwrap_or("?")).collect();
        comment.part(&mut s.printer.out);
        s.printer.out.bytes(texts.join(", ").as_bytes());
    }
}

impl<const COLOR: bool> Stream<'_, COLOR> {
    /// What a decoration says: its line from the third word on.
    fn payload(&mut self, at: usize) -> Vec<u8> {
        let outer = std::mem::replace(&mut self.printer.out, Out::new(None));
        let hidden = self.printer.hidden;
        let printed = self.printer.line(&mut self.decoder, at, 0, 0, false);
        let line = std::mem::replace(&mut self.printer.out, outer);
        self.printer.hidden = hidden;
        let text = if printed.is_ok() { line.text() } else { &[] };
        text.splitn(3, |&b| b == b' ').nth(2).unwrap_or(&[]).to_vec()
    }
}
