//! The assemblers of contexts: an instruction after `it eq` is read by the plan of that context.
//!
//! Invariant: [`Layout::assembler`](super::layout::Layout) is that of the context of the next instruction after [`Contexts::enter`], and the caller's own
//! after [`Contexts::leave`]. Both passes take note of the same words, so both read every line in the same context.

use isaglot_bits::Word;
use isaglot_codec::{Ahead, Plan};
use isaglot_source::Diagnostic;

use crate::assemble::assembler::Assembler;

/// What instructions have said of those after them, and the assemblers for it.
pub(super) struct Contexts<'p, 'a> {
    plan: &'p Plan<'a>,
    ahead: Ahead,
    /// The context that the assembler in use is of.
    current: usize,
    /// The assemblers of the other contexts, as far as they were met. Empty where there are no contexts.
    others: Vec<Option<Box<Assembler<'p, 'a>>>>,
}

impl<'p, 'a> Contexts<'p, 'a> {
    pub(super) fn new(plan: &'p Plan<'a>) -> Self {
        let count = plan.isa().contexts().len();
        let others = if count == 0 { Vec::new() } else { (0..=count).map(|_| None).collect() };
        Contexts { plan, ahead: Ahead::default(), current: 0, others }
    }

    /// At the beginning of a pass.
    pub(super) fn restart(&mut self) {
        self.ahead = Ahead::default();
    }

    /// Makes the assembler that of the next instruction; whether that is in a context.
    #[inline]
    pub(super) fn enter(&mut self, assembler: &mut Assembler<'p, 'a>) -> bool {
        if !self.others.is_empty() {
            self.switch(assembler, self.ahead.next());
        }
        self.current != 0
    }

    /// Makes the assembler the caller's own again.
    pub(super) fn leave(&mut self, assembler: &mut Assembler<'p, 'a>) {
        if !self.others.is_empty() {
            self.switch(assembler, 0);
        }
    }

    fn switch(&mut self, assembler: &mut Assembler<'p, 'a>, to: usize) {
        if to == self.current {
            return;
        }
        let Some(place) = self.others.get_mut(to) else { return isaglot_invariant::impossible(()) };
        let mut next = place
            .take()
            .unwrap_or_else(|| Box::new(Assembler::new(self.plan.within(to), assembler.names, assembler.check.compat)));
        next.set_exact(assembler.exact);
        next.set_strict(assembler.strict);
        next.leaf_names = assembler.leaf_names;
        std::mem::swap(assembler, &mut next);
        if let Some(place) = self.others.get_mut(self.current) {
            *place = Some(next);
        }
        self.current = to;
    }

    /// Takes note of an instruction.
    #[inline]
    pub(super) fn pass(&mut self, word: &Word) {
        if !self.others.is_empty() {
            self.ahead.pass(self.plan, word);
        }
    }

    /// Takes note of an instruction of which only the length is known: it has a symbol, so it says nothing of those after it.
    #[inline]
    pub(super) fn pass_any(&mut self) {
        if !self.others.is_empty() {
            self.ahead.pass_one();
        }
    }

    /// What is wrong with a text that is an instruction in another context alone.
    pub(super) fn others(&mut self, assembler: &mut Assembler<'p, 'a>, text: &[u8]) -> Option<Diagnostic> {
        let here = self.current;
        let count = self.others.len();
        let fits = (0..count).filter(|&at| at != here).find(|&at| {
            self.switch(assembler, at);
            assembler.assemble(text).is_ok()
        });
        if count > 0 {
            self.switch(assembler, here);
        }
        let isa = self.plan.isa();
        let name = |context: usize| {
            let feature = context.checked_sub(1).and_then(|at| isa.contexts().get(at));
            feature.map(|&feature| isa[feature].name.as_str())
        };
        let (shown, fits) = (String::from_utf8_lossy(text.trim_ascii()).into_owned(), fits?);
        let message = match (name(here), name(fits)) {
            (None, Some(fits)) => {
                format!("`{shown}` is an instruction only in the context `{fits}`, and no instruction opens one here")
            }
            (Some(here), None) => {
                format!("`{shown}` is not an instruction in the context `{here}`, which an earlier instruction opens")
            }
            (Some(here), Some(fits)) => {
                format!("`{shown}` is an instruction in the context `{fits}`, and this is `{here}`")
            }
            (None, None) => return None,
        };
        Some(Diagnostic::error("asm-context", message))
    }
}
