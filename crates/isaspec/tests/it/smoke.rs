//! The functions of the fuzz targets on random and changed inputs: nothing may panic or hang.

use isaglot_isaspec::oracle;
use isaglot_testing::{Random, bless, rounds};

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

/// The files in `tests/ui` whose names end so.
fn seeds(end: &str) -> Vec<Vec<u8>> {
    let files = bless::cases(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui"), end);
    files.iter().map(|path| std::fs::read(path).expect("a readable file")).collect()
}

#[test]
fn descriptions() {
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    for seed in &seeds(".xml") {
        for _ in 0..rounds(60) {
            oracle::description(&random.mutated(seed, &PIECES));
        }
    }
}

#[test]
fn roles() {
    let mut random = Random::new(0x5eed);
    let seeds = seeds(".roles.xml");
    for seed in &seeds {
        oracle::roles(seed);
        for _ in 0..rounds(400) {
            oracle::roles(&random.mutated(seed, &PIECES));
        }
    }
    oracle::roles("<roles>".repeat(100_000).as_bytes());
    let many = "<bitset name=\"#alu\"><operand field=\"D\"/></bitset>".repeat(20_000);
    oracle::roles(format!("<roles>{many}</roles>").as_bytes());
    oracle::roles(b"<roles><registers name=\"r\" count=\"65536\" components=\"a b c\" prefix=\"r\"/></roles>");
}

#[test]
fn expressions_and_displays() {
    let mut random = Random::new(88_172_645_463_325_252);
    for _ in 0..rounds(20_000) {
        let count = random.index(24);
        let text = random.text(&PIECES, count);
        oracle::expression(text.as_bytes());
        oracle::display(text.as_bytes());
        let bytes = random.mutated(text.as_bytes(), &PIECES);
        oracle::expression(&bytes);
        oracle::display(&bytes);
    }
}

/// Inputs that are small to write and could be expensive to read.
#[test]
fn hostile_sizes() {
    let huge_attribute = format!("<isa a=\"{}\"/>", "x".repeat(9 << 20));
    oracle::description(huge_attribute.as_bytes());
    oracle::description(huge_attribute.as_bytes().get(..4 << 20).unwrap_or(&[]));
    oracle::description("<a>".repeat(1_000_000).as_bytes());
    oracle::description(format!("<isa>{}</isa>", "<x/>".repeat(900_000)).as_bytes());
    let attributes: String = (0..50_000).map(|i| format!(" a{i}=\"\"")).collect();
    oracle::description(format!("<isa{attributes}/>").as_bytes());
    let namespaces: String = (0..5000).map(|i| format!("<x xmlns:n{i}=\"u{i}\"/>")).collect();
    oracle::description(format!("<isa>{namespaces}</isa>").as_bytes());
    let imports = "<import file=\"b.xml\"/>".repeat(1000);
    oracle::description(format!("<isa>{imports}</isa>").as_bytes());
    oracle::expression("(".repeat(10_000).as_bytes());
    oracle::expression("{X}+".repeat(4000).as_bytes());
    oracle::expression(format!("{}1", "1+".repeat(8000)).as_bytes());
    oracle::display("{".repeat(100_000).as_bytes());
    oracle::display("{a}".repeat(5000).as_bytes());
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
    oracle::description(format!("<isa>{templates}{word}{leaf}</isa>").as_bytes());
    let chain: String = (0..5000).map(|i| format!("<bitset name=\"c{i}\" extends=\"c{}\"/>", i + 1)).collect();
    oracle::description(format!("<isa>{word}{chain}</isa>").as_bytes());
    let many = r##"<bitset name="b" extends="#instruction"><pattern pos="0">1</pattern></bitset>"##.repeat(21_000);
    oracle::description(format!("<isa>{word}{many}</isa>").as_bytes());
    let bits: String = (0..4096).map(|i| format!("<pattern pos=\"{i}\">x</pattern>")).collect();
    let wide = format!(r#"<bitset name="w" size="4096">{bits}</bitset>"#);
    let leaves: String = (0..2000).map(|i| format!(r#"<bitset name="l{i}" extends="w"/>"#)).collect();
    oracle::description(format!("<isa>{wide}{leaves}</isa>").as_bytes());
}
