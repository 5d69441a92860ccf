//! The search, on a thread of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sprig_domain::{Fact, Play, Verdict};
use sprig_proto::{Alarm, Answer, Grant};
use sprig_search::Limits;
use tokio::sync::{Notify, mpsc};

use crate::agent::Event;
use crate::solver::{Failure, Observer, Solver};
use crate::{Error, Scene};

/// What a search has come to.
#[derive(Debug)]
pub(crate) enum Ending {
    /// It has ended.
    Answered(Answer),
    /// It has met a proof that contradicts its own.
    Contradicted(Alarm),
}

/// The search thread, seen from the driver.
pub(crate) struct Searcher {
    pub(crate) solver: Arc<Solver>,
    orders: mpsc::UnboundedSender<Order>,
    pub(crate) outcomes: mpsc::UnboundedReceiver<Ending>,
    /// What the latest search has to say.
    notes: Arc<Notes>,
    /// Wakes the driver when there are facts where there were none.
    pub(crate) news: Arc<Notify>,
}

/// What to search, and whom to tell.
type Order = (Grant, Arc<Notes>);

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
    /// Starts the thread, or a task in a simulation. It ends when this is dropped and its search has ended.
    pub(crate) fn start(play: Play, limits: Limits, scene: Option<Scene>) -> Result<Self, Error> {
        let solver = Arc::new(Solver::new(play, limits));
        let (orders, mut queue) = mpsc::unbounded_channel::<Order>();
        let (out, outcomes) = mpsc::unbounded_channel();
        let news = Arc::new(Notify::new());
        let searching = Arc::clone(&solver);
        if let Some(scene) = scene {
            tokio::spawn(async move {
                while let Some((grant, notes)) = queue.recv().await {
                    let _ = out.send(rehearse(&searching, grant, &notes, &scene).await);
                }
            });
        } else {
            let work = move || {
                while let Some((grant, notes)) = queue.blocking_recv() {
                    if out.send(search(&searching, &grant, &*notes)).is_err() {
                        return;
                    }
                }
            };
            let thread = std::thread::Builder::new().name("search".into()).spawn(work);
            thread.map_err(|error| Error::Search(error.to_string()))?;
        }
        Ok(Self { solver, orders, outcomes, notes: Notes::new(&news), news })
    }

    /// How the search gets on.
    pub(crate) fn progress(&self) -> Event {
        Event::Progressed(self.solver.figures())
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

fn search(solver: &Solver, grant: &Grant, observer: &dyn Observer) -> Ending {
    solver.differ(grant.noise);
    let verdict = match solver.solve(&grant.goal, grant.expansions.unwrap_or(u64::MAX), observer) {
        Err(Failure::Contradiction(alarm)) => return Ending::Contradicted(alarm),
        Err(Failure::GaveUp(gave_up)) => Err(gave_up),
        Ok(verdict) => Ok(verdict),
    };
    Ending::Answered(Answer { lease: grant.lease, verdict, figures: solver.figures() })
}

/// The same search slice by slice in simulated time. Searching again continues where the last slice ended.
async fn rehearse(solver: &Solver, grant: Grant, notes: &Notes, scene: &Scene) -> Ending {
    let mut left = grant.expansions.unwrap_or(u64::MAX);
    loop {
        let slice = Grant { expansions: Some(left.min(scene.slice)), ..grant.clone() };
        left -= left.min(scene.slice);
        tokio::time::sleep(scene.time).await;
        let outcome = search(solver, &slice, notes);
        let open = matches!(&outcome, Ending::Answered(answer) if matches!(answer.verdict, Ok(Verdict::Open { .. })));
        if !open || left == 0 || notes.stop() {
            return outcome;
        }
    }
}
