//! Lines into statements: comments, separators, labels; and which lines need nothing more.
//!
//! Most lines of a program are an instruction with registers and numbers. One look at the bytes of a line finds those, and
//! they are copied with their blanks put as the disassembler puts them.

use isaglot_invariant::Impossible as _;

/// Something that only the long way handles: comments, strings, labels, names of interfaces, functions of addresses.
const SPECIAL: u8 = 1;

/// An operator of an expression.
const OPERATOR: u8 = 2;

/// A minus: a sign or an operator.
const MINUS: u8 = 4;

/// A parenthesis: an address.
const OPEN: u8 = 8;

const BLANK: u8 = 16;

/// A part of a word.
const WORD: u8 = 32;

/// The beginning of a list of registers: `{ra, s0-s2}`.
const BRACE: u8 = 64;

const CLASSES: [u8; 256] = {
    let mut classes = [0u8; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'#' | b'/' | b';' | b'"' | b'\'' | b':' | b'%' | b'!' | b'=' | b'@' | 0x80..=0xff => SPECIAL,
            b'+' | b'*' | b'|' | b'&' | b'^' | b'~' | b'<' | b'>' => OPERATOR,
            b'-' => MINUS,
            b'(' => OPEN,
            b'{' => BRACE,
            b' ' | b'\t' | b'\r' => BLANK,
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => WORD,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().or_impossible(SPECIAL)
}

/// A line that is one ordinary instruction.
pub(super) struct Plain<'l> {
    /// The mnemonic and what follows it.
    pub(super) name: &'l [u8],
    pub(super) operands: &'l [u8],
    /// All of it, if it has no blank but the one after the mnemonic.
    pub(super) tight: Option<&'l [u8]>,
    /// Where the statement begins and ends in the line.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What a line is at a glance.
pub(super) enum Glance<'l> {
    Empty,
    Plain(Plain<'l>),
    /// Anything else.
    Other,
}

/// Looks at a line.
pub(super) fn glance(line: &[u8]) -> Glance<'_> {
    let (mut all, mut blanks) = (0, 0);
    for &byte in line {
        let class = class(byte);
        all |= class;
        blanks += usize::from(class == BLANK);
    }
    if all & (SPECIAL | OPERATOR) != 0 {
        return Glance::Other;
    }
    let start = line.iter().position(|&b| class(b) != BLANK).unwrap_or(line.len());
    let end = line.iter().rposition(|&b| class(b) != BLANK).map_or(start, |at| at + 1);
    let text = line.get(start..end).or_impossible(&[]);
    let inner = blanks.saturating_sub(line.len() - text.len());
    let Some(first) = text.first() else { return Glance::Empty };
    if !first.is_ascii_lowercase() {
        return Glance::Other;
    }
    let len = text.iter().position(|&b| class(b) == BLANK).unwrap_or(text.len());
    let (name, rest) = text.split_at(len);
    let before = rest.iter().position(|&b| class(b) != BLANK).unwrap_or(rest.len());
    let operands = rest.get(before..).or_impossible(&[]);
    if is_long(name, operands, all) {
        return Glance::Other;
    }
    if all & MINUS != 0 {
        let (mut before, mut is_list) = (0, false);
        for &byte in operands {
            let class = class(byte);
            is_list = (is_list || class == BRACE) && byte != b'}';
            if class == MINUS && before == WORD && !is_list {
                return Glance::Other;
            }
            if class != BLANK {
                before = class;
            }
        }
    }
    Glance::Plain(Plain { name, operands, tight: (inner <= 1 && all & BRACE == 0).then_some(text), start, end })
}

/// Names of up to eight bytes, as numbers, with a filter that most others do not pass.
struct Names<const N: usize> {
    names: [u64; N],
    filter: u64,
}

const fn packed(name: &[u8]) -> u64 {
    let mut value = 0;
    let mut at = name.len();
    while at > 0 {
        at -= 1;
        value = value << 8 | name[at] as u64;
    }
    value
}

const fn bit(name: u64) -> u64 {
    1 << (name.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}

impl<const N: usize> Names<N> {
    const fn new(list: [&[u8]; N]) -> Self {
        let (mut names, mut filter, mut at) = ([0; N], 0, 0);
        while at < N {
            names[at] = packed(list[at]);
            filter |= bit(names[at]);
            at += 1;
        }
        Names { names, filter }
    }

    fn has(&self, name: u64) -> bool {
        self.filter & bit(name) != 0 && self.names.contains(&name)
    }
}

/// Names that always stand for something else, or may, or whose operand has many spellings.
const PSEUDO: Names<16> = Names::new([
    b"li", b"la", b"lla", b"lga", b"call", b"tail", b"jump", b"move", b"sext.b", b"sext.h", b"zext.h", b"zext.w",
    b"fli.h", b"fli.s", b"fli.d", b"fli.q",
]);

/// Loads and stores: with a symbol in place of an address they are two instructions.
const ACCESS: Names<15> = Names::new([
    b"lb", b"lh", b"lw", b"ld", b"lbu", b"lhu", b"lwu", b"flw", b"fld", b"sb", b"sh", b"sw", b"sd", b"fsw", b"fsd",
]);

/// Instructions with two registers that people also write with a number in place of the second.
const ARITHMETIC: Names<13> = Names::new([
    b"add", b"and", b"or", b"xor", b"sll", b"srl", b"sra", b"slt", b"sltu", b"addw", b"sllw", b"srlw", b"sraw",
]);

/// Whether an instruction of this name may stand for something else than itself.
fn is_long(name: &[u8], operands: &[u8], all: u8) -> bool {
    if let [b'b' | b'j', ..] = name {
        return match operands {
            // `1b`, `2f`, `.`
            [.., b'0'..=b'9', b'b' | b'f'] | [.., b'.'] => true,
            _ => name == b"jalr" && !is_whole(operands, all),
        };
    }
    if name.len() > 8 {
        return name.starts_with(b"la.") || (is_atomic(name) && !is_bare(operands));
    }
    let name_bits = packed(name);
    PSEUDO.has(name_bits)
        || (ACCESS.has(name_bits) && !is_whole(operands, all))
        || (ARITHMETIC.has(name_bits) && ends_in_number(operands))
        || (is_atomic(name) && !is_bare(operands))
}

/// Whether the address in parentheses has its offset before it.
fn is_whole(operands: &[u8], all: u8) -> bool {
    if all & OPEN == 0 {
        return false;
    }
    let open = operands.iter().position(|&b| b == b'(').unwrap_or(0);
    let before = operands.get(..open).or_impossible(&[]).iter().rev().find(|&&b| class(b) != BLANK);
    before.is_some_and(|&b| b != b',')
}

fn is_atomic(name: &[u8]) -> bool {
    matches!(name, [b'a', b'm', b'o', ..] | [b'l', b'r', b'.', ..] | [b's', b'c', b'.', ..])
}

/// Whether the address in parentheses has nothing before it.
fn is_bare(operands: &[u8]) -> bool {
    let open = operands.iter().position(|&b| b == b'(').unwrap_or(operands.len());
    let before = operands.get(..open).or_impossible(&[]).iter().rev().find(|&&b| class(b) != BLANK);
    before == Some(&b',')
}

fn ends_in_number(operands: &[u8]) -> bool {
    let last = operands.iter().rposition(|&b| b == b',').map_or(0, |at| at + 1);
    let first = operands.get(last..).or_impossible(&[]).iter().find(|&&b| class(b) != BLANK);
    first.is_some_and(|&b| b.is_ascii_digit() || b == b'-')
}

/// Instructions whose number the disassembler prints in hexadecimal, and everybody writes in decimal.
const SHIFTS: Names<12> = Names::new([
    b"slli", b"srli", b"srai", b"slliw", b"srliw", b"sraiw", b"rori", b"roriw", b"bseti", b"bclri", b"binvi", b"bexti",
]);

/// Makes the decimal number at the end of a shift's line hexadecimal: it is what the disassembler prints, which is read
/// without a second try.
pub(super) fn hexadecimal(name: &[u8], line: &mut Vec<u8>) {
    if name.len() > 8 || !SHIFTS.has(packed(name)) {
        return;
    }
    let digits = match line.as_slice() {
        [.., b',', one @ b'0'..=b'9'] => [b'0', *one],
        [.., b',', ten @ b'1'..=b'6', one @ b'0'..=b'9'] => [*ten, *one],
        _ => return,
    };
    let value = digits.iter().fold(0u8, |all, digit| 10 * all + (digit - b'0'));
    if value >= 64 {
        return;
    }
    line.truncate(line.iter().rposition(|&b| b == b',').map_or(0, |at| at + 1));
    line.extend_from_slice(b"0x");
    if value >= 16 {
        line.push(b'0' + value / 16);
    }
    line.push(match value % 16 {
        low @ 0..10 => b'0' + low,
        low => b'a' + low - 10,
    });
}

/// Whether this is a load or a store.
pub(super) fn is_access(name: &str) -> bool {
    name.len() <= 8 && ACCESS.has(packed(name.as_bytes()))
}

/// The name of an instruction with a number for one with a register, where there is one.
pub(super) fn immediate(name: &str) -> Option<String> {
    if name.len() > 8 || !ARITHMETIC.has(packed(name.as_bytes())) {
        return None;
    }
    Some(match name.strip_suffix('w') {
        Some(base) => format!("{base}iw"),
        None if name == "sltu" => "sltiu".to_owned(),
        None => format!("{name}i"),
    })
}

/// Appends operands without the blanks that mean nothing. A list of registers has one after each comma, as it prints.
pub(super) fn squeeze(operands: &[u8], out: &mut Vec<u8>) {
    let mut rest = operands;
    while let Some(open) = memchr::memchr(b'{', rest)
        && let Some(len) = rest.get(open..).and_then(|list| memchr::memchr(b'}', list))
    {
        join_words(rest.get(..open).or_impossible(&[]), out);
        for &byte in rest.get(open..=open + len).or_impossible(&[]).iter().filter(|b| class(**b) != BLANK) {
            out.push(byte);
            out.extend((byte == b',').then_some(b' '));
        }
        rest = rest.get(open + len + 1..).or_impossible(&[]);
    }
    join_words(rest, out);
}

/// Appends a text with blanks only between two words.
fn join_words(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&b| class(b) == BLANK) {
        let (word, after) = rest.split_at(at);
        out.extend_from_slice(word);
        let blanks = after.iter().position(|&b| class(b) != BLANK).unwrap_or(after.len());
        rest = after.get(blanks..).or_impossible(&[]);
        let is_word = |byte: Option<&u8>| byte.is_some_and(|&b| class(b) == WORD);
        if is_word(word.last()) && is_word(rest.first()) {
            out.push(b' ');
        }
    }
    out.extend_from_slice(rest);
}

/// The offset in `text` of the byte that `offset` bytes of the squeezed text lead to.
pub(super) fn unsqueezed(text: &[u8], made: &[u8], offset: usize) -> usize {
    let solid = |b: &&u8| class(**b) != BLANK;
    let wanted = made.iter().take(offset).filter(solid).count();
    let mut seen = 0;
    for (at, byte) in text.iter().enumerate() {
        if class(*byte) == BLANK {
            continue;
        }
        if seen == wanted {
            return at;
        }
        seen += 1;
    }
    text.len()
}

/// A program without comments of the form `/* … */`: they become blanks, so that all places stay. In a string or after the
/// sign of a comment to the end of the line, `/*` begins nothing: `.asciz "glob /* all */"` keeps its text.
pub(super) fn without_comments(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    memchr::memmem::find(bytes, b"/*")?;
    let mut out = bytes.to_vec();
    let (mut at, mut quoted) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        match byte {
            // No string goes on after its line.
            b'\n' => quoted = false,
            b'\\' if quoted && next != Some(&b'\n') => at += 1,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'\'' if bytes.get(at + 2) == Some(&b'\'') => at += 2,
            b'#' => at = line_end(bytes, at),
            b'/' if next == Some(&b'/') => at = line_end(bytes, at),
            b'/' if next == Some(&b'*') => {
                let end = find(text, at + 2, "*/").map_or(bytes.len(), |end| end + 2);
                let comment = out.get_mut(at..end).or_impossible_default();
                comment.iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    String::from_utf8(out).ok()
}

/// The offset of the last byte before the end of the line.
fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).or_impossible(&[]);
    at + memchr::memchr(b'\n', rest).unwrap_or(rest.len()).saturating_sub(1)
}

fn find(text: &str, from: usize, what: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes().get(from..)?, what.as_bytes()).map(|at| from + at)
}

/// The statements of a line with their offsets, without its comment. `;` separates, `#` and `//` begin a comment, and
/// strings hold what they hold.
pub(super) fn statements(line: &str) -> Vec<(usize, &str)> {
    let bytes = line.as_bytes();
    let (mut list, mut from, mut at, mut quoted) = (Vec::new(), 0, 0, false);
    let mut end = bytes.len();
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        match byte {
            b'\\' if quoted => at += 1,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'\'' if bytes.get(at + 2) == Some(&b'\'') => at += 2,
            b';' => {
                list.extend(line.get(from..at).map(|piece| (from, piece)));
                from = at + 1;
            }
            b'#' => end = at,
            b'/' if next == Some(&b'/') => end = at,
            _ => {}
        }
        if end <= at {
            break;
        }
        at += 1;
    }
    list.extend(line.get(from..end).map(|piece| (from, piece)));
    list
}

/// Operands, separated by commas outside of parentheses, braces and strings; trimmed.
pub(super) fn operands(text: &str) -> Vec<&str> {
    let (mut list, mut from, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0i32, false, false);
    // Where a character such as `','` ends.
    let mut after = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if at < after => {}
            _ if escaped => escaped = false,
            b'\'' if !quoted && text.as_bytes().get(at + 2) == Some(&b'\'') => after = at + 3,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth -= 1,
            b',' if depth <= 0 => {
                list.push(text.get(from..at).or_impossible("").trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    let last = text.get(from..).or_impossible("").trim();
    if !last.is_empty() || !list.is_empty() {
        list.push(last);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::{Glance, glance, hexadecimal, immediate, operands, squeeze, statements, unsqueezed, without_comments};

    #[test]
    fn plain_lines_are_told_from_others() {
        let is_plain = |line: &str| matches!(glance(line.as_bytes()), Glance::Plain(_));
        for line in ["  addi a0, a0, -1", "ret", "\tlw a0,-8(sp)\r", "fadd.s fa0,fa1,fa2,rtz", "bnez a0, .L3", "j done"]
        {
            assert!(is_plain(line), "{line}");
        }
        for line in [
            "",
            "  # no",
            "a: ret",
            "li a0, 1",
            "addi a0,a0,4-1",
            "addi a0,a0,x - 1",
            "lw a0,%lo(x)(a1)",
            "j 1b",
            "j .",
            "bnez a0, 2f",
            ".word 1",
            "lw a0, x",
            "add a0,a0,a1 # c",
            "ret; ret",
            "X a",
            "la a0,x",
            "addi a0,a0,2*4",
            "ld a0, (a1)",
            "add a0,a1, 4",
            "lr.w.aq a0, 0(a1)",
            "move a0,a1",
            "amoadd.w.aqrl a0,a1,0(a2)",
        ] {
            assert!(!is_plain(line), "{line}");
        }
    }

    #[test]
    fn numbers_have_instructions_of_their_own() {
        let names = ["add", "sltu", "sraw", "sub", "addi"].map(|name| immediate(name).unwrap_or_default());
        assert_eq!(names, ["addi", "sltiu", "sraiw", "", ""]);
    }

    #[test]
    fn blanks_go_and_places_come_back() {
        let text = b"a0 , a1,  -8 ( sp )  ";
        let mut made = Vec::new();
        squeeze(text, &mut made);
        assert_eq!(made, b"a0,a1,-8(sp)");
        assert_eq!(unsqueezed(text, &made, 6), 10);
        let mut words = Vec::new();
        let mut list = Vec::new();
        squeeze(b"{ra ,s0- s2} , -16", &mut list);
        assert_eq!(list, b"{ra, s0-s2},-16");
        squeeze(b"1 0,a b", &mut words);
        assert_eq!(words, b"1 0,a b");
    }

    #[test]
    fn shifts_get_hexadecimal_numbers() {
        for (line, expected) in
            [("a0,a1,3", "a0,a1,0x3"), ("a0,a1,63", "a0,a1,0x3f"), ("a0,a1,64", "a0,a1,64"), ("a0,x1", "a0,x1")]
        {
            let mut made = line.as_bytes().to_vec();
            hexadecimal(b"slli", &mut made);
            assert_eq!(made, expected.as_bytes());
        }
    }

    #[test]
    fn statements_and_operands() {
        let list = |line| statements(line).into_iter().map(|(_, piece)| piece.trim()).collect::<Vec<_>>();
        assert_eq!(list("a; b # c; d"), ["a", "b"]);
        assert_eq!(list(".string \"a;#b\\\"//\"; x // y"), [".string \"a;#b\\\"//\"", "x"]);
        assert_eq!(list("li a0, '#' ; b"), ["li a0, '#'", "b"]);
        assert_eq!(operands("'\"', ',', '('"), ["'\"'", "','", "'('"]);
        assert_eq!(operands(" a0, 8 * (1, 2)(sp) , \"x,y\""), ["a0", "8 * (1, 2)(sp)", "\"x,y\""]);
        assert!(operands("  ").is_empty());
        assert_eq!(without_comments("a /* b\n c */ d").as_deref(), Some("a     \n      d"));
        assert_eq!(without_comments("a"), None);
        let kept = ".asciz \"a \\\" /* b */\"\n# /* c\nli a0, '\"' // /* d\n";
        assert_eq!(without_comments(kept).as_deref(), Some(kept));
        assert_eq!(without_comments("#\n/* a */b").as_deref(), Some("#\n       b"));
    }
}
