//! The thread between the coordinator and its database: everything that blocks or takes long happens here.
//!
//! Orders are taken in groups: all that has come while the last group was being written is written together, since a
//! synced commit takes as long for one fact as for a thousand.

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;

use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber};
use sprig_proto::{Build, Conclusion, Job, JobId, JobState, Outcome, WorkerId};
use sprig_search::{Fact, Figures, Goal, Question};
use sprig_store::{
    Batch, Contribution, Event as HistoryEvent, EventKind, Exclusion, Provenance, Source, Status,
    Store, StoreError,
};
use tokio::sync::mpsc;

use crate::driver::Inbound;
use crate::feed::Feed;
use crate::machine::{Entry, Event, Receipt};
use crate::{knowledge, record};

/// What the librarian is asked to do.
#[derive(Debug)]
pub(crate) enum Order {
    /// Write this.
    Commit(Entry),
    /// Look up what is known of a goal and write the new job.
    Open(JobId, Goal),
    /// Generate the options of a land and look up what is known of them.
    Expand(CanonicalLand),
}

/// Most orders in one group.
const GROUP: usize = 256;

pub(crate) struct Librarian {
    store: Arc<Store>,
    feed: Arc<Feed>,
    inbox: mpsc::Sender<Inbound>,
}

impl Librarian {
    /// Starts the thread. It ends when the sender of `orders` is dropped and all of them are done.
    pub(crate) fn start(
        store: Arc<Store>,
        feed: Arc<Feed>,
        inbox: mpsc::Sender<Inbound>,
        orders: Receiver<Order>,
    ) -> std::io::Result<JoinHandle<()>> {
        let librarian = Self { store, feed, inbox };
        std::thread::Builder::new().name("librarian".into()).spawn(move || librarian.work(&orders))
    }

    fn work(&self, orders: &Receiver<Order>) {
        while let Ok(first) = orders.recv() {
            let group = std::iter::once(first).chain(orders.try_iter().take(GROUP - 1)).collect();
            if let Err(error) = self.serve(group) {
                // Nothing can be promised any more. If the driver has gone, nobody needs to know.
                let _ = self.inbox.blocking_send(Inbound::StoreFailed(error));
                return;
            }
        }
        let _ = self.inbox.blocking_send(Inbound::LibraryClosed);
    }

    fn serve(&self, group: Vec<Order>) -> Result<(), StoreError> {
        let mut entries = Vec::new();
        let mut others = Vec::new();
        for order in group {
            match order {
                Order::Commit(entry) => entries.push(entry),
                other => others.push(other),
            }
        }
        if !entries.is_empty() {
            self.commit(&entries)?;
        }
        for order in others {
            match order {
                Order::Commit(_) => unreachable!("sorted out above"),
                Order::Open(job, goal) => self.open(job, goal)?,
                Order::Expand(land) => self.expand(land)?,
            }
        }
        Ok(())
    }

    /// Commits entries together; when one of them contradicts, each for itself, to find out which.
    fn commit(&self, entries: &[Entry]) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        for entry in entries {
            self.add(&mut batch, entry)?;
        }
        match self.store.commit(&batch) {
            Ok(committed) => {
                self.feed
                    .note(committed.facts.start.0..committed.facts.end.0, sole_author(entries));
                self.tell(Event::Committed(self.receipt(entries)));
                Ok(())
            }
            Err(StoreError::Contradiction(_)) if entries.len() > 1 => {
                entries.iter().try_for_each(|entry| self.commit(std::slice::from_ref(entry)))
            }
            Err(StoreError::Contradiction(contradiction)) => {
                let (worker, job) = match &entries[0] {
                    Entry::Report { worker, .. } => (*worker, None),
                    Entry::Job(job) => (None, Some(job.id)),
                };
                self.tell(Event::Contradicted { worker, job, reason: contradiction.to_string() });
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn add(&self, batch: &mut Batch, entry: &Entry) -> Result<(), StoreError> {
        match entry {
            Entry::Report { name, build, job, facts, exclusions, .. } => {
                let excluded = |(land, values): &(CanonicalLand, u64)| Exclusion {
                    land: land.key().into(),
                    values: *values,
                };
                batch.contributions.push(Contribution {
                    provenance: provenance(name, build, *job),
                    facts: facts.iter().map(stored_fact).collect(),
                    exclusions: exclusions.iter().map(excluded).collect(),
                });
            }
            Entry::Job(job) => {
                let submitted = self.store.job(record::id(job.id))?.map(|job| job.submitted);
                batch.jobs.push(record::stored_job(job, submitted.unwrap_or_else(record::time)));
                if job.state.is_final() {
                    batch.events.push((record::id(job.id), record::event(job)));
                    batch.contributions.extend(contribution_of(job));
                }
            }
        }
        Ok(())
    }

    fn receipt(&self, entries: &[Entry]) -> Receipt {
        let mut receipt = Receipt { total: self.store.next_sequence().0, ..Receipt::default() };
        for entry in entries {
            match entry {
                Entry::Report { worker, sequence, facts, .. } => {
                    receipt.reports.extend(worker.zip(*sequence));
                    receipt.facts.extend_from_slice(facts);
                }
                Entry::Job(job) if job.state.is_final() => receipt.closed.push(job.id),
                Entry::Job(_) => {}
            }
        }
        receipt
    }

    fn open(&self, id: JobId, goal: Goal) -> Result<(), StoreError> {
        let known = knowledge::lands(&self.store, &goal.position)?;
        let answer = knowledge::answer(&self.store, &goal, &known)?;
        let state = answer.map_or(JobState::Running, JobState::Done);
        let job = Job { id, goal, state, figures: Figures::default(), workers: 0, seconds: 0.0 };
        let time = record::time();
        let submitted = HistoryEvent { time, kind: EventKind::Submitted, detail: String::new() };
        self.store.commit(&Batch {
            jobs: vec![record::stored_job(&job, time)],
            events: vec![(record::id(id), submitted), (record::id(id), record::event(&job))],
            ..Batch::default()
        })?;
        self.tell(Event::Opened { job, known });
        Ok(())
    }

    fn expand(&self, land: CanonicalLand) -> Result<(), StoreError> {
        let options = land.children().ok();
        let mut lands: Vec<CanonicalLand> =
            options.iter().flatten().flat_map(|option| option.lands().iter().cloned()).collect();
        lands.sort();
        lands.dedup();
        let mut known = knowledge::lands(&self.store, &CanonicalPosition::from_lands(lands))?;
        known.retain(|land| land.nimber.is_some() || !land.excluded.is_empty());
        self.tell(Event::Expanded { land, options, known });
        Ok(())
    }

    fn tell(&self, event: Event) {
        // Fails only when the driver has gone, and then nobody waits for it.
        let _ = self.inbox.blocking_send(Inbound::Event(event));
    }
}

/// The unfinished jobs of a database, as events that open them.
pub(crate) fn unfinished(store: &Store) -> Result<Vec<Event>, StoreError> {
    let jobs = store.jobs()?.into_iter().filter(|job| !job.state.is_final());
    jobs.map(|job| {
        let known = knowledge::lands(store, &job.goal.position)?;
        Ok(Event::Opened { job: record::job(&job), known })
    })
    .collect()
}

/// What the end of a job says about a land, if its position is one.
fn contribution_of(job: &Job) -> Option<Contribution> {
    let JobState::Done(conclusion) = job.state else { return None };
    let [land] = job.goal.position.lands() else { return None };
    let heap = match job.goal.question {
        Question::Outcome { heap } => heap,
        Question::Nimber => Nimber::ZERO,
    };
    let (facts, exclusions) = match conclusion {
        Conclusion { nimber: Some(nimber), .. } => {
            (vec![stored_fact(&Fact { land: land.clone(), nimber })], Vec::new())
        }
        Conclusion { outcome: Outcome::Win, nimber: None } => {
            (Vec::new(), vec![Exclusion { land: land.key().into(), values: 1 << heap.get() }])
        }
        Conclusion { outcome: Outcome::Loss, nimber: None } => return None,
    };
    Some(Contribution {
        provenance: provenance("coordinator", &Build::here().id, Some(job.id)),
        facts,
        exclusions,
    })
}

fn stored_fact(fact: &Fact) -> sprig_store::Fact {
    sprig_store::Fact { land: fact.land.key().into(), nimber: fact.nimber, status: Status::Claimed }
}

fn provenance(name: &str, build: &str, job: Option<JobId>) -> Provenance {
    let source = Source { worker: name.into(), build: build.into() };
    Provenance { source, job: job.map(record::id), time: record::time() }
}

/// The worker that all reports among the entries come from.
fn sole_author(entries: &[Entry]) -> Option<WorkerId> {
    let mut authors = entries.iter().filter_map(|entry| match entry {
        Entry::Report { worker, .. } => Some(*worker),
        Entry::Job(_) => None,
    });
    let first = authors.next()?;
    if authors.all(|author| author == first) { first } else { None }
}
