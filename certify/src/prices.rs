//! What facts cost, learned from the proofs that were made so far.
//!
//! A fact costs itself and what it needs, and a fact that several need is paid for by all of them.
//! So in a proof every fact has a share of the whole: 1 for itself, and of each fact that it rests
//! on an equal part among all that rest on that fact. A fact that is not in the proof costs what it
//! would take to put it in, by the same prices.

use crate::proof::Proof;
use crate::rules::{FactId, Rules};

/// A fact whose needs are not known is taken to cost this part of the mean of the known ones of its
/// size. So it gets its chance, once: as soon as it is picked it is looked at, and has a price of
/// its own from then on.
const HOPE: f64 = 0.1;

/// No price is higher.
const MOST: f64 = 1e9;

/// Before anything was learned, costs are taken to double with this number of lives.
const DOUBLING: f64 = 8.0;

/// What facts are expected to cost.
#[derive(Default)]
pub(crate) struct Prices {
    /// By fact; 0: nothing is known.
    prices: Vec<f32>,
    /// By size, for facts of which nothing is known.
    guesses: Vec<f32>,
}

/// What is paid for a fact in a proof.
#[derive(Clone, Copy, Default)]
struct Share {
    /// What it costs as a whole; 0: nothing is known.
    whole: f32,
    /// Uses of it. The fact behind each pays its part.
    users: u32,
}

impl Prices {
    /// What a fact is expected to cost that is not in the proof.
    pub fn of<R: Rules>(&self, proof: &Proof<R>, fact: FactId) -> f64 {
        match self.prices.get(fact as usize) {
            Some(&price) if price > 0.0 => price.into(),
            _ => self.guess(proof.rules.size(fact)),
        }
    }

    fn guess(&self, size: u16) -> f64 {
        match self.guesses.get(usize::from(size)) {
            Some(&price) if price > 0.0 => price.into(),
            // The larger, the more facts it needs in turn.
            _ => f64::exp2(f64::from(size) / DOUBLING),
        }
    }

    /// Learns from a proof, which need not be whole.
    pub fn learn<R: Rules>(&mut self, proof: &Proof<R>) {
        let mut facts: Vec<(u16, FactId)> =
            proof.explored().map(|fact| (proof.rules.size(fact), fact)).collect();
        facts.sort_unstable();
        let count = proof.rules.count();
        let mut shares = vec![Share::default(); count];
        for &fact in proof.members() {
            for &need in proof.needs_of(fact) {
                for &held in proof.holder(need) {
                    shares[held as usize].users += 1;
                }
            }
        }
        let part = |shares: &[Share], fact: FactId, newcomer: u32| {
            let Share { whole, users } = shares[fact as usize];
            match whole {
                0.0 => self.guess(proof.rules.size(fact)),
                cost => f64::from(cost) / f64::from((users + newcomer).max(1)),
            }
        };
        let mut by_size: Vec<(f64, f64)> = Vec::new();
        let mut prices = vec![0f32; count];
        // From the small to the large: facts rest on smaller ones.
        for &(size, fact) in &facts {
            let newcomer = u32::from(!proof.is_member(fact));
            let cost_of = |way: &[FactId]| -> f64 {
                way.iter().map(|&held| part(&shares, held, newcomer)).sum()
            };
            let needs = proof.needs_of(fact).iter().map(|&need| {
                if newcomer == 0 && proof.is_won(need) {
                    cost_of(proof.holder(need))
                } else {
                    proof.ways_of(need).map(cost_of).fold(MOST, f64::min)
                }
            });
            let cost = (1.0 + needs.sum::<f64>()).min(MOST);
            let share = &mut shares[fact as usize];
            share.whole = cost as f32;
            prices[fact as usize] = (cost / f64::from(share.users.max(1))) as f32;
            let size = usize::from(size);
            by_size.resize(by_size.len().max(size + 1), (0.0, 0.0));
            by_size[size] = (by_size[size].0 + cost, by_size[size].1 + 1.0);
        }
        let mean = |(sum, count): (f64, f64)| (HOPE * sum / f64::max(count, 1.0)) as f32;
        self.guesses = by_size.into_iter().map(mean).collect();
        self.prices = prices;
    }
}
