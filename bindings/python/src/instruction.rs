//! Instructions as Python objects.

use isaglot::bits::Word;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt};

/// A number of any width.
pub(crate) struct Number(Word);

impl<'py> IntoPyObject<'py> for &Number {
    type Target = PyInt;
    type Output = Bound<'py, PyInt>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        if self.0.width() <= u64::BITS {
            return Ok(self.0.low_u64().into_pyobject(py)?);
        }
        let bytes: Vec<u8> = self.0.le_bytes().collect();
        let made = py.get_type::<PyInt>().call_method1("from_bytes", (PyBytes::new(py, &bytes), "little"))?;
        Ok(made.cast_into::<PyInt>()?)
    }
}

/// An instruction, taken apart.
#[pyclass(frozen, module = "isaglot")]
pub(crate) struct Instruction {
    word: Number,
    /// How many bytes it takes.
    #[pyo3(get)]
    size: usize,
    /// The mnemonic that the description gives it.
    #[pyo3(get)]
    mnemonic: String,
    /// The name of its encoding in the description.
    #[pyo3(get)]
    encoding: String,
    /// Its text, as `isaglot disasm` prints it.
    #[pyo3(get)]
    text: String,
    /// What is wrong with the word although it is an instruction, or None.
    #[pyo3(get)]
    problem: Option<String>,
    /// What it reads and writes: the destination, then the sources.
    #[pyo3(get)]
    operands: Vec<Py<Operand>>,
    /// The fields of the encoding.
    #[pyo3(get)]
    fields: Vec<Py<Field>>,
}

#[pymethods]
impl Instruction {
    /// The word as a number; bit 0 is the least significant.
    #[getter]
    fn word<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        (&self.word).into_pyobject(py)
    }

    /// The width of the word in bits.
    #[getter]
    fn bits(&self) -> u32 {
        self.word.0.width()
    }

    fn __repr__(&self) -> String {
        format!("<Instruction {}>", self.text)
    }

    fn __str__(&self) -> &str {
        &self.text
    }
}

impl Instruction {
    pub(crate) fn new(py: Python<'_>, found: isaglot::engine::Instruction) -> PyResult<Instruction> {
        let operand = |o: isaglot::engine::Operand| {
            Py::new(py, Operand { kind: o.kind.name(), is_written: o.is_written, text: o.text })
        };
        Ok(Instruction {
            word: Number(found.word),
            size: found.size,
            mnemonic: found.mnemonic,
            encoding: found.encoding,
            text: found.text,
            problem: found.problem,
            operands: found.operands.into_iter().map(operand).collect::<PyResult<_>>()?,
            fields: fields(py, found.fields)?,
        })
    }
}

/// Something that an instruction reads or writes.
#[pyclass(frozen, get_all, module = "isaglot")]
pub(crate) struct Operand {
    /// `register`, `immediate`, `label`, `address` or `data`.
    kind: &'static str,
    /// Whether it is the destination.
    is_written: bool,
    /// The name of the register, the number, or where a branch goes.
    text: String,
}

#[pymethods]
impl Operand {
    fn __repr__(&self) -> String {
        format!("<Operand {} {}>", self.kind, self.text)
    }

    fn __str__(&self) -> &str {
        &self.text
    }
}

/// A field of an instruction.
#[pyclass(frozen, module = "isaglot")]
pub(crate) struct Field {
    /// Its name.
    #[pyo3(get)]
    name: String,
    /// Where its bits are in the word: pairs of the lowest bit and how many, the least significant part of the value first.
    #[pyo3(get)]
    ranges: Vec<(u32, u32)>,
    /// The expression that it is derived by, or None.
    #[pyo3(get)]
    derived: Option<String>,
    value: Number,
    /// How it prints.
    #[pyo3(get)]
    text: String,
    /// The name of the encoding that the value is, if it is decided in a space of its own; or None.
    #[pyo3(get)]
    encoding: Option<String>,
    /// The fields of that encoding.
    #[pyo3(get)]
    fields: Vec<Py<Field>>,
}

#[pymethods]
impl Field {
    /// Its raw value; a negative number is in two's complement.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyInt>> {
        (&self.value).into_pyobject(py)
    }

    /// The width of the value in bits.
    #[getter]
    fn bits(&self) -> u32 {
        self.value.0.width()
    }

    fn __repr__(&self) -> String {
        format!("<Field {}={}>", self.name, self.value.0.decimal())
    }
}

fn fields(py: Python<'_>, found: Vec<isaglot::engine::Field>) -> PyResult<Vec<Py<Field>>> {
    let one = |field: isaglot::engine::Field| {
        let (encoding, inner) = match field.nested {
            Some(nested) => (Some(nested.encoding), fields(py, nested.fields)?),
            None => (None, Vec::new()),
        };
        Py::new(
            py,
            Field {
                name: field.name,
                ranges: field.ranges.iter().map(|range| (range.lo, range.width)).collect(),
                derived: field.derived,
                value: Number(field.value),
                text: field.text,
                encoding,
                fields: inner,
            },
        )
    };
    found.into_iter().map(one).collect()
}
