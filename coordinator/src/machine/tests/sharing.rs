//! Many workers and many jobs: which worker works on which job, and none in the way of another.

use std::num::NonZeroU32;

use super::*;

#[test]
fn all_workers_of_a_job_have_its_goal() {
    let mut world = World::new();
    world.job("0*9");
    for n in 1..5 {
        let grant = world.grant_to(n);
        assert_eq!((grant.goal, grant.expansions), (goal("0*9"), None));
    }
}

#[test]
fn who_cannot_search_a_game_gets_no_lease_of_it() {
    let mut world = World::new();
    world.job("0*9");
    let hello = Hello { games: Vec::new(), ..hello(1) };
    world.on(Event::Joined { session: SessionId(1), hello });
    assert_eq!(granted(&world.pull(1), 1), None);
    world.join(2, 2, None);
    assert!(granted(&world.pull(2), 2).is_some());
}

#[test]
fn each_worker_of_a_job_has_noise_of_its_own_and_the_first_has_none() {
    let mut world = World::new();
    world.job("0*9");
    let grants: Vec<Grant> = (1..4).map(|n| world.grant_to(n)).collect();
    assert_eq!(grants.iter().map(|grant| grant.noise.0).collect::<Vec<_>>(), [0, 1, 2]);
    // One that is away for a while keeps its noise.
    world.on(Event::Left { session: SessionId(2) });
    assert_eq!(world.grant_to(4).noise.0, 3);
    // The noise of one that hands its lease back is free again.
    let open = Verdict::Open { proof: 1, disproof: 1 };
    let actions = world.answer(1, grants[0].lease, open, 5);
    assert_eq!(granted(&actions, 1).expect("work").noise.0, 0);
}

#[test]
fn a_worker_that_shows_nothing_leaves_the_search_without_noise_to_one_that_does() {
    let mut world = World::new();
    world.job("0*9");
    let [silent, other]: [Grant; 2] = [world.grant_to(1), world.grant_to(2)];
    assert_eq!((silent.noise.0, other.noise.0), (0, 1));
    let reported = |world: &mut World, n, sequence| {
        let report = Report { game: Game::Sprouts, sequence, facts: vec![fact("0*3", 1)] };
        revoked(&world.say(n, FromWorker::Report(report)))
    };
    // A worker at work keeps its noise, and so does one that has just begun.
    world.pass(Duration::from_secs(9));
    assert_eq!(reported(&mut world, 2, 0), []);
    assert_eq!(reported(&mut world, 1, 0), []);
    world.pass(Duration::from_secs(9));
    assert_eq!(reported(&mut world, 2, 1), []);
    world.progress(1, silent.lease, 1_000_000);
    world.pass(Duration::from_secs(2));
    assert_eq!(reported(&mut world, 2, 2), [(2, other.lease)]);
    let actions = world.answer(2, other.lease, Verdict::Open { proof: 1, disproof: 1 }, 5);
    assert_eq!(granted(&actions, 2).expect("work").noise.0, 0);
    // Now this worker has it, and the third has another.
    world.pass(Duration::from_secs(5));
    assert_eq!(reported(&mut world, 2, 3), []);
    assert_eq!(world.grant_to(3).noise.0, 2);
}

#[test]
fn a_new_job_gets_its_share_of_the_workers() {
    let mut world = World::new();
    world.job("0*8");
    let grants: Vec<Grant> = (1..5).map(|n| world.grant_to(n)).collect();
    world.job("0*9");
    let actions = world.consequences();
    // The youngest leases go.
    assert_eq!(revoked(&actions), [(3, grants[2].lease), (4, grants[3].lease)]);
    for n in [3, 4] {
        let lease = grants[n as usize - 1].lease;
        let actions = world.answer(n, lease, Verdict::Open { proof: 1, disproof: 1 }, 5);
        assert_eq!(granted(&actions, n).expect("work").goal, goal("0*9"));
        assert!(revoked(&actions).is_empty());
    }
}

/// The workers that need not be told anything from now on, if that has changed.
fn resting(actions: &[Action]) -> Option<Vec<u64>> {
    actions.iter().rev().find_map(|action| match action {
        Action::Rest(workers) => Some(workers.iter().map(|worker| worker.0).collect()),
        _ => None,
    })
}

#[test]
fn a_job_gets_no_more_workers_than_it_may_and_others_are_there_for_the_next() {
    let mut world = World::new();
    world.machine = world.machine.with_at_most(NonZeroU32::new(2));
    world.job("0*8");
    let [first, second]: [Grant; 2] = [world.grant_to(1), world.grant_to(2)];
    for n in [3, 4, 5] {
        world.join(n, n, None);
        let actions = world.pull(n);
        assert_eq!(granted(&actions, n), None, "{n}");
        assert_eq!(resting(&actions), Some((3..=n).collect()), "nobody tells them anything");
    }
    // The next job gets two of those who wait, and nothing is taken back. It is the same for an
    // important one, which gets its two first.
    world.job("0*9");
    let actions = world.consequences();
    let next: Vec<u64> =
        [3, 4, 5].into_iter().filter(|&n| granted(&actions, n).is_some()).collect();
    assert_eq!((next, revoked(&actions)), (vec![3, 4], vec![]));
    assert_eq!(resting(&actions), Some(vec![5]));
    world.important_job("0*10", 3);
    let actions = world.consequences();
    assert_eq!(granted(&actions, 5).expect("work").goal, goal("0*10"));
    assert_eq!(revoked(&actions).len(), 1, "the second comes from another job");
    // Where one goes, another comes.
    let (gone, lease) = revoked(&actions)[0];
    let open = Verdict::Open { proof: 1, disproof: 1 };
    let actions = world.answer(gone, lease, open, 5);
    assert_eq!(granted(&actions, gone).expect("work").goal, goal("0*10"));
    assert!(revoked(&actions).is_empty());
    let stays = if gone == 1 { (2, second) } else { (1, first) };
    let ended = world.answer(stays.0, stays.1.lease, Verdict::Win, 5);
    assert_eq!(granted(&ended, stays.0).expect("work").goal, goal("0*9"));
}

#[test]
fn one_worker_does_one_job_after_the_other() {
    let mut world = World::new();
    world.job("0*8");
    let grant = world.grant_to(1);
    world.job("0*9");
    assert!(revoked(&world.consequences()).is_empty());
    let ended = world.answer(1, grant.lease, Verdict::Win, 5);
    assert_eq!(granted(&ended, 1).expect("work").goal, goal("0*9"));
}

#[test]
fn an_important_job_gets_all_workers_until_it_ends() {
    let mut world = World::new();
    world.job("0*8");
    let (first, second) = (world.grant_to(1), world.grant_to(2));
    world.important_job("0*9", 3);
    let actions = world.consequences();
    assert_eq!(revoked(&actions), [(1, first.lease), (2, second.lease)]);
    let open = Verdict::Open { proof: 1, disproof: 1 };
    let actions = world.answer(1, first.lease, open, 5);
    let important = granted(&actions, 1).expect("work");
    assert_eq!(important.goal, goal("0*9"));
    let ended = world.answer(1, important.lease, Verdict::Win, 9);
    assert_eq!(granted(&ended, 1).expect("work").goal, goal("0*8"));
}

#[test]
fn a_priority_can_be_changed() {
    let mut world = World::new();
    let job = world.job("0*8");
    world.job("0*9");
    let (first, second) = (world.grant_to(1), world.grant_to(2));
    assert_eq!((first.goal, second.goal), (goal("0*8"), goal("0*9")));
    let actions = world.order(4, job, JobOrder::Priority(1));
    assert_eq!(revoked(&actions), [(2, second.lease)]);
}

#[test]
fn a_paused_job_rests_until_it_is_resumed() {
    let mut world = World::new();
    let job = world.job("0*9");
    let grant = world.grant_to(1);
    let paused = world.order(4, job, JobOrder::Pause);
    assert_eq!(revoked(&paused), [(1, grant.lease)]);
    let told = world.commit(&paused);
    assert!(
        matches!(&told[..], [Action::Reply(CallId(4), Reply::Job(job))] if job.state == JobState::Paused)
    );
    let open = Verdict::Open { proof: 1, disproof: 1 };
    assert_eq!(granted(&world.answer(1, grant.lease, open, 5), 1), None);
    let resumed = world.order(5, job, JobOrder::Resume);
    assert_eq!(granted(&resumed, 1).expect("work").goal, goal("0*9"));
}

#[test]
fn time_does_not_pass_for_a_paused_job() {
    let mut world = World::new();
    let job = world.job("0*9");
    world.pass(Duration::from_secs(5));
    world.order(4, job, JobOrder::Pause);
    world.pass(Duration::from_secs(50));
    world.order(5, job, JobOrder::Resume);
    world.pass(Duration::from_secs(2));
    let actions = world.order(6, job, JobOrder::Cancel);
    let [.., Action::Commit(Entry::Job(job))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(job.seconds, 7.0);
}

#[test]
fn a_drained_coordinator_takes_all_back_and_grants_nothing() {
    let mut world = World::new();
    world.job("0*9");
    let grant = world.grant_to(1);
    let drained = world.on(Event::Drained { call: CallId(3), drained: true });
    assert_eq!(revoked(&drained), [(1, grant.lease)]);
    let open = Verdict::Open { proof: 1, disproof: 1 };
    assert_eq!(granted(&world.answer(1, grant.lease, open, 5), 1), None);
    let again = world.on(Event::Drained { call: CallId(4), drained: false });
    assert_eq!(granted(&again, 1).expect("work").goal, goal("0*9"));
}

#[test]
fn nobody_works_on_a_job_and_it_shows() {
    let mut world = World::new();
    world.job("0*9");
    let shown = world.on(Event::StatusAsked { call: CallId(2) });
    let [Action::Reply(_, Reply::Status(status))] = &shown[..] else { panic!("{shown:?}") };
    let figures = status.jobs[0].figures;
    assert_eq!((figures.proof, figures.disproof, status.jobs[0].workers), (1, 1, 0));
}

#[test]
fn who_pulls_again_and_again_holds_one_lease_and_leaves_none_behind() {
    let mut world = World::new();
    let job = world.job("0*9");
    let first = world.grant_to(1).lease;
    // The worker pulls without an answer, and with an answer to a lease that it never had.
    let second = granted(&world.pull(1), 1).expect("it has asked").lease;
    let never = LeaseId { epoch: EPOCH, number: 99 };
    let open = Verdict::Open { proof: 1, disproof: 1 };
    let third = granted(&world.answer(1, never, open, 0), 1).expect("it has asked").lease;
    assert!(first != second && second != third);
    let workers = |world: &mut World| {
        let told = world.on(Event::StatusAsked { call: CallId(2) });
        let [Action::Reply(_, Reply::Status(status))] = &told[..] else { panic!("{told:?}") };
        status.jobs.iter().find(|told| told.id == job).map(|told| told.workers)
    };
    assert_eq!(workers(&mut world), Some(1));
    world.on(Event::Left { session: SessionId(1) });
    assert_eq!(workers(&mut world), Some(0));
}

#[test]
fn two_jobs_and_two_workers_go_their_own_ways() {
    let mut world = World::new();
    world.job("0*8");
    world.job("0*9");
    let (first, second) = (world.grant_to(1), world.grant_to(2));
    assert_eq!((first.goal, first.expansions), (goal("0*8"), None));
    assert_eq!((second.goal, second.expansions), (goal("0*9"), None));
}

#[test]
fn cancelling_ends_the_work_and_is_told_when_it_is_on_disk() {
    let mut world = World::new();
    let job = world.job("0*9");
    let grant = world.grant_to(1);
    let actions = world.order(9, job, JobOrder::Cancel);
    assert_eq!(revoked(&actions), [(1, grant.lease)]);
    let told = world.commit(&actions);
    assert_eq!(shown(&told), Some(JobState::Cancelled));
    assert!(matches!(&told[..], [_, Action::Reply(CallId(9), Reply::Job(_))]));
    let again = world.order(10, job, JobOrder::Cancel);
    assert!(matches!(again[..], [Action::Reply(CallId(10), Reply::NoSuchJob(_))]));
}

#[test]
fn the_more_workers_there_are_the_longer_each_gathers_what_it_reports() {
    let mut world = World::new();
    let gathers = |world: &mut World, sequence| {
        let actions = world.say(1, report(sequence, vec![fact("0*3", 1)]));
        let acknowledged = world.commit(&actions);
        let gathers = acknowledged.iter().find_map(|action| match action {
            Action::Tell(_, ToWorker::Acknowledge(it)) => Some(it.gather),
            _ => None,
        });
        gathers.expect("it is acknowledged")
    };
    world.join(1, 1, None);
    assert_eq!(gathers(&mut world, 1), Duration::from_millis(10));
    for n in 2..=100 {
        world.join(n, n, None);
    }
    assert_eq!(gathers(&mut world, 2), Duration::from_millis(25));
}
