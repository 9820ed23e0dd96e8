//! The text form of a view, with every field in the colour that it has in the diagram.

use isaglot_model::{Encoding, Isa, TemplatePart};

use crate::html::Escaped;
use crate::svg::COLOURS;
use crate::view::View;

/// The template as markup; nothing if the view has no text.
pub(crate) fn markup(isa: &Isa, encoding: &Encoding, view: &View<'_>, out: &mut String) {
    let Some(template) = view.template else { return };
    out.push_str("<p class=\"syntax\"><code>");
    for part in &template.parts {
        match part {
            TemplatePart::Literal(bytes) => {
                out.push_str(&format!("{}", Escaped(&String::from_utf8_lossy(bytes))));
            }
            TemplatePart::Mnemonic { .. } => out.push_str(&format!("<b>{}</b>", Escaped(&encoding.display_name))),
            TemplatePart::Align(_) => out.push(' '),
            TemplatePart::Field { name, .. } => {
                let text = isa.text(*name);
                let class = view.number(*name).map_or_else(String::new, |at| format!(" f{}", at % COLOURS));
                out.push_str(&format!("<var class=\"f{class}\" data-f=\"{0}\">{0}</var>", Escaped(text)));
            }
        }
    }
    out.push_str("</code></p>\n");
}

/// The template as markup without colours, for tables.
pub(crate) fn inline(isa: &Isa, encoding: &Encoding, view: &View<'_>) -> String {
    let Some(template) = view.template else { return Escaped(&encoding.display_name).to_string() };
    let mut out = String::new();
    for part in &template.parts {
        match part {
            TemplatePart::Literal(bytes) => out.push_str(&Escaped(&String::from_utf8_lossy(bytes)).to_string()),
            TemplatePart::Mnemonic { .. } => out.push_str(&Escaped(&encoding.display_name).to_string()),
            TemplatePart::Align(_) => out.push(' '),
            TemplatePart::Field { name, .. } => out.push_str(&format!("<var>{}</var>", Escaped(isa.text(*name)))),
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The template as plain text, fields in braces.
pub(crate) fn plain(isa: &Isa, encoding: &Encoding, view: &View<'_>) -> String {
    let Some(template) = view.template else { return encoding.display_name.to_string() };
    let mut out = String::new();
    for part in &template.parts {
        match part {
            TemplatePart::Literal(bytes) => out.push_str(&String::from_utf8_lossy(bytes)),
            TemplatePart::Mnemonic { .. } => out.push_str(&encoding.display_name),
            TemplatePart::Align(_) => out.push(' '),
            TemplatePart::Field { name, .. } => out.push_str(&format!("{{{}}}", isa.text(*name))),
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}
