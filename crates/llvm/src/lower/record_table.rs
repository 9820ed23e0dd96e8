//! Texts by value that are records: names of control registers, hints, barriers.
//!
//! A value whose name needs no feature is an entry of an enum. A name that needs features is an encoding of a space, where the
//! names that need none are one further encoding. Where the table says what other values print as, each name is an encoding and
//! that text is the last one.

use std::sync::Arc;

use isaglot_bits::{Pattern, Word};
use isaglot_model::{Condition, FieldSource, FieldType, Piece, SpaceId, TemplatePart};
use rustc_hash::FxHashSet;

use super::Lowering;
use super::meaning::Number;
use super::scope::{Scope, whole};
use super::text::Parts;
use crate::table::{NumberFormat, RecordTable, TextPiece};
use crate::target::features::all;
use crate::target::registers::{strings, text};
use isaglot_tablegen::{Def, Value};

/// A value with its names, the first of which prints, and what they need.
struct Entry {
    value: u64,
    names: Vec<String>,
    condition: Condition,
}

impl<'a> Lowering<'a> {
    /// The type of a field that prints by the enum or table of this name; `None` if there is neither.
    pub(super) fn named_enum(&mut self, name: &str, width: u32) -> Option<FieldType> {
        let table = self.table;
        if let Some(values) = table.enums.get(name) {
            return Some(FieldType::Enum(self.enumeration(name, values, false)));
        }
        let records = table.record_tables.get(name)?;
        let known = self.record_tables.get(name).and_then(|all| all.iter().find(|(of, _)| *of == width));
        if let Some((_, ty)) = known {
            return Some(ty.clone());
        }
        let ty = self.record_table(name, records, width);
        self.record_tables.entry(name.to_owned()).or_default().push((width, ty.clone()));
        Some(ty)
    }

    /// The same for a table that no field of this width has had.
    fn record_table(&mut self, name: &str, records: &RecordTable, width: u32) -> FieldType {
        let entries = self.entries(records);
        let space = match &records.other {
            Some(other) => {
                let space = self.new_space(name, width, records.span);
                self.all_in_space((name, space), width, entries, records, other);
                space
            }
            None => {
                let (plain, conditional): (Vec<Entry>, Vec<Entry>) =
                    entries.into_iter().partition(|entry| entry.condition == Condition::Always);
                let plain: Vec<(u64, Arc<str>)> = plain.into_iter().flat_map(Entry::texts).collect();
                if conditional.is_empty() {
                    return FieldType::Enum(self.enumeration(name, &plain, true));
                }
                let space = self.new_space(name, width, records.span);
                self.some_in_space((name, space), width, &plain, conditional, records);
                space
            }
        };
        FieldType::Sub(space)
    }

    /// The entries of a table, in the order of the records.
    fn entries(&mut self, table: &RecordTable) -> Vec<Entry> {
        let mut list = Vec::new();
        for def in self.records.defs_of(&table.class) {
            let Ok(value) = def.int(&table.value) else { continue };
            if !table.only.iter().all(|(field, want)| integer(def, field) == Some(*want)) {
                continue;
            }
            let mut names = vec![text(def, &table.text)];
            for field in &table.also {
                match def.get(field) {
                    Some(Value::List(_)) => names.extend(strings(def, field)),
                    _ => names.push(text(def, field)),
                }
            }
            names.retain(|n| !n.is_empty());
            names.iter_mut().for_each(|n| n.insert_str(0, &table.prefix));
            if table.lower {
                let lower: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
                names.extend(lower);
            }
            let mut seen = FxHashSet::default();
            names.retain(|name| seen.insert(name.clone()));
            let needs = table.needs.as_ref().map(|field| self.features.needed(self.records, def, field));
            let mut condition = vec![self.or_all(needs.unwrap_or(Condition::Always), table.or.as_deref())];
            if let Some((field, feature)) = &table.without
                && def.bit(field).unwrap_or(false)
                && let Some(id) = self.features.named(feature)
            {
                condition.push(Condition::Not(Box::new(Condition::Feature(id))));
            }
            if let Some(id) = table.when.as_ref().and_then(|f| self.features.named(f)) {
                condition.push(Condition::Feature(id));
            }
            list.push(Entry { value: value as u64, names, condition: all(condition) });
        }
        list
    }

    /// A condition that a feature also meets, if there is one of that name.
    pub(super) fn or_all(&mut self, condition: Condition, feature: Option<&str>) -> Condition {
        let Some(feature) = feature else { return condition };
        match (condition, self.features.named(feature)) {
            (Condition::Always, _) => Condition::Always,
            (condition, Some(id)) => Condition::Any(vec![condition, Condition::Feature(id)]),
            (condition, None) => {
                self.unknown("feature", feature);
                condition
            }
        }
    }

    /// Names that need features as encodings; the others are one enum.
    fn some_in_space(
        &mut self,
        (name, space): (&str, SpaceId),
        width: u32,
        plain: &[(u64, Arc<str>)],
        conditional: Vec<Entry>,
        table: &RecordTable,
    ) {
        let rest = self.enumeration(name, plain, true);
        let value = |lowering: &mut Self, id, scope: &mut Scope| {
            let source = FieldSource::Bits(whole(width));
            let name = scope.field(&mut lowering.builder, "v", source, width, FieldType::Enum(id));
            vec![TemplatePart::Field { name, align: 0, reference: "v".into() }]
        };
        for (i, entry) in conditional.into_iter().enumerate() {
            let mut scope = Scope::of_value(width, table.span);
            let (number, condition) = (entry.value, entry.condition.clone());
            let names: Vec<(u64, Arc<str>)> = entry.texts().collect();
            let id = self.enumeration(&format!("{name} {i}"), &names, true);
            let parts = value(self, id, &mut scope);
            let pattern = Pattern::exact(Word::from_u64(number, width));
            self.choice(space, pattern, i as u32, condition, scope, (parts, false));
        }
        let mut scope = Scope::of_value(width, table.span);
        let parts = value(self, rest, &mut scope);
        self.choice(space, Pattern::any(width), u32::MAX, Condition::Always, scope, (parts, false));
    }

    /// Each name as an encoding, and what other values print as.
    fn all_in_space(
        &mut self,
        (name, space): (&str, SpaceId),
        width: u32,
        entries: Vec<Entry>,
        table: &RecordTable,
        other: &[TextPiece],
    ) {
        for (entry, rank) in entries.into_iter().zip(0u32..) {
            let pattern = Pattern::exact(Word::from_u64(entry.value, width));
            let mut scope = Scope::of_value(width, table.span);
            let condition = entry.condition.clone();
            let parts = if entry.names.len() == 1 {
                entry.names.into_iter().map(|name| TemplatePart::Literal(name.into_bytes().into())).collect()
            } else {
                let names: Vec<(u64, Arc<str>)> = entry.texts().collect();
                let id = self.enumeration(&format!("{name} {rank}"), &names, false);
                let source = FieldSource::Bits(whole(width));
                let name = scope.field(&mut self.builder, "v", source, width, FieldType::Enum(id));
                vec![TemplatePart::Field { name, align: 0, reference: "v".into() }]
            };
            self.choice(space, pattern, rank, condition, scope, (parts, false));
        }
        let mut scope = Scope::of_value(width, table.span);
        let mut parts = Parts::default();
        let number = Number {
            part: "v".to_owned(),
            field: "v".into(),
            pieces: vec![Piece::Bits(isaglot_bits::BitRange { lo: 0, width })],
            signed: false,
            plus: 0,
            formula: None,
            registers: None,
            format: NumberFormat::Plain,
            unexplained: false,
        };
        self.show_pieces(&mut scope, std::slice::from_ref(&number), other, table.span, &mut parts);
        self.choice(space, Pattern::any(width), u32::MAX, Condition::Always, scope, (parts.finish(), false));
    }
}

impl Entry {
    fn texts(self) -> impl Iterator<Item = (u64, Arc<str>)> {
        self.names.into_iter().map(move |name| (self.value, name.into()))
    }
}

/// A field that is a number or a bit.
pub(super) fn integer(def: Def<'_>, field: &str) -> Option<i64> {
    match def.get(field)? {
        Value::Bit(bit) => Some(i64::from(bit)),
        _ => def.int(field).ok(),
    }
}
