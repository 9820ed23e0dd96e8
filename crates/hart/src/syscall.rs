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

/// The user and the group of a process, and the owner of all files.
pub(crate) const USER: u64 = 1000;

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
    pub(crate) place: Place<'a>,
}

/// Where a process is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The folder that paths start from, without a `/` at its end; paths stay as they are where there is `None`.
    pub(crate) here: Option<&'a [u8]>,
    /// The rights that new files do not have (`umask`).
    pub(crate) mask: u32,
}

impl Place<'_> {
    /// Of a program that is not a process.
    pub(crate) const NONE: Place<'static> = Place { here: None, mask: 0o022 };
}

impl Call<'_> {
    /// An argument.
    pub(crate) fn arg(&self, number: usize) -> u64 {
        self.args.get(number).copied().unwrap_or(0)
    }

    /// The number of a file, the first argument.
    pub(crate) fn file(&self) -> u32 {
        self.arg(0) as u32
    }

    /// 64 bits in an argument, or in two of a narrow machine.
    pub(crate) fn long(&self, number: usize) -> u64 {
        if self.xlen == 64 { self.arg(number) } else { self.arg(number + 1) << 32 | self.arg(number) & 0xffff_ffff }
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
    pub(crate) fn path(&mut self, address: u64) -> Found<Vec<u8>> {
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
    pub(crate) fn path_at(&mut self, number: usize) -> Found<Vec<u8>> {
        let path = self.path(self.arg(number + 1))?;
        if path.is_empty() {
            return Err(Errno::NO_ENTRY);
        }
        if path.starts_with(b"/") {
            return Ok(path);
        }
        let folder = self.arg(number) as i32;
        let start = match self.place.here {
            _ if folder != HERE => {
                let file = folder as u32;
                if self.host.status(file)?.kind != FileKind::Folder {
                    return Err(Errno::NO_FOLDER);
                }
                self.host.path_of(file)?
            }
            Some(here) => here.to_vec(),
            None => return Ok(path),
        };
        Ok([start.as_slice(), b"/", &path].concat())
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

    pub(crate) fn write_one(&mut self, address: u64, length: u64) -> Found<u64> {
        let bytes = self.bytes(address, length)?;
        Ok(self.host.write(self.file(), &bytes)? as u64)
    }

    pub(crate) fn read_one(&mut self, address: u64, length: u64) -> Found<u64> {
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
        let (file, place) = (self.file(), self.long(3) as i64);
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
            folder: is(0x1_0000),
        };
        let is_new = how.create && self.host.status_of(&path).is_err();
        let file = self.host.open(&path, how)?;
        if is_new {
            self.limit_rights(&path, self.arg(3));
        }
        Ok(file.into())
    }

    /// A new file has the rights that the program asks for, but for those of its mask. A host without rights keeps its own.
    fn limit_rights(&mut self, path: &[u8], wanted: u64) {
        let _ = self.host.set_rights(path, wanted as u32 & 0o777 & !self.place.mask);
    }

    fn make_folder(&mut self) -> Found<u64> {
        let path = self.path_at(0)?;
        self.host.make_folder(&path)?;
        self.limit_rights(&path, self.arg(2));
        Ok(0)
    }

    /// Whether the owner of a file may do this with it.
    fn access(&mut self) -> Found<u64> {
        let path = self.path_at(0)?;
        let status = self.host.status_of(&path)?;
        let wanted = self.arg(2) as u32 & 7;
        if status.rights >> 6 & wanted == wanted { Ok(0) } else { Err(Errno::ACCESS) }
    }

    /// There are no links: what is there is not one.
    fn read_link(&mut self) -> Found<u64> {
        let path = self.path_at(0)?;
        self.host.status_of(&path).and(Err(Errno::INVALID))
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
fn mode(s: FileStatus) -> u32 {
    let kind = match s.kind {
        FileKind::Plain => 0o100_000,
        FileKind::Folder => 0o040_000,
        FileKind::Stream => 0o020_000,
    };
    kind | s.rights & 0o7777
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
        (16, u64::from(mode(s)), 4),
        (20, 1, 4),
        (24, USER, 4),
        (28, USER, 4),
        (48, s.size, 8),
        (56, 4096, 4),
        (64, s.size.div_ceil(4096) * 8, 8),
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
        (20, USER, 4),
        (24, USER, 4),
        (28, u64::from(mode(s)), 2),
        (32, s.id, 8),
        (40, s.size, 8),
        (48, s.size.div_ceil(4096) * 8, 8),
    ];
    fields(256, &own.into_iter().chain(times).collect::<Vec<_>>())
}

/// Does a call about files, or the one that ends the program.
pub(crate) fn file(c: &mut Call<'_>, number: u64) -> Outcome {
    let xlen = c.xlen;
    let result = match number {
        93 | 94 => return Outcome::Exit(c.arg(0) as u32),
        29 => c.host.status(c.file()).and(Err(Errno::NO_TERMINAL)),
        34 => c.make_folder(),
        35 => c.remove(),
        // renameat, renameat2
        38 | 276 if number == 38 || c.arg(4) == 0 => c.rename(),
        276 => Err(Errno::INVALID),
        48 | 439 => c.access(),
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
        67 => c.placed(Call::read_one),
        68 => c.placed(Call::write_one),
        78 => c.read_link(),
        79 if xlen == 64 => c.status_at(c.arg(3)).and_then(|s| c.put_status(c.arg(2), s)),
        80 if xlen == 64 => c.host.status(c.file()).and_then(|s| c.put_status(c.arg(1), s)),
        291 => c.status_at(c.arg(2)).and_then(|s| c.put(c.arg(4), &statx(s))).map(|()| 0),
        _ => return Outcome::Unknown,
    };
    Outcome::Value(result.unwrap_or_else(error))
}
