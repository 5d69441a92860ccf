//! The pages and the interface for programs, from a real server.

mod common;
mod impossible;
mod interface;
mod malformed;
mod pousse;
mod proofs;
mod server;
mod steering;
mod work;
