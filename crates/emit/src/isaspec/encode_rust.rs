//! The packer in Rust: one module that stands beside a driver's types and helpers.
//!
//! The module sees what its parent has (`use super::*`): `EncodeState` with a method `generation()`, for every space with
//! a `case-prefix` a function `SPACE_case(s, src)` and the names of its leaves as patterns, and whatever the maps speak
//! of; the maps see `src`, `s` and `p`. It gives `encode_SPACE(s, p, src)` for each space. Nothing is cut off: a value
//! that does not fit is an error.

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

const STEP: &str = "    ";

struct Writer<'p, 'a> {
    plan: &'p Plan<'a>,
    functions: String,
    known: HashMap<(SpaceId, String), String>,
    taken: HashMap<String, u32>,
    open: Vec<ExprId>,
    missing: Missing,
}

/// Writes the part of the module after the runtime.
pub(crate) fn write(plan: &Plan<'_>, out: &mut Diagnostics) -> String {
    let mut w = Writer {
        plan,
        functions: String::new(),
        known: HashMap::new(),
        taken: HashMap::new(),
        open: Vec::new(),
        missing: Missing::default(),
    };
    let mut text = String::from(
        "/// Values that an encoding passes to those nested in it.\n#[derive(Clone, Copy, Debug, Default)]\n\
         pub struct BitsetParams {\n",
    );
    for &name in &plan.params {
        let _ = writeln!(text, "{STEP}/// `{0}`.\n{STEP}pub {0}: i64,", plan.isa.text(name));
    }
    text.push_str("}\n\n");
    let mut roots = String::new();
    for root in &plan.roots {
        w.root(root, &mut roots, out);
    }
    text.push_str(&w.functions);
    text.push_str(&roots);
    text
}

fn space_name(plan: &Plan<'_>, space: SpaceId) -> String {
    names::snake(plan.isa.text(plan.isa[space].name))
}

fn literal(text: &str) -> String {
    format!("{text:?}")
}

impl<'a> Writer<'_, 'a> {
    fn signature(&self, space: SpaceId, name: &str, extra: &str, result: &str) -> String {
        let ty = self.plan.encode(space).map_or("", |e| &e.ty);
        format!(
            "fn {name}(s: &EncodeState, p: &BitsetParams, src: {ty}{extra}) -> Result<{result}, EncodeError> {{\n\
             {STEP}let _ = (s, p, src);\n"
        )
    }

    fn root(&mut self, root: &Root<'a>, text: &mut String, out: &mut Diagnostics) {
        let isa = self.plan.isa;
        let space = &isa[root.space];
        let name = space_name(self.plan, root.space);
        names::check(&format!("encode_{name}"), "a function", Language::Rust, space.span, out);
        let mut body = String::new();
        if root.encode.case_prefix.is_some() {
            let _ = writeln!(body, "{STEP}match {name}_case(s, src) {{");
            for group in &root.groups {
                for leaf in &group.leaves {
                    let own = isa[leaf.id].own_gens;
                    let guard = match (own.min, own.max) {
                        (0, u32::MAX) => String::new(),
                        (0, max) => format!(" if s.generation() <= {max}"),
                        (min, u32::MAX) => format!(" if s.generation() >= {min}"),
                        (min, max) => format!(" if ({min}..={max}).contains(&s.generation())"),
                    };
                    let call = self.leaf(root, leaf, out);
                    let _ = writeln!(body, "{STEP}{STEP}{}{guard} => {call},", group.name);
                    if guard.is_empty() {
                        break;
                    }
                }
            }
            let shown = literal(isa.text(space.name));
            let _ = writeln!(body, "{STEP}{STEP}#[allow(unreachable_patterns)]");
            let _ = writeln!(body, "{STEP}{STEP}_ => Err(EncodeError::Unhandled {{ space: {shown} }}),\n{STEP}}}");
        } else {
            let call = match root.groups.first().and_then(|g| g.leaves.first()) {
                Some(leaf) => self.leaf(root, leaf, out),
                None => "Ok([0; WORDS])".to_owned(),
            };
            let _ = writeln!(body, "{STEP}{call}");
        }
        let shown = isa.text(space.name).replace('`', "'");
        let signature = self.signature(root.space, &format!("encode_{name}"), "", "Bits");
        let _ = write!(text, "/// Packs a value of `{shown}`.\npub {signature}{body}}}\n\n");
    }

    fn leaf(&mut self, root: &Root<'a>, leaf: &Leaf<'a>, out: &mut Diagnostics) -> String {
        let isa = self.plan.isa;
        let encoding = &isa[leaf.id];
        let mut body = String::new();
        let mut lead = STEP.to_owned();
        for branch in &leaf.branches {
            let bare = branch.guard.is_none() && leaf.branches.len() == 1;
            let depth = if bare { 1 } else { 2 };
            match branch.guard {
                Some(guard) => {
                    let call = self.guard(root, encoding, guard, out);
                    let _ = writeln!(body, "{lead}if {call} != 0 {{");
                }
                None if !bare => {
                    let _ = writeln!(body, "{lead}{{");
                }
                None => {}
            }
            lead = " else ".to_owned();
            for packed in &branch.fields {
                self.packed(root, encoding, packed, depth, &mut body, out);
            }
            for (guard, assert) in &branch.asserts {
                let mut depth = depth;
                if let Some(guard) = guard {
                    let call = self.guard(root, encoding, *guard, out);
                    let _ = writeln!(body, "{}if {call} != 0 {{", STEP.repeat(depth));
                    depth += 1;
                }
                or_word(&assert.value, assert.range.lo, depth, &mut body);
                if guard.is_some() {
                    let _ = writeln!(body, "{}}}", STEP.repeat(depth - 1));
                }
            }
            if !bare {
                let _ = write!(body, "{STEP}}}");
            }
        }
        if body.ends_with('}') {
            body.push('\n');
        }
        let snippet = self.snippet(root.space, body);
        let words = encoding.pattern.value().resized(isa.format().max_bits);
        let words: Vec<String> = words.words32().map(|w| format!("{w:#x}")).collect();
        format!("{snippet}(s, p, src, [{}])", words.join(", "))
    }

    fn snippet(&mut self, space: SpaceId, body: String) -> String {
        if let Some(name) = self.known.get(&(space, body.clone())) {
            return name.clone();
        }
        let stem = format!("pack_{}", space_name(self.plan, space));
        let name = self.fresh(&stem);
        let keep = if body.is_empty() { "" } else { "mut " };
        let signature = self.signature(space, &name, &format!(", {keep}bits: Bits"), "Bits");
        let _ = write!(self.functions, "{signature}{body}{STEP}Ok(bits)\n}}\n\n");
        self.known.insert((space, body), name.clone());
        name
    }

    fn fresh(&mut self, stem: &str) -> String {
        let count = self.taken.entry(stem.to_owned()).or_default();
        *count += 1;
        if *count == 1 { stem.to_owned() } else { format!("{stem}__{}", *count - 1) }
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
            let _ = match guard {
                Some(guard) => {
                    let call = self.guard(root, encoding, *guard, out);
                    writeln!(body, "{lead}if {call} != 0 {{")
                }
                None => writeln!(body, "{lead}{{"),
            };
            let statements = self.value(root, encoding, (packed.name, field), out);
            for statement in statements {
                let _ = writeln!(body, "{pad}{STEP}{statement}");
            }
            let _ = write!(body, "{pad}}}");
            lead = " else ".to_owned();
        }
        body.push('\n');
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
        let shown = literal(isa.text(name));
        let Source::Map(map) = self.plan.source(encoding, name) else {
            self.missing.tell(isa, encoding, name, Some(field), out);
            return Vec::new();
        };
        let held = real_width(pieces);
        let mut list = Vec::new();
        let mut from = 0;
        if let FieldType::Sub(space) = &field.ty {
            list.push(format!("let below = {};", self.params(root, encoding, field, out)));
            list.push(format!("let nested = encode_{}(s, &below, {})?;", space_name(self.plan, *space), map.text));
            list.push(format!("check_nested(&nested, {held}, {shown})?;"));
            for piece in pieces.iter().rev() {
                if let Piece::Bits(range) = piece {
                    list.push(format!("or_nested(&mut bits, {}, &nested, {from}, {});", range.lo, range.width));
                }
                from += piece.width();
            }
            return list;
        }
        let signed = matches!(field.ty, FieldType::Int | FieldType::Offset | FieldType::Branch { absolute: false, .. });
        if let Some(low) = only_range(pieces) {
            list.push(format!("pack(&mut bits, {low}, {held}, {signed}, ({}) as i64, {shown})?;", map.text));
            return list;
        }
        list.push(format!("let value = ({}) as i64;", map.text));
        list.push(format!("check(value, {}, {signed}, {shown})?;", held.min(64)));
        for piece in pieces.iter().rev() {
            if let Piece::Bits(range) = piece
                && from < 64
            {
                let width = range.width.min(64 - from);
                list.push(format!("or_bits(&mut bits, {}, low_bits(value, {from}, {width}));", range.lo));
            }
            from += piece.width();
        }
        list
    }

    fn params(&mut self, root: &Root<'a>, encoding: &'a Encoding, field: &Field, out: &mut Diagnostics) -> String {
        let isa = self.plan.isa;
        let mut parts = Vec::new();
        for param in &field.params {
            let value = self.inside(root, encoding, param.name, "p", out);
            parts.push(format!("{}: {value}", isa.text(param.as_name)));
        }
        match parts.is_empty() {
            true => "BitsetParams::default()".to_owned(),
            false if parts.len() == self.plan.params.len() => format!("BitsetParams {{ {} }}", parts.join(", ")),
            false => format!("BitsetParams {{ {}, ..BitsetParams::default() }}", parts.join(", ")),
        }
    }

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
                    format!("to_i64(&encode_{}(s, {params}, {})?)", space_name(self.plan, *space), map.text)
                }
                _ => format!("({}) as i64", map.text),
            },
            Source::Param => format!("p.{}", isa.text(name)),
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
            let local = format!("f_{}", isa.text(name));
            if !names::is_identifier(&local) {
                let message = format!("`{}` cannot be the name of a variable", isa.text(name));
                out.push(Diagnostic::error("emit-name", message).label(expr.span, "in this expression"));
            }
            let field = self.plan.definition(encoding, name);
            let nested = field.filter(|f| matches!(f.ty, FieldType::Sub(_)) && !f.params.is_empty());
            let params = nested.map_or("p".to_owned(), |f| format!("&{}", self.params(root, encoding, f, out)));
            let value = self.inside(root, encoding, name, &params, out);
            let _ = writeln!(body, "{STEP}let {local} = ({value}) as u64;");
        }
        self.open.pop();
        let field = |name: Name| format!("f_{}", isa.text(name));
        let terms = Terms {
            language: Language::Rust,
            field: &field,
            generation: "u64::from(s.generation())",
            feature: &|f| isa[f].default,
        };
        let written = expr::write(expr, &terms);
        for statement in &written.statements {
            let _ = writeln!(body, "{STEP}{statement}");
        }
        let _ = writeln!(body, "{STEP}Ok({} as i64)", written.value);
        let key = (root.space, body.clone());
        let name = match self.known.get(&key) {
            Some(name) => name.clone(),
            None => {
                let stem = format!("{}_{}", space_name(self.plan, root.space), names::snake(&expr.name));
                let name = self.fresh(&stem);
                names::check(&name, "a function", Language::Rust, expr.span, out);
                let signature = self.signature(root.space, &name, "", "i64");
                let comment = super::comment(&expr.text);
                let _ = write!(self.functions, "// {comment}\n{signature}{body}}}\n\n");
                self.known.insert(key, name.clone());
                name
            }
        };
        format!("{name}(s, p, src)?")
    }
}

fn or_word(value: &Word, low: u32, depth: usize, body: &mut String) {
    for (i, limb) in value.limbs().iter().enumerate().filter(|(_, limb)| **limb != 0) {
        let (pad, low) = (STEP.repeat(depth), low + 64 * i as u32);
        let _ = writeln!(body, "{pad}or_bits(&mut bits, {low}, {limb:#x});");
    }
}
