//! The simulated cluster: a seed decides everything, and nothing acknowledged is lost.

mod cluster;
mod promotion;
