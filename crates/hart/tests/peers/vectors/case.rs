//! Random cases of vector instructions: one word with a state, by the fields that the description gives it.

use isaglot_model::{EncodingId, Isa};
use isaglot_testing::random::Random;

/// Words of memory, and where they are: qemu puts nothing of its own there.
pub(crate) const MEMORY: u64 = 0x6000_0000;
pub(crate) const WORDS: u64 = 512;

/// A machine: bits of its registers, and of its vector registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    pub(crate) xlen: u32,
    pub(crate) vlen: u64,
}

/// An instruction of vectors.
pub(crate) struct Instruction {
    pub(crate) name: String,
    pub(crate) encoding: EncodingId,
    pub(crate) care: u32,
    pub(crate) value: u32,
    fields: Vec<String>,
}

/// All that the description has for a width of registers.
pub(crate) fn instructions(isa: &Isa, xlen: u32) -> Vec<Instruction> {
    let mut list = Vec::new();
    for at in 0..isa.encodings().len() as u32 {
        let encoding = &isa[EncodingId(at)];
        let is_vector = encoding.condition.features().into_iter().any(|f| isa[f].name.starts_with("zve"));
        // Rounding to odd is nothing that qemu 7.2 can be asked for; `round_to_odd` is for that.
        let is_odd = isa.text(encoding.name).contains(".rod.");
        if is_odd || !is_vector || encoding.semantics.is_none() || !encoding.gens.contains(xlen) {
            continue;
        }
        let fields = encoding.field_names().into_iter().map(|n| isa.text(n).to_owned()).collect();
        let (care, value) = (encoding.pattern.care().low_u64() as u32, encoding.pattern.value().low_u64() as u32);
        let name = isa.text(encoding.name).to_owned();
        list.push(Instruction { name, encoding: EncodingId(at), care, value, fields });
    }
    list
}

impl Instruction {
    pub(crate) fn has(&self, field: &str) -> bool {
        self.fields.iter().any(|f| f == field)
    }

    pub(crate) fn is_memory(&self) -> bool {
        matches!(self.value & 0x7f, 0x07 | 0x27)
    }

    pub(crate) fn is_store(&self) -> bool {
        self.value & 0x7f == 0x27
    }
}

/// What a case begins with.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) word: u32,
    pub(crate) vl: u64,
    pub(crate) vtype: u64,
    pub(crate) vstart: u64,
    pub(crate) vcsr: u64,
    pub(crate) fcsr: u64,
    /// a0, a1, a2, and fa0.
    pub(crate) operands: [u64; 4],
    pub(crate) registers: Vec<u8>,
}

impl State {
    /// What qemu is given. Version 7.2 ends with a failed assertion at a conversion that says its rounding mode; the one that takes the
    /// mode from the control register does the same.
    pub(crate) fn for_qemu(&self, name: &str) -> State {
        let mut state = self.clone();
        if name.contains(".rtz.") {
            state.word -= 6 << 15;
            state.fcsr = self.fcsr & 31 | 1 << 5;
        }
        state
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut all: Vec<u8> = [self.vl, self.vtype, self.vstart, self.vcsr, self.fcsr]
            .into_iter()
            .chain(self.operands)
            .flat_map(u64::to_le_bytes)
            .collect();
        all.extend(&self.registers);
        all
    }
}

pub(crate) const SPECIAL: &[u64] = &[
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    u64::MAX,
    1 << 63,
    (1 << 63) - 1,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0x0080_0000,
    0x0000_0001,
    0x8000_0001,
    0x7f7f_ffff,
    0x4b00_0001,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7ff0_0000_0000_0001,
    0x0010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x8000_0000_0000_0001,
    0x41e0_0000_0000_0000,
    0x4330_0000_0000_0001,
];

/// A number of a register, mostly one that many groups can begin with.
pub(crate) fn register(random: &mut Random) -> u32 {
    let step = *random.pick(&[1, 2, 4, 8, 8]);
    random.below(32 / step) as u32 * step as u32
}

pub(crate) fn fill(random: &mut Random, size: usize, length: usize) -> Vec<u8> {
    let style = random.below(4);
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let value = match style {
            0 => random.u64(),
            1 => *random.pick(SPECIAL),
            // Floating point near to one.
            2 if size == 2 => 0x3f00_0000 ^ random.u64() & 0x81ff_ffff,
            2 => 0x3fe0_0000_0000_0000 ^ random.u64() & 0x803f_ffff_ffff_ffff,
            _ if random.bool() => *random.pick(SPECIAL),
            _ => random.u64(),
        };
        bytes.extend(&value.to_le_bytes()[..1 << size]);
    }
    bytes
}

pub(crate) fn case(random: &mut Random, i: &Instruction, setup: Setup) -> State {
    let (has, vlenb) = (|name: &str| i.has(name), setup.vlen as usize / 8);
    let put = |word: u32, low: u32, value: u32| word & !(31 << low) | value << low;
    let mut word = random.u32();
    for low in [7, 15, 20] {
        word = put(word, low, register(random));
    }
    // More often with the mask than not, and never with it on the data by chance alone.
    for (name, low, number) in [("xs1", 15, 10), ("xs2", 20, 12), ("fs1", 15, 10), ("xd", 7, 13), ("fd", 7, 11)] {
        if has(name) {
            word = put(word, low, number);
        }
    }
    let is_memory = i.is_memory();
    if has("xs1") && !is_memory {
        word = put(word, 15, if random.one_in(8) && i.name.starts_with("vset") { 0 } else { 11 });
    }
    if i.name.starts_with("vset") && random.one_in(4) {
        word = put(word, 7, 0);
    }
    word = word & !i.care | i.value;
    let size = random.below(4);
    // A part of a register only for elements that fit it.
    let lmul = *random.pick(&[0_i64, 0, 1, 1, 2, 3, -1, -2, -3]);
    let lmul = if lmul < size as i64 - 3 { 0 } else { lmul };
    let mut vtype = (lmul & 7) as u64 | size << 3 | random.below(4) << 6;
    if random.one_in(50) {
        vtype = random.below(1 << 9) | random.below(2) << (setup.xlen - 1);
    }
    let most = (if lmul < 0 { setup.vlen >> -lmul } else { setup.vlen << lmul }) >> (size + 3);
    let vl = match random.below(10) {
        0 => 0,
        1..=4 => random.below(most + 1),
        _ => most,
    };
    let vstart = if random.one_in(8) { random.below(12) } else { 0 };
    let mut registers = fill(random, size as usize, 32 * vlenb);
    let small = |random: &mut Random, registers: &mut [u8], first: u32, size: usize, most: u64| {
        let from = first as usize * vlenb;
        for place in registers[from..].chunks_mut(1 << size) {
            let value = random.below(most);
            place.copy_from_slice(&value.to_le_bytes()[..place.len()]);
        }
    };
    if i.name.contains("xei") || i.name.contains("xseg") {
        let offset = [0, 0, 0, 0, 0, 1, 2, 3][(word >> 12 & 7) as usize];
        small(random, &mut registers, word >> 20 & 31, offset, if offset == 0 { 256 } else { 600 });
    }
    if i.name.starts_with("vrgather") && has("vs1") {
        let size = if i.name.contains("16") { 1 } else { size as usize };
        small(random, &mut registers, word >> 15 & 31, size, if size == 0 { 160 } else { 40 });
    }
    let mut operands = [random.u64(), *random.pick(SPECIAL), random.u64(), *random.pick(SPECIAL)];
    if random.bool() {
        operands[1] = random.below(20);
    }
    if random.one_in(3) {
        operands[3] = random.u64() | 0xffff_ffff << 32;
    }
    if is_memory {
        let align = if random.one_in(4) { 1 } else { 8 };
        operands[0] = MEMORY + WORDS * 4 + random.below(64) * align;
        // Near to the end, where there is no memory.
        if random.one_in(8) {
            operands[0] = MEMORY + WORDS * 8 - random.below(160);
        }
        operands[2] = random.below(24).wrapping_sub(8);
    }
    if i.name == "vsetvl" {
        operands[2] = if random.one_in(6) { random.u64() } else { random.below(256) };
    }
    // A bit more than fits at times.
    let fcsr = random.below(32) | (if random.one_in(40) { 5 + random.below(3) } else { random.below(5) }) << 5;
    let fcsr = if i.name.contains(".rtz.") && fcsr >> 5 > 4 { fcsr & 31 } else { fcsr };
    if setup.xlen == 32 {
        operands.iter_mut().take(3).for_each(|o| *o &= 0xffff_ffff);
    }
    State { word, vl, vtype, vstart, vcsr: random.below(8), fcsr, operands, registers }
}
