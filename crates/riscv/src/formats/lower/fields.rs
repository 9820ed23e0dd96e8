//! Fields of an instruction: arguments and pieces of a format become fields of the description, with types and roles.

use isaglot_bits::Pattern;
use isaglot_isaspec::Text;
use isaglot_isaspec::syntax::{ExceptDecl, FieldDecl, Int, PatternDecl, PieceDecl, Role};
use isaglot_source::Span;

use super::operands::{FieldRule, Operands};
use crate::formats::{Encoding, Field};

/// A field with what the table of operands says of it.
pub(super) struct Operand<'a> {
    /// Its name in the description.
    pub(super) name: String,
    /// For each bit of its value, most significant first, the bit of the word; `None` is an implied zero.
    bits: Vec<Option<u32>>,
    /// The format says that it is signed.
    signed: bool,
    pub(super) rule: Option<&'a FieldRule>,
    span: Span,
}

/// The fields of an encoding, for one width of registers or for both: pieces of one value are one.
pub(super) fn operands<'a>(
    instruction: &str,
    encoding: &Encoding,
    table: &'a Operands,
    xlen: Option<i64>,
) -> Vec<Operand<'a>> {
    let mut list: Vec<Operand<'a>> = Vec::new();
    for field in &encoding.fields {
        let argument = table.argument(instruction, &field.name);
        let name = argument.map_or(&field.name, |a| &a.field);
        let at = list.iter().position(|o| o.name == *name).unwrap_or_else(|| {
            let (name, signed, span) = (name.clone(), field.signed, field.span);
            list.push(Operand { name, bits: Vec::new(), signed, rule: None, span });
            list.len() - 1
        });
        let Some(operand) = list.get_mut(at) else { continue };
        match argument.and_then(|a| a.places.as_ref()) {
            Some(places) => field.bits.iter().zip(places).for_each(|(bit, place)| operand.place(*place, *bit)),
            None => operand.bits.clone_from(&field.bits),
        }
    }
    for operand in &mut list {
        let rule = |width: usize| table.field(instruction, &operand.name, width as u32, xlen);
        // The table counts the bits of a value as the format gives them, zeros included, where that fits better.
        operand.rule = rule(operand.bits.iter().flatten().count()).or_else(|| rule(operand.bits.len()));
        operand.scale();
    }
    list
}

impl Operand<'_> {
    /// Puts a bit at a place of the value.
    fn place(&mut self, place: u32, bit: Option<u32>) {
        let needed = place as usize + 1;
        while self.bits.len() < needed {
            self.bits.insert(0, None);
        }
        let index = self.bits.len() - needed;
        if let Some(slot) = self.bits.get_mut(index) {
            *slot = bit;
        }
    }

    /// Takes zeros below away, or adds some.
    fn scale(&mut self) {
        let Some(rule) = self.rule else { return };
        for _ in 0..rule.drop {
            if self.bits.last() == Some(&None) {
                self.bits.pop();
            }
        }
        self.bits.extend((0..rule.append).map(|_| None));
    }

    /// As the syntax tree has it.
    pub(super) fn decl(&self, address: Option<&Memory>) -> FieldDecl {
        let text = |value: &str| Text::verbatim(value, self.span);
        let ty = match self.rule {
            Some(rule) => rule.ty.clone(),
            None => text(if self.signed { "int" } else { "uint" }),
        };
        let number = matches!(ty.value.as_str(), "int" | "uint" | "hex");
        let branch = ty.value == "branch";
        let mut role = Role { access: self.rule.and_then(|r| r.access.clone()), ..Role::default() };
        if let Some(memory) = address {
            role.role = Some(text("address"));
            role.access = Some(text(&memory.access));
            role.count = memory.bytes.map(|bytes| Int { value: bytes, span: self.span });
        } else if number {
            role.role = Some(text("immediate"));
        }
        if let Some(count) = self.rule.and_then(|r| r.registers) {
            role.count = Some(Int { value: i64::from(count), span: self.span });
        }
        if branch {
            role.unit = Some(Int { value: 1, span: self.span });
        }
        FieldDecl {
            name: text(&self.name),
            pieces: pieces(&self.bits),
            range_span: self.span,
            ty,
            display: None,
            call: false,
            params: Vec::new(),
            doc: None,
            role,
            span: self.span,
        }
    }
}

/// What an instruction does to the memory at an address.
pub(super) struct Memory {
    pub(super) access: String,
    pub(super) bytes: Option<i64>,
}

/// Runs of bits.
fn pieces(bits: &[Option<u32>]) -> Vec<PieceDecl> {
    let mut list: Vec<PieceDecl> = Vec::new();
    for bit in bits {
        match (list.last_mut(), bit) {
            (Some(PieceDecl::Bits { low, .. }), Some(bit)) if *low == bit + 1 => *low = *bit,
            (Some(PieceDecl::Implied { width, .. }), None) => *width += 1,
            (_, Some(bit)) => list.push(PieceDecl::Bits { low: *bit, high: *bit }),
            (_, None) => list.push(PieceDecl::Implied { width: 1, value: 0 }),
        }
    }
    list
}

/// The fixed bits, and bits that nothing explains, in runs: digits `0`, `1` and `x`.
pub(super) fn patterns(encoding: &Encoding, span: Span) -> Vec<PatternDecl> {
    let used = |bit: u32| encoding.fields.iter().any(|f| f.bits.contains(&Some(bit)));
    let digit = |bit: u32| match encoding.pattern.bit(bit) {
        Some(true) => Some('1'),
        Some(false) => Some('0'),
        None => (!used(bit)).then_some('x'),
    };
    let mut list = Vec::new();
    let mut run = String::new();
    for bit in (0..encoding.width).rev() {
        run.extend(digit(bit));
        if !run.is_empty() && (bit == 0 || digit(bit - 1).is_none()) {
            let digits = Text::verbatim(&run, span);
            list.push(PatternDecl { low: bit, digits, comment: None, span });
            run.clear();
        }
    }
    list
}

/// Words that are left out: values of fields, registers that do not begin a group, and patterns.
pub(super) fn excepts(encoding: &Encoding, operands: &[Operand<'_>], span: Span) -> Vec<ExceptDecl> {
    let mut list: Vec<ExceptDecl> = encoding.fields.iter().flat_map(of_field).collect();
    for (operand, rule) in operands.iter().filter_map(|o| Some((o, o.rule?))) {
        // No multiple of 4 has either of the two lowest bits.
        let low = operand.bits.iter().rev().take(rule.multiple.max(1).ilog2() as usize).flatten();
        for bit in low {
            let (pieces, digits) = (pieces(&[Some(*bit)]), Text::verbatim("1", operand.span));
            list.push(ExceptDecl { pieces, digits, span: operand.span });
        }
        list.extend(rule.not.iter().filter_map(|value| value_out(&operand.bits, *value, operand.span)));
    }
    list.extend(encoding.except.iter().filter_map(|p| of_pattern(p, &encoding.pattern, span)));
    list
}

fn of_field(field: &Field) -> Vec<ExceptDecl> {
    field.not.iter().filter_map(|value| value_out(&field.bits, *value, field.span)).collect()
}

/// A value that a field, its bits from the most significant on, cannot have; `None` if it has a bit where zeros are implied.
fn value_out(bits: &[Option<u32>], value: u64, span: Span) -> Option<ExceptDecl> {
    let value_of = |index: usize| {
        let place = bits.len() - 1 - index;
        u32::try_from(place).ok().and_then(|p| value.checked_shr(p)).is_some_and(|v| v & 1 == 1)
    };
    let all = || bits.iter().enumerate();
    if all().any(|(i, bit)| bit.is_none() && value_of(i)) {
        return None;
    }
    let there: Vec<Option<u32>> = bits.iter().filter(|b| b.is_some()).copied().collect();
    let digits: String = all().filter(|(_, b)| b.is_some()).map(|(i, _)| if value_of(i) { '1' } else { '0' }).collect();
    Some(ExceptDecl { pieces: pieces(&there), digits: Text::verbatim(&digits, span), span })
}

/// The bits in which a pattern says more than that of the instruction; `None` if it says the contrary somewhere.
fn of_pattern(except: &Pattern, of: &Pattern, span: Span) -> Option<ExceptDecl> {
    let (mut bits, mut digits) = (Vec::new(), String::new());
    for bit in (0..of.width()).rev() {
        match (except.bit(bit), of.bit(bit)) {
            (Some(a), Some(b)) if a != b => return None,
            (Some(a), None) => {
                bits.push(Some(bit));
                digits.push(if a { '1' } else { '0' });
            }
            _ => {}
        }
    }
    Some(ExceptDecl { pieces: pieces(&bits), digits: Text::verbatim(&digits, span), span })
}
