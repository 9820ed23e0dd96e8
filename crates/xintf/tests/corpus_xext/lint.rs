//! The findings on every record of the corpus file `lint.jsonl`: definition files, maps and registry requests, each
//! with the exact multiset of codes.

use std::path::Path;

use isaglot_riscv::Xlen;
use isaglot_source::{Diagnostics, FileId, Severity, SourceMap, Span};
use isaglot_testing::{Failed, Tally, corpus, ledger};
use isaglot_xintf::check::{Target, check};
use isaglot_xintf::registry::{self, NumberKind, RegistryEntry, Request};
use isaglot_xintf::{ast, map, name, set};
use serde_json::{Value, json};

pub(crate) fn run(dir: &Path) -> Result<(), Failed> {
    let mut tally = Tally::default();
    for line in corpus::text(&dir.join("lint.jsonl"))?.lines().filter(|l| !l.trim().is_empty()) {
        let record: Value = serde_json::from_str(line)?;
        tally.row("lint.jsonl", record["id"].as_str().ok_or("id")?, one(&record));
    }
    Ok(ledger::check(env!("CARGO_MANIFEST_DIR"), "xext_lint", &tally)?)
}

fn strings(v: &Value) -> Vec<String> {
    let list = v.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut out: Vec<String> = list.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    out.sort();
    out
}

fn codes(all: &Diagnostics, severity: Severity) -> Vec<String> {
    let mut out: Vec<String> = all.iter().filter(|d| d.severity == severity).map(|d| d.code.to_owned()).collect();
    out.sort();
    out
}

fn one(record: &Value) -> Result<(), String> {
    let xlen = Xlen::from_bits(record["xlen"].as_u64().unwrap_or(64)).ok_or("xlen")?;
    let mut files = SourceMap::new();
    let mut found = Diagnostics::new();
    match record["kind"].as_str() {
        Some("xintf") => {
            let id = files.add("test.xintf", record["text"].as_str().ok_or("text")?.as_bytes());
            let all = set::load(&mut files, &[id], |_, _, _| None, &mut found);
            let commands = record["n_cmds"].as_u64().ok_or("n_cmds")? as u32;
            check(all.own(), Target { xlen, commands }, &mut found);
            if let Some(expected) = record["macros"].as_object() {
                let made = macros(all.own());
                if made != *expected {
                    return Err(format!("macros: {made:?}"));
                }
            }
        }
        Some("map") => {
            let text = json!({
                "xlen": record["xlen"], "priv_levels": record["priv_levels"],
                "lun_map": record["lun_map"], "dev_map": record["dev_map"],
            });
            let id = files.add("cpu.json", text.to_string().into_bytes());
            let bytes = files.get(id).ok_or("file")?.bytes.clone();
            let read = map::read(id, &bytes, &set::Set::default(), xlen, &mut found);
            map::lint(&read, map::Options::default(), &mut found);
        }
        Some("registry") => registry_record(record, &mut files, &mut found)?,
        other => return Err(format!("unknown kind {other:?}")),
    }
    for d in &found {
        let place = d.span().ok_or_else(|| format!("{} has no place", d.code))?;
        if files.get(place.file).is_none() {
            return Err(format!("{} is in no file", d.code));
        }
    }
    let errors = codes(&found, Severity::Error);
    if errors != strings(&record["expect"]) {
        return Err(format!("errors {errors:?}, expected {}", record["expect"]));
    }
    let warnings = codes(&found, Severity::Warning);
    if record.get("warn").is_some() && warnings != strings(&record["warn"]) {
        return Err(format!("warnings {warnings:?}, expected {}", record["warn"]));
    }
    Ok(())
}

fn macros<'a>(interfaces: impl Iterator<Item = &'a ast::Interface>) -> serde_json::Map<String, Value> {
    let mut out = serde_json::Map::new();
    for i in interfaces {
        let base = name::mangle(&i.name.text);
        if let Some(uuid) = i.uuid.and_then(|u| u.value) {
            out.insert(format!("{base}__uuid"), format!("{uuid:#x}").into());
        }
        for c in &i.commands {
            let (a, b) = if c.swapped { ("rs2", "rs1") } else { ("rs1", "rs2") };
            let expansion = format!("xcmd{} rd, {a}, {b}", c.k.unwrap_or(u32::MAX));
            out.insert(format!("{base}__{}", c.name), expansion.into());
        }
    }
    out
}

fn number(v: &Value) -> Option<u64> {
    u64::from_str_radix(v.as_str()?.strip_prefix("0x")?, 16).ok()
}

fn registry_record(record: &Value, files: &mut SourceMap, found: &mut Diagnostics) -> Result<(), String> {
    let mut text = String::new();
    for e in record["registry"].as_array().ok_or("registry")? {
        let field = |key: &str| e[key].as_str().unwrap_or_default();
        text += &format!("{} {} {} somebody 2026-01-31\n", field("uuid"), field("name"), field("kind"));
    }
    let id = files.add("registry", text.into_bytes());
    let bytes = files.get(id).ok_or("file")?.bytes.clone();
    let mut all = registry::parse(id, &bytes, found);
    let request = &record["request"];
    let kind = match request["kind"].as_str() {
        Some("hash") => Some(NumberKind::Hash(0)),
        Some("central") => Some(NumberKind::Central),
        _ => None,
    };
    let wanted = match request["op"].as_str() {
        Some("alloc-central") => Request::Central,
        Some("claim") => Request::Number(number(&request["uuid"]).ok_or("uuid")?, kind),
        other => return Err(format!("unknown request {other:?}")),
    };
    let place: FileId = files.add("<request>", request.to_string().into_bytes());
    let entry = RegistryEntry {
        uuid: 0,
        name: request["name"].as_str().ok_or("name")?.to_owned(),
        kind: NumberKind::Central,
        owner: "somebody".to_owned(),
        date: "2026-02-01".to_owned(),
        span: Span::new(place, 0, 1),
    };
    registry::claim(&mut all, entry, wanted, found);
    Ok(())
}
