//! A description as bytes: the model itself, so that loading costs neither reading the sources nor working them out.
//!
//! The layout: [`MAGIC`]; the [`VERSION`] and the CRC-32 of all that follows, both 32 bits, least significant byte
//! first; then a [`Header`], what parts of the model share (`pools`) and the model, in postcard's encoding (integers of few
//! bytes, sequences after their length). Places in the sources are not kept.
//!
//! Invariant: bytes from anywhere give an [`Isa`] as valid as a [`Builder`](crate::Builder)'s, or an error: what was
//! read is checked as if a front end had made it. What is read takes a bounded multiple of the bytes in memory, since
//! lists grow as their elements come and conditions are kept in postfix form.

mod numbers;
mod pools;

use isaglot_invariant::Impossible as _;
use isaglot_source::Diagnostics;
use postcard::Deserializer;
use serde::{Deserialize, Serialize};

use self::pools::Pools;
use crate::encoding::{Encoding, Space};
use crate::expansion::{Expansion, Table};
use crate::expr::Expr;
use crate::field::EnumType;
use crate::ids::{EncodingId, FeatureId, SpaceId};
use crate::isa::{Feature, GenName, Isa, OpcodeBits, Spelling, WordFormat};
use crate::names::Names;
use crate::operand::RegisterFile;
use crate::semantics::{ExternFunction, Parameter};
use crate::template::Template;
use crate::validate;

/// What every compiled description begins with.
pub const MAGIC: [u8; 8] = *b"isaglot\0";

/// The version of the layout: another one after every change of what is kept. A test says when.
pub const VERSION: u32 = 9;

/// Bytes before the header.
const PREFIX: usize = MAGIC.len() + 8;

/// What is known about a compiled description beside the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The program that made it, with its version.
    pub made_by: String,
    /// The files that it was made from.
    pub sources: Vec<Source>,
    /// Of an LLVM target: the processors and features that its triples mean, by the beginnings of these.
    pub triples: Option<Vec<(String, Vec<String>)>>,
    /// What a reader has to be warned of: a sentence and the notes on it.
    pub doubts: Vec<(String, Vec<String>)>,
}

/// A file that a description was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its path; relative to the folder of the compiled description, unless it is absolute.
    pub path: String,
    /// Its length in bytes.
    pub length: u64,
    /// When it was written: nanoseconds since 1970.
    pub modified: u64,
    /// The SHA-256 of its content.
    pub sha256: [u8; 32],
}

/// Why bytes are not a compiled description.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Unreadable {
    /// They do not begin with [`MAGIC`], or end before the header.
    Foreign,
    /// They were made by another version of the tool; the version of their layout.
    Version(u32),
    /// They are not what was written: the checksum differs.
    Damaged,
    /// They do not follow the layout from this offset on.
    Malformed(usize),
    /// The model in them is not valid: the problems.
    Invalid(Diagnostics),
}

impl core::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Unreadable::Foreign => f.write_str("not a compiled description"),
            Unreadable::Version(found) => write!(f, "layout {found} in place of {VERSION}"),
            Unreadable::Damaged => f.write_str("the checksum is wrong"),
            Unreadable::Malformed(at) => write!(f, "byte {at}: invalid"),
            Unreadable::Invalid(problems) => {
                f.write_str("the description is not valid")?;
                problems.iter().try_for_each(|problem| write!(f, "\n{problem}"))
            }
        }
    }
}

impl core::error::Error for Unreadable {}

/// The bytes of a description.
pub fn to_bytes(header: &Header, isa: &Isa) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([0; 4]);
    // Nothing of a model can fail to be written to a vector.
    let bytes = postcard::to_extend(header, bytes).and_then(|bytes| {
        let mut isa = isa.clone();
        let pools = Pools::of(&mut isa);
        postcard::to_extend(&Kept(&isa), postcard::to_extend(&pools, bytes)?)
    });
    let mut bytes = bytes.or_impossible_default();
    if let Some((prefix, rest)) = bytes.split_at_mut_checked(PREFIX) {
        prefix[PREFIX - 4..].copy_from_slice(&crc(rest).to_le_bytes());
    }
    bytes
}

/// The description in `bytes`.
///
/// # Errors
///
/// See [`Unreadable`].
pub fn from_bytes(bytes: &[u8]) -> Result<(Header, Isa), Unreadable> {
    let (header, isa) = from_known_bytes(bytes)?;
    if !spaces_agree(&isa) {
        return Err(Unreadable::Malformed(bytes.len()));
    }
    let mut problems = Diagnostics::new();
    validate::validate(&isa, &mut problems);
    if problems.has_errors() { Err(Unreadable::Invalid(problems)) } else { Ok((header, isa)) }
}

/// The description in bytes that [`to_bytes`] is known to have written for this reader: `isaglot docs --explorer` puts both into one folder.
/// Damage is found by the checksum; what the model means is not checked again.
///
/// # Errors
///
/// See [`Unreadable`]; never [`Unreadable::Invalid`].
pub fn from_known_bytes(bytes: &[u8]) -> Result<(Header, Isa), Unreadable> {
    let (prefix, rest) = bytes.split_at_checked(PREFIX).ok_or(Unreadable::Foreign)?;
    let word = |at: usize| prefix.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
    let (Some(version), Some(checksum)) = (word(MAGIC.len()), word(MAGIC.len() + 4)) else {
        return Err(Unreadable::Foreign);
    };
    if !prefix.starts_with(&MAGIC) {
        return Err(Unreadable::Foreign);
    }
    if version != VERSION {
        return Err(Unreadable::Version(version));
    }
    if crc(rest) != checksum {
        return Err(Unreadable::Damaged);
    }
    parts(rest).map_err(|left| Unreadable::Malformed(bytes.len() - left))
}

/// The checksum.
#[cfg(not(target_family = "wasm"))]
fn crc(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// The same with a table of 64 bytes in place of 16 KiB, which would be a twentieth of the engine as a page fetches it.
#[cfg(target_family = "wasm")]
fn crc(bytes: &[u8]) -> u32 {
    small_crc(bytes)
}

#[cfg(any(target_family = "wasm", test))]
fn small_crc(bytes: &[u8]) -> u32 {
    /// CRC-32 of four bits, the least significant first.
    const STEPS: [u32; 16] = {
        let mut steps = [0; 16];
        let mut at = 0;
        while at < steps.len() {
            let mut value = at as u32;
            let mut bit = 0;
            while bit < 4 {
                value = (value >> 1) ^ if value & 1 == 1 { 0xedb8_8320 } else { 0 };
                bit += 1;
            }
            steps[at] = value;
            at += 1;
        }
        steps
    };
    let step = |crc: u32, bits: u32| (crc >> 4) ^ STEPS[((crc ^ bits) & 15) as usize];
    !bytes.iter().fold(!0, |crc, &byte| step(step(crc, byte.into()), u32::from(byte) >> 4))
}

/// The description in bytes that are a part of the program itself: its build has written them by [`to_bytes`] and read them by
/// [`from_bytes`], so they are not checked again each time the program starts. `None` if they do not follow the layout.
pub fn from_own_bytes(bytes: &'static [u8]) -> Option<Isa> {
    parts(bytes.get(PREFIX..)?).ok().map(|(_, isa)| isa)
}

/// What follows the prefix; the error is how many bytes are left where it does not follow the layout.
fn parts(rest: &[u8]) -> Result<(Header, Isa), usize> {
    let mut input = Deserializer::from_bytes(rest);
    let read = Header::deserialize(&mut input)
        .and_then(|header| Ok((header, Pools::deserialize(&mut input)?, IsaParts::deserialize(&mut input)?)));
    let left = input.finalize().map_or(0, <[u8]>::len);
    let (header, pools, mut isa) = read.ok().filter(|_| left == 0).ok_or(left)?;
    pools.put(&mut isa).ok_or(left)?;
    Ok((header, isa))
}

/// Whether the spaces list the encodings as a builder would: each in its own, once, in order.
fn spaces_agree(isa: &Isa) -> bool {
    let listed: usize = isa.spaces.iter().map(|space| space.encodings.len()).sum();
    let own = |(space, id): (&Space, SpaceId)| {
        let known = |e: &EncodingId| isa.encodings.get(e.index()).is_some_and(|encoding| encoding.space == id);
        space.encodings.iter().all(known) && space.encodings.is_sorted_by(|a, b| a < b)
    };
    listed == isa.encodings.len() && isa.spaces.iter().zip((0..).map(SpaceId)).all(own)
}

/// A model to be written.
#[derive(Serialize)]
struct Kept<'a>(#[serde(with = "IsaParts")] &'a Isa);

/// The parts of an [`Isa`], which is not to be read by anything but [`from_bytes`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Isa")]
struct IsaParts {
    name: String,
    #[serde(skip)]
    names: Names,
    root: SpaceId,
    format: WordFormat,
    opcodes: Vec<OpcodeBits>,
    value_bits: u32,
    spaces: Vec<Space>,
    encodings: Vec<Encoding>,
    exprs: Vec<Expr>,
    #[serde(skip)]
    templates: Vec<Template>,
    enums: Vec<EnumType>,
    register_files: Vec<RegisterFile>,
    features: Vec<Feature>,
    contexts: Vec<FeatureId>,
    number_mark: Option<u8>,
    spelling: Spelling,
    gens: Vec<GenName>,
    parameters: Vec<Parameter>,
    externs: Vec<ExternFunction>,
    traps: Vec<String>,
    tables: Vec<Table>,
    expansions: Vec<Expansion>,
}

#[cfg(test)]
mod tests {
    #[test]
    fn checksums_are_equal() {
        let bytes: Vec<u8> = (0..4000_u32).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
        for end in (0..bytes.len()).step_by(37) {
            assert_eq!(super::small_crc(&bytes[..end]), crc32fast::hash(&bytes[..end]), "{end} bytes");
        }
    }
}
