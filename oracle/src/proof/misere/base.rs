//! The trees of all lands that can arise from a position.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use sprig_engine::Position;

use super::super::index::Index;
use super::super::land::{Land, TooManyMoves};
use super::super::name::Name;
use super::forest::{Forest, Tree, ZERO};

/// Lands of a base at most. The game of six spots has 171,942, that of seven 2,445,847.
const MAX_LANDS: usize = 1 << 20;

/// Lives of the position at most, so that one that is far too large is refused at once: those of seven spots.
const MAX_LIVES: usize = 21;

/// Words that the options of all lands may take: 256 MB.
const MAX_WORDS: usize = 1 << 26;

/// Lands whose options are found between two looks at what is known.
const CHUNK: usize = 1 << 10;

/// Lands and their trees, found by playing every game to its end.
#[derive(Clone)]
pub struct Base {
    pub(super) forest: Forest,
    numbers: Index<u32>,
    pub(super) trees: Vec<Tree>,
}

/// Why there is no base.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoBase {
    /// Its game tree is too large.
    #[error(
        "the game tree of `{0}` is too large to be a base; at most about {MAX_LANDS} lands are taken"
    )]
    TooLarge(Position),
    /// A land has too many moves.
    #[error("`{0}` is no base: {1}")]
    TooManyMoves(Position, TooManyMoves),
    /// It was told to stop.
    #[error("the trees of the base were not all found when the check was stopped")]
    Stopped,
}

/// Lands in the wordings in which they came lately, with their tints and names.
type Memory = HashMap<Land, Arc<(u64, Name)>>;

/// Wordings that a thread remembers at most.
const MAX_REMEMBERED: usize = 1 << 17;

/// A land of an option.
enum Part {
    Known(u32),
    New(Arc<(u64, Name)>, Land),
}

/// Lands met so far, and the options of those that were looked at: for each option how many lands it has, and these.
#[derive(Default)]
struct Walk {
    numbers: Index<u32>,
    options: Vec<Box<[u32]>>,
    /// Lands to look at, by lives. A move takes at least one life.
    open: BTreeMap<usize, Vec<(u32, Land)>>,
    /// The lands in the order in which they were looked at.
    order: Vec<u32>,
    words: usize,
}

impl Base {
    /// The trees of all lands that a game from `position` can lead to, found on so many threads. `done` is told how many lands
    /// have been looked at and how many are known; it says whether to go on.
    ///
    /// # Errors
    /// [`NoBase`] when it is too large.
    pub fn of(
        position: &Position,
        threads: usize,
        done: impl Fn(u64, u64) -> bool,
    ) -> Result<Self, NoBase> {
        let lands = Land::of(position).reduced();
        if lands.iter().any(|land| land.lives() > MAX_LIVES) {
            return Err(NoBase::TooLarge(position.clone()));
        }
        let mut walk = Walk::default();
        let mut memories = vec![Memory::new(); threads];
        for land in lands {
            let named = Arc::new((land.tint(), land.name()));
            walk.number(Part::New(named, land));
        }
        while let Some((lives, mut layer)) = walk.open.pop_last() {
            let rest = layer.split_off(layer.len().min(CHUNK));
            if !rest.is_empty() {
                walk.open.insert(lives, rest);
            }
            let found = in_parallel(&layer, &mut memories, |memory, (_, land)| {
                options(land, &walk.numbers, memory)
            });
            for ((number, _), options) in layer.into_iter().zip(found) {
                let options = options.map_err(|e| NoBase::TooManyMoves(position.clone(), e))?;
                walk.note(number, options);
            }
            if walk.options.len() > MAX_LANDS || walk.words > MAX_WORDS {
                return Err(NoBase::TooLarge(position.clone()));
            }
            if !done(walk.order.len() as u64, walk.options.len() as u64) {
                return Err(NoBase::Stopped);
            }
        }
        let mut forest = Forest::default();
        let mut trees = vec![ZERO; walk.options.len()];
        // The later a land was looked at, the fewer lives it has.
        for &land in walk.order.iter().rev() {
            let mut set = Vec::new();
            let mut words = &walk.options[land as usize][..];
            while let Some((&count, rest)) = words.split_first() {
                let (lands, rest) = rest.split_at(count as usize);
                words = rest;
                let sum = |sum, &land: &u32| forest.sum(sum, trees[land as usize]);
                set.push(lands.iter().fold(ZERO, sum));
            }
            trees[land as usize] = forest.reduce(set);
        }
        Ok(Self { forest, numbers: walk.numbers, trees })
    }

    /// Most lives of a land of `position`: with every three more, it takes some fifteen times as long to find the trees.
    #[must_use]
    pub fn lives(position: &Position) -> usize {
        Land::of(position).reduced().iter().map(Land::lives).max().unwrap_or(0)
    }

    /// How many lands there are.
    #[must_use]
    pub fn lands(&self) -> u64 {
        self.trees.len() as u64
    }

    /// How many different trees there are, without those with a factor 1.
    #[must_use]
    pub fn trees(&self) -> u64 {
        self.forest.len() as u64
    }

    /// The tree of a reduced land, if it is in the base.
    pub(super) fn tree(&self, land: &Land) -> Option<Tree> {
        self.numbers.get(land).map(|&number| self.trees[number as usize])
    }
}

impl Walk {
    /// The number of a land, a new one if need be.
    fn number(&mut self, part: Part) -> u32 {
        match part {
            Part::Known(number) => number,
            Part::New(named, land) => {
                let (tint, name) = &*named;
                if let Some(&number) = self.numbers.named(*tint, name) {
                    return number;
                }
                let number = self.options.len() as u32;
                self.numbers.insert(*tint, name.clone(), number);
                self.options.push(Box::default());
                self.open.entry(land.lives()).or_default().push((number, land));
                number
            }
        }
    }

    /// Notes the options of a land.
    fn note(&mut self, land: u32, options: Vec<Vec<Part>>) {
        let mut sums: Vec<Vec<u32>> = Vec::with_capacity(options.len());
        for parts in options {
            let mut sum: Vec<u32> = parts.into_iter().map(|part| self.number(part)).collect();
            sum.sort_unstable();
            sums.push(sum);
        }
        sums.sort_unstable();
        sums.dedup();
        let words: Vec<u32> =
            sums.iter().flat_map(|sum| [sum.len() as u32].into_iter().chain(sum.clone())).collect();
        self.words += words.len();
        self.options[land as usize] = words.into();
        self.order.push(land);
    }
}

/// The options of a land; some may be there twice.
fn options(
    land: &Land,
    known: &Index<u32>,
    memory: &mut Memory,
) -> Result<Vec<Vec<Part>>, TooManyMoves> {
    land.manageable()?;
    if memory.len() > MAX_REMEMBERED {
        memory.clear();
    }
    let mut seen = HashSet::new();
    let mut options = Vec::new();
    land.all_options(|option| {
        let mut lands = option.reduced();
        lands.iter_mut().for_each(Land::rename);
        // Many options differ in the names of letters only: those are named once.
        if !seen.contains(&lands) {
            options.push(lands.iter().map(|land| part(land, known, memory)).collect());
            seen.insert(lands);
        }
        true
    });
    Ok(options)
}

fn part(land: &Land, known: &Index<u32>, memory: &mut Memory) -> Part {
    let named = match memory.get(land) {
        Some(named) => named.clone(),
        None => {
            let named = Arc::new((land.tint(), land.name()));
            memory.insert(land.clone(), named.clone());
            named
        }
    };
    match known.named(named.0, &named.1) {
        Some(&number) => Part::Known(number),
        None => Part::New(named, land.clone()),
    }
}

/// What `work` makes of each thing, in their order; a thread for each state.
fn in_parallel<T: Sync, S: Send, R: Send>(
    things: &[T],
    states: &mut [S],
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Vec::with_capacity(things.len()));
    let one = |state: &mut S| {
        loop {
            let place = next.fetch_add(1, Relaxed);
            let Some(thing) = things.get(place) else { break };
            let made = work(state, thing);
            all.lock().expect("nobody panics with it").push((place, made));
        }
    };
    std::thread::scope(|scope| {
        for state in states {
            scope.spawn(|| one(state));
        }
    });
    let mut all = all.into_inner().expect("nobody panics with it");
    all.sort_unstable_by_key(|&(place, _)| place);
    all.into_iter().map(|(_, made)| made).collect()
}
