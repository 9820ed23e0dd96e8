//! Waits that compilers set, removed one at a time where they are needed.
//!
//! Whether one is needed is decided without the checker, from the listing: its definitions say which instruction reads what
//! a message writes, and a search goes from the message along the instructions. If it comes to the reader past no other
//! wait for the token, the one that was removed is needed. A distance counts as needed if the reader is in the same block as the
//! definition, near to it, and nothing between them waits for any distance.

use std::collections::BTreeMap;
use std::path::Path;

use isaglot_listing::tree::{Elem, Inst, ListOperand, Listing};
use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::{Failed, Random};
use isaglot_xe::{Compaction, Description, ListOptions, TextOptions, Xe};

use super::compiled::kernels;

/// Waits to remove.
const REMOVALS: usize = 100;

/// How far a reader may be from a definition that it waits for by a distance.
const NEAR: usize = 6;

/// A kernel as the search sees it.
struct Kernel<'a> {
    insts: Vec<&'a Inst<'a>>,
    /// Where control goes from each instruction.
    nexts: Vec<Vec<usize>>,
    /// By instruction, the number of its block.
    blocks: Vec<usize>,
}

impl<'a> Kernel<'a> {
    fn new(listing: &'a Listing<'a>) -> Kernel<'a> {
        let (mut insts, mut blocks, mut starts, mut succs) = (Vec::new(), Vec::new(), BTreeMap::new(), Vec::new());
        for elem in &listing.elems {
            match elem {
                Elem::L(label) => {
                    starts.insert(label.id, insts.len());
                    succs.push(&label.succs);
                }
                Elem::I(inst) => {
                    insts.push(&**inst);
                    blocks.push(succs.len() - 1);
                }
            }
        }
        let mut nexts = Vec::new();
        for (at, inst) in insts.iter().enumerate() {
            let is_last = blocks.get(at + 1) != Some(&blocks[at]);
            nexts.push(match is_last {
                // A join finds the channels for which it is there.
                true if inst.op == "join" => vec![at + 1],
                true => succs[blocks[at]].iter().filter_map(|id| starts.get(id).copied()).collect(),
                false => vec![at + 1],
            });
        }
        Kernel { insts, nexts, blocks }
    }

    /// The instructions that define the general registers that an instruction reads.
    fn definitions(&self, at: usize) -> Vec<usize> {
        let defs = |o: &ListOperand<'_>| match o {
            ListOperand::RD(o) if o.reg.rn == "r" => o.defs.clone(),
            ListOperand::DA(o) => o.defs.clone(),
            ListOperand::AD(o) => o.adefs.clone(),
            _ => Vec::new(),
        };
        self.insts[at].srcs.iter().flat_map(defs).map(|id| id as usize).collect()
    }

    /// Whether an instruction, as it is, waits until a token's destination is written.
    fn waits(&self, at: usize, token: u32) -> bool {
        let inst = self.insts[at];
        let is_all = inst.op == "sync" && inst.subop.as_deref() == Some("allwr");
        is_all || inst.sbid.as_ref().is_some_and(|s| s.id == token && s.func != ".src")
    }

    /// Whether some reader of what the token brings is reached without the wait of `removed`.
    fn is_token_needed(&self, removed: usize, token: u32) -> bool {
        let sends = (0..self.insts.len()).filter(|at| {
            let sbid = self.insts[*at].sbid.as_ref();
            sbid.is_some_and(|s| s.id == token && s.func.is_empty())
        });
        sends.into_iter().any(|send| {
            let is_reader = |at: usize| {
                let idle = self.insts[at].op == "mov" && is_null(self.insts[at]);
                !idle && self.definitions(at).contains(&send)
            };
            let mut seen = vec![false; self.insts.len()];
            let mut open = self.nexts[send].clone();
            while let Some(at) = open.pop() {
                if at >= seen.len()
                    || std::mem::replace(&mut seen[at], true)
                    || (at != removed && self.waits(at, token))
                {
                    continue;
                }
                if is_reader(at) {
                    return true;
                }
                open.extend(&self.nexts[at]);
            }
            false
        })
    }

    /// Whether an instruction reads what one shortly before it writes, and nothing waits but its own distance.
    fn is_distance_needed(&self, at: usize) -> bool {
        self.definitions(at).into_iter().any(|def| {
            let before = self.insts[def];
            let in_order = !["send", "sendc", "math"].contains(&before.op.as_ref()) && general(before);
            let quiet = (def + 1..at).all(|n| self.insts[n].reg_dist.is_none());
            in_order && def < at && at - def <= NEAR && quiet && self.blocks[def] == self.blocks[at]
        })
    }
}

fn is_null(inst: &Inst<'_>) -> bool {
    matches!(&inst.dst, Some(ListOperand::RD(o)) if o.reg.rn == "null")
}

/// Whether the destination is a general register.
fn general(inst: &Inst<'_>) -> bool {
    matches!(&inst.dst, Some(ListOperand::RD(o)) if o.reg.rn == "r")
}

/// A text without one option of one instruction, and without the mark of its short form, which may depend on it.
fn without(text: &str, at: usize, option: &str) -> String {
    let mut out = String::new();
    let mut number = 0;
    for line in text.lines() {
        let is_label = line.trim_end().ends_with(':');
        let shown = match line.split_once('{').filter(|_| !is_label && number == at) {
            Some((before, rest)) => {
                let (options, _) = rest.split_once('}').unwrap_or((rest, ""));
                let kept: Vec<&str> = options.split(',').filter(|o| *o != option && *o != "Compacted").collect();
                format!("{before}{{{}}}", kept.join(","))
            }
            None => line.to_owned(),
        };
        number += usize::from(!is_label);
        out += &(shown.replace("{}", "") + "\n");
    }
    out
}

/// What can be removed of a kernel: an instruction and its option.
fn needed(kernel: &Kernel<'_>) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    for (at, inst) in kernel.insts.iter().enumerate() {
        if let Some(s) = inst.sbid.as_ref().filter(|s| s.func == ".dst")
            && kernel.is_token_needed(at, s.id)
        {
            all.push((at, format!("${}.dst", s.id)));
        }
        if let Some(distance) = &inst.reg_dist
            && kernel.is_distance_needed(at)
        {
            all.push((at, distance.to_string()));
        }
    }
    all
}

pub(crate) fn are_missed(folder: &Path) -> Result<(), Failed> {
    let description = Description::embedded().ok_or("no description")?;
    let mut candidates = Vec::new();
    kernels(folder, |xe, name, program| {
        let options = ListOptions { defs: true, ..ListOptions::default() };
        let listing = xe.listing(program, &options).map_err(|_| "too large")?;
        let mut text = Vec::new();
        xe.print(program, &TextOptions::default(), &mut text);
        let text = String::from_utf8(text)?;
        for (at, option) in needed(&Kernel::new(&listing)) {
            candidates.push((xe.platform, name.to_owned(), without(&text, at, &option), at, option));
        }
        Ok(())
    })?;
    let mut random = Random::new(20);
    let (mut found, mut tokens) = (0, 0);
    for _ in 0..REMOVALS {
        let (platform, name, text, at, option) = random.pick(&candidates);
        let mut xe = Xe::new(&description, *platform).ok_or("no description")?;
        let mut problems = Diagnostics::new();
        let bytes = xe.assemble(FileId(0), text.as_bytes(), Compaction::Marked, &mut problems);
        let bytes = bytes.ok_or_else(|| format!("{name}: {:?}", problems.iter().next()))?;
        let program = xe.program(&bytes);
        let lint = xe.lint(&program).map_err(|_| "too large")?;
        tokens += usize::from(option.starts_with('$'));
        match lint.iter().any(|f| f.rule.is_about_waits()) {
            true => found += 1,
            false => println!("{name}: instruction {at} without {option}: no finding"),
        }
    }
    println!(
        "removed waits: {found} of {REMOVALS} found, {tokens} of them for tokens, of {} needed ones",
        candidates.len()
    );
    assert_eq!(found, REMOVALS);
    Ok(())
}
