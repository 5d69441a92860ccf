//! Between the words of the store and those of the rest.

use std::time::{SystemTime, UNIX_EPOCH};

use sprig_engine::Nimber;
use sprig_proto::{Build, Conclusion, Fact, Goal, Job, JobId, JobState, Outcome, Question};
use sprig_search::{Figures, Question as Normal};
use sprig_store as store;

use crate::Error;

/// The time by the clock on the wall.
pub(crate) fn time() -> store::UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    store::UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// This program as the one that has checked facts.
pub(crate) fn checker() -> store::Source {
    store::Source { worker: "coordinator".into(), build: Build::here().id }
}

/// Refuses a clock before 1970: libraries below this program do not count on it, and end calls by a
/// panic.
pub(crate) fn check_clock(now: SystemTime) -> Result<(), Error> {
    now.duration_since(UNIX_EPOCH).map(drop).map_err(|_| Error::Clock)
}

pub(crate) fn id(id: JobId) -> store::JobId {
    store::JobId(id.0)
}

pub(crate) fn goal(goal: &Goal) -> store::Goal {
    let question = match goal.question {
        Question::Normal(Normal::Outcome { heap }) => store::Question::Outcome { heap },
        Question::Normal(Normal::Nimber) => store::Question::Nimber,
        Question::Misere => store::Question::Misere,
    };
    store::Goal { position: goal.position.clone(), question }
}

/// A fact as it is stored, claimed.
pub(crate) fn fact(fact: &Fact) -> store::Fact {
    match fact {
        Fact::Nimber(fact) => store::Fact::nimber(fact.land.key(), fact.nimber),
        Fact::Tree { tree, options } => store::Fact::tree(*tree, options.clone()),
        Fact::Rct { land, tree } => store::Fact::rct(land.key(), *tree),
        Fact::Loss(node) => store::Fact::loss(&node.encode()),
    }
}

/// What a stored job has found out.
pub(crate) fn conclusion(job: &store::Job) -> Option<Conclusion> {
    let store::JobState::Done { answer, .. } = job.state else { return None };
    let heap = match job.goal.question {
        store::Question::Outcome { heap } => heap,
        store::Question::Nimber => Nimber::ZERO,
        store::Question::Misere => {
            return Some(Outcome::from(answer == store::Answer::Win).into());
        }
    };
    Some(match answer {
        store::Answer::Win => Conclusion { outcome: Outcome::Win, nimber: None },
        store::Answer::Loss => Conclusion { outcome: Outcome::Loss, nimber: Some(heap) },
        store::Answer::Nimber(nimber) => {
            Conclusion { outcome: Outcome::from(nimber != heap), nimber: Some(nimber) }
        }
    })
}

/// A stored job as clients see it.
pub(crate) fn job(job: &store::Job) -> Job {
    let question = match job.goal.question {
        store::Question::Outcome { heap } => Question::Normal(Normal::Outcome { heap }),
        store::Question::Nimber => Question::Normal(Normal::Nimber),
        store::Question::Misere => Question::Misere,
    };
    let state = match &job.state {
        store::JobState::Queued | store::JobState::Running => JobState::Running,
        store::JobState::Paused => JobState::Paused,
        store::JobState::Done { .. } => JobState::Done(conclusion(job).expect("it is done")),
        store::JobState::Cancelled { .. } => JobState::Cancelled,
        store::JobState::Failed { reason, .. } => JobState::Failed(reason.clone()),
    };
    Job {
        id: JobId(job.id.0),
        goal: Goal { position: job.goal.position.clone(), question },
        priority: job.priority,
        state,
        figures: Figures { expansions: job.expansions, ..Figures::default() },
        workers: 0,
        seconds: job.seconds,
        waiting: None,
    }
}

/// A job to be stored, submitted at `submitted`.
pub(crate) fn stored_job(job: &Job, submitted: store::UnixMillis) -> store::Job {
    store::Job {
        id: id(job.id),
        goal: goal(&job.goal),
        priority: job.priority,
        submitted,
        state: state(&job.state),
        expansions: job.figures.expansions,
        seconds: job.seconds,
    }
}

fn state(state: &JobState) -> store::JobState {
    let time = time();
    match state {
        JobState::Running => store::JobState::Running,
        JobState::Paused => store::JobState::Paused,
        JobState::Done(conclusion) => store::JobState::Done { time, answer: answer(conclusion) },
        JobState::Cancelled => store::JobState::Cancelled { time },
        JobState::Failed(reason) => store::JobState::Failed { time, reason: reason.clone() },
    }
}

/// The nimber says more than the outcome.
fn answer(conclusion: &Conclusion) -> store::Answer {
    match (conclusion.nimber, conclusion.outcome) {
        (Some(nimber), _) => store::Answer::Nimber(nimber),
        (None, Outcome::Win) => store::Answer::Win,
        (None, Outcome::Loss) => store::Answer::Loss,
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
