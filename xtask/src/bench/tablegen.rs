//! TableGen beside `llvm-tblgen-19`: the largest targets of the corpus, printed as records and as JSON, and a small
//! input. The archive is unpacked once, under the folder of benchmarks.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Row;

const PEER: &str = "llvm-tblgen-19";

/// Name, file below the unpacked root, its records, folders to search, and what is printed of it.
type Input = (&'static str, &'static str, u64, &'static [&'static str], &'static [&'static str]);

const RECORDS: &str = "--print-records";
const JSON: &str = "--dump-json";
const NULL: &str = "--null-backend";

const LLVM: &str = "llvm/include";

/// llvm-tblgen takes 15 GB for the JSON of AMDGPU; that row comes last.
const INPUTS: &[Input] = &[
    ("RISCV", "llvm/lib/Target/RISCV/RISCV.td", 131_883, &[LLVM, "llvm/lib/Target/RISCV"], &[RECORDS, JSON]),
    ("X86", "llvm/lib/Target/X86/X86.td", 68_688, &[LLVM, "llvm/lib/Target/X86"], &[RECORDS, JSON]),
    ("AArch64", "llvm/lib/Target/AArch64/AArch64.td", 60_202, &[LLVM, "llvm/lib/Target/AArch64"], &[RECORDS, JSON]),
    ("ARM", "llvm/lib/Target/ARM/ARM.td", 38_716, &[LLVM, "llvm/lib/Target/ARM"], &[RECORDS, JSON]),
    ("clang Options", "clang/include/clang/Driver/Options.td", 1, &["clang/include", LLVM], &[RECORDS]),
    ("AMDGPU", "llvm/lib/Target/AMDGPU/AMDGPU.td", 107_351, &[LLVM, "llvm/lib/Target/AMDGPU"], &[NULL, RECORDS, JSON]),
];

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let root = unpacked()?;
    let at = |path: &str| root.join(path).display().to_string();
    let mut rows = Vec::new();
    for &(name, file, units, folders, modes) in INPUTS {
        for &mode in modes {
            let mut args: Vec<String> = folders.iter().map(|dir| format!("-I{}", at(dir))).collect();
            args.extend([at(file), mode.to_owned()]);
            args.extend(["-o", "/dev/null"].map(str::to_owned));
            let peer = std::iter::once(PEER.to_owned()).chain(args.iter().cloned()).collect();
            args.insert(0, "tblgen".to_owned());
            rows.push(Row { name: format!("{name} {mode}"), args, units, count: false, peer: Some(peer) });
        }
    }
    Ok(rows)
}

/// The root of LLVM's tree.
pub(super) fn unpacked() -> Result<PathBuf, String> {
    let root = super::folder()?.join("tablegen");
    if !root.join(LLVM).is_dir() {
        unpack(&super::corpus()?.join("tablegen/td.tar.xz"), &root)?;
    }
    Ok(root)
}

pub(super) fn unpack(archive: &Path, root: &Path) -> Result<(), String> {
    std::fs::create_dir_all(root).map_err(|e| format!("{}: {e}", root.display()))?;
    let done = Command::new("tar").arg("-xJf").arg(archive).arg("-C").arg(root).status();
    match done {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("tar could not unpack {}", archive.display())),
        Err(e) => Err(format!("cannot run tar: {e}")),
    }
}
