//! Seeded faults: an assembler that is ours with mistakes in it, as a tool that gets the texts of the description.
//!
//! The method is that of `faults.rs`. `tests/assemblers/NAME.txt` names a description, and then each fault as a line `KIND PATTERN CHANGE`. The words that
//! match the pattern are assembled in a wrong way:
//!
//! | kind | the assembler | the finding |
//! |---|---|---|
//! | `refuse` | refuses the text | `not-assembled` |
//! | `clear` | clears the bits of CHANGE, a hexadecimal number: a sign, or a part of an immediate is lost | `assembles-otherwise` |
//! | `flip` | inverts these bits: another register, another opcode | `assembles-otherwise` |
//! | `swap` | exchanges two fields, given as `LOW LOW WIDTH` | `assembles-otherwise` |
//! | `again` | gives the instruction twice | `assembles-otherwise` |
//!
//! Without a fault nothing may be found. Each fault has to be found with a pattern inside of its own, a refusal with exactly its words, and
//! nothing else may be found. The texts without aliases and those with them are compared.

mod seeded;

use std::path::{Path, PathBuf};

use isaglot_asm::{Assembler as Own, Compat, Names};
use isaglot_bits::{Pattern, Word, cover};
use isaglot_codec::Plan;
use isaglot_conform::choose::{Wanted, choose};
use isaglot_conform::normal::Rules;
use isaglot_conform::{Assembled, Assembler, Finding, Kind, Texts, round};
use isaglot_source::Diagnostic;
use isaglot_testing::{Trial, suite};
use seeded::description;

/// A mistake of an assembler.
struct Fault {
    /// Its place in the file.
    line: usize,
    kind: String,
    pattern: Pattern,
    change: String,
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/assemblers");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder of the cases").flatten().map(|entry| entry.path()).collect();
    files.sort();
    let trial = |path: PathBuf| {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Trial::test(format!("assemblers_{name}"), move || Ok(one(&path)?))
    };
    suite::run(files.into_iter().map(trial).collect());
}

fn one(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let (_, head) = lines.next().ok_or("an empty file")?;
    let (isa, generation, features) = description(head)?;
    let faults: Vec<Fault> = lines.map(|(line, text)| fault(line, text)).collect::<Result<_, _>>()?;
    let plain = Plan::with_features(&isa, generation, &features);
    let aliases = Plan::with_features(&isa, generation, &features).with_aliases(true);
    let choice = choose(&plain, Wanted::default());
    let names = Names::default();
    let mut findings = Vec::new();
    for texts in [Texts::Plain, Texts::Aliases] {
        let plan = if texts == Texts::Plain { &plain } else { &aliases };
        let mut faulty = Faulty { own: Own::new(plan, &names, Compat::default()), faults: &faults };
        let rules = Rules::default();
        let report = round([&plain, &aliases], &choice, &mut faulty, None, &rules, texts, &mut |_| {});
        let report = report.map_err(|d| d.message)?;
        println!("{texts:?}: {} texts, {} choices", report.asked, report.choices);
        findings.extend(report.findings);
    }
    let mut wrong: Vec<String> = faults.iter().filter_map(|fault| missed(&plain, fault, &findings)).collect();
    wrong.extend(findings.iter().flat_map(|finding| beside(&faults, finding)));
    println!("{}: {} faults", path.display(), faults.len());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Why a fault is not found as it should be.
fn missed(plan: &Plan<'_>, fault: &Fault, findings: &[Finding]) -> Option<String> {
    let same =
        findings.iter().filter(|finding| finding.class.kind == kind(fault)).flat_map(|finding| &finding.patterns);
    let inside =
        |pattern: &Pattern| cover::uncovered_witness(pattern, std::slice::from_ref(&fault.pattern)) == Some(None);
    let found: Vec<Pattern> = same.map(|grown| grown.pattern.clone()).filter(inside).collect();
    if found.is_empty() {
        return Some(format!("line {}: not found", fault.line));
    }
    if kind(fault) == Kind::AssemblesOtherwise {
        return None;
    }
    let width = fault.pattern.width();
    let isa = plan.isa();
    let encodings = isa[isa.root()].encodings.iter().map(|id| &isa[*id]);
    let cubes = encodings.filter(|e| e.width == width && plan.active(e)).flat_map(|e| e.cubes());
    let extent: Vec<Pattern> = cubes.filter_map(|cube| cube.intersect(&fault.pattern)).collect();
    let (all, covered) = (cover::union_count(width, &extent), cover::union_count(width, &found));
    (all.is_none() || all != covered).then(|| format!("line {}: {covered:?} words of {all:?} found", fault.line))
}

/// What a finding says that is due to no fault.
fn beside(faults: &[Fault], finding: &Finding) -> Vec<String> {
    let same = faults.iter().filter(|fault| kind(fault) == finding.class.kind);
    let extents: Vec<&Pattern> = same.map(|fault| &fault.pattern).collect();
    let is_inside = |pattern: &Pattern| {
        extents.iter().any(|extent| cover::uncovered_witness(pattern, std::slice::from_ref(*extent)) == Some(None))
    };
    let patterns = finding.patterns.iter().map(|grown| grown.pattern.clone());
    let left = finding.left.iter().map(|word| Pattern::exact(word.clone()));
    let what = |pattern: Pattern| {
        let (name, ours, theirs) = (&finding.class.name, finding.ours.text(), finding.theirs.text());
        format!("{} {name}: {pattern} is due to no fault: `{ours}` becomes `{theirs}`", finding.class.kind.name())
    };
    patterns.chain(left).filter(|pattern| !is_inside(pattern)).map(what).collect()
}

/// The kind of finding that a fault leads to.
fn kind(fault: &Fault) -> Kind {
    match fault.kind.as_str() {
        "refuse" => Kind::NotAssembled,
        _ => Kind::AssemblesOtherwise,
    }
}

/// Our assembler with mistakes.
struct Faulty<'p, 'a> {
    own: Own<'p, 'a>,
    faults: &'p [Fault],
}

impl Assembler for Faulty<'_, '_> {
    fn assemble(&mut self, texts: &[String]) -> Result<Vec<Assembled>, Diagnostic> {
        Ok(texts.iter().map(|text| self.one(text)).collect())
    }
}

impl Faulty<'_, '_> {
    fn one(&mut self, text: &str) -> Assembled {
        let Ok(word) = self.own.assemble(text.as_bytes()) else { return Assembled::Refused };
        let mine = |fault: &&Fault| fault.pattern.width() == word.width() && fault.pattern.matches(&word);
        let Some(fault) = self.faults.iter().find(mine) else { return bytes(&word) };
        let mask =
            || Word::from_u64(u64::from_str_radix(&fault.change, 16).expect("a hexadecimal number"), word.width());
        match fault.kind.as_str() {
            "refuse" => Assembled::Refused,
            "clear" => bytes(&word.and_not(&mask())),
            "flip" => bytes(&word.xor(&mask())),
            "swap" => bytes(&swapped(&word, &fault.change)),
            _ => Assembled::Bytes(word.le_bytes().chain(word.le_bytes()).collect()),
        }
    }
}

fn bytes(word: &Word) -> Assembled {
    Assembled::Bytes(word.le_bytes().collect())
}

/// A word with two fields exchanged.
fn swapped(word: &Word, change: &str) -> Word {
    let numbers: Vec<u32> = change.split(' ').filter_map(|number| number.parse().ok()).collect();
    let &[a, b, width] = numbers.as_slice() else { panic!("expected `LOW LOW WIDTH`") };
    let mut out = word.clone();
    for bit in 0..width {
        out.set_bit(a + bit, word.bit(b + bit));
        out.set_bit(b + bit, word.bit(a + bit));
    }
    out
}

fn fault(line: usize, text: &str) -> Result<Fault, String> {
    let mut parts = text.splitn(3, ' ').map(str::trim);
    let (Some(kind), Some(pattern)) = (parts.next(), parts.next()) else {
        return Err(format!("line {line}: expected a kind and a pattern"));
    };
    if !["refuse", "clear", "flip", "swap", "again"].contains(&kind) {
        return Err(format!("line {line}: there is no kind `{kind}`"));
    }
    let pattern = Pattern::parse(pattern).map_err(|_| format!("line {line}: not a pattern"))?;
    Ok(Fault { line, kind: kind.to_owned(), pattern, change: parts.next().unwrap_or_default().to_owned() })
}
