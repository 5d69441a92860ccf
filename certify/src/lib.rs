//! Small certificates: which facts a proof needs, out of many that are known.
//!
//! A proof is a set of facts, nimbers of lands, in which each fact has what it needs (`couples.rs`): it is checked by two
//! moves of look-ahead, from facts to facts. An [`Extract`]or takes known facts, from a database say, and finds a small such set for
//! a [`Claim`]: first greedily, then by local search for as long as it is allowed to.
//!
//! Nothing here has to be trusted: what comes out is checked by the oracle, which shares no code with it. Pure, like the
//! engine: no input or output, no clock, no threads.

mod couples;
mod error;
mod lands;
mod minimize;
mod proof;
mod random;

use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};

pub use error::CertifyError;

use crate::lands::{LandId, Lands, Sum, cancelled};
use crate::minimize::Minimizer;
use crate::proof::Proof;

/// What is to be proved of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The player to move wins, or loses, whichever the facts say.
    Outcome,
    /// The nimber.
    Nimber,
}

/// How to look for a proof.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Lands with at most so many lives need not be known: their nimbers are found by plain recursion.
    pub small: u16,
    /// What the random choices start from; the same seed gives the same proof.
    pub seed: u64,
}

/// Finds a small proof.
pub struct Extract {
    minimizer: Minimizer,
    /// The nimber of the position; none if only a win is claimed.
    nimber: Option<Nimber>,
}

impl Extract {
    /// A first, greedy proof of `claim` about `position` from known facts, given as canonical bytes and nimbers. It holds as many as
    /// it can of the facts in `first`, which have to be among the known ones: those of an earlier proof, say.
    ///
    /// # Errors
    /// [`CertifyError`] when the facts do not suffice or contradict each other.
    pub fn new(
        known: impl IntoIterator<Item = (Box<[u8]>, Nimber)>,
        first: &[CanonicalLand],
        position: &CanonicalPosition,
        claim: Claim,
        settings: Settings,
    ) -> Result<Self, CertifyError> {
        let missing = || CertifyError::Missing(position.clone());
        let mut proof = Proof::new(Lands::new(settings.small));
        for (land, nimber) in known {
            let land = proof.lands.intern(&land);
            proof.lands.learn(land, nimber)?;
        }
        let lands = position.lands().iter().map(|land| proof.lands.intern(land.key())).collect();
        let lands: Sum = cancelled(lands).into();
        lands.iter().try_for_each(|&land| proof.lands.evaluate(land))?;
        let nimber = proof.lands.nimber_of(&lands);
        let nimber = nimber.filter(|&n| claim == Claim::Nimber || n == Nimber::ZERO);
        if nimber.is_some() {
            for &land in &lands {
                if !proof.pin(land)? {
                    return Err(missing());
                }
            }
        } else if claim == Claim::Nimber {
            return Err(missing());
        } else if let Some(won) = proof.couples.won(&mut proof.lands, lands, Nimber::ZERO)? {
            proof.demand(won);
        }
        for land in first {
            let land = proof.lands.intern(land.key());
            if proof.lands.nimber(land).is_some() {
                proof.add(land)?;
            }
        }
        let mut minimizer = Minimizer::new(proof, settings.seed);
        if !minimizer.begin()? {
            return Err(missing());
        }
        Ok(Self { minimizer, nimber })
    }

    /// The nimber that is proved; none if only a win is.
    pub fn nimber(&self) -> Option<Nimber> {
        self.nimber
    }

    /// How many facts the best proof so far has.
    pub fn size(&self) -> usize {
        self.minimizer.best().len()
    }

    /// Tries `steps` changes; keeps those that do not make the proof larger, and some others at first.
    ///
    /// # Errors
    /// [`CertifyError`] when facts contradict each other.
    pub fn minimize(&mut self, steps: u64, temperature: f64) -> Result<(), CertifyError> {
        self.minimizer.minimize(steps, temperature)
    }

    /// The facts of the smallest proof found, in no particular order.
    pub fn facts(&self) -> impl Iterator<Item = (CanonicalLand, Nimber)> + '_ {
        let lands = self.minimizer.lands();
        self.minimizer.best().iter().map(move |&land| {
            let nimber = lands.nimber(land).expect("facts are known");
            (CanonicalLand::from_reduced(lands.key(land)), nimber)
        })
    }
}

/// The canonical position that consists of some lands.
fn position(lands: &Lands, sum: &[LandId]) -> CanonicalPosition {
    let lands = sum.iter().map(|&land| CanonicalLand::from_reduced(lands.key(land)));
    CanonicalPosition::from_lands(lands)
}
