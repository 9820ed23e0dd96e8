//! An exact, unbounded, non-negative number: how many words a set has.
//!
//! Only what counting needs: powers of two, sums, differences, order, decimal text and a share for people.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

/// A non-negative integer of any size.
///
/// ```
/// use isaglot_bits::Count;
/// let n = Count::pow2(100).minus(&Count::from(1u64));
/// assert_eq!(n.to_string(), "1267650600228229401496703205375");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Count {
    /// Least significant first; the last one is not zero.
    limbs: Vec<u64>,
}

impl Count {
    /// Zero.
    #[must_use]
    pub fn zero() -> Self {
        Self::default()
    }

    /// 2 to the power of `exponent`.
    #[must_use]
    pub fn pow2(exponent: u32) -> Self {
        let mut limbs = alloc::vec![0; (exponent / 64) as usize];
        limbs.push(1 << (exponent % 64));
        Self { limbs }
    }

    /// A number from 64-bit limbs, the least significant first.
    #[must_use]
    pub fn from_limbs(limbs: &[u64]) -> Self {
        Self { limbs: limbs.to_vec() }.trimmed()
    }

    fn trimmed(mut self) -> Self {
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
        self
    }

    /// Whether it is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    /// The value, if it fits 64 bits.
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        match self.limbs.as_slice() {
            [] => Some(0),
            [one] => Some(*one),
            _ => None,
        }
    }

    /// Adds `other` in place.
    pub fn add(&mut self, other: &Self) {
        let mut carry = false;
        for i in 0.. {
            let more = other.limbs.get(i).copied();
            if more.is_none() && !carry {
                break;
            }
            if i == self.limbs.len() {
                self.limbs.push(0);
            }
            let (sum, c1) = self.limbs[i].overflowing_add(more.unwrap_or(0));
            let (sum, c2) = sum.overflowing_add(u64::from(carry));
            self.limbs[i] = sum;
            carry = c1 || c2;
        }
    }

    /// `self - other`, or 0 if `other` is larger.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        if *self <= *other {
            return Self::zero();
        }
        let mut borrow = false;
        let limbs = self.limbs.iter().enumerate().map(|(i, &limb)| {
            let (left, b1) = limb.overflowing_sub(other.limbs.get(i).copied().unwrap_or(0));
            let (left, b2) = left.overflowing_sub(u64::from(borrow));
            borrow = b1 || b2;
            left
        });
        Self { limbs: limbs.collect() }.trimmed()
    }

    /// As a floating number, for shares and logarithms shown to people; infinite beyond its range.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        self.limbs.iter().rev().fold(0.0, |value, &limb| value * 18_446_744_073_709_551_616.0 + limb as f64)
    }
}

impl From<u64> for Count {
    fn from(value: u64) -> Self {
        Self { limbs: alloc::vec![value] }.trimmed()
    }
}

impl Ord for Count {
    fn cmp(&self, other: &Self) -> Ordering {
        self.limbs.len().cmp(&other.limbs.len()).then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
    }
}

impl PartialOrd for Count {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Decimal.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CHUNK: u64 = 10_000_000_000_000_000_000;
        // Divided by 10^19 again and again: the remainders are groups of 19 digits, the lowest first.
        let mut left = self.limbs.clone();
        let mut chunks: Vec<u64> = Vec::new();
        while !left.is_empty() {
            let mut rest: u128 = 0;
            for limb in left.iter_mut().rev() {
                let value = (rest << 64) | u128::from(*limb);
                *limb = (value / u128::from(CHUNK)) as u64;
                rest = value % u128::from(CHUNK);
            }
            chunks.push(rest as u64);
            while left.last() == Some(&0) {
                left.pop();
            }
        }
        let mut text = String::new();
        for (i, chunk) in chunks.iter().rev().enumerate() {
            if i == 0 {
                fmt::write(&mut text, format_args!("{chunk}"))?;
            } else {
                fmt::write(&mut text, format_args!("{chunk:019}"))?;
            }
        }
        f.pad_integral(true, "", if text.is_empty() { "0" } else { &text })
    }
}
