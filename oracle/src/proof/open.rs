//! Lands of which no fact says anything, numbered as they come up, for all threads together.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::desk::Desk;
use super::index::Index;
use super::land::Spot;
use super::name::Name;

/// Parts that are locked one by one: a power of 2.
const SHARDS: u32 = 64;

/// Open lands, and what is noted of them.
pub(super) struct Open<T> {
    shards: Vec<Mutex<Index<T>>>,
    count: AtomicUsize,
}

impl<T> Default for Open<T> {
    fn default() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, count: AtomicUsize::new(0) }
    }
}

impl<T: Clone + Default> Open<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count.load(Relaxed)
    }

    /// The number of a reduced land. `desk` is for these lands alone.
    pub fn number(&self, desk: &mut Desk, land: &[Spot]) -> u32 {
        if let Some(number) = desk.open.get(land) {
            return number;
        }
        let (tint, name) = desk.name(land);
        let place = (tint >> 32) as u32 % SHARDS;
        let number = self.at(place, |shard| {
            shard.named(&mut desk.namer, tint, &name).unwrap_or_else(|| {
                self.count.fetch_add(1, Relaxed);
                shard.insert(tint, &name, T::default())
            })
        });
        desk.open.insert(land, number * SHARDS + place);
        number * SHARDS + place
    }

    fn at<R>(&self, number: u32, work: impl FnOnce(&mut Index<T>) -> R) -> R {
        let shard = &self.shards[(number % SHARDS) as usize];
        work(&mut shard.lock().expect("nobody panics with it"))
    }

    /// The land with a number.
    pub fn land(&self, number: u32) -> Name {
        self.at(number, |shard| shard.name(number / SHARDS).into())
    }

    /// What is noted of a land.
    pub fn noted(&self, number: u32) -> T {
        self.at(number, |shard| shard.noted(number / SHARDS).clone())
    }

    /// Changes what is noted of a land.
    pub fn note(&self, number: u32, change: impl FnOnce(&mut T)) {
        self.at(number, |shard| change(shard.noted_mut(number / SHARDS)));
    }
}
