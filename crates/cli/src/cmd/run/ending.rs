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
use isaglot_hart::{Cause, Hart, Level, Stop, Trap, TrapModel};
use isaglot_source::{Diagnostic, counted};
use serde_json::{Value, json};

use super::{Args, Commands};

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
}

/// The code that a program stored to `tohost`, 0 for `ebreak`.
pub(super) fn status(stop: &Stop) -> ExitCode {
    let code = if let Stop::Tohost(value) = stop { value >> 1 } else { 0 };
    // A status has 8 bits, and one that is not 0 must not become 0.
    ExitCode::from(if code != 0 && code & 0xff == 0 { 1 } else { code as u8 })
}

/// The text of a word.
pub(super) fn text_of(plan: &Plan<'_>, word: &Word) -> String {
    let bytes: Vec<u8> = word.le_bytes().collect();
    let mut text = Vec::new();
    let options = Options { show_errors: false, ..Options::default() };
    Stream::new(plan, options, u64::from(word.width() / 8)).feed(&bytes, &mut Plain, &mut text);
    String::from_utf8_lossy(&text).trim_end().to_owned()
}

const REGISTERS: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

fn target(to: Option<Level>) -> &'static str {
    to.map_or("debug", Level::name)
}

impl End<'_, '_> {
    /// For people.
    pub(super) fn text(&mut self, model: TrapModel) -> String {
        let mut text = match self.stop.clone() {
            Stop::Ebreak => format!("stopped: ebreak at {:#x}{}\n", self.hart.pc(), self.place(self.hart.pc())),
            Stop::Limit => {
                let allowed = counted(self.args.max_steps, "instruction");
                format!(
                    "stopped: {allowed}, as many as allowed, at {:#x}{}\n",
                    self.hart.pc(),
                    self.place(self.hart.pc())
                )
            }
            Stop::Tohost(value) => format!("stopped: tohost, exit code {}\n", value >> 1),
            Stop::Trap(t) => {
                let to = if model == TrapModel::OneLevelUp || t.to.is_none() { target(t.to) } else { "debug" };
                let (name, place, from) = (t.reason.name(), self.place(t.pc), t.from.name());
                format!("stopped: trap {name} at {:#x}{place}, instruction {:#x}, from {from} to {to}\n", t.pc, t.insn)
            }
        };
        let hart = &self.hart;
        let _ = writeln!(text, "level {}, {}", hart.level().name(), counted(hart.retired(), "instruction"));
        let digits = hart.xlen() as usize / 4;
        for (number, name) in REGISTERS.iter().enumerate() {
            let end = if number % 4 == 3 { "\n" } else { "  " };
            let _ = write!(text, "{name:>4} {:0digits$x}{end}", hart.register(number as u8));
        }
        if self.args.calls {
            for call in hart.calls() {
                let device = self.devices.get(call.device).map_or("", String::as_str);
                let name = self.commands.name(call.level, call.rs1, call.command);
                let name = name.map_or(String::new(), |n| format!("  # {n}"));
                let (sub, command, result) = (call.sub, call.command, call.result);
                let _ =
                    writeln!(text, "call {device} {sub} {command} {:#x} {:#x} = {result:#x}{name}", call.rs1, call.rs2);
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
            Stop::Tohost(_) => "tohost",
            Stop::Trap(_) => "trap",
        };
        let registers: serde_json::Map<String, Value> = REGISTERS
            .iter()
            .enumerate()
            .map(|(n, name)| ((*name).to_owned(), json!(hex(self.hart.register(n as u8)))))
            .collect();
        let mut all = json!({
            "$schema": crate::schema::RUN, "stop": kind, "priv": self.hart.level().name(), "pc": hex(self.hart.pc()), "instructions": self.hart.retired(),
            "regs": registers,
        });
        match stop {
            Stop::Trap(t) => {
                all["trap"] = json!({
                    "reason": t.reason.name(), "from": t.from.name(), "to": target(t.to), "pc": hex(t.pc), "insn": hex(t.insn),
                    "value": hex(t.value),
                });
                if let Some((name, offset)) = self.symbol(t.pc) {
                    all["trap"]["symbol"] = json!({ "name": name, "offset": offset });
                }
                if let Some((text, help)) = self.instruction(&t) {
                    text.into_iter().for_each(|text| all["trap"]["text"] = text.into());
                    help.into_iter().for_each(|help| all["trap"]["help"] = help.into());
                }
            }
            Stop::Tohost(value) => all["exit"] = json!(value >> 1),
            Stop::Ebreak | Stop::Limit => {}
        }
        if self.args.calls {
            let calls = self.hart.calls().iter().map(|c| {
                let device = self.devices.get(c.device).map_or("", String::as_str);
                json!([device, c.sub, c.command, hex(c.rs1), hex(c.rs2), hex(c.result)])
            });
            all["calls"] = calls.collect();
        }
        format!("{all:#}\n")
    }

    /// The symbol that an address is at or after, and how far.
    fn symbol(&self, address: u64) -> Option<(&str, u64)> {
        let after = self.symbols.partition_point(|(at, _)| *at <= address);
        let (at, name) = self.symbols.get(after.checked_sub(1)?)?;
        Some((name, address - at))
    }

    /// ` (name+0x8)`, or nothing.
    fn place(&self, address: u64) -> String {
        match self.symbol(address) {
            Some((name, 0)) => format!(" ({name})"),
            Some((name, offset)) => format!(" ({name}+{offset:#x})"),
            None => String::new(),
        }
    }

    /// What is said of an end that the program did not choose.
    pub(super) fn complaint(&mut self, model: TrapModel) -> Option<Diagnostic> {
        let trap = match self.stop.clone() {
            Stop::Ebreak | Stop::Tohost(_) => return None,
            Stop::Limit => {
                let message = format!("the program did not end in {}", counted(self.args.max_steps, "instruction"));
                return Some(Diagnostic::error("run-limit", message));
            }
            Stop::Trap(trap) => trap,
        };
        let found = self.instruction(&trap);
        let text = found.as_ref().and_then(|(text, _)| text.as_ref());
        let text = text.map_or(String::new(), |text| format!(" of `{text}`"));
        let (name, place) = (trap.reason.name(), self.place(trap.pc));
        let message = format!("the program ended by the trap {name}{text} at {:#x}{place}", trap.pc);
        let mut d = Diagnostic::error("run-trap", message);
        if let Some((_, Some(help))) = found {
            d = d.note(help);
        }
        if model == TrapModel::OneLevelUp || trap.to.is_none() {
            return Some(d);
        }
        let (name, number) = if trap.to == Some(Level::Super) { ("stvec", 0x105) } else { ("mtvec", 0x305) };
        Some(d.note(match self.hart.csr(number).unwrap_or(0) {
            0 => format!("nobody handles it: `{name}` is not set"),
            address => format!("nobody handles it: `{name}` is {address:#x}, where no memory is"),
        }))
    }

    /// The text of the instruction that trapped, and what would help; nothing where there is no memory.
    fn instruction(&mut self, trap: &Trap) -> Option<(Option<String>, Option<String>)> {
        let (word, _) = self.hart.fetch(trap.pc)?;
        let plan = self.hart.plan();
        let known = operands::decode(plan, &word).map(|tree| plan.isa()[tree.encoding].semantics.is_some());
        let text = known.map(|_| text_of(plan, &word));
        let help = match known {
            _ if trap.reason != Cause::Illegal => None,
            Some(true) if text.as_ref().is_some_and(|text| text.starts_with("csr")) => {
                Some("there is no such register, or it cannot be used so at this level".to_owned())
            }
            Some(true) => None,
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
