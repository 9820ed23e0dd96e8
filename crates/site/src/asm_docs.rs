//! The documentation of instructions in the form that Compiler Explorer takes: a TypeScript file with a function from an opcode to its
//! markup, its tooltip and the address of its page.
//!
//! The problem: what people look up is what stands first in a line, and that is neither unique (an opcode has several encodings) nor always
//! the name of an encoding (aliases have names of their own). The method: the first word of the text of each view is an opcode, in
//! upper case, and an opcode has all that its views say. A text that begins with an operand has no such word: then the mnemonic is the opcode.

use std::collections::{BTreeMap, BTreeSet};

use isaglot_model::{Condition, EncodingId, Isa};

use crate::html::{Escaped, paragraphs};
use crate::instruction::{condition, outdented};
use crate::slug::Slugs;
use crate::syntax;
use crate::view::{View, views};

/// What is said of an opcode.
#[derive(Default)]
struct Said {
    /// Each text with the encoding that has it.
    forms: Vec<(EncodingId, String)>,
    encodings: Vec<EncodingId>,
}

/// The file `asm-docs-NAME.ts` of a description. `base` is the address of its pages, ending in `/`; without one, opcodes have no address.
#[must_use]
pub fn text(isa: &Isa, base: &str) -> String {
    let slugs = Slugs::new(isa);
    let mut all: BTreeMap<String, Said> = BTreeMap::new();
    for id in crate::mnemonics::sorted(isa) {
        for view in views(isa, &isa[id]) {
            let said = all.entry(opcode(isa, id, &view)).or_default();
            let form = (id, form(isa, id, &view));
            if !said.forms.contains(&form) {
                said.forms.push(form);
            }
            if !said.encodings.contains(&id) {
                said.encodings.push(id);
            }
        }
    }
    let mut out = String::from(
        "import type {AssemblyInstructionInfo} from '../../../types/assembly-docs.interfaces.js';\n\n\
         export function getAsmOpcode(opcode: string | undefined): AssemblyInstructionInfo | undefined {\n    \
         if (!opcode) return;\n    switch (opcode.toUpperCase()) {\n",
    );
    for (opcode, said) in &all {
        let url = match said.encodings.first() {
            Some(&id) if !base.is_empty() => format!("{base}{}", slugs.encoding(id)),
            _ => String::new(),
        };
        out.push_str(&format!("        case {}:\n            return {{\n", quoted(opcode)));
        out.push_str(&format!("                html: {},\n", quoted(&markup(isa, said))));
        out.push_str(&format!("                tooltip: {},\n", quoted(&tooltip(isa, said))));
        out.push_str(&format!("                url: {},\n            }};\n\n", quoted(&url)));
    }
    out.push_str("    }\n}\n");
    out
}

/// A string of TypeScript: that of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// What an opcode is looked up by.
fn opcode(isa: &Isa, id: EncodingId, view: &View<'_>) -> String {
    let encoding = &isa[id];
    let text = syntax::plain(isa, encoding, view);
    let first = text.split_whitespace().next().unwrap_or("");
    let is_word = first.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '.')
        && first.chars().all(|c| c.is_alphanumeric() || "._".contains(c));
    let name = if is_word {
        first
    } else if encoding.display_name.is_empty() {
        isa.text(encoding.name)
    } else {
        &encoding.display_name
    };
    name.to_uppercase()
}

/// The text of a view as markup, fields without braces.
fn form(isa: &Isa, id: EncodingId, view: &View<'_>) -> String {
    syntax::inline(isa, &isa[id], view).replace("<var>", "<i>").replace("</var>", "</i>")
}

fn markup(isa: &Isa, said: &Said) -> String {
    let mut blocks: Vec<String> = Vec::new();
    for &id in &said.encodings {
        let encoding = &isa[id];
        let mut block = String::new();
        for (_, form) in said.forms.iter().filter(|(of, _)| *of == id) {
            block.push_str(&format!("<span class=\"opcode\">{form}</span><br/>"));
        }
        paragraphs(&encoding.doc, &mut block);
        if let Some(semantics) = &encoding.semantics {
            block.push_str(&format!("<pre>{}</pre>", Escaped(&outdented(&semantics.text))));
        }
        if encoding.condition != Condition::Always {
            block.push_str(&format!("<div><b>Needs</b>: {}</div>", Escaped(&condition(isa, &encoding.condition))));
        }
        // Encodings that differ in their bits alone say the same.
        if !blocks.contains(&block) {
            blocks.push(block);
        }
    }
    format!("<div>{}</div>", blocks.join("<br/>"))
}

/// Plain text: what the description says, or what the semantics say, or the forms.
fn tooltip(isa: &Isa, said: &Said) -> String {
    let mut lines = BTreeSet::new();
    let mut once = Vec::new();
    let mut add = |text: String| {
        if !text.is_empty() && lines.insert(text.clone()) {
            once.push(text);
        }
    };
    for &id in &said.encodings {
        let doc: Vec<&str> = isa[id].doc.split_whitespace().collect();
        let does = isa[id].semantics.as_ref().map_or_else(String::new, |semantics| outdented(&semantics.text));
        add(if doc.is_empty() { does } else { doc.join(" ") });
    }
    if once.is_empty() {
        for &id in &said.encodings {
            for view in views(isa, &isa[id]) {
                once.push(syntax::plain(isa, &isa[id], &view).replace(['{', '}'], ""));
            }
        }
        once.dedup();
    }
    once.join("\n")
}
