//! `docs/tour.md` and `docs/xext-tutorial.md` as a newcomer follows them: their files are written, their commands run in
//! order in one folder, and what they print is what the page says. A block that opens with a language and a file name is
//! that file; a block `console` is commands after `$ ` and their output. The pictures of the tour are those that its
//! commands make. `BLESS=1` writes output and pictures anew. Where the compiler and z3 are missing, the page that takes
//! them is reported as ignored.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use isaglot_testing::{Failed, Trial, peer, suite};

fn main() {
    let tutorial = || {
        let dir = tempfile::tempdir()?;
        page("xext-tutorial.md", dir.path())
    };
    suite::run(vec![Trial::test("tour", tour), peer::trial("tutorial_xext", &[peer::RISCV_GCC, peer::Z3], tutorial)]);
}

/// The tour is made in the project's folder, and makes its own pictures.
fn tour() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::create_dir_all(dir.path().join("specs/minnow"))?;
    for name in ["minnow.xml", "sum.bin"] {
        let file = Path::new("specs/minnow").join(name);
        std::fs::copy(here.join("../..").join(&file), dir.path().join(&file))?;
    }
    std::fs::create_dir_all(dir.path().join("docs/pictures"))?;
    page("tour.md", dir.path())?;
    let pictures = here.join("../../docs/pictures");
    let mut names: Vec<_> =
        std::fs::read_dir(dir.path().join("docs/pictures"))?.flatten().map(|e| e.file_name()).collect();
    names.sort();
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(&pictures)?;
        for name in &names {
            std::fs::copy(dir.path().join("docs/pictures").join(name), pictures.join(name))?;
        }
    }
    let mut there: Vec<_> = std::fs::read_dir(&pictures)?.flatten().map(|e| e.file_name()).collect();
    there.sort();
    if there != names || names.is_empty() {
        return Err(format!("the tour makes {names:?}, docs/pictures has {there:?}").into());
    }
    for name in &names {
        let made = std::fs::read_to_string(dir.path().join("docs/pictures").join(name))?;
        roxmltree::Document::parse(&made).map_err(|e| format!("{name:?}: {e}"))?;
        if made != std::fs::read_to_string(pictures.join(name))? {
            return Err(format!("docs/pictures/{} is not what the tour makes", name.to_string_lossy()).into());
        }
    }
    Ok(())
}

/// What a command prints, standard error too.
fn run(command: &str, dir: &Path) -> Result<String, Failed> {
    let program = Path::new(env!("CARGO_BIN_EXE_isaglot"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().ok_or("no folder")?.display());
    let out = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .env("PATH", path)
        .current_dir(dir)
        .output()?;
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// Follows a page in a folder.
fn page(name: &str, dir: &Path) -> Result<(), Failed> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    let wanted = std::fs::read_to_string(&page)?;
    let (mut made, mut commands) = (String::new(), 0);
    let mut lines = wanted.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(made, "{line}");
        let Some(opening) = line.strip_prefix("```") else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
        if opening == "console" {
            for command in body.iter().filter_map(|l| l.strip_prefix("$ ")) {
                let _ = write!(made, "$ {command}\n{}", run(command, dir)?);
                commands += 1;
            }
        } else {
            let text: String = body.iter().map(|l| format!("{l}\n")).collect();
            made += &text;
            if let Some((_, name)) = opening.split_once(' ') {
                std::fs::write(dir.join(name), text)?;
            }
        }
        made += "```\n";
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&page, &made)?;
        return Ok(());
    }
    println!("{name}: {commands} commands");
    if made == wanted && commands > 0 {
        return Ok(());
    }
    let at = made.lines().zip(wanted.lines()).position(|(a, b)| a != b).unwrap_or(0);
    let got: Vec<&str> = made.lines().skip(at).take(5).collect();
    Err(format!("line {}: the page says otherwise than\n{}", at + 1, got.join("\n")).into())
}
