//! Block messages of the data port, as the description's space `#dc0` reads them.

use std::cell::RefCell;

use isaglot_codec::{Flat, Match, Slot, Values};
use isaglot_model::Isa;

use crate::inst::{Desc, Inst};
use crate::isa::Xe;

/// The compiled description of descriptors.
#[derive(Debug)]
pub(crate) struct DataPort {
    flat: Option<RefCell<Flat<'static>>>,
    count: Slot,
    loads: Vec<bool>,
}

/// A block message: one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// It reads memory, else it writes.
    pub(crate) load: bool,
    /// Bytes.
    pub(crate) bytes: u32,
}

impl DataPort {
    pub(crate) fn new(isa: &'static Isa, generation: u32) -> DataPort {
        let flat = Xe::space(isa, "#dc0").and_then(|space| Flat::new(isa, space, generation));
        let count = flat.as_ref().and_then(|f| f.slot("COUNT")).unwrap_or(Slot(127));
        let loads = isa.encodings().iter().map(|e| e.meta.iter().any(|(k, v)| k == "does" && v == "load")).collect();
        DataPort { flat: flat.map(RefCell::new), count, loads }
    }
}

impl Xe {
    /// A block message, if the instruction is one.
    pub(crate) fn block_message(&self, i: &Inst) -> Option<Block> {
        let Desc::Imm(desc) = i.desc else { return None };
        if self.text(i.sub) != "dc0" {
            return None;
        }
        let mut flat = self.dataport.flat.as_ref()?.borrow_mut();
        let Match::One(id) = flat.select(desc.into()) else { return None };
        let mut v = Values::default();
        flat.read(id, desc.into(), &mut v);
        let symbol = v.symbol(self.dataport.count);
        let owords: u32 = flat.symbols().get(usize::from(symbol.0))?.trim_end_matches('h').parse().ok()?;
        Some(Block { load: self.dataport.loads.get(id.index()).copied().unwrap_or(false), bytes: owords * 16 })
    }
}
