//! What a question asks, out of its JSON object. A member of the wrong kind, and one that nothing knows, is an error: it is never
//! read as if it were missing.

use isaglot_source::{Diagnostic, closest};
use serde_json::{Map, Value};

/// The object of a question. Members are taken out as they are read.
pub(crate) struct Request {
    members: Map<String, Value>,
}

impl Request {
    /// Reads the object.
    pub(crate) fn read(text: &[u8]) -> Result<Request, Diagnostic> {
        match serde_json::from_slice(text) {
            Ok(Value::Object(members)) => Ok(Request { members }),
            Ok(_) => Err(wrong("a question is a JSON object".to_owned())),
            Err(e) => Err(wrong(format!("the question is not JSON: {e}"))),
        }
    }

    fn take<T>(&mut self, name: &str, kind: &str, read: impl Fn(Value) -> Option<T>) -> Result<Option<T>, Diagnostic> {
        match self.members.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| wrong(format!("`{name}` is not {kind}"))),
        }
    }

    /// A text; `None` if it is missing.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Diagnostic> {
        self.take(name, "a string", |value| match value {
            Value::String(text) => Some(text),
            _ => None,
        })
    }

    /// A text that must be there.
    pub(crate) fn needed(&mut self, name: &str) -> Result<String, Diagnostic> {
        self.text(name)?.ok_or_else(|| wrong(format!("`{name}` is missing")))
    }

    /// Yes or no; `None` if it is missing.
    pub(crate) fn switch(&mut self, name: &str) -> Result<Option<bool>, Diagnostic> {
        self.take(name, "a boolean", |value| value.as_bool())
    }

    /// Yes or no; no if it is missing.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, Diagnostic> {
        Ok(self.switch(name)?.unwrap_or(false))
    }

    /// A list of texts; empty if it is missing.
    pub(crate) fn texts(&mut self, name: &str) -> Result<Vec<String>, Diagnostic> {
        let read = |value| match value {
            Value::Array(all) => all.into_iter().map(|one| one.as_str().map(str::to_owned)).collect(),
            _ => None,
        };
        Ok(self.take(name, "an array of strings", read)?.unwrap_or_default())
    }

    /// Nothing is left that nobody has read.
    pub(crate) fn end(self) -> Result<(), Diagnostic> {
        match self.members.keys().next() {
            None => Ok(()),
            Some(name) => Err(wrong(format!("`{name}` means nothing to this question"))),
        }
    }
}

/// A question that is wrong in itself.
pub(crate) fn wrong(message: String) -> Diagnostic {
    Diagnostic::error("wasm-question", message)
}

/// No verb has this name.
pub(crate) fn unknown(name: &str, known: &[&str]) -> Diagnostic {
    wrong(format!("nothing is called `{name}`")).did_you_mean(closest(name, known.iter().copied()))
}
