//! `cargo xtask import-spirv DIR`: writes the SPIR-V grammar table anew from a folder of Khronos grammar files.

use std::path::Path;

use isaglot_spirv::grammar::{compile, import, table};

/// Reads the folder, writes `crates/spirv/grammar/spirv.table`, and says what the table holds.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let [dir] = args else { return Err("usage: cargo xtask import-spirv DIR".to_owned()) };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(Path::new(dir)).map_err(|e| format!("{dir}: {e}"))? {
        let path = entry.map_err(|e| format!("{dir}: {e}"))?.path();
        if let Some(name) = path.file_name().and_then(|n| n.to_str())
            && (name.ends_with(".grammar.json") || name == "spir-v.xml")
        {
            files.push((name.to_owned(), std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?));
        }
    }
    let model = import::import(files.iter().map(|(n, b)| (n.as_str(), b.as_slice()))).map_err(|problems| {
        let lines: Vec<&str> = problems.iter().map(|d| d.message.as_str()).collect();
        lines.join("\n")
    })?;
    compile::compile(&model)?;
    let out = crate::root().join("crates/spirv/grammar/spirv.table");
    std::fs::write(&out, table::write(&model)).map_err(|e| format!("{}: {e}", out.display()))?;
    let enumerants = || model.kinds.iter().filter(|k| !k.name.contains(':')).flat_map(|k| &k.enumerants);
    println!(
        "revision {}: {} opcodes + {} aliases, {} enumerants + {} aliases in {} kinds, {} extended sets, {} generators",
        model.revision,
        model.ops.len(),
        model.ops.iter().map(|o| o.when.aliases.len()).sum::<usize>(),
        enumerants().count(),
        enumerants().map(|e| e.when.aliases.len()).sum::<usize>(),
        model.kinds.iter().filter(|k| !k.name.contains(':')).count(),
        model.sets.len(),
        model.vendors.len(),
    );
    Ok(())
}
