//! The files that a program has open, by their numbers: the console, files, folders, both ends of pipes. Several numbers can stand for one,
//! and then have one position.
//!
//! Invariant: a number is never given twice at the same time, and a new one is the lowest that is free. A pipe ends for its reader when no
//! number stands for its other end, and holds a bounded number of bytes.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fs::File;
use std::rc::{Rc, Weak};

use isaglot_hart::{Entry, Errno, From, limits::MAX_FILES};

/// The most bytes that a pipe holds, as on Linux.
const PIPE: usize = 1 << 16;

/// What a number stands for.
#[derive(Clone)]
pub(super) enum Handle {
    Input,
    Output,
    Error,
    File(Rc<Opened>),
    Folder(Rc<Folder>),
    Reader(Rc<End>),
    Writer(Rc<End>),
}

/// An open file, and the path by which the program opened it.
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) path: Vec<u8>,
}

/// An open folder: its entries when it was opened, by name.
pub(super) struct Folder {
    pub(super) path: Vec<u8>,
    entries: Vec<Entry>,
    next: Cell<usize>,
}

impl Folder {
    pub(super) fn new(path: Vec<u8>, entries: Vec<Entry>) -> Folder {
        Folder { path, entries, next: Cell::new(0) }
    }

    pub(super) fn entry(&self) -> Option<Entry> {
        let entry = self.entries.get(self.next.get())?;
        self.next.set(self.next.get() + 1);
        Some(entry.clone())
    }

    pub(super) fn seek(&self, from: From, by: i64) -> Result<u64, Errno> {
        let start = match from {
            From::Start => 0,
            From::Here => self.next.get(),
            From::End => self.entries.len(),
        };
        let to = i64::try_from(start).ok().and_then(|start| start.checked_add(by));
        let to = to.and_then(|to| usize::try_from(to).ok()).ok_or(Errno::INVALID)?;
        self.next.set(to);
        Ok(to as u64)
    }
}

/// One end of a pipe. The other one is known as long as a number stands for it.
pub(super) struct End {
    bytes: Rc<RefCell<VecDeque<u8>>>,
    other: RefCell<Weak<End>>,
}

impl End {
    fn is_closed(&self) -> bool {
        self.other.borrow().strong_count() == 0
    }

    /// What there is. Nothing at the end; an error where it would wait for ever, since the program is alone.
    pub(super) fn read(&self, length: usize) -> Result<Vec<u8>, Errno> {
        let mut bytes = self.bytes.borrow_mut();
        if bytes.is_empty() && !self.is_closed() && length > 0 {
            return Err(Errno::AGAIN);
        }
        let length = length.min(bytes.len());
        Ok(bytes.drain(..length).collect())
    }

    pub(super) fn write(&self, new: &[u8]) -> Result<usize, Errno> {
        if self.is_closed() {
            return Err(Errno::NO_READER);
        }
        let mut bytes = self.bytes.borrow_mut();
        let taken = new.get(..new.len().min(PIPE - bytes.len())).unwrap_or(&[]);
        if taken.is_empty() && !new.is_empty() {
            return Err(Errno::AGAIN);
        }
        bytes.extend(taken);
        Ok(taken.len())
    }

    /// Whether there is something to read, whether something can be written, whether the other end is closed.
    pub(super) fn ready(&self) -> (bool, bool, bool) {
        let (length, closed) = (self.bytes.borrow().len(), self.is_closed());
        (length > 0, length < PIPE || closed, closed)
    }
}

/// The numbers.
pub(super) struct Files(Vec<Option<Handle>>);

impl Files {
    /// With the console: standard input, output and error.
    pub(super) fn new() -> Files {
        Files(vec![Some(Handle::Input), Some(Handle::Output), Some(Handle::Error)])
    }

    pub(super) fn get(&self, number: u32) -> Result<Handle, Errno> {
        self.0.get(number as usize).cloned().flatten().ok_or(Errno::BAD_FILE)
    }

    /// Gives it the lowest number that is free and not below this one.
    pub(super) fn add(&mut self, handle: Handle, least: u32) -> Result<u32, Errno> {
        let free = (least as usize..MAX_FILES).find(|&at| self.0.get(at).is_none_or(Option::is_none));
        let free = free.ok_or(Errno::TOO_MANY)? as u32;
        self.set(free, handle)?;
        Ok(free)
    }

    /// Gives it this number; what had it is closed.
    pub(super) fn set(&mut self, number: u32, handle: Handle) -> Result<(), Errno> {
        let at = number as usize;
        if at >= MAX_FILES {
            return Err(Errno::BAD_FILE);
        }
        if at >= self.0.len() {
            self.0.resize(at + 1, None);
        }
        if let Some(place) = self.0.get_mut(at) {
            *place = Some(handle);
        }
        Ok(())
    }

    pub(super) fn close(&mut self, number: u32) -> Result<(), Errno> {
        self.0.get_mut(number as usize).and_then(Option::take).map(drop).ok_or(Errno::BAD_FILE)
    }

    /// Makes a pipe; gives the numbers of its reader and its writer.
    pub(super) fn pipe(&mut self) -> Result<(u32, u32), Errno> {
        let bytes = Rc::new(RefCell::new(VecDeque::new()));
        let reader = Rc::new(End { bytes: Rc::clone(&bytes), other: RefCell::new(Weak::new()) });
        let writer = Rc::new(End { bytes, other: RefCell::new(Rc::downgrade(&reader)) });
        *reader.other.borrow_mut() = Rc::downgrade(&writer);
        let read = self.add(Handle::Reader(reader), 0)?;
        match self.add(Handle::Writer(writer), 0) {
            Ok(write) => Ok((read, write)),
            Err(e) => self.close(read).and(Err(e)),
        }
    }
}
