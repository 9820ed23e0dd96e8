//! What a name means while the word is still unknown: every definition that may apply, with its conditions.
//!
//! The walk of [`isaglot_codec::resolve`] runs over [`Terms`]. What is known of the word at this place of a program (bits
//! of the pattern, guards of the chosen case) is taken into account, so that most names end with one definition.
//!
//! No values are kept, so that a term never rests on a fact that is forgotten later. Where expressions need each other,
//! that can differ from what the decoder keeps; the assembler decodes every word that it makes, and refuses such a word.

use std::convert::Infallible;

use isaglot_codec::Plan;
use isaglot_codec::resolve::{self, Domain, Holds, Lookup, Search, Walk};
use isaglot_model::{
    Algebra, BinaryOp, Encoding, ExprId, FeatureId, Field, FieldSource, IntType, Isa, Name, Param, Piece, UnaryOp,
};

use super::limits::MAX_EVALUATIONS;
use super::symbolic::{Bit, Bits, Term, Terms};

/// A condition: that a term is, or is not, 0.
pub(super) type Condition = (Term, bool);

/// A definition that applies under conditions.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    /// All must hold.
    pub(super) when: Vec<Condition>,
    /// The definition and the scope that has it; `None` where nothing defines the name.
    pub(super) field: Option<(&'a Field, usize)>,
}

struct Scope<'a> {
    encoding: &'a Encoding,
    word: Bits,
    parent: Option<usize>,
    params: &'a [Param],
}

/// The scopes of one program, and what is known at the place where it is being compiled.
pub(super) struct Meanings<'p, 'a> {
    plan: &'p Plan<'a>,
    /// The values.
    pub(super) terms: Terms,
    scopes: Vec<Scope<'a>>,
    /// Bits of the word that are known.
    known: Vec<Option<bool>>,
    changed: Vec<u32>,
    facts: Vec<Condition>,
    walk: Walk<Term>,
}

/// A place to come back to: see [`Meanings::mark`].
#[derive(Clone, Copy)]
pub(super) struct Mark(usize, usize);

impl<'p, 'a> Meanings<'p, 'a> {
    /// For words of `width` bits of which nothing is known.
    pub(super) fn new(plan: &'p Plan<'a>, width: u32) -> Self {
        Meanings {
            plan,
            terms: Terms::default(),
            scopes: Vec::new(),
            known: vec![None; width as usize],
            changed: Vec::new(),
            facts: Vec::new(),
            walk: Walk::default(),
        }
    }

    /// What is known now, to forget later what was learnt after.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.changed.len(), self.facts.len())
    }

    /// Forgets what was learnt since.
    pub(super) fn forget(&mut self, mark: Mark) {
        for bit in self.changed.drain(mark.0..) {
            if let Some(known) = self.known.get_mut(bit as usize) {
                *known = None;
            }
        }
        self.facts.truncate(mark.1);
    }

    /// Learns a bit; `false` if it is known to be otherwise.
    pub(super) fn learn_bit(&mut self, bit: u32, value: bool) -> bool {
        match self.known.get_mut(bit as usize) {
            Some(Some(known)) => *known == value,
            Some(open) => {
                *open = Some(value);
                self.changed.push(bit);
                true
            }
            None => false,
        }
    }

    /// Learns that a condition holds.
    pub(super) fn learn(&mut self, condition: Condition) {
        self.facts.push(condition);
    }

    /// Whether a term is other than 0, as far as that is known.
    pub(super) fn truth(&self, term: Term) -> Option<bool> {
        match self.terms.value(term) {
            Some(value) => Some(value != 0),
            None => self.facts.iter().find(|fact| fact.0 == term).map(|fact| fact.1),
        }
    }

    /// Opens a scope: `encoding` in the bits `word`. Returns its number.
    pub(super) fn open(
        &mut self,
        encoding: &'a Encoding,
        word: Bits,
        parent: Option<usize>,
        params: &'a [Param],
    ) -> usize {
        self.scopes.push(Scope { encoding, word, parent, params });
        self.scopes.len() - 1
    }

    /// What `name` may mean in a scope. The conditions exclude each other and leave nothing out.
    pub(super) fn find(&mut self, scope: usize, name: Name) -> Vec<Choice<'a>> {
        let mut choices = Vec::new();
        let mut when: Vec<Condition> = Vec::new();
        let mut search = Search::new(scope, name);
        loop {
            let Ok(found) = search.next(self);
            let field = found.map(|found| (found.field, found.scope));
            let Some(guard) = found.and_then(|found| found.when) else {
                choices.push(Choice { when, field });
                return choices;
            };
            let mut this = when.clone();
            this.push((guard, true));
            choices.push(Choice { when: this, field });
            when.push((guard, false));
        }
    }

    /// The bits of a field that is not derived, in the terms of the outermost word.
    pub(super) fn field_bits(&self, scope: usize, field: &Field) -> Bits {
        let FieldSource::Bits(pieces) = &field.source else { return Vec::new() };
        let Some(at) = self.scopes.get(scope) else { return Vec::new() };
        let mut bits = Vec::with_capacity(field.width as usize);
        for piece in pieces.iter().rev() {
            match *piece {
                Piece::Bits(range) => {
                    let slice = at.word.get(range.lo as usize..range.end() as usize).unwrap_or(&[]);
                    bits.extend(slice.iter().map(|&bit| self.now(bit)));
                }
                Piece::Implied { width, value } => {
                    bits.extend((0..width).map(|i| Bit::Const(value.checked_shr(i).unwrap_or(0) & 1 != 0)));
                }
            }
        }
        bits
    }

    /// A bit, or its value where that is known.
    pub(super) fn now(&self, bit: Bit) -> Bit {
        let known = |n: u32| self.known.get(n as usize).copied().flatten();
        match bit {
            Bit::Of(n) => known(n).map_or(bit, Bit::Const),
            Bit::Not(n) => known(n).map_or(bit, |value| Bit::Const(!value)),
            Bit::Const(_) => bit,
        }
    }

    /// The value of a field as displays and expressions see it.
    pub(super) fn value(&mut self, scope: usize, field: &'a Field) -> Term {
        let Ok(value) = resolve::value(self, scope, field);
        value
    }

    /// The value of an expression in a scope.
    pub(super) fn evaluate(&mut self, scope: usize, expr: ExprId) -> Term {
        let Ok(value) = resolve::evaluate(self, scope, expr);
        value
    }
}

impl<'a> Lookup<'a> for Meanings<'_, 'a> {
    type Scope = usize;
    type Condition = Term;
    type Rest = ();
    type Stop = Infallible;

    fn encoding(&self, scope: usize) -> &'a Encoding {
        self.scopes[scope].encoding
    }

    fn entered(&self, scope: usize) -> Option<(usize, &[Param])> {
        let scope = &self.scopes[scope];
        Some((scope.parent?, scope.params))
    }

    fn running(&self) -> Option<ExprId> {
        self.walk.running()
    }

    fn decide(&mut self, scope: usize, guard: ExprId, (): &mut ()) -> Result<Holds<Term>, Infallible> {
        let guard = self.evaluate(scope, guard);
        Ok(match self.truth(guard) {
            Some(true) => Holds::Always,
            Some(false) => Holds::Never,
            None => Holds::If(guard),
        })
    }

    fn pass(&mut self, _: usize, _: ExprId, (): &mut ()) -> Result<(), Infallible> {
        // Nothing is kept and nothing is reported.
        Ok(())
    }
}

impl<'a> Domain<'a> for Meanings<'_, 'a> {
    type Value = Term;
    type Algebra = Self;

    const EVALUATIONS: usize = MAX_EVALUATIONS;

    fn isa(&self) -> &'a Isa {
        self.plan.isa()
    }

    fn walk(&mut self) -> &mut Walk<Term> {
        &mut self.walk
    }

    fn algebra(&mut self) -> &mut Self {
        self
    }

    fn choose(&mut self, condition: Term, x: Term, y: Term) -> Result<Term, Infallible> {
        Ok(self.terms.select(condition, x, y))
    }

    fn bits(&mut self, scope: usize, field: &'a Field) -> Result<Term, Infallible> {
        let bits = self.field_bits(scope, field);
        Ok(self.terms.linear(bits))
    }

    fn missing(&mut self, _: Name, (): ()) -> Result<Term, Infallible> {
        Ok(self.terms.constant(0))
    }

    fn recall(&mut self, _: usize, _: ExprId) -> Result<Option<Term>, Infallible> {
        Ok(None)
    }

    fn keep(&mut self, _: usize, _: ExprId, _: Term) {}

    fn beyond(&mut self) -> Result<Term, Infallible> {
        Ok(self.terms.unknown())
    }
}

impl Algebra for Meanings<'_, '_> {
    type Value = Term;
    type Stop = Infallible;

    fn constant(&mut self, value: u64) -> Result<Term, Infallible> {
        Ok(self.terms.constant(value))
    }

    fn generation(&mut self) -> Result<Term, Infallible> {
        Ok(self.terms.constant(u64::from(self.plan.generation())))
    }

    fn feature(&mut self, feature: FeatureId) -> Result<Term, Infallible> {
        Ok(self.terms.constant(u64::from(self.plan.feature(feature))))
    }

    fn unary(&mut self, op: UnaryOp, ty: IntType, x: Term) -> Result<Term, Infallible> {
        Ok(self.terms.unary(op, ty, x))
    }

    fn binary(&mut self, op: BinaryOp, ty: IntType, x: Term, y: Term) -> Result<Term, Infallible> {
        // A bitwise `and` of truth values is a logical one, which can be taken apart.
        let truths = op == BinaryOp::And && self.terms.is_truth(x) && self.terms.is_truth(y);
        Ok(self.terms.binary(if truths { BinaryOp::LogicalAnd } else { op }, ty, x, y))
    }

    fn select(&mut self, condition: Term, x: Term, y: Term) -> Result<Term, Infallible> {
        Ok(self.terms.select(condition, x, y))
    }

    fn cast(&mut self, ty: IntType, x: Term) -> Result<Term, Infallible> {
        Ok(self.terms.cast(ty, x))
    }
}

#[cfg(test)]
mod tests {
    use isaglot_bits::Word;
    use isaglot_codec::oracle::{Engine, Said, compare, compare_all};
    use isaglot_codec::{Alternative, Compiler, Context, Meaning};
    use isaglot_model::{EncodingId, FieldType};
    use isaglot_testing::Random;

    use super::super::symbolic::Node;
    use super::*;

    /// The value of a term for a word; `None` if it is not followed that far.
    fn at(terms: &Terms, term: Term, word: &Word) -> Option<u64> {
        let get = |term| at(terms, term, word);
        Some(match terms.node(term) {
            Node::Linear(bits) => bits.iter().enumerate().fold(0, |value, (i, bit)| {
                let one = match *bit {
                    Bit::Const(one) => one,
                    Bit::Of(n) => word.bit(n),
                    Bit::Not(n) => !word.bit(n),
                };
                value | u64::from(one) << i
            }),
            Node::Unary(op, ty, x) => op.apply(*ty, get(*x)?),
            Node::Binary(op, ty, x, y) => op.apply(*ty, get(*x)?, get(*y)?),
            Node::Select(c, x, y) => get(if get(*c)? != 0 { *x } else { *y })?,
            Node::Cast(ty, x) => ty.wrap(get(*x)?),
            Node::Unknown => return None,
        })
    }

    /// The terms, where the compiler says that the order of evaluation does not matter.
    struct Assembled<'p, 'a> {
        meanings: Meanings<'p, 'a>,
        compiler: Compiler<'p, 'a>,
    }

    impl<'a> Engine<'a> for Assembled<'_, 'a> {
        type Scope = (usize, Context);

        fn root(&mut self, encoding: EncodingId) -> (usize, Context) {
            let encoding_of = &self.meanings.plan.isa()[encoding];
            let whole = (0..encoding_of.width).map(Bit::Of).collect();
            let context = self.compiler.root(encoding).expect("within the limits");
            (self.meanings.open(encoding_of, whole, None, &[]), context)
        }

        fn expression(&mut self, (scope, context): (usize, Context), expr: ExprId, words: &[Word]) -> Vec<Option<u64>> {
            let safe = self.compiler.safe_in_any_order(context, expr);
            let term = self.meanings.evaluate(scope, expr);
            words.iter().map(|word| at(&self.meanings.terms, term, word).filter(|_| safe)).collect()
        }

        fn name(&mut self, (scope, context): (usize, Context), name: Name, words: &[Word]) -> Vec<Option<Said<'a>>> {
            let alternatives = self.compiler.resolve(context, name);
            if matches!(alternatives.last(), Some(Alternative { meaning: Meaning::Unknown, .. })) {
                return vec![None; words.len()];
            }
            let choices = self.meanings.find(scope, name);
            let said = |word| {
                let holds = |condition: &Condition| {
                    at(&self.meanings.terms, condition.0, word).is_some_and(|value| (value != 0) == condition.1)
                };
                let (field, _) = choices.iter().find(|choice| choice.when.iter().all(holds))?.field?;
                Some((field, None))
            };
            words.iter().map(said).collect()
        }

        fn leaves(
            &mut self,
            (scope, context): (usize, Context),
            name: Name,
        ) -> Vec<(&'a Field, EncodingId, (usize, Context))> {
            if let [Alternative { meaning: Meaning::Field(field, found), .. }] =
                self.compiler.resolve(context, name)[..]
                && let FieldType::Sub(space) = field.ty
                && found == context
            {
                let (isa, bits) = (self.meanings.plan.isa(), self.meanings.field_bits(scope, field));
                let leaves = isa[space].encodings.iter().filter_map(|&leaf| {
                    let nested = self.compiler.nested(context, field, found, leaf)?;
                    let inner = self.meanings.open(&isa[leaf], bits.clone(), Some(scope), &field.params);
                    Some((field, leaf, (inner, nested)))
                });
                return leaves.collect();
            }
            Vec::new()
        }
    }

    #[test]
    fn terms_agree_with_numbers() {
        let mut random = Random::new(1);
        let run = |plan: &Plan<'_>, root: EncodingId, words: &[Word]| {
            let meanings = Meanings::new(plan, plan.isa()[root].width);
            compare(plan, &mut Assembled { meanings, compiler: Compiler::new(plan) }, root, words)
        };
        let compared = compare_all(&mut |n| random.below(n), 100, run);
        assert!(compared > 1000, "only {compared} values");
    }
}
