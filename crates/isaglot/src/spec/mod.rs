//! What a description is asked for by: a file or a name, and the choices within it; and the model that comes of it.
//!
//! The problem: a description has many forms, each with choices of its own, and every tool has to read all of them alike. The
//! invariant: a choice is used, or it is refused by the one sentence about it; it is never read and forgotten. The method: one
//! table of names ([`names`]), one table of forms ([`form`]), one function that reads ([`load::read_chosen`]). The program
//! `isaglot` and [`Engine`](crate::Engine) both go this way, so a name means the same everywhere.

#[cfg(feature = "compiled")]
pub mod compiled;
pub mod form;
#[cfg(all(feature = "isaspec", feature = "shipped"))]
pub mod load;
#[cfg(all(feature = "isaspec", feature = "shipped"))]
pub mod names;
#[cfg(all(feature = "fs", feature = "riscv-formats"))]
pub mod published;
#[cfg(feature = "llvm")]
pub mod target;

use std::path::{Path, PathBuf};

use isaglot_codec::Plan;
use isaglot_model::{FeatureId, Isa};
use isaglot_source::{Diagnostic, Diagnostics, Severity};

use crate::choice;

#[cfg(feature = "llvm")]
pub use isaglot_tablegen::Dialect;

/// Where a description is, and what is chosen within it.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Where it is.
    pub source: Source,
    /// What is chosen.
    pub choice: Choice,
}

impl Spec {
    /// A description with nothing chosen.
    #[must_use]
    pub fn of(source: Source) -> Spec {
        Spec { source, choice: Choice::default() }
    }
}

/// What is chosen of a description. A choice that means nothing for the form of a description is refused, as the program refuses
/// the option of that name.
///
/// ```
/// use isaglot::spec::Choice;
///
/// let choice = Choice { generation: Some("600".to_owned()), ..Choice::default() };
/// assert_eq!(choice, Choice::default().with_gen("600"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The gen: a number, or a name that the description gives.
    pub generation: Option<String>,
    /// Features to switch on (`+name` or `name`) or off (`-name`).
    pub features: Vec<String>,
    /// Folders in which included files are looked for (TableGen).
    pub include: Vec<PathBuf>,
    /// What operands mean; by default the table that ships with the library for a file of this name (TableGen, published
    /// formats of RISC-V).
    pub operands: Option<PathBuf>,
    /// The version of the language (TableGen).
    #[cfg(feature = "llvm")]
    pub dialect: Dialect,
    /// A folder that is put over the description (RISC-V Unified Database).
    pub overlay: Option<PathBuf>,
    /// What an implementation has: a file of `cfgs` (RISC-V Unified Database).
    pub config: Option<PathBuf>,
    /// Take a compiled description although its sources have changed.
    pub stale: bool,
    /// The target, such as `riscv64` (TableGen); empty for none.
    pub triple: String,
    /// The processor (TableGen); empty for none.
    pub cpu: String,
    /// Print aliases, or never; `None` as is usual for the description: LLVM's targets print them, others do not.
    pub aliases: Option<bool>,
    /// Whether it is of interest what fields are to instructions, which listings need.
    pub roles: Roles,
    /// The gen can be changed later: without one that is chosen it is the first that has instructions.
    pub is_gen_open: bool,
    /// Answers say where in the description something stands. A description that was compiled into the library is read from
    /// its sources then, which takes longer.
    pub has_places: bool,
}

impl Choice {
    /// The same for a gen: a number, or a name that the description gives.
    #[must_use]
    pub fn with_gen(mut self, generation: impl Into<String>) -> Choice {
        self.generation = Some(generation.into());
        self
    }

    /// The same with features switched on (`+name` or `name`) or off (`-name`), after those that are there.
    #[must_use]
    pub fn with_features(mut self, changes: &[&str]) -> Choice {
        self.features.extend(changes.iter().map(|&change| change.to_owned()));
        self
    }

    /// What a published format has beside its folder.
    #[cfg(all(feature = "fs", feature = "riscv-formats"))]
    #[must_use]
    pub fn parts(&self) -> published::Parts<'_> {
        published::Parts {
            overlay: self.overlay.as_deref(),
            config: self.config.as_deref(),
            operands: self.operands.as_deref(),
        }
    }

    /// Whether a triple or a processor is chosen.
    #[must_use]
    pub fn has_target(&self) -> bool {
        !(self.triple.is_empty() && self.cpu.is_empty())
    }
}

/// Where a description is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// What a name stands for.
    Name(String),
    /// Nowhere: the input describes itself.
    Input,
}

impl Source {
    /// What a text stands for where a file and a name can stand: it is a path if it has a separator of paths, or a dot before any
    /// `@`; else it is a name. `ir3.xml` and `./udb` are paths, `rv64gc` and `ir3@600` are names.
    #[must_use]
    pub fn parse(text: &str) -> Source {
        let base = text.split_once('@').map_or(text, |(base, _)| base);
        let is_path = text.contains(['/', '\\']) || base.contains('.');
        if is_path { Source::File(PathBuf::from(text)) } else { Source::Name(text.to_owned()) }
    }

    /// As it is called in messages.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::Name(name) => name.clone(),
            Source::Input => "<input>".to_owned(),
        }
    }
}

/// Whether the roles of fields are of interest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Roles {
    /// As is usual: an [`Engine`](crate::Engine) and what lists programs want those that come with the library, all else wants none.
    #[default]
    Usual,
    /// They are not: what instructions look like is enough.
    Unused,
    /// They are, from this file; without one from those that come with the library.
    Wanted(Option<PathBuf>),
}

/// The kinds of subjects that tools tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectKind {
    /// A description whose templates are all there is to its assembly.
    Templates,
    /// A target of LLVM: its operands hold numbers, or what relocations make of labels, never their addresses as they are.
    Llvm,
    /// A description whose assembly has the pseudo-instructions, relocations and files of RISC-V.
    Riscv,
    /// Intel Xe by its own assembly.
    Xe,
    /// SPIR-V.
    Spirv,
}

/// Every kind of description.
pub const DESCRIPTIONS: &[SubjectKind] = &[SubjectKind::Templates, SubjectKind::Llvm, SubjectKind::Riscv];

/// Every kind whose programs are instructions.
pub const WORDS: &[SubjectKind] = &[SubjectKind::Templates, SubjectKind::Llvm, SubjectKind::Riscv, SubjectKind::Xe];

impl SubjectKind {
    /// As messages call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SubjectKind::Templates | SubjectKind::Llvm => "descriptions",
            SubjectKind::Riscv => "RISC-V",
            SubjectKind::Xe => "Intel Xe",
            SubjectKind::Spirv => "SPIR-V",
        }
    }
}

/// The one sentence about what cannot be done with a subject, because it is for subjects of these kinds.
#[must_use]
pub fn refusal(what: &str, kinds: &[SubjectKind], subject: &str) -> Diagnostic {
    // RISC-V is a description too.
    let all = DESCRIPTIONS.iter().all(|kind| kinds.contains(kind));
    let told = kinds.iter().filter(|kind| !all || **kind != SubjectKind::Riscv);
    let mut names: Vec<&str> = told.map(|kind| kind.name()).collect();
    names.dedup();
    let d = Diagnostic::error("cli-subject", format!("{what} does not apply to `{subject}`"));
    d.note(format!("it is for {}", names.join(", ")))
}

/// A description with the choices made.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The model.
    pub isa: Isa,
    /// The gen to decode for.
    pub generation: u32,
    /// The features that are on.
    pub features: Vec<FeatureId>,
    /// Whether aliases are the usual way to write.
    pub aliases: bool,
    /// What its assembly is.
    pub kind: SubjectKind,
}

impl Chosen {
    /// The plan for these choices, with aliases off.
    #[must_use]
    pub fn plan(&self) -> Plan<'_> {
        Plan::with_features(&self.isa, self.generation, &self.features)
    }
}

/// What reading a description needs of the world: its files, and somebody to tell how far it is.
pub trait Host: Sync {
    /// The bytes of a file, whole.
    ///
    /// # Errors
    /// If it cannot be read, or is too large.
    fn read(&self, path: &Path) -> Result<Vec<u8>, Diagnostic>;

    /// Begins work that may take long, `what`, such as `reading a.xml`, that is counted in `unit`s, or not at all if that is empty. It
    /// ends when the stage is dropped.
    fn stage(&self, what: &str, unit: &'static str) -> Box<dyn Stage + Send + '_> {
        let _ = (what, unit);
        Box::new(())
    }
}

/// A piece of work that may take long.
pub trait Stage {
    /// Says how far it is: how many units are done, and how many there are, or 0.
    fn at(&mut self, done: u64, total: u64);
}

/// A piece of work that nobody watches.
impl Stage for () {
    fn at(&mut self, _: u64, _: u64) {}
}

/// The bytes of a text without the mark that some editors put in front of UTF-8.
#[cfg(any(feature = "llvm", feature = "riscv-formats"))]
pub(crate) fn text(host: &dyn Host, path: &Path) -> Result<Vec<u8>, Diagnostic> {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let mut bytes = host.read(path)?;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(bytes)
}

/// Warns of what is not known of a target of LLVM whose file has this name: sentences, each with notes.
#[cfg(any(feature = "compiled", feature = "llvm"))]
pub(crate) fn doubt<'d>(
    name: &str,
    doubts: impl IntoIterator<Item = &'d (String, Vec<String>)>,
    problems: &mut Diagnostics,
) {
    for (sentence, notes) in doubts {
        let d = Diagnostic::warning("cli-operands", format!("{name}: {sentence}"));
        problems.push(notes.iter().fold(d, |d, note| d.note(note.clone())));
    }
}

/// The code of the warning that roles do not fit the description in all.
const PARTIAL_ROLES: &str = "isaspec-roles-partial";

/// Of the problems of reading a description those that concern a tool that works on programs: a warning about a description is for
/// a check of it, unless the description has errors too. One about roles or a choice tells what is left out.
#[must_use]
pub fn told(problems: &Diagnostics) -> Diagnostics {
    let about_it = problems.iter().any(|d| d.severity == Severity::Error && !d.code.starts_with("cli-"));
    let is_told = |d: &&Diagnostic| {
        about_it || d.severity == Severity::Error || d.code.starts_with("cli-") || d.code == PARTIAL_ROLES
    };
    let mut shown = Diagnostics::new();
    problems.iter().filter(is_told).cloned().for_each(|d| shown.push(d));
    shown
}

/// What a name chooses: a gen, and the features that are on while all others are off.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    pub(crate) generation: Option<String>,
    pub(crate) features: Option<Vec<String>>,
}

/// Resolves gen and features of a description that is not a target of LLVM. Its assembly is that of RISC-V if it is the shipped
/// description of RISC-V. `None` if there were errors.
pub(crate) fn resolve(choice: &Choice, named: &Named, isa: Isa, problems: &mut Diagnostics) -> Option<Chosen> {
    let before = problems.error_count();
    if choice.has_target() {
        let d = Diagnostic::error("cli-target", format!("`{}` has neither triples nor processors", isa.name()));
        problems.push(d.note("`--triple` and `--mcpu` are for LLVM targets; choose with `--gen` and `--feature`"));
    }
    let mut generation = problems.ok(generation(choice, named, &isa)).flatten();
    if choice.is_gen_open {
        generation = generation.or_else(|| Some(choice::first(&isa)));
    }
    if problems.error_count() == before {
        choice::doubt(&isa, generation).into_iter().for_each(|d| problems.push(d));
    }
    let on = features(choice, named, &isa, problems).unwrap_or_else(|| choice::features(&isa, None, &[], problems));
    let kind = kind_of(isa.name());
    let aliases = choice.aliases.unwrap_or_else(|| prints_aliases(isa.name()));
    let made = Chosen { isa, generation: generation.unwrap_or(0), features: on, aliases, kind };
    (problems.error_count() == before).then_some(made)
}

/// The gen that is asked for, by a choice or by the name of the description; `None` if it is left open.
pub(crate) fn generation(choice: &Choice, named: &Named, isa: &Isa) -> Result<Option<u32>, Diagnostic> {
    let text = choice.generation.as_ref().or(named.generation.as_ref());
    text.map(|text| choice::generation(isa, text)).transpose()
}

/// The features that are on, by choices or by the name of the description. `None` if they are left open.
pub(crate) fn features(
    choice: &Choice,
    named: &Named,
    isa: &Isa,
    problems: &mut Diagnostics,
) -> Option<Vec<FeatureId>> {
    let open = named.features.is_none() && choice.features.is_empty();
    (!open).then(|| choice::features(isa, named.features.as_deref(), &choice.features, problems))
}

/// What the assembly of a description is that has this name.
#[cfg(feature = "shipped")]
pub(crate) fn kind_of(name: &str) -> SubjectKind {
    match crate::shipped::assembly(name) {
        crate::shipped::Assembly::Templates => SubjectKind::Templates,
        crate::shipped::Assembly::Riscv => SubjectKind::Riscv,
    }
}

/// The descriptions that ship may be elsewhere and come in as bytes.
#[cfg(not(feature = "shipped"))]
pub(crate) fn kind_of(name: &str) -> SubjectKind {
    let is_riscv = cfg!(feature = "riscv") && name == "riscv";
    if is_riscv { SubjectKind::Riscv } else { SubjectKind::Templates }
}

/// Whether a description of that name prints aliases unless told otherwise, as LLVM does.
fn prints_aliases(name: &str) -> bool {
    ["udb", "opcodes"].contains(&name)
}
