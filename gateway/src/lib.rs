//! The gateway: what is known of positions, over HTTP.
//!
//! It answers people with pages that need no scripts, and programs with JSON under `/v1`. It reads
//! a database, or asks a coordinator, and changes nothing anywhere. Every request takes the same
//! way: [`server`] keeps to the limits of connections, [`route`] finds who answers, [`desk`] has
//! turns and caches, [`source`] knows. What goes wrong is a [`problem`] with its remedy.

mod answer;
mod asked;
mod batch;
mod cache;
mod credit;
mod desk;
mod document;
mod events;
mod facts;
mod game;
mod pages;
mod pousse;
mod problem;
mod proofs;
mod replica;
mod replies;
mod reply;
mod route;
mod server;
mod source;
mod starts;
mod target;
mod work;

pub use replica::Replica;
pub use server::{Gateway, Limits};
pub use source::Source;
