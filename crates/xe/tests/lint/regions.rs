//! Rules about single operands.
//!
//! Beside `iga64`: random instructions, valid and not, are assembled by both. It names the rule but not the operand, so in
//! two of three instructions only one source is random and the other breaks no rule; in the third the order of the
//! warnings is compared, which is that of the sources. Warnings of its parser have a column and so an operand.

use std::collections::BTreeMap;
use std::process::Command;

use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::{Failed, Random, rounds};
use isaglot_xe::lint::{Place, Rule};
use isaglot_xe::{Compaction, Description, Platform, Xe};

/// What `iga64` says, and the code of the same rule here.
const SAME: [(&str, &str); 11] = [
    ("(Restriction 1.1)", "xe-exec-size"),
    ("(Restriction 2.1)", "xe-region-width"),
    ("(Restriction 2.2)", "xe-region-one-row"),
    ("(Restriction 2.4)", "xe-region-scalar-stride"),
    ("(Restriction 2.5)", "xe-region-scalar"),
    ("(Restriction 2.6)", "xe-region-repeated"),
    ("(Restriction 2.8)", "xe-region-crossing"),
    ("access granularity too small for data type", "xe-access-size"),
    ("register access granularity too small type", "xe-access-size"),
    ("subregister out of bounds for data type", "xe-access-beyond"),
    ("subregister out of bounds", "xe-access-beyond"),
];

/// Findings that `iga64` does not have, and why we do.
const MORE: [(&str, &str); 4] = [
    ("xe-exec-size of a destination", "it looks at sources alone; the rule is about every operand"),
    ("xe-region-later-crossing", "it looks at the first row alone; no row may cross"),
    ("xe-region-narrow", "it asks this of one channel alone; the rule is about every number of channels"),
    ("xe-region-span", "it counts channels and not gaps; an operand has two registers"),
];

const TYPES: [(&str, u64); 11] = [
    ("b", 1),
    ("ub", 1),
    ("w", 2),
    ("uw", 2),
    ("hf", 2),
    ("d", 4),
    ("ud", 4),
    ("f", 4),
    ("q", 8),
    ("uq", 8),
    ("df", 8),
];

/// Every rule of the description has a code, and every code a rule.
pub(crate) fn codes() {
    let (isa, _, _) = isaglot_xe::description();
    let isa = isa.unwrap();
    let space = isa.spaces().iter().find(|s| isa.text(s.name) == "#operand-rule").unwrap();
    let mut named: Vec<&str> = space.encodings.iter().map(|id| &*isa[*id].display_name).collect();
    let mut known: Vec<&str> = Rule::all().filter(|r| !r.is_about_waits()).map(Rule::code).collect();
    named.sort_unstable();
    known.sort_unstable();
    assert_eq!(named, known);
    for id in &space.encodings {
        for key in ["for", "says", "mend"] {
            assert!(isa[*id].meta.iter().any(|(k, v)| k == key && !v.is_empty()), "{key} of {}", isa[*id].display_name);
        }
    }
}

/// A source: anything, or one that breaks no rule.
fn source(random: &mut Random, is_good: bool, (ty, size): (&str, u64), register: u64) -> String {
    let number = random.below(99) + 1;
    if is_good {
        return format!("r{number}.0<0;1,0>:{ty}");
    }
    let (v, w, h) = (random.pick(&[0, 1, 2, 4, 8, 16, 32]), random.pick(&[1, 2, 4, 8, 16]), random.pick(&[0, 1, 2, 4]));
    let region = format!("<{v};{w},{h}>:{ty}");
    if random.one_in(8) {
        let file = random.pick(&["acc0.0", "f0.0", "f0.1", "a0.0", "a0.1", "sr0.0", "cr0.0", "tm0.0", "null"]);
        return format!("{file}{region}");
    }
    // An odd byte of the second source cannot be encoded by everyone.
    let sub = if random.bool() { random.below(register / size / 2) * 2 } else { 0 };
    format!("r{number}.{sub}{region}")
}

fn instruction(random: &mut Random, register: u64) -> String {
    let op = *random.pick(&["mov", "add", "and", "mul", "cmp", "sel", "shl", "avg", "or", "not", "math.inv"]);
    let channels = random.pick(&[1, 2, 4, 8, 16, 32]);
    let any = |random: &mut Random| *random.pick(&TYPES);
    let ty = if random.bool() { *random.pick(&[("d", 4), ("f", 4)]) } else { any(random) };
    let dst = if random.one_in(3) { any(random) } else { ty };
    let modifier = match op {
        "cmp" => "(eq)f0.0 ",
        "sel" => "(lt)f0.0 ",
        _ => "",
    };
    let which = random.below(3);
    let mut line = format!("{op} ({channels}|M0) {modifier}");
    let sub = if random.one_in(3) { random.below(register / dst.1) } else { 0 };
    if random.one_in(12) {
        line += &format!("{}<1>:{}", random.pick(&["f0.0", "a0.1", "cr0.0", "tm0.1", "acc0.0"]), dst.0);
    } else {
        let stride = random.pick(&[1, 1, 1, 2, 4]);
        line += &format!("r{}.{sub}<{stride}>:{}", random.below(99) + 1, dst.0);
    }
    line += &format!(" {}", source(random, which == 1, ty, register));
    if !matches!(op, "mov" | "not" | "math.inv") {
        line += &format!(" {}", source(random, which == 0, ty, register));
    }
    line
}

/// By line, counted from 1: codes in the order of warnings, with the place if there is one; lines with an error have none.
type Warnings = BTreeMap<usize, Option<Vec<(&'static str, Option<Place>)>>>;

fn iga64(lines: &[String], platform: Platform) -> Result<Warnings, Failed> {
    let folder = std::env::temp_dir().join(format!("isaglot-lint-{}-{}", std::process::id(), platform.id()));
    std::fs::create_dir_all(&folder)?;
    let (text, binary) = (folder.join("a.asm"), folder.join("a.bin"));
    std::fs::write(&text, lines.join("\n") + "\n")?;
    let mut command = Command::new("iga64");
    let done = command.arg(&text).args(["-a", "-p", platform.id(), "-Wall", "-o"]).arg(&binary).output()?;
    std::fs::remove_dir_all(&folder)?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let mut all = Warnings::new();
    let mut last = None;
    for line in said.lines() {
        if let Some((place, message)) = line.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
            let (number, column) = place.split_once('.').ok_or("a place without a column")?;
            let (number, column): (usize, usize) = (number.parse()?, column.parse()?);
            last = Some(number);
            if message.starts_with("error") {
                all.insert(number, None);
            } else if let Some((_, code)) = SAME.iter().find(|(said, _)| message.ends_with(said)) {
                let source = lines.get(number - 1).map_or("", |l| l.as_str());
                let operands = source.get(..column - 1).unwrap_or("").split(' ').filter(|w| w.contains(':')).count();
                let place = if operands == 0 { Place::Destination } else { Place::Source(operands as u8 - 1) };
                all.entry(number)
                    .or_insert_with(|| Some(Vec::new()))
                    .iter_mut()
                    .for_each(|l| l.push((code, Some(place))));
            }
        } else if let Some(number) = last
            && let Some((_, code)) = SAME.iter().find(|(said, _)| said.starts_with('(') && line.ends_with(said))
        {
            all.entry(number).or_insert_with(|| Some(Vec::new())).iter_mut().for_each(|l| l.push((code, None)));
        }
    }
    Ok(all)
}

/// Lines that both assemble.
fn accepted(xe: &mut Xe<'_>, random: &mut Random, count: usize) -> Result<(Vec<String>, Warnings), Failed> {
    let register = u64::from(xe.platform.grf_bytes());
    let mut lines = Vec::new();
    while lines.len() < count + count / 8 {
        let line = instruction(random, register);
        if xe.assemble(FileId(0), line.as_bytes(), Compaction::Off, &mut Diagnostics::new()).is_some() {
            lines.push(line);
        }
    }
    // It checks nothing once there is an error.
    loop {
        let all = iga64(&lines, xe.platform)?;
        let is_wrong = |n: usize| matches!(all.get(&(n + 1)), Some(None));
        if !(0..lines.len()).any(is_wrong) {
            return Ok((lines, all));
        }
        lines = lines.iter().enumerate().filter(|(n, _)| !is_wrong(*n)).map(|(_, l)| l.clone()).collect();
        lines.truncate(count);
    }
}

pub(crate) fn beside_iga64() -> Result<(), Failed> {
    let description = Description::embedded().ok_or("no description")?;
    for platform in [Platform::Xe, Platform::XeHpg, Platform::XeHpc] {
        let mut xe = Xe::new(&description, platform).ok_or("no description")?;
        let mut random = Random::new(platform.generation().into());
        let (lines, theirs) = accepted(&mut xe, &mut random, rounds(5000))?;
        let bytes = xe.assemble(FileId(0), lines.join("\n").as_bytes(), Compaction::Off, &mut Diagnostics::new());
        let program = xe.program(&bytes.ok_or("lines that were assembled alone are not together")?);
        let found = xe.lint(&program).map_err(|_| "too large")?;
        let mut same = 0;
        let (mut findings, mut more) = (0, BTreeMap::<String, usize>::new());
        for (n, line) in lines.iter().enumerate() {
            let (mut regions, mut accesses) = (Vec::new(), Vec::new());
            let mut own: Vec<_> = found.iter().filter(|f| f.at == n && !f.rule.is_about_waits()).collect();
            own.sort_by_key(|f| (f.place, f.rule));
            for f in own {
                let code = f.rule.code();
                let label =
                    if f.place == Place::Destination { format!("{code} of a destination") } else { code.to_owned() };
                if MORE.iter().any(|(known, _)| *known == label || *known == code) {
                    *more.entry(label).or_default() += 1;
                } else if code.starts_with("xe-access") {
                    accesses.push((code, Some(f.place)));
                } else {
                    regions.push((code, None));
                }
            }
            let all = theirs.get(&(n + 1)).cloned().flatten().unwrap_or_default();
            let (mut want_accesses, want_regions): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, p)| p.is_some());
            want_accesses.sort_by_key(|(code, place)| (*place, *code));
            accesses.sort_by_key(|(code, place)| (*place, *code));
            findings += regions.len() + accesses.len();
            if regions == want_regions && accesses == want_accesses {
                same += 1;
            } else {
                println!("{line}\n  ours {regions:?} {accesses:?}\n  theirs {want_regions:?} {want_accesses:?}");
            }
        }
        println!(
            "{}: {same} of {} instructions with the same rules and operands, {findings} findings; beside them {more:?}",
            platform.name(),
            lines.len()
        );
        assert!(lines.len() >= rounds(5000) && same * 100 >= lines.len() * 99);
    }
    Ok(())
}
