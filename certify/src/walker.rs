//! Walks the moves of lands, and names what they lead to. Each thread has a walker of its own.

use std::ops::ControlFlow;

use sprig_domain::{Game, Numbered, cancel};
use sprig_engine::{Canonizer, Effort, Generator, Nimber, TooManyMoves, shape};

use crate::known::{Known, LandId};
use crate::valued::Valued;

/// Bytes of lands that a walker remembers; with more, all are forgotten.
const REMEMBERED: usize = 1 << 27;

/// A land that a move leads to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    /// One that has a number.
    Old(LandId),
    /// One that had none when it was met, by its canonical bytes.
    New(Box<[u8]>),
}

/// The options of a land, one after the other.
#[derive(Default)]
pub(crate) struct Options {
    /// The lands of each, sorted. Equal ones have cancelled.
    names: Vec<Name>,
    /// Where those of each end.
    ends: Vec<usize>,
}

/// Options of a land that consist of lands with known nimbers.
pub(crate) struct Found {
    pub valued: Valued,
    /// Those whose nimber can be found by plain recursion.
    pub small: Options,
}

/// Walks the moves of lands.
pub(crate) struct Walker {
    generator: Generator,
    memory: Memory,
    /// Scratch space: the options that are found, and the numbers of one.
    options: Vec<(Nimber, usize, usize)>,
    lands: Vec<LandId>,
}

/// What lands are that were met.
struct Memory {
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
        let memory = Memory {
            canonizer: Canonizer::new(Effort::Exact),
            met: Numbered::default(),
            names: Vec::new(),
            strangers: Numbered::default(),
        };
        let (options, lands) = (Vec::new(), Vec::new());
        Self { generator: game.generator(), memory, options, lands }
    }

    /// The options of a land. One may come several times.
    ///
    /// # Errors
    /// When there are too many.
    pub fn options(&mut self, known: &Known, key: &[u8]) -> Result<Options, TooManyMoves> {
        let Self { generator, memory, .. } = self;
        let (mut options, mut names) = (Options::default(), Vec::new());
        memory.forget();
        let _ = generator.children(key, |option| {
            names.extend(option.tidy().iter().map(|land| memory.name(known, land)));
            options.take(&mut names);
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
        let Self { generator, memory, options, lands } = self;
        let (mut small, mut names, mut strange) = (Options::default(), Vec::new(), Vec::new());
        memory.forget();
        options.clear();
        lands.clear();
        let _ = generator.children(key, |option| {
            // A strange land is of no use, unless it cancels with an equal one.
            let is_strange = |&(land, sketch): &(&[u8], u64)| known.looks_strange(land, sketch);
            strange.clear();
            strange.extend(option.sketched().filter(is_strange).map(|(_, sketch)| sketch));
            strange.sort_unstable();
            if !strange.chunk_by(|a, b| a == b).all(|like| like.len() % 2 == 0) {
                return ControlFlow::<()>::Continue(());
            }
            names.extend(option.tidy().iter().map(|land| memory.name(known, land)));
            cancel(&mut names);
            match nimber_of(known, &names) {
                Some(nimber) => {
                    let start = lands.len();
                    lands.extend(names.drain(..).filter_map(Name::old));
                    options.push((nimber, start, lands.len()));
                }
                None if names.iter().any(|name| name.is_strange(known)) => names.clear(),
                None => small.take(&mut names),
            }
            ControlFlow::Continue(())
        })?;
        let sum = |&(_, start, end): &(Nimber, usize, usize)| &lands[start..end];
        options.sort_unstable_by(|a, b| sum(a).cmp(sum(b)));
        options.dedup_by(|a, b| sum(a) == sum(b));
        let valued = options.iter().map(|option| (sum(option), option.0)).collect();
        Ok(Found { valued, small })
    }
}

/// The nimber of a sum, if those of all its lands are known.
fn nimber_of(known: &Known, names: &[Name]) -> Option<Nimber> {
    names.iter().try_fold(Nimber::ZERO, |all, name| match name {
        Name::Old(land) => Some(all.nim_sum(known.nimber(*land)?)),
        Name::New(_) => None,
    })
}

impl Options {
    /// Adds an option, and leaves nothing in its place.
    fn take(&mut self, names: &mut Vec<Name>) {
        cancel(names);
        self.names.append(names);
        self.ends.push(self.names.len());
    }

    /// The lands of each option.
    pub fn iter(&self) -> impl Iterator<Item = &[Name]> {
        self.ends.iter().scan(0, |start, &end| {
            let names = &self.names[*start..end];
            *start = end;
            Some(names)
        })
    }
}

impl Name {
    fn old(self) -> Option<LandId> {
        match self {
            Self::Old(land) => Some(land),
            Self::New(_) => None,
        }
    }

    fn is_strange(&self, known: &Known) -> bool {
        match self {
            Self::Old(land) => known.is_strange(*land),
            Self::New(key) => shape(key).lives > known.small,
        }
    }
}

impl Memory {
    /// What a land is. Of ten that are generated, eight were met before, and then no canonical form
    /// is needed.
    fn name(&mut self, known: &Known, land: &[u8]) -> Name {
        let (number, is_new) = self.met.number(land);
        let number = number as usize;
        if is_new {
            let key = self.canonizer.key(land);
            self.names.push(match known.number_of(key) {
                Some(land) => Met::Old(land),
                None => Met::Stranger(self.strangers.number(key).0),
            });
        }
        match self.names[number] {
            Met::Old(land) => Name::Old(land),
            Met::Stranger(stranger) => {
                let key = self.strangers.get(stranger);
                let Some(land) = known.number_of(key) else { return Name::New(key.into()) };
                // It was given a number since.
                self.names[number] = Met::Old(land);
                Name::Old(land)
            }
        }
    }

    /// Makes room.
    fn forget(&mut self) {
        if self.met.bytes() + self.strangers.bytes() > REMEMBERED {
            self.met = Numbered::default();
            self.strangers = Numbered::default();
            self.names.clear();
        }
    }
}

/// The parts of a sum that are left when equal ones have cancelled, sorted.
pub(crate) fn cancelled<T: Ord>(mut parts: Vec<T>) -> Vec<T> {
    cancel(&mut parts);
    parts
}
