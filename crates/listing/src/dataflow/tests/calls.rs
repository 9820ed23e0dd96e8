//! Calls against all that can happen: every block with every stack of calls, as far as stacks need to grow.
//!
//! What a block does comes from the rules played out in it alone ([`super::step`]). A *state* is a block and the calls that
//! are open there, innermost last; from each state all next ones are tried. Repeating a call without coming back shows a
//! byte nothing new, so stacks of calls that each occur once, doubled, are enough.

use super::*;

type State = (u32, Vec<u32>);

/// What a block does to each byte.
#[derive(Default)]
struct Effect {
    exposed: BTreeSet<(u32, u32)>,
    reaching: BTreeSet<(u32, u32)>,
    pass: BTreeSet<u32>,
}

/// In place of a user: whatever reads the byte after the block.
const LATER: u32 = u32::MAX;

fn walk(program: &Program, block: &Block, later: &BTreeSet<u32>, mut at: impl FnMut(u32, &Paths)) -> (Paths, Edges) {
    let mut paths = Paths::from([(LATER, NaivePath { live: later.clone(), ..NaivePath::default() })]);
    let mut edges = Edges::new();
    for e in block.insts.clone().rev() {
        step(program, e, &mut paths, &mut edges);
        at(e, &paths);
    }
    (paths, edges)
}

fn effect(program: &Program, block: &Block, edges: &mut Edges) -> Effect {
    let all = (0..*program.bases.last().unwrap()).collect();
    let (paths, found) = walk(program, block, &all, |_, _| {});
    let mut effect = Effect::default();
    for (def, byte, user) in found {
        if user == LATER {
            effect.reaching.insert((byte, def));
        } else {
            edges.insert((def, byte, user));
        }
    }
    for (user, path) in paths {
        match user {
            LATER => effect.pass = path.live,
            _ => effect.exposed.extend(path.live.into_iter().map(|byte| (byte, user))),
        }
    }
    effect
}

/// All states, and what comes after each.
struct States {
    after: BTreeMap<State, Vec<State>>,
}

impl States {
    fn new(program: &Program) -> States {
        let n = program.blocks.len() as u32;
        let sites = program.blocks.iter().filter(|b| matches!(b.link, Link::Call(_))).count();
        let mut states = States { after: BTreeMap::new() };
        // The first time without the ways of waiting channels, which depend on what is found.
        for falls in [BTreeSet::new(), BTreeSet::from([LATER])] {
            let falls = if falls.is_empty() { falls } else { states.falls(program) };
            states.after.clear();
            let mut open: Vec<State> = (0..n).map(|b| (b, Vec::new())).collect();
            while let Some(state) = open.pop() {
                if states.after.contains_key(&state) {
                    continue;
                }
                let next = next(program, &state, &falls, 2 * sites);
                open.extend(next.iter().cloned());
                states.after.insert(state, next);
            }
        }
        states
    }

    /// Blocks that the frame of a function reaches, from its first block with one call open.
    fn frame(&self, entry: u32, stack: &[u32]) -> BTreeSet<u32> {
        let mut seen = BTreeSet::new();
        let mut open = vec![(entry, stack.to_vec())];
        while let Some(state) = open.pop() {
            if state.1.len() >= stack.len() && state.1[..stack.len()] == *stack && seen.insert(state.clone()) {
                open.extend(self.after.get(&state).into_iter().flatten().cloned());
            }
        }
        seen.into_iter().filter(|s| s.1.len() == stack.len()).map(|s| s.0).collect()
    }

    /// Blocks from which waiting channels go on: every function that has them gets to the next block anyway.
    fn falls(&self, program: &Program) -> BTreeSet<u32> {
        let n = program.blocks.len() as u32;
        let mut frames = vec![self.frame(0, &[])];
        for (site, block) in (0..).zip(&program.blocks) {
            if let Link::Call(entry) = block.link {
                frames.push(self.frame(entry, &[site]));
            }
        }
        let some = |b: &u32| program.blocks[*b as usize].link == Link::ReturnSome && b + 1 < n;
        let waits = |b: &u32| {
            let mine: Vec<_> = frames.iter().filter(|f| f.contains(b)).collect();
            !mine.is_empty() && mine.iter().all(|f| f.contains(&(b + 1)))
        };
        (0..n).filter(some).filter(waits).collect()
    }
}

fn next(program: &Program, (b, stack): &State, falls: &BTreeSet<u32>, deepest: usize) -> Vec<State> {
    let n = program.blocks.len() as u32;
    let block = &program.blocks[*b as usize];
    let mut all: Vec<State> = block.succs.iter().filter(|s| **s < n).map(|s| (*s, stack.clone())).collect();
    if falls.contains(b) {
        all.push((b + 1, stack.clone()));
    }
    match block.link {
        Link::None => {}
        Link::Call(entry) if stack.len() < deepest => {
            all.push((entry, stack.iter().copied().chain([*b]).collect()));
        }
        Link::Call(_) => {}
        Link::Return | Link::ReturnSome => {
            if let Some((site, below)) = stack.split_last().filter(|(site, _)| **site + 1 < n) {
                all.push((site + 1, below.to_vec()));
            }
        }
    }
    all
}

/// What a function does, by all that happens between a call of it and its end.
fn summary(program: &Program, effects: &[Effect], states: &States, (site, entry): (u32, u32)) -> Function {
    let mut found = Function::default();
    for byte in 0..*program.bases.last().unwrap() {
        let writes = |b: &u32| {
            let insts = program.blocks[*b as usize].insts.clone();
            insts.into_iter().any(|i| union(program, &program.insts[i as usize], |r| r == Role::Write).contains(&byte))
        };
        let (mut used, mut defined, mut preserved) = (false, false, false);
        // Each state once with the byte as it was, and once without.
        let mut seen = BTreeSet::new();
        let mut open = vec![((entry, vec![site]), true)];
        while let Some((state, is_same)) = open.pop() {
            // Out of it again.
            if state.1.is_empty() {
                continue;
            }
            if !seen.insert((state.clone(), is_same)) {
                continue;
            }
            let effect = &effects[state.0 as usize];
            used |= is_same && effect.exposed.range((byte, 0)..=(byte, LATER)).next().is_some();
            defined |= writes(&state.0);
            let is_same = is_same && effect.pass.contains(&byte);
            let returns = matches!(program.blocks[state.0 as usize].link, Link::Return | Link::ReturnSome);
            preserved |= is_same && returns && state.1.len() == 1;
            open.extend(states.after[&state].iter().map(|next| (next.clone(), is_same)));
        }
        found.used.extend(Some(byte).filter(|_| used));
        found.defined.extend(Some(byte).filter(|_| defined));
        found.preserved.extend(Some(byte).filter(|_| defined && preserved));
    }
    found
}

/// Edges, and the bytes that live after each block.
fn brute(program: &Program, effects: &[Effect], states: &States, mut edges: Edges) -> (Edges, Vec<BTreeSet<u32>>) {
    let mut live_out = vec![BTreeSet::new(); program.blocks.len()];
    for byte in 0..*program.bases.last().unwrap() {
        for start in states.after.keys() {
            let own = &program.blocks[start.0 as usize].insts;
            let mut seen: BTreeSet<&State> = BTreeSet::new();
            let mut users = BTreeSet::new();
            let mut open: Vec<&State> = states.after[start].iter().collect();
            while let Some(state) = open.pop() {
                if !seen.insert(state) {
                    continue;
                }
                let effect = &effects[state.0 as usize];
                users.extend(effect.exposed.range((byte, 0)..=(byte, LATER)).map(|(_, user)| *user));
                if effect.pass.contains(&byte) {
                    open.extend(&states.after[state]);
                }
            }
            if !users.is_empty() {
                live_out[start.0 as usize].insert(byte);
            }
            for (_, def) in effects[start.0 as usize].reaching.range((byte, 0)..=(byte, LATER)) {
                let fresh = |user: &u32| own.contains(user) && user > def;
                edges.extend(users.iter().filter(|u| !fresh(u)).map(|user| (*def, byte, *user)));
            }
        }
    }
    (edges, live_out)
}

/// A main program and one or two functions, with calls of each, and now and then a jump from one into another.
fn random_program(random: &mut Random) -> Program {
    let mut below = |n: u64| random.below(n) as u32;
    let mut program = Program::new(&[12, 2]);
    let sizes: Vec<u32> = (0..2 + below(2)).map(|_| 1 + below(3)).collect();
    let blocks: u32 = sizes.iter().sum();
    let entries: Vec<u32> = sizes.iter().scan(0, |at, size| Some(std::mem::replace(at, *at + size))).collect();
    let mut calls = 0;
    for (function, (&first, &size)) in entries.iter().zip(&sizes).enumerate() {
        for b in first..first + size {
            for _ in 0..below(4) {
                for role in [Role::Read, Role::Write] {
                    if below(3) > 0 {
                        program.run(FileId(u32::from(below(6) == 0)), below(12), 1 + below(3), 1, 1);
                        program.operand(role);
                    }
                }
                let predicated = [Some(Polarity::Normal), Some(Polarity::Inverted), None, None][below(4) as usize];
                if predicated.is_some() {
                    program.run(FileId(1), below(2), 1, 0, 1);
                    program.operand(Role::Predicate);
                }
                program.instruction(predicated);
            }
            let inside = first + below(u64::from(size));
            let mut succs = match below(4) {
                0 => vec![inside],
                1 if below(4) == 0 => vec![below(u64::from(blocks) + 1)],
                _ => Vec::new(),
            };
            let link = match below(3) {
                0 if calls < 2 => {
                    calls += 1;
                    Link::Call(entries[below(entries.len() as u64) as usize])
                }
                _ if function > 0 && b + 1 == first + size => Link::Return,
                1 if function > 0 => Link::ReturnSome,
                _ => Link::None,
            };
            if below(3) == 0 || (link == Link::None && succs.is_empty()) {
                succs.push(b + 1);
            }
            program.link(link);
            program.block(succs);
        }
    }
    program
}

#[test]
fn calls_come_back_to_where_they_came_from() {
    let mut random = Random::new(0xA5A5_1234_9E37_79B9);
    let (mut rounds_with_calls, all) = (0, rounds(2000));
    for round in 0..all {
        let program = random_program(&mut random);
        rounds_with_calls += usize::from(program.blocks.iter().any(|b| matches!(b.link, Link::Call(_))));
        let mut edges = Edges::new();
        let effects: Vec<Effect> = program.blocks.iter().map(|b| effect(&program, b, &mut edges)).collect();
        let states = States::new(&program);
        let (edges, live_out) = brute(&program, &effects, &states, edges);
        let flow = solve(&program).unwrap();
        for (site, block) in (0..).zip(&program.blocks) {
            if let Link::Call(entry) = block.link {
                let wanted = summary(&program, &effects, &states, (site, entry));
                assert_eq!(flow.function(entry), Some(wanted), "round {round}, function {entry}: {program:#?}");
            }
        }
        for (block, later) in program.blocks.iter().zip(&live_out) {
            walk(&program, block, later, |e, paths| {
                let live: BTreeSet<u32> = paths.values().flat_map(|p| p.live.iter().copied()).collect();
                let data = live.iter().filter(|b| **b < 12).count() as u32;
                let wanted = [data, live.len() as u32 - data];
                assert_eq!(flow.live(e), wanted, "round {round}, live before {e}: {program:#?}");
            });
        }
        check_links(&program, &edges, &flow, round);
    }
    assert!(rounds_with_calls * 2 > all, "{rounds_with_calls} programs with calls, of {all}");
}
