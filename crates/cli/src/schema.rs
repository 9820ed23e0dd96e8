//! Which form a JSON that the program prints has: its `$schema`.
//!
//! The problem: a tool that reads our JSON has to know what it may count on, also after an update. The rule: each object or line says
//! the name of its form and the number of its version, `urn:isaglot:NAME:VERSION`. A key may come new within a version; that one goes, or means
//! something else, makes a new version. `schemas/NAME-VERSION.json` beside the sources is the JSON Schema; `tests/schemas.rs` holds what the verbs print
//! against it. The form of `explain` is in the library (`isaglot::explain::json`). Formats that others define have their own marks: listings (`version`), SARIF (`$schema`), and `tblgen`'s, which is `llvm-tblgen`'s.

use serde_json::Value;

/// What a computerator file says before its instructions: `isaglot asm --headers`.
pub(crate) const ASM_HEADERS: &str = "urn:isaglot:asm-headers:1";
/// A map of labels: `isaglot asm --map`.
pub(crate) const ASM_MAP: &str = "urn:isaglot:asm-map:1";
/// What a check has found.
pub(crate) const CHECK: &str = isaglot_verify::json::FORM;
/// What a check has found that is new, or gone.
pub(crate) const CHECK_SINCE: &str = "urn:isaglot:check-since:1";
/// Where a description and a tool differ.
pub(crate) const CONFORM: &str = "urn:isaglot:conform:1";
/// Where two descriptions differ.
pub(crate) const DIFF: &str = "urn:isaglot:diff:1";
/// Where tables of RISC-V's published formats differ.
pub(crate) const DIFF_FORMATS: &str = "urn:isaglot:diff-formats:1";
/// Where two descriptions of what instructions do differ.
pub(crate) const DIFF_SEMANTICS: &str = "urn:isaglot:diff-semantics:1";
/// What pages about a description show.
pub(crate) const DOCS: &str = "urn:isaglot:docs:1";
/// Register pressure.
pub(crate) const HOT: &str = "urn:isaglot:hot:1";
/// The numbers of interfaces.
pub(crate) const INTERFACE_HASH: &str = "urn:isaglot:interface-hash:1";
/// The map of a processor's interfaces.
pub(crate) const INTERFACE_MAP: &str = "urn:isaglot:interface-map:1";
/// What is wrong in kernels.
pub(crate) const LINT: &str = "urn:isaglot:lint:1";
/// A message.
pub(crate) const MESSAGE: &str = "urn:isaglot:message:1";
/// The names of instruction sets.
pub(crate) const NAMES: &str = "urn:isaglot:names:1";
/// A program among many.
pub(crate) const PROGRAM: &str = "urn:isaglot:program:1";
/// A law that was to be proved.
pub(crate) const PROOF: &str = "urn:isaglot:proof:1";
/// The state of a processor after a program.
pub(crate) const RUN: &str = "urn:isaglot:run:1";
/// `run --json`, of a machine of a description.
pub(crate) const RUN_DESCRIBED: &str = "urn:isaglot:run-described:1";
/// `step --json`.
pub(crate) const STEP: &str = "urn:isaglot:step:1";
/// Names and places of a SPIR-V module that was assembled.
pub(crate) const SPIRV_MAP: &str = "urn:isaglot:spirv-map:1";
/// What a description lacks, by many programs.
pub(crate) const TRIAGE: &str = "urn:isaglot:triage:1";

/// An object that says which form it has.
pub(crate) fn marked(form: &str, mut value: Value) -> Value {
    if let Value::Object(map) = &mut value {
        map.insert("$schema".to_owned(), form.into());
    }
    value
}
