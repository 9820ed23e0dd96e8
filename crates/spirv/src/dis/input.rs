//! Files → words: a binary of either byte order, or hexadecimal text.

/// Why a file cannot be read as words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputError {
    /// The size is not a multiple of four.
    OddSize,
    /// Text that begins like a hexadecimal module, but whose first number is not valid.
    UnknownPattern,
    /// No `0x` or `x` where a number should begin, at this character.
    NoPrefix(usize),
    /// No hexadecimal digit where one should be, at this character.
    NoDigit(usize),
    /// A number of a size that the first one did not announce, at this character.
    WrongSize(usize),
}

impl core::fmt::Display for InputError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            InputError::OddSize => f.write_str("the size of a module is a multiple of 4 bytes"),
            InputError::UnknownPattern => f.write_str("hexadecimal text that does not begin with the magic number"),
            InputError::NoPrefix(at) => write!(f, "character {at}: expected 0x or x"),
            InputError::NoDigit(at) => write!(f, "character {at}: expected hexadecimal digits"),
            InputError::WrongSize(at) => write!(f, "character {at}: unexpected number of digits"),
        }
    }
}

impl core::error::Error for InputError {}

impl InputError {
    /// The reference's message; `name` is the file's.
    pub fn message(&self, name: &str, bytes: &[u8]) -> String {
        match self {
            InputError::OddSize => format!("error: file size should be a multiple of 4; file '{name}' corrupt"),
            InputError::UnknownPattern => {
                let start = bytes.iter().position(|b| !blank(*b)).unwrap_or(0);
                let token: Vec<u8> = bytes.iter().skip(start).copied().take_while(|b| !blank(*b)).take(10).collect();
                let token = String::from_utf8_lossy(&token);
                format!("error: hex format detected, but pattern '{token}' is not recognized '{name}'")
            }
            InputError::NoPrefix(at) => {
                format!("error: hex stream parse error at character {at}: expected 0x or x in '{name}'")
            }
            InputError::NoDigit(at) => {
                format!("error: hex stream parse error at character {at}: expected hex digits in '{name}'")
            }
            InputError::WrongSize(at) => {
                format!("error: hex stream parse error at character {at}: unexpected number of digits in '{name}'")
            }
        }
    }
}

fn blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | b',' | 0)
}

/// The words of a file, in the order in which they stand.
pub fn read(bytes: &[u8]) -> Result<Vec<u32>, InputError> {
    let start = bytes.iter().position(|&b| !blank(b)).unwrap_or(bytes.len());
    match bytes.get(start) {
        Some(b'0' | b'x' | b'X') => hex(bytes, start),
        _ if !bytes.len().is_multiple_of(4) => Err(InputError::OddSize),
        _ => Ok(bytes.chunks_exact(4).map(|c| c.first_chunk().map_or(0, |c| u32::from_le_bytes(*c))).collect()),
    }
}

/// How a hexadecimal text is written, as its first number tells: it must be the magic number or its first byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `0x07230203`: each number a word.
    Words,
    /// `0x07 0x23` or `x3 x2`: each number a byte.
    Bytes,
    /// `07230203…` or `07 23`: two digits a byte.
    Stream,
}

fn hex(bytes: &[u8], start: usize) -> Result<Vec<u32>, InputError> {
    let digits = |at: usize| bytes.iter().skip(at).take_while(|b| b.is_ascii_hexdigit()).count();
    let prefix = |at: usize| match bytes.get(at..) {
        Some([b'0', b'x' | b'X', ..]) => Some(2),
        Some([b'x' | b'X', ..]) => Some(1),
        _ => None,
    };
    let value = |at: usize, n: usize| {
        let text = bytes.get(at..at + n).and_then(|t| std::str::from_utf8(t).ok());
        text.and_then(|t| u32::from_str_radix(t, 16).ok())
    };
    let first = start + prefix(start).unwrap_or(0);
    let form = match (prefix(start), digits(first)) {
        (Some(_), 8) if matches!(value(first, 8), Some(0x0723_0203 | 0x0302_2307)) => Form::Words,
        (Some(_), n @ 1..=2) if matches!(value(first, n), Some(7 | 3)) => Form::Bytes,
        (None, 2..) if matches!(value(first, 2), Some(7 | 3)) => Form::Stream,
        _ => return Err(InputError::UnknownPattern),
    };
    let mut words = Vec::new();
    let mut group = Vec::new();
    let mut big_endian = None;
    let mut at = start;
    while at < bytes.len() {
        if blank(bytes.get(at).copied().unwrap_or(0)) {
            at += 1;
            continue;
        }
        if form != Form::Stream {
            at += prefix(at).ok_or(InputError::NoPrefix(at + 1))?;
        }
        let n = digits(at);
        let size = match form {
            Form::Words => 8,
            Form::Bytes => n.clamp(1, 2),
            Form::Stream => 2,
        };
        if n == 0 {
            return Err(InputError::NoDigit(at + 1));
        }
        if n < size || form != Form::Stream && n != size {
            return Err(InputError::WrongSize(at + 1));
        }
        let v = value(at, size).unwrap_or(0);
        at += size;
        if form == Form::Words {
            words.push(v);
            continue;
        }
        let big_endian = *big_endian.get_or_insert(v == 7);
        group.push(v as u8);
        if let [a, b, c, d] = *group {
            let bytes = [a, b, c, d];
            words.push(if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) });
            group.clear();
        }
    }
    if group.is_empty() { Ok(words) } else { Err(InputError::OddSize) }
}
