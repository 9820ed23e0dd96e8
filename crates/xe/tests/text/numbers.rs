//! A line becomes the same after thousands of others as by itself: lines whose numbers are drawn anew, over and over.

use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::{Failed, Random, rounds};
use isaglot_xe::{Compaction, Description, Platform, Xe, oracle};

const FILES: [&str; 2] = [include_str!("../data/numbers.txt"), include_str!("../data/lines.txt")];

/// Draws of each line.
const DRAWS: usize = 120;

/// Numbers that are drawn.
const NUMBERS: [u64; 6] = [0, 1, 2, 3, 4, 6];

/// Lines whose problems are all told.
const TOLD: usize = 500;

/// Those of which many are too large.
const LARGE: [u64; 8] = [7, 15, 31, 63, 127, 128, 255, 70_000];

/// A line with other numbers, and other blanks.
fn drawn(random: &mut Random, line: &str) -> String {
    let mut text = String::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        // Mostly numbers of registers, elements, distances, and immediates; others make another form.
        let rate = if text.ends_with(['r', '.', '@', ' ']) { 2 } else { 60 };
        if c.is_ascii_digit() && random.one_in(rate) {
            while chars.next_if(char::is_ascii_digit).is_some() {}
            let number = if random.one_in(12) { random.pick(&LARGE) } else { random.pick(&NUMBERS) };
            text += &number.to_string();
        } else if c == ' ' && random.one_in(20) {
            text += if random.bool() { "\t" } else { "                    " };
        } else {
            text.push(c);
        }
    }
    text
}

/// The bytes of a text, or the codes of what is wrong.
fn made(xe: &mut Xe<'_>, text: &str, compaction: Compaction) -> Result<Vec<u8>, Vec<String>> {
    let mut problems = Diagnostics::new();
    let bytes = xe.assemble(FileId(0), text.as_bytes(), compaction, &mut problems);
    let said = problems.iter().map(|d| format!("{} {}", d.code, d.message)).collect::<Vec<_>>();
    bytes.filter(|_| said.is_empty()).ok_or(said)
}

pub(crate) fn together_as_alone() -> Result<(), Failed> {
    let description = Description::embedded().ok_or("no description")?;
    let lines = || FILES.iter().flat_map(|f| f.lines()).filter(|l| !l.starts_with([' ', '#']) && !l.contains("\\n"));
    for (platform, compaction) in
        [(Platform::XeHpc, Compaction::Marked), (Platform::XeHpg, Compaction::Off), (Platform::Xe3, Compaction::Auto)]
    {
        let mut random = Random::new(20);
        let mut xe = Xe::new(&description, platform).ok_or("no machine")?;
        let mut alone = Xe::new(&description, platform).ok_or("no machine")?;
        let (mut good, mut bytes, mut bad, mut said) = (String::new(), Vec::new(), String::new(), Vec::new());
        for line in lines().cycle().take(rounds(DRAWS) * lines().count()) {
            let line = drawn(&mut random, line) + "\n";
            // By itself: forms of lines are kept for one text.
            match made(&mut alone, &line, compaction) {
                Ok(word) => {
                    good += &line;
                    bytes.extend(word);
                }
                Err(problems) => {
                    bad += &line;
                    said.extend(problems);
                }
            }
        }
        println!("numbers: {} lines, {} refused", good.lines().count(), bad.lines().count());
        let together = made(&mut xe, &good, compaction);
        if together.as_ref() != Ok(&bytes) {
            let word = |bytes: &[u8], n: usize| bytes.get(16 * n..16 * n + 16).map(<[u8]>::to_vec);
            let together = together.unwrap_or_default();
            let n = (0..).find(|n| word(&together, *n) != word(&bytes, *n)).unwrap_or(0);
            let line = good.lines().nth(n).unwrap_or_default();
            return Err(format!("{}: word {n} differs: {line}", platform.name()).into());
        }
        // What is wrong with a line is said among good ones too.
        let rest = bad.lines().skip(good.lines().count());
        let mixed: Vec<&str> = good.lines().zip(bad.lines()).flat_map(|(good, bad)| [good, bad]).chain(rest).collect();
        let mut found = Vec::new();
        for lines in mixed.chunks(TOLD) {
            found.extend(made(&mut xe, &lines.join("\n"), compaction).err().unwrap_or_default());
        }
        found.sort();
        said.sort();
        if found != said {
            let n = found.iter().zip(&said).position(|(a, b)| a != b).unwrap_or(0);
            let problems = [found.get(n), said.get(n)];
            return Err(format!("{}: other problems are said of lines together: {problems:?}", platform.name()).into());
        }
        oracle::quick(&mut xe, &bytes)?;
    }
    Ok(())
}
