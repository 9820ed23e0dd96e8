//! The text of an encoding as a tree of tokens whose choices and values are functions of the word.
//!
//! The problem: "do two words share a text", "which words read differently in the other description", "can this text
//! be read back" are questions about all words at once. The method: the display is followed under all conditions at
//! once; what is left is literal text, numbers (bits and a format) and choices (conditions and texts). Booleans with a
//! text, enums, overrides and sub-encodings are all choices, so one small tree says everything.
//!
//! Invariants: the conditions of a choice exclude each other; texts next to each other are one; no two alternatives of
//! a choice can be unified token by token (those are one alternative whose bits and inner choices depend
//! on which it was), so that which alternative was taken shows, unless different shapes can print the same text, which
//! [`crate::parse`] decides.

use std::rc::Rc;

use isaglot_invariant::impossible;
use isaglot_model::{Case, FieldType, TemplateId, TemplatePart};

use crate::bdd::Ref;
use crate::scope::{Found, ScopeId, Scopes};
use crate::symbols::Symbols;
use crate::vector::{self, Vector};

/// How a number prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Unsigned decimal.
    Unsigned,
    /// `-` and the magnitude of a number whose sign bit, above these, is set.
    Negative,
    /// Lower-case hexadecimal.
    Hex,
    /// A floating-point number of all the bits there are.
    Float,
    /// What the embedding program prints for a field of this name.
    Custom(Rc<str>),
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TextToken {
    /// These bytes.
    Text(Vec<u8>),
    /// A number; bits least significant first.
    Number(Format, Vec<Ref>),
    /// Spaces up to this column.
    Pad(u32),
    /// One of these; nothing where no condition holds.
    Choice(Vec<(Ref, Vec<TextToken>)>),
}

/// A reference in a template that a field answers: for checks of what the format loses.
pub(crate) struct Shown {
    pub(crate) template: TemplateId,
    pub(crate) part: usize,
    pub(crate) found: Found,
    pub(crate) when: Ref,
}

/// A name that a template shows and nothing defines.
pub(crate) struct Missing {
    pub(crate) template: TemplateId,
    pub(crate) name: isaglot_model::Name,
    pub(crate) scope: ScopeId,
    pub(crate) when: Ref,
}

/// What following the display of one encoding brought to light.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) shown: Vec<Shown>,
    pub(crate) missing: Vec<Missing>,
    /// Scopes in which no case gives a text, and when.
    pub(crate) silent: Vec<(ScopeId, Ref)>,
    /// When a decoder would report anything: a word of this set is not clean.
    pub(crate) dirty: Vec<Ref>,
    /// Scopes that were entered, and when.
    pub(crate) entered: Vec<(ScopeId, Ref)>,
    /// Per scope and case with a text: when that text is chosen.
    pub(crate) chosen: Vec<(ScopeId, usize, Ref)>,
}

impl Notes {
    /// When a scope is entered.
    pub(crate) fn entered(&self, sym: &mut Symbols, scope: ScopeId) -> Ref {
        let all = self.entered.iter().filter(|e| e.0 == scope);
        all.fold(Ref::FALSE, |any, e| sym.bdd.or(any, e.1))
    }
}

/// The text of a scope under a condition.
pub(crate) fn text(
    sym: &mut Symbols,
    scopes: &mut Scopes<'_>,
    scope: ScopeId,
    when: Ref,
    notes: &mut Notes,
) -> Vec<TextToken> {
    let encoding = scopes.encoding(scope);
    let unknown = sym_dont_care(sym, scopes, scope);
    let unknown = sym.bdd.and(when, unknown);
    notes.dirty.push(unknown);
    notes.entered.push((scope, when));
    let mut rest = when;
    let mut choice = Vec::new();
    for (c, case) in encoding.cases.iter().enumerate() {
        let applies = match case.guard {
            None => Ref::TRUE,
            Some(guard) => {
                scopes.need(sym, scope, guard, rest);
                scopes.holds(sym, scope, guard)
            }
        };
        let taken = sym.bdd.and(rest, applies);
        let broken = broken_asserts(sym, scopes, scope, case);
        let broken = sym.bdd.and(taken, broken);
        notes.dirty.push(broken);
        // An alias hides nothing: the proofs are about the full text.
        let Some(template) = case.template.filter(|_| !case.alias) else { continue };
        notes.chosen.push((scope, c, taken));
        rest = sym.bdd.and_not(rest, applies);
        if !taken.is_false() {
            let tokens = follow(sym, scopes, scope, template, taken, notes);
            push_alternative(sym, &mut choice, taken, tokens);
        }
    }
    if !rest.is_false() {
        notes.silent.push((scope, rest));
        notes.dirty.push(rest);
    }
    vec![TextToken::Choice(choice)]
}

/// When a don't-care bit of the scope's encoding is set.
fn sym_dont_care(sym: &mut Symbols, scopes: &Scopes<'_>, scope: ScopeId) -> Ref {
    let bits: Vec<u32> = scopes.encoding(scope).dont_care.ones_iter().collect();
    bits.iter().fold(Ref::FALSE, |any, &bit| {
        let set = scopes.word_bit(scope, bit);
        sym.bdd.or(any, set)
    })
}

fn broken_asserts(sym: &mut Symbols, scopes: &Scopes<'_>, scope: ScopeId, case: &Case) -> Ref {
    let mut any = Ref::FALSE;
    for assert in &case.asserts {
        for bit in assert.range.lo..assert.range.end() {
            let got = scopes.word_bit(scope, bit);
            let wrong = if assert.value.bit(bit - assert.range.lo) { sym.bdd.not(got) } else { got };
            any = sym.bdd.or(any, wrong);
        }
    }
    any
}

/// The tokens of a template.
fn follow(
    sym: &mut Symbols,
    scopes: &mut Scopes<'_>,
    scope: ScopeId,
    template: TemplateId,
    when: Ref,
    notes: &mut Notes,
) -> Vec<TextToken> {
    let mut out = Vec::new();
    let isa = scopes.isa;
    for (p, part) in isa[template].parts.iter().enumerate() {
        match part {
            TemplatePart::Literal(bytes) => push_text(&mut out, bytes),
            TemplatePart::Align(column) => out.push(TextToken::Pad(*column)),
            TemplatePart::Mnemonic { align, .. } => {
                pad(&mut out, *align);
                push_text(&mut out, scopes.encoding(scope).display_name.as_bytes());
            }
            TemplatePart::Field { name, align, reference } => {
                pad(&mut out, *align);
                let lookup = scopes.lookup(sym, scope, *name);
                scopes.need_lookup(sym, &lookup, when);
                let missing = sym.bdd.and(when, lookup.missing);
                if !missing.is_false() {
                    notes.missing.push(Missing { template, name: *name, scope, when: missing });
                    notes.dirty.push(missing);
                }
                let mut choice = Vec::new();
                for found in &lookup.found {
                    let under = sym.bdd.and(when, found.when);
                    if under.is_false() {
                        continue;
                    }
                    notes.shown.push(Shown { template, part: p, found: *found, when: under });
                    let tokens = field(sym, scopes, scope, found, under, reference, notes);
                    push_alternative(sym, &mut choice, found.when, tokens);
                }
                push_choice(sym, &mut out, choice, when);
            }
        }
    }
    out
}

/// The tokens of a field's value.
fn field(
    sym: &mut Symbols,
    scopes: &mut Scopes<'_>,
    scope: ScopeId,
    found: &Found,
    when: Ref,
    reference: &str,
    notes: &mut Notes,
) -> Vec<TextToken> {
    let field = scopes.field(found);
    if let FieldType::Sub(space) = field.ty {
        let subs = scopes.subs(sym, scope, found, space);
        let none = sym.bdd.and(when, subs.none);
        notes.dirty.push(none);
        let mut choice = Vec::new();
        for &(chosen, sub) in &subs.chosen {
            let under = sym.bdd.and(when, chosen);
            if !under.is_false() {
                let tokens = text(sym, scopes, sub, under, notes);
                push_alternative(sym, &mut choice, chosen, tokens);
            }
        }
        let mut out = Vec::new();
        push_choice(sym, &mut out, choice, when);
        return out;
    }
    let value = scopes.value(sym, found);
    let width = field.width.min(64) as usize;
    let mut out = Vec::new();
    match &field.ty {
        FieldType::Bool(Some(text)) => two(sym, &mut out, &value, text, true, when),
        FieldType::BoolInv(Some(text)) => two(sym, &mut out, &value, text, false, when),
        FieldType::Bool(None) => out.push(TextToken::Number(Format::Unsigned, value[..32].to_vec())),
        FieldType::BoolInv(None) => {
            let any = vector::truth(&mut sym.bdd, &value);
            let not = sym.bdd.not(any);
            out.push(TextToken::Number(Format::Unsigned, vec![not]));
        }
        FieldType::Uint => out.push(TextToken::Number(Format::Unsigned, value.to_vec())),
        FieldType::Hex => out.push(TextToken::Number(Format::Hex, value.to_vec())),
        // Without labels a branch prints as an integer.
        FieldType::Int | FieldType::Branch { .. } => {
            let choice = signed(sym, &value[..width], "");
            push_choice(sym, &mut out, choice, when);
        }
        FieldType::Float => out.push(TextToken::Number(Format::Float, value[..width].to_vec())),
        FieldType::Offset | FieldType::Uoffset => {
            let any = vector::truth(&mut sym.bdd, &value);
            let mut choice = vec![(sym.bdd.not(any), Vec::new())];
            if field.ty == FieldType::Offset {
                for (sign, tokens) in signed(sym, &value[..width], "+") {
                    choice.push((sym.bdd.and(any, sign), tokens));
                }
            } else {
                choice.push((
                    any,
                    vec![TextToken::Text(b"+".to_vec()), TextToken::Number(Format::Unsigned, value.to_vec())],
                ));
            }
            choice.retain(|(when, _)| !when.is_false());
            push_choice(sym, &mut out, choice, when);
        }
        FieldType::Custom => out.push(TextToken::Number(Format::Custom(reference.into()), value.to_vec())),
        FieldType::Enum(id) => {
            let entries = scopes.isa[*id].values.iter().map(|v| (v.value, &*v.display));
            table(sym, &mut out, &value, entries, when);
        }
        FieldType::Register(id) => {
            let names = scopes.isa[*id].names.iter().enumerate();
            let entries = names.filter_map(|(i, n)| Some((i as u64, n.as_deref()?)));
            table(sym, &mut out, &value, entries, when);
        }
        FieldType::Sub(_) => {}
    }
    out
}

/// A two's complement number, after `plus` if it is not negative.
fn signed(sym: &mut Symbols, bits: &[Ref], plus: &str) -> Vec<(Ref, Vec<TextToken>)> {
    let Some((&sign, low)) = bits.split_last() else { return impossible(Vec::new()) };
    let mut positive = Vec::new();
    push_text(&mut positive, plus.as_bytes());
    positive.push(TextToken::Number(Format::Unsigned, low.to_vec()));
    let negative = vec![TextToken::Number(Format::Negative, low.to_vec())];
    let mut choice = vec![(sym.bdd.not(sign), positive), (sign, negative)];
    choice.retain(|(when, _)| !when.is_false());
    choice
}

/// A text if the value is not 0 (or, with `set` off, if it is).
fn two(sym: &mut Symbols, out: &mut Vec<TextToken>, value: &Vector, text: &str, set: bool, when: Ref) {
    let any = vector::truth(&mut sym.bdd, value);
    let not = sym.bdd.not(any);
    let (yes, no) = if set { (any, not) } else { (not, any) };
    let mut tokens = Vec::new();
    push_text(&mut tokens, text.as_bytes());
    let mut choice = Vec::new();
    push_alternative(sym, &mut choice, no, Vec::new());
    push_alternative(sym, &mut choice, yes, tokens);
    push_choice(sym, out, choice, when);
}

/// The text of the first entry with the value, else the number cut to 32 bits.
fn table<'t>(
    sym: &mut Symbols,
    out: &mut Vec<TextToken>,
    value: &Vector,
    entries: impl Iterator<Item = (u64, &'t str)>,
    when: Ref,
) {
    let mut rest = when;
    let mut choice = Vec::new();
    for (number, text) in entries {
        let is = vector::equals(&mut sym.bdd, value, number);
        let is = sym.bdd.and(rest, is);
        if is.is_false() {
            continue;
        }
        rest = sym.bdd.and_not(rest, is);
        let mut tokens = Vec::new();
        push_text(&mut tokens, text.as_bytes());
        push_alternative(sym, &mut choice, is, tokens);
    }
    if !rest.is_false() {
        push_alternative(sym, &mut choice, rest, vec![TextToken::Number(Format::Unsigned, value[..32].to_vec())]);
    }
    push_choice(sym, out, choice, when);
}

fn pad(out: &mut Vec<TextToken>, column: u32) {
    if column > 0 {
        out.push(TextToken::Pad(column));
    }
}

fn push_text(out: &mut Vec<TextToken>, bytes: &[u8]) {
    match out.last_mut() {
        _ if bytes.is_empty() => {}
        Some(TextToken::Text(last)) => last.extend_from_slice(bytes),
        _ => out.push(TextToken::Text(bytes.to_vec())),
    }
}

/// Adds a choice; one that is always the same alternative is that alternative.
fn push_choice(sym: &mut Symbols, out: &mut Vec<TextToken>, mut choice: Vec<(Ref, Vec<TextToken>)>, when: Ref) {
    if let [(under, _)] = choice.as_slice()
        && sym.bdd.and_not(when, *under).is_false()
        && let Some((_, tokens)) = choice.pop()
    {
        for token in tokens {
            match token {
                TextToken::Text(bytes) => push_text(out, &bytes),
                other => out.push(other),
            }
        }
        return;
    }
    if choice.iter().any(|(_, tokens)| !tokens.is_empty()) {
        out.push(TextToken::Choice(choice));
    }
}

/// Adds an alternative; one that can be unified with an earlier one joins it.
fn push_alternative(sym: &mut Symbols, choice: &mut Vec<(Ref, Vec<TextToken>)>, when: Ref, tokens: Vec<TextToken>) {
    if when.is_false() {
        return;
    }
    for (known, other) in choice.iter_mut() {
        if fits(other, &tokens) {
            let joined = other.iter().zip(&tokens).map(|(a, b)| join(sym, when, b, *known, a)).collect();
            *other = joined;
            *known = sym.bdd.or(*known, when);
            return;
        }
    }
    choice.push((when, tokens));
}

/// Whether two texts can be unified: token by token the same, or a choice on one side.
fn fits(a: &[TextToken], b: &[TextToken]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|pair| match pair {
            (TextToken::Text(a), TextToken::Text(b)) => a == b,
            (TextToken::Pad(a), TextToken::Pad(b)) => a == b,
            (TextToken::Number(f, _), TextToken::Number(g, _)) => {
                f == g && *f != Format::Float && *f != Format::Negative
            }
            (TextToken::Choice(_), TextToken::Pad(_)) | (TextToken::Pad(_), TextToken::Choice(_)) => false,
            (TextToken::Choice(_), _) | (_, TextToken::Choice(_)) => true,
            _ => false,
        })
        || same_shape(a, b)
}

/// Whether two texts are the same but for their bits and conditions.
pub(crate) fn same_shape(a: &[TextToken], b: &[TextToken]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|pair| match pair {
            (TextToken::Text(a), TextToken::Text(b)) => a == b,
            (TextToken::Pad(a), TextToken::Pad(b)) => a == b,
            (TextToken::Number(f, a), TextToken::Number(g, b)) => f == g && a.len() == b.len(),
            (TextToken::Choice(a), TextToken::Choice(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_shape(&a.1, &b.1))
            }
            _ => false,
        })
}

/// `a` under one condition and `b` under another that excludes it, as one token; they fit.
fn join(sym: &mut Symbols, under_a: Ref, a: &TextToken, under_b: Ref, b: &TextToken) -> TextToken {
    match (a, b) {
        (TextToken::Number(format, x), TextToken::Number(_, y)) => {
            let bit = |bits: &[Ref], i: usize| bits.get(i).copied().unwrap_or(Ref::FALSE);
            let bits = (0..x.len().max(y.len())).map(|i| sym.bdd.ite(under_a, bit(x, i), bit(y, i)));
            TextToken::Number(format.clone(), bits.collect())
        }
        (TextToken::Choice(_), _) | (_, TextToken::Choice(_)) => {
            let mut choice = Vec::new();
            for (under, token) in [(under_b, b), (under_a, a)] {
                match token {
                    TextToken::Choice(alternatives) => {
                        for (when, tokens) in alternatives {
                            let when = sym.bdd.and(under, *when);
                            push_alternative(sym, &mut choice, when, tokens.clone());
                        }
                    }
                    other => push_alternative(sym, &mut choice, under, vec![other.clone()]),
                }
            }
            TextToken::Choice(choice)
        }
        _ => b.clone(),
    }
}

/// Everything that shows of a word: functions that two words with one text agree on, provided that the text can be
/// taken apart in one way only.
pub(crate) fn observe(sym: &mut Symbols, tokens: &[TextToken], when: Ref, out: &mut Vec<Ref>) {
    for token in tokens {
        match token {
            TextToken::Text(_) | TextToken::Pad(_) => {}
            TextToken::Number(Format::Float, bits) => float(sym, bits, when, out),
            TextToken::Number(_, bits) => {
                for &bit in bits {
                    push(sym, bit, when, out);
                }
            }
            TextToken::Choice(choice) => {
                // Which alternative it is, as a binary number; 0 is none.
                let digits = usize::BITS - choice.len().leading_zeros();
                for digit in 0..digits {
                    let mut set = Ref::FALSE;
                    for (i, (under, _)) in choice.iter().enumerate() {
                        if (i + 1) >> digit & 1 != 0 {
                            set = sym.bdd.or(set, *under);
                        }
                    }
                    push(sym, set, when, out);
                }
                for (under, tokens) in choice {
                    let under = sym.bdd.and(when, *under);
                    observe(sym, tokens, under, out);
                }
            }
        }
    }
}

fn push(sym: &mut Symbols, f: Ref, when: Ref, out: &mut Vec<Ref>) {
    let f = sym.bdd.and(f, when);
    if f.as_constant().is_none() {
        out.push(f);
    }
}

/// What certainly shows of a floating-point number in `%f`: nothing but the sign of a number that prints as
/// `0.000000` or `nan`. (Digits are lost elsewhere too; that the text of this format is not unique is known anyway.)
fn float(sym: &mut Symbols, bits: &[Ref], when: Ref, out: &mut Vec<Ref>) {
    let (exponent_bits, bias) = match bits.len() {
        16 => (5, 15),
        32 => (8, 127),
        _ => (11, 1023),
    };
    let mantissa_bits = bits.len().saturating_sub(exponent_bits + 1);
    let (mantissa, rest) = bits.split_at(mantissa_bits);
    let Some((sign, exponent)) = rest.split_last() else { return impossible(()) };
    push(sym, *sign, when, out);
    let some = mantissa.iter().fold(Ref::FALSE, |any, &b| sym.bdd.or(any, b));
    let top = exponent.iter().fold(Ref::TRUE, |all, &b| sym.bdd.and(all, b));
    let nan = sym.bdd.and(top, some);
    // Numbers below 2^-21 print as zero. That is an exponent below bias - 21, or in half precision the few smallest
    // denormals: those below 2^-21 are 1 to 7 times 2^-24.
    let tiny = if bias > 21 {
        let bound = vector::constant(bias - 21);
        let value = vector::from_bits(exponent);
        vector::binary(&mut sym.bdd, isaglot_model::BinaryOp::Lt, isaglot_model::IntType::U64, &value, &bound)[0]
    } else {
        let high = mantissa.iter().skip(3).chain(exponent).fold(Ref::FALSE, |any, &b| sym.bdd.or(any, b));
        sym.bdd.not(high)
    };
    push(sym, nan, when, out);
    let hidden = sym.bdd.or(nan, tiny);
    let shows = sym.bdd.and_not(when, hidden);
    push(sym, shows, Ref::TRUE, out);
    for &bit in mantissa.iter().chain(exponent) {
        push(sym, bit, shows, out);
    }
}
