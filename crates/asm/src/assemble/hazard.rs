//! Texts of a description that look like the assembler's own syntax, and the proof that others do not.
//!
//! The problem: a line `; 5` is a comment, unless the description displays an instruction so. Invariant: if no form has a
//! [`Syntax`], whatever the disassembler prints is read as an instruction and as nothing else. The method: each kind of
//! syntax is a small automaton over bytes; it is run over the shapes of all texts (`shape`), which hold everything that can
//! be printed.

use isaglot_codec::Plan;
use isaglot_model::{Encoding, EncodingId, Isa};

use super::program::Bytes;
use super::shape::{Sets, Shape, ShapePart};
use crate::names::Names;

/// A kind of line that is not an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Syntax {
    /// It is all comment: it begins with `#`, `;` or `//`.
    Comment,
    /// A comment begins in it: `;` or `//`.
    Cut,
    /// It begins with a label: `name:`.
    Label,
    /// It defines a number: `name = …`.
    Define,
    /// It begins like a directive: `.name`.
    Directive,
    /// It begins like data: `[`.
    Data,
    /// It begins like a word that is not a valid instruction: `no match: `, `raw 0x`.
    Word,
    /// It is empty.
    Blank,
    /// It has a line break, so it is several lines.
    Break,
    /// It begins or ends with a blank.
    Edge,
}

impl Syntax {
    /// All kinds.
    pub const ALL: [Syntax; 10] = [
        Syntax::Comment,
        Syntax::Cut,
        Syntax::Label,
        Syntax::Define,
        Syntax::Directive,
        Syntax::Data,
        Syntax::Word,
        Syntax::Blank,
        Syntax::Break,
        Syntax::Edge,
    ];

    /// What it is, for people: "reads like …".
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Syntax::Comment => "a comment",
            Syntax::Cut => "an instruction with a comment after it",
            Syntax::Label => "a label",
            Syntax::Define => "a definition of a number",
            Syntax::Directive => "a directive",
            Syntax::Data => "data",
            Syntax::Word => "a word that is not a valid instruction",
            Syntax::Blank => "an empty line",
            Syntax::Break => "several lines",
            Syntax::Edge => "a text with blanks around it",
        }
    }

    fn bit(self) -> u16 {
        1 << (self as u16)
    }

    /// The state after a byte; `None` where the text is not of this kind any more. The state [`DONE`] is kept for ever.
    fn step(self, state: u8, byte: u8) -> Option<u8> {
        let blank = matches!(byte, b' ' | b'\t' | b'\r');
        let begins = byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.');
        let goes_on = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'@');
        match (self, state) {
            (_, DONE) => Some(DONE),
            (Syntax::Break, _) => Some(if byte == b'\n' { DONE } else { 0 }),
            (Syntax::Edge, 0) if blank => Some(DONE),
            (Syntax::Edge, _) => Some(if blank { ENDED } else { 1 }),
            (Syntax::Cut, at) => match byte {
                b';' => Some(DONE),
                b'/' if at == 1 => Some(DONE),
                b'/' => Some(1),
                _ => Some(0),
            },
            (Syntax::Word, at) => {
                // The states 1 to 10 count bytes of the first text, those from 11 on of the second.
                let (texts, at) = ([&b"no match: "[..], b"raw 0x"], usize::from(at));
                if at == 0 && blank {
                    return Some(0);
                }
                let (text, have, base) = match at {
                    0 if byte == b'n' => (texts[0], 0, 0),
                    0 => (texts[1], 0, 10),
                    1..=10 => (texts[0], at, 0),
                    _ => (texts[1], at - 10, 10),
                };
                let is = text.get(have) == Some(&byte);
                is.then_some(if have + 1 == text.len() { DONE } else { (base + have + 1) as u8 })
            }
            (Syntax::Blank, _) => blank.then_some(ENDED),
            (_, 0) if blank => Some(0),
            (Syntax::Comment, 0) => match byte {
                b'#' | b';' => Some(DONE),
                b'/' => Some(1),
                _ => None,
            },
            (Syntax::Comment, _) => (byte == b'/').then_some(DONE),
            (Syntax::Data, _) => (byte == b'[').then_some(DONE),
            (Syntax::Directive, 0) => (byte == b'.').then_some(1),
            (Syntax::Directive, _) => goes_on.then_some(DONE),
            (Syntax::Label | Syntax::Define, 0) => begins.then_some(1),
            (Syntax::Label, _) if byte == b':' => Some(DONE),
            (Syntax::Define, _) if byte == b'=' => Some(DONE),
            (Syntax::Define, 1 | 2) if blank => Some(2),
            (Syntax::Label | Syntax::Define, 1) => goes_on.then_some(1),
            (Syntax::Label | Syntax::Define, _) => None,
        }
    }

    /// Whether a text that ends in this state is of this kind.
    fn ends(self, state: u8) -> bool {
        state == DONE || state == ENDED || (self == Syntax::Blank && state == 0)
    }

    /// The bytes of which a text of this kind has at least one; without any, that says nothing.
    fn marks(self) -> &'static [u8] {
        match self {
            Syntax::Comment => b"#;/",
            Syntax::Cut => b";/",
            Syntax::Label => b":",
            Syntax::Define => b"=",
            Syntax::Directive => b".",
            Syntax::Data => b"[",
            Syntax::Word => b"nr",
            Syntax::Break => b"\n",
            Syntax::Edge => b" \t\r",
            Syntax::Blank => b"",
        }
    }

    /// Whether a text of this shape can be of this kind.
    fn meets(self, shape: &Shape, can: &Bytes) -> bool {
        let marks = self.marks();
        if !marks.is_empty() && !marks.iter().any(|&byte| can.has(Some(byte))) {
            return false;
        }
        // The states that a text so far may have led to.
        let mut states = 1u32;
        let advance = |states: u32, byte: u8| {
            (0..32u8).filter(|&state| states >> state & 1 != 0).fold(0, |all, state| match self.step(state, byte) {
                Some(next) => all | 1 << next,
                None => all,
            })
        };
        for part in &shape.parts {
            match part {
                ShapePart::Byte(byte) => states = advance(states, *byte),
                ShapePart::Any(set) => {
                    let after = |states: u32| set.list().fold(0, |all, byte| all | advance(states, byte));
                    let none = if set.end { states } else { 0 };
                    states = after(states);
                    loop {
                        let next = states | after(states);
                        if next == states {
                            break;
                        }
                        states = next;
                    }
                    states |= none;
                }
            }
            if states & (1 << DONE) != 0 {
                return true;
            }
            if states == 0 {
                return false;
            }
        }
        (0..32u8).any(|state| states >> state & 1 != 0 && self.ends(state))
    }
}

/// The text is of the kind, whatever follows.
const DONE: u8 = 31;

/// The text is of the kind, if it ends here.
const ENDED: u8 = 30;

/// Kinds of syntax.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds(u16);

impl Kinds {
    pub(super) fn add(&mut self, kind: Syntax) {
        self.0 |= kind.bit();
    }

    pub(super) fn join(&mut self, other: Kinds) {
        self.0 |= other.0;
    }

    pub(super) fn has(self, kind: Syntax) -> bool {
        self.0 & kind.bit() != 0
    }

    pub(super) fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A text that may look like syntax.
#[derive(Debug)]
pub(super) struct Suspect {
    pub(super) encoding: EncodingId,
    pub(super) case: usize,
    pub(super) kinds: Kinds,
    /// What prints.
    shape: Shape,
    /// The same for what people write.
    relaxed: Shape,
    /// What every text of it has, and its first line, if it has several.
    needs: Bytes,
    first_line: Option<Shape>,
}

/// All texts that may look like syntax.
#[derive(Debug, Default)]
pub(super) struct Suspects {
    pub(super) list: Vec<Suspect>,
    /// The kinds of all.
    pub(super) kinds: Kinds,
    /// There are encodings that may have no text at all: their lines have only what is wrong with them.
    pub(super) silent: bool,
}

impl Suspects {
    /// Whether every line of the disassembler reads as what it is, and as nothing else. Blanks around a text do not matter
    /// here.
    pub(super) fn is_safe(&self) -> bool {
        !self.silent && self.kinds.0 & !Syntax::Edge.bit() == 0
    }

    /// Whether texts may begin or end with blanks.
    pub(super) fn has_edges(&self) -> bool {
        self.kinds.has(Syntax::Edge)
    }

    /// Those of a plan, with these names of values.
    pub(super) fn of_plan(plan: &Plan<'_>, names: &Names) -> Suspects {
        Suspects::new(plan.isa(), names, &|encoding| plan.active(encoding))
    }

    /// Those of the active encodings, with these names of values.
    fn new(isa: &Isa, names: &Names, active: &dyn Fn(&Encoding) -> bool) -> Suspects {
        let sets = Sets::new(isa, names, active);
        let mut all = Suspects::default();
        for &id in &isa[isa.root()].encodings {
            let encoding = &isa[id];
            if !active(encoding) {
                continue;
            }
            all.silent |= !encoding.cases.iter().any(|c| c.template.is_some() && c.guard.is_none() && !c.alias);
            for case in printing(encoding) {
                let Some(template) = encoding.cases.get(case).and_then(|case| case.template) else { continue };
                let shape = sets.shape(encoding, &isa[template].parts);
                let can = shape.can();
                let mut kinds = Kinds::default();
                for kind in Syntax::ALL {
                    if kind.meets(&shape, &can) {
                        kinds.add(kind);
                    }
                }
                all.kinds.join(kinds);
                if !kinds.is_empty() {
                    let (needs, relaxed, first_line) = (shape.needs(), shape.relaxed(), shape.first_line());
                    all.list.push(Suspect { encoding: id, case, kinds, shape, relaxed, needs, first_line });
                }
            }
        }
        all
    }

    /// Whether a text that reads as `kinds` of syntax can be what someone wrote for an instruction.
    pub(super) fn may_be(&self, text: &[u8], kinds: Kinds) -> bool {
        let mut has = Bytes::default();
        text.iter().for_each(|&byte| has.add(byte));
        let seen = || text.iter().copied().filter(|byte| !byte.is_ascii_whitespace());
        let fits = |s: &&Suspect| s.kinds.meets(kinds) && has.covers(&s.needs) && s.relaxed.has(seen());
        self.list.iter().any(|suspect| fits(&suspect))
    }

    /// The encoding of which the disassembler may have printed exactly this text.
    pub(super) fn printed(&self, text: &[u8], kinds: Kinds) -> Option<EncodingId> {
        let fits = |s: &&Suspect| s.kinds.meets(kinds) && s.shape.has(text.iter().copied());
        self.list.iter().find(fits).map(|suspect| suspect.encoding)
    }

    /// The encoding of which this line may be the first of several lines.
    pub(super) fn first_of_several(&self, line: &[u8]) -> Option<EncodingId> {
        let fits = |s: &&Suspect| s.first_line.as_ref().is_some_and(|first| first.has(line.iter().copied()));
        self.list.iter().find(fits).map(|suspect| suspect.encoding)
    }
}

/// The cases of an encoding that print.
fn printing(encoding: &Encoding) -> impl Iterator<Item = usize> + '_ {
    let mut done = false;
    encoding.cases.iter().enumerate().filter_map(move |(i, case)| {
        let shown = case.template.is_some() && !done && !case.input_only;
        done |= case.template.is_some() && case.guard.is_none() && !case.alias;
        shown.then_some(i)
    })
}

/// A text of an instruction that may look like syntax of the assembler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// The encoding.
    pub encoding: EncodingId,
    /// The index of its case.
    pub case: usize,
    /// What the text may look like.
    pub syntax: Syntax,
}

/// The texts that may look like syntax of the assembler, in the order of the description; of one gen, if it is said. What is
/// not listed is proved: it reads as an instruction and as nothing else. Blanks around a text are no hazard.
#[must_use]
pub fn hazards(isa: &Isa, generation: Option<u32>) -> Vec<Hazard> {
    let names = Names::default();
    let active = |encoding: &Encoding| generation.is_none_or(|generation| encoding.gens.contains(generation));
    let suspects = Suspects::new(isa, &names, &active);
    let of = |s: &Suspect| {
        let (encoding, case, kinds) = (s.encoding, s.case, s.kinds);
        let kinds = Syntax::ALL.into_iter().filter(move |kind| *kind != Syntax::Edge && kinds.has(*kind));
        kinds.map(move |syntax| Hazard { encoding, case, syntax }).collect::<Vec<_>>()
    };
    suspects.list.iter().flat_map(of).collect()
}
