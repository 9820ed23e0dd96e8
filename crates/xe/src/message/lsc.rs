//! Load/store-cache messages, as the description's space `#lsc` reads them.

use std::cell::RefCell;

use isaglot_codec::{Flat, Match, Slot, Symbol, Values};
use isaglot_model::Isa;
use rustc_hash::FxHashMap;

use crate::inst::{Desc, Inst};
use crate::isa::Xe;
use crate::platform::Platform;

/// The compiled description of descriptors.
#[derive(Debug)]
pub(crate) struct Lsc {
    flat: Option<RefCell<Flat<'static>>>,
    slots: [Slot; 10],
    known: RefCell<FxHashMap<u32, Option<Fields>>>,
}

/// An immediate address offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offset {
    /// Bytes.
    One(i64),
    /// Columns and rows.
    Two(i64, i64),
}

/// What a load/store message does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoadStore {
    /// Mnemonic.
    pub(crate) op: &'static str,
    /// Unit, sizes and cache controls, as the ld/st syntax shows them.
    pub(crate) controls: String,
    /// Bits of an address.
    pub(crate) addr_bits: u32,
    /// Bytes of a datum in a register.
    pub(crate) data_bytes: u32,
    /// Data per address.
    pub(crate) vector: u32,
    /// Data of one address lie one behind the other.
    pub(crate) transposed: bool,
    /// Registers written.
    pub(crate) dst_len: u32,
    /// Registers of addresses.
    pub(crate) src0_len: u32,
    /// Kind of surface.
    pub(crate) surface: &'static str,
    /// Its number, if it is immediate.
    pub(crate) surface_index: u32,
    /// Immediate offset.
    pub(crate) offset: Option<Offset>,
    /// Writes memory and no register.
    pub(crate) is_store: bool,
    /// Loads, stores and atomics that the ld/st syntax has.
    pub(crate) plain: bool,
    /// Two-dimensional block.
    pub(crate) block2d: bool,
}

/// The part that the descriptor alone decides.
#[derive(Clone, Debug)]
struct Fields {
    op: &'static str,
    suffix: String,
    cache: String,
    addr_bits: u32,
    data_bytes: u32,
    vector: u32,
    transposed: bool,
    dst_len: u32,
    src0_len: u32,
    surface: &'static str,
}

const NAMES: [&str; 10] =
    ["OP", "ADDR_SIZE", "DATA_SIZE", "MASK", "VECTOR", "TRANSPOSE", "CACHE", "DST_LEN", "SRC0_LEN", "SURFACE"];

impl Lsc {
    pub(crate) fn new(isa: &'static Isa, generation: u32) -> Lsc {
        let flat = Xe::space(isa, "#lsc").and_then(|space| Flat::new(isa, space, generation));
        let none = Slot(127);
        let slots = NAMES.map(|n| flat.as_ref().and_then(|f| f.slot(n)).unwrap_or(none));
        Lsc { flat: flat.map(RefCell::new), slots, known: RefCell::new(FxHashMap::default()) }
    }

    fn fields(&self, desc: u32) -> Option<Fields> {
        if let Some(known) = self.known.borrow().get(&desc) {
            return known.clone();
        }
        let fields = self.read(desc);
        let mut known = self.known.borrow_mut();
        // Programs repeat their descriptors; random ones need not be kept.
        if known.len() < crate::limits::MAX_KNOWN_DESCRIPTORS {
            known.insert(desc, fields.clone());
        }
        fields
    }

    fn read(&self, desc: u32) -> Option<Fields> {
        let mut flat = self.flat.as_ref()?.borrow_mut();
        let Match::One(id) = flat.select(desc.into()) else { return None };
        let mut v = Values::default();
        flat.read(id, desc.into(), &mut v);
        let [op, addr, data, mask, vector, transpose, cache, dst_len, src0_len, surface] = self.slots;
        let texts = flat.symbols();
        let text = |slot| {
            let symbol = v.symbol(slot);
            texts.get(usize::from(symbol.0)).copied().filter(|_| symbol != Symbol::NONE)
        };
        let op = text(op)?;
        let quad = v.has(mask);
        let addr_bits: u32 = text(addr)?.parse().ok()?;
        let data = text(data)?;
        let data_bytes = match data {
            "d8" => 1,
            "d16" => 2,
            "d64" => 8,
            _ => 4,
        };
        let mut suffix = data.to_owned();
        let (count, transposed) = if quad {
            let mask = v.get(mask);
            if mask == 0 {
                return None;
            }
            suffix.push('.');
            suffix.extend("xyzw".chars().enumerate().filter(|(n, _)| mask >> n & 1 != 0).map(|(_, c)| c));
            (mask.count_ones(), false)
        } else {
            let count: u32 = text(vector)?.parse().ok()?;
            let transposed = v.get(transpose) != 0;
            if count > 1 || transposed {
                suffix.push_str(&format!("x{count}"));
            }
            if transposed {
                suffix.push('t');
            }
            (count, transposed)
        };
        suffix.push_str(&format!(".a{addr_bits}"));
        let cache = text(cache)?.to_owned();
        let fields = Fields {
            op,
            suffix,
            cache,
            addr_bits,
            data_bytes,
            vector: count,
            transposed,
            dst_len: v.get(dst_len) as u32,
            src0_len: v.get(src0_len) as u32,
            surface: text(surface)?,
        };
        Some(fields)
    }
}

impl Xe {
    /// Whether a message goes to a load/store unit.
    pub(crate) fn is_lsc(&self, i: &Inst) -> bool {
        matches!(self.text(i.sub), "ugm" | "ugml" | "tgm" | "slm")
    }

    /// A load/store message, if its immediate descriptor is valid.
    pub(crate) fn lsc_message(&self, i: &Inst) -> Option<LoadStore> {
        let unit = self.text(i.sub);
        let urb = unit == "urb" && self.platform >= Platform::Xe2;
        if !self.is_lsc(i) && !urb {
            return None;
        }
        let Desc::Imm(desc) = i.desc else { return None };
        let f = self.lsc.fields(desc)?;
        let exdesc = match i.exdesc {
            Desc::Imm(n) => n,
            Desc::Reg(_) => 0,
        };
        let block2d = f.op.ends_with("block2d");
        let atomic = f.op.starts_with("atomic_");
        let plain = atomic
            || matches!(
                f.op,
                "load"
                    | "store"
                    | "load_strided"
                    | "store_strided"
                    | "load_quad"
                    | "store_quad"
                    | "load_block2d"
                    | "store_block2d"
                    | "store_uncompressed"
                    | "store_uncompressed_quad"
                    | "load_quad_msrt"
                    | "store_quad_msrt"
            );
        if !plain {
            return None;
        }
        let offset = if self.platform >= Platform::Xe2 { offset(f.surface, exdesc, block2d) } else { None };
        let mut controls = format!("{unit}.{}", f.suffix);
        if f.cache != "df.df" && unit != "slm" {
            controls.push('.');
            controls.push_str(&f.cache);
        }
        Some(LoadStore {
            op: f.op,
            controls,
            addr_bits: f.addr_bits,
            data_bytes: f.data_bytes,
            vector: f.vector,
            transposed: f.transposed,
            dst_len: f.dst_len,
            src0_len: f.src0_len,
            surface: f.surface,
            surface_index: exdesc >> 24,
            offset,
            is_store: f.op.starts_with("store"),
            plain,
            block2d,
        })
    }

    /// A message that the ld/st syntax has.
    pub(crate) fn load_store(&self, i: &Inst) -> Option<LoadStore> {
        if self.op(i.op).class != crate::swsb::Class::Send {
            return None;
        }
        self.lsc_message(i)
    }
}

/// The immediate offset in the extended descriptor, from Xe2 on.
fn offset(surface: &str, exdesc: u32, block2d: bool) -> Option<Offset> {
    let signed = |low: u32, width: u32| i64::from((exdesc << (32 - low - width)) as i32 >> (32 - width));
    let offset = match (surface, block2d) {
        ("flat", true) => Offset::Two(signed(12, 10), signed(22, 10)),
        ("flat", false) => Offset::One(signed(12, 20)),
        ("bti", false) => Offset::One(signed(12, 12)),
        _ => return None,
    };
    Some(offset).filter(|o| !matches!(o, Offset::One(0) | Offset::Two(0, 0)))
}
