//! Instructions by the name of their encoding, where several have one text.
//!
//! The problem: a `displayname` gives several leaves one mnemonic, and then one text may be several words. Two ways to say
//! which leaf is meant: `{LEAF} TEXT`, and `TEXT` with the leaf's name in place of a mnemonic that several leaves have.
//! Invariant: both are tried only if the text itself is not an instruction, the second only in a source.

use isaglot_model::Name;
use rustc_hash::FxHashMap;

use super::assembler::Assembler;
use super::failure::Failure;
use super::index::Index;
use super::number::is_word;
use super::query::Query;
use super::search::Reading;

/// Leaves that share their mnemonic with another one: their names, and the mnemonic.
pub(super) type Leaves = FxHashMap<Vec<u8>, (Name, Vec<u8>)>;

impl Assembler<'_, '_> {
    /// The word of a text that says its leaf; `None` if it says none.
    pub(super) fn by_leaf(&mut self, query: &Query<'_>) -> Option<Result<(Reading, bool), Failure>> {
        if let Some(rest) = query.text.strip_prefix(b"{") {
            let end = rest.iter().position(|&byte| byte == b'}')?;
            let (name, rest) = rest.split_at_checked(end)?;
            let leaf = self.plan.isa().names().get(std::str::from_utf8(name).ok()?)?;
            let isa = self.plan.isa();
            isa[isa.root()].encodings.iter().find(|&&id| isa[id].name == leaf)?;
            let text = rest.get(1..)?.trim_ascii();
            let before = query.text.len() - text.len();
            let found = self.find(&Query { leaf: Some(leaf), ..Query::new(text, query.site, query.width) });
            return Some(found.map_err(|failure| failure.moved(before)));
        }
        if !self.leaf_names || self.leaves().is_empty() {
            return None;
        }
        for place in Index::places(query.text) {
            let (before, rest) = query.text.split_at_checked(place)?;
            let length = rest.iter().take_while(|&&byte| is_word(byte) || matches!(byte, b'.' | b'-')).count();
            let (word, rest) = rest.split_at_checked(length)?;
            let Some((leaf, mnemonic)) = self.leaves().get(word).cloned() else { continue };
            let text = [before, &mnemonic, rest].concat();
            let found = self.find(&Query { leaf: Some(leaf), ..Query::new(&text, query.site, query.width) });
            if found.is_ok() {
                return Some(found);
            }
        }
        None
    }

    /// The leaves that share their mnemonic, made when first asked for.
    fn leaves(&self) -> &Leaves {
        self.leaves.get_or_init(|| {
            let isa = self.plan.isa();
            let active = || isa[isa.root()].encodings.iter().map(|&id| &isa[id]).filter(|e| self.plan.active(e));
            let mut by_mnemonic: FxHashMap<&str, Vec<Name>> = FxHashMap::default();
            for encoding in active() {
                let names = by_mnemonic.entry(&encoding.display_name).or_default();
                if !names.contains(&encoding.name) {
                    names.push(encoding.name);
                }
            }
            let shares = |mnemonic: &str| by_mnemonic.get(mnemonic).is_some_and(|names| names.len() > 1);
            active()
                .filter(|e| {
                    !e.display_name.is_empty() && isa.text(e.name) != &*e.display_name && shares(&e.display_name)
                })
                .map(|e| (isa.text(e.name).as_bytes().to_vec(), (e.name, e.display_name.as_bytes().to_vec())))
                .collect()
        })
    }
}
