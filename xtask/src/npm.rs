//! `cargo xtask npm`: the npm package as a folder, `target/npm/isaglot`, out of `bindings/npm`, the engine, and the descriptions that come
//! with it. Nothing that is made goes into the sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{root, wasm};

/// Where the package is made, from the root.
const PACKAGE: &str = "target/npm/isaglot";

/// The descriptions that come with the package.
const SHIPPED: [&str; 3] = ["minnow", "riscv", "trio"];

/// What compiles the types of the package.
const TYPESCRIPT: &str = "typescript@5";

/// Names a program `isaglot` that is built already, for what needs one.
pub(crate) const PROGRAM: &str = "ISAGLOT_PROGRAM";

/// What is copied as it is: files of `bindings/npm`, and of the root.
const FILES: [&str; 6] = ["README.md", "engine.js", "index.d.ts", "node.js", "package.json", "web.js"];
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Makes the folder; with `--test` its tests are run too, and with `--quick` the engine is one that is soon built.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let (mut quick, mut test) = (Vec::new(), false);
    for arg in args {
        match arg.as_str() {
            "--quick" => quick = vec![arg.clone()],
            "--test" => test = true,
            _ => return Err("usage: cargo xtask npm [--quick] [--test]".to_owned()),
        }
    }
    wasm::run(&quick)?;
    let (root, package) = (root(), root().join(PACKAGE));
    if package.is_dir() {
        fs::remove_dir_all(&package).map_err(|e| format!("{}: {e}", package.display()))?;
    }
    fs::create_dir_all(package.join("isa")).map_err(|e| format!("{}: {e}", package.display()))?;
    let sources = root.join("bindings/npm");
    for name in FILES {
        copy(&sources.join(name), &package.join(name))?;
    }
    for name in LICENCES {
        copy(&root.join(name), &package.join(name))?;
    }
    copy(&root.join(wasm::PACKAGE.result), &package.join("isaglot.wasm"))?;
    for name in SHIPPED {
        let out = package.join(format!("isa/{name}.isa"));
        let mut program = std::env::var_os(PROGRAM).map_or_else(|| Command::new("cargo"), Command::new);
        if program.get_program() == "cargo" {
            program.args(["run", "--quiet", "--package", "isaglot-cli", "--"]);
        }
        program.args(["compile", "--isa", name, "-o"]).arg(out);
        done(program.current_dir(&root), "isaglot compile")?;
    }
    println!("{PACKAGE}: the package; `npm pack` there makes the tarball");
    if test { tests(&root, &package) } else { Ok(()) }
}

/// The compiler of TypeScript, which the test of the types runs: the one that is installed, or else one of npm's registry, which goes into
/// `target/npm`. Without either that test is skipped, and says so.
fn typescript(root: &Path) -> PathBuf {
    let is_there = Command::new("tsc").arg("--version").output().is_ok_and(|out| out.status.success());
    let folder = root.join("target/npm/tools");
    let ours = folder.join("node_modules/.bin/tsc");
    if !is_there && !ours.exists() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund", TYPESCRIPT, "--prefix"]).arg(&folder);
        if let Err(e) = done(&mut npm, "npm install") {
            println!("there is no tsc: {e}");
        }
    }
    if is_there { PathBuf::from("tsc") } else { ours }
}

/// Runs the tests of the package in its folder.
fn tests(root: &Path, package: &Path) -> Result<(), String> {
    let dir = package.join("test");
    fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join("bindings/npm/test")).map_err(|e| format!("bindings/npm/test: {e}"))? {
        let path = entry.map_err(|e| format!("bindings/npm/test: {e}"))?.path();
        let Some(name) = path.file_name() else { continue };
        copy(&path, &dir.join(name))?;
        if name.to_string_lossy().ends_with(".test.js") {
            names.push(dir.join(name));
        }
    }
    names.sort();
    // The tests run the program that is there, in the root.
    let mut node = Command::new("node");
    node.arg("--test").args(names).env("ISAGLOT_ROOT", root).env("ISAGLOT_TSC", typescript(root)).current_dir(package);
    done(&mut node, "node --test")
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(drop).map_err(|e| format!("{}: {e}", from.display()))
}

fn done(command: &mut Command, what: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what}: {status}")),
        Err(e) => Err(format!("{what}: {e}")),
    }
}
