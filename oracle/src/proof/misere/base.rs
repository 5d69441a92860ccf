//! The trees of all lands that can arise from a position.

use std::collections::{BTreeMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use sprig_engine::Position;

use super::super::finder::{Finder, Finders};
use super::super::index::{Folded, Index};
use super::super::land::{Spot, TooManyMoves, lives, manageable};
use super::super::name::{Name, Namer};
use super::super::reduce::lands_of;
use super::forest::{Forest, Tree, ZERO};
use crate::Rules;

/// Lands of a base at most. The game of six spots has 171,942 lands, that of seven 2,445,847.
const MAX_LANDS: usize = 1 << 20;

/// Lives of the position at most: as many as seven spots have. So a position that is far too large
/// is refused at once.
const MAX_LIVES: usize = 21;

/// Words that the options of all lands may take: 256 MB.
const MAX_WORDS: usize = 1 << 26;

/// Lands whose options are found in one batch; what is known is only looked at between batches.
const CHUNK: usize = 1 << 8;

/// Lands and their trees, found by playing every game to its end.
#[derive(Clone)]
pub struct Base {
    pub(super) rules: Rules,
    pub(super) forest: Forest,
    /// The lands of the base, and after them those of nodes that are checked on it.
    pub(super) lands: Index<()>,
    pub(super) trees: Vec<Tree>,
    /// Different trees without factor 1. Later sums of them may add to the forest.
    different: u64,
}

/// What a land is in a node.
pub(super) enum Part {
    /// A land of the base.
    Tree(Tree),
    /// A land of a node that is not in the base, by its number.
    Land(u32),
}

/// Why there is no base.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoBase {
    /// The game tree of the position is too large.
    #[error(
        "the game tree of `{0}` is too large to be a base; at most about {MAX_LANDS} lands are taken"
    )]
    TooLarge(Position),
    /// A land has too many moves.
    #[error("`{0}` is no base: {1}")]
    TooManyMoves(Position, TooManyMoves),
    /// Making the base was stopped.
    #[error("the trees of the base were not all found when the check was stopped")]
    Stopped,
}

/// A land of an option: one that was known when the option was made, or its tint and name.
enum Met {
    Known(u32),
    New(u64, Name),
}

/// Lands met so far, and the options of those that were looked at: for each option the number of
/// its lands, and these lands.
#[derive(Default)]
struct Walk {
    lands: Index<()>,
    options: Vec<Box<[u32]>>,
    /// Lands to look at, by lives. A move takes at least one life.
    open: BTreeMap<usize, Vec<u32>>,
    namer: Namer,
    /// The lands in the order in which they were looked at.
    order: Vec<u32>,
    words: usize,
}

impl Base {
    /// The trees of all lands that a game from `position` can lead to. `crew` runs the work that it
    /// is given on as many threads as it has, and returns when all of them are done
    /// ([`super::super::alone`]). `done` is told how many lands have been looked at and how many
    /// are known. It returns whether to go on.
    ///
    /// # Errors
    /// [`NoBase`] when it is too large.
    pub fn of(
        position: &Position,
        crew: impl Fn(&(dyn Fn() + Sync)),
        done: impl Fn(u64, u64) -> bool,
    ) -> Result<Self, NoBase> {
        Self::by(Rules::Sprouts, position, crew, done)
    }

    /// As for [`Self::of`], in a game.
    ///
    /// # Errors
    /// [`NoBase`] when it is too large.
    pub fn by(
        rules: Rules,
        position: &Position,
        crew: impl Fn(&(dyn Fn() + Sync)),
        done: impl Fn(u64, u64) -> bool,
    ) -> Result<Self, NoBase> {
        let too_many = |why| NoBase::TooManyMoves(position.clone(), why);
        let lands = lands_of(position).map_err(too_many)?;
        if lands.iter().any(|land| lives(land) > MAX_LIVES) {
            return Err(NoBase::TooLarge(position.clone()));
        }
        let (mut walk, finders) = (Walk::default(), Finders::of(rules));
        for land in lands {
            let (tint, name) = Finder::default().name(&land);
            walk.number(Met::New(tint, name));
        }
        while let Some((lives, mut layer)) = walk.open.pop_last() {
            let rest = layer.split_off(layer.len().min(CHUNK));
            if !rest.is_empty() {
                walk.open.insert(lives, rest);
            }
            let found = in_parallel(&crew, &layer, |&land| {
                finders.with_one(|finder| options(walk.lands.name(land), &walk.lands, finder))
            });
            for (land, options) in layer.into_iter().zip(found) {
                walk.note(land, options.map_err(too_many)?);
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
        let different = forest.len() as u64;
        Ok(Self { rules, forest, lands: walk.lands, trees, different })
    }

    /// Most lives of a land of `position`: with three more lives, it takes some fifteen times as
    /// long to find the trees.
    #[must_use]
    pub fn lives(position: &Position) -> usize {
        let lands = lands_of(position).unwrap_or_default();
        lands.iter().map(|land| lives(land)).max().unwrap_or(0)
    }

    /// How many lands there are.
    #[must_use]
    pub fn lands(&self) -> u64 {
        self.trees.len() as u64
    }

    /// How many different trees there are, without those with a factor 1.
    #[must_use]
    pub fn trees(&self) -> u64 {
        self.different
    }

    /// What a reduced land with this sketch is in a node, if it is in the base or in a node.
    pub(super) fn part(&self, finder: &mut Finder, sketch: u64, land: &[Spot]) -> Option<Part> {
        finder.find(&self.lands, sketch, land).map(|number| self.part_of(number))
    }

    /// What a land with this tint and name is in a node. It counts as a land of a node from now on.
    pub(super) fn named_part(&mut self, namer: &mut Namer, tint: u64, name: &[Spot]) -> Part {
        let known = self.lands.named(namer, tint, name);
        let number = known.unwrap_or_else(|| self.lands.insert(tint, name, ()));
        self.part_of(number)
    }

    fn part_of(&self, number: u32) -> Part {
        match self.trees.get(number as usize) {
            Some(&tree) => Part::Tree(tree),
            None => Part::Land(number - self.trees.len() as u32),
        }
    }
}

impl Walk {
    /// The number of a land, a new one if need be.
    fn number(&mut self, met: Met) -> u32 {
        match met {
            Met::Known(number) => number,
            Met::New(tint, name) => {
                if let Some(number) = self.lands.named(&mut self.namer, tint, &name) {
                    return number;
                }
                let number = self.lands.insert(tint, &name, ());
                self.options.push(Box::default());
                self.open.entry(lives(&name)).or_default().push(number);
                number
            }
        }
    }

    /// Notes the options of a land.
    fn note(&mut self, land: u32, options: Vec<Vec<Met>>) {
        let mut sums: Vec<Vec<u32>> = Vec::with_capacity(options.len());
        for lands in options {
            let mut sum: Vec<u32> = lands.into_iter().map(|met| self.number(met)).collect();
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

/// The options of a land. An option may come twice.
fn options(
    land: &[Spot],
    known: &Index<()>,
    finder: &mut Finder,
) -> Result<Vec<Vec<Met>>, TooManyMoves> {
    manageable(land)?;
    let mut seen: HashSet<_, BuildHasherDefault<Folded>> = HashSet::default();
    let mut options = Vec::new();
    finder.visit(
        land,
        |_| true,
        |finder, option| {
            // Many options differ in the names of letters only: they are named once.
            if seen.insert(option.key()) {
                let met = |(sketch, land): (u64, &[Spot])| match finder
                    .find_or_name(known, sketch, land)
                {
                    Ok(number) => Met::Known(number),
                    Err((tint, name)) => Met::New(tint, name),
                };
                options.push(option.iter().map(met).collect());
            }
            true
        },
    );
    Ok(options)
}

/// What `work` makes of each thing, in their order.
fn in_parallel<T: Sync, R: Send>(
    crew: &impl Fn(&(dyn Fn() + Sync)),
    things: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Vec::with_capacity(things.len()));
    crew(&|| {
        loop {
            let place = next.fetch_add(1, Relaxed);
            let Some(thing) = things.get(place) else { break };
            let made = work(thing);
            all.lock().expect("nobody panics with it").push((place, made));
        }
    });
    let mut all = all.into_inner().expect("nobody panics with it");
    all.sort_unstable_by_key(|&(place, _)| place);
    all.into_iter().map(|(_, made)| made).collect()
}
