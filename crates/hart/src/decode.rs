//! From instruction words to pre-decoded instructions, by the description.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use isaglot_bits::Word;
use isaglot_codec::{OperandValue, Plan, operands};
use isaglot_invariant::Impossible as _;
use isaglot_model::{EncodingId, FeatureId, Isa, Name};
use isaglot_riscv::isa_name;

use crate::block::{Block, Ends, Ins, ins};
use crate::config::Config;
use crate::csr::Extensions;
use crate::generated::table::{self, Op};
use crate::generated::{rv32, rv64};
use crate::limits::MAX_BLOCK;
use crate::machine::Fault;
use crate::memory::Memory;
use crate::vector_state::Extent;

/// What the description says about an encoding that the executor knows.
struct Known {
    /// Its arm of `execute` and its form of `prepare`.
    op: Op,
    form: u16,
    /// What tells it from others with these.
    number: u16,
    /// Those of its operands, once it was decoded: a program uses few of all encodings.
    names: OnceCell<Vec<Name>>,
    /// A command of an interface, in the field `OP`.
    is_command: bool,
    /// It jumps and writes the return address.
    links: bool,
}

/// An instruction and what its word says.
pub(crate) struct Decoded {
    pub(crate) ins: Ins,
    /// In bytes.
    pub(crate) length: u64,
    /// Where its block ends.
    pub(crate) ends: Ends,
    /// Nothing if it is illegal.
    #[cfg_attr(not(feature = "jit"), expect(dead_code, reason = "what machine code is made from"))]
    pub(crate) encoding: Option<EncodingId>,
    /// The values of its operands, in the order of the encoding's.
    #[cfg_attr(not(feature = "jit"), expect(dead_code, reason = "what machine code is made from"))]
    pub(crate) fields: [u64; 8],
}

/// Letters of `misa` beside `i`, with the features that make each. An extension that is not executed is not there.
const LETTERS: &[(u8, &[&str])] = &[
    (b'm', &["m"]),
    (b'a', &["zaamo", "zalrsc"]),
    (b'b', &["zba", "zbb", "zbs"]),
    (b'c', &["zca"]),
    (b'f', &["f"]),
    (b'd', &["d"]),
    (b'h', &["h"]),
    (b'v', &["v"]),
];

/// What vectors can compute with, by the feature: sizes of floating point, a bit each, and from bit 4 on those that are converted only.
const FLOATS: &[(&str, u8)] = &[("zve32f", 1 << 2), ("zve64d", 1 << 3), ("zvfh", 1 << 1), ("zvfhmin", 1 << 5)];
/// Extensions that are others together and name no instructions of their own.
const WHOLE: &[&str] = &["v"];

/// Extensions that a machine has only if they are named: what it says of levels is otherwise with them.
const ASKED: &[&str] = &["h"];

/// How long vector registers are at least, by the feature that says so.
const LENGTHS: &[(&str, u32)] =
    &[("zvl32b", 32), ("zvl64b", 64), ("zvl128b", 128), ("zvl256b", 256), ("zvl512b", 512), ("zvl1024b", 1024)];

/// Decodes for one machine.
pub(crate) struct Decoder<'a> {
    plan: Plan<'a>,
    known: Vec<Option<Known>>,
    wide: bool,
    commands: u8,
    /// There are instructions of 16 bits, so that a jump can go to any even address.
    pub(crate) compressed: bool,
    /// There is floating point in registers of its own.
    float: bool,
    /// There is floating point in integer registers.
    zfinx: bool,
    /// Bits of a vector register, if the machine says so.
    vlen: u32,
}

/// The features of a machine: those of its profile and number of commands, and of the rest its extensions. Where none are named,
/// those that are on by default, and with them all that have instructions that can be run.
fn features(isa: &Isa, config: &Config) -> Vec<FeatureId> {
    let all = || (0..isa.features().len() as u32).map(FeatureId);
    let usual: Vec<FeatureId> = all().filter(|&f| isa[f].default).collect();
    let run = isa.encodings().iter().filter(|e| e.semantics.is_some() && e.gens.contains(config.xlen));
    let run: BTreeSet<FeatureId> = run.flat_map(|e| e.condition.features()).collect();
    let fits = |f: FeatureId| isa.conflicts(&usual.iter().copied().chain([f]).collect::<Vec<_>>()).is_empty();
    let can_run: BTreeSet<&str> = run.into_iter().filter(|&f| fits(f)).map(|f| isa[f].name.as_str()).collect();
    // What it stands for can be run, where that has instructions.
    let is_whole = |name: &str| {
        let f = isa.features().iter().position(|f| f.name == name).map(|at| FeatureId(at as u32));
        f.is_some_and(|f| fits(f) && can_run.contains("zve64x"))
    };
    let has = |name: &str, default: bool| match &config.extensions {
        Some(named) => named.iter().any(|e| e == name),
        None => default || can_run.contains(name) && !ASKED.contains(&name) || WHOLE.contains(&name) && is_whole(name),
    };
    isa_name::features(isa, &config.encoding, u32::from(config.commands), &has)
}

impl<'a> Decoder<'a> {
    /// For this description; fails with a sentence if the executor was not generated from it.
    pub(crate) fn new(isa: &'a Isa, config: &Config) -> Result<Decoder<'a>, String> {
        let (xlen, commands) = (config.xlen, config.commands);
        let wide = xlen == 64;
        let expected = if wide { rv64::ENCODINGS } else { rv32::ENCODINGS };
        let other = || "the description is not the one that the executor was generated from".to_owned();
        let profile = format!("xext-{}", config.encoding);
        for name in config.extensions.iter().flatten().chain([&profile]) {
            if !isa.features().iter().any(|f| f.name == *name) {
                return Err(format!("the description has no feature `{name}`"));
            }
        }
        let mut known: Vec<Option<Known>> = isa.encodings().iter().map(|_| None).collect();
        let mut count = 0;
        for at in 0..isa.encodings().len() as u32 {
            let encoding = &isa[EncodingId(at)];
            if !encoding.gens.contains(xlen) || encoding.semantics.is_none() {
                continue;
            }
            let row = table::ENCODINGS.binary_search_by_key(&isa.text(encoding.name), |row| row.0);
            let (_, op, form, number) = table::ENCODINGS[row.map_err(|_| other())?];
            if let Some(place) = known.get_mut(at as usize) {
                let links = matches!(&*encoding.display_name, "jal" | "jalr");
                let is_command = &*encoding.display_name == "xcmd";
                *place = Some(Known { op, form, number, names: OnceCell::new(), is_command, links });
            }
            count += 1;
        }
        if count != expected {
            return Err(other());
        }
        let on = features(isa, config);
        if let Some((one, others)) = isa.conflicts(&on).first() {
            let others: Vec<String> = others.iter().map(|&f| format!("`{}`", isa[f].name)).collect();
            return Err(format!("`{}` and {} exclude each other", isa[*one].name, others.join(" with ")));
        }
        let plan = Plan::with_features(isa, xlen, &on);
        let has = |name: &str| plan.features().any(|f| isa[f].name == name);
        let (compressed, float, zfinx) = (has("zca"), has("f"), has("zfinx"));
        Ok(Decoder { plan, known, wide, commands, compressed, float, zfinx, vlen: config.vlen })
    }

    /// What the extensions mean for control and status registers.
    pub(crate) fn extensions(&self) -> Extensions {
        let has = |name: &str| self.plan.features().any(|f| self.plan.isa()[f].name == name);
        let there = LETTERS.iter().filter(|(_, parts)| parts.iter().all(|part| has(part)));
        let letters = there.fold(0, |all, (letter, _)| all | 1 << (letter - b'a'));
        let vector = Extent {
            there: has("zve32x"),
            widest: if has("zve64x") { 3 } else { 2 },
            floats: FLOATS
                .iter()
                .filter(|(name, _)| has(name))
                .map(|&(_, sizes)| sizes)
                .fold(0, std::ops::BitOr::bitor),
            hashes_wide: has("zvknhb"),
            length: self.vlen.max(LENGTHS.iter().filter(|(name, _)| has(name)).map(|l| l.1).max().unwrap_or(0)),
        };
        let (compressed, float, zfinx) = (self.compressed, self.float, self.zfinx);
        let (tables, hypervisor) = (has("zcmt"), has("h"));
        Extensions { letters, compressed, float, zfinx, tables, hypervisor, marks_entries: true, vector }
    }

    /// What the description has for a word; nothing if the executor does not know it.
    pub(crate) fn plan(&self) -> &Plan<'a> {
        &self.plan
    }

    /// One instruction. Fails if it cannot be fetched.
    #[inline(always)]
    pub(crate) fn whole(&self, memory: &mut Memory, pc: u64) -> Result<Decoded, Fault> {
        let (word, length) = word(&self.plan, pc, &mut |at| memory.fetch(at))?;
        let illegal =
            Decoded { ins: ins(Op::Illegal, [0; 4], 0), length, ends: Ends::After, encoding: None, fields: [0; 8] };
        let Some(tree) = operands::decode_flat(&self.plan, &without_reserved(word)) else { return Ok(illegal) };
        let Some(known) = self.known.get(tree.encoding.index()).and_then(Option::as_ref) else { return Ok(illegal) };
        let value = |name: Name| {
            let field = tree.fields.iter().find(|f| f.name == name);
            let value = field.map(|f| match &f.value {
                OperandValue::Number(w) => w.low_u64(),
                OperandValue::Nested(_) => 0,
            });
            value.or_impossible(0)
        };
        let isa = self.plan.isa();
        let names = known.names.get_or_init(|| isa.semantic_operands(&isa[tree.encoding]));
        let command = if known.is_command { isa.names().get("OP").filter(|op| names.contains(op)) } else { None };
        if command.is_some_and(|op| value(op) >= u64::from(self.commands)) {
            return Ok(illegal);
        }
        let mut fields = [0; 8];
        fields[7] = known.number.into();
        for (place, &name) in fields.iter_mut().zip(names) {
            *place = value(name);
        }
        let prepare = if self.wide { rv64::prepare } else { rv32::prepare };
        let ends = match table::ends(known.op) {
            // So that the address that it wrote can be taken back if the jump traps.
            Ends::After if known.links && !self.compressed => Ends::Alone,
            ends => ends,
        };
        let ins = prepare(known.op, known.form, &fields, pc);
        Ok(Decoded { ins, length, ends, encoding: Some(tree.encoding), fields })
    }

    /// Decodes a block, up to the next of these addresses; fails if the first instruction cannot be fetched. It goes on after so many branches.
    pub(crate) fn block(
        &self,
        memory: &mut Memory,
        start: u64,
        before: &BTreeSet<u64>,
        mut branches: usize,
    ) -> Result<Block, Fault> {
        let mut code: Vec<Ins> = Vec::new();
        let mut pc = start;
        while code.len() < MAX_BLOCK && (pc == start || !before.contains(&pc)) {
            let Decoded { mut ins, length, ends, .. } = match self.whole(memory, pc) {
                Ok(one) => one,
                Err(fault) if code.is_empty() => return Err(fault),
                Err(_) => break,
            };
            if ends == Ends::Alone && !code.is_empty() {
                break;
            }
            ins.at = pc.wrapping_sub(start) as u16;
            code.push(ins);
            pc = pc.wrapping_add(length);
            let goes_on = match ends {
                Ends::No => true,
                Ends::Branch if branches > 0 => {
                    branches -= 1;
                    true
                }
                _ => false,
            };
            // Page tables are marked for pages that the program comes to, no others.
            if !goes_on || memory.is_guarded && pc >> 12 != start >> 12 {
                break;
            }
        }
        let mut rest = code.as_mut_slice();
        while let [first, second, ..] = rest {
            let pair = table::pair(first.op, second.op);
            first.op = pair.unwrap_or(first.op);
            rest = rest.get_mut(if pair.is_some() { 2 } else { 1 }..).unwrap_or_default();
        }
        Ok(Block { start, end: pc, code: code.into_boxed_slice() })
    }
}

/// The instruction word at an address, and its length in bytes, from its 16-bit parts.
pub(crate) fn word(
    plan: &Plan<'_>,
    pc: u64,
    fetch: &mut dyn FnMut(u64) -> Result<u16, Fault>,
) -> Result<(Word, u64), Fault> {
    let low = u64::from(fetch(pc)?);
    match plan.length(&Word::from_u64(low, 16)) {
        Some(32) => {
            let high = u64::from(fetch(pc.wrapping_add(2))?);
            Ok((Word::from_u64(high << 16 | low, 32), 4))
        }
        _ => Ok((Word::from_u64(low, 16), 2)),
    }
}

/// The word without what machines ignore today: a fence with fields that are reserved is a fence (volume I), although it has no text.
pub(crate) fn without_reserved(word: Word) -> Word {
    let bits = word.low_u64();
    match bits & 0x707f {
        // `fence` with another mode than TSO's orders all, as the one without a mode.
        0x000f if word.width() == 32 && bits != 0x8330_000f => Word::from_u64(bits & 0x0ff0_707f, 32),
        0x100f if word.width() == 32 => Word::from_u64(0x100f, 32),
        _ => word,
    }
}
