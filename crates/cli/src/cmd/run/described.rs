//! Runs a program on a machine of any description that says what its instructions do.
//!
//! RISC-V by its names has the hart, with its levels and devices; everything else that can be described has this.

use std::process::ExitCode;

use isaglot::spec::SubjectKind;
use isaglot_machine::{Fault, Machine, Stop};
use isaglot_riscv::isa_name;
use isaglot_source::{Diagnostic, Diagnostics, counted};
use serde_json::{Value, json};

use super::ending::place;
use super::program::{Program, program};
use super::{Args, memory};
use crate::args::{ChoiceArgs, ReadArgs, parse_address, source};
use crate::interrupt::{self, Stage};
use crate::io::{Output, input_name};
use crate::load::Spec;
use crate::machine::{self, BeginArgs, fault_kind, fault_text, hex, text_at};
use crate::session::Session;
use crate::subject::{Subject, refusal};

/// The options for a description that says itself what instructions do.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Any description with semantics")]
pub(super) struct DescribedArgs {
    /// A description with `<semantics>`, as a file; or `--isa` with its name, such as `minnow`.
    #[arg(long, value_name = "FILE", conflicts_with = "isa")]
    pub(super) spec: Option<std::path::PathBuf>,
    #[command(flatten)]
    pub(super) choice: ChoiceArgs,
    #[command(flatten)]
    pub(super) read: ReadArgs,
    /// Where a flat program lies; 0 by default.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    pub(super) load: Option<u64>,
    /// The program is hexadecimal text, bytes in memory order; without it that is recognised.
    #[arg(long, conflicts_with = "binary")]
    pub(super) hex: bool,
    /// The program is bytes, whatever they look like; an ELF file is not, all the same.
    #[arg(long)]
    pub(super) binary: bool,
    #[command(flatten)]
    pub(super) begin: BeginArgs,
}

/// Instructions between two looks at where a run is.
const SLICE: u64 = 1 << 20;

/// How many of the last instructions are said.
const LAST: usize = 8;

/// Whether the command line asks for a description rather than for RISC-V by name.
pub(super) fn is_asked(args: &Args) -> bool {
    let name = args.isa.as_deref();
    let riscv = |name: &str| isa_name::parse(name).is_some() || name.split('@').next() == Some("riscv");
    args.described.spec.is_some() || name.is_some_and(|name| !riscv(name))
}

/// The first option of those that only a machine of the other kind has.
fn misplaced(args: &Args, described: bool) -> Option<&'static str> {
    let d = &args.described;
    let given = if described {
        vec![
            (args.linux, "--linux"),
            (args.cpu.is_some(), "--cpu"),
            (!args.xintf.is_empty(), "--xintf"),
            (args.calls, "--calls"),
            (args.files.is_some(), "--files"),
            (args.signature.is_some(), "--signature"),
        ]
    } else {
        vec![
            (d.choice.generation.is_some(), "--gen"),
            (!d.choice.features.list.is_empty(), "--feature"),
            (d.load.is_some(), "--load"),
            (d.hex, "--hex"),
            (d.binary, "--binary"),
            (d.begin.pc.is_some(), "--pc"),
            (!d.begin.memory.is_empty(), "--memory"),
            (!d.begin.set.is_empty(), "--set"),
        ]
    };
    given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
}

/// Refuses options of a described machine for RISC-V by name.
pub(super) fn check_riscv(args: &Args) -> Result<(), Diagnostic> {
    match misplaced(args, false) {
        Some(option) => {
            let name = args.isa.as_deref().unwrap_or("RISC-V");
            Err(refusal(&format!("`{option}`"), &[SubjectKind::Templates], name)
                .note("`isaglot step` has it for RISC-V, too"))
        }
        None => Ok(()),
    }
}

/// Runs the verb.
pub(super) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut spec = Spec::of(source(args.described.spec.as_deref(), args.isa.as_deref()));
    args.described.choice.put(&mut spec.choice);
    args.described.read.put(&mut spec.choice);
    if let Some(option) = misplaced(args, true) {
        let d = refusal(&format!("`{option}`"), &[SubjectKind::Riscv], &spec.source.name());
        return session.wrong_usage(d.note("name the machine, such as `--isa rv64gc`"));
    }
    let chosen = match Subject::description(&spec, session) {
        Ok(chosen) => chosen,
        Err(code) => return code,
    };
    let done = machine::machine(&spec.source.name(), &chosen, &args.described.begin).map_err(Diagnostics::from);
    match done.and_then(|mut machine| execute(args, &mut machine, session)) {
        Ok(status) => status,
        Err(problems) => session.status(&problems),
    }
}

/// Puts a program into a machine that has its memory.
fn load(machine: &mut Machine<'_>, args: &Args, program: &Program) -> Result<(), Diagnostic> {
    let flat = args.described.load.unwrap_or(0);
    for (address, size, bytes) in &program.segments {
        let address = if *address == u64::MAX { flat } else { *address };
        machine::add_memory(machine, address, (*size).max(bytes.len() as u64))?;
        let fail = |_| Diagnostic::error("run-memory", format!("the program does not fit memory at {address:#x}"));
        machine.memory.write(address, bytes).map_err(fail)?;
    }
    let parts: Vec<(u64, u64)> = program
        .segments
        .iter()
        .map(|(address, _, bytes)| (if *address == u64::MAX { flat } else { *address }, bytes.len() as u64))
        .collect();
    machine.set_program(&parts);
    machine.set_pc(program.entry.unwrap_or(flat));
    Ok(())
}

fn execute(args: &Args, machine: &mut Machine<'_>, session: &Session) -> Result<ExitCode, Diagnostics> {
    let mut warnings = Diagnostics::new();
    let program = program(&args.program, Some((&args.described, &mut warnings)))?;
    session.report(&warnings);
    load(machine, args, &program)?;
    machine::begin(machine, &args.described.begin)?;
    let mut out = Output::create(None, false)?;
    let stage = Stage::new(format!("running {}", input_name(Some(&args.program))), "instruction");
    let stop = drive(args, machine, &program, &stage, &mut out)?;
    drop(stage);
    memory::write_parts(&args.dump, &mut |address, length| {
        let mut bytes = vec![0; length];
        machine.memory.read(address, &mut bytes).map(|()| bytes).map_err(|_| address)
    })?;
    let text = if args.json { report(machine, &program, &stop) } else { text(args, machine, &program, &stop) };
    put(&mut out, &text)?;
    out.finish()?;
    match complaint(args, machine, &program, &stop) {
        Some(d) => Err(d.into()),
        None => Ok(status(&stop)),
    }
}

fn put(out: &mut Output, text: &str) -> Result<(), Diagnostic> {
    use std::io::Write as _;
    out.write_all(text.as_bytes()).map_err(|e| out.failed(&e))
}

/// Runs to the end: in slices, or with a line for each instruction.
fn drive(
    args: &Args,
    machine: &mut Machine<'_>,
    program: &Program,
    stage: &Stage,
    out: &mut Output,
) -> Result<Stop, Diagnostic> {
    let mut left = args.max_steps;
    let looking = interrupt::looking();
    loop {
        let slice = left.min(if args.trace { 1 } else { SLICE });
        if args.trace && slice > 0 {
            let pc = machine.pc();
            let line = match machine.fetch(pc) {
                Ok(word) => {
                    format!("{pc:#010x} {} {}\n", machine::digits(&word), machine::text_of(machine.plan(), &word))
                }
                Err(_) => format!("{pc:#010x}\n"),
            };
            put(out, &line)?;
        }
        let stop = machine.run(slice);
        left -= slice;
        stage.at(machine.retired(), 0);
        stage.at_address(machine.pc());
        if !matches!(stop, Stop::Limit) || left == 0 {
            return Ok(stop);
        }
        if looking.is_asked() {
            looking.say(last_lines(machine, program));
        }
    }
}

/// The code of a value that a program ended with.
fn status(stop: &Stop) -> ExitCode {
    let Stop::End(Some(code)) = stop else { return ExitCode::SUCCESS };
    // A status has 8 bits, and one that is not 0 must not become 0.
    let low = code.low_u64() as u8;
    ExitCode::from(if low == 0 && !code.is_zero() { 1 } else { low })
}

fn last(machine: &mut Machine<'_>) -> Vec<(u64, String)> {
    let all = machine.last();
    let few = all.get(all.len().saturating_sub(LAST)..).unwrap_or_default().to_vec();
    few.into_iter().map(|pc| (pc, text_at(machine, pc))).collect()
}

fn last_lines(machine: &mut Machine<'_>, program: &Program) -> String {
    let lines: Vec<String> = last(machine)
        .into_iter()
        .map(|(pc, text)| format!("  {pc:#010x} {text}{}", place(&program.symbols, pc)))
        .collect();
    if lines.is_empty() { String::new() } else { format!("the last instructions:\n{}", lines.join("\n")) }
}

/// Whether the program did not choose its end.
fn is_cut_off(stop: &Stop) -> bool {
    !matches!(stop, Stop::End(_) | Stop::Loop)
}

/// For people.
fn text(args: &Args, machine: &mut Machine<'_>, program: &Program, stop: &Stop) -> String {
    let pc = machine.pc();
    let at = format!("{pc:#x}{}", place(&program.symbols, pc));
    let how = match stop {
        Stop::End(None) => format!("end at {at}"),
        Stop::End(Some(code)) => format!("end at {at}, exit code {}", code.decimal()),
        Stop::Loop => format!("a jump to itself at {at}, which would change nothing for ever"),
        Stop::Limit => format!("{}, as many as allowed, at {at}", counted(args.max_steps, "instruction")),
        Stop::Fault(fault) => format!("at {at}: {}", fault_text(machine.isa(), fault).0),
    };
    let mut text = format!("stopped: {how}\n");
    if is_cut_off(stop) {
        let last = last_lines(machine, program);
        text.push_str(&last);
        text.push_str(if last.is_empty() { "" } else { "\n" });
    }
    text.push_str(&format!("{}\n", counted(machine.retired(), "instruction")));
    text.push_str(&machine::registers_text(machine));
    text
}

/// As JSON.
fn report(machine: &mut Machine<'_>, program: &Program, stop: &Stop) -> String {
    let kind = match stop {
        Stop::End(_) => "end",
        Stop::Loop => "loop",
        Stop::Limit => "limit",
        Stop::Fault(_) => "fault",
    };
    let pc = machine.pc();
    let mut all = json!({
        "$schema": crate::schema::RUN_DESCRIBED, "stop": kind, "pc": format!("{pc:#x}"), "instructions": machine.retired(),
        "registers": machine::registers_json(machine),
    });
    if let Stop::End(Some(code)) = stop {
        all["exit"] = json!(hex(code));
    }
    if let Stop::Fault(fault) = stop {
        all["fault"] = machine::fault_json(machine.isa(), fault);
        all["fault"]["instruction"] = json!(text_at(machine, pc));
        let place = place(&program.symbols, pc);
        if !place.is_empty() {
            all["fault"]["place"] = json!(place.trim_matches([' ', '(', ')']));
        }
    }
    if is_cut_off(stop) {
        let each = |(pc, text): (u64, String)| json!({ "pc": format!("{pc:#x}"), "text": text });
        all["last"] = last(machine).into_iter().map(each).collect::<Vec<Value>>().into();
    }
    format!("{all:#}\n")
}

/// What is said of an end that the program did not choose.
fn complaint(args: &Args, machine: &mut Machine<'_>, program: &Program, stop: &Stop) -> Option<Diagnostic> {
    let fault = match stop {
        Stop::End(_) | Stop::Loop => return None,
        Stop::Limit => {
            let message = format!("the program did not end in {}", counted(args.max_steps, "instruction"));
            return Some(Diagnostic::error("run-limit", message));
        }
        Stop::Fault(fault) => fault,
    };
    let pc = machine.pc();
    let text = if matches!(fault, Fault::Illegal(_) | Fault::Empty(_)) { String::new() } else { text_at(machine, pc) };
    let (what, help) = fault_text(machine.isa(), fault);
    let of = if text.is_empty() { String::new() } else { format!(", at `{text}`") };
    let message = format!("the program stopped at {pc:#x}{}{of}: {what}", place(&program.symbols, pc));
    let code = if fault_kind(fault) == "no-semantics" { "run-semantics" } else { "run-trap" };
    let d = Diagnostic::error(code, message);
    Some(match help {
        Some(help) => d.note(help),
        None => d,
    })
}
