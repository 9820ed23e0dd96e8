//! The packer: a [`Plan`] as functions of a program, in whatever language.
//!
//! What is the same in every language is here: which functions there are, in which order their statements come, what a
//! field or an expression gets its value from. How a statement reads is a [`Printer`]'s: [`c::C`] or [`rust::Rust`].
//!
//! Each leaf becomes a call of a function that adds bits to the leaf's constant word; functions with the same body are
//! one. For a leaf with the text `{NAME} r{R}`, a field `R` in bits 4 to 7 with the map `src->r`, and the word 0x20:
//!
//! ```c
//! static inline bitmask_t
//! pack__instruction_0(struct encode_state *s, const struct bitset_params *p, const struct op * src, bitmask_t val)
//! {
//!    isa_pack(s, &val, 4u, 4u, false, (int64_t)(src->r), "R");
//!    return val;
//! }
//! …
//!    case OP_INC:
//!       return pack__instruction_0(s, p, src, (bitmask_t){ { 0x20u } });
//! ```
//!
//! A guard is a function too: its fields as local variables (`f_R`), then the value of the expression.

mod c;
mod rust;

use std::collections::HashMap;
use std::fmt::Write;

use isaglot_bits::Word;
use isaglot_model::{Encoding, ExprId, FeatureId, Field, FieldSource, FieldType, GenRange, Name, Piece, SpaceId};
use isaglot_source::{Diagnostic, Diagnostics};

use super::expr::{self, Terms};
use super::missing::Missing;
use super::pieces::{only_range, real_width};
use super::plan::{Leaf, Packed, Plan, Root, Source};
use crate::names::{self, Language};

/// How a language writes the parts of a packer. Statements come without indentation and line end.
trait Printer {
    const LANGUAGE: Language;
    /// The indentation of one level.
    const STEP: &'static str;
    /// What stands before the number of a function whose name is taken.
    const MARK: &'static str;
    /// The gen, unsigned of 64 bits.
    const GENERATION: &'static str;
    /// Whether a definition without a guard needs a block of its own.
    const BLOCKS: bool;

    /// What stands before all functions.
    fn head(plan: &Plan<'_>) -> String;
    /// The name of a space or an expression as a part of names.
    fn symbol(name: &str) -> String;
    /// The name of the function that packs a space, from the symbol of the space.
    fn encoder(symbol: &str) -> String;
    /// The name of the first function that packs leaves of a space, and the stem of the others' names.
    fn packer(symbol: &str) -> (String, String);
    /// The text of a name as a string literal.
    fn literal(text: &str) -> String;
    /// The function that packs a space.
    fn root(root: &Root<'_>, symbol: &str, name: &str, body: &Choice<'_>) -> String;
    /// A function that adds bits to a word.
    fn leaf(name: &str, ty: &str, body: &str) -> String;
    /// The call of it with the constant bits of a leaf, and how many bits it has if leaves differ in that.
    fn leaf_call(name: &str, words: &[u32], bits: Option<u32>) -> String;
    /// Refuses a word that fits none of these: care bits and their values.
    fn fits_one(leaf: &str, patterns: &[(Vec<u32>, Vec<u32>)]) -> String;
    /// The function of an expression.
    fn expression(name: &str, ty: &str, comment: &str, body: &str) -> String;
    /// The call of it.
    fn expression_call(name: &str) -> String;
    /// The head of a block that is run if a call gives another value than 0.
    fn condition(call: &str) -> String;
    /// Sets bits of a constant.
    fn constant(low: u32, value: u64) -> String;
    /// Packs a number.
    fn number(packing: &Packing<'_>, signed: bool, out: &mut Vec<String>);
    /// Packs what the encoder of another space gives.
    fn nested(packing: &Packing<'_>, encoder: &str, params: &str, out: &mut Vec<String>);
    /// Values for a nested encoding, by name; there are `all` names.
    fn params(values: &[(&str, String)], all: usize) -> String;
    /// Such values as an argument, with the statement that it needs.
    fn params_argument(name: &str, params: &str) -> (Option<String>, String);
    /// The text of a map as a signed number of 64 bits.
    fn mapped(map: &str) -> String;
    /// The same for a nested encoding.
    fn mapped_nested(encoder: &str, params: &str, map: &str) -> String;
    /// The value that the enclosing encoding passes down.
    fn passed(name: &str) -> String;
    /// Declares a variable, unsigned of 64 bits.
    fn local(name: &str, value: &str) -> String;
    /// Ends the function of an expression.
    fn result(value: &str) -> String;
}

/// What the function of a space chooses from.
enum Choice<'a> {
    /// The driver says which leaf its data is: per name, the calls with the gens that they are for. Only the last call
    /// of a name may be for every gen.
    Cases(Vec<(&'a str, Vec<(GenRange, String)>)>),
    /// There is one leaf, or none.
    Only(Option<String>),
}

/// Where the value of a field goes.
struct Packing<'t> {
    /// The name of the field, as a literal.
    field: String,
    /// The text of its map.
    map: &'t str,
    /// The low bit, if all bits of the value are neighbours in the word.
    low: Option<u32>,
    /// How many bits are kept.
    held: u32,
    pieces: &'t [Piece],
}

/// Bits of a value that go to neighbouring bits of the word.
struct Slice {
    /// The low bit in the word.
    low: u32,
    /// The low bit in the value.
    from: u32,
    width: u32,
}

impl Packing<'_> {
    /// The slices of a value that has this many bits, from its least significant bit up.
    ///
    /// Of a field in bits 9 and 2 to 4 the pieces are `[9], [2..=4]`: the slices are 3 bits to bit 2 and 1 bit to bit 9.
    fn slices(&self, bits: u32) -> Vec<Slice> {
        let mut from = 0;
        let mut slices = Vec::new();
        for piece in self.pieces.iter().rev() {
            if let Piece::Bits(range) = piece
                && from < bits
            {
                slices.push(Slice { low: range.lo, from, width: range.width.min(bits - from) });
            }
            from += piece.width();
        }
        slices
    }
}

/// Writes the part of the packer after the runtime.
pub(super) fn write(plan: &Plan<'_>, out: &mut Diagnostics) -> String {
    match plan.language {
        Language::C => Writer::<c::C>::write(plan, out),
        Language::Rust => Writer::<rust::Rust>::write(plan, out),
    }
}

struct Writer<'p, 'a, P> {
    plan: &'p Plan<'a>,
    out: &'p mut Diagnostics,
    /// Functions of leaves and expressions, each defined before it is used.
    functions: String,
    /// By space and text of the body, the name of a function.
    known: HashMap<(SpaceId, String), String>,
    /// Of a name that is taken, how often.
    taken: HashMap<String, u32>,
    /// Expressions that are being written.
    open: Vec<ExprId>,
    missing: Missing,
    printer: std::marker::PhantomData<P>,
}

/// Where a value is wanted: the space that is packed, and its leaf.
#[derive(Clone, Copy)]
struct At<'r, 'a> {
    root: &'r Root<'a>,
    encoding: &'a Encoding,
}

impl<'p, 'a, P: Printer> Writer<'p, 'a, P> {
    fn write(plan: &'p Plan<'a>, out: &'p mut Diagnostics) -> String {
        let mut w: Writer<'p, 'a, P> = Writer {
            plan,
            out,
            functions: String::new(),
            known: HashMap::new(),
            taken: HashMap::new(),
            open: Vec::new(),
            missing: Missing::default(),
            printer: std::marker::PhantomData,
        };
        let roots: String = plan.roots.iter().map(|root| w.root(root)).collect();
        P::head(plan) + &w.functions + &roots
    }

    fn symbol(&self, space: SpaceId) -> String {
        symbol::<P>(self.plan, space)
    }

    fn encoder(&self, space: SpaceId) -> String {
        P::encoder(&self.symbol(space))
    }

    fn root(&mut self, root: &Root<'a>) -> String {
        let isa = self.plan.isa;
        let space = &isa[root.space];
        names::check(&self.encoder(root.space), "a function", P::LANGUAGE, space.span, self.out);
        let choice = if root.encode.case_prefix.is_some() {
            let mut cases = Vec::new();
            for group in &root.groups {
                let mut calls = Vec::new();
                for leaf in &group.leaves {
                    let gens = isa[leaf.id].own_gens;
                    calls.push((gens, self.leaf(root, leaf)));
                    if gens == GenRange::ALL {
                        break;
                    }
                }
                cases.push((group.name.as_str(), calls));
            }
            Choice::Cases(cases)
        } else {
            let leaf = root.groups.first().and_then(|group| group.leaves.first());
            Choice::Only(leaf.map(|leaf| self.leaf(root, leaf)))
        };
        P::root(root, &self.symbol(root.space), isa.text(space.name), &choice)
    }

    /// The call that packs a leaf.
    fn leaf(&mut self, root: &Root<'a>, leaf: &Leaf<'a>) -> String {
        let isa = self.plan.isa;
        let encoding = &isa[leaf.id];
        let at = At { root, encoding };
        let mut body = String::new();
        let mut lead = P::STEP;
        for branch in &leaf.branches {
            let bare = branch.guard.is_none() && leaf.branches.len() == 1;
            if !bare {
                let head = self.head(at, branch.guard);
                let _ = writeln!(body, "{lead}{head}");
            }
            lead = " else ";
            let depth = if bare { 1 } else { 2 };
            for packed in &branch.fields {
                self.packed(at, packed, depth, &mut body);
            }
            for (guard, assert) in &branch.asserts {
                let mut depth = depth;
                if guard.is_some() {
                    let _ = writeln!(body, "{}{}", P::STEP.repeat(depth), self.head(at, *guard));
                    depth += 1;
                }
                for (i, &limb) in assert.value.limbs().iter().enumerate().filter(|(_, limb)| **limb != 0) {
                    let statement = P::constant(assert.range.lo + 64 * i as u32, limb);
                    let _ = writeln!(body, "{}{statement}", P::STEP.repeat(depth));
                }
                if guard.is_some() {
                    let _ = writeln!(body, "{}}}", P::STEP.repeat(depth - 1));
                }
            }
            if !bare {
                let _ = write!(body, "{}}}", P::STEP);
            }
        }
        if body.ends_with('}') {
            body.push('\n');
        }
        let most = isa.format().max_bits;
        let constant = self.constant(leaf);
        if !leaf.others.is_empty() || constant != *encoding.pattern.value() {
            let words = |word: &Word| word.resized(most).words32().collect::<Vec<u32>>();
            let patterns = std::iter::once(&leaf.id).chain(&leaf.others).map(|&id| &isa[id].pattern);
            let patterns: Vec<_> = patterns.map(|p| (words(p.care()), words(p.value()))).collect();
            let _ = writeln!(body, "{}{}", P::STEP, P::fits_one(&P::literal(isa.text(encoding.name)), &patterns));
        }
        let (first, stem) = P::packer(&self.symbol(root.space));
        let name = match self.known.get(&(root.space, body.clone())) {
            Some(name) => name.clone(),
            None => {
                let name = self.fresh(&first, &stem);
                self.functions.push_str(&P::leaf(&name, &root.encode.ty, &body));
                self.known.insert((root.space, body), name.clone());
                name
            }
        };
        let words: Vec<u32> = constant.resized(most).words32().collect();
        let bits = (!isa.format().lengths.is_empty()).then_some(encoding.width);
        P::leaf_call(&name, &words, bits)
    }

    /// The bits that every word of a leaf has: those of its pattern before exceptions cut it. An exception leaves patterns
    /// that fix bits of fields; such bits come from the fields, and the word is compared with the patterns at the end.
    fn constant(&self, leaf: &Leaf<'a>) -> Word {
        let isa = self.plan.isa;
        let pattern = &isa[leaf.id].pattern;
        let mut care = pattern.care().clone();
        for &other in &leaf.others {
            let other = &isa[other].pattern;
            care = care.and(other.care()).and_not(&pattern.value().xor(other.value()));
        }
        // Every branch packs these fields. Where one packs them in other bits, the comparison at the end tells.
        let always = |name: Name, field: &Field| {
            leaf.branches.iter().all(|branch| {
                branch.fields.iter().any(|packed| {
                    packed.name == name
                        && matches!(packed.ladder[..], [.., (None, known)] if known.source == field.source)
                })
            })
        };
        for case in isa[leaf.id].cases.iter().filter(|case| case.guard.is_none()) {
            for field in case.fields.iter().filter(|field| always(field.name, field)) {
                let FieldSource::Bits(pieces) = &field.source else { continue };
                for piece in pieces {
                    if let Piece::Bits(range) = piece {
                        care = care.and_not(&Word::mask(*range, care.width()));
                    }
                }
            }
        }
        pattern.value().and(&care)
    }

    /// The head of a block under a guard, or of any block.
    fn head(&mut self, at: At<'_, 'a>, guard: Option<ExprId>) -> String {
        guard.map_or_else(|| "{".to_owned(), |guard| format!("{} {{", P::condition(&self.guard(at, guard))))
    }

    /// The first name that is free of `first`, `stem` and 1, `stem` and 2 and so on.
    fn fresh(&mut self, first: &str, stem: &str) -> String {
        let count = self.taken.entry(first.to_owned()).or_default();
        *count += 1;
        if *count == 1 { first.to_owned() } else { format!("{stem}{}{}", P::MARK, *count - 1) }
    }

    /// The statements that pack a field: those of the first definition whose guard holds.
    fn packed(&mut self, at: At<'_, 'a>, packed: &Packed<'a>, depth: usize, body: &mut String) {
        let pad = P::STEP.repeat(depth);
        if let [(None, field)] = packed.ladder[..]
            && !P::BLOCKS
            && is_one_statement(field)
        {
            for statement in self.value(at, packed.name, field) {
                let _ = writeln!(body, "{pad}{statement}");
            }
            return;
        }
        let mut lead = pad.as_str();
        for (guard, field) in &packed.ladder {
            let head = self.head(at, *guard);
            let _ = writeln!(body, "{lead}{head}");
            for statement in self.value(at, packed.name, field) {
                let _ = writeln!(body, "{pad}{}{statement}", P::STEP);
            }
            let _ = write!(body, "{pad}}}");
            lead = " else ";
        }
        body.push('\n');
    }

    /// Statements that pack one definition of a field.
    fn value(&mut self, at: At<'_, 'a>, name: Name, field: &'a Field) -> Vec<String> {
        let isa = self.plan.isa;
        let FieldSource::Bits(pieces) = &field.source else { return Vec::new() };
        let Source::Map(map) = self.plan.source(at.encoding, name) else {
            self.missing.tell(isa, at.encoding, name, Some(field), self.out);
            return Vec::new();
        };
        let (field_name, held) = (P::literal(isa.text(name)), real_width(pieces));
        let packing = Packing { field: field_name, map: &map.text, low: only_range(pieces), held, pieces };
        let mut list = Vec::new();
        match field.ty {
            FieldType::Sub(space) => {
                let params = self.params(at, field);
                P::nested(&packing, &self.encoder(space), &params, &mut list);
            }
            FieldType::Int | FieldType::Offset | FieldType::Branch { absolute: false, .. } => {
                P::number(&packing, true, &mut list);
            }
            _ => P::number(&packing, false, &mut list),
        }
        list
    }

    /// What is passed to a nested encoding.
    fn params(&mut self, at: At<'_, 'a>, field: &Field) -> String {
        let isa = self.plan.isa;
        let values = field.params.iter().map(|p| (isa.text(p.as_name), self.inside(at, p.name, "p")));
        let values: Vec<_> = values.collect();
        P::params(&values, self.plan.params.len())
    }

    /// The value of a field, signed of 64 bits, where an expression or a parameter wants it.
    fn inside(&mut self, at: At<'_, 'a>, name: Name, params: &str) -> String {
        let isa = self.plan.isa;
        let definition = self.plan.definition(at.encoding, name);
        if let Some(FieldSource::Derived(expr)) = definition.map(|f| &f.source) {
            return self.guard(at, *expr);
        }
        match self.plan.source_inside(at.encoding, name) {
            Source::Map(map) => match definition.map(|f| &f.ty) {
                Some(FieldType::Sub(space)) => P::mapped_nested(&self.encoder(*space), params, &map.text),
                _ => P::mapped(&map.text),
            },
            Source::Param => P::passed(isa.text(name)),
            Source::Missing => {
                self.missing.tell(isa, at.encoding, name, definition, self.out);
                "0".to_owned()
            }
        }
    }

    /// The call that evaluates an expression on the data.
    fn guard(&mut self, at: At<'_, 'a>, id: ExprId) -> String {
        let isa = self.plan.isa;
        let expr = &isa[id];
        if self.open.contains(&id) {
            let message = format!("expression `{}` needs itself, which cannot be evaluated on data", expr.name);
            self.out.push(Diagnostic::error("emit-recursion", message).label(expr.span, "this expression"));
            return "0".to_owned();
        }
        self.open.push(id);
        let mut statements = Vec::new();
        for &name in &expr.fields {
            self.local(at, name, expr.span, &mut statements);
        }
        self.open.pop();
        let field = |name: Name| format!("f_{}", isa.text(name));
        let feature = |f: FeatureId| self.plan.features.contains(&f);
        let terms = Terms { language: P::LANGUAGE, field: &field, generation: P::GENERATION, feature: &feature };
        let written = expr::write(expr, &terms);
        statements.extend(written.statements);
        statements.push(P::result(&written.value));
        let body: String = statements.iter().map(|statement| format!("{}{statement}\n", P::STEP)).collect();
        let key = (at.root.space, body.clone());
        let name = match self.known.get(&key) {
            Some(name) => name.clone(),
            None => {
                let stem = format!("{}_{}", self.symbol(at.root.space), P::symbol(&expr.name));
                let name = self.fresh(&stem, &stem);
                names::check(&name, "a function", P::LANGUAGE, expr.span, self.out);
                let text = P::expression(&name, &at.root.encode.ty, &super::comment(&expr.text), &body);
                self.functions.push_str(&text);
                self.known.insert(key, name.clone());
                name
            }
        };
        P::expression_call(&name)
    }

    /// A field of an expression as a variable.
    fn local(&mut self, at: At<'_, 'a>, name: Name, span: isaglot_source::Span, out: &mut Vec<String>) {
        let text = self.plan.isa.text(name);
        let local = format!("f_{text}");
        if !names::is_identifier(&local) {
            let message = format!("`{text}` cannot be the name of a variable");
            self.out.push(Diagnostic::error("emit-name", message).label(span, "in this expression"));
        }
        let mut params = "p".to_owned();
        if let Some(field) = self.plan.definition(at.encoding, name)
            && matches!(field.ty, FieldType::Sub(_))
            && !field.params.is_empty()
        {
            let (statement, argument) = P::params_argument(text, &self.params(at, field));
            out.extend(statement);
            params = argument;
        }
        let value = self.inside(at, name, &params);
        out.push(P::local(&local, &value));
    }
}

/// The name of a space as a part of names.
fn symbol<P: Printer>(plan: &Plan<'_>, space: SpaceId) -> String {
    P::symbol(plan.isa.text(plan.isa[space].name))
}

/// Whether a definition is packed by a single statement.
fn is_one_statement(field: &Field) -> bool {
    let one = matches!(&field.source, FieldSource::Bits(pieces) if only_range(pieces).is_some());
    one && !matches!(field.ty, FieldType::Sub(_))
}
