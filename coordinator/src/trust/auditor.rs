//! The thread that checks claims.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sprig_audit::{Proof, Recomputed, Recomputer};
use sprig_blocking::{Blocking, Hand, Running, Tell};
use sprig_domain::{Game, JobId, LandNimber};
use sprig_search::step::{Finding, Inspector, Sketches};
use sprig_store::{Kind, Store, StoreError, Subject};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tracing::{debug, info, warn};

use super::impatience::{Impatience, Showing};
use super::prove::prove;
use super::purse::Purse;
use super::record::Record;
use super::samples::{Sample, Samples};
use super::{Answered, Doubt, Means, Standing, Suspicion, Task, Trust, doubt, revalidate};
use crate::driver::{Inbound, Resumption};
use crate::feed::Feed;
use crate::machine::Event;
use crate::watchdog::Part;
use crate::writer;

/// Claims that did not follow and wait to be looked at again, at most; more are let go.
const WAITING: usize = 4096;
/// How long a claim that does not follow may wait for what it rests on: another thread of the
/// worker may report it later.
const LATER: Duration = Duration::from_secs(2);
/// Expansions to compute a doubtful sample again.
const EXPANSIONS: u64 = 5_000;
/// How long the thread may take to see that it is to stop.
const END: Duration = Duration::from_secs(3);
/// Doubtful samples of a source after which every claim is looked at.
const DOUBTS: u64 = 3;

/// Counters, for those that watch.
#[derive(Debug, Default)]
pub(crate) struct Audited {
    /// Claims that were looked at because the sample fell on them.
    pub(crate) sampled: AtomicU64,
    /// Claims verified because an answer rests on them, or because all were looked at.
    pub(crate) verified: AtomicU64,
    /// Claims withdrawn.
    pub(crate) withdrawn: AtomicU64,
    /// Microseconds spent on samples.
    pub(crate) sampling: AtomicU64,
    /// Microseconds spent on whole answers, and on looking at all claims.
    pub(crate) proving: AtomicU64,
}

/// The way to the thread.
#[derive(Debug)]
pub(crate) struct Auditor {
    pub(crate) tasks: mpsc::UnboundedSender<Task>,
    part: Arc<Part>,
    running: Running,
}

struct Examiner {
    means: Means,
    store: Arc<Store>,
    /// Where newcomers are admitted.
    feed: Arc<Feed>,
    /// The answer that is being shown, for those that wait for it.
    showing: Arc<Showing>,
    /// Messages that are sent after the step.
    words: Vec<Inbound>,
    part: Arc<Part>,
    figures: Arc<Audited>,
    /// One inspector for each game.
    inspectors: BTreeMap<Game, Inspector>,
    /// What the facts look like; `None` before the first answer is to be shown.
    sketches: Option<Arc<Sketches>>,
    records: BTreeMap<String, Record>,
    /// Claims that have not been looked at.
    samples: Samples,
    /// Claims that did not follow, with when to look at each again: the earliest first.
    doubtful: VecDeque<(Instant, Sample)>,
    /// The zero of the purse's time.
    started: Instant,
    purse: Purse,
    /// When the next sample may be looked at.
    rested: Instant,
    /// Set when a suspicion has been raised; samples rest until all claims have been looked at.
    alarmed: bool,
    /// The thread of [`Impatience`] ends when this is dropped.
    _works: mpsc::UnboundedSender<Infallible>,
}

impl Auditor {
    pub(crate) fn start(
        blocking: &Blocking,
        means: Means,
        store: Arc<Store>,
        feed: Arc<Feed>,
        inbox: mpsc::Sender<Inbound>,
        figures: Arc<Audited>,
        part: Arc<Part>,
    ) -> std::io::Result<Self> {
        let (works, ended) = mpsc::unbounded_channel();
        let showing = Arc::<Showing>::default();
        let impatience = Impatience::new(Arc::clone(&means.watched), Arc::clone(&showing));
        drop(blocking.start("patience", impatience, ended, inbox.clone())?);
        let now = Instant::now();
        let inspector =
            |game| (game, Inspector::of(game).watched(Arc::clone(&means.watched)).hurried());
        let inspectors = Game::ALL.into_iter().map(inspector).collect();
        let examiner = Examiner {
            means,
            store,
            feed,
            showing,
            words: Vec::new(),
            part: Arc::clone(&part),
            figures,
            inspectors,
            sketches: None,
            records: BTreeMap::new(),
            samples: Samples::default(),
            doubtful: VecDeque::new(),
            started: now,
            purse: Purse::new(Duration::ZERO),
            rested: now,
            alarmed: false,
            _works: works,
        };
        let (tasks, queue) = mpsc::unbounded_channel();
        let running = blocking.start("auditor", examiner, queue, inbox)?;
        Ok(Self { tasks, part, running })
    }

    /// Ends the thread, in the middle of whatever it does. Nothing is lost by that. If it does not
    /// see that it is to stop, it ends with the process.
    pub(crate) fn end(self) {
        self.part.watched.stop();
        drop(self.tasks);
        if !self.running.ends_within(END) {
            warn!("the auditor does not stop; it is left behind");
        }
    }
}

impl Hand for Examiner {
    type Order = Task;
    type News = Inbound;

    /// When to look at the next sample: after the rest for the last one.
    fn due(&self) -> Option<Instant> {
        let doubtful = self.doubtful.front().map(|(due, _)| *due);
        let fresh = (!self.samples.is_empty()).then_some(self.rested);
        Some(doubtful.into_iter().chain(fresh).min()?.max(self.rested))
    }

    fn step(
        &mut self,
        tasks: Vec<Task>,
        begun: Instant,
        tell: Tell<'_, Inbound>,
    ) -> ControlFlow<()> {
        let part = Arc::clone(&self.part);
        if part.watched.is_stopped() {
            return ControlFlow::Break(());
        }
        let _busy = part.busy();
        let done = match tasks.into_iter().next() {
            Some(task) => self.perform(task, begun),
            None => {
                let done = self.look();
                let spent = begun.elapsed();
                self.purse.spend(self.started.elapsed(), spent);
                self.rested = Instant::now() + self.purse.rest();
                count_time(&self.figures.sampling, spent);
                done
            }
        };
        self.words.drain(..).for_each(&mut *tell);
        match done {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                tell(Inbound::StoreFailed(error));
                ControlFlow::Break(())
            }
        }
    }
}

impl Examiner {
    fn perform(&mut self, task: Task, begun: Instant) -> Result<(), StoreError> {
        let done = match task {
            Task::Sample { source, game, facts } => {
                self.sample(&source, game, facts);
                return Ok(());
            }
            Task::Prove(answered) => self.prove(&answered, begun),
            Task::Check(doubt) => self.check(doubt),
            Task::Revalidate(suspicion) => self.revalidate(&suspicion),
        };
        count_time(&self.figures.proving, begun.elapsed());
        done
    }

    fn sample(&mut self, source: &str, game: Game, facts: Vec<LandNimber>) {
        if let Some(sketches) = &mut self.sketches {
            let sketches = Arc::make_mut(sketches);
            facts.iter().for_each(|fact| sketches.add(fact.land.key()));
        }
        if self.alarmed {
            return;
        }
        let share = self.records.get(source).copied().unwrap_or_default().share();
        for fact in facts {
            let roll = self.means.environment.roll(&fact.land) as f64 / u64::MAX as f64;
            if roll <= share {
                self.samples.push(source, game, fact);
            }
        }
    }

    /// Looks at the sample that is due first.
    fn look(&mut self) -> Result<(), StoreError> {
        let now = Instant::now();
        let is_due = self.doubtful.front().is_some_and(|(due, _)| *due <= now);
        let doubtful = if is_due { self.doubtful.pop_front() } else { None };
        let is_first_look = doubtful.is_none();
        let sample = doubtful.map(|(_, sample)| sample).or_else(|| self.samples.pop());
        let Some(Sample { source, game, fact }) = sample else { return Ok(()) };
        let store = self.store.of(game);
        let known = &mut |land: &[u8]| store.nimber(land);
        let inspector = self.inspectors.get_mut(&game).expect("there is one for each game");
        inspector.refresh();
        let finding = inspector.inspect(fact.land.key(), fact.nimber, known)?;
        self.figures.sampled.fetch_add(1, Ordering::Relaxed);
        if matches!(finding, Finding::Shown(_)) {
            self.showed(&source);
            return Ok(());
        }
        if matches!(finding, Finding::TooDear | Finding::Stopped) {
            // That says nothing about its source. Should an answer rest on the claim, it is taken
            // out.
            debug!(source, land = %fact.land, "a claim takes too long to be checked");
            // Other claims of the source may take as long, and those of other sources wait behind
            // them.
            self.samples.drop_those_of(&source);
            return Ok(());
        }
        if is_first_look {
            if self.doubtful.len() < WAITING {
                self.doubtful.push_back((now + LATER, Sample { source, game, fact }));
            }
            return Ok(());
        }
        let LandNimber { land, nimber } = fact;
        match Recomputer::of(game).nimber(land.key(), EXPANSIONS, &self.means.plan()) {
            Recomputed::Nimber(found) if found == nimber => self.showed(&source),
            Recomputed::Nimber(found) => {
                let reason = format!(
                    "{source} claims nimber {nimber} for land {land}; computed again it is {found}"
                );
                self.raise(Suspicion { reason, accused: Some(source), doubted: None, job: None });
            }
            Recomputed::TooDear => {
                debug!(source, %land, "a claim takes too long to be computed again");
                // Other claims of the source that follow from nothing may take as long, and those
                // of other sources wait behind them.
                self.doubtful.retain(|(_, sample)| sample.source != source);
            }
            Recomputed::Open => {
                let record = self.records.entry(source.clone()).or_default();
                record.doubtful += 1;
                debug!(source, %land, %nimber, "a claim follows from nothing that was reported");
                if record.doubtful >= DOUBTS {
                    let reason = format!("{DOUBTS} claims of {source} follow from nothing");
                    self.raise(Suspicion { reason, accused: None, doubted: None, job: None });
                }
            }
        }
        Ok(())
    }

    /// A claim of this source holds.
    fn showed(&mut self, source: &str) {
        let record = self.records.entry(source.to_owned()).or_default();
        record.shown += 1;
        if record.is_no_newcomer() && self.feed.admit(source) {
            self.tell(Inbound::Event(Event::Admitted { name: source.to_owned() }));
        }
    }

    fn check(&mut self, doubt: Doubt) -> Result<(), StoreError> {
        let finding = doubt::check(&self.store, &doubt.about, &self.means)?;
        self.tell(Inbound::Checked(doubt, finding));
        Ok(())
    }

    fn prove(&mut self, answered: &Answered, begun: Instant) -> Result<(), StoreError> {
        let job = answered.job;
        let sketches = self.sketches()?;
        self.showing.set(Some((job, self.means.watched.inspected())));
        let proof = prove(&self.store, answered, &sketches, &self.means);
        self.showing.set(None);
        let proof = proof?;
        if self.part.watched.is_stopped() && !matches!(proof, Proof::Shown(_)) {
            // It was told to stop, so what it has not found means nothing.
            return Ok(());
        }
        match proof {
            Proof::Shown(facts) => {
                info!(
                    job = job.0,
                    facts,
                    seconds = begun.elapsed().as_secs_f64(),
                    "answer verified"
                );
                self.figures.verified.fetch_add(facts as u64, Ordering::Relaxed);
                self.tell(Inbound::Event(Event::Proved { job, conclusion: answered.conclusion }));
            }
            Proof::Baseless(kind, subject) => {
                let store = self.store.of(answered.goal.game());
                let provenance = store.provenance(kind, &subject)?;
                let source = provenance.map_or_else(String::new, |p| p.source.worker);
                let subject = Subject(kind, &subject);
                let reason = format!(
                    "to show the answer to job {job}, what {source} claims about {subject} was looked at, and it follows from nothing"
                );
                self.raise(Suspicion { reason, accused: None, doubted: None, job: Some(job) });
            }
            // A claim came while the answer was on its way. Either may be the lie. The job goes on,
            // and its search will learn of the claim.
            Proof::Disputed => self.tell(Inbound::Event(Event::Unfounded { job })),
            Proof::Unfounded => match answered.by.clone() {
                // No fact is in doubt: the worker alone is responsible for its answer.
                Some(by) => self.tell(Inbound::Unfounded { job, by }),
                None => {
                    let reason = format!("the answer to job {job} does not follow from the facts");
                    self.raise(Suspicion { reason, accused: None, doubted: None, job: Some(job) });
                }
            },
            Proof::Hopeless(reason) => {
                let reason = format!("its answer cannot be shown: {reason}");
                self.tell(Inbound::Event(Event::Unprovable { job, reason }));
            }
            Proof::Stopped => {}
        }
        Ok(())
    }

    /// What the facts of the database look like, as far as there is room: from then on, claims are
    /// added as they come.
    fn sketches(&mut self) -> Result<Arc<Sketches>, StoreError> {
        if let Some(sketches) = &self.sketches {
            return Ok(Arc::clone(sketches));
        }
        let mut sketches = Sketches::default();
        // A sketch of another game's land only costs time.
        for store in Game::ALL.map(|game| self.store.of(game)) {
            for stored in store.facts(Kind::Nimber) {
                if sketches.is_full() || !self.part.watched.step() {
                    break;
                }
                sketches.add(&stored?.fact.subject);
            }
        }
        Ok(Arc::clone(self.sketches.insert(Arc::new(sketches))))
    }

    fn revalidate(&mut self, suspicion: &Suspicion) -> Result<(), StoreError> {
        self.samples.clear();
        self.doubtful.clear();
        self.inspectors.values_mut().for_each(Inspector::forget);
        self.alarmed = false;
        let done = revalidate::revalidate(&self.store, &self.feed, suspicion, &self.means)?;
        if done.stopped {
            return Ok(());
        }
        self.feed.release();
        self.figures.verified.fetch_add(done.verified, Ordering::Relaxed);
        self.figures.withdrawn.fetch_add(done.withdrawn as u64, Ordering::Relaxed);
        let (found, knowers) = (done.found(), done.knowers);
        let standing = Standing::read(&self.store)?;
        let first = writer::unfinished(&self.store, Trust::Checked)?;
        let next = JobId(self.store.next_job()?.0);
        let resumption = Resumption { next, first, standing, found, knowers };
        self.tell(Inbound::Inspected(resumption));
        Ok(())
    }

    fn raise(&mut self, suspicion: Suspicion) {
        self.alarmed = true;
        self.samples.clear();
        self.doubtful.clear();
        self.tell(Inbound::Suspected(suspicion));
    }

    fn tell(&mut self, inbound: Inbound) {
        self.words.push(inbound);
    }
}

fn count_time(counter: &AtomicU64, spent: Duration) {
    counter.fetch_add(spent.as_micros().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
}
