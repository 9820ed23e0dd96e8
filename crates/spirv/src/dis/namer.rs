//! Friendly names: one walk over the module before it is printed gives ids names from debug names, built-ins, types
//! and constants.
//!
//! A name is sanitised to `[A-Za-z0-9_]`, and made unique by `_0`, `_1`, … where it is taken; the first name of an id
//! stays. The numbers of all other results count as taken names too. The next free suffix of each name that was taken
//! is remembered, so that many equal names cost no more than different ones.
//!
//! ```text
//! OpName %7 "main"             7: main
//! OpName %8 "main"             8: main_0, as main is taken
//! %2 = OpTypeFloat 32          2: float
//! %3 = OpTypeVector %2 4       3: v4float, made of the name of 2
//! %4 = OpConstant %2 -1.5      4: float_n1_5, sanitised
//! %9 = OpIAdd %5 %6 %6         9: 9, its number
//! ```

use rustc_hash::{FxHashMap, FxHashSet};

use super::decode::string_bytes;
use super::names::{MADE, Made, Names, Slot, parts, sanitise};
use crate::grammar::rows::*;
use crate::grammar::{Grammar, compile, opcode};
use crate::instructions::Instructions;
use crate::limits::{FRIENDLY_BYTES, MADE_BYTES, MADE_BYTES_PER_WORD};
use crate::number::Encoding;
use crate::number::print::decimal;
use crate::places::{Facts, Places};

struct Namer<'a> {
    grammar: Grammar<'a>,
    names: Names<'a>,
    /// Used names, by open addressing: the place of the id that has the name + 1; 0 if empty.
    table: Vec<u32>,
    used: usize,
    /// By the place of an id whose name was wanted again: the first suffix that may be free.
    next: FxHashMap<u32, u32>,
    /// Used names that are the decimal number of another id.
    digits: FxHashSet<u32>,
    /// For ids that are number types: the word index of the instruction.
    numbers: Facts<'a, 'a>,
    /// Bytes that names which are made of others may still take.
    budget: usize,
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
    (opcode::OpTypeVoid, "void"),
    (opcode::OpTypeBool, "bool"),
    (opcode::OpTypeEvent, "Event"),
    (opcode::OpTypeDeviceEvent, "DeviceEvent"),
    (opcode::OpTypeReserveId, "ReserveId"),
    (opcode::OpTypeQueue, "Queue"),
    (opcode::OpTypePipeStorage, "PipeStorage"),
    (opcode::OpTypeNamedBarrier, "NamedBarrier"),
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
pub(crate) fn friendly<'a>(words: &'a [u32], places: &'a Places<'a>, grammar: Grammar<'a>, reach: Reach) -> Names<'a> {
    let mut n = Namer {
        grammar,
        names: Names::none(words, places, grammar),
        table: vec![0; 256],
        used: 0,
        next: FxHashMap::default(),
        digits: FxHashSet::default(),
        numbers: Facts::new(places),
        budget: MADE_BYTES + MADE_BYTES_PER_WORD * words.len(),
        scratch: Vec::new(),
        decoration: grammar.role(compile::DECORATION),
        built_in: grammar.role(compile::BUILT_IN),
        storage_class: grammar.role(compile::STORAGE_CLASS),
        access: grammar.role(compile::ACCESS),
    };
    n.names.lay_out();
    let limit = if let Reach::First(n) = reach { n } else { usize::MAX };
    for i in Instructions::new(words).take(limit) {
        if reach != Reach::All && i.words.len() != (words.get(i.offset).copied().unwrap_or(0) >> 16) as usize {
            break;
        }
        n.instruction(i.offset, i.opcode, i.words);
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

/// The part of a hash that a slot keeps.
fn tag(hash: usize) -> u8 {
    (hash >> 24) as u8
}

impl Namer<'_> {
    /// Where a name stands in the table, or the empty place for it; and the place of the id that has it.
    fn probe(&self, name: &[u8]) -> (usize, Option<usize>) {
        let mask = self.table.len() - 1;
        let hash = hash(name);
        let mut i = hash & mask;
        loop {
            let Some(owner) = self.table.get(i).and_then(|e| (*e as usize).checked_sub(1)) else { return (i, None) };
            if self.names.is(owner, name, tag(hash)) {
                return (i, Some(owner));
            }
            i = (i + 1) & mask;
        }
    }

    /// Notes in the table that the id at a place has the name that belongs at `at`.
    fn reserve(&mut self, at: usize, owner: usize) {
        if let Some(e) = self.table.get_mut(at) {
            *e = owner as u32 + 1;
        }
        self.used += 1;
        if self.used * 4 > self.table.len() * 3 {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let len = self.table.len() * 2;
        let mut table = vec![0u32; len];
        let mut name = Vec::new();
        for &entry in self.table.iter().filter(|e| **e != 0) {
            name.clear();
            self.names.push_at(&mut name, entry as usize - 1);
            let mut i = hash(&name) & (len - 1);
            while table.get(i).is_some_and(|e| *e != 0) {
                i = (i + 1) & (len - 1);
            }
            if let Some(e) = table.get_mut(i) {
                *e = entry;
            }
        }
        self.table = table;
    }

    /// Takes a free name for an id. `made` says what it follows from if it is made of others, with the suffix + 1.
    fn take(&mut self, id: u32, name: &[u8], at: usize, made: Option<(Made, u32)>) {
        let slot = self.slot(name, made);
        if let Some(n) = canonical(name).filter(|&n| n != id) {
            self.digits.insert(n);
        }
        self.names.set(id, slot);
        if let Some(owner) = self.names.places.get(id) {
            self.reserve(at, owner);
        }
    }

    fn slot(&mut self, name: &[u8], made: Option<(Made, u32)>) -> Slot {
        let mut slot = [0; 16];
        if name.len() <= 15 {
            slot.iter_mut().zip(name).for_each(|(s, b)| *s = *b);
            slot[15] = name.len() as u8;
            return slot;
        }
        let Some((made, suffix)) = made else { return self.names.long_slot(name) };
        if let Some(left) = self.budget.checked_sub(name.len()) {
            self.budget = left;
            return self.names.long_slot(name);
        }
        let numbers = [made.at, suffix, made.number, name.len() as u32];
        slot.iter_mut().zip(numbers.iter().flat_map(|n| n.to_le_bytes())).for_each(|(s, b)| *s = b);
        let unnamed = u8::from(made.unnamed[0]) | u8::from(made.unnamed[1]) << 1;
        slot[14] = tag(hash(name)) & !3 | unnamed;
        slot[15] = MADE;
        slot
    }

    /// The place of the result that goes by the number which a name is.
    fn number_in_use(&self, name: &[u8]) -> Option<usize> {
        let n = canonical(name)?;
        let own = |s: &Slot| s.get(..usize::from(s[15])) == Some(name);
        self.names.places.get(n).filter(|_| self.names.slot(n).is_some_and(own))
    }

    /// Gives the name in `scratch` to an id that has none.
    fn save(&mut self, id: u32, made: Option<Made>) {
        if self.names.has(id) {
            return;
        }
        let mut name = std::mem::take(&mut self.scratch);
        let too_long = name.len() > FRIENDLY_BYTES;
        if too_long {
            name.clear();
            decimal(&mut name, u64::from(id));
        }
        if name.is_empty() {
            name.push(b'_');
        }
        name.iter_mut().for_each(sanitise);
        self.save_unique(id, &mut name, made.filter(|_| !too_long));
        name.clear();
        self.scratch = name;
    }

    fn save_unique(&mut self, id: u32, name: &mut Vec<u8>, made: Option<Made>) {
        let (at, owner) = self.probe(name);
        let owner = match (owner, self.number_in_use(name)) {
            (Some(owner), _) => owner,
            (None, None) => return self.take(id, name, at, made.map(|made| (made, 0))),
            // Taken by a number, which remembers the next suffix as other names do.
            (None, Some(owner)) => {
                self.reserve(at, owner);
                owner
            }
        };
        let base = name.len();
        let mut suffix = self.next.get(&(owner as u32)).copied().unwrap_or(0);
        loop {
            name.truncate(base);
            name.push(b'_');
            decimal(name, u64::from(suffix));
            suffix = suffix.saturating_add(1);
            let (at, taken) = self.probe(name);
            if taken.is_none() {
                self.next.insert(owner as u32, suffix);
                return self.take(id, name, at, made.map(|made| (made, suffix)));
            }
        }
    }

    /// Lets an id go by its number.
    #[inline]
    fn save_number(&mut self, id: u32) {
        if self.names.has(id) {
            return;
        }
        if !self.digits.is_empty() && self.digits.contains(&id) {
            self.scratch.clear();
            decimal(&mut self.scratch, u64::from(id));
            return self.save(id, None);
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
        self.names.set(id, slot);
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
    fn instruction(&mut self, at: usize, opcode: u16, inst: &[u32]) {
        let Some(op) = self.grammar.op(opcode) else { return };
        match (opcode, inst) {
            // Function bodies are most of a module: nothing there has a name but its number.
            (
                opcode::OpConstant
                | opcode::OpName
                | opcode::OpDecorate
                | opcode::OpTypeVoid..=opcode::OpTypePipe
                | opcode::OpTypePipeStorage
                | opcode::OpTypeNamedBarrier
                | opcode::OpTypeUntypedPointerKHR
                | opcode::OpTypeNodePayloadArrayAMDX
                | opcode::OpConstantTrue
                | opcode::OpConstantFalse,
                _,
            ) => {
                let mut made = None;
                if let Some(id) = self.suggestion(at, opcode, inst, &mut made) {
                    self.save(id, made);
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
    fn suggestion(&mut self, at: usize, opcode: u16, inst: &[u32], made: &mut Option<Made>) -> Option<u32> {
        self.scratch.clear();
        if let Some(parts) = parts(opcode, inst) {
            let unnamed = parts.map(|part| part.is_some_and(|id| !self.names.has(id)));
            let number = parts[0].filter(|_| opcode == opcode::OpConstant).map_or(0, |ty| self.numbers.get(ty));
            let found = *made.insert(Made { at: at as u32, number, unnamed });
            self.names.compose(found, &mut self.scratch)?;
            return inst.get(if opcode == opcode::OpConstant { 2 } else { 1 }).copied();
        }
        let id = match (opcode, inst) {
            (opcode::OpName, [_, id, string @ ..]) => {
                self.push_string(string);
                *id
            }
            (opcode::OpDecorate, [_, id, decoration, value, ..]) => {
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
            (opcode::OpName | opcode::OpDecorate, _) => return None,
            (opcode::OpConstantTrue, [_, _, id, ..]) => {
                self.text("true");
                *id
            }
            (opcode::OpConstantFalse, [_, _, id, ..]) => {
                self.text("false");
                *id
            }
            (_, [_, id, rest @ ..]) => {
                match FIXED.iter().find(|f| f.0 == opcode) {
                    Some(fixed) => self.text(fixed.1),
                    None => self.type_name(at, opcode, *id, rest)?,
                }
                *id
            }
            _ => return None,
        };
        Some(id)
    }

    /// Writes the name of a type whose name depends on its operands into `scratch`; `None` if it has none but its number.
    fn type_name(&mut self, at: usize, opcode: u16, id: u32, operands: &[u32]) -> Option<()> {
        match (opcode, operands) {
            (opcode::OpTypeInt, [width, sign, ..]) => {
                self.numbers.set(id, at as u32);
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
            (opcode::OpTypeFloat, [width, encoding @ ..]) => {
                let encoding = encoding.first().map_or(Encoding::Ieee, |e| Encoding::from_value(*e));
                self.numbers.set(id, at as u32);
                match (encoding.friendly(), width) {
                    (Some(n), _) => self.text(n),
                    (None, 16) => self.text("half"),
                    (None, 32) => self.text("float"),
                    (None, 64) => self.text("double"),
                    (None, w) => self.text(&format!("fp{w}")),
                }
            }
            (opcode::OpTypeUntypedPointerKHR, [class, ..]) => {
                self.text("_ptr_");
                self.push_member(self.storage_class, *class)?;
            }
            (opcode::OpTypePipe, [access, ..]) => {
                self.text("Pipe");
                self.push_member(self.access, *access)?;
            }
            (opcode::OpTypeOpaque, string) => {
                self.text("Opaque_");
                self.push_string(string);
                if self.scratch.len() == "Opaque_".len() {
                    self.text("_");
                }
            }
            (opcode::OpTypeStruct, _) => self.text(&format!("_struct_{id}")),
            _ => {
                self.save_number(id);
                return None;
            }
        }
        Some(())
    }
}
