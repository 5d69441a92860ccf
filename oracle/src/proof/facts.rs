//! The facts of a proof, found by their lands.

use sprig_engine::{Nimber, Position};

use super::finder::Finder;
use super::index::{Filter, Index};
use super::land::{Spot, TooManyMoves};
use super::name::Namer;
use super::ready::Ready;
use super::reduce::written;
use super::sketch::{fold, sketch};

/// Facts: lands and the nimbers they are said to have.
#[derive(Default)]
pub struct Facts {
    lands: Index<Nimber>,
    /// The sketches of lands with their nimbers.
    nimbers: Filter,
    namer: Namer,
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
    /// It has more spots than can be counted.
    #[error(transparent)]
    TooManyMoves(#[from] TooManyMoves),
}

impl Facts {
    /// Adds a fact. The order of facts does not matter.
    ///
    /// # Errors
    /// [`Refused`] if this is not one land, or if it is listed already.
    pub fn add(&mut self, land: &Position, nimber: Nimber) -> Result<(), Refused> {
        self.add_ready(&Ready::of(land)?, nimber)
    }

    /// Adds a fact about a land that is ready.
    ///
    /// # Errors
    /// [`Refused`] if this is not one land, or if it is listed already.
    pub fn add_ready(&mut self, land: &Ready, nimber: Nimber) -> Result<(), Refused> {
        let [(tint, name)] = &land.0[..] else {
            return Err(Refused::NotOneLand(written(land.0.iter().map(|(_, name)| &name[..]))));
        };
        if let Some(number) = self.lands.named(&mut self.namer, *tint, name) {
            return Err(Refused::Repeated(u64::from(number) + 1));
        }
        self.lands.insert(*tint, name, nimber);
        let lands = &self.lands;
        let all = || {
            (0..lands.len() as u32)
                .map(|fact| with_nimber(sketch(lands.name(fact)), *lands.noted(fact)))
        };
        self.nimbers.add(with_nimber(sketch(name), nimber), all);
        Ok(())
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.lands.len() as u64
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lands.len() == 0
    }

    /// Whether there may be a fact about a land with this sketch.
    pub(super) fn may_have(&self, sketch: u64) -> bool {
        self.lands.may_have(sketch)
    }

    /// Whether there may be a fact that a land with this sketch has this nimber.
    pub(super) fn may_have_nimber(&self, sketch: u64, nimber: Nimber) -> bool {
        self.nimbers.may_have(with_nimber(sketch, nimber))
    }

    /// The number of the fact about a reduced land, if there is one.
    pub(super) fn find(&self, finder: &mut Finder, sketch: u64, land: &[Spot]) -> Option<u32> {
        finder.find(&self.lands, sketch, land)
    }

    /// The nimber that the land of a fact is said to have.
    pub(super) fn nimber(&self, fact: u32) -> Nimber {
        *self.lands.noted(fact)
    }

    /// The land of a fact.
    pub(super) fn land(&self, fact: u32) -> &[Spot] {
        self.lands.name(fact)
    }
}

fn with_nimber(sketch: u64, nimber: Nimber) -> u64 {
    fold(sketch, nimber.get().into())
}
