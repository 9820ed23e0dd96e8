//! Builds the C library and installs it in a folder: headers, the shared and the static library, the file for pkg-config.
//!
//! cargo builds the static library alone, so that it is optimised as a whole; `crates/c/install.sh` links the shared one of it.

use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "expected: c-library [--profile NAME] PREFIX";

/// Builds by a profile of cargo, `c-library` without one, and installs in the folder that is named.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let (profile, prefix) = match args {
        [prefix] => ("c-library", prefix),
        [option, profile, prefix] if option == "--profile" => (profile.as_str(), prefix),
        _ => return Err(USAGE.to_owned()),
    };
    let prefix = std::path::absolute(prefix).map_err(|e| format!("{prefix}: {e}"))?;
    let root = crate::root();
    let mut cargo = Command::new("cargo");
    cargo.args(["rustc", "--package", "isaglot-c", "--lib", "--crate-type", "staticlib", "--profile", profile]);
    succeed(cargo.current_dir(&root))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let archive = target.join(folder(profile)).join("libisaglot_c.a");
    install(&root, &archive, &prefix)
}

/// Installs the library that is in an archive.
fn install(root: &Path, archive: &Path, prefix: &Path) -> Result<(), String> {
    let mut sh = Command::new("sh");
    succeed(sh.arg(root.join("crates/c/install.sh")).arg(archive).arg(env!("CARGO_PKG_VERSION")).arg(prefix))
}

/// The folder of what a profile builds.
fn folder(profile: &str) -> &str {
    if profile == "dev" { "debug" } else { profile }
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(e) => Err(format!("cannot run {name}: {e}")),
    }
}
