//! The search, on a thread of its own.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sprig_blocking::{Hand, Tell};
use sprig_domain::{Fact, Ruleset, Verdict};
use sprig_proto::{Alarm, Answer, Grant};
use sprig_search::{Limits, Observer};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use crate::agent::Event;
use crate::solver::{Failure, Solver};
use crate::{Error, Ground};

/// What a search has come to.
#[derive(Debug)]
pub(crate) enum Ending {
    /// The search has ended.
    Answered(Answer),
    /// The search has met a proof that contradicts its own.
    Contradicted(Alarm),
}

/// The search thread, seen from the driver.
pub(crate) struct Searcher {
    pub(crate) solver: Arc<Solver>,
    orders: mpsc::UnboundedSender<Order>,
    pub(crate) outcomes: mpsc::Receiver<Ending>,
    /// What the latest search tells.
    notes: Arc<Notes>,
    /// Wakes the driver when there are facts and there were none before.
    pub(crate) news: Arc<Notify>,
}

/// What to search, and where to tell the result.
#[derive(Debug)]
struct Order {
    grant: Grant,
    notes: Arc<Notes>,
}

/// Endings that wait for the driver: each search has one, and few searches are begun before it is
/// heard.
const ENDINGS: usize = 4;

/// What a search and the driver share.
#[derive(Debug)]
struct Notes {
    /// Set by the driver, and read often by the search. It orders no other memory.
    stop: AtomicBool,
    /// Facts that the driver has not taken yet. The lock is held for one push at a time.
    facts: Mutex<Vec<Fact>>,
    news: Arc<Notify>,
}

impl Observer<Fact> for Notes {
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
    /// Starts the thread, which waits for searches. It ends when this is dropped and its search has
    /// ended.
    pub(crate) fn start(ruleset: Ruleset, limits: Limits, ground: &Ground) -> Result<Self, Error> {
        let solver = Arc::new(Solver::new(ruleset, limits));
        let (orders, queue) = mpsc::unbounded_channel();
        let (out, outcomes) = mpsc::channel(ENDINGS);
        let news = Arc::new(Notify::new());
        let (waiting, slice) = (VecDeque::new(), ground.slice);
        let thinker = Thinker { solver: Arc::clone(&solver), slice, waiting };
        let started = ground.blocking.start("search", thinker, queue, out);
        started.map_err(|error| Error::Search(error.to_string()))?;
        Ok(Self { solver, orders, outcomes, notes: Notes::new(&news), news })
    }

    /// The progress of the search.
    pub(crate) fn progress(&self) -> Event {
        Event::Progressed(self.solver.figures())
    }

    pub(crate) fn begin(&mut self, grant: Grant) -> Result<(), Error> {
        self.notes = Notes::new(&self.news);
        let order = Order { grant, notes: Arc::clone(&self.notes) };
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

/// The hand that searches.
struct Thinker {
    solver: Arc<Solver>,
    /// Expansions of one step.
    slice: u64,
    /// What is searched, and what is to be searched after it.
    waiting: VecDeque<Order>,
}

impl Hand for Thinker {
    type Order = Order;
    type News = Ending;

    fn due(&self) -> Option<Instant> {
        (!self.waiting.is_empty()).then(Instant::now)
    }

    /// Searches for a slice. Searching again continues where the last slice ended.
    fn step(&mut self, orders: Vec<Order>, _: Instant, tell: Tell<'_, Ending>) -> ControlFlow<()> {
        self.waiting.extend(orders);
        if let Some(order) = self.waiting.front_mut()
            && let Some(ending) = search(&self.solver, order, self.slice)
        {
            self.waiting.pop_front();
            tell(ending);
        }
        ControlFlow::Continue(())
    }
}

/// Searches for at most a slice of the expansions that the order leaves; `None` when the search is
/// to go on.
fn search(solver: &Solver, order: &mut Order, slice: u64) -> Option<Ending> {
    let Order { grant, notes } = order;
    solver.differ(grant.noise);
    solver.avoid(&grant.avoid);
    if grant.expansions.is_some() {
        solver.visit(&grant.goal);
    }
    let left = grant.expansions.unwrap_or(u64::MAX);
    let now = left.min(slice);
    let verdict = match solver.solve(&grant.goal, now, &**notes) {
        Err(Failure::Contradiction(about)) => {
            let game = solver.ruleset().game;
            return Some(Ending::Contradicted(Alarm { game, about }));
        }
        Err(Failure::GaveUp(gave_up)) => Err(gave_up),
        Ok(Verdict::Open { .. }) if now < left && !notes.stop() => {
            grant.expansions = grant.expansions.map(|left| left - now);
            return None;
        }
        Ok(verdict) => Ok(verdict),
    };
    Some(Ending::Answered(Answer { lease: grant.lease, verdict, figures: solver.figures() }))
}
