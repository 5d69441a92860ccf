//! Pousse against brute force and checked values.

mod brute_force;
mod common;
mod reference;
