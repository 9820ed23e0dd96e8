//! `isaglot gen`: a codec as source code.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_codec::Plan;
use isaglot_emit::Rust;
use isaglot_emit::blueprint::{Blueprint, limbs_for};
use isaglot_emit::c::C;
use isaglot_emit::files::File;
use isaglot_emit::limits::{FAST, SMALL};
use isaglot_emit::names;
use isaglot_emit::stamp::{self, Stamp};
use isaglot_invariant::impossible;
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
    /// Aliases instead of the instructions that they stand for, where the description has any.
    #[arg(long)]
    aliases: bool,
    /// Texts by tables and a loop that runs them: less source, compiles faster.
    #[arg(long, conflicts_with = "switch")]
    tables: bool,
    /// Texts by straight code: runs faster. The default, but not with `--api isaspec`, which has tables alone.
    #[arg(long)]
    switch: bool,
    /// Small object code: tables with shorter ways to fewer finished texts. Runs slower.
    #[arg(long, conflicts_with = "switch")]
    small: bool,
}

impl Common {
    /// Whether texts are straight code.
    fn straight(&self) -> bool {
        !self.tables && !self.small
    }
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot gen c --spec my.xml -o decoder
  isaglot gen c --isa trio --prefix dot --tables -o decoder
  isaglot gen c --isa trio --api isaspec --out-c trio-isa.c --out-h trio-isa.h --depfile trio.d")]
struct CArgs {
    #[command(flatten)]
    common: Common,
    /// The folder that the files go to; it is made if it is missing.
    #[arg(short, long, value_name = "DIR", required_unless_present_any = ["out_c", "out_encode", "out_decode", "out_enums"])]
    output: Option<PathBuf>,
    /// What public names begin with; the name of the description if it is missing.
    #[arg(long, value_name = "NAME")]
    prefix: Option<String>,
    /// Write what a driver expects of another generator.
    #[arg(long, value_enum, value_name = "TOOL")]
    api: Option<Api>,
    /// With `--api`: whose texts to print where they differ.
    #[arg(long, value_enum, default_value_t = CompatArg::Mesa24, value_name = "TOOL", requires = "api")]
    compat: CompatArg,
    /// With `--api`: also the enums of the description and the names of its instructions, `enums.h`.
    #[arg(long, requires_all = ["api", "output"])]
    enums: bool,
    #[command(flatten)]
    outputs: Outputs,
}

/// With `--api`: single files, for a build system that names each.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Outputs {
    /// With `--api`, instead of `-o`: where the source of the disassembler goes. Nothing is written that is not named.
    #[arg(long, value_name = "FILE", requires_all = ["api", "out_h"], conflicts_with = "output")]
    pub(crate) out_c: Option<PathBuf>,
    /// With `--out-c`: where its header goes. Up to its first `-`, `_` or `.` it names the prefix, unless `--prefix` does.
    #[arg(long, value_name = "FILE", requires = "out_c")]
    pub(crate) out_h: Option<PathBuf>,
    /// With `--api`: where the packer goes.
    #[arg(long, value_name = "FILE", requires = "api", conflicts_with = "output")]
    pub(crate) out_encode: Option<PathBuf>,
    /// With `--api`: where the unpacker goes.
    #[arg(long, value_name = "FILE", requires = "api", conflicts_with = "output")]
    pub(crate) out_decode: Option<PathBuf>,
    /// With `--api`: where the enums go.
    #[arg(long, value_name = "FILE", requires = "api", conflicts_with = "output")]
    pub(crate) out_enums: Option<PathBuf>,
    /// With `--api`: a file that says, for make and ninja, which files the outputs are made from.
    #[arg(long, value_name = "FILE", requires = "api")]
    pub(crate) depfile: Option<PathBuf>,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot gen rust --isa rv64gc -o decoder
  isaglot gen rust --spec my.xml --module -o src/decoder")]
struct RustArgs {
    #[command(flatten)]
    common: Common,
    /// The folder that the files go to; it is made if it is missing.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// The name of the crate or module; that of the description if it is missing.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// A module (`mod.rs` and what belongs to it) instead of a crate.
    #[arg(long)]
    module: bool,
    /// Write what a driver expects of another generator: of isaspec the packer, `encode.rs`.
    #[arg(long, value_enum, value_name = "TOOL", conflicts_with_all = ["name", "module"])]
    api: Option<Api>,
    /// With `--api`: also the enums of the description and the names of its instructions, `enums.rs`.
    #[arg(long, requires = "api")]
    enums: bool,
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    match &args.language {
        Language::C(c) if c.api == Some(Api::Isaspec) => {
            let kind = Product::C {
                prefix: c.prefix.as_deref(),
                compat: c.compat,
                small: c.common.small,
                output: c.output.as_deref(),
                outputs: &c.outputs,
            };
            isaspec(&c.common, kind, c.enums, session)
        }
        Language::Rust(r) if r.api == Some(Api::Isaspec) => {
            isaspec(&r.common, Product::Rust { output: &r.output }, r.enums, session)
        }
        Language::C(c) => {
            let Some(output) = c.output.as_deref() else { return impossible(ExitCode::FAILURE) };
            generate(&c.common, output, c.prefix.as_deref(), "c", names::c_prefix, session, |b, _, stamp, name| {
                C::new(&b, stamp, name).straight(c.common.straight()).files()
            })
        }
        Language::Rust(r) => generate(
            &r.common,
            &r.output,
            r.name.as_deref(),
            if r.module { "rust --module" } else { "rust" },
            names::rust_name,
            session,
            |b, plan, stamp, name| {
                let rust = Rust::from_blueprint(b, plan).named(name).stamped(stamp).straight(r.common.straight());
                if r.module { rust.module() } else { rust.files() }
            },
        ),
    }
}

/// What isaspec's own generator gives.
fn isaspec(common: &Common, kind: Product<'_>, enums: bool, session: &mut Session) -> ExitCode {
    let Common { aliases, tables, switch, small, .. } = *common;
    let only_c = matches!(kind, Product::Rust { .. });
    let refused = [
        ("--aliases", aliases, "a driver prints what the description says"),
        ("--switch", switch, "its disassembler runs tables"),
        ("--tables", tables && only_c, "the packer has none"),
        ("--small", small && only_c, "it is about the tables of the disassembler, which is C"),
    ];
    if let Some((option, _, why)) = refused.iter().find(|(_, given, _)| *given) {
        let d = Diagnostic::error("cli-gen", format!("`{option}` does not go with `--api isaspec`"));
        return session.wrong_usage(d.note(*why));
    }
    gen_isaspec::run(&Request { spec: &common.spec.spec(), enums, kind }, session)
}

/// Loads the description, checks every name, and writes the files that `files` gives: all of them or none.
fn generate(
    common: &Common,
    output: &Path,
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
    let layout = if common.small { SMALL } else { FAST };
    let blueprint = match Blueprint::laid_out(&plan, limbs_for(&chosen.isa), layout) {
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
    match write_files(&files(blueprint, &plan, stamp, &name), output) {
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
    for (given, flag) in [(common.aliases, " --aliases"), (common.tables, " --tables"), (common.small, " --small")] {
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
