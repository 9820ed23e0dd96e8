//! A word taken apart, as JSON: what `isaglot explain --json` prints for each word.

use isaglot_bits::Word;
use isaglot_model::{EncodingId, Isa};
use isaglot_source::SourceMap;
use serde_json::{Value, json};

use super::{Explained, Explanation, full_hex};

/// The form of an answer, its `$schema`: `schemas/explain-1.json` is the JSON Schema.
pub const FORM: &str = "urn:isaglot:explain:1";

/// An answer as JSON.
#[must_use]
pub fn to_json(isa: &Isa, files: &SourceMap, word: &Word, e: &Explanation) -> Value {
    let encoding = |id: EncodingId| {
        let e = &isa[id];
        json!({ "name": isa.text(e.name), "mnemonic": e.display_name, "at": files.location(e.span),
                "pattern": e.pattern.to_string() })
    };
    let mut answer = json!({ "$schema": FORM, "word": format!("0x{}", full_hex(word)), "bits": word.width() });
    let more = match e {
        Explanation::Match(e) => json!({ "match": explained_json(isa, files, e, &encoding) }),
        Explanation::Conflict { first, second } => json!({ "conflict": [encoding(*first), encoding(*second)] }),
        Explanation::None(near) => {
            let near = near.iter().map(|n| {
                let wrong: Vec<u32> = n.wrong.ones_iter().collect();
                json!({ "encoding": encoding(n.encoding), "wrong_bits": wrong })
            });
            json!({ "nearest": near.collect::<Vec<_>>() })
        }
    };
    if let (Value::Object(answer), Value::Object(more)) = (&mut answer, more) {
        answer.extend(more);
    }
    answer
}

fn explained_json(isa: &Isa, files: &SourceMap, e: &Explained, encoding: &dyn Fn(EncodingId) -> Value) -> Value {
    let cases = e.cases.iter().map(|c| {
        json!({ "owner": c.owner, "guard": c.guard.as_ref().map(|g| &g.0), "value": c.guard.as_ref().map(|g| g.1),
                "shown": c.shown })
    });
    let fields = e.fields.iter().map(|f| {
        let bits: Vec<Value> = f.ranges.iter().map(|r| json!({ "low": r.lo, "width": r.width })).collect();
        json!({
            "name": isa.shown(f.name), "bits": bits, "derived": f.derived, "value": format!("0x{}", full_hex(&f.value)),
            "text": String::from_utf8_lossy(&f.text), "nested": f.nested.as_ref().map(|n| explained_json(isa, files, n, encoding)),
        })
    });
    let undefined = e.undefined.iter().map(|name| super::undefined_text(isa, files, e, name));
    json!({
        "undefined": undefined.collect::<Vec<_>>(), "encoding": encoding(e.encoding), "text": String::from_utf8_lossy(&e.text),
        "errors": String::from_utf8_lossy(&e.errors), "cases": cases.collect::<Vec<_>>(),
        "fields": fields.collect::<Vec<_>>(), "dont_care_set": e.dont_care.ones_iter().collect::<Vec<_>>(),
    })
}
