//! Float formats: how many exponent and fraction bits, and what is special about each.

/// How a float type encodes its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// IEEE 754 binary of the type's width.
    Ieee,
    /// bfloat16.
    BFloat16,
    /// 8 bits, 4 exponent, 3 fraction; no infinities.
    E4M3,
    /// 8 bits, 5 exponent, 2 fraction.
    E5M2,
    /// 6 bits, 2 exponent, 3 fraction; no infinities.
    E2M3,
    /// 6 bits, 3 exponent, 2 fraction; no infinities.
    E3M2,
    /// 4 bits, 2 exponent, 1 fraction; no infinities.
    E2M1,
    /// 8 bits of exponent: a power of two.
    E8M0,
    /// 8-bit integer in units of 1/64.
    MxInt8,
    /// Not known to this program.
    Other,
}

/// Value in the grammar's `FPEncoding`, required width, friendly type name, name in messages.
const ENCODINGS: [(Encoding, u32, u32, &str, &str); 8] = [
    (Encoding::BFloat16, 0, 16, "bfloat16", "bfloat16"),
    (Encoding::E4M3, 4214, 8, "fp8e4m3", "E4M3 float"),
    (Encoding::E5M2, 4215, 8, "fp8e5m2", "E5M2 float"),
    (Encoding::E2M3, 4223, 6, "fp6e2m3", "E2M3 float"),
    (Encoding::E3M2, 4224, 6, "fp6e3m2", "E3M2 float"),
    (Encoding::E2M1, 4225, 4, "fp4e2m1", "E2M1 float"),
    (Encoding::E8M0, 4226, 8, "fp8e8m0", "E8M0 float"),
    (Encoding::MxInt8, 4227, 8, "mxint8", "MXInt8 float"),
];

impl Encoding {
    fn row(self) -> Option<&'static (Encoding, u32, u32, &'static str, &'static str)> {
        ENCODINGS.iter().find(|e| e.0 == self)
    }

    /// The encoding of an `FPEncoding` value.
    pub(crate) fn from_value(value: u32) -> Encoding {
        ENCODINGS.iter().find(|e| e.1 == value).map_or(Encoding::Other, |e| e.0)
    }

    /// The only width it has; `None` for IEEE and unknown ones.
    pub(crate) fn width(self) -> Option<u32> {
        self.row().map(|e| e.2)
    }

    /// The friendly name of such a type; `None` for IEEE and unknown ones.
    pub(crate) fn friendly(self) -> Option<&'static str> {
        self.row().map(|e| e.3)
    }

    /// What messages about literals call it.
    pub(crate) fn in_messages(self) -> Option<&'static str> {
        self.row().map(|e| e.4)
    }
}

/// A sign-exponent-fraction format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Exponent bits.
    pub(crate) exponent: u32,
    /// Fraction bits.
    pub(crate) fraction: u32,
    /// The all-ones exponent means infinity or NaN.
    pub(crate) infinite: bool,
    /// The greatest finite magnitude, as bits.
    pub(crate) max: u32,
}

impl Format {
    /// Exponent bias.
    pub(crate) fn bias(&self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Position of the sign bit.
    pub(crate) fn sign(&self) -> u32 {
        self.exponent + self.fraction
    }
}

/// The format of a float type; `None` for those without sign, exponent and fraction, and for unknown ones.
pub(crate) fn format(width: u32, encoding: Encoding) -> Option<Format> {
    let f = |exponent, fraction, infinite, max| Some(Format { exponent, fraction, infinite, max });
    match (encoding, width) {
        (Encoding::Ieee, 16) => f(5, 10, true, 0x7bff),
        (Encoding::Ieee, 32) => f(8, 23, true, 0x7f7f_ffff),
        (Encoding::Ieee, 64) => f(11, 52, true, 0),
        (Encoding::BFloat16, 16) => f(8, 7, true, 0x7f7f),
        (Encoding::E4M3, 8) => f(4, 3, false, 0x7e),
        (Encoding::E5M2, 8) => f(5, 2, true, 0x7b),
        (Encoding::E2M3, 6) => f(2, 3, false, 0x1f),
        (Encoding::E3M2, 6) => f(3, 2, false, 0x1f),
        (Encoding::E2M1, 4) => f(2, 1, false, 0x7),
        _ => None,
    }
}
