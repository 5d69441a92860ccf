//! Jobs, from submission to their end.

use std::collections::HashSet;
use std::time::Duration;

use sprig_domain::{
    Conclusion, Fact, Figures, Game, Goal, JobId, JobState, Outcome, Play, Terms, Wish,
};
use sprig_proto::{
    Build, ClusterStatus, Job, JobOrder, LandKnowledge, Submission, Waiting, WorkerId,
};

use super::board::Board;
use super::crowds::Crowds;
use super::refusals::Refusals;
use super::{Action, CallId, Entry, Machine, Opening, Reply, Turn};
use crate::knowledge;
use crate::trust::{About, Answered};

/// A job that has not ended, or whose end is not on disk yet.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) id: JobId,
    pub(super) goal: Goal,
    pub(super) priority: i32,
    pub(super) terms: Terms,
    state: JobState,
    /// What is known of the lands of its position, in normal play.
    lands: Vec<LandKnowledge>,
    /// In misère play: its position is known to be lost.
    lost: bool,
    /// Why no worker may work for it although it is running: its campaign, its budget, or its
    /// deadline.
    pub(super) held: Option<Waiting>,
    /// Core seconds of leases that are over.
    pub(super) core_seconds: f64,
    /// Why no worker works for it, as it was shown last.
    pub(super) waiting: Option<Waiting>,
    /// Where people want its searches to go.
    pub(super) wishes: Vec<Wish>,
    /// Which worker owns which part of its goal, once it is divided.
    pub(super) board: Option<Board>,
    /// The worker that is to have the whole of it, as the first.
    pub(super) heir: Option<WorkerId>,
    /// When it was last looked at whether the right worker has the whole of it.
    pub(super) watched_at: Duration,
    /// Leaves that are being taken apart.
    pub(super) scouted: HashSet<Goal>,
    /// The workers that have given it up.
    pub(super) refusals: Refusals,
    /// Set when a worker has answered the whole goal.
    pub(super) verdict: Option<Conclusion>,
    /// The worker that has answered the whole goal.
    pub(super) answerer: Option<String>,
    /// How many facts were looked at to show its answer, while that is being done.
    pub(super) showing: Option<u64>,
    /// Since when it has been running without a pause, in this run of the coordinator.
    begun: Duration,
    /// Seconds before that.
    seconds: f64,
    /// Expansions, children, facts and collections of all workers; the most lands and bytes that
    /// one of them held.
    pub(super) spent: Figures,
    /// The calls that wait until their order is on disk, each with the number of the note that has
    /// it.
    calls: Vec<(u64, CallId)>,
    /// How many notes of how it stands were ordered, and how many were written.
    notes: [u64; 2],
    /// When the last note was ordered.
    noted_at: Duration,
    /// From when on its progress is shown again.
    pub(super) shown_at: Duration,
}

/// How often the counters of a job are written while it makes progress. A coordinator that is
/// killed forgets no more of them than that.
const NOTE_EVERY: Duration = Duration::from_secs(10);

/// How often the progress of a job is shown. Nobody is told more often.
pub(super) const SHOW_EVERY: Duration = Duration::from_millis(100);

impl Running {
    /// Whether there is still something to find out.
    pub(super) fn is_open(&self) -> bool {
        !self.state.is_final()
    }

    /// Whether it is neither paused nor over.
    pub(super) fn is_running(&self) -> bool {
        self.state == JobState::Running
    }

    /// Whether workers can help.
    pub(super) fn wants_work(&self) -> bool {
        self.is_running() && self.showing.is_none()
    }

    /// Takes in a fact of a game, if it is about the position or a land of it.
    pub(super) fn learn(&mut self, game: Game, fact: &Fact) {
        if game != self.goal.game() {
            return;
        }
        match (self.goal.play(), fact) {
            (Play::Normal, Fact::Nimber(fact)) => {
                for land in self.lands.iter_mut().filter(|land| land.land == fact.land) {
                    land.nimber = Some(fact.nimber);
                }
            }
            (Play::Misere, Fact::Loss(node)) => self.lost |= node.is(self.goal.position()),
            _ => {}
        }
    }

    /// What the facts say.
    fn known(&self) -> Option<Conclusion> {
        match self.goal.play() {
            Play::Normal => knowledge::conclude(&self.lands, self.goal.question()),
            Play::Misere => self.lost.then_some(Conclusion::from(Outcome::Loss)),
        }
    }

    /// Adds up its working time until `now`, before a change of whether it passes.
    pub(super) fn settle(&mut self, now: Duration) {
        (self.seconds, self.begun) = (self.seconds(now), now);
    }

    /// Working time until `now`, in seconds.
    fn seconds(&self, now: Duration) -> f64 {
        let running = if self.state == JobState::Paused || self.held.is_some() {
            Duration::ZERO
        } else {
            now.saturating_sub(self.begun)
        };
        self.seconds + running.as_secs_f64()
    }
}

impl Machine {
    pub(super) fn submit(&mut self, turn: &mut Turn<'_>, call: CallId, asked: Submission) {
        let goal = &asked.goal;
        let running = self.jobs.values().find(|job| job.is_open() && job.goal == *goal);
        if let Some(job) = running {
            let (priority, terms) =
                (job.priority.max(asked.priority), job.terms.joined(&asked.terms));
            if (priority, &terms) == (job.priority, &job.terms) {
                turn.act(Action::Reply(call, Reply::Job(self.view(turn.now, job))));
            } else {
                let id = job.id;
                self.alter(turn, call, id, |job| (job.priority, job.terms) = (priority, terms));
            }
        } else if let Some(opening) = self.opening.iter_mut().find(|opening| opening.goal == *goal)
        {
            opening.calls.push(call);
        } else {
            let job = JobId(self.next_job);
            self.next_job += 1;
            self.opening.push(Opening { job, goal: goal.clone(), calls: vec![call] });
            turn.act(Action::Open(job, asked));
        }
    }

    pub(super) fn opened(&mut self, turn: &mut Turn<'_>, job: Job, known: &[LandKnowledge]) {
        let calls = match self.opening.iter().position(|opening| opening.job == job.id) {
            Some(place) => self.opening.remove(place).calls,
            None => Vec::new(),
        };
        turn.act(Action::Show(job.clone()));
        for call in calls {
            turn.act(Action::Reply(call, Reply::Job(job.clone())));
        }
        if job.state.is_final() {
            return;
        }
        let Job {
            id, goal, priority, state, figures, seconds, terms, core_seconds, wishes, ..
        } = job;
        let lands = goal.position().lands().iter().map(|land| {
            let nothing = || LandKnowledge::nothing(land.clone());
            known.iter().find(|known| known.land == *land).cloned().unwrap_or_else(nothing)
        });
        let lands = lands.collect();
        let lost = false;
        let running = Running {
            id,
            goal,
            priority,
            terms,
            state,
            lands,
            lost,
            held: None,
            core_seconds,
            waiting: None,
            wishes,
            board: None,
            heir: None,
            watched_at: turn.now,
            scouted: HashSet::new(),
            refusals: Refusals::default(),
            verdict: None,
            answerer: None,
            showing: None,
            begun: turn.now,
            seconds,
            // Nothing is expected yet.
            spent: Figures { proof: 1, disproof: 1, ..figures },
            calls: Vec::new(),
            notes: [0; 2],
            noted_at: turn.now,
            shown_at: turn.now,
        };
        self.jobs.insert(id, running);
    }

    /// Does what a client orders; the client is told when it is on disk.
    pub(super) fn order(&mut self, turn: &mut Turn<'_>, call: CallId, id: JobId, order: JobOrder) {
        match order {
            JobOrder::Wish(wanted) => self.wish(turn, call, id, wanted),
            JobOrder::Withdraw(number) => self.withdraw(turn, call, id, number),
            JobOrder::Cancel => self.alter(turn, call, id, |job| job.state = JobState::Cancelled),
            JobOrder::Pause => self.alter(turn, call, id, |job| job.state = JobState::Paused),
            JobOrder::Resume => self.alter(turn, call, id, |job| job.state = JobState::Running),
            JobOrder::Priority(priority) => {
                self.alter(turn, call, id, |job| job.priority = priority);
            }
            JobOrder::Budget(budget) => {
                self.alter(turn, call, id, |job| job.terms.budget = budget);
            }
            JobOrder::Deadline(deadline) => {
                self.alter(turn, call, id, |job| job.terms.deadline = deadline);
            }
        }
    }

    /// Changes an open job; the client is told when it is on disk.
    pub(super) fn alter(
        &mut self,
        turn: &mut Turn<'_>,
        call: CallId,
        id: JobId,
        change: impl FnOnce(&mut Running),
    ) {
        let Some(job) = self.jobs.get_mut(&id).filter(|job| job.is_open()) else {
            turn.act(Action::Reply(call, Reply::NoSuchJob(id)));
            return;
        };
        job.calls.push((job.notes[0] + 1, call));
        job.settle(turn.now);
        change(job);
        let rests = job.state != JobState::Running;
        if rests {
            self.revoke_all(turn, id);
        }
        if self.jobs[&id].is_open() {
            turn.act(Action::Show(self.view(turn.now, &self.jobs[&id])));
        }
        self.note(turn, id);
    }

    /// Has how a job stands written.
    pub(super) fn note(&mut self, turn: &mut Turn<'_>, id: JobId) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        job.notes[0] += 1;
        job.noted_at = turn.now;
        turn.act(Action::Commit(Entry::Job(self.view(turn.now, &self.jobs[&id]))));
    }

    /// As for [`Self::note`], but only if the last note is old.
    pub(super) fn note_now_and_then(&mut self, turn: &mut Turn<'_>, id: JobId) {
        let due = |job: &Running| job.is_open() && turn.now >= job.noted_at + NOTE_EVERY;
        if self.jobs.get(&id).is_some_and(due) {
            self.note(turn, id);
        }
    }

    /// Takes all work back and grants no more, or grants it again.
    pub(super) fn drain(&mut self, turn: &mut Turn<'_>, call: CallId, drained: bool) {
        self.drained = drained;
        if drained {
            let jobs: Vec<JobId> = self.jobs.keys().copied().collect();
            jobs.into_iter().for_each(|job| self.revoke_all(turn, job));
        }
        self.tell_status(turn, call);
    }

    /// Ends the jobs whose answer is known by now.
    pub(super) fn conclude(&mut self, turn: &mut Turn<'_>) {
        let answered: Vec<_> = self
            .jobs
            .iter()
            .filter(|(_, job)| job.wants_work())
            .filter_map(|(&id, job)| Some((id, merged(job.verdict, job.known())?)))
            .collect();
        for (id, conclusion) in answered {
            match conclusion {
                Ok(conclusion) if self.shows => self.show(turn, id, conclusion),
                Ok(conclusion) => self.end(turn, id, JobState::Done(conclusion)),
                Err(reason) if self.shows => {
                    let source = self.jobs[&id].answerer.clone();
                    turn.act(Action::Suspect { source, reason });
                }
                Err(reason) => self.fail_all(turn, &reason),
            }
        }
    }

    /// Has an answer shown; no worker needs to work for it any more.
    fn show(&mut self, turn: &mut Turn<'_>, id: JobId, conclusion: Conclusion) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        job.showing = Some(0);
        let (goal, by) = (job.goal.clone(), job.answerer.clone());
        self.revoke_all(turn, id);
        turn.act(Action::Prove(Answered { job: id, goal, conclusion, by }));
    }

    /// A worker's answer was not shown: the job goes on without it.
    pub(super) fn set_aside(&mut self, id: JobId) {
        if let Some(job) = self.jobs.get_mut(&id).filter(|job| job.showing.is_some()) {
            (job.verdict, job.answerer, job.showing) = (None, None, None);
        }
    }

    /// Notes how far the check of the answer to a job is.
    pub(super) fn inspected(&mut self, id: JobId, facts: u64) {
        let showing = self.jobs.get_mut(&id).and_then(|job| job.showing.as_mut());
        if let Some(before) = showing {
            *before = facts;
        }
    }

    /// The database has refused something: nothing that is being proved can be trusted.
    pub(super) fn contradicted(
        &mut self,
        turn: &mut Turn<'_>,
        worker: Option<WorkerId>,
        job: Option<JobId>,
        reason: &str,
        about: About,
    ) {
        if self.shows {
            let reason = reason.to_owned();
            let known = worker.and_then(|worker| self.workers.get(&worker));
            let connected = known.and_then(|worker| Some((worker.session?, worker.name.clone())));
            turn.act(match (connected, worker) {
                (Some((session, source)), _) => Action::Doubt { session, source, reason, about },
                // The worker has gone. When it comes back, it says the same again.
                (None, Some(_)) => return,
                (None, None) => Action::Suspect { source: None, reason },
            });
            return;
        }
        self.fail_all(turn, reason);
        if let Some((id, job)) = job.and_then(|id| Some((id, self.jobs.get_mut(&id)?))) {
            job.state = JobState::Failed(reason.into());
            let view = self.view(turn.now, &self.jobs[&id]);
            turn.act(Action::Commit(Entry::Job(view)));
        }
        if let Some(session) = worker.and_then(|worker| self.session_of(worker)) {
            turn.act(Action::Dismiss(session, reason.into()));
        }
    }

    /// Fails all jobs: something is wrong that any proof in work may rest on.
    pub(super) fn fail_all(&mut self, turn: &mut Turn<'_>, reason: &str) {
        let open: Vec<JobId> =
            self.jobs.iter().filter(|(_, job)| job.is_open()).map(|(&id, _)| id).collect();
        for id in open {
            self.end(turn, id, JobState::Failed(reason.into()));
        }
    }

    /// Ends a job. Clients are told when the end is on disk.
    pub(super) fn end(&mut self, turn: &mut Turn<'_>, id: JobId, state: JobState) {
        let Some(job) = self.jobs.get_mut(&id).filter(|job| job.is_open()) else { return };
        job.state = state;
        let view = self.view(turn.now, &self.jobs[&id]);
        turn.act(Action::Commit(Entry::Job(view)));
        self.revoke_all(turn, id);
    }

    /// How a job stands has been written.
    pub(super) fn noted(&mut self, turn: &mut Turn<'_>, id: JobId) {
        let Some(job) = self.jobs.get_mut(&id).filter(|job| job.is_open()) else { return };
        job.notes[1] += 1;
        let written = job.notes[1];
        let calls: Vec<_> = job.calls.extract_if(.., |(note, _)| *note <= written).collect();
        let view = self.view(turn.now, &self.jobs[&id]);
        for (_, call) in calls {
            turn.act(Action::Reply(call, Reply::Job(view.clone())));
        }
    }

    /// The end of a job has been written.
    pub(super) fn closed(&mut self, turn: &mut Turn<'_>, id: JobId) {
        let Some(job) = self.jobs.remove(&id) else { return };
        let view = self.view(turn.now, &job);
        turn.act(Action::Show(view.clone()));
        for (_, call) in job.calls {
            turn.act(Action::Reply(call, Reply::Job(view.clone())));
        }
    }

    /// Writes down how far jobs have come; nothing is granted any more.
    pub(super) fn stop(&mut self, turn: &mut Turn<'_>) {
        self.stopping = true;
        let open: Vec<JobId> =
            self.jobs.values().filter(|job| job.is_open()).map(|job| job.id).collect();
        open.into_iter().for_each(|id| self.note(turn, id));
    }

    pub(super) fn view(&self, now: Duration, job: &Running) -> Job {
        self.view_among(now, job, &self.crowds())
    }

    /// As [`Self::view`]: who looks at many jobs finds the crowds once.
    pub(super) fn view_among(&self, now: Duration, job: &Running, crowds: &Crowds) -> Job {
        let mut figures = job.spent;
        let (mut lands, mut bytes) = (0, 0);
        for lease in self.leases.values().filter(|lease| lease.job == job.id && !lease.adrift) {
            let worker = &self.workers[&lease.worker].figures;
            lands = worker.lands.saturating_add(lands);
            bytes = worker.bytes.saturating_add(bytes);
        }
        (figures.lands, figures.bytes) = (figures.lands.max(lands), figures.bytes.max(bytes));
        Job {
            id: job.id,
            goal: job.goal.clone(),
            priority: job.priority,
            state: job.state.clone(),
            figures,
            workers: self.workers_of(job.id),
            seconds: job.seconds(now),
            waiting: self.waiting(job.id, crowds),
            terms: job.terms.clone(),
            core_seconds: self.core_seconds(now, job),
            wishes: job.wishes.clone(),
        }
    }

    pub(super) fn tell_status(&self, turn: &mut Turn<'_>, call: CallId) {
        let crowds = self.crowds();
        let jobs = self.jobs.values().map(|job| self.view_among(turn.now, job, &crowds));
        let status = ClusterStatus {
            build: Build::here(),
            facts: self.facts,
            drained: self.drained,
            workers: self.worker_views(),
            jobs: jobs.collect(),
            // The driver fills these in.
            suspended: false,
            bans: Vec::new(),
            followers: Vec::new(),
            sync_followers: 0,
            withheld: false,
            reign: Some(self.reign),
        };
        turn.act(Action::Reply(call, Reply::Status(status)));
    }
}

/// What follows from a worker's verdict and from the facts together.
fn merged(
    verdict: Option<Conclusion>,
    known: Option<Conclusion>,
) -> Option<Result<Conclusion, String>> {
    match (verdict, known) {
        (Some(a), Some(b))
            if a.outcome != b.outcome || a.nimber.zip(b.nimber).is_some_and(|(a, b)| a != b) =>
        {
            let reason = format!(
                "contradiction: a worker's answer is {}, the facts say {}",
                a.outcome, b.outcome
            );
            Some(Err(reason))
        }
        (Some(a), Some(b)) => Some(Ok(Conclusion { nimber: a.nimber.or(b.nimber), ..a })),
        (a, b) => a.or(b).map(Ok),
    }
}
