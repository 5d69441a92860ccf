//! What a search counts.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use sprig_domain::Figures;

use super::numbers::Numbers;

/// A round lasts at least this many expansions.
const ROUND: u64 = 2000;
/// A round lasts at least one in this many of the expansions that the goal has taken before it.
const ROUNDS: u64 = 5;

/// Counts of a search, added up by all its threads.
pub struct Counters {
    /// Nodes that were worked on.
    pub expansions: AtomicU64,
    /// Lands whose children were generated.
    pub generations: AtomicU64,
    /// Children generated.
    pub children: AtomicU64,
    /// Facts proved.
    pub facts: AtomicU64,
    /// Collections of the tables.
    pub collections: AtomicU64,
    /// Expansions when the tables were collected last; the largest number before that.
    collected: AtomicU64,
    /// Proof and disproof number of the goal.
    goal: AtomicU64,
    /// Expansions when the goal was taken up.
    begun: AtomicU64,
    /// Expansions with which the next round begins; the largest number if there are no rounds.
    round: AtomicU64,
}

impl Default for Counters {
    fn default() -> Self {
        let [collected, round] = [(); 2].map(|()| AtomicU64::new(u64::MAX));
        let [expansions, generations, children, facts, collections, goal, begun] =
            [(); 7].map(|()| AtomicU64::new(0));
        Self {
            expansions,
            generations,
            children,
            facts,
            collections,
            collected,
            goal,
            begun,
            round,
        }
    }
}

impl Counters {
    /// The figures of a search that has `lands` lands, `nodes` nodes and `bytes` bytes in its
    /// tables.
    pub fn figures(&self, [lands, nodes, bytes]: [usize; 3]) -> Figures {
        let Numbers { proof, disproof } = self.goal();
        Figures {
            expansions: self.expansions.load(Relaxed),
            generations: self.generations.load(Relaxed),
            children: self.children.load(Relaxed),
            lands: lands as u64,
            nodes: nodes as u64,
            facts: self.facts.load(Relaxed),
            bytes: bytes as u64,
            collections: self.collections.load(Relaxed),
            proof,
            disproof,
        }
    }

    /// The numbers of the goal in work.
    pub fn goal(&self) -> Numbers {
        let goal = self.goal.load(Relaxed);
        Numbers { proof: goal as u32, disproof: (goal >> 32) as u32 }
    }

    /// Notes that the goal has these numbers by now.
    pub fn reached(&self, Numbers { proof, disproof }: Numbers) {
        self.goal.store(u64::from(proof) | u64::from(disproof) << 32, Relaxed);
    }

    /// Notes that a goal is taken up, in rounds.
    pub fn begin(&self) {
        let now = self.expansions.load(Relaxed);
        self.begun.store(now, Relaxed);
        self.round.store(now.saturating_add(ROUND), Relaxed);
    }

    /// Whether it is time for a new round. Only one thread is told so.
    pub fn round_is_over(&self) -> bool {
        let (now, due) = (self.expansions.load(Relaxed), self.round.load(Relaxed));
        if now < due {
            return false;
        }
        let next = now + (now.saturating_sub(self.begun.load(Relaxed)) / ROUNDS).max(ROUND);
        self.round.compare_exchange(due, next, Relaxed, Relaxed).is_ok()
    }

    /// Notes that the tables are to be collected. Returns `false` if nothing was done since the
    /// last collection.
    pub(super) fn collect(&self) -> bool {
        let now = self.expansions.load(Relaxed);
        self.collected.swap(now, Relaxed) != now
    }
}
