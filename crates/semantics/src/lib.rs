//! The semantics language: what an instruction does, as statements over bit vectors.
//!
#![doc = include_str!("../README.md")]
//! # Method
//!
//! A text is parsed ([`parse`]) into a small syntax tree, and type-checked ([`check`]) against an [`Env`], which says what
//! the names mean and how wide the parameters (`xlen`) are. The result, a [`Body`], is a list of statements over an arena
//! of typed values. [`run`] is its definition: every compiled form is tested against it.
//!
//! Invariants of a [`Body`]: every value has one width and refers only to values before it; values are pure, so that
//! all effects are statements, in order; there are no loops, so it always ends; every operation is defined for every
//! input ([`BinaryOp`] says how).

mod body;
mod check;
mod env;
mod interpret;
mod lexer;
pub mod limits;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub mod oracle;
mod parser;
mod syntax;

pub use body::{BinaryOp, Body, Local, RegisterIndex, Statement, TableIndex, UnaryOp, Value, ValueId};
pub use check::check;
pub use env::{Env, Extern, ExternId, File, FileIndex, OperandIndex, Symbol, Table};
pub use interpret::{Machine, run, sign_extend};
pub use parser::parse;
pub use syntax::Tree;
