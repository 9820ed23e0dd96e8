//! LLVM's own programs beside this one: the fixed bits of every instruction beside `llvm-tblgen -gen-emitter`, and random
//! words beside `llvm-mc --disassemble`. Needs the targets of the corpus and Debian's LLVM 19.

mod target;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use isaglot_bits::Word;
use isaglot_llvm::inst_bits;
use isaglot_model::ByteOrder;
use isaglot_testing::corpus::{hex, unpacked};
use isaglot_testing::{Failed, Random, Tally, corpus, ledger, peer, suite};
use target::{disassemble, lower, plan, records, squeeze};

const TBLGEN: &str = "llvm-tblgen-19";
const MC: &str = "llvm-mc-19";

/// Words of each kind that are compared.
const WORDS: usize = 3000;

/// Targets whose fixed bits are compared.
const EMITTERS: &[&str] = &["RISCV", "LoongArch", "AArch64", "AMDGPU"];

/// A target whose random words are compared.
struct Target {
    folder: &'static str,
    operands: &'static str,
    triple: &'static str,
    features: &'static str,
}

const TARGETS: &[Target] = &[
    Target {
        folder: "LoongArch",
        operands: include_str!("../../../specs/llvm/loongarch.operands"),
        triple: "loongarch64",
        features: "",
    },
    Target { folder: "BPF", operands: include_str!("../../../specs/llvm/bpf.operands"), triple: "bpfel", features: "" },
    Target {
        folder: "RISCV",
        operands: include_str!("../../../specs/llvm/riscv.operands"),
        triple: "riscv64",
        features: "+m,+a,+f,+d,+c,+v,+h,+zba,+zbb,+zbc,+zbs,+zbkb,+zbkc,+zbkx,+zfh,+zfa,+zcb,+zicbom,+zicbop,+zicboz,+zicond,\
                   +zknd,+zkne,+zknh,+zksed,+zksh,+svinval,+zawrs,+zvbb,+zvbc,+zvkned,+zvknhb,+zvksed,+zvksh,+zimop,+zcmop",
    },
];

fn emitter(archive: &Path, folder: &str) -> Result<(), Failed> {
    let root = unpacked(archive)?;
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
    let ours = inst_bits(&records(archive, folder)?);
    let trim = |words: &[u64]| {
        let used = words.iter().rposition(|w| *w != 0).map_or(0, |at| at + 1);
        words.iter().take(used).copied().collect::<Vec<_>>()
    };
    let mut tally = Tally::default();
    for inst in &ours {
        let Some(words) = theirs.get(&inst.name) else { continue };
        let same = trim(words) == trim(&inst.value);
        tally.check(folder, &inst.name, same, || format!("{:x?}, not {words:x?}", inst.value));
    }
    Ok(tally.all_pass(&format!("{folder} fixed bits"))?)
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

fn random_words(archive: &Path, target: &Target) -> Result<(), Failed> {
    let lowered = lower(archive, target.folder, target.operands)?;
    let plan = plan(&lowered, target.triple, "", target.features);
    let isa = &lowered.isa;
    let root_space = &isa[isa.root()];
    let active: Vec<_> = root_space.encodings.iter().filter(|&&id| plan.active(&isa[id])).collect();
    let mut random = Random::new(0x9e37_79b9);
    let mut words = Vec::new();
    for i in 0..2 * WORDS {
        let limbs = random.limbs(256);
        let mut width = isa.format().max_bits;
        let mut word = Word::from_limbs(&limbs, width);
        if i % 2 == 0 {
            let e = &isa[**random.pick(&active)];
            width = e.width;
            word = word.resized(width).and_not(e.pattern.care()).or(e.pattern.value());
        } else if let Some(bits) = plan.length(&word.resized(isa.format().start_bits())) {
            word = word.resized(bits);
        }
        let mut bytes: Vec<u8> = word.le_bytes().collect();
        if isa.format().byte_order == ByteOrder::Big {
            bytes.reverse();
        }
        words.push(bytes);
    }
    let theirs = llvm_mc(target, &words)?;
    let mut tally = Tally::default();
    let mut valid = 0;
    for (word, theirs) in words.iter().zip(&theirs) {
        let ours = disassemble(&plan, word);
        let ours = match ours.as_slice() {
            [text] if !text.starts_with('<') => Some(text.clone()),
            _ => None,
        };
        valid += usize::from(ours.is_some());
        tally.check(target.folder, hex(word), ours == *theirs, || format!("{ours:?}, llvm-mc {theirs:?}"));
    }
    println!("{}: {valid} of {} words are valid", target.folder, words.len());
    if valid == 0 {
        return Err("no word is valid".into());
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "peer_words", &tally)?)
}

fn main() {
    let dir = corpus::folder("tablegen");
    let absent = dir.is_none();
    let archive = dir.unwrap_or_default().join("td.tar.xz");
    let mut trials = Vec::new();
    for folder in EMITTERS {
        let name = format!("tablegen: fixed bits of {folder} beside {TBLGEN}");
        let archive = archive.clone();
        trials.push(peer::trial(name, &[peer::LLVM_TBLGEN], move || emitter(&archive, folder)));
    }
    for target in TARGETS {
        let name = format!("tablegen: random words of {} beside {MC}", target.folder);
        let archive = archive.clone();
        trials.push(peer::trial(name, &[peer::LLVM_MC], move || random_words(&archive, target)));
    }
    if absent {
        trials = trials.into_iter().map(|trial| trial.with_ignored_flag(true)).collect();
    }
    suite::run(trials);
}
