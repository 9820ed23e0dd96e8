//! The pattern algebra against sets of words listed one by one.

use std::collections::BTreeSet;

use isaglot_bits::{Count, Pattern, Word, cover};
use isaglot_testing::Random;

/// All cubes of `width` bits: 3 to the power of `width`.
fn cubes(width: u32) -> Vec<Pattern> {
    (0..3u32.pow(width))
        .map(|mut n| {
            let text: String = (0..width)
                .map(|_| {
                    let digit = n % 3;
                    n /= 3;
                    ['0', '1', 'x'][digit as usize]
                })
                .collect();
            Pattern::parse(&text).unwrap()
        })
        .collect()
}

/// The words of a cube, from its text alone.
fn members(pattern: &Pattern) -> BTreeSet<u64> {
    let text: Vec<char> = pattern.to_string().chars().rev().collect();
    let fits = |word: &u64| {
        text.iter().enumerate().all(|(bit, c)| match c {
            '0' => word >> bit & 1 == 0,
            '1' => word >> bit & 1 == 1,
            _ => true,
        })
    };
    (0..1u64 << text.len()).filter(fits).collect()
}

/// The disjoint union of cubes; fails if they overlap.
fn disjoint(patterns: &[Pattern]) -> BTreeSet<u64> {
    let mut all = BTreeSet::new();
    for word in patterns.iter().flat_map(members) {
        assert!(all.insert(word), "{patterns:?} overlap at {word:#x}");
    }
    all
}

#[test]
fn every_pair_of_small_cubes() {
    for width in 0..=4 {
        let cubes = cubes(width);
        let sets: Vec<BTreeSet<u64>> = cubes.iter().map(members).collect();
        for (a, set_a) in cubes.iter().zip(&sets) {
            assert_eq!(Pattern::parse(&format!("{a:#}")).as_ref(), Ok(a));
            assert_eq!(a.count(), Count::from(set_a.len() as u64));
            assert_eq!(a.witness().low_u64(), *set_a.first().unwrap());
            for word in 0..1u64 << width {
                assert_eq!(a.matches(&Word::from_u64(word, width)), set_a.contains(&word));
            }
            for (b, set_b) in cubes.iter().zip(&sets) {
                let common: BTreeSet<u64> = set_a & set_b;
                assert_eq!(a.overlaps(b), !common.is_empty());
                assert_eq!(a.intersect(b).map(|p| members(&p)).unwrap_or_default(), common);
                assert_eq!(a.contains(b), set_b.is_subset(set_a));
                assert_eq!(disjoint(&a.subtract(b)), set_a - set_b);
            }
        }
    }
}

#[test]
fn sets_of_cubes() {
    let width = 6;
    let cubes = cubes(width);
    let mut random = Random::new(1);
    for _ in 0..400 {
        let count = random.index(9);
        let picks: Vec<Pattern> = (0..count).map(|_| random.pick(&cubes).clone()).collect();
        let space = if random.bool() { Pattern::any(width) } else { random.pick(&cubes).clone() };
        let covered: BTreeSet<u64> = picks.iter().flat_map(members).collect();
        let free: BTreeSet<u64> = &members(&space) - &covered;

        assert_eq!(disjoint(&cover::gaps(&space, &picks, 1000).unwrap()), free);
        assert_eq!(cover::uncovered_count(&space, &picks), Some(Count::from(free.len() as u64)));
        assert_eq!(cover::union_count(width, &picks), Some(Count::from(covered.len() as u64)));
        match cover::uncovered_witness(&space, &picks).unwrap() {
            Some(word) => assert!(free.contains(&word.low_u64())),
            None => assert!(free.is_empty()),
        }
        let holes = cover::largest_holes(&space, &picks, 1000).unwrap();
        let held: BTreeSet<u64> = holes.iter().flat_map(members).collect();
        assert_eq!(held, free);
        assert!(holes.windows(2).all(|pair| pair[0].free_bits() >= pair[1].free_bits()));
        let grown: Vec<Pattern> =
            cover::gaps(&space, &picks, 1000).unwrap().into_iter().map(|gap| grown(&space, &picks, gap)).collect();
        let largest = grown.iter().filter(|hole| !grown.iter().any(|other| other != *hole && other.contains(hole)));
        assert_eq!(holes.iter().collect::<BTreeSet<_>>(), largest.collect::<BTreeSet<_>>());
    }
}

/// A gap without each bit, from the top, that it can lose and still meet no pattern.
fn grown(space: &Pattern, patterns: &[Pattern], gap: Pattern) -> Pattern {
    let open = (0..space.width()).rev().filter(|&bit| space.bit(bit).is_none());
    open.fold(gap, |hole, bit| {
        let mut care = hole.care().clone();
        care.set_bit(bit, false);
        let wider = Pattern::new(hole.value(), care);
        if patterns.iter().any(|pattern| pattern.overlaps(&wider)) { hole } else { wider }
    })
}

#[test]
fn wide_cubes() {
    let a = Pattern::any(200).with_bit(199, true).with_bit(3, false);
    let b = Pattern::any(200).with_bit(100, true);
    let both = a.intersect(&b).unwrap();
    assert_eq!(both.count(), Count::pow2(197));
    let mut sum = both.count();
    a.subtract(&b).iter().for_each(|part| sum.add(&part.count()));
    assert_eq!(sum, a.count());
    let space = Pattern::any(200);
    assert_eq!(cover::union_count(200, &[b.clone(), b.with_bit(5, true)]), Some(Count::pow2(199)));
    assert_eq!(cover::largest_holes(&space, &[b], 3).unwrap(), [Pattern::any(200).with_bit(100, false)]);
}

#[test]
fn a_hard_question_is_given_up() {
    // n disjoint pairs of bits, none of which may be 1-1: the gaps are 3 to the power of n.
    let pairs: Vec<Pattern> =
        (0..20).map(|i| Pattern::any(40).with_bit(2 * i, true).with_bit(2 * i + 1, true)).collect();
    assert_eq!(cover::gaps(&Pattern::any(40), &pairs, 1000), None);
    assert_eq!(cover::union_count(40, &pairs), None);
    assert!(cover::uncovered_witness(&Pattern::any(40), &pairs).unwrap().is_some());
}

#[test]
fn bad_patterns_are_refused() {
    assert_eq!(Pattern::parse("01z").map_err(|e| e.at), Err(2));
    assert_eq!(Pattern::parse("0 1_x-").unwrap().to_string(), "01xx");
}
