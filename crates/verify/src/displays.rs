//! Texts that an assembler may take for something else than an instruction, as messages.
//!
//! The problem: `; 5` is a comment in every assembler, and a description may display an instruction so. What `isaglot asm` then
//! does is sound (`isaglot_asm::assemble::source`): it reads an instruction, or refuses the line. But people write comments
//! and labels as they always do. One message per display, whatever number of encodings has it.

use isaglot_asm::assemble::{Hazard, Syntax};
use isaglot_model::Isa;
use isaglot_source::{Diagnostic, Span};

use crate::diagnostics::names;

/// One message per display and what it may look like.
pub(crate) fn messages(isa: &Isa, hazards: &[Hazard]) -> Vec<Diagnostic> {
    let mut groups: Vec<(Span, Syntax, Vec<Hazard>)> = Vec::new();
    // What is all comment begins one, too.
    let is_comment = |h: &Hazard| hazards.contains(&Hazard { syntax: Syntax::Comment, ..*h });
    for hazard in hazards.iter().filter(|h| h.syntax != Syntax::Cut || !is_comment(h)) {
        let case = isa[hazard.encoding].cases.get(hazard.case);
        let Some(span) = case.and_then(|case| case.template).map(|template| isa[template].span) else { continue };
        match groups.iter_mut().find(|(known, syntax, _)| *known == span && *syntax == hazard.syntax) {
            Some((.., list)) => list.push(*hazard),
            None => groups.push((span, hazard.syntax, vec![*hazard])),
        }
    }
    let message = |(span, syntax, list): (Span, Syntax, Vec<Hazard>)| {
        let mut encodings: Vec<_> = list.iter().map(|hazard| hazard.encoding).collect();
        encodings.dedup();
        let what = syntax.what();
        Diagnostic::warning("verify-display-syntax", format!("a text of this display may read as {what}"))
            .label(span, "this display")
            .note(format!("of {}", names(isa, &encodings)))
            .note("`isaglot asm` reads the instruction, or refuses the line; other assemblers may drop it")
    };
    groups.into_iter().map(message).collect()
}
