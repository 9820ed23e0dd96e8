//! Friendly names: one walk over the module before it is printed gives ids names from debug names, built-ins, types
//! and constants.
//!
//! A name is sanitised to `[A-Za-z0-9_]`, and made unique by `_0`, `_1`, … where it is taken; the first name of an id
//! stays. The numbers of all other results count as taken names too. Short names lie in 16-byte slots indexed by id, so
//! that printing one is a copy of fixed size; the next free suffix of each name is remembered, so that many equal names
//! cost no more than different ones.

use rustc_hash::{FxHashMap, FxHashSet};

use super::decode::string_bytes;
use crate::grammar::rows::*;
use crate::grammar::{Grammar, compile};
use crate::instructions::Instructions;
use crate::limits::FRIENDLY_BYTES;
use crate::number::print::{decimal, number};
use crate::number::{Encoding, NumberType};

/// A name of up to 15 bytes, its length in the last byte; 0 for none; [`LONG`] for offset and length in the arena.
pub(crate) type Slot = [u8; 16];

/// Last byte of a slot whose name lies in the arena.
pub(crate) const LONG: u8 = 255;

/// One used name; open addressing over the arena.
#[derive(Clone, Copy)]
struct Used {
    at: u32,
    len: u32,
    /// The first suffix that may be free.
    next: u32,
}

/// Names by id.
#[derive(Default)]
pub(crate) struct Names {
    slots: Vec<Slot>,
    spill: FxHashMap<u32, Slot>,
    arena: Vec<u8>,
}

impl Names {
    /// The slot of an id; none with raw ids and for ids without a name.
    #[inline]
    pub(crate) fn slot(&self, id: u32) -> Option<&Slot> {
        match self.slots.get(id as usize) {
            Some(s) => Some(s),
            None if self.spill.is_empty() => None,
            None => self.spill.get(&id),
        }
    }

    /// A name in the arena.
    pub(crate) fn long(&self, slot: &Slot) -> &[u8] {
        let part = |i: usize| slot.get(i..i + 4).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b));
        self.arena.get(part(0) as usize..(part(0) + part(4)) as usize).unwrap_or(&[])
    }

    /// Appends the name of an id, without `%`.
    pub(crate) fn push(&self, out: &mut Vec<u8>, id: u32) {
        match self.slot(id) {
            Some(s) if s[15] == LONG => out.extend_from_slice(self.long(s)),
            Some(s) if s[15] != 0 => out.extend_from_slice(s.get(..usize::from(s[15])).unwrap_or(&[])),
            _ => decimal(out, u64::from(id)),
        }
    }
}

struct Namer<'g> {
    grammar: Grammar<'g>,
    names: Names,
    /// Slots of the table: index into `used` + 1.
    table: Vec<u32>,
    used: Vec<Used>,
    /// Used names that are the decimal number of another id.
    digits: FxHashSet<u32>,
    /// Ids without a slot that go by their number.
    numbered: FxHashSet<u32>,
    numbers: FxHashMap<u32, NumberType>,
    scratch: Vec<u8>,
    decoration: u8,
    built_in: u8,
    storage_class: u8,
    access: u8,
}

/// Built-ins whose name changes, or stays without `gl_`; all others of the list get `gl_` before their own name.
const BUILT_INS: [(&str, &str); 52] = [
    ("Position", "gl_Position"),
    ("PointSize", "gl_PointSize"),
    ("ClipDistance", "gl_ClipDistance"),
    ("CullDistance", "gl_CullDistance"),
    ("VertexId", "gl_VertexID"),
    ("InstanceId", "gl_InstanceID"),
    ("PrimitiveId", "gl_PrimitiveID"),
    ("InvocationId", "gl_InvocationID"),
    ("Layer", "gl_Layer"),
    ("ViewportIndex", "gl_ViewportIndex"),
    ("TessLevelOuter", "gl_TessLevelOuter"),
    ("TessLevelInner", "gl_TessLevelInner"),
    ("TessCoord", "gl_TessCoord"),
    ("PatchVertices", "gl_PatchVertices"),
    ("FragCoord", "gl_FragCoord"),
    ("PointCoord", "gl_PointCoord"),
    ("FrontFacing", "gl_FrontFacing"),
    ("SampleId", "gl_SampleID"),
    ("SamplePosition", "gl_SamplePosition"),
    ("SampleMask", "gl_SampleMask"),
    ("FragDepth", "gl_FragDepth"),
    ("HelperInvocation", "gl_HelperInvocation"),
    ("NumWorkgroups", "gl_NumWorkGroups"),
    ("WorkgroupSize", "gl_WorkGroupSize"),
    ("WorkgroupId", "gl_WorkGroupID"),
    ("LocalInvocationId", "gl_LocalInvocationID"),
    ("GlobalInvocationId", "gl_GlobalInvocationID"),
    ("LocalInvocationIndex", "gl_LocalInvocationIndex"),
    ("VertexIndex", "gl_VertexIndex"),
    ("InstanceIndex", "gl_InstanceIndex"),
    ("BaseInstance", "gl_BaseInstance"),
    ("WorkDim", "WorkDim"),
    ("GlobalSize", "GlobalSize"),
    ("EnqueuedWorkgroupSize", "EnqueuedWorkgroupSize"),
    ("GlobalOffset", "GlobalOffset"),
    ("GlobalLinearId", "GlobalLinearId"),
    ("SubgroupSize", "SubgroupSize"),
    ("SubgroupMaxSize", "SubgroupMaxSize"),
    ("NumSubgroups", "NumSubgroups"),
    ("NumEnqueuedSubgroups", "NumEnqueuedSubgroups"),
    ("SubgroupId", "SubgroupId"),
    ("SubgroupLocalInvocationId", "SubgroupLocalInvocationId"),
    ("SubgroupEqMaskKHR", "SubgroupEqMaskKHR"),
    ("SubgroupGeMaskKHR", "SubgroupGeMaskKHR"),
    ("SubgroupGtMaskKHR", "SubgroupGtMaskKHR"),
    ("SubgroupLeMaskKHR", "SubgroupLeMaskKHR"),
    ("SubgroupLtMaskKHR", "SubgroupLtMaskKHR"),
    // The same built-ins under the names that the grammar prefers.
    ("SubgroupEqMask", "SubgroupEqMaskKHR"),
    ("SubgroupGeMask", "SubgroupGeMaskKHR"),
    ("SubgroupGtMask", "SubgroupGtMaskKHR"),
    ("SubgroupLeMask", "SubgroupLeMaskKHR"),
    ("SubgroupLtMask", "SubgroupLtMaskKHR"),
];

/// Instructions whose types have a fixed name.
const FIXED: [(u16, &str); 8] = [
    (19, "void"),
    (20, "bool"),
    (34, "Event"),
    (35, "DeviceEvent"),
    (36, "ReserveId"),
    (37, "Queue"),
    (322, "PipeStorage"),
    (327, "NamedBarrier"),
];

/// How far to look for names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// So many instructions.
    First(usize),
    /// Up to what cannot be an instruction.
    Good,
    /// To the end.
    All,
}

/// Names the ids of a module.
pub(crate) fn friendly(words: &[u32], grammar: Grammar<'_>, reach: Reach) -> Names {
    let bound = words.get(3).copied().unwrap_or(0) as usize;
    let mut n = Namer {
        grammar,
        names: Names { slots: vec![[0; 16]; bound.min(words.len())], ..Names::default() },
        table: vec![0; 256],
        used: Vec::new(),
        digits: FxHashSet::default(),
        numbered: FxHashSet::default(),
        numbers: FxHashMap::default(),
        scratch: Vec::new(),
        decoration: grammar.role(compile::DECORATION),
        built_in: grammar.role(compile::BUILT_IN),
        storage_class: grammar.role(compile::STORAGE_CLASS),
        access: grammar.role(compile::ACCESS),
    };
    let limit = if let Reach::First(n) = reach { n } else { usize::MAX };
    for i in Instructions::new(words).take(limit) {
        if reach != Reach::All && i.words.len() != (words.get(i.offset).copied().unwrap_or(0) >> 16) as usize {
            break;
        }
        n.instruction(i.opcode, i.words);
    }
    n.names
}

fn hash(name: &[u8]) -> usize {
    let mut h = name.len() as u64;
    for c in name.chunks(8) {
        let w = match c.first_chunk::<8>() {
            Some(c) => u64::from_le_bytes(*c),
            None => c.iter().fold(0, |w, &b| w << 8 | u64::from(b)),
        };
        h = (h ^ w).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    (h ^ h >> 31) as usize
}

/// The number that a name is in plain decimal, as ids are printed.
fn canonical(name: &[u8]) -> Option<u32> {
    let zero = name.first() == Some(&b'0');
    if name.len() > 10 || zero && name.len() > 1 || !name.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(name).ok()?.parse().ok()
}

impl Namer<'_> {
    /// Whether an id has a name.
    #[inline]
    fn has(&self, id: u32) -> bool {
        self.names.slot(id).is_some_and(|s| s[15] != 0) || self.numbered.contains(&id)
    }

    fn set(&mut self, id: u32, slot: Slot) {
        match self.names.slots.get_mut(id as usize) {
            Some(s) => *s = slot,
            None => {
                self.names.spill.insert(id, slot);
            }
        }
    }

    /// Where a name stands in the table, or the empty place for it.
    fn probe(&self, name: &[u8]) -> (usize, Option<usize>) {
        let mask = self.table.len() - 1;
        let mut i = hash(name) & mask;
        loop {
            let Some(entry) = self.table.get(i).and_then(|e| (*e as usize).checked_sub(1)) else { return (i, None) };
            let same = |u: &Used| self.names.arena.get(u.at as usize..(u.at + u.len) as usize) == Some(name);
            if self.used.get(entry).is_some_and(same) {
                return (i, Some(entry));
            }
            i = (i + 1) & mask;
        }
    }

    /// Enters a name into the table and returns where it lies in the arena.
    fn reserve(&mut self, name: &[u8], place: usize) -> u32 {
        let at = self.names.arena.len() as u32;
        self.names.arena.extend_from_slice(name);
        let len = name.len() as u32;
        self.used.push(Used { at, len, next: 0 });
        if let Some(e) = self.table.get_mut(place) {
            *e = self.used.len() as u32;
        }
        if self.used.len() * 2 > self.table.len() {
            self.grow();
        }
        at
    }

    /// Takes a free name for an id.
    fn take(&mut self, id: u32, name: &[u8], place: usize) {
        let at = self.reserve(name, place);
        if let Some(n) = canonical(name).filter(|&n| n != id) {
            self.digits.insert(n);
        }
        self.set(id, self.slot(at, name));
    }

    fn slot(&self, at: u32, name: &[u8]) -> Slot {
        let mut slot = [0; 16];
        if name.len() <= 15 {
            slot.iter_mut().zip(name).for_each(|(s, b)| *s = *b);
            slot[15] = name.len() as u8;
        } else {
            let place = u64::from(at) | (name.len() as u64) << 32;
            slot.iter_mut().zip(place.to_le_bytes()).for_each(|(s, b)| *s = b);
            slot[15] = LONG;
        }
        slot
    }

    fn grow(&mut self) {
        let len = self.table.len() * 4;
        let mut table = vec![0u32; len];
        for (n, u) in self.used.iter().enumerate() {
            let name = self.names.arena.get(u.at as usize..(u.at + u.len) as usize).unwrap_or(&[]);
            let mut i = hash(name) & (len - 1);
            while table.get(i).is_some_and(|e| *e != 0) {
                i = (i + 1) & (len - 1);
            }
            if let Some(e) = table.get_mut(i) {
                *e = n as u32 + 1;
            }
        }
        self.table = table;
    }

    /// Whether a name is the number of a result that goes by its number.
    fn is_number_in_use(&self, name: &[u8]) -> bool {
        let own = |s: &Slot| s[15] != LONG && s.get(..usize::from(s[15])) == Some(name);
        canonical(name).is_some_and(|n| self.names.slot(n).is_some_and(own) || self.numbered.contains(&n))
    }

    /// Gives the name in `scratch` to an id that has none.
    fn save(&mut self, id: u32) {
        if self.has(id) {
            return;
        }
        let mut name = std::mem::take(&mut self.scratch);
        if name.len() > FRIENDLY_BYTES {
            name.clear();
            decimal(&mut name, u64::from(id));
        }
        if name.is_empty() {
            name.push(b'_');
        }
        for b in &mut name {
            if !b.is_ascii_alphanumeric() {
                *b = b'_';
            }
        }
        self.save_unique(id, &mut name);
        name.clear();
        self.scratch = name;
    }

    fn save_unique(&mut self, id: u32, name: &mut Vec<u8>) {
        let (place, entry) = self.probe(name);
        if entry.is_none() && !self.is_number_in_use(name) {
            return self.take(id, name, place);
        }
        // Taken, by a name or by a number; either way an entry remembers the next suffix.
        let entry = entry.or_else(|| {
            self.reserve(name, place);
            self.used.len().checked_sub(1)
        });
        let base = name.len();
        let mut suffix = entry.and_then(|e| self.used.get(e)).map_or(0, |u| u.next);
        loop {
            name.truncate(base);
            name.push(b'_');
            decimal(name, u64::from(suffix));
            suffix = suffix.saturating_add(1);
            let (place, taken) = self.probe(name);
            if taken.is_none() {
                if let Some(u) = entry.and_then(|e| self.used.get_mut(e)) {
                    u.next = suffix;
                }
                return self.take(id, name, place);
            }
        }
    }

    /// Lets an id go by its number.
    #[inline]
    fn save_number(&mut self, id: u32) {
        if self.has(id) {
            return;
        }
        if !self.digits.is_empty() && self.digits.contains(&id) {
            self.scratch.clear();
            decimal(&mut self.scratch, u64::from(id));
            return self.save(id);
        }
        if id as usize >= self.names.slots.len() {
            self.numbered.insert(id);
            return;
        }
        let mut slot = [0u8; 16];
        let mut digits = [0u8; 10];
        let (mut n, mut len) = (id, 0usize);
        loop {
            if let Some(d) = digits.get_mut(len) {
                *d = b'0' + (n % 10) as u8;
            }
            len += 1;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        for (s, d) in slot.iter_mut().zip(digits.iter().take(len).rev()) {
            *s = *d;
        }
        slot[15] = len as u8;
        self.set(id, slot);
    }

    fn push_name(&mut self, id: u32) {
        let mut out = std::mem::take(&mut self.scratch);
        self.names.push(&mut out, id);
        self.scratch = out;
    }

    /// Appends the name of a value; `None` if it has none, which makes the whole instruction unknown and nameless.
    fn push_member(&mut self, kind: u8, value: u32) -> Option<()> {
        let row = self.grammar.kind(kind).and_then(|g| self.grammar.member(g, value))?;
        self.scratch.extend_from_slice(self.grammar.bytes(row.name));
        Some(())
    }

    fn push_string(&mut self, words: &[u32]) {
        // One byte more than allowed is enough to know that it is too long.
        self.scratch.extend(string_bytes(words).take(FRIENDLY_BYTES + 1));
    }

    fn text(&mut self, s: &str) {
        self.scratch.extend_from_slice(s.as_bytes());
    }

    #[inline]
    fn instruction(&mut self, opcode: u16, inst: &[u32]) {
        let Some(op) = self.grammar.op(opcode) else { return };
        match (opcode, inst) {
            // Function bodies are most of a module: nothing there has a name but its number.
            (43 | 5 | 71 | 19..=38 | 322 | 327 | 4417 | 5076 | 41 | 42, _) => {
                if let Some(id) = self.suggestion(opcode, inst) {
                    self.save(id);
                }
            }
            _ if op.flags & HAS_RESULT == 0 => {}
            _ => {
                let at = if op.flags & HAS_TYPE != 0 { 2 } else { 1 };
                if let Some(&id) = inst.get(at) {
                    self.save_number(id);
                }
            }
        }
    }

    /// Writes the name that an instruction suggests into `scratch`; the id that it is for.
    fn suggestion(&mut self, opcode: u16, inst: &[u32]) -> Option<u32> {
        self.scratch.clear();
        let fixed = FIXED.iter().find(|f| f.0 == opcode);
        let id = match (opcode, inst) {
            (5, [_, id, string @ ..]) => {
                self.push_string(string);
                *id
            }
            (71, [_, id, decoration, value, ..]) => {
                let is_built_in = self
                    .grammar
                    .kind(self.decoration)
                    .and_then(|g| self.grammar.member(g, *decoration))
                    .is_some_and(|r| self.grammar.bytes(r.name) == b"BuiltIn");
                if !is_built_in {
                    return None;
                }
                self.push_member(self.built_in, *value)?;
                let known = BUILT_INS.iter().find(|b| b.0.as_bytes() == self.scratch.as_slice());
                let known = known?;
                self.scratch.clear();
                self.text(known.1);
                *id
            }
            (5 | 71, _) => return None,
            (41, [_, _, id, ..]) => {
                self.text("true");
                *id
            }
            (42, [_, _, id, ..]) => {
                self.text("false");
                *id
            }
            (43, [_, ty, id, value @ ..]) => {
                self.push_name(*ty);
                self.text("_");
                let from = self.scratch.len();
                if let Some(&number_type) = self.numbers.get(ty) {
                    number(&mut self.scratch, value, number_type);
                }
                self.scratch.iter_mut().skip(from).filter(|b| **b == b'-').for_each(|b| *b = b'n');
                *id
            }
            (_, [_, id, rest @ ..]) => {
                match (opcode, rest, fixed) {
                    (_, _, Some(f)) => self.text(f.1),
                    (21, [width, sign, ..], _) => {
                        self.numbers.insert(*id, NumberType::Int { width: *width, signed: *sign != 0 });
                        let name = match width {
                            8 => Some("char"),
                            16 => Some("short"),
                            32 => Some("int"),
                            64 => Some("long"),
                            _ => None,
                        };
                        match (name, *sign) {
                            (Some(n), 0) => self.text(&format!("u{n}")),
                            (Some(n), _) => self.text(n),
                            (None, 0) => self.text(&format!("u{width}")),
                            (None, _) => self.text(&format!("i{width}")),
                        }
                    }
                    (22, [width, encoding @ ..], _) => {
                        let encoding = encoding.first().map_or(Encoding::Ieee, |e| Encoding::from_value(*e));
                        self.numbers.insert(*id, NumberType::Float { width: *width, encoding });
                        match (encoding.friendly(), width) {
                            (Some(n), _) => self.text(n),
                            (None, 16) => self.text("half"),
                            (None, 32) => self.text("float"),
                            (None, 64) => self.text("double"),
                            (None, w) => self.text(&format!("fp{w}")),
                        }
                    }
                    (23, [element, count, ..], _) => {
                        self.text(&format!("v{count}"));
                        self.push_name(*element);
                    }
                    (24, [column, count, ..], _) => {
                        self.text(&format!("mat{count}"));
                        self.push_name(*column);
                    }
                    (28, [element, length, ..], _) => {
                        self.text("_arr_");
                        self.push_name(*element);
                        self.text("_");
                        self.push_name(*length);
                    }
                    (29, [element, ..], _) => {
                        self.text("_runtimearr_");
                        self.push_name(*element);
                    }
                    (5076, [element, ..], _) => {
                        self.text("_payloadarr_");
                        self.push_name(*element);
                    }
                    (32, [class, target, ..], _) => {
                        self.text("_ptr_");
                        self.push_member(self.storage_class, *class)?;
                        self.text("_");
                        self.push_name(*target);
                    }
                    (4417, [class, ..], _) => {
                        self.text("_ptr_");
                        self.push_member(self.storage_class, *class)?;
                    }
                    (38, [access, ..], _) => {
                        self.text("Pipe");
                        self.push_member(self.access, *access)?;
                    }
                    (31, string, _) => {
                        self.text("Opaque_");
                        self.push_string(string);
                        if self.scratch.len() == "Opaque_".len() {
                            self.text("_");
                        }
                    }
                    (30, _, _) => self.text(&format!("_struct_{id}")),
                    _ => {
                        self.save_number(*id);
                        return None;
                    }
                }
                *id
            }
            _ => return None,
        };
        Some(id)
    }
}
