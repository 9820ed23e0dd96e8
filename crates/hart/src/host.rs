//! What a program may ask of the world outside: files, a console, the time, random bytes. The library opens nothing itself;
//! who runs a program gives a [`Host`]. Without one the console is kept ([`Hart::take_console`](crate::Hart::take_console)) and
//! there are no files.

use std::time::Duration;

use crate::limits::MAX_CONSOLE;

/// Why the host does not do what a program asks: the error number of Linux, above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub u16);

impl Errno {
    /// It is not permitted.
    pub const NOT_PERMITTED: Errno = Errno(1);
    /// There is no such file.
    pub const NO_ENTRY: Errno = Errno(2);
    /// Something failed.
    pub const IO: Errno = Errno(5);
    /// There is no file of this number.
    pub const BAD_FILE: Errno = Errno(9);
    /// There is no other process to wait for.
    pub const NO_CHILD: Errno = Errno(10);
    /// It would wait for ever.
    pub const AGAIN: Errno = Errno(11);
    /// There is no memory left.
    pub const NO_MEMORY: Errno = Errno(12);
    /// It is not allowed.
    pub const ACCESS: Errno = Errno(13);
    /// An address where no memory is.
    pub const FAULT: Errno = Errno(14);
    /// The file is there already.
    pub const EXISTS: Errno = Errno(17);
    /// It is not a folder.
    pub const NO_FOLDER: Errno = Errno(20);
    /// It is a folder.
    pub const FOLDER: Errno = Errno(21);
    /// An argument that cannot be.
    pub const INVALID: Errno = Errno(22);
    /// Too many open files.
    pub const TOO_MANY: Errno = Errno(24);
    /// It is no terminal.
    pub const NO_TERMINAL: Errno = Errno(25);
    /// It has no position.
    pub const NO_SEEK: Errno = Errno(29);
    /// Nobody reads the pipe.
    pub const NO_READER: Errno = Errno(32);
    /// The buffer is too small.
    pub const RANGE: Errno = Errno(34);
    /// It is a folder with something in it.
    pub const NOT_EMPTY: Errno = Errno(39);
    /// There is no such call.
    pub const NO_CALL: Errno = Errno(38);
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Open {
    /// It is read.
    pub read: bool,
    /// It is written.
    pub write: bool,
    /// It is made if it is not there.
    pub create: bool,
    /// It must not be there.
    pub new: bool,
    /// It is emptied.
    pub truncate: bool,
    /// What is written goes to its end.
    pub append: bool,
    /// It must be a folder.
    pub folder: bool,
}

/// Where a position is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The start of the file.
    Start,
    /// Where it is.
    Here,
    /// The end of the file.
    End,
}

/// What kind of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Bytes with a position.
    Plain,
    /// A folder.
    Folder,
    /// A stream: the console, a pipe.
    Stream,
}

/// What is known of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStatus {
    /// Its kind.
    pub kind: FileKind,
    /// Bytes in it.
    pub size: u64,
    /// A number that no other file has.
    pub id: u64,
    /// When it was last written to, since 1970.
    pub written: Duration,
    /// Who may read (4), write (2) and execute (1) it: the owner in bits 8:6, the group in 5:3, all others in 2:0.
    pub rights: u32,
}

/// What is in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: Vec<u8>,
    /// Its kind.
    pub kind: FileKind,
    /// The number that its status has.
    pub id: u64,
}

/// Whether an open file would let the program wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// There is something to read; of a file also its end.
    pub read: bool,
    /// Something can be written.
    pub write: bool,
    /// The other end of the pipe is closed.
    pub closed: bool,
}

/// What there is of standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The next byte.
    Byte(u8),
    /// Nothing yet.
    NotYet,
    /// It has ended.
    Ended,
}

/// What a program may ask. Files 0, 1 and 2 are open at the start: standard input, output and error. A path is the bytes that the
/// program gives, without the final zero; what a path means, and which are allowed, the host decides. A process of Linux
/// gives paths that begin with `/`.
pub trait Host {
    /// Writes to a file; gives how many bytes it took.
    fn write(&mut self, file: u32, bytes: &[u8]) -> Result<usize, Errno>;
    /// Reads at most so many bytes; none at the end of the file.
    fn read(&mut self, file: u32, length: usize) -> Result<Vec<u8>, Errno>;
    /// The next byte of standard input, for a device; with `wait` it waits until there is one or the input has ended. Called only
    /// where the program uses the device.
    fn input(&mut self, wait: bool) -> Input {
        let _ = wait;
        match self.read(0, 1) {
            Ok(bytes) => bytes.first().map_or(Input::Ended, |&byte| Input::Byte(byte)),
            Err(_) => Input::Ended,
        }
    }
    /// Opens a file, or a folder to be listed, and gives its number, the lowest that is free.
    fn open(&mut self, path: &[u8], how: Open) -> Result<u32, Errno>;
    /// Closes a file.
    fn close(&mut self, file: u32) -> Result<(), Errno>;
    /// Moves the position of a file; gives it. That of a folder counts its entries.
    fn seek(&mut self, file: u32, from: From, by: i64) -> Result<u64, Errno>;
    /// What is known of an open file.
    fn status(&mut self, file: u32) -> Result<FileStatus, Errno>;
    /// What is known of a file by its path.
    fn status_of(&mut self, path: &[u8]) -> Result<FileStatus, Errno>;
    /// Whether a person reads or writes it.
    fn is_terminal(&mut self, file: u32) -> bool {
        let _ = file;
        false
    }
    /// Removes a file.
    fn remove(&mut self, path: &[u8]) -> Result<(), Errno>;
    /// Makes a folder.
    fn make_folder(&mut self, path: &[u8]) -> Result<(), Errno> {
        let _ = path;
        Err(Errno::ACCESS)
    }
    /// Removes a folder that has nothing in it.
    fn remove_folder(&mut self, path: &[u8]) -> Result<(), Errno> {
        let _ = path;
        Err(Errno::ACCESS)
    }
    /// Gives a file another path; a file that has it is gone then.
    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Errno> {
        let _ = (from, to);
        Err(Errno::ACCESS)
    }
    /// The next entry of an open folder; none at its end. `.` and `..` are the first.
    fn entry(&mut self, file: u32) -> Result<Option<Entry>, Errno> {
        self.status(file).and(Err(Errno::NO_FOLDER))
    }
    /// The path by which an open file was opened, from the top.
    fn path_of(&mut self, file: u32) -> Result<Vec<u8>, Errno> {
        self.status(file).and(Err(Errno::NO_FOLDER))
    }
    /// Gives an open file another number as well, the lowest that is free and not below this one.
    fn duplicate(&mut self, file: u32, least: u32) -> Result<u32, Errno> {
        let _ = least;
        self.status(file).and(Err(Errno::TOO_MANY))
    }
    /// Gives an open file this number as well; what has it is closed.
    fn duplicate_to(&mut self, file: u32, to: u32) -> Result<(), Errno> {
        let _ = to;
        self.status(file).and(Err(Errno::TOO_MANY))
    }
    /// Makes a pipe: gives the number of the end that is read and of the one that is written.
    fn pipe(&mut self) -> Result<(u32, u32), Errno> {
        Err(Errno::TOO_MANY)
    }
    /// Whether a file would let the program wait.
    fn ready(&mut self, file: u32) -> Result<Ready, Errno> {
        self.status(file).map(|_| Ready { read: true, write: true, closed: false })
    }
    /// Makes an open file as long as this: the rest is gone, or zeros are added.
    fn set_length(&mut self, file: u32, length: u64) -> Result<(), Errno> {
        let _ = length;
        self.status(file).and(Err(Errno::INVALID))
    }
    /// Changes who may do what with a file, as [`FileStatus::rights`] says it.
    fn set_rights(&mut self, path: &[u8], rights: u32) -> Result<(), Errno> {
        let _ = rights;
        self.status_of(path).and(Err(Errno::NOT_PERMITTED))
    }
    /// Changes when a file was last written to, since 1970.
    fn set_written(&mut self, path: &[u8], time: Duration) -> Result<(), Errno> {
        let _ = time;
        self.status_of(path).and(Err(Errno::NOT_PERMITTED))
    }
    /// The time since 1970.
    fn now(&mut self) -> Duration;
    /// Waits.
    fn sleep(&mut self, time: Duration);
    /// Fills a buffer with random bytes.
    fn random(&mut self, bytes: &mut [u8]);
    /// A program asks for what there is not. Said once for each.
    fn unknown(&mut self, what: &str);
}

/// The host where none is given: the console is kept, and there is nothing else. Time stands still, so that a run is the same each time.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) console: Vec<u8>,
}

impl Host for Kept {
    fn write(&mut self, file: u32, bytes: &[u8]) -> Result<usize, Errno> {
        if !matches!(file, 1 | 2) {
            return Err(Errno::BAD_FILE);
        }
        let room = MAX_CONSOLE.saturating_sub(self.console.len());
        self.console.extend(bytes.iter().take(room));
        Ok(bytes.len())
    }
    fn read(&mut self, file: u32, _: usize) -> Result<Vec<u8>, Errno> {
        if file == 0 { Ok(Vec::new()) } else { Err(Errno::BAD_FILE) }
    }
    fn open(&mut self, _: &[u8], _: Open) -> Result<u32, Errno> {
        Err(Errno::NO_ENTRY)
    }
    fn close(&mut self, file: u32) -> Result<(), Errno> {
        if file < 3 { Ok(()) } else { Err(Errno::BAD_FILE) }
    }
    fn seek(&mut self, file: u32, _: From, _: i64) -> Result<u64, Errno> {
        Err(if file < 3 { Errno::NO_SEEK } else { Errno::BAD_FILE })
    }
    fn status(&mut self, file: u32) -> Result<FileStatus, Errno> {
        let (id, written) = (u64::from(file), Duration::ZERO);
        let stream = FileStatus { kind: FileKind::Stream, size: 0, id, written, rights: 0o620 };
        if file < 3 { Ok(stream) } else { Err(Errno::BAD_FILE) }
    }
    fn status_of(&mut self, _: &[u8]) -> Result<FileStatus, Errno> {
        Err(Errno::NO_ENTRY)
    }
    fn remove(&mut self, _: &[u8]) -> Result<(), Errno> {
        Err(Errno::NO_ENTRY)
    }
    fn now(&mut self) -> Duration {
        Duration::ZERO
    }
    fn sleep(&mut self, _: Duration) {}
    fn random(&mut self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
    fn unknown(&mut self, _: &str) {}
}
