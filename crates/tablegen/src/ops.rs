//! The operators by number, with their spelling.

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum UnOp {
    Cast,
    Not,
    Head,
    Tail,
    Size,
    Empty,
    GetDagOp,
    LogTwo,
    Repr,
    ToLower,
    ToUpper,
    ListFlatten,
    Initialized,
    Instances,
    GetDagOpName,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    And,
    Or,
    Xor,
    Shl,
    Sra,
    Srl,
    ListConcat,
    ListSplat,
    ListRemove,
    ListElem,
    ListSlice,
    RangeClosed,
    StrConcat,
    Interleave,
    Con,
    Eq,
    Ne,
    Le,
    Lt,
    Ge,
    Gt,
    GetDagArg,
    GetDagName,
    SetDagOp,
    Match,
    SetDagOpName,
}

/// Operators of three operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum TernOp {
    Subst,
    Foreach,
    Filter,
    If,
    Dag,
    Range,
    Substr,
    Find,
    SetDagArg,
    SetDagName,
    Sort,
}

const UN: [(UnOp, &str); 15] = [
    (UnOp::Cast, "!cast"),
    (UnOp::Not, "!not"),
    (UnOp::Head, "!head"),
    (UnOp::Tail, "!tail"),
    (UnOp::Size, "!size"),
    (UnOp::Empty, "!empty"),
    (UnOp::GetDagOp, "!getdagop"),
    (UnOp::LogTwo, "!logtwo"),
    (UnOp::Repr, "!repr"),
    (UnOp::ToLower, "!tolower"),
    (UnOp::ToUpper, "!toupper"),
    (UnOp::ListFlatten, "!listflatten"),
    (UnOp::Initialized, "!initialized"),
    (UnOp::Instances, "!instances"),
    (UnOp::GetDagOpName, "!getdagopname"),
];

const BIN: [(BinOp, &str); 30] = [
    (BinOp::Add, "!add"),
    (BinOp::Sub, "!sub"),
    (BinOp::Mul, "!mul"),
    (BinOp::Div, "!div"),
    (BinOp::And, "!and"),
    (BinOp::Or, "!or"),
    (BinOp::Xor, "!xor"),
    (BinOp::Shl, "!shl"),
    (BinOp::Sra, "!sra"),
    (BinOp::Srl, "!srl"),
    (BinOp::ListConcat, "!listconcat"),
    (BinOp::ListSplat, "!listsplat"),
    (BinOp::ListRemove, "!listremove"),
    (BinOp::ListElem, "[]"),
    (BinOp::ListSlice, "[,]"),
    (BinOp::RangeClosed, "..."),
    (BinOp::StrConcat, "!strconcat"),
    (BinOp::Interleave, "!interleave"),
    (BinOp::Con, "!con"),
    (BinOp::Eq, "!eq"),
    (BinOp::Ne, "!ne"),
    (BinOp::Le, "!le"),
    (BinOp::Lt, "!lt"),
    (BinOp::Ge, "!ge"),
    (BinOp::Gt, "!gt"),
    (BinOp::GetDagArg, "!getdagarg"),
    (BinOp::GetDagName, "!getdagname"),
    (BinOp::SetDagOp, "!setdagop"),
    (BinOp::Match, "!match"),
    (BinOp::SetDagOpName, "!setdagopname"),
];

const TERN: [(TernOp, &str); 11] = [
    (TernOp::Subst, "!subst"),
    (TernOp::Foreach, "!foreach"),
    (TernOp::Filter, "!filter"),
    (TernOp::If, "!if"),
    (TernOp::Dag, "!dag"),
    (TernOp::Range, "!range"),
    (TernOp::Substr, "!substr"),
    (TernOp::Find, "!find"),
    (TernOp::SetDagArg, "!setdagarg"),
    (TernOp::SetDagName, "!setdagname"),
    (TernOp::Sort, "!sort"),
];

impl UnOp {
    /// Whether the final resolution tries it again though no operand changed.
    pub(crate) fn waits(self) -> bool {
        matches!(self, UnOp::Cast | UnOp::Initialized | UnOp::Instances)
    }

    /// The operator of a node; nodes are only made from operators.
    pub(crate) fn of(code: u8) -> UnOp {
        UN[usize::from(code) % UN.len()].0
    }

    pub(crate) fn name(self) -> &'static str {
        UN[self as usize].1
    }
}

impl BinOp {
    pub(crate) fn of(code: u8) -> BinOp {
        BIN[usize::from(code) % BIN.len()].0
    }

    pub(crate) fn name(self) -> &'static str {
        BIN[self as usize].1
    }
}

impl TernOp {
    /// Whether the first operand is a name that the third may use.
    pub(crate) fn binds(self) -> bool {
        matches!(self, TernOp::Foreach | TernOp::Filter | TernOp::Sort)
    }

    pub(crate) fn of(code: u8) -> TernOp {
        TERN[usize::from(code) % TERN.len()].0
    }

    pub(crate) fn name(self) -> &'static str {
        TERN[self as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_in_order() {
        assert!(UN.iter().enumerate().all(|(i, (op, _))| *op as usize == i));
        assert!(BIN.iter().enumerate().all(|(i, (op, _))| *op as usize == i));
        assert!(TERN.iter().enumerate().all(|(i, (op, _))| *op as usize == i));
    }
}
