//! Whether a text can be taken apart in one way only.
//!
//! [`crate::shared`] proves that what shows of two words differs; their texts still could be the same, if `1` and `23`
//! read like `12` and `3`, or if an optional prefix reads like the beginning of what follows. So the tokens are made an
//! automaton over bytes, and the product of the automaton with itself is searched for two runs that part and yet read
//! the same. If there are none, texts are unique. Conditions are ignored, so runs may be found that no word has: the
//! answer is then "not decided", never "shared".
//!
//! States are of two kinds: one that reads a range of bytes, and one that goes on without reading to one of several
//! others. Runs part at the latter only.

use isaglot_invariant::impossible;
use rustc_hash::FxHashSet;

use crate::bdd::Ref;
use crate::limits;
use crate::text::{Format, TextToken};

/// A state.
enum State {
    /// Reads one byte of this range.
    Read(u8, u8, u32),
    /// Goes on to one of these.
    Go(Vec<u32>),
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Every text is read in one way.
    Unique,
    /// There may be two ways.
    Ambiguous,
    /// The embedding program prints a part of it.
    Foreign,
    /// The automaton or the search is too large.
    TooLarge,
}

/// An automaton in the making; state 0 is the end.
struct Automaton {
    states: Vec<State>,
    full: bool,
    foreign: bool,
}

/// Whether the texts of these tokens are read in one way only.
pub(crate) fn reading(tokens: &[TextToken]) -> Reading {
    let mut automaton = Automaton { states: vec![State::Go(Vec::new())], full: false, foreign: false };
    automaton.sequence(tokens, 0);
    match automaton.search() {
        _ if automaton.full => Reading::TooLarge,
        Reading::Ambiguous if automaton.foreign => Reading::Foreign,
        answer => answer,
    }
}

impl Automaton {
    fn push(&mut self, state: State) -> u32 {
        if self.states.len() >= limits::PARSE_STATES {
            self.full = true;
            return 0;
        }
        self.states.push(state);
        self.states.len() as u32 - 1
    }

    fn read(&mut self, low: u8, high: u8, then: u32) -> u32 {
        self.push(State::Read(low, high, then))
    }

    fn go(&mut self, to: Vec<u32>) -> u32 {
        self.push(State::Go(to))
    }

    fn bytes(&mut self, bytes: &[u8], then: u32) -> u32 {
        bytes.iter().rev().fold(then, |then, &b| self.read(b, b, then))
    }

    /// Any number of bytes of a range, then `then`.
    fn many(&mut self, low: u8, high: u8, then: u32) -> u32 {
        let choice = self.go(Vec::new());
        let one = self.read(low, high, choice);
        match self.states.get_mut(choice as usize) {
            Some(State::Go(to)) => *to = vec![one, then],
            _ => impossible(()),
        }
        choice
    }

    /// The tokens back to front; gives the first state.
    fn sequence(&mut self, tokens: &[TextToken], end: u32) -> u32 {
        let mut next = end;
        for token in tokens.iter().rev() {
            next = match token {
                TextToken::Text(bytes) => self.bytes(bytes, next),
                // How many there are depends on the column, which the bytes read so far give.
                TextToken::Pad(_) => self.many(b' ', b' ', next),
                TextToken::Choice(choice) => {
                    let starts = choice.iter().map(|(_, tokens)| self.sequence(tokens, next)).collect();
                    self.go(starts)
                }
                TextToken::Number(format, bits) => self.number(format, bits, next),
            };
        }
        next
    }

    fn number(&mut self, format: &Format, bits: &[Ref], next: u32) -> u32 {
        let used = bits.iter().rposition(|b| !b.is_false()).map_or(0, |i| i + 1) as u32;
        match format {
            Format::Unsigned => self.digits(decimal_digits(used), b'9', next),
            Format::Negative => {
                // The magnitude can be one more than the bits hold.
                let start = self.digits(decimal_digits(used + 1), b'9', next);
                self.read(b'-', b'-', start)
            }
            Format::Hex => self.digits(used.div_ceil(4).max(1), b'f', next),
            Format::Float => {
                let fraction = (0..6).fold(next, |next, _| self.read(b'0', b'9', next));
                let point = self.read(b'.', b'.', fraction);
                let more = self.many(b'0', b'9', point);
                let digits = self.read(b'0', b'9', more);
                let (nan, inf) = (self.bytes(b"nan", next), self.bytes(b"inf", next));
                let start = self.go(vec![digits, nan, inf]);
                let minus = self.read(b'-', b'-', start);
                self.go(vec![start, minus])
            }
            Format::Custom(_) => {
                self.foreign = true;
                self.many(0, u8::MAX, next)
            }
        }
    }

    /// `0`, or up to `most` digits of which the first is not 0; `top` is the largest digit, `9` or `f`.
    fn digits(&mut self, most: u32, top: u8, next: u32) -> u32 {
        let one = |a: &mut Automaton, low: u8, then: u32| -> Vec<u32> {
            let mut list = vec![a.read(low, b'9', then)];
            if top > b'9' {
                list.push(a.read(b'a', top, then));
            }
            list
        };
        let mut rest = next;
        for _ in 1..most {
            let mut list = one(self, b'0', rest);
            list.push(next);
            rest = self.go(list);
        }
        let mut start = one(self, b'1', rest);
        start.push(self.read(b'0', b'0', next));
        self.go(start)
    }

    /// Looks for two runs that part and meet again, or end, after the same bytes.
    fn search(&self) -> Reading {
        let mut seen: FxHashSet<(u32, u32)> = FxHashSet::default();
        let mut work = Vec::new();
        let mut add = |work: &mut Vec<(u32, u32)>, p: u32, q: u32| {
            let pair = (p.min(q), p.max(q));
            if seen.insert(pair) {
                work.push(pair);
            }
            p == q || seen.len() > limits::PARSE_PAIRS
        };
        for state in &self.states {
            let State::Go(to) = state else { continue };
            for (i, &p) in to.iter().enumerate() {
                for &q in to.iter().skip(i + 1) {
                    if add(&mut work, p, q) {
                        return if p == q { Reading::Ambiguous } else { Reading::TooLarge };
                    }
                }
            }
        }
        while let Some((p, q)) = work.pop() {
            let next: Vec<(u32, u32)> = match (self.states.get(p as usize), self.states.get(q as usize)) {
                (Some(State::Go(to)), _) if p != 0 => to.iter().map(|&p| (p, q)).collect(),
                (_, Some(State::Go(to))) if q != 0 => to.iter().map(|&q| (p, q)).collect(),
                (Some(&State::Read(a, b, then)), Some(&State::Read(c, d, other))) if a.max(c) <= b.min(d) => {
                    vec![(then, other)]
                }
                _ => continue,
            };
            for (p, q) in next {
                if add(&mut work, p, q) {
                    return if p == q { Reading::Ambiguous } else { Reading::TooLarge };
                }
            }
        }
        Reading::Unique
    }
}

/// Decimal digits of the largest number of so many bits.
fn decimal_digits(bits: u32) -> u32 {
    match bits {
        0 => 1,
        1..=63 => ((1u64 << bits) - 1).ilog10() + 1,
        _ => u64::MAX.ilog10() + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(t: &str) -> TextToken {
        TextToken::Text(t.as_bytes().to_vec())
    }

    fn number(bits: usize) -> TextToken {
        TextToken::Number(Format::Unsigned, vec![Ref::TRUE; bits])
    }

    fn choice(list: &[&str]) -> TextToken {
        let one = |t: &&str| (Ref::TRUE, if t.is_empty() { Vec::new() } else { vec![text(t)] });
        TextToken::Choice(list.iter().map(one).collect())
    }

    #[test]
    fn readings() {
        use Reading::{Ambiguous, Unique};
        let cases: [(&str, Vec<TextToken>, Reading); 12] = [
            ("a literal", vec![text("nop")], Unique),
            ("a number", vec![text("r"), number(8)], Unique),
            ("two numbers apart", vec![number(8), text(", "), number(8)], Unique),
            ("two numbers together", vec![number(8), number(8)], Ambiguous),
            ("a digit and a number", vec![number(3), number(8)], Unique),
            ("optional flags", vec![choice(&["", "(sy)"]), choice(&["", "(ss)"]), text("nop")], Unique),
            ("the same flag twice", vec![choice(&["", "(r)"]), choice(&["", "(r)"]), text("x")], Ambiguous),
            ("a prefix", vec![choice(&["br", "bra"]), choice(&["ac", "c"])], Ambiguous),
            ("a prefix that shows", vec![choice(&["br", "bra"]), choice(&["x", "y"])], Unique),
            (
                "two empty ones",
                vec![TextToken::Choice(vec![(Ref::TRUE, vec![]), (Ref::TRUE, vec![choice(&["", "x"])])])],
                Ambiguous,
            ),
            ("padding", vec![text("mov "), TextToken::Pad(18), text("x")], Unique),
            ("padding and blanks", vec![TextToken::Pad(18), text(" x")], Unique),
        ];
        for (what, tokens, want) in cases {
            assert_eq!(reading(&tokens), want, "{what}");
        }
    }
}
