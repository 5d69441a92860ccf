//! What a strange or hostile peer can say, over real gRPC.

use std::sync::Arc;
use std::time::Duration;

use crate::common::{Puppet, hello, position, start, start_with};
use sprig_coordinator::{Config, Coordinator, Protection, Trust};
use sprig_domain::{Fact, Figures, Goal, JobState, LandNimber, Question, Reign, Ruleset, Verdict};
use sprig_engine::Nimber;
use sprig_proto::wire::clients_client::ClientsClient;
use sprig_proto::wire::followers_client::FollowersClient;
use sprig_proto::wire::workers_client::WorkersClient;
use sprig_proto::{
    Acknowledge, Answer, Build, Client, FactBatch, FollowerHello, FromFollower, FromWorker, GaveUp,
    Grant, Hello, Obstacle, OnDisk, Pull, Report, ToWorker, Versions, Waiting, wire,
};
use sprig_store::{Following, Replica, Secret};
use tonic::Code;

fn fact(text: &str, nimber: u64) -> Fact {
    let nimber = Nimber::new(nimber).expect("in range");
    LandNimber { land: position(text).lands()[0].clone(), nimber }.into()
}

#[tokio::test]
async fn another_version_is_refused_with_the_remedy() {
    let (coordinator, _store, _dir) = start().await;
    let newer = Build { protocol: Versions { oldest: 99, newest: 99 }, ..Build::here() };
    let first = FromWorker::Hello(Hello { build: newer.clone(), ..hello(1) }).into();
    let status = Puppet::connect(coordinator.url(), first).await.err().expect("refused");
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert!(status.message().contains("install the newer sprig here"), "{}", status.message());

    let mut client = ClientsClient::connect(coordinator.url()).await.expect("a connection");
    let status = client.greet(wire::Build::from(newer)).await.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
    coordinator.shutdown().await.expect("it ends");
}

/// What a coordinator says to a follower that begins with this.
async fn follow(
    url: String,
    first: FromFollower,
) -> Result<tonic::Streaming<wire::ToFollower>, tonic::Status> {
    let mut calls = FollowersClient::connect(url).await.expect("a connection");
    let first = wire::FromFollower::from(first);
    Ok(calls.follow(tokio_stream::once(first)).await?.into_inner())
}

fn follower() -> FollowerHello {
    let (build, name) = (Build::here(), "copy".to_owned());
    FollowerHello { build, name, database: 0, on_disk: OnDisk::default(), reign: None }
}

#[tokio::test]
async fn followers_that_do_not_fit_are_refused_with_the_remedy() {
    let (coordinator, store, _dir) = start().await;
    let newer = Build { protocol: Versions { oldest: 99, newest: 99 }, ..Build::here() };
    let database = store.identity().expect("it is there");
    let ahead = OnDisk { position: 1 << 40, facts: 7 };
    for (first, code, part) in [
        (
            FromFollower::Hello(FollowerHello { build: newer, ..follower() }),
            Code::FailedPrecondition,
            "install the newer sprig here",
        ),
        (FromFollower::OnDisk(ahead), Code::InvalidArgument, "the first message must be `hello`"),
        (
            FromFollower::Hello(FollowerHello { name: "a@b".into(), ..follower() }),
            Code::InvalidArgument,
            "choose another one",
        ),
        // Its coordinator was put back to an earlier day.
        (
            FromFollower::Hello(FollowerHello { database, on_disk: ahead, ..follower() }),
            Code::FailedPrecondition,
            "promote the follower, or follow into a new folder",
        ),
    ] {
        let status = follow(coordinator.url(), first).await.expect_err("refused");
        assert_eq!(status.code(), code, "{}", status.message());
        assert!(status.message().contains(part), "{}", status.message());
    }
    coordinator.shutdown().await.expect("it ends");
}

#[tokio::test]
async fn only_the_owner_can_end_a_coordinator_by_a_promotion() {
    let (mut coordinator, store, _dir) = start().await;
    let first = store.succession().expect("it is there").reign;
    let forged = Reign { number: 9, proof: [3; 32], ..first };
    let hello = FromWorker::Hello(Hello { reign: Some(forged), ..hello(1) }).into();
    let mut puppet = Puppet::connect(coordinator.url(), hello).await.expect("a session");
    assert!(matches!(puppet.hear().await, Ok(ToWorker::Welcome(_))), "it goes on");
    let hello = FollowerHello { reign: Some(forged), ..follower() };
    drop(follow(coordinator.url(), FromFollower::Hello(hello)).await.expect("a session"));
    // The owner promotes a follower, and a worker that has met it comes back.
    let place = tempfile::tempdir().expect("a directory");
    let secret = Secret::new([7; Secret::BYTES]);
    let database = store.identity().expect("it is there");
    let following = Following { database, position: 0, url: String::new() };
    let mut copy =
        Replica::begin(&place.path().join("copy"), &secret, first, following).expect("a new copy");
    let position = store.whole(1 << 20, |changes| copy.apply(&changes, 0).is_ok());
    copy.apply(&[], position.expect("read").expect("all of it")).expect("written");
    let promoted = copy.whole(&secret).expect("named").promote(&secret).expect("promoted").reign;
    let hello =
        FromWorker::Hello(Hello { reign: Some(promoted), ..crate::common::hello(2) }).into();
    let _puppet = Puppet::connect(coordinator.url(), hello).await;
    let error = coordinator.failure().await.to_string();
    assert!(error.contains("leads no more") && error.contains("reign 1"), "{error}");
    drop(coordinator);
    assert!(store.may_lead().is_err());
}

/// A program that has no canonical form of its own.
#[tokio::test]
async fn whoever_writes_text_is_understood_and_answered_in_text() {
    let (coordinator, _store, _dir) = start().await;
    let mut client = ClientsClient::connect(coordinator.url()).await.expect("a connection");
    let written = |text: &str| Some(wire::Position { lands: Vec::new(), text: text.into() });
    // Another way to write 0*2.AB|AB + 0*3, and the empty position.
    for (text, lands) in [("0.0.ZY|YZ+0*3", vec!["0*2.AB|AB", "0*3"]), ("!", vec![]), ("", vec![])]
    {
        let inquiry =
            wire::Inquiry { position: written(text), ruleset: Some(Ruleset::NORMAL.into()) };
        let known = client.query(inquiry).await.expect("an answer").into_inner();
        let texts: Vec<_> = known.lands.iter().map(|land| land.text.as_str()).collect();
        assert_eq!(texts, lands, "{text}");
    }
    let moves = client
        .moves(wire::Inquiry { position: written("0*2"), ruleset: Some(Ruleset::NORMAL.into()) })
        .await;
    let moves = moves.expect("an answer").into_inner().moves;
    let texts: Vec<_> = moves.into_iter().filter_map(|found| Some(found.child?.text)).collect();
    assert_eq!(texts.len(), 2);
    assert!(texts.contains(&"0.AB|AB".to_owned()), "{texts:?}");
    let goal = wire::Goal {
        position: written("0*40"),
        question: Some(wire::goal::Question::OutcomeWithHeap(0)),
        ruleset: Some(Ruleset::NORMAL.into()),
    };
    let job = client.submit(wire::Submission { goal: Some(goal), priority: 0, terms: None }).await;
    let goal = job.expect("taken").into_inner().goal.expect("a goal");
    assert_eq!(goal.position.expect("a position").text, "0*40");
    for (wrong, part) in [("0*2.AX", "column 5"), ("0*107", "106"), ("14 ", "column")] {
        let inquiry =
            wire::Inquiry { position: written(wrong), ruleset: Some(Ruleset::NORMAL.into()) };
        let refused = client.query(inquiry).await.expect_err("no position");
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert!(refused.message().contains(part), "{}", refused.message());
    }
    let long = "0.".repeat(10_000) + "0";
    let inquiry = wire::Inquiry { position: written(&long), ruleset: Some(Ruleset::NORMAL.into()) };
    let refused = client.query(inquiry).await.expect_err("too long");
    assert!(refused.message().contains("limit"), "{}", refused.message());
    coordinator.shutdown().await.expect("it ends");
}

#[tokio::test]
async fn malformed_messages_are_invalid_arguments() {
    let (coordinator, _store, _dir) = start().await;
    let nothing = wire::FromWorker { message: None };
    let status = Puppet::connect(coordinator.url(), nothing.clone()).await.err().expect("refused");
    assert_eq!(status.code(), Code::InvalidArgument);

    let not_hello = FromWorker::Pull(Pull { answer: None, more: true }).into();
    let status = Puppet::connect(coordinator.url(), not_hello).await.err().expect("refused");
    assert!(status.message().contains("hello"), "{}", status.message());

    let mut puppet = Puppet::join(coordinator.url(), 1).await;
    puppet.out.send(nothing).expect("open");
    assert_eq!(puppet.hear().await.unwrap_err().code(), Code::InvalidArgument);

    let mut client = ClientsClient::connect(coordinator.url()).await.expect("a connection");
    let position = Some(wire::Position { lands: vec![vec![9, 9, 9]], text: "0*3".into() });
    let inquiry = wire::Inquiry { position, ruleset: Some(Ruleset::MISERE.into()) };
    let status = client.query(inquiry).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    let status =
        client.submit(wire::Submission { goal: None, priority: 0, terms: None }).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    let status = client.watch(wire::JobId { id: 12 }).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);

    // Nothing of all that has hurt it.
    Client::connect(&coordinator.url()).await.expect("connected").status().await.expect("status");
    coordinator.shutdown().await.expect("it ends");
}

#[tokio::test]
async fn a_doubled_report_is_acknowledged_twice_and_stored_once() {
    let (coordinator, store, _dir) = start().await;
    let mut puppet = Puppet::join(coordinator.url(), 1).await;
    for _ in 0..2 {
        puppet.say(FromWorker::Report(Report {
            game: sprig_domain::Game::Sprouts,
            sequence: 4,
            facts: vec![fact("0*4", 1)],
        }));
        let Ok(ToWorker::Acknowledge(Acknowledge { reports, .. })) = puppet.hear().await else {
            panic!("no acknowledgement")
        };
        assert_eq!(reports, [4]);
        assert_eq!(store.next_sequence().0, 1);
    }
}

#[tokio::test]
async fn facts_travel_to_others_and_not_back() {
    let (coordinator, _store, _dir) = start_with(Trust::Believed).await;
    let mut puppet = Puppet::join(coordinator.url(), 1).await;
    puppet.say(FromWorker::Report(Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 0,
        facts: vec![fact("0*4", 1)],
    }));
    assert!(matches!(puppet.hear().await, Ok(ToWorker::Acknowledge(_))));

    let mut calls = WorkersClient::connect(coordinator.url()).await.expect("a connection");
    let mut follow = async |worker| {
        let request = wire::FactsRequest {
            worker,
            ruleset: Some(Ruleset::NORMAL.into()),
            ..Default::default()
        };
        calls.facts(request).await.expect("a stream").into_inner()
    };
    let (mut own, mut others) = (follow(1).await, follow(2).await);
    let batch = own.message().await.expect("told").expect("a batch");
    assert_eq!(
        (batch.facts.len(), batch.next),
        (0, 1),
        "its own are left out, but it hears that it has all"
    );
    let batch = others.message().await.expect("told").expect("a batch");
    assert_eq!((batch.facts.len(), batch.next), (1, 1));
    // And what comes later is refused.
    puppet.say(FromWorker::Report(Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 1,
        facts: vec![fact("0*3", 1)],
    }));
    let batch = others.message().await.expect("told").expect("a batch");
    let FactBatch { facts, next, .. } = FactBatch::try_from(batch).expect("facts");
    assert_eq!((facts, next), (vec![fact("0*3", 1)], 2));
    coordinator.shutdown().await.expect("it ends");
}

#[tokio::test]
async fn where_all_are_believed_a_contradiction_stops_the_job_and_names_both() {
    let (coordinator, store, _dir) = start_with(Trust::Believed).await;
    let url = coordinator.url();
    let mut client = Client::connect(&url).await.expect("connected");
    let goal = Goal::normal(position("0*30"), Question::Nimber);
    let job = client.submit(goal.clone(), 0).await.expect("submitted");

    let mut honest = Puppet::join(url.clone(), 1).await;
    honest.say(FromWorker::Pull(Pull { answer: None, more: true }));
    let Ok(ToWorker::Grant(Grant { lease, .. })) = honest.hear().await else { panic!("no grant") };
    honest.say(FromWorker::Report(Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 0,
        facts: vec![fact("0*4", 1)],
    }));
    assert!(matches!(honest.hear().await, Ok(ToWorker::Acknowledge(_))));

    let mut liar = Puppet::join(url, 2).await;
    liar.say(FromWorker::Report(Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 0,
        facts: vec![fact("0*3", 1), fact("0*4", 3)],
    }));
    let status = liar.hear().await.unwrap_err();
    assert_eq!(status.code(), Code::Aborted);
    for name in ["worker-1", "worker-2"] {
        assert!(status.message().contains(name), "{}", status.message());
    }
    assert!(matches!(honest.hear().await, Ok(ToWorker::Revoke(revoked)) if revoked == lease));
    let mut jobs = client.watch(job.id).await.expect("watched");
    let mut last = None;
    while let Some(job) = jobs.next().await.expect("told") {
        last = Some(job.state);
    }
    let Some(JobState::Failed(reason)) = last else { panic!("{last:?}") };
    assert!(reason.contains("worker-1") && reason.contains("worker-2"), "{reason}");
    let land = position("0*4").lands()[0].clone();
    assert_eq!(store.nimber(land.key()).expect("read"), Nimber::new(1).ok());
}

#[tokio::test]
async fn a_contradiction_is_looked_at_and_nobody_else_is_let_go() {
    let (coordinator, store, _dir) = start().await;
    let url = coordinator.url();
    let mut client = Client::connect(&url).await.expect("connected");
    let goal = Goal::normal(position("0*30"), Question::Nimber);
    let job = client.submit(goal, 0).await.expect("submitted");
    let mut honest = Puppet::join(url.clone(), 1).await;
    honest.say(FromWorker::Report(Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 0,
        facts: vec![fact("0*4", 1)],
    }));
    assert!(matches!(honest.hear().await, Ok(ToWorker::Acknowledge(_))));
    let mut liar = Puppet::join(url.clone(), 2).await;
    liar.say(FromWorker::Report(Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 0,
        facts: vec![fact("0*3", 1), fact("0*4", 3)],
    }));
    // The one fact is computed again: it holds. Only the liar's connection is ended, and it is told
    // that it may come back.
    assert_eq!(liar.hear().await.unwrap_err().code(), Code::Unavailable);
    honest.say(FromWorker::Report(Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 1,
        facts: vec![fact("0*5", 1)],
    }));
    assert!(matches!(honest.hear().await, Ok(ToWorker::Acknowledge(_))));
    // The job has not noticed.
    let status = client.status().await.expect("status");
    assert_eq!(status.jobs.iter().map(|job| job.id).collect::<Vec<_>>(), [job.id]);
    let land = position("0*4").lands()[0].clone();
    assert_eq!(store.nimber(land.key()).expect("read"), Nimber::new(1).ok());
}

#[tokio::test]
async fn nobody_takes_over_the_identity_of_another() {
    let (coordinator, _store, _dir) = start().await;
    let mut first = Puppet::join(coordinator.url(), 1).await;
    let thief = Hello { name: "thief".into(), ..hello(1) };
    let hello = FromWorker::Hello(thief).into();
    let mut second = Puppet::connect(coordinator.url(), hello).await.expect("a session");
    let status = second.hear().await.unwrap_err();
    assert!(status.message().contains("another worker"), "{}", status.message());
    first.say(FromWorker::Report(Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 0,
        facts: vec![fact("0*4", 1)],
    }));
    assert!(matches!(first.hear().await, Ok(ToWorker::Acknowledge(_))));
    coordinator.shutdown().await.expect("it ends");
}

#[tokio::test]
async fn names_are_what_they_look_like() {
    let (coordinator, _store, _dir) = start().await;
    for name in ["x\ty", "a\n", "\u{1b}]0;title\u{7}", "", "a@victim", "@"] {
        let first = FromWorker::Hello(Hello { name: name.into(), ..hello(1) }).into();
        let status = Puppet::connect(coordinator.url(), first).await.err().expect("refused");
        assert_eq!(status.code(), Code::InvalidArgument, "{name:?}");
        assert!(!status.message().contains(char::is_control), "{}", status.message());
    }
    let build = Build { id: "sprig\u{1b}[2J".into(), ..Build::here() };
    let first = FromWorker::Hello(Hello { build, ..hello(1) }).into();
    let status = Puppet::connect(coordinator.url(), first).await.err().expect("refused");
    assert_eq!(status.code(), Code::InvalidArgument);
    Puppet::join(coordinator.url(), 1).await;
    coordinator.shutdown().await.expect("it ends");
}

#[tokio::test]
async fn what_a_status_shows_opens_no_session() {
    let (coordinator, _store, _dir) = start().await;
    let mut victim = Puppet::join(coordinator.url(), 1).await;
    let mut client = Client::connect(&coordinator.url()).await.expect("connected");
    let shown = client.status().await.expect("status").workers[0].id;
    let thief = Hello { worker: shown, ..hello(1) };
    let mut thief =
        Puppet::connect(coordinator.url(), FromWorker::Hello(thief).into()).await.expect("open");
    assert!(matches!(thief.hear().await, Ok(ToWorker::Welcome(_))), "it is another worker");
    victim.say(FromWorker::Report(Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 0,
        facts: vec![fact("0*4", 1)],
    }));
    assert!(matches!(victim.hear().await, Ok(ToWorker::Acknowledge(_))));
    assert_eq!(client.status().await.expect("status").workers.len(), 2);
    coordinator.shutdown().await.expect("it ends");
}

/// A false alarm about a fact that holds.
fn false_alarm() -> FromWorker {
    let land = position("0*4").lands()[0].clone();
    FromWorker::Alarm(sprig_proto::Alarm {
        game: sprig_domain::Game::Sprouts,
        about: sprig_proto::Proved::Nimber { land, possible: 0b100 },
    })
}

#[tokio::test]
async fn a_false_alarm_costs_nobody_else_anything() {
    let (coordinator, store, _dir) = start().await;
    let url = coordinator.url();
    let mut honest = Puppet::join(url.clone(), 1).await;
    honest.say(FromWorker::Report(Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 0,
        facts: vec![fact("0*4", 1)],
    }));
    assert!(matches!(honest.hear().await, Ok(ToWorker::Acknowledge(_))));
    for n in 2..20 {
        let mut liar = Puppet::join(url.clone(), n).await;
        liar.say(false_alarm());
        assert_eq!(liar.hear().await.unwrap_err().code(), Code::Unavailable);
    }
    honest.say(FromWorker::Report(Report {
        game: sprig_domain::Game::Sprouts,
        sequence: 1,
        facts: vec![fact("0*3", 1)],
    }));
    assert!(matches!(honest.hear().await, Ok(ToWorker::Acknowledge(_))), "it was let go, too");
    assert_eq!(store.bans().expect("read"), []);
    coordinator.shutdown().await.expect("it ends");
}

#[tokio::test]
async fn throw_away_names_do_not_make_a_job_fail() {
    let (coordinator, store, _dir) = start().await;
    let url = coordinator.url();
    let mut client = Client::connect(&url).await.expect("connected");
    let heap = Nimber::ZERO;
    let goal = Goal::normal(position("0*9"), Question::Outcome { heap });
    let job = client.submit(goal, 0).await.expect("submitted");
    // Each says that the position is lost, from no facts at all.
    for n in 1..=4 {
        let mut liar = Puppet::join(url.clone(), n).await;
        liar.say(FromWorker::Pull(Pull { answer: None, more: true }));
        let Ok(ToWorker::Grant(Grant { lease, .. })) = liar.hear().await else { panic!("no work") };
        let answer = Answer { lease, verdict: Ok(Verdict::Loss), figures: Figures::default() };
        liar.say(FromWorker::Pull(Pull { answer: Some(answer), more: true }));
        while liar.hear().await.is_ok() {}
    }
    let banned = || -> Vec<String> {
        store.bans().expect("read").into_iter().map(|ban| ban.person.name).collect()
    };
    // Until the last of them has been judged.
    while banned().len() < 4 || client.status().await.expect("status").suspended {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let shown = client.status().await.expect("status");
    assert_eq!(shown.jobs[0].id, job.id);
    assert_eq!(shown.jobs[0].state, JobState::Running);
    assert_eq!(banned(), ["worker-1", "worker-2", "worker-3", "worker-4"]);

    // The ban holds, also for facts that are told; and it can be lifted.
    let mut again =
        Puppet::connect(url.clone(), FromWorker::Hello(hello(2)).into()).await.expect("a session");
    let refused = again.hear().await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert!(refused.message().contains("worker-2 is banned"), "{}", refused.message());
    let shown = client.status().await.expect("status").bans;
    assert!(shown.len() == 4 && shown.iter().all(|ban| !ban.proved), "{shown:?}");
    let lifted = client.unban("worker-2").await.expect("lifted");
    assert_eq!(lifted.iter().map(|ban| &*ban.name).collect::<Vec<_>>(), ["worker-2"]);
    Puppet::join(url.clone(), 2).await;
    assert!(client.unban("worker-2").await.unwrap_err().to_string().contains("nobody is banned"));
    coordinator.shutdown().await.expect("it ends");

    // Both are so after a restart.
    let listen = "127.0.0.1:0".parse().expect("an address");
    let (protection, trust) = (Protection::default(), Trust::Checked);
    let config = Config { listen, store: Arc::clone(&store), protection, trust };
    let coordinator = Coordinator::start(config).await.expect("it starts");
    Puppet::join(coordinator.url(), 2).await;
    let first = FromWorker::Hello(hello(3)).into();
    let mut again = Puppet::connect(coordinator.url(), first).await.expect("a session");
    assert_eq!(again.hear().await.unwrap_err().code(), Code::PermissionDenied);
    coordinator.shutdown().await.expect("it ends");
}

#[tokio::test]
async fn one_worker_that_gives_up_does_not_end_a_job() {
    let (coordinator, _store, _dir) = start().await;
    let url = coordinator.url();
    let mut client = Client::connect(&url).await.expect("connected");
    let goal = Goal::normal(position("0*40"), Question::Nimber);
    let job = client.submit(goal, 0).await.expect("submitted");
    let mut first = Puppet::join(url.clone(), 1).await;
    first.say(FromWorker::Pull(Pull { answer: None, more: true }));
    let Ok(ToWorker::Grant(Grant { lease, .. })) = first.hear().await else { panic!("no work") };
    let reason = "I do not want to\u{1b}[2J".to_owned();
    let verdict = Err(GaveUp { obstacle: Obstacle::Goal, reason });
    let answer = Answer { lease, verdict, figures: Figures::default() };
    first.say(FromWorker::Pull(Pull { answer: Some(answer), more: true }));
    let mut jobs = client.watch(job.id).await.expect("watched");
    let waiting = loop {
        let job = jobs.next().await.expect("told").expect("not over");
        if let Some(waiting @ Waiting::GaveUp { .. }) = job.waiting {
            break waiting.to_string();
        }
    };
    let expected = "waits for another worker: worker-1 gave up: I do not want to\\u{1b}[2J";
    assert_eq!(waiting, expected);
    let mut second = Puppet::join(url, 2).await;
    second.say(FromWorker::Pull(Pull { answer: None, more: true }));
    assert!(matches!(second.hear().await, Ok(ToWorker::Grant(_))));
    coordinator.shutdown().await.expect("it ends");
}
