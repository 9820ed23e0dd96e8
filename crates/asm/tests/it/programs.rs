//! The compiled programs against the exact engine, on made-up instruction sets.

use isaglot_asm::{Hooks, Options, Stream, Value};
use isaglot_codec::Plan;
use isaglot_codec::oracle::random_isa;
use isaglot_testing::Random;

/// Prints custom fields; with `exact`, asks for every field, which only the exact engine can answer.
struct Watch {
    exact: bool,
}

impl Hooks for Watch {
    fn wants_fields(&self) -> bool {
        self.exact
    }

    fn wants_lines(&self) -> bool {
        false
    }

    fn custom_is_fixed(&self) -> bool {
        true
    }

    fn field(&mut self, _: &str, _: Value<'_>, _: &mut Vec<u8>) {}

    fn custom(&mut self, reference: &str, value: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("<{reference}{value}>").as_bytes());
    }
}

fn print(plan: &Plan<'_>, bytes: &[u8], labels: bool, exact: bool) -> (String, u64) {
    let mut stream = Stream::new(plan, Options { labels, ..Options::default() }, bytes.len() as u64);
    stream.mark(bytes);
    let mut out = Vec::new();
    stream.feed(bytes, &mut Watch { exact }, &mut out);
    (String::from_utf8(out).unwrap(), stream.exact_lines())
}

#[test]
fn programs_agree_with_the_exact_engine() {
    let (mut lines, mut fast) = (0u64, 0u64);
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let isa = random_isa(&mut |n| random.below(n));
        let plan = Plan::new(&isa, 0);
        let mut bytes = random.bytes(12 * 40);
        let again = bytes.clone();
        bytes.extend(again);
        for labels in [false, true] {
            let (want, _) = print(&plan, &bytes, labels, true);
            let (got, exact) = print(&plan, &bytes, labels, false);
            for (i, (want, got)) in want.lines().zip(got.lines()).enumerate() {
                assert_eq!(got, want, "seed {seed}, labels {labels}, line {i}");
            }
            assert_eq!(got.len(), want.len(), "seed {seed}");
            let count = bytes.len() as u64 / u64::from(isa.format().max_bits / 8);
            lines += count;
            fast += count - exact;
        }
    }
    // The comparison means something only if programs really ran.
    assert!(fast * 10 > lines, "only {fast} of {lines} lines were printed by programs");
    println!("{fast} of {lines} lines by programs");
}
