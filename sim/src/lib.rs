//! The cluster in simulated time. `docs/simulation.md` says what is simulated and what is checked.
//!
//! [`cluster`] runs the real coordinator, the real workers and the real search over turmoil's network;
//! [`model`] predicts how clusters scale; [`race`] lets real searches work on one goal in turns. A seed decides everything.

pub mod cluster;
mod faults;
mod hosts;
mod kept;
pub mod model;
mod network;
pub mod race;
pub mod summary;
pub mod truth;
mod watch;
