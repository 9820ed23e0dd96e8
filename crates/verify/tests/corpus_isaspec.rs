//! The checks against the corpus of isaspec descriptions: every known defect is found, nothing else is claimed, and
//! every witness word is held against the disassembler, which knows nothing of decision diagrams.
//!
//! What the corpus does not list, and what is not decided, is in `ledger/names.txt` and `ledger/decided.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use isaglot_asm::{Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_model::{EncodingId, Isa};
use isaglot_testing::{Failed, Tally, Trial, ledger, suite};
use isaglot_verify::diff::{Side, diff};
use isaglot_verify::report::{FormatProblem, Verdict};
use isaglot_verify::{Report, check};
use serde_json::Value;

/// The descriptions.
const ISAS: [&str; 3] = ["ir3", "afuc", "etnaviv"];

fn load(corpus: &Path, name: &str) -> Result<Isa, Failed> {
    let top = corpus.join("xml").join(name).join(format!("{name}.xml"));
    Ok(isaglot_isaspec::oracle::load(&top, &mut isaglot_testing::corpus::load)?)
}

fn json(corpus: &Path, name: &str) -> Result<Value, Failed> {
    Ok(serde_json::from_str(&std::fs::read_to_string(corpus.join(name))?)?)
}

fn name(isa: &Isa, id: EncodingId) -> &str {
    isa.text(isa[id].name)
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or("").to_owned()
}

/// One word as a line, errors included.
fn line(isa: &Isa, generation: u32, word: &Word) -> String {
    let plan = Plan::new(isa, generation);
    let bytes: Vec<u8> = word.le_bytes().collect();
    let mut stream = Stream::new(&plan, Options::default(), 0);
    let mut out = Vec::new();
    // A conflict is reported with the line after it, so the word comes twice.
    stream.feed(&[bytes.clone(), bytes].concat(), &mut Plain, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(u64::MAX)
}

/// Exactly the known overlaps, with their gens; each witness is not a valid instruction for the disassembler, which decodes the
/// words around it. Where there is none, every encoding is proved to be alone.
fn overlaps(corpus: &Path, which: &str) -> Result<(), Failed> {
    let isa = load(corpus, which)?;
    let known = json(corpus, "spec_defects.json")?;
    let known = known[which]["overlaps"].as_array().cloned().unwrap_or_default();
    let found = isaglot_verify::overlaps(&isa, None);
    let want: BTreeSet<_> = known
        .iter()
        .map(|o| (text(o, "a"), text(o, "b"), number(o, "gen_min"), number(o, "gen_max"), text(o, "relation")))
        .collect();
    let got: BTreeSet<_> = found
        .iter()
        .map(|o| {
            let (min, max) = (u64::from(o.gens.min), u64::from(o.gens.max));
            (name(&isa, o.a).to_owned(), name(&isa, o.b).to_owned(), min, max, o.relation.name().to_owned())
        })
        .collect();
    println!("{which}: {} overlaps", found.len());
    if want != got || found.len() != known.len() {
        return Err(format!("expected {want:?}\nfound {got:?}").into());
    }
    for o in &found {
        let shown = line(&isa, o.gens.min, &o.witness);
        let words = |w: &Word| isa[o.a].pattern.matches(w) && isa[o.b].pattern.matches(w);
        if !words(&o.witness) || !shown.starts_with("no match: ") {
            return Err(format!("0x{} is not a conflict: {shown}", o.witness.hex()).into());
        }
        let theirs = known.iter().find(|k| text(k, "a") == name(&isa, o.a) && text(k, "b") == name(&isa, o.b));
        let theirs = theirs.and_then(|k| Word::parse(&format!("0x{}", text(k, "witness")), o.witness.width()).ok());
        if !theirs.is_some_and(|w| o.words.matches(&w)) {
            return Err(format!("{:#} lacks the known witness", o.words).into());
        }
        // The scopes keep the error that a stream would show with the next line.
        let plan = Plan::new(&isa, o.gens.min);
        let mut scopes = isaglot_codec::Scopes::new(&plan, true);
        let none = scopes.enter(&o.witness).is_none();
        let said = String::from_utf8_lossy(scopes.errors.text()).into_owned();
        let both = [o.a, o.b].iter().all(|&id| said.contains(&*isa[id].display_name));
        if !none || !said.contains("bitset conflict") || !both {
            return Err(format!("0x{}: the decoder says {said:?}", o.witness.hex()).into());
        }
    }
    Ok(())
}

/// Where nothing overlaps that is proved for every encoding; where something does, exactly those rows say no.
fn unique(isa: &Isa, report: &Report) -> Result<(), Failed> {
    for row in &report.rows {
        let known = report.overlaps.iter().any(|o| o.a == row.encoding || o.b == row.encoding);
        if matches!(row.unique, Verdict::Proved(_)) == known || matches!(row.unique, Verdict::Undecided(_)) {
            return Err(format!("`{}`: unique is {:?}", name(isa, row.encoding), row.unique).into());
        }
    }
    Ok(())
}

/// Exactly the known unresolved names and displays that are not there; what is said to show is shown.
fn names(corpus: &Path, which: &str, isa: &Isa, report: &Report) -> Result<(), Failed> {
    let known = json(corpus, "spec_defects.json")?;
    let known = known[which]["unresolved"].as_array().cloned().unwrap_or_default();
    let want: BTreeSet<(String, String)> = known.iter().map(|u| (text(u, "leaf"), text(u, "field"))).collect();
    let mut got: BTreeSet<(String, String)> = BTreeSet::new();
    for u in &report.unresolved {
        let (leaf, field) = (name(isa, u.encoding).to_owned(), isa.text(u.name).to_owned());
        let passing: BTreeSet<String> =
            u.uses.iter().map(|p| format!("not passed by {}.{}", p.owner, isa.text(p.field))).collect();
        let entry = known.iter().find(|k| text(k, "leaf") == leaf && text(k, "field") == field);
        let theirs = entry.and_then(|k| k["detail"].as_array()).map(|d| {
            let list = d.iter().filter_map(|v| v.as_str()).filter(|v| v.starts_with("not passed"));
            list.map(str::to_owned).collect::<BTreeSet<String>>()
        });
        if theirs.is_some_and(|theirs| theirs != passing) {
            return Err(format!("{leaf}.{field}: {passing:?}").into());
        }
        if let Some(w) = &u.witness {
            let shown = line(isa, w.generation, &w.word);
            if !shown.contains(&format!("no field '{field}'")) {
                return Err(format!("0x{} does not show that {field} is missing: {shown}", w.word.hex()).into());
            }
        }
        got.insert((leaf, field));
    }
    for s in &report.silent {
        let shown = line(isa, s.witness.generation, &s.witness.word);
        if !shown.contains("no display template") {
            return Err(format!("0x{} has a text: {shown}", s.witness.word.hex()).into());
        }
        got.insert((name(isa, s.encoding).to_owned(), "-".to_owned()));
    }
    let mut tally = Tally::default();
    for (leaf, name) in want.union(&got) {
        let id = (leaf.clone(), name.clone());
        let listed = || if want.contains(&id) { "not found" } else { "found, but not listed" }.to_owned();
        tally.check(&format!("{which}.xml"), format!("{leaf}.{name}"), want.contains(&id) == got.contains(&id), listed);
    }
    if tally.failures.is_empty() && want.is_empty() {
        return Ok(());
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "names", &tally)?)
}

/// The decimal number after `0x` in afuc, and no other format of that kind.
fn formats(which: &str, isa: &Isa, report: &Report) -> Result<(), Failed> {
    let prefixes: Vec<&str> =
        (report.formats.iter()).filter(|f| f.problem == FormatProblem::Prefix).map(|f| isa.text(f.name)).collect();
    println!("{which}: decimal after 0x: {prefixes:?}");
    let want: &[&str] = if which == "afuc" { &["IMMED"] } else { &[] };
    if prefixes == want { Ok(()) } else { Err(format!("expected {want:?}").into()) }
}

/// Every pair really reads the same, and every bit that was seen not to show in the pool is among the hidden ones.
fn shared(corpus: &Path, which: &str, isa: &Isa, report: &Report) -> Result<(), Failed> {
    let mut hidden: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for s in &report.shared {
        let (a, b) = (line(isa, s.pair.generation, &s.pair.a), line(isa, s.pair.generation, &s.pair.b));
        if a != b || a.contains("\t; ") || a.starts_with("no match") || s.pair.a == s.pair.b {
            return Err(format!("`{}`: not one text:\n{a}{b}", name(isa, s.encoding)).into());
        }
        hidden.entry(name(isa, s.encoding)).or_default().extend(s.bits.ones_iter());
    }
    let ambiguity = json(corpus, "text_ambiguity.json")?;
    let (mut total, mut missed) = (0, Vec::new());
    for pool in ambiguity.as_array().into_iter().flatten().filter(|p| text(p, "isa") == which) {
        for seen in pool["invisible"].as_array().into_iter().flatten() {
            let (leaf, bit) = (text(seen, "leaf"), number(seen, "bit") as u32);
            total += 1;
            if !hidden.get(leaf.as_str()).is_some_and(|bits| bits.contains(&bit)) {
                missed.push(format!("{leaf} bit {bit}"));
            }
        }
        for example in pool["examples"].as_array().into_iter().flatten() {
            let words: Vec<String> =
                example["hex"].as_array().into_iter().flatten().filter_map(|h| Some(h.as_str()?.to_owned())).collect();
            let plan = Plan::new(isa, number(pool, "gen") as u32);
            let width = isa.format().max_bits;
            let decoded = words.iter().map(|h| {
                let word = Word::parse(&format!("0x{h}"), width).unwrap_or_else(|_| Word::zero(width));
                plan.decode(&word)
            });
            let leaves: BTreeSet<String> = decoded
                .filter_map(|m| match m {
                    isaglot_codec::Match::One(id) => Some(name(isa, id).to_owned()),
                    _ => None,
                })
                .collect();
            if leaves.len() == 1 && !leaves.iter().all(|l| hidden.contains_key(l.as_str())) {
                missed.push(format!("{leaves:?} has the text {:?} twice", text(example, "text")));
            }
        }
    }
    println!("{which}: {} of {total} bits that do not show, {} pairs", total - missed.len(), report.shared.len());
    if missed.is_empty() { Ok(()) } else { Err(missed.join("\n").into()) }
}

/// Every question about every encoding is decided, but for the ledger.
fn decided(which: &str, isa: &Isa, report: &Report) -> Result<(), Failed> {
    if report.coverage.iter().any(|c| c.space == isa.root() && c.free.is_none()) {
        return Err("the root was not counted".into());
    }
    let mut tally = Tally::default();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for row in &report.rows {
        // Several encodings have one name: they are numbered.
        let name = name(isa, row.encoding).to_owned();
        let number = seen.entry(name.clone()).or_default();
        *number += 1;
        for (what, verdict) in [("unique", &row.unique), ("round-trip", &row.round_trip), ("text", &row.text)] {
            let result = match verdict {
                Verdict::Undecided(why) => Err(why.clone()),
                _ => Ok(()),
            };
            tally.row(&format!("{which}.xml"), format!("{name}-{number}.{what}"), result);
        }
        let whole = report.undecided.iter().find(|u| u.span == isa[row.encoding].span && u.what.starts_with("names"));
        tally.row(
            &format!("{which}.xml"),
            format!("{name}-{number}.names"),
            whole.map_or(Ok(()), |u| Err(u.why.clone())),
        );
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "decided", &tally)?)
}

/// A description does not differ from itself.
fn same(corpus: &Path, which: &str) -> Result<(), Failed> {
    let (a, b) = (load(corpus, which)?, load(corpus, which)?);
    let side = |isa| Side { isa, generation: None };
    let found = diff(side(&a), side(&b), &mut |_, _| ())?;
    if found.changes.is_empty() && found.undecided.is_empty() { Ok(()) } else { Err(format!("{found:?}").into()) }
}

fn report(corpus: &Path, which: &str) -> Result<(), Failed> {
    let isa = load(corpus, which)?;
    let report = check(&isa, isaglot_verify::Options::default(), &mut |_, _| ());
    unique(&isa, &report)?;
    names(corpus, which, &isa, &report)?;
    formats(which, &isa, &report)?;
    shared(corpus, which, &isa, &report)?;
    decided(which, &isa, &report)
}

type Case = fn(&Path, &str) -> Result<(), Failed>;

fn main() {
    let cases: [(&str, Case); 3] = [("overlaps", overlaps), ("report", report), ("same", same)];
    suite::run_corpus("isaspec", |corpus| {
        let mut trials = Vec::new();
        for which in ISAS {
            for (what, case) in cases {
                let corpus = corpus.to_owned();
                trials.push(Trial::test(format!("isaspec::verify::{which}::{what}"), move || case(&corpus, which)));
            }
        }
        trials
    });
}
