//! Where a value came from: a chain of steps, newest first, for each field of each record. Recorded only on request,
//! because it costs a word per field and a node per step.

use crate::loc::Loc;
use crate::names::Sym;
use crate::value::Val;

/// What gave a field its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginStep {
    /// Declared, with or without a value.
    Declared,
    /// Set by a `let` in a body, or by an enclosing `let … in`.
    Let,
    /// Taken over from a class; the name is the class's.
    Inherited,
    /// Template arguments of the class or multiclass of that name were put in.
    Substituted,
    /// References to other fields of the record were put in.
    Resolved,
}

/// A step of a chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) step: OriginStep,
    /// The class, where the step has one.
    pub(crate) by: Sym,
    pub(crate) loc: Loc,
    /// The value after the step.
    pub(crate) value: Val,
    /// The step before; 0 at the end.
    pub(crate) before: u32,
}

/// All chains.
#[derive(Debug)]
pub(crate) struct Origins {
    on: bool,
    nodes: Vec<Origin>,
}

impl Origins {
    pub(crate) fn new(on: bool) -> Origins {
        let end = Origin { step: OriginStep::Declared, by: Sym::NONE, loc: Loc::NONE, value: Val::UNSET, before: 0 };
        Origins { on, nodes: vec![end] }
    }

    pub(crate) fn on(&self) -> bool {
        self.on
    }

    pub(crate) fn add(&mut self, origin: Origin) -> u32 {
        self.nodes.push(origin);
        self.nodes.len() as u32 - 1
    }

    /// The chain from its newest step.
    pub(crate) fn chain(&self, mut at: u32) -> Vec<Origin> {
        let mut chain = Vec::new();
        while at != 0 {
            let Some(&node) = self.nodes.get(at as usize) else { break };
            chain.push(node);
            at = node.before;
        }
        chain
    }
}
