//! Positions: the drive of the walks, on any number of threads, through growth and collection of the tables.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use sprig_domain::Outcome;
use sprig_search::{Noise, Numbers};

use super::node::hash;
use super::tables::{Leave, Tables};
use super::walk::{Outside, UNBOUNDED, Walker, World};
use super::{Observer, Search};
use crate::error::MisereError;
use sprig_domain::Node;
use sprig_trees::TreeError;

/// Walks go deep: one level for each move.
const STACK: usize = 16 << 20;

/// One call of [`Search::solve`], as its walks see the outside.
struct Run<'a> {
    search: &'a Search,
    observer: &'a dyn Observer,
    done: AtomicBool,
}

impl Outside for Run<'_> {
    fn check(&self, tables: &Tables) -> Result<(), Leave> {
        if self.done.load(Relaxed) || self.observer.stop() {
            return Err(Leave::Stopped);
        }
        // Copying what is kept needs room beside the tables.
        if tables.full.load(Relaxed) || tables.bytes() > self.search.limits.memory / 4 * 3 {
            return Err(tables.no_room());
        }
        Ok(())
    }

    fn expanded(&self) {
        self.search.counters.expansions.fetch_add(1, Relaxed);
    }

    fn lost(&self, tables: &Tables, node: &[u32]) {
        self.search.counters.losses.fetch_add(1, Relaxed);
        self.observer.lost(self.search.node(tables, node));
    }

    fn reached(&self, Numbers { proof, disproof }: Numbers) {
        let goal = u64::from(proof) | u64::from(disproof) << 32;
        self.search.counters.goal.store(goal, Relaxed);
    }

    fn is_shared(&self) -> bool {
        self.search.limits.threads > 1
    }

    fn noise(&self) -> Noise {
        Noise(self.search.noise.load(Relaxed))
    }
}

pub(super) fn solve(
    search: &Search,
    node: &Node,
    observer: &dyn Observer,
) -> Result<Option<Outcome>, MisereError> {
    let run = Run { search, observer, done: AtomicBool::new(false) };
    let one = || {
        let result = drive(&run, node);
        run.done.store(true, Relaxed);
        result
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let spawn = |_| {
            let builder = std::thread::Builder::new().name("search".into()).stack_size(STACK);
            builder.spawn_scoped(scope, one).expect("the system has threads to give")
        };
        let threads: Vec<_> = (0..search.limits.threads.max(1)).map(spawn).collect();
        let join = |thread: std::thread::ScopedJoinHandle<_>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    let (mut open, mut dear) = (None, None);
    for result in results {
        match result {
            // Another thread may have found a way around it.
            Err(MisereError::Tree(TreeError::TooManyMoves(_))) => dear = Some(result),
            Ok(None) => open = Some(result),
            decided => return decided,
        }
    }
    if dear.is_some() {
        search.read().forget_dear(&search.trees);
    }
    dear.or(open).expect("at least one thread has walked")
}

/// One thread's share of [`solve`].
fn drive(run: &Run<'_>, node: &Node) -> Result<Option<Outcome>, MisereError> {
    let counters = &run.search.counters;
    let mut walker = Walker::new(run.search.game);
    loop {
        let tables = run.search.read();
        let result = pursue(&tables, &mut walker, run, node);
        counters.generations.fetch_add(std::mem::take(&mut walker.expander.lands), Relaxed);
        counters.children.fetch_add(std::mem::take(&mut walker.expander.children), Relaxed);
        match result {
            Ok(true) => return Ok(Some(Outcome::Loss)),
            Ok(false) => return Ok(Some(Outcome::Win)),
            Err(Leave::Stopped) => return Ok(None),
            Err(Leave::Obsolete) => {}
            Err(Leave::TooManyMoves(error)) => return Err(error.into()),
            Err(Leave::Contradicted(place)) => {
                let mut words = Vec::new();
                tables.node_words(place, &mut words);
                return Err(MisereError::Refuted {
                    node: Box::new(run.search.node(&tables, &words)),
                });
            }
            Err(Leave::Full) => {
                drop(tables);
                walker.forget();
                run.search.make_room()?;
            }
        }
    }
}

/// Walks from the node until it is decided; whether it is lost. Without its trees in the base there is no way.
fn pursue(tables: &Tables, walker: &mut Walker, run: &Run<'_>, node: &Node) -> Result<bool, Leave> {
    let trees = &run.search.trees;
    let node = run.search.words(tables, &mut walker.expander.namer, node)?;
    let Some(node) = node else { return Err(Leave::Stopped) };
    if let Some(lost) = run.search.decided(&node) {
        return Ok(lost);
    }
    let start = tables.start(&node, trees);
    let (place, new) = tables.node(&node, hash(&node), start, &mut walker.chunk)?;
    if new {
        run.expanded();
    }
    let world = World { tables, trees, outside: run };
    loop {
        match tables.numbers(place) {
            Numbers { disproof: 0, .. } => return Ok(true),
            Numbers { proof: 0, .. } => return Ok(false),
            numbers => match tables.is_hopeless(numbers) {
                Some(why) => return Err(Leave::TooManyMoves(why)),
                None => walker.work(&world, place, &node, UNBOUNDED)?,
            },
        }
    }
}
