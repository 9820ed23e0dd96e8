//! Compiled descriptions: what is read is what was written, the layout has a version, and no bytes do harm.

use std::path::Path;

use isaglot_asm::{Assembler, Compat, Names, Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_codec::operands::{decode, encode};
use isaglot_model::Isa;
use isaglot_model::compiled::{Header, MAGIC, Source, Unreadable, VERSION, from_bytes, to_bytes};
use isaglot_testing::{Random, rounds};

/// The descriptions that ship with the project.
const SPECS: [&str; 4] = ["minnow/minnow.xml", "trio/trio.xml", "riscv/riscv.xml", "xe/xe.xml"];

/// The checksum of the compiled form of trio, which uses most of what a description can say. If it changes, the layout
/// has changed, and [`VERSION`] with it, or the description has.
const LAYOUT: (u32, u32) = (9, 229_872_904);

fn load(name: &str) -> Isa {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs").join(name);
    isaglot_isaspec::oracle::load(&top, &mut isaglot_testing::corpus::load)
        .unwrap_or_else(|problems| panic!("{name} does not load: {problems}"))
}

fn header() -> Header {
    let source = Source { path: "../x.xml".to_owned(), length: 7, modified: u64::MAX, sha256: [3; 32] };
    let triples = vec![("riscv32".to_owned(), vec!["+a".to_owned(), "cpu=b".to_owned()])];
    Header { made_by: "a test".to_owned(), sources: vec![source], triples: Some(triples), doubts: Vec::new() }
}

/// A model as text, without its places, which are not kept.
fn without_places(text: &str) -> String {
    let mut pieces = text.split("Span { ");
    let first = pieces.next().unwrap_or_default().to_owned();
    first + &pieces.map(|piece| piece.split_once('}').map_or("", |(_, rest)| rest)).collect::<String>()
}

/// What engines do with a model: they trust it.
fn run(isa: &Isa, code: &[u8]) {
    for aliases in [false, true] {
        let plan = Plan::new(isa, 0).with_aliases(aliases);
        let mut text = Vec::new();
        let mut stream = Stream::new(&plan, Options { labels: true, ..Options::default() }, code.len() as u64);
        stream.mark(code);
        stream.feed(code, &mut Plain, &mut text);
        let names = Names::default();
        let mut assembler = Assembler::new(&plan, &names, Compat::Mesa26);
        for line in text.split(|byte| *byte == b'\n').take(20) {
            let _ = assembler.assemble(line);
        }
        for bytes in code.chunks(8) {
            let word = Word::from_le_bytes(bytes, isa[isa.root()].width);
            if let Some(taken) = decode(&plan, &word) {
                // What was changed may contradict itself; that it is said is enough.
                let _ = encode(&plan, &taken);
            }
        }
    }
}

/// The bytes with the checksum that fits them.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some((prefix, rest)) = bytes.split_at_mut_checked(16) {
        prefix[12..].copy_from_slice(&crc32fast::hash(rest).to_le_bytes());
    }
    bytes
}

#[test]
fn what_is_read_is_what_was_written() {
    for name in SPECS {
        let isa = load(name);
        let bytes = to_bytes(&header(), &isa);
        let (read, again) = from_bytes(&bytes).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(read, header());
        assert_eq!(to_bytes(&read, &again), bytes, "{name}");
        let shown = |isa: &Isa| without_places(&format!("{:?}", isa.encodings()));
        assert!(shown(&isa) == shown(&again), "{name}: the encodings differ");
    }
}

#[test]
fn the_layout_has_a_version() {
    let bytes = to_bytes(&Header::default(), &load("trio/trio.xml"));
    let checksum = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]);
    assert_eq!(
        (VERSION, checksum),
        LAYOUT,
        "a change of the layout needs another version; of trio, only this checksum"
    );
}

#[test]
fn what_is_no_description_is_refused() {
    let good = to_bytes(&header(), &load("minnow/minnow.xml"));
    assert!(matches!(from_bytes(b""), Err(Unreadable::Foreign)));
    assert!(matches!(from_bytes(b"<isa></isa> and more"), Err(Unreadable::Foreign)));
    assert!(matches!(from_bytes(&MAGIC), Err(Unreadable::Foreign)));
    let mut other = good.clone();
    other[8] = 77;
    assert!(matches!(from_bytes(&other), Err(Unreadable::Version(77))));
    for end in 16..good.len() {
        assert!(matches!(from_bytes(&good[..end]), Err(Unreadable::Damaged)), "cut to {end} bytes");
        let cut = from_bytes(&sealed(good[..end].to_vec()));
        assert!(matches!(cut, Err(Unreadable::Malformed(at)) if at <= end), "cut to {end} bytes: {cut:?}");
    }
    let mut longer = good.clone();
    longer.push(0);
    assert!(matches!(from_bytes(&sealed(longer)), Err(Unreadable::Malformed(at)) if at == good.len()));
    for at in 16..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        assert!(matches!(from_bytes(&bad), Err(Unreadable::Damaged)), "byte {at}");
    }
}

/// With the right checksum, changed bytes are read; what comes of it is valid or refused. A model that is taken can be
/// written again.
#[test]
fn changed_bytes_do_no_harm() {
    let good = to_bytes(&header(), &load("trio/trio.xml"));
    let mut random = Random::new(0x5EED);
    let (mut taken, mut refused) = (0, 0);
    let code = random.bytes(400);
    for _ in 0..rounds(3000) {
        let mut bad = good.clone();
        for _ in 0..=random.index(3) {
            let at = 16 + random.index(bad.len() - 16);
            match random.index(3) {
                0 => bad[at] = *random.pick(&[0, 1, 0x7f, 0x80, 0xff]),
                1 => bad[at] = random.u8(),
                _ => drop(bad.splice(at..at, std::iter::repeat_n(0xff, random.index(12)))),
            }
        }
        match from_bytes(&sealed(bad)) {
            Ok((header, isa)) => {
                assert!(from_bytes(&to_bytes(&header, &isa)).is_ok());
                run(&isa, &code);
                taken += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(taken > 0 && refused > taken, "{taken} taken, {refused} refused");
}
