//! What tests share: descriptions from files, and what fuzz targets and their smoke tests run. The input is any bytes; nothing may panic or hang, and the results agree
//! with each other.

use std::path::Path;

use isaglot_model::Isa;
use isaglot_source::{Diagnostics, FileId, SourceMap, Span, render};

use crate::load::Loader;
use crate::roles::Overlay;
use crate::text::Text;
use crate::{display as displays, expr};

/// The description with this top file.
///
/// # Errors
/// What is wrong with it, as people see it.
pub fn load(path: &Path, read: &mut Loader<'_>) -> Result<Isa, String> {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let isa = crate::load(&mut files, &path.to_string_lossy(), read, &mut out);
    isa.ok_or_else(|| out.iter().map(|d| render::text(&files, d, false)).collect())
}

/// Reads the bytes as a whole description; it may import itself. Every diagnostic is drawn too.
pub fn description(data: &[u8]) {
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let mut read = |_: &str| Ok(data.to_vec());
    let isa = crate::load(&mut files, "fuzz.xml", &mut read, &mut out);
    assert_eq!(isa.is_none(), out.has_errors(), "there is a model exactly if there is no error");
    for d in &out {
        assert!(!render::text(&files, d, false).is_empty(), "a diagnostic has a text");
    }
}

/// A description that roles can be given to.
const BARE: &str = include_str!("oracle/bare.xml");

/// Reads the bytes as roles for a small description, exactly and in part; gives the model if they fit.
pub fn roles(data: &[u8]) -> Option<Isa> {
    let mut found = None;
    for partial in [true, false] {
        let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
        let mut read = |_: &str| Ok(BARE.as_bytes().to_vec());
        let overlay = Some(Overlay { name: "fuzz.roles.xml", bytes: data, partial });
        found = crate::load_with_roles(&mut files, "bare.xml", overlay, &mut read, &mut out);
        assert_eq!(found.is_none(), out.has_errors(), "there is a model exactly if there is no error");
        for d in &out {
            assert!(!render::text(&files, d, false).is_empty(), "a diagnostic has a text");
        }
    }
    found
}

/// Reads the bytes as an expression.
pub fn expression(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let text = Text::verbatim(text, Span::new(FileId(0), 0, text.len()));
    let mut out = Diagnostics::new();
    let parsed = expr::parse(&text, true, &mut out);
    assert_eq!(parsed.is_none(), out.has_errors(), "there is a tree exactly if there is no error");
    if let Some(parsed) = parsed {
        for (i, node) in parsed.nodes.iter().enumerate() {
            let earlier = node.op.operands().into_iter().flatten().all(|o| (o as usize) < i);
            assert!(earlier, "operands come before the nodes that use them");
        }
    }
}

/// Reads the bytes as a display text.
pub fn display(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let text = Text::verbatim(text, Span::new(FileId(0), 0, text.len()));
    let mut out = Diagnostics::new();
    assert_eq!(
        displays::parse(&text, &mut out).is_none(),
        out.has_errors(),
        "there are parts exactly if there is no error"
    );
}
