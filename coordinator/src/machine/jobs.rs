//! Jobs, from submission to their end.

use std::time::Duration;

use sprig_engine::Nimber;
use sprig_proto::{
    Build, ClusterStatus, Conclusion, Job, JobId, JobState, LandKnowledge, Outcome, WorkerId,
};
use sprig_search::{Figures, Goal, Question, Verdict};

use super::leases::Target;
use super::{Action, CallId, Entry, Machine, Opening, Reply, Turn};
use crate::tree::Root;

/// A job that has not ended, or whose end is not on disk yet.
#[derive(Debug)]
pub(super) struct Running {
    id: JobId,
    pub(super) goal: Goal,
    pub(super) root: Root,
    state: JobState,
    /// Set when a worker has answered the whole goal.
    pub(super) verdict: Option<Conclusion>,
    /// When this run of the coordinator began with it.
    begun: Duration,
    /// Seconds of earlier runs.
    seconds: f64,
    /// Expansions, children and facts of all workers.
    pub(super) spent: Figures,
    /// Who wants to hear of its cancellation.
    cancels: Vec<CallId>,
}

impl Running {
    /// Whether there is still something to find out.
    pub(super) fn is_open(&self) -> bool {
        !self.state.is_final()
    }

    /// What a verdict about the goal means; none if it is open, or no answer to the question.
    pub(super) fn accepts(&self, verdict: Verdict) -> Option<Conclusion> {
        match (self.goal.question, verdict) {
            (Question::Outcome { .. }, Verdict::Win) => {
                Some(Conclusion { outcome: Outcome::Win, nimber: None })
            }
            (Question::Outcome { heap }, Verdict::Loss) => {
                Some(Conclusion { outcome: Outcome::Loss, nimber: Some(heap) })
            }
            (Question::Nimber, Verdict::Nimber(nimber)) => {
                let outcome = Outcome::from(nimber != Nimber::ZERO);
                Some(Conclusion { outcome, nimber: Some(nimber) })
            }
            _ => None,
        }
    }
}

impl Machine {
    pub(super) fn submit(&mut self, turn: &mut Turn<'_>, call: CallId, goal: Goal) {
        if let Some(job) = self.jobs.values().find(|job| job.is_open() && job.goal == goal) {
            turn.act(Action::Reply(call, Reply::Job(self.view(turn.now, job))));
        } else if let Some(opening) = self.opening.iter_mut().find(|opening| opening.goal == goal) {
            opening.calls.push(call);
        } else {
            let job = JobId(self.next_job);
            self.next_job += 1;
            self.opening.push(Opening { job, goal: goal.clone(), calls: vec![call] });
            turn.act(Action::Open(job, goal));
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
        let root = self.tree.enter(&job.goal, known);
        let Job { id, goal, state, figures, seconds, .. } = job;
        let (begun, spent) = (turn.now, figures);
        let running = Running {
            id,
            goal,
            root,
            state,
            verdict: None,
            begun,
            seconds,
            spent,
            cancels: Vec::new(),
        };
        self.jobs.insert(id, running);
    }

    pub(super) fn cancel(&mut self, turn: &mut Turn<'_>, call: CallId, id: JobId) {
        match self.jobs.get_mut(&id).filter(|job| job.is_open()) {
            Some(job) => {
                job.cancels.push(call);
                self.end(turn, id, JobState::Cancelled);
            }
            None => turn.act(Action::Reply(call, Reply::NoSuchJob(id))),
        }
    }

    /// Ends the jobs whose answer is known by now.
    pub(super) fn conclude(&mut self, turn: &mut Turn<'_>) {
        let answered: Vec<_> = self
            .jobs
            .iter()
            .filter(|(_, job)| job.is_open())
            .filter_map(|(&id, job)| {
                Some((id, merged(job.verdict, self.tree.conclusion(&job.root))?))
            })
            .collect();
        for (id, conclusion) in answered {
            match conclusion {
                Ok(conclusion) => self.end(turn, id, JobState::Done(conclusion)),
                Err(reason) => self.fail_all(turn, &reason),
            }
        }
    }

    /// The database has refused something: nothing that is being proved can be trusted.
    pub(super) fn contradicted(
        &mut self,
        turn: &mut Turn<'_>,
        worker: Option<WorkerId>,
        job: Option<JobId>,
        reason: &str,
    ) {
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

    /// Something is wrong that any proof in work may rest on.
    pub(super) fn fail_all(&mut self, turn: &mut Turn<'_>, reason: &str) {
        let open: Vec<JobId> =
            self.jobs.iter().filter(|(_, job)| job.is_open()).map(|(&id, _)| id).collect();
        for id in open {
            self.end(turn, id, JobState::Failed(reason.into()));
        }
    }

    /// Ends a job; it is told when it is on disk.
    pub(super) fn end(&mut self, turn: &mut Turn<'_>, id: JobId, state: JobState) {
        let Some(job) = self.jobs.get_mut(&id).filter(|job| job.is_open()) else { return };
        job.state = state;
        let view = self.view(turn.now, &self.jobs[&id]);
        turn.act(Action::Commit(Entry::Job(view)));
        self.revoke_all(turn, id);
    }

    pub(super) fn closed(&mut self, turn: &mut Turn<'_>, id: JobId) {
        let Some(job) = self.jobs.remove(&id) else { return };
        let view = self.view(turn.now, &job);
        turn.act(Action::Show(view.clone()));
        for call in job.cancels {
            turn.act(Action::Reply(call, Reply::Job(view.clone())));
        }
        if self.jobs.is_empty() {
            self.tree.clear();
        }
    }

    /// Writes down how far jobs have come; nothing is granted any more.
    pub(super) fn stop(&mut self, turn: &mut Turn<'_>) {
        self.stopping = true;
        let open = self.jobs.values().filter(|job| job.is_open());
        let views: Vec<Job> = open.map(|job| self.view(turn.now, job)).collect();
        views.into_iter().for_each(|view| turn.act(Action::Commit(Entry::Job(view))));
    }

    /// Nimbers that the tree has proved become facts like any other.
    pub(super) fn tell_found(&mut self, turn: &mut Turn<'_>) {
        let facts = self.tree.take_found();
        if !facts.is_empty() {
            let (name, build) = ("coordinator".into(), Build::here().id);
            let entry = Entry::Report {
                worker: None,
                sequence: None,
                name,
                build,
                job: None,
                facts,
                exclusions: Vec::new(),
            };
            turn.act(Action::Commit(entry));
        }
    }

    pub(super) fn view(&self, now: Duration, job: &Running) -> Job {
        let mut figures = job.spent;
        for lease in self.leases.values().filter(|lease| lease.job == job.id && !lease.adrift) {
            let worker = &self.workers[&lease.worker].figures;
            figures.lands += worker.lands;
            figures.bytes += worker.bytes;
            if lease.target == Target::Whole {
                (figures.proof, figures.disproof) = (worker.proof, worker.disproof);
            }
        }
        Job {
            id: job.id,
            goal: job.goal.clone(),
            state: job.state.clone(),
            figures,
            workers: self.workers_of(job.id),
            seconds: job.seconds + now.saturating_sub(job.begun).as_secs_f64(),
        }
    }

    pub(super) fn tell_status(&self, turn: &mut Turn<'_>, call: CallId) {
        let status = ClusterStatus {
            build: Build::here(),
            facts: self.facts,
            workers: self.worker_views(),
            jobs: self.jobs.values().map(|job| self.view(turn.now, job)).collect(),
        };
        turn.act(Action::Reply(call, Reply::Status(status)));
    }
}

/// What follows from a worker's verdict and from the tree together.
fn merged(
    verdict: Option<Conclusion>,
    tree: Option<Conclusion>,
) -> Option<Result<Conclusion, String>> {
    match (verdict, tree) {
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
