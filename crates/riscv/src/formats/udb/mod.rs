//! The front end for the RISC-V Unified Database (UDB).
//!
//! The problem: a tree of two thousand YAML files, with inheritance, overlays and two ways to say bits, whose own tools find half of
//! its mistakes. The invariant: a table comes out only if every instruction in it was understood whole; everything else is reported
//! with file, place and path of keys, all of a tree at once. The method, in steps that each have a file:
//!
//! ```text
//!  folder(s) ─► tree: parse, patch with the overlay ─► inherit ─► forms: keys and types of every file
//!                                                                    │
//!      config ─► what is implemented ───► Table ◄─── instruction (encoding │ format, condition, assembly), extension
//!                                                └── program: texts in IDL, parsed and checked
//! ```

mod assembly;
mod condition;
mod config;
mod encoding;
mod extension;
mod faults;
mod format;
mod forms;
mod inherit;
mod instruction;
mod program;
pub mod tree;
pub(super) mod version;

use isaglot_source::{Diagnostics, SourceMap};
use rustc_hash::FxHashSet;

use super::formula::Theory;
use super::{Csr, Formula, Table};
use crate::Xlen;
use condition::Names;
pub use config::{Configuration, Known, configuration};
use faults::Faults;
use tree::Tree;

/// A folder of the database in memory.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// Its path, for messages.
    pub name: String,
    /// Paths in it, with `/`, and contents. Files that [`is_read`] refuses may be left out.
    pub files: Vec<(String, Vec<u8>)>,
}

/// What is loaded.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The folder that has `inst`, `ext` and so on: `spec/std/isa`.
    pub base: Folder,
    /// A folder of the same shape that is put over it.
    pub overlay: Option<Folder>,
    /// What is known of the implementation: what it cannot have is left out.
    pub configuration: Option<Configuration>,
    /// Tell every oddity of the texts, and not only how many there are.
    pub details: bool,
}

/// The folders that say something of instructions; others are profiles, manuals, certificates.
const FOLDERS: [&str; 11] = [
    "inst",
    "inst_type",
    "inst_subtype",
    "inst_var",
    "inst_var_type",
    "inst_opcode",
    "ext",
    "param",
    "csr",
    "exception_code",
    "interrupt_code",
];

/// Whether a file of the tree is needed.
pub fn is_read(path: &str) -> bool {
    let folder = path.split_once('/').map_or("", |(folder, _)| folder);
    (path.ends_with(".yaml") && FOLDERS.contains(&folder)) || program::is_program(path)
}

/// Reads a tree. Nothing comes of one with an error; all that is wrong with it is in `out`. Words that no implementation has are
/// left out: [`load_all`] keeps them.
pub fn load(sources: Sources, files: &mut SourceMap, out: &mut Diagnostics) -> Option<Table> {
    let configuration = sources.configuration.clone();
    let mut table = load_all(sources, files, out)?;
    table.drop_impossible();
    if let Some(configuration) = configuration {
        configuration.restrict(&mut table);
    }
    Some(table)
}

/// As [`load`], with words for both bases wherever `encoding` has them, whatever the configuration says.
pub fn load_all(sources: Sources, files: &mut SourceMap, out: &mut Diagnostics) -> Option<Table> {
    let (mut list, mut programs) = (Vec::new(), Vec::new());
    tree::add(sources.base, false, files, &mut list, &mut programs);
    if let Some(overlay) = sources.overlay {
        tree::add(overlay, true, files, &mut list, &mut programs);
    }
    let files: &SourceMap = files;
    let mut faults = Faults::default();
    let mut tree = tree::parse(list, files, &mut faults);
    inherit::resolve(&mut tree, &mut faults);
    let mut table = table(&tree, sources.details, &mut faults);
    table.program = program::read(&programs, &tree, &table, files, sources.details, &mut faults);
    if let Some(configuration) = &sources.configuration {
        configuration.problems(&table).into_iter().for_each(|fault| faults.push(fault));
    }
    let failed = faults.has_errors();
    faults.finish(files, out);
    (!failed).then_some(table)
}

/// The table of a tree without operators.
fn table(tree: &Tree, details: bool, faults: &mut Faults) -> Table {
    let of_kind = |kind: &str| tree.documents.iter().filter(move |d| d.kind() == Some(kind)).collect::<Vec<_>>();
    let name_of = |d: &&tree::Document| d.root.get("name").and_then(|n| n.scalar()).map(str::to_owned);
    let (extensions, parameters) = (of_kind("extension"), of_kind("parameter"));
    let owned: [Vec<String>; 2] = [&extensions, &parameters].map(|list| list.iter().filter_map(name_of).collect());
    let names = Names {
        extensions: owned[0].iter().map(String::as_str).collect(),
        parameters: owned[1].iter().map(String::as_str).collect(),
    };
    for document in &tree.documents {
        forms::check(document, tree, &names, faults);
    }
    let mut table = Table { name: "udb".to_owned(), ..Table::default() };
    let mut by_role = assembly::ByRole::default();
    for document in of_kind("instruction") {
        let Some(instruction) = instruction::read(document, tree, &names, faults) else { continue };
        assembly::operands(&instruction, details, &mut by_role, faults);
        if details {
            assembly::pseudo(document, &instruction, faults);
        }
        table.instructions.push(instruction);
    }
    if !details {
        by_role.summary(faults);
    }
    table.extensions = extensions.iter().filter_map(|d| extension::read(d, &names, faults)).collect();
    table.csrs = of_kind("csr").into_iter().filter_map(register).collect();
    table.csrs.sort_by(|a, b| (a.number, &a.name).cmp(&(b.number, &b.name)));
    instruction::duplicates(&of_kind("instruction"), faults);
    unsatisfiable(tree, &table, faults);
    table
}

/// A control and status register that instructions reach by number.
fn register(document: &tree::Document) -> Option<Csr> {
    let name = document.root.get("name")?;
    let number = document.root.get("address")?.int()?;
    Some(Csr { name: name.scalar()?.to_owned(), number: u32::try_from(number).ok()?, span: name.span })
}

/// Reports what no implementation can have.
fn unsatisfiable(tree: &Tree, table: &Table, faults: &mut Faults) {
    let theory = Theory::of(table);
    let never = |condition: &Formula| [Xlen::Rv32, Xlen::Rv64].iter().all(|&xlen| !theory.can_hold(condition, xlen));
    let never_here: FxHashSet<&str> = (table.instructions.iter().zip(table.possible()))
        .filter(|(_, possible)| *possible == [false, false])
        .map(|(i, _)| i.name.as_str())
        .collect();
    for document in &tree.documents {
        let named = document.root.get("name").and_then(|n| n.scalar()).unwrap_or_default();
        let (key, gone) = match document.kind() {
            Some("instruction") => ("definedBy", never_here.contains(named)),
            Some("extension") => ("requirements", never(&Formula::Extension(named.to_owned(), Vec::new()))),
            _ => continue,
        };
        if let Some(place) = document.root.get(key).filter(|_| gone) {
            faults.warning("udb-unsatisfiable", place.span, "no implementation can meet this condition");
        }
    }
}
