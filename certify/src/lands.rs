//! Lands and what is known of them: numbered, with their nimbers and their moves.

use std::ops::ControlFlow;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sprig_domain::{Game, Numbered, cancel};
use sprig_engine::{
    CanonicalLand, CanonicalPosition, Canonizer, Effort, Generator, Nimber, mex, shape, sketch,
};

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

/// Options of a land that consist of lands with known nimbers, each with its own nimber.
pub(crate) type Valued = Rc<[(Sum, Nimber)]>;

/// Lists of options that are remembered; with more, all are forgotten.
const REMEMBERED: usize = 1 << 20;

/// All lands met so far.
pub(crate) struct Lands {
    keys: Numbered<u8>,
    lands: Vec<Land>,
    /// Sketches of the lands whose nimbers are known.
    sketches: FxHashSet<u64>,
    remembered: FxHashMap<LandId, Valued>,
    generator: Generator,
    canonizer: Canonizer,
    /// Lands with at most `small` lives get their nimbers by plain recursion, unless these are
    /// known.
    small: u16,
}

impl Lands {
    /// No lands yet, of a game. Those of at most `small` lives will be valued by plain recursion.
    pub fn new(game: Game, small: u16) -> Self {
        Self {
            keys: Numbered::default(),
            lands: Vec::new(),
            sketches: FxHashSet::default(),
            remembered: FxHashMap::default(),
            generator: game.generator(),
            canonizer: Canonizer::new(Effort::Exact),
            small,
        }
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

    /// The options of a land, every one once.
    ///
    /// # Errors
    /// When there are too many, or the nimber of a small land is out of range.
    pub fn options(&mut self, land: LandId) -> Result<Vec<Sum>, CertifyError> {
        let keys = self.keys_of_options(land)?;
        let mut options: Vec<Sum> = Vec::with_capacity(keys.len());
        for keys in keys {
            let mut lands: Vec<LandId> = keys.iter().map(|key| self.intern(key)).collect();
            lands.sort_unstable();
            options.push(lands.into());
        }
        options.sort_unstable();
        options.dedup();
        options.iter().flatten().try_for_each(|&land| self.evaluate(land))?;
        Ok(options)
    }

    /// Those options of a land all of whose lands have a known nimber, every one once. Others
    /// cannot be won with the facts at hand.
    ///
    /// # Errors
    /// As for [`Self::options`].
    pub fn valued_options(&mut self, land: LandId) -> Result<Valued, CertifyError> {
        if let Some(options) = self.remembered.get(&land) {
            return Ok(options.clone());
        }
        let Self { keys, generator, canonizer, sketches, small, .. } = self;
        let mut found = Vec::new();
        let mut strange = Vec::new();
        let _ = generator.children(keys.get(land), |option| {
            // Isomorphic lands have equal sketches: a land that is neither known nor small by its
            // sketch is neither, unless it cancels with an equal one.
            let is_strange = |(land, sketch): &(&[u8], u64)| {
                !sketches.contains(sketch) && shape(land).lives > *small
            };
            strange.clear();
            strange.extend(option.sketched().filter(is_strange).map(|(_, sketch)| sketch));
            strange.sort_unstable();
            if strange.chunk_by(|a, b| a == b).all(|like| like.len() % 2 == 0) {
                let keys = option.iter().map(|land| canonizer.key(land).into());
                found.push(cancelled(keys.collect::<Vec<Box<[u8]>>>()));
            }
            ControlFlow::<()>::Continue(())
        })?;
        found.sort_unstable();
        found.dedup();
        let mut options: Vec<(Sum, Nimber)> = Vec::new();
        for keys in found {
            let mut sum = Vec::with_capacity(keys.len());
            for key in &keys {
                let land = self.intern(key);
                self.evaluate(land)?;
                sum.push(land);
            }
            sum.sort_unstable();
            if let Some(nimber) = self.nimber_of(&sum) {
                options.push((sum.into(), nimber));
            }
        }
        if self.remembered.len() >= REMEMBERED {
            self.remembered.clear();
        }
        let options: Valued = options.into();
        self.remembered.insert(land, options.clone());
        Ok(options)
    }

    /// The options of a land as canonical bytes, pairs of equal lands dropped; an option may come
    /// several times.
    fn keys_of_options(&mut self, land: LandId) -> Result<Vec<Vec<Box<[u8]>>>, CertifyError> {
        let Self { keys, generator, canonizer, .. } = self;
        let mut options = Vec::new();
        let _ = generator.children(keys.get(land), |option| {
            options.push(cancelled(option.iter().map(|land| canonizer.key(land).into()).collect()));
            ControlFlow::<()>::Continue(())
        })?;
        Ok(options)
    }

    /// Finds the nimber of a land if it is small.
    ///
    /// # Errors
    /// As for [`Self::options`].
    pub fn evaluate(&mut self, land: LandId) -> Result<(), CertifyError> {
        if self.lives(land) <= self.small && self.nimber(land).is_none() {
            let options = self.options(land)?;
            let nimbers = options.iter().map(|sum| self.nimber_of(sum).expect("small lands"));
            let nimber = mex(nimbers.collect::<Vec<_>>())?;
            self.learn(land, nimber)?;
        }
        Ok(())
    }
}

/// The parts of a sum that are left when equal ones have cancelled, sorted.
pub(crate) fn cancelled<T: Ord>(mut parts: Vec<T>) -> Vec<T> {
    cancel(&mut parts);
    parts
}
