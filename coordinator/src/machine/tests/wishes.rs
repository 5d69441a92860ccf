//! Wishes of people, and questions about what searches see.

use sprig_domain::{Branch, Place, View, WishEnd, WishKind};
use sprig_proto::{Look, Sight, Wanted};

use super::*;

fn wanted(kind: WishKind, at: &str) -> JobOrder {
    JobOrder::Wish(Wanted { kind, at: goal(at), until: None, by: "ada".into() })
}

const OPEN: Verdict = Verdict::Open { proof: 1, disproof: 1 };

/// The ends of the wishes of a job as it was ordered to be written last.
fn ends(actions: &[Action]) -> Vec<Option<WishEnd>> {
    let noted = actions.iter().rev().find_map(|action| match action {
        Action::Commit(Entry::Job(job)) => Some(&job.wishes),
        _ => None,
    });
    noted.expect("a job is noted").iter().map(|wish| wish.end.clone()).collect()
}

#[test]
fn a_pin_takes_one_worker_and_gives_it_back_when_its_place_is_decided() {
    let mut world = World::new();
    let job = world.job("0*9");
    let (first, second) = (world.grant_to(1), world.grant_to(2));
    let actions = world.order(4, job, wanted(WishKind::Pin, "0*4.AB|0*4.AB"));
    // The youngest lease goes.
    assert_eq!(revoked(&actions), [(2, second.lease)]);
    // It is answered when it is on disk.
    assert!(!actions.iter().any(|action| matches!(action, Action::Reply(..))));
    let told = world.commit(&actions);
    let [Action::Reply(CallId(4), Reply::Job(said))] = &told[..] else { panic!("{told:?}") };
    assert_eq!((said.wishes[0].number, said.wishes[0].by.as_str()), (1, "ada"));
    assert_eq!(revoked(&told), [], "nobody else has to go");
    let pinned = granted(&world.answer(2, second.lease, OPEN, 5), 2).expect("work");
    assert_eq!(pinned.goal, goal("0*4.AB|0*4.AB"));
    // What is done there belongs to the job and to the wish. What was done before the worker was
    // taken away was told too late to count.
    let shown = world.progress(2, pinned.lease, 105);
    let [Action::Show(view)] = &shown[..] else { panic!("{shown:?}") };
    assert_eq!((view.figures.expansions, view.wishes[0].expansions), (100, 100));
    // A worker that comes now goes to the goal: one is at the pin.
    assert_eq!(world.grant_to(3).goal, goal("0*9"));
    // Its answer ends the wish and nothing else.
    let actions = world.answer(2, pinned.lease, Verdict::Win, 200);
    assert_eq!(ends(&actions), [Some(WishEnd::Decided(Outcome::Win))]);
    assert_eq!(granted(&actions, 2).expect("work").goal, goal("0*9"));
    let actions = world.answer(1, first.lease, Verdict::Loss, 9);
    let ended = actions
        .iter()
        .any(|action| matches!(action, Action::Commit(Entry::Job(job)) if job.state.is_final()));
    assert!(ended, "the answer of the goal ends it");
}

#[test]
fn a_boost_takes_all_workers_until_it_is_withdrawn() {
    let mut world = World::new();
    let job = world.job("0*9");
    let (first, second) = (world.grant_to(1), world.grant_to(2));
    let actions = world.order(4, job, wanted(WishKind::Boost, "0*7"));
    assert_eq!(revoked(&actions), [(1, first.lease), (2, second.lease)]);
    let grants = [(1, first), (2, second)]
        .map(|(n, grant)| granted(&world.answer(n, grant.lease, OPEN, 5), n).expect("work"));
    assert!(grants.iter().all(|grant| grant.goal == goal("0*7")), "{grants:?}");
    assert_ne!(grants[0].noise, grants[1].noise);
    let actions = world.order(5, job, JobOrder::Withdraw(1));
    assert_eq!(ends(&actions), [Some(WishEnd::Withdrawn)]);
    assert_eq!(revoked(&actions), [(1, grants[0].lease), (2, grants[1].lease)]);
    let actions = world.order(6, job, JobOrder::Withdraw(1));
    assert!(matches!(&actions[..], [Action::Reply(CallId(6), Reply::Refused(_))]), "{actions:?}");
}

#[test]
fn bans_go_with_every_lease_and_end_with_their_time() {
    let mut world = World::new();
    let job = world.job("0*9");
    let lease = world.grant_to(1).lease;
    let until = Some(u64::try_from(world.now.as_millis()).expect("small") + 60_000);
    let ban = Wanted { kind: WishKind::Ban, at: goal("0*8.AB|AB"), until, by: String::new() };
    let actions = world.order(4, job, JobOrder::Wish(ban));
    assert_eq!(revoked(&actions), [(1, lease)]);
    let grant = granted(&world.answer(1, lease, OPEN, 5), 1).expect("work");
    assert_eq!((grant.goal, grant.avoid), (goal("0*9"), vec![goal("0*8.AB|AB")]));
    assert_eq!(world.grant_to(2).avoid, [goal("0*8.AB|AB")]);
    // The machine wants to be woken then.
    assert!(world.machine.deadline().is_some_and(|due| due <= world.now + Duration::from_secs(60)));
    world.progress(1, grant.lease, 10);
    world.pass(Duration::from_secs(60));
    let actions = world.on(Event::Tick);
    assert_eq!(ends(&actions), [Some(WishEnd::Expired)]);
    assert_eq!(revoked(&actions).len(), 2, "all begin again without it");
}

#[test]
fn what_cannot_be_wished_is_refused_with_the_reason() {
    let mut world = World::new();
    let job = world.job("0*9");
    let misere = Goal::misere(position("0*4"));
    let nimber = Goal::normal(position("0*4"), Question::Nimber);
    let wish = |kind, at| JobOrder::Wish(Wanted { kind, at, until: None, by: String::new() });
    for (order, part) in [
        (wish(WishKind::Pin, misere), "misère"),
        (wish(WishKind::Pin, nimber), "an outcome"),
        (wanted(WishKind::Ban, "0*2+0*3"), "one land"),
        (wanted(WishKind::Pin, "0*10"), "more lives"),
        (wanted(WishKind::Pin, "0*9"), "the goal of job 1 itself"),
        (wanted(WishKind::Ban, "0*9"), "the goal of job 1 itself"),
        (JobOrder::Withdraw(3), "no wish 3"),
    ] {
        let actions = world.order(4, job, order);
        let [Action::Reply(_, Reply::Refused(reason))] = &actions[..] else {
            panic!("{actions:?}")
        };
        assert!(reason.contains(part), "{reason}");
    }
    for _ in 0..32 {
        world.order(4, job, wanted(WishKind::Ban, "0*7"));
    }
    let actions = world.order(4, job, wanted(WishKind::Ban, "0*7"));
    assert!(matches!(&actions[..], [Action::Reply(_, Reply::Refused(_))]), "{actions:?}");
    let gone = world.order(4, JobId(7), wanted(WishKind::Ban, "0*7"));
    assert!(matches!(&gone[..], [Action::Reply(_, Reply::NoSuchJob(JobId(7)))]), "{gone:?}");
}

#[test]
fn a_worker_that_cannot_do_a_pin_ends_it_and_still_works_for_the_job() {
    let mut world = World::new();
    let job = world.job("0*9");
    let lease = world.grant_to(1).lease;
    world.order(4, job, wanted(WishKind::Pin, "0*8"));
    let pinned = granted(&world.answer(1, lease, OPEN, 5), 1).expect("work");
    let answer =
        Answer { lease: pinned.lease, verdict: Err(gave_up("no room")), figures: figures(9) };
    let actions = world.say(1, FromWorker::Pull(Pull { answer: Some(answer), more: true }));
    assert_eq!(ends(&actions), [Some(WishEnd::GaveUp("no room".into()))]);
    assert_eq!(granted(&actions, 1).expect("work").goal, goal("0*9"));
}

fn looks(actions: &[Action]) -> Vec<(u64, Look)> {
    let told = actions.iter().filter_map(|action| match action {
        Action::Tell(to, ToWorker::Look(look)) => Some((to.0, look.clone())),
        _ => None,
    });
    told.collect()
}

fn sight(actions: &[Action]) -> Option<&Sight> {
    actions.iter().find_map(|action| match action {
        Action::Reply(CallId(8), Reply::Sight(sight)) => Some(&**sight),
        _ => None,
    })
}

#[test]
fn a_look_is_answered_by_all_workers_or_after_a_second() {
    let mut world = World::new();
    let job = world.job("0*9");
    world.grant_to(1);
    world.grant_to(2);
    // An earlier program cannot say what it sees, and is not asked.
    let old = Hello { looks: false, ..hello(3) };
    world.on(Event::Joined { session: SessionId(3), hello: old });
    world.pull(3);
    let look =
        |world: &mut World| world.on(Event::Looked { call: CallId(8), job, at: None, limit: 5 });
    let asked = looks(&look(&mut world));
    assert_eq!(asked.iter().map(|(to, _)| *to).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((&asked[0].1.at, asked[0].1.limit), (&goal("0*9"), 5));
    let number = asked[0].1.number;
    let place = Place::Goal(goal("0*9"));
    let at = Branch { place, proof: 3, disproof: 4, walks: 1 };
    let view = View { at, line: Vec::new(), options: Vec::new(), open: 0 };
    let seen = |view: &View| FromWorker::Seen { number, view: Some(view.clone()) };
    assert!(sight(&world.say(1, seen(&view))).is_none());
    // Nobody answers for another, and nobody twice.
    assert!(sight(&world.say(3, seen(&view))).is_none());
    assert!(sight(&world.say(1, seen(&view))).is_none());
    let actions = world.say(2, FromWorker::Seen { number, view: None });
    let lookers = &sight(&actions).expect("all have answered").lookers;
    let views: Vec<Option<&View>> = lookers.iter().map(|it| it.view.as_ref()).collect();
    assert_eq!(views, [Some(&view), None, None]);

    look(&mut world);
    assert_eq!(world.machine.deadline(), Some(world.now + Duration::from_secs(1)));
    world.pass(Duration::from_secs(1));
    let actions = world.on(Event::Tick);
    assert!(sight(&actions).is_some_and(|sight| sight.lookers.len() == 3), "{actions:?}");
    let nobody = world.on(Event::Looked { call: CallId(8), job: JobId(9), at: None, limit: 5 });
    assert!(matches!(&nobody[..], [Action::Reply(_, Reply::NoSuchJob(_))]), "{nobody:?}");
}
