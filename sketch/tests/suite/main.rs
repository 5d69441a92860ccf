//! Pictures, routed moves and drawn curves, read back.

mod full;
mod pictures;
mod routes;
mod strokes;
