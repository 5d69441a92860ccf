//! The numbers of a node from those of its options, and the option to go on with.

use super::noise::Noise;
use super::numbers::{Numbers, WeakSum, slack};

/// The option to go on with: the cheapest to prove lost, where options cost more for each other
/// thread that is busy there.
#[derive(Clone, Copy)]
pub struct Choice<W> {
    /// The way into it, and its numbers; `None` without any option.
    pub best: Option<(W, Numbers)>,
    rank: u32,
    next_rank: u32,
}

impl<W: Copy> Choice<W> {
    const NONE: Self = Self { best: None, rank: u32::MAX, next_rank: Numbers::INFINITE };

    #[inline]
    fn add(&mut self, way: W, numbers: Numbers, rank: u32) {
        // A rank may have the largest value there is. Whether an option is open must not depend on
        // its rank.
        if rank < self.rank || self.best.is_none() {
            self.next_rank = self.next_rank.min(self.rank);
            self.rank = rank;
            self.best = Some((way, numbers));
        } else {
            self.next_rank = self.next_rank.min(rank);
        }
    }
}

/// The open options of a node, taken together. `W` is the way into an option.
pub struct Tally<W> {
    noise: Noise,
    /// Where a loss is expected, every option has to be refuted: other threads should work
    /// elsewhere, and other searches in another order.
    in_loss: Choice<W>,
    /// Where a win is expected, one option is enough: work of others elsewhere is wasted if the
    /// best option wins.
    in_win: Choice<W>,
    least_disproof: u32,
    proofs: WeakSum,
    /// The two largest proof numbers.
    largest: [u32; 2],
}

impl<W: Copy> Tally<W> {
    /// The tally of no options.
    #[inline]
    pub fn new(noise: Noise) -> Self {
        Self {
            noise,
            in_loss: Choice::NONE,
            in_win: Choice::NONE,
            least_disproof: Numbers::INFINITE,
            proofs: WeakSum::default(),
            largest: [0; 2],
        }
    }

    /// Adds an option: the way into it, its numbers, and how many threads are at work there. `hash`
    /// tells options apart, and is called only if there is noise.
    #[inline]
    pub fn add(&mut self, way: W, numbers: Numbers, busy: u32, hash: impl FnOnce() -> u32) {
        self.proofs.add(numbers.proof);
        if numbers.proof > self.largest[0] {
            self.largest = [numbers.proof, self.largest[0]];
        } else if numbers.proof > self.largest[1] {
            self.largest[1] = numbers.proof;
        }
        let disproof = numbers.disproof;
        self.least_disproof = self.least_disproof.min(disproof);
        let noise = self.noise.of(hash, disproof);
        let rank = disproof.saturating_mul(1 + busy).saturating_add(noise);
        self.in_loss.add(way, numbers, rank);
        self.in_win.add(way, numbers, disproof.saturating_add((disproof / 4).saturating_mul(busy)));
    }

    /// The numbers of the node.
    #[inline]
    pub fn numbers(&self) -> Numbers {
        Numbers { proof: self.least_disproof, disproof: self.proofs.value() }
    }

    /// The option to go on with.
    #[inline]
    pub fn choice(&self) -> &Choice<W> {
        let numbers = self.numbers();
        if numbers.proof > numbers.disproof { &self.in_loss } else { &self.in_win }
    }

    /// How long to go on with an option, whose numbers are `best`, in a node that is left at
    /// `bounds`: until the option's numbers reach these.
    #[inline]
    pub fn bounds(&self, choice: &Choice<W>, best: Numbers, bounds: Numbers) -> Numbers {
        let other = self.largest[usize::from(self.largest[0] == best.proof)];
        let proof = match self.proofs.value() {
            // A loss is out of reach, since another option cannot be decided: the cost of this
            // option's proof is no reason to leave it.
            dear if dear == Numbers::DEAR.disproof => Numbers::INFINITE,
            _ => self.proofs.bound_for(best.proof, other, bounds.disproof).max(best.proof + 1),
        };
        let disproof = bounds.proof.min(slack(choice.next_rank)).max(best.disproof + 1);
        Numbers { proof, disproof }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Once an option with the largest rank there is was taken for none, and a node with an option
    /// left was proved lost.
    #[test]
    fn an_option_is_one_whatever_its_rank() {
        let numbers = Numbers { proof: 1, disproof: Numbers::INFINITE - 1 };
        let mut choice = Choice::NONE;
        choice.add(7, numbers, u32::MAX);
        assert!(matches!(choice.best, Some((7, _))));
        choice.add(8, numbers, 5);
        assert!(matches!(choice.best, Some((8, _))));
        assert_eq!(choice.next_rank, Numbers::INFINITE);
    }

    #[test]
    fn threads_are_kept_apart_in_losses_and_together_in_wins() {
        let go = |proofs: [u32; 2], disproofs: [u32; 2]| {
            let mut tally = Tally::new(Noise::NONE);
            for (way, busy) in [(0, 1), (1, 0)] {
                let numbers = Numbers { proof: proofs[way], disproof: disproofs[way] };
                tally.add(way, numbers, busy, || 0);
            }
            tally.choice().best.map(|(way, _)| way)
        };
        assert_eq!(go([10, 10], [100, 120]), Some(1), "a loss is expected");
        assert_eq!(go([1_000, 1_000], [100, 180]), Some(0), "a win is expected");
    }
}
