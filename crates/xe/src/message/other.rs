//! Messages other than loads and stores, as the description's spaces `#message-…` read their descriptors, one space
//! for each unit; and the lengths, which all descriptors have.

use std::cell::RefCell;

use isaglot_codec::{Flat, Match, Slot, Symbol, Values};
use isaglot_model::{EncodingId, Isa};

use crate::inst::{Desc, Inst};
use crate::isa::Xe;

/// The compiled descriptions of descriptors.
#[derive(Debug)]
pub(crate) struct Messages<'d> {
    lengths: Option<Space<'d>>,
    /// By unit, numbered as a text of the description.
    units: Vec<(Symbol, Space<'d>)>,
    /// By encoding.
    kinds: Vec<MessageKind<'d>>,
}

#[derive(Debug)]
struct Space<'d> {
    flat: RefCell<Flat<'d>>,
    /// As [`NAMES`].
    slots: [Slot; 6],
}

const NAMES: [&str; 6] = ["SURFACE", "OFFSET", "COUNT", "HEADER", "DST_LEN", "SRC0_LEN"];

/// What the description says of a message beside its fields.
#[derive(Clone, Copy, Debug)]
struct MessageKind<'d> {
    name: &'d str,
    surface: &'d str,
    unit: Option<Unit>,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Bytes at one address.
    Bytes(u32),
    /// Data of this many bytes, at an address for each channel.
    Scattered(u32),
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message<'d> {
    /// What the description calls it, words joined by dashes.
    pub(crate) name: &'d str,
    /// Kind of surface.
    pub(crate) surface: &'d str,
    /// The number of the surface.
    pub(crate) index: u32,
    /// An immediate offset in bytes.
    pub(crate) offset: u32,
    /// The data, if how much it is is known.
    pub(crate) data: Option<Block>,
}

/// Data of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The unit.
    pub(crate) unit: Unit,
    /// How many of them.
    pub(crate) count: u32,
}

/// What every descriptor says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lengths {
    /// The payload begins with a header.
    pub(crate) header: bool,
    /// Registers that are written.
    pub(crate) dst: u32,
    /// Registers of the first payload.
    pub(crate) src0: u32,
}

impl<'d> Space<'d> {
    fn new(isa: &'d Isa, name: &str, generation: u32) -> Option<Space<'d>> {
        let flat = Flat::new(isa, Xe::space(isa, name)?, generation)?;
        let none = Slot(isaglot_codec::limits::MAX_SLOTS as u8 - 1);
        let slots = NAMES.map(|n| flat.slot(n).unwrap_or(none));
        Some(Space { flat: RefCell::new(flat), slots })
    }

    fn read(&self, word: u32, v: &mut Values) -> Option<EncodingId> {
        let mut flat = self.flat.borrow_mut();
        let Match::One(id) = flat.select(word.into()) else { return None };
        flat.read(id, word.into(), v);
        Some(id)
    }

    /// The text of a field.
    fn text(&self, symbol: Symbol) -> &'d str {
        self.flat.borrow().symbols().get(usize::from(symbol.0)).copied().unwrap_or("")
    }
}

impl<'d> Messages<'d> {
    pub(crate) fn new(isa: &'d Isa, flat: &Flat<'_>, generation: u32) -> Messages<'d> {
        let names = isa.spaces().iter().filter_map(|s| isa.text(s.name).strip_prefix("#message-"));
        let mut units = Vec::new();
        for name in names {
            let of: &[&str] = if name == "lsc" { &["ugm", "ugml", "tgm", "slm"] } else { &[name] };
            for unit in of.iter().filter_map(|unit| flat.symbol(unit)) {
                units.extend(Space::new(isa, &format!("#message-{name}"), generation).map(|space| (unit, space)));
            }
        }
        let kinds = isa.encodings().iter().map(|e| {
            let meta = |key: &str| e.meta.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
            let number = |key: &str| meta(key).and_then(|n| n.parse().ok());
            let unit = number("unit").map(Unit::Bytes).or(number("datum").map(Unit::Scattered));
            let (name, surface) = (meta("says").unwrap_or(&e.display_name), meta("surface").unwrap_or(""));
            MessageKind { name, surface, unit }
        });
        Messages { lengths: Space::new(isa, "#message", generation), units, kinds: kinds.collect() }
    }
}

impl<'d> Xe<'d> {
    /// The lengths in a descriptor.
    pub(crate) fn lengths(&self, desc: u32) -> Lengths {
        let mut v = Values::default();
        let Some(space) = &self.messages.lengths else { return Lengths::default() };
        space.read(desc, &mut v);
        let [.., header, dst, src0] = space.slots.map(|slot| v.get(slot) as u32);
        Lengths { header: header != 0, dst, src0 }
    }

    /// A message of a unit other than loads and stores, if it is known.
    pub(crate) fn message(&self, i: &Inst) -> Option<Message<'d>> {
        let Desc::Imm(desc) = i.desc else { return None };
        let (_, space) = self.messages.units.iter().find(|(unit, _)| *unit == i.sub)?;
        let mut v = Values::default();
        let kind = self.messages.kinds.get(space.read(desc, &mut v)?.index())?;
        let [surface, offset, count, ..] = space.slots;
        let count = if v.has(count) { space.text(v.symbol(count)).trim_end_matches('h').parse().ok() } else { Some(1) };
        let data = kind.unit.zip(count).map(|(unit, count)| Block { unit, count });
        // A surface whose number has a name is that.
        let named = space.text(v.symbol(surface));
        Some(Message {
            name: kind.name,
            surface: if named.is_empty() { kind.surface } else { named },
            index: v.get(surface) as u32,
            offset: v.get(offset) as u32,
            data,
        })
    }
}
