//! Programs word by word, into a tally.
//!
//! Taking a word apart by the exact rules costs a hundred times what reading it costs, and most words say nothing new. So words
//! about which nothing is to be said are kept in a small table, by their encoding and the bits that matter ([`relevant`]): when a
//! word comes that is alike in these, only its encoding is counted. (What it uses inside is known already; hits of encodings of
//! fields are then not counted again.)
//!
//! [`relevant`]: crate::relevant

use isaglot_asm::fetch::{Fetched, Fetcher};
use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_codec::tree::{Match, Tree};
use isaglot_model::{EncodingId, SpaceId};

use crate::cluster::Clusters;
use crate::limits::CACHE;
use crate::relevant;
use crate::tally::{Finding, Spot, Tally};
use crate::walk::{Sink, Walker};

/// Reads programs and tallies what is in them.
pub struct Scanner<'p, 'a> {
    fetcher: Fetcher,
    walker: Walker<'p, 'a>,
    clusters: Option<&'p Clusters>,
    tree: &'p Tree,
    /// The bits that matter, by encoding.
    masks: Vec<[u64; 2]>,
    cache: Vec<Option<Known>>,
    tally: Tally,
}

/// What words have in common about which nothing is to be said.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Known {
    /// The bits that matter.
    limbs: [u64; 2],
    encoding: EncodingId,
}

/// The longest instruction of which there is one entry in the cache.
const CACHED_BITS: u32 = 128;

impl<'p, 'a> Scanner<'p, 'a> {
    /// A scanner that has read nothing. In a first pass there are no `clusters`; later ones count the words of each.
    pub fn new(plan: &'p Plan<'a>, clusters: Option<&'p Clusters>) -> Scanner<'p, 'a> {
        Scanner {
            fetcher: Fetcher::new(plan),
            walker: Walker::new(plan),
            clusters,
            tree: plan.tree(plan.isa().root()),
            masks: relevant::masks(plan.isa())
                .iter()
                .map(|mask| [limb(mask.limbs(), 0), limb(mask.limbs(), 1)])
                .collect(),
            cache: vec![None; CACHE],
            tally: Tally::new(plan.isa()),
        }
    }

    /// The same, taking every word apart: what must come out the same.
    #[cfg(feature = "oracle")]
    #[must_use]
    pub fn without_cache(mut self) -> Scanner<'p, 'a> {
        self.cache.clear();
        self
    }

    /// Reads bytes of a file that begin at `offset` of its code; gives how many bytes were used, all that make whole words. What
    /// is left must be given again before the bytes that follow.
    pub fn feed(&mut self, file: u32, offset: u64, bytes: &[u8]) -> usize {
        let mut used = 0;
        while let Some(rest) = bytes.get(used..) {
            let at = Spot { file, offset: offset + used as u64 };
            used += match self.fetcher.quick(bytes, used) {
                Some((limbs, size)) => {
                    self.quick(limbs, size, at);
                    size
                }
                None => {
                    let Some(fetched) = self.fetcher.next(rest) else { break };
                    self.slow(&fetched, at);
                    fetched.size
                }
            };
        }
        self.tally.bytes += used as u64;
        used
    }

    /// How many bytes from the start of these are whole words, up to `most` or a little less: where a block can be cut.
    pub fn whole(fetcher: &Fetcher, bytes: &[u8], most: usize) -> usize {
        let mut used = 0;
        while used < most {
            let size = match fetcher.quick(bytes, used) {
                Some((_, size)) => size,
                None => match bytes.get(used..).and_then(|rest| fetcher.next(rest)) {
                    Some(fetched) => fetched.size,
                    None => break,
                },
            };
            used += size;
        }
        used
    }

    /// What was seen.
    pub fn finish(self) -> Tally {
        self.tally
    }

    #[inline]
    fn quick(&mut self, limbs: [u64; 2], size: usize, at: Spot) {
        let bits = size as u32 * 8;
        let Match::One(encoding) = self.tree.select(&limbs, bits) else {
            self.word(&Word::from_limbs(&limbs, bits), at);
            return;
        };
        let mask = self.masks.get(encoding.index()).copied().unwrap_or([u64::MAX; 2]);
        let known = Known { limbs: [limbs[0] & mask[0], limbs[1] & mask[1]], encoding };
        let slot = slot(&known);
        if self.cache.get(slot) == Some(&Some(known)) {
            self.tally.words += 1;
            self.tally.clean += 1;
            if let Some(hits) = self.tally.exercised.encodings.get_mut(encoding.index()) {
                *hits += 1;
            }
            return;
        }
        if self.word(&Word::from_limbs(&limbs, bits), at)
            && let Some(place) = self.cache.get_mut(slot)
        {
            *place = Some(known);
        }
    }

    fn slow(&mut self, fetched: &Fetched, at: Spot) {
        if fetched.known && fetched.bits <= CACHED_BITS {
            self.quick([limb(fetched.limbs(), 0), limb(fetched.limbs(), 1)], fetched.size, at);
            return;
        }
        if fetched.known {
            self.word(&fetched.word(), at);
            return;
        }
        // A parcel that starts no instruction.
        self.tally.words += 1;
        let word = fetched.word();
        let mut told = Told { word: &word, at, clusters: self.clusters, tally: &mut self.tally };
        told.unknown(self.walker.root(), &word);
    }

    /// Takes a word apart; whether there was nothing to tell.
    fn word(&mut self, word: &Word, at: Spot) -> bool {
        self.tally.words += 1;
        let mut used = std::mem::take(&mut self.tally.exercised);
        let mut told = Told { word, at, clusters: self.clusters, tally: &mut self.tally };
        let clean = self.walker.word(word, &mut used, &mut told);
        self.tally.exercised = used;
        self.tally.clean += u64::from(clean);
        clean
    }
}

/// A limb; 0 above the highest.
fn limb(limbs: &[u64], at: usize) -> u64 {
    limbs.get(at).copied().unwrap_or(0)
}

/// The place in the cache.
#[inline]
fn slot(known: &Known) -> usize {
    let [low, high] = known.limbs;
    let mixed = (low ^ high.rotate_left(29) ^ u64::from(known.encoding.0) << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as usize & (CACHE - 1)
}

/// Puts what is told of one word into the tally.
struct Told<'t> {
    word: &'t Word,
    at: Spot,
    clusters: Option<&'t Clusters>,
    tally: &'t mut Tally,
}

impl Sink for Told<'_> {
    fn finding(&mut self, finding: Finding, value: &Word) {
        self.tally.findings.add(finding, value, self.word, self.at);
    }

    fn unknown(&mut self, space: SpaceId, value: &Word) {
        let unknown = self.tally.unknown.entry(space).or_default();
        unknown.count += 1;
        match self.clusters.and_then(|clusters| clusters.of(space, value)) {
            Some(cluster) => unknown.clusters.add(cluster, value, self.word, self.at),
            None => {
                unknown.outside += 1;
                unknown.sample.add(value);
            }
        }
    }
}
