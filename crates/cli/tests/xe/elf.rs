//! Kernels out of an ELF file, as compilers leave them: one `.text.` section for each, filled up with zeros, and notes that
//! say for which machine.

use std::path::Path;
use std::process::{Command, Output};

use object::write::Object;
use object::{Architecture, BinaryFormat, Endianness, SectionKind};

fn isaglot(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_isaglot")).args(args).current_dir(dir).output().unwrap()
}

/// The kernels' names and sources.
const KERNELS: [(&str, &str); 3] = [
    (
        "first",
        "add (16|M0)  r10.0<1>:f  r20.0<1;1,0>:f  r30.0<1;1,0>:f\nsend.gtwy (1|M0) null r112 null:0 0x0 0x02000010 {EOT}\n",
    ),
    ("second", "mov (8|M0)  r1.0<1>:ud  0x1234:ud\n"),
    ("third", "loop:\nnop\njmpi loop\n"),
];

/// A zebin with these sections.
fn zebin(sections: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = elf(sections);
    bytes[18..20].copy_from_slice(&205_u16.to_le_bytes());
    bytes
}

/// The section of notes, with one note: 1 for a product, 2 for a core.
fn note(kind: u32, number: u32) -> (String, Vec<u8>) {
    let words = |all: &[u32]| all.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    (".note.intelgt.compat".to_owned(), [words(&[8, 4, kind]), b"IntelGT\0".to_vec(), words(&[number])].concat())
}

/// A file with these sections.
fn elf(sections: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut file = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    for (name, bytes) in sections {
        let id = file.add_section(Vec::new(), name.clone().into_bytes(), SectionKind::Text);
        file.append_section_data(id, bytes, 64);
    }
    file.write().unwrap()
}

/// The binary of a source.
fn assembled(dir: &Path, source: &str) -> Vec<u8> {
    std::fs::write(dir.join("k.asm"), source).unwrap();
    let out = isaglot(dir, &["asm", "--isa", "xehpc", "k.asm", "-o", "k.krn"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    std::fs::read(dir.join("k.krn")).unwrap()
}

#[test]
fn one_listing_for_each_kernel() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let mut sections = vec![(".rodata".to_owned(), vec![1, 2, 3])];
    let mut alone = Vec::new();
    for (name, source) in KERNELS {
        let mut bytes = assembled(dir, source);
        let text = isaglot(dir, &["disasm", "--isa", "xehpc", "k.krn"]).stdout;
        let json = isaglot(dir, &["list", "--isa", "xehpc", "--json", "--defs", "k.krn"]).stdout;
        alone.push((String::from_utf8(text).unwrap(), serde_json::from_slice::<serde_json::Value>(&json).unwrap()));
        bytes.resize(bytes.len() + 192, 0);
        sections.push((format!(".text.{name}"), bytes));
    }
    std::fs::write(dir.join("kernels.bin"), zebin(&sections)).unwrap();

    let out = isaglot(dir, &["disasm", "--isa", "xehpc", "kernels.bin"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let wanted: String =
        KERNELS.iter().zip(&alone).map(|((name, _), (text, _))| format!("// kernel {name}\n{text}")).collect();
    assert_eq!(String::from_utf8(out.stdout).unwrap(), wanted);

    for flags in [&["--json", "--defs"][..], &["--json"]] {
        let out = isaglot(dir, &[&["list", "--isa", "xehpc", "kernels.bin"], flags].concat());
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let listings: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(listings.as_object().unwrap().len(), KERNELS.len());
        for ((name, _), (_, json)) in KERNELS.iter().zip(&alone) {
            let listed = &listings[name];
            assert_eq!(listed["elems"].as_array().unwrap().len(), json["elems"].as_array().unwrap().len());
            assert!(flags.len() < 2 || listed == json, "{name}");
        }
    }
}

#[test]
fn hex_is_as_good_as_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let bytes = assembled(dir, KERNELS[0].1);
    let hex: Vec<String> = bytes.chunks(4).map(|c| c.iter().map(|b| format!("{b:02x}")).collect()).collect();
    std::fs::write(dir.join("k.hex"), hex.join(" ") + "\n").unwrap();
    let plain = isaglot(dir, &["disasm", "--isa", "xehpc", "k.krn"]);
    for args in [&["disasm", "--isa", "xehpc", "k.hex"][..], &["disasm", "--isa", "xehpc", "--hex", "k.hex"]] {
        assert_eq!(isaglot(dir, args).stdout, plain.stdout);
    }
    let json = isaglot(dir, &["list", "--isa", "xehpc", "--json", "k.krn"]);
    assert_eq!(isaglot(dir, &["list", "--isa", "xehpc", "--json", "k.hex"]).stdout, json.stdout);
}

#[test]
fn broken_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let kernel = [(".text.k".to_owned(), vec![0; 64])];
    let whole = zebin(&kernel);
    let none = zebin(&[(".data".to_owned(), vec![0; 64])]);
    let cuts = [whole[..40].to_vec(), whole[..whole.len() - 30].to_vec(), none, elf(&kernel)];
    for (n, bytes) in cuts.iter().enumerate() {
        std::fs::write(dir.join("broken.bin"), bytes).unwrap();
        let out = isaglot(dir, &["disasm", "--isa", "xehpc", "broken.bin"]);
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "file {n}: {said}");
        assert!(said.contains("broken.bin"), "file {n}: {said}");
    }
}

/// What a command says of a zebin with one kernel and these notes: standard output, standard error, and the exit status.
fn asked(args: &[&str], notes: &[(String, Vec<u8>)]) -> (String, String, Option<i32>) {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let kernel = (".text.add".to_owned(), assembled(dir, KERNELS[0].1));
    std::fs::write(dir.join("k.bin"), zebin(&[&[kernel], notes].concat())).unwrap();
    let out = isaglot(dir, args);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(out.stdout), text(out.stderr), out.status.code())
}

#[test]
fn a_zebin_says_for_which_machine_it_is() {
    let hpc = [note(1, 1271)];
    for args in [&["disasm", "k.bin"][..], &["disasm", "--isa", "pvc", "k.bin"], &["list", "k.bin"]] {
        let (text, said, status) = asked(args, &hpc);
        assert_eq!((said.as_str(), status), ("", Some(0)), "{args:?}");
        assert!(text.contains("send.gtwy"), "{args:?}: {text}");
    }
    let (text, ..) = asked(&["list", "--ndjson", "k.bin"], &hpc);
    let row: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((row["section"].as_str(), row["listing"]["platform"].as_str()), (Some(".text.add"), Some("xehpc")));
    // The core says it where the product does not.
    let (_, said, status) = asked(&["disasm", "k.bin"], &[note(2, 0xc08)]);
    assert_eq!((said.as_str(), status), ("", Some(0)));

    let refused = |args: &[&str], notes: &[(String, Vec<u8>)], wanted: &[&str]| {
        let (text, said, status) = asked(args, notes);
        assert_eq!((text.as_str(), status), ("", Some(1)), "{args:?}: {said}");
        assert!(wanted.iter().all(|part| said.contains(part)), "{args:?}: {said}");
    };
    for verb in ["disasm", "list"] {
        refused(&[verb, "--isa", "xe2", "k.bin"], &hpc, &["for xehpc, not for xe2", "choose `--isa xehpc`"]);
        refused(&[verb, "k.bin"], &[], &["it does not say for which one", "choose one with `--isa`: xelp, xehp"]);
        refused(&[verb, "k.bin"], &[note(1, 1380)], &["product family 0x564, which is not known"]);
    }
    refused(&["disasm", "--isa", "tgl", "k.bin"], &[note(1, 1250)], &["for xehp, not for xelp"]);
    // With a machine that is named, a file that names none or one that is not known is read as one for it.
    let (_, said, status) = asked(&["disasm", "--isa", "xehpc", "k.bin"], &[note(1, 1380)]);
    assert!(said.contains("warning[xe-platform]") && status == Some(0), "{said}");
    let (_, said, status) = asked(&["disasm", "--isa", "xehpc", "k.bin"], &[]);
    assert_eq!((said.as_str(), status), ("", Some(0)));
}
