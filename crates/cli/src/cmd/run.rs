//! Runs a RISC-V program on a machine that a file describes, and says how the run ended. Programs for other descriptions: `described`.

use isaglot_riscv::Xlen;
use isaglot_riscv::isa_name::{self, IsaName};
use std::path::PathBuf;
use std::process::ExitCode;

use isaglot::choice;
use isaglot_hart::{Config, Context, Hart, Level, Start, limits};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use isaglot_xintf::check::{Target, check};
use isaglot_xintf::limits::MAX_COMMANDS;
use isaglot_xintf::map::{self, DEFAULT_CONTEXT};
use isaglot_xintf::resolve::Names;
use isaglot_xintf::set::Set;
use isaglot_xintf::tree;

mod described;
mod drive;
mod ending;
mod files;
#[cfg(feature = "gdb")]
mod gdb;
mod input;
mod memory;
mod program;
mod world;

use self::ending::End;
use self::program::{Program, program};
use self::world::World;
use crate::interrupt::Stage;
use crate::io::read;
use crate::session::Session;
use crate::subject::{SubjectKind, refusal};

/// Run a program: for RISC-V, or for any description that says what its instructions do.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The run ends on ebreak, on a trap without a handler, when the program says so through the symbol `tohost`, or after --max-steps.
The exit status is the code that the program gives (its low 8 bits, or 1 if only others are set), 0 for ebreak, and 1 for a trap and for
--max-steps. Ctrl-C says where the program is, and the last instructions.
A bare program can ask for files, its arguments, the time and its end by semihosting (`slli x0,x0,0x1f; ebreak; srai x0,x0,7`).
A flat program is loaded where the memory starts. The stack pointer starts at the end of the memory, the global pointer at the symbol
`__global_pointer$`.
With --linux nothing is printed but what the program prints, and what is said of a trap or the limit goes to standard error.

Examples:
  isaglot run --isa rv64gc program.elf
  isaglot run --linux --env LANG=C hello.elf reader
  isaglot run --isa rv64imac --cpu cpu.toml --xintf music.xintf --max-steps 1000000 program.elf")]
pub(crate) struct Args {
    /// What to run.
    program: PathBuf,
    /// Its arguments, with --linux or through semihosting. Those that begin with `-` come after `--`.
    #[arg(value_name = "ARG")]
    arguments: Vec<String>,
    /// The program is a static one for Linux: system calls, arguments, environment, a stack and a heap are those of a process.
    #[arg(long)]
    linux: bool,
    /// With --linux: a variable of its environment, which is empty otherwise.
    #[arg(long, value_name = "NAME=VALUE", requires = "linux")]
    env: Vec<String>,
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
    /// Run hot code as machine code of the host. Needs a program that was built with the feature `jit`. Of the last instructions at a trap
    /// only those since the last jump are known.
    #[arg(long, conflicts_with = "trace")]
    jit: bool,
    /// Print what the devices were asked.
    #[arg(long)]
    calls: bool,
    /// Stop after so many instructions.
    #[arg(long, value_name = "N", default_value_t = u64::MAX)]
    max_steps: u64,
    /// The folder of files that the program may open, make and remove, through system calls; `/` is this folder. Without it
    /// there are no files.
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// Write the memory from the symbol `begin_signature` to `end_signature` into this file when the program has ended by itself: a
    /// word of --granularity bytes a line, in hexadecimal, as the architecture tests have it.
    #[arg(long, value_name = "FILE")]
    signature: Option<PathBuf>,
    /// Bytes of a word of the signature: 4, 8 or 16.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = granularity)]
    granularity: u64,
    /// Write memory into a file at the end, however it comes: an address, a length, and the file's name.
    #[arg(long, value_name = "ADDRESS,LENGTH,FILE", value_parser = memory::part)]
    dump: Vec<memory::Part>,
    /// Wait for a debugger that speaks GDB's remote protocol, and run as it says; at a port of this machine, or an address
    /// with a port. Without one it is 127.0.0.1:1234.
    #[cfg(feature = "gdb")]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = gdb::ADDRESS, conflicts_with = "trace")]
    gdb: Option<String>,
    /// Print the end of the run as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    described: described::DescribedArgs,
}

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    if described::is_asked(args) {
        return described::run(args, session);
    }
    if let Err(d) = described::check_riscv(args) {
        return session.wrong_usage(d);
    }
    match execute(args, session) {
        Ok(status) => status,
        Err(problems) => session.status(&problems),
    }
}

/// The bytes of a word of a signature.
fn granularity(text: &str) -> Result<u64, String> {
    match text {
        "4" => Ok(4),
        "8" => Ok(8),
        "16" => Ok(16),
        _ => Err("expected 4, 8 or 16".to_owned()),
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
    // The mistakes of a map that a run would not show: a device is a way from one process to another; or it does what another interface
    // means, and one whose commands the file writes out does just that.
    let entries = tree::read(file, &bytes, &mut Diagnostics::new());
    let written = entries.iter().filter(|e| e.key == "devices").filter_map(|e| e.value.table());
    let written: Vec<&str> = written.flatten().map(|e| e.key.as_str()).collect();
    let mut map = map::read(file, &bytes, set, self::xlen(xlen), &mut Diagnostics::new());
    map::build(&mut map, &mut Diagnostics::new());
    map::shared(&map, &|device| !written.contains(&device), &mut problems);
    map::isolated(&map, &mut problems);
    if problems.has_errors() { Err(problems) } else { Ok(config) }
}

/// Where a program is put that can be anywhere.
const ANYWHERE: u64 = 0x10_0000;

/// Makes a machine one for a process of Linux: at the user's level, with the memory that the process asks for.
fn linux(program: &mut Program, config: &mut Config) -> Result<(), Diagnostic> {
    let refuse = |message: &str| Diagnostic::error("run-linux", message);
    if program.xlen.is_none() {
        return Err(refuse("a program for Linux is an ELF file"));
    }
    if program.is_dynamic {
        let d = refuse("the program needs a dynamic linker and shared libraries, which are not there");
        return Err(d.note("link it statically: `riscv64-linux-gnu-gcc -static`"));
    }
    if config.levels & 1 << Level::User as u8 == 0 {
        return Err(refuse("the machine lacks the level `user`, where programs for Linux run"));
    }
    if program.segments.iter().any(|s| s.0 < ANYWHERE / 0x100) {
        program.relocate(ANYWHERE);
    }
    config.start = Level::User;
    config.ebreak_stops = false;
    config.ram.clear();
    program.global_pointer = None;
    (program.tohost, program.fromhost) = (None, None);
    Ok(())
}

fn execute(args: &Args, session: &mut Session) -> Result<ExitCode, Diagnostics> {
    let choice = args.isa.as_deref().map(choice).transpose().map_err(Diagnostics::from)?;
    let asked = choice.as_ref().map(|c| c.xlen.bits());
    let mut program = program(&args.program, None).map_err(Diagnostics::from)?;
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
    if args.linux {
        linux(&mut program, &mut config).map_err(Diagnostics::from)?;
    } else {
        // What a program copies to its address must find memory there.
        for (segment, &at) in program.segments.iter_mut().zip(program.physical.iter().flatten()) {
            config.ram.push((segment.0, segment.1));
            segment.0 = at;
        }
    }
    if args.signature.is_some() && program.signature.is_none() {
        let d = Diagnostic::error("run-signature", "the program has no signature");
        return Err(d.note("it lies between the symbols `begin_signature` and `end_signature`").into());
    }
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
    hart.set_call_log(args.calls || args.json || args.trace);
    if args.jit {
        hart.set_native(true).map_err(|e| {
            let d = Diagnostic::error("run-jit", format!("`--jit`: {e}"));
            d.note(
                "build the program with it, as `cargo install isaglot-cli --features jit` does, or leave `--jit` out",
            )
        })?;
    }
    for (address, _, data) in &program.segments {
        let address = if *address == u64::MAX { ram.0 } else { *address };
        hart.memory().write(address, data).map_err(|at| fail(format!("the program does not fit memory at {at:#x}")))?;
    }
    program.tohost.into_iter().for_each(|address| hart.set_tohost(address));
    program.fromhost.into_iter().for_each(|address| hart.set_fromhost(address));
    hart.set_pc(program.entry.or(entry).unwrap_or(ram.0));
    let stack = ram.0.saturating_add(ram.1) & !15;
    hart.set_register(2, stack);
    program.global_pointer.into_iter().for_each(|address| hart.set_register(3, address));

    let world = World::new(args.files.as_deref(), args.trace, args.program.display().to_string())?;
    hart.set_host(Box::new(world.clone()));
    if args.linux {
        let name = args.program.display().to_string();
        let bytes = |texts: &[String]| texts.iter().map(|t| t.clone().into_bytes()).collect::<Vec<_>>();
        let arguments = [vec![name.into_bytes()], bytes(&args.arguments)].concat();
        hart.start_process(&Start { arguments, environment: bytes(&args.env), ..program.start.clone() })
            .map_err(fail)?;
    } else {
        let words = [args.program.display().to_string()].into_iter().chain(args.arguments.iter().cloned());
        let first = program.start.end.checked_next_multiple_of(16).filter(|at| (ram.0..stack).contains(at));
        let line = words.collect::<Vec<_>>().join(" ");
        hart.set_semihosting(line.as_bytes(), (first.unwrap_or(ram.0), stack));
    }
    let stage = Stage::new(format!("running {}", args.program.display()), "instruction");
    let stop = drive::run(args, &commands, &program, &mut hart, &stage, &world)?;
    drop(stage);
    memory::write(args, program.signature, &stop, &mut hart)?;
    let status = ending::status(&stop);
    let (symbols, devices) = (&program.symbols[..], &names[..]);
    let mut end = End { args, commands: &commands, hart: &mut hart, stop, devices, symbols, stack };
    let text = if args.json { end.json() } else { end.text(model) };
    let complaint = end.complaint(model);
    world.report(&text, args)?;
    drop(hart);
    world.finish()?;
    complaint.map_or(Ok(status), |d| Err(d.into()))
}

/// Which interface a handle is of, for what is printed.
struct Commands {
    /// Interface, levels, logical unit.
    luns: Vec<(u64, u8, u16)>,
    contexts: Vec<Context>,
    names: Names,
}

impl Commands {
    fn new(config: &Config, set: &Set) -> Commands {
        let luns = config.luns.iter().map(|&(uuid, _, levels, lun)| (uuid, levels, lun)).collect();
        Commands { luns, contexts: config.contexts.clone(), names: Names::new(set.interfaces(), xlen(config.xlen)) }
    }

    /// The name of a command that was called with this handle at this level and in this context, if its interface is defined.
    fn name(&self, (level, context): (Level, u16), handle: u64, command: u8) -> Option<String> {
        let unit = handle & 0xfff;
        let own = self.contexts.iter().find(|c| level == Level::User && c.number == context);
        let uuid = match own {
            Some(own) => own.luns.iter().find(|row| u64::from(row.2) == unit)?.0,
            None => self.luns.iter().find(|row| u64::from(row.2) == unit && row.1 >> (level as u8) & 1 == 1)?.0,
        };
        self.names.knows(uuid).then(|| self.names.name(uuid, u32::from(command)))
    }

    /// The name of a context.
    fn context(&self, number: u16) -> &str {
        self.contexts.iter().find(|c| c.number == number).map_or(DEFAULT_CONTEXT, |c| c.name.as_str())
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
