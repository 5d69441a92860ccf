//! Misère outcomes, proved inside this process: a base of trees, a search on it, and what it proves in a database.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use anyhow::Context;
use sprig_domain::Figures;
use sprig_domain::Node;
use sprig_engine::{CanonicalPosition, Position};
use sprig_misere::{Limits, MisereError, Observer, Search, base_of};
use sprig_store::{Batch, Contribution, Fact, Kind, Status, Store};
use sprig_trees::TreeError;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, interval};

use crate::failure::{Failure, Interrupted};
use crate::progress::Progress;
use crate::solved::Solved;
use crate::stop::Stop;
use crate::trees::{Trees, provenance};

/// How often the progress line is drawn.
const TICK: Duration = Duration::from_millis(500);

/// Lost nodes of one commit at most.
const BATCH: usize = 1 << 12;

/// The start position whose game tree is the base for a position.
pub fn base_for(position: &CanonicalPosition) -> Position {
    Position::start(base_of(position))
}

/// A search, and what it stands on.
pub struct Misere {
    runtime: Runtime,
    stop: Stop,
    trees: Trees,
    limits: Limits,
    /// Spots of the base that the search has, and the search.
    search: Option<(usize, Search)>,
}

impl Misere {
    /// With the database in `folder`, which is made where there is none; without, nothing is kept. Takes the trees of another
    /// database in `base` over.
    ///
    /// # Errors
    /// When a database cannot be used.
    pub fn open(
        folder: Option<&Path>,
        base: Option<&Path>,
        limits: Limits,
    ) -> anyhow::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let guard = runtime.enter();
        let stop = Stop::listen()?;
        drop(guard);
        let mut trees = Trees::open(folder, limits.threads)?;
        if let Some(base) = base.filter(|&base| folder != Some(base)) {
            trees.take_over(base)?;
        }
        Ok(Self { runtime, stop, trees, limits, search: None })
    }

    /// Leaves what is not proved by then.
    pub fn stop_at(&mut self, deadline: Option<Instant>) {
        self.stop.at(deadline);
    }

    /// Proves who wins `position`, typed as `typed`.
    ///
    /// # Errors
    /// [`Failure::Position`] when a land has too many moves, [`Failure::Everything`] when the database or the memory fails or
    /// a person wishes to stop. What was proved is kept.
    pub fn prove(&mut self, typed: &str, position: &Position) -> Result<Solved, Failure> {
        let start = Instant::now();
        let canonical = CanonicalPosition::of(position);
        self.prepare(&canonical)?;
        let (_, search) = self.search.as_ref().expect("it has just been prepared");
        let before = search.figures();
        let found = with_writer(self.trees.store(), |lost| {
            let observer = Watch { stop: AtomicBool::new(false), lost };
            until_stopped(&self.runtime, &mut self.stop, &observer.stop, typed, search, || {
                search.solve(&canonical, &observer)
            })
        })?;
        let figures = since(search.figures(), before);
        match found {
            Ok(Some(outcome)) => {
                let seconds = start.elapsed().as_secs_f64();
                Ok(Solved::misere(typed, &canonical, outcome, &figures, seconds))
            }
            Ok(None) => Err(Interrupted::new(format!(
                "{} lost nodes in {} expansions; {}",
                figures.facts,
                figures.expansions,
                self.trees.fate()
            ))
            .into()),
            Err(error @ MisereError::Tree(TreeError::TooManyMoves(_))) => {
                Err(Failure::Position(error.into()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Sees to a base that is large enough for the position, and to a search on it that knows all lost nodes.
    fn prepare(&mut self, position: &CanonicalPosition) -> anyhow::Result<()> {
        let spots = base_of(position);
        if self.search.as_ref().is_some_and(|&(built, _)| built >= spots) {
            return Ok(());
        }
        let base = CanonicalPosition::of(&Position::start(spots));
        let (stop, runtime) = (&mut self.stop, &self.runtime);
        let built = self.trees.build(&base, |_| stop_now(runtime, stop));
        match built {
            Err(error) if matches!(error.downcast_ref(), Some(TreeError::Stopped { .. })) => {
                let message = format!("while it built a base; {}", self.trees.fate());
                return Err(Interrupted::new(message).into());
            }
            built => drop(built?),
        }
        let search = Search::new(self.trees.base(), self.limits);
        if let Some(store) = self.trees.store() {
            let mut failure = None;
            let losses = store.facts(Kind::Loss).filter_map(|stored| match stored {
                // What is merely claimed, the search does not stand on.
                Ok(stored) if stored.fact.status == Status::Claimed => None,
                Ok(stored) => Some(Node::decode(&stored.fact.subject).map_err(anyhow::Error::from)),
                Err(error) => Some(Err(error.into())),
            });
            let losses = losses.map_while(|node| node.map_err(|error| failure = Some(error)).ok());
            search.learn(losses)?;
            failure.map_or(Ok(()), Err)?;
        }
        self.search = Some((spots, search));
        Ok(())
    }
}

/// What the search is told, and where its proofs go.
struct Watch {
    stop: AtomicBool,
    /// To the writer, if there is one.
    lost: Option<Sender<Node>>,
}

impl Observer for Watch {
    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn lost(&self, node: Node) {
        // A writer that has gone gives its reason when it is joined.
        if let Some(lost) = &self.lost
            && lost.send(node).is_err()
        {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Runs `work` with a thread that writes to the database what is sent to it; returns when all of it is on disk.
fn with_writer<R>(
    store: Option<&Store>,
    work: impl FnOnce(Option<Sender<Node>>) -> R,
) -> anyhow::Result<R> {
    let Some(store) = store else { return Ok(work(None)) };
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| write(store, receiver));
        let result = work(Some(sender));
        writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(result)
    })
}

/// Commits lost nodes, as many at a time as have come while the last commit was in work.
fn write(store: &Store, nodes: Receiver<Node>) -> anyhow::Result<()> {
    while let Ok(first) = nodes.recv() {
        let more = nodes.try_iter().take(BATCH - 1);
        let facts =
            std::iter::once(first).chain(more).map(|node| Fact::loss(&node.encode()).verified());
        let (provenance, facts) = (provenance("solve"), facts.collect());
        let contributions = vec![Contribution { provenance, facts, exclusions: Vec::new() }];
        store
            .commit(&Batch { contributions, ..Batch::default() })
            .context("cannot keep what was proved")?;
    }
    Ok(())
}

/// Runs `work` on a thread of its own; draws the progress line meanwhile, and sets `flag` when a person wishes to stop.
fn until_stopped<R: Send>(
    runtime: &Runtime,
    stop: &mut Stop,
    flag: &AtomicBool,
    typed: &str,
    search: &Search,
    work: impl FnOnce() -> R + Send,
) -> R {
    let (done, mut end) = tokio::sync::oneshot::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _ = done.send(work());
        });
        runtime.block_on(async {
            let (mut progress, mut ticks) = (Progress::start(typed), interval(TICK));
            loop {
                tokio::select! {
                    result = &mut end => return result.expect("the work does not panic"),
                    () = stop.requested() => flag.store(true, Ordering::Relaxed),
                    _ = ticks.tick() => progress.show_misere(&search.figures()),
                }
            }
        })
    })
}

/// Whether a person has wished to stop by now.
fn stop_now(runtime: &Runtime, stop: &mut Stop) -> ControlFlow<()> {
    runtime.block_on(async {
        tokio::select! {
            biased;
            () = stop.requested() => ControlFlow::Break(()),
            () = std::future::ready(()) => ControlFlow::Continue(()),
        }
    })
}

/// What was done since `before`.
fn since(now: Figures, before: Figures) -> Figures {
    Figures {
        expansions: now.expansions - before.expansions,
        facts: now.facts - before.facts,
        ..now
    }
}
