//! Builds the Python wheel, and with `--test` tries it where nothing of ours is but the wheel: in a virtual environment that is made
//! anew, with pytest, the examples of the docstrings, and the types beside the module.
//!
//! Tools for Python (maturin, pytest, mypy) come from PyPI, into `target/python`.

use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "expected: wheel [--profile NAME] [--test] [DIR]";

/// What builds and tests.
const TOOLS: [&str; 4] = ["maturin>=1.7,<2", "mypy>=1.8,<3", "pytest>=8,<10", "pip"];

/// Builds by a profile of cargo, `release` without one, into a folder, `target/wheels` without one.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let (mut profile, mut test, mut folder) = ("release", false, None);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--profile" => profile = args.next().ok_or(USAGE)?,
            "--test" => test = true,
            other if !other.starts_with('-') && folder.is_none() => folder = Some(other),
            _ => return Err(USAGE.to_owned()),
        }
    }
    let root = crate::root();
    let target = root.join("target/python");
    let folder = folder.map_or_else(|| root.join("target/wheels"), PathBuf::from);
    let folder = std::path::absolute(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let tools = environment(&target.join("tools"), false)?;
    pip(&tools, &TOOLS)?;
    // Only what is built now is in the folder that is tried.
    let made = target.join("wheel");
    let _ = std::fs::remove_dir_all(&made);
    let mut maturin = Command::new(tools.join("maturin"));
    maturin.args(["build", "--profile", profile, "--out"]).arg(&made);
    maturin.current_dir(root.join("bindings/python")).env("CARGO_TARGET_DIR", &target);
    succeed(&mut maturin)?;
    let wheel = only_file(&made)?;
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let name = wheel.file_name().unwrap_or_default();
    std::fs::copy(&wheel, folder.join(name)).map_err(|e| format!("{}: {e}", folder.display()))?;
    println!("{}", folder.join(name).display());
    if test { try_it(&root, &target, &wheel) } else { Ok(()) }
}

/// Installs the wheel where nothing else is, and runs what tries it.
fn try_it(root: &Path, target: &Path, wheel: &Path) -> Result<(), String> {
    let fresh = environment(&target.join("fresh"), true)?;
    pip(&fresh, &[&wheel.display().to_string(), "pytest>=8,<10", "mypy>=1.8,<3"])?;
    let bindings = root.join("bindings/python");
    let program = program(root)?;
    let mut pytest = Command::new(fresh.join("python"));
    pytest.args(["-m", "pytest", "-p", "no:cacheprovider"]).arg(bindings.join("tests"));
    pytest.current_dir(target).env(crate::npm::PROGRAM, program);
    succeed(&mut pytest)?;
    let mut mypy = Command::new(fresh.join("python"));
    mypy.args(["-m", "mypy", "--strict", "--cache-dir"]).arg(target.join("mypy"));
    succeed(mypy.arg(bindings.join("tests")).current_dir(target))?;
    // The types that are declared are those of the module that is installed.
    let mut stubs = Command::new(fresh.join("python"));
    stubs.args(["-m", "mypy.stubtest", "isaglot", "--mypy-config-file"]).arg(bindings.join("pyproject.toml"));
    stubs.arg("--allowlist").arg(bindings.join("tests/stubs.allow"));
    succeed(stubs.env("MYPY_CACHE_DIR", target.join("mypy")).current_dir(target))
}

/// The program that the wheel is compared with.
fn program(root: &Path) -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os(crate::npm::PROGRAM) {
        return Ok(PathBuf::from(given));
    }
    let mut cargo = Command::new("cargo");
    succeed(cargo.args(["build", "-p", "isaglot-cli"]).current_dir(root))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("debug/isaglot"))
}

/// A virtual environment, made if it is missing or to be `fresh`: the folder of its programs.
pub(crate) fn environment(folder: &Path, fresh: bool) -> Result<PathBuf, String> {
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    if fresh || !programs.is_dir() {
        let mut python = Command::new("python3");
        succeed(python.args(["-m", "venv", "--clear"]).arg(folder))?;
    }
    Ok(programs)
}

fn pip(programs: &Path, packages: &[&str]) -> Result<(), String> {
    let mut pip = Command::new(programs.join("python"));
    succeed(pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages))
}

/// The one file of a folder.
fn only_file(folder: &Path) -> Result<PathBuf, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    match (files.pop(), files.len()) {
        (Some(file), 0) => Ok(file),
        _ => Err(format!("{}: expected one wheel", folder.display())),
    }
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(e) => Err(format!("cannot run {name}: {e}")),
    }
}
