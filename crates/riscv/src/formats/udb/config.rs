//! Configurations: what one implementation, or a family of them, has.
//!
//! A full one answers every condition with yes or no; a partial one says what is there and leaves the rest open, unless it says that
//! nothing else may be there; an unconfigured one leaves everything open. The problem: an extension brings others along, and these
//! are not listed. The method: what is there forces what it requires until nothing is added; where a requirement leaves a choice,
//! only the one that is left is forced.

use isaglot_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span, closest};
use rustc_hash::FxHashMap;

use super::condition::{constant, requirement};
use super::faults::Faults;
use super::forms;
use super::version::{Requirement, Version};
use crate::Xlen;
use crate::formats::formula::Facts;
use crate::formats::yaml::{self, Node, Value};
use crate::formats::{Comparison, Constant, Formula, ParameterTest, Table};

/// What is known of an implementation.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// Its name.
    pub name: String,
    /// The overlay that it needs: a folder beside the standard one.
    pub overlay: Option<String>,
    /// What is not said to be there is not.
    closed: bool,
    present: Vec<Listed>,
    /// May be there.
    optional: Vec<Listed>,
    absent: Vec<Listed>,
    parameters: FxHashMap<String, Constant>,
}

/// An extension in a list: name, what is required of its version, and where it is.
#[derive(Clone, Debug)]
struct Listed {
    name: String,
    versions: Vec<String>,
    span: Span,
}

/// Reads a configuration. Nothing comes of one with an error.
pub fn configuration(
    name: &str,
    bytes: Vec<u8>,
    files: &mut SourceMap,
    out: &mut Diagnostics,
) -> Option<Configuration> {
    let id = files.add(name, bytes);
    let mut faults = Faults::default();
    let read = parse(id, files, &mut faults);
    let failed = faults.has_errors();
    faults.finish(files, out);
    read.filter(|_| !failed)
}

fn parse(id: FileId, files: &SourceMap, faults: &mut Faults) -> Option<Configuration> {
    let mut broken = Vec::new();
    let root = yaml::parse(id, files.get(id).map_or(&[], |f| &f.bytes), &mut broken);
    faults.parser(broken);
    let root = root?;
    let kind = forms::check_configuration(&root, faults)?;
    let scalar = |key: &str| root.get(key).and_then(Node::scalar).map(str::to_owned);
    let mut listed = |key: &str| -> Vec<Listed> {
        let items = root.get(key).map_or(&[][..], Node::list);
        items.iter().filter_map(|item| self::listed(item, faults)).collect()
    };
    let present = match kind {
        forms::Configured::Fully => listed("implemented_extensions"),
        _ => listed("mandatory_extensions"),
    };
    let additional = root.get("additional_extensions").and_then(Node::bool).unwrap_or(true);
    let parameters = root.get("params").map_or(&[][..], Node::map);
    Some(Configuration {
        name: scalar("name").unwrap_or_default(),
        overlay: scalar("arch_overlay"),
        closed: kind == forms::Configured::Fully || (kind == forms::Configured::Partly && !additional),
        present,
        optional: listed("non_mandatory_extensions"),
        absent: listed("prohibited_extensions"),
        parameters: parameters.iter().map(|(key, value)| (key.text.to_string(), constant(value))).collect(),
    })
}

/// `{ name: Zba, version: "= 1.0" }` or `[Zba, "1.0"]`.
fn listed(item: &Node, faults: &mut Faults) -> Option<Listed> {
    let (name, version) = match &item.value {
        Value::List(pair) => (pair.first(), pair.get(1)),
        _ => (item.get("name"), item.get("version")),
    };
    let Some((name, text)) = name.and_then(|n| Some((n, n.text()?))) else {
        faults.error("udb-bad-type", item.span, "expected an extension with `name` and `version`");
        return None;
    };
    let versions = version.map_or(&[][..], Node::one_or_more);
    let versions = versions.iter().filter_map(|v| requirement(v, faults)).collect();
    Some(Listed { name: text.to_owned(), versions, span: name.span })
}

/// A configuration beside the table whose conditions it answers.
pub struct Known<'k> {
    configuration: &'k Configuration,
    table: &'k Table,
    /// Extensions that others brought, by name; of those that are listed nothing.
    brought: FxHashMap<&'k str, &'k [String]>,
}

impl Configuration {
    /// What it says of extensions that the table does not have, or not in such a version.
    pub fn problems(&self, table: &Table) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for listed in self.present.iter().chain(&self.optional).chain(&self.absent) {
            let name = &listed.name;
            let Some(extension) = table.extensions.iter().find(|e| e.name == *name) else {
                let near = closest(name, table.extensions.iter().map(|e| e.name.as_str()));
                let fault =
                    Diagnostic::error("udb-unknown-extension", format!("no file describes an extension `{name}`"));
                found.push(fault.label(listed.span, "").did_you_mean(near));
                continue;
            };
            let versions = &extension.versions;
            if !versions.iter().any(|v| meets(&v.version, &listed.versions, versions) == Some(true)) {
                let known: Vec<&str> = versions.iter().map(|v| v.version.as_str()).collect();
                let message = format!("`{name}` has no version {}", listed.versions.join(" "));
                let fault = Diagnostic::warning("udb-unsatisfiable", message).label(listed.span, "");
                found.push(fault.note(format!("its versions are {}", known.join(", "))));
            }
        }
        found
    }

    /// What it knows of the things that a table speaks of.
    pub fn over<'k>(&'k self, table: &'k Table) -> Known<'k> {
        let mut known = Known { configuration: self, table, brought: FxHashMap::default() };
        loop {
            let before = known.brought.len();
            let there: Vec<&str> =
                self.present.iter().map(|l| l.name.as_str()).chain(known.brought.keys().copied()).collect();
            for extension in table.extensions.iter().filter(|e| there.contains(&e.name.as_str())) {
                known.force(&extension.requires);
                // What a version requires is certain if the version is.
                if let [release] = known.candidates(&extension.name).as_slice() {
                    known.force(&extension.versions[*release].requires);
                }
            }
            if known.brought.len() == before {
                return known;
            }
        }
    }

    /// Takes away what an implementation of this configuration cannot have.
    pub fn restrict(&self, table: &mut Table) {
        let known = self.over(table);
        let width = |xlen| known.xlen(if xlen == Xlen::Rv32 { 32 } else { 64 });
        let gone = |condition: &Formula| condition.holds(&known) == Some(false);
        let kept: Vec<[bool; 2]> = (table.instructions.iter())
            .map(|i| [Xlen::Rv32, Xlen::Rv64].map(|xlen| width(xlen) != Some(false) && !gone(&i.condition)))
            .collect();
        for (instruction, kept) in table.instructions.iter_mut().zip(kept) {
            for (encoding, kept) in instruction.encodings.iter_mut().zip(kept) {
                *encoding = encoding.take().filter(|_| kept);
            }
        }
        table.instructions.retain(|i| i.encodings.iter().any(Option::is_some));
    }
}

impl<'k> Known<'k> {
    /// The answer to a condition; `None` where the configuration leaves it open.
    pub fn answer(&self, condition: &Formula) -> Option<bool> {
        condition.holds(self)
    }

    fn listed(&self, name: &str) -> Option<&'k Listed> {
        self.configuration.present.iter().find(|l| l.name == name)
    }

    /// The versions, by number, that an extension that is there may have.
    fn candidates(&self, name: &str) -> Vec<usize> {
        let Some(extension) = self.table.extensions.iter().find(|e| e.name == name) else { return Vec::new() };
        let given = self.listed(name).map(|l| l.versions.as_slice());
        let given = given.or_else(|| self.brought.get(name).copied()).unwrap_or_default();
        let fits = |at: &usize| meets(&extension.versions[*at].version, given, &extension.versions) == Some(true);
        (0..extension.versions.len()).filter(fits).collect()
    }

    /// Adds what must be there for the condition to hold.
    fn force(&mut self, condition: &'k Formula) {
        match condition {
            Formula::Extension(name, _) if self.listed(name).is_some() => {}
            Formula::Extension(name, versions) => {
                self.brought.entry(name).or_insert(versions);
            }
            Formula::All(terms) => terms.iter().for_each(|term| self.force(term)),
            Formula::Any(terms) | Formula::One(terms) => {
                if condition.holds(self) == Some(true) {
                    return;
                }
                // In a closed configuration an extension that is not there yet counts as false, and can still be brought.
                let mut left = terms.iter().filter(|t| t.holds(self) != Some(false) || brings(t));
                if let (Some(term), None) = (left.next(), left.next()) {
                    self.force(term);
                }
            }
            _ => {}
        }
    }
}

/// Whether an extension can make the condition true.
fn brings(condition: &Formula) -> bool {
    match condition {
        Formula::Extension(..) => true,
        Formula::All(terms) => terms.iter().all(brings),
        _ => false,
    }
}

/// Whether a version meets all requirements.
fn meets(version: &str, requirements: &[String], releases: &[crate::formats::Release]) -> Option<bool> {
    let version = Version::parse(version)?;
    Some(requirements.iter().filter_map(|r| Requirement::parse(r)).all(|r| r.is_met(version, releases)))
}

impl Facts for Known<'_> {
    fn extension(&self, name: &str, versions: &[String]) -> Option<bool> {
        let configuration = self.configuration;
        let there = self.listed(name).is_some() || self.brought.contains_key(name);
        if !there {
            let may = configuration.optional.iter().any(|l| l.name == name);
            let not = configuration.absent.iter().any(|l| l.name == name && l.versions.is_empty());
            return (not || (configuration.closed && !may)).then_some(false);
        }
        if versions.is_empty() {
            return Some(true);
        }
        let releases = &self.table.extensions.iter().find(|e| e.name == name)?.versions;
        let candidates = self.candidates(name);
        let met =
            candidates.iter().filter(|&&at| meets(&releases[at].version, versions, releases) == Some(true)).count();
        match met {
            _ if candidates.is_empty() => None,
            0 => Some(false),
            n if n == candidates.len() => Some(true),
            _ => None,
        }
    }

    fn xlen(&self, width: u32) -> Option<bool> {
        match self.configuration.parameters.get("MXLEN")? {
            Constant::Int(n) => Some(*n == i128::from(width)),
            _ => None,
        }
    }

    fn other(&self, formula: &Formula) -> Option<bool> {
        let Formula::Parameter(test) = formula else { return None };
        test.holds(self.configuration.parameters.get(&test.name)?)
    }
}

impl ParameterTest {
    /// Whether a value of the parameter passes; `None` if the test does not fit the value.
    pub fn holds(&self, value: &Constant) -> Option<bool> {
        let size;
        let value = match (value, self.index, self.size) {
            (Constant::List(items), _, true) => {
                size = Constant::Int(items.len() as i128);
                &size
            }
            (Constant::List(items), Some(at), _) => items.get(usize::try_from(at).ok()?)?,
            (value, None, false) => value,
            // Bit n of a number.
            (Constant::Int(n), Some(at @ 0..=126), _) => {
                size = Constant::Int(n >> at & 1);
                &size
            }
            _ => return None,
        };
        let first = self.values.first()?;
        let ordered = |good: fn(i128, i128) -> bool| match (value, first) {
            (Constant::Int(a), Constant::Int(b)) => Some(good(*a, *b)),
            _ => None,
        };
        match self.test {
            Comparison::Equal => Some(value == first),
            Comparison::NotEqual => Some(value != first),
            Comparison::Less => ordered(|a, b| a < b),
            Comparison::Greater => ordered(|a, b| a > b),
            Comparison::LessOrEqual => ordered(|a, b| a <= b),
            Comparison::GreaterOrEqual => ordered(|a, b| a >= b),
            Comparison::OneOf => Some(self.values.contains(value)),
            Comparison::Includes => match value {
                Constant::List(items) => Some(items.contains(first)),
                _ => None,
            },
        }
    }
}
