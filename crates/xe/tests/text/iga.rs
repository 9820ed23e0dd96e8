//! `iga64`, which assembles and disassembles files.

use std::process::Command;

use isaglot_xe::Platform;

/// The machines that the one of Debian knows.
pub(crate) const PLATFORMS: [Platform; 4] = [Platform::Xe, Platform::XeHp, Platform::XeHpg, Platform::XeHpc];

/// Runs it on a file; what it writes, or what it says.
fn run(platform: Platform, options: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let (from, to) = (dir.path().join("in"), dir.path().join("out"));
    std::fs::write(&from, input).map_err(|e| e.to_string())?;
    let mut command = Command::new("iga64");
    command.args(options).arg(format!("-p={}", platform.id())).arg(&from).arg("-o").arg(&to);
    let done = command.output().map_err(|e| e.to_string())?;
    if done.status.success() {
        std::fs::read(&to).map_err(|e| e.to_string())
    } else {
        Err(String::from_utf8_lossy(&done.stderr).into_owned())
    }
}

pub(crate) fn assemble(platform: Platform, text: &[u8], compact: bool) -> Result<Vec<u8>, String> {
    run(platform, if compact { &["-a", "-Xautocompact"] } else { &["-a"] }, text)
}

pub(crate) fn disassemble(platform: Platform, bytes: &[u8]) -> Result<Vec<u8>, String> {
    run(platform, &["-d"], bytes)
}
