//! IDL, the language in which the Unified Database says what instructions do.
//!
//! The problem: people want to run these texts and to prove them right, and the texts are not always right. The method: a
//! text is parsed ([`statements`], [`declarations`]), checked ([`check()`]), and
//! lowered to the semantics language ([`lower()`]), which every engine runs and proves.
//!
//! Nothing repairs a text: what it says is what is lowered, and what it says wrongly is a finding.

mod check;
mod declare;
mod expression;
mod lexer;
mod lower;
mod parse;
mod place;
mod program;
pub mod syntax;

pub use check::{check, check_declarations};
pub use declare::declarations;
pub use lower::{DecodeField, Lowered, Refusal, Target, UNDEFINED, environment, lower};
pub use parse::statements;
pub use place::Place;
pub use program::{Parameter, Program};
