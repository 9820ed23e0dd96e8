//! TableGen: records with typed values.
//!
//! Records of a large target are made for Python when they are asked for: an object is the run and the name of a record.

use std::sync::Arc;

use isaglot::source::{Diagnostic, Diagnostics, SourceMap};
use isaglot::tablegen::{Bit, Def, Options, Records as Run, Value, parse};
use pyo3::exceptions::{PyKeyError, PyRecursionError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::errors::{Problem, problems, raised};

/// The deepest value: lists in lists, dags in dags.
const MAX_DEPTH: usize = 200;

/// A value that is not set: `?`.
#[pyclass(frozen, eq, hash, module = "isaglot.tablegen")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Unset;

#[pymethods]
impl Unset {
    fn __repr__(&self) -> &'static str {
        "?"
    }

    fn __bool__(&self) -> bool {
        false
    }
}

/// A reference to a field, or an expression, that was left unresolved: its text.
#[pyclass(frozen, get_all, eq, hash, module = "isaglot.tablegen")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Unresolved {
    text: String,
}

#[pymethods]
impl Unresolved {
    fn __repr__(&self) -> String {
        format!("<Unresolved {}>", self.text)
    }

    fn __str__(&self) -> &str {
        &self.text
    }
}

/// The records of a run.
#[pyclass(frozen, module = "isaglot.tablegen")]
pub(crate) struct Records {
    run: Arc<Run>,
    warnings: Vec<Problem>,
}

/// A record.
#[pyclass(frozen, module = "isaglot.tablegen")]
pub(crate) struct Record {
    run: Arc<Run>,
    name: String,
}

/// Reads and evaluates a file or a text, with what it includes. `virtual_files` are pairs of paths and texts that stand before files.
#[pyfunction]
pub(crate) fn records(
    py: Python<'_>,
    name: &str,
    text: Option<Vec<u8>>,
    include: Vec<String>,
    macros: Vec<String>,
    virtual_files: Vec<(String, Vec<u8>)>,
) -> PyResult<Records> {
    let run = py.detach(|| {
        let bytes = match text {
            Some(text) => text,
            None => isaglot::fs::whole(std::path::Path::new(name)).map_err(isaglot::Error::from)?,
        };
        let options = Options { include_dirs: include, macros, ..Options::default() };
        let mut load = |path: &str| {
            let known = virtual_files.iter().find(|file| file.0 == path).map(|file| file.1.clone());
            known.or_else(|| std::fs::read(path).ok()).map(Arc::from)
        };
        let mut run = parse(name, bytes.into(), &options, &mut load);
        let found = isaglot::records::problems(&run);
        if !run.ok() {
            return Err(isaglot::Error::new(std::mem::take(run.files_mut()), found));
        }
        let warnings = isaglot::Problem::all(run.files_mut(), &found);
        Ok((run, warnings))
    });
    let (run, warnings) = run.map_err(|e| raised(py, &e))?;
    Ok(Records { run: Arc::new(run), warnings: problems(&warnings) })
}

#[pymethods]
impl Records {
    /// What is to be said of the files, although they can be used.
    #[getter]
    fn warnings(&self) -> Vec<Problem> {
        self.warnings.clone()
    }

    /// Paths of included files.
    #[getter]
    fn included(&self) -> Vec<String> {
        self.run.included().to_vec()
    }

    /// The names of the classes.
    fn classes(&self) -> Vec<String> {
        self.run.classes().map(|class| class.name().into_owned()).collect()
    }

    /// The records of a class and of those derived from it; without a class all.
    #[pyo3(signature = (class_name=None))]
    fn defs(&self, py: Python<'_>, class_name: Option<&str>) -> PyResult<Vec<Record>> {
        let run = &self.run;
        let names: Vec<String> = py.detach(|| match class_name {
            Some(class) if run.class(class).is_none() => Vec::new(),
            Some(class) => run.defs_of(class).into_iter().map(|def| def.name().into_owned()).collect(),
            None => run.defs().map(|def| def.name().into_owned()).collect(),
        });
        if let Some(class) = class_name.filter(|class| self.run.class(class).is_none()) {
            let d = Diagnostic::error("tblgen-class", format!("there is no class `{class}`"));
            let mut all = Diagnostics::new();
            all.push(d);
            return Err(raised(py, &isaglot::Error::new(SourceMap::new(), all)));
        }
        Ok(names.into_iter().map(|name| Record { run: Arc::clone(&self.run), name }).collect())
    }

    fn __getitem__(&self, name: &str) -> PyResult<Record> {
        match self.run.def(name) {
            Some(_) => Ok(Record { run: Arc::clone(&self.run), name: name.to_owned() }),
            None => Err(PyKeyError::new_err(name.to_owned())),
        }
    }

    fn __contains__(&self, name: &str) -> bool {
        self.run.def(name).is_some()
    }

    fn __len__(&self) -> usize {
        self.run.defs().count()
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let all: Vec<Py<Record>> =
            self.defs(py, None)?.into_iter().map(|one| Py::new(py, one)).collect::<PyResult<_>>()?;
        Ok(PyList::new(py, all)?.try_iter()?.into_any().unbind())
    }

    fn __repr__(&self) -> String {
        format!("<Records {}>", self.run.defs().count())
    }
}

impl Record {
    fn def(&self) -> PyResult<Def<'_>> {
        self.run.def(&self.name).ok_or_else(|| PyKeyError::new_err(self.name.clone()))
    }
}

#[pymethods]
impl Record {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Its place: `file:line:column`.
    #[getter]
    fn place(&self) -> PyResult<String> {
        Ok(self.def()?.place())
    }

    /// The names of its classes.
    #[getter]
    fn superclasses(&self) -> PyResult<Vec<String>> {
        Ok(self.def()?.superclasses().map(|class| class.name().into_owned()).collect())
    }

    /// Whether it has no name of its own.
    #[getter]
    fn is_anonymous(&self) -> PyResult<bool> {
        Ok(self.def()?.is_anonymous())
    }

    /// Whether it is of a class.
    fn is_a(&self, class_name: &str) -> PyResult<bool> {
        Ok(self.def()?.is_of(class_name))
    }

    /// The names of its fields.
    fn keys(&self) -> PyResult<Vec<String>> {
        Ok(self.def()?.fields().map(|(name, _)| name.into_owned()).collect())
    }

    fn __getitem__(&self, py: Python<'_>, field: &str) -> PyResult<Py<PyAny>> {
        match self.def()?.get(field) {
            Some(value) => converted(py, &self.run, value, MAX_DEPTH),
            None => Err(PyKeyError::new_err(field.to_owned())),
        }
    }

    fn __contains__(&self, field: &str) -> PyResult<bool> {
        Ok(self.def()?.get(field).is_some())
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(PyList::new(py, self.keys()?)?.try_iter()?.into_any().unbind())
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.def()?.fields().count())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let same = |other: PyRef<'_, Record>| Arc::ptr_eq(&self.run, &other.run) && self.name == other.name;
        other.cast::<Record>().is_ok_and(|other| same(other.borrow()))
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        self.name.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("<Record {}>", self.name)
    }
}

/// A value as Python has it: `Unset`, bool, int, str, a list, a `Record`, and of bits a list with bit 0 first whose elements are
/// bools, `Unset`, pairs of a field and a bit of it, or `Unresolved`; of a dag the operator and a list of pairs of argument and
/// name.
fn converted(py: Python<'_>, run: &Arc<Run>, value: Value<'_>, depth: usize) -> PyResult<Py<PyAny>> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(PyRecursionError::new_err("the value is too deep"));
    };
    let object = |o: Bound<'_, PyAny>| o.unbind();
    let text = |value: &dyn std::fmt::Display| Py::new(py, Unresolved { text: value.to_string() }).map(Py::into_any);
    Ok(match value {
        Value::Unset => Py::new(py, Unset)?.into_any(),
        Value::Bit(bit) => object(bit.into_pyobject(py)?.to_owned().into_any()),
        Value::Int(n) => object(n.into_pyobject(py)?.into_any()),
        Value::String(bytes) => object(String::from_utf8_lossy(bytes).into_pyobject(py)?.into_any()),
        Value::Bits(bits) => {
            let one = |bit: Bit<'_>| -> PyResult<Py<PyAny>> {
                Ok(match bit {
                    Bit::Zero => object(false.into_pyobject(py)?.to_owned().into_any()),
                    Bit::One => object(true.into_pyobject(py)?.to_owned().into_any()),
                    Bit::Unset => Py::new(py, Unset)?.into_any(),
                    Bit::Field { field, index } => object((field, index).into_pyobject(py)?.into_any()),
                    Bit::Other => text(&"?")?,
                })
            };
            let all = bits.iter().map(one).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, all)?.into_any().unbind()
        }
        Value::List(list) => {
            let all = list.iter().map(|v| converted(py, run, v, depth)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, all)?.into_any().unbind()
        }
        Value::Dag(dag) => {
            let operator = converted(py, run, dag.operator(), depth)?;
            let mut args = Vec::new();
            for (value, name) in dag.args() {
                let name = (!name.is_empty()).then(|| name.into_owned());
                args.push((converted(py, run, value, depth)?, name).into_pyobject(py)?);
            }
            let args = PyList::new(py, args)?.into_any().unbind();
            PyTuple::new(py, [operator, args])?.into_any().unbind()
        }
        Value::Def(def) => Py::new(py, Record { run: Arc::clone(run), name: def.name().into_owned() })?.into_any(),
        Value::Other(_) => text(&value)?,
    })
}
