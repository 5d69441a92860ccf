//! Things found by lands.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::land::Spot;
use super::name::{Name, Namer};
use super::sketch::{fold, sketch};

/// What is noted of reduced lands, each under a name. Thanks to tints, most names need not be
/// found.
#[derive(Clone)]
pub(super) struct Index<T> {
    /// The last entry of each tint.
    last: HashMap<u64, u32, BuildHasherDefault<Mixed>>,
    entries: Vec<Entry<T>>,
    /// The names, one after the other.
    names: Vec<Spot>,
    sketches: Filter,
}

/// A bit for each of many numbers, so that most of those that are not there are not looked for.
#[derive(Clone)]
pub(super) struct Filter {
    /// The words, a power of 2 of them.
    words: Vec<u64>,
    count: usize,
}

/// With more numbers in a word, its bits would tell too little.
const NUMBERS_IN_A_WORD: usize = 4;

impl Default for Filter {
    fn default() -> Self {
        Self { words: vec![0], count: 0 }
    }
}

impl Filter {
    /// Whether a number may be there.
    pub fn may_have(&self, number: u64) -> bool {
        self.words[self.place(number)] >> (number % 64) & 1 == 1
    }

    /// Where the bit of a number stands.
    fn place(&self, number: u64) -> usize {
        (number >> 32) as usize & (self.words.len() - 1)
    }

    /// Takes in one more number, which is mixed well. `all` gives the earlier numbers, if they have
    /// to be taken in again.
    pub fn add<I: Iterator<Item = u64>>(&mut self, number: u64, all: impl FnOnce() -> I) {
        self.count += 1;
        if self.count > self.words.len() * NUMBERS_IN_A_WORD {
            self.words = vec![0; 2 * self.words.len()];
            all().for_each(|earlier| self.set(earlier));
        }
        self.set(number);
    }

    fn set(&mut self, number: u64) {
        let place = self.place(number);
        self.words[place] |= 1 << (number % 64);
    }
}

#[derive(Clone)]
struct Entry<T> {
    tint: u64,
    /// Where the name ends.
    end: usize,
    /// One more than the number of the previous entry with the same tint, or 0.
    before: u32,
    noted: T,
}

/// A hasher for tints, which are mixed already.
#[derive(Default)]
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only numbers are hashed");
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// A hasher that folds words one after the other. It is for values that follow from the rules,
/// which no attacker chooses.
#[derive(Default)]
pub(super) struct Folded(u64);

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for bytes in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            self.0 = fold(self.0, u64::from_le_bytes(word));
        }
    }
}

impl<T> Default for Index<T> {
    fn default() -> Self {
        Self {
            last: HashMap::default(),
            entries: Vec::new(),
            names: Vec::new(),
            sketches: Filter::default(),
        }
    }
}

impl<T> Index<T> {
    /// Whether something may be noted of a land with this sketch.
    pub fn may_have(&self, sketch: u64) -> bool {
        self.sketches.may_have(sketch)
    }

    /// The number of a land, counted from 0, if something is noted of it.
    pub fn find(&self, namer: &mut Namer, land: &[Spot]) -> Option<u32> {
        let tint = namer.tint(land);
        self.last.get(&tint)?;
        let name = namer.name(land);
        self.named(namer, tint, &name)
    }

    /// The number of a land, or its tint and a name if nothing is noted of it.
    pub fn find_or_name(&self, namer: &mut Namer, land: &[Spot]) -> Result<u32, (u64, Name)> {
        let tint = namer.tint(land);
        let name = namer.name(land);
        if !self.last.contains_key(&tint) {
            return Err((tint, name));
        }
        self.named(namer, tint, &name).ok_or((tint, name))
    }

    /// The number of the land with this tint and name, if something is noted of it.
    pub fn named(&self, namer: &mut Namer, tint: u64, name: &[Spot]) -> Option<u32> {
        let mut alike = self.alike(*self.last.get(&tint)?);
        alike.clone().find(|&number| self.name(number) == name).or_else(|| {
            // Few lands have several names, and few different lands have a tint in common.
            let least = namer.least_name(name);
            alike.find(|&number| namer.least_name(self.name(number)) == least)
        })
    }

    /// The entries with the tint of this one, from the last on.
    fn alike(&self, last: u32) -> impl Iterator<Item = u32> + Clone {
        let before = move |&number: &u32| self.entries[number as usize].before.checked_sub(1);
        std::iter::successors(Some(last), before)
    }

    /// What is noted of a land.
    pub fn noted(&self, number: u32) -> &T {
        &self.entries[number as usize].noted
    }

    /// The name of a land.
    pub fn name(&self, number: u32) -> &[Spot] {
        let begin = number.checked_sub(1).map_or(0, |before| self.entries[before as usize].end);
        &self.names[begin..self.entries[number as usize].end]
    }

    /// Notes something of the land with this tint and name, of which nothing is noted yet. Returns
    /// its number.
    pub fn insert(&mut self, tint: u64, name: &[Spot], noted: T) -> u32 {
        let number = u32::try_from(self.entries.len()).expect("fewer lands than memory holds");
        let before = self.last.insert(tint, number).map_or(0, |last| last + 1);
        self.names.extend_from_slice(name);
        let mut sketches = std::mem::take(&mut self.sketches);
        sketches.add(sketch(name), || (0..number).map(|earlier| sketch(self.name(earlier))));
        self.sketches = sketches;
        self.entries.push(Entry { tint, end: self.names.len(), before, noted });
        number
    }

    /// Forgets all lands but the first.
    pub fn truncate(&mut self, length: usize) {
        while self.len() > length {
            let entry = self.entries.pop().expect("there are more");
            match entry.before.checked_sub(1) {
                Some(before) => drop(self.last.insert(entry.tint, before)),
                None => drop(self.last.remove(&entry.tint)),
            }
        }
        self.names.truncate(self.entries.last().map_or(0, |last| last.end));
    }

    /// How many lands there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}
