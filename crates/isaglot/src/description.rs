//! The short road: a description with a gen and features, and the common questions to it.
//!
//! A [`Description`] owns everything, so it can be kept and passed around. Each question compiles what it needs of the
//! description anew; for many questions take a [`Description::plan`] once and use the engines themselves.

use isaglot_asm::assemble::source;
use isaglot_asm::{Assembler, Compat, Names, Options, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_model::{FeatureId, Isa};
use isaglot_source::{Diagnostics, SourceMap};

use crate::{Error, choice};

/// A validated description, and the gen and features to decode for.
pub struct Description {
    isa: Isa,
    files: SourceMap,
    generation: u32,
    features: Vec<FeatureId>,
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
            let mut description = Description::shipped("riscv")?;
            let mut problems = Diagnostics::new();
            description.features = choice::features(&description.isa, Some(&choice.features), &[], &mut problems);
            description.generation = choice.xlen.bits();
            return if problems.has_errors() { Err(Error::new(SourceMap::new(), problems)) } else { Ok(description) };
        }
        let Some(found) = crate::shipped::find(name) else {
            let d = isaglot_source::Diagnostic::error("shipped", format!("no description called `{name}` is shipped"));
            return Err(d.note(format!("there are: {}", crate::shipped::names().join(", "))).into());
        };
        Description::read(found.top(), &mut |name| found.read(name))
    }

    /// A description from elsewhere, such as [`crate::model::compiled`], with the files that its places are in.
    pub fn new(isa: Isa, files: SourceMap) -> Description {
        let features = choice::features(&isa, None, &[], &mut Diagnostics::new());
        Description { isa, files, generation: 0, features }
    }

    /// The same for another gen: a number, or a name that the description gives.
    ///
    /// # Errors
    /// For what is neither.
    pub fn with_gen(self, generation: &str) -> Result<Description, Error> {
        match choice::generation(&self.isa, generation) {
            Ok(generation) => Ok(Description { generation, ..self }),
            Err(d) => Err(d.into()),
        }
    }

    /// The same with features switched on (`+name` or `name`) and off (`-name`): `["+mul", "-fast"]`.
    ///
    /// # Errors
    /// For a feature that the description does not have.
    pub fn with_features(mut self, changes: &[&str]) -> Result<Description, Error> {
        let mut problems = Diagnostics::new();
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        choice::toggle(&self.isa, &changes, &mut self.features, &mut problems);
        if problems.has_errors() { Err(Error::new(SourceMap::new(), problems)) } else { Ok(self) }
    }

    /// The model.
    pub fn isa(&self) -> &Isa {
        &self.isa
    }

    /// The files that it was read from.
    pub fn files(&self) -> &SourceMap {
        &self.files
    }

    /// The decode plan for the gen and the features: what the engines take.
    pub fn plan(&self) -> Plan<'_> {
        Plan::with_features(&self.isa, self.generation, &self.features)
    }

    /// The text of a program, with labels where its branches lead. What is not a valid instruction is a line
    /// `no match: …`, and what is wrong with an instruction stands after it.
    ///
    /// Bytes at the end that are less than an instruction have no line; [`asm::Stream::feed`](crate::asm::Stream::feed) says
    /// how many bytes were used.
    pub fn disassemble(&self, bytes: &[u8]) -> String {
        let plan = self.plan();
        let options = Options { labels: true, ..Options::default() };
        let mut stream = Stream::new(&plan, options, bytes.len() as u64);
        stream.mark(bytes);
        let mut text = Vec::new();
        stream.feed(bytes, &mut Plain, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The bytes of a program.
    ///
    /// # Errors
    /// Everything that is wrong with the text, each with line and column.
    pub fn assemble(&self, text: &str) -> Result<Vec<u8>, Error> {
        let (plan, names) = (self.plan(), Names::default());
        let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
        let file = files.add("<text>", text.as_bytes());
        let mut assembler = Assembler::new(&plan, &names, Compat::default());
        match source::assemble(&mut assembler, file, text.as_bytes(), false, &mut problems) {
            Some(image) if !problems.has_errors() => Ok(image.bytes()),
            _ => Err(Error::new(files, problems)),
        }
    }

    /// Why a word decodes as it does, as text: its bits, what decided, its cases and fields; or what comes nearest. The
    /// word is hex (`0x1448`), binary (`0b…`), or bytes in memory order (`48:14`).
    ///
    /// # Errors
    /// For what is not a word, or has not the width of the instruction that it begins.
    pub fn explain(&self, word: &str) -> Result<String, Error> {
        let plan = self.plan();
        let word = crate::explain::word(&plan, word)?;
        Ok(crate::explain::text(&self.isa, &self.files, &word, &crate::explain::explain(&plan, &word), false))
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
