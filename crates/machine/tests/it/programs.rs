//! Programs of `tests/it/programs/DESCRIPTION/*.s` with what must be so after them. A file begins with lines of a comment:
//!
//! ```text
//! # set REGISTER NUMBER        before the run
//! # memory FIRST LENGTH        beside the memory where the program is, from 0 on
//! # ends HOW                   `end`, `end CODE`, `loop`, `trap CAUSE`, `load ADDRESS`, `illegal`, `silent`, `operand NAME` …
//! # is REGISTER NUMBER         after it
//! # holds ADDRESS NUMBER       eight bytes of memory after it
//! # steps NUMBER
//! ```

use isaglot_asm::{Assembler, Compat, Names};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_machine::oracle::state;
use isaglot_machine::{Fault, Machine, Stop};
use isaglot_model::{Isa, RegisterFileId};
use isaglot_source::{Diagnostics, SourceMap};

fn number(text: &str) -> u64 {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let n = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    let n = n.unwrap_or_else(|e| panic!("{text}: {e}"));
    if negative { n.wrapping_neg() } else { n }
}

/// A value of any width in hexadecimal.
fn wide(text: &str, width: u32) -> Word {
    match text.strip_prefix("0x") {
        Some(hex) => hex.chars().fold(Word::zero(width), |n, c| {
            n.shl(4).or(&Word::from_u64(u64::from(c.to_digit(16).expect("a digit")), width))
        }),
        None => Word::from_u64(number(text), 64).resized(width),
    }
}

fn register(isa: &Isa, name: &str) -> (RegisterFileId, u32) {
    for (at, file) in isa.register_files().iter().enumerate() {
        let named = file.names.iter().position(|n| n.as_deref() == Some(name)).map(|n| n as u32);
        let alias = file.aliases.iter().find(|a| a.0 == name).map(|a| a.1);
        if let Some(n) = named.or(alias) {
            return (RegisterFileId(at as u32), n);
        }
    }
    panic!("no register is called {name}")
}

fn how(isa: &Isa, stop: &Stop) -> String {
    match stop {
        Stop::End(None) => "end".to_owned(),
        Stop::End(Some(code)) => format!("end {}", code.decimal()),
        Stop::Loop => "loop".to_owned(),
        Stop::Limit => "limit".to_owned(),
        Stop::Fault(fault) => match fault {
            Fault::Trap { cause, .. } => format!("trap {cause}"),
            Fault::Load(at) => format!("load {at:#x}"),
            Fault::Store(at) => format!("store {at:#x}"),
            Fault::Fetch(at) => format!("fetch {at:#x}"),
            Fault::Empty(at) => format!("empty {at:#x}"),
            Fault::Unaligned(parcel) => format!("unaligned {parcel}"),
            Fault::Illegal(_) => "illegal".to_owned(),
            Fault::Silent(id) => format!("silent {}", isa.text(isa[*id].name)),
            Fault::Operand(_, name) => format!("operand {name}"),
            Fault::Extern(name) => format!("extern {name}"),
            _ => "other".to_owned(),
        },
    }
}

fn check(isa: &Isa, generation: u32, path: &std::path::Path) {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let name = path.display();
    let plan = Plan::new(isa, generation);
    let names = Names::default();
    let mut assembler = Assembler::new(&plan, &names, Compat::default());
    let mut files = SourceMap::new();
    let file = files.add("program", text.as_bytes());
    let mut problems = Diagnostics::new();
    let program = isaglot_asm::assemble::source::assemble(&mut assembler, file, text.as_bytes(), false, &mut problems);
    let said: Vec<&str> = problems.iter().map(|d| d.message.as_str()).collect();
    let bytes = program.unwrap_or_else(|| panic!("{name}: {said:?}")).bytes();
    let lines: Vec<Vec<&str>> = text.lines().filter_map(|l| Some(l.strip_prefix("# ")?.split(' ').collect())).collect();
    let machine = || {
        let mut machine = Machine::new(Plan::new(isa, generation)).expect("it has semantics");
        machine.memory.add_region(0, 0x1000).expect("there is room");
        machine.memory.write(0, &bytes).expect("the program fits");
        machine.set_program(&[(0, bytes.len() as u64)]);
        for line in &lines {
            match line.as_slice() {
                ["set", register_name, value] => {
                    let (file, n) = register(isa, register_name);
                    machine.set_register(file, n, &wide(value, machine.register_width(file)));
                }
                ["memory", first, length] => {
                    machine.memory.add_region(number(first), number(length)).expect("there is room");
                }
                _ => {}
            }
        }
        machine
    };
    let (mut one, mut other) = (machine(), machine());
    let stop = one.run(10_000);
    // By the definition, too.
    let watched = (0..10_000).find_map(|_| other.watch(&mut Vec::new())).unwrap_or(Stop::Limit);
    assert_eq!((&stop, state(&one)), (&watched, state(&other)), "{name}");
    let mut seen = 0;
    for line in &lines {
        match line.as_slice() {
            ["ends", rest @ ..] => assert_eq!(how(isa, &stop), rest.join(" "), "{name}"),
            ["is", "pc", value] => assert_eq!(one.pc(), number(value), "{name}"),
            ["is", register_name, value] => {
                let (file, n) = register(isa, register_name);
                let got = one.register(file, n);
                assert_eq!(got.hex(), wide(value, got.width()).hex(), "{name}: {register_name}");
            }
            ["holds", address, value] => {
                let mut bytes = [0; 8];
                one.memory.read(number(address), &mut bytes).expect("there is memory");
                assert_eq!(u64::from_le_bytes(bytes), number(value), "{name}: {address}");
            }
            ["steps", count] => assert_eq!(one.retired(), number(count), "{name}"),
            ["set" | "memory", ..] => continue,
            _ => panic!("{name}: {line:?} is not understood"),
        }
        seen += 1;
    }
    assert!(seen > 0, "{name}: nothing is expected");
}

fn folder(isa: &Isa, generation: u32, name: &str) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/programs").join(name);
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "there are programs");
    for path in paths {
        check(isa, generation, &path);
    }
}

#[test]
fn programs_of_minnow() {
    folder(&super::isa(isaglot_specs::MINNOW), 1, "minnow");
}

#[test]
fn programs_of_trio() {
    folder(&super::isa(isaglot_specs::TRIO), 0, "trio");
}
