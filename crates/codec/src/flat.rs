//! All fields of a word at once, and the inverse: for engines that need every field of every instruction.
//!
//! The problem: which definition of a field applies depends on guards, guards depend on fields, and interpreting them
//! for each word costs more than everything else. The method: guards read only a few bits of a word. Their value picks
//! a [`Shape`]: the list of fields that there are, each with its place and type, found once by the exact rules
//! ([`Scopes`]) and then kept. Reading a word is: decide the encoding, gather the guard bits, run the shape's list.
//!
//! Field names are numbered ([`Slot`]); texts of enums are numbered too ([`Symbol`]), equal texts of different enums
//! alike, so that users of values never compare strings.
//!
//! Invariant: what is read is what [`Scopes::resolve`] gives for each name; what is written reads back.

use std::hash::BuildHasher as _;

use isaglot_bits::limbs::mask;
use isaglot_bits::{BitRange, Word};
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::{EncodingId, EnumId, Expr, FieldSource, FieldType, Isa, Name, Node, Piece, SpaceId};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::limits::{MAX_SHAPES, MAX_SLOTS, MAX_WRITE_ROUNDS, SHAPE_TABLE_BITS};
use crate::plan::Plan;
use crate::scope::Scopes;
use crate::tree::Match;

mod shape;

use shape::SlotKind;
pub use shape::{Gather, Layout, Scatter, Shape, ShapeId, Slot, Symbol, Values, WriteError};

/// The texts of an enum by value, and the values by text.
#[derive(Clone, Debug, Default)]
struct EnumTable {
    by_value: Vec<Symbol>,
    /// 1 + the value, by symbol less the first; 0: no such text.
    by_symbol: Vec<u64>,
    first: u16,
}

impl EnumTable {
    #[inline]
    fn value(&self, symbol: Symbol) -> Option<u64> {
        let index = usize::from(symbol.0.wrapping_sub(self.first));
        self.by_symbol.get(index).and_then(|v| v.checked_sub(1))
    }
}

/// Bits within a limb that belong to a key.
#[derive(Clone, Copy, Debug)]
struct KeyBits {
    limb: u8,
    lo: u8,
    width: u8,
    mask: u64,
}

impl KeyBits {
    /// Those of a range of bits, the upper ones first.
    fn of(range: &BitRange) -> impl Iterator<Item = KeyBits> {
        let (lo, end) = (range.lo, range.lo + range.width);
        [(1, lo.max(64), end), (0, lo, end.min(64))]
            .into_iter()
            .filter(|(_, lo, end)| lo < end)
            .map(|(limb, lo, end)| KeyBits { limb, lo: (lo & 63) as u8, width: (end - lo) as u8, mask: mask(end - lo) })
    }
}

#[derive(Clone, Debug)]
struct Leaf {
    encoding: EncodingId,
    /// The bits that the pattern sets.
    fixed: u128,
    /// The bits that guards depend on and the pattern leaves open, and the fields that they belong to.
    key: Vec<KeyBits>,
    key_width: u32,
    key_slots: u128,
    table: Vec<u32>,
    map: FxHashMap<u64, u32>,
}

/// The compiled fields of one space.
#[derive(Debug)]
pub struct Flat<'a> {
    plan: Plan<'a>,
    space: SpaceId,
    names: Vec<Name>,
    slots: FxHashMap<Name, u8>,
    symbols: Vec<&'a str>,
    symbol_of: FxHashMap<&'a str, Symbol>,
    enums: Vec<EnumTable>,
    enum_of: FxHashMap<EnumId, u32>,
    leaves: Vec<Leaf>,
    leaf_of: Vec<u32>,
    shapes: Vec<Shape>,
    /// Leaf and shape, by the hash of both.
    same: FxHashMap<u64, (usize, u32)>,
    /// The shape that words with these fields had last: nearly always the next one's too.
    expected: FxHashMap<(EncodingId, u128), ShapeId>,
}

/// A place in a table of shapes that was not needed yet.
const UNKNOWN: u32 = u32::MAX;

impl<'a> Flat<'a> {
    /// Compiles a space for a gen. `None` if it has more than [`MAX_SLOTS`] field names, or is wider than 128 bits.
    pub fn new(isa: &'a Isa, space: SpaceId, generation: u32) -> Option<Flat<'a>> {
        let plan = Plan::new(isa, generation);
        if isa[space].width > 128 {
            return None;
        }
        let mut flat = Flat {
            plan,
            space,
            names: Vec::new(),
            slots: FxHashMap::default(),
            symbols: Vec::new(),
            symbol_of: FxHashMap::default(),
            enums: Vec::new(),
            enum_of: FxHashMap::default(),
            leaves: Vec::new(),
            leaf_of: vec![UNKNOWN; isa.encodings().len()],
            shapes: Vec::new(),
            same: FxHashMap::default(),
            expected: FxHashMap::default(),
        };
        let active: Vec<EncodingId> =
            isa[space].encodings.iter().copied().filter(|e| flat.plan.active(&isa[*e])).collect();
        for &id in &active {
            for field in isa[id].cases.iter().flat_map(|c| &c.fields) {
                flat.add_name(field.name);
                if let FieldType::Enum(e) = field.ty {
                    flat.add_enum(e);
                }
            }
        }
        if flat.names.len() > MAX_SLOTS {
            return None;
        }
        for id in active {
            flat.leaf_of[id.index()] = flat.leaves.len() as u32;
            let leaf = flat.leaf(id);
            flat.leaves.push(leaf);
        }
        Some(flat)
    }

    /// The plan that it was compiled for.
    pub fn plan(&self) -> &Plan<'a> {
        &self.plan
    }

    /// The slot of a field name, if an encoding of the space has such a field.
    pub fn slot(&self, name: &str) -> Option<Slot> {
        let name = self.plan.isa().names().get(name)?;
        self.slots.get(&name).map(|s| Slot(*s))
    }

    /// The name of a slot.
    pub fn name(&self, slot: Slot) -> &'a str {
        self.names.get(usize::from(slot.0)).map_or("", |n| self.plan.isa().text(*n))
    }

    /// The number of a text, if an enum of the space has it.
    pub fn symbol(&self, text: &str) -> Option<Symbol> {
        self.symbol_of.get(text).copied()
    }

    /// Texts of enums in the order of their numbers.
    pub fn symbols(&self) -> &[&'a str] {
        &self.symbols
    }

    /// A shape.
    pub fn shape(&self, id: ShapeId) -> Option<&Shape> {
        self.shapes.get(id.0 as usize)
    }

    /// Which encoding a word is.
    #[inline]
    pub fn select(&self, word: u128) -> Match {
        let limbs = [word as u64, (word >> 64) as u64];
        self.plan.tree(self.space).select(&limbs, self.plan.isa()[self.space].width)
    }

    fn add_name(&mut self, name: Name) {
        let next = self.names.len();
        self.slots.entry(name).or_insert_with(|| {
            self.names.push(name);
            next.min(MAX_SLOTS) as u8
        });
    }

    fn add_enum(&mut self, id: EnumId) {
        if self.enum_of.contains_key(&id) {
            return;
        }
        let ty = &self.plan.isa()[id];
        let mut table = EnumTable::default();
        let mut values = Vec::with_capacity(ty.values.len());
        self.symbol_of.reserve(ty.values.len());
        for entry in &ty.values {
            let next = Symbol(self.symbols.len() as u16);
            let symbol = *self.symbol_of.entry(&entry.display).or_insert_with(|| {
                self.symbols.push(&entry.display);
                next
            });
            // An enum with a sparse or huge value is looked up by text only.
            if let Ok(value) = usize::try_from(entry.value)
                && value < 1 << 12
            {
                table.by_value.resize(table.by_value.len().max(value + 1), Symbol::NONE);
                if table.by_value[value] == Symbol::NONE {
                    table.by_value[value] = symbol;
                }
            }
            values.push((symbol, entry.value));
        }
        table.first = values.iter().map(|(s, _)| s.0).min().unwrap_or(0);
        for (symbol, value) in values {
            let index = usize::from(symbol.0 - table.first);
            table.by_symbol.resize(table.by_symbol.len().max(index + 1), 0);
            if table.by_symbol[index] == 0 {
                table.by_symbol[index] = value.saturating_add(1);
            }
        }
        self.enum_of.insert(id, self.enums.len() as u32);
        self.enums.push(table);
    }

    /// The bits that an encoding's guards depend on.
    fn leaf(&self, id: EncodingId) -> Leaf {
        let isa = self.plan.isa();
        let encoding = &isa[id];
        let mut names: Vec<Name> = Vec::new();
        let add = |expr: &Expr, names: &mut Vec<Name>| {
            for node in &expr.nodes {
                if let Node::Field(name) = node
                    && !names.contains(name)
                {
                    names.push(*name);
                }
            }
        };
        for guard in encoding.cases.iter().filter_map(|c| c.guard) {
            add(&isa[guard], &mut names);
        }
        let mut bits = Word::zero(encoding.width);
        let mut at = 0;
        while let Some(&name) = names.get(at) {
            at += 1;
            for field in encoding.cases.iter().flat_map(|c| &c.fields).filter(|f| f.name == name) {
                match &field.source {
                    FieldSource::Derived(expr) => add(&isa[*expr], &mut names),
                    FieldSource::Bits(pieces) => {
                        for piece in pieces {
                            if let Piece::Bits(range) = piece {
                                bits = bits.or(&Word::mask(*range, encoding.width));
                            }
                        }
                    }
                }
            }
        }
        let open = bits.and_not(encoding.pattern.care());
        let key: Vec<KeyBits> = open.runs().iter().flat_map(KeyBits::of).collect();
        let key_width = key.iter().map(|bits| u32::from(bits.width)).sum();
        // A field may share its bits with one that a guard names; it then decides as well.
        let touches = |piece: &Piece| match piece {
            Piece::Bits(range) => !bits.and(&Word::mask(*range, encoding.width)).is_zero(),
            Piece::Implied { .. } => false,
        };
        let deciding = encoding.cases.iter().flat_map(|c| &c.fields).filter(|f| match &f.source {
            FieldSource::Bits(pieces) => pieces.iter().any(touches),
            FieldSource::Derived(_) => false,
        });
        let key_slots = deciding.filter_map(|f| self.slots.get(&f.name)).fold(0u128, |set, s| set | 1 << s);
        let table = if key_width <= SHAPE_TABLE_BITS { vec![UNKNOWN; 1usize << key_width] } else { Vec::new() };
        Leaf {
            encoding: id,
            fixed: encoding.pattern.value().low_u128(),
            key,
            key_width,
            key_slots,
            table,
            map: FxHashMap::default(),
        }
    }

    /// The shape of a word of an encoding of this space; for others, an empty one.
    #[inline]
    pub fn shape_of(&mut self, encoding: EncodingId, word: u128) -> ShapeId {
        let index = self.leaf_of.get(encoding.index()).copied().unwrap_or(UNKNOWN);
        let Some(leaf) = self.leaves.get(index as usize) else { return ShapeId(UNKNOWN) };
        let mut key = 0u64;
        let [low, high] = [word as u64, (word >> 64) as u64];
        for bits in &leaf.key {
            let limb = if bits.limb == 0 { low } else { high };
            key = key << (bits.width & 63) | (limb >> (bits.lo & 63) & bits.mask);
        }
        let known = if leaf.key_width <= SHAPE_TABLE_BITS {
            leaf.table.get(key as usize).copied().unwrap_or(UNKNOWN)
        } else {
            leaf.map.get(&key).copied().unwrap_or(UNKNOWN)
        };
        if known != UNKNOWN { ShapeId(known) } else { self.new_shape(index as usize, key, word) }
    }

    #[cold]
    fn new_shape(&mut self, leaf: usize, key: u64, word: u128) -> ShapeId {
        let shape = self.build(self.leaves[leaf].encoding, word);
        // Bits that guards do not ask for, since other guards have decided, make no other shape.
        let hash = FxBuildHasher.hash_one((leaf, &shape));
        let known = self.same.get(&hash).filter(|(l, id)| *l == leaf && self.shapes.get(*id as usize) == Some(&shape));
        let id = known.map(|(_, id)| *id).unwrap_or_else(|| {
            if self.shapes.len() == MAX_SHAPES {
                self.shapes.pop();
            }
            let id = self.shapes.len() as u32;
            self.shapes.push(shape);
            if id as usize + 1 < MAX_SHAPES {
                self.same.insert(hash, (leaf, id));
            }
            id
        });
        let leaf = &mut self.leaves[leaf];
        if id as usize + 1 < MAX_SHAPES {
            match leaf.table.get_mut(key as usize) {
                Some(entry) => *entry = id,
                None => drop(leaf.map.insert(key, id)),
            }
        }
        ShapeId(id)
    }

    fn build(&self, encoding: EncodingId, word: u128) -> Shape {
        let isa = self.plan.isa();
        let mut scopes = Scopes::new(&self.plan, false);
        let word = Word::from_u128(word, isa[encoding].width);
        let mut shape = Shape {
            moves: Vec::new(),
            present: 0,
            implied: Vec::new(),
            signed: Vec::new(),
            tables: Vec::new(),
            by_symbol: 0,
            kinds: vec![None; self.names.len()],
        };
        let Some(scope) = scopes.enter_encoding(encoding, &word) else { return impossible(shape) };
        // As a name is looked up: the first applicable case that defines it counts. Each guard is asked once.
        let mut seen = 0u128;
        let cases = isa[encoding].cases.iter();
        let applicable = cases.filter(|case| scopes.applies(scope, case));
        for field in applicable.flat_map(|c| &c.fields) {
            let Some(slot) = self.slots.get(&field.name).map(|s| usize::from(*s)).filter(|s| *s < MAX_SLOTS) else {
                continue;
            };
            if seen >> slot & 1 != 0 {
                continue;
            }
            seen |= 1 << slot;
            // A derived field is not part of a word; its readers evaluate it.
            let FieldSource::Bits(pieces) = &field.source else { continue };
            if field.width > 64 {
                continue;
            }
            let table = match field.ty {
                FieldType::Enum(id) => self.enum_of.get(&id).copied(),
                _ => None,
            };
            let signed = matches!(field.ty, FieldType::Int | FieldType::Offset | FieldType::Branch { .. });
            let start = shape.moves.len() as u32;
            let mut kind =
                SlotKind { moves: (start, start), width: field.width, signed, implied: 0, implied_mask: 0, table };
            let mut shift = 0;
            for piece in pieces.iter().rev() {
                match *piece {
                    Piece::Bits(range) => shape.push_moves(slot as u8, range, shift),
                    Piece::Implied { width, value } => {
                        kind.implied |= (value & mask(width)) << shift;
                        kind.implied_mask |= mask(width) << shift;
                    }
                }
                shift += piece.width();
            }
            shape.present |= 1u128 << slot;
            if kind.implied != 0 {
                shape.implied.push((slot as u8, kind.implied));
            }
            if signed && kind.width < 64 {
                shape.signed.push((slot as u8, 64 - kind.width));
            }
            if let Some(table) = table {
                shape.tables.push((slot as u8, table));
                shape.by_symbol |= 1u128 << slot;
            }
            kind.moves.1 = shape.moves.len() as u32;
            shape.kinds[slot] = Some(kind);
        }
        shape
    }

    /// By the lowest byte of a word, the bits that decide which encoding it is and which shape it has: words that agree in
    /// them agree in both.
    pub fn deciding(&self) -> Vec<u128> {
        let mut all = vec![0xff; 256];
        for leaf in &self.leaves {
            let encoding = &self.plan.isa()[leaf.encoding];
            let care = encoding.except.iter().fold(encoding.pattern.care().low_u128(), |c, p| c | p.care().low_u128());
            let bits = leaf
                .key
                .iter()
                .fold(care, |bits, k| bits | u128::from(k.mask) << (64 * u32::from(k.limb) + u32::from(k.lo)));
            let (care, value) = (encoding.pattern.care().low_u64(), encoding.pattern.value().low_u64());
            for (byte, deciding) in (0u64..).zip(&mut all) {
                if (byte ^ value) & care & 0xff == 0 {
                    *deciding |= bits;
                }
            }
        }
        all
    }

    /// Reads all fields of a word that is this encoding.
    #[inline]
    pub fn read(&mut self, encoding: EncodingId, word: u128, out: &mut Values) -> ShapeId {
        let id = self.shape_of(encoding, word);
        let Some(shape) = self.shapes.get(id.0 as usize) else {
            out.clear();
            return id;
        };
        let limbs = [word as u64, (word >> 64) as u64];
        (out.present, out.by_symbol, out.optional) = (shape.present, shape.by_symbol, 0);
        for m in &shape.moves {
            let value = (limbs[usize::from(m.limb & 1)] >> (m.lo & 63)) & mask(m.width.into());
            let place = &mut out.bits[usize::from(m.slot & 127)];
            let before = if m.first { 0 } else { *place };
            *place = before | value << (m.shift & 63);
        }
        for &(slot, value) in &shape.implied {
            out.bits[usize::from(slot & 127)] |= value;
        }
        for &(slot, unused) in &shape.signed {
            let value = &mut out.bits[usize::from(slot & 127)];
            *value = ((*value << (unused & 63)) as i64 >> (unused & 63)) as u64;
        }
        for &(slot, table) in &shape.tables {
            let value = out.bits[usize::from(slot & 127)] as usize;
            let symbol = self.enums.get(table as usize).and_then(|t| t.by_value.get(value)).copied();
            out.symbols[usize::from(slot & 127)] = symbol.unwrap_or(Symbol::NONE);
        }
        id
    }

    /// The raw value of one field of a word of a shape; 0 if there is none, the sign not extended.
    #[inline]
    pub fn field(&self, shape: ShapeId, slot: Slot, word: u128) -> u64 {
        let Some(shape) = self.shapes.get(shape.0 as usize) else { return 0 };
        let Some(Some(kind)) = shape.kinds.get(usize::from(slot.0)) else { return 0 };
        let limbs = [word as u64, (word >> 64) as u64];
        let moves = shape.moves.get(kind.moves.0 as usize..kind.moves.1 as usize).or_impossible(&[]);
        moves.iter().fold(kind.implied, |value, m| {
            value | ((limbs[usize::from(m.limb & 1)] >> (m.lo & 63)) & mask(m.width.into())) << (m.shift & 63)
        })
    }

    /// The bits that the pattern of an encoding sets.
    #[inline]
    pub fn fixed(&self, encoding: EncodingId) -> u128 {
        let index = self.leaf_of.get(encoding.index()).copied().unwrap_or(UNKNOWN);
        self.leaves.get(index as usize).map_or(0, |leaf| leaf.fixed)
    }

    /// The bits that some values set in a word of a shape. Words that are put together so are right if, put together,
    /// they have this shape: [`Flat::shape_of`].
    pub fn placed(&self, shape: ShapeId, values: &Values) -> Result<u128, WriteError> {
        match self.place(shape, 0, values, u128::MAX) {
            (bits, None) => Ok(bits),
            (_, Some(e)) => Err(e),
        }
    }

    /// Makes the word of an encoding from values; bits of fields that are not set are 0.
    pub fn write(&mut self, encoding: EncodingId, values: &Values) -> Result<u128, WriteError> {
        let fixed = self.fixed(encoding);
        let fields = (encoding, values.present);
        if let Some(&shape) = self.expected.get(&fields)
            && let (word, None) = self.place(shape, fixed, values, u128::MAX)
            && self.shape_of(encoding, word) == shape
        {
            return Ok(word);
        }
        let shape = self.settle(encoding, fixed, values)?;
        match self.place(shape, fixed, values, u128::MAX) {
            (word, None) => {
                if self.expected.len() < MAX_SHAPES {
                    self.expected.insert(fields, shape);
                }
                Ok(word)
            }
            (_, Some(e)) => Err(e),
        }
    }

    /// The shape of the word that the values make.
    fn settle(&mut self, encoding: EncodingId, fixed: u128, values: &Values) -> Result<ShapeId, WriteError> {
        let index = self.leaf_of.get(encoding.index()).copied().unwrap_or(UNKNOWN);
        let key_slots = self.leaves.get(index as usize).map_or(0, |l| l.key_slots);
        let mut shape = self.shape_of(encoding, fixed);
        if key_slots & values.present == 0 {
            return Ok(shape);
        }
        for _ in 0..MAX_WRITE_ROUNDS {
            // While guards are unsettled, a field may be absent that is there in the end.
            let word = self.place(shape, fixed, values, key_slots).0;
            let next = self.shape_of(encoding, word);
            if next == shape {
                return Ok(shape);
            }
            shape = next;
        }
        Err(WriteError::Unsettled)
    }

    /// Places the fields of `slots` and gives the first problem.
    fn place(&self, shape: ShapeId, fixed: u128, values: &Values, slots: u128) -> (u128, Option<WriteError>) {
        let mut problem = None;
        let Some(shape) = self.shapes.get(shape.0 as usize) else { return (fixed, Some(WriteError::Unsettled)) };
        let missing = values.present & !shape.present & !values.optional & slots;
        if missing != 0 {
            problem = Some(WriteError::Absent(Slot(missing.trailing_zeros() as u8)));
        }
        let mut limbs = [fixed as u64, (fixed >> 64) as u64];
        let placed = values.present & shape.present & slots;
        for half in 0..2 {
            let by_symbol = (values.by_symbol >> (64 * half)) as u64;
            let mut rest = (placed >> (64 * half)) as u64;
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let slot = (64 * half + bit) as usize;
                let Some(Some(kind)) = shape.kinds.get(slot) else { continue };
                let value = if by_symbol >> bit & 1 != 0 {
                    let table = kind.table.and_then(|t| self.enums.get(t as usize));
                    table.and_then(|t| t.value(values.symbols[slot])).ok_or(WriteError::Text(Slot(slot as u8)))
                } else {
                    Ok(values.bits[slot])
                };
                match value.and_then(|value| kind.fitting(value).ok_or(WriteError::Range(Slot(slot as u8)))) {
                    Ok(value) => {
                        for m in shape.moves.get(kind.moves.0 as usize..kind.moves.1 as usize).or_impossible(&[]) {
                            let part = value >> (m.shift & 63) & mask(m.width.into());
                            limbs[usize::from(m.limb & 1)] |= part << (m.lo & 63);
                        }
                    }
                    Err(e) => problem = problem.or(Some(e)),
                }
            }
        }
        (u128::from(limbs[1]) << 64 | u128::from(limbs[0]), problem)
    }
}
