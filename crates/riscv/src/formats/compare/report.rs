//! A comparison as text and as JSON.

use std::fmt::Write as _;

use isaglot_bits::Count;
use isaglot_source::counted;
use serde_json::{Value, json};

use super::{Class, Comparison, Tables, words};

impl Comparison {
    /// The names of some of the tables.
    fn list(&self, which: Tables) -> Vec<&str> {
        let names = self.tables.iter().enumerate().filter(|(t, _)| which >> t & 1 == 1);
        names.map(|(_, name)| name.as_str()).collect()
    }

    /// A table of counts, then a line for each class, with its members if all are wanted.
    pub fn text(&self, all: bool) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "{}: how many names have words in which of them", self.tables.join(", "));
        let _ = writeln!(
            out,
            "{:28} {:>16} {:>16} {:>16} {:>16}",
            "", "RV32 16 bits", "RV32 32 bits", "RV64 16 bits", "RV64 32 bits"
        );
        let full: Tables = (1 << self.tables.len()) - 1;
        let columns = [(32, 16), (32, 32), (64, 16), (64, 32)];
        let _ = write!(out, "{:28}", "equal");
        for column in columns {
            let _ = write!(out, " {:>16}", self.equal.get(&column).copied().unwrap_or_default());
        }
        out.push('\n');
        for has in (1..full).rev() {
            let _ = write!(out, "{:28}", format!("only {}", self.list(has).join(", ")));
            for column in columns {
                let cell = self.counts.get(&column).and_then(|cells| cells.get(&has));
                let _ = write!(out, " {:>16}", cell.map_or("-".to_owned(), |(names, _)| names.to_string()));
            }
            out.push('\n');
        }
        let _ = writeln!(out, "\n{} classes of differences; `--all` shows their members", self.classes.len());
        for class in &self.classes {
            self.class(class, all, &mut out);
        }
        if !self.conditions.is_empty() {
            let _ = writeln!(out, "\n{} between conditions", counted(self.conditions.len(), "difference"));
        }
        for c in &self.conditions {
            let name = |t: usize| self.tables.get(t).map_or("", String::as_str);
            let bases: Vec<String> = c.bases.iter().map(|xlen| format!("RV{xlen}")).collect();
            let with = if c.extensions.is_empty() { "no extension".to_owned() } else { c.extensions.join(", ") };
            let names = counted(c.names.len(), "name");
            let shown = if all { c.names.join(", ") } else { c.names.first().cloned().unwrap_or_default() };
            let _ = writeln!(
                out,
                "in {}, not in {}, with {with} ({}): {}: {names}, such as {shown}",
                name(c.has),
                name(c.lacks),
                bases.join(", "),
                c.reason
            );
        }
        out
    }

    fn class(&self, class: &Class, all: bool, out: &mut String) {
        let has = self.list(class.has).join(", ");
        let _ = write!(out, "in {has}, {}: {}, {}", class.text, counted(class.names(), "name"), counts(class));
        if let Some((word, member)) = class.witness() {
            let _ = write!(out, "; 0x{} is {} (RV{})", word.hex(), member.name, member.xlen);
            if let Some(other) = member.read_as.first() {
                let _ = write!(out, ", elsewhere {other}");
            }
        }
        out.push('\n');
        for member in class.members.iter().filter(|_| all) {
            let word = words::smallest(&member.words).map_or(String::new(), |word| word.hex());
            let count = number(&words::count(&member.words));
            let _ = write!(out, "    RV{} {}: {count} words, 0x{word}", member.xlen, member.name);
            let is_short =
                !["reading", "unratified", "extension", "base", "name", "words"].contains(&member.cause.as_str());
            if is_short {
                let _ = write!(out, ", {}", member.cause);
            }
            if !member.read_as.is_empty() {
                let _ = write!(out, ", elsewhere {}", member.read_as.join(", "));
            }
            out.push('\n');
        }
    }

    /// The same as JSON.
    pub fn json(&self) -> Value {
        let counts: Vec<Value> = self
            .counts
            .iter()
            .flat_map(|((xlen, width), cells)| {
                cells.iter().map(move |(has, (names, words))| {
                json!({ "xlen": xlen, "width": width, "has": self.list(*has), "names": names, "words": number(words) })
            })
            })
            .collect();
        let classes: Vec<Value> =
            self.classes
                .iter()
                .map(|class| {
                    let members: Vec<Value> = class.members.iter().map(|m| json!({
                "name": m.name, "xlen": m.xlen, "cause": m.cause, "words": number(&words::count(&m.words)),
                "smallest": words::smallest(&m.words).map(|word| format!("0x{}", word.hex())),
                "patterns": m.words.iter().map(|p| format!("{p:#}")).collect::<Vec<_>>(),
                "read_as": m.read_as,
            })).collect();
                    json!({ "has": self.list(class.has), "text": class.text,
                "names": class.names(), "members": members })
                })
                .collect();
        let name = |t: usize| self.tables.get(t).map_or("", String::as_str);
        let conditions: Vec<Value> = self
            .conditions
            .iter()
            .map(|c| json!({ "has": name(c.has), "lacks": name(c.lacks), "xlen": c.bases, "with": c.extensions, "reason": c.reason, "names": c.names }))
            .collect();
        json!({ "tables": self.tables, "counts": counts, "classes": classes, "conditions": conditions })
    }
}

fn counts(class: &Class) -> String {
    let parts: Vec<String> = [32, 64]
        .into_iter()
        .filter(|&xlen| class.members.iter().any(|m| m.xlen == xlen))
        .map(|xlen| format!("RV{xlen} {} words", number(&class.count(xlen))))
        .collect();
    parts.join(", ")
}

/// A count of words; those of tables are below 2 to the power of 64.
fn number(count: &Count) -> String {
    count.to_u64().map_or_else(|| format!("{:.3e}", count.to_f64()), |n| n.to_string())
}
