//! `<bitset>` and everything in it.

use isaglot_source::{Diagnostic, Span};
use roxmltree::Node;

use super::reader::{Reader, children, gen_limit};
use super::{extension, top};
use crate::limits;
use crate::syntax::{
    Bitset, CaseDecl, DerivedDecl, Encode, ExprRef, FieldDecl, GenLimit, Int, MapDecl, Override, ParamDecl,
    PatternDecl, PieceDecl,
};
use crate::text::Text;

/// Reads a bitset; one without a name is reported and left out.
pub(super) fn bitset(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<Bitset> {
    let errors = r.out.error_count();
    let span = r.span(node);
    let name = r.required(node, "name")?;
    let extends = r.attribute(node, "extends");
    let size_text = r.attribute(node, "size");
    if let (Some(size), Some(extends)) = (&size_text, &extends) {
        let message = format!("bitset `{}` has both `size` and `extends`", name.value);
        let d = Diagnostic::error("isaspec-size-and-extends", message)
            .label(size.span(), "makes it a root")
            .secondary(extends.span(), "makes it a part of another")
            .note("a root states its size, any other bitset has that of its root");
        let narrower = "to say that these instructions are shorter than the longest, use `width`";
        r.out.push(if r.dialect { d.note(narrower) } else { d });
    }
    if size_text.is_none() && extends.is_none() {
        let message = format!("bitset `{}` has neither `size` nor `extends`", name.value);
        r.error("isaspec-no-size", message, span, "a root needs `size`, any other bitset `extends`");
    }
    let size = size_text.as_ref().and_then(|text| size_of(r, text));
    let default = case(r, node);
    let mut overrides = Vec::new();
    for child in children(node, "override") {
        let condition = expr_ref(r, child, &name.value);
        let case = case(r, child);
        for pattern in children(child, "pattern") {
            r.warning(
                "isaspec-override-pattern",
                "a <pattern> inside an <override> has no effect",
                r.span(pattern),
                "ignored; to check bits when the override applies, write <assert>",
            );
        }
        overrides.push(Override { condition, case, alias: r.dialect && r.flag(child, "alias") });
    }
    let patterns = children(node, "pattern").filter_map(|child| digits(r, child)).collect();
    let gens = children(node, "gen").map(|child| gen_limits(r, child)).collect();
    let mut meta = Vec::new();
    for child in children(node, "meta") {
        for attribute in child.attributes() {
            // A later value of a name replaces an earlier one.
            meta.retain(|(name, _): &(String, String)| name != attribute.name());
            meta.push((attribute.name().to_owned(), attribute.value().to_owned()));
        }
    }
    // The reference looks at the first alone.
    let most = if r.dialect { usize::MAX } else { 1 };
    let encodes = children(node, "encode").take(most).map(|child| encode(r, child)).collect();
    let mut bitset = Bitset {
        name,
        display_name: r.attribute(node, "displayname"),
        size,
        extends,
        gens,
        patterns,
        overrides,
        default,
        meta,
        encodes,
        decode: children(node, "decode").next().is_some(),
        docs: children(node, "doc").map(|doc| r.text(doc).trimmed()).collect(),
        span,
        ..Bitset::default()
    };
    if r.dialect {
        extension::bitset(r, node, &mut bitset);
    }
    bitset.complete = r.out.error_count() == errors;
    Some(bitset)
}

fn size_of(r: &mut Reader<'_, '_>, text: &Text) -> Option<Int> {
    let size = r.number(text)?;
    if size.value < 1 || size.value > i64::from(limits::MAX_WORD_BITS) {
        let message = format!("a size of {} bits is not possible", size.value);
        r.error("isaspec-size", message, size.span, format!("expected 1 to {}", limits::MAX_WORD_BITS));
        return None;
    }
    Some(size)
}

/// Reads what a case defines: the children of a bitset outside its overrides, or those of an override.
fn case(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> CaseDecl {
    let mut case = CaseDecl { span: r.span(node), ..CaseDecl::default() };
    case.derived.extend(children(node, "derived").filter_map(|child| derived(r, child)));
    case.asserts.extend(children(node, "assert").filter_map(|child| assertion(r, child)));
    case.fields.extend(children(node, "field").filter_map(|child| field(r, child)));
    for child in children(node, "display") {
        if case.display.is_some() {
            let message = "a second <display> replaces the first";
            r.warning("isaspec-second-display", message, r.span(child), "this one is used");
        }
        case.display = Some(r.text(child).trimmed());
    }
    case
}

/// `expr="name"`, or exactly one `<expr>`.
fn expr_ref(r: &mut Reader<'_, '_>, node: Node<'_, '_>, owner: &str) -> Option<ExprRef> {
    if let Some(name) = r.attribute(node, "expr") {
        return Some(ExprRef::Name(name));
    }
    let inline: Vec<Node<'_, '_>> = children(node, "expr").collect();
    match inline.as_slice() {
        [one] => top::expression(r, *one).map(|e| ExprRef::Inline(Box::new(e))),
        [] => {
            let message = format!("<{}> of `{owner}` has no expression", node.tag_name().name());
            let expected = "expected the attribute `expr`, or one <expr>";
            r.error("isaspec-one-expr", message, r.span(node), expected);
            None
        }
        [first, second, ..] => {
            let message = format!("<{}> of `{owner}` has more than one expression", node.tag_name().name());
            let d = Diagnostic::error("isaspec-one-expr", message)
                .label(r.span(*second), "second")
                .secondary(r.span(*first), "first");
            r.out.push(d);
            None
        }
    }
}

/// The bits of an element: `pos`, or `low` and `high`.
pub(super) fn range(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<(u32, u32, Span)> {
    let pos = r.attribute(node, "pos");
    let (low, high) = (r.attribute(node, "low"), r.attribute(node, "high"));
    let (low, high) = match (pos, low, high) {
        (Some(pos), None, None) => (pos.clone(), pos),
        (None, Some(low), Some(high)) => (low, high),
        (Some(pos), low, high) => {
            let other = low.or(high)?;
            let d = Diagnostic::error("isaspec-range-twice", "both `pos` and `low`/`high` say which bits")
                .label(pos.span(), "one bit")
                .secondary(other.span(), "a range");
            r.out.push(d);
            return None;
        }
        (None, low, high) => {
            let message = format!("<{}> does not say which bits", node.tag_name().name());
            let missing = match (low, high) {
                (Some(_), None) => "`high` is missing",
                (None, Some(_)) => "`low` is missing",
                _ => "expected `pos`, or `low` and `high`",
            };
            let d = Diagnostic::error("isaspec-missing-attribute", message).label(r.span(node), missing);
            let d = match r.attribute(node, "bits") {
                Some(bits) if !r.dialect => d
                    .secondary(bits.span(), "an extension of Isaglot")
                    .note("extensions need `dialect=\"isaglot\"` on the file's root element"),
                _ => d,
            };
            r.out.push(d);
            return None;
        }
    };
    let (low_int, high_int) = (r.number(&low), r.number(&high));
    let (low_int, high_int) = (low_int?, high_int?);
    let most = i64::from(limits::MAX_WORD_BITS);
    for bit in [low_int, high_int] {
        if bit.value < 0 || bit.value >= most {
            let message = format!("there is no bit {}", bit.value);
            r.error("isaspec-bit-number", message, bit.span, format!("expected 0 to {}", most - 1));
            return None;
        }
    }
    if low_int.value > high_int.value {
        let message = format!("`low` is above `high`: {} > {}", low_int.value, high_int.value);
        let d = Diagnostic::error("isaspec-low-above-high", message)
            .label(low_int.span, "low")
            .secondary(high_int.span, "high");
        r.out.push(d);
        return None;
    }
    Some((low_int.value as u32, high_int.value as u32, low.span().to(high.span())))
}

/// Bits of known value: the digits must be as many as the bits.
pub(super) fn digits(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<PatternDecl> {
    let range = range(r, node);
    let text = r.required_text(node, "one digit a bit, most significant first");
    let ((low, high, range_span), digits) = (range?, text?);
    let (given, wanted) = (digits.value.chars().count(), (high - low + 1) as usize);
    if given != wanted {
        let message = format!("{given} digits for the {wanted} bits {low}..{high}");
        let d = Diagnostic::error("isaspec-pattern-length", message)
            .label(digits.span(), format!("{given} digits"))
            .secondary(range_span, format!("{wanted} bits"));
        r.out.push(d);
        return None;
    }
    for (at, c) in digits.value.char_indices() {
        if !matches!(c, '0' | '1' | 'x') {
            let message = format!("`{c}` is not a digit of a pattern");
            let here = digits.span_of(at..at + c.len_utf8());
            r.error("isaspec-pattern-digit", message, here, "expected 0, 1 or x");
            return None;
        }
    }
    Some(PatternDecl { low, digits, comment: r.comment(node), span: r.span(node) })
}

/// Reads a `<gen>`.
pub(super) fn gen_limits(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> GenLimit {
    GenLimit { min: gen_limit(r, node, "min"), max: gen_limit(r, node, "max") }
}

fn assertion(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<PatternDecl> {
    let assertion = digits(r, node)?;
    if let Some(at) = assertion.digits.value.find('x') {
        let here = assertion.digits.span_of(at..at + 1);
        r.error("isaspec-assert-dontcare", "an <assert> cannot leave a bit open", here, "expected 0 or 1");
        return None;
    }
    Some(assertion)
}

fn field(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<FieldDecl> {
    let name = r.required(node, "name");
    let ty = r.required(node, "type");
    let bits = if r.dialect { r.attribute(node, "bits") } else { None };
    let pieces = match bits {
        Some(bits) => extension::pieces(r, node, &bits).map(|pieces| (pieces, bits.span())),
        None => range(r, node).map(|(low, high, span)| (vec![PieceDecl::Bits { low, high }], span)),
    };
    let mut params = Vec::new();
    for child in children(node, "param") {
        if let Some(name) = r.required(child, "name") {
            let as_name = r.attribute(child, "as").unwrap_or_else(|| name.clone());
            params.push(ParamDecl { name, as_name });
        }
    }
    let role = extension::role(r, node);
    let (pieces, range_span) = pieces?;
    Some(FieldDecl {
        name: name?,
        pieces,
        range_span,
        ty: ty?,
        display: r.attribute(node, "display").map(|t| t.trimmed()),
        call: r.flag(node, "call"),
        params,
        doc: r.doc(node),
        role,
        span: r.span(node),
    })
}

fn derived(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<DerivedDecl> {
    let name = r.required(node, "name");
    let ty = r.required(node, "type");
    let expr = expr_ref(r, node, name.as_ref().map_or("", |n| &n.value));
    let width = r.int(node, "width");
    let most = isaglot_model::limits::MAX_EXPR_BITS;
    if let Some(width) = width.filter(|w| w.value < 1 || w.value > i64::from(most)) {
        let message = format!("a derived field of {} bits is not possible", width.value);
        r.error("isaspec-derived-width", message, width.span, format!("expected 1 to {most}"));
        return None;
    }
    let role = extension::role(r, node);
    Some(DerivedDecl {
        name: name?,
        ty: ty?,
        expr,
        width: width.map_or(1, |w| w.value as u32),
        width_span: width.map(|w| w.span),
        display: r.attribute(node, "display").map(|t| t.trimmed()),
        call: r.flag(node, "call"),
        doc: r.doc(node),
        role,
        span: r.span(node),
    })
}

fn encode(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Encode {
    let mut maps = Vec::new();
    for child in children(node, "map") {
        let name = r.required(child, "name");
        let text = r.required_text(child, "an expression of the encoding program");
        if let (Some(name), Some(text)) = (name, text) {
            let language = language(r, child);
            maps.push(MapDecl { name, text, force: r.flag(child, "force"), language, span: r.span(child) });
        }
    }
    Encode {
        language: language(r, node),
        ty: r.attribute(node, "type"),
        case_prefix: r.attribute(node, "case-prefix"),
        maps,
        span: r.span(node),
    }
}

/// The attribute `lang`: an extension.
fn language(r: &mut Reader<'_, '_>, node: Node<'_, '_>) -> Option<Text> {
    let language = r.attribute(node, "lang").filter(|_| r.dialect)?;
    if !matches!(language.value.as_str(), "c" | "rust") {
        let message = format!("no code is written in `{}`", language.value);
        r.error("isaspec-lang", message, language.span(), "expected c or rust");
        return None;
    }
    Some(language)
}
