//! Whether the length rules lead to an encoding: every first parcel that it matches must give its width.

use isaglot_bits::Pattern;
use isaglot_model::WordFormat;
use isaglot_source::{Diagnostic, Diagnostics};

use crate::limits;
use crate::syntax::Bitset;

/// Checks one encoding of the instructions' space against the rules, in their order.
pub(super) fn check(decl: &Bitset, pattern: &Pattern, format: &WordFormat, out: &mut Diagnostics) {
    if format.lengths.is_empty() {
        return;
    }
    let name = &decl.name.value;
    let mut open = vec![pattern.resized(format.parcel_bits)];
    for rule in &format.lengths {
        if rule.bits != pattern.width()
            && let Some(both) = open.iter().find_map(|p| p.intersect(&rule.pattern))
        {
            let message = format!(
                "`{name}` has {} bits, but a first parcel of 0x{} says {}",
                pattern.width(),
                both.witness().hex(),
                rule.bits
            );
            let d = Diagnostic::error("isaspec-length-mismatch", message)
                .label(decl.name.span(), format!("{} bits", pattern.width()))
                .secondary(rule.span, format!("this rule says {} bits", rule.bits));
            out.push(d);
            return;
        }
        open = open.iter().flat_map(|p| p.subtract(&rule.pattern)).collect();
        if open.len() > limits::MAX_LENGTH_PIECES {
            return;
        }
    }
    if let Some(left) = open.first() {
        let message = format!("no length rule covers `{name}`: not a first parcel of 0x{}", left.witness().hex());
        out.push(Diagnostic::error("isaspec-length-uncovered", message).label(decl.name.span(), "never decoded"));
    }
}
