//! Runs a RISC-V program on a machine that a file describes, and says how the run ended.

use isaglot_riscv::Xlen;
use isaglot_riscv::isa_name::{self, IsaName};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot::choice;
use isaglot_asm::labels::is_automatic;
use isaglot_hart::{Config, Hart, Level, Stop, limits};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use isaglot_xintf::check::{Target, check};
use isaglot_xintf::limits::MAX_COMMANDS;
use isaglot_xintf::resolve::Names;
use isaglot_xintf::set::Set;
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};

mod ending;

use self::ending::End;
use crate::interrupt::Stage;
use crate::io::{Output, input_name, read};
use crate::session::Session;
use crate::subject::{SubjectKind, refusal};

/// Run a RISC-V program, ELF or flat, on a machine with overloadable opcodes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The run ends on ebreak, on a trap without a handler, on a store to the symbol `tohost`, or after --max-steps.
The exit status is the code that the program stores to `tohost` (its low 8 bits, or 1 if only others are set), 0 for ebreak, and 1 for
a trap and for --max-steps.
A flat program is loaded where the memory starts. The stack pointer starts at the end of the memory.

Examples:
  isaglot run --isa rv64gc program.elf
  isaglot run --isa rv64imac --cpu cpu.toml --xintf music.xintf --max-steps 1000000 program.elf")]
pub(crate) struct Args {
    /// What to run.
    program: PathBuf,
    /// The instruction set by name, such as `rv64imac_zbb`: the width, which an ELF file says itself, and the extensions
    /// (all that can be run, if this is not given). Zicsr, Zifencei and privileged instructions are always there, and the
    /// overloadable opcodes as --cpu says.
    #[arg(long, value_name = "NAME")]
    isa: Option<String>,
    /// The machine: a map file with levels, units, devices.
    #[arg(long, value_name = "FILE")]
    cpu: Option<PathBuf>,
    /// Definitions of the interfaces that the machine's file names; their commands are named in what is printed.
    #[arg(long, value_name = "FILE")]
    xintf: Vec<PathBuf>,
    /// Print every instruction before it runs.
    #[arg(long)]
    trace: bool,
    /// Print what the devices were asked.
    #[arg(long)]
    calls: bool,
    /// Stop after so many instructions.
    #[arg(long, value_name = "N", default_value_t = u64::MAX)]
    max_steps: u64,
    /// Print the end of the run as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    match execute(args, session) {
        Ok(status) => status,
        Err(problems) => session.status(&problems),
    }
}

fn choice(name: &str) -> Result<IsaName, Diagnostic> {
    isa_name::parse(name).ok_or_else(|| {
        if name.split('@').next() == Some("riscv") {
            let d = Diagnostic::error("cli-subject", format!("`{name}` names no extensions, and a machine has some"));
            return d.note("name the machine, such as `rv64gc` or `rv32imac_zba`");
        }
        refusal("`isaglot run`", &[SubjectKind::Riscv], name)
    })
}

/// A program: what goes where, and where it starts.
struct Program {
    xlen: Option<u32>,
    segments: Vec<(u64, u64, Vec<u8>)>,
    entry: Option<u64>,
    tohost: Option<u64>,
    /// Addresses of code with their names, by address.
    symbols: Vec<(u64, String)>,
}

fn program(path: &Path) -> Result<Program, Diagnostic> {
    let bytes = read(Some(path))?;
    if !bytes.starts_with(b"\x7fELF") {
        return Ok(Program {
            xlen: None,
            segments: vec![(u64::MAX, 0, bytes)],
            entry: None,
            tohost: None,
            symbols: Vec::new(),
        });
    }
    let bad =
        |what: &dyn std::fmt::Display| Diagnostic::error("run-elf", format!("{}: {what}", input_name(Some(path))));
    let elf = object::File::parse(&*bytes).map_err(|e| bad(&e))?;
    if !matches!(elf.architecture(), object::Architecture::Riscv32 | object::Architecture::Riscv64) {
        return Err(bad(&"not a RISC-V program"));
    }
    let mut segments = Vec::new();
    for s in elf.segments() {
        let data = s.data().map_err(|e| bad(&e))?;
        segments.push((s.address(), s.size().max(data.len() as u64), data.to_vec()));
    }
    let tohost = elf.symbols().find(|s| s.name() == Ok("tohost")).map(|s| s.address());
    let is_code = |s: &object::Symbol<'_, '_>| matches!(s.kind(), SymbolKind::Text | SymbolKind::Unknown);
    let names = elf.symbols().filter(is_code).filter_map(|s| Some((s.address(), s.name().ok()?.to_owned())));
    let mut symbols: Vec<(u64, String)> = names.filter(|(_, name)| !is_automatic(name.as_bytes())).collect();
    symbols.sort();
    let xlen = Some(if elf.is_64() { 64 } else { 32 });
    Ok(Program { xlen, segments, entry: Some(elf.entry()), tohost, symbols })
}

/// The features that a name asks for, as a machine has them.
fn extensions(choice: &IsaName) -> Vec<String> {
    let about_commands = |f: &String| f.starts_with("xext-") || f.starts_with("xcmd");
    let mut list: Vec<String> = choice.features.iter().filter(|f| !about_commands(f)).cloned().collect();
    list.extend(["priv", "zicsr", "zifencei"].map(str::to_owned));
    list
}

fn machine(args: &Args, set: &Set, session: &mut Session, xlen: u32) -> Result<Config, Diagnostics> {
    let Some(path) = &args.cpu else { return Ok(Config::new(xlen)) };
    let bytes = read(Some(path)).map_err(Diagnostics::from)?;
    let file = session.files.add(path.display().to_string(), bytes.as_slice());
    let mut problems = Diagnostics::new();
    let config = Config::read(file, &bytes, set, xlen, &mut problems);
    if problems.has_errors() { Err(problems) } else { Ok(config) }
}

fn execute(args: &Args, session: &mut Session) -> Result<ExitCode, Diagnostics> {
    let choice = args.isa.as_deref().map(choice).transpose().map_err(Diagnostics::from)?;
    let asked = choice.as_ref().map(|c| c.xlen.bits());
    let program = program(&args.program).map_err(Diagnostics::from)?;
    let xlen = program.xlen.or(asked).unwrap_or(64);
    let set = definitions(args, session, xlen)?;
    let mut config = machine(args, &set, session, xlen)?;
    config.extensions = choice.as_ref().map(extensions);
    for (what, given) in [("--isa", asked), ("the machine", args.cpu.as_ref().map(|_| config.xlen))] {
        if given.is_some_and(|w| w != xlen) {
            return Err(Diagnostic::error("run-width", format!("the program is for RV{xlen}, {what} is not")).into());
        }
    }
    let ram = config.ram.first().copied().unwrap_or(limits::RAM);
    for &(address, size, _) in program.segments.iter().filter(|s| s.0 != u64::MAX) {
        config.ram.push((address, size));
    }
    let commands = Commands::new(&config, &set);
    let names: Vec<String> = config.devices.iter().map(|d| d.0.clone()).collect();
    let (model, entry) = (config.trap_model, config.entry);
    let mut problems = Diagnostics::new();
    let Some(isa) = crate::load::embedded("riscv", &mut SourceMap::new(), &mut problems) else { return Err(problems) };
    if let Some(named) = &config.extensions {
        choice::features(&isa, Some(named), &[], &mut problems);
    }
    if problems.has_errors() {
        return Err(problems);
    }
    let fail = |message: String| Diagnostics::from(Diagnostic::error("run-machine", message));
    let mut hart = Hart::new(&isa, config).map_err(fail)?;
    for (address, _, data) in &program.segments {
        let address = if *address == u64::MAX { ram.0 } else { *address };
        hart.memory().write(address, data).map_err(|at| fail(format!("the program does not fit memory at {at:#x}")))?;
    }
    if let Some(address) = program.tohost {
        hart.set_tohost(address);
    }
    hart.set_pc(program.entry.or(entry).unwrap_or(ram.0));
    hart.set_register(2, ram.0.saturating_add(ram.1) & !15);

    let mut out = Output::create(None, false).map_err(Diagnostics::from)?;
    let written = |e: &std::io::Error, out: &Output| Diagnostics::from(out.failed(e));
    let stage = Stage::new(format!("running {}", args.program.display()), "instruction");
    let stop = if args.trace {
        trace(args, &commands, &mut hart, &stage, &mut out)?
    } else {
        untraced(args, &mut hart, &stage)
    };
    drop(stage);
    let console = hart.take_console();
    out.write_all(&console).map_err(|e| written(&e, &out))?;
    let status = ending::status(&stop);
    let mut end = End { args, commands: &commands, hart: &mut hart, stop, devices: &names, symbols: &program.symbols };
    let text = if args.json { end.json() } else { end.text(model) };
    let complaint = end.complaint(model);
    out.write_all(text.as_bytes()).map_err(|e| written(&e, &out))?;
    out.finish().map_err(Diagnostics::from)?;
    complaint.map_or(Ok(status), |d| Err(d.into()))
}

/// Instructions between two looks at where a run is.
const SLICE: u64 = 1 << 22;

/// Runs to the end, and says on the way where it is.
fn untraced(args: &Args, hart: &mut Hart<'_>, stage: &Stage) -> Stop {
    let mut left = args.max_steps;
    loop {
        let slice = left.min(SLICE);
        let stop = hart.run(slice);
        left -= slice;
        if !matches!(stop, Stop::Limit) || left == 0 {
            return stop;
        }
        stage.at(hart.retired(), 0);
        stage.at_address(hart.pc());
    }
}

/// Runs one instruction at a time and prints each.
fn trace(
    args: &Args,
    commands: &Commands,
    hart: &mut Hart<'_>,
    stage: &Stage,
    out: &mut Output,
) -> Result<Stop, Diagnostics> {
    let mut left = args.max_steps;
    while left > 0 {
        let pc = hart.pc();
        stage.at(hart.retired(), 0);
        stage.at_address(pc);
        let before = hart.call_count();
        let level = hart.level();
        let line = match hart.fetch(pc) {
            Some((word, _)) => {
                format!("{pc:#010x} {:5} {:>8} {}", level.name(), word.hex(), ending::text_of(hart.plan(), &word))
            }
            None => format!("{pc:#010x} {:5}          no memory", level.name()),
        };
        let stop = hart.step();
        let mut line = line;
        if hart.call_count() > before
            && let Some(call) = hart.calls().last()
        {
            let name = commands.name(level, call.rs1, call.command).map_or(String::new(), |n| format!("{n} on "));
            line.push_str(&format!(
                "  # {name}{}, {} command {} = {:#x}",
                hart.device_name(call.device),
                call.sub,
                call.command,
                call.result
            ));
        }
        line.push('\n');
        out.write_all(line.as_bytes()).map_err(|e| Diagnostics::from(out.failed(&e)))?;
        if let Some(stop) = stop {
            return Ok(stop);
        }
        left -= 1;
    }
    Ok(Stop::Limit)
}

/// Which interface a handle is of, for what is printed.
struct Commands {
    luns: Vec<(u64, u8, u16)>,
    names: Names,
}

impl Commands {
    fn new(config: &Config, set: &Set) -> Commands {
        let luns = config.luns.iter().map(|&(uuid, _, levels, lun)| (uuid, levels, lun)).collect();
        Commands { luns, names: Names::new(set.interfaces(), xlen(config.xlen)) }
    }

    /// The name of a command that was called with this handle at this level, if its interface is defined.
    fn name(&self, level: Level, handle: u64, command: u8) -> Option<String> {
        let here = |row: &&(u64, u8, u16)| u64::from(row.2) == handle & 0xfff && row.1 >> (level as u8) & 1 == 1;
        let uuid = self.luns.iter().find(here)?.0;
        self.names.knows(uuid).then(|| self.names.name(uuid, u32::from(command)))
    }
}

fn xlen(bits: u32) -> Xlen {
    Xlen::of(bits)
}

/// The interfaces that were named.
fn definitions(args: &Args, session: &mut Session, bits: u32) -> Result<Set, Diagnostics> {
    if args.xintf.is_empty() {
        return Ok(Set::default());
    }
    let mut found = Diagnostics::new();
    let set = super::xintf::load(session, &args.xintf, &[], &mut found);
    check(set.written(), Target { xlen: xlen(bits), commands: MAX_COMMANDS }, &mut found);
    if found.has_errors() { Err(found) } else { Ok(set) }
}
