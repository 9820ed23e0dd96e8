//! Fields of a case.

use isaglot_bits::BitRange;
use isaglot_invariant::Impossible as _;
use isaglot_model::{Field, FieldSource, FieldType, Param, Piece};
use isaglot_source::Diagnostics;

use super::{Lowering, enum_id, register_file_id};
use crate::check::{Builtin, TypeOf, resolve};
use crate::display;
use crate::gather::{CaseInfo, Set};
use crate::syntax::{FieldDecl, PieceDecl, Role};
use crate::text::Text;

/// The widest value that the reference prints or computes with.
const REFERENCE_VALUE_BITS: u32 = 64;

impl<'a> Lowering<'a> {
    /// The fields of a case, no name twice: the reference fills a dictionary with derived fields first, then fields.
    pub(super) fn fields(
        &mut self,
        set: &Set<'a>,
        case: &CaseInfo<'a>,
        width: u32,
        out: &mut Diagnostics,
    ) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::with_capacity(case.derived.len() + case.decl.fields.len());
        let mut add = |field: Field| match fields.iter_mut().find(|f| f.name == field.name) {
            Some(slot) => *slot = field,
            None => fields.push(field),
        };
        for (derived, expr) in &case.derived {
            let Some(id) = expr.as_ref().and_then(|e| self.expr_id(&e.value)) else { continue };
            let Some(ty) = self.field_type(&derived.ty, derived.display.as_ref(), derived.call, &derived.role, out)
            else {
                continue;
            };
            let doc = derived.doc.as_ref().map_or(String::new(), |d| d.value.clone());
            let name = self.builder.name(&derived.name.value);
            let (source, params) = (FieldSource::Derived(id), Vec::new());
            add(Field { name, source, width: derived.width, ty, params, doc, span: derived.span });
        }
        for field in &case.decl.fields {
            if let Some(field) = self.field(set, field, width, out) {
                add(field);
            }
        }
        fields
    }

    fn field(&mut self, set: &Set<'a>, field: &FieldDecl, word: u32, out: &mut Diagnostics) -> Option<Field> {
        let ty = self.field_type(&field.ty, field.display.as_ref(), field.call, &field.role, out)?;
        let mut pieces = Vec::with_capacity(field.pieces.len());
        for piece in &field.pieces {
            match *piece {
                PieceDecl::Bits { low, high } => bits(low, high, word, &mut pieces),
                PieceDecl::Implied { width, value } => pieces.push(Piece::Implied { width, value }),
            }
        }
        let have = pieces.iter().map(|p| p.width()).sum();
        let width = match ty {
            FieldType::Sub(space) => self.space_width(space),
            // What is wider than 64 bits the reference reads as its low 64 bits.
            _ if !set.dialect => REFERENCE_VALUE_BITS.min(have),
            _ => have,
        };
        if width != have {
            pieces = Piece::resized(&pieces, width);
        }
        let mut params = Vec::with_capacity(field.params.len());
        for p in &field.params {
            let (name, as_name) = (self.builder.name(&p.name.value), self.builder.name(&p.as_name.value));
            params.push(Param { name, as_name });
        }
        let doc = field.doc.as_ref().map_or(String::new(), |d| d.value.clone());
        let name = self.builder.name(&field.name.value);
        Some(Field { name, source: FieldSource::Bits(pieces), width, ty, params, doc, span: field.span })
    }

    fn field_type(
        &self,
        ty: &Text,
        display: Option<&Text>,
        call: bool,
        role: &Role,
        out: &mut Diagnostics,
    ) -> Option<FieldType> {
        let mut text = || display.map(|d| display::c_text(d, out));
        let branch = |absolute| {
            // In a set of one size a branch counts instructions; otherwise bytes.
            let default = if self.checked.format.word.lengths.is_empty() { 0 } else { 1 };
            let unit = role.unit.map_or(default, |u| u32::try_from(u.value).unwrap_or(default));
            FieldType::Branch { absolute, call, unit }
        };
        Some(match resolve(self.tables, &ty.value).ok()? {
            TypeOf::Enum(index) => FieldType::Enum(enum_id(index)),
            TypeOf::Registers(index) => FieldType::Register(register_file_id(index)),
            TypeOf::Root(id) => FieldType::Sub(self.space_of(id)?),
            TypeOf::Builtin(builtin) => match builtin {
                Builtin::Branch => branch(false),
                Builtin::Absbranch => branch(true),
                Builtin::Int => FieldType::Int,
                Builtin::Uint => FieldType::Uint,
                Builtin::Hex => FieldType::Hex,
                Builtin::Offset => FieldType::Offset,
                Builtin::Uoffset => FieldType::Uoffset,
                Builtin::Float => FieldType::Float,
                Builtin::Bool => FieldType::Bool(text()),
                Builtin::BoolInv => FieldType::BoolInv(text()),
                Builtin::Custom => FieldType::Custom,
            },
        })
    }

    fn space_width(&self, space: isaglot_model::SpaceId) -> u32 {
        let root = self.spaces.iter().find(|(_, s)| *s == space).and_then(|(id, _)| self.tables.sets.get(*id));
        root.map(super::size).or_impossible(0)
    }
}

/// Adds a range of bits; what lies outside the word reads as 0.
fn bits(low: u32, high: u32, word: u32, pieces: &mut Vec<Piece>) {
    if high >= word {
        pieces.extend(Piece::zeros(high - low.max(word) + 1));
    }
    if low < word {
        pieces.push(Piece::Bits(BitRange { lo: low, width: high.min(word - 1) - low + 1 }));
    }
}
