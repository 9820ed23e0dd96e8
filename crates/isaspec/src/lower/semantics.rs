//! Parameters, externs, traps, and what encodings do.

use isaglot_model::{Builder, ExternFunction, GenRange, Parameter, Semantics, Width};
use isaglot_source::{Diagnostic, Diagnostics};

use crate::gather::Set;
use crate::load::Sources;
use crate::syntax::GenLimit;
use crate::text::Text;

/// Adds what the texts may name.
pub(super) fn declarations(sources: &Sources, builder: &mut Builder) {
    for decl in sources.files.iter().flat_map(|f| &f.parameters) {
        let values = decl.values.iter().map(|(gens, is)| (range(gens), number(is.value, 0))).collect();
        builder.parameter(Parameter { name: decl.name.value.clone(), values, span: decl.span });
    }
    for decl in sources.files.iter().flat_map(|f| &f.externs) {
        let (args, result) = (decl.args.iter().map(width).collect(), decl.result.as_ref().map(width));
        builder.extern_function(ExternFunction { name: decl.name.value.clone(), args, result, span: decl.span });
    }
    for trap in sources.files.iter().flat_map(|f| &f.traps) {
        builder.trap(trap.value.clone());
    }
}

/// Reports widths that name no parameter.
pub(super) fn check<'a>(sources: &'a Sources, registers: impl Iterator<Item = &'a Text>, out: &mut Diagnostics) {
    let known: Vec<&str> = sources.files.iter().flat_map(|f| &f.parameters).map(|p| p.name.value.as_str()).collect();
    let externs = sources.files.iter().flat_map(|f| &f.externs).flat_map(|e| e.args.iter().chain(&e.result));
    for text in registers.chain(externs) {
        if let Width::Parameter(name) = width(text)
            && !known.contains(&name.as_str())
        {
            let d = Diagnostic::error("isaspec-width", format!("there is no parameter `{name}`"));
            out.push(d.label(text.span(), "expected bits, or the name of a <parameter>"));
        }
    }
}

/// What the encoding with these levels does: the nearest text counts.
pub(super) fn of_levels<'a>(mut levels: impl Iterator<Item = &'a Set<'a>>) -> Option<Semantics> {
    let decl = levels.find_map(|set| set.decl.semantics.as_ref())?;
    Some(Semantics::new(decl.text.value.clone(), decl.tree.clone()?, decl.span))
}

/// The width that a text says.
pub(super) fn width(text: &Text) -> Width {
    match text.value.parse() {
        Ok(bits) => Width::Bits(bits),
        Err(_) => Width::Parameter(text.value.clone()),
    }
}

fn range(gens: &GenLimit) -> GenRange {
    let limit = |limit: Option<crate::syntax::Int>, default| limit.map_or(default, |l| number(l.value, default));
    GenRange { min: limit(gens.min, GenRange::ALL.min), max: limit(gens.max, GenRange::ALL.max) }
}

fn number(value: i64, default: u32) -> u32 {
    u32::try_from(value).unwrap_or(default)
}
