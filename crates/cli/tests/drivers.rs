//! The example of a driver, built by the build systems that it has files for: it prints what is expected, and a change in
//! a file that the description imports makes everything anew, which nothing but the depfile says.

use std::path::{Path, PathBuf};
use std::process::Command;

use isaglot_testing::{Failed, peer, suite, workspace};

fn main() {
    suite::run(vec![
        peer::trial("meson", &[peer::GCC, peer::MESON, peer::NINJA], || {
            build(&[&["meson", "setup", "build"]], &["meson", "compile", "-C", "build"])
        }),
        peer::trial("cmake_ninja", &[peer::GCC, peer::CMAKE, peer::NINJA], || {
            build(&[&["cmake", "-S", ".", "-B", "build", "-G", "Ninja"]], &["cmake", "--build", "build"])
        }),
        peer::trial("cmake_make", &[peer::GCC, peer::CMAKE, peer::MAKE], || {
            build(&[&["cmake", "-S", ".", "-B", "build", "-G", "Unix Makefiles"]], &["cmake", "--build", "build"])
        }),
    ])
}

fn build(prepare: &[&[&str]], make: &[&str]) -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let (project, tools) = (scratch.path().join("driver"), scratch.path().join("tools"));
    std::fs::create_dir(&project)?;
    std::fs::create_dir(&tools)?;
    for file in std::fs::read_dir(workspace().join("examples/driver"))? {
        let file = file?.path();
        std::fs::copy(&file, project.join(file.file_name().unwrap_or_default()))?;
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_isaglot"), tools.join("isaglot"))?;
    let run = |words: &[&str]| run(words, &project, &tools);
    for words in prepare {
        run(words)?;
    }
    run(make)?;
    let want = std::fs::read_to_string(project.join("expected.txt"))?;
    same("at first", &run(&["build/pond"])?, &want)?;
    // Nothing is made without a reason.
    let written = |name: &str| std::fs::metadata(project.join("build").join(name)).and_then(|m| m.modified());
    let before = written("pond-isa.c")?;
    run(make)?;
    if written("pond-isa.c")? != before {
        return Err("the files are made again although nothing has changed".into());
    }
    // A build system may compare times of whole seconds.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let imported = project.join("pond-common.xml");
    let text = std::fs::read_to_string(&imported)?;
    std::fs::write(&imported, text.replace("<display>r{NUM}", "<display>reg{NUM}"))?;
    run(make)?;
    let want = want.replace(" r", " reg");
    same("after the change", &run(&["build/pond"])?, &want)
}

fn same(when: &str, got: &str, want: &str) -> Result<(), Failed> {
    if got == want { Ok(()) } else { Err(format!("{when}:\n{got}instead of\n{want}").into()) }
}

/// Runs a command in the project, with our program on the path; what it prints.
fn run(words: &[&str], project: &Path, tools: &Path) -> Result<String, Failed> {
    let (program, arguments) = words.split_first().ok_or("no command")?;
    let program = if program.contains('/') { project.join(program) } else { PathBuf::from(program) };
    let mut path = tools.as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let out = Command::new(program).args(arguments).current_dir(project).env("PATH", path).output()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    if out.status.success() {
        return Ok(text);
    }
    Err(format!("{}: {}\n{text}{}", words.join(" "), out.status, String::from_utf8_lossy(&out.stderr)).into())
}
