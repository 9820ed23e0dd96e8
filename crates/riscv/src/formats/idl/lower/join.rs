//! Bits cut out, put together and extended.
//!
//! Loops over bits are unrolled, so this is simplified most: neighbouring bits of one value become one slice, and copies of a
//! sign become one extension.

use isaglot_bits::Word;
use isaglot_semantics::sign_extend;

use super::graph::{Graph, Id, Node};

impl Graph {
    pub(crate) fn zero_extend(&mut self, x: Id, width: u32) -> Id {
        match *self.node(x) {
            _ if self.width(x) >= width => x,
            Node::Const(ref w) => {
                let value = w.resized(width);
                self.word(value)
            }
            Node::ZeroExtend(inner) => self.zero_extend(inner, width),
            _ => self.make(Node::ZeroExtend(x), width),
        }
    }

    pub(crate) fn sign_extend(&mut self, x: Id, width: u32) -> Id {
        match *self.node(x) {
            _ if self.width(x) >= width => x,
            Node::Const(ref w) => {
                let value = sign_extend(w, width);
                self.word(value)
            }
            Node::SignExtend(inner) => self.sign_extend(inner, width),
            Node::ZeroExtend(inner) => self.zero_extend(inner, width),
            _ => self.make(Node::SignExtend(x), width),
        }
    }

    /// Cut or extended to a width.
    pub(crate) fn fit(&mut self, x: Id, width: u32, signed: bool) -> Id {
        match self.width(x) {
            w if w > width => self.slice(x, 0, width),
            _ if signed => self.sign_extend(x, width),
            _ => self.zero_extend(x, width),
        }
    }

    pub(crate) fn slice(&mut self, x: Id, low: u32, width: u32) -> Id {
        if low == 0 && self.width(x) == width {
            return x;
        }
        match *self.node(x) {
            Node::Const(ref w) => {
                let value = w.shr(low).resized(width);
                self.word(value)
            }
            Node::Slice(inner, below) => self.slice(inner, low + below, width),
            Node::Concat(_, lower) if low + width <= self.width(lower) => self.slice(lower, low, width),
            Node::Concat(upper, lower) if low >= self.width(lower) => self.slice(upper, low - self.width(lower), width),
            Node::Concat(upper, lower) => {
                let inside = self.width(lower) - low;
                let lower = self.slice(lower, low, inside);
                let upper = self.slice(upper, 0, width - inside);
                self.concat(upper, lower)
            }
            Node::ZeroExtend(inner) => {
                let own = self.width(inner);
                if low >= own {
                    return self.number(0, width);
                }
                let part = self.slice(inner, low, width.min(own - low));
                self.zero_extend(part, width)
            }
            Node::SignExtend(inner) => {
                let own = self.width(inner);
                let low = low.min(own - 1);
                let part = self.slice(inner, low, width.min(own - low));
                self.sign_extend(part, width)
            }
            _ => self.make(Node::Slice(x, low), width),
        }
    }

    /// The highest bit.
    pub(super) fn top(&mut self, x: Id) -> Id {
        let width = self.width(x);
        self.slice(x, width - 1, 1)
    }

    /// `x` above `y`.
    pub(crate) fn concat(&mut self, x: Id, y: Id) -> Id {
        let width = self.width(x) + self.width(y);
        if let (Some(a), Some(b)) = (self.constant(x), self.constant(y)) {
            let value = a.resized(width).shl(b.width()).or(&b.resized(width));
            return self.word(value);
        }
        // The part above is never put together itself.
        if let Node::Concat(a, b) = *self.node(x) {
            let low = self.concat(b, y);
            return self.concat(a, low);
        }
        if self.constant(x).is_some_and(Word::is_zero) {
            return self.zero_extend(y, width);
        }
        // Neighbouring bits of one value.
        let (low, rest) = match *self.node(y) {
            Node::Concat(low, rest) => (low, Some(rest)),
            _ => (y, None),
        };
        if let (&Node::Slice(a, high), &Node::Slice(b, from)) = (self.node(x), self.node(low))
            && a == b
            && high == from + self.width(low)
        {
            let joined = self.slice(a, from, self.width(x) + self.width(low));
            return match rest {
                Some(rest) => self.concat(joined, rest),
                None => joined,
            };
        }
        if let (Some(a), Some(b), Some(rest)) = (self.constant(x).cloned(), self.constant(low).cloned(), rest) {
            let both = a.width() + b.width();
            let joined = self.word(a.resized(both).shl(b.width()).or(&b.resized(both)));
            return self.concat(joined, rest);
        }
        // Copies of the sign.
        let sign = match *self.node(x) {
            Node::SignExtend(bit) if self.width(bit) == 1 => bit,
            _ => x,
        };
        if self.width(sign) == 1 && self.constant(sign).is_none() && self.top(y) == sign {
            return self.sign_extend(y, width);
        }
        self.make(Node::Concat(x, y), width)
    }

    /// `x` with the bits from `low` on replaced.
    pub(crate) fn insert(&mut self, x: Id, low: u32, part: Id) -> Id {
        let (width, own) = (self.width(x), self.width(part));
        let mut made = part;
        if low > 0 {
            let below = self.slice(x, 0, low);
            made = self.concat(made, below);
        }
        if low + own < width {
            let above = self.slice(x, low + own, width - low - own);
            made = self.concat(above, made);
        }
        made
    }
}
