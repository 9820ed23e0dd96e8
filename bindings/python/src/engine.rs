//! The class `Engine`, and what makes one.

use std::path::PathBuf;

use isaglot::engine::{Columns, ListOptions};
use isaglot::spec::{Choice, Roles, names as table};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{Problem, problems, raised};
use crate::instruction::Instruction;

/// A description with a gen and features, ready for questions from any thread.
#[pyclass(frozen, module = "isaglot")]
pub(crate) struct Engine {
    inner: isaglot::Engine,
}

/// What is chosen within a description.
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
fn choice(
    generation: Option<String>,
    features: Vec<String>,
    include: Vec<PathBuf>,
    operands: Option<PathBuf>,
    overlay: Option<PathBuf>,
    config: Option<PathBuf>,
    triple: String,
    cpu: String,
    aliases: Option<bool>,
    roles: Option<PathBuf>,
    stale: bool,
) -> Choice {
    let roles = roles.map_or(Roles::Usual, |path| Roles::Wanted(Some(path)));
    Choice {
        generation,
        features,
        include,
        operands,
        overlay,
        config,
        triple,
        cpu,
        aliases,
        roles,
        stale,
        ..Choice::default()
    }
}

/// The engine of a description by name or path.
#[pyfunction]
#[pyo3(signature = (source, generation, features, include, operands, overlay, config, triple, cpu, aliases, roles, stale))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn open(
    py: Python<'_>,
    source: &str,
    generation: Option<String>,
    features: Vec<String>,
    include: Vec<PathBuf>,
    operands: Option<PathBuf>,
    overlay: Option<PathBuf>,
    config: Option<PathBuf>,
    triple: String,
    cpu: String,
    aliases: Option<bool>,
    roles: Option<PathBuf>,
    stale: bool,
) -> PyResult<Engine> {
    let choice = choice(generation, features, include, operands, overlay, config, triple, cpu, aliases, roles, stale);
    made(py, py.detach(|| isaglot::Engine::open(source, &choice)))
}

/// The engine of a description in isaspec XML; `files` are pairs of names and bytes, the first one the top.
#[pyfunction]
pub(crate) fn read(
    py: Python<'_>,
    files: Vec<(String, Vec<u8>)>,
    generation: Option<String>,
    features: Vec<String>,
) -> PyResult<Engine> {
    let choice = Choice { generation, features, ..Choice::default() };
    let top = files.first().map(|file| file.0.clone()).unwrap_or_default();
    let mut load = |name: &str| {
        let found = files.iter().find(|file| file.0 == name).map(|file| file.1.clone());
        found.ok_or_else(|| "it is not among the texts".to_owned())
    };
    made(py, py.detach(|| isaglot::Engine::read(&top, &mut load, &choice)))
}

/// The engine of a compiled description.
#[pyfunction]
pub(crate) fn compiled(
    py: Python<'_>,
    name: &str,
    data: &[u8],
    generation: Option<String>,
    features: Vec<String>,
    triple: String,
    cpu: String,
    aliases: Option<bool>,
) -> PyResult<Engine> {
    let choice = Choice { generation, features, triple, cpu, aliases, ..Choice::default() };
    made(py, py.detach(|| isaglot::Engine::compiled(name, data, &choice)))
}

/// The names of descriptions and machines that are built in.
#[pyfunction]
pub(crate) fn names() -> Vec<&'static str> {
    let machines = isaglot::xe::platform::ALL.map(table::of);
    isaglot::shipped::names().into_iter().chain(machines).chain(["spirv"]).collect()
}

fn made(py: Python<'_>, made: Result<isaglot::Engine, isaglot::Error>) -> PyResult<Engine> {
    made.map(|inner| Engine { inner }).map_err(|e| raised(py, &e))
}

/// Columns as Python gets them: offset, size, encoding, where texts begin, texts, how many bytes were used.
type Batch<'py> =
    (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, usize);

#[pymethods]
impl Engine {
    /// What it was asked for by.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// `descriptions`, `RISC-V`, `Intel Xe` or `SPIR-V`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.inner.kind().name()
    }

    /// The gen that is decoded for.
    #[getter]
    fn generation(&self) -> Option<u32> {
        self.inner.generation()
    }

    /// The names of the features that are on.
    #[getter]
    fn features(&self) -> Vec<&str> {
        self.inner.features()
    }

    /// What is to be said of the description and the choices, although it can be used.
    #[getter]
    fn warnings(&self) -> Vec<Problem> {
        problems(self.inner.warnings())
    }

    /// The mnemonic and the name of each encoding.
    fn encodings(&self, py: Python<'_>) -> Vec<(&str, &str)> {
        py.detach(|| self.inner.encodings())
    }

    fn decode(&self, py: Python<'_>, data: &[u8]) -> PyResult<Instruction> {
        let found = py.detach(|| self.inner.decode(data)).map_err(|e| raised(py, &e))?;
        Instruction::new(py, found)
    }

    fn decode_many<'py>(&self, py: Python<'py>, data: &[u8]) -> PyResult<Batch<'py>> {
        let mut columns = Columns::default();
        let used = py.detach(|| self.inner.decode_into(data, &mut columns)).map_err(|e| raised(py, &e))?;
        if columns.text_offset.is_empty() {
            columns.text_offset.push(0);
        }
        Ok((
            column(py, &columns.offset, |n: u64| n.to_ne_bytes())?,
            column(py, &columns.size, |n: u32| n.to_ne_bytes())?,
            column(py, &columns.encoding, |n: i32| n.to_ne_bytes())?,
            column(py, &columns.text_offset, |n: u32| n.to_ne_bytes())?,
            PyBytes::new(py, &columns.text),
            used,
        ))
    }

    fn disassemble(&self, py: Python<'_>, data: &[u8], labels: bool) -> PyResult<(String, usize, Vec<Problem>)> {
        let found = py.detach(|| self.inner.disassemble(data, labels)).map_err(|e| raised(py, &e))?;
        Ok((found.text, found.used, problems(&found.problems)))
    }

    fn assemble<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyBytes>> {
        let made = py.detach(|| self.inner.assemble(text)).map_err(|e| raised(py, &e))?;
        Ok(PyBytes::new(py, &made.bytes))
    }

    fn explain(&self, py: Python<'_>, question: &str) -> PyResult<(String, String)> {
        let found = py.detach(|| self.inner.explain(question)).map_err(|e| raised(py, &e))?;
        Ok((found.text, found.json))
    }

    fn check(&self, py: Python<'_>) -> PyResult<(Vec<Problem>, String)> {
        let found = py.detach(|| self.inner.check()).map_err(|e| raised(py, &e))?;
        Ok((problems(&found.findings), found.json))
    }

    fn list(&self, py: Python<'_>, data: &[u8], defs: bool, pc: bool, bits: bool) -> PyResult<(String, Vec<Problem>)> {
        let options = ListOptions { defs, pc, bits };
        let found = py.detach(|| self.inner.list(data, options)).map_err(|e| raised(py, &e))?;
        Ok((found.json, problems(&found.problems)))
    }

    fn __repr__(&self) -> String {
        format!("<isaglot.Engine {}>", self.inner.name())
    }
}

/// A column as bytes, in the byte order of the machine.
fn column<'py, T: Copy, const N: usize>(
    py: Python<'py>,
    rows: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, rows.len() * N, |room| {
        for (place, row) in room.chunks_exact_mut(N).zip(rows) {
            place.copy_from_slice(&bytes(*row));
        }
        Ok(())
    })
}
