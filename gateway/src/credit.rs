//! Who has found what is known. It is counted now and then, as a count reads all facts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sprig_store::{Credited, credited};
use tokio::sync::watch;

use crate::replica::Replica;

/// How long a count stands at least.
const STANDS: Duration = Duration::from_secs(600);
/// A count stands for at least this many times the time that it took.
const SHARE: u32 = 20;
/// How long a visitor waits for the first count.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was counted last.
#[derive(Clone)]
struct Counted {
    people: Arc<Vec<Credited>>,
    at: Instant,
    took: Duration,
}

/// Counts who has found facts, one count at a time.
pub(crate) struct Credits {
    last: watch::Sender<Option<Counted>>,
    is_counting: AtomicBool,
}

impl Default for Credits {
    fn default() -> Self {
        Self { last: watch::Sender::new(None), is_counting: AtomicBool::new(false) }
    }
}

impl Credits {
    /// The finders of the facts of a database as they were counted last, those with the most
    /// verified facts first. None while the first count takes long.
    pub(crate) async fn of(self: &Arc<Self>, replica: &Arc<Replica>) -> Option<Arc<Vec<Credited>>> {
        let is_old = |counted: &Counted| counted.at.elapsed() > STANDS.max(counted.took * SHARE);
        if self.last.borrow().as_ref().is_none_or(is_old) {
            self.count(replica);
        }
        let mut last = self.last.subscribe();
        let first = tokio::time::timeout(PATIENCE, last.wait_for(Option::is_some));
        let counted = first.await.ok()?.ok()?.clone()?;
        Some(counted.people)
    }

    /// Begins a new count on a thread of its own, if none is going on.
    fn count(self: &Arc<Self>, replica: &Arc<Replica>) {
        if self.is_counting.swap(true, Ordering::AcqRel) {
            return;
        }
        let (credits, snapshot) = (Arc::clone(self), replica.now());
        tokio::task::spawn_blocking(move || {
            let begun = Instant::now();
            match snapshot.reader.credits(&AtomicBool::new(false), |_| {}) {
                Ok(found) => {
                    let people = Arc::new(credited(found.unwrap_or_default()));
                    let (at, took) = (Instant::now(), begun.elapsed());
                    credits.last.send_replace(Some(Counted { people, at, took }));
                }
                // The last count still stands.
                Err(error) => tracing::warn!("who has found what was not counted: {error}"),
            }
            credits.is_counting.store(false, Ordering::Release);
        });
    }
}
