//! The library as `install.sh` installs it, from the archive that cargo built for this test.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use isaglot_testing::peer::{self, Peer};
use isaglot_testing::{Failed, bless};

use crate::build::run;
use crate::header::{self, folder, functions};

/// What installing needs beside GCC: `install.sh` links ELF files.
pub(crate) const ELF: Peer = Peer {
    name: "a system with ELF files",
    probe: || if cfg!(target_os = "linux") { Ok(()) } else { Err("this is another system".to_owned()) },
};

/// The folder that the library is installed in.
pub(crate) fn prefix() -> Result<PathBuf, Failed> {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    DONE.get_or_init(install).clone().map_err(Failed::from)
}

fn install() -> Result<PathBuf, String> {
    if bless::wanted() {
        // What is installed is written anew first.
        header::is_written().and_then(|()| header::map()).map_err(|e| format!("{e:?}"))?;
    }
    let test = std::env::current_exe().map_err(|e| e.to_string())?;
    let archive = test.with_file_name("libisaglot_c.a");
    let prefix = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("c-library");
    let mut sh = Command::new("sh");
    sh.arg(folder().join("install.sh")).arg(archive).arg(env!("CARGO_PKG_VERSION")).arg(&prefix).env("CC", "gcc");
    run(&mut sh, "").map(|_| prefix).map_err(|e| format!("{e:?}"))
}

/// The shared library has the symbols that the header declares, each with its version, and no others; and the name by which
/// programs load it.
pub(crate) fn symbols() -> Result<(), Failed> {
    let library = prefix()?.join("lib/libisaglot.so");
    let listed = peer::output(Command::new("nm").args(["-D", "--defined-only", "--format=posix"]).arg(&library), "")?;
    let version = format!("ISAGLOT_{}", env!("CARGO_PKG_VERSION_MAJOR"));
    let mut got: Vec<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    got.sort_unstable();
    let mut expected: Vec<String> = functions()?.iter().map(|name| format!("{name}@@{version}")).collect();
    // The version itself is a symbol.
    expected.push(version);
    expected.sort_unstable();
    if got != expected {
        return Err(format!("symbols are {got:?}").into());
    }
    let head = peer::output(Command::new("objdump").arg("-p").arg(&library), "")?;
    let name = format!("libisaglot.so.{}", env!("CARGO_PKG_VERSION_MAJOR"));
    let is_named = head.lines().any(|l| l.split_whitespace().eq(["SONAME", name.as_str()]));
    if is_named { Ok(()) } else { Err(format!("the library is not called {name}").into()) }
}
