//! From checked names to the model.
//!
//! Class hierarchies are flattened here: the cases of a leaf are its own overrides and default, then its parent's, up to
//! the root. What one bitset contributes is built once and copied into each leaf below it.
//!
//! An example: `#instruction` has the display `{NAME} r{DST}`; `add`, below it, has an override under `#move` with the display
//! `mov r{DST}` and, outside of it, the field `SRC`. The cases of the leaf `add` are, in the order of the lookup:
//!
//! ```text
//! guard #move   text "mov r{DST}"                add's override
//! no guard      field SRC                        add's default case
//! no guard      text "{NAME} r{DST}", field DST  the default case of #instruction
//! ```
//!
//! So where `#move` holds the text is `mov r…`, else the first case with a text that applies is that of the root.
//!
//! Nothing is checked again;
//! what this module cannot find cannot occur in a description without errors.

mod expansions;
pub(crate) mod exprs;
mod fields;
mod lengths;
mod operands;
mod semantics;

use isaglot_bits::{BitRange, Pattern, Word};
use isaglot_invariant::{Impossible as _, impossible};
use isaglot_model::{
    Assert, Builder, Case, Condition, EncodeRoot, Encoding, EnumId, EnumType, EnumValue, ExprId, Feature, FeatureId,
    GenName, GenRange, Isa, Map, Overlap, RegisterFile, RegisterFileId, Space, SpaceId, Template, TemplatePart, Width,
};
use isaglot_source::{Diagnostic, Diagnostics};
use rustc_hash::FxHashMap;

use crate::check::{Checked, Place, effective_gens, own_gens};
use crate::display::{self, Part};
use crate::gather::{CaseInfo, Set, Tables};
use crate::limits;
use crate::load::Sources;
use crate::roles::{self, Roles, RolesFile};
use crate::syntax::{EnumDecl, PieceDecl, Registers, Requirement};
use crate::text::Text;
pub(crate) use operands::{access, flow, implicit};

/// Makes the model; `None` if something is still wrong, which is reported.
pub(crate) fn lower(
    sources: &Sources,
    tables: &Tables<'_>,
    checked: &Checked,
    overlay: Option<&RolesFile>,
    name: &str,
    out: &mut Diagnostics,
) -> Option<Isa> {
    let top = sources.order.last().and_then(|&top| sources.files.get(top));
    let name = top.and_then(|top| top.name.as_ref()).map_or(name, |n| n.value.as_str());
    let mut lowering = Lowering {
        tables,
        checked,
        builder: Builder::new(name),
        spaces: Vec::new(),
        levels: (0..tables.sets.len()).map(|_| None).collect(),
        operand_exprs: FxHashMap::default(),
        roles: None,
        misfits: Diagnostics::new(),
    };
    for (name, decl) in &tables.exprs.entries {
        if let Some(parsed) = &decl.parsed {
            let expr = exprs::lower(&mut lowering.builder, &tables.features, name, decl, parsed);
            lowering.builder.expr(expr);
        }
    }
    if let Some(overlay) = overlay {
        lowering.roles = Some(roles::prepare(overlay, tables, &mut lowering.builder, &mut lowering.misfits));
    }
    for (name, decl) in &tables.enums.entries {
        lowering.builder.enumeration(enumeration(name, decl, out));
    }
    for (name, decl) in &tables.registers.entries {
        let within = within(tables, decl, out);
        lowering.builder.register_file(RegisterFile { within, ..register_file(tables, name, decl) });
    }
    for (name, decl) in &tables.features.entries {
        let implies = decl.implies.iter().filter_map(|f| tables.features.position(&f.value)).map(feature_id).collect();
        let excludes = decl.excludes.as_ref().map(|formula| requirement(tables, formula));
        let doc = decl.doc.as_ref().map_or(String::new(), |d| d.value.clone());
        let (name, span) = (name.clone(), decl.span);
        lowering.builder.feature(Feature { name, implies, excludes, default: decl.default, doc, span });
    }
    for gen_name in sources.files.iter().flat_map(|f| &f.gen_names) {
        let value = u32::try_from(gen_name.value.value).or_impossible(0);
        lowering.builder.gen_name(GenName { name: gen_name.name.value.clone(), value });
    }
    semantics::check(sources, tables.registers.entries.iter().filter_map(|(_, r)| r.width.as_ref()), out);
    semantics::declarations(sources, &mut lowering.builder);
    lowering.builder.format(checked.format.word.clone());
    checked.format.opcodes.iter().for_each(|opcode| lowering.builder.opcode_bits(opcode.clone()));
    lowering.builder.value_bits(checked.format.value_bits);
    for (_, id) in &tables.roots.entries {
        lowering.space(*id);
    }
    if let Some(root) = checked.format.root.and_then(|id| lowering.space_of(id)) {
        lowering.builder.root(root);
    }
    for (_, id) in &tables.roots.entries {
        lowering.encodings(*id, out);
    }
    expansions::lower(&mut lowering.builder, &tables.features, sources, out);
    if let Some(roles) = lowering.roles.take() {
        roles.finish(&mut lowering.misfits);
        misfits(&roles, lowering.misfits, out);
    }
    lowering.builder.finish(out)
}

/// What an overlay says of things that are not there: errors, or a warning that sums them up.
fn misfits(roles: &Roles<'_>, misfits: Diagnostics, out: &mut Diagnostics) {
    if !roles.partial() {
        out.append(misfits);
    } else if let Some(first) = misfits.iter().next() {
        let message = format!("the roles fit this description in part; {} entries are left out", misfits.len());
        let d = Diagnostic::warning("isaspec-roles-partial", message).note(format!("the first: {}", first.message));
        out.push(d.label(first.span().unwrap_or(roles.span()), "does not fit"));
    }
}

fn feature_id(index: usize) -> FeatureId {
    FeatureId(index as u32)
}

/// What a bitset contributes to every leaf at or below it.
struct Level {
    cases: Vec<Case>,
    maps: Vec<Map>,
}

struct Lowering<'a> {
    tables: &'a Tables<'a>,
    checked: &'a Checked,
    builder: Builder,
    /// Of each root, its space.
    spaces: Vec<(usize, SpaceId)>,
    /// Of each bitset, what it contributes, once that was asked for.
    levels: Vec<Option<Level>>,
    /// Expressions of operands, by what they say.
    operand_exprs: FxHashMap<String, ExprId>,
    /// What an overlay says, and what is wrong with it.
    roles: Option<Roles<'a>>,
    misfits: Diagnostics,
}

impl<'a> Lowering<'a> {
    fn space(&mut self, id: usize) {
        let Some(set) = self.tables.sets.get(id) else { return impossible(()) };
        let width = size(set);
        let mut encode: Vec<EncodeRoot> = Vec::new();
        for e in &set.decl.encodes {
            let Some(ty) = &e.ty else { continue };
            let case_prefix = e.case_prefix.as_ref().map(|p| p.value.clone());
            let language = e.language.as_ref().map_or("c", |l| &l.value).to_owned();
            if encode.iter().all(|known| known.language != language) {
                encode.push(EncodeRoot { ty: ty.value.clone(), case_prefix, language, span: e.span });
            }
        }
        let space = Space {
            name: self.builder.name(&set.decl.name.value),
            width,
            overlap: match set.decl.overlap.as_ref().map(|o| o.value.as_str()) {
                Some("most-specific") => Overlap::MostSpecific,
                _ => Overlap::Conflict,
            },
            encode,
            decode: set.decl.decode,
            span: set.decl.span,
            ..Space::default()
        };
        let space = self.builder.space(space);
        self.spaces.push((id, space));
    }

    fn space_of(&self, id: usize) -> Option<SpaceId> {
        self.spaces.iter().find(|(root, _)| *root == id).map(|(_, space)| *space)
    }

    fn expr_id(&self, name: &str) -> Option<ExprId> {
        self.tables.exprs.position(name).map(|i| ExprId(i as u32))
    }

    /// The leaves of one root, in the order in which their names were first seen.
    fn encodings(&mut self, root: usize, out: &mut Diagnostics) {
        let tables = self.tables;
        for id in tables.leaves.iter().flat_map(|(_, list)| list) {
            let (Some(set), Some(Some(place))) = (tables.sets.get(*id), self.checked.places.get(*id)) else { continue };
            if place.root() == root {
                self.encoding(set, place, out);
            }
        }
    }

    fn encoding(&mut self, set: &'a Set<'a>, place: &Place, out: &mut Diagnostics) {
        let tables = self.tables;
        let Some(space) = self.space_of(place.root()) else { return };
        let (pattern, dont_care) = bits(tables, place);
        let root = self.checked.format.root == Some(place.root());
        let patterns = except(tables, place, &pattern, out);
        if root {
            for pattern in &patterns {
                lengths::check(set.decl, pattern, &self.checked.format.word, out);
            }
        }
        let (mut cases, mut maps, mut meta, mut features) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &level in &place.levels {
            self.fill_level(level, place.width, out);
            if let Some(Some(level)) = self.levels.get(level) {
                cases.extend(level.cases.iter().cloned());
                maps.extend(level.maps.iter().cloned());
            }
            if let Some(set) = tables.sets.get(level) {
                meta.extend(set.decl.meta.iter().cloned());
                features.extend(set.decl.features.iter());
            }
        }
        let docs: Vec<&str> = set.decl.docs.iter().map(|d| d.value.as_str()).collect();
        let display_name = display_name(set, out);
        let name = self.builder.name(&set.decl.name.value);
        let encoding = Encoding {
            name,
            display_name: display_name.into(),
            space,
            width: place.width,
            pattern,
            dont_care,
            gens: effective_gens(tables, place),
            own_gens: own_gens(set.decl),
            condition: condition(tables, &features),
            cases,
            semantics: semantics::of_levels(place.levels.iter().filter_map(|l| tables.sets.get(*l))),
            maps,
            meta,
            doc: docs.join("\n\n"),
            span: set.decl.name.span(),
            ..Encoding::default()
        };
        let (operands, flow) = operands::lower(self, place, &encoding, out);
        let encoding = Encoding { operands: operands.into(), flow, ..encoding };
        // What <except> leaves of the pattern may be several patterns: as many encodings that are otherwise the same.
        if let Some((last, others)) = patterns.split_last() {
            for pattern in others {
                self.builder.encoding(Encoding { pattern: pattern.clone(), ..encoding.clone() });
            }
            self.builder.encoding(Encoding { pattern: last.clone(), ..encoding });
        }
    }

    /// Builds what a bitset contributes. `width` is that of the leaf, which all leaves below one bitset share unless one
    /// of them is narrower; then the bitset's bits lie inside the narrower, which was checked.
    fn fill_level(&mut self, id: usize, width: u32, out: &mut Diagnostics) {
        if self.levels.get(id).is_none_or(|slot| slot.is_some()) {
            return;
        }
        let tables = self.tables;
        let Some(set) = tables.sets.get(id) else { return impossible(()) };
        let owner = display_name(set, &mut Diagnostics::new());
        let mut cases = Vec::with_capacity(set.cases.len());
        for case in &set.cases {
            cases.push(self.case(set, case, &owner, width, out));
        }
        let mut maps = Vec::new();
        for (encode, map) in set.decl.encodes.iter().flat_map(|e| e.maps.iter().map(move |m| (e, m))) {
            let name = self.builder.name(&map.name.value);
            let language = map.language.as_ref().or(encode.language.as_ref()).map_or("c", |l| &l.value).to_owned();
            let text = map.text.value.clone();
            // The reference keeps the last map of a name.
            maps.retain(|m: &Map| m.name != name || m.language != language);
            maps.push(Map { name, text, force: map.force, language, span: map.span });
        }
        if let Some(slot) = self.levels.get_mut(id) {
            *slot = Some(Level { cases, maps });
        }
    }

    fn case(&mut self, set: &Set<'a>, case: &CaseInfo<'a>, owner: &str, width: u32, out: &mut Diagnostics) -> Case {
        let guard = case.guard.as_ref().and_then(|g| self.expr_id(&g.value));
        let fields = self.fields(set, case, width, out).into();
        let mut asserts = Vec::new();
        for a in &case.decl.asserts {
            let range = BitRange { lo: a.low, width: a.width() };
            let mut value = Word::zero(range.width);
            digits(&a.digits.value, 0, &mut value, b'1');
            asserts.push(Assert { range, value, span: a.span });
        }
        let template = case.display.as_ref().and_then(|text| self.template(text));
        let template = template.map(|t| self.builder.template(t));
        let (alias, owner, span) = (case.alias, owner.into(), case.decl.span);
        Case { guard, fields, asserts, template, alias, owner, span, ..Case::default() }
    }

    fn template(&mut self, text: &Text) -> Option<Template> {
        let mut parts = Vec::new();
        // What is odd about it was reported by the checks.
        for part in display::parse(text, &mut Diagnostics::new())? {
            parts.push(match part {
                Part::Literal(bytes) => TemplatePart::Literal(bytes.into()),
                Part::Reference { name, align: Some(column), .. } if name.is_empty() => TemplatePart::Align(column),
                // The reference compares only as many letters as the name has: `{N}`, `{NA}` and `{}` are `{NAME}`.
                Part::Reference { name, align, reference, .. } if "NAME".starts_with(&name) => {
                    TemplatePart::Mnemonic { align: align.unwrap_or(0), reference: reference.into() }
                }
                Part::Reference { name, align, reference, .. } => {
                    let name = self.builder.name(&name);
                    TemplatePart::Field { name, align: align.unwrap_or(0), reference: reference.into() }
                }
            });
        }
        Some(Template { parts: parts.into(), span: text.span() })
    }
}

/// The width of a root in bits.
fn size(root: &Set<'_>) -> u32 {
    root.decl.size.and_then(|size| u32::try_from(size.value).ok()).or_impossible(0)
}

fn display_name(set: &Set<'_>, out: &mut Diagnostics) -> String {
    match &set.decl.display_name {
        Some(name) => display::c_text(name, out),
        None => set.decl.name.value.clone(),
    }
}

/// What a leaf needs by all its levels.
fn condition(tables: &Tables<'_>, levels: &[&Requirement]) -> Condition {
    let mut list = Vec::new();
    for level in levels {
        match requirement(tables, level) {
            Condition::All(inner) => list.extend(inner),
            one => list.push(one),
        }
    }
    match list.len() {
        0 => Condition::Always,
        1 => list.swap_remove(0),
        _ => Condition::All(list),
    }
}

fn requirement(tables: &Tables<'_>, formula: &Requirement) -> Condition {
    let several = |list: &[Requirement]| list.iter().map(|f| requirement(tables, f)).collect();
    match formula {
        // An unknown one was reported.
        Requirement::Feature(name) => {
            tables.features.position(&name.value).map_or(Condition::Always, |id| Condition::Feature(feature_id(id)))
        }
        Requirement::Not(inner) => Condition::Not(Box::new(requirement(tables, inner))),
        Requirement::All(list) => Condition::All(several(list)),
        Requirement::Any(list) => Condition::Any(several(list)),
    }
}

/// Sets the bits of `word` from `low` on where the text has this digit.
fn digits(text: &str, low: u32, word: &mut Word, digit: u8) {
    let mut end = text.len();
    let mut at = low;
    while end > 0 {
        let start = end.saturating_sub(64);
        let chunk = text.as_bytes().get(start..end).or_impossible(&[]);
        let value = chunk.iter().fold(0u64, |v, b| v << 1 | u64::from(*b == digit));
        let width = chunk.len() as u32;
        if value != 0 {
            let there = word.extract(at, width);
            word.insert(at, width, there | value);
        }
        at += width;
        end = start;
    }
}

/// The pattern of a leaf and its don't-care bits, those of its ancestors included.
fn bits(tables: &Tables<'_>, place: &Place) -> (Pattern, Word) {
    let zero = || Word::zero(place.width);
    let (mut value, mut care, mut dont_care) = (zero(), zero(), zero());
    let patterns = |level: &usize| tables.sets.get(*level).map(|set| &set.decl.patterns[..]).or_impossible(&[]);
    for p in place.levels.iter().flat_map(patterns) {
        let text = &p.digits.value;
        digits(text, p.low, &mut value, b'1');
        digits(text, p.low, &mut care, b'1');
        digits(text, p.low, &mut care, b'0');
        digits(text, p.low, &mut dont_care, b'x');
    }
    (Pattern::new(&value, care), dont_care)
}

/// What the `<except>`s of a leaf and its ancestors leave of its pattern, in disjoint pieces.
fn except(tables: &Tables<'_>, place: &Place, pattern: &Pattern, out: &mut Diagnostics) -> Vec<Pattern> {
    let mut left = vec![pattern.clone()];
    let mut last = None;
    for decl in place.levels.iter().filter_map(|l| tables.sets.get(*l)).flat_map(|set| &set.decl.excepts) {
        let (mut value, mut care) = (Word::zero(place.width), Word::zero(place.width));
        let mut at = 0usize;
        for piece in &decl.pieces {
            let PieceDecl::Bits { low, high } = *piece else { continue };
            if high >= place.width {
                let message = format!("bit {high} is not in the instruction's {} bits", place.width);
                out.push(Diagnostic::error("isaspec-except", message).label(decl.span, "here"));
                return left;
            }
            let text = decl.digits.value.get(at..at + piece.width() as usize).or_impossible("");
            at += text.len();
            digits(text, low, &mut value, b'1');
            digits(text, low, &mut care, b'1');
            digits(text, low, &mut care, b'0');
        }
        let hole = Pattern::new(&value, care);
        left = left.iter().flat_map(|p| p.subtract(&hole)).collect();
        last = Some(decl);
        if left.len() > limits::MAX_VARIANTS {
            let message = format!("the exceptions cut the instruction into more than {} parts", limits::MAX_VARIANTS);
            out.push(Diagnostic::error("isaspec-except", message).label(decl.span, "up to this one"));
            return vec![pattern.clone()];
        }
    }
    if let Some(decl) = last.filter(|_| left.is_empty()) {
        out.push(
            Diagnostic::error("isaspec-except", "the exceptions leave no instruction").label(decl.span, "with this"),
        );
    }
    left
}

/// Of equal texts of `val`, the last display counts, at the first one's position. A value has 32 bits.
fn enumeration(name: &str, decl: &EnumDecl, out: &mut Diagnostics) -> EnumType {
    let mut values: Vec<(&str, EnumValue)> = Vec::with_capacity(decl.values.len());
    let mut index = rustc_hash::FxHashMap::default();
    for v in &decl.values {
        let number = v.number.unwrap_or(0) & u64::from(u32::MAX);
        let name = v.name.as_ref().map(|n| n.value.clone());
        let value = EnumValue { value: number, display: display::c_text(&v.display, out).into(), name, span: v.span };
        let place = *index.entry(v.val.value.as_str()).or_insert(values.len());
        match values.get_mut(place) {
            Some(slot) => slot.1 = value,
            None => values.push((&v.val.value, value)),
        }
    }
    EnumType {
        name: name.to_owned(),
        values: values.into_iter().map(|(_, v)| v).collect(),
        synonyms: false,
        numbers: false,
        span: decl.span,
    }
}

fn register_file(tables: &Tables<'_>, name: &str, decl: &Registers) -> RegisterFile {
    let number = |n: i64| u32::try_from(n).unwrap_or(0);
    let count = number(decl.count.value);
    let plain = |i: u32| decl.prefix.as_ref().map(|p| format!("{}{}", p.value, plain_name(decl, i)));
    let mut names: Vec<Option<String>> = (0..count).map(plain).collect();
    for range in &decl.ranges {
        let (from, to) = (number(range.from.value) as usize, number(range.to.value) as usize);
        let other = range.registers.as_ref().and_then(|r| tables.registers.get(&r.value));
        // One that is made of others in turn would have to wait for them.
        let there = other.filter(|o| o.ranges.is_empty()).map(|o| register_file(tables, "", o).names);
        for (at, slot) in names.iter_mut().enumerate().take(to + 1).skip(from) {
            *slot = there.as_ref().and_then(|names| names.get(at - from).cloned().flatten());
        }
    }
    let mut aliases = Vec::new();
    for register in &decl.registers {
        let at = number(register.number.value);
        if let (Some(name), Some(slot)) = (&register.name, names.get_mut(at as usize)) {
            // The plain name is still understood.
            aliases.extend(slot.replace(name.value.clone()).map(|plain| (plain, at)));
        }
        aliases.extend(register.aliases.iter().map(|alias| (alias.value.clone(), at)));
    }
    RegisterFile {
        name: name.to_owned(),
        width: decl.width.as_ref().map_or(Width::Bits(32), semantics::width),
        names,
        aliases,
        zero: decl.zero.map(|z| number(z.value)),
        within: None,
        span: decl.span,
    }
}

/// What follows the prefix in the name of a register: its number, or that of its group and its component.
fn plain_name(decl: &Registers, number: u32) -> String {
    let first = decl.first.map_or(0, |f| u32::try_from(f.value).unwrap_or(0));
    let several = decl.components.len() as u32;
    match number.checked_rem(several).and_then(|c| decl.components.get(c as usize)) {
        Some(component) => format!("{}.{}", first + number / several, component.value),
        None => (first + number).to_string(),
    }
}

/// The file in whose bytes the registers of a file lie. That it and the files of `<same>` are there is checked here.
fn within(tables: &Tables<'_>, decl: &Registers, out: &mut Diagnostics) -> Option<(RegisterFileId, GenRange)> {
    for name in decl.ranges.iter().filter_map(|r| r.registers.as_ref()).chain(&decl.within) {
        if tables.registers.get(&name.value).is_none() {
            let message = format!("there is no register file `{}`", name.value);
            out.push(Diagnostic::error("isaspec-registers", message).label(name.span(), "expected one"));
        }
    }
    let other = register_file_id(tables.registers.position(&decl.within.as_ref()?.value)?);
    let bound =
        |limit: Option<crate::syntax::Int>, none: u32| limit.map_or(none, |i| u32::try_from(i.value).unwrap_or(none));
    let gens = decl.within_gens;
    Some((other, GenRange { min: bound(gens.min, 0), max: bound(gens.max, u32::MAX) }))
}

/// The id of an enum by its place in the table.
fn enum_id(index: usize) -> EnumId {
    EnumId(index as u32)
}

/// The id of a register file by its place in the table.
pub(crate) fn register_file_id(index: usize) -> RegisterFileId {
    RegisterFileId(index as u32)
}
