//! `cargo xtask wasm`: the engine as WebAssembly, for the npm package and for pages with the explorer.
//!
//! The problem: many machines have no toolchain for WebAssembly. The method: where the standard library for it is installed (`rustup
//! target add wasm32-unknown-unknown`), the toolchain at hand builds; otherwise Debian's packages `rustc-web`, `cargo-web`,
//! `rust-web-src` and `lld-19` do, which build the standard library as well. The result is made smaller by `wasm-opt` (Debian's
//! package `binaryen`) if that is there. Nothing else in the workspace needs any of this.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::root;

const TARGET: &str = "wasm32-unknown-unknown";

/// Debian's toolchain: its sources of the standard library have to be of its own version.
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_LINKER: &str = "wasm-ld-19";

/// A panic is a trap without a message: texts of panics would be a tenth of the file.
const FLAGS: &str = "-Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none";

/// What every engine has that runs WebAssembly (2022 and later), and what Rust's code needs.
const WASM_OPT: [&str; 5] = [
    "-Oz",
    "--enable-bulk-memory",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
];

/// An engine: where it goes, from the root, and what it has.
pub(crate) struct Engine {
    pub(crate) result: &'static str,
    /// Options of cargo.
    features: &'static [&'static str],
}

/// Of the npm package: it reads XML.
pub(crate) const PACKAGE: Engine = Engine { result: "target/wasm/isaglot.wasm", features: &[] };

/// Of pages with the explorer: they have a compiled description.
pub(crate) const EXPLORER: Engine = Engine {
    result: "target/wasm/isaglot-explorer.wasm",
    features: &["--no-default-features", "--features", "explore"],
};

/// Of pages about machines of Intel Xe, whose assembly has code of its own.
pub(crate) const XE: Engine =
    Engine { result: "target/wasm/isaglot-explorer-xe.wasm", features: &["--no-default-features", "--features", "xe"] };

/// Of pages about SPIR-V.
pub(crate) const SPIRV: Engine = Engine {
    result: "target/wasm/isaglot-explorer-spirv.wasm",
    features: &["--no-default-features", "--features", "spirv"],
};

/// Of all of them, for tests.
pub(crate) const ALL: Engine = Engine {
    result: "target/wasm/isaglot-explorer-all.wasm",
    features: &["--no-default-features", "--features", "spirv,xe"],
};

/// The most that the file may have.
const MAX_BYTES: u64 = 900_000;
const MAX_PACKED: u64 = 300_000;

/// Builds the engine of the package, or with `--explorer`, `--xe` and `--spirv` those of pages, or with `--all` one for tests that has all of it.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let (mut quick, mut engines) = (false, Vec::new());
    for arg in args {
        match arg.as_str() {
            "--quick" => quick = true,
            "--explorer" => engines.push(EXPLORER),
            "--xe" => engines.push(XE),
            "--spirv" => engines.push(SPIRV),
            "--all" => engines.push(ALL),
            _ => return Err("usage: cargo xtask wasm [--quick] [--explorer] [--xe] [--spirv] [--all]".to_owned()),
        }
    }
    if engines.is_empty() {
        engines.push(PACKAGE);
    }
    engines.iter().try_for_each(|engine| one(engine, quick))
}

/// Builds an engine, makes it smaller, and says how large it is.
fn one(engine: &Engine, quick: bool) -> Result<(), String> {
    let target = root().join("target/wasm");
    let built = build(&target, quick, engine.features)?;
    let result = root().join(engine.result);
    if !quick && is_there("wasm-opt") {
        let done = Command::new("wasm-opt").args(WASM_OPT).arg(&built).arg("-o").arg(&result).status();
        if !done.map_err(|e| format!("wasm-opt: {e}"))?.success() {
            return Err("wasm-opt failed".to_owned());
        }
    } else {
        fs::copy(&built, &result).map_err(|e| format!("{}: {e}", result.display()))?;
        println!("not made smaller: {}", if quick { "--quick" } else { "there is no wasm-opt" });
    }
    say(engine.result, &result, quick)
}

/// Builds the module and gives its path.
fn build(target: &Path, quick: bool, features: &[&str]) -> Result<PathBuf, String> {
    let mut cargo = if has_std() { Command::new("cargo") } else { debians()? };
    let profile = if quick { "quick" } else { "release" };
    let manifest = root().join("bindings/npm/engine/Cargo.toml");
    cargo.args(["build", "--profile", profile, "--target", TARGET, "--manifest-path"]).arg(manifest);
    // The versions of the workspace; what of them is not needed cargo takes out.
    let lock = root().join("bindings/npm/engine/Cargo.lock");
    fs::copy(root().join("Cargo.lock"), &lock).map_err(|e| format!("{}: {e}", lock.display()))?;
    cargo.args(features);
    let status = cargo.arg("--target-dir").arg(target).current_dir(root()).status();
    if !status.map_err(|e| format!("cargo: {e}"))?.success() {
        return Err("the engine was not built".to_owned());
    }
    Ok(target.join(TARGET).join(profile).join("isaglot_engine.wasm"))
}

/// Whether the toolchain at hand has the standard library for WebAssembly.
fn has_std() -> bool {
    let said = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let dir = said.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned()).unwrap_or_default();
    !dir.is_empty() && Path::new(&dir).is_dir()
}

/// Debian's, which builds the standard library too.
fn debians() -> Result<Command, String> {
    let linker = is_there(DEBIAN_LINKER);
    let sources = Path::new("/usr/lib/rustlib/src/rust/library/std").is_dir();
    if !(Path::new(DEBIAN_CARGO).is_file() && sources && linker) {
        return Err(format!(
            "no toolchain for {TARGET}: `rustup target add {TARGET}`, or Debian's packages rustc-web, cargo-web, \
             rust-web-src and lld-19"
        ));
    }
    let mut cargo = Command::new(DEBIAN_CARGO);
    // What cargo, which runs this, says of itself is about another toolchain.
    for name in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC_WRAPPER", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
        cargo.env_remove(name);
    }
    cargo.env("RUSTC", DEBIAN_RUSTC).env("RUSTC_BOOTSTRAP", "1");
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER);
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", FLAGS);
    cargo.args(["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"]);
    Ok(cargo)
}

fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// Says how large the file is, as it is and packed, and holds it against the bounds.
fn say(name: &str, path: &Path, quick: bool) -> Result<(), String> {
    let error = |e: std::io::Error| format!("{}: {e}", path.display());
    let bytes = fs::read(path).map_err(error)?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&bytes).map_err(error)?;
    let packed = packed.finish().map_err(error)?.len() as u64;
    let all = bytes.len() as u64;
    println!("{name}: {all} bytes, {packed} with gzip");
    if !quick && (all > MAX_BYTES || packed > MAX_PACKED) {
        println!("more than wanted: {MAX_BYTES} bytes, {MAX_PACKED} with gzip");
    }
    Ok(())
}
