//! A description may display any characters, and no line is lost: what the disassembler prints assembles to the same bytes, or
//! is an error. On the displays of the list, and on made-up descriptions whose displays draw from all punctuation.

use std::path::Path;

use isaglot_asm::assemble::source::{self, Setup};
use isaglot_asm::assemble::{Syntax, hazards};
use isaglot_asm::{Assembler, Compat, Names, oracle};
use isaglot_codec::Plan;
use isaglot_model::Isa;
use isaglot_source::{Diagnostics, SourceMap};
use isaglot_testing::{Random, rounds};

/// Made-up descriptions.
const DESCRIPTIONS: usize = 200;

/// Instructions of each program.
const PROGRAM: usize = 60;

/// What displays are made of, besides fields. Braces cannot be displayed.
const PUNCTUATION: &[&str] = &[
    "!", "\"", "#", "$", "%", "&", "'", "(", ")", "*", "+", ",", "-", ".", "/", "//", ":", ";", "<", "=", ">", "?",
    "@", "[", "\\\\", "]", "^", "_", "`", "|", "~", " ", " ; ", ": ", " = ", ", ", "0x", "/*", "*/", "x",
];

/// What a display begins with.
const STARTS: &[&str] = &[
    "{NAME}",
    "{NAME} ",
    "#{NAME} ",
    "; ",
    "// ",
    "r{A} = ",
    ".section ",
    "[",
    "{NAME}: ",
    ".{NAME} ",
    "{NAME}=",
    "l{A}:",
    "no match: ",
    "raw 0x",
    "# ",
    "{NAME} ; ",
    "{NAME} // ",
    "{A} ",
    "",
    "{A}: ",
    ".word ",
    "{F}",
    ".instruction ",
    "[{A}]",
    "{NAME}\\n",
    "{NAME}\\t",
    "{E} ",
    "{E}",
];

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn load(xml: &str) -> Result<Isa, String> {
    isaglot_isaspec::oracle::load(Path::new("made.xml"), &mut |_: &str| Ok(xml.as_bytes().to_vec()))
}

/// A description of instructions of 32 bits: the top 4 say which.
fn description(displays: &[String], types: &[[&str; 3]]) -> String {
    let mut xml = String::from(
        "<isa>\n<bitset name=\"#instruction\" size=\"32\"/>\n<enum name=\"#e\"><value val=\"0\" display=\"\"/><value val=\"1\" \
         display=\";\"/><value val=\"2\" display=\"l0:\"/><value val=\"3\" display=\"#\"/></enum>\n",
    );
    for (i, (display, [a, b, c])) in displays.iter().zip(types).enumerate() {
        let name = format!("op{i}");
        xml += &format!(
            "<bitset name=\"{name}\" extends=\"#instruction\">\n<display>{}</display>\n\
             <pattern low=\"28\" high=\"31\">{i:04b}</pattern>\n\
             <field name=\"A\" low=\"0\" high=\"7\" type=\"{a}\"/>\n<field name=\"B\" low=\"8\" high=\"15\" type=\"{b}\"/>\n\
             <field name=\"C\" low=\"16\" high=\"24\" type=\"{c}\"/>\n\
             <field name=\"E\" low=\"25\" high=\"26\" type=\"#e\"/>\n\
             <field name=\"F\" pos=\"27\" type=\"bool\" display=\"; \"/>\n</bitset>\n",
            escaped(display)
        );
    }
    xml + "</isa>\n"
}

/// A display that shows every field, in any order, with any punctuation between.
fn display(random: &mut Random) -> String {
    let mut text = (*random.pick(STARTS)).to_owned();
    let mut left: Vec<&str> =
        ["{A}", "{B}", "{C}", "{E}", "{F}"].into_iter().filter(|field| !text.contains(field)).collect();
    while !left.is_empty() {
        let at = random.index(left.len());
        text += left.remove(at);
        for _ in 0..random.below(3) {
            text += *random.pick(PUNCTUATION);
        }
    }
    text
}

const TYPES: &[&str] = &["uint", "int", "hex", "uint", "offset", "branch"];

/// Disassembles and assembles words in these ways; how many programs came back, and how many were refused.
fn check(
    assembler: &mut Assembler<'_, '_>,
    words: &[u32],
    ways: &[(bool, bool)],
    what: &dyn Fn() -> String,
    (same, refused): (&mut usize, &mut usize),
) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for &(labels, strict) in ways {
        match oracle::there_and_back(assembler, &bytes, labels, strict) {
            Ok(true) => *same += 1,
            Ok(false) => *refused += 1,
            Err(lost) => panic!("labels {labels}, strict {strict}: {lost}\n{}", what()),
        }
    }
}

#[test]
fn displays_of_all_punctuation_lose_no_line() {
    let (mut same, mut refused) = (0, 0);
    for seed in 0..rounds(DESCRIPTIONS) as u64 {
        let mut random = Random::new(seed);
        let leaves = 2 + random.index(5);
        let displays: Vec<String> = (0..leaves).map(|_| display(&mut random)).collect();
        let types: Vec<[&str; 3]> =
            (0..leaves).map(|_| [*random.pick(TYPES), *random.pick(TYPES), *random.pick(TYPES)]).collect();
        let xml = description(&displays, &types);
        let isa = load(&xml).unwrap_or_else(|message| panic!("seed {seed}: {message}\n{xml}"));
        let one = |random: &mut Random| {
            let free = random.u32() >> 4 & [u32::MAX, 0x0101_0101, 0x00ff_00ff, 0x0f0f_0f0f][random.index(4)];
            (random.below(leaves as u64 + 1) as u32) << 28 | free & 0x0fff_ffff
        };
        let words: Vec<u32> = (0..PROGRAM).map(|_| one(&mut random)).collect();
        let plan = Plan::new(&isa, 0);
        let names = Names::default();
        let mut assembler = Assembler::new(&plan, &names, Compat::default());
        let mut all = |words: &[u32], ways: &[(bool, bool)]| {
            check(&mut assembler, words, ways, &|| format!("seed {seed}\n{xml}"), (&mut same, &mut refused));
        };
        // Alone, a word is not refused because of another one.
        words.iter().for_each(|&word| all(&[word], &[(false, false)]));
        words.iter().for_each(|&word| all(&[word], &[(false, true)]));
        words.chunks(4).for_each(|words| all(words, &[(true, false)]));
        all(&words, &[(false, false), (true, false), (true, true)]);
    }
    println!("{same} of {} programs came back, {refused} were refused", same + refused);
    assert!(same > refused / 2, "most texts can be read");
}

/// Assembles a text.
fn assemble(isa: &Isa, text: &str, strict: bool) -> Result<Vec<u8>, String> {
    let plan = Plan::new(isa, 0);
    let names = Names::default();
    let mut assembler = Assembler::new(&plan, &names, Compat::default());
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let file = files.add("made", text.as_bytes().to_vec());
    let setup = Setup { strict, ..Setup::default() };
    let image = source::assemble_with(&mut assembler, file, text.as_bytes(), &setup, &mut out);
    let said = || out.iter().map(|d| format!("{}: {}\n", d.code, d.message)).collect::<String>();
    image.map(|image| image.bytes()).ok_or_else(said)
}

/// A description of one display, with `{A}` a number in the low 8 bits, and of `nop` and `mov {A}`.
fn one(display: &str) -> Isa {
    let leaf = |name: &str, code: &str, display: &str| {
        format!(
            "<bitset name=\"{name}\" extends=\"#instruction\"><display>{}</display><pattern low=\"8\" \
             high=\"15\">{code}</pattern><field name=\"A\" low=\"0\" high=\"7\" type=\"uint\"/></bitset>",
            escaped(display)
        )
    };
    let xml = format!(
        "<isa dialect=\"isaglot\"><bitset name=\"#instruction\" size=\"16\"/>{}{}{}</isa>",
        leaf("foo", "00000001", display),
        leaf("nop", "00000010", "nop{A}"),
        leaf("mov", "00000011", "mov {A}")
    );
    load(&xml).unwrap()
}

#[test]
fn the_description_goes_first() {
    // A display, the line that it prints for 5, and what it may look like.
    for (display, line, syntax) in [
        ("#{NAME} {A}", "#foo 5", Some(Syntax::Comment)),
        ("; {A}", "; 5", Some(Syntax::Comment)),
        ("// {A}", "// 5", Some(Syntax::Comment)),
        ("r{A} = nop", "r5 = nop", Some(Syntax::Define)),
        (".section {A}", ".section 5", Some(Syntax::Directive)),
        ("[{A}]", "[5]", Some(Syntax::Data)),
        ("{NAME} {A} ; x", "foo 5 ; x", Some(Syntax::Cut)),
        ("{NAME}: {A}", "foo: 5", Some(Syntax::Label)),
        ("{NAME} {A}", "foo 5", None),
        ("{NAME} #{A}", "foo #5", None),
        ("{NAME} [{A}]", "foo [5]", None),
        ("{NAME}.x {A}", "foo.x 5", None),
        ("@{NAME} {A} == 1", "@foo 5 == 1", None),
    ] {
        let isa = one(display);
        assert_eq!(assemble(&isa, line, false), Ok(vec![5, 1]), "{display}");
        assert_eq!(assemble(&isa, &format!(".instruction {line}\n"), false), Ok(vec![5, 1]), "{display}");
        let found = hazards(&isa, None);
        let of_foo = found.iter().find(|hazard| isa.text(isa[hazard.encoding].name) == "foo");
        assert_eq!(of_foo.map(|hazard| hazard.syntax), syntax, "{display}");
        // Ordinary syntax still is what it was.
        let rest = "start:\n  mov 1 // one\n.byte 7, 8\nend: mov 2\n";
        assert_eq!(assemble(&isa, rest, false), Ok(vec![1, 3, 7, 8, 2, 3]), "{display}");
    }
}

#[test]
fn what_stays_ambiguous_is_an_error() {
    for (display, line, strict) in [
        ("l{A}:", "l5:", false),
        ("no match: {A}", "no match: 5", false),
        ("{NAME} {A} ; x", "foo 5 ; x", true),
        ("{NAME} {A}", "foo  5", true),
        ("{NAME} {A}", "foo 0x5", true),
    ] {
        let isa = one(display);
        let said = assemble(&isa, line, strict).expect_err(display);
        assert!(said.starts_with("asm-reading") || said.starts_with("asm-strict"), "{display}: {said}");
    }
}

#[test]
fn leaves_of_one_text_are_told_apart_by_name() {
    let leaf = |name: &str, code: &str| {
        format!(
            "<bitset name=\"{name}\" displayname=\"add\" extends=\"#instruction\"><display>{{NAME}} {{A}}</display><pattern \
             low=\"8\" high=\"15\">{code}</pattern><field name=\"A\" low=\"0\" high=\"7\" type=\"uint\"/></bitset>"
        )
    };
    let xml = format!(
        "<isa dialect=\"isaglot\"><bitset name=\"#instruction\" size=\"16\"/>{}{}</isa>",
        leaf("add", "00000001"),
        leaf("add-i", "00000010")
    );
    let isa = load(&xml).unwrap();
    let said = assemble(&isa, "add 5", false).unwrap_err();
    assert!(said.starts_with("asm-ambiguous"), "{said}");
    assert_eq!(assemble(&isa, "{add} add 5\n{add-i} add 0x5\nadd-i 6", false), Ok(vec![5, 1, 5, 2, 6, 2]));
    let said = assemble(&isa, "{add-i} add 500", false).unwrap_err();
    assert!(said.starts_with("asm-value"), "{said}");
}
