//! A codec as Rust: a crate, a module of files, or one file for a build script.
//!
//! It has no dependency, needs `core` alone, and forbids `unsafe`. The files of [`crate::runtime`] are copied word for
//! word; the tables of a blueprint ([`tables`]) and a typed face (`api.rs.in`) are put beside them.

pub mod tables;

use std::fmt::Write;

use isaglot_asm::{Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_invariant::Impossible as _;
use isaglot_model::ByteOrder;

use crate::blueprint::{Blueprint, Unsupported, limbs_for};
use crate::files::File;
use crate::stamp::Stamp;

/// The runtime: file names and texts.
const RUNTIME: &[(&str, &str)] = &[
    ("calc", include_str!("../runtime/calc.rs")),
    ("decode", include_str!("../runtime/decode.rs")),
    ("exact", include_str!("../runtime/exact.rs")),
    ("hooks", include_str!("../runtime/hooks.rs")),
    ("labels", include_str!("../runtime/labels.rs")),
    ("number", include_str!("../runtime/number.rs")),
    ("out", include_str!("../runtime/out.rs")),
    ("print", include_str!("../runtime/print.rs")),
    ("problem", include_str!("../runtime/problem.rs")),
    ("quick", include_str!("../runtime/quick.rs")),
    ("read", include_str!("../runtime/read.rs")),
    ("scope", include_str!("../runtime/scope.rs")),
    ("step", include_str!("../runtime/step.rs")),
    ("stream", include_str!("../runtime/stream.rs")),
    ("tables", include_str!("../runtime/tables.rs")),
    ("walk", include_str!("../runtime/walk.rs")),
];

/// The face of the runtime: what a program uses.
const API: &str = include_str!("api.rs.in");

/// Encodings whose texts the tests of a generated codec know.
const SAMPLES: usize = 12;

/// A codec of one plan, to be written as Rust.
///
/// ```no_run
/// # fn plan() -> isaglot_codec::Plan<'static> { unimplemented!() }
/// // In a build script; then `include!(concat!(env!("OUT_DIR"), "/minnow.rs"))`.
/// let plan = plan();
/// let out = std::path::PathBuf::from(std::env::var("OUT_DIR").unwrap());
/// std::fs::write(out.join("minnow.rs"), isaglot_emit::Rust::new(&plan).unwrap().named("minnow").source()).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Rust<'a> {
    blueprint: Blueprint<'a>,
    stamp: Stamp,
    name: String,
    /// Words in limbs, with their widths and texts.
    samples: Vec<(Vec<u64>, u32, String)>,
    straight: bool,
}

impl<'a> Rust<'a> {
    /// A codec for a plan, called after the description.
    ///
    /// # Errors
    /// What of the description generated code cannot do.
    pub fn new(plan: &Plan<'a>) -> Result<Self, Unsupported> {
        let blueprint = Blueprint::new(plan, limbs_for(plan.isa()))?;
        Ok(Self::from_blueprint(blueprint, plan))
    }

    /// The same from a blueprint that is there already, of this plan.
    #[must_use]
    pub fn from_blueprint(blueprint: Blueprint<'a>, plan: &Plan<'_>) -> Self {
        let name = crate::names::suggested(plan.isa().name());
        Rust { samples: samples(plan), blueprint, stamp: Stamp::new(plan, 0, ""), name, straight: true }
    }

    /// The same under another name: that of the crate or module. See [`crate::names::rust_name`] for what is legal.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// The same with quick programs as straight code, as by default, or as tables: less source, slower.
    #[must_use]
    pub fn straight(mut self, straight: bool) -> Self {
        self.straight = straight;
        self
    }

    /// The same with another stamp, that knows the hash of the description and the command, say.
    #[must_use]
    pub fn stamped(mut self, stamp: Stamp) -> Self {
        self.stamp = stamp;
        self
    }

    /// What every form begins with; `example` is how a program names the codec.
    fn head(&self, example: &str) -> String {
        let text = include_str!("head.txt").replace("@LINE@", &self.stamp.line());
        let (literal, sample) = self.sample();
        text.replace("@NAME@", example)
            .replace("@WORD@", &literal)
            .replace("@TEXT@", &sample.escape_default().to_string())
    }

    /// An instruction word for examples, and its text.
    fn sample(&self) -> (String, String) {
        let sample = self.samples.first();
        sample.map_or_else(|| ("0".to_owned(), String::new()), |(limbs, _, text)| (self.word(limbs), text.clone()))
    }

    /// A word as a literal of the generated `Word`.
    fn word(&self, limbs: &[u64]) -> String {
        match limbs {
            [low] => format!("0x{low:x}"),
            [low, high] => format!("0x{:x}", u128::from(*high) << 64 | u128::from(*low)),
            more => format!("{more:#x?}").replace(['\n', ' '], "").replace(",]", "]").replace(',', ", "),
        }
    }

    /// The runtime's tables with the constants of this description.
    fn runtime(&self, name: &str, text: &str) -> String {
        if name == "quick" && self.straight {
            return include_str!("straight.txt").to_owned();
        }
        if name != "tables" {
            return text.to_owned();
        }
        let b = &self.blueprint;
        let set = |text: String, name: &str, value: usize| -> String {
            let start = format!("pub const {name}: usize = ");
            match text.split_once(&start) {
                Some((before, after)) => {
                    let rest = after.split_once(';').or_impossible_default().1;
                    format!("{before}{start}{value};{rest}")
                }
                None => isaglot_invariant::impossible(text),
            }
        };
        let own = "    let _ = given;\n    &super::super::description::ISA\n}";
        let text = text.replace("    given\n}", own);
        let text = set(text, "LIMBS", b.limb_count);
        let text = set(text, "MEMO", b.memo.max(1));
        set(text, "NODES", b.nodes.max(1))
    }

    /// The module that holds the runtime.
    fn runtime_mod() -> String {
        let mut out = String::from("//! The part that is the same for every description: it runs the tables.\n\n");
        for (name, _) in RUNTIME {
            let _ = writeln!(out, "pub mod {name};");
        }
        out
    }

    /// Tests of the generated code itself.
    fn tests(&self) -> String {
        let mut out = String::from(include_str!("tests.txt"));
        let mut rows = String::new();
        for (limbs, _, text) in &self.samples {
            let _ = writeln!(rows, "    ({}, {text:?}),", self.word(limbs));
        }
        out = out.replace("@SAMPLES@\n", &rows);
        out
    }

    /// A crate: `Cargo.toml`, `src/`, `README.md`.
    #[must_use]
    pub fn files(&self) -> Vec<File> {
        let manifest = include_str!("manifest.txt").replace("@NAME@", &self.name);
        let mut files = vec![
            File::new("Cargo.toml", manifest.replace("@LINE@", &self.stamp.line())),
            File::new("rustfmt.toml", "max_width = 120\nuse_small_heuristics = \"Max\"\n"),
            File::new("README.md", self.readme()),
        ];
        let head = self.head(&self.name) + "\n#![no_std]";
        self.add_modules(&mut files, "src/lib.rs", &head);
        files
    }

    /// A module: `mod.rs` and what belongs to it.
    #[must_use]
    pub fn module(&self) -> Vec<File> {
        let mut files = vec![File::new("README.md", self.readme())];
        self.add_modules(&mut files, "mod.rs", &self.inner_head());
        files
    }

    /// What a module begins with. It is in another crate, of which its example knows nothing.
    fn inner_head(&self) -> String {
        self.head(&format!("crate::{}", self.name)).replace("```\n//! use", "```ignore\n//! use")
    }

    /// Adds the file `top` and the modules beside it.
    fn add_modules(&self, files: &mut Vec<File>, top: &str, head: &str) {
        let straight = if self.straight { "#[rustfmt::skip]\nmod straight;\n" } else { "" };
        let tests = "#[cfg(test)]\nmod tests;\n";
        files.push(File::new(top, format!("{head}\n#![forbid(unsafe_code)]\n\n{MODULES}{straight}\n{API}\n{tests}")));
        let dir = top.strip_suffix("lib.rs").unwrap_or_default();
        let about = "//! The description, as tables.\n\n";
        files.push(File::new(format!("{dir}description.rs"), format!("{about}{}", tables::write(&self.blueprint))));
        files.push(File::new(format!("{dir}tests.rs"), self.tests()));
        if self.straight {
            files.push(File::new(format!("{dir}straight.rs"), crate::switch::rust(&self.blueprint)));
        }
        files.push(File::new(format!("{dir}runtime/mod.rs"), Self::runtime_mod()));
        for (name, text) in RUNTIME {
            files.push(File::new(format!("{dir}runtime/{name}.rs"), self.runtime(name, text)));
        }
    }

    /// Everything in one file, as a module of the codec's name, to be included by a program.
    #[must_use]
    pub fn source(&self) -> String {
        let head = self.inner_head();
        let mut out = format!(
            "/// The codec of {}.\npub mod {} {{\n{head}\n#![forbid(unsafe_code)]\n\n",
            self.stamp.line(),
            self.name
        );
        out += "/// What runs the tables.\npub mod runtime {\n";
        for (name, text) in RUNTIME {
            let _ = write!(out, "pub mod {name} {{\n{}}}\n\n", self.runtime(name, text));
        }
        out += "}\n\nmod description {\n";
        out += &tables::write(&self.blueprint);
        out += "}\n\n";
        if self.straight {
            let _ = write!(out, "mod straight {{\n{}}}\n\n", crate::switch::rust(&self.blueprint));
        }
        out += API;
        out += "}\n";
        out
    }

    fn readme(&self) -> String {
        let (literal, sample) = self.sample();
        let text = self.stamp.readme(include_str!("README.md"));
        text.replace("@NAME@", &self.name).replace("@WORD@", &literal).replace("@TEXT@", &sample)
    }
}

/// The modules of a codec.
const MODULES: &str = "#[rustfmt::skip]\nmod description;\n#[rustfmt::skip]\npub mod runtime;\n";

/// Words that are instructions, with what the engine prints for them.
fn samples(plan: &Plan<'_>) -> Vec<(Vec<u64>, u32, String)> {
    let isa = plan.isa();
    let mut out = Vec::new();
    let encodings = &isa[isa.root()].encodings;
    let step = (encodings.len() / SAMPLES).max(1);
    for &id in encodings.iter().filter(|&&id| plan.active(&isa[id])).step_by(step) {
        let word: Word = isa[id].pattern.value().clone();
        let bytes: Vec<u8> = match isa.format().byte_order {
            ByteOrder::Little => word.le_bytes().collect(),
            ByteOrder::Big => word.le_bytes().rev().collect(),
        };
        let mut text = Vec::new();
        let mut stream = Stream::new(plan, Options { show_errors: false, ..Options::default() }, 0);
        stream.feed(&bytes, &mut Plain, &mut text);
        let Ok(text) = String::from_utf8(text) else { continue };
        let Some(text) = text.strip_suffix('\n').filter(|t| !t.starts_with("no match: ") && !t.contains('\n')) else {
            continue;
        };
        let limbs = (0..limbs_for(isa)).map(|i| word.limbs().get(i).copied().unwrap_or(0)).collect();
        out.push((limbs, word.width(), text.to_owned()));
    }
    out
}
