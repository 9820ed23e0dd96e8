//! The fuzz targets' functions on seeded pseudo-random and mutated inputs: nothing may panic or hang.

use isaglot_isaspec::oracle::{fuzz_description, fuzz_display, fuzz_expression, fuzz_roles};

/// xorshift64*: the same inputs in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Pieces that get a random text past the first check.
const PIECES: [&str; 40] = [
    "{X}",
    "{Y_1}",
    "{3D}",
    "{",
    "}",
    "(",
    ")",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "&&",
    "||",
    "&",
    "|",
    "^",
    "~",
    "!",
    "?",
    ":",
    ",",
    "==",
    "!=",
    "<",
    "<=",
    "0",
    "1",
    "0x1f",
    "077",
    "18446744073709551615u",
    "ISA_GPU_ID()",
    "/* */",
    "'a'",
    "(int)",
    " ",
    ":align=9",
    "\\x41",
];

fn mutated(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut data = seed.to_vec();
    for _ in 0..=random.below(6) {
        let at = random.below(data.len());
        match random.below(6) {
            0 => data.truncate(at),
            1 => data.insert(at, random.next() as u8),
            2 => drop(data.drain(at..(at + random.below(40)).min(data.len()))),
            3 => {
                let copy = data[at..(at + random.below(200)).min(data.len())].to_vec();
                let to = random.below(data.len());
                data.splice(to..to, copy);
            }
            4 => {
                let piece = PIECES[random.below(PIECES.len())].as_bytes().to_vec();
                data.splice(at..at, piece);
            }
            _ if data.is_empty() => {}
            _ => data[at] = b"0123456789x{}<>\"#"[random.below(17)],
        }
    }
    data
}

/// The files in `tests/ui` whose names pass.
fn seeds(wanted: impl Fn(&str) -> bool) -> Vec<Vec<u8>> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let mut seeds = Vec::new();
    for entry in std::fs::read_dir(root).expect("tests/ui is part of the crate") {
        let path = entry.expect("a readable folder").path();
        if wanted(&path.to_string_lossy()) {
            seeds.push(std::fs::read(path).expect("a readable file"));
        }
    }
    seeds.sort();
    seeds
}

#[test]
fn descriptions() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for seed in &seeds(|name| name.ends_with(".xml")) {
        for _ in 0..60 {
            fuzz_description(&mutated(seed, &mut random));
        }
    }
}

#[test]
fn roles() {
    let mut random = Random(0x5eed);
    let seeds = seeds(|name| name.ends_with(".roles.xml"));
    assert!(seeds.len() > 2, "there are roles to start from");
    for seed in &seeds {
        fuzz_roles(seed);
        for _ in 0..400 {
            fuzz_roles(&mutated(seed, &mut random));
        }
    }
    fuzz_roles("<roles>".repeat(100_000).as_bytes());
    let many = "<bitset name=\"#alu\"><operand field=\"D\"/></bitset>".repeat(20_000);
    fuzz_roles(format!("<roles>{many}</roles>").as_bytes());
    fuzz_roles(b"<roles><registers name=\"r\" count=\"65536\" components=\"a b c\" prefix=\"r\"/></roles>");
}

#[test]
fn expressions_and_displays() {
    let mut random = Random(88_172_645_463_325_252);
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..random.below(24) {
            text.push_str(PIECES[random.below(PIECES.len())]);
        }
        fuzz_expression(text.as_bytes());
        fuzz_display(text.as_bytes());
        let bytes = mutated(text.as_bytes(), &mut random);
        fuzz_expression(&bytes);
        fuzz_display(&bytes);
    }
}

/// Inputs that are small to write and could be expensive to read.
#[test]
fn hostile_sizes() {
    let huge_attribute = format!("<isa a=\"{}\"/>", "x".repeat(9 << 20));
    fuzz_description(huge_attribute.as_bytes());
    fuzz_description(huge_attribute.as_bytes().get(..4 << 20).unwrap_or(&[]));
    fuzz_description("<a>".repeat(1_000_000).as_bytes());
    fuzz_description(format!("<isa>{}</isa>", "<x/>".repeat(900_000)).as_bytes());
    let attributes: String = (0..50_000).map(|i| format!(" a{i}=\"\"")).collect();
    fuzz_description(format!("<isa{attributes}/>").as_bytes());
    let namespaces: String = (0..5000).map(|i| format!("<x xmlns:n{i}=\"u{i}\"/>")).collect();
    fuzz_description(format!("<isa>{namespaces}</isa>").as_bytes());
    let imports = "<import file=\"b.xml\"/>".repeat(1000);
    fuzz_description(format!("<isa>{imports}</isa>").as_bytes());
    fuzz_expression("(".repeat(10_000).as_bytes());
    fuzz_expression("{X}+".repeat(4000).as_bytes());
    fuzz_expression(format!("{}1", "1+".repeat(8000)).as_bytes());
    fuzz_display("{".repeat(100_000).as_bytes());
    fuzz_display("{a}".repeat(5000).as_bytes());
}

/// Templates that grow, many bitsets, long chains: bounded time.
#[test]
fn hostile_descriptions() {
    let mut templates = String::new();
    for i in 0..40 {
        templates.push_str(&format!("<template name=\"T{i}\">{{T{}}}{{T{}}}</template>", i + 1, i + 1));
    }
    let display = (0..40).map(|i| format!("{{T{i}}}")).collect::<String>();
    let word = r##"<bitset name="#instruction" size="32"/>"##;
    let leaf = format!(r##"<bitset name="a" extends="#instruction"><display>{display}</display></bitset>"##);
    fuzz_description(format!("<isa>{templates}{word}{leaf}</isa>").as_bytes());
    let chain: String = (0..5000).map(|i| format!("<bitset name=\"c{i}\" extends=\"c{}\"/>", i + 1)).collect();
    fuzz_description(format!("<isa>{word}{chain}</isa>").as_bytes());
    let many = r##"<bitset name="b" extends="#instruction"><pattern pos="0">1</pattern></bitset>"##.repeat(21_000);
    fuzz_description(format!("<isa>{word}{many}</isa>").as_bytes());
    let bits: String = (0..4096).map(|i| format!("<pattern pos=\"{i}\">x</pattern>")).collect();
    let wide = format!(r#"<bitset name="w" size="4096">{bits}</bitset>"#);
    let leaves: String = (0..2000).map(|i| format!(r#"<bitset name="l{i}" extends="w"/>"#)).collect();
    fuzz_description(format!("<isa>{wide}{leaves}</isa>").as_bytes());
}
