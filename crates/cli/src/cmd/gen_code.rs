//! `isaglot gen`: a codec as source code.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_codec::Plan;
use isaglot_emit::Rust;
use isaglot_emit::blueprint::{Blueprint, limbs_for};
use isaglot_emit::c::C;
use isaglot_emit::files::File;
use isaglot_emit::names;
use isaglot_emit::stamp::{self, Stamp};
use isaglot_source::{Diagnostic, Diagnostics};

use crate::args::{CompatArg, SpecArgs};
use crate::cmd::gen_isaspec::{self, Api, Product, Request};
use crate::interrupt::Stage;
use crate::io::write_files;
use crate::load::{Chosen, Source, Spec};
use crate::session::{EXIT_INPUT, Session};
use crate::subject::Subject;

/// Write a decoder, disassembler and assembler for a description as source code.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot gen c --spec my.xml -o decoder
  isaglot gen rust --isa rv64gc -o decoder")]
pub(crate) struct Args {
    #[command(subcommand)]
    language: Language,
}

#[derive(clap::Subcommand, Debug)]
enum Language {
    /// One header and one source: C11, the standard library alone.
    C(CArgs),
    /// A crate or module without dependencies, `no_std`, without `unsafe`.
    Rust(RustArgs),
}

/// What every language needs.
#[derive(clap::Args, Debug)]
struct Common {
    #[command(flatten)]
    spec: SpecArgs,
    /// The folder that the files go to; it is made if it is missing.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Aliases instead of the instructions that they stand for, where the description has any.
    #[arg(long)]
    aliases: bool,
    /// Texts by tables and a loop that runs them: less source, compiles faster.
    #[arg(long, conflicts_with = "switch")]
    tables: bool,
    /// Texts by straight code: runs faster. The default.
    #[arg(long)]
    switch: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot gen c --spec my.xml -o decoder
  isaglot gen c --isa trio --prefix dot --tables -o decoder")]
struct CArgs {
    #[command(flatten)]
    common: Common,
    /// What public names begin with; the name of the description if it is missing.
    #[arg(long, value_name = "NAME")]
    prefix: Option<String>,
    /// Write what a driver expects of another generator.
    #[arg(long, value_enum, value_name = "TOOL")]
    api: Option<Api>,
    /// With `--api`: whose texts to print where they differ.
    #[arg(long, value_enum, default_value_t = CompatArg::Mesa24, value_name = "TOOL", requires = "api")]
    compat: CompatArg,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot gen rust --isa rv64gc -o decoder
  isaglot gen rust --spec my.xml --module -o src/decoder")]
struct RustArgs {
    #[command(flatten)]
    common: Common,
    /// The name of the crate or module; that of the description if it is missing.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// A module (`mod.rs` and what belongs to it) instead of a crate.
    #[arg(long)]
    module: bool,
    /// Write what a driver expects of another generator: of isaspec the packer, `encode.rs`.
    #[arg(long, value_enum, value_name = "TOOL", conflicts_with_all = ["name", "module"])]
    api: Option<Api>,
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    match &args.language {
        Language::C(CArgs { common, prefix, api: Some(Api::Isaspec), compat }) => {
            let (spec, output, prefix) = (&common.spec.spec(), common.output.as_path(), prefix.as_deref());
            let kind = Product::C { prefix, compat: *compat };
            gen_isaspec::run(&Request { spec, output, aliases: common.aliases, kind }, session)
        }
        Language::Rust(RustArgs { common, api: Some(Api::Isaspec), .. }) => {
            let (spec, output) = (&common.spec.spec(), common.output.as_path());
            gen_isaspec::run(&Request { spec, output, aliases: common.aliases, kind: Product::Rust }, session)
        }
        Language::C(c) => {
            generate(&c.common, c.prefix.as_deref(), "c", names::c_prefix, session, |b, _, stamp, name| {
                C::new(&b, stamp, name).straight(!c.common.tables).files()
            })
        }
        Language::Rust(r) => generate(
            &r.common,
            r.name.as_deref(),
            if r.module { "rust --module" } else { "rust" },
            names::rust_name,
            session,
            |b, plan, stamp, name| {
                let rust = Rust::from_blueprint(b, plan).named(name).stamped(stamp).straight(!r.common.tables);
                if r.module { rust.module() } else { rust.files() }
            },
        ),
    }
}

/// Loads the description, checks every name, and writes the files that `files` gives: all of them or none.
fn generate(
    common: &Common,
    name: Option<&str>,
    language: &str,
    illegal: fn(&str) -> Option<Diagnostic>,
    session: &mut Session,
    files: impl FnOnce(Blueprint<'_>, &Plan<'_>, Stamp, &str) -> Vec<File>,
) -> ExitCode {
    let spec = common.spec.spec();
    let chosen = match Subject::description(&spec, session) {
        Ok(chosen) => chosen,
        Err(code) => return code,
    };
    let name = match name {
        Some(name) => name.to_owned(),
        None => names::suggested(&called(&spec, &chosen)),
    };
    let mut problems = Diagnostics::new();
    let _stage = Stage::new("generating code", "");
    illegal(&name).into_iter().for_each(|d| problems.push(d));
    let plan = chosen.plan().with_aliases(common.aliases);
    let blueprint = match Blueprint::new(&plan, limbs_for(&chosen.isa)) {
        Ok(blueprint) => blueprint,
        Err(unsupported) => {
            problems
                .push(Diagnostic::error("emit-unsupported", format!("no code can be generated: {}", unsupported.0)));
            session.report(&problems);
            return ExitCode::from(EXIT_INPUT);
        }
    };
    names::clashes(&chosen.isa, &blueprint, &mut problems);
    if problems.has_errors() {
        session.report(&problems);
        return ExitCode::from(EXIT_INPUT);
    }
    let hash = stamp::hash(session.files.iter().map(|(_, file)| &*file.bytes));
    let stamp = Stamp::new(&plan, hash, &command(common, &spec, &name, language));
    match write_files(&files(blueprint, &plan, stamp, &name), &common.output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => session.fail(e),
    }
}

/// What the description is called: by itself, or by its file or name.
fn called(spec: &Spec, chosen: &Chosen) -> String {
    let own = Some(chosen.isa.name()).filter(|name| !name.is_empty()).map(str::to_owned);
    own.unwrap_or_else(|| match &spec.source {
        Source::File(path) => path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default(),
        Source::Name(_) | Source::Input => spec.source.name(),
    })
}

/// The command that makes the same files again, in the folder that this one was given in.
fn command(common: &Common, spec: &Spec, name: &str, language: &str) -> String {
    let mut out = format!("isaglot gen {language}{}", options_of(spec));
    for (given, flag) in [(common.aliases, " --aliases"), (common.tables, " --tables")] {
        out += if given { flag } else { "" };
    }
    out + &format!(" {} {name} -o DIR", if language == "c" { "--prefix" } else { "--name" })
}

/// The options that choose a description, each with a blank before it. A file by its whole path is named without its folder,
/// which another machine does not have.
pub(crate) fn options_of(spec: &Spec) -> String {
    let mut out = String::new();
    let mut add = |option: &str, value: &str| out += &format!(" {option} {}", quoted(value));
    match &spec.source {
        Source::File(path) => add("--spec", &shown(path)),
        Source::Name(isa) => add("--isa", isa),
        Source::Input => {}
    }
    spec.choice.include.iter().for_each(|dir| add("-I", &shown(dir)));
    spec.choice.operands.iter().for_each(|file| add("--operands", &shown(file)));
    spec.choice.generation.iter().for_each(|generation| add("--gen", generation));
    for (option, value) in [("--triple", &spec.choice.triple), ("--mcpu", &spec.choice.cpu)] {
        if !value.is_empty() {
            add(option, value);
        }
    }
    if !spec.choice.features.is_empty() {
        out += &format!(" --feature={}", quoted(&spec.choice.features.join(",")));
    }
    for (given, flag) in [(spec.choice.aliases == Some(false), " --no-aliases"), (spec.choice.stale, " --stale")] {
        out += if given { flag } else { "" };
    }
    out
}

/// A path as it was given, or a whole one without its folder.
fn shown(path: &Path) -> String {
    let name = path.file_name().filter(|_| path.is_absolute()).map_or(path, Path::new);
    name.display().to_string()
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./,+=:@%".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
