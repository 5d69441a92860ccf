//! What a search sees of the tree while it runs: where it goes from a couple, and its options.
//!
//! Looking gives no land a name and no couple a number. It may still change which way the search goes
//! on: what is guessed of lands with some features is guessed anew now and then, when it is asked for
//! first, and a look may be what asks.

use sprig_domain::View;

use crate::couples::Couple;
use crate::filter::Sketch;
use crate::game::{Game, Keys, Moves};
use crate::kernel::numbers::Numbers;
use crate::lands::{Key, LandId, Listed, Lot, Nameless};
use crate::look::{LandTask, hash};
use crate::node::Node;
use crate::tables::Tables;

/// A place of the tree as a search names it: a sum of lands beside a heap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beside {
    /// The keys of its lands whose nimbers are not known.
    pub lands: Vec<Vec<u8>>,
    /// The heap, with the nimbers of the other lands.
    pub heap: u8,
}

/// A place of the tree, with its numbers.
type Branch = sprig_domain::Branch<Beside>;

/// The longest line that is followed.
const LINE: usize = 64;

/// An option that may have no name.
struct Candidate {
    lands: Vec<Listed>,
    heap: u8,
    numbers: Numbers,
    walks: u32,
    /// Its rank: what looks cheapest to prove lost comes first.
    rank: u32,
}

/// What looks at tables.
pub(crate) struct Viewer<'a, G: Game> {
    tables: &'a Tables,
    moves: G::Moves,
    keys: G::Keys,
}

impl<'a, G: Game> Viewer<'a, G> {
    pub fn new(game: &G, tables: &'a Tables) -> Self {
        Self { tables, moves: game.moves(), keys: game.keys() }
    }

    /// The land with these bytes, if the search has met it.
    pub fn find(&mut self, raw: &[u8]) -> Option<LandId> {
        let mut tidy = raw.to_vec();
        G::Keys::tidy(&mut tidy);
        let mut key = Key::default();
        key.set(self.keys.key(&tidy), Sketch::of(G::sketch(raw)));
        self.tables.lands.find(&key)
    }

    /// What the search sees of a couple, with at most `limit` options.
    pub fn view(&mut self, couple: Couple, limit: usize) -> View<Beside> {
        let candidates = self.options(couple);
        let open = u32::try_from(candidates.len()).unwrap_or(u32::MAX);
        let options = candidates.iter().take(limit);
        let options = options.filter_map(|option| self.told(couple.land, option)).collect();
        let (mut line, mut next) = (Vec::new(), Some((couple.land, candidates)));
        while let Some((parent, options)) = next.take() {
            let Some(best) = options.first().filter(|_| line.len() < LINE) else { break };
            let Some(branch) = self.told(parent, best) else { break };
            line.push(branch);
            let below = match best.lands[..] {
                [Listed::Named(land)] => Some(Couple { land, heap: best.heap }),
                [_] => None,
                // The search goes on with one land of the sum.
                _ => {
                    let task = LandTask::cheapest(self.tables, best.lands.iter().copied());
                    let couple = task.and_then(LandTask::couple);
                    line.extend(couple.map(|couple| self.branch(couple)));
                    couple
                }
            };
            next = below.map(|couple| (couple.land, self.options(couple)));
        }
        View { at: self.branch(couple), line, options, open }
    }

    /// A couple.
    pub fn branch(&self, Couple { land, heap }: Couple) -> Branch {
        let walks = self.tables.lands.node(land, heap).map_or(0, Node::busy);
        let place = Beside { lands: vec![self.tables.lands.bytes_of(land)], heap };
        let Numbers { proof, disproof } = self.tables.numbers(land, heap);
        Branch { place, proof, disproof, walks }
    }

    /// The open options of a couple in the order of the search; none if it is not expanded.
    fn options(&self, Couple { land, heap }: Couple) -> Vec<Candidate> {
        let lands = &self.tables.lands;
        let possible = lands.possible(land);
        let Some(children) = lands.children(land) else { return Vec::new() };
        let mut options: Vec<Candidate> = (0..heap)
            .filter(|&smaller| possible.contains(smaller))
            .map(|smaller| self.candidate(vec![Listed::Named(land)], smaller))
            .collect();
        let mut met: Vec<Listed> = Vec::new();
        for single in children.singles.lands() {
            let is_like = |other: &Listed| match (*other, single) {
                (Listed::Nameless(a), Listed::Nameless(b)) => a.sketch == b.sketch,
                (a, b) => a == b,
            };
            let of_single = self.tables.possible(single);
            if of_single.known().is_none() && of_single.contains(heap) && !met.iter().any(is_like) {
                met.push(single);
                options.push(self.candidate(vec![single], heap));
            }
        }
        options.extend(children.sums().filter_map(|(known, lot)| self.sum(heap, known, lot)));
        options.sort_by_key(|option| option.rank);
        options
    }

    /// The option of a sum beside the heap `known`, unless it is decided.
    fn sum(&self, heap: u8, known: u8, lot: Lot<'_>) -> Option<Candidate> {
        let (mut heap, mut open) = (heap ^ known, Vec::new());
        for land in lot.lands() {
            match self.tables.possible(land).known() {
                Some(nimber) => heap ^= nimber,
                None => open.push(land),
            }
        }
        match open[..] {
            [] => None,
            [land] if !self.tables.possible(land).contains(heap) => None,
            _ => Some(self.candidate(open, heap)),
        }
    }

    fn candidate(&self, lands: Vec<Listed>, heap: u8) -> Candidate {
        let couple = |land, heap| match land {
            Listed::Named(land) => {
                let walks = self.tables.lands.node(land, heap).map_or(0, Node::busy);
                (self.tables.lands.sketch(land), self.tables.numbers(land, heap), walks)
            }
            Listed::Nameless(Nameless { sketch, cell, .. }) => {
                (sketch, self.tables.prior.numbers(cell, heap), 0)
            }
        };
        let (hash, numbers, walks) = match lands[..] {
            [land] => {
                let (sketch, numbers, walks) = couple(land, heap);
                (hash(sketch, heap), numbers, walks)
            }
            _ => {
                let task = LandTask::cheapest(self.tables, lands.iter().copied());
                let LandTask { land, heap, total, .. } = task.expect("a sum has lands");
                let (sketch, _, walks) = couple(land, heap);
                (hash(sketch, heap), Numbers { proof: total, disproof: total }, walks)
            }
        };
        let rank = self.tables.avoided.seen(hash, numbers).disproof;
        Candidate { lands, heap, numbers, walks, rank }
    }

    /// An option of a couple of the land `parent`, by its keys. `None` if the search has moved on
    /// meanwhile.
    fn told(&mut self, parent: LandId, option: &Candidate) -> Option<Branch> {
        let &Candidate { heap, numbers: Numbers { proof, disproof }, walks, .. } = option;
        let lands = option.lands.iter().map(|&land| match land {
            Listed::Named(land) => Some(self.tables.lands.bytes_of(land)),
            Listed::Nameless(child) => self.key(parent, child),
        });
        let place = Beside { lands: lands.collect::<Option<_>>()?, heap };
        Some(Branch { place, proof, disproof, walks })
    }

    /// The key of a child of a land that has no name.
    fn key(&mut self, parent: LandId, child: Nameless) -> Option<Vec<u8>> {
        let (key, keys) = (self.tables.lands.bytes_of(parent), &mut self.keys);
        let named = self.moves.child(&key, child.way, |lands| {
            let mut alike = lands.filter(|&(_, sketch)| Sketch::of(sketch) == child.sketch);
            alike.next().map(|(raw, _)| keys.key(raw).to_vec())
        });
        named.flatten()
    }
}
