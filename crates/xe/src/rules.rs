//! The rules that operands keep, as the description has them.
//!
//! They are the encodings of the space `#operand-rule`. An operand is a word of that space, and each rule's derived field
//! `BROKEN` says whether the operand breaks it. The codes stand here, because a diagnostic needs one that is known when the
//! program is compiled; a test holds both lists equal.

use isaglot_bits::Word;
use isaglot_codec::Scopes;
use isaglot_model::{EncodingId, EnumId, FieldSource, Isa, Name, Piece, SpaceId};
use isaglot_source::Severity;

use crate::inst::File;

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule(u8);

/// The codes of the rules: first those of operands, which the description has, then those of waits.
const CODES: [&str; 18] = [
    "xe-exec-size",
    "xe-region-width",
    "xe-region-one-row",
    "xe-region-scalar-stride",
    "xe-region-scalar",
    "xe-region-repeated",
    "xe-region-crossing",
    "xe-region-later-crossing",
    "xe-region-narrow",
    "xe-region-span",
    "xe-access-size",
    "xe-access-beyond",
    "xe-token-read",
    "xe-token-write",
    "xe-token-source",
    "xe-token-missing",
    "xe-distance-read",
    "xe-distance-write",
];

impl Rule {
    /// A read of what an instruction out of order has yet to write.
    pub(crate) const TOKEN_READ: Rule = Rule(12);
    /// A write of it.
    pub(crate) const TOKEN_WRITE: Rule = Rule(13);
    /// A write of what an instruction out of order has yet to read.
    pub(crate) const TOKEN_SOURCE: Rule = Rule(14);
    /// Nothing can wait for a result that is used.
    pub(crate) const TOKEN_MISSING: Rule = Rule(15);
    /// A read of what an instruction in order has yet to write.
    pub(crate) const DISTANCE_READ: Rule = Rule(16);
    /// A write of it.
    pub(crate) const DISTANCE_WRITE: Rule = Rule(17);

    /// The stable code.
    pub fn code(self) -> &'static str {
        CODES.get(usize::from(self.0)).copied().unwrap_or_default()
    }

    /// By its code.
    pub(crate) fn parse(code: &str) -> Option<Rule> {
        CODES.iter().position(|c| *c == code).map(|n| Rule(n as u8))
    }

    /// Every rule.
    pub fn all() -> impl Iterator<Item = Rule> {
        (0..CODES.len()).map(|n| Rule(n as u8))
    }

    /// A missing wait makes results depend on time. What an operand does that breaks a rule is not defined either, but is
    /// the same every time.
    pub fn severity(self) -> Severity {
        if self.is_about_waits() { Severity::Error } else { Severity::Warning }
    }

    /// Whether it is about waits, and not about one operand.
    pub fn is_about_waits(self) -> bool {
        self >= Rule::TOKEN_READ
    }
}

/// The space of the rules.
pub(crate) const SPACE: &str = "#operand-rule";

/// The enum of the units in which registers are accessed.
pub(crate) const UNITS: &str = "access-unit";

/// The rules of a machine.
#[derive(Debug, Default)]
pub(crate) struct OperandRules<'d> {
    pub(crate) rules: Vec<OperandRule<'d>>,
    /// The width of the space.
    width: u32,
    /// The name of the field that says whether a rule is broken.
    broken: Option<Name>,
    /// Of each field of an operand, its name and first bit.
    fields: Vec<(&'d str, u32)>,
    /// By file, the bytes in which it is accessed.
    pub(crate) units: Vec<u32>,
}

/// A rule about one operand.
#[derive(Debug)]
pub(crate) struct OperandRule<'d> {
    encoding: EncodingId,
    pub(crate) rule: Rule,
    pub(crate) sources: bool,
    pub(crate) destinations: bool,
    pub(crate) says: &'d str,
    pub(crate) mend: &'d str,
}

impl<'d> OperandRules<'d> {
    /// The rules of a space that hold on machines of this gen, and the enum that says in what units registers are accessed.
    pub(crate) fn new(
        isa: &'d Isa,
        generation: u32,
        space: Option<SpaceId>,
        units_of: Option<EnumId>,
    ) -> OperandRules<'d> {
        let Some(space) = space else { return OperandRules::default() };
        let active = isa[space].encodings.iter().filter(|id| isa[**id].gens.contains(generation));
        let rules = active.clone().filter_map(|&id| {
            let meta = |key: &str| isa[id].meta.iter().find(|(k, _)| k == key).map_or("", |(_, v)| v.as_str());
            let is_for = |what: &str| meta("for").split(' ').any(|word| word == what);
            Some(OperandRule {
                encoding: id,
                rule: Rule::parse(&isa[id].display_name)?,
                sources: is_for("source"),
                destinations: is_for("destination"),
                says: meta("says"),
                mend: meta("mend"),
            })
        });
        let mut fields = Vec::new();
        for field in active.clone().flat_map(|id| &isa[*id].cases).flat_map(|case| &case.fields) {
            if let FieldSource::Bits(pieces) = &field.source
                && let [Piece::Bits(range)] = pieces.as_slice()
                && !fields.iter().any(|(name, _)| *name == isa.text(field.name))
            {
                fields.push((isa.text(field.name), range.lo));
            }
        }
        let mut units = vec![1; usize::from(File::MME.0) + 1];
        for value in units_of.map_or(&[] as &[_], |id| isa[id].values.as_slice()) {
            if let Some(unit) = units.get_mut(value.value as usize + 1) {
                *unit = value.display.parse().unwrap_or(1);
            }
        }
        OperandRules {
            rules: rules.collect(),
            width: isa[space].width,
            broken: isa.names().get("BROKEN"),
            fields,
            units,
        }
    }

    /// The word of the rules' space with these values of fields.
    pub(crate) fn word(&self, values: &[(&str, u32)]) -> u128 {
        let place = |name: &str| self.fields.iter().find(|(known, _)| *known == name).map(|(_, lo)| *lo);
        values.iter().fold(0, |word, (name, value)| word | place(name).map_or(0, |lo| u128::from(*value) << lo))
    }

    /// The rules that an operand breaks, as a set of bits.
    pub(crate) fn broken(&self, scopes: &mut Scopes<'_, '_>, word: u128) -> u64 {
        let word = Word::from_u128(word, self.width);
        let Some(name) = self.broken else { return 0 };
        let mut set = 0;
        for (n, rule) in self.rules.iter().enumerate() {
            let scope = scopes.enter_encoding(rule.encoding, &word);
            let value = scope.and_then(|scope| scopes.resolve(scope, name)).map_or(0, |found| found.low());
            set |= u64::from(value != 0) << n;
        }
        set
    }
}
