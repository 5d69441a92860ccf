//! Workers come, speak and go.

use std::collections::BTreeSet;
use std::time::Duration;

use sprig_domain::{Fact, Figures, Game, Goal, JobId, Verdict};
use sprig_proto::{
    Acknowledge, Alarm, Build, FromWorker, GaveUp, Hello, LeaseId, Obstacle, Proved, Pull, Report,
    ToWorker, Welcome, WorkerId, WorkerStatus,
};

use super::allowance::Allowance;
use super::jobs::{Running, SHOW_EVERY};
use super::{Action, Entry, Machine, Receipt, SessionId, Turn};
use crate::gather;
use crate::trust::About;

/// Threads of one worker that count: more than any machine has.
const THREADS: u32 = 4096;

/// A worker that is connected, or that still has a lease.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) session: Option<SessionId>,
    pub(super) name: String,
    pub(super) build: String,
    pub(super) threads: u32,
    /// It has pulled and got nothing yet.
    pub(super) waiting: bool,
    /// The leaf that is being taken apart for it.
    pub(super) awaits: Option<(JobId, Goal)>,
    /// The job of its latest lease.
    pub(super) job: Option<JobId>,
    pub(super) lease: Option<u64>,
    /// Its counters when it last spoke. They begin anew with each search that it begins.
    pub(super) figures: Figures,
    /// What the searches before have counted.
    earlier: Figures,
    allowance: Allowance,
    /// Facts that it has reported, and how many of them when it was last looked at.
    pub(super) proved: u64,
    pub(super) watched: u64,
    /// The games that it can search.
    pub(super) games: Vec<Game>,
    /// Whether it can say what its search sees.
    pub(super) looks: bool,
    /// When its counters came.
    pub(super) heard: Duration,
    /// Jobs that it cannot work on: for example, they take more memory than it has.
    pub(super) unfit: BTreeSet<JobId>,
}

impl Worker {
    /// Whether it may be given work now.
    pub(super) fn waits(&self) -> bool {
        self.waiting && self.awaits.is_none()
    }
}

impl Machine {
    pub(super) fn join(&mut self, turn: &mut Turn<'_>, session: SessionId, hello: Hello) {
        let Hello { build, name, worker: id, threads, holding, figures, games, looks, .. } = hello;
        if self.workers.get(&id).is_some_and(|worker| worker.name != name) {
            // Identities are chosen at random: no honest worker has opened a second connection.
            turn.act(Action::Dismiss(session, "another worker has this identity".into()));
            return;
        }
        if let Some(old) = self.session_of(id) {
            // The connection broke and we have not noticed yet.
            self.leave(old);
            turn.act(Action::Dismiss(old, "this worker has connected again".into()));
        }
        let withdrawals = self.withdrawals.told(&name);
        let worker = self.workers.entry(id).or_insert_with(|| Worker {
            session: None,
            name,
            build: build.id,
            threads: threads.clamp(1, THREADS),
            waiting: false,
            awaits: None,
            job: None,
            lease: None,
            figures,
            earlier: Figures::default(),
            allowance: Allowance::new(turn.now),
            proved: 0,
            watched: 0,
            games,
            looks,
            heard: turn.now,
            unfit: BTreeSet::new(),
        });
        worker.session = Some(session);
        self.sessions.insert(session, id);
        let welcome = Welcome {
            build: Build::here(),
            epoch: self.epoch,
            database: self.database,
            facts: self.facts,
            withdrawals,
            reign: Some(self.reign),
        };
        turn.act(Action::Tell(session, ToWorker::Welcome(welcome)));
        if let Some(lease) = holding {
            self.count(turn, id, figures);
            self.take_up(turn, id, session, lease);
        } else if let Some(lease) = self.workers.get(&id).and_then(|worker| worker.lease) {
            // It never heard of the grant, or its answer was lost with the connection. What it has spent on
            // that counts.
            self.count(turn, id, figures);
            self.forget(turn, lease);
        }
    }

    pub(super) fn leave(&mut self, session: SessionId) {
        let Some(id) = self.sessions.remove(&session) else { return };
        let Some(worker) = self.workers.get_mut(&id) else { return };
        worker.session = None;
        worker.waiting = false;
        match worker.lease.and_then(|lease| self.leases.get_mut(&lease)) {
            Some(lease) => lease.adrift = true,
            None => drop(self.workers.remove(&id)),
        }
    }

    pub(super) fn hear(&mut self, turn: &mut Turn<'_>, session: SessionId, message: FromWorker) {
        // The message was sent on a connection that has ended since. Reports are sent again, and
        // the rest is out of date.
        let Some(&worker) = self.sessions.get(&session) else { return };
        match message {
            FromWorker::Hello(_) => turn.act(Action::Dismiss(session, "a second hello".into())),
            FromWorker::Report(report) => self.take_report(turn, worker, report),
            FromWorker::Pull(pull) => self.pulled(turn, worker, pull),
            FromWorker::Progress { lease, figures } => {
                if self.is_of_this_run(lease) {
                    self.count(turn, worker, figures);
                    self.progressed(turn, worker, lease);
                }
            }
            FromWorker::Alarm(alarm) => self.alarmed(turn, session, worker, alarm),
            FromWorker::Seen { number, view } => self.seen(turn, worker, number, view),
        }
    }

    fn take_report(&mut self, turn: &mut Turn<'_>, worker: WorkerId, report: Report) {
        let shows = !report.facts.is_empty();
        self.heed(worker, report.game, &report.facts);
        let proved = report.facts.len() as u64;
        self.workers.get_mut(&worker).expect("it has spoken").proved += proved;
        let entry = self.entry(worker, Some(report.sequence), report.game, report.facts);
        turn.act(Action::Commit(entry));
        if shows {
            self.showed(turn, worker);
        }
    }

    /// What the worker has proved is written as if it were reported. It contradicts the fact that
    /// the worker was sent, so the database refuses it and names both sources.
    fn alarmed(&mut self, turn: &mut Turn<'_>, session: SessionId, worker: WorkerId, alarm: Alarm) {
        if self.shows {
            let source = self.workers[&worker].name.clone();
            let reason = format!("by a proof of {source} {alarm}");
            turn.act(Action::Doubt { session, source, reason, about: About::from(&alarm) });
            return;
        }
        let about = About::from(&alarm);
        match alarm.about {
            Proved::Nimber { land, possible } => {
                let mut entry = self.entry(worker, None, alarm.game, Vec::new());
                if let Entry::Report { exclusions, .. } = &mut entry {
                    exclusions.push((land, !possible));
                }
                turn.act(Action::Commit(entry));
            }
            // No fact says that a node is won, or that a land does not have a tree.
            Proved::Misere(_) => {
                let reason = format!("by a proof of {} {alarm}", self.workers[&worker].name);
                self.contradicted(turn, Some(worker), None, &reason, about);
            }
        }
    }

    fn entry(&self, id: WorkerId, sequence: Option<u64>, game: Game, facts: Vec<Fact>) -> Entry {
        let worker = &self.workers[&id];
        let job = worker.lease.and_then(|lease| self.leases.get(&lease)).map(|lease| lease.job);
        let (name, build) = (worker.name.clone(), worker.build.clone());
        let exclusions = Vec::new();
        Entry::Report { worker: id, sequence, name, build, job, game, facts, exclusions }
    }

    fn pulled(&mut self, turn: &mut Turn<'_>, id: WorkerId, pull: Pull) {
        if let Some(answer) = pull.answer {
            // What was done for an earlier run is counted with the next progress.
            if self.is_of_this_run(answer.lease) {
                self.count(turn, id, answer.figures);
            }
            // Of a lease that was revoked, expired or granted by an earlier run, only the facts
            // count.
            if let Some(lease) = self.end_lease(turn, id, answer.lease) {
                match (lease.course.wish, &lease.course.leaf, answer.verdict) {
                    (Some(wish), _, verdict) => self.settle_wish(turn, &lease, wish, verdict),
                    (None, Some(leaf), Ok(verdict)) => {
                        self.settle_leaf(turn.now, &lease, leaf, verdict);
                    }
                    (None, Some(leaf), Err(gave_up)) if gave_up.obstacle != Obstacle::Memory => {
                        self.give_up_leaf(&lease, leaf);
                    }
                    (None, _, verdict) => self.settle(turn, id, lease.job, verdict),
                }
            }
        }
        // A worker that pulls works on nothing. It holds one lease at most, and no lease of a
        // worker that is gone is left.
        if let Some(held) = self.workers.get(&id).and_then(|worker| worker.lease) {
            self.forget(turn, held);
        }
        let worker = self.workers.get_mut(&id).expect("it has spoken");
        (worker.waiting, worker.awaits) = (pull.more, None);
    }

    fn settle(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        job: JobId,
        verdict: Result<Verdict, GaveUp>,
    ) {
        match verdict {
            Ok(verdict) => {
                // The first answer counts, and the worker that gave it is responsible for it.
                if let Some(job) = self.jobs.get_mut(&job)
                    && job.verdict.is_none()
                    && let Some(conclusion) = job.goal.conclusion(verdict)
                {
                    job.verdict = Some(conclusion);
                    job.answerer = self.workers.get(&worker).map(|worker| worker.name.clone());
                }
            }
            Err(gave_up) => self.hand_back(turn, worker, job, gave_up),
        }
    }

    fn progressed(&mut self, turn: &mut Turn<'_>, id: WorkerId, lease: LeaseId) {
        let Some(&super::Lease { job, .. }) = self.lease_of(id, lease).as_deref() else { return };
        self.note_now_and_then(turn, job);
        // To gather how a job stands takes a look at all its leases: not with each word of each.
        let due = |job: &&mut Running| turn.now >= job.shown_at;
        if let Some(job) = self.jobs.get_mut(&job).filter(due) {
            job.shown_at = turn.now + SHOW_EVERY;
            let id = job.id;
            turn.act(Action::Show(self.view(turn.now, &self.jobs[&id])));
        }
    }

    /// Takes in a worker's counters. Their growth renews its lease and is added to the account of
    /// its job.
    fn count(&mut self, turn: &Turn<'_>, id: WorkerId, figures: Figures) {
        let worker = self.workers.get_mut(&id).expect("it has spoken");
        let before = std::mem::replace(&mut worker.figures, figures);
        worker.heard = turn.now;
        let growth = worker.allowance.growth(turn.now, before, figures);
        worker.earlier.keep(before, figures);
        let Some(number) = worker.lease else { return };
        let Some(lease) = self.leases.get_mut(&number) else { return };
        // A worker that builds a base of trees expands nothing yet.
        let grown = growth.expansions > 0 || growth.facts > 0;
        if grown {
            lease.grows(turn.now);
        }
        lease.spent = lease.spent.saturating_add(growth.expansions);
        let (job, wish) = (lease.job, lease.course.wish);
        let eldest = self.of_job(job).find(|lease| self.leases[lease].course.is_whole());
        if let Some(job) = self.jobs.get_mut(&job) {
            if grown {
                job.refusals.forget_time();
            }
            if let Some(wish) = job.wishes.iter_mut().find(|it| Some(it.number) == wish) {
                wish.expansions = wish.expansions.saturating_add(growth.expansions);
            }
            job.spent.add(growth);
            // Each search has proof numbers of its own. Those of the eldest lease that works at the
            // goal are shown.
            if eldest == Some(number) && figures.proof > 0 {
                (job.spent.proof, job.spent.disproof) = (figures.proof, figures.disproof);
            }
            job.spent.lands = job.spent.lands.max(figures.lands);
            job.spent.nodes = job.spent.nodes.max(figures.nodes);
            job.spent.bytes = job.spent.bytes.max(figures.bytes);
        }
    }

    pub(super) fn committed(&mut self, turn: &mut Turn<'_>, receipt: Receipt) {
        let Receipt { reports, facts, noted, closed, total } = receipt;
        let mut by_worker = std::collections::BTreeMap::<_, Vec<u64>>::new();
        for (worker, sequence) in reports {
            by_worker.entry(worker).or_default().push(sequence);
        }
        let gather = gather::before_reports(self.sessions.len().saturating_sub(self.resting.len()));
        for (worker, sequences) in by_worker {
            // A worker that is away sends them again when it comes back.
            if let Some(session) = self.session_of(worker) {
                let acknowledge = Acknowledge { reports: sequences, gather };
                turn.act(Action::Tell(session, ToWorker::Acknowledge(acknowledge)));
            }
        }
        if total > self.facts {
            self.facts = total;
            turn.act(Action::Publish(total));
        }
        noted.into_iter().for_each(|job| self.noted(turn, job));
        closed.into_iter().for_each(|job| self.closed(turn, job));
        for job in self.jobs.values_mut() {
            facts.iter().for_each(|(game, fact)| job.learn(*game, fact));
        }
    }

    pub(super) fn worker_views(&self) -> Vec<WorkerStatus> {
        let connected = self.workers.iter().filter(|(_, worker)| worker.session.is_some());
        let status = |(&id, worker): (&WorkerId, &Worker)| {
            let mut figures = worker.figures;
            figures.add(worker.earlier);
            WorkerStatus {
                id: fingerprint(id),
                name: worker.name.clone(),
                build: worker.build.clone(),
                threads: worker.threads,
                job: worker.lease.and_then(|lease| self.leases.get(&lease)).map(|lease| lease.job),
                figures,
            }
        };
        connected.map(status).collect()
    }
}

/// What others may know of an identity. The identity itself is a secret: a peer that shows it gets
/// the worker's session.
pub(crate) fn fingerprint(WorkerId(identity): WorkerId) -> WorkerId {
    let hash = blake3::hash(&identity.to_be_bytes());
    WorkerId(u64::from_be_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes")))
}
