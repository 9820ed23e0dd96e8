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

mod encodings;
mod enums;
mod fields;
mod html;
mod instruction;
mod layout;
pub mod limits;
mod mnemonics;
mod opcode_map;
mod parts;
mod registers;
mod search;
mod slug;
mod svg;
mod syntax;
mod view;

use isaglot_model::{EncodingId, Isa};
use isaglot_source::SourceMap;

use crate::layout::{Frame, page};
use crate::search::Entry;
use crate::slug::Slugs;

/// A file of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path below the folder of the site, with `/`.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What every page is made from.
struct Site<'a> {
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
        let location = self.files.location(span);
        location.rsplit(['/', '\\']).next().unwrap_or(&location).to_owned()
    }
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
    let mut site =
        Site { isa, files, slugs: Slugs::new(isa), sections: Vec::new(), pages: Vec::new(), entries: Vec::new() };
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
    pages.push(asset("site.js", include_str!("assets/site.js")));
    pages.push(asset("search-index.js", &search::index(&site.entries)));
    pages
}
