//! A race: as many real searches as there are workers, and the coordinator's real state machine, in
//! one process and in virtual time.
//!
//! Each worker has a search of `sprig-search`. All decisions are made by the machine of
//! `sprig-coordinator` and the agents of `sprig-worker`. What takes time is counted and not
//! measured: each expansion, child, fact, message and commit takes what [`Costs`] says. So a race
//! ends the same way on every machine under every load. A seed scatters the latencies.
//! `docs/scale.md` says how far to believe it.

mod agenda;
mod coordinator;
pub mod finish;
mod hand;
mod lane;
mod world;

use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use sprig_domain::Goal;

use crate::costs::Costs;
pub use coordinator::Tally;
pub use finish::Finish;
pub use hand::Toil;

/// What keeps workers out of each other's way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// Each worker searches the whole goal with noise of its own, and all workers hear the facts of
    /// all: what two workers do.
    Facts,
    /// The coordinator keeps the top of the goal and gives each worker a leaf that no other one
    /// owns, and all workers hear all facts. One worker has the whole goal.
    Owned {
        /// Expansions that a worker spends on a leaf before it asks again. A leaf that has taken as
        /// many, and has an owner, is taken apart for the next worker.
        budget: NonZeroU64,
    },
}

impl Scheme {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Facts => "facts",
            Self::Owned { .. } => "owned",
        }
    }
}

/// A race.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// What each worker works on.
    pub scheme: Scheme,
    /// How many workers search.
    pub workers: u32,
    /// The most of them that share the job; the others wait for another one. `None`: all.
    pub most_workers: Option<NonZeroU32>,
    /// Threads of each. With more than one a race is not repeatable.
    pub threads: usize,
    /// What a message takes on the network, on average.
    pub latency: Duration,
    /// How many expansions and facts each simulated one stands for.
    pub factor: f64,
    /// Decides the latency of each message, and when workers come.
    pub seed: u64,
    /// Memory of each search, in bytes.
    pub memory: usize,
    /// Cores that all workers share; `None`: each thread has its own.
    pub cores: Option<u32>,
    /// Cores of the coordinator.
    pub coordinator_cores: u32,
    /// What everything takes.
    pub costs: Costs,
}

impl Race {
    /// Races for a goal of normal play.
    ///
    /// # Errors
    /// When a search cannot go on, for example for want of memory, or when two proofs contradict
    /// each other.
    pub fn run(&self, goal: &Goal) -> Result<Finish, String> {
        world::run(self, goal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth;

    const RACE: Race = Race {
        scheme: Scheme::Facts,
        workers: 1,
        most_workers: None,
        threads: 1,
        latency: Duration::from_micros(200),
        factor: 10.0,
        seed: 1,
        memory: truth::MEMORY,
        cores: None,
        coordinator_cores: 2,
        costs: Costs::MEASURED,
    };

    #[test]
    fn one_that_is_alone_searches_as_ever() {
        let goal = truth::outcome_of(12);
        let finish = RACE.run(&goal).expect("it is solved");
        assert_eq!(finish.expansions, [truth::effort(&goal)]);
        assert_eq!(finish.repeated, 0);
        // The worker had the core all the time, and messages were paid for with it.
        let searched = finish.toil[0].searched;
        assert!(searched < finish.seconds && finish.seconds < 1.2 * searched, "{finish:?}");
    }

    #[test]
    fn several_divide_the_work_in_the_same_way_every_time() {
        // The result of a single position varies by a third either way.
        let (mut alone, mut four, mut facts, mut repeated) = (0.0, 0.0, 0, 0);
        for spots in [16, 18] {
            let goal = truth::outcome_of(spots);
            let one = RACE.run(&goal).expect("it is solved");
            let race = || Race { workers: 4, ..RACE }.run(&goal).expect("it is solved");
            let several = race();
            assert_eq!(several, race());
            assert_eq!(several.outcome, one.outcome);
            (alone, four) = (alone + one.seconds, four + several.seconds);
            (facts, repeated) = (facts + several.facts, repeated + several.repeated);
        }
        // Without noise, each would do the same work, and take as long as one that is alone.
        assert!(3.0 * four < 2.0 * alone, "{four} {alone}");
        assert!(5 * repeated < facts, "{repeated} {facts}");
    }

    #[test]
    fn owners_come_to_the_same_answer_in_the_same_way_every_time() {
        for spots in [14, 16] {
            let goal = truth::outcome_of(spots);
            let scheme = Scheme::Owned { budget: NonZeroU64::new(200).expect("not 0") };
            let race = || Race { workers: 6, scheme, ..RACE }.run(&goal).expect("it is solved");
            let finish = race();
            assert_eq!(finish, race());
            assert_eq!(finish.outcome, RACE.run(&goal).expect("it is solved").outcome);
            assert!(finish.coordinator.leaves > 10, "{finish:?}");
        }
    }

    #[test]
    fn another_seed_is_another_race_for_several() {
        let goal = truth::outcome_of(14);
        let race = |seed| Race { workers: 4, seed, ..RACE }.run(&goal).expect("it is solved");
        assert_ne!(race(1).expansions, race(2).expansions);
    }

    #[test]
    fn threads_share_the_tables_of_a_search() {
        let goal = truth::outcome_of(12);
        let finish = Race { workers: 2, threads: 2, ..RACE }.run(&goal).expect("it is solved");
        assert_eq!(finish.outcome, RACE.run(&goal).expect("it is solved").outcome);
    }
}
