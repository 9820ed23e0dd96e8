//! The language against plain arithmetic, and against bad text.

mod hostile;
mod operators;
