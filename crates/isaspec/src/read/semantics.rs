//! The extensions that give instructions a meaning: `<semantics>`, and what its texts may name.

use roxmltree::Node;

use super::reader::{Reader, children, gen_limit, required_int, words};
use crate::limits;
use crate::syntax::{ExternDecl, File, GenLimit, ParameterDecl, SemanticsDecl};
use crate::text::Text;

/// Reads parameters, externs and traps.
pub(super) fn top(r: &mut Reader<'_, '_>, root: Node<'_, '_>, file: &mut File) {
    for node in children(root, "parameter") {
        let mut values = Vec::new();
        for child in children(node, "value") {
            let gens = GenLimit { min: gen_limit(r, child, "min"), max: gen_limit(r, child, "max") };
            if let Some(number) = required_int(r, child, "is") {
                if u32::try_from(number.value).is_ok() {
                    values.push((gens, number));
                } else {
                    r.error("isaspec-parameter", "a parameter is a number of 32 bits", number.span, "out of range");
                }
            }
        }
        if let Some(name) = r.required(node, "name") {
            file.parameters.push(ParameterDecl { name, values, span: r.span(node) });
        }
    }
    for node in children(root, "extern") {
        let args = r.attribute(node, "args").map(|t| words(&t)).unwrap_or_default();
        let sound = args.iter().all(|arg| is_width(r, arg));
        let result = width(r, node, "result");
        if let Some(name) = r.required(node, "name").filter(|_| sound) {
            file.externs.push(ExternDecl { name, args, result, span: r.span(node) });
        }
    }
    for node in children(root, "trap") {
        file.traps.extend(r.required(node, "name"));
    }
}

/// Reads what a bitset says that its instructions do.
pub(super) fn of_bitset(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<SemanticsDecl> {
    let child = children(node, "semantics").next()?;
    // White space at the ends is kept, so that places are right.
    let text = r.text(child);
    let base = text.span_of(0..1);
    let tree = isaglot_semantics::parse(base.file, base.start as usize, &text.value, r.out);
    Some(SemanticsDecl { text, tree, span: r.span(child) })
}

/// A width: bits, or the name of a parameter.
pub(super) fn width(r: &mut Reader<'_, '_>, node: Node<'_, '_>, name: &str) -> Option<Text> {
    let text = r.attribute(node, name)?;
    is_width(r, &text).then_some(text)
}

fn is_width(r: &mut Reader<'_, '_>, text: &Text) -> bool {
    let digits = text.value.bytes().all(|b| b.is_ascii_digit());
    let sound = match text.value.parse::<u32>() {
        Ok(bits) => (1..=limits::MAX_WORD_BITS).contains(&bits),
        Err(_) => !digits,
    };
    if !sound {
        let message = format!("`{}` is not a width", text.value);
        let expected = format!("expected 1 to {}, or the name of a parameter", limits::MAX_WORD_BITS);
        r.error("isaspec-width", message, text.span(), expected);
    }
    sound
}
