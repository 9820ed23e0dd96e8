//! What `!foreach`, `!filter`, `!sort` and `!foldl` made of a body and an element: most elements come again, within one list and in the
//! lists of other records (the types of an intrinsic's arguments, say), and the same body makes the same of them.
//!
//! A result is remembered only if nothing else can have made it: nothing is left to resolve in it, nothing was said on the way, no
//! part of the body looks for records (a `!cast` finds more of them later), and the record that is worked on is not a
//! value yet, so that no body can ask for a field of it, which is an error for that record alone. What a first evaluation
//! makes beside its result, the records of `Class<args>`, is there from then on for every later one.

use crate::ctx::Ctx;
use crate::names::Sym;
use crate::record::RecId;
use crate::value::{Val, flag};

/// A body and what is put in for its one or two variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Application {
    pub(crate) body: Val,
    pub(crate) names: [Sym; 2],
    pub(crate) values: [Val; 2],
}

/// The last results: a table in which each application has one place.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    slots: Vec<(Application, Val)>,
}

/// Places in the table.
const SLOTS: usize = 1 << 14;

impl Application {
    fn place(&self) -> usize {
        let mix = |hash: u64, word: u32| (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x517C_C1B7_2722_0A95);
        let [first, second] = self.values;
        let hash = mix(mix(mix(u64::from(self.names[0].0), self.body.0), first.0), second.0);
        (hash >> 32) as usize % SLOTS
    }
}

impl Ctx {
    /// A value with the names of an application put in, for `rec`.
    pub(crate) fn apply_all(&mut self, application: Application, rec: Option<RecId>) -> Val {
        let body = application.body;
        if body.is_ground() {
            return body;
        }
        let pure = self.store.vals.flags(body) & flag::FINAL == 0 && !rec.is_some_and(|r| self.store.vals.has_def(r));
        let place = application.place();
        if pure
            && let Some(&(known, result)) = self.eval.applied.slots.get(place)
            && known == application
        {
            return result;
        }
        let said = self.messages.list.len();
        let mut resolver = self.resolver(rec);
        for (name, value) in application.names.into_iter().zip(application.values) {
            if name != Sym::NONE {
                resolver.set(name, value);
            }
        }
        let result = self.run(body, &mut resolver);
        self.retire(resolver);
        let done = result.is_ground() && result.is_concrete() && !self.eval.stopped && self.messages.list.len() == said;
        if pure && done {
            let slots = &mut self.eval.applied.slots;
            if slots.is_empty() {
                let none = Application { body: Val::UNSET, names: [Sym::NONE; 2], values: [Val::UNSET; 2] };
                slots.resize(SLOTS, (none, Val::UNSET));
            }
            slots[place] = (application, result);
        }
        result
    }
}
