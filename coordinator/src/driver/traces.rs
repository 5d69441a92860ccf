//! Spans of jobs, leases and answers, for those who gather traces (`docs/operations.md`).
//!
//! They only show what happens, and only where somebody takes them: else nothing is kept.

use std::collections::BTreeMap;

use sprig_domain::{JobId, JobState, Verdict};
use sprig_proto::{Answer, FromWorker, Grant, Job, LeaseId, Pull, ToWorker, trace};
use tracing::{Level, Span, field, span_enabled, trace_span};

use crate::machine::SessionId;
use crate::trust::Answered;

/// The spans that are open. After claims have been looked at the machine begins a run of its own;
/// the spans of jobs keep the name that they have.
pub(crate) struct Traces {
    /// Whether somebody takes them.
    taken: bool,
    database: u64,
    epoch: u64,
    jobs: BTreeMap<JobId, Span>,
    /// Each with the session that it was granted to.
    leases: BTreeMap<LeaseId, (SessionId, Span)>,
    /// Of answers that are being shown.
    shown: BTreeMap<JobId, Span>,
}

impl Traces {
    /// No spans, for the run `epoch` over this database.
    pub(crate) fn new(database: u64, epoch: u64) -> Self {
        let taken = span_enabled!(target: trace::TARGET, Level::TRACE);
        let (jobs, leases, shown) = Default::default();
        Self { taken, database, epoch, jobs, leases, shown }
    }

    /// How a job stands now.
    pub(super) fn job(&mut self, job: &Job) {
        if !self.taken {
            return;
        }
        let (database, epoch) = (self.database, self.epoch);
        let span = self.jobs.entry(job.id).or_insert_with(|| {
            trace_span!(
                target: trace::TARGET, parent: None, "job",
                trace.id = trace::of_job(database, job.id), trace.span = trace::job(epoch, job.id),
                sprig.job = job.id.0, sprig.position = %job.goal.position(),
                sprig.rules = %job.goal.ruleset(), sprig.owner = job.terms.owner,
                sprig.label = job.terms.label, sprig.state = field::Empty,
                sprig.expansions = field::Empty, sprig.core_seconds = field::Empty,
                error = field::Empty,
            )
        });
        if !job.state.is_final() {
            return;
        }
        let state = match &job.state {
            JobState::Done(conclusion) => conclusion.outcome.to_string(),
            JobState::Failed(reason) => {
                span.record("error", reason);
                "failed".to_owned()
            }
            _ => "cancelled".to_owned(),
        };
        span.record("sprig.state", state);
        span.record("sprig.expansions", job.figures.expansions);
        span.record("sprig.core_seconds", job.core_seconds);
        self.jobs.remove(&job.id);
    }

    /// A worker, by this name, is told something.
    pub(super) fn told(&mut self, session: SessionId, name: &str, message: &ToWorker) {
        if !self.taken {
            return;
        }
        match message {
            ToWorker::Grant(Grant { lease, goal, noise, job: Some(job), .. }) => {
                let span = trace_span!(
                    target: trace::TARGET, parent: None, "lease",
                    trace.id = trace::of_job(self.database, *job),
                    trace.span = trace::lease(*lease), trace.parent = trace::job(self.epoch, *job),
                    sprig.job = job.0, sprig.lease = %lease, sprig.worker = name,
                    sprig.position = %goal.position(), sprig.noise = noise.0,
                    sprig.end = field::Empty,
                );
                self.leases.insert(*lease, (session, span));
            }
            ToWorker::Revoke(lease) => self.end(*lease, "revoked"),
            _ => {}
        }
    }

    /// A worker has said something.
    pub(super) fn said(&mut self, message: &FromWorker) {
        if let FromWorker::Pull(Pull { answer: Some(Answer { lease, verdict, .. }), .. }) = message
        {
            let end = match verdict {
                Ok(Verdict::Open { .. }) => "handed back",
                Ok(_) => "answered",
                Err(_) => "given up",
            };
            self.end(*lease, end);
        }
    }

    /// A connection has ended. A worker that comes back may go on, which is not shown.
    pub(super) fn left(&mut self, session: SessionId) {
        let of_session = self.leases.iter().filter(|(_, (of, _))| *of == session);
        let leases: Vec<LeaseId> = of_session.map(|(&lease, _)| lease).collect();
        leases.into_iter().for_each(|lease| self.end(lease, "away"));
    }

    fn end(&mut self, lease: LeaseId, how: &str) {
        if let Some((_, span)) = self.leases.remove(&lease) {
            span.record("sprig.end", how);
        }
    }

    /// An answer is shown step by step from now on.
    pub(super) fn shows(&mut self, answered: &Answered) {
        if !self.taken {
            return;
        }
        let (job, by) = (answered.job, answered.by.as_deref().unwrap_or_default());
        let span = trace_span!(
            target: trace::TARGET, parent: None, "check of the answer",
            trace.id = trace::of_job(self.database, job), trace.parent = trace::job(self.epoch, job),
            sprig.job = job.0, sprig.worker = by, error = field::Empty,
        );
        self.shown.insert(job, span);
    }

    /// An answer was shown, or could not be for this reason.
    pub(super) fn showed(&mut self, job: JobId, obstacle: Option<&str>) {
        if let (Some(span), Some(obstacle)) = (self.shown.remove(&job), obstacle) {
            span.record("error", obstacle);
        }
    }
}
