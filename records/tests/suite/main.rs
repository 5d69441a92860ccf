//! Records of games: read, written, followed.

mod follow;
mod reference;
mod round_trip;
