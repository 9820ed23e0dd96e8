//! What many parts of a model have alike is written once.
//!
//! Problem: most of a target of LLVM is repetition. AMDGPU's 65,590 cases have 2,860 lists of fields that differ, and of
//! its 68,676 templates 14,965 do.
//! Invariant: writer and reader meet the parts in one order, since both walk them by the same functions; what the uses of values would make of
//! few bytes is bounded by [`MAX_SHARED_PARTS`]. Method: each kind of value is a [`Pool`]: the values that differ, and for each part in order
//! the number of its value.

use std::hash::Hash;
use std::iter::once;
use std::sync::Arc;

use isaglot_bits::Pattern;
use isaglot_invariant::Impossible as _;
use isaglot_source::Span;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize};

use crate::condition::Condition;
use crate::encoding::{Case, Encoding};
use crate::field::Field;
use crate::ids::TemplateId;
use crate::isa::Isa;
use crate::limits::MAX_SHARED_PARTS;
use crate::operand::Operand;
use crate::shared::Shared;
use crate::template::{Template, TemplatePart};

/// Values, and which of them each part has.
#[derive(Serialize, Deserialize)]
struct Pool<T> {
    values: Vec<T>,
    uses: Vec<u32>,
}

impl<T: Clone> Pool<T> {
    /// Those of these parts; `key` is equal for parts that may share a value.
    fn of<'p, K: Hash + Eq>(parts: impl Iterator<Item = &'p mut T>, key: impl Fn(&T) -> K) -> Pool<T>
    where
        T: 'p,
    {
        let mut pool = Pool { values: Vec::new(), uses: Vec::new() };
        let mut known: FxHashMap<K, u32> = FxHashMap::default();
        for part in parts {
            let number = *known.entry(key(part)).or_insert_with(|| {
                pool.values.push(part.clone());
                pool.values.len() as u32 - 1
            });
            pool.uses.push(number);
        }
        pool
    }

    /// The sizes of the values, each counted as often as it is used.
    fn total(&self, size: impl Fn(&T) -> usize) -> usize {
        let sizes: Vec<usize> = self.values.iter().map(size).collect();
        self.uses.iter().map(|&number| sizes.get(number as usize).copied().unwrap_or(0)).sum()
    }

    /// Gives each part its value; `None` if there are more or fewer uses than parts, or one of a value that does not exist.
    fn put<'p>(&self, parts: impl Iterator<Item = &'p mut T>) -> Option<()>
    where
        T: 'p,
    {
        let mut uses = self.uses.iter();
        for part in parts {
            part.clone_from(self.values.get(*uses.next()? as usize)?);
        }
        uses.next().is_none().then_some(())
    }
}

/// All that is shared.
#[derive(Serialize, Deserialize)]
pub(super) struct Pools {
    fields: Pool<Shared<Field>>,
    operands: Pool<Shared<Operand>>,
    except: Pool<Shared<Pattern>>,
    conditions: Pool<Condition>,
    /// Lists of parts of templates, and which of them each template has.
    parts: Vec<Vec<TemplatePart>>,
    of_templates: Vec<u32>,
    #[serde(deserialize_with = "literals_of")]
    literals: Pool<Shared<u8>>,
    #[serde(deserialize_with = "texts_of")]
    texts: Pool<Arc<str>>,
}

/// Texts without a copy between the bytes and the text that is shared.
fn texts_of<'de, D: Deserializer<'de>>(input: D) -> Result<Pool<Arc<str>>, D::Error> {
    let pool: Pool<&'de str> = Pool::deserialize(input)?;
    Ok(Pool { values: pool.values.into_iter().map(Arc::from).collect(), uses: pool.uses })
}

/// The same of bytes.
fn literals_of<'de, D: Deserializer<'de>>(input: D) -> Result<Pool<Shared<u8>>, D::Error> {
    let pool: Pool<&'de [u8]> = Pool::deserialize(input)?;
    Ok(Pool { values: pool.values.into_iter().map(Shared::from).collect(), uses: pool.uses })
}

impl Pools {
    /// Those of a model, which has none of what they hold from then on.
    pub(super) fn of(isa: &mut Isa) -> Pools {
        let (mut parts, of_templates) = different(&std::mem::take(&mut isa.templates));
        Pools {
            fields: Pool::of(fields(isa), bytes),
            operands: Pool::of(operands(isa), bytes),
            except: Pool::of(except(isa), bytes),
            conditions: Pool::of(conditions(isa), bytes),
            of_templates,
            literals: Pool::of(literals(&mut parts), Shared::clone),
            texts: Pool::of(texts(isa, &mut parts), Arc::clone),
            parts,
        }
    }

    /// Gives a model what it shares; `None` if that does not fit.
    pub(super) fn put(mut self, isa: &mut Isa) -> Option<()> {
        if self.total(&isa.encodings) > MAX_SHARED_PARTS {
            return None;
        }
        self.fields.put(fields(isa))?;
        self.operands.put(operands(isa))?;
        self.except.put(except(isa))?;
        self.conditions.put(conditions(isa))?;
        self.literals.put(literals(&mut self.parts))?;
        self.texts.put(texts(isa, &mut self.parts))?;
        let parts: Vec<Shared<TemplatePart>> = self.parts.into_iter().map(Shared::from).collect();
        let template = |&number: &u32| {
            parts.get(number as usize).map(|parts| Template { parts: parts.clone(), span: Span::NOWHERE })
        };
        isa.templates = self.of_templates.iter().map(template).collect::<Option<_>>()?;
        Some(())
    }

    /// How many parts there would be if nothing was shared.
    fn total(&self, encodings: &[Encoding]) -> usize {
        let template = |id: TemplateId| self.parts.get(*self.of_templates.get(id.index())? as usize).map(Vec::len);
        let cases = encodings.iter().flat_map(|e| &e.cases);
        let of_templates: usize = cases.filter_map(|case| template(case.template?)).sum();
        let of_lists =
            self.fields.total(|l| l.len()) + self.operands.total(|l| l.len()) + self.except.total(|l| l.len());
        of_templates + of_lists + self.conditions.total(nodes)
    }
}

/// How many conditions there are in one. Nesting is bounded where it is read.
fn nodes(condition: &Condition) -> usize {
    match condition {
        Condition::Always | Condition::Feature(_) => 1,
        Condition::Not(inner) => 1 + nodes(inner),
        Condition::All(list) | Condition::Any(list) => 1 + list.iter().map(nodes).sum::<usize>(),
    }
}

/// The lists of parts that differ, and which of them each template has.
fn different(templates: &[Template]) -> (Vec<Vec<TemplatePart>>, Vec<u32>) {
    let mut parts = Vec::new();
    let mut known: FxHashMap<&[TemplatePart], u32> = FxHashMap::default();
    let of_templates = templates.iter().map(|template| {
        *known.entry(&template.parts).or_insert_with(|| {
            parts.push(template.parts.to_vec());
            parts.len() as u32 - 1
        })
    });
    let of_templates = of_templates.collect();
    (parts, of_templates)
}

/// What is written of a value: all but places in the sources.
fn bytes<T: Serialize>(list: &T) -> Vec<u8> {
    // Nothing of a model can fail to be written to a vector.
    postcard::to_allocvec(list).or_impossible_default()
}

fn cases(isa: &mut Isa) -> impl Iterator<Item = &mut Case> {
    isa.encodings.iter_mut().flat_map(|e| &mut e.cases)
}

fn fields(isa: &mut Isa) -> impl Iterator<Item = &mut Shared<Field>> {
    cases(isa).map(|case| &mut case.fields)
}

fn operands(isa: &mut Isa) -> impl Iterator<Item = &mut Shared<Operand>> {
    isa.encodings.iter_mut().map(|e| &mut e.operands)
}

fn except(isa: &mut Isa) -> impl Iterator<Item = &mut Shared<Pattern>> {
    isa.encodings.iter_mut().map(|e| &mut e.except)
}

fn conditions(isa: &mut Isa) -> impl Iterator<Item = &mut Condition> {
    isa.encodings.iter_mut().map(|e| &mut e.condition)
}

fn literals(parts: &mut [Vec<TemplatePart>]) -> impl Iterator<Item = &mut Shared<u8>> {
    parts.iter_mut().flatten().filter_map(|part| match part {
        TemplatePart::Literal(text) => Some(text),
        _ => None,
    })
}

fn texts<'a>(isa: &'a mut Isa, parts: &'a mut [Vec<TemplatePart>]) -> impl Iterator<Item = &'a mut Arc<str>> {
    let of_encodings = isa
        .encodings
        .iter_mut()
        .flat_map(|e| once(&mut e.display_name).chain(e.cases.iter_mut().map(|case| &mut case.owner)));
    let of_enums = isa.enums.iter_mut().flat_map(|ty| &mut ty.values).map(|value| &mut value.display);
    let of_templates = parts.iter_mut().flatten().filter_map(|part| match part {
        TemplatePart::Field { reference, .. } | TemplatePart::Mnemonic { reference, .. } => Some(reference),
        _ => None,
    });
    of_encodings.chain(of_enums).chain(of_templates)
}
