//! Isaglot's extensions: read only in files whose root element says `dialect="isaglot"`. `docs/isaspec.md` explains
//! them.

use isaglot_source::Diagnostic;
use roxmltree::Node;

use super::bitset::range;
use super::expansion;
use super::features;
use super::reader::{Reader, children, is, required_int, words};
use super::semantics;
use crate::expr;
use crate::limits;
use crate::syntax::{
    Bitset, ExceptDecl, ExprDecl, FeatureDecl, File, FlowDecl, Format, GenLimit, GenNameDecl, LengthDecl, OpcodeDecl,
    OperandDecl, PieceDecl, RegisterDecl, RegisterRange, Registers, Role,
};
use crate::text::Text;

/// What `overlap` may say.
const OVERLAP: [&str; 2] = ["conflict", "most-specific"];

/// Reads the extensions' elements under the root element.
pub(super) fn top(r: &mut Reader<'_, '_>, root: Node<'_, '_>, file: &mut File) {
    for node in children(root, "format") {
        let mut lengths = Vec::new();
        for child in children(node, "length") {
            let size = required_int(r, child, "size");
            let digits = r.required_text(child, "digits 0, 1 and x for the first parcel");
            if let (Some(size), Some(digits)) = (size, digits) {
                lengths.push(LengthDecl { digits, size, opcode: opcode(r, child), span: r.span(child) });
            }
        }
        file.formats.push(Format {
            parcel: r.int(node, "parcel"),
            byte_order: r.attribute(node, "byte-order"),
            opcode: opcode(r, node),
            lengths,
            span: r.span(node),
        });
    }
    expansion::top(r, root, file);
    semantics::top(r, root, file);
    for node in children(root, "registers") {
        file.registers.extend(registers(r, node));
    }
    for node in children(root, "feature") {
        let implies = r.attribute(node, "implies").map(|t| words(&t)).unwrap_or_default();
        let excludes = r.attribute(node, "excludes").and_then(|t| features::read(r, &t));
        if let Some(name) = r.required(node, "name") {
            let (default, doc, span) = (r.flag(node, "default"), r.doc(node), r.span(node));
            file.features.push(FeatureDecl { name, implies, excludes, default, doc, span });
        }
    }
    for node in children(root, "gen-name") {
        if let (Some(name), Some(value)) = (r.required(node, "name"), required_int(r, node, "value")) {
            if u32::try_from(value.value).is_ok() {
                file.gen_names.push(GenNameDecl { name, value });
            } else {
                r.error("isaspec-gen-range", "a gen is a number of 32 bits", value.span, "out of range");
            }
        }
    }
}

/// Reads which bits are the major opcode.
fn opcode(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<OpcodeDecl> {
    let bits = r.attribute(node, "opcode")?;
    let pieces = pieces(r, node, &bits)?;
    Some(OpcodeDecl { pieces, span: bits.span() })
}

/// Reads a register file.
pub(crate) fn registers(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<Registers> {
    let (name, count) = (r.required(node, "name"), required_int(r, node, "count"));
    let (width, zero) = (semantics::width(r, node, "width"), r.int(node, "zero"));
    let mut list = Vec::new();
    for child in children(node, "register") {
        let Some(number) = required_int(r, child, "number") else { continue };
        let aliases = r.attribute(child, "alias").map(|t| words(&t)).unwrap_or_default();
        list.push(RegisterDecl { number, name: r.attribute(child, "name"), aliases });
    }
    let count = count?;
    let most = i64::from(isaglot_model::limits::MAX_REGISTERS);
    if count.value < 1 || count.value > most {
        r.error("isaspec-registers", "no such number of registers", count.span, format!("expected 1 to {most}"));
        return None;
    }
    let mut ranges = Vec::new();
    for child in node.children().filter(|c| is(*c, "same") || is(*c, "none")) {
        let (from, to) = (required_int(r, child, "from"), required_int(r, child, "to"));
        let registers = if is(child, "same") { Some(r.required(child, "registers")?) } else { None };
        ranges.push(RegisterRange { from: from?, to: to?, registers });
    }
    let bounds = ranges.iter().flat_map(|range| [range.from, range.to]);
    for number in list.iter().map(|register| register.number).chain(zero).chain(bounds) {
        if number.value < 0 || number.value >= count.value {
            let message = format!("there is no register {}", number.value);
            let d = Diagnostic::error("isaspec-registers", message)
                .label(number.span, format!("expected 0 to {}", count.value - 1))
                .secondary(count.span, "the count");
            r.out.push(d);
        }
    }
    Some(Registers {
        name: name?,
        width,
        count,
        prefix: r.attribute(node, "prefix"),
        zero,
        components: r.attribute(node, "components").map(|t| words(&t)).unwrap_or_default(),
        first: r.int(node, "first"),
        within: r.attribute(node, "within"),
        within_gens: GenLimit { min: r.int(node, "min-gen"), max: r.int(node, "max-gen") },
        ranges,
        registers: list,
        span: r.span(node),
    })
}

/// Reads the extensions of a bitset.
pub(super) fn bitset(r: &mut Reader<'_, '_>, node: Node<'_, '_>, bitset: &mut Bitset) {
    bitset.width = r.int(node, "width");
    if let Some(width) = bitset.width.filter(|w| w.value < 1 || w.value > i64::from(limits::MAX_WORD_BITS)) {
        r.error("isaspec-size", format!("a width of {} bits is not possible", width.value), width.span, "");
        bitset.width = None;
    }
    bitset.overlap = r.attribute(node, "overlap");
    if let Some(overlap) = bitset.overlap.as_ref().filter(|o| !OVERLAP.contains(&o.value.as_str())) {
        let message = format!("unknown rule `{}` for words that two leaves match", overlap.value);
        r.error("isaspec-overlap", message, overlap.span(), format!("expected {}", OVERLAP.join(" or ")));
    }
    bitset.features = r.attribute(node, "features").and_then(|t| features::read(r, &t));
    bitset.semantics = semantics::of_bitset(r, node);
    for child in children(node, "operand") {
        if let (Some(registers), Some(register)) = (r.required(child, "registers"), r.required(child, "register")) {
            let access = r.attribute(child, "access");
            let (when, mask) = (written(r, child, "when"), written(r, child, "mask"));
            bitset.operands.push(OperandDecl { registers, register, access, when, mask, span: r.span(child) });
        }
    }
    for child in children(node, "except") {
        bitset.excepts.extend(except(r, child));
    }
    for child in children(node, "flow") {
        let target = r.attribute(child, "target");
        if let Some(to) = r.required(child, "to") {
            bitset.flow = Some(FlowDecl { to, target, span: r.span(child) });
        }
    }
}

/// Reads bits that an instruction may not have.
fn except(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<ExceptDecl> {
    let pieces = match r.attribute(node, "bits") {
        Some(bits) => pieces(r, node, &bits)?,
        None => range(r, node).map(|(low, high, _)| vec![PieceDecl::Bits { low, high }])?,
    };
    let digits = r.required_text(node, "one digit a bit, most significant first")?;
    let wanted: u32 = pieces.iter().map(|p| p.width()).sum();
    let sound = digits.value.chars().count() == wanted as usize
        && digits.value.bytes().all(|b| matches!(b, b'0' | b'1' | b'x'))
        && pieces.iter().all(|p| matches!(p, PieceDecl::Bits { .. }));
    if !sound {
        let message = format!("<except> needs {wanted} digits 0, 1 or x for as many bits of the word");
        r.error("isaspec-except", message, digits.span(), "malformed");
        return None;
    }
    Some(ExceptDecl { pieces, digits, span: r.span(node) })
}

/// Reads what a field is to its instruction.
pub(super) fn role(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Role {
    if !r.dialect {
        return Role::default();
    }
    Role {
        role: r.attribute(node, "role"),
        access: r.attribute(node, "access"),
        registers: r.attribute(node, "registers"),
        count: r.int(node, "count"),
        unit: r.int(node, "unit"),
        keeps: written(r, node, "keeps"),
    }
}

/// An expression in an attribute.
fn written(r: &mut Reader<'_, '_>, node: Node<'_, '_>, name: &str) -> Option<ExprDecl> {
    let text = r.attribute(node, name)?;
    let parsed = expr::parse(&text, r.dialect, r.out);
    Some(ExprDecl { name: None, text, parsed, span: r.span(node) })
}

/// Reads `bits="31 7 30:25 11:8 0b0"`: bits, ranges with the high end first, and implied bits.
pub(super) fn pieces(r: &mut Reader<'_, '_>, node: Node<'_, '_>, bits: &Text) -> Option<Vec<PieceDecl>> {
    for name in ["low", "high", "pos"] {
        if let Some(other) = r.attribute(node, name) {
            let d = Diagnostic::error("isaspec-range-twice", format!("both `bits` and `{name}` say which bits"))
                .label(bits.span(), "here")
                .secondary(other.span(), "and here");
            r.out.push(d);
            return None;
        }
    }
    let mut pieces = Vec::new();
    let mut sound = true;
    for word in words(bits) {
        let piece = piece(&word.value);
        if piece.is_none() {
            let message = format!("`{}` names no bits", word.value);
            let expected = "expected a bit (`7`), a range (`30:25`), or implied bits (`0b00`)";
            r.error("isaspec-bits", message, word.span(), expected);
            sound = false;
        }
        pieces.extend(piece);
    }
    if !pieces.iter().any(|p| matches!(p, PieceDecl::Bits { .. })) && sound {
        r.error("isaspec-bits", "the field has no bits of the word", bits.span(), "expected at least one bit");
        sound = false;
    }
    let total: u64 = pieces.iter().map(|p| u64::from(p.width())).sum();
    if total > u64::from(limits::MAX_WORD_BITS) {
        let message = format!("a field of {total} bits");
        r.error("isaspec-bits", message, bits.span(), format!("expected at most {}", limits::MAX_WORD_BITS));
        sound = false;
    }
    sound.then_some(pieces)
}

pub(super) fn piece(word: &str) -> Option<PieceDecl> {
    if let Some(implied) = word.strip_prefix("0b") {
        let sound = (1..=64).contains(&implied.len()) && implied.bytes().all(|b| matches!(b, b'0' | b'1'));
        let value = if sound { u64::from_str_radix(implied, 2).ok()? } else { return None };
        return Some(PieceDecl::Implied { width: implied.len() as u32, value });
    }
    let bit = |digits: &str| {
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let bit = if plain { digits.parse::<u32>().ok()? } else { return None };
        (bit < limits::MAX_WORD_BITS).then_some(bit)
    };
    let (high, low) = match word.split_once(':') {
        Some((high, low)) => (bit(high)?, bit(low)?),
        None => (bit(word)?, bit(word)?),
    };
    (low <= high).then_some(PieceDecl::Bits { low, high })
}
