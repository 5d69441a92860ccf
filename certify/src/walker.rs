//! Walks the moves of lands, and names what they lead to. Each thread has a walker of its own.

use std::ops::ControlFlow;

use sprig_domain::{Game, Numbered, cancel};
use sprig_engine::{Canonizer, Effort, Generator, Nimber, TooManyMoves, shape};

use crate::known::{Known, LandId, Sum};

/// Bytes of lands that a walker remembers; with more, all are forgotten.
const REMEMBERED: usize = 1 << 27;

/// A land that a move leads to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Name {
    /// One that has a number.
    Old(LandId),
    /// One that had none when it was met, by its canonical bytes.
    New(Box<[u8]>),
}

/// Options of a land that consist of lands with known nimbers.
#[derive(Default)]
pub(crate) struct Found {
    /// Each with its own nimber, once.
    pub valued: Vec<(Sum, Nimber)>,
    /// Those whose nimber can be found by plain recursion.
    pub small: Vec<Vec<Name>>,
}

/// Walks the moves of lands.
pub(crate) struct Walker {
    generator: Generator,
    canonizer: Canonizer,
    /// Lands as they were generated, their letters named in order of appearance.
    met: Numbered<u8>,
    /// What each of them is.
    names: Vec<Met>,
    /// The canonical bytes of lands without a number.
    strangers: Numbered<u8>,
}

/// What a land is, in the memory of a walker.
#[derive(Clone, Copy)]
enum Met {
    Old(LandId),
    Stranger(u32),
}

impl Walker {
    /// A walker that has met no land of its game.
    pub fn of(game: Game) -> Self {
        Self {
            generator: game.generator(),
            canonizer: Canonizer::new(Effort::Exact),
            met: Numbered::default(),
            names: Vec::new(),
            strangers: Numbered::default(),
        }
    }

    /// The options of a land. One may come several times.
    ///
    /// # Errors
    /// When there are too many.
    pub fn options(&mut self, known: &Known, key: &[u8]) -> Result<Vec<Vec<Name>>, TooManyMoves> {
        let mut options = Vec::new();
        self.forget();
        let Self { generator, canonizer, met, names, strangers } = self;
        let mut memory = Memory { canonizer, met, names, strangers, known };
        let _ = generator.children(key, |option| {
            options.push(cancelled(option.tidy().iter().map(|land| memory.name(land)).collect()));
            ControlFlow::<()>::Continue(())
        })?;
        Ok(options)
    }

    /// Those options of a land all of whose lands are known or small. Others cannot be won with
    /// the facts at hand.
    ///
    /// # Errors
    /// When there are too many.
    pub fn valued(&mut self, known: &Known, key: &[u8]) -> Result<Found, TooManyMoves> {
        let mut found = Found::default();
        let mut strange = Vec::new();
        self.forget();
        let Self { generator, canonizer, met, names, strangers } = self;
        let mut memory = Memory { canonizer, met, names, strangers, known };
        let _ = generator.children(key, |option| {
            // A strange land is of no use, unless it cancels with an equal one.
            let is_strange = |&(land, sketch): &(&[u8], u64)| known.looks_strange(land, sketch);
            strange.clear();
            strange.extend(option.sketched().filter(is_strange).map(|(_, sketch)| sketch));
            strange.sort_unstable();
            if strange.chunk_by(|a, b| a == b).all(|like| like.len() % 2 == 0) {
                found.add(known, option.tidy().iter().map(|land| memory.name(land)).collect());
            }
            ControlFlow::<()>::Continue(())
        })?;
        found.valued.sort_unstable();
        found.valued.dedup();
        Ok(found)
    }

    /// Makes room in the memory.
    fn forget(&mut self) {
        if self.met.bytes() + self.strangers.bytes() > REMEMBERED {
            self.met = Numbered::default();
            self.strangers = Numbered::default();
            self.names.clear();
        }
    }
}

impl Found {
    /// Adds an option, if it is of use.
    fn add(&mut self, known: &Known, option: Vec<Name>) {
        let option = cancelled(option);
        let is_strange = |name: &Name| match name {
            Name::Old(land) => known.is_strange(*land),
            Name::New(key) => shape(key).lives > known.small,
        };
        if option.iter().any(is_strange) {
            return;
        }
        let nimber = |all: Nimber, name: &Name| match name {
            Name::Old(land) => Some(all.nim_sum(known.nimber(*land)?)),
            Name::New(_) => None,
        };
        match option.iter().try_fold(Nimber::ZERO, nimber) {
            Some(nimber) => {
                self.valued.push((option.iter().filter_map(Name::old).collect(), nimber))
            }
            None => self.small.push(option),
        }
    }
}

impl Name {
    fn old(&self) -> Option<LandId> {
        match self {
            Self::Old(land) => Some(*land),
            Self::New(_) => None,
        }
    }
}

/// The memory of a walker, while its generator is at work.
struct Memory<'a> {
    canonizer: &'a mut Canonizer,
    met: &'a mut Numbered<u8>,
    names: &'a mut Vec<Met>,
    strangers: &'a mut Numbered<u8>,
    known: &'a Known,
}

impl Memory<'_> {
    /// What a land is. Of ten that are generated, eight were met before, and then no canonical form
    /// is needed.
    fn name(&mut self, land: &[u8]) -> Name {
        let (number, is_new) = self.met.number(land);
        let number = number as usize;
        if is_new {
            let key = self.canonizer.key(land);
            self.names.push(match self.known.number_of(key) {
                Some(land) => Met::Old(land),
                None => Met::Stranger(self.strangers.number(key).0),
            });
        }
        match self.names[number] {
            Met::Old(land) => Name::Old(land),
            Met::Stranger(stranger) => {
                let key = self.strangers.get(stranger);
                let Some(land) = self.known.number_of(key) else { return Name::New(key.into()) };
                // It was given a number since.
                self.names[number] = Met::Old(land);
                Name::Old(land)
            }
        }
    }
}

/// The parts of a sum that are left when equal ones have cancelled, sorted.
pub(crate) fn cancelled<T: Ord>(mut parts: Vec<T>) -> Vec<T> {
    cancel(&mut parts);
    parts
}
