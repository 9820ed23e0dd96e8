//! Kernels out of an ELF file, as compilers leave them: one `.text.` section for each, filled up with zeros.

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
    std::fs::write(dir.join("kernels.bin"), elf(&sections)).unwrap();

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
    let whole = elf(&[(".text.k".to_owned(), vec![0; 64])]);
    let none = elf(&[(".data".to_owned(), vec![0; 64])]);
    let cuts = [whole[..40].to_vec(), whole[..whole.len() - 30].to_vec(), none];
    for (n, bytes) in cuts.iter().enumerate() {
        std::fs::write(dir.join("broken.bin"), bytes).unwrap();
        let out = isaglot(dir, &["disasm", "--isa", "xehpc", "broken.bin"]);
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "file {n}: {said}");
        assert!(said.contains("broken.bin"), "file {n}: {said}");
    }
}
