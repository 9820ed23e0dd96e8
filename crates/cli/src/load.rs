//! From `--spec FILE` or `--isa NAME`, `--gen` and `--feature` to a model and what to decode for.

use std::io::Read;
use std::path::{Path, PathBuf};

use isaglot_asm::{Compat, Names};
use isaglot_isaspec::Overlay;
use isaglot_llvm::OperandTable;
use isaglot_model::{FeatureId, Isa};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap, Span, closest};

use crate::compiled;
use crate::session::Session;
use crate::target::{self, TargetArgs};

/// The options that choose a description.
#[derive(clap::Args, Clone, Debug)]
#[command(group(clap::ArgGroup::new("description").required(true).args(["spec", "isa"])))]
pub(crate) struct SpecArgs {
    /// A description: an isaspec XML file, the TableGen file of an LLVM target, or what `isaglot compile` made of one.
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Option<PathBuf>,
    /// A description that comes with isaglot; `--isa help` lists them.
    #[arg(long, value_name = "NAME")]
    pub(crate) isa: Option<String>,
    /// What to decode for where a description distinguishes gens: a number, or a name that it gives.
    #[arg(long = "gen", value_name = "N")]
    pub(crate) generation: Option<String>,
    /// Switch a feature on (`+name` or `name`) or off (`-name`); several with commas.
    #[arg(long = "feature", alias = "mattr", value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) features: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Set by verbs that show what instructions read and write.
    #[arg(skip)]
    pub(crate) roles: Roles,
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

/// The option that says what fields are to instructions.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct RolesArgs {
    /// What fields are to instructions, for a description that does not say it (`none` for nothing). By default what comes
    /// with isaglot for a file of the description's name: ir3.xml and etnaviv.xml.
    #[arg(long, value_name = "FILE")]
    roles: Option<PathBuf>,
}

impl From<&RolesArgs> for Roles {
    fn from(args: &RolesArgs) -> Roles {
        match &args.roles {
            Some(path) if path.as_os_str() == "none" => Roles::Unused,
            path => Roles::Wanted(path.clone()),
        }
    }
}

/// A description with the choices made.
pub(crate) struct Chosen {
    /// The model.
    pub(crate) isa: Isa,
    /// The gen to decode for.
    pub(crate) generation: u32,
    /// The features that are on.
    pub(crate) features: Vec<FeatureId>,
    /// Whether shorthands are the usual way to write.
    pub(crate) aliases: bool,
}

/// The code of the warning that roles do not fit the description in all.
const PARTIAL_ROLES: &str = "isaspec-roles-partial";

/// Loads the description and resolves the choices. Problems are reported; `None` if one of them is an error.
pub(crate) fn load(args: &SpecArgs, session: &mut Session) -> Option<Chosen> {
    let mut problems = Diagnostics::new();
    let chosen = read_chosen(args, &mut session.files, &mut problems);
    // A warning about a description is for `check`; who disassembles wants text. One about roles tells what is left out.
    if problems.has_errors() || problems.iter().any(|d| d.code == PARTIAL_ROLES) {
        session.report(&problems);
    }
    chosen
}

/// As [`load`], for a caller that reports by itself.
pub(crate) fn read_chosen(args: &SpecArgs, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Chosen> {
    match args.spec.as_deref() {
        Some(path) if target::is_tablegen(path) => target::load(path, args, files, problems),
        Some(path) if compiled::is_compiled(path) => {
            let (header, isa) = compiled::read(path, args.target.stale, problems)?;
            match header.triples {
                Some(triples) => {
                    let table = OperandTable { triples, ..OperandTable::default() };
                    target::choose(isa, &table, args, problems)
                }
                None => choose(args, isa, problems),
            }
        }
        _ => read_isa(args, files, problems).and_then(|isa| choose(args, isa, problems)),
    }
}

/// Reads the description alone, with all its problems.
pub(crate) fn read_isa(args: &SpecArgs, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Isa> {
    if let Some(name) = &args.isa {
        return embedded(name, files, problems);
    }
    let path = args.spec.as_deref()?;
    if target::is_tablegen(path) {
        return target::read(path, &args.target.files, files, problems).map(|read| read.lowered.isa);
    }
    if compiled::is_compiled(path) {
        return compiled::read(path, args.target.stale, problems).map(|(_, isa)| isa);
    }
    let mut top = path.to_path_buf();
    // A folder stands for the file in it that has its name.
    if top.is_dir()
        && let Some(name) = top.file_name().map(std::ffi::OsStr::to_os_string)
    {
        top.push(Path::new(&name).with_extension("xml"));
    }
    let (name, bytes, partial) = match &args.roles {
        Roles::Unused => (String::new(), None, false),
        Roles::Wanted(Some(path)) => match crate::io::read(Some(path)) {
            Ok(bytes) => (path.display().to_string(), Some(bytes), false),
            Err(d) => {
                problems.push(d);
                return None;
            }
        },
        Roles::Wanted(None) => {
            let stem = top.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            let bytes = crate::embedded::roles(&stem).map(|text| text.as_bytes().to_vec());
            (format!("{stem}.roles.xml"), bytes, true)
        }
    };
    let overlay = bytes.as_ref().map(|bytes| Overlay { name: &name, bytes, partial });
    let top = top.display().to_string();
    let mut read_file = |path: &str| read_bounded(Path::new(path)).map_err(|e| e.to_string());
    isaglot_isaspec::load_with_roles(files, &top, overlay, &mut read_file, problems)
}

/// Reads one byte more than the front end takes at most, so that it can say so.
fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = isaglot_isaspec::limits::MAX_FILE_BYTES as u64 + 1;
    std::fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A description that comes with the tool.
pub(crate) fn embedded(name: &str, files: &mut SourceMap, problems: &mut Diagnostics) -> Option<Isa> {
    let family = isaglot_riscv::isa_name::parse(name).map(|_| "riscv");
    let Some(found) = crate::embedded::find(family.unwrap_or(name)) else {
        let names = crate::embedded::names();
        let mut d = Diagnostic::error("cli-isa", format!("no description called `{name}` comes with isaglot"));
        if let Some(near) = closest(name, names.iter().copied()) {
            d = d.note(format!("did you mean `{near}`?"));
        }
        problems.push(d.note(format!("there are: {}", names.join(", "))));
        return None;
    };
    let text = |file: &str| found.file(file).ok_or("it does not come with isaglot");
    let mut read_file = |file: &str| text(file).map(|t| t.as_bytes().to_vec()).map_err(str::to_owned);
    isaglot_isaspec::load(files, found.top(), &mut read_file, problems)
}

fn choose(args: &SpecArgs, isa: Isa, problems: &mut Diagnostics) -> Option<Chosen> {
    let before = problems.error_count();
    let generation = match &args.generation {
        None => args.isa.as_deref().and_then(isaglot_riscv::isa_name::parse).map_or(0, |name| name.xlen.bits()),
        Some(text) => generation(&isa, text).unwrap_or_else(|d| {
            problems.push(d);
            0
        }),
    };
    let family = args.isa.as_deref().and_then(isaglot_riscv::isa_name::parse).map(|name| name.features);
    let on = features(&isa, family.as_deref(), &args.features, problems);
    (problems.error_count() == before).then_some(Chosen { isa, generation, features: on, aliases: false })
}

/// The features that are on: those named, or else the defaults, with the user's choices.
pub(crate) fn features(
    isa: &Isa,
    named: Option<&[String]>,
    choices: &[String],
    problems: &mut Diagnostics,
) -> Vec<FeatureId> {
    let mut on = Vec::new();
    match named {
        Some(names) => names.iter().for_each(|name| feature(isa, name, true, &mut on, problems)),
        None => on.extend((0..isa.features().len() as u32).map(FeatureId).filter(|&f| isa[f].default)),
    }
    toggle(isa, choices, &mut on, problems);
    on
}

/// Switches features on (`+name` or `name`) or off (`-name`).
pub(crate) fn toggle(isa: &Isa, choices: &[String], on: &mut Vec<FeatureId>, problems: &mut Diagnostics) {
    for choice in choices {
        let (name, keep) = match choice.strip_prefix('-') {
            Some(name) => (name, false),
            None => (choice.strip_prefix('+').unwrap_or(choice), true),
        };
        feature(isa, name, keep, on, problems);
    }
}

/// Switches a feature on or off.
fn feature(isa: &Isa, name: &str, keep: bool, on: &mut Vec<FeatureId>, problems: &mut Diagnostics) {
    let Some(at) = isa.features().iter().position(|f| f.name == name) else {
        let mut d = Diagnostic::error("cli-feature", format!("the description has no feature `{name}`"));
        if let Some(near) = closest(name, isa.features().iter().map(|f| f.name.as_str())) {
            d = d.note(format!("did you mean `{near}`?"));
        }
        problems.push(d);
        return;
    };
    on.retain(|f| f.index() != at);
    if keep {
        on.push(FeatureId(at as u32));
    }
}

/// The gen of this name or number.
pub(crate) fn generation(isa: &Isa, text: &str) -> Result<u32, Diagnostic> {
    if let Some(named) = isa.gens().iter().find(|g| g.name == text) {
        return Ok(named.value);
    }
    text.parse().map_err(|_| {
        let names: Vec<&str> = isa.gens().iter().map(|g| g.name.as_str()).collect();
        let d = Diagnostic::error("cli-gen", format!("`{text}` is no gen"));
        match names.as_slice() {
            [] => d.note("expected a number"),
            names => d.note(format!("expected a number, or one of: {}", names.join(", "))),
        }
    })
}

/// Whose texts to read and print where tools differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CompatArg {
    /// Floats as `%f`.
    #[value(name = "mesa-24.3")]
    Mesa24,
    /// Floats so that they read back.
    #[value(name = "mesa-26")]
    Mesa26,
}

impl From<CompatArg> for Compat {
    fn from(arg: CompatArg) -> Compat {
        match arg {
            CompatArg::Mesa24 => Compat::Mesa24,
            CompatArg::Mesa26 => Compat::Mesa26,
        }
    }
}

/// Reads a table of names for fields of type `custom`: no table, no names.
pub(crate) fn read_names(path: Option<&Path>, session: &mut Session) -> Result<Names, Diagnostic> {
    let Some(path) = path else { return Ok(Names::default()) };
    let bytes = crate::io::read(Some(path))?;
    let file = session.files.add(path.display().to_string(), bytes.as_slice());
    Names::parse(&bytes).map_err(|bad| {
        let mut d = Diagnostic::error("cli-names", "this line is no entry of a table of names");
        for line in bad {
            d = d.label(Span::new(file, line.start, line.start + line.len), "expected `FIELD VALUE TEXT`");
        }
        d
    })
}
