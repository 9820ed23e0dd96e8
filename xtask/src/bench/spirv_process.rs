//! SPIR-V: 300 modules of the corpus by the crate, in place of `spirv-as` as a process. The work is done by the example
//! `replace_spirv_as` of the crate, as anyone may do it over files of their own.

use std::io::Read as _;
use std::process::Command;

/// Modules.
const MODULES: usize = 300;

pub(crate) fn print() -> Result<(), String> {
    let folder = super::folder()?.join("spirv-process");
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(failed)?;
    }
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let rows = super::corpus()?.join("spirv/modules_extracted.jsonl.gz");
    let mut text = String::new();
    let open = std::fs::File::open(&rows);
    open.and_then(|file| flate2::read::GzDecoder::new(file).read_to_string(&mut text))
        .map_err(|e| format!("{}: {e}", rows.display()))?;
    // Whole modules, spread over the corpus.
    let modules: Vec<String> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()?["text"].as_str().map(str::to_owned))
        .filter(|text| text.contains("OpEntryPoint"))
        .collect();
    // An installed tool may be older than the corpus: what it refuses is not among the 300.
    let step = (modules.len() / MODULES / 2).max(1);
    let (mut number, mut refused) = (0, 0);
    for module in modules.iter().step_by(step) {
        if number == MODULES {
            break;
        }
        let path = folder.join(format!("{number:03}.spvasm"));
        std::fs::write(&path, module).map_err(failed)?;
        let mut tool = Command::new("spirv-as");
        let known = tool.args(["--target-env", "spv1.6", "-o", "/dev/null"]).arg(&path).output().map_err(failed)?;
        match known.status.success() {
            true => number += 1,
            false => refused += 1,
        }
    }
    if number < MODULES {
        std::fs::remove_file(folder.join(format!("{number:03}.spvasm"))).map_err(failed)?;
    }
    println!("{number} modules; {refused} others that the installed spirv-as does not know");
    let done = Command::new("cargo")
        .args(["run", "--release", "--quiet", "--package", "isaglot-spirv", "--example", "replace_spirv_as", "--"])
        .arg(&folder)
        .current_dir(crate::root())
        .status()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if done.success() { Ok(()) } else { Err("the example failed".to_owned()) }
}
