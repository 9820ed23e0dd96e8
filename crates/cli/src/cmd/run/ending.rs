//! How a run ended, for people, as JSON and as an exit status.
//!
//! An end that the program did not choose is an error: a trap that nobody handles, with its instruction, its place and what would
//! help, and the limit of instructions.

use std::fmt::Write as _;
use std::process::ExitCode;

use isaglot::hint::{Help, hint};
use isaglot_asm::{Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::{Plan, operands};
use isaglot_hart::{Cause, FloatTrouble, Hart, Level, Stop, Trap, TrapModel};
use isaglot_model::Encoding;
use isaglot_riscv::register::ABI_NAMES;
use isaglot_source::{Diagnostic, counted};
use serde_json::{Value, json};

use super::{Args, Commands};

/// Whether an instruction is of the extensions of floating point.
fn is_float(plan: &Plan<'_>, encoding: &Encoding) -> bool {
    let features = encoding.condition.features();
    features.into_iter().any(|f| matches!(plan.isa()[f].name.as_str(), "f" | "d" | "zfh" | "zfhmin" | "zfa"))
}

/// All that is said of an end.
pub(super) struct End<'e, 'a> {
    pub(super) args: &'e Args,
    pub(super) commands: &'e Commands,
    pub(super) hart: &'e mut Hart<'a>,
    pub(super) stop: Stop,
    /// The names of the devices.
    pub(super) devices: &'e [String],
    /// Addresses of code with their names, by address.
    pub(super) symbols: &'e [(u64, String)],
    /// Where the stack of a bare program starts.
    pub(super) stack: u64,
}

/// The code that a program gave through `tohost` or by a system call, 0 for `ebreak`.
pub(super) fn status(stop: &Stop) -> ExitCode {
    ExitCode::from(code(stop))
}

/// The same as a number.
pub(super) fn code(stop: &Stop) -> u8 {
    let code = match stop {
        Stop::Tohost(value) => value >> 1,
        Stop::Exit(code) => u64::from(*code),
        _ => 0,
    };
    // A status has 8 bits, and one that is not 0 must not become 0.
    if code != 0 && code & 0xff == 0 { 1 } else { code as u8 }
}

/// The text of a word.
pub(super) fn text_of(plan: &Plan<'_>, word: &Word) -> String {
    let bytes: Vec<u8> = word.le_bytes().collect();
    let mut text = Vec::new();
    let options = Options { show_errors: false, ..Options::default() };
    Stream::new(plan, options, u64::from(word.width() / 8)).feed(&bytes, &mut Plain, &mut text);
    String::from_utf8_lossy(&text).trim_end().to_owned()
}

/// The control register of floating point.
const FCSR: u16 = 3;

/// The registers that choose the context in force, `sxcontext` and `mxcontext`.
const CONTEXT_REGISTERS: [u64; 2] = [0x5c0, 0x7c0];

/// How the text begins of a program that ended by itself.
pub(super) const ENDED: &str = "stopped: exit code";

/// How many of the last instructions are said.
const LAST: usize = 8;

/// The symbol that an address is at or after, and how far.
fn symbol(symbols: &[(u64, String)], address: u64) -> Option<(&str, u64)> {
    let after = symbols.partition_point(|(at, _)| *at <= address);
    let (at, name) = symbols.get(after.checked_sub(1)?)?;
    (!name.is_empty()).then_some((name, address - at))
}

/// ` (name+0x8)`, or nothing.
pub(super) fn place(symbols: &[(u64, String)], address: u64) -> String {
    match symbol(symbols, address) {
        Some((name, 0)) => format!(" ({name})"),
        Some((name, offset)) => format!(" ({name}+{offset:#x})"),
        None => String::new(),
    }
}

/// The last instructions: addresses and texts.
fn last(hart: &mut Hart<'_>) -> Vec<(u64, String)> {
    let with_text = |(pc, word): (u64, Option<(Word, u64)>), hart: &Hart<'_>| {
        (pc, word.map_or(String::new(), |(word, _)| text_of(hart.plan(), &word)))
    };
    let all = hart.last(LAST);
    all.into_iter().map(|pc| with_text((pc, hart.fetch(pc)), hart)).collect()
}

/// The last instructions, a line each.
pub(super) fn last_lines(hart: &mut Hart<'_>, symbols: &[(u64, String)]) -> String {
    let lines: Vec<String> =
        last(hart).into_iter().map(|(pc, text)| format!("  {pc:#010x} {text}{}", place(symbols, pc))).collect();
    if lines.is_empty() { String::new() } else { format!("the last instructions:\n{}", lines.join("\n")) }
}

/// The registers of floating point by the names that the description gives them, where a program has used any.
fn floats<'a>(hart: &Hart<'a>) -> Vec<(&'a str, u64)> {
    let file = hart.plan().isa().register_files().iter().find(|file| file.name == "#f");
    let names = file.into_iter().flat_map(|file| &file.names).flatten().zip(0..);
    let all: Vec<(&str, u64)> = names.map(|(name, n)| (name.as_str(), hart.float_register(n))).collect();
    if all.iter().any(|register| register.1 != 0) { all } else { Vec::new() }
}

fn target(to: Option<Level>) -> &'static str {
    to.map_or("debug", Level::name)
}

impl End<'_, '_> {
    /// For people.
    pub(super) fn text(&mut self, model: TrapModel) -> String {
        let mut text = match self.stop.clone() {
            Stop::Ebreak => {
                format!("stopped: ebreak at {:#x}{}\n", self.hart.pc(), place(self.symbols, self.hart.pc()))
            }
            Stop::Limit => {
                let allowed = counted(self.args.max_steps, "instruction");
                format!(
                    "stopped: {allowed}, as many as allowed, at {:#x}{}\n",
                    self.hart.pc(),
                    place(self.symbols, self.hart.pc())
                )
            }
            Stop::Stuck => {
                let place = place(self.symbols, self.hart.pc());
                format!("stopped: the program waits for {}, at {:#x}{place}\n", self.waits_for(), self.hart.pc())
            }
            // A debugger is told of these, and they are no end.
            Stop::Breakpoint | Stop::Watchpoint(..) => String::new(),
            Stop::Tohost(value) => format!("stopped: tohost, exit code {}\n", value >> 1),
            Stop::Exit(code) => format!("{ENDED} {code}\n"),
            Stop::Trap(t) => {
                let to = if model == TrapModel::OneLevelUp || t.to.is_none() { target(t.to) } else { "debug" };
                let (name, place, from) = (t.reason.name(), place(self.symbols, t.pc), t.from.name());
                format!("stopped: trap {name} at {:#x}{place}, instruction {:#x}, from {from} to {to}\n", t.pc, t.insn)
            }
        };
        if matches!(self.stop, Stop::Limit | Stop::Trap(_)) {
            let last = last_lines(self.hart, self.symbols);
            if !last.is_empty() {
                let _ = writeln!(text, "{last}");
            }
        }
        let hart = &self.hart;
        let context = hart.context().map_or(String::new(), |n| format!("context {}, ", self.commands.context(n)));
        let _ = writeln!(text, "level {}, {context}{}", hart.level().name(), counted(hart.retired(), "instruction"));
        let digits = hart.xlen() as usize / 4;
        for (number, name) in ABI_NAMES.iter().enumerate() {
            let end = if number % 4 == 3 { "\n" } else { "  " };
            let _ = write!(text, "{name:>4} {:0digits$x}{end}", hart.register(number as u8));
        }
        let floats = floats(hart);
        for (number, (name, value)) in floats.iter().enumerate() {
            let end = if number % 4 == 3 { "\n" } else { "  " };
            let _ = write!(text, "{name:>4} {value:016x}{end}");
        }
        if let Some(control) = hart.csr(FCSR).filter(|_| !floats.is_empty()) {
            let _ = writeln!(text, "fcsr {control:#x}");
        }
        if self.args.calls {
            for call in hart.calls() {
                let device = self.devices.get(call.device).map_or("", String::as_str);
                let name = self.commands.name((call.level, call.context), call.rs1, call.command);
                let of =
                    hart.context().filter(|_| call.level == Level::User).map(|_| self.commands.context(call.context));
                let name = match (name, of) {
                    (Some(name), Some(of)) => format!("  # {name} in {of}"),
                    (None, Some(of)) => format!("  # in {of}"),
                    (name, None) => name.map_or(String::new(), |name| format!("  # {name}")),
                };
                let (sub, command, result) = (call.sub, call.command, call.result);
                let _ =
                    writeln!(text, "call {device} {sub} {command} {:#x} {:#x} = {result:#x}{name}", call.rs1, call.rs2);
            }
            for (at, device) in self.devices.iter().enumerate() {
                for (name, value) in hart.device_variables(at) {
                    let _ = writeln!(text, "state {device} {name} = {value:#x}");
                }
            }
        }
        text
    }

    /// As JSON.
    pub(super) fn json(&mut self) -> String {
        let hex = |n: u64| format!("{n:#x}");
        let stop = self.stop.clone();
        let kind = match stop {
            Stop::Ebreak => "ebreak",
            Stop::Limit => "limit",
            Stop::Stuck => "stuck",
            Stop::Tohost(_) => "tohost",
            Stop::Exit(_) => "exit",
            Stop::Trap(_) => "trap",
            Stop::Breakpoint | Stop::Watchpoint(..) => "debug",
        };
        let registers: serde_json::Map<String, Value> = ABI_NAMES
            .iter()
            .enumerate()
            .map(|(n, name)| ((*name).to_owned(), json!(hex(self.hart.register(n as u8)))))
            .collect();
        let mut all = json!({
            "$schema": crate::schema::RUN, "stop": kind, "priv": self.hart.level().name(), "pc": hex(self.hart.pc()), "instructions": self.hart.retired(),
            "regs": registers,
        });
        if let Some(number) = self.hart.context() {
            all["context"] = self.commands.context(number).into();
        }
        let floats = floats(self.hart);
        if !floats.is_empty() {
            let control = self.hart.csr(FCSR).map(|control| ("fcsr", control));
            let named = floats.into_iter().chain(control).map(|(name, value)| (name.to_owned(), json!(hex(value))));
            all["floats"] = named.collect::<serde_json::Map<String, Value>>().into();
        }
        match stop {
            Stop::Trap(t) => {
                all["trap"] = json!({
                    "reason": t.reason.name(), "from": t.from.name(), "to": target(t.to), "pc": hex(t.pc), "insn": hex(t.insn),
                    "value": hex(t.value),
                });
                if let Some((name, offset)) = symbol(self.symbols, t.pc) {
                    all["trap"]["symbol"] = json!({ "name": name, "offset": offset });
                }
                if let Some((text, help)) = self.instruction(&t) {
                    text.into_iter().for_each(|text| all["trap"]["text"] = text.into());
                    help.into_iter().for_each(|help| all["trap"]["help"] = help.into());
                }
            }
            Stop::Tohost(value) => all["exit"] = json!(value >> 1),
            Stop::Exit(code) => all["exit"] = json!(code),
            Stop::Ebreak | Stop::Limit | Stop::Stuck | Stop::Breakpoint | Stop::Watchpoint(..) => {}
        }
        if matches!(self.stop, Stop::Limit | Stop::Trap(_)) {
            let each = |(pc, text): (u64, String)| json!({ "pc": hex(pc), "text": text });
            all["last"] = last(self.hart).into_iter().map(each).collect();
        }
        if self.args.calls {
            let has_contexts = self.hart.context().is_some();
            let calls = self.hart.calls().iter().map(|c| {
                let device = self.devices.get(c.device).map_or("", String::as_str);
                let mut call = json!([device, c.sub, c.command, hex(c.rs1), hex(c.rs2), hex(c.result)]);
                if has_contexts && let Some(list) = call.as_array_mut() {
                    let of = if c.level == Level::User { self.commands.context(c.context) } else { c.level.name() };
                    list.push(of.into());
                }
                call
            });
            all["calls"] = calls.collect();
            for (at, device) in self.devices.iter().enumerate() {
                for (name, value) in self.hart.device_variables(at) {
                    all["state"][device][name] = hex(value).into();
                }
            }
        }
        format!("{all:#}\n")
    }

    /// Why a program cannot go on that waits.
    fn waits_for(&self) -> &'static str {
        match self.args.linux {
            true => "a thread or a signal, and none can come",
            false => "input, which has ended",
        }
    }

    /// What is said of an end that the program did not choose.
    pub(super) fn complaint(&mut self, model: TrapModel) -> Option<Diagnostic> {
        let trap = match self.stop.clone() {
            Stop::Ebreak | Stop::Tohost(_) | Stop::Exit(_) | Stop::Breakpoint | Stop::Watchpoint(..) => return None,
            Stop::Limit => {
                let message = format!("the program did not end in {}", counted(self.args.max_steps, "instruction"));
                return Some(Diagnostic::error("run-limit", message));
            }
            Stop::Stuck => {
                let d = Diagnostic::error(
                    "run-stuck",
                    format!("the program waits for {}, so it cannot end", self.waits_for()),
                );
                let help = "a bare program ends by itself through `tohost`, semihosting or `ebreak`";
                return Some(if self.args.linux { d } else { d.note(help) });
            }
            Stop::Trap(trap) => trap,
        };
        let found = self.instruction(&trap);
        let text = found.as_ref().and_then(|(text, _)| text.as_ref());
        let text = text.map_or(String::new(), |text| format!(" of `{text}`"));
        let (name, place) = (trap.reason.name(), place(self.symbols, trap.pc));
        let message = format!("the program ended by the trap {name}{text} at {:#x}{place}", trap.pc);
        let mut d = Diagnostic::error("run-trap", message);
        if let Some((_, Some(help))) = found {
            d = d.note(help);
        }
        if matches!(trap.reason, Cause::LoadAccess | Cause::StoreAccess) {
            d = d.note(format!("there is no memory at {:#x}", trap.value));
        }
        if self.args.linux {
            return Some(d);
        }
        if model == TrapModel::OneLevelUp || trap.to.is_none() {
            return Some(d);
        }
        if let Some(help) = self.needs_linux(&trap) {
            d = d.note(help);
        }
        // With the hypervisor extension `super` is a guest's supervisor, and `hyper` the host's.
        const HSTATUS: u16 = 0x600;
        let has_guests = self.hart.csr(HSTATUS).is_some();
        let (name, number) = match trap.to {
            Some(Level::Super) if has_guests => ("vstvec", 0x205),
            Some(Level::Super) => ("stvec", 0x105),
            Some(Level::Hyper) if has_guests => ("stvec", 0x105),
            _ => ("mtvec", 0x305),
        };
        Some(d.note(match self.hart.csr(number).unwrap_or(0) {
            0 => format!("nobody handles it: `{name}` is not set"),
            address if address & !3 == trap.pc => {
                format!("nobody handles it: it is the first instruction of its own handler, at `{name}`")
            }
            address => format!("nobody handles it: `{name}` is {address:#x}, where no memory is"),
        }))
    }

    /// What says of a trap that the program is one for Linux: it asks the kernel, or reads its arguments, which a kernel puts where the
    /// stack starts. A bare machine has the end of its memory there.
    fn needs_linux(&self, trap: &Trap) -> Option<String> {
        /// The number of arguments and the first of them, on RV64; programs begin with these.
        const BYTES: u64 = 16;
        match trap.reason {
            Cause::EnvironmentCall if trap.from == Level::Mach => {
                Some("`--linux` answers the system calls of a program for Linux".to_owned())
            }
            Cause::LoadAccess if (self.stack..self.stack.saturating_add(BYTES)).contains(&trap.value) => Some(
                "the stack starts there, where a program for Linux has its arguments: `--linux` runs one".to_owned(),
            ),
            _ => None,
        }
    }

    /// The text of the instruction that trapped, and what would help; nothing where there is no memory.
    fn instruction(&mut self, trap: &Trap) -> Option<(Option<String>, Option<String>)> {
        let (word, _) = self.hart.fetch(trap.pc)?;
        let plan = self.hart.plan();
        let tree = operands::decode(plan, &word);
        let known = tree.as_ref().map(|tree| plan.isa()[tree.encoding].semantics.is_some());
        let trouble = tree.filter(|tree| is_float(plan, &plan.isa()[tree.encoding])).and(self.hart.float_trouble());
        let text = known.map(|_| text_of(plan, &word));
        let help = match known {
            _ if trap.reason != Cause::Illegal => None,
            Some(true) if text.as_ref().is_some_and(|text| text.starts_with("csr")) => {
                let chooses = self.hart.context().is_some() && CONTEXT_REGISTERS.contains(&(word.low_u64() >> 20));
                Some(match chooses {
                    true => "it takes numbers of contexts that there are, from a level above user".to_owned(),
                    false => "there is no such register, or it cannot be used so at this level".to_owned(),
                })
            }
            Some(true) => trouble.map(|trouble| match trouble {
                FloatTrouble::Mode(mode) => {
                    format!("the dynamic rounding mode, `frm`, is {mode}, which is reserved: 0 to 4 are modes")
                }
                _ => "floating point is off: bits 13 and 14 of `mstatus` are 0".to_owned(),
            }),
            Some(false) => Some("isaglot does not run this instruction: it has no semantics".to_owned()),
            None => match hint(plan, &[word])?.help {
                Help::Features(all) => {
                    let names: Vec<&str> = all.iter().map(|&f| plan.isa()[f].name.as_str()).collect();
                    Some(format!("it would be an instruction with {}: name that in `--isa`", names.join(", ")))
                }
                Help::Generation(xlen) => Some(format!("it would be an instruction of RV{xlen}")),
                Help::ByteOrder => None,
            },
        };
        Some((text, help))
    }
}
