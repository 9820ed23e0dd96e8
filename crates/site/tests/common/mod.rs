//! What every site must be: well-formed markup of known elements, no dead link, no link to elsewhere, no name given twice,
//! a page for every instruction, and diagrams that show every bit once.

use std::collections::{BTreeMap, BTreeSet};

use isaglot_model::Isa;
use isaglot_site::{File, Options, asm_docs, data, site};
use isaglot_source::SourceMap;
use roxmltree::{Document, Node, ParsingOptions};
use serde_json::Value;

const SVG: &str = "http://www.w3.org/2000/svg";

/// The elements that pages are made of.
const ELEMENTS: &[&str] = &[
    "a", "b", "body", "caption", "code", "dd", "details", "div", "dl", "dt", "h1", "h2", "h3", "head", "header",
    "html", "input", "label", "li", "link", "main", "meta", "nav", "p", "pre", "script", "search", "span", "summary",
    "table", "tbody", "td", "th", "thead", "title", "tr", "ul", "var", "desc", "g", "rect", "svg", "text",
];

/// What text may stand in; elsewhere only elements may.
const HOLDS_TEXT: &[&str] = &[
    "a", "b", "caption", "code", "dd", "dt", "h1", "h2", "h3", "label", "li", "p", "pre", "span", "summary", "td",
    "th", "title", "var", "desc", "text", "script",
];

/// Checks the site of a description; gives the number of pages.
pub(crate) fn check_site(isa: &Isa, files: &SourceMap) -> Result<usize, String> {
    let pages = site(isa, files);
    check_pages(isa, &pages)?;
    check_data(isa, &data::of(isa, files, &Options::default()), &pages)?;
    check_asm_docs(isa, &asm_docs::text(isa, "https://example.org/"), &pages)?;
    Ok(pages.len())
}

/// The data has every instruction, part, enum and register file, each with the address of a page that exists.
fn check_data(isa: &Isa, data: &Value, pages: &[File]) -> Result<(), String> {
    let wanted = [
        ("instructions", isa[isa.root()].encodings.len()),
        ("parts", isa.spaces().len() - 1),
        ("enums", isa.enums().len()),
        ("registers", isa.register_files().len()),
        ("gens", isa.gens().len()),
        ("features", isa.features().len()),
    ];
    for (key, count) in wanted {
        let rows = data[key].as_array().ok_or_else(|| format!("no {key}"))?;
        if rows.len() != count {
            return Err(format!("{} {key}, not {count}", rows.len()));
        }
    }
    let paths: BTreeSet<&str> = pages.iter().map(|page| page.path.as_str()).collect();
    let mut open = vec![data];
    while let Some(value) = open.pop() {
        if let Some(page) = value["page"].as_str()
            && !paths.contains(page.split('#').next().unwrap_or(page))
        {
            return Err(format!("the data names a page `{page}`"));
        }
        open.extend(
            value.as_array().into_iter().flatten().chain(value.as_object().into_iter().flat_map(|o| o.values())),
        );
    }
    for instruction in data["instructions"].as_array().into_iter().flatten() {
        if instruction["views"].as_array().is_none_or(Vec::is_empty) || instruction["mnemonic"] == "" {
            return Err(format!("nothing is said of {}", instruction["name"]));
        }
    }
    Ok(())
}

/// Each opcode once, each with markup that is well-formed and the address of a page that exists; together they have every instruction.
fn check_asm_docs(isa: &Isa, text: &str, pages: &[File]) -> Result<(), String> {
    let paths: BTreeSet<&str> = pages.iter().map(|page| page.path.as_str()).collect();
    let string = |line: &str, key: &str| {
        let value = line.trim().strip_prefix(key)?;
        serde_json::from_str::<String>(value.trim_end_matches([',', ':'])).ok()
    };
    let mut opcodes = BTreeSet::new();
    let (mut markups, mut addresses) = (0, 0);
    for line in text.lines() {
        if let Some(opcode) = string(line, "case ")
            && (opcode != opcode.to_uppercase() || !opcodes.insert(opcode.clone()))
        {
            return Err(format!("the opcode {opcode} twice, or not in upper case"));
        }
        if let Some(markup) = string(line, "html: ") {
            Document::parse(&markup).map_err(|e| format!("{markup}: {e}"))?;
            markups += 1;
        }
        if string(line, "tooltip: ").is_some_and(|tooltip| tooltip.is_empty()) {
            return Err("an opcode says nothing".to_owned());
        }
        if let Some(url) = string(line, "url: ") {
            let path = url.strip_prefix("https://example.org/").unwrap_or(&url);
            if !paths.contains(path) {
                return Err(format!("an opcode has the page `{url}`"));
            }
            addresses += 1;
        }
    }
    if opcodes.len() != markups || markups != addresses || (opcodes.is_empty() && !isa[isa.root()].encodings.is_empty())
    {
        return Err(format!("{} opcodes, {markups} markups, {addresses} addresses", opcodes.len()));
    }
    Ok(())
}

/// What a page has and refers to.
struct Page {
    ids: BTreeSet<String>,
    links: Vec<String>,
    title: String,
}

fn check_pages(isa: &Isa, all: &[File]) -> Result<(), String> {
    let mut pages: BTreeMap<&str, Page> = BTreeMap::new();
    for file in all {
        let text = std::str::from_utf8(&file.bytes).map_err(|e| format!("{}: {e}", file.path))?;
        let page = if file.path.ends_with(".html") {
            page(text).map_err(|e| format!("{}: {e}", file.path))?
        } else {
            Page { ids: BTreeSet::new(), links: Vec::new(), title: String::new() }
        };
        if pages.insert(&file.path, page).is_some() {
            return Err(format!("{} is written twice", file.path));
        }
    }
    let lower: BTreeSet<String> = pages.keys().map(|p| p.to_lowercase()).collect();
    if lower.len() != pages.len() {
        return Err("two pages differ in case only".to_owned());
    }
    for (path, page) in &pages {
        for link in &page.links {
            target(&pages, path, link).map_err(|e| format!("{path}: {e}"))?;
        }
    }
    // Every instruction has its page, under its name.
    for &id in &isa[isa.root()].encodings {
        let name = isa.text(isa[id].name);
        let has = |(path, page): (&&str, &Page)| path.starts_with("instruction/") && page.title.contains(name);
        if !pages.iter().any(has) {
            return Err(format!("no page for `{name}`"));
        }
    }
    let count = pages.keys().filter(|p| p.starts_with("instruction/")).count();
    let wanted = isa[isa.root()].encodings.len();
    if count == wanted { Ok(()) } else { Err(format!("{count} pages for {wanted} instructions")) }
}

fn page(text: &str) -> Result<Page, String> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|e| e.to_string())?;
    let mut page = Page { ids: BTreeSet::new(), links: Vec::new(), title: String::new() };
    for node in document.descendants() {
        if node.is_text() && !node.text().unwrap_or("").trim().is_empty() {
            let parent = node.parent_element().map_or("", |p| p.tag_name().name());
            if !HOLDS_TEXT.contains(&parent) {
                return Err(format!("text in <{parent}>: {:?}", node.text()));
            }
        }
        if !node.is_element() {
            continue;
        }
        let name = node.tag_name().name();
        if !ELEMENTS.contains(&name) {
            return Err(format!("unknown element <{name}>"));
        }
        if let Some(id) = node.attribute("id")
            && !page.ids.insert(id.to_owned())
        {
            return Err(format!("the id `{id}` twice"));
        }
        for key in ["href", "src"] {
            page.links.extend(node.attribute(key).map(str::to_owned));
        }
        if name == "h1" {
            page.title = node.text().unwrap_or("").to_owned();
        }
        if node.has_tag_name((SVG, "svg")) {
            diagram(node)?;
        }
        if name == "tr" && node.children().any(|c| c.is_element() && !["td", "th"].contains(&c.tag_name().name())) {
            return Err("a row holds something else than cells".to_owned());
        }
    }
    let tables = document.descendants().filter(|n| n.has_tag_name("table"));
    for table in tables {
        let cells = |row: Node<'_, '_>| row.children().filter(|c| c.is_element()).count();
        let counts: BTreeSet<usize> = table.descendants().filter(|n| n.has_tag_name("tr")).map(cells).collect();
        if counts.len() > 1 {
            return Err(format!("rows of different lengths: {counts:?}"));
        }
    }
    Ok(page)
}

/// The boxes of a diagram lie side by side without gap or overlap, and it says in words what it shows.
fn diagram(svg: Node<'_, '_>) -> Result<(), String> {
    let child = |name: &str| svg.children().find(|c| c.has_tag_name((SVG, name)));
    if child("title").is_none() || child("desc").is_none() {
        return Err("a diagram without title or description".to_owned());
    }
    let number = |node: Node<'_, '_>, key: &str| node.attribute(key).and_then(|v| v.parse::<u32>().ok()).unwrap_or(0);
    let mut rows: BTreeMap<u32, u32> = BTreeMap::new();
    for rect in svg.descendants().filter(|n| n.has_tag_name((SVG, "rect"))) {
        let end = rows.entry(number(rect, "y")).or_insert(1);
        if number(rect, "x") != *end {
            return Err(format!("a gap in a diagram at {}", number(rect, "x")));
        }
        *end += number(rect, "width");
    }
    let width = number(svg, "width");
    match rows.values().find(|&&end| end + 1 > width) {
        Some(end) => Err(format!("a row of {end} in a diagram of {width}")),
        None => Ok(()),
    }
}

/// A link of a page leads to a file of the site, and to a place on it.
fn target(pages: &BTreeMap<&str, Page>, from: &str, link: &str) -> Result<(), String> {
    if link.contains(':') || link.starts_with('/') {
        return Err(format!("`{link}` leads elsewhere"));
    }
    let (path, place) = link.split_once('#').unwrap_or((link, ""));
    let folder = from.rsplit_once('/').map_or("", |f| f.0);
    let path = match (path, path.strip_prefix("../")) {
        ("", _) => from.to_owned(),
        (_, Some(up)) if !folder.is_empty() => up.to_owned(),
        _ if folder.is_empty() => path.to_owned(),
        _ => format!("{folder}/{path}"),
    };
    let page = pages.get(path.as_str()).ok_or_else(|| format!("`{link}` leads nowhere"))?;
    if place.is_empty() || page.ids.contains(place) { Ok(()) } else { Err(format!("`{link}`: no such place")) }
}
