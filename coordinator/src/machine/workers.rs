//! Workers come, speak and go.

use std::time::Duration;

use sprig_proto::{
    Alarm, Build, FromWorker, Hello, JobState, LeaseId, Pull, Report, ToWorker, Welcome, WorkerId,
    WorkerStatus,
};
use sprig_search::{Fact, Figures, Verdict};

use super::leases::{PATIENCE, Target};
use super::{Action, Entry, Machine, Receipt, SessionId, Turn};
use crate::tree::Dispute;

/// A worker that is connected, or that still has a lease.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) session: Option<SessionId>,
    pub(super) name: String,
    pub(super) build: String,
    pub(super) threads: u32,
    /// It has pulled and got nothing yet.
    pub(super) waiting: bool,
    pub(super) lease: Option<u64>,
    /// Its counters when it last spoke.
    pub(super) figures: Figures,
    /// Expansions a second, measured on its latest lease.
    pub(super) rate: Option<f64>,
}

/// What is entered for a couple that cannot be worked on.
const HARDEST: Verdict = Verdict::Open { proof: u32::MAX, disproof: u32::MAX };

/// Leases shorter than this say nothing about a worker's rate.
const MEASURABLE: Duration = Duration::from_millis(100);

impl Machine {
    pub(super) fn join(
        &mut self,
        turn: &mut Turn<'_>,
        session: SessionId,
        hello: Hello,
    ) -> Result<(), Dispute> {
        let Hello { build, name, worker: id, threads, holding, figures } = hello;
        if let Some(old) = self.session_of(id) {
            // The connection broke and we have not noticed yet.
            self.leave(old)?;
            turn.act(Action::Dismiss(old, "this worker has connected again".into()));
        }
        let worker = self.workers.entry(id).or_insert_with(|| Worker {
            session: None,
            name,
            build: build.id,
            threads,
            waiting: false,
            lease: None,
            figures,
            rate: None,
        });
        worker.session = Some(session);
        self.sessions.insert(session, id);
        let welcome = Welcome { build: Build::here(), epoch: self.epoch, facts: self.facts };
        turn.act(Action::Tell(session, ToWorker::Welcome(welcome)));
        if let Some(lease) = holding {
            self.count(id, figures);
            self.take_up(turn, id, session, lease)?;
        } else if let Some(lease) = self.workers.get_mut(&id).and_then(|worker| worker.lease.take())
        {
            // It never heard of the grant.
            self.leases.remove(&lease);
        }
        Ok(())
    }

    pub(super) fn leave(&mut self, session: SessionId) -> Result<(), Dispute> {
        let Some(id) = self.sessions.remove(&session) else { return Ok(()) };
        let Some(worker) = self.workers.get_mut(&id) else { return Ok(()) };
        worker.session = None;
        worker.waiting = false;
        match worker.lease {
            Some(lease) => self.set_adrift(lease)?,
            None => drop(self.workers.remove(&id)),
        }
        Ok(())
    }

    pub(super) fn hear(
        &mut self,
        turn: &mut Turn<'_>,
        session: SessionId,
        message: FromWorker,
    ) -> Result<(), Dispute> {
        // Said before a connection ended that has ended since: reports are sent again, the rest is out of date.
        let Some(&worker) = self.sessions.get(&session) else { return Ok(()) };
        match message {
            FromWorker::Hello(_) => turn.act(Action::Dismiss(session, "a second hello".into())),
            FromWorker::Report(report) => self.take_report(turn, worker, report),
            FromWorker::Pull(pull) => self.pulled(turn, worker, pull)?,
            FromWorker::Progress { lease, figures } => {
                self.progressed(turn, worker, lease, figures)
            }
            FromWorker::Alarm(alarm) => self.alarmed(turn, worker, alarm),
        }
        Ok(())
    }

    fn take_report(&mut self, turn: &mut Turn<'_>, worker: WorkerId, report: Report) {
        let entry = self.entry(worker, Some(report.sequence), report.facts);
        turn.act(Action::Commit(entry));
    }

    /// What the worker has proved is written as if reported: against the fact that it was sent, the database refuses
    /// it and names both sources.
    fn alarmed(&mut self, turn: &mut Turn<'_>, worker: WorkerId, alarm: Alarm) {
        let mut entry = self.entry(worker, None, Vec::new());
        if let Entry::Report { exclusions, .. } = &mut entry {
            exclusions.push((alarm.land, !alarm.possible));
        }
        turn.act(Action::Commit(entry));
    }

    fn entry(&self, id: WorkerId, sequence: Option<u64>, facts: Vec<Fact>) -> Entry {
        let worker = &self.workers[&id];
        let job = worker.lease.and_then(|lease| self.leases.get(&lease)).map(|lease| lease.job);
        let (name, build) = (worker.name.clone(), worker.build.clone());
        Entry::Report {
            worker: Some(id),
            sequence,
            name,
            build,
            job,
            facts,
            exclusions: Vec::new(),
        }
    }

    fn pulled(&mut self, turn: &mut Turn<'_>, id: WorkerId, pull: Pull) -> Result<(), Dispute> {
        if let Some(answer) = pull.answer {
            self.count(id, answer.figures);
            // Of a lease that was revoked, expired or granted by an earlier run, the facts are all that counts.
            if let Some(lease) = self.end_lease(id, answer.lease)? {
                let spent = answer.figures.expansions.saturating_sub(lease.begun_at);
                let time = turn.now.saturating_sub(lease.granted);
                if time >= MEASURABLE {
                    let rate = spent as f64 / time.as_secs_f64();
                    self.workers.get_mut(&id).expect("it has spoken").rate = Some(rate);
                }
                self.settle(turn, &lease, answer.verdict, spent)?;
            }
        }
        self.workers.get_mut(&id).expect("it has spoken").waiting = pull.more;
        Ok(())
    }

    fn settle(
        &mut self,
        turn: &mut Turn<'_>,
        lease: &super::Lease,
        verdict: Result<Verdict, String>,
        spent: u64,
    ) -> Result<(), Dispute> {
        match (lease.target, verdict) {
            (Target::Whole, Ok(verdict)) => {
                if let Some(job) = self.jobs.get_mut(&lease.job) {
                    job.verdict = job.verdict.or(job.accepts(verdict));
                }
                Ok(())
            }
            // Whoever is asked next would fail as well.
            (Target::Whole, Err(reason)) => {
                self.end(turn, lease.job, JobState::Failed(reason));
                Ok(())
            }
            (Target::Leaf { couple, budget }, Ok(verdict)) => {
                self.tree.answer(couple, verdict, spent * 2 >= budget)
            }
            (Target::Leaf { couple, .. }, Err(_)) => self.tree.answer(couple, HARDEST, true),
        }
    }

    fn progressed(&mut self, turn: &mut Turn<'_>, id: WorkerId, lease: LeaseId, figures: Figures) {
        let before = self.workers[&id].figures.expansions;
        self.count(id, figures);
        let Some(lease) = self.lease_of(id, lease) else { return };
        if figures.expansions > before {
            lease.deadline = turn.now + PATIENCE;
        }
        let job = lease.job;
        if let Some(job) = self.jobs.get(&job) {
            turn.act(Action::Show(self.view(turn.now, job)));
        }
    }

    /// Takes in a worker's counters; what they have grown by goes to the account of the job it works for.
    fn count(&mut self, id: WorkerId, figures: Figures) {
        let worker = self.workers.get_mut(&id).expect("it has spoken");
        let before = std::mem::replace(&mut worker.figures, figures);
        let lease = worker.lease.and_then(|lease| self.leases.get(&lease));
        if let Some(job) = lease.and_then(|lease| self.jobs.get_mut(&lease.job)) {
            job.spent.expansions += figures.expansions.saturating_sub(before.expansions);
            job.spent.children += figures.children.saturating_sub(before.children);
            job.spent.facts += figures.facts.saturating_sub(before.facts);
        }
    }

    pub(super) fn committed(
        &mut self,
        turn: &mut Turn<'_>,
        receipt: Receipt,
    ) -> Result<(), Dispute> {
        let Receipt { reports, facts, closed, total } = receipt;
        let mut by_worker = std::collections::BTreeMap::<_, Vec<u64>>::new();
        for (worker, sequence) in reports {
            by_worker.entry(worker).or_default().push(sequence);
        }
        for (worker, sequences) in by_worker {
            // A worker that is away sends them again when it comes back.
            if let Some(session) = self.session_of(worker) {
                turn.act(Action::Tell(session, ToWorker::Acknowledge(sequences)));
            }
        }
        if total > self.facts {
            self.facts = total;
            turn.act(Action::Publish(total));
        }
        closed.into_iter().for_each(|job| self.closed(turn, job));
        facts.iter().try_for_each(|fact| self.tree.learn(fact))
    }

    pub(super) fn worker_views(&self) -> Vec<WorkerStatus> {
        let connected = self.workers.iter().filter(|(_, worker)| worker.session.is_some());
        connected
            .map(|(&id, worker)| WorkerStatus {
                id,
                name: worker.name.clone(),
                build: worker.build.clone(),
                threads: worker.threads,
                job: worker.lease.and_then(|lease| self.leases.get(&lease)).map(|lease| lease.job),
                figures: worker.figures,
            })
            .collect()
    }
}
