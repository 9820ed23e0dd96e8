//! The short road: a description with a gen and features, and the common questions to it, each with one plain answer.
//!
//! A thin layer over [`Engine`]: it reads a description first, and chooses within it after that. Where what is chosen is known
//! when it is opened, where answers are wanted as data, or where it is shared between threads, take an engine.

use std::sync::Arc;

use isaglot_codec::Plan;
use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap};

use crate::engine::Words;
use crate::spec::{Chosen, kind_of};
use crate::{Engine, Error, choice};

/// A validated description, and the gen and features to decode for.
pub struct Description {
    words: Arc<Words>,
    engine: Engine,
}

impl Description {
    /// Reads a description in isaspec XML: `top` is the name of its first file, and `read` gives the bytes of that file
    /// and of those that it imports. The gen is 0, and the features are the defaults of the description.
    ///
    /// # Errors
    /// Everything that is wrong with the description. Warnings are not kept: see [`crate::isaspec::load`] for them.
    #[cfg(feature = "isaspec")]
    pub fn read(top: &str, read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>) -> Result<Description, Error> {
        let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
        match isaglot_isaspec::load(&mut files, top, read, &mut problems) {
            Some(isa) => Ok(Description::new(isa, files)),
            None => Err(Error::new(files, problems)),
        }
    }

    /// Reads an isaspec XML file and what it imports.
    ///
    /// # Errors
    /// As [`Description::read`].
    #[cfg(all(feature = "isaspec", feature = "fs"))]
    pub fn open(path: impl AsRef<std::path::Path>) -> Result<Description, Error> {
        Description::read(&path.as_ref().display().to_string(), &mut crate::fs::read)
    }

    /// A description that ships with the library: see [`crate::shipped`]. With the feature `riscv` also the names of
    /// RISC-V, such as `rv64gc_zba`, with their gen and features.
    ///
    /// # Errors
    /// For an unknown name.
    #[cfg(all(feature = "isaspec", feature = "shipped"))]
    pub fn shipped(name: &str) -> Result<Description, Error> {
        #[cfg(feature = "riscv")]
        if let Some(choice) = isaglot_riscv::isa_name::parse(name) {
            let described = Description::shipped("riscv")?;
            let mut problems = Diagnostics::new();
            let features = choice::features(described.isa(), Some(&choice.features), &[], &mut problems);
            let made = described.chosen(choice.xlen.bits(), features);
            return if problems.has_errors() { Err(Error::new(SourceMap::new(), problems)) } else { Ok(made) };
        }
        let Some(found) = crate::shipped::find(name) else {
            let d = isaglot_source::Diagnostic::error("shipped", format!("no description called `{name}` is shipped"));
            return Err(d.note(format!("there are: {}", crate::shipped::names().join(", "))).into());
        };
        Description::read(found.top(), &mut |name| found.read(name))
    }

    /// A description from elsewhere, such as [`crate::model::compiled`], with the files that its places are in.
    #[must_use]
    pub fn new(isa: Isa, files: SourceMap) -> Description {
        let features = choice::features(&isa, None, &[], &mut Diagnostics::new());
        let kind = kind_of(isa.name());
        Description::with(Chosen { isa, generation: 0, features, aliases: false, kind }, files)
    }

    fn with(chosen: Chosen, files: SourceMap) -> Description {
        let words = Arc::new(Words::new(chosen, files, None));
        Description { engine: Engine::sharing(&words), words }
    }

    fn chosen(&self, generation: u32, features: Vec<isaglot_model::FeatureId>) -> Description {
        let chosen = Chosen { generation, features, ..self.words.chosen().clone() };
        Description::with(chosen, self.words.files().clone())
    }

    /// The same for another gen: a number, or a name that the description gives.
    ///
    /// # Errors
    /// For what is neither.
    pub fn with_gen(self, generation: &str) -> Result<Description, Error> {
        let generation = choice::generation(self.isa(), generation)?;
        Ok(self.chosen(generation, self.words.chosen().features.clone()))
    }

    /// The same with features switched on (`+name` or `name`) and off (`-name`): `["+mul", "-fast"]`.
    ///
    /// # Errors
    /// For a feature that the description does not have.
    pub fn with_features(self, changes: &[&str]) -> Result<Description, Error> {
        let mut problems = Diagnostics::new();
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        let Chosen { generation, mut features, .. } = self.words.chosen().clone();
        choice::toggle(self.isa(), &changes, &mut features, &mut problems);
        let made = self.chosen(generation, features);
        if problems.has_errors() { Err(Error::new(SourceMap::new(), problems)) } else { Ok(made) }
    }

    /// The engine, which gives more answers, as data.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The model.
    #[must_use]
    pub fn isa(&self) -> &Isa {
        &self.words.chosen().isa
    }

    /// The files that it was read from.
    #[must_use]
    pub fn files(&self) -> &SourceMap {
        self.words.files()
    }

    /// The decode plan for the gen and the features: what the engines take.
    #[must_use]
    pub fn plan(&self) -> Plan<'_> {
        self.words.chosen().plan()
    }

    /// The text of a program, with labels where its branches lead, as [`Engine::disassemble`] gives it. Bytes at the end that are
    /// less than an instruction have no line.
    #[must_use]
    pub fn disassemble(&self, bytes: &[u8]) -> String {
        self.words.disassemble(bytes, true).text
    }

    /// The bytes of a program, as [`Engine::assemble`] gives them.
    ///
    /// # Errors
    /// Everything that is wrong with the text, each with line and column.
    pub fn assemble(&self, text: &str) -> Result<Vec<u8>, Error> {
        self.engine.assemble(text).map(|made| made.bytes)
    }

    /// Why a word decodes as it does, as text: its bits, what decided, its cases and fields; or what comes nearest: see
    /// [`Engine::explain`].
    ///
    /// # Errors
    /// For what is neither a word nor assembly, or has not the width of the instruction that it begins.
    pub fn explain(&self, question: &str) -> Result<String, Error> {
        self.engine.explain(question).map(|found| found.text)
    }

    /// The listing of a program: instructions taken apart, blocks and their edges, definitions, uses and live registers.
    ///
    /// # Errors
    /// If there are more definitions and uses than a listing holds.
    #[cfg(feature = "listing")]
    pub fn list(&self, bytes: &[u8]) -> Result<isaglot_listing::Listing<'static>, isaglot_listing::dataflow::TooLarge> {
        let options = isaglot_listing_build::Options { defs: true, pc: true, bits: true };
        isaglot_listing_build::build(&self.plan(), bytes, options)
    }
}
