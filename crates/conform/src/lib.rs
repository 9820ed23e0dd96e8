//! Where another tool and a description disagree about which words are instructions and what they mean.
#![doc = include_str!("../README.md")]

mod answer;
pub mod choose;
mod compare;
mod foreign;
mod grow;
mod known;
pub mod limits;
pub mod normal;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub mod oracle;
mod ours;
pub mod report;
mod round;
mod run;
pub mod shipped;
mod spell;
#[cfg(feature = "spirv")]
pub mod spirv;
mod sweep;
pub mod template;
pub mod tool;
#[cfg(feature = "xe")]
pub mod xe;

pub use answer::{Answer, Assembled, Assembler, Decoder, Leaf, Near, Subject};
pub use compare::{Class, Kind};
pub use foreign::{Foreign, Job, Output, Runner, Setting};
pub use grow::Grown;
pub use known::Known;
pub use ours::Ours;
pub use round::{Texts, round};
pub use run::{Finding, Report, Stage, run, run_within};
pub use sweep::Sweep;
