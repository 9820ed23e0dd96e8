//! The front end on descriptions of the project's own.

mod compiled;
mod docs;
mod expressions;
mod limits;
mod smoke;
mod specs;
