//! Goals: the drive of the walks, on any number of threads, through growth and collection of the tables.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Mutex, RwLock};

use sprig_domain::{Figures, Question, Verdict};
use sprig_engine::Nimber;

use crate::collect;
use crate::game::Game;
use crate::lands::{self, LandId, Lands};
use crate::noise::Noise;
use crate::tables::{Conflict, Leave, Tables};
use crate::walk::{Outside, Walker};

/// Of the bytes of all records, so many eighths are kept at most when they are collected.
const KEPT: usize = 4;
/// A round lasts at least so many expansions,
const ROUND: u64 = 2000;
/// and at least one in so many of those that the goal has taken before it.
const ROUNDS: u64 = 5;
/// While facts come from elsewhere, a walk begins again at the goal after so many expansions.
const AGAIN: u64 = 1000;
/// Walks go deep: one level for each move and each heap. Two numbers and two references a level fit easily.
const STACK: usize = 64 << 20;

/// Bounds of a search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes that all of the search may take, its threads included; at least [`Limits::least_memory`].
    pub memory: usize,
    /// Threads that work on one goal.
    pub threads: usize,
}

/// Why a search cannot go on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SearchError {
    /// Two proofs exclude each other: a fact from elsewhere is wrong, or the rules of the game are not what it says.
    #[error("two proofs exclude each other for a land")]
    Contradiction {
        /// Key of the land.
        land: Vec<u8>,
        /// The nimbers that were possible, one bit each.
        possible: u64,
        /// Those that another proof leaves.
        claimed: u64,
    },
    /// All that is left rests on lands with too many moves to be listed.
    #[error("a land has too many moves to be listed")]
    TooManyMoves {
        /// Key of the first such land.
        land: Vec<u8>,
    },
    /// The search takes more memory than its [`Limits`] allow.
    #[error("the search needs more memory than it may take; allow it at least {} MB", wanted.div_ceil(1 << 20))]
    Memory {
        /// Bytes that might do.
        wanted: usize,
    },
}

/// Told of every nimber that is proved, and asked whether to stop.
pub trait Listener: Sync {
    /// Whether to stop. Asked often.
    fn stop(&self) -> bool {
        false
    }

    /// The nimber of the land with this key has just been proved. Called by the thread that proved it; it must not block
    /// for long.
    fn proved(&self, _land: &[u8], _nimber: Nimber) {}
}

/// Never stops a search, and does nothing with its facts.
impl Listener for () {}

/// A search of one game, with its tables. Shared by threads; kept from question to question, so that later ones profit from
/// earlier ones.
pub struct Search<G: Game> {
    game: G,
    limits: Limits,
    /// Read by walks for as long as they go, written to grow or collect.
    tables: RwLock<Tables>,
    /// Held by the thread that makes room. Nobody waits to write while there is room: whoever reads would keep him
    /// waiting until the next time there is none.
    room: Mutex<()>,
    /// Takes in what was proved elsewhere, once there is any.
    learner: Mutex<Option<Learner<G>>>,
    /// How many facts from elsewhere were taken in.
    learned: AtomicU64,
    /// The [`Noise`] of its walks. Orders nothing else.
    noise: AtomicU32,
    counters: Counters,
    goal: Mutex<Option<Goal>>,
}

/// The goal that was worked on last: keys of its lands, and the question.
type Goal = (Vec<Vec<u8>>, Question);

/// A walker that is kept from fact to fact, and the collections it has seen: its places are those of the tables after them.
struct Learner<G: Game> {
    walker: Walker<G>,
    collections: u64,
}

#[derive(Default)]
struct Counters {
    expansions: AtomicU64,
    children: AtomicU64,
    facts: AtomicU64,
    collections: AtomicU64,
    /// Expansions when the tables were collected last.
    collected: AtomicU64,
    /// Numbers of the goal.
    goal: AtomicU64,
    /// Expansions when the goal was taken up.
    begun: AtomicU64,
    /// Expansions with which the next round begins.
    round: AtomicU64,
}

/// One call of [`Search::solve`], as its walks see the outside.
struct Run<'a, L, G: Game> {
    listener: &'a L,
    search: &'a Search<G>,
    counters: &'a Counters,
    /// What of [`Search::learned`] was there when its walk began at the goal.
    heeded: AtomicU64,
    /// Expansions since then.
    since: AtomicU64,
    /// Stop at this count of expansions.
    budget: u64,
    done: &'a AtomicBool,
}

impl Counters {
    /// Whether it is time for a new round; says so to one thread only. Once lists of children have been dropped, none comes
    /// any more: numbers are then all that is left of the work.
    fn round_is_over(&self) -> bool {
        let (now, due) = (self.expansions.load(Relaxed), self.round.load(Relaxed));
        let next = now + (now.saturating_sub(self.begun.load(Relaxed)) / ROUNDS).max(ROUND);
        let is_complete = self.collected.load(Relaxed) == u64::MAX;
        now >= due
            && is_complete
            && self.round.compare_exchange(due, next, Relaxed, Relaxed).is_ok()
    }

    /// Another goal is taken up, and with it a new round.
    fn begin(&self) {
        let now = self.expansions.load(Relaxed);
        self.begun.store(now, Relaxed);
        self.round.store(now + ROUND, Relaxed);
    }
}

impl<L: Listener, G: Game> Outside for Run<'_, L, G> {
    fn check(&self, tables: &Tables) -> Result<(), Leave> {
        if self.done.load(Relaxed)
            || self.counters.expansions.load(Relaxed) >= self.budget
            || self.listener.stop()
        {
            return Err(Leave::Stopped);
        }
        if tables.full.load(Relaxed) {
            return Err(Leave::Full);
        }
        if self.counters.round_is_over() {
            tables.lands.begin_round();
            return Err(Leave::Again);
        }
        // A fact from elsewhere may decide a couple on the way, which shows when that is looked at.
        if self.since.load(Relaxed) >= AGAIN {
            self.since.store(0, Relaxed);
            let learned = self.search.learned.load(Relaxed);
            if self.heeded.swap(learned, Relaxed) != learned {
                return Err(Leave::Again);
            }
        }
        Ok(())
    }

    fn expanded(&self, children: u64) {
        self.since.fetch_add(1, Relaxed);
        self.counters.expansions.fetch_add(1, Relaxed);
        self.counters.children.fetch_add(children, Relaxed);
    }

    fn made_again(&self) {
        self.counters.children.fetch_add(1, Relaxed);
    }

    fn proved(&self, tables: &Tables, land: LandId, nimber: u8) {
        self.counters.facts.fetch_add(1, Relaxed);
        self.listener.proved(&tables.lands.bytes_of(land), lands::nimber(nimber));
    }

    fn noise(&self) -> Noise {
        Noise(self.search.noise.load(Relaxed))
    }
}

impl<G: Game> Search<G> {
    /// A search with empty tables.
    pub fn new(game: G, limits: Limits) -> Self {
        Self::taught(game, limits, &[])
    }

    /// The same with what [earlier searches](Self::knowledge) of the game have taught.
    pub fn taught(game: G, limits: Limits, knowledge: &[u8]) -> Self {
        let tables = RwLock::new(Tables::new(limits.shares(), knowledge));
        let counters = Counters { collected: AtomicU64::new(u64::MAX), ..Counters::default() };
        let (room, learner) = (Mutex::new(()), Mutex::new(None));
        let (learned, noise) = (AtomicU64::new(0), AtomicU32::new(Noise::NONE.0));
        let goal = Mutex::new(None);
        Self { game, limits, tables, room, learner, learned, noise, counters, goal }
    }

    /// Forgets all lands, but not what was learned about lands by their features.
    pub fn forget(&self) {
        let mut tables = self.tables.write().expect("no thread panics while it changes the tables");
        tables.lands = Lands::new(self.limits.shares().lands);
        self.counters.collections.fetch_add(1, Relaxed);
    }

    /// Counters. May be asked while a search runs.
    pub fn figures(&self) -> Figures {
        let counters = &self.counters;
        let (goal, expansions) = (counters.goal.load(Relaxed), counters.expansions.load(Relaxed));
        let (lands, bytes) = match self.tables.try_read() {
            Ok(tables) => (tables.lands.held() as u64, tables.lands.bytes() as u64),
            Err(_) => (0, 0),
        };
        Figures {
            expansions,
            generations: expansions,
            children: counters.children.load(Relaxed),
            lands,
            nodes: 0,
            facts: counters.facts.load(Relaxed),
            bytes,
            collections: counters.collections.load(Relaxed),
            proof: goal as u32,
            disproof: (goal >> 32) as u32,
        }
    }

    /// The tables, when nobody searches any more.
    pub(crate) fn into_tables(self) -> Tables {
        self.tables.into_inner().expect("no thread panics while it changes the tables")
    }

    /// A table of what the search has learned about lands by their features, with the knowledge it started from. It makes
    /// another search of the same game quicker ([`Self::taught`]), and nothing else.
    pub fn knowledge(&self) -> Vec<u8> {
        self.read().prior.knowledge()
    }

    /// Gives the search noise of its own, so that several searches of one question do different work. May be called while a
    /// search runs.
    pub fn differ(&self, noise: Noise) {
        self.noise.store(noise.0, Relaxed);
    }

    /// Takes in a nimber of a land that was proved elsewhere. May be called while a search runs.
    ///
    /// # Errors
    /// [`SearchError::Contradiction`] when the search has proved something else; [`SearchError::Memory`].
    pub fn learn(&self, land: &[u8], nimber: Nimber) -> Result<(), SearchError> {
        let mut learner = self.learner.lock().expect("no thread panics while it learns");
        let fresh = || Learner { walker: Walker::new(&self.game), collections: 0 };
        let Learner { walker, collections } = learner.get_or_insert_with(fresh);
        loop {
            let tables = self.read();
            if self.is_collected(collections) {
                walker.forget();
            }
            let land = walker.intern(&tables, land);
            let learned = land.and_then(|land| {
                tables.restrict(land, 1 << nimber.get()).map(drop).map_err(Leave::Conflict)
            });
            match learned {
                Ok(()) => {
                    self.learned.fetch_add(1, Relaxed);
                    return Ok(());
                }
                Err(Leave::Conflict(conflict)) => return Err(contradiction(&tables, conflict)),
                Err(_) => {
                    drop(tables);
                    self.make_room()?;
                }
            }
        }
    }

    /// Whether the tables, which the caller has in hand, have been collected since it asked last: all places in them are others.
    fn is_collected(&self, collections: &mut u64) -> bool {
        let now = self.counters.collections.load(Relaxed);
        std::mem::replace(collections, now) != now
    }

    /// Works on a question about a sum of lands for at most `expansions` expansions, on all threads of the [`Limits`]. After
    /// [`Verdict::Open`] the same call goes on where this one has ended.
    ///
    /// # Errors
    /// [`SearchError`] when it cannot go on; what was proved before stays proved.
    pub fn solve(
        &self,
        lands: &[&[u8]],
        question: Question,
        expansions: u64,
        listener: &impl Listener,
    ) -> Result<Verdict, SearchError> {
        let least = Limits::least_memory(self.limits.threads);
        if self.limits.memory < least {
            return Err(SearchError::Memory { wanted: least });
        }
        self.take_up(lands, question);
        let done = AtomicBool::new(false);
        let budget = self.counters.expansions.load(Relaxed).saturating_add(expansions);
        let one = || {
            let counters = &self.counters;
            let heeded = AtomicU64::new(self.learned.load(Relaxed));
            let since = AtomicU64::new(0);
            let run = Run { listener, search: self, counters, heeded, since, budget, done: &done };
            let result = self.drive(lands, question, &run);
            done.store(true, Relaxed);
            result
        };
        let one = &one;
        let results: Vec<_> = std::thread::scope(|scope| {
            let spawn = |_| {
                let builder = std::thread::Builder::new().name("solver".into()).stack_size(STACK);
                builder.spawn_scoped(scope, one).expect("the system has threads to give")
            };
            let threads: Vec<_> = (0..self.limits.threads.max(1)).map(spawn).collect();
            let join = |t: std::thread::ScopedJoinHandle<_>| {
                t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect()
        });
        let (mut open, mut dear) = (None, None);
        for result in results {
            match result {
                // Another thread may have found a way around it.
                Err(SearchError::TooManyMoves { .. }) => dear = Some(result),
                Ok(Verdict::Open { .. }) => open = Some(result),
                decided => return decided,
            }
        }
        if dear.is_some() {
            // More may be known when somebody asks again.
            self.read().lands.begin_round();
        }
        dear.or(open).expect("at least one thread has walked")
    }

    /// Begins a round for a new goal: what is near to a proof for one goal is not for another.
    fn take_up(&self, lands: &[&[u8]], question: Question) {
        let mut last = self.goal.lock().expect("no thread panics with the goal in hand");
        let is_last =
            last.as_ref().is_some_and(|(known, last)| *last == question && known == lands);
        if !is_last {
            *last = Some((lands.iter().map(|land| land.to_vec()).collect(), question));
            self.counters.begin();
            self.read().lands.begin_round();
        }
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Tables> {
        self.tables.read().expect("no thread panics while it changes the tables")
    }

    /// One thread's share of [`Self::solve`].
    fn drive(
        &self,
        lands: &[&[u8]],
        question: Question,
        run: &Run<impl Listener, G>,
    ) -> Result<Verdict, SearchError> {
        let (mut walker, mut collections) = (Walker::new(&self.game), 0);
        loop {
            let tables = self.read();
            if self.is_collected(&mut collections) {
                walker.forget();
            }
            let leave =
                match goal::pursue(&tables, &mut walker, lands, question, run, &self.counters.goal)
                {
                    Ok(answer) => return Ok(answer),
                    Err(leave) => leave,
                };
            match leave {
                Leave::Obsolete | Leave::Again => {}
                Leave::Stopped => {
                    let goal = self.counters.goal.load(Relaxed);
                    let (proof, disproof) = (goal as u32, (goal >> 32) as u32);
                    return Ok(Verdict::Open { proof, disproof });
                }
                Leave::Conflict(conflict) => return Err(contradiction(&tables, conflict)),
                Leave::TooManyMoves => {
                    let land = tables.dear().expect("a land was given up").to_vec();
                    return Err(SearchError::TooManyMoves { land });
                }
                Leave::Full => {
                    drop(tables);
                    self.make_room()?;
                }
            }
        }
    }

    /// Grows the table, or collects when the memory is used up.
    fn make_room(&self) -> Result<(), SearchError> {
        let _turn = self.room.lock().expect("no thread panics while it makes room");
        if !self.read().full.load(Relaxed) {
            // Another thread has made room meanwhile.
            return Ok(());
        }
        let mut tables = self.tables.write().expect("no thread panics while it changes the tables");
        if tables.lands.is_crowded() && tables.lands.may_grow() {
            tables.lands.grow();
        } else {
            // Without an expansion since the last collection, another one would not help.
            let expansions = self.counters.expansions.load(Relaxed);
            if self.counters.collected.swap(expansions, Relaxed) == expansions {
                return Err(SearchError::Memory { wanted: 2 * self.limits.memory });
            }
            let kept = tables.lands.capacity() / 8 * KEPT;
            collect::collect(&mut tables, kept);
            self.counters.collections.fetch_add(1, Relaxed);
        }
        tables.full.store(false, Relaxed);
        Ok(())
    }
}

fn contradiction(tables: &Tables, Conflict { land, before, kept }: Conflict) -> SearchError {
    let land = tables.lands.bytes_of(land);
    SearchError::Contradiction { land, possible: before.0, claimed: kept }
}

mod goal;
#[cfg(test)]
mod stress;
#[cfg(test)]
mod tests;
