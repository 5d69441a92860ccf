//! A thread's depth-first walk: df-pn (Nagai 2002) over nodes.
//!
//! The walk goes down to the most-proving option as long as the numbers stay below thresholds, so that it rarely climbs
//! back to the root. The options of every node on the path are listed once, when the walk enters the node; only those
//! it works on are looked up again.

use sprig_domain::Game;
use sprig_search::{Chunk, Noise, Numbers, Place, WeakSum, slack};

use super::options::{Candidate, Expander, Options, Seen};
use super::packed::DEAR;
use super::tables::{Leave, Tables};
use super::trees::Trees;

/// What a walk shares with the outside.
pub(crate) trait Outside {
    /// Called before each step; says why to leave the walk, if it must be left.
    fn check(&self, tables: &Tables) -> Result<(), Leave>;
    /// A node was worked on for the first time.
    fn expanded(&self);
    /// A node has been proved lost.
    fn lost(&self, tables: &Tables, node: &[u32]);
    /// The numbers of the position in work have changed.
    fn reached(&self, numbers: Numbers);
    /// Whether other threads walk the same tables.
    fn is_shared(&self) -> bool;
    /// What makes this walk another one than those of other searches of the same position.
    fn noise(&self) -> Noise;
}

/// What all walks share.
pub(crate) struct World<'a, O> {
    pub tables: &'a Tables,
    pub trees: &'a Trees,
    pub outside: &'a O,
}

/// A thread's own tools.
pub(crate) struct Walker {
    pub expander: Expander,
    pub chunk: Chunk,
    options: Options,
    /// The nodes from the root to here.
    path: Vec<Place>,
    spare: Vec<Vec<u32>>,
}

/// Thresholds without a limit.
pub(crate) const UNBOUNDED: Numbers =
    Numbers { proof: Numbers::INFINITE, disproof: Numbers::INFINITE };
const WIN: Numbers = Numbers { proof: 0, disproof: Numbers::INFINITE };
const LOSS: Numbers = Numbers { proof: Numbers::INFINITE, disproof: 0 };

/// The open options of a node, taken together.
struct Tally {
    best: usize,
    /// The least disproof number.
    least: u32,
    /// That of the best option and of the next, made larger for every other thread that is busy there.
    rank: u32,
    next_rank: u32,
    proofs: WeakSum,
    /// The two largest proof numbers.
    largest: [u32; 2],
}

impl Tally {
    fn of(options: &[Candidate], noise: Noise) -> Self {
        let mut tally = Self {
            best: 0,
            least: Numbers::INFINITE,
            rank: u32::MAX,
            next_rank: Numbers::INFINITE,
            proofs: WeakSum::default(),
            largest: [0; 2],
        };
        for (i, option) in options.iter().enumerate() {
            let Numbers { proof, disproof } = option.numbers;
            tally.proofs.add(proof);
            if proof > tally.largest[0] {
                tally.largest = [proof, tally.largest[0]];
            } else if proof > tally.largest[1] {
                tally.largest[1] = proof;
            }
            tally.least = tally.least.min(disproof);
            let later = noise.of(|| option.hash, disproof);
            let rank = disproof.saturating_mul(1 + option.busy).saturating_add(later);
            if rank < tally.rank {
                tally.next_rank = tally.next_rank.min(tally.rank);
                tally.rank = rank;
                tally.best = i;
            } else {
                tally.next_rank = tally.next_rank.min(rank);
            }
        }
        tally
    }

    fn numbers(&self) -> Numbers {
        Numbers { proof: self.least, disproof: self.proofs.value().min(DEAR.disproof) }
    }

    /// How long to go on in the best option, whose numbers are `best`.
    fn bounds(&self, best: Numbers, bounds: Numbers) -> Numbers {
        let other = self.largest[usize::from(self.largest[0] == best.proof)];
        let proof = if other == DEAR.proof {
            // It cannot be proved lost, and need not be left when that becomes harder.
            Numbers::INFINITE
        } else {
            self.proofs.bound_for(best.proof, other, bounds.disproof).max(best.proof + 1)
        };
        let disproof = bounds.proof.min(slack(self.next_rank)).max(best.disproof + 1);
        Numbers { proof, disproof }
    }
}

impl Walker {
    pub fn new(game: Game) -> Self {
        Self {
            expander: Expander::new(game),
            chunk: Chunk::default(),
            options: Options::default(),
            path: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Forgets every place in the tables: they may be replaced.
    pub fn forget(&mut self) {
        self.chunk = Chunk::default();
        self.expander.namer.forget();
    }

    /// Works on a node until it is decided or one of its numbers reaches its bound.
    pub fn work(
        &mut self,
        world: &World<'_, impl Outside>,
        place: Place,
        node: &[u32],
        bounds: Numbers,
    ) -> Result<(), Leave> {
        let World { tables, trees, outside } = world;
        let (list, words) = (self.options.list.len(), self.options.words.len());
        self.path.push(place);
        if outside.is_shared() {
            tables.set_busy(place, true);
        }
        let mut result = match self.expander.options(tables, trees, node, &mut self.options) {
            Ok(Seen::Win) => Ok(WIN),
            Ok(Seen::All) => self.pursue(world, place, list, bounds),
            // The walk goes on where this node need not be decided.
            Err(Leave::TooManyMoves(why)) => {
                let _ = tables.dear.set(why);
                Ok(DEAR)
            }
            Err(leave) => Err(leave),
        };
        if outside.is_shared() {
            tables.set_busy(place, false);
        }
        self.path.pop();
        self.options.list.truncate(list);
        self.options.words.truncate(words);
        // Another thread or search has decided a node of the path; the walk goes on above the highest of these.
        if result == Err(Leave::Obsolete) && !self.is_obsolete(tables) {
            result = Ok(tables.numbers(place));
        }
        let numbers = result?;
        if tables.set_numbers(place, numbers)? {
            let lost = numbers.disproof == 0;
            tables.learn(node, trees, lost);
            if lost {
                outside.lost(tables, node);
            }
        }
        Ok(())
    }

    /// Whether a node on the way from the root to here is decided.
    fn is_obsolete(&self, tables: &Tables) -> bool {
        self.path.iter().any(|&node| tables.packed(node).is_decided())
    }

    /// Works on the options from `list` on.
    fn pursue(
        &mut self,
        world: &World<'_, impl Outside>,
        place: Place,
        list: usize,
        bounds: Numbers,
    ) -> Result<Numbers, Leave> {
        let World { tables, outside, .. } = world;
        loop {
            if self.options.list.len() == list {
                return Ok(LOSS);
            }
            // Where a loss is expected, every option has to be refuted, and each search has an order of its own.
            let now = tables.numbers(place);
            let in_loss = now.proof > now.disproof;
            let noise =
                if in_loss { outside.noise().near(self.path.len() - 1) } else { Noise::NONE };
            let tally = Tally::of(&self.options.list[list..], noise);
            let numbers = tally.numbers();
            if numbers.proof >= bounds.proof || numbers.disproof >= bounds.disproof {
                return Ok(numbers);
            }
            if tables.is_hopeless(numbers).is_some() {
                return Ok(numbers);
            }
            let best = list + tally.best;
            if self.refresh(world, best)? {
                outside.check(tables)?;
                if self.is_obsolete(tables) {
                    return Err(Leave::Obsolete);
                }
                tables.set_numbers(place, numbers)?;
                if self.path.len() == 1 {
                    outside.reached(numbers);
                }
                let option = self.options.list[best];
                let bounds = tally.bounds(option.numbers, bounds);
                let mut child = self.spare.pop().unwrap_or_default();
                child.clear();
                child.extend_from_slice(self.options.node(option.at as usize));
                let result = self.work(world, option.place, &child, bounds);
                self.spare.push(child);
                result?;
                self.options.list[best].numbers = tables.numbers(option.place);
            }
            match self.options.list[best].numbers {
                Numbers { disproof: 0, .. } => return Ok(WIN),
                Numbers { proof: 0, .. } => {
                    self.options.list.swap_remove(best);
                }
                _ => {}
            }
        }
    }

    /// Gives an option a record, and the numbers that it has by now; `false` when they have changed.
    fn refresh(&mut self, world: &World<'_, impl Outside>, at: usize) -> Result<bool, Leave> {
        let World { tables, outside, .. } = world;
        let Candidate { at: words, hash, place, numbers, busy } = self.options.list[at];
        let place = if place == 0 {
            let node = self.options.node(words as usize);
            let (place, new) = tables.node(node, hash, numbers, &mut self.chunk)?;
            if new {
                outside.expanded();
            }
            place
        } else {
            place
        };
        let now = tables.packed(place);
        let option = &mut self.options.list[at];
        (option.place, option.numbers) = (place, now.numbers());
        option.busy = if outside.is_shared() { now.busy() } else { 0 };
        Ok(option.numbers == numbers && option.busy == busy)
    }
}
