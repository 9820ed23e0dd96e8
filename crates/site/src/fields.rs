//! The table of a view's fields: where each lies, how it reads, and what the description says about it.

use isaglot_model::{Field, FieldSource, FieldType, Piece};

use crate::Site;
use crate::html::{Escaped, expression};
use crate::svg::COLOURS;
use crate::view::{View, range_text};

/// Appends the table; nothing if there are no fields. `up` leads to the top of the site.
pub(crate) fn table(site: &Site<'_>, view: &View<'_>, up: &str, out: &mut String) {
    if view.fields.is_empty() {
        return;
    }
    out.push_str("<div class=\"wide\"><table>\n<caption>Fields</caption>\n<thead><tr><th scope=\"col\">Field</th>");
    out.push_str("<th scope=\"col\">Bits</th><th scope=\"col\">Width</th><th scope=\"col\">Reads as</th>");
    let documented = view.fields.iter().any(|field| !field.doc.trim().is_empty());
    out.push_str(if documented { "<th scope=\"col\">Meaning</th></tr></thead>\n" } else { "</tr></thead>\n" });
    out.push_str("<tbody>\n");
    for (at, field) in view.fields.iter().enumerate() {
        let name = Escaped(site.isa.text(field.name));
        out.push_str(&format!(
            "<tr><th scope=\"row\"><span class=\"f f{}\" data-f=\"{name}\">{name}</span></th>",
            at % COLOURS
        ));
        out.push_str(&format!("<td>{}</td><td>{}</td>", source(site, field), field.width));
        out.push_str(&format!("<td class=\"nowrap\">{}</td>", reads_as(site, field, up)));
        let doc = Escaped(field.doc.trim());
        out.push_str(&if documented { format!("<td>{doc}</td></tr>\n") } else { "</tr>\n".to_owned() });
    }
    out.push_str("</tbody>\n</table></div>\n");
}

fn source(site: &Site<'_>, field: &Field) -> String {
    match &field.source {
        FieldSource::Derived(expr) => {
            format!("<code class=\"derived\">= {}</code>", expression(&site.isa[*expr].text))
        }
        FieldSource::Bits(pieces) => {
            let pieces = pieces.iter().map(|p| match p {
                Piece::Bits(range) => range_text(*range),
                Piece::Implied { width, value } => {
                    let digits: String =
                        (0..*width).rev().map(|b| if value >> b & 1 == 1 { '1' } else { '0' }).collect();
                    format!("<span class=\"implied\" title=\"implied, not in the word\">0b{digits}</span>")
                }
            });
            pieces.collect::<Vec<_>>().join(" ")
        }
    }
}

fn reads_as(site: &Site<'_>, field: &Field, up: &str) -> String {
    let link = |address: &str, name: &str| format!("<a href=\"{up}{address}\">{}</a>", Escaped(name));
    let shown = |text: &Option<String>, when: &str| match text {
        Some(text) => format!("<code>{}</code> {when}", Escaped(text)),
        None => "1 or 0".to_owned(),
    };
    match &field.ty {
        FieldType::Bool(text) => shown(text, "if set"),
        FieldType::BoolInv(text) => shown(text, "if clear"),
        FieldType::Int => "signed number".to_owned(),
        FieldType::Uint => "number".to_owned(),
        FieldType::Hex => "hexadecimal number".to_owned(),
        FieldType::Offset => "signed offset; nothing if 0".to_owned(),
        FieldType::Uoffset => "offset; nothing if 0".to_owned(),
        FieldType::Float => "floating-point number".to_owned(),
        FieldType::Branch { absolute, call, unit } => {
            let target = if *call { "function" } else { "target" };
            let unit = match unit {
                0 => "instructions".to_owned(),
                1 => "bytes".to_owned(),
                n => format!("units of {n} bytes"),
            };
            if *absolute { format!("address of a {target}, {unit}") } else { format!("distance to a {target}, {unit}") }
        }
        FieldType::Custom => "printed by the program that decodes".to_owned(),
        FieldType::Enum(id) => link(site.slugs.enumeration(*id), &site.isa[*id].name),
        FieldType::Register(id) => {
            let name = &site.isa[*id].name;
            format!("<a href=\"{up}registers.html#file-{}\">register {}</a>", id.index(), Escaped(name))
        }
        FieldType::Sub(id) => link(site.slugs.space(*id), site.isa.text(site.isa[*id].name)),
    }
}
