//! A description beside many programs: which of their words it does not know, and what of it they never use.
#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! A [`Scanner`] is fed programs and keeps a [`Tally`]; tallies of several threads are merged, in any order. A tally has what
//! the programs exercise ([`tally::Exercised`]), what is wrong with words that match ([`tally::Finding`]), and a sample of the
//! words that do not. [`Clusters`] makes patterns of the sample, with the description as the guide. A second pass counts the
//! words of each pattern and collects those of none, until none is left. [`Report`] is the result as plain data; [`text`],
//! [`json`] and [`page`] write it.
//!
//! Nothing depends on the order in which programs are read or on the number of threads, and memory does not grow with the
//! programs.

mod cluster;
pub mod json;
pub mod limits;
#[cfg(feature = "oracle")]
pub mod oracle;
pub mod page;
mod relevant;
pub mod report;
mod sample;
mod scan;
mod stub;
pub mod tally;
pub mod text;
mod walk;

pub use cluster::{Cluster, Clusters};
pub use report::Report;
pub use scan::Scanner;
pub use tally::Tally;
