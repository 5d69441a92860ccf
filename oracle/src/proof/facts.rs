//! The facts of a proof, found by their lands.

use sprig_engine::{Nimber, Position};

use super::index::Index;
use super::land::Land;

/// Facts: lands and the nimbers they are said to have.
#[derive(Default)]
pub struct Facts {
    /// Nimbers, and the numbers of the facts.
    lands: Index<(Nimber, u64)>,
    count: u64,
}

/// Why something is not taken in as a fact.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// What is written is not one land.
    #[error("this is not one land; it reduces to `{0}`")]
    NotOneLand(Position),
    /// There is a fact about an isomorphic land.
    #[error("the land is that of fact {0} once more")]
    Repeated(u64),
}

impl Facts {
    /// Adds a fact. The order of facts does not matter.
    ///
    /// # Errors
    /// [`Refused`] if the land is none, or listed already.
    pub fn add(&mut self, land: &Position, nimber: Nimber) -> Result<(), Refused> {
        let land = Land::one(land).map_err(Refused::NotOneLand)?;
        let (tint, name) = (land.tint(), land.name());
        if let Some(&(_, number)) = self.lands.named(tint, &name) {
            return Err(Refused::Repeated(number));
        }
        self.count += 1;
        self.lands.insert(tint, name, (nimber, self.count));
        Ok(())
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The nimber that a reduced land is said to have.
    pub(super) fn nimber(&self, land: &Land) -> Option<Nimber> {
        self.lands.get(land).map(|&(nimber, _)| nimber)
    }
}
