//! Encoding profiles agree: a word of one does what the word of the other for the same instruction does.
//!
//! Which instruction a word is, is settled by decoding every word of a profile, all registers of all instructions; what
//! the instructions do is then compared on terms, with any registers.

use isaglot_bits::Word;
use isaglot_model::Isa;
use isaglot_xintf::profile::{GenericInst, Profile, ops};

use crate::claim::{Claim, any, differ};
use crate::riscv::{Instruction, Riscv};
use crate::scenario::{Line, Scenario, Shows, setting};
use crate::symbolic::Unknown;
use crate::term::{Sort, Terms};

/// What a word should be, and what it is.
fn wrong(riscv: &Riscv<'_>, op: GenericInst, registers: [u32; 3], found: Option<&Instruction>) -> Option<String> {
    let Some(i) = found else { return Some("no instruction".to_owned()) };
    let number = riscv.field(i, "OP");
    let name = match (riscv.name(i), number) {
        ("xcmd", Some(n)) => Some(GenericInst::Xcmd(n as u32)),
        ("xext", Some(n)) => Some(GenericInst::Xext(n as u32)),
        _ => None,
    };
    if name != Some(op) {
        return Some(name.map_or_else(|| format!("`{}`", riscv.name(i)), |op| format!("`{}`", op.name())));
    }
    let fields = ["RD", "RS1", "RS2"].map(|name| riscv.field(i, name));
    (fields != registers.map(|r| Some(u64::from(r)))).then(|| "other registers".to_owned())
}

/// The words of a profile are the instructions that it says, in the description: the first one that is not, with what it
/// is instead.
pub fn words(riscv: &Riscv<'_>, profile: &Profile, commands: u32) -> Option<(u32, GenericInst, String)> {
    for op in ops(commands) {
        for n in 0..1 << 15 {
            let registers = [n & 31, n >> 5 & 31, n >> 10];
            let word = profile.encode(op, registers[0], registers[1], registers[2]);
            let found = riscv.decode(&Word::from_u64(u64::from(word), 32));
            if let Some(is) = wrong(riscv, op, registers, found.as_ref()) {
                return Some((word, op, is));
            }
        }
    }
    None
}

/// The first profile agrees with each of the others on every instruction, at a register width.
///
/// # Errors
/// A sentence, if the description lacks one of them.
pub fn agree(isa: &Isa, xlen: u32, profiles: &[Profile], commands: u32) -> Result<Vec<Claim>, String> {
    let mut claims = Vec::new();
    let mut sides = Vec::new();
    for profile in profiles {
        let commands = commands.min(profile.max_commands());
        let riscv = Riscv::new(isa, xlen, &profile.name, commands)?;
        match words(&riscv, profile, commands) {
            Some(fault) => claims.push(misread(xlen, profile, commands, fault)),
            None => sides.push((riscv, profile, commands)),
        }
    }
    let Some(((one, first, room), others)) = sides.split_first_mut() else { return Ok(claims) };
    for (other, second, other_room) in others {
        claims.push(pair((&mut *one, *first), (other, *second), commands.min(*room).min(*other_room))?);
    }
    Ok(claims)
}

/// Two profiles agree.
fn pair<'a>(
    (one, first): (&mut Riscv<'a>, &Profile),
    (other, second): (&mut Riscv<'a>, &Profile),
    commands: u32,
) -> Result<Claim, String> {
    let mut terms = Terms::new();
    let t = &mut terms;
    let start = one.state(t);
    let registers = ["RD", "RS1", "RS2"].map(|name| (name, t.symbol(name, Sort::Bits(5))));
    let mut values = registers.map(|(name, term)| (name.to_owned(), term)).to_vec();
    let mut wrong = Vec::new();
    for op in ops(commands) {
        let mut after = Vec::new();
        for (riscv, profile) in [(&mut *one, first), (&mut *other, second)] {
            let i = riscv.generic(profile, op, [1, 2, 3]).ok_or("a word of the profile is not a valid instruction")?;
            after.extend(riscv.execute(t, &i, &registers, &start, &mut Unknown));
        }
        let [x, y] = after.as_slice() else { return Err("the description does not say what they do".to_owned()) };
        let mut bits = Vec::new();
        for (&x, &y) in x.files.iter().zip(&y.files) {
            bits.push(differ(t, "register", x, y));
        }
        for (x, y) in [(x.memory, y.memory), (x.pc, y.pc), (x.world, y.world), (x.trap, y.trap)] {
            bits.push(differ(t, "state", x, y));
        }
        let differ = any(t, &bits);
        wrong.push(differ);
        values.push((format!("{} differs", op.name()), differ));
    }
    let wrong = any(t, &wrong);
    let subject = format!("{} and {}", first.name, second.name);
    let place = format!("RV{}", one.xlen());
    let unshown = Some("it is about two machines, one for each profile".to_owned());
    Ok(Claim { unshown, ..Claim::new("encoding", subject, place, terms, wrong, values) })
}

/// A claim that a word refutes.
fn misread(xlen: u32, profile: &Profile, commands: u32, (word, op, is): (u32, GenericInst, String)) -> Claim {
    let mut terms = Terms::new();
    let wrong = terms.number(1, 1);
    let shown = terms.number(u64::from(word), 32);
    let settings = vec![
        setting("xlen", xlen.to_string()),
        setting("commands", commands.max(1).next_power_of_two().to_string()),
        setting("encoding", format!("\"{}\"", profile.name)),
        setting("start_priv", "\"mach\""),
        setting("trap_model", "\"one-level-up\""),
    ];
    let lines = vec![Line::Text(format!(".word {word:#010x}")), Line::Text("ebreak".to_owned())];
    let shows = Shows::Trace { is: is.clone(), meant: op.name() };
    let scenario = Some(Scenario { xlen, lines, settings, variables: Vec::new(), on_machine: false, shows });
    let values = vec![(format!("{} in {} is {is}", op.name(), profile.name), shown)];
    let place = format!("RV{xlen}, {}", profile.name);
    Claim { scenario, ..Claim::new("encoding", op.name(), place, terms, wrong, values) }
}
