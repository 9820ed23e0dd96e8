//! Kernels with functions: definitions, uses and live bytes against all states that a kernel can get into.
//!
//! Kernels are drawn: a main program and functions that call each other, themselves, and under a predicate. What each line
//! reads and writes is known from how it was drawn, not from the decoder. A *state* is a place and the calls that are open
//! there; from each use, each unit of registers that it reads is followed backward through the states, by the letter of the
//! rules in `isaglot_listing::dataflow`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use isaglot_listing::tree::{Elem, Inst, ListOperand};
use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::{Random, rounds};
use isaglot_xe::{Compaction, Description, ListOptions, Platform, Xe};

/// How many kernels are drawn.
const KERNELS: usize = 40;

/// Open calls that are followed, beyond the number of functions.
const DEEPER: usize = 2;

/// A dword of a general or address register, or a byte of the flags.
type Unit = (char, u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    Pred,
    Dst,
    Flags,
    Src(usize),
}

#[derive(Clone, Debug, PartialEq)]
enum Next {
    Through,
    /// To a label, or on.
    Maybe(Vec<String>),
    Call(String),
    Return,
    End,
}

/// A line, and what it does.
#[derive(Clone, Debug)]
struct Line {
    text: String,
    label: Option<String>,
    reads: Vec<(Slot, Vec<Unit>)>,
    writes: Vec<(Slot, Vec<Unit>)>,
    /// Whether it acts where the flag is set, or where it is not.
    guard: Option<bool>,
    next: Next,
}

fn dwords(first: u32, count: u32) -> Vec<Unit> {
    (first..first + count).map(|n| ('r', n)).collect()
}

const FLAGS: [Unit; 2] = [('f', 0), ('f', 1)];

struct Draw {
    random: Random,
    /// Dwords of a general register, and the addresses that functions return to lie after the data.
    grf: u32,
    lines: Vec<Line>,
    label: Option<String>,
}

impl Draw {
    fn below(&mut self, n: u32) -> u32 {
        self.random.below(n.into()) as u32
    }

    fn push(&mut self, text: String, guard: Option<bool>, next: Next) -> &mut Line {
        let guarded = match guard {
            Some(true) => format!("(f0.0) {text}"),
            Some(false) => format!("(~f0.0) {text}"),
            None => text,
        };
        let mut line = Line { text: guarded, label: self.label.take(), reads: vec![], writes: vec![], guard, next };
        if guard.is_some() {
            line.reads.push((Slot::Pred, FLAGS.to_vec()));
        }
        self.lines.push(line);
        self.lines.last_mut().unwrap()
    }

    fn guard(&mut self) -> Option<bool> {
        [Some(true), Some(false), None, None][self.below(4) as usize]
    }

    /// The register that holds the address to which a function returns: neighbours are those of other functions.
    fn link(&self, function: usize) -> (String, Vec<Unit>) {
        let first = 60 * self.grf + 2 * function as u32;
        (format!("r{}.{}", first / self.grf, first % self.grf), dwords(first, 2))
    }

    fn plain(&mut self) {
        let (grf, guard) = (self.grf, self.guard());
        let [a, b, c] = [0; 3].map(|_| 10 + 4 * self.below(6));
        let wide = 16;
        let regs = |r: u32| dwords(r * grf, wide);
        match self.below(6) {
            0 => {
                let line = self.push(format!("mov (16|M0) r{a}.0<1>:ud r{b}.0<1;1,0>:ud"), guard, Next::Through);
                line.reads.push((Slot::Src(0), regs(b)));
                line.writes.push((Slot::Dst, regs(a)));
            }
            1 => {
                let text = format!("add (16|M0) (lt)f0.0 r{a}.0<1>:d r{b}.0<1;1,0>:d r{c}.1<0;1,0>:d");
                let line = self.push(text, guard, Next::Through);
                line.reads.extend([(Slot::Src(0), regs(b)), (Slot::Src(1), dwords(c * grf + 1, 1))]);
                line.writes.extend([(Slot::Dst, regs(a)), (Slot::Flags, FLAGS.to_vec())]);
            }
            2 => {
                let text = format!("sel (16|M0) r{a}.0<1>:ud r{b}.0<1;1,0>:ud r{c}.0<1;1,0>:ud");
                let line = self.push(text, Some(true), Next::Through);
                line.guard = None;
                line.reads.extend([(Slot::Src(0), regs(b)), (Slot::Src(1), regs(c))]);
                line.writes.push((Slot::Dst, regs(a)));
            }
            3 => {
                // One dword in the middle.
                let line = self.push(format!("(W) mov (1|M0) r{a}.3<1>:ud r{b}.5<0;1,0>:ud"), None, Next::Through);
                line.reads.push((Slot::Src(0), dwords(b * grf + 5, 1)));
                line.writes.push((Slot::Dst, dwords(a * grf + 3, 1)));
            }
            4 => {
                let line = self.push(format!("(W) mov (1|M0) a0.2<1>:ud r{b}.0<0;1,0>:ud"), None, Next::Through);
                line.reads.push((Slot::Src(0), dwords(b * grf, 1)));
                line.writes.push((Slot::Dst, vec![('a', 2)]));
            }
            _ => {
                // Loads a dword from an address of two.
                let text = format!("(W) send.ugm (1|M0) r{a} r{b} null:0 a0.2 0x04200580 {{ExBSO}}");
                let line = self.push(text, None, Next::Through);
                line.reads.extend([(Slot::Src(0), dwords(b * grf, 2)), (Slot::Src(2), vec![('a', 2)])]);
                line.writes.push((Slot::Dst, dwords(a * grf, 1)));
            }
        }
    }

    fn call(&mut self, function: usize, guard: Option<bool>) {
        let (register, units) = self.link(function);
        let line = self.push(format!("call (16|M0) {register} F{function}"), guard, Next::Call(format!("F{function}")));
        line.writes.push((Slot::Dst, units));
    }

    /// A body of a few parts: lines, branches over some of them, calls. Function 0 is the main program.
    fn body(&mut self, function: usize, functions: usize) {
        for part in 0..3 + self.below(3) {
            let skip = format!("S{function}_{part}");
            match self.below(5) {
                0 => {
                    let over = self.push(format!("goto (16|M0) {skip} {skip}"), Some(true), Next::Through);
                    over.next = Next::Maybe(vec![skip.clone()]);
                    self.plain();
                    self.plain();
                    self.label = Some(skip.clone());
                    self.push(format!("join (16|M0) J{skip}"), None, Next::Maybe(vec![format!("J{skip}")]));
                    self.label = Some(format!("J{skip}"));
                }
                1 => {
                    self.label = Some(skip.clone());
                    self.plain();
                    self.plain();
                    let line = self.push(format!("(W&f0.0) jmpi {skip}"), None, Next::Maybe(vec![skip]));
                    line.reads.push((Slot::Pred, vec![FLAGS[0]]));
                }
                2 if function + 1 < functions => {
                    let guard = self.guard();
                    let callee = function + 1 + self.below((functions - function - 1) as u32) as usize;
                    self.call(callee, guard);
                }
                // Down again, or into itself: only under a predicate, so that it may end.
                3 if function > 0 => {
                    let callee = 1 + self.below(function as u32) as usize;
                    self.call(callee, Some(true));
                }
                4 if function > 0 => {
                    let (register, units) = self.link(function);
                    let line = self.push(format!("ret (16|M0) {register}"), Some(false), Next::Return);
                    line.reads.push((Slot::Src(0), units));
                }
                _ => self.plain(),
            }
            self.plain();
        }
    }

    fn kernel(mut self) -> Vec<Line> {
        let functions = 3 + self.below(3) as usize;
        for function in 0..functions {
            if function > 0 {
                self.label = Some(format!("F{function}"));
            }
            self.plain();
            self.body(function, functions);
            if function == 0 {
                for callee in 1..functions {
                    self.call(callee, None);
                    self.plain();
                }
                let text = "(W) send.gtwy (1|M0) null r112 null:0 0x0 0x02000010 {EOT}";
                let units = dwords(112 * self.grf, self.grf);
                self.push(text.to_owned(), None, Next::End).reads.push((Slot::Src(0), units));
            } else {
                let (register, units) = self.link(function);
                let line = self.push(format!("ret (16|M0) {register}"), None, Next::Return);
                line.reads.push((Slot::Src(0), units));
            }
        }
        self.lines
    }
}

type State = (usize, Vec<usize>);

/// What the states of a kernel say of it.
#[derive(Default)]
struct Found {
    /// Definition, where it writes, unit, user, where it reads.
    edges: BTreeSet<(usize, Slot, usize, Slot)>,
    live: Vec<BTreeSet<Unit>>,
}

struct States {
    states: Vec<State>,
    before: Vec<Vec<usize>>,
    /// Places at which blocks begin.
    starts: BTreeSet<usize>,
}

impl States {
    fn new(lines: &[Line], deepest: usize) -> States {
        let labels: BTreeMap<&str, usize> =
            lines.iter().enumerate().filter_map(|(at, l)| Some((l.label.as_deref()?, at))).collect();
        let mut starts = BTreeSet::from([0]);
        for (at, line) in lines.iter().enumerate() {
            match &line.next {
                Next::Through => continue,
                Next::Maybe(to) => starts.extend(to.iter().map(|l| labels[l.as_str()])),
                Next::Call(to) => starts.extend([labels[to.as_str()]]),
                Next::Return | Next::End => {}
            }
            starts.insert(at + 1);
        }
        let mut known: BTreeMap<State, usize> = BTreeMap::from([((0, Vec::new()), 0)]);
        let mut all = States { states: vec![(0, Vec::new())], before: vec![Vec::new()], starts };
        let mut at = 0;
        while let Some((place, stack)) = all.states.get(at).cloned() {
            let line = &lines[place];
            let mut next: Vec<State> = Vec::new();
            let goes_on = line.guard.is_some() || matches!(line.next, Next::Through | Next::Maybe(_));
            if goes_on {
                next.push((place + 1, stack.clone()));
            }
            match &line.next {
                Next::Maybe(to) => next.extend(to.iter().map(|l| (labels[l.as_str()], stack.clone()))),
                Next::Call(to) if stack.len() < deepest => {
                    next.push((labels[to.as_str()], stack.iter().copied().chain([place]).collect()));
                }
                Next::Return => {
                    if let Some((site, below)) = stack.split_last() {
                        next.push((site + 1, below.to_vec()));
                    }
                }
                Next::Call(_) | Next::Through | Next::End => {}
            }
            for state in next {
                let id = *known.entry(state.clone()).or_insert(all.states.len());
                if id == all.states.len() {
                    all.states.push(state);
                    all.before.push(Vec::new());
                }
                all.before[id].push(at);
            }
            at += 1;
        }
        all
    }

    fn all(&self, lines: &[Line]) -> Found {
        let mut found = Found { live: vec![BTreeSet::new(); lines.len()], ..Found::default() };
        for (user, line) in lines.iter().enumerate() {
            let units: BTreeSet<Unit> = line.reads.iter().flat_map(|(_, units)| units.iter().copied()).collect();
            for unit in units {
                found.live[user].insert(unit);
                for def in self.follow(lines, (user, unit), &mut found.live) {
                    let slots = |all: &[(Slot, Vec<Unit>)]| -> Vec<Slot> {
                        all.iter().filter(|(_, units)| units.contains(&unit)).map(|(slot, _)| *slot).collect()
                    };
                    for write in slots(&lines[def].writes) {
                        found.edges.extend(slots(&line.reads).iter().map(|read| (def, write, user, *read)));
                    }
                }
            }
        }
        found
    }

    /// The lines that define a unit for a user.
    fn follow(&self, lines: &[Line], (user, unit): (usize, Unit), live: &mut [BTreeSet<Unit>]) -> BTreeSet<usize> {
        /// What a path has met since its block's end: its own guard, and whether it was written under each polarity.
        type Met = (Option<bool>, [bool; 2]);
        let writers = |unit: Unit| -> Vec<bool> {
            lines.iter().map(|l| l.writes.iter().any(|(_, units)| units.contains(&unit))).collect()
        };
        let (writes, writes_flags) = (writers(unit), writers(FLAGS[0]));
        let mut defs = BTreeSet::new();
        // A bit for each of the twelve things that it may have met.
        let mut seen = vec![0u16; self.states.len()];
        let mut open: Vec<(usize, Met)> = Vec::new();
        for (id, state) in self.states.iter().enumerate().filter(|(_, s)| s.0 == user) {
            let met = if self.starts.contains(&state.0) { None } else { lines[user].guard };
            open.extend(self.before[id].iter().map(|b| (*b, (met, [false; 2]))));
        }
        while let Some((id, (mut guard, mut kills))) = open.pop() {
            let bit = guard.map_or(0, |g| 1 + u16::from(g)) * 4 + u16::from(kills[0]) + 2 * u16::from(kills[1]);
            if seen[id] >> bit & 1 != 0 {
                continue;
            }
            seen[id] |= 1 << bit;
            let place = self.states[id].0;
            let line = &lines[place];
            if writes_flags[place] {
                (guard, kills) = (None, [false; 2]);
            }
            if writes[place] {
                match (guard, line.guard) {
                    (Some(own), Some(other)) if own != other => {}
                    (_, None) | (Some(_), Some(_)) => {
                        defs.insert(place);
                        continue;
                    }
                    (None, Some(other)) => {
                        defs.insert(place);
                        if kills[usize::from(!other)] {
                            continue;
                        }
                        kills[usize::from(other)] = true;
                    }
                }
            }
            // A user that is met again starts afresh.
            if place == user {
                continue;
            }
            live[place].insert(unit);
            if self.starts.contains(&place) {
                (guard, kills) = (None, [false; 2]);
            }
            open.extend(self.before[id].iter().map(|b| (*b, (guard, kills))));
        }
        defs
    }
}

/// What the listing says at a place of an instruction; `None` if it is a place that shows nothing.
fn listed(inst: &Inst<'_>, slot: Slot) -> Option<Vec<u32>> {
    let operand = |o: &ListOperand<'_>, reads: bool| match o {
        ListOperand::RD(o) if reads => Some(o.defs.clone()),
        ListOperand::RD(o) => Some(o.uses.clone()),
        ListOperand::AD(o) => Some(o.adefs.clone()),
        ListOperand::DA(o) if reads => Some(o.defs.clone()),
        _ => None,
    };
    match slot {
        Slot::Pred => inst.pred.as_ref().map(|p| p.defs.clone()),
        Slot::Dst => inst.dst.as_ref().and_then(|d| operand(d, false)),
        Slot::Flags => inst.fm.as_ref().map(|fm| fm.uses.clone()),
        Slot::Src(n) => inst.srcs.get(n).and_then(|s| operand(s, true)),
    }
}

fn check(xe: &mut Xe<'_>, lines: &[Line], name: &str) -> (usize, usize) {
    let mut text = String::new();
    for line in lines {
        if let Some(label) = &line.label {
            let _ = writeln!(text, "{label}:");
        }
        let _ = writeln!(text, "{}", line.text);
    }
    let mut problems = Diagnostics::new();
    let bytes = xe.assemble(FileId(0), text.as_bytes(), Compaction::Off, &mut problems);
    let bytes = bytes.unwrap_or_else(|| panic!("{name}: {:?}\n{text}", problems.iter().next()));
    let program = xe.program(&bytes);
    let listing = xe.listing(&program, &ListOptions { defs: true, ..ListOptions::default() }).unwrap();
    let insts: Vec<&Inst<'_>> =
        listing.elems.iter().filter_map(|e| if let Elem::I(i) = e { Some(&**i) } else { None }).collect();
    assert_eq!(insts.len(), lines.len(), "{name}");
    let functions = lines.iter().filter(|l| l.label.as_ref().is_some_and(|l| l.starts_with('F'))).count();
    let states = States::new(lines, functions + DEEPER);
    let found = states.all(lines);
    for (at, (line, inst)) in lines.iter().zip(&insts).enumerate() {
        let place = || format!("{name}, line {at}: {}\n{}", line.text, numbered(lines));
        for (slot, _) in &line.writes {
            let users: BTreeSet<u32> =
                found.edges.iter().filter(|e| (e.0, e.1) == (at, *slot)).map(|e| e.2 as u32).collect();
            if let Some(got) = listed(inst, *slot) {
                assert_eq!(got, users.into_iter().collect::<Vec<_>>(), "uses of {slot:?} of {}", place());
            }
        }
        for (slot, _) in &line.reads {
            let defs: BTreeSet<u32> =
                found.edges.iter().filter(|e| (e.2, e.3) == (at, *slot)).map(|e| e.0 as u32).collect();
            let got = listed(inst, *slot).unwrap_or_else(|| panic!("nothing for {slot:?} of {}", place()));
            assert_eq!(got, defs.into_iter().collect::<Vec<_>>(), "definitions of {slot:?} of {}", place());
        }
        let live = |file: &str| {
            inst.live_totals.as_ref().and_then(|l| l.0.iter().find(|(f, _)| f == file)).map_or(0, |(_, n)| *n)
        };
        let bytes = |file: char, size: u32| found.live[at].iter().filter(|u| u.0 == file).count() as u32 * size;
        let (got, wanted) = ([live("r"), live("f"), live("a")], [bytes('r', 4), bytes('f', 1), bytes('a', 4)]);
        assert_eq!(got, wanted, "live before {}", place());
    }
    (found.edges.len(), states.states.len())
}

fn numbered(lines: &[Line]) -> String {
    let one = |(n, l): (usize, &Line)| {
        format!("{n:3} {}{}\n", l.label.as_ref().map_or(String::new(), |l| format!("{l}: ")), l.text)
    };
    lines.iter().enumerate().map(one).collect()
}

#[test]
fn functions_agree_with_all_states() {
    let description = Description::embedded().unwrap();
    for (platform, kernels) in [(Platform::XeHpc, KERNELS), (Platform::XeHpg, rounds(KERNELS))] {
        let mut xe = Xe::new(&description, platform).unwrap();
        let grf = if platform == Platform::XeHpg { 8 } else { 16 };
        let (mut edges, mut states) = (0, 0);
        for kernel in 0..kernels {
            let draw = Draw { random: Random::new(1 + kernel as u64), grf, lines: Vec::new(), label: None };
            let (some, all) = check(&mut xe, &draw.kernel(), &format!("{} kernel {kernel}", platform.name()));
            (edges, states) = (edges + some, states + all);
        }
        println!("{}: {kernels} of {kernels} kernels, {edges} edges, {states} states", platform.name());
    }
}
