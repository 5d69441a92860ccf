//! The moves of lands, from numbered lands to numbered lands. What will be asked for soon can be
//! worked out beforehand, on all threads; what comes out is the same.

use std::num::NonZero;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use sprig_domain::Game;
use sprig_engine::mex;

use crate::CertifyError;
use crate::foreseen::Foreseen;
use crate::known::{Known, LandId, Sum};
use crate::valued::Valued;
use crate::walker::{Found, Name, Walker};

/// Options that are remembered; with more, all are forgotten.
const REMEMBERED: usize = 1 << 26;

/// Lands whose moves were worked out beforehand and not asked for; with more, all are forgotten.
const FORESEEN: usize = 1 << 18;

/// Lands and their moves.
pub(crate) struct Lands {
    pub known: Known,
    remembered: FxHashMap<LandId, Arc<Valued>>,
    /// How many options they have together.
    length: usize,
    foreseen: Foreseen,
    /// One for each thread. The first is that of this thread.
    walkers: Vec<Walker>,
}

impl Lands {
    /// No lands yet, of a game. Those of at most `small` lives will be valued by plain recursion.
    pub fn new(game: Game, small: u16, threads: NonZero<usize>) -> Self {
        Self {
            known: Known::new(small),
            remembered: FxHashMap::default(),
            length: 0,
            foreseen: Foreseen::default(),
            walkers: (0..threads.get()).map(|_| Walker::of(game)).collect(),
        }
    }

    /// How many threads work things out.
    pub fn threads(&self) -> usize {
        self.walkers.len()
    }

    /// The options of a land, every one once.
    ///
    /// # Errors
    /// When there are too many, or the nimber of a small land is out of range.
    pub fn options(&mut self, land: LandId) -> Result<Vec<Sum>, CertifyError> {
        let named = match self.foreseen.options_of(land) {
            Some(options) => options,
            None => self.walkers[0].options(&self.known, self.known.key(land))?,
        };
        let mut options: Vec<Sum> = named.iter().map(|option| self.numbered(option)).collect();
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
    pub fn valued_options(&mut self, land: LandId) -> Result<Arc<Valued>, CertifyError> {
        if let Some(options) = self.remembered.get(&land) {
            return Ok(options.clone());
        }
        let Self { known, foreseen, walkers, .. } = self;
        let key = known.key(land);
        let Found { valued: mut options, small } = match foreseen.found(key) {
            Some(found) => found,
            None => walkers[0].valued(known, key)?,
        };
        for option in small.iter() {
            let sum = self.numbered(option);
            sum.iter().try_for_each(|&land| self.evaluate(land))?;
            let nimber = self.known.nimber_of(&sum).expect("small lands have been evaluated");
            options.add(&sum, nimber);
        }
        if self.length >= REMEMBERED {
            self.remembered.clear();
            self.length = 0;
        }
        self.length += options.len();
        let options = Arc::new(options);
        self.remembered.insert(land, options.clone());
        Ok(options)
    }

    /// Numbers for the lands of an option.
    fn numbered(&mut self, option: &[Name]) -> Sum {
        let number = |name: &Name| match name {
            Name::Old(land) => *land,
            Name::New(key) => self.known.intern(key),
        };
        let mut sum: Vec<LandId> = option.iter().map(number).collect();
        sum.sort_unstable();
        sum.into()
    }

    /// Finds the nimber of a land if it is small.
    ///
    /// # Errors
    /// As for [`Self::options`].
    pub fn evaluate(&mut self, land: LandId) -> Result<(), CertifyError> {
        if self.known.lives(land) <= self.known.small && self.known.nimber(land).is_none() {
            let options = self.options(land)?;
            let nimbers = options.iter().map(|sum| self.known.nimber_of(sum).expect("small lands"));
            let nimber = mex(nimbers.collect::<Vec<_>>())?;
            self.known.learn(land, nimber)?;
        }
        Ok(())
    }

    /// Whether the moves of a fact were worked out beforehand.
    pub fn is_foreseen(&self, land: LandId) -> bool {
        self.foreseen.has(land)
    }

    /// Works out, on all threads, the moves of some facts, and the moves that answer them.
    pub fn foresee(&mut self, facts: &[LandId]) {
        if self.foreseen.len() > FORESEEN {
            self.foreseen = Foreseen::default();
        }
        let Self { known, remembered, foreseen, walkers, .. } = self;
        let is_remembered = |land: LandId| remembered.contains_key(&land);
        foreseen.add(known, &is_remembered, facts, walkers);
    }
}
