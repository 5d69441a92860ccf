//! A real search that takes as many steps as it is allowed to, and stands still in between.
//!
//! It keeps its place: a walk that may go on does so in the middle of its tables. It begins again
//! at the goal only after [`Lane::halt`], which learning needs: while a walk stands in the tables,
//! no thread can make room in them.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use sprig_domain::{Figures, Goal, LandNimber, Verdict};
use sprig_search::{Limits, Noise, Observer, SolveError, Solver};

/// What came of some steps.
pub(super) struct Slice {
    /// What was proved, in this order.
    pub(super) facts: Vec<LandNimber>,
    /// The answer, if it was found.
    pub(super) verdict: Option<Verdict>,
}

/// What the thread of the search is told.
enum Order {
    /// Search for this goal, for this many steps; and whether it is only visited.
    Begin(Goal, u64, bool),
    /// Go on, for this many steps.
    GoOn(u64),
    /// Leave the tables.
    Halt,
}

/// What the thread of the search tells.
enum News {
    /// All steps are done.
    Paused(Vec<LandNimber>),
    /// It has left the tables.
    Left(Vec<LandNimber>, Result<Verdict, SolveError>),
}

/// A search.
pub(super) struct Lane {
    solver: Arc<Solver>,
    orders: Option<Sender<Order>>,
    news: Receiver<News>,
    /// Whether a walk stands in the tables.
    walking: bool,
    thread: Option<JoinHandle<()>>,
}

/// The observer that the search asks whether to stop: it waits here for its next steps.
struct Gate {
    orders: Mutex<Receiver<Order>>,
    news: Sender<News>,
    state: Mutex<State>,
    /// Whether the search leaves the tables after each slice: several threads cannot stand still in
    /// the same tables.
    leaves: bool,
}

#[derive(Default)]
struct State {
    left: u64,
    halted: bool,
    facts: Vec<LandNimber>,
}

impl Gate {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn order(&self) -> Option<Order> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }

    /// Waits for goals and works on them.
    fn run(&self, solver: &Solver) {
        while let Some(order) = self.order() {
            let Order::Begin(goal, steps, visits) = order else { continue };
            if visits {
                solver.visit(goal.position(), goal.question());
            }
            *self.state() = State { left: steps, ..State::default() };
            let verdict = solver.solve(goal.position(), goal.question(), u64::MAX, self);
            let facts = std::mem::take(&mut self.state().facts);
            if self.news.send(News::Left(facts, verdict)).is_err() {
                return;
            }
        }
    }
}

impl Observer<LandNimber> for Gate {
    /// Asked once before each expansion.
    fn stop(&self) -> bool {
        let mut state = self.state();
        if state.halted {
            return true;
        }
        if state.left == 0 {
            if self.leaves {
                state.halted = true;
                return true;
            }
            let facts = std::mem::take(&mut state.facts);
            if self.news.send(News::Paused(facts)).is_err() {
                return true;
            }
            match self.order() {
                Some(Order::GoOn(steps)) => state.left = steps,
                _ => {
                    state.halted = true;
                    return true;
                }
            }
        }
        state.left = state.left.saturating_sub(1);
        false
    }

    fn proved(&self, fact: LandNimber) {
        self.state().facts.push(fact);
    }
}

impl Lane {
    /// A search with empty tables.
    pub(super) fn new(limits: Limits) -> std::io::Result<Self> {
        let solver = Arc::new(Solver::new(limits));
        let (orders, received) = channel();
        let (said, news) = channel();
        let gate = Gate {
            orders: Mutex::new(received),
            news: said,
            state: Mutex::default(),
            leaves: limits.threads > 1,
        };
        let searched = Arc::clone(&solver);
        let thread =
            std::thread::Builder::new().name("lane".into()).spawn(move || gate.run(&searched))?;
        let (orders, thread) = (Some(orders), Some(thread));
        Ok(Self { solver, orders, news, walking: false, thread })
    }

    /// Gives it noise of its own.
    pub(super) fn differ(&self, noise: Noise) {
        self.solver.differ(noise);
    }

    pub(super) fn figures(&self) -> Figures {
        self.solver.figures()
    }

    /// Lets it take some steps towards the goal, which it may only visit.
    pub(super) fn run(&mut self, goal: &Goal, steps: u64, visits: bool) -> Result<Slice, String> {
        let order = if self.walking {
            Order::GoOn(steps)
        } else {
            Order::Begin(goal.clone(), steps, visits)
        };
        self.walking = true;
        self.say(order)?;
        self.hear()
    }

    /// Has it leave the tables: the next steps begin at the goal.
    pub(super) fn halt(&mut self) -> Result<Slice, String> {
        if !self.walking {
            return Ok(Slice { facts: Vec::new(), verdict: None });
        }
        self.say(Order::Halt)?;
        self.hear()
    }

    /// Takes in a fact of others, once it has left the tables.
    pub(super) fn learn(&mut self, fact: &LandNimber) -> Result<(), String> {
        assert!(!self.walking, "learning may have to make room");
        self.solver.learn(fact).map_err(|error| error.to_string())
    }

    fn say(&self, order: Order) -> Result<(), String> {
        let orders = self.orders.as_ref().ok_or("the search has ended")?;
        orders.send(order).map_err(|_| "the search has ended".into())
    }

    fn hear(&mut self) -> Result<Slice, String> {
        match self.news.recv().map_err(|_| "the search has panicked")? {
            News::Paused(facts) => Ok(Slice { facts, verdict: None }),
            News::Left(facts, verdict) => {
                self.walking = false;
                let verdict = verdict.map_err(|error| error.to_string())?;
                let verdict = Some(verdict).filter(|found| !matches!(found, Verdict::Open { .. }));
                Ok(Slice { facts, verdict })
            }
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        // A walk that waits for its next steps finds the sender gone, and leaves.
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A panic of it was printed, and has been reported.
            let _ = thread.join();
        }
    }
}
