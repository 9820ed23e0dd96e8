//! A codec as C11: one header, one source, nothing but the standard library.
//!
//! The source is a runtime that is the same for every description, and the tables of a blueprint ([`tables`]) after it. The
//! runtime is the files of `c/runtime`, which are real C and compile as they stand with the prefix `isaglot`.

pub mod tables;

use crate::blueprint::Blueprint;
use crate::files::File;
use crate::stamp::Stamp;

/// The runtime of a disassembler, in the order in which it stands in a source.
pub const RUNTIME: &[&str] = &[
    include_str!("runtime/types.c"),
    include_str!("runtime/decode.c"),
    include_str!("runtime/print.c"),
    include_str!("runtime/scope.c"),
    include_str!("runtime/exact.c"),
    include_str!("runtime/step.c"),
    QUICK,
    STREAM,
];

/// How many of them precede [`QUICK`] or [`STRAIGHT`].
const FIRST: usize = 6;

/// What runs quick programs from their tables.
pub const QUICK: &str = include_str!("runtime/quick.c");

/// What follows it: streams.
pub const STREAM: &str = include_str!("runtime/stream.c");

/// Fields, encoding, assembly: after all that.
pub const MORE: &[&str] =
    &[include_str!("runtime/walk.c"), include_str!("runtime/number.c"), include_str!("runtime/read.c")];

/// What precedes straight code.
pub const STRAIGHT: &str = include_str!("runtime/straight.c");

/// What the header declares, as C.
pub const PUBLIC: &str = include_str!("runtime/public.c");

/// The header.
pub const HEADER: &str = include_str!("runtime/isaglot.h");

/// How C is written.
#[derive(Clone, Debug)]
pub struct C<'b, 'a> {
    blueprint: &'b Blueprint<'a>,
    stamp: Stamp,
    prefix: String,
    straight: bool,
}

/// Constants that the runtime needs: those of the widest and largest of these blueprints. They stand before the
/// runtime; the limbs of a word stand in the header.
#[must_use]
pub fn constants(blueprints: &[&Blueprint<'_>]) -> String {
    let most = |f: &dyn Fn(&Blueprint<'_>) -> usize| blueprints.iter().map(|b| f(b)).max().unwrap_or(0).max(1);
    format!(
        "/* The most expressions of one encoding, and the most parts of one expression. */\n#define MEMO {}\n#define NODES {}\n",
        most(&|b| b.memo),
        most(&|b| b.nodes)
    )
}

impl<'b, 'a> C<'b, 'a> {
    /// A codec whose public names begin with `prefix`, which must be a C identifier in lower case: see
    /// [`crate::names::c_prefix`].
    #[must_use]
    pub fn new(blueprint: &'b Blueprint<'a>, stamp: Stamp, prefix: &str) -> Self {
        C { blueprint, stamp, prefix: prefix.to_owned(), straight: true }
    }

    /// The same with quick programs as straight code, as by default, or as tables: less source, slower.
    #[must_use]
    pub fn straight(mut self, straight: bool) -> Self {
        self.straight = straight;
        self
    }

    /// A text of the runtime with the prefix of this codec.
    #[must_use]
    pub fn prefixed(&self, text: &str) -> String {
        text.replace("isaglot", &self.prefix).replace("ISAGLOT", &self.prefix.to_ascii_uppercase())
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> String {
        let upper = self.prefix.to_ascii_uppercase();
        let mut constants = String::from("/* Limbs of a word, and bits of the longest instruction. */\n");
        constants += &format!("#define {upper}_LIMBS {}\n", self.blueprint.limb_count);
        constants += &format!("#define {upper}_MAX_BITS {}\n\n", self.blueprint.max_bits);
        constants += &crate::names::c_enums(self.blueprint, &upper);
        let text = self.prefixed(&HEADER.replace("/*@MORE*/\n", include_str!("runtime/more.h")));
        format!("/* {} */\n{}", self.stamp.line(), text.replace("/*@CONSTANTS*/\n", &constants))
    }

    /// The source.
    #[must_use]
    pub fn source(&self) -> String {
        let mut out = format!("/* {} */\n\n", self.stamp.line());
        out += &format!(
            "#include \"{}.h\"\n\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n",
            self.prefix
        );
        out += &constants(&[self.blueprint]);
        for part in RUNTIME.iter().take(FIRST) {
            out.push('\n');
            out += &self.prefixed(part);
        }
        out.push('\n');
        out += &self.prefixed(if self.straight { STRAIGHT } else { QUICK });
        out.push('\n');
        for part in [STREAM].iter().chain(MORE) {
            out.push('\n');
            out += &self.prefixed(part);
        }
        out += "\n/* The description. */\n\n";
        out += &tables::write(self.blueprint, "tables");
        out.push('\n');
        if self.straight {
            out += &self.prefixed(&crate::switch::c(self.blueprint, "tables"));
            out.push('\n');
        }
        out += &self.prefixed(PUBLIC);
        out
    }

    /// Everything: `PREFIX.h`, `PREFIX.c`, `README.md`.
    #[must_use]
    pub fn files(&self) -> Vec<File> {
        // The stamp comes after the prefix: it names the program.
        let readme = self.stamp.readme(&self.prefixed(include_str!("README.md")));
        vec![
            File::new(format!("{}.h", self.prefix), self.header()),
            File::new(format!("{}.c", self.prefix), self.source()),
            File::new("README.md", readme),
        ]
    }
}
