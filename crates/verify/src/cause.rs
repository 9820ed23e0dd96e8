//! What caused a difference: the declarations of the sources that changed, and the words that each reaches.
//!
//! The problem: a bitset that forty leaves share differs once in the source and forty times in the model, and a packer that
//! changed differs in no word at all. Invariant: every declaration whose text differs is a cause, every change of words belongs to
//! one cause or is listed as having none. The method: declarations of both sides are compared by kind and name; who names
//! whom says which leaves a cause reaches; a change goes to the cause that reaches its leaf and the fewest others.

use isaglot_bits::Word;
use isaglot_model::{EncodingId, Isa};
use isaglot_source::{FileId, SourceFile};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::declarations::{self, Declaration};
use crate::diff::{Change, Difference, Side};

/// A declaration as it stands in a source.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The file.
    pub file: FileId,
    /// The line of its first word, from 1.
    pub line: u32,
}

/// A declaration that changed, and what follows from that.
#[derive(Clone, Debug)]
pub struct Cause {
    /// `bitset`, `enum`, `expr`, `def`.
    pub kind: String,
    /// Its name; empty if it has none.
    pub name: String,
    /// Where it was; `None` if it is new.
    pub old: Option<Standing>,
    /// Where it is; `None` if it is gone.
    pub new: Option<Standing>,
    /// Its lines that are gone, with their numbers from 1.
    pub removed: Vec<(u32, String)>,
    /// Its lines that are new.
    pub added: Vec<(u32, String)>,
    /// Only how a program's own data is packed changed (`<encode>`, `<map>`).
    pub packer: bool,
    /// The instructions that it is part of, by name, in the order of the description.
    pub reaches: Vec<String>,
    /// The changes that it caused: indices of [`Difference::changes`].
    pub changes: Vec<usize>,
}

/// The causes of a difference.
#[derive(Clone, Debug, Default)]
pub struct Causes {
    /// In the order of the sources.
    pub list: Vec<Cause>,
    /// Changes without a known cause.
    pub others: Vec<usize>,
    /// The instructions that some cause may reach; `None` if that is not known.
    touched: Option<FxHashSet<String>>,
}

/// The files of one side.
pub type Files<'f> = [(FileId, &'f SourceFile)];

type Key = (String, String, usize);

fn key(d: &Declaration) -> Key {
    (d.kind.clone(), d.name.clone(), d.number)
}

/// The declarations that differ between two sides, and the instructions that they reach.
#[must_use]
pub fn causes(a: (&Isa, &Files<'_>), b: (&Isa, &Files<'_>)) -> Causes {
    let old = declarations::all(a.1.iter().copied());
    let new = declarations::all(b.1.iter().copied());
    let by_key: FxHashMap<Key, &Declaration> = new.iter().map(|d| (key(d), d)).collect();
    let known: FxHashSet<Key> = old.iter().map(key).collect();
    let mut list = Vec::new();
    for before in &old {
        let after = by_key.get(&key(before)).copied();
        if after.is_none_or(|after| !same(before, after)) {
            list.push(cause(Some(before), after));
        }
    }
    list.extend(new.iter().filter(|d| !known.contains(&key(d))).map(|d| cause(None, Some(d))));
    let mut touched = Some(FxHashSet::default());
    for (isa, declared) in [(a.0, &old), (b.0, &new)] {
        let reach = Reach::new(isa, declared);
        for cause in &mut list {
            let Some(names) = reach.of(cause) else {
                // Of a declaration that is nobody's, and a name that no declaration has, anything may follow.
                touched = None;
                continue;
            };
            if let Some(all) = &mut touched {
                all.extend(names.iter().cloned());
            }
            let more: Vec<String> = names.into_iter().filter(|name| !cause.reaches.contains(name)).collect();
            cause.reaches.extend(more);
        }
        if !reach.all_declared {
            touched = None;
        }
    }
    Causes { list, others: Vec::new(), touched }
}

impl Causes {
    /// Whether the words of an encoding may differ; where nothing is known, they may.
    #[must_use]
    pub fn touches(&self, isa: &Isa, id: EncodingId) -> bool {
        self.touched.as_ref().is_none_or(|touched| touched.contains(isa.text(isa[id].name)))
    }

    /// Gives every change of a difference to its cause.
    pub fn assign(&mut self, a: Side<'_>, b: Side<'_>, found: &Difference) {
        for (i, change) in found.changes.iter().enumerate() {
            let mut names = names(a.isa, b.isa, change);
            if !self.list.iter().any(|cause| names.iter().any(|name| cause.reaches.contains(name))) {
                // Another instruction may have taken the word, or given it.
                names.extend([a.isa, b.isa].into_iter().flat_map(|isa| claimants(isa, &change.sample)));
            }
            let reaches = |cause: &&mut Cause| names.iter().any(|name| cause.reaches.contains(name));
            match self.list.iter_mut().filter(reaches).min_by_key(|cause| (cause.packer, cause.reaches.len())) {
                Some(cause) => cause.changes.push(i),
                None => self.others.push(i),
            }
        }
    }
}

/// The names of the instructions whose pattern a word matches.
fn claimants(isa: &Isa, word: &Word) -> Vec<String> {
    let matches = |id: &&EncodingId| isa[**id].width == word.width() && isa[**id].pattern.matches(word);
    isa[isa.root()].encodings.iter().filter(matches).map(|&id| isa.text(isa[id].name).to_owned()).collect()
}

/// The names of the encodings of a change.
fn names(a: &Isa, b: &Isa, change: &Change) -> Vec<String> {
    let name = |isa: &Isa, id: Option<EncodingId>| id.map(|id| isa.text(isa[id].name).to_owned());
    [name(a, change.a), name(b, change.b)].into_iter().flatten().collect()
}

fn same(a: &Declaration, b: &Declaration) -> bool {
    a.lines.len() == b.lines.len() && a.lines.iter().zip(&b.lines).all(|(a, b)| a.1 == b.1)
}

fn cause(old: Option<&Declaration>, new: Option<&Declaration>) -> Cause {
    let lines = |d: Option<&Declaration>| d.map_or(Vec::new(), |d| d.lines.clone());
    let (mut removed, mut added) = (lines(old), lines(new));
    let packers = [packing(&removed), packing(&added)];
    let common = removed.iter().zip(&added).take_while(|(a, b)| a.1 == b.1).count();
    let shortest = removed.len().min(added.len()) - common;
    let tail = removed.iter().rev().zip(added.iter().rev()).take_while(|(a, b)| a.1 == b.1).count().min(shortest);
    let (old_end, new_end) = (removed.len() - tail, added.len() - tail);
    let packer = old.is_some()
        && new.is_some()
        && packers.iter().zip([old_end, new_end]).all(|(lines, end)| lines.iter().take(end).skip(common).all(|&is| is));
    removed.truncate(old_end);
    added.truncate(new_end);
    removed.drain(..common);
    added.drain(..common);
    let standing = |d: &Declaration| Standing { file: d.span.file, line: d.lines.first().map_or(1, |line| line.0) };
    let any = old.or(new);
    Cause {
        kind: any.map_or_else(String::new, |d| d.kind.clone()),
        name: any.map_or_else(String::new, |d| d.name.clone()),
        old: old.map(standing),
        new: new.map(standing),
        removed,
        added,
        packer,
        reaches: Vec::new(),
        changes: Vec::new(),
    }
}

/// For each line, whether it is part of how a program's data is packed.
fn packing(lines: &[(u32, String)]) -> Vec<bool> {
    let mut inside = false;
    let mut one = |(_, line): &(u32, String)| {
        let starts = line.contains("<encode");
        let is = inside || starts;
        inside = is && !line.contains("</encode>") && !(starts && line.ends_with("/>"));
        is
    };
    lines.iter().map(&mut one).collect()
}

/// Which instructions name which declarations.
struct Reach {
    /// For each instruction, in the order of the description: the kinds and names that its declarations lead to.
    leaves: Vec<(String, FxHashSet<(String, String)>)>,
    /// All kinds and names.
    declared: FxHashSet<(String, String)>,
    /// Every instruction has a declaration of its name.
    all_declared: bool,
}

/// Kinds that others refer to by name. What is of another kind applies to the whole description.
const NAMED: &[&str] =
    &["bitset", "enum", "expr", "template", "registers", "def", "class", "multiclass", "defm", "section"];

impl Reach {
    fn new(isa: &Isa, declarations: &[Declaration]) -> Reach {
        let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (i, d) in declarations.iter().enumerate().filter(|(_, d)| NAMED.contains(&d.kind.as_str())) {
            by_name.entry(&d.name).or_default().push(i);
        }
        // Who is named, and whether as the type of a field: then all that extend it are meant, too.
        let uses: Vec<Vec<(usize, bool)>> = declarations
            .iter()
            .map(|d| {
                let mut list = Vec::new();
                for (word, is_type) in d.lines.iter().flat_map(|(_, line)| words(line)) {
                    list.extend(by_name.get(word).into_iter().flatten().map(|&at| (at, is_type)));
                }
                list.sort_unstable();
                list.dedup();
                list
            })
            .collect();
        let mut extended: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (i, d) in declarations.iter().enumerate() {
            if let Some(parent) = d.lines.first().and_then(|(_, line)| quoted(line, "extends")) {
                extended.entry(parent).or_default().push(i);
            }
        }
        let mut leaves: Vec<(String, FxHashSet<(String, String)>)> = Vec::new();
        let mut known = FxHashSet::default();
        let mut all_declared = true;
        for &id in &isa[isa.root()].encodings {
            let name = isa.text(isa[id].name);
            if !known.insert(name) {
                continue;
            }
            let mut open: Vec<(usize, bool)> = by_name.get(name).into_iter().flatten().map(|&at| (at, false)).collect();
            all_declared &= !open.is_empty();
            let mut seen: FxHashSet<(usize, bool)> = open.iter().copied().collect();
            while let Some((at, as_type)) = open.pop() {
                let children = declarations.get(at).filter(|_| as_type).and_then(|d| extended.get(d.name.as_str()));
                let children = children.into_iter().flatten().map(|&child| (child, true));
                for next in uses.get(at).into_iter().flatten().copied().chain(children) {
                    if seen.insert(next) {
                        open.push(next);
                    }
                }
            }
            let of = |at: usize| declarations.get(at).map(|d| (d.kind.clone(), d.name.clone()));
            leaves.push((name.to_owned(), seen.into_iter().filter_map(|(at, _)| of(at)).collect()));
        }
        let declared = declarations.iter().map(|d| (d.kind.clone(), d.name.clone())).collect();
        Reach { leaves, declared, all_declared }
    }

    /// The instructions that a declaration is part of; `None` if it is of no kind that others name.
    fn of(&self, cause: &Cause) -> Option<Vec<String>> {
        let key = (cause.kind.clone(), cause.name.clone());
        if !NAMED.contains(&cause.kind.as_str()) || cause.name.is_empty() {
            return None;
        }
        if !self.declared.contains(&key) {
            return Some(Vec::new());
        }
        let reached = self.leaves.iter().filter(|(_, seen)| seen.contains(&key));
        Some(reached.map(|(name, _)| name.clone()).collect())
    }
}

/// The value of an attribute in a line of XML.
fn quoted<'l>(line: &'l str, attribute: &str) -> Option<&'l str> {
    let after = line.split(&format!("{attribute}=\"")).nth(1)?;
    after.split('"').next()
}

/// The words of a line that may be names: quoted values as a whole, what stands in braces, and identifiers of TableGen. With each
/// comes whether it is the type of a field.
fn words(line: &str) -> Vec<(&str, bool)> {
    let mut out: Vec<(&str, bool)> = Vec::new();
    if (line.contains('<') && line.contains('>')) || line.contains('{') {
        let pieces: Vec<&str> = line.split(['"', '\'']).collect();
        for pair in pieces.windows(2).step_by(2) {
            if let [before, value] = pair {
                out.push((value, before.trim_end().ends_with("type=")));
            }
        }
        out.extend(line.split('{').skip(1).filter_map(|rest| Some((rest.split(['}', ':']).next()?, false))));
    }
    if !line.contains("=\"") {
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        out.extend(words.map(|word| (word, true)));
    }
    out
}
