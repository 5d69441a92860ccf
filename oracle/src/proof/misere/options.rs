//! The options of lands as parts of nodes, found once and remembered for a while, for all threads
//! together.

use std::collections::HashSet;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, OnceLock};

use super::super::finder::{Finder, Finders};
use super::super::land::{Spot, TooManyMoves, manageable};
use super::super::lands::Lands;
use super::super::name::Name;
use super::super::open::Open;
use super::base::Part;
use super::losses::{Losses, OPEN, put};

/// Open lands that are remembered at most.
const MAX_LANDS: usize = 1 << 20;

/// Words of options that are remembered at most: 128 MB.
const MAX_WORDS: usize = 1 << 25;

/// Options, one after the other: for each, twice the number of its parts, and 1 more if there is a
/// 1; then its parts.
type List = Arc<[u32]>;

/// What the options of a land put into a node in place of the land.
pub(super) struct Options<'a> {
    losses: &'a Losses,
    /// All options of lands of lost nodes.
    all: Vec<OnceLock<Result<List, TooManyMoves>>>,
    /// The options of lands of lost nodes that may be parts of lost nodes.
    familiar: Vec<OnceLock<List>>,
    /// Lands that are in no lost node and not in the base, with their options that may be parts of
    /// lost nodes.
    open: Open<Option<List>>,
    finders: Finders,
    /// Words of lists.
    words: AtomicUsize,
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
            open: Open::default(),
            finders: Finders::of(losses.base.rules),
            words: AtomicUsize::new(0),
            work,
        }
    }

    /// Whether too much is remembered, so that it should be forgotten.
    pub fn is_much(&self) -> bool {
        self.words.load(Relaxed) > MAX_WORDS || self.open.len() > MAX_LANDS
    }

    /// The open land that a part stands for.
    pub fn land(&self, part: u32) -> Name {
        self.open.land(part - OPEN)
    }

    /// Each option of a land of a lost node once.
    pub fn all(&self, land: u32) -> Result<List, TooManyMoves> {
        let options = || {
            let whole = self.losses.land(land);
            manageable(whole)?;
            let (mut list, mut seen, mut wordings) = (Vec::new(), HashSet::new(), HashSet::new());
            self.visit(
                whole,
                |_| true,
                |finder, option| {
                    if wordings.insert(option.key()) {
                        let (one, parts) = self.whole(finder, option.iter());
                        if seen.insert((one, parts.clone())) {
                            write(&mut list, one, &parts);
                        }
                    }
                },
            );
            Ok(self.held(list))
        };
        self.all[land as usize].get_or_init(options).clone()
    }

    /// A sum of lands as a node has it: whether there is a 1, and its parts.
    pub fn whole<'l>(
        &self,
        finder: &mut Finder,
        lands: impl Iterator<Item = (u64, &'l [Spot])>,
    ) -> (u32, Vec<u32>) {
        let (mut one, mut parts) = (0, Vec::new());
        for (sketch, land) in lands {
            match self.losses.base.part(finder, sketch, land) {
                Some(Part::Tree(tree)) => put(&mut one, &mut parts, tree),
                Some(Part::Land(land)) => parts.push(land),
                None => parts.push(OPEN + self.open.number(finder, sketch, land)),
            }
        }
        parts.sort_unstable();
        (one, parts)
    }

    /// The options of a land of which every land is in the base or in a lost node. Other options
    /// are not parts of lost nodes.
    pub fn familiar(&self, land: u32) -> List {
        if land < OPEN {
            let options = || self.all_familiar(self.losses.land(land));
            return self.familiar[land as usize].get_or_init(options).clone();
        }
        let number = land - OPEN;
        if let Some(list) = self.open.noted(number) {
            return list;
        }
        let list = self.all_familiar(&self.open.land(number));
        self.open.note(number, |noted| *noted = Some(list.clone()));
        list
    }

    fn all_familiar(&self, land: &[Spot]) -> List {
        let mut options: Vec<(u32, Vec<u32>)> = Vec::new();
        if manageable(land).is_ok() {
            // A part of a lost node is a land of the base or of a lost node, so the rest is passed
            // over.
            let lands = &self.losses.base.lands;
            let wanted = |sketches: &[u64]| sketches.iter().all(|&sketch| lands.may_have(sketch));
            self.visit(land, wanted, |finder, option| {
                options.extend(self.if_familiar(finder, option))
            });
        }
        options.sort_unstable();
        options.dedup();
        let mut list = Vec::new();
        options.iter().for_each(|(one, parts)| write(&mut list, *one, parts));
        self.held(list)
    }

    fn if_familiar(&self, finder: &mut Finder, option: &Lands) -> Option<(u32, Vec<u32>)> {
        let (mut one, mut parts) = (0, Vec::new());
        for (sketch, land) in option.iter() {
            match self.losses.base.part(finder, sketch, land)? {
                Part::Tree(tree) => put(&mut one, &mut parts, tree),
                Part::Land(land) => parts.push(land),
            }
        }
        parts.sort_unstable();
        Some((one, parts))
    }

    fn visit(
        &self,
        land: &[Spot],
        wanted: impl Fn(&[u64]) -> bool,
        mut visit: impl FnMut(&mut Finder, &Lands),
    ) {
        let count = self.finders.with_one(|finder| {
            finder.visit(land, wanted, |finder, option| {
                visit(finder, option);
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
