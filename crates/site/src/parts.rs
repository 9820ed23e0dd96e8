//! Parts of instructions: the encodings among which a field is decided, one page per such space.

use crate::Site;
use crate::html::{Escaped, paragraphs};
use crate::instruction::{body, entry, title};

/// Adds the pages, and the list of them.
pub(crate) fn write(site: &mut Site<'_>) {
    let isa = site.isa;
    if isa.spaces().len() < 2 {
        return;
    }
    let mut list = String::from("<p>A field of one of these kinds is decided among encodings of its own.</p>\n<ul>\n");
    let spaces = || isa.spaces().iter().enumerate().map(|(at, s)| (isaglot_model::SpaceId(at as u32), s));
    for (id, space) in spaces().filter(|(id, _)| *id != isa.root()) {
        let name = isa.text(space.name).to_owned();
        let path = site.slugs.space(id).to_owned();
        list.push_str(&format!(
            "<li><a href=\"{path}\">{}</a>, {} bits, {} forms</li>\n",
            Escaped(&name),
            space.width,
            space.encodings.len()
        ));
        let mut out = format!("<p>{} bits.</p>\n", space.width);
        for &encoding in &space.encodings {
            let address = site.slugs.encoding(encoding).to_owned();
            let anchor = address.rsplit('#').next().unwrap_or("");
            let title = title(isa, encoding);
            out.push_str(&format!("<h2 id=\"{anchor}\">{}</h2>\n", Escaped(&title)));
            paragraphs(&isa[encoding].doc, &mut out);
            body(site, &isa[encoding], "h3", "../", &mut out);
            site.entries.push(entry(isa, &isa[encoding], title, address.clone()));
        }
        site.add(&path, &name, &out);
    }
    list.push_str("</ul>\n");
    site.add("parts.html", "Parts", &list);
}
