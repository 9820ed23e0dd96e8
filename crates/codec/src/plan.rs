//! What is decoded for, and the decision trees for it.

use std::sync::{Arc, OnceLock};

use isaglot_bits::Word;
use isaglot_invariant::Impossible as _;
use isaglot_model::{Case, Encoding, FeatureId, Isa, LengthRule, Numbers, SpaceId, TemplateId};

use crate::ahead::Openers;
use crate::tree::{Match, Tree};

/// An instruction set together with a gen and a set of features: what every engine decodes with.
///
/// Trees are built when a space is first met. A plan can be shared between threads.
#[derive(Debug)]
pub struct Plan<'a> {
    isa: &'a Isa,
    generation: u32,
    features: Vec<bool>,
    aliases: bool,
    refuses: bool,
    trees: Vec<OnceLock<Tree>>,
    /// The plans of the contexts, by number less 1.
    within: Vec<Plan<'a>>,
    /// The instructions that open contexts, whatever the features.
    openers: Arc<Openers>,
}

impl<'a> Plan<'a> {
    /// For this gen, with the features that are on by default.
    #[must_use]
    pub fn new(isa: &'a Isa, generation: u32) -> Self {
        let on: Vec<FeatureId> = (0..isa.features().len() as u32).map(FeatureId).filter(|&f| isa[f].default).collect();
        Self::with_features(isa, generation, &on)
    }

    /// For this gen with exactly these features and those that they imply.
    #[must_use]
    pub fn with_features(isa: &'a Isa, generation: u32, on: &[FeatureId]) -> Self {
        // In a context there is no other.
        let openers = Arc::new(Openers::new(isa));
        let within = |context: &FeatureId| {
            let on: Vec<FeatureId> = on.iter().chain([context]).copied().collect();
            Self::alone(isa, generation, &on, &openers)
        };
        Self { within: isa.contexts().iter().map(within).collect(), ..Self::alone(isa, generation, on, &openers) }
    }

    fn alone(isa: &'a Isa, generation: u32, on: &[FeatureId], openers: &Arc<Openers>) -> Self {
        let features = isa.implied(on);
        let trees = isa.spaces().iter().map(|_| OnceLock::new()).collect();
        let refuses = isa.spaces().iter().any(|space| space.refuses);
        Self {
            isa,
            generation,
            features,
            aliases: false,
            refuses,
            trees,
            within: Vec::new(),
            openers: Arc::clone(openers),
        }
    }

    pub(crate) fn openers(&self) -> &Openers {
        &self.openers
    }

    /// Whether what a field of its text has may make a word no instruction ([`isaglot_model::Space::refuses`]).
    #[must_use]
    pub fn refuses(&self) -> bool {
        self.refuses
    }

    /// The same with aliases on or off. They are off by default.
    #[must_use]
    pub fn with_aliases(mut self, aliases: bool) -> Self {
        self.aliases = aliases;
        self.within.iter_mut().for_each(|plan| plan.aliases = aliases);
        self
    }

    /// The same for an instruction in a context, by its number: with one more feature ([`Isa::contexts`]). For 0, and for a number that is
    /// none, this plan itself.
    #[must_use]
    pub fn within(&self, context: usize) -> &Plan<'a> {
        context.checked_sub(1).and_then(|at| self.within.get(at)).unwrap_or(self)
    }

    /// Whether aliases are on.
    #[must_use]
    pub fn aliases(&self) -> bool {
        self.aliases
    }

    /// The text of a case, if it has one that is printed: the text of an alias only where aliases are on.
    #[must_use]
    pub fn template(&self, case: &Case) -> Option<TemplateId> {
        case.template.filter(|_| !case.input_only && (self.aliases || !case.alias))
    }

    /// The instruction set.
    #[must_use]
    pub fn isa(&self) -> &'a Isa {
        self.isa
    }

    /// The gen.
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Whether a feature is on.
    #[must_use]
    pub fn feature(&self, feature: FeatureId) -> bool {
        self.features.get(feature.index()).copied().or_impossible(false)
    }

    /// The features that are on.
    pub fn features(&self) -> impl Iterator<Item = FeatureId> + '_ {
        (0..self.features.len() as u32).map(FeatureId).filter(|&f| self.feature(f))
    }

    /// The arithmetic of expressions for this gen and these features.
    #[must_use]
    pub fn numbers(&self) -> Numbers<'_> {
        Numbers { generation: self.generation, features: &self.features }
    }

    /// Whether the gen and the features have this encoding.
    #[must_use]
    pub fn active(&self, encoding: &Encoding) -> bool {
        encoding.gens.contains(self.generation) && encoding.condition.holds(&|f| self.feature(f))
    }

    /// The decision tree of a space, built on first use.
    ///
    /// # Panics
    /// Never for a space of this plan's instruction set.
    #[inline]
    #[must_use]
    pub fn tree(&self, space: SpaceId) -> &Tree {
        self.trees[space.index()].get_or_init(|| Tree::build(self.isa, space, |e| self.active(e)))
    }

    /// What an instruction word is. Its width is the width of the instruction.
    #[must_use]
    pub fn decode(&self, word: &Word) -> Match {
        self.tree(self.isa.root()).select(word.limbs(), word.width())
    }

    /// The rules for lengths that count with the features of this plan.
    pub fn lengths(&self) -> impl Iterator<Item = &'a LengthRule> + '_ {
        self.isa.format().lengths.iter().filter(|rule| rule.condition.holds(&|f| self.feature(f)))
    }

    /// Width in bits of the instruction that starts with these bits, as many as [`WordFormat::start_bits`](isaglot_model::WordFormat::start_bits)
    /// says; `None` if none starts so. Bits that are missing count as 0.
    #[must_use]
    pub fn length(&self, parcel: &Word) -> Option<u32> {
        let format = self.isa.format();
        if format.lengths.is_empty() {
            return Some(format.max_bits);
        }
        let width = parcel.width();
        let matches = |rule: &&LengthRule| match rule.pattern.width() == width {
            true => rule.pattern.matches(parcel),
            false => rule.pattern.matches(&parcel.resized(rule.pattern.width())),
        };
        self.lengths().find(matches).map(|rule| rule.bits)
    }
}
