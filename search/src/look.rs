//! The numbers of a couple, formed from those of its options.

use crate::couples::{Couple, News, restrict, turn};
use crate::filter::Sketch;
use crate::kernel::noise::Noise;
use crate::kernel::numbers::{Numbers, slack};
use crate::kernel::tally;
use crate::lands::{Children, LandId, Listed, Lot, Possible};
use crate::node::Node;
use crate::tables::{Leave, Tables};

/// What a look at a couple's options shows.
pub(crate) enum Seen {
    /// The couple is won or lost.
    Decided,
    /// Its children have not been generated.
    NotExpanded,
    /// Something may have become known of children without a name.
    PerhapsKnown,
    /// The couple's numbers, and where to go on. That child may still need a name.
    Open(Numbers, Step),
}

/// Where to go on, and for how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The land of the couple. As long as it has no name, no walk can go there.
    pub land: Listed,
    pub heap: u8,
    /// Go on while the numbers of the couple are below these.
    pub bounds: Numbers,
}

/// The way into an option.
#[derive(Clone, Copy)]
enum Way {
    Couple(Listed, u8),
    Sum(LandTask),
}

impl Way {
    /// A hash that tells options apart. A land has the same hash with and without a name.
    fn hash(self, tables: &Tables) -> u32 {
        let (Self::Couple(land, heap) | Self::Sum(LandTask { land, heap, .. })) = self;
        let sketch = match land {
            Listed::Named(land) => tables.lands.sketch(land),
            Listed::Nameless(child) => child.sketch,
        };
        hash(sketch, heap)
    }
}

/// A hash of a couple: the sketch of its land, and the heap.
pub(crate) fn hash(sketch: Sketch, heap: u8) -> u32 {
    sketch.0 ^ u32::from(heap) << 24
}

/// What to do next for a sum of lands whose nimbers are unknown.
#[derive(Clone, Copy)]
pub(crate) struct LandTask {
    /// The land and the heap of the couple that looks cheapest to prove lost.
    pub land: Listed,
    pub heap: u8,
    /// Its disproof number.
    pub disproof: u32,
    /// Work for all lands of the sum.
    pub total: u32,
    /// When the disproof number of that couple reaches this, another couple is clearly cheaper.
    pub due: u32,
}

impl LandTask {
    /// The task among several lands that is the cheapest; `None` without any land.
    pub fn cheapest(tables: &Tables, lands: impl Iterator<Item = Listed>) -> Option<Self> {
        let mut cheapest: Option<Self> = None;
        let mut total = 0;
        for land in lands {
            let (heap, disproof, next) = cheapest_loss(tables, land);
            total = (total + disproof).min(Numbers::INFINITE - 1);
            cheapest = Some(match cheapest {
                Some(task) if task.disproof <= disproof => {
                    Self { due: task.due.min(disproof), ..task }
                }
                last => {
                    let due = last.map_or(next, |task| task.disproof.min(next));
                    Self { land, heap, disproof, total, due }
                }
            });
        }
        cheapest.map(|task| Self { total, ..task })
    }

    /// The couple that is to be proved lost, if its land has a name.
    pub fn couple(self) -> Option<Couple> {
        match self.land {
            Listed::Named(land) => Some(Couple { land, heap: self.heap }),
            Listed::Nameless(_) => None,
        }
    }

    /// The step that does this task, as long as the work for all lands stays below `bound`.
    pub fn step(self, bound: u32) -> Step {
        let others = self.total.saturating_sub(self.disproof);
        let disproof = slack(self.due).min(bound.saturating_sub(others)).max(self.disproof + 1);
        let bounds = Numbers { proof: Numbers::INFINITE, disproof };
        Step { land: self.land, heap: self.heap, bounds }
    }
}

/// Heaps that are tried for a land's nimber at the same time.
const HEAPS: usize = 6;

/// The heap beside which a land is cheapest to prove lost, the disproof number of that couple, and
/// the disproof number beside the next cheapest heap.
fn cheapest_loss(tables: &Tables, land: Listed) -> (u8, u32, u32) {
    let mut possible = tables.possible(land).0;
    let (mut heap, mut least, mut next) = (0, Numbers::INFINITE, Numbers::INFINITE);
    for _ in 0..HEAPS {
        if possible == 0 {
            break;
        }
        let candidate = possible.trailing_zeros() as u8;
        possible &= possible - 1;
        let disproof = match land {
            Listed::Named(land) => tables.numbers(land, candidate),
            Listed::Nameless(land) => tables.prior.numbers(land.cell, candidate),
        }
        .disproof;
        if disproof < least {
            (heap, next, least) = (candidate, least, disproof);
        } else {
            next = next.min(disproof);
        }
    }
    (heap, least, next)
}

/// The open options of a couple, taken together.
type Tally = tally::Tally<Way>;

/// Takes in the open options of a couple, one by one: the way into each, its numbers, and how many
/// threads are at work there.
trait Takes {
    fn take(&mut self, tables: &Tables, way: Way, numbers: Numbers, busy: u32);
}

impl Takes for Tally {
    #[inline]
    fn take(&mut self, tables: &Tables, way: Way, numbers: Numbers, busy: u32) {
        self.add(way, numbers, busy, || way.hash(tables));
    }
}

/// A tally in which options that are [avoided](crate::avoided) look dear.
struct Wary<'a>(&'a mut Tally);

impl Takes for Wary<'_> {
    fn take(&mut self, tables: &Tables, way: Way, numbers: Numbers, busy: u32) {
        let hash = way.hash(tables);
        self.0.add(way, tables.avoided.seen(hash, numbers), busy, || hash);
    }
}

/// Adds a couple to the options.
#[inline]
fn add_couple(options: &mut impl Takes, tables: &Tables, Couple { land, heap }: Couple) {
    let node = tables.lands.node(land, heap);
    let start = || tables.start_numbers(land, heap);
    let numbers = node.and_then(Node::numbers).unwrap_or_else(start);
    let way = Way::Couple(Listed::Named(land), heap);
    options.take(tables, way, numbers, node.map_or(0, Node::busy));
}

/// Adds the couple of a child that may be nameless: then no thread has worked there.
#[inline]
fn add_listed(options: &mut impl Takes, tables: &Tables, land: Listed, heap: u8) {
    match land {
        Listed::Named(land) => add_couple(options, tables, Couple { land, heap }),
        Listed::Nameless(child) => {
            let numbers = tables.prior.numbers(child.cell, heap);
            options.take(tables, Way::Couple(land, heap), numbers, 0);
        }
    }
}

/// The step into an option, which is left when its numbers reach `bounds`.
fn step(way: Way, bounds: Numbers) -> Step {
    match way {
        Way::Couple(land, heap) => Step { land, heap, bounds },
        Way::Sum(task) => task.step(bounds.proof.min(bounds.disproof)),
    }
}

/// Looks at the options of a couple. Records what they prove, or else forms the couple's numbers.
pub(crate) fn look(
    tables: &Tables,
    news: &impl News,
    noise: Noise,
    couple: Couple,
    bounds: Numbers,
) -> Result<Seen, Leave> {
    let Couple { land, heap } = couple;
    // The list is read first: nimbers of children that are not on it were excluded before it was
    // published.
    let children = tables.lands.children(land);
    turn();
    let possible = tables.lands.possible(land);
    if possible.known().is_some() || !possible.contains(heap) {
        return Ok(Seen::Decided);
    }
    let Some(children) = children else { return Ok(Seen::NotExpanded) };
    let mut tally = Tally::new(noise);
    let Gathered { values, perhaps_known } = if tables.avoided.is_empty() {
        gather(tables, couple, possible, &children, &mut tally)
    } else {
        gather(tables, couple, possible, &children, &mut Wary(&mut tally))
    };
    if values & possible.0 != 0 {
        restrict(tables, news, land, !values)?;
    }
    if values >> heap & 1 == 1 {
        return Ok(Seen::Decided);
    }
    let choice = tally.choice();
    match choice.best {
        _ if perhaps_known => Ok(Seen::PerhapsKnown),
        Some((way, best)) => {
            let bounds = tally.bounds(choice, best, bounds);
            let bounds = tables.avoided.bounds(|| way.hash(tables), bounds);
            Ok(Seen::Open(tally.numbers(), step(way, bounds)))
        }
        None => {
            // Every option is won.
            restrict(tables, news, land, 1 << heap)?;
            Ok(Seen::Decided)
        }
    }
}

/// What the options of a couple show beside those that are open.
struct Gathered {
    /// The nimbers of children, one bit each. None of them is the land's.
    values: u64,
    /// Whether something may have become known of a child without a name.
    perhaps_known: bool,
}

/// Goes through the options of a couple. Its land has these possible nimbers and this list of
/// children.
#[inline]
fn gather(
    tables: &Tables,
    Couple { land, heap }: Couple,
    possible: Possible,
    children: &Children<'_>,
    options: &mut impl Takes,
) -> Gathered {
    let mut values = 0u64;
    for smaller in (0..heap).filter(|&i| possible.contains(i)) {
        add_couple(options, tables, Couple { land, heap: smaller });
    }
    let mut perhaps_known = false;
    let mut before = None;
    for land in children.singles.named().filter(|&land| before.replace(land) != Some(land)) {
        look_at_land(tables, land, heap, options, &mut values);
    }
    let mut before = None;
    for (sketch, child) in children.singles.nameless() {
        // Children that look the same stand together. Two with the same sketch are probably the
        // same land.
        let last = before.replace((sketch, child));
        match child {
            Listed::Named(land) => {
                if last.is_none_or(|(_, last)| last != child) {
                    look_at_land(tables, land, heap, options, &mut values);
                }
            }
            Listed::Nameless(land) => {
                let is_like = |last| matches!(last, (last, Listed::Nameless(_)) if last == sketch);
                if !last.is_some_and(is_like) {
                    perhaps_known |= tables.lands.filter().may_know(land.sketch);
                    add_listed(options, tables, child, heap);
                }
            }
        }
    }
    for (known, lands) in children.sums() {
        look_at_sum(tables, heap, known, lands, options, &mut values);
        perhaps_known |= lands.nameless().any(|(_, land)| {
            matches!(land, Listed::Nameless(child) if tables.lands.filter().may_know(child.sketch))
        });
    }
    Gathered { values, perhaps_known }
}

/// Adds a child that is one land with a name to the options of a couple with `heap`.
#[inline]
fn look_at_land(
    tables: &Tables,
    land: LandId,
    heap: u8,
    options: &mut impl Takes,
    values: &mut u64,
) {
    let nimbers = tables.lands.possible(land);
    if let Some(nimber) = nimbers.known() {
        *values |= 1 << nimber;
    } else if nimbers.contains(heap) {
        add_couple(options, tables, Couple { land, heap });
    }
}

/// Adds a sum of lands, beside a heap of the size `known`, to the options of a couple with `heap`.
fn look_at_sum(
    tables: &Tables,
    heap: u8,
    known: u8,
    lands: Lot,
    options: &mut impl Takes,
    values: &mut u64,
) {
    let (mut value, mut unknown, mut last) = (known, 0, None);
    for land in lands.lands() {
        match tables.possible(land).known() {
            Some(nimber) => value ^= nimber,
            None => (unknown, last) = (unknown + 1, Some(land)),
        }
    }
    match (unknown, last) {
        (1, Some(land)) => {
            let heap = heap ^ value;
            if tables.possible(land).contains(heap) {
                add_listed(options, tables, land, heap);
            }
        }
        (0, _) | (_, None) => *values |= 1 << value,
        _ => {
            let unknown = lands.lands().filter(|&land| tables.possible(land).known().is_none());
            let Some(task) = LandTask::cheapest(tables, unknown) else {
                // Other threads have found the nimbers of all lands meanwhile.
                return look_at_sum(tables, heap, known, lands, options, values);
            };
            let numbers = Numbers { proof: task.total, disproof: task.total };
            let busy = match task.land {
                Listed::Named(land) => tables.lands.node(land, task.heap).map_or(0, Node::busy),
                Listed::Nameless(_) => 0,
            };
            options.take(tables, Way::Sum(task), numbers, busy);
        }
    }
}
