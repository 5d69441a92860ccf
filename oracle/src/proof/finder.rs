//! What one thread needs to find lands and their options, and what it remembers of them.

use std::sync::Mutex;

use super::index::Index;
use super::land::Spot;
use super::lands::Lands;
use super::name::{Name, Namer};
use super::options::Moves;
use super::sketch::fold;
use crate::Rules;

/// Finds lands. A finder works with one index, which may grow, and one set of open lands.
#[derive(Default)]
pub(super) struct Finder {
    rules: Rules,
    pub namer: Namer,
    /// Numbers of lands in the index.
    known: Wordings,
    /// Numbers of open lands.
    pub open: Wordings,
    /// Lists of moves that are not in use at the moment.
    free: Vec<Moves>,
}

impl Finder {
    /// A finder for a game.
    pub fn of(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// The number of a land with this sketch in the index, if something is noted of it there.
    pub fn find<T>(&mut self, index: &Index<T>, sketch: u64, land: &[Spot]) -> Option<u32> {
        if !index.may_have(sketch) {
            return None;
        }
        if let Some(number) = self.known.get(land) {
            return Some(number);
        }
        let number = index.find(&mut self.namer, land)?;
        self.known.insert(land, number);
        Some(number)
    }

    /// The number of a land with this sketch in the index, or else the tint and a name of the land.
    pub fn find_or_name<T>(
        &mut self,
        index: &Index<T>,
        sketch: u64,
        land: &[Spot],
    ) -> Result<u32, (u64, Name)> {
        if !index.may_have(sketch) {
            return Err(self.name(land));
        }
        if let Some(number) = self.known.get(land) {
            return Ok(number);
        }
        let number = index.find_or_name(&mut self.namer, land)?;
        self.known.insert(land, number);
        Ok(number)
    }

    /// The tint and a name of a land.
    pub fn name(&mut self, land: &[Spot]) -> (u64, Name) {
        (self.namer.tint(land), self.namer.name(land))
    }

    /// Visits the options of a land that are wanted, as [`Moves::visit`] does.
    pub fn visit(
        &mut self,
        land: &[Spot],
        wanted: impl Fn(&[u64]) -> bool,
        mut visit: impl FnMut(&mut Self, &Lands) -> bool,
    ) -> u64 {
        let mut moves = self.free.pop().unwrap_or_else(|| Moves::of(self.rules));
        let count = moves.visit(land, wanted, |option| visit(self, option));
        self.free.push(moves);
        count
    }
}

/// Wordings that are remembered at most: a power of 2.
const MAX_WORDINGS: usize = 1 << 16;

/// The numbers of lands, by the wordings in which they came lately: most come again.
#[derive(Default)]
pub(super) struct Wordings(Vec<Option<(Box<[Spot]>, u32)>>);

impl Wordings {
    /// The number of the land in this wording.
    pub fn get(&self, land: &[Spot]) -> Option<u32> {
        match self.0.get(place(land)) {
            Some(Some((wording, number))) if **wording == *land => Some(*number),
            _ => None,
        }
    }

    /// Remembers the number in place of another one.
    pub fn insert(&mut self, land: &[Spot], number: u32) {
        if self.0.is_empty() {
            self.0.resize(MAX_WORDINGS, None);
        }
        self.0[place(land)] = Some((land.into(), number));
    }
}

fn place(land: &[Spot]) -> usize {
    let (words, rest) = land.as_chunks::<4>();
    let word = |spots: &[Spot]| spots.iter().fold(0, |word, &spot| word << 16 | u64::from(spot));
    let mixed = words.iter().fold(0, |mixed, spots| fold(mixed, word(spots)));
    fold(mixed, word(rest)) as usize % MAX_WORDINGS
}

/// A finder for each thread that is at work.
#[derive(Default)]
pub(super) struct Finders {
    rules: Rules,
    free: Mutex<Vec<Finder>>,
}

impl Finders {
    /// Finders for a game.
    pub fn of(rules: Rules) -> Self {
        Self { rules, free: Mutex::default() }
    }

    /// Works with a finder that is free.
    pub fn with_one<R>(&self, work: impl FnOnce(&mut Finder) -> R) -> R {
        let free = self.free.lock().expect("nobody panics with it").pop();
        let mut finder = free.unwrap_or_else(|| Finder::of(self.rules));
        let done = work(&mut finder);
        self.free.lock().expect("nobody panics with it").push(finder);
        done
    }
}
