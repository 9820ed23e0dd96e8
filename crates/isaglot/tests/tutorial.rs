//! `docs/xext-tutorial.md` as a newcomer follows it: its files are written, its commands run in order in one folder, and
//! what they print is what the page says. A block that opens with a language and a file name is that file; a block
//! `console` is commands behind `$ ` and their output. `BLESS=1` writes the output anew. Without the compiler and z3 the
//! test is reported as ignored.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};

const TOOLS: [&str; 2] = ["riscv64-linux-gnu-gcc", "z3"];

fn main() {
    let starts =
        |tool: &&str| Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    let missing = std::env::var_os("ISAGLOT_REQUIRE_PEERS").is_none() && !TOOLS.iter().all(starts);
    if missing {
        println!("tutorial: {} are not all there", TOOLS.join(", "));
    }
    let trial = Trial::test("tutorial_xext", tutorial).with_ignored_flag(missing);
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit();
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

fn tutorial() -> Result<(), Failed> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/xext-tutorial.md");
    let wanted = std::fs::read_to_string(&page)?;
    let dir = tempfile::tempdir()?;
    let (mut made, mut commands) = (String::new(), 0);
    let mut lines = wanted.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(made, "{line}");
        let Some(opening) = line.strip_prefix("```") else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
        if opening == "console" {
            for command in body.iter().filter_map(|l| l.strip_prefix("$ ")) {
                let _ = write!(made, "$ {command}\n{}", run(command, dir.path())?);
                commands += 1;
            }
        } else {
            let text: String = body.iter().map(|l| format!("{l}\n")).collect();
            made += &text;
            if let Some((_, name)) = opening.split_once(' ') {
                std::fs::write(dir.path().join(name), text)?;
            }
        }
        made += "```\n";
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&page, &made)?;
        return Ok(());
    }
    println!("tutorial: {commands} commands");
    if made == wanted && commands > 0 {
        return Ok(());
    }
    let at = made.lines().zip(wanted.lines()).position(|(a, b)| a != b).unwrap_or(0);
    let got: Vec<&str> = made.lines().skip(at).take(5).collect();
    Err(format!("line {}: the page says otherwise than\n{}", at + 1, got.join("\n")).into())
}
