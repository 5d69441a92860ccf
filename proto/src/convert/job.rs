//! Jobs, status, knowledge.

use std::time::Duration;

use sprig_domain::{Conclusion, JobId, JobState, Outcome, Reign, Terms};
use sprig_engine::CanonicalPosition;

use super::fact::tree;
use super::game::{land, nimber, number};
use super::words::{label, text};
use super::{Malformed, all, into_all, need, within};
use crate::{
    Ban, ClusterStatus, Job, JobOrder, Knowledge, LandKnowledge, Move, Waiting, WorkerId,
    WorkerStatus, limits, wire,
};

impl From<JobId> for wire::JobId {
    fn from(id: JobId) -> Self {
        Self { id: id.0 }
    }
}

impl From<wire::JobId> for JobId {
    fn from(id: wire::JobId) -> Self {
        Self(id.id)
    }
}

impl From<Job> for wire::Job {
    fn from(job: Job) -> Self {
        use wire::job_state::{Cancelled, Paused, Running, State};
        let state = match job.state {
            JobState::Running => State::Running(Running {}),
            JobState::Paused => State::Paused(Paused {}),
            JobState::Done(conclusion) => State::Done(wire::Conclusion {
                win: conclusion.outcome == Outcome::Win,
                nimber: conclusion.nimber.map(number),
            }),
            JobState::Cancelled => State::Cancelled(Cancelled {}),
            JobState::Failed(reason) => State::Failed(reason),
        };
        Self {
            id: job.id.0,
            goal: Some(job.goal.into()),
            state: Some(wire::JobState { state: Some(state) }),
            figures: Some(job.figures.into()),
            workers: job.workers,
            seconds: job.seconds,
            priority: job.priority,
            waiting: job.waiting.map(Into::into),
            terms: Some(job.terms.into()),
            core_seconds: job.core_seconds,
            wishes: into_all(job.wishes),
        }
    }
}

impl TryFrom<wire::Job> for Job {
    type Error = Malformed;

    fn try_from(job: wire::Job) -> Result<Self, Malformed> {
        use wire::job_state::State;
        let state = match need(job.state.and_then(|state| state.state), "state")? {
            State::Running(_) => JobState::Running,
            State::Paused(_) => JobState::Paused,
            State::Done(done) => JobState::Done(Conclusion {
                outcome: done.win.into(),
                nimber: done.nimber.map(nimber).transpose()?,
            }),
            State::Cancelled(_) => JobState::Cancelled,
            State::Failed(reason) => JobState::Failed(reason),
        };
        Ok(Self {
            id: JobId(job.id),
            goal: need(job.goal, "goal")?.try_into()?,
            priority: job.priority,
            state,
            figures: need(job.figures, "figures")?.into(),
            workers: job.workers,
            seconds: job.seconds,
            // A coordinator may know reasons that this program does not.
            waiting: job.waiting.and_then(Waiting::read),
            // A coordinator of an earlier version says nothing of these.
            terms: job.terms.unwrap_or_default().try_into()?,
            core_seconds: job.core_seconds,
            wishes: all(job.wishes)?,
        })
    }
}

impl From<Terms> for wire::Terms {
    fn from(Terms { owner, label, in_turn, budget, deadline }: Terms) -> Self {
        let (budget, deadline) = (budget.map_or(0, millis), deadline.unwrap_or_default());
        Self { owner, label, in_turn, budget, deadline }
    }
}

impl TryFrom<wire::Terms> for Terms {
    type Error = Malformed;

    fn try_from(terms: wire::Terms) -> Result<Self, Malformed> {
        Ok(Self {
            owner: label("owner", terms.owner)?,
            label: label("label", terms.label)?,
            in_turn: terms.in_turn,
            budget: some(terms.budget).map(Duration::from_millis),
            deadline: some(terms.deadline),
        })
    }
}

/// A number; zero says that there is none.
fn some(value: u64) -> Option<u64> {
    Some(value).filter(|&value| value > 0)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl From<Waiting> for wire::Waiting {
    fn from(waiting: Waiting) -> Self {
        use wire::waiting::{GaveUp, Why};
        let inspected = if let Waiting::Checking(facts) = waiting { facts } else { 0 };
        Self {
            why: Some(match waiting {
                Waiting::Worker => Why::Worker(true),
                Waiting::Ahead(job) => Why::Ahead(job.0),
                Waiting::Drained => Why::Drained(true),
                Waiting::GaveUp { worker, reason } => Why::GaveUp(GaveUp { worker, reason }),
                Waiting::Behind(job) => Why::Behind(job.0),
                Waiting::Unable => Why::Unable(true),
                Waiting::Share(job) => Why::Share(job.0),
                Waiting::Budget => Why::Budget(true),
                Waiting::Deadline => Why::Deadline(true),
                Waiting::Checking(_) => Why::Checking(true),
            }),
            inspected,
        }
    }
}

impl Waiting {
    /// `None` for a reason that this version does not know.
    fn read(waiting: wire::Waiting) -> Option<Self> {
        use wire::waiting::Why;
        Some(match waiting.why? {
            Why::Worker(_) => Self::Worker,
            Why::Ahead(job) => Self::Ahead(JobId(job)),
            Why::Drained(_) => Self::Drained,
            Why::GaveUp(gave_up) => Self::GaveUp { worker: gave_up.worker, reason: gave_up.reason },
            Why::Behind(job) => Self::Behind(JobId(job)),
            Why::Unable(_) => Self::Unable,
            Why::Share(job) => Self::Share(JobId(job)),
            Why::Budget(_) => Self::Budget,
            Why::Deadline(_) => Self::Deadline,
            Why::Checking(_) => Self::Checking(waiting.inspected),
        })
    }
}

impl From<Ban> for wire::Ban {
    fn from(ban: Ban) -> Self {
        let Ban { name, proved, time, reason, claim } = ban;
        Self { name, proved, time, reason, claim }
    }
}

impl From<wire::Ban> for Ban {
    fn from(ban: wire::Ban) -> Self {
        let wire::Ban { name, proved, time, reason, claim } = ban;
        Self { name, proved, time, reason, claim }
    }
}

impl JobOrder {
    /// The order about `job` as a message.
    #[must_use]
    pub fn about(self, job: JobId) -> wire::JobOrder {
        use wire::job_order::{Cancel, Order, Pause, Resume};
        let order = match self {
            Self::Cancel => Order::Cancel(Cancel {}),
            Self::Pause => Order::Pause(Pause {}),
            Self::Resume => Order::Resume(Resume {}),
            Self::Priority(priority) => Order::Priority(priority),
            Self::Budget(budget) => Order::Budget(budget.map_or(0, millis)),
            Self::Deadline(deadline) => Order::Deadline(deadline.unwrap_or_default()),
            Self::Wish(wanted) => Order::Wish(wanted.into()),
            Self::Withdraw(number) => Order::Withdraw(number),
        };
        wire::JobOrder { job: job.0, order: Some(order) }
    }
}

impl TryFrom<wire::JobOrder> for JobOrder {
    type Error = Malformed;

    fn try_from(order: wire::JobOrder) -> Result<Self, Malformed> {
        use wire::job_order::Order;
        Ok(match need(order.order, "order")? {
            Order::Cancel(_) => Self::Cancel,
            Order::Pause(_) => Self::Pause,
            Order::Resume(_) => Self::Resume,
            Order::Priority(priority) => Self::Priority(priority),
            Order::Budget(budget) => Self::Budget(some(budget).map(Duration::from_millis)),
            Order::Deadline(deadline) => Self::Deadline(some(deadline)),
            Order::Wish(wish) => Self::Wish(wish.try_into()?),
            Order::Withdraw(number) => Self::Withdraw(number),
        })
    }
}

impl From<WorkerStatus> for wire::Worker {
    fn from(worker: WorkerStatus) -> Self {
        Self {
            id: worker.id.0,
            name: worker.name,
            build: worker.build,
            threads: worker.threads,
            job: worker.job.map(|job| job.0),
            figures: Some(worker.figures.into()),
        }
    }
}

impl TryFrom<wire::Worker> for WorkerStatus {
    type Error = Malformed;

    fn try_from(worker: wire::Worker) -> Result<Self, Malformed> {
        Ok(Self {
            id: WorkerId(worker.id),
            name: text("name", worker.name)?,
            build: text("build", worker.build)?,
            threads: worker.threads,
            job: worker.job.map(JobId),
            figures: need(worker.figures, "figures")?.into(),
        })
    }
}

impl From<ClusterStatus> for wire::ClusterStatus {
    fn from(status: ClusterStatus) -> Self {
        Self {
            build: Some(status.build.into()),
            facts: status.facts,
            drained: status.drained,
            suspended: status.suspended,
            workers: into_all(status.workers),
            jobs: into_all(status.jobs),
            bans: into_all(status.bans),
            followers: into_all(status.followers),
            sync_followers: status.sync_followers,
            withheld: status.withheld,
            reign: status.reign.map(Into::into),
        }
    }
}

impl TryFrom<wire::ClusterStatus> for ClusterStatus {
    type Error = Malformed;

    fn try_from(status: wire::ClusterStatus) -> Result<Self, Malformed> {
        Ok(Self {
            build: need(status.build, "build")?.try_into()?,
            facts: status.facts,
            drained: status.drained,
            suspended: status.suspended,
            workers: all(status.workers)?,
            jobs: all(status.jobs)?,
            bans: status.bans.into_iter().map(Into::into).collect(),
            followers: all(status.followers)?,
            sync_followers: status.sync_followers,
            withheld: status.withheld,
            reign: status.reign.map(Reign::try_from).transpose()?,
        })
    }
}

impl From<Knowledge> for wire::Knowledge {
    fn from(knowledge: Knowledge) -> Self {
        let lands = knowledge.lands.into_iter().map(|known| wire::knowledge::Land {
            land: known.land.key().to_vec(),
            text: wire::Position::from(&CanonicalPosition::from_lands([known.land])).text,
            nimber: known.nimber.map(number),
            excluded: known.excluded.into_iter().map(number).collect(),
            tree: known.tree.map(|tree| tree.as_bytes().to_vec()),
        });
        Self {
            lands: lands.collect(),
            win: knowledge.outcome.map(|outcome| outcome == Outcome::Win),
            nimber: knowledge.nimber.map(number),
            winning: knowledge.winning.iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<wire::Knowledge> for Knowledge {
    type Error = Malformed;

    fn try_from(knowledge: wire::Knowledge) -> Result<Self, Malformed> {
        within("lands", knowledge.lands.len(), limits::LANDS)?;
        Ok(Self {
            lands: all(knowledge.lands)?,
            outcome: knowledge.win.map(Into::into),
            nimber: knowledge.nimber.map(nimber).transpose()?,
            winning: all(knowledge.winning)?,
        })
    }
}

impl From<Move> for wire::Move {
    fn from(found: Move) -> Self {
        Self {
            child: Some((&found.child).into()),
            win: found.outcome.map(|outcome| outcome == Outcome::Win),
            nimber: found.nimber.map(number),
            tree: found.tree.map(|key| key.as_bytes().to_vec()),
            verified: found.verified,
        }
    }
}

impl TryFrom<wire::Move> for Move {
    type Error = Malformed;

    fn try_from(found: wire::Move) -> Result<Self, Malformed> {
        Ok(Self {
            child: need(found.child, "child")?.try_into()?,
            outcome: found.win.map(Into::into),
            nimber: found.nimber.map(nimber).transpose()?,
            tree: found.tree.map(|key| tree(&key)).transpose()?,
            verified: found.verified,
        })
    }
}

impl TryFrom<wire::knowledge::Land> for LandKnowledge {
    type Error = Malformed;

    fn try_from(known: wire::knowledge::Land) -> Result<Self, Malformed> {
        Ok(Self {
            land: land(&known.land)?,
            nimber: known.nimber.map(nimber).transpose()?,
            excluded: known.excluded.into_iter().map(nimber).collect::<Result<_, _>>()?,
            tree: known.tree.map(|key| tree(&key)).transpose()?,
        })
    }
}
