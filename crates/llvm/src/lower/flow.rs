//! Where control goes after an instruction: the flags of its record, and the operand that is a code address.
//!
//! The records say that there is a branch; which operand is its target they do not. It is the one that prints as a
//! `branch` by the operand table.

use isaglot_model::{FieldSource, FieldType, Flow, Name, Operand, OperandKind};

use super::scope::Scope;
use crate::target::inst::Flags;

/// Where control goes. `jump` says that what is a call by its record is none in this form.
pub(crate) fn flow(flags: Flags, scope: &Scope, jump: bool) -> Flow {
    let call = flags.calls && !jump;
    if flags.returns {
        return Flow::Return;
    }
    if flags.traps {
        return Flow::Trap;
    }
    let away = jump || flags.indirect || flags.branches && flags.barrier;
    match target(scope) {
        Some(target) if call => Flow::Call { target },
        Some(target) if jump || flags.branches => {
            Flow::Branch { target, conditional: !jump && !flags.barrier && !flags.indirect }
        }
        _ if call || away => Flow::Indirect { call },
        _ => Flow::Next,
    }
}

/// The field that is a code address.
fn target(scope: &Scope) -> Option<Name> {
    scope.fields.iter().find(|(_, field)| matches!(field.ty, FieldType::Branch { .. })).map(|(_, field)| field.name)
}

/// Calls the operand that is a code address so.
pub(crate) fn label(scope: &Scope, operands: &mut [Operand]) {
    let Some(target) = target(scope) else { return };
    let source = |name: Name| scope.fields.iter().find(|(_, f)| f.name == name).map(|(_, f)| &f.source);
    let Some(FieldSource::Bits(bits)) = source(target) else { return };
    for operand in operands {
        if let OperandKind::Immediate(name) = operand.kind
            && matches!(source(name), Some(FieldSource::Bits(own)) if own == bits)
        {
            operand.kind = OperandKind::Label(target);
        }
    }
}
