//! An instruction of SPIR-V taken apart: its operands by the grammar, each with its bits and its place in the text.
//!
//! What the grammar cannot know without the module, the width of a number whose type is elsewhere and the operands of an instruction of an extended
//! set, is taken as words of its own.

use std::collections::BTreeMap;

use isaglot_model::EncodingId;
use isaglot_spirv::asm::MAGIC;
use isaglot_spirv::grammar::Grammar;
use isaglot_spirv::grammar::rows::{
    CASE_LABEL, EXT_INST, FIRST_ENUM, ID_RESULT, LITERAL_FLOAT, LITERAL_INTEGER, LITERAL_STRING, ONE, OPTIONAL, OpRow,
    OperandRow, PAIR, Program, REPEAT, SPEC_OP, TYPED_NUMBER,
};
use isaglot_spirv::{dis, grammar, instructions};
use serde_json::{Map, Value, json};

use crate::explain::json::FORM;

/// Words before the instructions of a module.
pub(super) const HEADER: usize = 5;

/// Operands that are taken apart; further ones are one field.
const MAX_OPERANDS: usize = 256;

/// The instructions of a module, as words.
pub(super) fn instructions(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    instructions::Instructions::new(words).map(|one| one.words)
}

/// Bytes as they lie in memory.
pub(super) fn bytes<'w>(words: impl Iterator<Item = &'w u32>) -> String {
    let all = words.flat_map(|word| word.to_le_bytes());
    all.map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// Words as one number, the first one in the lowest bits.
pub(super) fn hex(words: &[u32]) -> String {
    words.iter().rev().fold("0x".to_owned(), |text, word| text + &format!("{word:08x}"))
}

/// A part of an instruction.
struct Part {
    name: String,
    /// Words from and to.
    from: usize,
    to: usize,
    text: String,
    /// What kind of value it is, and the number of its enum.
    kind: &'static str,
    values: Option<usize>,
}

/// The walk over the operands.
struct Walk<'g, 'w> {
    grammar: Grammar<'g>,
    words: &'w [u32],
    at: usize,
    parts: Vec<Part>,
}

impl<'g> Walk<'g, '_> {
    /// Takes operands by a program; `None` if words are missing or an enum has no such value.
    fn program(&mut self, program: Program) -> Option<()> {
        let rows = self.grammar.program(program);
        let mut index = 0;
        while let Some(row) = rows.get(index) {
            let name = self.grammar.item_name(program, index);
            match row.quantifier {
                OPTIONAL if self.is_done() => {}
                REPEAT => {
                    while !self.is_done() {
                        self.operand(row, name)?;
                    }
                }
                PAIR => {
                    let (second, other) = (rows.get(index + 1)?, self.grammar.item_name(program, index + 1));
                    while !self.is_done() {
                        self.operand(row, name)?;
                        self.operand(second, other)?;
                    }
                    index += 1;
                }
                _ => self.operand(row, name)?,
            }
            index += 1;
        }
        Some(())
    }

    fn is_done(&self) -> bool {
        self.at >= self.words.len()
    }

    fn take(&mut self, name: &str, count: usize, kind: &'static str, text: String) {
        let known = self.parts.iter().filter(|part| part.name.split('#').next() == Some(name)).count();
        let name = if known == 0 { name.to_owned() } else { format!("{name}#{}", known + 1) };
        self.parts.push(Part { name, from: self.at, to: self.at + count, text, kind, values: None });
        self.at += count;
    }

    fn operand(&mut self, row: &OperandRow, name: &str) -> Option<()> {
        let word = *self.words.get(self.at)?;
        if self.parts.len() >= MAX_OPERANDS {
            let rest = self.words.len() - self.at;
            self.take("rest", rest, "number", format!("{rest} words"));
            return Some(());
        }
        let phrase = self.grammar.phrase(row.kind);
        let name = if name.is_empty() { phrase } else { name };
        match row.kind {
            LITERAL_STRING => {
                let rest = self.words.get(self.at..)?;
                let count = rest.iter().position(|word| word.to_le_bytes().contains(&0))? + 1;
                let bytes = rest.iter().take(count).flat_map(|word| word.to_le_bytes());
                let bytes: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
                self.take(name, count, "text", format!("\"{}\"", String::from_utf8_lossy(&bytes)));
            }
            LITERAL_INTEGER => self.take(name, 1, "number", word.to_string()),
            LITERAL_FLOAT => self.take(name, 1, "float", f32::from_bits(word).to_string()),
            TYPED_NUMBER => {
                let rest = self.words.len() - self.at;
                let words = self.words.get(self.at..)?;
                self.take(name, rest, "number", hex(words));
            }
            CASE_LABEL => self.take(name, 1, "number", word.to_string()),
            EXT_INST => {
                self.take(name, 1, "number", word.to_string());
                while !self.is_done() {
                    let id = self.words.get(self.at).copied().unwrap_or_default();
                    self.take("Operand", 1, "id", format!("%{id}"));
                }
            }
            SPEC_OP => {
                let op = self.grammar.op(u16::try_from(word).ok()?)?;
                let called = self.grammar.str(op.name);
                self.take(name, 1, "number", called.strip_prefix("Op").unwrap_or(called).to_owned());
                let before = op.result_place().unwrap_or(0);
                let rows = self.grammar.program(op.program);
                for (index, row) in rows.iter().enumerate().skip(before) {
                    let name = self.grammar.item_name(op.program, index);
                    match row.quantifier {
                        OPTIONAL | REPEAT | PAIR => {
                            while !self.is_done() {
                                self.operand(row, name)?;
                            }
                        }
                        _ => self.operand(row, name)?,
                    }
                }
            }
            kind if kind >= FIRST_ENUM => self.enumerant(kind, word, name)?,
            _ => self.take(name, 1, "id", format!("%{word}")),
        }
        Some(())
    }

    /// A value of an enum, or several or-ed, with their parameters.
    fn enumerant(&mut self, kind: u8, word: u32, name: &str) -> Option<()> {
        let grammar = self.grammar;
        let group = grammar.kind(kind)?;
        let found = grammar.member(group, word);
        let is_mask = group.flags & grammar::rows::MASK != 0;
        let rows = match found {
            Some(row) if !is_mask || word == 0 => vec![row],
            _ if is_mask => {
                let bits = (0..32).map(|bit| 1_u32 << bit).filter(|bit| word & bit != 0);
                bits.map(|bit| grammar.member(group, bit)).collect::<Option<Vec<_>>>()?
            }
            _ => return None,
        };
        let text: Vec<&str> = rows.iter().map(|row| grammar.str(row.name)).collect();
        self.take(name, 1, "enum", text.join("|"));
        if let Some(part) = self.parts.last_mut().filter(|_| !is_mask) {
            part.values = Some(usize::from(kind - FIRST_ENUM));
        }
        rows.iter().try_for_each(|row| self.program(row.program))
    }
}

/// The text of an instruction, as the disassembler prints it; with what its module does not say, as its operands read.
fn text(grammar: Grammar<'_>, words: &[u32], name: &str, parts: &[Part]) -> String {
    let bound = words.iter().copied().max().unwrap_or_default().saturating_add(1).min(0x003f_ffff);
    let module: Vec<u32> = [MAGIC, 0x0001_0600, 0, bound, 0].iter().chain(words).copied().collect();
    let options = dis::Options { grammar, raw_id: true, indent: false, header: false, ..dis::Options::default() };
    let done = dis::disassemble(&module, &options);
    if done.failures.is_empty() {
        return String::from_utf8_lossy(&done.text).trim().to_owned();
    }
    let result = parts.iter().find(|part| part.kind == "result");
    let left = result.map(|part| format!("{} = ", part.text)).unwrap_or_default();
    let operands: Vec<&str> =
        parts.iter().filter(|part| part.kind != "result").map(|part| part.text.as_str()).collect();
    format!("{left}{name} {}", operands.join(" ")).trim_end().to_owned()
}

/// Where in the text each part stands: path, and characters from and to.
fn spans(text: &str, name: &str, parts: &[Part]) -> Value {
    let chars = |at: usize| text.get(..at).map_or(0, |before| before.chars().count());
    let mut at = text.find(name).map_or(0, |start| start + name.len());
    let mut rows = vec![json!(["Opcode", chars(at - name.len().min(at)), chars(at)])];
    for part in parts {
        if part.kind == "result" {
            rows.push(json!([part.name, 0, part.text.chars().count()]));
        } else if let Some(found) =
            text.get(at..).and_then(|rest| rest.find(&part.text)).filter(|_| !part.text.is_empty())
        {
            rows.push(json!([part.name, chars(at + found), chars(at + found + part.text.len())]));
            at += found + part.text.len();
        }
    }
    rows.into()
}

/// The answer about one instruction.
pub(super) fn word(grammar: Grammar<'_>, words: &[u32]) -> Value {
    let first = words.first().copied().unwrap_or_default();
    let mut answer = json!({
        "kind": "word", "word": hex(words), "width": words.len() * 32, "bytes": bytes(words.iter()),
        "explain": { "$schema": FORM, "word": hex(words), "bits": words.len() * 32, "nearest": [] },
    });
    let opcode = first as u16;
    let Some(op) = grammar.op(opcode) else {
        return super::error(
            format!("{} is not a valid instruction: no instruction has the opcode {opcode}", hex(words)),
            "",
        );
    };
    let name = grammar.str(op.name);
    let count = (first >> 16) as usize;
    if count != words.len() {
        let message = format!("{name} says that it has {count} words, and {} are here", words.len());
        return super::error(message, "the upper half of the first word is the number of words");
    }
    let mut walk = Walk { grammar, words, at: 1, parts: Vec::new() };
    if walk.program(op.program).is_none() || !walk.is_done() {
        let (at, takes) = (walk.at, syntax(grammar, op));
        let message = format!("{} is not a valid {name}: its operands are wrong from word {at} on", hex(words));
        return super::error(message, &format!("it is `{takes}`"));
    }
    let mut parts = walk.parts;
    if let Some(part) = op.result_place().and_then(|place| parts.get_mut(place - 1)) {
        part.kind = "result";
    }
    let text = text(grammar, words, name, &parts);
    let head = |path: &str, from: u32, value: u32, text: String| json!({ "path": path, "bits": (from..from + 16).rev().collect::<Vec<_>>(), "value": format!("{value:#x}"), "text": text, "kind": "number" });
    let mut fields = vec![
        head("Opcode", 0, u32::from(opcode), name.to_owned()),
        head("Word Count", 16, first >> 16, count.to_string()),
    ];
    let field = |part: &Part| {
        let bits: Vec<usize> = (part.from * 32..part.to * 32).rev().collect();
        let value = hex(words.get(part.from..part.to).unwrap_or_default());
        let digits = value.trim_start_matches("0x").trim_start_matches('0');
        let value = format!("0x{}", if digits.is_empty() { "0" } else { digits });
        let mut one = json!({ "path": part.name, "bits": bits, "value": value, "text": part.text, "kind": part.kind });
        if let (Some(id), Value::Object(one)) = (part.values, &mut one) {
            one.insert("enum".to_owned(), id.into());
        }
        one
    };
    fields.extend(parts.iter().map(field));
    let id = grammar.ops().iter().position(|row| row.opcode == op.opcode).unwrap_or_default();
    if let Value::Object(answer) = &mut answer {
        let shown = json!({
            "encoding": { "name": name, "mnemonic": name, "at": "", "pattern": format!("{opcode:016b}") }, "text": text, "errors": "",
            "cases": [], "fields": [], "undefined": [], "dont_care_set": [],
        });
        let explain = json!({ "$schema": FORM, "word": hex(words), "bits": words.len() * 32, "match": shown });
        let spans = spans(&text, name, &parts);
        let meta: Map<String, Value> = [("syntax".to_owned(), Value::from(syntax(grammar, op)))].into_iter().collect();
        let about = json!({ "id": id, "name": name, "mnemonic": name, "doc": "", "meta": meta, "semantics": null });
        for (key, value) in [
            ("explain", explain),
            ("text", text.into()),
            ("fields", fields.into()),
            ("about", about),
            ("fixed", (0..16).collect::<Vec<u32>>().into()),
            ("spans", spans),
        ] {
            answer.insert(key.to_owned(), value);
        }
    }
    answer
}

/// An instruction with the names of its operands: `%result = OpLoad Result_Type Pointer [Memory_Operands]`.
pub(crate) fn syntax(grammar: Grammar<'_>, op: &OpRow) -> String {
    let rows = grammar.program(op.program);
    let mut text = String::new();
    if op.result_place().is_some() {
        text.push_str("%result = ");
    }
    text.push_str(grammar.str(op.name));
    let mut is_second = false;
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.kind != ID_RESULT) {
        let name = grammar.item_name(op.program, index);
        let name = if name.is_empty() { grammar.phrase(row.kind) } else { name }.replace(' ', "_");
        text.push_str(&match row.quantifier {
            _ if is_second => format!(" {name} …]"),
            OPTIONAL => format!(" [{name}]"),
            REPEAT => format!(" [{name} …]"),
            PAIR => format!(" [{name}"),
            _ => format!(" {name}"),
        });
        is_second = row.quantifier == PAIR;
    }
    text
}

/// Words of an instruction with the operands that it must have: ids with different small numbers.
pub(super) fn example(grammar: Grammar<'_>, op: &OpRow) -> Vec<u32> {
    let mut words = vec![0];
    let mut id = 0;
    operands(grammar, op.program, 0, &mut id, &mut words);
    if let Some(first) = words.first().copied() {
        let count = words.len() as u32;
        words[0] = first | count << 16 | u32::from(op.opcode);
    }
    words
}

/// An example of each instruction with its text, by the numbers that encodings have on pages.
#[must_use]
pub fn examples() -> BTreeMap<EncodingId, Vec<(String, String)>> {
    let grammar = Grammar::builtin();
    let one = |(op, id): (&OpRow, u32)| {
        let words = example(grammar, op);
        let text = word(grammar, &words);
        let text = text.get("text").and_then(Value::as_str).unwrap_or_default();
        (EncodingId(id), vec![(hex(&words), text.to_owned())])
    };
    grammar.ops().iter().zip(0..).map(one).collect()
}

/// What a program must have after its first items.
fn operands(grammar: Grammar<'_>, program: Program, skip: usize, id: &mut u32, words: &mut Vec<u32>) {
    let needed = grammar.program(program).iter().skip(skip).take_while(|row| row.quantifier == ONE);
    for row in needed {
        match row.kind {
            LITERAL_STRING => words.push(u32::from_le_bytes(*b"abc\0")),
            LITERAL_INTEGER | TYPED_NUMBER | CASE_LABEL | EXT_INST => words.push(32),
            LITERAL_FLOAT => words.push(1_f32.to_bits()),
            SPEC_OP => {
                let Some(add) = grammar.op_by_name(b"IAdd") else { continue };
                words.push(add.opcode.into());
                operands(grammar, add.program, add.result_place().unwrap_or(0), id, words);
            }
            kind if kind >= FIRST_ENUM => {
                let members = grammar.kind(kind).map(|group| grammar.members(group)).unwrap_or_default();
                let plain = members.iter().find(|row| grammar.program(row.program).is_empty());
                let Some(row) = plain.or(members.first()) else { continue };
                words.push(row.value);
                operands(grammar, row.program, 0, id, words);
            }
            _ => {
                *id += 1;
                words.push(*id);
            }
        }
    }
}
