//! What the names of a text mean: parameters, register files, operands, externs, trap causes.

use std::sync::Arc;

use isaglot_bits::Word;
use rustc_hash::FxHashMap;

/// An operand of the instruction, by its place in the [`Env`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperandIndex(pub u32);

/// A register file, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileIndex(pub u32);

/// An extern, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExternId(pub u32);

/// A register file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Width of a register in bits.
    pub width: u32,
    /// How many registers.
    pub count: u32,
}

/// Something outside the language that a text may call: a CSR access, a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extern {
    /// Its name.
    pub name: String,
    /// Widths of its arguments in bits.
    pub args: Vec<u32>,
    /// Width of its result in bits; `None` if it has none.
    pub result: Option<u32>,
}

/// A table of constants, read by number: `sbox[i]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Width of a row in bits.
    pub width: u32,
    /// The rows, each of this width. A text reads only tables with a power of two of them, so that each number has one.
    pub rows: Arc<[Word]>,
}

impl Table {
    /// Width of a row's number in bits; `None` if some number of that width would have no row.
    pub fn index_width(&self) -> Option<u32> {
        let count = self.rows.len();
        (count > 1 && count.is_power_of_two()).then(|| count.trailing_zeros())
    }
}

/// What an operand of the instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A register of this file, which the text may read or write as allowed.
    Register {
        /// The file.
        file: FileIndex,
        /// It may be read.
        read: bool,
        /// It may be written.
        write: bool,
    },
    /// Bits of the instruction.
    Immediate {
        /// How many.
        width: u32,
    },
}

/// What a text may refer to. All but the operands is shared by copies, so that one for each instruction costs little.
#[derive(Clone, Debug, Default)]
pub struct Env {
    pub(crate) common: Arc<Common>,
    pub(crate) operands: Vec<(String, Symbol)>,
    by_name: FxHashMap<String, Meaning>,
}

/// What the texts of all instructions may refer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Common {
    params: Vec<(String, u32)>,
    pub(crate) files: Vec<File>,
    pub(crate) externs: Vec<Extern>,
    pub(crate) tables: Vec<Table>,
    pub(crate) traps: Vec<String>,
    pub(crate) address_width: u32,
    by_name: FxHashMap<String, Meaning>,
}

/// What kind of thing a name is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    Param(u32),
    File(FileIndex),
    Extern(ExternId),
    Table(usize),
    Operand(OperandIndex, Symbol),
}

impl Env {
    /// Nothing but parameters, which stand for widths and constants. Addresses are as wide as the parameter `xlen`, or
    /// 64 bits if there is none.
    pub fn new(params: &[(&str, u32)]) -> Env {
        let mut common = Common { address_width: 64, ..Common::default() };
        for &(name, value) in params {
            if name == "xlen" {
                common.address_width = value;
            }
            common.params.push((name.to_owned(), value));
            common.by_name.insert(name.to_owned(), Meaning::Param(value));
        }
        Env { common: Arc::new(common), ..Env::default() }
    }

    /// Adds a register file: `name[number]`.
    pub fn file(&mut self, name: &str, width: u32, count: u32) -> FileIndex {
        let common = Arc::make_mut(&mut self.common);
        let id = FileIndex(common.files.len() as u32);
        common.files.push(File { name: name.to_owned(), width, count });
        common.by_name.insert(name.to_owned(), Meaning::File(id));
        id
    }

    /// Adds an extern: `name(args)`.
    pub fn add_extern(&mut self, e: Extern) -> ExternId {
        let common = Arc::make_mut(&mut self.common);
        let id = ExternId(common.externs.len() as u32);
        common.by_name.insert(e.name.clone(), Meaning::Extern(id));
        common.externs.push(e);
        id
    }

    /// Adds a table: `name[number]`.
    pub fn table(&mut self, table: Table) {
        let common = Arc::make_mut(&mut self.common);
        common.by_name.insert(table.name.clone(), Meaning::Table(common.tables.len()));
        common.tables.push(table);
    }

    /// Adds an operand of the instruction, which hides whatever else has its name.
    pub fn operand(&mut self, name: &str, symbol: Symbol) -> OperandIndex {
        let id = OperandIndex(self.operands.len() as u32);
        self.operands.push((name.to_owned(), symbol));
        self.by_name.insert(name.to_owned(), Meaning::Operand(id, symbol));
        id
    }

    /// Adds a cause that `trap` may name.
    pub fn trap(&mut self, cause: &str) {
        Arc::make_mut(&mut self.common).traps.push(cause.to_owned());
    }

    /// The register files.
    pub fn files(&self) -> &[File] {
        &self.common.files
    }

    /// The externs.
    pub fn externs(&self) -> &[Extern] {
        &self.common.externs
    }

    /// The operands, by [`OperandIndex`].
    pub fn operands(&self) -> &[(String, Symbol)] {
        &self.operands
    }

    /// The number of a trap's cause, from 1 in the order in which they were added; 0 for an unknown one.
    pub fn trap_number(&self, cause: &str) -> u64 {
        self.common.traps.iter().position(|t| t == cause).map_or(0, |at| at as u64 + 1)
    }

    /// Width of an address in bits.
    pub fn address_width(&self) -> u32 {
        self.common.address_width
    }

    pub(crate) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.by_name.get(name).or_else(|| self.common.by_name.get(name)).copied()
    }

    /// Every name that a text could use, for a "did you mean".
    pub(crate) fn all_names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().chain(self.common.by_name.keys()).map(String::as_str)
    }
}
