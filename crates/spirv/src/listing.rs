//! A module as JSON: header, sections, functions, blocks with their edges, and for every instruction its place, text,
//! the id it defines and the ids it uses.
//!
//! The schema is `isaglot-spirv-listing/1`: offsets are bytes from the start of the file, ids are numbers, `name` is an
//! id's friendly name where it has one other than its number. What cannot be decoded is listed with its `error`.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::dis::decode::{Decoder, Sink};
use crate::dis::names::{Names, Reach, friendly};
use crate::dis::print::{Out, Printer};
use crate::dis::{Failure, Options, module};
use crate::grammar::rows::*;
use crate::instructions::Instructions;
use crate::number::NumberType;

/// The name of the schema.
pub const SCHEMA: &str = "isaglot-spirv-listing/1";

#[derive(Serialize)]
struct Listing {
    schema: &'static str,
    version: String,
    generator: Generator,
    bound: u32,
    reserved: u32,
    sections: Vec<Section>,
    functions: Vec<Function>,
}

#[derive(Serialize)]
struct Generator {
    tool: u32,
    name: Option<String>,
    version: u32,
}

#[derive(Serialize)]
struct Section {
    name: &'static str,
    instructions: Vec<Line>,
}

#[derive(Serialize, Default)]
struct Function {
    id: Option<u32>,
    name: Option<String>,
    /// `OpFunction` and its parameters.
    head: Vec<Line>,
    blocks: Vec<Block>,
    /// `OpFunctionEnd`, if there.
    end: Vec<Line>,
}

#[derive(Serialize, Default)]
struct Block {
    label: u32,
    name: Option<String>,
    #[serde(rename = "preds")]
    predecessors: Vec<u32>,
    #[serde(rename = "succs")]
    successors: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merge: Option<u32>,
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    continues: Option<u32>,
    instructions: Vec<Line>,
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
fn named(names: &Names, id: u32) -> Option<String> {
    let mut name = Vec::new();
    names.push(&mut name, id);
    let name = String::from_utf8_lossy(&name).into_owned();
    (name != id.to_string()).then_some(name)
}

/// Edges of a block from its last instruction and the merge before it.
fn edges(block: &mut Block, lines: &[&[u32]], label_words: &dyn Fn(u32) -> usize) {
    let Some((last, before)) = lines.split_last() else { return };
    match before.last() {
        Some([first, m, c, ..]) if *first as u16 == 246 => {
            block.merge = Some(*m);
            block.continues = Some(*c);
        }
        Some([first, m, ..]) if *first as u16 == 247 => block.merge = Some(*m),
        _ => {}
    }
    match last {
        [first, target, ..] if *first as u16 == 249 => block.successors.push(*target),
        [first, _, t, f, ..] if *first as u16 == 250 => block.successors.extend([*t, *f]),
        [first, selector, default, cases @ ..] if *first as u16 == 251 => {
            block.successors.push(*default);
            let step = label_words(*selector) + 1;
            block.successors.extend(cases.chunks_exact(step).filter_map(|c| c.last()));
        }
        _ => {}
    }
    let mut seen = FxHashSet::default();
    block.successors.retain(|s| seen.insert(*s));
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
    let module = match module(words, options) {
        Ok(m) => m,
        Err(f) => return ("null\n".to_owned(), vec![f]),
    };
    let words = &*module.words;
    let grammar = options.grammar;
    let names = if options.raw_id { Names::default() } else { friendly(words, grammar, Reach::All) };
    let mut printer = Printer::<false> {
        grammar,
        names: &names,
        wide: options.wide_numbers,
        out: Out::new(),
        hidden: 0,
        scratch: Vec::new(),
    };
    let mut decoder = Decoder::new(words, grammar, module.raw_imports);
    let word = |i: usize| words.get(i).copied().unwrap_or(0);
    let tool = word(2) >> 16;
    let mut listing = Listing {
        schema: SCHEMA,
        version: format!("{}.{}", word(1) >> 16 & 0xff, word(1) >> 8 & 0xff),
        generator: Generator { tool, name: grammar.vendor(tool as u16).map(str::to_owned), version: word(2) & 0xffff },
        bound: word(3),
        reserved: word(4),
        sections: Vec::new(),
        functions: Vec::new(),
    };
    let mut failures = Vec::new();
    let mut function: Option<Function> = None;
    let mut block: Vec<&[u32]> = Vec::new();
    for (index, i) in Instructions::new(words).enumerate() {
        let mut ids = Ids::default();
        let error = match decoder.instruction(i.offset, true, &mut ids) {
            Ok(_) => None,
            Err(bad) => {
                let message = bad.message.clone();
                let failure = Failure { status: bad.status, index: index + 1, word: i.offset, message: bad.message };
                failures.push(failure);
                Some(message)
            }
        };
        printer.out.clear();
        let printed = error.is_none() && printer.line(&mut decoder, i.offset, 0, 0, false).is_ok();
        let text = if printed { String::from_utf8_lossy(printer.out.text()).into_owned() } else { String::new() };
        let op = grammar.op(i.opcode);
        let line = Line {
            offset: i.offset * 4,
            words: i.words.len(),
            opcode: i.opcode,
            op: op.map_or("OpUnknown", |o| grammar.str(o.name)).to_owned(),
            text,
            defines: ids.defines,
            name: ids.defines.and_then(|id| named(&names, id)),
            result_type: ids.result_type,
            uses: ids.uses,
            error,
        };
        match (i.opcode, &mut function) {
            (54, _) => {
                close(&mut listing, &mut function, &mut block, &decoder);
                let name = line.name.clone();
                function = Some(Function { id: line.defines, name, head: vec![line], ..Function::default() });
            }
            (56, Some(f)) => {
                f.end.push(line);
                close(&mut listing, &mut function, &mut block, &decoder);
            }
            (248, Some(f)) => {
                finish_block(f, &mut block, &decoder);
                let label = line.defines.unwrap_or(0);
                block.push(i.words);
                f.blocks.push(Block { label, name: line.name.clone(), instructions: vec![line], ..Block::default() });
            }
            (_, Some(f)) => match f.blocks.last_mut() {
                Some(b) => {
                    // Debug lines may stand anywhere and end nothing.
                    if !matches!(i.opcode, 8 | 317) {
                        block.push(i.words);
                    }
                    b.instructions.push(line);
                }
                None => f.head.push(line),
            },
            (_, None) => {
                let name = section(i.opcode, op.map_or(0, |o| o.flags));
                match listing.sections.last_mut().filter(|s| s.name == name) {
                    Some(s) => s.instructions.push(line),
                    None => listing.sections.push(Section { name, instructions: vec![line] }),
                }
            }
        }
    }
    close(&mut listing, &mut function, &mut block, &decoder);
    let mut text = serde_json::to_string(&listing).unwrap_or_else(|_| "null".to_owned());
    text.push('\n');
    (text, failures)
}

fn finish_block(f: &mut Function, block: &mut Vec<&[u32]>, decoder: &Decoder<'_, '_>) {
    if let Some(b) = f.blocks.last_mut() {
        edges(b, block, &|selector| decoder.label_words(selector));
    }
    block.clear();
}

/// Ends a function: its last block's edges, and who comes before whom.
fn close(listing: &mut Listing, function: &mut Option<Function>, block: &mut Vec<&[u32]>, decoder: &Decoder<'_, '_>) {
    let Some(mut f) = function.take() else { return };
    finish_block(&mut f, block, decoder);
    let index: FxHashMap<u32, usize> = f.blocks.iter().enumerate().map(|(i, b)| (b.label, i)).collect();
    let edges: Vec<(u32, u32)> =
        f.blocks.iter().flat_map(|b| b.successors.iter().map(move |s| (b.label, *s))).collect();
    for (from, to) in edges {
        if let Some(b) = index.get(&to).and_then(|&i| f.blocks.get_mut(i)) {
            b.predecessors.push(from);
        }
    }
    listing.functions.push(f);
}
