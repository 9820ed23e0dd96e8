//! The engine for JavaScript.
//!
//! The problem: a browser and Node have neither files nor processes, and a call into WebAssembly passes numbers only. The invariant: an
//! answer has the bytes that the program `isaglot` would give. The method: a question is one run of bytes, a JSON object and the
//! files that it speaks of ([`message`]), and [`Session::ask`] answers it. `bindings/npm/engine` exports that to WebAssembly: it hands
//! both over through the memory of the module. A session holds one description, and an instance of the module one session, so JavaScript
//! gives all memory back when it lets go of the instance.
#![doc = include_str!("../README.md")]

mod answers;
#[cfg(feature = "explore")]
mod explored;
#[cfg(feature = "package")]
mod facts;
pub mod message;
#[cfg(feature = "package")]
mod package;
mod request;
mod session;

pub use session::{Outcome, Session};
