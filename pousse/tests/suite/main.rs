//! Pousse against brute force and checked values.

mod ahead;
mod brute_force;
mod common;
mod reference;
