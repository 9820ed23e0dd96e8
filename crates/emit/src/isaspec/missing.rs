//! Fields that are packed although no map says from what: each an error, once.

use isaglot_model::{Encoding, Field, Isa, Name};
use isaglot_source::{Diagnostic, Diagnostics, Span};

/// What was reported.
#[derive(Debug, Default)]
pub(crate) struct Missing {
    told: Vec<(Span, Name)>,
}

impl Missing {
    /// Reports a field of an encoding, unless its definition was reported before.
    pub(crate) fn tell(
        &mut self,
        isa: &Isa,
        encoding: &Encoding,
        name: Name,
        field: Option<&Field>,
        out: &mut Diagnostics,
    ) {
        let span = field.map_or(encoding.span, |f| f.span);
        if self.told.contains(&(span, name)) {
            return;
        }
        self.told.push((span, name));
        let (field, leaf) = (isa.text(name), isa.text(encoding.name));
        let message = format!("nothing says what `{field}` of `{leaf}` is packed from");
        let d = Diagnostic::error("emit-map", message).label(span, "this field");
        out.push(d.note(format!("expected `<map name=\"{field}\">...</map>` in the <encode> of `{leaf}` or above")));
    }
}
