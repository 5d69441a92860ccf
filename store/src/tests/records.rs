//! What is committed is found again; what contradicts is refused.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use sprig_domain::{
    Conclusion, Game, Goal, JobId, JobState, Outcome, Question, Terms, Wish, WishEnd, WishKind,
};
use sprig_engine::CanonicalPosition;

use super::*;

/// Both kinds of stores.
fn stores() -> [(Store, Option<tempfile::TempDir>); 2] {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let on_disk = open(dir.path()).expect("a new database");
    [(on_disk, Some(dir)), (Store::in_memory().expect("memory"), None)]
}

fn goal(text: &str, question: Question) -> Goal {
    let position = sprig_engine::notation::read(text).expect("a position");
    Goal::normal(CanonicalPosition::of(&position), question)
}

fn is(value: u64) -> Assertion {
    Assertion::Is(Value::Nimber(nimber(value)))
}

fn job(id: u64, goal: Goal, state: JobState) -> Job {
    let submitted = UnixMillis(1_700_000_000_000);
    Job {
        id: JobId(id),
        goal,
        priority: -3,
        submitted,
        ended: state.is_final().then_some(UnixMillis(5)),
        state,
        expansions: 1 << 40,
        seconds: 1.25,
        terms: Terms::default(),
        core_seconds: 0.0,
        wishes: Vec::new(),
    }
}

#[test]
fn a_commit_says_which_facts_are_whose() {
    for (store, _dir) in stores() {
        store.commit(&facts("ada", vec![claimed(b"a", 3)])).unwrap();
        let said =
            |by, facts| Contribution { provenance: provenance(by), facts, exclusions: vec![] };
        let contributions = vec![
            said("ada", vec![claimed(b"a", 3), claimed(b"b", 1), claimed(b"c", 1)]),
            said("bob", vec![claimed(b"b", 1)]),
            said("eve", vec![claimed(b"d", 2)]),
        ];
        let committed = store.commit(&Batch { contributions, ..Batch::default() }).unwrap();
        let ranges = [(1, 3, Some(0)), (3, 3, Some(1)), (3, 4, None)];
        let taken = ranges.map(|(start, end, known)| Taken {
            new: Sequence(start)..Sequence(end),
            known: known.map(Sequence).into_iter().collect(),
        });
        assert_eq!(
            committed,
            Committed { facts: Sequence(1)..Sequence(4), contributions: taken.into() }
        );
    }
}

#[test]
fn facts_are_found_with_status_sequence_and_source() {
    for (store, _dir) in stores() {
        assert_eq!(store.nimber(b"a").unwrap(), None);
        let committed = store.commit(&facts("ada", vec![claimed(b"b", 3), verified(b"a", 0)]));
        assert_eq!(committed.unwrap().facts, Sequence(0)..Sequence(2));
        let committed = store.commit(&facts("bob", vec![claimed(b"c", 63)])).unwrap();
        assert_eq!(committed.facts, Sequence(2)..Sequence(3));

        assert_eq!(store.nimber(b"b").unwrap(), Some(nimber(3)));
        assert_eq!(store.provenance(Kind::Nimber, b"b").unwrap(), Some(provenance("ada")));
        assert_eq!(store.provenance(Kind::Nimber, b"c").unwrap(), Some(provenance("bob")));
        assert_eq!(store.provenance(Kind::Nimber, b"d").unwrap(), None);
        let all = [(1, verified(b"a", 0)), (0, claimed(b"b", 3)), (2, claimed(b"c", 63))]
            .map(|(n, fact)| StoredFact { sequence: Sequence(n), fact });
        assert_eq!(store.facts(Kind::Nimber).collect::<Result<Vec<_>, _>>().unwrap(), all);
        let [first, second, third] = all;
        assert_eq!(store.fact(Kind::Nimber, b"a").unwrap(), Some(first.clone()));
        let from = |n, limit| store.facts_from(Sequence(n), limit).unwrap();
        assert_eq!(from(0, 9), [second, first.clone(), third.clone()]);
        assert_eq!(from(1, 1), [first]);
        assert_eq!(from(2, 9), [third]);
        assert_eq!(from(3, 9), []);
    }
}

#[test]
fn a_fact_that_is_known_changes_nothing_but_may_become_verified() {
    for (store, _dir) in stores() {
        store.commit(&facts("ada", vec![claimed(b"a", 1)])).unwrap();
        let again = facts("bob", vec![claimed(b"a", 1), claimed(b"b", 2), claimed(b"b", 2)]);
        assert_eq!(store.commit(&again).unwrap().facts, Sequence(1)..Sequence(2));
        assert_eq!(store.commit(&again).unwrap().facts, Sequence(2)..Sequence(2));
        assert_eq!(store.provenance(Kind::Nimber, b"a").unwrap(), Some(provenance("ada")));

        store.commit(&facts("eve", vec![verified(b"a", 1)])).unwrap();
        store.commit(&again).unwrap();
        assert_eq!(store.fact(Kind::Nimber, b"a").unwrap().unwrap().fact, verified(b"a", 1));
        assert_eq!(store.facts_from(Sequence(0), 1).unwrap()[0].fact, verified(b"a", 1));
        assert_eq!(store.provenance(Kind::Nimber, b"a").unwrap(), Some(provenance("ada")));
        assert_eq!(store.next_sequence(), Sequence(2));
    }
}

#[test]
fn another_nimber_is_refused_with_its_whole_batch() {
    for (store, _dir) in stores() {
        store.commit(&facts("ada", vec![claimed(b"a", 1)])).unwrap();
        let mut batch = facts("bob", vec![claimed(b"new", 0), claimed(b"a", 2)]);
        let solved = goal("0*3", Question::Nimber);
        batch.jobs.push(job(1, solved, JobState::Running));
        let contradiction = refused(store.commit(&batch));
        let known = Claim { assertion: is(1), origin: provenance("ada") };
        let claimed_now = Claim { assertion: is(2), origin: provenance("bob") };
        assert_eq!(
            contradiction,
            Contradiction {
                game: Game::Sprouts,
                kind: Kind::Nimber,
                subject: b"a"[..].into(),
                known,
                claimed: claimed_now
            }
        );
        let line = contradiction.to_string();
        assert!(line.contains("ada") && line.contains("bob") && !line.contains('\n'), "{line}");

        assert_eq!(store.nimber(b"a").unwrap(), Some(nimber(1)));
        assert_eq!(store.nimber(b"new").unwrap(), None);
        assert_eq!(store.jobs().unwrap(), []);
        // The store goes on, and gives the number that the refused fact did not get.
        let committed = store.commit(&facts("bob", vec![claimed(b"other", 0)])).unwrap();
        assert_eq!(committed.facts, Sequence(1)..Sequence(2));
        assert_eq!(store.provenance(Kind::Nimber, b"other").unwrap(), Some(provenance("bob")));
    }
}

#[test]
fn a_batch_that_contradicts_itself_is_refused_with_both_sources() {
    for (store, _dir) in stores() {
        let mut batch = facts("ada", vec![claimed(b"x", 0), claimed(b"a", 1)]);
        batch.contributions.extend(facts("bob", vec![claimed(b"y", 0)]).contributions);
        batch.contributions.extend(facts("eve", vec![claimed(b"a", 2)]).contributions);
        let contradiction = refused(store.commit(&batch));
        assert_eq!(contradiction.known.origin, provenance("ada"));
        assert_eq!(contradiction.claimed.origin, provenance("eve"));
        assert_eq!(store.next_sequence(), Sequence(0));
        assert_eq!(store.facts(Kind::Nimber).count(), 0);
    }
}

#[test]
fn exclusions_add_up_until_the_nimber_is_known() {
    for (store, _dir) in stores() {
        store.commit(&exclusion("ada", b"a", 0b0011)).unwrap();
        store.commit(&exclusion("bob", b"a", 0b1001)).unwrap();
        assert_eq!(store.excluded(b"a").unwrap(), 0b1011);

        // Bit 0 came from both, and the first one keeps it. Bit 3 came from bob.
        let against = |value| refused(store.commit(&facts("eve", vec![claimed(b"a", value)])));
        assert_eq!(against(0).known.origin, provenance("ada"));
        let contradiction = against(3);
        assert_eq!(contradiction.known.origin, provenance("bob"));
        assert_eq!(contradiction.known.assertion, Assertion::IsNot(Value::Nimber(nimber(3))));

        store.commit(&facts("eve", vec![claimed(b"a", 2)])).unwrap();
        assert_eq!(store.excluded(b"a").unwrap(), !0b0100);
        assert_eq!(store.nimber(b"a").unwrap(), Some(nimber(2)));
        store.commit(&exclusion("ada", b"a", !0b0100)).unwrap();
        let contradiction = refused(store.commit(&exclusion("ada", b"a", 0b0111)));
        assert_eq!(contradiction.known.origin, provenance("eve"));
        assert_eq!(contradiction.claimed.assertion, Assertion::IsNot(Value::Nimber(nimber(2))));
    }
}

#[test]
fn an_exclusion_and_a_fact_in_one_batch_are_held_against_each_other() {
    for (store, _dir) in stores() {
        let mut batch = exclusion("ada", b"a", 0b0010);
        batch.contributions.extend(facts("bob", vec![claimed(b"a", 1)]).contributions);
        let contradiction = refused(store.commit(&batch));
        assert_eq!(contradiction.known.origin, provenance("ada"));
        batch.contributions.reverse();
        let contradiction = refused(store.commit(&batch));
        assert_eq!(contradiction.known.origin, provenance("bob"));
        assert_eq!(store.excluded(b"a").unwrap(), 0);
    }
}

#[test]
fn many_facts_of_one_batch_spread_over_log_records() {
    for (store, _dir) in stores() {
        let many = (0..1000u32).map(|i| claimed(&i.to_be_bytes(), u64::from(i % 60))).collect();
        let committed = store.commit(&facts("ada", many)).unwrap();
        assert_eq!(committed.facts, Sequence(0)..Sequence(1000));
        for start in [0, 1, 127, 128, 129, 500, 999] {
            let some = store.facts_from(Sequence(start), 200).unwrap();
            let numbers: Vec<_> = some.iter().map(|fact| fact.sequence.0).collect();
            assert_eq!(numbers, (start..1000.min(start + 200)).collect::<Vec<_>>());
            assert_eq!(*some[0].fact.subject, (start as u32).to_be_bytes());
        }
        assert_eq!(
            store.provenance(Kind::Nimber, &999u32.to_be_bytes()).unwrap(),
            Some(provenance("ada"))
        );
    }
}

#[test]
fn jobs_are_found_by_number_and_by_goal() {
    for (store, _dir) in stores() {
        let lost = Conclusion { outcome: Outcome::Loss, nimber: Some(nimber(4)) };
        let nimber_4 = Conclusion { outcome: Outcome::Win, nimber: Some(nimber(4)) };
        let reason = "too many moves".to_owned();
        let states = [
            JobState::Paused,
            JobState::Running,
            JobState::Done(Outcome::Win.into()),
            JobState::Done(lost),
            JobState::Done(nimber_4),
            JobState::Cancelled,
            JobState::Failed(reason),
        ];
        assert_eq!(store.next_job().unwrap(), JobId(1));
        let jobs: Vec<_> = (1..)
            .zip(states)
            .map(|(id, state)| {
                let heap = nimber(id);
                job(id, goal("0*4+0*2.AB|AB", Question::Outcome { heap }), state)
            })
            .collect();
        store.commit(&Batch { jobs: jobs.clone(), ..Batch::default() }).unwrap();
        assert_eq!(store.jobs().unwrap(), jobs);
        assert_eq!(store.next_job().unwrap(), JobId(8));
        assert_eq!(store.job(JobId(8)).unwrap(), None);
        for job in &jobs {
            assert_eq!(store.job(job.id).unwrap().as_ref(), Some(job));
            assert_eq!(store.job_by_goal(&job.goal).unwrap().as_ref(), Some(job));
        }
        let unknown = goal("0*4+0*2.AB|AB", Question::Nimber);
        assert_eq!(store.job_by_goal(&unknown).unwrap(), None);

        // The same goal again makes a new job, and that is the one that is found.
        let again = Job { id: JobId(8), ..jobs[5].clone() };
        store.commit(&Batch { jobs: vec![again.clone()], ..Batch::default() }).unwrap();
        assert_eq!(store.job_by_goal(&again.goal).unwrap(), Some(again));
        assert_eq!(store.job(JobId(6)).unwrap().as_ref(), Some(&jobs[5]));
    }
}

#[test]
fn a_job_that_was_queued_runs() {
    let job = job(1, goal("0*4", Question::Nimber), JobState::Running);
    let mut record = job.encode();
    // The state is the last byte; 0 was written for jobs that waited for their turn.
    assert_eq!(record.pop(), Some(1));
    record.push(0);
    assert_eq!(Job::decode(job.id, &record, None, None), Ok(job));
}

#[test]
fn jobs_of_misere_play_end_with_an_outcome_alone() {
    let goal = Goal::misere(goal("0*4", Question::OUTCOME).position().clone());
    for outcome in [Outcome::Win, Outcome::Loss] {
        let job = job(1, goal.clone(), JobState::Done(outcome.into()));
        assert_eq!(Job::decode(job.id, &job.encode(), None, None), Ok(job));
    }
    let nimber = Conclusion { outcome: Outcome::Loss, nimber: Some(nimber(0)) };
    let forged = job(1, goal, JobState::Done(nimber));
    assert_eq!(Job::decode(forged.id, &forged.encode(), None, None), Err(bytes::Malformed));
}

#[test]
fn terms_are_kept_beside_the_job_where_there_are_any() {
    for (store, _dir) in stores() {
        let plain = job(1, goal("0*4", Question::Nimber), JobState::Running);
        let terms = Terms {
            owner: "ada".into(),
            label: "to 62".into(),
            in_turn: true,
            budget: Some(Duration::from_millis(7_200_500)),
            deadline: Some(1_767_225_600_000),
        };
        let job = Job { id: JobId(2), terms, core_seconds: 1.5, ..plain.clone() };
        let late = Job { id: JobId(3), core_seconds: 0.25, ..plain.clone() };
        let jobs = vec![plain.clone(), job.clone(), late.clone()];
        store.commit(&Batch { jobs: jobs.clone(), ..Batch::default() }).unwrap();
        assert_eq!(store.jobs().unwrap(), jobs);
        assert_eq!(store.job(JobId(2)).unwrap(), Some(job.clone()));
        let is_hers = |job: &Job| job.terms.owner == "ada";
        assert_eq!(store.jobs_before(JobId(9), 5, is_hers).unwrap(), std::slice::from_ref(&job));
        assert_eq!(store.jobs_before(JobId(9), 2, |_| true).unwrap(), [late, job.clone()]);
        // Terms that are taken back are forgotten.
        let freed = Job { terms: Terms::default(), core_seconds: 0.0, ..job.clone() };
        store.commit(&Batch { jobs: vec![freed.clone()], ..Batch::default() }).unwrap();
        assert_eq!(store.job(JobId(2)).unwrap(), Some(freed));
        // An earlier program sees the job without them, and what it writes leaves them alone.
        let seen = Job::decode(job.id, &job.encode(), None, None).unwrap();
        assert_eq!((seen.terms, &seen.goal), (Terms::default(), &job.goal));
        assert!(record::ruleset([0xff, 0, 0]).is_err(), "a goal may begin like terms");
        let inventory = store.inventory(&AtomicBool::new(false), |_| ()).unwrap().unwrap();
        assert_eq!(inventory.jobs, 3);
    }
}

#[test]
fn wishes_are_kept_beside_the_job_where_there_are_any() {
    for (store, _dir) in stores() {
        let plain = job(1, goal("0*4", Question::OUTCOME), JobState::Running);
        let ends = [
            None,
            Some(WishEnd::Decided(Outcome::Win)),
            Some(WishEnd::Decided(Outcome::Loss)),
            Some(WishEnd::Expired),
            Some(WishEnd::Withdrawn),
            Some(WishEnd::GaveUp("no room".into())),
        ];
        let wish = |(end, kind)| Wish {
            number: 300,
            kind,
            at: goal("0*3", Question::OUTCOME),
            by: "ada".into(),
            made: 1_767_225_600_000,
            until: Some(1_767_225_600_001),
            expansions: 1 << 40,
            end,
        };
        let wishes = ends.into_iter().zip(WishKind::ALL.into_iter().cycle()).map(wish).collect();
        let wished = Job { id: JobId(2), wishes, ..plain.clone() };
        let jobs = vec![plain, wished.clone()];
        store.commit(&Batch { jobs: jobs.clone(), ..Batch::default() }).unwrap();
        assert_eq!(store.jobs().unwrap(), jobs);
        assert_eq!(store.job_by_goal(&wished.goal).unwrap().map(|job| job.id), Some(JobId(2)));
        assert!(record::ruleset([0xfe, 0, 0]).is_err(), "a goal may begin like wishes");
        let inventory = store.inventory(&AtomicBool::new(false), |_| ()).unwrap().unwrap();
        assert_eq!(inventory.jobs, 2);
    }
}

#[test]
fn a_job_that_changes_late_does_not_hide_a_newer_one_with_its_goal() {
    for (store, _dir) in stores() {
        let old = job(1, goal("0*4", Question::Nimber), JobState::Running);
        let new = Job { id: JobId(2), state: JobState::Paused, ..old.clone() };
        store.commit(&Batch { jobs: vec![old.clone(), new.clone()], ..Batch::default() }).unwrap();
        let old = Job { state: JobState::Cancelled, ended: Some(UnixMillis(9)), ..old };
        store.commit(&Batch { jobs: vec![old], ..Batch::default() }).unwrap();
        assert_eq!(store.job_by_goal(&new.goal).unwrap(), Some(new));
    }
}

#[test]
fn histories_grow_in_order_and_apart() {
    for (store, _dir) in stores() {
        let event = |job, time, kind, detail: &str| {
            (JobId(job), Event { time: UnixMillis(time), kind, detail: detail.into() })
        };
        let first = vec![
            event(1, 10, EventKind::Submitted, "ada"),
            event(2, 11, EventKind::Submitted, ""),
            event(1, 12, EventKind::Leased, "worker 3"),
        ];
        let second = vec![event(1, 9, EventKind::Done, "loss")];
        for events in [&first, &second] {
            store.commit(&Batch { events: events.clone(), ..Batch::default() }).unwrap();
        }
        let expected = [&first[0].1, &first[2].1, &second[0].1].map(Clone::clone);
        assert_eq!(store.history(JobId(1)).unwrap(), expected);
        assert_eq!(store.history(JobId(2)).unwrap(), [first[1].1.clone()]);
        assert_eq!(store.history(JobId(3)).unwrap(), []);
    }
}

#[test]
fn a_fact_about_nothing_is_refused() {
    for (store, _dir) in stores() {
        let result = store.commit(&facts("ada", vec![claimed(b"a", 1), claimed(b"", 1)]));
        assert!(matches!(result, Err(StoreError::Flawed { .. })), "{result:?}");
        assert_eq!(store.next_sequence(), Sequence(0));
    }
}

#[test]
fn facts_of_two_games_stand_beside_each_other() {
    use crate::tables::{FACTS, LOG, LOSSES};
    use sprig_domain::Game;
    let store = Store::in_memory().expect("memory");
    let other = store.of(Game::BlackAndWhite);
    let [one, two] = [1, 2].map(|value| Nimber::new(value).expect("in range"));
    let facts = vec![
        Fact::nimber(b"land", one),
        Fact::nimber(b"land", two).of(Game::BlackAndWhite),
        Fact::loss(b"node").of(Game::BlackAndWhite).verified(),
    ];
    let provenance = Provenance {
        source: Source { worker: "w".into(), build: "b".into() },
        job: None,
        time: UnixMillis(7),
    };
    let contributions =
        vec![Contribution { provenance, facts: facts.clone(), exclusions: Vec::new() }];
    store.commit(&Batch { contributions, ..Batch::default() }).expect("written");
    assert_eq!(store.nimber(b"land").expect("read"), Some(one));
    assert_eq!(other.nimber(b"land").expect("read"), Some(two));
    let is_lost = [&store, &other].map(|store| store.is_lost(b"node").expect("read"));
    assert_eq!(is_lost, [false, true]);
    assert_eq!(store.facts(Kind::Nimber).count(), 1);
    assert_eq!(other.facts(Kind::Loss).count(), 1);
    let told = store.facts_from(Sequence(0), 10).expect("read");
    assert_eq!(told.into_iter().map(|stored| stored.fact).collect::<Vec<_>>(), facts);
    let keys = |family: &str| -> Vec<Vec<u8>> {
        let entries = store.scan(family, &[], rocksdb::Direction::Forward);
        entries.map(|entry| entry.expect("read").0.into_vec()).collect()
    };
    assert_eq!(keys(FACTS), [b"\x01\0\0land".to_vec(), b"\x02\0\0land".to_vec()]);
    assert_eq!(keys(LOSSES), [b"\x02\x01\0node".to_vec()]);
    // The kind stands in the low half of a byte of the log, the game in the high half.
    let log = store.scan(LOG, &[], rocksdb::Direction::Forward);
    let kinds: Vec<u8> = log.map(|entry| entry.expect("read").1[1]).collect();
    assert_eq!(kinds, [0x00, 0x10, 0x13]);
    let found = store.inventory(&AtomicBool::new(false), |_| {});
    assert_eq!(found.expect("whole").expect("not stopped").records, 3 + 3 + 1);
}
