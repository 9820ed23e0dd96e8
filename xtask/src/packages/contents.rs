//! What is in a package, and what its manifest says.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::Package;

/// Bytes of a packed crate. The largest is well below; test data would go above it.
const MAX_PACKED: u64 = 256_000;

/// What each package has to have.
const FILES: [&str; 4] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// What its manifest has to say.
const SAID: [&str; 7] = ["description", "documentation", "homepage", "license", "readme", "repository", "rust_version"];

/// Looks at a package, and unpacks it below `folder`. Gives its size in bytes.
pub(super) fn check(
    package: &Package,
    archive: &Path,
    folder: &Path,
    findings: &mut Vec<String>,
) -> Result<u64, String> {
    let name = &package.name;
    let failed = |e: std::io::Error| format!("{}: {e}", archive.display());
    let mut bytes = Vec::new();
    File::open(archive).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(failed)?;
    let mut unpacked = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
    // Cargo writes one time for all files; a build after a change would take them for the old ones.
    unpacked.set_preserve_mtime(false);
    unpacked.unpack(folder).map_err(failed)?;
    let top = folder.join(package.stem());
    let names = names(&top, "").map_err(failed)?;
    for file in FILES.iter().filter(|file| !names.contains(**file)) {
        findings.push(format!("{name}: its package has no {file}"));
    }
    for file in names.iter().filter(|file| file.starts_with("tests/")) {
        findings.push(format!("{name}: its package has {file}, which is for tests"));
    }
    let size = bytes.len() as u64;
    if size > MAX_PACKED {
        findings.push(format!("{name}: {size} bytes packed, more than {MAX_PACKED}"));
    }
    said(package, findings);
    Ok(size)
}

/// The paths of the files below a folder.
fn names(folder: &Path, prefix: &str) -> std::io::Result<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.file_type()?.is_dir() {
            true => all.extend(names(&entry.path(), &format!("{name}/"))?),
            false => drop(all.insert(name)),
        }
    }
    Ok(all)
}

/// What crates.io asks of a manifest, and what people look for there.
fn said(package: &Package, findings: &mut Vec<String>) {
    let (name, manifest) = (&package.name, &package.manifest);
    for key in SAID.iter().filter(|key| manifest[**key].as_str().is_none_or(str::is_empty)) {
        findings.push(format!("{name}: its manifest does not say `{key}`"));
    }
    let list = |key: &str| -> Vec<String> {
        let all = manifest[key].as_array().into_iter().flatten();
        all.filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let (keywords, categories) = (list("keywords"), list("categories"));
    let is_fine = |word: &String| word.len() <= 20 && word.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !(1..=5).contains(&keywords.len()) || !keywords.iter().all(is_fine) {
        findings.push(format!("{name}: one to five keywords of at most 20 characters; there are {keywords:?}"));
    }
    if !(1..=5).contains(&categories.len()) {
        findings.push(format!("{name}: one to five categories; there are {categories:?}"));
    }
    if manifest["metadata"]["docs"]["rs"].is_null() {
        findings
            .push(format!("{name}: [package.metadata.docs.rs] is missing, so docs.rs shows the default features only"));
    }
    // A crate that is published with a dependency on one that is not cannot be built by others; cargo drops those of tests
    // that have a path alone.
    for dependency in manifest["dependencies"].as_array().into_iter().flatten() {
        let (path, kind) = (dependency["path"].as_str(), dependency["kind"].as_str());
        let versioned = dependency["req"].as_str() != Some("*");
        match (path, kind) {
            (Some(_), Some("dev")) if versioned => findings.push(format!(
                "{name}: `{}` of its tests has a version, so it would have to be published first: name its path alone",
                dependency["name"]
            )),
            (Some(_), None | Some("build")) if !versioned => {
                findings.push(format!("{name}: `{}` has no version", dependency["name"]));
            }
            _ => {}
        }
    }
}
