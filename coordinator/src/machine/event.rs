//! What the machine is told, and what it wants done.

use std::collections::BTreeSet;

use sprig_domain::{Conclusion, Fact, Game, Goal, JobId, LandNimber, Verdict};
use sprig_engine::CanonicalLand;
use sprig_proto::{
    Ban, ClusterStatus, FromWorker, Hello, Job, JobOrder, LandKnowledge, Sight, Submission,
    ToWorker, WorkerId,
};

use crate::trust::{About, Answered};

/// A connection of a worker. A worker that comes back has a new one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SessionId(pub u64);

/// A call of a client that waits for its reply.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CallId(pub u64);

/// Something that has happened.
#[derive(Debug)]
pub enum Event {
    /// A worker has connected and said `Hello`. Its build fits.
    Joined {
        /// The connection.
        session: SessionId,
        /// What it said.
        hello: Hello,
    },
    /// A connection has ended.
    Left {
        /// The connection.
        session: SessionId,
    },
    /// A worker has sent something else.
    Said {
        /// The connection.
        session: SessionId,
        /// What it said.
        message: FromWorker,
    },
    /// A client submits a goal.
    Submitted {
        /// The call that waits.
        call: CallId,
        /// The goal, and what is said of it.
        submission: Submission,
    },
    /// A new job is on disk, and this is what the database knows about its goal. Also said of each
    /// unfinished job at the start of the coordinator.
    Opened {
        /// The job; done already if the answer is known.
        job: Job,
        /// The lands of its position, in normal play.
        known: Vec<LandKnowledge>,
    },
    /// A client orders something about a job.
    Ordered {
        /// The call that waits.
        call: CallId,
        /// The job.
        job: JobId,
        /// The order.
        order: JobOrder,
    },
    /// A client wants no more work granted, or wants it granted again.
    Drained {
        /// The call that waits.
        call: CallId,
        /// Whether nothing shall be granted.
        drained: bool,
    },
    /// A client asks what goes on.
    StatusAsked {
        /// The call that waits.
        call: CallId,
    },
    /// A client asks what the searches of a job see.
    Looked {
        /// The call that waits.
        call: CallId,
        /// The job.
        job: JobId,
        /// The place; `None`: what each works at.
        at: Option<Goal>,
        /// Most options to tell.
        limit: u32,
    },
    /// A group of entries is on disk.
    Committed(Receipt),
    /// The options of a leaf have been listed.
    TakenApart {
        /// The job.
        job: JobId,
        /// The leaf.
        leaf: Goal,
        /// What it consists of; `None`: its options cannot be listed.
        parts: Option<Parts>,
    },
    /// The first claims of a worker were shown: its word counts.
    Admitted {
        /// Its name.
        name: String,
    },
    /// An entry was refused because it contradicts the database. Nothing of it was written.
    Contradicted {
        /// The worker whose claim it was, if it was a worker's.
        worker: Option<WorkerId>,
        /// The job whose answer it was, if it was an answer.
        job: Option<JobId>,
        /// Both claims and their sources, in one line.
        reason: String,
        /// The fact that it contradicts.
        about: About,
    },
    /// The answer to a job is being shown, and that takes some time.
    Inspected {
        /// The job.
        job: JobId,
        /// How many facts were looked at.
        facts: u64,
    },
    /// The answer to a job was shown, step by step, and all it rests on is verified.
    Proved {
        /// The job.
        job: JobId,
        /// The answer.
        conclusion: Conclusion,
    },
    /// The answer that a worker gave to a job does not follow from the facts.
    Unfounded {
        /// The job.
        job: JobId,
    },
    /// A job can never be answered.
    Unprovable {
        /// The job.
        job: JobId,
        /// Why.
        reason: String,
    },
    /// The time that [`Machine::deadline`](super::Machine::deadline) gave is over.
    Tick,
    /// The coordinator is to end.
    Stopping,
}

/// The options of a couple.
#[derive(Debug)]
pub struct Parts {
    /// The options in a fixed order, each with what is expected of it.
    pub options: Vec<(Goal, Verdict)>,
    /// What is known of their lands.
    pub known: Vec<LandNimber>,
}

/// What has become durable.
#[derive(Debug, Default)]
pub struct Receipt {
    /// Reports, by worker and sequence number.
    pub reports: Vec<(WorkerId, u64)>,
    /// All facts in them, new or not, each with its game.
    pub facts: Vec<(Game, Fact)>,
    /// Unfinished jobs whose state was recorded.
    pub noted: Vec<JobId>,
    /// Jobs whose end was recorded.
    pub closed: Vec<JobId>,
    /// Number of facts in the database now.
    pub total: u64,
}

/// Something to be done, in order.
#[derive(Debug)]
pub enum Action {
    /// Say this to a worker.
    Tell(SessionId, ToWorker),
    /// End a connection, with the reason.
    Dismiss(SessionId, String),
    /// Write this. The result comes back as [`Event::Committed`] or [`Event::Contradicted`].
    Commit(Entry),
    /// Look up what is known of the goal and write the new job. The result comes back as
    /// [`Event::Opened`].
    Open(JobId, Submission),
    /// List the options of this leaf of a job, and say what is expected of each. The result comes
    /// back as [`Event::TakenApart`].
    TakeApart(JobId, Goal),
    /// Show this answer, step by step. The result comes back as [`Event::Proved`] or
    /// [`Event::Unfounded`], unless a fact is a lie.
    Prove(Answered),
    /// Two proofs exclude each other: look at every claim there is.
    Suspect {
        /// The worker that says so, as its facts are signed; `None` if the facts themselves show
        /// it.
        source: Option<String>,
        /// What it says.
        reason: String,
    },
    /// A worker has a proof against a fact: look at that one.
    Doubt {
        /// Its connection.
        session: SessionId,
        /// The worker, as its facts are signed.
        source: String,
        /// What it says.
        reason: String,
        /// The fact.
        about: About,
    },
    /// Tell the workers' fact streams that there are this many facts.
    Publish(u64),
    /// These workers, and no others, need not be told facts until they have work.
    Rest(BTreeSet<WorkerId>),
    /// Show how a job stands to its watchers.
    Show(Job),
    /// Reply to a client.
    Reply(CallId, Reply),
    /// Write this to the log.
    Warn(String),
}

/// Something to be written.
#[derive(Clone, Debug)]
pub enum Entry {
    /// What a worker has found out.
    Report {
        /// The worker.
        worker: WorkerId,
        /// The number of the report to acknowledge.
        sequence: Option<u64>,
        /// Provenance: name of the worker.
        name: String,
        /// Provenance: its build.
        build: String,
        /// Provenance: the job it was found for.
        job: Option<JobId>,
        /// The game that all of it is about.
        game: Game,
        /// What it has proved.
        facts: Vec<Fact>,
        /// Sets of nimbers that lands do not have, one bit each.
        exclusions: Vec<(CanonicalLand, u64)>,
    },
    /// How a job stands. It is written when its state changes, now and then, and when the
    /// coordinator stops.
    Job(Job),
}

/// What a client is told.
#[derive(Debug)]
pub enum Reply {
    /// The job.
    Job(Job),
    /// There is no such running job.
    NoSuchJob(JobId),
    /// What goes on; running jobs only.
    Status(ClusterStatus),
    /// What the searches of a job see.
    Sight(Box<Sight>),
    /// The order cannot be given, for this reason.
    Refused(String),
    /// These bans are lifted.
    Lifted(Vec<Ban>),
}
