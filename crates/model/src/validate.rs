//! The checks of a finished model: everything that engines rely on and do not test again.

use isaglot_source::{Diagnostic, Diagnostics, Span};
use rustc_hash::FxHashMap;

use crate::condition::Condition;
use crate::encoding::{Case, Encoding};
use crate::expr::{Expr, IntType, Node, NodeId};
use crate::field::{Field, FieldSource, FieldType, Piece};
use crate::ids::{FeatureId, SpaceId};
use crate::isa::Isa;
use crate::limits;
use crate::names::Name;
use crate::operand::{Flow, OperandKind};
use crate::semantics::Width;

pub(crate) fn no_root() -> Diagnostic {
    Diagnostic::error("model-no-root", "the description says nothing about which encodings are instructions")
}

/// Adds every problem of `isa` to `out`.
pub(crate) fn validate(isa: &Isa, out: &mut Diagnostics) {
    format(isa, out);
    for space in &isa.spaces {
        if space.width == 0 || space.width > limits::MAX_WORD_BITS {
            let message = format!("a width of {} bits is not between 1 and {}", space.width, limits::MAX_WORD_BITS);
            out.push(Diagnostic::error("model-width", message).label(space.span, "this set of encodings"));
        }
    }
    for expr in &isa.exprs {
        expression(isa, expr, out);
    }
    for feature in &isa.features {
        if feature.implies.iter().any(|f| f.index() >= isa.features.len()) {
            out.push(dangling(feature.span, "feature"));
        }
        feature.excludes.iter().for_each(|excluded| condition(isa, excluded, feature.span, out));
    }
    let dangling_context = isa.contexts.iter().any(|f| f.index() >= isa.features.len());
    if dangling_context || isa.contexts.len() > limits::MAX_CONTEXTS {
        let message = format!("contexts are features, and at most {}", limits::MAX_CONTEXTS);
        out.push(Diagnostic::error("model-contexts", message));
    }
    for file in &isa.register_files {
        let registers = file.names.len() as u32;
        let outside = file.aliases.iter().any(|a| a.1 >= registers) || file.zero.is_some_and(|z| z >= registers);
        if file.within.is_some_and(|(id, _)| id.index() >= isa.register_files.len()) {
            out.push(dangling(file.span, "register file"));
        }
        if registers == 0 || registers > limits::MAX_REGISTERS || file.width == Width::Bits(0) || outside {
            let message = format!("register file `{}` has no registers, too many, or names one outside it", file.name);
            out.push(Diagnostic::error("model-registers", message).label(file.span, ""));
        }
    }
    expansions(isa, out);
    if isa.encodings.len() > limits::MAX_ENCODINGS {
        let message = format!("more than {} encodings", limits::MAX_ENCODINGS);
        out.push(Diagnostic::error("model-too-many", message));
        return;
    }
    let mut seen = Seen::of(isa);
    for encoding in &isa.encodings {
        self::encoding(isa, encoding, &mut seen, out);
    }
    if !out.has_errors() {
        nesting(isa, out);
        semantics(isa, out);
    }
}

/// Which names an encoding and a case of it define: for each name the number of the last that does. So nothing has to be cleared, and no hash
/// is computed.
struct Seen {
    /// The numbers of the last encoding and of the last case, plus 1, by name.
    last: Vec<(u32, u32)>,
    encoding: u32,
    case: u32,
}

impl Seen {
    fn of(isa: &Isa) -> Seen {
        Seen { last: vec![(0, 0); isa.names.len()], encoding: 0, case: 0 }
    }

    /// Notes a name; whether the case had it before. `None` if there is no such name.
    fn add(&mut self, name: Name) -> Option<bool> {
        let last = self.last.get_mut(name.0 as usize)?;
        let before = last.1 == self.case;
        *last = (self.encoding, self.case);
        Some(before)
    }

    /// Whether the encoding has this name.
    fn has(&self, name: Name) -> bool {
        self.last.get(name.0 as usize).is_some_and(|last| last.0 == self.encoding)
    }
}

fn format(isa: &Isa, out: &mut Diagnostics) {
    let f = &isa.format;
    let bad = |what: String, span: Option<Span>| {
        let d = Diagnostic::error("model-format", what);
        match span {
            Some(span) => d.label(span, ""),
            None => d,
        }
    };
    let parcel = f.parcel_bits;
    if parcel == 0
        || !parcel.is_multiple_of(8)
        || f.max_bits == 0
        || !f.max_bits.is_multiple_of(parcel)
        || f.max_bits > limits::MAX_WORD_BITS
    {
        let what = format!(
            "instructions of {} bits in parcels of {parcel} bits: both must be whole bytes, the first a multiple of the second",
            f.max_bits
        );
        out.push(bad(what, None));
        return;
    }
    for rule in &f.lengths {
        let width = rule.pattern.width();
        let ahead = f.byte_order == crate::isa::ByteOrder::Little
            && width <= limits::MAX_START_BITS
            && width.is_multiple_of(parcel);
        condition(isa, &rule.condition, rule.span, out);
        if width != parcel && (!ahead || width == 0)
            || rule.bits == 0
            || !rule.bits.is_multiple_of(parcel)
            || rule.bits > f.max_bits
        {
            let what = format!(
                "a length rule must look at one parcel of {parcel} bits, or at whole parcels of little-endian words, and give a multiple of it up to {}",
                f.max_bits
            );
            out.push(bad(what, Some(rule.span)));
        }
    }
    match isa.spaces.get(isa.root.index()) {
        Some(root) if root.width > f.max_bits => {
            let what = format!("instructions are {} bits wide, but the format says at most {}", root.width, f.max_bits);
            out.push(bad(what, Some(root.span)));
        }
        Some(_) => {}
        None => out.push(no_root()),
    }
    if isa.value_bits == 0 || isa.value_bits > limits::MAX_EXPR_BITS {
        out.push(bad(format!("values of {} bits", isa.value_bits), None));
    }
}

fn expansions(isa: &Isa, out: &mut Diagnostics) {
    for table in &isa.tables {
        if table.width == 0 || table.rows.is_empty() || table.rows.iter().any(|row| row.width() != table.width) {
            let message = format!("table `{}` has no rows, or rows that are not {} bits wide", table.name, table.width);
            out.push(Diagnostic::error("model-table", message).label(table.span, ""));
        }
    }
    let longest = isa.spaces.get(isa.root.index()).map_or(0, |space| space.width);
    for e in &isa.expansions {
        if e.width == 0 || e.width >= longest || e.pattern.width() != e.width {
            let message = format!("a short form of {} bits for instructions of {longest}", e.width);
            out.push(Diagnostic::error("model-expansion", message).label(e.span, "expected fewer bits"));
        }
        for step in &e.steps {
            let from: u32 = step.from.iter().map(|r| r.width).sum();
            let to: u32 = step.to.iter().map(|r| r.width).sum();
            let value = step.width(&isa.tables);
            let outside = step.from.iter().any(|r| r.end() > e.width) || step.to.iter().any(|r| r.end() > longest);
            let dangling = step.guard.is_some_and(|g| g.index() >= isa.exprs.len())
                || step.table.is_some_and(|t| t.index() >= isa.tables.len());
            let short = step.extend.is_some_and(|width| width < from);
            if outside
                || dangling
                || short
                || !(1..=64).contains(&from)
                || u64::from(value) * u64::from(step.copies) != u64::from(to)
            {
                let message = format!("{from} bits that become {} times {value} do not fill {to} bits", step.copies);
                out.push(Diagnostic::error("model-expansion", message).label(step.span, "in this step"));
            }
        }
    }
}

fn dangling(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("model-dangling", format!("reference to a {what} that does not exist")).label(span, "here")
}

fn expression(isa: &Isa, expr: &Expr, out: &mut Diagnostics) {
    let error = |message: String| Diagnostic::error("model-expr", message).label(expr.span, "this expression");
    if expr.nodes.is_empty() || expr.nodes.len() > limits::MAX_EXPR_NODES {
        out.push(error(format!(
            "an expression has 1 to {} operations, this one {}",
            limits::MAX_EXPR_NODES,
            expr.nodes.len()
        )));
        return;
    }
    for (i, node) in expr.nodes.iter().enumerate() {
        let earlier = |id: NodeId| (id.0 as usize) < i;
        let fits = |t: IntType| (1..=limits::MAX_EXPR_BITS).contains(&t.bits);
        let sound = match *node {
            Node::Const(v, t) => fits(t) && t.wrap(v) == v,
            Node::Field(name) => expr.fields.contains(&name),
            Node::Gen => true,
            Node::Feature(f) => f.index() < isa.features.len(),
            Node::Unary(_, t, x) | Node::Cast(t, x) => fits(t) && earlier(x),
            Node::Binary(_, t, x, y) => fits(t) && earlier(x) && earlier(y),
            Node::Select(t, c, x, y) => fits(t) && earlier(c) && earlier(x) && earlier(y),
        };
        if !sound {
            out.push(error(format!("operation {i} of expression `{}` is malformed", expr.name)));
            return;
        }
    }
}

fn encoding(isa: &Isa, e: &Encoding, defined: &mut Seen, out: &mut Diagnostics) {
    let Some(space) = isa.spaces.get(e.space.index()) else {
        out.push(dangling(e.span, "set of encodings"));
        return;
    };
    let name = isa.text(e.name);
    let whole_width = isa.format.lengths.is_empty() || e.space != isa.root;
    if e.width == 0 || e.width > space.width || (whole_width && e.width != space.width) {
        let message = format!("`{name}` is {} bits wide in a set of {} bits", e.width, space.width);
        out.push(Diagnostic::error("model-width", message).label(e.span, "").secondary(space.span, "the set"));
        return;
    }
    if e.pattern.width() != e.width || e.dont_care.width() != e.width || !e.dont_care.and(e.pattern.care()).is_zero() {
        let message = format!("the pattern of `{name}` does not fit its width, or tests a don't-care bit");
        out.push(Diagnostic::error("model-pattern", message).label(e.span, ""));
        return;
    }
    if e.except.iter().any(|except| except.width() != e.width) {
        let message = format!("an exception of `{name}` does not have its width");
        out.push(Diagnostic::error("model-pattern", message).label(e.span, ""));
        return;
    }
    condition(isa, &e.condition, e.span, out);
    defined.encoding += 1;
    for case in &e.cases {
        defined.case += 1;
        self::case(isa, e, case, defined, out);
    }
    let undefined = |field: Name, span: Span| {
        let message = format!("`{name}` has no field `{}`", isa.text(field));
        Diagnostic::error("model-operand", message).label(span, "named here")
    };
    if e.opens.len() > limits::MAX_OPENED || e.opens.iter().any(|expr| expr.index() >= isa.exprs.len()) {
        out.push(dangling(e.span, "context"));
    }
    for operand in &e.operands {
        let (field, file) = match operand.kind {
            OperandKind::Register(f, file) | OperandKind::Memory(f, file) => (Some(f), Some((file, 0))),
            OperandKind::Implicit(file, number) => (None, Some((file, number))),
            OperandKind::Computed(_, file) => (None, Some((file, 0))),
            OperandKind::Immediate(f) | OperandKind::Label(f) | OperandKind::Part(f) => (Some(f), None),
        };
        let computed = match operand.kind {
            OperandKind::Computed(expr, _) => Some(expr),
            _ => None,
        };
        let varies = operand.varies;
        for expr in [computed, varies.when, varies.count, varies.mask].into_iter().flatten() {
            if expr.index() >= isa.exprs.len() {
                out.push(dangling(operand.span, "expression"));
            }
        }
        if let Some(field) = field.filter(|f| !defined.has(*f)) {
            out.push(undefined(field, operand.span));
        }
        if file.is_some_and(|(id, number)| {
            isa.register_files.get(id.index()).is_none_or(|f| number as usize >= f.names.len())
        }) {
            out.push(dangling(operand.span, "register"));
        }
    }
    if let Flow::Branch { target, .. } | Flow::Call { target } = e.flow
        && !defined.has(target)
    {
        out.push(undefined(target, e.span));
    }
}

fn condition(isa: &Isa, condition: &Condition, span: Span, out: &mut Diagnostics) {
    // Whether it is a feature or the opposite of one, and so needs no place in `rest`: nearly all are.
    let mut plain = |c: &Condition| match c {
        Condition::Always => true,
        Condition::Feature(FeatureId(f)) => {
            if *f as usize >= isa.features.len() {
                out.push(dangling(span, "feature"));
            }
            true
        }
        _ => false,
    };
    let mut rest = Vec::new();
    let mut next = Some(condition);
    while let Some(c) = next {
        match c {
            Condition::Always | Condition::Feature(_) => _ = plain(c),
            Condition::Not(c) => rest.extend(Some(&**c).filter(|c| !plain(c))),
            Condition::All(list) | Condition::Any(list) => rest.extend(list.iter().filter(|c| !plain(c))),
        }
        next = rest.pop();
    }
}

fn case(isa: &Isa, e: &Encoding, case: &Case, defined: &mut Seen, out: &mut Diagnostics) {
    if case.guard.is_some_and(|g| g.index() >= isa.exprs.len()) {
        out.push(dangling(case.span, "expression"));
    }
    if case.template.is_some_and(|t| t.index() >= isa.templates.len()) {
        out.push(dangling(case.span, "template"));
    }
    for field in &case.fields {
        let Some(twice) = defined.add(field.name) else {
            out.push(dangling(field.span, "name"));
            continue;
        };
        if twice {
            let message = format!("field `{}` is defined twice in one case", isa.text(field.name));
            out.push(Diagnostic::error("model-field-twice", message).label(field.span, "again here"));
        }
        self::field(isa, e, field, out);
    }
    for assert in &case.asserts {
        if assert.range.end() > e.width || assert.range.width == 0 || assert.value.width() != assert.range.width {
            let message = format!("an assert reaches bit {} of {}", assert.range.end(), e.width);
            out.push(Diagnostic::error("model-range", message).label(assert.span, ""));
        }
    }
}

fn field(isa: &Isa, e: &Encoding, field: &Field, out: &mut Diagnostics) {
    let name = isa.text(field.name);
    let error = |code, message: String| Diagnostic::error(code, message).label(field.span, "this field");
    let derived = matches!(field.source, FieldSource::Derived(_));
    match &field.source {
        FieldSource::Derived(expr) if expr.index() >= isa.exprs.len() => out.push(dangling(field.span, "expression")),
        FieldSource::Derived(_) if field.width == 0 || field.width > limits::MAX_EXPR_BITS => {
            out.push(error(
                "model-width",
                format!("derived field `{name}` of {} bits: 1 to {} are possible", field.width, limits::MAX_EXPR_BITS),
            ));
        }
        FieldSource::Derived(_) => {}
        FieldSource::Bits(pieces) => {
            let outside = pieces.iter().any(|p| matches!(p, Piece::Bits(r) if r.end() > e.width || r.width == 0));
            let oversized = pieces
                .iter()
                .any(|p| matches!(p, Piece::Implied { width, .. } if *width == 0 || *width > limits::MAX_IMPLIED_BITS));
            if outside || oversized || pieces.is_empty() {
                out.push(error(
                    "model-range",
                    format!("field `{name}` reaches outside the {} bits of the word", e.width),
                ));
            }
            let total: u64 = pieces.iter().map(|p| u64::from(p.width())).sum();
            if total != u64::from(field.width) {
                out.push(error(
                    "model-width",
                    format!("field `{name}` says {} bits, its pieces are {total}", field.width),
                ));
            }
        }
    }
    match field.ty {
        FieldType::Float if ![16, 32, 64].contains(&field.width) => {
            out.push(error(
                "model-float",
                format!("float field `{name}` has {} bits; 16, 32 and 64 are known", field.width),
            ));
        }
        FieldType::Enum(id) if id.index() >= isa.enums.len() => out.push(dangling(field.span, "enum")),
        FieldType::Register(id) if id.index() >= isa.register_files.len() => {
            out.push(dangling(field.span, "register file"))
        }
        FieldType::Sub(id) => match isa.spaces.get(id.index()) {
            None => out.push(dangling(field.span, "set of encodings")),
            Some(_) if derived => {
                out.push(error("model-derived-sub", format!("derived field `{name}` cannot be a sub-encoding")))
            }
            Some(space) if space.width != field.width => {
                let message = format!(
                    "field `{name}` has {} bits, but its type `{}` has {}",
                    field.width,
                    isa.text(space.name),
                    space.width
                );
                out.push(error("model-width", message).secondary(space.span, "the type"));
            }
            Some(_) => {}
        },
        _ => {}
    }
}

/// Checks every semantics text for every value that the parameters have on its gens.
fn semantics(isa: &Isa, out: &mut Diagnostics) {
    // What all texts of a gen share, by gen.
    let mut common = FxHashMap::default();
    for encoding in &isa.encodings {
        let Some(semantics) = &encoding.semantics else { continue };
        let Some(tree) = semantics.tree() else {
            let message = "a text of semantics has syntax errors";
            out.push(Diagnostic::error("model-semantics", message).label(semantics.span, ""));
            continue;
        };
        for generation in isa.parameter_classes(encoding) {
            let before = out.error_count();
            let shared = common.entry(generation).or_insert_with(|| isa.common_environment(generation));
            let environment = isa.with_operands(shared.clone(), encoding);
            isaglot_semantics::check(tree, &environment, out);
            // The same text is wrong in the same way for the other values.
            if out.error_count() > before {
                break;
            }
        }
    }
}

/// Refuses spaces that contain themselves, and chains deeper than [`limits::MAX_NESTING`].
fn nesting(isa: &Isa, out: &mut Diagnostics) {
    let mut below = vec![None; isa.spaces.len()];
    for space in (0..isa.spaces.len()).map(|i| SpaceId(i as u32)) {
        if depth(isa, space, &mut Vec::new(), &mut below, out).is_none() {
            return;
        }
    }
}

/// The length of the longest chain from `space` on; `None` once a problem was reported. The recursion ends at
/// [`limits::MAX_NESTING`], for `path` is that long at most.
fn depth(
    isa: &Isa,
    space: SpaceId,
    path: &mut Vec<SpaceId>,
    below: &mut [Option<usize>],
    out: &mut Diagnostics,
) -> Option<usize> {
    if below[space.index()].is_some() {
        return below[space.index()];
    }
    path.push(space);
    let mut longest = 1;
    for field in isa[space].encodings.iter().flat_map(|&e| &isa[e].cases).flat_map(|c| &c.fields) {
        let FieldType::Sub(sub) = field.ty else { continue };
        if path.contains(&sub) {
            let message = format!("`{}` contains itself through this field", isa.text(isa[sub].name));
            let d = Diagnostic::error("model-cycle", message).label(field.span, "");
            out.push(d.secondary(isa[sub].span, "defined here"));
            return None;
        }
        let deep = if path.len() < limits::MAX_NESTING { depth(isa, sub, path, below, out)? } else { usize::MAX - 1 };
        longest = longest.max(deep + 1);
        if longest > limits::MAX_NESTING {
            let message = format!("sub-encodings are nested deeper than {}", limits::MAX_NESTING);
            out.push(Diagnostic::error("model-nesting", message).label(field.span, "through this field"));
            return None;
        }
    }
    path.pop();
    below[space.index()] = Some(longest);
    Some(longest)
}
