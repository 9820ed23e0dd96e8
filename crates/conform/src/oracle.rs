//! What tests and fuzz targets share.

use isaglot_bits::Word;
use isaglot_model::ByteOrder;
use isaglot_source::{Diagnostic, Diagnostics, FileId};

use crate::answer::{Answer, Assembled, Assembler, Decoder};
use crate::foreign::{Foreign, Job, Output, Runner};
use crate::sweep::Sweep;
use crate::tool::{self, Tool};

/// A runner that starts nothing: each job prints the same.
#[derive(Clone, Debug, Default)]
pub struct Canned(pub Output);

impl Runner for Canned {
    fn run(&mut self, jobs: &[Job]) -> Result<Vec<Output>, Diagnostic> {
        Ok(jobs.iter().map(|_| self.0.clone()).collect())
    }
}

/// What a tool says about words, asked through this runner.
///
/// # Errors
/// Why it gives no answers.
pub fn asked(tool: &Tool, runner: &mut dyn Runner, words: &[Word]) -> Result<Vec<Answer>, Diagnostic> {
    Foreign::open(tool, ByteOrder::Little, runner).answers(words)
}

/// Three words, of 16 and of 32 bits.
#[must_use]
pub fn words() -> Vec<Word> {
    vec![Word::from_u64(0x6001, 16), Word::from_u64(0x13, 32), Word::from_u64(0xffff_ffff, 32)]
}

/// The answers that a tool gives about [`words`] if it prints this; or what is wrong with its file, or with what it prints.
///
/// # Errors
/// The codes and messages of all problems.
pub fn answers(text: &str, out: &str) -> Result<Vec<Answer>, Vec<String>> {
    let said = |d: &Diagnostic| format!("{}: {}", d.code, d.message);
    let mut problems = Diagnostics::new();
    let tool = tool::read(FileId(0), text, &mut problems);
    let Some(tool) = tool else { return Err(problems.iter().map(said).collect()) };
    let mut runner = Canned(Output { out: out.to_owned(), ..Output::default() });
    Foreign::open(&tool, ByteOrder::Little, &mut runner).answers(&words()).map_err(|d| vec![said(&d)])
}

/// What becomes of three texts if an assembler prints this on standard output and standard error; or what is wrong with its file, or with
/// what it prints.
///
/// # Errors
/// The codes and messages of all problems.
pub fn assembled(text: &str, out: &str, err: &str) -> Result<Vec<Assembled>, Vec<String>> {
    let said = |d: &Diagnostic| format!("{}: {}", d.code, d.message);
    let mut problems = Diagnostics::new();
    let tool = tool::read(FileId(0), text, &mut problems);
    let Some(tool) = tool else { return Err(problems.iter().map(said).collect()) };
    let mut runner = Canned(Output { out: out.to_owned(), err: err.to_owned(), ..Output::default() });
    let texts = ["a", "b", "c"].map(str::to_owned);
    Foreign::open(&tool, ByteOrder::Little, &mut runner).assemble(&texts).map_err(|d| vec![said(&d)])
}

/// Any bytes as the file of a tool and, after the first byte 0, what the tool prints. There is one answer for each word, or a problem.
///
/// # Panics
/// If that does not hold.
pub fn tool(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let (text, out) = data.split_at(end);
    let (text, out) = (String::from_utf8_lossy(text), String::from_utf8_lossy(out.get(1..).unwrap_or_default()));
    match answers(&text, &out) {
        Ok(answers) => assert_eq!(answers.len(), words().len()),
        Err(problems) => assert!(!problems.is_empty()),
    }
    match assembled(&text, &out, &out) {
        Ok(all) => assert_eq!(all.len(), 3),
        Err(problems) => assert!(!problems.is_empty()),
    }
}

/// Any bytes as the state of a sweep of words of 16 and 20 bits: a state, which comes back from its text, or an error.
///
/// # Panics
/// If that does not hold.
pub fn state(data: &[u8]) {
    let lengths = [16, 20];
    let text = String::from_utf8_lossy(data);
    if let Ok(sweep) = Sweep::read(&text, "this", &lengths) {
        let (at, of) = sweep.place();
        assert!(at <= of);
        assert_eq!(Sweep::read(&sweep.to_text(), "this", &lengths).ok(), Some(sweep));
    }
}
