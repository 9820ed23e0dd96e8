//! The project's own chores, one file each: `cargo xtask api | tidy | bless | bench | c-library | dist | gen-hart | gen-riscv | import-spirv | npm | packages | wasm | wheel`.

mod api;
mod bench;
mod bless;
mod c_library;
mod dist;
mod gen_hart;
mod gen_riscv;
mod import_spirv;
mod npm;
mod packages;
mod tidy;
mod wasm;
mod wheel;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask CHORE

  tidy [--all]     check the conventions of CONTRIBUTING.md that a machine can check; --all: also those to come
  bless [ARGS]     run the tests with BLESS=1, so that goldens and ledgers are written anew; read the diff
  import-spirv DIR write the SPIR-V grammar table anew from a folder of Khronos grammar files
  gen-hart         write the executors of crates/hart anew from the semantics of specs/riscv
  gen-riscv DIR    write the generated files of specs/riscv anew from a folder of the Unified Database
  c-library PREFIX build the C library and install it there; --profile NAME before PREFIX: by another profile of cargo
  api              compare the public items of each crate with api/; BLESS=1: write those texts anew
  dist [--only NAMES] [--target TRIPLE] [--profile NAME] [--program FILE] [--test] [--again] [-o DIR]
                   make what is released: program,deb,c,wheel,npm; --test: install each in an empty place and try it;
                   --again: make all of it again in another folder and compare the bytes
  packages [--verify]
                   pack all crates, and run the programs of examples/depend built from the packages alone
  wheel [DIR]      build the Python wheel; --profile NAME: by another profile; --test: try it in an environment made anew
  npm [--quick] [--test]
                   make the npm package, target/npm/isaglot, and run its tests
  wasm [--quick] [--explorer] [--xe] [--spirv] [--all]   build the engine for JavaScript, target/wasm/isaglot.wasm; --explorer, --xe, --spirv: those of pages; --quick: larger and slower, and soon done
  bench [NAME]…    measure speed and print it as a table; without a name, everything; with --count, instructions only
";

fn main() -> ExitCode {
    if let Some(status) = api::as_rustdoc() {
        return status;
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or(&[]);
    let done = match args.first().map(String::as_str) {
        Some("tidy") => tidy::run(),
        Some("bless") => bless::run(rest),
        Some("import-spirv") => import_spirv::run(rest),
        Some("gen-hart") => gen_hart::run(rest),
        Some("gen-riscv") => gen_riscv::run(rest),
        Some("c-library") => c_library::run(rest),
        Some("api") => api::run(rest),
        Some("dist") => dist::run(rest),
        Some("packages") => packages::run(rest),
        Some("wheel") => wheel::run(rest),
        Some("npm") => npm::run(rest),
        Some("wasm") => wasm::run(rest),
        Some("bench") => bench::run(rest),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
