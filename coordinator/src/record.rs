//! Conversions between the types of the store and those of the other crates.

use std::time::{SystemTime, UNIX_EPOCH};

use sprig_domain::{Fact, Figures, Game, JobState};
use sprig_proto::{Build, Job};
use sprig_store as store;

use crate::Error;

/// The time by the clock on the wall.
pub(crate) fn time() -> store::UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    store::UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// This program, as the source that has checked facts.
pub(crate) fn checker() -> store::Source {
    store::Source { worker: "coordinator".into(), build: Build::here().id }
}

/// Refuses a clock before 1970: libraries that this program uses do not expect one, and end calls
/// by a panic.
pub(crate) fn check_clock(now: SystemTime) -> Result<(), Error> {
    now.duration_since(UNIX_EPOCH).map(drop).map_err(|_| Error::Clock)
}

/// A fact of a game as it is stored, claimed.
pub(crate) fn fact(game: Game, fact: &Fact) -> store::Fact {
    let fact = match fact {
        Fact::Nimber(fact) => store::Fact::nimber(fact.land.key(), fact.nimber),
        Fact::Tree { tree, options } => store::Fact::tree(*tree, options.clone()),
        Fact::Rct { land, tree } => store::Fact::rct(land.key(), *tree),
        Fact::Loss(node) => store::Fact::loss(&node.encode()),
    };
    fact.of(game)
}

/// A stored job as clients see it.
pub fn job(job: &store::Job) -> Job {
    Job {
        id: job.id,
        goal: job.goal.clone(),
        priority: job.priority,
        state: job.state.clone(),
        figures: Figures { expansions: job.expansions, ..Figures::default() },
        workers: 0,
        seconds: job.seconds,
        waiting: None,
        terms: job.terms.clone(),
        core_seconds: job.core_seconds,
        wishes: job.wishes.clone(),
    }
}

/// A job to be stored, submitted at `submitted`.
pub(crate) fn stored_job(job: &Job, submitted: store::UnixMillis) -> store::Job {
    store::Job {
        id: job.id,
        goal: job.goal.clone(),
        priority: job.priority,
        submitted,
        state: job.state.clone(),
        ended: job.state.is_final().then(time),
        expansions: job.figures.expansions,
        seconds: job.seconds,
        terms: job.terms.clone(),
        core_seconds: job.core_seconds,
        wishes: job.wishes.clone(),
    }
}

/// What happened to a job when it came to its present state.
pub(crate) fn event(job: &Job) -> store::Event {
    let (kind, detail) = match &job.state {
        JobState::Running => (store::EventKind::Started, String::new()),
        JobState::Paused => (store::EventKind::Paused, String::new()),
        JobState::Done(conclusion) => (store::EventKind::Done, conclusion.outcome.to_string()),
        JobState::Cancelled => (store::EventKind::Cancelled, String::new()),
        JobState::Failed(reason) => (store::EventKind::Failed, reason.clone()),
    };
    store::Event { time: time(), kind, detail }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_before_1970_is_refused_and_not_met_with_a_panic() {
        let then = UNIX_EPOCH - Duration::from_secs(1);
        assert!(matches!(check_clock(then), Err(Error::Clock)));
        assert!(check_clock(SystemTime::now()).is_ok());
    }
}
