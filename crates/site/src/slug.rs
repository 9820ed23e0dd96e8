//! Addresses of pages: stable, readable, the same on every file system.
//!
//! The name of a thing decides the address, so that links stay good when a description grows. File systems that do not
//! tell case apart get distinct names all the same; everything that is not a letter, a digit, `-`, `_` or `.` is spelled out.

use std::collections::BTreeMap;

use isaglot_invariant::Impossible as _;
use isaglot_model::{EncodingId, EnumId, Isa, SpaceId};

/// The addresses of everything that has a page or a place on one, relative to the top of the site.
pub(crate) struct Slugs {
    encodings: Vec<String>,
    spaces: Vec<String>,
    enums: Vec<String>,
}

impl Slugs {
    pub(crate) fn new(isa: &Isa) -> Slugs {
        let spaces = unique(isa.spaces().iter().map(|s| isa.text(s.name).to_owned()));
        let names = unique(isa.encodings().iter().map(|e| {
            let name = isa.text(e.name);
            // Variants of one name for other gens: the first gen tells them apart, in any order.
            let variants = isa[e.space].encodings.iter().filter(|&&o| isa[o].name == e.name).count();
            if variants > 1 && e.gens.min > 0 { format!("{name}-gen{}", e.gens.min) } else { name.to_owned() }
        }));
        let encodings = isa.encodings().iter().zip(names).map(|(e, name)| {
            if e.space == isa.root() {
                format!("instruction/{name}.html")
            } else {
                let space = spaces.get(e.space.index()).map(String::as_str).or_impossible("");
                format!("part/{space}.html#{name}")
            }
        });
        let enums = unique(isa.enums().iter().map(|e| e.name.clone()));
        Slugs {
            encodings: encodings.collect(),
            spaces: spaces.iter().map(|s| format!("part/{s}.html")).collect(),
            enums: enums.iter().map(|e| format!("enum/{e}.html")).collect(),
        }
    }

    /// The page of an instruction, or the place of a part of one.
    pub(crate) fn encoding(&self, id: EncodingId) -> &str {
        self.encodings.get(id.index()).map(String::as_str).or_impossible("")
    }

    /// The page of the encodings of a field's space.
    pub(crate) fn space(&self, id: SpaceId) -> &str {
        self.spaces.get(id.index()).map(String::as_str).or_impossible("")
    }

    /// The page of an enum.
    pub(crate) fn enumeration(&self, id: EnumId) -> &str {
        self.enums.get(id.index()).map(String::as_str).or_impossible("")
    }
}

/// Names that files can have; no two are the same, even without regard to case.
fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    let mut all = Vec::new();
    for name in names {
        let base = spelled(&name);
        let mut made = base.clone();
        while taken.contains_key(&made.to_lowercase()) {
            let next = taken.entry(base.to_lowercase()).or_insert(1);
            *next += 1;
            made = format!("{base}-{next}");
        }
        taken.insert(made.to_lowercase(), 1);
        all.push(made);
    }
    all
}

/// A name in characters that neither addresses nor file systems mind.
fn spelled(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => out.push(c),
            '.' if !out.is_empty() => out.push(c),
            '#' if out.is_empty() => {}
            c => out.push_str(&format!("~{:x}", c as u32)),
        }
    }
    // Some systems take these for devices, with any extension.
    let device = ["con", "aux", "nul", "prn"].contains(&out.to_lowercase().as_str());
    if out.is_empty() || device { format!("{out}_") } else { out }
}
