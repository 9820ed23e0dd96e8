//! When instructions are there: formulas over extensions become features and what a bitset needs of them.
//!
//! A register width is a gen and never a feature, so a formula is first simplified for one width. What an extension requires is
//! used in three ways. One that it always requires is implied. One that it requires under a condition (`C` with `F` on RV32
//! requires `Zcf`) makes that condition another way to have it. And one that it excludes decides what is on by
//! default: of two that exclude each other the first by name, ratified ones before those of vendors.

use isaglot_isaspec::Text;
use isaglot_isaspec::syntax::{FeatureDecl, Requirement};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Decided;
use crate::formats::{Extension, Formula, Table};

/// What is needed of the features, with the register width known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Need {
    Never,
    Always,
    Feature(String),
    Not(Box<Need>),
    All(Vec<Need>),
    Any(Vec<Need>),
}

impl Need {
    fn not(self) -> Need {
        match self {
            Need::Never => Need::Always,
            Need::Always => Need::Never,
            Need::Not(inner) => *inner,
            other => Need::Not(Box::new(other)),
        }
    }

    fn all(list: Vec<Need>) -> Need {
        joined(list, &Need::Never, &Need::Always, Need::All)
    }

    fn any(list: Vec<Need>) -> Need {
        joined(list, &Need::Always, &Need::Never, Need::Any)
    }

    /// As the syntax tree has it, with the place that it came from.
    pub(super) fn requirement(&self, place: &Text) -> Option<Requirement> {
        let several = |list: &[Need]| list.iter().filter_map(|n| n.requirement(place)).collect();
        match self {
            Need::Never | Need::Always => None,
            Need::Feature(name) => Some(Requirement::Feature(Text::verbatim(name, place.span()))),
            Need::Not(inner) => inner.requirement(place).map(|r| Requirement::Not(Box::new(r))),
            Need::All(list) => Some(Requirement::All(several(list))),
            Need::Any(list) => Some(Requirement::Any(several(list))),
        }
    }
}

/// A list of which one `decides` and those that are `idle` say nothing.
fn joined(list: Vec<Need>, decides: &Need, idle: &Need, several: fn(Vec<Need>) -> Need) -> Need {
    let mut kept: Vec<Need> = Vec::new();
    for need in list {
        if need == *decides {
            return need;
        }
        if need != *idle && !kept.contains(&need) {
            kept.push(need);
        }
    }
    match kept.len() {
        0 => idle.clone(),
        1 => kept.swap_remove(0),
        _ => several(kept),
    }
}

/// The name of the feature that an extension is.
pub(super) fn feature(extension: &str) -> String {
    extension.to_ascii_lowercase()
}

/// What a table says of extensions.
pub(super) struct Extensions<'a> {
    list: &'a [Extension],
    /// Per register width, those that cannot be there.
    impossible: [FxHashSet<&'a str>; 2],
    /// Per register width, other ways to have an extension.
    brought: [FxHashMap<&'a str, Vec<Need>>; 2],
    /// What each one implies, for every width.
    implies: Vec<Vec<&'a str>>,
}

impl<'a> Extensions<'a> {
    pub(super) fn of(table: &'a Table) -> Extensions<'a> {
        let mut this = Extensions {
            list: &table.extensions,
            impossible: Default::default(),
            brought: Default::default(),
            implies: Vec::new(),
        };
        for extension in this.list {
            let mut implied: [Vec<&str>; 2] = Default::default();
            for (at, xlen) in [32, 64].into_iter().enumerate() {
                if demands(extension).iter().any(|clause| this.need(clause, xlen) == Need::Never) {
                    this.impossible[at].insert(&extension.name);
                }
                for clause in demands(extension) {
                    let Some((wanted, conditions)) = implication(clause, xlen) else { continue };
                    if conditions.is_empty() {
                        implied[at].push(wanted);
                    } else {
                        let mut list = vec![Need::Feature(feature(&extension.name))];
                        list.extend(conditions.into_iter().map(|c| Need::Feature(feature(c))));
                        this.brought[at].entry(wanted).or_default().push(Need::All(list));
                    }
                }
            }
            let always: Vec<&str> = implied[0].iter().filter(|e| implied[1].contains(e)).copied().collect();
            for (at, list) in implied.iter().enumerate() {
                for wanted in list.iter().filter(|e| !always.contains(e)) {
                    let way = Need::Feature(feature(&extension.name));
                    this.brought[at].entry(wanted).or_default().push(way);
                }
            }
            this.implies.push(always);
        }
        this
    }

    /// The extension of a name in any case, as the table writes it.
    pub(super) fn known(&self, name: &str) -> Option<String> {
        self.list.iter().find(|e| e.name.eq_ignore_ascii_case(name)).map(|e| e.name.clone())
    }

    /// What a formula needs where registers are this wide.
    pub(super) fn need(&self, formula: &Formula, xlen: u32) -> Need {
        self.signed(formula, xlen, true)
    }

    /// The formula or, if it is not `positive`, its contrary. What a parameter decides may hold either way.
    fn signed(&self, formula: &Formula, xlen: u32, positive: bool) -> Need {
        let list = |parts: &[Formula], positive| parts.iter().map(|f| self.signed(f, xlen, positive)).collect();
        let sign = |need: Need| if positive { need } else { need.not() };
        match formula {
            Formula::Parameter(_) | Formula::Idl(_) => Need::Always,
            Formula::True => sign(Need::Always),
            Formula::Xlen(width) => sign(if *width == xlen { Need::Always } else { Need::Never }),
            Formula::Extension(name, _) => sign(self.extension(name, usize::from(xlen == 64))),
            Formula::Not(inner) => self.signed(inner, xlen, !positive),
            Formula::All(parts) if positive => Need::all(list(parts, true)),
            Formula::Any(parts) if positive => Need::any(list(parts, true)),
            Formula::All(parts) => Need::any(list(parts, false)),
            Formula::Any(parts) => Need::all(list(parts, false)),
            Formula::One(parts) => {
                let one = |chosen: usize| {
                    let others = parts.iter().enumerate();
                    Need::all(others.map(|(i, f)| self.signed(f, xlen, i == chosen)).collect())
                };
                sign(Need::any((0..parts.len()).map(one).collect()))
            }
        }
    }

    fn extension(&self, name: &str, width: usize) -> Need {
        if self.impossible.get(width).is_some_and(|set| set.contains(name)) {
            return Need::Never;
        }
        let mut ways = vec![Need::Feature(feature(name))];
        ways.extend(self.brought.get(width).and_then(|b| b.get(name)).into_iter().flatten().cloned());
        Need::any(ways)
    }

    /// A feature for each extension, and for each that only an instruction names.
    pub(super) fn features(&self, table: &'a Table, decided: &Decided<'_>) -> Vec<FeatureDecl> {
        let on = self.defaults(decided);
        let mut known: FxHashSet<String> = FxHashSet::default();
        let mut features = Vec::new();
        for (extension, implies) in self.list.iter().zip(&self.implies) {
            let text = |name: &str| Text::verbatim(&feature(name), extension.span);
            let doc = (!extension.doc.is_empty()).then(|| Text::verbatim(&extension.doc, extension.span));
            let mut excluded: Vec<Requirement> = Vec::new();
            let others = demands(extension).into_iter().flat_map(exclusions).filter(|e| self.known(e).is_some());
            excluded.extend(others.map(|other| Requirement::Feature(text(other))));
            if known.insert(feature(&extension.name)) {
                features.push(FeatureDecl {
                    name: text(&extension.name),
                    implies: implies.iter().map(|e| text(e)).collect(),
                    excludes: (!excluded.is_empty()).then_some(Requirement::Any(excluded)),
                    default: on.contains(extension.name.as_str()),
                    doc,
                    span: extension.span,
                });
            }
        }
        let conditions = table.instructions.iter().map(|i| (&i.condition, i.span));
        for (formula, span) in conditions.chain(self.list.iter().map(|e| (&e.requires, e.span))) {
            for name in names(formula) {
                if known.insert(feature(name)) {
                    let name = Text::verbatim(&feature(name), span);
                    features.push(FeatureDecl {
                        name,
                        implies: Vec::new(),
                        excludes: None,
                        default: false,
                        doc: None,
                        span,
                    });
                }
            }
        }
        features
    }

    /// What is on by default: see the head of this file.
    fn defaults(&self, decided: &Decided<'_>) -> FxHashSet<&'a str> {
        let is_vendor = |e: &Extension| e.name.starts_with('X') || e.name.starts_with('x');
        let mut order: Vec<&Extension> = self.list.iter().filter(|e| e.ratified || is_vendor(e)).collect();
        order.retain(|e| decided(&e.name).is_none());
        order.sort_by_key(|e| (is_vendor(e), &e.name));
        let there = self.list.iter().filter(|e| decided(&e.name) == Some(true));
        let mut on: FxHashSet<&str> = there.map(|e| e.name.as_str()).collect();
        for extension in order {
            let all = self.closure(&extension.name);
            let excluded = |name: &&str| {
                let requires = self.list.iter().filter(|e| e.name == **name).flat_map(demands);
                requires.flat_map(exclusions).any(|other| on.contains(other) || all.contains(&other))
            };
            if !all.iter().any(excluded) {
                on.extend(all);
            }
        }
        on
    }

    /// An extension with all that it implies.
    fn closure(&self, name: &'a str) -> Vec<&'a str> {
        let mut all = vec![name];
        let mut at = 0;
        while let Some(&name) = all.get(at) {
            let found = self.list.iter().position(|e| e.name == name);
            for other in found.and_then(|i| self.implies.get(i)).into_iter().flatten() {
                if !all.contains(other) {
                    all.push(other);
                }
            }
            at += 1;
        }
        all
    }
}

/// What an extension requires, in its newest version.
fn demands(extension: &Extension) -> Vec<&Formula> {
    let newest = extension.versions.last().map(|v| &v.requires);
    std::iter::once(&extension.requires).chain(newest).flat_map(conjuncts).collect()
}

/// What must all hold.
fn conjuncts(formula: &Formula) -> Vec<&Formula> {
    match formula {
        Formula::All(list) => list.iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

/// The extension that a clause demands, and the extensions that it demands it for.
fn implication(clause: &Formula, xlen: u32) -> Option<(&str, Vec<&str>)> {
    let one = std::slice::from_ref(clause);
    let parts = match clause {
        Formula::Any(list) | Formula::One(list) => list.as_slice(),
        _ => one,
    };
    let (mut wanted, mut conditions) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Formula::Xlen(width) if *width != xlen => {}
            Formula::Extension(name, _) => wanted.push(name.as_str()),
            Formula::Not(inner) => match &**inner {
                Formula::Extension(name, _) => conditions.push(name.as_str()),
                _ => return None,
            },
            _ => return None,
        }
    }
    match wanted.as_slice() {
        [one] => Some((one, conditions)),
        _ => None,
    }
}

/// The extensions that a clause excludes.
fn exclusions(clause: &Formula) -> Vec<&str> {
    match clause {
        Formula::Not(inner) => match &**inner {
            Formula::Extension(name, _) => vec![name],
            Formula::Any(list) => list.iter().flat_map(names).collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The extensions that a formula names.
fn names(formula: &Formula) -> Vec<&str> {
    match formula {
        Formula::True | Formula::Xlen(_) | Formula::Parameter(_) | Formula::Idl(_) => Vec::new(),
        Formula::Extension(name, _) => vec![name],
        Formula::Not(inner) => names(inner),
        Formula::All(list) | Formula::Any(list) | Formula::One(list) => list.iter().flat_map(names).collect(),
    }
}
