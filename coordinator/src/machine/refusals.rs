//! Workers that give a job up. That is no evidence about the job: one worker, or several under
//! names that cost nothing, never end it. The job waits for others.

use std::collections::BTreeMap;
use std::time::Duration;

use sprig_domain::{JobId, JobState};
use sprig_proto::{GaveUp, Obstacle, Waiting, WorkerId};
use sprig_store::Person;

use super::workers::Worker;
use super::{Action, Machine, Turn};
use crate::trust::person;

/// Proved names that must have given a job up before it fails soon.
const NAMES: usize = 3;
/// The same number where all say that the goal itself is in the way.
const NAMES_FOR_THE_GOAL: usize = 2;
/// How long a job waits for a worker that can do it.
pub(super) const PATIENCE: Duration = Duration::from_secs(3600);
/// How long it waits once enough proved names have given it up. It is never failed at once: several
/// liars may have come first.
pub(super) const SOON: Duration = Duration::from_secs(300);

/// The workers that have given a job up.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    by: BTreeMap<Person, GaveUp>,
    /// The latest: the worker and its reason.
    latest: Option<(String, String)>,
    /// Since when the job has waited for another worker.
    since: Option<Duration>,
}

impl Refusals {
    fn note(&mut self, name: &str, gave_up: GaveUp) {
        self.latest = Some((name.to_owned(), gave_up.reason.clone()));
        self.by.insert(person(name), gave_up);
    }

    /// Whether as many names have given it up as are needed to fail it soon.
    fn are_enough(&self) -> bool {
        let proved = || self.by.iter().filter(|(person, _)| person.proved);
        let for_the_goal = proved().filter(|(_, gave_up)| gave_up.obstacle == Obstacle::Goal);
        proved().count() >= NAMES || for_the_goal.count() >= NAMES_FOR_THE_GOAL
    }

    /// How long the job waits for others.
    fn patience(&self) -> Duration {
        if self.are_enough() { SOON } else { PATIENCE }
    }

    /// A worker makes progress with the job.
    pub(super) fn forget_time(&mut self) {
        self.since = None;
    }
}

impl Machine {
    /// A worker cannot work on a job. Nothing more happens if another one can.
    pub(super) fn hand_back(
        &mut self,
        turn: &mut Turn<'_>,
        id: WorkerId,
        job: JobId,
        gave_up: GaveUp,
    ) {
        let worker = self.workers.get_mut(&id).expect("it has spoken");
        worker.unfit.insert(job);
        let name = worker.name.clone();
        let alone = !self.has_others(job);
        let reason = gave_up.reason.clone();
        let Some(running) = self.jobs.get_mut(&job).filter(|job| job.is_open()) else { return };
        running.refusals.note(&name, gave_up);
        // Where workers are believed, one word is enough.
        if alone && !self.shows {
            self.end(turn, job, JobState::Failed(format!("{name}: {reason}")));
            return;
        }
        let then = if alone { "it waits for another worker" } else { "others go on" };
        turn.act(Action::Warn(format!("{name} cannot work on job {job}, {then}: {reason}")));
    }

    /// Who has given the job up, if every worker that is connected has.
    pub(super) fn refused_by(&self, job: JobId) -> Option<Waiting> {
        let (worker, reason) = self.jobs.get(&job)?.refusals.latest.clone()?;
        (!self.has_others(job)).then_some(Waiting::GaveUp { worker, reason })
    }

    /// Whether a worker is connected that can search the game of the job and has not given it up.
    fn has_others(&self, job: JobId) -> bool {
        self.fit_for(job).next().is_some()
    }

    fn fit_for(&self, job: JobId) -> impl Iterator<Item = &Worker> {
        let connected = self.workers.iter().filter(|(_, worker)| worker.session.is_some());
        connected.filter(move |(id, _)| self.is_fit(**id, job)).map(|(_, worker)| worker)
    }

    /// As for [`Self::has_others`], not counting new connections of workers that have given it up
    /// before.
    fn has_other_persons(&self, job: JobId) -> bool {
        let Some(running) = self.jobs.get(&job) else { return false };
        let mut fit = self.fit_for(job);
        fit.any(|worker| !running.refusals.by.contains_key(&person(&worker.name)))
    }

    /// Notes since when jobs have waited for others than those that have given them up.
    pub(super) fn mind_refusals(&mut self, now: Duration) {
        let refused = self.jobs.iter().filter(|(_, job)| !job.refusals.by.is_empty());
        let refused: Vec<JobId> = refused.map(|(&id, _)| id).collect();
        for id in refused {
            let others = self.drained || self.has_other_persons(id);
            let Some(job) = self.jobs.get_mut(&id) else { continue };
            if others || !job.wants_work() || job.held.is_some() {
                job.refusals.forget_time();
            } else {
                job.refusals.since.get_or_insert(now);
            }
        }
    }

    /// When each job that waits for others has waited long enough.
    fn overdue(&self) -> impl Iterator<Item = (JobId, Duration)> + '_ {
        let waiting = self.jobs.iter().filter(|(id, _)| self.of_job(**id).next().is_none());
        waiting.filter_map(|(&id, job)| Some((id, job.refusals.since? + job.refusals.patience())))
    }

    /// When the first job has waited long enough.
    pub(super) fn first_overdue(&self) -> Option<Duration> {
        self.overdue().map(|(_, when)| when).min()
    }

    /// Ends jobs that have waited long enough.
    pub(super) fn give_up(&mut self, turn: &mut Turn<'_>) {
        let due: Vec<JobId> =
            self.overdue().filter(|(_, when)| *when <= turn.now).map(|(id, _)| id).collect();
        for id in due {
            let refusals = &self.jobs[&id].refusals;
            let Some((name, reason)) = refusals.latest.clone() else { continue };
            let minutes = refusals.patience().as_secs() / 60;
            let reason = format!("{name}: {reason}; no other worker came within {minutes} minutes");
            self.end(turn, id, JobState::Failed(reason));
        }
    }
}
