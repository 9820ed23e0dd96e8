//! Encoding profiles against the shipped description.

use isaglot_bits::Word;

use crate::description;

/// The description decodes the words of a profile as the profile's own table says.
#[test]
fn profiles_agree_with_their_table() {
    let isa = description::isa();
    for profile in isaglot_xintf::profile::builtin() {
        for n in [4, 8, 16] {
            let plan = description::plan(&isa, 64, &profile.name, n);
            for op in isaglot_xintf::profile::ops(16) {
                let word = Word::from_u64(u64::from(profile.encode(op, 10, 11, 12)), 32);
                let found = match plan.decode(&word) {
                    isaglot_codec::Match::One(id) => &*isa[id].display_name,
                    _ => "none",
                };
                let expected = match op {
                    isaglot_xintf::profile::GenericInst::Xext(_) => "xext",
                    isaglot_xintf::profile::GenericInst::Xcmd(k) if u64::from(k) < n => "xcmd",
                    isaglot_xintf::profile::GenericInst::Xcmd(_) => "none",
                };
                assert_eq!(found, expected, "{} {op:?} of {n}", profile.name);
            }
        }
    }
}
