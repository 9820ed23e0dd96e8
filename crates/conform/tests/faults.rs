//! Seeded faults: a decoder that is ours with mistakes in it, as a tool that is compared with the description.
//!
//! The problem: a comparison that finds nothing may be right, or blind. The method: `tests/faults/DECODER.txt` names a description, and then each fault
//! of a decoder as a line `KIND PATTERN CHANGE`. All faults of a file are made at once, and the comparison has to find each:
//!
//! | kind | words that match the pattern and that | are | the finding |
//! |---|---|---|---|
//! | `accept` | the description refuses | an instruction with the text CHANGE | `only-theirs` |
//! | `refuse` | the description accepts | refused | `only-ours` |
//! | `length` | the description accepts | as long as CHANGE says, in bits | `length` |
//! | `crash` | the description accepts | what the decoder dies of | `crash` |
//! | `text` | the description accepts | called CHANGE | `text` |
//! | `operand` | the description accepts | with CHANGE, `A -> B`, in the text: `A` at the end of a token | `text` |
//!
//! A line `spell PATTERN A -> B` is no mistake: the description reads the changed text as the same word, and nothing may be found.
//!
//! The patterns of the findings of `accept` and `refuse` have to be exactly the words of the fault: as many, and none beside. Those of the other kinds
//! may have no word beside. Anything else that is found is a failure, too.

mod seeded;

use std::path::{Path, PathBuf};

use isaglot_asm::{Assembler, Compat, Names};
use isaglot_bits::{Pattern, Word, cover};
use isaglot_codec::Plan;
use isaglot_conform::choose::{Wanted, choose};
use isaglot_conform::normal::Rules;
use isaglot_conform::{Answer, Decoder, Finding, Kind, Ours, run};
use isaglot_model::{FeatureId, Isa};
use isaglot_source::Diagnostic;
use isaglot_testing::{Trial, suite};
use seeded::description;

/// A mistake of a decoder.
struct Fault {
    /// Its place in the file.
    line: usize,
    kind: String,
    pattern: Pattern,
    change: String,
}

/// What a file says.
struct Case {
    isa: Isa,
    generation: u32,
    features: Vec<FeatureId>,
    faults: Vec<Fault>,
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder of the cases").flatten().map(|entry| entry.path()).collect();
    files.sort();
    let trial = |path: PathBuf| {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Trial::test(format!("faults_{name}"), move || Ok(one(&path)?))
    };
    suite::run(files.into_iter().map(trial).collect());
}

fn one(path: &Path) -> Result<(), String> {
    let case = read(path)?;
    let plan = Plan::with_features(&case.isa, case.generation, &case.features);
    let choice = choose(&plan, Wanted::default());
    let names = Names::default();
    let all = Plan::with_features(&case.isa, case.generation, &case.features).with_aliases(true);
    let reader = Assembler::new(&all, &names, Compat::default());
    let mut faulty = Faulty { ours: Ours::new(&plan), faults: &case.faults };
    let report = run(&mut Ours::new(&plan).reading(reader), &choice, &mut faulty, &Rules::default(), &mut |_| {})
        .map_err(|d| d.message)?;
    println!("{}: {} words chosen, {} asked: {:?}", path.display(), choice.words.len(), report.asked, report.lengths);
    let mut wrong = Vec::new();
    let (spelled, faults): (Vec<&Fault>, Vec<&Fault>) = case.faults.iter().partition(|fault| fault.kind == "spell");
    for fault in faults {
        wrong.extend(missed(&plan, fault, &report.findings).map(|why| format!("line {}: {why}", fault.line)));
    }
    wrong.extend(report.findings.iter().flat_map(|finding| beside(&plan, &case.faults, finding)));
    if spelled.is_empty() != (report.spelled == 0) {
        wrong.push(format!("{} words with another text of the same word", report.spelled));
    }
    println!("{}: {} faults", path.display(), case.faults.len() - spelled.len());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Why a fault is not found as it should be.
fn missed(plan: &Plan<'_>, fault: &Fault, findings: &[Finding]) -> Option<String> {
    let extent = extent(plan, fault);
    let kind = kind(fault);
    let inside = |pattern: &Pattern| cover::uncovered_witness(pattern, &extent) == Some(None);
    let grown = findings.iter().filter(|finding| finding.class.kind == kind).flat_map(|finding| &finding.patterns);
    let found: Vec<Pattern> = grown.map(|grown| grown.pattern.clone()).filter(inside).collect();
    let width = fault.pattern.width();
    let (all, covered) = (cover::union_count(width, &extent), cover::union_count(width, &found));
    let is_exact = matches!(kind, Kind::OnlyTheirs | Kind::OnlyOurs);
    let shown = |count: &Option<isaglot_bits::Count>| count.as_ref().map_or("?".to_owned(), ToString::to_string);
    if found.is_empty() {
        Some(format!("not found: {} words", shown(&all)))
    } else if is_exact && (all.is_none() || all != covered) {
        Some(format!("{} words of {} found", shown(&covered), shown(&all)))
    } else {
        None
    }
}

/// What a finding says that is due to no fault: patterns that are inside of none, and words that are left.
fn beside(plan: &Plan<'_>, faults: &[Fault], finding: &Finding) -> Vec<String> {
    let same: Vec<&Fault> = faults.iter().filter(|fault| kind(fault) == finding.class.kind).collect();
    let extents: Vec<Vec<Pattern>> = same.iter().map(|fault| extent(plan, fault)).collect();
    let is_inside = |pattern: &Pattern| extents.iter().any(|all| cover::uncovered_witness(pattern, all) == Some(None));
    let patterns = finding.patterns.iter().map(|grown| grown.pattern.clone());
    let left = finding.left.iter().map(|word| Pattern::exact(word.clone()));
    let is_text = finding.class.kind == Kind::Text;
    let all = patterns.chain(left.filter(|word| !is_text || !is_inside(word)));
    let why = |pattern: Pattern| {
        format!("{} {}: {pattern} is due to no fault", finding.class.kind.name(), finding.class.name)
    };
    all.filter(|pattern| !is_inside(pattern)).map(why).collect()
}

/// The kind of finding that a fault leads to.
fn kind(fault: &Fault) -> Kind {
    match fault.kind.as_str() {
        "accept" => Kind::OnlyTheirs,
        "refuse" => Kind::OnlyOurs,
        "length" => Kind::Length,
        "crash" => Kind::Crash,
        _ => Kind::Text,
    }
}

/// The words that a fault changes, as patterns, by the algebra of the description alone.
fn extent(plan: &Plan<'_>, fault: &Fault) -> Vec<Pattern> {
    let isa = plan.isa();
    let width = fault.pattern.width();
    let encodings = isa[isa.root()].encodings.iter().map(|id| &isa[*id]);
    let cubes = encodings.filter(|e| e.width == width && plan.active(e)).flat_map(|e| e.cubes());
    let meets: Vec<Pattern> = cubes.filter(|cube| cube.overlaps(&fault.pattern)).collect();
    match kind(fault) {
        Kind::OnlyTheirs => cover::gaps(&fault.pattern, &meets, usize::MAX).unwrap_or_default(),
        _ => meets.iter().filter_map(|cube| cube.intersect(&fault.pattern)).collect(),
    }
}

/// Our decoder with mistakes.
struct Faulty<'p, 'a> {
    ours: Ours<'p, 'a>,
    faults: &'p [Fault],
}

impl Decoder for Faulty<'_, '_> {
    fn answers(&mut self, words: &[Word]) -> Result<Vec<Answer>, Diagnostic> {
        Ok(words.iter().map(|word| self.answer(word)).collect())
    }
}

impl Faulty<'_, '_> {
    fn answer(&mut self, word: &Word) -> Answer {
        let right = self.ours.answer(word);
        let mine = self.faults.iter().filter(|f| f.pattern.width() == word.width() && f.pattern.matches(word));
        mine.fold(right, |answer, fault| wrong(answer, fault, word.width()))
    }
}

/// An answer with a mistake in it.
fn wrong(answer: Answer, fault: &Fault, width: u32) -> Answer {
    let change = fault.change.clone();
    match (fault.kind.as_str(), answer) {
        ("accept", Answer::Refused) => Answer::Accepted { bits: Some(width), text: change, leaf: None },
        ("refuse", Answer::Accepted { .. }) => Answer::Refused,
        ("length", Answer::Accepted { text, leaf, .. }) => Answer::Accepted { bits: change.parse().ok(), text, leaf },
        ("crash", Answer::Accepted { .. }) => Answer::Died { signal: 11 },
        ("text", Answer::Accepted { bits, text, leaf }) => {
            let operands = text.split_once(' ').map_or("", |(_, operands)| operands);
            Answer::Accepted { bits, text: format!("{change} {operands}"), leaf }
        }
        ("operand" | "spell", Answer::Accepted { bits, text, leaf }) => {
            let (from, to) = fault.change.split_once(" -> ").unwrap_or_default();
            Answer::Accepted { bits, text: text.replace(from, to), leaf }
        }
        (_, answer) => answer,
    }
}

fn read(path: &Path) -> Result<Case, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let (_, head) = lines.next().ok_or("an empty file")?;
    let (isa, generation, features) = description(head)?;
    let faults = lines.map(|(line, text)| fault(line, text)).collect::<Result<_, _>>()?;
    Ok(Case { isa, generation, features, faults })
}

fn fault(line: usize, text: &str) -> Result<Fault, String> {
    let mut parts = text.splitn(3, ' ').map(str::trim);
    let (Some(kind), Some(pattern)) = (parts.next(), parts.next()) else {
        return Err(format!("line {line}: expected a kind and a pattern"));
    };
    let pattern = Pattern::parse(pattern).map_err(|_| format!("line {line}: not a pattern"))?;
    Ok(Fault { line, kind: kind.to_owned(), pattern, change: parts.next().unwrap_or_default().to_owned() })
}
