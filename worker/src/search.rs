//! The search, on a thread of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc as sync_mpsc};

use sprig_proto::{Answer, Grant};
use sprig_search::{Contradiction, Fact, Limits, Observer, SolveError, Solver};
use tokio::sync::{Notify, mpsc};

use crate::Error;

/// What a search has come to.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It has ended.
    Answered(Answer),
    /// It has met a proof that contradicts its own.
    Contradicted(Contradiction),
}

/// The search thread, seen from the driver.
pub(crate) struct Searcher {
    pub(crate) solver: Arc<Solver>,
    orders: sync_mpsc::Sender<(Grant, Arc<Notes>)>,
    pub(crate) outcomes: mpsc::UnboundedReceiver<Outcome>,
    /// What the latest search has to say.
    notes: Arc<Notes>,
    /// Wakes the driver when there are facts where there were none.
    pub(crate) news: Arc<Notify>,
}

/// Between a search and the driver.
struct Notes {
    /// Set by the driver, read often by the search; orders nothing else.
    stop: AtomicBool,
    /// Facts not yet taken by the driver. A lock, held for one push at a time.
    facts: Mutex<Vec<Fact>>,
    news: Arc<Notify>,
}

impl Observer for Notes {
    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn proved(&self, fact: Fact) {
        let mut facts = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        facts.push(fact);
        if facts.len() == 1 {
            self.news.notify_one();
        }
    }
}

impl Notes {
    fn new(news: &Arc<Notify>) -> Arc<Self> {
        let (stop, facts) = (AtomicBool::new(false), Mutex::default());
        Arc::new(Self { stop, facts, news: Arc::clone(news) })
    }
}

impl Searcher {
    /// Starts the thread. It ends when this is dropped and its search has ended.
    pub(crate) fn start(limits: Limits) -> Result<Self, Error> {
        let solver = Arc::new(Solver::new(limits));
        let (orders, queue) = sync_mpsc::channel::<(Grant, Arc<Notes>)>();
        let (out, outcomes) = mpsc::unbounded_channel();
        let news = Arc::new(Notify::new());
        let searching = Arc::clone(&solver);
        let work = move || {
            while let Ok((grant, notes)) = queue.recv() {
                if out.send(search(&searching, &grant, &*notes)).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("search".into()).spawn(work);
        thread.map_err(|error| Error::Search(error.to_string()))?;
        Ok(Self { solver, orders, outcomes, notes: Notes::new(&news), news })
    }

    pub(crate) fn begin(&mut self, grant: Grant) -> Result<(), Error> {
        self.notes = Notes::new(&self.news);
        let order = (grant, Arc::clone(&self.notes));
        self.orders.send(order).map_err(|_| Error::Search("its thread is gone".into()))
    }

    pub(crate) fn stop(&self) {
        self.notes.stop.store(true, Ordering::Relaxed);
    }

    /// The facts proved since the last call.
    pub(crate) fn take_facts(&self) -> Vec<Fact> {
        std::mem::take(&mut *self.notes.facts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Searcher {
    fn drop(&mut self) {
        self.stop();
    }
}

fn search(solver: &Solver, grant: &Grant, observer: &dyn Observer) -> Outcome {
    let verdict = match solver.solve(&grant.goal, grant.expansions.unwrap_or(u64::MAX), observer) {
        Err(SolveError::Contradiction(contradiction)) => {
            return Outcome::Contradicted(contradiction);
        }
        Err(error) => Err(error.to_string()),
        Ok(verdict) => Ok(verdict),
    };
    Outcome::Answered(Answer { lease: grant.lease, verdict, figures: solver.figures() })
}
