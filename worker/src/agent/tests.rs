//! The agent without network or search: a script tells it what happens.

use std::time::Duration;

use sprig_domain::{Fact, Figures, Goal, Question, Reign, Ruleset, Verdict};
use sprig_engine::{CanonicalPosition, Nimber, Position};
use sprig_proto::{
    Acknowledge, Alarm, Answer, Build, FromWorker, Grant, LeaseId, Pull, Report, ToWorker, Welcome,
    WorkerId,
};
use sprig_search::Noise;

use super::{Action, Agent, Event};
use crate::Shutdown;

fn acknowledge(reports: impl IntoIterator<Item = u64>) -> ToWorker {
    let reports = reports.into_iter().collect();
    ToWorker::Acknowledge(Acknowledge { reports, gather: Duration::from_millis(40) })
}

fn agent() -> Agent {
    Agent::new(WorkerId(1), "a".into(), 1)
}

fn on(agent: &mut Agent, event: Event) -> Vec<Action> {
    let mut actions = Vec::new();
    agent.apply(event, &mut actions);
    actions
}

fn welcome(database: u64, facts: u64) -> Event {
    Event::Welcomed(Welcome {
        build: Build::here(),
        epoch: 1,
        database,
        facts,
        withdrawals: 0,
        reign: None,
    })
}

const LEASE: LeaseId = LeaseId { epoch: 1, number: 5 };

fn grant() -> Event {
    grant_of(Goal::normal(CanonicalPosition::default(), Question::Nimber), 0)
}

fn misere(facts: u64) -> Event {
    grant_of(Goal::misere(CanonicalPosition::default()), facts)
}

fn grant_of(goal: Goal, facts: u64) -> Event {
    Event::Told(ToWorker::Grant(Grant {
        lease: LEASE,
        goal,
        expansions: None,
        facts,
        noise: Noise::NONE,
        avoid: Vec::new(),
        job: None,
    }))
}

fn fact() -> Fact {
    let land = CanonicalPosition::of(&Position::start(2)).lands()[0].clone();
    sprig_domain::LandNimber { land, nimber: Nimber::ZERO }.into()
}

fn proved() -> Event {
    Event::Proved(vec![fact()])
}

fn answered() -> Event {
    let figures = Figures::default();
    Event::Answered(Answer { lease: LEASE, verdict: Ok(Verdict::Win), figures })
}

/// What was said, one word for each message.
fn said(actions: &[Action]) -> Vec<String> {
    let words = actions.iter().map(|action| match action {
        Action::Say(FromWorker::Report(Report { sequence, .. })) => format!("report {sequence}"),
        Action::Say(FromWorker::Pull(Pull { answer, more })) => {
            format!(
                "pull{}{}",
                if answer.is_some() { " answer" } else { "" },
                if *more { "" } else { " no more" }
            )
        }
        Action::Say(FromWorker::Progress { .. }) => "progress".into(),
        Action::Say(FromWorker::Alarm(_)) => "alarm".into(),
        Action::Say(FromWorker::Hello(_)) => "hello".into(),
        Action::Follow { from, ruleset, .. } if *ruleset == Ruleset::NORMAL => {
            format!("follow {from}")
        }
        Action::Follow { from, forgotten, .. } => {
            format!("follow misere {from}, all below {forgotten}")
        }
        Action::Search(_) => "search".into(),
        Action::StopSearch => "stop".into(),
        Action::Forget(_) => "forget".into(),
        Action::Say(FromWorker::Seen { number, .. }) => format!("seen {number}"),
        Action::Look(look) => format!("look {}", look.number),
        Action::End => "end".into(),
    });
    words.collect()
}

/// An agent in the middle of a search.
fn searching() -> Agent {
    let mut agent = agent();
    assert_eq!(said(&on(&mut agent, welcome(1, 0))), ["follow 0", "pull"]);
    assert_eq!(said(&on(&mut agent, grant())), ["search"]);
    agent
}

#[test]
fn when_claims_were_withdrawn_it_forgets_all_it_has_built_on_them() {
    let mut agent = searching();
    on(&mut agent, Event::Learned(7));
    on(&mut agent, proved());
    on(&mut agent, Event::Lost);
    let again = Welcome {
        build: Build::here(),
        epoch: 1,
        database: 1,
        facts: 3,
        withdrawals: 1,
        reign: None,
    };
    let actions = on(&mut agent, Event::Welcomed(again.clone()));
    assert_eq!(said(&actions), ["forget", "follow 0"]);
    assert!(!agent.is_searching());
    on(&mut agent, Event::Learned(3));
    assert!(on(&mut agent, Event::Lost).is_empty());
    // The facts are followed only once.
    assert_eq!(said(&on(&mut agent, Event::Welcomed(again))), ["follow 3", "pull"]);
}

#[test]
fn after_an_alarm_it_waits_for_the_judgement_and_forgets() {
    let mut agent = searching();
    let land = CanonicalPosition::of(&Position::start(2)).lands()[0].clone();
    let alarm = Event::Contradicted(Alarm {
        game: sprig_domain::Game::Sprouts,
        about: sprig_proto::Proved::Nimber { land, possible: 1 },
    });
    assert_eq!(said(&on(&mut agent, alarm)), ["alarm", "stop"]);
    // What the search says now rests on a contradiction.
    assert_eq!(said(&on(&mut agent, answered())), [""; 0]);
    on(&mut agent, Event::Lost);
    assert_eq!(said(&on(&mut agent, welcome(1, 0))), ["forget", "follow 0", "pull"]);
}

#[test]
fn it_takes_in_what_is_known_before_it_pulls() {
    let mut agent = agent();
    assert_eq!(said(&on(&mut agent, welcome(1, 700))), ["follow 0"]);
    assert!(on(&mut agent, Event::Learned(512)).is_empty());
    assert_eq!(said(&on(&mut agent, Event::Learned(700))), ["pull"]);
    // It pulls only once.
    assert!(on(&mut agent, Event::Learned(800)).is_empty());
}

#[test]
fn before_it_searches_in_the_other_play_it_takes_in_what_is_known_of_that() {
    let mut agent = agent();
    on(&mut agent, welcome(1, 0));
    let actions = on(&mut agent, misere(30));
    assert_eq!(said(&actions), ["forget", "follow misere 0, all below 30"]);
    assert!(on(&mut agent, Event::Learned(29)).is_empty() && !agent.is_searching());
    assert_eq!(agent.hello().holding, Some(LEASE));
    assert_eq!(said(&on(&mut agent, Event::Learned(30))), ["search"]);
    // The next goal of this play finds the tables as they are. A goal of the other play does not.
    assert_eq!(said(&on(&mut agent, answered())), ["pull answer"]);
    assert_eq!(said(&on(&mut agent, misere(40))), ["search"]);
    on(&mut agent, answered());
    assert_eq!(said(&on(&mut agent, grant())), ["forget", "follow 0", "search"]);
}

#[test]
fn a_lease_that_it_prepares_for_can_be_taken_back() {
    for end in [Event::Told(ToWorker::Revoke(LEASE)), Event::Shutdown(Shutdown::Finish)] {
        let mut agent = agent();
        on(&mut agent, welcome(1, 0));
        on(&mut agent, misere(30));
        assert!(said(&on(&mut agent, end))[0].starts_with("pull answer"));
    }
}

#[test]
fn facts_go_before_the_answer_that_rests_on_them() {
    let mut agent = searching();
    assert_eq!(said(&on(&mut agent, proved())), ["report 0"]);
    assert_eq!(said(&on(&mut agent, answered())), ["pull answer"]);
}

#[test]
fn unacknowledged_reports_are_said_again_on_every_connection() {
    let mut agent = searching();
    on(&mut agent, proved());
    on(&mut agent, proved());
    on(&mut agent, Event::Told(acknowledge([0])));
    assert_eq!(agent.gathers(), Duration::from_millis(40));
    on(&mut agent, Event::Lost);
    assert!(on(&mut agent, proved()).is_empty(), "nobody to tell");
    assert_eq!(said(&on(&mut agent, welcome(1, 0))), ["follow 0", "report 1", "report 2"]);
    on(&mut agent, Event::Told(acknowledge([2, 1, 1])));
    on(&mut agent, Event::Lost);
    assert_eq!(said(&on(&mut agent, welcome(1, 0))), ["follow 0"]);
}

#[test]
fn the_search_goes_on_without_coordinator_and_its_answer_is_kept() {
    let mut agent = searching();
    on(&mut agent, Event::Lost);
    assert!(agent.is_searching());
    assert_eq!(agent.hello().holding, Some(LEASE));
    assert!(on(&mut agent, answered()).is_empty());
    assert_eq!(agent.hello().holding, Some(LEASE));
    assert_eq!(said(&on(&mut agent, welcome(1, 0))), ["follow 0", "pull answer"]);
    assert_eq!(agent.hello().holding, None);
}

#[test]
fn it_pulls_again_after_a_reconnection() {
    let mut agent = agent();
    on(&mut agent, welcome(1, 0));
    on(&mut agent, Event::Lost);
    assert_eq!(said(&on(&mut agent, welcome(1, 0))), ["follow 0", "pull"]);
}

#[test]
fn it_follows_on_within_a_run_and_from_the_start_in_another() {
    let mut agent = agent();
    on(&mut agent, welcome(1, 700));
    on(&mut agent, Event::Learned(700));
    on(&mut agent, Event::Lost);
    assert_eq!(said(&on(&mut agent, welcome(1, 710)))[0], "follow 700");
    on(&mut agent, Event::Lost);
    assert_eq!(said(&on(&mut agent, welcome(2, 710)))[..2], ["forget", "follow 0"]);
}

#[test]
fn a_flood_of_reports_waits_for_acknowledgements_and_the_answer_for_the_flood() {
    let mut agent = searching();
    let first: usize = (0..100).map(|_| on(&mut agent, proved()).len()).sum();
    assert!(first < 100);
    assert!(on(&mut agent, answered()).is_empty());
    let more = on(&mut agent, Event::Told(acknowledge(0..first as u64)));
    assert_eq!(more.len(), 100 - first + 1);
    assert_eq!(said(&more).last().expect("some"), "pull answer");
}

#[test]
fn only_its_own_lease_can_be_revoked() {
    let mut agent = searching();
    let other = LeaseId { number: 6, ..LEASE };
    assert!(on(&mut agent, Event::Told(ToWorker::Revoke(other))).is_empty());
    assert_eq!(said(&on(&mut agent, Event::Told(ToWorker::Revoke(LEASE)))), ["stop"]);
    assert_eq!(said(&on(&mut agent, answered())), ["pull answer"]);
}

#[test]
fn to_finish_is_to_hand_back_and_to_wait_for_the_disk() {
    let mut agent = searching();
    on(&mut agent, proved());
    assert_eq!(said(&on(&mut agent, Event::Shutdown(Shutdown::Finish))), ["stop"]);
    assert_eq!(said(&on(&mut agent, answered())), ["pull answer no more"]);
    assert_eq!(said(&on(&mut agent, Event::Told(acknowledge([0])))), ["end"]);
}

#[test]
fn to_finish_when_idle_is_to_end_at_once() {
    let mut agent = agent();
    on(&mut agent, welcome(1, 0));
    assert_eq!(said(&on(&mut agent, Event::Shutdown(Shutdown::Finish))), ["pull no more", "end"]);
    let mut never_connected = super::tests::agent();
    assert_eq!(said(&on(&mut never_connected, Event::Shutdown(Shutdown::Finish))), ["end"]);
}

#[test]
fn a_grant_that_crosses_the_goodbye_is_handed_back() {
    let mut agent = agent();
    on(&mut agent, welcome(1, 0));
    on(&mut agent, proved());
    on(&mut agent, Event::Shutdown(Shutdown::Finish));
    assert_eq!(said(&on(&mut agent, grant())), ["pull answer no more"]);
}

#[test]
fn to_drop_is_to_end_whatever_is_left() {
    let mut agent = searching();
    on(&mut agent, proved());
    assert_eq!(said(&on(&mut agent, Event::Shutdown(Shutdown::Drop))), ["end"]);
}

#[test]
fn a_search_that_nobody_hears_stops_before_memory_is_full() {
    let mut agent = searching();
    on(&mut agent, Event::Lost);
    let many = 1 << 20;
    let batch = || Event::Proved(vec![fact(); many]);
    let batches = (64 << 20) / (many * fact().size()) + 1;
    for _ in 1..batches {
        assert!(on(&mut agent, batch()).is_empty());
    }
    assert_eq!(said(&on(&mut agent, batch())), ["stop"]);
    assert!(on(&mut agent, answered()).is_empty(), "nobody to tell");
    // When a coordinator listens again, the reports go in their order, and the answer after them.
    let mut heard = said(&on(&mut agent, welcome(1, 0)));
    let mut reports = 0;
    while heard.last().is_none_or(|last| last != "pull answer") {
        let said_now = heard.iter().filter(|word| word.starts_with("report")).count() as u64;
        assert!(said_now > 0, "{heard:?}");
        let acknowledged = reports..reports + said_now;
        reports += said_now;
        heard = said(&on(&mut agent, Event::Told(acknowledge(acknowledged))));
    }
}

#[test]
fn after_a_restart_of_the_coordinator_it_goes_on_in_the_stream_of_facts() {
    let mut agent = agent();
    on(&mut agent, welcome(1, 500));
    on(&mut agent, Event::Learned(500));
    on(&mut agent, Event::Lost);
    assert_eq!(said(&on(&mut agent, welcome(1, 700))), ["follow 500"]);
    on(&mut agent, Event::Lost);
    // Another database, and one that was put back to an earlier day.
    assert_eq!(said(&on(&mut agent, welcome(2, 700))), ["forget", "follow 0"]);
    on(&mut agent, Event::Learned(700));
    on(&mut agent, Event::Lost);
    assert_eq!(said(&on(&mut agent, welcome(2, 600))), ["forget", "follow 0"]);
}

#[test]
fn what_it_has_built_on_a_database_that_is_gone_it_forgets() {
    for restored in [welcome(2, 900), welcome(1, 600)] {
        let mut agent = searching();
        on(&mut agent, Event::Learned(700));
        on(&mut agent, proved());
        on(&mut agent, Event::Lost);
        assert_eq!(said(&on(&mut agent, restored)), ["forget", "follow 0"]);
        assert!(!agent.is_searching() && agent.unacknowledged() == 0);
    }
}

#[test]
fn a_new_coordinator_hears_what_the_last_one_heard() {
    let mut agent = searching();
    let progressed = |expansions| Event::Progressed(Figures { expansions, ..Figures::default() });
    on(&mut agent, progressed(100));
    on(&mut agent, Event::Lost);
    on(&mut agent, progressed(900));
    assert_eq!(agent.hello().figures.expansions, 100);
}

#[test]
fn who_has_heard_of_a_later_reign_knows_better() {
    let mut agent = agent();
    let first = Reign::first(7);
    let second = Reign { number: 1, proof: [1; 32], ..first };
    assert_eq!(agent.hello().reign, None);
    let welcome = |reign| {
        let (build, epoch, database) = (Build::here(), 1, 1);
        Event::Welcomed(Welcome { build, epoch, database, facts: 0, withdrawals: 0, reign })
    };
    on(&mut agent, welcome(Some(first)));
    assert!(!agent.knows_better(Some(first)) && !agent.knows_better(Some(second)));
    on(&mut agent, welcome(Some(second)));
    assert!(agent.knows_better(Some(first)) && !agent.knows_better(Some(second)));
    // The agent tells the first coordinator, with the proof.
    assert_eq!(agent.hello().reign, Some(second));
    // A cluster of another line does not count, and neither does a program without reigns.
    assert!(!agent.knows_better(Some(Reign::first(8))) && !agent.knows_better(None));
    on(&mut agent, welcome(None));
    assert_eq!(agent.hello().reign, Some(second));
}
