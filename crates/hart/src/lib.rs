//! A RISC-V hart with overloadable opcodes, generated from the semantics of its description.
//!
#![doc = include_str!("../README.md")]
//! # Method
//!
//! The module `generated` holds the instructions, made from the semantics by `cargo xtask gen-hart`, so that they mean
//! exactly what the description says. Around them is what a description does not say: [`Memory`], control and status
//! registers, traps, [`Device`]s.
//!
//! Instructions are decoded once, into blocks. A store to decoded code is noticed and takes effect after the block with
//! the store, which is no later than `fence.i` asks for.
//!
//! Invariants: no program can make it panic, use more than [`limits::MAX_MEMORY`], or run longer than it was allowed.

mod block;
mod cache;
mod cause;
mod clint;
mod config;
mod csr;
mod debug;
mod decode;
mod device;
mod execute;
mod float;
mod float_unit;
mod generated;
mod guest;
mod hart;
mod host;
mod htif;
mod hypervisor;
mod interrupt;
pub mod limits;
mod linux;
mod linux_files;
mod linux_futex;
mod linux_names;
mod linux_signals;
mod linux_threads;
mod linux_timers;
mod machine;
mod maps;
mod memory;
#[cfg(feature = "jit")]
mod native;
#[cfg(feature = "jit")]
mod native_commands;
#[cfg(feature = "jit")]
mod native_run;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub mod oracle;
mod plic;
mod protection;
mod recent;
mod reference;
mod run;
mod semihosting;
mod serial;
mod signals;
mod syscall;
mod threads;
mod trigger;
mod uart;
mod vector;
mod vector_state;
mod view;
mod watch;

pub use config::{Config, Context, TrapModel};
pub use device::{Described, Device, Fallback};
pub use float_unit::FloatTrouble;
pub use hart::{Hart, Stop, Trap};
pub use host::{Entry, Errno, FileKind, FileStatus, From, Host, Input, Open, Ready};
pub use linux::Start;
pub use machine::{Call, Cause, Level};
pub use memory::Memory;
pub use vector_state::{VectorAccess, VectorCall};
pub use watch::Access;
