//! Every file of the folder is in exactly the constant of its folder.

use std::collections::BTreeSet;
use std::path::Path;

use isaglot_specs as specs;

/// The names of the files of a folder with this ending, without it.
fn there(folder: &str, end: &str) -> BTreeSet<String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let names =
        std::fs::read_dir(dir).expect("a folder").filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter_map(|name| name.strip_suffix(end).map(str::to_owned)).collect()
}

fn check(folder: &str, end: &str, parts: &[&[specs::File]]) {
    let named: BTreeSet<String> = parts.iter().flat_map(|files| files.iter()).map(|file| file.0.to_owned()).collect();
    assert_eq!(named, there(folder, end), "specs/{folder}/*{end}");
}

#[test]
fn every_file_is_a_constant() {
    check("minnow", ".xml", &[&xml(specs::MINNOW)]);
    check("trio", ".xml", &[&xml(specs::TRIO)]);
    check("riscv", ".xml", &[&xml(specs::RISCV), &xml(specs::RISCV_FORMATS)]);
    check("xe", ".xml", &[&xml(specs::XE)]);
    check("llvm", ".operands", &[specs::LLVM]);
    check("roles", ".roles.xml", &[specs::ROLES]);
    check("tools", ".tool", &[specs::TOOLS]);
    check("tools", ".known", &[specs::KNOWN]);
}

/// The same without the ending of the names.
fn xml(files: &[specs::File]) -> Vec<specs::File> {
    files.iter().map(|(name, text)| (name.trim_end_matches(".xml"), *text)).collect()
}

#[test]
fn names_are_found() {
    assert!(specs::find(specs::XE, "rules.xml").is_some_and(|text| text.contains("<")));
    assert_eq!(specs::find(specs::XE, "rules"), None);
}
