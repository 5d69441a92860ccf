//! What clients ask for and are told.

use std::fmt;
use std::time::Duration;

use sprig_domain::TreeKey;
use sprig_domain::{
    Figures, Goal, JobId, JobState, Outcome, Play, Reign, Terms, View, Wish, WishKind,
};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};

use crate::{Build, WorkerId};

/// What a client may order about a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobOrder {
    /// End it without an answer.
    Cancel,
    /// Take its work back and grant none.
    Pause,
    /// Grant its work again.
    Resume,
    /// Jobs of higher priority go first; jobs of equal priority share the workers.
    Priority(i32),
    /// The core time that it may take in all; `None`: as much as it needs.
    Budget(Option<Duration>),
    /// When it stops, in milliseconds of Unix time; `None`: when it is answered.
    Deadline(Option<u64>),
    /// Where its searches shall go.
    Wish(Wanted),
    /// Take back the wish with this number.
    Withdraw(u32),
}

/// What somebody wishes for a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// What it asks for.
    pub kind: WishKind,
    /// The place: an outcome under the rules of the job.
    pub at: Goal,
    /// When it ends, in milliseconds of Unix time; `None`: when its place is decided.
    pub until: Option<u64>,
    /// Who wishes it: the name that was proved, or else what the client calls itself. May be empty.
    pub by: String,
}

/// A job with its wishes, and what its searches see of a place.
#[derive(Clone, Debug)]
pub struct Sight {
    /// The job.
    pub job: Job,
    /// Its workers, the oldest lease first.
    pub lookers: Vec<Looker>,
}

/// A worker of a job.
#[derive(Clone, Debug)]
pub struct Looker {
    /// A fingerprint of its identity.
    pub worker: WorkerId,
    /// Its name.
    pub name: String,
    /// What it works at: the goal of the job, a leaf of it, or the place of a wish.
    pub goal: Goal,
    /// The number of that wish.
    pub wish: Option<u32>,
    /// Expansions for this job since it got it.
    pub expansions: u64,
    /// How long ago it said so, in milliseconds.
    pub age: u64,
    /// What it sees of the place; `None` if it has not come there, knows the answer, or did not
    /// answer in time.
    pub view: Option<View>,
}

/// A goal that a client submits.
#[derive(Clone, PartialEq, Debug)]
pub struct Submission {
    /// What is asked.
    pub goal: Goal,
    /// Jobs of higher priority go first.
    pub priority: i32,
    /// The terms of the job.
    pub terms: Terms,
}

impl From<Goal> for Submission {
    /// A submission without any terms.
    fn from(goal: Goal) -> Self {
        Self { goal, priority: 0, terms: Terms::default() }
    }
}

/// Which jobs a client wants to see. An empty text stands for any.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    /// Jobs of this owner.
    pub owner: String,
    /// Jobs with this label.
    pub label: String,
}

impl Selection {
    /// Whether a job with these terms is wanted.
    #[must_use]
    pub fn has(&self, terms: &Terms) -> bool {
        let fits = |wanted: &str, is: &str| wanted.is_empty() || wanted == is;
        fits(&self.owner, &terms.owner) && fits(&self.label, &terms.label)
    }
}

/// A job, as far as it has come.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// What was asked.
    pub goal: Goal,
    /// Jobs of higher priority go first.
    pub priority: i32,
    /// Where it stands.
    pub state: JobState,
    /// Work done for it by all workers; the proof numbers are those of the goal.
    pub figures: Figures,
    /// Workers that hold a lease of it now.
    pub workers: u32,
    /// Working time in seconds.
    pub seconds: f64,
    /// Why no worker works for it, if it is running without one.
    pub waiting: Option<Waiting>,
    /// What was said of it when it was submitted.
    pub terms: Terms,
    /// Core time that it has taken, in seconds: how long workers have held leases of it, times
    /// their threads.
    pub core_seconds: f64,
    /// Where people want its searches to go: the wishes that hold, and the latest that do not.
    pub wishes: Vec<Wish>,
}

impl Job {
    /// A job that was just submitted: it runs, and nobody has worked for it.
    #[must_use]
    pub fn submitted(id: JobId, Submission { goal, priority, terms }: Submission) -> Self {
        Self {
            id,
            goal,
            priority,
            state: JobState::Running,
            figures: Figures::default(),
            workers: 0,
            seconds: 0.0,
            waiting: None,
            terms,
            core_seconds: 0.0,
            wishes: Vec::new(),
        }
    }
}

/// Why no worker works for a job that is running.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Waiting {
    /// There is no free worker.
    Worker,
    /// Another job goes first.
    Ahead(JobId),
    /// No work is granted.
    Drained,
    /// A worker could not do it, and no other one has tried.
    GaveUp {
        /// Its name.
        worker: String,
        /// Why it could not.
        reason: String,
    },
    /// A smaller job of its campaign goes first.
    Behind(JobId),
    /// No connected worker can search its game.
    Unable,
    /// Another job of its owner has the owner's share of the workers.
    Share(JobId),
    /// It has taken all of its budget.
    Budget,
    /// Its deadline has passed.
    Deadline,
    /// A worker has answered, and what it says is being checked; with the number of facts that were
    /// looked at for that by now, 0 if it is not known.
    Checking(u64),
}

impl Waiting {
    /// A word for each reason, for programs, in the order of the messages.
    pub const WORDS: [&str; 10] = [
        "worker", "ahead", "drained", "gave-up", "behind", "unable", "share", "budget", "deadline",
        "checking",
    ];

    /// The word for the reason.
    #[must_use]
    pub fn word(&self) -> &'static str {
        Self::WORDS[match self {
            Self::Worker => 0,
            Self::Ahead(_) => 1,
            Self::Drained => 2,
            Self::GaveUp { .. } => 3,
            Self::Behind(_) => 4,
            Self::Unable => 5,
            Self::Share(_) => 6,
            Self::Budget => 7,
            Self::Deadline => 8,
            Self::Checking(_) => 9,
        }]
    }

    /// Whether it waits until a person gives it more.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        matches!(self, Self::Budget | Self::Deadline)
    }

    /// Whether more workers would not help.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.is_spent() || matches!(self, Self::Behind(_) | Self::Checking(_))
    }
}

/// A name whose workers are not listened to any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ban {
    /// The name.
    pub name: String,
    /// Whether the name was proved, by a token or certificate.
    pub proved: bool,
    /// Since when, in milliseconds of Unix time.
    pub time: u64,
    /// Why.
    pub reason: String,
    /// The claim that was found out, if it was one.
    pub claim: Option<String>,
}

/// What is known of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Knowledge {
    /// Each of its lands.
    pub lands: Vec<LandKnowledge>,
    /// Its outcome.
    pub outcome: Option<Outcome>,
    /// Its nimber.
    pub nimber: Option<Nimber>,
    /// Its children that are known to be lost for the opponent: the winning moves that are known.
    pub winning: Vec<CanonicalPosition>,
}

/// A child of a position, and what is known of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// Where the move leads.
    pub child: CanonicalPosition,
    /// The outcome of the child, for the opponent.
    pub outcome: Option<Outcome>,
    /// Its nimber.
    pub nimber: Option<Nimber>,
    /// The key of its tree, in misère play, if it is one land whose tree is verified.
    pub tree: Option<TreeKey>,
    /// Whether what is known follows from verified facts; else it is merely claimed.
    pub verified: bool,
}

impl Move {
    /// The outcome of a position with exactly these moves, if it follows: won if one of them leads
    /// to a loss, lost if all lead to wins.
    pub fn outcome_before(moves: &[Self], play: Play) -> Option<Outcome> {
        let leads_to = |outcome| move |found: &Self| found.outcome == Some(outcome);
        if moves.iter().any(leads_to(Outcome::Loss)) || (moves.is_empty() && play == Play::Misere) {
            return Some(Outcome::Win);
        }
        moves.iter().all(leads_to(Outcome::Win)).then_some(Outcome::Loss)
    }

    /// The nimber of a position with exactly these moves, if all of theirs are known: their mex.
    pub fn nimber_before(moves: &[Self]) -> Option<Nimber> {
        let mut among: u64 = 0;
        for found in moves {
            among |= 1 << found.nimber?.get();
        }
        Nimber::new(among.trailing_ones().into()).ok()
    }
}

/// What is known of a land.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LandKnowledge {
    /// The land.
    pub land: CanonicalLand,
    /// Its nimber.
    pub nimber: Option<Nimber>,
    /// Nimbers that it is known not to have, in ascending order; empty once the nimber is known.
    pub excluded: Vec<Nimber>,
    /// Its reduced canonical tree, in misère play.
    pub tree: Option<TreeKey>,
}

impl LandKnowledge {
    /// Knowledge of a land of which nothing is known.
    #[must_use]
    pub fn nothing(land: CanonicalLand) -> Self {
        Self { land, nimber: None, excluded: Vec::new(), tree: None }
    }
}

/// What goes on in a cluster.
#[derive(Clone, Debug)]
pub struct ClusterStatus {
    /// The coordinator's program.
    pub build: Build,
    /// Facts in the database.
    pub facts: u64,
    /// The connected workers.
    pub workers: Vec<WorkerStatus>,
    /// Whether no work is granted until a client says so.
    pub drained: bool,
    /// Whether no worker works, as every claim is being looked at.
    pub suspended: bool,
    /// Unfinished jobs, then the latest of the ended ones.
    pub jobs: Vec<Job>,
    /// The latest bans.
    pub bans: Vec<Ban>,
    /// The followers, which keep copies of the database.
    pub followers: Vec<FollowerStatus>,
    /// How many of them must have on disk what is acknowledged.
    pub sync_followers: u32,
    /// Whether acknowledgements are held back until there are as many.
    pub withheld: bool,
    /// The reign in which it leads; `None` for an older program.
    pub reign: Option<Reign>,
}

/// A connected follower.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowerStatus {
    /// Its name.
    pub name: String,
    /// Its program.
    pub build: String,
    /// Facts that it has on disk.
    pub facts: u64,
    /// Facts that the coordinator has beyond those.
    pub behind: u64,
}

/// A connected worker.
#[derive(Clone, Debug)]
pub struct WorkerStatus {
    /// A fingerprint of its identity.
    pub id: WorkerId,
    /// Its name.
    pub name: String,
    /// Its program.
    pub build: String,
    /// Threads it searches with.
    pub threads: u32,
    /// The job it works for; `None` while it waits.
    pub job: Option<JobId>,
    /// Its counters since it started.
    pub figures: Figures,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Worker => f.write_str("waits for a worker"),
            Self::Ahead(job) => write!(f, "waits for a worker: job {job} goes first"),
            Self::Drained => f.write_str("waits until work is granted again (sprig drain --end)"),
            Self::GaveUp { worker, reason } => {
                write!(f, "waits for another worker: {worker} gave up: {reason}")
            }
            Self::Behind(job) => write!(f, "waits for job {job} of its campaign"),
            Self::Unable => f.write_str("waits for a worker that can search its game"),
            Self::Share(job) => {
                write!(f, "waits for a worker: job {job} has its owner's share")
            }
            Self::Budget => f.write_str("has spent its budget (sprig budget gives it more)"),
            Self::Deadline => {
                f.write_str("its deadline has passed (sprig deadline gives it more time)")
            }
            Self::Checking(0) => f.write_str("waits while its answer is being checked"),
            Self::Checking(facts) => {
                write!(f, "waits while its answer is being checked: {facts} facts so far")
            }
        }
    }
}
