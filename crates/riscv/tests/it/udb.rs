//! Mutated trees of the Unified Database: each is read or refused, and nothing panics.

use isaglot_riscv::formats::udb::{self, Folder, Sources};
use isaglot_riscv::oracle;
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::{Random, rounds, slowest};

const TREE: &str = include_str!("../data/udb.txt");

/// Pieces that matter to YAML and to the database.
const PIECES: &[&str] = &[
    "\n",
    ": ",
    "- ",
    "  ",
    "{",
    "}",
    "[",
    "]",
    "#",
    "|",
    ">",
    "\"",
    "'",
    "&a ",
    "*a",
    "!!str ",
    "%YAML",
    "---\n",
    "...\n",
    "\t",
    "\0",
    "\u{7f}",
    "\r\n",
    "\u{feff}",
    "é",
    "~",
    "null",
    "true",
    "$inherits",
    "$remove",
    "$ref",
    "#/data",
    "inst_var/xs.yaml#/data",
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "xlen",
    "extension",
    "param",
    "idl()",
    "~> 2",
    "99999999999999999999999999999999999999999999",
    "-1",
    "0x",
    "0b2",
    "1e9",
    "31-25",
    "|7",
    "48-0",
    "==> inst/Zq/q.go.yaml\n",
    "==> overlay/ext/I.yaml\n",
    "name",
    "match",
];

/// The tree is sound, so that its mutations reach what comes after parsing.
#[test]
fn seed() {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let mut base = Folder::default();
    for part in TREE.split("==> ").filter(|part| !part.is_empty() && !part.starts_with("overlay/")) {
        let (path, text) = part.split_once('\n').expect("a path");
        base.files.push((path.to_owned(), text.as_bytes().to_vec()));
    }
    base.files.retain(|(path, _)| path != "config.yaml");
    let table = udb::load(Sources { base, ..Sources::default() }, &mut files, &mut out);
    let found: Vec<String> = out.iter().map(|d| format!("{} {}", d.code, d.message)).collect();
    assert_eq!(table.expect("a sound tree").instructions.len(), 3, "{found:?}");
    assert!(
        found.iter().all(|d| d.starts_with("udb-operand-by-role") || d.starts_with("udb-field-uncovered")),
        "{found:?}"
    );
    oracle::udb(TREE.as_bytes());
}

#[test]
fn mutated() {
    let mut random = Random::new(0x5eed_0db0);
    slowest("mutated trees of UDB", rounds(10_000), || {
        let tree = match random.below(4) {
            0 => random.mutated(TREE.as_bytes(), PIECES),
            1 => lines(&mut random).into_bytes(),
            2 => {
                let moved = lines(&mut random);
                random.mutated(moved.as_bytes(), PIECES)
            }
            _ => value(&mut random).into_bytes(),
        };
        oracle::udb(&tree);
    });
}

/// Lines removed, doubled, swapped, moved in or out.
fn lines(random: &mut Random) -> String {
    let mut lines: Vec<String> = TREE.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(3) {
        let (a, b) = (random.index(lines.len()), random.index(lines.len()));
        match random.below(5) {
            0 => drop(lines.remove(a)),
            1 => lines.insert(b, lines[a].clone()),
            2 => lines.swap(a, b),
            3 => lines[a].insert_str(0, "  "),
            _ => lines[a] = lines[a].trim_start().to_owned(),
        }
    }
    lines.join("\n")
}

/// The value of one key, or the key, is another one.
fn value(random: &mut Random) -> String {
    let mut lines: Vec<String> = TREE.lines().map(str::to_owned).collect();
    let at = random.index(lines.len());
    if let Some((key, value)) = lines[at].clone().split_once(": ") {
        let other = random.index(lines.len());
        let taken = lines[other].split_once(": ").map_or("", |(_, value)| value).to_owned();
        lines[at] = match random.below(5) {
            0 => format!("{key}: {}", random.pick(PIECES)),
            1 => format!("{key}: {taken}"),
            2 => format!("{key}: {}{}{}", "[".repeat(60), value, "]".repeat(60)),
            3 => format!("{key}x: {value}"),
            _ => format!("{}{}: {value}", " ".repeat(key.len() - key.trim_start().len()), random.pick(PIECES)),
        };
    }
    lines.join("\n")
}

/// What grows faster than its text elsewhere: nesting, references to references, one key many times.
#[test]
fn hostile() {
    let chain = |count: usize, keys: &dyn Fn(usize) -> String| -> String {
        (0..count).map(|n| format!("==> inst_var/v{n}.yaml\ndata: {}\n", keys(n))).collect()
    };
    let doubled = |n: usize| {
        let one = format!("{{ $inherits: inst_var/v{}.yaml#/data }}", n + 1);
        format!("{{ a: {one}, b: {one} }}")
    };
    for tree in [
        format!("==> inst/a.yaml\n{}", "[".repeat(100_000)),
        format!("==> inst/a.yaml\n{}", "- ".repeat(100_000)),
        format!("==> inst/a.yaml\na: {}", "{ a: ".repeat(10_000)),
        format!("==> inst/a.yaml\n{}", "k: v\n".repeat(50_000)),
        format!("==> inst/a.yaml\n{}", (0..50_000).map(|n| format!("k{n}: v\n")).collect::<String>()),
        format!("==> inst/a.yaml\na: \"{}\"", "x".repeat(2 << 20)),
        format!("==> inst/a.yaml\n{}", "é\n".repeat(100_000)),
        chain(64, &doubled),
        chain(100, &|n| format!("{{ $inherits: inst_var/v{}.yaml#/data }}", n + 1)),
        chain(100, &|n| format!("{{ $inherits: inst_var/v{}.yaml#/data }}", (n + 1) % 100)),
        "==> inst_var/a.yaml\na: { b: { $inherits: \"#/a\" } }\n".to_owned(),
        "==> inst_var/a.yaml\n$inherits: \"#\"\n".to_owned(),
    ] {
        oracle::udb(tree.as_bytes());
    }
}
