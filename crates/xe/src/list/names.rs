//! Names that a source gives to labels, in a listing of the binary that it became.
//!
//! A binary has no names, so blocks are called after their offsets. A name replaces that if the listing has a block there and nothing
//! else in it is called so; of several names for one place the first counts.

use isaglot_listing::tree::{Elem, ListOperand, Listing};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ListOptions;
use super::element::symbol;

/// Calls the labels of a listing, made with these options, by the names of a source: offsets and names.
pub fn name_labels(listing: &mut Listing<'_>, names: &[(u32, String)], options: &ListOptions) {
    let labels = |elem: &Elem<'_>| if let Elem::L(l) = elem { Some(l.symbol.to_string()) } else { None };
    let mut taken: FxHashSet<String> = listing.elems.iter().filter_map(labels).collect();
    let mut new: FxHashMap<String, &str> = FxHashMap::default();
    for (pc, name) in names {
        let old = symbol(i64::from(*pc), options).into_owned();
        if taken.contains(&old) && !new.contains_key(&old) && taken.insert(name.clone()) {
            new.insert(old, name);
        }
    }
    for elem in &mut listing.elems {
        match elem {
            Elem::L(l) => {
                if let Some(name) = new.get(&*l.symbol) {
                    l.symbol = (*name).to_owned().into();
                }
            }
            Elem::I(i) => {
                for src in &mut i.srcs {
                    if let ListOperand::LB(l) = src
                        && let Some(name) = new.get(&*l.target)
                    {
                        l.target = (*name).to_owned().into();
                    }
                }
                // For people the comment is the text, which names the place too.
                if let Some(text) = i.comment.as_mut().filter(|_| options.text && !new.is_empty()) {
                    *text = renamed(text, &new).into();
                }
            }
        }
    }
}

/// A text in which whole words are replaced.
fn renamed(text: &str, names: &FxHashMap<String, &str>) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(word) {
        let (before, tail) = rest.split_at(start);
        let end = tail.find(|c| !word(c)).unwrap_or(tail.len());
        let (name, after) = tail.split_at(end);
        out += before;
        out += names.get(name).unwrap_or(&name);
        rest = after;
    }
    out + rest
}
