//! How the program is linked.
//!
//! Started as `spirv-as` on a file of some lines, nearly all of its time goes into starting. At a fixed address the
//! thousands of pointers in its constant tables need no relocation, and their pages need no copy: a fifth of the start.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let cfg = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if cfg("OS") == "linux" && cfg("ENV") == "gnu" && cfg("ARCH") == "x86_64" {
        println!("cargo::rustc-link-arg-bin=isaglot=-no-pie");
    }
}
