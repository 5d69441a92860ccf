//! What a job has cost, as it is written down; and workers that cannot work on it.

use super::*;

/// The notes about a job among actions: expansions that are to be written.
fn noted(actions: &[Action]) -> Vec<u64> {
    let noted = actions.iter().filter_map(|action| match action {
        Action::Commit(Entry::Job(job)) => Some(job.figures.expansions),
        _ => None,
    });
    noted.collect()
}

fn unable(world: &mut World, session: u64, lease: LeaseId) -> Vec<Action> {
    let answer = Answer { lease, verdict: Err(gave_up("too little memory")), figures: figures(0) };
    world.say(session, FromWorker::Pull(Pull { answer: Some(answer), more: true }))
}

#[test]
fn counters_are_written_now_and_then() {
    let mut world = World::new();
    let job = world.job("0*9");
    let lease = world.grant_to(1).lease;
    world.pass(Duration::from_secs(9));
    assert!(noted(&world.progress(1, lease, 100)).is_empty());
    world.pass(Duration::from_secs(1));
    let note = world.progress(1, lease, 150);
    assert_eq!(noted(&note), [150]);
    assert!(noted(&world.progress(1, lease, 160)).is_empty());
    // An order that was given meanwhile is not on disk with that.
    let order = world.order(7, job, JobOrder::Priority(3));
    let replied = |actions: &[Action]| {
        actions.iter().any(|action| matches!(action, Action::Reply(CallId(7), _)))
    };
    assert!(!replied(&world.commit(&note)));
    assert!(replied(&world.commit(&order)));
}

#[test]
fn what_was_done_without_a_coordinator_is_counted_later() {
    let mut world = World::new();
    world.job("0*9");
    let of_the_run_before = LeaseId { epoch: EPOCH - 1, number: 5 };
    let holding = Some(of_the_run_before);
    let hello = Hello { holding, figures: figures(1_000), ..hello(1) };
    world.on(Event::Joined { session: SessionId(1), hello });
    world.progress(1, of_the_run_before, 1_500);
    let open = Verdict::Open { proof: 1, disproof: 1 };
    let grant = granted(&world.answer(1, of_the_run_before, open, 1_600), 1).expect("work");
    world.pass(Duration::from_secs(10));
    assert_eq!(noted(&world.progress(1, grant.lease, 1_700)), [700]);
}

#[test]
fn who_cannot_work_on_a_job_leaves_it_to_others() {
    let mut world = World::new();
    world.job("0*8");
    let (first, second) = (world.grant_to(1), world.grant_to(2));
    let actions = unable(&mut world, 1, first.lease);
    let warned =
        |action: &Action| matches!(action, Action::Warn(line) if line.contains("worker-1"));
    assert!(actions.iter().any(warned), "{actions:?}");
    assert!(granted(&actions, 1).is_none() && shown(&actions).is_none(), "{actions:?}");
    // It may work on another job, also on one that is less important.
    world.important_job("0*9", -1);
    let consequences = world.consequences();
    assert_eq!(granted(&consequences, 1).expect("work").goal, goal("0*9"));
    assert!(revoked(&consequences).is_empty());
    // The last one fails as well.
    let actions = unable(&mut world, 2, second.lease);
    let failed = Some(JobState::Failed("worker-2: too little memory".into()));
    assert_eq!(shown(&world.commit(&actions)), failed);
}

#[test]
fn counters_that_no_machine_can_reach_are_not_believed() {
    let mut world = World::new();
    let job = world.job("0*9");
    let lease = world.grant_to(1).lease;
    let mut written = 0;
    for figure in [u64::MAX, 0, u64::MAX, 5, u64::MAX - 1] {
        world.pass(Duration::from_secs(10));
        written = noted(&world.progress(1, lease, figure)).last().copied().unwrap_or(written);
    }
    let most = 100_000_000 * (60 + 50);
    assert!((1..=most).contains(&written), "job {job}: {written}");
}

#[test]
fn the_identity_of_a_worker_is_told_to_nobody() {
    let mut world = World::new();
    world.join(7, 7, None);
    let ids: Vec<WorkerId> =
        world.machine.worker_views().into_iter().map(|worker| worker.id).collect();
    assert_eq!(ids, [super::super::fingerprint(WorkerId(7))]);
    assert_ne!(ids, [WorkerId(7)]);
}

#[test]
fn work_done_is_counted_once() {
    let mut world = World::new();
    world.job("0*9");
    let grant = world.grant_to(1);
    for expansions in [50, 80] {
        world.progress(1, grant.lease, expansions);
    }
    let actions = world.answer(1, grant.lease, Verdict::Win, 100);
    let [Action::Commit(Entry::Job(job))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(job.figures.expansions, 100);
}

/// A worker makes a search anew for another game or play, and that begins to count at nothing.
#[test]
fn what_a_worker_did_before_its_search_began_is_counted_too() {
    let mut world = World::new();
    world.job("0*9");
    let grant = world.grant_to(1);
    for expansions in [50, 80, 10, 30] {
        world.progress(1, grant.lease, expansions);
    }
    assert_eq!(world.machine.worker_views()[0].figures.expansions, 110);
    let actions = world.answer(1, grant.lease, Verdict::Win, 40);
    let [Action::Commit(Entry::Job(job))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(job.figures.expansions, 120);
}
