//! `cargo xtask dist`: what a release consists of, made for one machine: the archive and the Debian package of the program, the C library, the
//! Python wheel, the npm tarball, an SBOM, and the sums of all.
//!
//! The invariant: the same sources and the same tools give the same bytes. Entries of archives are sorted and have one time (`SOURCE_DATE_EPOCH`, or that of
//! the last commit), and paths of this machine are mapped to fixed ones; `--again` shows it. What cannot be made is an error that says so, after all
//! else is made.

mod again;
mod pack;
mod sbom;
mod tries;

use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

const USAGE: &str =
    "expected: dist [--only NAMES] [--target TRIPLE] [--profile NAME] [--program FILE] [--test] [--again] [-o DIR]
NAMES are some of program,deb,c,wheel,npm, with commas; --program packs a program that is built already;
--again makes everything a second time, of a copy of the sources in another folder, and compares the bytes";

/// The version of everything that is released together.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The machine that is built for, unless another one is asked for: a program that needs nothing of the system.
const TARGET: &str = "x86_64-unknown-linux-musl";

/// The most bytes that a program for release may have.
const MAX_PROGRAM: usize = 12_000_000;

/// Something that is made: its name for `--only`, and what makes it.
type Part = (&'static str, fn(&Plan) -> Result<(), String>);

/// What is made, in order.
const PARTS: [Part; 5] = [("program", program), ("deb", deb), ("c", c), ("wheel", wheel), ("npm", npm)];

/// What is to be made.
struct Plan {
    root: PathBuf,
    target: String,
    profile: String,
    /// The program, as soon as it is there.
    binary: PathBuf,
    folder: PathBuf,
    /// Seconds since 1970.
    time: u64,
    test: bool,
}

/// Makes the parts that are asked for, all without `--only`.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let (mut only, mut target, mut profile, mut test) = (None, TARGET.to_owned(), "release".to_owned(), false);
    let (mut given, mut folder, mut again) = (None, None, false);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().cloned().ok_or(USAGE);
        match arg.as_str() {
            "--only" => only = Some(value()?),
            "--target" => target = value()?,
            "--profile" => profile = value()?,
            "--program" => given = Some(value()?),
            "-o" => folder = Some(value()?),
            "--test" => test = true,
            "--again" => again = true,
            _ => return Err(USAGE.to_owned()),
        }
    }
    let root = crate::root();
    let names: Vec<&str> =
        only.as_deref().map_or(PARTS.iter().map(|part| part.0).collect(), |n| n.split(',').collect());
    if let Some(name) = names.iter().find(|name| PARTS.iter().all(|part| part.0 != **name)) {
        return Err(format!("nothing is called {name}\n{USAGE}"));
    }
    let absolute = |path: &Path| std::path::absolute(path).map_err(|e| format!("{}: {e}", path.display()));
    let folder = absolute(folder.map_or_else(|| root.join("target/dist"), PathBuf::from).as_path())?;
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut plan = Plan { time: time(&root)?, target, profile, binary: PathBuf::new(), folder, test, root };
    if names.iter().any(|name| ["program", "deb"].contains(name)) {
        plan.binary = given.as_ref().map_or_else(|| built(&plan), |path| absolute(Path::new(path)))?;
    }
    let mut failed = Vec::new();
    for (name, make) in PARTS.iter().filter(|part| names.contains(&part.0)) {
        if let Err(e) = make(&plan) {
            failed.push(format!("{name}: {e}"));
        }
    }
    sums(&plan.folder)?;
    if failed.is_empty() && again {
        failed.extend(again::differences(&plan, &names, given.is_some().then_some(&plan.binary))?);
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// The time that files in archives have.
fn time(root: &Path) -> Result<u64, String> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root))?,
    };
    text.trim().parse().map_err(|e| format!("SOURCE_DATE_EPOCH: {e}"))
}

/// Options of the compiler, as cargo takes them in `CARGO_ENCODED_RUSTFLAGS`: paths of this machine do not get into what is built.
fn flags(plan: &Plan, more: &[&str]) -> Result<String, String> {
    let home = std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| home + "/.cargo"));
    let home = home.map_err(|e| format!("CARGO_HOME: {e}"))?;
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let mapped =
        [(plan.root.display().to_string(), "/isaglot"), (home, "/cargo"), (sysroot.trim().to_owned(), "/rust")];
    let mut flags: Vec<String> = mapped.iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}")).collect();
    flags.extend(more.iter().map(|&flag| flag.to_owned()));
    Ok(flags.join("\x1f"))
}

/// How the program for musl is linked: by the linker that comes with Rust, which keeps one of functions that are alike, and without
/// tables for unwinding.
fn linking(plan: &Plan) -> Result<Vec<String>, String> {
    if plan.profile != "release" || !plan.target.ends_with("linux-musl") {
        return Ok(Vec::new());
    }
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let programs = format!("{}/lib/rustlib/{}/bin/gcc-ld", sysroot.trim(), host()?);
    let args = ["-fuse-ld=lld", "-Wl,--icf=all", "-Wl,--no-eh-frame-hdr", "-Wl,-T,xtask/src/dist/small.ld"];
    Ok([format!("-B{programs}")]
        .into_iter()
        .chain(args.map(str::to_owned))
        .map(|arg| format!("-Clink-arg={arg}"))
        .collect())
}

/// Builds the program.
fn built(plan: &Plan) -> Result<PathBuf, String> {
    let is_static = plan.target.ends_with("linux-gnu") && std::env::var_os("ISAGLOT_DYNAMIC").is_none();
    let flags = flags(plan, if is_static { &["-Ctarget-feature=+crt-static"] } else { &[] })?;
    let mut cargo = Command::new("cargo");
    cargo.args(["rustc", "--locked", "--package", "isaglot-cli", "--bin", "isaglot", "--profile", &plan.profile]);
    cargo.args(["--target", &plan.target, "--"]).args(linking(plan)?);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags).env("CARGO_INCREMENTAL", "0").current_dir(&plan.root);
    succeed(&mut cargo)?;
    let folder = if plan.profile == "dev" { "debug" } else { &plan.profile };
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| plan.root.join("target"), PathBuf::from);
    let path = target.join(&plan.target).join(folder).join(name(&plan.target));
    let binary = read(&path)?;
    println!("{}: {} bytes", path.display(), binary.len());
    if plan.profile == "release" && binary.len() > MAX_PROGRAM {
        return Err(format!("the program has {} bytes; {MAX_PROGRAM} are the most", binary.len()));
    }
    if (is_static || plan.target.ends_with("linux-musl")) && !pack::is_static(&binary) {
        return Err(format!("{} needs files of the system", path.display()));
    }
    Ok(path)
}

fn name(target: &str) -> &'static str {
    if target.contains("windows") { "isaglot.exe" } else { "isaglot" }
}

/// The archive of the program, and the SBOM.
fn program(plan: &Plan) -> Result<(), String> {
    let bom = sbom::cyclonedx(&plan.root, &plan.target, VERSION)?;
    write(&plan.folder.join(format!("isaglot-{VERSION}-{}.cdx.json", plan.target)), bom.as_bytes())?;
    let top = format!("isaglot-{VERSION}-{}", plan.target);
    let mut files = common(plan)?;
    files.push(pack::Entry::program(name(&plan.target), read(&plan.binary)?));
    files.push(pack::Entry::file("sbom.cdx.json", bom.into_bytes()));
    for file in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        files.push(pack::Entry::file(file, read(&plan.root.join(file))?));
    }
    files.extend(below(&plan.root.join("schemas"), "schemas")?);
    files.iter_mut().for_each(|file| file.name = format!("{top}/{}", file.name));
    let (ending, bytes) = match plan.target.contains("windows") {
        true => ("zip", pack::zip(files)?),
        false => ("tar.gz", pack::tar_gz(files, plan.time)?),
    };
    let path = plan.folder.join(format!("{top}.{ending}"));
    write(&path, &bytes)?;
    if plan.test { tries::archive(plan, &path, &top) } else { Ok(()) }
}

/// What the program itself writes: manual pages and completions. They are the same for every target, so a program that runs here
/// makes them where the one that is packed does not.
fn common(plan: &Plan) -> Result<Vec<pack::Entry>, String> {
    let runs = starts(&plan.binary);
    let program = |args: &[&str]| {
        let mut command = Command::new(&plan.binary);
        if !runs {
            command = Command::new("cargo");
            command.args(["run", "--quiet", "--package", "isaglot-cli", "--"]).current_dir(&plan.root);
        }
        command.args(args);
        command
    };
    let pages = plan.folder.join(".man");
    let _ = std::fs::remove_dir_all(&pages);
    succeed(program(&["man", "-o"]).arg(&pages))?;
    let mut files = below(&pages, "man/man1")?;
    std::fs::remove_dir_all(&pages).map_err(|e| format!("{}: {e}", pages.display()))?;
    for (shell, file) in [
        ("bash", "isaglot.bash"),
        ("elvish", "isaglot.elv"),
        ("fish", "isaglot.fish"),
        ("powershell", "_isaglot.ps1"),
        ("zsh", "_isaglot"),
    ] {
        let text = output(&mut program(&["completions", shell]))?;
        files.push(pack::Entry::file(&format!("completions/{file}"), text.into_bytes()));
    }
    Ok(files)
}

/// Whether a program runs on this machine.
fn starts(program: &Path) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success())
}

/// The Debian package of the program.
fn deb(plan: &Plan) -> Result<(), String> {
    let Some(machine) =
        [("x86_64", "amd64"), ("aarch64", "arm64")].iter().find(|(cpu, _)| plan.target.starts_with(cpu))
    else {
        return Err(format!("Debian has no name for {}", plan.target));
    };
    let mut files = Vec::new();
    for mut file in common(plan)? {
        file.name = match file.name.rsplit_once('/') {
            Some(("man/man1", page)) => format!("usr/share/man/man1/{page}"),
            Some(("completions", "isaglot.bash")) => "usr/share/bash-completion/completions/isaglot".to_owned(),
            Some(("completions", "isaglot.fish")) => "usr/share/fish/vendor_completions.d/isaglot.fish".to_owned(),
            Some(("completions", "_isaglot")) => "usr/share/zsh/vendor-completions/_isaglot".to_owned(),
            _ => continue,
        };
        files.push(file);
    }
    let binary = read(&plan.binary)?;
    let depends = if pack::is_static(&binary) { "" } else { "Depends: libc6\n" };
    files.push(pack::Entry::program("usr/bin/isaglot", binary));
    let copyright = format!(
        "Isaglot {VERSION}: MIT or Apache-2.0, as you like.\n\n{}\n{}",
        text(&plan.root.join("LICENSE-MIT"))?,
        text(&plan.root.join("LICENSE-APACHE"))?
    );
    files.push(pack::Entry::file("usr/share/doc/isaglot/copyright", copyright.into_bytes()));
    files.push(pack::Entry::file("usr/share/doc/isaglot/changelog.md", read(&plan.root.join("CHANGELOG.md"))?));
    files.extend(below(&plan.root.join("schemas"), "usr/share/isaglot/schemas")?);
    let size = files.iter().map(|file| file.bytes.len().div_ceil(1024)).sum::<usize>();
    let control = format!(
        "Package: isaglot\nVersion: {VERSION}\nArchitecture: {}\nMaintainer: The Isaglot authors <isaglot@example.org>\nInstalled-Size: {size}\n\
         {depends}Section: devel\nPriority: optional\nHomepage: {}\nDescription: every tool for an instruction set from one description\n \
         A disassembler, an assembler, listings with dataflow, explanations of words,\n and proofs, from isaspec XML, LLVM's TableGen, \
         RISC-V's published formats and\n the SPIR-V grammar. RISC-V, Intel Xe and SPIR-V are built in.\n",
        machine.1,
        env!("CARGO_PKG_REPOSITORY"),
    );
    let path = plan.folder.join(format!("isaglot_{VERSION}_{}.deb", machine.1));
    write(&path, &pack::deb(&control, files, plan.time)?)?;
    if plan.test { tries::deb(plan, &path) } else { Ok(()) }
}

/// The C library: headers, both libraries, the file for pkg-config.
fn c(plan: &Plan) -> Result<(), String> {
    let top = format!("isaglot-c-{VERSION}-{}", host()?);
    let prefix = plan.folder.join(".c");
    let _ = std::fs::remove_dir_all(&prefix);
    let profile = if plan.profile == "release" { "c-library" } else { &plan.profile };
    chore(plan, &["c-library", "--profile", profile], &[&prefix])?;
    let mut files = below(&prefix, &top)?;
    std::fs::remove_dir_all(&prefix).map_err(|e| format!("{}: {e}", prefix.display()))?;
    for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files.push(pack::Entry::file(&format!("{top}/{file}"), read(&plan.root.join(file))?));
    }
    let path = plan.folder.join(format!("{top}.tar.gz"));
    write(&path, &pack::tar_gz(files, plan.time)?)?;
    if plan.test { tries::c(plan, &path, &top) } else { Ok(()) }
}

/// The Python wheel.
fn wheel(plan: &Plan) -> Result<(), String> {
    let profile = ["wheel", "--profile", &plan.profile];
    chore(plan, &profile, &[&plan.folder])?;
    if plan.test { tries::wheel(plan, &newest(&plan.folder, ".whl")?) } else { Ok(()) }
}

/// The npm tarball.
fn npm(plan: &Plan) -> Result<(), String> {
    let package = plan.root.join("target/npm/isaglot");
    chore(plan, if plan.profile == "release" { &["npm"] } else { &["npm", "--quick"] }, &[])?;
    let mut npm = Command::new("npm");
    succeed(npm.args(["pack", "--silent", "--pack-destination"]).arg(&plan.folder).current_dir(&package))?;
    if plan.test { tries::npm(&newest(&plan.folder, ".tgz")?) } else { Ok(()) }
}

/// Runs another chore of this program.
fn chore(plan: &Plan, args: &[&str], paths: &[&Path]) -> Result<(), String> {
    let xtask = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(xtask);
    command.args(args).args(paths).current_dir(&plan.root).env("SOURCE_DATE_EPOCH", plan.time.to_string());
    command.env("CARGO_ENCODED_RUSTFLAGS", flags(plan, &[])?);
    if starts(&plan.binary) {
        command.env(crate::npm::PROGRAM, &plan.binary);
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        // Wrong usage.
        Ok(status) if status.code() == Some(2) => Err(format!("there is no chore `{}` yet", args.join(" "))),
        Ok(status) => Err(format!("cargo xtask {}: {status}", args.join(" "))),
        Err(e) => Err(e.to_string()),
    }
}

/// The sums of all files, in the form of `sha256sum`.
fn sums(folder: &Path) -> Result<(), String> {
    let mut text = String::new();
    for file in below(folder, "")?.into_iter().filter(|file| file.name != "SHA256SUMS") {
        let sum: String = Sha256::digest(&file.bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        text += &format!("{sum}  {}\n", file.name);
    }
    write(&folder.join("SHA256SUMS"), text.as_bytes())?;
    print!("{text}");
    Ok(())
}

/// The file of a kind in a folder.
fn newest(folder: &Path, ending: &str) -> Result<PathBuf, String> {
    let mut found = below(folder, "")?.into_iter().map(|file| file.name).filter(|name| name.ends_with(ending));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(folder.join(one)),
        (None, _) => Err(format!("no {ending} was made")),
        (Some(a), Some(b)) => Err(format!("{a} and {b}: begin with an empty folder")),
    }
}

/// The files in a folder and below it, sorted, with their names after a prefix.
fn below(folder: &Path, prefix: &str) -> Result<Vec<pack::Entry>, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = if prefix.is_empty() { file } else { format!("{prefix}/{file}") };
        let kind = std::fs::symlink_metadata(&path).map_err(failed)?;
        if kind.is_dir() {
            all.extend(below(&path, &name)?);
        } else if kind.is_symlink() {
            let target = std::fs::read_link(&path).map_err(failed)?;
            all.push(pack::Entry::link(&name, &target.to_string_lossy()));
        } else {
            all.push(pack::Entry::file(&name, read(&path)?));
        }
    }
    Ok(all)
}

/// The machine that this runs on.
fn host() -> Result<String, String> {
    let text = output(Command::new("rustc").arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not say its host".to_owned())
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// What a command prints.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let out = command.output().map_err(|e| format!("cannot run {name}: {e}"))?;
    if !out.status.success() {
        return Err(format!("{name}: {}\n{}", out.status, String::from_utf8_lossy(&out.stderr)));
    }
    String::from_utf8(out.stdout).map_err(|e| format!("{name}: {e}"))
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(e) => Err(format!("cannot run {name}: {e}")),
    }
}

#[cfg(test)]
mod tests {
    use saphyr_parser::Parser;

    use super::PARTS;

    /// The files that a hosting service runs: they are YAML, and what they ask of this program exists.
    #[test]
    fn workflows_ask_for_what_there_is() {
        let root = crate::root();
        let mut files = vec![root.join("action.yml")];
        for entry in std::fs::read_dir(root.join(".github/workflows")).expect("the folder of workflows").flatten() {
            files.push(entry.path());
        }
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a workflow");
            for event in Parser::new_from_str(&text) {
                assert!(event.is_ok(), "{}: {event:?}", file.display());
            }
            for line in text.lines() {
                let words: Vec<&str> = line.split_whitespace().collect();
                let chore = words.windows(3).find(|w| w[0] == "cargo" && w[1] == "xtask").map(|w| w[2]);
                let known = crate::USAGE.lines().any(|l| l.split_whitespace().next() == chore);
                assert!(chore.is_none() || known, "{}: {line}", file.display());
                let parts = words.windows(2).find(|w| w[0] == "--only" || w[0] == "parts:").map(|w| w[1]);
                for part in
                    parts.filter(|p| !p.starts_with('$')).into_iter().flat_map(|p| p.trim_matches('"').split(','))
                {
                    assert!(PARTS.iter().any(|known| known.0 == part), "{}: {line}", file.display());
                }
            }
        }
    }
}
