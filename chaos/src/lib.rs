//! Hunts real processes. `docs/simulation.md` says what is done to them and what is checked.

pub mod attack;
pub mod check;
pub mod cluster;
pub mod crowd;
pub mod damage;
pub mod disk;
pub mod heard;
pub mod hunt;
pub mod journal;
pub mod liars;
pub mod malice;
pub mod power;
pub mod promote;
pub mod prove;
pub mod proxy;
pub mod race;
pub mod siege;
pub mod start;
pub mod storm;
pub mod tokens;
mod usage;
