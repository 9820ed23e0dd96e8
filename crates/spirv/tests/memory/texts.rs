//! Texts that make the assembler keep much.

use isaglot_spirv::{dis, exact};

use super::{Case, Tool};

const PLAIN: Tool = Tool::As(|_| {});
const PRESERVE: Tool = Tool::As(|o| o.preserve_numeric_ids = true);
const KEEP_GOING: Tool = Tool::As(|o| o.keep_going = true);
const MAP: Tool = Tool::As(|o| o.map = true);

pub(crate) const CASES: &[Case] = &[
    ("text_operands", operands, PLAIN),
    ("text_operands_map", operands, MAP),
    ("text_operands_preserve", operands, PRESERVE),
    ("text_operands_exact", operands, Tool::AsExact),
    ("text_results", results, PLAIN),
    ("text_results_map", results, MAP),
    ("text_results_after_operands", results_after_operands, PLAIN),
    ("text_numbers", numbers, PLAIN),
    ("text_numbers_preserve", numbers, PRESERVE),
    ("text_numbers_map_preserve", numbers, Tool::As(|o| (o.map, o.preserve_numeric_ids) = (true, true))),
    ("text_numbers_twice_preserve", numbers_twice, PRESERVE),
    ("text_nops", |size| b"OpNop ".repeat(size / 6), MAP),
    ("text_words", |size| b"!1 ".repeat(size / 3), PLAIN),
    ("text_word_results", |size| text(size, |i| format!("%{i} = OpTypeVoid\n")), PRESERVE),
    ("text_far_results_preserve", |size| text(size, |i| format!("%{} = OpTypeVoid\n", i * 397)), PRESERVE),
    ("text_far_types_exact", |size| text(size, |i| format!("%{} = OpTypeInt 32 0\n", i * 397)), Tool::AsExact),
    ("text_long_string", |size| [b"OpSource GLSL 1 \"".as_slice(), &vec![b'a'; size], b"\""].concat(), PLAIN),
    ("text_long_opcode", |size| [b"Op".as_slice(), &vec![b'A'; size]].concat(), PLAIN),
    ("text_long_opcode_bad_utf8", |size| [b"OpA".as_slice(), &vec![0xff; size]].concat(), PLAIN),
    ("text_long_enumerant", |size| [b"OpCapability ".as_slice(), &vec![b'A'; size]].concat(), PLAIN),
    ("text_long_id", |size| [b"OpName %a!".as_slice(), &vec![b'a'; size]].concat(), PLAIN),
    ("text_bad_words", |size| b"Opx ".repeat(size / 4), KEEP_GOING),
    ("text_bad_enumerants", |size| b"OpCapability A ".repeat(size / 15), KEEP_GOING),
    ("text_bad_strings", bad_strings, KEEP_GOING),
    ("text_lines_then_error", |size| [b"\n".repeat(size).as_slice(), b"OpFoo"].concat(), PLAIN),
    ("text_exact_of_nops", exact_of_nops, Tool::AsExact),
];

fn text(size: usize, one: impl Fn(u64) -> String) -> Vec<u8> {
    let mut out = Vec::new();
    for i in 1.. {
        out.extend(one(i).into_bytes());
        if out.len() >= size {
            break;
        }
    }
    out
}

/// A short name.
fn name(i: u64) -> String {
    const LETTERS: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut n = i;
    std::iter::from_fn(|| {
        let letter = LETTERS[(n % 52) as usize];
        n /= 52;
        Some(letter as char)
    })
    .take(4)
    .collect()
}

/// Operands that are all different.
fn operands(size: usize) -> Vec<u8> {
    text(size, |i| if i % 60_000 == 1 { format!("%_{i} = OpTypeStruct ") } else { format!("%{} ", name(i)) })
}

fn results(size: usize) -> Vec<u8> {
    text(size, |i| format!("%{} = OpTypeVoid\n", name(i)))
}

/// Names first, then results with late numbers.
fn results_after_operands(size: usize) -> Vec<u8> {
    let mut out = operands(size);
    out.extend(b"\n%x_1 = OpTypeInt 32 0\n%x_2 = OpUndef %x_1\n%x_3 = OpUndef %x_1\n");
    out
}

fn numbers(size: usize) -> Vec<u8> {
    let number = |i: u64| i * 7919 % 100_000_007;
    text(size, |i| if i % 60_000 == 1 { format!("%_{i} = OpTypeStruct ") } else { format!("%{} ", number(i)) })
}

/// Two spellings of one number.
fn numbers_twice(size: usize) -> Vec<u8> {
    let mut out = numbers(size);
    out.extend(b"\n%a = OpTypeStruct %1 %01\n");
    out
}

/// Many long tokens that are wrong, of bytes that take three to show.
fn bad_strings(size: usize) -> Vec<u8> {
    [b"OpCapability ".as_slice(), &[0xff; 65_000], b" "].concat().repeat(size / 65_000)
}

fn exact_of_nops(size: usize) -> Vec<u8> {
    let mut words = vec![isaglot_spirv::asm::MAGIC, 0x0001_0600, 0, 1, 0];
    words.resize(size / 21, 0x0001_0000);
    exact::disassemble(&words, &dis::Options::default()).text
}
