//! Where the generic instructions are in the opcode space: encoding profiles, as data.
//!
//! A profile is two words and the places of a few bits (reference 1.10); `profiles.toml` holds the four of the
//! reference, and another one needs a table there or in a file of one's own, but no code. A profile is checked before
//! it is used: no number of a command may land on a register field, and no two instructions on one word.

use isaglot_source::{Diagnostic, Diagnostics, FileId};

use crate::limits;
use crate::tree::{self, ConfigEntry, ConfigItem};

/// The profiles of the reference.
pub const BUILTIN: &str = include_str!("profiles.toml");

/// The bits that tell R-type instructions apart: all but rd, rs1 and rs2.
pub const R_TYPE_MASK: u32 = 0xfe00_707f;

/// One encoding of `xcmd` and `xext`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// What it is, in a few words.
    pub doc: String,
    /// The word of `xcmd0 x0, x0, x0`.
    pub xcmd: u32,
    /// Where the bits of a command number go, the least significant first.
    pub k: Vec<u32>,
    /// The word of `xext x0, x0, x0`.
    pub xext: u32,
    /// Where the bits of the number of the `xext` variant go.
    pub j: Vec<u32>,
}

/// A generic instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GenericInst {
    /// `xext`, `xext0` or `xextm1`, by number 0, 1, 2.
    Xext(u32),
    /// `xcmdK`.
    Xcmd(u32),
}

impl GenericInst {
    /// The mnemonic.
    pub fn name(self) -> String {
        match self {
            GenericInst::Xext(0) => "xext".to_owned(),
            GenericInst::Xext(1) => "xext0".to_owned(),
            GenericInst::Xext(_) => "xextm1".to_owned(),
            GenericInst::Xcmd(k) => format!("xcmd{k}"),
        }
    }
}

/// The fields of `.insn r`, in the order in which it takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RType {
    /// Bits 6:0.
    pub opcode: u32,
    /// Bits 14:12.
    pub funct3: u32,
    /// Bits 31:25.
    pub funct7: u32,
}

fn scatter(number: u32, bits: &[u32]) -> u32 {
    bits.iter().enumerate().fold(0, |word, (i, &bit)| word | (number >> i & 1) << bit)
}

impl Profile {
    /// The instruction word; register numbers are taken modulo 32, and a command number modulo the profile's space.
    pub fn encode(&self, op: GenericInst, rd: u32, rs1: u32, rs2: u32) -> u32 {
        self.pattern(op) | (rd & 31) << 7 | (rs1 & 31) << 15 | (rs2 & 31) << 20
    }

    /// The word without registers; an instruction word `w` is this one if `w & R_TYPE_MASK` equals it.
    pub fn pattern(&self, op: GenericInst) -> u32 {
        match op {
            GenericInst::Xext(j) => self.xext | scatter(j, &self.j),
            GenericInst::Xcmd(k) => self.xcmd | scatter(k, &self.k),
        }
    }

    /// Which generic instruction a word is, with `n` commands per interface; `k >= n` is none (R15).
    pub fn decode(&self, word: u32, n: u32) -> Option<GenericInst> {
        ops(n).find(|&op| word & R_TYPE_MASK == self.pattern(op))
    }

    /// What `.insn r` wants.
    pub fn r_type(&self, op: GenericInst) -> RType {
        let word = self.pattern(op);
        RType { opcode: word & 0x7f, funct3: word >> 12 & 7, funct7: word >> 25 }
    }

    /// How many commands the profile has room for.
    pub fn max_commands(&self) -> u32 {
        1u32.checked_shl(self.k.len() as u32).unwrap_or(u32::MAX).min(limits::MAX_COMMANDS)
    }
}

/// All generic instructions with `n` commands per interface.
pub fn ops(n: u32) -> impl Iterator<Item = GenericInst> {
    (0..3).map(GenericInst::Xext).chain((0..n.min(limits::MAX_COMMANDS)).map(GenericInst::Xcmd))
}

/// An instruction of the selected instruction set, to be kept clear of.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'a> {
    /// Its name.
    pub name: &'a str,
    /// Which bits decide.
    pub mask: u32,
    /// What they are.
    pub value: u32,
}

/// A word that two instructions claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The generic instruction.
    pub op: GenericInst,
    /// The other instruction.
    pub other: String,
    /// A word that is both.
    pub witness: u32,
}

/// Every clash of a profile with `n` commands per interface with the given instructions.
pub fn clashes(profile: &Profile, n: u32, taken: &[Taken<'_>]) -> Vec<Clash> {
    let mut out = Vec::new();
    for op in ops(n) {
        let pattern = profile.pattern(op);
        for other in taken {
            if (pattern ^ other.value) & R_TYPE_MASK & other.mask == 0 {
                let witness = pattern | other.value & other.mask;
                out.push(Clash { op, other: other.name.to_owned(), witness });
            }
        }
    }
    out
}

/// Reads profiles; what is wrong is reported, and a profile with a fault is left out.
pub fn parse(file: FileId, bytes: &[u8], out: &mut Diagnostics) -> Vec<Profile> {
    let mut profiles = Vec::new();
    for entry in tree::read(file, bytes, out) {
        let before = out.error_count();
        let Some(profile) = read(&entry, out) else { continue };
        if out.error_count() == before {
            match fault(&profile) {
                Some(why) => out.push(Diagnostic::error("E-PROFILE", why).label(entry.key_span, "this profile")),
                None => profiles.push(profile),
            }
        }
    }
    profiles
}

/// One profile as it stands in the file.
fn read(entry: &ConfigEntry, out: &mut Diagnostics) -> Option<Profile> {
    let Some(fields) = entry.value.table() else {
        let d = Diagnostic::error("E-SYNTAX", "expected a table with `xcmd`, `k`, `xext` and `j`");
        out.push(d.label(entry.key_span, ""));
        return None;
    };
    let name = entry.key.clone();
    let mut profile = Profile { name, doc: String::new(), xcmd: 0, k: Vec::new(), xext: 0, j: Vec::new() };
    let number = |v: &ConfigItem| v.int().flatten().and_then(|n| u32::try_from(n).ok());
    let numbers =
        |v: &ConfigItem| v.list()?.iter().map(|v| number(v).filter(|&b| b < 32)).collect::<Option<Vec<u32>>>();
    for field in fields {
        let value = &field.value;
        let read = match field.key.as_str() {
            "doc" => value.text().map(|s| profile.doc = s.to_owned()),
            "xcmd" => number(value).map(|w| profile.xcmd = w),
            "xext" => number(value).map(|w| profile.xext = w),
            "k" => numbers(value).map(|b| profile.k = b),
            "j" => numbers(value).map(|b| profile.j = b),
            _ => {
                let d = Diagnostic::error("E-SYNTAX", "expected `doc`, `xcmd`, `k`, `xext` or `j`");
                out.push(d.label(field.key_span, "unknown"));
                continue;
            }
        };
        if read.is_none() {
            let d = Diagnostic::error("E-SYNTAX", "expected a 32-bit word, or an array of bit numbers below 32");
            out.push(d.label(value.span, ""));
        }
    }
    for key in ["xcmd", "k", "xext", "j"] {
        if !fields.iter().any(|f| f.key == key) {
            let d = Diagnostic::error("E-SYNTAX", format!("the profile has no `{key}`"));
            out.push(d.label(entry.key_span, ""));
        }
    }
    Some(profile)
}

/// Why a profile cannot be used.
fn fault(profile: &Profile) -> Option<String> {
    if profile.k.len() > 4 || profile.j.len() != 2 {
        return Some("`k` has at most 4 bits and `j` has 2".to_owned());
    }
    for (what, word, bits) in [("xcmd", profile.xcmd, &profile.k), ("xext", profile.xext, &profile.j)] {
        if word & !R_TYPE_MASK != 0 {
            return Some(format!("`{what}` sets bits of a register field"));
        }
        if word & 3 != 3 {
            return Some(format!("`{what}` is no 32-bit instruction: its two lowest bits are not 11"));
        }
        for (i, &bit) in bits.iter().enumerate() {
            if R_TYPE_MASK >> bit & 1 == 0 || bit < 7 {
                return Some(format!("bit {bit} is neither in funct3 nor in funct7"));
            }
            if word >> bit & 1 == 1 {
                return Some(format!("bit {bit} is set in `{what}`, so a number cannot go there"));
            }
            if bits.iter().take(i).any(|&b| b == bit) {
                return Some(format!("bit {bit} is used twice"));
            }
        }
    }
    let all: Vec<GenericInst> = ops(profile.max_commands()).collect();
    for (i, &a) in all.iter().enumerate() {
        if let Some(&b) = all.iter().take(i).find(|&&b| profile.pattern(a) == profile.pattern(b)) {
            return Some(format!("`{}` and `{}` are the same word {:#010x}", b.name(), a.name(), profile.pattern(a)));
        }
    }
    None
}

/// The profiles of the reference, parsed.
pub fn builtin() -> Vec<Profile> {
    parse(FileId(0), BUILTIN.as_bytes(), &mut Diagnostics::new())
}

/// The built-in profile of that name.
pub fn by_name(name: &str) -> Option<Profile> {
    builtin().into_iter().find(|p| p.name == name)
}
