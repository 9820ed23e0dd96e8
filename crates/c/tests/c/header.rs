//! `isaglot.h` says what the crate says, and each language takes it.
//!
//! The header and the list of symbols are goldens: they are written from the sources, and committed, so that a change is seen.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use isaglot_testing::peer::{self, Peer};
use isaglot_testing::{Failed, bless};

/// The folder of the crate.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// A compiler and what it is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Language {
    pub(crate) compiler: &'static str,
    pub(crate) standard: &'static str,
    pub(crate) peer: Peer,
}

/// What reads the header.
pub(crate) const LANGUAGES: [Language; 8] = [
    Language { compiler: "gcc", standard: "c99", peer: peer::GCC },
    Language { compiler: "gcc", standard: "c17", peer: peer::GCC },
    Language { compiler: "clang", standard: "c99", peer: peer::CLANG },
    Language { compiler: "clang", standard: "c17", peer: peer::CLANG },
    Language { compiler: "g++", standard: "c++11", peer: peer::GXX },
    Language { compiler: "g++", standard: "c++20", peer: peer::GXX },
    Language { compiler: "clang++", standard: "c++11", peer: peer::CLANGXX },
    Language { compiler: "clang++", standard: "c++20", peer: peer::CLANGXX },
];

/// How everything is compiled.
pub(crate) const WARNINGS: [&str; 6] = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror"];

/// The header is what the sources say.
pub(crate) fn is_written() -> Result<(), Failed> {
    bless::golden(&folder().join("include/isaglot.h"), &header()?).map_err(Failed::from)
}

/// The header, from the sources.
fn header() -> Result<String, Failed> {
    static WRITTEN: OnceLock<Result<String, String>> = OnceLock::new();
    WRITTEN.get_or_init(|| write().map_err(|e| format!("{e:?}"))).clone().map_err(Failed::from)
}

fn write() -> Result<String, Failed> {
    let folder = folder();
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml"))?;
    let bindings = cbindgen::Builder::new().with_config(config).with_crate(folder).generate()?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    Ok(without_safety(&String::from_utf8(text)?))
}

/// Without the sections that Rust asks for: the head of the header says them once for all.
fn without_safety(text: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let is_comment = line.starts_with("//");
        inside = is_comment && (inside || line == "// # Safety");
        if inside {
            if out.last() == Some(&"//") {
                out.pop();
            }
        } else {
            out.push(line);
        }
    }
    out.join("\n") + "\n"
}

/// The functions that the header declares, in order of name.
pub(crate) fn functions() -> Result<Vec<String>, Failed> {
    let text = header()?;
    let code: Vec<&str> = text.lines().filter(|line| !line.starts_with("//") && !line.starts_with(' ')).collect();
    let name = |line: &&str| {
        let head = line.split_once('(')?.0;
        let is_declaration = !head.starts_with(['#', '/']) && !head.starts_with("typedef");
        Some(head.rsplit([' ', '*']).next()?.to_owned()).filter(|name| is_declaration && name.starts_with("isaglot_"))
    };
    let mut names: Vec<String> = code.iter().filter_map(name).collect();
    names.sort();
    if names.is_empty() { Err("the header declares nothing".into()) } else { Ok(names) }
}

/// The list of symbols has what the header declares.
pub(crate) fn map() -> Result<(), Failed> {
    let lines: String = functions()?.iter().map(|name| format!("        {name};\n")).collect();
    let text =
        format!("ISAGLOT_{} {{\n    global:\n{lines}    local:\n        *;\n}};\n", env!("CARGO_PKG_VERSION_MAJOR"));
    bless::golden(&folder().join("isaglot.map"), &text).map_err(Failed::from)
}

/// A file with nothing but the header compiles without a warning.
pub(crate) fn compiles(language: Language) -> Result<(), Failed> {
    let header = if language.compiler.ends_with("++") { "isaglot.hpp" } else { "isaglot.h" };
    let kind = if language.compiler.ends_with("++") { "c++" } else { "c" };
    let mut compile = Command::new(language.compiler);
    compile.args(["-x", kind, "-fsyntax-only", &format!("-std={}", language.standard), "-I"]);
    compile.arg(folder().join("include")).args(WARNINGS).arg("-");
    peer::output(&mut compile, &format!("#include <{header}>\n#include <{header}>\n")).map(drop).map_err(Failed::from)
}

/// The driver calls every function that the header declares.
pub(crate) fn are_tried() -> Result<(), Failed> {
    let driver = std::fs::read_to_string(crate::build::driver())?;
    let is_called = |name: &str| driver.contains(&format!("{name}("));
    match functions()?.into_iter().find(|name| !is_called(name)) {
        Some(name) => Err(format!("driver.c does not call {name}").into()),
        None => Ok(()),
    }
}
