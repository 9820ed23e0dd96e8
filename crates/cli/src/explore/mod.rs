//! `isaglot explore`: a local page on which words and text answer each other.
//!
//! Two threads. The *engine* owns the description, answers one question at a time and reads the description again when its
//! files change ([`engine`]; the answers are the library's). The *server* speaks HTTP on the loopback and bounds what an untrusted client can ask of it
//! ([`server`]). Between them goes a queue of requests, each with a channel for its answer. The page itself is three files under `page/`.

mod description;
mod engine;
mod limits;
mod server;

pub(crate) use engine::start;
pub(crate) use server::serve;
