//! Works with a generated codec: driver [-l] [-q] [-x] [-f] [-m N] FILE [NAME:OFFSET...] disassembles a file;
//! driver -d N FILE decodes it N times; driver -r FILE takes every instruction apart and puts it together again;
//! driver -a FILE assembles its lines.

use std::io::Write;

use isaglot as isa;
use isa::runtime::stream::place_bytes;

struct Custom {
    exact: bool,
}

impl isa::Hooks for Custom {
    fn wants_fields(&self) -> bool {
        self.exact
    }

    fn wants_lines(&self) -> bool {
        false
    }

    fn custom(&mut self, _: &str, value: u64, out: &mut isa::Out<'_>) {
        out.bytes(b"0x");
        out.hex_digits(value, (67 - (value | 1).leading_zeros()).div_euclid(4).max(3));
    }

    fn parse_custom(&mut self, _: &str, text: &[u8], way: usize) -> Option<(usize, u64)> {
        let digits = text.strip_prefix(b"0x")?;
        let len = digits.iter().take_while(|c| c.is_ascii_hexdigit()).count();
        let value = std::str::from_utf8(&digits[..len]).ok().and_then(|d| u64::from_str_radix(d, 16).ok())?;
        (way == 0).then_some((2 + len, value))
    }
}

fn main() {
    let mut args = std::env::args().skip(1).peekable();
    let (mut labels, mut quiet, mut exact, mut mesa26, mut round, mut lines, mut most, mut repeat) =
        (false, false, false, false, false, false, 0, None);
    while let Some(flag) = args.next_if(|arg| arg.starts_with('-')) {
        match flag.as_str() {
            "-l" => labels = true,
            "-q" => quiet = true,
            "-x" => exact = true,
            "-f" => mesa26 = true,
            "-r" => round = true,
            "-a" => lines = true,
            "-m" => most = args.next().and_then(|n| n.parse().ok()).expect("a number"),
            "-d" => repeat = Some(args.next().and_then(|n| n.parse::<u32>().ok()).expect("a number")),
            _ => panic!("{flag}?"),
        }
    }
    let bytes = std::fs::read(args.next().expect("a file")).expect("a file that can be read");
    if let Some(repeat) = repeat {
        return decode(&bytes, repeat);
    }
    if round {
        return again(&bytes);
    }
    if lines {
        return assemble(&bytes);
    }
    let mut entries: Vec<(u64, Vec<u8>)> = args
        .map(|arg| {
            let (name, offset) = arg.rsplit_once(':').expect("NAME:OFFSET");
            (offset.parse().expect("an offset"), name.as_bytes().to_vec())
        })
        .collect();
    entries.sort();
    let entries: Vec<isa::Entry> = entries.iter().map(|(offset, name)| isa::Entry { offset: *offset, name }).collect();
    let limbs = isa::label_limbs(bytes.len());
    let (mut branches, mut calls, mut starts) = (vec![0; limbs], vec![0; limbs], vec![0; limbs]);
    let places = bytes.len() as u64 / place_bytes(isa::ISA).max(1);
    let targets = labels.then(|| isa::Targets::new(places, &mut branches, &mut calls).with_starts(&mut starts));
    let compat = if mesa26 { isa::Compat::Mesa26 } else { isa::Compat::Mesa24 };
    let options = isa::Options { show_errors: !quiet, entries: &entries, max_errors: most, compat };
    let mut out = std::io::stdout().lock();
    let mut sink = |text: &[u8]| out.write_all(text).expect("an open output");
    let mut text = isa::Out::new(&mut sink);
    let mut stream = isa::Stream::new(isa::ISA, options, targets);
    stream.mark(&bytes);
    stream.feed(&bytes, &mut Custom { exact }, &mut text);
}

/// The words of all lines, 16 digits a limb, the high one first.
fn assemble(text: &[u8]) {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in text.split(|&b| b == b'\n') {
        let line = std::str::from_utf8(line).expect("text");
        let made = isa::assemble_with(line, isa::Compat::default(), &mut Custom { exact: false });
        let digits = made.map_or(String::new(), |instruction| instruction.word().digits());
        writeln!(out, "{digits}").expect("an open output");
    }
}

/// A word in any of its types.
trait Digits {
    fn digits(self) -> String;
}

impl Digits for u32 {
    fn digits(self) -> String {
        format!("{self:016x}")
    }
}

impl Digits for u64 {
    fn digits(self) -> String {
        format!("{self:016x}")
    }
}

impl Digits for u128 {
    fn digits(self) -> String {
        format!("{self:032x}")
    }
}

impl<const N: usize> Digits for [u64; N] {
    fn digits(self) -> String {
        self.iter().rev().map(|limb| format!("{limb:016x}")).collect()
    }
}

/// The sum keeps the work from being optimised away.
fn decode(bytes: &[u8], repeat: u32) {
    let mut sum = 0u64;
    let mut count = 0u64;
    let started = std::time::Instant::now();
    for _ in 0..repeat {
        let mut rest = bytes;
        while !rest.is_empty() {
            let size = match isa::fetch(rest) {
                Some((instruction, size)) => {
                    sum += instruction.leaf() as u64;
                    size
                }
                None => 1,
            };
            count += 1;
            rest = rest.get(size..).unwrap_or(&[]);
        }
    }
    eprintln!("{count} words, sum {sum}, {:.1} million a second", count as f64 / started.elapsed().as_secs_f64() / 1e6);
}

fn again(bytes: &[u8]) {
    let mut rest = bytes;
    let (mut good, mut bad) = (0u64, 0u64);
    while !rest.is_empty() {
        let mut size = 1;
        if let Some((instruction, taken)) = isa::fetch(rest) {
            size = taken;
            let mut fields = Vec::new();
            instruction.fields(|field| fields.push(field));
            match isa::encode(instruction.leaf(), &fields) {
                Ok(made) if made == instruction => good += 1,
                other => {
                    bad += 1;
                    println!("{:x?} {}: {other:x?}", instruction.word(), instruction.leaf().name());
                }
            }
        }
        rest = rest.get(size..).unwrap_or(&[]);
    }
    println!("{good} words made again");
    assert_eq!(bad, 0);
}
