//! `cargo xtask packages`: what a registry would get works alone.
//!
//! The problem: in the workspace everything is found, so a file outside of a package, a missing licence or a feature that another
//! crate switches on is seen only after publishing. The invariant: from the packed `.crate` files and the crates of others, and
//! nothing else, the programs of `examples/depend` build and print what they should. The method: pack all, look at each package,
//! unpack them into an empty folder, put them in the place of crates.io there, and run. `--verify` also builds every package
//! alone, as `cargo publish` does.

mod consumers;
mod contents;

use std::hash::{Hash as _, Hasher as _};
use std::path::PathBuf;
use std::process::Command;

use crate::root;

/// A package that is for the registry.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// What its manifest says, as `cargo metadata` gives it.
    pub(crate) manifest: serde_json::Value,
}

impl Package {
    /// What its archive is called, without the ending.
    fn stem(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// Where cargo puts its archive.
    fn archive(&self) -> PathBuf {
        target().join("package").join(self.stem() + ".crate")
    }
}

/// Where cargo builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The packages of the workspace that are not kept from registries.
pub(crate) fn published() -> Result<Vec<Package>, String> {
    let data = metadata(&["--no-deps"])?;
    let packages = data["packages"].as_array().cloned().unwrap_or_default();
    let kept = |package: &serde_json::Value| package["publish"].as_array().is_some_and(Vec::is_empty);
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let package = |manifest: serde_json::Value| Package {
        name: text(&manifest["name"]),
        version: text(&manifest["version"]),
        manifest,
    };
    Ok(packages.into_iter().filter(|p| !kept(p)).map(package).collect())
}

/// Crates of others, of the lock file, that need a newer compiler than ours say they need.
fn others_are_old_enough(packages: &[Package]) -> Result<Vec<String>, String> {
    let version = |text: &str| -> Vec<u32> { text.split('.').filter_map(|n| n.parse().ok()).take(2).collect() };
    let ours = packages.iter().filter_map(|p| p.manifest["rust_version"].as_str()).map(version).min();
    let names: Vec<&str> = packages.iter().map(|p| p.name.as_str()).collect();
    // What packages need, not what the project's own chores and tests need.
    let out = Command::new("cargo")
        .args(["tree", "--offline", "--prefix=none", "--edges=normal,build", "--target=all", "--format={p}"])
        .args(names.iter().flat_map(|name| ["--package", *name]))
        .current_dir(root())
        .output()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    let used = String::from_utf8_lossy(&out.stdout).into_owned();
    let used: std::collections::BTreeSet<(&str, &str)> = used
        .lines()
        .filter_map(|line| line.split_once(" v"))
        .map(|(name, rest)| (name, rest.split(' ').next().unwrap_or(rest)))
        .collect();
    let data = metadata(&[])?;
    let all = data["packages"].as_array().into_iter().flatten();
    let used = all.filter(|p| used.contains(&(p["name"].as_str().unwrap_or(""), p["version"].as_str().unwrap_or(""))));
    let newer = used.filter(|p| p["rust_version"].as_str().is_some_and(|v| Some(version(v)) > ours));
    Ok(newer.map(|p| format!("{} needs Rust {}, more than ours say", p["name"], p["rust_version"])).collect())
}

/// What `cargo metadata` says.
fn metadata(arguments: &[&str]) -> Result<serde_json::Value, String> {
    let out = Command::new("cargo")
        .args(["metadata", "--offline", "--format-version", "1"])
        .args(arguments)
        .current_dir(root())
        .output()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    serde_json::from_slice(&out.stdout).map_err(|_| format!("cargo metadata: {}", String::from_utf8_lossy(&out.stderr)))
}

/// An empty folder outside of the workspace. It has the same name each time, so that what cargo builds there takes the place of
/// what it built before.
fn empty_folder() -> Result<PathBuf, String> {
    let mut name = std::hash::DefaultHasher::new();
    root().hash(&mut name);
    let folder = std::env::temp_dir().join(format!("isaglot-packages-{:016x}", name.finish()));
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(failed)?;
    }
    std::fs::create_dir_all(&folder).map_err(failed)?;
    Ok(folder)
}

/// Runs cargo, whose output is shown where it fails.
fn cargo(command: &mut Command) -> Result<(), String> {
    let out = command.output().map_err(|e| format!("cannot run cargo: {e}"))?;
    match out.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}\n{}", String::from_utf8_lossy(&out.stderr))),
    }
}

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let verify = match args {
        [] => false,
        [all] if all == "--verify" => true,
        _ => return Err("packages [--verify]".to_owned()),
    };
    let packages = published()?;
    let mut pack = Command::new("cargo");
    pack.args(["package", "--offline", "--allow-dirty", "--quiet"]).current_dir(root());
    pack.args(if verify { None } else { Some("--no-verify") });
    packages.iter().for_each(|package| {
        pack.args(["--package", &package.name]);
    });
    cargo(&mut pack)?;
    let there = empty_folder()?;
    let (mut findings, mut total) = (Vec::new(), 0);
    for package in &packages {
        total += contents::check(package, &package.archive(), &there, &mut findings)?;
    }
    println!("{} packages, {} kB packed", packages.len(), total / 1000);
    findings.extend(others_are_old_enough(&packages)?);
    if !findings.is_empty() {
        findings.iter().for_each(|finding| eprintln!("{finding}"));
        return Err(format!("{} findings", findings.len()));
    }
    consumers::run(&packages, &there)
}
