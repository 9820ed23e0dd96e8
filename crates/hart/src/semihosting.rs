//! Semihosting: what bare programs ask of the host by `slli x0,x0,0x1f; ebreak; srai x0,x0,7`, after "RISC-V Semihosting" and Arm's
//! "Semihosting for AArch32 and AArch64", whose numbers it takes over.
//!
//! The number is in a0, and a1 has its argument, mostly the address of a block of words of the register's width; the result goes to a0.
//! Invariant: only memory that the program has is touched; a block that is not there makes the call fail. The file `:tt` is
//! the console: opened to read it is standard input, to write standard output, to append standard error.

use std::time::Duration;

use crate::host::{Errno, FileKind, From, Open};
use crate::limits::{MAX_FILES, MAX_PATH, MAX_TRANSFER};
use crate::memory::Memory;
use crate::syscall::{Call, Outcome};

/// The three instructions.
const SEQUENCE: [u32; 3] = [0x01f0_1013, 0x0010_0073, 0x4070_5013];
/// The reason that says that a program ended by itself.
const APPLICATION_EXIT: u64 = 0x2_0026;
/// What there is beside the calls of the first version: extended exits, and standard output and error apart.
const FEATURES: &[u8] = b"SHFB\x03";
/// Ticks in a second.
const FREQUENCY: u64 = 1_000_000_000;

/// An open file.
#[derive(Clone, Copy, Debug)]
enum Handle {
    /// A file of the host, by its number; whether the console.
    File(u32, bool),
    /// What there is, and how much of it was read.
    Features(usize),
}

/// What is kept for a program.
#[derive(Clone, Debug)]
pub(crate) struct Semihosting {
    /// Handles are from 1 on.
    files: Vec<Option<Handle>>,
    error: u16,
    began: Duration,
    command_line: Vec<u8>,
    /// The first free address after the program, and the one after its memory.
    heap: (u64, u64),
}

type Found<T> = Result<T, Errno>;

/// Whether there is a call at the `ebreak` at this address.
pub(crate) fn is_call(memory: &mut Memory, pc: u64) -> bool {
    let places = [pc.wrapping_sub(4), pc, pc.wrapping_add(4)];
    let code = memory.view.code;
    let mut half = |at: u64| memory.peek(code, at).ok().map(u32::from);
    let mut whole = |at: u64| Some(half(at)? | half(at.wrapping_add(2))? << 16);
    places.into_iter().zip(SEQUENCE).all(|(at, word)| whole(at) == Some(word))
}

impl Semihosting {
    pub(crate) fn new(command_line: Vec<u8>, heap: (u64, u64), began: Duration) -> Semihosting {
        Semihosting { files: Vec::new(), error: 0, began, command_line, heap }
    }

    /// Does a call; its error is what `SYS_ERRNO` gives next.
    pub(crate) fn call(&mut self, c: &mut Call<'_>, number: u64, argument: u64) -> Outcome {
        let result = match number & 0xffff_ffff {
            0x18 if c.xlen == 32 => return exit(argument, 0),
            0x18 | 0x20 => match block(c, argument) {
                Ok([reason, code]) => return exit(reason, code),
                Err(_) => return Outcome::Exit(1),
            },
            number => self.result(c, number, argument),
        };
        match result {
            Ok(Some(value)) => Outcome::Value(value),
            Ok(None) => Outcome::Unknown,
            Err(e) => {
                self.error = e.0;
                Outcome::Value(u64::MAX)
            }
        }
    }

    /// The result of a call that comes back; nothing if it is not known.
    fn result(&mut self, c: &mut Call<'_>, number: u64, argument: u64) -> Found<Option<u64>> {
        let first = |c: &mut Call<'_>| block(c, argument).map(|[word]: [u64; 1]| word);
        Ok(Some(match number {
            0x01 => self.open(c, argument)?,
            0x02 => {
                let handle = first(c)?;
                let closed = self.handle(handle)?;
                if let Handle::File(file, false) = closed {
                    c.host.close(file)?;
                }
                self.files.get_mut(handle as usize - 1).map(Option::take);
                0
            }
            0x03 => {
                let byte = c.bytes(argument, 1)?;
                c.host.write(1, &byte)?;
                0
            }
            0x04 => {
                let text = text(c, argument, MAX_TRANSFER)?;
                c.host.write(1, &text)?;
                0
            }
            0x05 => self.write(c, argument)?,
            0x06 => self.read(c, argument)?,
            // At the end of the input there is no character.
            0x07 => c.host.read(0, 1)?.first().map_or(u64::MAX, |&byte| byte.into()),
            0x08 => first(c)? >> (c.xlen - 1) & 1,
            0x09 => {
                let handle = first(c)?;
                u64::from(matches!(self.handle(handle)?, Handle::File(file, true) if c.host.is_terminal(file)))
            }
            0x0a => self.seek(c, argument)?,
            0x0c => {
                let handle = first(c)?;
                match self.handle(handle)? {
                    Handle::Features(_) => FEATURES.len() as u64,
                    Handle::File(file, _) => {
                        let status = c.host.status(file)?;
                        if status.kind != FileKind::Plain {
                            return Err(Errno::NO_SEEK);
                        }
                        status.size
                    }
                }
            }
            0x0d => temporary(c, argument)?,
            0x0e => {
                let [name, length] = block(c, argument)?;
                let path = path(c, name, length)?;
                c.host.remove(&path).map(|()| 0)?
            }
            0x0f => {
                let [from, from_length, to, to_length] = block(c, argument)?;
                let (from, to) = (path(c, from, from_length)?, path(c, to, to_length)?);
                c.host.rename(&from, &to).map(|()| 0)?
            }
            // Hundredths of a second.
            0x10 => self.elapsed(c).as_millis() as u64 / 10,
            0x11 => c.host.now().as_secs(),
            0x13 => u64::from(self.error),
            0x15 => self.command_line(c, argument)?,
            0x16 => {
                let at = first(c)?;
                self.heap(c, at)?
            }
            // The caches are always as memory is.
            0x19 => 0,
            0x30 => {
                let ticks = self.elapsed(c).as_nanos() as u64;
                c.put(argument, &ticks.to_le_bytes()).map(|()| 0)?
            }
            0x31 => FREQUENCY,
            _ => return Ok(None),
        }))
    }

    fn elapsed(&self, c: &mut Call<'_>) -> Duration {
        c.host.now().saturating_sub(self.began)
    }

    fn handle(&self, handle: u64) -> Found<Handle> {
        let at = usize::try_from(handle).ok().and_then(|n| n.checked_sub(1)).ok_or(Errno::BAD_FILE)?;
        self.files.get(at).copied().flatten().ok_or(Errno::BAD_FILE)
    }

    fn open(&mut self, c: &mut Call<'_>, at: u64) -> Found<u64> {
        let [name, mode, length] = block(c, at)?;
        let name = path(c, name, length)?;
        // As `fopen` has them: r, r+, w, w+, a, a+, each for text and for bytes.
        let kind = mode / 4;
        if mode > 11 {
            return Err(Errno::INVALID);
        }
        let handle = match name.as_slice() {
            b":tt" => Handle::File(kind as u32, true),
            b":semihosting-features" if kind == 0 => Handle::Features(0),
            b":semihosting-features" => return Err(Errno::ACCESS),
            _ => {
                let both = mode & 2 != 0;
                let how = Open {
                    read: kind == 0 || both,
                    write: kind != 0 || both,
                    create: kind != 0,
                    new: false,
                    truncate: kind == 1,
                    append: kind == 2,
                    folder: false,
                };
                let file = c.host.open(&name, how)?;
                if c.host.status(file).is_ok_and(|s| s.kind == FileKind::Folder) {
                    c.host.close(file)?;
                    return Err(Errno::FOLDER);
                }
                Handle::File(file, false)
            }
        };
        let free = self.files.iter().position(Option::is_none).unwrap_or(self.files.len());
        if free >= MAX_FILES {
            return Err(Errno::TOO_MANY);
        }
        if free == self.files.len() {
            self.files.push(None);
        }
        if let Some(place) = self.files.get_mut(free) {
            *place = Some(handle);
        }
        Ok(free as u64 + 1)
    }

    /// Gives how many bytes were not written.
    fn write(&mut self, c: &mut Call<'_>, at: u64) -> Found<u64> {
        let [handle, address, length] = block(c, at)?;
        let Handle::File(file, _) = self.handle(handle)? else { return Err(Errno::BAD_FILE) };
        let mut done = 0;
        while done < length {
            let bytes = c.bytes(address.wrapping_add(done), length - done)?;
            match c.host.write(file, &bytes)? {
                0 => break,
                count => done += count as u64,
            }
        }
        Ok(length - done)
    }

    /// Gives how many bytes were not read.
    fn read(&mut self, c: &mut Call<'_>, at: u64) -> Found<u64> {
        let [handle, address, length] = block(c, at)?;
        let most = length.min(MAX_TRANSFER) as usize;
        // Before the input is gone: the buffer has to be there.
        c.bytes(address, most as u64)?;
        let bytes = match self.handle(handle)? {
            Handle::File(file, _) => c.host.read(file, most)?,
            Handle::Features(done) => {
                let bytes: Vec<u8> = FEATURES.iter().skip(done).take(most).copied().collect();
                self.set_features(handle, done + bytes.len());
                bytes
            }
        };
        c.put(address, &bytes)?;
        Ok(length - bytes.len() as u64)
    }

    fn set_features(&mut self, handle: u64, done: usize) {
        if let Some(place) = self.files.get_mut(handle as usize - 1) {
            *place = Some(Handle::Features(done));
        }
    }

    fn seek(&mut self, c: &mut Call<'_>, at: u64) -> Found<u64> {
        let [handle, place] = block(c, at)?;
        match self.handle(handle)? {
            Handle::File(file, _) => {
                c.host.seek(file, From::Start, i64::try_from(place).map_err(|_| Errno::INVALID)?)?;
            }
            Handle::Features(_) => self.set_features(handle, (place as usize).min(FEATURES.len())),
        }
        Ok(0)
    }

    /// Writes the command line, and its length into the block.
    fn command_line(&self, c: &mut Call<'_>, at: u64) -> Found<u64> {
        let [address, room] = block(c, at)?;
        if self.command_line.len() as u64 >= room {
            return Err(Errno::RANGE);
        }
        c.put(address, &[self.command_line.as_slice(), b"\0"].concat())?;
        let word = u64::from(c.xlen / 8);
        put_words(c, at.wrapping_add(word), &[self.command_line.len() as u64]).map(|()| 0)
    }

    /// Where heap and stack may be: they grow towards each other.
    fn heap(&self, c: &mut Call<'_>, at: u64) -> Found<u64> {
        let (first, end) = self.heap;
        put_words(c, at, &[first, end, end, first]).map(|()| 0)
    }
}

fn exit(reason: u64, code: u64) -> Outcome {
    Outcome::Exit(if reason == APPLICATION_EXIT { code as u32 } else { 1 })
}

/// The words of a block.
fn block<const N: usize>(c: &mut Call<'_>, at: u64) -> Found<[u64; N]> {
    let size = u64::from(c.xlen / 8);
    let mut words = [0; N];
    for (word, n) in words.iter_mut().zip(0..) {
        *word = c.word(at.wrapping_add(n * size))?;
    }
    Ok(words)
}

fn put_words(c: &mut Call<'_>, at: u64, words: &[u64]) -> Found<()> {
    let size = c.xlen as usize / 8;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(size)).collect();
    c.put(at, &bytes)
}

/// A text that ends with a zero, of at most so many bytes.
fn text(c: &mut Call<'_>, address: u64, most: u64) -> Found<Vec<u8>> {
    let mut text = Vec::new();
    for at in 0..most {
        match c.bytes(address.wrapping_add(at), 1)?.first() {
            Some(&byte) if byte != 0 => text.push(byte),
            _ => break,
        }
    }
    Ok(text)
}

/// A path by its address and length.
fn path(c: &mut Call<'_>, address: u64, length: u64) -> Found<Vec<u8>> {
    // ENAMETOOLONG
    if length >= MAX_PATH { Err(Errno(36)) } else { c.bytes(address, length) }
}

/// A name for a file, the same for the same number.
fn temporary(c: &mut Call<'_>, at: u64) -> Found<u64> {
    let [address, number, room] = block(c, at)?;
    let name = format!("isaglot-{:02x}.tmp\0", number & 0xff);
    if number > 0xff || name.len() as u64 > room {
        return Err(Errno::RANGE);
    }
    c.put(address, name.as_bytes()).map(|()| 0)
}
