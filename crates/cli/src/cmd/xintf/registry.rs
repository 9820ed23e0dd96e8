//! `isaglot xintf registry`: the file in which interface numbers are claimed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot_source::{Diagnostic, Diagnostics, Span};
use isaglot_xintf::registry::{self, NumberKind, Registry, RegistryEntry, Request};
use isaglot_xintf::{name, uuid};

use super::ReportArgs;
use crate::session::Session;

#[derive(clap::Subcommand)]
pub(super) enum Verb {
    /// Claim a number for an interface
    Add(Add),
    /// Check a registry
    Check(Check),
    /// Take the union of registries, whatever their order
    Merge(Merge),
    /// Print the numbers that are hashed from names
    Hash(Hash),
}

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  isaglot xintf registry add registry.txt org.example:Flute --owner me@example.org
  isaglot xintf registry add registry.txt org.example:Oboe --central")]
pub(super) struct Add {
    /// The registry; it is made if there is none
    file: PathBuf,
    /// The interface, such as `org.example:Thing`
    name: String,
    /// The lowest free central number instead of a hash
    #[arg(long, group = "number")]
    central: bool,
    /// If the hash is taken, that of `name#1`, `name#2`, …
    #[arg(long, group = "number")]
    rehash: bool,
    /// The 52-bit hash, for RV64 alone
    #[arg(long, group = "number")]
    wide: bool,
    /// This number
    #[arg(long, group = "number", value_name = "NUMBER", value_parser = parse_number)]
    uuid: Option<u64>,
    /// Who claims it: one word
    #[arg(long, default_value = "-")]
    owner: String,
    /// When, as YYYY-MM-DD; today if not given
    #[arg(long)]
    date: Option<String>,
    /// Where to write the registry; in its place if not given
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  isaglot xintf registry check registry.txt
  isaglot xintf registry check registry.txt --base registry.txt --json")]
pub(super) struct Check {
    /// The registry
    file: PathBuf,
    /// An earlier state of which every line must still be there
    #[arg(long, value_name = "FILE")]
    base: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
}

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  isaglot xintf registry merge registry.txt theirs.txt
  isaglot xintf registry merge registry.txt theirs.txt -o both.txt")]
pub(super) struct Merge {
    /// Registries
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The union; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  isaglot xintf registry hash org.example:Drums
  isaglot xintf registry hash --json org.example:Drums org.example:Flute")]
pub(super) struct Hash {
    /// Interfaces
    #[arg(required = true)]
    names: Vec<String>,
    /// As JSON, one object a line
    #[arg(long)]
    json: bool,
}

fn parse_number(text: &str) -> Result<u64, String> {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |hex| (hex, 16));
    u64::from_str_radix(digits, radix).map_err(|_| "expected a number in decimal or `0x` hexadecimal".to_owned())
}

pub(super) fn run(verb: &Verb, session: &mut Session) -> ExitCode {
    match verb {
        Verb::Add(args) => add(args, session),
        Verb::Check(args) => check(args, session),
        Verb::Merge(args) => merge(args, session),
        Verb::Hash(args) => hash(args, session),
    }
}

fn add(args: &Add, session: &mut Session) -> ExitCode {
    let mut found = Diagnostics::new();
    let registry = if args.file.exists() {
        super::read_registry(session, &args.file, &mut found)
    } else {
        Some(Registry::default())
    };
    let Some(mut registry) = registry else { return super::finish(session, &found, None, String::new) };
    registry::check(&registry, &mut found);
    if found.has_errors() {
        return super::finish(session, &found, None, String::new);
    }
    let request = match args.uuid {
        Some(number) => Request::Number(number, None),
        None if args.central => Request::Central,
        None if args.rehash => Request::Rehash,
        None if args.wide => Request::Wide,
        None => Request::Hash,
    };
    // Findings about the request point into what was typed.
    let typed = args.name.clone();
    let place = session.files.add("<arguments>", typed.clone().into_bytes());
    let span = Span::new(place, 0, typed.len());
    let date = args.date.clone().unwrap_or_else(today);
    let entry =
        RegistryEntry { uuid: 0, name: typed, kind: NumberKind::Central, owner: args.owner.clone(), date, span };
    registry::claim(&mut registry, entry, request, &mut found);
    let output = args.output.as_deref().unwrap_or(&args.file);
    super::finish(session, &found, Some(output), || registry::print(&registry))
}

/// The date in UTC, from the days since 1970 by counting whole 400-year cycles of the calendar.
fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    // Years start in March, so that a leap day is the last day of one; day 0 is 0000-03-01.
    let days = since.as_secs() / 86_400 + 719_468;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", cycle * 400 + year + carry)
}

fn check(args: &Check, session: &mut Session) -> ExitCode {
    let mut found = Diagnostics::new();
    let now = super::read_registry(session, &args.file, &mut found);
    if let Some(now) = &now {
        registry::check(now, &mut found);
    }
    if let Some(path) = &args.base
        && let Some(before) = super::read_registry(session, path, &mut found)
        && let Some(now) = &now
    {
        registry::append_only(&before, now, &mut found);
    }
    args.report.finish(session, &found)
}

fn merge(args: &Merge, session: &mut Session) -> ExitCode {
    let mut found = Diagnostics::new();
    let read = |path: &PathBuf| super::read_registry(session, Path::new(path), &mut found);
    let all: Vec<Registry> = args.files.iter().filter_map(read).collect();
    let merged = registry::merge(&all, &mut found);
    super::finish(session, &found, args.output.as_deref(), || registry::print(&merged))
}

fn hash(args: &Hash, session: &mut Session) -> ExitCode {
    let mut found = Diagnostics::new();
    let mut text = String::new();
    for typed in &args.names {
        let place = session.files.add("<arguments>", typed.clone().into_bytes());
        if let Err(e) = name::check_interface(typed) {
            let d = Diagnostic::error("E-NAME", format!("`{typed}` is no interface name: {}", e.why));
            found.push(d.label(Span::new(place, e.offset, e.offset + e.len.max(1)), ""));
            continue;
        }
        let (narrow, wide) = (uuid::hash20(typed), uuid::hash52(typed));
        text += &if args.json {
            let object = serde_json::json!({
                "$schema": crate::schema::INTERFACE_HASH, "name": typed, "uuid": format!("0x{narrow:05X}"), "wide": format!("0x{wide:013X}"),
            });
            format!("{object}\n")
        } else {
            format!("0x{narrow:05X} 0x{wide:013X} {typed}\n")
        };
    }
    super::finish(session, &found, None, || text)
}
