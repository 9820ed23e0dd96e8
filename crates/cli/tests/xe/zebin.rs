//! The zebin that the pages and the cases of the command line look at: `examples/programs/kernels.zebin`. It is made here, from
//! two kernels and what a compiler would say of them, so that it can be made again: `BLESS=1` writes it.

use std::path::Path;
use std::process::Command;

use isaglot_testing::{bless, workspace};
use object::write::{Object, Relocation, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationFlags, SectionKind, SymbolFlags, SymbolKind, SymbolScope,
};

/// Doubles the numbers of a buffer, with a barrier before the end.
const DOUBLE: &str = "\
mov (16|M0)  r10.0<1>:ud  0x1000:ud
add (16|M0)  r12.0<1>:f  r14.0<1;1,0>:f  r14.0<1;1,0>:f
mad (16|M0)  r16.0<1>:f  r12.0<1;0>:f  r14.0<1;0>:f  r12.0<1>:f
send.gtwy (1|M0) null r112 null:0 0x0 0x02000010 {EOT}
";

/// Loads an address that is not known before the kernel is.
const TABLE: &str = "\
mov (8|M0)  r1.0<1>:ud  0x0:ud
add (8|M0)  r2.0<1>:ud  r1.0<1;1,0>:ud  0x8:ud
send.gtwy (1|M0) null r112 null:0 0x0 0x02000010 {EOT}
";

const SAID: &str = "\
---
version:         '1.39'
kernels:
  - name:            double
    execution_env:
      barrier_count:   1
      grf_count:       128
      has_no_stateless_write: true
      simd_size:       16
      slm_size:        1024
    payload_arguments:
      - arg_type:        local_size
        offset:          0
        size:            12
  - name:            table
    execution_env:
      grf_count:       256
      simd_size:       8
...
";

/// The note that names a core, before its number.
const NOTE: &[u8] = b"\x08\0\0\0\x04\0\0\0\x02\0\0\0IntelGT\0";

const XEHPC: u16 = 0xc08;
const XE2: u16 = 0xc09;

/// Where the instruction that loads an address has it.
const IMMEDIATE: u64 = 12;

fn assembled(dir: &Path, source: &str) -> Vec<u8> {
    std::fs::write(dir.join("k.asm"), source).unwrap();
    let asm = ["asm", "--isa", "xehpc", "k.asm", "-o", "k.krn"];
    assert!(Command::new(env!("CARGO_BIN_EXE_isaglot")).args(asm).current_dir(dir).status().unwrap().success());
    std::fs::read(dir.join("k.krn")).unwrap()
}

/// The zebin of a core.
fn made(core: u16) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let mut file = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let symbol = |name: &str, section, value| Symbol {
        name: name.as_bytes().to_vec(),
        value,
        size: 0,
        kind: SymbolKind::Text,
        scope: SymbolScope::Compilation,
        weak: false,
        section,
        flags: SymbolFlags::None,
    };
    for (name, source) in [("double", DOUBLE), ("table", TABLE)] {
        let mut code = assembled(dir.path(), source);
        // Compilers fill sections up.
        code.resize(code.len() + 64, 0);
        let section = file.add_section(Vec::new(), format!(".text.{name}").into_bytes(), SectionKind::Text);
        file.append_section_data(section, &code, 64);
        file.add_symbol(symbol("_entry", SymbolSection::Section(section), 0));
        if name == "table" {
            let target = file.add_symbol(symbol("numbers", SymbolSection::Undefined, 0));
            let flags = RelocationFlags::Elf { r_type: object::elf::RelocationType(2) };
            file.add_relocation(section, Relocation { offset: IMMEDIATE, symbol: target, addend: 0, flags }).unwrap();
        }
    }
    let note = [NOTE, &u32::from(core).to_le_bytes()].concat();
    for (name, bytes) in [(".ze_info", SAID.as_bytes()), (".note.intelgt.compat", &note)] {
        let section = file.add_section(Vec::new(), name.as_bytes().to_vec(), SectionKind::Other);
        file.append_section_data(section, bytes, 4);
    }
    let mut bytes = file.write().unwrap();
    // An executable zebin, for a GPU.
    bytes[16..20].copy_from_slice(&[0x12, 0xff, 205, 0]);
    bytes
}

#[test]
fn the_example_can_be_made_again() {
    let path = workspace().join("examples/programs/kernels.zebin");
    bless::golden_bytes(&path, &made(XEHPC)).unwrap();
}

/// An archive of these files.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        out.extend(
            format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", format!("{name}/"), 0, 0, 0, 644, bytes.len()).bytes(),
        );
        out.extend(*bytes);
        if bytes.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}

/// Standard output, standard error and the exit status of `list`.
fn listed(dir: &Path, args: &[&str]) -> (String, String, Option<i32>) {
    let out = Command::new(env!("CARGO_BIN_EXE_isaglot")).arg("list").args(args).current_dir(dir).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(out.stdout), text(out.stderr), out.status.code())
}

#[test]
fn archives_hold_files_for_several_machines() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let (pvc, bmg) = (made(XEHPC), made(XE2));
    std::fs::write(dir.join("both.ar"), archive(&[("64.pvc", &pvc), ("notes", b"abc"), ("64.bmg", &bmg)])).unwrap();
    std::fs::write(dir.join("one.ar"), archive(&[("notes", b"abc"), ("64.pvc", &pvc)])).unwrap();

    let (_, errors, code) = listed(dir, &["both.ar"]);
    assert!(code == Some(1) && errors.contains("it is for 2 of them"), "{errors}");
    let (text, errors, code) = listed(dir, &["--isa", "xehpc", "both.ar"]);
    assert!(code == Some(0) && errors.contains("1 of 2 files are for other machines"), "{errors}");
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("# kernel")).collect();
    assert_eq!(heads, ["# kernel double (64.pvc)", "# kernel table (64.pvc)"]);
    let (alone, errors, code) = listed(dir, &["one.ar"]);
    assert!(code == Some(0) && errors.is_empty(), "{errors}");
    assert_eq!(alone.replace("one.ar", "both.ar"), text);
}

#[test]
fn cut_files_are_refused_or_read() {
    let dir = tempfile::tempdir().unwrap();
    let whole = archive(&[("64.pvc", &made(XEHPC))]);
    for cut in (0..whole.len()).step_by(61) {
        std::fs::write(dir.path().join("cut.ar"), &whole[..cut]).unwrap();
        let (_, errors, code) = listed(dir.path(), &["--isa", "xehpc", "--ndjson", "cut.ar"]);
        assert!(matches!(code, Some(0 | 1)) && !errors.contains("panicked"), "{cut}: {errors}");
    }
}
