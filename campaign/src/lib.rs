//! What a campaign is: a series of start positions, solved from the small to the large in one
//! database.
//!
//! A proof for n spots rests on nimbers that the proofs for fewer spots have found, so a chain of
//! start positions costs about what its largest member costs from an empty database, and a gap in
//! the chain is paid for. This crate says which numbers of spots a campaign has ([`Series`]), and
//! what the rest of it may cost, judged by what is done ([`Forecast`]). It also knows what is
//! conjectured of start positions, and who has proved which ([`proofs`]), and what a single one may
//! cost ([`plan`]). It solves nothing itself.

mod conjecture;
mod forecast;
pub mod plan;
mod series;

pub use conjecture::{Proof, is_predicted_win, proofs};
pub use forecast::{Done, Forecast};
pub use series::{MAX_SPOTS, Series, SeriesError, Skip};
