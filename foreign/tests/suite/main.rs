//! Files of GLOP and SPOTS: read, written, and read again.

mod reading;
mod round_trip;
mod trees;
