//! Random programs: straight code with short branches and loops over integers, floating point, atomic and vector instructions, and
//! what traps. Scalar instructions are text for the compiler's assembler, those of vectors are words, by the description.
//!
//! What `vtype` is is always known here: where it is set nothing skips it. So a program has nothing that qemu runs otherwise than the
//! specification says (`vectors/faults.txt`), and nothing that is free: single cases are for that.
//!
//! Where there is no memory, accesses are aligned. Of others qemu-system 7.2 stores the part that has memory before it traps, which is free, and
//! says as `mtval` an address before the access, which is not.

use std::fmt::Write;

use isaglot_bits::Word;
use isaglot_codec::{Plan, operands};
use isaglot_testing::random::Random;

use crate::instructions::{AMO, BRANCHES, IMMEDIATE, R, R64, SHIFTS, SHIFTS64, SHORT, UNARY, UNARY64};
use crate::vectors::case::{Instruction, Setup};
use crate::vectors::reserved::reads_two_widths;

/// Registers that hold addresses and counts: nothing else is written to them.
const KEPT: [u32; 7] = [2, 8, 9, 18, 19, 20, 21];
/// The middle of memory, near to its end, and where there is none.
const BASES: [&str; 3] = ["x8", "x9", "x21"];
const FLOATS: &str =
    "fadd fsub fmul fdiv fmin fmax fsgnj fsgnjn fsgnjx fsqrt feq flt fle fclass fmadd fmsub fnmsub fnmadd";
const MODES: [&str; 6] = ["rne", "rtz", "rdn", "rup", "rmm", "dyn"];
const CSRS: [&str; 5] = ["fflags", "frm", "fcsr", "vxsat", "vcsr"];
/// What only traps, and what is illegal for users or for all.
const TRAPS: [&str; 12] = [
    "ecall",
    "ebreak",
    "c.ebreak",
    ".2byte 0",
    ".4byte 0xffffffff",
    "csrrw x0, vl, x1",
    "csrrs x5, 0x8ff, x0",
    "csrrs x6, mhartid, x0",
    "lw x7, 0(x21)",
    "sw x7, 4(x21)",
    "jalr x1, 0(x21)",
    "csrrwi x0, cycle, 1",
];

/// A generator of programs for a machine.
pub(crate) struct Generator<'a> {
    pub(crate) setup: Setup,
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) vectors: &'a [Instruction],
    pub(crate) random: Random,
    /// What is set; nothing where it is not a legal value.
    vtype: Option<u64>,
}

impl<'a> Generator<'a> {
    pub(crate) fn new(setup: Setup, plan: &'a Plan<'a>, vectors: &'a [Instruction], seed: u64) -> Generator<'a> {
        Generator { setup, plan, vectors, random: Random::new(seed), vtype: Some(0) }
    }

    /// The lines of one program.
    pub(crate) fn program(&mut self) -> String {
        self.vtype = Some(0);
        let mut out = String::new();
        for _ in 0..30 + self.random.below(40) {
            match self.random.below(20) {
                0..=1 => self.set(&mut out),
                2 => {
                    let (branch, a, b) = (self.word_of(BRANCHES), self.source(), self.source());
                    let _ = writeln!(out, "{branch} {a}, {b}, 1f");
                    self.some(3, &mut out);
                    out.push_str("1:\n");
                }
                3 => {
                    let _ = writeln!(out, "li x19, {}\n1:", 1 + self.random.below(4));
                    self.some(4, &mut out);
                    out.push_str("addi x19, x19, -1\nbnez x19, 1b\n");
                }
                4 => {
                    let to = self.target();
                    let _ = writeln!(out, "jal {to}, 1f");
                    self.some(2, &mut out);
                    out.push_str("1:\n");
                }
                5 if self.random.bool() => self.indexed(&mut out),
                _ => self.plain(&mut out),
            }
        }
        out
    }

    fn some(&mut self, most: u64, out: &mut String) {
        for _ in 0..1 + self.random.below(most) {
            self.plain(out);
        }
    }

    fn word_of(&mut self, list: &'static str) -> &'static str {
        let all: Vec<&str> = list.split_whitespace().collect();
        all[self.random.index(all.len())]
    }

    /// A name of the list, or of the other one, which is for 64 bits.
    fn of_width(&mut self, list: &'static str, wide: &'static str) -> &'static str {
        if self.setup.xlen == 64 && self.random.one_in(4) { self.word_of(wide) } else { self.word_of(list) }
    }

    fn target(&mut self) -> String {
        loop {
            let number = self.random.below(32) as u32;
            if !KEPT.contains(&number) {
                return format!("x{number}");
            }
        }
    }

    fn source(&mut self) -> String {
        format!("x{}", self.random.below(32))
    }

    fn float(&mut self) -> String {
        format!("f{}", self.random.below(32))
    }

    fn base(&mut self) -> &'static str {
        BASES[match self.random.below(40) {
            0 => 2,
            1..=4 => 1,
            _ => 0,
        }]
    }

    /// One instruction, or a few that belong together, that leave `vtype` alone.
    fn plain(&mut self, out: &mut String) {
        let line = match self.random.below(24) {
            0..=4 => self.integer(),
            5..=6 => self.memory(),
            7..=9 => self.floating(),
            10..=11 => self.atomic(),
            12 => self.compressed(),
            13 => self.control(),
            14 if self.random.one_in(2) => TRAPS[self.random.index(TRAPS.len())].to_owned(),
            _ => self.vector(None),
        };
        out.push_str(&line);
        out.push('\n');
    }

    fn integer(&mut self) -> String {
        let (d, a, b) = (self.target(), self.source(), self.source());
        let immediate = self.random.below(4096) as i64 - 2048;
        match self.random.below(6) {
            0..=2 => format!("{} {d}, {a}, {b}", self.of_width(R, R64)),
            3 => match self.of_width(UNARY, UNARY64) {
                // qemu 7.2 counts beyond the word in ctzw where the word is 0.
                "ctzw" => format!("clzw {d}, {a}"),
                op => format!("{op} {d}, {a}"),
            },
            4 => format!("{} {d}, {a}, {immediate}", self.of_width(IMMEDIATE, "addiw")),
            _ if self.random.one_in(3) => {
                format!("{} {d}, {:#x}", ["lui", "auipc"][self.random.index(2)], self.random.below(1 << 20))
            }
            _ => {
                let op = self.of_width(SHIFTS, SHIFTS64);
                let most = if self.setup.xlen == 64 && !op.ends_with('w') { 64 } else { 32 };
                format!("{op} {d}, {a}, {}", self.random.below(most))
            }
        }
    }

    fn memory(&mut self) -> String {
        let (base, d, s) = (self.base(), self.target(), self.source());
        let near = self.random.below(128) as i64 - 32;
        let offset = if base == "x8" { self.random.below(4000) as i64 - 2000 } else { near };
        let offset = if base != "x8" || self.random.bool() { offset & !7 } else { offset };
        let (f, op) = (self.float(), self.random.below(4));
        match op {
            0 => format!("{} {d}, {offset}({base})", self.of_width("lb lh lw lbu lhu", "ld lwu")),
            1 => format!("{} {s}, {offset}({base})", self.of_width("sb sh sw", "sd")),
            2 => format!("{} {f}, {offset}({base})", self.word_of("flh flw fld")),
            _ => format!("{} {f}, {offset}({base})", self.word_of("fsh fsw fsd")),
        }
    }

    fn floating(&mut self) -> String {
        let (d, a, b, c) = (self.float(), self.float(), self.float(), self.float());
        let (x, y, mode) = (self.target(), self.source(), MODES[self.random.index(MODES.len())]);
        let format = self.word_of("h s d");
        match self.random.below(8) {
            0 => {
                let n = self.of_width("w wu", "l lu");
                format!("fcvt.{n}.{format} {x}, {a}, {mode}")
            }
            1 => match self.of_width("w wu", "l lu") {
                n if format == "d" && n.starts_with('w') => format!("fcvt.d.{n} {d}, {y}"),
                n => format!("fcvt.{format}.{n} {d}, {y}, {mode}"),
            },
            2 => match self.random.below(6) {
                0 => format!("fcvt.s.d {d}, {a}, {mode}"),
                1 => format!("fcvt.h.s {d}, {a}, {mode}"),
                2 => format!("fcvt.h.d {d}, {a}, {mode}"),
                3 => format!("fcvt.d.s {d}, {a}"),
                4 => format!("fcvt.s.h {d}, {a}"),
                _ => format!("fcvt.d.h {d}, {a}"),
            },
            3 => match self.random.below(4) {
                0 => format!("fmv.x.w {x}, {a}"),
                1 => format!("fmv.w.x {d}, {y}"),
                2 => format!("fmv.x.h {x}, {a}"),
                _ => format!("fmv.h.x {d}, {y}"),
            },
            _ => match self.word_of(FLOATS) {
                op @ ("feq" | "flt" | "fle") => format!("{op}.{format} {x}, {a}, {b}"),
                op @ "fclass" => format!("{op}.{format} {x}, {a}"),
                op @ "fsqrt" => format!("{op}.{format} {d}, {a}, {mode}"),
                op @ ("fmadd" | "fmsub" | "fnmsub" | "fnmadd") => format!("{op}.{format} {d}, {a}, {b}, {c}, {mode}"),
                op @ ("fadd" | "fsub" | "fmul" | "fdiv") => format!("{op}.{format} {d}, {a}, {b}, {mode}"),
                op => format!("{op}.{format} {d}, {a}, {b}"),
            },
        }
    }

    fn atomic(&mut self) -> String {
        let (d, s, e) = (self.target(), self.source(), self.target());
        // Where there is no memory, QEMU says that it could not load.
        let base = "x18";
        let width = self.of_width("w", "d");
        let order = self.word_of(". .aq .rl .aqrl").trim_end_matches('.');
        match self.random.below(5) {
            // What is kept with an address is used up by the first of both.
            0 => format!(
                "lr.{width}{order} {d}, ({base})\nsc.{width}{order} {e}, {s}, ({base})\nsc.{width} {e}, {s}, ({base})"
            ),
            _ => format!("{}.{width}{order} {d}, {s}, ({base})", self.word_of(AMO)),
        }
    }

    fn compressed(&mut self) -> String {
        let short = |random: &mut Random| format!("x{}", 10 + random.below(6));
        let (d, s) = (short(&mut self.random), short(&mut self.random));
        let base = if self.random.one_in(6) { "x9" } else { "x8" };
        let (word, double) = (4 * self.random.below(32), 8 * self.random.below(32));
        match self.random.below(10) {
            0 => format!("c.addi {d}, {}", 1 + self.random.below(31)),
            1 => format!("c.li {d}, {}", self.random.below(64) as i64 - 32),
            2 => format!("c.lui {d}, {}", 1 + self.random.below(31)),
            3 => format!("{} {d}, {}", self.word_of("c.slli c.srli c.srai"), 1 + self.random.below(31)),
            4 => format!("c.lw {d}, {word}({base})"),
            5 => format!("c.sw {s}, {word}({base})"),
            6 => format!("c.fld f{}, {double}({base})", 8 + self.random.below(8)),
            7 => format!("c.fsd f{}, {double}({base})", 8 + self.random.below(8)),
            8 => format!("c.lwsp {d}, {word}(sp)"),
            _ => format!("{} {d}, {s}", self.word_of(SHORT)),
        }
    }

    fn control(&mut self) -> String {
        let (csr, d, s) = (CSRS[self.random.index(CSRS.len())], self.target(), self.source());
        match self.random.below(4) {
            0 => format!("{} {d}, {csr}, {}", self.word_of("csrrwi csrrsi csrrci"), self.random.below(8)),
            // Of `vxrm` qemu 7.2 keeps bits that it does not have.
            1 if self.random.one_in(3) && !csr.starts_with('v') => {
                format!("{} {d}, {csr}, {s}", self.word_of("csrrw csrrs csrrc"))
            }
            1 => format!("csrrwi {d}, vxrm, {}", self.random.below(4)),
            2 => format!("csrrs {d}, {}, x0", self.word_of("vl vtype vlenb fcsr vcsr")),
            _ => format!("csrrwi {d}, fcsr, {}", self.random.below(32)),
        }
    }

    /// Sets `vtype`, mostly to a legal value.
    fn set(&mut self, out: &mut String) {
        let size = self.random.below(4);
        let lmul = *self.random.pick(&[0_i64, 0, 0, 1, 1, 2, 3, -1, -2, -3]);
        let lmul = if lmul < size as i64 - 3 { 0 } else { lmul };
        let mut vtype = (lmul & 7) as u64 | size << 3 | self.random.below(4) << 6;
        let is_odd = self.random.one_in(25);
        if is_odd {
            // A width that there is not.
            vtype |= 4 << 3;
        }
        let (d, length) = (self.target(), self.random.below(32));
        let _ = match self.random.below(4) {
            0 => {
                writeln!(out, ".4byte {:#x}", 0xc000_7057 | vtype << 20 | length << 15 | self.number(&d) << 7)
            }
            1 => writeln!(out, "vsetvli {d}, x0, {vtype}"),
            2 => writeln!(out, "li x6, {vtype}\nvsetvl {d}, x7, x6"),
            _ => writeln!(out, "li x6, {length}\nvsetvli {d}, x6, {vtype}"),
        };
        self.vtype = (!is_odd).then_some(vtype);
    }

    fn number(&self, register: &str) -> u64 {
        register.trim_start_matches('x').parse().unwrap_or_default()
    }

    /// An access at offsets of more than a byte, after these offsets.
    fn indexed(&mut self, out: &mut String) {
        let Some(vtype) = self.vtype else { return self.plain(out) };
        let bits =
            if self.setup.xlen == 64 { *self.random.pick(&[16_u64, 32, 64]) } else { *self.random.pick(&[16, 32]) };
        let lmul = (vtype as u8 as i8) << 5 >> 5;
        let of_index = i64::from(lmul) + i64::from(bits.ilog2()) - (3 + (vtype as i64 >> 3 & 7));
        if !(-3..=3).contains(&of_index) || of_index < i64::from(bits.ilog2()) - 6 {
            return self.plain(out);
        }
        let set = u64::from(bits.ilog2() - 3) << 3 | (of_index & 7) as u64;
        let register = 8 * (1 + self.random.below(3)) as u32;
        let _ = writeln!(
            out,
            "vsetvli x6, x0, {set}\nvid.v v{register}\nvsll.vi v{register}, v{register}, {}",
            3 + self.random.below(2)
        );
        let _ = writeln!(out, "li x6, {}\nvsetvli x0, x6, {vtype}", self.random.below(40));
        let line = self.vector(Some((bits, register)));
        let _ = writeln!(out, "{line}");
    }

    /// A word of vectors; an access with offsets of so many bits in these registers, if so.
    fn vector(&mut self, index: Option<(u64, u32)>) -> String {
        for _ in 0..200 {
            let i = &self.vectors[self.random.index(self.vectors.len())];
            let is_indexed = i.name.contains("xei") || i.name.contains("xseg");
            let wanted = match index {
                Some((bits, _)) => is_indexed && i.name.contains(&format!("ei{bits}")),
                None => !is_indexed || i.name.contains("ei8"),
            };
            // Memory is a good half of the list.
            let is_rare = index.is_none() && i.is_memory() && !self.random.one_in(4);
            // qemu 7.2 ends with a failed assertion at a conversion that says its mode. How far a load that traps at its first element
            // alone goes is free (7.7), and qemu stops it where a page has not been used yet.
            let is_free = i.name.ends_with("ff.v");
            if !wanted || is_rare || is_free || i.name.starts_with("vset") || i.name.contains(".rtz.") {
                continue;
            }
            if let Some(word) = self.word(i, index.map(|i| i.1)) {
                return format!(".4byte {word:#x}");
            }
        }
        "nop".to_owned()
    }

    /// Operands for an instruction; nothing where qemu would not do as the specification says.
    fn word(&mut self, i: &Instruction, index: Option<u32>) -> Option<u32> {
        let put = |word: u32, low: u32, value: u32| word & !(31 << low) | value << low;
        let mut word = self.random.u32();
        let lmul = self.vtype.map_or(0, |v| (v as u8 as i8) << 5 >> 5).max(0) as u32;
        for low in [7, 15, 20] {
            // Mostly where a group can begin.
            let step = (1 << lmul << self.random.below(2)).min(8);
            let step = if self.random.one_in(16) { 1 } else { step };
            word = put(word, low, self.random.below(32 / step) as u32 * step as u32);
        }
        if i.has("xd") {
            let number = self.target();
            word = put(word, 7, self.number(&number) as u32);
        }
        if i.is_memory() {
            // Offsets of a byte are whatever there is.
            let base = if i.name.contains("ei8") && index.is_none() { BASES[0] } else { self.base() };
            word = put(word, 15, self.number(base) as u32);
            if i.name.starts_with("vls") || i.name.starts_with("vss") {
                word = put(word, 20, 20);
            }
            if let Some(register) = index {
                word = put(word, 20, register);
            }
        }
        word = word & !i.care | i.value;
        let tree = operands::decode(self.plan, &Word::from_u64(word.into(), 32))?;
        let is_whole = i.name.starts_with("vmv") && i.name.ends_with("r.v");
        let allowed = match self.vtype {
            None => !is_whole,
            Some(vtype) => {
                let cut = self.setup.xlen == 32 && vtype >> 3 & 7 == 3 && i.name.contains("slide1");
                !cut && reads_two_widths(i, word, vtype).is_none()
            }
        };
        (tree.encoding == i.encoding && allowed).then_some(word)
    }
}
