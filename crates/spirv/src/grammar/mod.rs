//! The grammar: which instructions, enumerants and extended sets there are, and how to find them.
//!
//! A [`Grammar`] is a borrowed view of compiled tables. [`Grammar::builtin`] is the embedded one, ready in read-only
//! memory; [`Tables`] compiled from a [`model::Model`] give another one at run time.
//!
//! ```
//! use isaglot_spirv::grammar::Grammar;
//!
//! let g = Grammar::builtin();
//! let op = g.op_by_name(b"TypeInt").unwrap();
//! assert_eq!((op.opcode, g.str(op.name)), (21, "OpTypeInt"));
//! ```

pub mod compile;
#[cfg(feature = "import")]
pub mod import;
pub mod model;
pub mod rows;
pub mod table;

use compile::PAD;
pub use compile::Tables;
use isaglot_invariant::Impossible as _;
use rows::*;

/// A look-up view of one grammar.
#[derive(Clone, Copy, Debug)]
pub struct Grammar<'a> {
    revision: &'a str,
    text: &'a [u8],
    ops: &'a [OpRow],
    by_opcode: &'a [u16],
    items: &'a [OperandRow],
    item_names: &'a [Str],
    values: &'a [ValueRow],
    kinds: &'a [GroupRow],
    sets: &'a [GroupRow],
    vendors: &'a [VendorRow],
    names: &'a [NameRow],
    op_slots: &'a [u16],
    enum_slots: &'a [u16],
    inst_slots: &'a [u16],
    roles: &'a [u8],
}

mod embedded {
    //! The tables that the build script made from `grammar/spirv.table`.
    use super::Grammar;
    use super::rows::*;

    include!(concat!(env!("OUT_DIR"), "/tables.rs"));

    pub(super) static GRAMMAR: Grammar<'static> = Grammar {
        revision: REVISION,
        text: &TEXT,
        ops: &OPS,
        by_opcode: &BY_OPCODE,
        items: &ITEMS,
        item_names: &ITEM_NAMES,
        values: &VALUES,
        kinds: &KINDS,
        sets: &SETS,
        vendors: &VENDORS,
        names: &NAMES,
        op_slots: &OP_SLOTS,
        enum_slots: &ENUM_SLOTS,
        inst_slots: &INST_SLOTS,
        roles: &ROLES,
    };
}

/// The opcodes of the embedded grammar by name, such as `opcode::OpLabel`.
pub use embedded::opcode;

impl Tables {
    /// The look-up view.
    pub fn grammar(&self) -> Grammar<'_> {
        Grammar {
            revision: &self.revision,
            text: &self.text,
            ops: &self.ops,
            by_opcode: &self.by_opcode,
            items: &self.items,
            item_names: &self.item_names,
            values: &self.values,
            kinds: &self.kinds,
            sets: &self.sets,
            vendors: &self.vendors,
            names: &self.names,
            op_slots: &self.op_slots,
            enum_slots: &self.enum_slots,
            inst_slots: &self.inst_slots,
            roles: &self.roles,
        }
    }
}

/// The embedded grammar as plain data, with what the look-up tables leave out: the capabilities and extensions that enable each
/// instruction and value, other spellings, what is provisional. It is read from [`TABLE`], which takes a millisecond or so: keep
/// it.
///
/// ```
/// use isaglot_spirv::grammar;
///
/// let model = grammar::model();
/// let texture = model.op_named("OpImageSampleFootprintNV").unwrap();
/// assert_eq!(texture.when.capabilities, ["ImageFootprintNV"]);
/// assert_eq!(texture.when.extensions, ["SPV_NV_shader_image_footprint"]);
/// assert_eq!(model.op(61).unwrap().name, "OpLoad");
/// let storage = model.kind("StorageClass").unwrap();
/// assert_eq!(storage.named("Uniform").unwrap().value, 2);
/// assert_eq!(storage.enumerant(2).unwrap().name, "Uniform");
/// ```
pub fn model() -> model::Model {
    table::read(TABLE).unwrap_or_default()
}

/// The text of the committed table that the embedded grammar is made from.
pub const TABLE: &str = include_str!("../../grammar/spirv.table");

impl<'a> Grammar<'a> {
    /// The grammar that this release was built with.
    pub fn builtin() -> Grammar<'static> {
        embedded::GRAMMAR
    }

    /// Version of the headers it was made from.
    pub fn revision(&self) -> &'a str {
        self.revision
    }

    /// The bytes of a name.
    #[inline]
    pub fn bytes(&self, s: Str) -> &'a [u8] {
        self.text.get(s.at as usize..(s.at + s.len) as usize).or_impossible_default()
    }

    /// A name as text.
    pub fn str(&self, s: Str) -> &'a str {
        std::str::from_utf8(self.bytes(s)).unwrap_or("")
    }

    /// The first [`PAD`] bytes from the start of a name, whatever its length, for copies of fixed size.
    #[inline]
    pub(crate) fn padded(&self, s: Str) -> &'a [u8; PAD] {
        const NONE: &[u8; PAD] = &[0; PAD];
        self.text.get(s.at as usize..).and_then(|t| t.first_chunk()).unwrap_or(NONE)
    }

    /// All instructions by opcode.
    pub fn ops(&self) -> &'a [OpRow] {
        self.ops
    }

    /// The instruction of an opcode.
    #[inline]
    pub fn op(&self, opcode: u16) -> Option<&'a OpRow> {
        let row = *self.by_opcode.get(usize::from(opcode))?;
        self.ops.get(usize::from(row).wrapping_sub(1))
    }

    /// Finds a spelling among the names of a group.
    #[inline]
    fn find(&self, slots: &'a [u16], name: &[u8], group: u8) -> Option<u16> {
        let mask = slots.len().wrapping_sub(1);
        let mut at = hash(name, group, slots.len().trailing_zeros());
        loop {
            let slot = *slots.get(at)?;
            let row = self.names.get(usize::from(slot).wrapping_sub(1))?;
            if row.group == group && self.bytes(row.name) == name {
                return Some(row.row);
            }
            at = (at + 1) & mask;
        }
    }

    /// The instruction of a name or alias without `Op`.
    #[inline]
    pub fn op_by_name(&self, name: &[u8]) -> Option<&'a OpRow> {
        self.ops.get(usize::from(self.find(self.op_slots, name, 0)?))
    }

    /// The operand items of a program.
    #[inline]
    pub fn program(&self, p: Program) -> &'a [OperandRow] {
        self.items.get(p.at as usize..(p.at + p.len) as usize).or_impossible_default()
    }

    /// What the specification calls item `index` of a program.
    pub fn item_name(&self, p: Program, index: usize) -> &'a str {
        self.item_names.get(p.at as usize + index).map_or("", |s| self.str(*s))
    }

    /// All enum kinds; the operand kind of the one at index `i` is [`FIRST_ENUM`]` + i`.
    pub fn kinds(&self) -> &'a [GroupRow] {
        self.kinds
    }

    /// The enum kind of an operand kind.
    #[inline]
    pub fn kind(&self, kind: u8) -> Option<&'a GroupRow> {
        self.kinds.get(usize::from(kind.wrapping_sub(FIRST_ENUM)))
    }

    /// The operand kind of one of [`compile::ROLES`].
    #[inline]
    pub(crate) fn role(&self, index: usize) -> u8 {
        self.roles.get(index).copied().or_impossible(0)
    }

    /// The members of a kind or set, by value.
    #[inline]
    pub fn members(&self, group: &GroupRow) -> &'a [ValueRow] {
        self.values.get(group.at as usize..(group.at + group.len) as usize).or_impossible_default()
    }

    /// The member of a kind or set with that value.
    #[inline]
    pub fn member(&self, group: &GroupRow, value: u32) -> Option<&'a ValueRow> {
        let all = self.members(group);
        // Most values are small and dense: look where the value would stand if nothing were missing.
        if let Some(row) = all.get(value as usize)
            && row.value == value
        {
            return Some(row);
        }
        all.binary_search_by_key(&value, |r| r.value).ok().and_then(|i| all.get(i))
    }

    /// The member of an enum kind with that name or alias.
    #[inline]
    pub fn enumerant(&self, kind: u8, name: &[u8]) -> Option<&'a ValueRow> {
        self.values.get(usize::from(self.find(self.enum_slots, name, kind.wrapping_sub(FIRST_ENUM))?))
    }

    /// All extended sets.
    pub fn sets(&self) -> &'a [GroupRow] {
        self.sets
    }

    /// The extended set that an import name chooses.
    pub fn set_by_import(&self, name: &[u8]) -> Option<u8> {
        let chosen = |s: &GroupRow| match s.flags {
            f if f & OFF != 0 => false,
            f if f & PREFIX != 0 => name.starts_with(self.bytes(s.name)),
            _ => self.bytes(s.name) == name,
        };
        self.sets.iter().position(chosen).map(|i| i as u8)
    }

    /// An instruction of an extended set by name.
    #[inline]
    pub fn instruction(&self, set: u8, name: &[u8]) -> Option<&'a ValueRow> {
        self.values.get(usize::from(self.find(self.inst_slots, name, set)?))
    }

    /// What messages call an operand kind.
    pub fn phrase(&self, kind: u8) -> &'a str {
        match kind {
            CASE_LABEL => "possibly multi-word literal integer",
            EXT_SET => "ID",
            k if k < FIRST_ENUM => model::PLAIN_KINDS.get(usize::from(k)).map_or("", |p| p.1),
            k => self.kind(k).map_or("", |g| self.str(g.phrase)),
        }
    }

    /// Vendor and tool of a generator number.
    pub fn vendor(&self, number: u16) -> Option<&'a str> {
        let i = self.vendors.binary_search_by_key(&number, |v| v.number).ok()?;
        self.vendors.get(i).map(|v| self.str(v.text))
    }

    /// All generators.
    pub fn vendors(&self) -> &'a [VendorRow] {
        self.vendors
    }

    /// All spellings of opcodes (without `Op`), enumerants and extended instructions.
    pub fn names(&self) -> &'a [NameRow] {
        self.names
    }
}
