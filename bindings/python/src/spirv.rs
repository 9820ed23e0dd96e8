//! SPIR-V: text to modules and back.

use isaglot::spirv::{asm, dis};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::raised;

fn wrong(py: Python<'_>, files: isaglot::source::SourceMap, all: isaglot::source::Diagnostics) -> PyErr {
    raised(py, &isaglot::Error::new(files, all))
}

/// The module that a text makes.
#[pyfunction]
pub(crate) fn spirv_assemble<'py>(
    py: Python<'py>,
    text: &str,
    version: Option<u8>,
    preserve_numeric_ids: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let options = asm::Options { version, preserve_numeric_ids, ..asm::Options::default() };
    let done = py.detach(|| asm::assemble_words(text.as_bytes(), &options));
    let (mut files, mut all) = (isaglot::source::SourceMap::new(), isaglot::source::Diagnostics::new());
    if !done.failures.is_empty() {
        let file = files.add("<text>", text.as_bytes());
        done.failures.iter().for_each(|failure| all.push(failure.diagnostic(file)));
        return Err(wrong(py, files, all));
    }
    Ok(PyBytes::new(py, &asm::to_bytes(&done.words)))
}

/// The text of a module.
#[pyfunction]
pub(crate) fn spirv_disassemble(
    py: Python<'_>,
    data: &[u8],
    raw_id: bool,
    indent: bool,
    header: bool,
    offsets: bool,
    comment: bool,
) -> PyResult<String> {
    let options =
        dis::Options { raw_id, indent, header, offsets, comment, meanings: comment, ..dis::Options::default() };
    let found = py.detach(|| {
        let words = dis::read(data).map_err(|e| e.message("<module>", data))?;
        Ok(dis::disassemble(&words, &options))
    });
    let mut all = isaglot::source::Diagnostics::new();
    let found = match found {
        Ok(found) => found,
        Err(message) => {
            let message: String = message;
            let message = message.strip_prefix("error: ").unwrap_or(&message).to_owned();
            all.push(isaglot::source::Diagnostic::error("spirv-input", message));
            return Err(wrong(py, isaglot::source::SourceMap::new(), all));
        }
    };
    found.failures.iter().for_each(|failure| all.push(failure.diagnostic("<module>")));
    if all.has_errors() {
        return Err(wrong(py, isaglot::source::SourceMap::new(), all));
    }
    Ok(String::from_utf8_lossy(&found.text).into_owned())
}
