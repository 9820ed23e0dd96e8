//! Reading input and writing output by the conventions of the CLI: a missing input or `-` is standard input, a missing
//! output or `-` is standard output, a file is replaced whole or not at all, no binary goes to a terminal.
//!
//! What is read whole has at most [`isaglot::fs::MAX_INPUT`] bytes. A reader that closes the pipe has seen enough: the diagnostic for that
//! has the code [`CLOSED`], ends a verb as any other does, and is told nobody ([`Session`](crate::session::Session)).

use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use isaglot::fs::opened;
pub(crate) use isaglot::fs::{rest as read_rest, unreadable};
use isaglot_source::Diagnostic;

use crate::interrupt::{self, Stage};

/// U+FEFF in UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The code of the diagnostic for a pipe that its reader has closed.
pub(crate) const CLOSED: &str = "io-closed";

fn is_std(path: Option<&Path>) -> bool {
    path.is_none_or(|p| p.as_os_str() == "-")
}

/// The name under which an input is spoken of.
pub(crate) fn input_name(path: Option<&Path>) -> String {
    match path {
        Some(p) if !is_std(path) => p.display().to_string(),
        _ => "<stdin>".to_owned(),
    }
}

/// Opens an input for streaming.
pub(crate) fn open(path: Option<&Path>) -> Result<Box<dyn Read>, Diagnostic> {
    match path {
        Some(p) if !is_std(path) => match std::fs::File::open(p) {
            Ok(file) => Ok(Box::new(file)),
            Err(e) => Err(unreadable(&input_name(path), &e)),
        },
        _ => Ok(Box::new(io::stdin().lock())),
    }
}

/// Reads an input whole.
pub(crate) fn read(path: Option<&Path>) -> Result<Vec<u8>, Diagnostic> {
    let name = input_name(path);
    let _stage = Stage::new(format!("reading {name}"), "");
    match path {
        Some(p) if !is_std(path) => {
            let (mut file, length) = opened(p)?;
            read_rest(&mut file, length, &name)
        }
        _ => read_rest(&mut io::stdin().lock(), 0, &name),
    }
}

/// Reads a text whole. The mark that some editors put in front of UTF-8 is not part of it.
pub(crate) fn read_text(path: Option<&Path>) -> Result<Vec<u8>, Diagnostic> {
    let mut bytes = read(path)?;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(bytes)
}

/// Reads an input whole, to be kept among the files of the session: a file is never in memory twice.
pub(crate) fn read_shared(path: Option<&Path>) -> Result<Arc<[u8]>, Diagnostic> {
    if let Some(path) = path.filter(|_| !is_std(path)) {
        let failed = |e: io::Error| unreadable(&input_name(Some(path)), &e);
        let _stage = Stage::new(format!("reading {}", path.display()), "");
        let (mut file, length) = opened(path)?;
        let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, usize::try_from(length).unwrap_or(0)).collect();
        let mut more = Vec::new();
        if let Some(room) = Arc::get_mut(&mut bytes)
            && fill(&mut file, room).map_err(failed)? == room.len()
            && file.take(1).read_to_end(&mut more).map_err(failed)? == 0
        {
            return Ok(bytes);
        }
        // It does not say its size, or somebody is writing to it.
    }
    read(path).map(Arc::from)
}

/// Reads until the room is full or the input ends; gives the number of bytes.
fn fill(file: &mut std::fs::File, room: &mut [u8]) -> io::Result<usize> {
    let mut at = 0;
    while let Some(rest) = room.get_mut(at..).filter(|r| !r.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(n) => at += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(at)
}

/// Whether a path is that of a file.
pub(crate) fn is_there(path: &Path) -> Result<(), Diagnostic> {
    let failed = |e: io::Error| unreadable(&input_name(Some(path)), &e);
    let is_folder = std::fs::metadata(path).map_err(failed)?.is_dir();
    if is_folder { Err(failed(io::ErrorKind::IsADirectory.into())) } else { Ok(()) }
}

/// The diagnostic for bytes at the end of an input that are less than an instruction.
pub(crate) fn rest(name: &str, bytes: usize) -> Diagnostic {
    let (bytes, are) = if bytes == 1 { ("byte".to_owned(), "is") } else { (format!("{bytes} bytes"), "are") };
    let d = Diagnostic::warning("cli-rest", format!("{name}: the last {bytes} {are} less than an instruction"));
    d.note("left out")
}

/// The diagnostic for an output that cannot be written.
pub(crate) fn unwritable(name: &str, e: &io::Error) -> Diagnostic {
    let code = if e.kind() == io::ErrorKind::BrokenPipe { CLOSED } else { "io-write" };
    Diagnostic::error(code, format!("cannot write {name}: {e}"))
}

/// Writes a whole output. With `binary`, standard output must not be a terminal.
pub(crate) fn write(path: Option<&Path>, binary: bool, bytes: &[u8]) -> Result<(), Diagnostic> {
    let mut out = Output::create(path, binary)?;
    out.write_all(bytes).map_err(|e| out.failed(&e))?;
    out.finish()
}

/// Writes generated files to a folder, which is made if it is missing: all of them, or none. Files of these names are
/// replaced, others are left alone. Every file is written beside its place first and only then put there.
pub(crate) fn write_files(files: &[isaglot_emit::files::File], folder: &Path) -> Result<(), Diagnostic> {
    let mut outputs = Vec::with_capacity(files.len());
    for file in files {
        let target = folder.join(&file.name);
        let dir = target.parent().unwrap_or(folder);
        std::fs::create_dir_all(dir).map_err(|e| unwritable(&dir.display().to_string(), &e))?;
        let mut output = Output::create(Some(&target), false)?;
        output.write_all(file.text.as_bytes()).map_err(|e| output.failed(&e))?;
        outputs.push(output);
    }
    outputs.iter_mut().try_for_each(Output::flushed)?;
    let mut held = interrupt::hold();
    outputs.into_iter().try_for_each(|output| output.put(&mut held))
}

/// An output that is a stream or a file in the making. A file appears under its name only in [`Output::finish`]; when
/// the output is dropped before, nothing is left.
pub(crate) struct Output {
    sink: Sink,
    name: String,
}

enum Sink {
    Stdout(BufWriter<io::Stdout>),
    File {
        writer: BufWriter<tempfile::NamedTempFile>,
        target: PathBuf,
    },
    /// Something that is not a regular file, such as `/dev/null` or a pipe: written straight.
    Device(BufWriter<std::fs::File>),
}

impl Output {
    /// Opens an output. With `binary`, standard output must not be a terminal.
    pub(crate) fn create(path: Option<&Path>, binary: bool) -> Result<Output, Diagnostic> {
        Output::with_mode(path, binary, 0o666)
    }

    /// Opens an output for a program that can be run: a new file gets the bit for that, as far as the umask allows.
    pub(crate) fn create_program(path: Option<&Path>) -> Result<Output, Diagnostic> {
        Output::with_mode(path, true, 0o777)
    }

    fn with_mode(path: Option<&Path>, binary: bool, mode: u32) -> Result<Output, Diagnostic> {
        let Some(target) = path.filter(|_| !is_std(path)) else {
            if binary && io::stdout().is_terminal() {
                let d = Diagnostic::error("io-terminal", "refusing to write binary data to a terminal");
                return Err(d.note("name a file with `-o FILE`, or redirect the output"));
            }
            let sink = Sink::Stdout(BufWriter::with_capacity(1 << 16, io::stdout()));
            return Ok(Output { sink, name: "<stdout>".to_owned() });
        };
        let name = target.display().to_string();
        let special = std::fs::metadata(target).is_ok_and(|m| !m.is_file());
        let sink = if special {
            let file = std::fs::OpenOptions::new().write(true).open(target).map_err(|e| unwritable(&name, &e))?;
            Sink::Device(BufWriter::with_capacity(1 << 16, file))
        } else {
            let dir = target.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
            // Asked before, because an error about the temporary file would name that.
            std::fs::metadata(dir).map_err(|e| unwritable(&name, &e))?;
            // A new file gets the permissions that the user's umask gives, as with any other tool.
            let builder = || {
                let mut b = tempfile::Builder::new();
                #[cfg(unix)]
                b.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
                #[cfg(not(unix))]
                let _ = mode;
                b.prefix(".isaglot-").tempfile_in(dir)
            };
            let file = interrupt::making(builder).map_err(|e| unwritable(&name, &e))?;
            Sink::File { writer: BufWriter::with_capacity(1 << 16, file), target: target.to_owned() }
        };
        Ok(Output { sink, name })
    }

    /// Flushes, and gives a file its name.
    pub(crate) fn finish(mut self) -> Result<(), Diagnostic> {
        // Before interruptions are held up: a reader may take its time.
        self.flushed()?;
        self.put(&mut interrupt::hold())
    }

    fn flushed(&mut self) -> Result<(), Diagnostic> {
        self.flush().map_err(|e| self.failed(&e))
    }

    /// Gives a file its name; all of it is flushed.
    fn put(self, held: &mut interrupt::Held) -> Result<(), Diagnostic> {
        let Sink::File { writer, target } = self.sink else { return Ok(()) };
        let done = writer.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| {
            held.made(file.path());
            file.persist(&target).map(drop).map_err(|e| e.error)
        });
        done.map_err(|e| unwritable(&self.name, &e))
    }

    /// The diagnostic for a failed write to this output.
    pub(crate) fn failed(&self, e: &io::Error) -> Diagnostic {
        unwritable(&self.name, e)
    }
}

/// What text can be written to: an output, or a part of one that comes in its turn.
pub(crate) trait Target: Write {
    /// The diagnostic for a failed write.
    fn failed(&self, e: &io::Error) -> Diagnostic;
}

impl Target for Output {
    fn failed(&self, e: &io::Error) -> Diagnostic {
        Output::failed(self, e)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Stdout(w) => w.write(bytes),
            Sink::File { writer, .. } => writer.write(bytes),
            Sink::Device(w) => w.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Stdout(w) => w.flush(),
            Sink::File { writer, .. } => writer.flush(),
            Sink::Device(w) => w.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use isaglot_emit::files::File;

    use super::write_files;

    #[cfg(unix)]
    #[test]
    fn programs_can_be_run() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a folder");
        let mode = |output: Result<super::Output, _>, name: &str| {
            output.and_then(super::Output::finish).expect("a file that can be written");
            std::fs::metadata(dir.path().join(name)).expect("the file").permissions().mode() & 0o100
        };
        assert_ne!(mode(super::Output::create_program(Some(&dir.path().join("p"))), "p"), 0);
        assert_eq!(mode(super::Output::create(Some(&dir.path().join("t")), true), "t"), 0);
    }

    #[test]
    fn all_files_or_none() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = dir.path().join("out");
        let files = |texts: &[(&str, &str)]| -> Vec<File> { texts.iter().map(|&(n, t)| File::new(n, t)).collect() };
        let both = files(&[("a.txt", "a"), ("src/b.txt", "b")]);
        write_files(&both, &folder).expect("a folder that can be written");
        assert_eq!(std::fs::read_to_string(folder.join("src/b.txt")).ok().as_deref(), Some("b"));
        // A folder stands where a file should go: nothing is written, and what was there stays.
        std::fs::create_dir(folder.join("c.txt")).expect("a folder");
        let error =
            write_files(&files(&[("a.txt", "other"), ("c.txt", "c")]), &folder).expect_err("a folder is no file");
        assert!(error.message.contains("c.txt"), "{}", error.message);
        assert_eq!(std::fs::read_to_string(folder.join("a.txt")).ok().as_deref(), Some("a"));
        let left: Vec<_> = std::fs::read_dir(&folder).expect("a folder").flatten().map(|e| e.file_name()).collect();
        assert_eq!(left.len(), 3, "nothing is left beside: {left:?}");
        // A file stands where the folder should be.
        assert!(write_files(&both, &folder.join("a.txt")).is_err());
    }
}
