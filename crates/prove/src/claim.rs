//! A claim: a bit that must never be 1, and what is shown when it can be.

use isaglot_bits::Word;
use isaglot_invariant::Impossible as _;
use isaglot_semantics::{BinaryOp, UnaryOp};

use crate::abstraction::without_products;
use crate::scenario::Scenario;
use crate::smt;
use crate::term::{Sort, TermId, Terms};

/// Something to prove.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The law: `sequence`, `fallback`, `device`, `escape`, `isolation`, `semantics`, `routine`, `encoding`.
    pub law: &'static str,
    /// What it is claimed of: a command, a level.
    pub subject: String,
    /// Where it is claimed: the register width, a level, a device.
    pub place: String,
    /// The terms of the formula.
    pub terms: Terms,
    /// The bit that must not be 1.
    pub wrong: TermId,
    /// A bit that is 1 where the formula says nothing, and why: then the claim is not proved.
    pub open: Option<(TermId, String)>,
    /// What a counterexample shows, by name.
    pub values: Vec<(String, TermId)>,
    /// The ways in which it can be wrong, for what is said of a counterexample.
    pub differences: Vec<Difference>,
    /// The bit that must not be 1 where the result of a run shows that it is; such a counterexample is better.
    pub seen: Option<TermId>,
    /// How a machine shows it.
    pub scenario: Option<Scenario>,
    /// Why no machine can show it, where that is so.
    pub unshown: Option<String>,
}

/// Something that is not as the law wants it.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What it is: `result`, `trap`, the name of a variable.
    pub what: String,
    /// Which of them: the number of a register, an address.
    pub at: Option<TermId>,
    /// One bit: it differs.
    pub bit: TermId,
    /// What it is, and what the law wants.
    pub values: Option<(TermId, TermId)>,
}

impl Difference {
    /// What differs by a counterexample; nothing if this does not.
    pub fn told(&self, terms: &Terms, model: &Model) -> Option<String> {
        if model.value(terms, self.bit).is_zero() {
            return None;
        }
        let hex = |term: TermId| format!("0x{}", model.value(terms, term).hex());
        let at = self.at.map_or(String::new(), |at| format!(" {}", hex(at)));
        let values = self
            .values
            .map_or(String::new(), |(is, wanted)| format!(" is {}, and the law wants {}", hex(is), hex(wanted)));
        Some(format!("differs: {}{at}{values}", self.what))
    }
}

impl Claim {
    /// A claim that says something of every state, and that no machine shows.
    pub(crate) fn new(
        law: &'static str,
        subject: impl Into<String>,
        place: String,
        terms: Terms,
        wrong: TermId,
        values: Vec<(String, TermId)>,
    ) -> Claim {
        Claim {
            law,
            subject: subject.into(),
            place,
            terms,
            wrong,
            open: None,
            values,
            differences: Vec::new(),
            seen: None,
            scenario: None,
            unshown: None,
        }
    }

    /// A name for files: lower-case words and numbers with `-` between them.
    pub fn slug(&self) -> String {
        let text = format!("{} {} {}", self.law, self.subject, self.place);
        let mut slug = String::new();
        for c in text.chars() {
            match c {
                c if c.is_ascii_alphanumeric() => slug.push(c.to_ascii_lowercase()),
                _ if slug.ends_with('-') => {}
                _ => slug.push('-'),
            }
        }
        slug.trim_matches('-').to_owned()
    }

    /// The formula as SMT-LIB 2 text up to `(check-sat)`, and the names of [`Claim::models`] in it.
    pub fn script(&self) -> (String, Vec<String>) {
        self.query(self.wrong)
    }

    fn query(&self, bit: TermId) -> (String, Vec<String>) {
        let models = self.models();
        let named: Vec<(&str, TermId)> = models.iter().map(|&t| ("", t)).collect();
        let text = smt::query(&self.terms, bit, &named);
        let end = text.find("(get-value").unwrap_or(text.len());
        let names = models.iter().map(|&t| smt::name(&self.terms, t)).collect();
        (text.get(..end).or_impossible("").to_owned(), names)
    }

    /// The terms whose values a counterexample is made of.
    pub fn models(&self) -> Vec<TermId> {
        let mut all: Vec<TermId> = self.values.iter().map(|v| v.1).collect();
        for d in &self.differences {
            all.push(d.bit);
            all.extend(d.at);
            all.extend(d.values.iter().flat_map(|&(is, wanted)| [is, wanted]));
        }
        if let Some(scenario) = &self.scenario {
            all.extend(scenario.terms());
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// What a solver said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is no way to make the bit 1.
    Unsat,
    /// There is one: the values of the terms that were asked for, in their order.
    Sat(Vec<Word>),
    /// It does not know, or there is no solver: why.
    Unknown(String),
}

/// The values of a counterexample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: Vec<(TermId, Word)>,
}

impl Model {
    /// The value of a term that was asked for, or is a constant.
    pub fn value(&self, terms: &Terms, term: TermId) -> Word {
        let known = self.values.iter().find(|v| v.0 == term).map(|v| v.1.clone());
        known.or_else(|| terms.constant(term).cloned()).unwrap_or_else(|| Word::zero(terms.width(term)))
    }
}

/// What is known of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Proved {
        /// The terms alone said so.
        by_terms: bool,
    },
    /// It does not.
    Refuted(Model),
    /// Nobody knows: why.
    Unknown(String),
}

/// Decides a claim. `solve` is given a script up to `(check-sat)`, and the names of terms to give the values of.
pub fn decide(claim: &Claim, solve: &mut dyn FnMut(&str, &[String]) -> Answer) -> Verdict {
    let mut by_terms = true;
    let mut possible = |bit: TermId| -> Result<Option<Model>, String> {
        if claim.terms.constant(bit).is_some_and(Word::is_zero) {
            return Ok(None);
        }
        if claim.terms.constant(bit).is_some() {
            return Ok(Some(Model::default()));
        }
        by_terms = false;
        if let Some((terms, bits, laws)) = without_products(&claim.terms, &[bit])
            && let [bit] = bits.as_slice()
        {
            let mut terms = terms;
            let asked = all(&mut terms, &[*bit, laws]);
            let script = smt::query(&terms, asked, &[]);
            if solve(&script, &[]) == Answer::Unsat {
                return Ok(None);
            }
        }
        let (script, names) = claim.query(bit);
        match solve(&script, &names) {
            Answer::Unsat => Ok(None),
            Answer::Sat(values) => Ok(Some(Model { values: claim.models().into_iter().zip(values).collect() })),
            Answer::Unknown(why) => Err(why),
        }
    };
    match possible(claim.wrong) {
        Ok(Some(model)) => {
            let better = claim.seen.and_then(|seen| possible(seen).ok().flatten());
            return Verdict::Refuted(better.unwrap_or(model));
        }
        Ok(None) => {}
        Err(why) => return Verdict::Unknown(why),
    }
    if let Some((bit, why)) = &claim.open {
        match possible(*bit) {
            Ok(None) => {}
            Ok(Some(_)) => return Verdict::Unknown(why.clone()),
            Err(why) => return Verdict::Unknown(why),
        }
    }
    Verdict::Proved { by_terms }
}

/// One bit: all of these are 1.
pub(crate) fn all(terms: &mut Terms, bits: &[TermId]) -> TermId {
    let one = terms.number(1, 1);
    bits.iter().fold(one, |sum, &bit| terms.binary(BinaryOp::And, sum, bit))
}

/// One bit: one of these is 1.
pub(crate) fn any(terms: &mut Terms, bits: &[TermId]) -> TermId {
    let zero = terms.number(0, 1);
    bits.iter().fold(zero, |sum, &bit| terms.binary(BinaryOp::Or, sum, bit))
}

/// One bit: it is 0.
pub(crate) fn not(terms: &mut Terms, bit: TermId) -> TermId {
    terms.unary(UnaryOp::Not, bit)
}

/// One bit: two terms of one sort differ. Arrays differ if they do at one free index.
pub(crate) fn differ(terms: &mut Terms, name: &str, x: TermId, y: TermId) -> TermId {
    if x == y {
        return terms.number(0, 1);
    }
    match terms.sort(x) {
        Sort::Bits(_) => terms.binary(BinaryOp::Ne, x, y),
        Sort::Array { index, .. } => {
            let at = terms.symbol(&format!("{name}.at"), Sort::Bits(index));
            let (x, y) = (terms.read(x, at), terms.read(y, at));
            terms.binary(BinaryOp::Ne, x, y)
        }
    }
}

/// What differs of two terms of one sort, where `when` is 1: of bits themselves, of arrays what they hold at a free index.
pub(crate) fn difference(terms: &mut Terms, what: &str, when: TermId, is: TermId, wanted: TermId) -> Difference {
    let bit = differ(terms, what, is, wanted);
    let bit = all(terms, &[when, bit]);
    let (at, values) = match terms.sort(is) {
        Sort::Bits(_) => (None, (is, wanted)),
        Sort::Array { index, .. } => {
            let at = terms.symbol(&format!("{what}.at"), Sort::Bits(index));
            (Some(at), (terms.read(is, at), terms.read(wanted, at)))
        }
    };
    Difference { what: what.to_owned(), at, bit, values: Some(values) }
}

/// One bit: one of these is so.
pub(crate) fn any_difference(terms: &mut Terms, list: &[Difference]) -> TermId {
    let bits: Vec<TermId> = list.iter().map(|d| d.bit).collect();
    any(terms, &bits)
}

/// One bit: two terms are equal.
pub(crate) fn same(terms: &mut Terms, x: TermId, y: TermId) -> TermId {
    terms.binary(BinaryOp::Eq, x, y)
}
