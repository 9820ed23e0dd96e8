//! What a program meets outside of its machine: the console, which is standard input and output, the clock, and the files of one folder.
//!
//! Invariant: no path leads out of the folder. A path is taken apart here, `..` at the top stays at the top, and no symbolic link is
//! followed. What cannot be written (a closed pipe, a full disk) is kept, and ends the run at the next look at [`World::look`].

use std::cell::RefCell;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, IsTerminal as _, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use isaglot_hart::{Entry, Errno, FileKind, FileStatus, From, Host, Open, Ready};
use isaglot_source::{Diagnostic, Diagnostics};

use super::Args;
use super::ending::ENDED;
use super::files::{Files, Folder, Handle, Opened};
use super::input::Input;
use crate::io::Output;

/// The world of one run, shared by the machine and the verb.
#[derive(Clone)]
pub(super) struct World(Rc<RefCell<Inner>>);

struct Inner {
    out: Option<Output>,
    /// Lines of the console are kept whole, because others stand between them.
    by_line: bool,
    line: Vec<u8>,
    /// The console is in the middle of a line.
    is_open: bool,
    failed: Option<Diagnostic>,
    folder: Option<PathBuf>,
    files: Files,
    input: Input,
    program: String,
}

impl World {
    /// With the files of this folder. With `by_line`, the console comes in whole lines.
    pub(super) fn new(folder: Option<&Path>, by_line: bool, program: String) -> Result<World, Diagnostics> {
        if let Some(folder) = folder
            && !folder.is_dir()
        {
            let message = format!("`{}` is not a folder", folder.display());
            return Err(Diagnostic::error("run-files", message).into());
        }
        let out = Some(Output::create(None, false).map_err(Diagnostics::from)?);
        let folder = folder.map(Path::to_owned);
        let inner = Inner {
            out,
            by_line,
            line: Vec::new(),
            is_open: false,
            failed: None,
            folder,
            files: Files::new(),
            input: Input::default(),
            program,
        };
        Ok(World(Rc::new(RefCell::new(inner))))
    }

    /// Writes what the verb says itself.
    pub(super) fn say(&self, text: &str) -> Result<(), Diagnostics> {
        let mut inner = self.0.borrow_mut();
        inner.put(text.as_bytes());
        inner.check()
    }

    /// Writes how a run ended. A process of Linux has standard output for itself.
    pub(super) fn report(&self, text: &str, args: &Args) -> Result<(), Diagnostics> {
        if !args.linux || args.json {
            self.end_line();
            return self.say(text);
        }
        self.0.borrow_mut().flush();
        if !text.starts_with(ENDED) {
            // There is nobody left to tell.
            let _ = io::stderr().write_all(text.as_bytes());
        }
        Ok(())
    }

    /// Hands all on that was written, and says whether that could be done.
    pub(super) fn look(&self) -> Result<(), Diagnostics> {
        let mut inner = self.0.borrow_mut();
        inner.flush();
        inner.check()
    }

    /// What the program has printed is a line of its own before what is said next.
    pub(super) fn end_line(&self) {
        let mut inner = self.0.borrow_mut();
        let mut line = std::mem::take(&mut inner.line);
        if std::mem::take(&mut inner.is_open) {
            line.push(b'\n');
        }
        inner.put(&line);
    }

    /// Ends the output.
    pub(super) fn finish(self) -> Result<(), Diagnostics> {
        let mut inner = self.0.borrow_mut();
        inner.check()?;
        inner.out.take().map_or(Ok(()), |out| out.finish().map_err(Diagnostics::from))
    }
}

/// The error number for an error of the system.
fn errno(e: &io::Error) -> Errno {
    match e.kind() {
        io::ErrorKind::NotFound => Errno::NO_ENTRY,
        io::ErrorKind::PermissionDenied => Errno::ACCESS,
        io::ErrorKind::AlreadyExists => Errno::EXISTS,
        io::ErrorKind::IsADirectory => Errno::FOLDER,
        io::ErrorKind::NotADirectory => Errno::NO_FOLDER,
        io::ErrorKind::DirectoryNotEmpty => Errno::NOT_EMPTY,
        io::ErrorKind::InvalidInput => Errno::INVALID,
        _ => Errno::IO,
    }
}

/// Who may read, write and execute it.
#[cfg(unix)]
fn rights(meta: &Metadata) -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    meta.mode() & 0o7777
}
#[cfg(not(unix))]
fn rights(meta: &Metadata) -> u32 {
    let write = if meta.permissions().readonly() { 0 } else { 0o222 };
    write | if meta.is_dir() { 0o555 } else { 0o444 }
}

#[cfg(unix)]
fn set_rights(place: &Path, rights: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(place, std::fs::Permissions::from_mode(rights))
}
#[cfg(not(unix))]
fn set_rights(place: &Path, rights: u32) -> io::Result<()> {
    let mut permissions = place.metadata()?.permissions();
    permissions.set_readonly(rights & 0o200 == 0);
    std::fs::set_permissions(place, permissions)
}

fn told(meta: &Metadata, id: u64) -> FileStatus {
    let kind = match meta {
        m if m.is_dir() => FileKind::Folder,
        m if m.is_file() => FileKind::Plain,
        _ => FileKind::Stream,
    };
    let written = meta.modified().ok().and_then(|t| t.duration_since(SystemTime::UNIX_EPOCH).ok()).unwrap_or_default();
    FileStatus { kind, size: meta.len(), id, written, rights: rights(meta) }
}

/// A number for a path, the same in every run and for every way to write it.
fn number(path: &[u8]) -> u64 {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts
        .join(&b'/')
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |n, &byte| (n ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
        | 1
}

impl Inner {
    fn put(&mut self, bytes: &[u8]) {
        let Some(out) = &mut self.out else { return };
        if let Err(e) = out.write_all(bytes) {
            self.failed.get_or_insert(out.failed(&e));
        }
    }

    fn flush(&mut self) {
        let Some(out) = &mut self.out else { return };
        if let Err(e) = out.flush() {
            self.failed.get_or_insert(out.failed(&e));
        }
    }

    fn check(&mut self) -> Result<(), Diagnostics> {
        self.failed.take().map_or(Ok(()), |d| Err(d.into()))
    }

    fn console(&mut self, bytes: &[u8]) {
        self.is_open = bytes.last().map_or(self.is_open, |&byte| byte != b'\n');
        if !self.by_line {
            return self.put(bytes);
        }
        self.line.extend(bytes);
        if let Some(end) = self.line.iter().rposition(|&b| b == b'\n') {
            let rest = self.line.split_off(end + 1);
            let lines = std::mem::replace(&mut self.line, rest);
            self.put(&lines);
        }
    }

    /// A file that has bytes with a position.
    fn file(&self, number: u32) -> Result<Rc<Opened>, Errno> {
        match self.files.get(number)? {
            Handle::File(opened) => Ok(opened),
            _ => Err(Errno::INVALID),
        }
    }

    /// What is in a folder, by name, and before it the folder itself and the one above.
    fn entries(&self, path: &[u8], place: &Path) -> Result<Vec<Entry>, Errno> {
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(place).map_err(|e| errno(&e))?.flatten() {
            let (name, kind) = (entry.file_name().into_encoded_bytes(), entry.file_type());
            let kind = match kind {
                Ok(kind) if kind.is_dir() => FileKind::Folder,
                Ok(kind) if kind.is_file() => FileKind::Plain,
                // Links are not for the program.
                Ok(kind) if kind.is_symlink() => continue,
                _ => FileKind::Stream,
            };
            let id = number(&[path, b"/", &name].concat());
            entries.push(Entry { name, kind, id });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        let itself = [(".", number(path)), ("..", number(&[path, b"/.."].concat()))];
        let itself = itself.map(|(name, id)| Entry { name: name.into(), kind: FileKind::Folder, id });
        Ok(itself.into_iter().chain(entries).collect())
    }

    /// The place of a path in the folder. The last part need not be there; no part may be a link.
    fn place(&self, path: &[u8]) -> Result<PathBuf, Errno> {
        let top = self.folder.as_ref().ok_or(Errno::NO_ENTRY)?;
        let path = std::str::from_utf8(path).map_err(|_| Errno::NO_ENTRY)?;
        if path.is_empty() {
            return Err(Errno::NO_ENTRY);
        }
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                // What is a separator or a drive on some systems is not a name here.
                part if part.contains(['\\', ':', '\0']) => return Err(Errno::NO_ENTRY),
                part => parts.push(part),
            }
        }
        let mut place = top.clone();
        for part in parts {
            place.push(part);
            if place.symlink_metadata().is_ok_and(|m| m.is_symlink()) {
                return Err(Errno::ACCESS);
            }
        }
        Ok(place)
    }
}

impl Host for World {
    fn write(&mut self, file: u32, bytes: &[u8]) -> Result<usize, Errno> {
        let mut inner = self.0.borrow_mut();
        match inner.files.get(file)? {
            Handle::Output => inner.console(bytes),
            Handle::Error => {
                // So that both are in order where they are the same terminal.
                inner.flush();
                let _ = io::stderr().write_all(bytes);
            }
            Handle::File(opened) => return (&opened.file).write(bytes).map_err(|e| errno(&e)),
            Handle::Writer(end) => return end.write(bytes),
            Handle::Input | Handle::Folder(_) | Handle::Reader(_) => return Err(Errno::BAD_FILE),
        }
        if inner.failed.is_some() { Err(Errno::IO) } else { Ok(bytes.len()) }
    }

    fn read(&mut self, file: u32, length: usize) -> Result<Vec<u8>, Errno> {
        let mut inner = self.0.borrow_mut();
        let mut bytes = vec![0; length];
        let read = match inner.files.get(file)? {
            Handle::Input => {
                // A question comes before its answer.
                inner.flush();
                return inner.input.read(length).map_err(|e| errno(&e));
            }
            Handle::File(opened) => (&opened.file).read(&mut bytes),
            Handle::Reader(end) => return end.read(length),
            Handle::Folder(_) => return Err(Errno::FOLDER),
            Handle::Output | Handle::Error | Handle::Writer(_) => return Err(Errno::BAD_FILE),
        };
        bytes.truncate(read.map_err(|e| errno(&e))?);
        Ok(bytes)
    }

    fn input(&mut self, wait: bool) -> isaglot_hart::Input {
        let mut inner = self.0.borrow_mut();
        // A question comes before its answer.
        if wait {
            inner.flush();
        }
        inner.input.next(wait)
    }

    fn open(&mut self, path: &[u8], how: Open) -> Result<u32, Errno> {
        let mut inner = self.0.borrow_mut();
        let place = inner.place(path)?;
        if place.is_dir() {
            if how.new {
                return Err(Errno::EXISTS);
            }
            if how.write || how.create {
                return Err(Errno::FOLDER);
            }
            let entries = inner.entries(path, &place)?;
            let folder = Folder::new(path.to_vec(), entries);
            return inner.files.add(Handle::Folder(Rc::new(folder)), 0);
        }
        if how.folder && !how.create {
            return Err(if place.exists() { Errno::NO_FOLDER } else { Errno::NO_ENTRY });
        }
        let mut options = OpenOptions::new();
        options.read(how.read).write(how.write && !how.append).append(how.append && how.write);
        if how.write {
            options.truncate(how.truncate && !how.append).create(how.create).create_new(how.new);
        } else if how.create && !place.exists() {
            // To be read, and empty.
            File::create(&place).map_err(|e| errno(&e))?;
        } else if how.new {
            return Err(Errno::EXISTS);
        }
        let file = options.open(&place).map_err(|e| errno(&e))?;
        if how.write && how.truncate && how.append {
            file.set_len(0).map_err(|e| errno(&e))?;
        }
        inner.files.add(Handle::File(Rc::new(Opened { file, path: path.to_vec() })), 0)
    }

    fn close(&mut self, file: u32) -> Result<(), Errno> {
        self.0.borrow_mut().files.close(file)
    }

    fn seek(&mut self, file: u32, from: From, by: i64) -> Result<u64, Errno> {
        let opened = match self.0.borrow().files.get(file)? {
            Handle::File(opened) => opened,
            Handle::Folder(folder) => return folder.seek(from, by),
            _ => return Err(Errno::NO_SEEK),
        };
        let to = match from {
            From::Start => SeekFrom::Start(u64::try_from(by).map_err(|_| Errno::INVALID)?),
            From::Here => SeekFrom::Current(by),
            From::End => SeekFrom::End(by),
        };
        (&opened.file).seek(to).map_err(|e| errno(&e))
    }

    fn status(&mut self, file: u32) -> Result<FileStatus, Errno> {
        let inner = self.0.borrow();
        match inner.files.get(file)? {
            Handle::File(opened) => {
                let meta = opened.file.metadata().map_err(|e| errno(&e))?;
                Ok(told(&meta, number(&opened.path)))
            }
            Handle::Folder(folder) => {
                let meta = inner.place(&folder.path)?.metadata().map_err(|e| errno(&e))?;
                Ok(told(&meta, number(&folder.path)))
            }
            _ => {
                let (id, written) = (u64::from(file) + 1, Duration::ZERO);
                Ok(FileStatus { kind: FileKind::Stream, size: 0, id, written, rights: 0o620 })
            }
        }
    }

    fn status_of(&mut self, path: &[u8]) -> Result<FileStatus, Errno> {
        let place = self.0.borrow().place(path)?;
        let meta = place.metadata().map_err(|e| errno(&e))?;
        Ok(told(&meta, number(path)))
    }

    fn is_terminal(&mut self, file: u32) -> bool {
        match self.0.borrow().files.get(file) {
            Ok(Handle::Input) => io::stdin().is_terminal(),
            Ok(Handle::Output) => io::stdout().is_terminal(),
            Ok(Handle::Error) => io::stderr().is_terminal(),
            _ => false,
        }
    }

    fn entry(&mut self, file: u32) -> Result<Option<Entry>, Errno> {
        match self.0.borrow().files.get(file)? {
            Handle::Folder(folder) => Ok(folder.entry()),
            _ => Err(Errno::NO_FOLDER),
        }
    }

    fn path_of(&mut self, file: u32) -> Result<Vec<u8>, Errno> {
        match self.0.borrow().files.get(file)? {
            Handle::File(opened) => Ok(opened.path.clone()),
            Handle::Folder(folder) => Ok(folder.path.clone()),
            _ => Err(Errno::NO_FOLDER),
        }
    }

    fn duplicate(&mut self, file: u32, least: u32) -> Result<u32, Errno> {
        let mut inner = self.0.borrow_mut();
        let handle = inner.files.get(file)?;
        inner.files.add(handle, least)
    }

    fn duplicate_to(&mut self, file: u32, to: u32) -> Result<(), Errno> {
        let mut inner = self.0.borrow_mut();
        let handle = inner.files.get(file)?;
        inner.files.set(to, handle)
    }

    fn pipe(&mut self) -> Result<(u32, u32), Errno> {
        self.0.borrow_mut().files.pipe()
    }

    fn ready(&mut self, file: u32) -> Result<Ready, Errno> {
        let (read, write, closed) = match self.0.borrow().files.get(file)? {
            Handle::Reader(end) => {
                let (read, _, closed) = end.ready();
                (read, false, closed)
            }
            Handle::Writer(end) => {
                let (_, write, closed) = end.ready();
                (false, write, closed)
            }
            Handle::Input => (true, false, false),
            Handle::Output | Handle::Error => (false, true, false),
            Handle::File(_) | Handle::Folder(_) => (true, true, false),
        };
        Ok(Ready { read, write, closed })
    }

    fn set_length(&mut self, file: u32, length: u64) -> Result<(), Errno> {
        self.0.borrow().file(file)?.file.set_len(length).map_err(|e| errno(&e))
    }

    fn set_rights(&mut self, path: &[u8], rights: u32) -> Result<(), Errno> {
        // A file that runs as its owner would be the owner's who runs this program.
        if rights & 0o6000 != 0 {
            return Err(Errno::NOT_PERMITTED);
        }
        let place = self.0.borrow().place(path)?;
        set_rights(&place, rights).map_err(|e| errno(&e))
    }

    fn set_written(&mut self, path: &[u8], time: Duration) -> Result<(), Errno> {
        let place = self.0.borrow().place(path)?;
        let time = SystemTime::UNIX_EPOCH.checked_add(time).ok_or(Errno::INVALID)?;
        File::open(place).and_then(|file| file.set_modified(time)).map_err(|e| errno(&e))
    }

    fn remove(&mut self, path: &[u8]) -> Result<(), Errno> {
        let place = self.0.borrow().place(path)?;
        std::fs::remove_file(place).map_err(|e| errno(&e))
    }

    fn make_folder(&mut self, path: &[u8]) -> Result<(), Errno> {
        let place = self.0.borrow().place(path)?;
        std::fs::create_dir(place).map_err(|e| errno(&e))
    }

    fn remove_folder(&mut self, path: &[u8]) -> Result<(), Errno> {
        let place = self.0.borrow().place(path)?;
        std::fs::remove_dir(place).map_err(|e| errno(&e))
    }

    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Errno> {
        let (from, to) = (self.0.borrow().place(from)?, self.0.borrow().place(to)?);
        std::fs::rename(from, to).map_err(|e| errno(&e))
    }

    fn now(&mut self) -> Duration {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }

    fn sleep(&mut self, time: Duration) {
        self.0.borrow_mut().flush();
        std::thread::sleep(time);
    }

    fn random(&mut self, bytes: &mut [u8]) {
        // A system without random bytes gives zeros.
        let _ = getrandom::fill(bytes);
    }

    fn unknown(&mut self, what: &str) {
        let mut inner = self.0.borrow_mut();
        inner.flush();
        let _ = writeln!(io::stderr(), "isaglot run: {} asks for what there is not: {what}", inner.program);
    }
}
