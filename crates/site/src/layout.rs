//! The frame of every page. A page knows how deep it lies, so that all links are relative and work from a folder.

use crate::html::Escaped;

/// Where a page lies and what it is called.
pub(crate) struct Frame<'a> {
    /// The name of the description.
    pub(crate) isa: &'a str,
    /// What the page is about.
    pub(crate) title: &'a str,
    /// `""` at the top, `"../"` one folder below.
    pub(crate) up: &'a str,
    /// The pages that every page links to: address and title.
    pub(crate) sections: &'a [(String, String)],
}

/// A whole page around its content. The markup is XML as well as HTML, so that any tool can check it.
pub(crate) fn page(frame: &Frame<'_>, content: &str) -> Vec<u8> {
    let Frame { isa, title, up, sections } = frame;
    let mut out = String::with_capacity(content.len() + 2048);
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    let full = if title == isa { (*isa).to_owned() } else { format!("{title} · {isa}") };
    out.push_str(&format!("<title>{}</title>\n", Escaped(&full)));
    out.push_str(&format!("<link rel=\"icon\" href=\"{up}favicon.svg\" type=\"image/svg+xml\"/>\n"));
    out.push_str(&format!("<link rel=\"stylesheet\" href=\"{up}style.css\"/>\n"));
    out.push_str(&format!("<script src=\"{up}search-index.js\" defer=\"defer\"></script>\n"));
    out.push_str(&format!("<script src=\"{up}site.js\" defer=\"defer\"></script>\n</head>\n<body data-up=\"{up}\">\n"));
    out.push_str("<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header>\n");
    out.push_str(&format!(
        "<a class=\"home\" href=\"{up}index.html\">{}</a>\n<nav aria-label=\"Sections\">\n",
        Escaped(isa)
    ));
    for (address, name) in *sections {
        out.push_str(&format!("<a href=\"{up}{address}\">{}</a>\n", Escaped(name)));
    }
    out.push_str("</nav>\n<search>\n<label for=\"query\">Search</label>\n");
    out.push_str("<input id=\"query\" type=\"search\" autocomplete=\"off\" placeholder=\"mnemonic, field, text\" ");
    out.push_str(
        "aria-controls=\"found\"/>\n<ul id=\"found\" hidden=\"hidden\" aria-label=\"Found\"></ul>\n</search>\n",
    );
    out.push_str("</header>\n<main id=\"content\">\n");
    out.push_str(&format!("<h1>{}</h1>\n", Escaped(title)));
    out.push_str(content);
    out.push_str("</main>\n</body>\n</html>\n");
    out.into_bytes()
}
