//! The first page: every instruction by mnemonic, with what it looks like.

use std::collections::BTreeMap;

use isaglot_model::EncodingId;

use crate::Site;
use crate::html::{Escaped, first_sentence};
use crate::instruction::gens;
use crate::syntax;
use crate::view::views;

/// Adds the page.
pub(crate) fn write(site: &mut Site<'_>) {
    let isa = site.isa;
    let all = &isa[isa.root()].encodings;
    let format = isa.format();
    let mut out = String::new();
    let widths = if format.lengths.is_empty() {
        format!("{} bits each", format.max_bits)
    } else {
        format!("of up to {} bits", format.max_bits)
    };
    out.push_str(&format!("<p>{} instructions, {widths}.</p>\n", all.len()));
    if !isa.gens().is_empty() {
        let names: Vec<String> = isa.gens().iter().map(|g| format!("{} ({})", Escaped(&g.name), g.value)).collect();
        out.push_str(&format!("<p>Gens: {}.</p>\n", names.join(", ")));
    }
    if !isa.features().is_empty() {
        out.push_str("<details><summary>Features</summary>\n<dl class=\"facts\">\n");
        for feature in isa.features() {
            let implied: Vec<&str> = feature.implies.iter().map(|&f| isa[f].name.as_str()).collect();
            let with = if implied.is_empty() { String::new() } else { format!(" Comes with {}.", implied.join(", ")) };
            out.push_str(&format!(
                "<dt>{}</dt><dd>{}{}</dd>\n",
                Escaped(&feature.name),
                Escaped(feature.doc.trim()),
                Escaped(&with)
            ));
        }
        out.push_str("</dl>\n</details>\n");
    }
    let mut groups: BTreeMap<char, Vec<EncodingId>> = BTreeMap::new();
    let mut sorted: Vec<EncodingId> = all.clone();
    sorted.sort_by_key(|&id| (isa[id].display_name.to_lowercase(), isa[id].gens.min, id));
    for id in sorted {
        let first = isa[id].display_name.chars().next().unwrap_or('?').to_ascii_lowercase();
        groups.entry(first).or_default().push(id);
    }
    out.push_str("<p class=\"letters\">\n");
    for (at, letter) in groups.keys().enumerate() {
        out.push_str(&format!("<a href=\"#letter-{at}\">{}</a>\n", Escaped(&letter.to_string())));
    }
    out.push_str("</p>\n");
    for (at, (letter, ids)) in groups.iter().enumerate() {
        out.push_str(&format!("<h2 id=\"letter-{at}\">{}</h2>\n", Escaped(&letter.to_string())));
        out.push_str("<div class=\"wide\"><table class=\"list\">\n<thead><tr><th scope=\"col\">Mnemonic</th>");
        out.push_str("<th scope=\"col\">Syntax</th><th scope=\"col\">Gens</th><th scope=\"col\">What it is</th></tr></thead>\n<tbody>\n");
        for &id in ids {
            let encoding = &isa[id];
            let views = views(isa, encoding);
            let text = views.first().map(|v| syntax::plain(isa, encoding, v)).unwrap_or_default();
            let name = isa.text(encoding.name);
            let shown = if encoding.display_name.is_empty() { name } else { &encoding.display_name };
            out.push_str(&format!(
                "<tr><th scope=\"row\"><a href=\"{}\" title=\"{}\">{}</a></th><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n",
                site.slugs.encoding(id),
                Escaped(name),
                Escaped(shown),
                Escaped(&text),
                gens(encoding.gens),
                Escaped(&first_sentence(&encoding.doc))
            ));
        }
        out.push_str("</tbody>\n</table></div>\n");
    }
    let name = crate::name(isa).to_owned();
    site.add("index.html", &name, &out);
}
