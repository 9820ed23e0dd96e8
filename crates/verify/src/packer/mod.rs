//! The packer: whether what `<encode>` and `<map>` say gives back the words that are decoded.
//!
//! The problem: a map is text in another program's language, so a reader of XML passes over it, and a mistake shows when that
//! program packs a wrong word. The method: [`reach`] says which fields a packer fills, [`term`] reads the maps, and [`value`]
//! follows single bits from a place in the program's data to the word. A word that has a bit which no data gives, or two
//! bits that come from one place and differ, is a word for which `pack(unpack(word))` is not the word; it is the witness.
//! What a type or a function of the other program does is not known, so a finding never rests on that.

mod names;
mod reach;
mod term;
mod value;

use isaglot_model::{Encoding, EncodingId, Field, FieldType, Isa, Map, Name, SpaceId};
use isaglot_source::{Diagnostic, Severity, Span};
use rustc_hash::FxHashMap;

use crate::leaf::Leaf;
use crate::limits;
use crate::report::Witness;
use reach::Branch;
use term::{Kind, Term};
use value::Bit;

/// All findings about packers, in the order of the description.
pub(crate) fn packer(isa: &Isa, generation: Option<u32>) -> Vec<Diagnostic> {
    let mut check = Check { isa, generation, terms: FxHashMap::default(), uses: FxHashMap::default(), out: Vec::new() };
    check.passed_names();
    for (i, space) in isa.spaces().iter().enumerate() {
        for encode in &space.encode {
            check.space(SpaceId(i as u32), &encode.language);
        }
    }
    let mut out = check.out;
    out.sort_by_key(|d| (d.span().map(|s| (s.file.0, s.start)), d.code));
    out.dedup();
    out
}

/// What is known of a map over all leaves that have it.
#[derive(Default)]
struct MapUse {
    /// A leaf below it has a field of its name.
    is_field: bool,
    /// In a leaf with such a field it is the one that counts.
    counts: bool,
    /// A packer evaluates it.
    is_reached: bool,
}

struct Check<'a> {
    isa: &'a Isa,
    generation: Option<u32>,
    /// What a map says, by its place; `None` if it cannot be read.
    terms: FxHashMap<Span, Option<std::rc::Rc<Term>>>,
    /// By space, the names that are passed to it, with the field that passes.
    uses: FxHashMap<SpaceId, Vec<Name>>,
    out: Vec<Diagnostic>,
}

/// A field with what it is packed from.
struct Filled<'a> {
    name: Name,
    field: &'a Field,
    map: &'a Map,
    term: std::rc::Rc<Term>,
    bits: Vec<Bit>,
}

impl<'a> Check<'a> {
    fn passed_names(&mut self) {
        for field in self.isa.encodings().iter().flat_map(|e| &e.cases).flat_map(|c| &c.fields) {
            if let FieldType::Sub(space) = field.ty {
                let names = self.uses.entry(space).or_default();
                field.params.iter().for_each(|p| names.push(p.as_name));
            }
        }
    }

    fn term(&mut self, map: &Map) -> Option<std::rc::Rc<Term>> {
        let read = || term::parse(&map.text).map(std::rc::Rc::new);
        self.terms.entry(map.span).or_insert_with(read).clone()
    }

    fn space(&mut self, id: SpaceId, language: &str) {
        let isa = self.isa;
        let mut uses: FxHashMap<Span, (&'a Map, MapUse)> = FxHashMap::default();
        let mut unfilled: Vec<(&'a Field, Vec<EncodingId>, bool)> = Vec::new();
        for &leaf in &isa[id].encodings {
            let encoding = &isa[leaf];
            if self.generation.is_some_and(|g| !encoding.gens.contains(g)) {
                continue;
            }
            let branches = reach::branches(isa, encoding, language);
            let fields = encoding.field_names();
            for map in encoding.maps.iter().filter(|m| m.language == language) {
                let known = &mut uses.entry(map.span).or_insert_with(|| (map, MapUse::default())).1;
                let is_field = fields.contains(&map.name) || self.is_passed(id, map.name);
                let counts = reach::map(encoding, map.name, language).is_some_and(|m| m.span == map.span);
                known.is_field |= is_field;
                known.counts |= is_field && counts;
                known.is_reached |= counts && branches.iter().flat_map(|b| &b.packed).any(|p| p.name == map.name);
            }
            self.leaf(leaf, &branches, language);
            not_packed(encoding, &branches, language, leaf, &mut unfilled);
        }
        let mut uses: Vec<(&Map, MapUse)> = uses.into_values().collect();
        uses.sort_by_key(|(map, _)| (map.span.file.0, map.span.start));
        for (map, known) in uses {
            self.map(id, map, &known, language);
        }
        for (field, leaves, has_map) in unfilled {
            self.unfilled(field, &leaves, has_map);
        }
        self.majority(id, language);
    }

    fn is_passed(&self, space: SpaceId, name: Name) -> bool {
        self.uses.get(&space).is_some_and(|names| names.contains(&name))
    }

    /// What is wrong with a map by itself.
    fn map(&mut self, space: SpaceId, map: &Map, known: &MapUse, language: &str) {
        let isa = self.isa;
        let name = isa.text(map.name);
        let severity = if known.is_reached { Severity::Error } else { Severity::Warning };
        let term = self.term(map);
        match &term {
            None if language == "c" => {
                let message = format!("the map of `{name}` is not an expression of C");
                let d = Diagnostic::new(severity, "verify-map-syntax", message);
                self.out.push(d.label(map.span, "cannot be read").note(format!("it is {}", one_line(&map.text))));
            }
            Some(term) if language == "c" => {
                let mut roots = Vec::new();
                term.roots(&mut roots);
                for root in roots.iter().filter(|root| !is_known(root)) {
                    let message = format!("the map of `{name}` uses `{root}`, which a packer does not have");
                    let d = Diagnostic::new(severity, "verify-map-root", message).label(map.span, "in this map");
                    let d = d.did_you_mean(isaglot_source::closest(root, ROOTS));
                    self.out.push(d.note(format!("a packer has {}", ROOTS.map(|r| format!("`{r}`")).join(", "))));
                }
            }
            _ => {}
        }
        let mut passed = Vec::new();
        if let Some(term) = &term {
            term.passed(&mut passed);
        }
        for wanted in passed {
            let is_there = isa.names().get(wanted).is_some_and(|name| self.is_passed(space, name));
            if !is_there {
                let message = format!("the map of `{name}` uses `p->{wanted}`, which no field passes");
                let d = Diagnostic::new(severity, "verify-map-param", message).label(map.span, "in this map");
                self.out.push(d.note(format!(
                    "expected `<param name=\"…\" as=\"{wanted}\"/>` in the fields of type `{}`",
                    isa.text(isa[space].name)
                )));
            }
        }
        if !known.is_field {
            let message = format!("no field is called `{name}` where this map applies");
            let d = Diagnostic::warning("verify-map-unused", message).label(map.span, "has no effect");
            let names = isa[space].encodings.iter().flat_map(|&e| isa[e].field_names());
            let names: Vec<&str> = names.map(|n| isa.text(n)).collect();
            self.out.push(d.did_you_mean(isaglot_source::closest(name, names)));
        } else if !known.counts {
            let message = format!("every leaf that has `{name}` has another map for it");
            self.out
                .push(Diagnostic::warning("verify-map-unused", message).label(map.span, "never the one that counts"));
        } else if !known.is_reached {
            let message = format!("nothing reaches the map of `{name}`");
            let d = Diagnostic::warning("verify-map-unused", message).label(map.span, "has no effect: the bits stay 0");
            self.out.push(
                d.note("a packer fills the fields that a display shows, and those whose map has `force=\"true\"`"),
            );
        }
    }

    fn unfilled(&mut self, field: &Field, leaves: &[EncodingId], has_map: bool) {
        let isa = self.isa;
        let name = isa.text(field.name);
        let shown: Vec<String> =
            leaves.iter().take(limits::SHOWN_NAMES).map(|&id| format!("`{}`", isa.text(isa[id].name))).collect();
        let more = leaves.len().saturating_sub(limits::SHOWN_NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let d = Diagnostic::new(Severity::Note, "verify-map-unfilled", format!("a packer leaves `{name}` 0"));
        let d = d.label(field.span, if has_map { "it has a map, but nothing reaches it" } else { "no map fills it" });
        self.out.push(d.note(format!("in {}{more}", shown.join(", "))));
    }

    /// What is wrong with the fields of a leaf together.
    fn leaf(&mut self, id: EncodingId, branches: &[Branch<'a>], language: &str) {
        let isa = self.isa;
        let encoding = &isa[id];
        for branch in branches {
            let mut filled: Vec<Filled<'a>> = Vec::new();
            for packed in &branch.packed {
                let Some(map) = reach::map(encoding, packed.name, language) else {
                    self.no_map(encoding, packed);
                    continue;
                };
                let Some(term) = self.term(map) else { continue };
                for &field in &packed.fields {
                    let bits = match field.ty {
                        FieldType::Sub(space) => vec![Bit::Of(format!("{}:{}", space.0, term.text).into(), 0, false)],
                        _ => value::bits(&term),
                    };
                    filled.push(Filled { name: packed.name, field, map, term: term.clone(), bits });
                }
            }
            filled.iter().for_each(|f| self.field(id, f));
            self.together(id, &filled);
            names::check(isa, encoding, &filled, &mut self.out);
        }
    }

    fn no_map(&mut self, encoding: &Encoding, packed: &reach::Packed<'a>) {
        let isa = self.isa;
        let Some(field) = packed.fields.first().filter(|_| !packed.is_value_only) else {
            // A value that only expressions need is passed from outside, or is missing for a decoder too.
            return;
        };
        let name = isa.text(packed.name);
        let message = format!("nothing says what `{name}` is packed from");
        let d = Diagnostic::error("verify-map-missing", message).label(field.span, "this field has no map");
        let known = self.out.iter().any(|o| o.code == d.code && o.span() == d.span());
        if !known {
            let message = format!("`{}` is packed with it", isa.text(encoding.name));
            let d = d.secondary(encoding.span, message);
            self.out.push(d.note(format!("expected `<map name=\"{name}\">…</map>` in the <encode> here or above")));
        }
    }

    /// What is wrong with one field and its map.
    fn field(&mut self, id: EncodingId, filled: &Filled<'a>) {
        let field = filled.field;
        if matches!(field.ty, FieldType::Sub(_)) || field.width as usize > value::BITS {
            return;
        }
        let name = self.isa.text(filled.name);
        let width = field.width as usize;
        let (inside, above) = filled.bits.split_at(width);
        let is_open = inside.iter().any(|b| !matches!(b, Bit::Zero | Bit::One));
        let is_signed = is_signed(field);
        if is_open && let Some(never) = inside.iter().position(|b| *b == Bit::Zero) {
            let message =
                format!("no data sets bit {never} of `{name}`: its map has {} bits", significant(&filled.bits));
            let d =
                Diagnostic::warning("verify-map-narrow", message).label(filled.map.span, one_line(&filled.map.text));
            let d = d.secondary(field.span, format!("the field has {width} bits"));
            self.witnessed(d, id, filled, never);
        }
        // A mask or a cast ends the value; where it ends above the field, such values are refused or cut.
        let top = significant(&filled.bits);
        if is_open && top > width && top < 32 {
            let message = format!("`{name}` has {width} bits, its map gives {top}");
            let d = Diagnostic::warning("verify-map-wide", message).label(filled.map.span, one_line(&filled.map.text));
            self.out.push(d.secondary(field.span, "the values above do not fit"));
        }
        let is_unsigned_value = above.iter().all(|b| *b == Bit::Zero) && inside.last().is_some_and(|b| *b != Bit::Zero);
        if is_signed && is_open && is_unsigned_value && width > 1 {
            let message = format!("`{name}` is signed, its map is not: negative numbers cannot be packed");
            let d = Diagnostic::warning("verify-map-sign", message).label(filled.map.span, one_line(&filled.map.text));
            let d = d.secondary(field.span, "signed here");
            self.witnessed(d, id, filled, width - 1);
        }
        if let Kind::Call(function, _) = &filled.term.kind
            && is_signed
            && names::is_unsigned(function)
        {
            let message = format!("`{name}` is signed, but `{function}` gives unsigned numbers");
            let d = Diagnostic::warning("verify-map-sign", message).label(filled.map.span, "packed by this");
            let d = d.secondary(field.span, "signed here");
            self.witnessed(d, id, filled, width - 1);
        }
    }

    /// Two fields from one place, and places of which a part goes nowhere.
    fn together(&mut self, id: EncodingId, filled: &[Filled<'a>]) {
        let mut slices: FxHashMap<&str, Vec<(u32, &Filled<'a>)>> = FxHashMap::default();
        for (i, a) in filled.iter().enumerate() {
            let is_sub = matches!(a.field.ty, FieldType::Sub(_));
            for (at, bit) in a.bits.iter().take(if is_sub { 1 } else { a.field.width as usize }).enumerate() {
                let Bit::Of(place, of, inverted) = bit else { continue };
                if !is_sub {
                    slices.entry(place).or_default().push((*of, a));
                }
                for b in filled.iter().skip(i + 1).filter(|b| b.name != a.name) {
                    let other = b.bits.iter().take(if matches!(b.field.ty, FieldType::Sub(_)) {
                        1
                    } else {
                        b.field.width as usize
                    });
                    let found =
                        other.enumerate().find(|(_, bit)| matches!(bit, Bit::Of(p, o, _) if p == place && o == of));
                    if let Some((bt, Bit::Of(_, _, other))) = found {
                        self.twice(id, (a, at), (b, bt), inverted == other);
                    }
                }
            }
        }
        let mut slices: Vec<_> = slices.into_iter().collect();
        slices.sort_by_key(|s| s.0);
        for (place, mut parts) in slices {
            parts.sort_by_key(|p| p.0);
            let gap = parts.windows(2).find(|pair| pair[1].0 > pair[0].0 + 1);
            if let Some([(below, low), (above, high)]) = gap {
                let bits = if above - below == 2 {
                    format!("bit {}", below + 1)
                } else {
                    format!("bits {} to {}", below + 1, above - 1)
                };
                let d = Diagnostic::warning("verify-map-gap", format!("no field takes {bits} of `{place}`"));
                let d = d.label(high.map.span, format!("takes bits from {above} on"));
                self.push_new(d.secondary(low.map.span, format!("ends with bit {below}")));
            }
        }
    }

    fn twice(&mut self, id: EncodingId, (a, at): (&Filled<'a>, usize), (b, bt): (&Filled<'a>, usize), same: bool) {
        let isa = self.isa;
        let (one, two) = (isa.text(a.name), isa.text(b.name));
        let known = self.out.iter().any(|d| {
            d.code == "verify-map-twice" && d.labels.iter().all(|l| l.span == a.map.span || l.span == b.map.span)
        });
        if known {
            return;
        }
        let message = format!("`{one}` and `{two}` are packed from the same data");
        let d = Diagnostic::warning("verify-map-twice", message);
        let d = d.label(b.map.span, one_line(&b.map.text)).secondary(a.map.span, one_line(&a.map.text));
        let is_sub = |f: &Filled<'_>| matches!(f.field.ty, FieldType::Sub(_));
        // Of a nested value any bit will do; its lowest.
        let (at, bt) = (if is_sub(a) { 0 } else { at }, if is_sub(b) { 0 } else { bt });
        let witness = self.words(id, &[(a, at, true), (b, bt, !same)]);
        // Where they are the same bits of the word there is nothing that could differ.
        if let Some(witness) = witness {
            self.out.push(d.note(lost(&witness, isa, id)));
        }
    }

    /// Tells it with a word in which this bit of the field is set. Without such a word another part of the description excludes
    /// the value, unless that depends on what encloses the leaf.
    fn witnessed(&mut self, d: Diagnostic, id: EncodingId, filled: &Filled<'a>, bit: usize) {
        if self.out.iter().any(|o| o.code == d.code && o.span() == d.span()) {
            return;
        }
        let is_inner = self.uses.get(&self.isa[id].space).is_some_and(|names| !names.is_empty());
        match self.words(id, &[(filled, bit, true)]) {
            Some(witness) => {
                let note = lost(&witness, self.isa, id);
                self.out.push(d.note(note));
            }
            None if is_inner => self.out.push(d),
            None => {}
        }
    }

    fn push_new(&mut self, d: Diagnostic) {
        if !self.out.iter().any(|o| o.code == d.code && o.span() == d.span()) {
            self.out.push(d);
        }
    }

    /// A word of a leaf in which bits of fields have these values.
    fn words(&self, id: EncodingId, wanted: &[(&Filled<'a>, usize, bool)]) -> Option<Witness> {
        let mut leaf = Leaf::new(self.isa, id, self.generation).ok()?;
        let mut words = leaf.when;
        for (filled, bit, value) in wanted {
            let lookup = leaf.scopes.lookup(&mut leaf.sym, 0, filled.name);
            let found = lookup.found.iter().find(|f| leaf.scopes.field(f).span == filled.field.span)?;
            let is = *leaf.scopes.bits(found).get(*bit)?;
            let is = if *value { is } else { leaf.sym.bdd.not(is) };
            let under = leaf.sym.bdd.and(found.when, is);
            words = leaf.sym.bdd.and(words, under);
        }
        // A word without anything else to report, if there is one.
        let clean = leaf.sym.bdd.and(words, leaf.clean);
        let words = if clean.is_false() { words } else { clean };
        leaf.sym.witness(words).map(|(word, generation)| Witness { word, generation })
    }

    /// A map that differs from what all others of its field say.
    fn majority(&mut self, space: SpaceId, language: &str) {
        let isa = self.isa;
        let mut by_name: FxHashMap<Name, Vec<&Map>> = FxHashMap::default();
        for map in isa[space].encodings.iter().flat_map(|&e| &isa[e].maps).filter(|m| m.language == language) {
            let list = by_name.entry(map.name).or_default();
            if list.iter().all(|m| m.span != map.span) {
                list.push(map);
            }
        }
        for (name, list) in by_name {
            let text = |m: &Map| m.text.split_whitespace().collect::<String>();
            for map in &list {
                let others: Vec<&&Map> = list.iter().filter(|m| m.span != map.span).collect();
                let (Some(first), true) = (others.first(), others.len() >= limits::MAJORITY) else { continue };
                if text(first) != text(map) && others.iter().all(|m| text(m) == text(first)) {
                    let message = format!("the map of `{}` differs from all {} others", isa.text(name), others.len());
                    let d = Diagnostic::new(Severity::Note, "verify-map-differs", message);
                    let d = d.label(map.span, one_line(&map.text));
                    self.out.push(d.secondary(first.span, format!("the others say {}", one_line(&first.text))));
                }
            }
        }
    }
}

/// What a packer's expressions can use beside constants and functions.
const ROOTS: [&str; 3] = ["src", "s", "p"];

/// Whether a name is data of the packer, or a constant: an enumerator, a macro.
fn is_known(name: &str) -> bool {
    ROOTS.contains(&name) || matches!(name, "true" | "false") || !name.bytes().any(|b| b.is_ascii_lowercase())
}

/// Whether a packer takes the value as signed.
fn is_signed(field: &Field) -> bool {
    matches!(field.ty, FieldType::Int | FieldType::Offset | FieldType::Branch { absolute: false, .. })
}

/// How many low bits of a value may be set.
fn significant(bits: &[Bit]) -> usize {
    bits.iter().rposition(|b| *b != Bit::Zero).map_or(0, |top| top + 1)
}

/// The text of a map in one line.
fn one_line(text: &str) -> String {
    format!("`{}`", text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn lost(witness: &Witness, isa: &Isa, id: EncodingId) -> String {
    let name = isa.text(isa[id].name);
    format!(
        "0x{} of `{name}` (gen {}) is not packed again from what was decoded",
        witness.word.hex(),
        witness.generation
    )
}

/// Fields of bits that no branch packs, each with the leaves where that is so.
fn not_packed<'a>(
    encoding: &'a Encoding,
    branches: &[Branch<'a>],
    language: &str,
    leaf: EncodingId,
    out: &mut Vec<(&'a Field, Vec<EncodingId>, bool)>,
) {
    if branches.is_empty() {
        return;
    }
    let packed =
        |field: &Field| branches.iter().flat_map(|b| &b.packed).any(|p| p.fields.iter().any(|f| f.span == field.span));
    for case in encoding.cases.iter().filter(|c| c.guard.is_none()) {
        for field in case.fields.iter().filter(|f| f.source.ranges().next().is_some() && !packed(f)) {
            // A definition that a lower level replaces is not packed by right.
            let is_replaced = encoding
                .cases
                .iter()
                .take_while(|c| !std::ptr::eq(*c, case))
                .any(|c| c.guard.is_none() && c.fields.iter().any(|f| f.name == field.name));
            if is_replaced {
                continue;
            }
            match out.iter_mut().find(|(known, ..)| known.span == field.span) {
                Some((_, leaves, _)) => leaves.push(leaf),
                None => out.push((field, vec![leaf], reach::map(encoding, field.name, language).is_some())),
            }
        }
    }
}
