//! What stands in front of an instruction, so that it can be decoded: types, values and imports that it names.
//!
//! The problem: what the words of a constant, a case label or an extended instruction mean is said by instructions before it. The invariant: a word
//! alone decides what stands in front of it, so the same word is always asked about in the same module. The method: a fixed list of instructions whose
//! results have numbers that nothing else has; those whose number occurs in a word are put in front of it, with what they need.

use isaglot_spirv::asm::MAGIC;
use isaglot_spirv::grammar::rows::{OFF, PREFIX};
use isaglot_spirv::grammar::{Grammar, opcode};

/// The bound that every module says, which no decoder is to look at.
pub(crate) const BOUND: u32 = 0x8000;

/// The first number of the list.
const FIRST: u32 = 0x7000;

/// The id that marks name: no instruction of the list has it, and no chosen word.
pub(crate) const MARK: u32 = FIRST - 1;

/// Header of a module of version 1.6.
const HEADER: [u32; 5] = [MAGIC, 0x0001_0600, 0, BOUND, 0];

/// The list.
#[derive(Clone, Debug)]
pub(crate) struct Front {
    items: Vec<Item>,
    /// Types of numbers, with their words each and whether it is an integer.
    pub(crate) numbers: Vec<Number>,
    /// For each set of the grammar the id of its import; `None` for one that no import chooses.
    pub(crate) sets: Vec<Option<u32>>,
    /// The id of an import of a set that the grammar does not have.
    pub(crate) unknown_set: u32,
}

/// A type of numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    /// The type.
    pub(crate) ty: u32,
    /// A value of it.
    pub(crate) value: u32,
    /// Its width.
    pub(crate) bits: u32,
    pub(crate) is_int: bool,
}

#[derive(Clone, Debug)]
struct Item {
    words: Vec<u32>,
    /// The number of another item that must be there.
    needs: Option<u32>,
}

/// An instruction.
pub(crate) fn instruction(opcode: u16, operands: &[u32]) -> Vec<u32> {
    let count = operands.len() as u32 + 1;
    let mut words = vec![count << 16 | u32::from(opcode)];
    words.extend(operands);
    words
}

/// The words of a string.
pub(crate) fn string(text: &[u8]) -> Vec<u32> {
    let mut bytes = text.to_vec();
    bytes.resize((text.len() / 4 + 1) * 4, 0);
    bytes.chunks_exact(4).map(|c| c.first_chunk().map_or(0, |c| u32::from_le_bytes(*c))).collect()
}

impl Front {
    pub(crate) fn new(grammar: Grammar<'_>) -> Front {
        let mut front = Front { items: Vec::new(), numbers: Vec::new(), sets: Vec::new(), unknown_set: 0 };
        // 24 and 48 bits are no whole numbers of words, 128 are more than any literal has.
        let ints = [32_u32, 8, 16, 24, 48, 64, 128].into_iter().flat_map(|bits| [(bits, 0), (bits, 1)]);
        for (bits, sign) in ints {
            front.number(opcode::OpTypeInt, &[bits, sign], bits, true);
        }
        for bits in [32, 16, 64] {
            front.number(opcode::OpTypeFloat, &[bits], bits, false);
        }
        let encodings = grammar.kinds().iter().find(|kind| grammar.str(kind.name) == "FPEncoding");
        for row in encodings.map_or(&[][..], |kind| grammar.members(kind)) {
            let bits = if grammar.str(row.name).starts_with("Float8") { 8 } else { 16 };
            front.number(opcode::OpTypeFloat, &[bits, row.value], bits, false);
        }
        for set in grammar.sets() {
            let name = match set.flags & PREFIX {
                0 => grammar.str(set.name).to_owned(),
                _ => format!("{}100", grammar.str(set.name)),
            };
            let id = (set.flags & OFF == 0).then(|| front.add(opcode::OpExtInstImport, None, &string(name.as_bytes())));
            front.sets.push(id);
        }
        front.unknown_set = front.add(opcode::OpExtInstImport, None, &string(b"NonSemantic.Isaglot"));
        front
    }

    /// Adds an instruction whose result has the next number.
    fn add(&mut self, opcode: u16, ty: Option<u32>, rest: &[u32]) -> u32 {
        let id = FIRST + self.items.len() as u32;
        let operands: Vec<u32> = ty.into_iter().chain([id]).chain(rest.iter().copied()).collect();
        self.items.push(Item { words: instruction(opcode, &operands), needs: ty });
        id
    }

    fn number(&mut self, opcode: u16, rest: &[u32], bits: u32, is_int: bool) {
        let ty = self.add(opcode, None, rest);
        let value = self.add(opcode::OpUndef, Some(ty), &[]);
        self.numbers.push(Number { ty, value, bits, is_int });
    }

    fn item(&self, id: u32) -> Option<&Item> {
        self.items.get(id.checked_sub(FIRST)? as usize)
    }

    /// Whether an id is one of the list.
    pub(crate) fn has(&self, id: u32) -> bool {
        self.item(id).is_some()
    }

    /// The ids of the list that some words name, with those that they need, in the order of the list.
    fn needed(&self, words: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut ids: Vec<u32> = words.filter(|id| self.has(*id)).collect();
        ids.extend(ids.clone().iter().filter_map(|id| self.item(*id)?.needs));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// A module up to the words, which it does not have yet; and how many instructions it has.
    pub(crate) fn module(&self, words: impl Iterator<Item = u32>) -> (Vec<u32>, usize) {
        let ids = self.needed(words);
        let mut module = HEADER.to_vec();
        ids.iter().filter_map(|id| self.item(*id)).for_each(|item| module.extend(&item.words));
        (module, ids.len())
    }
}
