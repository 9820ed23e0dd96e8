//! The engine against the rules themselves, played out byte by byte and path by path, on small random programs.

use std::collections::{BTreeMap, BTreeSet};

use isaglot_testing::{Random, rounds};

use super::*;

mod calls;

#[derive(Clone, Default, PartialEq)]
struct NaivePath {
    live: BTreeSet<u32>,
    guard: Option<(BTreeSet<u32>, Polarity)>,
    kills: Vec<(Polarity, BTreeSet<u32>, BTreeSet<u32>)>,
}

fn bytes(program: &Program, operand: u32) -> BTreeSet<u32> {
    program.runs_of(operand).iter().flat_map(|r| r.bytes()).collect()
}

fn union(program: &Program, inst: &Inst, pick: fn(Role) -> bool) -> BTreeSet<u32> {
    let chosen = inst.operands.clone().filter(|o| pick(program.role(*o)));
    chosen.flat_map(|o| bytes(program, o)).collect()
}

fn meets(a: &BTreeSet<u32>, b: &BTreeSet<u32>) -> bool {
    a.intersection(b).next().is_some()
}

type Paths = BTreeMap<u32, NaivePath>;
type Edges = BTreeSet<(u32, u32, u32)>;

/// One instruction, by the letter of the rules.
fn step(program: &Program, e: u32, paths: &mut Paths, edges: &mut Edges) {
    let inst = &program.insts[e as usize];
    let k = union(program, inst, |r| r == Role::Write);
    let p = union(program, inst, |r| r == Role::Predicate);
    let reads = union(program, inst, |r| r != Role::Write);
    let guard = inst.predicated.filter(|_| !p.is_empty());
    for (&user, path) in paths.iter_mut() {
        if path.guard.as_ref().is_some_and(|(g, _)| meets(g, &k)) {
            path.guard = None;
        }
        path.kills.retain(|(_, g, _)| !meets(g, &k));
        let same = |path: &NaivePath| {
            path.guard.as_ref().is_some_and(|(g, polarity)| Some(*polarity) == guard && meets(g, &p))
        };
        if path.guard.is_some() && guard.is_some() && !same(path) {
            continue;
        }
        let ov: BTreeSet<u32> = path.live.intersection(&k).copied().collect();
        if ov.is_empty() {
            continue;
        }
        edges.extend(ov.iter().map(|&b| (e, b, user)));
        if guard.is_none() || same(path) {
            path.live.retain(|b| !ov.contains(b));
            for kill in &mut path.kills {
                kill.2.retain(|b| !ov.contains(b));
            }
        } else {
            for (polarity, g, kill) in path.kills.iter_mut().rev() {
                if Some(*polarity) != guard && meets(g, &p) {
                    path.live.retain(|b| !(ov.contains(b) && kill.contains(b)));
                    kill.retain(|b| !ov.contains(b));
                }
            }
        }
        if let Some(polarity) = guard {
            path.kills.push((polarity, p.clone(), ov));
        }
    }
    paths.retain(|_, path| !path.live.is_empty());
    if !reads.is_empty() {
        paths.insert(e, NaivePath { live: reads, guard: guard.map(|g| (p, g)), kills: Vec::new() });
    }
}

fn naive(program: &Program) -> (Edges, Vec<BTreeSet<u32>>) {
    let n = program.blocks.len();
    let mut live_in: Vec<BTreeMap<u32, BTreeSet<u32>>> = vec![BTreeMap::new(); n];
    let mut live = vec![BTreeSet::new(); program.insts.len()];
    loop {
        let mut edges = Edges::new();
        let before = live_in.clone();
        for b in (0..n).rev() {
            let mut paths = Paths::new();
            for &s in program.blocks[b].succs.iter().filter(|s| (**s as usize) < n) {
                for (user, bytes) in &live_in[s as usize] {
                    paths.entry(*user).or_default().live.extend(bytes);
                }
            }
            for e in program.blocks[b].insts.clone().rev() {
                step(program, e, &mut paths, &mut edges);
                live[e as usize] = paths.values().flat_map(|p| p.live.iter().copied()).collect();
            }
            live_in[b] = paths.into_iter().map(|(user, p)| (user, p.live)).collect();
        }
        if live_in == before {
            return (edges, live);
        }
    }
}

/// Two small files: 24 data bytes and 4 predicate bytes.
fn random_program(random: &mut Random) -> Program {
    let mut below = |n: u64| random.below(n) as u32;
    let mut program = Program::new(&[24, 4]);
    let blocks = 1 + below(6);
    for _ in 0..blocks {
        for _ in 0..below(7) {
            for role in [Role::Read, Role::Read, Role::Write] {
                if below(4) > 0 {
                    let flags = below(6) == 0;
                    let (file, start) = if flags { (FileId(1), below(4)) } else { (FileId(0), below(26)) };
                    program.run(file, start, 1 + below(4), below(7), 1 + below(4));
                    program.operand(role);
                }
            }
            let predicated = match below(4) {
                0 => Some(Polarity::Normal),
                1 => Some(Polarity::Inverted),
                _ => None,
            };
            if predicated.is_some() {
                program.run(FileId(1), below(3), 1 + below(2), 0, 1);
                program.operand(Role::Predicate);
            }
            program.instruction(predicated);
        }
        let succs = (0..below(3)).map(|_| below(u64::from(blocks) + 1)).collect();
        program.block(succs);
    }
    program
}

#[test]
fn agrees_with_the_rules() {
    let mut random = Random::new(0x2545_F491_4F6C_DD1D);
    for round in 0..rounds(4000) {
        let program = random_program(&mut random);
        let (edges, live) = naive(&program);
        let flow = solve(&program).unwrap();
        for (i, _) in program.insts.iter().enumerate() {
            let data = live[i].iter().filter(|b| **b < 24).count() as u32;
            let flags = live[i].len() as u32 - data;
            assert_eq!(flow.live(i as u32), [data, flags], "round {round}, live before {i}: {program:#?}");
        }
        check_links(&program, &edges, &flow, round);
    }
}

/// Each operand's definitions or uses, against edges of bytes.
fn check_links(program: &Program, edges: &Edges, flow: &Flow, round: usize) {
    for (i, inst) in program.insts.iter().enumerate() {
        for operand in inst.operands.clone() {
            let own = bytes(program, operand);
            let reads = program.role(operand) != Role::Write;
            let expected: BTreeSet<u32> = edges
                .iter()
                .filter(|(d, b, u)| own.contains(b) && *if reads { u } else { d } == i as u32)
                .map(|(d, _, u)| if reads { *d } else { *u })
                .collect();
            let expected: Vec<u32> = expected.into_iter().collect();
            assert_eq!(flow.links(operand), expected, "round {round}, operand {operand} of {i}: {program:#?}");
        }
    }
}

#[test]
fn two_opposite_moves_define_together() {
    let mut program = Program::new(&[16, 4]);
    let mut emit = |read: Option<u32>, write: Option<u32>, predicated: Option<Polarity>| {
        if let Some(at) = read {
            program.run(FileId(0), at, 4, 0, 1);
            program.operand(Role::Read);
        }
        if let Some(at) = write {
            program.run(FileId(0), at, 4, 0, 1);
            program.operand(Role::Write);
        }
        if predicated.is_some() {
            program.run(FileId(1), 0, 2, 0, 1);
            program.operand(Role::Predicate);
        }
        program.instruction(predicated);
    };
    emit(None, Some(0), Some(Polarity::Normal));
    emit(None, Some(0), Some(Polarity::Inverted));
    emit(Some(0), None, None);
    program.block(Vec::new());
    let flow = solve(&program).unwrap();
    assert_eq!(flow.links(4), [0, 1]);
    assert_eq!(flow.live(0), [0, 2]);
    assert_eq!(flow.live(1), [4, 2]);
}
