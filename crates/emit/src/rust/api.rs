use core::fmt;

pub use self::description::{FieldValue, Leaf, MAX_BITS, Name, Word};
pub use self::runtime::hooks::{Hooks, Plain, Value};
pub use self::runtime::labels::Targets;
pub use self::runtime::out::Out;
pub use self::runtime::print::Compat;
pub use self::runtime::stream::{Entry, Options, Stream};
use self::runtime::tables::{Isa, LIMBS, Limbs};
use self::runtime::{decode as words, exact, quick, read, scope, stream, walk};

/// The tables of this codec, for those who drive the [`runtime`] themselves.
pub static ISA: &Isa<'static> = &description::ISA;

/// An instruction: its bits, how many they are, and which encoding they match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    leaf: Leaf,
    bits: u32,
    limbs: Limbs,
}

/// A step of the walk over the fields of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// A field and its raw value; a negative one in two's complement.
    Number(Name, FieldValue),
    /// A field that is an encoding of its own, and its raw value; its fields follow.
    Enter(Name, Leaf, FieldValue),
    /// The end of an encoding, and the bits of it that neither its pattern nor a field holds.
    Leave(FieldValue),
}

/// Why fields make no word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// The field holds fewer bits than the value needs.
    Range(Name, u32),
    /// Nothing in the encoding, as its other fields stand, has the name.
    Unknown(Name),
    /// Bits that the description implies are different in the value.
    Implied(Name),
    /// The word would say something else: the field is derived from others, or shares bits with them.
    Contradiction(Name),
    /// A nested encoding for a field that is a number.
    Kind(Name),
    /// The word would not decode as this.
    Leaf(Leaf),
    /// More fields than a word has room for.
    TooMany,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::Range(name, width) => {
                write!(f, "the value does not fit field `{}` of {width} bits", name.text())
            }
            EncodeError::Unknown(name) => write!(f, "there is no field `{}` here", name.text()),
            EncodeError::Implied(name) => write!(f, "the value has bits that field `{}` cannot hold", name.text()),
            EncodeError::Contradiction(name) => {
                write!(f, "field `{}` cannot have the value: the other fields give it another", name.text())
            }
            EncodeError::Kind(name) => write!(f, "field `{}` is no encoding", name.text()),
            EncodeError::Leaf(leaf) => write!(f, "the word would not decode as `{}`", leaf.name()),
            EncodeError::TooMany => f.write_str("there are more fields than a word has room for"),
        }
    }
}

impl core::error::Error for EncodeError {}

impl Leaf {
    /// The name in the description.
    #[must_use]
    pub fn name(self) -> &'static str {
        description::ISA.leaves.get(self as usize).map_or("", |leaf| leaf.name)
    }

    /// The mnemonic.
    #[must_use]
    pub fn mnemonic(self) -> &'static str {
        description::ISA.leaves.get(self as usize).map_or("", |leaf| leaf.display)
    }

    fn from_number(number: u32) -> Leaf {
        Leaf::ALL.get(number as usize).copied().unwrap_or(Leaf::ALL[0])
    }
}

impl Name {
    /// The name in the description.
    #[must_use]
    pub fn text(self) -> &'static str {
        description::ISA.names.get(self as usize).copied().unwrap_or("")
    }

    fn from_number(number: u32) -> Name {
        Name::ALL.get(number as usize).copied().unwrap_or(Name::ALL[0])
    }
}

/// Decides a word; `None` if it is no instruction, or two encodings match. Bits above the instruction do not count.
#[inline]
#[must_use]
pub fn decode(word: Word) -> Option<Instruction> {
    let isa = &description::ISA;
    let mut limbs = description::limbs_of(word);
    let bits = if isa.lengths.is_empty() {
        isa.max_bits
    } else {
        words::length(isa, limbs[0] & words::mask(isa.parcel_bits))?
    };
    if !isa.lengths.is_empty() {
        limbs = words::slice(&limbs, 0, bits);
    }
    match words::select(isa, isa.root, &limbs, bits) {
        words::Match::One(leaf) => Some(Instruction { leaf: Leaf::from_number(leaf), bits, limbs }),
        _ => None,
    }
}

/// Takes the first instruction of some bytes, and its size in bytes; `None` if there is no whole one, or it is none.
#[inline]
#[must_use]
pub fn fetch(bytes: &[u8]) -> Option<(Instruction, usize)> {
    let isa = &description::ISA;
    let fetched = words::fetch(isa, bytes).filter(|fetched| fetched.known)?;
    match words::select(isa, isa.root, &fetched.word, fetched.bits) {
        words::Match::One(leaf) => {
            let leaf = Leaf::from_number(leaf);
            Some((Instruction { leaf, bits: fetched.bits, limbs: fetched.word }, (fetched.bits / 8) as usize))
        }
        _ => None,
    }
}

/// The most fields, ends of encodings included, that [`encode`] takes.
const MOST_FIELDS: usize = 256;

/// Puts an instruction together from fields, in any order; a field that is missing is 0. Nested encodings stand between
/// [`Field::Enter`] (whose value does not count) and [`Field::Leave`], as [`Instruction::fields`] gives them.
///
/// # Errors
/// See [`EncodeError`].
pub fn encode(leaf: Leaf, fields: &[Field]) -> Result<Instruction, EncodeError> {
    let isa = &description::ISA;
    let mut events = [walk::Event::Leave([0; LIMBS]); MOST_FIELDS];
    let Some(given) = events.get_mut(..fields.len()) else { return Err(EncodeError::TooMany) };
    for (event, field) in given.iter_mut().zip(fields) {
        *event = match *field {
            Field::Number(name, value) => walk::Event::Number(name as u32, description::limbs_of_value(value)),
            Field::Enter(name, leaf, value) => {
                walk::Event::Enter(name as u32, leaf as u32, description::limbs_of_value(value))
            }
            Field::Leave(rest) => walk::Event::Leave(description::limbs_of_value(rest)),
        };
    }
    let limbs = walk::encode(isa, leaf as u32, given).map_err(|error| match error {
        walk::EncodeError::Range(name, width) => EncodeError::Range(Name::from_number(name), width),
        walk::EncodeError::Unknown(name) => EncodeError::Unknown(Name::from_number(name)),
        walk::EncodeError::Implied(name) => EncodeError::Implied(Name::from_number(name)),
        walk::EncodeError::Contradiction(name) => EncodeError::Contradiction(Name::from_number(name)),
        walk::EncodeError::Kind(name) => EncodeError::Kind(Name::from_number(name)),
        walk::EncodeError::Leaf(leaf) => EncodeError::Leaf(Leaf::from_number(leaf)),
    })?;
    let bits = isa.leaves.get(leaf as usize).map_or(isa.max_bits, |leaf| leaf.width);
    Ok(Instruction { leaf, bits, limbs })
}

/// Why a text is no instruction.
pub use self::runtime::read::ReadError;

/// Makes the instruction that prints as this text, which must be as the disassembler writes it. Of several that do, one
/// with few ones in bits that do not show.
///
/// # Errors
/// How far the text was understood.
pub fn assemble(text: &str) -> Result<Instruction, ReadError> {
    assemble_with(text, Compat::default(), &mut Plain)
}

/// The same with hooks that print and read fields of type `custom`.
///
/// # Errors
/// How far the text was understood.
pub fn assemble_with(text: &str, compat: Compat, hooks: &mut dyn Hooks) -> Result<Instruction, ReadError> {
    let isa = &description::ISA;
    let (leaf, limbs) = read::read(isa, text.as_bytes(), compat, hooks)?;
    let bits = isa.leaves.get(leaf as usize).map_or(isa.max_bits, |leaf| leaf.width);
    Ok(Instruction { leaf: Leaf::from_number(leaf), bits, limbs })
}

impl Instruction {
    /// The encoding.
    #[inline]
    #[must_use]
    pub fn leaf(&self) -> Leaf {
        self.leaf
    }

    /// Width in bits.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The bits.
    #[must_use]
    pub fn word(&self) -> Word {
        description::word_of(&self.limbs)
    }

    /// Visits every field, nested ones too; the last visit is the [`Field::Leave`] of the instruction.
    pub fn fields(&self, mut visit: impl FnMut(Field)) {
        walk::walk(&description::ISA, &self.limbs, self.bits, &mut |event| {
            visit(match event {
                walk::Event::Number(name, value) => {
                    Field::Number(Name::from_number(name), description::value_of(&value))
                }
                walk::Event::Enter(name, leaf, value) => {
                    Field::Enter(Name::from_number(name), Leaf::from_number(leaf), description::value_of(&value))
                }
                walk::Event::Leave(rest) => Field::Leave(description::value_of(&rest)),
            });
        });
    }

    /// The raw value of a field of the instruction itself, derived ones included; `None` if it has no such field.
    #[must_use]
    pub fn field(&self, name: Name) -> Option<FieldValue> {
        let mut scopes = scope::Scopes::new(&description::ISA, false);
        scopes.enter_leaf(self.leaf as u32, &self.limbs);
        scopes.resolve(0, name as u32).map(|found| description::value_of(&found.value))
    }

    /// Writes the text, without what may be wrong with it.
    ///
    /// # Errors
    /// Those of the output.
    pub fn disassemble(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let isa = &description::ISA;
        to(out, |text| {
            let mut line = exact::Line { position: 0, place: 1, targets: None, compat: Compat::default() };
            let program = isa.leaves.get(self.leaf as usize).map_or(0, |leaf| leaf.program);
            text.begin();
            text.hold();
            let clean = !words::has_dont_care(isa, self.leaf as u32, &self.limbs);
            let done = clean && quick::run(isa, program, &self.limbs, &mut Plain, &mut line, text);
            if !(text.keep() && done) {
                text.take_back();
                let mut scopes = scope::Scopes::new(isa, false);
                exact::instruction(&mut scopes, (&self.limbs, self.bits), &mut Plain, &mut line, text);
            }
        })
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.disassemble(f)
    }
}

/// Writes a whole stream as lines of text; a word that is no instruction, and what is wrong with one, is in its line.
/// For labels, callbacks, or a stream that comes in pieces see [`Stream`].
///
/// # Errors
/// Those of the output.
pub fn disassemble(bytes: &[u8], out: &mut impl fmt::Write) -> fmt::Result {
    to(out, |text| {
        Stream::new(&description::ISA, Options::default(), None).feed(bytes, &mut Plain, text);
    })
}

/// Writes a whole stream with labels, for which there are two sets of [`label_limbs`] limbs, all 0.
///
/// # Errors
/// Those of the output.
pub fn disassemble_with_labels(
    bytes: &[u8],
    (branches, calls): (&mut [u64], &mut [u64]),
    out: &mut impl fmt::Write,
) -> fmt::Result {
    let isa = &description::ISA;
    let places = bytes.len() as u64 / stream::place_bytes(isa).max(1);
    to(out, |text| {
        let mut stream = Stream::new(isa, Options::default(), Some(Targets::new(places, branches, calls)));
        stream.mark(bytes);
        stream.feed(bytes, &mut Plain, text);
    })
}

/// The limbs that each set of labels needs for a stream of so many bytes.
#[must_use]
pub fn label_limbs(bytes: usize) -> usize {
    let place = usize::try_from(stream::place_bytes(&description::ISA)).unwrap_or(1).max(1);
    bytes / place / 64 + 1
}

/// Calls `print` with an output that ends in `out`. Bytes that are no UTF-8 become U+FFFD.
fn to(out: &mut impl fmt::Write, print: impl FnOnce(&mut Out<'_>)) -> fmt::Result {
    let mut done = Ok(());
    let mut pending = ([0u8; 4], 0usize);
    let mut sink = |bytes: &[u8]| {
        let mut rest = bytes;
        // A character that the end of the last piece has cut.
        while pending.1 > 0 && !rest.is_empty() {
            let (first, others) = rest.split_at(1);
            pending.0[pending.1 & 3] = first[0];
            pending.1 += 1;
            rest = others;
            match core::str::from_utf8(&pending.0[..pending.1 & 7]) {
                Ok(text) => {
                    done = done.and_then(|()| out.write_str(text));
                    pending.1 = 0;
                }
                Err(error) if error.error_len().is_some() || pending.1 == 4 => {
                    done = done.and_then(|()| out.write_char(char::REPLACEMENT_CHARACTER));
                    pending.1 = 0;
                }
                Err(_) => {}
            }
        }
        for chunk in rest.utf8_chunks() {
            done = done.and_then(|()| out.write_str(chunk.valid()));
            let invalid = chunk.invalid();
            let cut = core::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if cut && rest.ends_with(invalid) && !invalid.is_empty() {
                pending.0[..invalid.len()].copy_from_slice(invalid);
                pending.1 = invalid.len();
            } else if !invalid.is_empty() {
                done = done.and_then(|()| out.write_char(char::REPLACEMENT_CHARACTER));
            }
        }
    };
    let mut text = Out::new(&mut sink);
    print(&mut text);
    drop(text);
    done
}
