//! Where a value came from, step by step: the declaration, what each class made of it, lets, arguments.

use std::borrow::Cow;

use isaglot_source::Span;

use crate::Records;
use crate::loc::Loc;
pub use crate::origin::OriginStep;

/// One step in the history of a field, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub step: OriginStep,
    /// The class that is inherited, or whose arguments were put in; empty if none.
    pub class: String,
    /// The place, if the step has one.
    pub span: Option<Span>,
    /// `file:line:col` of that, or nothing.
    pub place: String,
    /// The value after the step.
    pub value: String,
}

impl Event {
    /// The step as a sentence.
    pub fn sentence(&self) -> Cow<'static, str> {
        match self.step {
            OriginStep::Declared => "declared".into(),
            OriginStep::Let => "set by let".into(),
            OriginStep::Inherited => format!("inherited from {}", self.class).into(),
            OriginStep::Substituted if self.class.is_empty() => "arguments of the multiclass or loop put in".into(),
            OriginStep::Substituted => format!("arguments of {} put in", self.class).into(),
            OriginStep::Resolved => "references to other fields put in".into(),
        }
    }
}

/// The history of a field. `None` if there is no such record or field; empty unless [`crate::Options::trace`] was set.
pub fn why(records: &Records, record: &str, field: &str) -> Option<Vec<Event>> {
    let store = records.store();
    let id = store.def(store.names.find(record.as_bytes())?)?;
    let rec = store.rec(id);
    let at = store.shapes.look(rec.shape, store.names.find(field.as_bytes())?)?;
    let mut chain = records.origins.chain(rec.origins.get(at).copied().unwrap_or(0));
    chain.reverse();
    let event = |o: &crate::origin::Origin| Event {
        step: o.step,
        class: String::from_utf8_lossy(store.names.get(o.by)).into_owned(),
        span: records.places().span(o.loc),
        place: match records.places().line_col(o.loc) {
            Some((file, line, column)) if o.loc != Loc::NONE => format!("{file}:{line}:{column}"),
            _ => String::new(),
        },
        value: String::from_utf8_lossy(&store.val_text(o.value)).into_owned(),
    };
    Some(chain.iter().map(event).collect())
}
