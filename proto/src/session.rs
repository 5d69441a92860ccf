//! What a worker and its coordinator say to each other, in the types of the logic on both sides.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use sprig_domain::{Contradiction, Fact, Figures, Game, Goal, JobId, Reign, Verdict, View};
use sprig_engine::CanonicalLand;
use sprig_search::Noise;

use crate::Build;

/// A worker process: a random number chosen at its start. It survives reconnections, not restarts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WorkerId(pub u64);

/// A lease: its number within a run of the coordinator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LeaseId {
    /// The run of the coordinator. Leases of another run mean nothing to this one.
    pub epoch: u64,
    /// The number within it.
    pub number: u64,
}

/// From a worker.
#[derive(Clone, Debug)]
pub enum FromWorker {
    /// The first message.
    Hello(Hello),
    /// Facts it has proved.
    Report(Report),
    /// The result of a lease, and the request for the next.
    Pull(Pull),
    /// The progress of the search under a lease.
    Progress {
        /// The lease.
        lease: LeaseId,
        /// Counters since the worker started.
        figures: Figures,
    },
    /// It holds a proof that contradicts a fact it was sent.
    Alarm(Alarm),
    /// What its search sees.
    Seen {
        /// The number of the question.
        number: u64,
        /// `None` if the search has not come there, or knows the answer.
        view: Option<View>,
    },
}

/// To a worker.
#[derive(Clone, Debug)]
pub enum ToWorker {
    /// The reply to `Hello`.
    Welcome(Welcome),
    /// Work.
    Grant(Grant),
    /// A lease no longer matters.
    Revoke(LeaseId),
    /// Reports are on disk.
    Acknowledge(Acknowledge),
    /// What does its search see?
    Look(Look),
}

/// Reports are on disk.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Acknowledge {
    /// Their numbers; the worker may forget them.
    pub reports: Vec<u64>,
    /// For how long the worker is to gather facts, at least, before it reports them.
    pub gather: Duration,
}

/// What does a search see of a place?
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Look {
    /// The number of the question.
    pub number: u64,
    /// The place.
    pub at: Goal,
    /// Most options to tell.
    pub limit: u32,
}

/// A worker introduces itself.
#[derive(Clone, Debug)]
pub struct Hello {
    /// Its program.
    pub build: Build,
    /// Its name, for people.
    pub name: String,
    /// Its identity, a secret: a peer that knows it can take the session over.
    pub worker: WorkerId,
    /// Threads it searches with.
    pub threads: u32,
    /// The lease it still works on, after a reconnection.
    pub holding: Option<LeaseId>,
    /// Its counters since it started.
    pub figures: Figures,
    /// The games that it can search, as far as this program knows them.
    pub games: Vec<Game>,
    /// The latest reign that it has heard of.
    pub reign: Option<Reign>,
    /// Whether it can say what its search sees. Earlier programs cannot.
    pub looks: bool,
}

/// The coordinator introduces itself.
#[derive(Clone, Debug)]
pub struct Welcome {
    /// Its program.
    pub build: Build,
    /// Its run. Leases hold within it.
    pub epoch: u64,
    /// Identity of its database. In another one, sequence numbers begin anew.
    pub database: u64,
    /// Facts there are; the sequence number of the next one.
    pub facts: u64,
    /// How often claims were withdrawn. A worker that has learned facts under another number
    /// forgets everything.
    pub withdrawals: u64,
    /// The reign in which it leads; `None` for an older program, which has none.
    pub reign: Option<Reign>,
}

/// Facts a worker has proved, under a number that grows by one with each report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The number.
    pub sequence: u64,
    /// The game that all of them are about.
    pub game: Game,
    /// The facts.
    pub facts: Vec<Fact>,
}

/// The result of the last lease and the request for the next.
#[derive(Clone, Debug)]
pub struct Pull {
    /// What came of the last lease; `None` at the start.
    pub answer: Option<Answer>,
    /// Whether the worker wants another.
    pub more: bool,
}

/// What came of a lease. An open verdict hands it back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The lease.
    pub lease: LeaseId,
    /// What was found, or why the goal cannot be worked on.
    pub verdict: Result<Verdict, GaveUp>,
    /// Counters since the worker started.
    pub figures: Figures,
}

/// A worker cannot work on a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GaveUp {
    /// What is in its way.
    pub obstacle: Obstacle,
    /// The obstacle in words for people, with the remedy.
    pub reason: String,
}

/// What keeps a worker from a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// Its own memory: another worker may have more.
    Memory,
    /// The goal itself: no worker of this version can do it.
    Goal,
    /// Something else.
    Other,
}

/// Work for a worker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grant {
    /// The lease.
    pub lease: LeaseId,
    /// What to find out.
    pub goal: Goal,
    /// Expansions after which to answer with an open verdict; `None`: work until it is decided.
    pub expansions: Option<u64>,
    /// Facts there are. A worker that has followed those of the other play takes them in before it
    /// searches.
    pub facts: u64,
    /// The noise of the search. Each worker of a job has a different one.
    pub noise: Noise,
    /// Places that are to look dearer than they are.
    pub avoid: Vec<Goal>,
    /// The job that it is for, which names the search in traces; `None` from an older coordinator.
    pub job: Option<JobId>,
}

/// A fact that was sent to a worker contradicts what the worker has proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alarm {
    /// The game.
    pub game: Game,
    /// What the worker has proved.
    pub about: Proved,
}

/// What a proof says against a fact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proved {
    /// The nimber of a land.
    Nimber {
        /// The land.
        land: CanonicalLand,
        /// The nimbers that the worker's proof leaves, one bit each.
        possible: u64,
    },
    /// A fact of misère play.
    Misere(Fact),
}

/// Facts of others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FactBatch {
    /// The game that all of them are about.
    pub game: Game,
    /// The facts.
    pub facts: Vec<Fact>,
    /// Everything below this sequence number has been sent.
    pub next: u64,
    /// Instead of facts, the sequence numbers of those that may be read from a copy of the
    /// database.
    pub stretches: Vec<Range<u64>>,
    /// The number of the last record that such a copy must have.
    pub position: u64,
}

impl From<Contradiction> for Proved {
    fn from(c: Contradiction) -> Self {
        Self::Nimber { land: c.land, possible: c.possible }
    }
}

impl fmt::Display for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.about {
            Proved::Nimber { land, .. } => write!(f, "a fact about land {land} is contradicted"),
            Proved::Misere(fact) => write!(f, "that {fact} is contradicted"),
        }
    }
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Display for LeaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}/{}", self.epoch, self.number)
    }
}
