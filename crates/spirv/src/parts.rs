//! What an instruction is made of: the names of the grammar that it uses.
//!
//! The problem: who compares this grammar with another one, or looks for the first tool that knows a module, needs the names that each instruction
//! depends on. The invariant: the names are those that the disassembler met.

use crate::dis::decode::{Decoder, Sink};
use crate::dis::{self, Options};
use crate::grammar::Grammar;
use crate::grammar::rows::{GroupRow, Str, ValueRow};
use crate::number::NumberType;
use crate::places::Places;

/// A name of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part<'g> {
    /// An instruction, also one within `OpSpecConstantOp`: its name with `Op`.
    Op(&'g str),
    /// An enumerant, or a bit of a mask: the name of its kind, and its own.
    Enumerant(&'g str, &'g str),
    /// An instruction of an extended set: the name of the set, or its beginning, and its own.
    Extended(&'g str, &'g str),
}

/// The names that each instruction of a module uses, in the order of the words; and what is wrong with the header, or with the first instruction
/// that cannot be decoded. The list ends with that one, and has those of its names that were met.
pub fn parts<'g>(words: &[u32], grammar: Grammar<'g>) -> (Vec<Vec<Part<'g>>>, Result<(), dis::Failure>) {
    let options = Options { grammar, ..Options::default() };
    let module = match dis::module(words, &options) {
        Ok(module) => module,
        Err(failure) => return (Vec::new(), Err(failure)),
    };
    let words = &*module.words;
    let places = Places::new(words, grammar);
    let mut decoder = Decoder::new(words, &places, grammar, module.raw_imports);
    let mut all = Vec::new();
    let mut at = dis::HEADER_WORDS;
    while let Some(&first) = words.get(at) {
        let mut taker = Taker { grammar, parts: Vec::new(), is_extended: false };
        taker.parts.extend(grammar.op(first as u16).map(|op| Part::Op(grammar.str(op.name))));
        let done = decoder.instruction(at, true, &mut taker);
        all.push(taker.parts);
        match done {
            Ok(next) => at = next,
            Err(bad) => {
                let failure = dis::Failure {
                    reason: bad.reason,
                    status: bad.status,
                    index: all.len(),
                    word: at,
                    message: bad.message.clone(),
                };
                return (all, Err(failure));
            }
        }
    }
    (all, Ok(()))
}

/// Takes names.
struct Taker<'g> {
    grammar: Grammar<'g>,
    parts: Vec<Part<'g>>,
    /// The name that comes next is told already.
    is_extended: bool,
}

impl Sink for Taker<'_> {
    fn id(&mut self, _: u8, _: u32) {}

    fn number(&mut self, _: &[u32], _: NumberType) {}

    fn string(&mut self, _: &[u32]) {}

    fn name(&mut self, _: Str) {}

    fn enumerant(&mut self, group: &GroupRow, row: &ValueRow) {
        self.parts.push(Part::Enumerant(self.grammar.str(group.name), self.grammar.str(row.name)));
    }

    fn mask(&mut self, group: &GroupRow, value: u32) {
        let bits = (0..32).map(|bit| 1 << bit).filter(|bit| value & bit != 0);
        let rows = bits.filter_map(|bit| self.grammar.member(group, bit));
        let kind = self.grammar.str(group.name);
        self.parts.extend(rows.map(|row| Part::Enumerant(kind, self.grammar.str(row.name))));
    }

    fn extended(&mut self, set: &GroupRow, name: Str) {
        self.parts.push(Part::Extended(self.grammar.str(set.name), self.grammar.str(name)));
        self.is_extended = true;
    }

    fn nested(&mut self, _: Option<Str>, number: u32) {
        let is_told = std::mem::take(&mut self.is_extended);
        let inner = u16::try_from(number).ok().and_then(|opcode| self.grammar.op(opcode)).filter(|_| !is_told);
        let is_special = matches!(self.parts.first(), Some(Part::Op("OpSpecConstantOp")));
        self.parts.extend(inner.filter(|_| is_special).map(|op| Part::Op(self.grammar.str(op.name))));
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, parts};
    use crate::asm;
    use crate::grammar::Grammar;

    #[test]
    fn names_of_instructions() {
        let text = b"%1 = OpExtInstImport \"GLSL.std.450\"\nOpDecorate %9 LinkageAttributes \"a\" Import\n\
            %2 = OpTypeInt 32 0\n%4 = OpLoad %2 %3 Volatile|Aligned 4\n%5 = OpExtInst %2 %1 Sin %4\n\
            %6 = OpSpecConstantOp %2 IAdd %4 %4\n";
        let mut words = asm::assemble_words(text, &asm::Options::default()).words;
        let (all, done) = parts(&words, Grammar::builtin());
        assert!(done.is_ok());
        assert_eq!(
            all,
            [
                vec![Part::Op("OpExtInstImport")],
                vec![
                    Part::Op("OpDecorate"),
                    Part::Enumerant("Decoration", "LinkageAttributes"),
                    Part::Enumerant("LinkageType", "Import")
                ],
                vec![Part::Op("OpTypeInt")],
                vec![
                    Part::Op("OpLoad"),
                    Part::Enumerant("MemoryAccess", "Volatile"),
                    Part::Enumerant("MemoryAccess", "Aligned")
                ],
                vec![Part::Op("OpExtInst"), Part::Extended("GLSL.std.450", "Sin")],
                vec![Part::Op("OpSpecConstantOp"), Part::Op("OpIAdd")],
            ]
        );
        words.push(3 << 16 | 71);
        let (all, done) = parts(&words, Grammar::builtin());
        assert_eq!(all.get(6), Some(&vec![Part::Op("OpDecorate")]));
        assert_eq!((all.len(), done.map_err(|f| f.index)), (7, Err(7)));
    }
}
