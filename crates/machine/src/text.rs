//! The text of each encoding, typed once for the gen, with what is asked of it again and again.

use std::sync::Arc;

use isaglot_codec::Plan;
use isaglot_model::{Encoding, EncodingId, Flow, Isa, Name};
use isaglot_semantics::{Body, RegisterIndex, Statement, Value};
use rustc_hash::FxHashMap;

/// What an encoding does.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) encoding: EncodingId,
    pub(crate) body: Body,
    /// The names of its operands, and whether the text uses them.
    pub(crate) operands: Vec<(Name, bool)>,
    /// Bits of each operand, as the text knows it; 0 for a register.
    pub(crate) widths: Vec<u32>,
    /// A trap of this text is the end of the program.
    pub(crate) ends: bool,
    /// No value has more than 64 bits.
    pub(crate) narrow: bool,
}

/// Texts by encoding.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    known: FxHashMap<EncodingId, Option<Arc<Text>>>,
}

impl Texts {
    /// What an encoding does; `None` if the description does not say.
    pub(crate) fn of(&mut self, plan: &Plan<'_>, id: EncodingId) -> Option<Arc<Text>> {
        self.known.entry(id).or_insert_with(|| text(plan.isa(), plan.generation(), id).map(Arc::new)).clone()
    }
}

/// Whether a program ends with it.
fn is_end(encoding: &Encoding) -> bool {
    encoding.flow == Flow::End
}

fn text(isa: &Isa, generation: u32, id: EncodingId) -> Option<Text> {
    let encoding = &isa[id];
    let ends = is_end(encoding);
    let body = match isa.body(id, generation) {
        Some(body) => body,
        // All that there is to say of it is that the program ends.
        None if ends => Body { statements: vec![Statement::Trap(String::new(), Vec::new())], ..Body::default() },
        None => return None,
    };
    let env = isa.environment(encoding, generation);
    let names = isa.semantic_operands(encoding);
    let used = |at: usize| {
        let is = |index: &RegisterIndex| matches!(index, RegisterIndex::Operand(op) if op.0 as usize == at);
        body.values.iter().any(|value| match value {
            Value::Immediate(op) | Value::RegisterNumber(op) => op.0 as usize == at,
            Value::Register(_, index) => is(index),
            _ => false,
        }) || writes(&body.statements, &is)
    };
    let operands = names.iter().enumerate().map(|(at, &name)| (name, used(at))).collect();
    let widths = env.operands().iter().map(|(_, symbol)| match symbol {
        isaglot_semantics::Symbol::Immediate { width } => *width,
        isaglot_semantics::Symbol::Register { .. } => 0,
    });
    let widths = widths.collect();
    let narrow = body.widths.iter().chain(&body.locals).all(|&w| w <= 64);
    Some(Text { encoding: id, body, operands, widths, ends, narrow })
}

/// Whether a register that is so is written.
fn writes(list: &[Statement], is: &dyn Fn(&RegisterIndex) -> bool) -> bool {
    list.iter().any(|statement| match statement {
        Statement::SetRegister(_, index, _) => is(index),
        Statement::If(_, then, otherwise) => writes(then, is) || writes(otherwise, is),
        _ => false,
    })
}
