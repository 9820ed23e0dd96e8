//! The text of an instruction, taken apart: what is copied, and the operands in it.
//!
//! Invariant: all parts are ranges of one text, so that taking an `AsmString` apart makes two lists and not one more for each part; there are
//! tens of thousands of such texts, with some ten parts each.

use std::borrow::Cow;

use isaglot_invariant::Impossible as _;

/// A part of an `AsmString`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AsmPart<'s> {
    Text(&'s str),
    Operand(&'s str),
}

/// An `AsmString`, taken apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asm {
    text: String,
    /// Where each part is in the text, and whether it is the name of an operand.
    parts: Vec<(usize, usize, bool)>,
}

impl Asm {
    /// Its parts in order.
    pub(crate) fn parts(&self) -> impl ExactSizeIterator<Item = AsmPart<'_>> {
        self.parts.iter().map(|&(from, to, operand)| {
            let text = self.text.get(from..to).or_impossible("");
            if operand { AsmPart::Operand(text) } else { AsmPart::Text(text) }
        })
    }

    /// The first part, if it is text.
    pub(crate) fn beginning(&self) -> Option<&str> {
        match self.parts().next()? {
            AsmPart::Text(text) => Some(text),
            AsmPart::Operand(_) => None,
        }
    }
}

/// Takes an `AsmString` apart, in its first variant. Runs of blanks become one space.
pub(crate) fn asm_parts(asm: &str) -> Asm {
    let mut all = asm_parts_with_methods(asm);
    for (from, to, _) in all.parts.iter_mut().filter(|(.., operand)| *operand) {
        let name = all.text.get(*from..*to).or_impossible("");
        *to = name.find(':').map_or(*to, |length| *from + length);
    }
    all
}

/// The same, where `${name:method}` says how the operand prints: so in the texts of operand tables.
pub(crate) fn asm_parts_with_methods(asm: &str) -> Asm {
    let asm = first_variant(asm);
    let (mut text, mut parts) = (String::with_capacity(asm.len()), Vec::new());
    // Where the part begins that is being read.
    let mut from = 0;
    let mut rest: &str = &asm;
    while let Some(c) = rest.chars().next() {
        // What is neither a blank nor a sign is copied at once.
        let plain = run(rest, |byte| byte.is_ascii_graphic() && byte != b'$');
        if plain > 0 {
            let (copied, after) = rest.split_at_checked(plain).or_impossible((rest, ""));
            text.push_str(copied);
            rest = after;
            continue;
        }
        let after = rest.get(c.len_utf8()..).or_impossible("");
        if c != '$' {
            if !c.is_whitespace() {
                text.push(c);
            } else if text.len() == from || !text.ends_with(' ') {
                text.push(' ');
            }
            rest = after;
            continue;
        }
        if let Some(more) = after.strip_prefix('$') {
            text.push('$');
            rest = more;
            continue;
        }
        let (name, more) = match after.strip_prefix('{') {
            Some(inner) => inner.split_once('}').unwrap_or((inner, "")),
            None => {
                let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
                let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
                // A dot at the end belongs to the text.
                let end = after.get(..end).map_or(0, |name| name.trim_end_matches('.').len());
                after.split_at(end)
            }
        };
        rest = more;
        if text.len() > from {
            parts.push((from, text.len(), false));
            from = text.len();
        }
        if !name.is_empty() && !name.starts_with(':') {
            text.push_str(name);
            parts.push((from, text.len(), true));
            from = text.len();
        }
    }
    let end = from + text.get(from..).or_impossible("").trim_end().len();
    if end > from {
        parts.push((from, end, false));
    }
    Asm { text, parts }
}

/// How many bytes at the beginning of a text are such ones.
fn run(text: &str, is: impl Fn(u8) -> bool) -> usize {
    let mut length = 0;
    for &byte in text.as_bytes() {
        if !is(byte) {
            break;
        }
        length += 1;
    }
    length
}

/// `{first|second}` as `first`; braces of `${name}` stay.
fn first_variant(asm: &str) -> Cow<'_, str> {
    let special = |byte: u8| matches!(byte, b'{' | b'}' | b'|' | b'\\');
    if !asm.bytes().any(|byte| byte == b'{' || byte == b'\\') {
        return Cow::Borrowed(asm);
    }
    let mut out = String::with_capacity(asm.len());
    let (mut depth, mut skipping) = (0, false);
    let mut before = b' ';
    let mut reference = false;
    let mut rest = asm;
    loop {
        // A sign is one byte, so a run of others ends between characters.
        let (plain, after) = rest.split_at_checked(run(rest, |byte| !special(byte))).or_impossible((rest, ""));
        if !skipping {
            out.push_str(plain);
        }
        before = plain.bytes().next_back().unwrap_or(before);
        let Some(&sign) = after.as_bytes().first() else { return Cow::Owned(out) };
        match sign {
            b'{' if before == b'$' => {
                reference = true;
                out.push('{');
            }
            b'}' if reference => {
                reference = false;
                out.push('}');
            }
            b'{' if before != b'\\' && depth == 0 => depth = 1,
            b'|' if depth == 1 => skipping = true,
            b'}' if depth == 1 => (depth, skipping) = (0, false),
            _ if skipping => {}
            b'\\' => {}
            sign => out.push(char::from(sign)),
        }
        before = sign;
        rest = after.get(1..).or_impossible("");
    }
}
