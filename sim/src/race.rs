//! A race in lockstep: several real searches of one goal in one process, taken in turns.
//!
//! Each has tables and noise of its own, and hears what the others have proved when all have done their slice: so the slice is
//! the delay of the network, in expansions. The same race ends the same way every time, on any machine under any load.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use sprig_domain::{Goal, LandNimber, Verdict};
use sprig_engine::CanonicalLand;
use sprig_search::{Limits, Noise, Observer, Solver};

/// A race.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// How many search.
    pub workers: u32,
    /// Expansions of each before it hears from the others.
    pub slice: u64,
    /// Memory of each, in bytes.
    pub memory: usize,
}

/// How a race has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finish {
    /// The answer.
    pub verdict: Verdict,
    /// Expansions of each search.
    pub expansions: Vec<u64>,
    /// Lands whose nimber was proved.
    pub facts: usize,
    /// Facts that were proved by more than one search.
    pub repeated: usize,
}

/// Keeps what a search proves in its slice.
#[derive(Default)]
struct Gathered(Mutex<Vec<LandNimber>>);

impl Observer for Gathered {
    fn stop(&self) -> bool {
        false
    }

    fn proved(&self, fact: LandNimber) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(fact);
    }
}

impl Race {
    /// Races for a goal.
    ///
    /// # Errors
    /// When a search cannot go on, for want of memory say.
    pub fn run(&self, goal: &Goal) -> Result<Finish, String> {
        let limits = Limits { memory: self.memory, threads: 1 };
        let solvers: Vec<Solver> = (0..self.workers)
            .map(|worker| {
                let solver = Solver::new(limits);
                solver.differ(Noise(worker));
                solver
            })
            .collect();
        let mut provers: HashMap<CanonicalLand, usize> = HashMap::new();
        loop {
            let (mut verdict, mut news) = (None, Vec::new());
            for solver in &solvers {
                let gathered = Gathered::default();
                let came = solver.solve(goal.position(), goal.question(), self.slice, &gathered);
                let came = came.map_err(|error| error.to_string())?;
                if !matches!(came, Verdict::Open { .. }) {
                    verdict = verdict.or(Some(came));
                }
                news.push(gathered.0.into_inner().unwrap_or_else(PoisonError::into_inner));
            }
            for fact in news.iter().flatten() {
                *provers.entry(fact.land.clone()).or_default() += 1;
            }
            if let Some(verdict) = verdict {
                let expansions = solvers.iter().map(|solver| solver.figures().expansions);
                return Ok(Finish {
                    verdict,
                    expansions: expansions.collect(),
                    facts: provers.len(),
                    repeated: provers.values().filter(|&&provers| provers > 1).count(),
                });
            }
            for (listener, solver) in solvers.iter().enumerate() {
                let of_others = news.iter().enumerate().filter(|(author, _)| *author != listener);
                for fact in of_others.flat_map(|(_, facts)| facts) {
                    solver.learn(fact).map_err(|error| error.to_string())?;
                }
            }
        }
    }
}

impl Finish {
    /// Expansions of the busiest search, which is the time that the race has taken.
    pub fn busiest(&self) -> u64 {
        self.expansions.iter().copied().max().unwrap_or(0)
    }
}

impl fmt::Display for Finish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: u64 = self.expansions.iter().sum();
        let share = 100.0 * self.repeated as f64 / self.facts.max(1) as f64;
        write!(
            f,
            "{} workers: busiest {} expansions, all {all}; {} facts, {share:.0} % of them proved more than once",
            self.expansions.len(),
            self.busiest(),
            self.facts,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth;

    const RACE: Race = Race { workers: 1, slice: 100, memory: truth::MEMORY };

    #[test]
    fn one_that_is_alone_searches_as_ever() {
        let goal = truth::outcome_of(12);
        let unbroken = Race { slice: u64::MAX, ..RACE }.run(&goal).expect("it is solved");
        assert_eq!(unbroken.expansions, [truth::effort(&goal)]);
        assert_eq!(unbroken.repeated, 0);
    }

    #[test]
    fn several_divide_the_work_in_the_same_way_every_time() {
        // A single position moves by a third either way.
        let (mut alone, mut four) = (0, 0);
        for spots in [16, 18] {
            let goal = truth::outcome_of(spots);
            let one = RACE.run(&goal).expect("it is solved");
            let race = || Race { workers: 4, ..RACE }.run(&goal).expect("it is solved");
            let several = race();
            assert_eq!((&several, several.verdict), (&race(), one.verdict));
            assert!(5 * several.repeated < several.facts, "{several}");
            (alone, four) = (alone + one.busiest(), four + several.busiest());
        }
        // Each without noise would do the same work, and as much as one that is alone.
        assert!(3 * four < 2 * alone, "{four} {alone}");
    }
}
