//! The canonical text: what the disassembler would print for what was read.

use isaglot_bits::limbs::{self, sign_extend};
use isaglot_invariant::impossible;

use super::Machine;
use crate::assemble::input::Input;
use crate::assemble::number;
use crate::assemble::program::{Digits, FieldOp, FieldSyntax, Program};
use crate::value as print;

impl Machine {
    /// Appends a value to the canonical text.
    pub(super) fn show(&mut self, program: &Program, input: &Input<'_>, field: &FieldOp, value: u64) {
        let out = &mut self.canonical;
        match &field.syntax {
            FieldSyntax::Number(style) => {
                if style.prefix {
                    out.extend_from_slice(b"0x");
                }
                let width = field.width.min(64);
                match style.digits {
                    Digits::Unsigned => print::unsigned(value, out),
                    Digits::Signed => print::signed(sign_extend(value, width), out),
                    Digits::Hex => print::hex(value, out),
                    Digits::Offset if value != 0 => {
                        let value = sign_extend(value, width);
                        if value >= 0 {
                            out.push(b'+');
                        }
                        print::signed(value, out);
                    }
                    Digits::UnsignedOffset if value != 0 => {
                        out.push(b'+');
                        print::unsigned(value, out);
                    }
                    Digits::Offset | Digits::UnsignedOffset => {}
                }
            }
            FieldSyntax::Float => number::print_float(value, field.width, input.compat, out),
            FieldSyntax::Table(table) => {
                let Some(table) = program.tables.get(*table as usize) else { return impossible(()) };
                let entry = table.values.iter().position(|&(listed, prints)| prints && listed == value);
                match entry.and_then(|entry| table.shown.get(entry)) {
                    Some(text) => out.extend_from_slice(text),
                    None => print::unsigned(value & limbs::mask(table.number_bits), out),
                }
            }
            FieldSyntax::Custom(name) => {
                let name = input.isa.text(isaglot_model::Name(*name));
                input.names.print(name, value, out);
            }
            FieldSyntax::Constant(_) => {}
        }
    }
}
