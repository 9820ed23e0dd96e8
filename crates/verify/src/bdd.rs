//! Reduced ordered binary decision diagrams: exact sets of words, closed under every question that is asked of them.
//!
//! The problem: a guard such as `(SRC1_R != 0 || SRC2_R != 0) && REPEAT == 0`, the case that it selects, the field that
//! the case defines, and the text that the field prints are all functions of the word's bits. Enumerating words is
//! hopeless at 128 bits, sampling proves nothing. A decision diagram holds such a function exactly, and equal functions
//! are the same number, so "never", "always" and "the same" are comparisons.
//!
//! Invariants: a node's variable is smaller than those of its children; no two nodes are equal; no node has two equal
//! children. Beyond `limit` nodes every operation gives [`Ref::FALSE`] and [`Bdd::exhausted`] says so: the asker must
//! then call its question undecided.

use isaglot_bits::Count;
use rustc_hash::FxHashMap;

/// A function of a [`Bdd`]'s variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Ref(u32);

impl Ref {
    /// Never.
    pub(crate) const FALSE: Ref = Ref(0);
    /// Always.
    pub(crate) const TRUE: Ref = Ref(1);

    /// The constant.
    pub(crate) fn constant(value: bool) -> Ref {
        if value { Ref::TRUE } else { Ref::FALSE }
    }

    /// Which constant it is, if it is one.
    pub(crate) fn as_constant(self) -> Option<bool> {
        match self {
            Ref::FALSE => Some(false),
            Ref::TRUE => Some(true),
            _ => None,
        }
    }

    /// Whether it is never true.
    pub(crate) fn is_false(self) -> bool {
        self == Ref::FALSE
    }

    /// Whether it is always true.
    pub(crate) fn is_true(self) -> bool {
        self == Ref::TRUE
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    var: u32,
    low: Ref,
    high: Ref,
}

/// What to do with a path: values of variables. `false` ends the walk.
type OnPath<'a> = &'a mut dyn FnMut(&[(u32, bool)]) -> bool;

/// The variable of the constants: after all others.
const NO_VAR: u32 = u32::MAX;

/// A set of functions that share their parts.
pub(crate) struct Bdd {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, Ref>,
    cache: FxHashMap<(Ref, Ref, Ref), Ref>,
    limit: usize,
    exhausted: bool,
}

impl Bdd {
    /// Without functions but the constants.
    pub(crate) fn new(limit: usize) -> Bdd {
        let terminal = |r| Node { var: NO_VAR, low: r, high: r };
        Bdd {
            nodes: vec![terminal(Ref::FALSE), terminal(Ref::TRUE)],
            unique: FxHashMap::default(),
            cache: FxHashMap::default(),
            limit,
            exhausted: false,
        }
    }

    /// Whether the limit was met: answers since then mean nothing.
    pub(crate) fn exhausted(&self) -> bool {
        self.exhausted
    }

    fn node(&self, r: Ref) -> Node {
        self.nodes[r.0 as usize]
    }

    fn make(&mut self, var: u32, low: Ref, high: Ref) -> Ref {
        if low == high {
            return low;
        }
        let node = Node { var, low, high };
        if let Some(&known) = self.unique.get(&node) {
            return known;
        }
        if self.nodes.len() >= self.limit {
            self.exhausted = true;
            return Ref::FALSE;
        }
        let r = Ref(self.nodes.len() as u32);
        self.nodes.push(node);
        self.unique.insert(node, r);
        r
    }

    /// The value of a function where the variables are these.
    #[cfg(test)]
    pub(crate) fn at(&self, mut r: Ref, variable: &dyn Fn(u32) -> bool) -> bool {
        while r.as_constant().is_none() {
            let node = self.node(r);
            r = if variable(node.var) { node.high } else { node.low };
        }
        r.is_true()
    }

    /// The variable itself.
    pub(crate) fn var(&mut self, var: u32) -> Ref {
        self.make(var, Ref::FALSE, Ref::TRUE)
    }

    /// `if c then x else y`. The recursion is as deep as there are variables.
    pub(crate) fn ite(&mut self, c: Ref, x: Ref, y: Ref) -> Ref {
        if c.is_true() || x == y {
            return x;
        }
        if c.is_false() {
            return y;
        }
        if x.is_true() && y.is_false() {
            return c;
        }
        if let Some(&known) = self.cache.get(&(c, x, y)) {
            return known;
        }
        if self.exhausted {
            return Ref::FALSE;
        }
        let (nc, nx, ny) = (self.node(c), self.node(x), self.node(y));
        let var = nc.var.min(nx.var).min(ny.var);
        let part = |n: Node, r: Ref, high: bool| {
            if n.var != var {
                r
            } else if high {
                n.high
            } else {
                n.low
            }
        };
        let low = self.ite(part(nc, c, false), part(nx, x, false), part(ny, y, false));
        let high = self.ite(part(nc, c, true), part(nx, x, true), part(ny, y, true));
        let r = self.make(var, low, high);
        self.cache.insert((c, x, y), r);
        r
    }

    /// Both.
    pub(crate) fn and(&mut self, x: Ref, y: Ref) -> Ref {
        let (x, y) = if x <= y { (x, y) } else { (y, x) };
        self.ite(x, y, Ref::FALSE)
    }

    /// At least one.
    pub(crate) fn or(&mut self, x: Ref, y: Ref) -> Ref {
        let (x, y) = if x <= y { (x, y) } else { (y, x) };
        self.ite(x, Ref::TRUE, y)
    }

    /// Not.
    pub(crate) fn not(&mut self, x: Ref) -> Ref {
        self.ite(x, Ref::FALSE, Ref::TRUE)
    }

    /// The first but not the second.
    pub(crate) fn and_not(&mut self, x: Ref, y: Ref) -> Ref {
        self.ite(y, Ref::FALSE, x)
    }

    /// Exactly one.
    pub(crate) fn xor(&mut self, x: Ref, y: Ref) -> Ref {
        if let Some(value) = y.as_constant() {
            return if value { self.not(x) } else { x };
        }
        let not_y = self.not(y);
        self.ite(x, not_y, y)
    }

    /// The function with a variable fixed.
    pub(crate) fn fix(&mut self, f: Ref, var: u32, value: bool) -> Ref {
        let mut done = FxHashMap::default();
        self.fix_below(f, var, value, &mut done)
    }

    fn fix_below(&mut self, f: Ref, var: u32, value: bool, done: &mut FxHashMap<Ref, Ref>) -> Ref {
        let n = self.node(f);
        if n.var > var {
            return f;
        }
        if n.var == var {
            return if value { n.high } else { n.low };
        }
        if let Some(&known) = done.get(&f) {
            return known;
        }
        let low = self.fix_below(n.low, var, value, done);
        let high = self.fix_below(n.high, var, value, done);
        let r = self.make(n.var, low, high);
        done.insert(f, r);
        r
    }

    /// Where flipping a variable changes the function. `done` may be kept for other functions of the same variable.
    pub(crate) fn change(&mut self, f: Ref, var: u32, done: &mut FxHashMap<Ref, Ref>) -> Ref {
        let n = self.node(f);
        if n.var > var {
            return Ref::FALSE;
        }
        if n.var == var {
            return self.xor(n.low, n.high);
        }
        if let Some(&known) = done.get(&f) {
            return known;
        }
        let low = self.change(n.low, var, done);
        let high = self.change(n.high, var, done);
        let r = self.make(n.var, low, high);
        done.insert(f, r);
        r
    }

    /// The function with every variable from `from` on moved up by one place. What is there must be free.
    pub(crate) fn shift(&mut self, f: Ref, from: u32, done: &mut FxHashMap<Ref, Ref>) -> Ref {
        if f.as_constant().is_some() {
            return f;
        }
        if let Some(&known) = done.get(&f) {
            return known;
        }
        let n = self.node(f);
        let low = self.shift(n.low, from, done);
        let high = self.shift(n.high, from, done);
        let r = self.make(if n.var >= from { n.var + 1 } else { n.var }, low, high);
        done.insert(f, r);
        r
    }

    /// Values of the variables on the way to the smallest solution, 0 preferred; `None` if there is none. Variables that
    /// do not occur are free, and 0 will do for them.
    pub(crate) fn solution(&self, f: Ref) -> Option<Vec<(u32, bool)>> {
        let mut path = Vec::new();
        let mut at = f;
        while at.as_constant().is_none() {
            let n = self.node(at);
            let high = n.low.is_false();
            path.push((n.var, high));
            at = if high { n.high } else { n.low };
        }
        at.is_true().then_some(path)
    }

    /// Calls `each` with every path to true, as values of variables: disjoint cubes, in order. `false` ends it.
    pub(crate) fn paths(&self, f: Ref, each: OnPath<'_>) {
        self.walk(f, &mut Vec::new(), each);
    }

    fn walk(&self, f: Ref, path: &mut Vec<(u32, bool)>, each: OnPath<'_>) -> bool {
        if let Some(value) = f.as_constant() {
            return !value || each(path);
        }
        let n = self.node(f);
        for (value, next) in [(false, n.low), (true, n.high)] {
            path.push((n.var, value));
            let go_on = self.walk(next, path, each);
            path.pop();
            if !go_on {
                return false;
            }
        }
        true
    }

    /// The two parts of a function by its first variable, if that is below `end`.
    pub(crate) fn split(&self, f: Ref, end: u32) -> Option<(u32, Ref, Ref)> {
        let n = self.node(f);
        (n.var < end).then_some((n.var, n.low, n.high))
    }

    /// How many values of `variables` (ascending, holding all that occur) make it true.
    pub(crate) fn count(&self, f: Ref, variables: &[u32]) -> Count {
        let mut done = FxHashMap::default();
        let (below, level) = self.count_below(f, variables, &mut done);
        scaled(&below, level)
    }

    /// The count over the variables from the function's own level on, and that level.
    fn count_below(&self, f: Ref, variables: &[u32], done: &mut FxHashMap<Ref, Count>) -> (Count, u32) {
        let n = self.node(f);
        let level = variables.partition_point(|&v| v < n.var) as u32;
        if let Some(value) = f.as_constant() {
            return (Count::from(u64::from(value)), variables.len() as u32);
        }
        if let Some(known) = done.get(&f) {
            return (known.clone(), level);
        }
        let mut total = Count::zero();
        for child in [n.low, n.high] {
            let (count, at) = self.count_below(child, variables, done);
            total.add(&scaled(&count, at.saturating_sub(level + 1)));
        }
        done.insert(f, total.clone());
        (total, level)
    }

    /// The variables that occur, ascending.
    pub(crate) fn support(&self, f: Ref) -> Vec<u32> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut variables = std::collections::BTreeSet::new();
        let mut rest = vec![f];
        while let Some(r) = rest.pop() {
            if r.as_constant().is_none() && seen.insert(r) {
                let n = self.node(r);
                variables.insert(n.var);
                rest.extend([n.low, n.high]);
            }
        }
        variables.into_iter().collect()
    }
}

/// The count times 2 to the power of `by`.
fn scaled(count: &Count, by: u32) -> Count {
    (0..by).fold(count.clone(), |mut sum, _| {
        let same = sum.clone();
        sum.add(&same);
        sum
    })
}
