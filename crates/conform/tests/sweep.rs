//! Every word of one length: each difference is in exactly one pattern, and an interrupted sweep ends as one that was not.

use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_conform::normal::Rules;
use isaglot_conform::{Answer, Decoder, Ours, Sweep};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use isaglot_testing::random::Random;

/// Our decoder, which refuses some words, takes others for an instruction, and dies of one.
struct Faulty<'p, 'a>(Ours<'p, 'a>);

/// What becomes of a word whose number has this remainder, where the description accepts it or not.
fn wrong(word: &Word, answer: Answer) -> Answer {
    let value = word.low_u64();
    match value.wrapping_mul(0x9E37_79B9) >> 7 & 63 {
        0 if value & 3 != 0 => Answer::Refused,
        1 if !answer.is_accepted() => Answer::Accepted { bits: None, text: "odd".to_owned(), leaf: None },
        2 if value & 0xf0 == 0x30 => Answer::Died { signal: 11 },
        _ => answer,
    }
}

impl Decoder for Faulty<'_, '_> {
    fn answers(&mut self, words: &[Word]) -> Result<Vec<Answer>, Diagnostic> {
        let answers = self.0.answers(words)?;
        Ok(words.iter().zip(answers).map(|(word, answer)| wrong(word, answer)).collect())
    }

    fn takes(&self, word: &Word) -> bool {
        word.low_u64() & 0xfff != 0x123
    }
}

fn plan_of(run: impl FnOnce(&Plan<'_>)) {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |path: &str| std::fs::read(path).map_err(|error| error.to_string());
    let top = "../../specs/minnow/minnow.xml";
    let isa = isaglot_isaspec::load(&mut files, top, &mut read, &mut problems).expect("a valid description");
    run(&Plan::new(&isa, 1));
}

#[test]
fn each_difference_is_in_one_pattern() {
    plan_of(|plan| {
        let mut sweep = Sweep::new("this".to_owned(), &[16]);
        while !sweep.is_done() {
            sweep.step(&mut Ours::new(plan), &mut Faulty(Ours::new(plan)), &Rules::default()).expect("answers");
        }
        let report = sweep
            .report(&mut Ours::new(plan), &mut Faulty(Ours::new(plan)), &Rules::default())
            .expect("answers of the witnesses");
        let (mut asked, mut differ) = (0, 0);
        let mut ours = Ours::new(plan);
        for value in 0..1 << 16 {
            let word = Word::from_u64(value, 16);
            let is_long = !isaglot_conform::Subject::fits(&ours, &word) || value & 0xfff == 0x123;
            let found = report.findings.iter().flat_map(|f| &f.patterns).filter(|p| p.pattern.matches(&word)).count();
            let right = ours.answer(&word);
            let answer = wrong(&word, right.clone());
            let expected = usize::from(
                !is_long
                    && (answer.is_accepted(), matches!(answer, Answer::Died { .. })) != (right.is_accepted(), false),
            );
            assert_eq!(found, expected, "{value:#x}");
            asked += usize::from(!is_long);
            differ += expected as u64;
        }
        assert_eq!(report.asked, asked);
        let counts: u64 = report.findings.iter().filter_map(|f| f.words.as_ref()?.to_u64()).sum();
        assert_eq!(counts, differ);
        assert!(differ > 300, "{differ} words differ");
    });
}

#[test]
fn a_state_is_gone_on_from() {
    plan_of(|plan| {
        let step = |sweep: &mut Sweep| {
            sweep.step(&mut Ours::new(plan), &mut Faulty(Ours::new(plan)), &Rules::default()).expect("answers");
        };
        let lengths = [16, 20];
        let mut whole = Sweep::new("this".to_owned(), &lengths);
        let mut parts = whole.clone();
        let (mut text, mut middle) = (String::new(), String::new());
        while !whole.is_done() {
            step(&mut whole);
            step(&mut parts);
            text = parts.to_text();
            parts = Sweep::read(&text, "this", &lengths).expect("what was written");
            middle = if parts.place().0 == 1 << 17 { text.clone() } else { middle };
        }
        assert_eq!(whole, parts);
        let code = |text: &str, about, lengths: &[u32]| Sweep::read(text, about, lengths).map_err(|d| d.message);
        assert!(code(&text, "that", &lengths).unwrap_err().contains("another comparison"));
        assert!(code(&text, "this", &[16]).unwrap_err().contains("other lengths"));
        assert!(code("{}", "this", &lengths).unwrap_err().contains("no state"));

        // Whatever stands in the file: a state that can be gone on from, or an error.
        let mut random = Random::new(5);
        for _ in 0..isaglot_testing::rounds(2000) {
            let mut bytes = middle.as_bytes().to_vec();
            for _ in 0..=random.below(3) {
                let at = random.index(bytes.len());
                bytes[at] = *b"0123456789abcdef[]{},:\""[..].get(random.index(23)).unwrap_or(&b' ');
            }
            isaglot_conform::oracle::state(&bytes);
            if let Ok(mut sweep) = Sweep::read(&String::from_utf8_lossy(&bytes), "this", &lengths)
                && !sweep.is_done()
            {
                step(&mut sweep);
            }
        }
    });
}
