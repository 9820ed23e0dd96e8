//! The semantics language: what an instruction does, as statements over bit-vectors.
//!
//! The problem: an executor, a prover and an instruction page must mean the same by one text. The method: the text is
//! parsed ([`parse`]) into a small syntax tree, and type-checked ([`check`]) against an [`Env`] that says what the
//! names mean and how wide the parameters (`xlen`) are. The result, a [`Body`], is a list of statements over an arena
//! of typed values; [`run`] is its definition, against which every compiled form is tested.
//!
//! Invariants of a [`Body`]: every value has one width and refers only to values before it; values are pure, so that
//! all effects stand in statements, in order; there are no loops, so it always ends; every operation is defined for
//! every input ([`BinaryOp`] says how).
//!
//! ```
//! use isaglot_semantics::{Env, Symbol, check, parse};
//! use isaglot_source::{Diagnostics, SourceMap};
//!
//! let text = "let sum = rs1 + sext(imm, xlen);\nrd = sum;\n";
//! let mut files = SourceMap::new();
//! let file = files.add("addi", text.as_bytes());
//! let mut problems = Diagnostics::new();
//! let tree = parse(file, 0, text, &mut problems).expect("it parses");
//!
//! let mut env = Env::new(&[("xlen", 64)]);
//! let x = env.file("x", 64, 32);
//! env.operand("rd", Symbol::Register { file: x, read: false, write: true });
//! env.operand("rs1", Symbol::Register { file: x, read: true, write: false });
//! env.operand("imm", Symbol::Immediate { width: 12 });
//! let body = check(&tree, &env, &mut problems).expect("it is well typed");
//! assert_eq!(body.statements.len(), 2);
//! ```

mod body;
mod check;
mod env;
mod interpret;
mod lexer;
pub mod limits;
#[cfg(feature = "oracle")]
pub mod oracle;
mod parser;
mod syntax;

pub use body::{BinaryOp, Body, Local, RegisterIndex, Statement, UnaryOp, Value, ValueId};
pub use check::check;
pub use env::{Env, Extern, ExternId, File, FileIndex, Operand, Symbol};
pub use interpret::{Machine, run, sign_extend};
pub use parser::parse;
pub use syntax::Tree;
