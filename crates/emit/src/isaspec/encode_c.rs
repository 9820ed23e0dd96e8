//! The packer in C: one header that a driver's own `encode.c` includes after its types and helpers.
//!
//! The contract is that of the reference's generator. The driver provides `struct encode_state` with a member `gen`,
//! for every space with a `case-prefix` a function `SPACE_case(s, src)` and the names of its leaves, and whatever the
//! maps speak of; the maps see `src`, `s` and `p`. It gets `encodeSPACE(s, p, src)` for each space.

use std::collections::HashMap;
use std::fmt::Write;

use isaglot_bits::Word;
use isaglot_model::{Encoding, ExprId, Field, FieldSource, FieldType, Name, Piece, SpaceId};
use isaglot_source::{Diagnostic, Diagnostics};

use super::expr::{self, Terms};
use super::missing::Missing;
use super::names::{self, Language};
use super::pieces::{only_range, real_width};
use super::plan::{Leaf, Packed, Plan, Root, Source};

/// Spaces per level of C.
const STEP: &str = "   ";

/// The parameters of every function of the packer.
fn parameters(ty: &str) -> String {
    format!("(struct encode_state *s, const struct bitset_params *p, const {ty} src)")
}

struct Writer<'p, 'a> {
    plan: &'p Plan<'a>,
    /// Definitions of functions for expressions and snippets, in an order in which each is defined before it is used.
    functions: String,
    /// By space and text of the body, the name of a function.
    known: HashMap<(SpaceId, String), String>,
    /// Of a name that is taken, how often.
    taken: HashMap<String, u32>,
    /// Expressions that are being written.
    open: Vec<ExprId>,
    missing: Missing,
}

/// Writes the part of the header after the runtime.
pub(crate) fn write(plan: &Plan<'_>, out: &mut Diagnostics) -> String {
    let mut w = Writer {
        plan,
        functions: String::new(),
        known: HashMap::new(),
        taken: HashMap::new(),
        open: Vec::new(),
        missing: Missing::default(),
    };
    let mut text = String::new();
    text.push_str("/* Values that an encoding passes to those nested in it. */\nstruct bitset_params {\n");
    for &name in &plan.params {
        let _ = writeln!(text, "{STEP}int64_t {};", plan.isa.text(name));
    }
    if plan.params.is_empty() {
        text.push_str("   int64_t none;\n");
    }
    text.push_str("};\n\n");
    for root in &plan.roots {
        let _ = writeln!(text, "static inline bitmask_t {}{};", encoder(plan, root.space), parameters(&root.encode.ty));
    }
    text.push('\n');
    let mut roots = String::new();
    for root in &plan.roots {
        w.root(root, &mut roots, out);
    }
    text.push_str(&w.functions);
    text.push_str(&roots);
    text
}

/// The name of the function that packs a space.
fn encoder(plan: &Plan<'_>, space: SpaceId) -> String {
    format!("encode{}", names::symbol(plan.isa.text(plan.isa[space].name)))
}

impl<'a> Writer<'_, 'a> {
    fn root(&mut self, root: &Root<'a>, text: &mut String, out: &mut Diagnostics) {
        let isa = self.plan.isa;
        let space = &isa[root.space];
        let symbol = names::symbol(isa.text(space.name));
        names::check(&symbol, "a function", Language::C, space.span, out);
        let mut body = String::new();
        if root.encode.case_prefix.is_some() {
            let _ = writeln!(body, "{STEP}switch ({symbol}_case(s, src)) {{");
            for group in &root.groups {
                let _ = writeln!(body, "{STEP}case {}:", group.name);
                let mut closed = false;
                for leaf in &group.leaves {
                    let own = isa[leaf.id].own_gens;
                    let mut tests = Vec::new();
                    if own.min > 0 {
                        tests.push(format!("ISA_GPU_ID() >= {}u", own.min));
                    }
                    if own.max < u32::MAX {
                        tests.push(format!("ISA_GPU_ID() <= {}u", own.max));
                    }
                    let call = self.leaf(root, leaf, out);
                    if tests.is_empty() {
                        let _ = writeln!(body, "{STEP}{STEP}return {call};");
                        closed = true;
                        break;
                    }
                    let _ = writeln!(body, "{STEP}{STEP}if ({})\n{STEP}{STEP}{STEP}return {call};", tests.join(" && "));
                }
                if !closed {
                    let _ = writeln!(body, "{STEP}{STEP}break;");
                }
            }
            let _ = writeln!(body, "{STEP}default:\n{STEP}{STEP}break;\n{STEP}}}");
            let name = isa.text(space.name).replace(['\\', '"'], "_");
            let _ = writeln!(body, "{STEP}ISA_ENCODE_UNHANDLED(s, \"{name}\", {symbol}_case(s, src));");
            let _ = writeln!(body, "{STEP}return uint64_t_to_bitmask(0);");
        } else {
            match root.groups.first().and_then(|g| g.leaves.first()) {
                Some(leaf) => {
                    let call = self.leaf(root, leaf, out);
                    let _ = writeln!(body, "{STEP}return {call};");
                }
                None => {
                    let _ = writeln!(body, "{STEP}(void)s;\n{STEP}(void)p;\n{STEP}(void)src;");
                    let _ = writeln!(body, "{STEP}return uint64_t_to_bitmask(0);");
                }
            }
        }
        let _ = writeln!(
            text,
            "static inline bitmask_t\n{}{}\n{{\n{STEP}(void)p;\n{body}}}\n",
            encoder(self.plan, root.space),
            parameters(&root.encode.ty)
        );
    }

    /// The call that packs a leaf.
    fn leaf(&mut self, root: &Root<'a>, leaf: &Leaf<'a>, out: &mut Diagnostics) -> String {
        let isa = self.plan.isa;
        let encoding = &isa[leaf.id];
        let mut body = String::new();
        for (i, branch) in leaf.branches.iter().enumerate() {
            let depth = match branch.guard {
                None if leaf.branches.len() == 1 => 1,
                None => {
                    body.push_str(" else {\n");
                    2
                }
                Some(guard) => {
                    let call = self.guard(root, encoding, guard, out);
                    let before = if i == 0 { STEP } else { " else " };
                    let _ = writeln!(body, "{before}if ({call}) {{");
                    2
                }
            };
            for packed in &branch.fields {
                self.packed(root, encoding, packed, depth, &mut body, out);
            }
            for (guard, assert) in &branch.asserts {
                let mut depth = depth;
                if let Some(guard) = guard {
                    let call = self.guard(root, encoding, *guard, out);
                    let _ = writeln!(body, "{}if ({call}) {{", STEP.repeat(depth));
                    depth += 1;
                }
                or_word(&assert.value, assert.range.lo, depth, &mut body);
                if guard.is_some() {
                    let _ = writeln!(body, "{}}}", STEP.repeat(depth - 1));
                }
            }
            if depth == 2 {
                let _ = write!(body, "{STEP}}}");
            }
        }
        if body.ends_with('}') {
            body.push('\n');
        }
        let snippet = self.function(root.space, format!("pack{}", names::symbol(isa.text(isa[root.space].name))), body);
        let words: Vec<String> =
            encoding.pattern.value().resized(isa.format().max_bits).words32().map(|w| format!("{w:#x}u")).collect();
        format!("{snippet}(s, p, src, (bitmask_t){{ {{ {} }} }})", words.join(", "))
    }

    /// The function with this body that adds bits to a word; the same body, the same function.
    fn function(&mut self, space: SpaceId, wish: String, body: String) -> String {
        if let Some(name) = self.known.get(&(space, body.clone())) {
            return name.clone();
        }
        let name = self.fresh(&format!("{wish}_0"), &wish);
        let ty = self.plan.encode(space).map_or("", |e| &e.ty);
        let _ = writeln!(
            self.functions,
            "static inline bitmask_t\n{name}(struct encode_state *s, const struct bitset_params *p, const {ty} src, bitmask_t val)\n\
             {{\n{STEP}(void)s;\n{STEP}(void)p;\n{STEP}(void)src;\n{body}{STEP}return val;\n}}\n"
        );
        self.known.insert((space, body), name.clone());
        name
    }

    /// The first name that is free of `first`, `stem_1`, `stem_2` and so on.
    fn fresh(&mut self, first: &str, stem: &str) -> String {
        let count = self.taken.entry(first.to_owned()).or_default();
        *count += 1;
        if *count == 1 { first.to_owned() } else { format!("{stem}_{}", *count - 1) }
    }

    fn packed(
        &mut self,
        root: &Root<'a>,
        encoding: &'a Encoding,
        packed: &Packed<'a>,
        depth: usize,
        body: &mut String,
        out: &mut Diagnostics,
    ) {
        let pad = STEP.repeat(depth);
        let mut lead = pad.clone();
        for (guard, field) in &packed.ladder {
            let mut depth = depth + 1;
            let mut close = true;
            let _ = match guard {
                Some(guard) => {
                    let call = self.guard(root, encoding, *guard, out);
                    writeln!(body, "{lead}if ({call}) {{")
                }
                None if lead == pad && is_one_statement(field) => {
                    depth -= 1;
                    close = false;
                    Ok(())
                }
                None => writeln!(body, "{lead}{{"),
            };
            for statement in self.value(root, encoding, (packed.name, field), out) {
                let _ = writeln!(body, "{}{statement}", STEP.repeat(depth));
            }
            if close {
                let _ = write!(body, "{pad}}}");
            }
            lead = " else ".to_owned();
        }
        if !body.ends_with('\n') {
            body.push('\n');
        }
    }

    /// Statements that pack one definition of a field.
    fn value(
        &mut self,
        root: &Root<'a>,
        encoding: &'a Encoding,
        (name, field): (Name, &'a Field),
        out: &mut Diagnostics,
    ) -> Vec<String> {
        let isa = self.plan.isa;
        let FieldSource::Bits(pieces) = &field.source else { return Vec::new() };
        let shown = isa.text(name).replace(['\\', '"'], "_");
        let Source::Map(map) = self.plan.source(encoding, name) else {
            self.missing.tell(isa, encoding, name, Some(field), out);
            return Vec::new();
        };
        let map = &map.text;
        let held = real_width(pieces);
        let mut list = Vec::new();
        let mut from = 0;
        if let FieldType::Sub(space) = &field.ty {
            list.push(format!("const struct bitset_params bp = {};", self.params(root, encoding, field, out)));
            let call = format!("{}(s, &bp, {map})", encoder(self.plan, *space));
            if let Some(low) = only_range(pieces) {
                list.push(format!("isa_pack_nested(s, &val, {low}u, {held}u, {call}, \"{shown}\");"));
                return list;
            }
            list.push(format!("const bitmask_t nested = {call}; /* {shown} */"));
            list.push(format!("if (!isa_mask_fits(&nested, {held}u))"));
            list.push(format!("{STEP}ISA_ENCODE_RANGE(s, \"{shown}\", bitmask_to_uint64_t(nested));"));
            for piece in pieces.iter().rev() {
                if let Piece::Bits(range) = piece {
                    list.push(format!("isa_or_mask(&val, {}u, &nested, {from}u, {}u);", range.lo, range.width));
                }
                from += piece.width();
            }
            return list;
        }
        let signed = matches!(field.ty, FieldType::Int | FieldType::Offset | FieldType::Branch { absolute: false, .. });
        if let Some(low) = only_range(pieces) {
            list.push(format!("isa_pack(s, &val, {low}u, {held}u, {signed}, (int64_t)({map}), \"{shown}\");"));
            return list;
        }
        list.push(format!("const int64_t fld = (int64_t)({map}); /* {shown} */"));
        list.push(format!("if (!isa_fits(fld, {}u, {signed}))", held.min(64)));
        list.push(format!("{STEP}ISA_ENCODE_RANGE(s, \"{shown}\", fld);"));
        for piece in pieces.iter().rev() {
            if let Piece::Bits(range) = piece
                && from < 64
            {
                let (low, width) = (range.lo, range.width.min(64 - from));
                list.push(format!("isa_or_bits(&val, {low}u, isa_low_bits(fld, {from}u, {width}u));"));
            }
            from += piece.width();
        }
        list
    }

    /// The initializer of what is passed to a nested encoding.
    fn params(&mut self, root: &Root<'a>, encoding: &'a Encoding, field: &Field, out: &mut Diagnostics) -> String {
        let isa = self.plan.isa;
        let mut parts = Vec::new();
        for param in &field.params {
            let value = self.inside(root, encoding, param.name, "p", out);
            parts.push(format!(".{} = {value}", isa.text(param.as_name)));
        }
        match parts.is_empty() {
            true => "{ 0 }".to_owned(),
            false => format!("{{ {} }}", parts.join(", ")),
        }
    }

    /// The value of a field, signed of 64 bits, where an expression or a parameter wants it.
    fn inside(
        &mut self,
        root: &Root<'a>,
        encoding: &'a Encoding,
        name: Name,
        params: &str,
        out: &mut Diagnostics,
    ) -> String {
        let isa = self.plan.isa;
        let definition = self.plan.definition(encoding, name);
        if let Some(FieldSource::Derived(expr)) = definition.map(|f| &f.source) {
            return self.guard(root, encoding, *expr, out);
        }
        match self.plan.source_inside(encoding, name) {
            Source::Map(map) => match definition.map(|f| &f.ty) {
                Some(FieldType::Sub(space)) => {
                    format!("(int64_t)bitmask_to_uint64_t({}(s, {params}, {}))", encoder(self.plan, *space), map.text)
                }
                _ => format!("(int64_t)({})", map.text),
            },
            Source::Param => format!("(p ? p->{} : 0)", isa.text(name)),
            Source::Missing => {
                self.missing.tell(isa, encoding, name, definition, out);
                "0".to_owned()
            }
        }
    }

    /// The call that evaluates an expression on the data.
    fn guard(&mut self, root: &Root<'a>, encoding: &'a Encoding, id: ExprId, out: &mut Diagnostics) -> String {
        let isa = self.plan.isa;
        let expr = &isa[id];
        if self.open.contains(&id) {
            let message = format!("expression `{}` needs itself, which cannot be evaluated on data", expr.name);
            out.push(Diagnostic::error("emit-recursion", message).label(expr.span, "this expression"));
            return "0".to_owned();
        }
        self.open.push(id);
        let mut body = String::new();
        for &name in &expr.fields {
            let text = isa.text(name);
            let local = format!("f_{text}");
            if !names::is_identifier(&local) {
                let message = format!("`{text}` cannot be the name of a variable");
                out.push(Diagnostic::error("emit-name", message).label(expr.span, "in this expression"));
            }
            let field = self.plan.definition(encoding, name);
            let nested = field.filter(|f| matches!(f.ty, FieldType::Sub(_)) && !f.params.is_empty());
            let value = match nested {
                Some(field) => {
                    let params = self.params(root, encoding, field, out);
                    let _ = writeln!(body, "{STEP}const struct bitset_params p_{text} = {params};");
                    self.inside(root, encoding, name, &format!("&p_{text}"), out)
                }
                None => self.inside(root, encoding, name, "p", out),
            };
            let _ = writeln!(body, "{STEP}const uint64_t {local} = (uint64_t){value};");
        }
        self.open.pop();
        let field = |name: Name| format!("f_{}", isa.text(name));
        let terms = Terms {
            language: Language::C,
            field: &field,
            generation: "(uint64_t)ISA_GPU_ID()",
            feature: &|f| isa[f].default,
        };
        let written = expr::write(expr, &terms);
        for statement in &written.statements {
            let _ = writeln!(body, "{STEP}{statement}");
        }
        let _ = writeln!(body, "{STEP}return (int64_t){};", written.value);
        let key = (root.space, body.clone());
        let name = match self.known.get(&key) {
            Some(name) => name.clone(),
            None => {
                let wish = format!("{}_{}", names::symbol(isa.text(isa[root.space].name)), names::symbol(&expr.name));
                let name = self.fresh(&wish, &wish);
                let comment = super::comment(&expr.text);
                let _ = writeln!(
                    self.functions,
                    "/* {} */\nstatic inline int64_t\n{name}{}\n{{\n{STEP}(void)s;\n{STEP}(void)p;\n{STEP}(void)src;\n{body}}}\n",
                    comment,
                    parameters(&root.encode.ty)
                );
                self.known.insert(key, name.clone());
                name
            }
        };
        format!("{name}(s, p, src)")
    }
}

/// Whether a definition is packed by a single statement.
fn is_one_statement(field: &Field) -> bool {
    let one = matches!(&field.source, FieldSource::Bits(pieces) if only_range(pieces).is_some());
    one && !matches!(field.ty, FieldType::Sub(_))
}

/// Statements that set the bits of a constant.
fn or_word(value: &Word, low: u32, depth: usize, body: &mut String) {
    let pad = STEP.repeat(depth);
    for (i, limb) in value.limbs().iter().enumerate().filter(|(_, limb)| **limb != 0) {
        let constant = expr::constant(*limb, Language::C);
        let _ = writeln!(body, "{pad}isa_or_bits(&val, {}u, {constant});", low + 64 * i as u32);
    }
}
