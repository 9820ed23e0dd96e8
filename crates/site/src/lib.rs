//! Pages about a description.
#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! The problem: a description is read by tools; people want to look at it. The method: everything is derived from the
//! model, so a page shows what the engines do. The site is a folder of files that ask for nothing from elsewhere: it works
//! from `file://`, in light and dark, by keyboard and screen reader.
//!
//! Invariants: every encoding has a page or a place on one, at an address made of its name; every link leads to a page and
//! a place that exist; the markup is XML as well as HTML; the same description gives the same bytes.

pub mod asm_docs;
pub mod data;
mod encodings;
mod enums;
pub mod explorer;
mod fields;
mod html;
mod instruction;
mod layout;
pub mod limits;
mod meaning;
mod mnemonics;
mod opcode_map;
mod parts;
mod registers;
mod search;
mod slug;
mod svg;
mod syntax;
mod view;

use std::collections::BTreeMap;

use isaglot_model::{EncodingId, Isa};
use isaglot_source::SourceMap;

use crate::layout::{Frame, page};
use crate::search::Entry;
use crate::slug::Slugs;

/// The picture in the tab of a browser.
const FAVICON: &str = include_str!("assets/favicon.svg");

/// A file of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path below the folder of the site, with `/`.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A word of an encoding with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The word in hexadecimal, with `0x`.
    pub word: String,
    /// Its text; empty if it has none.
    pub text: String,
}

/// What a site has beside its pages.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The explorer is in the folder ([`explorer`]): pages lead to it.
    pub explorer: bool,
    /// Words of an encoding that a page shows.
    pub examples: BTreeMap<EncodingId, Vec<Example>>,
}

/// What every page is made from.
struct Site<'a> {
    options: &'a Options,
    isa: &'a Isa,
    files: &'a SourceMap,
    slugs: Slugs,
    sections: Vec<(String, String)>,
    pages: Vec<File>,
    entries: Vec<Entry>,
}

impl Site<'_> {
    /// Adds a page.
    fn add(&mut self, path: &str, title: &str, content: &str) {
        let up = if path.contains('/') { "../" } else { "" };
        let name = name(self.isa);
        let frame = Frame { isa: name, title, up, sections: &self.sections };
        self.pages.push(File { path: path.to_owned(), bytes: page(&frame, content) });
    }

    /// Where something is defined, without the folders of the machine that made the site.
    fn place(&self, span: isaglot_source::Span) -> String {
        place(self.files, span)
    }
}

/// Where something is defined, without the folders of the machine that read it.
fn place(files: &SourceMap, span: isaglot_source::Span) -> String {
    let location = files.location(span);
    location.rsplit(['/', '\\']).next().unwrap_or(&location).to_owned()
}

/// The name of the description.
fn name(isa: &Isa) -> &str {
    if isa.name().is_empty() { "instruction set" } else { isa.name() }
}

/// The bit diagram of an encoding as a picture of its own: what it is where no condition holds.
#[must_use]
pub fn picture(isa: &Isa, encoding: EncodingId) -> String {
    let encoding = &isa[encoding];
    let mut out = String::new();
    if let Some(view) = view::views(isa, encoding).first() {
        svg::diagram(isa, encoding, view, isa.text(encoding.name), &mut out);
    }
    // The style stands in the first element; a page has it in a file.
    let style = format!("<style>\n{}</style>\n<title>", include_str!("assets/diagram.css"));
    out.replacen("<title>", &style, 1)
}

/// All files of the site of a description. `files` are those that it was read from.
#[must_use]
pub fn site(isa: &Isa, files: &SourceMap) -> Vec<File> {
    site_with(isa, files, &Options::default())
}

/// The same with what a site may have beside its pages. The files of the explorer are not among them ([`explorer::files`]).
#[must_use]
pub fn site_with(isa: &Isa, files: &SourceMap, options: &Options) -> Vec<File> {
    let slugs = Slugs::new(isa);
    let mut site = Site { options, isa, files, slugs, sections: Vec::new(), pages: Vec::new(), entries: Vec::new() };
    let mut section = |path: &str, title: &str| site.sections.push((path.to_owned(), title.to_owned()));
    section("index.html", "Instructions");
    section("encodings.html", "Encodings");
    section("map.html", "Opcode map");
    if isa.spaces().len() > 1 {
        section("parts.html", "Parts");
    }
    if !isa.enums().is_empty() {
        section("enums.html", "Enums");
    }
    if !isa.register_files().is_empty() {
        section("registers.html", "Registers");
    }
    if options.explorer {
        section(explorer::PAGE, "Explore");
    }
    mnemonics::write(&mut site);
    instruction::write(&mut site);
    encodings::write(&mut site);
    opcode_map::write(&mut site);
    parts::write(&mut site);
    enums::write(&mut site);
    registers::write(&mut site);
    let mut pages = site.pages;
    let asset = |path: &str, text: &str| File { path: path.to_owned(), bytes: text.as_bytes().to_vec() };
    pages.push(asset("style.css", concat!(include_str!("assets/diagram.css"), include_str!("assets/style.css"))));
    pages.push(asset("favicon.svg", FAVICON));
    pages.push(asset("site.js", include_str!("assets/site.js")));
    pages.push(asset("search-index.js", &search::index(&site.entries)));
    pages
}
