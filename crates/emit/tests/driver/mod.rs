//! Data for packers: what the maps of a description say, and data from which they give a word.

pub(crate) mod fill;
pub(crate) mod map;
