//! Many workers and many jobs: who works on what, and what workers hear of each other.

use sprig_proto::Company;
use sprig_search::{Couple, Note};

use super::*;

fn couple(text: &str) -> Couple {
    Couple { land: position(text).lands()[0].clone(), heap: Nimber::ZERO }
}

fn note(text: &str) -> Note {
    Note { couple: couple(text), proof: 3, disproof: 4 }
}

fn company(actions: &[Action], session: u64) -> Option<Company> {
    actions.iter().find_map(|action| match action {
        Action::Tell(to, ToWorker::Company(company)) if to.0 == session => Some(company.clone()),
        _ => None,
    })
}

impl World {
    /// Says where a worker is and what it has found; gives back what it hears of the others.
    fn meet(&mut self, n: u64, grant: &Grant, place: &str, found: &[&str]) -> Option<Company> {
        let places = vec![couple(place)];
        let notes = found.iter().map(|text| note(text)).collect();
        let (lease, figures) = (grant.lease, figures(1));
        let said = FromWorker::Progress { lease, figures, places, notes };
        company(&self.say(n, said), n)
    }
}

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
fn a_lone_worker_hears_of_nobody() {
    let mut world = World::new();
    world.job("0*9");
    let grant = world.grant_to(1);
    assert_eq!(world.meet(1, &grant, "0*4", &["0*5"]), None);
}

#[test]
fn workers_hear_where_the_others_are_and_what_they_have_found() {
    let mut world = World::new();
    world.job("0*9");
    let (first, second) = (world.grant_to(1), world.grant_to(2));
    let alone = world.meet(1, &first, "0*4", &["0*5"]).expect("there is another");
    assert_eq!((alone.places, alone.notes), (vec![], vec![]));
    let heard = world.meet(2, &second, "0*6", &["0*7"]).expect("there is another");
    assert_eq!((heard.places, heard.notes), (vec![couple("0*4")], vec![note("0*5")]));
    let heard = world.meet(1, &first, "0*3", &[]).expect("there is another");
    assert_eq!((heard.places, heard.notes), (vec![couple("0*6")], vec![note("0*7")]));
    // Notes are told once, places always.
    let heard = world.meet(1, &first, "0*3", &[]).expect("there is another");
    assert_eq!((heard.places, heard.notes), (vec![couple("0*6")], vec![]));
    // Who comes later hears all of it.
    let third = world.grant_to(3);
    let heard = world.meet(3, &third, "0*2", &[]).expect("there are others");
    assert_eq!(heard.notes, [note("0*5"), note("0*7")]);
    assert_eq!(heard.places, [couple("0*3"), couple("0*6")]);
    assert_eq!((heard.seat, heard.seats), (2, 3));
    assert!(heard.heavy > alone.heavy, "the more there are, the less each says");
}

#[test]
fn who_is_left_alone_is_told_once() {
    let mut world = World::new();
    world.job("0*9");
    let (first, _) = (world.grant_to(1), world.grant_to(2));
    world.meet(1, &first, "0*4", &[]).expect("there is another");
    world.on(Event::Left { session: SessionId(2) });
    assert_eq!(world.meet(1, &first, "0*4", &[]), Some(Company::NONE));
    assert_eq!(world.meet(1, &first, "0*4", &[]), None);
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
