//! JSON out: the listing in its fixed layout.
//!
//! The layout is part of the format (tools compare listings as text): an element per line, an instruction's
//! destination and sources on lines of their own, `, ` between keys, nothing inside registers, regions and id lists.
//! Everything is appended to a byte buffer that the caller may drain between elements, so a listing of any length
//! needs little memory.

use crate::tree::{Elem, Inst, Label, ListOperand, Listing, Offset, Reg, Rgn, Surface};

/// The choices of layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Indent the sources of an instruction without destination whose first source is an address by 12 columns rather
    /// than 6, as `iga64` does for a store.
    pub wide_store_indent: bool,
}

/// The whole listing.
pub fn to_json(listing: &Listing<'_>, style: Style) -> Vec<u8> {
    let mut out = Vec::new();
    begin(&mut out, &listing.version, &listing.platform);
    for (i, elem) in listing.elems.iter().enumerate() {
        match elem {
            Elem::L(l) => label(&mut out, l, i == 0),
            Elem::I(inst) => instruction(&mut out, inst, i == 0, style),
        }
    }
    end(&mut out, listing.elems.is_empty());
    out
}

/// Everything before the first element.
pub fn begin(out: &mut Vec<u8>, version: &str, platform: &str) {
    out.extend_from_slice(b"{\n  \"version\":");
    string(out, version);
    out.extend_from_slice(b",\n  \"platform\":");
    string(out, platform);
    out.extend_from_slice(b",\n  \"elems\":[");
}

/// Everything after the last element; `empty` if there was none.
pub fn end(out: &mut Vec<u8>, empty: bool) {
    out.extend_from_slice(if empty { b"]\n}\n\n" } else { b"\n  ]\n}\n\n" });
}

fn separate(out: &mut Vec<u8>, first: bool) {
    out.extend_from_slice(if first { b"\n    " } else { b",\n    " });
}

/// A label.
pub fn label(out: &mut Vec<u8>, l: &Label<'_>, first: bool) {
    separate(out, first);
    out.extend_from_slice(b"{\"kind\":\"L\", \"id\":");
    number(out, l.id.into());
    if let Some(pc) = l.pc {
        key_number(out, ", \"pc\":", pc);
    }
    key_string(out, ", \"symbol\":", &l.symbol);
    ids(out, ", \"preds\":", &l.preds);
    ids(out, ", \"succs\":", &l.succs);
    if let Some(f) = &l.function {
        let keys = [("{\"used\":[", &f.used), (", \"defined\":[", &f.defined), (", \"preserved\":[", &f.preserved)];
        out.extend_from_slice(b", \"function\":");
        for (key, set) in keys {
            for (n, registers) in set.iter().enumerate() {
                key_string(out, if n == 0 { key } else { "," }, registers);
            }
            out.extend_from_slice(if set.is_empty() { key.as_bytes() } else { b"" });
            out.push(b']');
        }
        out.push(b'}');
    }
    out.push(b'}');
}

/// A piece of an instruction's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstPiece {
    /// From the predicate to the implicit dependencies.
    Head,
    /// The destination.
    Dst,
    /// A source, by number.
    Source(usize),
    /// Distance, token and options.
    Tail,
    /// Encoding and live bytes.
    Record,
    /// The comment.
    Comment,
}

/// The outline of an instruction: its number and offset, whether it has a destination, and how its sources are
/// indented.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    /// Number of the instruction.
    pub id: u32,
    /// Byte offset, if it is shown.
    pub pc: Option<u64>,
    /// Whether there is a destination.
    pub dst: bool,
    /// Whether sources are indented further, as `iga64` does for a store.
    pub wide: bool,
}

/// An instruction whose pieces `piece` adds; for [`InstPiece::Head`] it gives the number of sources. What it fails with
/// is passed on, and the text is then incomplete.
pub fn layout<E>(
    out: &mut Vec<u8>,
    outline: Outline,
    first: bool,
    piece: &mut impl FnMut(InstPiece, &mut Vec<u8>) -> Result<usize, E>,
) -> Result<(), E> {
    separate(out, first);
    out.extend_from_slice(b"{\"kind\":\"I\", \"id\":");
    number(out, outline.id.into());
    if let Some(pc) = outline.pc {
        key_number(out, ", \"pc\":", pc);
    }
    let sources = piece(InstPiece::Head, out)?;
    out.extend_from_slice(b",\n      ");
    if outline.dst {
        out.extend_from_slice(b"\"dst\":");
        piece(InstPiece::Dst, out)?;
        out.extend_from_slice(b",\n      ");
    } else if outline.wide {
        out.extend_from_slice(b"      ");
    }
    out.extend_from_slice(b"\"srcs\":[");
    for n in 0..sources {
        out.extend_from_slice(if n == 0 { b"\n        " } else { b",\n        " });
        piece(InstPiece::Source(n), out)?;
    }
    out.extend_from_slice(if sources == 0 { b"]" } else { b"\n      ]" });
    for rest in [InstPiece::Tail, InstPiece::Record, InstPiece::Comment] {
        piece(rest, out)?;
    }
    out.push(b'}');
    Ok(())
}

/// An instruction.
pub fn instruction(out: &mut Vec<u8>, i: &Inst<'_>, first: bool, style: Style) {
    let wide = style.wide_store_indent && matches!(i.srcs.first(), Some(ListOperand::AD(_)));
    let outline = Outline { id: i.id, pc: i.pc, dst: i.dst.is_some(), wide };
    let made = layout::<std::convert::Infallible>(out, outline, first, &mut |what, out| Ok(piece(out, i, what)));
    debug_assert!(made.is_ok());
}

/// A piece of an instruction; gives its number of sources.
pub fn piece(out: &mut Vec<u8>, i: &Inst<'_>, what: InstPiece) -> usize {
    match what {
        InstPiece::Head => head(out, i),
        InstPiece::Dst => {
            if let Some(dst) = &i.dst {
                operand(out, dst);
            }
        }
        InstPiece::Source(n) => {
            if let Some(src) = i.srcs.get(n) {
                operand(out, src);
            }
        }
        InstPiece::Tail => tail(out, i),
        InstPiece::Record => {
            key_opt(out, ", \"encoding\":", i.encoding.as_deref());
            if let Some(totals) = &i.live_totals {
                live_bytes(out, totals.0.iter().map(|(name, bytes)| (name.as_ref(), *bytes)));
            }
        }
        InstPiece::Comment => key_opt(out, ", \"comment\":", i.comment.as_deref()),
    }
    i.srcs.len()
}

fn head(out: &mut Vec<u8>, i: &Inst<'_>) {
    if let Some(p) = &i.pred {
        out.extend_from_slice(if p.inv { b", \"pred\":{\"inv\":true, \"func\":" } else { b", \"pred\":{\"func\":" });
        string(out, &p.func);
        ids(out, ", \"defs\":", &p.defs);
        out.push(b'}');
    }
    if i.wren {
        out.extend_from_slice(b", \"wren\":true");
    }
    key_string(out, ", \"op\":", &i.op);
    key_opt(out, ", \"subop\":", i.subop.as_deref());
    if let Some(es) = i.es {
        key_number(out, ", \"es\":", es.into());
    }
    if let Some(eo) = i.eo {
        key_number(out, ", \"eo\":", eo.into());
    }
    if let Some(fm) = &i.fm {
        key_string(out, ", \"fm\":{\"cond\":", &fm.cond);
        ids(out, ", \"uses\":", &fm.uses);
        out.push(b'}');
    }
    if let Some(freg) = &i.freg {
        out.extend_from_slice(b", \"freg\":");
        register(out, freg);
    }
    if let Some(im) = &i.implicit {
        implicit(out, &im.defs, &im.uses);
    }
}

/// Dependencies through registers that the instruction does not name: the last piece of a head.
pub fn implicit(out: &mut Vec<u8>, defs: &[u32], uses: &[u32]) {
    out.extend_from_slice(b", \"implicit\":{");
    ids(out, "\"defs\":", defs);
    ids(out, if defs.is_empty() { "\"uses\":" } else { ", \"uses\":" }, uses);
    out.push(b'}');
}

fn tail(out: &mut Vec<u8>, i: &Inst<'_>) {
    key_opt(out, ", \"regDist\":", i.reg_dist.as_deref());
    if let Some(sbid) = &i.sbid {
        key_number(out, ", \"sbid\":{\"id\":", sbid.id.into());
        key_string(out, ", \"func\":", &sbid.func);
        out.push(b'}');
    }
    for (n, opt) in i.opts.iter().enumerate() {
        out.extend_from_slice(if n == 0 { b", \"opts\":[" } else { b"," });
        string(out, opt);
    }
    if !i.opts.is_empty() {
        out.push(b']');
    }
}

/// Live bytes by the name of their register file.
pub fn live_bytes<'a>(out: &mut Vec<u8>, totals: impl Iterator<Item = (&'a str, u32)>) {
    out.extend_from_slice(b", \"liveTotals\":{");
    for (n, (name, bytes)) in totals.enumerate() {
        if n > 0 {
            out.push(b',');
        }
        string(out, name);
        out.push(b':');
        number(out, bytes.into());
    }
    out.push(b'}');
}

/// The same, each after a text that has all before its number; they begin with a brace.
pub fn live_bytes_after<'a>(out: &mut Vec<u8>, totals: impl Iterator<Item = (&'a str, u32)>) {
    out.extend_from_slice(b", \"liveTotals\":");
    for (before, bytes) in totals {
        out.extend_from_slice(before.as_bytes());
        number(out, bytes.into());
    }
    out.push(b'}');
}

/// An operand.
pub fn operand(out: &mut Vec<u8>, o: &ListOperand<'_>) {
    match o {
        ListOperand::LB(x) => key_string(out, "{\"kind\":\"LB\", \"target\":", &x.target),
        ListOperand::IM(x) => {
            key_string(out, "{\"kind\":\"IM\", \"value\":", &x.value);
            key_opt(out, ", \"type\":", x.ty.as_deref());
        }
        ListOperand::RD(x) => {
            out.extend_from_slice(b"{\"kind\":\"RD\"");
            key_opt(out, ", \"mods\":", x.mods.as_deref());
            key_register(out, ", \"reg\":", &x.reg);
            shape(out, x.sat, x.rgn.as_ref(), x.ty.as_deref());
            ids(out, ", \"defs\":", &x.defs);
            ids(out, ", \"uses\":", &x.uses);
        }
        ListOperand::RI(x) => {
            out.extend_from_slice(b"{\"kind\":\"RI\"");
            key_opt(out, ", \"mods\":", x.mods.as_deref());
            key_register(out, ", \"areg\":", &x.areg);
            out.extend_from_slice(b", \"aoff\":");
            signed(out, x.aoff);
            shape(out, x.sat, x.rgn.as_ref(), x.ty.as_deref());
            ids(out, ", \"defs\":", &x.defs);
            ids(out, ", \"uses\":", &x.uses);
        }
        ListOperand::RM(x) => {
            out.extend_from_slice(b"{\"kind\":\"RM\"");
            key_opt(out, ", \"mods\":", x.mods.as_deref());
            key_register(out, ", \"reg\":", &x.reg);
            key_string(out, ", \"mme\":", &x.mme);
            shape(out, x.sat, x.rgn.as_ref(), x.ty.as_deref());
            ids(out, ", \"defs\":", &x.defs);
            ids(out, ", \"uses\":", &x.uses);
        }
        ListOperand::DA(x) => {
            key_register(out, "{\"kind\":\"DA\", \"reg\":", &x.reg);
            if let Some(len) = x.len {
                out.extend_from_slice(b", \"len\":");
                signed(out, len.into());
            }
            ids(out, ", \"defs\":", &x.defs);
        }
        ListOperand::AD(x) => {
            key_register(out, "{\"kind\":\"AD\", \"areg\":", &x.areg);
            if let Some(alen) = x.alen {
                out.extend_from_slice(b", \"alen\":");
                signed(out, alen.into());
            }
            ids(out, ", \"adefs\":", &x.adefs);
            match x.aoff {
                Some(Offset::One(n)) => {
                    out.extend_from_slice(b", \"aoff\":");
                    signed(out, n);
                }
                Some(Offset::Two([a, b])) => {
                    out.extend_from_slice(b", \"aoff\":[");
                    signed(out, a);
                    out.push(b',');
                    signed(out, b);
                    out.push(b']');
                }
                None => {}
            }
            if let Some(scale) = x.ascale {
                out.extend_from_slice(b", \"ascale\":");
                signed(out, scale);
            }
            key_opt(out, ", \"stype\":", x.stype.as_deref());
            match &x.soff {
                Some(Surface::Index(n)) => key_number(out, ", \"soff\":", (*n).into()),
                Some(Surface::Reg(r)) => key_register(out, ", \"soff\":", r),
                None => {}
            }
            ids(out, ", \"sdefs\":", &x.sdefs);
            if let Some(r) = &x.sbase {
                key_register(out, ", \"sbase\":", r);
            }
            if let Some(r) = &x.sbase2 {
                key_register(out, ", \"sbase2\":", r);
            }
            ids(out, ", \"sdefs2\":", &x.sdefs2);
        }
    }
    out.push(b'}');
}

/// The keys that all register operands share after the register.
fn shape(out: &mut Vec<u8>, sat: bool, rgn: Option<&Rgn>, ty: Option<&str>) {
    if sat {
        out.extend_from_slice(b", \"sat\":true");
    }
    if let Some(rgn) = rgn {
        out.extend_from_slice(b", \"rgn\":{");
        if let Some(v) = rgn.v {
            key_number(out, "\"v\":", v.into());
            out.push(b',');
        }
        if let Some(w) = rgn.w {
            key_number(out, "\"w\":", w.into());
            out.push(b',');
        }
        key_number(out, "\"h\":", rgn.h.into());
        out.push(b'}');
    }
    key_opt(out, ", \"type\":", ty);
}

fn register(out: &mut Vec<u8>, r: &Reg<'_>) {
    key_string(out, "{\"rn\":", &r.rn);
    if r.r != 0 {
        key_number(out, ",\"r\":", r.r.into());
    }
    if r.sr != 0 {
        key_number(out, ",\"sr\":", r.sr.into());
    }
    out.push(b'}');
}

fn key_register(out: &mut Vec<u8>, key: &str, r: &Reg<'_>) {
    out.extend_from_slice(key.as_bytes());
    register(out, r);
}

fn key_string(out: &mut Vec<u8>, key: &str, text: &str) {
    out.extend_from_slice(key.as_bytes());
    string(out, text);
}

/// The encoding of an instruction: dwords from the highest to the lowest.
pub fn encoding(out: &mut Vec<u8>, dwords: impl Iterator<Item = u32>) {
    for (n, dword) in dwords.enumerate() {
        out.extend_from_slice(if n == 0 { b", \"encoding\":\"0x" } else { b"`0x" });
        for shift in (0..8).rev() {
            out.push(b"0123456789ABCDEF"[(dword >> (4 * shift) & 15) as usize]);
        }
    }
    out.push(b'"');
}

fn key_opt(out: &mut Vec<u8>, key: &str, text: Option<&str>) {
    if let Some(text) = text {
        key_string(out, key, text);
    }
}

fn key_number(out: &mut Vec<u8>, key: &str, n: u64) {
    out.extend_from_slice(key.as_bytes());
    number(out, n);
}

/// A list of ids; nothing at all when it is empty.
#[inline]
pub fn ids(out: &mut Vec<u8>, key: &str, list: &[u32]) {
    let Some((first, rest)) = list.split_first() else { return };
    out.extend_from_slice(key.as_bytes());
    out.push(b'[');
    number(out, u64::from(*first));
    for id in rest {
        out.push(b',');
        number(out, u64::from(*id));
    }
    out.push(b']');
}

/// Decimal digits, with a sign if negative.
#[inline]
pub fn signed(out: &mut Vec<u8>, n: i64) {
    if n < 0 {
        out.push(b'-');
    }
    number(out, n.unsigned_abs());
}

/// The digits of numbers below a hundred.
static PAIRS: [[u8; 2]; 100] = {
    let mut all = [[0; 2]; 100];
    let mut n = 0;
    while n < all.len() {
        all[n] = [b'0' + (n / 10) as u8, b'0' + (n % 10) as u8];
        n += 1;
    }
    all
};

/// Decimal digits without the formatting machinery: this is the hottest part of the writer.
#[inline]
fn number(out: &mut Vec<u8>, mut n: u64) {
    const LONGEST: usize = 20;
    // With room after the digits: a copy of fixed length is quicker than one of the right length.
    let mut digits = [0u8; 2 * LONGEST];
    let mut at = LONGEST;
    while n >= 100 {
        at -= 2;
        [digits[at], digits[at + 1]] = PAIRS[(n % 100) as usize];
        n /= 100;
    }
    at -= 2;
    [digits[at], digits[at + 1]] = PAIRS[n as usize];
    at += usize::from(n < 10);
    let end = out.len() + LONGEST - at;
    if let Some(digits) = digits[at..].first_chunk::<LONGEST>() {
        out.extend_from_slice(digits);
    }
    out.truncate(end);
}

fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    if text.bytes().all(|b| b >= 0x20 && b != b'"' && b != b'\\') {
        out.extend_from_slice(text.as_bytes());
    } else {
        for c in text.chars() {
            match c {
                '"' | '\\' => out.extend_from_slice(&[b'\\', c as u8]),
                '\n' => out.extend_from_slice(b"\\n"),
                '\t' => out.extend_from_slice(b"\\t"),
                c if c < ' ' => out.extend_from_slice(format!("\\u{:04x}", c as u32).as_bytes()),
                c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }
    out.push(b'"');
}
