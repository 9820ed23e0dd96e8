//! LLVM's own programs beside this one: the fixed bits of every instruction beside `llvm-tblgen -gen-emitter`, and random
//! words beside `llvm-mc --disassemble`. Needs the targets of the corpus and Debian's LLVM 19.

mod target;
mod unpacked;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use isaglot_bits::Word;
use isaglot_llvm::inst_bits;
use isaglot_model::ByteOrder;
use libtest_mimic::{Arguments, Failed, Trial};
use target::{disassemble, lower, plan, records, squeeze};
use unpacked::unpacked;

const TBLGEN: &str = "llvm-tblgen-19";
const MC: &str = "llvm-mc-19";

/// Words of each kind that are compared.
const WORDS: usize = 3000;

/// Targets whose fixed bits are compared.
const EMITTERS: &[&str] = &["RISCV", "LoongArch", "AArch64", "AMDGPU"];

/// A target whose random words are compared: shares in tenths of a percent of words that are accepted alike, and of
/// accepted ones whose text is equal.
struct Target {
    folder: &'static str,
    operands: &'static str,
    triple: &'static str,
    features: &'static str,
    accepted: usize,
    text: usize,
}

const TARGETS: &[Target] = &[
    Target {
        folder: "LoongArch",
        operands: include_str!("../../../specs/llvm/loongarch.operands"),
        triple: "loongarch64",
        features: "",
        accepted: 1000,
        text: 995,
    },
    Target {
        folder: "BPF",
        operands: include_str!("../../../specs/llvm/bpf.operands"),
        triple: "bpfel",
        features: "",
        accepted: 1000,
        text: 995,
    },
    Target {
        folder: "RISCV",
        operands: include_str!("../../../specs/llvm/riscv.operands"),
        triple: "riscv64",
        features: "+m,+a,+f,+d,+c,+v,+h,+zba,+zbb,+zbc,+zbs,+zbkb,+zbkc,+zbkx,+zfh,+zfa,+zcb,+zicbom,+zicbop,+zicboz,+zicond,\
                   +zknd,+zkne,+zknh,+zksed,+zksh,+svinval,+zawrs,+zvbb,+zvbc,+zvkned,+zvknhb,+zvksed,+zvksh,+zimop,+zcmop",
        accepted: 999,
        text: 990,
    },
];

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn emitter(root: &Path, folder: &str) -> Result<(), Failed> {
    let dir = root.join("llvm/lib/Target").join(folder);
    let mut command = Command::new(TBLGEN);
    command.arg("-gen-emitter").arg("-I").arg(root.join("llvm/include")).arg("-I").arg(&dir);
    let output = command.arg(dir.join(format!("{folder}.td"))).output()?;
    if !output.status.success() {
        return Err(format!("{TBLGEN} cannot read {folder}.td").into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let table = text.split("InstBits").nth(1).and_then(|t| t.split("};").next()).unwrap_or("");
    let mut theirs: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut words = Vec::new();
    for line in table.lines() {
        words.clear();
        for part in line.split("UINT64_C(").skip(1) {
            words.extend(part.split(')').next().and_then(|n| n.parse::<u64>().ok()));
        }
        if let Some((_, name)) = line.split_once("// ") {
            theirs.insert(name.trim().to_owned(), std::mem::take(&mut words));
        }
    }
    let ours = inst_bits(&records(root, folder));
    let trim = |words: &[u64]| {
        let used = words.iter().rposition(|w| *w != 0).map_or(0, |at| at + 1);
        words.iter().take(used).copied().collect::<Vec<_>>()
    };
    let mut wrong = Vec::new();
    let mut compared = 0;
    for inst in &ours {
        let Some(words) = theirs.get(&inst.name) else { continue };
        compared += 1;
        if trim(words) != trim(&inst.value) {
            wrong.push(format!("{}: {:x?}, not {words:x?}", inst.name, inst.value));
        }
    }
    println!("{folder} fixed bits: {}/{compared}", compared - wrong.len());
    if compared == 0 || !wrong.is_empty() {
        return Err(format!("{} of {compared} differ: {:?}", wrong.len(), wrong.get(..5.min(wrong.len()))).into());
    }
    Ok(())
}

/// The text of each word, `None` where it is none.
fn llvm_mc(target: &Target, words: &[Vec<u8>]) -> Result<Vec<Option<String>>, Failed> {
    let mut command = Command::new(MC);
    command.arg("--disassemble").arg(format!("--triple={}", target.triple));
    command.arg(format!("--mattr={}", target.features));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut input = String::new();
    for word in words {
        let bytes: Vec<String> = word.iter().map(|b| format!("{b:#04x}")).collect();
        input.push_str(&format!("[{}]\n", bytes.join(" ")));
    }
    let mut stdin = child.stdin.take().ok_or("no input")?;
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| "the writer failed")??;
    let mut bad = vec![false; words.len()];
    for line in String::from_utf8_lossy(&output.stderr).lines().filter(|l| l.contains("invalid instruction encoding")) {
        let number = line.split(':').nth(1).and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
        if let Some(flag) = bad.get_mut(number.wrapping_sub(1)) {
            *flag = true;
        }
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines().map(squeeze).filter(|l| !l.is_empty() && !l.starts_with('.'));
    let texts: Vec<Option<String>> = bad.iter().map(|&bad| if bad { None } else { lines.next() }).collect();
    if lines.next().is_some() {
        return Err("llvm-mc printed more lines than words".into());
    }
    Ok(texts)
}

fn random_words(root: &Path, target: &Target) -> Result<(), Failed> {
    let lowered = lower(root, target.folder, target.operands);
    let plan = plan(&lowered, target.triple, "", target.features);
    let isa = &lowered.isa;
    let root_space = &isa[isa.root()];
    let active: Vec<_> = root_space.encodings.iter().filter(|&&id| plan.active(&isa[id])).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut words = Vec::new();
    for i in 0..2 * WORDS {
        let limbs: Vec<u64> = (0..4).map(|_| random.next()).collect();
        let mut width = isa.format().max_bits;
        let mut word = Word::from_limbs(&limbs, width);
        if i % 2 == 0 {
            let e = &isa[*active[random.next() as usize % active.len()]];
            width = e.width;
            word = word.resized(width).and_not(e.pattern.care()).or(e.pattern.value());
        } else if let Some(bits) = plan.length(&word.resized(isa.format().parcel_bits)) {
            word = word.resized(bits);
        }
        let mut bytes: Vec<u8> = word.le_bytes().collect();
        if isa.format().byte_order == ByteOrder::Big {
            bytes.reverse();
        }
        words.push(bytes);
    }
    let theirs = llvm_mc(target, &words)?;
    let (mut accepted, mut valid, mut equal) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (word, theirs) in words.iter().zip(&theirs) {
        let ours = disassemble(&plan, word);
        let ours = match ours.as_slice() {
            [text] if !text.starts_with('<') => Some(text.clone()),
            _ => None,
        };
        let alike = ours.is_some() == theirs.is_some();
        accepted += usize::from(alike);
        if alike && ours.is_some() {
            valid += 1;
            equal += usize::from(ours == *theirs);
        }
        if ours != *theirs {
            let hex: String = word.iter().map(|b| format!("{b:02x}")).collect();
            wrong.push(format!("{hex}: {ours:?}, llvm-mc {theirs:?}"));
        }
    }
    println!("{}: {accepted}/{} accepted alike, {equal}/{valid} equal texts", target.folder, words.len());
    let show = std::env::var("ISAGLOT_SHOW").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    wrong.iter().take(show).for_each(|line| println!("  {line}"));
    if valid == 0 || accepted * 1000 < words.len() * target.accepted || equal * 1000 < valid * target.text {
        return Err("fewer than the bar".into());
    }
    Ok(())
}

fn corpus() -> Option<PathBuf> {
    let (dir, given) = match std::env::var_os("ISAGLOT_CORPUS") {
        Some(dir) => (PathBuf::from(dir), true),
        None => (Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"), false),
    };
    let dir = dir.join("tablegen");
    assert!(!given || dir.is_dir(), "ISAGLOT_CORPUS: there is no {}", dir.display());
    dir.is_dir().then_some(dir)
}

/// Whether a program can be run. CI says that it must.
fn there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    assert!(there || std::env::var_os("ISAGLOT_REQUIRE_PEERS").is_none(), "{program} is missing");
    there
}

fn main() {
    let args = Arguments::from_args();
    let mut trials = Vec::new();
    let dir = corpus();
    for folder in EMITTERS {
        let name = format!("tablegen: fixed bits of {folder} beside {TBLGEN}");
        trials.push(match dir.clone().filter(|_| there(TBLGEN)) {
            Some(dir) => Trial::test(name, move || emitter(unpacked(&dir), folder)),
            None => Trial::test(name, || Ok(())).with_ignored_flag(true),
        });
    }
    for target in TARGETS {
        let name = format!("tablegen: random words of {} beside {MC}", target.folder);
        trials.push(match dir.clone().filter(|_| there(MC)) {
            Some(dir) => Trial::test(name, move || random_words(unpacked(&dir), target)),
            None => Trial::test(name, || Ok(())).with_ignored_flag(true),
        });
    }
    libtest_mimic::run(&args, trials).exit();
}
