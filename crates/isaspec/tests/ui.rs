//! Wrong and odd descriptions, each with what must be reported written on the line that it is about.
//!
//! A case is a file `ui/NAME.xml` with markers (see [`isaglot_source::expect`]) and a golden `ui/NAME.txt` with the
//! diagnostics as people see them. `BLESS=1` writes the goldens. Files in `ui/part` are imported by cases; a file
//! `ui/NAME.roles.xml` gives roles to the fields of the case.

use std::path::{Path, PathBuf};

use isaglot_isaspec::Overlay;
use isaglot_source::{Diagnostics, SourceMap, expect, render};
use libtest_mimic::{Arguments, Failed, Trial};

fn run(path: &Path) -> Result<(), Failed> {
    let directory = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut read = |name: &str| std::fs::read(directory.join(name)).map_err(|_| "no such file".to_owned());
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let roles = std::fs::read(path.with_extension("roles.xml")).ok();
    let roles_name = name.replace(".xml", ".roles.xml");
    let overlay = roles.as_deref().map(|bytes| Overlay { name: &roles_name, bytes, partial: false });
    let isa = isaglot_isaspec::load_with_roles(&mut files, &name, overlay, &mut read, &mut out);
    let mut problems = expect::mismatches(&files, &out);
    if isa.is_some() == out.has_errors() {
        problems.push("a model comes if and only if there is no error".to_owned());
    }
    let text: String = out.iter().map(|d| render::text(&files, d, false)).collect();
    let golden = path.with_extension("txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&golden, &text)?;
    } else if std::fs::read_to_string(&golden).unwrap_or_default() != text {
        problems.push(format!("differs from {} (BLESS=1 to accept)", golden.display()));
    }
    if problems.is_empty() { Ok(()) } else { Err(format!("{}\n{text}", problems.join("\n")).into()) }
}

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let entries = std::fs::read_dir(&root).expect("tests/ui is part of the crate");
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "xml") && !p.to_string_lossy().ends_with(".roles.xml"));
    paths.sort();
    assert!(!paths.is_empty(), "no cases in {}", root.display());
    let name = |p: &Path| format!("isaspec::ui::{}", p.file_stem().unwrap_or_default().to_string_lossy());
    let trials = paths.into_iter().map(|p| Trial::test(name(&p), move || run(&p))).collect();
    libtest_mimic::run(&arguments, trials).exit();
}
