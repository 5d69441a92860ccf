//! How many facts every proof has at least.
//!
//! A *cut* is a set of facts of which every proof has at least one: without them, what is to be
//! proved cannot be. Of cuts that have no fact in common, a proof has a fact each. So there are no
//! fewer facts in it than there are such cuts.
//!
//! What is bounded are the proofs that a search could make here: from the known facts, those of
//! small lands included, by the ways that [`Rules::ways`] tells. Other facts may give smaller ones.
//! So may a way that the rules leave out, such as a move in one land that makes another, unknown
//! one cancel. A fact whose needs have not been worked out counts as one that needs nothing, which
//! makes the bound lower and leaves it true.
//!
//! Cuts are found one after the other, from what is to be proved down. Facts of a cut are *paid*:
//! no later cut may have them. A paid fact can only be kept out of a proof through something that
//! it needs: of each way to win that, some fact must be kept out. What that takes at least, in
//! facts that are not paid, is estimated by prices. They are sums, as if no two ways had anything
//! in common, so what a cut can do without is taken out of it afterwards (`spare.rs`). Prices only
//! say where to look. Whether something can be proved without a cut is found out without them.
//!
//! This is the dual ascent of Wong (1984) for Steiner trees, for facts that all cost 1.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::needs::NeedId;
use crate::proof::Proof;
use crate::rules::{FactId, Rules};
use crate::spare::Spare;

/// The price in a cut of a fact that is in the proof. Each cut has at least one of the smallest
/// proof, and the fewer it has, the more are left for other cuts.
const MEMBER: u32 = 20;

/// The price of any other fact.
const STRANGER: u32 = 1;

/// No other price is higher.
const MOST: u32 = 1 << 31;

/// The price of what no further cut can keep out.
const NEVER: u32 = u32::MAX;

/// Finds cuts that have no fact in common.
pub(crate) struct Cuts<'a, R: Rules> {
    proof: &'a mut Proof<R>,
    paid: Vec<bool>,
    /// What it takes to keep out each fact: 0 if it is dead.
    facts: Vec<u32>,
    /// What it takes to keep out one fact of each way.
    ways: Vec<u32>,
    /// What it takes to keep out all ways of each need.
    needs: Vec<Sum>,
    /// The number of the last cut that keeps out each fact.
    marks: Vec<u32>,
    count: u32,
    spare: Spare,
}

/// A sum of prices.
#[derive(Clone, Copy, Default)]
struct Sum {
    sum: u64,
    /// How many of them are [`NEVER`].
    never: u32,
}

impl Sum {
    fn add(&mut self, price: u32) {
        match price {
            NEVER => self.never += 1,
            price => self.sum += u64::from(price),
        }
    }

    fn subtract(&mut self, price: u32) {
        match price {
            NEVER => self.never -= 1,
            price => self.sum -= u64::from(price),
        }
    }

    fn price(self) -> u32 {
        if self.never > 0 { NEVER } else { self.sum.min(MOST.into()) as u32 }
    }
}

/// What a cut keeps out of proofs.
struct Keeping {
    /// Facts of the cut.
    cut: Vec<FactId>,
    /// Needs all of whose ways have to be kept out.
    open: Vec<NeedId>,
}

/// The number of facts that every proof has at least. It looks for as long as `go_on` says.
pub(crate) fn bound<R: Rules>(proof: &mut Proof<R>, mut go_on: impl FnMut() -> bool) -> usize {
    let mut cuts = Cuts::new(proof);
    let mut count = 0;
    while go_on() && cuts.another().is_some() {
        count += 1;
    }
    count
}

impl<'a, R: Rules> Cuts<'a, R> {
    pub fn new(proof: &'a mut Proof<R>) -> Self {
        let mut cuts = Self {
            proof,
            paid: Vec::new(),
            facts: Vec::new(),
            ways: Vec::new(),
            needs: Vec::new(),
            marks: Vec::new(),
            count: 0,
            spare: Spare::default(),
        };
        cuts.extend();
        cuts
    }

    /// A cut of facts that are in no earlier one; `None` if none is found.
    pub fn another(&mut self) -> Option<Vec<FactId>> {
        let mut cut = self.guess()?;
        // The dear ones go first, and of equal ones the large ones.
        let Self { proof, facts, paid, spare, .. } = self;
        cut.sort_by_key(|&fact| Reverse((facts[fact as usize], proof.rules.size(fact), fact)));
        if !spare.take_out(proof, paid, &mut cut) {
            return None;
        }
        self.pay(&cut);
        Some(cut)
    }

    /// Facts that look like a small cut.
    fn guess(&mut self) -> Option<Vec<FactId>> {
        self.count += 1;
        let mut keeping = Keeping { cut: Vec::new(), open: Vec::new() };
        let Proof { pinned, demanded, .. } = &*self.proof;
        let fact = pinned.iter().copied().min_by_key(|&fact| self.facts[fact as usize]);
        let need = demanded.iter().copied().min_by_key(|&need| self.needs[need as usize].price());
        let fact_price = fact.map_or(NEVER, |fact| self.facts[fact as usize]);
        let need_price = need.map_or(NEVER, |need| self.needs[need as usize].price());
        match (fact, need) {
            _ if fact_price.min(need_price) == NEVER => return None,
            (Some(fact), _) if fact_price <= need_price => self.keep_out(fact, &mut keeping),
            (_, need) => keeping.open.extend(need),
        }
        while let Some(need) = keeping.open.pop() {
            for way in self.proof.needs.ways_of(need) {
                let all = &self.proof.needs.ways;
                let is_out = |fact: &FactId| self.marks[*fact as usize] == self.count;
                if all.is_dead(way) || all.facts(way).iter().any(is_out) {
                    continue;
                }
                let facts = all.facts(way).iter().copied();
                if let Some(fact) = facts.min_by_key(|&fact| self.facts[fact as usize]) {
                    self.keep_out(fact, &mut keeping);
                }
            }
        }
        Some(keeping.cut)
    }

    /// Keeps a fact out: by itself, or, if it is paid, by what is cheapest among its needs.
    fn keep_out(&mut self, fact: FactId, keeping: &mut Keeping) {
        self.marks[fact as usize] = self.count;
        if self.paid[fact as usize] {
            let needs = self.proof.needs_of(fact).iter().copied();
            keeping.open.extend(needs.min_by_key(|&need| self.needs[need as usize].price()));
        } else {
            keeping.cut.push(fact);
        }
    }

    /// Notes facts as paid, and works out what they need.
    fn pay(&mut self, cut: &[FactId]) {
        if self.proof.rules.threads() > 1 {
            let unknown = cut.iter().copied().filter(|&fact| self.proof.is_unknown(fact));
            let unknown: Vec<FactId> = unknown.collect();
            self.proof.rules.foresee(&unknown);
        }
        for &fact in cut {
            self.paid[fact as usize] = true;
            // Whatever goes wrong, the fact counts as one that needs nothing.
            let _ = self.proof.explore(fact);
        }
        self.extend();
        self.update(cut);
    }

    /// Takes in what was worked out.
    fn extend(&mut self) {
        let Self { proof, .. } = self;
        let all = &proof.needs;
        let count = proof.rules.count().max(all.taking.len());
        self.paid.resize(count, false);
        self.marks.resize(count, 0);
        for fact in self.facts.len() as FactId..count as FactId {
            self.facts.push(own_price(proof, fact));
        }
        for way in self.ways.len() as u32..all.ways.len() {
            let price =
                if all.ways.is_dead(way) { 0 } else { least(&self.facts, all.ways.facts(way)) };
            self.ways.push(price);
        }
        for need in self.needs.len() as NeedId..all.needs.len() as NeedId {
            let mut sum = Sum::default();
            all.ways_of(need).for_each(|way| sum.add(self.ways[way as usize]));
            self.needs.push(sum);
        }
    }

    /// Finds the prices of some facts, and of what rests on them, from the small to the large.
    fn update(&mut self, changed: &[FactId]) {
        let Self { proof, paid, facts, ways, needs, .. } = self;
        let (rules, all) = (&proof.rules, &proof.needs);
        let entry = |fact: FactId| (Reverse(rules.size(fact)), fact);
        let mut queue: BinaryHeap<_> = changed.iter().map(|&fact| entry(fact)).collect();
        while let Some((_, fact)) = queue.pop() {
            let price = if proof.is_dead(fact) || !paid[fact as usize] {
                own_price(proof, fact)
            } else {
                let needs = proof.needs_of(fact).iter().map(|&need| needs[need as usize].price());
                needs.min().unwrap_or(NEVER)
            };
            if std::mem::replace(&mut facts[fact as usize], price) == price {
                continue;
            }
            for &way in all.taking(fact) {
                let price = least(facts, all.ways.facts(way));
                let old = std::mem::replace(&mut ways[way as usize], price);
                let need = all.ways.need(way);
                let sum = &mut needs[need as usize];
                let before = sum.price();
                sum.subtract(old);
                sum.add(price);
                if sum.price() == before {
                    continue;
                }
                let users = all.needs[need as usize].needing.iter().copied();
                let users = users.filter(|&user| paid[user as usize] || proof.is_dead(user));
                queue.extend(users.map(entry));
            }
        }
    }
}

/// What it takes to keep a fact out by itself.
fn own_price<R: Rules>(proof: &Proof<R>, fact: FactId) -> u32 {
    match (proof.is_dead(fact), proof.is_member(fact)) {
        (true, _) => 0,
        (_, true) => MEMBER,
        _ => STRANGER,
    }
}

/// What it takes to keep out one of some facts.
fn least(prices: &[u32], facts: &[FactId]) -> u32 {
    facts.iter().map(|&fact| prices[fact as usize]).min().unwrap_or(NEVER)
}
