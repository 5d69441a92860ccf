//! The numbers of a couple, formed from those of its options.

use crate::lands::{LandId, Listed, Lot};
use crate::node::Node;
use crate::noise::Noise;
use crate::numbers::{Numbers, WeakSum, slack};
use crate::tables::{Leave, Tables};
use crate::walk::{Couple, Outside, restrict, turn};

/// What a look at a couple's options shows.
pub(crate) enum Look {
    /// The couple is won or lost.
    Decided,
    /// Its children have not been generated.
    NotExpanded,
    /// Something may be known by now of children without a name.
    Rumour,
    /// Its numbers, and where to go on; that child may still need a name.
    Open(Numbers, Step),
}

/// Where to go on, and how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The land of the couple; as long as it has no name, nobody can go there.
    pub land: Listed,
    pub heap: u8,
    /// Go on while the numbers of the couple are below these.
    pub bounds: Numbers,
}

/// The way into an option.
#[derive(Clone, Copy)]
enum Way {
    Couple(Listed, u8),
    Sum(Errand),
}

impl Way {
    /// Tells options apart. A land has the same with and without a name.
    fn hash(self, tables: &Tables) -> u32 {
        let (Self::Couple(land, heap) | Self::Sum(Errand { land, heap, .. })) = self;
        let sketch = match land {
            Listed::Named(land) => tables.lands.sketch(land),
            Listed::Nameless(child) => child.sketch,
        };
        sketch.0 ^ u32::from(heap) << 24
    }
}

/// What to do next for a sum of lands whose nimbers are unknown.
#[derive(Clone, Copy)]
pub(crate) struct Errand {
    /// The land and the heap of the couple that looks cheapest to prove lost.
    pub land: Listed,
    pub heap: u8,
    /// Its disproof number.
    pub disproof: u32,
    /// Work for all lands of the sum.
    pub total: u32,
    /// When the disproof number of that couple gets here, another couple is clearly cheaper.
    pub due: u32,
}

impl Errand {
    /// The errand among several lands that is the cheapest; `None` without any land.
    pub fn cheapest(tables: &Tables, lands: impl Iterator<Item = Listed>) -> Option<Self> {
        let mut cheapest: Option<Self> = None;
        let mut total = 0;
        for land in lands {
            let (heap, disproof, next) = cheapest_loss(tables, land);
            total = (total + disproof).min(Numbers::INFINITE - 1);
            cheapest = Some(match cheapest {
                Some(errand) if errand.disproof <= disproof => {
                    Self { due: errand.due.min(disproof), ..errand }
                }
                last => {
                    let due = last.map_or(next, |errand| errand.disproof.min(next));
                    Self { land, heap, disproof, total, due }
                }
            });
        }
        cheapest.map(|errand| Self { total, ..errand })
    }

    /// The step that the errand is, while the work for all lands stays below `bound`.
    pub fn step(self, bound: u32) -> Step {
        let others = self.total.saturating_sub(self.disproof);
        let disproof = slack(self.due).min(bound.saturating_sub(others)).max(self.disproof + 1);
        let bounds = Numbers { proof: Numbers::INFINITE, disproof };
        Step { land: self.land, heap: self.heap, bounds }
    }
}

/// Heaps that are tried for a land's nimber at the same time.
const HEAPS: usize = 6;

/// The heap with which a land is proved lost the cheapest, the disproof number of that couple, and that of the next
/// cheapest heap.
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

/// The option to go on with: the cheapest to prove lost, where options cost more for each other thread that is busy there.
struct Choice {
    best: Option<(Way, Numbers)>,
    rank: u32,
    next_rank: u32,
}

impl Choice {
    const NONE: Self = Self { best: None, rank: u32::MAX, next_rank: Numbers::INFINITE };

    #[inline]
    fn add(&mut self, way: Way, numbers: Numbers, rank: u32) {
        // A rank may be as large as it gets. That an option is open rests on no rank.
        if rank < self.rank || self.best.is_none() {
            self.next_rank = self.next_rank.min(self.rank);
            self.rank = rank;
            self.best = Some((way, numbers));
        } else {
            self.next_rank = self.next_rank.min(rank);
        }
    }
}

/// The open options of a couple.
struct Tally {
    noise: Noise,
    /// Where a loss is expected, every option has to be refuted: other threads do best elsewhere, and other searches in
    /// another order.
    in_loss: Choice,
    /// Where a win is expected, one option is enough: what others do elsewhere is wasted if the best one wins.
    in_win: Choice,
    least_disproof: u32,
    proofs: WeakSum,
    /// The two largest proof numbers.
    largest: [u32; 2],
}

impl Tally {
    fn new(noise: Noise) -> Self {
        Self {
            noise,
            in_loss: Choice::NONE,
            in_win: Choice::NONE,
            least_disproof: Numbers::INFINITE,
            proofs: WeakSum::default(),
            largest: [0; 2],
        }
    }

    /// Adds an option: the way into it, its numbers, and how many are at work there.
    #[inline]
    fn add(&mut self, tables: &Tables, way: Way, numbers: Numbers, busy: u32) {
        self.proofs.add(numbers.proof);
        if numbers.proof > self.largest[0] {
            self.largest = [numbers.proof, self.largest[0]];
        } else if numbers.proof > self.largest[1] {
            self.largest[1] = numbers.proof;
        }
        let disproof = numbers.disproof;
        self.least_disproof = self.least_disproof.min(disproof);
        let noise = self.noise.of(|| way.hash(tables), disproof);
        let rank = disproof.saturating_mul(1 + busy).saturating_add(noise);
        self.in_loss.add(way, numbers, rank);
        self.in_win.add(way, numbers, disproof.saturating_add((disproof / 4).saturating_mul(busy)));
    }

    #[inline]
    fn add_couple(&mut self, tables: &Tables, Couple { land, heap }: Couple) {
        let node = tables.lands.node(land, heap);
        let start = || tables.start_numbers(land, heap);
        let numbers = node.and_then(Node::numbers).unwrap_or_else(start);
        let way = Way::Couple(Listed::Named(land), heap);
        self.add(tables, way, numbers, node.map_or(0, Node::busy));
    }

    /// Adds the couple of a child that may be nameless: then no thread has been there.
    #[inline]
    fn add_listed(&mut self, tables: &Tables, land: Listed, heap: u8) {
        match land {
            Listed::Named(land) => self.add_couple(tables, Couple { land, heap }),
            Listed::Nameless(child) => {
                let numbers = tables.prior.numbers(child.cell, heap);
                self.add(tables, Way::Couple(land, heap), numbers, 0);
            }
        }
    }

    fn numbers(&self) -> Numbers {
        Numbers { proof: self.least_disproof, disproof: self.proofs.value() }
    }

    fn choice(&self) -> &Choice {
        let numbers = self.numbers();
        if numbers.proof > numbers.disproof { &self.in_loss } else { &self.in_win }
    }

    /// The step into the best option.
    fn step(&self, choice: &Choice, way: Way, best: Numbers, bounds: Numbers) -> Step {
        let other = self.largest[usize::from(self.largest[0] == best.proof)];
        let proof = match self.proofs.value() {
            // A loss is out of reach, as an option is dear: what this one's proof costs is no reason to leave it.
            dear if dear == Numbers::DEAR.disproof => Numbers::INFINITE,
            _ => self.proofs.bound_for(best.proof, other, bounds.disproof).max(best.proof + 1),
        };
        let disproof = bounds.proof.min(slack(choice.next_rank)).max(best.disproof + 1);
        match way {
            Way::Couple(land, heap) => Step { land, heap, bounds: Numbers { proof, disproof } },
            Way::Sum(errand) => errand.step(proof.min(disproof)),
        }
    }
}

/// Looks at the options of a couple with `above` couples above it on the way from the root: records what they prove,
/// and forms the couple's numbers otherwise.
pub(crate) fn look(
    tables: &Tables,
    outside: &impl Outside,
    couple: Couple,
    bounds: Numbers,
    above: usize,
) -> Result<Look, Leave> {
    let Couple { land, heap } = couple;
    // The list first: what is not on it has been excluded before it was shown.
    let children = tables.lands.children(land);
    turn();
    let possible = tables.lands.possible(land);
    if possible.known().is_some() || !possible.contains(heap) {
        return Ok(Look::Decided);
    }
    let Some(children) = children else { return Ok(Look::NotExpanded) };
    let mut tally = Tally::new(outside.noise().near(above));
    // The nimbers of children; none of them is the land's.
    let mut values = 0u64;
    for smaller in (0..heap).filter(|&i| possible.contains(i)) {
        tally.add_couple(tables, Couple { land, heap: smaller });
    }
    // Whether something may be known by now of a child without a name.
    let mut rumour = false;
    let mut before = None;
    for land in children.singles.named().filter(|&land| before.replace(land) != Some(land)) {
        look_at_land(tables, land, heap, &mut tally, &mut values);
    }
    let mut before = None;
    for (sketch, child) in children.singles.nameless() {
        // Children that look the same stand together. Two with one sketch are probably one land.
        let last = before.replace((sketch, child));
        match child {
            Listed::Named(land) => {
                if last.is_none_or(|(_, last)| last != child) {
                    look_at_land(tables, land, heap, &mut tally, &mut values);
                }
            }
            Listed::Nameless(land) => {
                let is_like = |last| matches!(last, (last, Listed::Nameless(_)) if last == sketch);
                if !last.is_some_and(is_like) {
                    rumour |= tables.lands.filter().may_know(land.sketch);
                    tally.add_listed(tables, child, heap);
                }
            }
        }
    }
    for (known, lands) in children.sums() {
        look_at_sum(tables, heap, known, lands, &mut tally, &mut values);
        rumour |= lands.nameless().any(|(_, land)| {
            matches!(land, Listed::Nameless(child) if tables.lands.filter().may_know(child.sketch))
        });
    }
    if values & possible.0 != 0 {
        restrict(tables, outside, land, !values)?;
    }
    if values >> heap & 1 == 1 {
        return Ok(Look::Decided);
    }
    let choice = tally.choice();
    match choice.best {
        _ if rumour => Ok(Look::Rumour),
        Some((way, best)) => Ok(Look::Open(tally.numbers(), tally.step(choice, way, best, bounds))),
        None => {
            // Every option is won.
            restrict(tables, outside, land, 1 << heap)?;
            Ok(Look::Decided)
        }
    }
}

/// Adds a child that is one land with a name to the options of a couple with `heap`.
#[inline]
fn look_at_land(tables: &Tables, land: LandId, heap: u8, tally: &mut Tally, values: &mut u64) {
    let nimbers = tables.lands.possible(land);
    if let Some(nimber) = nimbers.known() {
        *values |= 1 << nimber;
    } else if nimbers.contains(heap) {
        tally.add_couple(tables, Couple { land, heap });
    }
}

/// Adds a sum of lands, beside a heap of the size `known`, to the options of a couple with `heap`.
fn look_at_sum(
    tables: &Tables,
    heap: u8,
    known: u8,
    lands: Lot,
    tally: &mut Tally,
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
                tally.add_listed(tables, land, heap);
            }
        }
        (0, _) | (_, None) => *values |= 1 << value,
        _ => {
            let unknown = lands.lands().filter(|&land| tables.possible(land).known().is_none());
            let Some(errand) = Errand::cheapest(tables, unknown) else {
                // Other threads have found all of them meanwhile.
                return look_at_sum(tables, heap, known, lands, tally, values);
            };
            let numbers = Numbers { proof: errand.total, disproof: errand.total };
            let busy = match errand.land {
                Listed::Named(land) => tables.lands.node(land, errand.heap).map_or(0, Node::busy),
                Listed::Nameless(_) => 0,
            };
            tally.add(tables, Way::Sum(errand), numbers, busy);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Once a rank that was as large as it gets was no option, and what had options left was proved lost.
    #[test]
    fn an_option_is_one_whatever_its_rank() {
        let way = |land| Way::Couple(Listed::Named(LandId(land)), 0);
        let numbers = Numbers { proof: 1, disproof: Numbers::INFINITE - 1 };
        let mut choice = Choice::NONE;
        choice.add(way(7), numbers, u32::MAX);
        assert!(
            matches!(choice.best, Some((Way::Couple(land, _), _)) if land == Listed::Named(LandId(7)))
        );
        choice.add(way(8), numbers, 5);
        assert!(
            matches!(choice.best, Some((Way::Couple(land, _), _)) if land == Listed::Named(LandId(8)))
        );
        assert_eq!(choice.next_rank, Numbers::INFINITE);
    }
}
