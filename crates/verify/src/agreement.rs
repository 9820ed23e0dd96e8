//! The walk over decision diagrams against the walk over numbers, on made-up instruction sets.

use isaglot_bits::Word;
use isaglot_codec::oracle::{NAMES, expressions, random_isa, random_word};
use isaglot_codec::{Plan, Scopes as Numbers};
use isaglot_model::{EncodingId, FieldType, Isa};
use isaglot_testing::Random;

use crate::scope::{Found, ScopeId, Scopes};
use crate::symbols::Symbols;
use crate::vector::Vector;

struct Pair<'p, 'a> {
    isa: &'a Isa,
    sym: Symbols,
    scopes: Scopes<'a>,
    numbers: Numbers<'p, 'a>,
    root: EncodingId,
    words: Vec<Word>,
    compared: u64,
}

impl Pair<'_, '_> {
    fn at(&self, value: &Vector, word: &Word) -> u64 {
        let width = word.width();
        let bit = |var: u32| (0..width).any(|bit| self.sym.bit_var(bit) == var && word.bit(bit));
        (0..64).fold(0, |n, i| n | u64::from(self.sym.bdd.at(value[i], &bit)) << i)
    }

    /// All expressions and names of a scope, and of the scopes below it. `way` is how to get there: names of fields, each
    /// with the scope of its leaf.
    fn scope(&mut self, scope: ScopeId, way: &[(Found, ScopeId)]) {
        let encoding = self.scopes.encoding(scope);
        let exprs: Vec<_> = expressions(encoding)
            .into_iter()
            .map(|expr| (expr, self.scopes.evaluate(&mut self.sym, scope, expr)))
            .collect();
        let mut names = Vec::new();
        for name in NAMES.iter().filter_map(|name| self.isa.names().get(name)) {
            let lookup = self.scopes.lookup(&mut self.sym, scope, name);
            for found in &lookup.found {
                let value = self.scopes.value(&mut self.sym, found);
                names.push((name, *found, value));
            }
        }
        if self.scopes.order_matters() {
            return;
        }
        for word in self.words.clone() {
            let Some(at) = self.enter(&word, way) else { continue };
            for (expr, value) in &exprs {
                let want = self.numbers.evaluate(at, *expr);
                assert_eq!(self.at(value, &word), want, "{expr:?}, word {}", word.hex());
                self.compared += 1;
            }
            for (name, found, value) in &names {
                let meant = self.at(&crate::vector::from_bits(&[found.when]), &word) != 0;
                let got = self.numbers.resolve(at, *name);
                let same = got.as_ref().is_some_and(|got| std::ptr::eq(got.field, self.scopes.field(found)));
                assert_eq!(meant, same, "the definition of a name, word {}", word.hex());
                if let Some(got) = got.filter(|_| meant) {
                    assert_eq!(self.at(value, &word), got.low(), "the value of a name, word {}", word.hex());
                    self.compared += 1;
                }
            }
        }
        for (_, found, _) in names {
            let FieldType::Sub(space) = self.scopes.field(&found).ty else { continue };
            if way.len() < 2 {
                let subs = self.scopes.subs(&mut self.sym, scope, &found, space);
                for &(_, sub) in &subs.chosen {
                    self.scope(sub, &[way, &[(found, sub)]].concat());
                }
            }
        }
    }

    /// Opens the same scope for a word; `None` if the word has other fields or leaves on the way.
    fn enter(&mut self, word: &Word, way: &[(Found, ScopeId)]) -> Option<usize> {
        let mut at = self.numbers.enter_encoding(self.root, word)?;
        for (found, sub) in way {
            let field = self.scopes.field(found);
            let FieldType::Sub(space) = field.ty else { return None };
            let got = self.numbers.resolve(at, field.name).filter(|got| std::ptr::eq(got.field, field))?;
            at = self.numbers.enter_field(at, &got, space)?;
            if self.numbers.encoding_id(at) != self.scopes.list[*sub].encoding {
                return None;
            }
        }
        Some(at)
    }
}

#[test]
fn diagrams_agree_with_numbers() {
    let (mut compared, mut encodings, mut recursive) = (0, 0, 0);
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let isa = random_isa(&mut |n| random.below(n));
        let plan = Plan::new(&isa, 0);
        for &root in &isa[isa.root()].encodings {
            let mut sym = Symbols::new(isa[root].width, Some(0), 0);
            let scopes = Scopes::new(&isa, &mut sym, root, Vec::new());
            let words = (0..6).map(|_| random_word(&mut |n| random.below(n), &isa[root])).collect();
            let numbers = Numbers::new(&plan, false);
            let mut pair = Pair { isa: &isa, sym, scopes, numbers, root, words, compared: 0 };
            pair.scope(0, &[]);
            assert!(!pair.sym.bdd.exhausted());
            (compared, encodings) = (compared + pair.compared, encodings + 1);
            recursive += u32::from(pair.scopes.order_matters());
        }
    }
    println!("{compared} values compared; {recursive} of {encodings} encodings are recursive");
    assert!(compared > 1000, "{compared} values compared; {recursive} of {encodings} encodings are recursive");
}
