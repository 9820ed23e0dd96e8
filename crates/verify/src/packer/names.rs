//! What the names in maps say: two maps that look exchanged, a part of an operand that is taken from another operand, numbers with a sign.
//!
//! Names prove nothing, so each rule asks for two signs: both maps would fit the other field better, or the field of the same
//! stem says otherwise.

use isaglot_model::{Encoding, Isa};
use isaglot_source::{Diagnostic, Severity};

use super::{Filled, one_line};

/// Adds what looks wrong about the maps of fields that are packed together; what is known is not said again.
pub(super) fn check(isa: &Isa, encoding: &Encoding, filled: &[Filled<'_>], out: &mut Vec<Diagnostic>) {
    let mut say = |d: Diagnostic| {
        if !out.iter().any(|o| o.code == d.code && o.span() == d.span()) {
            out.push(d);
        }
    };
    for (i, a) in filled.iter().enumerate() {
        let one = isa.text(a.name);
        for b in filled.iter().skip(i + 1).filter(|b| b.map.span != a.map.span) {
            let two = isa.text(b.name);
            if exchanged(one, &a.map.text, two, &b.map.text) {
                let d = Diagnostic::warning(
                    "verify-map-exchanged",
                    format!("the maps of `{one}` and `{two}` look exchanged"),
                );
                let d = d.label(b.map.span, format!("`{two}` from {}", one_line(&b.map.text)));
                let d = d.secondary(a.map.span, format!("`{one}` from {}", one_line(&a.map.text)));
                say(d.note(format!("packed together in `{}`", isa.text(encoding.name))));
            }
        }
        for b in filled.iter().skip(i + 1) {
            let two = isa.text(b.name);
            if out_of_order((one, &a.map.text), (two, &b.map.text)) {
                let message = format!("`{one}` and `{two}` are packed in another order than their names have");
                let d = Diagnostic::new(Severity::Note, "verify-map-order", message);
                let d = d.label(b.map.span, format!("`{two}` from {}", one_line(&b.map.text)));
                say(d.secondary(a.map.span, format!("`{one}` from {}", one_line(&a.map.text))));
            }
        }
        for part in
            filled.iter().filter(|part| isa.text(part.name).strip_prefix(one).is_some_and(|rest| rest.starts_with('_')))
        {
            let (own, whole) = (part.term.text.as_str(), a.term.text.trim_start_matches('&'));
            let wild = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "#");
            let is_member = |whole: &str, own: &str| ["->", "."].iter().any(|m| own.contains(&format!("{whole}{m}")));
            let has_number = whole.bytes().any(|b| b.is_ascii_digit());
            if has_number && is_member(&wild(whole), &wild(own)) && !is_member(whole, own) {
                let name = isa.text(part.name);
                let message = format!("`{name}` is not taken from where `{one}` is");
                let d =
                    Diagnostic::warning("verify-map-exchanged", message).label(part.map.span, one_line(&part.map.text));
                say(d.secondary(a.map.span, format!("`{one}` from {}", one_line(&a.map.text))));
            }
        }
    }
}

/// The words of a name: letters and digits apart, in lower case.
fn words(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in text.chars() {
        let kind = |c: char| {
            if c.is_ascii_digit() {
                '0'
            } else if c.is_ascii_alphabetic() {
                'a'
            } else {
                ' '
            }
        };
        if kind(c) != ' ' {
            match out.last_mut() {
                Some(word) if kind(last) == kind(c) => word.push(c.to_ascii_lowercase()),
                _ => out.push(c.to_ascii_lowercase().to_string()),
            }
        }
        last = c;
    }
    out
}

/// How many parts of a field's name occur in its map, or begin a name there: `PACK` in `packed`, `SRC1` in `src->src1`. What stands
/// for the data as a whole is no sign, nor are numbers that stand alone.
fn likeness(field: &str, map: &str) -> usize {
    let names = map.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|name| !super::ROOTS.contains(name));
    let names = names.filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    let known: Vec<String> = names.flat_map(|name| name.split('_').map(str::to_ascii_lowercase)).collect();
    let is_known = |part: &String| known.iter().any(|k| k == part || (part.len() > 2 && k.starts_with(part.as_str())));
    field.split('_').map(str::to_ascii_lowercase).filter(is_known).count()
}

/// Whether each of two maps is rather the other field's.
fn exchanged(one: &str, of_one: &str, two: &str, of_two: &str) -> bool {
    let own = (likeness(one, of_one), likeness(two, of_two));
    let cross = (likeness(one, of_two), likeness(two, of_one));
    cross.0 > own.0 && cross.1 >= own.1 && cross.1 > 0 || cross.1 > own.1 && cross.0 >= own.0 && cross.0 > 0
}

/// Whether two fields and two maps are each alike but for one number, and the numbers run in opposite orders.
fn out_of_order(one: (&str, &str), two: (&str, &str)) -> bool {
    let numbers = |a: &str, b: &str| {
        let (a, b) = (words(a), words(b));
        let mut differ = a.iter().zip(&b).filter(|(a, b)| a != b);
        let (first, more) = (differ.next(), differ.next());
        let (a, b) =
            first.filter(|_| more.is_none()).and_then(|(x, y)| Some((x.parse::<u32>().ok()?, y.parse().ok()?)))?;
        Some(a < b)
    };
    let alike = words(one.0).len() == words(two.0).len() && words(one.1).len() == words(two.1).len();
    let (names, maps) = (numbers(one.0, two.0), numbers(one.1, two.1));
    alike && names.zip(maps).is_some_and(|(names, maps)| names != maps)
}

/// Whether a function's name says that it gives unsigned numbers.
pub(super) fn is_unsigned(function: &str) -> bool {
    words(function).iter().any(|word| matches!(word.as_str(), "uim" | "uimm" | "uint" | "unsigned" | "zext"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_words() {
        assert_eq!(words("SRC1_R"), ["src", "1", "r"]);
        assert!(exchanged("SS", "!!(src->flags & X_JP)", "JP", "!!(src->flags & X_SS)"));
        assert!(exchanged("SRC1", "src->src2", "SRC2", "src->src1"));
        assert!(!exchanged("SRC1", "src->src1", "SRC2", "src->src2"));
        assert!(!exchanged("SRC", "src->srcs[0]", "DST", "src->dsts[0]"));
        assert!(is_unsigned("extract_reg_uim") && !is_unsigned("extract_reg_iim"));
    }
}
