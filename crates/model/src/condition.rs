//! Conditions on features, and the form in which a compiled description keeps them.

#[cfg(feature = "compiled")]
use isaglot_invariant::Impossible as _;

use crate::ids::FeatureId;
#[cfg(feature = "compiled")]
use crate::limits::MAX_CONDITION_DEPTH;

/// Which features an encoding needs.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "compiled", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "compiled", serde(into = "Vec<ConditionStep>", try_from = "Vec<ConditionStep>"))]
pub enum Condition {
    /// None.
    #[default]
    Always,
    /// This one.
    Feature(FeatureId),
    /// Where this does not hold.
    Not(Box<Condition>),
    /// All of these.
    All(Vec<Condition>),
    /// At least one of these.
    Any(Vec<Condition>),
}

impl Condition {
    /// Whether it holds.
    pub fn holds(&self, on: &dyn Fn(FeatureId) -> bool) -> bool {
        match self {
            Condition::Always => true,
            Condition::Feature(f) => on(*f),
            Condition::Not(c) => !c.holds(on),
            Condition::All(list) => list.iter().all(|c| c.holds(on)),
            Condition::Any(list) => list.iter().any(|c| c.holds(on)),
        }
    }

    /// The features in it, each once, in order.
    #[must_use]
    pub fn features(&self) -> Vec<FeatureId> {
        fn collect(condition: &Condition, into: &mut Vec<FeatureId>) {
            match condition {
                Condition::Always => {}
                Condition::Feature(f) if into.contains(f) => {}
                Condition::Feature(f) => into.push(*f),
                Condition::Not(c) => collect(c, into),
                Condition::All(list) | Condition::Any(list) => list.iter().for_each(|c| collect(c, into)),
            }
        }
        let mut list = Vec::new();
        collect(self, &mut list);
        list
    }
}

/// A condition in postfix form: how it is kept, since nesting that is read must not nest calls. `a && !b` is `a`, `b`,
/// `Not`, `All(2)`.
#[cfg(feature = "compiled")]
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
enum ConditionStep {
    Always,
    Feature(FeatureId),
    /// Of the last condition; the two below, of that many of the last.
    Not,
    All(u32),
    Any(u32),
}

#[cfg(feature = "compiled")]
impl From<Condition> for Vec<ConditionStep> {
    fn from(condition: Condition) -> Vec<ConditionStep> {
        fn list(conditions: Vec<Condition>, of: fn(u32) -> ConditionStep, steps: &mut Vec<ConditionStep>) {
            let count = conditions.len() as u32;
            conditions.into_iter().for_each(|c| add(c, steps));
            steps.push(of(count));
        }
        fn add(condition: Condition, steps: &mut Vec<ConditionStep>) {
            match condition {
                Condition::Always => steps.push(ConditionStep::Always),
                Condition::Feature(f) => steps.push(ConditionStep::Feature(f)),
                Condition::Not(c) => {
                    add(*c, steps);
                    steps.push(ConditionStep::Not);
                }
                Condition::All(conditions) => list(conditions, ConditionStep::All, steps),
                Condition::Any(conditions) => list(conditions, ConditionStep::Any, steps),
            }
        }
        let mut steps = Vec::new();
        add(condition, &mut steps);
        steps
    }
}

#[cfg(feature = "compiled")]
impl TryFrom<Vec<ConditionStep>> for Condition {
    type Error = &'static str;

    fn try_from(steps: Vec<ConditionStep>) -> Result<Condition, &'static str> {
        // With how deep each is.
        let mut stack: Vec<(Condition, usize)> = Vec::new();
        let last = |count: u32, stack: &mut Vec<(Condition, usize)>| {
            let from = stack.len().checked_sub(count as usize).ok_or("a condition lacks parts")?;
            let depth = stack[from..].iter().map(|(_, depth)| depth + 1).max().unwrap_or(1);
            let parts: Vec<Condition> = stack.drain(from..).map(|(c, _)| c).collect();
            if depth > MAX_CONDITION_DEPTH { Err("a condition is nested too deep") } else { Ok((parts, depth)) }
        };
        for step in steps {
            let next = match step {
                ConditionStep::Always => (Condition::Always, 1),
                ConditionStep::Feature(f) => (Condition::Feature(f), 1),
                ConditionStep::Not => {
                    let (mut parts, depth) = last(1, &mut stack)?;
                    (Condition::Not(Box::new(parts.pop().or_impossible_default())), depth)
                }
                ConditionStep::All(count) => {
                    last(count, &mut stack).map(|(parts, depth)| (Condition::All(parts), depth))?
                }
                ConditionStep::Any(count) => {
                    last(count, &mut stack).map(|(parts, depth)| (Condition::Any(parts), depth))?
                }
            };
            stack.push(next);
        }
        match (stack.pop(), stack.is_empty()) {
            (Some((condition, _)), true) => Ok(condition),
            _ => Err("a condition is not one"),
        }
    }
}
