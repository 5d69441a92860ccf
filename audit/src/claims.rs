//! Claims, how they are checked, and what becomes of them.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sprig_engine::Watched;
use sprig_search::step::Key;
use sprig_store::{Kind, Source, StoreError, Value};

use crate::{AuditError, Environment};

/// A claim: what it is about, what it says, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The bytes of what it is about.
    pub subject: Key,
    /// What it says.
    pub value: Value,
    /// Its place in the files that were read; 0 for a claim of a database.
    pub place: u64,
}

/// What has become of a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It follows from verified facts, and is verified now.
    Followed,
    /// A search has found the same, and it is verified now.
    Searched,
    /// It is false; the reason, for people.
    Refuted(String),
    /// What is known neither shows nor refutes it.
    Open,
    /// To check it takes more than a check may.
    TooDear,
}

/// Hears what becomes of claims.
pub trait Judge {
    /// Claims of this kind come next, about this many.
    fn begin(&mut self, _kind: Kind, _claims: u64) {}

    /// How many expansions a search may take to decide a claim that does not follow from anything.
    ///
    /// # Errors
    /// When the disk fails.
    fn patience(&mut self, claim: &Claim) -> Result<u64, StoreError>;

    /// Whether what a search has found may take the place of a claim that it refutes. If not, the
    /// search decides nothing: a source that has believed the claim would look like a liar once it
    /// is gone.
    fn may_replace(&self) -> bool {
        true
    }

    /// A claim has been decided.
    ///
    /// # Errors
    /// When the disk fails.
    fn decided(&mut self, claim: &Claim, verdict: Verdict) -> Result<(), StoreError>;
}

/// How to check.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The program that checks; new facts are written under its name.
    pub source: Source,
    /// Threads that check.
    pub threads: NonZeroUsize,
    /// Bytes that searching may take. Sorting may take as many again.
    pub memory: usize,
    /// Bytes that the lost nodes of misère play may take.
    pub nodes: usize,
    /// How long one search may take, where others wait for the check. A claim that needs more is
    /// too dear.
    pub longest: Option<Duration>,
    /// The clock and the dice of the check.
    pub environment: Environment,
    /// The flag that stops the check, and that hears that it goes on. What was verified by then is
    /// kept.
    pub watched: &'a Arc<Watched>,
}

impl Plan<'_> {
    /// Whether to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        !self.watched.step()
    }

    /// The time, as the environment has it.
    pub(crate) fn now(&self) -> Duration {
        self.environment.now(self.watched)
    }

    /// When a search that begins now must end.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.longest.map(|longest| self.now() + longest)
    }

    /// Whether a deadline has passed.
    pub(crate) fn is_over(&self, deadline: Option<Duration>) -> bool {
        deadline.is_some_and(|deadline| self.now() >= deadline)
    }

    /// # Errors
    /// [`AuditError::Stopped`] when it is time to stop.
    pub(crate) fn go_on(&self) -> Result<(), AuditError> {
        if self.is_stopped() { Err(AuditError::Stopped) } else { Ok(()) }
    }
}

/// Claims that are decided together, and written together.
pub(crate) const CHUNK: usize = 1024;

/// Runs `work` for each of `states` on a thread of its own, and gives back what all have found, in
/// the order of the items: each thread takes the next item that no other thread has taken. Ends
/// early, with fewer results, when told to stop.
pub(crate) fn in_parallel<S: Send, I: Sync, R: Send>(
    plan: &Plan<'_>,
    states: &mut [S],
    items: &[I],
    work: impl Fn(&mut S, &I) -> R + Sync,
) -> Vec<Option<R>> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> = states
            .iter_mut()
            .take(items.len())
            .map(|state| {
                scope.spawn(|| {
                    let mut found = Vec::new();
                    while !plan.is_stopped() {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = items.get(at) else { break };
                        found.push((at, work(state, item)));
                    }
                    found
                })
            })
            .collect();
        for thread in threads {
            let found = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            found.into_iter().for_each(|(at, result)| results[at] = Some(result));
        }
    });
    results
}
