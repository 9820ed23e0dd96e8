//! From an instruction to its text, through an assembler, and back: an assembler as something that decodes.
//!
//! The invariant: a word comes back as itself if its words do, or if what comes back has the same text: then the text does not say which of the two is
//! meant (padding of a string, bits beyond the width of a number). These are counted. A text that our own assembler refuses as the tool does is no
//! difference.

use isaglot_bits::Word;
use isaglot_source::Diagnostic;
use isaglot_spirv::{asm, dis};

use super::assembling::{Assembling, Back};
use super::{Module, Spirv, is_whole, text_of};
use crate::answer::{Answer, Decoder};
use crate::choose::Choice;
use crate::compare::Kind;
use crate::normal::Rules;
use crate::run::{Report, Stage, run};

/// Compares an assembler with the grammar on the texts of the chosen words that the grammar accepts.
///
/// # Errors
/// Why the assembler gives no words.
pub fn round(
    subject: &mut Spirv,
    choice: &Choice,
    assembler: &mut Assembling<'_>,
    progress: &mut dyn FnMut(Stage),
) -> Result<Report, Diagnostic> {
    let mut choice = choice.clone();
    choice.words.retain(|word| is_asked(subject, word));
    for length in &mut choice.lengths {
        length.words = choice.words.iter().filter(|word| word.width() == length.bits).count();
    }
    choice.lengths.retain(|length| length.words > 0);
    let mut there = Through { own: Spirv::new(), assembler, choices: 0 };
    let mut report = run(subject, &choice, &mut there, &Rules::default(), progress)?;
    for finding in &mut report.findings {
        finding.class.kind = match finding.class.kind {
            Kind::OnlyOurs => Kind::NotAssembled,
            _ => Kind::AssemblesOtherwise,
        };
    }
    report.choices = there.choices;
    Ok(report)
}

/// Whether the text of a word is assembled.
fn is_asked(subject: &mut Spirv, word: &Word) -> bool {
    is_whole(&word.words32().collect::<Vec<u32>>()) && subject.answer(word).is_accepted()
}

/// The way there and back.
struct Through<'t, 's> {
    own: Spirv,
    assembler: &'t mut Assembling<'s>,
    choices: usize,
}

impl Through<'_, '_> {
    /// Whether our own assembler takes the text of a word. It does not where bits beyond the width of a number are not its sign.
    fn is_assembled(&self, word: &Word) -> bool {
        let module = Module::of(&self.own.front, &word.words32().collect::<Vec<u32>>());
        let options = dis::Options { raw_id: true, header: false, ..dis::Options::default() };
        let text = dis::disassemble(&module.words, &options).text;
        let options = asm::Options { preserve_numeric_ids: true, ..asm::Options::default() };
        asm::assemble_words(&text, &options).failures.is_empty()
    }

    /// What a word has come back as.
    fn answer(&mut self, word: &Word, back: Back) -> Answer {
        let ours = self.own.answer(word);
        let Ok(back) = back else { return if self.is_assembled(word) { Answer::Refused } else { ours } };
        if word.words32().eq(back.iter().copied()) {
            return ours;
        }
        // In front stands what stood in front of the word.
        let (mut words, front) = self.own.front.module(word.words32().skip(1));
        words.extend(&back);
        let hex = || back.iter().map(|word| format!("{word:08x}")).collect::<Vec<String>>().join(" ");
        let text = text_of(&Module { words, front }, self.own.grammar);
        let text = text.unwrap_or_else(|| format!("not an instruction: {}", hex()));
        if text == ours.text() {
            self.choices += 1;
        }
        Answer::Accepted { bits: None, text, leaf: None }
    }
}

impl Decoder for Through<'_, '_> {
    fn takes(&self, word: &Word) -> bool {
        self.assembler.unknown.takes(word)
    }

    fn answers(&mut self, words: &[Word]) -> Result<Vec<Answer>, Diagnostic> {
        let is_asked: Vec<bool> = words.iter().map(|word| is_asked(&mut self.own, word)).collect();
        let asked: Vec<&Word> = words.iter().zip(&is_asked).filter(|(_, on)| **on).map(|(word, _)| word).collect();
        let mut back = self.assembler.back(&asked)?.into_iter();
        let mut answers = Vec::new();
        for (word, on) in words.iter().zip(is_asked) {
            let back = if on { back.next() } else { None };
            answers.push(match back {
                Some(back) => self.answer(word, back),
                // Its text is not looked at: both sides say the same.
                None => self.own.answer(word),
            });
        }
        Ok(answers)
    }
}
