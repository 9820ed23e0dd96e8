//! Memory: pages that come into being when they are touched, inside given regions. `view` says how the addresses of a program
//! become those of memory.
//!
//! The problem: nearly every access is to a page that was used just before, and must cost no more than a comparison; yet
//! a store to code has to be noticed. The method: two small direct-mapped tables from page numbers to places, one for
//! reads and one for writes, by the addresses of the program; a page that holds decoded code, or a watched word, is never in
//! the one for writes, so that stores to it take the slow way, which looks closer.

use isaglot_invariant::Impossible as _;

use rustc_hash::FxHashMap;

use crate::cause::{Cause, Fault};
use crate::clint::Clint;
use crate::limits::MAX_MEMORY;
use crate::plic::Plic;
use crate::protection::{Access, Protection};
use crate::uart::{self, Uart};
use crate::view::{Looking, Space, View, access_fault};
use crate::watch::{Access as Watched, Watchpoint};

/// Bits of an address inside a page.
pub(crate) const PAGE_BITS: u32 = 12;
/// Bytes of a page.
pub(crate) const PAGE: usize = 1 << PAGE_BITS;
/// Entries of a table of recent pages.
pub(crate) const RECENT: usize = 1024;
/// Code is marked in pieces of so many bytes: 64 of them make a page.
const PIECE_BITS: u32 = 6;
/// No page has this number.
const NONE: u64 = u64::MAX;

/// A page that was used: its number, and where it is.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "jit", repr(C, align(32)))]
pub(crate) struct Entry {
    pub(crate) page: u64,
    /// In `data`.
    base: u32,
    /// What an address in it lacks to be the host's.
    #[cfg(feature = "jit")]
    pub(crate) host: u64,
}

const NO_ENTRY: Entry = Entry {
    page: NONE,
    base: 0,
    #[cfg(feature = "jit")]
    host: 0,
};

/// A machine's memory, little-endian, all zero at first.
#[derive(Clone, Debug)]
pub struct Memory {
    /// First address and length.
    regions: Vec<(u64, u64)>,
    data: Vec<u8>,
    pages: FxHashMap<u64, usize>,
    /// Places of pages that are gone.
    free: Vec<usize>,
    pub(crate) reads: [Entry; RECENT],
    pub(crate) writes: [Entry; RECENT],
    /// Where the host has the data that the entries speak of.
    #[cfg(feature = "jit")]
    data_at: usize,
    /// Pieces of a page with decoded code, a bit each.
    code: FxHashMap<u64, u64>,
    /// Double words that the host looks at: where the program writes to it, and where it answers.
    watch: [Option<u64>; 2],
    /// Which bytes of each were stored to, a bit each.
    pub(crate) stored: [u8; 2],
    /// A store to them is done. Otherwise it is refused, so that its instruction can be run by itself.
    pub(crate) alone: bool,
    /// Decoded code was overwritten.
    pub(crate) overwritten: bool,
    /// That, or a watched double word was stored to, or how addresses are found has changed.
    pub(crate) attention: bool,
    /// What a debugger wants to know of. Such a page is not in the tables of recent pages.
    watchpoints: Vec<Watchpoint>,
    /// The one that an instruction was refused for.
    pub(crate) hit: Option<(u64, Watched)>,
    /// How addresses are found.
    pub(crate) view: View,
    /// The space of an access that is not the view's.
    pub(crate) through: Option<Space>,
    /// Of the last fault of a guest's second stage: the address in it, and what stands for the instruction where none made the access.
    pub(crate) guest_fault: Option<(u64, u64)>,
    /// There is something to check.
    pub(crate) is_guarded: bool,
    pub(crate) protection: Protection,
    /// Accessed and dirty bits are set, rather than asked for by a fault.
    pub(crate) marks_entries: bool,
    /// Code that was decoded may be elsewhere.
    pub(crate) translations_changed: bool,
    pub(crate) clint: Clint,
    pub(crate) plic: Plic,
    pub(crate) uart: Uart,
    /// The program waits for input.
    pub(crate) waits: bool,
    /// A device was used, so interrupts may be there that were not.
    pub(crate) device_changed: bool,
}

impl Memory {
    /// Memory in these regions, each a first address and a length in bytes.
    pub fn new(regions: &[(u64, u64)]) -> Memory {
        Memory {
            regions: regions.to_vec(),
            data: Vec::new(),
            pages: FxHashMap::default(),
            free: Vec::new(),
            reads: [NO_ENTRY; RECENT],
            writes: [NO_ENTRY; RECENT],
            #[cfg(feature = "jit")]
            data_at: 0,
            code: FxHashMap::default(),
            watch: [None; 2],
            stored: [0; 2],
            alone: false,
            overwritten: false,
            attention: false,
            watchpoints: Vec::new(),
            hit: None,
            view: View::PLAIN,
            through: None,
            guest_fault: None,
            is_guarded: false,
            protection: Protection::new(),
            marks_entries: true,
            translations_changed: false,
            clint: Clint::new(),
            plic: Plic::new(),
            uart: Uart::new(),
            waits: false,
            device_changed: false,
        }
    }

    /// Adds a region.
    pub fn add_region(&mut self, first: u64, length: u64) {
        // One that grows stays one.
        let end = |r: &(u64, u64)| r.0.saturating_add(r.1);
        if let Some(before) = self.regions.iter_mut().find(|r| end(r) == first) {
            before.1 = before.1.saturating_add(length);
        } else if let Some(after) = self.regions.iter_mut().find(|r| r.0 == first.saturating_add(length)) {
            (after.0, after.1) = (first, after.1.saturating_add(length));
        } else {
            self.regions.push((first, length));
        }
    }

    /// How many regions there are.
    pub(crate) fn region_count(&self) -> usize {
        self.regions.len()
    }

    /// Whether any of it is in a region.
    pub(crate) fn has_region(&self, first: u64, length: u64) -> bool {
        self.regions.iter().any(|&(r, l)| r < first.saturating_add(length) && first < r.saturating_add(l))
    }

    /// The numbers of the pages that are there, of whole pages.
    fn pages_of(&self, first: u64, length: u64) -> Vec<u64> {
        let (from, to) = (first >> PAGE_BITS, first.saturating_add(length) >> PAGE_BITS);
        if to - from < self.pages.len() as u64 {
            return (from..to).filter(|page| self.pages.contains_key(page)).collect();
        }
        let mut found: Vec<u64> = self.pages.keys().copied().filter(|page| (from..to).contains(page)).collect();
        found.sort_unstable();
        found
    }

    /// Pages have gone or moved.
    fn changed(&mut self) {
        self.forget_places();
        (self.overwritten, self.attention) = (true, true);
    }

    fn cut(&mut self, first: u64, length: u64) {
        let last = first.saturating_add(length);
        let pieces = |&(r, l): &(u64, u64)| {
            let end = r.saturating_add(l);
            [(r, first.clamp(r, end) - r), (last.clamp(r, end), end - last.clamp(r, end))]
        };
        self.regions = self.regions.iter().flat_map(pieces).filter(|r| r.1 > 0).collect();
    }

    /// Takes whole pages away. Where there is none, nothing happens.
    pub(crate) fn remove_region(&mut self, first: u64, length: u64) {
        self.cut(first, length);
        let gone = self.pages_of(first, length);
        if gone.is_empty() {
            return;
        }
        for page in gone {
            self.free.extend(self.pages.remove(&page));
        }
        self.changed();
    }

    /// Moves whole pages elsewhere, where more may be free; `false` if they are not there.
    pub(crate) fn move_region(&mut self, first: u64, length: u64, to: u64, new_length: u64) -> bool {
        if !self.has_region(first, length) {
            return false;
        }
        self.cut(first, length);
        self.add_region(to, new_length);
        for page in self.pages_of(first, length) {
            if let Some(base) = self.pages.remove(&page) {
                self.pages.insert(page - (first >> PAGE_BITS) + (to >> PAGE_BITS), base);
            }
        }
        self.changed();
        true
    }

    /// Reports stores to the double word at this address as those of number 0 or 1.
    pub(crate) fn watch(&mut self, number: usize, address: u64) {
        if let Some(place) = self.watch.get_mut(number) {
            *place = Some(address & !7);
        }
        self.forget_writes();
    }

    /// The places that a debugger wants to know of.
    pub(crate) fn set_watchpoints(&mut self, watchpoints: &[Watchpoint]) {
        self.watchpoints = watchpoints.to_vec();
        self.forget_places();
    }

    /// Whether a watchpoint of this kind of access is on a page, so that accesses to it take the slow way.
    fn is_watched(&self, page: u64, access: Watched) -> bool {
        let on = |w: &Watchpoint| w.first >> PAGE_BITS <= page && page <= w.last() >> PAGE_BITS;
        self.watchpoints.iter().any(|w| w.sees(access) && on(w))
    }

    /// Whether an access may be: one that hits a watchpoint is noted and refused, unless its instruction is run by itself.
    fn passes(&mut self, address: u64, length: usize, access: Watched) -> bool {
        if self.watchpoints.is_empty() {
            return true;
        }
        let last = address.saturating_add(length as u64 - 1);
        let meets = |w: &&Watchpoint| w.sees(access) && w.first <= last && address <= w.last();
        let Some(found) = self.watchpoints.iter().find(meets) else { return true };
        if !self.alone {
            self.hit = Some((found.first.max(address), access));
        }
        self.alone
    }

    /// The bytes of a watched double word that a store covers.
    fn watched(&self, number: usize, address: u64, length: usize) -> u8 {
        let Some(first) = self.watch.get(number).copied().flatten() else { return 0 };
        (0..8).filter(|at| (first + at).wrapping_sub(address) < length as u64).map(|at| 1 << at).sum()
    }

    fn entry(&self, page: u64, base: usize) -> Entry {
        Entry {
            page,
            // Less than `MAX_MEMORY`.
            base: base as u32,
            #[cfg(feature = "jit")]
            host: (self.data_at as u64).wrapping_add(base as u64).wrapping_sub(page << PAGE_BITS),
        }
    }

    /// Forgets where pages are.
    pub(crate) fn forget_places(&mut self) {
        self.forget_writes();
        self.reads.fill(NO_ENTRY);
    }

    fn forget_writes(&mut self) {
        self.writes.fill(NO_ENTRY);
    }

    /// Whether the page of an address is there; it is made if it may be.
    fn place(&mut self, page: u64) -> Option<usize> {
        if let Some(&base) = self.pages.get(&page) {
            return Some(base);
        }
        let first = page << PAGE_BITS;
        let last = first | (PAGE as u64 - 1);
        // A page belongs to a region that any byte of it belongs to.
        let inside =
            self.regions.iter().any(|&(r, length)| length > 0 && r <= last && r.saturating_add(length - 1) >= first);
        let base = match self.free.last() {
            _ if !inside => return None,
            Some(&base) => {
                self.free.pop();
                self.data.get_mut(base..base + PAGE)?.fill(0);
                base
            }
            None if self.data.len() + PAGE > MAX_MEMORY => return None,
            None => {
                let base = self.data.len();
                self.data.resize(base + PAGE, 0);
                base
            }
        };
        self.pages.insert(page, base);
        Some(base)
    }

    /// Reads so many bytes.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Fault> {
        let entry = &self.reads[(address >> PAGE_BITS) as usize % RECENT];
        let at = entry.base as usize + (address as usize & (PAGE - 1));
        // The entry of the page of the first byte, and the number of that of the last byte: equal only if both are the same page.
        if entry.page == address.wrapping_add(N as u64 - 1) >> PAGE_BITS
            && let Some(bytes) = self.data.get(at..at + N)
            && let Ok(bytes) = bytes.try_into()
        {
            return Ok(bytes);
        }
        self.load_slow(address)
    }

    #[cold]
    #[inline(never)]
    fn load_slow<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Fault> {
        if !self.passes(address, N, Watched::Load) {
            return Err(Fault { is_alone: true, ..Fault::new(Cause::LoadAccess, address) });
        }
        let mut bytes = [0; N];
        let mut done = 0;
        for (from, length) in pieces(Access::Load, address, N)? {
            let place = self.locate(Access::Load, from, length as u64)?;
            let into = bytes.get_mut(done..done + length).or_impossible(&mut []);
            done += length;
            let Some(base) = self.place(place.at >> PAGE_BITS) else {
                self.load_device(place.at, from, into)?;
                continue;
            };
            let at = base + (place.at as usize & (PAGE - 1));
            into.copy_from_slice(self.data.get(at..at + length).or_impossible(&[]));
            let page = from >> PAGE_BITS;
            if place.keep && !self.is_watched(page, Watched::Load) {
                self.reads[page as usize % RECENT] = self.entry(page, base);
            }
        }
        Ok(bytes)
    }

    /// Reads bytes as a program of a space would.
    pub(crate) fn load_through<const N: usize>(&mut self, space: Space, address: u64) -> Result<[u8; N], Fault> {
        self.through = Some(space);
        let loaded = self.load_slow(address);
        self.through = None;
        loaded
    }

    /// Writes bytes as a program of a space would.
    pub(crate) fn store_through(&mut self, space: Space, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.through = Some(space);
        let stored = self.store_slow(address, bytes);
        self.through = None;
        stored
    }

    /// Reads from a device, by an instruction that runs by itself so that the time is exact.
    fn load_device(&mut self, at: u64, address: u64, into: &mut [u8]) -> Result<(), Fault> {
        let fault = Fault::new(Cause::LoadAccess, address);
        let length = into.len() as u64;
        if !self.is_device(at, length) {
            return Err(fault);
        }
        if !self.alone {
            return Err(Fault { is_alone: true, ..fault });
        }
        if let Some(offset) = self.plic.offset(at, length) {
            into.copy_from_slice(&self.plic.load(offset).to_le_bytes());
            // A load can take an interrupt.
            (self.attention, self.device_changed) = (true, true);
        } else if let Some(offset) = self.uart.offset(at, length) {
            let byte = self.uart.load(offset);
            into.fill(0);
            into.first_mut().into_iter().for_each(|first| *first = byte);
            (self.attention, self.device_changed) = (true, true);
        } else if let Some(offset) = self.clint.offset(at, length) {
            self.clint.load(offset, into);
        }
        Ok(())
    }

    /// Whether a device has all of this.
    fn is_device(&self, at: u64, length: u64) -> bool {
        self.clint.offset(at, length).is_some()
            || self.plic.offset(at, length).is_some()
            || self.uart.offset(at, length).is_some()
    }

    /// Writes to a device.
    fn store_device(&mut self, at: u64, bytes: &[u8]) {
        let length = bytes.len() as u64;
        if let (Some(offset), Ok(value)) = (self.plic.offset(at, length), bytes.try_into().map(u32::from_le_bytes)) {
            self.plic.store(offset, value);
        } else if let (Some(offset), Some(&byte)) = (self.uart.offset(at, length), bytes.first()) {
            self.uart.store(offset, byte);
        } else if let Some(offset) = self.clint.offset(at, length) {
            self.clint.store(offset, bytes);
        }
        (self.attention, self.device_changed) = (true, true);
    }

    /// Tells the interrupt controller what the serial port asks for.
    pub(crate) fn look_at_uart(&mut self) {
        self.plic.set_source(uart::SOURCE, self.uart.asks());
        self.device_changed = true;
    }

    /// Writes bytes.
    #[inline(always)]
    pub(crate) fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Fault> {
        let entry = &self.writes[(address >> PAGE_BITS) as usize % RECENT];
        let at = entry.base as usize + (address as usize & (PAGE - 1));
        if entry.page == address.wrapping_add(N as u64 - 1) >> PAGE_BITS
            && let Some(place) = self.data.get_mut(at..at + N)
        {
            place.copy_from_slice(&bytes);
            return Ok(());
        }
        self.store_slow(address, &bytes)
    }

    #[cold]
    #[inline(never)]
    fn store_slow(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        // All or nothing: look for the places first.
        let mut places = [None; 2];
        for (found, (from, length)) in places.iter_mut().zip(pieces(Access::Store, address, bytes.len())?) {
            let place = self.locate(Access::Store, from, length as u64)?;
            let fault = Fault::new(Cause::StoreAccess, from);
            let is_device = self.place(place.at >> PAGE_BITS).is_none();
            if is_device && !self.is_device(place.at, length as u64) {
                return Err(fault);
            }
            let watched = [0, 1].map(|number| self.watched(number, place.at, length));
            if (is_device || watched != [0; 2]) && !self.alone {
                return Err(Fault { is_alone: true, ..Fault::new(Cause::StoreAccess, address) });
            }
            *found = Some((place, from, length, watched));
        }
        if !self.passes(address, bytes.len(), Watched::Store) {
            return Err(Fault { is_alone: true, ..Fault::new(Cause::StoreAccess, address) });
        }
        let mut rest = bytes;
        for (place, from, length, watched) in places.into_iter().flatten() {
            let (part, after) = rest.split_at_checked(length).or_impossible((&[], &[]));
            rest = after;
            self.attention |= watched != [0; 2];
            for (all, bits) in self.stored.iter_mut().zip(watched) {
                *all |= bits;
            }
            let Some(base) = self.put(place.at, part) else {
                self.store_device(place.at, part);
                continue;
            };
            let page = place.at >> PAGE_BITS;
            let is_watched = self.watch.iter().flatten().any(|w| w >> PAGE_BITS == page);
            let is_watched = is_watched || self.is_watched(from >> PAGE_BITS, Watched::Store);
            if place.keep && !is_watched && !self.code.contains_key(&page) {
                let page = from >> PAGE_BITS;
                self.writes[page as usize % RECENT] = self.entry(page, base);
            }
        }
        Ok(())
    }

    /// Writes bytes of one page where they are, notices if that was code, and gives where the page is; `None` if there is no memory.
    fn put(&mut self, at: u64, bytes: &[u8]) -> Option<usize> {
        let (page, offset) = (at >> PAGE_BITS, at as usize & (PAGE - 1));
        let base = self.place(page)?;
        self.data.get_mut(base + offset..base + offset + bytes.len())?.copy_from_slice(bytes);
        if let Some(&pieces) = self.code.get(&page) {
            let touched = (offset >> PIECE_BITS..=(offset + bytes.len().saturating_sub(1)) >> PIECE_BITS)
                .fold(0, |all, n| all | 1_u64 << (n & 63));
            self.overwritten |= !bytes.is_empty() && pieces & touched != 0;
            self.attention |= self.overwritten;
        }
        Some(base)
    }

    /// An entry of a page table.
    pub(crate) fn read_entry(&mut self, at: u64, length: u64) -> Option<u64> {
        let base = self.place(at >> PAGE_BITS)? + (at as usize & (PAGE - 1));
        let bytes = self.data.get(base..base + length as usize)?;
        Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    /// Writes an entry of a page table, which is there.
    pub(crate) fn write_entry(&mut self, at: u64, length: u64, value: u64) {
        let bytes = value.to_le_bytes();
        let _ = self.put(at, bytes.get(..length as usize).or_impossible(&[]));
    }

    /// Reads 16 bits of code; marks them as decoded.
    pub(crate) fn fetch(&mut self, address: u64) -> Result<u16, Fault> {
        let at = self.locate(Access::Fetch, address, 2)?.at;
        let fault = Fault::new(Cause::InstructionAccess, address);
        let (page, offset) = (at >> PAGE_BITS, at as usize & (PAGE - 1));
        let base = self.place(page).ok_or(fault)?;
        let pieces = self.code.entry(page).or_default();
        if *pieces == 0 {
            // By whatever address the program stores there.
            self.writes.iter_mut().filter(|entry| entry.base as usize == base).for_each(|entry| *entry = NO_ENTRY);
        }
        *pieces |= 1 << (offset >> PIECE_BITS & 63);
        let bytes = self.data.get(base + offset..base + offset + 2).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u16::from_le_bytes).ok_or(fault)
    }

    /// The 16 bits of code that a program of a space would fetch. Nothing is changed by it.
    pub(crate) fn peek(&mut self, space: Space, address: u64) -> Result<u16, Fault> {
        let at = self.find(space, Access::Fetch, address, 2, Looking::Only)?.at;
        let value = self.read_entry(at, 2);
        value.map(|bits| bits as u16).ok_or(Fault::new(Cause::InstructionAccess, address))
    }

    /// Nothing is decoded any more.
    pub(crate) fn forget_code(&mut self) {
        self.code.clear();
        self.overwritten = false;
    }

    /// Copies bytes in, as a loader does. Addresses are those of memory, whatever a program's page tables say.
    ///
    /// # Errors
    /// The address that is in no region.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), u64> {
        let mut rest = bytes;
        let mut at = address;
        while !rest.is_empty() {
            let length = rest.len().min(PAGE - (at as usize & (PAGE - 1)));
            let (part, after) = rest.split_at_checked(length).or_impossible((&[], &[]));
            self.put(at, part).ok_or(at)?;
            (rest, at) = (after, at.wrapping_add(length as u64));
        }
        Ok(())
    }

    /// Copies bytes out. Addresses are those of memory.
    ///
    /// # Errors
    /// The address that is in no region.
    pub fn read(&mut self, address: u64, length: usize) -> Result<Vec<u8>, u64> {
        let mut bytes = Vec::new();
        let mut at = address;
        while bytes.len() < length {
            let offset = at as usize & (PAGE - 1);
            let part = (length - bytes.len()).min(PAGE - offset);
            let base = self.place(at >> PAGE_BITS).ok_or(at)? + offset;
            bytes.extend_from_slice(self.data.get(base..base + part).or_impossible(&[]));
            at = at.wrapping_add(part as u64);
        }
        Ok(bytes)
    }

    /// The pages that are there, by number.
    #[cfg(feature = "oracle")]
    pub(crate) fn pages(&self) -> std::collections::BTreeMap<u64, &[u8]> {
        self.pages
            .iter()
            .map(|(&number, &base)| (number, self.data.get(base..base + PAGE).or_impossible(&[])))
            .collect()
    }

    /// A double word of memory; 0 where there is none.
    pub(crate) fn double_word(&mut self, address: u64) -> u64 {
        let bytes = self.read(address, 8).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    }
}

/// An access in parts that are each in one page.
fn pieces(access: Access, address: u64, length: usize) -> Result<impl Iterator<Item = (u64, usize)>, Fault> {
    if address.checked_add(length as u64 - 1).is_none() {
        return Err(Fault::new(access_fault(access), address));
    }
    let first = length.min(PAGE - (address as usize & (PAGE - 1)));
    let second = address.wrapping_add(first as u64);
    Ok([(address, first), (second, length - first)].into_iter().filter(|part| part.1 > 0))
}

/// For machine code, which reaches memory through the tables of recent pages.
#[cfg(feature = "jit")]
impl Memory {
    /// Sees to it that the host's addresses in the tables are right, and stay so; `false` if the host has not enough memory.
    #[inline(always)]
    pub(crate) fn pin(&mut self) -> bool {
        self.data_at == self.data.as_ptr() as usize && self.data.capacity() >= MAX_MEMORY || self.pin_now()
    }

    #[cold]
    fn pin_now(&mut self) -> bool {
        // It never grows beyond this, so it does not move.
        let more = MAX_MEMORY.saturating_sub(self.data.len());
        if self.data.try_reserve_exact(more).is_err() {
            return false;
        }
        self.data_at = self.data.as_ptr() as usize;
        self.forget_writes();
        self.reads.fill(NO_ENTRY);
        true
    }

    /// Stores, if nothing but the store is asked for; `false` if nothing was done.
    pub(crate) fn store_quietly(&mut self, address: u64, bytes: &[u8]) -> bool {
        let is_code = |at: u64| {
            let pieces = self.code.get(&(at >> PAGE_BITS)).copied().unwrap_or(0);
            pieces >> (at as usize >> PIECE_BITS & 63) & 1 == 1
        };
        let last = address.wrapping_add(bytes.len() as u64 - 1);
        let is_watched = (0..self.watch.len()).any(|number| self.watched(number, address, bytes.len()) != 0);
        !is_watched && !is_code(address) && !is_code(last) && self.store_slow(address, bytes).is_ok()
    }
}
