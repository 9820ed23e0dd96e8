//! Selecting records: `Instruction where Size = 4 and hasSideEffects = 1`.
//!
//! ```text
//! query     = class [ "where" condition { "and" condition } ] [ "show" field { "," field } ]
//! condition = field ( "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" ) value | ["not"] field
//! ```
//! `~` is "contains". A field alone is true if it is set and neither 0, empty nor `?`. The class `*` is every record. A
//! field may be a path through records: `Parent.Size`.

use crate::Records;
use crate::api::{Def, Value};
use crate::print::quote;

/// How a field is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Contains,
    True,
    False,
}

const TESTS: &[(&str, Test)] = &[
    ("!=", Test::NotEqual),
    ("<=", Test::LessEqual),
    (">=", Test::GreaterEqual),
    ("=", Test::Equal),
    ("<", Test::Less),
    (">", Test::Greater),
    ("~", Test::Contains),
];

/// A selection that was read.
#[derive(Clone, Debug)]
pub struct Query {
    class: String,
    conditions: Vec<(String, Test, String)>,
    show: Vec<String>,
}

fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = if first == '"' {
            let end = rest[1..].find('"').ok_or("a string has no end")?;
            end + 2
        } else if let Some((op, _)) = TESTS.iter().find(|t| rest.starts_with(t.0)) {
            op.len()
        } else if first == ',' {
            1
        } else {
            rest.find(|c: char| c.is_whitespace() || "=!<>~,\"".contains(c)).unwrap_or(rest.len()).max(first.len_utf8())
        };
        words.push(rest[..len].to_owned());
        rest = rest[len..].trim_start();
    }
    Ok(words)
}

impl Query {
    /// Reads a selection.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Query, String> {
        let words = words(text)?;
        let mut words = words.iter().map(String::as_str).peekable();
        let class = words.next().ok_or("expected a class, or * for all records")?.to_owned();
        let mut query = Query { class, conditions: Vec::new(), show: Vec::new() };
        let mut word = words.next();
        if word == Some("where") {
            loop {
                let mut field = words.next().ok_or("expected a field after 'where' or 'and'")?;
                let mut test = Test::True;
                if field == "not" {
                    test = Test::False;
                    field = words.next().ok_or("expected a field after 'not'")?;
                }
                let mut value = String::new();
                if let Some(&(_, found)) = words.peek().and_then(|w| TESTS.iter().find(|t| t.0 == *w)) {
                    words.next();
                    test = found;
                    value = words.next().ok_or_else(|| format!("expected a value for '{field}'"))?.to_owned();
                }
                query.conditions.push((field.to_owned(), test, value));
                word = words.next();
                if word != Some("and") {
                    break;
                }
            }
        }
        if word == Some("show") {
            query.show = words.by_ref().filter(|w| *w != ",").map(str::to_owned).collect();
            word = None;
        }
        match word {
            Some(word) => Err(format!("expected 'where', 'and' or 'show', found '{word}'")),
            None => Ok(query),
        }
    }

    /// The records that it selects, in natural order.
    ///
    /// # Errors
    ///
    /// If there is no such class.
    pub fn select<'a>(&self, records: &'a Records) -> Result<Vec<Def<'a>>, String> {
        let mut defs = if self.class == "*" {
            let mut all: Vec<Def<'a>> = records.defs().collect();
            all.sort_by(|a, b| crate::natural::compare(a.name().as_bytes(), b.name().as_bytes()));
            all
        } else if records.class(&self.class).is_some() {
            records.defs_of(&self.class)
        } else {
            let names: Vec<String> = records.classes().map(|c| c.name().into_owned()).collect();
            let near = isaglot_source::closest(&self.class, names.iter().map(String::as_str));
            let hint = near.map_or_else(String::new, |n| format!("; did you mean '{n}'?"));
            return Err(format!("there is no class '{}'{hint}", self.class));
        };
        defs.retain(|&d| self.conditions.iter().all(|(field, test, value)| holds(d, field, *test, value)));
        Ok(defs)
    }

    /// The selection as a table: a record a line, the shown fields after its name.
    pub fn table(&self, defs: &[Def<'_>]) -> String {
        let mut out = String::new();
        for def in defs {
            out.push_str(&def.name());
            for field in &self.show {
                out.push('\t');
                out.push_str(&at(*def, field).map_or_else(|| "-".to_owned(), |v| v.to_string()));
            }
            out.push('\n');
        }
        out
    }

    /// The selection as JSON: a list of objects, values as text.
    pub fn json(&self, defs: &[Def<'_>]) -> Vec<u8> {
        let mut out = b"[".to_vec();
        for (i, def) in defs.iter().enumerate() {
            out.extend(if i == 0 { b"\n".as_slice() } else { b",\n" });
            out.extend(b"{\"name\":");
            quote(def.name().as_bytes(), &mut out);
            for field in &self.show {
                out.push(b',');
                quote(field.as_bytes(), &mut out);
                out.push(b':');
                match at(*def, field) {
                    None | Some(Value::Unset) => out.extend(b"null"),
                    Some(Value::Int(n)) => out.extend(n.to_string().as_bytes()),
                    Some(Value::Bit(b)) => out.extend(if b { b"1" } else { b"0" }),
                    Some(Value::String(s)) => quote(s, &mut out),
                    Some(other) => quote(other.to_string().as_bytes(), &mut out),
                }
            }
            out.push(b'}');
        }
        out.extend(b"\n]\n");
        out
    }
}

/// A field, perhaps by way of other records.
fn at<'a>(def: Def<'a>, path: &str) -> Option<Value<'a>> {
    let (first, rest) = match path.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    match (def.get(first)?, rest) {
        (value, None) => Some(value),
        (Value::Def(next), Some(rest)) => at(next, rest),
        _ => None,
    }
}

fn holds(def: Def<'_>, field: &str, test: Test, wanted: &str) -> bool {
    let Some(value) = at(def, field) else { return test == Test::False };
    let number = match value {
        Value::Int(n) => Some(n),
        Value::Bit(b) => Some(i64::from(b)),
        Value::Bits(b) => b.int(),
        _ => None,
    };
    let text = match value {
        Value::String(s) => String::from_utf8_lossy(s).into_owned(),
        other => other.to_string(),
    };
    let wanted = wanted.trim_matches('"');
    let truth = match (&value, number) {
        (_, Some(n)) => n != 0,
        (Value::Unset, _) => false,
        (Value::List(l), _) => !l.is_empty(),
        _ => !text.is_empty(),
    };
    let order = match (number, parse_number(wanted)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => text.as_str().cmp(wanted),
    };
    match test {
        Test::Equal => order.is_eq(),
        Test::NotEqual => order.is_ne(),
        Test::Less => order.is_lt(),
        Test::LessEqual => order.is_le(),
        Test::Greater => order.is_gt(),
        Test::GreaterEqual => order.is_ge(),
        Test::Contains => text.contains(wanted),
        Test::True => truth,
        Test::False => !truth,
    }
}

fn parse_number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}
