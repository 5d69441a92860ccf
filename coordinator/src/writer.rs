//! The thread between the coordinator and its database: everything that blocks or takes long
//! happens here.
//!
//! Orders are taken in groups: all that has come while the last group was being written is written
//! together, since a synced commit takes as long for one fact as for a thousand.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use sprig_blocking::{Hand, Tell as TellDriver};
use sprig_domain::{Conclusion, Fact, JobId, JobState, Outcome, Play};
use sprig_engine::CanonicalLand;
use sprig_proto::{Ban, Build, Job, Submission, WorkerId};
use sprig_store::{
    BanRecord, Batch, Contribution, Event as HistoryEvent, EventKind, Exclusion,
    Fact as StoredFact, Kind, Provenance, Source, Status, Store, StoreError,
};
use tokio::sync::oneshot;

use crate::backlog::Backlog;
use crate::driver::{Inbound, Resumption};
use crate::feed::Feed;
use crate::followers::{Held, Pledge};
use crate::machine::{Entry, Event, Receipt, Reply};
use crate::metrics::Taken;
use crate::trust::{About, Auditor, Task};
use crate::watchdog::Part;
use crate::{Trust, knowledge, record};

/// What the writer is asked to do.
#[derive(Debug)]
pub(crate) enum Order {
    /// Write this.
    Commit(Entry),
    /// Look up what is known of a goal and write the new job.
    Open(JobId, Submission),
    /// Write that a person is banned.
    Ban(BanRecord),
    /// Write that bans are lifted, and tell the client that waits.
    Lift(Vec<BanRecord>, Vec<Ban>, oneshot::Sender<Reply>),
    /// Have the auditor do this, after everything that was ordered before.
    Audit(Task),
    /// Tell the driver that it goes on, after everything that is still to be told: the machine that
    /// waits for that is left behind then.
    Resume(Resumption),
}

/// Most orders in one group.
const GROUP: usize = 256;

pub(crate) struct Writer {
    pub(crate) store: Arc<Store>,
    pub(crate) feed: Arc<Feed>,
    pub(crate) trust: Trust,
    /// `None`: nothing is checked.
    pub(crate) auditor: Option<Auditor>,
    pub(crate) part: Arc<Part>,
    pub(crate) backlog: Arc<Backlog>,
    pub(crate) taken: Arc<Taken>,
    /// Why nothing can be promised any more.
    pub(crate) failed: Option<StoreError>,
    /// `None`: nothing waits for followers.
    pub(crate) pledge: Option<Pledge>,
}

/// Where results go.
type Tell<'a> = &'a mut dyn FnMut(Inbound);

impl Hand for Writer {
    type Order = Order;
    type News = Inbound;
    const GROUP: usize = GROUP;

    fn step(
        &mut self,
        group: Vec<Order>,
        _: tokio::time::Instant,
        tell: TellDriver<'_, Inbound>,
    ) -> ControlFlow<()> {
        let part = Arc::clone(&self.part);
        let _busy = part.busy();
        let this = &*self;
        let served = this.serve(group, &mut |news| this.tell(news, this.store.position(), tell));
        match served {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn end(mut self, tell: TellDriver<'_, Inbound>) {
        if let Some(auditor) = self.auditor.take() {
            auditor.end();
        }
        if let Some(pledge) = &self.pledge {
            pledge.followers.close();
        }
        let end = self.failed.take().map_or(Inbound::LibraryClosed, Inbound::StoreFailed);
        self.tell(end, 0, tell);
    }
}

impl Writer {
    /// Tells the driver `news` when followers have record `position` on disk, and after what was
    /// told before. Tells it at once where nothing waits for followers.
    fn tell(&self, news: Inbound, position: u64, tell: TellDriver<'_, Inbound>) {
        match &self.pledge {
            Some(pledge) => pledge.hold(position, Held::Tell(Box::new(news))),
            None => tell(news),
        }
    }

    fn audit(&self, task: Task, tell: Tell<'_>) {
        if let Some(auditor) = &self.auditor
            && auditor.tasks.send(task).is_err()
        {
            // Where the database has failed it has said so before, and that counts.
            tell(Inbound::AuditorGone);
        }
    }

    fn serve(&self, group: Vec<Order>, tell: Tell<'_>) -> Result<(), StoreError> {
        let count = group.len();
        let served = self.write(group, tell);
        match &self.pledge {
            Some(pledge) => pledge.hold(0, Held::Done(count)),
            None => self.backlog.done(count),
        }
        served
    }

    fn write(&self, group: Vec<Order>, tell: Tell<'_>) -> Result<(), StoreError> {
        let mut entries = Vec::new();
        let mut others = Vec::new();
        for order in group {
            match order {
                Order::Commit(entry) => entries.push(entry),
                other => others.push(other),
            }
        }
        if !entries.is_empty() {
            self.commit(&entries, tell)?;
        }
        for order in others {
            match order {
                Order::Commit(_) => unreachable!("sorted out above"),
                Order::Open(job, submission) => self.open(job, submission, tell)?,
                Order::Ban(record) => self.store.record_bans(&[record])?,
                Order::Lift(records, lifted, reply) => {
                    self.store.record_bans(&records)?;
                    match &self.pledge {
                        Some(pledge) => {
                            pledge.hold(self.store.position(), Held::Lifted(reply, lifted));
                        }
                        // A client that has gone needs no reply.
                        None => drop(reply.send(Reply::Lifted(lifted))),
                    }
                }
                Order::Audit(task) => self.audit(task, tell),
                Order::Resume(resumption) => tell(Inbound::Resume(resumption)),
            }
        }
        Ok(())
    }

    /// Commits entries together. When one of them contradicts the database, commits each half by
    /// itself, to find out which one it is.
    fn commit(&self, entries: &[Entry], tell: Tell<'_>) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        // The author of each contribution.
        let mut authors = Vec::new();
        for entry in entries {
            self.add(&mut batch, entry)?;
            authors.resize(batch.contributions.len(), author(entry));
        }
        let begun = Instant::now();
        match self.store.commit(&batch) {
            Ok(committed) => {
                self.taken.commits.observe(begun.elapsed().as_secs_f64());
                let reported =
                    batch.contributions.iter().map(|said| said.facts.len()).sum::<usize>();
                self.taken.reported.fetch_add(reported as u64, Ordering::Relaxed);
                let new = committed.facts.end.0 - committed.facts.start.0;
                self.taken.new.fetch_add(new, Ordering::Relaxed);
                let said = batch.contributions.iter().zip(authors);
                for (taken, (said, author)) in committed.contributions.into_iter().zip(said) {
                    let Some((worker, name)) = author else { continue };
                    let range = taken.new.start.0..taken.new.end.0;
                    let has_nimbers = said.facts.iter().any(|fact| fact.kind() == Kind::Nimber);
                    self.feed.note(range, worker, name, has_nimbers);
                    // The worker takes facts that others have reported before for written down,
                    // too.
                    let known = taken.known.into_iter().map(|sequence| sequence.0);
                    self.feed.second(known, worker, name);
                }
                tell(Inbound::Event(Event::Committed(self.receipt(entries))));
                self.sample(entries, tell);
                Ok(())
            }
            Err(StoreError::Contradiction(_)) if entries.len() > 1 => {
                let (first, second) = entries.split_at(entries.len() / 2);
                self.commit(first, tell)?;
                self.commit(second, tell)
            }
            Err(StoreError::Contradiction(contradiction)) => {
                let (worker, job) = match &entries[0] {
                    Entry::Report { worker, .. } => (Some(*worker), None),
                    Entry::Job(job) => (None, Some(job.id)),
                };
                let (reason, about) = (contradiction.to_string(), About::from(&*contradiction));
                tell(Inbound::Event(Event::Contradicted { worker, job, reason, about }));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Shows the auditor what workers have claimed.
    fn sample(&self, entries: &[Entry], tell: Tell<'_>) {
        for entry in entries {
            if let Entry::Report { name, game, facts, .. } = entry {
                let nimbers = facts.iter().filter_map(|fact| match fact {
                    Fact::Nimber(fact) => Some(fact.clone()),
                    _ => None,
                });
                let (source, game) = (name.clone(), *game);
                self.audit(Task::Sample { source, game, facts: nimbers.collect() }, tell);
            }
        }
    }

    fn add(&self, batch: &mut Batch, entry: &Entry) -> Result<(), StoreError> {
        match entry {
            Entry::Report { name, build, job, game, facts, exclusions, .. } => {
                let excluded = |(land, values): &(CanonicalLand, u64)| Exclusion {
                    game: *game,
                    land: land.key().into(),
                    values: *values,
                    status: self.status(),
                };
                batch.contributions.push(Contribution {
                    provenance: provenance(name, build, *job),
                    facts: facts.iter().map(|fact| self.worth(record::fact(*game, fact))).collect(),
                    exclusions: exclusions.iter().map(excluded).collect(),
                });
            }
            Entry::Job(job) => {
                let before = self.store.job(job.id)?;
                let submitted = before.as_ref().map_or_else(record::time, |job| job.submitted);
                if before.is_none_or(|before| record::job(&before).state != job.state) {
                    batch.events.push((job.id, record::event(job)));
                }
                batch.jobs.push(record::stored_job(job, submitted));
                batch.contributions.extend(self.contribution_of(job));
            }
        }
        Ok(())
    }

    /// What facts are worth that this run of the coordinator takes in.
    fn status(&self) -> Status {
        match self.trust {
            Trust::Own => Status::Verified,
            Trust::Checked | Trust::Believed => Status::Claimed,
        }
    }

    fn worth(&self, fact: StoredFact) -> StoredFact {
        StoredFact { status: self.status(), ..fact }
    }

    /// What the end of a job says about a land, if its position is one.
    fn contribution_of(&self, job: &Job) -> Option<Contribution> {
        let JobState::Done(conclusion) = job.state else { return None };
        let [land] = job.goal.position().lands() else { return None };
        if job.goal.play() == Play::Misere {
            // Nothing to add in misère play: a loss was reported, and so was the lost option of a
            // win.
            return None;
        }
        let (game, heap) = (job.goal.game(), job.goal.question().heap());
        let (facts, exclusions) = match conclusion {
            Conclusion { nimber: Some(nimber), .. } => {
                let fact = StoredFact::nimber(land.key(), nimber).of(game);
                (vec![self.worth(fact)], Vec::new())
            }
            Conclusion { outcome: Outcome::Win, nimber: None } => {
                let (land, values) = (land.key().into(), 1 << heap.get());
                (Vec::new(), vec![Exclusion { game, land, values, status: self.status() }])
            }
            Conclusion { outcome: Outcome::Loss, nimber: None } => return None,
        };
        Some(Contribution {
            provenance: provenance("coordinator", &Build::here().id, Some(job.id)),
            facts,
            exclusions,
        })
    }

    fn receipt(&self, entries: &[Entry]) -> Receipt {
        let mut receipt = Receipt { total: self.store.next_sequence().0, ..Receipt::default() };
        for entry in entries {
            match entry {
                Entry::Report { worker, sequence, game, facts, .. } => {
                    receipt.reports.extend(sequence.map(|sequence| (*worker, sequence)));
                    receipt.facts.extend(facts.iter().map(|fact| (*game, fact.clone())));
                }
                Entry::Job(job) if job.state.is_final() => receipt.closed.push(job.id),
                Entry::Job(job) => receipt.noted.push(job.id),
            }
        }
        receipt
    }

    fn open(&self, id: JobId, asked: Submission, tell: Tell<'_>) -> Result<(), StoreError> {
        let goal = &asked.goal;
        let known = knowledge::lands(&self.store.of(goal.game()), goal.position(), self.trust)?;
        let watched = &self.part.watched;
        let mut answer = knowledge::answer(&self.store, goal, &known, watched)?;
        if let Some(found) = &answer
            && self.trust != Trust::Believed
            && !knowledge::is_shown(&self.store, goal, found, watched)?
        {
            // The answer rests on claims: it is found again, and shown.
            answer = None;
        }
        let state = answer.map_or(JobState::Running, JobState::Done);
        let (time, detail) = (record::time(), asked.terms.owner.clone());
        let job = Job { state, ..Job::submitted(id, asked) };
        let submitted = HistoryEvent { time, kind: EventKind::Submitted, detail };
        self.store.commit(&Batch {
            jobs: vec![record::stored_job(&job, time)],
            events: vec![(id, submitted), (id, record::event(&job))],
            ..Batch::default()
        })?;
        tell(Inbound::Event(Event::Opened { job, known }));
        Ok(())
    }
}

/// The unfinished jobs of a database, as events that open them.
pub(crate) fn unfinished(store: &Store, trust: Trust) -> Result<Vec<Event>, StoreError> {
    let jobs = store.jobs()?.into_iter().filter(|job| !job.state.is_final());
    jobs.map(|job| {
        let known = knowledge::lands(&store.of(job.goal.game()), job.goal.position(), trust)?;
        Ok(Event::Opened { job: record::job(&job), known })
    })
    .collect()
}

fn provenance(name: &str, build: &str, job: Option<JobId>) -> Provenance {
    let source = Source { worker: name.into(), build: build.into() };
    Provenance { source, job, time: record::time() }
}

/// The worker that says this, and its name.
fn author(entry: &Entry) -> Option<(WorkerId, &str)> {
    match entry {
        Entry::Report { worker, name, .. } => Some((*worker, name)),
        Entry::Job(_) => None,
    }
}
