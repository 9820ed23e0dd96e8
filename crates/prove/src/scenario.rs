//! How a machine shows a counterexample: a program, and the settings of the machine that it runs on.

use std::fmt::Write;

use isaglot_xintf::tree::{ConfigEntry, ConfigItem, ConfigNode};

use crate::claim::Model;
use crate::term::{TermId, Terms};

/// What the law wants of a run that ends as it should and leaves other variables.
const SAME_END: &str = "the same, and another state; the lines `state` of the run show what it leaves";

/// A line of a program.
#[derive(Clone, Debug)]
pub enum Line {
    /// As it is.
    Text(String),
    /// `li REGISTER, VALUE`.
    Load(&'static str, TermId),
    /// A mnemonic with a number after it, and operands.
    Numbered(&'static str, TermId, &'static str),
}

/// What a program ends with.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One bit: the last instruction traps.
    pub traps: TermId,
    /// The value of `a0`.
    pub a0: TermId,
}

/// A setting of a machine's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Where: keys from the top.
    pub path: Vec<String>,
    /// The value, as TOML.
    pub value: String,
}

/// A counterexample as a run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The register width.
    pub xlen: u32,
    /// What the program does, up to its `ebreak`.
    pub lines: Vec<Line>,
    /// What the machine's file says, beside what the machine in question says.
    pub settings: Vec<Setting>,
    /// Settings whose values the counterexample gives: variables of devices.
    pub variables: Vec<(Vec<String>, TermId)>,
    /// The file of the machine in question counts.
    pub on_machine: bool,
    /// What the run shows.
    pub shows: Shows,
}

/// What a run shows.
#[derive(Clone, Debug)]
pub enum Shows {
    /// It ends otherwise than the law wants.
    Other {
        /// What it ends with.
        got: Outcome,
        /// What the law wants.
        wanted: Outcome,
    },
    /// It asks a device, which it must not: `--calls` shows it.
    Call(Outcome),
    /// It asks a device of another context, or is told by one what another context has left there: `--calls` shows the device.
    Foreign(Outcome),
    /// Its trace has this in it instead of what was meant.
    Trace {
        /// What is there.
        is: String,
        /// What was meant.
        meant: String,
    },
}

/// A setting at the top of a file.
pub(crate) fn setting(key: &str, value: impl Into<String>) -> Setting {
    Setting { path: vec![key.to_owned()], value: value.into() }
}

impl Scenario {
    /// The terms that it needs values of.
    pub(crate) fn terms(&self) -> Vec<TermId> {
        let of_line = |l: &Line| match l {
            Line::Load(_, t) | Line::Numbered(_, t, _) => Some(*t),
            Line::Text(_) => None,
        };
        let mut all: Vec<TermId> = self.lines.iter().filter_map(of_line).collect();
        let mut add = |o: &Outcome| all.extend([o.traps, o.a0]);
        match &self.shows {
            Shows::Other { got, wanted } => [got, wanted].into_iter().for_each(&mut add),
            Shows::Call(got) | Shows::Foreign(got) => add(got),
            Shows::Trace { .. } => {}
        }
        all.extend(self.variables.iter().map(|v| v.1));
        all
    }

    /// The program as assembly.
    pub fn program(&self, terms: &Terms, model: &Model, title: &str) -> String {
        let mut out = format!("# {title}\n");
        for line in self.told(terms, model) {
            let _ = writeln!(out, "# {line}");
        }
        for line in &self.lines {
            let _ = match line {
                Line::Text(text) if text.ends_with(':') => writeln!(out, "{text}"),
                Line::Text(text) => writeln!(out, "    {text}"),
                Line::Load(register, term) => {
                    writeln!(out, "    li {register}, {:#x}", model.value(terms, *term).low_u64())
                }
                Line::Numbered(name, term, rest) => {
                    writeln!(out, "    {name}{}{rest}", model.value(terms, *term).low_u64())
                }
            };
        }
        out
    }

    /// What the run ends with and what the law wants, for people.
    pub fn told(&self, terms: &Terms, model: &Model) -> Vec<String> {
        let say = |o: &Outcome| match model.value(terms, o.traps).is_zero() {
            true => format!("a0 = {:#x}", model.value(terms, o.a0).low_u64()),
            false => "a trap".to_owned(),
        };
        match &self.shows {
            Shows::Other { got, wanted } => {
                let (got, wanted) = (say(got), say(wanted));
                // Where only variables differ, the registers do not tell.
                let wanted = if got == wanted { SAME_END.to_owned() } else { wanted };
                vec![format!("the run ends with: {got}"), format!("the law wants:     {wanted}")]
            }
            Shows::Call(got) => {
                vec![
                    format!("the run asks a device and ends with: {}", say(got)),
                    "the law wants: no device is asked".into(),
                ]
            }
            Shows::Foreign(got) => {
                vec![
                    format!("the run asks a device of another context and ends with: {}", say(got)),
                    "the law wants: none is asked".into(),
                ]
            }
            Shows::Trace { is, meant } => vec![format!("the run's trace shows {is}; meant was `{meant}`")],
        }
    }

    /// The machine's file: that of the machine in question, `base`, if the scenario is about it, with the settings and
    /// the values of the counterexample.
    pub fn machine(&self, terms: &Terms, model: &Model, base: &[ConfigEntry]) -> String {
        let mut top: Vec<(String, Toml)> = Vec::new();
        if self.on_machine {
            top.extend(base.iter().map(|e| (e.key.clone(), Toml::of(&e.value))));
        }
        for s in &self.settings {
            Toml::set(&mut top, &s.path, &s.value, true);
        }
        for (path, term) in &self.variables {
            let value = format!("\"{:#x}\"", model.value(terms, *term).low_u64());
            Toml::set(&mut top, path, &value, false);
        }
        let mut out = String::new();
        for (key, value) in &top {
            let _ = writeln!(out, "{} = {}", key_text(key), value.text());
        }
        out
    }
}

/// A value of a machine's file.
enum Toml {
    Raw(String),
    Table(Vec<(String, Toml)>),
}

/// A key of TOML.
fn key_text(key: &str) -> String {
    let bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { key.to_owned() } else { quoted(key) }
}

impl Toml {
    fn of(item: &ConfigItem) -> Toml {
        match &item.node {
            ConfigNode::Int(Some(n)) if *n <= i64::MAX as u64 => Toml::Raw(n.to_string()),
            ConfigNode::Int(n) => Toml::Raw(format!("\"{:#x}\"", n.unwrap_or(0))),
            ConfigNode::Text(text) => Toml::Raw(quoted(text)),
            ConfigNode::List(list) => {
                let items: Vec<String> = list.iter().map(|i| Toml::of(i).text()).collect();
                Toml::Raw(format!("[{}]", items.join(", ")))
            }
            ConfigNode::Table(entries) => {
                Toml::Table(entries.iter().map(|e| (e.key.clone(), Toml::of(&e.value))).collect())
            }
            ConfigNode::Other => Toml::Raw("false".to_owned()),
        }
    }

    /// Sets what is at a path; what is not there yet is made if it may be.
    fn set(table: &mut Vec<(String, Toml)>, path: &[String], value: &str, make: bool) {
        let Some((key, rest)) = path.split_first() else { return };
        let known = table.iter().position(|(k, _)| k == key);
        if rest.is_empty() {
            match known.and_then(|at| table.get_mut(at)) {
                Some((_, place)) => *place = Toml::Raw(value.to_owned()),
                None if make => table.push((key.clone(), Toml::Raw(value.to_owned()))),
                None => {}
            }
            return;
        }
        if known.is_none() && make {
            table.push((key.clone(), Toml::Table(Vec::new())));
        }
        if let Some((_, Toml::Table(below))) = table.iter_mut().find(|(k, _)| k == key) {
            Toml::set(below, rest, value, make);
        }
    }

    fn text(&self) -> String {
        match self {
            Toml::Raw(text) => text.clone(),
            Toml::Table(list) => {
                let items: Vec<String> = list.iter().map(|(k, v)| format!("{} = {}", key_text(k), v.text())).collect();
                format!("{{ {} }}", items.join(", "))
            }
        }
    }
}

/// A string of TOML.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
