//! A word as a driver's data: the data from which the packer makes the word again.
//!
//! The plan of the packer is followed on the fields that our decoder sees in the word, and every map that is met is read
//! backwards. What the packer must make of it is put together from the same fields on the way, so that bits which no
//! map reaches are told from bits which are packed wrongly.

use std::collections::BTreeSet;

use isaglot_bits::{BitRange, Word};
use isaglot_codec::{Found, Scopes};
use isaglot_emit::isaspec::plan::{Leaf, Plan, Source};
use isaglot_model::{Encoding, ExprId, Field, FieldSource, FieldType, Piece, SpaceId};

use super::map::{Ast, Constants, Data, Scope, parse};

pub(crate) struct Filler<'f, 'p, 'a> {
    pub(crate) plan: &'f Plan<'a>,
    pub(crate) scopes: Scopes<'p, 'a>,
    pub(crate) constants: &'f Constants,
    /// The word that is being looked at.
    pub(crate) current: Word,
    /// Words with a field whose map is another constant than the field's value, or is missing.
    pub(crate) constant: BTreeSet<Word>,
}

impl<'a> Filler<'_, '_, 'a> {
    /// The members of the data, and the word that is packed from them.
    pub(crate) fn word(&mut self, word: &Word) -> Result<(Data, Word), String> {
        self.current = word.clone();
        let scope = self.scopes.enter(word).ok_or("no instruction")?;
        let mut data = Data::default();
        let inner = Scope { src: Ast::Member("src".into()), params: Vec::new() };
        let root = self.plan.isa.root();
        let packed = self.encoding(root, scope, &inner, &mut data)?;
        self.scopes.leave();
        data.settle()?;
        Ok((data, packed))
    }

    fn holds(&mut self, scope: usize, guard: Option<ExprId>) -> bool {
        guard.is_none_or(|guard| self.scopes.evaluate(scope, guard) != 0)
    }

    fn encoding(&mut self, space: SpaceId, scope: usize, inner: &Scope, data: &mut Data) -> Result<Word, String> {
        let isa = self.plan.isa;
        let id = self.scopes.encoding_id(scope);
        let encoding = &isa[id];
        let at = self.plan.roots.iter().position(|r| r.space == space).ok_or("no <encode>")?;
        let root = &self.plan.roots[at];
        let leaf: &Leaf<'a> = match root.encode.case_prefix {
            Some(_) => {
                let find = |g: &isaglot_emit::isaspec::plan::Group<'a>| g.leaves.iter().any(|l| l.id == id);
                let group = root.groups.iter().position(find).ok_or("a leaf is missing")?;
                let cases = member_of(&inner.src, &format!("cases[{at}]"))?;
                data.wish(cases, group as u64);
                root.groups[group].leaves.iter().find(|l| l.id == id).ok_or("a leaf is missing")?
            }
            None => {
                let leaf = root.groups.first().and_then(|g| g.leaves.first()).ok_or("no leaf")?;
                if leaf.id != id {
                    return Err(format!("`{}` is not the first leaf", isa.text(encoding.name)));
                }
                leaf
            }
        };
        let mut packed = encoding.pattern.value().clone();
        let plan = self.plan;
        let Some(branch) = leaf.branches.iter().find(|b| self.holds(scope, b.guard)) else { return Ok(packed) };
        for p in &branch.fields {
            let Some((_, field)) = p.ladder.iter().find(|(guard, _)| self.holds(scope, *guard)) else { continue };
            let FieldSource::Bits(pieces) = &field.source else { continue };
            let raw = extract(self.scopes.value(scope), pieces, field.width);
            let Source::Map(map) = plan.source(encoding, p.name) else {
                self.differs(&raw, &Word::zero(field.width));
                continue;
            };
            let value = match field.ty {
                FieldType::Sub(nested) => {
                    let ast = parse(&map.text, inner, self.constants)?;
                    let params = self.params(encoding, scope, field, inner)?;
                    let found = Found { field, scope, value: raw };
                    let there = self.scopes.enter_field(scope, &found, nested).ok_or("a nested field is nothing")?;
                    let value = self.encoding(nested, there, &Scope { src: ast, params }, data);
                    self.scopes.leave();
                    value?
                }
                _ => match parse(&map.text, inner, self.constants)? {
                    Ast::Number(n) => {
                        let constant = Word::from_u64(n, field.width);
                        self.differs(&raw, &constant);
                        constant
                    }
                    ast => {
                        data.wish(ast, raw.low_u64());
                        raw
                    }
                },
            };
            insert(&mut packed, pieces, &value);
        }
        for (guard, assert) in &branch.asserts {
            if self.holds(scope, *guard) {
                let there = packed.slice(assert.range);
                packed.insert_word(assert.range, &there.or(&assert.value));
            }
        }
        Ok(packed)
    }

    fn differs(&mut self, value: &Word, packed: &Word) {
        if value != packed {
            self.constant.insert(self.current.clone());
        }
    }

    /// What a nested encoding sees of its surroundings.
    fn params(
        &mut self,
        encoding: &'a Encoding,
        scope: usize,
        field: &Field,
        inner: &Scope,
    ) -> Result<Vec<(String, Ast)>, String> {
        let isa = self.plan.isa;
        let mut list = Vec::new();
        for param in &field.params {
            let derived = self.plan.definition(encoding, param.name);
            let ast = match (derived.map(|f| &f.source), self.plan.source_inside(encoding, param.name)) {
                (Some(FieldSource::Derived(expr)), _) => Ast::Number(self.scopes.evaluate(scope, *expr)),
                (_, Source::Map(map)) => parse(&map.text, inner, self.constants)?,
                (_, Source::Param) => {
                    let outer = inner.params.iter().find(|(name, _)| name == isa.text(param.name));
                    outer.map_or(Ast::Number(0), |(_, ast)| ast.clone())
                }
                (_, Source::Missing) => Ast::Number(0),
            };
            list.push((isa.text(param.as_name).to_owned(), ast));
        }
        Ok(list)
    }
}

fn member_of(src: &Ast, name: &str) -> Result<Ast, String> {
    match src {
        Ast::Member(path) => Ok(Ast::Member(format!("{path}->{name}"))),
        Ast::Choice(_, then, _) => member_of(then, name),
        other => Err(format!("{other:?} cannot say which case it is")),
    }
}

fn extract(word: &Word, pieces: &[Piece], width: u32) -> Word {
    let mut value = Word::zero(width);
    let mut at = width;
    for piece in pieces {
        at -= piece.width();
        if let Piece::Bits(range) = *piece {
            value.insert_word(BitRange::new(at, range.width), &word.slice(range));
        }
    }
    value
}

fn insert(word: &mut Word, pieces: &[Piece], value: &Word) {
    let mut at = 0;
    for piece in pieces.iter().rev() {
        if let Piece::Bits(range) = *piece {
            let there = word.slice(range);
            word.insert_word(range, &there.or(&value.slice(BitRange::new(at, range.width))));
        }
        at += piece.width();
    }
}
