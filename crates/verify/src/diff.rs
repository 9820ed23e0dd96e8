//! Which words mean something else in another description, or for another gen of the same one.
//!
//! For every encoding of the one and every encoding of the other that share words, both are followed in one diagram,
//! and the words are found for which the decoded encoding, the text, what a decoder reports or the value of a field
//! differ. Sets are exact: counts are exact, and an empty difference is a proof that nothing changed.
//!
//! Texts are compared token by token. Where the tokens of a case have another structure, the words of that case count
//! as changed even if the texts should come out the same.

use isaglot_bits::{Count, Pattern, Word};
use isaglot_codec::Plan;
use isaglot_invariant::impossible;
use isaglot_model::{EncodingId, FieldSource, FieldType, GenRange, Isa, Name, Overlap, SpaceId};

use crate::bdd::Ref;
use crate::leaf;
use crate::limits;
use crate::report::Undecided;
use crate::scope::Scopes;
use crate::symbols::Symbols;
use crate::text::{self, Notes, TextToken};

/// One side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The instruction set.
    pub isa: &'a Isa,
    /// The gen; all if `None`, which both sides must then be.
    pub generation: Option<u32>,
}

/// In what way words changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// Only the first side has an instruction there.
    Disappears,
    /// Only the second side has an instruction there.
    Appears,
    /// Another encoding.
    Encoding,
    /// Another text, or another report of what is wrong with the word.
    Text,
    /// The same text, but a field with another value.
    Fields,
}

impl ChangeKind {
    /// `disappears`, `appears`, `encoding`, `text` or `fields`.
    pub fn name(self) -> &'static str {
        match self {
            ChangeKind::Disappears => "disappears",
            ChangeKind::Appears => "appears",
            ChangeKind::Encoding => "encoding",
            ChangeKind::Text => "text",
            ChangeKind::Fields => "fields",
        }
    }
}

/// Words that changed in one way, for gens that agree about them.
#[derive(Clone, Debug)]
pub struct Change {
    /// The way.
    pub kind: ChangeKind,
    /// What they are on the first side.
    pub a: Option<EncodingId>,
    /// What they are on the second side.
    pub b: Option<EncodingId>,
    /// The gens, where both sides are for all gens.
    pub gens: Option<GenRange>,
    /// How many words, exactly.
    pub count: Count,
    /// The largest of the disjoint patterns that make them up.
    pub patterns: Vec<Pattern>,
    /// Whether these are all patterns.
    pub complete: bool,
    /// One of the words.
    pub sample: Word,
}

/// The difference of two sides.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// All changes, by encoding of the first side, then what appears.
    pub changes: Vec<Change>,
    /// What was not decided.
    pub undecided: Vec<Undecided>,
}

/// Compares the instruction spaces of two sides. Features are as they are by default.
///
/// # Errors
/// A sentence, if the two cannot be compared.
pub fn diff(a: Side<'_>, b: Side<'_>, progress: &mut dyn FnMut(usize, usize)) -> Result<Difference, String> {
    diff_of(a, b, &|_, _| true, progress)
}

/// The same, where only some encodings can have changed. What shares words with one of them is looked at, too.
///
/// # Errors
/// A sentence, if the two cannot be compared.
pub fn diff_of(
    a: Side<'_>,
    b: Side<'_>,
    touched: &dyn Fn(&Isa, EncodingId) -> bool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Difference, String> {
    if a.generation.is_some() != b.generation.is_some() {
        return Err("a gen must be given for both sides or for none".to_owned());
    }
    let (space_a, space_b) = (a.isa.root(), b.isa.root());
    let (width_a, width_b) = (a.isa[space_a].width, b.isa[space_b].width);
    if width_a != width_b {
        return Err(format!("instructions have {width_a} bits on the one side and {width_b} on the other"));
    }
    if width_a > limits::SYMBOLIC_BITS {
        return Err(format!("words of more than {} bits are not looked into", limits::SYMBOLIC_BITS));
    }
    let mut out = Difference::default();
    let (of_a, of_b) = (&a.isa[space_a].encodings, &b.isa[space_b].encodings);
    let total = of_a.len() + of_b.len();
    // Who may have changed, on either side, and so what may be taken from others or given to them.
    let changed = |isa: &Isa, list: &[EncodingId]| -> Vec<Pattern> {
        list.iter().filter(|&&id| touched(isa, id)).map(|&id| isa[id].pattern.clone()).collect()
    };
    let mut patterns = changed(a.isa, of_a);
    patterns.extend(changed(b.isa, of_b));
    let matters = |isa: &Isa, id: EncodingId| {
        let pattern = &isa[id].pattern;
        touched(isa, id) || patterns.iter().any(|p| p.width() == pattern.width() && p.overlaps(pattern))
    };
    for (i, &id) in of_a.iter().enumerate() {
        progress(i, total);
        if matters(a.isa, id) {
            Comparison::new(a, b, width_a).first(id, space_b, &mut out);
        }
    }
    for (i, &id) in of_b.iter().enumerate() {
        progress(of_a.len() + i, total);
        if matters(b.isa, id) {
            Comparison::new(a, b, width_a).second(id, space_a, &mut out);
        }
    }
    progress(total, total);
    Ok(out)
}

/// One encoding against all of the other side.
struct Comparison<'a> {
    a: Side<'a>,
    b: Side<'a>,
    sym: Symbols,
}

/// An encoding followed on its side.
struct Followed<'a> {
    scopes: Scopes<'a>,
    tokens: Vec<TextToken>,
    clean: Ref,
}

/// The features of a set as they are by default.
fn features(isa: &Isa) -> Vec<Ref> {
    Plan::new(isa, 0).numbers().features.iter().map(|&on| Ref::constant(on)).collect()
}

impl<'a> Comparison<'a> {
    fn new(a: Side<'a>, b: Side<'a>, width: u32) -> Comparison<'a> {
        Comparison { a, b, sym: Symbols::new(width, a.generation, 0) }
    }

    /// The words that are decoded as an encoding: those it matches, without those that conflict or go to another.
    fn decoded(&mut self, side: Side<'a>, id: EncodingId) -> Ref {
        self.sym.set_generation(side.generation);
        let (isa, features) = (side.isa, features(side.isa));
        let e = &isa[id];
        let mut words = leaf::words(isa, &mut self.sym, id, &features);
        if e.space == isa.root() && !isa.format().lengths.is_empty() {
            let length = self.has_length(isa, e.width);
            words = self.sym.bdd.and(words, length);
        }
        let space = &isa[e.space];
        for &other in &space.encodings {
            let rival = &isa[other];
            if other == id || rival.width != e.width || !rival.pattern.overlaps(&e.pattern) {
                continue;
            }
            let takes = match space.overlap {
                Overlap::Conflict => true,
                Overlap::MostSpecific => (rival.precedence(), other) < (e.precedence(), id),
            };
            if takes {
                let theirs = leaf::words(isa, &mut self.sym, other, &features);
                words = self.sym.bdd.and_not(words, theirs);
            }
        }
        words
    }

    /// When the first parcel gives this length.
    fn has_length(&mut self, isa: &Isa, width: u32) -> Ref {
        let word: Vec<Ref> = (0..isa.format().parcel_bits).map(|bit| self.sym.bit(bit)).collect();
        let (mut earlier, mut is) = (Ref::FALSE, Ref::FALSE);
        for rule in &isa.format().lengths {
            let matches = self.sym.matches(&word, &rule.pattern);
            let first = self.sym.bdd.and_not(matches, earlier);
            if rule.bits == width {
                is = self.sym.bdd.or(is, first);
            }
            earlier = self.sym.bdd.or(earlier, matches);
        }
        is
    }

    /// What became of the words of an encoding of the first side.
    fn first(mut self, id: EncodingId, space: SpaceId, out: &mut Difference) {
        let mut left = self.decoded(self.a, id);
        if left.is_false() {
            return;
        }
        let mut recursive = false;
        let mut followed: Option<Followed<'a>> = None;
        let (a, b) = (self.a, self.b);
        for &other in &b.isa[space].encodings {
            if left.is_false() {
                break;
            }
            if !b.isa[other].pattern.overlaps(&a.isa[id].pattern) {
                continue;
            }
            let theirs = self.decoded(b, other);
            let both = self.sym.bdd.and(left, theirs);
            if both.is_false() {
                continue;
            }
            left = self.sym.bdd.and_not(left, theirs);
            if a.isa.text(a.isa[id].name) != b.isa.text(b.isa[other].name) {
                self.push(ChangeKind::Encoding, Some(id), Some(other), both, out);
                continue;
            }
            let one = followed.get_or_insert_with(|| follow(&mut self.sym, a, id));
            let mut two = follow(&mut self.sym, b, other);
            let text = differ(&mut self.sym, &one.tokens, &two.tokens);
            let reports = self.sym.bdd.xor(one.clean, two.clean);
            let text = self.sym.bdd.or(text, reports);
            let text = self.sym.bdd.and(both, text);
            let fields = fields_differ(&mut self.sym, (a, &mut one.scopes), (b, &mut two.scopes));
            let same_text = self.sym.bdd.and_not(both, text);
            let fields = self.sym.bdd.and(same_text, fields);
            recursive |= one.scopes.recursive || two.scopes.recursive;
            self.push(ChangeKind::Text, Some(id), Some(other), text, out);
            self.push(ChangeKind::Fields, Some(id), Some(other), fields, out);
        }
        self.push(ChangeKind::Disappears, Some(id), None, left, out);
        self.doubts(a.isa, id, recursive, out);
    }

    /// Says so if the answers about an encoding cannot be relied on.
    fn doubts(&self, isa: &Isa, id: EncodingId, recursive: bool, out: &mut Difference) {
        let why = if self.sym.bdd.exhausted() {
            format!("its conditions need more than {} decision-diagram nodes", limits::BDD_NODES)
        } else if recursive {
            "a guard or derived field depends on itself".to_owned()
        } else {
            return;
        };
        let e = &isa[id];
        out.undecided.push(Undecided { what: format!("what became of `{}`", e.display_name), why, span: e.span });
    }

    /// The words of an encoding of the second side that the first had not.
    fn second(mut self, id: EncodingId, space: SpaceId, out: &mut Difference) {
        let (a, b) = (self.a, self.b);
        let mut left = self.decoded(b, id);
        for &other in &a.isa[space].encodings {
            if left.is_false() {
                return;
            }
            if a.isa[other].pattern.overlaps(&b.isa[id].pattern) {
                let theirs = self.decoded(a, other);
                left = self.sym.bdd.and_not(left, theirs);
            }
        }
        self.push(ChangeKind::Appears, None, Some(id), left, out);
        self.doubts(b.isa, id, false, out);
    }

    fn push(
        &mut self,
        kind: ChangeKind,
        a: Option<EncodingId>,
        b: Option<EncodingId>,
        words: Ref,
        out: &mut Difference,
    ) {
        if words.is_false() {
            return;
        }
        let one_gen = self.a.generation.is_some();
        let Some(parts) = self.sym.by_gen(words) else {
            let e = a.map(|id| &self.a.isa[id]).or(b.map(|id| &self.b.isa[id]));
            if let Some(e) = e {
                out.undecided.push(Undecided {
                    what: format!("the gens for which words of `{}` changed ({})", e.display_name, kind.name()),
                    why: format!("more than {} intervals", limits::MAX_GEN_PARTS),
                    span: e.span,
                });
            }
            return;
        };
        for part in parts {
            let Some((sample, _)) = self.sym.witness(part.words) else { return impossible(()) };
            let (patterns, complete) = self.sym.patterns(part.words, limits::SHOWN_PATTERNS);
            let count = self.sym.count_words(part.words);
            let gens = (!one_gen).then_some(part.gens);
            out.changes.push(Change { kind, a, b, gens, count, patterns, complete, sample });
        }
    }
}

fn follow<'a>(sym: &mut Symbols, side: Side<'a>, id: EncodingId) -> Followed<'a> {
    sym.set_generation(side.generation);
    let (mut scopes, when) = leaf::enter(side.isa, sym, id, &features(side.isa));
    let mut notes = Notes::default();
    let tokens = text::text(sym, &mut scopes, 0, when, &mut notes);
    let clean = leaf::clean(sym, &scopes, &notes, when);
    Followed { scopes, tokens, clean }
}

/// When two texts differ.
fn differ(sym: &mut Symbols, x: &[TextToken], y: &[TextToken]) -> Ref {
    let same = x.iter().zip(y).take_while(|(x, y)| x == y).count();
    let (x, y) = (&x[same..], &y[same..]);
    let same = x.iter().rev().zip(y.iter().rev()).take_while(|(x, y)| x == y).count();
    let (x, y) = (&x[..x.len() - same], &y[..y.len() - same]);
    match (x, y) {
        ([], []) => Ref::FALSE,
        ([TextToken::Choice(x)], [TextToken::Choice(y)]) => choices_differ(sym, x, y),
        ([TextToken::Choice(choice)], other) | (other, [TextToken::Choice(choice)]) => {
            let (mut any, mut none) = (Ref::FALSE, Ref::TRUE);
            for (when, tokens) in choice {
                let inside = differ(sym, tokens, other);
                let inside = sym.bdd.and(*when, inside);
                any = sym.bdd.or(any, inside);
                none = sym.bdd.and_not(none, *when);
            }
            if other.is_empty() { any } else { sym.bdd.or(any, none) }
        }
        _ if x.len() == y.len() => {
            let mut any = Ref::FALSE;
            for (x, y) in x.iter().zip(y) {
                let one = token_differs(sym, x, y);
                any = sym.bdd.or(any, one);
            }
            any
        }
        _ => Ref::TRUE,
    }
}

fn token_differs(sym: &mut Symbols, x: &TextToken, y: &TextToken) -> Ref {
    match (x, y) {
        // Zeros stand in front of a number that is not negative, and ones of one that is.
        (TextToken::Number(f, x), TextToken::Number(g, y)) if f == g => {
            bits_differ(sym, x, y, Ref::constant(*f == text::Format::Negative))
        }
        (TextToken::Choice(x), TextToken::Choice(y)) => choices_differ(sym, x, y),
        _ if x == y => Ref::FALSE,
        // A choice may come out as a token of another kind.
        (TextToken::Choice(_), _) | (_, TextToken::Choice(_)) => {
            differ(sym, std::slice::from_ref(x), std::slice::from_ref(y))
        }
        _ => Ref::TRUE,
    }
}

/// When two numbers differ, if `fill` stands in front of the shorter one.
fn bits_differ(sym: &mut Symbols, x: &[Ref], y: &[Ref], fill: Ref) -> Ref {
    (0..x.len().max(y.len())).fold(Ref::FALSE, |any, i| {
        let (x, y) = (x.get(i).copied().unwrap_or(fill), y.get(i).copied().unwrap_or(fill));
        let one = sym.bdd.xor(x, y);
        sym.bdd.or(any, one)
    })
}

/// When two choices give different texts: alternatives of one shape belong together.
fn choices_differ(sym: &mut Symbols, x: &[(Ref, Vec<TextToken>)], y: &[(Ref, Vec<TextToken>)]) -> Ref {
    let mut any = Ref::FALSE;
    let mut met = vec![false; y.len()];
    for (when, tokens) in x {
        let twin = y.iter().position(|(_, other)| text::same_shape(tokens, other));
        let part = match twin.and_then(|i| y.get(i).map(|t| (i, t))) {
            Some((i, (other, theirs))) => {
                met[i] = true;
                let once = sym.bdd.xor(*when, *other);
                let both = sym.bdd.and(*when, *other);
                let inside = differ(sym, tokens, theirs);
                let inside = sym.bdd.and(both, inside);
                sym.bdd.or(once, inside)
            }
            // Of no alternative's shape: against whichever is taken on the other side.
            None => {
                let (mut inside, mut none) = (Ref::FALSE, Ref::TRUE);
                for (i, (other, theirs)) in y.iter().enumerate() {
                    let both = sym.bdd.and(*when, *other);
                    none = sym.bdd.and_not(none, *other);
                    if !both.is_false() {
                        met[i] |= sym.bdd.and_not(*other, *when).is_false();
                        let one = differ(sym, tokens, theirs);
                        let one = sym.bdd.and(both, one);
                        inside = sym.bdd.or(inside, one);
                    }
                }
                let none = if tokens.is_empty() { Ref::FALSE } else { none };
                let inside = sym.bdd.or(inside, none);
                sym.bdd.and(*when, inside)
            }
        };
        any = sym.bdd.or(any, part);
    }
    // What is taken only on the other side differs from nothing on this one; the rest was compared above.
    let mut taken = Ref::FALSE;
    for (when, _) in x {
        taken = sym.bdd.or(taken, *when);
    }
    for ((when, tokens), met) in y.iter().zip(met) {
        if !met && !tokens.is_empty() {
            let alone = sym.bdd.and_not(*when, taken);
            any = sym.bdd.or(any, alone);
        }
    }
    any
}

/// When a field of the instruction's own scope has another value or is there on one side only.
fn fields_differ<'a>(
    sym: &mut Symbols,
    (a, one): (Side<'a>, &mut Scopes<'a>),
    (b, two): (Side<'a>, &mut Scopes<'a>),
) -> Ref {
    let names = |scopes: &Scopes<'a>| -> Vec<String> {
        let fields = scopes.encoding(0).cases.iter().flat_map(|c| &c.fields);
        fields.map(|f| scopes.isa.text(f.name).to_owned()).collect()
    };
    let mut all = names(one);
    all.extend(names(two));
    all.sort_unstable();
    all.dedup();
    let mut any = Ref::FALSE;
    for text in all {
        let (x, y) = (a.isa.names().get(&text), b.isa.names().get(&text));
        let (x, has_x) = meaning(sym, a, one, x);
        let (y, has_y) = meaning(sym, b, two, y);
        for part in [sym.bdd.xor(has_x, has_y), bits_differ(sym, &x, &y, Ref::FALSE)] {
            any = sym.bdd.or(any, part);
        }
    }
    any
}

/// The value of a name in the instruction's own scope, and when it has one.
fn meaning(sym: &mut Symbols, side: Side<'_>, scopes: &mut Scopes<'_>, name: Option<Name>) -> (Vec<Ref>, Ref) {
    let Some(name) = name else { return (Vec::new(), Ref::FALSE) };
    sym.set_generation(side.generation);
    let lookup = scopes.lookup(sym, 0, name);
    let mut value: Vec<Ref> = Vec::new();
    for found in lookup.found.iter().rev() {
        let field = scopes.field(found);
        let bits = match field.source {
            FieldSource::Bits(_) if matches!(field.ty, FieldType::Sub(_)) || field.width > 64 => scopes.bits(found),
            _ => scopes.value(sym, found).to_vec(),
        };
        value.resize(value.len().max(bits.len()), Ref::FALSE);
        for (i, old) in value.iter_mut().enumerate() {
            let new = bits.get(i).copied().unwrap_or(Ref::FALSE);
            *old = sym.bdd.ite(found.when, new, *old);
        }
    }
    let has = sym.bdd.not(lookup.missing);
    (value, has)
}
