//! From a description's file or name, a gen and features to a model and what to decode for.

use std::mem::take;
use std::path::{Path, PathBuf};

use isaglot::choice;
use isaglot::shipped::{self, Assembly, Shipped};
use isaglot_asm::Names;
use isaglot_codec::Plan;
use isaglot_isaspec::Overlay;
use isaglot_llvm::OperandTable;
use isaglot_model::{FeatureId, Isa};
use isaglot_source::{Diagnostic, Diagnostics, Severity, SourceMap, Span};

use crate::compiled;
use crate::form::{Form, refusal};
use crate::interrupt::Stage;
use crate::names::{self, Alias, Machine};
use crate::published;
use crate::session::Session;
use crate::subject::SubjectKind;
use crate::target::{self, ProcessorArgs, ReadArgs};

/// What a command line says of the description that it is about, and of what to decode for.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    pub(crate) source: Source,
    /// The gen: a number, or a name that the description gives.
    pub(crate) generation: Option<String>,
    /// Features to switch on (`+name` or `name`) or off (`-name`).
    pub(crate) features: Vec<String>,
    pub(crate) read: ReadArgs,
    pub(crate) processor: ProcessorArgs,
    /// Instructions themselves instead of aliases, where aliases are usual.
    pub(crate) no_aliases: bool,
    pub(crate) roles: Roles,
    /// The gen can be changed later: without one that is chosen it is the first that has instructions.
    pub(crate) is_gen_open: bool,
    /// Answers say where in the description something stands.
    pub(crate) has_places: bool,
}

/// Where a description is.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A file.
    File(PathBuf),
    /// What a name stands for.
    Name(String),
    /// Nowhere: the input describes itself.
    Input,
}

impl Source {
    /// As it is called in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::Name(name) => name.clone(),
            Source::Input => "<input>".to_owned(),
        }
    }

    /// Whether it is a name that chooses a gen or features within a description.
    pub(crate) fn chooses(&self) -> bool {
        let alias = self.alias().and_then(Result::ok);
        alias.is_some_and(|alias| alias.generation.is_some() || alias.features.is_some())
    }

    /// The form of the description, if it can be said.
    fn form(&self) -> Option<Form> {
        match self {
            Source::File(path) => Form::of(path),
            Source::Name(_) => match self.alias()?.ok()?.machine {
                Machine::File(path) => Form::of(&path),
                _ => Some(Form::Shipped),
            },
            Source::Input => None,
        }
    }

    /// What the name stands for; `None` without a name.
    pub(crate) fn alias(&self) -> Option<Result<Alias, Diagnostic>> {
        match self {
            Source::Name(name) => Some(names::find(name)),
            Source::File(_) | Source::Input => None,
        }
    }
}

impl Spec {
    /// A description with nothing chosen.
    pub(crate) fn of(source: Source) -> Spec {
        Spec {
            source,
            generation: None,
            features: Vec::new(),
            read: ReadArgs::default(),
            processor: ProcessorArgs::default(),
            no_aliases: false,
            roles: Roles::Unused,
            is_gen_open: false,
            has_places: false,
        }
    }

    /// The file of the description, unless it comes with the tool.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        match &self.source {
            Source::File(path) => Some(path.clone()),
            Source::Name(name) => match names::find(name).ok()?.machine {
                Machine::File(path) => Some(path),
                _ => None,
            },
            Source::Input => None,
        }
    }
}

/// An option that is for some forms of description only, and what takes it away and says whether it was given. A gen and features are for
/// every form; which there are is said by the description.
type OptionRow = (&'static str, &'static [Form], fn(&mut Spec) -> bool);

const OPTIONS: [OptionRow; 8] = [
    ("-I", &[Form::TableGen], |s| !take(&mut s.read.files.include).is_empty()),
    ("--operands", &[Form::TableGen, Form::Udb, Form::Opcodes], |s| s.read.files.operands.take().is_some()),
    ("--overlay", &[Form::Udb], |s| s.read.files.overlay.take().is_some()),
    ("--config", &[Form::Udb], |s| s.read.files.config.take().is_some()),
    ("--stale", &[Form::Compiled], |s| take(&mut s.read.stale)),
    ("--triple", &[Form::TableGen, Form::Compiled], |s| !take(&mut s.processor.triple).is_empty()),
    ("--mcpu", &[Form::TableGen, Form::Compiled], |s| !take(&mut s.processor.mcpu).is_empty()),
    ("--roles", &[Form::Xml], |s| {
        matches!(s.roles, Roles::Wanted(Some(_))) && matches!(take(&mut s.roles), Roles::Wanted(_))
    }),
];

/// Refuses an option that is not for the form of the description.
pub(crate) fn check_options(spec: &Spec) -> Result<(), Diagnostic> {
    share_options(&mut [spec.clone()])
}

/// Takes options away from descriptions that they are not for; one that is for none of them is refused.
pub(crate) fn share_options(specs: &mut [Spec]) -> Result<(), Diagnostic> {
    let forms: Vec<Option<Form>> = specs.iter().map(|spec| spec.source.form()).collect();
    for (name, fits, take_away) in OPTIONS {
        let is_for = |form: &Option<Form>| form.is_none_or(|form| fits.contains(&form));
        let is_used = forms.iter().any(is_for);
        for (spec, _) in specs.iter_mut().zip(&forms).filter(|(_, form)| !is_for(form)) {
            if take_away(spec) && !is_used {
                return Err(refusal(name, fits, &spec.source.name()));
            }
        }
    }
    Ok(())
}

/// Whether the roles of fields are of interest.
#[derive(Clone, Debug, Default)]
pub(crate) enum Roles {
    /// They are not: what instructions look like is enough.
    #[default]
    Unused,
    /// They are, from this file; without one from those that come with the tool.
    Wanted(Option<PathBuf>),
}

/// A description with the choices made.
pub(crate) struct Chosen {
    /// The model.
    pub(crate) isa: Isa,
    /// The gen to decode for.
    pub(crate) generation: u32,
    /// The features that are on.
    pub(crate) features: Vec<FeatureId>,
    /// Whether aliases are the usual way to write.
    pub(crate) aliases: bool,
    /// What its assembly is.
    pub(crate) kind: SubjectKind,
}

impl Chosen {
    /// The plan for these choices.
    pub(crate) fn plan(&self) -> Plan<'_> {
        Plan::with_features(&self.isa, self.generation, &self.features)
    }
}

/// The code of the warning that roles do not fit the description in all.
const PARTIAL_ROLES: &str = "isaspec-roles-partial";

/// Loads the description and resolves the choices. Problems are reported; `None` if one of them is an error.
pub(crate) fn load(spec: &Spec, session: &mut Session) -> Option<Chosen> {
    let mut problems = Diagnostics::new();
    let chosen = read_chosen(spec, &mut session.files, &mut problems);
    // A warning about a description is for `check`, unless the description has errors too; a disassembly is about the
    // program. One about roles or a choice tells what is left out.
    let about_it = problems.iter().any(|d| d.severity == Severity::Error && !d.code.starts_with("cli-"));
    let told = |d: &&Diagnostic| {
        about_it || d.severity == Severity::Error || d.code.starts_with("cli-") || d.code == PARTIAL_ROLES
    };
    let mut shown = Diagnostics::new();
    problems.iter().filter(told).cloned().for_each(|d| shown.push(d));
    session.report(&shown);
    chosen
}

/// As [`load`], for a caller that reports by itself.
pub(crate) fn read_chosen(spec: &Spec, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Chosen> {
    problems.ok(check_options(spec))?;
    let path = spec.path();
    match path.as_deref() {
        Some(path) if target::is_tablegen(path) => target::load(path, spec, files, problems),
        Some(path) if compiled::is_compiled(path) => {
            let (header, isa) = compiled::read(path, spec.read.stale, problems)?;
            target::doubt(path, &header.doubts, problems);
            match header.triples {
                Some(triples) => {
                    let table = OperandTable { triples, ..OperandTable::default() };
                    target::choose(isa, &table, spec, problems)
                }
                None => choose(spec, isa, problems),
            }
        }
        _ => {
            let at_once = if spec.has_places { None } else { model(spec) };
            at_once.or_else(|| read_isa(spec, files, problems)).and_then(|isa| choose(spec, isa, problems))
        }
    }
}

/// A description that was compiled into the program, without places.
fn model(spec: &Spec) -> Option<Isa> {
    match spec.source.alias()?.ok()?.machine {
        Machine::Shipped(shipped) => shipped.model(),
        _ => None,
    }
}

/// Reads the description with all its problems, and what of a gen and features is asked for; each is `None` if it is left
/// open. `None` if there were errors.
pub(crate) fn read_open(
    spec: &Spec,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<(Isa, Option<u32>, Option<Vec<FeatureId>>)> {
    let has_target = !(spec.processor.triple.is_empty() && spec.processor.mcpu.is_empty());
    let has_features = !spec.features.is_empty() && spec.path().is_some_and(|path| target::is_tablegen(&path));
    if has_target || has_features {
        let chosen = read_chosen(spec, files, problems)?;
        return Some((chosen.isa, None, Some(chosen.features)));
    }
    let isa = read_isa(spec, files, problems)?;
    let before = problems.error_count();
    let generation = problems.ok(chosen_generation(spec, &isa)).flatten();
    let features = chosen_features(spec, &isa, problems);
    (problems.error_count() == before).then_some((isa, generation, features))
}

/// Reads the description alone, with all its problems.
pub(crate) fn read_isa(spec: &Spec, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Isa> {
    problems.ok(check_options(spec))?;
    match &spec.source {
        Source::File(path) => read_file(path, spec, files, problems),
        Source::Name(name) => match problems.ok(names::find(name))?.machine {
            Machine::File(path) => read_file(&path, spec, files, problems),
            Machine::Shipped(shipped) => read_shipped(shipped, files, problems),
            Machine::Xe(_) => embedded("xe", files, problems),
            Machine::Spirv => {
                let d = Diagnostic::error("cli-subject", format!("`{name}` has no description"));
                problems.push(d.note("`isaglot spirv` and `isaglot list` read its modules without one"));
                None
            }
        },
        Source::Input => None,
    }
}

fn read_file(path: &Path, spec: &Spec, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Isa> {
    if target::is_tablegen(path) {
        return target::read(path, &spec.read.files, &spec.processor.triple, files, problems)
            .map(|read| read.lowered.isa);
    }
    if compiled::is_compiled(path) {
        return compiled::read(path, spec.read.stale, problems).map(|(_, isa)| isa);
    }
    if published::is_published(path) {
        return published::read(path, &spec.read.files.parts(), files, problems);
    }
    let _stage = Stage::new(format!("reading the description {}", path.display()), "");
    let mut top = path.to_path_buf();
    if top.is_dir() {
        // A folder stands for the file in it that has its name.
        match top.file_name().map(|name| top.join(Path::new(name).with_extension("xml"))) {
            Some(file) if file.is_file() => top = file,
            _ => {
                problems.push(published::refusal(path));
                return None;
            }
        }
    }
    let (name, bytes, partial) = match &spec.roles {
        Roles::Unused => (String::new(), None, false),
        Roles::Wanted(Some(path)) => {
            (path.display().to_string(), Some(problems.ok(crate::io::read(Some(path)))?), false)
        }
        Roles::Wanted(None) => {
            let stem = top.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            let bytes = shipped::roles(&stem).map(|text| text.as_bytes().to_vec());
            (format!("{stem}.roles.xml"), bytes, true)
        }
    };
    let overlay = bytes.as_ref().map(|bytes| Overlay { name: &name, bytes, partial });
    let top = top.display().to_string();
    isaglot_isaspec::load_with_roles(files, &top, overlay, &mut isaglot::fs::read, problems)
}

/// A description that comes with the tool, by the name of the description itself.
pub(crate) fn embedded(name: &str, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Isa> {
    shipped::find(name).and_then(|found| found.model().or_else(|| read_shipped(found, files, problems)))
}

fn read_shipped(shipped: &Shipped, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Isa> {
    isaglot_isaspec::load(files, shipped.top(), &mut |name| shipped.read(name), problems)
}

/// The gen that is asked for, by an option or by the name of the description; `None` if it is left open.
pub(crate) fn chosen_generation(spec: &Spec, isa: &Isa) -> Result<Option<u32>, Diagnostic> {
    let named = spec.source.alias().transpose()?.and_then(|alias| alias.generation);
    spec.generation.as_ref().or(named.as_ref()).map(|text| choice::generation(isa, text)).transpose()
}

/// The features that are on, by options, by the name of the description, or by default. `None` if they are left open.
pub(crate) fn chosen_features(spec: &Spec, isa: &Isa, problems: &mut Diagnostics) -> Option<Vec<FeatureId>> {
    let named = spec.source.alias().and_then(Result::ok).and_then(|alias| alias.features);
    let open = named.is_none() && spec.features.is_empty();
    (!open).then(|| choice::features(isa, named.as_deref(), &spec.features, problems))
}

fn choose(spec: &Spec, isa: Isa, problems: &mut Diagnostics) -> Option<Chosen> {
    let before = problems.error_count();
    if !(spec.processor.triple.is_empty() && spec.processor.mcpu.is_empty()) {
        let d = Diagnostic::error("cli-target", format!("`{}` has neither triples nor processors", isa.name()));
        problems.push(d.note("`--triple` and `--mcpu` are for LLVM targets; choose with `--gen` and `--feature`"));
    }
    let mut generation = problems.ok(chosen_generation(spec, &isa)).flatten();
    if spec.is_gen_open {
        generation = generation.or_else(|| Some(choice::first(&isa)));
    }
    if problems.error_count() == before {
        choice::doubt(&isa, generation).into_iter().for_each(|d| problems.push(d));
    }
    let on = chosen_features(spec, &isa, problems).unwrap_or_else(|| choice::features(&isa, None, &[], problems));
    let machine = spec.source.alias().and_then(Result::ok).map(|alias| alias.machine);
    let kind = match (machine, shipped::assembly(isa.name())) {
        (Some(Machine::Xe(_)), _) => SubjectKind::Xe,
        (_, Assembly::Templates) => SubjectKind::Templates,
        (_, Assembly::Riscv) => SubjectKind::Riscv,
    };
    let aliases = !spec.no_aliases && shipped::prints_aliases(isa.name());
    let made = Chosen { isa, generation: generation.unwrap_or(0), features: on, aliases, kind };
    (problems.error_count() == before).then_some(made)
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
