//! Greedy choice of ways, and local search for smaller proofs.
//!
//! To begin with, needs are won one after the other, the largest first, by the ways that look
//! cheapest; what others need already costs nothing. What facts cost is not known then, and a proof
//! that is made by guesses is many times as large as need be. So it is given up after some facts,
//! from which prices are learned, and is begun again to come further.
//!
//! When it is whole, facts are taken out, or put in, at random. What is missing then is added in the
//! same manner with some noise, and what has become superfluous goes. A change that makes the proof
//! smaller or leaves its size is kept; one that makes it larger is kept with a probability that
//! falls with the growth (simulated annealing: Kirkpatrick, Gelatt and Vecchi 1983).

use rustc_hash::FxHashSet;

use crate::CertifyError;
use crate::bound::bound;
use crate::needs::NeedId;
use crate::prices::Prices;
use crate::proof::Proof;
use crate::random::Random;
use crate::rules::{FactId, Rules};
use crate::ways::WayId;

/// How much prices are blurred while a change is made up for; one is drawn each time.
const NOISE: [f64; 3] = [0.1, 0.5, 2.0];

/// How much prices are blurred when the whole proof is made anew. Every third time they are not.
const RENEWED: f64 = 0.1;

/// The first attempt at a proof is given up when it has looked at this number of facts.
const FIRST_LOOK: usize = 256;

/// Each later attempt is given up when the facts that were looked at have grown by this factor.
const FURTHER: f64 = 1.15;

/// The proof is made anew this often before changes are tried.
const FIRST: u64 = 16;

/// After that, the proof is made anew after as many changes as it has facts, but not after fewer
/// than this.
const LEAST: usize = 512;

/// For each thread, so many needs are looked at to foresee which facts will be added next.
const AHEAD: usize = 32;

/// A proof that is made smaller.
pub(crate) struct Minimizer<R: Rules> {
    proof: Proof<R>,
    random: Random,
    best: Vec<FactId>,
    /// Facts that the change in work shall do without.
    banned: Vec<FactId>,
    prices: Prices,
    /// Changes to be tried before the proof is made anew.
    wait: usize,
    /// How often it was made anew.
    renewals: u64,
}

impl<R: Rules> Minimizer<R> {
    /// Makes a proof whole; `None` if that is impossible.
    ///
    /// # Errors
    /// [`CertifyError`] when facts contradict each other.
    pub fn begun(proof: Proof<R>, seed: u64) -> Result<Option<Self>, CertifyError> {
        let mut begun = Self {
            proof,
            random: Random(seed),
            best: Vec::new(),
            banned: Vec::new(),
            prices: Prices::default(),
            wait: 0,
            renewals: 0,
        };
        Ok(begun.begin()?.then_some(begun))
    }

    /// The facts of the smallest proof so far.
    pub fn best(&self) -> &[FactId] {
        &self.best
    }

    /// The number of facts that every proof has at least, as far as `go_on` lets it look.
    pub fn bound(&mut self, go_on: impl FnMut() -> bool) -> usize {
        bound(&mut self.proof, go_on)
    }

    #[cfg(test)]
    pub fn proof_mut(&mut self) -> &mut Proof<R> {
        &mut self.proof
    }

    pub fn rules(&self) -> &R {
        &self.proof.rules
    }

    fn begin(&mut self) -> Result<bool, CertifyError> {
        // What an earlier proof has is kept as it is.
        let mut most = if self.proof.is_bare() { FIRST_LOOK } else { usize::MAX };
        let done = loop {
            match self.complete(0.0, most)? {
                Completed::Whole => break true,
                Completed::Impossible => break false,
                Completed::Partly => {
                    self.prices.learn(&self.proof);
                    self.proof.discard();
                    most = (self.proof.count_explored as f64 * FURTHER) as usize;
                }
            }
        };
        if !done || !self.proof.is_whole() {
            return Ok(false);
        }
        // The proof may begin with more than it needs.
        self.proof.suspect_all();
        self.proof.sweep(&[]);
        self.proof.accept();
        self.best = self.proof.members().to_vec();
        Ok(true)
    }

    /// Tries `steps` changes. To make the proof anew counts as all of them.
    pub fn minimize(&mut self, steps: u64, temperature: f64) -> Result<(), CertifyError> {
        for _ in 0..steps {
            if self.wait == 0 {
                return self.renew();
            }
            self.wait -= 1;
            let before = self.proof.members().len() as f64;
            let done = self.change()? && self.proof.is_whole();
            let growth = self.proof.members().len() as f64 - before;
            let keep = growth <= 0.0 || self.random.unit() < (-growth / temperature).exp();
            self.settle(done && keep);
        }
        Ok(())
    }

    /// Makes the whole proof anew, by the prices that the last one teaches.
    fn renew(&mut self) -> Result<(), CertifyError> {
        self.prices.learn(&self.proof);
        let before = self.proof.members().len();
        self.proof.clear();
        let noise = if self.renewals.is_multiple_of(3) { 0.0 } else { RENEWED };
        let done = self.make_whole(noise)? && self.proof.is_whole();
        self.proof.suspect_all();
        self.proof.sweep(&[]);
        self.settle(done && self.proof.members().len() <= before);
        self.renewals += 1;
        let members = self.proof.members().len();
        self.wait = if self.renewals < FIRST { 0 } else { members.max(LEAST) };
        Ok(())
    }

    /// Keeps what was changed, or takes it back.
    fn settle(&mut self, keep: bool) {
        if keep {
            self.proof.accept();
            if self.proof.members().len() < self.best.len() {
                self.best = self.proof.members().to_vec();
            }
        } else {
            self.proof.undo();
        }
    }

    /// Makes one change, and what follows from it. `false` if it is impossible.
    fn change(&mut self) -> Result<bool, CertifyError> {
        if self.proof.members().is_empty() {
            return Ok(false);
        }
        if self.random.below(3) > 0 { self.do_without() } else { self.do_with() }
    }

    /// Takes out a fact or several.
    fn do_without(&mut self) -> Result<bool, CertifyError> {
        loop {
            if let Some(fact) = self.any_member().filter(|&fact| !self.proof.is_pinned(fact)) {
                self.banned.push(fact);
                self.proof.remove(fact);
            }
            if self.random.below(2) == 0 {
                break;
            }
        }
        // If what they needed goes too, the same need not be needed again.
        if self.random.below(2) == 0 {
            self.proof.sweep(&[]);
        }
        let noise = NOISE[self.random.below(NOISE.len())];
        let done = self.make_whole(noise)?;
        self.banned.clear();
        self.proof.sweep(&[]);
        Ok(done)
    }

    /// Wins something in yet another way.
    fn do_with(&mut self) -> Result<bool, CertifyError> {
        let Self { proof, random, .. } = self;
        let members = proof.members();
        let needs = proof.needs_of(members[random.below(members.len())]);
        if needs.is_empty() {
            return Ok(false);
        }
        let all = &proof.needs.ways;
        let ways = proof.needs.ways_of(needs[random.below(needs.len())]);
        let way = ways.start + random.below(ways.len()) as WayId;
        if all.is_dead(way) || all.holds(way) {
            return Ok(false);
        }
        let facts = lacking(proof, all.facts(way));
        self.add(&facts)?;
        let noise = NOISE[self.random.below(NOISE.len())];
        if !self.make_whole(noise)? {
            return Ok(false);
        }
        // The new facts would be the first to be superfluous; give the others the chance to go.
        self.proof.sweep(&facts);
        self.proof.sweep(&[]);
        Ok(true)
    }

    fn any_member(&mut self) -> Option<FactId> {
        let members = self.proof.members();
        (!members.is_empty()).then(|| members[self.random.below(members.len())])
    }

    /// Adds facts until all that is needed is won, the largest first. `false` if something cannot be
    /// won.
    fn make_whole(&mut self, noise: f64) -> Result<bool, CertifyError> {
        Ok(self.complete(noise, usize::MAX)? == Completed::Whole)
    }

    /// Adds facts until all that is needed is won, the largest first, or as many as `most` facts
    /// have been looked at in all.
    fn complete(&mut self, noise: f64, most: usize) -> Result<Completed, CertifyError> {
        let blur = Blur { noise, salt: self.random.next() };
        while let Some(need) = self.proof.next_open() {
            if self.proof.count_explored >= most {
                return Ok(Completed::Partly);
            }
            let Some(facts) = self.cheapest(need, blur) else { return Ok(Completed::Impossible) };
            self.foresee(&facts, blur);
            self.add(&facts)?;
            // One of them may have turned out to be dead.
            self.proof.look_again(need);
        }
        Ok(Completed::Whole)
    }

    fn add(&mut self, facts: &[FactId]) -> Result<(), CertifyError> {
        facts.iter().try_for_each(|&fact| self.proof.add(fact))
    }

    /// If it is not known what some facts need, works that out on all threads, with facts that are
    /// likely to be added next.
    fn foresee(&mut self, facts: &[FactId], blur: Blur) {
        let threads = self.proof.rules.threads();
        if threads == 1 || !facts.iter().any(|&fact| self.proof.is_unknown(fact)) {
            return;
        }
        let soon = self.proof.soon_open(threads * AHEAD);
        let next = soon.into_iter().filter_map(|need| self.cheapest(need, blur)).flatten();
        let mut all: Vec<FactId> = facts.iter().copied().chain(next).collect();
        all.retain(|&fact| self.proof.is_unknown(fact));
        let mut met = FxHashSet::default();
        all.retain(|&fact| met.insert(fact));
        self.proof.rules.foresee(&all);
    }

    /// The facts that the cheapest way to win what is needed lacks.
    fn cheapest(&self, need: NeedId, blur: Blur) -> Option<Vec<FactId>> {
        let Self { proof, banned, prices, .. } = self;
        let mut least: Option<(f64, &[FactId])> = None;
        for way in proof.needs.ways_of(need) {
            let facts = proof.needs.ways.facts(way);
            if proof.needs.ways.is_dead(way) || facts.iter().any(|fact| banned.contains(fact)) {
                continue;
            }
            let lacking = facts.iter().filter(|&&fact| !proof.is_member(fact));
            let price: f64 =
                lacking.map(|&fact| prices.of(proof, fact) / proof.demand_for(fact) as f64).sum();
            let price = blur.of(price, way);
            if least.is_none_or(|(less, _)| price < less) {
                least = Some((price, facts));
            }
        }
        least.map(|(_, facts)| lacking(proof, facts))
    }
}

/// What became of an attempt to make a proof whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Completed {
    Whole,
    /// Something cannot be won.
    Impossible,
    /// As many facts as allowed were looked at.
    Partly,
}

/// How prices are blurred. It depends on the ways alone: so it can be foreseen which one is chosen.
#[derive(Clone, Copy)]
struct Blur {
    noise: f64,
    salt: u64,
}

impl Blur {
    fn of(self, price: f64, way: WayId) -> f64 {
        let mut random = Random(self.salt ^ u64::from(way));
        // The last term breaks ties.
        price * (1.0 + self.noise * random.unit()) + 1e-9 * random.unit()
    }
}

/// Those of some facts that are not in the proof.
fn lacking<R: Rules>(proof: &Proof<R>, facts: &[FactId]) -> Vec<FactId> {
    facts.iter().copied().filter(|&fact| !proof.is_member(fact)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rules::Way;

    /// The number of things that fact 0 needs.
    const NEEDS: u32 = 300;
    /// What each small fact rests on.
    const BELOW: u32 = 4;

    /// Each need is won by a fact that rests on nothing. Every second need can be won by a smaller
    /// fact as well, which looks cheaper and rests on four others.
    struct Traps;

    const PLAIN: FactId = 1;
    const TRAP: FactId = PLAIN + NEEDS;
    const UNDER: FactId = TRAP + NEEDS;

    impl Rules for Traps {
        type Need = u32;

        fn count(&self) -> usize {
            (UNDER + BELOW * NEEDS) as usize
        }

        fn size(&self, fact: FactId) -> u16 {
            match fact {
                0 => 60,
                PLAIN..TRAP => 40,
                TRAP..UNDER => 39,
                UNDER.. => 10,
            }
        }

        fn needs(&mut self, fact: FactId) -> Result<Vec<u32>, CertifyError> {
            Ok(match fact {
                0 => (0..NEEDS).collect(),
                TRAP..UNDER => {
                    let first = NEEDS + BELOW * (fact - TRAP);
                    (first..first + BELOW).collect()
                }
                _ => Vec::new(),
            })
        }

        fn size_of(&self, &need: &u32) -> u16 {
            if need < NEEDS { 50 } else { 20 }
        }

        fn ways(&mut self, &need: &u32) -> Result<Vec<Way>, CertifyError> {
            let facts = match need {
                ..NEEDS if need.is_multiple_of(2) => vec![PLAIN + need, TRAP + need],
                ..NEEDS => vec![PLAIN + need],
                _ => vec![UNDER + need - NEEDS],
            };
            Ok(facts.into_iter().map(|fact| Way::from([fact])).collect())
        }
    }

    #[test]
    fn the_first_proof_knows_prices() {
        let mut proof = Proof::new(Traps, Arc::default());
        assert!(proof.pin(0).expect("it can be proved"));
        let begun = Minimizer::begun(proof, 1).expect("no contradiction").expect("a proof");
        assert_eq!(begun.best().len() as u32, 1 + NEEDS, "no trap was taken");
    }
}
