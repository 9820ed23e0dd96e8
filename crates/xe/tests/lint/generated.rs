//! Generated kernels: with all the waits that they need, then without one.
//!
//! The generator follows each register itself: which message has yet to write or to read it, and which instruction of which
//! pipe wrote it last. Before an instruction it puts a `sync.nop` for each wait that is needed, one by one, and looks again what
//! is left. So each of these lines is needed, and a kernel with all of them has no finding. Where ways meet, everything is
//! waited for.

use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::{Failed, Random};
use isaglot_xe::lint::Finding;
use isaglot_xe::{Compaction, Description, Platform, Xe};

/// Kernels of each platform, and waits that are removed from all.
const KERNELS: usize = 30;
const REMOVALS: usize = 100;

const REGISTERS: u8 = 24;
const TOKENS: usize = 8;

/// A message that was not waited for, oldest first.
#[derive(Clone, Copy)]
struct Message {
    token: usize,
    /// Registers that it has yet to write and to read.
    dst: Option<u8>,
    src: Option<u8>,
}

#[derive(Default)]
struct Generator {
    lines: Vec<String>,
    /// Lines that are waits which are needed.
    needed: Vec<usize>,
    messages: Vec<Message>,
    /// By pipe, how many instructions there were; by register, the pipe that wrote it last and its count then.
    counts: [usize; 2],
    written: [Option<(usize, usize)>; REGISTERS as usize],
    next_token: usize,
    /// The letters of the pipes.
    pipes: &'static [&'static str],
}

/// The first general register that is used.
const FIRST: u8 = 10;

impl Generator {
    fn wait(&mut self, wait: &str) {
        self.needed.push(self.lines.len());
        self.lines.push(format!("sync.nop null {{{wait}}}"));
    }

    /// Waits for what an instruction of this pipe (a message if there is none) needs.
    fn wait_for(&mut self, reads: &[u8], writes: u8, pipe: Option<usize>) {
        // The latest message first: it may spare a wait for the payload of an earlier one.
        while let Some((at, written)) = self.messages.iter().enumerate().rev().find_map(|(at, m)| {
            let is_written = m.dst.is_some_and(|r| r == writes || reads.contains(&r));
            let is_read = m.src == Some(writes) && pipe.is_some();
            (is_written || is_read).then_some((at, is_written))
        }) {
            let token = self.messages[at].token;
            self.wait(&format!("${token}.{}", if written { "dst" } else { "src" }));
            self.done(at, written);
        }
        // The smallest distance first: it may spare another.
        loop {
            let distance = |r: u8| {
                let (of, count) = self.written[usize::from(r)]?;
                let is_other = pipe != Some(of);
                (reads.contains(&r) || (r == writes && is_other)).then_some((self.counts[of] - count + 1, of))
            };
            let Some((distance, of)) = (0..REGISTERS).filter_map(distance).min() else { return };
            if distance <= 7 {
                self.wait(&format!("{}@{distance}", self.pipes[of]));
            } else {
                self.lines.push(format!("sync.nop null {{{}@7}}", self.pipes[of]));
            }
            let counts = self.counts;
            for place in &mut self.written {
                *place = place.filter(|(p, count)| *p != of || counts[of] - count + 1 < distance.min(7));
            }
        }
    }

    /// A message is done: its payload, and those of all before it, are read.
    fn done(&mut self, at: usize, written: bool) {
        self.messages[..=at].iter_mut().for_each(|m| m.src = None);
        if written {
            self.messages[at].dst = None;
        }
        self.messages.retain(|m| m.dst.is_some() || m.src.is_some());
    }

    fn message(&mut self, random: &mut Random) {
        let (dst, src) = (random.below(REGISTERS.into()) as u8, random.below(REGISTERS.into()) as u8);
        self.wait_for(&[src], dst, None);
        let token = self.next_token % TOKENS;
        self.next_token += 1;
        // Setting a token that is in use waits for it.
        if let Some(at) = self.messages.iter().position(|m| m.token == token) {
            self.done(at, true);
        }
        let (d, s) = (dst + FIRST, src + FIRST);
        self.lines.push(format!("(W) send.gtwy (1|M0) r{d} r{s} null:0 0x0 0x02100004 {{${token}}}"));
        self.messages.push(Message { token, dst: Some(dst), src: Some(src) });
    }

    fn arithmetic(&mut self, random: &mut Random, channels: u32) {
        let kind = random.index(2);
        let pipe = kind % self.pipes.len();
        let [dst, a, b] = [(); 3].map(|()| random.below(REGISTERS.into()) as u8);
        self.wait_for(&[a, b], dst, Some(pipe));
        let ty = ["f", "d"][kind];
        let [d, x, y] = [dst, a, b].map(|r| r + FIRST);
        self.lines.push(format!("add ({channels}|M0) r{d}.0<1>:{ty} r{x}.0<1;1,0>:{ty} r{y}.0<1;1,0>:{ty}"));
        self.counts[pipe] += 1;
        self.written[usize::from(dst)] = Some((pipe, self.counts[pipe]));
    }

    /// Waits for everything.
    fn settle(&mut self) {
        self.lines.push("sync.allwr null".to_owned());
        self.lines.extend(self.pipes.iter().map(|pipe| format!("sync.nop null {{{pipe}@1}}")));
        self.messages.clear();
        self.written = Default::default();
    }

    fn kernel(random: &mut Random, platform: Platform) -> Generator {
        let channels = platform.grf_bytes() / 4;
        let pipes: &[&str] = if platform == Platform::Xe { &[""] } else { &["F", "I"] };
        let mut made = Generator { pipes, ..Generator::default() };
        for part in 0..3 {
            if part > 0 {
                made.settle();
                made.lines.push(format!("(W&f0.0) jmpi L{part}"));
            }
            for _ in 0..12 {
                if random.one_in(3) { made.message(random) } else { made.arithmetic(random, channels) }
            }
            if part > 0 {
                made.settle();
                made.lines.push(format!("L{part}:"));
            }
        }
        made.lines.push("(W) send.gtwy (1|M0) null r112 null:0 0x0 0x02000010 {EOT}".to_owned());
        made
    }
}

fn lint(xe: &mut Xe<'_>, lines: &[String]) -> Result<Vec<Finding>, Failed> {
    let mut problems = Diagnostics::new();
    let bytes = xe.assemble(FileId(0), lines.join("\n").as_bytes(), Compaction::Off, &mut problems);
    let program = xe.program(&bytes.ok_or_else(|| format!("{:?}", problems.iter().next()))?);
    Ok(xe.lint(&program).map_err(|_| "too large")?)
}

pub(crate) fn generated() -> Result<(), Failed> {
    let description = Description::embedded().ok_or("no description")?;
    let mut random = Random::new(300);
    let mut kernels = Vec::new();
    for platform in [Platform::Xe, Platform::XeHp, Platform::XeHpg, Platform::XeHpc, Platform::Xe2, Platform::Xe3] {
        let mut xe = Xe::new(&description, platform).ok_or("no description")?;
        for _ in 0..KERNELS {
            let kernel = Generator::kernel(&mut random, platform);
            let found = lint(&mut xe, &kernel.lines)?;
            assert!(found.is_empty(), "{}: {:?}\n{}", platform.name(), found[0], kernel.lines.join("\n"));
            kernels.push((platform, kernel));
        }
    }
    let mut found = 0;
    for _ in 0..REMOVALS {
        let (platform, kernel) = random.pick(&kernels);
        let mut xe = Xe::new(&description, *platform).ok_or("no description")?;
        let removed = *random.pick(&kernel.needed);
        let mut lines = kernel.lines.clone();
        let line = lines.remove(removed);
        match lint(&mut xe, &lines)?.iter().any(|f| f.rule.is_about_waits()) {
            true => found += 1,
            false => {
                println!("{}: no finding without line {removed}, {line}\n{}", platform.name(), kernel.lines.join("\n"))
            }
        }
    }
    println!("generated: {} kernels without a finding; {found} of {REMOVALS} removed waits found", kernels.len());
    assert_eq!(found, REMOVALS);
    Ok(())
}
