//! The walk over decision diagrams against the walk over numbers, on made-up instruction sets.

use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_codec::oracle::{Engine, Said, compare, compare_all};
use isaglot_model::{EncodingId, ExprId, Field, FieldType, Name};
use isaglot_testing::Random;

use crate::bdd::Ref;
use crate::scope::{ScopeId, Scopes};
use crate::symbols::Symbols;

/// The diagrams of one encoding, where the order of evaluation does not matter.
struct Checker<'a> {
    sym: Symbols,
    scopes: Scopes<'a>,
}

impl Checker<'_> {
    /// The value of functions for a word, as a number.
    fn at(&self, functions: &[Ref], word: &Word) -> u64 {
        let bit = |var: u32| (0..word.width()).any(|bit| self.sym.bit_var(bit) == var && word.bit(bit));
        functions.iter().rev().fold(0, |n, &f| n << 1 | u64::from(self.sym.bdd.at(f, &bit)))
    }
}

impl<'a> Engine<'a> for Checker<'a> {
    type Scope = ScopeId;

    fn root(&mut self, _: EncodingId) -> ScopeId {
        0
    }

    fn expression(&mut self, scope: ScopeId, expr: ExprId, words: &[Word]) -> Vec<Option<u64>> {
        let value = self.scopes.evaluate(&mut self.sym, scope, expr);
        let sure = !self.scopes.order_matters();
        words.iter().map(|word| sure.then(|| self.at(&value, word))).collect()
    }

    fn name(&mut self, scope: ScopeId, name: Name, words: &[Word]) -> Vec<Option<Said<'a>>> {
        let lookup = self.scopes.lookup(&mut self.sym, scope, name);
        let values: Vec<_> = lookup.found.iter().map(|found| self.scopes.value(&mut self.sym, found)).collect();
        let sure = !self.scopes.order_matters();
        let said = |word| {
            let mut meanings = lookup.found.iter().zip(&values);
            let (found, value) = meanings.find(|(found, _)| sure && self.at(&[found.when], word) != 0)?;
            Some((self.scopes.field(found), Some(self.at(value, word))))
        };
        words.iter().map(said).collect()
    }

    fn leaves(&mut self, scope: ScopeId, name: Name) -> Vec<(&'a Field, EncodingId, ScopeId)> {
        let mut leaves = Vec::new();
        for found in self.scopes.lookup(&mut self.sym, scope, name).found {
            let field = self.scopes.field(&found);
            if let FieldType::Sub(space) = field.ty {
                let subs = self.scopes.subs(&mut self.sym, scope, &found, space);
                leaves.extend(subs.chosen.iter().map(|&(_, sub)| (field, self.scopes.list[sub].encoding, sub)));
            }
        }
        leaves
    }
}

#[test]
fn diagrams_agree_with_numbers() {
    let mut random = Random::new(1);
    let run = |plan: &Plan<'_>, root: EncodingId, words: &[Word]| {
        let isa = plan.isa();
        let mut sym = Symbols::new(isa[root].width, Some(0), 0);
        let scopes = Scopes::new(isa, &mut sym, root, Vec::new());
        let mut checker = Checker { sym, scopes };
        let compared = compare(plan, &mut checker, root, words);
        assert!(!checker.sym.bdd.exhausted());
        compared
    };
    let compared = compare_all(&mut |n| random.below(n), 60, run);
    assert!(compared > 1000, "only {compared} values");
}
