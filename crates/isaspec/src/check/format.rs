//! How instructions lie in memory: the root, the word, and with extensions parcels and lengths.

use isaglot_bits::{BitRange, Pattern};
use isaglot_model::{ByteOrder, Condition, LengthRule, OpcodeBits, WordFormat};
use isaglot_source::{Diagnostic, Diagnostics};

use super::Place;
use crate::gather::Tables;
use crate::limits::MAX_OPCODE_BITS;
use crate::load::Sources;
use crate::syntax::{Format, Int, OpcodeDecl, PieceDecl};

/// The name of the root that holds the instructions.
pub(crate) const INSTRUCTION: &str = "#instruction";

/// The unit in which the reference fetches words, in bits.
const REFERENCE_PARCEL: u32 = 32;

/// How instructions lie in memory.
#[derive(Debug)]
pub(crate) struct FormatInfo {
    /// For the model.
    pub(crate) word: WordFormat,
    /// The major opcodes, for the model.
    pub(crate) opcodes: Vec<OpcodeBits>,
    /// Values are cut to this many bits, see [`isaglot_model::Isa::value_bits`].
    pub(crate) value_bits: u32,
    /// The root of the instructions.
    pub(crate) root: Option<usize>,
}

/// Finds the format; problems are added to `out`.
pub(crate) fn check(
    sources: &Sources,
    tables: &Tables<'_>,
    places: &[Option<Place>],
    out: &mut Diagnostics,
) -> FormatInfo {
    let dialect = sources.order.last().and_then(|&top| sources.files.get(top)).is_some_and(|top| top.dialect);
    let root = root(sources, tables, out);
    let size_of = |id: usize| tables.sets.get(id).and_then(|set| set.decl.size);
    // The reference takes one stride for all: that of the widest root ever read.
    let widest = tables.sets.iter().filter_map(|s| s.decl.size).max_by_key(|s| s.value);
    let formats: Vec<&Format> = sources.files.iter().flat_map(|file| &file.formats).collect();
    if let [first, second, ..] = formats.as_slice() {
        let d = Diagnostic::error("isaspec-format", "more than one <format>")
            .label(second.span, "second")
            .secondary(first.span, "first");
        out.push(d);
    }
    let size = if dialect { root.and_then(size_of) } else { widest };
    let bits = |size: Option<Int>| size.and_then(|s| u32::try_from(s.value).ok()).unwrap_or(REFERENCE_PARCEL);
    let max_bits = bits(size);
    let word =
        WordFormat { parcel_bits: REFERENCE_PARCEL, max_bits, byte_order: ByteOrder::Little, lengths: Vec::new() };
    if !dialect {
        if let Some(size) = size.filter(|_| !max_bits.is_multiple_of(REFERENCE_PARCEL)) {
            let message = format!("instructions of {max_bits} bits: not a multiple of {REFERENCE_PARCEL}");
            let d = Diagnostic::error("isaspec-word-size", message).label(size.span, "the widest root decides");
            out.push(
                d.note("Isaglot's dialect (`dialect=\"isaglot\"` on the root element) has words of any whole bytes"),
            );
        }
        // A set of one 32-bit word keeps every value in such a word.
        let value_bits = if max_bits == REFERENCE_PARCEL { REFERENCE_PARCEL } else { 64 };
        return FormatInfo { word, opcodes: Vec::new(), value_bits, root };
    }
    let word = extended(word, size, formats.first().copied(), out);
    let one_length = formats.iter().all(|f| f.lengths.is_empty());
    for place in places.iter().flatten().filter(|p| one_length && Some(p.root()) == root) {
        if let Some(set) = place.levels.first().and_then(|l| tables.sets.get(*l))
            && let Some(width) = set.decl.width
        {
            let d = Diagnostic::error("isaspec-format", "a width of its own, but nothing tells lengths apart");
            out.push(d.label(width.span, "here").note("add <format> with a <length> for each size of an instruction"));
        }
    }
    let opcodes = opcodes(&word, formats.first().copied(), out);
    FormatInfo { word, opcodes, value_bits: 64, root }
}

/// Which bits are the major opcode, for each width of an instruction.
fn opcodes(word: &WordFormat, format: Option<&Format>, out: &mut Diagnostics) -> Vec<OpcodeBits> {
    let Some(format) = format else { return Vec::new() };
    let sizes = format.lengths.iter().filter_map(|l| Some((u32::try_from(l.size.value).ok()?, l.opcode.as_ref()?)));
    let whole = format.opcode.iter().map(|opcode| (word.max_bits, opcode));
    let mut list: Vec<OpcodeBits> = Vec::new();
    for (width, decl) in sizes.chain(whole) {
        match opcode(width, decl) {
            Ok(_) if list.iter().any(|known| known.width == width) => {
                let message = format!("the opcode of instructions of {width} bits is given twice");
                out.push(Diagnostic::error("isaspec-format", message).label(decl.span, "again"));
            }
            Ok(bits) => list.push(OpcodeBits { width, bits }),
            Err(message) => out.push(Diagnostic::error("isaspec-format", message).label(decl.span, "here")),
        }
    }
    list
}

fn opcode(width: u32, decl: &OpcodeDecl) -> Result<Vec<BitRange>, String> {
    let mut bits: Vec<BitRange> = Vec::new();
    for piece in &decl.pieces {
        let PieceDecl::Bits { low, high } = *piece else { return Err("an opcode has bits of the word".to_owned()) };
        let range = BitRange::new(low, high - low + 1);
        if high >= width {
            return Err(format!("instructions of {width} bits have no bit {high}"));
        }
        if bits.iter().any(|other| other.overlaps(range)) {
            return Err("a bit is there twice".to_owned());
        }
        bits.push(range);
    }
    let count: u32 = bits.iter().map(|range| range.width).sum();
    if count > MAX_OPCODE_BITS {
        return Err(format!("an opcode of {count} bits, at most {MAX_OPCODE_BITS} are told apart"));
    }
    Ok(bits)
}

fn root(sources: &Sources, tables: &Tables<'_>, out: &mut Diagnostics) -> Option<usize> {
    if let Some(&id) = tables.roots.get(INSTRUCTION) {
        return Some(id);
    }
    let width = |id: usize| tables.sets.get(id).and_then(|set| set.decl.size).map_or(0, |s| s.value);
    let mut best: Option<usize> = None;
    for (_, id) in &tables.roots.entries {
        if best.is_none_or(|b| width(*id) > width(b)) {
            best = Some(*id);
        }
    }
    match best.and_then(|id| tables.sets.get(id)) {
        Some(set) => {
            let message = format!("no root is called `{INSTRUCTION}`; `{}` is taken", set.decl.name.value);
            let d = Diagnostic::warning("isaspec-no-instruction-root", message).label(set.decl.name.span(), "taken");
            out.push(d.note("the C that the reference makes of such a description does not compile"));
        }
        None => {
            let d = Diagnostic::error("isaspec-no-root", "nothing to decode: there is no bitset with `size`");
            let top = sources.order.last().and_then(|&top| sources.files.get(top));
            out.push(top.iter().fold(d, |d, top| d.label(top.span, "in this description")));
        }
    }
    best
}

/// The format of a description in the dialect.
fn extended(mut word: WordFormat, size: Option<Int>, format: Option<&Format>, out: &mut Diagnostics) -> WordFormat {
    let parcel = format.and_then(|f| f.parcel);
    word.parcel_bits = match parcel {
        Some(parcel) => u32::try_from(parcel.value).unwrap_or(0),
        None => [32, 16, 8].into_iter().find(|p| word.max_bits.is_multiple_of(*p)).unwrap_or(8),
    };
    if word.parcel_bits == 0 || !word.parcel_bits.is_multiple_of(8) || !word.max_bits.is_multiple_of(word.parcel_bits) {
        let message = format!("words of {} bits in parcels of {}", word.max_bits, word.parcel_bits);
        let d = Diagnostic::error("isaspec-word-size", message)
            .note("a parcel is whole bytes, and the longest instruction whole parcels");
        let d = parcel.iter().fold(d, |d, parcel| d.label(parcel.span, "the parcel"));
        out.push(size.iter().fold(d, |d, size| d.label(size.span, "the longest instruction")));
        return word;
    }
    let Some(format) = format else { return word };
    if let Some(order) = &format.byte_order {
        match order.value.as_str() {
            "little" => {}
            "big" => word.byte_order = ByteOrder::Big,
            _ => {
                let d = Diagnostic::error("isaspec-format", format!("unknown byte order `{}`", order.value));
                out.push(d.label(order.span(), "expected `little` or `big`"));
            }
        }
    }
    for length in &format.lengths {
        let pattern = Pattern::parse(&length.digits.value).ok().filter(|p| p.width() == word.parcel_bits);
        let bits = u32::try_from(length.size.value).ok();
        let bits = bits.filter(|b| *b > 0 && *b <= word.max_bits && b.is_multiple_of(word.parcel_bits));
        if pattern.is_none() {
            let message = format!("a length rule needs {} digits 0, 1 or x: the first parcel", word.parcel_bits);
            out.push(Diagnostic::error("isaspec-format", message).label(length.digits.span(), "malformed"));
        }
        if bits.is_none() {
            let message = format!("a size of {} bits is not possible", length.size.value);
            let expected = format!("expected a multiple of {} up to {}", word.parcel_bits, word.max_bits);
            out.push(Diagnostic::error("isaspec-format", message).label(length.size.span, expected));
        }
        if let (Some(pattern), Some(bits)) = (pattern, bits) {
            word.lengths.push(LengthRule { pattern, bits, condition: Condition::Always, span: length.span });
        }
    }
    word
}
