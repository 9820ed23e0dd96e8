//! What lines say of each other: names that are given once, references that lead somewhere, pseudo-ops within their base.

use isaglot_source::{Diagnostic, Diagnostics, closest};
use rustc_hash::FxHashMap;

use super::{Kind, Line, Opcodes, Reference};

/// After so many messages none gets a suggestion: it takes long to find.
const MOST_SUGGESTIONS: usize = 50;

/// Reports what is wrong between lines.
pub(super) fn check(all: &Opcodes, out: &mut Diagnostics) {
    let names = Names::of(all);
    for base in [0, 1] {
        once(all, base, out);
    }
    equal_bases(all, out);
    for line in &all.lines {
        match &line.kind {
            Kind::Regular => {}
            Kind::Import(reference) => drop(names.target(all, line, reference, out)),
            Kind::Pseudo(reference) => {
                if let Some(base) = names.target(all, line, reference, out) {
                    subset(line, base, out);
                }
            }
        }
    }
}

/// The line that a reference leads to, if it is a regular one.
pub(super) fn target<'a>(all: &'a Opcodes, regular: &Regular<'a>, reference: &Reference) -> Option<&'a Line> {
    let file = all.file(&reference.file)?;
    regular.get(&(file, reference.name.as_str())).copied()
}

/// Regular lines by file and name; of several the first.
pub(super) type Regular<'a> = FxHashMap<(usize, &'a str), &'a Line>;

/// The regular lines of all files.
pub(super) fn regular(all: &Opcodes) -> Regular<'_> {
    let mut found = Regular::default();
    for line in all.lines.iter().filter(|line| line.kind == Kind::Regular) {
        found.entry((line.file, line.name.as_str())).or_insert(line);
    }
    found
}

struct Names<'a> {
    regular: Regular<'a>,
    files: FxHashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    fn of(all: &'a Opcodes) -> Names<'a> {
        let files = all.files.iter().enumerate().rev().map(|(index, file)| (file.name.as_str(), index)).collect();
        Names { regular: regular(all), files }
    }

    /// Where a reference leads, or nothing after saying why it leads nowhere.
    fn target(&self, all: &'a Opcodes, line: &Line, to: &Reference, out: &mut Diagnostics) -> Option<&'a Line> {
        let Some(&file) = self.files.get(to.file.as_str()) else {
            let d = Diagnostic::error("opcodes-missing-file", format!("there is no file `{}`", to.file));
            let near = closest(&to.file, all.files.iter().map(|f| f.name.as_str()));
            out.push(d.label(to.span, "").did_you_mean(near));
            return None;
        };
        if let Some(found) = self.regular.get(&(file, to.name.as_str())) {
            return Some(*found);
        }
        let inside = || all.lines.iter().filter(move |l| l.file == file);
        let d = match inside().find(|l| l.name == to.name && !std::ptr::eq(*l, line)) {
            Some(other) => {
                let what = if matches!(other.kind, Kind::Import(_)) { "an import" } else { "a pseudo-op" };
                let message = format!("`{}` of file `{}` is {what}, not an instruction of its own", to.name, to.file);
                let d = Diagnostic::error("opcodes-not-a-base", message).label(to.span, "");
                d.secondary(other.span, what)
            }
            None => {
                let message = format!("file `{}` has no instruction `{}`", to.file, to.name);
                let d = Diagnostic::error("opcodes-missing-instruction", message).label(to.span, "");
                let near = (out.len() < MOST_SUGGESTIONS).then(|| closest(&to.name, inside().map(|l| l.name.as_str())));
                d.did_you_mean(near.flatten())
            }
        };
        out.push(d);
        None
    }
}

/// An instruction has one regular line among the files of a base.
fn once(all: &Opcodes, base: usize, out: &mut Diagnostics) {
    let mut first: FxHashMap<&str, &Line> = FxHashMap::default();
    for line in all.lines.iter().filter(|line| line.kind == Kind::Regular) {
        let bases = all.file_of(line).map_or([false; 2], |file| file.bases);
        if !bases[base] {
            continue;
        }
        let Some(known) = first.get(line.name.as_str()) else {
            first.insert(&line.name, line);
            continue;
        };
        // Both are there with either base: said once, for the first.
        let of_both = bases[0] && all.file_of(known).is_some_and(|file| file.bases[0]);
        if base == 1 && of_both {
            continue;
        }
        let message = format!("instruction `{}` is given twice for {}", line.name, BASES[base]);
        let d = Diagnostic::error("opcodes-duplicate-name", message).label(line.name_span, "again");
        let d = d.secondary(known.name_span, "first");
        out.push(d.note("an instruction of two extensions is a line of one, and `$import FILE::NAME` in the other"));
    }
}

const BASES: [&str; 2] = ["RV32", "RV64"];

/// A name that is given for each base apart has the same words on both.
fn equal_bases(all: &Opcodes, out: &mut Diagnostics) {
    let of = |bases: [bool; 2]| {
        let regular = all.lines.iter().filter(|line| line.kind == Kind::Regular && line.sound);
        regular.filter(move |line| all.file_of(line).is_some_and(|file| file.bases == bases))
    };
    let narrow: FxHashMap<&str, &Line> = of([true, false]).map(|line| (line.name.as_str(), line)).collect();
    for line in of([false, true]) {
        let Some(other) = narrow.get(line.name.as_str()).filter(|other| other.pattern != line.pattern) else {
            continue;
        };
        let message = format!("instruction `{}` has other bits for RV64 than for RV32", line.name);
        let d = Diagnostic::error("opcodes-base-conflict", message).label(line.name_span, line.pattern.to_string());
        let d = d.secondary(other.name_span, other.pattern.to_string());
        out.push(d.note("the form of the other base is a `$pseudo_op` of this one, or has a name of its own"));
    }
}

/// The words of a pseudo-op are words of its base.
fn subset(line: &Line, base: &Line, out: &mut Diagnostics) {
    if !line.sound || !base.sound {
        return;
    }
    let d = |what: String| {
        let d = Diagnostic::warning("opcodes-pseudo-not-subset", what).label(line.name_span, line.pattern.to_string());
        d.secondary(base.name_span, base.pattern.to_string())
    };
    if line.pattern.width() != base.pattern.width() {
        let (a, b) = (line.pattern.width(), base.pattern.width());
        out.push(d(format!("`{}` has {a} bits and its base `{}` has {b}", line.name, base.name)));
    } else if !base.pattern.contains(&line.pattern) {
        let outside = line.pattern.subtract(&base.pattern);
        let all = line.pattern.intersect(&base.pattern).is_none();
        let some = if all { "no word" } else { "not every word" };
        let message = format!("{some} of `{}` is a word of its base `{}`", line.name, base.name);
        let witness = outside.iter().map(isaglot_bits::Pattern::witness).min();
        let note = witness.map(|word| format!("0x{} is a word of `{}` only", word.hex(), line.name));
        out.push(note.into_iter().fold(d(message), Diagnostic::note));
    }
}
