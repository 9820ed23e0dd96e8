//! Scoreboard annotations: what each code means, as the description says it, made into tables once.

use std::sync::OnceLock;

use isaglot_codec::{Flat, Match, Values};
use isaglot_model::{EncodingId, Isa};
use rustc_hash::FxHashMap;

/// The pipes that a distance counts in.
pub const PIPES: [&str; 7] = ["@", "A@", "F@", "I@", "L@", "M@", "S@"];

/// The number in [`Swsb::pipe`] of the pipe whose letter this is; no letter is a pipe too.
pub(crate) fn pipe_named(letter: &str) -> Option<u8> {
    let first = match letter.as_bytes() {
        [] => b'@',
        [letter] if letter.is_ascii_alphabetic() => *letter,
        _ => return None,
    };
    PIPES.iter().position(|p| p.as_bytes().first() == Some(&first)).map(|n| n as u8 + 1)
}

/// What becomes of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum SbidToken {
    /// None is named.
    #[default]
    None,
    /// Allocate it.
    Set(u8),
    /// Wait until its destination is written.
    Dst(u8),
    /// Wait until its sources are read.
    Src(u8),
}

/// An annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Swsb {
    /// Distance; with a pipe also 0, which codes that hold both may say.
    pub distance: u8,
    /// 1 + index in [`PIPES`]; 0 if no distance is said.
    pub pipe: u8,
    /// The token.
    pub token: SbidToken,
    /// `NoAccSBSet`
    pub no_acc: bool,
}

/// Instructions for which combined codes mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// All others.
    Other,
    /// `math`
    Math,
    /// `dpas`
    Dpas,
    /// `send`
    Send,
}

const CLASSES: [(Class, &str); 4] =
    [(Class::Other, ""), (Class::Math, "math"), (Class::Dpas, "dpas"), (Class::Send, "send")];

impl Class {
    /// The class of a mnemonic.
    pub fn of(op: &str) -> Class {
        match op {
            "math" => Class::Math,
            "dpas" | "dpasw" => Class::Dpas,
            "send" | "sendc" => Class::Send,
            _ => Class::Other,
        }
    }
}

/// The codes of one machine.
#[derive(Clone, Debug, Default)]
pub struct SwsbTable {
    decode: [Vec<Option<Swsb>>; 4],
    /// The first code by class and annotation, packed; made when it is first asked for.
    encode: OnceLock<FxHashMap<u64, u64>>,
}

impl SwsbTable {
    /// Reads the description's space of codes for the gen.
    pub(crate) fn new(isa: &Isa, space: &str, generation: u32) -> SwsbTable {
        let mut table = SwsbTable::default();
        let Some(name) = isa.names().get(space) else { return table };
        let Some(index) = isa.spaces().iter().position(|s| s.name == name) else { return table };
        let space = isaglot_model::SpaceId(index as u32);
        let width = isa[space].width.min(16);
        let Some(mut flat) = Flat::new(isa, space, generation) else { return table };
        let (d, s) = (flat.slot("D"), flat.slot("S"));
        let mut values = Values::default();
        table.decode = std::array::from_fn(|_| Vec::with_capacity(1 << width));
        for code in 0..1u64 << width {
            let id = match flat.select(code.into()) {
                Match::One(id) => Some(id),
                _ => None,
            };
            if let Some(id) = id {
                flat.read(id, code.into(), &mut values);
            }
            let numbers = (d.map_or(0, |d| values.get(d)) as u8, s.map_or(0, |s| values.get(s)) as u8);
            for (class, key) in CLASSES {
                table.decode[class as usize].push(id.and_then(|id| meaning(isa, id, key, numbers)));
            }
        }
        table
    }

    /// What a code means; `None` if nothing.
    pub fn decode(&self, class: Class, code: u64) -> Option<Swsb> {
        self.decode[class as usize].get(usize::try_from(code).ok()?).copied().flatten()
    }

    /// Whether instructions of a class are out of order: whether codes that hold a distance and a token set the token there.
    pub fn sets_token(&self, class: Class) -> bool {
        let codes = self.decode.get(class as usize).map_or(&[] as &[_], Vec::as_slice);
        codes.iter().flatten().any(|s| s.pipe != 0 && matches!(s.token, SbidToken::Set(_)))
    }

    /// The code of an annotation, if it has one on such an instruction.
    pub fn encode(&self, class: Class, swsb: Swsb) -> Option<u64> {
        self.encode.get_or_init(|| self.codes()).get(&packed(class, swsb)).copied()
    }

    #[cold]
    fn codes(&self) -> FxHashMap<u64, u64> {
        let mut codes = FxHashMap::default();
        codes.reserve(self.decode.iter().map(Vec::len).sum());
        for (class, _) in CLASSES {
            for (code, meaning) in (0..).zip(&self.decode[class as usize]) {
                if let Some(meaning) = meaning {
                    codes.entry(packed(class, *meaning)).or_insert(code);
                }
            }
        }
        codes
    }
}

/// A class and an annotation as one number.
#[inline]
fn packed(class: Class, swsb: Swsb) -> u64 {
    let (kind, token) = match swsb.token {
        SbidToken::None => (0, 0),
        SbidToken::Set(n) => (1, n),
        SbidToken::Dst(n) => (2, n),
        SbidToken::Src(n) => (3, n),
    };
    u64::from_le_bytes([class as u8, swsb.distance, swsb.pipe, kind, token, swsb.no_acc.into(), 0, 0])
}

/// What a code says that is an encoding with these numbers, a distance and a token.
fn meaning(isa: &Isa, id: EncodingId, class: &str, (distance, number): (u8, u8)) -> Option<Swsb> {
    let meta = |key: &str| isa[id].meta.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
    // An attribute named as the class holds pipe and token of combined codes there; without a token it allocates.
    let special = meta(class).filter(|_| !class.is_empty());
    let (pipe, token) = match special {
        Some(text) => {
            let (pipe, token) = text.split_once(' ').unwrap_or((text, ""));
            (Some(pipe), Some(token))
        }
        None => (meta("pipe"), meta("token")),
    };
    let mut swsb = Swsb { no_acc: meta("option") == Some("NoAccSBSet"), ..Swsb::default() };
    if let Some(pipe) = pipe {
        let pipe = PIPES.iter().position(|p| *p == pipe)? as u8 + 1;
        // A distance of 0 by itself says nothing.
        if distance != 0 || token.is_some() {
            (swsb.distance, swsb.pipe) = (distance, pipe);
        }
    }
    if let Some(token) = token {
        swsb.token = match token {
            ".dst" => SbidToken::Dst(number),
            ".src" => SbidToken::Src(number),
            _ => SbidToken::Set(number),
        };
    }
    Some(swsb)
}
