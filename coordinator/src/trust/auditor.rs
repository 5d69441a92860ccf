//! The thread that checks claims.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sprig_audit::{Proof, Recomputed, Recomputer};
use sprig_domain::{JobId, LandNimber};
use sprig_search::step::{Finding, Inspector, Sketches};
use sprig_store::{Kind, Store, StoreError, Subject};
use tokio::sync::mpsc;
use tracing::{debug, info, warn};

use super::prove::prove;
use super::purse::Purse;
use super::record::Record;
use super::samples::{Sample, Samples};
use super::{Answered, Doubt, Standing, Suspicion, Task, Trust, cleanse, doubt};
use crate::driver::Inbound;
use crate::feed::Feed;
use crate::librarian;
use crate::machine::Event;
use crate::watchdog::Part;

/// Claims that did not follow and wait to be looked at again, at most; more are let go.
const WAITING: usize = 4096;
/// How long a claim that does not follow may wait for what it rests on: another thread of the worker may report it later.
const LATER: Duration = Duration::from_secs(2);
/// Expansions to compute a doubtful sample again.
const EXPANSIONS: u64 = 5_000;
/// How long one claim may be looked at where others wait for that.
const LONGEST_LOOK: Duration = Duration::from_secs(1);
/// How long the thread may take to see that it is to stop.
const END: Duration = Duration::from_secs(3);
/// Doubtful samples of a source after which every claim is looked at.
const DOUBTS: u64 = 3;

/// Counters, for those who watch.
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
    pub(crate) tasks: Sender<Task>,
    part: Arc<Part>,
    thread: JoinHandle<()>,
    /// Closed when the thread has ended. The lock is there to share it; one thread waits.
    ended: Mutex<Receiver<()>>,
}

struct Thread {
    store: Arc<Store>,
    /// Where newcomers are admitted.
    feed: Arc<Feed>,
    inbox: mpsc::Sender<Inbound>,
    part: Arc<Part>,
    figures: Arc<Audited>,
    inspector: Inspector,
    /// What the facts look like; none before the first answer is to be shown.
    sketches: Option<Arc<Sketches>>,
    records: BTreeMap<String, Record>,
    /// Claims that have not been looked at.
    samples: Samples,
    /// Claims that did not follow, with when to look at each again: the earliest first.
    doubtful: VecDeque<(Instant, Sample)>,
    /// Decides which claims are looked at; nobody outside can know it.
    dice: RandomState,
    /// Set when a suspicion has been raised; samples rest until all claims have been looked at.
    alarmed: bool,
}

impl Auditor {
    pub(crate) fn start(
        store: Arc<Store>,
        feed: Arc<Feed>,
        inbox: mpsc::Sender<Inbound>,
        figures: Arc<Audited>,
        part: Arc<Part>,
    ) -> std::io::Result<Self> {
        let (tasks, queue) = channel();
        let (ends, ended) = channel();
        let thread = Thread {
            store,
            feed,
            inbox,
            part: Arc::clone(&part),
            figures,
            inspector: Inspector::default().watched(Arc::clone(&part.watched)).hurried(),
            sketches: None,
            records: BTreeMap::new(),
            samples: Samples::default(),
            doubtful: VecDeque::new(),
            dice: RandomState::new(),
            alarmed: false,
        };
        let (works, ended_works) = channel();
        let patient = Arc::clone(&part);
        let patience = std::thread::Builder::new().name("patience".into());
        patience.spawn(move || be_patient(&patient, &ended_works))?;
        let thread = std::thread::Builder::new().name("auditor".into()).spawn(move || {
            let _both: (Sender<()>, Sender<()>) = (ends, works);
            thread.work(&queue);
        })?;
        Ok(Self { tasks, part, thread, ended: Mutex::new(ended) })
    }

    /// Ends the thread, in the middle of whatever it does. Nothing is lost by that. One that does not see that it is to stop
    /// ends with the process.
    pub(crate) fn end(self) {
        self.part.watched.stop();
        drop(self.tasks);
        let ended = self.ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        match ended.recv_timeout(END) {
            Err(RecvTimeoutError::Timeout) => warn!("the auditor does not stop; it is left behind"),
            _ => drop(self.thread.join()),
        }
    }
}

impl Thread {
    fn work(mut self, queue: &Receiver<Task>) {
        let started = Instant::now();
        let mut purse = Purse::new(Duration::ZERO);
        let mut rested = started;
        while !self.part.watched.is_stopped() {
            let next = match self.next_look(rested) {
                None => queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(when) => queue.recv_timeout(when.saturating_duration_since(Instant::now())),
            };
            let part = Arc::clone(&self.part);
            let _busy = part.busy();
            let done = match next {
                Ok(task) => self.perform(task),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let begun = Instant::now();
                    let done = self.look();
                    let spent = begun.elapsed();
                    purse.spend(started.elapsed(), spent);
                    rested = Instant::now() + purse.rest();
                    count_time(&self.figures.sampling, spent);
                    done
                }
            };
            if let Err(error) = done {
                let _ = self.inbox.blocking_send(Inbound::StoreFailed(error));
                return;
            }
        }
    }

    /// When to look at the next sample, having rested for the last; none if there is none.
    fn next_look(&self, rested: Instant) -> Option<Instant> {
        let doubtful = self.doubtful.front().map(|(due, _)| *due);
        let fresh = (!self.samples.is_empty()).then_some(rested);
        Some(doubtful.into_iter().chain(fresh).min()?.max(rested))
    }

    fn perform(&mut self, task: Task) -> Result<(), StoreError> {
        match task {
            Task::Sample { source, facts } => self.sample(&source, facts),
            Task::Prove(answered) => {
                let begun = Instant::now();
                let done = self.prove(&answered);
                count_time(&self.figures.proving, begun.elapsed());
                done?;
            }
            Task::Check(doubt) => {
                let begun = Instant::now();
                let done = self.check(doubt);
                count_time(&self.figures.proving, begun.elapsed());
                done?;
            }
            Task::Cleanse(suspicion) => {
                let begun = Instant::now();
                let done = self.cleanse(&suspicion);
                count_time(&self.figures.proving, begun.elapsed());
                done?;
            }
        }
        Ok(())
    }

    fn sample(&mut self, source: &str, facts: Vec<LandNimber>) {
        if let Some(sketches) = &mut self.sketches {
            let sketches = Arc::make_mut(sketches);
            facts.iter().for_each(|fact| sketches.add(fact.land.key()));
        }
        if self.alarmed {
            return;
        }
        let share = self.records.get(source).copied().unwrap_or_default().share();
        for fact in facts {
            let roll = self.dice.hash_one(&fact.land) as f64 / u64::MAX as f64;
            if roll <= share {
                self.samples.push(source, fact);
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
        let Some(Sample { source, fact }) = sample else { return Ok(()) };
        let store = &self.store;
        let known = &mut |land: &[u8]| store.nimber(land);
        self.inspector.refresh();
        let finding = self.inspector.inspect(fact.land.key(), fact.nimber, known)?;
        self.figures.sampled.fetch_add(1, Ordering::Relaxed);
        if matches!(finding, Finding::Shown(_)) {
            self.showed(&source);
            return Ok(());
        }
        if matches!(finding, Finding::TooDear | Finding::Stopped) {
            // It says nothing about who claims it. Should an answer rest on it, it is taken out.
            debug!(source, land = %fact.land, "a claim takes too long to be checked");
            // Its other claims may be as dear, and those of others wait behind them.
            self.samples.drop_those_of(&source);
            return Ok(());
        }
        if is_first_look {
            if self.doubtful.len() < WAITING {
                self.doubtful.push_back((now + LATER, Sample { source, fact }));
            }
            return Ok(());
        }
        let LandNimber { land, nimber } = fact;
        match Recomputer::default().nimber(land.key(), EXPANSIONS, &self.part.watched) {
            Recomputed::Nimber(found) if found == nimber => self.showed(&source),
            Recomputed::Nimber(found) => {
                let reason = format!(
                    "{source} claims nimber {nimber} for land {land}; computed again it is {found}"
                );
                self.raise(Suspicion { reason, accused: Some(source), job: None });
            }
            Recomputed::TooDear => {
                debug!(source, %land, "a claim takes too long to be computed again");
                // Its other claims that follow from nothing may be as dear, and those of others wait behind them.
                self.doubtful.retain(|(_, sample)| sample.source != source);
            }
            Recomputed::Open => {
                let record = self.records.entry(source.clone()).or_default();
                record.doubtful += 1;
                debug!(source, %land, %nimber, "a claim follows from nothing that was reported");
                if record.doubtful >= DOUBTS {
                    let reason = format!("{DOUBTS} claims of {source} follow from nothing");
                    self.raise(Suspicion { reason, accused: None, job: None });
                }
            }
        }
        Ok(())
    }

    /// A claim of this source holds.
    fn showed(&mut self, source: &str) {
        let record = self.records.entry(source.to_owned()).or_default();
        record.shown += 1;
        if record.is_no_newcomer() {
            self.feed.admit(source);
        }
    }

    fn check(&mut self, doubt: Doubt) -> Result<(), StoreError> {
        let finding = doubt::check(&self.store, &doubt.about, &self.part.watched)?;
        self.tell(Inbound::Checked(doubt, finding));
        Ok(())
    }

    fn prove(&mut self, answered: &Answered) -> Result<(), StoreError> {
        let begun = Instant::now();
        let job = answered.job;
        let sketches = self.sketches()?;
        let proof = prove(&self.store, answered, &sketches, &self.part.watched)?;
        if self.part.watched.is_stopped() && !matches!(proof, Proof::Shown(_)) {
            // Whatever it has not found, it was told to stop. That is nobody's fault.
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
                let provenance = self.store.provenance(kind, &subject)?;
                let source = provenance.map_or_else(String::new, |p| p.source.worker);
                let subject = Subject(kind, &subject);
                let reason = format!(
                    "to show the answer to job {job}, what {source} claims about {subject} was looked at, and it follows from nothing"
                );
                self.raise(Suspicion { reason, accused: None, job: Some(job) });
            }
            // A claim came while the answer was on its way. Either may be the lie: the job goes on, and meets the claim.
            Proof::Disputed => self.tell(Inbound::Event(Event::Unfounded { job })),
            Proof::Unfounded => match answered.by.clone() {
                // No fact is in doubt: the worker alone has to answer for what it said.
                Some(by) => self.tell(Inbound::Unfounded { job, by }),
                None => {
                    let reason = format!("the answer to job {job} does not follow from the facts");
                    self.raise(Suspicion { reason, accused: None, job: Some(job) });
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

    /// What the facts of the database look like, as far as there is room: from then on, claims are added as they come.
    fn sketches(&mut self) -> Result<Arc<Sketches>, StoreError> {
        if let Some(sketches) = &self.sketches {
            return Ok(Arc::clone(sketches));
        }
        let mut sketches = Sketches::default();
        for stored in self.store.facts(Kind::Nimber) {
            if sketches.is_full() || !self.part.watched.step() {
                break;
            }
            sketches.add(&stored?.fact.subject);
        }
        Ok(Arc::clone(self.sketches.insert(Arc::new(sketches))))
    }

    fn cleanse(&mut self, suspicion: &Suspicion) -> Result<(), StoreError> {
        self.samples.clear();
        self.doubtful.clear();
        self.inspector.forget();
        self.alarmed = false;
        let done = cleanse::cleanse(&self.store, &self.feed, suspicion, &self.part.watched)?;
        if done.stopped {
            return Ok(());
        }
        self.feed.release();
        self.figures.verified.fetch_add(done.verified, Ordering::Relaxed);
        self.figures.withdrawn.fetch_add(done.withdrawn as u64, Ordering::Relaxed);
        let (found, knowers) = (done.found(), done.knowers);
        let standing = Standing::read(&self.store)?;
        let first = librarian::unfinished(&self.store, Trust::Checked)?;
        let next = JobId(self.store.next_job()?.0);
        self.tell(Inbound::Resume { next, first, standing, found, knowers });
        Ok(())
    }

    fn raise(&mut self, suspicion: Suspicion) {
        self.alarmed = true;
        self.samples.clear();
        self.doubtful.clear();
        self.tell(Inbound::Suspected(suspicion));
    }

    fn tell(&self, inbound: Inbound) {
        // Fails only when the driver has gone, and then nobody waits for it.
        let _ = self.inbox.blocking_send(inbound);
    }
}

/// Gives up inspections that others wait for and that take longer than [`LONGEST_LOOK`], until the auditor has ended.
fn be_patient(part: &Part, works: &Receiver<()>) {
    let mut before = Vec::new();
    while works.recv_timeout(LONGEST_LOOK / 2) == Err(RecvTimeoutError::Timeout) {
        let now = part.watched.lands();
        now.iter()
            .filter(|land| before.contains(*land))
            .for_each(|land| part.watched.give_up(land));
        before = now;
    }
}

fn count_time(counter: &AtomicU64, spent: Duration) {
    counter.fetch_add(spent.as_micros().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
}
