//! Each artefact installed where nothing else of ours is, and the README's first example run there.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Plan, output, pack, read, succeed, text};

/// An empty folder that goes when it is dropped.
struct Empty(PathBuf);

impl Empty {
    fn new(name: &str) -> Result<Empty, String> {
        let path = std::env::temp_dir().join(format!("isaglot-dist-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Empty(path))
    }
}

impl Drop for Empty {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The first command of a README with all that it prints.
fn example(readme: &str) -> Result<(Vec<String>, String), String> {
    let block = readme.split("```console\n").nth(1).and_then(|rest| rest.split("```").next());
    let mut lines = block.ok_or("the README has no example")?.lines();
    let command =
        lines.next().and_then(|line| line.strip_prefix("$ isaglot ")).ok_or("the README's example is not ours")?;
    let mut words = Vec::new();
    for (n, part) in command.split('\'').enumerate() {
        match n % 2 {
            1 => words.push(part.to_owned()),
            _ => words.extend(part.split_whitespace().map(str::to_owned)),
        }
    }
    Ok((words, lines.take_while(|line| !line.starts_with("$ ")).map(|line| format!("{line}\n")).collect()))
}

/// Runs the example by an installed program, and without anything else of the system where the program needs nothing.
fn runs(plan: &Plan, root: &Path, program: &str) -> Result<(), String> {
    let (words, expected) = example(&text(&plan.root.join("README.md"))?)?;
    let alone = pack::is_static(&read(&root.join(program))?)
        && Command::new("chroot")
            .arg(root)
            .arg(format!("/{program}"))
            .arg("--version")
            .output()
            .is_ok_and(|o| o.status.success());
    let mut command = if alone { Command::new("chroot") } else { Command::new(root.join(program)) };
    if alone {
        command.arg(root).arg(format!("/{program}"));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let got = output(command.args(words).env_clear().env("PATH", path).current_dir(root))?;
    if got != expected {
        return Err(format!("the README's example prints\n{got}in place of\n{expected}"));
    }
    let how = if alone { "with nothing else in its root" } else { "in an empty folder" };
    println!("tried: {program} {how}");
    Ok(())
}

/// Unpacks the archive and runs the program in it.
pub(super) fn archive(plan: &Plan, path: &Path, top: &str) -> Result<(), String> {
    let empty = Empty::new("archive")?;
    match path.extension().is_some_and(|ending| ending == "zip") {
        // A reader that is not the writer's library.
        true => succeed(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(path).arg(&empty.0))?,
        false => succeed(Command::new("tar").arg("-xzf").arg(path).arg("-C").arg(&empty.0))?,
    }
    for file in ["man/man1/isaglot.1", "completions/isaglot.bash", "schemas/README.md", "LICENSE-MIT", "sbom.cdx.json"]
    {
        read(&empty.0.join(top).join(file))?;
    }
    let program = super::name(&plan.target);
    if read(&empty.0.join(top).join(program))? != read(&plan.binary)? {
        return Err("the program in the archive is another one".to_owned());
    }
    if plan.target.contains("windows") && !cfg!(windows) {
        println!("not tried: {program}, which does not run on this machine; its archive was read back");
        return Ok(());
    }
    runs(plan, &empty.0.join(top), program)
}

/// Installs the package in an empty root, by `dpkg` where that is.
pub(super) fn deb(plan: &Plan, path: &Path) -> Result<(), String> {
    let empty = Empty::new("deb")?;
    for folder in ["var/lib/dpkg/info", "var/lib/dpkg/updates"] {
        std::fs::create_dir_all(empty.0.join(folder)).map_err(|e| e.to_string())?;
    }
    for file in ["var/lib/dpkg/status", "var/lib/dpkg/available"] {
        super::write(&empty.0.join(file), b"")?;
    }
    let mut dpkg = Command::new("dpkg");
    let mut root = std::ffi::OsString::from("--root=");
    root.push(&empty.0);
    // The C library of a program that is not static is not in that root.
    dpkg.arg(root).args(["--force-not-root", "--force-depends", "--force-script-chrootless", "--log=/dev/null", "-i"]);
    succeed(dpkg.arg(path).stdout(std::process::Stdio::null()))?;
    read(&empty.0.join("usr/share/man/man1/isaglot.1"))?;
    runs(plan, &empty.0, "usr/bin/isaglot")
}

/// Compiles the first example against the installed library and runs it.
pub(super) fn c(plan: &Plan, path: &Path, top: &str) -> Result<(), String> {
    let empty = Empty::new("c")?;
    succeed(Command::new("tar").arg("-xzf").arg(path).arg("-C").arg(&empty.0))?;
    let prefix = empty.0.join(top);
    let source = "#include <isaglot.h>\n#include <stdio.h>\nint main(void) { puts(isaglot_version()); return 0; }\n";
    super::write(&empty.0.join("version.c"), source.as_bytes())?;
    let mut flags = Command::new("pkg-config");
    flags
        .args(["--define-prefix", "--cflags", "--libs", "isaglot"])
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    let flags = output(&mut flags)?;
    let mut cc = Command::new("cc");
    cc.args(["-Wall", "-Wextra", "-Werror", "version.c", "-o", "version"]).args(flags.split_whitespace());
    succeed(cc.current_dir(&empty.0))?;
    let said = output(Command::new(empty.0.join("version")).env("LD_LIBRARY_PATH", prefix.join("lib")))?;
    if said.trim() != super::VERSION {
        return Err(format!("the library says {said}, not {}", super::VERSION));
    }
    println!("tried: the C library of {} in {top}", plan.folder.display());
    Ok(())
}

/// The first program of a language in a README.
fn first(readme: &Path, language: &str) -> Result<String, String> {
    let page = text(readme)?;
    let block = page.split(&format!("```{language}\n")).nth(1).and_then(|rest| rest.split("```").next());
    block.map(str::to_owned).ok_or_else(|| format!("{}: no example in {language}", readme.display()))
}

/// Installs the wheel in a new environment.
pub(super) fn wheel(plan: &Plan, path: &Path) -> Result<(), String> {
    let empty = Empty::new("wheel")?;
    let python = crate::wheel::environment(&empty.0.join("venv"), true)?.join("python");
    succeed(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--no-index"]).arg(path))?;
    let program = first(&plan.root.join("bindings/python/README.md"), "python")?;
    super::write(&empty.0.join("example.py"), program.as_bytes())?;
    succeed(Command::new(&python).arg("example.py").current_dir(&empty.0))?;
    println!("tried: the wheel in a new environment");
    Ok(())
}

/// Installs the tarball in an empty folder.
pub(super) fn npm(path: &Path) -> Result<(), String> {
    let empty = Empty::new("npm")?;
    let mut npm = Command::new("npm");
    succeed(npm.args(["install", "--silent", "--offline", "--no-audit", "--no-fund"]).arg(path).current_dir(&empty.0))?;
    let program = first(&empty.0.join("node_modules/isaglot/README.md"), "js")?;
    super::write(&empty.0.join("example.mjs"), program.as_bytes())?;
    succeed(Command::new("node").arg("example.mjs").current_dir(&empty.0))?;
    println!("tried: the npm package in an empty folder");
    Ok(())
}
