//! Terms over bit-vectors and arrays, each once, simplified as they are made.
//!
//! A proof needs the effect of an instruction as a formula. Terms are that formula, shared wherever they are equal:
//! equal terms have equal ids, so what simplifies to the same term is proved without a solver.

use isaglot_bits::Word;
use isaglot_semantics::{BinaryOp, UnaryOp, sign_extend};
use rustc_hash::FxHashMap;

/// How many joins of arrays a read is moved inside of; each may double the terms.
const READ_DEPTH: u32 = 4;

/// The longest chain of changes of an array that is looked through.
const MAX_CHAIN: usize = 128;

/// The longest table of constants that is looked into.
const MAX_TABLE: usize = 1024;

/// A term of [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

/// What kind of value a term has. A truth value is one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// So many bits.
    Bits(u32),
    /// An array from indices of so many bits to elements of so many.
    Array {
        /// Width of an index.
        index: u32,
        /// Width of an element.
        element: u32,
    },
}

impl Sort {
    /// Width of a bit-vector, or of the elements of an array.
    pub fn width(self) -> u32 {
        match self {
            Sort::Bits(n) | Sort::Array { element: n, .. } => n,
        }
    }
}

/// How a term is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A constant.
    Const(Word),
    /// A free variable.
    Symbol(String),
    /// An operator.
    Unary(UnaryOp, TermId),
    /// An operator.
    Binary(BinaryOp, TermId, TermId),
    /// The second if the first is 1, else the third; also of arrays.
    Select(TermId, TermId, TermId),
    /// Extended with zeros.
    ZeroExtend(TermId),
    /// Extended with the sign.
    SignExtend(TermId),
    /// Bits from this one on.
    Slice(TermId, u32),
    /// The first above the second.
    Concat(TermId, TermId),
    /// An element of an array.
    Read(TermId, TermId),
    /// An array with one element changed.
    Write(TermId, TermId, TermId),
    /// An unknown function, by name, of these arguments.
    Apply(String, Vec<TermId>),
}

/// All terms of one proof.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    terms: Vec<(Term, Sort)>,
    index: FxHashMap<(Term, Sort), TermId>,
    layout: Option<Layout>,
}

/// What is taken for granted of memory. The caller has to assume it in the formula too, or to say that the formula relies on it.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Memory before anything happens.
    pub memory: TermId,
    /// What it holds: pieces by address.
    pub content: Vec<(u64, Vec<u8>)>,
    /// The stack pointer: the bytes up to so many below it are in none of the pieces.
    pub stack: (TermId, u64),
}

impl Layout {
    fn byte(&self, address: u64) -> Option<u8> {
        let inside = |(first, bytes): &(u64, Vec<u8>)| {
            let at = usize::try_from(address.checked_sub(*first)?).ok()?;
            bytes.get(at).copied()
        };
        self.content.iter().find_map(inside)
    }
}

impl Terms {
    /// No terms.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// Takes a layout of memory for granted from here on.
    pub fn assume(&mut self, layout: Layout) {
        self.layout = Some(layout);
    }

    /// How many there are; they are numbered from 0, operands before uses.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// How a term is made.
    pub fn term(&self, id: TermId) -> &Term {
        &self.terms[id.0 as usize].0
    }

    /// The sort of a term.
    pub fn sort(&self, id: TermId) -> Sort {
        self.terms[id.0 as usize].1
    }

    /// The width of a term.
    pub fn width(&self, id: TermId) -> u32 {
        self.sort(id).width()
    }

    /// The constant that a term is, if it is one.
    pub fn constant(&self, id: TermId) -> Option<&Word> {
        match self.term(id) {
            Term::Const(w) => Some(w),
            _ => None,
        }
    }

    fn make(&mut self, term: Term, sort: Sort) -> TermId {
        let key = (term, sort);
        if let Some(&id) = self.index.get(&key) {
            return id;
        }
        let id = TermId(self.terms.len() as u32);
        self.terms.push(key.clone());
        self.index.insert(key, id);
        id
    }

    /// A constant.
    pub fn word(&mut self, w: Word) -> TermId {
        let sort = Sort::Bits(w.width());
        self.make(Term::Const(w), sort)
    }

    /// A constant of at most 64 bits.
    pub fn number(&mut self, value: u64, width: u32) -> TermId {
        self.word(Word::from_u64(value, width))
    }

    /// A free variable; the same name and sort give the same term.
    pub fn symbol(&mut self, name: &str, sort: Sort) -> TermId {
        self.make(Term::Symbol(name.to_owned()), sort)
    }

    /// An unknown function of these arguments.
    pub fn apply(&mut self, name: &str, args: Vec<TermId>, sort: Sort) -> TermId {
        self.make(Term::Apply(name.to_owned(), args), sort)
    }

    /// An operator with one operand.
    pub fn unary(&mut self, op: UnaryOp, x: TermId) -> TermId {
        if let Some(w) = self.constant(x) {
            let value = op.apply(w);
            return self.word(value);
        }
        match (op, self.term(x)) {
            (UnaryOp::Not, Term::Unary(UnaryOp::Not, y)) | (UnaryOp::Negate, Term::Unary(UnaryOp::Negate, y)) => *y,
            _ => self.make(Term::Unary(op, x), self.sort(x)),
        }
    }

    /// An operator with two operands of one width.
    pub fn binary(&mut self, op: BinaryOp, x: TermId, y: TermId) -> TermId {
        use BinaryOp::{Add, And, Eq, LeS, LeU, LtS, LtU, Mul, Ne, Or, Sub, Xor};
        let width = self.width(x);
        if let (Some(a), Some(b)) = (self.constant(x), self.constant(y)) {
            let value = op.apply(a, b);
            return self.word(value);
        }
        if x == y {
            match op {
                And | Or => return x,
                Xor | Sub => return self.number(0, width),
                Eq | LeU | LeS => return self.number(1, 1),
                Ne | LtU | LtS => return self.number(0, 1),
                _ => {}
            }
        }
        // Operands of commutative operators in one order, constants last.
        let commutes = matches!(op, Add | Mul | And | Or | Xor | Eq | Ne);
        let (x, y) = match (commutes, self.constant(x).is_some(), self.constant(y).is_some()) {
            (true, true, false) => (y, x),
            (true, false, false) if y < x => (y, x),
            _ => (x, y),
        };
        if let Some(c) = self.constant(y) {
            let (zero, ones) = (c.is_zero(), c.is_ones());
            match op {
                _ if zero && matches!(op, Add | Sub | Or | Xor | BinaryOp::Shl | BinaryOp::ShrU | BinaryOp::ShrS) => {
                    return x;
                }
                And | Mul if zero => return y,
                And if ones => return x,
                Or if ones => return y,
                Eq if width == 1 && ones => return x,
                Ne if width == 1 && zero => return x,
                Eq if width == 1 && zero => return self.unary(UnaryOp::Not, x),
                _ => {}
            }
        }
        if let Some(sum) = self.sum(op, x, y) {
            return sum;
        }
        if let (Eq, Term::Concat(upper, lower), Some(c)) = (op, self.term(x).clone(), self.constant(y).cloned()) {
            let low = self.width(lower);
            let (high_part, low_part) = (self.word(c.shr(low).resized(width - low)), self.word(c.resized(low)));
            let (upper, lower) = (self.binary(Eq, upper, high_part), self.binary(Eq, lower, low_part));
            return self.binary(And, upper, lower);
        }
        if op.is_comparison()
            && let Some(c) = self.constant(y).cloned()
            && let Some(all) = self.over_table(x, |w| op.apply(w, &c))
        {
            return all;
        }
        let sort = Sort::Bits(if op.is_comparison() { 1 } else { width });
        self.make(Term::Binary(op, x, y), sort)
    }

    /// Sums with constants as one base and one constant, so that equal addresses are equal terms.
    fn sum(&mut self, op: BinaryOp, x: TermId, y: TermId) -> Option<TermId> {
        let c = self.constant(y)?.clone();
        let added = match op {
            BinaryOp::Add => c,
            BinaryOp::Sub => return Some(self.plus(x, &UnaryOp::Negate.apply(&c))),
            _ => return None,
        };
        match *self.term(x) {
            Term::Binary(BinaryOp::Add, base, inner) if self.constant(inner).is_some() => {
                let total = BinaryOp::Add.apply(self.constant(inner)?, &added);
                Some(self.plus(base, &total))
            }
            _ => None,
        }
    }

    fn plus(&mut self, x: TermId, c: &Word) -> TermId {
        let c = self.word(c.clone());
        self.binary(BinaryOp::Add, x, c)
    }

    /// `x` if `c` is 1, else `y`.
    pub fn select(&mut self, c: TermId, x: TermId, y: TermId) -> TermId {
        if x == y {
            return x;
        }
        if let Some(w) = self.constant(c) {
            return if w.is_zero() { y } else { x };
        }
        if let Term::Unary(UnaryOp::Not, inner) = *self.term(c) {
            return self.select(inner, y, x);
        }
        if matches!(self.sort(x), Sort::Array { .. })
            && let Some(joined) = self.join_arrays(c, x, y)
        {
            return joined;
        }
        // A choice of one bit with a constant in it is not a choice.
        if self.sort(x) == Sort::Bits(1) {
            match (self.constant(x).map(Word::is_zero), self.constant(y).map(Word::is_zero)) {
                (Some(false), _) => return self.binary(BinaryOp::Or, c, y),
                (_, Some(true)) => return self.binary(BinaryOp::And, c, x),
                (Some(true), _) => {
                    let no = self.unary(UnaryOp::Not, c);
                    return self.binary(BinaryOp::And, no, y);
                }
                (_, Some(false)) => {
                    let no = self.unary(UnaryOp::Not, c);
                    return self.binary(BinaryOp::Or, no, x);
                }
                _ => {}
            }
        }
        self.make(Term::Select(c, x, y), self.sort(x))
    }

    /// A chain of choices between constants: conditions with their constants, and the last constant.
    fn table(&self, id: TermId) -> Option<(Vec<(TermId, Word)>, Word)> {
        let (mut rows, mut at) = (Vec::new(), id);
        while let Term::Select(c, x, y) = *self.term(at) {
            if rows.len() >= MAX_TABLE {
                return None;
            }
            rows.push((c, self.constant(x)?.clone()));
            at = y;
        }
        Some((rows, self.constant(at)?.clone()))
    }

    /// A function of one operand applied to every constant of a table; `None` if the term is none.
    fn over_table(&mut self, id: TermId, f: impl Fn(&Word) -> Word) -> Option<TermId> {
        if !matches!(self.term(id), Term::Select(..)) {
            return None;
        }
        let (rows, last) = self.table(id)?;
        let last = self.word(f(&last));
        Some(rows.into_iter().rev().fold(last, |rest, (c, w)| {
            let value = self.word(f(&w));
            self.select(c, value, rest)
        }))
    }

    /// Extended to `width` with zeros.
    pub fn zero_extend(&mut self, x: TermId, width: u32) -> TermId {
        match self.constant(x) {
            _ if self.width(x) == width => x,
            Some(w) => {
                let value = w.resized(width);
                self.word(value)
            }
            None => self.make(Term::ZeroExtend(x), Sort::Bits(width)),
        }
    }

    /// Extended to `width` with the sign.
    pub fn sign_extend(&mut self, x: TermId, width: u32) -> TermId {
        match self.constant(x) {
            _ if self.width(x) == width => x,
            Some(w) => {
                let value = sign_extend(w, width);
                self.word(value)
            }
            None => self.make(Term::SignExtend(x), Sort::Bits(width)),
        }
    }

    /// `width` bits from `low` on.
    pub fn slice(&mut self, x: TermId, low: u32, width: u32) -> TermId {
        if low == 0 && self.width(x) == width {
            return x;
        }
        if let Some(all) = self.over_table(x, |w| w.shr(low).resized(width)) {
            return all;
        }
        match *self.term(x) {
            Term::Const(ref w) => {
                let value = w.shr(low).resized(width);
                self.word(value)
            }
            Term::Slice(inner, below) => self.slice(inner, low + below, width),
            Term::Concat(_, lower) if low + width <= self.width(lower) => self.slice(lower, low, width),
            Term::Concat(upper, lower) if low >= self.width(lower) => self.slice(upper, low - self.width(lower), width),
            Term::ZeroExtend(inner) | Term::SignExtend(inner) if low + width <= self.width(inner) => {
                self.slice(inner, low, width)
            }
            Term::ZeroExtend(inner) if low >= self.width(inner) => self.number(0, width),
            _ => self.make(Term::Slice(x, low), Sort::Bits(width)),
        }
    }

    /// `x` above `y`.
    pub fn concat(&mut self, x: TermId, y: TermId) -> TermId {
        let width = self.width(x) + self.width(y);
        if let (Some(a), Some(b)) = (self.constant(x), self.constant(y)) {
            let value = a.resized(width).shl(b.width()).or(&b.resized(width));
            return self.word(value);
        }
        if let (Term::Slice(a, high), Term::Slice(b, low)) = (self.term(x), self.term(y))
            && a == b
            && *high == low + self.width(y)
        {
            let (a, low) = (*a, *low);
            return self.slice(a, low, width);
        }
        self.make(Term::Concat(x, y), Sort::Bits(width))
    }

    /// The element of `array` at `index`.
    pub fn read(&mut self, array: TermId, index: TermId) -> TermId {
        self.read_through(array, index, READ_DEPTH)
    }

    /// As [`Terms::read`], looking through at most `depth` joins.
    fn read_through(&mut self, array: TermId, index: TermId, depth: u32) -> TermId {
        match *self.term(array) {
            Term::Write(_, at, value) if at == index => return value,
            Term::Write(below, at, _) if self.differ(at, index) => return self.read_through(below, index, depth),
            Term::Select(c, x, y) if depth > 0 => {
                let x = self.read_through(x, index, depth - 1);
                let y = self.read_through(y, index, depth - 1);
                return self.select(c, x, y);
            }
            _ => {}
        }
        if let Some(layout) = self.layout.as_ref().filter(|l| l.memory == array)
            && let Some(byte) = self.constant(index).and_then(Word::to_u64).and_then(|at| layout.byte(at))
        {
            return self.number(u64::from(byte), 8);
        }
        let sort = Sort::Bits(self.width(array));
        self.make(Term::Read(array, index), sort)
    }

    /// `array` with the element at `index` changed.
    pub fn write(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        let sort = self.sort(array);
        // An older value at the same index is forgotten, so that an array is no longer than it has known indices.
        let mut above = Vec::new();
        let mut at = array;
        while let Term::Write(below, i, v) = *self.term(at)
            && above.len() < MAX_CHAIN
        {
            if i == index {
                let rest = above.into_iter().rev().fold(below, |a, (i, v)| self.make(Term::Write(a, i, v), sort));
                return self.make(Term::Write(rest, index, value), sort);
            }
            if !self.differ(i, index) {
                break;
            }
            above.push((i, v));
            at = below;
        }
        self.make(Term::Write(array, index, value), sort)
    }

    /// The changes of an array, the latest first, and what they are made to; `None` if there are too many.
    fn chain(&self, array: TermId) -> Option<(Vec<(TermId, TermId)>, TermId)> {
        let (mut list, mut at) = (Vec::new(), array);
        while let Term::Write(below, index, value) = *self.term(at) {
            if list.len() >= MAX_CHAIN {
                return None;
            }
            list.push((index, value));
            at = below;
        }
        Some((list, at))
    }

    /// `x` if `c` is 1, else `y`, of two arrays: element by element where both are changes of one array at indices that
    /// are known to be the same or not, so that what both sides agree on stays plain.
    fn join_arrays(&mut self, c: TermId, x: TermId, y: TermId) -> Option<TermId> {
        let ((ours, base), (theirs, other)) = (self.chain(x)?, self.chain(y)?);
        if base != other {
            return None;
        }
        let mut indices: Vec<TermId> = Vec::new();
        for &(index, _) in ours.iter().rev().chain(theirs.iter().rev()) {
            if indices.contains(&index) {
                continue;
            }
            if indices.iter().any(|&i| !self.differ(i, index)) {
                return None;
            }
            indices.push(index);
        }
        let sort = self.sort(x);
        let mut made = base;
        for index in indices {
            let (one, two) = (self.read(x, index), self.read(y, index));
            let value = self.select(c, one, two);
            made = self.make(Term::Write(made, index, value), sort);
        }
        Some(made)
    }

    /// Whether two terms are surely different: constants, or one base with different constants added.
    fn differ(&self, x: TermId, y: TermId) -> bool {
        let split = |t: TermId| match *self.term(t) {
            Term::Const(ref w) => (None, w.clone()),
            Term::Binary(BinaryOp::Add, base, c) => match self.constant(c) {
                Some(w) => (Some(base), w.clone()),
                None => (Some(t), Word::zero(self.width(t))),
            },
            _ => (Some(t), Word::zero(self.width(t))),
        };
        let ((base_x, x), (base_y, y)) = (split(x), split(y));
        if base_x == base_y {
            return x != y;
        }
        // The stack and the pieces of memory that are known have nothing in common.
        self.layout.as_ref().is_some_and(|layout| {
            let on_stack = |base: Option<TermId>, offset: &Word| {
                let below = UnaryOp::Negate.apply(offset).to_u64();
                base == Some(layout.stack.0) && below.is_some_and(|n| n > 0 && n <= layout.stack.1)
            };
            let known = |base: Option<TermId>, at: &Word| {
                base.is_none() && at.to_u64().is_some_and(|at| layout.byte(at).is_some())
            };
            on_stack(base_x, &x) && known(base_y, &y) || on_stack(base_y, &y) && known(base_x, &x)
        })
    }
}
