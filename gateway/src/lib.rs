//! The gateway: what is known of positions, over HTTP.
//!
//! The gateway answers people with pages that need no scripts, and programs with JSON under `/v1`.
//! It reads a database, or asks a coordinator. No request changes anything, unless the gateway was
//! told to let visitors steer searches: then a visitor makes and withdraws wishes with a token of
//! its own, and the gateway never shows its own token or certificate for it. Every request takes
//! the same way: `server` keeps to the limits of connections, `route` finds the function that
//! answers, `explorer` has turns and caches, and `source` knows the facts. An error is a
//! `problem` with its remedy.

mod answer;
mod asked;
mod batch;
mod cache;
mod credit;
mod document;
mod events;
mod explorer;
mod facts;
mod game;
mod impossible;
mod pages;
mod pousse;
mod problem;
mod proofs;
mod replica;
mod replies;
mod reply;
mod route;
mod server;
mod sight;
mod source;
mod starts;
mod steer;
mod target;
mod trees;
mod work;

pub use replica::Replica;
pub use server::{Gateway, Limits};
pub use source::Source;
