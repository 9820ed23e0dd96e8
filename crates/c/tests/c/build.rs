//! Compiles and runs programs of C and C++ with the installed library, and says what they printed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use isaglot_testing::Failed;

use crate::header::{WARNINGS, folder};
use crate::install::prefix;

/// What a program is watched for while it runs.
pub(crate) const SANITIZE: [&str; 3] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"];

/// A compiler with the standard that it is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Compiler {
    pub(crate) name: &'static str,
    pub(crate) standard: &'static str,
}

pub(crate) const GCC: Compiler = Compiler { name: "gcc", standard: "c99" };
pub(crate) const CLANG: Compiler = Compiler { name: "clang", standard: "c99" };
pub(crate) const GXX: Compiler = Compiler { name: "g++", standard: "c++11" };
pub(crate) const CLANGXX: Compiler = Compiler { name: "clang++", standard: "c++11" };

/// Which of the two libraries a program is linked with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Library {
    Shared,
    Static,
}

/// Compiles a program with the flags that pkg-config gives.
pub(crate) fn compile(
    compiler: Compiler,
    source: &Path,
    library: Library,
    flags: &[&str],
    name: &str,
) -> Result<PathBuf, Failed> {
    let prefix = prefix()?;
    let made = prefix.with_file_name(format!("c-{name}"));
    let mut asked = Command::new("pkg-config");
    asked.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(["--cflags", "--libs", "isaglot"]);
    if library == Library::Static {
        asked.arg("--static");
    }
    let said = run(&mut asked, "")?;
    let mut command = Command::new(compiler.name);
    command.arg(format!("-std={}", compiler.standard)).args(WARNINGS).args(flags).arg("-D_POSIX_C_SOURCE=200809L");
    command.arg(source).arg("-o").arg(&made).arg("-pthread");
    for word in said.split_whitespace() {
        // pkg-config knows one name for both libraries, and linkers take the shared one first.
        let is_static = library == Library::Static && word == "-lisaglot";
        command.arg(if is_static { "-l:libisaglot.a" } else { word });
    }
    let mut path = std::ffi::OsString::from("-Wl,-rpath,");
    path.push(prefix.join("lib"));
    run(command.arg(path), "")?;
    Ok(made)
}

/// The driver of the tests.
pub(crate) fn driver() -> PathBuf {
    folder().join("tests/c/driver.c")
}

/// A program of `examples/c`.
pub(crate) fn example(name: &str) -> PathBuf {
    isaglot_testing::workspace().join("examples/c").join(name)
}

/// What a program prints. It may take as long as it needs: under valgrind, and beside others, that is minutes.
pub(crate) fn run(command: &mut Command, input: &str) -> Result<String, Failed> {
    let name = format!("{command:?}");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| format!("{name}: {e}"))?;
    let pipe = child.stdin.take();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        // A program that does not read its input closes the pipe, which is no failure.
        let _ = pipe.map(|mut pipe| std::io::Write::write_all(&mut pipe, input.as_bytes()));
    });
    let done = child.wait_with_output().map_err(|e| format!("{name}: {e}"))?;
    let _ = writer.join();
    let said = String::from_utf8_lossy(&done.stderr);
    if !done.status.success() {
        return Err(format!("{name}: {}\n{said}", done.status).into());
    }
    print!("{said}");
    Ok(String::from_utf8(done.stdout)?)
}
