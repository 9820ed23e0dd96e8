//! Gives the shared library the name by which programs load it, as `install.sh` does for the one that it links.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let major = std::env::var("CARGO_PKG_VERSION_MAJOR").unwrap_or_default();
    if ["android", "freebsd", "linux", "netbsd", "openbsd"].contains(&os.as_str()) {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libisaglot.so.{major}");
    } else if os == "macos" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libisaglot.{major}.dylib");
    }
}
