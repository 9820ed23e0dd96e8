//! The explorer as one who asks feels it: a word after the other over one connection on the loopback, each answered before
//! the next is sent. What counts is the slowest of a hundred; beside it stands what the server itself works for an answer,
//! which other programs on the machine do not change.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Words that are asked for each description.
const WORDS: usize = 10_000;

/// A description, the arguments that choose it, and the width of its words.
const DESCRIPTIONS: &[(&str, &[&str], u32)] = &[
    ("minnow", &["--isa", "minnow"], 32),
    ("RISC-V", &["--isa", "rv64gc_zba_zbb_zbs_xext"], 32),
    ("Xe", &["--isa", "xe", "--gen", "xehpc"], 128),
    ("ir3", &["{isaspec}/ir3/ir3.xml", "--gen", "600"], 64),
    ("afuc", &["{isaspec}/afuc/afuc.xml", "--gen", "6"], 32),
    ("etnaviv", &["{isaspec}/etnaviv/etnaviv.xml"], 128),
];

/// Prints the times of answers of every description.
pub(crate) fn print() -> Result<(), String> {
    let isaspec: PathBuf = super::corpus()?.join("isaspec/xml");
    println!("| explore: answers to {WORDS} words | median ms | p99 ms | slowest ms | server's work an answer, ms |");
    println!("|---|---|---|---|---|");
    for (name, args, bits) in DESCRIPTIONS {
        let args = args.iter().map(|a| a.replace("{isaspec}", &isaspec.display().to_string()));
        let (mut times, work) = times(&args.collect::<Vec<_>>(), *bits)?;
        times.sort_unstable();
        let at =
            |share: usize| times.get((times.len() * share / 100).min(times.len() - 1)).copied().unwrap_or_default();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!("| {name} | {:.2} | {:.2} | {:.2} | {:.3} |", ms(at(50)), ms(at(99)), ms(at(100)), ms(work));
    }
    Ok(())
}

/// Ends the server with the measurement.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The time of each answer, and the mean of what the server worked.
fn times(args: &[String], bits: u32) -> Result<(Vec<Duration>, Duration), String> {
    let fail = |e: std::io::Error| format!("explore: {e}");
    let mut child =
        Command::new(super::program()).arg("explore").args(args).stdout(Stdio::piped()).spawn().map_err(fail)?;
    let out = child.stdout.take();
    let server = Server(child);
    let mut line = String::new();
    BufReader::new(out.ok_or("explore: no output")?).read_line(&mut line).map_err(fail)?;
    let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let stream = TcpStream::connect(&address).map_err(fail)?;
    stream.set_nodelay(true).map_err(fail)?;
    let mut stream = BufReader::new(stream);
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    let mut times = Vec::with_capacity(WORDS);
    let mut before = Duration::ZERO;
    for n in 0..=WORDS {
        let mut hex = String::new();
        for _ in 0..bits.div_ceil(64) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            hex += &format!("{x:016x}");
        }
        hex.truncate(bits as usize / 4);
        let request = format!("GET /api/ask?q=0x{hex} HTTP/1.1\r\nHost: {address}\r\n\r\n");
        let start = Instant::now();
        stream.get_mut().write_all(request.as_bytes()).map_err(fail)?;
        answer(&mut stream).map_err(fail)?;
        // The first answer waits for the description to be read.
        if n > 0 {
            times.push(start.elapsed());
        } else {
            before = worked(&server.0)?;
        }
    }
    Ok((times, (worked(&server.0)? - before) / WORDS as u32))
}

/// The time that a process has run, in itself and in the kernel.
fn worked(child: &Child) -> Result<Duration, String> {
    let path = format!("/proc/{}/stat", child.id());
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
    // After the name, which may hold anything but ends with the last bracket, the times are the 12th and 13th.
    let rest = text.rsplit(')').next().unwrap_or("");
    let ticks: u64 = rest.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<u64>().ok()).sum();
    // Linux counts hundredths of a second here, whatever the machine.
    Ok(Duration::from_millis(ticks * 10))
}

/// Reads an answer to its end.
fn answer(stream: &mut BufReader<TcpStream>) -> std::io::Result<()> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(std::io::Error::other("the connection ended"));
        }
        let line = line.trim().to_lowercase();
        if line.starts_with("http/") && !line.contains(" 200 ") {
            return Err(std::io::Error::other(line));
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
        if line.is_empty() {
            break;
        }
    }
    stream.read_exact(&mut vec![0; length])
}
