//! One step with all that it changed, as text and as JSON.

use std::fmt::Write as _;

use isaglot_bits::Word;
use isaglot_machine::{Event, Fault, Machine, Stop};
use isaglot_model::{EncodingId, Flow, Isa};
use isaglot_semantics::{Body, check, parse};
use isaglot_source::{Diagnostic, Diagnostics, Span};
use serde_json::{Value, json};

use super::lines::{Line, lines};
use crate::machine::{digits, fault_json, fault_kind, fault_text, hex, registers, text_of};

/// A line of a text: what is written, how deep in blocks, whether it ran.
type Ran = (String, usize, bool);

/// What a step did.
pub(crate) struct Step {
    pc: u64,
    word: Word,
    text: String,
    /// The encodings of its operations with the lines of their texts.
    operations: Vec<(EncodingId, Vec<Ran>)>,
    /// Registers that changed: file, name, before, after.
    registers: Vec<(String, String, Word, Word)>,
    events: Vec<Event>,
    stop: Option<Stop>,
    /// Where it goes on.
    next: u64,
}

/// The lines of an encoding's text with those that ran, after the events of its operation. `ends` is whether a trap ended it.
fn ran(isa: &Isa, generation: u32, id: EncodingId, events: &[Event], ends: bool) -> Vec<Ran> {
    let Some(semantics) = &isa[id].semantics else { return Vec::new() };
    // Read again, so that places count from the beginning of the text, wherever that is from. Values are numbered alike.
    let tree = parse(Span::NOWHERE.file, 0, &semantics.text, &mut Diagnostics::new());
    let environment = isa.environment(&isa[id], generation);
    let body: Body = tree.and_then(|tree| check(&tree, &environment, &mut Diagnostics::new())).unwrap_or_default();
    let lines = lines(&semantics.text);
    let mut marks = vec![false; lines.len()];
    let mut next = 0;
    // A call or a trap without a value has no place of its own: it is the next one that is written so.
    let after = |from: usize, text: &str| {
        let written = |line: &Line| line.text(&semantics.text).contains(text);
        lines.iter().skip(from).position(written).map(|at| from + at)
    };
    let mark = |at: Option<usize>, marks: &mut Vec<bool>| {
        at.and_then(|at| marks.get_mut(at)).into_iter().for_each(|mark| *mark = true);
        at.map_or(0, |at| at + 1)
    };
    for event in events {
        match event {
            Event::Statement(value) => {
                let at = body.spans.get(value.0 as usize).map(|span| span.start as usize);
                let line = at.and_then(|at| lines.iter().position(|line| line.place.contains(&at)));
                next = mark(line, &mut marks).max(next);
            }
            Event::Call(name, args, _) if args.is_empty() => {
                next = mark(after(next, &format!("{name}()")), &mut marks).max(next);
            }
            _ => {}
        }
    }
    if ends {
        mark(after(next.saturating_sub(1), "trap("), &mut marks);
    }
    let shown = |line: &Line| line.text(&semantics.text).split_whitespace().collect::<Vec<_>>().join(" ");
    lines.iter().zip(marks).map(|(line, ran)| (shown(line), line.depth, ran)).collect()
}

/// The registers of each file, and what is held outside of the machine.
fn held(machine: &mut Machine<'_>) -> Vec<(String, Vec<(String, Word)>)> {
    let mut all = registers(machine);
    all.push(("csr".to_owned(), machine.outside().controls()));
    all
}

impl Step {
    /// Takes a step of a machine whose next instruction is this.
    pub(crate) fn take(machine: &mut Machine<'_>, word: &Word) -> Step {
        let (isa, generation, pc) = (machine.isa(), machine.plan().generation(), machine.pc());
        let before = held(machine);
        let text = text_of(machine.plan(), word);
        let encodings = machine.operations(word).unwrap_or_default();
        let mut events = Vec::new();
        let stop = machine.watch(&mut events);
        let starts = |n: usize| events.iter().position(|event| *event == Event::Operation(n)).unwrap_or(events.len());
        let texts = encodings.iter().enumerate().map(|(n, &id)| {
            let own = events.get(starts(n)..starts(n + 1)).unwrap_or_default();
            // The last operation that began is the one that a fault is of; an end may be of any that is one.
            let ends = match &stop {
                Some(Stop::Fault(Fault::Trap { .. })) => starts(n + 1) == events.len(),
                Some(Stop::End(_)) => isa[id].flow == Flow::End,
                _ => false,
            };
            (id, ran(isa, generation, id, own, ends))
        });
        let operations = texts.collect();
        let after = held(machine);
        let changed = before.into_iter().zip(after).flat_map(|((file, old), (_, new))| {
            let pairs = old.into_iter().zip(new).filter(|(old, new)| old.1 != new.1);
            pairs.map(move |(old, new)| (file.clone(), old.0, old.1, new.1)).collect::<Vec<_>>()
        });
        Step {
            pc,
            word: word.clone(),
            text,
            operations,
            registers: changed.collect(),
            events,
            stop,
            next: machine.pc(),
        }
    }

    /// Whether the machine goes on after it.
    pub(crate) fn goes_on(&self) -> bool {
        self.stop.is_none()
    }

    fn fault(&self) -> Option<&Fault> {
        match &self.stop {
            Some(Stop::Fault(fault)) => Some(fault),
            _ => None,
        }
    }

    /// For people.
    pub(crate) fn text(&self, isa: &Isa) -> String {
        let mut text = format!("{:#010x} {} {}\n", self.pc, digits(&self.word), self.text);
        for (id, lines) in &self.operations {
            if self.operations.len() > 1 {
                let _ = writeln!(text, "  {}:", isa.text(isa[*id].name));
            }
            for (line, depth, ran) in lines {
                let _ = writeln!(text, "  {} {}{line}", if *ran { '>' } else { ' ' }, "  ".repeat(*depth));
            }
        }
        for event in &self.events {
            let _ = match event {
                Event::Load(at, value) => writeln!(text, "  mem{}[{at:#x}] is {}", value.width(), hex(value)),
                Event::Store(at, before, after) => {
                    writeln!(text, "  mem{}[{at:#x}] {} -> {}", after.width(), hex(before), hex(after))
                }
                Event::Call(name, args, result) => {
                    let args: Vec<String> = args.iter().map(hex).collect();
                    let result = result.as_ref().map_or(String::new(), |value| format!(" is {}", hex(value)));
                    writeln!(text, "  {name}({}){result}", args.join(", "))
                }
                _ => Ok(()),
            };
        }
        for (_, name, before, after) in &self.registers {
            let _ = writeln!(text, "  {name} {} -> {}", hex(before), hex(after));
        }
        let _ = match &self.stop {
            None => writeln!(text, "  pc {:#x} -> {:#x}", self.pc, self.next),
            Some(Stop::End(None)) => writeln!(text, "  the program ends"),
            Some(Stop::End(Some(code))) => writeln!(text, "  the program ends with the exit code {}", code.decimal()),
            Some(Stop::Fault(fault)) => writeln!(text, "  stopped: {}", fault_text(isa, fault).0),
            Some(_) => Ok(()),
        };
        text
    }

    /// As JSON.
    pub(crate) fn json(&self, isa: &Isa) -> Value {
        let address = |at: u64| json!(format!("{at:#x}"));
        let operations = self.operations.iter().map(|(id, lines)| {
            let lines = lines.iter().map(|(line, depth, ran)| json!({ "text": line, "depth": depth, "ran": ran }));
            json!({ "encoding": isa.text(isa[*id].name), "semantics": lines.collect::<Vec<Value>>() })
        });
        let changed = self.registers.iter().map(|(file, name, before, after)| {
            json!({ "file": file, "name": name, "before": hex(before), "after": hex(after) })
        });
        let memory = self.events.iter().filter_map(|event| match event {
            Event::Load(at, value) => {
                Some(json!({ "kind": "load", "address": address(*at), "bits": value.width(), "before": hex(value), "after": hex(value) }))
            }
            Event::Store(at, before, after) => {
                Some(json!({ "kind": "store", "address": address(*at), "bits": after.width(), "before": hex(before), "after": hex(after) }))
            }
            _ => None,
        });
        let calls = self.events.iter().filter_map(|event| match event {
            Event::Call(name, args, result) => {
                let mut call = json!({ "name": name, "arguments": args.iter().map(hex).collect::<Vec<_>>() });
                result.iter().for_each(|value| call["result"] = json!(hex(value)));
                Some(call)
            }
            _ => None,
        });
        let mut all = json!({
            "$schema": crate::schema::STEP, "pc": address(self.pc), "word": format!("0x{}", digits(&self.word)), "text": self.text,
            "operations": operations.collect::<Vec<Value>>(), "registers": changed.collect::<Vec<Value>>(),
            "memory": memory.collect::<Vec<Value>>(), "calls": calls.collect::<Vec<Value>>(), "next": address(self.next),
        });
        match &self.stop {
            Some(Stop::End(code)) => {
                all["stop"] = json!("end");
                code.iter().for_each(|code| all["exit"] = json!(hex(code)));
            }
            Some(Stop::Fault(fault)) => {
                all["stop"] = json!("fault");
                all["fault"] = fault_json(isa, fault);
            }
            _ => {}
        }
        all
    }

    /// What kept the instruction from being run.
    pub(crate) fn complaint(&self, isa: &Isa) -> Option<Diagnostic> {
        let fault = self.fault()?;
        let (what, help) = fault_text(isa, fault);
        let code = if fault_kind(fault) == "no-semantics" { "run-semantics" } else { "run-trap" };
        let d = Diagnostic::error(
            code,
            match fault {
                Fault::Illegal(_) => what,
                _ => format!("`{}` cannot be run to its end: {what}", self.text),
            },
        );
        Some(match help {
            Some(help) => d.note(help),
            None => d,
        })
    }
}
