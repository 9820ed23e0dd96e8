//! A page per enum, and the list of them.

use crate::Site;
use crate::html::Escaped;
use crate::search::Entry;

/// Adds the pages.
pub(crate) fn write(site: &mut Site<'_>) {
    let isa = site.isa;
    if isa.enums().is_empty() {
        return;
    }
    let mut list = String::from("<ul>\n");
    for (at, e) in isa.enums().iter().enumerate() {
        let path = site.slugs.enumeration(isaglot_model::EnumId(at as u32)).to_owned();
        list.push_str(&format!("<li><a href=\"{path}\">{}</a>, {} values</li>\n", Escaped(&e.name), e.values.len()));
        let mut out = String::from("<div class=\"wide\"><table>\n<caption>Values</caption>\n<thead><tr>");
        out.push_str("<th scope=\"col\">Value</th><th scope=\"col\">Text</th><th scope=\"col\">Name</th></tr></thead>\n<tbody>\n");
        for value in &e.values {
            out.push_str(&format!(
                "<tr><th scope=\"row\">{}</th><td><code>{}</code></td><td>{}</td></tr>\n",
                value.value,
                Escaped(&value.display),
                Escaped(value.name.as_deref().unwrap_or(""))
            ));
        }
        out.push_str("</tbody>\n</table></div>\n");
        site.add(&path, &e.name, &out);
        let words = e.values.iter().map(|v| v.display.to_string()).collect();
        site.entries.push(Entry { title: e.name.clone(), path, words });
    }
    list.push_str("</ul>\n");
    site.add("enums.html", "Enums", &list);
}
