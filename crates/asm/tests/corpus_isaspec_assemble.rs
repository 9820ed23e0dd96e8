//! The assembler against the corpus of isaspec descriptions: vectors, pools, whole firmwares, mutated lines, and the
//! small descriptions that each pin one rule of printing.
//!
//! The corpus is found through `ISAGLOT_CORPUS`, else beside the workspace; without it the cases are reported as ignored.

use std::io::Read;
use std::path::{Path, PathBuf};

use isaglot_asm::assemble::source;
use isaglot_asm::{Assembler, Compat, Failure, Names, Options, Stream};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap, render};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// Description, gen: what the pools are of.
const POOLS: [(&str, u32); 5] = [("ir3", 600), ("ir3", 700), ("afuc", 6), ("afuc", 7), ("etnaviv", 0)];

/// Description, vectors that must give their exact word, vectors that only have to read and print back.
const VECTORS: [(&str, usize, usize); 3] = [("ir3", 322, 0), ("afuc", 345, 0), ("etnaviv", 144, 12)];

/// The lines that are mutated, all pools together.
const MUTATED: usize = 10_000;

fn corpus() -> Option<PathBuf> {
    let root = match std::env::var_os("ISAGLOT_CORPUS") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    };
    let path = root.join("isaspec");
    path.is_dir().then_some(path)
}

fn load(path: &Path) -> Result<Isa, Failed> {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let top = path.to_string_lossy();
    let isa =
        isaglot_isaspec::load(&mut files, &top, &mut |path| std::fs::read(path).map_err(|e| e.to_string()), &mut out);
    isa.ok_or_else(|| out.iter().map(|d| render::text(&files, d, false)).collect::<String>().into())
}

fn load_named(corpus: &Path, isa: &str) -> Result<Isa, Failed> {
    load(&corpus.join("xml").join(isa).join(format!("{isa}.xml")))
}

fn unpack(path: &Path) -> Result<Vec<u8>, Failed> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path)?).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn records(corpus: &Path, name: &str) -> Result<Vec<Value>, Failed> {
    let text = std::fs::read_to_string(corpus.join(name))?;
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// The text that a word prints as, without what is wrong with it.
fn print(plan: &Plan<'_>, names: &Names, word: &Word) -> Vec<u8> {
    let bytes: Vec<u8> = word.le_bytes().collect();
    let mut stream = Stream::new(plan, Options { show_errors: false, ..Options::default() }, bytes.len() as u64);
    let mut out = Vec::new();
    let mut hooks = names;
    stream.feed(&bytes, &mut hooks, &mut out);
    out.pop_if(|byte| *byte == b'\n');
    out
}

fn hex_word(hex: &str) -> Result<Word, Failed> {
    let mut word = Word::zero(hex.len() as u32 * 4);
    for (digit, at) in hex.chars().rev().zip(0u32..) {
        word.insert(at * 4, 4, u64::from(digit.to_digit(16).ok_or("a bad digit")?));
    }
    Ok(word)
}

fn names(corpus: &Path, file: &str) -> Result<Names, Failed> {
    let text = std::fs::read(corpus.join("reference").join(file))?;
    Names::parse(&text).map_err(|bad| format!("{file}: {bad:?}").into())
}

/// Every vector's text gives its word.
fn vectors(corpus: &Path, isa: &str, exact: usize, others: usize) -> Result<(), Failed> {
    let model = load_named(corpus, isa)?;
    let none = Names::default();
    let (mut passed, mut back) = (0, 0);
    let mut wrong = Vec::new();
    for record in records(corpus, &format!("{isa}.jsonl"))? {
        let generation = record["gen"].as_u64().ok_or("no gen")? as u32;
        let plan = Plan::new(&model, generation);
        let expected = record["expected"].as_str().ok_or("no text")?;
        // What is wrong with the word is no part of its text.
        let text = expected.split("\t;").next().unwrap_or(expected);
        let want = hex_word(record["hex"].as_str().ok_or("no word")?)?;
        let flagged = record["asm_fail"] == true;
        let is_data = record["data"] == true;
        // As a program of one line, so that words without a meaning count too.
        let got = one_line(&plan, &none, text);
        match got {
            Ok(word) if word == want && !flagged => passed += 1,
            Ok(word) if is_data && word == want => back += 1,
            Ok(word) if flagged && print(&plan, &none, &word) == text.as_bytes() => {
                back += 1;
                let why = if word == want {
                    "the word itself".to_owned()
                } else if expected != text {
                    format!("{}, without the don't-care bits", word.hex())
                } else {
                    format!("{}, which prints the same", word.hex())
                };
                println!("{isa} {}: `{text}` gives {why}", record["id"]);
            }
            Ok(word) => wrong.push(format!("{}: `{text}` gives {} for {}", record["id"], word.hex(), want.hex())),
            Err(message) => wrong.push(format!("{}: `{text}`: {message}", record["id"])),
        }
    }
    println!("{isa}.jsonl: {passed}/{exact} exact, {back}/{others} read and printed back");
    if (passed, back) == (exact, others) && wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The word of a program of one line.
fn one_line(plan: &Plan<'_>, names: &Names, text: &str) -> Result<Word, String> {
    let mut assembler = Assembler::new(plan, names, Compat::Mesa24);
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let file = files.add("line", text.as_bytes().to_vec());
    let image = source::assemble(&mut assembler, file, text.as_bytes(), false, &mut out);
    let image = image.ok_or_else(|| out.iter().map(|d| render::text(&files, d, false)).collect::<String>())?;
    let bytes = image.bytes();
    Ok(Word::from_le_bytes(&bytes, bytes.len() as u32 * 8))
}

/// The texts of afuc's vectors as they stand in the reference disassembly, with names and labels, in their section.
fn afuc_in_context(corpus: &Path) -> Result<(), Failed> {
    let model = load_named(corpus, "afuc")?;
    let mut sections: Vec<(String, u32, Vec<Value>)> = Vec::new();
    for record in records(corpus, "afuc.jsonl")? {
        let key = format!("{} {}", record["file"], record["section"]);
        let generation = record["gen"].as_u64().ok_or("no gen")? as u32;
        match sections.last_mut().filter(|(last, ..)| *last == key) {
            Some((.., list)) => list.push(record),
            None => sections.push((key, generation, vec![record])),
        }
    }
    let mut passed = 0;
    for (key, generation, records) in sections {
        let plan = Plan::new(&model, generation);
        let names = names(corpus, if generation == 6 { "names_6ee.txt" } else { "names_730.txt" })?;
        let mut assembler = Assembler::new(&plan, &names, Compat::Mesa24);
        let mut text = String::new();
        for record in &records {
            for label in record["labels_before"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                text += &format!("{label}\n");
            }
            text += &format!("{}\n", record["in_context"].as_str().ok_or("no text")?);
        }
        text += ".jumptbl\n";
        let text = if text.contains("jumptbl:") { text } else { text.replace(".jumptbl\n", "jumptbl:\n.jumptbl\n") };
        let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
        let file = files.add(key.clone(), text.as_bytes().to_vec());
        let image = source::assemble(&mut assembler, file, text.as_bytes(), false, &mut out);
        let Some(image) = image else {
            return Err(out.iter().map(|d| render::text(&files, d, false)).collect::<String>().into());
        };
        let bytes = image.bytes();
        for (record, got) in records.iter().zip(bytes.chunks(4)) {
            let want = hex_word(record["hex"].as_str().ok_or("no word")?)?;
            let got = Word::from_le_bytes(got, 32);
            if got != want {
                return Err(format!("{key} {}: {} for {}", record["in_context"], got.hex(), want.hex()).into());
            }
            passed += 1;
        }
    }
    println!("afuc.jsonl with names and labels: {passed}/345");
    if passed == 345 { Ok(()) } else { Err("vectors are missing".into()) }
}

/// Every text of a pool assembles; the word prints it; it is the pool's word if no other prints it.
fn pool(corpus: &Path, isa: &str, generation: u32) -> Result<(), Failed> {
    let model = load_named(corpus, isa)?;
    let plan = Plan::new(&model, generation);
    let none = Names::default();
    let mut assembler = Assembler::new(&plan, &none, Compat::Mesa24);
    let folder = corpus.join("corpus");
    let text = unpack(&folder.join(format!("{isa}.gen{generation}.pool.txt.gz")))?;
    let bytes = unpack(&folder.join(format!("{isa}.gen{generation}.pool.bin.gz")))?;
    let size = assembler.place_bytes() as usize;
    let (mut total, mut exact, mut shared) = (0, 0, 0);
    for (line, want) in text.split(|&b| b == b'\n').zip(bytes.chunks(size)) {
        total += 1;
        let want = Word::from_le_bytes(want, size as u32 * 8);
        let shown = || String::from_utf8_lossy(line).into_owned();
        let word = assembler.assemble(line).map_err(|failure| format!("`{}`: {failure:?}", shown()))?;
        if word == want {
            exact += 1;
            continue;
        }
        // Another word: then the text must be that of both.
        let printed = print(&plan, &none, &word);
        if printed != line {
            return Err(format!(
                "`{}` gives {}, which prints `{}`",
                shown(),
                word.hex(),
                String::from_utf8_lossy(&printed)
            )
            .into());
        }
        shared += 1;
    }
    println!(
        "{isa} gen {generation}: {total} assemble and print back; {exact} the pool's word, {shared} another with the same text"
    );
    if total != 20_000 {
        return Err(format!("{total} lines in a pool of 20000").into());
    }
    if isa == "afuc" && exact != total {
        return Err("every text of afuc belongs to one word".into());
    }
    Ok(())
}

/// The labels of jump table entries by number, as the order of the source tells: runs of labels are consecutive
/// entries, `UNKN` labels say their number, and what is defined elsewhere leaves a gap.
fn entry_names(source: &str) -> Result<Names, Failed> {
    // The entries that the firmwares implement, as the packet numbers of the hardware.
    const IMPLEMENTED: [(&str, u64); 9] = [
        ("CP_ME_INIT", 0x48),
        ("CP_MEM_WRITE", 0x3d),
        ("CP_SCRATCH_WRITE", 0x4c),
        ("CP_SET_DRAW_STATE", 0x43),
        ("CP_SET_BIN_DATA5", 0x2f),
        ("CP_SET_SECURE_MODE", 0x66),
        ("CP_REG_RMW", 0x21),
        ("CP_MEMCPY", 0x75),
        ("CP_MEM_TO_MEM", 0x73),
    ];
    let mut entries: Vec<(String, u64, Vec<u8>)> = Vec::new();
    let mut next = 0u64;
    let mut taken: Vec<u64> = IMPLEMENTED.iter().map(|(_, number)| *number).collect();
    // 15 stands alone in the source, outside of the run.
    taken.push(15);
    for (name, number) in IMPLEMENTED {
        entries.push((".jumptbl".to_owned(), number, name.as_bytes().to_vec()));
    }
    let mut in_run = false;
    for line in source.lines().map(str::trim) {
        if line == "UNKN0:" && !in_run {
            (in_run, next) = (true, 0);
        }
        let Some(label) = line.strip_suffix(':').filter(|_| in_run) else {
            in_run = in_run && line.is_empty();
            continue;
        };
        while taken.contains(&next) {
            next += 1;
        }
        if let Some(number) = label.strip_prefix("UNKN") {
            let number: u64 = number.parse().map_err(|_| format!("label {label}"))?;
            if number != next {
                return Err(format!("{label} stands at entry {next}").into());
            }
        }
        entries.push((".jumptbl".to_owned(), next, label.as_bytes().to_vec()));
        next += 1;
    }
    Ok(Names::new(entries))
}

/// A firmware's source, and its reference disassembly, assemble to the firmware.
fn firmware(corpus: &Path, name: &str, generation: u32, names_file: &str) -> Result<(), Failed> {
    let model = load_named(corpus, "afuc")?;
    let plan = Plan::new(&model, generation);
    let folder = corpus.join("reference");
    let want = std::fs::read(folder.join(format!("{name}.fw")))?;
    let input = std::fs::read_to_string(folder.join(format!("{name}.asm-input.asm")))?;
    let mut names = names(corpus, names_file)?;
    names.extend(&entry_names(&input)?);
    for name in ["IN_PREEMPT", "UNKN15"] {
        names.extend(&Names::new([(".jumptbl".to_owned(), 15, name.as_bytes().to_vec())]));
    }
    for source in ["asm-input", "disasm-reference"] {
        let path = folder.join(format!("{name}.{source}.asm"));
        let text = std::fs::read(&path)?;
        let names = if source == "asm-input" { names.clone() } else { with_all_labels(&names, &text) };
        let mut assembler = Assembler::new(&plan, &names, Compat::Mesa24);
        let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
        let file = files.add(path.to_string_lossy(), text.clone());
        let image = source::assemble(&mut assembler, file, &text, false, &mut out);
        let Some(image) = image else {
            return Err(out.iter().map(|d| render::text(&files, d, false)).collect::<String>().into());
        };
        // A firmware file begins with a zero word that is part of no section.
        let mut got = vec![0; 4];
        got.extend(image.bytes());
        if got != want {
            let at = got.iter().zip(&want).position(|(a, b)| a != b).unwrap_or(got.len().min(want.len()));
            return Err(format!(
                "{name}.{source}: {} bytes for {}, different from byte {at} on",
                got.len(),
                want.len()
            )
            .into());
        }
        println!("{name}.{source}.asm: {} bytes, as in {name}.fw", got.len());
    }
    Ok(())
}

/// The names, with entries for the labels that they do not know. The reference names entries after one chip; all such
/// labels stand at one place, where entries without a function lead, so which is which does not show.
fn with_all_labels(names: &Names, text: &[u8]) -> Names {
    let mut names = names.clone();
    let mut taken: Vec<u64> = names.entries(".jumptbl").map(|(entry, _)| entry).collect();
    let text = String::from_utf8_lossy(text);
    let labels: Vec<&str> = text.lines().filter_map(|line| line.strip_suffix(':')).collect();
    let known: Vec<Vec<u8>> = names.entries(".jumptbl").map(|(_, name)| name.to_vec()).collect();
    let is_entry = |label: &&&str| label.starts_with("CP_") || label.starts_with("IN_") || label.starts_with("PKT");
    // An entry whose name the text does not have is called otherwise there.
    let here = |name: &[u8]| labels.iter().any(|label| label.as_bytes() == name);
    taken.retain(|entry| names.entries(".jumptbl").any(|(other, name)| other == *entry && here(name)));
    taken.extend(labels.iter().filter_map(|label| label.strip_prefix("UNKN")?.parse::<u64>().ok()));
    let mut free = (0..128).filter(|entry| !taken.contains(entry)).collect::<Vec<u64>>().into_iter();
    for label in labels.iter().filter(is_entry) {
        if !known.iter().any(|name| name == label.as_bytes())
            && let Some(entry) = free.next()
        {
            names.extend(&Names::new([(".jumptbl".to_owned(), entry, label.as_bytes().to_vec())]));
        }
    }
    names
}

/// The sections of the firmwares, disassembled with labels and names, are the reference's text; and that text, with the
/// words that are no instructions as data, assembles to the section again.
fn sections(corpus: &Path) -> Result<(), Failed> {
    let model = load_named(corpus, "afuc")?;
    let mut passed = 0;
    for record in records(corpus, "afuc_sections.jsonl")? {
        let generation = record["gen"].as_u64().ok_or("no gen")? as u32;
        let plan = Plan::new(&model, generation);
        let custom = record["custom_names"].as_object().ok_or("no names")?;
        let names = Names::new(custom.iter().filter_map(|(key, text)| {
            let (field, value) = key.split_once(':')?;
            Some((field.to_owned(), value.parse().ok()?, text.as_str()?.as_bytes().to_vec()))
        }));
        let expected = record["expected_text"].as_str().ok_or("no text")?;
        let mut words = Vec::new();
        for word in record["words"].as_array().ok_or("no words")? {
            let word = hex_word(word.as_str().ok_or("no word")?)?;
            words.extend(word.le_bytes());
        }
        let mut assembler = Assembler::new(&plan, &names, Compat::Mesa24);
        let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
        let file = files.add("section", expected.as_bytes().to_vec());
        let Some(image) = source::assemble(&mut assembler, file, expected.as_bytes(), false, &mut out) else {
            return Err(out.iter().map(|d| render::text(&files, d, false)).collect::<String>().into());
        };
        if image.bytes() != words {
            return Err(format!("section {}: other bytes", record["section"]).into());
        }
        passed += 1;
    }
    println!("afuc_sections.jsonl: {passed}/4 texts assemble to their words");
    if passed == 4 { Ok(()) } else { Err("sections are missing".into()) }
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % sides.max(1)
    }
}

/// Lines with a few bytes changed, inserted, dropped or doubled: each gives a word that prints as the text reads, or an
/// error at a place of the line.
fn mutated(corpus: &Path) -> Result<(), Failed> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut words, mut errors) = (0, 0);
    for (isa, generation) in POOLS {
        let model = load_named(corpus, isa)?;
        let plan = Plan::new(&model, generation);
        let none = Names::default();
        let mut assembler = Assembler::new(&plan, &none, Compat::Mesa24);
        let text = unpack(&corpus.join("corpus").join(format!("{isa}.gen{generation}.pool.txt.gz")))?;
        let lines: Vec<&[u8]> = text.split(|&b| b == b'\n').filter(|line| !line.is_empty()).collect();
        for _ in 0..MUTATED / POOLS.len() {
            let mut line = lines[dice.roll(lines.len())].to_vec();
            for _ in 0..1 + dice.roll(3) {
                let at = dice.roll(line.len() + 1);
                let byte = b" ,.()[]<>#+-0123456789abcdefrxyzhu\xff\0"[dice.roll(36)];
                match dice.roll(4) {
                    0 => line.insert(at, byte),
                    1 if at < line.len() => drop(line.remove(at)),
                    2 if at < line.len() => line[at] = byte,
                    _ => {
                        let piece = line[at..line.len().min(at + dice.roll(9))].to_vec();
                        line.splice(at..at, piece);
                    }
                }
            }
            let shown = String::from_utf8_lossy(&line).into_owned();
            match assembler.assemble(&line) {
                Ok(word) => {
                    words += 1;
                    // What it prints is the line, but for blanks and the way numbers are written; and comes back.
                    let printed = print(&plan, &none, &word);
                    let again = assembler.assemble(&printed).map_err(|f| format!("`{shown}`: {f:?}"))?;
                    if print(&plan, &none, &again) != printed || tokens(&printed) != tokens(&line) {
                        return Err(format!("`{shown}` gives `{}`", String::from_utf8_lossy(&printed)).into());
                    }
                }
                Err(failure) => {
                    errors += 1;
                    let at = match &failure {
                        Failure::Unknown { at, .. } | Failure::Value { at, .. } => at.0,
                        Failure::Expected { at, .. } | Failure::Contradiction { at, .. } => *at,
                        Failure::Ambiguous { .. } => 0,
                        Failure::TooLong | Failure::TooHard => return Err(format!("`{shown}`: {failure:?}").into()),
                    };
                    if at > line.len() {
                        return Err(format!("`{shown}`: place {at} is not in the line").into());
                    }
                }
            }
        }
    }
    println!("{MUTATED} mutated lines: {words} words that print back, {errors} errors with their place");
    Ok(())
}

/// A text without blanks, and with its numbers as values: what must not change.
fn tokens(text: &[u8]) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        if matches!(byte, b' ' | b'\t') {
            at += 1;
            continue;
        }
        let based = |prefix: &[u8], base: u32| {
            let digits = rest.strip_prefix(prefix)?;
            let len = digits.iter().take_while(|b| char::from(**b).is_digit(base)).count();
            let text = std::str::from_utf8(digits.get(..len)?).ok()?;
            Some((u128::from_str_radix(text, base).ok()?.to_string(), prefix.len() + len))
        };
        if let Some((value, len)) = based(b"0b", 2).or_else(|| based(b"0o", 8)) {
            list.push(value);
            at += len;
            continue;
        }
        let hex = rest.strip_prefix(b"0x").map_or(0, |d| d.iter().take_while(|b| b.is_ascii_hexdigit()).count());
        let decimal = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let number = |digits: &[u8], base| {
            let digits = std::str::from_utf8(digits).unwrap_or("");
            u128::from_str_radix(digits, base).map_or_else(|_| digits.to_owned(), |value| value.to_string())
        };
        let fraction = rest.get(decimal) == Some(&b'.') && rest.get(decimal + 1).is_some_and(u8::is_ascii_digit);
        if decimal > 0 && fraction {
            // The number that a float is nearest to need not print as it was written.
            list.push("float".to_owned());
            at += decimal + 1;
            at += text[at..].iter().take_while(|b| b.is_ascii_digit()).count();
            if let [b'e' | b'E', rest @ ..] = &text[at..] {
                let sign = usize::from(matches!(rest, [b'+' | b'-', ..]));
                let digits = rest[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
                at += if digits > 0 { 1 + sign + digits } else { 0 };
            }
        } else if hex > 0 {
            list.push(number(&rest[2..2 + hex], 16));
            at += 2 + hex;
        } else if decimal > 0 {
            list.push(number(&rest[..decimal], 10));
            at += decimal;
        } else {
            list.push(char::from(byte).to_string());
            at += 1;
        }
    }
    // An offset of 0 may be written or not, and 0 has no sign; `+2` where an operand begins is 2.
    let mut kept: Vec<String> = Vec::new();
    for token in summed(list) {
        let begins = matches!(kept.as_slice(), [.., before, sign] if sign == "+" && [",", "(", "[", "<", "#"].contains(&before.as_str()));
        if begins && token.bytes().all(|b| b.is_ascii_digit()) {
            kept.pop();
        }
        // `3 << 7` is the number that it comes to.
        if let ([.., value, a, b], Ok(by)) = (kept.as_slice(), token.parse::<u32>())
            && a == "<"
            && b == "<"
            && let Some(value) = value.parse::<u128>().ok().and_then(|v| v.checked_shl(by))
        {
            kept.truncate(kept.len() - 3);
            kept.push(value.to_string());
            continue;
        }
        if token != "0" {
            kept.push(token);
        } else {
            kept.pop_if(|last| last == "+" || last == "-");
        }
    }
    kept
}

/// Sums of numbers as the numbers that they come to: `1 + 4` is 5, and `- 40 + 96` is `+ 56`.
fn summed(list: Vec<String>) -> Vec<String> {
    let number = |token: Option<&String>| token.and_then(|t| t.parse::<i128>().ok());
    let sign = |token: Option<&String>| {
        token.and_then(|t| ["+", "-"].iter().position(|s| s == t)).map(|at| 1 - 2 * at as i128)
    };
    let mut kept: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(token) = list.get(at) {
        at += 1;
        // The number of a register is none.
        let named = kept.last().is_some_and(|t| t == "$" || t == "." || t.chars().all(char::is_alphabetic));
        let Some(mut value) = number(Some(token)).filter(|_| !named) else {
            kept.push(token.clone());
            continue;
        };
        while let [.., first, second] = kept.as_slice()
            && let (Some(first), Some(second)) = (sign(Some(first)), sign(Some(second)))
        {
            kept.truncate(kept.len() - 2);
            kept.push(if first == second { "+" } else { "-" }.to_owned());
        }
        let mut terms = 1;
        let before = sign(kept.last());
        value *= before.unwrap_or(1);
        while let (Some(by), Some(more)) = (sign(list.get(at)), number(list.get(at + 1))) {
            value += by * more;
            at += 2;
            terms += 1;
        }
        if terms == 1 {
            kept.push(token.clone());
            continue;
        }
        if before.is_some() || value < 0 {
            kept.truncate(kept.len() - usize::from(before.is_some()));
            kept.push(if value < 0 { "-" } else { "+" }.to_owned());
        }
        kept.push(value.abs().to_string());
    }
    kept
}

/// Every line that a small description prints without an error reads back as a word that prints so.
fn micro(corpus: &Path) -> Result<(), Failed> {
    let (mut lines, mut specs, mut ambiguous) = (0, 0, 0);
    let mut refused = Vec::new();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(corpus.join("micro"))?.flatten().map(|e| e.path()).collect();
    folders.sort();
    for folder in folders {
        let meta: Value = serde_json::from_str(&std::fs::read_to_string(folder.join("meta.json"))?)?;
        let generation = meta["gen"].as_u64().unwrap_or(0) as u32;
        let model = load(&folder.join("spec.xml"))?;
        let plan = Plan::new(&model, generation);
        let none = Names::default();
        let mut assembler = Assembler::new(&plan, &none, Compat::Mesa24);
        let input = std::fs::read(folder.join("in.bin"))?;
        specs += 1;
        for chunk in input.chunks_exact(assembler.place_bytes() as usize) {
            let mut stream = Stream::new(&plan, Options::default(), chunk.len() as u64);
            let mut out = Vec::new();
            stream.feed(chunk, &mut &none, &mut out);
            let text = out.strip_suffix(b"\n").unwrap_or(&out);
            // Lines with an error are not what an assembler should give; a blank at an end is lost in a source.
            let bad = text.windows(3).any(|three| three == b"\t; ") || text.starts_with(b"no match");
            if bad || text.is_empty() || text.contains(&b'\n') || text != text.trim_ascii() {
                continue;
            }
            lines += 1;
            match assembler.assemble(text) {
                // Texts of two encodings are there to be told apart by nobody.
                Err(Failure::Ambiguous { words })
                    if words.len() > 1 && words.iter().all(|(word, _)| print(&plan, &none, word) == text) =>
                {
                    ambiguous += 1;
                }
                Ok(word) if print(&plan, &none, &word) == text => {}
                other => refused.push(format!(
                    "{}: `{}`: {other:?}",
                    folder.file_name().unwrap_or_default().to_string_lossy(),
                    String::from_utf8_lossy(text)
                )),
            }
        }
    }
    println!(
        "micro: {}/{lines} lines of {specs} descriptions read back, {ambiguous} are refused as ambiguous",
        lines - refused.len() - ambiguous
    );
    if refused.is_empty() { Ok(()) } else { Err(refused.join("\n").into()) }
}

/// A case, given the folder of the corpus.
type Case = Box<dyn FnOnce(&Path) -> Result<(), Failed> + Send>;

fn main() {
    let args = Arguments::from_args();
    let corpus = corpus();
    if corpus.is_none() {
        println!("no corpus: set ISAGLOT_CORPUS; the isaspec assembler cases are ignored");
    }
    let ignored = corpus.is_none();
    let root = corpus.unwrap_or_default();
    let mut trials = Vec::new();
    let mut add = |name: String, run: Case| {
        let root = root.clone();
        trials.push(Trial::test(name, move || run(&root)).with_ignored_flag(ignored));
    };
    for (isa, exact, others) in VECTORS {
        add(format!("isaspec/vectors/{isa}"), Box::new(move |root| vectors(root, isa, exact, others)));
    }
    add("isaspec/vectors/afuc-in-context".to_owned(), Box::new(afuc_in_context));
    for (isa, generation) in POOLS {
        add(format!("isaspec/pool/{isa}-{generation}"), Box::new(move |root| pool(root, isa, generation)));
    }
    for (name, generation, file) in [("afuc_test", 6, "names_6ee.txt"), ("afuc_test_a7xx", 7, "names_730.txt")] {
        add(format!("isaspec/firmware/{name}"), Box::new(move |root| firmware(root, name, generation, file)));
    }
    add("isaspec/firmware/sections".to_owned(), Box::new(sections));
    add("isaspec/mutated".to_owned(), Box::new(mutated));
    add("isaspec/micro".to_owned(), Box::new(micro));
    libtest_mimic::run(&args, trials).exit();
}
