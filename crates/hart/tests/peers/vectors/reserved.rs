//! Where qemu 7.2 does not do what the vector specification says, each by its clause; `faults.txt` is their list. What qemu runs
//! although it is reserved has to be exactly what the clause names: the groups of registers and the widths of their elements are
//! worked out here, from the name of the instruction and from `vtype`, without the code that is tested.

use super::Outcome;
use super::case::{Instruction, Setup, State};

const FAULTS: &str = include_str!("faults.txt");

/// The names of the list that are for a width of registers, with the rest of their lines.
pub(crate) fn faults(xlen: u32) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = FAULTS.lines().filter(|line| !line.starts_with('#'));
    let parts = lines.filter_map(|line| {
        let (name, rest) = line.split_once(' ')?;
        let (place, rest) = rest.split_once(' ')?;
        Some((name, place, rest))
    });
    let here = format!("rv{xlen}");
    parts.filter(move |p| p.1 == "any" || p.1 == here).map(|p| (p.0, p.2))
}

/// Registers that an instruction reads, with the bits of an element.
#[derive(Clone, Copy, Debug)]
struct Source {
    first: u32,
    count: u32,
    bits: u32,
}

impl Source {
    fn overlaps(self, other: Source) -> bool {
        self.first < other.first + other.count && other.first < self.first + self.count
    }
}

/// What an instruction reads, with the `vtype` of a state. Chapter 11 and later: the letters after the dot say what operands are, and
/// the letters `w` and `n` of a name that the destination or the source is of twice the width.
fn sources(i: &Instruction, word: u32, vtype: u64) -> Vec<Source> {
    let name = i.name.as_str();
    let sew = 8 << (vtype >> 3 & 7);
    let lmul = (vtype as u8 as i8) << 5 >> 5;
    // A group of elements of these bits, as many as the group of the width that is set has.
    let group = |first: u32, bits: u32| {
        let exponent = i32::from(lmul) + bits.ilog2() as i32 - u32::ilog2(sew) as i32;
        Source { first, count: 1 << exponent.max(0), bits }
    };
    let single = |first: u32, bits: u32| Source { first, count: 1, bits };
    let field = |low: u32| word >> low & 31;
    let (vd, vs1, vs2) = (field(7), field(15), field(20));
    let (_, form) = name.split_once('.').unwrap_or((name, ""));
    let mut all = Vec::new();
    if word >> 25 & 1 == 0 {
        all.push(single(0, 1));
    }
    if i.is_memory() {
        let is_indexed = name.contains("xei") || name.contains("xseg");
        let of_width = |code: u32| [8, 0, 0, 0, 0, 16, 32, 64][code as usize & 7];
        if is_indexed {
            all.push(group(vs2, of_width(word >> 12)));
        }
        if i.is_store() {
            let fields = (word >> 29) + 1;
            let (unit, is_whole_or_mask) = (word >> 26 & 3 == 0, matches!(vs2, 8 | 11));
            all.push(match is_indexed {
                _ if unit && is_whole_or_mask => single(vd, 8),
                true => group(vd, sew),
                false => group(vd, of_width(word >> 12)),
            });
            if let Some(data) = all.last_mut() {
                data.count *= fields;
            }
        }
        return all;
    }
    let (is_wide, is_wide_reduction) = (form.starts_with('w'), name.starts_with("vw") || name.starts_with("vfw"));
    if i.has("vs2") {
        all.push(match form {
            _ if is_wide => group(vs2, 2 * sew),
            "mm" | "m" => single(vs2, 1),
            // A number that is read from the first element; a conversion from twice the width ends with `w`.
            "x.s" | "f.s" => single(vs2, sew),
            _ if form.ends_with(".w") => group(vs2, 2 * sew),
            _ if name.starts_with("vmv") && form.starts_with("r.") => single(vs2, sew),
            "vf2" => group(vs2, sew / 2),
            "vf4" => group(vs2, sew / 4),
            "vf8" => group(vs2, sew / 8),
            _ => group(vs2, sew),
        });
    }
    if i.has("vs1") {
        all.push(match form {
            "mm" | "vm" => single(vs1, 1),
            "vs" => single(vs1, if is_wide_reduction { 2 * sew } else { sew }),
            _ if name.starts_with("vrgatherei16") => group(vs1, 16),
            _ => group(vs1, sew),
        });
    }
    // Products are added to the destination.
    if ["macc", "msac", "madd", "msub"].iter().any(|n| name.contains(n)) {
        all.push(group(vd, if is_wide_reduction { 2 * sew } else { sew }));
    }
    all
}

/// Whether an instruction reads a register with two widths of elements, of which a mask's is 1.
pub(crate) fn reads_two_widths(i: &Instruction, word: u32, vtype: u64) -> Option<&'static str> {
    let all = sources(i, word, vtype);
    let mut found = None;
    for (n, a) in all.iter().enumerate() {
        for b in all.iter().skip(n + 1).filter(|b| a.bits != b.bits && a.overlaps(**b)) {
            found = if a.bits == 1 || b.bits == 1 { found.or(Some("mask")) } else { Some("widths") };
        }
    }
    found
}

/// Whether nothing differs but one element of 64 bits, which is the whole number here and its low half there.
fn is_cut(number: u64, want: &Outcome, got: &Outcome) -> bool {
    let pairs = || got.registers.chunks_exact(8).zip(want.registers.chunks_exact(8)).filter(|(g, w)| g != w);
    pairs().count() == 1 && pairs().all(|(g, w)| g == number.to_le_bytes() && w == (number & 0xffff_ffff).to_le_bytes())
}

/// The name of the line that says why qemu's answer does not count; nothing if it does.
pub(crate) fn why(i: &Instruction, s: &State, setup: Setup, want: &Outcome, got: &Outcome) -> Option<&'static str> {
    let mut alike = want.clone();
    alike.rest[4] = got.rest[4];
    if alike == *got && want.rest[4] == s.vstart && got.rest[4] == 0 {
        return Some("vstart");
    }
    let is_whole = i.name.starts_with("vmv") && i.name.ends_with("r.v");
    let sew = 8 << (got.rest[1] >> 3 & 7);
    if is_whole && want.rest[7] == 11 {
        // One register, two, four or eight, as the field of the other operand says.
        let elements = (u64::from(s.word >> 15 & 7) + 1) * setup.vlen / sew;
        return (s.vstart >= elements && got.rest[7] == 0 && got.registers == s.registers).then_some("moves");
    }
    if setup.xlen == 32 && sew == 64 && i.name.contains("slide1") && got.rest == want.rest {
        // A number of floating point has 64 bits, an integer is extended with its sign.
        let number = if i.name.starts_with("vf") { s.operands[3] } else { s.operands[1] as i32 as u64 };
        return is_cut(number, want, got).then_some("slides");
    }
    if got.rest[7] != 4 || want.rest[7] == 4 {
        return None;
    }
    // What the instruction left of `vtype` is what it found: only those that set it write it, and they read no vectors.
    let vtype = got.rest[1];
    if vtype >> (setup.xlen - 1) & 1 == 1 {
        return is_whole.then_some("vill");
    }
    reads_two_widths(i, s.word, vtype)
}
