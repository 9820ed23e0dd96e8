//! The compiled graph against plain numbers: on made-up instruction sets, and where expressions need each other.

use isaglot_bits::Word;
use isaglot_codec::oracle::{Engine, Said, compare, compare_all};
use isaglot_codec::{Alternative, Compiler, Context, Meaning, Plan, Scopes};
use isaglot_model::{EncodingId, ExprId, Field, FieldType, Isa, Name};
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::Random;

/// The compiled graph.
struct Compiled<'p, 'a>(Compiler<'p, 'a>);

impl<'a> Engine<'a> for Compiled<'_, 'a> {
    type Scope = Context;

    fn root(&mut self, encoding: EncodingId) -> Context {
        self.0.root(encoding).expect("within the limits")
    }

    fn expression(&mut self, context: Context, expr: ExprId, words: &[Word]) -> Vec<Option<u64>> {
        let safe = self.0.is_safe(context, expr);
        let value = self.0.expression(context, expr).filter(|_| safe);
        words.iter().map(|word| Some(self.0.graph.evaluate(value?, word.limbs()))).collect()
    }

    fn name(&mut self, context: Context, name: Name, words: &[Word]) -> Vec<Option<Said<'a>>> {
        let alternatives = self.0.resolve(context, name);
        let mut said = |word: &Word| {
            let holds = |guard| self.0.graph.evaluate(guard, word.limbs()) != 0;
            let chosen = alternatives.iter().find(|a| a.guard.is_none_or(holds)).expect("the last has no guard");
            let Meaning::Field(field, at) = chosen.meaning else { return None };
            let value = self.0.field_value(field, at);
            Some((field, value.map(|value| self.0.graph.evaluate(value, word.limbs()))))
        };
        words.iter().map(&mut said).collect()
    }

    fn leaves(&mut self, context: Context, name: Name) -> Vec<(&'a Field, EncodingId, Context)> {
        if let [Alternative { meaning: Meaning::Field(field, at), .. }] = self.0.resolve(context, name)[..]
            && let FieldType::Sub(space) = field.ty
            && let Some(inside) = self.0.shown(context, name)
        {
            let leaves = self.0.plan().isa()[space].encodings.iter();
            return leaves.filter_map(|&leaf| Some((field, leaf, self.0.nested(inside, field, at, leaf)?))).collect();
        }
        Vec::new()
    }
}

#[test]
fn the_graph_agrees_with_numbers() {
    let mut random = Random::new(1);
    let run = |plan: &Plan<'_>, root, words: &[Word]| compare(plan, &mut Compiled(Compiler::new(plan)), root, words);
    let compared = compare_all(&mut |n| random.below(n), 60, run);
    assert!(compared > 10_000, "only {compared} values");
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
    compare(&plan, &mut Compiled(Compiler::new(&plan)), id, &words);
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
