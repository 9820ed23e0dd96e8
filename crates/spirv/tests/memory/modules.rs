//! Modules that make the disassembler keep much.

use isaglot_spirv::asm;
use isaglot_spirv::dis::Options;

use super::{Case, Tool};

const PLAIN: Tool = Tool::Dis(|_| {});
const RAW: Tool = Tool::Dis(|o| o.raw_id = true);
const KEEP_GOING: Tool = Tool::Dis(|o| o.keep_going = true);
const COMMENT: Tool = Tool::Dis(|o| (o.comment, o.offsets) = (true, true));
const NESTED: Tool = Tool::Dis(flow);

fn flow(o: &mut Options<'static>) {
    (o.nested_indent, o.reorder_blocks) = (true, true);
}

pub(crate) const CASES: &[Case] = &[
    ("ids_over_the_bound", ids_over_the_bound, PLAIN),
    ("ids_over_the_bound_raw", ids_over_the_bound, RAW),
    ("ids_over_the_bound_big_endian", |size| swapped(ids_over_the_bound(size)), PLAIN),
    ("ids_over_the_bound_exact", ids_over_the_bound, Tool::DisExact),
    ("ids_over_the_bound_json", ids_over_the_bound, Tool::Json),
    ("ids_past_the_bound", ids_past_the_bound, PLAIN),
    ("ids_past_the_bound_exact", ids_past_the_bound, Tool::DisExact),
    ("ids_far_out", ids_far_out, PLAIN),
    ("ids_far_out_big_endian", |size| swapped(ids_far_out(size)), PLAIN),
    ("ids_far_out_exact", ids_far_out, Tool::DisExact),
    ("ids_far_out_big_endian_exact", |size| swapped(ids_far_out(size)), Tool::DisExact),
    ("ids_dense_unused_bound", ids_dense_unused_bound, PLAIN),
    ("number_types", number_types, PLAIN),
    ("number_types_exact", number_types, Tool::DisExact),
    ("names_growing", names_growing, PLAIN),
    ("names_growing_json", names_growing, Tool::Json),
    ("names_of_long_names", names_of_long_names, PLAIN),
    ("names_of_long_names_far_out", names_of_long_names_far_out, PLAIN),
    ("names_of_two_long_names", names_of_two_long_names, PLAIN),
    ("constants_of_a_long_type", constants_of_a_long_type, PLAIN),
    ("debug_names_empty", |size| debug_names(size, &[0]), PLAIN),
    ("debug_names_twice", debug_names_twice, PLAIN),
    ("debug_names_digits", debug_names_digits, PLAIN),
    ("debug_names_long", |size| debug_names(size, &[0x6161_6161; 60]), PLAIN),
    ("debug_names_comment", |size| debug_names(size, &[0]), COMMENT),
    ("long_line", long_line, PLAIN),
    ("long_line_nested", long_line, NESTED),
    ("long_line_comment", long_line, COMMENT),
    ("decorations_of_one_id", |size| decorations(size, |_| 7), COMMENT),
    ("decorations_of_all_ids", |size| decorations(size, |i| i), COMMENT),
    ("labels", labels, PLAIN),
    ("labels_nested", labels, NESTED),
    ("labels_json", labels, Tool::Json),
    ("branches_nested", branches, NESTED),
    ("branches_far_out_nested", branches_far_out, NESTED),
    ("branches_json", branches, Tool::Json),
    ("switches_nested", switches, NESTED),
    ("switches_json", switches, Tool::Json),
    ("one_block_nested", one_block, NESTED),
    ("one_block_json", one_block, Tool::Json),
    ("nops_exact", |size| repeated(size, &[0x0001_0000]), Tool::DisExact),
    ("unknown_opcodes_exact", |size| repeated(size, &[0x0001_fffe]), Tool::DisExact),
    ("unknown_opcodes", |size| repeated(size, &[0x0001_fffe]), KEEP_GOING),
    ("garbage_exact", |size| repeated(size, &[0]), Tool::DisExact),
    ("garbage", |size| repeated(size, &[0]), KEEP_GOING),
    ("garbage_json", |size| repeated(size, &[0]), Tool::Json),
    (
        "garbage_nested",
        garbage_in_blocks,
        Tool::Dis(|o| {
            flow(o);
            o.keep_going = true;
        }),
    ),
    ("imports", imports, PLAIN),
    ("long_string", long_string, PLAIN),
    ("long_string_json", long_string, Tool::Json),
    ("hexadecimal", hexadecimal, PLAIN),
];

/// A module whose bound is given, or the number of its words.
fn module(bound: Option<u32>, body: Vec<u32>) -> Vec<u8> {
    let mut words = vec![asm::MAGIC, 0x0001_0600, 0, bound.unwrap_or(body.len() as u32 + 5), 0];
    words.extend(body);
    asm::to_bytes(&words).into_owned()
}

/// The body that `one` makes, called with 1, 2, … until there are so many bytes.
fn body(size: usize, mut one: impl FnMut(u32, &mut Vec<u32>)) -> Vec<u32> {
    let mut words = Vec::new();
    for i in 1.. {
        one(i, &mut words);
        if words.len() * 4 >= size {
            break;
        }
    }
    words
}

fn repeated(size: usize, words: &[u32]) -> Vec<u8> {
    module(None, body(size, |_, out| out.extend(words)))
}

fn swapped(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.chunks_exact_mut(4).for_each(<[u8]>::reverse);
    bytes
}

/// `OpTypeVoid`, every other id.
fn ids_over_the_bound(size: usize) -> Vec<u8> {
    module(None, body(size, |i, out| out.extend([0x0002_0013, 2 * i])))
}

fn ids_past_the_bound(size: usize) -> Vec<u8> {
    module(Some(1), body(size, |i, out| out.extend([0x0002_0013, 3 * i])))
}

/// Ids anywhere.
fn far(i: u32) -> u32 {
    i.wrapping_mul(0x9e37_79b1) | 1 << 31
}

fn ids_far_out(size: usize) -> Vec<u8> {
    module(Some(u32::MAX), body(size, |i, out| out.extend([0x0002_0013, far(i)])))
}

/// A bound that just fits, and ids past it.
fn ids_dense_unused_bound(size: usize) -> Vec<u8> {
    let bound = size as u32 / 16;
    module(Some(bound), body(size, |i, out| out.extend([0x0002_0013, bound + 7 * i])))
}

fn number_types(size: usize) -> Vec<u8> {
    module(None, body(size, |i, out| out.extend([0x0004_0015, 4 * i, 32, 0])))
}

/// Each array's name is the one before and more.
fn names_growing(size: usize) -> Vec<u8> {
    module(None, body(size, |i, out| out.extend([0x0003_001d, 3 * i, 3 * i - 3])))
}

/// `OpName %1` with 240 bytes.
fn long_name(out: &mut Vec<u32>) {
    out.extend([(2 + 61) << 16 | 5, 1]);
    out.extend([0x6161_6161; 60]);
    out.push(0);
}

fn of_long_name(size: usize, one: impl Fn(u32, &mut Vec<u32>)) -> Vec<u32> {
    body(size, |i, out| if i == 1 { long_name(out) } else { one(i, out) })
}

fn names_of_long_names(size: usize) -> Vec<u8> {
    module(None, of_long_name(size, |i, out| out.extend([0x0003_001d, 3 * i, 1])))
}

fn names_of_long_names_far_out(size: usize) -> Vec<u8> {
    module(Some(u32::MAX), of_long_name(size, |i, out| out.extend([0x0003_001d, far(i), 1])))
}

/// Pointers to what pointers point to, in two storage classes by turns.
fn names_of_two_long_names(size: usize) -> Vec<u8> {
    module(None, of_long_name(size, |i, out| out.extend([0x0004_001c, 4 * i, 1, 4 * i - 1])))
}

fn constants_of_a_long_type(size: usize) -> Vec<u8> {
    let constants = of_long_name(size, |i, out| match i {
        2 => out.extend([0x0004_0015, 1, 32, 0]),
        _ => out.extend([0x0004_002b, 1, 4 * i, i]),
    });
    module(None, constants)
}

fn debug_names(size: usize, string: &[u32]) -> Vec<u8> {
    let count = string.len() as u32 + if string == [0] { 2 } else { 3 };
    let names = body(size, |i, out| {
        out.extend([count << 16 | 5, 3 * i]);
        out.extend(string);
        out.extend(if string == [0] { None } else { Some(0) });
    });
    module(None, names)
}

/// Each name for two ids.
fn debug_names_twice(size: usize) -> Vec<u8> {
    let digits = |i: u32| u32::from_le_bytes([b'a' + (i % 26) as u8, b'a' + (i / 26 % 26) as u8, b'a', b'a']);
    let names = body(size, |i, out| {
        let n = i / 2;
        out.extend([0x0005_0005, 3 * i, digits(n), digits(n / 676), 0]);
    });
    module(None, names)
}

/// Names that are the numbers of other ids.
fn debug_names_digits(size: usize) -> Vec<u8> {
    let names = body(size, |i, out| {
        let mut text = [0; 8];
        let digits = (i + 10_000_000 / 2).to_string();
        text[..7].copy_from_slice(&digits.as_bytes()[..7]);
        let word = |n: usize| u32::from_le_bytes([text[n], text[n + 1], text[n + 2], text[n + 3]]);
        out.extend([0x0004_0005, i, word(0), word(4)]);
    });
    module(None, names)
}

/// Structures of as many members with long names as an instruction can have.
fn long_line(size: usize) -> Vec<u8> {
    let mut words = Vec::new();
    long_name(&mut words);
    words.extend([0x0002_0013, 1]);
    for i in 2..2 + size as u32 / 262_144 {
        words.extend([0xffff_001e, i]);
        words.extend([1; 65_533]);
    }
    module(None, words)
}

fn decorations(size: usize, id: impl Fn(u32) -> u32) -> Vec<u8> {
    let mut words = body(size, |i, out| out.extend([0x0003_0047, id(i), 5825]));
    words.extend([0x0002_0013, 7]);
    module(None, words)
}

fn function(mut inside: Vec<u32>) -> Vec<u32> {
    let mut words = vec![0x0002_0013, 1, 0x0003_0021, 2, 1, 0x0005_0036, 1, 3, 0, 2];
    words.append(&mut inside);
    words.push(0x0001_0038);
    words
}

fn labels(size: usize) -> Vec<u8> {
    module(None, function(body(size, |i, out| out.extend([0x0002_00f8, 3 + i]))))
}

fn branches(size: usize) -> Vec<u8> {
    module(None, function(body(size, |i, out| out.extend([0x0002_00f8, 3 + i, 0x0002_00f9, 4 + i]))))
}

fn branches_far_out(size: usize) -> Vec<u8> {
    module(None, function(body(size, |i, out| out.extend([0x0002_00f8, far(i), 0x0002_00f9, far(i + 1)]))))
}

/// Blocks that each go to very many others.
fn switches(size: usize) -> Vec<u8> {
    let mut words = vec![0x0004_0015, 4, 32, 0, 0x0003_0001, 4, 5];
    let blocks = size as u32 / 120_000;
    words.extend(function(body(size, |i, out| {
        out.extend([0x0002_00f8, 10 + i]);
        if i <= blocks {
            out.extend([20_003 << 16 | 251, 5, 10]);
            (0..10_000).for_each(|n| out.extend([n, 10 + i * 100 + n]));
        }
    })));
    module(None, words)
}

fn one_block(size: usize) -> Vec<u8> {
    let nops = body(size, |i, out| if i == 1 { out.extend([0x0002_00f8, 9]) } else { out.push(0x0001_0000) });
    module(None, function(nops))
}

/// Blocks with invalid words among them.
fn garbage_in_blocks(size: usize) -> Vec<u8> {
    module(None, function(body(size, |i, out| out.extend([0x0002_00f8, 3 + i, 0x0001_0000, 0]))))
}

fn imports(size: usize) -> Vec<u8> {
    let name = b"NonSemantic.a\0\0\0";
    let words = body(size, |i, out| {
        out.extend([0x0006_000b, 6 * i]);
        out.extend(name.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)));
    });
    module(None, words)
}

fn long_string(size: usize) -> Vec<u8> {
    let words = body(size, |_, out| {
        out.push(0xffff_0004);
        out.extend([0x2222_2222; 65_533]);
        out.push(0);
    });
    module(None, words)
}

/// A module as numbers in text.
fn hexadecimal(size: usize) -> Vec<u8> {
    let bytes = ids_over_the_bound(size / 11 * 4);
    let words = bytes.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c));
    words.flat_map(|w| format!("0x{w:08x},").into_bytes()).collect()
}
