//! What one thread needs at hand to find lands, and what it remembers of them.

use std::collections::HashMap;
use std::sync::Mutex;

use super::index::Index;
use super::land::Spot;
use super::name::{Name, Namer, sketch};

/// Wordings that are remembered at most.
const MAX_WORDINGS: usize = 1 << 16;

/// Finds lands. It is for one index alone, which may grow.
#[derive(Default)]
pub(super) struct Desk {
    namer: Namer,
    /// The numbers of lands in the wordings in which they came lately: most come again.
    wordings: HashMap<Box<[Spot]>, u32>,
}

impl Desk {
    /// The number of a land in the index, if something is noted of it there.
    pub fn find<T>(&mut self, index: &Index<T>, land: &[Spot]) -> Option<u32> {
        if !index.may_have(sketch(land)) {
            return None;
        }
        if let Some(&number) = self.wordings.get(land) {
            return Some(number);
        }
        let number = index.find(&mut self.namer, land)?;
        if self.wordings.len() == MAX_WORDINGS {
            self.wordings.clear();
        }
        self.wordings.insert(land.into(), number);
        Some(number)
    }

    /// The tint and the name of a land.
    pub fn name(&mut self, land: &[Spot]) -> (u64, Name) {
        let tint = self.namer.tint(land);
        (tint, self.namer.name(land))
    }
}

/// A desk for each thread that is at work.
#[derive(Default)]
pub(super) struct Desks(Mutex<Vec<Desk>>);

impl Desks {
    /// Works at a desk that is free.
    pub fn at_one<R>(&self, work: impl FnOnce(&mut Desk) -> R) -> R {
        let free = self.0.lock().expect("nobody panics with it").pop();
        let mut desk = free.unwrap_or_default();
        let done = work(&mut desk);
        self.0.lock().expect("nobody panics with it").push(desk);
        done
    }
}
