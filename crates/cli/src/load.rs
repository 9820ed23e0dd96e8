//! What the command line says of a description, loaded: what the library does, with the files as the program reads them, with its
//! bars of progress, and with problems reported.

use std::path::Path;

pub(crate) use isaglot::spec::load::{check_options, share_options};
pub(crate) use isaglot::spec::{Chosen, Roles, Source, Spec};
use isaglot::spec::{Host, Stage, load as library, told};
use isaglot_asm::Names;
use isaglot_model::Isa;
use isaglot_source::{Diagnostic, Diagnostics, SourceMap, Span};

use crate::progress::Progress;
use crate::session::Session;

/// The program, to what the library reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program;

impl Host for Program {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Diagnostic> {
        crate::io::read(Some(path))
    }

    fn stage(&self, what: &str, unit: &'static str) -> Box<dyn Stage + Send + '_> {
        if unit.is_empty() {
            Box::new(crate::interrupt::Stage::new(what, ""))
        } else {
            Box::new(Progress::new(what, unit))
        }
    }
}

impl Stage for crate::interrupt::Stage {
    fn at(&mut self, done: u64, total: u64) {
        crate::interrupt::Stage::at(self, done, total);
    }
}

impl Stage for Progress {
    fn at(&mut self, done: u64, total: u64) {
        self.at_place(done, total);
    }
}

/// Loads the description and resolves the choices. Problems are reported; `None` if one of them is an error.
pub(crate) fn load(spec: &Spec, session: &mut Session) -> Option<Chosen> {
    let mut problems = Diagnostics::new();
    let chosen = read_chosen(spec, &mut session.files, &mut problems);
    session.report(&told(&problems));
    chosen
}

/// As [`load`], for a caller that reports by itself.
pub(crate) fn read_chosen(spec: &Spec, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Chosen> {
    library::read_chosen(spec, &Program, files, problems)
}

/// Reads the description with all its problems, and what of a gen and features is asked for; each is `None` if it is left
/// open. `None` if there were errors.
pub(crate) fn read_open(spec: &Spec, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<library::Open> {
    library::read_open(spec, &Program, files, problems)
}

/// Reads the description alone, with all its problems.
pub(crate) fn read_isa(spec: &Spec, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Isa> {
    library::read_isa(spec, &Program, files, problems)
}

/// A description that comes with the tool, by the name of the description itself.
pub(crate) fn embedded(name: &str, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Isa> {
    library::embedded(name, files, problems)
}

/// Reads a table of names for fields of type `custom`: no table, no names.
pub(crate) fn read_names(path: Option<&Path>, session: &mut Session) -> Result<Names, Diagnostic> {
    let Some(path) = path else { return Ok(Names::default()) };
    let bytes = crate::io::read_text(Some(path))?;
    let file = session.files.add(path.display().to_string(), bytes.as_slice());
    Names::parse(&bytes).map_err(|bad| {
        let mut d = Diagnostic::error("cli-names", "this line is not an entry of a table of names");
        for line in bad {
            d = d.label(Span::new(file, line.start, line.start + line.len), "expected `FIELD VALUE TEXT`");
        }
        d
    })
}
