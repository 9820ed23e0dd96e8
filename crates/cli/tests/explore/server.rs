//! An explorer that runs for as long as a test needs it, and HTTP by hand, so that the test can also do it wrong.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use isaglot_testing::Failed;
use serde_json::Value;

/// How long an answer may take in a test; a bound, not a measurement.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Server {
    pub(crate) port: u16,
    child: Child,
}

impl Server {
    pub(crate) fn start(args: &[String]) -> Result<Server, Failed> {
        let mut child =
            Command::new(env!("CARGO_BIN_EXE_isaglot")).arg("explore").args(args).stdout(Stdio::piped()).spawn()?;
        let out = child.stdout.take().ok_or("no output")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let port = line.trim().trim_end_matches('/').rsplit(':').next().and_then(|p| p.parse().ok());
        Ok(Server { port: port.ok_or_else(|| format!("no address: {line}"))?, child })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is kept.
pub(crate) struct Connection {
    port: u16,
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub(crate) fn new(server: &Server) -> Result<Connection, Failed> {
        Connection::to(server.port)
    }

    pub(crate) fn to(port: u16) -> Result<Connection, Failed> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Connection { port, stream: BufReader::new(stream) })
    }

    /// Asks the one box; `more` is added to the query.
    pub(crate) fn ask(&mut self, question: &str, more: &str) -> Result<Value, Failed> {
        let text: String = question.bytes().map(|b| format!("%{b:02x}")).collect();
        self.json("GET", &format!("/api/ask?q={text}{more}"), &[])
    }

    pub(crate) fn json(&mut self, method: &str, path: &str, body: &[u8]) -> Result<Value, Failed> {
        match self.request(method, path, body)? {
            (200, answer) => Ok(serde_json::from_slice(&answer)?),
            (code, answer) => Err(format!("{path}: {code} {}", String::from_utf8_lossy(&answer)).into()),
        }
    }

    /// The status and the body of an answer.
    pub(crate) fn request(&mut self, method: &str, path: &str, body: &[u8]) -> Result<(u16, Vec<u8>), Failed> {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        let stream = self.stream.get_mut();
        stream.write_all(&[head.as_bytes(), body].concat())?;
        let (mut line, mut length, mut code) = (String::new(), 0, 0);
        loop {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err("the connection ended".into());
            }
            let text = line.trim().to_lowercase();
            if code == 0 {
                code =
                    text.split(' ').nth(1).and_then(|c| c.parse().ok()).ok_or_else(|| format!("no status: {text}"))?;
            } else if let Some(value) = text.strip_prefix("content-length:") {
                length = value.trim().parse()?;
            } else if text.is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        Ok((code, answer))
    }
}

/// Sends bytes as they are; the status of the answer, if one comes.
pub(crate) fn status(port: u16, request: &[u8]) -> Option<u16> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    // A server that has seen enough may not read on.
    let _ = stream.write_all(request);
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).ok()?;
    line.split(' ').nth(1)?.parse().ok()
}
