//! The code map in ARCHITECTURE.md against the manifests.
//!
//! The map is a table of rows `| NAME | one sentence | uses |`. The last column lists the crates of the workspace that the
//! crate depends on itself, optional ones too, but not those of its tests and build script: exactly those of `Cargo.toml`.
//! `–` is none, and `all above` any of the rows above. A row may only use rows above it, so that arrows point one way.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::Repo;

const MAP: &str = "ARCHITECTURE.md";

/// A package of the workspace.
pub(super) struct Package {
    /// The name of its folder in `crates`, or `specs`.
    folder: String,
    /// The folders of those of them that it depends on.
    uses: BTreeSet<String>,
}

/// The packages in `crates`, and `specs`.
pub(super) fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let out = Command::new("cargo")
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    let data: serde_json::Value = serde_json::from_slice(&out.stdout)
        .map_err(|_| format!("cargo metadata: {}", String::from_utf8_lossy(&out.stderr)))?;
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let folder = |path: &serde_json::Value| {
        let path = Path::new(path.as_str()?).strip_prefix(root).ok()?;
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        match parts.as_slice() {
            [first, ..] if first == "specs" => Some(first.clone()),
            [first, folder, ..] if first == "crates" => Some(folder.clone()),
            _ => None,
        }
    };
    let package = |package: &serde_json::Value| {
        let own = |d: &serde_json::Value| folder(&d["path"]).filter(|_| d["kind"].is_null());
        Some(Package {
            folder: folder(&package["manifest_path"])?,
            uses: list(&package["dependencies"]).iter().filter_map(own).collect(),
        })
    };
    Ok(list(&data["packages"]).iter().filter_map(package).collect())
}

/// A row of the map: the crate, and what it uses; `None` for all above.
type Row = (String, Option<BTreeSet<String>>);

fn rows(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("| `")?.strip_suffix('|')?.split(" | ").collect();
        let [name, .., uses] = cells.as_slice() else { return None };
        let uses = match uses.trim() {
            "all above" => None,
            "–" => Some(BTreeSet::new()),
            list => Some(list.split(',').map(|name| name.trim().trim_matches('`').to_owned()).collect()),
        };
        Some((name.trim_end_matches('`').to_owned(), uses))
    };
    text.lines().skip_while(|l| *l != "## Code map").take_while(|l| *l != "## The model").filter_map(row).collect()
}

pub(super) fn check(repo: &Repo) -> Vec<String> {
    compare(&rows(repo.text(MAP)), &repo.packages)
}

fn compare(rows: &[Row], packages: &[Package]) -> Vec<String> {
    let mut findings = Vec::new();
    for package in packages {
        let name = &package.folder;
        let Some(at) = rows.iter().position(|row| row.0 == *name) else {
            findings.push(format!("{MAP}: crate `{name}` is not in the code map"));
            continue;
        };
        let join = |set: &BTreeSet<String>| match set.is_empty() {
            true => "–".to_owned(),
            false => set.iter().map(String::as_str).collect::<Vec<_>>().join(", "),
        };
        if let Some(stated) = &rows[at].1
            && *stated != package.uses
        {
            let uses = join(&package.uses);
            findings.push(format!("{MAP}: `{name}` uses by its Cargo.toml: {uses}; the map says: {}", join(stated)));
        }
        if package.uses.contains("testing") {
            findings.push(format!("crates/{name}: `testing` is for tests only, under `[dev-dependencies]`"));
        }
        let above = |used: &&String| !rows[..at].iter().any(|row| row.0 == **used);
        for used in package.uses.iter().filter(above) {
            findings.push(format!("{MAP}: `{name}` uses `{used}`, which is not above it"));
        }
    }
    let known = |row: &&Row| !packages.iter().any(|p| p.folder == row.0);
    findings.extend(rows.iter().filter(known).map(|row| format!("{MAP}: there is no crate `{}`", row.0)));
    findings
}

#[cfg(test)]
mod tests {
    use super::{BTreeSet, Package, compare, rows};

    const TEXT: &str = "## Code map\n| crate | one sentence | uses |\n|---|---|---|\n| `a` | One. | – |\n\
        | `b` | Two. | a |\n| `c` | Three. | all above |\n## The model\n";

    fn package(name: &str, uses: &[&str]) -> Package {
        Package { folder: name.to_owned(), uses: uses.iter().map(|&u| u.to_owned()).collect::<BTreeSet<_>>() }
    }

    #[test]
    fn arrows_are_compared() {
        let rows = rows(TEXT);
        let good = [package("a", &[]), package("b", &["a"]), package("c", &["a", "b"])];
        assert!(compare(&rows, &good).is_empty());
        let more = [package("a", &[]), package("b", &[]), package("c", &["b"]), package("d", &[])];
        assert_eq!(compare(&rows, &more).len(), 2);
        let up = [package("a", &["c"]), package("b", &["a"]), package("c", &[])];
        assert_eq!(compare(&rows, &up).len(), 2);
    }
}
