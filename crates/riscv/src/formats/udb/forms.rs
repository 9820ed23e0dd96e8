//! The form of each kind of file: which keys, which of them are required, and what their values are.
//!
//! The problem: the schemas of the database are four thousand lines and accept half of the broken trees. The invariant: what is read
//! later has the type that is expected there. The method: one table per kind, walked together with the file. Traces that the
//! database's own tools leave (`$source`, `$child_of`, `$parent_of`) are accepted everywhere.

use isaglot_source::{Diagnostic, Severity, closest};

use super::condition::{self, Names};
use super::faults::Faults;
use super::tree::{Document, Tree};
use crate::formats::yaml::{Core, Node, Value};

/// What a value is.
enum Form {
    /// Anything; its references are checked nevertheless.
    Any,
    /// A text.
    Text,
    /// A text, or a list of texts with conditions.
    Prose,
    /// A text that a function accepts, and what is expected.
    Name(fn(&str) -> bool, &'static str),
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// A truth value.
    Bool,
    /// An integer from 0 on.
    Int,
    /// One integer or a list of them.
    Ints,
    /// What is read, and reported, elsewhere.
    Later,
    /// The bits: one encoding, or one per base.
    Bits,
    /// A condition.
    Condition,
    /// A list of such values.
    List(&'static Form),
    /// A mapping with these keys.
    Map(&'static [Key]),
    /// A mapping from any name.
    Names(&'static Form),
    /// A reference to a file.
    Reference,
}

struct Key {
    name: &'static str,
    required: bool,
    form: Form,
}

const fn must(name: &'static str, form: Form) -> Key {
    Key { name, required: true, form }
}

const fn may(name: &'static str, form: Form) -> Key {
    Key { name, required: false, form }
}

use Form::{
    Any, Bits, Bool, Condition, Int, Ints, Later, List, Map, Name, Names as AnyNames, OneOf, Prose, Reference, Text,
};

/// A kind of file.
struct Kind {
    schema: &'static str,
    kind: &'static str,
    keys: &'static [Key],
}

const WHEN: Form = OneOf(&["always", "sometimes", "never"]);

const STATES: Form =
    OneOf(&["development", "frozen", "public-review", "ratification-ready", "ratified", "nonstandard-released"]);

static FIELD: [Key; 6] = [
    must("name", Text),
    must("location", Later),
    may("left_shift", Int),
    may("sign_extend", Bool),
    may("alias", Text),
    may("not", Ints),
];

static ENCODING: [Key; 2] = [may("match", Later), may("variables", List(&Map(&FIELD)))];

static BASES: [Key; 2] = [may("RV32", Map(&ENCODING)), may("RV64", Map(&ENCODING))];

static OPCODE: [Key; 3] = [may("location", Later), may("display_name", Text), may("value", Later)];

static VARIABLE: [Key; 4] =
    [may("location", Later), may("type", Reference), may("sign_extend", Bool), may("alias", Text)];

static FORMAT: [Key; 4] = [
    may("type", Reference),
    may("subtype", Reference),
    may("opcodes", AnyNames(&Map(&OPCODE))),
    may("variables", AnyNames(&Map(&VARIABLE))),
];

static INSTRUCTION: [Key; 16] = [
    must("name", Name(is_mnemonic, "lower-case letters, digits and dots")),
    must("long_name", Text),
    must("description", Prose),
    must("definedBy", Condition),
    must("assembly", Text),
    must("access", Map(&[must("s", WHEN), must("u", WHEN), must("vs", WHEN), must("vu", WHEN), may("m", WHEN)])),
    may("access_detail", Text),
    may("encoding", Bits),
    may("format", Map(&FORMAT)),
    may("operation()", Text),
    may("sail()", Text),
    may("hints", List(&Reference)),
    may("pseudoinstructions", List(&Map(&[may("when", Text), may("to", Text)]))),
    may("data_independent_timing", Bool),
    may("cert_normative_rules", Any),
    may("cert_test_procedures", Any),
];

static VERSION: [Key; 9] = [
    must("version", Later),
    must("state", STATES),
    may("ratification_date", Later),
    may("repositories", Any),
    may("changes", List(&Text)),
    may("url", Text),
    may("contributors", Any),
    may("requirements", Condition),
    may("breaking", Bool),
];

static EXTENSION: [Key; 11] = [
    must("name", Name(is_extension, "a letter, or S, X or Z with lower-case letters and digits")),
    must("type", OneOf(&["privileged", "unprivileged"])),
    must("long_name", Text),
    must("description", Prose),
    must("versions", List(&Map(&VERSION))),
    may("requirements", Condition),
    may("rvi_jira_issue", Text),
    may("company", Any),
    may("doc_license", Any),
    may("cert_normative_rules", Any),
    may("cert_test_procedures", Any),
];

static PARAMETER: [Key; 6] = [
    must("name", Name(is_parameter, "upper-case letters, digits and _")),
    must("long_name", Text),
    must("description", Prose),
    must("definedBy", Condition),
    must("schema", Later),
    may("requirements", Condition),
];

static CSR: [Key; 17] = [
    must("name", Text),
    must("long_name", Text),
    must("description", Prose),
    must("definedBy", Condition),
    must("length", Any),
    must("writable", Bool),
    must("priv_mode", Text),
    may("address", Int),
    may("indirect_address", Int),
    may("indirect_slot", Int),
    may("virtual_address", Int),
    may("fields", AnyNames(&Any)),
    may("requires", Any),
    may("sw_read()", Text),
    may("$comment", Any),
    may("cert_normative_rules", Any),
    may("cert_test_procedures", Any),
];

static CODE: [Key; 4] =
    [must("name", Text), must("display_name", Text), must("num", Int), must("definedBy", Condition)];

static TYPE: [Key; 5] = [
    must("name", Text),
    must("description", Prose),
    must("length", Int),
    must("opcodes", AnyNames(&Map(&[must("location", Later)]))),
    may("variables", AnyNames(&Map(&[must("location", Later)]))),
];

static SUBTYPE: [Key; 2] = [must("name", Text), must("data", Map(&FORMAT))];

static VARIABLE_FILE: [Key; 2] = [must("name", Text), must("data", Map(&VARIABLE))];

static VARIABLE_TYPE: [Key; 4] = [
    must("name", Text),
    must("type", OneOf(&["register_reference", "immediate"])),
    may("register_file", OneOf(&["X", "F", "V"])),
    may("access", OneOf(&["R", "W", "RW"])),
];

static OPCODE_FILE: [Key; 2] = [must("name", Text), must("data", Map(&OPCODE))];

static KINDS: [Kind; 11] = [
    Kind { schema: "inst_schema", kind: "instruction", keys: &INSTRUCTION },
    Kind { schema: "ext_schema", kind: "extension", keys: &EXTENSION },
    Kind { schema: "param_schema", kind: "parameter", keys: &PARAMETER },
    Kind { schema: "csr_schema", kind: "csr", keys: &CSR },
    Kind { schema: "exception_code_schema", kind: "exception_code", keys: &CODE },
    Kind { schema: "interrupt_code_schema", kind: "interrupt_code", keys: &CODE },
    Kind { schema: "inst_type_schema", kind: "instruction_type", keys: &TYPE },
    Kind { schema: "inst_subtype_schema", kind: "instruction_subtype", keys: &SUBTYPE },
    Kind { schema: "inst_var_schema", kind: "instruction_variable", keys: &VARIABLE_FILE },
    Kind { schema: "inst_var_type_schema", kind: "instruction_variable_type", keys: &VARIABLE_TYPE },
    Kind { schema: "inst_opcode_schema", kind: "instruction_opcode", keys: &OPCODE_FILE },
];

fn is_mnemonic(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.'))
}

fn is_extension(text: &str) -> bool {
    match text.as_bytes() {
        [letter] => letter.is_ascii_uppercase() && *letter != b'X',
        [b'S' | b'X' | b'Z', rest @ ..] => rest.iter().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9')),
        _ => false,
    }
}

fn is_parameter(text: &str) -> bool {
    let rest = |b: u8| matches!(b, b'A'..=b'Z' | b'0'..=b'9' | b'_');
    text.starts_with(|c: char| c.is_ascii_uppercase()) && text.bytes().all(rest)
}

/// The name in `inst_schema.json#`, or in `https://riscv.org/udb/schemas/inst_schema-0.1.0.json`.
fn schema_name(text: &str) -> Option<&str> {
    let Some(address) = text.strip_prefix("https://riscv.org/udb/schemas/") else { return text.strip_suffix(".json#") };
    let (name, number) = address.strip_suffix('#').unwrap_or(address).strip_suffix(".json")?.rsplit_once('-')?;
    number.bytes().all(|b| b.is_ascii_digit() || b == b'.').then_some(name)
}

static FULLY: [Key; 6] = [
    must("name", Text),
    must("type", Text),
    must("description", Any),
    must("implemented_extensions", Later),
    must("params", AnyNames(&Later)),
    may("arch_overlay", Text),
];

static PARTLY: [Key; 10] = [
    must("name", Text),
    must("type", Text),
    must("description", Any),
    must("mandatory_extensions", Later),
    may("non_mandatory_extensions", Later),
    may("prohibited_extensions", Later),
    may("implemented_extensions", Later),
    may("additional_extensions", Bool),
    may("params", AnyNames(&Later)),
    may("arch_overlay", Text),
];

static NOT_AT_ALL: [Key; 4] =
    [must("name", Text), must("type", Text), must("description", Any), may("arch_overlay", Text)];

/// How much a configuration says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Configured {
    Fully,
    Partly,
    NotAtAll,
}

/// Checks a configuration, and says of which type it is.
pub(super) fn check_configuration(root: &Node, faults: &mut Faults) -> Option<Configured> {
    let (tree, names) = (Tree::default(), Names::default());
    let mut walk = Walk { tree: &tree, names: &names, faults, conditions: false };
    for (key, expected) in [("$schema", "config_schema"), ("kind", "architecture configuration")] {
        let name = |text| if key == "kind" { text } else { schema_name(text).unwrap_or(text) };
        match root.get(key).map(|n| (n, name(n.scalar().unwrap_or_default()))) {
            None => walk.faults.missing("udb-missing-key", root, key, format!("expected `{expected}`")),
            Some((node, text)) if text != expected => {
                let code = if key == "kind" { "udb-unknown-kind" } else { "udb-unknown-schema" };
                walk.faults.error(code, node.span, format!("expected `{expected}`, found `{text}`"));
            }
            Some(_) => {}
        }
    }
    let types = [("fully configured", Configured::Fully, &FULLY[..])].into_iter();
    let types = types.chain([("partially configured", Configured::Partly, &PARTLY[..])]);
    let mut types = types.chain([("unconfigured", Configured::NotAtAll, &NOT_AT_ALL[..])]);
    let Some(kind) = root.get("type") else {
        walk.faults.missing("udb-missing-key", root, "type", "a configuration says how much it says");
        return None;
    };
    let Some((_, configured, keys)) = types.find(|(name, ..)| kind.scalar() == Some(name)) else {
        let message = "expected `fully configured`, `partially configured` or `unconfigured`";
        walk.faults.error("udb-bad-value", kind.span, message);
        return None;
    };
    walk.map(root, keys, false, true);
    Some(configured)
}

/// Checks a file against the form of its kind.
pub(super) fn check(document: &Document, tree: &Tree, names: &Names, faults: &mut Faults) {
    let root = &document.root;
    let mut walk = Walk { tree, names, faults, conditions: false };
    if !matches!(root.value, Value::Map(_)) {
        walk.faults.error("udb-bad-type", root.span, format!("expected a mapping, found {}", root.what()));
        return;
    }
    let Some(schema) = root.get("$schema") else {
        if document.overlay_only {
            let message = "the overlay changes a file that the base does not have, and is not a whole object itself";
            walk.faults.missing("udb-overlay-orphan", root, "$schema", message);
        } else {
            walk.faults.missing("udb-missing-key", root, "$schema", "a file says which schema it follows");
        }
        return;
    };
    let written = schema.scalar().unwrap_or_default();
    let Some(kind) = KINDS.iter().find(|k| Some(k.schema) == schema_name(written)) else {
        let bare = written.trim_end_matches(".json#");
        let known = || KINDS.iter().map(|k| k.schema);
        let near = known().find(|name| *name == bare).or_else(|| closest(bare, known()));
        let near = near.map(|near| format!("{near}.json#"));
        let fault = Diagnostic::error("udb-unknown-schema", format!("there is no schema `{written}`"));
        walk.faults.push(fault.label(schema.span, "").did_you_mean(near.as_deref()));
        return;
    };
    match root.get("kind") {
        None => walk.faults.missing("udb-missing-key", root, "kind", format!("expected `{}`", kind.kind)),
        Some(node) if node.scalar() != Some(kind.kind) => {
            let message = format!("expected `{}`, which is what the schema says", kind.kind);
            walk.faults.error("udb-unknown-kind", node.span, message);
        }
        Some(_) => {}
    }
    if let Some(name) = root.get("name").filter(|name| name.scalar() != Some(document.stem())) {
        let message = format!("the file has the name `{}`", document.stem());
        walk.faults.error("udb-name-mismatch", name.span, message);
    }
    walk.conditions = !matches!(kind.kind, "instruction" | "extension");
    walk.map(root, kind.keys, kind.kind == "instruction", true);
}

struct Walk<'w, 't, 'a> {
    tree: &'w Tree<'a>,
    names: &'w Names<'t>,
    faults: &'w mut Faults,
    /// Conditions are checked here: nobody reads those of the others.
    conditions: bool,
}

impl Walk<'_, '_, '_> {
    fn expect(&mut self, node: &Node, good: bool, expected: &str) {
        if !good {
            self.faults.error("udb-bad-type", node.span, format!("expected {expected}, found {}", node.what()));
        }
    }

    fn map(&mut self, node: &Node, keys: &[Key], custom: bool, top: bool) {
        let Value::Map(entries) = &node.value else {
            self.expect(node, false, "a mapping");
            return;
        };
        for (key, value) in entries {
            if let Some(known) = keys.iter().find(|k| k.name == key.text) {
                self.form(value, &known.form);
                continue;
            }
            let trace = matches!(key.text.as_ref(), "$source" | "$child_of" | "$parent_of");
            let header = top && matches!(key.text.as_ref(), "$schema" | "kind");
            let free = custom && key.text.starts_with("custom_");
            if !(trace || header || free) {
                let near = closest(&key.text, keys.iter().map(|k| k.name));
                let fault = Diagnostic::error("udb-unknown-key", format!("unknown key `{}`", key.text));
                self.faults.push(fault.label(key.span, "").did_you_mean(near));
            }
        }
        for key in keys.iter().filter(|key| key.required && node.get(key.name).is_none()) {
            self.faults.missing("udb-missing-key", node, key.name, format!("key `{}` is missing", key.name));
        }
    }

    fn form(&mut self, node: &Node, form: &Form) {
        let core = node.core();
        match form {
            Any => self.references(node),
            Later => {}
            Text => self.expect(node, core == Some(Core::Text), "a text"),
            Bool => self.expect(node, node.bool().is_some(), "true or false"),
            Int => self.expect(node, node.int().is_some_and(|n| n >= 0), "an integer"),
            Ints => node.one_or_more().iter().for_each(|n| self.expect(n, n.int().is_some(), "an integer")),
            Prose => self.prose(node),
            Name(accepts, expected) => {
                if core != Some(Core::Text) {
                    self.expect(node, false, "a name");
                } else if !node.scalar().is_some_and(accepts) {
                    self.faults.error("udb-bad-value", node.span, format!("expected {expected}"));
                }
            }
            OneOf(values) => {
                if core != Some(Core::Text) {
                    self.expect(node, false, "a text");
                } else if !node.scalar().is_some_and(|text| values.contains(&text)) {
                    let near = closest(node.scalar().unwrap_or_default(), values.iter().copied());
                    let fault = Diagnostic::error("udb-bad-value", format!("expected {}", values.join(", ")));
                    self.faults.push(fault.label(node.span, "").did_you_mean(near));
                }
            }
            Bits if node.get("RV32").is_some() || node.get("RV64").is_some() => self.map(node, &BASES, false, false),
            Bits => self.map(node, &ENCODING, false, false),
            Condition if self.conditions => {
                condition::read(node, self.names, self.faults);
            }
            Condition => {}
            List(form) => match &node.value {
                Value::List(items) => items.iter().for_each(|item| self.form(item, form)),
                _ => self.expect(node, false, "a list"),
            },
            Map(keys) => self.map(node, keys, false, false),
            AnyNames(form) => match &node.value {
                Value::Map(entries) => {
                    entries
                        .iter()
                        .filter(|(k, _)| !k.text.starts_with('$'))
                        .for_each(|(_, value)| self.form(value, form));
                }
                _ => self.expect(node, false, "a mapping"),
            },
            Reference => self.reference(node),
        }
    }

    fn prose(&mut self, node: &Node) {
        let Value::List(items) = &node.value else {
            self.expect(node, node.core() == Some(Core::Text), "a text");
            return;
        };
        for item in items {
            match item.get("text") {
                Some(text) => self.expect(text, text.text().is_some(), "a text"),
                None => self.expect(item, false, "a mapping with `text`"),
            }
        }
    }

    /// `{ $ref: path/file.yaml# }`
    fn reference(&mut self, node: &Node) {
        let Some(target) = node.get("$ref") else {
            self.expect(node, false, "a reference `$ref: file.yaml#`");
            return;
        };
        let Some((file, _)) = target.scalar().and_then(|t| t.split_once('#')) else {
            self.expect(target, false, "a reference `file.yaml#`");
            return;
        };
        if !file.is_empty() && !self.tree.has(file) {
            let fault = |severity| Diagnostic::new(severity, "udb-missing-file", format!("there is no file `{file}`"));
            // No word depends on what hints refer to.
            let severity = if file.starts_with("inst/") { Severity::Warning } else { Severity::Error };
            self.faults.push(fault(severity).label(target.span, ""));
        }
    }

    /// References anywhere in what has no form of its own.
    fn references(&mut self, node: &Node) {
        match &node.value {
            Value::Scalar(..) => {}
            Value::List(items) => items.iter().for_each(|item| self.references(item)),
            Value::Map(_) if node.get("$ref").is_some() => self.reference(node),
            Value::Map(entries) => entries.iter().for_each(|(_, value)| self.references(value)),
        }
    }
}
