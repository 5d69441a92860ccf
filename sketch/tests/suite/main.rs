//! Pictures, routed moves and drawn curves, read back.

mod pictures;
mod routes;
mod strokes;
