//! What the instructions of some code do to constants and handles, and where control goes.
//!
//! Which registers are written and where control goes is what the model says; only the few instructions that make
//! constants are known by name.

use isaglot_bits::Word;
use isaglot_codec::{Match, Plan};
use isaglot_invariant::Impossible as _;
use isaglot_model::{EncodingId, FieldSource, Flow, Name, OperandKind, Piece};

use crate::Xlen;

/// What an instruction does to registers, as far as it matters here. Register 0 is always zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// `rd = value`
    Constant {
        /// Destination.
        rd: u8,
        /// The value, as wide as a register.
        value: u64,
    },
    /// `rd = rs + value`; with `word` the sum is cut to 32 bits and sign-extended. With 0 and no `word` it is a copy.
    Add {
        /// Destination.
        rd: u8,
        /// Source.
        rs: u8,
        /// What is added, sign-extended.
        value: u64,
        /// Of 32 bits.
        word: bool,
    },
    /// `rd = rs << by`, or `>>` without sign.
    Shift {
        /// Destination.
        rd: u8,
        /// Source.
        rs: u8,
        /// By how many bits.
        by: u32,
        /// To the left.
        left: bool,
    },
    /// `xext` or a variant: a handle in rd, for the interface and device in rs.
    Handle {
        /// Destination.
        rd: u8,
        /// The register with the interface and device.
        rs: u8,
    },
    /// `xcmdK` with the handle in rs.
    Command {
        /// Destination.
        rd: u8,
        /// The register with the handle.
        rs: u8,
        /// The command's number.
        k: u32,
    },
    /// Anything else: bit n of the mask says that register n is written.
    Writes(u32),
}

/// Where control goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// On.
    On,
    /// To the target, and on if it is conditional.
    Branch {
        /// The address.
        target: u64,
        /// Whether control may go on.
        conditional: bool,
    },
    /// To the target or, if it is not known, somewhere, and back.
    Call {
        /// The address.
        target: Option<u64>,
    },
    /// To an address in a register.
    Indirect,
    /// Nowhere that can be followed.
    Stop,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsnStep {
    /// Its address.
    pub at: u64,
    /// Its length in bytes.
    pub size: u32,
    /// What it does to registers.
    pub effect: Effect,
    /// Where control goes.
    pub next: Next,
}

/// How the value of a field is put together: most significant piece first, and its width.
type FieldPlace = (Vec<Piece>, u32);

/// What an encoding does, with the places of the fields that matter.
#[derive(Clone, Debug)]
struct Fact {
    known: Known,
    rd: Option<FieldPlace>,
    rs1: Option<FieldPlace>,
    rs2: Option<FieldPlace>,
    /// The immediate, the shift amount, or the number of the generic instruction.
    number: Option<FieldPlace>,
    /// Registers that are always written.
    writes: u32,
    /// Register operands that are written, each with what is added to its number.
    written: Vec<(FieldPlace, u8)>,
    flow: Flow,
    target: Option<FieldPlace>,
}

/// Instructions that make or use constants and handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Lui,
    Li,
    Addi { word: bool, same: bool },
    Mv,
    Shift { left: bool, same: bool },
    Xext,
    Xcmd,
    Other,
}

/// How the mnemonics of the description are meant.
const KNOWN: &[(&str, Known)] = &[
    ("lui", Known::Lui),
    ("c.lui", Known::Lui),
    ("c.li", Known::Li),
    ("addi", Known::Addi { word: false, same: false }),
    ("addiw", Known::Addi { word: true, same: false }),
    ("c.addi", Known::Addi { word: false, same: true }),
    ("c.addiw", Known::Addi { word: true, same: true }),
    ("c.mv", Known::Mv),
    ("slli", Known::Shift { left: true, same: false }),
    ("srli", Known::Shift { left: false, same: false }),
    ("c.slli", Known::Shift { left: true, same: true }),
    ("c.srli", Known::Shift { left: false, same: true }),
    ("xext", Known::Xext),
    ("xcmd", Known::Xcmd),
];

/// What the encodings of a description do, looked up once.
#[derive(Clone, Debug)]
pub struct Facts {
    facts: Vec<Option<Fact>>,
}

impl Facts {
    /// Looks at every encoding of the description's instructions.
    pub fn new(plan: &Plan<'_>) -> Facts {
        let isa = plan.isa();
        let facts = (0..isa.encodings().len() as u32).map(|id| fact(plan, EncodingId(id))).collect();
        Facts { facts }
    }
}

fn fact(plan: &Plan<'_>, id: EncodingId) -> Option<Fact> {
    let isa = plan.isa();
    let encoding = isa.encodings().get(id.index()).filter(|e| e.space == isa.root())?;
    let place = |name: Name| {
        let fields = encoding.cases.iter().filter(|c| c.guard.is_none()).flat_map(|c| &c.fields);
        fields.into_iter().find(|f| f.name == name).and_then(|f| match &f.source {
            FieldSource::Bits(pieces) => Some((pieces.clone(), f.width)),
            FieldSource::Derived(_) => None,
        })
    };
    let called = |text: &str| {
        let all = encoding.cases.iter().flat_map(|c| &c.fields);
        all.into_iter().map(|f| f.name).find(|n| isa.text(*n) == text).and_then(place)
    };
    // The integer registers are the first file; short fields count from x8.
    let integer = |file: isaglot_model::RegisterFileId| match isa[file].name.as_str() {
        "#x" => Some(0),
        "#x-short" => Some(8),
        _ => None,
    };
    let (mut writes, mut written) = (0, Vec::new());
    for operand in encoding.operands.iter().filter(|o| o.access.writes()) {
        match operand.kind {
            OperandKind::Implicit(file, number) if integer(file).is_some() => {
                writes |= 1u32.checked_shl(number).or_impossible(0)
            }
            OperandKind::Register(name, file) => {
                if let (Some(base), Some(place)) = (integer(file), place(name)) {
                    written.push((place, base));
                }
            }
            _ => {}
        }
    }
    let known = KNOWN.iter().find(|(name, _)| *name == &*encoding.display_name).map_or(Known::Other, |k| k.1);
    let target = match encoding.flow {
        Flow::Branch { target, .. } | Flow::Call { target } => place(target),
        _ => None,
    };
    let number = called("IMM").or_else(|| called("SHAMT")).or_else(|| called("OP"));
    let (rd, rs1, rs2) = (called("RD"), called("RS1"), called("RS2"));
    Some(Fact { known, rd, rs1, rs2, number, writes, written, flow: encoding.flow, target })
}

fn read((pieces, _): &FieldPlace, word: &Word) -> u64 {
    pieces.iter().fold(0, |value, piece| match *piece {
        Piece::Bits(range) => value << range.width | word.extract(range.lo, range.width),
        Piece::Implied { width, value: bits } => value << width | bits,
    })
}

fn signed(place: &FieldPlace, word: &Word) -> u64 {
    let unused = 64 - place.1.clamp(1, 64);
    (((read(place, word) << unused) as i64) >> unused) as u64
}

/// The instructions of some bytes that begin at address 0, one after the other.
pub fn steps(plan: &Plan<'_>, facts: &Facts, xlen: Xlen, bytes: &[u8]) -> Vec<InsnStep> {
    let mut out = Vec::with_capacity(bytes.len() / 4);
    let mut at = 0;
    while let Some(parcel) = bytes.get(at..at + 2) {
        let first = Word::from_le_bytes(parcel, 16);
        let size = plan.length(&first).map_or(2, |bits| bits as usize / 8).max(2);
        let Some(whole) = bytes.get(at..at + size) else { break };
        let word = Word::from_le_bytes(whole, 8 * size as u32);
        let fact = match plan.decode(&word) {
            Match::One(id) => facts.facts.get(id.index()).and_then(Option::as_ref),
            _ => None,
        };
        let at_ = at as u64;
        let (effect, next) = match fact {
            Some(fact) => (effect(fact, &word, size, xlen), next(fact, &word, at_)),
            // Not a valid instruction: a trap.
            None => (Effect::Writes(0), Next::Stop),
        };
        out.push(InsnStep { at: at_, size: size as u32, effect, next });
        at += size;
    }
    out
}

fn effect(fact: &Fact, word: &Word, size: usize, xlen: Xlen) -> Effect {
    // Short shifts count their register from x8; `c.slli` and the others name it in full.
    let short = |place: &FieldPlace| if size == 2 && place.1 == 3 { 8 } else { 0 };
    let register = |place: &Option<FieldPlace>| place.as_ref().map(|p| read(p, word) as u8 + short(p));
    let number = fact.number.as_ref();
    let mut writes = fact.writes;
    for (place, base) in &fact.written {
        writes |= 1u32.checked_shl(read(place, word) as u32 + u32::from(*base)).or_impossible(0);
    }
    let other = Effect::Writes(writes);
    let Some(rd) = register(&fact.rd) else { return other };
    let made = match fact.known {
        Known::Lui => number.map(|n| {
            let upper = if size == 2 { signed(n, word) << 12 } else { read(n, word) << 12 };
            let value = if xlen == Xlen::Rv64 { (upper as i32) as u64 } else { upper };
            Effect::Constant { rd, value }
        }),
        Known::Li => number.map(|n| Effect::Constant { rd, value: signed(n, word) }),
        Known::Addi { word: narrow, same } => {
            let rs = if same { Some(rd) } else { register(&fact.rs1) };
            number.zip(rs).map(|(n, rs)| Effect::Add { rd, rs, value: signed(n, word), word: narrow })
        }
        Known::Mv => register(&fact.rs2).map(|rs| Effect::Add { rd, rs, value: 0, word: false }),
        Known::Shift { left, same } => {
            let rs = if same { Some(rd) } else { register(&fact.rs1) };
            number.zip(rs).map(|(n, rs)| Effect::Shift { rd, rs, by: read(n, word) as u32, left })
        }
        Known::Xext => register(&fact.rs1).map(|rs| Effect::Handle { rd, rs }),
        Known::Xcmd => {
            number.zip(register(&fact.rs1)).map(|(n, rs)| Effect::Command { rd, rs, k: read(n, word) as u32 })
        }
        Known::Other => None,
    };
    made.unwrap_or(other)
}

fn next(fact: &Fact, word: &Word, at: u64) -> Next {
    let target = fact.target.as_ref().map(|p| at.wrapping_add(signed(p, word)));
    match (fact.flow, target) {
        (Flow::Next, _) => Next::On,
        (Flow::Branch { conditional, .. }, Some(target)) => Next::Branch { target, conditional },
        (Flow::Call { .. }, target) => Next::Call { target },
        // The environment keeps what a call keeps.
        (Flow::Trap, _) | (Flow::Indirect { call: true }, _) => Next::Call { target: None },
        (Flow::Indirect { call: false }, _) => Next::Indirect,
        _ => Next::Stop,
    }
}
