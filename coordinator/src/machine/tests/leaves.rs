//! Jobs that are divided among their workers.

use std::num::NonZeroU64;

use sprig_proto::ToWorker;
use sprig_search::Noise;

use super::super::Parts;
use super::super::leaves::FULL;
use super::*;
use crate::scout::Scout;

const OPEN: Verdict = Verdict::Open { proof: 9, disproof: 9 };
const LEAF: u64 = 10;

fn world() -> World {
    let world = World::new();
    let machine = world.machine.dividing(NonZeroU64::new(LEAF));
    World { machine, ..world }
}

/// What a scout finds who knows nothing.
fn parts(leaf: &Goal) -> Option<Parts> {
    Scout::of(leaf.game()).parts(leaf, |_| None)
}

/// The leaves that are to be taken apart.
fn wanted_leaves(actions: &[Action]) -> Vec<Goal> {
    let wanted = actions.iter().filter_map(|action| match action {
        Action::TakeApart(_, leaf) => Some(leaf.clone()),
        _ => None,
    });
    wanted.collect()
}

impl World {
    /// A leaf has been taken apart.
    fn apart(&mut self, job: JobId, leaf: &Goal) -> Vec<Action> {
        self.on(Event::TakenApart { job, leaf: leaf.clone(), parts: parts(leaf) })
    }

    /// Workers 1 to 3 have worked long enough at the goal for it to be divided, and it has been
    /// taken apart. Returns what is to be done then, and their leases.
    fn divided(&mut self, goal: &str) -> (JobId, Vec<Action>, [Grant; 3]) {
        let job = self.job(goal);
        let grants = [1, 2, 3].map(|n| self.grant_to(n));
        for (n, grant) in (1..).zip(&grants) {
            self.progress(n, grant.lease, LEAF);
        }
        self.pass(Duration::from_secs(1));
        let actions = self.on(Event::Tick);
        assert_eq!(wanted_leaves(&actions), [super::goal(goal)]);
        let actions = self.apart(job, &super::goal(goal));
        (job, actions, grants)
    }

    /// Worker `n` comes back with `verdict` after as many expansions as it was to take.
    fn back(&mut self, n: u64, grant: &Grant, verdict: Verdict, spent: u64) -> Vec<Action> {
        self.pass(Duration::from_secs(1));
        self.answer(n, grant.lease, verdict, spent)
    }

    /// Worker `n` has proved something.
    fn proves(&mut self, n: u64, fact: Fact) {
        let actions = self.say(n, report(1, vec![fact]));
        self.commit(&actions);
    }
}

#[test]
fn three_workers_divide_a_job_and_one_keeps_the_whole_goal() {
    let mut world = world();
    let (_, actions, [first, second, third]) = world.divided("0*6");
    assert_eq!(revoked(&actions), [(2, second.lease), (3, third.lease)]);
    let leaves = [(2, second), (3, third)]
        .map(|(n, grant)| granted(&world.back(n, &grant, OPEN, LEAF), n).expect("a leaf"));
    for leaf in &leaves {
        assert_eq!((leaf.expansions, leaf.noise), (Some(LEAF), Noise::NONE));
        assert_ne!(leaf.goal, goal("0*6"));
    }
    assert_ne!(leaves[0].goal, leaves[1].goal);
    // The first one goes on as if it were alone.
    let shown = world.progress(1, first.lease, 100);
    assert!(revoked(&shown).is_empty(), "{shown:?}");
    // A leaf is no answer to the job, and leads to another one.
    let again = granted(&world.back(2, &leaves[0], Verdict::Win, 2 * LEAF), 2).expect("a leaf");
    assert_ne!(again.goal, leaves[0].goal);
    let actions = world.answer(1, first.lease, Verdict::Loss, 200);
    let ended = actions
        .iter()
        .any(|action| matches!(action, Action::Commit(Entry::Job(job)) if job.state.is_final()));
    assert!(ended, "the answer of the goal ends it");
}

#[test]
fn the_more_own_leaves_the_longer_each_stays() {
    let mut world = world();
    let (_, _, [_, second, third]) = world.divided("0*8");
    let leaf = granted(&world.back(2, &second, OPEN, LEAF), 2).expect("a leaf");
    assert_eq!(leaf.expansions, Some(LEAF));
    for n in 4..=2 * FULL as u64 {
        world.join(n, n, None);
        world.pull(n);
    }
    let leaf = granted(&world.back(3, &third, OPEN, LEAF), 3).expect("a leaf");
    assert_eq!(leaf.expansions, Some(2 * LEAF));
}

#[test]
fn two_workers_and_questions_about_nimbers_are_not_divided() {
    let mut world = world();
    world.job("0*6");
    let grants = [1, 2].map(|n| world.grant_to(n));
    for (n, grant) in (1..).zip(&grants) {
        let actions = world.progress(n, grant.lease, 1_000);
        assert!(wanted_leaves(&actions).is_empty());
    }
    assert!(wanted_leaves(&world.on(Event::Tick)).is_empty());

    let mut world = self::world();
    world.job_of(Goal::normal(position("0*6"), Question::Nimber), 0);
    let grants = [1, 2, 3].map(|n| world.grant_to(n));
    for (n, grant) in (1..).zip(&grants) {
        world.progress(n, grant.lease, 1_000);
    }
    assert!(wanted_leaves(&world.on(Event::Tick)).is_empty());
}

#[test]
fn when_two_are_left_both_have_the_whole_goal() {
    let mut world = world();
    let (_, _, [_, second, _]) = world.divided("0*6");
    world.on(Event::Left { session: SessionId(3) });
    let grant = granted(&world.back(2, &second, OPEN, LEAF), 2).expect("work");
    // The lease of the one that has gone is kept for it, and does not count.
    assert_eq!((grant.goal, grant.expansions), (goal("0*6"), None));
    assert_ne!(grant.noise, Noise::NONE);
}

#[test]
fn a_lost_option_sends_all_back_to_the_goal() {
    let mut world = world();
    let (_, _, [_, second, third]) = world.divided("0*6");
    let leaf = granted(&world.back(2, &second, OPEN, LEAF), 2).expect("a leaf");
    let grant = granted(&world.back(2, &leaf, Verdict::Loss, 2 * LEAF), 2).expect("work");
    assert_eq!((grant.goal, grant.expansions), (goal("0*6"), None));
    let grant = granted(&world.back(3, &third, OPEN, LEAF), 3).expect("work");
    assert_eq!(grant.expansions, None);
    // They are not called back again and again.
    assert!(revoked(&world.on(Event::Tick)).is_empty());
}

#[test]
fn whose_word_is_refuted_owns_nothing_more() {
    let mut world = world();
    let (_, _, [_, second, third]) = world.divided("0*6");
    let mut leaf = granted(&world.back(2, &second, OPEN, LEAF), 2).expect("a leaf");
    granted(&world.back(3, &third, OPEN, LEAF), 3).expect("a leaf");
    let mut spent = LEAF;
    while leaf.goal.position().lands().len() > 1 {
        spent += LEAF;
        leaf = granted(&world.back(2, &leaf, Verdict::Win, spent), 2).expect("a leaf");
    }
    let next = granted(&world.back(2, &leaf, Verdict::Win, spent + LEAF), 2).expect("a leaf");
    // Another worker proves that what it has called won is lost. That decides the goal.
    let lost = leaf.goal.position().lands()[0].clone();
    let nimber = leaf.goal.question().heap();
    world.proves(3, sprig_domain::LandNimber { land: lost, nimber }.into());
    let grant = granted(&world.back(2, &next, OPEN, spent + 2 * LEAF), 2).expect("work");
    assert_eq!((grant.goal, grant.expansions), (goal("0*6"), None));
    assert!(revoked(&world.on(Event::Tick)).is_empty());
    let trusted = |n: &str| world.machine.division.trusts(n);
    assert!(!trusted("worker-2") && trusted("worker-3") && trusted("worker-1"));
}

#[test]
fn newcomers_own_nothing_until_their_first_claims_were_shown() {
    let mut world = world();
    world.machine = world.machine.checked(crate::trust::Withdrawals::default());
    let (_, actions, [_, second, third]) = world.divided("0*6");
    assert!(revoked(&actions).is_empty());
    let actions = world.on(Event::Admitted { name: "worker-3".into() });
    assert_eq!(revoked(&actions), [(3, third.lease)]);
    let leaf = granted(&world.back(3, &third, OPEN, LEAF), 3).expect("a leaf");
    assert_eq!(leaf.expansions, Some(LEAF));
    let grant = granted(&world.back(2, &second, OPEN, LEAF), 2).expect("work");
    assert_eq!((grant.goal, grant.expansions), (goal("0*6"), None));
}

#[test]
fn the_whole_goal_goes_to_who_proves_most() {
    let mut world = world();
    let (_, _, [first, second, third]) = world.divided("0*6");
    let mut slow = [second, third];
    for (n, grant) in (2..).zip(&mut slow) {
        *grant = granted(&world.back(n, grant, OPEN, LEAF), n).expect("a leaf");
    }
    let [second, third] = slow;
    let mut sequence = 0;
    let mut proves = |world: &mut World, n, facts: u64| {
        for nimber in 0..facts {
            sequence += 1;
            let actions = world.say(n, report(sequence, vec![fact("0*2", nimber % 2)]));
            world.commit(&actions);
        }
    };
    // Twice as many are not enough, nor are a few.
    for [first, second, third] in [[20, 40, 0], [1, 0, 29]] {
        proves(&mut world, 1, first);
        proves(&mut world, 2, second);
        proves(&mut world, 3, third);
        world.pass(Duration::from_secs(11));
        assert!(revoked(&world.on(Event::Tick)).is_empty());
    }
    proves(&mut world, 1, 2);
    proves(&mut world, 2, 1);
    proves(&mut world, 3, 31);
    world.pass(Duration::from_secs(11));
    assert_eq!(revoked(&world.on(Event::Tick)), [(3, third.lease)]);
    // The one that is to have a leaf instead keeps the goal until then.
    assert!(revoked(&world.on(Event::Tick)).is_empty());
    // Another one that pulls meanwhile does not get it.
    let other = granted(&world.back(2, &second, OPEN, LEAF), 2).expect("a leaf");
    assert_eq!(other.expansions, Some(LEAF));
    let actions = world.back(3, &third, OPEN, LEAF);
    let grant = granted(&actions, 3).expect("work");
    assert_eq!((grant.goal, grant.expansions, grant.noise), (goal("0*6"), None, Noise::NONE));
    assert_eq!(revoked(&world.on(Event::Tick)), [(1, first.lease)]);
    let leaf = granted(&world.back(1, &first, OPEN, LEAF), 1).expect("a leaf");
    assert_eq!(leaf.expansions, Some(LEAF));
}

#[test]
fn the_first_number_is_not_kept_for_one_that_cannot_work_on_the_job() {
    let mut world = world();
    let (job, _, [_, second, third]) = world.divided("0*6");
    for (n, grant) in [(2, &second), (3, &third)] {
        granted(&world.back(n, grant, OPEN, LEAF), n).expect("a leaf");
    }
    world.machine.jobs.get_mut(&job).expect("it is open").heir = Some(WorkerId(2));
    assert_eq!(world.machine.heir(job), None, "it has a lease");
    let lease = world.machine.workers[&WorkerId(2)].lease.expect("a leaf");
    let lease = LeaseId { epoch: EPOCH, number: lease };
    let refused = Err(GaveUp { obstacle: Obstacle::Memory, reason: "too little".into() });
    let answer = Answer { lease, verdict: refused, figures: figures(LEAF) };
    world.say(2, FromWorker::Pull(Pull { answer: Some(answer), more: true }));
    assert_eq!(world.machine.heir(job), None, "it is unfit");
}

#[test]
fn one_in_eight_has_the_whole_goal() {
    let mut world = world();
    let (job, _, [_, second, third]) = world.divided("0*6");
    let mut wholes = 1;
    for (n, grant) in [(2, second), (3, third)] {
        let grant = granted(&world.back(n, &grant, OPEN, LEAF), n).expect("work");
        wholes += u32::from(grant.expansions.is_none());
    }
    assert_eq!(wholes, 1);
    // Of those that come, some have the second number when there are eight, and the third when
    // there are sixteen; those that have it meanwhile keep their leaves until they pull again.
    let grants: Vec<Grant> = (4..=24).map(|n| world.grant_to(n)).collect();
    assert!(grants.iter().all(|grant| grant.expansions.is_some()));
    let again = |world: &mut World, n: u64| {
        let lease = world.machine.workers[&WorkerId(n)].lease.expect("it is at work");
        let lease = LeaseId { epoch: EPOCH, number: lease };
        world.pass(Duration::from_secs(1));
        let mut actions = world.answer(n, lease, OPEN, 100);
        loop {
            match granted(&actions, n) {
                Some(grant) => return grant,
                // It waits for a leaf to be taken apart.
                None => actions = world.apart(job, &wanted_leaves(&actions)[0]),
            }
        }
    };
    let wholes = (2..=24).filter(|&n| again(&mut world, n).expansions.is_none()).count();
    assert_eq!(wholes, 3, "and the first one");
}

#[test]
fn who_comes_back_early_has_said_nothing() {
    let mut world = world();
    let (_, _, [_, second, third]) = world.divided("0*6");
    let leaf = granted(&world.back(2, &second, OPEN, LEAF), 2).expect("a leaf");
    granted(&world.back(3, &third, OPEN, LEAF), 3).expect("a leaf");
    // Nothing speaks for it any more, were its word believed.
    let hopeless = Verdict::Open { proof: 1, disproof: 1 << 29 };
    let again = granted(&world.back(2, &leaf, hopeless, LEAF + 1), 2).expect("a leaf");
    assert_eq!(again.goal, leaf.goal);
    // Nor has anybody expanded as much in no time.
    let other = granted(&world.answer(2, again.lease, hopeless, 9 * LEAF), 2).expect("a leaf");
    assert_eq!(other.goal, leaf.goal);
    let other = granted(&world.back(2, &other, hopeless, 99 * LEAF), 2).expect("a leaf");
    assert_ne!(other.goal, leaf.goal);
}

#[test]
fn a_leaf_of_one_that_stays_away_is_free_again() {
    let mut world = world();
    let (job, _, [_, second, third]) = world.divided("0*6");
    let leaf = granted(&world.back(2, &second, OPEN, LEAF), 2).expect("a leaf");
    granted(&world.back(3, &third, OPEN, LEAF), 3).expect("a leaf");
    let owners = |world: &World| {
        let board = world.machine.jobs[&job].board.as_ref().expect("it is divided");
        board.owners_of(&leaf.goal)
    };
    world.on(Event::Left { session: SessionId(2) });
    assert_eq!(owners(&world), 1, "it may come back");
    world.pass(PATIENCE + Duration::from_secs(1));
    world.on(Event::Tick);
    assert_eq!(owners(&world), 0);
}

#[test]
fn many_workers_share_leaves_until_these_are_taken_apart() {
    let mut world = world();
    let (job, _, [_, second, third]) = world.divided("0*3");
    let mut leaves = vec![
        (2, granted(&world.back(2, &second, OPEN, LEAF), 2).expect("a leaf")),
        (3, granted(&world.back(3, &third, OPEN, LEAF), 3).expect("a leaf")),
    ];
    leaves.extend((4..20).map(|n| (n, world.grant_to(n))));
    let shared = leaves.iter().filter(|(_, grant)| grant.noise != Noise::NONE).count();
    assert!(0 < shared && shared < leaves.len(), "{shared}");
    let mut asked = Vec::new();
    for (n, grant) in &leaves {
        let spent = LEAF * if *n < 4 { 2 } else { 1 };
        asked.extend(wanted_leaves(&world.back(*n, grant, OPEN, spent)));
    }
    assert!(!asked.is_empty());
    let once: std::collections::HashSet<_> = asked.iter().collect();
    assert_eq!(once.len(), asked.len(), "each is asked for once");
    // A sum stays whole.
    for leaf in &asked {
        world.apart(job, leaf);
    }
    let told = world.on(Event::Tick);
    assert!(!told.iter().any(|action| matches!(action, Action::Tell(_, ToWorker::Revoke(_)))));
}

#[test]
fn a_leaf_that_cannot_be_worked_at_is_given_up_and_the_job_is_not() {
    let mut world = world();
    let (_, _, [_, second, third]) = world.divided("0*6");
    let mut leaf = granted(&world.back(2, &second, OPEN, LEAF), 2).expect("a leaf");
    granted(&world.back(3, &third, OPEN, LEAF), 3).expect("a leaf");
    let mut given_up = Vec::new();
    loop {
        let refused = Err(GaveUp { obstacle: Obstacle::Goal, reason: "too many moves".into() });
        let answer = Answer { lease: leaf.lease, verdict: refused, figures: figures(LEAF) };
        let actions = world.say(2, FromWorker::Pull(Pull { answer: Some(answer), more: true }));
        given_up.push(leaf.goal);
        leaf = granted(&actions, 2).expect("it is still fit for the job");
        if leaf.expansions.is_none() {
            break;
        }
        assert!(!given_up.contains(&leaf.goal), "{}", leaf.goal.position());
    }
    // Where nothing else is left, all have the whole goal.
    assert_eq!(leaf.goal, goal("0*6"));
    assert!(given_up.len() > 2, "{given_up:?}");
    assert!(revoked(&world.on(Event::Tick)).is_empty());
}

#[test]
fn banned_leaves_are_left_until_nothing_else_is_open() {
    let mut world = world();
    let (job, _, [_, second, third]) = world.divided("0*6");
    let leaf = granted(&world.back(2, &second, OPEN, LEAF), 2).expect("a leaf");
    if let [land] = leaf.goal.position().lands() {
        let at = Goal::normal(CanonicalPosition::from_lands([land.clone()]), Question::OUTCOME);
        let wanted = sprig_proto::Wanted {
            kind: sprig_domain::WishKind::Ban,
            at,
            until: None,
            by: "ada".into(),
        };
        let actions = world.order(4, job, JobOrder::Wish(wanted));
        assert!(revoked(&actions).contains(&(2, leaf.lease)), "{actions:?}");
        let other = granted(&world.back(2, &leaf, OPEN, 2 * LEAF), 2).expect("a leaf");
        assert_ne!(other.goal, leaf.goal);
        let third = granted(&world.back(3, &third, OPEN, LEAF), 3).expect("a leaf");
        assert_ne!(third.goal, leaf.goal);
    } else {
        panic!("{}", leaf.goal.position());
    }
}

#[test]
fn a_pin_goes_to_another_than_the_one_with_the_whole_goal() {
    let mut world = world();
    let job = world.job("0*6");
    // The first one is at the pin before the others come.
    let first = world.grant_to(1);
    let wanted = |at: &str| sprig_proto::Wanted {
        kind: sprig_domain::WishKind::Pin,
        at: goal(at),
        until: None,
        by: "ada".into(),
    };
    let actions = world.order(4, job, JobOrder::Wish(wanted("0*2.AB|0*3.AB")));
    assert_eq!(revoked(&actions), [(1, first.lease)]);
    let pinned = granted(&world.back(1, &first, OPEN, LEAF), 1).expect("the pin");
    let [second, third] = [2, 3].map(|n| world.grant_to(n));
    for (n, grant) in [(1, &pinned), (2, &second), (3, &third)] {
        world.progress(n, grant.lease, 2 * LEAF);
    }
    world.pass(Duration::from_secs(1));
    assert_eq!(wanted_leaves(&world.on(Event::Tick)), [goal("0*6")]);
    let actions = world.apart(job, &goal("0*6"));
    // One of the others is to have the whole goal without noise, and the last one a leaf.
    let [(n, lease)] = revoked(&actions)[..] else { panic!("{actions:?}") };
    let again = granted(&world.answer(n, lease, OPEN, 3 * LEAF), n).expect("work");
    assert_eq!((again.expansions, again.noise), (None, Noise::NONE));
    let actions = world.on(Event::Tick);
    let [(other, lease)] = revoked(&actions)[..] else { panic!("{actions:?}") };
    assert!(other != n && other != 1);
    let leaf = granted(&world.answer(other, lease, OPEN, 3 * LEAF), other).expect("a leaf");
    assert_eq!(leaf.expansions, Some(LEAF));
}

#[test]
fn where_all_others_have_pins_the_whole_goal_is_still_searched() {
    let mut world = world();
    let (job, actions, grants) = world.divided("0*6");
    let mut held: Vec<(u64, Grant)> = (1..).zip(grants).collect();
    for (n, lease) in revoked(&actions) {
        let leaf = granted(&world.back(n, &held[n as usize - 1].1, OPEN, LEAF), n).expect("a leaf");
        assert_ne!(leaf.lease, lease);
        held[n as usize - 1].1 = leaf;
    }
    let pin = |at: &str| {
        JobOrder::Wish(sprig_proto::Wanted {
            kind: sprig_domain::WishKind::Pin,
            at: goal(at),
            until: None,
            by: "ada".into(),
        })
    };
    for (call, at) in [(4, "0*2.AB|0*3.AB"), (5, "0.AB|0*4.AB")] {
        let actions = world.order(call, job, pin(at));
        let [(n, lease)] = revoked(&actions)[..] else { panic!("{actions:?}") };
        assert_ne!(n, 1, "it has the whole goal");
        let grant = granted(&world.answer(n, lease, OPEN, 5 * LEAF), n).expect("the pin");
        assert_eq!(grant.goal, goal(at));
        held[n as usize - 1].1 = grant;
    }
    let actions = world.order(6, job, pin("0*3.1a1a"));
    assert_eq!(revoked(&actions), [], "the others have pins");
    assert_eq!(revoked(&world.on(Event::Tick)), []);
    // Two workers are left, and a job of two is not divided: each may have a pin.
    let actions = world.on(Event::Left { session: SessionId(3) });
    assert_eq!(revoked(&actions), [(1, held[0].1.lease)]);
    let grant = granted(&world.answer(1, held[0].1.lease, OPEN, 9 * LEAF), 1).expect("a pin");
    assert_ne!(grant.goal, goal("0*6"));
    assert_eq!(revoked(&world.on(Event::Tick)), []);
}
