//! Short forms and their tables.

use isaglot_bits::{BitRange, Pattern, Word};
use isaglot_model::{Builder, ExpandStep, Expansion, GenRange, Table, TableId};
use isaglot_source::{Diagnostic, Diagnostics};

use super::{digits, exprs};
use crate::gather::Table as Names;
use crate::load::Sources;
use crate::syntax::{ExpansionDecl, FeatureDecl, PieceDecl, StepDecl, TableDecl};

/// Adds all of them to the model.
pub(super) fn lower(builder: &mut Builder, features: &Names<&FeatureDecl>, sources: &Sources, out: &mut Diagnostics) {
    let mut tables: Vec<(&TableDecl, TableId)> = Vec::new();
    for decl in sources.files.iter().flat_map(|f| &f.tables) {
        if let Some((first, _)) = tables.iter().find(|(t, _)| t.name.value == decl.name.value) {
            let d = Diagnostic::error("isaspec-table", format!("two tables are called `{}`", decl.name.value))
                .label(decl.name.span(), "second")
                .secondary(first.name.span(), "first");
            out.push(d);
            continue;
        }
        let width = number(decl.width.value);
        let rows = decl.rows.iter().map(|row| Word::from_u128(*row, width)).collect();
        let id = builder.table(Table { name: decl.name.value.clone(), width, rows, span: decl.span });
        tables.push((decl, id));
    }
    for decl in sources.files.iter().flat_map(|f| &f.expansions) {
        let steps = decl.steps.iter().filter_map(|s| step(builder, features, s, &tables, out)).collect();
        if let Some(pattern) = pattern(decl, out) {
            let gens = decl.gens.iter().fold(GenRange::ALL, |g, limit| GenRange {
                min: limit.min.map_or(g.min, |n| number(n.value)),
                max: limit.max.map_or(g.max, |n| number(n.value)),
            });
            let (name, width) = (decl.name.value.clone(), number(decl.size.value));
            builder.expansion(Expansion { name, width, pattern, gens, steps, span: decl.span });
        }
    }
}

fn number(n: i64) -> u32 {
    u32::try_from(n).unwrap_or(0)
}

fn pattern(decl: &ExpansionDecl, out: &mut Diagnostics) -> Option<Pattern> {
    let width = number(decl.size.value);
    let wide = decl.patterns.iter().find(|p| p.high() >= width);
    if !(1..=64).contains(&width) || wide.is_some() {
        let span = wide.map_or(decl.size.span, |p| p.span);
        out.push(
            Diagnostic::error("isaspec-expansion", format!("a short form of {width} bits is not possible"))
                .label(span, "expected 1 to 64 bits, and patterns inside them"),
        );
        return None;
    }
    let (mut value, mut care) = (Word::zero(width), Word::zero(width));
    for p in &decl.patterns {
        digits(&p.digits.value, p.low, &mut value, b'1');
        digits(&p.digits.value, p.low, &mut care, b'1');
        digits(&p.digits.value, p.low, &mut care, b'0');
    }
    Some(Pattern::new(&value, care))
}

fn step(
    builder: &mut Builder,
    features: &Names<&FeatureDecl>,
    decl: &StepDecl,
    tables: &[(&TableDecl, TableId)],
    out: &mut Diagnostics,
) -> Option<ExpandStep> {
    let guard = match &decl.when {
        Some(when) => {
            let expr = exprs::lower(builder, features, "when", when, when.parsed.as_ref()?);
            Some(builder.expr(expr))
        }
        None => None,
    };
    let table = match &decl.table {
        Some(name) => {
            let found = tables.iter().find(|(t, _)| t.name.value == name.value);
            if found.is_none() {
                let d = Diagnostic::error("isaspec-table", format!("there is no table `{}`", name.value));
                out.push(d.label(name.span(), "expected the name of a <table>"));
            }
            Some(found?.1)
        }
        None => None,
    };
    Some(ExpandStep {
        guard,
        from: ranges(&decl.from),
        table,
        extend: decl.extend.map(|n| number(n.value)),
        to: ranges(&decl.to),
        copies: decl.copies.map_or(1, |n| number(n.value)),
        span: decl.span,
    })
}

fn ranges(pieces: &[PieceDecl]) -> Vec<BitRange> {
    pieces
        .iter()
        .filter_map(|p| match *p {
            PieceDecl::Bits { low, high } => BitRange::from_high_low(high, low),
            PieceDecl::Implied { .. } => None,
        })
        .collect()
}
