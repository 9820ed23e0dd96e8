//! Memory: pages that come into being when they are touched, inside given regions.
//!
//! The problem: nearly every access is to a page that was used just before, and must cost no more than a comparison; yet
//! a store to code has to be noticed. The method: two small direct-mapped tables from page numbers to places, one for
//! reads and one for writes; a page that holds decoded code, or a watched word, is never in the one for writes, so that
//! stores to it take the slow way, which looks closer.

use isaglot_invariant::Impossible as _;

use rustc_hash::FxHashMap;

use crate::limits::MAX_MEMORY;
use crate::machine::{Cause, Fault};
use crate::watch::{Access, Watchpoint};

/// Bits of an address inside a page.
pub(crate) const PAGE_BITS: u32 = 12;
/// Bytes of a page.
pub(crate) const PAGE: usize = 1 << PAGE_BITS;
/// Entries of a table of recent pages.
pub(crate) const RECENT: usize = 256;
/// Code is marked in pieces of so many bytes: 64 of them make a page.
const PIECE_BITS: u32 = 6;
/// No page has this number.
const NONE: u64 = u64::MAX;

/// A page that was used: its number, and where it is.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "jit", repr(C, align(32)))]
pub(crate) struct Entry {
    pub(crate) page: u64,
    base: usize,
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
    /// That, or a watched double word was stored to.
    pub(crate) attention: bool,
    /// What a debugger wants to know of. Such a page is not in the tables of recent pages.
    watchpoints: Vec<Watchpoint>,
    /// The one that an instruction was refused for.
    pub(crate) hit: Option<(u64, Access)>,
    /// An access that is not the program's: no watchpoint sees it.
    unseen: bool,
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
            unseen: false,
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

    /// Recent pages may have gone or be others.
    fn changed_tables(&mut self) {
        self.forget_writes();
        self.reads.fill(NO_ENTRY);
    }

    /// Pages have gone or moved.
    fn changed(&mut self) {
        self.changed_tables();
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
        self.changed_tables();
    }

    /// Whether a watchpoint of this kind of access is on a page, so that accesses to it take the slow way.
    fn is_watched(&self, page: u64, access: Access) -> bool {
        let on = |w: &Watchpoint| w.first >> PAGE_BITS <= page && page <= w.last() >> PAGE_BITS;
        self.watchpoints.iter().any(|w| w.sees(access) && on(w))
    }

    /// Whether an access may be: one that hits a watchpoint is noted and refused, unless its instruction is run by itself.
    fn passes(&mut self, address: u64, length: usize, access: Access) -> bool {
        if self.unseen || self.watchpoints.is_empty() {
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

    /// Does what is not the program's doing.
    fn unseen<T>(&mut self, access: impl FnOnce(&mut Memory) -> T) -> T {
        let before = std::mem::replace(&mut self.unseen, true);
        let result = access(self);
        self.unseen = before;
        result
    }

    /// Reads bytes for the machine itself, not for the program.
    pub(crate) fn peek<const N: usize>(&mut self, address: u64) -> Option<[u8; N]> {
        self.unseen(|memory| memory.load(address).ok())
    }

    /// The bytes of a watched double word that a store covers.
    fn watched(&self, number: usize, address: u64, length: usize) -> u8 {
        let Some(first) = self.watch.get(number).copied().flatten() else { return 0 };
        (0..8).filter(|at| (first + at).wrapping_sub(address) < length as u64).map(|at| 1 << at).sum()
    }

    fn entry(&self, page: u64, base: usize) -> Entry {
        Entry {
            page,
            base,
            #[cfg(feature = "jit")]
            host: (self.data_at as u64).wrapping_add(base as u64).wrapping_sub(page << PAGE_BITS),
        }
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
        let page = address >> PAGE_BITS;
        let offset = address as usize & (PAGE - 1);
        let entry = self.reads[page as usize % RECENT];
        if entry.page == page
            && offset <= PAGE - N
            && let Some(bytes) = self.data.get(entry.base + offset..entry.base + offset + N)
            && let Ok(bytes) = bytes.try_into()
        {
            return Ok(bytes);
        }
        self.load_slow(address)
    }

    #[cold]
    #[inline(never)]
    fn load_slow<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Fault> {
        if !self.passes(address, N, Access::Load) {
            return Err(Fault { is_alone: true, ..Fault::new(Cause::LoadAccess, address) });
        }
        let mut bytes = [0; N];
        for (i, byte) in bytes.iter_mut().enumerate() {
            let at = address.checked_add(i as u64).ok_or(Fault::new(Cause::LoadAccess, address))?;
            let page = at >> PAGE_BITS;
            let base = self.place(page).ok_or(Fault::new(Cause::LoadAccess, at))?;
            if !self.is_watched(page, Access::Load) {
                self.reads[page as usize % RECENT] = self.entry(page, base);
            }
            *byte = self.data.get(base + (at as usize & (PAGE - 1))).copied().or_impossible(0);
        }
        Ok(bytes)
    }

    /// Writes bytes.
    #[inline(always)]
    pub(crate) fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Fault> {
        let page = address >> PAGE_BITS;
        let offset = address as usize & (PAGE - 1);
        let entry = self.writes[page as usize % RECENT];
        if entry.page == page
            && offset <= PAGE - N
            && let Some(place) = self.data.get_mut(entry.base + offset..entry.base + offset + N)
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
        let fault = |at| Fault::new(Cause::StoreAccess, at);
        for i in 0..bytes.len() as u64 {
            let at = address.checked_add(i).ok_or(fault(address))?;
            self.place(at >> PAGE_BITS).ok_or(fault(at))?;
        }
        if !self.passes(address, bytes.len(), Access::Store) {
            return Err(Fault { is_alone: true, ..fault(address) });
        }
        for number in 0..self.watch.len() {
            let bits = self.watched(number, address, bytes.len());
            if bits != 0 && !self.alone {
                return Err(Fault { is_alone: true, ..fault(address) });
            }
            if let Some(place) = self.stored.get_mut(number) {
                *place |= bits;
            }
            self.attention |= bits != 0;
        }
        for (i, &byte) in bytes.iter().enumerate() {
            let at = address.wrapping_add(i as u64);
            let page = at >> PAGE_BITS;
            let Some(base) = self.place(page) else { continue };
            if let Some(place) = self.data.get_mut(base + (at as usize & (PAGE - 1))) {
                *place = byte;
            }
            let watched = self.watch.iter().flatten().any(|w| w >> PAGE_BITS == page);
            let watched = watched || self.is_watched(page, Access::Store);
            match self.code.get(&page) {
                Some(pieces) => self.overwritten |= pieces >> (at as usize >> PIECE_BITS & 63) & 1 == 1,
                None if !watched => self.writes[page as usize % RECENT] = self.entry(page, base),
                None => {}
            }
        }
        self.attention |= self.overwritten;
        Ok(())
    }

    /// Reads 16 bits of code; marks them as decoded.
    pub(crate) fn fetch(&mut self, address: u64) -> Option<u16> {
        let bytes = self.peek::<2>(address)?;
        let page = address >> PAGE_BITS;
        let pieces = self.code.entry(page).or_default();
        if *pieces == 0 {
            self.writes[page as usize % RECENT] = NO_ENTRY;
        }
        *pieces |= 1 << (address as usize >> PIECE_BITS & 63);
        Some(u16::from_le_bytes(bytes))
    }

    /// Nothing is decoded any more.
    pub(crate) fn forget_code(&mut self) {
        self.code.clear();
        self.overwritten = false;
    }

    /// Copies bytes in, as a loader does.
    ///
    /// # Errors
    /// The address that is in no region.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), u64> {
        // The host is not told what it writes itself.
        let before = (self.alone, self.stored);
        self.alone = true;
        let result = self.unseen(|memory| {
            let each = |(i, &byte): (usize, &u8)| {
                let at = address.wrapping_add(i as u64);
                memory.store(at, [byte]).map_err(|_| at)
            };
            bytes.iter().enumerate().try_for_each(each)
        });
        (self.alone, self.stored) = before;
        result
    }

    /// Copies bytes out.
    ///
    /// # Errors
    /// The address that is in no region.
    pub fn read(&mut self, address: u64, length: usize) -> Result<Vec<u8>, u64> {
        let mut bytes = Vec::new();
        for i in 0..length as u64 {
            let at = address.wrapping_add(i);
            let [byte] = self.peek::<1>(at).ok_or(at)?;
            bytes.push(byte);
        }
        Ok(bytes)
    }
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
