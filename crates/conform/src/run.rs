//! The whole comparison: choose, ask, compare, grow, and one finding for each cause.

use isaglot_bits::{Count, Pattern, Word, cover};
use isaglot_source::Diagnostic;

use crate::answer::{Answer, Decoder, Near, Subject};
use crate::choose::{Choice, Length};
use crate::compare::{Asker, Class};
use crate::grow::{Grown, grow};
use crate::limits::GROW_WORDS;
use crate::normal::Rules;

/// A difference with one cause.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What differs.
    pub class: Class,
    /// The words, as patterns that may share words.
    pub patterns: Vec<Grown>,
    /// How many words the patterns have; `None` if nobody knows.
    pub words: Option<Count>,
    /// Words of the same class that were met and that no pattern has.
    pub left: Vec<Word>,
    /// Further words of the class, of which only the number is kept.
    pub unlisted: u64,
    /// The smallest word that was asked about.
    pub witness: Word,
    /// What the description says about the witness.
    pub ours: Answer,
    /// What the tool says about the witness.
    pub theirs: Answer,
    /// The encoding of the witness, or the nearest one.
    pub near: Option<Near>,
    /// Why the difference is known; `None` if it is new.
    pub known: Option<String>,
}

impl Finding {
    /// Whether every word of every pattern was asked about.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.patterns.iter().all(|grown| grown.exact)
    }
}

/// What a comparison found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The findings, by kind, name and smallest word.
    pub findings: Vec<Finding>,
    /// How many words both sides were asked about.
    pub asked: usize,
    /// How many chosen words the tool cannot be asked about.
    pub avoided: usize,
    /// What was chosen of each length.
    pub lengths: Vec<Length>,
    /// Of how many words the tool's text is another one that the description reads as the same word.
    pub spelled: usize,
    /// How many texts an assembler made another word of, which the description prints with the same text.
    pub choices: usize,
}

impl Report {
    /// Adds what another comparison found on further texts of the same words.
    pub fn add(&mut self, other: Report) {
        self.findings.extend(other.findings);
        self.asked += other.asked;
        self.avoided += other.avoided;
        self.choices += other.choices;
        self.spelled += other.spelled;
        if self.lengths.is_empty() {
            self.lengths = other.lengths;
        }
    }
}

/// What the comparison does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Asks about the chosen words: how many are done, and how many there are.
    Ask(usize, usize),
    /// Grows patterns: how many words were asked about so far.
    Grow(usize),
}

/// Words that both sides are asked about at once, so that memory and the steps of a progress bar stay small.
const STEP: usize = 1 << 16;

/// Compares a description with another decoder on chosen words.
///
/// # Errors
/// Why the other decoder gives no answers.
pub fn run(
    ours: &mut dyn Subject,
    choice: &Choice,
    theirs: &mut dyn Decoder,
    rules: &Rules,
    progress: &mut dyn FnMut(Stage),
) -> Result<Report, Diagnostic> {
    run_within(ours, choice, theirs, rules, GROW_WORDS, progress)
}

/// The same with a bound for the words that the growth of patterns may ask about. What is then in no pattern is left as words.
///
/// # Errors
/// Why the other decoder gives no answers.
pub fn run_within(
    ours: &mut dyn Subject,
    choice: &Choice,
    theirs: &mut dyn Decoder,
    rules: &Rules,
    most: usize,
    progress: &mut dyn FnMut(Stage),
) -> Result<Report, Diagnostic> {
    let mut asker = Asker::new(ours, theirs, rules);
    let words: Vec<Word> = choice.words.iter().filter(|word| asker.takes(word)).cloned().collect();
    for (at, some) in words.chunks(STEP).enumerate() {
        progress(Stage::Ask(at * STEP, words.len()));
        asker.ask(some)?;
    }
    let groups = grow(&mut asker, &words, most, &mut |asked| progress(Stage::Grow(asked)))?;
    let mut findings = Vec::new();
    for (class, group) in groups {
        let Some(class) = asker.classes().get(class).cloned() else { continue };
        let smallest =
            group.patterns.iter().map(|grown| grown.pattern.witness()).chain(group.left.first().cloned()).min();
        let Some(witness) = smallest else { continue };
        let patterns: Vec<Pattern> = group.patterns.iter().map(|grown| grown.pattern.clone()).collect();
        findings.push(Finding {
            words: cover::union_count(class.bits, &patterns),
            near: None,
            class,
            patterns: group.patterns,
            left: group.left.into_iter().collect(),
            unlisted: 0,
            witness,
            ours: Answer::Refused,
            theirs: Answer::Refused,
            known: None,
        });
    }
    answered(&mut findings, &mut asker)?;
    let avoided = choice.words.len() - words.len();
    Ok(Report {
        findings,
        asked: asker.asked(),
        avoided,
        lengths: choice.lengths.clone(),
        spelled: asker.spelled(),
        choices: 0,
    })
}

/// Asks both sides about the witnesses of findings, and puts the findings in order.
pub(crate) fn answered(findings: &mut [Finding], asker: &mut Asker<'_>) -> Result<(), Diagnostic> {
    let witnesses: Vec<Word> = findings.iter().map(|finding| finding.witness.clone()).collect();
    let (ours, theirs) = asker.both(&witnesses)?;
    for (finding, answers) in findings.iter_mut().zip(ours.into_iter().zip(theirs)) {
        (finding.ours, finding.theirs) = answers;
        finding.near = asker.subject().near(&finding.witness, finding.ours.leaf(), &finding.class.name);
    }
    findings
        .sort_by(|a, b| (&a.class.kind, &a.class.name, &a.witness).cmp(&(&b.class.kind, &b.class.name, &b.witness)));
    Ok(())
}
