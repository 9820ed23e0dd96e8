//! The assembler against the corpus of isaspec descriptions: vectors, pools, whole firmwares, mutated lines, and the
//! small descriptions that each pin one rule of printing.

use std::path::Path;

use isaglot_asm::assemble::source;
use isaglot_asm::{Assembler, Compat, Failure, Names, Options, Stream};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::{Failed, Random, Tally, corpus, ledger, suite};
use libtest_mimic::Trial;
use serde_json::Value;

/// The lines of each pool that are mutated.
const MUTATED: usize = 2_000;

fn main() {
    suite::run_corpus("isaspec", trials);
}

/// A test of one part of the corpus.
type Check = Box<dyn FnOnce(&Path) -> Result<(), Failed> + Send>;

fn trials(folder: &Path) -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut add = |name: &str, run: Check| {
        let folder = folder.to_owned();
        trials.push(Trial::test(format!("isaspec/{name}"), move || run(&folder)));
    };
    for isa in ["ir3", "afuc", "etnaviv"] {
        add(&format!("vectors/{isa}"), Box::new(move |folder| vectors(folder, isa)));
    }
    add("vectors/afuc-in-context", Box::new(afuc_in_context));
    for pool in Pool::all(folder) {
        let mutations = pool.clone();
        add(&format!("pool/{}-{}", pool.isa, pool.generation), Box::new(move |folder| pool.check(folder)));
        let name = format!("mutated/{}-{}", mutations.isa, mutations.generation);
        add(&name, Box::new(move |folder| mutated(folder, &mutations)));
    }
    for (name, generation, file) in [("afuc_test", 6, "names_6ee.txt"), ("afuc_test_a7xx", 7, "names_730.txt")] {
        add(&format!("firmware/{name}"), Box::new(move |folder| firmware(folder, name, generation, file)));
    }
    add("firmware/sections", Box::new(sections));
    add("micro", Box::new(micro));
    trials
}

fn load(path: &Path) -> Result<Isa, String> {
    isaglot_isaspec::oracle::load(path, &mut corpus::load)
}

fn load_named(folder: &Path, isa: &str) -> Result<Isa, String> {
    load(&folder.join("xml").join(isa).join(format!("{isa}.xml")))
}

fn problems(out: &Diagnostics) -> String {
    out.iter().map(|d| format!("{}: {}\n", d.code, d.message)).collect()
}

fn records(folder: &Path, name: &str) -> Result<Vec<Value>, Failed> {
    let text = corpus::text(&folder.join(name))?;
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
    Ok(Word::parse_digits(hex, 4, hex.len() as u32 * 4).map_err(|e| e.to_string())?)
}

fn names(folder: &Path, file: &str) -> Result<Names, Failed> {
    let text = corpus::bytes(&folder.join("reference").join(file))?;
    Names::parse(&text).map_err(|bad| format!("{file}: {bad:?}").into())
}

/// A whole source in bytes.
fn assemble(plan: &Plan<'_>, names: &Names, name: &str, text: &[u8]) -> Result<Vec<u8>, String> {
    let mut assembler = Assembler::new(plan, names, Compat::Mesa24);
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let file = files.add(name, text.to_vec());
    let image = source::assemble(&mut assembler, file, text, false, &mut out);
    image.map(|image| image.bytes()).ok_or_else(|| problems(&out))
}

/// Every vector's text gives a word that prints as it. Where that is not the vector's word, the ledger has the row.
fn vectors(folder: &Path, isa: &str) -> Result<(), Failed> {
    let model = load_named(folder, isa)?;
    let none = Names::default();
    let (mut exact, mut back) = (Tally::default(), Tally::default());
    let file = format!("{isa}.jsonl");
    for record in records(folder, &file)? {
        let generation = record["gen"].as_u64().ok_or("no gen")? as u32;
        let plan = Plan::new(&model, generation);
        let expected = record["expected"].as_str().ok_or("no text")?;
        // What is wrong with the word is no part of its text.
        let text = expected.split("\t;").next().unwrap_or(expected);
        let want = hex_word(record["hex"].as_str().ok_or("no word")?)?;
        // As a program of one line, so that words without a meaning count too.
        let got = assemble(&plan, &none, "line", text.as_bytes()).map(|b| Word::from_le_bytes(&b, b.len() as u32 * 8));
        let is_same = got.as_ref().is_ok_and(|got| *got == want);
        exact.check(&file, &record["id"], is_same, || match &got {
            Ok(_) if expected != text => "don't-care bits are not in the text".to_owned(),
            Ok(_) => "another word has the same text".to_owned(),
            Err(message) => message.clone(),
        });
        back.row(
            &file,
            &record["id"],
            match &got {
                Ok(word) if *word == want || print(&plan, &none, word) == text.as_bytes() => Ok(()),
                Ok(word) => Err(format!("`{text}` gives {} for {}", word.hex(), want.hex())),
                Err(message) => Err(message.clone()),
            },
        );
    }
    back.all_pass("vectors that print back")?;
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "isaspec_vectors", &exact)?)
}

/// The texts of afuc's vectors as they stand in the reference disassembly, with names and labels, in their section.
fn afuc_in_context(folder: &Path) -> Result<(), Failed> {
    let model = load_named(folder, "afuc")?;
    let mut sections: Vec<(String, u32, Vec<Value>)> = Vec::new();
    for record in records(folder, "afuc.jsonl")? {
        let key = format!("{} {}", record["file"], record["section"]);
        let generation = record["gen"].as_u64().ok_or("no gen")? as u32;
        match sections.last_mut().filter(|(last, ..)| *last == key) {
            Some((.., list)) => list.push(record),
            None => sections.push((key, generation, vec![record])),
        }
    }
    let mut tally = Tally::default();
    for (key, generation, records) in sections {
        let plan = Plan::new(&model, generation);
        let names = names(folder, if generation == 6 { "names_6ee.txt" } else { "names_730.txt" })?;
        let mut text = String::new();
        for record in &records {
            for label in record["labels_before"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                text += &format!("{label}\n");
            }
            text += &format!("{}\n", record["in_context"].as_str().ok_or("no text")?);
        }
        text += ".jumptbl\n";
        let text = if text.contains("jumptbl:") { text } else { text.replace(".jumptbl\n", "jumptbl:\n.jumptbl\n") };
        let bytes = assemble(&plan, &names, &key, text.as_bytes())?;
        for (record, got) in records.iter().zip(bytes.chunks(4)) {
            let want = hex_word(record["hex"].as_str().ok_or("no word")?)?;
            let got = Word::from_le_bytes(got, 32);
            tally.check("afuc.jsonl", &record["id"], got == want, || {
                format!("{}: {} for {}", record["in_context"], got.hex(), want.hex())
            });
        }
    }
    Ok(tally.all_pass("afuc.jsonl with names and labels")?)
}

/// Texts of one instruction set, and their words.
#[derive(Clone)]
struct Pool {
    file: String,
    isa: String,
    generation: u32,
}

impl Pool {
    /// Those of the corpus: `ISA.genN.pool.txt.gz`, with the words in `ISA.genN.pool.bin.gz`.
    fn all(folder: &Path) -> Vec<Pool> {
        let pool = |path: &Path| {
            let file = corpus::name(path).strip_suffix(".txt.gz")?.to_owned();
            let (isa, generation) = file.strip_suffix(".pool")?.split_once(".gen")?;
            Some(Pool { isa: isa.to_owned(), generation: generation.parse().ok()?, file })
        };
        corpus::files(&folder.join("corpus"), ".pool.txt.gz").iter().filter_map(|path| pool(path)).collect()
    }

    fn text(&self, folder: &Path) -> Result<Vec<u8>, String> {
        corpus::bytes(&folder.join("corpus").join(format!("{}.txt.gz", self.file)))
    }

    /// Every text assembles to a word that prints as it: the pool's, or another one with the same text. Every text of
    /// afuc belongs to one word.
    fn check(&self, folder: &Path) -> Result<(), Failed> {
        let model = load_named(folder, &self.isa)?;
        let plan = Plan::new(&model, self.generation);
        let none = Names::default();
        let mut assembler = Assembler::new(&plan, &none, Compat::Mesa24);
        let bytes = corpus::bytes(&folder.join("corpus").join(format!("{}.bin.gz", self.file)))?;
        let size = assembler.place_bytes() as usize;
        let (mut tally, mut others) = (Tally::default(), 0);
        let text = self.text(folder)?;
        for (number, (line, want)) in text.split(|&b| b == b'\n').zip(bytes.chunks(size)).enumerate() {
            let want = Word::from_le_bytes(want, size as u32 * 8);
            let result = match assembler.assemble(line) {
                Ok(word) if word == want => Ok(()),
                Ok(word) if self.isa == "afuc" => Err(format!("gives {}", word.hex())),
                Ok(word) => {
                    others += 1;
                    let printed = print(&plan, &none, &word);
                    let shown = String::from_utf8_lossy(&printed);
                    if printed == line { Ok(()) } else { Err(format!("gives {}, which prints `{shown}`", word.hex())) }
                }
                Err(failure) => Err(format!("{failure:?}")),
            };
            tally.row(&self.file, number + 1, result);
        }
        println!("{}: {others} texts give another word that prints the same", self.file);
        Ok(tally.all_pass("pool")?)
    }
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
fn firmware(folder: &Path, name: &str, generation: u32, names_file: &str) -> Result<(), Failed> {
    let model = load_named(folder, "afuc")?;
    let plan = Plan::new(&model, generation);
    let reference = folder.join("reference");
    let want = std::fs::read(reference.join(format!("{name}.fw")))?;
    let input = std::fs::read_to_string(reference.join(format!("{name}.asm-input.asm")))?;
    let mut names = names(folder, names_file)?;
    names.extend(&entry_names(&input)?);
    for name in ["IN_PREEMPT", "UNKN15"] {
        names.extend(&Names::new([(".jumptbl".to_owned(), 15, name.as_bytes().to_vec())]));
    }
    for source in ["asm-input", "disasm-reference"] {
        let path = reference.join(format!("{name}.{source}.asm"));
        let text = std::fs::read(&path)?;
        let names = if source == "asm-input" { names.clone() } else { with_all_labels(&names, &text) };
        // A firmware file begins with a zero word that is part of no section.
        let mut got = vec![0; 4];
        got.extend(assemble(&plan, &names, &path.to_string_lossy(), &text)?);
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
/// invalid words as data, assembles to the section again.
fn sections(folder: &Path) -> Result<(), Failed> {
    let model = load_named(folder, "afuc")?;
    let mut tally = Tally::default();
    for record in records(folder, "afuc_sections.jsonl")? {
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
        let got = assemble(&plan, &names, "section", expected.as_bytes());
        let result = got.and_then(|got| if got == words { Ok(()) } else { Err("other bytes".to_owned()) });
        tally.row("afuc_sections.jsonl", &record["section"], result);
    }
    Ok(tally.all_pass("sections")?)
}

/// Lines with a few bytes changed, inserted, dropped or doubled: each gives a word that prints as the text reads, or an
/// error at a place of the line.
fn mutated(folder: &Path, pool: &Pool) -> Result<(), Failed> {
    let mut random = Random::new(1);
    let model = load_named(folder, &pool.isa)?;
    let plan = Plan::new(&model, pool.generation);
    let none = Names::default();
    let mut assembler = Assembler::new(&plan, &none, Compat::Mesa24);
    let text = pool.text(folder)?;
    let lines: Vec<&[u8]> = text.split(|&b| b == b'\n').filter(|line| !line.is_empty()).collect();
    let mut words = 0;
    for _ in 0..MUTATED {
        let line = mutate(lines[random.index(lines.len())], &mut random);
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
                let at = match &failure {
                    Failure::Unknown { at, .. } | Failure::Value { at, .. } => at.0,
                    Failure::Expected { at, .. } | Failure::Contradiction { at, .. } => *at,
                    Failure::Ambiguous { .. } => 0,
                    _ => return Err(format!("`{shown}`: {failure:?}").into()),
                };
                if at > line.len() {
                    return Err(format!("`{shown}`: place {at} is not in the line").into());
                }
            }
        }
    }
    println!("{}: {words} of {MUTATED} mutated lines are words that print back", pool.file);
    Ok(())
}

/// A copy of a line with one to three changes.
fn mutate(line: &[u8], random: &mut Random) -> Vec<u8> {
    let mut line = line.to_vec();
    for _ in 0..=random.index(3) {
        let at = random.index(line.len() + 1);
        let byte = *random.pick(b" ,.()[]<>#+-0123456789abcdefrxyzhu\xff\0");
        match random.index(4) {
            0 => line.insert(at, byte),
            1 if at < line.len() => drop(line.remove(at)),
            2 if at < line.len() => line[at] = byte,
            _ => {
                let part = line[at..line.len().min(at + random.index(9))].to_vec();
                line.splice(at..at, part);
            }
        }
    }
    line
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

/// Every line that a small description prints without an error reads back as a word that prints so. The ledger has those
/// that encodings share: they are refused, as any choice would be a guess.
fn micro(folder: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    let mut specs: Vec<_> = std::fs::read_dir(folder.join("micro"))?.flatten().map(|e| e.path()).collect();
    specs.sort();
    for spec in specs {
        let meta: Value = serde_json::from_str(&corpus::text(&spec.join("meta.json"))?)?;
        let model = load(&spec.join("spec.xml"))?;
        let plan = Plan::new(&model, meta["gen"].as_u64().unwrap_or(0) as u32);
        let none = Names::default();
        let mut assembler = Assembler::new(&plan, &none, Compat::Mesa24);
        let input = corpus::bytes(&spec.join("in.bin"))?;
        for (number, chunk) in input.chunks_exact(assembler.place_bytes() as usize).enumerate() {
            let mut stream = Stream::new(&plan, Options::default(), chunk.len() as u64);
            let mut out = Vec::new();
            stream.feed(chunk, &mut &none, &mut out);
            let text = out.strip_suffix(b"\n").unwrap_or(&out);
            // Lines with an error are not what an assembler should give; a blank at an end is lost in a source.
            let bad = text.windows(3).any(|three| three == b"\t; ") || text.starts_with(b"no match");
            if bad || text.is_empty() || text.contains(&b'\n') || text != text.trim_ascii() {
                continue;
            }
            let is_back = |word: &Word| print(&plan, &none, word) == text;
            tally.row(
                &corpus::name(&spec),
                number + 1,
                match assembler.assemble(text) {
                    Ok(word) if is_back(&word) => Ok(()),
                    Err(Failure::Ambiguous { words }) if words.iter().all(|(word, _)| is_back(word)) => {
                        Err(format!("{} encodings have this text", words.len()))
                    }
                    other => Err(format!("`{}`: {other:?}", String::from_utf8_lossy(text))),
                },
            );
        }
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "isaspec_micro", &tally)?)
}
