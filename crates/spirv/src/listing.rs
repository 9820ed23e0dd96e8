//! A module as JSON: header, sections, functions, blocks with their edges, and for every instruction its place, text,
//! the id it defines and the ids it uses.
//!
//! The schema is `isaglot-spirv-listing/1`: offsets are bytes from the start of the file, ids are numbers, `name` is an
//! id's friendly name where it has one other than its number. What cannot be decoded is listed with its `error`.

use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::dis::decode::{Decoder, Nothing, Sink};
use crate::dis::namer::{Reach, friendly};
use crate::dis::names::Names;
use crate::dis::print::{Out, Printer};
use crate::dis::{Failure, Options, Write, module};
use crate::grammar::rows::*;
use crate::instructions::{Instruction, Instructions};
use crate::limits;
use crate::number::NumberType;
use crate::places::Places;

/// The name of the schema.
pub const SCHEMA: &str = "isaglot-spirv-listing/1";

/// Where a function lies.
#[derive(Clone, Copy)]
struct Function {
    /// The word index of `OpFunction`.
    start: u32,
    /// The word index after its last instruction.
    end: u32,
}

/// A block of a function.
#[derive(Clone, Copy)]
struct Block {
    label: u32,
    /// The word index of its label.
    start: u32,
}

/// Where a block goes; read from its last instructions when it is asked.
#[derive(Default)]
struct Edges {
    successors: Vec<u32>,
    merge: Option<u32>,
    continues: Option<u32>,
}

#[derive(Serialize)]
struct Line {
    offset: usize,
    words: usize,
    opcode: u16,
    op: String,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    defines: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    result_type: Option<u32>,
    uses: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Collects ids.
#[derive(Default)]
struct Ids {
    defines: Option<u32>,
    result_type: Option<u32>,
    uses: Vec<u32>,
}

impl Sink for Ids {
    fn id(&mut self, kind: u8, id: u32) {
        match kind {
            ID_RESULT => self.defines = Some(id),
            ID_RESULT_TYPE => self.result_type = Some(id),
            _ => self.uses.push(id),
        }
    }
    fn number(&mut self, _: &[u32], _: NumberType) {}
    fn string(&mut self, _: &[u32]) {}
    fn name(&mut self, _: Str) {}
    fn mask(&mut self, _: &GroupRow, _: u32) {}
    fn nested(&mut self, _: Option<Str>, _: u32) {}
}

/// Where an instruction outside functions belongs.
fn section(opcode: u16, flags: u8) -> &'static str {
    match opcode {
        17 => "capabilities",
        10 => "extensions",
        11 => "imports",
        14 => "memory model",
        15 => "entry points",
        16 | 331 => "execution modes",
        _ if flags & DEBUG != 0 => "debug",
        _ if flags & ANNOTATION != 0 => "annotations",
        _ => "types, constants and variables",
    }
}

/// An id's name if it is not its number.
fn named(names: &Names<'_>, id: u32) -> Option<String> {
    let mut name = Vec::new();
    names.push(&mut name, id);
    let name = String::from_utf8_lossy(&name).into_owned();
    (name != id.to_string()).then_some(name)
}

/// Edges of the block in these words from its last instruction and the merge before it; debug lines end nothing.
fn edges(words: &[u32], start: u32, end: u32, label_words: &dyn Fn(u32) -> usize) -> Edges {
    let mut edges = Edges::default();
    let (mut before, mut last) = (None, None);
    let all = Instructions::from(words, start as usize).take_while(|i| i.offset < end as usize);
    for i in all.filter(|i| !matches!(i.opcode, 8 | 317)) {
        (before, last) = (last, Some((i.opcode, i.operands())));
    }
    match before {
        Some((246, [m, c, ..])) => (edges.merge, edges.continues) = (Some(*m), Some(*c)),
        Some((247, [m, ..])) => edges.merge = Some(*m),
        _ => {}
    }
    match last {
        Some((249, [target, ..])) => edges.successors.push(*target),
        Some((250, [_, t, f, ..])) => edges.successors.extend([*t, *f]),
        Some((251, [selector, default, cases @ ..])) => {
            edges.successors.push(*default);
            let step = label_words(*selector) + 1;
            edges.successors.extend(cases.chunks_exact(step).filter_map(|c| c.last()));
        }
        _ => {}
    }
    if edges.successors.len() > 1 {
        let mut seen = FxHashSet::default();
        edges.successors.retain(|s| seen.insert(*s));
    }
    edges
}

/// The listing of a module, and what is wrong with it; what is wrong in the header leaves no listing but `null`.
///
/// ```
/// use isaglot_spirv::{asm, listing};
///
/// let words = asm::assemble(b"%v = OpTypeVoid\n", &Default::default()).words;
/// let (json, failures) = listing::json(&words, &Default::default());
/// assert!(failures.is_empty() && json.contains("\"defines\":1"));
/// ```
pub fn json(words: &[u32], options: &Options<'_>) -> (String, Vec<Failure>) {
    let mut text = Vec::new();
    let failures = json_to(words, options, &mut |bytes| {
        text.extend_from_slice(bytes);
        true
    });
    (String::from_utf8_lossy(&text).into_owned(), failures)
}

/// As [`json`], handed on in pieces of about [`limits::CHUNK_BYTES`].
pub fn json_to(words: &[u32], options: &Options<'_>, write: &mut Write<'_>) -> Vec<Failure> {
    let module = match module(words, options) {
        Ok(m) => m,
        Err(f) => {
            write(b"null\n");
            return vec![f];
        }
    };
    let words = &*module.words;
    let grammar = options.grammar;
    let places = Places::new(words, grammar);
    let names = match options.raw_id {
        true => Names::none(words, &places, grammar),
        false => friendly(words, &places, grammar, Reach::All),
    };
    let printer = Printer::<false> {
        grammar,
        names: &names,
        wide: options.wide_numbers,
        out: Out::new(None),
        hidden: 0,
        scratch: Vec::new(),
    };
    let decoder = Decoder::new(words, &places, grammar, module.raw_imports);
    let mut w = Writer { words, names: &names, printer, decoder, out: Vec::new(), write, failures: Vec::new() };
    w.module();
    w.failures
}

/// Writes the listing while it walks.
struct Writer<'a, 'w, 'o> {
    words: &'a [u32],
    names: &'a Names<'a>,
    printer: Printer<'a, false>,
    decoder: Decoder<'a>,
    out: Vec<u8>,
    write: &'w mut Write<'o>,
    failures: Vec<Failure>,
}

impl Writer<'_, '_, '_> {
    fn text(&mut self, s: &str) {
        self.out.extend_from_slice(s.as_bytes());
    }

    fn value(&mut self, v: &impl Serialize) {
        // Writing to memory cannot fail, and these values have no maps with odd keys.
        let _ = serde_json::to_writer(&mut self.out, v);
    }

    fn member(&mut self, name: &str, v: &impl Serialize) {
        self.text(&format!(",\"{name}\":"));
        self.value(v);
    }

    fn flush(&mut self) {
        (self.write)(&self.out);
        self.out.clear();
    }

    fn module(&mut self) {
        let word = |i: usize| self.words.get(i).copied().unwrap_or(0);
        let (version, tool, rest, bound, reserved) = (word(1), word(2) >> 16, word(2) & 0xffff, word(3), word(4));
        self.text("{\"schema\":");
        self.value(&SCHEMA);
        self.member("version", &format!("{}.{}", version >> 16 & 0xff, version >> 8 & 0xff));
        let vendor = self.printer.grammar.vendor(tool as u16);
        self.member("generator", &serde_json::json!({"tool": tool, "name": vendor, "version": rest}));
        self.member("bound", &bound);
        self.member("reserved", &reserved);
        // Sections come before functions in a module, but need not: functions are noted and written after.
        self.text(",\"sections\":[");
        let mut functions: Vec<Function> = Vec::new();
        let mut inside = false;
        let mut open: Option<&'static str> = None;
        for (index, i) in Instructions::new(self.words).enumerate() {
            if let Err(bad) = self.decoder.instruction(i.offset, true, &mut Nothing)
                && self.failures.len() < isaglot_source::limits::MAX_DIAGNOSTICS
            {
                let failure = Failure { status: bad.status, index: index + 1, word: i.offset, message: bad.message };
                self.failures.push(failure);
            }
            let end = (i.offset + i.words.len()) as u32;
            match (i.opcode, functions.last_mut().filter(|_| inside)) {
                (54, _) => {
                    functions.push(Function { start: i.offset as u32, end });
                    inside = true;
                }
                (opcode, Some(f)) => {
                    f.end = end;
                    inside = opcode != 56;
                }
                (opcode, None) => {
                    let flags = self.printer.grammar.op(opcode).map_or(0, |o| o.flags);
                    let name = section(opcode, flags);
                    if open != Some(name) {
                        self.text(if open.is_some() { "]},{\"name\":" } else { "{\"name\":" });
                        self.value(&name);
                        self.text(",\"instructions\":[");
                        open = Some(name);
                    } else {
                        self.text(",");
                    }
                    self.line(i.offset);
                }
            }
        }
        self.text(if open.is_some() { "]}]" } else { "]" });
        self.text(",\"functions\":[");
        for (n, f) in functions.into_iter().enumerate() {
            self.text(if n > 0 { "," } else { "" });
            self.function(f);
        }
        self.text("]}\n");
        self.flush();
    }

    fn function(&mut self, f: Function) {
        let words = self.words;
        let inside = move |from: u32, to: u32| {
            Instructions::from(words, from as usize).take_while(move |i| i.offset < to as usize)
        };
        // Blocks end where the next one begins, the last one at `OpFunctionEnd`.
        let mut blocks: Vec<Block> = Vec::new();
        let mut body_end = f.end;
        for i in inside(f.start, f.end) {
            match i.opcode {
                248 => blocks.push(Block { label: i.operands().first().copied().unwrap_or(0), start: i.offset as u32 }),
                56 => body_end = i.offset as u32,
                _ => {}
            }
        }
        let head_end = blocks.first().map_or(body_end, |b| b.start);
        let end_of = |n: usize| blocks.get(n + 1).map_or(body_end, |b| b.start);
        let decoder = &self.decoder;
        let edges_of =
            |n: usize, block: &Block| edges(words, block.start, end_of(n), &|selector| decoder.label_words(selector));
        // (to, from) by number of block; of blocks with one label the last counts.
        let mut index: Vec<(u32, u32)> = blocks.iter().zip(0..).map(|(b, n)| (b.label, n)).collect();
        index.sort_unstable();
        let mut predecessors: Vec<(u32, u32)> = Vec::new();
        for (from, block) in blocks.iter().enumerate() {
            for to in edges_of(from, block).successors {
                let past = index.partition_point(|&(label, _)| label <= to);
                if let Some(&(_, to)) = past.checked_sub(1).and_then(|n| index.get(n)).filter(|(label, _)| *label == to)
                {
                    predecessors.push((to, from as u32));
                }
            }
        }
        drop(index);
        predecessors.sort_unstable();
        let id = words.get(f.start as usize + 2).copied();
        self.text("{\"id\":");
        self.value(&id);
        self.member("name", &id.and_then(|id| named(self.names, id)));
        self.lines("head", inside(f.start, head_end));
        self.text(",\"blocks\":[");
        for (n, b) in blocks.iter().enumerate() {
            let edges = edges(words, b.start, end_of(n), &|selector| self.decoder.label_words(selector));
            let first = predecessors.partition_point(|&(to, _)| (to as usize) < n);
            let from = predecessors.get(first..).unwrap_or(&[]).iter().take_while(|(to, _)| *to as usize == n);
            let from: Vec<u32> = from.filter_map(|(_, from)| blocks.get(*from as usize)).map(|b| b.label).collect();
            self.text(if n > 0 { ",{\"label\":" } else { "{\"label\":" });
            self.value(&b.label);
            self.member("name", &named(self.names, b.label));
            self.member("preds", &from);
            self.member("succs", &edges.successors);
            if let Some(m) = edges.merge {
                self.member("merge", &m);
            }
            if let Some(c) = edges.continues {
                self.member("continue", &c);
            }
            self.lines("instructions", inside(b.start, end_of(n)));
            self.text("}");
        }
        self.text("]");
        self.lines("end", inside(body_end, f.end));
        self.text("}");
    }

    fn lines<'w>(&mut self, name: &str, instructions: impl Iterator<Item = Instruction<'w>>) {
        self.text(&format!(",\"{name}\":["));
        for (n, i) in instructions.enumerate() {
            self.text(if n > 0 { "," } else { "" });
            self.line(i.offset);
        }
        self.text("]");
    }

    /// One instruction, decoded before.
    fn line(&mut self, at: usize) {
        let first = self.words.get(at).copied().unwrap_or(0);
        let mut ids = Ids::default();
        let noted = self.failures.binary_search_by_key(&at, |f| f.word).ok().and_then(|i| self.failures.get(i));
        let error = noted.map(|f| f.message.clone());
        let error = self.decoder.instruction(at, false, &mut ids).err().map(|bad| bad.message).or(error);
        self.printer.out.clear();
        let printed = error.is_none() && self.printer.line(&mut self.decoder, at, 0, 0, false).is_ok();
        let text = if printed { String::from_utf8_lossy(self.printer.out.text()) } else { "".into() };
        let grammar = self.printer.grammar;
        let whole = at + (first >> 16) as usize <= self.words.len();
        let line = Line {
            offset: at * 4,
            words: if whole { ((first >> 16) as usize).max(1) } else { 1 },
            opcode: first as u16,
            op: grammar.op(first as u16).map_or("OpUnknown", |o| grammar.str(o.name)).to_owned(),
            text: text.into_owned(),
            defines: ids.defines,
            name: ids.defines.and_then(|id| named(self.names, id)),
            result_type: ids.result_type,
            uses: ids.uses,
            error,
        };
        self.value(&line);
        if self.out.len() > limits::CHUNK_BYTES {
            self.flush();
        }
    }
}
