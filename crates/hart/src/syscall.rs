//! System calls about files, by the numbers that Linux has on RISC-V: for processes of Linux, and for programs that ask through HTIF.
//!
//! Invariant: a call never reads or writes memory that the program does not have; it gives `EFAULT` instead. What one call moves is bounded,
//! and a program asks again for the rest.

use std::time::Duration;

use crate::host::{Errno, FileKind, FileStatus, From, Host, Open};
use crate::limits::{MAX_PATH, MAX_TRANSFER};
use crate::memory::Memory;

/// What a call comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// This is its result, an error number as a negative one.
    Value(u64),
    /// The program ends with this exit code.
    Exit(u32),
    /// It is not known.
    Unknown,
}

/// How an error is returned.
pub(crate) fn error(e: Errno) -> u64 {
    (-i64::from(e.0)) as u64
}

/// The folder of a path that has none: the one where the process is.
const HERE: i32 = -100;
/// `AT_EMPTY_PATH`.
const EMPTY_PATH: u64 = 0x1000;

/// `AT_REMOVEDIR`.
const REMOVE_FOLDER: u64 = 0x200;

type Found<T> = Result<T, Errno>;

/// Memory, the host, and the arguments of a call.
pub(crate) struct Call<'a> {
    pub(crate) memory: &'a mut Memory,
    pub(crate) host: &'a mut dyn Host,
    /// Bits of a word.
    pub(crate) xlen: u32,
    pub(crate) args: &'a [u64],
}

impl Call<'_> {
    /// An argument.
    pub(crate) fn arg(&self, number: usize) -> u64 {
        self.args.get(number).copied().unwrap_or(0)
    }

    fn file(&self) -> u32 {
        self.arg(0) as u32
    }

    /// A word of the program.
    pub(crate) fn word(&mut self, address: u64) -> Found<u64> {
        let bytes = self.bytes(address, u64::from(self.xlen / 8))?;
        Ok(bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)))
    }

    /// Bytes of the program.
    pub(crate) fn bytes(&mut self, address: u64, length: u64) -> Found<Vec<u8>> {
        self.memory.read(address, length.min(MAX_TRANSFER) as usize).map_err(|_| Errno::FAULT)
    }

    /// Gives bytes to the program.
    pub(crate) fn put(&mut self, address: u64, bytes: &[u8]) -> Found<()> {
        self.memory.write(address, bytes).map_err(|_| Errno::FAULT)
    }

    /// A text that ends with a zero.
    fn path(&mut self, address: u64) -> Found<Vec<u8>> {
        let mut path = Vec::new();
        for at in 0..MAX_PATH {
            match self.bytes(address.wrapping_add(at), 1)?.first() {
                Some(&byte) if byte != 0 => path.push(byte),
                _ => return Ok(path),
            }
        }
        // ENAMETOOLONG
        Err(Errno(36))
    }

    /// The path that two arguments give: the folder that it starts from, and the text.
    fn path_at(&mut self, number: usize) -> Found<Vec<u8>> {
        let path = self.path(self.arg(number + 1))?;
        let is_here = self.arg(number) as i32 == HERE || path.starts_with(b"/");
        if is_here { Ok(path) } else { Err(Errno::NO_FOLDER) }
    }

    /// A time: seconds and billionths, each a double word.
    pub(crate) fn put_time(&mut self, address: u64, time: Duration) -> Found<u64> {
        let parts = [time.as_secs(), u64::from(time.subsec_nanos())];
        self.put(address, &parts.map(u64::to_le_bytes).concat())?;
        Ok(0)
    }

    /// The pieces of memory that a call with a list of them names.
    fn pieces(&mut self) -> Found<Vec<(u64, u64)>> {
        let (list, count, size) = (self.arg(1), self.arg(2), u64::from(self.xlen / 8));
        if count > 1024 {
            return Err(Errno::INVALID);
        }
        let piece = |n: u64| {
            let at = list.wrapping_add(n * 2 * size);
            Ok((self.word(at)?, self.word(at.wrapping_add(size))?))
        };
        (0..count).map(piece).collect()
    }

    fn write_one(&mut self, address: u64, length: u64) -> Found<u64> {
        let bytes = self.bytes(address, length)?;
        Ok(self.host.write(self.file(), &bytes)? as u64)
    }

    fn read_one(&mut self, address: u64, length: u64) -> Found<u64> {
        let length = length.min(MAX_TRANSFER);
        // Before the input is gone: the buffer has to be there.
        self.bytes(address, length)?;
        let bytes = self.host.read(self.file(), length as usize)?;
        self.put(address, &bytes)?;
        Ok(bytes.len() as u64)
    }

    /// One after the other, until one is not done whole.
    fn each(&mut self, one: fn(&mut Self, u64, u64) -> Found<u64>) -> Found<u64> {
        let mut all = 0;
        for (address, length) in self.pieces()? {
            match one(self, address, length) {
                Ok(done) if done == length => all += done,
                Ok(done) => return Ok(all + done),
                Err(e) if all == 0 => return Err(e),
                Err(_) => break,
            }
        }
        Ok(all)
    }

    /// At a place of the file, which stays where it is.
    fn placed(&mut self, one: fn(&mut Self, u64, u64) -> Found<u64>) -> Found<u64> {
        let (file, place) = (self.file(), self.arg(3) as i64);
        let before = self.host.seek(file, From::Here, 0)?;
        self.host.seek(file, From::Start, place)?;
        let done = one(self, self.arg(1), self.arg(2));
        self.host.seek(file, From::Start, before as i64)?;
        done
    }

    fn seek(&mut self, from: u64, by: i64) -> Found<u64> {
        let from = match from {
            0 => From::Start,
            1 => From::Here,
            2 => From::End,
            _ => return Err(Errno::INVALID),
        };
        self.host.seek(self.file(), from, by)
    }

    fn open(&mut self) -> Found<u64> {
        let (path, flags) = (self.path_at(0)?, self.arg(2));
        let is = |bit: u64| flags & bit != 0;
        let how = Open {
            read: flags & 3 != 1,
            write: flags & 3 != 0,
            create: is(0x40),
            new: is(0x40) && is(0x80),
            truncate: is(0x200),
            append: is(0x400),
        };
        self.host.open(&path, how).map(u64::from)
    }

    /// Removes a file, or with a flag a folder.
    fn remove(&mut self) -> Found<u64> {
        let path = self.path_at(0)?;
        match self.arg(2) {
            0 => self.host.remove(&path)?,
            REMOVE_FOLDER => self.host.remove_folder(&path)?,
            _ => return Err(Errno::INVALID),
        }
        Ok(0)
    }

    fn rename(&mut self) -> Found<u64> {
        let (from, to) = (self.path_at(0)?, self.path_at(2)?);
        self.host.rename(&from, &to).map(|()| 0)
    }

    /// What a path and flags say, or an open file where the path is empty.
    fn status_at(&mut self, flags: u64) -> Found<FileStatus> {
        let path = self.path(self.arg(1))?;
        if path.is_empty() && flags & EMPTY_PATH != 0 {
            return self.host.status(self.file());
        }
        let path = self.path_at(0)?;
        self.host.status_of(&path)
    }

    fn put_status(&mut self, address: u64, s: FileStatus) -> Found<u64> {
        self.put(address, &stat(s))?;
        Ok(0)
    }
}

/// Kind and rights of a file.
fn mode(kind: FileKind) -> u32 {
    match kind {
        FileKind::Plain => 0o100_644,
        FileKind::Folder => 0o040_755,
        FileKind::Stream => 0o020_620,
    }
}

/// Little-endian fields at their places.
fn fields(length: usize, all: &[(usize, u64, usize)]) -> Vec<u8> {
    let mut bytes = vec![0; length];
    for &(at, value, size) in all {
        if let Some(place) = bytes.get_mut(at..at + size) {
            place.copy_from_slice(value.to_le_bytes().get(..size).unwrap_or(&[]));
        }
    }
    bytes
}

/// `struct stat`.
fn stat(s: FileStatus) -> Vec<u8> {
    let (seconds, nanos) = (s.written.as_secs(), u64::from(s.written.subsec_nanos()));
    let times = [72, 88, 104].into_iter().flat_map(|at| [(at, seconds, 8), (at + 8, nanos, 8)]);
    let own = [
        (8, s.id, 8),
        (16, u64::from(mode(s.kind)), 4),
        (20, 1, 4),
        (48, s.size, 8),
        (56, 4096, 4),
        (64, s.size.div_ceil(512), 8),
    ];
    fields(128, &own.into_iter().chain(times).collect::<Vec<_>>())
}

/// `struct statx`, with the basic fields.
fn statx(s: FileStatus) -> Vec<u8> {
    let (seconds, nanos) = (s.written.as_secs(), u64::from(s.written.subsec_nanos()));
    let times = [64, 96, 112].into_iter().flat_map(|at| [(at, seconds, 8), (at + 8, nanos, 4)]);
    let own = [
        (0, 0x7ff, 4),
        (4, 4096, 4),
        (16, 1, 4),
        (28, u64::from(mode(s.kind)), 2),
        (32, s.id, 8),
        (40, s.size, 8),
        (48, s.size.div_ceil(512), 8),
    ];
    fields(256, &own.into_iter().chain(times).collect::<Vec<_>>())
}

/// Does a call about files, or the one that ends the program.
pub(crate) fn file(memory: &mut Memory, host: &mut dyn Host, xlen: u32, number: u64, args: &[u64]) -> Outcome {
    let mut call = Call { memory, host, xlen, args };
    let c = &mut call;
    let result = match number {
        93 | 94 => return Outcome::Exit(c.arg(0) as u32),
        29 => c.host.status(c.file()).and(Err(Errno::NO_TERMINAL)),
        34 => c.path_at(0).and_then(|path| c.host.make_folder(&path)).map(|()| 0),
        35 => c.remove(),
        // renameat, renameat2
        38 | 276 if number == 38 || c.arg(4) == 0 => c.rename(),
        276 => Err(Errno::INVALID),
        48 | 439 => c.path_at(0).and_then(|path| c.host.status_of(&path)).map(|_| 0),
        56 => c.open(),
        57 => c.host.close(c.file()).map(|()| 0),
        62 if xlen == 32 => {
            let by = (c.arg(1) << 32 | c.arg(2) & 0xffff_ffff) as i64;
            c.seek(c.arg(4), by).and_then(|at| c.put(c.arg(3), &at.to_le_bytes())).map(|()| 0)
        }
        62 => c.seek(c.arg(2), c.arg(1) as i64),
        63 => c.read_one(c.arg(1), c.arg(2)),
        64 => c.write_one(c.arg(1), c.arg(2)),
        65 => c.each(Call::read_one),
        66 => c.each(Call::write_one),
        67 if xlen == 64 => c.placed(Call::read_one),
        68 if xlen == 64 => c.placed(Call::write_one),
        // There are no links.
        78 => c.path_at(0).and(Err(Errno::NO_ENTRY)),
        79 if xlen == 64 => c.status_at(c.arg(3)).and_then(|s| c.put_status(c.arg(2), s)),
        80 if xlen == 64 => c.host.status(c.file()).and_then(|s| c.put_status(c.arg(1), s)),
        291 => c.status_at(c.arg(2)).and_then(|s| c.put(c.arg(4), &statx(s))).map(|()| 0),
        _ => return Outcome::Unknown,
    };
    Outcome::Value(result.unwrap_or_else(error))
}
