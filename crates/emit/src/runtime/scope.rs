//! Fields, guards and expressions of a matched word, by the rules of the language, step by step.
//!
//! Guards are tried in order although a case may not even have the name; the guard that is being evaluated is taken as
//! true; an expression that is already being evaluated gives 0, except the outermost; a finished value is kept for the
//! scope. A *scope* is a matched encoding with its bits; scopes are kept on a stack of fixed size.

use super::calc;
use super::decode::{Match, extract, has_dont_care, mask, pattern, select, slice};
use super::problem::{Problem, Problems};
use super::tables::{Calc, Case, Field, Isa, LIMBS, Limbs, MEMO, NODES, NONE, Part, Piece, Type};

/// The deepest nesting of scopes.
const MAX_SCOPES: usize = 20;

/// The deepest chain of expressions that need each other.
const MAX_DEPTH: usize = 64;

/// Evaluations for one instruction.
const MAX_EVALUATIONS: u32 = 10_000;

/// Scopes opened while one instruction is printed.
const MAX_OPENED: u32 = 1_000;

/// A field, and the value it has.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The definition that applies.
    pub field: Field,
    /// The scope that it was found in: an outer one for a parameter.
    pub scope: usize,
    /// Its value.
    pub value: Limbs,
}

#[derive(Clone, Copy, Debug)]
struct Scope {
    leaf: u32,
    value: Limbs,
    /// The scope around; none is [`MAX_SCOPES`].
    parent: usize,
    params: (u32, u32),
    /// Finished expressions.
    memo: [(u32, u64); MEMO],
    known: usize,
}

const CLOSED: Scope =
    Scope { leaf: 0, value: [0; LIMBS], parent: MAX_SCOPES, params: (0, 0), memo: [(0, 0); MEMO], known: 0 };

/// The scopes of one instruction, the innermost last.
#[derive(Debug)]
pub struct Scopes<'t> {
    isa: &'t Isa<'t>,
    scopes: [Scope; MAX_SCOPES],
    open: usize,
    opened: u32,
    /// Expressions that are being evaluated, the outermost first.
    stack: [u32; MAX_DEPTH],
    depth: usize,
    evaluations: u32,
    /// What is wrong with the current line.
    pub problems: Problems<'t>,
}

impl<'t> Scopes<'t> {
    /// No scopes. With `record` off, problems are not recorded.
    #[must_use]
    pub fn new(isa: &'t Isa<'t>, record: bool) -> Self {
        Scopes {
            isa,
            scopes: [CLOSED; MAX_SCOPES],
            open: 0,
            opened: 0,
            stack: [0; MAX_DEPTH],
            depth: 0,
            evaluations: 0,
            problems: Problems::new(record),
        }
    }

    /// The tables.
    #[must_use]
    pub fn isa(&self) -> &'t Isa<'t> {
        self.isa
    }

    /// Opens the scope of an instruction; `false`, with a problem recorded, if the word is none.
    pub fn enter(&mut self, word: &Limbs, width: u32) -> bool {
        match self.decide(self.isa.root, word, width) {
            Some(leaf) => self.take(leaf, word),
            None => false,
        }
    }

    /// Opens the scope of a word that matches an encoding; `false` if a value that its text shows makes it invalid.
    fn take(&mut self, leaf: u32, word: &Limbs) -> bool {
        if !self.enter_leaf(leaf, word) {
            return false;
        }
        if !self.isa.refuses {
            return true;
        }
        // What is wrong is recorded when the text is made.
        let record = self.problems.recording(false);
        let is_taken = !self.is_refused(0);
        self.problems.recording(record);
        (self.open, self.opened) = (usize::from(is_taken), 1);
        is_taken
    }

    /// Whether a field of the text of an open scope, or of one within it, has a value that makes the word invalid.
    /// Recursion is bounded by the scopes that can be open.
    fn is_refused(&mut self, scope: usize) -> bool {
        let isa = self.isa;
        let template = self.template(scope);
        if template == NONE {
            return false;
        }
        let range = isa.templates.get(template as usize).copied().unwrap_or((0, 0));
        for part in isa.parts.get(range.0 as usize..range.1 as usize).unwrap_or(&[]) {
            let Part::Field(name, ..) = *part else { continue };
            let Some(found) = self.resolve(scope, name) else { continue };
            let Type::Sub(space) = found.field.ty else { continue };
            if self.open == MAX_SCOPES || self.opened == MAX_OPENED {
                return false;
            }
            let Match::One(leaf) = select(isa, space, &found.value, found.field.width) else {
                if isa.spaces.get(space as usize).is_some_and(|space| space.refuses) {
                    return true;
                }
                continue;
            };
            let is_inside = self.push(leaf, found.value, scope, found.field.params);
            let is_refused = is_inside && self.is_refused(self.innermost());
            self.leave();
            if is_refused {
                return true;
            }
        }
        false
    }

    /// Opens the scope of a word that is taken as this encoding, whether it matches or not.
    pub fn enter_leaf(&mut self, leaf: u32, word: &Limbs) -> bool {
        self.open = 0;
        self.opened = 0;
        self.evaluations = 0;
        self.push(leaf, *word, MAX_SCOPES, (0, 0))
    }

    /// Decides a value of a space; records conflicts and don't-care bits that are set.
    fn decide(&mut self, space: u32, value: &Limbs, width: u32) -> Option<u32> {
        match select(self.isa, space, value, width) {
            Match::None => None,
            Match::Conflict(first, second) => {
                self.problems.add(Problem::Conflict(self.display(first), self.display(second)));
                None
            }
            Match::One(leaf) => {
                if has_dont_care(self.isa, leaf, value) {
                    let mut bits = *value;
                    bits.iter_mut().zip(pattern(self.isa, leaf, 2)).for_each(|(limb, set)| *limb &= set);
                    self.problems.add(Problem::DontCare(self.display(leaf), bits));
                }
                Some(leaf)
            }
        }
    }

    /// The mnemonic of an encoding.
    fn display(&self, leaf: u32) -> &'t str {
        self.isa.leaves.get(leaf as usize).map_or("", |leaf| leaf.display)
    }

    /// Opens a scope for the value of a sub-encoded field that is shown in scope `inside`; `false`, with a problem
    /// recorded, if the value is none of the space. Close it with [`Scopes::leave`].
    pub fn enter_field(&mut self, inside: usize, found: &Found, space: u32) -> bool {
        let Some(leaf) = self.decide(space, &found.value, found.field.width) else {
            let name = self.isa.names.get(found.field.name as usize).copied().unwrap_or("");
            let shown = self.display(self.leaf(inside));
            self.problems.add(Problem::NoMatch(shown, name, found.value));
            return false;
        };
        self.push(leaf, found.value, inside, found.field.params)
    }

    /// Opens the scope of a field's value that is taken as this encoding, whether it matches or not.
    pub fn enter_field_as(&mut self, inside: usize, found: &Found, leaf: u32) -> bool {
        self.push(leaf, found.value, inside, found.field.params)
    }

    fn push(&mut self, leaf: u32, value: Limbs, parent: usize, params: (u32, u32)) -> bool {
        if self.open == MAX_SCOPES || self.opened == MAX_OPENED {
            self.problems.add(Problem::TooDeep);
            return false;
        }
        self.opened += 1;
        if let Some(scope) = self.scopes.get_mut(self.open) {
            (scope.leaf, scope.value, scope.parent, scope.params, scope.known) = (leaf, value, parent, params, 0);
        }
        self.open += 1;
        true
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    /// The innermost scope.
    #[must_use]
    pub fn innermost(&self) -> usize {
        self.open.saturating_sub(1)
    }

    /// The encoding of a scope.
    #[must_use]
    pub fn leaf(&self, scope: usize) -> u32 {
        self.scopes.get(scope).map_or(0, |scope| scope.leaf)
    }

    /// The bits of a scope.
    #[must_use]
    pub fn value(&self, scope: usize) -> Limbs {
        self.scopes.get(scope).map_or([0; LIMBS], |scope| scope.value)
    }

    /// The cases of the encoding of a scope.
    pub(crate) fn cases(&self, scope: usize) -> impl Iterator<Item = &'t Case<'t>> + use<'t> {
        let isa = self.isa;
        let range = isa.leaves.get(self.leaf(scope) as usize).map_or((0, 0), |leaf| leaf.cases);
        let list = isa.case_lists.get(range.0 as usize..range.1 as usize).unwrap_or(&[]);
        list.iter().filter_map(|&case| isa.cases.get(case as usize))
    }

    /// What a name means in a scope, and its value; `None` if nothing defines it (not recorded here).
    pub fn resolve(&mut self, scope: usize, name: u32) -> Option<Found> {
        let (mut scope, mut name) = (scope, name);
        // A parameter's meaning is looked up further out, so this ends.
        let field = loop {
            if let Some(field) = self.find(scope, name) {
                break field;
            }
            let at = self.scopes.get(scope)?;
            let params = self.isa.params.get(at.params.0 as usize..at.params.1 as usize)?;
            let param = params.iter().find(|param| param.1 == name)?;
            (scope, name) = (at.parent, param.0);
        };
        let mut value = [0; LIMBS];
        if field.derived == NONE {
            value = compose(&self.value(scope), self.pieces(&field));
        } else {
            value[0] = self.evaluate(scope, field.derived) & mask(self.isa.value_bits);
        }
        Some(Found { field, scope, value })
    }

    /// The bits of a field.
    pub(crate) fn pieces(&self, field: &Field) -> &'t [Piece] {
        self.isa.pieces.get(field.pieces.0 as usize..field.pieces.1 as usize).unwrap_or(&[])
    }

    /// The first applicable case's definition of a name.
    fn find(&mut self, scope: usize, name: u32) -> Option<Field> {
        for case in self.cases(scope) {
            let running = self.depth.checked_sub(1).and_then(|top| self.stack.get(top)).copied();
            if case.guard != NONE && running != Some(case.guard) && self.evaluate(scope, case.guard) == 0 {
                continue;
            }
            let fields = self.isa.fields.get(case.fields.0 as usize..case.fields.1 as usize).unwrap_or(&[]);
            if let Some(field) = fields.iter().find(|field| field.name == name) {
                return Some(*field);
            }
        }
        None
    }

    /// The value of an expression in a scope.
    pub fn evaluate(&mut self, scope: usize, expr: u32) -> u64 {
        if let Some(value) = self.remembered(scope, expr) {
            return *value;
        }
        let running = self.stack.get(..self.depth).unwrap_or(&[]);
        if running.iter().skip(1).any(|&running| running == expr)
            || self.depth >= MAX_DEPTH
            || self.evaluations >= MAX_EVALUATIONS
        {
            return 0;
        }
        self.evaluations += 1;
        if let Some(top) = self.stack.get_mut(self.depth) {
            *top = expr;
        }
        self.depth += 1;
        let value = self.compute(scope, expr);
        self.depth -= 1;
        // An inner evaluation may have left a value already; the outer one counts.
        if let Some(known) = self.remembered(scope, expr) {
            *known = value;
        } else if let Some(scope) = self.scopes.get_mut(scope)
            && let Some(place) = scope.memo.get_mut(scope.known)
        {
            *place = (expr, value);
            scope.known += 1;
        }
        value
    }

    fn remembered(&mut self, scope: usize, expr: u32) -> Option<&mut u64> {
        let scope = self.scopes.get_mut(scope)?;
        scope.memo.get_mut(..scope.known)?.iter_mut().find(|known| known.0 == expr).map(|known| &mut known.1)
    }

    /// Fetches every field that the expression mentions, in order, then computes.
    fn compute(&mut self, scope: usize, expr: u32) -> u64 {
        let isa = self.isa;
        let Some(expr) = isa.exprs.get(expr as usize) else { return 0 };
        let fields = isa.expr_fields.get(expr.fields.0 as usize..expr.fields.1 as usize).unwrap_or(&[]);
        let mut values = [0u64; NODES];
        for (&name, value) in fields.iter().zip(&mut values) {
            match self.resolve(scope, name) {
                Some(found) => *value = found.value[0] & mask(isa.value_bits),
                None => {
                    self.problems.add(Problem::NoField(isa.names.get(name as usize).copied().unwrap_or("")));
                }
            }
        }
        let nodes = isa.expr_nodes.get(expr.nodes.0 as usize..expr.nodes.1 as usize).unwrap_or(&[]);
        let (given, results) = values.split_at_mut(fields.len().min(NODES));
        for (i, node) in nodes.iter().enumerate() {
            let get = |at: u32| results.get(at as usize).copied().unwrap_or(0);
            let value = match *node {
                Calc::Const(value) => value,
                Calc::Field(at) => given.get(at as usize).copied().unwrap_or(0),
                Calc::Gen => u64::from(isa.generation),
                Calc::Bits(..) => 0,
                Calc::Unary(op, ty, x) => calc::unary(op, ty, get(x)),
                Calc::Binary(op, ty, x, y) => calc::binary(op, ty, get(x), get(y)),
                Calc::Select(c, x, y) => get(if get(c) != 0 { x } else { y }),
                Calc::Cast(ty, x) => calc::wrap(ty, get(x)),
            };
            if let Some(place) = results.get_mut(i) {
                *place = value;
            }
        }
        nodes.len().checked_sub(1).and_then(|last| results.get(last)).copied().unwrap_or(0)
    }

    /// The template of a scope: that of the first applicable case that has one. Asserts of the cases on the way are
    /// checked. [`NONE`], with a problem recorded, if there is none.
    pub fn template(&mut self, scope: usize) -> u32 {
        for case in self.cases(scope) {
            if case.guard != NONE && self.evaluate(scope, case.guard) == 0 {
                continue;
            }
            self.check_asserts(scope, case);
            if case.template != NONE {
                return case.template;
            }
        }
        let name = self.display(self.leaf(scope));
        self.problems.add(Problem::NoDisplay(name));
        NONE
    }

    fn check_asserts(&mut self, scope: usize, case: &Case<'t>) {
        let asserts = self.isa.asserts.get(case.asserts.0 as usize..case.asserts.1 as usize).unwrap_or(&[]);
        for &(lo, width, wanted) in asserts {
            let got = slice(&self.value(scope), lo, width);
            let wanted = self.isa.limbs.get(wanted as usize..wanted as usize + LIMBS);
            let wanted: Limbs = wanted.and_then(|limbs| limbs.try_into().ok()).unwrap_or([0; LIMBS]);
            if got != wanted {
                let bits = (lo, lo + width.max(1) - 1);
                self.problems.add(Problem::Unexpected(bits, case.owner, got, wanted));
            }
        }
    }
}

/// The value of a field made of these pieces.
pub(crate) fn compose(word: &Limbs, pieces: &[Piece]) -> Limbs {
    if let [piece] = pieces
        && piece.lo != NONE
    {
        return if piece.width <= 64 {
            let mut value = [0; LIMBS];
            value[0] = extract(word, piece.lo, piece.width);
            value
        } else {
            slice(word, piece.lo, piece.width)
        };
    }
    let mut value = [0; LIMBS];
    let mut at = 0;
    for piece in pieces.iter().rev() {
        place(&mut value, at, word, piece);
        at += piece.width;
    }
    value
}

/// Puts the bits of a piece where they belong in the value.
fn place(value: &mut Limbs, at: u32, word: &Limbs, piece: &Piece) {
    let mut done = 0;
    while done < piece.width {
        let width = (piece.width - done).min(64);
        let bits = if piece.lo == NONE {
            if done == 0 { piece.implied } else { 0 }
        } else {
            extract(word, piece.lo + done, width)
        };
        super::decode::insert(value, at + done, width, bits);
        done += width;
    }
}

/// Whether a word that matches an encoding is valid with all values that its text shows.
#[inline]
pub fn takes(isa: &Isa<'_>, leaf: u32, word: &Limbs) -> bool {
    !isa.refuses || Scopes::new(isa, false).take(leaf, word)
}
