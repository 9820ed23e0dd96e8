//! `isaglot xintf prove`: laws of interfaces, machines and routines, decided by a solver.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use isaglot_hart::Config;
use isaglot_prove::routine::{Argument, Image};
use isaglot_prove::sequence::{self, Command};
use isaglot_prove::{Answer, Claim, Riscv, Verdict, against, decide, encoding, isolation, machine, routine};
use isaglot_riscv::Xlen;
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use isaglot_xintf::check::{Target, check};
use isaglot_xintf::meaning::{self, Meaning};
use isaglot_xintf::name::mangle;
use isaglot_xintf::profile::{self, Profile};
use isaglot_xintf::set::Set;
use isaglot_xintf::tree::{self, ConfigEntry};
use isaglot_xintf::uuid::{self, embed};
use object::{Object, ObjectSegment, ObjectSymbol, SegmentFlags};
use serde_json::json;

use super::ProfileArgs;
use crate::interrupt::Stage;
use crate::progress::Progress;
use crate::session::{EXIT_INPUT, EXIT_USAGE, Session};
use crate::solver::{KNOWN, Solver};

/// A segment that programs may write to.
const PF_W: u32 = 2;

#[derive(clap::Args)]
#[command(after_help = "\
Without --cpu, --against or --routine: `xext; xcmdK` is the native instruction and what the fallback interfaces give, on
every machine that has them, and the encoding profiles agree. The status is 0 if everything was proved.

Examples:
  isaglot xintf prove music.xintf --law sequence  # needs z3
  isaglot xintf prove music.xintf --cpu cpu.toml --law device --counterexample found  # needs z3
  isaglot xintf prove music.xintf --routine emulate.elf --args data,rs2  # needs z3")]
pub(super) struct Args {
    /// Definition files; their commands need `semantics { … }`
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A machine: prove that its devices do what the interfaces say, what falls back there, and that no unit outside its
    /// maps reaches a device
    #[arg(long, value_name = "FILE")]
    cpu: Option<PathBuf>,
    /// With --cpu: the map that counts for what may reach a device; that of the machine itself if not given
    #[arg(long, value_name = "FILE", requires = "cpu")]
    intended: Option<PathBuf>,
    /// Other definitions of the same commands: prove that they say the same
    #[arg(long, value_name = "FILE")]
    against: Vec<PathBuf>,
    /// RISC-V code, a linked ELF file: prove that its functions called like the commands (`org_x__Intf__command`) do the same
    #[arg(long, value_name = "FILE")]
    routine: Option<PathBuf>,
    /// With --routine: what the functions are given in a0, a1, …: rs1, rs2, data, lun or k
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "rs1,rs2", value_parser = parse_argument)]
    args: Vec<Argument>,
    /// With --routine: this function for this command; by default the one called like it
    #[arg(long, value_name = "COMMAND=FUNCTION", value_parser = parse_function)]
    function: Vec<(String, String)>,
    /// Only these laws: sequence, fallback, device, escape, isolation, semantics, routine, encoding
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = LAWS)]
    law: Vec<String>,
    /// Register width, 32 or 64; both if not given, or what --cpu or --routine say
    #[arg(long, value_parser = super::parse_xlen)]
    xlen: Option<Xlen>,
    /// Commands per interface: 1, 2, 4, 8 or 16
    #[arg(long, default_value = "8", value_name = "N", value_parser = super::parse_commands)]
    commands: u32,
    #[command(flatten)]
    profile: ProfileArgs,
    /// Where else to look for imports
    #[arg(short = 'I', long, value_name = "DIR")]
    include: Vec<PathBuf>,
    /// The solver; the first of z3 and cvc5 that is there if not given
    #[arg(long, value_name = "PROGRAM")]
    solver: Option<PathBuf>,
    /// How long it may take for one claim, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    timeout: u64,
    /// Write every formula as SMT-LIB 2 into this folder
    #[arg(long, value_name = "DIR")]
    smt: Option<PathBuf>,
    /// Write a program and a machine for every counterexample into this folder
    #[arg(long, value_name = "DIR")]
    counterexample: Option<PathBuf>,
    /// Print a JSON object for each claim
    #[arg(long)]
    json: bool,
}

const LAWS: [&str; 8] = ["sequence", "fallback", "device", "escape", "isolation", "semantics", "routine", "encoding"];

fn parse_argument(text: &str) -> Result<Argument, String> {
    let known = Argument::NAMES.into_iter().find(|a| a.0 == text);
    known.map(|a| a.1).ok_or_else(|| "expected rs1, rs2, data, lun or k".to_owned())
}

fn parse_function(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(c, f)| (c.to_owned(), f.to_owned()));
    parts.ok_or_else(|| "expected COMMAND=FUNCTION".to_owned())
}

/// A command with what it does, by value.
struct Known {
    name: String,
    uuid: u64,
    k: u8,
    meaning: Meaning,
}

impl Known {
    fn command(&self) -> Command<'_> {
        Command { name: &self.name, uuid: self.uuid, k: self.k, meaning: &self.meaning }
    }
}

/// The commands with semantics of these interfaces.
fn known<'a>(
    interfaces: impl Iterator<Item = &'a isaglot_xintf::ast::Interface>,
    xlen: Xlen,
    out: &mut Diagnostics,
) -> Vec<Known> {
    let mut list = Vec::new();
    for interface in interfaces {
        let Some(uuid) = interface.uuid.and_then(|u| u.value).filter(|&v| v <= uuid::max(xlen)) else { continue };
        for (k, meaning) in meaning::of_interface(interface, xlen, out) {
            let command = interface.commands.iter().find(|c| c.k == Some(u32::from(k)));
            let name = format!("{}:{}", interface.name.text, command.map_or("", |c| c.name.as_str()));
            list.push(Known { name, uuid: embed(uuid, xlen), k, meaning });
        }
    }
    list
}

fn xlen_of(bits: u32) -> Xlen {
    Xlen::of(bits)
}

pub(super) fn run(args: &Args, session: &mut Session) -> ExitCode {
    match prove(args, session) {
        Ok(code) => code,
        Err(found) => session.status(&found),
    }
}

/// Everything that claims are made of.
struct Job<'a> {
    args: &'a Args,
    isa: &'a isaglot_model::Isa,
    set: &'a Set,
    profile: Profile,
}

impl Job<'_> {
    fn wants(&self, law: &str) -> bool {
        self.args.law.is_empty() || self.args.law.iter().any(|l| l == law)
    }

    fn riscv(&self, xlen: u32, encoding: &str, commands: u32) -> Result<Riscv<'_>, Diagnostics> {
        Riscv::new(self.isa, xlen, encoding, commands).map_err(failure)
    }
}

fn failure(message: String) -> Diagnostics {
    Diagnostic::error("prove", message).into()
}

fn no_semantics() -> Diagnostics {
    failure("the description does not say what the generic instructions do".to_owned())
}

fn prove(args: &Args, session: &mut Session) -> Result<ExitCode, Diagnostics> {
    let mut found = Diagnostics::new();
    let isa = crate::load::embedded("riscv", &mut SourceMap::new(), &mut found).ok_or(std::mem::take(&mut found))?;
    let set = super::load(session, &args.files, &args.include, &mut found);
    let profile = args.profile.load(session, args.commands, &mut found);
    let widest = args.xlen.unwrap_or(Xlen::Rv64);
    check(set.written(), Target { xlen: widest, commands: isaglot_xintf::limits::MAX_COMMANDS }, &mut found);
    let Some(profile) = profile.filter(|_| !found.has_errors()) else { return Err(found) };
    let job = Job { args, isa: &isa, set: &set, profile };
    let mut base = Vec::new();
    let mut claims = Vec::new();
    if let Some(path) = &args.cpu {
        claims.extend(on_machine(&job, path, session, &mut base)?);
    }
    if !args.against.is_empty() && job.wants("semantics") {
        claims.extend(other_text(&job, session)?);
    }
    if let Some(path) = args.routine.as_ref().filter(|_| job.wants("routine")) {
        claims.extend(code(&job, path)?);
    }
    if args.cpu.is_none() && args.against.is_empty() && args.routine.is_none() {
        claims.extend(everywhere(&job, session)?);
    }
    if claims.is_empty() {
        let d = Diagnostic::error("prove-nothing", "there is nothing to prove");
        return Err(d.note("commands need `semantics { … }`, and --law a law that applies").into());
    }
    decide_all(args, session, &claims, &base)
}

fn widths(args: &Args) -> Vec<Xlen> {
    args.xlen.map_or_else(|| vec![Xlen::Rv32, Xlen::Rv64], |x| vec![x])
}

/// The laws of every machine.
fn everywhere(job: &Job<'_>, session: &mut Session) -> Result<Vec<Claim>, Diagnostics> {
    let mut found = Diagnostics::new();
    let mut claims = Vec::new();
    for xlen in widths(job.args) {
        let commands = known(job.set.own(), xlen, &mut found);
        if found.has_errors() {
            return Err(found);
        }
        let mut riscv = job.riscv(xlen.bits(), &job.profile.name, job.args.commands)?;
        if job.wants("sequence") {
            for command in commands.iter().filter(|c| u32::from(c.k) < job.args.commands) {
                let claim = sequence::native(&mut riscv, &job.profile, &command.command());
                claims.push(claim.ok_or_else(no_semantics)?);
            }
        }
        if job.wants("fallback") {
            claims.extend(sequence::fallback(&mut riscv, &job.profile, job.args.commands).ok_or_else(no_semantics)?);
        }
        if job.wants("encoding") {
            let mut all = vec![job.profile.clone()];
            all.extend(profiles(job.args, session)?.into_iter().filter(|p| *p != job.profile));
            let agree = encoding::agree(job.isa, xlen.bits(), &all, job.args.commands);
            claims.extend(agree.map_err(failure)?);
        }
    }
    Ok(claims)
}

/// The built-in profiles and those of the user's file, which come first where they have the same name.
fn profiles(args: &Args, session: &mut Session) -> Result<Vec<Profile>, Diagnostics> {
    let mut all = Vec::new();
    let mut found = Diagnostics::new();
    if let Some(path) = &args.profile.profiles
        && let Some(id) = super::read(session, Some(path), &mut found)
    {
        all = profile::parse(id, &super::bytes(&session.files, id), &mut found);
    }
    for builtin in profile::builtin() {
        if !all.iter().any(|p: &Profile| p.name == builtin.name) {
            all.push(builtin);
        }
    }
    if found.has_errors() { Err(found) } else { Ok(all) }
}

fn read_machine(job: &Job<'_>, path: &Path, session: &mut Session) -> Result<(Config, Vec<ConfigEntry>), Diagnostics> {
    let mut found = Diagnostics::new();
    let id = super::read(session, Some(path), &mut found);
    let Some(id) = id else { return Err(found) };
    let bytes = super::bytes(&session.files, id);
    let xlen = job.args.xlen.unwrap_or(Xlen::Rv64).bits();
    let config = Config::read(id, &bytes, job.set, xlen, &mut found);
    if found.has_errors() {
        return Err(found);
    }
    Ok((config, tree::read(id, &bytes, &mut Diagnostics::new())))
}

/// The laws of a machine.
fn on_machine(
    job: &Job<'_>,
    path: &Path,
    session: &mut Session,
    base: &mut Vec<ConfigEntry>,
) -> Result<Vec<Claim>, Diagnostics> {
    let (config, entries) = read_machine(job, path, session)?;
    *base = entries;
    let intended = match &job.args.intended {
        Some(path) => Some(read_machine(job, path, session)?.0),
        None => None,
    };
    let mut found = Diagnostics::new();
    let known = known(job.set.interfaces(), xlen_of(config.xlen), &mut found);
    if found.has_errors() {
        return Err(found);
    }
    let commands: Vec<Command<'_>> = known.iter().map(Known::command).collect();
    let profile = profile::by_name(&config.encoding).unwrap_or_else(|| job.profile.clone());
    let mut riscv = job.riscv(config.xlen, &config.encoding, u32::from(config.commands))?;
    let mut claims = Vec::new();
    if job.wants("device") {
        claims.extend(machine::devices(&mut riscv, &profile, &config, &commands).ok_or_else(no_semantics)?);
    }
    if job.wants("fallback") {
        claims.extend(machine::fallback(&mut riscv, &profile, &config).ok_or_else(no_semantics)?);
    }
    if job.wants("escape") {
        let law = machine::escape(&mut riscv, &profile, &config, intended.as_ref());
        claims.extend(law.ok_or_else(no_semantics)?);
    }
    if job.wants("isolation") {
        let law = isolation::isolation(&mut riscv, &profile, &config, intended.as_ref());
        claims.extend(law.ok_or_else(no_semantics)?);
    }
    Ok(claims)
}

/// Other definitions of the same commands.
fn other_text(job: &Job<'_>, session: &mut Session) -> Result<Vec<Claim>, Diagnostics> {
    let mut found = Diagnostics::new();
    let other = super::load(session, &job.args.against, &job.args.include, &mut found);
    let mut claims = Vec::new();
    for xlen in widths(job.args) {
        let mine = known(job.set.own(), xlen, &mut found);
        let others = known(other.own(), xlen, &mut found);
        for command in &mine {
            if let Some(twin) = others.iter().find(|o| o.name == command.name) {
                claims.push(against::semantics(&command.command(), &twin.meaning, xlen.bits()));
            }
        }
    }
    if found.has_errors() { Err(found) } else { Ok(claims) }
}

/// Routines in RISC-V code.
fn code(job: &Job<'_>, path: &Path) -> Result<Vec<Claim>, Diagnostics> {
    let bytes = crate::io::read(Some(path)).map_err(Diagnostics::from)?;
    let bad = |what: &dyn std::fmt::Display| failure(format!("{}: {what}", path.display()));
    let elf = object::File::parse(&*bytes).map_err(|e| bad(&e))?;
    if !matches!(elf.architecture(), object::Architecture::Riscv32 | object::Architecture::Riscv64) {
        return Err(bad(&"not a RISC-V program"));
    }
    let mut image = Image::default();
    for s in elf.segments() {
        let writable = matches!(s.flags(), SegmentFlags::Elf { p_flags, .. } if p_flags.0 & PF_W != 0);
        let data = s.data().map_err(|e| bad(&e))?;
        if !writable && !data.is_empty() {
            image.pieces.push((s.address(), data.to_vec()));
        }
    }
    if image.pieces.is_empty() {
        return Err(bad(&"no code; expected a linked program, with segments"));
    }
    let xlen = if elf.is_64() { Xlen::Rv64 } else { Xlen::Rv32 };
    let mut found = Diagnostics::new();
    let commands = known(job.set.own(), xlen, &mut found);
    if found.has_errors() {
        return Err(found);
    }
    let mut riscv = job.riscv(xlen.bits(), &job.profile.name, job.args.commands)?;
    let mut claims = Vec::new();
    for command in &commands {
        let given = job.args.function.iter().find(|(name, _)| *name == command.name);
        let function = given.map_or_else(|| mangle(&command.name), |g| g.1.clone());
        let symbol = elf.symbols().find(|s| s.name() == Ok(&function));
        match symbol {
            Some(s) => {
                let claim = routine::routine(&mut riscv, &command.command(), &image, s.address(), &job.args.args);
                claims.push(claim.map_err(|e| failure(format!("{}: {e}", command.name)))?);
            }
            None if given.is_some() => return Err(bad(&format!("no function `{function}`"))),
            None => {}
        }
    }
    Ok(claims)
}

fn decide_all(args: &Args, session: &Session, claims: &[Claim], base: &[ConfigEntry]) -> Result<ExitCode, Diagnostics> {
    let solver = Solver::find(args.solver.as_deref(), Duration::from_secs(args.timeout));
    for dir in [&args.smt, &args.counterexample].into_iter().flatten() {
        let failed = |e| Diagnostics::from(crate::io::unwritable(&dir.display().to_string(), &e));
        std::fs::create_dir_all(dir).map_err(failed)?;
    }
    if let Some(asked) = args.solver.as_ref().filter(|_| solver.is_none()) {
        session.report(&failure(format!("the solver {} cannot be started", asked.display())));
        return Ok(ExitCode::from(EXIT_USAGE));
    }
    let mut counts = [0; 3];
    let mut out = String::new();
    let mut progress = Progress::new("proving", "goal");
    for (claim, done) in claims.iter().zip(0..) {
        progress.at(done, claims.len());
        let _stage = Stage::new(format!("{} {} ({})", claim.law, claim.subject, claim.place), "");
        if let Some(dir) = &args.smt {
            save(&dir.join(format!("{}.smt2", claim.slug())), &claim.script().0)?;
        }
        let verdict = decide(claim, &mut |script, names| match &solver {
            Some(solver) => solver.solve(script, names),
            None => Answer::Unknown("there is no solver".to_owned()),
        });
        let at = match &verdict {
            Verdict::Proved { .. } => 0,
            Verdict::Refuted(_) => 1,
            Verdict::Unknown(_) => 2,
        };
        if let Some(count) = counts.get_mut(at) {
            *count += 1;
        }
        let lines = told(args, claim, &verdict, base)?;
        out += &if args.json { as_json(claim, &verdict, &lines) } else { as_text(claim, &verdict, &lines) };
    }
    drop(progress);
    let by = solver.as_ref().map_or("no solver".to_owned(), Solver::name);
    if !args.json {
        let [proved, refuted, open] = counts;
        out += &format!("{proved} proved, {refuted} refuted, {open} not decided; {by}\n");
    }
    super::write(None, &out)?;
    if solver.is_none() && counts[2] > 0 {
        let message = format!("no solver: none of {} can be started", KNOWN.join(", "));
        let d = Diagnostic::warning("prove-solver", message);
        session.report(&d.note("what the terms alone decide was decided; --smt DIR writes the formulas").into());
    }
    Ok(if counts[1] + counts[2] == 0 { ExitCode::SUCCESS } else { ExitCode::from(EXIT_INPUT) })
}

fn save(path: &Path, text: &str) -> Result<(), Diagnostics> {
    super::write(Some(path), text).map_err(Diagnostics::from)
}

/// What there is to say about a counterexample; its files are written.
fn told(args: &Args, claim: &Claim, verdict: &Verdict, base: &[ConfigEntry]) -> Result<Vec<String>, Diagnostics> {
    let Verdict::Refuted(model) = verdict else { return Ok(Vec::new()) };
    let mut lines = Vec::new();
    for (name, term) in &claim.values {
        lines.push(format!("{name} = 0x{}", model.value(&claim.terms, *term).hex()));
    }
    lines.extend(claim.differences.iter().filter_map(|d| d.told(&claim.terms, model)));
    let Some(scenario) = &claim.scenario else {
        lines.extend(claim.unshown.iter().map(|why| format!("no program shows it: {why}")));
        return Ok(lines);
    };
    lines.extend(scenario.told(&claim.terms, model));
    if let Some(dir) = &args.counterexample {
        let stem = dir.join(claim.slug()).display().to_string();
        let title = format!("{} {}, {}", claim.law, claim.subject, claim.place);
        save(Path::new(&format!("{stem}.s")), &scenario.program(&claim.terms, model, &title))?;
        save(Path::new(&format!("{stem}.toml")), &scenario.machine(&claim.terms, model, base))?;
        let encoding = base.iter().find(|e| e.key == "encoding" && scenario.on_machine).and_then(|e| e.value.text());
        let profile = encoding.map_or_else(|| "xext".to_owned(), |e| format!("xext-{e}"));
        let xlen = scenario.xlen;
        lines.push(format!("isaglot asm --isa rv{xlen}imac_{profile}_xcmd16 {stem}.s -o {stem}.bin"));
        let files: Vec<String> = args.files.iter().map(|f| format!(" --xintf {}", f.display())).collect();
        let files = if scenario.on_machine { files.concat() } else { String::new() };
        lines.push(format!("isaglot run --isa rv{xlen}imac --cpu {stem}.toml{files} --calls --trace {stem}.bin"));
    }
    Ok(lines)
}

fn as_text(claim: &Claim, verdict: &Verdict, lines: &[String]) -> String {
    let (word, rest) = match verdict {
        Verdict::Proved { .. } => ("proved", String::new()),
        Verdict::Refuted(_) => ("refuted", lines.iter().map(|l| format!("    {l}\n")).collect()),
        Verdict::Unknown(why) => ("not decided", format!("    {why}\n")),
    };
    format!("{word}: {} {} ({})\n{rest}", claim.law, claim.subject, claim.place)
}

fn as_json(claim: &Claim, verdict: &Verdict, lines: &[String]) -> String {
    let (word, why) = match verdict {
        Verdict::Proved { .. } => ("proved", json!(null)),
        Verdict::Refuted(model) => {
            let value = |(name, term): &(String, isaglot_prove::TermId)| {
                (name.clone(), json!(format!("0x{}", model.value(&claim.terms, *term).hex())))
            };
            let values: serde_json::Map<String, serde_json::Value> = claim.values.iter().map(value).collect();
            ("refuted", json!({ "values": values, "told": lines }))
        }
        Verdict::Unknown(why) => ("unknown", json!(why)),
    };
    let line = json!({ "$schema": crate::schema::PROOF, "law": claim.law, "subject": claim.subject, "place": claim.place, "verdict": word, "why": why });
    format!("{line}\n")
}
