//! The bound is held against all proofs of small problems, found by trying every set of facts.

use std::sync::Arc;

use super::*;
use crate::CertifyError;
use crate::minimize::Minimizer;
use crate::random::Random;
use crate::rules::Way;

/// Facts of a problem.
const FACTS: usize = 13;

/// Facts and what they rest on, drawn at random.
#[derive(Clone)]
struct Drawn {
    /// What each fact needs.
    needs: Vec<Vec<u32>>,
    /// The ways to win each need.
    ways: Vec<Vec<Way>>,
    /// The fact, or the need, that is demanded.
    goal: Result<FactId, u32>,
}

impl Drawn {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let mut drawn = Self { needs: Vec::new(), ways: Vec::new(), goal: Ok(0) };
        for fact in 0..FACTS {
            let mut needs = Vec::new();
            let larger = FACTS - 1 - fact;
            for _ in 0..if larger > 4 { 1 + random.below(3) } else { random.below(2) } {
                // Some needs are those of several facts.
                let met = drawn.ways.len();
                let is_below = |ways: &Vec<Way>| ways.iter().flatten().all(|&f| f as usize > fact);
                if met > 0 && random.below(4) == 0 {
                    let need = random.below(met);
                    needs.extend(is_below(&drawn.ways[need]).then_some(need as u32));
                } else if larger > 0 {
                    let mut way = || -> Way {
                        let facts = 1 + random.below(3) / 2;
                        let fact = |_| (fact + 1 + random.below(larger.min(5))) as FactId;
                        let mut facts: Vec<FactId> = (0..facts).map(fact).collect();
                        facts.sort_unstable();
                        facts.dedup();
                        facts.into()
                    };
                    let mut ways = vec![way(), way(), way()];
                    // Now and then there is none.
                    ways.truncate(random.below(12).min(3));
                    needs.push(met as u32);
                    drawn.ways.push(ways);
                }
            }
            drawn.needs.push(needs);
        }
        if random.below(3) == 0 && !drawn.ways.is_empty() {
            drawn.goal = Err(0);
        }
        drawn
    }

    /// Whether facts, one a bit, win a need.
    fn is_won(&self, facts: u32, need: u32) -> bool {
        self.ways[need as usize].iter().any(|way| way.iter().all(|fact| facts >> fact & 1 == 1))
    }

    /// All proofs, one fact a bit.
    fn proofs(&self) -> Vec<u32> {
        let has_all = |facts: u32, fact: u32| {
            self.needs[fact as usize].iter().all(|&need| self.is_won(facts, need))
        };
        let is_proof = |&facts: &u32| {
            let proves = match self.goal {
                Ok(fact) => facts >> fact & 1 == 1,
                Err(need) => self.is_won(facts, need),
            };
            proves && (0..FACTS as u32).all(|fact| facts >> fact & 1 == 0 || has_all(facts, fact))
        };
        (0..1 << FACTS).filter(is_proof).collect()
    }

    /// A proof, as the search for small ones makes it.
    fn begun(&self) -> Option<Minimizer<Self>> {
        let mut proof = Proof::new(self.clone(), Arc::default());
        match self.goal {
            Ok(fact) => proof.pin(fact).expect("nothing contradicts").then_some(())?,
            Err(need) => proof.demand(need).expect("nothing contradicts"),
        }
        Minimizer::begun(proof, 1).expect("nothing contradicts")
    }
}

impl Rules for Drawn {
    type Need = u32;

    fn count(&self) -> usize {
        FACTS
    }

    fn size(&self, fact: FactId) -> u16 {
        FACTS as u16 - fact as u16
    }

    fn needs(&mut self, fact: FactId) -> Result<Vec<u32>, CertifyError> {
        Ok(self.needs[fact as usize].clone())
    }

    fn size_of(&self, _: &u32) -> u16 {
        1
    }

    fn ways(&mut self, &need: &u32) -> Result<Vec<Way>, CertifyError> {
        Ok(self.ways[need as usize].clone())
    }
}

#[test]
fn every_proof_has_a_fact_of_each_cut() {
    let (mut proved, mut reached, mut several) = (0, 0, 0);
    for seed in 0..400 {
        let drawn = Drawn::new(seed);
        let proofs = drawn.proofs();
        let Some(least) = proofs.iter().map(|proof| proof.count_ones()).min() else {
            assert!(drawn.begun().is_none(), "seed {seed}");
            continue;
        };
        let mut begun = drawn.begun().expect("there is one");
        let mut cuts = Cuts::new(begun.proof_mut());
        let (mut met, mut count) = (0u32, 0);
        while let Some(cut) = cuts.another() {
            let cut: u32 = cut.iter().map(|fact| 1 << fact).sum();
            assert_eq!(met & cut, 0, "seed {seed}: a fact counts twice");
            assert!(proofs.iter().all(|proof| proof & cut != 0), "seed {seed}: no cut");
            met |= cut;
            count += 1;
        }
        assert!(count <= least, "seed {seed}: {count}, but {least} are enough");
        proved += 1;
        reached += u32::from(count == least);
        several += u32::from(least > 3);
    }
    assert!(several > 100 && reached > proved / 2, "{reached} of {proved}, {several}");
}

#[test]
fn one_more_would_be_too_much() {
    let above = |seed| {
        let drawn = Drawn::new(seed);
        let least = drawn.proofs().iter().map(|proof| proof.count_ones()).min()?;
        let bound = bound(drawn.begun()?.proof_mut(), || true) + 1;
        (bound > least as usize).then_some(seed)
    };
    assert!((0..400).filter_map(above).count() > 100, "the test before would notice");
}

#[test]
fn who_stops_early_gets_less() {
    let drawn = (0..400)
        .map(Drawn::new)
        .find(|drawn| drawn.begun().is_some_and(|mut begun| bound(begun.proof_mut(), || true) > 4));
    let mut left = 3;
    let stopped = bound(drawn.expect("some").begun().expect("as before").proof_mut(), || {
        left -= 1;
        left >= 0
    });
    assert_eq!(stopped, 3);
}
