//! What comes from outside is checked, and what goes there comes back the same.

use std::time::Duration;

use prost::Message;
use sprig_domain::{
    Branch, Fact, Figures, Game, Goal, JobId, JobState, Node, Outcome, Place, Question, Reign,
    Terms, Verdict, View, Wish, WishEnd, WishKind,
};
use sprig_engine::{CanonicalLand, CanonicalPosition, Nimber, Position};
use sprig_search::Noise;
use sprig_trees::{Forest, Tree};

use super::Malformed;
use crate::*;

fn canonical(text: &str) -> CanonicalPosition {
    CanonicalPosition::of(&text.parse::<Position>().expect("a position"))
}

fn n(value: u64) -> Nimber {
    Nimber::new(value).expect("in range")
}

fn land() -> CanonicalLand {
    canonical("0*2.AB|AB").lands()[0].clone()
}

fn fact() -> Fact {
    sprig_domain::LandNimber { land: land(), nimber: n(1) }.into()
}

fn lease() -> LeaseId {
    LeaseId { epoch: 7, number: 9 }
}

#[test]
fn every_message_of_a_session_returns() {
    let figures = Figures {
        expansions: 1,
        generations: 9,
        children: 2,
        lands: 3,
        nodes: 10,
        facts: 4,
        bytes: 5,
        collections: 8,
        proof: 6,
        disproof: 7,
    };
    let position = canonical("0*3+0*3");
    let question = Question::Outcome { heap: n(2) };
    let goal = Goal::normal(position, question);
    let hello = Hello {
        build: Build::here(),
        name: "a".into(),
        worker: WorkerId(3),
        threads: 2,
        holding: Some(lease()),
        figures,
        games: vec![Game::Sprouts],
        reign: Some(Reign::first(7)),
        looks: true,
    };
    let answer = |verdict| {
        FromWorker::Pull(Pull {
            answer: Some(Answer { lease: lease(), verdict, figures }),
            more: true,
        })
    };
    for message in [
        FromWorker::Hello(hello),
        FromWorker::Report(Report { game: Game::Sprouts, sequence: 5, facts: vec![fact()] }),
        FromWorker::Pull(Pull { answer: None, more: false }),
        answer(Ok(Verdict::Win)),
        answer(Ok(Verdict::Loss)),
        answer(Ok(Verdict::Nimber(n(63)))),
        answer(Ok(Verdict::Open { proof: 3, disproof: u32::MAX })),
        answer(Err(GaveUp { obstacle: Obstacle::Memory, reason: "too large".into() })),
        FromWorker::Progress { lease: lease(), figures },
        FromWorker::Alarm(Alarm {
            game: Game::Sprouts,
            about: Proved::Nimber { land: land(), possible: 1 << 63 },
        }),
        FromWorker::Alarm(Alarm {
            game: Game::Sprouts,
            about: Proved::Misere(misere_facts().remove(2)),
        }),
    ] {
        // Figures compare by their text: they carry no identity of their own.
        let back =
            FromWorker::try_from(wire::FromWorker::from(message.clone())).expect("well formed");
        assert_eq!(format!("{back:?}"), format!("{message:?}"));
    }
    for message in [
        ToWorker::Welcome(Welcome {
            build: Build::here(),
            epoch: 1,
            database: 2,
            facts: 3,
            withdrawals: 4,
            reign: Some(Reign { line: 7, number: 1, proof: [3; 32] }),
        }),
        ToWorker::Grant(Grant {
            lease: lease(),
            goal: goal.clone(),
            expansions: Some(10),
            facts: 7,
            noise: Noise(2),
            avoid: vec![goal.clone()],
            job: Some(JobId(12)),
        }),
        ToWorker::Grant(Grant {
            lease: lease(),
            goal: Goal::normal(goal.position().clone(), Question::Nimber),
            expansions: None,
            facts: 0,
            noise: Noise::NONE,
            avoid: Vec::new(),
            job: None,
        }),
        ToWorker::Grant(Grant {
            lease: lease(),
            goal: Goal::misere(goal.position().clone()),
            expansions: None,
            facts: 0,
            noise: Noise::NONE,
            avoid: Vec::new(),
            job: None,
        }),
        ToWorker::Revoke(lease()),
        ToWorker::Acknowledge(Acknowledge {
            reports: vec![1, 2],
            gather: Duration::from_millis(40),
        }),
        ToWorker::Look(Look { number: 3, at: goal.clone(), limit: 9 }),
    ] {
        let back = ToWorker::try_from(wire::ToWorker::from(message.clone())).expect("well formed");
        assert_eq!(format!("{back:?}"), format!("{message:?}"));
    }
}

#[test]
fn a_missing_field_is_named() {
    let empty = wire::FromWorker { message: None };
    assert_eq!(FromWorker::try_from(empty).unwrap_err(), Malformed::Missing("message"));
    let asked = wire::Goal::from(Goal::normal(canonical("0*2"), Question::Nimber));
    let goal = wire::Goal { position: None, ..asked.clone() };
    assert_eq!(Goal::try_from(goal).unwrap_err(), Malformed::Missing("position"));
    let goal = wire::Goal { question: None, ..asked.clone() };
    assert_eq!(Goal::try_from(goal).unwrap_err(), Malformed::Missing("question"));
    let goal = wire::Goal { ruleset: None, ..asked.clone() };
    assert_eq!(Goal::try_from(goal).unwrap_err(), Malformed::Missing("ruleset"));
    // A ruleset that an old program leaves out is not taken for the first one there is.
    for (game, play, missing) in [(0, 1, "game"), (1, 0, "play")] {
        let goal = wire::Goal { ruleset: Some(wire::Ruleset { game, play }), ..asked.clone() };
        assert_eq!(Goal::try_from(goal).unwrap_err(), Malformed::Missing(missing));
    }
    let later = wire::Ruleset { game: 77, play: 1 };
    let goal = wire::Goal { ruleset: Some(later), ..asked };
    let error = Goal::try_from(goal).unwrap_err().to_string();
    assert!(error.contains("knows no game number 77"), "{error}");
    let answer = wire::Answer { lease: None, result: None, figures: None, obstacle: 0 };
    assert_eq!(Answer::try_from(answer).unwrap_err(), Malformed::Missing("lease"));
}

fn nimber(land: Vec<u8>, nimber: u32) -> wire::Fact {
    wire::Fact { fact: Some(wire::fact::Fact::Nimber(wire::fact::Nimber { land, nimber })) }
}

#[test]
fn what_is_no_canonical_land_is_refused() {
    for land in [vec![], vec![0], vec![255; 40], b"0*2".to_vec()] {
        assert!(matches!(Fact::try_from(nimber(land, 0)), Err(Malformed::Land(_))));
    }
    let long = nimber(vec![1; limits::KEY_BYTES + 1], 0);
    assert!(matches!(Fact::try_from(long), Err(Malformed::TooLarge { what: "land", .. })));
}

#[test]
fn nimbers_and_batches_have_limits() {
    let large = nimber(land().key().to_vec(), 64);
    assert!(matches!(Fact::try_from(large), Err(Malformed::Nimber(_))));
    let report =
        wire::Report { sequence: 1, facts: vec![fact().into(); limits::FACTS + 1], game: 1 };
    let status = tonic::Status::from(Report::try_from(report).unwrap_err());
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("1025"), "{}", status.message());
}

#[test]
fn the_grammar_of_told_lands_is_checked_and_the_order_of_their_spots_is_not() {
    let told = |land: &[u8]| {
        let fact = wire::fact::Nimber { land: land.to_vec(), nimber: 0 };
        let fact = wire::Fact { fact: Some(wire::fact::Fact::Nimber(fact)) };
        let facts = vec![fact.encode_to_vec().into()];
        let batch = wire::FactBatch { facts, game: 1, ..Default::default() };
        FactBatch::try_from(batch).map(|batch| batch.facts.len())
    };
    // `0*2.AB|AB` as it is, and with its regions the other way round.
    let canonical = land().key().to_vec();
    let mut halves: Vec<&[u8]> = canonical.split(|&byte| byte == 6).collect();
    halves.reverse();
    let turned = halves.join(&6);
    assert_eq!(told(&canonical), Ok(1));
    assert_ne!(turned, canonical);
    assert_eq!(told(&turned), Ok(1));
    let claimed = wire::fact::Nimber { land: turned.clone(), nimber: 0 };
    let claimed = wire::Fact { fact: Some(wire::fact::Fact::Nimber(claimed)) };
    let report = wire::Report { sequence: 1, facts: vec![claimed], game: 1 };
    assert!(matches!(Report::try_from(report), Err(Malformed::Land(_))));
    assert!(matches!(told(&turned[1..]), Err(Malformed::Land(_))));
    assert!(matches!(told(&[]), Err(Malformed::Land(_))));
    let facts = vec![vec![10, 200].into()];
    let batch = wire::FactBatch { facts, game: 1, ..Default::default() };
    assert!(matches!(FactBatch::try_from(batch), Err(Malformed::Encoding(_))));
}

fn misere_facts() -> Vec<Fact> {
    let mut forest = Forest::default();
    let two = forest.reduce(&mut vec![Tree::ZERO, Tree::ONE]);
    let (key, land) = (forest.key(two), canonical("0*2.AB|AB").lands()[0].clone());
    vec![
        Fact::Tree { tree: key, options: forest.option_keys(two) },
        Fact::Rct { land, tree: key.plus_one() },
        Fact::Loss(Node::new(canonical("0*8+0*3"), true, [key, key])),
    ]
}

#[test]
fn facts_of_misere_play_return() {
    for fact in misere_facts() {
        let sent = wire::Fact::from(fact.clone());
        assert_eq!(Fact::try_from(sent), Ok(fact));
    }
}

#[test]
fn forged_facts_of_misere_play_are_refused() {
    let [tree, rct, loss] = <[_; 3]>::try_from(misere_facts()).expect("three");
    let changed = |fact: &Fact, change: &dyn Fn(&mut wire::fact::Fact)| {
        let mut sent = wire::Fact::from(fact.clone());
        change(sent.fact.as_mut().expect("it is there"));
        Fact::try_from(sent).expect_err("forged")
    };
    use wire::fact::Fact::{Loss, Rct, Tree};
    let changes: [fn(&mut wire::fact::Tree); 5] = [
        |fact| fact.tree[3] ^= 1,
        |fact| fact.tree[15] |= 1,
        |fact| fact.options[20] ^= 1,
        |fact| fact.options.truncate(16),
        |fact| fact.options.rotate_left(16),
    ];
    for change in changes {
        let error = changed(&tree, &|fact| {
            if let Tree(fact) = fact {
                change(fact)
            }
        });
        assert!(matches!(error, Malformed::Options(_) | Malformed::Node(_)), "{error}");
    }
    let short = changed(&tree, &|fact| {
        if let Tree(fact) = fact {
            fact.options.truncate(20)
        }
    });
    assert_eq!(short, Malformed::Tree(4));
    let short = changed(&rct, &|fact| {
        if let Rct(fact) = fact {
            fact.tree.clear()
        }
    });
    assert_eq!(short, Malformed::Tree(0));
    let no_land = changed(&rct, &|fact| {
        if let Rct(fact) = fact {
            fact.land.push(9)
        }
    });
    assert!(matches!(no_land, Malformed::Land(_)), "{no_land}");
    let no_node = changed(&loss, &|fact| {
        if let Loss(node) = fact {
            node.push(9)
        }
    });
    assert!(matches!(no_node, Malformed::Node(_)), "{no_node}");
    let absent = wire::Fact { fact: None };
    assert_eq!(Fact::try_from(absent), Err(Malformed::Missing("fact")));
}

#[test]
fn a_status_returns_with_what_jobs_wait_for_and_who_is_banned() {
    let goal = Goal::misere(canonical("0*3"));
    let gave_up = Waiting::GaveUp { worker: "w@node-7".into(), reason: "too large".into() };
    let (behind, share) = (Waiting::Behind(JobId(7)), Waiting::Share(JobId(7)));
    let reasons = [Waiting::Worker, Waiting::Ahead(JobId(7)), Waiting::Drained, gave_up, behind];
    let reasons = reasons.into_iter().chain([Waiting::Unable, share, Waiting::Budget]);
    let reasons: Vec<Waiting> = reasons.chain([Waiting::Deadline, Waiting::Checking(43)]).collect();
    let words: Vec<&str> = reasons.iter().map(Waiting::word).collect();
    assert_eq!(words, Waiting::WORDS);
    let terms = Terms {
        owner: "ada".into(),
        label: "to 62".into(),
        in_turn: true,
        budget: Some(Duration::from_secs(7200)),
        deadline: Some(1_767_225_600_000),
    };
    let jobs = reasons.into_iter().map(Some).chain([None]).map(|waiting| Job {
        id: JobId(9),
        goal: goal.clone(),
        priority: -1,
        state: JobState::Running,
        figures: Figures::default(),
        workers: 0,
        seconds: 0.5,
        waiting,
        terms: terms.clone(),
        core_seconds: 1.5,
        wishes: Vec::new(),
    });
    let ban = |claim| Ban {
        name: "node-7".into(),
        proved: true,
        time: 1_767_225_600_000,
        reason: "computed again it is 1".into(),
        claim,
    };
    let status = ClusterStatus {
        build: Build::here(),
        facts: 3,
        workers: Vec::new(),
        drained: false,
        suspended: true,
        jobs: jobs.collect(),
        bans: vec![ban(None), ban(Some("land 0*3: nimber 2".into()))],
        followers: vec![FollowerStatus {
            name: "copy".into(),
            build: "b".into(),
            facts: 2,
            behind: 1,
        }],
        sync_followers: 1,
        withheld: true,
        reign: Some(Reign::first(7)),
    };
    let back = ClusterStatus::try_from(wire::ClusterStatus::from(status.clone())).expect("sound");
    assert_eq!(format!("{back:?}"), format!("{status:?}"));
}

#[test]
fn views_and_wishes_come_back_as_they_were() {
    let goal = Goal::normal(canonical("0*3"), Question::OUTCOME);
    let node = Node::new(canonical("0*2"), true, []);
    let branch = |place| Branch { place, proof: 7, disproof: 9, walks: 1 };
    let at = branch(Place::Goal(goal.clone()));
    let line = vec![branch(Place::Node(node))];
    let view = View { at: at.clone(), line, options: vec![at], open: 12 };
    let seen = FromWorker::Seen { number: 4, view: Some(view.clone()) };
    let back = FromWorker::try_from(wire::FromWorker::from(seen.clone())).expect("well formed");
    assert_eq!(format!("{back:?}"), format!("{seen:?}"));
    let mut flood = wire::View::from(view);
    flood.options = vec![flood.options[0].clone(); limits::VIEWED + 1];
    assert!(matches!(View::try_from(flood), Err(Malformed::TooLarge { what: "options", .. })));

    let ends = [
        None,
        Some(WishEnd::Decided(Outcome::Loss)),
        Some(WishEnd::Expired),
        Some(WishEnd::Withdrawn),
        Some(WishEnd::GaveUp("no room".into())),
    ];
    for (kind, end) in WishKind::ALL.into_iter().cycle().zip(ends) {
        let (at, by, until) = (goal.clone(), "ada".into(), end.is_some().then_some(9));
        let wish = Wish { number: 3, kind, at, by, made: 5, until, expansions: 11, end };
        assert_eq!(Wish::try_from(wire::Wish::from(wish.clone())), Ok(wish));
    }
    let wanted = Wanted { kind: WishKind::Ban, at: goal, until: None, by: String::new() };
    for order in [JobOrder::Wish(wanted.clone()), JobOrder::Withdraw(4)] {
        assert_eq!(JobOrder::try_from(order.clone().about(JobId(1))), Ok(order));
    }
    let strange = wire::WishRequest { kind: 77, ..wanted.into() };
    let error = Wanted::try_from(strange).unwrap_err().to_string();
    assert!(error.contains("no kind of wish number 77"), "{error}");
}
