//! How a driver's own data is packed into words: what `<encode>` and `<map>` say, worked out once for every writer.
//!
//! A leaf is packed as its text would be printed: for each case that has a text, in order, under the case's guard, the
//! fields that the text names; the fields that are always packed; and, as they turn up, the fields that guards and
//! derived fields are computed from and those passed down to nested encodings. What is not reached so stays 0. Guards
//! are evaluated on the data, not on a word: a field in an expression means the text of its map.
//!
//! Where a field is defined under several guards it is packed by the first that holds, from the leaf up. In the branch
//! of a case that case's guard is known to hold, and those of the branches before it not to.

use isaglot_model::{
    Assert, Case, EncodeRoot, Encoding, EncodingId, ExprId, FeatureId, Field, FieldSource, FieldType, Isa, Map, Name,
    SpaceId, TemplateId, TemplatePart,
};
use isaglot_source::{Diagnostic, Diagnostics, Span};

use crate::names::{self, Language};

/// Everything that is packed.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The description.
    pub isa: &'a Isa,
    /// The language of the maps.
    pub language: Language,
    /// The features that are on.
    pub features: Vec<FeatureId>,
    /// The spaces with an `<encode>`, in order.
    pub roots: Vec<Root<'a>>,
    /// The names under which values are passed to nested encodings, in the order in which they turn up.
    pub params: Vec<Name>,
}

/// A space with an `<encode>`.
#[derive(Debug)]
pub struct Root<'a> {
    /// The space.
    pub space: SpaceId,
    /// Its `<encode>`.
    pub encode: &'a EncodeRoot,
    /// Leaves by the name under which a driver knows them; without a prefix there is one group without a name.
    pub groups: Vec<Group<'a>>,
}

/// Leaves that a driver knows by one name.
#[derive(Debug)]
pub struct Group<'a> {
    /// The name; empty where the space has no prefix.
    pub name: String,
    /// The variants, in order; the first whose gens hold the gen counts.
    pub leaves: Vec<Leaf<'a>>,
}

/// A leaf.
#[derive(Debug)]
pub struct Leaf<'a> {
    /// Which.
    pub id: EncodingId,
    /// Encodings that are the same but for their patterns: what exceptions leave of it besides.
    pub others: Vec<EncodingId>,
    /// The branches, in order. Only the last may be without a guard.
    pub branches: Vec<Branch<'a>>,
}

/// What is packed where a case's text applies.
#[derive(Debug)]
pub struct Branch<'a> {
    /// The guard.
    pub guard: Option<ExprId>,
    /// The fields.
    pub fields: Vec<Packed<'a>>,
    /// Bits with a value, under guards of their own.
    pub asserts: Vec<(Option<ExprId>, &'a Assert)>,
}

/// A field that is packed.
#[derive(Debug)]
pub struct Packed<'a> {
    /// Its name.
    pub name: Name,
    /// Definitions with their guards: the first that holds counts. Only the last may be without a guard.
    pub ladder: Vec<(Option<ExprId>, &'a Field)>,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// A map.
    Map(&'a Map),
    /// The enclosing encoding passes it down.
    Param,
    /// Nothing: it is 0.
    Missing,
}

impl<'a> Plan<'a> {
    /// Works out what is packed. Problems are added to `out`; `None` if something cannot be written.
    ///
    /// There is an error where the description has no `<encode>` in this language, a nested field is packed whose space
    /// has none, or names do not make names of a program.
    #[must_use]
    pub fn new(isa: &'a Isa, language: Language, features: &[FeatureId], out: &mut Diagnostics) -> Option<Self> {
        let before = out.error_count();
        let mut plan = Plan { isa, language, features: features.to_vec(), roots: Vec::new(), params: Vec::new() };
        for (i, space) in isa.spaces().iter().enumerate() {
            let Some(encode) = space.encode.iter().find(|e| e.language == language.name()) else { continue };
            let root = plan.root(SpaceId(i as u32), encode, out);
            plan.roots.push(root);
        }
        if plan.roots.iter().all(|root| root.space != isa.root()) {
            let space = &isa[isa.root()];
            let message = format!("`{}` has no <encode> with a type for {}", isa.text(space.name), language.name());
            let d = Diagnostic::error("emit-encode", message).label(space.span, "instructions are packed from this");
            out.push(d.note("expected `<encode type=\"...\">` with the type of the program's own data"));
        }
        plan.check_fields(out);
        (out.error_count() == before).then_some(plan)
    }

    /// The `<encode>` of a space.
    #[must_use]
    pub fn encode(&self, space: SpaceId) -> Option<&'a EncodeRoot> {
        self.roots.iter().find(|root| root.space == space).map(|root| root.encode)
    }

    /// Where the value of a field of a leaf comes from, in its own text.
    #[must_use]
    pub fn source(&self, encoding: &'a Encoding, name: Name) -> Source<'a> {
        match encoding.maps.iter().find(|m| m.name == name && m.language == self.language.name()) {
            Some(map) => Source::Map(map),
            None => Source::Missing,
        }
    }

    /// Where the value of a field comes from that an expression or a parameter needs.
    #[must_use]
    pub fn source_inside(&self, encoding: &'a Encoding, name: Name) -> Source<'a> {
        match self.source(encoding, name) {
            Source::Missing if self.params.contains(&name) => Source::Param,
            source => source,
        }
    }

    /// The definition by which an expression takes a name: the last of the innermost level that has any.
    #[must_use]
    pub fn definition(&self, encoding: &'a Encoding, name: Name) -> Option<&'a Field> {
        definition(encoding, name)
    }

    fn root(&mut self, id: SpaceId, encode: &'a EncodeRoot, out: &mut Diagnostics) -> Root<'a> {
        let isa = self.isa;
        let space = &isa[id];
        if encode.ty.trim().is_empty() {
            out.push(Diagnostic::error("emit-encode", "the type is empty").label(encode.span, "expected a type"));
        }
        let mut groups: Vec<(Name, Group<'a>)> = Vec::new();
        for &leaf in &space.encodings {
            let encoding = &isa[leaf];
            if !encoding.condition.holds(&|f| self.features.contains(&f)) {
                continue;
            }
            let packed = self.leaf(leaf);
            if let Some((_, group)) = groups.iter_mut().find(|(name, _)| *name == encoding.name) {
                match group.leaves.iter_mut().find(|l| isa[l.id].span == encoding.span) {
                    Some(twin) => twin.others.push(leaf),
                    None => group.leaves.push(packed),
                }
                continue;
            }
            let mut name = String::new();
            if let Some(prefix) = &encode.case_prefix {
                name = names::case_name(prefix, isa.text(encoding.name), self.language);
                let path = name.rsplit("::").next().unwrap_or(&name);
                names::check(path, "the case", self.language, encoding.span, out);
                if let Some((other, _)) = groups.iter().find(|(_, g)| g.name == name) {
                    let message = format!(
                        "`{}` and `{}` would both be called `{name}`",
                        isa.text(*other),
                        isa.text(encoding.name)
                    );
                    out.push(Diagnostic::error("emit-duplicate-name", message).label(encoding.span, "this one"));
                }
            }
            groups.push((encoding.name, Group { name, leaves: vec![packed] }));
        }
        let mut groups: Vec<Group<'a>> = groups.into_iter().map(|(_, group)| group).collect();
        if encode.case_prefix.is_none() {
            if groups.len() > 1 {
                let message = format!("`{}` has several leaves but no `case-prefix`", isa.text(space.name));
                let d = Diagnostic::warning("emit-encode", message).label(encode.span, "only the first leaf is packed");
                out.push(d);
            }
            groups.truncate(1);
        }
        Root { space: id, encode, groups }
    }

    fn leaf(&mut self, id: EncodingId) -> Leaf<'a> {
        let isa = self.isa;
        let encoding = &isa[id];
        let mut branches = Vec::new();
        let mut passed: Vec<ExprId> = Vec::new();
        for case in &encoding.cases {
            let Some(template) = case.template.filter(|_| !case.alias) else { continue };
            branches.push(self.branch(id, case, template, &passed));
            match case.guard {
                Some(guard) => passed.push(guard),
                None => break,
            }
        }
        Leaf { id, others: Vec::new(), branches }
    }

    fn branch(&mut self, id: EncodingId, case: &'a Case, template: TemplateId, passed: &[ExprId]) -> Branch<'a> {
        let isa = self.isa;
        let encoding = &isa[id];
        let mut names: Vec<Name> = Vec::new();
        let add = |names: &mut Vec<Name>, name: Name| {
            if !names.contains(&name) {
                names.push(name);
            }
        };
        for part in &isa[template].parts {
            let (TemplatePart::Field { reference, .. } | TemplatePart::Mnemonic { reference, .. }) = part else {
                continue;
            };
            let text = reference.split(':').next().unwrap_or(reference);
            if text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                && let Some(name) = isa.names().get(text)
            {
                add(&mut names, name);
            }
        }
        for map in encoding.maps.iter().filter(|m| m.force && m.language == self.language.name()) {
            add(&mut names, map.name);
        }
        let holds = |guard: Option<ExprId>| guard.is_none() || guard == case.guard;
        let mut fields = Vec::new();
        let mut at = 0;
        // The list grows while it is walked.
        while let Some(&name) = names.get(at) {
            at += 1;
            let mut ladder: Vec<(Option<ExprId>, &'a Field)> = Vec::new();
            let mut closed = false;
            for c in &encoding.cases {
                if let Some(guard) = c.guard {
                    isa[guard].fields.iter().for_each(|&f| add(&mut names, f));
                }
                let Some(field) = c.fields.iter().find(|f| f.name == name) else { continue };
                field.params.iter().for_each(|p| add(&mut names, p.name));
                match &field.source {
                    FieldSource::Derived(expr) => isa[*expr].fields.iter().for_each(|&f| add(&mut names, f)),
                    FieldSource::Bits(_) if closed || c.guard.is_some_and(|g| passed.contains(&g)) => {}
                    FieldSource::Bits(_) if holds(c.guard) => {
                        ladder.push((None, field));
                        closed = true;
                    }
                    FieldSource::Bits(_) => {
                        if ladder.iter().all(|(guard, _)| *guard != c.guard) {
                            ladder.push((c.guard, field));
                        }
                    }
                }
                if c.guard.is_none() {
                    break;
                }
            }
            for (_, field) in &ladder {
                if matches!(field.ty, FieldType::Sub(_)) {
                    field.params.iter().for_each(|p| add(&mut self.params, p.as_name));
                }
            }
            if !ladder.is_empty() {
                fields.push(Packed { name, ladder });
            }
        }
        let mut asserts = Vec::new();
        for c in &encoding.cases {
            if c.guard.is_some_and(|g| passed.contains(&g)) {
                continue;
            }
            let guard = c.guard.filter(|_| !holds(c.guard));
            asserts.extend(c.asserts.iter().map(|a| (guard, a)));
        }
        Branch { guard: case.guard, fields, asserts }
    }

    /// What cannot be written down.
    fn check_fields(&self, out: &mut Diagnostics) {
        let isa = self.isa;
        let mut told: Vec<Span> = Vec::new();
        let leaves = self.roots.iter().flat_map(|r| &r.groups).flat_map(|g| &g.leaves);
        for branch in leaves.flat_map(|l| &l.branches) {
            for (_, field) in branch.fields.iter().flat_map(|f| &f.ladder) {
                let FieldType::Sub(space) = field.ty else { continue };
                if told.contains(&field.span) {
                    continue;
                }
                told.push(field.span);
                for param in &field.params {
                    let name = isa.text(param.as_name);
                    names::check(name, "a value passed to a nested encoding", self.language, field.span, out);
                }
                if self.encode(space).is_none() {
                    let message = format!(
                        "field `{}` is packed, but `{}` has no <encode> with a type for {}",
                        isa.text(field.name),
                        isa.text(isa[space].name),
                        self.language.name()
                    );
                    let d = Diagnostic::error("emit-encode", message).label(field.span, "this field");
                    out.push(d.secondary(isa[space].span, "add it here"));
                }
            }
        }
    }
}

/// See [`Plan::definition`].
pub(crate) fn definition(encoding: &Encoding, name: Name) -> Option<&Field> {
    let mut found = None;
    for case in &encoding.cases {
        found = case.fields.iter().find(|f| f.name == name).or(found);
        // The default case ends a level.
        if case.guard.is_none() && found.is_some() {
            break;
        }
    }
    found
}
