//! Texts in IDL: files of declarations, and what the rest of the tree gives names to; all of them are parsed and checked.
//!
//! A tree without files of declarations has those functions that the texts of instructions use everywhere.

use isaglot_source::{Diagnostic, Diagnostics, FileId, SourceMap};

use super::faults::Faults;
use super::tree::Tree;
use crate::Xlen;
use crate::formats::idl::syntax::{Declaration, Stmt};
use crate::formats::idl::{self, DecodeField, Parameter, Place, Program, Target};
use crate::formats::yaml::{Node, Value};
use crate::formats::{Encoding, Instruction, Table};

/// Whether a file has declarations.
pub(super) fn is_program(path: &str) -> bool {
    path.starts_with("isa/") && (path.ends_with(".idl") || path.ends_with(".isa"))
}

/// Reads and checks all texts. `sources` are the files of declarations in order: those of an overlay come last.
pub(super) fn read(
    sources: &[(String, FileId)],
    tree: &Tree,
    table: &Table,
    files: &SourceMap,
    details: bool,
    faults: &mut Faults,
) -> Program {
    let mut out = Diagnostics::new();
    let mut declarations = Vec::new();
    for (_, file) in sources {
        let text = files.get(*file).map(|f| String::from_utf8_lossy(&f.bytes)).unwrap_or_default();
        declarations.extend(idl::declarations(&Place::plain(*file, 0), &text, &mut out));
    }
    let mut program = if sources.is_empty() { Program::prelude() } else { Program::new(&declarations) };
    names(tree, &mut program);
    let end = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    for d in &declarations {
        if let Declaration::Include(name) = d
            && !sources.iter().any(|(path, _)| end(path) == end(&name.text))
        {
            let message = format!("there is no file `{}`", name.text);
            out.push(Diagnostic::error("udb-missing-file", message).label(name.span, ""));
        }
    }
    idl::check_declarations(&program, &declarations, &mut out);
    for instruction in &table.instructions {
        let Some((text, span)) = &instruction.idl else { continue };
        let before = out.error_count();
        let body = idl::statements(&Place::of_block(files, *span, text), text, &mut out);
        // What a broken text says is not checked: most of it would be said of what is missing.
        if out.error_count() == before {
            idl::check(&program, &fields(instruction), &body, &mut out);
        }
        if details && out.error_count() == before {
            oddities((&program, table), instruction, &body, faults);
        }
    }
    for d in out.iter() {
        faults.push(d.clone());
    }
    program
}

/// Warns of what a text does that can hardly be meant, on a machine of a width that has it.
fn oddities((program, table): (&Program, &Table), instruction: &Instruction, body: &[Stmt], faults: &mut Faults) {
    for xlen in [Xlen::Rv32, Xlen::Rv64] {
        let possible = |_: &&Encoding| table.can_hold(&instruction.condition, xlen);
        let Some(encoding) = instruction.encoding(xlen).filter(possible) else { continue };
        let fields: Vec<DecodeField> = encoding.fields.iter().map(DecodeField::of).collect();
        // What has no form in the semantics language is not said here: nothing is wrong with it.
        let lowered = idl::lower(program, &Target::user(xlen), &fields, body);
        lowered.into_iter().flat_map(|lowered| lowered.findings).for_each(|d| faults.push(d));
    }
}

/// The names of an instruction's fields, for either register width.
fn fields(instruction: &Instruction) -> Vec<(&str, bool)> {
    let all = instruction.encodings.iter().flatten().flat_map(|e| &e.fields);
    all.flat_map(|f| std::iter::once(&f.name).chain(&f.alias).map(|name| (name.as_str(), f.signed))).collect()
}

/// What the tree gives names to.
fn names(tree: &Tree, program: &mut Program) {
    for document in &tree.documents {
        let root = &document.root;
        let Some(name) = root.get("name").and_then(Node::scalar) else { continue };
        let member = |key: &str| {
            let number = root.get(key).and_then(Node::int).and_then(|n| u128::try_from(n).ok()).unwrap_or_default();
            std::iter::once((name.to_owned(), number))
        };
        match document.kind() {
            Some("extension") => program.members("ExtensionName", member("num")),
            Some("exception_code") => program.members("ExceptionCode", member("num")),
            Some("interrupt_code") => program.members("InterruptCode", member("num")),
            Some("parameter") => {
                let parameter = root.get("schema").map_or(Parameter::Other, parameter);
                program.parameters.insert(name.to_owned(), parameter);
            }
            Some("csr") => {
                let fields = root.get("fields").map_or(&[][..], Node::map);
                program.csrs.insert(name.to_owned(), fields.iter().map(|(key, _)| key.text.to_string()).collect());
            }
            _ => {}
        }
    }
}

/// What values a schema allows.
fn parameter(schema: &Node) -> Parameter {
    if let Some(kind) = schema.get("type").and_then(Node::scalar) {
        return match kind {
            "integer" => Parameter::Number,
            "boolean" => Parameter::Truth,
            "string" => Parameter::Text,
            "array" => match schema.get("items").map(parameter) {
                Some(Parameter::Number) => Parameter::Numbers,
                _ => Parameter::Other,
            },
            _ => Parameter::Other,
        };
    }
    // The kinds of alternatives are one.
    match &schema.value {
        Value::Map(entries) => {
            let inner =
                entries.iter().filter(|(key, _)| matches!(key.text.as_ref(), "oneOf" | "anyOf" | "allOf" | "schema"));
            inner.map(|(_, node)| parameter(node)).find(|p| *p != Parameter::Other).unwrap_or(Parameter::Other)
        }
        Value::List(items) => items.iter().map(parameter).find(|p| *p != Parameter::Other).unwrap_or(Parameter::Other),
        Value::Scalar(..) => Parameter::Other,
    }
}
