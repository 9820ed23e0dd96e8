//! Memory: pages that come into being when something is stored to them, inside given regions.
//!
//! The problem: most accesses are to a page that was used just before, and must cost little; yet a store to code has to be noticed.
//! The method: the region of the last access is tried first, its pages are a plain list, and each page has a bit for each 64 bytes in
//! which decoded code lies. Outside of the regions there is nothing: an access there fails and changes nothing.

use crate::limits::{MAX_MEMORY, MAX_REGIONS, MAX_SPACE};

/// Bits of an address inside a page.
const PAGE_BITS: u32 = 12;
/// Bytes of a page.
const PAGE: u64 = 1 << PAGE_BITS;
/// Bits of an address inside a piece of a page: 64 pieces make a page.
pub(crate) const PIECE_BITS: u32 = 6;

#[derive(Clone, Debug)]
struct Page {
    bytes: Box<[u8; PAGE as usize]>,
    /// Pieces in which decoded code lies, a bit each.
    code: u64,
    /// Pieces that something was stored to, a bit each.
    stored: u64,
}

impl Page {
    fn empty() -> Page {
        Page { bytes: Box::new([0; PAGE as usize]), code: 0, stored: 0 }
    }
}

#[derive(Clone, Debug)]
struct Region {
    first: u64,
    /// The last address that it has.
    last: u64,
    /// Pages from the one of the first address on.
    pages: Vec<Option<Page>>,
}

impl Region {
    fn page(&self, address: u64) -> usize {
        ((address >> PAGE_BITS) - (self.first >> PAGE_BITS)) as usize
    }
}

/// Why an access failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryError {
    /// There is no memory at this address.
    Absent(u64),
    /// More than [`MAX_MEMORY`] would be in use.
    Full,
}

/// A machine's memory: little-endian, all zero at first.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// In the order of addresses; none touches another.
    regions: Vec<Region>,
    /// The one of the last access.
    recent: usize,
    /// Pages in use.
    used: u64,
    /// Code that was decoded has been stored to, from the first to the last of these addresses.
    pub(crate) overwritten: Option<(u64, u64)>,
}

impl Memory {
    /// Adds a region: a first address and a length in bytes. What it shares with others is there once.
    ///
    /// # Errors
    /// A sentence, if it would go beyond the last address or there are too many.
    pub fn add_region(&mut self, first: u64, length: u64) -> Result<(), String> {
        let Some(more) = length.checked_sub(1) else { return Ok(()) };
        let Some(mut last) = first.checked_add(more) else {
            return Err(format!("memory from {first:#x} on cannot have {length:#x} bytes: no address is that high"));
        };
        let mut first = first;
        let mut old: Vec<Region> = Vec::new();
        // Those that it meets or touches become one with it.
        let touches = |r: &Region| r.first <= last.saturating_add(1) && first <= r.last.saturating_add(1);
        let (joined, apart): (Vec<Region>, Vec<Region>) = self.regions.drain(..).partition(touches);
        for region in joined {
            (first, last) = (first.min(region.first), last.max(region.last));
            old.push(region);
        }
        self.regions = apart;
        let pages = |r: (u64, u64)| (r.1 >> PAGE_BITS) - (r.0 >> PAGE_BITS) + 1;
        let count = pages((first, last));
        // A list of pages costs a fraction of a region, and must be bounded as well.
        let others: u64 = self.regions.iter().map(|r| pages((r.first, r.last))).sum();
        if count > (MAX_SPACE >> PAGE_BITS).saturating_sub(others) || self.regions.len() >= MAX_REGIONS {
            return Err(format!("memory from {first:#x} to {last:#x} is more than a machine can have"));
        }
        let mut region = Region { first, last, pages: Vec::new() };
        region.pages.resize_with(
            if old.iter().any(|o| o.pages.iter().any(Option::is_some)) { count as usize } else { 0 },
            || None,
        );
        for part in old {
            let from = region.page(part.first);
            for (at, page) in part.pages.into_iter().enumerate().filter(|(_, page)| page.is_some()) {
                if let Some(place) = region.pages.get_mut(from + at) {
                    *place = page;
                }
            }
        }
        let at = self.regions.partition_point(|r| r.first < region.first);
        self.regions.insert(at, region);
        self.recent = at;
        Ok(())
    }

    /// First address and length of each region, in the order of addresses.
    pub fn regions(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.regions.iter().map(|r| (r.first, (r.last - r.first).saturating_add(1)))
    }

    /// The pages that something was stored to: address and bytes, of which those outside of all regions are 0.
    pub fn pages(&self) -> impl Iterator<Item = (u64, &[u8])> + '_ {
        self.regions.iter().flat_map(|region| {
            let first = region.first >> PAGE_BITS << PAGE_BITS;
            let there = region.pages.iter().zip(0..).filter_map(|(page, at): (_, u64)| Some((page.as_ref()?, at)));
            there.map(move |(page, at)| (first + at * PAGE, page.bytes.as_slice()))
        })
    }

    /// The region that has all of these bytes, at least one.
    #[inline]
    fn region(&mut self, address: u64, length: u64) -> Result<&mut Region, MemoryError> {
        let last = address.checked_add(length - 1).ok_or(MemoryError::Absent(address))?;
        let has = |r: &Region| r.first <= address && last <= r.last;
        if !self.regions.get(self.recent).is_some_and(has) {
            let at = self.regions.partition_point(|r| r.last < address);
            self.recent = at;
            let absent = |r: &Region| if r.first <= address { r.last.saturating_add(1) } else { address };
            match self.regions.get(at) {
                Some(region) if has(region) => {}
                Some(region) => return Err(MemoryError::Absent(absent(region))),
                None => return Err(MemoryError::Absent(address)),
            }
        }
        self.regions.get_mut(self.recent).ok_or(MemoryError::Absent(address))
    }

    /// Fills `into` with the bytes from an address on; an address that is not there, if some are not.
    #[inline]
    pub fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), MemoryError> {
        if into.is_empty() {
            return Ok(());
        }
        let region = self.region(address, into.len() as u64)?;
        let (mut page, mut offset) = (region.page(address), (address % PAGE) as usize);
        let mut rest = into;
        while !rest.is_empty() {
            let count = rest.len().min(PAGE as usize - offset);
            let (now, later) = rest.split_at_mut(count);
            match region.pages.get(page).and_then(Option::as_ref).and_then(|p| p.bytes.get(offset..offset + count)) {
                Some(bytes) => now.copy_from_slice(bytes),
                None => now.fill(0),
            }
            (page, offset, rest) = (page + 1, 0, later);
        }
        Ok(())
    }

    /// Stores bytes from an address on: all, or none of them.
    #[inline]
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let used = self.used;
        let region = self.region(address, bytes.len() as u64)?;
        let (first, offset) = (region.page(address), (address % PAGE) as usize);
        let last = (offset + bytes.len() - 1) >> PAGE_BITS;
        if region.pages.len() <= first + last {
            region.pages.resize_with(first + last + 1, || None);
        }
        let missing = region.pages.iter().skip(first).take(last + 1).filter(|page| page.is_none()).count() as u64;
        if missing > 0 && (used + missing) * PAGE > MAX_MEMORY {
            return Err(MemoryError::Full);
        }
        let mut hits = false;
        let (mut page, mut offset, mut rest) = (first, offset, bytes);
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(PAGE as usize - offset));
            if let Some(place) = region.pages.get_mut(page) {
                let page = place.get_or_insert_with(Page::empty);
                let (from, to) = (offset >> PIECE_BITS, (offset + now.len() - 1) >> PIECE_BITS);
                page.stored |= u64::MAX << from & u64::MAX >> (63 - to);
                if let Some(old) = page.bytes.get_mut(offset..offset + now.len()) {
                    old.copy_from_slice(now);
                }
                if page.code != 0 {
                    hits |= (from..=to).any(|piece| page.code >> piece & 1 == 1);
                }
            }
            (page, offset, rest) = (page + 1, 0, later);
        }
        self.used += missing;
        if hits {
            let last = address + (bytes.len() as u64 - 1);
            let (from, to) = self.overwritten.unwrap_or((address, last));
            self.overwritten = Some((from.min(address), to.max(last)));
        }
        Ok(())
    }

    /// What was stored until now does not count as stored any more.
    pub(crate) fn forget_stores(&mut self) {
        let pages = self.regions.iter_mut().flat_map(|region| region.pages.iter_mut().flatten());
        pages.for_each(|page| page.stored = 0);
    }

    /// Whether something was stored near an address, in the same 64 bytes.
    pub(crate) fn is_stored(&self, address: u64) -> bool {
        let region = self.regions.iter().find(|r| r.first <= address && address <= r.last);
        let page = region.and_then(|r| r.pages.get(r.page(address)).and_then(Option::as_ref));
        page.is_some_and(|page| page.stored >> ((address % PAGE) >> PIECE_BITS) & 1 == 1)
    }

    /// Makes sure that a store there cannot fail.
    pub(crate) fn reserve(&mut self, address: u64, length: u64) -> Result<(), MemoryError> {
        let Some(more) = length.checked_sub(1) else { return Ok(()) };
        let used = self.used;
        let region = self.region(address, length)?;
        let (first, last) = (region.page(address), region.page(address + more));
        if region.pages.len() <= last {
            region.pages.resize_with(last + 1, || None);
        }
        let places = region.pages.get_mut(first..=last).unwrap_or_default();
        let missing = places.iter().filter(|page| page.is_none()).count() as u64;
        if missing > 0 && (used + missing) * PAGE > MAX_MEMORY {
            return Err(MemoryError::Full);
        }
        places.iter_mut().for_each(|place| {
            place.get_or_insert_with(Page::empty);
        });
        self.used += missing;
        Ok(())
    }

    /// Code from this address on was decoded: a store to it is to be noticed.
    pub(crate) fn mark_code(&mut self, address: u64, length: u64) {
        let used = self.used;
        let Ok(region) = self.region(address, length) else { return };
        let mut made = 0;
        for piece in (address >> PIECE_BITS)..=((address + (length - 1)) >> PIECE_BITS) {
            let at = region.page(piece << PIECE_BITS);
            if region.pages.len() <= at {
                region.pages.resize_with(at + 1, || None);
            }
            if let Some(place) = region.pages.get_mut(at) {
                made += u64::from(place.is_none());
                let page = place.get_or_insert_with(Page::empty);
                page.code |= 1 << (piece % 64);
            }
        }
        self.used = used + made;
    }
}
