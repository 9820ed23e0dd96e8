//! From templates to display programs: the compile phase.

use isaglot_codec::{Alternative, Context, Meaning, ValueId};
use isaglot_model::{Assert, Case, Encoding, EncodingId, ExprId, Field, FieldType, SpaceId, TemplatePart};

use super::{BlockId, PrintOp, Programs, Sub, put};
use crate::guard::Test;

/// What the block of a sub-encoded field depends on, where no guards of outer scopes are involved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SubKey {
    space: SpaceId,
    value: ValueId,
    /// Per parameter: its inner name, and the value and the type of the field that it is.
    params: Vec<(u32, ValueId, u32)>,
    /// See [`Compiler::footprint`].
    footprint: Vec<ExprId>,
}

/// Whether a case applies to the words that a context stands for.
enum Applies {
    /// It prints nothing: its guard is 0, or it has neither text nor asserts. With what is known after its guard.
    Unseen(Context),
    /// Its guard is never 0.
    Always(Context),
    /// The word decides: by this value of this guard.
    Open(ValueId, ExprId),
    /// The exact engine has to say.
    Unknown,
    /// No word comes here.
    Contradiction,
}

impl<'a> Programs<'_, 'a> {
    /// Compiles an instruction's encoding: see [`Programs::root`].
    #[cold]
    pub(super) fn compile_root(&mut self, encoding: EncodingId) -> (BlockId, bool) {
        let whole = self.whole(encoding);
        let block = self.finished(whole);
        let has_dont_care = !self.compiler.plan().isa()[encoding].dont_care.is_zero();
        if let Some(root) = self.roots.get_mut(encoding.index()) {
            *root = Some((block, has_dont_care));
        }
        (block, has_dont_care)
    }

    /// The block of an instruction's encoding as it was compiled: without [`PrintOp::Cached`].
    pub fn whole(&mut self, encoding: EncodingId) -> BlockId {
        match self.compiler.root(encoding) {
            Some(context) => self.leaf(context),
            None => Self::BAIL,
        }
    }

    /// The block that prints an instruction in the words of one of its aliases, and gives up where that does not
    /// apply. Asserts are not checked.
    #[cold]
    pub(crate) fn alias(&mut self, encoding: EncodingId, case: usize) -> BlockId {
        let block = self.compile_alias(encoding, case).unwrap_or(Self::BAIL);
        self.finished(block)
    }

    /// The steps of an alias; `None` where they cannot be compiled.
    fn compile_alias(&mut self, id: EncodingId, case: usize) -> Option<BlockId> {
        let context = self.compiler.root(id)?;
        let isa = self.compiler.plan().isa();
        let encoding = &isa[id];
        let case = encoding.cases.get(case)?;
        let parts = &isa[case.template?].parts;
        let mut ops = Vec::new();
        let Some(guard) = case.guard else {
            self.template(context, encoding, parts, &mut ops);
            return Some(self.block(ops));
        };
        if !self.compiler.is_safe(context, guard) {
            return None;
        }
        let value = self.compiler.expression(context, guard)?;
        let inside = self.compiler.assume(context, guard, true)?;
        self.template(inside, encoding, parts, &mut ops);
        let then = self.block(ops);
        Some(match self.compiler.graph.as_const(value) {
            Some(0) => Self::BAIL,
            Some(_) => then,
            None => {
                let choice = self.choice(value, then, Self::BAIL);
                self.block(vec![choice])
            }
        })
    }

    /// The step that prints a text.
    fn literal(&mut self, text: &[u8]) -> PrintOp {
        let (from, len) = put(&mut self.text, &mut self.texts, text);
        PrintOp::Text { from, len }
    }

    /// The step that chooses a block.
    fn choice(&mut self, guard: ValueId, then: BlockId, other: BlockId) -> PrintOp {
        let test = match self.known_tests.get(&guard) {
            Some(&test) => test,
            None => {
                let test = Test::new(&self.compiler.graph, guard).map(|test| {
                    self.tests.push(test);
                    self.tests.len() as u32 - 1
                });
                self.known_tests.insert(guard, test);
                test
            }
        };
        match test {
            Some(test) => PrintOp::Test { test, then, other },
            None => PrintOp::If { guard, then, other },
        }
    }

    /// A number for the way that a field prints: fields of equal type and width share it.
    fn field(&mut self, field: &'a Field) -> u32 {
        if let Some(&id) = self.field_ids.get(&std::ptr::from_ref(field).addr()) {
            return id;
        }
        let same = self.fields.iter().position(|known| known.ty == field.ty && known.width == field.width);
        let id = match same {
            Some(id) => id,
            None => {
                self.fields.push(field);
                self.fields.len() - 1
            }
        } as u32;
        self.field_ids.insert(std::ptr::from_ref(field).addr(), id);
        id
    }

    /// The block of a leaf in its context.
    fn leaf(&mut self, context: Context) -> BlockId {
        let encoding = &self.compiler.plan().isa()[self.compiler.encoding(context)];
        self.cases(context, encoding, 0)
    }

    /// The block for the text as found from case `from` on.
    ///
    /// Cases are tried in order, so a guard that is open splits the program: the cases `[A] "x"`, `[B] "y"`, `"z"` become
    /// `if A { "x" } else { if B { "y" } else { "z" } }`. On each way the compiler knows how the guards before went.
    fn cases(&mut self, context: Context, encoding: &'a Encoding, from: usize) -> BlockId {
        let mut context = context;
        let mut ops = Vec::new();
        for (at, case) in encoding.cases.iter().enumerate().skip(from) {
            let shown = self.compiler.plan().template(case);
            let open = match self.applies(context, case, shown.is_some()) {
                Applies::Unseen(next) => {
                    context = next;
                    continue;
                }
                Applies::Always(next) => {
                    context = next;
                    None
                }
                Applies::Open(value, guard) => Some((value, guard)),
                Applies::Unknown => {
                    ops.push(PrintOp::Bail);
                    return self.block(ops);
                }
                Applies::Contradiction => return Self::BAIL,
            };
            let inside = match open {
                None => Some(context),
                Some((_, guard)) => self.compiler.assume(context, guard, true),
            };
            let Some(inside) = inside else { return Self::BAIL };
            let mut inner = self.asserts(inside, &case.asserts);
            if let Some(template) = shown {
                self.template(inside, encoding, &self.compiler.plan().isa()[template].parts, &mut inner);
            }
            let Some((value, guard)) = open else {
                ops.append(&mut inner);
                if shown.is_some() {
                    return self.block(ops);
                }
                continue;
            };
            let then = self.block(inner);
            if shown.is_some() {
                let other = match self.compiler.assume(context, guard, false) {
                    None => Self::BAIL,
                    Some(otherwise) => self.cases(otherwise, encoding, at + 1),
                };
                ops.push(self.choice(value, then, other));
                return self.block(ops);
            }
            let other = self.block(Vec::new());
            ops.push(self.choice(value, then, other));
            match self.compiler.evaluated(context, guard) {
                Some(next) => context = next,
                None => return Self::BAIL,
            }
        }
        // No text at all is an error.
        ops.push(PrintOp::Bail);
        self.block(ops)
    }

    /// Whether a case applies, as far as that can be said ahead of time.
    fn applies(&mut self, context: Context, case: &Case, has_text: bool) -> Applies {
        let Some(guard) = case.guard else { return Applies::Always(context) };
        if !self.compiler.is_safe(context, guard) {
            return Applies::Unknown;
        }
        if !has_text && case.asserts.is_empty() {
            // The case prints nothing, but its guard is evaluated, which later guards may depend on.
            return self.compiler.evaluated(context, guard).map_or(Applies::Contradiction, Applies::Unseen);
        }
        let Some(value) = self.compiler.expression(context, guard) else { return Applies::Unknown };
        match self.compiler.graph.as_const(value) {
            None => Applies::Open(value, guard),
            Some(constant) => match self.compiler.assume(context, guard, constant != 0) {
                None => Applies::Contradiction,
                Some(next) if constant == 0 => Applies::Unseen(next),
                Some(next) => Applies::Always(next),
            },
        }
    }

    /// The steps that leave the line to the exact engine where an assert fails.
    fn asserts(&mut self, context: Context, asserts: &[Assert]) -> Vec<PrintOp> {
        let step = |assert: &Assert| match (self.compiler.bits(context, assert.range), assert.value.to_u64()) {
            (Some(value), Some(want)) => PrintOp::Expect { value, want },
            _ => PrintOp::Bail,
        };
        asserts.iter().map(step).collect()
    }

    /// Appends the steps of a template.
    fn template(
        &mut self,
        context: Context,
        encoding: &'a Encoding,
        parts: &'a [TemplatePart],
        ops: &mut Vec<PrintOp>,
    ) {
        let mut context = context;
        for part in parts {
            match part {
                TemplatePart::Literal(text) => {
                    let op = self.literal(text);
                    ops.push(op);
                }
                TemplatePart::Align(column) => ops.push(PrintOp::Align(*column)),
                TemplatePart::Mnemonic { align, .. } => {
                    if *align > 0 {
                        ops.push(PrintOp::Align(*align));
                    }
                    let op = self.literal(encoding.display_name.as_bytes());
                    ops.push(op);
                }
                TemplatePart::Field { name, align, reference } => {
                    let alternatives = self.compiler.resolve(context, *name);
                    // Padding comes after the name is found; where it is not, the line is given up anyway.
                    if *align > 0 {
                        ops.push(PrintOp::Align(*align));
                    }
                    let step = self.alternatives(context, &alternatives, reference);
                    ops.extend(step);
                    match self.compiler.shown(context, *name) {
                        Some(next) => context = next,
                        None => {
                            ops.push(PrintOp::Bail);
                            return;
                        }
                    }
                }
            }
        }
    }

    /// The steps that print a field with these meanings, the first whose guard holds.
    fn alternatives(&mut self, context: Context, list: &[Alternative<'a>], reference: &'a str) -> Vec<PrintOp> {
        let Some((first, rest)) = list.split_first() else { return vec![PrintOp::Bail] };
        let assumed = |programs: &mut Self, holds| match first.expr {
            Some(guard) => programs.compiler.assume(context, guard, holds),
            None => Some(context),
        };
        // The first meaning and, where its guard is 0, the steps of the rest.
        let mut here = Vec::new();
        match (first.meaning, assumed(self, true)) {
            (Meaning::Field(field, found), Some(inside)) => {
                let found = if found == context { inside } else { found };
                self.print(inside, field, found, reference, &mut here);
            }
            _ => here.push(PrintOp::Bail),
        }
        let Some(guard) = first.guard else { return here };
        let other = match assumed(self, false) {
            Some(outside) => self.alternatives(outside, rest, reference),
            None => vec![PrintOp::Bail],
        };
        let (then, other) = (self.block(here), self.block(other));
        vec![self.choice(guard, then, other)]
    }

    /// Appends the steps that print a field.
    fn print(
        &mut self,
        context: Context,
        field: &'a Field,
        found: Context,
        reference: &'a str,
        ops: &mut Vec<PrintOp>,
    ) {
        if field.width > 64 {
            ops.push(PrintOp::Bail);
            return;
        }
        let Some(value) = self.compiler.field_value(field, found) else {
            ops.push(PrintOp::Bail);
            return;
        };
        let constant = self.compiler.graph.as_const(value);
        match &field.ty {
            FieldType::Sub(space) => match self.sub(context, field, found, *space, value) {
                Some(sub) => ops.push(PrintOp::Sub(sub)),
                None => ops.push(PrintOp::Bail),
            },
            FieldType::Custom => {
                let known = self.references.iter().position(|known| *known == reference);
                let reference = known.unwrap_or_else(|| {
                    self.references.push(reference);
                    self.references.len() - 1
                }) as u32;
                ops.push(PrintOp::Custom { value, reference });
            }
            FieldType::Branch { .. } if self.labels => {
                let field = self.field(field);
                ops.push(PrintOp::Branch { value, field });
            }
            FieldType::Bool(Some(text)) if constant.is_some() || text.is_empty() => {
                if constant.is_some_and(|value| value != 0) {
                    let op = self.literal(text.as_bytes());
                    ops.push(op);
                }
            }
            _ => {
                let field = self.field(field);
                ops.push(PrintOp::Scalar { value, field });
            }
        }
    }

    /// The sub-encoding of a field as shown in a context.
    fn sub(
        &mut self,
        inside: Context,
        field: &'a Field,
        found: Context,
        space: SpaceId,
        value: ValueId,
    ) -> Option<u32> {
        let key = self.sub_key(inside, field, space, value);
        if let Some(key) = &key
            && let Some(&sub) = self.shared_subs.get(key)
        {
            return sub;
        }
        let plan = self.compiler.plan();
        let isa = plan.isa();
        if let Some(tree) = self.trees.get_mut(space.index()) {
            *tree = Some(plan.tree(space));
        }
        let mut leaves = Vec::with_capacity(isa[space].encodings.len());
        for &id in &isa[space].encodings {
            let encoding = &isa[id];
            let block = if self.compiler.plan().active(encoding) {
                let context = self.compiler.nested(inside, field, found, id)?;
                self.leaf(context)
            } else {
                Self::BAIL
            };
            leaves.push((block, encoding.dont_care.low_u64()));
        }
        let sub = Sub { value, width: field.width, space, leaves };
        let id = match self.known_subs.get(&sub) {
            Some(&id) => id,
            None => {
                self.subs.push(sub.clone());
                self.known_subs.insert(sub, self.subs.len() as u32 - 1);
                self.subs.len() as u32 - 1
            }
        };
        if let Some(key) = key {
            self.shared_subs.insert(key, Some(id));
        }
        Some(id)
    }

    /// What the sub-encoding depends on; `None` if more than the key can say.
    fn sub_key(&mut self, inside: Context, field: &'a Field, space: SpaceId, value: ValueId) -> Option<SubKey> {
        // Two fields with equal keys print alike: same bits, same space, and parameters of the same values and types.
        let mut params = Vec::with_capacity(field.params.len());
        for param in &field.params {
            let alternatives = self.compiler.resolve(inside, param.name);
            let [alternative] = alternatives.as_slice() else { return None };
            let Meaning::Field(field, found) = alternative.meaning else { return None };
            if matches!(field.ty, FieldType::Sub(_)) {
                return None;
            }
            let value = self.compiler.field_value(field, found)?;
            params.push((param.as_name.0, value, self.field(field)));
        }
        let footprint = self.compiler.footprint(inside, field.params.iter().map(|param| param.name))?;
        Some(SubKey { space, value, params, footprint })
    }
}
