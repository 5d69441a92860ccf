//! Jobs of misère play.

use sprig_domain::Node;

use super::*;

fn misere(text: &str) -> Goal {
    Goal::misere(position(text))
}

fn lost(text: &str) -> Fact {
    Fact::Loss(Node::new(position(text), false, []))
}

fn done(outcome: Outcome) -> JobState {
    JobState::Done(outcome.into())
}

#[test]
fn the_position_itself_must_be_lost_in_the_same_play() {
    let mut world = World::new();
    world.job_of(misere("0*8"), 0);
    world.grant_to(1);
    let normal = |text| fact(text, 0);
    let written = world.say(1, report(0, vec![lost("0*7"), normal("0*8")]));
    let told = world.commit(&written);
    assert_eq!(shown(&world.commit(&told)), None);
    let written = world.say(1, report(1, vec![lost("0*8")]));
    let told = world.commit(&written);
    assert_eq!(shown(&world.commit(&told)), Some(done(Outcome::Loss)));
}

#[test]
fn a_lost_node_says_nothing_on_normal_play() {
    let mut world = World::new();
    let normal = world.job("0*8");
    let other = world.job_of(misere("0*8"), 0);
    assert_ne!(normal, other, "they are different goals");
    world.grant_to(1);
    let written = world.say(1, report(0, vec![lost("0*8")]));
    let told = world.commit(&written);
    let ended = told.iter().filter_map(|action| match action {
        Action::Commit(Entry::Job(job)) => Some(job.id),
        _ => None,
    });
    assert_eq!(ended.collect::<Vec<_>>(), [other]);
}

#[test]
fn a_worker_answers_and_hears_how_many_facts_there_are() {
    let mut world = World::new();
    world.job_of(misere("0*9"), 0);
    world.join(2, 2, None);
    let written = world.say(2, report(0, vec![lost("0*7"), lost("0*8")]));
    world.commit(&written);
    let grant = world.grant_to(1);
    assert_eq!((grant.goal, grant.facts), (misere("0*9"), 2));
    let actions = world.answer(1, grant.lease, Verdict::Win, 100);
    assert_eq!(shown(&world.commit(&actions)), Some(done(Outcome::Win)));
}

#[test]
fn facts_alone_keep_a_lease() {
    let mut world = World::new();
    world.job_of(misere("0*9"), 0);
    let lease = world.grant_to(1).lease;
    world.pass(PATIENCE / 2);
    let figures = Figures { facts: 4_096, ..Figures::default() };
    world.say(1, FromWorker::Progress { lease, figures });
    world.pass(PATIENCE / 2);
    assert_eq!(revoked(&world.on(Event::Tick)), []);
    world.pass(PATIENCE / 2);
    assert_eq!(revoked(&world.on(Event::Tick)), [(1, lease)]);
}
