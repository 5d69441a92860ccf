//! The options of lands as parts of nodes, found once and remembered for a while, for all threads together.

use std::collections::HashSet;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, OnceLock};

use super::super::desk::{Desk, Desks};
use super::super::index::Index;
use super::super::land::{Spot, TooManyMoves, manageable};
use super::super::name::Name;
use super::super::options::all_options;
use super::super::reduce::Reducer;
use super::base::Part;
use super::losses::{Losses, OPEN, put};

/// Open lands that are remembered at most.
const MAX_LANDS: usize = 1 << 20;

/// Words of options that are remembered at most: 128 MB.
const MAX_WORDS: usize = 1 << 25;

/// Parts of the memory that are locked one by one: a power of 2.
const SHARDS: u32 = 64;

/// Options, one after the other: twice the number of parts, and 1 more if there is a 1; then the parts.
type List = Arc<[u32]>;

/// What the options of lands leave in a node in place of the land.
pub(super) struct Options<'a> {
    losses: &'a Losses,
    /// All options of lands of lost nodes.
    all: Vec<OnceLock<Result<List, TooManyMoves>>>,
    /// Those of their options that may be parts of lost nodes.
    familiar: Vec<OnceLock<List>>,
    /// Lands that are in no lost node and not in the base, and their options that may be parts of lost nodes.
    open: Vec<Mutex<Index<Option<List>>>>,
    desks: Desks,
    /// Words of lists, and open lands.
    words: AtomicUsize,
    lands: AtomicUsize,
    work: Arc<Work<'a>>,
}

/// What all threads have done, and whether to go on.
#[derive(Default)]
pub(super) struct Work<'a> {
    /// Options looked at.
    pub options: AtomicU64,
    pub stop: Option<&'a AtomicBool>,
}

impl Work<'_> {
    /// Whether it was told to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Relaxed))
    }
}

/// The options of a list: whether there is a 1, and the parts.
pub(super) fn each(list: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    let mut rest = list;
    std::iter::from_fn(move || {
        let (&head, others) = rest.split_first()?;
        let (parts, next) = others.split_at(head as usize / 2);
        rest = next;
        Some((head % 2, parts))
    })
}

fn write(list: &mut Vec<u32>, one: u32, parts: &[u32]) {
    list.push(2 * parts.len() as u32 + one);
    list.extend_from_slice(parts);
}

impl<'a> Options<'a> {
    pub fn new(losses: &'a Losses, work: Arc<Work<'a>>) -> Self {
        let lands = losses.lands();
        Self {
            losses,
            all: (0..lands).map(|_| OnceLock::new()).collect(),
            familiar: (0..lands).map(|_| OnceLock::new()).collect(),
            open: (0..SHARDS).map(|_| Mutex::default()).collect(),
            desks: Desks::default(),
            words: AtomicUsize::new(0),
            lands: AtomicUsize::new(0),
            work,
        }
    }

    /// Whether so much is remembered that it should be forgotten.
    pub fn is_much(&self) -> bool {
        self.words.load(Relaxed) > MAX_WORDS || self.lands.load(Relaxed) > MAX_LANDS
    }

    /// The open land that a part stands for.
    pub fn land(&self, part: u32) -> Name {
        let shard = self.open[(part % SHARDS) as usize].lock().expect("nobody panics with it");
        shard.name((part - OPEN) / SHARDS).into()
    }

    /// Each option of a land of a lost node once.
    pub fn all(&self, land: u32) -> Result<List, TooManyMoves> {
        let options = || {
            let whole = self.losses.land(land);
            manageable(whole)?;
            let (mut list, mut seen, mut wordings) = (Vec::new(), HashSet::new(), HashSet::new());
            self.visit(whole, |desk, option| {
                if wordings.insert(option.key()) {
                    let (one, parts) = self.whole(desk, option.lands());
                    if seen.insert((one, parts.clone())) {
                        write(&mut list, one, &parts);
                    }
                }
            });
            Ok(self.held(list))
        };
        self.all[land as usize].get_or_init(options).clone()
    }

    /// A sum of lands as whether there is a 1, and parts.
    pub fn whole<'l>(
        &self,
        desk: &mut Desk,
        lands: impl Iterator<Item = &'l [Spot]>,
    ) -> (u32, Vec<u32>) {
        let (mut one, mut parts) = (0, Vec::new());
        for land in lands {
            match self.losses.base.part(desk, land) {
                Some(Part::Tree(tree)) => put(&mut one, &mut parts, tree),
                Some(Part::Land(land)) => parts.push(land),
                None => parts.push(self.number(desk, land)),
            }
        }
        parts.sort_unstable();
        (one, parts)
    }

    /// The part that an open land is.
    fn number(&self, desk: &mut Desk, land: &[Spot]) -> u32 {
        let (tint, name) = desk.name(land);
        let place = (tint >> 32) as u32 % SHARDS;
        let mut shard = self.open[place as usize].lock().expect("nobody panics with it");
        let number = shard.named(tint, &name).unwrap_or_else(|| {
            self.lands.fetch_add(1, Relaxed);
            shard.insert(tint, &name, None)
        });
        OPEN + number * SHARDS + place
    }

    /// The options of a land of which every land is in the base or in a lost node. Others are no parts of lost nodes.
    pub fn familiar(&self, land: u32) -> List {
        if land < OPEN {
            let options = || self.all_familiar(self.losses.land(land));
            return self.familiar[land as usize].get_or_init(options).clone();
        }
        let shard = &self.open[(land % SHARDS) as usize];
        let number = (land - OPEN) / SHARDS;
        let name: Name = {
            let shard = shard.lock().expect("nobody panics with it");
            if let Some(list) = shard.noted(number) {
                return list.clone();
            }
            shard.name(number).into()
        };
        let list = self.all_familiar(&name);
        let mut shard = shard.lock().expect("nobody panics with it");
        *shard.noted_mut(number) = Some(list.clone());
        list
    }

    fn all_familiar(&self, land: &[Spot]) -> List {
        let mut options: Vec<(u32, Vec<u32>)> = Vec::new();
        if manageable(land).is_ok() {
            self.visit(land, |desk, option| options.extend(self.if_familiar(desk, option)));
        }
        options.sort_unstable();
        options.dedup();
        let mut list = Vec::new();
        options.iter().for_each(|(one, parts)| write(&mut list, *one, parts));
        self.held(list)
    }

    fn if_familiar(&self, desk: &mut Desk, option: &Reducer) -> Option<(u32, Vec<u32>)> {
        let (mut one, mut parts) = (0, Vec::new());
        for land in option.lands() {
            match self.losses.base.part(desk, land)? {
                Part::Tree(tree) => put(&mut one, &mut parts, tree),
                Part::Land(land) => parts.push(land),
            }
        }
        parts.sort_unstable();
        Some((one, parts))
    }

    fn visit(&self, land: &[Spot], mut visit: impl FnMut(&mut Desk, &Reducer)) {
        let mut count = 0;
        self.desks.at_one(|desk| {
            all_options(land, |option| {
                count += 1;
                visit(desk, option);
                !self.work.is_stopped()
            })
        });
        self.work.options.fetch_add(count, Relaxed);
    }

    fn held(&self, list: Vec<u32>) -> List {
        self.words.fetch_add(list.len(), Relaxed);
        list.into()
    }
}
