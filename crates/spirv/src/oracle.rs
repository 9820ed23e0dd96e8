//! One function for every kind of hostile input, for the fuzz targets and for the smoke tests of the ordinary run.

use isaglot_listing::read;
use isaglot_listing::write::{Style, to_json};
use isaglot_source::FileId;

use crate::grammar::Grammar;
use crate::module::{self, Module, Operand};
use crate::{asm, dis, exact, list};

/// Any bytes as text, in every mode; what assembles must disassemble and come back.
pub fn text(data: &[u8]) {
    for (preserve_numeric_ids, keep_going) in [(false, false), (true, true)] {
        let options = asm::Options { preserve_numeric_ids, keep_going, map: true, ..asm::Options::default() };
        let done = asm::assemble(data, &options);
        if done.failures.is_empty() {
            binary(&asm::to_bytes(&done.words));
        }
    }
}

/// Any bytes as a module, under every set of options; exact text must come back.
pub fn binary(data: &[u8]) {
    let Ok(words) = dis::read(data) else { return };
    for n in 0..8u32 {
        let on = |bit: u32| n >> bit & 1 == 1;
        let options = dis::Options {
            nested_indent: on(0),
            reorder_blocks: on(0),
            comment: on(1),
            meanings: on(1),
            offsets: on(1),
            keep_going: on(2),
            raw_id: n == 1,
            color: n == 3,
            unknown_opcodes: n == 5,
            wide_numbers: on(2),
            swap_imports: on(2),
            ..dis::Options::default()
        };
        let done = dis::disassemble(&words, &options);
        drop(asm::assemble_words(
            &done.text,
            &asm::Options { keep_going: true, documented: on(2), ..asm::Options::default() },
        ));
    }
    taken_apart(&words);
    let show = list::Show { defs: true, pc: true, bits: true };
    if let Ok((listing, _)) = list::list(&words, &dis::Options::default(), show) {
        let json = to_json(&listing, Style::default());
        assert!(read(FileId(0), &json).is_ok_and(|back| back == listing), "a listing did not come back");
        let mut streamed = Vec::new();
        let written = list::json_to(&words, &dis::Options::default(), show, &mut |bytes| {
            streamed.extend_from_slice(bytes);
            true
        });
        assert!(written.is_ok() && streamed == json, "a listing is written differently");
    }
    let magic = words.first().copied().unwrap_or(0);
    if magic == asm::MAGIC || magic == asm::MAGIC.swap_bytes() {
        let text = exact::disassemble(&words, &dis::Options::default()).text;
        let (bytes, _) = exact::assemble(&text, &asm::Options::default());
        assert!(bytes == *asm::to_bytes(&words), "exact text did not come back");
    }
}

/// A module taken apart has the problems that its text has, and its operands are those that the words say.
fn taken_apart(words: &[u32]) {
    let grammar = Grammar::builtin();
    let Ok(module) = Module::new(words, grammar) else { return };
    let printed = dis::disassemble(words, &dis::Options::default()).failures.into_iter().next();
    assert_eq!(printed, module::check(words, grammar).err(), "the text has another problem");
    assert_eq!(printed, module.instructions().find_map(Result::err), "taken apart, the module has another problem");
    for instruction in module.instructions().map_while(Result::ok) {
        let of_words = |operand: &Operand<'_>| match operand {
            Operand::Number { words, .. } => words.len(),
            Operand::String(bytes) => bytes.len() / 4 + 1,
            _ => 1,
        };
        let ids = usize::from(instruction.result.is_some()) + usize::from(instruction.result_type.is_some());
        let count = 1 + ids + instruction.operands.iter().map(of_words).sum::<usize>();
        assert_eq!(count, instruction.words.len(), "operands of {} are missing", instruction.name);
    }
}
