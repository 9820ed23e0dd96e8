//! How a program is printed: labels, named places, what is shown of wrong words, and functions of the caller that take part.

use isaglot::asm::{Entry, Options, labels};
use isaglot_source::{Diagnostic, Diagnostics};

use crate::hooks::Calls;

/// How a program is printed. Its functions are called by every thread that prints with it.
#[derive(Debug, Default)]
pub struct isaglot_print {
    pub(crate) options: Options,
    pub(crate) calls: Calls,
    /// Choices that cannot be: said by the call that prints.
    pub(crate) problems: Diagnostics,
}

impl isaglot_print {
    /// Names a place.
    pub(crate) fn entry(&mut self, offset: u64, name: &[u8]) {
        if !isaglot::asm::assemble::is_symbol(name) || labels::is_automatic(name) {
            let shown = String::from_utf8_lossy(name).into_owned();
            let d = Diagnostic::error("c-value", format!("a place cannot be called `{shown}`"));
            self.problems.push(d.note(
                "expected letters, digits, `_`, `.`, `$` or `@`, no digit first, and not what places without a name are called",
            ));
            return;
        }
        self.options.labels = true;
        self.options.entries.push(Entry { offset, name: name.to_vec() });
    }
}
