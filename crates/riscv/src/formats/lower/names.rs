//! Which instructions a statement of the table of operands is about: names with `*` and `?`, and after `!` names that are not meant.
//!
//! Every statement is asked about every instruction, so what a name begins with is looked at first: a set of bytes for each
//! statement rejects most of them.

use isaglot_isaspec::Text;
use isaglot_source::Glob;

/// Names of instructions, with `*` and `?`; without any, all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    with: Vec<Glob>,
    without: Vec<Glob>,
    /// The bytes below 128 that a name of `with` begins with, one bit each; `None` if it may begin with any.
    starts: Option<u128>,
}

impl Names {
    fn new(with: Vec<Glob>, without: Vec<Glob>) -> Names {
        let start = |glob: &Glob| glob.head().bytes().next().map(bit);
        let starts: Option<u128> = with.iter().map(start).try_fold(0, |all, one| Some(all | one?));
        Names { starts: starts.filter(|_| !with.is_empty()), with, without }
    }

    /// Whether a name is one of them. One without `@` means all copies of an instruction too.
    pub(super) fn has(&self, name: &str) -> bool {
        let start = name.bytes().next().map_or(0, bit);
        self.starts.is_none_or(|starts| starts & start != 0) && self.fit(name)
    }

    fn fit(&self, name: &str) -> bool {
        let plain = name.split('@').next().unwrap_or(name);
        let fits = |glob: &Glob| glob.fits(if glob.text().contains('@') { name } else { plain });
        (self.with.is_empty() || self.with.iter().any(fits)) && !self.without.iter().any(fits)
    }
}

/// The bit of a byte: any that is not ASCII shares one.
fn bit(byte: u8) -> u128 {
    1 << byte.min(127)
}

/// Reads `NAMES ! NAMES`.
pub(super) fn names(text: &Text) -> Names {
    let list = |part: &str| part.split_whitespace().map(Glob::new).collect();
    match text.value.split_once('!') {
        Some((with, without)) => Names::new(list(with), list(without)),
        None => Names::new(list(&text.value), Vec::new()),
    }
}
