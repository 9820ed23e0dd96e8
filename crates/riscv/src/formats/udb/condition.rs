//! Conditions: `definedBy`, `requirements`, and the like.
//!
//! A mapping of exactly one key says what is meant. Below `extension` and `param` the operators range over terms of that kind
//! without the word. Each place where this is broken is a fault; what can be read is read.

use isaglot_source::{Diagnostic, closest};
use rustc_hash::FxHashSet;

use super::faults::Faults;
use super::version::Requirement;
use crate::formats::yaml::{Core, Node, Value};
use crate::formats::{Comparison, Constant, Formula, ParameterTest};

/// The names that conditions may use.
#[derive(Default)]
pub(super) struct Names<'t> {
    /// Extensions.
    pub(super) extensions: FxHashSet<&'t str>,
    /// Parameters.
    pub(super) parameters: FxHashSet<&'t str>,
}

/// Reads a condition; what is wrong with it is reported and holds.
pub(super) fn read(node: &Node, names: &Names, faults: &mut Faults) -> Formula {
    Reader { names, faults }.condition(node)
}

struct Reader<'r, 't> {
    names: &'r Names<'t>,
    faults: &'r mut Faults,
}

/// Over what operators range.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Condition,
    Extension,
    Parameter,
}

impl Reader<'_, '_> {
    fn bad(&mut self, node: &Node, message: impl Into<String>) -> Formula {
        self.faults.error("udb-bad-condition", node.span, message);
        Formula::True
    }

    fn condition(&mut self, node: &Node) -> Formula {
        self.term(node, Kind::Condition)
    }

    fn term(&mut self, node: &Node, kind: Kind) -> Formula {
        let Value::Map(entries) = &node.value else {
            let code = if kind == Kind::Condition { "udb-bad-type" } else { "udb-bad-condition" };
            self.faults.error(code, node.span, format!("expected a condition, found {}", node.what()));
            return Formula::True;
        };
        match kind {
            Kind::Extension if node.get("name").is_some() => return self.extension(node),
            Kind::Parameter if node.get("name").is_some() => return self.parameter(node),
            Kind::Extension if node.get("if").is_some() => return self.implication(node),
            _ => {}
        }
        let mut keys = entries.iter().filter(|(key, _)| kind != Kind::Condition || key.text != "reason");
        let (Some((key, value)), None) = (keys.next(), keys.next()) else {
            return self.bad(node, format!("expected one key, found {}", entries.len()));
        };
        match (key.text.as_ref(), kind) {
            ("allOf" | "anyOf" | "oneOf" | "noneOf", _) => self.operator(node, &key.text, value, kind),
            ("not", _) => Formula::Not(Box::new(self.term(value, kind))),
            ("extension", Kind::Condition) => self.term(value, Kind::Extension),
            ("param", Kind::Condition) => self.term(value, Kind::Parameter),
            ("xlen", Kind::Condition) => self.xlen(value),
            ("idl()", Kind::Condition) => match value.text() {
                Some(text) => Formula::Idl(text.to_owned()),
                None => self.bad(value, format!("expected a text, found {}", value.what())),
            },
            (other, _) => {
                let expected = match kind {
                    Kind::Condition => "extension, param, xlen, allOf, anyOf, oneOf, noneOf, not or idl()",
                    Kind::Extension => "name, allOf, anyOf, oneOf, noneOf, not or if",
                    Kind::Parameter => "name, allOf, anyOf, oneOf, noneOf or not",
                };
                self.faults.error("udb-bad-condition", key.span, format!("expected {expected}, found `{other}`"));
                Formula::True
            }
        }
    }

    fn operator(&mut self, node: &Node, name: &str, value: &Node, kind: Kind) -> Formula {
        let Value::List(items) = &value.value else {
            return self.bad(value, format!("expected a list of conditions, found {}", value.what()));
        };
        let terms: Vec<Formula> = items.iter().map(|item| self.term(item, kind)).collect();
        if terms.len() < 2 {
            // The object as a whole is at fault, not the list: it should be the only term itself.
            return self.bad(node, format!("`{name}` needs two conditions or more, found {}", terms.len()));
        }
        match name {
            "allOf" => Formula::All(terms),
            "anyOf" => Formula::Any(terms),
            "oneOf" => Formula::One(terms),
            _ => Formula::Not(Box::new(Formula::Any(terms))),
        }
    }

    /// `if` a condition holds `then` an extension must.
    fn implication(&mut self, node: &Node) -> Formula {
        let (Some(when), Some(then), 2) = (node.get("if"), node.get("then"), node.map().len()) else {
            return self.bad(node, "expected `if` and `then`");
        };
        let (when, then) = (self.condition(when), self.term(then, Kind::Extension));
        Formula::Any(vec![Formula::Not(Box::new(when)), then])
    }

    fn xlen(&mut self, value: &Node) -> Formula {
        match value.int() {
            Some(width @ (32 | 64)) => Formula::Xlen(width as u32),
            Some(other) => {
                self.faults.error("udb-bad-value", value.span, format!("expected 32 or 64, found {other}"));
                Formula::True
            }
            None => {
                self.faults.error("udb-bad-type", value.span, format!("expected 32 or 64, found {}", value.what()));
                Formula::True
            }
        }
    }

    fn extension(&mut self, node: &Node) -> Formula {
        self.only(node, &["name", "version"]);
        let name = node.get("name").and_then(Node::text).unwrap_or_default();
        if let Some(place) = node.get("name") {
            if place.text().is_none() {
                self.faults.error("udb-bad-type", place.span, format!("expected a name, found {}", place.what()));
            } else if !self.names.extensions.contains(name) {
                let near = closest(name, self.names.extensions.iter().copied());
                let fault =
                    Diagnostic::error("udb-unknown-extension", format!("no file describes an extension `{name}`"));
                self.faults.push(fault.label(place.span, "").did_you_mean(near));
            }
        }
        let versions = node.get("version").map_or(&[][..], Node::one_or_more);
        Formula::Extension(name.to_owned(), versions.iter().filter_map(|v| requirement(v, self.faults)).collect())
    }

    fn parameter(&mut self, node: &Node) -> Formula {
        use Comparison::*;
        let tests = [
            ("equal", Equal),
            ("notEqual", NotEqual),
            ("lessThan", Less),
            ("greaterThan", Greater),
            ("lessThanOrEqual", LessOrEqual),
            ("greaterThanOrEqual", GreaterOrEqual),
            ("oneOf", OneOf),
            ("includes", Includes),
        ];
        let known: Vec<&str> =
            ["name", "index", "size", "reason"].into_iter().chain(tests.map(|(key, _)| key)).collect();
        self.only(node, &known);
        let name = node.get("name").and_then(Node::text).unwrap_or_default().to_owned();
        if let Some(place) = node.get("name").filter(|_| !self.names.parameters.contains(name.as_str())) {
            let near = closest(&name, self.names.parameters.iter().copied());
            let fault = Diagnostic::error("udb-bad-condition", format!("no file describes a parameter `{name}`"));
            self.faults.push(fault.label(place.span, "").did_you_mean(near));
        }
        let mut given = tests.iter().filter_map(|(key, test)| Some((*test, node.get(key)?)));
        let (Some((test, value)), None) = (given.next(), given.next()) else {
            return self.bad(node, "expected one test such as `equal`");
        };
        let index = node.get("index").and_then(Node::int).and_then(|n| u64::try_from(n).ok());
        if let Some(place) = node.get("index").filter(|_| index.is_none()) {
            self.faults.error("udb-bad-type", place.span, format!("expected an index, found {}", place.what()));
        }
        let values: Vec<Constant> = match (test, &value.value) {
            (OneOf, Value::List(items)) => items.iter().map(constant).collect(),
            (OneOf, _) => return self.bad(value, format!("expected a list of values, found {}", value.what())),
            _ => vec![constant(value)],
        };
        // The width of a hart and its parameter coincide where encodings are chosen.
        if let ("MXLEN", Equal, [Constant::Int(width @ (32 | 64))]) = (name.as_str(), test, values.as_slice()) {
            return Formula::Xlen(*width as u32);
        }
        let size = node.get("size").and_then(Node::bool).unwrap_or(false);
        Formula::Parameter(ParameterTest { name, index, size, test, values })
    }

    fn only(&mut self, node: &Node, known: &[&str]) {
        for (key, _) in node.map().iter().filter(|(key, _)| !known.contains(&key.text.as_ref())) {
            let message = format!("unknown key `{}`; expected {}", key.text, known.join(", "));
            self.faults.error("udb-bad-condition", key.span, message);
        }
    }
}

/// Reads one requirement of a version; nothing if it is not one.
pub(super) fn requirement(node: &Node, faults: &mut Faults) -> Option<String> {
    let text = node.scalar().unwrap_or_default().trim();
    if Requirement::parse(text).is_none() {
        let message = format!("expected `=`, `>`, `<`, `>=`, `<=` or `~>` and a version, found `{text}`");
        faults.error("udb-bad-version", node.span, message);
        return None;
    }
    Some(text.to_owned())
}

/// A value of a parameter.
pub(super) fn constant(node: &Node) -> Constant {
    match (&node.value, node.core()) {
        (Value::List(items), _) => Constant::List(items.iter().map(constant).collect()),
        (_, Some(Core::Int(n))) => Constant::Int(n),
        (_, Some(Core::Bool(b))) => Constant::Bool(b),
        _ => Constant::Text(node.scalar().unwrap_or_default().to_owned()),
    }
}
