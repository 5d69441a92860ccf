//! Workers that give a job up: what that is worth.

use sprig_proto::Waiting;

use super::super::refusals::{PATIENCE as AN_HOUR, SOON};
use super::*;
use crate::trust::Withdrawals;

/// A machine that believes no worker.
fn checking() -> World {
    let mut world = World::new();
    world.machine = Machine::new(EPOCH, DATABASE, 0, JobId(1)).checked(Withdrawals::default());
    world
}

fn join(world: &mut World, n: u64, name: &str) {
    let hello = Hello { name: name.into(), ..hello(n) };
    world.on(Event::Joined { session: SessionId(n), hello });
}

/// Worker `n` of this name comes, gets the job, and gives it up.
fn refuse(world: &mut World, n: u64, name: &str, obstacle: Obstacle) -> Vec<Action> {
    join(world, n, name);
    let lease = granted(&world.pull(n), n).expect("work").lease;
    let verdict = Err(GaveUp { obstacle, reason: "too large".into() });
    let answer = Answer { lease, verdict, figures: figures(0) };
    world.say(n, FromWorker::Pull(Pull { answer: Some(answer), more: true }))
}

fn status(world: &mut World) -> Job {
    let actions = world.on(Event::StatusAsked { call: CallId(9) });
    let [Action::Reply(_, Reply::Status(status))] = &actions[..] else { panic!("{actions:?}") };
    status.jobs[0].clone()
}

fn failed(actions: &[Action]) -> bool {
    actions.iter().any(|action| {
        matches!(action, Action::Commit(Entry::Job(job)) if matches!(job.state, JobState::Failed(_)))
    })
}

#[test]
fn one_worker_never_ends_a_job_and_the_next_gets_it() {
    let mut world = checking();
    world.job("0*9");
    let actions = refuse(&mut world, 1, "w@node-1", Obstacle::Goal);
    assert!(!failed(&actions), "{actions:?}");
    let waiting = Waiting::GaveUp { worker: "w@node-1".into(), reason: "too large".into() };
    let text = "waits for another worker: w@node-1 gave up: too large";
    assert_eq!((waiting.to_string(), status(&mut world).waiting), (text.to_owned(), Some(waiting)));
    assert_eq!(world.grant_to(2).goal, goal("0*9"));
    assert_eq!(status(&mut world).waiting, None);
}

#[test]
fn names_that_cost_nothing_never_end_a_job() {
    let mut world = checking();
    world.job("0*9");
    for n in 1..20 {
        let actions = refuse(&mut world, n, &format!("throw-away-{n}"), Obstacle::Goal);
        assert!(!failed(&actions), "{n}: {actions:?}");
    }
}

#[test]
fn several_proved_names_end_it_soon_but_not_before_others_could_come() {
    let mut world = checking();
    world.job("0*9");
    let begun = world.now;
    for (n, name) in [(1, "a@node-1"), (2, "b@node-1"), (3, "free"), (4, "a@node-2")] {
        assert!(!failed(&refuse(&mut world, n, name, Obstacle::Memory)), "{name}");
        assert_eq!(world.machine.deadline(), Some(begun + AN_HOUR), "{name}");
    }
    assert!(!failed(&refuse(&mut world, 5, "a@node-3", Obstacle::Memory)));
    assert_eq!(world.machine.deadline(), Some(begun + SOON));
    world.pass(SOON);
    let actions = world.on(Event::Tick);
    let reason = "a@node-3: too large; no other worker came within 5 minutes".to_owned();
    assert_eq!(shown(&world.commit(&actions)), Some(JobState::Failed(reason)));
    // Two names are enough where the goal itself is in the way.
    let mut world = checking();
    world.job("0*9");
    assert!(!failed(&refuse(&mut world, 1, "a@node-1", Obstacle::Goal)));
    assert!(!failed(&refuse(&mut world, 2, "a@node-2", Obstacle::Goal)));
    world.pass(SOON / 2);
    assert!(!failed(&world.on(Event::Tick)));
    world.pass(SOON / 2);
    assert!(failed(&world.on(Event::Tick)));
    // A worker that comes in time does it.
    let mut world = checking();
    world.job("0*9");
    refuse(&mut world, 1, "a@node-1", Obstacle::Goal);
    refuse(&mut world, 2, "a@node-2", Obstacle::Goal);
    world.grant_to(3);
    world.pass(SOON);
    assert!(!failed(&world.on(Event::Tick)));
}

#[test]
fn after_an_hour_without_another_worker_it_ends() {
    let mut world = checking();
    world.job("0*9");
    let begun = world.now;
    refuse(&mut world, 1, "w", Obstacle::Memory);
    assert_eq!(world.machine.deadline(), Some(begun + AN_HOUR));
    // A worker that comes again is not another worker.
    world.pass(AN_HOUR / 2);
    world.on(Event::Left { session: SessionId(1) });
    refuse(&mut world, 2, "w", Obstacle::Memory);
    world.pass(AN_HOUR / 2);
    let actions = world.on(Event::Tick);
    let reason = "w: too large; no other worker came within 60 minutes".to_owned();
    assert_eq!(shown(&world.commit(&actions)), Some(JobState::Failed(reason)));
    assert_eq!(world.machine.deadline(), None);
}

#[test]
fn while_another_worker_is_there_or_nothing_is_granted_the_hour_does_not_pass() {
    let mut world = checking();
    world.job("0*9");
    refuse(&mut world, 1, "w", Obstacle::Memory);
    world.on(Event::Drained { call: CallId(3), drained: true });
    world.pass(2 * AN_HOUR);
    assert!(!failed(&world.on(Event::Tick)));
    assert_eq!(status(&mut world).waiting, Some(Waiting::Drained));
    world.on(Event::Drained { call: CallId(3), drained: false });
    let lease = world.grant_to(2).lease;
    for expansions in 1..200 {
        world.pass(PATIENCE / 2);
        assert!(!failed(&world.progress(2, lease, expansions)));
        assert!(!failed(&world.on(Event::Tick)));
    }
}

#[test]
fn a_job_without_a_worker_says_what_it_waits_for() {
    let mut world = checking();
    world.job("0*9");
    assert_eq!(status(&mut world).waiting, Some(Waiting::Worker));
    world.important_job("0*8", 1);
    world.grant_to(1);
    assert_eq!(status(&mut world).waiting, Some(Waiting::Ahead(JobId(2))));
}

#[test]
fn a_job_whose_answer_is_being_checked_says_so() {
    let mut world = checking();
    let job = world.job("0*9");
    let lease = world.grant_to(1).lease;
    assert_eq!(status(&mut world).waiting, None);
    let actions = world.answer(1, lease, Verdict::Win, 10);
    assert!(actions.iter().any(|action| matches!(action, Action::Prove(_))), "{actions:?}");
    let shown = |action: &Action| match action {
        Action::Show(job) => job.waiting.clone(),
        _ => None,
    };
    assert_eq!(actions.iter().find_map(shown), Some(Waiting::Checking(0)));
    assert_eq!(status(&mut world).waiting, Some(Waiting::Checking(0)));
    let actions = world.on(Event::Inspected { job, facts: 43 });
    assert_eq!(actions.iter().find_map(shown), Some(Waiting::Checking(43)));
    // More workers would not help it.
    assert!(Waiting::Checking(43).is_held() && !Waiting::Checking(43).is_spent());
    world.on(Event::Unfounded { job });
    assert_eq!(status(&mut world).waiting, None);
    // The check of another answer may still be told about this one.
    world.on(Event::Inspected { job, facts: 44 });
    assert_eq!(status(&mut world).waiting, None);
}
