//! Which instructions of SPIR-V a tool is asked about.
//!
//! The invariant: each word is there for a reason that can be said, and the same words are chosen every time. The method, for each opcode:
//!
//! * the operands that it must have, all that it may have, and each number between; what repeats twice, once and five times;
//! * of the shortest and the longest form the word count one less and one more than right, with and without the word, and 0;
//! * of the longest form each operand at its corners: ids 0, the bound and beyond; numbers; strings of every length up to five bytes, with what needs a backslash, not
//!   UTF-8, not ended, and with padding that is not 0; every enumerant with its parameters, one parameter less and one more; every bit of a mask, and
//!   values and bits that none has;
//! * constants and case labels of every type of number, at the corners of that type; every instruction of every extended set; every opcode within
//!   `OpSpecConstantOp`; the opcodes beside those that there are.

use std::collections::{BTreeMap, BTreeSet};

use isaglot_bits::Word;
use isaglot_spirv::grammar::rows::*;
use isaglot_spirv::grammar::{Grammar, opcode};

use super::Spirv;
use super::front::{BOUND, Front, Number, instruction, string};
use crate::choose::{Choice, Length};

/// The first id of what chosen words define, and how many there are in turn.
const RESULTS: u32 = 0x1000;
const RESULT_COUNT: u32 = 0x4000;

/// The first id that chosen words use.
const USED: u32 = 0x0100;

/// A number that is no id and no enumerant.
const SURPLUS: u32 = 0x0101;

/// How deep parameters of enumerants are followed.
const DEPTH: usize = 4;

/// An operand with its parameters.
#[derive(Clone, Debug)]
struct Operand {
    kind: u8,
    words: Vec<u32>,
}

/// How many operands a form has.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// Of those that may be missing, this many are there.
    optional: usize,
    /// What may be repeated is there so often.
    repeats: usize,
}

const LEAST: Size = Size { optional: 0, repeats: 0 };
const MOST: Size = Size { optional: usize::MAX, repeats: 2 };

struct Maker<'s> {
    grammar: Grammar<'static>,
    front: &'s Front,
    words: BTreeSet<Vec<u32>>,
    results: u32,
}

/// Chooses instructions: the same ones every time.
#[must_use]
pub fn choose(subject: &Spirv) -> Choice {
    let mut maker = Maker { grammar: subject.grammar, front: &subject.front, words: BTreeSet::new(), results: 0 };
    for op in maker.grammar.ops() {
        maker.opcode(op);
    }
    maker.numbers();
    maker.nested();
    maker.imports();
    maker.gaps();
    let mut choice = Choice::default();
    let mut lengths: BTreeMap<u32, usize> = BTreeMap::new();
    for words in &maker.words {
        let bits = 32 * words.len() as u32;
        *lengths.entry(bits).or_default() += 1;
        choice.words.push(Word::from_words32(words, bits));
    }
    let length = |(bits, words)| Length { bits, words, whole: false, gaps_left: Some(0) };
    choice.lengths = lengths.into_iter().map(length).collect();
    choice.words.sort();
    choice
}

impl Maker<'_> {
    /// The next id for a result, so that many words can stand in one module.
    fn result(&mut self) -> u32 {
        self.results = (self.results + 1) % RESULT_COUNT;
        RESULTS + self.results
    }

    /// Adds an instruction as it is, with a result of its own if there is one.
    fn add(&mut self, opcode: u16, operands: &[Operand]) -> Vec<u32> {
        let fresh = self.result();
        let words = operands.iter().flat_map(|operand| match operand.kind {
            ID_RESULT if operand.words == [RESULTS] => vec![fresh],
            _ => operand.words.clone(),
        });
        let words = instruction(opcode, &words.collect::<Vec<u32>>());
        self.words.insert(words.clone());
        words
    }

    /// Adds the neighbours of an instruction in its count of words.
    fn counts(&mut self, words: &[u32]) {
        let Some((first, rest)) = words.split_first() else { return };
        let count = first >> 16;
        let mut add = |count: u32, rest: &[u32]| {
            let mut words = vec![count << 16 | first & 0xffff];
            words.extend(rest);
            self.words.insert(words);
        };
        if let Some((_, less)) = rest.split_last() {
            add(count - 1, less);
            add(count - 1, rest);
        }
        add(count + 1, rest);
        let more: Vec<u32> = rest.iter().copied().chain([SURPLUS]).collect();
        add(count + 1, &more);
        add(0, rest);
    }

    /// The operands of a program.
    fn form(&self, program: Program, size: Size, depth: usize) -> Vec<Operand> {
        let mut operands = Vec::new();
        let mut given = 0;
        let mut items = self.grammar.program(program).iter();
        while let Some(item) = items.next() {
            match item.quantifier {
                ONE => operands.push(self.usual(item.kind, operands.len(), depth)),
                OPTIONAL if given < size.optional => {
                    given += 1;
                    operands.push(self.usual(item.kind, operands.len(), depth));
                }
                OPTIONAL => break,
                REPEAT => {
                    (0..size.repeats).for_each(|_| operands.push(self.usual(item.kind, operands.len(), depth)));
                }
                _ => {
                    let second = items.next().map_or(ID_REF, |item| item.kind);
                    for _ in 0..size.repeats {
                        operands.push(self.usual(item.kind, operands.len(), depth));
                        operands.push(self.usual(second, operands.len(), depth));
                    }
                }
            }
        }
        operands
    }

    /// An operand of a kind as it usually is.
    fn usual(&self, kind: u8, place: usize, depth: usize) -> Operand {
        let int = self.front.numbers.first();
        let words = match kind {
            ID_RESULT_TYPE => vec![int.map_or(0, |number| number.ty)],
            ID_RESULT => vec![RESULTS],
            LITERAL_STRING => string(b"abc"),
            LITERAL_FLOAT => vec![1.0_f32.to_bits()],
            LITERAL_INTEGER | TYPED_NUMBER | CASE_LABEL | EXT_INST => vec![7],
            SPEC_OP => vec![u32::from(opcode::OpIAdd), USED, USED],
            EXT_SET => vec![self.front.sets.iter().flatten().next().copied().unwrap_or_default()],
            kind if kind >= FIRST_ENUM => self.enumerant(kind, depth),
            _ => vec![USED + place as u32],
        };
        Operand { kind, words }
    }

    /// An enumerant of a kind, one without parameters if there is one.
    fn enumerant(&self, kind: u8, depth: usize) -> Vec<u32> {
        let Some(group) = self.grammar.kind(kind) else { return vec![0] };
        let members = self.grammar.members(group);
        if group.flags & MASK != 0 {
            return vec![0];
        }
        let plain = members.iter().find(|row| row.program.len == 0);
        plain.or(members.first()).map_or_else(|| vec![0], |row| self.with_parameters(row, LEAST, depth))
    }

    fn with_parameters(&self, row: &ValueRow, size: Size, depth: usize) -> Vec<u32> {
        let mut words = vec![row.value];
        if depth < DEPTH {
            let operands = self.form(row.program, size, depth + 1);
            // Parameters have no results.
            words.extend(operands.into_iter().flat_map(|operand| operand.words));
        }
        words
    }

    /// Everything that is asked about an opcode by itself.
    fn opcode(&mut self, op: &OpRow) {
        let (least, most) = (self.form(op.program, LEAST, 0), self.form(op.program, MOST, 0));
        let least_words = self.add(op.opcode, &least);
        self.counts(&least_words);
        let most_words = self.add(op.opcode, &most);
        if most.len() != least.len() {
            self.counts(&most_words);
        }
        let items = self.grammar.program(op.program);
        let optional = items.iter().filter(|item| item.quantifier == OPTIONAL).count();
        let is_repeated = items.iter().any(|item| item.quantifier >= REPEAT);
        for count in 1..=optional {
            let form = self.form(op.program, Size { optional: count, repeats: 0 }, 0);
            self.add(op.opcode, &form);
        }
        for repeats in [1, 5].into_iter().filter(|_| is_repeated) {
            let form = self.form(op.program, Size { optional: usize::MAX, repeats }, 0);
            self.add(op.opcode, &form);
        }
        self.each_corner(op.opcode, &most);
    }

    /// An instruction with each operand at its corners.
    fn each_corner(&mut self, opcode: u16, operands: &[Operand]) {
        let mut seen = BTreeSet::new();
        for (at, operand) in operands.iter().enumerate() {
            // Of what repeats the first one is enough.
            if operand.kind >= FIRST_ENUM && !seen.insert(operand.kind) {
                continue;
            }
            for words in self.corners(operand.kind) {
                let mut operands = operands.to_vec();
                if let Some(operand) = operands.get_mut(at) {
                    operand.words = words;
                }
                self.add(opcode, &operands);
            }
        }
    }

    /// What stands for an operand of a kind at its corners.
    fn corners(&self, kind: u8) -> Vec<Vec<u32>> {
        let one = |values: &[u32]| values.iter().map(|value| vec![*value]).collect();
        match kind {
            ID_RESULT => one(&[0, 1, BOUND - 1, BOUND, u32::MAX]),
            ID_RESULT_TYPE | ID_REF | ID_SCOPE | ID_SEMANTICS | EXT_SET => one(&[0, BOUND, u32::MAX]),
            LITERAL_INTEGER => one(&[0, 1, i32::MAX as u32, 1 << 31, u32::MAX]),
            LITERAL_FLOAT => floats(32).into_iter().map(|(low, _)| vec![low]).collect(),
            LITERAL_STRING => strings(),
            kind if kind >= FIRST_ENUM => self.enumerants(kind),
            _ => Vec::new(),
        }
    }

    /// Every enumerant of a kind with its parameters, and values that none has.
    fn enumerants(&self, kind: u8) -> Vec<Vec<u32>> {
        let Some(group) = self.grammar.kind(kind) else { return Vec::new() };
        let members = self.grammar.members(group);
        let mut out = Vec::new();
        for row in members {
            for size in [LEAST, MOST] {
                out.push(self.with_parameters(row, size, 0));
            }
            if row.program.len > 0 {
                let words = self.with_parameters(row, LEAST, 0);
                out.push(words.split_last().map(|(_, less)| less.to_vec()).unwrap_or_default());
                out.push(words.into_iter().chain([SURPLUS]).collect());
            }
        }
        if group.flags & MASK != 0 {
            let free = (0..32).map(|bit| 1 << bit).filter(|bit| self.grammar.member(group, *bit).is_none());
            out.extend(free.map(|bit| vec![bit]));
            // Two bits: parameters stand in the order of the bits.
            let bits: Vec<&ValueRow> = members.iter().filter(|row| row.value.is_power_of_two()).collect();
            for pair in bits.windows(2) {
                let [low, high] = pair else { continue };
                let mut words = self.with_parameters(low, LEAST, 0);
                let after = self.with_parameters(high, LEAST, 0);
                if let (Some(first), Some((value, rest))) = (words.first_mut(), after.split_first()) {
                    *first |= value;
                    words.extend(rest);
                }
                out.push(words);
            }
        } else {
            let beside = members.iter().flat_map(|row| [row.value.wrapping_add(1), row.value.wrapping_sub(1)]);
            let free = beside.chain([u32::MAX, 1 << 31]).filter(|value| self.grammar.member(group, *value).is_none());
            out.extend(free.collect::<BTreeSet<u32>>().into_iter().map(|value| vec![value]));
        }
        out
    }

    /// Constants and case labels of every type.
    fn numbers(&mut self) {
        for number in self.front.numbers.clone() {
            let values = values(number);
            for (opcode, value) in [opcode::OpConstant, opcode::OpSpecConstant]
                .into_iter()
                .flat_map(|opcode| values.iter().map(move |value| (opcode, value)))
            {
                let result = self.result();
                let mut operands = vec![number.ty, result];
                operands.extend(value);
                let words = instruction(opcode, &operands);
                self.counts(&words);
                self.words.insert(words);
            }
            let mut whole = vec![number.value, USED];
            self.words.insert(instruction(opcode::OpSwitch, &whole));
            for value in &values {
                whole.extend(value);
                whole.push(USED + 1);
                let mut one = vec![number.value, USED];
                one.extend(value);
                one.push(USED + 1);
                let words = instruction(opcode::OpSwitch, &one);
                self.counts(&words);
                self.words.insert(words);
            }
            self.words.insert(instruction(opcode::OpSwitch, &whole));
            // A selector that is a type, and a type that is a value.
            self.words.insert(instruction(opcode::OpSwitch, &[number.ty, USED, 1, USED]));
            let result = self.result();
            self.words.insert(instruction(opcode::OpConstant, &[number.value, result, 1]));
        }
        self.words.insert(instruction(opcode::OpSwitch, &[USED, USED, 1, USED]));
        let result = self.result();
        self.words.insert(instruction(opcode::OpConstant, &[USED, result, 1]));
    }

    /// Extended instructions, and opcodes within `OpSpecConstantOp`.
    fn nested(&mut self) {
        let int = self.front.numbers.first().map_or(0, |number| number.ty);
        let sets = self.front.sets.clone();
        for (set, id) in self.grammar.sets().iter().zip(sets).filter_map(|(set, id)| Some((set, id?))) {
            let members = self.grammar.members(set);
            for row in members {
                let (least, most) = (self.form(row.program, LEAST, 0), self.form(row.program, MOST, 0));
                for (at, form) in [least, most].into_iter().enumerate() {
                    let mut operands = self.outer(&[int, RESULTS, id, row.value]);
                    operands.extend(form);
                    let words = self.add(opcode::OpExtInst, &operands);
                    self.counts(&words);
                    if at == 1 {
                        // The set and the number stay: they say what the operands are.
                        let skipped = self.each_nested(&operands);
                        self.words.extend(skipped);
                    }
                }
                let mut operands = self.outer(&[int, RESULTS, id, row.value]);
                operands.extend(self.form(row.program, LEAST, 0));
                self.add(opcode::OpExtInstWithForwardRefsKHR, &operands);
            }
            let beside = members.iter().flat_map(|row| [row.value.wrapping_add(1), row.value.wrapping_sub(1)]);
            let free: BTreeSet<u32> =
                beside.chain([u32::MAX]).filter(|value| self.grammar.member(set, *value).is_none()).collect();
            for number in free {
                let operands = self.outer(&[int, RESULTS, id, number, USED, USED]);
                self.add(opcode::OpExtInst, &operands);
            }
        }
        for number in [0, 1, u32::MAX] {
            let operands = self.outer(&[int, RESULTS, self.front.unknown_set, number, USED]);
            self.add(opcode::OpExtInst, &operands);
            let operands = self.outer(&[int, RESULTS, USED, number, USED]);
            self.add(opcode::OpExtInst, &operands);
        }
        for op in self.grammar.ops() {
            let outer = op.program.len.min(2);
            let inner = Program { at: op.program.at + outer, len: op.program.len - outer };
            for size in [LEAST, MOST] {
                let mut operands = self.outer(&[int, RESULTS, u32::from(op.opcode)]);
                operands.extend(self.form(inner, size, 0));
                let words = self.add(opcode::OpSpecConstantOp, &operands);
                if op.flags & SPECIAL != 0 {
                    self.counts(&words);
                }
            }
        }
        for number in [0x1_0000, u32::MAX] {
            let operands = self.outer(&[int, RESULTS, number, USED]);
            self.add(opcode::OpSpecConstantOp, &operands);
        }
    }

    /// The corners of the operands of an extended instruction.
    fn each_nested(&mut self, operands: &[Operand]) -> Vec<Vec<u32>> {
        let mut out = Vec::new();
        for at in 4..operands.len() {
            let kind = operands.get(at).map_or(ID_REF, |operand| operand.kind);
            let corners = if kind == ID_REF { vec![vec![0]] } else { self.corners(kind) };
            for words in corners {
                let mut operands = operands.to_vec();
                if let Some(operand) = operands.get_mut(at) {
                    operand.words = words;
                }
                let fresh = self.result();
                let mut words: Vec<u32> = operands.into_iter().flat_map(|operand| operand.words).collect();
                if let Some(result) = words.get_mut(1) {
                    *result = fresh;
                }
                out.push(instruction(opcode::OpExtInst, &words));
            }
        }
        out
    }

    /// Single words as operands: a type, a result, and others.
    fn outer(&self, words: &[u32]) -> Vec<Operand> {
        let kinds = [ID_RESULT_TYPE, ID_RESULT];
        let kind = |at: usize| kinds.get(at).copied().unwrap_or(ID_REF);
        words.iter().enumerate().map(|(at, word)| Operand { kind: kind(at), words: vec![*word] }).collect()
    }

    /// Names of imports: those of the sets, their beginnings, and others.
    fn imports(&mut self) {
        let names = self.grammar.sets().iter().map(|set| self.grammar.str(set.name));
        let mut all: BTreeSet<String> =
            names.flat_map(|name| ["", "1", "100", "x", "."].map(|more| format!("{name}{more}"))).collect();
        all.extend(["", "GLSL", "glsl.std.450", "NonSemantic", "NonSemantic.", "nonsemantic.a"].map(str::to_owned));
        for name in all {
            let result = self.result();
            let mut operands = vec![result];
            operands.extend(string(name.as_bytes()));
            self.words.insert(instruction(opcode::OpExtInstImport, &operands));
        }
    }

    /// Opcodes beside those that there are.
    fn gaps(&mut self) {
        let beside = self.grammar.ops().iter().flat_map(|op| [op.opcode.wrapping_add(1), op.opcode.wrapping_sub(1)]);
        let all: BTreeSet<u16> = beside.chain((0..16).map(|bit| 1 << bit)).chain([u16::MAX]).collect();
        for opcode in all.into_iter().filter(|opcode| self.grammar.op(*opcode).is_none()) {
            self.words.insert(instruction(opcode, &[]));
            self.words.insert(instruction(opcode, &[USED, USED + 1]));
        }
    }
}

/// The corners of a type of numbers, as the words of a literal.
fn values(number: Number) -> Vec<Vec<u32>> {
    let count = number.bits.div_ceil(32) as usize;
    let mut all: BTreeSet<(u32, u32)> = BTreeSet::new();
    if number.is_int {
        let top = 1_u64.checked_shl(number.bits - 1).unwrap_or(1 << 63);
        let mask = if number.bits >= 64 { u64::MAX } else { (1 << number.bits) - 1 };
        // Whole, and with the sign in the bits beyond the width.
        for value in
            [0, 1, 7, top - 1, top, top | 1, mask, mask - 1, u64::MAX, u64::MAX ^ (mask >> 1), 0xa5a5_a5a5_a5a5_a5a5]
        {
            all.insert((value as u32, (value >> 32) as u32));
        }
    } else {
        all.extend(floats(number.bits));
    }
    let words = |(low, high): (u32, u32)| {
        let mut words = vec![low, high];
        words.resize(count, 0x1234_5678);
        words
    };
    let all: BTreeSet<Vec<u32>> = all.into_iter().map(words).collect();
    all.into_iter().collect()
}

/// Bits of floats of a width: zeros, numbers, the least and greatest of each sort, infinities, and not numbers.
fn floats(bits: u32) -> Vec<(u32, u32)> {
    let halves = |value: u64| (value as u32, (value >> 32) as u32);
    let both = |values: &[u64], sign: u32| -> Vec<(u32, u32)> {
        values.iter().flat_map(|value| [halves(*value), halves(value | 1 << sign)]).collect()
    };
    match bits {
        64 => {
            let parts = [0.1_f64, 1.0, 1.5, 2.0, 1e300, 1e-300, 123_456_789.0, 1.0 / 3.0].map(f64::to_bits);
            let infinity = f64::INFINITY.to_bits();
            let mut all = both(&parts, 63);
            all.extend(both(
                &[
                    0,
                    1,
                    (1 << 52) - 1,
                    1 << 52,
                    infinity - 1,
                    infinity,
                    infinity + 1,
                    infinity | 1 << 51,
                    (1 << 63) - 1,
                ],
                63,
            ));
            all
        }
        32 => {
            let parts = [0.1_f32, 1.0, 1.5, 2.0, 1e30, 1e-30, 16_777_216.0, 1.0 / 3.0].map(|f| u64::from(f.to_bits()));
            let infinity = u64::from(f32::INFINITY.to_bits());
            let mut all = both(&parts, 31);
            all.extend(both(
                &[
                    0,
                    1,
                    (1 << 23) - 1,
                    1 << 23,
                    infinity - 1,
                    infinity,
                    infinity + 1,
                    infinity | 1 << 22,
                    (1 << 31) - 1,
                ],
                31,
            ));
            all
        }
        16 => {
            // Of both formats of 16 bits; with surplus bits above.
            let mut all = both(
                &[
                    0, 1, 0x3ff, 0x400, 0x3c00, 0x3555, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0x007f, 0x0080, 0x3f80,
                    0x7f7f, 0x7f80, 0x7f81,
                ],
                15,
            );
            all.push((0xabcd_3c00, 0));
            all
        }
        _ => (0..=255).chain([0x0100, 0xffff_ff38]).map(|value| (value, 0)).collect(),
    }
}

/// Strings at their corners.
fn strings() -> Vec<Vec<u32>> {
    let texts: [&[u8]; 13] = [
        b"",
        b"a",
        b"ab",
        b"abcd",
        b"abcde",
        b"abcdefgh",
        b"\"",
        b"\\",
        b"a\\n\"b\\\"",
        b"a\tb\rc\x01\x7f",
        "\u{e9}\u{20ac}".as_bytes(),
        &[0xff],
        &[0xc3, b'a', 0x80, 0xfe],
    ];
    let mut all: Vec<Vec<u32>> = texts.iter().map(|text| string(text)).collect();
    all.push(string(b"a\nOpNop\nb"));
    // Not ended; ended in the middle with padding that is not 0; a word of nothing after the end.
    all.push(vec![u32::from_le_bytes(*b"abcd")]);
    all.push(vec![u32::from_le_bytes(*b"abcd"), u32::from_le_bytes(*b"efgh")]);
    all.push(vec![u32::from_le_bytes(*b"a\0bc")]);
    all.push(vec![u32::from_le_bytes(*b"\0abc")]);
    all.push(vec![u32::from_le_bytes(*b"abc\0"), 0]);
    all
}
