//! Tables of texts and values: those of enums and register files, each made once for all programs of a plan.

use std::sync::Arc;

use isaglot_model::Isa;
use rustc_hash::FxHashMap;

use super::Compiler;
use crate::assemble::program::{ShortWords, TextTable};
use crate::assemble::quick;
use crate::trie::Trie;

/// Tables that the programs of a plan share.
pub(crate) type Tables = FxHashMap<TableOf, Arc<TextTable>>;

/// What a table was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TableOf {
    Enum(u32),
    Register(u32),
}

impl Compiler<'_, '_> {
    /// The table of an enum or a register file.
    pub(super) fn table(&mut self, of: TableOf) -> u32 {
        if let Some(&known) = self.tables.get(&of) {
            return known;
        }
        let isa = self.plan.isa();
        let table = self.shared.entry(of).or_insert_with(|| Arc::new(table(isa, of)));
        let number = self.program.tables.len() as u32;
        self.program.tables.push(Arc::clone(table));
        self.tables.insert(of, number);
        number
    }
}

/// Makes the table of an enum or a register file.
fn table(isa: &Isa, of: TableOf) -> TextTable {
    let mut table = TextTable {
        texts: Trie::default(),
        unmarked: Trie::default(),
        has_marks: false,
        spaced: Vec::new(),
        values: Vec::new(),
        shown: Vec::new(),
        number_bits: 64,
        words: false,
        numbers: false,
        short: ShortWords::default(),
    };
    let mut add = |value: u64, text: &str, prints: bool| {
        table.values.push((value, prints));
        table.shown.push(text.as_bytes().into());
    };
    match of {
        TableOf::Enum(id) => {
            let ty = isa.enums().get(id as usize);
            let values = ty.map_or(&[][..], |ty| &ty.values);
            let synonyms = ty.is_some_and(|ty| ty.synonyms);
            // Of values with one text, those with fewer ones are preferred: the matcher tries the last first.
            let mut order: Vec<usize> = (0..values.len()).rev().collect();
            order.sort_by_key(|&i| std::cmp::Reverse(values.get(i).map_or(0, |entry| entry.value.count_ones())));
            for i in order {
                let entry = &values[i];
                // Of entries with one value the first prints; the others can be read, if synonyms are allowed.
                if !values[..i].iter().any(|earlier| earlier.value == entry.value) {
                    add(entry.value, &entry.display, true);
                } else if synonyms {
                    add(entry.value, &entry.display, false);
                }
            }
        }
        TableOf::Register(id) => {
            if let Some(file) = isa.register_files().get(id as usize) {
                for (number, name) in (0u64..).zip(&file.names) {
                    if let Some(name) = name {
                        add(number, name, true);
                    }
                }
                for (alias, number) in &file.aliases {
                    add(u64::from(*number), alias, false);
                }
            }
        }
    }
    match of {
        TableOf::Enum(id) => {
            table.number_bits = 32;
            table.numbers = isa.enums().get(id as usize).is_some_and(|ty| ty.numbers);
        }
        TableOf::Register(_) => table.words = true,
    }
    table.texts = Trie::new(table.shown.iter().zip(0u32..).map(|(text, i)| (&**text, i)));
    let is_spaced = |text: &[u8]| text.first() == Some(&b',') || text.contains(&b' ');
    let spaced = table.shown.iter().zip(0u32..).filter_map(|(text, i)| is_spaced(text).then_some(i));
    table.spaced = spaced.collect();
    if let Some(mark) = isa.number_mark() {
        let without = |(text, i): (&[u8], u32)| {
            let rest: Vec<u8> = text.iter().copied().filter(|byte| *byte != mark).collect();
            (!rest.is_empty() && rest.len() < text.len()).then_some((rest, i))
        };
        let all: Vec<(Vec<u8>, u32)> = table.shown.iter().map(|text| &**text).zip(0u32..).filter_map(without).collect();
        table.unmarked = Trie::new(all.iter().map(|(text, i)| (&**text, *i)));
        table.has_marks = !all.is_empty();
    }
    let printing = table.shown.iter().zip(&table.values).filter(|(_, (_, prints))| *prints);
    let short: Vec<(u64, u64)> =
        printing.filter_map(|(text, &(value, _))| Some((quick::packed(text)?, value))).collect();
    table.short = ShortWords::new(&short);
    table
}
