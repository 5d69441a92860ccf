//! The numbers of a couple, formed from those of its options.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Acquire;

use crate::filter::Sketch;
use crate::lands::LandId;
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
    pub couple: Couple,
    /// Go on while the numbers of `couple` are below these.
    pub bounds: Numbers,
}

/// The way into an option.
#[derive(Clone, Copy)]
enum Way {
    Couple(Couple),
    Sum(Errand),
}

/// Whether a child looks like the one before it in the list: it is the same, or both are nameless and have one sketch.
fn is_repeat(
    before: &mut Option<(LandId, Option<Sketch>)>,
    child: (LandId, Option<Sketch>),
) -> bool {
    before
        .replace(child)
        .is_some_and(|(land, sketch)| land == child.0 || sketch.is_some() && sketch == child.1)
}

/// What to do next for a sum of lands whose nimbers are unknown.
#[derive(Clone, Copy)]
pub(crate) struct Errand {
    /// The couple that looks cheapest to prove lost.
    pub couple: Couple,
    /// Its disproof number.
    pub disproof: u32,
    /// Work for all lands of the sum.
    pub total: u32,
    /// When the disproof number of `couple` gets here, another couple is clearly cheaper.
    pub due: u32,
}

impl Errand {
    /// The errand among several lands that is the cheapest; `None` without any land.
    pub fn cheapest(tables: &Tables, lands: impl Iterator<Item = LandId>) -> Option<Self> {
        let mut cheapest: Option<Self> = None;
        let mut total = 0;
        for land in lands {
            let (heap, disproof, next) = cheapest_loss(tables, land);
            total = (total + disproof).min(Numbers::INFINITE - 1);
            let couple = Couple { land, heap };
            cheapest = Some(match cheapest {
                Some(errand) if errand.disproof <= disproof => {
                    Self { due: errand.due.min(disproof), ..errand }
                }
                last => {
                    let due = last.map_or(next, |errand| errand.disproof.min(next));
                    Self { couple, disproof, total, due }
                }
            });
        }
        cheapest.map(|errand| Self { total, ..errand })
    }

    /// The step that the errand is, while the work for all lands stays below `bound`.
    pub fn step(self, bound: u32) -> Step {
        let others = self.total.saturating_sub(self.disproof);
        let disproof = slack(self.due).min(bound.saturating_sub(others)).max(self.disproof + 1);
        Step { couple: self.couple, bounds: Numbers { proof: Numbers::INFINITE, disproof } }
    }
}

/// Heaps that are tried for a land's nimber at the same time.
const HEAPS: usize = 6;

/// The heap with which a land is proved lost the cheapest, the disproof number of that couple, and that of the next
/// cheapest heap.
fn cheapest_loss(tables: &Tables, land: LandId) -> (u8, u32, u32) {
    let mut possible = tables.lands.possible(land).0;
    let (mut heap, mut least, mut next) = (0, Numbers::INFINITE, Numbers::INFINITE);
    for _ in 0..HEAPS {
        if possible == 0 {
            break;
        }
        let candidate = possible.trailing_zeros() as u8;
        possible &= possible - 1;
        let disproof = tables.numbers(land, candidate).disproof;
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

    /// Adds an option: the way into it, its numbers, the couple that is worked on there, and how many are.
    #[inline]
    fn add(&mut self, tables: &Tables, way: Way, numbers: Numbers, couple: Couple, busy: u32) {
        self.proofs.add(numbers.proof);
        if numbers.proof > self.largest[0] {
            self.largest = [numbers.proof, self.largest[0]];
        } else if numbers.proof > self.largest[1] {
            self.largest[1] = numbers.proof;
        }
        let disproof = numbers.disproof;
        self.least_disproof = self.least_disproof.min(disproof);
        // A land has the same sketch with and without a name.
        let hash = || tables.lands.sketch(couple.land).0 ^ u32::from(couple.heap) << 24;
        let noise = self.noise.of(hash, disproof);
        let rank = disproof.saturating_mul(1 + busy).saturating_add(noise);
        self.in_loss.add(way, numbers, rank);
        self.in_win.add(way, numbers, disproof.saturating_add((disproof / 4).saturating_mul(busy)));
    }

    #[inline]
    fn add_couple(&mut self, tables: &Tables, couple: Couple) {
        let node = tables.lands.node(couple.land, couple.heap);
        let start = || tables.start_numbers(couple.land, couple.heap);
        let numbers = node.and_then(Node::numbers).unwrap_or_else(start);
        self.add(tables, Way::Couple(couple), numbers, couple, node.map_or(0, Node::busy));
    }

    /// Adds the couple of a nameless child: no thread has been there.
    #[inline]
    fn add_nameless(&mut self, tables: &Tables, couple: Couple) {
        let numbers = tables.start_numbers(couple.land, couple.heap);
        self.add(tables, Way::Couple(couple), numbers, couple, 0);
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
            Way::Couple(couple) => Step { couple, bounds: Numbers { proof, disproof } },
            Way::Sum(errand) => errand.step(proof.min(disproof)),
        }
    }
}

/// How many walks are busy with a couple.
fn busy(tables: &Tables, couple: Couple) -> u32 {
    tables.lands.node(couple.land, couple.heap).map_or(0, Node::busy)
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
    let mut rumour = false;
    let mut before = None;
    for child in children.singles {
        let child = LandId(child.load(Acquire));
        let nameless = tables.lands.nameless(child);
        if is_repeat(&mut before, (child, nameless)) {
            continue;
        }
        if let Some(sketch) = nameless {
            rumour |= tables.lands.filter().may_know(sketch);
            tally.add_nameless(tables, Couple { land: child, heap });
            continue;
        }
        let nimbers = tables.lands.possible(child);
        if let Some(nimber) = nimbers.known() {
            values |= 1 << nimber;
        } else if nimbers.contains(heap) {
            tally.add_couple(tables, Couple { land: child, heap });
        }
    }
    for (known, lands) in children.sums() {
        look_at_sum(tables, heap, known, lands, &mut tally, &mut values);
        let mut nameless =
            lands.iter().filter_map(|land| tables.lands.nameless(LandId(land.load(Acquire))));
        rumour |= nameless.any(|sketch| tables.lands.filter().may_know(sketch));
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

/// Adds a sum of lands, beside a heap of the size `known`, to the options of a couple with `heap`.
fn look_at_sum(
    tables: &Tables,
    heap: u8,
    known: u8,
    lands: &[AtomicU32],
    tally: &mut Tally,
    values: &mut u64,
) {
    let open = || lands.iter().map(|l| LandId(l.load(Acquire)));
    let (mut value, mut unknown, mut last) = (known, 0, LandId(0));
    for land in open() {
        match tables.lands.possible(land).known() {
            Some(nimber) => value ^= nimber,
            None => (unknown, last) = (unknown + 1, land),
        }
    }
    match unknown {
        0 => *values |= 1 << value,
        1 => {
            let couple = Couple { land: last, heap: heap ^ value };
            if tables.lands.possible(last).contains(couple.heap) {
                tally.add_couple(tables, couple);
            }
        }
        _ => {
            let unknown = open().filter(|&l| tables.lands.possible(l).known().is_none());
            let Some(errand) = Errand::cheapest(tables, unknown) else {
                // Other threads have found all of them meanwhile.
                return look_at_sum(tables, heap, known, lands, tally, values);
            };
            let numbers = Numbers { proof: errand.total, disproof: errand.total };
            let busy = busy(tables, errand.couple);
            tally.add(tables, Way::Sum(errand), numbers, errand.couple, busy);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Once a rank that was as large as it gets was no option, and what had options left was proved lost.
    #[test]
    fn an_option_is_one_whatever_its_rank() {
        let way = |land| Way::Couple(Couple { land: LandId(land), heap: 0 });
        let numbers = Numbers { proof: 1, disproof: Numbers::INFINITE - 1 };
        let mut choice = Choice::NONE;
        choice.add(way(7), numbers, u32::MAX);
        assert!(matches!(choice.best, Some((Way::Couple(couple), _)) if couple.land == LandId(7)));
        choice.add(way(8), numbers, 5);
        assert!(matches!(choice.best, Some((Way::Couple(couple), _)) if couple.land == LandId(8)));
        assert_eq!(choice.next_rank, Numbers::INFINITE);
    }
}
