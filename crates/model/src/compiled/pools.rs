//! What many parts of a model have alike is written once.
//!
//! Problem: most of a target of LLVM is repetition. AMDGPU's 65,590 cases have 2,860 lists of fields that differ, and of
//! its 68,676 templates 14,965 do. Each list and each text as memory of its own would cost more than all else that is read.
//! Invariant: writer and reader meet the parts in one order, since both walk them by the same functions; what the uses of values would make of
//! few bytes is bounded by [`MAX_SHARED_PARTS`]. Method: of each kind the values that differ, all lists one after the other, all texts one
//! after the other; and for each part in order which value it has ([`Uses`]). A list that is read is a part of the one of all.

use std::borrow::Cow;
use std::hash::Hash;
use std::iter::once;
use std::sync::Arc;

use isaglot_bits::{Pattern, Word};
use isaglot_invariant::Impossible as _;
use isaglot_source::Span;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::numbers::{Numbers, UseReader, Uses};
use crate::condition::Condition;
use crate::encoding::{Case, Encoding, GenRange, Map};
use crate::field::{EnumType, EnumValue, Field};
use crate::ids::{ExprId, SpaceId, TemplateId};
use crate::isa::Isa;
use crate::limits::MAX_SHARED_PARTS;
use crate::names::Names;
use crate::operand::{Flow, Operand};
use crate::semantics::Semantics;
use crate::shared::Shared;
use crate::template::{Template, TemplatePart};

/// Bytes of text that count as one part.
const PART_BYTES: usize = 32;

/// All that is shared, and what is written as runs of bytes.
#[derive(Serialize, Deserialize)]
pub(super) struct Pools<'b> {
    #[serde(borrow)]
    names: Texts<'b>,
    #[serde(borrow)]
    traits: Pool<'b, Traits>,
    #[serde(borrow)]
    fields: Lists<'b, Field>,
    #[serde(borrow)]
    operands: Lists<'b, Operand>,
    #[serde(borrow)]
    except: Lists<'b, Pattern>,
    #[serde(borrow)]
    conditions: Pool<'b, Condition>,
    #[serde(borrow)]
    enums: Enums<'b>,
    #[serde(borrow)]
    templates: Templates<'b>,
    #[serde(borrow)]
    literals: Literals<'b>,
    #[serde(borrow)]
    texts: Texts<'b>,
}

/// What encodings beside each other mostly have alike.
#[derive(Clone, Serialize, Deserialize)]
struct Traits {
    space: SpaceId,
    width: u32,
    dont_care: Word,
    rank: u32,
    gens: GenRange,
    own_gens: GenRange,
    flow: Flow,
    opens: Vec<ExprId>,
    semantics: Option<Semantics>,
    maps: Vec<Map>,
    meta: Vec<(String, String)>,
    doc: String,
}

impl Traits {
    /// Those of an encoding, which has none of them from then on.
    fn take(e: &mut Encoding) -> Traits {
        let none = Encoding::default();
        Traits {
            space: e.space,
            width: e.width,
            dont_care: std::mem::replace(&mut e.dont_care, none.dont_care),
            rank: e.rank,
            gens: e.gens,
            own_gens: e.own_gens,
            flow: e.flow,
            opens: std::mem::take(&mut e.opens),
            semantics: e.semantics.take(),
            maps: std::mem::take(&mut e.maps),
            meta: std::mem::take(&mut e.meta),
            doc: std::mem::take(&mut e.doc),
        }
    }

    fn put(self, e: &mut Encoding) {
        let Traits { space, width, dont_care, rank, gens, own_gens, flow, opens, semantics, maps, meta, doc } = self;
        (e.space, e.width, e.dont_care, e.rank) = (space, width, dont_care, rank);
        (e.gens, e.own_gens, e.flow, e.opens) = (gens, own_gens, flow, opens);
        (e.semantics, e.maps, e.meta, e.doc) = (semantics, maps, meta, doc);
    }

    /// How many parts they count as.
    fn size(&self) -> usize {
        let meta: usize = self.meta.iter().map(|(name, text)| 1 + (name.len() + text.len()) / PART_BYTES).sum();
        let maps: usize = self.maps.iter().map(|map| 1 + (map.text.len() + map.language.len()) / PART_BYTES).sum();
        let semantics = self.semantics.as_ref().map_or(0, |semantics| semantics.text.len());
        1 + self.opens.len() + meta + maps + (semantics + self.doc.len()) / PART_BYTES
    }
}

/// Numbers values as they come first.
struct Known<K>(FxHashMap<K, u64>);

impl<K: Hash + Eq> Known<K> {
    fn new() -> Known<K> {
        Known(FxHashMap::default())
    }

    /// The number of a value; where it is new, `add` is told.
    fn number(&mut self, key: K, add: impl FnOnce()) -> u64 {
        let next = self.0.len() as u64;
        *self.0.entry(key).or_insert_with(|| {
            add();
            next
        })
    }
}

/// How many parts may still be made.
struct Room(usize);

impl Room {
    fn take(&mut self, parts: usize) -> Option<()> {
        self.0 = self.0.checked_sub(parts)?;
        Some(())
    }
}

/// Values, and which of them each part has.
#[derive(Serialize, Deserialize)]
struct Pool<'b, T> {
    values: Vec<T>,
    #[serde(borrow)]
    uses: Uses<'b>,
}

impl<T: Clone + Serialize> Pool<'_, T> {
    fn of(parts: impl Iterator<Item = T>) -> Self {
        let (mut values, mut uses, mut known) = (Vec::new(), Uses::default(), Known::new());
        for part in parts {
            uses.push(known.number(bytes(&part), || values.push(part)));
        }
        Pool { values, uses }
    }
}

impl<T: Clone> Pool<'_, T> {
    /// Gives each part its value by `put`; `None` if there are more or fewer uses than parts, or one of a value that does not exist, or
    /// if the values come to more than there is room for.
    fn put<P>(
        &self,
        parts: impl Iterator<Item = P>,
        room: &mut Room,
        size: impl Fn(&T) -> usize,
        put: impl Fn(P, T),
    ) -> Option<()> {
        let sizes: Vec<usize> = self.values.iter().map(size).collect();
        let mut uses = self.uses.read();
        for part in parts {
            let number = uses.next()?;
            room.take(*sizes.get(number)?)?;
            put(part, self.values.get(number)?.clone());
        }
        uses.ended().then_some(())
    }
}

/// Lists that differ, and which of them each part has.
#[derive(Serialize, Deserialize)]
struct Lists<'b, T> {
    #[serde(borrow)]
    lengths: Numbers<'b>,
    all: Vec<T>,
    #[serde(borrow)]
    uses: Uses<'b>,
}

impl<T: Clone + Serialize> Lists<'_, T> {
    fn of<'p>(parts: impl Iterator<Item = &'p mut Shared<T>>) -> Self
    where
        T: 'p,
    {
        let mut lists = Lists { lengths: Numbers::default(), all: Vec::new(), uses: Uses::default() };
        let mut known = Known::new();
        for part in parts {
            let add = || {
                lists.lengths.push(part.len() as u64);
                lists.all.extend_from_slice(part);
            };
            let number = known.number(bytes(&&**part), add);
            lists.uses.push(number);
        }
        lists
    }
}

impl<T> Lists<'_, T> {
    /// Gives each part its list, as [`Pool::put`] does.
    fn put<'p>(self, parts: impl Iterator<Item = &'p mut Shared<T>>, room: &mut Room) -> Option<()>
    where
        T: 'p,
    {
        let lists = cut(Arc::new(self.all), &self.lengths)?;
        let mut uses = self.uses.read();
        for part in parts {
            let list = lists.get(uses.next()?)?;
            room.take(list.len())?;
            part.clone_from(list);
        }
        uses.ended().then_some(())
    }
}

/// The parts of a list that have these lengths, one after the other; `None` if they are not all of it.
fn cut<T>(all: Arc<Vec<T>>, lengths: &Numbers<'_>) -> Option<Vec<Shared<T>>> {
    let mut from = 0usize;
    let mut lists = Vec::new();
    for length in lengths.read() {
        let to = from.checked_add(usize::try_from(length).ok()?).filter(|&to| to <= all.len())?;
        lists.push(Shared::part(&all, from, to));
        from = to;
    }
    (from == all.len()).then_some(lists)
}

/// Texts that differ, one after the other.
#[derive(Default, Serialize, Deserialize)]
struct Texts<'b> {
    #[serde(borrow)]
    lengths: Numbers<'b>,
    #[serde(borrow)]
    all: Cow<'b, str>,
    #[serde(borrow)]
    uses: Uses<'b>,
}

impl Texts<'_> {
    fn of<'p>(parts: impl Iterator<Item = &'p mut Arc<str>>) -> Self {
        let (mut texts, mut known) = (Texts::default(), Known::new());
        for part in parts {
            let add = || {
                texts.lengths.push(part.len() as u64);
                texts.all.to_mut().push_str(part);
            };
            let number = known.number(Arc::clone(part), add);
            texts.uses.push(number);
        }
        texts
    }

    fn of_names(names: &Names) -> Self {
        let mut texts = Texts::default();
        for name in names.iter() {
            texts.lengths.push(name.len() as u64);
            texts.all.to_mut().push_str(name);
        }
        texts
    }

    fn names(&self) -> Option<Names> {
        let (mut ends, mut end) = (Vec::new(), 0u32);
        for length in self.lengths.read() {
            end = end.checked_add(u32::try_from(length).ok()?)?;
            ends.push(end);
        }
        Names::of(self.all.clone().into_owned(), ends)
    }

    fn values(&self) -> Option<Vec<Arc<str>>> {
        let mut rest: &str = &self.all;
        let mut values = Vec::new();
        for length in self.lengths.read() {
            let (text, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            values.push(Arc::from(text));
            rest = after;
        }
        rest.is_empty().then_some(values)
    }
}

/// Gives each part its text.
fn put_texts<'p>(
    texts: &[Arc<str>],
    uses: &mut UseReader<'_>,
    parts: impl Iterator<Item = &'p mut Arc<str>>,
) -> Option<()> {
    for part in parts {
        part.clone_from(texts.get(uses.next()?)?);
    }
    Some(())
}

/// Bytes of templates that differ, one after the other.
#[derive(Default, Serialize, Deserialize)]
struct Literals<'b> {
    #[serde(borrow)]
    lengths: Numbers<'b>,
    #[serde(borrow)]
    all: Cow<'b, [u8]>,
    #[serde(borrow)]
    uses: Uses<'b>,
}

impl Literals<'_> {
    fn of<'p>(parts: impl Iterator<Item = &'p mut Shared<u8>>) -> Self {
        let (mut literals, mut known) = (Literals::default(), Known::new());
        for part in parts {
            let add = || {
                literals.lengths.push(part.len() as u64);
                literals.all.to_mut().extend_from_slice(part);
            };
            let number = known.number(part.clone(), add);
            literals.uses.push(number);
        }
        literals
    }

    fn put<'p>(&self, parts: impl Iterator<Item = &'p mut Shared<u8>>) -> Option<()> {
        let lists = cut(Arc::new(self.all.to_vec()), &self.lengths)?;
        let mut uses = self.uses.read();
        for part in parts {
            part.clone_from(lists.get(uses.next()?)?);
        }
        uses.ended().then_some(())
    }
}

/// The entries of enums, but for their texts.
#[derive(Default, Serialize, Deserialize)]
struct Enums<'b> {
    /// How many entries each has.
    #[serde(borrow)]
    lengths: Numbers<'b>,
    #[serde(borrow)]
    values: Numbers<'b>,
    /// Names for generated code, by the number of the entry among all.
    names: Vec<(u32, String)>,
}

impl Enums<'_> {
    fn of(enums: &[EnumType]) -> Self {
        let mut all = Enums::default();
        for (number, value) in enums.iter().flat_map(|ty| &ty.values).enumerate() {
            all.values.push(value.value);
            all.names.extend(value.name.clone().map(|name| (number as u32, name)));
        }
        all.lengths.extend(enums.iter().map(|ty| ty.values.len() as u64));
        all
    }

    /// Gives each enum its entries; `texts` has their texts, and `uses` says which each has.
    fn put(self, enums: &mut [EnumType], texts: &[Arc<str>], uses: &mut UseReader<'_>) -> Option<()> {
        let (mut lengths, mut values) = (self.lengths.read(), self.values.read());
        let (mut names, mut number) = (self.names.into_iter().peekable(), 0);
        for ty in enums {
            let length = usize::try_from(lengths.next()?).ok()?;
            // Each takes a byte or more.
            ty.values.reserve_exact(length.min(values.left()));
            for _ in 0..length {
                let name = names.next_if(|name| name.0 == number).map(|name| name.1);
                let display = texts.get(uses.next()?)?.clone();
                ty.values.push(EnumValue { value: values.next()?, display, name, span: Span::NOWHERE });
                number += 1;
            }
        }
        (lengths.ended() && values.ended() && names.next().is_none()).then_some(())
    }
}

/// Templates: the parts that differ, the lists of parts that do, and which of them each template has.
#[derive(Default, Serialize, Deserialize)]
struct Templates<'b> {
    /// Without the texts in them.
    parts: Vec<TemplatePart>,
    /// Which part each place of a list has.
    #[serde(borrow)]
    places: Uses<'b>,
    #[serde(borrow)]
    lengths: Numbers<'b>,
    #[serde(borrow)]
    uses: Uses<'b>,
}

impl Templates<'_> {
    fn of(templates: &[Template]) -> Self {
        let (mut all, mut known, mut lists) = (Templates::default(), Known::new(), Known::new());
        for template in templates {
            let add = || {
                all.lengths.push(template.parts.len() as u64);
                for part in &template.parts {
                    let number = known.number(part.clone(), || all.parts.push(part.clone()));
                    all.places.push(number);
                }
            };
            let number = lists.number(template.parts.clone(), add);
            all.uses.push(number);
        }
        all
    }

    fn templates(&self) -> Option<Vec<Template>> {
        let places = self.places.read();
        let mut all = Vec::with_capacity(places.left());
        for number in places {
            all.push(self.parts.get(number)?.clone());
        }
        let lists = cut(Arc::new(all), &self.lengths)?;
        let template = |number: usize| Some(Template { parts: lists.get(number)?.clone(), span: Span::NOWHERE });
        self.uses.read().map(template).collect()
    }
}

impl Pools<'_> {
    /// Those of a model, which has none of what they hold from then on.
    pub(super) fn of(isa: &mut Isa) -> Pools<'static> {
        let mut templates = Templates::of(&std::mem::take(&mut isa.templates));
        let texts = texts(&mut isa.encodings).chain(displays(&mut isa.enums)).chain(references(&mut templates.parts));
        let texts = Texts::of(texts);
        let enums = Enums::of(&isa.enums);
        isa.enums.iter_mut().for_each(|ty| ty.values.clear());
        Pools {
            names: Texts::of_names(&std::mem::take(&mut isa.names)),
            traits: Pool::of(isa.encodings.iter_mut().map(Traits::take)),
            fields: Lists::of(fields(isa)),
            operands: Lists::of(operands(isa)),
            except: Lists::of(except(isa)),
            conditions: Pool::of(conditions(isa).map(|condition| condition.clone())),
            enums,
            literals: Literals::of(literals(&mut templates.parts)),
            templates,
            texts,
        }
    }

    /// Gives a model what it shares; `None` if that does not fit.
    pub(super) fn put(mut self, isa: &mut Isa) -> Option<()> {
        let mut room = Room(MAX_SHARED_PARTS);
        isa.names = self.names.names()?;
        self.traits.put(isa.encodings.iter_mut(), &mut room, Traits::size, |e, traits| traits.put(e))?;
        self.fields.put(fields(isa), &mut room)?;
        self.operands.put(operands(isa), &mut room)?;
        self.except.put(except(isa), &mut room)?;
        self.conditions.put(conditions(isa), &mut room, nodes, |part, condition| *part = condition)?;
        let (values, mut uses) = (self.texts.values()?, self.texts.uses.read());
        put_texts(&values, &mut uses, texts(&mut isa.encodings))?;
        self.enums.put(&mut isa.enums, &values, &mut uses)?;
        put_texts(&values, &mut uses, references(&mut self.templates.parts))?;
        self.literals.put(literals(&mut self.templates.parts))?;
        isa.templates = self.templates.templates()?;
        // What a check of the model walks over.
        let length = |id: TemplateId| isa.templates.get(id.index()).map(|template| template.parts.len());
        let mut cases = isa.encodings.iter().flat_map(|e| &e.cases);
        cases.try_for_each(|case| room.take(case.template.and_then(length).unwrap_or(0)))?;
        uses.ended().then_some(())
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

/// What is written of a value: all but places in the sources.
fn bytes<T: Serialize>(value: &T) -> Vec<u8> {
    // Nothing of a model can fail to be written to a vector.
    postcard::to_allocvec(value).or_impossible_default()
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

fn literals(parts: &mut [TemplatePart]) -> impl Iterator<Item = &mut Shared<u8>> {
    parts.iter_mut().filter_map(|part| match part {
        TemplatePart::Literal(text) => Some(text),
        _ => None,
    })
}

/// The texts of encodings and their cases.
fn texts(encodings: &mut [Encoding]) -> impl Iterator<Item = &mut Arc<str>> {
    encodings.iter_mut().flat_map(|e| once(&mut e.display_name).chain(e.cases.iter_mut().map(|case| &mut case.owner)))
}

/// Those of the entries of enums, which come after them.
fn displays(enums: &mut [EnumType]) -> impl Iterator<Item = &mut Arc<str>> {
    enums.iter_mut().flat_map(|ty| &mut ty.values).map(|value| &mut value.display)
}

/// Those of parts of templates, which are the last.
fn references(parts: &mut [TemplatePart]) -> impl Iterator<Item = &mut Arc<str>> {
    parts.iter_mut().filter_map(|part| match part {
        TemplatePart::Field { reference, .. } | TemplatePart::Mnemonic { reference, .. } => Some(reference),
        _ => None,
    })
}
