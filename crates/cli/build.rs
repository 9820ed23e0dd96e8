//! How the program is linked.
//!
//! Started as `spirv-as` on a file of some lines, nearly all of its time goes into starting. At a fixed address the
//! thousands of pointers in its constant tables need no relocation, and their pages need no copy: a fifth of the start.
//! The dynamic linker takes another sixth for `libgcc_s`, of which the unwinder's dozen functions are used: where the C
//! compiler has them as an archive, that is linked in.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CC");
    let cfg = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if cfg("OS") == "linux" && cfg("ENV") == "gnu" && cfg("ARCH") == "x86_64" {
        println!("cargo::rustc-link-arg-bin=isaglot=-no-pie");
        link_archive("gcc_eh");
    }
}

/// Links `lib{library}.a` if the C compiler has it. It must come before the shared library of the same symbols, which
/// the standard library asks for at the end and `--as-needed` then leaves out.
fn link_archive(library: &str) {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let found = Command::new(compiler).arg(format!("-print-file-name=lib{library}.a")).output();
    let Some(path) = found.ok().and_then(|output| String::from_utf8(output.stdout).ok()) else { return };
    let path = Path::new(path.trim_end());
    if let (true, Some(folder)) = (path.is_absolute(), path.parent()) {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-lib=static:-bundle={library}");
    }
}
