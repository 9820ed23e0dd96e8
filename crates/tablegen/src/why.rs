//! Where a value came from, step by step: the declaration, what each class made of it, lets, arguments.

use std::borrow::Cow;

use isaglot_source::Span;

use crate::Records;
use crate::loc::Loc;
pub use crate::origin::Step;

/// One step in the history of a field, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub step: Step,
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
            Step::Declared => "declared".into(),
            Step::Let => "set by let".into(),
            Step::Inherited => format!("inherited from {}", self.class).into(),
            Step::Substituted if self.class.is_empty() => "arguments of the multiclass or loop put in".into(),
            Step::Substituted => format!("arguments of {} put in", self.class).into(),
            Step::Resolved => "references to other fields put in".into(),
        }
    }
}

/// The history of a field. `None` if there is no such record or field; empty unless [`crate::Options::trace`] was set.
pub fn why(records: &Records, record: &str, field: &str) -> Option<Vec<Event>> {
    let ctx = records.ctx();
    let id = ctx.def(ctx.names.find(record.as_bytes())?)?;
    let rec = ctx.rec(id);
    let at = ctx.shapes.look(rec.shape, ctx.names.find(field.as_bytes())?)?;
    let mut chain = ctx.origins.chain(rec.origins.get(at).copied().unwrap_or(0));
    chain.reverse();
    let event = |o: &crate::origin::Origin| Event {
        step: o.step,
        class: String::from_utf8_lossy(ctx.names.get(o.by)).into_owned(),
        span: records.places().span(o.loc),
        place: match records.places().line_col(o.loc) {
            Some((file, line, column)) if o.loc != Loc::NONE => format!("{file}:{line}:{column}"),
            _ => String::new(),
        },
        value: String::from_utf8_lossy(&ctx.val_text(o.value)).into_owned(),
    };
    Some(chain.iter().map(event).collect())
}
