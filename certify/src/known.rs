//! Lands that have numbers, and their nimbers as far as they are known.

use rustc_hash::FxHashSet;
use sprig_domain::Numbered;
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, shape, sketch};

use crate::CertifyError;
use crate::rules::{FactId, Way};

/// The number of a land.
pub(crate) type LandId = FactId;

/// A sum of lands, sorted. Equal lands are dropped in pairs, since A + A has nimber 0.
pub(crate) type Sum = Way;

struct Land {
    lives: u16,
    nimber: Option<Nimber>,
}

/// All lands met so far.
pub(crate) struct Known {
    keys: Numbered<u8>,
    lands: Vec<Land>,
    /// Sketches of the lands whose nimbers are known.
    sketches: FxHashSet<u64>,
    /// Lands with at most `small` lives get their nimbers by plain recursion, unless these are
    /// known.
    pub small: u16,
}

impl Known {
    /// No lands yet.
    pub fn new(small: u16) -> Self {
        let (keys, lands, sketches) = (Numbered::default(), Vec::new(), FxHashSet::default());
        Self { keys, lands, sketches, small }
    }

    /// How many there are; they are numbered from 0.
    pub fn len(&self) -> usize {
        self.lands.len()
    }

    /// The number of the land with these canonical bytes, a new one if need be.
    pub fn intern(&mut self, key: &[u8]) -> LandId {
        let (land, is_new) = self.keys.number(key);
        if is_new {
            self.lands.push(Land { lives: shape(key).lives, nimber: None });
        }
        land
    }

    /// The number of the land with these canonical bytes, if it has one.
    pub fn number_of(&self, key: &[u8]) -> Option<LandId> {
        self.keys.number_of(key)
    }

    /// The canonical bytes.
    pub fn key(&self, land: LandId) -> &[u8] {
        self.keys.get(land)
    }

    /// Lives: every move takes at least one.
    pub fn lives(&self, land: LandId) -> u16 {
        self.lands[land as usize].lives
    }

    /// The nimber, if it is known.
    pub fn nimber(&self, land: LandId) -> Option<Nimber> {
        self.lands[land as usize].nimber
    }

    /// Whether its nimber is not known, and it is too large to find it by plain recursion.
    pub fn is_strange(&self, land: LandId) -> bool {
        let Land { lives, nimber } = self.lands[land as usize];
        nimber.is_none() && lives > self.small
    }

    /// The same of a land in any form, by its sketch: it may say no where it should say yes, since
    /// isomorphic lands have equal sketches, and few others.
    pub fn looks_strange(&self, land: &[u8], sketch: u64) -> bool {
        !self.sketches.contains(&sketch) && shape(land).lives > self.small
    }

    /// Takes in a nimber.
    ///
    /// # Errors
    /// When another one is known.
    pub fn learn(&mut self, land: LandId, nimber: Nimber) -> Result<(), CertifyError> {
        let place = &mut self.lands[land as usize].nimber;
        if place.is_none() {
            self.sketches.insert(sketch(self.keys.get(land)));
        }
        let known = *place.get_or_insert(nimber);
        if known == nimber {
            return Ok(());
        }
        let land = self.position(&[land]);
        Err(CertifyError::Contradiction { land, known, claimed: nimber })
    }

    /// The nimber of a sum, if those of all its lands are known.
    pub fn nimber_of(&self, sum: &[LandId]) -> Option<Nimber> {
        sum.iter().try_fold(Nimber::ZERO, |all, &land| Some(all.nim_sum(self.nimber(land)?)))
    }

    /// The canonical position that consists of some lands.
    pub fn position(&self, sum: &[LandId]) -> CanonicalPosition {
        let lands = sum.iter().map(|&land| CanonicalLand::from_reduced(self.key(land)));
        CanonicalPosition::from_lands(lands)
    }
}
