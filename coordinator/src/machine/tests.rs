//! The machine without disk or network: a scripted world performs its actions.

mod accounts;
mod leaves;
mod misere;
mod refusals;
mod sharing;
mod terms;
mod wishes;

use std::time::Duration;

use sprig_domain::{
    Conclusion, Fact, Figures, Game, Goal, JobId, JobState, Outcome, Question, Terms, Verdict,
};
use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_proto::{
    Alarm, Answer, Build, FromWorker, GaveUp, Grant, Hello, Job, JobOrder, LeaseId, Obstacle,
    Proved, Pull, Report, Submission, ToWorker, WorkerId,
};

use super::leases::PATIENCE;
use super::{Action, CallId, Entry, Event, Machine, Receipt, Reply, SessionId};
use crate::trust::About;

const EPOCH: u64 = 77;
const DATABASE: u64 = 5;

/// A machine, its time, and what it has wanted done.
struct World {
    machine: Machine,
    now: Duration,
    actions: Vec<Action>,
    /// What the latest job has brought about.
    consequences: Vec<Action>,
}

fn position(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

fn goal(text: &str) -> Goal {
    Goal::normal(position(text), Question::OUTCOME)
}

fn fact(text: &str, nimber: u64) -> Fact {
    let nimber = Nimber::new(nimber).expect("in range");
    sprig_domain::LandNimber { land: position(text).lands()[0].clone(), nimber }.into()
}

fn figures(expansions: u64) -> Figures {
    Figures { expansions, ..Figures::default() }
}

/// What worker `n` says first.
fn hello(n: u64) -> Hello {
    let (build, name, worker) = (Build::here(), format!("worker-{n}"), WorkerId(n));
    let (figures, games) = (figures(0), vec![Game::Sprouts]);
    Hello {
        build,
        name,
        worker,
        threads: 1,
        holding: None,
        figures,
        games,
        reign: None,
        looks: true,
    }
}

impl World {
    fn new() -> Self {
        let machine = Machine::new(EPOCH, DATABASE, 0, JobId(1));
        Self { machine, now: Duration::from_secs(1), actions: Vec::new(), consequences: Vec::new() }
    }

    /// Applies an event and gives back what is to be done.
    fn on(&mut self, event: Event) -> Vec<Action> {
        self.machine.apply(self.now, event, &mut self.actions);
        std::mem::take(&mut self.actions)
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
    }

    /// Worker `n` connects in session `session`.
    fn join(&mut self, n: u64, session: u64, holding: Option<LeaseId>) -> Vec<Action> {
        let hello = Hello { holding, ..hello(n) };
        self.on(Event::Joined { session: SessionId(session), hello })
    }

    fn say(&mut self, session: u64, message: FromWorker) -> Vec<Action> {
        self.on(Event::Said { session: SessionId(session), message })
    }

    fn order(&mut self, call: u64, job: JobId, order: JobOrder) -> Vec<Action> {
        self.on(Event::Ordered { call: CallId(call), job, order })
    }

    fn progress(&mut self, session: u64, lease: LeaseId, expansions: u64) -> Vec<Action> {
        self.say(session, FromWorker::Progress { lease, figures: figures(expansions) })
    }

    fn pull(&mut self, session: u64) -> Vec<Action> {
        self.say(session, FromWorker::Pull(Pull { answer: None, more: true }))
    }

    fn answer(
        &mut self,
        session: u64,
        lease: LeaseId,
        verdict: Verdict,
        spent: u64,
    ) -> Vec<Action> {
        let answer = Answer { lease, verdict: Ok(verdict), figures: figures(spent) };
        self.say(session, FromWorker::Pull(Pull { answer: Some(answer), more: true }))
    }

    /// A job in work whose goal nothing is known about.
    fn job(&mut self, text: &str) -> JobId {
        self.important_job(text, 0)
    }

    fn important_job(&mut self, text: &str, priority: i32) -> JobId {
        self.job_of(goal(text), priority)
    }

    fn job_of(&mut self, goal: Goal, priority: i32) -> JobId {
        self.submitted(Submission { goal, priority, terms: Terms::default() })
    }

    fn submitted(&mut self, submission: Submission) -> JobId {
        let actions = self.on(Event::Submitted { call: CallId(1), submission });
        let [Action::Open(id, asked)] = &actions[..] else { panic!("{actions:?}") };
        let (id, job) = (*id, Job::submitted(*id, asked.clone()));
        self.consequences = self.on(Event::Opened { job, known: Vec::new() });
        id
    }

    /// What the last [`Self::job`] has brought about.
    fn consequences(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.consequences)
    }

    /// Worker `n` joins in a session of the same number and pulls.
    fn grant_to(&mut self, n: u64) -> Grant {
        self.join(n, n, None);
        let actions = self.pull(n);
        granted(&actions, n).unwrap_or_else(|| panic!("no grant in {actions:?}"))
    }

    /// Confirms what was to be written, as the writer does.
    fn commit(&mut self, actions: &[Action]) -> Vec<Action> {
        let mut receipt = Receipt::default();
        for action in actions {
            match action {
                Action::Commit(Entry::Report { worker, sequence, facts, .. }) => {
                    receipt.reports.extend(sequence.map(|sequence| (*worker, sequence)));
                    receipt.facts.extend(facts.iter().map(|fact| (Game::Sprouts, fact.clone())));
                    receipt.total = self.machine.facts + facts.len() as u64;
                }
                Action::Commit(Entry::Job(job)) if job.state.is_final() => {
                    receipt.closed.push(job.id)
                }
                Action::Commit(Entry::Job(job)) => receipt.noted.push(job.id),
                _ => {}
            }
        }
        self.on(Event::Committed(receipt))
    }
}

/// A goal submitted on terms.
fn on(text: &str, terms: Terms) -> Submission {
    Submission { terms, ..goal(text).into() }
}

fn gave_up(reason: &str) -> GaveUp {
    GaveUp { obstacle: Obstacle::Memory, reason: reason.into() }
}

fn about() -> About {
    let land = position("0*4").lands()[0].clone();
    let about = Proved::Nimber { land, possible: 0b10 };
    About::from(&Alarm { game: Game::Sprouts, about })
}

fn granted(actions: &[Action], session: u64) -> Option<Grant> {
    actions.iter().find_map(|action| match action {
        Action::Tell(to, ToWorker::Grant(grant)) if to.0 == session => Some(grant.clone()),
        _ => None,
    })
}

fn revoked(actions: &[Action]) -> Vec<(u64, LeaseId)> {
    let revoked = actions.iter().filter_map(|action| match action {
        Action::Tell(to, ToWorker::Revoke(lease)) => Some((to.0, *lease)),
        _ => None,
    });
    revoked.collect()
}

fn acknowledged(actions: &[Action]) -> Vec<u64> {
    let reports = actions.iter().filter_map(|action| match action {
        Action::Tell(_, ToWorker::Acknowledge(it)) => Some(it.reports.clone()),
        _ => None,
    });
    reports.flatten().collect()
}

fn shown(actions: &[Action]) -> Option<JobState> {
    actions.iter().rev().find_map(|action| match action {
        Action::Show(job) => Some(job.state.clone()),
        _ => None,
    })
}

fn report(sequence: u64, facts: Vec<Fact>) -> FromWorker {
    FromWorker::Report(Report { game: Game::Sprouts, sequence, facts })
}

#[test]
fn a_lone_worker_gets_the_whole_goal_without_a_budget() {
    let mut world = World::new();
    world.job("0*9");
    let grant = world.grant_to(1);
    assert_eq!((grant.goal, grant.expansions), (goal("0*9"), None));
}

#[test]
fn work_that_comes_later_goes_to_who_waits() {
    let mut world = World::new();
    world.join(1, 1, None);
    assert!(granted(&world.pull(1), 1).is_none());
    world.job("0*5");
    let actions = world.consequences();
    assert!(matches!(
        actions[..],
        [Action::Show(_), Action::Reply(CallId(1), Reply::Job(_)), Action::Tell(..)]
    ));
}

#[test]
fn a_job_ends_only_when_its_end_is_on_disk() {
    let mut world = World::new();
    world.job("0*9");
    let grant = world.grant_to(1);
    let actions = world.answer(1, grant.lease, Verdict::Win, 100);
    assert_eq!(shown(&actions), None);
    assert!(matches!(&actions[..], [Action::Commit(Entry::Job(_))]), "{actions:?}");
    let done = JobState::Done(Conclusion { outcome: Outcome::Win, nimber: None });
    assert_eq!(shown(&world.commit(&actions)), Some(done));
}

#[test]
fn a_report_is_acknowledged_only_when_it_is_on_disk() {
    let mut world = World::new();
    world.job("0*9");
    world.grant_to(1);
    let written = world.say(1, report(0, vec![fact("0*4", 1)]));
    assert!(acknowledged(&written).is_empty());
    let actions = world.commit(&written);
    assert_eq!(acknowledged(&actions), [0]);
    assert!(actions.iter().any(|action| matches!(action, Action::Publish(1))));
}

#[test]
fn doubled_and_reordered_reports_are_acknowledged_again() {
    let mut world = World::new();
    world.grant_nothing_to(1);
    for sequence in [3, 1, 3, 2] {
        let written = world.say(1, report(sequence, vec![fact("0*4", 1)]));
        assert_eq!(acknowledged(&world.commit(&written)), [sequence]);
    }
}

impl World {
    fn grant_nothing_to(&mut self, n: u64) {
        self.join(n, n, None);
        assert!(granted(&self.pull(n), n).is_none());
    }
}

#[test]
fn a_report_of_a_worker_that_has_gone_is_kept() {
    let mut world = World::new();
    world.grant_nothing_to(1);
    let written = world.say(1, report(0, vec![fact("0*4", 1)]));
    world.on(Event::Left { session: SessionId(1) });
    let actions = world.commit(&written);
    assert!(acknowledged(&actions).is_empty(), "nobody is there to hear it");
    assert!(matches!(actions[..], [Action::Publish(1)]));
    // The worker comes back, says it again, and is told.
    world.join(1, 2, None);
    let written = world.say(2, report(0, vec![fact("0*4", 1)]));
    assert_eq!(acknowledged(&world.commit(&written)), [0]);
}

#[test]
fn the_answer_of_one_ends_the_work_of_all() {
    let mut world = World::new();
    world.job("0*6");
    let anchor = world.grant_to(1);
    let second = world.grant_to(2);
    let actions = world.answer(1, anchor.lease, Verdict::Loss, 10);
    assert_eq!(revoked(&actions), [(2, second.lease)]);
    // Its late answer changes nothing.
    let late = world.answer(2, second.lease, Verdict::Loss, 10);
    assert!(late.is_empty(), "{late:?}");
}

#[test]
fn the_work_of_a_lost_worker_goes_to_another_at_once() {
    let mut world = World::new();
    world.job("0*9");
    let first = world.grant_to(1);
    world.on(Event::Left { session: SessionId(1) });
    let second = world.grant_to(2);
    assert_eq!(second.goal, first.goal);
    // A worker that comes back too late is told so.
    world.pass(PATIENCE);
    world.on(Event::Tick);
    let actions = world.join(1, 3, Some(first.lease));
    assert_eq!(revoked(&actions), [(3, first.lease)]);
}

#[test]
fn a_worker_that_returns_in_time_goes_on() {
    let mut world = World::new();
    world.job("0*9");
    let grant = world.grant_to(1);
    world.on(Event::Left { session: SessionId(1) });
    assert!(revoked(&world.join(1, 2, Some(grant.lease))).is_empty());
    let actions = world.answer(2, grant.lease, Verdict::Win, 5);
    assert!(matches!(&actions[..], [Action::Commit(Entry::Job(_))]), "{actions:?}");
}

#[test]
fn a_new_connection_replaces_the_old_one() {
    let mut world = World::new();
    world.job("0*9");
    let grant = world.grant_to(1);
    let actions = world.join(1, 2, Some(grant.lease));
    assert!(matches!(actions[0], Action::Dismiss(SessionId(1), _)));
    assert!(revoked(&actions).is_empty());
    // The end of the old connection is noticed later, and means nothing.
    world.on(Event::Left { session: SessionId(1) });
    assert_eq!(world.machine.worker_views().len(), 1);
}

#[test]
fn a_lease_without_progress_expires_and_progress_renews() {
    let mut world = World::new();
    world.job("0*9");
    let grant = world.grant_to(1);
    world.pass(PATIENCE / 2);
    world.progress(1, grant.lease, 50);
    assert_eq!(world.machine.deadline(), Some(world.now + PATIENCE));
    world.pass(PATIENCE / 2);
    // Alive, but standing still.
    world.progress(1, grant.lease, 50);
    world.pass(PATIENCE / 2);
    assert_eq!(revoked(&world.on(Event::Tick)), [(1, grant.lease)]);
}

#[test]
fn a_lease_of_another_run_is_revoked_and_its_answer_is_only_a_pull() {
    let mut world = World::new();
    world.job("0*9");
    let old = LeaseId { epoch: EPOCH - 1, number: 1 };
    assert_eq!(revoked(&world.join(1, 1, Some(old))), [(1, old)]);
    let actions = world.answer(1, old, Verdict::Loss, 9);
    assert_eq!(granted(&actions, 1).expect("the goal again").goal, goal("0*9"));
}

#[test]
fn a_contradiction_fails_every_job_and_dismisses_the_worker() {
    let mut world = World::new();
    world.job("0*9");
    let grant = world.grant_to(1);
    let reason = "contradiction: a says 1, b says 2".to_owned();
    let actions = world.on(Event::Contradicted {
        worker: Some(WorkerId(1)),
        job: None,
        reason: reason.clone(),
        about: about(),
    });
    assert_eq!(revoked(&actions), [(1, grant.lease)]);
    assert!(matches!(&actions[..], [.., Action::Dismiss(SessionId(1), said)] if *said == reason));
    assert_eq!(shown(&world.commit(&actions)), Some(JobState::Failed(reason)));
}

#[test]
fn an_answer_that_the_database_refuses_fails_its_job() {
    let mut world = World::new();
    let job = world.job("0*9");
    let grant = world.grant_to(1);
    world.answer(1, grant.lease, Verdict::Win, 5);
    let reason = "contradiction".to_owned();
    let actions = world.on(Event::Contradicted {
        worker: None,
        job: Some(job),
        reason: reason.clone(),
        about: about(),
    });
    assert_eq!(shown(&world.commit(&actions)), Some(JobState::Failed(reason)));
}

#[test]
fn an_alarm_is_put_to_the_database() {
    let mut world = World::new();
    world.grant_nothing_to(1);
    let land = position("0*4").lands()[0].clone();
    let about = Proved::Nimber { land: land.clone(), possible: 0b10 };
    let alarm = Alarm { game: Game::Sprouts, about };
    let actions = world.say(1, FromWorker::Alarm(alarm));
    let [Action::Commit(Entry::Report { game: Game::Sprouts, sequence: None, exclusions, .. })] =
        &actions[..]
    else {
        panic!("{actions:?}")
    };
    assert_eq!(exclusions[..], [(land, !0b10)]);
}

#[test]
fn a_goal_that_cannot_be_worked_on_fails() {
    let mut world = World::new();
    world.job("0*9");
    let lease = world.grant_to(1).lease;
    let answer = Answer { lease, verdict: Err(gave_up("too large")), figures: figures(0) };
    let actions = world.say(1, FromWorker::Pull(Pull { answer: Some(answer), more: true }));
    assert_eq!(
        shown(&world.commit(&actions)),
        Some(JobState::Failed("worker-1: too large".into()))
    );
}

#[test]
fn the_same_goal_joins_the_job() {
    let mut world = World::new();
    let submission = on("0*9", Terms::default());
    let submitted = |n| Event::Submitted { call: CallId(n), submission: submission.clone() };
    let actions = world.on(submitted(1));
    assert!(matches!(actions[..], [Action::Open(JobId(1), ..)]));
    assert!(world.on(submitted(2)).is_empty());
    let job = Job::submitted(JobId(1), submission.clone());
    let replies = world.on(Event::Opened { job, known: Vec::new() });
    assert_eq!(replies.iter().filter(|action| matches!(action, Action::Reply(..))).count(), 2);
    let joined = world.on(submitted(3));
    assert!(
        matches!(&joined[..], [Action::Reply(CallId(3), Reply::Job(job))] if job.id == JobId(1))
    );
}

#[test]
fn facts_alone_can_answer_a_job() {
    let mut world = World::new();
    world.job("0*3+0*4");
    world.grant_to(1);
    let written = world.say(1, report(0, vec![fact("0*3", 1), fact("0*4", 1)]));
    let told = world.commit(&written);
    let done = Conclusion { outcome: Outcome::Loss, nimber: Some(Nimber::ZERO) };
    assert_eq!(shown(&world.commit(&told)), Some(JobState::Done(done)));
}

#[test]
fn when_it_stops_jobs_are_written_down_and_nothing_is_granted() {
    let mut world = World::new();
    world.job("0*9");
    let actions = world.on(Event::Stopping);
    let [Action::Commit(Entry::Job(job))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(job.state, JobState::Running);
    world.join(1, 1, None);
    assert!(granted(&world.pull(1), 1).is_none());
}
