//! The C library: handles, texts and problems of `isaglot.h` over the library `isaglot`.
#![doc = include_str!("../README.md")]
//!
//! `isaglot.h` is written from this crate: the words of a function or a type here are its words there. [`export`] has the functions.
//! `unsafe` is in `ffi`, which turns pointers into values, in `callback`, which calls functions of the caller, and in the functions of
//! [`export`], which hand their arguments to `ffi`; all else is safe code.

#![allow(non_camel_case_types, reason = "types have their names of C")]

mod callback;
mod choice;
mod engine;
pub mod export;
mod ffi;
mod flags;
mod hooks;
mod instruction;
mod print;
mod problems;
mod text;

pub use callback::{isaglot_input, isaglot_read, isaglot_write};
pub use choice::isaglot_choice;
pub use engine::isaglot_engine;
pub use hooks::{isaglot_on_custom, isaglot_on_field, isaglot_on_word, isaglot_output};
pub use instruction::{isaglot_field, isaglot_instruction};
pub use print::isaglot_print;
pub use problems::isaglot_problems;
pub use text::{isaglot_buffer, isaglot_str};
