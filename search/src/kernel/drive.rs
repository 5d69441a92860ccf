//! A goal on any number of threads, through growth and collection of the tables.

use std::cell::Cell;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use super::noise::Noise;
use super::room::{Kept, Shared, Tables, Tools};
use super::walk::Leave;

/// While facts come from elsewhere, a walk begins again at the goal after this many expansions.
const AGAIN: u64 = 1000;
/// Bytes of a thread's stack. Walks go deep: one level for each move and each heap. A frame of a
/// walk takes some hundred bytes.
const STACK: usize = 64 << 20;

/// Bounds of a search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes that all of the search may take, its threads included.
    pub memory: usize,
    /// Threads that work on one goal.
    pub threads: usize,
}

/// How a search is told to end, and where its facts go: `F` is a fact.
pub trait Observer<F>: Sync {
    /// Whether to stop. Asked often.
    fn stop(&self) -> bool {
        false
    }

    /// Tells that a fact has just been proved. It is called once for each fact, by the thread that
    /// proved it, and must not block for long.
    fn proved(&self, _fact: F) {}
}

/// Never stops a search, and does nothing with its facts.
impl<F> Observer<F> for () {}

/// The bounds of the work on a goal.
pub struct Bounds<'a> {
    /// Threads that work on it; at least one does.
    pub threads: usize,
    /// Expansions that the work may take.
    pub expansions: u64,
    /// Whether to stop. Asked often.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// One thread's work on a goal: what its walk sees of the outside.
pub struct Run<'a, T> {
    shared: &'a Shared<T>,
    stop: &'a (dyn Fn() -> bool + Sync),
    /// Whether another thread is done.
    done: &'a AtomicBool,
    /// Whether other threads walk the same tables.
    is_shared: bool,
    /// The count of expansions at which to stop.
    budget: u64,
    /// How many facts from elsewhere had been learned when the walk began at the goal.
    heeded: Cell<u64>,
    /// Expansions since then.
    since: Cell<u64>,
}

impl<T: Tables> Run<'_, T> {
    /// Why to leave the walk, if it must be left.
    ///
    /// # Errors
    /// [`Leave::Stopped`], [`Leave::Full`], [`Leave::Again`].
    pub fn check<C>(&self, tables: &T) -> Result<(), Leave<C>> {
        let counters = &self.shared.counters;
        if self.done.load(Relaxed)
            || counters.expansions.load(Relaxed) >= self.budget
            || (self.stop)()
        {
            return Err(Leave::Stopped);
        }
        if tables.is_full() {
            return Err(Leave::Full);
        }
        if counters.round_is_over() {
            tables.begin_round();
            return Err(Leave::Again);
        }
        if self.since.get() >= AGAIN {
            self.since.set(0);
            let learned = self.shared.learned.load(Relaxed);
            if self.heeded.replace(learned) != learned {
                return Err(Leave::Again);
            }
        }
        Ok(())
    }

    /// Notes that a node is worked on for the first time.
    #[inline]
    pub fn expanded(&self) {
        self.since.set(self.since.get() + 1);
        self.shared.counters.expansions.fetch_add(1, Relaxed);
    }

    /// Notes that children were generated.
    #[inline]
    pub fn generated(&self, children: u64) {
        self.shared.counters.children.fetch_add(children, Relaxed);
    }

    /// Notes that a fact has been proved.
    pub fn proved(&self) {
        self.shared.counters.facts.fetch_add(1, Relaxed);
    }

    /// The tables with all that walks share.
    #[inline]
    pub fn shared(&self) -> &Shared<T> {
        self.shared
    }

    /// Whether other threads walk the same tables.
    #[inline]
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// What makes this walk different from those of other searches.
    #[inline]
    pub fn noise(&self) -> Noise {
        self.shared.noise()
    }
}

impl<T: Tables> Shared<T> {
    /// Works on a goal until it is decided, each thread with tools of its own; `None` when the
    /// bounds ended the work. `pursue` walks from the goal, on a stack with room for deep walks.
    ///
    /// # Errors
    /// [`Leave::Contradiction`]; [`Leave::Full`] when there is not enough memory;
    /// [`Leave::TooManyMoves`].
    pub fn solve<W: Tools, A: Send, C: Send>(
        &self,
        Bounds { threads, expansions, stop }: Bounds<'_>,
        tools: impl Fn() -> W + Sync,
        pursue: impl Fn(&T, &mut W, &Run<'_, T>) -> Result<A, Leave<C>> + Sync,
    ) -> Result<Option<A>, Leave<C>> {
        let done = AtomicBool::new(false);
        let budget = self.counters.expansions.load(Relaxed).saturating_add(expansions);
        let one = || {
            let run = Run {
                shared: self,
                stop,
                done: &done,
                is_shared: threads > 1,
                budget,
                heeded: Cell::new(self.learned.load(Relaxed)),
                since: Cell::new(0),
            };
            let mut tools = Kept::new(tools());
            let result = loop {
                match self.attempt(&mut tools, |tables, tools| pursue(tables, tools, &run)) {
                    Err(Leave::Obsolete | Leave::Again) => {}
                    Err(Leave::Stopped) => break Ok(None),
                    result => break result.map(Some),
                }
            };
            done.store(true, Relaxed);
            result
        };
        let (mut open, mut dear) = (None, None);
        for result in on_threads(threads.max(1), &one) {
            match result {
                // Another thread may have found a way around the land.
                Err(Leave::TooManyMoves) => dear = Some(result),
                Ok(None) => open = Some(result),
                decided => return decided,
            }
        }
        dear.or(open).expect("at least one thread has walked")
    }
}

/// What `one` returns on each of some threads. A panic on one of them is passed on here.
fn on_threads<R: Send>(threads: usize, one: &(impl Fn() -> R + Sync)) -> Vec<R> {
    std::thread::scope(|scope| {
        let spawn = |_| {
            let builder = std::thread::Builder::new().name("search".into()).stack_size(STACK);
            builder.spawn_scoped(scope, one).expect("the system has threads to give")
        };
        let threads: Vec<_> = (0..threads).map(spawn).collect();
        let join = |thread: std::thread::ScopedJoinHandle<_>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    })
}
