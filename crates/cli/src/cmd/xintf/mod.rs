//! `isaglot xintf`: overloadable opcodes before a program runs. One file per sub-verb; here is what they share.

mod check;
mod header;
mod map;
mod prove;
mod registry;
mod skeleton;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use isaglot_invariant::Impossible as _;
use isaglot_riscv::Xlen;
use isaglot_source::{Diagnostic, Diagnostics, FileId, SourceMap, render};
use isaglot_xintf::check::{Target, check};
use isaglot_xintf::profile::{self, Profile};
use isaglot_xintf::registry::Registry;
use isaglot_xintf::set::{self, Set};

use crate::io::{self, Output};
use crate::schema;
use crate::session::{EXIT_INPUT, Session};

/// Overloadable opcodes: interface definitions, maps, the registry, headers and skeletons.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  isaglot xintf check music.xintf
  isaglot xintf header music.xintf -o music.h")]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Check interface definitions
    Check(check::Args),
    /// Write a header that calls the commands with an unmodified compiler
    Header(header::Args),
    /// Write the device's side, to be filled in
    Skeleton(skeleton::Args),
    /// Build or check the map of a processor
    #[command(
        subcommand,
        after_help = "\
Examples:
  isaglot xintf map build cpu.toml music.xintf -o cpu.json
  isaglot xintf map check cpu.toml music.xintf"
    )]
    Map(map::Verb),
    /// Prove laws of interfaces, machines and routines, or refute them with a program
    Prove(prove::Args),
    /// Keep the registry of interface numbers
    #[command(
        subcommand,
        after_help = "\
Examples:
  isaglot xintf registry add registry.txt org.example:Flute
  isaglot xintf registry check registry.txt"
    )]
    Registry(registry::Verb),
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    match &args.verb {
        Verb::Check(args) => check::run(args, session),
        Verb::Header(args) => header::run(args, session),
        Verb::Skeleton(args) => skeleton::run(args, session),
        Verb::Map(verb) => map::run(verb, session),
        Verb::Prove(args) => prove::run(args, session),
        Verb::Registry(verb) => registry::run(verb, session),
    }
}

/// What the interfaces are meant for.
#[derive(clap::Args)]
struct TargetArgs {
    /// Register width: 32 or 64
    #[arg(long, default_value = "64", value_parser = parse_xlen)]
    xlen: Xlen,
    /// Commands per interface: 1, 2, 4, 8 or 16
    #[arg(long, default_value = "8", value_name = "N", value_parser = parse_commands)]
    commands: u32,
}

impl TargetArgs {
    fn target(&self) -> Target {
        Target { xlen: self.xlen, commands: self.commands }
    }
}

fn parse_xlen(text: &str) -> Result<Xlen, String> {
    text.parse().ok().and_then(Xlen::from_bits).ok_or_else(|| "expected 32 or 64".to_owned())
}

fn parse_commands(text: &str) -> Result<u32, String> {
    let n = text.parse().ok().filter(|n: &u32| n.is_power_of_two() && *n <= isaglot_xintf::limits::MAX_COMMANDS);
    n.ok_or_else(|| "expected 1, 2, 4, 8 or 16".to_owned())
}

/// The encoding profile.
#[derive(clap::Args)]
struct ProfileArgs {
    /// Encoding profile: custom0, custom0-rocc, op-brownfield, reserved-6b, or one of --profiles
    #[arg(long, default_value = "custom0", value_name = "NAME")]
    profile: String,
    /// A file with further encoding profiles
    #[arg(long, value_name = "FILE")]
    profiles: Option<PathBuf>,
}

impl ProfileArgs {
    /// The profile, if there is one of that name and it has room for `n` commands.
    fn load(&self, session: &mut Session, n: u32, out: &mut Diagnostics) -> Option<Profile> {
        let mut all = profile::builtin();
        if let Some(path) = &self.profiles {
            let id = read(session, Some(path), out)?;
            all.extend(profile::parse(id, &bytes(&session.files, id), out));
        }
        let known: Vec<&str> = all.iter().map(|p| p.name.as_str()).collect();
        let names = known.join(", ");
        let near = isaglot_source::closest(&self.profile, known).map(str::to_owned);
        let Some(found) = all.into_iter().rev().find(|p| p.name == self.profile) else {
            let mut d = Diagnostic::error("E-PROFILE", format!("there is no encoding profile `{}`", self.profile));
            d = d.note(format!("there are {names}"));
            out.push(d.did_you_mean(near.as_deref()));
            return None;
        };
        if n > found.max_commands() {
            let message = format!("profile `{}` has room for {} commands", found.name, found.max_commands());
            out.push(Diagnostic::error("E-PROFILE", message));
            return None;
        }
        Some(found)
    }
}

/// The interfaces that a text is written for, and where it goes.
#[derive(clap::Args)]
struct TextArgs {
    /// Definition files; `-` is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Where else to look for imports
    #[arg(short = 'I', long, value_name = "DIR")]
    include: Vec<PathBuf>,
    /// The text; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    profile: ProfileArgs,
}

impl TextArgs {
    /// The interfaces, checked, and the profile.
    fn load(&self, session: &mut Session, found: &mut Diagnostics) -> (Set, Option<Profile>) {
        let set = load(session, &self.files, &self.include, found);
        check(set.written(), self.target.target(), found);
        let profile = self.profile.load(session, self.target.commands, found);
        (set, profile)
    }

    /// Reports what was found; if there was no error, writes the text.
    fn finish(&self, session: &Session, found: &Diagnostics, text: impl FnOnce() -> Option<String>) -> ExitCode {
        // Without a profile there was an error.
        finish(session, found, self.output.as_deref(), || text().or_impossible_default())
    }
}

/// How findings are shown.
#[derive(clap::Args)]
struct ReportArgs {
    /// Findings as JSON, one object a line, on standard output
    #[arg(long, conflicts_with = "sarif")]
    json: bool,
    /// Findings as SARIF 2.1.0 on standard output
    #[arg(long)]
    sarif: bool,
}

impl ReportArgs {
    /// Shows the findings and gives the exit status.
    fn finish(&self, session: &Session, found: &Diagnostics) -> ExitCode {
        let text = if self.sarif {
            format!("{}\n", render::sarif(&session.files, env!("CARGO_PKG_VERSION"), found))
        } else {
            found
                .iter()
                .map(|d| format!("{}\n", schema::marked(schema::MESSAGE, render::json(&session.files, d))))
                .collect()
        };
        if self.json || self.sarif {
            if let Err(d) = write(None, &text) {
                return session.fail(d);
            }
        } else {
            session.report(found);
        }
        status(found)
    }
}

fn status(found: &Diagnostics) -> ExitCode {
    if found.has_errors() { ExitCode::from(EXIT_INPUT) } else { ExitCode::SUCCESS }
}

/// Shows the findings as text; if there was no error, writes the output.
fn finish(session: &Session, found: &Diagnostics, output: Option<&Path>, text: impl FnOnce() -> String) -> ExitCode {
    session.report(found);
    if found.has_errors() {
        return ExitCode::from(EXIT_INPUT);
    }
    match write(output, &text()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(d) => session.fail(d),
    }
}

fn write(path: Option<&Path>, text: &str) -> Result<(), Diagnostic> {
    let mut output = Output::create(path, false)?;
    match output.write_all(text.as_bytes()) {
        Ok(()) => output.finish(),
        Err(e) => Err(output.failed(&e)),
    }
}

/// Reads a file into the session.
pub(crate) fn read(session: &mut Session, path: Option<&Path>, out: &mut Diagnostics) -> Option<FileId> {
    match io::read_text(path) {
        Ok(bytes) => Some(session.files.add(io::input_name(path), bytes)),
        Err(d) => {
            out.push(d);
            None
        }
    }
}

fn bytes(files: &SourceMap, id: FileId) -> std::sync::Arc<[u8]> {
    files.get(id).map(|f| f.bytes.clone()).or_impossible_default()
}

fn read_registry(session: &mut Session, path: &Path, out: &mut Diagnostics) -> Option<Registry> {
    let id = read(session, Some(path), out)?;
    Some(isaglot_xintf::registry::parse(id, &bytes(&session.files, id), out))
}

/// Reads definition files and what they import, which is looked for beside the importing file and in `include`.
pub(crate) fn load(session: &mut Session, files: &[PathBuf], include: &[PathBuf], out: &mut Diagnostics) -> Set {
    let mut known: BTreeMap<PathBuf, FileId> = BTreeMap::new();
    let mut named = Vec::new();
    for path in files {
        if let Some(id) = read(session, Some(path), out) {
            known.insert(canonical(path), id);
            named.push(id);
        }
    }
    let search = |map: &mut SourceMap, from: FileId, name: &str| {
        let beside = map.get(from).map(|f| Path::new(&f.name).parent().unwrap_or(Path::new("")).to_owned());
        let path = beside.iter().chain(include).map(|dir| dir.join(name)).find(|p| p.is_file())?;
        if let Some(&id) = known.get(&canonical(&path)) {
            return Some(id);
        }
        let id = map.add(path.display().to_string(), io::read_text(Some(&path)).ok()?);
        known.insert(canonical(&path), id);
        Some(id)
    };
    set::load(&mut session.files, &named, search, out)
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
