//! Everything made a second time, of a copy of the sources in another folder with a target folder of its own: the bytes must be the same.
//!
//! The copy has what git tracks, as it is now. The chores run there as a program that is built there, so no path of the first folder is known to them.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Plan, below, output, succeed};

/// What differs, a line each.
pub(super) fn differences(plan: &Plan, names: &[&str], program: Option<&PathBuf>) -> Result<Vec<String>, String> {
    // Of another length than the first one's path, too.
    let top = plan.root.join("target/again");
    let copy = top.join("a-copy-of-isaglot");
    let _ = std::fs::remove_dir_all(&copy);
    copied(&plan.root, &copy)?;
    let second = top.join("dist");
    let _ = std::fs::remove_dir_all(&second);
    let mut cargo = Command::new("cargo");
    cargo.args([
        "xtask",
        "dist",
        "--only",
        &names.join(","),
        "--target",
        &plan.target,
        "--profile",
        &plan.profile,
        "-o",
    ]);
    cargo.arg(&second).current_dir(&copy);
    if let Some(program) = program {
        cargo.arg("--program").arg(program);
    }
    cargo.env("SOURCE_DATE_EPOCH", plan.time.to_string());
    for name in ["CARGO_TARGET_DIR", "CARGO_ENCODED_RUSTFLAGS", "CARGO_MANIFEST_DIR", crate::npm::PROGRAM] {
        cargo.env_remove(name);
    }
    succeed(&mut cargo)?;
    let found = compared(&plan.folder, &second)?;
    if found.is_empty() {
        println!("the same bytes when made again in {}", copy.display());
        std::fs::remove_dir_all(&top).map_err(|e| format!("{}: {e}", top.display()))?;
    }
    Ok(found)
}

/// Copies what git tracks.
fn copied(root: &Path, copy: &Path) -> Result<(), String> {
    let files = output(Command::new("git").args(["ls-files", "-z"]).current_dir(root))?;
    for name in files.split_terminator('\0') {
        let (from, to) = (root.join(name), copy.join(name));
        let failed = |e: std::io::Error| format!("{}: {e}", from.display());
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        match std::fs::symlink_metadata(&from) {
            #[cfg(unix)]
            Ok(kind) if kind.is_symlink() => {
                let target = std::fs::read_link(&from).map_err(failed)?;
                std::os::unix::fs::symlink(target, &to).map_err(failed)?;
            }
            Ok(_) => std::fs::copy(&from, &to).map(drop).map_err(failed)?,
            // Deleted, and not yet committed.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(failed(e)),
        }
    }
    Ok(())
}

/// The names of files that are in one folder alone or differ.
fn compared(first: &Path, second: &Path) -> Result<Vec<String>, String> {
    let (one, two) = (below(first, "")?, below(second, "")?);
    let mut found = Vec::new();
    for file in &one {
        match two.iter().find(|other| other.name == file.name) {
            None => found.push(format!("{}: not made again", file.name)),
            Some(other) if other.bytes != file.bytes => {
                found.push(format!("{}: other bytes in {}", file.name, second.display()));
            }
            Some(_) => {}
        }
    }
    let extra = two.iter().filter(|file| one.iter().all(|other| other.name != file.name));
    found.extend(extra.map(|file| format!("{}: made the second time alone", file.name)));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::compared;

    #[test]
    fn differences_are_named() {
        let folder = std::env::temp_dir().join(format!("isaglot-again-{}", std::process::id()));
        let (one, two) = (folder.join("one"), folder.join("two"));
        for (path, bytes) in [
            (one.join("a"), "1"),
            (two.join("a"), "1"),
            (one.join("b"), "1"),
            (two.join("b"), "2"),
            (one.join("c"), ""),
            (two.join("d"), ""),
        ] {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, bytes).expect("a file");
        }
        let found = compared(&one, &two).expect("two folders");
        let names: Vec<&str> = found.iter().filter_map(|line| line.split(':').next()).collect();
        assert_eq!(names, ["b", "c", "d"]);
        assert!(compared(&one, &one).expect("a folder").is_empty());
        std::fs::remove_dir_all(folder).expect("it is there");
    }
}
