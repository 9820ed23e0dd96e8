//! Names: which definition each one means, once all files are read.
//!
//! The reference keeps dictionaries: a later definition takes the place of an earlier one *at the earlier one's
//! position*. Bitsets are kept twice, by name (the last one) and as lists per name, because bitsets of one name that
//! nothing extends are variants for different gens. At the end of every file, templates are expanded in the bitsets
//! known so far, but only in the last of each name. All of that is visible in what a description prints, so all of it is
//! kept.

use isaglot_invariant::impossible;
use isaglot_source::{Diagnostic, Diagnostics, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::display::template_references;
use crate::limits;
use crate::load::Sources;
use crate::roles::RolesFile;
use crate::syntax::{Bitset, CaseDecl, DerivedDecl, EnumDecl, ExprDecl, ExprRef, FeatureDecl, Registers, TemplateDecl};
use crate::text::Text;

/// A dictionary that remembers the order of first insertion.
#[derive(Clone, Debug)]
pub(crate) struct Table<T> {
    pub(crate) entries: Vec<(String, T)>,
    index: FxHashMap<String, usize>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { entries: Vec::new(), index: FxHashMap::default() }
    }
}

impl<T> Table<T> {
    /// Sets the value of a name and gives the value that it replaces.
    pub(crate) fn insert(&mut self, name: &str, value: T) -> Option<T> {
        if let Some(entry) = self.index.get(name).and_then(|&i| self.entries.get_mut(i)) {
            return Some(std::mem::replace(&mut entry.1, value));
        }
        self.index.insert(name.to_owned(), self.entries.len());
        self.entries.push((name.to_owned(), value));
        None
    }

    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        self.index.get(name).and_then(|&i| self.entries.get(i)).map(|(_, value)| value)
    }

    /// The place of a name in `entries`.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(name, _)| name.as_str())
    }
}

/// A case of a bitset with its names settled.
#[derive(Clone, Debug)]
pub(crate) struct CaseInfo<'a> {
    /// The name of its condition; `None` in the default case.
    pub(crate) guard: Option<Text>,
    pub(crate) decl: &'a CaseDecl,
    /// The expression of each derived field, by name; `None` where it is missing, which was reported.
    pub(crate) derived: Vec<(&'a DerivedDecl, Option<Text>)>,
    /// The display is an alias.
    pub(crate) alias: bool,
    /// The display with templates expanded.
    pub(crate) display: Option<Text>,
}

/// One `<bitset>` as often as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Set<'a> {
    pub(crate) decl: &'a Bitset,
    /// Overrides in order, the default last.
    pub(crate) cases: Vec<CaseInfo<'a>>,
    /// Its file is written in Isaglot's dialect.
    pub(crate) dialect: bool,
}

/// Everything by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables<'a> {
    pub(crate) exprs: Table<&'a ExprDecl>,
    pub(crate) templates: Table<&'a TemplateDecl>,
    pub(crate) enums: Table<&'a EnumDecl>,
    pub(crate) registers: Table<&'a Registers>,
    pub(crate) features: Table<&'a FeatureDecl>,
    /// All bitsets in the order in which they were read.
    pub(crate) sets: Vec<Set<'a>>,
    /// The last bitset of each name.
    pub(crate) by_name: Table<usize>,
    /// The bitsets that nothing extends, all of each name, in order; filled by [`Tables::settle`].
    pub(crate) leaves: Vec<(String, Vec<usize>)>,
    /// The names that several leaves share.
    pub(crate) variants: FxHashSet<String>,
    /// The last root of each name.
    pub(crate) roots: Table<usize>,
    anonymous: usize,
}

/// Builds the tables from all files, in their order, and the register files of an overlay.
pub(crate) fn gather<'a>(
    sources: &'a Sources,
    overlay: Option<&'a RolesFile>,
    out: &mut Diagnostics,
) -> Option<Tables<'a>> {
    let mut tables = Tables::default();
    let mut variants: Table<Vec<usize>> = Table::default();
    for file in sources.order.iter().filter_map(|&i| sources.files.get(i)) {
        for decl in &file.exprs {
            tables.expression(decl, out);
        }
        for decl in &file.templates {
            tables.templates.insert(&decl.name.value, decl);
        }
        for decl in &file.enums {
            let replaced = tables.enums.insert(&decl.name.value, decl);
            twice("isaspec-enum-replaced", "enum", &decl.name, replaced.map(|r| r.name.span()), out);
        }
        for decl in &file.registers {
            tables.register_file(decl, out);
        }
        for decl in &file.features {
            let replaced = tables.features.insert(&decl.name.value, decl);
            twice("isaspec-feature-replaced", "feature", &decl.name, replaced.map(|r| r.name.span()), out);
        }
        for decl in &file.bitsets {
            if tables.sets.len() >= limits::MAX_BITSETS {
                let message = format!("more than {} bitsets", limits::MAX_BITSETS);
                out.push(Diagnostic::error("isaspec-bitset-limit", message).label(decl.span, "this one is too many"));
                return None;
            }
            let id = tables.set(decl, file.dialect, out);
            let name = decl.name.value.as_str();
            tables.by_name.insert(name, id);
            if decl.size.is_some() {
                tables.roots.insert(name, id);
            }
            match variants.index.get(name).and_then(|&i| variants.entries.get_mut(i)) {
                Some((_, list)) => list.push(id),
                None => {
                    variants.insert(name, vec![id]);
                }
            }
        }
        tables.expand_templates(out);
    }
    for decl in overlay.iter().flat_map(|overlay| &overlay.registers) {
        tables.register_file(decl, out);
    }
    tables.settle(variants, out);
    Some(tables)
}

fn twice(code: &'static str, what: &str, name: &Text, replaced: Option<Span>, out: &mut Diagnostics) {
    if let Some(first) = replaced.filter(|span| *span != name.span()) {
        let d =
            Diagnostic::warning(code, format!("{what} `{}` is defined twice; the last definition counts", name.value))
                .label(name.span(), "counts")
                .secondary(first, "has no effect");
        out.push(d);
    }
}

impl<'a> Tables<'a> {
    fn register_file(&mut self, decl: &'a Registers, out: &mut Diagnostics) {
        let replaced = self.registers.insert(&decl.name.value, decl);
        twice("isaspec-registers-replaced", "register file", &decl.name, replaced.map(|r| r.name.span()), out);
    }

    /// Registers an expression and gives the name under which it is now known.
    fn expression(&mut self, decl: &'a ExprDecl, out: &mut Diagnostics) -> Text {
        let name = match &decl.name {
            Some(name) => name.clone(),
            None => {
                self.anonymous += 1;
                Text::verbatim(&format!("anon_{}", self.anonymous - 1), decl.span)
            }
        };
        let replaced = self.exprs.insert(&name.value, decl).map(|r| r.name.as_ref().map_or(r.span, Text::span));
        twice("isaspec-expr-replaced", "expression", &name, replaced, out);
        name
    }

    fn expr_ref(&mut self, expr: &'a ExprRef, out: &mut Diagnostics) -> Text {
        match expr {
            ExprRef::Name(name) => name.clone(),
            ExprRef::Inline(decl) => self.expression(decl, out),
        }
    }

    fn case(&mut self, decl: &'a CaseDecl, guard: Option<Text>, out: &mut Diagnostics) -> CaseInfo<'a> {
        let mut derived = Vec::with_capacity(decl.derived.len());
        for d in &decl.derived {
            derived.push((d, d.expr.as_ref().map(|e| self.expr_ref(e, out))));
        }
        CaseInfo { guard, decl, derived, alias: false, display: decl.display.clone() }
    }

    fn set(&mut self, decl: &'a Bitset, dialect: bool, out: &mut Diagnostics) -> usize {
        // The default case is read first (its expressions are numbered first) and stands last.
        let default = self.case(&decl.default, None, out);
        let mut cases = Vec::with_capacity(decl.overrides.len() + 1);
        for o in &decl.overrides {
            let guard = match &o.condition {
                Some(condition) => self.expr_ref(condition, out),
                None => Text::verbatim("", o.case.span),
            };
            let case = self.case(&o.case, Some(guard), out);
            cases.push(CaseInfo { alias: o.alias, ..case });
        }
        cases.push(default);
        self.sets.push(Set { decl, cases, dialect });
        self.sets.len() - 1
    }

    fn expand_templates(&mut self, out: &mut Diagnostics) {
        if self.templates.entries.is_empty() {
            return;
        }
        for (_, id) in &self.by_name.entries {
            let Some(set) = self.sets.get_mut(*id) else { return impossible(()) };
            for display in set.cases.iter_mut().filter_map(|case| case.display.as_mut()) {
                if let Some(expanded) = expand(&self.templates, display, out) {
                    *display = expanded;
                }
            }
        }
    }

    /// Tells leaves from the rest, and warns of what the reference passes over in silence.
    fn settle(&mut self, variants: Table<Vec<usize>>, out: &mut Diagnostics) {
        let extended: FxHashSet<&str> =
            self.sets.iter().filter_map(|s| s.decl.extends.as_ref()).map(|e| e.value.as_str()).collect();
        for (name, list) in variants.entries {
            if !extended.contains(name.as_str()) {
                if list.len() > 1 {
                    self.variants.insert(name.clone());
                }
                self.leaves.push((name, list));
                continue;
            }
            let Some((last, replaced)) = list.split_last() else { return impossible(()) };
            for (first, second) in replaced.iter().filter_map(|f| Some((self.sets.get(*f)?, self.sets.get(*last)?))) {
                let message = format!("bitset `{name}` is defined again and extended; the last definition counts");
                let d = Diagnostic::warning("isaspec-duplicate-nonleaf", message)
                    .label(second.decl.name.span(), "counts")
                    .secondary(first.decl.name.span(), "has no effect");
                out.push(d);
            }
        }
    }

    /// Whether the bitset is one of several leaves of its name. The reference checks those less.
    pub(crate) fn leaf_variants(&self) -> Vec<bool> {
        let mut several = vec![false; self.sets.len()];
        for id in self.leaves.iter().filter(|(_, list)| list.len() > 1).flat_map(|(_, list)| list) {
            if let Some(flag) = several.get_mut(*id) {
                *flag = true;
            }
        }
        several
    }
}

/// One pass over a display: each name in the list of references, taken once, is replaced wherever it now stands.
fn expand(templates: &Table<&TemplateDecl>, display: &Text, out: &mut Diagnostics) -> Option<Text> {
    let names: Vec<String> = template_references(&display.value)
        .into_iter()
        .filter(|name| templates.get(name).is_some())
        .map(str::to_owned)
        .collect();
    let mut current: Option<Text> = None;
    for name in names {
        let template = templates.get(&name)?;
        let pattern = format!("{{{name}}}");
        let text = current.as_ref().unwrap_or(display);
        let found = text.value.matches(&pattern).count();
        if found == 0 {
            continue;
        }
        if text.value.len() + found * template.text.value.len() > limits::MAX_DISPLAY_BYTES {
            let message = format!("a display grows beyond {} bytes by templates", limits::MAX_DISPLAY_BYTES);
            let d = Diagnostic::error("isaspec-display-limit", message)
                .label(display.span(), "this display")
                .secondary(template.text.span(), "by this template");
            out.push(d);
            return None;
        }
        current = Some(text.replace(&pattern, &template.text));
    }
    current
}
