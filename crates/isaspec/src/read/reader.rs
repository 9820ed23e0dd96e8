//! Small steps that every element needs: attributes, numbers, texts, children, each with its place.

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Span};
use roxmltree::Node;

use crate::syntax::Int;
use crate::text::Text;

/// The file being read.
pub(crate) struct Reader<'a, 'd> {
    pub(crate) file: FileId,
    pub(crate) input: &'a str,
    pub(crate) out: &'d mut Diagnostics,
    /// The extensions are on.
    pub(crate) dialect: bool,
}

impl<'a> Reader<'a, '_> {
    /// The place of an element: its `<name`.
    pub(crate) fn span(&self, node: Node<'_, '_>) -> Span {
        let start = node.range().start;
        let rest = self.input.get(start + 1..).or_impossible("");
        let len = rest.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(rest.len());
        Span::new(self.file, start, start + 1 + len)
    }

    /// The text of an attribute, if the element has it.
    pub(crate) fn attribute(&self, node: Node<'_, '_>, name: &str) -> Option<Text> {
        let attribute = node.attributes().find(|a| a.namespace().is_none() && a.name() == name)?;
        let range = attribute.range_value();
        let span = Span::new(self.file, range.start, range.end);
        let raw = self.input.get(range.clone()).or_impossible("");
        if raw == attribute.value() {
            return Some(Text::verbatim(raw, span));
        }
        let decoded = Text::from_content(self.input, self.file, range);
        // Line ends in attribute values are blanks; then the places are those of the whole.
        let same = decoded.value == attribute.value();
        Some(if same { decoded } else { Text::verbatim(attribute.value(), span) })
    }

    /// The text of an attribute that must be there; its absence is reported.
    pub(crate) fn required(&mut self, node: Node<'_, '_>, name: &str) -> Option<Text> {
        let found = self.attribute(node, name);
        if found.is_none() {
            let message = format!("<{}> needs the attribute `{name}`", node.tag_name().name());
            self.error("isaspec-missing-attribute", message, self.span(node), "missing here");
        }
        found
    }

    /// An attribute that holds a whole number; malformed ones are reported.
    pub(crate) fn int(&mut self, node: Node<'_, '_>, name: &str) -> Option<Int> {
        let text = self.attribute(node, name)?;
        self.number(&text)
    }

    /// A whole number as the reference reads it: blanks around it, a sign, and underscores between digits are fine.
    pub(crate) fn number(&mut self, text: &Text) -> Option<Int> {
        let trimmed = text.value.trim();
        let digits = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
        let sound = !digits.is_empty()
            && digits.split('_').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
        let value = if sound { trimmed.replace('_', "").parse::<i64>().ok() } else { None };
        if value.is_none() {
            let message = format!("`{trimmed}` is not a decimal number");
            self.error("isaspec-bad-integer", message, text.span(), "expected digits 0 to 9");
        }
        Some(Int { value: value?, span: text.span() })
    }

    /// Whether an attribute says `true`.
    pub(crate) fn flag(&self, node: Node<'_, '_>, name: &str) -> bool {
        self.attribute(node, name).is_some_and(|t| t.value == "true")
    }

    /// The text of an element up to its first child element, comments left out.
    pub(crate) fn text(&self, node: Node<'_, '_>) -> Text {
        let whole = node.range();
        let start = match node.first_child() {
            Some(child) => child.range().start,
            None => return Text::verbatim("", self.span(node)),
        };
        let closing = self.input.get(start..whole.end).and_then(|t| t.rfind("</")).map_or(whole.end, |n| start + n);
        let end = node.first_element_child().map_or(closing, |child| child.range().start);
        Text::from_content(self.input, self.file, start..end)
    }

    /// The trimmed text of an element, which must not be missing; that is reported.
    pub(crate) fn required_text(&mut self, node: Node<'_, '_>, expected: &str) -> Option<Text> {
        let text = self.text(node);
        if text.value.is_empty() {
            let message = format!("<{}> is empty", node.tag_name().name());
            self.error("isaspec-empty-text", message, self.span(node), format!("expected {expected}"));
            return None;
        }
        Some(text.trimmed())
    }

    /// The texts of all `<doc>` children, as one.
    pub(crate) fn doc(&self, node: Node<'_, '_>) -> Option<Text> {
        children(node, "doc").map(|doc| self.text(doc).trimmed()).find(|text| !text.value.is_empty())
    }

    /// The XML comment that follows an element on its line.
    pub(crate) fn comment(&self, node: Node<'_, '_>) -> Option<String> {
        let line = self.input.get(node.range().end..)?.split('\n').next()?.trim();
        let comment = line.strip_prefix("<!--")?.split_once("-->")?.0.trim();
        (!comment.is_empty()).then(|| comment.to_owned())
    }

    /// Reports an error with one place.
    pub(crate) fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) {
        self.out.push(Diagnostic::error(code, message).label(span, label));
    }

    /// Reports a warning with one place.
    pub(crate) fn warning(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) {
        self.out.push(Diagnostic::warning(code, message).label(span, label));
    }
}

/// Whether a node is an element of that name, in no namespace.
pub(crate) fn is(node: Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name && node.tag_name().namespace().is_none()
}

/// The direct children of that name, in order.
pub(crate) fn children<'n, 'i>(node: Node<'n, 'i>, name: &'static str) -> impl Iterator<Item = Node<'n, 'i>> {
    node.children().filter(move |c| is(*c, name))
}

/// Reads one limit of a range of gens.
pub(super) fn gen_limit(r: &mut Reader<'_, '_>, node: Node<'_, '_>, name: &str) -> Option<Int> {
    let limit = r.int(node, name)?;
    if !(0..=i64::from(u32::MAX)).contains(&limit.value) {
        r.error("isaspec-gen-range", "a gen is a number of 32 bits", limit.span, format!("not in 0 to {}", u32::MAX));
        return None;
    }
    Some(limit)
}

/// The words of a text, each with its place.
pub(super) fn words(text: &Text) -> Vec<Text> {
    let mut list = Vec::new();
    let mut at = 0;
    for word in text.value.split_whitespace() {
        let start = text.value[at..].find(word).map_or(at, |n| at + n);
        at = start + word.len();
        list.push(text.slice(start..at));
    }
    list
}

/// The number of an attribute that must be there.
pub(super) fn required_int(r: &mut Reader<'_, '_>, node: Node<'_, '_>, name: &str) -> Option<Int> {
    let text = r.required(node, name)?;
    r.number(&text)
}
