//! What is claimed, and what is verified. `docs/trust.md` has the argument; this is what is done.
//!
//! Facts of workers are *claimed*. The `auditor`, a thread of its own, looks at a sample of them
//! as they come (the share follows the worker's `Record`), and shows all steps of
//! an answer before it is given ([`sprig_audit::show`]). When something does not hold, it looks at
//! every claim there is ([`sprig_audit::check_database`]): what follows from verified facts becomes
//! verified, the rest is withdrawn, and a source whose claims nothing supports is banned. A
//! worker's doubt about one fact is checked by itself first (`doubt`).

mod auditor;
mod bans;
mod court;
mod doubt;
mod impatience;
mod prove;
mod purse;
mod record;
mod revalidate;
mod samples;
mod withdrawals;

use std::num::NonZeroUsize;
use std::sync::Arc;

pub(crate) use auditor::{Audited, Auditor};
pub(crate) use bans::{Standing, person};
pub use doubt::About;
pub(crate) use doubt::{Doubt, Doubters, Finding, Ruling};
use sprig_audit::{Environment, Plan};
use sprig_domain::{Conclusion, Game, Goal, JobId, LandNimber, Outcome, Question};
use sprig_engine::Nimber;
use sprig_engine::Watched;
use sprig_store::Kind;
pub(crate) use withdrawals::{Knowers, Withdrawals};

/// Bytes that computing nimbers again may take.
const MEMORY: usize = 64 << 20;
/// Bytes that the lost nodes of misère play may take.
const NODES: usize = 4 << 30;

/// Which workers are believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trust {
    /// Facts are claims until their steps are checked; answers rest on verified facts alone.
    #[default]
    Checked,
    /// All workers are threads of this process: what they prove is verified, and sealed. Earlier
    /// claims of others count for nothing.
    Own,
    /// All workers are ours: what they claim is believed, and so is what the database says, while
    /// this process runs. On disk it stays a claim.
    Believed,
}

/// What the auditor is asked to do.
#[derive(Debug)]
pub(crate) enum Task {
    /// These claims have been written: take a sample.
    Sample {
        /// The source that claims them.
        source: String,
        /// The game that they are about.
        game: Game,
        /// The claims about nimbers.
        facts: Vec<LandNimber>,
    },
    /// Show the answer to this goal, step by step.
    Prove(Answered),
    /// A worker says that a fact is wrong: look at that one.
    Check(Doubt),
    /// Something does not hold: look at every claim there is.
    Revalidate(Suspicion),
}

/// An answer that is to be shown.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The job.
    pub job: JobId,
    /// What was asked.
    pub goal: Goal,
    /// The answer.
    pub conclusion: Conclusion,
    /// The worker that gave it; `None` if it follows from facts.
    pub by: Option<String>,
}

/// Why every claim is to be looked at.
#[derive(Clone, Debug)]
pub(crate) struct Suspicion {
    /// For the log, and for the history of the database.
    pub(crate) reason: String,
    /// The source to ban if no claim in the database explains it.
    pub(crate) accused: Option<String>,
    /// The fact that the accused has contradicted.
    pub(crate) doubted: Option<(Game, Kind, Box<[u8]>)>,
    /// The job whose answer could not be shown.
    pub(crate) job: Option<JobId>,
}

/// What there is to check with.
#[derive(Debug)]
pub(crate) struct Means {
    /// The clock and the dice of the check.
    pub(crate) environment: Environment,
    /// Threads that check.
    pub(crate) threads: NonZeroUsize,
    /// The flag that stops the check, and that hears that it goes on.
    pub(crate) watched: Arc<Watched>,
}

impl Means {
    /// How the coordinator checks.
    fn plan(&self) -> Plan<'_> {
        Plan {
            source: crate::record::checker(),
            threads: self.threads,
            memory: MEMORY,
            nodes: NODES,
            longest: None,
            environment: self.environment.clone(),
            watched: &self.watched,
        }
    }
}

#[cfg(test)]
impl Default for Means {
    fn default() -> Self {
        let (environment, watched) = (Environment::default(), Arc::default());
        Self { environment, threads: NonZeroUsize::MIN, watched }
    }
}

/// An answer about normal play as the outcome of a couple: the heap, and whether it is won.
fn couple(question: Question, conclusion: &Conclusion) -> (Nimber, bool) {
    match (question, conclusion.nimber) {
        (Question::Nimber, Some(nimber)) => (nimber, false),
        _ => (question.heap(), conclusion.outcome == Outcome::Win),
    }
}
