//! What many parts of a model have alike is written once.
//!
//! Problem: most of a target of LLVM is repetition. AMDGPU's 65,590 cases have 2,860 different lists of fields and 14,965 templates.
//! Invariant: writer and reader meet the parts in one order, since both walk them by the same functions; what the uses of values would make of
//! few bytes is bounded by [`MAX_SHARED_PARTS`]. Method: each kind of value is a [`Pool`]: the values that differ, and for each part in order
//! the number of its value.

use std::hash::Hash;
use std::iter::once;
use std::sync::Arc;

use isaglot_bits::Pattern;
use isaglot_invariant::Impossible as _;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize};

use crate::condition::Condition;
use crate::encoding::Case;
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
    /// By number.
    templates: Vec<Template>,
    /// By case: the number of its template plus 1; 0 for none.
    of_cases: Vec<u32>,
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
    /// Those of a model. Its templates are only those that differ from then on.
    pub(super) fn of(isa: &mut Isa) -> Pools {
        let (templates, of_cases) = different(isa);
        isa.templates = templates;
        Pools {
            fields: Pool::of(fields(isa), bytes),
            operands: Pool::of(operands(isa), bytes),
            except: Pool::of(except(isa), bytes),
            conditions: Pool::of(conditions(isa), bytes),
            of_cases,
            literals: Pool::of(literals(isa), Shared::clone),
            texts: Pool::of(texts(isa), Arc::clone),
            templates: std::mem::take(&mut isa.templates),
        }
    }

    /// Gives a model what it shares; `None` if that does not fit.
    pub(super) fn put(self, isa: &mut Isa) -> Option<()> {
        if self.parts() > MAX_SHARED_PARTS {
            return None;
        }
        isa.templates = self.templates;
        let count = isa.templates.len() as u32;
        let mut uses = self.of_cases.iter();
        for case in cases(isa) {
            let number = *uses.next()?;
            case.template = number.checked_sub(1).map(TemplateId);
            if number > count {
                return None;
            }
        }
        if uses.next().is_some() {
            return None;
        }
        self.fields.put(fields(isa))?;
        self.operands.put(operands(isa))?;
        self.except.put(except(isa))?;
        self.conditions.put(conditions(isa))?;
        self.literals.put(literals(isa))?;
        self.texts.put(texts(isa))
    }

    /// How many parts there would be if nothing was shared.
    fn parts(&self) -> usize {
        let template = |number: u32| self.templates.get((number as usize).checked_sub(1)?).map(|t| t.parts.len());
        let of_templates: usize = self.of_cases.iter().map(|&number| template(number).unwrap_or(0)).sum();
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

/// The templates that differ, but for their places, and which of them each case has.
fn different(isa: &Isa) -> (Vec<Template>, Vec<u32>) {
    let (mut templates, mut of_cases) = (Vec::new(), Vec::new());
    let mut known: FxHashMap<&[TemplatePart], u32> = FxHashMap::default();
    for case in isa.encodings.iter().flat_map(|e| &e.cases) {
        let template = case.template.and_then(|id| isa.templates.get(id.index()));
        of_cases.push(template.map_or(0, |template| {
            *known.entry(&template.parts).or_insert_with(|| {
                templates.push(template.clone());
                templates.len() as u32
            })
        }));
    }
    (templates, of_cases)
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

fn literals(isa: &mut Isa) -> impl Iterator<Item = &mut Shared<u8>> {
    isa.templates.iter_mut().flat_map(|template| &mut template.parts).filter_map(|part| match part {
        TemplatePart::Literal(text) => Some(text),
        _ => None,
    })
}

fn texts(isa: &mut Isa) -> impl Iterator<Item = &mut Arc<str>> {
    let of_encodings = isa
        .encodings
        .iter_mut()
        .flat_map(|e| once(&mut e.display_name).chain(e.cases.iter_mut().map(|case| &mut case.owner)));
    let of_enums = isa.enums.iter_mut().flat_map(|ty| &mut ty.values).map(|value| &mut value.display);
    let parts = isa.templates.iter_mut().flat_map(|template| &mut template.parts);
    let of_templates = parts.filter_map(|part| match part {
        TemplatePart::Field { reference, .. } | TemplatePart::Mnemonic { reference, .. } => Some(reference),
        _ => None,
    });
    of_encodings.chain(of_enums).chain(of_templates)
}
