//! Moves that were worked out before they were asked for, on all threads.
//!
//! What a walker finds depends on nothing but the facts. So it is the same whichever thread finds
//! it, and when, and a proof does not depend on the threads.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::known::{Known, LandId};
use crate::walker::{Found, Name, Options, Walker};

/// What was worked out beforehand.
#[derive(Default)]
pub(crate) struct Foreseen {
    /// The options of facts.
    options: FxHashMap<LandId, Options>,
    /// The options of lands, by canonical bytes, that answer the moves of facts.
    found: FxHashMap<Box<[u8]>, Found>,
}

/// Facts whose moves are being worked out.
struct Work<'a> {
    known: &'a Known,
    /// Whether nothing has to be worked out for a land.
    is_done: &'a (dyn Fn(&[u8]) -> bool + Sync),
    facts: &'a [LandId],
    /// The next fact that no thread has taken.
    next: AtomicUsize,
    /// Lands whose moves a thread works out.
    taken: Mutex<FxHashSet<Box<[u8]>>>,
}

impl Foreseen {
    /// How many lands have been worked out and not been asked for.
    pub fn len(&self) -> usize {
        self.options.len() + self.found.len()
    }

    /// Whether the moves of a fact are there.
    pub fn has(&self, fact: LandId) -> bool {
        self.options.contains_key(&fact)
    }

    /// Hands out the options of a fact.
    pub fn options_of(&mut self, fact: LandId) -> Option<Options> {
        self.options.remove(&fact)
    }

    /// Hands out the options of a land that are of use.
    pub fn found(&mut self, key: &[u8]) -> Option<Found> {
        self.found.remove(key)
    }

    /// Works out the moves of some facts, and of the lands that these lead to unless they are
    /// remembered.
    pub fn add(
        &mut self,
        known: &Known,
        is_remembered: &(impl Fn(LandId) -> bool + Sync),
        facts: &[LandId],
        walkers: &mut [Walker],
    ) {
        let found = &self.found;
        let is_done =
            |key: &[u8]| found.contains_key(key) || known.number_of(key).is_some_and(is_remembered);
        let (next, taken) = (AtomicUsize::new(0), Mutex::default());
        let work = Work { known, is_done: &is_done, facts, next, taken };
        let all: Vec<Self> = std::thread::scope(|scope| {
            let begin = |walker| scope.spawn(|| work.part(walker));
            let threads: Vec<_> = walkers.iter_mut().map(begin).collect();
            threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
        });
        for Self { options, found } in all {
            self.options.extend(options);
            self.found.extend(found);
        }
    }
}

impl Work<'_> {
    /// Takes facts until there are none.
    fn part(&self, walker: &mut Walker) -> Foreseen {
        let mut part = Foreseen::default();
        while let Some(&fact) = self.facts.get(self.next.fetch_add(1, Relaxed)) {
            // Whoever asks for what cannot be listed gets the error.
            let Ok(options) = walker.options(self.known, self.known.key(fact)) else { continue };
            for land in options.iter().flat_map(|option| self.moved(option)) {
                let key = match land {
                    Name::Old(land) => self.known.key(*land),
                    Name::New(key) => key,
                };
                if !self.is_taken(key)
                    && let Ok(found) = walker.valued(self.known, key)
                {
                    part.found.insert(key.into(), found);
                }
            }
            part.options.insert(fact, options);
        }
        part
    }

    /// The lands of an option in which the answer may be: a move leaves all other lands as they
    /// are, so those must be known.
    fn moved<'a>(&self, option: &'a [Name]) -> impl Iterator<Item = &'a Name> {
        let is_known = |name: &Name| match name {
            Name::Old(land) => self.known.nimber(*land).is_some(),
            Name::New(_) => false,
        };
        let strangers = option.iter().filter(|name| !is_known(name)).count();
        option.iter().filter(move |name| strangers <= usize::from(!is_known(name)))
    }

    /// Whether a thread has taken a land, or nothing has to be worked out for it. It is taken now.
    fn is_taken(&self, key: &[u8]) -> bool {
        if (self.is_done)(key) {
            return true;
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.contains(key) || !taken.insert(key.into())
    }
}
