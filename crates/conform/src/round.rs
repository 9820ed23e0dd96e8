//! From a word to its text, through an assembler, and back to a word: an assembler as something that decodes.
//!
//! The problem: which texts of the description does an assembler refuse or take for another instruction? The method: a word stands for its
//! text. The assembler makes bytes of it, and the description decodes these. So a comparison of decoders finds the words whose texts are
//! refused, and those that come back as another instruction, and grows both to patterns.
//!
//! The invariant: a word comes back as itself only if all bits that the description looks at are the same, or if the other word has the same
//! text: the description prints it so, with or without aliases, or makes it of that text itself. The second is the assembler's choice, such
//! as a shorter encoding; it is counted.

use isaglot_asm::{Assembler as Own, Compat, Names};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_model::{ByteOrder, EncodingId};
use isaglot_source::Diagnostic;

use crate::answer::{Answer, Assembled, Assembler, Decoder};
use crate::choose::Choice;
use crate::compare::Kind;
use crate::normal::Rules;
use crate::ours::{self, Ours};
use crate::run::{Report, Stage, run};
use crate::spell::Spelling;

/// Which texts are assembled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// Those without aliases, of all words.
    Plain,
    /// Those with aliases, of the words that have another one without.
    Aliases,
}

/// Compares an assembler with the description on the texts of the chosen words that the description accepts. `plans` are the same
/// without and with aliases. `distance` is how the assembler reads the distance of a branch, with `{distance}` in it; `None` for a number.
///
/// # Errors
/// Why the assembler gives no bytes.
pub fn round(
    plans: [&Plan<'_>; 2],
    choice: &Choice,
    assembler: &mut dyn Assembler,
    distance: Option<&str>,
    rules: &Rules,
    texts: Texts,
    progress: &mut dyn FnMut(Stage),
) -> Result<Report, Diagnostic> {
    let [plain, aliases] = plans;
    let isa = plain.isa();
    let spelling = distance.map(|distance| Spelling::new(isa, distance));
    let names = Names::default();
    let own = Own::new(aliases, &names, Compat::default());
    let mut there =
        Through { own, plain: Ours::new(plain), aliases: Ours::new(aliases), texts, assembler, spelling, choices: 0 };
    let words: Vec<Word> = choice.words.iter().filter(|word| there.question(word).is_some()).cloned().collect();
    let mut choice = Choice { words, lengths: choice.lengths.clone() };
    for length in &mut choice.lengths {
        length.words = choice.words.iter().filter(|word| word.width() == length.bits).count();
    }
    let main = if texts == Texts::Plain { plain } else { aliases };
    let mut report = run(&mut Ours::new(main), &choice, &mut there, rules, progress)?;
    for finding in &mut report.findings {
        finding.class.kind = match finding.class.kind {
            Kind::OnlyOurs => Kind::NotAssembled,
            Kind::Crash => Kind::Crash,
            _ => Kind::AssemblesOtherwise,
        };
    }
    report.choices = there.choices;
    Ok(report)
}

/// The way there and back.
struct Through<'p, 'a, 'd> {
    /// What assembles by the description.
    own: Own<'p, 'a>,
    plain: Ours<'p, 'a>,
    aliases: Ours<'p, 'a>,
    texts: Texts,
    assembler: &'d mut dyn Assembler,
    spelling: Option<Spelling>,
    choices: usize,
}

/// A word whose text is assembled.
struct Question {
    plain: Answer,
    aliases: Answer,
}

impl Question {
    /// The answer with the text that is assembled.
    fn of(&self, texts: Texts) -> &Answer {
        match texts {
            Texts::Plain => &self.plain,
            Texts::Aliases => &self.aliases,
        }
    }
}

impl<'p, 'a> Through<'p, 'a, '_> {
    /// What the description says about a word; `None` if its text is not assembled.
    fn question(&mut self, word: &Word) -> Option<Question> {
        let question = Question { plain: self.plain.answer(word), aliases: self.aliases.answer(word) };
        let is_asked = match self.texts {
            Texts::Plain => question.plain.is_accepted(),
            Texts::Aliases => question.aliases.is_accepted() && question.plain.text() != question.aliases.text(),
        };
        is_asked.then_some(question)
    }

    /// What prints the texts that are assembled.
    fn printer(&mut self) -> &mut Ours<'p, 'a> {
        match self.texts {
            Texts::Plain => &mut self.plain,
            Texts::Aliases => &mut self.aliases,
        }
    }

    /// The text of a word as the assembler reads it.
    fn spelled(&mut self, word: &Word, question: &Question) -> String {
        match self.spelling.take() {
            Some(spelling) => {
                let text = spelling.text(self.printer(), word);
                self.spelling = Some(spelling);
                text
            }
            None => question.of(self.texts).text().to_owned(),
        }
    }

    /// What a word has come back as.
    fn back(&mut self, word: &Word, question: &Question, bytes: &[u8]) -> Answer {
        let isa = self.plain.plan().isa();
        let leaf = question.plain.leaf().or(question.aliases.leaf());
        let ignored = leaf
            .map_or_else(|| Word::zero(word.width()), |leaf| isa[EncodingId(leaf.0)].dont_care.resized(word.width()));
        if self
            .word(bytes)
            .is_some_and(|back| back.width() == word.width() && back.and_not(&ignored) == word.and_not(&ignored))
        {
            return question.of(self.texts).clone();
        }
        let mut rest = bytes;
        let mut texts: Vec<[String; 2]> = Vec::new();
        while let Some((plain, aliases, after)) = self.first(rest) {
            texts.push([plain, aliases]);
            rest = after;
        }
        let is_same = |text: &str| text == question.plain.text() || text == question.aliases.text();
        if let ([both], []) = (texts.as_slice(), rest)
            && (both.iter().any(|text| is_same(text)) || self.is_own(question.of(self.texts).text(), bytes))
        {
            self.choices += 1;
            return question.of(self.texts).clone();
        }
        let at = usize::from(self.texts == Texts::Aliases);
        let mut texts: Vec<String> = texts.into_iter().filter_map(|both| both.into_iter().nth(at)).collect();
        if !rest.is_empty() {
            let hex: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
            texts.push(format!("not an instruction: {hex}"));
        }
        Answer::Accepted { bits: None, text: texts.join("; "), leaf: None }
    }

    /// Whether the description makes these bytes of a text.
    fn is_own(&mut self, text: &str, bytes: &[u8]) -> bool {
        let word = self.own.assemble(text.as_bytes()).ok();
        word.is_some() && word == self.word(bytes)
    }

    /// The texts of the first instruction of some bytes, and the bytes after it.
    fn first<'b>(&mut self, bytes: &'b [u8]) -> Option<(String, String, &'b [u8])> {
        let plan = self.plain.plan();
        let format = plan.isa().format();
        let (parcel, start) = (format.parcel_bits.div_ceil(8) as usize, format.start_bits().div_ceil(8) as usize);
        bytes.get(..parcel)?;
        let bits = ours::length(plan, &self.word(bytes.get(..start).unwrap_or(bytes))?)?;
        let (first, after) = bytes.split_at_checked(bits.div_ceil(8) as usize)?;
        let word = self.word(first)?;
        let (plain, aliases) = (self.plain.answer(&word), self.aliases.answer(&word));
        let both = plain.is_accepted() || aliases.is_accepted();
        both.then(|| (plain.text().to_owned(), aliases.text().to_owned(), after))
    }

    /// Bytes in the order of memory as a word; `None` of none.
    fn word(&self, bytes: &[u8]) -> Option<Word> {
        let width = u32::try_from(8 * bytes.len()).ok().filter(|width| *width > 0)?;
        Some(match self.plain.plan().isa().format().byte_order {
            ByteOrder::Little => Word::from_le_bytes(bytes, width),
            ByteOrder::Big => Word::from_le_bytes(&bytes.iter().rev().copied().collect::<Vec<u8>>(), width),
        })
    }
}

impl Decoder for Through<'_, '_, '_> {
    fn answers(&mut self, words: &[Word]) -> Result<Vec<Answer>, Diagnostic> {
        let questions: Vec<Option<Question>> = words.iter().map(|word| self.question(word)).collect();
        let asked = words.iter().zip(&questions).filter_map(|(word, question)| Some((word, question.as_ref()?)));
        let asked: Vec<(&Word, &Question)> = asked.collect();
        let texts: Vec<String> = asked.iter().map(|(word, question)| self.spelled(word, question)).collect();
        let assembled = if texts.is_empty() { Vec::new() } else { self.assembler.assemble(&texts)? };
        if assembled.len() != texts.len() {
            let d =
                Diagnostic::error("conform-answers", format!("{} answers for {} texts", assembled.len(), texts.len()));
            return Err(d.note("an assembler must give one answer for each text"));
        }
        let mut assembled = assembled.into_iter();
        let answer = |(word, question): (&Word, &Option<Question>)| match question {
            // Its text is not looked at here: both sides say the same.
            None => self.printer().answer(word),
            Some(question) => match assembled.next() {
                Some(Assembled::Bytes(bytes)) => self.back(word, question, &bytes),
                Some(Assembled::Died { signal }) => Answer::Died { signal },
                Some(Assembled::Refused) | None => Answer::Refused,
            },
        };
        Ok(words.iter().zip(&questions).map(answer).collect())
    }
}
