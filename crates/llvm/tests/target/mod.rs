//! LLVM's targets of the corpus, lowered with the operand tables that the project ships.

use std::path::Path;
use std::sync::Arc;

use isaglot_asm::{Hooks, Options, Stream};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_llvm::{self as isa, OperandTable};
use isaglot_model::Isa;
use isaglot_source::{Diagnostics, FileId};
use isaglot_tablegen::{Records, parse};

/// A target that was lowered.
pub(crate) struct Lowered {
    pub(crate) isa: Isa,
    pub(crate) table: OperandTable,
    /// The same for triples of another order of bytes.
    other: Option<Box<Lowered>>,
}

impl Lowered {
    /// The one for a triple.
    pub(crate) fn of(&self, triple: &str) -> &Lowered {
        match (&self.other, isa::choose(&self.isa, &self.table, triple, "", &[])) {
            (Some(other), Err(isa::NoSuch::Order(_))) => other,
            _ => self,
        }
    }
}

/// The records of a target in the archive `td.tar.xz` of the corpus.
pub(crate) fn records(archive: &Path, folder: &str) -> Result<Records, String> {
    let root = isaglot_testing::corpus::unpacked(archive)?;
    let dir = root.join("llvm/lib/Target").join(folder);
    let include_dirs = [root.join("llvm/include"), dir.clone()].map(|d| d.display().to_string());
    let options =
        isaglot_tablegen::Options { include_dirs: include_dirs.into(), no_unused_warning: true, ..Default::default() };
    let top = dir.join(if folder == "PowerPC" { "PPC.td".to_owned() } else { format!("{folder}.td") });
    let bytes: Arc<[u8]> = std::fs::read(&top).map_err(|e| format!("{}: {e}", top.display()))?.into();
    let mut load = |path: &str| std::fs::read(path).ok().map(|bytes| Arc::from(as_built(path, bytes)));
    let records = parse(&top.display().to_string(), bytes, &options, &mut load);
    if records.ok() { Ok(records) } else { Err(format!("{folder}.td has errors")) }
}

/// The sources as those of the llvm-mc that gave the answers of the corpus, which is Debian's: its ARMv7-A is one without NEON.
fn as_built(path: &str, bytes: Vec<u8>) -> Vec<u8> {
    let Some(text) = path.ends_with("ARMArchitectures.td").then(|| String::from_utf8_lossy(&bytes)) else {
        return bytes;
    };
    let Some((before, after)) = text.split_once("def ARMv7a ") else { return bytes };
    format!("{before}def ARMv7a {}", after.replacen("FeatureNEON", "FeatureVFP3", 1)).into_bytes()
}

/// Lowers a target.
#[allow(dead_code, reason = "one test binary lowers with tables of its own")]
pub(crate) fn lower(archive: &Path, folder: &str, operands: &str) -> Result<Lowered, String> {
    let records = records(archive, folder)?;
    let mut problems = Diagnostics::new();
    let table = isa::read(FileId(u32::MAX), operands, &mut problems);
    let lowered = isa::lower(&records, &table, &mut problems);
    for d in &problems {
        println!("{folder}: {:?}: {}", d.severity, d.message);
    }
    let lowered = lowered.ok_or_else(|| format!("{folder}.td cannot be lowered"))?;
    for (kind, name, _, count) in &lowered.missing {
        println!("{folder}: no meaning for {kind:?} {name} ({count} times)");
    }
    let prefix = table.orders.first().and_then(|order| order.prefixes.first());
    let other = prefix.and_then(|prefix| {
        let table = table.clone().for_triple(prefix);
        let lowered = isa::lower(&records, &table, &mut Diagnostics::new())?;
        Some(Box::new(Lowered { isa: lowered.isa, table, other: None }))
    });
    // Freeing millions of values takes longer than the test.
    std::mem::forget(records);
    Ok(Lowered { isa: lowered.isa, table, other })
}

/// A target that was lowered with a table, in one order of bytes.
#[allow(dead_code, reason = "only some test binaries lower with tables of their own")]
pub(crate) fn lowered_of(lowered: isa::Lowered, table: OperandTable) -> Lowered {
    Lowered { isa: lowered.isa, table, other: None }
}

/// The plan for a triple, a processor and features, with aliases.
pub(crate) fn plan<'a>(lowered: &'a Lowered, triple: &str, cpu: &str, features: &str) -> Plan<'a> {
    // `arch:NAME` is the option `-arch`.
    let triple = triple.strip_prefix("arch:").unwrap_or(triple);
    let lowered = lowered.of(triple);
    // Features that the target does not have, llvm-mc ignores with a warning.
    let mut features: Vec<&str> = features.split(',').collect();
    let on = loop {
        match isa::choose(&lowered.isa, &lowered.table, triple, cpu, &features) {
            Err(isa::NoSuch::Feature(name))
                if features.iter().any(|one| one.trim_start_matches(['+', '-']) == name) =>
            {
                features.retain(|one| one.trim_start_matches(['+', '-']) != name);
            }
            on => break on,
        }
    };
    let on = on.unwrap_or_else(|no| {
        println!("{triple}: {no:?}");
        Vec::new()
    });
    Plan::with_features(&lowered.isa, 0, &on).with_aliases(true)
}

/// Runs of blanks as one space.
pub(crate) fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Marks words that are not valid instructions.
#[derive(Default)]
struct Mark;

impl Hooks for Mark {
    fn wants_lines(&self) -> bool {
        false
    }

    fn no_match(&mut self, _word: &Word, out: &mut Vec<u8>) {
        out.extend_from_slice(b"<bad>\n");
    }
}

/// A line for each instruction; `<bad>` for an invalid word, `<short>` for bytes that are left.
pub(crate) fn disassemble(plan: &Plan<'_>, bytes: &[u8]) -> Vec<String> {
    let mut stream = Stream::new(plan, Options { show_errors: false, ..Options::default() }, 0);
    let mut out = Vec::new();
    let used = stream.feed(bytes, &mut Mark, &mut out);
    if used < bytes.len() {
        out.extend_from_slice(b"<short>\n");
    }
    String::from_utf8_lossy(&out).lines().map(squeeze).collect()
}
