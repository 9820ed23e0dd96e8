//! What the program is made of: CycloneDX 1.5, of the packages that `cargo metadata` says are linked for a target.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// The SBOM of the program. It has no serial number and no time, so that it is the same whenever it is made.
pub(super) fn cyclonedx(root: &Path, target: &str, version: &str) -> Result<String, String> {
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", target]).current_dir(root);
    let found: Value = serde_json::from_str(&super::output(&mut cargo)?).map_err(|e| e.to_string())?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages: BTreeMap<String, Value> =
        list(&found["packages"]).into_iter().map(|p| (p["id"].as_str().unwrap_or_default().to_owned(), p)).collect();
    let mut needs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for node in list(&found["resolve"]["nodes"]) {
        let of_program = |dep: &Value| {
            let kinds = list(&dep["dep_kinds"]);
            kinds.iter().any(|kind| kind["kind"].is_null()).then(|| dep["pkg"].as_str().unwrap_or_default().to_owned())
        };
        let deps = list(&node["deps"]).iter().filter_map(of_program).collect();
        needs.insert(node["id"].as_str().unwrap_or_default().to_owned(), deps);
    }
    let top = packages.iter().find(|(_, p)| p["name"] == "isaglot-cli").map(|(id, _)| id.clone());
    let top = top.ok_or("cargo metadata does not know isaglot-cli")?;
    let (mut reached, mut open) = (BTreeSet::new(), vec![top.clone()]);
    while let Some(id) = open.pop() {
        if reached.insert(id.clone()) {
            open.extend(needs.get(&id).into_iter().flatten().cloned());
        }
    }
    let reference = |id: &str| {
        let p = &packages[id];
        format!("pkg:cargo/{}@{}", p["name"].as_str().unwrap_or_default(), p["version"].as_str().unwrap_or_default())
    };
    let component = |id: &String| {
        let p = &packages[id];
        let mut row = json!({
            "type": "library", "bom-ref": reference(id), "name": p["name"], "version": p["version"], "purl": reference(id),
        });
        if let Some(licence) = p["license"].as_str() {
            row["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
        }
        row
    };
    let mut components: Vec<Value> = reached.iter().filter(|id| **id != top).map(component).collect();
    components.sort_by_key(|row| row["bom-ref"].to_string());
    let mut dependencies: Vec<Value> = reached
        .iter()
        .map(|id| {
            let on: BTreeSet<String> = needs.get(id).into_iter().flatten().map(|id| reference(id)).collect();
            json!({ "ref": reference(id), "dependsOn": on })
        })
        .collect();
    dependencies.sort_by_key(|row| row["ref"].to_string());
    let bom = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": { "component": {
            "type": "application", "bom-ref": reference(&top), "name": "isaglot", "version": version,
            "licenses": [{ "expression": "MIT OR Apache-2.0" }],
        } },
        "components": components, "dependencies": dependencies,
    });
    Ok(format!("{bom:#}\n"))
}
