//! From what an overlay says to operands of encodings.
//!
//! An entry about a bitset concerns every leaf at or below it that has the names which the entry uses; a leaf that has
//! them not is passed over. An entry that no leaf has the names for is wrong.

use isaglot_model::{Builder, Encoding, ExprId, FieldType, Flow, Name, Operand, OperandKind, Varies};
use isaglot_source::{Diagnostic, Diagnostics, Span, closest};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Formula, RoleDecl, RolesFile};
use crate::check::{Place, TypeOf, resolve};
use crate::gather::Tables;
use crate::lower::{access, exprs, flow, implicit, register_file_id};
use crate::syntax::OperandDecl;
use crate::text::Text;

/// An overlay whose expressions are in the model.
pub(crate) struct Roles<'a> {
    file: &'a RolesFile,
    /// By the number of the set and of the entry in it.
    entries: Vec<Vec<Option<Entry>>>,
    /// Numbers of sets by the name of their bitset.
    by_name: FxHashMap<&'a str, Vec<usize>>,
    /// Names that a leaf sees from outside, by the root that it is below.
    handed_in: FxHashMap<usize, FxHashSet<&'a str>>,
    flows_used: Vec<bool>,
}

/// An entry with its expressions.
struct Entry {
    number: Option<ExprId>,
    varies: Varies,
    /// Names that must mean something where it is to count.
    names: Vec<String>,
    used: bool,
    /// A name that a leaf had not.
    lacks: Option<String>,
}

/// Expressions of the overlay itself by name, with the names that they use.
type Named = FxHashMap<String, (ExprId, Vec<String>)>;

/// Puts the expressions of an overlay into the model, and says which of its names are nowhere.
pub(crate) fn prepare<'a>(
    file: &'a RolesFile,
    tables: &'a Tables<'a>,
    builder: &mut Builder,
    out: &mut Diagnostics,
) -> Roles<'a> {
    let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    let mut named: Named = FxHashMap::default();
    for (name, decl) in &file.exprs {
        if let Some(parsed) = &decl.parsed {
            let expr = exprs::lower(builder, &tables.features, &name.value, decl, parsed);
            named.insert(name.value.clone(), (builder.expr(expr), parsed.fields.clone()));
        }
    }
    let mut entries = Vec::with_capacity(file.sets.len());
    for (at, set) in file.sets.iter().enumerate() {
        by_name.entry(&set.name.value).or_default().push(at);
        if tables.by_name.get(&set.name.value).is_none() {
            unknown("bitset", &set.name, tables.by_name.names(), out);
            entries.push(set.operands.iter().map(|_| None).collect());
            continue;
        }
        entries.push(set.operands.iter().map(|decl| entry(decl, &named, tables, builder, out)).collect());
    }
    let mut handed_in: FxHashMap<usize, FxHashSet<&str>> = FxHashMap::default();
    for field in tables.sets.iter().flat_map(|s| &s.cases).flat_map(|c| &c.decl.fields) {
        if let (false, Ok(TypeOf::Root(root))) = (field.params.is_empty(), resolve(tables, &field.ty.value)) {
            let names = handed_in.entry(root).or_default();
            names.extend(field.params.iter().map(|p| p.as_name.value.as_str()));
        }
    }
    Roles { file, entries, by_name, handed_in, flows_used: vec![false; file.sets.len()] }
}

fn unknown<'a>(what: &str, name: &Text, there: impl Iterator<Item = &'a str>, out: &mut Diagnostics) {
    let message = format!("the description has no {what} `{}`", name.value);
    let d = Diagnostic::error("isaspec-roles-name", message).label(name.span(), "not in it");
    out.push(d.did_you_mean(closest(&name.value, there)));
}

/// `None` if a name of it is nowhere, which is reported.
fn entry(
    decl: &RoleDecl,
    named: &Named,
    tables: &Tables<'_>,
    builder: &mut Builder,
    out: &mut Diagnostics,
) -> Option<Entry> {
    let mut names: Vec<String> = decl.field.iter().map(|f| f.value.clone()).collect();
    let mut formula = |formula: &Option<Formula>, out: &mut Diagnostics| match formula {
        None => Some(None),
        Some(Formula::Named(name)) => {
            if let Some((expr, fields)) = named.get(&name.value) {
                names.extend(fields.iter().cloned());
                return Some(Some(*expr));
            }
            let found = tables.exprs.position(&name.value);
            if found.is_none() {
                unknown("expression", name, tables.exprs.names(), out);
            }
            found.map(|at| Some(ExprId(at as u32)))
        }
        Some(Formula::Written(written)) => {
            let parsed = written.parsed.as_ref()?;
            names.extend(parsed.fields.iter().cloned());
            let expr = exprs::lower(builder, &tables.features, &written.text.value, written, parsed);
            Some(Some(builder.expr(expr)))
        }
    };
    let (number, when) = (formula(&decl.number, out), formula(&decl.when, out));
    let (count, mask) = (formula(&decl.count, out), formula(&decl.mask, out));
    let file = decl.registers.as_ref().map(|r| (tables.registers.position(&r.value), r));
    if let Some((None, name)) = file {
        unknown("register file", name, tables.registers.names(), out);
        return None;
    }
    Some(Entry {
        number: number?,
        varies: Varies { when: when?, count: count?, mask: mask? },
        names,
        used: false,
        lacks: None,
    })
}

impl Roles<'_> {
    /// The operands that the overlay gives a leaf, each with the name of its field, and where control goes.
    pub(crate) fn of(
        &mut self,
        tables: &Tables<'_>,
        place: &Place,
        encoding: &Encoding,
        builder: &mut Builder,
        out: &mut Diagnostics,
    ) -> (Vec<(String, Operand)>, Option<Flow>) {
        let fields: FxHashMap<Name, &FieldType> =
            encoding.cases.iter().flat_map(|c| &c.fields).map(|f| (f.name, &f.ty)).collect();
        let outside = self.handed_in.get(&place.root());
        let (mut found, mut to): (Vec<(String, Operand)>, Option<Flow>) = (Vec::new(), None);
        for set in place.levels.iter().filter_map(|l| tables.sets.get(*l)) {
            // What a level says of a field stands in for what those above it say.
            let said = found.len();
            for &at in self.by_name.get(set.decl.name.value.as_str()).map_or(&[][..], Vec::as_slice) {
                let Some(roles) = self.file.sets.get(at) else { continue };
                for (decl, slot) in roles.operands.iter().zip(self.entries.get_mut(at).into_iter().flatten()) {
                    let Some(entry) = slot else { continue };
                    let mut sees = |name: &String| {
                        fields.contains_key(&builder.name(name)) || outside.is_some_and(|o| o.contains(name.as_str()))
                    };
                    if let Some(name) = entry.names.iter().find(|name| !sees(name)) {
                        entry.lacks = Some(name.clone());
                        continue;
                    }
                    let key = decl.field.as_ref().map_or(String::new(), |f| f.value.clone());
                    let hidden = !key.is_empty() && found.iter().take(said).any(|(known, _)| *known == key);
                    entry.used = true;
                    match operand(decl, entry, tables, &fields, builder, out) {
                        Some(operand) if !hidden => found.push((key, operand)),
                        Some(_) => {}
                        // What is wrong with it was said, once.
                        None => *slot = None,
                    }
                }
                if let Some(decl) = roles.flow.as_ref().filter(|_| to.is_none()) {
                    let target = decl.target.as_ref().map(|t| builder.name(&t.value));
                    if target.is_none_or(|name| fields.contains_key(&name)) {
                        to = Some(flow(decl, target, out));
                        if let Some(used) = self.flows_used.get_mut(at) {
                            *used = true;
                        }
                    }
                }
            }
        }
        (found, to)
    }

    /// Says which entries concerned no leaf.
    pub(crate) fn finish(&self, out: &mut Diagnostics) {
        let missing = |span: Span, set: &str, lacks: Option<&str>, out: &mut Diagnostics| {
            let message = match lacks {
                Some(name) => format!("no leaf of `{set}` has a field `{name}`"),
                None => format!("there is no leaf of `{set}`"),
            };
            out.push(Diagnostic::error("isaspec-roles-name", message).label(span, "concerns nothing"));
        };
        for ((set, entries), flow_used) in self.file.sets.iter().zip(&self.entries).zip(&self.flows_used) {
            for (decl, entry) in set.operands.iter().zip(entries) {
                if let Some(entry) = entry.as_ref().filter(|e| !e.used) {
                    let span = decl.field.as_ref().map_or(decl.span, Text::span);
                    missing(span, &set.name.value, entry.lacks.as_deref(), out);
                }
            }
            if let Some(flow) = set.flow.as_ref().filter(|_| !flow_used) {
                let (span, lacks) = match &flow.target {
                    Some(target) => (target.span(), Some(target.value.as_str())),
                    None => (flow.span, None),
                };
                missing(span, &set.name.value, lacks, out);
            }
        }
    }

    /// Whether what does not fit is to be left out.
    pub(crate) fn partial(&self) -> bool {
        self.file.partial
    }

    /// The first place of the overlay.
    pub(crate) fn span(&self) -> Span {
        Span::new(self.file.id, 0, 0)
    }
}

fn operand(
    decl: &RoleDecl,
    entry: &Entry,
    tables: &Tables<'_>,
    fields: &FxHashMap<Name, &FieldType>,
    builder: &mut Builder,
    out: &mut Diagnostics,
) -> Option<Operand> {
    let file = decl.registers.as_ref().and_then(|r| tables.registers.position(&r.value)).map(register_file_id);
    let access = access(decl.access.as_ref());
    if let (Some(register), Some(registers)) = (&decl.register, &decl.registers) {
        let (registers, register) = (registers.clone(), register.clone());
        let access = decl.access.clone();
        let named = OperandDecl { registers, register, access, when: None, mask: None, span: decl.span };
        let known = implicit(tables, &named, out)?;
        return Some(Operand { varies: entry.varies, ..known });
    }
    let kind = match (&decl.field, entry.number) {
        (_, Some(number)) => OperandKind::Computed(number, file?),
        (field, _) => {
            let name = builder.name(&field.as_ref()?.value);
            match (file, fields.get(&name)?) {
                (Some(file), _) => OperandKind::Register(name, file),
                (None, FieldType::Register(file)) => OperandKind::Register(name, *file),
                (None, FieldType::Sub(_)) => OperandKind::Part(name),
                (None, FieldType::Branch { .. }) => OperandKind::Label(name),
                (None, _) => OperandKind::Immediate(name),
            }
        }
    };
    Some(Operand { kind, access, count: 1, varies: entry.varies, span: decl.span })
}
