//! Scoreboard annotations: what each code means, as the description says it, made into tables once.

use isaglot_codec::Slot;
use isaglot_codec::{Flat, Values};
use isaglot_model::Isa;
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
    encode: FxHashMap<(Class, Swsb), u64>,
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
        for code in 0..1u64 << width {
            for (class, key) in CLASSES {
                let meaning = meaning(isa, &mut flat, code, key, (d, s), &mut values);
                table.decode[class as usize].push(meaning);
                if let Some(meaning) = meaning {
                    table.encode.entry((class, meaning)).or_insert(code);
                }
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
        self.encode.get(&(class, swsb)).copied()
    }
}

fn meaning(
    isa: &Isa,
    flat: &mut Flat<'_>,
    code: u64,
    class: &str,
    (d, s): (Option<Slot>, Option<Slot>),
    values: &mut Values,
) -> Option<Swsb> {
    let isaglot_codec::Match::One(id) = flat.select(code.into()) else { return None };
    flat.read(id, code.into(), values);
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
        let distance = d.map_or(0, |d| values.get(d)) as u8;
        let pipe = PIPES.iter().position(|p| *p == pipe)? as u8 + 1;
        // A distance of 0 by itself says nothing.
        if distance != 0 || token.is_some() {
            (swsb.distance, swsb.pipe) = (distance, pipe);
        }
    }
    if let Some(token) = token {
        let number = s.map_or(0, |s| values.get(s)) as u8;
        swsb.token = match token {
            ".dst" => SbidToken::Dst(number),
            ".src" => SbidToken::Src(number),
            _ => SbidToken::Set(number),
        };
    }
    Some(swsb)
}
