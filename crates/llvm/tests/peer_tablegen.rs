//! LLVM's own programs beside this one: the fixed bits of every instruction beside `llvm-tblgen -gen-emitter`, and random
//! words beside `llvm-mc --disassemble`. Needs the targets of the corpus and Debian's LLVM 19.

mod target;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use isaglot_asm::{Assembler, Compat, Names, Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_llvm::inst_bits;
use isaglot_model::ByteOrder;
use isaglot_testing::corpus::{hex, unpacked};
use isaglot_testing::{Failed, Random, Tally, corpus, ledger, peer, suite};
use target::{disassemble, lower, plan, records, squeeze};

const TBLGEN: &str = "llvm-tblgen-19";
const MC: &str = "llvm-mc-19";

/// The release that is compared where the sources are those of LLVM 21: a binary distribution has no llvm-mc of that.
const NEWER_MC: &str = "llvm-mc-22";

/// Words of each kind that are compared.
const WORDS: usize = 3000;

/// Targets whose words that are not instructions here are left out. At most of VE's llvm-mc dies; of M68k's it refuses two bytes and prints what
/// the others are.
const SKIPPED: &[&str] = &["VE", "M68k"];

/// Texts with these are left out: LLVM's disassembler knows none of M68k's control registers of floating point, and dies at its `ccr`.
const ONLY_OURS: &[&str] = &["%fpcr", "%fpsr", "%fpiar", ", %ccr"];

/// The instruction of Xtensa whose number LLVM shifts twice, so that it prints 0.
const SHIFTED_TWICE: &str = "addmi ";

/// Targets whose fixed bits are compared.
const EMITTERS: &[&str] = &["RISCV", "LoongArch", "AArch64", "AMDGPU"];

/// A target whose random words are compared.
struct Target {
    folder: &'static str,
    operands: &'static str,
    triple: &'static str,
    features: &'static str,
    /// The sources are those of LLVM 21.
    newer: bool,
}

impl Target {
    /// The program that it is compared with.
    fn mc(&self) -> &'static str {
        if self.newer { NEWER_MC } else { MC }
    }

    /// The name under which its words stand in a ledger.
    fn name(&self) -> String {
        if self.newer { format!("{} 21", self.folder) } else { self.folder.to_owned() }
    }
}

const TARGETS: &[Target] = &[
    Target {
        folder: "LoongArch",
        operands: include_str!("../../../specs/llvm/loongarch.operands"),
        triple: "loongarch64",
        features: "",
        newer: false,
    },
    Target {
        folder: "VE",
        operands: include_str!("../../../specs/llvm/ve.operands"),
        triple: "ve",
        features: "",
        newer: false,
    },
    Target {
        folder: "Xtensa",
        operands: include_str!("../../../specs/llvm/xtensa.operands"),
        triple: "xtensa",
        features: "",
        newer: false,
    },
    Target {
        folder: "Xtensa",
        operands: include_str!("../../../specs/llvm/xtensa.operands"),
        triple: "xtensa",
        features: "+density,+windowed,+loop,+bool,+fp,+sext,+clamps,+nsa,+minmax,+mul16,+mul32,+mul32high,+div32,+mac16,\
                   +coprocessor,+dcache,+debug,+dfpaccel,+exception,+extendedl32r,+highpriinterrupts,\
                   +highpriinterrupts-level7,+interrupt,+miscsr,+prid,+regprotect,+rvector,+s32c1i,+threadptr,+timers3",
        newer: true,
    },
    Target {
        folder: "M68k",
        operands: include_str!("../../../specs/llvm/m68k.operands"),
        triple: "m68k",
        features: "",
        newer: false,
    },
    Target {
        folder: "XCore",
        operands: include_str!("../../../specs/llvm/xcore.operands"),
        triple: "xcore",
        features: "",
        newer: false,
    },
    Target {
        folder: "BPF",
        operands: include_str!("../../../specs/llvm/bpf.operands"),
        triple: "bpfel",
        features: "",
        newer: false,
    },
    Target {
        folder: "RISCV",
        operands: include_str!("../../../specs/llvm/riscv.operands"),
        triple: "riscv64",
        features: "+m,+a,+f,+d,+c,+v,+h,+zba,+zbb,+zbc,+zbs,+zbkb,+zbkc,+zbkx,+zfh,+zfa,+zcb,+zicbom,+zicbop,+zicboz,+zicond,\
                   +zknd,+zkne,+zknh,+zksed,+zksh,+svinval,+zawrs,+zvbb,+zvbc,+zvkned,+zvknhb,+zvksed,+zvksh,+zimop,+zcmop",
        newer: false,
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
    Ok(llvm_mc_warned(target, words)?.0)
}

/// The same, and which of them llvm-mc warns of.
#[allow(clippy::type_complexity, reason = "two lists beside each other")]
fn llvm_mc_warned(target: &Target, words: &[Vec<u8>]) -> Result<(Vec<Option<String>>, Vec<bool>), Failed> {
    let mut command = Command::new(target.mc());
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
    let written = writer.join().map_err(|_| "the writer failed")?;
    if output.status.code().is_none() {
        return Err("llvm-mc died".into());
    }
    written?;
    let (mut bad, mut warned) = (vec![false; words.len()], vec![false; words.len()]);
    for line in String::from_utf8_lossy(&output.stderr).lines().filter(|l| l.contains(": warning: ")) {
        let number = line.split(':').nth(1).and_then(|n| n.parse::<usize>().ok()).unwrap_or(0).wrapping_sub(1);
        let of = if line.contains("invalid instruction encoding") { &mut bad } else { &mut warned };
        if let Some(flag) = of.get_mut(number) {
            *flag = true;
        }
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines().map(squeeze).filter(|l| !l.is_empty() && !l.starts_with('.'));
    let texts: Vec<Option<String>> = bad.iter().map(|&bad| if bad { None } else { lines.next() }).collect();
    if lines.next().is_some() {
        return Err("llvm-mc printed more lines than words".into());
    }
    Ok((texts, warned))
}

/// Processors whose programs with blocks of conditions are compared.
const THUMB: [&str; 2] = ["thumbv7", "thumbv8.1m.main"];

/// Random programs of Thumb with IT and VPT blocks, instruction by instruction. What llvm-mc warns of in a block is undefined there.
fn thumb_blocks(archive: &Path, triple: &'static str) -> Result<(), Failed> {
    let lowered = lower(archive, "ARM", include_str!("../../../specs/llvm/arm.operands"))?;
    let vectors = triple == "thumbv8.1m.main";
    let features = if vectors { "+mve.fp,+fp64" } else { "" };
    let target = Target { folder: "ARM", operands: "", triple, features, newer: false };
    let plan = plan(&lowered, triple, "", features);
    let mut random = Random::new(0x7a3e);
    let opens = |bytes: &[u8]| {
        let word = Word::from_le_bytes(bytes, 8 * bytes.len() as u32);
        matches!(plan.decode(&word), isaglot_codec::Match::One(id) if !lowered.isa[id].opens.is_empty())
    };
    let mut pool: Vec<Vec<u8>> = Vec::new();
    while pool.len() < 2 * WORDS {
        let word = random.u64();
        let high = if vectors && word >> 40 & 1 == 0 { 0xec | (word >> 41 & 0x13) as u8 } else { (word >> 8) as u8 };
        let bytes = [word as u8, high, (word >> 16) as u8, (word >> 24) as u8];
        let size = if high >= 0xe8 { 4 } else { 2 };
        let bytes = bytes[..size].to_vec();
        // Floating-point instructions are not for VPT blocks, and llvm-mc does not say so.
        let is_float = vectors
            && size == 4
            && matches!(bytes[1], 0xec..=0xee | 0xfc..=0xfe)
            && matches!(bytes[3] & 15, 8..=11 | 15);
        let valid = matches!(disassemble(&plan, &bytes).as_slice(), [text] if !text.starts_with('<'));
        if valid && !opens(&bytes) && !is_float {
            pool.push(bytes);
        }
    }
    // What llvm-mc warns of, or refuses, outside of blocks is left out.
    let (texts, warned) = llvm_mc_warned(&target, &pool)?;
    let mut at = 0..pool.len();
    pool.retain(|_| at.next().is_some_and(|at| texts[at].is_some() && !warned[at]));
    let mut program = Vec::new();
    while program.len() < WORDS {
        let kind = random.u64();
        let mask = (kind >> 8 & 15).max(1);
        if kind & 3 == 0 {
            program.push(vec![(kind >> 16 & 15).min(13) as u8 * 16 + mask as u8, 0xbf]);
        } else if kind & 3 == 1 && vectors {
            let word = 0xfe31_0f4d_u32 | (mask as u32 >> 3) << 22 | (mask as u32 & 7) << 13;
            program.push(
                [(word >> 16).to_le_bytes(), word.to_le_bytes()].iter().flat_map(|half| half[..2].to_vec()).collect(),
            );
        }
        program.extend((0..4 - mask.trailing_zeros()).map(|_| random.pick(&pool).clone()));
    }
    let (theirs, warned) = llvm_mc_warned(&target, &program)?;
    let code: Vec<u8> = program.concat();
    let mut text = Vec::new();
    let mut stream = Stream::new(&plan, Options { show_errors: false, ..Options::default() }, 0);
    stream.feed(&code, &mut Plain, &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut tally = Tally::default();
    let mut sure = 0;
    for (((ours, theirs), warned), word) in text.lines().map(squeeze).zip(theirs).zip(warned).zip(&program) {
        if warned {
            continue;
        }
        sure += 1;
        tally.check(triple, hex(word), Some(&ours) == theirs.as_ref(), || format!("{ours:?}, llvm-mc {theirs:?}"));
    }
    println!("{triple}: {sure} instructions of {}", program.len());
    if sure < program.len() / 2 {
        return Err("llvm-mc warns of most of the program".into());
    }
    Ok(tally.all_pass(&format!("{triple} with blocks"))?)
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
    let text_of = |word: &[u8]| match disassemble(&plan, word).as_slice() {
        [text] if !text.starts_with('<') => Some(text.clone()),
        _ => None,
    };
    words.retain(|word| match text_of(word) {
        None => !SKIPPED.contains(&target.folder),
        Some(text) if target.folder == "Xtensa" => !text.starts_with(SHIFTED_TWICE),
        Some(text) => !ONLY_OURS.iter().any(|name| text.contains(name)),
    });
    let theirs = llvm_mc(target, &words)?;
    let mut tally = Tally::default();
    let mut valid = 0;
    for (word, theirs) in words.iter().zip(&theirs) {
        let ours = text_of(word);
        valid += usize::from(ours.is_some());
        tally.check(&target.name(), hex(word), ours == *theirs, || format!("{ours:?}, llvm-mc {theirs:?}"));
    }
    println!("{}: {valid} of {} words are valid", target.name(), words.len());
    if valid == 0 {
        return Err("no word is valid".into());
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "peer_words", &tally)?)
}

/// Texts without the `#` that the disassembler prints before numbers: what llvm-mc assembles of them, and to what.
fn unmarked(archive: &Path, target: &Target) -> Result<(), Failed> {
    let lowered = lower(archive, target.folder, target.operands)?;
    let plan = plan(&lowered, target.triple, "", target.features);
    let isa = &lowered.isa;
    let active: Vec<_> = isa[isa.root()].encodings.iter().filter(|&&id| plan.active(&isa[id])).collect();
    let mut random = Random::new(0x5eed);
    let mut texts = Vec::new();
    while texts.len() < WORDS {
        let e = &isa[**random.pick(&active)];
        let word = Word::from_limbs(&random.limbs(64), e.width).and_not(e.pattern.care()).or(e.pattern.value());
        let bytes: Vec<u8> = word.le_bytes().collect();
        if let [text] = disassemble(&plan, &bytes).as_slice()
            && !text.starts_with('<')
            && text.contains('#')
        {
            texts.push(text.replace('#', ""));
        }
    }
    let mut command = Command::new(MC);
    command.args(["--assemble", "--show-encoding"]).arg(format!("--triple={}", target.triple));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take().ok_or("no input")?;
    let input = texts.join("\n");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| "the writer failed")??;
    let mut refused = vec![false; texts.len()];
    for line in String::from_utf8_lossy(&output.stderr).lines().filter(|l| l.contains(": error: ")) {
        let number = line.split(':').nth(1).and_then(|n| n.parse::<usize>().ok()).unwrap_or(0).wrapping_sub(1);
        if let Some(flag) = refused.get_mut(number) {
            *flag = true;
        }
    }
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut encodings = printed.lines().filter_map(|line| {
        let (_, list) = line.split_once("encoding: [")?;
        Some(list.trim_end_matches(']').split(',').map(|byte| byte.trim_start_matches("0x")).collect::<String>())
    });
    let names = Names::default();
    let mut assembler = Assembler::new(&plan, &names, Compat::default());
    let mut tally = Tally::default();
    let mut taken = 0;
    for text in texts.iter().zip(refused).filter_map(|(text, refused)| (!refused).then_some(text)) {
        let theirs = encodings.next().ok_or("llvm-mc printed fewer encodings than lines")?;
        taken += 1;
        let ours = assembler.assemble(text.as_bytes()).map(|word| hex(&word.le_bytes().collect::<Vec<_>>()));
        let same = ours.as_ref().is_ok_and(|ours| *ours == theirs);
        tally.check(target.folder, text, same, || format!("{ours:?}, llvm-mc {theirs}"));
    }
    println!("{}: llvm-mc takes {taken} of {} texts without `#`", target.folder, texts.len());
    if taken < texts.len() / 2 {
        return Err("llvm-mc takes fewer than half of the texts".into());
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "peer_unmarked", &tally)?)
}

/// Targets whose numbers may be written without `#`.
const UNMARKED: &[Target] = &[
    Target {
        folder: "AArch64",
        operands: include_str!("../../../specs/llvm/aarch64.operands"),
        triple: "aarch64",
        features: "",
        newer: false,
    },
    Target {
        folder: "ARM",
        operands: include_str!("../../../specs/llvm/arm.operands"),
        triple: "armv7",
        features: "",
        newer: false,
    },
];

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
        let name = format!("tablegen: random words of {} beside {}", target.name(), target.mc());
        let archive = if target.newer { archive.with_file_name("td21.tar.xz") } else { archive.clone() };
        let peer = if target.newer { peer::LLVM_MC_22 } else { peer::LLVM_MC };
        trials.push(peer::trial(name, &[peer], move || random_words(&archive, target)));
    }
    for target in UNMARKED {
        let name = format!("tablegen: numbers of {} without `#` beside {MC}", target.folder);
        let archive = archive.clone();
        trials.push(peer::trial(name, &[peer::LLVM_MC], move || unmarked(&archive, target)));
    }
    for triple in THUMB {
        let name = format!("tablegen: programs of {triple} with blocks of conditions beside {MC}");
        let archive = archive.clone();
        trials.push(peer::trial(name, &[peer::LLVM_MC], move || thumb_blocks(&archive, triple)));
    }
    if absent {
        trials = trials.into_iter().map(|trial| trial.with_ignored_flag(true)).collect();
    }
    suite::run(trials);
}
