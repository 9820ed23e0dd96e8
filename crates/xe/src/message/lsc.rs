//! Load/store-cache messages, as the description's space `#lsc` reads them.

use std::cell::RefCell;

use isaglot_codec::{Flat, Match, Slot, Symbol, Values, WriteError};
use isaglot_model::Isa;
use rustc_hash::FxHashMap;

use crate::inst::{Desc, Inst};
use crate::isa::Xe;
use crate::platform::Platform;

/// The compiled description of descriptors.
#[derive(Debug)]
pub(crate) struct Lsc<'d> {
    flat: Option<RefCell<Flat<'d>>>,
    slots: [Slot; 10],
    /// Extended descriptors: of flat memory, of blocks in it, of surfaces from a table, of surfaces by their state.
    extended: [Extended<'d>; 4],
    known: RefCell<FxHashMap<u32, Option<Fields<'d>>>>,
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
pub(crate) struct LoadStore<'d> {
    /// Mnemonic.
    pub(crate) op: &'d str,
    /// Unit, sizes and cache controls, as the ld/st syntax shows them.
    pub(crate) controls: String,
    /// Cache controls that they leave out although they are not the default: listings have none for `slm`.
    pub(crate) hidden: Option<String>,
    /// Bits of an address.
    pub(crate) addr_bits: u32,
    /// Bytes of a datum in a register.
    pub(crate) data_bytes: u32,
    /// Data per address.
    pub(crate) vector: u32,
    /// The data of an address lie next to each other.
    pub(crate) transposed: bool,
    /// Registers written.
    pub(crate) dst_len: u32,
    /// Registers of addresses.
    pub(crate) src0_len: u32,
    /// Kind of surface.
    pub(crate) surface: &'d str,
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
struct Fields<'d> {
    op: &'d str,
    suffix: String,
    cache: String,
    addr_bits: u32,
    data_bytes: u32,
    vector: u32,
    transposed: bool,
    dst_len: u32,
    src0_len: u32,
    surface: &'d str,
}

/// The compiled description of one kind of extended descriptor.
#[derive(Debug)]
struct Extended<'d> {
    flat: Option<RefCell<Flat<'d>>>,
    /// The first, or only, offset; the second; the number of the surface.
    slots: [Slot; 3],
}

const NAMES: [&str; 10] =
    ["OP", "ADDR_SIZE", "DATA_SIZE", "MASK", "VECTOR", "TRANSPOSE", "CACHE", "DST_LEN", "SRC0_LEN", "SURFACE"];

impl<'d> Extended<'d> {
    fn new(isa: &'d Isa, generation: u32, space: &str, names: [&str; 3]) -> Extended<'d> {
        let flat = Xe::space(isa, space).and_then(|space| Flat::new(isa, space, generation));
        let slots = names.map(|n| flat.as_ref().and_then(|f| f.slot(n)).unwrap_or(NO_SLOT));
        Extended { flat: flat.map(RefCell::new), slots }
    }

    /// The two offsets and the number of the surface.
    fn read(&self, word: u32) -> Option<[u64; 3]> {
        let mut flat = self.flat.as_ref()?.borrow_mut();
        let Match::One(id) = flat.select(word.into()) else { return None };
        let mut v = Values::default();
        flat.read(id, word.into(), &mut v);
        Some(self.slots.map(|slot| v.get(slot)))
    }

    /// The word that says this; without an offset there need be no such word on the machine.
    fn write(&self, fields: [i64; 3]) -> Result<u32, String> {
        if fields == [0; 3] {
            return Ok(0);
        }
        let flat = self.flat.as_ref().ok_or("not on this machine")?;
        let mut v = Values::default();
        for (slot, field) in self.slots.into_iter().zip(fields).filter(|(_, f)| *f != 0) {
            v.set(slot, field as u64);
        }
        write(&mut flat.borrow_mut(), &v)
    }
}

/// The word of the only encoding of a space.
fn write(flat: &mut Flat<'_>, values: &Values) -> Result<u32, String> {
    let Match::One(id) = flat.select(0) else { return Err("this machine has no such message".to_owned()) };
    flat.write(id, values).map(|word| word as u32).map_err(|e| match e {
        WriteError::Absent(slot) => format!("this message has no {}", flat.name(slot)),
        WriteError::Range(slot) => format!("{} is out of range", flat.name(slot)),
        WriteError::Text(slot) => format!("{} of this message cannot be that", flat.name(slot)),
        WriteError::Unsettled => "the parts of the message contradict each other".to_owned(),
    })
}

/// A slot that never has a value.
const NO_SLOT: Slot = Slot(127);

impl<'d> Lsc<'d> {
    pub(crate) fn new(isa: &'d Isa, generation: u32) -> Lsc<'d> {
        let flat = Xe::space(isa, "#lsc").and_then(|space| Flat::new(isa, space, generation));
        let slots = NAMES.map(|n| flat.as_ref().and_then(|f| f.slot(n)).unwrap_or(NO_SLOT));
        let extended = [
            Extended::new(isa, generation, EXTENDED[0], ["OFFSET", "", ""]),
            Extended::new(isa, generation, EXTENDED[1], ["X", "Y", ""]),
            Extended::new(isa, generation, EXTENDED[2], ["OFFSET", "", "INDEX"]),
            Extended::new(isa, generation, EXTENDED[3], ["", "", "INDEX"]),
        ];
        Lsc { flat: flat.map(RefCell::new), slots, extended, known: RefCell::new(FxHashMap::default()) }
    }

    /// What an immediate extended descriptor says: the number of the surface and the offset.
    fn extended(&self, surface: &str, block2d: bool, word: u32) -> (u32, Option<Offset>) {
        let Some([x, y, index]) = self.extended[kind(surface, block2d)].read(word) else { return (0, None) };
        let offset = match (surface, block2d) {
            ("flat", true) => Offset::Two(x as i64, y as i64),
            ("flat", false) | ("bti", false) => Offset::One(x as i64),
            _ => return (index as u32, None),
        };
        (index as u32, Some(offset).filter(|o| !matches!(o, Offset::One(0) | Offset::Two(0, 0))))
    }

    fn fields(&self, desc: u32) -> Option<Fields<'d>> {
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

    fn read(&self, desc: u32) -> Option<Fields<'d>> {
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

impl<'d> Xe<'d> {
    /// Whether a message goes to a load/store unit.
    pub(crate) fn is_lsc(&self, i: &Inst) -> bool {
        matches!(self.text(i.sub), "ugm" | "ugml" | "tgm" | "slm")
    }

    /// A load/store message, if its immediate descriptor is valid.
    pub(crate) fn lsc_message(&self, i: &Inst) -> Option<LoadStore<'d>> {
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
        let (surface_index, offset) = self.lsc.extended(f.surface, block2d, exdesc);
        let mut controls = format!("{unit}.{}", f.suffix);
        let cache = Some(&f.cache).filter(|c| *c != "df.df");
        if let Some(cache) = cache.filter(|_| unit != "slm") {
            controls.push('.');
            controls.push_str(cache);
        }
        let hidden = cache.filter(|_| unit == "slm").cloned();
        Some(LoadStore {
            op: f.op,
            controls,
            hidden,
            addr_bits: f.addr_bits,
            data_bytes: f.data_bytes,
            vector: f.vector,
            transposed: f.transposed,
            dst_len: f.dst_len,
            src0_len: f.src0_len,
            surface: f.surface,
            surface_index,
            offset,
            is_store: f.op.starts_with("store"),
            plain,
            block2d,
        })
    }

    /// A message that the ld/st syntax has.
    pub(crate) fn load_store(&self, i: &Inst) -> Option<LoadStore<'d>> {
        if self.op(i.op).class != crate::swsb::Class::Send {
            return None;
        }
        self.lsc_message(i)
    }
}

/// Which kind of extended descriptor belongs to a surface.
/// The space of the extended descriptor of a message.
pub(super) fn extended_space(m: &LoadStore<'_>) -> &'static str {
    EXTENDED[kind(m.surface, m.block2d)]
}

/// The spaces of extended descriptors, in the order of [`Lsc::extended`].
const EXTENDED: [&str; 4] = ["#lsc-flat", "#lsc-block", "#lsc-bti", "#lsc-state"];

fn kind(surface: &str, block2d: bool) -> usize {
    match (surface, block2d) {
        ("flat", false) => 0,
        ("flat", true) => 1,
        ("bss" | "ss", _) => 3,
        _ => 2,
    }
}

/// A load/store message as the ld/st syntax says it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadStoreText<'a, 'd> {
    /// Mnemonic.
    pub(crate) op: &'d str,
    /// Size of a datum.
    pub(crate) data: &'a str,
    /// Data per address.
    pub(crate) vector: u32,
    /// The data of an address lie next to each other.
    pub(crate) transposed: bool,
    /// The components, instead of the vector.
    pub(crate) mask: Option<u64>,
    /// Bits of an address.
    pub(crate) address: &'a str,
    /// Cache controls.
    pub(crate) cache: String,
    /// Kind of surface.
    pub(crate) surface: &'a str,
    /// Its number.
    pub(crate) index: u32,
    /// Or the register that holds it.
    pub(crate) register: Option<u8>,
    /// Immediate offset.
    pub(crate) offset: Option<Offset>,
    /// Registers written.
    pub(crate) dst_len: u8,
    /// Registers of addresses.
    pub(crate) src0_len: u8,
}

impl<'d> Xe<'d> {
    /// A mnemonic of the ld/st syntax.
    pub(crate) fn load_store_named(&self, name: &str) -> Option<&'d str> {
        let known = ["load", "store", "atomic"].iter().any(|p| name.starts_with(p));
        let flat = self.lsc.flat.as_ref().filter(|_| known)?.borrow();
        let symbol = flat.symbol(name)?;
        flat.symbols().get(usize::from(symbol.0)).copied()
    }

    /// The descriptor of a message.
    pub(crate) fn load_store_descriptor(&self, m: &LoadStoreText<'_, '_>) -> Result<u32, String> {
        let flat = &mut *self.lsc.flat.as_ref().ok_or("this machine has no such message")?.borrow_mut();
        let [op, addr, data, mask, vector, transpose, cache, dst_len, src0_len, surface] = self.lsc.slots;
        let count = m.vector.to_string();
        let texts = [
            (op, m.op, "operation"),
            (addr, m.address, "address size"),
            (data, m.data, "data size"),
            (cache, m.cache.as_str(), "cache control"),
            (surface, m.surface, "surface"),
            (vector, count.as_str(), "vector size"),
        ];
        let mut v = Values::default();
        for (slot, text, what) in texts.into_iter().filter(|t| t.0 != vector || m.mask.is_none()) {
            v.set_symbol(slot, flat.symbol(text).ok_or_else(|| format!("no {what} `{text}`"))?);
        }
        if let Some(components) = m.mask {
            v.set(mask, components);
        }
        if m.transposed {
            v.set(transpose, 1);
        }
        v.set(dst_len, m.dst_len.into());
        v.set(src0_len, m.src0_len.into());
        write(flat, &v)
    }

    /// The extended descriptor of a message whose surface is not a register.
    pub(crate) fn load_store_extended(&self, m: &LoadStoreText<'_, '_>) -> Result<u32, String> {
        let (x, y) = match m.offset {
            None => (0, 0),
            Some(Offset::One(n)) => (n, 0),
            Some(Offset::Two(x, y)) => (x, y),
        };
        let kind = kind(m.surface, m.op.ends_with("block2d"));
        self.lsc.extended[kind].write([x, y, m.index.into()])
    }
}
