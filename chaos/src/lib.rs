//! Hunts real processes. `docs/simulation.md` says what is done to them and what is checked.

pub mod check;
pub mod cluster;
pub mod crowd;
pub mod damage;
pub mod disk;
pub mod heard;
pub mod hunt;
pub mod proxy;
pub mod race;
