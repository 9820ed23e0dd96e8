//! Values of `bits` types. Bit 0 is the least significant. Almost all are constant and take no room beyond their node up
//! to 32 bits; only a value with a reference in it has a word for each bit.
//!
//! Example: `bits<4> b = { ?, 1, 0, ? }` is *small*: bits 1 and 2 are known (`known = 0b0110`), and of those bit 2 is 1
//! (`value = 0b0100`). With `Operand{2}` in place of a `?` it is a run of four words, one value for each bit.

use isaglot_invariant::Impossible as _;

use crate::store::Store;
use crate::ty::Ty;
use crate::value::{Facts, Val, Vals, ValueKind, bits_form, flag};

impl Vals {
    /// Bit `i` of a `bits` value.
    pub(crate) fn bits_at(&self, v: Val, i: u32) -> Val {
        let node = self.node(v);
        let i = i as usize;
        let (known, value) = match node.op {
            bits_form::SMALL => (node.a >> (i & 31), node.b >> (i & 31)),
            bits_form::WIDE => {
                let run = self.run(v);
                let words = run.len() / 2;
                match (run.get(i / 32), run.get(words + i / 32)) {
                    (Some(&known), Some(&value)) => (known >> (i & 31), value >> (i & 31)),
                    _ => (0, 0),
                }
            }
            _ => return self.run(v).get(i).map_or(Val::UNSET, |&w| Val(w)),
        };
        match (known & 1, value & 1) {
            (0, _) => Val::UNSET,
            (_, bit) => Val::bit(bit == 1),
        }
    }

    /// The bits that are known and what they are, of a `bits` value of at most 32 bits that has no references.
    pub(crate) fn small_bits(&self, v: Val) -> Option<(u32, u32)> {
        let node = self.look(v);
        (node.kind == ValueKind::Bits && node.op == bits_form::SMALL).then_some((node.a, node.b))
    }

    /// The facts of a value of these bits: bits of one field, which mostly stand together, are looked at once.
    fn facts_of_bits(&self, bits: &[u32]) -> Facts {
        let mut of = Val::MISSING;
        let counts = |&bit: &Val| {
            if bit.0 <= Val::TRUE.0 {
                return false;
            }
            let node = self.look(bit);
            let now = if node.kind == ValueKind::VarBit { Val(node.a) } else { Val::MISSING };
            std::mem::replace(&mut of, now) != now || now == Val::MISSING
        };
        let unset = bits.contains(&Val::UNSET.0).then_some(Val::UNSET);
        self.facts_of(bits.iter().map(|&bit| Val(bit)).filter(counts).chain(unset))
    }

    /// Number of bits.
    pub(crate) fn bits_len(&self, v: Val) -> u32 {
        self.ty(v).width().or_impossible(0)
    }

    /// The number that the bits are, if all are known. Bits from 64 on wrap around, as in llvm-tblgen.
    pub(crate) fn bits_int(&self, v: Val) -> Option<i64> {
        let node = self.node(v);
        let width = self.bits_len(v);
        match node.op {
            bits_form::SMALL => {
                let all = if width >= 32 { u32::MAX } else { (1 << width) - 1 };
                (node.a == all).then_some(i64::from(node.b))
            }
            bits_form::WIDE => {
                let mut result = 0i64;
                for i in 0..width {
                    let bit = self.bits_at(v, i);
                    if bit == Val::UNSET {
                        return None;
                    }
                    result |= i64::from(bit == Val::TRUE).wrapping_shl(i);
                }
                Some(result)
            }
            _ => None,
        }
    }
}

impl Store {
    /// A `bits` value of these bits, bit 0 first.
    pub(crate) fn bits(&mut self, bits: &[u32]) -> Val {
        let width = bits.len() as u32;
        let ty = Ty::bits(width);
        if bits.iter().any(|&b| b > Val::TRUE.0) {
            return self.vals.with_run(ValueKind::Bits, bits_form::MIXED, ty, bits, |vals| vals.facts_of_bits(bits));
        }
        let known = |chunk: &[u32]| chunk.iter().enumerate().fold(0, |m, (i, &b)| m | u32::from(b != 0) << i);
        let value = |chunk: &[u32]| chunk.iter().enumerate().fold(0, |m, (i, &b)| m | u32::from(b == 2) << i);
        let complete = bits.iter().all(|&b| b != 0);
        let facts = Facts { flags: flag::CONCRETE | if complete { flag::COMPLETE } else { 0 }, bloom: 0 };
        if width <= 32 {
            return self.vals.fixed(ValueKind::Bits, bits_form::SMALL, ty, known(bits), value(bits), facts);
        }
        let run: Vec<u32> = bits.chunks(32).map(known).chain(bits.chunks(32).map(value)).collect();
        self.vals.with_run(ValueKind::Bits, bits_form::WIDE, ty, &run, |_| facts)
    }

    /// `width` bits of a number; bits from 64 on are 0, also of a negative one, as in llvm-tblgen.
    pub(crate) fn bits_of_int(&mut self, value: i64, width: u32) -> Val {
        if width <= 32 {
            let all = if width >= 32 { u32::MAX } else { (1u32 << width) - 1 };
            return self.vals.fixed(
                ValueKind::Bits,
                bits_form::SMALL,
                Ty::bits(width),
                all,
                value as u32 & all,
                Facts::GROUND,
            );
        }
        let bits: Vec<u32> = (0..width).map(|i| Val::bit(bit_of_number(value, i)).0).collect();
        self.bits(&bits)
    }

    /// Bit `i` of any value that can be asked for one: of an unresolved value, a reference to the bit.
    pub(crate) fn bit_of(&mut self, v: Val, i: u32) -> Val {
        let node = self.vals.node(v);
        match node.kind {
            ValueKind::Unset => Val::UNSET,
            ValueKind::Bit => v,
            ValueKind::Bits => self.vals.bits_at(v, i),
            ValueKind::Int => {
                let value = self.vals.as_int(v).or_impossible(0);
                Val::bit(bit_of_number(value, i))
            }
            ValueKind::VarBit => v,
            ValueKind::Var | ValueKind::Field | ValueKind::UnOp | ValueKind::BinOp | ValueKind::TernOp
                if node.ty == Ty::BIT =>
            {
                v
            }
            ValueKind::Var
            | ValueKind::Field
            | ValueKind::UnOp
            | ValueKind::BinOp
            | ValueKind::TernOp
            | ValueKind::Cond
            | ValueKind::Fold
            | ValueKind::IsA
            | ValueKind::Exists
            | ValueKind::VarDef => self.var_bit(v, i),
            _ => Val::UNSET,
        }
    }
}

/// Bit `i` of a number of 64 bits; 0 from bit 64 on.
fn bit_of_number(value: i64, i: u32) -> bool {
    i < i64::BITS && value >> i & 1 == 1
}
