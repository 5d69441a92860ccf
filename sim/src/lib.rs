//! The cluster in simulated time. `docs/simulation.md` says what is simulated and what is checked.
//!
//! [`promotion`] loses a coordinator that is followed, and promotes its follower. [`cluster`] runs
//! the real coordinator, the real workers and the real search over turmoil's network, and disturbs
//! them. [`race`] lets up to hundreds of real searches work on one goal, to see how much sooner
//! they are done. A seed decides everything.

pub mod cluster;
pub mod costs;
mod faults;
mod hosts;
mod kept;
mod network;
pub mod promotion;
pub mod race;
pub mod summary;
pub mod truth;
mod watch;
