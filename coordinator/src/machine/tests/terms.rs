//! Owners and their shares, campaigns, budgets and deadlines.

use sprig_domain::{Play, Ruleset};
use sprig_proto::Waiting;

use super::*;

/// When the machine's time began, in milliseconds of Unix time.
const ZERO: u64 = 1_767_225_600_000;

fn of(owner: &str) -> Terms {
    Terms { owner: owner.into(), ..Terms::default() }
}

fn in_turn() -> Terms {
    Terms { label: "to 12".into(), in_turn: true, ..of("ada") }
}

/// Every job, as the status shows it.
fn jobs(world: &mut World) -> Vec<Job> {
    let told = world.on(Event::StatusAsked { call: CallId(2) });
    let [Action::Reply(_, Reply::Status(status))] = &told[..] else { panic!("{told:?}") };
    status.jobs.clone()
}

/// How many workers each job has.
fn crowds(world: &mut World) -> Vec<u32> {
    jobs(world).iter().map(|job| job.workers).collect()
}

/// What each job waits for.
fn waits(world: &mut World) -> Vec<Option<Waiting>> {
    jobs(world).into_iter().map(|job| job.waiting).collect()
}

/// Does what workers do when their leases are taken back: they pull again, until nothing is taken
/// back any more.
fn settle(world: &mut World, actions: &[Action]) {
    let mut revoked: Vec<u64> = revoked(actions).into_iter().map(|(session, _)| session).collect();
    for _ in 0..100 {
        let Some(session) = revoked.pop() else { return };
        let actions = world.pull(session);
        revoked.extend(super::revoked(&actions).into_iter().map(|(session, _)| session));
    }
    panic!("work is taken back without an end");
}

fn submit(world: &mut World, submission: Submission) -> JobId {
    let job = world.submitted(submission);
    let actions = world.consequences();
    settle(world, &actions);
    job
}

#[test]
fn workers_go_to_owners_evenly_and_then_to_their_jobs() {
    let mut world = World::new();
    for spots in 7..12 {
        submit(&mut world, on(&format!("0*{spots}"), of("ada")));
    }
    for n in 1..7 {
        world.grant_to(n);
    }
    assert_eq!(crowds(&mut world), [2, 1, 1, 1, 1]);
    // Another owner has one job only, and half of the workers.
    submit(&mut world, on("0*12", of("bob")));
    assert_eq!(crowds(&mut world).iter().sum::<u32>(), 6);
    assert_eq!(crowds(&mut world)[5], 3);
    assert!(crowds(&mut world)[..5].iter().all(|&workers| workers <= 1));
    // A third owner gets a third.
    submit(&mut world, on("0*13", of("")));
    assert_eq!(crowds(&mut world)[5..], [2, 2]);
    // Her jobs without workers wait for one of her jobs, and say so.
    let waits = waits(&mut world);
    let busy = waits.iter().position(Option::is_none).map(|place| JobId(place as u64 + 1));
    let shared = waits.iter().filter(|waits| **waits == busy.map(Waiting::Share)).count();
    assert_eq!(shared, 3, "{waits:?}");
}

#[test]
fn who_fits_nowhere_else_stays_and_nothing_goes_round_in_circles() {
    let mut world = World::new();
    let first = submit(&mut world, on("0*8", of("ada")));
    let grants: Vec<Grant> = (1..5).map(|n| world.grant_to(n)).collect();
    let second = submit(&mut world, on("0*9", of("bob")));
    assert_eq!(crowds(&mut world), [2, 2]);
    // The workers of the second job give it up one after the other. They are of no use to a third
    // job of the same owner.
    for n in [3, 4] {
        let lease = LeaseId { epoch: EPOCH, number: grants[3].lease.number + n - 2 };
        let answer = Answer { lease, verdict: Err(gave_up("too large")), figures: figures(0) };
        let pull = FromWorker::Pull(Pull { answer: Some(answer), more: true });
        let actions = world.say(n, pull);
        settle(&mut world, &actions);
    }
    assert_eq!(crowds(&mut world).iter().sum::<u32>(), 4);
    let third = submit(&mut world, on("0*10", of("bob")));
    assert_eq!(crowds(&mut world).iter().sum::<u32>(), 4);
    for job in [first, second, third] {
        let actions = world.order(3, job, JobOrder::Cancel);
        settle(&mut world, &actions);
    }
}

#[test]
fn a_campaign_goes_from_the_small_to_the_large_whatever_came_first() {
    let mut world = World::new();
    for n in 1..3 {
        world.join(n, n, None);
        world.pull(n);
    }
    let large = submit(&mut world, on("0*12", in_turn()));
    assert_eq!(crowds(&mut world), [2]);
    // A gap that is filled later goes first; both workers are with it.
    let small = submit(&mut world, on("0*9", in_turn()));
    assert_eq!(crowds(&mut world), [0, 2]);
    assert_eq!(waits(&mut world), [Some(Waiting::Behind(small)), None]);
    // The same label of another owner is another campaign, and has its share.
    submit(&mut world, on("0*8", Terms { owner: "bob".into(), ..in_turn() }));
    assert_eq!(crowds(&mut world), [0, 1, 1]);
    // It does not matter how the smaller one ends.
    let actions = world.order(3, small, JobOrder::Pause);
    settle(&mut world, &actions);
    assert_eq!(crowds(&mut world)[0], 1);
    let actions = world.order(4, small, JobOrder::Resume);
    settle(&mut world, &actions);
    assert_eq!(crowds(&mut world)[0], 0);
    let actions = world.order(5, small, JobOrder::Cancel);
    settle(&mut world, &actions);
    world.commit(&actions);
    assert_eq!((large, crowds(&mut world)), (JobId(1), vec![1, 1]));
}

#[test]
fn time_does_not_pass_for_a_job_that_is_behind() {
    let mut world = World::new();
    let small = submit(&mut world, on("0*9", in_turn()));
    submit(&mut world, on("0*12", in_turn()));
    world.pass(Duration::from_secs(50));
    let seconds: Vec<f64> = jobs(&mut world).iter().map(|job| job.seconds).collect();
    assert_eq!(seconds, [50.0, 0.0]);
    let actions = world.order(3, small, JobOrder::Cancel);
    world.commit(&actions);
    world.pass(Duration::from_secs(7));
    assert_eq!(jobs(&mut world)[0].seconds, 7.0);
}

#[test]
fn a_campaign_does_not_wait_for_what_nobody_there_can_do() {
    let mut world = World::new();
    submit(&mut world, on("0*9", in_turn()));
    submit(&mut world, on("0*12", in_turn()));
    let grant = world.grant_to(1);
    assert_eq!(grant.goal, goal("0*9"));
    world.machine.shows = true;
    let verdict = Err(gave_up("too little memory"));
    let answer = Answer { lease: grant.lease, verdict, figures: figures(0) };
    let actions = world.say(1, FromWorker::Pull(Pull { answer: Some(answer), more: true }));
    assert_eq!(granted(&actions, 1).expect("work").goal, goal("0*12"));
    assert!(matches!(waits(&mut world)[..], [Some(Waiting::GaveUp { .. }), None]));
    // Another worker comes: the small job is first again.
    world.join(2, 2, None);
    let actions = world.pull(2);
    assert_eq!(granted(&actions, 2).expect("work").goal, goal("0*9"));
}

#[test]
fn a_budget_is_the_time_of_cores_and_who_has_spent_it_waits() {
    let mut world = World::new();
    let terms = Terms { budget: Some(Duration::from_secs(100)), ..in_turn() };
    let small = submit(&mut world, on("0*9", terms));
    submit(&mut world, on("0*12", in_turn()));
    // One worker has one core, the other four.
    let one = world.grant_to(1);
    world.progress(1, one.lease, 1);
    world.on(Event::Joined { session: SessionId(2), hello: Hello { threads: 4, ..hello(2) } });
    world.pass(Duration::from_secs(10));
    world.pull(2);
    world.progress(2, LeaseId { number: one.lease.number + 1, ..one.lease }, 1);
    let due = world.machine.deadline().expect("a lease is open");
    world.pass(Duration::from_secs(15));
    world.progress(1, one.lease, 10);
    world.progress(2, LeaseId { number: one.lease.number + 1, ..one.lease }, 10);
    assert_eq!(jobs(&mut world)[0].core_seconds, 25.0 + 60.0);
    assert!(due <= world.now + Duration::from_secs(60));
    world.pass(Duration::from_secs(3));
    assert_eq!(world.machine.deadline(), Some(world.now + Duration::from_millis(1)));
    world.pass(Duration::from_millis(1));
    let actions = world.on(Event::Tick);
    assert_eq!(revoked(&actions).len(), 2);
    let noted = actions.iter().find_map(|action| match action {
        Action::Commit(Entry::Job(job)) => Some(job.core_seconds),
        _ => None,
    });
    assert!(noted.is_some_and(|spent| (100.0..100.1).contains(&spent)), "{noted:?}");
    settle(&mut world, &actions);
    assert_eq!(waits(&mut world), [Some(Waiting::Budget), None]);
    // Nothing more is due for it, however long it waits.
    world.pass(Duration::from_secs(5));
    assert!(world.machine.deadline().is_some_and(|due| due > world.now));
    // The job goes on when it gets more, and its time has not passed meanwhile.
    let more = JobOrder::Budget(Some(Duration::from_secs(200)));
    let actions = world.order(3, small, more);
    settle(&mut world, &actions);
    assert!(matches!(waits(&mut world)[..], [None, Some(Waiting::Behind(_))]));
    assert!((28.0..28.1).contains(&jobs(&mut world)[0].seconds));
}

#[test]
fn who_takes_in_facts_first_spends_nothing_of_a_budget() {
    let mut world = World::new();
    let terms = Terms { budget: Some(Duration::from_secs(100)), ..of("ada") };
    submit(&mut world, on("0*9", terms));
    let lease = world.grant_to(1).lease;
    world.pass(Duration::from_secs(50));
    world.progress(1, lease, 0);
    assert_eq!(jobs(&mut world)[0].core_seconds, 0.0);
    // It says at most a second late that its search has begun.
    world.progress(1, lease, 10);
    assert_eq!(jobs(&mut world)[0].core_seconds, 1.0);
    world.pass(Duration::from_secs(20));
    assert_eq!(jobs(&mut world)[0].core_seconds, 21.0);
    world.answer(1, lease, Verdict::Open { proof: 1, disproof: 1 }, 20);
    world.pass(Duration::from_secs(20));
    assert_eq!(jobs(&mut world)[0].core_seconds, 21.0);
}

#[test]
fn a_budget_that_was_spent_before_a_restart_is_spent() {
    let mut world = World::new();
    let terms = Terms { budget: Some(Duration::from_secs(100)), ..of("ada") };
    let job = Job::submitted(JobId(1), on("0*9", terms));
    world.on(Event::Opened { job: Job { core_seconds: 100.5, ..job }, known: Vec::new() });
    world.join(1, 1, None);
    assert!(granted(&world.pull(1), 1).is_none());
    assert_eq!(waits(&mut world), [Some(Waiting::Budget)]);
}

#[test]
fn a_job_stops_at_its_deadline_and_can_get_more_time() {
    let mut world = World::new();
    world.machine = Machine::new(EPOCH, DATABASE, 0, JobId(1)).begun_at(ZERO);
    let terms = Terms { deadline: Some(ZERO + 61_000), ..of("ada") };
    let job = submit(&mut world, on("0*9", terms));
    assert_eq!(world.machine.deadline(), Some(Duration::from_secs(61)));
    let grant = world.grant_to(1);
    world.pass(Duration::from_secs(30));
    world.progress(1, grant.lease, 10);
    world.pass(Duration::from_secs(30));
    let actions = world.on(Event::Tick);
    assert_eq!(revoked(&actions), [(1, grant.lease)]);
    settle(&mut world, &actions);
    assert_eq!(waits(&mut world), [Some(Waiting::Deadline)]);
    let actions = world.order(3, job, JobOrder::Deadline(None));
    assert!(granted(&actions, 1).is_some());
}

#[test]
fn who_submits_a_goal_again_takes_nothing_from_it() {
    let mut world = World::new();
    let (short, long) = (Some(Duration::from_secs(9)), Some(Duration::from_secs(90)));
    submit(&mut world, on("0*9", Terms { budget: short, ..in_turn() }));
    let again = |world: &mut World, submission| {
        world.on(Event::Submitted { call: CallId(7), submission });
        jobs(world).remove(0).terms
    };
    let terms = again(&mut world, on("0*9", Terms { budget: long, ..in_turn() }));
    assert_eq!(terms, Terms { budget: long, ..in_turn() });
    assert_eq!(again(&mut world, on("0*9", Terms { budget: short, ..in_turn() })), terms);
    let terms = again(&mut world, on("0*9", of("bob")));
    assert_eq!(terms, Terms { in_turn: false, ..in_turn() });
}

#[test]
fn a_game_that_nobody_there_can_search_is_told() {
    let mut world = World::new();
    world.job("0*9");
    assert_eq!(waits(&mut world), [Some(Waiting::Worker)]);
    world.on(Event::Joined { session: SessionId(1), hello: Hello { games: vec![], ..hello(1) } });
    assert_eq!(waits(&mut world), [Some(Waiting::Unable)]);
    world.grant_to(2);
    assert_eq!(waits(&mut world), [None]);
}

#[test]
fn a_campaign_does_not_wait_for_a_game_that_nobody_there_can_search() {
    let mut world = World::new();
    let rules = Ruleset { game: Game::BlackAndWhite, play: Play::Normal };
    let other = Goal::new(rules, position("0*7"), Question::OUTCOME).expect("a goal");
    submit(&mut world, Submission { terms: in_turn(), ..other.into() });
    submit(&mut world, on("0*9", in_turn()));
    assert!(matches!(waits(&mut world)[..], [Some(Waiting::Worker), Some(Waiting::Behind(_))]));
    // This worker knows Sprouts alone.
    assert_eq!(world.grant_to(1).goal, goal("0*9"));
    assert_eq!(waits(&mut world), [Some(Waiting::Unable), None]);
}

#[test]
fn who_cannot_search_a_game_is_no_other_worker_for_a_job_of_it() {
    let mut world = World::new();
    submit(&mut world, on("0*9", in_turn()));
    submit(&mut world, on("0*12", in_turn()));
    let grant = world.grant_to(1);
    world.on(Event::Joined { session: SessionId(2), hello: Hello { games: vec![], ..hello(2) } });
    world.machine.shows = true;
    let verdict = Err(gave_up("too little memory"));
    let answer = Answer { lease: grant.lease, verdict, figures: figures(0) };
    let actions = world.say(1, FromWorker::Pull(Pull { answer: Some(answer), more: true }));
    assert_eq!(granted(&actions, 1).expect("work").goal, goal("0*12"));
    assert!(matches!(waits(&mut world)[..], [Some(Waiting::GaveUp { .. }), None]));
}
