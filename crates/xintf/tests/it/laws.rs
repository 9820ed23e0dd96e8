//! Laws that hold for thousands of generated inputs: mangling, the registry, and the encoding profiles.

use std::collections::{BTreeMap, BTreeSet};

use isaglot_riscv::Xlen;
use isaglot_source::{Diagnostics, FileId, SourceMap, Span};
use isaglot_testing::Random;
use isaglot_xintf::profile::{self, GenericInst, Profile, Taken};
use isaglot_xintf::registry::{self, NumberKind, Registry, RegistryEntry, Request};
use isaglot_xintf::uuid::{embed, hash20, hash52, id_word, narrow};
use isaglot_xintf::{limits, name};

fn pick(random: &mut Random, from: &str) -> char {
    char::from(*random.pick(from.as_bytes()))
}

/// A legal name out of very few letters, so that near misses are common.
fn legal(random: &mut Random) -> String {
    let mut out = String::new();
    let word = |out: &mut String, random: &mut Random, inner: &str| {
        out.push(pick(random, "ab"));
        for _ in 0..random.below(3) {
            out.push(pick(random, inner));
        }
        while out.ends_with('_') {
            out.pop();
        }
        *out = out.replace("__", "_");
    };
    for i in 0..1 + random.below(3) {
        if i > 0 {
            out.push('.');
        }
        word(&mut out, random, "ab0");
    }
    for _ in 0..1 + random.below(3) {
        out.push(':');
        word(&mut out, random, "ab0_");
    }
    out
}

#[test]
fn mangling_is_injective_and_invertible() {
    let mut random = Random::new(1);
    let mut names = BTreeSet::new();
    while names.len() < 10_000 {
        names.insert(legal(&mut random));
    }
    let mut back = BTreeMap::new();
    for full in &names {
        assert_eq!(name::check_interface(full), Ok(()), "{full}");
        let mangled = name::mangle(full);
        assert!(mangled.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{mangled}");
        assert_eq!(name::demangle(&mangled).as_ref(), Some(full));
        assert_eq!(back.insert(mangled, full), None, "two names have one mangled form");
    }
}

#[test]
fn illegal_names_are_rejected() {
    for bad in [
        "", "a", ":", "a:", ":a", "a.:B", ".a:B", "a..b:C", "a_b:C", "a-b:C", "a:B__C", "a:_B", "a:B_", "a:B:", "a::B",
        "1a:B", "a:1B", "a:B:2", "a:B c", "ä:B", "a:B.c", "a:B-c",
    ] {
        assert!(name::check_interface(bad).is_err(), "{bad:?}");
    }
    for bad in ["", "uuid", "_a", "a_", "a__b", "1", "a.b", "a:b"] {
        assert!(name::check_command(bad).is_err(), "{bad:?}");
    }
    for bad in ["", "a", "a_b", "a__", "__a", "a__B__", "a__B_", "a____B", "a__1"] {
        assert_eq!(name::demangle(bad), None, "{bad:?}");
    }
    // Whatever demangles, mangles back.
    let mut random = Random::new(2);
    for _ in 0..100_000 {
        let text: String = (0..random.below(12)).map(|_| pick(&mut random, "ab0___")).collect();
        if let Some(full) = name::demangle(&text) {
            assert_eq!(name::mangle(&full), text);
        }
    }
}

#[test]
fn hash_vectors() {
    for (full, narrow, wide) in [
        ("org.tinker.tinker:RocknRoll", 0xDDC34, 0xD_DC34_72EA_497C),
        ("com.bigbucks:Frobate", 0xC953D, 0xC_953D_1D7D_74E0),
        ("org.tinker.tinker:Jazz", 0xF8B0D, 0xF_8B0D_A3F3_F3B7),
    ] {
        assert_eq!((hash20(full), hash52(full)), (narrow, wide), "{full}");
    }
}

#[test]
fn numbers_embed() {
    assert_eq!(embed(0xABCDE, Xlen::Rv64), 0xF_FFFF_FFFA_BCDE);
    assert_eq!(embed(0xABCDE, Xlen::Rv32), 0xABCDE);
    assert_eq!(id_word(0x7FFFF, 4095, Xlen::Rv64), 0x7FFF_FFFF);
    assert_eq!(id_word(0xABCDE, 1, Xlen::Rv32), 0xABCD_E001);
    for n in (0..1 << 20).step_by(997) {
        // What `lui` makes of the number.
        assert_eq!(id_word(n, 0, Xlen::Rv64), ((n << 12) as u32 as i32) as i64 as u64);
        assert_eq!(narrow(embed(n, Xlen::Rv64), Xlen::Rv64), n);
    }
    assert_eq!(narrow(0x1_2345_6789_ABCD, Xlen::Rv64), 0x1_2345_6789_ABCD);
}

const HERE: Span = Span { file: FileId(0), start: 0, end: 0 };

fn claim(
    registry: &mut Registry,
    full: &str,
    owner: &str,
    request: Request,
) -> Result<RegistryEntry, Vec<&'static str>> {
    let mut found = Diagnostics::new();
    let date = "2026-01-31".to_owned();
    let entry = RegistryEntry {
        uuid: 0,
        name: full.to_owned(),
        kind: NumberKind::Central,
        owner: owner.to_owned(),
        date,
        span: HERE,
    };
    let added = registry::claim(registry, entry, request, &mut found);
    added.ok_or_else(|| found.iter().map(|d| d.code).collect())
}

fn names(registry: &Registry) -> BTreeSet<(u64, String)> {
    registry.entries().iter().map(|e| (e.uuid, e.name.clone())).collect()
}

/// 10,000 allocations of all kinds: no number is given twice, every refusal is a real collision.
#[test]
fn ten_thousand_allocations() {
    let mut all = Registry::default();
    let (mut taken, mut refused) = (BTreeMap::new(), 0);
    for n in 0..10_000 {
        let full = format!("org.example{}:Thing{n}", n % 7);
        let request = [Request::Hash, Request::Central, Request::Wide, Request::Rehash][n % 4];
        match claim(&mut all, &full, "me", request) {
            Ok(e) => assert_eq!(taken.insert(embed(e.uuid, Xlen::Rv64), full), None, "{:#x} was given twice", e.uuid),
            Err(codes) => {
                refused += 1;
                assert_eq!((request, codes), (Request::Hash, vec!["E-UUID-COLLISION"]), "{full}");
                assert!(taken.contains_key(&embed(hash20(&full), Xlen::Rv64)), "{full} was refused for nothing");
                // The ways out that the message names.
                let free = claim(&mut all.clone(), &full, "me", Request::Rehash).expect("a re-hash");
                assert!(matches!(free.kind, NumberKind::Hash(1..)));
                assert!(claim(&mut all.clone(), &full, "me", Request::Central).is_ok());
                let e = claim(&mut all, &full, "me", Request::Wide).expect("a wide number");
                taken.insert(embed(e.uuid, Xlen::Rv64), full);
            }
        }
    }
    assert!(refused > 0, "5,000 hashes of 19 bits collide");
    assert_eq!(all.entries().len(), 10_000);
    let mut found = Diagnostics::new();
    registry::check(&read(&registry::print(&all)), &mut found);
    assert!(found.is_empty());
    // A second claim for any of the names is refused.
    for n in (0..10_000).step_by(100) {
        let full = format!("org.example{}:Thing{n}", n % 7);
        assert_eq!(claim(&mut all, &full, "you", Request::Central).unwrap_err(), ["E-NAME-DUP"]);
    }
    assert_eq!(all.named("org.example1:Thing1").map(|e| e.uuid), Some(3), "central numbers start at 3");
}

fn read(text: &str) -> Registry {
    let mut found = Diagnostics::new();
    let mut files = SourceMap::new();
    let id = files.add("registry", text.as_bytes());
    let all = registry::parse(id, text.as_bytes(), &mut found);
    assert!(found.is_empty(), "{text}");
    all
}

/// Two branches of 5,000 claims each from a common start.
#[test]
fn merging_is_order_independent_and_finds_every_double_claim() {
    let mut base = Registry::default();
    for n in 0..100 {
        claim(&mut base, &format!("org.base:Thing{n}"), "base", Request::Hash).expect("free");
    }
    let branch = |prefix: &str| {
        let mut all = read(&registry::print(&base));
        for n in 0..5_000 {
            // Every 50th name is on both branches.
            let full = if n % 50 == 0 { format!("org.both:Thing{n}") } else { format!("org.{prefix}:Thing{n}") };
            let _ = claim(&mut all, &full, prefix, Request::Rehash);
        }
        read(&registry::print(&all))
    };
    let (a, b) = (branch("a"), branch("b"));

    // What a person would count by hand: numbers and names of one branch that the other has differently.
    let base_names = names(&base);
    let of_b: BTreeMap<u64, &RegistryEntry> = b.entries().iter().map(|e| (e.uuid, e)).collect();
    let (mut numbers, mut doubled) = (0, 0);
    for e in a.entries().iter().filter(|e| !base_names.contains(&(e.uuid, e.name.clone()))) {
        if b.named(&e.name).is_some() {
            doubled += 1;
        }
        if of_b.get(&e.uuid).is_some_and(|other| other.name != e.name) {
            numbers += 1;
        }
    }
    assert_eq!(doubled, 100);
    assert!(numbers > 10, "{numbers}");

    let merged = |list: [&Registry; 2]| {
        let mut found = Diagnostics::new();
        let all = registry::merge(list, &mut found);
        let mut codes = BTreeMap::new();
        for d in &found {
            *codes.entry(d.code).or_insert(0) += 1;
            assert_eq!(d.labels.len(), 2, "both claims are shown");
        }
        (registry::print(&all), codes, found.dropped())
    };
    let (ab, codes, dropped) = merged([&a, &b]);
    let (ba, other_codes, _) = merged([&b, &a]);
    assert_eq!(dropped, 0);
    assert_eq!(codes, other_codes);
    assert!(ab == ba, "the order of merging shows");
    assert_eq!(codes.get("E-NAME-DUP"), Some(&doubled));
    assert_eq!(codes.get("E-UUID-COLLISION"), Some(&numbers));

    // Without what is disputed, the merge is clean, sorted, and keeps every line of both.
    let clean = |from: &Registry, other: &Registry| {
        let is_clear = |e: &&RegistryEntry| {
            base_names.contains(&(e.uuid, e.name.clone()))
                || (other.named(&e.name).is_none() && other.numbered(e.uuid).is_none())
        };
        let keep: BTreeSet<String> = from.entries().iter().filter(is_clear).map(|e| e.name.clone()).collect();
        let text = registry::print(from);
        let lines = text.lines().filter(|l| l.split(' ').nth(1).is_some_and(|n| keep.contains(n)));
        read(&lines.map(|l| format!("{l}\n")).collect::<String>())
    };
    let (a, b) = (clean(&a, &b), clean(&b, &a));
    let (ab, codes, _) = merged([&a, &b]);
    assert!(codes.is_empty(), "{codes:?}");
    assert_eq!(ab, merged([&b, &a]).0);
    let all = read(&ab);
    assert_eq!(names(&all), names(&a).union(&names(&b)).cloned().collect());
    let mut found = Diagnostics::new();
    registry::check(&all, &mut found);
    registry::append_only(&a, &all, &mut found);
    registry::append_only(&b, &all, &mut found);
    assert!(found.is_empty());
    assert_eq!(merged([&all, &all]).0, ab, "merging again changes nothing");
}

#[test]
fn a_line_that_changes_or_goes_is_found() {
    let before = read("0x00003 a.b:C central me 2026-01-31\n0x00004 a.b:D central me 2026-01-31\n");
    let now = read("0x00003 a.b:C central you 2026-01-31\n");
    let mut found = Diagnostics::new();
    registry::append_only(&before, &now, &mut found);
    let codes: Vec<_> = found.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E-REG-LOST", "E-REG-LOST"]);
}

/// Reference 1.10, as it is written there, against the data file.
#[test]
fn profiles_are_those_of_the_reference() {
    /// Opcode, funct3 and funct7.
    type Rule = fn(GenericInst) -> (u32, u32, u32);
    let rules: [(&str, Rule); 4] = [
        ("custom0", |op| match op {
            GenericInst::Xcmd(k) => (0x0b, k & 7, 2 * (k >> 3)),
            GenericInst::Xext(j) => (0x0b, j, 1),
        }),
        ("custom0-rocc", |op| match op {
            GenericInst::Xcmd(k) => (0x0b, 7, k),
            GenericInst::Xext(j) => (0x0b, 7, 0x40 + j),
        }),
        ("op-brownfield", |op| match op {
            GenericInst::Xcmd(k) => (0x33, k & 7, if k < 8 { 0x40 } else { 0x42 }),
            GenericInst::Xext(j) => (0x33, j, 0x41),
        }),
        ("reserved-6b", |op| match op {
            GenericInst::Xcmd(k) => (0x6b, k & 7, 2 * (k >> 3)),
            GenericInst::Xext(j) => (0x6b, j, 1),
        }),
    ];
    assert_eq!(profile::builtin().len(), rules.len());
    for (name, rule) in rules {
        let profile = profile::by_name(name).expect(name);
        assert_eq!(profile.max_commands(), limits::MAX_COMMANDS);
        for op in profile::ops(16) {
            let r = profile.r_type(op);
            assert_eq!((r.opcode, r.funct3, r.funct7), rule(op), "{name} {op:?}");
            let word = profile.encode(op, 31, 17, 9);
            let expected = r.funct7 << 25 | 9 << 20 | 17 << 15 | r.funct3 << 12 | 31 << 7 | r.opcode;
            assert_eq!(word, expected);
            assert_eq!(profile.decode(word, 16), Some(op));
        }
        assert_eq!(profile.decode(profile.encode(GenericInst::Xcmd(5), 1, 2, 3), 4), None, "k >= N is illegal");
    }
}

fn parse_profiles(text: &str) -> (Vec<Profile>, Vec<&'static str>) {
    let mut found = Diagnostics::new();
    let all = profile::parse(FileId(0), text.as_bytes(), &mut found);
    (all, found.iter().map(|d| d.code).collect())
}

#[test]
fn a_fifth_profile_is_a_few_lines_of_data() {
    let (all, codes) = parse_profiles("[mine]\nxcmd = 0x2b\nk = [12, 13, 14]\nxext = 0x0400002b\nj = [12, 13]\n");
    assert!(codes.is_empty());
    assert_eq!(all[0].max_commands(), 8);
    assert_eq!(all[0].encode(GenericInst::Xcmd(7), 1, 2, 3), 0x0031_70ab);

    for (bad, code) in [
        ("[a]\nxcmd = 0x2b\nk = [12, 13, 14]\nxext = 0x2b\nj = [12, 13]\n", "E-PROFILE"),
        ("[a]\nxcmd = 0x2b\nk = [7]\nxext = 0x0400002b\nj = [12, 13]\n", "E-PROFILE"),
        ("[a]\nxcmd = 0x2a\nk = [12]\nxext = 0x0400002b\nj = [12, 13]\n", "E-PROFILE"),
        ("[a]\nxcmd = 0x8000002b\nk = [31]\nxext = 0x0400002b\nj = [12, 13]\n", "E-PROFILE"),
        ("[a]\nxcmd = 0x2b\nk = [12, 12]\nxext = 0x0400002b\nj = [12, 13]\n", "E-PROFILE"),
        ("[a]\nxcmd = 0x2b\nk = [12, 13]\nxext = 0x0400002b\n", "E-SYNTAX"),
        ("[a]\nxcmd = \"x\"\nk = [12, 13]\nxext = 0x0400002b\nj = [12, 13]\n", "E-SYNTAX"),
        ("a = 3\n", "E-SYNTAX"),
        ("[a]\nxcmd = 0x2b\nk = [12]\nxext = 0x0400002b\nj = [12, 13]\nl = 0\n", "E-SYNTAX"),
    ] {
        let (all, codes) = parse_profiles(bad);
        assert!(all.is_empty() || code == "E-SYNTAX", "{bad}");
        assert_eq!(codes, [code], "{bad}");
    }
}

#[test]
fn a_profile_on_a_ratified_instruction_is_a_clash() {
    // mul and the rest of M are OP with funct7 1.
    let taken = [
        Taken { name: "mul", mask: 0xfe00_707f, value: 0x0200_0033 },
        Taken { name: "add", mask: 0xfe00_707f, value: 0x0000_0033 },
    ];
    let (all, _) = parse_profiles("[m]\nxcmd = 0x02000033\nk = [12, 13, 14]\nxext = 0x82000033\nj = [12, 13]\n");
    let found = profile::clashes(&all[0], 8, &taken);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].op, found[0].other.as_str(), found[0].witness), (GenericInst::Xcmd(0), "mul", 0x0200_0033));
    for profile in profile::builtin() {
        assert_eq!(profile::clashes(&profile, 16, &taken), []);
    }
}
