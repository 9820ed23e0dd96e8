//! Operands and flow of an encoding (extensions, and what an overlay says).
//!
//! A field says what it is by its type (a register file, a branch) and its attributes; `<operand>` adds registers that
//! are not in the word. Operands stand in the order in which the encoding's unconditional text names them, then those
//! that it does not name, then implicit ones.

use isaglot_model::{
    Access, Encoding, ExprId, Flow, Name, Node, NodeId, Operand, OperandKind, RegisterFileId, UnaryOp, Varies,
};
use isaglot_source::{Diagnostic, Diagnostics, Span};

use super::{Lowering, exprs, register_file_id};
use crate::check::{Builtin, Place, TypeOf, resolve};
use crate::display::template_references;
use crate::gather::Tables;
use crate::syntax::{ExprDecl, FlowDecl, OperandDecl, Role};
use crate::text::Text;

/// The operands and the flow of an encoding, whose cases are made already, at `place`.
pub(super) fn lower(
    lowering: &mut Lowering<'_>,
    place: &Place,
    encoding: &Encoding,
    out: &mut Diagnostics,
) -> (Vec<Operand>, Flow) {
    let tables = lowering.tables;
    let sets = || place.levels.iter().filter_map(|l| tables.sets.get(*l));
    let Lowering { roles, builder, misfits, .. } = lowering;
    let (mut found, said) = match roles {
        Some(roles) => roles.of(tables, place, encoding, builder, misfits),
        None => (Vec::new(), None),
    };
    let dialect = sets().any(|set| set.dialect);
    if !dialect && found.is_empty() {
        return (Vec::new(), said.unwrap_or_default());
    }
    let has = |name: Name| encoding.cases.iter().any(|c| c.fields.iter().any(|f| f.name == name));
    let defined = |lowering: &mut Lowering<'_>, name: &str| has(lowering.builder.name(name));
    for case in sets().filter(|_| dialect).flat_map(|set| &set.cases) {
        let derived = case.decl.derived.iter().map(|d| (&d.name, &d.ty, &d.role, d.span));
        let fields = case.decl.fields.iter().map(|f| (&f.name, &f.ty, &f.role, f.span));
        for (name, ty, role, span) in derived.chain(fields) {
            if found.iter().any(|(known, _)| *known == name.value) {
                continue;
            }
            let id = lowering.builder.name(&name.value);
            if let Some(mut operand) = operand(tables, id, ty, role, span, out) {
                // Of the two there is always one.
                if let (Access::Write, Some(keeps)) = (operand.access, &role.keeps)
                    && let Some(when) = lowering.expression(keeps, false, &defined, out)
                {
                    let varies = Varies { when: Some(when), ..operand.varies };
                    let kept = Operand { access: Access::ReadWrite, varies, ..operand.clone() };
                    operand.varies.when = lowering.expression(keeps, true, &defined, out);
                    found.push((name.value.clone(), kept));
                }
                found.push((name.value.clone(), operand));
            }
        }
    }
    let shown = sets().flat_map(|set| &set.cases).filter(|c| c.guard.is_none()).find_map(|c| c.display.as_ref());
    let order: Vec<&str> = shown.map(|text| template_references(&text.value)).unwrap_or_default();
    let position = |name: &str| {
        let plain = |r: &&str| r.split_once(":align=").map_or(*r, |(name, _)| name) == name;
        order.iter().position(plain).unwrap_or(order.len())
    };
    found.sort_by_key(|(name, _)| position(name));
    let mut operands: Vec<Operand> = found.into_iter().map(|(_, operand)| operand).collect();
    for decl in sets().flat_map(|set| &set.decl.operands) {
        let Some(mut operand) = implicit(tables, decl, out) else { continue };
        operand.varies.when = decl.when.as_ref().and_then(|e| lowering.expression(e, false, &defined, out));
        operand.varies.mask = decl.mask.as_ref().and_then(|e| lowering.expression(e, false, &defined, out));
        operands.push(operand);
    }
    let mut flow = said.unwrap_or_default();
    if let Some(decl) = sets().find_map(|set| set.decl.flow.as_ref()) {
        let target = decl.target.as_ref().map(|t| (lowering.builder.name(&t.value), t));
        match target.filter(|(name, _)| !has(*name)) {
            Some((_, text)) => {
                let message = format!("no field is called `{}`", text.value);
                out.push(Diagnostic::error("isaspec-flow", message).label(text.span(), "the target of the branch"));
            }
            None => flow = self::flow(decl, target.map(|(name, _)| name), out),
        }
    }
    (operands, flow)
}

impl Lowering<'_> {
    /// An expression of an operand, or the one that is 1 where that is 0. What a description says many times is in the model once.
    fn expression(
        &mut self,
        decl: &ExprDecl,
        negated: bool,
        defined: &dyn Fn(&mut Self, &str) -> bool,
        out: &mut Diagnostics,
    ) -> Option<ExprId> {
        let parsed = decl.parsed.as_ref()?;
        if let Some(name) = parsed.fields.iter().find(|name| !defined(self, name)) {
            let d = Diagnostic::error("isaspec-operand", format!("no field is called `{name}`"));
            out.push(d.label(decl.text.span(), "used here"));
            return None;
        }
        let text = if negated { format!("!({})", decl.text.value) } else { decl.text.value.clone() };
        if let Some(&known) = self.operand_exprs.get(&text) {
            return Some(known);
        }
        let mut expr = exprs::lower(&mut self.builder, &self.tables.features, &text, decl, parsed);
        if negated {
            let root = NodeId(expr.nodes.len() as u32 - 1);
            let ty = expr.node_type(root);
            expr.nodes.push(Node::Unary(UnaryOp::LogicalNot, ty, root));
            expr.text.clone_from(&text);
        }
        let id = self.builder.expr(expr);
        self.operand_exprs.insert(text, id);
        Some(id)
    }
}

/// What an attribute `access` says.
pub(crate) fn access(text: Option<&Text>) -> Access {
    match text.map(|t| t.value.as_str()) {
        Some("write") => Access::Write,
        Some("readwrite") => Access::ReadWrite,
        _ => Access::Read,
    }
}

fn operand(
    tables: &Tables<'_>,
    name: Name,
    ty: &Text,
    role: &Role,
    span: Span,
    out: &mut Diagnostics,
) -> Option<Operand> {
    let ty = resolve(tables, &ty.value).ok()?;
    let own = match ty {
        TypeOf::Registers(index) => Some(register_file_id(index)),
        _ => None,
    };
    let named = role.registers.as_ref().and_then(|r| tables.registers.position(&r.value)).map(register_file_id);
    let default = match ty {
        TypeOf::Registers(_) => "register",
        TypeOf::Builtin(Builtin::Branch | Builtin::Absbranch) => "label",
        _ if named.is_some() => "register",
        _ => "",
    };
    let role_name = role.role.as_ref().map_or(default, |r| r.value.as_str());
    let file = |out: &mut Diagnostics| -> Option<RegisterFileId> {
        let file = named.or(own);
        if file.is_none() {
            let d = Diagnostic::error("isaspec-role", format!("the role `{role_name}` needs a register file"))
                .label(role.role.as_ref().map_or(span, Text::span), "expected `registers`, or a register file as type");
            out.push(d);
        }
        file
    };
    let kind = match role_name {
        "register" => OperandKind::Register(name, file(out)?),
        "address" => OperandKind::Memory(name, file(out)?),
        "immediate" => OperandKind::Immediate(name),
        "label" => OperandKind::Label(name),
        _ => return None,
    };
    let count = role.count.map_or(1, |c| u32::try_from(c.value).unwrap_or(1));
    Some(Operand { kind, access: access(role.access.as_ref()), count, varies: Varies::default(), span })
}

/// A register that is not in the word.
pub(crate) fn implicit(tables: &Tables<'_>, decl: &OperandDecl, out: &mut Diagnostics) -> Option<Operand> {
    let Some(index) = tables.registers.position(&decl.registers.value) else {
        let message = format!("there is no register file `{}`", decl.registers.value);
        out.push(Diagnostic::error("isaspec-registers", message).label(decl.registers.span(), "expected one"));
        return None;
    };
    let file = super::register_file(tables, &decl.registers.value, tables.registers.entries.get(index)?.1);
    let wanted = decl.register.value.as_str();
    let by_name = file.names.iter().position(|n| n.as_deref() == Some(wanted)).map(|n| n as u32);
    let by_alias = || file.aliases.iter().find(|(alias, _)| alias == wanted).map(|(_, number)| *number);
    let Some(number) = by_name.or_else(by_alias) else {
        let message = format!("`{}` has no register `{wanted}`", decl.registers.value);
        out.push(Diagnostic::error("isaspec-registers", message).label(decl.register.span(), "expected a name of it"));
        return None;
    };
    let kind = OperandKind::Implicit(register_file_id(index), number);
    Some(Operand { kind, access: access(decl.access.as_ref()), count: 1, varies: Varies::default(), span: decl.span })
}

/// Where control goes.
pub(crate) fn flow(decl: &FlowDecl, target: Option<Name>, out: &mut Diagnostics) -> Flow {
    let needs = matches!(decl.to.value.as_str(), "branch" | "jump" | "call");
    if needs != target.is_some() {
        let what = if needs { "needs" } else { "takes no" };
        let message = format!("flow to `{}` {what} `target`", decl.to.value);
        out.push(Diagnostic::error("isaspec-flow", message).label(decl.span, "here"));
    }
    match (decl.to.value.as_str(), target) {
        ("next", _) => Flow::Next,
        ("branch", Some(target)) => Flow::Branch { target, conditional: true },
        ("jump", Some(target)) => Flow::Branch { target, conditional: false },
        ("call", Some(target)) => Flow::Call { target },
        ("indirect", _) => Flow::Indirect { call: false },
        ("indirect-call", _) => Flow::Indirect { call: true },
        ("return", _) => Flow::Return,
        ("trap", _) => Flow::Trap,
        ("end", _) => Flow::End,
        ("branch" | "jump" | "call", None) => Flow::Next,
        _ => {
            let d = Diagnostic::error("isaspec-flow", format!("unknown flow `{}`", decl.to.value));
            let known = "next, branch, jump, call, indirect, indirect-call, return, trap or end";
            out.push(d.label(decl.to.span(), format!("expected {known}")));
            Flow::Next
        }
    }
}
