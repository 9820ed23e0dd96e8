//! The tests of the semantics are tests: a hundred seeded changes of the RISC-V description's texts, one at a time, each is
//! caught by a program, or proved by z3 to change nothing.
//!
//! A change is tried out by the interpreter: the words of the changed encoding are replaced by `ebreak` in the programs
//! (the self-checking ones, and the one that runs every instruction on edge operands, whose results are compared with
//! qemu's in another test), and where the run stops there, the changed text is run instead. Texts of instructions that are in none of these
//! programs are left out: they run in the single steps of the corpus (`corpus_riscv`).

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::process::{Command, Stdio};

use isaglot_bits::Word;
use isaglot_hart::{Cause, Config, Hart, Level, Stop, TrapModel};
use isaglot_model::{EncodingId, FieldSource, Isa, Node, Piece};
use isaglot_prove::symbolic::{Binding, BoundBody, SymbolicState, Unknown, execute, number_bits};
use isaglot_prove::{Sort, Terms, smt};
use isaglot_semantics::{BinaryOp, Body, Symbol, check, parse};
use isaglot_source::{Diagnostics, FileId, Span};
use isaglot_testing::{Failed, Random, Trial};
use object::{Object, ObjectSection, ObjectSegment};

use crate::{description, instructions, peer, programs};

const MUTANTS: usize = 100;
const SEED: u64 = 1;
/// Interpreted instructions between looks at the results.
const LOOK: u64 = 5000;
/// Instructions of the program on edge operands, generously.
const STEPS: u64 = 20_000_000;

pub(crate) fn trials() -> Vec<Trial> {
    use isaglot_testing::peer::{RISCV_GCC, Z3, trial};
    vec![trial("mutants_are_caught", &[RISCV_GCC, Z3], mutants)]
}

/// Pieces of a text that a mutation can take the place of, longest first, and what with.
const SWAPS: &[(&str, &[&str])] = &[
    ("sext(", &["zext("]),
    ("zext(", &["sext("]),
    ("rotl(", &["rotr("]),
    ("rotr(", &["rotl("]),
    ("clz(", &["ctz(", "popcount("]),
    ("ctz(", &["clz("]),
    ("popcount(", &["clz("]),
    ("reverse_bytes(", &["or_bytes("]),
    ("or_bytes(", &["reverse_bytes("]),
    (">=u", &[">u", ">=s", "<u"]),
    ("<=u", &["<u"]),
    (">=s", &[">s", ">=u"]),
    (">>u", &[">>s", "<<"]),
    (">>s", &[">>u"]),
    ("<s", &["<u", "<=s", ">s"]),
    ("<u", &["<s", "<=u", ">u"]),
    ("<<", &[">>u"]),
    ("==", &["!="]),
    ("!=", &["=="]),
    ("/s", &["/u"]),
    ("/u", &["/s"]),
    ("%s", &["%u"]),
    ("%u", &["%s"]),
    ("&&", &["||"]),
    ("RS1", &["RS2"]),
    ("RS2", &["RS1"]),
    ("next_pc", &["pc"]),
    ("xlen", &["32"]),
    (" + ", &[" - ", " ^ "]),
    (" - ", &[" + "]),
    (" * ", &[" + "]),
    (" & ", &[" | "]),
    (" | ", &[" & "]),
    (" ^ ", &[" | "]),
    ("~", &["", "-"]),
    ("!", &[""]),
    ("1", &["2", "0"]),
    ("2", &["3"]),
    ("3", &["1"]),
    ("0", &["1"]),
    ("7", &["6"]),
    ("8", &["16"]),
    ("5", &["4"]),
    ("mem8[", &["mem16["]),
    ("mem16[", &["mem8["]),
    ("mem32[", &["mem16["]),
    ("mem64[", &["mem32["]),
];

/// One random change of a text.
fn mutate(text: &str, random: &mut Random) -> Option<String> {
    let mut sites = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        match SWAPS.iter().find(|s| rest.starts_with(s.0)) {
            Some(swap) => {
                sites.push((at, swap));
                at += swap.0.len();
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    // A statement less, where there are several.
    let ends: Vec<usize> = text.match_indices(';').map(|m| m.0).collect();
    if ends.len() > 1 && random.one_in(8) {
        let n = random.index(ends.len());
        let start = if n == 0 { 0 } else { ends[n - 1] + 1 };
        return Some(format!("{}{}", &text[..start], &text[ends[n] + 1..]));
    }
    if sites.is_empty() {
        return None;
    }
    let (at, swap) = *random.pick(&sites);
    let with = *random.pick(swap.1);
    Some(format!("{}{with}{}", &text[..at], &text[at + swap.0.len()..]))
}

struct Mutant {
    /// The encodings that share the text: a description says it once for all of them.
    encodings: Vec<EncodingId>,
    xlen: u32,
    text: String,
    body: Body,
}

/// A change that is well typed, at a register width.
fn draw(isa: &Isa, random: &mut Random) -> Mutant {
    let all = || (0..isa.encodings().len() as u32).map(EncodingId);
    let mut texts: Vec<(Span, EncodingId)> = all()
        .filter_map(|id| Some((isa[id].semantics.as_ref().filter(|s| !s.text.trim().is_empty())?.span, id)))
        .collect();
    texts.sort_by_key(|t| (t.0.file, t.0.start, t.1));
    texts.dedup_by_key(|t| t.0);
    loop {
        let (span, encoding) = *random.pick(&texts);
        let xlen = *random.pick(&[32, 64]);
        let e = &isa[encoding];
        let Some(semantics) = e.semantics.as_ref().filter(|_| e.gens.contains(xlen)) else { continue };
        let Some(text) = mutate(&semantics.text, random) else { continue };
        let mut problems = Diagnostics::new();
        let tree = parse(FileId(0), 0, &text, &mut problems);
        let body = tree.and_then(|tree| check(&tree, &isa.environment(e, xlen), &mut problems));
        if let Some(body) = body {
            let same = |id: &EncodingId| {
                // Operands of a body are by number.
                let names = isa.semantic_operands(&isa[*id]) == isa.semantic_operands(e);
                names && isa[*id].semantics.as_ref().is_some_and(|s| s.span == span)
            };
            return Mutant { encodings: all().filter(same).collect(), xlen, text, body };
        }
    }
}

/// Runs with the changed text where its encoding stands. `look` is asked every now and then, and at the end, whether the
/// run is still right.
fn run(
    hart: &mut Hart<'_>,
    places: &HashMap<u64, Word>,
    body: &Body,
    steps: u64,
    mut look: impl FnMut(&mut Hart<'_>, Option<&Stop>) -> bool,
) -> bool {
    for (&at, word) in places {
        // `ebreak`, or `c.ebreak`.
        let stop: &[u8] = if word.width() == 32 { &[0x73, 0, 0x10, 0] } else { &[0x02, 0x90] };
        hart.memory().write(at, stop).expect("the program is there");
    }
    hart.code_changed();
    let mut interpreted = 0;
    // Whether the program's own breakpoints end the run: those are not among the places.
    loop {
        let left = steps.saturating_sub(hart.retired() + interpreted);
        let stop = if left == 0 { Stop::Limit } else { hart.run(left) };
        let ended = match places.get(&hart.pc()) {
            Some(word) if stop == Stop::Ebreak => {
                interpreted += 1;
                if interpreted.is_multiple_of(LOOK) && !look(hart, None) {
                    return false;
                }
                hart.interpret(word, body)
            }
            _ => Some(stop),
        };
        if let Some(stop) = ended {
            return look(hart, Some(&stop));
        }
    }
}

/// The program on edge operands at a register width, with what it writes.
struct Edge {
    segments: Vec<(u64, Vec<u8>)>,
    entry: u64,
    words: Vec<(u64, Word)>,
    results: u64,
    want: Vec<u8>,
}

fn edge(isa: &Isa, xlen: u32) -> Result<Edge, Failed> {
    let dir = tempfile::tempdir()?;
    let (text, _) = instructions::program(xlen);
    std::fs::write(dir.path().join("all.S"), text)?;
    let path = peer::compile(dir.path(), "all.S", xlen, "imac_zifencei_zba_zbb_zbs", "-O0")?;
    let bytes = std::fs::read(path)?;
    let elf = object::File::parse(&*bytes)?;
    let mut segments = Vec::new();
    for s in elf.segments() {
        let mut data = s.data()?.to_vec();
        data.resize(s.size() as usize, 0);
        segments.push((s.address(), data));
    }
    let code = elf.section_by_name(".text").ok_or("no code")?;
    let results = elf.section_by_name(".bss").ok_or("no results")?;
    let mut e = Edge { segments, entry: elf.entry(), words: Vec::new(), results: results.address(), want: Vec::new() };
    let mut hart = e.hart(isa, xlen);
    let mut at = code.address();
    while at < code.address() + code.size() {
        let Some((word, length)) = hart.fetch(at) else { break };
        e.words.push((at, word));
        at += length;
    }
    let mut end = (0, 0);
    run(&mut hart, &HashMap::new(), &Body::default(), STEPS, |hart, _| {
        end = (hart.register(11), hart.register(12));
        true
    });
    if end.0 != e.results || end.1 == 0 {
        return Err("the program does not run to its end".into());
    }
    e.want = hart.memory().read(end.0, end.1 as usize).map_err(|at| format!("no memory at {at:#x}"))?;
    Ok(e)
}

impl Edge {
    fn hart<'a>(&self, isa: &'a Isa, xlen: u32) -> Hart<'a> {
        let mut config = Config::new(xlen);
        config.trap_model = TrapModel::OneLevelUp;
        config.start = Level::User;
        config.ram.extend(self.segments.iter().map(|s| (s.0, s.1.len() as u64)));
        let mut hart = Hart::new(isa, config).expect("a sound machine");
        for (address, data) in &self.segments {
            hart.memory().write(*address, data).expect("it fits");
        }
        hart.set_register(2, 0x8700_0000);
        hart.set_pc(self.entry);
        hart
    }

    /// Whether a changed text shows.
    fn catches(&self, isa: &Isa, m: &Mutant) -> bool {
        let mut hart = self.hart(isa, m.xlen);
        let places = places(&hart, &self.words, &m.encodings);
        if places.is_empty() {
            return false;
        }
        let right = run(&mut hart, &places, &m.body, STEPS, |hart, stop| {
            let length = match stop {
                // Not at its end: what follows the results is still zero.
                None => hart.register(18).saturating_sub(self.results).min(self.want.len() as u64),
                Some(Stop::Trap(t)) if t.reason == Cause::EnvironmentCall => self.want.len() as u64,
                Some(_) => return false,
            };
            let found = hart.memory().read(self.results, length as usize);
            found.is_ok_and(|f| self.want.get(..f.len()) == Some(&f[..]))
        });
        !right
    }
}

/// The encodings that the programs run.
fn exercised(isa: &Isa, edge: &Edge, xlen: u32) -> HashSet<EncodingId> {
    let hart = edge.hart(isa, xlen);
    let programs = programs::programs(xlen);
    let checking = programs.iter().flat_map(|p| p.words());
    edge.words.iter().cloned().chain(checking).filter_map(|(_, word)| hart.instruction(&word)).collect()
}

fn places(hart: &Hart<'_>, words: &[(u64, Word)], encodings: &[EncodingId]) -> HashMap<u64, Word> {
    let ours = |w: &&(u64, Word)| hart.instruction(&w.1).is_some_and(|id| encodings.contains(&id));
    words.iter().filter(ours).cloned().collect()
}

/// Whether a program that checks itself catches a changed text.
fn caught_by_programs(isa: &Isa, m: &Mutant) -> bool {
    programs::programs(m.xlen).iter().any(|p| {
        let mut hart = p.hart(isa);
        let places = places(&hart, &p.words(), &m.encodings);
        if places.is_empty() {
            return false;
        }
        !run(&mut hart, &places, &m.body, 1000, |hart, stop| stop.is_none_or(|s| p.wrong(hart, s).is_none()))
    })
}

/// The value of a field that the only encoding fixes, by its pattern or as a constant: `RD` of a jump is 0.
fn fixed(isa: &Isa, encodings: &[EncodingId], name: &str) -> Option<u64> {
    let [only] = encodings else { return None };
    let (encoding, name) = (&isa[*only], isa.names().get(name)?);
    let field = encoding.cases.iter().flat_map(|case| &case.fields).find(|field| field.name == name)?;
    match &field.source {
        FieldSource::Derived(expr) => match isa[*expr].nodes.as_slice() {
            [Node::Const(value, _)] => Some(*value),
            _ => None,
        },
        FieldSource::Bits(pieces) => {
            let [Piece::Bits(range)] = pieces.as_slice() else { return None };
            let bit = |value: u64, bit| Some(value << 1 | u64::from(encoding.pattern.bit(bit)?));
            (range.lo..range.end()).rev().try_fold(0, bit)
        }
    }
}

/// What z3 says about whether a changed text differs at all: `unsat` if not.
fn differs(isa: &Isa, m: &Mutant) -> Result<String, Failed> {
    let encoding = m.encodings.first().copied().ok_or("no encoding")?;
    let env = isa.environment(&isa[encoding], m.xlen);
    let original = isa.body(encoding, m.xlen).ok_or("no text")?;
    let mut terms = Terms::new();
    let before = SymbolicState::symbolic(&mut terms, &env, "");
    let mut bindings = Vec::new();
    for (name, symbol) in env.operands() {
        bindings.push(match *symbol {
            Symbol::Register { file, .. } => {
                let bits = number_bits(env.files()[file.0 as usize].count);
                Binding::Register(match fixed(isa, &m.encodings, name) {
                    Some(number) => terms.number(number, bits),
                    None => terms.symbol(name, Sort::Bits(bits)),
                })
            }
            Symbol::Immediate { width } => Binding::Immediate(terms.symbol(name, Sort::Bits(width))),
        });
    }
    let zeros: Vec<Option<u32>> = isa.register_files().iter().map(|f| f.zero).collect();
    let [one, other] = [&original, &m.body].map(|body| {
        let bound = BoundBody { env: &env, body, bindings: &bindings, zeros: &zeros, size: 4 };
        execute(&mut terms, bound, &before, &mut Unknown)
    });
    let mut pairs: Vec<_> = one.files.iter().copied().zip(other.files.iter().copied()).collect();
    pairs.extend([(one.memory, other.memory), (one.pc, other.pc), (one.world, other.world), (one.trap, other.trap)]);
    let mut wrong = terms.number(0, 1);
    for (x, y) in pairs {
        let differ = match terms.sort(x) {
            Sort::Bits(_) => terms.binary(BinaryOp::Ne, x, y),
            Sort::Array { index, .. } => {
                let at = terms.symbol(&format!("at{index}"), Sort::Bits(index));
                let (x, y) = (terms.read(x, at), terms.read(y, at));
                terms.binary(BinaryOp::Ne, x, y)
            }
        };
        wrong = terms.binary(BinaryOp::Or, wrong, differ);
    }
    let mut z3 = Command::new("z3").args(["-in", "-T:60"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    z3.stdin.take().ok_or("no input")?.write_all(smt::query(&terms, wrong, &[]).as_bytes())?;
    let out = z3.wait_with_output()?;
    Ok(String::from_utf8_lossy(&out.stdout).lines().next().unwrap_or("").to_owned())
}

fn mutants() -> Result<(), Failed> {
    let isa = description::isa();
    let edges = [edge(&isa, 32)?, edge(&isa, 64)?];
    let run = [exercised(&isa, &edges[0], 32), exercised(&isa, &edges[1], 64)];
    let mut random = Random::new(SEED);
    let (mut seen, mut alive) = (Vec::new(), Vec::new());
    let mut counts = [0; 3];
    while seen.len() < MUTANTS {
        let m = draw(&isa, &mut random);
        let key = (m.encodings.clone(), m.xlen, m.text.clone());
        let is_run = m.encodings.iter().any(|id| run[usize::from(m.xlen == 64)].contains(id));
        if !is_run || seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let edge = &edges[usize::from(m.xlen == 64)];
        let at = if caught_by_programs(&isa, &m) {
            0
        } else if edge.catches(&isa, &m) {
            1
        } else {
            match differs(&isa, &m)?.as_str() {
                "unsat" => 2,
                said => {
                    let names: Vec<&str> = m.encodings.iter().map(|&id| isa.text(isa[id].name)).collect();
                    alive.push(format!("RV{} {names:?}: {} (z3: {said})", m.xlen, m.text));
                    continue;
                }
            }
        };
        counts[at] += 1;
    }
    let [programs, edges, equal] = counts;
    println!(
        "mutants: {}/{MUTANTS}: {programs} caught by self-checking programs, {edges} on edge operands, {equal} proved equal",
        programs + edges + equal
    );
    if alive.is_empty() { Ok(()) } else { Err(alive.join("\n").into()) }
}
