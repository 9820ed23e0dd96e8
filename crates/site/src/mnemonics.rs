//! The first page: every instruction by mnemonic, with what it looks like.

use std::collections::BTreeMap;

use isaglot_model::{Condition, EncodingId, GenRange, Isa};

use crate::Site;
use crate::html::{Escaped, first_sentence};
use crate::instruction::{condition as condition_text, gens};
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
    for id in sorted(isa) {
        let first = isa[id].display_name.chars().next().unwrap_or('?').to_ascii_lowercase();
        groups.entry(first).or_default().push(id);
    }
    // A long index is folded by letters, each with its mnemonics in sight.
    let folded = all.len() > MANY;
    for (at, (letter, ids)) in groups.iter().enumerate() {
        let heading = format!("<h2 id=\"letter-{at}\">{}</h2>", Escaped(&letter.to_string()));
        out.push_str(&format!("{heading}\n"));
        if folded {
            out.push_str(&format!("<p class=\"shown\">{}</p>\n", shown(site, ids)));
            out.push_str(&format!(
                "<details class=\"letter\"><summary>Syntax of {}</summary>\n",
                Escaped(&letter.to_string())
            ));
        }
        table(site, ids, &mut out);
        if folded {
            out.push_str("</details>\n");
        }
    }
    let name = crate::name(isa).to_owned();
    site.add("index.html", &name, &out);
}

/// Instructions that are shown at once; more are folded by letters.
const MANY: usize = 80;

/// Gens that have a column each.
const COLUMNS: usize = 10;

/// The instructions by mnemonic, then gen.
pub(crate) fn sorted(isa: &Isa) -> Vec<EncodingId> {
    let mut all: Vec<EncodingId> = isa[isa.root()].encodings.clone();
    all.sort_by_key(|&id| (isa[id].display_name.to_lowercase(), isa[id].gens.min, id));
    all
}

/// The mnemonics of some instructions as links, each once.
fn shown(site: &Site<'_>, ids: &[EncodingId]) -> String {
    let mut out = String::new();
    let mut last = "";
    for &id in ids {
        let encoding = &site.isa[id];
        let name = if encoding.display_name.is_empty() { site.isa.text(encoding.name) } else { &encoding.display_name };
        if name != last {
            out.push_str(&format!("<a href=\"{}\">{}</a> ", site.slugs.encoding(id), Escaped(name)));
            last = name;
        }
    }
    out
}

/// The table of some instructions: a column for each gen that has a name, and one for what they need.
fn table(site: &Site<'_>, ids: &[EncodingId], out: &mut String) {
    let isa = site.isa;
    let gens_apart = isa.gens().len() > 1 && isa.gens().len() <= COLUMNS;
    let one_range = isa[isa.root()].encodings.iter().all(|&id| isa[id].gens == GenRange::ALL);
    let needs = isa[isa.root()].encodings.iter().any(|&id| isa[id].condition != Condition::Always);
    let documented = ids.iter().any(|&id| !isa[id].doc.trim().is_empty());
    out.push_str("<div class=\"wide\"><table class=\"list\">\n<thead><tr><th scope=\"col\">Mnemonic</th><th scope=\"col\">Syntax</th>");
    let mut column = |title: &str| out.push_str(&format!("<th scope=\"col\">{}</th>", Escaped(title)));
    if gens_apart {
        isa.gens().iter().for_each(|g| column(&g.name));
    } else if !one_range {
        column("Gens");
    }
    if needs {
        column("Needs");
    }
    if documented {
        column("What it is");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for &id in ids {
        let encoding = &isa[id];
        let views = views(isa, encoding);
        let text = views.first().map(|v| syntax::inline(isa, encoding, v)).unwrap_or_default();
        let name = isa.text(encoding.name);
        let shown = if encoding.display_name.is_empty() { name } else { &encoding.display_name };
        out.push_str(&format!(
            "<tr><th scope=\"row\"><a href=\"{}\" title=\"{}\">{}</a></th><td><code>{text}</code></td>",
            site.slugs.encoding(id),
            Escaped(name),
            Escaped(shown),
        ));
        if gens_apart {
            for g in isa.gens() {
                let has = if encoding.gens.contains(g.value) { "yes" } else { "" };
                out.push_str(&format!("<td>{has}</td>"));
            }
        } else if !one_range {
            out.push_str(&format!("<td class=\"nowrap\">{}</td>", gens(isa, encoding.gens)));
        }
        if needs {
            let condition = match &encoding.condition {
                Condition::Always => String::new(),
                condition => Escaped(&condition_text(isa, condition)).to_string(),
            };
            out.push_str(&format!("<td>{condition}</td>"));
        }
        if documented {
            out.push_str(&format!("<td>{}</td>", Escaped(&first_sentence(&encoding.doc))));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
}
