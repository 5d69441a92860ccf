//! Questions of clients about what the searches of a job see. Nothing is kept of the answers.

use std::collections::BTreeMap;
use std::time::Duration;

use sprig_domain::{Goal, JobId, View};
use sprig_proto::{Look, Looker, Sight, ToWorker, WorkerId};

use super::workers::fingerprint;
use super::{Action, CallId, Machine, Reply, Turn};

/// How long workers have to answer.
const PATIENCE: Duration = Duration::from_secs(1);
/// Most workers that are asked.
const MOST: usize = 64;

/// A question on its way.
#[derive(Debug)]
pub(super) struct Asked {
    call: CallId,
    job: JobId,
    deadline: Duration,
    /// The workers that have not answered.
    left: Vec<WorkerId>,
    answers: BTreeMap<WorkerId, Option<View>>,
}

impl Machine {
    /// Asks the workers of a job what they see of a place, or of what each works at.
    pub(super) fn look(
        &mut self,
        turn: &mut Turn<'_>,
        call: CallId,
        id: JobId,
        at: Option<Goal>,
        limit: u32,
    ) {
        let Some(job) = self.jobs.get(&id) else {
            turn.act(Action::Reply(call, Reply::NoSuchJob(id)));
            return;
        };
        let number = self.next_look;
        self.next_look += 1;
        let mut left = Vec::new();
        for lease in self.of_job(id).take(MOST) {
            let worker = self.leases[&lease].worker;
            let Some(session) =
                self.workers.get(&worker).filter(|it| it.looks).and_then(|it| it.session)
            else {
                continue;
            };
            let own = || job.goal_of(&self.leases[&lease].course);
            let look = Look { number, at: at.clone().unwrap_or_else(own), limit };
            turn.act(Action::Tell(session, ToWorker::Look(look)));
            left.push(worker);
        }
        let (deadline, answers) = (turn.now + PATIENCE, BTreeMap::new());
        self.looks.insert(number, Asked { call, job: id, deadline, left, answers });
        self.reply_to_looks(turn);
    }

    /// A worker says what it sees.
    pub(super) fn seen(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        number: u64,
        view: Option<View>,
    ) {
        let Some(asked) = self.looks.get_mut(&number) else { return };
        let Some(at) = asked.left.iter().position(|&left| left == worker) else { return };
        asked.left.remove(at);
        asked.answers.insert(worker, view);
        self.reply_to_looks(turn);
    }

    /// When the first question is answered with what has come.
    pub(super) fn first_look(&self) -> Option<Duration> {
        self.looks.values().map(|asked| asked.deadline).min()
    }

    /// Answers questions that all have answered, or for which the time is over.
    pub(super) fn reply_to_looks(&mut self, turn: &mut Turn<'_>) {
        let is_due =
            |(_, asked): &(&u64, &Asked)| asked.left.is_empty() || turn.now >= asked.deadline;
        let due: Vec<u64> = self.looks.iter().filter(is_due).map(|(&number, _)| number).collect();
        let due: Vec<Asked> = due.into_iter().filter_map(|it| self.looks.remove(&it)).collect();
        for Asked { call, job, answers, .. } in due {
            let reply = self.sight(turn.now, job, answers);
            turn.act(Action::Reply(call, reply));
        }
    }

    fn sight(
        &self,
        now: Duration,
        id: JobId,
        mut answers: BTreeMap<WorkerId, Option<View>>,
    ) -> Reply {
        let Some(job) = self.jobs.get(&id) else { return Reply::NoSuchJob(id) };
        let looker = |number| {
            let lease = &self.leases[&number];
            let worker = self.workers.get(&lease.worker)?;
            // What it said before was about something else.
            let age = now.saturating_sub(worker.heard.max(lease.granted));
            Some(Looker {
                worker: fingerprint(lease.worker),
                name: worker.name.clone(),
                goal: job.goal_of(&lease.course),
                wish: lease.course.wish,
                expansions: lease.spent,
                age: u64::try_from(age.as_millis()).unwrap_or(u64::MAX),
                view: answers.remove(&lease.worker).flatten(),
            })
        };
        let lookers = self.of_job(id).filter_map(looker).collect();
        Reply::Sight(Box::new(Sight { job: self.view(now, job), lookers }))
    }
}
