//! What an instruction is taken to say where its text or listing says nothing.

use crate::inst::{Desc, File, Inst, NO_STRIDE, XeOperand, XeOperandKind};
use crate::isa::Xe;
use crate::platform::Platform;

impl Xe<'_> {
    /// An operand (0: the destination) of an instruction, with the region that it does not say.
    #[inline]
    pub(crate) fn with_default_region(&self, i: &Inst, operand: usize, o: XeOperand) -> XeOperand {
        let implied = &self.op(i.op).implied;
        match o.kind {
            _ if o.h != NO_STRIDE => o,
            XeOperandKind::Direct | XeOperandKind::Macro if i.es == 1 => implied.complete_one(operand, &o),
            XeOperandKind::Direct | XeOperandKind::Macro | XeOperandKind::Indirect => implied.complete(operand, &o),
            _ => o,
        }
    }

    /// Whether the text of a message is of the form `ExBSO` even if it does not say so: where a length stands beside a register, it has
    /// to be in that form; from Xe2 on `ugm` has another.
    pub(crate) fn implies_exbso(&self, i: &Inst) -> bool {
        let has_length = i.srcs[1].len >= 0 || i.srcs[1].file == File::NULL;
        let needed = self.platform < Platform::Xe2 || self.text(i.sub) != "ugm";
        matches!(i.exdesc, Desc::Reg(_)) && has_length && needed
    }
}
