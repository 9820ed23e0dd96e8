//! Fields: their types, widths and expressions.

use isaglot_source::{Diagnostic, Diagnostics, Span, closest};
use rustc_hash::FxHashSet;

use super::Place;
use crate::display;
use crate::gather::{CaseInfo, Set, Tables};
use crate::load::Sources;
use crate::syntax::{ExprRef, FieldDecl, PieceDecl, Role};
use crate::text::Text;

/// What a type name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeOf {
    /// A type of the language.
    Builtin(Builtin),
    /// An enum, by its place in the table.
    Enum(usize),
    /// A bitset that is a root.
    Root(usize),
    /// A register file, by its place in the table.
    Registers(usize),
}

/// The types of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Branch,
    Absbranch,
    Int,
    Uint,
    Hex,
    Offset,
    Uoffset,
    Float,
    Bool,
    BoolInv,
    Custom,
}

const BUILTIN: [(&str, Builtin); 11] = [
    ("branch", Builtin::Branch),
    ("absbranch", Builtin::Absbranch),
    ("int", Builtin::Int),
    ("uint", Builtin::Uint),
    ("hex", Builtin::Hex),
    ("offset", Builtin::Offset),
    ("uoffset", Builtin::Uoffset),
    ("float", Builtin::Float),
    ("bool", Builtin::Bool),
    ("bool_inv", Builtin::BoolInv),
    ("custom", Builtin::Custom),
];

/// Why a type name means nothing.
pub(crate) enum NoType {
    Unknown,
    /// A bitset, but not a root.
    NotRoot(usize),
    /// Several leaves share the name, so it is not a root.
    Variants,
    /// The word `enum`, which says nothing about which.
    Enum,
}

/// What a type name means. Enums come before bitsets, and those before the types of the language.
pub(crate) fn resolve(tables: &Tables<'_>, name: &str) -> Result<TypeOf, NoType> {
    if let Some(id) = tables.enums.position(name) {
        return Ok(TypeOf::Enum(id));
    }
    if let Some(id) = tables.registers.position(name) {
        return Ok(TypeOf::Registers(id));
    }
    if let Some(&id) = tables.by_name.get(name) {
        return match tables.sets.get(id) {
            _ if tables.variants.contains(name) => Err(NoType::Variants),
            Some(set) if set.decl.size.is_some() => Ok(TypeOf::Root(id)),
            _ => Err(NoType::NotRoot(id)),
        };
    }
    if let Some((_, builtin)) = BUILTIN.iter().find(|(known, _)| *known == name) {
        return Ok(TypeOf::Builtin(*builtin));
    }
    Err(if name == "enum" { NoType::Enum } else { NoType::Unknown })
}

/// Checks every field and expression of every live bitset.
pub(crate) fn check(
    tables: &Tables<'_>,
    places: &[Option<Place>],
    live: &[bool],
    several: &[bool],
    out: &mut Diagnostics,
) {
    let mut seen: FxHashSet<Span> = FxHashSet::default();
    for (id, set) in tables.sets.iter().enumerate() {
        // A file that is imported twice is checked once.
        if live.get(id) != Some(&true) || !seen.insert(set.decl.span) {
            continue;
        }
        let place = places.get(id).and_then(Option::as_ref);
        let mut of_set = SetCheck { tables, set, place, lenient: several.get(id) == Some(&true), out };
        for case in &set.cases {
            of_set.case(case);
        }
    }
    name_clashes(tables, out);
}

struct SetCheck<'a, 'd> {
    tables: &'a Tables<'a>,
    set: &'a Set<'a>,
    place: Option<&'a Place>,
    /// The reference does not check the field types of this bitset.
    lenient: bool,
    out: &'d mut Diagnostics,
}

impl SetCheck<'_, '_> {
    fn case(&mut self, case: &CaseInfo<'_>) {
        if let Some(guard) = case.guard.as_ref().filter(|g| !g.value.is_empty()) {
            self.expression(guard);
        }
        for (derived, expr) in &case.derived {
            if let Some(expr) = expr.as_ref().filter(|_| matches!(derived.expr, Some(ExprRef::Name(_)))) {
                self.expression(expr);
            }
            let place = derived.width_span.unwrap_or(derived.span);
            match self.resolved(&derived.name, &derived.ty) {
                Some(TypeOf::Root(_)) => {
                    let message = format!("derived field `{}` cannot have a bitset as its type", derived.name.value);
                    let d = Diagnostic::error("isaspec-derived-type", message).label(derived.ty.span(), "a bitset");
                    self.out.push(d.note("its value is computed, so there are no bits to decode further"));
                }
                Some(ty) => self.width(&derived.name, ty, derived.width, place),
                None => {}
            }
            self.role(&derived.role);
        }
        for assert in &case.decl.asserts {
            self.range(assert.high(), assert.span, "assert");
        }
        for field in &case.decl.fields {
            self.field(field);
        }
        if let Some(text) = &case.display {
            // Only for its problems; lowering parses it again.
            display::parse(text, self.out);
        }
        self.same_names(case);
    }

    fn field(&mut self, field: &FieldDecl) {
        for piece in &field.pieces {
            if let PieceDecl::Bits { high, .. } = *piece {
                self.range(high, field.range_span, "field");
            }
        }
        let width = field.pieces.iter().map(|p| p.width()).sum();
        let Some(ty) = self.resolved(&field.name, &field.ty) else { return };
        self.width(&field.name, ty, width, field.range_span);
        if !field.params.is_empty() && !matches!(ty, TypeOf::Root(_)) {
            let d = Diagnostic::warning("isaspec-useless-param", "parameters mean something only to a bitset type")
                .label(field.params.first().map_or(field.span, |p| p.name.span()), "ignored")
                .secondary(field.ty.span(), "the type");
            self.out.push(d);
        }
        if field.call && !matches!(ty, TypeOf::Builtin(Builtin::Branch | Builtin::Absbranch)) {
            let d = Diagnostic::warning("isaspec-useless-call", "`call` means something only to a branch")
                .label(field.ty.span(), "not a branch");
            self.out.push(d);
        }
        self.role(&field.role);
    }

    fn resolved(&mut self, name: &Text, ty: &Text) -> Option<TypeOf> {
        let (tables, set) = (self.tables, &self.set.decl.name.value);
        let why = match resolve(tables, &ty.value) {
            Ok(ty) => return Some(ty),
            Err(why) => why,
        };
        let unknown = format!("`{set}.{}` has the unknown type `{}`", name.value, ty.value);
        let d = match why {
            NoType::Unknown => {
                let names = BUILTIN.iter().map(|(known, _)| *known);
                let names = names.chain(tables.enums.names()).chain(tables.roots.names());
                let near = closest(&ty.value, names.chain(tables.registers.names()));
                Diagnostic::error("isaspec-unknown-type", unknown)
                    .label(ty.span(), "expected a type of the language, an enum, or a bitset with `size`")
                    .did_you_mean(near)
            }
            NoType::Enum => {
                Diagnostic::error("isaspec-unknown-type", unknown).label(ty.span(), "expected the name of an <enum>")
            }
            NoType::Variants => Diagnostic::error("isaspec-unknown-type", unknown)
                .label(ty.span(), "several bitsets have this name, so it names none"),
            NoType::NotRoot(id) => {
                let message = format!("`{}` cannot be a type: it extends another bitset", ty.value);
                let d = Diagnostic::error("isaspec-type-not-root", message).label(ty.span(), "expected a root");
                match tables.sets.get(id).and_then(|set| set.decl.extends.as_ref()) {
                    Some(extends) => d.secondary(extends.span(), "here"),
                    None => d,
                }
            }
        };
        self.out.push(d);
        None
    }

    fn width(&mut self, name: &Text, ty: TypeOf, width: u32, place: Span) {
        let (tables, set) = (self.tables, &self.set.decl.name.value);
        match ty {
            TypeOf::Builtin(Builtin::Float) => {
                let wide = width == 64 && self.set.dialect;
                if width != 16 && width != 32 && !wide {
                    let message = format!("float `{set}.{}` has {width} bits", name.value);
                    let d = Diagnostic::error("isaspec-float-width", message)
                        .label(place, "expected 16 or 32 bits (64 too in the dialect)");
                    self.out.push(d);
                }
            }
            TypeOf::Root(id) => {
                let Some(size) = tables.sets.get(id).and_then(|root| root.decl.size) else { return };
                if size.value == i64::from(width) {
                    return;
                }
                let message = format!("`{set}.{}` has {width} bits, its type {}", name.value, size.value);
                let d = if self.lenient {
                    Diagnostic::warning("isaspec-type-size", message)
                        .note("the reference does not check variants of a leaf; the value is cut or zero-extended")
                } else {
                    Diagnostic::error("isaspec-type-size", message)
                };
                self.out.push(d.label(place, "these bits").secondary(size.span, "the type's size"));
            }
            _ => {}
        }
    }

    fn range(&mut self, high: u32, span: Span, what: &str) {
        let Some(place) = self.place else { return };
        if high < place.width {
            return;
        }
        let message = format!("bit {high} is outside the {} bits of `{}`", place.width, self.set.decl.name.value);
        let mut d = if self.lenient && what == "field" {
            Diagnostic::warning("isaspec-bit-range", message)
                .note("the reference does not check variants of a leaf; bits outside read as 0")
        } else {
            Diagnostic::error("isaspec-bit-range", message)
        };
        d = d.label(span, format!("this {what}"));
        if let Some(size) = self.tables.sets.get(place.root()).and_then(|root| root.decl.size) {
            d = d.secondary(size.span, "the width");
        }
        self.out.push(d);
    }

    fn expression(&mut self, name: &Text) {
        if self.tables.exprs.get(&name.value).is_some() {
            return;
        }
        let message = format!("there is no expression `{}`", name.value);
        let d = Diagnostic::error("isaspec-unknown-expr", message).label(name.span(), "expected the name of an <expr>");
        self.out.push(d.did_you_mean(closest(&name.value, self.tables.exprs.names())));
    }

    fn same_names(&mut self, case: &CaseInfo<'_>) {
        let mut names: Vec<&Text> = case.decl.derived.iter().map(|d| &d.name).collect();
        names.extend(case.decl.fields.iter().map(|f| &f.name));
        for (i, name) in names.iter().enumerate() {
            let earlier = names.iter().take(i).find(|n| n.value == name.value);
            if let Some(earlier) = earlier {
                let message = format!("`{}` is defined twice in one case; the second definition counts", name.value);
                let d = Diagnostic::warning("isaspec-same-name", message)
                    .label(name.span(), "counts")
                    .secondary(earlier.span(), "has no effect");
                self.out.push(d);
            }
        }
    }

    fn role(&mut self, role: &Role) {
        if let Some(registers) = role.registers.as_ref().filter(|r| self.tables.registers.get(&r.value).is_none()) {
            let message = format!("there is no register file `{}`", registers.value);
            self.out.push(Diagnostic::error("isaspec-registers", message).label(registers.span(), "expected one"));
        }
        for (text, known) in [
            (&role.role, &["register", "immediate", "label", "address"][..]),
            (&role.access, &["read", "write", "readwrite"][..]),
        ] {
            if let Some(text) = text.as_ref().filter(|t| !known.contains(&t.value.as_str())) {
                let message = format!("`{}` is none of {}", text.value, known.join(", "));
                self.out.push(Diagnostic::error("isaspec-role", message).label(text.span(), "unknown"));
            }
        }
        for number in [role.count, role.unit].into_iter().flatten().filter(|n| !(1..=65536).contains(&n.value)) {
            let d = Diagnostic::error("isaspec-role", format!("{} is not a possible number here", number.value));
            self.out.push(d.label(number.span, "expected 1 to 65536"));
        }
    }
}

/// Every feature that something names must be declared.
pub(crate) fn features(sources: &Sources, tables: &Tables<'_>, out: &mut Diagnostics) {
    let mut unknown = |name: &str, span: Span| {
        if tables.features.get(name).is_none() {
            let d = Diagnostic::error("isaspec-unknown-feature", format!("there is no feature `{name}`"))
                .label(span, "expected the name of a <feature>");
            out.push(d.did_you_mean(closest(name, tables.features.names())));
        }
    };
    for (_, decl) in &tables.features.entries {
        let excluded = decl.excludes.iter().flat_map(|formula| formula.names());
        decl.implies.iter().chain(excluded).for_each(|f| unknown(&f.value, f.span()));
    }
    for set in &tables.sets {
        set.decl.features.iter().flat_map(|f| f.names()).for_each(|f| unknown(&f.value, f.span()));
    }
    let steps = sources.files.iter().flat_map(|f| &f.expansions).flat_map(|e| &e.steps);
    let guards = steps.filter_map(|step| step.when.as_ref());
    for decl in tables.exprs.entries.iter().map(|(_, decl)| *decl).chain(guards) {
        decl.parsed.iter().flat_map(|e| &e.features).for_each(|(name, span)| unknown(name, *span));
    }
}

/// Register files share their names with enums and bitsets, as all three are types.
fn name_clashes(tables: &Tables<'_>, out: &mut Diagnostics) {
    for (name, decl) in tables.enums.entries.iter().map(|(name, decl)| (name, *decl)) {
        if let Some(registers) = tables.registers.get(name) {
            let d = Diagnostic::error("isaspec-registers", format!("`{name}` is an enum and a register file"))
                .label(registers.name.span(), "the register file")
                .secondary(decl.name.span(), "the enum");
            out.push(d);
        }
    }
    for (name, registers) in &tables.registers.entries {
        if let Some(set) = tables.by_name.get(name).and_then(|&id| tables.sets.get(id)) {
            let d = Diagnostic::error("isaspec-registers", format!("`{name}` is a bitset and a register file"))
                .label(registers.name.span(), "the register file")
                .secondary(set.decl.name.span(), "the bitset");
            out.push(d);
        }
    }
}
