//! Where another tool and a description disagree about which words are instructions and what they mean.
#![doc = include_str!("../README.md")]

mod answer;
pub mod choose;
mod compare;
mod grow;
pub mod limits;
pub mod normal;
mod ours;
mod run;

pub use answer::{Answer, Decoder};
pub use compare::{Class, Kind};
pub use grow::Grown;
pub use ours::Ours;
pub use run::{Finding, Report, Stage, run};
