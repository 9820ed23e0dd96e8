//! The extension module `isaglot._isaglot`: the library's engine for Python.
//!
//! The problem: Python wants plain objects, threads and its own exceptions. The invariant: all real work is done without the
//! interpreter's lock, on data that Python cannot change; answers are those of the program `isaglot`. The method: every class is
//! frozen and holds an engine or plain data; what is comfortable (frames, JSON) is Python, in `python/isaglot`.

mod engine;
mod errors;
mod instruction;
mod spirv;
mod tablegen;

use pyo3::prelude::*;

#[pymodule]
mod _isaglot {
    #[pymodule_export]
    use crate::engine::{Engine, compiled, names, open, read};
    #[pymodule_export]
    use crate::errors::{Error, Problem};
    #[pymodule_export]
    use crate::instruction::{Field, Instruction, Operand};
    #[pymodule_export]
    use crate::spirv::{spirv_assemble, spirv_disassemble};
    #[pymodule_export]
    use crate::tablegen::{Record, Records, Unresolved, Unset, records};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
