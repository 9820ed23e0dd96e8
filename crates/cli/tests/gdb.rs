//! `isaglot run --gdb` under a debugger.
//!
//! `tests/gdb/NAME.gdb` is a script for GDB. Its first line says the program beside it, then `rv32` and `rv64`, or one of them, and options
//! of `run`. What GDB and the run print is in `NAME.WIDTH.txt`. Each `tests/gdb/NAME.packets` is a conversation in the protocol itself, so
//! that no debugger is needed: its first line is the same, `> P` sends the packet `P`, `> ^C` sends that byte, `> ~TEXT` sends text as it
//! is, and `< P` is the packet that has to come; `…` at its end stands for the rest.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use isaglot_testing::{Failed, bless, peer, suite};

/// How programs are run: interpreted, and where that is there as machine code, with the same answers. An option, or nothing.
const WAYS: &[&str] = if cfg!(feature = "jit") { &["", "--jit"] } else { &[""] };

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gdb");
    let mut trials = Vec::new();
    for path in bless::cases(&folder, ".gdb") {
        for (width, &way) in
            widths(&path).into_iter().flat_map(|width| WAYS.iter().map(move |way| (width.clone(), way)))
        {
            let (name, path) = (name(&path, &width), path.clone());
            trials.push(peer::trial(format!("gdb_{name}{way}"), &[peer::GDB], move || script(&path, way, &width)));
        }
    }
    for path in bless::cases(&folder, ".packets") {
        for (width, &way) in
            widths(&path).into_iter().flat_map(|width| WAYS.iter().map(move |way| (width.clone(), way)))
        {
            let (name, path) = (name(&path, &width), path.clone());
            trials.push(peer::trial(format!("packets_{name}{way}"), &[], move || packets(&path, way, &width)));
        }
    }
    suite::run(trials);
}

fn first_line(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a case");
    text.lines().next().unwrap_or("").trim_start_matches(['#', ' ']).to_owned()
}

fn widths(path: &Path) -> Vec<String> {
    let line = first_line(path);
    line.split(' ').filter(|word| matches!(*word, "rv32" | "rv64")).map(str::to_owned).collect()
}

fn name(path: &Path, width: &str) -> String {
    format!("{}_{width}", path.file_stem().map(|s| s.to_string_lossy()).unwrap_or_default())
}

/// A run that waits, where it listens, and what else it says.
struct Run {
    child: Child,
    stderr: BufReader<ChildStderr>,
    address: String,
    dir: tempfile::TempDir,
    program: PathBuf,
}

fn start(path: &Path, way: &str, width: &str) -> Result<Run, Failed> {
    let line = first_line(path);
    let mut words = line.split(' ').filter(|word| !matches!(*word, "rv32" | "rv64"));
    let source = path.with_file_name(words.next().ok_or("no program")?);
    let dir = tempfile::tempdir()?;
    let program = dir.path().join("program.elf");
    let isaglot = env!("CARGO_BIN_EXE_isaglot");
    let isa = format!("{width}gc");
    let made = Command::new(isaglot).args(["asm", "--isa", &isa, "-o"]).arg(&program).arg(&source).output()?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into_owned().into());
    }
    let mut run = Command::new(isaglot);
    run.args(["run", "--gdb=0", "--isa", &isa])
        .args(Some(way).filter(|way| !way.is_empty()))
        .args(words)
        .arg("program.elf")
        .current_dir(dir.path());
    let mut child = run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut stderr = BufReader::new(child.stderr.take().ok_or("no output")?);
    let mut line = String::new();
    stderr.read_line(&mut line)?;
    let address = line.split_once("target remote ").and_then(|(_, rest)| rest.trim().strip_suffix('`'));
    let address = address.ok_or_else(|| format!("it does not listen: {line}"))?.to_owned();
    Ok(Run { child, stderr, address, dir, program })
}

/// All that a run has said, and its status.
fn end(mut run: Run) -> Result<String, Failed> {
    let (mut out, mut more) = (String::new(), String::new());
    if let Some(mut stdout) = run.child.stdout.take() {
        stdout.read_to_string(&mut out)?;
    }
    run.stderr.read_to_string(&mut more)?;
    let status = run.child.wait()?;
    drop(run.dir);
    Ok(format!("{out}{more}{status}\n"))
}

fn script(path: &Path, way: &str, width: &str) -> Result<(), Failed> {
    let run = start(path, way, width)?;
    let gdb = Command::new("gdb-multiarch")
        .args(["-nx", "-batch", "-ex", "set style enabled off", "-ex", "set pagination off", "-ex", "set width 0"])
        .args(["-ex", &format!("target remote {}", run.address), "-x"])
        .arg(path.file_name().ok_or("no name")?)
        .arg(&run.program)
        .current_dir(path.parent().ok_or("no folder")?)
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&gdb.stdout).into_owned() + &String::from_utf8_lossy(&gdb.stderr);
    let text = format!("{said}--- the run\n{}", end(run)?);
    bless::golden(&path.with_extension(format!("{width}.txt")), &text)?;
    Ok(())
}

fn packet(text: &str) -> Vec<u8> {
    let sum = text.bytes().fold(0_u8, u8::wrapping_add);
    format!("${text}#{sum:02x}").into_bytes()
}

/// The next packet; acknowledgements between packets are passed over.
fn answer(connection: &mut TcpStream) -> Result<String, Failed> {
    let mut text = Vec::new();
    let mut byte = [0];
    while byte != *b"$" {
        connection.read_exact(&mut byte)?;
    }
    loop {
        connection.read_exact(&mut byte)?;
        if byte == *b"#" {
            break;
        }
        text.push(byte[0]);
    }
    connection.read_exact(&mut [0; 2])?;
    connection.write_all(b"+")?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn packets(path: &Path, way: &str, width: &str) -> Result<(), Failed> {
    let run = start(path, way, width)?;
    let mut connection = TcpStream::connect(&run.address)?;
    connection.set_read_timeout(Some(PATIENCE))?;
    let text = std::fs::read_to_string(path)?;
    let mut told = String::new();
    for line in text.lines() {
        match line.split_at_checked(2) {
            Some(("> ", text)) => {
                let bytes = match text.strip_prefix('~') {
                    _ if text == "^C" => vec![3],
                    Some(raw) => raw.as_bytes().to_vec(),
                    None => packet(text),
                };
                // It may have closed the connection; what is not answered is seen below.
                let _ = connection.write_all(&bytes);
            }
            Some(("< ", wanted)) => {
                // One that has closed the connection says nothing more.
                let got = answer(&mut connection).unwrap_or_default();
                let is_it = wanted.strip_suffix('…').map_or(got == wanted, |start| got.starts_with(start));
                if !is_it {
                    return Err(format!("{line}\nbut it is\n< {got}").into());
                }
            }
            // How it ends.
            Some(("= ", wanted)) => told = wanted.to_owned(),
            _ => {}
        }
    }
    drop(connection);
    let said = end(run)?;
    if said.contains(&told) && !said.contains("panicked") {
        Ok(())
    } else {
        Err(format!("expected `{told}`:\n{said}").into())
    }
}
