//! From a description's file or name, a gen and features to a model and what to decode for.

use std::mem::take;
use std::path::{Path, PathBuf};

#[cfg(feature = "fs")]
use isaglot_isaspec::Overlay;
use isaglot_model::{FeatureId, Isa};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};

#[cfg(feature = "llvm")]
use super::Dialect;
use super::form::{Form, refusal};
use super::names::{self, Alias, Machine};
use super::{Choice, Chosen, Host, Named, Roles, Source, Spec, features, generation, resolve};
use crate::shipped::{self, Shipped};

impl Source {
    /// Whether it is a name that chooses a gen or features within a description.
    #[must_use]
    pub fn chooses(&self) -> bool {
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
    #[must_use]
    pub fn alias(&self) -> Option<Result<Alias, Diagnostic>> {
        match self {
            Source::Name(name) => Some(names::find(name)),
            Source::File(_) | Source::Input => None,
        }
    }

    fn named(&self) -> Result<Named, Diagnostic> {
        let alias = self.alias().transpose()?;
        Ok(alias.map(|alias| Named { generation: alias.generation, features: alias.features }).unwrap_or_default())
    }
}

impl Spec {
    /// The file of the description, unless it ships with the library.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
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
type OptionRow = (&'static str, &'static [Form], fn(&mut Choice) -> bool);

const OPTIONS: &[OptionRow] = &[
    ("-I", &[Form::TableGen], |c| !take(&mut c.include).is_empty()),
    #[cfg(feature = "llvm")]
    ("--dialect", &[Form::TableGen], |c| take(&mut c.dialect) != Dialect::Auto),
    ("--operands", &[Form::TableGen, Form::Udb, Form::Opcodes], |c| c.operands.take().is_some()),
    ("--overlay", &[Form::Udb], |c| c.overlay.take().is_some()),
    ("--config", &[Form::Udb], |c| c.config.take().is_some()),
    ("--stale", &[Form::Compiled], |c| take(&mut c.stale)),
    ("--triple", &[Form::TableGen, Form::Compiled], |c| !take(&mut c.triple).is_empty()),
    ("--mcpu", &[Form::TableGen, Form::Compiled], |c| !take(&mut c.cpu).is_empty()),
    ("--roles", &[Form::Xml], |c| {
        matches!(c.roles, Roles::Wanted(Some(_))) && matches!(take(&mut c.roles), Roles::Wanted(_))
    }),
];

/// Refuses a choice that is not for the form of the description.
///
/// # Errors
/// The sentence about the first one.
pub fn check_options(spec: &Spec) -> Result<(), Diagnostic> {
    share_options(&mut [spec.clone()])
}

/// Takes choices away from descriptions that they are not for; one that is for none of them is refused.
///
/// # Errors
/// The sentence about the first one that is refused.
pub fn share_options(specs: &mut [Spec]) -> Result<(), Diagnostic> {
    let forms: Vec<Option<Form>> = specs.iter().map(|spec| spec.source.form()).collect();
    for &(name, fits, take_away) in OPTIONS {
        let is_for = |form: &Option<Form>| form.is_none_or(|form| fits.contains(&form));
        let is_used = forms.iter().any(is_for);
        for (spec, _) in specs.iter_mut().zip(&forms).filter(|(_, form)| !is_for(form)) {
            if take_away(&mut spec.choice) && !is_used {
                return Err(refusal(name, fits, &spec.source.name()));
            }
        }
    }
    Ok(())
}

/// Loads the description and resolves the choices, with all problems. `None` if one of them is an error. [`told`](super::told)
/// gives those that concern the user of a program.
pub fn read_chosen(spec: &Spec, host: &dyn Host, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Chosen> {
    problems.ok(check_options(spec))?;
    let path = spec.path();
    if let Some(found) = path.as_deref().and_then(|path| read_other(path, spec, host, files, problems)) {
        return found;
    }
    let at_once = if spec.choice.has_places { None } else { model(spec) };
    let isa = at_once.or_else(|| read_isa(spec, host, files, problems))?;
    let named = problems.ok(spec.source.named())?;
    #[cfg_attr(not(feature = "xe"), expect(unused_mut, reason = "a machine of Intel Xe changes it"))]
    let mut chosen = resolve(&spec.choice, &named, isa, problems)?;
    #[cfg(feature = "xe")]
    if matches!(spec.source.alias(), Some(Ok(Alias { machine: Machine::Xe(_), .. }))) {
        chosen.kind = super::SubjectKind::Xe;
    }
    Some(chosen)
}

/// A target of LLVM, or a compiled description, with the choices made; `None` if the file is neither.
#[allow(unused_variables, clippy::needless_return)]
fn read_other(
    path: &Path,
    spec: &Spec,
    host: &dyn Host,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<Option<Chosen>> {
    #[cfg(feature = "llvm")]
    if super::form::is_tablegen(path) {
        return Some(super::target::load(path, &spec.choice, host, files, problems));
    }
    #[cfg(all(feature = "compiled", feature = "fs"))]
    if super::form::is_compiled(path) {
        let read = super::compiled::read(path, spec.choice.stale, host, problems);
        let of = |(header, isa)| {
            let named = problems.ok(spec.source.named())?;
            super::compiled::choose(&path.display().to_string(), header, isa, &spec.choice, &named, problems)
        };
        return Some(read.and_then(of));
    }
    None
}

/// A description that was compiled into the library, without places.
fn model(spec: &Spec) -> Option<Isa> {
    match spec.source.alias()?.ok()?.machine {
        Machine::Shipped(shipped) => compiled_in(shipped),
        _ => None,
    }
}

#[cfg(feature = "compiled")]
fn compiled_in(shipped: &Shipped) -> Option<Isa> {
    shipped.model()
}

#[cfg(not(feature = "compiled"))]
fn compiled_in(_: &Shipped) -> Option<Isa> {
    None
}

/// A model, and what of a gen and features is asked for; each is `None` if it is left open.
pub type Open = (Isa, Option<u32>, Option<Vec<FeatureId>>);

/// Reads the description with all its problems, for questions about the description itself. `None` if there were errors.
pub fn read_open(spec: &Spec, host: &dyn Host, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Open> {
    let is_tablegen = || spec.path().is_some_and(|path| super::form::is_tablegen(&path));
    if spec.choice.has_target() || (!spec.choice.features.is_empty() && is_tablegen()) {
        let chosen = read_chosen(spec, host, files, problems)?;
        return Some((chosen.isa, None, Some(chosen.features)));
    }
    let isa = read_isa(spec, host, files, problems)?;
    let before = problems.error_count();
    let named = problems.ok(spec.source.named())?;
    let generation = problems.ok(generation(&spec.choice, &named, &isa)).flatten();
    let features = features(&spec.choice, &named, &isa, problems);
    (problems.error_count() == before).then_some((isa, generation, features))
}

/// Reads the description alone, with all its problems.
pub fn read_isa(spec: &Spec, host: &dyn Host, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Isa> {
    problems.ok(check_options(spec))?;
    match &spec.source {
        Source::File(path) => read_file(path, spec, host, files, problems),
        Source::Name(name) => match problems.ok(names::find(name))?.machine {
            Machine::File(path) => read_file(&path, spec, host, files, problems),
            Machine::Shipped(shipped) => read_shipped(shipped, files, problems),
            #[cfg(feature = "xe")]
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

#[cfg(not(feature = "fs"))]
fn read_file(path: &Path, _: &Spec, _: &dyn Host, _: &mut SourceMap, problems: &mut Diagnostics) -> Option<Isa> {
    let d = Diagnostic::error("cli-form", format!("cannot read {}: this build reads no files", path.display()));
    problems.push(d.note("it was built without the feature `fs`"));
    None
}

/// What this build cannot read.
#[cfg(feature = "fs")]
#[allow(dead_code)]
fn unbuilt(path: &Path, what: &str, feature: &str) -> Diagnostic {
    let d = Diagnostic::error("cli-form", format!("cannot read {}: this build does not read {what}", path.display()));
    d.note(format!("it was built without the feature `{feature}`"))
}

/// Says of a name that stands where a file should which option takes it: `--spec minnow`.
#[cfg(feature = "fs")]
fn misnamed(path: &Path) -> Option<Diagnostic> {
    let text = path.to_str().filter(|_| !path.exists())?;
    let is_name = matches!(Source::parse(text), Source::Name(_)) && names::find(text).is_ok();
    let d = Diagnostic::error("io-read", format!("cannot read `{text}`: there is no such file or folder"));
    is_name.then(|| d.note(format!("a description that comes with isaglot is chosen with `--isa {text}`")))
}

#[cfg(feature = "fs")]
fn read_file(
    path: &Path,
    spec: &Spec,
    host: &dyn Host,
    files: &mut SourceMap,
    problems: &mut Diagnostics,
) -> Option<Isa> {
    if super::form::is_tablegen(path) {
        #[cfg(feature = "llvm")]
        return super::target::read(path, &spec.choice, host, files, problems).map(|read| read.lowered.isa);
        #[cfg(not(feature = "llvm"))]
        return problems.ok(Err(unbuilt(path, "targets of LLVM", "llvm")));
    }
    if super::form::is_compiled(path) {
        #[cfg(feature = "compiled")]
        return super::compiled::read(path, spec.choice.stale, host, problems).map(|(_, isa)| isa);
        #[cfg(not(feature = "compiled"))]
        return problems.ok(Err(unbuilt(path, "compiled descriptions", "compiled")));
    }
    #[cfg(feature = "riscv-formats")]
    if super::published::is_published(path) {
        return super::published::read(path, &spec.choice.parts(), host, files, problems);
    }
    if let Some(d) = misnamed(path) {
        problems.push(d);
        return None;
    }
    let _stage = host.stage(&format!("reading the description {}", path.display()), "");
    let mut top = path.to_path_buf();
    if top.is_dir() {
        // A folder stands for the file in it that has its name.
        match top.file_name().map(|name| top.join(Path::new(name).with_extension("xml"))) {
            Some(file) if file.is_file() => top = file,
            _ => {
                problems.push(super::form::folder_refusal(path));
                return None;
            }
        }
    }
    let (name, bytes, partial) = match &spec.choice.roles {
        Roles::Usual | Roles::Unused => (String::new(), None, false),
        Roles::Wanted(Some(path)) => (path.display().to_string(), Some(problems.ok(host.read(path))?), false),
        Roles::Wanted(None) => {
            let (name, text) = shipped_roles(&top);
            (name, text.map(|text| text.as_bytes().to_vec()), true)
        }
    };
    let overlay = bytes.as_ref().map(|bytes| Overlay { name: &name, bytes, partial });
    let top = top.display().to_string();
    isaglot_isaspec::load_with_roles(files, &top, overlay, &mut crate::fs::read, problems)
}

/// The roles that ship with the library for a file of this name, and what their file is called.
pub(crate) fn shipped_roles(top: &Path) -> (String, Option<&'static str>) {
    let stem = top.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let text = shipped::roles(&stem);
    (format!("{stem}.roles.xml"), text)
}

/// A description that ships with the library, by the name of the description itself.
pub fn embedded(name: &str, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Isa> {
    shipped::find(name).and_then(|found| compiled_in(found).or_else(|| read_shipped(found, files, problems)))
}

fn read_shipped(shipped: &Shipped, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Isa> {
    isaglot_isaspec::load(files, shipped.top(), &mut |name| shipped.read(name), problems)
}
