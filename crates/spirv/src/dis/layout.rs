//! Comments, nesting and order: everything around the lines.
//!
//! Comments stand in a column that only moves right while they follow each other. With nesting or reordering, the
//! blocks of a function are held back as word indices until its end, when its control flow is known.

use rustc_hash::FxHashMap;

use super::cfg::{Block, analyse};
use super::decode::Nothing;
use super::print::color;
use super::{Recovery, Stream};
use crate::grammar::rows::{ANNOTATION, DEBUG, MAKES_TYPE};
use crate::limits;

/// Columns before the opcode.
pub(super) const INDENT: usize = 15;

/// Where comments begin at the earliest.
const COMMENT: usize = 50;

/// What the lines so far decide about the next ones.
#[derive(Default)]
struct Layout {
    /// Column of the previous line's comment.
    column: usize,
    /// What was said of an id by decorations.
    said: FxHashMap<u32, Vec<u8>>,
    annotations: bool,
    debug: bool,
    types: bool,
    /// Blocks held back.
    blocks: Vec<Block>,
}

/// Prints everything. `Some` with the number of good instructions if a problem ended it.
pub(super) fn run<const COLOR: bool>(s: &mut Stream<'_, '_, '_, COLOR>) -> Option<usize> {
    let mut layout = Layout::default();
    let hold = s.options.nested_indent || s.options.reorder_blocks;
    let indent = if s.options.indent { INDENT } else { 0 };
    let (mut at, mut index) = (5, 0);
    while at < s.decoder.words.len() && s.open {
        index += 1;
        let opcode = s.decoder.words.get(at).copied().unwrap_or(0) as u16;
        let words_only = s.options.keep_going && s.before_garbage(at);
        let next = match s.decoder.instruction(at, true, &mut Nothing) {
            Ok(next) if !words_only => {
                if s.options.comment {
                    section(s, &mut layout, at, opcode, indent);
                }
                next
            }
            Ok(_) => s.words(at, indent),
            Err(bad) => {
                if hold && !layout.blocks.is_empty() && s.options.keep_going {
                    release(s, &mut layout, indent);
                }
                match s.recover(&bad, at, index, indent) {
                    Recovery::Stop => return Some(index - 1),
                    Recovery::Printed(next) => {
                        at = next;
                        continue;
                    }
                }
            }
        };
        if words_only {
            at = next;
            continue;
        }
        match opcode {
            248 if hold => {
                layout.blocks.push(Block::new(at));
            }
            56 if hold => {
                release(s, &mut layout, indent);
                line(s, &mut layout, at, indent, 0);
            }
            _ => match layout.blocks.last_mut() {
                Some(block) => block.instructions.push(at),
                None => line(s, &mut layout, at, indent, 0),
            },
        }
        at = next;
        s.flush_if_full();
    }
    // A function without end: what was held back is lost in the reference, and kept here only if that was asked for.
    if s.options.keep_going {
        release(s, &mut layout, indent);
    }
    None
}

/// The comment before a section or function.
fn section<const COLOR: bool>(
    s: &mut Stream<'_, '_, '_, COLOR>,
    layout: &mut Layout,
    at: usize,
    opcode: u16,
    indent: usize,
) {
    let flags = s.options.grammar.op(opcode).map_or(0, |o| o.flags);
    let out = &mut s.printer.out;
    if opcode == 54 {
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

/// Prints the blocks held back.
fn release<const COLOR: bool>(s: &mut Stream<'_, '_, '_, COLOR>, layout: &mut Layout, indent: usize) {
    let mut blocks = std::mem::take(&mut layout.blocks);
    if blocks.is_empty() {
        return;
    }
    let decoder = &s.decoder;
    let order = analyse(&mut blocks, decoder.words, &|selector| decoder.label_words(selector));
    let order: Vec<usize> = if s.options.reorder_blocks { order } else { (0..blocks.len()).collect() };
    for block in order.iter().filter_map(|&i| blocks.get(i)) {
        let mut nest = 0;
        if s.options.nested_indent {
            s.printer.out.bytes(b"\n");
            nest = 2 * block.level as usize;
        }
        for (i, &at) in block.instructions.iter().enumerate() {
            let nest = if i > 0 && s.options.nested_indent { nest + 2 } else { nest };
            line(s, layout, at, indent, nest);
        }
        s.flush_if_full();
    }
}

/// One instruction with its comment.
fn line<const COLOR: bool>(
    s: &mut Stream<'_, '_, '_, COLOR>,
    layout: &mut Layout,
    at: usize,
    indent: usize,
    nest: usize,
) {
    let start = s.printer.out.pos;
    if s.printer.line(&mut s.decoder, at, indent, nest, false).is_err() {
        s.words(at, indent);
        return;
    }
    let first = s.decoder.words.get(at).copied().unwrap_or(0);
    let len = s.printer.out.pos - start - s.printer.hidden;
    let mut comment = Vec::new();
    if s.options.offsets {
        let offset = format!("0x{:08x}", at * 4);
        if COLOR {
            comment.extend_from_slice(color::GREY);
        }
        comment.extend_from_slice(offset.as_bytes());
        if COLOR {
            comment.extend_from_slice(color::RESET);
        }
    }
    if s.options.comment {
        let mut add = |part: &[u8]| {
            if !comment.is_empty() {
                comment.extend_from_slice(b", ");
            }
            comment.extend_from_slice(part);
        };
        let opcode = first as u16;
        let op = s.options.grammar.op(opcode);
        let result = op.and_then(|op| op.result_place()).and_then(|i| s.decoder.words.get(at + i));
        if let Some(said) = result.and_then(|id| layout.said.get(id)) {
            add(said);
        }
        let target = s.decoder.words.get(at + 1).copied().unwrap_or(0);
        match opcode {
            5 => add(format!("id %{target}").as_bytes()),
            71 => {
                let text = s.printer.out.text().get(start + indent + nest..).unwrap_or(&[]);
                let payload = text.splitn(3, |&b| b == b' ').nth(2).unwrap_or(&[]);
                let said = layout.said.entry(target).or_default();
                if !said.is_empty() {
                    said.extend_from_slice(b", ");
                }
                said.extend_from_slice(payload);
            }
            _ => {}
        }
    }
    if comment.is_empty() {
        layout.column = 0;
    } else {
        let column = (len + 2).max(layout.column).max(COMMENT).next_multiple_of(4);
        layout.column = column.min(limits::COMMENT_COLUMN);
        s.printer.out.spaces(column - len);
        s.printer.out.bytes(b"; ");
        s.printer.out.bytes(&comment);
    }
    s.printer.out.bytes(b"\n");
}
