//! Proof and disproof numbers (Allis 1994) of couples and of sums.

use sprig_engine::{CanonicalPosition, Nimber};
use sprig_proto::{Conclusion, Outcome};
use sprig_search::Question;

use super::{Couple, LandId, Options, Root, Tree, bit, heaps};

/// Estimated work left to prove a win, and to prove a loss. The unit is that of the workers' searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// Proof number.
    pub proof: u32,
    /// Disproof number.
    pub disproof: u32,
}

/// Of what is impossible.
const INFINITE: u32 = u32::MAX;
/// Largest number of an open couple.
const LARGEST: u32 = u32::MAX / 4;

impl Numbers {
    pub(super) const WIN: Self = Self { proof: 0, disproof: INFINITE };
    pub(super) const LOSS: Self = Self { proof: INFINITE, disproof: 0 };

    /// Numbers of an open couple, brought into range.
    pub(super) fn open(proof: u64, disproof: u64) -> Self {
        let range = |n: u64| u32::try_from(n.clamp(1, LARGEST.into())).expect("in range");
        Self { proof: range(proof), disproof: range(disproof) }
    }

    pub(super) fn outcome(self) -> Option<Outcome> {
        match self {
            Self::WIN => Some(Outcome::Win),
            Self::LOSS => Some(Outcome::Loss),
            _ => None,
        }
    }

    /// The numbers of a couple from those of its options: the mover needs one lost option, the other player a win
    /// in each. The disproof number is the weak one, max + (sum - max) / 4, since options share most of their lands.
    pub(super) fn of_options(options: impl IntoIterator<Item = Self>) -> Self {
        let (mut proof, mut sum, mut max) = (INFINITE, 0u64, 0u64);
        for option in options {
            if option == Self::LOSS {
                return Self::WIN;
            }
            if option != Self::WIN {
                proof = proof.min(option.disproof);
                sum += u64::from(option.proof);
                max = max.max(option.proof.into());
            }
        }
        if proof == INFINITE {
            return Self::LOSS;
        }
        Self::open(proof.into(), max + (sum - max) / 4)
    }
}

/// A sum, reduced by what is known of its lands.
pub(super) enum Sum {
    /// No unknown land is left, only the heap.
    Heap(Nimber),
    /// One unknown land.
    One(Couple),
    /// More; their nimbers are needed.
    Many(Vec<LandId>),
}

impl Tree {
    /// Known lands leave the sum and are xor-ed into the heap.
    pub(super) fn reduce(&self, lands: &[LandId], mut heap: Nimber) -> Sum {
        let mut unknown = Vec::new();
        for &land in lands {
            match self.node(land).nimber {
                Some(nimber) => heap = heap.nim_sum(nimber),
                None => unknown.push(land),
            }
        }
        match unknown[..] {
            [] => Sum::Heap(heap),
            [land] => Sum::One(Couple { land, heap }),
            _ => Sum::Many(unknown),
        }
    }

    /// The numbers of the sum of lands and a heap.
    pub(super) fn sum(&self, lands: &[LandId], heap: Nimber) -> Numbers {
        match self.reduce(lands, heap) {
            Sum::Heap(Nimber::ZERO) => Numbers::LOSS,
            Sum::Heap(_) => Numbers::WIN,
            Sum::One(couple) => self.couple(couple),
            Sum::Many(unknown) => {
                let effort = unknown.iter().map(|&land| u64::from(self.nimber_effort(land))).sum();
                Numbers::open(effort, effort)
            }
        }
    }

    /// Estimated work to find the nimber of an unknown land.
    pub(super) fn nimber_effort(&self, land: LandId) -> u32 {
        let numbers = self.couple(self.least_open(land));
        numbers.proof.min(numbers.disproof)
    }

    /// The couple that decides next about the nimber of an unknown land.
    pub(super) fn least_open(&self, land: LandId) -> Couple {
        let won = self.node(land).won;
        let heap = heaps().find(|&heap| won & bit(heap) == 0);
        Couple { land, heap: heap.expect("a land's nimber is within range") }
    }

    /// The numbers of a couple, with the virtual loss of a lease on it.
    pub(super) fn couple(&self, couple: Couple) -> Numbers {
        let node = self.node(couple.land);
        match node.nimber {
            Some(nimber) if nimber == couple.heap => return Numbers::LOSS,
            Some(_) => return Numbers::WIN,
            None if node.won & bit(couple.heap) != 0 => return Numbers::WIN,
            None => {}
        }
        match node.open.get(&couple.heap) {
            // Whoever comes next shall look elsewhere first.
            Some(open) if open.leased => {
                let Numbers { proof, disproof } = open.numbers;
                Numbers::open(u64::from(proof) * 2, u64::from(disproof) * 2)
            }
            Some(open) => open.numbers,
            None => self.start_numbers(couple),
        }
    }

    /// The numbers of a couple that nobody has worked on.
    pub(super) fn start_numbers(&self, couple: Couple) -> Numbers {
        let size = u64::from(1 + self.node(couple.land).lives) + u64::from(couple.heap.get());
        Numbers::open(size, size)
    }

    /// The numbers of a couple as its options give them; none while it is a leaf.
    pub(super) fn by_options(&self, couple: Couple) -> Option<Numbers> {
        let Options::Known(options) = &self.node(couple.land).options else { return None };
        let moves = options.iter().map(|lands| self.sum(lands, couple.heap));
        let smaller = heaps().take(couple.heap.get().into());
        let heap_moves = smaller.map(|heap| self.couple(Couple { heap, ..couple }));
        Some(Numbers::of_options(moves.chain(heap_moves)))
    }

    /// The answer to a root, once it is known.
    pub fn conclusion(&self, root: &Root) -> Option<Conclusion> {
        let nimber = match self.reduce(&root.lands, Nimber::ZERO) {
            Sum::Heap(nimber) => Some(nimber),
            _ => None,
        };
        let outcome = match root.question {
            Question::Nimber => {
                self.sum(&root.lands, Nimber::ZERO).outcome().filter(|_| nimber.is_some())
            }
            Question::Outcome { heap } => self.sum(&root.lands, heap).outcome(),
        };
        outcome.map(|outcome| Conclusion { outcome, nimber })
    }

    /// The canonical position of a root's lands.
    pub fn position(&self, root: &Root) -> CanonicalPosition {
        CanonicalPosition::from_lands(root.lands.iter().map(|&land| self.land(land).clone()))
    }
}
