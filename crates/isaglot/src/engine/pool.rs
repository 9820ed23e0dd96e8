//! A description, what it is compiled to, and the state that questions need, in one value that can be kept and shared.
//!
//! The problem: a plan borrows the description and a worker borrows the plan, while callers want one owned thing. The invariant: what
//! is borrowed stays where it is as long as the value lives; `self_cell` sees to that. The method: two cells, one in the other, and
//! workers that a question takes out of a list and puts back, so that threads do not wait for each other.

use std::sync::{Mutex, PoisonError};

use isaglot_asm::{Assembler, Names, Options, Stream};
use isaglot_codec::Plan;
use isaglot_source::SourceMap;
use self_cell::self_cell;

use crate::spec::Chosen;

/// The most workers that are kept for later.
const MAX_IDLE: usize = 16;

/// A description with what it was read from.
pub(super) struct Owner {
    pub(super) chosen: Chosen,
    pub(super) files: SourceMap,
    names: Names,
}

/// What a description is compiled to.
struct Plans<'a> {
    /// Without aliases: what explains and assembles.
    plain: Plan<'a>,
    /// With them, where they are printed.
    aliases: Option<Plan<'a>>,
}

self_cell! {
    struct Planned {
        owner: Owner,
        #[covariant]
        dependent: Plans,
    }
}

/// Workers that have nothing to do.
type Idle<'p> = Mutex<Vec<Worker<'p>>>;

self_cell! {
    struct Pooled {
        owner: Planned,
        #[not_covariant]
        dependent: Idle,
    }
}

/// A description at work.
pub(super) struct Pool(Pooled);

/// What one question at a time works with; compiled parts are kept from question to question.
pub(super) struct Worker<'p> {
    pub(super) owner: &'p Owner,
    /// What explains and assembles.
    pub(super) plain: &'p Plan<'p>,
    /// What prints.
    pub(super) printing: &'p Plan<'p>,
    stream: Option<Stream<'p, 'p>>,
    assembler: Option<Assembler<'p, 'p>>,
}

impl<'p> Worker<'p> {
    /// A stream of single instructions without labels, whose lines never show what is wrong: none leaves anything for the next.
    pub(super) fn stream(&mut self) -> &mut Stream<'p, 'p> {
        let printing = self.printing;
        let options = Options { show_errors: false, ..Options::default() };
        self.stream.get_or_insert_with(|| Stream::new(printing, options, 0).alone())
    }

    /// An assembler.
    pub(super) fn assembler(&mut self) -> &mut Assembler<'p, 'p> {
        let (plain, names) = (self.plain, &self.owner.names);
        self.assembler.get_or_insert_with(|| Assembler::new(plain, names, isaglot_asm::Compat::default()))
    }
}

impl Pool {
    pub(super) fn new(chosen: Chosen, files: SourceMap) -> Pool {
        let planned = Planned::new(Owner { chosen, files, names: Names::default() }, |owner| Plans {
            plain: owner.chosen.plan(),
            aliases: owner.chosen.aliases.then(|| owner.chosen.plan().with_aliases(true)),
        });
        Pool(Pooled::new(planned, |_| Mutex::new(Vec::new())))
    }

    pub(super) fn owner(&self) -> &Owner {
        self.0.borrow_owner().borrow_owner()
    }

    /// The plan without aliases.
    pub(super) fn plan(&self) -> &Plan<'_> {
        &self.0.borrow_owner().borrow_dependent().plain
    }

    /// Asks with a worker that nobody else has. A worker whose question panics is not used again.
    pub(super) fn with<R>(&self, ask: impl FnOnce(&mut Worker<'_>) -> R) -> R {
        self.0.with_dependent(|planned, idle| {
            let taken = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut worker = taken.unwrap_or_else(|| {
                let plans = planned.borrow_dependent();
                Worker {
                    owner: planned.borrow_owner(),
                    plain: &plans.plain,
                    printing: plans.aliases.as_ref().unwrap_or(&plans.plain),
                    stream: None,
                    assembler: None,
                }
            });
            let answer = ask(&mut worker);
            let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < MAX_IDLE {
                idle.push(worker);
            }
            answer
        })
    }
}
