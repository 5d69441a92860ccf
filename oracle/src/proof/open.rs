//! Open lands, about which there is no fact, numbered as they come up, for all threads together.
//!
//! Most of them come up in only one wording. So a land is kept as it came, under its sketch, which
//! is already known. It gets a tint when another land has the same sketch, and a name when another
//! one has the same tint, too.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::finder::Finder;
use super::index::Mixed;
use super::land::Spot;
use super::name::{Name, Namer};

/// Parts that each have a lock of their own: a power of 2.
const SHARDS: u32 = 64;

/// Open lands, and what is noted of them.
pub(super) struct Open<T> {
    shards: Vec<Mutex<Shard<T>>>,
    count: AtomicUsize,
}

#[derive(Default)]
struct Shard<T> {
    /// The last entry of each sketch.
    last: HashMap<u64, u32, BuildHasherDefault<Mixed>>,
    entries: Vec<Entry<T>>,
}

struct Entry<T> {
    /// The land in the wording in which it came, or its name.
    land: Name,
    met: Met,
    /// One more than the number of the previous entry with the same sketch, or 0.
    before: u32,
    noted: T,
}

/// How well a land is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    Worded,
    Tinted(u64),
    Named(u64),
}

impl<T> Default for Open<T> {
    fn default() -> Self {
        let shard = || Mutex::new(Shard { last: HashMap::default(), entries: Vec::new() });
        Self { shards: (0..SHARDS).map(|_| shard()).collect(), count: AtomicUsize::new(0) }
    }
}

impl<T> Entry<T> {
    /// Whether this entry is `land`, which has this tint. `name` is a name of `land`, found when it
    /// is first needed.
    fn is(&mut self, namer: &mut Namer, land: &[Spot], tint: u64, name: &mut Option<Name>) -> bool {
        if self.met == Met::Worded {
            self.met = Met::Tinted(namer.tint(&self.land));
        }
        match self.met {
            Met::Tinted(own) if own == tint => {
                namer.tint(&self.land);
                self.land = namer.name(&self.land);
                self.met = Met::Named(own);
            }
            Met::Named(own) if own == tint => {}
            _ => return false,
        }
        let name = name.get_or_insert_with(|| {
            namer.tint(land);
            namer.name(land)
        });
        // Few lands have several names, and few different lands have a tint in common.
        *name == self.land || namer.least_name(name) == namer.least_name(&self.land)
    }
}

impl<T: Default> Shard<T> {
    /// The number of a land with this sketch, and whether it is a new one.
    fn number(&mut self, namer: &mut Namer, sketch: u64, land: &[Spot]) -> (u32, bool) {
        let last = self.last.get(&sketch).map_or(0, |last| last + 1);
        let (mut next, mut tint, mut name) = (last, None, None);
        while let Some(number) = next.checked_sub(1) {
            let entry = &mut self.entries[number as usize];
            next = entry.before;
            if entry.land.len() != land.len() {
                continue;
            }
            let tint = *tint.get_or_insert_with(|| namer.tint(land));
            if *entry.land == *land || entry.is(namer, land, tint, &mut name) {
                return (number, false);
            }
        }
        let number = u32::try_from(self.entries.len()).expect("fewer lands than memory holds");
        let met = tint.map_or(Met::Worded, Met::Tinted);
        let entry = Entry { land: land.into(), met, before: last, noted: T::default() };
        self.entries.push(entry);
        self.last.insert(sketch, number);
        (number, true)
    }
}

impl<T: Clone + Default> Open<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count.load(Relaxed)
    }

    /// The number of a reduced land with this sketch. `finder` is for these lands alone.
    pub fn number(&self, finder: &mut Finder, sketch: u64, land: &[Spot]) -> u32 {
        if let Some(number) = finder.open.get(land) {
            return number;
        }
        let place = (sketch >> 32) as u32 % SHARDS;
        let (number, is_new) =
            self.at(place, |shard| shard.number(&mut finder.namer, sketch, land));
        self.count.fetch_add(usize::from(is_new), Relaxed);
        finder.open.insert(land, number * SHARDS + place);
        number * SHARDS + place
    }

    fn at<R>(&self, number: u32, work: impl FnOnce(&mut Shard<T>) -> R) -> R {
        let shard = &self.shards[(number % SHARDS) as usize];
        work(&mut shard.lock().expect("nobody panics with it"))
    }

    fn entry<R>(&self, number: u32, work: impl FnOnce(&mut Entry<T>) -> R) -> R {
        self.at(number, |shard| work(&mut shard.entries[(number / SHARDS) as usize]))
    }

    /// The land with a number.
    pub fn land(&self, number: u32) -> Name {
        self.entry(number, |entry| entry.land.clone())
    }

    /// What is noted of a land.
    pub fn noted(&self, number: u32) -> T {
        self.entry(number, |entry| entry.noted.clone())
    }

    /// Changes what is noted of a land.
    pub fn note(&self, number: u32, change: impl FnOnce(&mut T)) {
        self.entry(number, |entry| change(&mut entry.noted));
    }
}
