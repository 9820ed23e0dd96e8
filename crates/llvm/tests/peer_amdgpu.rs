//! Random words of AMDGPU beside `llvm-mc --disassemble`: for each generation, words that begin as each of its encodings does, with what follows at random.
//!
//! The words are the same in every run. Each is asked with further random bytes after it, in brackets, and followed by a mark, an instruction that counts the words,
//! so that what LLVM takes of it is its first text. Where LLVM says in a comment that an operand is none (`s0/*Invalid register …*/`), refusing the
//! word is as right as taking it, and the comment does not count. Words on which llvm-mc dies are asked alone and left aside.
//! A sample is compared with a ledger; `ISAGLOT_FULL=1` tries many more and prints figures only.

mod target;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use isaglot_codec::Plan;
use isaglot_testing::{Failed, Random, Tally, corpus, ledger, peer, suite};
use target::{disassemble, lower, plan, squeeze};

const MC: &str = "llvm-mc-19";
const OPERANDS: &str = include_str!("../../../specs/llvm/amdgpu.operands");

/// Words of each encoding: in an ordinary run, and in a full one.
const WORDS: (usize, usize) = (50, 1000);

/// Words in one run of llvm-mc.
const BATCH: usize = 2000;

/// Further words of 32 bits after the first one.
const MORE: usize = 5;

/// What the first source of a vector instruction is, so that a second word says which lanes or parts are meant.
#[derive(Clone, Copy, PartialEq)]
enum Second {
    No,
    /// In the first word.
    First,
    /// In the second word.
    Next,
}

/// An encoding: the bits that it begins with.
type Encoding = (&'static str, Second);

const COMMON: &[Encoding] = &[
    ("10", Second::No),
    ("1011", Second::No),
    ("101111101", Second::No),
    ("101111110", Second::No),
    ("101111111", Second::No),
    ("0", Second::No),
    ("0111111", Second::No),
    ("0111110", Second::No),
    ("0", Second::First),
    ("0111111", Second::First),
    ("0111110", Second::First),
];

/// Scalar memory, three operands, packed, interpolation, LDS, flat, buffers, typed buffers, images, exports.
const GFX9: &[Encoding] = &[
    ("110000", Second::No),
    ("110100", Second::No),
    ("110100111", Second::No),
    ("110101", Second::No),
    ("110110", Second::No),
    ("110111", Second::No),
    ("111000", Second::No),
    ("111010", Second::No),
    ("111100", Second::No),
    ("110001", Second::No),
];
const GFX10: &[Encoding] = &[
    ("111101", Second::No),
    ("110101", Second::No),
    ("110011", Second::No),
    ("110010", Second::No),
    ("110110", Second::No),
    ("110111", Second::No),
    ("111000", Second::No),
    ("111010", Second::No),
    ("111100", Second::No),
    ("111110", Second::No),
];
/// Two at once (`110010`), too.
const GFX11: &[Encoding] = &[
    ("111101", Second::No),
    ("110101", Second::No),
    ("110101", Second::Next),
    ("110011", Second::No),
    ("110011", Second::Next),
    ("110010", Second::No),
    ("110011010", Second::No),
    ("11001110", Second::No),
    ("110110", Second::No),
    ("110111", Second::No),
    ("111000", Second::No),
    ("111010", Second::No),
    ("111100", Second::No),
    ("111110", Second::No),
];
/// Of images, those without a sampler begin otherwise than those with one.
const GFX12: &[Encoding] = &[
    ("111101", Second::No),
    ("110101", Second::No),
    ("110101", Second::Next),
    ("110011", Second::No),
    ("110011", Second::Next),
    ("110010", Second::No),
    ("110011010", Second::No),
    ("11001110", Second::No),
    ("110110", Second::No),
    ("111011", Second::No),
    ("110001", Second::No),
    ("110100", Second::No),
    ("111001", Second::No),
    ("111110", Second::No),
];

/// A processor, its encodings beside the common ones, and the sources that ask for a second word.
type Processor = (&'static str, &'static [Encoding], &'static [u32]);

const PROCESSORS: &[Processor] = &[
    ("gfx900", GFX9, &[249, 250]),
    ("gfx90a", GFX9, &[249, 250]),
    ("gfx1030", GFX10, &[233, 234, 249, 250]),
    ("gfx1100", GFX11, &[233, 234, 250]),
    ("gfx1200", GFX12, &[233, 234, 250]),
];

/// A word of an encoding, with what follows it. In half of them many bits are 0, since many combinations of bits are reserved.
fn word((prefix, second): Encoding, sources: &[u32], random: &mut Random) -> Vec<u32> {
    let mut number = || random.limbs(32).first().map_or(0, |limb| *limb as u32);
    let mut words: Vec<u32> = (0..=MORE).map(|_| number()).collect();
    let (sparse, mask, source) = (number() & 1 == 0, number() & number(), number());
    let kept = 32 - prefix.len() as u32;
    let fixed = u32::from_str_radix(prefix, 2).unwrap_or(0) << kept;
    let source = sources.get(source as usize % sources.len().max(1)).copied().unwrap_or(0);
    if let [first, next, ..] = words.as_mut_slice() {
        if sparse {
            // The operation stays.
            *first &= mask | 0x03fe_0000;
        }
        *first = *first & ((1 << kept) - 1) | fixed;
        match second {
            Second::No => {}
            Second::First => *first = *first & !0x1ff | source,
            Second::Next => *next = *next & !0x1ff | source,
        }
        if source == 249 && second == Second::First {
            // Bits that must be 0.
            *next &= !(1 << 22 | 1 << 30);
        }
    }
    words
}

/// What llvm-mc says of a word.
#[derive(Clone, Debug)]
enum Answer {
    Text(String),
    Refused,
    Dies,
}

/// The mark after a word: `s_nop` with its number.
fn mark(at: usize) -> String {
    format!("{:#04x},{:#04x},0x80,0xbf", at & 255, at >> 8)
}

fn llvm_mc(cpu: &str, words: &[Vec<u32>]) -> Result<Vec<Answer>, Failed> {
    let mut command = Command::new(MC);
    command.args(["--disassemble", "--triple=amdgcn", "--show-encoding"]).arg(format!("--mcpu={cpu}"));
    command.env("LLVM_DISABLE_SYMBOLIZATION", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut input = String::new();
    for (at, word) in words.iter().enumerate() {
        let bytes: Vec<String> = word.iter().flat_map(|w| w.to_le_bytes()).map(|b| format!("{b:#04x}")).collect();
        input.push_str(&format!("[{}]\n[{}]\n", bytes.join(" "), mark(at).replace(',', " ")));
    }
    let mut stdin = child.stdin.take().ok_or("no input")?;
    // Where it dies, not all is read.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output()?;
    let _ = writer.join().map_err(|_| "the writer failed")?;
    if output.status.code().is_none() {
        if words.len() == 1 {
            return Ok(vec![Answer::Dies]);
        }
        let (first, second) = words.split_at(words.len() / 2);
        let mut all = llvm_mc(cpu, first)?;
        all.extend(llvm_mc(cpu, second)?);
        return Ok(all);
    }
    let mut refused = vec![false; words.len()];
    for line in String::from_utf8_lossy(&output.stderr).lines().filter(|l| l.contains("invalid instruction encoding")) {
        let mut places = line.split(':').skip(1).map(|n| n.parse::<usize>().unwrap_or(0));
        let (Some(number), Some(column)) = (places.next(), places.next()) else { continue };
        if number % 2 == 1
            && column <= 2
            && let Some(flag) = refused.get_mut(number / 2)
        {
            *flag = true;
        }
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with(".text"));
    let mut answers = Vec::with_capacity(words.len());
    for (at, refused) in refused.iter().enumerate() {
        let mut first = None;
        let end = format!("encoding: [{}]", mark(at));
        loop {
            let line = lines.next().ok_or("llvm-mc printed fewer lines than words")?;
            if line.starts_with("s_nop ") && line.ends_with(&end) {
                break;
            }
            first = first.or(Some(line));
        }
        answers.push(match first.filter(|_| !refused) {
            Some(line) => Answer::Text(squeeze(line.rsplit_once("; encoding").map_or(line, |(text, _)| text))),
            None => Answer::Refused,
        });
    }
    Ok(answers)
}

/// The text without what it says of operands that are none.
fn unmarked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*Invalid ") {
        out.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// The text of the first instruction, of whatever length; `None` if it is refused.
fn ours(plan: &Plan<'_>, word: &[u32]) -> Option<String> {
    let bytes: Vec<u8> = word.iter().flat_map(|w| w.to_le_bytes()).collect();
    let lengths = (1..=word.len()).filter_map(|count| bytes.get(..4 * count));
    let mut texts = lengths.map(|bytes| disassemble(plan, bytes));
    texts.find_map(|lines| match lines.as_slice() {
        [text] if !text.starts_with('<') => Some(text.clone()),
        _ => None,
    })
}

fn beside(archive: &Path) -> Result<(), Failed> {
    let lowered = lower(archive, "AMDGPU", OPERANDS)?;
    let full = std::env::var_os("ISAGLOT_FULL").is_some_and(|v| !v.is_empty() && v != "0");
    let mut tally = Tally::default();
    let (mut asked, mut alike, mut both, mut same) = (0, 0, 0, 0);
    for &(cpu, encodings, sources) in PROCESSORS {
        let plan = plan(&lowered, "amdgcn", cpu, "");
        let mut random = Random::new(0x51ed_270b);
        let each = if full { WORDS.1 } else { WORDS.0 };
        let all = COMMON.iter().chain(encodings).flat_map(|encoding| std::iter::repeat_n(*encoding, each));
        let words: Vec<Vec<u32>> = all.map(|encoding| word(encoding, sources, &mut random)).collect();
        let mut answers = Vec::new();
        for batch in words.chunks(BATCH) {
            answers.extend(llvm_mc(cpu, batch)?);
        }
        let (mut own_asked, mut own_alike, mut own_both, mut own_same) = (0, 0, 0, 0);
        for (word, theirs) in words.iter().zip(answers) {
            let theirs = match theirs {
                Answer::Dies => continue,
                Answer::Refused => None,
                Answer::Text(text) => Some(text),
            };
            let ours = ours(&plan, word);
            let marked = theirs.as_ref().is_some_and(|text| text.contains("/*Invalid "));
            own_asked += 1;
            let as_refused = marked && ours.is_none();
            let is_alike = as_refused || ours.is_some() == theirs.is_some();
            own_alike += usize::from(is_alike);
            let is_same = as_refused || ours.as_deref().map(unmarked) == theirs.as_deref().map(unmarked);
            if ours.is_some() && theirs.is_some() {
                own_both += 1;
                own_same += usize::from(is_same);
            }
            let digits: Vec<String> = word.iter().map(|w| format!("{w:08x}")).collect();
            if !is_same && std::env::var_os("ISAGLOT_SHOW").is_some() {
                println!("{cpu} {}: {ours:?}, llvm-mc {theirs:?}", digits.join(" "));
            }
            tally.check(cpu, digits.join(" "), is_same, || match (ours.is_some(), theirs.is_some()) {
                (true, true) => "the text is another one".to_owned(),
                (true, false) => "llvm-mc refuses the word".to_owned(),
                _ => "the word is not decoded".to_owned(),
            });
        }
        println!("{cpu}: accepted or refused alike {own_alike} of {own_asked}, text equal {own_same} of {own_both}");
        asked += own_asked;
        alike += own_alike;
        both += own_both;
        same += own_same;
    }
    println!("all: accepted or refused alike {alike} of {asked}, text equal {same} of {both}");
    if both == 0 {
        return Err("no word is accepted".into());
    }
    if full { Ok(()) } else { Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "peer_amdgpu", &tally)?) }
}

fn main() {
    let dir = corpus::folder("tablegen");
    let is_absent = dir.is_none();
    let archive = dir.unwrap_or_default().join("td.tar.xz");
    let name = format!("tablegen: random words of AMDGPU beside {MC}");
    let trial = peer::trial(name, &[peer::LLVM_MC], move || beside(&archive));
    suite::run(vec![trial.with_ignored_flag(is_absent)]);
}
