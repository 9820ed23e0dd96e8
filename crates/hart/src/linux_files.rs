//! System calls about files that only a process of Linux makes: lists of folders, more numbers for one file, pipes, waiting, lengths, times
//! and rights, and the folder where the process is.
//!
//! Numbers and layouts are those of Linux on RISC-V. Invariant: a process is alone, so what would wait for another process gives an error.
//! There are no links, no owners beside the process, and of the times of a file only the last write.

use std::time::Duration;

use crate::host::{Entry, Errno, FileKind, From, Open, Ready};
use crate::limits::{MAX_FILES, MAX_PATH, MAX_TRANSFER};
use crate::syscall::{self, Call, Outcome, USER};

type Found<T> = Result<T, Errno>;

/// Where a process is, and which rights its new files do not have.
#[derive(Clone, Debug)]
pub(crate) struct Here {
    /// Without a `/` at its end; empty at the top.
    pub(crate) folder: Vec<u8>,
    pub(crate) mask: u32,
}

impl Here {
    pub(crate) fn new() -> Here {
        Here { folder: Vec::new(), mask: 0o022 }
    }

    /// Goes to a folder.
    fn go(&mut self, c: &mut Call<'_>, path: &[u8]) -> Found<u64> {
        if c.host.status_of(path)?.kind != FileKind::Folder {
            return Err(Errno::NO_FOLDER);
        }
        let mut parts: Vec<&[u8]> = Vec::new();
        for part in path.split(|&byte| byte == b'/') {
            match part {
                b"" | b"." => {}
                b".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let folder: Vec<u8> = parts.iter().flat_map(|part| [b"/", *part].concat()).collect();
        if folder.len() as u64 >= MAX_PATH {
            return Err(Errno::RANGE);
        }
        self.folder = folder;
        Ok(0)
    }

    /// `getcwd`: gives the length with the final zero.
    fn tell(&self, c: &mut Call<'_>) -> Found<u64> {
        let path = if self.folder.is_empty() { b"/" } else { self.folder.as_slice() };
        if c.arg(1) <= path.len() as u64 {
            return Err(Errno::RANGE);
        }
        c.put(c.arg(0), &[path, b"\0"].concat())?;
        Ok(path.len() as u64 + 1)
    }

    /// Does a call of this file.
    pub(crate) fn call(&mut self, c: &mut Call<'_>, number: u64) -> Outcome {
        let result = match number {
            17 => self.tell(c),
            23 => c.host.duplicate(c.file(), 0).map(u64::from),
            24 => duplicate_to(c),
            25 => control(c),
            // mknodat, symlinkat, linkat
            33 => c.path_at(0).and(Err(Errno::NOT_PERMITTED)),
            36 => c.path_at(1).and(Err(Errno::NOT_PERMITTED)),
            37 => c.path_at(0).and(Err(Errno::NOT_PERMITTED)),
            45 => cut_path(c),
            46 => c.host.set_length(c.file(), c.long(1)).map(|()| 0),
            47 => allocate(c),
            49 => {
                // A path alone, as if it were from here.
                let path = c.path(c.arg(0));
                path.and_then(|path| self.whole(path)).and_then(|path| self.go(c, &path))
            }
            50 => c.host.path_of(c.file()).and_then(|path| self.go(c, &path)),
            52 => c.host.path_of(c.file()).and_then(|path| rights(c, &path, 1)),
            53 | 452 => c.path_at(0).and_then(|path| rights(c, &path, 2)),
            54 => c.path_at(0).and_then(|path| owner(c, &path, 2)),
            55 => c.host.path_of(c.file()).and_then(|path| owner(c, &path, 1)),
            59 => pipe(c),
            61 => list(c),
            71 => send(c),
            72 | 413 => select(c),
            73 | 414 => poll(c),
            // sync, and syncfs, fsync, fdatasync, flock, fadvise64, readahead: nothing is kept back.
            81 => Ok(0),
            267 | 82 | 83 | 32 | 223 | 213 => c.host.status(c.file()).map(|_| 0),
            88 | 412 => set_time(c),
            166 => {
                let old = self.mask;
                self.mask = c.arg(0) as u32 & 0o777;
                Ok(old.into())
            }
            // copy_file_range: programs read and write instead.
            285 => Err(Errno::NO_CALL),
            _ => return Outcome::Unknown,
        };
        Outcome::Value(result.unwrap_or_else(syscall::error))
    }

    fn whole(&self, path: Vec<u8>) -> Found<Vec<u8>> {
        match path.first() {
            None => Err(Errno::NO_ENTRY),
            Some(b'/') => Ok(path),
            Some(_) => Ok([self.folder.as_slice(), b"/", &path].concat()),
        }
    }
}

fn duplicate_to(c: &mut Call<'_>) -> Found<u64> {
    let (file, to) = (c.file(), c.arg(1) as u32);
    if file == to || c.arg(2) & !0x8_0000 != 0 {
        return Err(Errno::INVALID);
    }
    if to as usize >= MAX_FILES {
        return Err(Errno::BAD_FILE);
    }
    c.host.duplicate_to(file, to)?;
    Ok(to.into())
}

/// `fcntl`.
fn control(c: &mut Call<'_>) -> Found<u64> {
    let file = c.file();
    c.host.status(file)?;
    match c.arg(1) {
        // F_DUPFD, F_DUPFD_CLOEXEC
        0 | 1030 => match u32::try_from(c.arg(2)).ok().filter(|&n| (n as usize) < MAX_FILES) {
            Some(least) => c.host.duplicate(file, least).map(u64::from),
            None => Err(Errno::INVALID),
        },
        // Flags of a file that nobody executes; its own flags, of which only the way of access is known.
        1 | 2 | 4 => Ok(0),
        3 => Ok(2),
        // F_GETLK: nobody else has a lock (F_UNLCK). F_SETLK, F_SETLKW.
        5 => c.put(c.arg(2), &2_u16.to_le_bytes()).map(|()| 0),
        6 | 7 => Ok(0),
        _ => Err(Errno::INVALID),
    }
}

/// `truncate`.
fn cut_path(c: &mut Call<'_>) -> Found<u64> {
    let path = c.path(c.arg(0))?;
    let path = match (path.first(), c.place.here) {
        (None, _) => return Err(Errno::NO_ENTRY),
        (Some(b'/'), _) | (_, None) => path,
        (Some(_), Some(here)) => [here, b"/", &path].concat(),
    };
    let file = c.host.open(&path, Open { write: true, ..Open::default() })?;
    let done = c.host.set_length(file, c.long(1));
    c.host.close(file)?;
    done.map(|()| 0)
}

/// `fallocate`, of which only the first form is there: the file is at least so long.
fn allocate(c: &mut Call<'_>) -> Found<u64> {
    let narrow = c.xlen == 32;
    let (from, length) = (c.long(2), c.long(if narrow { 4 } else { 3 }));
    if c.arg(1) != 0 {
        // EOPNOTSUPP
        return Err(Errno(95));
    }
    let end = from.checked_add(length).filter(|_| length > 0).ok_or(Errno::INVALID)?;
    if c.host.status(c.file())?.size < end {
        c.host.set_length(c.file(), end)?;
    }
    Ok(0)
}

/// `fchmod` and `fchmodat`.
fn rights(c: &mut Call<'_>, path: &[u8], argument: usize) -> Found<u64> {
    c.host.set_rights(path, c.arg(argument) as u32 & 0o7777).map(|()| 0)
}

/// `fchown` and `fchownat`: to whom it belongs already.
fn owner(c: &mut Call<'_>, path: &[u8], argument: usize) -> Found<u64> {
    c.host.status_of(path)?;
    let is_own = |id: u64| id as u32 == u32::MAX || u64::from(id as u32) == USER;
    if is_own(c.arg(argument)) && is_own(c.arg(argument + 1)) { Ok(0) } else { Err(Errno::NOT_PERMITTED) }
}

fn pipe(c: &mut Call<'_>) -> Found<u64> {
    // Before there is one: its numbers have to go somewhere.
    c.bytes(c.arg(0), 8)?;
    let (read, write) = c.host.pipe()?;
    c.put(c.arg(0), &[read, write].map(u32::to_le_bytes).concat()).map(|()| 0)
}

/// An entry as `getdents64` gives it; `after` is the position of the next one.
fn record(entry: &Entry, after: u64) -> Vec<u8> {
    let kind = match entry.kind {
        FileKind::Plain => 8,
        FileKind::Folder => 4,
        FileKind::Stream => 2,
    };
    let length = (19 + entry.name.len() + 1).next_multiple_of(8);
    let mut bytes = [entry.id.to_le_bytes(), after.to_le_bytes()].concat();
    bytes.extend((length as u16).to_le_bytes());
    bytes.push(kind);
    bytes.extend(&entry.name);
    bytes.resize(length, 0);
    bytes
}

/// `getdents64`: as many entries of a folder as fit.
fn list(c: &mut Call<'_>) -> Found<u64> {
    let (file, room) = (c.file(), c.arg(2).min(MAX_TRANSFER) as usize);
    if c.host.status(file)?.kind != FileKind::Folder {
        return Err(Errno::NO_FOLDER);
    }
    let mut all = Vec::new();
    loop {
        let at = c.host.seek(file, From::Here, 0)?;
        let Some(entry) = c.host.entry(file)? else { break };
        let bytes = record(&entry, at + 1);
        if all.len() + bytes.len() > room {
            c.host.seek(file, From::Start, at as i64)?;
            if all.is_empty() {
                return Err(Errno::INVALID);
            }
            break;
        }
        all.extend(bytes);
    }
    c.put(c.arg(1), &all)?;
    Ok(all.len() as u64)
}

/// `sendfile`: from one file to another, from a place that the program gives or from where the file is.
fn send(c: &mut Call<'_>) -> Found<u64> {
    let (to, from, place, length) = (c.file(), c.arg(1) as u32, c.arg(2), c.arg(3).min(MAX_TRANSFER));
    if c.host.status(from)?.kind != FileKind::Plain {
        return Err(Errno::INVALID);
    }
    c.host.status(to)?;
    let before = c.host.seek(from, From::Here, 0)?;
    let start = match place {
        0 => before,
        // `sendfile64` of a narrow machine has 64 bits, too.
        place => c.bytes(place, 8)?.try_into().map_or(0, u64::from_le_bytes),
    };
    c.host.seek(from, From::Start, i64::try_from(start).map_err(|_| Errno::INVALID)?)?;
    let bytes = c.host.read(from, length as usize);
    let done = bytes.and_then(|bytes| if bytes.is_empty() { Ok(0) } else { c.host.write(to, &bytes) });
    let after = if place == 0 { start + done.map_or(0, |n| n as u64) } else { before };
    c.host.seek(from, From::Start, after as i64)?;
    let done = done? as u64;
    if place != 0 {
        c.put(place, &(start + done).to_le_bytes())?;
    }
    Ok(done)
}

/// A time in memory, seconds and billionths; none at the address 0.
fn time(c: &mut Call<'_>, address: u64) -> Found<Option<(u64, u64)>> {
    if address == 0 {
        return Ok(None);
    }
    let bytes = c.bytes(address, 16)?;
    let word = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
    Ok(Some((word(0), word(8))))
}

/// Waits as long as a call may, since nothing else can happen meanwhile. Without a limit it would be for ever.
fn wait(c: &mut Call<'_>, address: u64) -> Found<u64> {
    let (seconds, nanos) = time(c, address)?.ok_or(Errno::AGAIN)?;
    let nanos = u32::try_from(nanos).ok().filter(|&n| n < 1_000_000_000).ok_or(Errno::INVALID)?;
    c.host.sleep(Duration::new(seconds, nanos));
    Ok(0)
}

/// `POLLIN`, `POLLOUT`, `POLLERR`, `POLLHUP`, `POLLNVAL`.
const IN: u16 = 1;
const OUT: u16 = 4;
const BROKEN: u16 = 8;
const HUNG_UP: u16 = 0x10;
const INVALID: u16 = 0x20;

/// `ppoll`.
fn poll(c: &mut Call<'_>) -> Found<u64> {
    let (list, count) = (c.arg(0), c.arg(1));
    if count > MAX_FILES as u64 {
        return Err(Errno::INVALID);
    }
    let mut found = 0;
    for at in 0..count {
        let place = list.wrapping_add(8 * at);
        let bytes = c.bytes(place, 8)?;
        let [a, b, d, e, low, high, ..] = bytes.as_slice() else { return Err(Errno::FAULT) };
        let (file, wanted) = (i32::from_le_bytes([*a, *b, *d, *e]), u16::from_le_bytes([*low, *high]));
        let events = match u32::try_from(file).map(|file| c.host.ready(file)) {
            Err(_) => 0,
            Ok(Err(_)) => INVALID,
            Ok(Ok(Ready { read, write, closed })) => {
                let ready = if read { IN } else { 0 } | if write { OUT } else { 0 };
                // Nobody reads what is written, or nobody writes any more.
                let end = if write { BROKEN } else { HUNG_UP };
                ready & wanted | if closed { end } else { 0 }
            }
        };
        found += u64::from(events != 0);
        c.put(place.wrapping_add(6), &events.to_le_bytes())?;
    }
    if found == 0 { wait(c, c.arg(2)) } else { Ok(found) }
}

/// `pselect6`.
fn select(c: &mut Call<'_>) -> Found<u64> {
    let count = c.arg(0);
    if count > MAX_FILES as u64 {
        return Err(Errno::INVALID);
    }
    // Files are bits of words.
    let length = count.div_ceil(64) * 8;
    let mut found = 0;
    for (argument, is_ready) in [(1, (|r| r.read || r.closed) as fn(Ready) -> bool), (2, |r| r.write), (3, |_| false)] {
        let address = c.arg(argument);
        if address == 0 {
            continue;
        }
        let mut bits = c.bytes(address, length)?;
        for file in 0..count {
            let (at, bit) = (file as usize / 8, 1_u8 << (file % 8));
            let Some(byte) = bits.get_mut(at).filter(|byte| **byte & bit != 0) else { continue };
            if is_ready(c.host.ready(file as u32)?) {
                found += 1;
            } else {
                *byte &= !bit;
            }
        }
        c.put(address, &bits)?;
    }
    if found == 0 { wait(c, c.arg(4)) } else { Ok(found) }
}

/// `UTIME_NOW` and `UTIME_OMIT`, in place of billionths.
const NOW: u64 = 0x3fff_ffff;
const OMIT: u64 = 0x3fff_fffe;

/// `utimensat`: the second time is that of the last write.
fn set_time(c: &mut Call<'_>) -> Found<u64> {
    let path = if c.arg(1) == 0 { c.host.path_of(c.file())? } else { c.path_at(0)? };
    let given = match c.arg(2) {
        0 => None,
        times => time(c, times.wrapping_add(16))?,
    };
    let written = match given {
        Some((_, OMIT)) => return c.host.status_of(&path).map(|_| 0),
        None | Some((_, NOW)) => c.host.now(),
        Some((seconds, nanos)) => {
            let nanos = u32::try_from(nanos).ok().filter(|&n| n < 1_000_000_000).ok_or(Errno::INVALID)?;
            Duration::new(seconds, nanos)
        }
    };
    c.host.set_written(&path, written).map(|()| 0)
}
