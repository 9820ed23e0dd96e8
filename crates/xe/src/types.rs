//! Operand types: name, size, and how an immediate of the type is written.

/// An operand type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type(pub u8);

/// How an immediate of a type is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Hexadecimal.
    Hex,
    /// Signed decimal.
    Signed,
    /// A floating-point number.
    Float,
}

struct Info {
    name: &'static str,
    bits: u32,
    style: Style,
    aliases: &'static [&'static str],
}

const fn info(name: &'static str, bits: u32, style: Style, aliases: &'static [&'static str]) -> Info {
    Info { name, bits, style, aliases }
}

/// In the order of [`Type`].
const TYPES: [Info; 24] = [
    info("ub", 8, Style::Hex, &["u8"]),
    info("uw", 16, Style::Hex, &["u16"]),
    info("ud", 32, Style::Hex, &["u32"]),
    info("uq", 64, Style::Hex, &["u64"]),
    info("b", 8, Style::Signed, &["s8"]),
    info("w", 16, Style::Signed, &["s16"]),
    info("d", 32, Style::Signed, &["s32"]),
    info("q", 64, Style::Signed, &["s64"]),
    info("hf", 16, Style::Float, &["f16"]),
    info("f", 32, Style::Float, &["f32"]),
    info("df", 64, Style::Float, &["f64"]),
    info("bf", 16, Style::Hex, &["bf16"]),
    info("bf8", 8, Style::Hex, &[]),
    info("tf32", 32, Style::Float, &[]),
    info("uv", 32, Style::Hex, &[]),
    info("v", 32, Style::Hex, &[]),
    info("vf", 32, Style::Hex, &[]),
    info("u4", 4, Style::Hex, &[]),
    info("u2", 2, Style::Hex, &[]),
    info("u1", 1, Style::Hex, &[]),
    info("s4", 4, Style::Signed, &[]),
    info("s2", 2, Style::Signed, &[]),
    info("s1", 1, Style::Signed, &[]),
    info("", 32, Style::Hex, &[]),
];

impl Type {
    /// No type.
    pub const NONE: Type = Type(23);
    /// Unsigned byte.
    pub const UB: Type = Type(0);
    /// Unsigned 32 bits.
    pub const UD: Type = Type(2);
    /// Signed 32 bits.
    pub const D: Type = Type(6);

    fn info(self) -> &'static Info {
        TYPES.get(usize::from(self.0)).unwrap_or(&TYPES[23])
    }

    /// The name; empty for [`Type::NONE`].
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Size in bits; 32 for [`Type::NONE`].
    pub fn bits(self) -> u32 {
        self.info().bits
    }

    /// Size in bytes, at least 1.
    pub fn bytes(self) -> u32 {
        (self.bits() / 8).max(1)
    }

    /// How immediates are written.
    pub fn style(self) -> Style {
        self.info().style
    }

    /// Every name and alias with its type.
    pub fn names() -> impl Iterator<Item = (&'static str, Type)> {
        let all = TYPES.iter().enumerate().filter(|(_, t)| !t.name.is_empty());
        all.flat_map(|(i, t)| t.aliases.iter().chain([&t.name]).map(move |name| (*name, Type(i as u8))))
    }

    /// A type by name or alias.
    pub fn parse(name: &str) -> Option<Type> {
        if name.is_empty() {
            return None;
        }
        TYPES.iter().position(|t| t.name == name || t.aliases.contains(&name)).map(|i| Type(i as u8))
    }
}
