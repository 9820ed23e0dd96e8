//! Tools as data: those that are shipped, what their answers mean, and that no text does harm.

use std::path::Path;

use isaglot_bits::Word;
use isaglot_conform::{Answer, Assembled, Job, Known, Output, Runner, oracle, shipped, tool};
use isaglot_source::{Diagnostic, Diagnostics, FileId};
use isaglot_testing::random::Random;

/// How an adapter and what a tool prints become answers: the adapter, the output, and for each of the three words of [`oracle::words`] its
/// length and text, `refused`, or the problem.
const CASES: [(&str, &str, &str); 13] = [
    ("answers each", "c.lui\n\nnop\n", "c.lui / refused / nop"),
    ("answers each", "a\nb\n", "conform-answers: `T` gave 2 answers for 3 words"),
    ("answers each\nrefused .*", ".half\nnop\n.word 1\n", "refused / nop / refused"),
    ("answers each\ncomment #", "a # b\nnop\nc\n", "a / nop / c"),
    (
        "answers each\nread {text} # {bytes}\nskip =*",
        "=\na # 01 60\nb # 0x13,0x00,0x00,0x00\nc # 1\n",
        "16 a / 32 b / c # 1",
    ),
    ("answers marked END", "a\nEND\nEND\nb\n c\n\tEND\n", "a / refused / b"),
    ("answers marked END", "a\nEND\nEND\nb\n", "conform-answers: `T` printed 2 marks for 3 words"),
    ("read {address}: {text}\nanswers addressed\nslot 8", "0: a\n2: x\n8: b\n10: c\n", "a / b / c"),
    (
        "read {address}: {text}\nanswers addressed",
        "0: a\n2: b\n",
        "conform-answers: `T` printed no line for the word 0xffffffff at 0x6",
    ),
    ("read {address}: {text}\nanswers addressed\nrelative <", "0: j 10 <x>\n2: j 2\n6: j 0 <y>\n", "j 16 / j 2 / j -6"),
    ("read {address}: {text}\nanswers addressed", "hello\n", "conform-answers: `T` printed a line of unknown shape"),
    (
        "complaint {_}: {text}",
        "",
        "tool-together: a line `complaint` has no `{address}` / tool-together: a line `complaint` needs `answers addressed`",
    ),
    ("status some", "", "tool-value: this is not a value of `status`"),
];

#[test]
fn outputs_become_answers() {
    for (adapter, out, expected) in CASES {
        // Where lines are told by addresses the adapter has its own shape of them.
        let plain = if adapter.contains("{address}") { "" } else { "\nread {text}" };
        let said = match oracle::answers(&format!("tool T\nrun t\n{adapter}{plain}"), out) {
            Err(problems) => problems.join(" / "),
            Ok(answers) => {
                let one = |answer: &isaglot_conform::Answer| match (answer.is_accepted(), answer.bits()) {
                    (false, _) => "refused".to_owned(),
                    (true, None) => answer.text().to_owned(),
                    (true, Some(bits)) => format!("{bits} {}", answer.text()),
                };
                answers.iter().map(one).collect::<Vec<_>>().join(" / ")
            }
        };
        assert_eq!(said, expected, "{adapter}\n{out}");
    }
}

/// What an assembler prints: its adapter, standard output, standard error, and for each of three texts its bytes, `refused`, or the problem.
const ASSEMBLERS: [(&str, &str, &str, &str); 9] = [
    ("read {number} {bytes}", "1 0102\n2 03\n3 04\n", "", "0102 / 03 / 04"),
    ("read {number} {bytes}", "3 04\n1 0102\n1 0304\n2 03\n", "", "01020304 / 03 / 04"),
    ("read {number} {bytes}\ncomplaint x:{number}: {_}", "1 01\n3 04\n", "x:2: no\n  b\n", "01 / refused / 04"),
    ("read {number} {bytes}\ncomplaint x:{number}: {_}", "1 01\n2 02\n3 04\n", "x:2: no\n", "01 / refused / 04"),
    (
        "read {number} {bytes}",
        "1 01\n3 04\n",
        "x:2: no\n",
        "conform-answers: `T` neither assembled a text nor complained about it",
    ),
    ("read {number} {bytes}", "1 01\n4 04\n", "", "conform-answers: `T` has bytes for a text that it was not given"),
    ("read L{number}:\nread {_} # {bytes}", "x # 01\n", "", "conform-answers: `T` has bytes for no text"),
    ("read {number} {bytes}", "hello\n", "", "conform-answers: `T` printed a line of unknown shape"),
    (
        "read {text}",
        "",
        "",
        "tool-together: an assembler needs a line `read` with `{bytes}`, and one with `{number}` or `{line}`",
    ),
];

#[test]
fn listings_become_bytes() {
    for (adapter, out, err, expected) in ASSEMBLERS {
        let said = match oracle::assembled(&format!("tool T\nrun t\nassemble {{text}}\n{adapter}"), out, err) {
            Err(problems) => problems.join(" / "),
            Ok(all) => {
                let one = |assembled: &Assembled| match assembled {
                    Assembled::Refused => "refused".to_owned(),
                    Assembled::Died { signal } => format!("died of {signal}"),
                    Assembled::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
                };
                all.iter().map(one).collect::<Vec<_>>().join(" / ")
            }
        };
        assert_eq!(said, expected, "{adapter}\n{out}");
    }
    // Two lines for each text: a complaint about line 3 or 4 is about the second one.
    let adapter = "tool T\nrun t\nassemble L{number}:\\n{text}\nread L{number}:\nread {bytes}\ncomplaint {line}: {_}";
    let all = oracle::assembled(adapter, "L1:\n01\nL2:\nL3:\n03 04\n", "4: no\n").expect("bytes");
    assert_eq!(all, [Assembled::Bytes(vec![1]), Assembled::Refused, Assembled::Bytes(vec![3, 4])]);
}

/// A tool that reads words as lines and dies of two of them.
struct Dying;

impl Runner for Dying {
    fn run(&mut self, jobs: &[Job]) -> Result<Vec<Output>, Diagnostic> {
        let one = |job: &Job| {
            let lines: Vec<String> = String::from_utf8_lossy(&job.input).lines().map(str::to_owned).collect();
            let dies = |line: &String| matches!(line.as_str(), "00000003" | "00000009");
            match lines.iter().any(dies) {
                true => Output { signal: Some(11), ..Output::default() },
                false => Output { out: lines.iter().map(|line| format!("i {line}\n")).collect(), ..Output::default() },
            }
        };
        Ok(jobs.iter().map(one).collect())
    }
}

#[test]
fn a_crash_costs_one_answer() {
    let mut problems = Diagnostics::new();
    let text = "tool T\nrun t\nwrite {hex}\nread {text}\nbatch 16";
    let tool = tool::read(FileId(0), text, &mut problems).expect("an adapter");
    let words: Vec<Word> = (0..40).map(|value| Word::from_u64(value, 16)).collect();
    let answers = oracle::asked(&tool, &mut Dying, &words).expect("answers");
    for (at, answer) in answers.iter().enumerate() {
        match at {
            3 | 9 => assert_eq!(*answer, Answer::Died { signal: 11 }),
            _ => assert_eq!(answer.text(), format!("i {at:08x}")),
        }
    }
}

#[test]
fn what_is_shipped_can_be_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/tools");
    let mut problems = Diagnostics::new();
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of the tools").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("a file");
        let name = entry.file_name().to_string_lossy().into_owned();
        match name.strip_suffix(".tool") {
            Some(stem) => {
                assert_eq!(shipped::find(stem), Some(text.as_str()), "{name} is carried by the library");
                assert!(tool::read(FileId(0), &text, &mut problems).is_some(), "{name}: {problems:?}");
            }
            None => drop(Known::read(FileId(0), &text, &mut problems)),
        }
        files += 1;
        assert!(problems.is_empty(), "{name}: {problems:?}");
    }
    assert!(files > shipped::names().count(), "there are ledgers beside the tools");
}

#[test]
fn no_text_does_harm() {
    let mut random = Random::new(23);
    let seeds: Vec<&str> = shipped::names().filter_map(shipped::find).collect();
    let rounds = isaglot_testing::rounds(2000);
    for _ in 0..rounds {
        let mut bytes = seeds[random.index(seeds.len())].as_bytes().to_vec();
        bytes.push(0);
        bytes.extend(CASES[random.index(CASES.len())].1.as_bytes());
        for _ in 0..random.below(12) {
            let at = random.index(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.u8(),
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, *b"{}' \n*=0x"[..].get(random.index(9)).unwrap_or(&b' ')),
            }
        }
        oracle::tool(&bytes);
    }
}
