//! The README beside generated code names the command that makes the same files.

use std::process::Command;

use isaglot_testing::Failed;

use crate::shell;

/// Commands that generate code into the folder `code`.
const COMMANDS: &[&str] = &[
    "isaglot gen c --isa minnow@v2 --prefix fish -o code",
    "isaglot gen c --spec specs/trio/trio.xml --tables -o code",
    "isaglot gen rust --spec specs/minnow/minnow.xml --gen v1 --feature=-mul --name fish -o code",
    "isaglot gen rust --isa trio --module -o code",
    "isaglot gen c --api isaspec --spec specs/trio/trio.xml --compat mesa-26 -o code",
    "isaglot gen c --spec examples/wren/wren.td --operands examples/wren/wren.operands --no-aliases -o code",
];

/// Runs each, then the command of its README, and compares all files.
pub(crate) fn by_its_own_command() -> Result<(), Failed> {
    for command in COMMANDS {
        let dir = shell::clone()?;
        let done = shell::run(command, dir.path())?;
        if !done.succeeded {
            return Err(format!("`{command}` failed: {}", done.printed).into());
        }
        let readme = std::fs::read_to_string(dir.path().join("code/README.md"))?;
        let named = readme.lines().find_map(|l| l.strip_prefix("    isaglot "));
        let named = format!("isaglot {}", named.ok_or(format!("`{command}`: the README names no command"))?);
        let done = shell::run(&named, dir.path())?;
        if !done.succeeded {
            return Err(format!("`{command}` names `{named}`, which failed: {}", done.printed).into());
        }
        let same = Command::new("diff").args(["-r", "code", "DIR"]).current_dir(dir.path()).output()?;
        if !same.status.success() {
            let what = String::from_utf8_lossy(&same.stdout).into_owned();
            return Err(format!("`{named}` does not make the files of `{command}`: {what}").into());
        }
    }
    Ok(())
}
