//! The state of a run, and what stops one. The evaluator is a set of functions over [`Ctx`], a file for each part of
//! the work; what they make is in its [`Store`].

use rustc_hash::FxHashMap;

use crate::applied::Applied;
use crate::limits;
use crate::loc::Loc;
use crate::message::Messages;
use crate::origin::Origins;
use crate::record::{RecId, Record};
use crate::resolve::Resolver;
use crate::store::Store;
use crate::ty::Ty;
use crate::value::{Val, ValueKind};

/// Bounds that one run may set lower than [`crate::limits`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) steps: u64,
    pub(crate) pool_words: usize,
    pub(crate) string_bytes: usize,
    pub(crate) records: usize,
    pub(crate) eval_depth: u32,
    pub(crate) parse_depth: u32,
    /// Elements of a list, bytes of a string.
    pub(crate) large: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            steps: limits::MAX_STEPS,
            pool_words: limits::MAX_POOL_WORDS,
            string_bytes: limits::MAX_STRING_BYTES,
            records: limits::MAX_RECORDS,
            eval_depth: limits::MAX_EVAL_DEPTH,
            parse_depth: limits::MAX_PARSE_DEPTH,
            large: usize::MAX,
        }
    }
}

impl Bounds {
    /// Lowers the bounds for a run that must be short.
    pub(crate) fn shrink(&mut self, budget: u32) {
        let words = budget as usize;
        self.steps = u64::from(budget);
        self.pool_words = self.pool_words.min(words.saturating_mul(4));
        self.string_bytes = self.string_bytes.min(words.saturating_mul(16));
        self.records = self.records.min(words);
        self.large = self.large.min(words.max(1 << 10));
    }
}

/// The state of one run: what was made, the work in progress, and what is said about it.
///
/// Functions that only look values up or make them are functions of the [`Store`]. Those that may fail, count steps or
/// instantiate classes need the work and the messages too: they are functions of this.
#[derive(Debug)]
pub(crate) struct Ctx {
    pub(crate) store: Store,
    pub(crate) eval: Evaluation,
    pub(crate) messages: Messages,
    pub(crate) origins: Origins,
}

/// The work of evaluation in progress; nothing of it is needed after the run.
#[derive(Debug)]
pub(crate) struct Evaluation {
    /// Runs of values that are being made, one after the other.
    pub(crate) scratch: Vec<u32>,
    /// Text that is being made.
    pub(crate) text: Vec<u8>,
    /// Resolvers that are not in use, for their memory. They are large: what goes in and out is their address.
    #[expect(clippy::vec_box, reason = "a resolver is not moved when it is taken")]
    pub(crate) idle: Vec<Box<Resolver>>,
    /// Instantiations: `Class<args>` to the record.
    pub(crate) instances: FxHashMap<Val, Val>,
    /// What the bodies of loops made of their elements.
    pub(crate) applied: Applied,
    /// Results of the resolver in progress: its generation and whether something stayed free, then the value.
    pub(crate) memo: Vec<(u32, Val)>,
    pub(crate) generation: u32,
    pub(crate) steps: u64,
    pub(crate) depth: u32,
    /// A fatal error happened: nothing that follows counts.
    pub(crate) stopped: bool,
    pub(crate) bounds: Bounds,
}

impl Ctx {
    pub(crate) fn new(bounds: Bounds, trace: bool) -> Ctx {
        Ctx {
            store: Store::new(limits::MAX_TEXT.min(bounds.large.saturating_mul(16))),
            eval: Evaluation {
                scratch: Vec::new(),
                text: Vec::new(),
                idle: Vec::new(),
                instances: FxHashMap::default(),
                applied: Applied::default(),
                memo: Vec::new(),
                generation: 0,
                steps: 0,
                depth: 0,
                stopped: false,
                bounds,
            },
            messages: Messages::default(),
            origins: Origins::new(trace),
        }
    }
}

impl Ctx {
    pub(crate) fn add_record(&mut self, record: Record) -> RecId {
        if self.store.records.len() >= self.eval.bounds.records {
            self.too_much("records");
        }
        self.store.records.push(record);
        RecId(self.store.records.len() as u32 - 1)
    }

    // ---- Field assignment ----------------------------------------------------------------------------------------

    /// Adds a field with value `?`, which for `bits` is as many `?`.
    pub(crate) fn push_field(&mut self, rec: RecId, field: crate::record::FieldDesc, value: Val, loc: Loc) {
        let shape = self.store.rec(rec).shape;
        if self.store.shapes.get(shape).fields.len() >= MAX_FIELDS {
            return self.too_much("fields of one record");
        }
        let shape = self.store.shapes.push(shape, field);
        let r = self.store.rec_mut(rec);
        r.shape = shape;
        let at = r.values.len();
        r.values.push(value);
        self.store.set_field_loc(rec, at, loc);
    }

    /// Gives a field a value, converted to the field's type; `false` if it cannot be.
    pub(crate) fn set_field(&mut self, rec: RecId, at: usize, value: Val) -> bool {
        let ty = self.store.shapes.get(self.store.rec(rec).shape).fields[at].ty;
        if self.store.vals.ty(value) == ty && ty.width().is_none() {
            self.store.rec_mut(rec).values[at] = value;
            return true;
        }
        let value = self.field_value(value, ty);
        self.store.rec_mut(rec).values[at] = value.unwrap_or(Val::MISSING);
        value.is_some()
    }

    /// A value as a field of that type holds it.
    pub(crate) fn field_value(&mut self, value: Val, ty: Ty) -> Option<Val> {
        let value = self.cast_to(value, ty)?;
        match ty.width() {
            Some(width) if self.store.vals.kind(value) != ValueKind::Bits => {
                let bits: Vec<u32> = (0..width).map(|i| self.store.bit_of(value, i).0).collect();
                Some(self.store.bits(&bits))
            }
            _ => Some(value),
        }
    }

    pub(crate) fn max_list(&self) -> usize {
        limits::MAX_LIST.min(self.eval.bounds.large)
    }

    pub(crate) fn max_string(&self) -> usize {
        limits::MAX_STRING.min(self.eval.bounds.large)
    }

    // ---- Bounds --------------------------------------------------------------------------------------------------

    /// Stops the run because an input asks for too much.
    pub(crate) fn too_much(&mut self, what: &str) {
        self.fatal(Loc::NONE, "tblgen-limit", format!("the input needs too many or too large {what}").as_bytes());
    }

    /// Counts a step of evaluation; `false` when the run is over.
    #[inline]
    pub(crate) fn step(&mut self) -> bool {
        self.eval.steps += 1;
        if self.eval.steps & 0xFFF == 0 || self.store.vals.too_deep {
            self.look_at_bounds();
        }
        !self.eval.stopped
    }

    #[cold]
    fn look_at_bounds(&mut self) {
        if self.store.vals.too_deep {
            self.too_much("values within values");
        }
        {
            if self.eval.steps > self.eval.bounds.steps {
                self.too_much("computations");
            } else if self.store.vals.pool_words() > self.eval.bounds.pool_words
                || self.store.vals.len() > self.eval.bounds.pool_words.min(limits::MAX_VALUES)
            {
                self.too_much("values");
            } else if self.store.names.bytes() > self.eval.bounds.string_bytes {
                self.too_much("strings");
            }
        }
    }

    /// An error after which nothing counts.
    pub(crate) fn fatal(&mut self, loc: Loc, code: &'static str, text: &[u8]) {
        if !self.eval.stopped {
            self.messages.error(&self.store.places, loc, code, text);
            self.eval.stopped = true;
            self.messages.closed = true;
        }
    }

    /// A fatal error at a record and the `defm`s that made it.
    pub(crate) fn fatal_at(&mut self, rec: Option<RecId>, code: &'static str, text: &[u8]) {
        if self.eval.stopped {
            return;
        }
        self.error_at(rec, code, text);
        self.eval.stopped = true;
        self.messages.closed = true;
    }

    /// An error at a record and the `defm`s that made it.
    pub(crate) fn error_at(&mut self, rec: Option<RecId>, code: &'static str, text: &[u8]) {
        let locs: Vec<Loc> = rec.map_or_else(Vec::new, |r| self.store.rec(r).locs.iter().collect());
        self.messages.error_chain(&self.store.places, &locs, code, text);
    }
}

/// Fields of one record.
const MAX_FIELDS: usize = 1 << 11;
