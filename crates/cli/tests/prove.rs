//! Proofs with a solver: everything holds of what is right, and every fault is refuted by a counterexample that
//! `isaglot run` reproduces. Without z3 the tests are reported as ignored.

use std::path::{Path, PathBuf};
use std::process::Command;

use isaglot_testing::{Failed, Trial, peer, suite};
use serde_json::Value;

const COMPILER: &str = "riscv64-linux-gnu-gcc";

/// What is wrong, the law that says so, and how: a text of the machine's file and what stands there instead.
const FAULTS: &[(&str, &str, &str, &str)] = &[
    ("data shifted by 11", "device", "(rs2 << 1 | 1) + data", "(rs2 << 1 | 1) + (rs1 >>u 11)"),
    ("data sign-extended", "device", "^ (rs1 >>u 12)", "^ (rs1 >>s 12)"),
    ("whole rs1 for data", "device", "rd = data + rs2 + data", "rd = rs1 + rs2 + data"),
    (
        "commands swapped",
        "device",
        "0 = { ret = [\"xor\", \"data\", \"rs2\"] }\n1 = { ret = [\"sub\", \"rs2\", \"data\"] }",
        "1 = { ret = [\"xor\", \"data\", \"rs2\"] }\n0 = { ret = [\"sub\", \"rs2\", \"data\"] }",
    ),
    ("operands swapped", "device", "[\"sub\", \"rs2\", \"data\"]", "[\"sub\", \"data\", \"rs2\"]"),
    ("rotated by 7", "device", "{rs2[xlen - 9:0], rs2[xlen - 1:xlen - 8]}", "rotl(rs2, 7)"),
    ("carry lost", "device", "rd = rs2 + ~data + 1", "rd = rs2 + ~data"),
    ("added without carries", "device", "(rs2 << 1 | 1) + data", "(rs2 << 1 | 1) ^ data"),
    (
        "right but for one operand",
        "device",
        "rd = rs2 * data",
        "if (rs2 == 0x89abcd) { rd = 0; } else { rd = rs2 * data; }",
    ),
    ("command missing", "device", "2 = { ret = [\"mul\", \"data\", \"rs2\"] }\n", ""),
    (
        "wrong subdevice",
        "device",
        "levels = [\"super\", \"hyper\"], sub = 1",
        "levels = [\"super\", \"hyper\"], sub = 0",
    ),
    ("narrow product", "device", "[\"mul\", \"data\", \"rs2\"]", "[\"mul\", [\"and\", \"data\", 65535], \"rs2\"]"),
    ("unit looked at", "device", "rd = data + rs2 + data", "rd = data + rs2 + data + lun - 34"),
    (
        "fallbacks swapped",
        "fallback",
        "dev_map = []",
        "dev_map = [{ lun = 1, levels = \"all\", device = \"fallback\", sub = 2 }, { lun = 2, levels = \"all\", device = \"fallback\", sub = 1 }]",
    ),
    (
        "fallback missing",
        "fallback",
        "dev_map = []",
        "dev_map = [{ lun = 1, levels = \"all\", device = \"device1\", sub = 9 }]",
    ),
    (
        "unit of others reachable",
        "escape",
        "dev_map = []",
        "dev_map = [{ lun = 35, levels = [\"user\"], device = \"device2\", sub = 1 }]",
    ),
    (
        "unit that nobody is given",
        "escape",
        "dev_map = []",
        "dev_map = [{ lun = 4000, levels = [\"mach\"], device = \"device1\", sub = 64 }]",
    ),
];

/// Ways in which a context reaches what another one owns: the context, and a text of the machine's file and what stands there instead.
const LEAKS: &[(&str, &str, &str, &str)] = &[
    (
        "a device of another context",
        "red",
        "dev_map = [\n    { lun = 32, device = \"red\"",
        "dev_map = [\n    { lun = 40, device = \"blue\", sub = 0 },\n    { lun = 32, device = \"red\"",
    ),
    (
        "a device of the first tables",
        "blue",
        "{ lun = 32, device = \"blue\"",
        "{ lun = 4095, device = \"top\", sub = 0 },\n    { lun = 32, device = \"blue\"",
    ),
    (
        "another subdevice of a device",
        "blue",
        "{ lun = 32, device = \"blue\"",
        "{ lun = 33, device = \"red\", sub = 0 },\n    { lun = 32, device = \"blue\"",
    ),
    ("a device that is no longer shared", "red", "shared = [\"common\"]", "shared = []"),
    (
        "a device of a process for all",
        "default",
        "serves = [{ interface = \"com.bigbucks:Frobate\" }]",
        "serves = []\n[[device]]\nname = \"blue\"\nserves = [{ interface = \"com.bigbucks:Frobate\" }]",
    ),
    (
        "a fallback device that remembers",
        "red",
        "[devices.top.subs]",
        "[devices.fallback]\nstate = { n = 0 }\nsubs.1 = { 0 = { ret = \"$n\", set = { n = \"rs2\" } } }\n[devices.top.subs]",
    ),
];

fn main() {
    let mut trials = vec![peer::trial("prove_laws", &[peer::Z3], laws)];
    for xlen in [32, 64] {
        trials.push(peer::trial(format!("prove_machine_rv{xlen}"), &[peer::Z3], move || sound(xlen)));
        trials.push(peer::trial(format!("prove_faults_rv{xlen}"), &[peer::Z3], move || faults(xlen)));
        trials.push(peer::trial(format!("prove_isolation_rv{xlen}"), &[peer::Z3], move || isolation(xlen)));
        let peers = [peer::Z3, peer::RISCV_GCC];
        trials.push(peer::trial(format!("prove_routines_rv{xlen}"), &peers, move || routines(xlen)));
    }
    trials.push(peer::trial("prove_profiles", &[peer::Z3], profiles));
    trials.push(peer::trial("prove_texts", &[peer::Z3], texts));
    trials.push(peer::trial("prove_differences", &[peer::Z3], differences));
    trials.push(Trial::test("prove_without_solver", without_solver));
    suite::run(trials);
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/prove").join(name)
}

fn isaglot(dir: &Path, args: &[&str]) -> Result<(Option<i32>, String, String), Failed> {
    let out = Command::new(env!("CARGO_BIN_EXE_isaglot")).args(args).current_dir(dir).output()?;
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    Ok((out.status.code(), text(&out.stdout), text(&out.stderr)))
}

/// The claims of a run of `prove`, with the folder's interfaces.
fn prove(dir: &Path, args: &[&str]) -> Result<Vec<Value>, Failed> {
    let interfaces = data("music.xintf");
    std::fs::copy(interfaces, dir.join("music.xintf"))?;
    let all: Vec<&str> = ["xintf", "prove", "music.xintf", "--json"].iter().chain(args).copied().collect();
    let (_, out, err) = isaglot(dir, &all)?;
    let claims = out.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    if claims.is_empty() { Err(format!("nothing was claimed: {err}").into()) } else { Ok(claims) }
}

fn verdicts(claims: &[Value], wanted: &str) -> Result<(), Failed> {
    let other: Vec<String> = claims.iter().filter(|c| c["verdict"] != wanted).map(Value::to_string).collect();
    if other.is_empty() { Ok(()) } else { Err(other.join("\n").into()) }
}

/// Every command at both widths, what falls back, all profiles.
fn laws() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let claims = prove(dir.path(), &[])?;
    let count = |law: &str| claims.iter().filter(|c| c["law"] == law).count();
    println!("prove: {} claims hold on every machine", claims.len());
    if (count("sequence"), count("fallback"), count("encoding")) != (12, 6, 6) {
        return Err("six commands, three fallbacks and three pairs of profiles at two widths were expected".into());
    }
    verdicts(&claims, "proved")
}

fn machine(dir: &Path, xlen: u32, from: &str, to: &str) -> Result<(), Failed> {
    machine_like("cpu.toml", dir, xlen, from, to)
}

/// The machine of a file of this folder, with one text of it replaced.
fn machine_like(name: &str, dir: &Path, xlen: u32, from: &str, to: &str) -> Result<(), Failed> {
    let text = std::fs::read_to_string(data(name))?.replace("xlen = 64", &format!("xlen = {xlen}"));
    if !text.contains(from) {
        return Err(format!("the machine has no `{from}`").into());
    }
    std::fs::write(dir.join("cpu.toml"), text.replacen(from, to, 1))?;
    Ok(())
}

fn sound(xlen: u32) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    machine(dir.path(), xlen, "", "")?;
    let claims = prove(dir.path(), &["--cpu", "cpu.toml"])?;
    println!("prove: RV{xlen}: {} claims hold on the machine", claims.len());
    verdicts(&claims, "proved")
}

/// Runs the two commands that a refutation names; the end is what it says.
fn reproduce(dir: &Path, claim: &Value) -> Result<(), Failed> {
    let told: Vec<&str> = claim["why"]["told"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let line = |start: &str| told.iter().copied().find(|l| l.starts_with(start));
    let (Some(assemble), Some(run)) = (line("isaglot asm"), line("isaglot run")) else {
        return Err(format!("no program: {claim}").into());
    };
    let words = |l: &str| l.split(' ').skip(1).map(str::to_owned).collect::<Vec<String>>();
    let (code, _, err) = isaglot(dir, &words(assemble).iter().map(String::as_str).collect::<Vec<&str>>())?;
    if code != Some(0) {
        return Err(format!("{assemble}: {err}").into());
    }
    let mut run: Vec<String> = words(run);
    let traced = told.iter().find_map(|l| l.strip_prefix("the run's trace shows "));
    if traced.is_none() {
        run.retain(|w| w != "--trace");
        run.push("--json".to_owned());
    }
    let (_, out, err) = isaglot(dir, &run.iter().map(String::as_str).collect::<Vec<&str>>())?;
    if let Some(traced) = traced {
        let is = traced.split('`').nth(1).unwrap_or("?");
        return if out.contains(is) { Ok(()) } else { Err(format!("no {is} in the trace: {out}").into()) };
    }
    let end: Value = serde_json::from_str(&out).map_err(|e| format!("{e}: {err}"))?;
    let ends = told.iter().find_map(|l| l.split("ends with: ").nth(1)).unwrap_or("");
    let real = if end["stop"] == "trap" {
        "a trap".to_owned()
    } else {
        format!("a0 = {}", end["regs"]["a0"].as_str().unwrap_or(""))
    };
    let asks = told.iter().any(|l| l.starts_with("the run asks a device"));
    if asks && end["calls"].as_array().is_none_or(Vec::is_empty) {
        return Err(format!("no device was asked: {claim}").into());
    }
    let wants = told.iter().find_map(|l| l.strip_prefix("the law wants:")).map_or("", str::trim);
    if real != ends || real == wants {
        return Err(format!("{claim}\nthe run ends with {real}").into());
    }
    Ok(())
}

fn faults(xlen: u32) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    for &(name, law, from, to) in FAULTS {
        let dir = tempfile::tempdir()?;
        machine(dir.path(), xlen, from, to)?;
        let claims = prove(dir.path(), &["--cpu", "cpu.toml", "--law", law, "--counterexample", "found"])?;
        let refuted: Vec<&Value> = claims.iter().filter(|c| c["verdict"] == "refuted").collect();
        if refuted.is_empty() {
            wrong.push(format!("{name}: not refuted"));
        }
        for claim in refuted {
            if let Err(e) = reproduce(dir.path(), claim) {
                wrong.push(format!("{name}: {}", e.message().unwrap_or("")));
            }
        }
    }
    println!("prove: RV{xlen}: {}/{} faults refuted and reproduced", FAULTS.len() - wrong.len(), FAULTS.len());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Contexts: all laws hold of the machine as it is; each leak is refuted for the context that has it, and a run shows it.
fn isolation(xlen: u32) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    machine_like("contexts.toml", dir.path(), xlen, "", "")?;
    let laws = "isolation,fallback,escape";
    let claims = prove(dir.path(), &["--cpu", "cpu.toml", "--law", laws])?;
    let isolated = claims.iter().filter(|c| c["law"] == "isolation").count();
    let escapes = claims.iter().filter(|c| c["law"] == "escape").filter(|c| c["verdict"] == "refuted").count();
    // The units of the shared device are such that no `xext` gives them.
    if (isolated, escapes) != (3, 2) {
        return Err(format!("three contexts were expected, two with units that nobody is given: {claims:?}").into());
    }
    let rest: Vec<Value> = claims.into_iter().filter(|c| c["law"] != "escape").collect();
    verdicts(&rest, "proved")?;
    let mut wrong = Vec::new();
    for &(name, context, from, to) in LEAKS {
        machine_like("contexts.toml", dir.path(), xlen, from, to)?;
        let args = ["--cpu", "cpu.toml", "--law", "isolation", "--counterexample", "found"];
        let claims = prove(dir.path(), &args)?;
        let refuted: Vec<&Value> = claims.iter().filter(|c| c["verdict"] == "refuted").collect();
        if !refuted.iter().any(|c| c["subject"] == context) {
            wrong.push(format!("{name}: not refuted for {context}: {claims:?}"));
        }
        for claim in refuted {
            if let Err(e) = reproduce(dir.path(), claim) {
                wrong.push(format!("{name}: {}", e.message().unwrap_or("")));
            }
        }
    }
    println!(
        "prove: RV{xlen}: {}/{} leaks refuted and reproduced",
        LEAKS.len() - wrong.len().min(LEAKS.len()),
        LEAKS.len()
    );
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// RISC-V code at several levels of optimisation, right and wrong.
fn routines(xlen: u32) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let (march, mabi) = if xlen == 64 { ("rv64imac", "lp64") } else { ("rv32imac", "ilp32") };
    let mut wrong = Vec::new();
    for (fault, level) in [(0, "-O0"), (0, "-O2"), (0, "-Os"), (1, "-O2"), (2, "-O1"), (3, "-O2")] {
        let done = Command::new(COMPILER)
            .args([&format!("-march={march}"), &format!("-mabi={mabi}"), level, &format!("-DFAULT={fault}")])
            .args(["-nostdlib", "-static", "-ffreestanding", "-Wl,--no-relax", "-o", "routine.elf"])
            .arg(data("routine.c"))
            .current_dir(dir.path())
            .output()?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).into_owned().into());
        }
        let claims = prove(dir.path(), &["--routine", "routine.elf", "--counterexample", "found"])?;
        for claim in &claims {
            let faulty = fault > 0 && claim["subject"].as_str().is_some_and(|s| s.ends_with(":rock"));
            let right = match faulty {
                true => claim["verdict"] == "refuted",
                false => claim["verdict"] == "proved",
            };
            if !right {
                wrong.push(format!("{level} fault {fault}: {claim}"));
            } else if faulty && let Err(e) = reproduce(dir.path(), claim) {
                wrong.push(format!("{level} fault {fault}: {}", e.message().unwrap_or("")));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// A profile with two bits of the command exchanged.
fn profiles() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let table = "[custom0]\nxcmd = 0x0000000b\nk = [13, 12, 14]\nxext = 0x0200000b\nj = [12, 13]\n";
    std::fs::write(dir.path().join("mine.toml"), table)?;
    let args = ["--law", "encoding", "--profiles", "mine.toml", "--counterexample", "found"];
    let claims = prove(dir.path(), &args)?;
    let refuted: Vec<&Value> = claims.iter().filter(|c| c["verdict"] == "refuted").collect();
    if refuted.len() != 2 {
        return Err(format!("one word at each width was expected: {refuted:?}").into());
    }
    refuted.iter().try_for_each(|c| reproduce(dir.path(), c))
}

/// Other definitions: one that says the same in other words, and one that does not.
fn texts() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let text = std::fs::read_to_string(data("music.xintf"))?;
    for (from, to, verdict) in [
        ("2 * rs2 + 1 + data", "let twice = rs2 << 1; rd = (twice | 1) + (rs1 >>u 12)", "proved"),
        ("2 * rs2 + 1 + data", "2 * rs2 + 1 + data[15:0]", "error"),
        ("2 * rs2 + 1 + data", "2 * rs2 + 1 + zext(data[15:0], xlen)", "refuted"),
    ] {
        let to = if to.starts_with("let") { to.to_owned() } else { format!("rd = {to}") };
        let other = text.replace(&format!("rd = {from}"), &to);
        std::fs::write(dir.path().join("other.xintf"), other)?;
        let found = prove(dir.path(), &["--against", "other.xintf", "--counterexample", "found"]);
        if verdict == "error" {
            if found.is_ok() {
                return Err("widths that do not fit were taken".into());
            }
            continue;
        }
        let rock: Vec<Value> =
            found?.into_iter().filter(|c| c["subject"] == "org.tinker.tinker:RocknRoll:rock").collect();
        verdicts(&rock, verdict)?;
        if verdict == "refuted" {
            rock.iter().try_for_each(|c| reproduce(dir.path(), c))?;
        }
    }
    Ok(())
}

/// What a refutation says that differs: `tests/prove/differences.txt` has commands and, below each, what they print, without
/// values, which are up to the solver.
fn differences() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    for name in ["kept.xintf", "other.xintf", "kept.toml"] {
        std::fs::copy(data(name), dir.path().join(name))?;
    }
    let file = data("differences.txt");
    let mut made = String::new();
    for command in std::fs::read_to_string(&file)?.lines().filter_map(|l| l.strip_prefix("$ isaglot ")) {
        let (code, out, err) = isaglot(dir.path(), &command.split(' ').collect::<Vec<&str>>())?;
        made += &format!("$ isaglot {command}\n");
        for line in out.lines().chain(err.lines()) {
            let end = line.find("= 0x").or(line.find("is 0x")).unwrap_or(line.len());
            made += &format!("{}\n", line.get(..end).unwrap_or(line).trim_end());
        }
        made += &format!("status {}\n", code.unwrap_or(-1));
    }
    Ok(isaglot_testing::bless::golden(&file, &made)?)
}

/// Without a solver the formulas can be written, and nothing is said to be proved that is not.
fn without_solver() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    machine(dir.path(), 64, "rd = rs2 + ~data + 1", "rd = rs2 + ~data")?;
    std::fs::copy(data("music.xintf"), dir.path().join("music.xintf"))?;
    let out = Command::new(env!("CARGO_BIN_EXE_isaglot"))
        .args(["xintf", "prove", "music.xintf", "--cpu", "cpu.toml", "--law", "device", "--smt", "formulas"])
        .env("PATH", "")
        .current_dir(dir.path())
        .output()?;
    let (text, said) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    if out.status.code() != Some(1) || !said.contains("no solver") || !text.contains("not decided: device com.bigbucks")
    {
        return Err(format!("{text}{said}").into());
    }
    let mut formulas = std::fs::read_dir(dir.path().join("formulas"))?.flatten().map(|e| e.path());
    let query = formulas.find_map(|p| std::fs::read_to_string(p).ok()).unwrap_or_default();
    let whole = query.contains("(set-logic QF_ABV)") && query.ends_with("(check-sat)\n");
    if whole { Ok(()) } else { Err(format!("no formula: {query}").into()) }
}
