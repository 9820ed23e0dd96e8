//! Two answers about one word: whether they differ, and of which class the difference is.
//!
//! A class is what a finding is about: the kind of the difference, the instruction, and the way in which texts differ. Words of one class are
//! grown into one set of patterns.

use isaglot_bits::Word;
use isaglot_source::Diagnostic;
use rustc_hash::FxHashMap;

use crate::answer::{Answer, Decoder, Subject};
use crate::normal::Rules;

/// How a tool and a description differ about a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The tool has an instruction, the description has none.
    OnlyTheirs,
    /// The description has an instruction, the tool has none.
    OnlyOurs,
    /// Both have an instruction, of another length.
    Length,
    /// Both have an instruction, with another text.
    Text,
    /// The tool dies.
    Crash,
    /// The tool refuses the text of the description.
    NotAssembled,
    /// The tool makes another instruction of the text of the description.
    AssemblesOtherwise,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 7] = [
        Kind::OnlyTheirs,
        Kind::OnlyOurs,
        Kind::Length,
        Kind::Text,
        Kind::Crash,
        Kind::NotAssembled,
        Kind::AssemblesOtherwise,
    ];

    /// `only-theirs`, `only-ours`, `length`, `text` or `crash`; with an assembler `not-assembled` or `assembles-otherwise`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::OnlyTheirs => "only-theirs",
            Kind::OnlyOurs => "only-ours",
            Kind::Length => "length",
            Kind::Text => "text",
            Kind::Crash => "crash",
            Kind::NotAssembled => "not-assembled",
            Kind::AssemblesOtherwise => "assembles-otherwise",
        }
    }

    /// The code of diagnostics about it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Kind::OnlyTheirs => "conform-only-theirs",
            Kind::OnlyOurs => "conform-only-ours",
            Kind::Length => "conform-length",
            Kind::Text => "conform-text",
            Kind::Crash => "conform-crash",
            Kind::NotAssembled => "conform-not-assembled",
            Kind::AssemblesOtherwise => "conform-assembles-otherwise",
        }
    }
}

/// What differences have in common that are told together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// The kind.
    pub kind: Kind,
    /// Bits of the words.
    pub bits: u32,
    /// The name of the encoding, or where the description has none the first word of the tool's text, and `-` if it crashes.
    pub name: String,
    /// In which way texts or lengths differ; empty for the other kinds.
    pub way: String,
}

/// Asks both sides, and remembers of which class each word is.
pub(crate) struct Asker<'d> {
    ours: &'d mut dyn Subject,
    theirs: &'d mut dyn Decoder,
    rules: &'d Rules,
    classes: Vec<Class>,
    numbers: FxHashMap<Class, usize>,
    known: FxHashMap<Word, Option<usize>>,
    spelled: usize,
}

impl<'d> Asker<'d> {
    pub(crate) fn new(ours: &'d mut dyn Subject, theirs: &'d mut dyn Decoder, rules: &'d Rules) -> Asker<'d> {
        Asker {
            ours,
            theirs,
            rules,
            classes: Vec::new(),
            numbers: FxHashMap::default(),
            known: FxHashMap::default(),
            spelled: 0,
        }
    }

    /// What both say about words: our answers, then the tool's.
    pub(crate) fn both(&mut self, words: &[Word]) -> Result<(Vec<Answer>, Vec<Answer>), Diagnostic> {
        let (ours, theirs) = (self.ours.answers(words)?, self.theirs.answers(words)?);
        for answers in [&ours, &theirs] {
            if answers.len() != words.len() {
                let d = Diagnostic::error(
                    "conform-answers",
                    format!("{} answers for {} words", answers.len(), words.len()),
                );
                return Err(d.note("a decoder must give one answer for each word"));
            }
        }
        Ok((ours, theirs))
    }

    /// Whether the tool can be asked about a word.
    pub(crate) fn takes(&self, word: &Word) -> bool {
        self.theirs.takes(word)
    }

    pub(crate) fn subject(&self) -> &dyn Subject {
        self.ours
    }

    /// Asks about words that are not known yet.
    pub(crate) fn ask(&mut self, words: &[Word]) -> Result<(), Diagnostic> {
        for (word, class) in words.iter().zip(self.classes_of(words)?) {
            let class = class.map(|class| self.number(class));
            self.known.insert(word.clone(), class);
        }
        Ok(())
    }

    /// The classes of words, which are not remembered; `None` where both agree.
    pub(crate) fn classes_of(&mut self, words: &[Word]) -> Result<Vec<Option<Class>>, Diagnostic> {
        let (ours, theirs) = self.both(words)?;
        let answers = words.iter().zip(ours.iter().zip(&theirs));
        let mut classes = Vec::with_capacity(words.len());
        for (word, (ours, theirs)) in answers {
            classes.push(match verdict(self.ours, word, ours, theirs, self.rules) {
                Verdict::Same => None,
                Verdict::Spelled => {
                    self.spelled += 1;
                    None
                }
                Verdict::Differ(class) => Some(class),
            });
        }
        Ok(classes)
    }

    fn number(&mut self, class: Class) -> usize {
        if let Some(number) = self.numbers.get(&class) {
            return *number;
        }
        let number = self.classes.len();
        self.numbers.insert(class.clone(), number);
        self.classes.push(class);
        number
    }

    /// The class of a word that both were asked about; `Some(None)` if they agree.
    pub(crate) fn known(&self, word: &Word) -> Option<Option<usize>> {
        self.known.get(word).copied()
    }

    pub(crate) fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Of how many words the tool's text is another one that the description reads as the same word.
    pub(crate) fn spelled(&self) -> usize {
        self.spelled
    }

    /// How many words both were asked about.
    pub(crate) fn asked(&self) -> usize {
        self.known.len()
    }
}

/// How two answers about a word compare.
enum Verdict {
    /// They say the same.
    Same,
    /// The texts differ, but the description reads the other one as the same word.
    Spelled,
    Differ(Class),
}

fn verdict(subject: &mut dyn Subject, word: &Word, ours: &Answer, theirs: &Answer, rules: &Rules) -> Verdict {
    let named = |subject: &dyn Subject| ours.leaf().map_or_else(String::new, |leaf| subject.name(leaf));
    let make = |kind, name: String, way: String| Verdict::Differ(Class { kind, bits: word.width(), name, way });
    if let Answer::Died { .. } = theirs {
        // A word that the description refuses has no name, but a ledger needs one.
        let name = if ours.is_accepted() { named(subject) } else { "-".to_owned() };
        return make(Kind::Crash, name, String::new());
    }
    match (ours.is_accepted(), theirs.is_accepted()) {
        (false, false) => Verdict::Same,
        (false, true) => make(Kind::OnlyTheirs, subject.called(word, theirs.text(), rules), String::new()),
        (true, false) => make(Kind::OnlyOurs, named(subject), String::new()),
        (true, true) => {
            if let (Some(a), Some(b)) = (ours.bits(), theirs.bits())
                && a != b
            {
                return make(Kind::Length, named(subject), format!("{a} and {b} bits"));
            }
            if rules.any_text {
                return Verdict::Same;
            }
            match subject.way(ours.text(), theirs.text(), rules) {
                None => Verdict::Same,
                Some(_) if subject.reads(word, theirs.text()) => Verdict::Spelled,
                Some(way) => make(Kind::Text, named(subject), way),
            }
        }
    }
}
