//! The compiled graph against plain numbers: on made-up instruction sets, and where expressions need each other.

use isaglot_bits::Word;
use isaglot_codec::oracle::{NAMES, expressions, random_isa, random_word};
use isaglot_codec::{Compiler, Context, Meaning, Plan, Scopes};
use isaglot_model::{EncodingId, FieldType, Isa, Name};
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::Random;

/// Compares both engines on one encoding; gives the number of values that both give.
struct Pair<'p, 'a> {
    compiler: Compiler<'p, 'a>,
    numbers: Scopes<'p, 'a>,
    root: EncodingId,
    words: Vec<Word>,
    compared: u64,
    open: u64,
}

impl<'p, 'a> Pair<'p, 'a> {
    fn new(plan: &'p Plan<'a>, root: EncodingId, words: Vec<Word>) -> Self {
        let (compiler, numbers) = (Compiler::new(plan), Scopes::new(plan, false));
        Pair { compiler, numbers, root, words, compared: 0, open: 0 }
    }

    /// All expressions and names of a context. `enter` opens the same scope for a word, with nothing evaluated in it yet.
    fn context(&mut self, context: Context, enter: &dyn Fn(&mut Scopes<'p, 'a>, &Word) -> Option<usize>) {
        let isa = self.numbers.plan().isa();
        let words = self.words.clone();
        for expr in expressions(&isa[self.compiler.encoding(context)]) {
            let safe = self.compiler.is_safe(context, expr);
            let Some(value) = self.compiler.expression(context, expr).filter(|_| safe) else {
                self.open += 1;
                continue;
            };
            for word in &words {
                let Some(scope) = enter(&mut self.numbers, word) else { continue };
                let (got, want) =
                    (self.compiler.graph.evaluate(value, word.limbs()), self.numbers.evaluate(scope, expr));
                assert_eq!(got, want, "{expr:?} of {context:?}, word {}", word.hex());
                self.compared += 1;
            }
        }
        for name in NAMES.iter().filter_map(|name| isa.names().get(name)) {
            self.name(context, name, &words, enter);
        }
    }

    fn name(
        &mut self,
        context: Context,
        name: Name,
        words: &[Word],
        enter: &dyn Fn(&mut Scopes<'p, 'a>, &Word) -> Option<usize>,
    ) {
        let alternatives = self.compiler.resolve(context, name);
        for word in words {
            let Some(scope) = enter(&mut self.numbers, word) else { continue };
            let holds =
                |guard: &Option<_>| guard.is_none_or(|guard| self.compiler.graph.evaluate(guard, word.limbs()) != 0);
            let chosen = alternatives.iter().find(|a| holds(&a.guard)).expect("the last has no guard");
            let Meaning::Field(field, at) = chosen.meaning else {
                self.open += 1;
                continue;
            };
            let found = self.numbers.resolve(scope, name).expect("a field was found");
            assert!(std::ptr::eq(found.field, field), "the same definition");
            if let Some(value) = self.compiler.field_value(field, at) {
                assert_eq!(self.compiler.graph.evaluate(value, word.limbs()), found.low(), "word {}", word.hex());
                self.compared += 1;
            }
        }
        if let [only] = alternatives[..]
            && let Meaning::Field(field, at) = only.meaning
            && let FieldType::Sub(space) = field.ty
            && let Some(inside) = self.compiler.shown(context, name)
        {
            for &leaf in &self.numbers.plan().isa()[space].encodings {
                let Some(nested) = self.compiler.nested(inside, field, at, leaf) else { continue };
                self.context(nested, &|numbers, word| {
                    let outer = enter(numbers, word)?;
                    let found = numbers.resolve(outer, name)?;
                    let inner = numbers.enter_field(outer, &found, space)?;
                    Some(inner).filter(|&inner| numbers.encoding_id(inner) == leaf)
                });
            }
        }
    }

    fn run(&mut self) {
        let root = self.root;
        let context = self.compiler.root(root).expect("within the limits");
        self.context(context, &|numbers, word| numbers.enter_encoding(root, word));
    }
}

#[test]
fn the_graph_agrees_with_numbers() {
    let (mut compared, mut open) = (0, 0);
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let isa = random_isa(&mut |n| random.below(n));
        let plan = Plan::new(&isa, 0);
        for &id in &isa[isa.root()].encodings {
            let words = (0..6).map(|_| random_word(&mut |n| random.below(n), &isa[id])).collect();
            let mut pair = Pair::new(&plan, id, words);
            pair.run();
            (compared, open) = (compared + pair.compared, open + pair.open);
        }
    }
    assert!(compared > 10_000, "{compared} values, {open} open");
}

fn load(text: &str) -> Isa {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let mut read = |_: &str| Ok(text.as_bytes().to_vec());
    isaglot_isaspec::load(&mut files, "test.xml", &mut read, &mut out).expect("a valid description")
}

/// Compares both engines on every value of the low 5 bits; gives the values of `name`.
fn values(body: &str, name: &str) -> Vec<u64> {
    let isa = load(
        &format!(
            r#"<isa><bitset name="\#instruction" size="32"/><bitset name="it" extends="\#instruction">
        <display>{{NAME}}</display><pattern low="5" high="31">000000000000000000000000000</pattern>
        <field name="X" low="0" high="4" type="uint"/>{body}</bitset></isa>"#
        )
        .replace('\\', ""),
    );
    let plan = Plan::new(&isa, 0);
    let words: Vec<Word> = (0..32).map(|word| Word::from_u64(word, 32)).collect();
    let id = isa[isa.root()].encodings[0];
    Pair::new(&plan, id, words.clone()).run();
    let name = isa.names().get(name).expect("a name");
    let mut numbers = Scopes::new(&plan, false);
    let mut value = |word| {
        let scope = numbers.enter(word).expect("an instruction");
        numbers.resolve(scope, name).expect("a field").low()
    };
    words.iter().map(&mut value).collect()
}

/// The example of the module `resolve`.
#[test]
fn the_guard_under_evaluation_is_true_and_recursion_is_0() {
    let body = r#"
        <override><expr>{WIDE} != 0</expr>
          <field name="SRC" low="0" high="3" type="uint"/><field name="WIDE" low="4" high="4" type="uint"/></override>
        <derived name="SRC" width="8" type="uint"><expr>77</expr></derived>
        <derived name="WIDE" width="8" type="uint"><expr>0</expr></derived>
        <derived name="SIZE" width="8" type="uint"><expr>{SIZE} + {WIDE} + 1</expr></derived>"#;
    for (word, value) in (0..).zip(values(body, "SRC")) {
        assert_eq!(value, if word & 16 != 0 { word & 15 } else { 77 }, "SRC of {word}");
    }
    for (word, value) in (0..).zip(values(body, "SIZE")) {
        assert_eq!(value, if word & 16 != 0 { 4 } else { 2 }, "SIZE of {word}");
    }
}

/// A needs B and B needs A: the outermost runs twice.
#[test]
fn two_that_need_each_other() {
    let body = r#"
        <derived name="A" width="8" type="uint"><expr>{B} + {X}</expr></derived>
        <derived name="B" width="8" type="uint"><expr>2 * {A} + 1</expr></derived>"#;
    for (x, value) in (0..).zip(values(body, "A")) {
        // A runs B, B runs A again, and there B runs once more: only the bottom of the stack is not compared.
        // The inner A sees B as 0, so it is X; B is then 2 X + 1 and is kept; the outer A is B + X.
        assert_eq!(value, 3 * x + 1, "A of {x}");
    }
}

/// A guard that is evaluated on the way to a name, but whose case does not define it, may leave a value.
#[test]
fn a_guard_that_is_only_passed_is_kept() {
    let body = r#"
        <override><expr>{A} > 3</expr><derived name="Z" width="8" type="uint"><expr>1</expr></derived></override>
        <derived name="Z" width="8" type="uint"><expr>0</expr></derived>
        <derived name="A" width="8" type="uint"><expr>{X} + 1</expr></derived>
        <derived name="C" width="8" type="uint"><expr>{A} + {Z}</expr></derived>"#;
    let alone: Vec<u64> = values(body, "Z");
    for (x, (c, z)) in (0..).zip(values(body, "C").into_iter().zip(alone)) {
        assert_eq!(z, u64::from(x + 1 > 3), "Z of {x} by itself");
        assert_eq!(c, x + 1 + z, "C of {x}");
    }
}

/// A chain that is longer than the bound ends with 0.
#[test]
fn a_chain_beyond_the_bound_gives_0() {
    let link = |n: u32| {
        let next = if n == 0 { "{X}".to_owned() } else { format!("{{D{}}}", n - 1) };
        format!(r#"<derived name="D{n}" width="8" type="uint"><expr>{next} + 1</expr></derived>"#)
    };
    let body: String = (0..100).map(link).collect();
    assert_eq!(values(&body, "D63")[5], 5 + 64, "as many as the bound");
    assert_eq!(values(&body, "D64")[5], 64, "the innermost gives 0");
}
