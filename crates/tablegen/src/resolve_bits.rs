//! Putting values in for variables, in values of `bits`. An encoding is some 32 bits, most of them known or bits of a few
//! fields in a row: what a field became is looked up once for all of its bits that stand together.

use crate::ctx::Ctx;
use crate::resolve::Resolver;
use crate::value::{Val, ValueKind};

/// What became of a value of which bits are asked.
#[derive(Clone, Copy)]
enum BitSource {
    /// The references to its bits stay.
    Same,
    /// A constant of at most 32 bits: those that are known, and what they are.
    Short(u32, u32),
    Other(Val),
}

impl Ctx {
    #[inline(never)]
    pub(crate) fn resolve_bits(&mut self, v: Val, r: &mut Resolver) -> Val {
        let start = self.copy_to_scratch(v);
        let end = self.eval.scratch.len();
        let mut changed = false;
        // What bits are asked of, and what that became.
        let mut of = Val::MISSING;
        let mut source = BitSource::Same;
        for at in start..end {
            let old = Val(self.eval.scratch[at]);
            if old.0 <= Val::TRUE.0 {
                continue;
            }
            let node = self.store.vals.look(old);
            let new = if node.kind == ValueKind::VarBit {
                let bit = node.b;
                if Val(node.a) != of {
                    of = Val(node.a);
                    source = self.bit_source(of, r);
                }
                match source {
                    BitSource::Same => continue,
                    BitSource::Short(known, value) => match (known >> (bit & 31) & 1, value >> (bit & 31) & 1) {
                        (0, _) => Val::UNSET,
                        (_, bit) => Val::bit(bit == 1),
                    },
                    BitSource::Other(now) => self.store.bit_of(now, bit),
                }
            } else {
                let whole = self.resolve(old, r);
                self.store.bit_of(whole, 0)
            };
            // A reference to a bit that is not set yet stays a reference: this is what encodings are made of.
            if new != old && !(r.own_fields && new == Val::UNSET) {
                self.eval.scratch[at] = new.0;
                changed = true;
            }
        }
        if changed {
            return self.make_from_scratch(start, |ctx, bits| ctx.store.bits(bits));
        }
        self.eval.scratch.truncate(start);
        v
    }

    #[inline(never)]
    fn bit_source(&mut self, of: Val, r: &mut Resolver) -> BitSource {
        let now = self.resolve(of, r);
        if now == of {
            return BitSource::Same;
        }
        match self.store.vals.small_bits(now) {
            Some((0, _)) if r.own_fields => BitSource::Same,
            Some((known, value)) => BitSource::Short(known, value),
            None => BitSource::Other(now),
        }
    }
}
